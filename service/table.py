"""What changes a game and is no answer: a pause, a deadline moved, a seat that changes hands, the end by the host.

Whoever wants such a thing leaves a command, a row; the adjudication plays it under the match's lock, in one transaction with
the entry in the log that says so, and with the event that tells everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import unquote

from sqlmodel import Session, col, select, update

from engine.asks import Answer, NotLegal, NotUnderstood, Refused, read
from engine.asks import Seat as Letter_
from engine.views import Event
from service import absences, deadlines, letters, links, pace, queue, substitutes, talk
from service.accounts import by_id, shown_name
from service.chronicle import about_table
from service.models import Absence, Command, Letter, Match, Seat, now

LEAST_LEFT = timedelta(minutes=10)
"""What remains of a deadline that the host shortens."""
MOST_MOVED = timedelta(days=30)
LONGEST_PAUSE = timedelta(days=30)


def command(session: Session, match: Match, actor: str, words: str, **facts: object) -> Command:
    """Leave a command: `actor` is a seat, `host`, `clock` or `table`; `words` stand in the log. Raises NotLegal after the end.

    `facts` are for its playing alone and never get into the log: an address, an account.
    """
    if match.status != "running":
        raise NotLegal("That can only be done while the game is running.")
    if read(words).option not in DEEDS:
        raise NotUnderstood(f"A table can't “{read(words).option}”; it can: {', '.join(DEEDS)}.")
    row = Command(match_id=match.id, actor=actor, words=words, facts=dict(facts))
    session.add(row)
    session.flush()
    queue.after_commit(session, queue.ADJUDICATE, match.id)
    return row


def queued(session: Session, match: Match) -> list[Command]:
    """The commands that are to be played, in their order."""
    found = select(Command).where(Command.match_id == match.id, Command.status == "queued")
    return list(session.exec(found.order_by(col(Command.created_at), Command.id)))


@dataclass
class Deed:
    """A command while it is played."""

    session: Session
    match: Match
    seats: dict[Letter_, Seat]
    sealed: bool
    """Whether secret answers lie sealed: then nobody may learn who has given theirs."""
    actor: str
    words: Answer
    facts: dict[str, object]

    def seat(self) -> Seat:
        found = self.seats.get(self.words.pick("seat"))
        if found is None:
            raise NotLegal(f"This game has no seat “{self.words.pick('seat')[:5]}”.")
        return found


def play(session: Session, match: Match, seats: dict[Letter_, Seat], sealed: bool, row: Command) -> Event:
    """Do what a command says; the event that tells it. Raises Refused, with nothing changed, when it no longer fits."""
    words = read(row.words)
    return DEEDS[words.option](Deed(session, match, seats, sealed, row.actor, words, row.facts))


def done(row: Command, refusal: Refused | None = None) -> None:
    """Mark a command as played or refused."""
    row.status, row.done_at = "refused" if refusal else "done", now()


# --- the deeds --------------------------------------------------------------------------------------------------------


def _pause(deed: Deed) -> Event:
    until = moment(deed.words.pick("until"))
    if not now() < until <= now() + LONGEST_PAUSE:
        raise NotLegal(f"A pause ends within {LONGEST_PAUSE.days} days from now.")
    _end_pause(deed)
    deed.session.add(Absence(match_id=deed.match.id, starts_at=now(), ends_at=until))
    _all_again(deed)
    return about_table("pause", until=until.isoformat())


def _resume(deed: Deed) -> Event:
    if not _end_pause(deed):
        raise NotLegal("The table doesn't pause.")
    _all_again(deed)
    return about_table("resume")


def _end_pause(deed: Deed) -> bool:
    running = select(Absence).where(Absence.match_id == deed.match.id, Absence.seat == "", col(Absence.ends_at) > now())
    found = deed.session.exec(running).all()
    for row in found:
        row.ends_at = now()
        deed.session.add(row)
    deed.session.flush()
    return bool(found)


def _all_again(deed: Deed) -> None:
    for seat in deed.seats.values():
        deadlines.again(deed.session, deed.match, seat)


def _pace(deed: Deed) -> Event:
    stored = deed.facts.get("pace")
    new = pace.check(pace.of(stored if isinstance(stored, dict) else {}))
    deed.match.pace = pace.stored(new)
    deed.session.add(deed.match)
    return about_table("pace", to=pace.words(new))


def _extend(deed: Deed) -> Event:
    seat, by = deed.seat(), timedelta(seconds=deed.words.number("by"))
    if not by or abs(by) > MOST_MOVED:
        raise NotLegal("A deadline is moved by up to 30 days, in either direction.")
    until = deadlines.extend(deed.session, deed.match, seat, by, LEAST_LEFT, deed.sealed)
    return about_table("extend", who=seat.name, until=until.isoformat())


def _away(deed: Deed) -> Event:
    seat = deed.seat()
    start, end = moment(deed.words.pick("from")), moment(deed.words.pick("until"))
    absences.record(deed.session, deed.match, seat, start, end)
    deadlines.again(deed.session, deed.match, seat)
    if start == end:
        return about_table("home", who=seat.name)
    return about_table("away", who=seat.name, **{"from": start.isoformat(), "until": end.isoformat()})


def _back(deed: Deed) -> Event:
    seat = deed.seat()
    if deed.actor != seat.seat or not seat.account_id:
        raise NotLegal("A seat is taken back by its owner alone.")
    if not seat.steward:
        raise NotLegal("The seat is yours already; no steward keeps it.")
    seat.steward, seat.missed = "", 0
    deed.session.add(seat)
    return about_table("back", who=seat.name)


def keep(session: Session, match: Match, seat: Seat, bot: str) -> Event:
    """Put a steward into an absent player's seat, and write to the player how to take it back."""
    seat.steward = bot
    session.add(seat)
    letters.to_seat(session, "kept", match, seat, {"missed": seat.missed})
    return about_table("kept", who=seat.name)


