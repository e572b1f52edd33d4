"""Renders letters about games when they are sent: reads rows for a batch, then renders without queries or an open
transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from engine.game import AnyState
from engine.games import GAMES
from engine.play.ending import Course
from service.common.dates import Span, shown
from service.common.i18n import speaking_to
from service.common.messages import from_data
from service.games import muster, terms
from service.log import muting, names, results, story
from service.log.entries import OF_EVENT, EventRecord
from service.log.recent_events import MOST_READ
from service.people.accounts import spoken
from service.post import letters, links
from service.seat import guides, seat_view
from service.seat.state import head_of, position
from service.settings import Settings
from service.store import bulk
from service.store.database import settings_of
from service.store.models import (
    Account,
    AskRow,
    EventRow,
    HiddenAnswer,
    Letter,
    Link,
    Match,
    MatchStatus,
    Message,
    SeatRow,
    now,
)
from service.store.seats import UNREAD

PLAYED_BY = frozenset(("started", terms.KIND, muster.KIND))
"""Letters that list the options."""
ASKING = frozenset(("turn", "offer", "reminder"))
"""Letters that are void once answered."""


@dataclass
class Owed:
    letter: Letter
    match: Match
    seat: SeatRow
    account: Account
    link: Link
    ask: AskRow | None = None
    """The open question's clock."""
    asked_before: bool = False
    """Whether a question of its kind was asked before."""
    seats: list[SeatRow] = field(default_factory=list)
    """All of the table's."""
    sealed: list[HiddenAnswer] = field(default_factory=list)
    """Hidden answers, for letters that show the board."""
    events: Sequence[EventRecord] = ()
    """News, for letters that show the board."""
    state: AnyState | None = None
    head: str = ""
    messages: list[Message] = field(default_factory=list)
    told: list[EventRow] = field(default_factory=list)
    """Events that tell the end."""
    turning: list[story.Turn] = field(default_factory=list)
    """Turning points of the game's story, with the names at that time."""
    course: Course | None = None
    """How the game went."""
    problem: Exception | None = None
    """Failure to gather the data; `write` raises it."""


@dataclass(frozen=True)
class _Table:
    match: Match
    seats: list[SeatRow]
    accounts: dict[str, Account]
    asks: dict[tuple[str, int], AskRow]
    repeated: set[tuple[str, int]]
    """Questions of a kind that their seats were asked before."""
    sealed: list[HiddenAnswer]


def gather(session: Session, owed: Sequence[Letter]) -> list[Owed]:
    """Read the data of letters still due, in three queries plus one each for hidden answers and talk."""
    if not owed:
        return []
    tables = _tables(session, {letter.match_id for letter in owed if letter.match_id})
    told = _news(session, [letter.id for letter in owed if letter.kind in letters.BOARDS])
    said = _said(session, owed)
    found = []
    for letter in owed:
        table = tables[letter.match_id or ""]
        seat = next(row for row in table.seats if row.seat == letter.seat)
        account = table.accounts.get(letter.account_id or "") or session.get(Account, letter.account_id)
        if account is None or not _due(letter, table, seat):
            continue
        link = links.seat_link(settings_of(session), links.TURN, table.match, seat)
        session.add(link)
        asked = (seat.seat, letter.serial or table.match.serial)
        one = Owed(letter, table.match, seat, account, link, table.asks.get(asked), asked in table.repeated)
        messages = [said[id] for id in letter.headers.get(letters.MESSAGES, "").split() if id in said]
        # Skip seats muted while the letter waited.
        muted = muting.muted_by(session, table.match.id, seat.seat) if messages else set()
        one.messages = [message for message in messages if message.seat not in muted]
        if messages and not one.messages:
            continue
        if letter.kind in letters.BOARDS:
            one.seats, one.sealed = table.seats, table.sealed
            one.events = muting.heard(session, table.match.id, seat.seat, told.get(letter.id, []))
            _look_up(session, one)
        found.append(one)
    bulk.add(session, Link)
    return found


