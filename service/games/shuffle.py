"""What the shuffles of a game come of: the server's seed, committed to when the table is opened, and a word of every player.

The seed is drawn once, with the table, and nothing draws it again; its commitment is shown from then on. A player may give a
word of his own until the start, or draw one in his browser; for the others the server draws. Nobody sees another's before
the start, and after it all of them stand in the log's header, where everybody can look his own up.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine import match as matches
from engine.chance import entropy_of
from service.common.messages import nsentence, sentence
from service.errors import Misread
from service.store.models import Match

LONGEST_WORD = 200


@dataclass(frozen=True)
class Shuffle:
    """What the page of a seat says of it."""

    commitment: str
    entropy: str
    """The seat's own part, as it stands in the log."""
    given: bool | None
    """Whether it is made of a word that the player gave; None in games that are older than such words."""
    whose: str
    """Whose words were used, in a sentence."""


def of_word(word: str) -> str:
    """The entropy that a player's word gives; empty for no word. Raises NotUnderstood."""
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
        raise Misread(sentence("That word has characters that cannot be written; use letters, digits and signs."), "word")
    return entropy_of(word) if word else ""


def told(match: Match, seat: str) -> Shuffle:
    """What a seat of a game that has started is told."""
    header = matches.read_header(match.header or "")
    info = next(s for s in header.seats if s.seat == seat)
    given = info.given if isinstance(info.given, bool) else None
    return Shuffle(header.commitment, info.entropy, given, str(matches.shuffled_by(header)))
