"""A person's rhythm (working hours): time zone, quiet hours, weekends, reminders."""

from __future__ import annotations

import re
from datetime import timedelta

from sqlmodel import Session, col, select

from engine.core.asks import NotUnderstood
from service.clock.recipe import LONGEST_QUIET, STEP, UNITS, next_reminder, quiet_span
from service.common.messages import nsentence, sentence
from service.people import accounts
from service.store.models import Account, AskRow, SeatRow, now

MOST_STEPS = 6
LEAST, MOST = timedelta(minutes=5), timedelta(days=14)
HOUR = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


def parse_ladder(text: str) -> list[str]:
    """Parse reminders such as `half, 6h, 90m, 2d`. Raises NotUnderstood."""
    steps = text.replace(",", " ").lower().split()
    if len(steps) > MOST_STEPS:
        raise NotUnderstood(
            nsentence(
                "A ladder of %(num)s reminder is too long; at most %(most)s are sent for one deadline.",
                "A ladder of %(num)s reminders is too long; at most %(most)s are sent for one deadline.",
                len(steps),
                most=MOST_STEPS,
            )
        )
    for step in steps:
        found = STEP.fullmatch(step)
        if step != "half" and (found is None or found[2] == "s"):
            raise NotUnderstood(
                sentence("“%(step)s” isn’t a reminder; write half, or a span before the deadline: 6h, 90m, 2d.", step=step[:20])
            )
        if found is not None and not LEAST <= timedelta(seconds=int(found[1]) * UNITS[found[2]]) <= MOST:
            raise NotUnderstood(
                sentence("A reminder comes between 5 minutes and 14 days before the deadline, and not %(step)s.", step=step)
            )
    if len(set(steps)) < len(steps):
        raise NotUnderstood(sentence("The ladder names a step twice; each reminder is sent once."))
    return steps


def check_quiet(quiet_from: str, quiet_to: str) -> None:
    """Raise NotUnderstood for quiet hours longer than LONGEST_QUIET."""
    if HOUR.fullmatch(quiet_from) and HOUR.fullmatch(quiet_to) and quiet_span(quiet_from, quiet_to) > LONGEST_QUIET:
        raise NotUnderstood(
            sentence(
                "Quiet hours last at most %(most)s hours; from %(start)s to %(end)s are more.",
                most=int(LONGEST_QUIET.total_seconds()) // 3600,
                start=quiet_from,
                end=quiet_to,
            )
        )


def keep(
    session: Session, account: Account, zone: str, quiet_from: str, quiet_to: str, weekends_off: bool, ladder: str
) -> None:
    """Store a rhythm; open questions keep their deadlines, and get other reminders. Only the first twelve quiet hours count.
    Raises NotUnderstood.
    """
    steps = parse_ladder(ladder)
    for hour in (quiet_from, quiet_to):
        if not HOUR.fullmatch(hour):
            raise NotUnderstood(sentence("“%(hour)s” isn’t a time of day; one looks like 22:00.", hour=hour[:20]))
    accounts.set_zone(session, account, zone)
    account.quiet_from, account.quiet_to = quiet_from, quiet_to
    account.weekends_off, account.ladder = weekends_off, steps
    session.flush()
    mine = select(AskRow).join(SeatRow, (col(SeatRow.match_id) == AskRow.match_id) & (col(SeatRow.seat) == AskRow.seat))
    for ask in session.exec(mine.where(SeatRow.account_id == account.id, col(AskRow.answered_at).is_(None))).all():
        if ask.due_at is not None:
            ask.remind_at = next_reminder(steps, ask.opened_at, ask.due_at, now())
