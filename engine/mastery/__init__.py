"""Medieval Mastery: the `Game` definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.bots.random import play_at_random
from engine.core.asks import Answer, Seat, refuse_if
from engine.core.chance import Chance
from engine.core.rulings import Ruled
from engine.game import Bots, Checks, Face, Game, Kinds, Log, Rules, Trait, Variants, Words
from engine.language import lore
from engine.mastery.face import narrate, notation, variant
from engine.mastery.face.board import Board
from engine.mastery.face.digest import DIGEST
from engine.mastery.face.facts import facts
from engine.mastery.face.figures import FIGURES, reason
from engine.mastery.face.preview import certain_effects, waives
from engine.mastery.face.view import MasteryState, in_view, redeal, view
from engine.mastery.odds import BEGINS, COUNTS, FIGHTS, PERILS, holds, stakes, verdict
from engine.mastery.orders import BOOK
from engine.mastery.rules.cards import pile
from engine.mastery.rules.pieces import RULINGS, lore_of
from engine.mastery.rules.reckoning import ranking
from engine.mastery.rules.setup import Campaign, fresh_table
from engine.mastery.rules.table import all_dice, need, target, team_points
from engine.mastery.steady import steady
from engine.text import lessons
from engine.text.notation import Notation


def setup(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None, /) -> MasteryState:
    """Create a match (MM-SET). Raises Refused for unknown options, rulings or numbers of seats."""
    least, most = (lore_of("").constants[k] for k in ("players_min", "players_max"))
    refuse_if(not least <= len(seats) <= most, "mastery.players", least=least, most=most, n=len(seats))
    return MasteryState(fresh_table(seats, options, chance, ruled), [Campaign()])


OWN_TURN = frozenset(("early", "late", "arrange", "verdict", "redistribute"))
"""Asks of the active lord only, outside battle."""


def turn_of(state: MasteryState, seat: Seat) -> str:
    """A turn's steps share its clock; asks in battles are reactions."""
    step = state.stack[-1].step if state.stack and seat in state.waiting else ""
    return f"turn {state.table.turn}" if step in OWN_TURN else ""


def score(state: MasteryState, seat: Seat) -> tuple[int, int]:
    """(points, points to win) of his team (MM-VIC-1, 2)."""
    return team_points(state.table, seat), target(state.table)


OPEN = frozenset(("early", "late", "match", "support", "discard", "redistribute", "verdict"))
"""Asks with public answers."""


def audience(kind: str, seat: Seat, _answer: Answer, /) -> tuple[Seat, ...] | None:
    """Seats that see an answer (MM-HID); conflict cards are hidden until revealed."""
    return None if kind in OPEN else (seat,)


def conserved(state: MasteryState) -> dict[str, int]:
    table = state.table
    counts = {"tiles": len(table.lands), "artefacts": 3 * len(table.lords)}
    for seat, lord in table.lords.items():
        counts[f"cards of {seat}"] = len(lord.hand) + len(lord.deck) + len(in_view(state, lord))
        counts[f"Authority of {seat}"] = [*lord.deck, *lord.hand, *pile(lord)].count("Authority")
        counts[f"dice of {seat}"] = max(all_dice(table), need(table, seat))
    return counts


MASTERY = Game(
    name="mastery",
    title="Medieval Mastery",
    rules=Rules(
        seats=range(2, 7),
        state=MasteryState,
        setup=setup,
        turn_of=turn_of,
        score=score,
        ranking=lambda state: ranking(state.table),
        view=view,
        redeal=redeal,
        audience=audience,
        windows=frozenset(("fracture",)),
        shows={"supported": "all", "support_passed": "all"},  # support settled with the conflict card (MM-ASY-3)
        notation=Notation(notation.lines, notation.read),
        rulings=RULINGS,
        variants=Variants(
            ask=variant.ask,
            read=variant.read,
            write=variant.write,
            tell=variant.tell,
            file=narrate.WORDS.line("variant", "file"),
        ),
        checks=Checks(traits=frozenset((Trait.ENDLESS, Trait.COMPLETE)), conserved=conserved),  # MM-AMB-56
    ),
    words=Words(
        catalogue=narrate.WORDS,
        tell=narrate.tell,
        merge=narrate.merge,
        chapter=narrate.chapter,
        labels=narrate.LABELS,
        word=narrate.word,
        listed=narrate.listed,
    ),
    face=Face(
        log=Log(**vars(lore.table("engine.mastery", "log.toml", Kinds)), digest=DIGEST),
        figures=FIGURES,
        reason=reason,
        days=lore.days("engine.mastery"),
        lessons=lessons.of("engine.mastery"),
        preview=certain_effects,
        waives=waives,
        stakes=stakes,
        counts=COUNTS,
        begins=BEGINS,
        verdict=verdict,
        holds=holds,
        perils=PERILS,
        fights=FIGHTS,
        board=Board,
        facts=facts(),
    ),
    orders=BOOK,
    bots=Bots(players={"random": play_at_random, "steady": steady}),
)
