"""A language with cases, genders and more plurals than English: the catalogues in `tests/translated`, in all games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

import translations.__main__ as tool
from engine.core.views import Event
from engine.games import GAMES
from engine.language import i18n
from engine.language.i18n import language, speaking
from engine.language.words import Named, say
from service.common.dates import Span
from service.common.i18n import for_templates, gettext, ngettext, together
from service.common.messages import as_text, nsentence, read, sentence

TRANSLATED = Path(__file__).with_name("translated")
NAMES = {"a": "Anna", "b": "Bartek"}


@pytest.fixture(autouse=True)
def polish(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(i18n, "TRANSLATIONS", TRANSLATED)
    with speaking("pl"):
        yield


def told(game: str, kind: str, **facts: Any) -> str:
    return GAMES[game].words.tell(Event(kind, facts), NAMES, None)


def test_the_catalogues_have_no_faults() -> None:
    source = tool.gathered()
    assert [fault for path in tool.catalogues(TRANSLATED) for fault in tool.faults(path, source)] == []
    known = {(m.context, m.id) for m in source.catalogue}
    for path in tool.catalogues(TRANSLATED):
        assert [m.id for m in tool._read(path) if (m.context, m.id) not in known] == [], "each is a message of the source"


@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        ("drew", {"count": 1}, "Anna dobiera 1 kartę."),
        ("drew", {"count": 2}, "Anna dobiera 2 karty."),
        ("drew", {"count": 5}, "Anna dobiera 5 kart."),
        ("drew", {"count": 22}, "Anna dobiera 22 karty."),
        ("cut_off", {"count": 1, "slot": "C2"}, "Odcięty od zaopatrzenia ginie 1 rycerz gracza Anna (C2)."),
        ("cut_off", {"count": 3, "slot": "C2"}, "Odcięci od zaopatrzenia giną 3 rycerze gracza Anna (C2)."),
        ("cut_off", {"count": 12, "slot": "C2"}, "Odciętych od zaopatrzenia ginie 12 rycerzy gracza Anna (C2)."),
        ("vacated", {"tile": "Forest", "slot": "C2"}, "Las (C2) jest wolny."),
        ("vacated", {"tile": "Village", "slot": "C2"}, "Wioska (C2) jest wolna."),
        ("vacated", {"tile": "City", "slot": "C2"}, "Miasto (C2) jest wolne."),
        ("vacated", {"tile": "Mountains", "slot": "C2"}, "Góry (C2) są wolne."),
    ],
)
def test_medieval_mastery_counts_and_agrees(kind: str, facts: dict[str, Any], said: str) -> None:
    assert told("mastery", kind, seat="a", **facts) == said


@pytest.mark.parametrize(
    ("tile", "n", "said"),
    [
        ("Village", 1, "Anna atakuje Wioskę (C2) z 1 rycerzem."),
        ("Forest", 4, "Anna atakuje Las (C2) z 4 rycerzami."),
    ],
)
def test_the_case_reaches_the_noun_inside_a_phrase(tile: str, n: int, said: str) -> None:
    assert told("mastery", "attacked", seat="a", defender="b", tile=tile, slot="C2", count=n) == said


@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        ("excommunicated", {"lord": "Arthur"}, "Artur zostaje ekskomunikowany."),
        ("excommunicated", {"lord": "Blanche"}, "Blanche zostaje ekskomunikowana."),
        ("ransomed", {"captor": "b", "sum": 1, "lord": "Arthur"}, "Anna płaci graczowi Bartek 1 denara: Artur jest wolny."),
        ("ransomed", {"captor": "b", "sum": 3, "lord": "Blanche"}, "Anna płaci graczowi Bartek 3 denary: Blanche jest wolna."),
        ("inherited", {"lord": "Blanche", "fief": "bourg"}, "Blanche dziedziczy tytuł Księstwa Bourg."),
    ],
)
def test_fief_has_lords_of_both_genders_and_titles_in_the_genitive(kind: str, facts: dict[str, Any], said: str) -> None:
    assert told("fief", kind, seat="a", **facts) == said


def test_ortus_has_cards_in_the_accusative() -> None:
    assert told("ortus", "placed", seat="a", card="Land/a", fief=2) == "Anna umieszcza Ziemię w lennie 2."
    assert told("ortus", "placed", seat="a", card="Church/a", fief=2) == "Anna umieszcza Kościół w lennie 2."
    assert told("ortus", "prize", seat="a", loser="b", card="Knight") == "Anna odbiera Rycerza graczowi Bartek."
    assert told("ortus", "towers_own", seat="a", count=1, cards=["Land/a"]) == "Anna stawia wieżę: Ziemię."
    cards = ["Knight", "Knight", "Land/a"]
    assert told("ortus", "towers_own", seat="a", count=3, cards=cards) == "Anna stawia 3 wieże: 2 Rycerzy i Ziemię."
    cards = ["Knight"] * 5
    assert told("ortus", "towers_own", seat="a", count=5, cards=cards) == "Anna stawia 5 wież: 5 Rycerzy."
    legacy = [GAMES["ortus"].words.catalogue.amount("legacy", n) for n in (1, 2, 5)]
    assert legacy == ["Pozostał 1 punkt dziedzictwa", "Pozostały 2 punkty dziedzictwa", "Pozostało 5 punktów dziedzictwa"]


def test_the_service_has_them_too() -> None:
    seats = [
        nsentence(
            "%(num)s seat is still to be taken; then the game starts by itself.",
            "%(num)s seats are still to be taken; then the game starts by itself.",
            n,
        )
        for n in (1, 2, 5)
    ]
    assert [str(said).partition(";")[0] for said in seats] == [
        "Wolne jest jeszcze 1 miejsce",
        "Wolne są jeszcze 2 miejsca",
        "Wolnych jest jeszcze 5 miejsc",
    ]
    day = 86400
    assert str(sentence("%(span)s a turn", span=Span(day))) == "1 dzień na turę"
    assert str(sentence("time banks of up to %(span)s", span=Span(day))) == "zapas czasu do 1 dnia"
    assert str(read(as_text(sentence("time banks of up to %(span)s", span=Span(3 * day))))) == "zapas czasu do 3 dni"
    assert together(["Anna", "Bartek"]) == "Anna i Bartek" and gettext("Dear %(name)s,", name="Anna") == "Cześć, Anna!"


def test_the_kernel_refuses_in_it() -> None:
    assert str(say("ask.picked", field="karty", n=3, bounds=[1, 2])) == "W „karty” wybrano 3; trzeba wybrać 1 or 2."
    assert str(say("ask.picked", field="karty", n=3, bounds=[1, 5])) == "W „karty” wybrano 3; trzeba wybrać od 1 do 5."


def test_a_template_has_them_and_escapes_what_people_wrote() -> None:
    environment = Environment(autoescape=True)
    for_templates(environment)
    page = environment.from_string(
        "{% trans %}Dear {{ name }},{% endtrans %} {{ _('time banks of up to %(span)s', span=span) }} "
        "{% trans num=n %}{{ num }} day{% pluralize %}{{ num }} days{% endtrans %} {{ _('Not said: %(x)s, 5%%', x=name) }}"
    )
    said = page.render(name="<b>&", span=Span(86400), n=1)
    assert said == "Cześć, &lt;b&gt;&amp;! zapas czasu do 1 dnia 1 dzień Not said: &lt;b&gt;&amp;, 5%"


def test_slovenian_has_four_forms_of_whole_numbers() -> None:
    with speaking("sl"):
        assert [told("mastery", "drew", seat="a", count=n) for n in (1, 2, 3, 5, 101, 102)] == [
            "Anna povleče 1 karto.",
            "Anna povleče 2 karti.",
            "Anna povleče 3 karte.",
            "Anna povleče 5 kart.",
            "Anna povleče 101 karto.",
            "Anna povleče 102 karti.",
        ]
        assert [ngettext("%(num)s day", "%(num)s days", n) for n in (1, 2, 3, 5)] == ["1 dan", "2 dneva", "3 dnevi", "5 dni"]


def test_a_faulty_translation_reads_as_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (TRANSLATED / "pl.po").read_text("utf-8")
    for right, wrong in (("{count.acc:cards}", "{number.acc:cards}"), ("Cześć, {name}!", "Cześć, {nazwa}!"), ("zostaje", "{")):
        assert right in text
        text = text.replace(right, wrong)
    (tmp_path / "pl.po").write_text(text, "utf-8")
    monkeypatch.setattr(i18n, "TRANSLATIONS", tmp_path)
    assert told("mastery", "drew", seat="a", count=2) == "Anna drew 2 karty."
    assert told("fief", "excommunicated", lord="Arthur") == "Artur was excommunicated."
    assert gettext("Dear %(name)s,", name="Anna") == "Dear Anna," and language() == "pl"


def test_a_translation_calls_the_reader_you_in_variants_of_its_own() -> None:
    """English says "you" wherever a seat stands; other verbs have persons, so a message without a variant shows the name."""
    event = Event("drew", {"seat": "a", "count": 2})
    assert GAMES["mastery"].words.tell(event, NAMES, "a") == "Dobierasz 2 karty."
    assert GAMES["mastery"].words.tell(event, NAMES, "b") == "Anna dobiera 2 karty."
    with speaking("sl"):
        assert GAMES["mastery"].words.tell(event, NAMES, "a") == "Anna povleče 2 karti."


def test_a_translation_inflects_by_a_seat_s_pronoun() -> None:
    moved = Event("reshuffled", {"seat": "a"})
    names = Named(NAMES)
    assert GAMES["mastery"].words.tell(moved, names, None) == "Anna tasuje swoje odrzucone karty."
    names.pronouns = {"a": "she"}
    assert GAMES["mastery"].words.tell(moved, names, None) == "Anna przetasowała swoje odrzucone karty."
