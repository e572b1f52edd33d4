"""Clocks of questions: start, stop, park, extend; outage detection. `service.clock.recipe` computes the deadlines."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import datetime, timedelta

import structlog
from sqlalchemy.orm import defer
from sqlmodel import Session, col, func, select

from engine.core.asks import NotLegal
from service.clock import deadlines, recipe, standstill
from service.clock import pace as paces
from service.clock.arithmetic import worked
from service.clock.deadlines import BEAT, MAIL, OWN_HAND
from service.clock.pace import Pace
from service.clock.recipe import HALF_A_DAY, Stops
from service.clock.standstill import Stood
from service.common.dates import Moment
from service.common.messages import sentence
from service.log.chronicle import about_table
from service.log.entries import event_values, next_event
from service.post import letters, outgoing, relay
from service.store import bulk
from service.store.database import settings_of
from service.store.models import Account, AskRow, Beat, EntryRow, EventRow, Match, MatchStatus, SeatRow, now
from workers import lobby_deadlines

DECENT = (0.03, 0.3)
"""Delay of a kept answer: shares of the reaction time."""
WORTH_A_LETTER = timedelta(minutes=30)
"""Shorter outages are only told in the history."""
BATCH = 200
"""Games between two flushes."""

log = structlog.get_logger()


def open_ask(session: Session, match: Match, seat: SeatRow, ask: AskRow, turn_mark: str, stops: Stops) -> None:
    """Start a question's clock; steps with one `turn_mark` share its time."""
    pace = paces.of(match.pace)
    ask.allowed = pace.reaction
    if turn_mark:
        if seat.turn_mark != turn_mark:
            # Time left of the last turn was played early.
            _save(seat, pace, seat.turn_left if seat.turn_mark else 0)
            seat.turn_mark, seat.turn_left = turn_mark, pace.turn
        ask.allowed = max(seat.turn_left, 60 if pace.turn > 60 else 1)
    deadlines.freeze(session, match, seat, ask)
    deadlines.reckon(session, match, seat, ask, stops)
    session.add(seat)


def open_offer(session: Session, match: Match, seat: SeatRow, ask: AskRow, timed: bool, stops: Stops) -> None:
    """Start a proposal's clock, at the end of which it lapses; none unless `timed`."""
    if not timed:
        ask.recipe, ask.due_at, ask.falls_at, ask.remind_at = {}, None, None, None
        session.add(ask)
        return
    ask.allowed, ask.extended, ask.given = paces.of(match.pace).reaction, 0, 0
    deadlines.freeze(session, match, seat, ask)
    deadlines.reckon(session, match, seat, ask, stops)


def close_offer(session: Session, ask: AskRow) -> None:
    """Stop a proposal's clock; no time is saved or lost."""
    ask.answered_at, ask.remind_at = now(), None
    session.add(ask)


def keep_back(match: Match, ask: AskRow) -> None:
    """Give the kept answer after a random delay."""
    pause = random.SystemRandom().uniform(*DECENT) * paces.of(match.pace).reaction
    ask.kept_at = now() + timedelta(seconds=pause)
    if ask.recipe:
        recipe.changed(ask, kept_from=now(), kept_for=pause)


def keep_to_deadline(ask: AskRow) -> None:
    """Give the kept answer at the deadline."""
    ask.kept_at = ask.due_at
    if ask.recipe:
        recipe.changed(ask, kept_from=None)


def park(session: Session, ask: AskRow) -> None:
    """Stop a question's clock while another question interrupts it."""
    if ask.recipe and recipe.of(ask).parked_at is None:
        recipe.changed(ask, parked_at=now())
    ask.falls_at, ask.remind_at = None, None
    session.add(ask)


