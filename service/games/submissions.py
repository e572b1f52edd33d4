"""Answers on their way: looked at where they come in, queued for the workers, whose word is final."""

from __future__ import annotations

import itertools
import re
import threading
import time

from sqlalchemy import bindparam
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from engine import match as matches
from engine import offers as proposals
from engine import procedure
from engine.asks import Answer, NotUnderstood, Seat, read, write
from engine.game import AnyState
from engine.games import game_called
from engine.words import say
from service.errors import NotAllowed, Stale
from service.games.halting import STANDS_STILL
from service.games.sealed import linked, taken, with_offers
from service.games.state import state_of
from service.ground.phrases import as_text, sentence
from service.store import queue
from service.store.models import Match, MatchStatus, SealedAnswer, Submission, SubmissionStatus, now
from service.store.seats import names_of

KEY = re.compile(r"[A-Za-z0-9-]{16,64}")

# Statements of every post, made once: to put one together takes longer than to send it.
WAITING = select(Submission.id).where(
    Submission.match_id == bindparam("of"),
    Submission.seat == bindparam("by"),
    Submission.serial == bindparam("to"),
    Submission.kind == bindparam("as"),
    col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD)),
)
SEALED = select(SealedAnswer.id).where(
    SealedAnswer.match_id == bindparam("of"), SealedAnswer.seat == bindparam("by"), SealedAnswer.serial == bindparam("to")
)
OFFERS = (
    select(SealedAnswer)
    .where(SealedAnswer.match_id == bindparam("of"), SealedAnswer.serial <= matches.OFFER)
    .order_by(col(SealedAnswer.at), SealedAnswer.id)
)

NOTHING_ASKED = {
    MatchStatus.LOBBY: sentence("The game has not started; there is nothing to answer."),
    MatchStatus.FINISHED: sentence("The game is over; there is nothing to answer."),
    MatchStatus.CANCELLED: sentence("The game was called off; there is nothing to answer."),
}


def submit(
    session: Session, match: Match, seat: Seat, key: str, serial: int, kind: str, answer: Answer, via: str = "page"
) -> Submission:
    """Queue an answer to the ask no. `serial` (0: a power; negative: a proposal). The same key again gives the same submission.

    Raises Stale when the position has moved on, Refused with a sentence when the answer is plainly illegal. Nothing is
    changed then. The worker's word on the submission is final.
    """
    if not KEY.fullmatch(key):
        raise NotUnderstood(sentence("The form's key is missing or broken; open the page again and answer there."))
    known = session.get(Submission, key)
    if known is not None:
        return _own(known, match, seat)
    answer = vet(session, match, seat, serial, kind, answer)
    on_its_way = Stale(sentence("An answer of yours to this question is on its way already; it counts."))
    if session.execute(WAITING, {"of": match.id, "by": seat, "to": serial, "as": kind}).first() is not None:
        raise on_its_way
    submission = Submission(
        id=key, match_id=match.id, seat=seat, serial=serial, kind=kind, move=write(answer), via=via, order=time.time_ns()
    )
    try:
        with session.begin_nested():
            session.add(submission)
    except IntegrityError:
        # The same form, or another for the same question, came at the same moment: the first counts.
        found = session.get(Submission, key)
        if found is None:
            raise on_its_way from None
        return _own(found, match, seat)
    queue.after_commit(session, queue.ADJUDICATE, match.id)
    return submission


def _own(submission: Submission, match: Match, seat: Seat) -> Submission:
    if (submission.match_id, submission.seat) != (match.id, seat):
        raise NotAllowed(sentence("That form belongs to another seat; open your own page and answer there."))
    return submission


def vet(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> Answer:
    """The answer in canonical form if it is legal in the snapshot's position. Raises Stale or Refused otherwise."""
    if match.status != MatchStatus.RUNNING:
        raise Stale(NOTHING_ASKED[match.status])
    if match.halted_at is not None:
        raise Stale(STANDS_STILL)
    if serial <= matches.OFFER:
        known = known_to(session, match, seat)
        if serial < matches.OFFER and proposals.found(known.table, -serial) is None:
            raise Stale(say("match.proposal_gone"))
        return matches.check_offer(game_called(match.game), known, seat, kind, answer, -serial, ahead=True)
    state = known_to(session, match, seat)
    if serial != state.serial or kind != state.stack[-1].step or seat not in state.waiting:
        raise Stale(sentence("The position has moved on since that form was shown; here is what is open now."))
    if session.execute(SEALED, {"of": match.id, "by": seat, "to": serial}).first() is not None:
        raise Stale(sentence("You have answered that; your answer lies sealed until the others’ are in."))
    return procedure.vet(state, seat, answer)


def take_back(session: Session, match: Match, seat: Seat, serial: int, kind: str) -> None:
    """Take back what waits for a safe point. Doing it twice is once."""
    held = (Submission.match_id == match.id, Submission.seat == seat, Submission.status == SubmissionStatus.HELD)
    for row in session.exec(select(Submission).where(*held, Submission.serial == serial, Submission.kind == kind)):
        row.status, row.done_at = SubmissionStatus.STALE, now()
        row.refusal = as_text(sentence("You have taken it back."))
        session.add(row)


def known_to(session: Session, match: Match, seat: Seat) -> AnyState:
    """The position as the snapshot has it, with the sealed offers that the seat knows of."""
    game, state = game_called(match.game), state_of(match)
    offers = [taken(row) for row in session.execute(OFFERS, {"of": match.id}).scalars()]
    return with_offers(game, state, linked(game, state.table.seats, offers, (seat,))[0])


def preview(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> str:
    """What an answer will surely do, in words; empty where that is hidden or random. Raises Refused like `vet`."""
    answer = vet(session, match, seat, serial, kind, answer)
    if serial <= matches.OFFER:
        return ""
    return game_called(match.game).preview(state_of(match), seat, answer, names_of(session, match.id))


def outcome(session: Session, id: str) -> Submission | None:
    """The submission as it stands now."""
    return session.get(Submission, id, populate_existing=True)


MOST_WAIT = 3
"""Requests of one process that wait for a worker's word at the same time: they hold threads that other pages need."""
PAUSES = (0.02, 0.04, 0.08, 0.16, 0.3)
_waiting = threading.BoundedSemaphore(MOST_WAIT)


def wait(session: Session, id: str, seconds: float = 1.5) -> Submission | None:
    """Wait a moment for the worker's word on a submission, unless enough others do; the submission as it stands then."""
    session.rollback()
    found = outcome(session, id)
    if not _waiting.acquire(blocking=False):
        return found
    try:
        until, pauses = time.monotonic() + seconds, itertools.chain(PAUSES, itertools.repeat(PAUSES[-1]))
        while found is not None and found.status == SubmissionStatus.QUEUED and (left := until - time.monotonic()) > 0:
            session.rollback()
            time.sleep(min(left, next(pauses)))
            found = outcome(session, id)
        return found
    finally:
        _waiting.release()


def answer_of(submission: Submission) -> Answer:
    """What was submitted."""
    return read(submission.move)
