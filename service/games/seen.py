"""A seat's view in words: board, question, offers and news.

Computed on demand from the position and the seat's hidden answers, which change nothing that others see, neither entry count
nor chain head.
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
from engine.hidden import linked, run_offers
from engine.views import Event
from service.common.i18n import gettext, speaking_to, zone
from service.games import muting
from service.games.chronicle import teller
from service.games.entries import OF_EVENT, Told, as_event, stored_events
from service.games.names import REPLACED, before
from service.games.sealed import taken
from service.games.state import position
from service.people.accounts import reader_at
from service.post.letters import Seen
from service.post.recent_events import Line, digested, lines
from service.store.models import EntryRow, EventRow, Match, MatchStatus, SealedAnswer, SeatRow
from service.store.seats import called

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


@dataclass(frozen=True)
class Known:
    """Rows read for one reader, besides the match."""

    seats: Sequence[SeatRow]
    """All seats."""
    seat: SeatRow | None
    """The reader's; None for a spectator."""
    sealed: Sequence[SealedAnswer]
    """Own hidden answers and everybody's offers, oldest first."""
    events: Sequence[Told]
    """News since the reader's last move and earlier events, newest first."""
    since: int = 0
    """Entry of the reader's last move."""


def sealed_by(seat: Any) -> ColumnElement[bool]:
    """SQL condition: a seat's own hidden answers, and offers, in which it may take part."""
    own: ColumnElement[bool] = col(SealedAnswer.seat) == seat
    return own | (col(SealedAnswer.serial) <= matches.OFFER)


def sealed_for(session: Session, match: Match, seat: Seat) -> list[SealedAnswer]:
    """Those answers, oldest first."""
    found = select(SealedAnswer).where(SealedAnswer.match_id == match.id, sealed_by(seat))
    return list(session.exec(found.order_by(col(SealedAnswer.at), SealedAnswer.id)))


def known(
    session: Session,
    match: Match,
    seat: Seat,
    seats: Sequence[SeatRow] | None = None,
    sealed: Sequence[SealedAnswer] | None = None,
) -> Known:
    """Read a seat's rows (empty: a spectator), a statement for each not given."""
    if seats is None:
        seats = session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)).all()
    own = next((row for row in seats if row.seat == seat), None)
    if sealed is None:
        sealed = sealed_for(session, match, seat) if own is not None else ()
    since = max(0, own.moved_n - BEFORE) if own is not None else 0
    events = [Told(*row) for row in session.execute(NEWEST, {"match": match.id, "since": since})]
    if not events and match.status == MatchStatus.FINISHED:  # its log may be packed
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
    """A seat's view (empty: a spectator's) in the current language and zone; None before the game opens. `heads`: with letters'
    headings."""
    state = position(session, match)
    if state is None:
        return None
    return shown(match, state, known(session, match, seat, seats, sealed), head_of(session, match, state), heads)


def for_owner(session: Session, match: Match, seat: Seat, seats: Sequence[SeatRow] | None = None) -> Seen | None:
    """The same in the seat owner's language."""
    with speaking_to(*reader_at(session, match.id, seat)):
        return look(session, match, seat, seats)


def forms_of(
    match: Match, state: AnyState, seat: Seat, names: dict[Seat, str], sealed: Sequence[SealedAnswer], serial: int
) -> list[Form]:
    """Forms by serial: question (> 0), powers (0), or a proposal (< 0)."""
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
    """The position with the seat's hidden offers, and their events."""
    offers = [taken(row) for row in sealed if row.serial <= matches.OFFER]
    return run_offers(game, state, linked(game, state.table.seats, offers, (seat,))[0] if seat else [])


def _asked(match: Match, state: AnyState, own: AnyState, seat: Seat, sealed: Sequence[SealedAnswer]) -> Ask | None:
    """The question that the seat hasn't answered."""
    given = any(row.serial == state.serial and row.seat == seat for row in sealed)
    if match.status != MatchStatus.RUNNING or seat not in state.waiting or given:
        return None
    return procedure.ask_of(own, seat)


def _beside(game: Game, own: AnyState, seat: Seat, names: dict[Seat, str], heads: bool = True) -> tuple[list[Form], list[Form]]:
    """Powers and others' proposals, including waiting ones."""
    powers = [describe(game, ask, names, matches.OFFER, heads) for ask in game.offers(own, seat)]
    powers += [describe(game, ask, names, -number, heads) for number, ask in offers.own(own, seat, ahead=True)]
    return powers, [describe(game, ask, names, -number, heads) for number, ask in offers.proposals(own, seat, ahead=True)]


def shown(match: Match, state: AnyState, known: Known, head: str, heads: bool = True) -> Seen:
    """A reader's view, without queries. `head`: the visible chain head; `heads`: as for `look`."""
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
            # A grave safe default, such as losing the seat.
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
    """Seats that the table waits for: while answers are hidden, all that were asked.

    Without a reader who has `answered`, and bots unless alone.
    """
    if match.status != MatchStatus.RUNNING:
        return []
    waits = {*state.waiting, *state.sealed} - {answered}
    bots = {seat.seat for seat in known.seats if seat.bot}
    return sorted(waits - bots or waits)


def shown_n(match: Match, state: AnyState) -> int:
    """Visible entries: hidden ones would reveal that somebody has answered."""
    return match.snapshot_n - len(state.sealed)


def head_of(session: Session, match: Match, state: AnyState) -> str:
    """The chain's head before hidden answers in the log (oldest games)."""
    if not state.sealed:
        return match.head
    first = select(EntryRow.prev).where(EntryRow.match_id == match.id, EntryRow.n == shown_n(match, state) + 1)
    return session.exec(first).first() or match.head


def _told(
    game: Game, known: Known, names: dict[Seat, str], whispered: Iterable[Event], last: int
) -> tuple[list[str], list[str], list[str], list[Line]]:
    """News since the reader's last move, highlights, brief, and log. `last`: newest visible entry; later ones have no time."""
    named = names
    reader, where = (known.seat.seat, zone()) if known.seat is not None else (None, "UTC")
    tell = teller(game, names, where)
    now = [(event, tell(event)) for event in whispered if event.seen_by(reader)]
    # Hidden offers' events sort above the log.
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
