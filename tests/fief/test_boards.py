"""The boards of Fief: page, letter and text, at positions of lively games and with all options."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import Environment

from engine.core import procedure
from engine.core.chance import Chance
from engine.fief import FIEF
from engine.fief.rules.types import FiefState
from service.post.rendering import environment
from service.web.fragments import kept_part, kept_pieces, mark_of
from tests.fief import wild

NAMES = {"a": "Alys <b>", "b": "Baldwin", "c": "Cécile-Marie de Longueville", "d": "Drogo", "e": "E", "f": "Fulk"}
COLOURS = dict(zip("abcdef", ("red", "blue", "green", "yellow", "purple", "black"), strict=True))
EVERY = {"holy_relics": True, "fog_of_war": True, "open_diplomacy": True, "hidden_deniers": True, "simultaneous_ballots": True}
TABLES: list[tuple[int, dict[str, Any]]] = [(3, {}), (6, {}), (5, EVERY)]


@cache
def pages() -> Environment:
    """The environment of letters with what pages know besides: where their files lie, and parts that they keep."""
    found = environment().overlay()
    found.globals = {
        **found.globals,
        "asset": lambda file: file,
        "kept_part": kept_part,
        "kept_pieces": kept_pieces,
        "mark_of": mark_of,
    }
    return found


class Page:
    """What the board of a page looks at."""

    def __init__(self, state: FiefState, seat: str | None) -> None:
        self.view, self.seat, self.names, self.colours = FIEF.rules.view(state, seat), seat, NAMES, COLOURS
        self.form: Any = None
        self.offers: list[Any] = []
        self.pending = False


def shown(state: FiefState, seat: str | None, part: str) -> str:
    """A part of the board, as the seat sees it."""
    return shown_of(Page(state, seat), part)


def shown_of(page: Page, part: str) -> str:
    """A part of the board of a page."""
    return pages().get_template(f"fief/{part}").render(
        page=page, view=page.view, names=NAMES, seat=page.seat, board=FIEF.face.board(page.view, page.form, None),
        word=lambda id, home="": FIEF.words.word(id, NAMES, home),
        listed=lambda ids, home="": FIEF.words.listed(ids, NAMES, home),
    )  # fmt: skip


@cache
def positions(seats: int, options: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, str, FiefState], ...]:
    """One position of every kind of question that lively games came to, with who is asked; fights after a roll besides."""
    found: dict[str, tuple[str, str, FiefState]] = {}
    state, rng = wild.fresh(seats, f"boards/{seats}", **dict(options)), random.Random(seats)
    for n in range(1400):
        if state.table.outcome is not None:
            state = wild.fresh(seats, f"boards/{seats}/{n}", **dict(options))
        seat = rng.choice(state.waiting)
        ask = procedure.ask_of(state, seat)
        rolled = any(getattr(frame, "faces", None) for frame in state.stack)
        name = f"{ask.kind}{'/rolled' if rolled else ''}"
        if name not in found or (n > 400 and ask.kind in ("movement", "vote")):
            found[name] = (ask.kind, seat, FIEF.rules.decode(FIEF.rules.encode(state)))
        steady = rng.random() < 0.6
        answer = FIEF.bots.players["steady"](state, seat, Chance(f"boards/{n}")) if steady else wild.answer(state, ask, rng)
        procedure.play(state, seat, answer)
        state.table.news = []
    return tuple(found.values())


def walked() -> list[tuple[str, str, FiefState]]:
    return [at for seats, options in TABLES for at in positions(seats, tuple(options.items()))]


def test_lively_games_come_to_most_questions() -> None:
    kinds = {kind for kind, _, _ in walked()}
    assert kinds >= {"movement", "purchase", "vote", "stand", "battles", "play", "draw", "window", "muster"}, kinds


def test_pages_show_every_village_lord_and_family() -> None:
    for kind, seat, state in walked():
        page, view = shown(state, seat, "board.html"), FIEF.rules.view(state, seat)
        for id, village in view["chart"]["villages"].items():
            assert f'data-value="{id}"' in page and f'<th scope="row">{village["name"]}'.replace("'", "&#39;") in page, (
                kind,
                id,
            )
        for id in view["lords"]:
            assert page.count(f'data-value="{id}"') >= 2, (kind, id, "on the chart and with the family")
        assert page.count('class="f-fief"') == len(view["chart"]["lands"])
        assert page.count('class="f-family') == len(view["seats"])
        assert "Alys <b>" not in page and "Undefined" not in page and ">None<" not in page, kind
        assert not re.search(r"\sstyle=|<script(?! src=)|\son\w+=", page), "the content policy allows none of it"


@pytest.mark.parametrize(("field", "lands"), [("to", False), ("fief", True)])
def test_a_fief_is_picked_on_the_chart_only_where_one_is_asked_for(field: str, lands: bool) -> None:
    """The Duchy of Blaye and its village have one code: a march to Blaye must not be drawn to the words."""
    ((_, seat, state), *_) = positions(3, ())
    page = Page(state, seat)
    page.form = SimpleNamespace(kind="", about={}, options=[SimpleNamespace(fields=[SimpleNamespace(name=field)])])
    board = shown_of(page, "board.html")
    assert board.count('<g class="f-land" data-value=') == (len(page.view["chart"]["lands"]) if lands else 0)


def test_a_standard_is_as_wide_as_its_numbers() -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nbourg: a\nbourg.a: 12 maa 3 knights\nsigy: b\nsigy.b: 3 maa\n"
    )
    board = shown(state, "a", "board.html")
    assert "h67l-6 10l6 10h-67z" in board and "h36l-6 10l6 10h-36z" in board


def test_a_hand_shows_its_own_cards_alone() -> None:
    for _, seat, state in walked():
        hand = shown(state, seat, "hand.html")
        assert re.findall(r'data-value="(\w+)"', hand) == sorted(state.table.families[seat].hand)


def test_a_letter_has_walls_and_mills_apart() -> None:
    state = FIEF.rules.notation.read("fief: 1\nseats: a b c\nphase: 5\nbourg: a stronghold mills=2\nsigy: b mills=1\n")
    letter = re.sub(r"<[^>]+>|\u00ad", "", shown(state, "a", "board_letter.html"))
    assert "Stronghold, 2 Mills" in letter and ", 1 Mill" not in letter


def test_dice_are_shown_as_dice() -> None:
    fights = [(seat, state) for _, seat, state in walked() if any(getattr(f, "faces", None) for f in state.stack)]
    assert fights
    for seat, state in fights:
        page = shown(state, seat, "board.html")
        faces: list[Any] = next(found for f in state.stack if (found := getattr(f, "faces", None)))
        flat = [n for side in faces for n in (side if isinstance(side, list) else [side])]
        assert re.findall(r"#die-(\d)", page) == [str(n) for n in flat]


@pytest.mark.parametrize("part", ["board.html", "board.txt", "board_letter.html"])
def test_nobody_reads_what_is_not_his(part: str) -> None:
    """FF-INF-2: boards of a position and of the same dealt anew don't differ, for a player and for a spectator."""
    for kind, seat, state in walked()[::3]:
        for reader in (seat, None):
            other = FIEF.rules.redeal(state, reader, Chance("boards"))
            assert shown(state, reader, part) == shown(other, reader, part), (kind, reader)


