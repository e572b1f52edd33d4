"""Catalogues, the language that is spoken, and sentences as data."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engine.core.asks import Answer, Ask, NotLegal, NotUnderstood, Option, Refused, check
from engine.core.views import Event
from engine.games import GAMES
from engine.language.i18n import Miswritten, language, made_up, speaking
from engine.language.words import KERNEL, Catalogue, Message, Missing, plain, read_said, say
from engine.text.telling import teller
from tests.marked import PseudoLocale
from tests.toy_game import FAIR

ENGLISH = """
[list.queue]
none = "nobody"
two = "{a}, then {b}"
middle = "{a}; {b}"
end = "{a}; last {b}"
most = 4
more = "{list} and so on"

[amount]
points = "{n} points each"

[amount.knights]
one = "1 knight"
other = "{n} knights"

[amount.lost]
0 = ""
one = " {n:knights} of {seat:seat} is lost."
other = " {n:knights} of {seat:seat} are lost."

[phrase]
hand = "{who:seat}: {cards:kinds|comma}"

[kinds.Knight]
one = "Knight"
other = "{n} Knights"

[kinds]
King = "King Card"
Hat = "Hat"

[event]
plain = "Nothing happens: {{}}."
gained = "{who:seat|capital} gains {count:knights}.{lost:lost}"
queue = "In line: {seats:seat|queue}."
hands = "Shown: {hands:hand|semicolon}."
worth = "It is worth {points:points|comma}."
own = "{card:mine} is drawn."
bare = "{a} beside {b}"

[event.over]
by = "how"
last = "{who:seat} is left."
other = "It is over ({how})."

[refusal]
too_few = "{seat:seat} has {count:knights}, not {wanted}."
nested = "At {place}: {reason:said}"
"""
POLISH = """
msgid ""
msgstr ""
"Language: pl\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"

msgctxt "SHIRE.amount.knights"
msgid "1 knight"
msgid_plural "{n} knights"
msgstr[0] "{n} rycerz"
msgstr[1] "{n} rycerze"
msgstr[2] "{n} rycerzy"

msgctxt "SHIRE.event.bare"
msgid "{a} beside {b}"
msgstr "{b} obok {a}"

msgctxt "SHIRE.kinds.Hat"
msgid "Hat"
msgstr ""
"Kapelusz\\n"
"[gen] Kapelusza\\n"
"[gender] m"

