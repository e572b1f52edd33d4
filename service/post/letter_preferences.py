"""How letters come, as their readers wish it: for an account, and for one game."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session

from engine.asks import NotUnderstood
from service.common.messages import sentence
from service.store.models import Account, SeatRow

MODES = ("each", "digest", "asked")
"""At once, gathered once a day, or only when something is asked."""
NONE = "none"
"""No letters of a game at all."""


SUBJECTS = ("what", "thread")
"""What a letter is and by when, or the same for all of a game: one thread."""


def keep(session: Session, account: Account, mode: str, hour: str, subjects: str = "what") -> None:
    """Keep when letters come to an account, and their subjects; `hour` is that of its digest, in its own zone.

    Raises NotUnderstood.
    """
    if mode not in MODES:
        raise NotUnderstood(sentence("Letters come at once, in a daily digest, or only when you are asked; choose one."))
    if not (hour.isascii() and hour.isdigit()) or int(hour) > 23:
        raise NotUnderstood(sentence("The hour of the digest is a whole number from 0 to 23."))
    if subjects not in SUBJECTS:
        raise NotUnderstood(sentence("A subject says what a letter is and by when, or is one for the whole game; choose one."))
    account.letters, account.digest_hour, account.subjects = mode, int(hour), subjects
    session.add(account)
    session.flush()


def keep_for_game(session: Session, seat: SeatRow, mode: str) -> None:
    """Keep how the letters of one game come; empty: as those of the account. Raises NotUnderstood."""
    if mode not in ("", *MODES, NONE):
        raise NotUnderstood(sentence("Letters come as your account says, or in one of the ways listed; choose one."))
    seat.letters = mode
    session.add(seat)
    session.flush()


def end(session: Session, seats: Iterable[SeatRow]) -> None:
    """End the letters of the seats' games. Doing it twice is once."""
    for seat in seats:
        seat.letters = NONE
        session.add(seat)
    session.flush()
