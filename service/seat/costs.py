"""Permanent losses that an answer causes its seat, in words; cached per position."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog

from engine.core import consequences, offers, procedure
from engine.core.asks import Answer, Refused, Seat, write
from engine.core.consequences import Cost, Looked, Loss, Played
from engine.core.procedure import Procedure
from engine.game import AnyState, Game
from engine.language.words import Names
from engine.play.match import check_offer, run_offer
from service.common.memo import MemoCache

log = structlog.get_logger()

KEPT = 300_000
"""Most characters of cached costs in a process; one takes 200."""
ENDS = ("out", "game")
"""Losses next to which no other is shown."""
MOST = 3
"""Most sentences."""
_kept = MemoCache[Cost](KEPT)


@dataclass(frozen=True)
class Losses:
    certain: list[str]
    risked: list[str]
    ends: bool
    """Whether the game is lost for certain."""

    def __bool__(self) -> bool:
        return bool(self.certain or self.risked)


NOTHING = Losses([], [], False)


def told(game: Game, names: Names, state: AnyState, seat: Seat, answer: Answer, mark: str) -> Losses:
    """Cost of a checked answer to the open question. `state`: what the seat knows; `mark`: its cache key, unique in the
    process.
    """
    if fate := game.face.fate(state, seat, answer):  # it says why, too
        return Losses([fate], [], True)
    if not perilous(game, state.stack[-1].step, answer):
        return NOTHING
    played, fights = consequences.answering(seat, answer), game.face.fights
    return _told(game, names, _cost(game, state, seat, f"{mark} {state.serial} {write(answer)}", played, fights))


def of_offer(
    game: Game, names: Names, state: AnyState, seat: Seat, kind: str, number: int, answer: Answer, mark: str
) -> Losses:
    """Cost of a power (number 0), or of an answer to a proposal; nothing if it waits for a safe point."""
    if procedure.waits(state, seat, kind):
        return NOTHING
    put = False

    def played(world: AnyState) -> None:
        nonlocal put
        before = dict(offers.own(world, seat, ahead=True))
        run_offer(game, world, seat, kind, answer, number)
        for new in [new for new, _ in offers.own(world, seat, ahead=True) if new not in before]:
            put = True  # a proposal, which the others may accept
            proposal = offers.found(world.table, new)
            for to in [*proposal.to] if proposal is not None else ():
                run_offer(game, world, to, kind, check_offer(game, world, to, kind, Answer("accept"), new), new)

    # A fight that is under way goes on: its losses aren't the offer's.
    return _told(game, names, _cost(game, state, seat, f"{mark} {kind}#{number} {write(answer)}", played, (), lambda: not put))


def perilous(game: Game, kind: str, answer: Answer) -> bool:
    """Whether an answer to that kind of question can cost something."""
    return not game.face.perils.isdisjoint((kind, f"{kind}/{answer.option}"))


def _told(game: Game, names: Names, found: Cost) -> Losses:
    ends = bool(found.certain) and found.certain[0].key in ENDS
    risked = () if ends else found.risked
    return Losses(_said(game, names, "loss", found.certain), _said(game, names, "risk", risked), ends)


def _cost(
    game: Game,
    state: AnyState,
    seat: Seat,
    mark: str,
    played: Played,
    fights: tuple[type[Procedure], ...],
    certain: Callable[[], bool] = lambda: True,
) -> Cost:
    """Cached cost; `certain`: asked after playing, whether others needn't agree."""
    key = f"{seat} {mark}".encode()
    found = _kept.get(key)
    if found is None:
        rules, bot = game.rules, game.bots.players[game.bots.steward]
        looked = Looked(game.face.holds, fights, rules.redeal, rules.view, bot)
        try:
            found = consequences.cost(looked, state, seat, played)
            found = found if certain() else Cost((), (*found.certain, *found.risked))
        except Refused:  # an offer that fails on what is hidden
            return Cost()
        except Exception as problem:  # faulty rules must not take the page: the answer itself halts the game
            log.warning("cost not foreseen", game=game.name, problem=type(problem).__name__)
            return Cost()
        _kept.keep(key, found, 200)
    return found


def _said(game: Game, names: Names, section: str, losses: Iterable[Loss]) -> list[str]:
    listed = list(losses)
    listed = listed[:1] if listed and listed[0].key in ENDS else listed[:MOST]
    return [game.words.catalogue.text(section, loss.key, loss.facts, names) for loss in listed]