def unpark(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    """Resume a parked question's clock with the time it had left, at least the grace period."""
    if not deadlines.adopt(session, match, seat, ask):
        return
    known, bank = recipe.of(ask), seat.bank if ask.serial > 0 else 0
    if known.parked_at is not None:
        recipe.changed(ask, parked=(*known.parked, (known.parked_at, now())), parked_at=None, bank=bank)
    _leave_grace(session, match, seat, ask, stops)


def reopen(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    """Reopen an answered question with its old deadline, at least the grace."""
    ask.answered_at, ask.kept, ask.kept_at = None, "", None
    if not deadlines.adopt(session, match, seat, ask):
        deadlines.freeze(session, match, seat, ask)
    recipe.changed(ask, bank=seat.bank if ask.serial > 0 else 0)
    _leave_grace(session, match, seat, ask, stops)


def _leave_grace(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    deadlines.reckon(session, match, seat, ask, stops)
    if ask.due_at is not None and ask.due_at <= now():
        known = recipe.of(ask)
        recipe.changed(ask, least=(*known.least, (now(), known.grace)))
        deadlines.reckon(session, match, seat, ask, stops)


def close_ask(session: Session, match: Match, seat: SeatRow, ask: AskRow, via: str, turn: bool, stops: Stops) -> None:
    """Stop the clock of an answered question; `via` "": cancelled."""
    ask.answered_at, ask.remind_at = now(), None
    session.add(ask)
    if ask.due_at is None or not deadlines.adopt(session, match, seat, ask):
        return
    pace = paces.of(match.pace)
    left = int(recipe.left(ask, stops, now()))
    if turn:
        seat.turn_left = min(left, pace.turn)
    if via in OWN_HAND:
        seat.missed = 0
        late = worked(ask.due_at, now(), recipe.rest(ask, stops)) - recipe.of(ask).grace
        if late > 0:
            seat.bank = max(0, seat.bank - late)
        elif not turn:
            # Extended time isn't saved.
            _save(seat, pace, min(left, max(0, int(ask.allowed - recipe.spent(ask, stops, now())))))
    elif via == "clock":
        seat.bank = 0
    session.add(seat)


def _save(seat: SeatRow, pace: Pace, left: int) -> None:
    seat.bank = max(seat.bank, min(pace.bank, seat.bank + left * pace.saved // 100))


def after_pause(session: Session, match: Match, seats: Iterable[SeatRow], start: datetime, end: datetime) -> list[AskRow]:
    """Recompute deadlines after a pause that ended early; returns questions that got more time.

    Below half a day left, up to the pause's length is added, for players who relied on it; pauses don't add up.
    """
    by_letter = {seat.seat: seat for seat in seats}
    deadlines.again(session, match, by_letter.values())
    stops, more = deadlines.stops_of(session, match.id, stored=True), []
    for ask in deadlines.questions(session, match, by_letter):
        if ask.recipe and _make_up(ask, stops, (end - start).total_seconds(), end):
            deadlines.reckon(session, match, by_letter[ask.seat], ask, stops)
            more.append(ask)
    session.flush()
    return more


def _make_up(ask: AskRow, stops: Stops, paused: float, at: datetime) -> bool:
    has, known = recipe.left(ask, stops, at), recipe.of(ask)
    wanted = int(max(0, min(paused, min(HALF_A_DAY, ask.allowed) - has)))
    more = wanted - known.from_pauses
    if more > 0:
        recipe.allow(ask, recipe.spent(ask, stops, at) + has + more)
        recipe.changed(ask, from_pauses=wanted)
    return more > 0


def extend(
    session: Session, match: Match, seat: SeatRow, by: timedelta, least: timedelta, sealed: bool, hosts: bool = False
) -> datetime:
    """Move a deadline, to no nearer than `least` from now; returns it. Raises NotLegal if nothing is due. While answers are
    hidden, a seat that has answered is accepted, without effect.
    """
    found = select(AskRow).where(AskRow.match_id == match.id, AskRow.seat == seat.seat, AskRow.serial == match.serial)
    ask = session.exec(found).first()
    timed = ask is not None and ask.due_at is not None and (ask.answered_at is None or sealed)
    if ask is None or not timed or not deadlines.adopt(session, match, seat, ask):
        raise NotLegal(sentence("%(name)s is not asked anything just now; there is no deadline to move.", name=seat.name))
    stops = deadlines.stops_of(session, match.id, stored=True)
    deadlines.reckon(session, match, seat, ask, stops)
    assert ask.due_at is not None
    past, has = recipe.spent(ask, stops, now()), recipe.spent(ask, stops, ask.due_at)
    seconds = by.total_seconds()
    total = max((max(has, past) if seconds > 0 else has) + seconds, past + least.total_seconds())
    if hosts:
        ask.given += int(max(0, total - max(has, past)))
    recipe.allow(ask, total)
    deadlines.reckon(session, match, seat, ask, stops)
    return ask.due_at


# --- outages ----------------------------------------------------------------------------------------------------------


def awake(session: Session) -> bool:
    """Whether service and mail work; nothing falls due otherwise."""
    return deadlines.awake(session) and relay.down_since(session) is None


def wake(session: Session) -> int:
    """Write the heartbeat. After an outage, recompute all clocks; returns the number of moved deadlines."""
    beat = session.exec(
        select(Beat).where(Beat.name == BEAT).with_for_update().execution_options(populate_existing=True)
    ).first()
    down_since = None
    if beat is not None and now() - beat.at > timedelta(seconds=settings_of(session).down_seconds):
        log.warning("the service was down; clocks stood still", since=beat.at.isoformat())
        down_since = beat.at
    outage = _outage(session, down_since)
    moved = 0
    if outage is not None:
        moved = _all_stood_still(session, outage)
        lobby_deadlines.put_off(session, *outage[1:])
    if beat is None:
        bulk.add_unless_there(session, Beat(name=BEAT, at=now()))
    else:
        beat.at = now()
        session.add(beat)
    return moved


def _outage(session: Session, service_since: datetime | None) -> Stood | None:
    """The outage that has ended. Records a present mail outage; held mail is one."""
    stopped = (relay.down_since(session), outgoing.held_since(session))
    down, noted = min((at for at in stopped if at is not None), default=None), session.get(Beat, MAIL)
    since = [moment for moment in (service_since, noted.at if noted is not None else None, down) if moment is not None]
    if down is not None:
        if noted is None:
            log.error("no letter can leave; all clocks stand still until the mail relay accepts one", since=down.isoformat())
            noted = Beat(name=MAIL, at=down)
        noted.at = min(since)
        session.add(noted)
        return None
    if noted is None:
        return (standstill.SERVICE, service_since, now()) if service_since is not None else None
    session.delete(noted)
    log.warning("the mail relay accepts letters again; clocks stood still", since=noted.at.isoformat())
    counts = now() - min(since) > timedelta(seconds=settings_of(session).down_seconds)
    return (standstill.MAIL, min(since), now()) if counts else None


def _all_stood_still(session: Session, outage: Stood) -> int:
    """Store an outage in each running game, under its lock; returns the number of moved deadlines."""
    running = select(Match.id).where(Match.status == MatchStatus.RUNNING, ~col(Match.practice)).order_by(Match.id)
    ids, moved = session.exec(running).all(), 0
    long_columns = [defer(getattr(Match, name)) for name in ("snapshot", "seed", "header")]
    for first in range(0, len(ids), BATCH):
        rows = select(Match).where(col(Match.id).in_(ids[first : first + BATCH])).order_by(Match.id).options(*long_columns)
        locked = rows.with_for_update(key_share=True).execution_options(populate_existing=True)
        here = col(SeatRow.match_id).in_(ids[first : first + BATCH])
        # Fills the identity map: no query per question.
        people = session.exec(select(Account).join(SeatRow, col(SeatRow.account_id) == Account.id).where(here)).unique().all()
        for match in session.exec(locked).all():
            try:
                with session.begin_nested():
                    moved += _stood_still(session, match, outage)
            except Exception as problem:  # a faulty game must not block others
                log.error("outage can't be stored", match=match.id, problem=type(problem).__name__)
        session.flush()
        log.info("clocks computed again", games=len(ids[first : first + BATCH]), people=len(people))
    return moved


def _stood_still(session: Session, match: Match, outage: Stood) -> int:
    moved = standstill.stand_still(session, match, outage)
    _, start, end = outage
    if moved:
        _tell(session, match, outage)
    if end - start >= WORTH_A_LETTER:
        _write(session, match, moved, outage)
    return len(moved)


def _tell(session: Session, match: Match, outage: Stood) -> None:
    n = session.exec(select(func.max(EntryRow.n)).where(EntryRow.match_id == match.id)).one() or 0
    kind, start, end = outage
    event = about_table(f"outage_{kind}", **{"from": start.isoformat(), "until": end.isoformat()})
    session.add(EventRow(**event_values(match.id, n, next_event(session, match.id, n), event)))


def _write(session: Session, match: Match, moved: list[AskRow], outage: Stood) -> None:
    kind, start, end = outage
    mine: dict[str, AskRow] = {}
    for ask in moved:
        if ask.answered_at is None and (ask.seat not in mine or mine[ask.seat].serial < ask.serial):
            mine[ask.seat] = ask
    for letter, ask in sorted(mine.items()):
        seat = session.get(SeatRow, (match.id, letter))
        account = session.get(Account, seat.account_id) if seat is not None and seat.account_id else None
        if seat is None or account is None or ask.due_at is None:
            continue
        facts = {"what": kind, "began": Moment(start), "ended": Moment(end), "due": Moment(ask.due_at)}
        letters.owe(session, "outage", match, seat, account, facts)
