"""Ortus Regni: the `Game` definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.bots.random import play_at_random
from engine.core.asks import Answer, Ask, Option, Seat, illegal_if, refuse_if
from engine.core.chance import Chance
from engine.core.rulings import Ruled
from engine.game import Bots, Checks, Face, Game, Kinds, Log, Powers, Rematch, Rules, Trait, Variants, Words
from engine.language import lore
from engine.ortus.face import narrate, notation, variant
from engine.ortus.face.board import Board
from engine.ortus.face.deck import BUILD, card_rows
from engine.ortus.face.digest import DIGEST
from engine.ortus.face.figures import FIGURES, reason
from engine.ortus.face.possible import coloured
from engine.ortus.face.preview import certain_effects, grave
from engine.ortus.face.view import OrtusState, redeal, view
from engine.ortus.odds import BEGUN, COUNTS, FIGHTS, PERILS, holds, stakes, verdict
from engine.ortus.orders import BOOK
from engine.ortus.rules.combat import Battle
from engine.ortus.rules.joust import Joust
from engine.ortus.rules.pieces import LORE, RULINGS, owner, parse
from engine.ortus.rules.politics import Politics, Struggle
from engine.ortus.rules.reckoning import ranking
from engine.ortus.rules.roles import rematch
from engine.ortus.rules.setup import Muster, fresh_table
from engine.ortus.rules.table import Table
from engine.ortus.steady import steady
from engine.text import lessons
from engine.text.notation import Notation


def setup(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None, /) -> OrtusState:
    """Create a match (OR-SET). Raises NotUnderstood for unknown options, rulings or numbers of seats."""
    refuse_if(not 2 <= len(seats) <= 6, "ortus.seats", n=len(seats))
    return OrtusState(fresh_table(seats, chance, ruled, options), [Muster()])


def turn_of(state: OrtusState, seat: Seat) -> str:
    """A Turn's steps share a clock (D-10, OR-DEC-13); deck building takes a Turn's time."""
    step = state.stack[-1].step if state.stack and seat in state.waiting else ""
    return {"turn": f"turn {state.table.earls[seat].turns}", "deck": "deck", "role": "role"}.get(step, "")


def held(state: OrtusState, seat: Seat) -> tuple[str, int] | None:
    """Number of Fiefs; None if the Earl is out, or before the first Round."""
    earl = state.table.earls[seat]
    return ("fiefs", len(earl.fiefs)) if earl.alive and state.table.round else None


def keeps(state: OrtusState, seat: Seat) -> str:
    """Legacy points left, if roles were contested (OR-ROLE-44)."""
    contested = state.table.roles == "contested"
    return narrate.WORDS.amount("legacy", state.table.earls[seat].legacy) if contested else ""


def offers(state: OrtusState, seat: Seat) -> list[Ask]:
    """D-80: queue or withdraw a concession (OR-TURN-6)."""
    earl = state.table.earls[seat]
    if not earl.alive or state.table.outcome is not None or not state.table.round:
        return []
    option = Option("withdraw") if earl.concede else Option("queue", grave=True)
    return [Ask(seat, "concession", (option,), Answer(option.id), "D-80")]


def take_offer(state: OrtusState, seat: Seat, kind: str, answer: Answer) -> None:
    illegal_if(kind != "concession", "ortus.no_offer", kind=kind)
    state.table.earls[seat].concede = answer.option == "queue"
    state.table.tell("queued" if answer.option == "queue" else "withdrawn", only=(seat,))


OPEN_KINDS = frozenset((
    "role", "bid", "allies", "church_asset", "church", "canterbury", "ransom", "attacker_hits", "defender_hits", "spoils",
    "vikings", "attach", "give_properties", "defend", "levy",
))  # fmt: skip
"""Asks with answers public once played."""


def audience(kind: str, seat: Seat, answer: Answer) -> tuple[Seat, ...] | None:
    """Seats that see an answer; None: all (OR-INFO-2, 3, 6)."""
    return None if is_open(kind, answer) else (seat,)


def is_open(kind: str, answer: Answer) -> bool:
    if kind == "turn":
        return answer.option != "tower"
    if kind in ("commit", "counter"):
        # Hidden: otherwise a promise of more Vassals would reveal who holds back (D-31).
        return answer.option == "pass"
    if kind == "enter":
        return parse(answer.pick("tilter")).where != "hand"
    return kind in OPEN_KINDS


def conserved(state: OrtusState) -> dict[str, int]:
    table, counts = state.table, Counter[str]()
    for card in _everything(state):
        whose = owner(card)
        counts[f"set of {whose}" if whose else _DECK_OF[card]] += 1
    counts["King Card"] = 1
    jousting = any(isinstance(p, Joust) for p in state.stack)
    counts["joust"] = 24 if table.start and not jousting else len(table.joust) and 24
    return dict(counts)


_DECK_OF = {
    **dict.fromkeys(LORE["army_per_earl"], "army"),
    **dict.fromkeys(LORE["viking_deck"], "vikings"),
    **dict.fromkeys(LORE["battle_deck"], "battle"),
}


def _everything(state: OrtusState) -> list[str]:
    table: Table = state.table
    cards = [*coloured(table), *table.royal, *table.force]
    for pile in (table.army, table.vikings, table.battle):
        cards += [*pile.deck, *pile.discard]
    for e in table.earls.values():
        cards += [*e.reserve, *(m.garrison for m in e.mercenaries if m.garrison)]
    for p in state.stack:
        if isinstance(p, Battle | Joust | Politics | Struggle):
            cards += p.held()
    return cards


def hidden_words(state: OrtusState, seat: Seat) -> list[str]:
    """Card ids that only this seat may see, for leak tests."""
    earl = state.table.earls[seat]
    return sorted({*earl.hand, *earl.towers, *earl.deck})


ORTUS = Game(
    name="ortus",
    title="Ortus Regni",
    rules=Rules(
        seats=range(2, 7),
        state=OrtusState,
        setup=setup,
        turn_of=turn_of,
        held=held,
        ranking=lambda state: ranking(state.table),
        powers=Powers(offers, take_offer),
        view=view,
        redeal=redeal,
        audience=audience,
        shows={"monastery": "all", "tilters": "all"},  # OR-INFO-5, OR-JOU-8
        tells={"give_armies": "armies_stolen_own"},  # D-36, OR-DEC-3
        notation=Notation(notation.lines, notation.read),
        rulings=RULINGS,
        build=BUILD,
        variants=Variants(variant.ask, variant.read, variant.write, variant.tell),
        rematch=Rematch(rematch, keeps),
        checks=Checks(traits=frozenset((Trait.COMPLETE,)), conserved=conserved, secrets=hidden_words),
    ),
    words=Words(
        catalogue=narrate.WORDS,
        tell=narrate.tell,
        merge=narrate.merge,
        chapter=narrate.chapter,
        labels=narrate.LABELS,
        word=narrate.card_name,
        listed=narrate.card_list,
    ),
    face=Face(
        log=Log(**vars(lore.table("engine.ortus", "log.toml", Kinds)), digest=DIGEST, places=narrate.places),
        figures=FIGURES,
        reason=reason,
        days=lore.days("engine.ortus"),
        lessons=lessons.of("engine.ortus"),
        switch="target",
        last_picked=("tower",),
        preview=certain_effects,
        stakes=stakes,
        counts=COUNTS,
        begins=BEGUN,
        verdict=verdict,
        holds=holds,
        perils=PERILS,
        fights=FIGHTS,
        board=Board,
        fate=grave,
        facts={"cards": card_rows()},
    ),
    orders=BOOK,
    bots=Bots(players={"random": play_at_random, "steady": steady}),
)
