"""What the log and the questions say, word by word, as `read_aloud.txt` and `questions_aloud.txt` record it.

    WRIT_TELL_ANEW=1 .venv/bin/python -m pytest tests/fief/test_read_aloud.py

records it again. The events are those of the cases (`tests/fief/recorded/`), as an onlooker and as player a read them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.core.views import Event
from engine.fief import FIEF
from engine.fief.face import narrate
from engine.fief.rules.realm.pieces import COMPONENTS, MAP, lore_of
from tests.fief.recorded import events, questions, stays

NAMES = {seat: name for seat, name in zip("abcdef", ("Ann", "Bob", "Cy", "Dora", "Eve", "Finn"), strict=True)}
EACH = 5
"""The most sentences of a kind."""


def test_the_log_reads_as_recorded() -> None:
    said: dict[str, list[str]] = {}
    for event in events():
        sentences = said.setdefault(event.kind, [])
        for reader in (None, "a"):
            sentence = FIEF.words.tell(event, NAMES, reader)
            if len(sentences) < EACH and sentence not in sentences:
                sentences.append(sentence)
    lines = [f"{kind}: {sentence}" for kind in sorted(said) for sentence in said[kind]]
    changed = stays(Path(__file__).with_name("read_aloud.txt"), lines)
    assert not changed, "\n".join(changed)


def test_questions_read_as_recorded() -> None:
    said: dict[str, list[str]] = {}

    def keep(key: str, words: str) -> None:
        kept = said.setdefault(key, [])
        if len(kept) < EACH and words not in kept:
            kept.append(words)

    for ask, option, field, choice in questions():
        if choice:
            keep(f"{ask.kind}.{field}=", narrate.choice_label(ask, option, field, choice, NAMES))
        if field:
            keep(f"{ask.kind}.{option}.{field}", narrate.field_label(ask, option, field, NAMES))
        elif option:
            keep(f"{ask.kind}.{option}", narrate.option_label(ask, option, NAMES))
        else:
            keep(ask.kind, narrate.title_of(ask, NAMES))
            keep(f"{ask.kind} heading", narrate.heading_of(ask, NAMES))
            keep(f"{ask.kind} subject", narrate.subject_of(ask, NAMES))
    lines = [f"{key}: {words}" for key in sorted(said) for words in said[key]]
    changed = stays(Path(__file__).with_name("questions_aloud.txt"), lines)
    assert not changed, "\n".join(changed)


def test_an_election_without_markers_says_so() -> None:  # FF-ELE-4
    facts = {"office": "bishop", "see": 5, "counts": {"Henri": 2}}
    for shown, said in (
        ({"b": ["Henri", ""]}, "Votes: Henri 2 ("),
        ({"b": ["", ""]}, "Nobody voted."),
        ({}, "Nobody voted."),
    ):
        assert FIEF.words.tell(Event("tally", {**facts, "shown": shown}), NAMES, None).startswith(said)


class Translated:
    """A catalogue in which everything has another name."""

    @staticmethod
    def text(section: str, id: str) -> str:
        return f"{section} {id}"


def test_names_of_the_shipped_files_are_translated_and_a_host_s_own_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrate, "WORDS", Translated)
    shipped = (
        ("person", "Jeanne", "Jeanne"),
        ("site", "blaye", "Blaye"),
        ("land", "blaye", "Blaye"),
        ("diocese", "1", lore_of().sees[1].name),
    )
    for section, id, name in shipped:
        assert narrate.called(section, id, name) == f"{section} {id}"
        assert narrate.called(section, id, "Elsewhere") == "Elsewhere"


def test_a_village_of_a_host_s_own_file_has_the_name_that_stands_there() -> None:  # FF-MAP-5
    villages = [{**v, "name": f"Own {v['name']}"} for v in json.loads(MAP)["villages"]]
    own = narrate.names_for({"own": json.dumps({"villages": villages})}, NAMES)
    assert (narrate.village("blaye", own), own["a"]) == ("Own Blaye", "Ann")
    plain = narrate.names_for({}, NAMES)
    assert (narrate.village("blaye", plain), plain) == ("Blaye", NAMES)


def test_what_no_file_names_is_called_by_its_id_and_cards_are_counted() -> None:  # FF-MAP-5
    assert (narrate.village("old_mill", NAMES), narrate.fief("old_mill", NAMES)) == ("Old Mill", "Old Mill")
    assert narrate.word("old_mill", NAMES) == "old mill"
    assert narrate.listed(["justice", "Henri"], NAMES) == f"{narrate.card('justice')}, Henri"


def test_lords_of_a_host_s_file_are_told_by_their_names() -> None:  # FF-MAP-5, FF-INF-3
    lords = json.loads(COMPONENTS)["lords"]
    own = narrate.names_for({"own": json.dumps({"lords": [*lords[1:], {"name": "Zoé d'Or", "sex": "f"}]})}, NAMES)
    assert FIEF.words.tell(Event("discarded", {"seat": "a", "cards": ["Zoe_dOr"]}), own, "b") == "Ann discarded Zoé d'Or."