def test_letters_are_short_and_hold_what_bears_on_an_answer() -> None:
    """Every village once, but in a battle; own roads where one moves, families by colour; the rest is on the page."""
    moved = fought = 0
    for kind, seat, state in walked():
        view, text, html = (
            FIEF.rules.view(state, seat),
            shown(state, seat, "board.txt"),
            shown(state, seat, "board_letter.html"),
        )
        assert max(map(len, text.splitlines())) <= 78 and len(text.splitlines()) <= 92, (kind, len(text.splitlines()))
        flat, html = " ".join(text.split()), html.replace("\u00ad", "")
        battles = [d for d in view["doing"] if d["what"] == "battle"]
        fought += bool(battles)
        assert ("THE CHART" in text) == ('class="map chart"' in html) == (not battles)
        for id, village in view["chart"]["villages"].items() if not battles else ():
            assert f"{village['name']} [" in flat and village["name"].replace("'", "&#39;") in html
            if any(p["at"] == id and p["seat"] == seat and not p["captor"] for p in view["lords"].values()):
                roads = ", ".join(view["chart"]["villages"][to]["name"] for to in village["roads"])
                assert f"to {roads}" in flat
                assert state.table.phase != "5" or roads.replace("'", "&#39;") in html
                moved += state.table.phase == "5"
        for s in view["seats"]:
            leads = sum(s in (d["attackers"][:1] + d["defenders"][:1]) for d in battles)
            assert html.count(f'class="s-{s}"') == 1 + leads, "the arms of each family, and of who fights"
        assert html.count("Roads to") == 0 and "Your page has" in html
        assert "YOUR HAND" in text and "YOUR HAND" not in shown(state, None, "board.txt")
        assert "Alys <b>" not in html and "Undefined" not in text + html
        hand = state.table.families[seat].hand
        assert html.count('<td class="card k-') == len(hand), "each card is a cell, with what it does"
        assert not hand or len(text.partition("YOUR HAND\n")[2].partition("\n\n")[0].splitlines()) == len(hand)
        assert not re.search(r"<(img|script|link|svg)| style=", html), "letters bear no drawings and no styles of their own"
    assert moved and fought


