"""What a seat sees now, put into words for whoever reads it: board, question, offers and news.

It is made when it is wanted, out of the position and what the seat alone knows beside it: its own answers that lie sealed.
What is in nobody's log yet moves nothing that another sees, neither the number of entries nor the chain's head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import ColumnElement, bindparam
from sqlmodel import Session, col, select

from engine import match as matches
from engine import offers, procedure
from engine.asks import Ask, Seat, read
from engine.forms import Form, describe, hindered
from engine.game import AnyState, Game
from engine.games import game_called
from engine.views import Event
from service.common.i18n import gettext, speaking_to, zone
from service.games import muting
from service.games.chronicle import teller
from service.games.entries import OF_EVENT, Told, as_event, stored_events
from service.games.names import REPLACED, before
from service.games.sealed import linked, run_offers, taken
from service.games.state import position
from service.people.accounts import reader_at
from service.post.letters import Seen
from service.post.recent_events import Line, digested, lines
from service.store.models import EntryRow, EventRow, Match, MatchStatus, SealedAnswer, SeatRow
from service.store.seats import called

MOST_NEWS = 120
"""Sentences of news that a page or letter shows; older ones are in the history."""
MOST_READ = 3 * MOST_NEWS
"""Events that are looked through for them."""
MOST_BRIEF = 20
"""Sentences of news in a letter, of the last answers whole."""
MOST_TELLING = 2
"""Sentences at the head of a letter that say what came of late."""
UNNUMBERED = 1 << 30
BEFORE = 48
"""Entries from before the reader's last move that the log goes back at the most,"""
ENOUGH = 1100
"""and no further than to so many letters in all, which fill its place beside the board."""


_EVENTS: sa.Table = EventRow.__table__  # type: ignore[attr-defined]  # SQLModel's types leave it out
_ENTRIES: sa.Table = EntryRow.__table__  # type: ignore[attr-defined]  # as above
# Made once: to put it together takes longer than to send it. What was told before the first entry has no time.
NEWEST = (
    sa.select(*(_EVENTS.c[name] for name in OF_EVENT), sa.func.coalesce(_ENTRIES.c.at, ""))
    .outerjoin(_ENTRIES, (_ENTRIES.c.match_id == _EVENTS.c.match_id) & (_ENTRIES.c.n == _EVENTS.c.n))
    .where(_EVENTS.c.match_id == bindparam("match"), _EVENTS.c.n >= bindparam("since"))
    .order_by(_EVENTS.c.n.desc(), _EVENTS.c.i.desc())
    .limit(MOST_READ)
)


@dataclass(frozen=True)
class Known:
    """What is read for one reader beside the row of the match."""

    seats: Sequence[SeatRow]
    """All of the table."""
    seat: SeatRow | None
    """The reader's; None for a spectator."""
    sealed: Sequence[SealedAnswer]
    """The reader's own answers that lie sealed, and the offers of all, the oldest first."""
    events: Sequence[Told]
    """What was told since the reader last moved with their own hand, and some of what was told before; the newest first."""
    since: int = 0
    """The entry by which the reader last moved: what was told before it is no news."""


def sealed_by(seat: Any) -> ColumnElement[bool]:
    """Which of the answers that lie sealed at a table a seat may know of: its own, and offers, to which it may be a party."""
    own: ColumnElement[bool] = col(SealedAnswer.seat) == seat
    return own | (col(SealedAnswer.serial) <= matches.OFFER)


def sealed_for(session: Session, match: Match, seat: Seat) -> list[SealedAnswer]:
    """These answers, the oldest first."""
    found = select(SealedAnswer).where(SealedAnswer.match_id == match.id, sealed_by(seat))
    return list(session.exec(found.order_by(col(SealedAnswer.at), SealedAnswer.id)))


def known(
    session: Session,
    match: Match,
    seat: Seat,
    seats: Sequence[SeatRow] | None = None,
    sealed: Sequence[SealedAnswer] | None = None,
) -> Known:
    """What is read for a seat (the empty one: a spectator): a statement each for what is not given, and one for the news."""
    if seats is None:
        seats = session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)).all()
    own = next((row for row in seats if row.seat == seat), None)
    if sealed is None:
        sealed = sealed_for(session, match, seat) if own is not None else ()
    since = max(0, own.moved_n - BEFORE) if own is not None else 0
    events = [Told(*row) for row in session.execute(NEWEST, {"match": match.id, "since": since})]
    if not events and match.status == MatchStatus.FINISHED:  # its log may lie packed
        packed = reversed(stored_events(session, match, (since, 0)))
        events = [Told(row.n, row.kind, row.facts, row.only_seats, row.but_seats) for row in packed][:MOST_READ]
    events = [*muting.heard(session, match.id, seat, events)]
    return Known(seats, own, sealed, events, own.moved_n if own is not None else 0)


