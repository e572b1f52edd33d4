"""The turn page and what is posted from it: one row is read, and an answer is queued for the workers."""

from __future__ import annotations

import itertools
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from engine import match as matches
from engine import procedure
from engine.asks import Answer, NotUnderstood, Seat, read, write
from engine.forms import Form, read_form
from engine.game import AnyState, Game
from engine.games import game_called
from engine.views import Event
from service import names, queue
from service.accounts import zone_at
from service.chronicle import PREFIX, tell
from service.errors import NotAllowed, NotFound, Stale
from service.halting import STANDS_STILL
from service.models import AskRow, EntryRow, EventRow, Match, SealedAnswer, Submission, ViewRow
from service.models import Seat as SeatRow
from service.playing import Taken, stored, with_offers
from service.sealing import need

KEY = re.compile(r"[A-Za-z0-9-]{16,64}")
PAGE = 100
"""Log entries on one page of the history."""


@dataclass(frozen=True)
class TurnPage:
    """All that the page of one seat shows."""

    match: Match
    game: Game
    seat: Seat
    names: dict[Seat, str]
    colours: dict[Seat, str]
    view: dict[str, Any]
    form: Form | None
    offers: list[Form]
    news: list[str]
    serial: int
    n: int
    head: str
    ask: AskRow | None
    """The open question's clock."""
    steward: str
    """The bot that keeps the seat, if one does."""
    pending: Submission | None
    """An answer of this seat that the workers have not taken up yet."""


def page(session: Session, match: Match, seat: Seat) -> TurnPage | None:
    """The page of a seat; None while the workers have not opened the game yet. Its cost doesn't grow with the log."""
    row = session.get(ViewRow, (match.id, seat))
    if row is None:
        return None
    seats = session.exec(select(SeatRow).where(SeatRow.match_id == match.id)).all()
    queued = select(Submission).where(Submission.match_id == match.id, Submission.seat == seat, Submission.status == "queued")
    return TurnPage(
        match=match,
        game=game_called(match.game),
        seat=seat,
        names={s.seat: s.name for s in seats},
        colours={s.seat: s.colour for s in seats},
        view=row.view,
        form=read_form(row.form) if row.form is not None else None,
        offers=[read_form(offer) for offer in row.offers],
        news=row.news,
        serial=row.serial,
        n=row.n,
        head=row.head,
        ask=session.get(AskRow, (match.id, seat, row.serial)) if row.form is not None else None,
        steward=next((s.steward for s in seats if s.seat == seat), ""),
        pending=session.exec(queued.order_by(col(Submission.order))).first(),
    )


def steward_of(session: Session, match: Match, seat: Seat) -> str:
    """The bot that keeps the seat for its owner; empty when they have it themselves."""
    row = session.get(SeatRow, (match.id, seat))
    return row.steward if row is not None else ""


def state_of(match: Match) -> AnyState:
    """The position as the snapshot has it. Raises NotFound before the workers have opened the game."""
    if match.snapshot is None:
        raise NotFound("The game is being set up; it opens in a moment.")
    need(match.snapshot)
    return game_called(match.game).decode(match.snapshot)


def submit(
    session: Session, match: Match, seat: Seat, key: str, serial: int, kind: str, answer: Answer, via: str = "page"
) -> Submission:
    """Queue an answer to the ask no. `serial` (0: an offer). The same key again gives the same submission.

    Raises Stale when the position has moved on, Refused with a sentence when the answer is plainly illegal. Nothing is
    changed then. The worker's word on the submission is final.
    """
    if not KEY.fullmatch(key):
        raise NotUnderstood("The form's key is missing or broken; open the page again and answer there.")
    known = session.get(Submission, key)
    if known is not None:
        return _own(known, match, seat)
    answer = vet(session, match, seat, serial, kind, answer)
    queued = select(Submission).where(
        Submission.match_id == match.id,
        Submission.seat == seat,
        Submission.serial == serial,
        Submission.kind == kind,
        Submission.status == "queued",
    )
    if session.exec(queued).first() is not None:
        raise Stale("An answer of yours to this question is on its way already; it counts.")
    submission = Submission(
        id=key, match_id=match.id, seat=seat, serial=serial, kind=kind, move=write(answer), via=via, order=time.time_ns()
    )
    try:
        with session.begin_nested():
            session.add(submission)
    except IntegrityError:
        # The same form came twice at the same moment: the first counts.
        found = session.get(Submission, key)
        assert found is not None
        return _own(found, match, seat)
    queue.after_commit(session, queue.ADJUDICATE, match.id)
    return submission


def _own(submission: Submission, match: Match, seat: Seat) -> Submission:
    if (submission.match_id, submission.seat) != (match.id, seat):
        raise NotAllowed("That form belongs to another seat; open your own page and answer there.")
    return submission


