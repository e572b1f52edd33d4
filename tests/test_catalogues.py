"""The catalogues of messages: the one of the source is up to date, and those of languages are held to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.core import UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

import translations.__main__ as tool
from engine.language import i18n
from engine.language.words import CATALOGUES


@pytest.fixture(scope="module")
def source() -> tool.Source:
    """The messages that the source has now."""
    return tool.gathered()


def test_the_catalogue_of_the_source_is_up_to_date(source: tool.Source) -> None:
    assert tool.TEMPLATE.read_text("utf-8") == tool.as_text(source), "messages have changed: run `make words`"


def test_the_catalogue_has_messages_of_every_kind(source: tool.Source) -> None:
    for message in (
        "Skip to the content",  # a page
        "Dear {name},",  # a letter
        "You are signed out.",  # a view
        "A letter from Writ, to see whether it arrives",  # a sentence as data
        "The pause is over.",  # a table of messages
        ("{num} day", "{num} days"),
    ):
        found = source.catalogue.get(message if isinstance(message, str) else message[0])
        assert found is not None and found.id == message
    dates = source.catalogue.get("d MMM y")
    assert dates is not None and any("UTS 35" in hint for hint in dates.auto_comments)


def test_the_catalogue_has_the_words_of_games_with_an_example_of_each(source: tool.Source) -> None:
    for context, message, comments in (
        ("mastery.event.drew", "{seat:subject} drew {count:cards}.", ["Example: Anna drew 2 cards."]),
        ("mastery.amount.cards", ("1 card", "{n} cards"), ["Example: 3 cards"]),
        ("mastery.event.result.True", None, None),
        ("fief.event.first_lord", "{seat:subject} drew {lord:lord}.", ["Example: Anna drew Blanche."]),
        ("ortus.decks.group.face_group", None, None),
        ("engine.list.and.two", "{a} and {b}", None),
        ("mastery.tile.Fort", "Fort", []),
    ):
        found = [m for m in source.catalogue if m.context == context]
        assert len(found) == 1, context
        assert message is None or found[0].id == message
        assert comments is None or found[0].auto_comments == comments
    with_facts = [m for m in source.catalogue if m.id and i18n.facts_of(tool._texts(m.id)[-1])]
    assert len(with_facts) > 2000
    assert [m.id for m in with_facts if not any(c.startswith("Example: ") for c in m.auto_comments)] == []


def test_the_messages_of_the_source_have_no_faults(source: tool.Source) -> None:
    assert source.faults == []


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        (["%(n)s% of it"], "x.py: “%(n)s% of it” has a percent sign beside its facts; write it as %%."),
        (["%(who)s has one", "%(num)s have one"], "x.py: “%(who)s has one” has facts that its plural lacks."),
        (["%(n)s%% of it"], ""),
    ],
)
def test_a_message_that_can_not_be_formatted_is_a_fault(texts: list[str], fault: str) -> None:
    assert [*tool._stray("x.py", texts)] == ([fault] if fault else [])


def test_no_language_has_faults(source: tool.Source) -> None:
    assert [fault for path in tool.catalogues() for fault in tool.faults(path, source)] == []


def test_a_new_language_has_every_message_and_no_fault(source: tool.Source, tmp_path: Path) -> None:
    path = tool.begin("pl", source, tmp_path)
    fresh = tool._read(path)
    assert {(m.context, m.id) for m in fresh} == {(m.context, m.id) for m in source.catalogue} and fresh.num_plurals == 3
    assert [*tool.faults(path, source)] == [] and not tool.update(path, source)
    with pytest.raises(FileExistsError):
        tool.begin("pl", source, tmp_path)
    with pytest.raises(UnknownLocaleError):
        tool.begin("qq", source, tmp_path)


SEATS = ("{num} seat of {all}", "{num} seats of {all}")
DREW = "{seat:subject} drew {count:cards}."
CARDS = ("1 card", "{n} cards")


@pytest.mark.parametrize(
    ("context", "message", "said", "fault"),
    [
        (None, "Dear {name},", "Liebe(r) {name},", ""),
        (None, "Dear {name},", "Hallo,", "“Hallo,” lacks the facts name."),
        (None, "Dear {name},", "Hallo {nam},", "there is no fact “nam”; there are: name."),
        (None, "Dear {name},", "Hallo {name", "expected '}' before end of string."),
        (None, "Dear {name},", "Hallo {name:seat}", "there is no way “seat” in the service's messages."),
        (None, "{n}% of it", "{n}% davon", ""),
        (None, SEATS, ("ein Platz von {all}", "{num} Plätze von {all}"), ""),
        (None, SEATS, ("ein Platz", "{num} Plätze von {all}"), "“ein Platz” lacks the facts all."),
        ("mastery.event.drew", DREW, "{seat:seat|capital} zieht {count:cards}.", ""),
        ("mastery.event.drew", DREW, "{seat:seat|capital} zieht Karten.", "lacks the facts count."),
        ("mastery.event.drew", DREW, "{seat:seat|capital} zieht {count:Karten}.", "there is no form “Karten”, in no list"),
        ("mastery.event.drew", DREW, "{seat:seat} zieht {count.acc:cards}.", "no message has a form “acc”."),
        ("mastery.event.drew", DREW, "{seat:seat} zieht {count:cards}.\n[count=few] {seat:seat}.", "“few” is no plural"),
        ("mastery.event.drew", DREW, "{seat:seat} zieht {count:cards}.\n[count=one] {seat:seat} zieht.", ""),
        ("mastery.event.drew", DREW, "{seat:seat} zieht {count:cards}.\n[n=one] {seat:seat}.", "there is no fact “n”;"),
        ("mastery.amount.cards", CARDS, ("eine Karte", "{n} Karten\n[dat] {n} Karten"), ""),
    ],
)
def test_what_is_wrong_with_a_translation_is_told_with_its_file_line_and_message(
    context: str | None,
    message: str | tuple[str, str],
    said: str | tuple[str, str],
    fault: str,
    tmp_path: Path,
    source: tool.Source,
) -> None:
    known = tool.Source()
    known.add((message,) if isinstance(message, str) else message, "x.py", set())
    catalogue = Catalog("de")
    catalogue.add(message, said, context=context)
    with (tmp_path / "de.po").open("wb") as file:
        write_po(file, catalogue)
    found = "\n".join(tool.faults(tmp_path / "de.po", source if context or message == "Dear {name}," else known))
    first, said_in = message if isinstance(message, str) else message[0], f" ({context})" if context else ""
    where = re.escape(f"“{first}”{said_in}: ")
    assert (re.match(rf"de\.po:\d+: {where}", found) and fault in found) if fault else not found


def test_a_flag_that_other_tools_check_by_is_left_where_they_can(source: tool.Source, tmp_path: Path) -> None:
    catalogue = Catalog("pl")
    catalogue.add("{seat} comes", "{seat} przychodzi")
    catalogue.add("{seat} goes", "{seat.gen} nie ma")
    catalogue.add("{seat:seat} draws", "{seat:seat} dobiera")
    flagged = {m.id for m in catalogue if m.python_brace_format}
    tool._written(catalogue)
    assert flagged and [m.id for m in catalogue if "python-brace-format" in m.flags and m.id] == ["{seat} comes"]


def test_a_game_from_elsewhere_has_its_translations_beside_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lore = tmp_path / "chess_of_ours" / "lore"
    lore.mkdir(parents=True)
    (lore / "words.en.toml").write_text(
        '[event]\nmove = "{seat:seat} moves to {to}."\n[amount]\npawn = {one="a pawn", other="{n} pawns"}\n'
    )
    (lore.parent / "__init__.py").write_text("from engine.language.words import Catalogue\nWORDS = Catalogue(__name__)\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = tool.TEMPLATE.read_text("utf-8")
    assert tool.main(["de", "--game", "chess_of_ours"]) == 0
    assert "0 of 2 messages are said" in capsys.readouterr().out
    po = lore / "de.po"
    po.write_text(
        po.read_text("utf-8").replace('moves to {to}."\nmsgstr ""', 'moves to {to}."\nmsgstr "{seat:seat} zieht nach {to}."')
    )
    assert tool.main(["--game", "chess_of_ours"]) == 0 and tool.TEMPLATE.read_text("utf-8") == before
    with i18n.speaking("de"):
        assert CATALOGUES["chess_of_ours"].text("event", "move", {"seat": "a", "to": "e4"}) == "A zieht nach e4."
    del CATALOGUES["chess_of_ours"]
