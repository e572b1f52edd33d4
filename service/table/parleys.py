"""Private talk limited by a game's parleys: a number of messages, and a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from engine.core.asks import NotLegal
from engine.core.parleys import Parley, Parleys
from engine.games import game_called
from service.common.messages import nsentence, sentence
from service.store.models import Match, MatchStatus, Message, Thread, now


@dataclass(frozen=True)
class Bounds:
    left: int
    """Messages that the seat may still write."""
    longest: int
    """Most characters of each."""
    until: datetime


def bounding(match: Match) -> Parleys | None:
    bounds = game_called(match.game).rules.parleys if match.status == MatchStatus.RUNNING else None
    return bounds if bounds is not None and bounds.needed(match.options) else None


def follow(session: Session, match: Match, found: Sequence[Parley]) -> None:
    """Open and close private threads after the game's parleys."""
    bounds = bounding(match)
    if bounds is None or not found:
        return
    rows = {t.members: t for t in session.exec(select(Thread).where(Thread.match_id == match.id))}
    for parley in found:
        thread = rows.get("".join(parley.seats))
        if thread is None and not parley.open:
            continue
        thread = thread or Thread(match_id=match.id, members="".join(parley.seats))
        if parley.terms > thread.terms:
            if thread.begun_at is None or now() >= _until(bounds, thread):
                thread.begun_at, thread.paid = now(), 0
            thread.paid += parley.terms - thread.terms
            thread.terms, thread.term_at, thread.over_at = parley.terms, now(), None
        if not parley.open and thread.over_at is None:
            thread.over_at = now()
        session.add(thread)
    session.flush()


def _until(bounds: Parleys, thread: Thread) -> datetime:
    began = thread.term_at or thread.created_at
    most = began + timedelta(hours=bounds.most_hours)
    if thread.over_at is None:
        return most
    return min(most, max(thread.over_at, began + timedelta(hours=bounds.least_hours)))


def bounds_of(session: Session, match: Match, thread: Thread | None, seat: str) -> Bounds | None:
    bounds = bounding(match)
    if bounds is None or (thread is not None and not thread.members):
        return None
    if thread is None or thread.begun_at is None or now() >= _until(bounds, thread):
        return Bounds(0, bounds.longest, now())
    said = select(func.count()).where(Message.thread_id == thread.id, Message.seat == seat, col(Message.at) >= thread.begun_at)
    return Bounds(max(0, bounds.posts * thread.paid - session.exec(said).one()), bounds.longest, _until(bounds, thread))


def check(session: Session, match: Match, seat: str, members: str, text: str) -> None:
    """Raise NotLegal for a private message outside the limits."""
    thread = session.exec(select(Thread).where(Thread.match_id == match.id, Thread.members == members)).first()
    bounds = bounds_of(session, match, thread, seat)
    if bounds is None:
        return
    if thread is None or thread.begun_at is None:
        raise NotLegal(
            sentence("In this game nobody writes in private without a parley; open one at the table, under “Open at any time”.")
        )
    if now() >= bounds.until:
        raise NotLegal(sentence("This parley is over; another can be opened at the table."))
    if not bounds.left:
        raise NotLegal(sentence("You have written all that this parley allows; it can be prolonged at the table."))
    if len(text) > bounds.longest:
        raise NotLegal(
            nsentence(
                "The message has %(num)s character; at most %(most)s fit in one of a parley.",
                "The message has %(num)s characters; at most %(most)s fit in one of a parley.",
                len(text),
                most=bounds.longest,
            )
        )
