"""Figures and the course of finished matches: counted by hand in short games, and against the log in all recorded ones."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from engine.core import procedure
from engine.core.asks import read
from engine.core.figures import Beat, Figure, lasting, tally
from engine.core.views import Event
from engine.fief.rules.realm.table import Table as FiefTable
from engine.games import GAMES
from engine.mastery.rules.reckoning import on_map
from engine.play import ending
from engine.play import match as matches
from engine.play.ending import Course, Found
from tests.tables import FOLDER, complete, stems

SHORT = {
    ("ortus", "2-earls-last-falls-by-anchors"): {
        "attacks": (7, {"a": 5, "b": 2}),
        "fielded": (9, {"a": 2, "b": 7}),
        "hardest": (8, {"a": 8, "b": 3}),
        "fallen": (3, {"b": 3}),
        "towers": (7, {"b": 7}),
        "politics": (1, {"a": 1}),
    },
    ("mastery", "2-lords-points"): {
        "attacks": (4, {"a": 2, "b": 2}),
        "taken": (9, {"a": 4, "b": 5}),
        "knights_lost": (10, {"a": 8, "b": 2}),
        "cards_played": (11, {"a": 5, "b": 6}),
        "march": (8, {"a": 8, "b": 8}),
        "artefacts": (2, {"a": 1, "b": 1}),
    },
    ("fief", "3-seats-first-disasters-discarded"): {
        "deniers": (47, {"a": 10, "b": 18, "c": 19}),
        "weddings": (1, {"a": 1, "c": 1}),
        "deaths": (1, {"c": 1}),
        "titles": (3, {"a": 1, "b": 1, "c": 1}),
    },
}
"""Counted by hand in the journals of these games: the sum or record, and by seat."""
PLAIN = {
    "ortus": {"attacks": ["attack"], "fallen": ["fell", "assassinated"], "jousts": ["joust_won"], "politics": ["politics"]},
    "mastery": {"attacks": ["attacked"], "taken": ["conquered"], "artefacts": ["fractured", "corrupted"]},
    "fief": {"battles": ["battle"], "deaths": ["died"], "captives": ["captured"], "titles": ["title_bought"]},
}
"""Figures that count events, and the kinds."""
RECORDED = [(game, stem) for game in complete() for stem in stems(game)]


def log(game: str, stem: str) -> tuple[matches.Header, bytes, list[matches.Entry]]:
    lines = (FOLDER / game / f"{stem}.jsonl").read_text("utf-8").splitlines()
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    return matches.read_header(lines[0]), bytes.fromhex(read(entries[-1].move or "").pick("seed")), entries


@cache
def course(game: str, stem: str) -> Course:
    return ending.course(*log(game, stem))


def events(game: str, stem: str) -> list[Event]:
    """Those that tell all, of twins."""
    header, seed, entries = log(game, stem)
    match = matches.start(header, seed)
    found = list(match.opening)
    for entry in matches.standing(entries):
        found += matches.apply(match, entry, trusted=True)
    return [event for event in found if not event.but]


def by_key(found: Course) -> dict[str, Found]:
    return {figure.key: figure for figure in found.figures}


@pytest.mark.parametrize(("game", "stem"), SHORT)
def test_the_figures_of_a_short_game_are_those_counted_by_hand(game: str, stem: str) -> None:
    found = {key: (figure.n, dict(figure.by)) for key, figure in by_key(course(game, stem)).items()}
    assert found == SHORT[game, stem]


def test_a_record_names_the_entry_that_set_it_and_who_has_most_is_named_if_alone() -> None:
    hardest = by_key(course("ortus", "2-earls-last-falls-by-anchors"))["hardest"]
    assert (hardest.at, hardest.best) == (60, "a")
    found = by_key(course("mastery", "2-lords-points"))
    assert (found["march"].at, found["march"].best) == (11, ""), "the first of two, and neither alone"
    assert found["attacks"].at is None and found["attacks"].best == "" and found["knights_lost"].best == "a"


@pytest.mark.parametrize(("game", "stem"), RECORDED)
def test_figures_and_levels_agree_with_the_log(game: str, stem: str) -> None:
    found, told = course(game, stem), events(game, stem)
    figures, kinds = by_key(found), Counter(event.kind for event in told)
    for key, counted in PLAIN[game].items():
        n = sum(kinds[kind] for kind in counted)
        assert (figures[key].n if key in figures else 0) == n, key
    for definition in GAMES[game].face.figures:
        figure = figures.get(definition.key)
        if figure is None:
            continue
        assert figure.n > 0 and all(n > 0 for n in figure.by.values())
        if definition.record:
            assert figure.at is not None and max(figure.by.values(), default=figure.n) == figure.n
        elif definition.key not in ("weddings",):
            assert sum(figure.by.values()) == figure.n, f"{definition.key}: each belongs to one seat"
    headings = [event for event in told if GAMES[game].words.chapter(event)]
    assert [chapter.event for chapter in found.chapters] == headings
    assert all(len(levels) == len(headings) for levels in found.levels.values())
    end = {seat: ending.level(GAMES[game], found.state, seat) for seat in found.levels}
    assert {seat: levels[-1] for seat, levels in found.levels.items()} == end
    assert found.chapter(found.last) == len(headings) - 1 and found.chapter(0) <= 0


@pytest.mark.parametrize("stem", stems("fief"))
def test_deniers_spent_are_what_every_payment_took(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paid = Counter[str]()
    plain = FiefTable.pay

    def pay(self: FiefTable, seat: str, deniers: int, to: str = "") -> None:
        paid[seat] += deniers
        plain(self, seat, deniers, to)

    monkeypatch.setattr(FiefTable, "pay", pay)
    spent = by_key(ending.course(*log("fief", stem)))["deniers"]
    # An exchange pays the difference of what both give.
    assert (spent.by, spent.n) == (+paid, paid.total())


@pytest.mark.parametrize("stem", stems("mastery"))
def test_knights_that_came_and_died_are_those_on_the_map(stem: str) -> None:
    header, seed, entries = log("mastery", stem)
    match = matches.start(header, seed)
    told = [event for entry in matches.standing(entries) for event in matches.apply(match, entry, trusted=True)]
    table, came = match.state.table, Counter[str]()
    for event in told:
        if event.kind == "gained":
            came[event.facts["seat"]] += event.facts["count"]
    lost = by_key(course("mastery", stem))["knights_lost"].by
    began = matches.start(header, seed).state.table
    waiting = Counter({table.dispute.attacker: table.dispute.knights}) if table.dispute else Counter[str]()
    for seat in table.seats:
        there = on_map(table, seat) + waiting[seat]
        assert there == on_map(began, seat) + came[seat] - lost.get(seat, 0), seat


def heard(count: Any, *kinds: tuple[int, list[Event]]) -> list[tuple[tuple[str, ...], int]]:
    """What a counter finds in beats: chapter and events of each."""
    state: Any = procedure.State
    return [
        (tuple(hit.seats), hit.n) for n, (chapter, told) in enumerate(kinds) for hit in count(Beat(n, told, state, chapter))
    ]


def siege(kind: str, seat: str, village: str) -> Event:
    return Event(kind, {"seat": seat, "village": village, "of": "c"})


def test_a_siege_lasts_from_its_first_round_to_its_last_and_an_open_one_to_the_end() -> None:
    definition = next(figure for figure in GAMES["fief"].face.figures if figure.key == "siege")
    a, b = siege("siege", "a", "sigy"), siege("siege", "b", "bourg")
    hits = heard(definition.counter(), (2, [a]), (3, [b]), (4, [siege("siege_over", "a", "sigy")]), (5, [a]), (7, []))
    longest = Counter[str]()
    for seats, n in hits:
        longest |= Counter(dict.fromkeys(seats, n))
    assert longest == {"a": 3, "b": 5} and definition.record


def test_a_siege_of_another_village_or_besieger_is_another_one() -> None:
    count = lasting("siege", ("siege_lifted",), ("seat", "village"))()
    hits = heard(
        count,
        (1, [siege("siege", "a", "sigy")]),
        (3, [siege("siege_lifted", "b", "sigy")]),
        (3, [siege("siege_lifted", "a", "bourg")]),
    )
    assert hits == [(("a",), 1), (("a",), 3), (("a",), 3)]


def test_twins_of_an_event_count_once() -> None:
    drawn = Figure("drawn", tally("card_drawn_own"))
    twin = Figure("twin", tally("card_drawn"))
    game = GAMES["ortus"]
    object.__setattr__(game.face, "figures", (drawn, twin, *(kept := game.face.figures)))
    try:
        found = by_key(ending.course(*log("ortus", "2-earls-last-falls-by-anchors")))
    finally:
        object.__setattr__(game.face, "figures", kept)
    assert found["drawn"].n > 20 and "twin" not in found


def test_every_figure_and_plot_has_its_words() -> None:
    for game in (GAMES[name] for name in complete()):
        assert len(game.face.figures) >= 6 and game.words.catalogue.has("figure", "plot")
        for figure in game.face.figures:
            one, many = (game.words.catalogue.text("figure", figure.key, {"n": n}) for n in (1, 2))
            assert one and many, figure.key
