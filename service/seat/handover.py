"""Empty a seat when its player leaves or is removed, and void its links: the next owner sees none of the player's data.

A test lists every column of a seat and every table with rows of a seat, and what becomes of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, delete, select, update

from engine.core.asks import SEATS, Seat
from engine.games import game_called
from engine.play import match as matches
from engine.play.hidden import circle
from service.common.messages import as_text, sentence
from service.log import sharing
from service.post import links
from service.seat.state import hidden
from service.store.models import (
    Absence,
    AskRow,
    Ballot,
    Command,
    CommandStatus,
    HiddenAnswer,
    LeftSeat,
    Letter,
    LetterStatus,
    Match,
    MatchStatus,
    Message,
    MoveNote,
    Mute,
    Notice,
    NoticeStatus,
    ReadMark,
    SeatRow,
    Submission,
    SubmissionStatus,
    Thread,
    Vote,
    VoteStatus,
    now,
)

OF_SEATS = ("match_id", "seat", "colour", "key_generation", "moved_n")
"""Columns that stay. `key_generation` only grows, so that old keys stay invalid; news begins at `moved_n`."""
PERSONS_BEFORE = ("name", "pronoun", "entropy", "status")
"""Columns cleared only before the start; later they are in the log."""
PERSONS = [name for name in SeatRow.model_fields if name not in (*OF_SEATS, *PERSONS_BEFORE)]
"""Columns cleared when the player leaves."""


def clean(seat: SeatRow, names: Sequence[str] = PERSONS) -> None:
    """Reset columns, by default those of the player."""
    fresh = SeatRow(match_id=seat.match_id, seat=seat.seat, colour=seat.colour)
    for name in names:
        setattr(seat, name, getattr(fresh, name))


def empty(session: Session, match: Match, seat: SeatRow) -> None:
    """Free a seat before the start, and cancel the table's muster."""
    match.muster_until = None
    detach_player(session, match, seat)
    clean(seat, PERSONS_BEFORE)
    session.flush()


def detach_player(session: Session, match: Match, row: SeatRow) -> None:
    """Detach a player and renew the seat's keys. Closes a shared replay, which needs everybody's consent."""
    seat = row.seat
    session.flush()
    session.refresh(row, with_for_update=True)  # waits for forms of the player, see `writing` in service.web.context
    if row.account_id and match.status == MatchStatus.RUNNING:
        session.add(LeftSeat(match_id=match.id, seat=seat, account_id=row.account_id))
    clean(row)
    if sharing.is_open(match):
        sharing.let_share(session, match, False)
    here = (col(Letter.match_id) == match.id, col(Letter.seat) == seat, col(Letter.kind) != "replaced")
    waiting = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED))
    session.exec(update(Letter).where(*here, waiting).values(status=LetterStatus.DROPPED, facts={}))
    session.exec(delete(Absence).where(col(Absence.match_id) == match.id, col(Absence.seat) == seat))
    shown = col(AskRow.answered_at).is_(None) | (col(AskRow.serial) == match.serial)
    for ask in session.exec(select(AskRow).where(AskRow.match_id == match.id, AskRow.seat == seat, shown)):
        # Recomputed for the next owner's rhythm.
        ask.recipe = {}
        if ask.answered_at is None:
            ask.kept, ask.kept_at, ask.kept_via = "", None, ""
    _forget_powers(session, match, seat)
    _end_votes(session, match, seat)
    _end_notices(session, match, seat)
    _drop_queued(session, match, seat)
    part_threads(session, match, seat)
    private = (col(MoveNote.match_id) == match.id, col(MoveNote.seat) == seat, col(MoveNote.shared).is_(False))
    session.exec(delete(MoveNote).where(*private))
    threads = select(Thread.id).where(Thread.match_id == match.id)
    session.exec(delete(ReadMark).where(col(ReadMark.thread_id).in_(threads), col(ReadMark.seat) == seat))
    session.flush()
    links.renew_seat(session, row)


def _forget_powers(session: Session, match: Match, seat: Seat) -> None:
    powers = (col(HiddenAnswer.match_id) == match.id, col(HiddenAnswer.seat) == seat, col(HiddenAnswer.serial) == matches.OFFER)
    game, seats = game_called(match.game), SEATS[: match.seats]
    rows = session.exec(select(HiddenAnswer).where(*powers)).all()
    for row, power in zip(rows, hidden(rows), strict=True):
        if circle(game, seats, power.offer) == {seat}:
            session.delete(row)


def _end_votes(session: Session, match: Match, seat: str) -> None:
    for vote in session.exec(select(Vote).where(Vote.match_id == match.id, Vote.status == VoteStatus.OPEN)).all():
        if seat in (vote.by_seat, vote.facts.get("seat")):
            vote.status, vote.done_at = VoteStatus.WITHDRAWN, now()
        session.exec(delete(Ballot).where(col(Ballot.vote_id) == vote.id, col(Ballot.seat) == seat))


def _end_notices(session: Session, match: Match, seat: str) -> None:
    for notice in session.exec(select(Notice).where(Notice.match_id == match.id, Notice.status == NoticeStatus.OPEN)).all():
        if notice.seat == seat:
            notice.status, notice.done_at = NoticeStatus.STOPPED, now()
        if notice.by == seat:
            notice.by = ""


def _drop_queued(session: Session, match: Match, seat: str) -> None:
    own = select(Submission).where(
        Submission.match_id == match.id,
        Submission.seat == seat,
        col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD)),
    )
    for answer in session.exec(own):
        answer.status, answer.done_at = SubmissionStatus.STALE, now()
        answer.refusal = as_text(sentence("The seat has changed hands since."))
    told = select(Command).where(Command.match_id == match.id, Command.actor == seat, Command.status == CommandStatus.QUEUED)
    for command in session.exec(told):
        command.status, command.done_at = CommandStatus.REFUSED, now()


def part_threads(session: Session, match: Match, seat: str) -> None:
    """Hide private conversations from the next owner: members in upper case have left."""
    for thread in session.exec(select(Thread).where(Thread.match_id == match.id, col(Thread.members).contains(seat))).all():
        if seat not in thread.members:
            continue  # SQLite ignores case here
        members = "".join(sorted(thread.members.replace(seat, seat.upper())))
        before = session.exec(select(Thread).where(Thread.match_id == match.id, Thread.members == members)).first()
        if before is None:
            thread.members = members
            session.flush()
            continue
        # A former owner left before: merge the threads.
        session.exec(update(Message).where(col(Message.thread_id) == thread.id).values(thread_id=before.id))
        session.exec(delete(ReadMark).where(col(ReadMark.thread_id) == thread.id))
        session.delete(thread)
        session.flush()
    either = (col(Mute.seat) == seat) | (col(Mute.muted) == seat)
    session.exec(delete(Mute).where(col(Mute.match_id) == match.id, either))
