"""Absences: a player's clock stands still, within a budget of days per game. Only future deadlines move."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta

from sqlmodel import Session, col, select

from engine.core.asks import NotLegal, NotUnderstood, Refused, Seat, read
from service.clock import pace as paces
from service.common.dates import zone_called
from service.common.i18n import gettext
from service.common.messages import nsentence, sentence
from service.games import listings
from service.store.models import Absence, Account, Command, CommandStatus, Match, MatchStatus, SeatRow, now
from service.table import commands

Span = tuple[datetime, datetime]
FARTHEST = timedelta(days=366)


def of(session: Session, match: Match, seat: SeatRow) -> list[Absence]:
    found = select(Absence).where(Absence.match_id == match.id, Absence.seat == seat.seat, col(Absence.ends_at) > now())
    return list(session.exec(found.order_by(col(Absence.starts_at))))


def of_match(session: Session, match: Match) -> list[Absence]:
    return list(session.exec(select(Absence).where(Absence.match_id == match.id).order_by(col(Absence.starts_at))))


def to_come(rows: Iterable[Absence]) -> dict[str, list[Absence]]:
    """Present and future absences by seat; "": pauses of the table."""
    by_seat: dict[str, list[Absence]] = {}
    for row in rows:
        if row.ends_at > now():
            by_seat.setdefault(row.seat, []).append(row)
    return by_seat


def pause_of(session: Session, match: Match) -> Absence | None:
    found = select(Absence).where(Absence.match_id == match.id, Absence.seat == "", col(Absence.ends_at) > now())
    return session.exec(found).first()


def used(rows: Iterable[Absence], seat: Seat, zone: str, soon: Iterable[Span] = ()) -> int:
    """Days of the budget used: calendar days with any absence. `soon`: see `announced`."""
    return len(_days([*((a.starts_at, a.ends_at) for a in rows if a.seat == seat), *soon], zone))


def announced(session: Session, match: Match, seat: SeatRow) -> list[Span]:
    """Spans that the player has announced but that aren't in the log yet."""
    found = select(Command).where(
        Command.match_id == match.id, Command.actor == seat.seat, Command.status == CommandStatus.QUEUED
    )
    said = [read(row.words) for row in session.exec(found.order_by(col(Command.created_at)))]
    spans = [(commands.moment(x.pick("from")), commands.moment(x.pick("until"))) for x in said if x.option == "away"]
    return [span for span in spans if span[0] < span[1]]


def _days(spans: Iterable[tuple[datetime, datetime]], zone: str) -> set[date]:
    found: set[date] = set()
    for start, end in spans:
        day = start.astimezone(zone_called(zone)).date()
        last = (end - timedelta(microseconds=1)).astimezone(zone_called(zone)).date()
        while start < end and day <= last:
            found.add(day)
            day += timedelta(days=1)
    return found


def announce(session: Session, match: Match, seat: SeatRow, account: Account, first: date, last: date) -> None:
    """Announce an absence, both days inclusive, in the player's zone. Raises NotUnderstood or NotLegal for past, reversed or
    too many days.
    """
    zone = zone_called(account.zone)
    today = now().astimezone(zone).date()
    if first < today:
        raise NotLegal(
            sentence("An absence can't begin in the past; the earliest day is today, %(day)s.", day=today.isoformat())
        )
    if last < first:
        raise NotUnderstood(sentence("The last day of an absence can't come before its first; change one of the two."))
    if last - today > FARTHEST:
        raise NotLegal(sentence("An absence ends within a year from now."))
    start = max(now(), datetime.combine(first, time(), zone).astimezone(UTC)).replace(microsecond=0)
    end = datetime.combine(last + timedelta(days=1), time(), zone).astimezone(UTC)
    _check_budget(session, match, seat, account.zone, start, end)
    commands.command(session, match, seat.seat, f"away seat={seat.seat} from={start.isoformat()} until={end.isoformat()}")


def announce_everywhere(
    session: Session, account: Account, first: date, last: date, but: str = ""
) -> tuple[list[str], list[str]]:
    """Announce an absence in all running games, `but` one; returns names, and reasons of refusals."""
    done, refused = [], []
    for found in listings.games_of(session, account):
        seat = next((s for s in found.seats if s.account_id == account.id), None)
        if found.match.id == but or found.match.status != MatchStatus.RUNNING or seat is None:
            continue
        try:
            announce(session, found.match, seat, account, first, last)
            done.append(found.match.name)
        except Refused as refusal:
            refused.append(gettext("%(game)s: %(why)s", game=found.match.name, why=refusal))
    return done, refused


def _check_budget(session: Session, match: Match, seat: SeatRow, zone: str, start: datetime, end: datetime) -> None:
    budget = paces.of(match.pace).absence_days
    rows = of_match(session, match)
    days = used(rows, seat.seat, zone, [(start, end)])
    if days > budget:
        left = max(0, budget - used(rows, seat.seat, zone))
        raise NotLegal(
            nsentence(
                "That takes %(num)s day of absence in this game; %(budget)s is the budget, and %(left)s are left.",
                "That takes %(num)s days of absence in this game; %(budget)s is the budget, and %(left)s are left.",
                days,
                budget=budget,
                left=left,
            )
        )


def withdraw(session: Session, match: Match, seat: SeatRow) -> None:
    """End the present absence and cancel future ones. Raises NotLegal if there are none."""
    if not of(session, match, seat):
        raise NotLegal(sentence("You have no absence to end."))
    moment = now().replace(microsecond=0).isoformat()
    commands.command(session, match, seat.seat, f"away seat={seat.seat} from={moment} until={moment}")


def record(session: Session, match: Match, seat: SeatRow, starts_at: datetime, ends_at: datetime) -> None:
    """Store an absence, merged with adjacent ones; an empty one ends all. Raises NotLegal over the budget: two may have been
    announced concurrently.
    """
    account = session.get(Account, seat.account_id) if seat.account_id else None
    if account is not None and starts_at < ends_at:
        _check_budget(session, match, seat, account.zone, starts_at, ends_at)
    for row in of(session, match, seat):
        if starts_at == ends_at:
            if row.starts_at >= ends_at:
                session.delete(row)
            else:
                row.ends_at = ends_at
        elif row.starts_at <= ends_at and starts_at <= row.ends_at:
            starts_at, ends_at = min(starts_at, row.starts_at), max(ends_at, row.ends_at)
            session.delete(row)
    if starts_at < ends_at:
        session.add(Absence(match_id=match.id, seat=seat.seat, starts_at=starts_at, ends_at=ends_at))
    session.flush()
