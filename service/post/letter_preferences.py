"""Delivery preferences of an account, and of one game."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session

from engine.core.asks import NotUnderstood
from service.common.messages import sentence
from service.store.models import Account, SeatRow

MODES = ("each", "digest", "asked")
"""At once, in a daily digest, or only questions."""
NONE = "none"


SUBJECTS = ("what", "thread")
"""Kind and deadline, or the same for all letters of a game (one thread)."""


def keep(session: Session, account: Account, mode: str, hour: str, subjects: str = "what") -> None:
    """Set preferences; `hour`: of the digest, in the account's zone. Raises NotUnderstood."""
    if mode not in MODES:
        raise NotUnderstood(sentence("Letters come at once, in a daily digest, or only when you are asked; choose one."))
    if not (hour.isascii() and hour.isdigit()) or int(hour) > 23:
        raise NotUnderstood(sentence("The hour of the digest is a whole number from 0 to 23."))
    if subjects not in SUBJECTS:
        raise NotUnderstood(sentence("A subject says what a letter is and by when, or is one for the whole game; choose one."))
    account.letters, account.digest_hour, account.subjects = mode, int(hour), subjects
    session.flush()


def keep_for_game(session: Session, seat: SeatRow, mode: str) -> None:
    """Set a game's mode; empty: the account's. Raises NotUnderstood."""
    if mode not in ("", *MODES, NONE):
        raise NotUnderstood(sentence("Letters come as your account says, or in one of the ways listed; choose one."))
    seat.letters = mode
    session.flush()


def end(session: Session, seats: Iterable[SeatRow]) -> None:
    for seat in seats:
        seat.letters = NONE
    session.flush()
