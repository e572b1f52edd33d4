"""Recent events as one reader may know them: the log next to the board, and the news in letters.

A line tells one answer, or several as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlmodel import Session

from engine.asks import Seat
from engine.digest import Digest
from engine.game import Game
from engine.views import Event
from engine.words import Names
from service.common.i18n import gettext, zone
from service.games import muting
from service.games.chronicle import teller
from service.games.entries import OF_EVENT, Told, as_event, stored_events
from service.games.names import REPLACED, before
from service.store.models import EntryRow, EventRow, Match, MatchStatus

MOST = 40
"""Lines on the turn page."""
MOST_NEWS = 120
"""Sentences; the history has the rest."""
MOST_READ = 3 * MOST_NEWS
"""Events read for them."""
MOST_BRIEF = 20
"""Sentences of news in a letter."""
MOST_TELLING = 2
"""Highlights at the top of a letter."""
UNNUMBERED = 1 << 30
BEFORE = 48
"""Entries logged before the reader's last move, at most."""
ENOUGH = 1100
"""Characters that fill the log next to the board."""
ACTORS = ("seat", "by", "who", "attacker", "player")
"""Facts naming the actor, best first."""
CODE = re.compile(r"[A-Za-z][A-Za-z0-9_:/]{0,30}")
"""Possible code of a seat, place or card."""


LONG = 5
"""Longer lines are folded."""


@dataclass(frozen=True)
class Part:
    event: Event
    words: str
    turns: bool


@dataclass
class Line:
    """One answer's events, as the reader may see them."""

    n: int
    """Entry number."""
    seat: Seat
    """Empty for none."""
    parts: list[Part] = field(default_factory=list)
    """The answer first."""
    lights: list[str] = field(default_factory=list)
    """Codes to highlight on the board."""
    new: bool = False
    """After the reader's last move."""
    at: str = ""
    """Formatted; empty if unknown."""
    whole: list[str] = field(default_factory=list)
    """The game's digest of the line; never folded."""
    drawn: list[Part] = field(default_factory=list)
    """Drawn below the digest."""

    @property
    def events(self) -> list[Event]:
        """Events, oldest first."""
        return [part.event for part in self.parts]

    @property
    def actor(self) -> str:
        """The actor by the game's code, perhaps no seat."""
        facts = self.parts[0].event.facts if self.parts else {}
        return next((str(facts[name]) for name in ACTORS if isinstance(facts.get(name), str)), "")

    @property
    def said(self) -> str:
        return " ".join(self.whole or [part.words for part in self.parts])

    @property
    def long(self) -> bool:
        return not self.whole and len(self.parts) > LONG

    @property
    def gist(self) -> str:
        """Folded text: the answer itself, and highlights."""
        if not self.long:
            return self.said
        return " ".join(part.words for i, part in enumerate(self.parts) if not i or part.turns)

    @property
    def latest(self) -> str:
        """Text for small spaces: the last sentence, if the rest is drawn."""
        return self.whole[-1] if self.drawn else self.gist

    @property
    def lit(self) -> str:
        """The codes as an HTML attribute."""
        return " ".join(self.lights)


def lines(told: Iterable[tuple[int, Event, str]], seats: set[Seat], since: int, game: Game) -> list[Line]:
    """Group (entry, event, sentence), newest first; `since` is the reader's last move."""
    found: list[Line] = []
    for n, event, words in told:
        if not found or found[-1].n != n:
            if len(found) == MOST:
                break
            found.append(Line(n, "", new=n > since))
        found[-1].parts.insert(0, Part(event, words, event.kind in game.turning))
        found[-1].lights += [code for code in (*codes(event.facts), *game.places(event)) if code not in found[-1].lights]
        # The answer itself is the first event.
        found[-1].seat = whose(event.facts, seats)
    return found


def digested(
    found: Sequence[Line], digest: Digest | None, names: Callable[[int], Names], drawn: Collection[str] = ()
) -> list[Line]:
    """Merge lines that the digest tells as one, new and old apart. `names`: by entry; `drawn`: kinds drawn below. A merged line
    links to its newest entry."""
    if digest is None:
        return [*found]
    told: list[Line] = []
    for line in found:
        after = told[-1] if told else None
        if (
            after is not None
            and line.new == after.new
            and names(line.n) is names(after.n)
            and digest.joins(line.events, after.events)
        ):
            after.parts[:0] = line.parts
            after.lights += [code for code in line.lights if code not in after.lights]
            after.seat = line.seat if line.seat == after.seat else ""
        else:
            told.append(line)
    for line in told:
        line.whole = digest.said(line.events, names(line.n))
        line.seat = digest.whose(line.events) or line.seat
        line.drawn = [part for part in line.parts if line.whole and part.event.kind in drawn]
    return told


def whose(facts: dict[str, Any], seats: Collection[Seat]) -> Seat:
    """The acting seat, or empty."""
    return next((str(s) for s in (facts.get(name) for name in ACTORS) if s in seats), "")


