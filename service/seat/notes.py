"""Notes: a seat's private page, and those on entries of the log, private or shared with the table."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, func, select

from engine.core.asks import NotLegal, NotUnderstood
from service.common.messages import nsentence, sentence
from service.errors import NotFound
from service.post import disclosure
from service.store import limits
from service.store.models import Match, MoveNote, Mute, SeatRow

LONGEST_OWN = 10_000
"""Characters of the private page."""
LONGEST = 1000
"""Characters of a note on an entry."""
MOST = 200
"""Most notes of a seat in a game."""


def keep(session: Session, row: SeatRow, text: str) -> None:
    """Save notes. Raises NotUnderstood if they are too long or unprintable."""
    # The form's limit counts a line end as one character.
    text = text.replace("\r\n", "\n")
    if len(text) > LONGEST_OWN:
        raise NotUnderstood(
            nsentence(
                "The notes have %(num)s character; at most %(most)s fit.",
                "The notes have %(num)s characters; at most %(most)s fit.",
                len(text),
                most=LONGEST_OWN,
            )
        )
    if any(ord(c) < 32 and c not in "\n\r\t" for c in text):
        raise NotUnderstood(sentence("The notes have characters that can't be shown; use letters, digits and punctuation."))
    row.notes = text
    session.flush()


def put(session: Session, match: Match, seat: str, n: int, text: str, shared: bool) -> None:
    """Store a note on an entry. Raises NotUnderstood, NotLegal, Disclosing."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise NotUnderstood(sentence("The note is empty. Write something, or leave it."))
    disclosure.check_text(session, text, LONGEST)
    limits.one_at_a_time(session, match)
    own = select(func.count()).select_from(MoveNote).where(MoveNote.match_id == match.id, MoveNote.seat == seat)
    if session.exec(own).one() >= MOST:
        raise NotLegal(sentence("You have %(most)s notes in this game; delete one to write another.", most=MOST))
    name = session.get_one(SeatRow, (match.id, seat)).name
    session.add(MoveNote(match_id=match.id, seat=seat, name=name, n=n, text=text, shared=shared))
    session.flush()


def delete(session: Session, match: Match, seat: str, id: str) -> None:
    """Delete a note. Raises NotFound for others'."""
    note = session.get(MoveNote, id)
    if note is None or (note.match_id, note.seat) != (match.id, seat):
        raise NotFound(sentence("There is no such note of yours."))
    session.delete(note)
    session.flush()


def entries(session: Session, match: Match, seat: str) -> list[int]:
    """Numbers of entries with notes that the seat may read."""
    return list(session.exec(select(MoveNote.n).where(*_readable(match, seat)).distinct().order_by(col(MoveNote.n))))


def at(session: Session, match: Match, seat: str, n: int) -> list[MoveNote]:
    """Notes on an entry that the seat may read."""
    return list(session.exec(select(MoveNote).where(*_readable(match, seat), MoveNote.n == n).order_by(MoveNote.id)))


def _readable(match: Match, seat: str) -> tuple[Any, ...]:
    muted = select(Mute.muted).where(Mute.match_id == match.id, Mute.seat == seat)
    others = col(MoveNote.shared) & col(MoveNote.seat).not_in(muted)
    return MoveNote.match_id == match.id, (col(MoveNote.seat) == seat) | others
