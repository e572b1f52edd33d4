"""What a seat may know of the table (rules 3), and the re-dealing of all that it can't."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from engine.asks import Seat
from engine.chance import Chance
from engine.game import View
from engine.ortus.combat import Battle, Fielded
from engine.ortus.ids import Card, card_of, owner, parse
from engine.ortus.joust import Entry, Joust
from engine.ortus.kingship import Crowning
from engine.ortus.pieces import COPIES, KINDS, LORE
from engine.ortus.politics import Politics, Struggle
from engine.ortus.roles import king_role
from engine.ortus.setup import Campaign, Contest, Muster
from engine.ortus.table import Earl, Pile, Table, closed, deck_shown
from engine.ortus.turn import Turn
from engine.ortus.vikings import VikingTurn
from engine.procedure import State, copy_for
from engine.visibility import forget

Procedures = Muster | Contest | Campaign | Turn | VikingTurn | Battle | Politics | Struggle | Joust | Crowning
OrtusState = State[Table, Procedures]


def view(state: OrtusState, seat: Seat | None) -> View:
    """The position as `seat` may know it; None for a spectator."""
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
        "battle": _battle_pile(table),
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
        seen["own"] = {
            "hand": sorted(own.hand),
            "reserve": sorted(own.reserve),
            "towers": own.towers,
            "concede": own.concede,
        }
    return seen


def _counts(cards: Any) -> dict[str, int]:
    return dict(sorted(Counter(cards).items()))


def _pile(table: Table, pile: Pile) -> dict[str, Any]:
    """A table deck; None for what nobody counts or searches, as it is ruled (OR-AMB-5)."""
    if closed(table):
        return {"deck": None, "discard": None}
    return {"deck": len(pile.deck), "discard": _counts(pile.discard)}


def _battle_pile(table: Table) -> dict[str, Any]:
    """All Battle Cards drawn, or the last alone, as it is ruled (OR-AMB-6); nobody counts the rest of a closed deck."""
    last = table.ruled("OR-AMB-6") == "last"
    shown = table.battle.discard[-1:] if last else table.battle.discard
    left = battle_left(table)
    saving = None if left is None else {card: left[card] for card in ("DW", "CD")}
    return {"deck": None if last or closed(table) else len(table.battle.deck), "discard": _counts(shown), "saving": saving}


def battle_left(table: Table) -> Counter[str] | None:
    """The Battle Cards that are left to draw, where anybody may count the deck and search what was drawn (OR-AMB-5, 6), and
    there are any; their order nobody knows."""
    if closed(table) or table.ruled("OR-AMB-6") == "last":
        return None
    return Counter(LORE["battle_deck"]) - Counter(table.battle.discard) or None


def _earl(table: Table, earl: Earl, own: bool) -> dict[str, Any]:
    shut = closed(table)
    # The backs of Towers show whose cards they are; only a King's may differ from his own (OR-INFO-9, OR-ROLE-14).
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
        "fiefs": [
            {"number": f.number, "anchor": f.anchor, "lord": f.lord, "properties": list(f.properties)} for f in earl.fiefs
        ],
        "mercenaries": [{"number": m.number, "card": m.card, "garrison": m.garrison} for m in earl.mercenaries],
        "banners": len(earl.banners),
        "emissaries": list(earl.emissaries),
        "cubes": earl.cubes,
        "turns": earl.turns,
    }


def _fielded(forces: list[Fielded]) -> list[dict[str, Any]]:
    return [{"id": f.id, "card": f.card, "by": f.by, "home": f.home, "send": f.send} for f in forces]


def _doing(table: Table, p: Procedures) -> dict[str, Any] | None:
    """A procedure under way, as everybody may know it."""
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


# --- re-dealing -------------------------------------------------------------------------------------------------------


def redeal(state: OrtusState, seat: Seat | None, chance: Chance) -> OrtusState:
    """A copy of the state in which everything that `seat` can't know is dealt anew, by `chance`."""
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
            _redeal_earl(earl, shown, guess, court, _tilting(jousts, earl))
    court.tilt_again(guess)
    _redeal_armies(table, seat, guess)
    for deck in (table.battle.deck, table.vikings.deck, table.joust):
        deck.sort()
        guess.shuffle(deck, "redeal")
    return forget(fresh, seat)


