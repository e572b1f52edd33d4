"""Submissions: answers checked on arrival and queued for the workers, which decide."""

from __future__ import annotations

import itertools
import re
import threading
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, cast

import sqlalchemy as sa
from sqlalchemy import bindparam, exists
from sqlalchemy.orm import object_session
from sqlmodel import Session, col, select

from engine import match as matches
from engine import offers as proposals
from engine import procedure
from engine.asks import Answer, NotLegal, NotUnderstood, Refused, Seat, are_rows, read, write
from engine.game import AnyState, View
from engine.games import game_called
from engine.hidden import linked, with_offers
from engine.words import Said, say
from service.common.messages import as_text, nsentence, sentence
from service.errors import NotAllowed, Stale
from service.games.halting import STANDS_STILL
from service.games.sealed import taken
from service.games.seen import sealed_by, sealed_for
from service.games.state import state_of
from service.store import bulk, queue
from service.store.models import Match, MatchStatus, SealedAnswer, SeatRow, Submission, SubmissionStatus, now
from service.store.seats import names_of

KEY = re.compile(r"[A-Za-z0-9-]{16,64}")

NOTHING_ASKED = {
    MatchStatus.LOBBY: sentence("The game has not started; there is nothing to answer."),
    MatchStatus.FINISHED: sentence("The game is over; there is nothing to answer."),
    MatchStatus.CANCELLED: sentence("The game was called off; there is nothing to answer."),
}


NO_ASK = 2**31 - 1
"""Largest value of the column; no ask has it."""
TAKEN_BACK = (proposals.WITHDRAW, proposals.AMEND)
"""Options that withdraw or amend a proposal."""
MOST_TAKEN_BACK = 20
"""Daily limit of these for a seat."""
ON_ITS_WAY = sentence("An answer of yours to this question is on its way already; it counts.")


class Decision(NamedTuple):
    """What has become of a submission."""

    match_id: str
    seat: Seat
    status: SubmissionStatus
    refusal: str


DECIDED = sa.select(*(col(getattr(Submission, name)) for name in Decision._fields)).where(col(Submission.id) == bindparam("id"))


@dataclass(frozen=True)
class Lying:
    """Rows needed to check an answer, besides the position."""

    sealed: list[SealedAnswer]
    """Own hidden answers and everybody's offers, oldest first."""
    waiting: bool
    """Another answer to the question is queued or held."""


def submit(
    session: Session,
    match: Match,
    seat: Seat,
    key: str,
    serial: int,
    kind: str,
    answer: Answer,
    via: str = "page",
) -> Submission:
    """Queue an answer to the ask `serial` (0: a power; negative: a proposal). Idempotent by `key`.

    Raises Stale when the position has moved on, Refused for an illegal answer.
    """
    known = sent(session, match.id, seat, key)
    if known is not None:
        return known
    beside = lying(session, match.id, seat, serial, kind)
    answer = vet(session, match, seat, serial, kind, answer, beside)
    if beside.waiting:
        raise Stale(ON_ITS_WAY)
    return put(session, match.id, seat, key, serial, kind, answer, via)


def sent(session: Session, match_id: str, seat: Seat, key: str) -> Submission | None:
    """The submission of a key, if any. Raises NotUnderstood for an invalid key, NotAllowed for another seat's."""
    check_key(key)
    known = session.get(Submission, key)
    if known is not None and (known.match_id, known.seat) != (match_id, seat):
        raise NotAllowed(sentence("That form belongs to another seat; open your own page and answer there."))
    return known


def check_key(key: str) -> None:
    """Raise NotUnderstood for an invalid key."""
    if not KEY.fullmatch(key):
        raise NotUnderstood(sentence("The form's key is missing or broken; open the page again and answer there."))


