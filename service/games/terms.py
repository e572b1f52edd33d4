"""Agreement to a lobby's options: after a change, seated players must confirm.

A seat stores the digest of the options agreed to; the game starts when all are current. Bots agree.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select, update

from engine.core.asks import NotUnderstood
from service.clock import pace
from service.common.messages import sentence
from service.games import muster
from service.post import letters
from service.store import limits, rulings
from service.store.database import settings_of
from service.store.models import Letter, LetterStatus, Match, MatchStatus, SeatRow, SeatStatus
from service.store.seats import seats_of

KIND = "terms"
"""Kind of the letter that asks to confirm a change."""
CHANGED = sentence("The host has changed the options since you opened this page. Read them again before you agree.")


class Changed(NotUnderstood): ...


def digest(match: Match) -> str:
    """SHA-256 of rules, file, rulings, seats, pace, and who may read: spectators, a shared replay's readers."""
    before_start = match.status == MatchStatus.LOBBY
    chosen = {
        "game": match.game,
        "seats": match.seats,
        "options": rulings.plain(match.options),
        "rulings": rulings.unusual(match),
        "pace": pace.stored(pace.of(match.pace)),
        # Omitted if closed, so that older digests stay valid; after the start the table votes on these.
        **({name: True for name in ("shared", "spectators") if getattr(match, name)} if before_start else {}),
    }
    return hashlib.sha256(msgspec.json.encode(chosen, order="deterministic")).hexdigest()


def has_agreed(match: Match, seat: SeatRow, now: str = "") -> bool:
    """Whether a seat has agreed to `now`; True if options never changed."""
    return not seat.account_id or not seat.agreed or seat.agreed == (now or digest(match))


def unconfirmed(match: Match, seats: list[SeatRow]) -> list[SeatRow]:
    """Taken seats that block the start."""
    now = digest(match)
    return [seat for seat in seats if seat.status == SeatStatus.TAKEN and not has_agreed(match, seat, now)]


def check(match: Match, seen: str) -> None:
    """Raise Changed unless the options shown are current. Empty: none shown."""
    if seen and not hmac.compare_digest(seen.encode(), digest(match).encode()):
        raise Changed(CHANGED)


@contextmanager
def changing(session: Session, match: Match) -> Iterator[None]:
    """Change a locked match's options, then notify players who haven't agreed. Raises NotLegal over the host's daily limit."""
    before = digest(match)
    yield
    after = digest(match)
    if after == before:
        return
    match.muster_until = None  # the next muster asks all again
    wrote = False
    for seat in seats_of(session, match):
        if not seat.account_id or seat.status != SeatStatus.TAKEN:
            continue
        seat.agreed = after if seat.account_id == match.host_id else seat.agreed or before
        if seat.agreed == after:
            drop_letter(session, match, seat)
        elif not session.exec(select(Letter.id).where(*_waiting(match, seat))).first():
            # Rendered when sent, so one letter covers several changes.
            letters.to_seat(session, KIND, match, seat, hold=settings_of(session).hold_seconds)
            wrote = True
    session.flush()
    if wrote:
        limits.change(session, match, match.host_id)


def agree(session: Session, match: Match, seat: SeatRow, seen: str) -> None:
    """Record a player's consent to the options that he read. Raises Changed."""
    if not seen:
        raise NotUnderstood(sentence("The form doesn’t say which options you read; open the page again and confirm there."))
    check(match, seen)
    seat.agreed = seen
    muster.confirm(session, seat)
    drop_letter(session, match, seat)
    session.flush()


def _waiting(match: Match, seat: SeatRow) -> tuple[ColumnElement[bool], ...]:
    own = (col(Letter.match_id) == match.id, col(Letter.seat) == seat.seat, col(Letter.account_id) == seat.account_id)
    return (*own, col(Letter.kind) == KIND, col(Letter.status) == LetterStatus.QUEUED, col(Letter.attempts) == 0)


def drop_letter(session: Session, match: Match, seat: SeatRow) -> None:
    session.exec(update(Letter).where(*_waiting(match, seat)).values(status=LetterStatus.DROPPED, facts={}))
