"""Parts of boards that are kept: the page is the same as if all had been drawn anew, whoever looked before."""

from __future__ import annotations

import marshal
import random
from collections.abc import Iterator, Mapping
from functools import partial
from operator import add
from typing import Any

import pytest
from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from engine.core import procedure
from engine.game import Game
from engine.games import GAMES
from engine.language import i18n
from engine.language.i18n import speaking
from engine.language.words import Named, Names, calling
from engine.ui.forms import describe
from service.web import files, fragments, pages_alone, presets
from service.web.presets import Way
from tests.contract.walk import NAMES, fresh, walk
from tests.marked import PseudoLocale

KEEPING = ("fief", "mastery", "ortus")
"""Games whose boards keep parts."""
COLOURS = dict(zip("abcdef", ("red", "blue", "green", "yellow", "purple", "black"), strict=True))
OTHERS = (
    (NAMES, COLOURS),
    ({**NAMES, "a": "<i>Zoe</i>"}, COLOURS),
    (NAMES, {**COLOURS, "a": "blue", "b": "red"}),
)
"""Names and colours of the same seats at several tables."""


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Nothing is kept before a test, and after it."""
    forget()
    yield
    forget()


def forget() -> None:
    """Keep nothing any more."""
    fragments.KEPT.clear()


def kept() -> dict[bytes, tuple[Markup, ...]]:
    """All that is kept."""
    return fragments.KEPT._kept


@pytest.fixture(scope="module")
def pages() -> Environment:
    app = pages_alone()
    files.register(app)
    return app.jinja_env


def board(
    pages: Environment, game: Game, ways: Mapping[str, Way], view: Any, seat: str, names: Names, colours: Mapping[str, str]
) -> str:
    page = {"view": view, "names": names, "colours": colours, "seat": seat, "serial": 1, "news": []}
    told = {
        "board": game.face.board(view, None, None),
        "word": lambda id, home="": game.words.word(id, names, home),
        "listed": lambda ids, home="": game.words.listed(ids, names, home),
    }
    drawn = pages.get_template(f"{game.name}/board.html")
    return drawn.render(page=page, presets=ways, kept=None, **told)


@pytest.mark.parametrize("name", KEEPING)
def test_a_board_is_the_same_whoever_looked_before_and_at_which_table(pages: Environment, name: str) -> None:
    game, rng = GAMES[name], random.Random(7)
    match = fresh(game, 6, 7)
    looks: list[tuple[Any, ...]] = []
    for at, _ in enumerate(walk(match, rng, stop=90)):
        if at % 15 == 0:
            looks += [({}, game.rules.view(match.state, s or None), s, *table) for s in ("", "a", "b") for table in OTHERS]
        if at % 5 == 0 and match.state.waiting:
            seat = match.state.waiting[0]
            form = describe(game, procedure.ask_of(match.state, seat), NAMES, match.state.serial)
            looks.append((presets.ways(form, None), game.rules.view(match.state, seat), seat, NAMES, COLOURS))
    anew = []
    for look in looks:
        forget()
        anew.append(board(pages, game, *look))
    order = [*range(len(looks))] * 2
    rng.shuffle(order)
    assert len(set(anew)) > 9 and all(board(pages, game, *looks[n]) == anew[n] for n in order)
    assert kept(), "nothing was kept"


@pytest.fixture
def here(pages: Environment) -> Context:
    """The context of a template that uses the cache."""
    return pages.from_string("").new_context({})


@pytest.fixture
def draw(pages: Environment) -> Any:
    """A macro that says what it is given and in which words."""
    text = '{% macro part(x) %}{{ x }} {{ _("Your hand") }}{% endmacro %}'
    return pages.from_string(text).module.part  # type: ignore[attr-defined]  # what the template defines


def test_things_that_look_alike_are_not_taken_for_each_other(draw: Any, here: Context) -> None:
    for given in (1, True, 1.0, "1", None, "None", ["1"], ("1",), {"1": "1"}, "<b>", Markup("<b>")):
        expected = draw(given)
        assert [fragments.kept_part(here, draw, NAMES, COLOURS, given) for _ in range(2)] == [expected, expected]


def test_names_colours_language_and_a_file_of_the_host_s_are_part_of_what_a_part_is_known_by(draw: Any, here: Context) -> None:
    def keep(names: Names = NAMES, colours: Mapping[str, str] = COLOURS) -> int:
        fragments.kept_part(here, draw, names, colours, "x")
        return len(kept())

    assert keep() == keep() == 1
    assert keep({**NAMES, "a": "Zoe"}) == 2
    assert keep(colours={**COLOURS, "a": "blue"}) == 3
    assert keep(Named.by(NAMES, "name = 1")) == 4 and keep(Named.by(NAMES, "name = 2")) == 5
    with calling(Named.by({}, "name = 3")):
        assert keep() == 6
    with speaking("xx"):
        assert keep() == 7
    assert keep() == 7


def test_a_part_may_be_known_by_less_than_it_is_given_and_still_by_the_names(draw: Any, here: Context) -> None:
    def drawn(given: str, by: Any, names: Names = NAMES) -> str:
        return fragments.kept_part(here, draw, names, COLOURS, given, by=by)

    assert drawn("x", "mark") == drawn("told by its mark alone", "mark") == "x Your hand"
    assert drawn("y", "other") == "y Your hand" and drawn("z", "mark", {**NAMES, "a": "Zoe"}) == "z Your hand"
    assert len(kept()) == 3


def test_a_language_that_is_made_up_keeps_nothing(draw: Any, here: Context) -> None:
    for mark in "*+":
        with i18n.made_up("xx", PseudoLocale(partial(add, mark))), speaking("xx"):
            assert fragments.kept_part(here, draw, NAMES, COLOURS, "x") == f"x {mark}Your hand"
    assert not kept()


def test_no_more_is_kept_than_there_is_room_for(draw: Any, here: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    fragments.kept_part(here, draw, NAMES, COLOURS, 0)
    most = 10 * sum(len(key) + len(drawn) for key, (drawn,) in kept().items())
    monkeypatch.setattr(fragments.KEPT, "most", most)
    for n in range(35):
        assert fragments.kept_part(here, draw, NAMES, COLOURS, n) == f"{n} Your hand"
        assert sum(len(key) + len(drawn) for key, (drawn,) in kept().items()) <= most


def test_what_a_macro_draws_apart_is_kept_apart(pages: Environment, here: Context) -> None:
    text = "{% macro all(of) %}{% for x in of %}{{ x }}{% if not loop.last %}<!---->{% endif %}{% endfor %}{% endmacro %}"
    macro: Any = pages.from_string(text).module.all  # type: ignore[attr-defined]  # what the template defines
    for _ in range(2):
        assert fragments.kept_pieces(here, macro, NAMES, COLOURS, ["a", "<!---->", "b"]) == ("a", "&lt;!----&gt;", "b")
        assert fragments.kept_part(here, macro, NAMES, COLOURS, ["a", "b"]) == "a<!---->b"


@pytest.mark.parametrize(("name", "most"), [("fief", 12), ("mastery", 20), ("ortus", 8)])
def test_a_board_at_which_somebody_has_looked_is_put_together_of_few_parts(
    pages: Environment, name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, asked = GAMES[name], list[str]()
    *_, _last = walk(match := fresh(game, 6, 7), random.Random(7), stop=60)
    look: tuple[Any, ...] = ({}, game.rules.view(match.state, "a"), "a", NAMES, COLOURS)
    first, pieces = board(pages, game, *look), fragments.kept_pieces

    @pass_context
    def counted(context: Context, macro: Any, *given: Any, **more: Any) -> Any:
        asked.append(macro.name)
        return pieces(context, macro, *given, **more)

    monkeypatch.setattr(fragments, "kept_pieces", counted)
    monkeypatch.setitem(pages.globals, "kept_pieces", counted)
    assert board(pages, game, *look) == first and 0 < len(asked) <= most, asked


@pytest.mark.parametrize(("name", "part", "many"), [("mastery", "strip", 6), ("ortus", "rival", 5)])
def test_what_an_answer_names_is_kept_with_the_links_of_the_question(
    pages: Environment, name: str, part: str, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, parts, pieces = GAMES[name], list[Any](), fragments.kept_part

    @pass_context
    def noted(context: Context, macro: Any, *given: Any, **more: Any) -> Any:
        parts.extend(given[2:3] if macro.name == part else ())
        return pieces(context, macro, *given, **more)

    monkeypatch.setitem(pages.globals, "kept_part", noted)
    for _ in walk(match := fresh(game, 6, 7), random.Random(7), stop=300):
        if not match.state.waiting:
            continue
        seat = match.state.waiting[0]
        ways = presets.ways(describe(game, procedure.ask_of(match.state, seat), NAMES, match.state.serial), None)
        view: Any = game.rules.view(match.state, seat)
        named = {artefact["name"] for lord in view.get("lords", ()) for artefact in lord["artefacts"]}
        if named & set(ways) or any(code.startswith(("siege:", "tower:", "lord:")) for code in ways):
            break
    shown = [board(pages, game, links, view, seat, NAMES, COLOURS) for links in (ways, presets.Ways(), ways)]
    assert shown[0] == shown[2] != shown[1] and len(parts) == 3 * many


def test_a_hash_stands_for_all_that_it_is_made_of_and_what_cant_be_serialised_is_not_kept(draw: Any, here: Context) -> None:
    assert fragments.mark_of([{"slot": "A1"}]) == fragments.mark_of([{"slot": "A1"}]) != fragments.mark_of([{"slot": "A2"}])
    for given in "xy":
        assert fragments.kept_part(here, draw, NAMES, COLOURS, given, by=fragments.mark_of(Markup("x"))) == f"{given} Your hand"
    assert not kept()


def test_the_strips_of_lords_and_their_map_are_drawn_once(pages: Environment) -> None:
    """The corners of the strips are part of what these are known by."""
    game = GAMES["mastery"]
    *_, _last = walk(match := fresh(game, 6, 7), random.Random(7), stop=60)
    look: tuple[Any, ...] = ({}, game.rules.view(match.state, "a"), "a", NAMES, COLOURS)
    board(pages, game, *look)
    drawn = [marshal.loads(key)[0][1] for key in kept()]
    assert [drawn.count(macro) for macro in ("strip", "places", "coast", "supply")] == [6, 1, 1, 1]
