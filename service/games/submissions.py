"""Answers on their way: looked at where they come in, queued for the workers, whose word is final."""

from __future__ import annotations

import itertools
import re
import threading
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

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
from engine.words import Said, say
from service.common.messages import as_text, nsentence, sentence
from service.errors import NotAllowed, Stale
from service.games.halting import STANDS_STILL
from service.games.sealed import linked, taken, with_offers
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
"""The greatest number that a column of asks' numbers takes; no ask has it."""
TAKEN_BACK = (proposals.WITHDRAW, proposals.AMEND)
"""Options by which a proposer takes a proposal back, or puts it in other terms."""
MOST_TAKEN_BACK = 20
"""Such answers of one seat within a day."""
ON_ITS_WAY = sentence("An answer of yours to this question is on its way already; it counts.")


@dataclass(frozen=True)
class Lying:
    """What an answer is looked at beside, apart from the position."""

    sealed: list[SealedAnswer]
    """The seat's own answers that lie sealed, and the offers of all, the oldest first."""
    waiting: bool
    """Whether another answer of the seat to the same question is on its way, or waits for a safe point."""


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
    """Queue an answer to the ask no. `serial` (0: a power; negative: a proposal). The same key again gives the same submission.

    Raises Stale when the position has moved on, Refused with a sentence when the answer is plainly illegal. Nothing is
    changed then. The worker's word on the submission is final.
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
    """The submission of that key, if there is one. Raises NotUnderstood for no key, NotAllowed for that of another seat."""
    check_key(key)
    known = session.get(Submission, key)
    if known is not None and (known.match_id, known.seat) != (match_id, seat):
        raise NotAllowed(sentence("That form belongs to another seat; open your own page and answer there."))
    return known


def check_key(key: str) -> None:
    """Raise NotUnderstood for what is no key of a form."""
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
    """Queue an answer that was vetted, in one statement. The same key again gives the same submission.

    Raises Stale where another answer to the question is on its way: of several that come at the same moment the first counts.
    """
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
    """What an answer is looked at beside, in one statement."""
    # What a database doesn't take is no ask's number or kind; `vet` says so.
    serial, kind = max(-NO_ASK, min(serial, NO_ASK)), kind.replace("\0", "")
    rows = session.execute(_lying(), {"of": match_id, "by": seat, "to": serial, "as": kind}).all()
    return Lying([row for row, _ in rows if row is not None], any(waits for _, waits in rows))


@cache
def _lying() -> Any:
    """Made once: to put it together takes longer than to send it."""
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
    """The answer in canonical form if it is legal in the snapshot's position. Raises Stale or Refused otherwise.

    `beside`: what is read already.
    """
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
    """Raises NotLegal for a seat that has taken back or amended proposals often enough within a day: each put again is a letter
    to others."""
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
    """Take back what waits for a safe point. Doing it twice is once."""
    held = (Submission.match_id == match.id, Submission.seat == seat, Submission.status == SubmissionStatus.HELD)
    for row in session.exec(select(Submission).where(*held, Submission.serial == serial, Submission.kind == kind)):
        row.status, row.done_at = SubmissionStatus.STALE, now()
        row.refusal = as_text(sentence("You have taken it back."))
        session.add(row)


def known_to(session: Session, match: Match, seat: Seat) -> AnyState:
    """The position as the snapshot has it, with the sealed offers that the seat knows of."""
    return _known(match, seat, sealed_for(session, match, seat))


def own_position(match: Match, seat: Seat) -> AnyState:
    """The same for a match that is loaded, read with the session that it belongs to."""
    session = object_session(match)
    assert session is not None
    return known_to(cast(Session, session), match, seat)


def _known(match: Match, seat: Seat, sealed: list[SealedAnswer]) -> AnyState:
    game, state = game_called(match.game), state_of(match)
    offers = [taken(row) for row in sealed if row.serial <= matches.OFFER]
    return with_offers(game, state, linked(game, state.table.seats, offers, (seat,))[0])


@dataclass(frozen=True)
class Forecast:
    """What an answer comes to; of one that is still being filled in, what can be played of it."""

    words: str
    """What it will surely do, in words; empty where that is hidden or random."""
    drawn: View
    """The same, for a game that draws it."""
    faults: dict[int, Refused]
    """Why a row can't be played, by its number. What is said is of the rows before it."""
    fault: Refused | None
    """Why nothing of it can be played, where that is no row's fault."""


def preview(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> Forecast:
    """What a whole answer comes to; nothing is said where that is hidden or random. Raises Refused like `vet`."""
    answer = vet(session, match, seat, serial, kind, answer)
    if serial <= matches.OFFER:
        return Forecast("", {}, {}, None)
    game, state = game_called(match.game), known_to(session, match, seat)
    words = game.preview(state, seat, answer, names_of(session, match.id))
    return Forecast(words, game.forecast(state, seat, answer), {}, None)


def forecast(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> Forecast:
    """Look ahead at an answer while it is filled in: the first row that can't be played is left out, with all after it.

    Raises Stale where the question itself is open no more.
    """
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
    """The field and the number of the row that a refusal is about; '' and 0 where it is about none."""
    told = refusal.said
    if not isinstance(told, Said) or told.code != "ask.row":
        return "", 0
    return str(told.facts["field"]), int(told.facts["n"])


def outcome(session: Session, id: str) -> Submission | None:
    """The submission as it stands now."""
    return session.get(Submission, id, populate_existing=True)


MOST_WAIT = 4
"""Requests of one process that wait for a worker at the same time: half of its threads, the others make pages."""
PAUSES = (0.02, 0.03, 0.05, 0.08, 0.13, 0.2)
"""Seconds between two looks at the row."""
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