def vet(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> Answer:
    """The answer in canonical form if it is legal in the snapshot's position. Raises Stale or Refused otherwise."""
    if match.status != "running":
        over = {"lobby": "has not started", "finished": "is over", "cancelled": "was called off"}[match.status]
        raise Stale(f"The game {over}; there is nothing to answer.")
    if match.halted_at is not None:
        raise Stale(STANDS_STILL)
    if serial == matches.OFFER:
        return matches.check_offer(game_called(match.game), known_to(session, match, seat), seat, kind, answer)
    state = state_of(match)
    if serial != state.serial or kind != state.stack[-1].step or seat not in state.waiting:
        raise Stale("The position has moved on since that form was shown; here is what is open now.")
    if session.exec(_sealed(match, seat).where(SealedAnswer.serial == serial)).first() is not None:
        raise Stale("You have answered that; your answer lies sealed until the others’ are in.")
    return procedure.vet(state, seat, answer)


def _sealed(match: Match, seat: Seat) -> SelectOfScalar[SealedAnswer]:
    return select(SealedAnswer).where(SealedAnswer.match_id == match.id, SealedAnswer.seat == seat)


def known_to(session: Session, match: Match, seat: Seat) -> AnyState:
    """The position as the snapshot has it, with the offers that the seat has taken and nobody else knows of."""
    offers = session.exec(_sealed(match, seat).where(SealedAnswer.serial == matches.OFFER).order_by(col(SealedAnswer.at)))
    taken = [Taken(seat, row.kind, stored(row)) for row in offers]
    return with_offers(game_called(match.game), state_of(match), taken)


def preview(session: Session, match: Match, seat: Seat, serial: int, kind: str, answer: Answer) -> str:
    """What an answer will surely do, in words; empty where that is hidden or random. Raises Refused like `vet`."""
    answer = vet(session, match, seat, serial, kind, answer)
    if serial == matches.OFFER:
        return ""
    return game_called(match.game).preview(state_of(match), seat, answer)


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
        while found is not None and found.status == "queued" and (left := until - time.monotonic()) > 0:
            session.rollback()
            time.sleep(min(left, next(pauses)))
            found = outcome(session, id)
        return found
    finally:
        _waiting.release()


def answer_of(submission: Submission) -> Answer:
    """What was submitted."""
    return read(submission.move)


UNASKED = ("order", "advance")
"""How an answer comes that its player gave beforehand."""


@dataclass(frozen=True)
class Mark:
    """How an answer came that its player gave beforehand."""

    via: str
    """order or advance."""
    own: bool
    """Whether it is the reader's own."""


@dataclass(frozen=True)
class HistoryPage:
    """A page of the history: lines of (entry number, sentences), oldest first, and how many pages there are.

    What happened around the board has no number there: while answers lie sealed, it would tell how many there are.
    """

    lines: list[tuple[int | None, list[str]]] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    marks: dict[int, Mark] = field(default_factory=dict)
    """Answers that were given by order or in advance, by their numbers. While the game runs they are the seat's own, and
    nobody else is told; after its end they are everybody's."""


def history(session: Session, match: Match, seat: Seat | None, number: int | None = None) -> HistoryPage:
    """What happened so far, as the seat (None: a spectator) may know it; the last page when no number is given."""
    game = game_called(match.game)
    row = session.get(ViewRow, (match.id, seat or ""))
    if row is None:
        return HistoryPage()
    pages = row.n // PAGE + 1
    number = min(max(1, number or pages), pages)
    then, zone = names.then(session, match), zone_at(session, match.id, seat)
    found = select(EventRow).where(
        EventRow.match_id == match.id, col(EventRow.n) >= (number - 1) * PAGE, col(EventRow.n) < number * PAGE
    )
    lines: dict[int, list[str]] = {}
    numbered: set[int] = set()
    for event in session.exec(found.order_by(col(EventRow.n), col(EventRow.i))):
        told = as_event(event)
        if told.seen_by(seat):
            if not told.kind.startswith(PREFIX):
                numbered.add(event.n)
            lines.setdefault(event.n, []).append(tell(game, told, then(event.n), seat, zone))
    return HistoryPage(
        [(n if n in numbered else None, told) for n, told in lines.items()],
        number,
        pages,
        _marks(session, match, seat, numbered),
    )


def _marks(session: Session, match: Match, seat: Seat | None, shown: set[int]) -> dict[int, Mark]:
    found = select(EntryRow.n, EntryRow.actor, EntryRow.via).where(
        EntryRow.match_id == match.id, col(EntryRow.via).in_(UNASKED), col(EntryRow.n).in_(shown)
    )
    if match.status != "finished":
        found = found.where(EntryRow.actor == (seat or ""))
    return {n: Mark(via, actor == seat) for n, actor, via in session.exec(found)}


def as_event(row: EventRow) -> Event:
    """A stored event as the engine's."""
    only = tuple(row.only_seats) if row.only_seats is not None else None
    return Event(row.kind, row.facts, only, tuple(row.but_seats))


def names_of(session: Session, match: Match) -> dict[Seat, str]:
    """The names at the table now: a seat may have changed hands since the header was written."""
    return {s.seat: s.name for s in session.exec(select(SeatRow).where(SeatRow.match_id == match.id))}
