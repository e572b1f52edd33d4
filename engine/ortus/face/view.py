"""A seat's or spectator's view (rules 3), and the redeal of hidden cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from engine.core.asks import Seat
from engine.core.chance import Chance
from engine.core.procedure import State, copy_for
from engine.core.visibility import forget
from engine.game import View
from engine.ortus.rules.combat import Battle, Fielded
from engine.ortus.rules.joust import Entry, Joust
from engine.ortus.rules.kingship import Crowning
from engine.ortus.rules.pieces import COPIES, KINDS, LORE, Card, card_of, kind, owner, parse
from engine.ortus.rules.politics import Politics, Struggle, barred
from engine.ortus.rules.roles import king_role
from engine.ortus.rules.setup import Campaign, Contest, Muster
from engine.ortus.rules.table import Earl, Pile, Table, closed, deck_shown
from engine.ortus.rules.turn import Turn
from engine.ortus.rules.vikings import VikingTurn

Procedures = Muster | Contest | Campaign | Turn | VikingTurn | Battle | Politics | Struggle | Joust | Crowning
OrtusState = State[Table, Procedures]


def view(state: OrtusState, seat: Seat | None) -> View:
    table = state.table
    seen: View = {
        "game": "ortus",
        "seat": seat,
        "round": table.round,
        "start": table.start,
        "active": table.active or None,
        "action_used": table.action_used,
        "n": table.n,
        "earls": [_earl(table, table.earls[s], s == seat) for s in table.seats],
        "king": table.king or None,
        "royal": [*sorted(table.royal), *[None] * (table.n - 1 - len(table.royal))] if table.king else [],
        "army": _pile(table, table.army),
        "battle": _battle_pile(table, [p.card for p in state.stack if isinstance(p, Battle) and p.card]),
        "viking_deck": _pile(table, table.vikings),
        "vikings": {
            "arrived": table.arrived,
            "black": table.black,
            "white": table.white,
            "force": _counts(table.force),
            "strength": len(table.force),
            "needed": table.n + 1,
        },
        "doing": [d for d in (_doing(table, p) for p in state.stack) if d is not None],
        "lists": msgspec.to_builtins(table.lists) if table.lists is not None else None,
        "outcome": msgspec.to_builtins(table.outcome) if table.outcome is not None else None,
    }
    if table.roles == "contested":
        for told in seen["earls"]:
            earl = table.earls[told["seat"]]
            told |= {"legacy": earl.legacy, "contested": list(earl.contested)}
    if table.roles:
        seen |= {"roles": table.roles, "canterbury": table.canterbury or None, "entering": table.entering}
    if seat is not None:
        own = table.earls[seat]
        seen["own"] = {"hand": sorted(own.hand), "reserve": sorted(own.reserve), "towers": own.towers, "concede": own.concede}
    return seen


def _counts(cards: Any) -> dict[str, int]:
    return dict(sorted(Counter(cards).items()))


def _pile(table: Table, pile: Pile) -> dict[str, Any]:
    """A table deck; None if closed by ruling (OR-AMB-5)."""
    if closed(table):
        return {"deck": None, "discard": None}
    return {"deck": len(pile.deck), "discard": _counts(pile.discard)}


def _battle_pile(table: Table, open_: list[str]) -> dict[str, Any]:
    """Battle Cards drawn, all or the last by ruling (OR-AMB-6); no size if closed. `open_`: the card of a Battle."""
    last = table.ruled("OR-AMB-6") == "last"
    shown = table.battle.discard[-1:] if last else table.battle.discard
    left = battle_left(table, open_)
    saving = None if left is None else {card: left[card] for card in ("DW", "CD")}
    return {"deck": None if last or closed(table) else len(table.battle.deck), "discard": _counts(shown), "saving": saving}


def battle_left(table: Table, open_: Iterable[str] = ()) -> Counter[str] | None:
    """Undrawn Battle Cards, if countable (OR-AMB-5, 6)."""
    if closed(table) or table.ruled("OR-AMB-6") == "last":
        return None
    return Counter(LORE["battle_deck"]) - Counter([*table.battle.discard, *open_]) or None


def _earl(table: Table, earl: Earl, own: bool) -> dict[str, Any]:
    shut = closed(table)
    # Towers' backs show the colour; only a King has others' cards (OR-INFO-9, OR-ROLE-14).
    of_role = {
        "role": earl.role or None,
        "loyal": earl.loyal,
        "assets": list(earl.assets),
        "backs": [owner(c) for c in earl.towers],
    }
    return {
        **(of_role if table.roles else {}),
        "seat": earl.seat,
        "alive": earl.alive,
        "king": table.king == earl.seat,
        "archbishop": table.cathedral_holder() == earl.seat,
        "deck": len(earl.deck) if own or deck_shown(table, earl) else None,
        "discard": None if shut else sorted(earl.discard),
        "discarded": None if shut else _counts(earl.discard),
        "hand": len(earl.hand),
        "reserve": len(earl.reserve),
        "towers": len(earl.towers),
        "capacity": earl.capacity(),
        "fiefs": msgspec.to_builtins(earl.fiefs),
        "mercenaries": msgspec.to_builtins(earl.mercenaries),
        "banners": len(earl.banners),
        "emissaries": list(earl.emissaries),
        "cubes": earl.cubes,
        "turns": earl.turns,
    }


def _fielded(forces: list[Fielded]) -> list[dict[str, Any]]:
    return [{"id": f.id, "card": f.card, "by": f.by, "home": f.home, "send": f.send} for f in forces]


def _doing(table: Table, p: Procedures) -> dict[str, Any] | None:
    match p:
        case Battle():
            return {
                "what": "battle",
                "attacker": p.attacker,
                "actor": p.actor,
                "defender": p.defender,
                "kind": p.what,
                "fief": p.number or None,
                "attackers": _fielded(p.attacking),
                "defenders": _fielded(p.defending),
                "card": p.card or None,
                "result": p.result or None,
                "captured": p.captured,
                "hit": p.hit,
                "struck": p.struck,
                "destroyed": p.destroyed,
                "paid": p.paid,
            }
        case Politics():
            return {
                "what": "politics",
                "card": p.card or None,
                "attacker": p.attacker,
                "target": p.target,
                "aim": p.aim,
                "number": p.number or None,
                "allies": bool(p.allies),
                "taken": p.taken,
                "barred": barred(table, p.aim, p.number) or None,
            }
        case Struggle():
            return {"what": "struggle", "attacker": p.attacker, "defender": p.defender, "committed": p.committed}
        case Joust():
            entries = {
                s: {
                    "ante": e.ante or None,
                    "fief": parse(e.ante).number or None,
                    "property": parse(e.ante).card or None,
                    "lord": e.lord or None,
                    "hand": bool(e.card),
                    "card": e.card if p.begun and e.card else None,
                }
                for s, e in p.entries.items()
            }
            return {
                "what": "joust",
                "starter": p.starter,
                "entries": entries,
                "begun": p.begun,
                "winner": p.winner or None,
                "prizes": p.prizes,
            }
        case Crowning():
            return {"what": "crowning", "king": p.king}
        case Muster():
            return {"what": "muster"} if not table.round else None
        case Contest():
            return {"what": "contest", "role": p.role, "challenger": p.challenger}
        case _:
            return None


# --- redeal -----------------------------------------------------------------------------------------------------------


def redeal(state: OrtusState, seat: Seat | None, chance: Chance, kept: Mapping[str, int] | None = None) -> OrtusState:
    """`kept`: sampling weights, up to 100, of kinds in others' Hands; without, all are alike."""
    fresh = copy_for(state, seat, chance)
    table = fresh.table
    guess = table.chance
    court = _court(fresh, seat)
    shown = Counter([*_public_cards(fresh), *court.known])
    jousts = [p for p in fresh.stack if isinstance(p, Joust)]
    for earl in table.earls.values():
        if earl.seat == seat:
            pool = sorted([*earl.deck, *court.given(earl)])
            guess.shuffle(pool, "redeal")
            earl.deck = court.deal(earl, pool)
        else:
            _redeal_earl(earl, shown, guess, court, _tilting(jousts, earl), kept)
    court.tilt_again(guess)
    _redeal_armies(table, seat, guess)
    for deck in (table.battle.deck, table.vikings.deck, table.joust):
        deck.sort()
        guess.shuffle(deck, "redeal")
    return forget(fresh, seat)


