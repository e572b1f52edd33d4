"""Links that open the turn page with an answer begun, and the files that every page is drawn with."""

from __future__ import annotations

import re

from werkzeug.datastructures import MultiDict

from engine.core.asks import Answer
from engine.games import GAMES
from engine.ui.forms import Form, FormChoice, FormOption, NumberField, OneField, RowsField, SomeField, describe
from service.settings import Settings
from service.web import files, presets
from tests.ortus.scene import Scene
from tests.service.web.conftest import Visitor
from tests.service.web.test_turn import answer, entries, started, table  # noqa: F401  (fixtures)


def _choices(*ids: str) -> list[FormChoice]:
    return [FormChoice(id, id, 1, 0) for id in ids]


MARCH = FormOption(
    "march",
    "March",
    False,
    [
        OneField("source", "From", _choices("B3", "C4"), False),
        OneField("target", "To", _choices("C4", "D5"), False),
        NumberField("knights", "How many", 1, 9, 1, False),
    ],
)
SEND = FormOption("send", "Send", False, [SomeField("cards", "Which", _choices("K/1", "K/2", "V/1"), 1, 2)])
ROUTES = FormOption(
    "ride",
    "Ride",
    False,
    [
        RowsField(
            "moves",
            "Moves",
            [OneField("lord", "Who", _choices("h", "j"), False), OneField("to", "To", _choices("x", "y"), False)],
            1,
            3,
            [],
            [],
        )
    ],
)
FORM = Form("a", "turn", "", 7, "Your Turn", "end", {}, [MARCH, SEND, ROUTES, FormOption("end", "End", True, [])])


def _args(*pairs: tuple[str, str]) -> MultiDict[str, str]:
    return MultiDict(pairs)


def test_a_link_fills_in_what_fits_and_leaves_the_rest() -> None:
    assert presets.given(_args(("option", "march"), ("source", "B3"), ("target", "Z9")), FORM) == Answer(
        "march", {"source": "B3"}
    )
    assert presets.given(_args(("target", "D5"), ("knights", "4")), FORM) == Answer("march", {"target": "D5", "knights": 4})
    assert presets.given(_args(("cards", "K/1"), ("cards", "V/1"), ("cards", "K/2")), FORM) == Answer(
        "send", {"cards": ["K/1", "V/1"]}
    )
    assert presets.given(_args(("source", "nowhere")), FORM) is None
    assert presets.given(_args(("option", "none")), FORM) is None
    assert presets.given(_args(), FORM) is None and presets.given(_args(("source", "B3")), None) is None


def test_each_value_leads_to_the_next_field_that_takes_it() -> None:
    ways = presets.ways(FORM, None)
    assert ways["B3"].address == "?option=march&source=B3#verb-march" and not ways["B3"].chosen
    assert ways["C4"].address == "?option=march&source=C4#verb-march", "the first field that takes it"
    begun = presets.given(_args(("source", "B3")), FORM)
    ways = presets.ways(FORM, begun)
    assert ways["B3"].chosen and ways["C4"].address == "?option=march&source=B3&target=C4#verb-march"
    ways = presets.ways(FORM, Answer("send", {"cards": ["K/1"]}))
    assert ways["K/1"].address == "?option=send#verb-send", "a second click takes it out again"
    assert ways["K/2"].address == "?option=send&cards=K%2F1&cards=K%2F2#verb-send"


def test_rows_are_filled_one_after_the_other() -> None:
    begun = presets.given(_args(("moves", "h"), ("moves", "x"), ("moves", "j")), FORM)
    assert begun is not None and begun.values == {"moves": [{"lord": "h", "to": "x"}, {"lord": "j"}]}
    assert presets.ways(FORM, begun)["y"].address == "?option=ride&moves=h&moves=x&moves=j&moves=y#verb-ride"


