"""What holds after every move of whole games at random (FF-CMP, FF-TTL, FF-CTL, FF-INF)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from engine.core import procedure
from engine.core.chance import guess
from engine.fief import FIEF, conserved
from engine.fief.rules.court.elections import Election, votes
from engine.fief.rules.setup import SetUp
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.battle import Battle
from engine.fief.rules.war.cavalcade import Cavalcade
from engine.game import options_of
from engine.tools import playout
from tests.fief import wild

EVERY = {"holy_relics": True, "fog_of_war": True, "open_diplomacy": True, "hidden_deniers": True, "simultaneous_ballots": True}
TABLES: list[tuple[int, dict[str, Any]]] = [(3, {}), (4, {}), (5, {"battle_die": "book"}), (6, {}), (5, EVERY)]


def counters_within_limits(state: FiefState) -> None:
    """FF-CMP-1, FF-CMP-3, FF-CMP-7: nothing is on the map that the box hasn't got; FF-TTL-1, FF-TTL-2: titles are unique."""
    table = state.table
    assert table.mills_left() >= 0 and table.walls_left() >= 0
    for seat in table.seats:
        assert min(table.stock(seat)) >= 0 and table.engines_left(seat) >= 0
        assert len(table.families[seat].hand) <= 3 and table.families[seat].deniers >= 0
        assert len(table.family(seat)) <= 4 and table.families[seat].markers >= 0
    lords = list(table.lords.values())
    fiefs = [fief for p in lords for fief in p.fiefs]
    assert len(fiefs) == len(set(fiefs)) and all(len(p.fiefs) <= 2 for p in lords)
    sees = [p.bishop for p in lords if p.bishop]
    assert len(sees) == len(set(sees)) and all(not p.female for p in lords if p.churchman)
    for title in ("king", "pope", "queen", "prince", "d_arc"):
        assert sum(bool(getattr(p, title)) for p in lords) <= 1
    assert sum(p.cardinal == "sale" for p in lords) <= 1 and sum(p.cardinal == "card" for p in lords) <= 3
    assert all(table.lords[p.spouse].spouse == p.id for p in lords if p.spouse)
    for village in table.villages.values():
        land = table.land_of(village.id)
        assert village.mills <= 2 and sum(table.villages[v].walls == "city" for v in land.villages) <= 1


def controlled_rightly(state: FiefState) -> None:
    """FF-CTL-1, FF-CTL-2, FF-CTL-6 by a slow check of its own: whoever controls is there, or holds the title."""
    if any(frame.freezes or isinstance(frame, Battle | SetUp | Cavalcade) for frame in state.stack):
        return
    table = state.table
    for v in table.villages.values():
        there = {p.seat for p in table.lords.values() if p.at == v.id and not p.captor}
        there |= {s for s, groups in v.troops.items() if sum(g.maa + g.knights for g in groups)}
        lord = next((p.seat for p in table.lords.values() if table.land_of(v.id).id in p.fiefs), "")
        if v.controller in there:
            continue
        assert v.controller == lord
        assert there <= set(v.guests)


def votes_by_hand(state: FiefState) -> None:
    """FF-BIS-3, FF-KNG-3, FF-POP-2: an independent count."""
    table = state.table
    for frame in state.stack:
        if not isinstance(frame, Election):
            continue
        for seat in table.seats:
            own = [p for p in table.lords.values() if p.seat == seat and not p.captor and not p.excommunicated]
            if frame.office == "pope":
                expected = len([p for p in own if p.cardinal])
            elif frame.office == "king":
                expected = len([p for p in own if p.fiefs or p.bishop or p.cardinal or p.pope or p.king or p.queen or p.prince])
            else:
                held = [v for v, site in table.lore.sites.items() if site.bishopric == frame.see]
                expected = Counter(table.villages[v].controller for v in held)[seat]
                expected += sum(table.lore.sites[v].principal and table.villages[v].controller == seat for v in held)
                for p in own:
                    expected += 3 if p.cardinal or p.pope else 2 if p.bishop and p.bishop_since < table.round else 0
            assert votes(table, seat, frame.office, frame.see) == expected


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_whole_games_at_random_keep_what_must_be_kept(seats: int, options: dict[str, Any]) -> None:
    play_and_watch(seats, options, range(1))


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_many_games_at_random_keep_what_must_be_kept(seats: int, options: dict[str, Any]) -> None:
    play_and_watch(seats, options, range(1, 30))


def play_and_watch(seats: int, options: dict[str, Any], seeds: range) -> None:
    """Play whole games, and look at the position after every move."""
    for seed in seeds:
        state = wild.fresh(seats, f"{seats}/{seed}", **options)
        base = conserved(state)

        def watch(state: FiefState, base: dict[str, int] = base) -> None:
            assert conserved(state) == base
            counters_within_limits(state)
            controlled_rightly(state)
            votes_by_hand(state)

        wild.play(state, str(seed), watch)
        assert state.table.outcome is not None


@pytest.mark.parametrize(("seats", "options"), [(3, {}), (4, EVERY)])
def test_nobody_sees_more_than_a_redeal_leaves(seats: int, options: dict[str, Any]) -> None:  # FF-INF-1, FF-INF-2, FF-OPT-10
    state = wild.fresh(seats, "redeal", rounds=5, **options)
    looked = Counter[str]()

    def watch(state: FiefState) -> None:
        looked["moves"] += 1
        if looked["moves"] % 5:
            return
        for seat in (*state.table.seats, None):
            fresh = FIEF.rules.redeal(state, seat, guess(looked["moves"]))
            assert FIEF.rules.view(fresh, seat) == FIEF.rules.view(state, seat)
            assert FIEF.rules.notation.seen(fresh, seat) == FIEF.rules.notation.seen(state, seat)

    wild.play(state, "redeal", watch)
    assert looked["moves"] > 100


def test_positions_are_read_back() -> None:
    state = wild.fresh(5, "positions", rounds=4, **EVERY)

    met = Counter[str]()

    def watch(state: FiefState) -> None:
        kind = type(state.stack[-1]).__name__ + procedure.open_step(state).name if state.stack else ""
        if met[kind] < 10 or met[kind] % 3 == 0:
            assert FIEF.rules.notation.read(FIEF.rules.notation.whole(state)) == state
            assert FIEF.rules.decode(FIEF.rules.encode(state)) == state
        met[kind] += 1

    wild.play(state, "positions", watch)


def test_default_answers_end_a_game_at_its_last_round() -> None:
    state = wild.fresh(4, "defaults", rounds=3)
    while state.table.outcome is None:
        seat = state.waiting[0]
        procedure.play(state, seat, procedure.ask_of(state, seat).default)
    assert state.table.outcome.how == "rounds"


def test_a_game_of_players_who_aim_at_nothing_is_bounded() -> None:  # FF-SET-7
    assert options_of(FIEF, 3, "").get("rounds") is None and options_of(FIEF, 3, "", aimless=True)["rounds"] == 10
    assert options_of(FIEF, 3, "play rounds=2 rules=[holy_relics]", aimless=True)["rounds"] == 2
    tally = playout.run(FIEF, 3, 1, "bounded", ["random", "default"])
    assert (tally.games, tally.stalls, tally.errors) == (1, 0, 0)