def _seek(deed: Deed) -> Event:
    seat, email = deed.seat(), str(deed.facts.get("email") or "")
    if seat.bot:
        raise NotLegal("A bot's seat can't be given to somebody else.")
    if seat.account_id:
        letters.to_seat(deed.session, "replaced", deed.match, seat)
    # From this moment nothing of the old owner's opens the seat: no link, no mail address, no letter on its way.
    waiting = (col(Letter.match_id) == deed.match.id, col(Letter.seat) == seat.seat, col(Letter.kind) != "replaced")
    late = col(Letter.status).in_(("queued", "gathered", "deferred"))
    deed.session.exec(update(Letter).where(*waiting, late).values(status="dropped"))
    seat.account_id, seat.wanted, seat.steward = None, "invited" if email else "open", deadlines.steward(deed.match)
    seat.orders, seat.advance, seat.prepared, seat.missed, seat.bank, seat.letters = {}, [], {}, 0, 0, ""
    seat.notes = ""
    talk.part(deed.session, deed.match, seat.seat)
    deed.session.add(seat)
    deed.session.flush()
    links.renew_seat(deed.session, seat)
    if email:
        substitutes.invite(deed.session, deed.match, seat, email)
    return about_table("seek", who=seat.name)


def _replace(deed: Deed) -> Event:
    seat, account = deed.seat(), by_id(deed.session, str(deed.facts.get("account") or ""))
    if not seat.wanted:
        raise NotLegal("The seat has been taken by somebody else.")
    if any(other.account_id == account.id for other in deed.seats.values()):
        raise NotLegal("You have a seat in this game already.")
    before, taken = seat.name, {other.name for other in deed.seats.values() if other.seat != seat.seat}
    name = shown_name(account, seat.seat)
    seat.account_id, seat.wanted, seat.steward, seat.invited_email = account.id, "", "", ""
    seat.name = name if name not in taken else f"{name} ({seat.seat})"
    deed.session.add(seat)
    return about_table("replace", who=before, to=seat.name)


def _end(deed: Deed) -> Event:
    return about_table("ended", why=unquote(deed.words.pick("reason")))


DEEDS: dict[str, Callable[[Deed], Event]] = {
    "pause": _pause,
    "resume": _resume,
    "pace": _pace,
    "extend": _extend,
    "away": _away,
    "back": _back,
    "seek": _seek,
    "replace": _replace,
    "end": _end,
}


def moment(text: str) -> datetime:
    """A moment from ISO 8601 with its zone. Raises NotUnderstood."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = datetime.min
    if found.tzinfo is None:
        raise NotUnderstood(f"“{text[:40]}” is no moment; one looks like 2026-11-24T10:00:00+00:00.")
    return found
