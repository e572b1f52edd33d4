"""Fief: France 1429: the `Game` definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from engine.bots.random import play_at_random
from engine.core.asks import Answer, Ask, Seat
from engine.core.chance import Chance
from engine.core.parleys import Parleys
from engine.core.procedure import Procedure
from engine.core.rulings import Ruled
from engine.fief.face import narrate, notation, variant
from engine.fief.face.board import SORTS, Board
from engine.fief.face.digest import DIGEST
from engine.fief.face.figures import FIGURES, reason
from engine.fief.face.preview import certain_effects, forecast
from engine.fief.face.view import redeal, view
from engine.fief.odds import BEGINS, COUNTS, FIGHTS, PERILS, holds, stakes, verdict
from engine.fief.orders import BOOK
from engine.fief.rules import diplomacy, opportunity
from engine.fief.rules.court.ransom import LESS
from engine.fief.rules.realm import relics
from engine.fief.rules.realm.pieces import RULINGS, lore_of
from engine.fief.rules.round import Round, score, sides
from engine.fief.rules.setup import LEAST, MOST, SetUp, fresh_table
from engine.fief.rules.types import FiefState
from engine.fief.steady import answer_offer, steady
from engine.game import Bots, Checks, Face, Game, Kinds, Log, Powers, Rules, Trait, Variants, Words
from engine.language import lore
from engine.text import lessons
from engine.text.notation import Notation


def setup(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None, /) -> FiefState:
    """Create a match (FF-SET). Raises NotUnderstood for unknown options or numbers of seats."""
    return FiefState(fresh_table(seats, options, chance, ruled), [Round()])


def turn_of(state: FiefState, seat: Seat) -> str:
    """Clock key: a phase's steps share one (FF-ASY-4)."""
    left = getattr(state.stack[-1], "left", None) if seat in state.waiting else None
    return f"{state.table.round}/{state.table.phase}" if left and left[0] == seat else ""


# --- open at any time -------------------------------------------------------------------------------------------------


def offers(state: FiefState, seat: Seat) -> list[Ask]:
    """Optional actions: cards, diplomacy, relics (FF-ASY-5)."""
    table = state.table
    if table.outcome is not None or not table.round:
        return []
    return [*opportunity.powers(table, seat), *diplomacy.powers(table, seat), *relics.powers(table, seat)]


def vet_offer(state: FiefState, seat: Seat, kind: str, answer: Answer) -> None:
    """Raises NotLegal."""
    if kind in opportunity.KINDS:
        opportunity.vet(state.table, kind, answer)
    elif kind == "exchange":
        diplomacy.vet_exchange(state.table, seat, answer)
    elif kind in relics.KINDS:
        relics.vet(state.table, seat, kind, answer)


def ranking(state: FiefState) -> dict[tuple[Seat, ...], tuple[int, int]]:
    """Side -> rank by distance to its goal; a single family precedes an alliance (FF-VIC-1 to 4)."""
    if not state.table.round:
        return {}
    counted = {side: score(state.table, side[0]) for side in sides(state.table)}
    return {side: (own - goal, -len(side)) for side, (own, goal) in counted.items()}


def take_offer(state: FiefState, seat: Seat, kind: str, answer: Answer) -> None:
    table, stack = state.table, cast(list[Any], state.stack)
    opened: Procedure | None = None
    if kind in opportunity.KINDS:
        opened = opportunity.use(table, seat, kind, answer)
    elif kind in relics.KINDS:
        relics.use(table, seat, kind, answer)
    else:
        opened = diplomacy.use(table, seat, kind, answer)
    if opened is not None:
        stack.append(opened)
    if kind not in QUIET:
        table.stirred += 1


QUIET = diplomacy.PRIVATE | {"parley", "extend", "grant", "revoke"}
"""Powers that don't change the table: no new checkpoint after them (FF-ASY-10)."""


