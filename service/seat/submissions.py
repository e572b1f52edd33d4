"""Submissions: answers checked on arrival and queued; the workers decide."""

from __future__ import annotations

import itertools
import re
import threading
import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engine.core import offers as proposals
from engine.core import procedure
from engine.core.asks import Answer, NotLegal, NotUnderstood, Refused, Seat, are_rows, read, write
from engine.core.chance import Chance
from engine.game import AnyState, View
from engine.games import game_called
from engine.language.words import say
from engine.play import match as matches
from service.common.messages import as_text, nsentence, sentence
from service.common.messages import read as read_message
from service.errors import NotAllowed, Stale
from service.seat import costs
from service.seat import take_back as take_backs
from service.seat.costs import NOTHING, Losses
from service.seat.halting import STANDS_STILL
from service.seat.seat_view import Rows, SeatView, load_answers
from service.seat.state import state_of, with_own_offers
from service.store import bulk, limits, queue
from service.store.models import Match, MatchStatus, Submission, SubmissionStatus, now

KEY = re.compile(r"[A-Za-z0-9-]{16,64}")

NOTHING_ASKED = {
    MatchStatus.LOBBY: sentence("The game has not started; there is nothing to answer."),
    MatchStatus.FINISHED: sentence("The game is over; there is nothing to answer."),
    MatchStatus.CANCELLED: sentence("The game was called off; there is nothing to answer."),
}


TAKEN_BACK = (proposals.WITHDRAW, proposals.AMEND)
"""Options that withdraw or amend a proposal."""
MOST_TAKEN_BACK = 20
"""Most of these per seat and day."""
ON_ITS_WAY = sentence("An answer of yours to this question is on its way already; it counts.")


class Decision(NamedTuple):
    match_id: str
    seat: Seat
    status: SubmissionStatus
    refusal: str


DECIDED = sa.select(*(col(getattr(Submission, name)) for name in Decision._fields)).where(col(Submission.id) == bindparam("id"))


def submit(
    session: Session,
    match: Match,
    seat: Seat,
    key: str,
    serial: int,
    kind: str,
    answer: Answer,
    via: str = "page",
    rows: Rows | None = None,
    vetted: Vetted | None = None,
    written_at: datetime | None = None,
) -> Submission:
    """Queue an answer to the ask `serial` (0: a power or take-back; negative: a proposal). All answers pass through here.

    Idempotent by `key`. `rows`, `vetted`: if already read, or checked; `written_at`: of mail. Raises Stale when the position
    has moved on, or another answer is queued, since the first counts; Refused for an illegal answer.
    """
    if not KEY.fullmatch(key):
        raise NotUnderstood(sentence("The form's key is missing or broken; open the page again and answer there."))
    rows = rows or load_answers(session, match, seat)
    try:
        if vetted is not None:
            answer = vetted.answer
        elif take_backs.is_one(serial, kind):
            answer = take_backs.vet(session, match, seat, answer)
        else:
            answer = vet(match, seat, serial, kind, answer, rows).answer
        if any((row.serial, row.kind) == (serial, kind) for row in rows.sent):
            raise Stale(ON_ITS_WAY)
        if serial < matches.OFFER and answer.option in TAKEN_BACK:
            _check_taken_back(session, match.id, seat)
        submission = Submission(
            id=key,
            match_id=match.id,
            seat=seat,
            serial=serial,
            kind=kind,
            move=write(answer),
            via=via,
            order=time.time_ns(),
            written_at=written_at,
        )
        if not bulk.add_unless_there(session, submission):
            raise Stale(ON_ITS_WAY)
    except Refused:
        known = _sent(session, match.id, seat, key)
        if known is None:
            raise
        return known
    queue.after_commit(session, queue.adjudication(match), match.id)
    return submission


def _sent(session: Session, match_id: str, seat: Seat, key: str) -> Submission | None:
    """The submission with this key. Raises NotAllowed for another seat's."""
    known = session.get(Submission, key)
    if known is not None and (known.match_id, known.seat) != (match_id, seat):
        raise NotAllowed(sentence("That form belongs to another seat; open your own page and answer there."))
    return known


