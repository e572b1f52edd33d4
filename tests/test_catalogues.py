"""The catalogues of messages: the one of the source is up to date, and those of languages are held to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from babel.core import UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

import translations.__main__ as tool


@pytest.fixture(scope="module")
def source() -> Catalog:
    """The messages that the source has now."""
    return tool.gathered()


def test_the_catalogue_of_the_source_is_up_to_date(source: Catalog) -> None:
    assert tool.TEMPLATE.read_text("utf-8") == tool.as_text(source), "messages have changed: run `make words`"


def test_the_catalogue_has_messages_of_every_kind(source: Catalog) -> None:
    for message in (
        "Skip to the content",  # a page
        "Dear %(name)s,",  # a letter
        "You are signed out.",  # a view
        "A letter from Writ, to see whether it arrives",  # a sentence as data
        "The pause is over.",  # a table of messages
        ("%(num)s day", "%(num)s days"),
    ):
        found = source.get(message if isinstance(message, str) else message[0])
        assert found is not None and found.id == message
    dates = source.get("d MMM y")
    assert dates is not None and any("UTS 35" in hint for hint in dates.auto_comments)


def test_messages_and_the_words_of_games_have_no_faults(source: Catalog) -> None:
    assert [*tool.faults_of_source(source), *tool.faults_of_lore()] == []


def test_no_language_has_faults() -> None:
    assert [fault for path in tool.catalogues() for fault in tool.faults(path)] == []


def test_a_new_language_has_every_message_and_no_fault(
    source: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "HERE", tmp_path)
    path = tool.begin("pl", source)
    fresh = tool._read(path)
    assert {m.id for m in fresh} == {m.id for m in source} and fresh.num_plurals == 3
    assert [*tool.faults(path)] == [] and not tool.update(path, source)
    with pytest.raises(FileExistsError):
        tool.begin("pl", source)
    with pytest.raises(UnknownLocaleError):
        tool.begin("qq", source)


SEATS = ("%(num)s seat of %(all)s", "%(num)s seats of %(all)s")


@pytest.mark.parametrize(
    ("message", "said", "fault"),
    [
        ("You are %(name)s.", "Du bist %(name)s.", ""),
        ("You are %(name)s.", "Du bist wer.", "has the facts"),
        ("You are %(name)s.", "Du bist %(nam)s.", "has the facts"),
        ("%(n)s%% of it", "%(n)s% davon", "percent"),
        ("Nothing", "Nichts", ""),
        (SEATS, ("ein Platz von %(all)s", "%(num)s Plätze von %(all)s"), ""),
        (SEATS, ("ein Platz", "%(num)s Plätze von %(all)s"), "has the facts"),
    ],
)
def test_a_translation_has_the_facts_of_its_message(
    message: str | tuple[str, str], said: str | tuple[str, str], fault: str, tmp_path: Path
) -> None:
    catalogue = Catalog("de")
    catalogue.add(message, said)
    with (tmp_path / "de.po").open("wb") as file:
        write_po(file, catalogue)
    found = "\n".join(tool.faults(tmp_path / "de.po"))
    assert fault in found if fault else not found


def test_the_words_of_a_game_have_the_entries_and_facts_of_the_english_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lore = tmp_path / "engine" / "chess" / "lore"
    lore.mkdir(parents=True)
    lore.joinpath("words.en.toml").write_text(
        '[event]\nmove = "{seat:seat} moves to {to}."\n[amount]\npawn = {one="a pawn", other="{n} pawns"}\n'
    )
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    german = lore / "words.de.toml"
    german.write_text('[event]\nmove = "{seat:seat} zieht."\n[amount]\npawn = {one="ein Bauer", other="{n} Bauern"}\n')
    assert not [*tool.faults_of_lore()]
    german.write_text('[event]\nmove = "{who} zieht."\nmate = "Matt."\n')
    assert [fault.split(": ", 1)[1] for fault in tool.faults_of_lore()] == [
        "event.move has facts that the English one lacks: ['who'].",
        "event.mate is no entry of words.en.toml.",
    ]