def look(
    session: Session,
    match: Match,
    seat: Seat,
    seats: Sequence[SeatRow] | None = None,
    sealed: Sequence[SealedAnswer] | None = None,
    heads: bool = True,
) -> Seen | None:
    """What a seat (the empty one: a spectator) sees now, in the language and the zone spoken; None before the game is open.
    `heads`: with what letters have above a question."""
    state = position(session, match)
    if state is None:
        return None
    return shown(match, state, known(session, match, seat, seats, sealed), head_of(session, match, state), heads)


def for_owner(session: Session, match: Match, seat: Seat, seats: Sequence[SeatRow] | None = None) -> Seen | None:
    """The same in the words of who sits there."""
    with speaking_to(*reader_at(session, match.id, seat)):
        return look(session, match, seat, seats)


def forms_of(
    match: Match, state: AnyState, seat: Seat, names: dict[Seat, str], sealed: Sequence[SealedAnswer], serial: int
) -> list[Form]:
    """The forms of that number on the page of a seat: of the question, of its powers (0), or of a proposal (negative)."""
    game = game_called(match.game)
    own, _ = _own(game, state, seat, sealed)
    if serial > matches.OFFER:
        ask = _asked(match, state, own, seat, sealed)
        found = [describe(game, ask, names, state.serial)] if ask is not None else []
    else:
        powers, put = _beside(game, own, seat, names)
        found = [*put, *powers]
    return [form for form in found if form.serial == serial]


def _own(game: Game, state: AnyState, seat: Seat, sealed: Sequence[SealedAnswer]) -> tuple[AnyState, list[Event]]:
    """The position with the sealed offers that a seat knows of, and what happens with these."""
    offers = [taken(row) for row in sealed if row.serial <= matches.OFFER]
    return run_offers(game, state, linked(game, state.table.seats, offers, (seat,))[0] if seat else [])


def _asked(match: Match, state: AnyState, own: AnyState, seat: Seat, sealed: Sequence[SealedAnswer]) -> Ask | None:
    """The question that a seat has not answered yet."""
    given = any(row.serial == state.serial and row.seat == seat for row in sealed)
    if match.status != MatchStatus.RUNNING or seat not in state.waiting or given:
        return None
    return procedure.ask_of(own, seat)


def _beside(game: Game, own: AnyState, seat: Seat, names: dict[Seat, str], heads: bool = True) -> tuple[list[Form], list[Form]]:
    """What a seat may do at any time, and what others have put to it; what has to wait for a safe point can be sent as well."""
    powers = [describe(game, ask, names, matches.OFFER, heads) for ask in game.offers(own, seat)]
    powers += [describe(game, ask, names, -number, heads) for number, ask in offers.own(own, seat, ahead=True)]
    return powers, [describe(game, ask, names, -number, heads) for number, ask in offers.proposals(own, seat, ahead=True)]


def shown(match: Match, state: AnyState, known: Known, head: str, heads: bool = True) -> Seen:
    """What a reader sees of a position; `head` is the chain's as far as it may be known, `heads` as for `look`.

    Changes nothing, asks no database.
    """
    game, names = game_called(match.game), called(match, {s.seat: s.name for s in known.seats})
    seat = known.seat.seat if known.seat is not None else ""
    own, whispered = _own(game, state, seat, known.sealed)
    form: Form | None = None
    powers: list[Form] = []
    put: list[Form] = []
    if seat:
        ask = _asked(match, state, own, seat, known.sealed)
        if ask is not None:
            form = describe(game, ask, names, state.serial, heads)
            # What the safe default does, where that is grave: the end of its seat, say.
            fate, shut = game.fate(own, seat, read(form.default)), procedure.shut(own, seat, ask)
            form = msgspec.structs.replace(form, fate=fate, shut=hindered(game, ask, shut, names))
        powers, put = _beside(game, own, seat, names, heads)
    waits = {form.kind for form in [*powers, *put] if procedure.waits(own, seat, form.kind)}
    last = shown_n(match, state)
    news, story, brief, log = _told(game, known, names, whispered, last)
    return Seen(
        view=game.view(own, seat or None),
        form=form,
        offers=powers,
        proposals=put,
        waits=waits,
        news=news,
        story=story,
        brief=brief,
        log=log,
        waiting=_waited(match, state, known, seat if form is None else ""),
        serial=state.serial,
        n=last,
        head=head,
    )