PUBLIC = frozenset((
    "purses", "village", "court", "stand", "play", "host", "prince", "receiver", "bearer", "heir", "teeth", "consent", "ransom",
    "ransom_answer", "ransom_which", "gift", "leave", "refused", "ride_on", "side", "losses", "captors", "go_on",
    "battles", "pillage", "calm", "uprising_losses", "place", "draw", "discard", "plague",
))  # fmt: skip
"""Kinds of asks with answers public once played."""


def audience(kind: str, seat: Seat, answer: Answer) -> tuple[Seat, ...] | None:
    """Seats that see an answer; None: all (FF-INF-1 to 5)."""
    if kind in diplomacy.PRIVATE:
        return diplomacy.parties(seat, kind, answer)
    if kind in opportunity.KINDS or kind in relics.KINDS or kind in diplomacy.KINDS:
        return None
    if kind == "ransom" and answer.option == LESS:
        return (seat,)  # the captor is told
    return None if kind in PUBLIC else (seat,)


SHOWS = dict.fromkeys(("disaster", "false_alarm", "disaster_skipped", "disaster_discarded", "tally", "mustered"), "all")
"""Events that reveal hidden cards (FF-DIS-1, FF-CRD-5, FF-ELE-4, FF-OPT-10)."""


TIMES = lore_of().asynchronous
PARLEYS = Parleys(
    of=lambda state: state.table.parleys,
    posts=TIMES["parley_posts_per_participant"],
    longest=TIMES["parley_post_chars"],
    least_hours=TIMES["parley_min_h"],
    most_hours=TIMES["parley_max_h"],
    needed=lambda options: not options.get("open_diplomacy"),
)
"""FF-DIP-10: a limited private thread; not needed with Open Diplomacy (FF-OPT-11)."""


# --- for tests --------------------------------------------------------------------------------------------------------


def conserved(state: FiefState) -> dict[str, int]:
    """Invariant counts (FF-CMP-3, 7)."""
    table, dealt = state.table, [lord for p in state.stack if isinstance(p, SetUp) for lord in p.lords.values()]
    counts = Counter(f"card {card}" for card in [*table.cards(), *dealt])
    counts["relics"] = len(table.gone) + sum(len(v.relics) for v in table.villages.values()) + len(table.fallen)
    counts["relics"] += sum(len(p.relics) for p in table.lords.values())
    return dict(counts)


FIEF = Game(
    name="fief",
    title="Fief: France 1429",
    rules=Rules(
        seats=range(LEAST, MOST + 1),
        state=FiefState,
        setup=setup,
        turn_of=turn_of,
        round_of=lambda state: int(state.table.round),
        score=lambda state, seat: score(state.table, seat),
        ranking=ranking,
        powers=Powers(offers, take_offer, vet_offer),
        view=view,
        redeal=redeal,
        audience=audience,
        shows=SHOWS,
        windows=frozenset(("window",)),
        variants=Variants(
            ask=variant.ask,
            read=variant.read,
            write=variant.write,
            tell=variant.tell,
            file=narrate.WORDS.line("variant", "file"),
            names=narrate.names_for,
            bounded="play rounds=10",
        ),
        notation=Notation(notation.lines, notation.read),
        rulings=RULINGS,
        parleys=PARLEYS,
        checks=Checks(traits=frozenset((Trait.ENDLESS, Trait.COMPLETE)), conserved=conserved),
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
        log=Log(**vars(lore.table("engine.fief", "log.toml", Kinds)), digest=DIGEST),
        figures=FIGURES,
        reason=reason,
        days=lore.days("engine.fief"),
        lessons=lessons.of("engine.fief"),
        preview=certain_effects,
        stakes=stakes,
        counts=COUNTS,
        begins=BEGINS,
        verdict=verdict,
        holds=holds,
        perils=PERILS,
        fights=FIGHTS,
        forecast=forecast,
        board=Board,
        facts={"sorts": SORTS},
    ),
    orders=BOOK,
    bots=Bots(players={"random": play_at_random, "steady": steady}, offer_policies={"steady": answer_offer}),
)