class Vetted(NamedTuple):
    """A checked answer in canonical form, and the position as its seat knows it."""

    serial: int
    kind: str
    answer: Answer
    state: AnyState


def vet(match: Match, seat: Seat, serial: int, kind: str, answer: Answer, rows: Rows, state: AnyState | None = None) -> Vetted:
    """Check an answer against the snapshot, or `state`, as the seat knows it. Raises Stale, Refused."""
    if match.status != MatchStatus.RUNNING:
        raise Stale(NOTHING_ASKED[match.status])
    if match.halted_at is not None:
        raise Stale(STANDS_STILL)
    game = game_called(match.game)
    state = state or with_own_offers(game, state_of(match), seat, rows.sealed)[0]
    if serial <= matches.OFFER:
        if serial < matches.OFFER and proposals.found(state.table, -serial) is None:
            raise Stale(say("match.proposal_gone"))
        return Vetted(serial, kind, matches.check_offer(game, state, seat, kind, answer, -serial, ahead=True), state)
    if serial != state.serial or kind != state.stack[-1].step or seat not in state.waiting:
        raise Stale(sentence("The position has moved on since that form was shown; here is what is open now."))
    if any(row.seat == seat and row.serial == serial for row in rows.sealed):
        raise Stale(sentence("You have answered that; your answer stays hidden until the others have answered."))
    return Vetted(serial, kind, procedure.vet(state, seat, answer), state)


def vet_for(view: SeatView, serial: int, kind: str, answer: Answer) -> Vetted:
    return vet(view.match, view.seat, serial, kind, answer, view.rows, view.state)


def _check_taken_back(session: Session, match_id: str, seat: Seat) -> None:
    """Raise NotLegal over the daily limit: amended proposals send letters."""
    own = (col(Submission.match_id) == match_id, col(Submission.seat) == seat, take_backs.within_a_day())
    moves = session.exec(select(Submission.move).where(*own, col(Submission.serial) < matches.OFFER))
    if sum(read(move).option in TAKEN_BACK for move in moves) >= MOST_TAKEN_BACK:
        raise NotLegal(
            nsentence(
                "%(num)s proposal taken back or amended within a day is the most; this one stands as it is.",
                "%(num)s proposals taken back or amended within a day are the most; this one stands as it is.",
                MOST_TAKEN_BACK,
            )
        )


def take_back(session: Session, match: Match, seat: Seat, serial: int, kind: str) -> None:
    """Withdraw a held answer, unless a worker has played it. Idempotent."""
    limits.one_at_a_time(session, match)
    held = (Submission.match_id == match.id, Submission.seat == seat, Submission.status == SubmissionStatus.HELD)
    for row in session.exec(select(Submission).where(*held, Submission.serial == serial, Submission.kind == kind)):
        row.status, row.done_at = SubmissionStatus.STALE, now()
        row.refusal = as_text(sentence("You have taken it back."))


@dataclass(frozen=True)
class Forecast:
    words: str
    """Its certain effect in words; empty if hidden or random."""
    drawn: View
    """The same, for drawing on the board."""
    faults: dict[int, Refused]
    """Reason by illegal row; text and drawing cover the rows before it."""
    fault: Refused | None
    """Reason if no single row is at fault."""
    cost: Losses = NOTHING
    """Permanent losses of the seat."""


def preview(view: SeatView, vetted: Vetted) -> Forecast:
    """Effect of a complete answer; empty if hidden or random."""
    if vetted.serial <= matches.OFFER:
        return Forecast("", {}, {}, None)
    face, state, answer = view.game.face, vetted.state, vetted.answer
    words = face.preview(state, view.seat, answer, view.names)
    cost = costs.told(view.game, view.names, state, view.seat, answer, f"{view.match.id} {view.mark}")
    return Forecast(words, face.forecast(state, view.seat, answer), {}, None, cost)


