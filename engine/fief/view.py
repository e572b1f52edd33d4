"""What a seat may know, and dealing anew what it can't (chapter INF, FF-OPT-10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.asks import Seat
from engine.chance import Chance
from engine.fief.battle import Battle
from engine.fief.elections import Ballot, Election
from engine.fief.pieces import Card
from engine.fief.table import Group, Person, Place, Table, points
from engine.fief.types import FiefState
from engine.procedure import copy_for


def view(state: FiefState, seat: Seat | None) -> dict[str, Any]:
    """What `seat` (None: a spectator) may know of a position: plain data."""
    table = state.table
    shown = in_the_open(state)
    return {
        "game": "fief",
        "seat": seat,
        "seats": list(table.seats),
        "round": table.round,
        "phase": table.phase,
        "first": table.first,
        "families": {s: _family(table, s, seat) for s in table.seats},
        "lords": {p.id: _lord(p) for p in table.lords.values()},
        "villages": {v: _village(table, v, seat, shown) for v in table.villages},
        "lords_deck": len(table.lords_deck),
        "fortune_deck": len(table.fortune_deck),
        "top": table.lore.back(table.fortune_deck[-1]) if table.fortune_deck else "",
        "piles": [len(table.lords_pile), len(table.fortune_pile)],
        "track": len(table.track),
        "weather": [[laid.card, laid.see] for laid in table.weather],
        "taxes": [[t.seat, t.lord, t.title, t.fief, list(t.sees)] for t in table.taxes],
        "grants": [list(grant) for grant in table.grants],
        "gone": list(table.gone),
        "doing": [doing for p in state.stack for doing in _doing(p, seat)],
        "proposals": [[p.number, p.kind, p.by, list(p.to)] for p in table.proposals.open if p.only is None or seat in p.only],
        "winners": list(table.outcome.winners) if table.outcome is not None else [],
    }


def _family(table: Table, seat: Seat, reader: Seat | None) -> dict[str, Any]:
    family = table.families[seat]
    maa, knights = table.stock(seat)
    told: dict[str, Any] = {
        "backs": [table.lore.back(card) for card in sorted(family.hand, key=lambda c: (table.lore.back(c), c))],
        "markers": family.markers,
        "points": points(table, seat),
        "stock": [maa, knights, table.engines_left(seat)],
        "ally": table.ally(seat),
    }
    if reader == seat:
        told["hand"] = sorted(family.hand)
    if reader == seat or not table.options.hidden_deniers:
        told["deniers"] = family.deniers
    return told


def _lord(p: Person) -> dict[str, Any]:
    return {
        "seat": p.seat, "at": p.at, "road": p.road, "captor": p.captor, "female": p.female, "fiefs": list(p.fiefs),
        "bishop": p.bishop, "new": p.bishop_since, "cardinal": p.cardinal, "pope": p.pope, "king": p.king, "queen": p.queen,
        "prince": p.prince, "d_arc": p.d_arc, "spouse": p.spouse, "assassin": p.assassin, "banned": p.excommunicated,
        "relics": list(p.relics), "moves": p.moves, "halted": p.halted,
    }  # fmt: skip


def in_the_open(state: FiefState) -> dict[Place, list[Seat]]:
    """Village -> whose Troops are shown in a battle, Fog of War or not."""
    return {p.at: [*p.attackers, *p.defenders] for p in state.stack if isinstance(p, Battle) and p.mustered}


def _village(table: Table, place: Place, reader: Seat | None, shown: dict[Place, list[Seat]]) -> dict[str, Any]:
    village = table.villages[place]
    troops: dict[Seat, list[list[Any]]] = {}
    for seat, groups in village.troops.items():
        seen = not table.options.fog_of_war or seat == reader or seat in shown.get(place, ())
        told: dict[str, list[int]] = {}
        for g in groups:
            there = told.setdefault(g.road, [0, 0])
            if seen:
                there[0] += g.maa
                there[1] += g.knights
            else:
                there[0] += g.count
        troops[seat] = [[road, *(n if seen else n[:1])] for road, n in told.items() if any(n)]
    return {
        "controller": village.controller, "order": list(village.order), "guests": dict(village.guests), "walls": village.walls,
        "mills": village.mills, "engines": dict(village.engines), "troops": {s: t for s, t in troops.items() if t},
        "relics": list(village.relics), "besieged": table.besieged(place),
    }  # fmt: skip


def _doing(procedure: Any, reader: Seat | None) -> list[dict[str, Any]]:
    """What is under way, as all may know it; of ballots his own faces alone."""
    if isinstance(procedure, Election):
        placed = {s: b.placed for s, b in procedure.ballots.items()}
        own = procedure.ballots.get(reader or "")
        faces = [own.for_, own.decoy] if own is not None else []
        return [{"what": "election", "office": procedure.office, "see": procedure.see, "candidates": list(procedure.candidates),
                 "placed": placed, "own": faces}]  # fmt: skip
    if isinstance(procedure, Battle):
        return [{"what": "battle", "at": procedure.at, "attackers": list(procedure.attackers),
                 "defenders": list(procedure.defenders), "cavalcade": procedure.cavalcade, "walls": procedure.walls,
                 "passage": procedure.passage, "rolls": procedure.rolls}]  # fmt: skip
    return []


# --- dealing anew -----------------------------------------------------------------------------------------------------


def redeal(state: FiefState, seat: Seat | None, chance: Chance) -> FiefState:
    """A copy in which all that the seat can't know is dealt anew."""
    fresh: FiefState = copy_for(state, seat, chance)
    table, guess = fresh.table, fresh.table.chance
    _deal_lords(table, seat, guess)
    _deal_fortune(table, seat, guess)
    for procedure in fresh.stack:
        if isinstance(procedure, Election):
            for s, ballot in procedure.ballots.items():
                if s != seat and (ballot.for_ or ballot.decoy) and guess.below(2, "faces"):
                    procedure.ballots[s] = Ballot(ballot.decoy, ballot.for_)
    if table.options.fog_of_war:
        _deal_troops(table, seat, guess, in_the_open(fresh))
    if table.options.hidden_deniers:
        _deal_purses(table, seat, guess)
    return fresh


