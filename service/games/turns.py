"""The turn page and what is posted from it: its rows are read, and an answer is queued for the workers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from engine.asks import Seat
from engine.forms import Form
from engine.game import Game
from engine.games import game_called
from service.clock import pace as paces
from service.games import seen
from service.games.state import state_of
from service.post.recent_events import Line
from service.store.models import AskRow, Match, SealedAnswer, SeatRow, Submission, SubmissionStatus
from service.store.seats import called


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
    """What it may do at any time."""
    proposals: list[Form]
    """What others have put to it,"""
    lives: dict[int, AskRow]
    """and the clocks of these, by number."""
    waits: set[str]
    """The kinds of all these that wait for a safe point,"""
    held: dict[tuple[int, str], Submission]
    """and what the seat has sent of them meanwhile, by number and kind."""
    news: list[str]
    log: list[Line]
    """The same and some of what was before, a line an answer, the newest first."""
    waiting: list[Seat]
    """Whom the table waits for, as everybody may know it."""
    serial: int
    n: int
    head: str
    ask: AskRow | None
    """The open question's clock."""
    steward: str
    """The bot that keeps the seat, if one does."""
    pending: Submission | None
    """An answer of this seat that the workers have not taken up yet."""

    @property
    def final(self) -> bool:
        """Whether what it answers stands: where windows close at their deadline alone, another answer may take its place."""
        late = self.form is not None and self.form.kind in self.game.windows
        return not (late and paces.of(self.match.pace).windows == "deadline")


@dataclass(frozen=True)
class Beside:
    """What the page shows beside what the seat sees."""

    seats: list[SeatRow]
    """All of the table."""
    ask: AskRow | None
    """The clock of the question that is open now, if the seat was asked."""
    pending: Submission | None
    """The first answer of the seat that the workers have not taken up yet."""
    held: list[Submission]
    """What it has sent and waits for a safe point."""
    sealed: list[SealedAnswer]
    """Answers that lie sealed, as far as `service.games.seen` asks for them."""


def beside(session: Session, match: Match, seat: Seat) -> Beside:
    """What the page of a seat shows beside what it sees, a statement for each."""
    seats = session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)).all()
    queued = select(Submission).where(
        Submission.match_id == match.id,
        Submission.seat == seat,
        col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD)),
    )
    ask = session.get(AskRow, (match.id, seat, match.serial))
    found = session.exec(queued.order_by(col(Submission.order))).all()
    first = next((row for row in found if row.status == SubmissionStatus.QUEUED), None)
    held = [row for row in found if row.status == SubmissionStatus.HELD]
    return Beside(list(seats), ask, first, held, seen.sealed_for(session, match, seat))


def page(session: Session, match: Match, seat: Seat, known: Beside | None = None) -> TurnPage | None:
    """The page of a seat in the language spoken; None while the workers have not opened the game yet.

    Its cost doesn't grow with the log. `known`: what is read already.
    """
    known = known or beside(session, match, seat)
    seats = known.seats
    shown = seen.look(session, match, seat, seats, known.sealed, heads=False)
    if shown is None:
        return None
    return TurnPage(
        match=match,
        game=game_called(match.game),
        seat=seat,
        names=called(match, {s.seat: s.name for s in seats}),
        colours={s.seat: s.colour for s in seats},
        view=shown.view,
        form=shown.form,
        offers=shown.offers,
        proposals=shown.proposals,
        lives=_lives(session, match, seat) if shown.proposals else {},
        waits=shown.waits,
        held={(row.serial, row.kind): row for row in known.held},
        news=shown.news,
        log=shown.log,
        waiting=shown.waiting,
        serial=shown.serial,
        n=shown.n,
        head=shown.head,
        ask=known.ask if shown.form is not None else None,
        steward=next((s.steward for s in seats if s.seat == seat), ""),
        pending=known.pending,
    )


def mark(match: Match, seat: Seat, at: Beside, n: int | None = None) -> str:
    """What tells a page that is open from one that would be made now: of nothing that the page doesn't show its seat.

    `n`: the number of entries that may be known, where it is at hand.
    """
    if n is None:
        n = seen.shown_n(match, state_of(match)) if match.snapshot is not None else 0
    own = [row.id for row in [*at.held, *([at.pending] if at.pending else [])]]
    own += [row.id for row in at.sealed if row.seat == seat]
    told = " ".join([str(match.status), str(match.serial), str(n), *own])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _lives(session: Session, match: Match, seat: Seat) -> dict[int, AskRow]:
    open_ = (AskRow.match_id == match.id, AskRow.seat == seat, col(AskRow.serial) < 0, col(AskRow.answered_at).is_(None))
    return {row.serial: row for row in session.exec(select(AskRow).where(*open_))}


def steward_of(session: Session, match: Match, seat: Seat) -> str:
    """The bot that keeps the seat for its owner; empty when they have it themselves."""
    row = session.get(SeatRow, (match.id, seat))
    return row.steward if row is not None else ""
