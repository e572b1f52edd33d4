"""What people write is taken from whatever keyboard it comes; what can't be shown, or misleads, is not."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.core.asks import NotUnderstood
from service.common import text_input
from service.log import names
from service.people import accounts

FAMILY, WIZARD, SCOTLAND = (
    "👨\u200d👩\u200d👧",
    "🧙\u200d♂\ufe0f",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
)
NEWER = "\U0001fae9"
"""A face of Unicode 16, which Python 3.11 doesn't know."""


@pytest.mark.parametrize("text", [FAMILY, WIZARD, SCOTLAND, NEWER, "می\u200cروم", "Très bien !", "a\n\tb", "שלום", "हिन्दी"])
def test_every_language_and_emoji_is_kept_as_it_is(text: str) -> None:
    assert text_input.lines(text) == text and not text_input.unfit(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Très bien\u00a0!\u202fOui", "Très bien ! Oui"),
        ("one\r\ntwo\rthree\x0bfour\u2028five\x85", "one\ntwo\nthree\nfour\nfive"),
        ("\ufeffGood\u200b day\u00ad", "Good day"),
        ("\u200fשלום\u200e", "שלום"),
        ("a  \n\n  b \u00a0", "a\n\n  b"),
    ],
)
def test_spaces_line_ends_and_marks_become_plain(text: str, kept: str) -> None:
    assert text_input.lines(text) == kept and not text_input.unfit(kept)


@pytest.mark.parametrize("text", ["a\x00b", "\x1b[31m", "\ud800", "\ue000", "\ufffe", "\ufdd0", "a\u202eb", "\x85", "\u2028"])
def test_what_can_not_be_shown_or_turns_is_unfit(text: str) -> None:
    assert text_input.unfit(text)


@given(st.text())
@example("\r\r\n\u2028 \u202e")
def test_what_is_kept_stays_so(text: str) -> None:
    once = text_input.lines(text)
    assert text_input.lines(once) == once
    assert all(line == line.rstrip() for line in once.split("\n"))
    assert text_input.in_a_line(text_input.in_a_line(text)) == text_input.in_a_line(text)


@pytest.mark.parametrize("name", [f"Bert {WIZARD}", f"{FAMILY} of St\u00a0Albans", SCOTLAND, NEWER])
def test_a_name_may_hold_an_emoji(name: str) -> None:
    assert accounts.clean_name(name) == name.replace("\u00a0", " ")


@pytest.mark.parametrize(
    "name", ["\u3164", "\u200b", "\u2800 \u115f", "\ufeff", "\u200d", "\ufe0f", "\u034f", "\u17b5", "\U000e0041", "\u0301"]
)
def test_a_name_of_which_nothing_is_to_be_seen_is_none(name: str) -> None:
    with pytest.raises(NotUnderstood, match="empty"):
        accounts.clean_name(name)


@pytest.mark.parametrize("name", ["Anna\ufe0f", "An\u200dna", "Anna\u200c", "\u200dAnna", "Ánna", "ＡＮＮＡ", "Anna\u034f"])
def test_nobody_bears_a_name_that_looks_like_another_s(name: str) -> None:
    assert names.distinct(name, ["Anna"], "b") == f"{name} (b)"


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Аnna", "Anna"),  # Cyrillic A
        ("Αnna", "Anna"),  # Greek Alpha
        ("Annа", "Anna"),  # Cyrillic a
        ("АNNА", "Anna"),
        ("Аnnа", "AnnA"),
        ("ВОВ", "Bob"),
        ("Вόb", "Bob"),
        ("AnnI", "Annl"),
        ("Ann1", "AnnI"),
        ("Ann|", "Annl"),
        ("AnnІ", "Annl"),  # Cyrillic I
        ("Anıa", "Ania"),
        ("B0B", "Bob"),
        ("Вера", "ВЕРА"),
        ("ꓐꓳꓐ", "BOB"),  # Lisu
        ("Ꭺnna", "Anna"),  # Cherokee
        ("Aոոa", "Anna"),  # Armenian
    ],
)
def test_nobody_bears_a_name_in_letters_that_look_like_another_s(name: str, other: str) -> None:
    assert names.distinct(name, [other], "b") == f"{name} (b)"
    assert names.distinct(other, [name], "b") == f"{other} (b)"


@pytest.mark.parametrize("name", ["You", "YOU", "Yоu", "The host", "the  table"])
def test_nobody_bears_a_name_that_speaks_for_the_reader_the_host_or_all(name: str) -> None:
    assert names.distinct(name, [], "b") == f"{name} (b)"
    assert names.distinct("Young", ["Hostess"], "b") == "Young"


def test_names_of_any_script_stay_as_they_are_beside_others() -> None:
    table = [
        "Anna",
        "Анна",
        "Άννα",
        "Ian",
        "Lan",
        "Нина",
        "Hina",
        "Вера",
        "Bера́н",
        "Νίκος",
        "Nikos",
        "Lily",
        "Ali",
        "All",
        "安娜",
    ]
    for name in table:
        assert names.distinct(name, [other for other in table if other != name], "b") == name


ZALGO = "A" + "\u0301\u0302\u0303\u0304\u0335" + "nna"


@pytest.mark.parametrize(
    "text", ["é", "ế", "e\u0302\u0301\u0323", "שָׁ֑לוֹם", "اللَّٰه", "กี่", "हिन्दी", SCOTLAND, FAMILY, "1\ufe0f\u20e3"]
)
def test_three_marks_on_a_letter_are_script(text: str) -> None:
    assert not text_input.piled(text) and accounts.clean_name(text)


@pytest.mark.parametrize(
    "text",
    [
        ZALGO,
        "a\u0337\u0338\u0336\u0335",
        "a\u0337\u0338\u200d\u0336\u0335",
        "a" + "\u034f" * 4,
        "a" + "\u20dd" * 4,
        "\u0301" * 4,
    ],
)
def test_more_marks_on_a_letter_are_refused_in_names(text: str) -> None:
    assert text_input.piled(text)
    for what in ("name", "name of the game", "name of the deck"):
        with pytest.raises(NotUnderstood, match="three marks on one letter"):
            accounts.clean_name(text, what)