def warns(view: SeatView, vetted: Vetted) -> bool:
    """Whether an answer must be confirmed: it gives up the best of a turn, costs the game, or costs something for good and
    isn't the default.
    """
    if view.game.face.waives(vetted.state, view.seat, vetted.answer):
        return True
    if not costs.perilous(view.game, vetted.kind, vetted.answer):
        return False
    cost = costs.told(view.game, view.names, vetted.state, view.seat, vetted.answer, f"{view.match.id} {view.mark}")
    return bool(cost) and (cost.ends or vetted.answer != procedure.ask_of(vetted.state, view.seat).default)


def cost_of_offer(view: SeatView, vetted: Vetted) -> Losses:
    """What a power, or an answer to a proposal, costs the seat for good."""
    number, mark = -vetted.serial, f"{view.match.id} {view.mark}"
    return costs.of_offer(view.game, view.names, vetted.state, view.seat, vetted.kind, number, vetted.answer, mark)


def leaves_open(view: SeatView, vetted: Vetted) -> bool:
    """Whether a power makes a proposal that its seat can withdraw. Tried on a redealt state."""
    game, state = view.game, vetted.state
    before = {number for number, _ in proposals.own(state, view.seat, ahead=True)}
    tried = game.rules.redeal(state, view.seat, Chance("tried"))
    try:
        matches.run_offer(game, tried, view.seat, vetted.kind, vetted.answer)
    except Refused:
        return False
    return not {number for number, _ in proposals.own(tried, view.seat, ahead=True)} <= before


def forecast(view: SeatView, serial: int, kind: str, answer: Answer) -> Forecast:
    """Effect of an incomplete answer, up to the first illegal row. Raises Stale."""
    faults: dict[int, Refused] = {}
    while True:
        try:
            found = preview(view, vet_for(view, serial, kind, answer))
        except Stale:
            raise
        except Refused as refusal:
            field, n = _row_of(refusal)
            given = answer.values.get(field)
            legal = given[: n - 1] if isinstance(given, list) and are_rows(given) else []
            if not n or n in faults:
                return Forecast("", {}, faults, None if faults else refusal)
            faults = {n: refusal}
            if not legal:
                return Forecast("", {}, faults, None)
            answer = Answer(answer.option, {**answer.values, field: legal})
        else:
            return replace(found, faults=faults)


def _row_of(refusal: Refused) -> tuple[str, int]:
    told = refusal.said
    if told.code != "ask.row":
        return "", 0
    return str(told.facts["field"]), int(told.facts["n"])


def refusal_of(submission: Submission | Decision) -> str:
    return str(read_message(submission.refusal))


def outcome(at: Session | sa.Connection, id: str) -> Decision | None:
    """A submission's committed state."""
    found = at.execute(DECIDED, {"id": id}).one_or_none()
    return Decision(*found) if found is not None else None


MOST_WAIT = 16
"""Most requests of a process that wait for a worker: half of its threads."""
PAUSES = (0.02, 0.006, 0.008, 0.012, 0.02, 0.03, 0.05, 0.08, 0.13, 0.2)
"""Seconds before each poll. There is none at once: no worker decides within milliseconds."""
CROWD_PAUSE = 0.01
"""Seconds more for each other request that waits: then the workers are busy, and polls would take their time."""
_waiting: list[str] = []
_counting = threading.Lock()


def wait(session: Session, id: str, seconds: float = 1.5) -> Decision | None:
    """Poll for the worker's decision, unless too many requests wait. Ends the session's transaction."""
    session.rollback()
    with _counting:
        full = len(_waiting) >= MOST_WAIT
        if not full:
            _waiting.append(id)
    if full:
        return outcome(session, id)
    try:
        until, pauses = time.monotonic() + seconds, itertools.chain(PAUSES, itertools.repeat(PAUSES[-1]))
        while True:
            pause = next(pauses) + CROWD_PAUSE * (len(_waiting) - 1)
            time.sleep(max(0.0, min(until - time.monotonic(), pause)))
            found = _poll(session, id)
            if found is None or found.status != SubmissionStatus.QUEUED or time.monotonic() >= until:
                return found
    finally:
        with _counting:
            _waiting.remove(id)


def _poll(session: Session, id: str) -> Decision | None:
    """`outcome` in one round trip, with a connection that others may use between polls."""
    with session.get_bind().engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        return outcome(connection, id)
