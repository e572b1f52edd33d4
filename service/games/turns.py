"""The turn page's data."""

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
    """All that a seat's page shows."""

    match: Match
    game: Game
    seat: Seat
    names: dict[Seat, str]
    colours: dict[Seat, str]
    view: dict[str, Any]
    form: Form | None
    offers: list[Form]
    """Open at any time."""
    proposals: list[Form]
    """By others,"""
    lives: dict[int, AskRow]
    """and their clocks, by number."""
    waits: set[str]
    """Kinds of these that wait for a safe point,"""
    held: dict[tuple[int, str], Submission]
    """and the held answers, by number and kind."""
    news: list[str]
    log: list[Line]
    """News and earlier lines, newest first."""
    waiting: list[Seat]
    """As everybody may know."""
    serial: int
    n: int
    head: str
    ask: AskRow | None
    """The open question's clock."""
    steward: str
    """The bot that keeps the seat, if any."""
    pending: Submission | None
    """An answer not yet taken up by the workers."""

    @property
    def final(self) -> bool:
        """False if the window closes only at its deadline, and accepts another answer."""
        late = self.form is not None and self.form.kind in self.game.windows
        return not (late and paces.of(self.match.pace).windows == "deadline")


@dataclass(frozen=True)
class Beside:
    """Rows of the page, besides the seat's view."""

    seats: list[SeatRow]
    ask: AskRow | None
    """The open question's clock, if the seat was asked."""
    pending: Submission | None
    """The first queued answer."""
    held: list[Submission]
    """Answers waiting for a safe point."""
    sealed: list[SealedAnswer]
    """Hidden answers; see `service.games.seen`."""


def beside(session: Session, match: Match, seat: Seat) -> Beside:
    """Read these rows, one statement each."""
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
    """The seat's page in the current language; None before the game opens.

    Its cost doesn't grow with the log. `known`: rows already read.
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
    """Version tag for detecting visible changes. `n`: number of visible entries, if known."""
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
    """The bot that keeps the seat, or empty."""
    row = session.get(SeatRow, (match.id, seat))
    return row.steward if row is not None else ""