def _tables(session: Session, ids: set[str]) -> dict[str, _Table]:
    found: dict[str, _Table] = {}
    any_sealed = False
    for seat, account, ask, match, before, has_sealed in session.execute(_seated(), {"matches": sorted(ids)}):
        if match is not None and match.id not in found:  # its first seat may have several questions, one row each
            found[match.id] = _Table(match, [], {}, {}, set(), [])
        table = found[seat.match_id]
        if not table.seats or table.seats[-1] is not seat:
            table.seats.append(seat)
        if account is not None:
            table.accounts[account.id] = account
        if ask is not None:
            table.asks[seat.seat, ask.serial] = ask
            if before:
                table.repeated.add((seat.seat, ask.serial))
        any_sealed = any_sealed or has_sealed
    if any_sealed:
        sealed = select(HiddenAnswer).where(col(HiddenAnswer.match_id).in_(ids))
        for row in session.exec(sealed.order_by(col(HiddenAnswer.at), HiddenAnswer.id)):
            found[row.match_id].sealed.append(row)
    return found


@cache
def _seated() -> Any:
    """The long match row joins only its first seat. Cached: building takes longer than sending."""
    other = aliased(SeatRow)
    first = select(func.min(other.seat)).where(other.match_id == SeatRow.match_id).correlate(SeatRow).scalar_subquery()
    serial = select(Match.serial).where(Match.id == SeatRow.match_id).correlate(SeatRow).scalar_subquery()
    its = (col(AskRow.match_id) == SeatRow.match_id) & (col(AskRow.seat) == SeatRow.seat)
    open_ = col(AskRow.answered_at).is_(None) | (col(AskRow.serial) == serial)
    has_sealed = sa.exists().where(col(HiddenAnswer.match_id) == SeatRow.match_id)
    return (
        sa.select(SeatRow, Account, AskRow, Match, seat_view.asked_before(), has_sealed)
        .outerjoin(Account, col(Account.id) == SeatRow.account_id)
        .outerjoin(AskRow, its & open_)
        .outerjoin(Match, (col(Match.id) == SeatRow.match_id) & (col(SeatRow.seat) == first))
        .where(col(SeatRow.match_id).in_(bindparam("matches", expanding=True)))
        .order_by(SeatRow.match_id, SeatRow.seat)
        .options(*UNREAD)
    )


def _news(session: Session, ids: list[str]) -> dict[str, list[EventRecord]]:
    """News by letter, newest first."""
    if not ids:
        return {}
    found: dict[str, list[EventRecord]] = {}
    for id, *row in session.execute(_newest(), {"letters": ids}):
        found.setdefault(id, []).append(EventRecord(*row))
    return found


@cache
def _newest() -> Any:
    newest = col(EventRow.n).desc(), col(EventRow.i).desc()
    place = func.row_number().over(partition_by=col(Letter.id), order_by=newest)
    own = (col(SeatRow.match_id) == Letter.match_id) & (col(SeatRow.seat) == Letter.seat)
    since = (col(EventRow.match_id) == Letter.match_id) & (col(EventRow.n) >= SeatRow.moved_n)
    columns = [col(getattr(EventRow, name)) for name in OF_EVENT]
    ranked = (
        sa.select(*columns, col(Letter.id).label("letter_id"), place.label("place"))
        .select_from(Letter)
        .join(SeatRow, own)
        .join(EventRow, since)
        .where(col(Letter.id).in_(bindparam("letters", expanding=True)))
        .subquery()
    )
    told = [ranked.c[name] for name in OF_EVENT]
    return sa.select(ranked.c.letter_id, *told).where(ranked.c.place <= MOST_READ).order_by(ranked.c.place)


def _said(session: Session, owed: Sequence[Letter]) -> dict[str, Message]:
    ids = {id for letter in owed for id in letter.headers.get(letters.MESSAGES, "").split()}
    if not ids:
        return {}
    return {message.id: message for message in session.exec(select(Message).where(col(Message.id).in_(ids)))}