def test_what_stands_open_beside_the_question_has_links_of_its_own_and_parts_stand_for_what_has_them() -> None:
    grant = FormOption(
        "grant", "Grant", False, [OneField("passage", "Where", _choices("blaye/b", "blaye/c", "bourg/c"), False)]
    )
    form = Form("a", "grant", "", 0, "Grant passage", "grant", {}, [grant])
    found = presets.given_for_offer(_args(("offer", "grant"), ("passage", "blaye/b")), [FORM, form])
    assert found == (form, Answer("grant", {"passage": "blaye/b"}))
    assert presets.given_for_offer(_args(("offer", "grant")), [form]) == (form, Answer("grant", {}))
    for args in (_args(("offer", "ban")), _args(("passage", "x"))):
        assert presets.given_for_offer(args, [form]) is None
    ways = presets.ways(form, found[1])
    assert ways["bourg/c"].address == "?offer=grant&option=grant&passage=bourg%2Fc#verb-grant-grant"
    part = {code: ways.part(code) for code in ("blaye", "b", "c", "nowhere")}
    assert part["blaye"] == part["b"] == ways["blaye/b"] and part["c"] == ways["blaye/c"] and part["nowhere"] is None


def test_opening_such_a_link_plays_nothing(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    active = started(anna, bert, table, settings)
    before = entries(settings)
    found = re.search(r'name="f_cards__([A-Za-z]+/[ab])"', active.page(table + "/table"))
    assert found is not None
    page = active.page(f"{table}/table?option=tower&cards={found[1]}")
    assert re.search(rf'name="f_cards__{found[1]}" (min="\d" max="\d" value="1"|value="1" checked)', page), "filled in"
    assert entries(settings) == before
    assert "strange" not in active.page(table + "/table?option=strange&cards=strange"), "nothing of an address is shown"


def test_parts_take_their_colours_from_the_page() -> None:
    drawings = [(files.FOLDER / name).read_text() for name in ("parts.svg", "ortus.svg", "mastery.svg")]
    drawing = "".join(drawings)
    assert "style" not in drawing and "class=" not in drawing and "url(" not in drawing, (
        "no styles: the content policy refuses them"
    )
    css = "".join((files.FOLDER / name).read_text() for name in ("writ.css", "ortus.css", "mastery.css"))
    wanted = {name for name in re.findall(r"var\((--[a-z0-9-]+)\)", drawing)}
    assert wanted <= set(re.findall(r"(--[a-z0-9-]+):", css))
    symbols = [re.findall(r'<symbol id="([^"]+)"', one) for one in drawings]
    assert all(len(ids) == len(set(ids)) for ids in symbols) and sum(map(len, symbols)) >= 120


def test_the_type_is_bundled_with_its_licence() -> None:
    css = files.file("writ.css")
    assert css is not None
    for name in ("alegreya-regular.woff2", "alegreya-bold.woff2", "alegreya-italic.woff2"):
        found = files.file(name)
        assert found is not None and found.kind == "font/woff2" and len(found.content) < 24_000
        assert f"url({name}?v={found.mark})".encode() in css.content
    assert b"SIL OPEN FONT LICENSE" in (files.FOLDER / "alegreya-OFL.txt").read_bytes().upper()


def test_what_a_list_holds_is_taken_out_of_it_before_another_takes_it_in() -> None:
    lists = [SomeField(name, name, _choices("blaye", "sigy"), 0, 2) for name in ("give", "pass")]
    form = Form("a", "exchange", "", 0, "Exchange", "propose", {}, [FormOption("propose", "Propose", False, [*lists])])
    found = presets.ways(form, Answer("propose", {"give": [], "pass": ["blaye"]}))
    assert found["blaye"].chosen and "blaye" not in found["blaye"].address
    assert "give=sigy" in found["sigy"].address and "pass=blaye" in found["sigy"].address


def test_an_option_that_is_picked_last_takes_what_no_other_does() -> None:
    """A tapped Castle founds a Fief; a Banquet, which no other option names, can still be laid down as a Tower."""
    game = GAMES["ortus"]
    ask = Scene("a.hand: Castle, Banquet").ask("a")
    form = describe(game, ask, {}, 1)
    assert presets.ways(form, None)["Castle/a"].address.startswith("?option=tower")
    ways = presets.ways(form, None, game.face.last_picked)
    assert ways["Castle/a"].address == "?option=castle&card=Castle%2Fa#verb-castle"
    assert ways["Banquet/a"].address.startswith("?option=tower")