@dataclass
class _Court:
    """The King's cards from loyal Earls (OR-ROLE-10). He knows them, givers their deck, others only the colour (OR-INFO-9)."""

    king: Earl | None = None
    """The King to redeal; None if he is the reader, or missing."""
    known: list[Card] = field(default_factory=list)
    """Hidden cards of a reading King."""
    tilting: list[Entry] = field(default_factory=list)
    """The King's face-down Joust entry: its colour is secret, so the card is redealt with his Hand."""

    def _places(self, giver: Earl) -> list[tuple[list[Card], int]]:
        if self.king is None or giver is self.king:
            return []
        zones = (self.king.hand, self.king.towers)
        return [(zone, i) for zone in zones for i, card in enumerate(zone) if owner(card) == giver.seat]

    def given(self, giver: Earl) -> list[Card]:
        return [zone[i] for zone, i in self._places(giver)]

    def deal(self, giver: Earl, pool: list[Card]) -> list[Card]:
        """Redeal his cards from the end of a shuffled pool; returns the rest."""
        for zone, i in self._places(giver):
            zone[i] = pool.pop()
        return pool

    def tilt_again(self, chance: Chance) -> None:
        """Put a redealt card of the King back into his Joust entry."""
        for entry in self.tilting:
            assert self.king is not None
            chance.shuffle(self.king.hand, "redeal")
            entry.card = self.king.hand.pop()


