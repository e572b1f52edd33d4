"""Private notes of a seat."""

from __future__ import annotations

from sqlmodel import Session

from engine.core.asks import NotUnderstood
from service.common.messages import nsentence, sentence
from service.store.models import SeatRow

LONGEST = 10_000


def keep(session: Session, row: SeatRow, text: str) -> None:
    """Save notes. Raises NotUnderstood if they are too long or unprintable."""
    # The form's limit counts a line end as one character.
    text = text.replace("\r\n", "\n")
    if len(text) > LONGEST:
        raise NotUnderstood(
            nsentence(
                "The notes have %(num)s character; at most %(most)s fit.",
                "The notes have %(num)s characters; at most %(most)s fit.",
                len(text),
                most=LONGEST,
            )
        )
    if any(ord(c) < 32 and c not in "\n\r\t" for c in text):
        raise NotUnderstood(sentence("The notes have characters that can't be shown; use letters, digits and punctuation."))
    row.notes = text
    session.add(row)
    session.flush()
