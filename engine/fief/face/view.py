"""A seat's or spectator's view, and the redeal of hidden information (chapter INF, FF-OPT-10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.core.asks import Seat
from engine.core.chance import Chance
from engine.core.procedure import copy_for
from engine.core.visibility import forget
from engine.fief.face.chart import chart_of
from engine.fief.face.narrate import called
from engine.fief.rules.court.cards import Draws
from engine.fief.rules.court.elections import BISHOP, KING, POPE, Ballot, Election, to_be_elected, votes
from engine.fief.rules.opportunity import Assassination
from engine.fief.rules.playing import Plays
from engine.fief.rules.purchase import Purchases
from engine.fief.rules.realm.pieces import Card
from engine.fief.rules.realm.table import RIDE, Group, Person, Place, Table, points
from engine.fief.rules.round import score
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.battle import ATTACK, DEFEND, Battle
from engine.fief.rules.war.cavalcade import Cavalcade
from engine.fief.rules.war.marching import one_army
from engine.fief.rules.war.movement import Movement
from engine.fief.rules.war.siege import Battles, Pillage
from engine.fief.rules.war.uprising import Uprising

TURNS = (Draws, Plays, Purchases, Movement, Battles, Pillage)


def view(state: FiefState, seat: Seat | None) -> dict[str, Any]:
    """View for a seat or spectator, with localised names."""
    table, outcome = state.table, state.table.outcome
    shown, winners = in_the_open(state), list(outcome.winners) if outcome is not None else []
    people = table.lore.people
    return {
        "game": "fief",
        "seat": seat,
        "seats": list(table.seats),
        "round": table.round,
        "phase": table.phase,
        "first": table.first,
        "families": {s: _family(table, s, seat) for s in table.seats},
        "lords": {id: {"name": called("person", id, people[id].name), **_lord(p)} for id, p in table.lords.items()},
        "villages": {v: _village(table, v, seat, shown) for v in table.villages},
        "lords_deck": len(table.lords_deck),
        "fortune_deck": len(table.fortune_deck),
        "top": table.lore.back(table.fortune_deck[-1]) if table.fortune_deck else "",
        "piles": [len(table.lords_pile), len(table.fortune_pile)],
        "track": len(table.track),
        "left": {"mills": table.mills_left(), "walls": table.walls_left()},
        "weather": [[laid.card, laid.see] for laid in table.weather],
        "taxes": [[t.seat, t.lord, t.title, t.fief, list(t.sees)] for t in table.taxes],
        "grants": [list(grant) for grant in table.grants],
        "gone": list(table.gone),
        "elections": _elections(table),
        "parleys": [list(p.seats) for p in table.parleys if p.open],
        "doing": [doing for p in state.stack if (doing := _doing(table, p, seat))],
        "proposals": [
            {"number": p.number, "kind": p.kind, "by": p.by, "to": list(p.to), "about": dict(p.about())}
            for p in table.proposals.open
            if p.only is None or seat in p.only
        ],
        "winners": winners,
        "outcome": {"winners": winners, "how": outcome.how} if outcome is not None else None,
        "options": _options(table),
        "chart": _chart(table.options.own),
        "ladies": [id for id, person in people.items() if person.female],
    }


NAMED = {"villages": "site", "lands": "land", "sees": "diocese"}


def _chart(own: str) -> dict[str, Any]:
    chart = chart_of(own)
    return chart | {
        part: {id: {**thing, "name": called(section, id, thing["name"])} for id, thing in chart[part].items()}
        for part, section in NAMED.items()
    }


def _options(table: Table) -> dict[str, Any]:
    options = {name: getattr(table.options, name) for name in table.options.__struct_fields__ if name != "own"}
    limits = table.limits
    most = {"most_lords": limits["lords_in_family"], "most_cards": limits["hand"], "most_disasters": limits["disaster_track"]}
    most |= {"most_mills": limits["mills_per_village"], "most_recruits": limits["new_troops_per_village"]}
    most |= {"most_titles": limits["fief_titles_per_lord"], "most_markers": table.lore.per_player["diplomacy"]}
    most |= {"moves": limits["moves"], "moves_d_arc": limits["moves_d_arc"]}
    options["one_army"] = one_army(table)
    return {**options, **most, "prices": dict(table.lore.prices), "faces": list(table.lore.dice[table.options.battle_die])}


def _elections(table: Table) -> list[dict[str, Any]]:
    offices = [(BISHOP, n) for n in sorted(table.lore.sees)] + [(POPE, 0), (KING, 0)]
    vacant = [(office, n) for office, n in offices if table.who(office, n or True) is None]
    return [
        {"office": office, "see": n, "held": to_be_elected(table, office, n), "votes": _votes(table, office, n)}
        for office, n in vacant
    ]


def _votes(table: Table, office: str, see: int) -> dict[Seat, int]:
    return {s: votes(table, s, office, see) for s in table.seats}


def _family(table: Table, seat: Seat, reader: Seat | None) -> dict[str, Any]:
    family = table.families[seat]
    maa, knights = table.stock(seat)
    told: dict[str, Any] = {
        "backs": [table.lore.back(card) for card in sorted(family.hand, key=lambda c: (table.lore.back(c), c))],
        "markers": family.markers,
        "points": points(table, seat),
        "wins": score(table, seat)[1],
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
        "relics": list(p.relics), "moves": p.moves, "halted": p.halted, "company": p.company,
    }  # fmt: skip


Shown = set[tuple[Place, Seat, bool]]
"""(village, player, only riders)."""


def in_the_open(state: FiefState) -> Shown:
    """Troops revealed by a battle, by a Cavalcade only its riders (FF-CAV-1)."""
    return {
        (p.at, s, p.cavalcade and s in p.attackers)
        for p in state.stack
        if isinstance(p, Battle) and p.mustered
        for s in (*p.attackers, *p.defenders)
    }


def uncovered(shown: Shown, place: Place, seat: Seat, group: Group) -> bool:
    return bool(shown) and ((place, seat, False) in shown or (group.road == RIDE and (place, seat, True) in shown))


def _village(table: Table, place: Place, reader: Seat | None, shown: Shown) -> dict[str, Any]:
    village = table.villages[place]
    troops: dict[Seat, list[list[Any]]] = {}
    for seat, groups in village.troops.items():
        plain = not table.options.fog_of_war or seat == reader
        told: dict[str, list[int]] = {}
        for g in groups:
            seen = plain or uncovered(shown, place, seat, g)
            there = told.setdefault(g.road, [0, 0] if seen else [0])
            if seen:
                there[0] += g.maa
                there[1] += g.knights
            else:
                there[0] += g.count
        troops[seat] = [[road, *n] for road, n in told.items() if any(n)]
    return {
        "controller": village.controller, "order": list(village.order), "guests": dict(village.guests), "walls": village.walls,
        "mills": village.mills, "engines": dict(village.engines), "troops": {s: t for s, t in troops.items() if t},
        "relics": list(village.relics), "besieged": table.besieged(place), "bought": village.bought,
    }  # fmt: skip


def _doing(table: Table, p: Any, reader: Seat | None) -> dict[str, Any] | None:
    """A procedure's public state, and the reader's ballot faces."""
    match p:
        case Election():
            return _election(table, p, reader)
        case Battle():
            return _battle(table, p)
        case Cavalcade():
            return {"what": "cavalcade", "seat": p.seat, "at": p.at, "to": p.to, "foes": list(p.foes)}
        case Uprising():
            shown = {name: getattr(p, name) for name in ("at", "by", "cards", "card", "passage", "faces", "hits")}
            return {"what": "uprising", **shown, "faces": list(p.faces)}
        case Assassination():
            return {"what": "assassination", "by": p.by, "lord": p.lord, "sponsor": p.sponsor}
        case _ if isinstance(p, TURNS) and p.left:
            return {"what": "turn", "step": type(p).__name__.lower(), "seat": p.left[0], "then": list(p.left[1:])}
    return None


def _election(table: Table, election: Election, reader: Seat | None) -> dict[str, Any]:
    own = election.ballots.get(reader or "")
    return {
        "what": "election", "office": election.office, "see": election.see, "candidates": list(election.candidates),
        "placed": {s: b.placed for s, b in election.ballots.items()},
        "own": [own.for_, own.decoy] if own is not None else [],
        "voted": list(election.voted),
        "votes": _votes(table, election.office, election.see),
    }  # fmt: skip


def _battle(table: Table, battle: Battle) -> dict[str, Any]:
    """In the Fog of War sides and dice only after Troops are shown."""
    told: dict[str, Any] = {
        "what": "battle", "at": battle.at, "attackers": list(battle.attackers), "defenders": list(battle.defenders),
        "cavalcade": battle.cavalcade, "walls": battle.walled(table), "passage": battle.passage, "rolls": battle.rolls,
        "faces": [list(faces) for faces in battle.faces], "mustered": battle.mustered,
    }  # fmt: skip
    if battle.step == "losses":
        told["hits"] = [battle.lost[side].hits for side in (ATTACK, DEFEND)]
    if battle.mustered or not table.options.fog_of_war:
        told["strength"] = [side.strength(table) for side in battle.sides()]
        told["dice"] = list(battle.dice(table))
        told["troops"] = [list(side.total(table)) for side in battle.sides()]
    return told


# --- redeal -----------------------------------------------------------------------------------------------------------


def redeal(state: FiefState, seat: Seat | None, chance: Chance) -> FiefState:
    fresh: FiefState = copy_for(state, seat, chance)
    table, guess = fresh.table, fresh.table.chance
    _deal_lords(table, seat, guess)
    _deal_fortune(table, seat, guess)
    for procedure in fresh.stack:
        if isinstance(procedure, Election):
            for s, ballot in procedure.ballots.items():
                if s != seat and (ballot.for_ or ballot.decoy):
                    faces = sorted((ballot.for_, ballot.decoy))
                    guess.shuffle(faces, "faces")
                    procedure.ballots[s] = Ballot(*faces)
    if table.options.fog_of_war:
        _deal_troops(table, seat, guess, in_the_open(fresh))
    if table.options.hidden_deniers:
        _deal_purses(table, seat, guess)
    return forget(fresh, seat)


def _others(table: Table, seat: Seat | None) -> list[Seat]:
    return [s for s in table.seats if s != seat]


def _refill(table: Table, seat: Seat | None, pool: list[Card], hidden: Callable[[Card], bool]) -> None:
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
    """The back of the deck's top is public."""
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


def _deal_troops(table: Table, seat: Seat | None, guess: Chance, shown: Shown) -> None:
    """Shuffle kinds of hidden counters; their numbers per place stay."""
    for s in _others(table, seat):
        groups = [g for v in table.villages.values() for g in v.troops.get(s, []) if not uncovered(shown, v.id, s, g)]
        kinds = [True] * sum(g.knights for g in groups) + [False] * sum(g.maa for g in groups)
        guess.shuffle(kinds, "redeal")
        for group in groups:
            n = group.count
            group.knights = sum([kinds.pop() for _ in range(n)])
            group.maa = n - group.knights


def _deal_purses(table: Table, seat: Seat | None, guess: Chance) -> None:
    others = _others(table, seat)
    total = sum(table.families[s].deniers for s in others)
    for s in others:
        table.families[s].deniers = 0
    for _ in range(total):
        table.families[others[guess.below(len(others), "purse")]].deniers += 1