def codes(facts: dict[str, Any]) -> Iterator[str]:
    """Codes in facts: texts, list items, mapping keys. Only for events that the reader may see."""
    for fact in facts.values():
        if isinstance(fact, str):
            if CODE.fullmatch(fact):
                yield fact
        elif isinstance(fact, list | tuple | dict):
            yield from (one for one in fact if isinstance(one, str) and CODE.fullmatch(one))


_EVENTS: sa.Table = EventRow.__table__  # type: ignore[attr-defined]  # SQLModel's types leave it out
_ENTRIES: sa.Table = EntryRow.__table__  # type: ignore[attr-defined]  # as above
# Built once: building takes longer than sending. Events before the first entry have no time.
NEWEST = (
    sa.select(*(_EVENTS.c[name] for name in OF_EVENT), sa.func.coalesce(_ENTRIES.c.at, ""))
    .outerjoin(_ENTRIES, (_ENTRIES.c.match_id == _EVENTS.c.match_id) & (_ENTRIES.c.n == _EVENTS.c.n))
    .where(_EVENTS.c.match_id == bindparam("match"), _EVENTS.c.n >= bindparam("since"))
    .order_by(_EVENTS.c.n.desc(), _EVENTS.c.i.desc())
    .limit(MOST_READ)
)


def newest(session: Session, match: Match, seat: Seat, moved: int) -> Sequence[Told]:
    """Events since the reader's last move, entry `moved`, and some before it, newest first, without text of muted seats."""
    since = max(0, moved - BEFORE)
    events = [Told(*row) for row in session.execute(NEWEST, {"match": match.id, "since": since})]
    if not events and match.status == MatchStatus.FINISHED:  # its log may be packed
        packed = reversed(stored_events(session, match, (since, 0)))
        events = [Told(row.n, row.kind, row.facts, row.only_seats, row.but_seats) for row in packed][:MOST_READ]
    return muting.heard(session, match.id, seat, events)


@dataclass(frozen=True)
class News:
    """Recent events in the reader's language."""

    news: list[str]
    """Sentences since the reader's last move, oldest first."""
    story: list[str]
    """Highlights of these."""
    brief: list[str]
    """One line an answer, without routine."""
    log: list[Line]
    """News and earlier lines, newest first."""


def told_to(
    game: Game, seat: Seat, names: dict[Seat, str], events: Sequence[Told], own: Iterable[list[Event]], moved: int, last: int
) -> News:
    """What a seat (empty: a spectator) reads of these events, newest first.

    `own`: events of each hidden offer that it knows; `moved`: entry of its last move; `last`: newest visible entry, later ones
    have no time.
    """
    named = names
    reader, where = (seat, zone()) if seat else (None, "UTC")
    tell = teller(game, names, where)
    heard = [(i, event) for i, one in enumerate(own) for event in one if event.seen_by(reader)]
    # Hidden offers' events sort above the log, a line for each offer.
    told = [(UNNUMBERED + i, event, words) for i, event in reversed(heard) if (words := tell(event))]
    fresh, times, called = [*told], dict[int, str](), dict[int, dict[Seat, str]]()
    letters, enough = sum(len(words) for _, _, words in told), ENOUGH * (game.digest.folds if game.digest else 1)
    for row in events:
        if len(fresh) >= MOST_NEWS or (letters >= enough and row.n < min(moved, told[-1][0])):
            break
        event = as_event(row)
        if event.seen_by(reader) and (words := tell(event)):
            told.append((row.n, event, words))
            letters += len(words)
            called[row.n] = names
            if row.n <= last:
                times[row.n] = row.at
            if row.n >= moved:
                fresh.append(told[-1])
        if row.kind == REPLACED:
            names = before(names, row)
            tell = teller(game, names, where)
    log = digested(lines(told, set(names), moved, game), game.digest, lambda n: called.get(n, named), game.drawn)
    for line in log:
        line.at = times.get(line.n, "")
    news = [words for _, _, words in reversed(fresh)]
    return News(news, telling(game, [event.kind for _, event, _ in reversed(fresh)], news), brief(game, fresh), log)


def brief(game: Game, told: Sequence[tuple[int, Event, str]]) -> list[str]:
    """News, one line an answer, oldest first, without routine unless addressed to the reader or alone. `told`: (entry, event,
    sentence), newest first."""
    telling = [one for one in told if one[1].kind not in game.dull or one[1].only is not None] or told
    found: list[str] = []
    sentences = 0
    for _, answer in groupby(telling, key=lambda one: one[0]):
        said = [words for _, _, words in answer]
        sentences += len(said)
        if found and sentences > MOST_BRIEF:
            found.append(gettext("What was before that is in the history."))
            break
        found.append(" ".join(reversed(said)))
    return found[::-1]


def telling(game: Game, kinds: Sequence[str], news: Sequence[str]) -> list[str]:
    """Highlights in order: turning points, hostile events, others, routine."""
    turning = {kind: at for at, kind in enumerate(game.turning)}

    def weight(at: int) -> tuple[int, int]:
        kind, last = kinds[at], len(turning)
        if kind in turning:
            return turning[kind], -at
        dull = kind in game.dull or kind in game.chapters
        return last if kind in game.hostile else last + 2 if dull else last + 1, -at

    return [news[at] for at in sorted(sorted(range(len(news)), key=weight)[:MOST_TELLING])]