@cache
def crowded(seed: int, phase: str) -> FiefState:
    """All eighteen Lords in play, two armies in every village, walls, Mills, titles, weather and taxes: as full as it gets."""
    rng, kinds = random.Random(seed), FIEF.rules.notation.read("fief: 1\nseats: a b c\n").table.lore.kinds
    places = list(FIEF.rules.notation.read("fief: 1\nseats: a b c\n").table.villages)
    lords = [id for id, kind in kinds.items() if kind.kind == "lord"]
    rng.shuffle(places)
    rng.shuffle(lords)
    maa, knights = dict.fromkeys("abcdef", 13), dict.fromkeys("abcdef", 8)
    lines = ["fief: 1", "seats: a b c d e f", f"phase: {phase}", "weather: heavy_rain 1, famine 2, plague 3, good_weather 4"]
    for n, place in enumerate(places):
        owner, other = "abcdef"[n % 6], "abcdef"[(n + 1) % 6]
        lines.append(f"{place}: {owner}{' stronghold' if n < 12 else ''}{' mills=1' if n % 2 else ''}")
        for seat in (owner, other):
            men, horse = min(rng.randint(1, 2), maa[seat]), min(1, knights[seat])
            maa[seat], knights[seat] = maa[seat] - men, knights[seat] - horse
            if men:
                lines.append(f"{place}.{seat}: {men} maa{f' {horse} knights' if horse else ''}")
    fiefs = iter(["blaye", "bourg", "epervier", "tournus", "st_gerome", "sigy", "mazilles", "st_paul"])
    for n, lord in enumerate(lords):
        title = next(fiefs, "") if n % 2 else ""
        lines.append(f"{lord}: {'abcdef'[n % 6]} {places[n]}{f' fief={title}' if title else ''}")
    state: FiefState = FIEF.rules.notation.read("\n".join(lines) + "\n")
    procedure.begin(state)
    return state


@pytest.mark.parametrize("phase", ["1b", "2c", "5", "6a"])
@pytest.mark.parametrize("seed", range(6))
def test_the_fullest_table_there_is_fits_a_letter(seed: int, phase: str) -> None:
    state = crowded(seed, phase)
    for seat in (state.waiting[0], None):
        text = shown(state, seat, "board.txt")
        flat = " ".join(text.split())
        assert len(text.splitlines()) <= 92 and max(map(len, text.splitlines())) <= 78
        view = FIEF.rules.view(state, seat)
        assert all(f"{v['name']} [" in flat for v in view["chart"]["villages"].values())
        assert all(flat.count(p["name"]) >= 2 for p in view["lords"].values()), "with the family, and where he stands"


def test_letters_of_long_games_fit_whatever_the_dice() -> None:
    for seed in range(3):
        for kind, seat, state in wandered(seed):
            lines = shown(state, seat, "board.txt").splitlines()
            assert len(lines) <= 92 and max(map(len, lines)) <= 78, (kind, seed, len(lines))


def wandered(seed: int) -> Iterator[tuple[str, str, FiefState]]:
    """Positions on the way of a long game of six."""
    state, rng = wild.fresh(6, f"lines/{seed}", **(EVERY if seed % 2 else {})), random.Random(seed)
    for n in range(600):
        if state.table.outcome is not None:
            return
        seat = rng.choice(state.waiting)
        ask = procedure.ask_of(state, seat)
        if n % 31 == 0:
            yield ask.kind, seat, state
        thinks = rng.random() < 0.6
        answer = FIEF.bots.players["steady"](state, seat, Chance(f"lines/{n}")) if thinks else wild.answer(state, ask, rng)
        procedure.play(state, seat, answer)
        state.table.news = []


def test_votes_are_said_before_an_election() -> None:
    """FF-BIS-3, FF-POP-2, FF-KNG-3: what each family's marker would cast, of every vacant office."""
    for _, seat, state in walked():
        view, text = FIEF.rules.view(state, seat), shown(state, seat, "board.txt")
        for election in view["elections"]:
            assert all(n >= 0 for n in election["votes"].values()) and set(election["votes"]) == set(view["seats"])
        near = view["phase"][:1] in "17"
        assert ("VOTES IN THE NEXT ELECTIONS" in text) == bool(view["elections"] and near)


def test_the_end_has_its_boards() -> None:
    state = wild.fresh(3, "short", rounds=2)
    wild.play(state, "short")
    assert state.table.outcome is not None
    for seat in ("a", None):
        assert "THE FAMILIES" in shown(state, seat, "board.txt") and "f-chart" in shown(state, seat, "board.html")


def test_the_rules_are_told_with_pictures() -> None:
    page = pages().get_template("fief/help.html").render(game=FIEF)
    drawn = set(re.findall(r"fief\.svg#([\w-]+)", page))
    assert len(drawn) > 25 and "style=" not in page


def test_lands_of_a_host_s_own_file_may_be_called_as_one_likes() -> None:  # FF-MAP-5
    page = Page(crowded(1, "5"), "a")
    for n, land in enumerate(page.view["chart"]["lands"].values()):
        land["name"] = "St:\u2028Ciers\x0b, <b>" if n % 2 else "Two\nlines"
    told = shown_of(page, "board.html")
    assert (
        told.count("of St:\u2028Ciers\x0b, &lt;b&gt;, ") > 9
        and told.count("of Two lines, ") > 9
        and "Ciers\x0b, <b>" not in told
    )
