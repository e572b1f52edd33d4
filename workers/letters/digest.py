"""Daily digest: gathered letters sent as one, at each reader's hour."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

import structlog
from sqlalchemy import exists
from sqlmodel import Session, col, func, select

from service.common.dates import zone_called
from service.common.i18n import speaking_to
from service.common.messages import sentence
from service.log import muting
from service.people import accounts
from service.post import ledger, letters, links
from service.seat import guides, seat_view
from service.settings import Settings
from service.store.database import open_session, settings_of, transaction
from service.store.models import Account, LedgerStatus, Letter, LetterStatus, Match, Message, SeatRow, now
from service.table import talk
from workers import faults

log = structlog.get_logger()

GATHERED = (
    col(Letter.status) == LetterStatus.GATHERED,
    ~exists().where(col(Match.id) == Letter.match_id, col(Match.halted_at).is_not(None)),
)
"""Those of halted games wait until the game goes on: a part that can't be made isn't tried again at every sweep."""

WITH_DIGEST = sentence("went out with the digest")


def last_hour(zone_name: str, hour: int, at: datetime) -> datetime:
    """The digest's last due time up to `at`, in the account's zone."""
    zone = zone_called(zone_name)
    day = at.astimezone(zone).date()
    moment = datetime.combine(day, time(hour), zone).astimezone(UTC)
    if moment > at:
        moment = datetime.combine(day - timedelta(days=1), time(hour), zone).astimezone(UTC)
    return moment


def send_due(settings: Settings) -> int:
    """Send due digests, found by one query; returns their number."""
    oldest = func.min(col(Letter.created_at))
    gathering = (
        select(Account.id, Account.zone, Account.digest_hour, oldest)
        .join(Letter, col(Letter.account_id) == Account.id)
        .where(*GATHERED)
        .group_by(Account.id, Account.zone, col(Account.digest_hour))
    )
    with open_session(settings) as session:
        found, at = session.exec(gathering).all(), now()
    due = [id for id, zone, hour, first in found if first <= last_hour(zone, hour, at)]
    return sum(_send_one(settings, id) for id in due)


def _send_one(settings: Settings, account_id: str) -> bool:
    """Send a digest. A failure doesn't block others; one game's leaves its letters gathered."""
    try:
        return _send(settings, account_id)
    except Exception as problem:
        log.error("digest can't be made", account=account_id, problem=type(problem).__name__)
    try:
        faulty = _faulty(settings, account_id)
        return bool(faulty) and _send(settings, account_id, without=faulty)
    except Exception as problem:
        log.error("digest can't be made in parts", account=account_id, problem=type(problem).__name__)
        return False


def _faulty(settings: Settings, account_id: str) -> set[str]:
    """Games that break a digest; halts them if it is the rules' fault."""
    found: dict[str, faults.Fault] = {}
    with transaction(settings) as session:
        account, rows = _gathered(session, account_id)
        for match_id in {row.match_id for row in rows if row.match_id}:
            entry = session.get_one(Match, match_id).snapshot_n
            try:
                with session.begin_nested():
                    parts = _parts(session, account, [row for row in rows if row.match_id == match_id])
                    letters.check_digest(settings, account, parts, now())
            except Exception as problem:
                log.error("digest leaves a game out", match=match_id, problem=type(problem).__name__)
                found[match_id] = faults.Fault(entry, "")
                found[match_id].__cause__ = problem
    for match_id, fault in found.items():
        if fault.__cause__ is not None and not faults.is_operational(fault.__cause__):
            faults.halt(settings, match_id, fault)
    return set(found)


def _gathered(session: Session, account_id: str) -> tuple[Account, list[Letter]]:
    account = session.get_one(Account, account_id, with_for_update={"key_share": True})
    gathered = select(Letter).where(Letter.account_id == account_id, *GATHERED)
    return account, list(session.exec(gathered.order_by(col(Letter.created_at)).with_for_update()))


def _send(settings: Settings, account_id: str, without: Collection[str] = ()) -> bool:
    with transaction(settings) as session:
        account, gathered = _gathered(session, account_id)
        rows = [row for row in gathered if row.match_id not in without]
        due = last_hour(account.zone, account.digest_hour, now())
        if not any(row.created_at <= due for row in rows):
            return False
        parts = _parts(session, account, rows)
        sent = letters.digest(session, account, parts, due) if parts else None
        for row in rows:
            row.status, row.digest_id = LetterStatus.DROPPED, sent.id if sent is not None else ""
            ledger.note(session, row.id, LedgerStatus.DROPPED, WITH_DIGEST if sent is not None else "")
        return sent is not None


def _parts(session: Session, account: Account, rows: Sequence[Letter]) -> list[dict[str, Any]]:
    found = []
    for match_id in dict.fromkeys(row.match_id for row in rows if row.match_id):
        own = [row for row in rows if row.match_id == match_id]
        match, seat = session.get(Match, match_id), session.get(SeatRow, (match_id, own[0].seat))
        if match is None or seat is None or seat.account_id != account.id:
            continue
        view = seat_view.load_for_owner(session, match, seat.seat)
        if view is None:
            continue
        with speaking_to(accounts.spoken(account), account.zone):
            heard, note = _talk(session, own), guides.note(account, view)
        link = links.url(settings_of(session), links.turn_link(session, match, seat))
        found.append(seat_view.letter_context(view, link, talk=heard, note=note, **letters.clock_of(view.ask)))
    return sorted(found, key=_urgency)


def _urgency(part: dict[str, Any]) -> tuple[bool, bool, datetime]:
    due = part["deadline"].at if part["deadline"] is not None else datetime.max.replace(tzinfo=UTC)
    return part["form"] is None, bool(part["view"].get("outcome")), due


def _talk(session: Session, rows: list[Letter]) -> list[tuple[Message, list[str]]]:
    found: dict[str, Message] = {}
    for row in rows:
        ids = row.headers.get(letters.MESSAGES, "").split()
        if ids:
            muted = muting.muted_by(session, str(row.match_id), row.seat)
            found |= {m.id: m for m in session.exec(select(Message).where(col(Message.id).in_(ids))) if m.seat not in muted}
    return [(m, talk.readers(session, m)) for m in sorted(found.values(), key=lambda m: m.at)]