def _due(letter: Letter, table: _Table, seat: SeatRow) -> bool:
    if seat.account_id != letter.account_id and letter.kind != "replaced":
        return False
    if letter.kind == terms.KIND:
        return table.match.status == MatchStatus.LOBBY and not terms.has_agreed(table.match, seat)
    if letter.kind == muster.KIND:
        return seat in muster.absent(table.match, table.seats)
    if letter.kind not in ASKING:
        return True
    ask = table.asks.get((seat.seat, letter.serial))
    moved_on = letter.serial > 0 and letter.serial != table.match.serial
    if ask is None or ask.answered_at is not None or moved_on or table.match.status != MatchStatus.RUNNING:
        return False
    return letter.kind != "reminder" or not (ask.kept or ask.due_at is None or ask.due_at <= now())


def _look_up(session: Session, one: Owed) -> None:
    try:
        one.state = position(session, one.match)
        one.head = head_of(session, one.match, one.state) if one.state is not None else ""
        if one.letter.kind == "over":
            then = names.then(session, one.match, reader=one.seat.seat)
            one.told = results.told(session, one.match, one.seat.seat)
            one.course = results.course(session, one.match)
            chosen = story.decisive(GAMES[one.match.game], one.course, one.told)
            one.turning = [(row, then(row.n)) for row in chosen]
    except Exception as problem:  # one game's fault must not block other letters
        one.problem = problem


def write(settings: Settings, one: Owed) -> None:
    """Render a letter. Raises what rules or templates raise."""
    if one.problem is not None:
        raise one.problem
    letter, match, seat = one.letter, one.match, one.seat
    link = links.url(settings, one.link)
    context: dict[str, Any] = {
        **letters.common(match, seat.name, link),
        "seat": seat.seat,
        "moment": lambda at: shown(at, one.account.zone),
        "thread": letter.headers.get(letters.THREAD, ""),
        "messages": one.messages,
        **{name: from_data(fact) for name, fact in letter.facts.items()},
    }
    if letter.kind in PLAYED_BY:
        context |= letters.played_by(match)
    if letter.kind in letters.BOARDS:
        context |= _board(one, link)
    about = letters.about(one.account, letter.kind, match, context)
    draft = letters.Draft(letter.kind, letter.to_address, about, context, one.account, match, seat)
    letters.fill(settings, letter, draft, one.account)


def _board(one: Owed, link: str) -> dict[str, Any]:
    letter, match = one.letter, one.match
    assert one.state is not None, "a game that has letters is open"
    rows = seat_view.Rows(sealed=one.sealed, asked_before=one.asked_before)
    with speaking_to(spoken(one.account), one.account.zone):
        view = seat_view.build(match, one.state, one.seat.seat, one.seats, rows, one.events, 0, one.head, heads=True)
        if letter.serial < 0:
            # The letter is about a proposal, not the step's question.
            put = next((form for form in view.proposals if form.serial == letter.serial), None)
            view = replace(view, form=put, serial=letter.serial)
        more = letters.clock_of(one.ask if view.form is not None else None) | {"note": guides.note(one.account, view)}
        if letter.kind == "over" and match.outcome is not None:
            game, won = view.game, match.outcome["winners"]
            standings = results.standings(game, one.state, view.names, won, one.told)
            more["story"] = story.story(game, one.course, one.turning, view.names, one.seat.seat, one.account.zone)
            more |= {"standings": standings, "place": story.own_place(standings, one.seat.seat)}
            more |= {"winners": [view.names[seat] for seat in won], "won": one.seat.seat in won, "how": match.outcome["how"]}
    if letter.kind == "reminder" and one.ask is not None and one.ask.due_at is not None:
        more["left"] = Span(int((one.ask.due_at - now()).total_seconds()))
    if view.form is not None and letter.kind != "over":
        letter.headers = {**letter.headers, letters.ASK: str(view.serial)}
    return seat_view.letter_context(view, link, **more)