@dataclass
class _Court:
    """What loyalty brought the King, as somebody looks at it who is to know only what he may (OR-INFO-9, OR-ROLE-10).

    Its givers know that it is of their deck, the King knows it, and to all others it may be any card of the giver's colour.
    """

    king: Earl | None = None
    """The King whose hidden cards are to be dealt anew; None where he looks himself, or there is none."""
    known: list[Card] = field(default_factory=list)
    """The hidden cards of the King who looks."""
    tilting: list[Entry] = field(default_factory=list)
    """The King's entry in a Joust whose tilters are still face down. Nobody else knows of what colour the card is, so it
    lies among his Hand meanwhile."""

    def _places(self, giver: Earl) -> list[tuple[list[Card], int]]:
        if self.king is None or giver is self.king:
            return []
        zones = (self.king.hand, self.king.towers)
        return [(zone, i) for zone in zones for i, card in enumerate(zone) if owner(card) == giver.seat]

    def given(self, giver: Earl) -> list[Card]:
        """The cards of that colour which lie hidden with the King."""
        return [zone[i] for zone, i in self._places(giver)] if self.king is not None else []

    def deal(self, giver: Earl, pool: list[Card]) -> list[Card]:
        """Deal those cards anew, from the end of a shuffled pool; what is left of it."""
        for zone, i in self._places(giver):
            zone[i] = pool.pop()
        return pool

    def tilt_again(self, chance: Chance) -> None:
        """Lay the King's tilting card apart again, whichever it is now."""
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
    """His entries in Jousts that have not begun, where a card of his Hand tilts."""
    entries = [p.entries[earl.seat] for p in jousts if not p.begun and earl.seat in p.entries]
    return [entry for entry in entries if entry.card] if entries else entries


def _redeal_earl(earl: Earl, shown: Counter[Card], guess: Chance, court: _Court, tilting: list[Entry]) -> None:
    """Give an Earl another Hand, other Towers and another deck, of cards of his colour that can't be seen anywhere.

    `shown` are those that can, `tilting` his entries in Jousts whose card can't be seen either.
    """
    earl.concede = False
    size, needed = len(earl.deck), len(earl.hand) + len(earl.towers) + len(earl.deck) + len(tilting) + len(court.given(earl))
    if not needed:
        return
    colour = earl.seat
    pool: list[Card] = []
    for card, whole in _coloured(colour):
        pool += whole[shown[card] :] if card in shown else whole
    guess.shuffle(pool, "redeal", needed)
    # A foreign card keeps its colour: its back shows it (OR-INFO-9).
    earl.hand = [pool.pop() if owner(c) == colour else c for c in earl.hand]
    earl.towers = [pool.pop() if owner(c) == colour else c for c in earl.towers]
    if size:
        earl.deck = pool[: -size - 1 : -1]
        del pool[-size:]
    for entry in tilting:
        entry.card = pool.pop()
    if court.king is not None:
        court.deal(earl, pool)


@lru_cache(maxsize=8)
def _coloured(seat: Seat) -> list[tuple[Card, list[Card]]]:
    """All that a deck of that colour may hold, and the Palace: the card, and as many copies of it as there can be."""
    return [
        *((card := card_of(kind, seat), [card] * COPIES) for kind in KINDS),
        (card_of("Palace", seat), [card_of("Palace", seat)]),
    ]


def _public_cards(state: OrtusState) -> list[Card]:
    """Every Earl card that lies face up."""
    table = state.table
    # What went out of the game unseen was its owner's who is out himself; all else went before everybody (OR-AMB-2, 3).
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