def _waited(match: Match, state: AnyState, known: Known, answered: Seat) -> list[Seat]:
    """Whom the table waits for, as everybody may know it: while answers lie sealed, all who were asked.

    Not a reader who has `answered`, for they know it; nor bots beside people, for a bot answers at once.
    """
    if match.status != MatchStatus.RUNNING:
        return []
    waits = {*state.waiting, *state.sealed} - {answered}
    bots = {seat.seat for seat in known.seats if seat.bot}
    return sorted(waits - bots or waits)


def shown_n(match: Match, state: AnyState) -> int:
    """The number of entries that everybody may know of: like the head, one that grew would tell that somebody has answered."""
    return match.snapshot_n - len(state.sealed)


def head_of(session: Session, match: Match, state: AnyState) -> str:
    """The chain's head, but that from before the answers which lie sealed in the log, as in the oldest games."""
    if not state.sealed:
        return match.head
    first = select(EntryRow.prev).where(EntryRow.match_id == match.id, EntryRow.n == shown_n(match, state) + 1)
    return session.exec(first).first() or match.head


def _told(
    game: Game, known: Known, names: dict[Seat, str], whispered: Iterable[Event], last: int
) -> tuple[list[str], list[str], list[str], list[Line]]:
    """What happened since the reader last moved with their own hand, that move's outcome included, the most telling of it, it
    in brief, and the log of late; by the names of then. `last`: the newest entry that may be known; later ones have no time."""
    named = names
    reader, where = (known.seat.seat, zone()) if known.seat is not None else (None, "UTC")
    tell = teller(game, names, where)
    now = [(event, tell(event)) for event in whispered if event.seen_by(reader)]
    # What is in nobody's log yet stands above it, under a number that no entry has.
    told = [(UNNUMBERED, event, words) for event, words in reversed(now) if words]
    fresh, times, called = [*told], dict[int, str](), dict[int, dict[Seat, str]]()
    letters, enough = sum(len(words) for _, _, words in told), ENOUGH * (game.digest.folds if game.digest else 1)
    for row in known.events:
        if len(fresh) >= MOST_NEWS or (letters >= enough and row.n < min(known.since, told[-1][0])):
            break
        event = as_event(row)
        if event.seen_by(reader) and (words := tell(event)):
            told.append((row.n, event, words))
            letters += len(words)
            called[row.n] = names
            if row.n <= last:
                times[row.n] = row.at
            if row.n >= known.since:
                fresh.append(told[-1])
        if row.kind == REPLACED:
            names = before(names, row)
            tell = teller(game, names, where)
    log = digested(lines(told, set(names), known.since, game), game.digest, lambda n: called.get(n, named), game.drawn)
    for line in log:
        line.at = times.get(line.n, "")
    news = [words for _, _, words in reversed(fresh)]
    return news, telling(game, [event.kind for _, event, _ in reversed(fresh)], news), brief(game, fresh), log


def brief(game: Game, told: Sequence[tuple[int, Event, str]]) -> list[str]:
    """A line an answer of what was told, given the newest first as (entry, event, sentence), in the order in which it came;
    without what comes with every turn, unless it was said to the reader and not to all, or nothing else was told. Of more than
    fits, the first line says where it is."""
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
    """The sentences of the news that tell most, as they came: what a match turns on, then what is hostile, then what doesn't
    come with every turn; of like ones the last."""
    turning = {kind: at for at, kind in enumerate(game.turning)}

    def weight(at: int) -> tuple[int, int]:
        kind, last = kinds[at], len(turning)
        if kind in turning:
            return turning[kind], -at
        dull = kind in game.dull or kind in game.chapters
        return last if kind in game.hostile else last + 2 if dull else last + 1, -at

    return [news[at] for at in sorted(sorted(range(len(news)), key=weight)[:MOST_TELLING])]
