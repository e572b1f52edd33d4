"""Recent events as one reader may know them, for board and letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlmodel import Session

from engine.core.asks import Seat
from engine.core.views import Event
from engine.game import Game
from engine.language.words import Names, addressed
from engine.text.digest import Digest
from service.common.i18n import gettext, zone
from service.log import muting
from service.log.chronicle import SAID, sentences, teller
from service.log.entries import OF_EVENT, EventRecord, as_event, stored_events
from service.log.names import RENAMED, before
from service.store import bulk
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
"""Most entries shown from before the reader's last move."""
ENOUGH = 1100
"""Characters that fill the log next to the board."""
ACTORS = ("seat", "by", "who", "attacker", "player")
"""Facts naming the actor, best first."""
CODE = re.compile(r"[A-Za-z][A-Za-z0-9_:/]{0,30}")
"""A string that may be the code of a seat, place or card."""


LONG = 5
"""Longer lines are folded."""


@dataclass(frozen=True)
class Part:
    event: Event
    words: str
    turns: bool


@dataclass
class LogLine:
    n: int
    """Entry number."""
    seat: Seat
    """Empty for none."""
    parts: list[Part] = field(default_factory=list)
    """Its sentences, the answer itself first."""
    events: list[Event] = field(default_factory=list)
    """Oldest first, including those covered by another one's sentence."""
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
    talk: list[tuple[Seat, str]] = field(default_factory=list)
    """What bots said then."""

    @property
    def actor(self) -> str:
        """The actor's code in the game, not necessarily a seat."""
        facts = self.events[0].facts if self.events else {}
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
        return " ".join(self.lights)


def lines(
    told: Iterable[tuple[int, Event, str]], seats: set[Seat], since: int, game: Game, most: int | None = MOST
) -> list[LogLine]:
    """Group (entry, event, sentence) by entry, newest first; `since`: entry of the reader's last move; `most`: lines, None for
    all. An event without a sentence is covered by another's.
    """
    found: list[LogLine] = []
    for n, event, words in told:
        if not found or found[-1].n != n:
            if len(found) == most:
                break
            found.append(LogLine(n, "", new=n > since))
        if event.kind == SAID:
            found[-1].talk.insert(0, (event.facts["seat"], words))
            continue
        if words:
            found[-1].parts.insert(0, Part(event, words, event.kind in game.face.log.turning))
        found[-1].events.insert(0, event)
        found[-1].lights += [
            code for code in (*codes(event.facts), *game.face.log.places(event)) if code not in found[-1].lights
        ]
    for line in found:  # the answer itself is the first event
        line.seat = whose(line.events[0].facts, seats) if line.events else ""
    return found


def digested(
    found: Sequence[LogLine], digest: Digest | None, names: Callable[[int], Names], drawn: Collection[str] = ()
) -> list[LogLine]:
    """Merge lines that the game's digest joins, new and old apart; a merged line links to its newest entry. `drawn`: kinds
    drawn below the text.
    """
    if digest is None:
        return [*found]
    told: list[LogLine] = []
    for line in found:
        after = told[-1] if told else None
        if (
            after is not None
            and line.new == after.new
            and names(line.n) is names(after.n)
            and digest.joins(line.events, after.events)
        ):
            after.parts[:0], after.events[:0] = line.parts, line.events
            after.lights += [code for code in line.lights if code not in after.lights]
            after.talk[:0] = line.talk
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
    """Codes in strings, list items, mapping keys. Only for events that the reader may see."""
    for fact in facts.values():
        if isinstance(fact, str):
            if CODE.fullmatch(fact):
                yield fact
        elif isinstance(fact, list | tuple | dict):
            yield from (one for one in fact if isinstance(one, str) and CODE.fullmatch(one))


_EVENTS, _ENTRIES = bulk.table_of(EventRow), bulk.table_of(EntryRow)
# A subquery, not a join: before ANALYZE has counted the rows, PostgreSQL joins each event to all entries of its game.
_AT = sa.select(_ENTRIES.c.at).where(_ENTRIES.c.match_id == _EVENTS.c.match_id, _ENTRIES.c.n == _EVENTS.c.n)
# Built once: building takes longer than sending. Events before the first entry have no time.
NEWEST = (
    sa.select(*(_EVENTS.c[name] for name in OF_EVENT), sa.func.coalesce(_AT.scalar_subquery(), ""))
    .where(_EVENTS.c.match_id == bindparam("match"), _EVENTS.c.n >= bindparam("since"))
    .order_by(_EVENTS.c.n.desc(), _EVENTS.c.i.desc())
    .limit(MOST_READ)
)


def newest(session: Session, match: Match, seat: Seat, moved: int) -> Sequence[EventRecord]:
    """Events since entry `moved` and some before, newest first, without muted text."""
    since = max(0, moved - BEFORE)
    events = [EventRecord(*row) for row in session.execute(NEWEST, {"match": match.id, "since": since})]
    if not events and match.status == MatchStatus.FINISHED:  # its log may be packed
        packed = reversed(stored_events(session, match, (since, 0)))
        events = [EventRecord(row.n, row.kind, row.facts, row.only_seats, row.but_seats) for row in packed][:MOST_READ]
    return muting.heard(session, match.id, seat, events)