def put(
    session: Session,
    match_id: str,
    seat: Seat,
    key: str,
    serial: int,
    kind: str,
    answer: Answer,
    via: str = "page",
) -> Submission:
    """Insert a vetted answer, idempotent by `key`. Raises Stale if another is queued: the first counts."""
    submission = Submission(
        id=key,
        match_id=match_id,
        seat=seat,
        serial=serial,
        kind=kind,
        move=write(answer),
        via=via,
        order=time.time_ns(),
    )
    if not bulk.add_unless_there(session, submission):
        known = sent(session, match_id, seat, key)
        if known is None:
            raise Stale(ON_ITS_WAY)
        return known
    queue.after_commit(session, queue.ADJUDICATE, match_id)
    return submission


def lying(session: Session, match_id: str, seat: Seat, serial: int, kind: str) -> Lying:
    """Read these rows in one statement."""
    # Clamp values that the database would refuse; `vet` rejects them.
    serial, kind = max(-NO_ASK, min(serial, NO_ASK)), kind.replace("\0", "")
    rows = session.execute(_lying(), {"of": match_id, "by": seat, "to": serial, "as": kind}).all()
    return Lying([row for row, _ in rows if row is not None], any(waits for _, waits in rows))


@cache
def _lying() -> Any:
    """Cached: building takes longer than sending."""
    own = (col(Submission.match_id) == bindparam("of"), col(Submission.seat) == bindparam("by"))
    to_it = (col(Submission.serial) == bindparam("to"), col(Submission.kind) == bindparam("as"))
    waiting = col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD))
    found = sa.select(SealedAnswer, exists().where(*own, *to_it, waiting)).select_from(SeatRow)
    found = found.outerjoin(SealedAnswer, (col(SealedAnswer.match_id) == SeatRow.match_id) & sealed_by(SeatRow.seat))
    found = found.where(col(SeatRow.match_id) == bindparam("of"), col(SeatRow.seat) == bindparam("by"))
    return found.order_by(col(SealedAnswer.at), SealedAnswer.id)


def vet(
    session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer, beside: Lying | None = None
) -> Answer:
    """Check an answer against the snapshot; returns its canonical form. Raises Stale or Refused."""
    if match.status != MatchStatus.RUNNING:
        raise Stale(NOTHING_ASKED[match.status])
    if match.halted_at is not None:
        raise Stale(STANDS_STILL)
    beside = beside or lying(session, match.id, seat, serial, kind)
    state = _known(match, seat, beside.sealed)
    if serial <= matches.OFFER:
        if serial < matches.OFFER and proposals.found(state.table, -serial) is None:
            raise Stale(say("match.proposal_gone"))
        if serial < matches.OFFER and answer.option in TAKEN_BACK:
            _check_taken_back(session, match.id, seat)
        return matches.check_offer(game_called(match.game), state, seat, kind, answer, -serial, ahead=True)
    if serial != state.serial or kind != state.stack[-1].step or seat not in state.waiting:
        raise Stale(sentence("The position has moved on since that form was shown; here is what is open now."))
    if any(row.seat == seat and row.serial == serial for row in beside.sealed):
        raise Stale(sentence("You have answered that; your answer lies sealed until the others’ are in."))
    return procedure.vet(state, seat, answer)


def _check_taken_back(session: Session, match_id: str, seat: Seat) -> None:
    """Raise NotLegal over the daily limit: amended proposals send letters."""
    day = time.time_ns() - 24 * 3600 * 1_000_000_000
    own = (col(Submission.match_id) == match_id, col(Submission.seat) == seat, col(Submission.order) > day)
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
    """Withdraw a held answer. Idempotent."""
    held = (Submission.match_id == match.id, Submission.seat == seat, Submission.status == SubmissionStatus.HELD)
    for row in session.exec(select(Submission).where(*held, Submission.serial == serial, Submission.kind == kind)):
        row.status, row.done_at = SubmissionStatus.STALE, now()
        row.refusal = as_text(sentence("You have taken it back."))
        session.add(row)


