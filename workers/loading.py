"""Loading of an adjudication run: seats, accounts, questions, hidden answers, read once unless a command changes them."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy import bindparam, exists
from sqlmodel import Session, col, select

from engine import match as matches
from engine.games import game_called
from service.clock import deadlines
from service.clock.recipe import Stops
from service.games.entries import stored_entries
from service.games.sealed import stored, taken
from service.store.database import settings_of
from service.store.models import (
    Absence,
    Account,
    AskRow,
    Beat,
    Command,
    CommandStatus,
    Match,
    Notice,
    NoticeStatus,
    SealedAnswer,
    SeatRow,
    Standstill,
)
from service.store.sealing import need
from workers.playing import Playing

log = structlog.get_logger()


def load(session: Session, row: Match) -> Playing:
    """Load the match: one query for common rows plus EXISTS flags, one for each rare kind."""
    playing = _taken_up(session, row)
    state = playing.live.state
    _table(session, playing, [state.serial, *(step.serial for step in state.parked)])
    open_ = [ask for key, ask in playing.rows.items() if ask.answered_at is None]
    playing.asks = {(ask.seat, ask.serial): ask for ask in open_}
    opened = [ask.opened_at for ask in playing.rows.values() if ask.serial == state.serial]
    playing.since = (state.serial, min(opened)) if opened else None
    for sealed in playing.lying:
        if sealed.serial <= matches.OFFER:
            playing.offers.append(taken(sealed))
        elif sealed.serial == state.serial:
            playing.sealed[sealed.seat] = stored(sealed)
        elif any(step.serial == sealed.serial for step in state.parked):
            playing.parked.setdefault(sealed.serial, {})[sealed.seat] = stored(sealed)
    # A question without a row is still to be asked.
    people = {seat for seat, at in playing.seats.items() if at.account_id and not at.steward}
    playing.rebuilt = playing.rebuilt or any(playing.key(s) not in playing.asks for s in playing.waiting if s in people)
    playing.made = playing.made_by()
    playing.turns = {seat: playing.live.game.turn_of(state, seat) for seat in state.waiting}
    return playing


def _table(session: Session, playing: Playing, serials: list[int]) -> None:
    """Load seats, accounts, questions (open, or with these numbers), and rare rows by EXISTS flags."""
    sealed = away = noticed = commanded = False
    beat = mail = None
    for seat, account, ask, *there_is in session.execute(_loading(), {"match": playing.row.id, "serials": serials}):
        playing.seats[seat.seat] = seat
        if account is not None:
            playing.accounts[account.id] = account
        if ask is not None:
            playing.rows[ask.seat, ask.serial] = ask
        sealed, away, noticed, commanded, beat, mail = there_is
    playing.commanded = bool(noticed or commanded)
    if sealed:
        lying = select(SealedAnswer).where(SealedAnswer.match_id == playing.row.id)
        playing.lying = list(session.exec(lying.order_by(col(SealedAnswer.at), SealedAnswer.id)))
    if away:
        playing.stops = deadlines.stops_of(session, playing.row.id)
    else:
        playing.stops = Stops(ongoing=deadlines.ongoing(beat, mail, settings_of(session).down_seconds))


@cache
def _loading() -> Any:
    """Cached: building it takes longer than running it."""
    id: Any = bindparam("match")
    wanted = col(AskRow.answered_at).is_(None) | col(AskRow.serial).in_(bindparam("serials", expanding=True))
    own = (col(AskRow.match_id) == SeatRow.match_id) & (col(AskRow.seat) == SeatRow.seat)
    kinds = (
        exists().where(col(SealedAnswer.match_id) == id),
        exists().where(col(Absence.match_id) == id) | exists().where(col(Standstill.match_id) == id),
        exists().where(col(Notice.match_id) == id, col(Notice.status) == NoticeStatus.OPEN),
        exists().where(col(Command.match_id) == id, col(Command.status) == CommandStatus.QUEUED),
    )
    beats = [
        sa.select(col(Beat.at)).where(col(Beat.name) == name).scalar_subquery() for name in (deadlines.BEAT, deadlines.MAIL)
    ]
    found = sa.select(SeatRow, Account, AskRow, *kinds, *beats).outerjoin(Account, col(Account.id) == SeatRow.account_id)
    return found.outerjoin(AskRow, own & wanted).where(col(SeatRow.match_id) == id).order_by(SeatRow.seat)


def look_again(session: Session, playing: Playing) -> None:
    """Reload what commands may have changed: absences, accounts, hidden answers."""
    session.flush()
    id = playing.row.id
    playing.stops = deadlines.stops_of(session, id)
    lying = select(SealedAnswer).where(SealedAnswer.match_id == id)
    playing.lying = list(session.exec(lying.order_by(col(SealedAnswer.at), SealedAnswer.id)))
    missing = {seat.account_id for seat in playing.seats.values() if seat.account_id} - playing.accounts.keys()
    if missing:
        found = session.exec(select(Account).where(col(Account.id).in_(missing)))
        playing.accounts |= {account.id: account for account in found}


def _taken_up(session: Session, row: Match) -> Playing:
    assert row.header is not None
    need(row.seed, row.snapshot)
    header = msgspec.json.decode(row.header, type=matches.Header)
    if row.snapshot is not None:
        live = _from_snapshot(row, header)
        if live is not None:
            return Playing(row, {}, live)
    entries = stored_entries(session, row.id)
    if not entries:
        live = matches.start(header, row.seed)
        # Dropped before the first entry: the opening is in the log already.
        opened = row.serial > 0
        return Playing(row, {}, live, [] if opened else [(0, live.opening)], fresh=not opened, rebuilt=opened)
    replayed = matches.replay(header, row.seed, entries, trusted=True)
    return Playing(row, {}, matches.take_up(header, row.seed, replayed.state, len(entries), replayed.head), rebuilt=True)


def _from_snapshot(row: Match, header: matches.Header) -> matches.Match | None:
    assert row.snapshot is not None
    game = game_called(header.game, header.rules)
    try:
        state = game.decode(row.snapshot)
    except msgspec.MsgspecError:
        log.warning("snapshot dropped", match=row.id)
        return None
    return matches.take_up(header, row.seed, state, row.snapshot_n, row.head)