@dataclass(frozen=True)
class News:
    """News since the reader's last move, in several lengths."""

    sentences: list[str] = field(default_factory=list)
    """Since the reader's last move, oldest first."""
    story: list[str] = field(default_factory=list)
    """Highlights of the news, without the set-up."""
    brief: list[str] = field(default_factory=list)
    """One line per answer, without routine."""
    rest: list[str] = field(default_factory=list)
    """The same without the highlights."""
    log: list[LogLine] = field(default_factory=list)
    """News and earlier lines, newest first."""


class Fresh(NamedTuple):
    """A news sentence with its entry; see `chronicle.Sentence`."""

    n: int
    event: Event
    words: str
    alone: str


def told_to(
    game: Game, seat: Seat, names: Names, events: Sequence[EventRecord], own: Iterable[list[Event]], moved: int, last: int
) -> News:
    """News for a seat (empty: a spectator), newest first. `own`: events of each hidden offer known to it; `moved`: entry of its
    last move; `last`: newest visible entry.
    """
    reader, where = (seat, zone()) if seat else (None, "UTC")
    named = names = addressed(names, reader)
    heard = [(i, event) for i, one in enumerate(own) for event in one if event.seen_by(reader)]
    # Hidden offers' events sort above the log, one line per offer.
    offered = [(UNNUMBERED + i, [event for _, event in one]) for i, one in groupby(heard, key=lambda one: one[0])]
    told, fresh, times, called = list[tuple[int, Event, str]](), list[Fresh](), dict[int, str](), dict[int, Names]()

    def tell_answer(n: int, events: Sequence[Event], new: bool) -> int:
        """Add an entry's sentences, oldest first; returns the number of characters."""
        said = sentences(game, events, teller(game, names, where), names)
        shown = [(n, event, one.words if one is not None else "") for event, one in zip(events, said, strict=True)]
        if not any(words for _, _, words in shown):
            return 0
        told.extend(reversed(shown))
        if new:  # letters leave out what bots say
            fresh.extend(Fresh(n, *one) for one in reversed(said) if one is not None and one.event.kind != SAID)
        return sum(len(words) for _, _, words in shown)

    letters = sum(tell_answer(n, events, True) for n, events in reversed(offered))
    enough = ENOUGH * (game.face.log.digest.folds if game.face.log.digest else 1)
    for n, rows in groupby(events, key=lambda row: row.n):
        if len(fresh) >= MOST_NEWS or (letters >= enough and n < min(moved, told[-1][0])):
            break
        answer = [*rows]
        seen = [event for row in reversed(answer) if (event := as_event(row)).seen_by(reader)]
        if letters_now := tell_answer(n, seen, n >= moved):
            letters += letters_now
            called[n] = names
            if n <= last:
                times[n] = answer[0].at
        for row in answer:
            if row.kind in RENAMED:
                names = before(names, row)
    del fresh[MOST_NEWS:]  # an answer may tell of many
    log = digested(
        lines(told, set(names), moved, game), game.face.log.digest, lambda n: called.get(n, named), game.face.log.drawn
    )
    for line in log:
        line.at = times.get(line.n, "")
    news = [one.alone for one in reversed(fresh)]
    later = [one for one in fresh if one.n]  # the letter of the start told the set-up
    story = telling(game, [one.event.kind for one in reversed(later)], [one.alone for one in reversed(later)])
    return News(news, story, brief(game, fresh), brief(game, later, story), log)


def brief(game: Game, told: Sequence[Fresh], but: Collection[str] = ()) -> list[str]:
    """News, one line per answer, oldest first; routine only if addressed to the reader or alone. `but`: left out."""
    kept = {id(one) for one in told if one.event.kind not in game.face.log.dull or one.event.only is not None}
    kept = (kept or {id(one) for one in told}) - {id(one) for one in told if one.alone in but}
    found: list[str] = []
    count = 0
    for _, answer in groupby(told, key=lambda one: one.n):
        said, before = list[str](), False
        for one in reversed([*answer]):
            if id(one) in kept:
                said.append(one.words if before else one.alone)
            before = id(one) in kept
        count += len(said)
        if found and said and count > MOST_BRIEF:
            found.append(gettext("The history has what happened before."))
            break
        found += [" ".join(said)] if said else []
    return found[::-1]


def telling(game: Game, kinds: Sequence[str], news: Sequence[str]) -> list[str]:
    """The weightiest news: turning points, hostile events, others, routine."""
    turning = {kind: at for at, kind in enumerate(game.face.log.turning)}

    def weight(at: int) -> tuple[int, int]:
        kind, last = kinds[at], len(turning)
        if kind in turning:
            return turning[kind], -at
        dull = kind in game.face.log.dull or kind in game.face.log.chapters
        return last if kind in game.face.log.hostile else last + 2 if dull else last + 1, -at

    return [news[at] for at in sorted(sorted(range(len(news)), key=weight)[:MOST_TELLING])]