def known_to(session: Session, match: Match, seat: Seat) -> AnyState:
    """The snapshot's position with the hidden offers that the seat knows."""
    return _known(match, seat, sealed_for(session, match, seat))


def own_position(match: Match, seat: Seat) -> AnyState:
    """The same, using the match's session."""
    session = object_session(match)
    assert session is not None
    return known_to(cast(Session, session), match, seat)


def _known(match: Match, seat: Seat, sealed: list[SealedAnswer]) -> AnyState:
    game, state = game_called(match.game), state_of(match)
    offers = [taken(row) for row in sealed if row.serial <= matches.OFFER]
    return with_offers(game, state, linked(game, state.table.seats, offers, (seat,))[0])


@dataclass(frozen=True)
class Forecast:
    """Effect of an answer, perhaps incomplete."""

    words: str
    """Its certain effect in words; empty if hidden or random."""
    drawn: View
    """The same, for drawing on the board."""
    faults: dict[int, Refused]
    """Reason by illegal row; text and drawing cover the rows before it."""
    fault: Refused | None
    """Reason if no row is at fault."""


def preview(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> Forecast:
    """Effect of a complete answer; empty if hidden or random. Raises as `vet` does."""
    answer = vet(session, match, seat, serial, kind, answer)
    if serial <= matches.OFFER:
        return Forecast("", {}, {}, None)
    game, state = game_called(match.game), known_to(session, match, seat)
    words = game.preview(state, seat, answer, names_of(session, match.id))
    return Forecast(words, game.forecast(state, seat, answer), {}, None)


def forecast(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> Forecast:
    """Effect of an incomplete answer, up to the first illegal row. Raises Stale."""
    faults: dict[int, Refused] = {}
    while True:
        try:
            found = preview(session, match, seat, serial, kind, answer)
        except Stale:
            raise
        except Refused as refusal:
            field, n = _row_of(refusal)
            given = answer.values.get(field)
            rows = given[: n - 1] if isinstance(given, list) and are_rows(given) else []
            if not n or n in faults:
                return Forecast("", {}, faults, None if faults else refusal)
            faults = {n: refusal}
            if not rows:
                return Forecast("", {}, faults, None)
            answer = Answer(answer.option, {**answer.values, field: rows})
        else:
            return replace(found, faults=faults)


def _row_of(refusal: Refused) -> tuple[str, int]:
    """'' and 0 for none."""
    told = refusal.said
    if not isinstance(told, Said) or told.code != "ask.row":
        return "", 0
    return str(told.facts["field"]), int(told.facts["n"])


def outcome(session: Session, id: str) -> Decision | None:
    """A submission's state as the database has it now."""
    found = session.execute(DECIDED, {"id": id}).one_or_none()
    return Decision(*found) if found is not None else None


MOST_WAIT = 8
"""Requests of a process waiting for a worker: half of its threads."""
PAUSES = (0.02, 0.03, 0.05, 0.08, 0.13, 0.2)
"""Seconds between polls."""
_waiting = threading.BoundedSemaphore(MOST_WAIT)


def wait(session: Session, id: str, seconds: float = 1.5) -> Decision | None:
    """Poll for the worker's decision, unless too many requests wait. Ends the session's transaction."""
    session.rollback()
    if not _waiting.acquire(blocking=False):
        return outcome(session, id)
    try:
        until, pauses = time.monotonic() + seconds, itertools.chain(PAUSES, itertools.repeat(PAUSES[-1]))
        # Without a transaction a poll is one round trip.
        with session.get_bind().engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            while True:
                found = connection.execute(DECIDED, {"id": id}).one_or_none()
                connection.rollback()  # SQLite's driver begins a transaction all the same
                left = until - time.monotonic()
                if found is None or found.status != SubmissionStatus.QUEUED or left <= 0:
                    return Decision(*found) if found is not None else None
                time.sleep(min(left, next(pauses)))
    finally:
        _waiting.release()


def answer_of(submission: Submission) -> Answer:
    return read(submission.move)
