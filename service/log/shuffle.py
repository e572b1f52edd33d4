"""Randomness of shuffles: the server's seed, committed to when the table opens, plus entropy of every player.

Players may give a word until the start; the server draws for the others. Words are secret until then, and afterwards in the
log's header.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.chance import entropy_of
from engine.play import match as matches
from service.common.messages import nsentence, sentence
from service.errors import Misread
from service.log.entries import header_of
from service.store.models import Match

LONGEST_WORD = 200


@dataclass(frozen=True)
class Shuffle:
    """What a seat's page shows about the shuffles."""

    commitment: str
    entropy: str
    """The seat's own share, as logged."""
    given: bool | None
    """Whether the player gave a word; None in older games."""
    whose: str
    """Sentence about the words used."""


def of_word(word: str) -> str:
    """Entropy of a player's word; empty for none. Raises NotUnderstood."""
    word = word.strip()
    if len(word) > LONGEST_WORD:
        raise Misread(
            nsentence(
                "That word is %(num)s character long; at most %(most)s fit.",
                "That word is %(num)s characters long; at most %(most)s fit.",
                len(word),
                most=LONGEST_WORD,
            ),
            "word",
        )
    if not word.isprintable():
        raise Misread(sentence("That word has characters that can't be shown; use letters, digits and punctuation."), "word")
    return entropy_of(word) if word else ""


def told(match: Match, seat: str) -> Shuffle:
    header = header_of(match)
    info = next(s for s in header.seats if s.seat == seat)
    given = info.given if isinstance(info.given, bool) else None
    return Shuffle(header.commitment, info.entropy, given, str(matches.shuffled_by(header)))