def _others(table: Table, seat: Seat | None) -> list[Seat]:
    return [s for s in table.seats if s != seat]


def _refill(table: Table, seat: Seat | None, pool: list[Card], hidden: Callable[[Card], bool]) -> None:
    """Cards of the pool in the place of those in others' hands that are of its back."""
    for s in _others(table, seat):
        hand = table.families[s].hand
        table.families[s].hand = [pool.pop() if hidden(card) else card for card in hand]


def _deal_lords(table: Table, seat: Seat | None, guess: Chance) -> None:
    def brown(card: Card) -> bool:
        return table.lore.back(card) == "lords"

    pool = sorted([*table.lords_deck, *(c for s in _others(table, seat) for c in table.families[s].hand if brown(c))])
    guess.shuffle(pool, "redeal")
    _refill(table, seat, pool, brown)
    table.lords_deck = pool


def _deal_fortune(table: Table, seat: Seat | None, guess: Chance) -> None:
    """Fortune cards and Disasters lie in one deck, of whose top everybody sees the back."""
    back = table.lore.back
    top = back(table.fortune_deck[-1]) if table.fortune_deck else ""
    hidden = [*table.fortune_deck, *table.track]
    hidden += [c for s in _others(table, seat) for c in table.families[s].hand if back(c) == "fortune"]
    grey, black = ([c for c in sorted(hidden) if back(c) == kind] for kind in ("fortune", "disaster"))
    guess.shuffle(grey, "redeal")
    guess.shuffle(black, "redeal")
    table.track = [black.pop() for _ in table.track]
    _refill(table, seat, grey, lambda card: back(card) == "fortune")
    first = [(grey if top == "fortune" else black).pop()] if top else []
    rest = grey + black
    guess.shuffle(rest, "redeal")
    table.fortune_deck = rest + first


def _deal_troops(table: Table, seat: Seat | None, guess: Chance, shown: dict[Place, list[Seat]]) -> None:
    """The kinds of the others' counters change places; how many stand where stays."""
    for s in _others(table, seat):
        groups = [g for v in table.villages.values() if s not in shown.get(v.id, ()) for g in v.troops.get(s, [])]
        kinds = [True] * sum(g.knights for g in groups) + [False] * sum(g.maa for g in groups)
        guess.shuffle(kinds, "redeal")
        for group in groups:
            _fill(group, [kinds.pop() for _ in range(group.count)])


def _fill(group: Group, kinds: list[bool]) -> None:
    group.knights = sum(kinds)
    group.maa = len(kinds) - group.knights


def _deal_purses(table: Table, seat: Seat | None, guess: Chance) -> None:
    others = _others(table, seat)
    total = sum(table.families[s].deniers for s in others)
    for s in others:
        table.families[s].deniers = 0
    for _ in range(total):
        table.families[others[guess.below(len(others), "purse")]].deniers += 1