def _court(state: OrtusState, seat: Seat | None) -> _Court:
    king = king_role(state.table)
    if king is None:
        return _Court()
    tilting = _tilting([p for p in state.stack if isinstance(p, Joust)], king)
    if king.seat == seat:
        return _Court(known=[*king.hand, *king.towers, *(entry.card for entry in tilting)])
    for entry in tilting:
        king.hand.append(entry.card)
        entry.card = ""
    return _Court(king, tilting=tilting)


def _tilting(jousts: list[Joust], earl: Earl) -> list[Entry]:
    entries = [p.entries[earl.seat] for p in jousts if not p.begun and earl.seat in p.entries]
    return [entry for entry in entries if entry.card] if entries else entries


def _redeal_earl(
    earl: Earl, shown: Counter[Card], guess: Chance, court: _Court, tilting: list[Entry], kept: Mapping[str, int] | None
) -> None:
    """Redeal from unseen cards of his colour.

    `shown`: visible cards; `tilting`: his face-down Joust entries.
    """
    earl.concede = False
    size, needed = len(earl.deck), len(earl.hand) + len(earl.towers) + len(earl.deck) + len(tilting) + len(court.given(earl))
    if not needed:
        return
    colour = earl.seat
    pool: list[Card] = []
    for card, whole in _coloured(colour):
        pool += whole[shown[card] :] if card in shown else whole
    held = [_kept(pool, kept, guess) for c in earl.hand if owner(c) == colour] if kept else []
    guess.shuffle(pool, "redeal", needed - len(held))
    pool += held
    # Keep the colour of foreign cards: backs show it (OR-INFO-9).
    earl.hand = [pool.pop() if owner(c) == colour else c for c in earl.hand]
    earl.towers = [pool.pop() if owner(c) == colour else c for c in earl.towers]
    if size:
        earl.deck = pool[: -size - 1 : -1]
        del pool[-size:]
    for entry in tilting:
        entry.card = pool.pop()
    court.deal(earl, pool)


def _kept(pool: list[Card], weights: Mapping[str, int], guess: Chance) -> Card:
    """Draw a card by weight, by rejection sampling."""
    while True:
        at, least = divmod(guess.below(100 * len(pool), "redeal"), 100)
        if weights[kind(pool[at])] > least:
            return pool.pop(at)


@lru_cache(maxsize=8)
def _coloured(seat: Seat) -> list[tuple[Card, list[Card]]]:
    """(card, copies) possible in a deck of that colour, with the Palace."""
    return [
        *((card := card_of(kind, seat), [card] * COPIES) for kind in KINDS),
        (card_of("Palace", seat), [card_of("Palace", seat)]),
    ]


def _public_cards(state: OrtusState) -> list[Card]:
    table = state.table
    # Cards that left the game unseen belong to Earls who are out (OR-AMB-2, 3).
    cards = [card for card in table.out if table.earls[owner(card)].alive]
    for e in table.earls.values():
        cards += e.discard
        for f in e.fiefs:
            cards += [f.anchor, *f.properties]
            if f.lord is not None:
                cards.append(f.lord)
        for m in e.mercenaries:
            cards.append(m.card)
        cards += e.banners
        cards += e.emissaries
    for p in state.stack:
        if isinstance(p, Joust):
            cards += [*p.banners, *p.prizes, *(e.card for e in p.entries.values() if e.card and p.begun)]
        elif isinstance(p, Battle):
            cards += [c for c in p.held() if owner(c)]
        elif isinstance(p, Politics | Struggle):
            cards += p.held()
    return cards


def _redeal_armies(table: Table, seat: Seat | None, guess: Chance) -> None:
    others = [e for e in table.earls.values() if e.seat != seat]
    pool = sorted([*table.army.deck, *(t for e in others for t in e.reserve)])
    guess.shuffle(pool, "redeal")
    for e in others:
        e.reserve = [pool.pop() for _ in e.reserve]
    table.army.deck = pool
