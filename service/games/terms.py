"""Options of a game that gathers, and who has agreed to them: after a change those who sit there are told, and confirm.

A seat keeps a digest of the options that its player has seen and agreed to. The game starts when that is the digest of what is
chosen now, for every person who sits there; bots agree to everything.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select, update

from engine.asks import NotUnderstood
from service.clock import pace
from service.common.messages import sentence
from service.post import letters
from service.store import limits, rulings
from service.store.database import settings_of
from service.store.models import Letter, LetterStatus, Match, SeatRow, SeatStatus

KIND = "terms"
"""The letter that tells of a change and asks to confirm it."""
CHANGED = sentence("The host has changed the options since you opened this page. Read them again before you agree.")


class Changed(NotUnderstood):
    """The options are not those that the page showed."""


def digest(match: Match) -> str:
    """A hash of all that is chosen for a game: optional rules, the host's own file, house rulings, seats and pace."""
    chosen = {
        "game": match.game,
        "seats": match.seats,
        "options": rulings.plain(match.options),
        "rulings": rulings.unusual(match),
        "pace": pace.stored(pace.of(match.pace)),
    }
    return hashlib.sha256(msgspec.json.encode(chosen, order="deterministic")).hexdigest()


def has_agreed(match: Match, seat: SeatRow, now: str = "") -> bool:
    """Whether a seat's player has agreed to what is chosen now (`now`: its digest, if known). An empty mark is from before any
    change."""
    return not seat.account_id or not seat.agreed or seat.agreed == (now or digest(match))


def unconfirmed(match: Match, seats: list[SeatRow]) -> list[SeatRow]:
    """Taken seats that have not confirmed the current options; the start waits for them."""
    now = digest(match)
    return [seat for seat in seats if seat.status == SeatStatus.TAKEN and not has_agreed(match, seat, now)]


def check(match: Match, seen: str) -> None:
    """Raise Changed where a page showed other options than are chosen now. Empty: nothing was shown."""
    if seen and not hmac.compare_digest(seen.encode(), digest(match).encode()):
        raise Changed(CHANGED)


@contextmanager
def changing(session: Session, match: Match) -> Iterator[None]:
    """Change the options of a locked match: afterwards those who sit there are told, unless they know these options.

    The host agrees by changing them. Raises NotLegal where a host has written often enough by it for a day.
    """
    before = digest(match)
    yield
    after = digest(match)
    if after == before:
        return
    wrote = False
    for seat in session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)).all():
        if not seat.account_id or seat.status != SeatStatus.TAKEN:
            continue
        seat.agreed = after if seat.account_id == match.host_id else seat.agreed or before
        session.add(seat)
        if seat.agreed == after:
            drop_letter(session, match, seat)
        elif not session.exec(select(Letter.id).where(*_waiting(match, seat))).first():
            # Written as it is sent: of several changes in a row one letter tells.
            letters.to_seat(session, KIND, match, seat, hold=settings_of(session).hold_seconds)
            wrote = True
    session.flush()
    if wrote:
        limits.change(session, match, match.host_id)


def agree(session: Session, match: Match, seat: SeatRow, seen: str) -> None:
    """A player agrees to the options that a page showed. Raises Changed where they are others by now."""
    if not seen:
        raise NotUnderstood(sentence("The form doesn’t say which options you read; open the page again and confirm there."))
    check(match, seen)
    seat.agreed = seen
    session.add(seat)
    drop_letter(session, match, seat)
    session.flush()


def sit(match: Match, seat: SeatRow) -> None:
    """Who sits down agrees to what is chosen then."""
    seat.agreed = digest(match)


def _waiting(match: Match, seat: SeatRow) -> tuple[ColumnElement[bool], ...]:
    """Which letters about a change have not gone out yet to a seat."""
    own = (col(Letter.match_id) == match.id, col(Letter.seat) == seat.seat, col(Letter.account_id) == seat.account_id)
    return (*own, col(Letter.kind) == KIND, col(Letter.status) == LetterStatus.QUEUED, col(Letter.attempts) == 0)


def drop_letter(session: Session, match: Match, seat: SeatRow) -> None:
    """Drop the letter about a change that has not gone out yet, since there is nothing left to confirm."""
    session.exec(update(Letter).where(*_waiting(match, seat)).values(status=LetterStatus.DROPPED, facts={}))
