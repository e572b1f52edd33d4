"""Characters of bots (characters.toml): names, pronouns, an introduction, and what they say at great moments.

A table's bots have different ones.
"""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Collection, Mapping
from importlib.resources import files
from typing import NamedTuple

from service.common.i18n import gettext
from service.log import names
from service.store.models import Match, SeatRow, SeatStatus

FILE = "characters.toml"


class Character(NamedTuple):
    """A bot's character; its lines are English, to be translated."""

    name: str
    pronoun: str
    """`she`, `he`, or empty for they."""
    line: str
    """Introduces it."""
    talk: Mapping[str, str]
    """Great moment -> what it says then: see `service.log.bot_talk`."""


def _read() -> tuple[Character, ...]:
    read = tomllib.loads(files(__package__).joinpath(FILE).read_text("utf-8"))
    return tuple(Character(name, of.pop("pronoun", ""), of.pop("line"), of) for name, of in read.items())


CHARACTERS = _read()
BY_NAME = {one.name: one for one in CHARACTERS}


def cast(match: Match, taken: Collection[str]) -> Character:
    """The next bot's character; the table's name decides which is first."""
    begin = 0 if match.practice else zlib.crc32(match.name.encode()) % len(CHARACTERS)
    order = [*CHARACTERS[begin:], *CHARACTERS[:begin]]
    return next((one for one in order if one.name not in taken), order[0])


def seat_bot(match: Match, seat: SeatRow, bot: str, taken: Collection[str]) -> None:
    """Make a seat a bot's, with a name unlike those `taken`."""
    one = cast(match, taken)
    seat.status, seat.bot, seat.pronoun = SeatStatus.TAKEN, bot, one.pronoun
    seat.name = names.distinct(one.name, taken, seat.seat)


def character_of(seat: SeatRow) -> Character | None:
    return BY_NAME.get(seat.name) if seat.bot else None


def introduced(seat: SeatRow) -> str:
    """A bot's introduction; "" for other seats."""
    one = character_of(seat)
    return gettext(one.line) if one is not None else ""
