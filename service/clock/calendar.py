"""Calendar feed of a person's deadlines (iCalendar, RFC 5545) at a private URL."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlmodel import Session, col, select

from service.common.i18n import gettext, speaking_to
from service.common.messages import sentence
from service.errors import NotFound
from service.store.database import settings_of
from service.store.encryption import mark
from service.store.models import Account, AskRow, Match, MatchStatus, SeatRow, now


def renew(session: Session, account: Account) -> None:
    account.calendar_key = secrets.token_urlsafe(24)
    account.calendar_mark = mark(account.calendar_key)
    session.flush()


def close(session: Session, account: Account) -> None:
    account.calendar_key = account.calendar_mark = ""
    session.flush()


def feed(session: Session, key: str) -> bytes:
    """An event for each open deadline, without the question. Raises NotFound."""
    account = session.exec(select(Account).where(Account.calendar_mark == mark(key))).first() if key else None
    if account is None:
        raise NotFound(sentence("There is no calendar at this address; its owner may have made a new one."))
    from icalendar import Calendar, Event  # 3 MB, for this page alone

    settings = settings_of(session)
    calendar = Calendar()
    calendar.add("prodid", "-//Writ//Deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", "Writ")
    calendar.add("refresh-interval", timedelta(minutes=30), parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT30M")
    mine = (
        select(AskRow, Match)
        .join(SeatRow, (col(SeatRow.match_id) == AskRow.match_id) & (col(SeatRow.seat) == AskRow.seat))
        .join(Match, col(Match.id) == AskRow.match_id)
        .where(
            SeatRow.account_id == account.id,
            SeatRow.steward == "",
            col(AskRow.answered_at).is_(None),
            Match.status == MatchStatus.RUNNING,
        )
    )
    for ask, match in session.exec(mine.order_by(col(AskRow.due_at))):
        if ask.due_at is None:
            continue
        event = Event()
        event.add("uid", f"{match.id}.{ask.seat}.{ask.serial}@{settings.mail_host}")
        event.add("dtstamp", now())
        event.add("dtstart", ask.due_at)
        event.add("dtend", ask.due_at + timedelta(minutes=15))
        with speaking_to(account.language, account.zone):
            event.add("summary", gettext("%(game)s: your answer is due", game=match.name))
        event.add("url", f"{settings.base_url}/g/{match.id}/table")
        event.add("transp", "TRANSPARENT")
        calendar.add_component(event)
    return bytes(calendar.to_ical())