msgctxt "SHIRE.phrase.hand"
msgid "{who:seat}: {cards:kinds|comma}"
msgstr ""
"{who:seat} nie ma: {cards.gen:kinds|comma}\\n"
"[cards.gender=m, who=b] Bob nie ma {cards.gen:kinds|comma}, bo to {cards.gender:kinds|comma} {who}"
"""


@pytest.fixture
def shire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    """The words of a package of ours, in English and a little Polish."""
    lore = tmp_path / f"shire_{tmp_path.name}" / "lore"
    lore.mkdir(parents=True)
    (lore.parent / "__init__.py").touch()
    (lore / "words.en.toml").write_text(ENGLISH, "utf-8")
    (lore / "pl.po").write_text(POLISH.replace("SHIRE", lore.parent.name), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return Catalogue(lore.parent.name, forms={"mine": lambda card, names: f"{card} of {names.get('a', 'nobody')}"})


def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Catalogue:
    lore = tmp_path / f"odd_{tmp_path.name}" / "lore"
    lore.mkdir(parents=True)
    (lore.parent / "__init__.py").touch()
    (lore / "words.en.toml").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return Catalogue(lore.parent.name)


# --- the language -----------------------------------------------------------------------------------------------------


def test_english_is_spoken_until_somebody_says_otherwise() -> None:
    assert language() == "en"
    with speaking("de"):
        assert language() == "de"
        with speaking("pl"):
            assert language() == "pl"
        assert language() == "de"
    assert language() == "en"


def test_every_thread_speaks_for_itself() -> None:
    heard: list[str] = []
    with speaking("de"):
        thread = threading.Thread(target=lambda: heard.append(language()))
        thread.start()
        thread.join()
    assert heard == ["en"]


# --- entries ----------------------------------------------------------------------------------------------------------


def test_facts_are_put_into_words_as_the_entry_says(shire: Catalogue) -> None:
    names = {"a": "anna", "b": "Bob"}
    assert shire.text("event", "plain") == "Nothing happens: {}."
    assert shire.text("event", "bare", {"a": 1, "b": [2]}) == "1 beside [2]"
    facts = {"who": "a", "count": 1, "lost": 0, "seat": "a"}
    assert shire.text("event", "gained", facts, names) == "Anna gains 1 knight."
    assert shire.text("event", "gained", facts | {"count": 2, "lost": 1}, names) == (
        "Anna gains 2 knights. 1 knight of anna is lost."
    )
    assert shire.text("event", "gained", facts | {"lost": 3}) == "A gains 1 knight. 3 knights of A are lost."
    assert shire.text("event", "own", {"card": "Land"}, names) == "Land of anna is drawn."
    assert shire.text("event", "worth", {"points": [1, 2]}) == "It is worth 1 points each, 2 points each."


def test_a_teller_says_an_event_with_its_facts_and_the_names(shire: Catalogue) -> None:
    event = Event("gained", {"who": "a", "count": 2, "lost": {"n": 0, "seat": "b"}})
    assert teller(shire)(event, {"a": "Anna"}, None) == shire.text("event", "gained", event.facts, {"a": "Anna"})
    assert teller(shire)(event, {"a": "Anna"}, None).startswith("Anna gains 2 knights.")


def test_lists_are_joined_as_the_entry_says(shire: Catalogue) -> None:
    def queue(seats: str) -> str:
        return shire.text("event", "queue", {"seats": list(seats)}, {"a": "Ann"})

    assert [queue(s) for s in ("", "a", "ab", "abc")] == [
        "In line: nobody.",
        "In line: Ann.",
        "In line: Ann, then B.",
        "In line: Ann; B; last C.",
    ]
    assert queue("abcd") == "In line: Ann; B; C; last D."
    assert queue("abcde") == "In line: Ann; B; C; D and so on."
    assert shire.listed("and", ["x", "y", "z"]) == "x, y and z"
    assert [shire.amount("knights", n) for n in (0, 1, 2)] == ["0 knights", "1 knight", "2 knights"]


def test_items_of_a_list_are_formed_each_by_its_own_phrase(shire: Catalogue) -> None:
    hands = [{"who": "a", "cards": ["Knight", "King", "Knight", "Hat", "Hat"]}, {"who": "b", "cards": []}]
    assert shire.text("event", "hands", {"hands": hands, "n": 1}) == "Shown: A: 2 Knights, King Card, 2 × Hat; B: nothing."


def test_an_entry_chooses_by_a_fact(shire: Catalogue) -> None:
    assert shire.text("event", "over", {"how": "last", "who": "b"}) == "B is left."
    assert shire.text("event", "over", {"how": "draw"}) == "It is over (draw)."


def test_another_language_has_its_own_plurals_and_its_own_order_and_falls_back_key_by_key(shire: Catalogue) -> None:
    with speaking("pl"):
        assert [shire.amount("knights", n) for n in (1, 2, 5, 22, 25)] == [
            "1 rycerz",
            "2 rycerze",
            "5 rycerzy",
            "22 rycerze",
            "25 rycerzy",
        ]
        assert shire.text("event", "bare", {"a": 1, "b": 2}) == "2 obok 1"
        assert shire.text("event", "gained", {"who": "a", "count": 2, "lost": 0, "seat": "a"}) == "A gains 2 rycerze."
        assert shire.amount("lost", 0) == ""
    with speaking("fr"):
        assert shire.amount("knights", 2) == "2 knights"


def test_a_word_has_forms_and_is_counted_as_in_english(shire: Catalogue) -> None:
    def hands(who: str, *cards: str) -> str:
        return shire.text("event", "hands", {"hands": [{"who": who, "cards": cards}]})

    with speaking("pl"):
        assert hands("a", "Hat") == "Shown: A nie ma: Kapelusza."
        assert hands("a", "Hat", "Hat", "King") == "Shown: A nie ma: 2 × Kapelusza, King Card."
        assert hands("b", "Hat") == "Shown: Bob nie ma Kapelusza, bo to m b."
        assert hands("b", "King") == "Shown: B nie ma: King Card."


def marked(text: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda word: f"‹{word[0]}›", text)


def test_a_language_can_be_made_up_from_the_english_one(shire: Catalogue) -> None:
    facts = {"who": "a", "count": 2, "lost": 0, "seat": "a"}
    with speaking("xx"):
        assert shire.text("event", "gained", facts) == "A gains 2 knights."
    with made_up("xx", PseudoLocale(marked)), speaking("xx"):
        assert shire.text("event", "gained", facts) == "A ‹gains› 2 ‹knights›."
        assert shire.text("event", "queue", {"seats": list("abc")}) == "‹In› ‹line›: A; B; ‹last› C."
        assert shire.text("event", "plain") == "‹Nothing› ‹happens›: {}."
        assert str(say("play.seat_not_asked", seat="d")) == "‹Seat› d ‹is› ‹not› ‹asked› ‹here›."
        assert KERNEL.listed("choices", [str(i) for i in range(14)]).endswith("11 …")
    with speaking("xx"):
        assert shire.text("event", "gained", facts) == "A gains 2 knights."


# --- mistakes ---------------------------------------------------------------------------------------------------------


def test_what_a_program_does_wrong_with_words_is_said(shire: Catalogue) -> None:
    wrongs: list[tuple[Callable[[], object], str]] = [
        (lambda: shire.text("event", "flight"), "words.en.toml: there is no entry “flight” in the section “event”."),
        (lambda: shire.text("bird", "flight"), "there is no entry “flight” in the section “bird”."),
        (lambda: shire.text("event", "bare", {"a": 1}), "event.bare: there is no fact 'b' here; there are: a."),
        (lambda: shire.text("event", "gained"), "event.gained: there is no fact 'who' here; there are: no facts."),
        (lambda: str(say("nowhere.at_all")), "There are no words of “nowhere”"),
    ]
    for wrong, sentence in wrongs:
        with pytest.raises(Missing) as problem:
            wrong()
        assert re.search(sentence, str(problem.value)), str(problem.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[event]\nx = "{a:flock}"', "event.x: there is no form “flock”"),
        ('[event]\nx = "{a"', "event.x: expected '}'"),
    ],
)
def test_what_a_translator_does_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, sentence: str
) -> None:
    with pytest.raises(Miswritten, match=sentence):
        written(tmp_path, monkeypatch, text).text("event", "x", {"a": 1})


def test_a_choice_needs_an_answer_for_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = written(tmp_path, monkeypatch, '[amount.knights]\none = "1 knight"\n[list.bare]\n[event]\nx = "{a:bare}"')
    assert words.amount("knights", 1) == "1 knight"
    with pytest.raises(Miswritten, match="it says nothing for “2”, and has no “other”"):
        words.amount("knights", 2)
    with pytest.raises(Miswritten, match="no word for an empty list"):
        words.text("event", "x", {"a": []})


# --- sentences as data ------------------------------------------------------------------------------------------------


def test_a_sentence_is_kept_as_data_and_read_back() -> None:
    sentence = say("ask.picked", field="cards", n=3, bounds=[1, 2])
    assert str(sentence) == "“cards” takes 1 or 2, not 3."
    stored = msgspec.json.decode(msgspec.json.encode(sentence.stored()))
    assert stored == {"code": "ask.picked", "facts": {"field": "cards", "n": 3, "bounds": [1, 2]}}
    assert read_said(stored) == sentence
    assert read_said(plain("As it is.").stored()) == plain("As it is.")


def test_a_game_says_its_sentences_by_its_own_words_and_with_names(shire: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "shire", replace(FAIR, words=replace(FAIR.words, catalogue=shire)))
    sentence = say("shire.too_few", seat="a", count=1, wanted=3)
    assert str(sentence) == "A has 1 knight, not 3." and sentence.text({"a": "Ann"}) == "Ann has 1 knight, not 3."
    nested = say("shire.nested", place="F2", reason=sentence)
    assert nested.text({"a": "Ann"}) == "At F2: Ann has 1 knight, not 3."
    assert str(say("shire.event.bare", a=1, b=2)) == "1 beside 2"


def test_texts_that_are_laid_out_early_are_said_late(shire: Catalogue) -> None:
    line, lines = shire.line("amount", "knights", {"n": 2}), shire.lines("kinds", ["Hat"])
    assert (str(line), dict(lines), len(lines)) == ("2 knights", {"Hat": "Hat"}, 1)
    with speaking("pl"):
        assert str(line) == "2 rycerze"
    with pytest.raises(KeyError):
        lines["King"]


def test_a_sentence_may_be_a_part_of_another() -> None:
    inner = say("position.no_pair", text="x")
    outer = say("position.line", line=3, reason=inner)
    assert str(read_said(outer.stored())) == str(outer) == "Line 3: “x” isn't `key: value`."
    assert str(say("position.line", line=3, reason=plain("it can't."))) == "Line 3: it can't."


def test_a_refusal_carries_its_sentence_as_data() -> None:
    ask = Ask("a", "bid", (Option("pass"), Option("bid")), Answer("pass"))
    with pytest.raises(NotLegal) as refused:
        check(ask, Answer("fly"))
    assert refused.value.said == Message("ask.no_such_option", {"id": "fly", "options": ["pass", "bid"]})
    assert str(refused.value) == "“fly” is not open to you here. You can: pass, bid."
    with made_up("xx", PseudoLocale(marked)), speaking("xx"):
        assert str(refused.value) == "“fly” ‹is› ‹not› ‹open› ‹to› ‹you› ‹here›. ‹You› ‹can›: pass, bid."


def test_a_refusal_may_be_given_as_plain_words() -> None:
    refusal: Refused = NotUnderstood("As it is.")
    assert refusal.said == plain("As it is.") and refusal.said.text({"a": "Ann"}) == "As it is."


def test_a_section_can_be_gone_through() -> None:
    assert KERNEL.has("read", "pair") and not KERNEL.has("read", "pears")
    assert KERNEL.keys("shuffled") == ["not_told", "drawn", "given", "both"]
