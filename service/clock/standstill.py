"""Standstills: involuntary stops of a game's clocks, for outages of service or mail, failed rules, or a move to another
instance. Due times are recomputed from all rows, so overlaps count once.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
from sqlmodel import Session, col, delete, select

from service.clock import deadlines
from service.clock import pace as paces
from service.clock.arithmetic import Rest, Rhythm, due, reach
from service.clock.recipe import Stops, left_by_outages, rhythm_of
from service.store.models import Account, AskRow, Match, Notice, NoticeStatus, SeatRow, Standstill, Vote, VoteStatus
from service.store.seats import seats_of

SERVICE, MAIL, HALT, MOVE = "service", "mail", "halt", "move"
VOTING = timedelta(days=3)
COOL = timedelta(hours=24)
"""From announcement to effect; about a seat, on its player's clock."""
STOPPABLE = timedelta(hours=6)
"""Left after an outage before an announcement takes effect."""
RHYTHM = "rhythm"
"""Key of the player's rhythm in an announcement's facts."""

Stood = tuple[str, datetime, datetime]
"""Kind, start, end."""


def stand_still(session: Session, match: Match, stood: Stood) -> list[AskRow]:
    """Store a standstill; returns the moved questions."""
    kind, start, end = stood
    session.add(Standstill(match_id=match.id, kind=kind, starts_at=start, ends_at=end))
    stops = deadlines.stops_of(session, match.id, stored=True)
    seats = seats_of(session, match)
    asks = deadlines.questions(session, match)
    moved = deadlines.reckon_all(session, match, {seat.seat: seat for seat in seats}, asks, stops)
    votes = session.exec(select(Vote).where(Vote.match_id == match.id, Vote.status == VoteStatus.OPEN)).all()
    for vote in votes:
        vote.closes_at = vote_closes(match, vote, stops)
    notices = session.exec(select(Notice).where(Notice.match_id == match.id, Notice.status == NoticeStatus.OPEN)).all()
    for notice in notices:
        notice.effect_at = max(notice_cools(session, match, notice, stops), _put_off_until(session, match, notice))
    opened = [*(ask.opened_at for ask in asks), *(vote.opened_at for vote in votes), *(notice.opened_at for notice in notices)]
    if opened:
        # Older standstills affect nothing that is open.
        old = (col(Standstill.match_id) == match.id, col(Standstill.ends_at) < min(opened))
        session.exec(delete(Standstill).where(*old))
    session.flush()
    return moved


def vote_closes(match: Match, vote: Vote, stops: Stops) -> datetime:
    """When a vote ends: pauses don't stop it, outages do as for questions."""
    clock, grace = Rest(away=stops.of_all), paces.of(match.pace).grace
    ends = [reach(at, seconds, clock) for at, seconds in left_by_outages(stops, vote.opened_at, grace)]
    return max([reach(vote.opened_at, VOTING.total_seconds(), clock), *ends])


def notice_cools(session: Session, match: Match, notice: Notice, stops: Stops | None = None) -> datetime:
    """End of an announcement's cooling-off; about a seat, on its player's clock. Runs through service outages, but leaves hours
    to stop it.
    """
    stops = stops or deadlines.stops_of(session, match.id)
    here = Stops(stops.absences, [s for s in stops.standstills if s.kind != SERVICE], stops.ongoing)
    clock = Rest(away=here.of_all)
    if notice.seat:
        frozen = notice.facts.get(RHYTHM)
        rhythm = msgspec.convert(frozen, Rhythm) if frozen else rhythm_at(session, match, notice.seat)
        clock = Rest(rhythm, here.of(notice.seat))
    stoppable = [end + STOPPABLE for _, end in stops.outages if end > notice.opened_at]
    return max([due(notice.opened_at, COOL.total_seconds(), clock), *stoppable])


def rhythm_at(session: Session, match: Match, seat: str) -> Rhythm:
    row = session.get(SeatRow, (match.id, seat))
    account = session.get(Account, row.account_id) if row is not None and row.account_id else None
    return rhythm_of(account, paces.of(match.pace))


def _put_off_until(session: Session, match: Match, notice: Notice) -> datetime:
    ask = session.get(AskRow, (match.id, notice.seat, notice.put_off)) if notice.seat and notice.put_off else None
    if ask is None or ask.due_at is None:
        return notice.opened_at
    return ask.due_at + timedelta(seconds=paces.of(match.pace).grace)
