"""Use cases of hosts and operators. A host gives time and pauses; taking something needs an announcement or vote. While answers
are hidden, all who were asked count as waited for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

from sqlmodel import Session, col, select, update

from engine.core.asks import NotLegal, NotUnderstood
from service.common.dates import of_log
from service.common.messages import sentence
from service.errors import NotFound
from service.games import listings
from service.log import sharing
from service.people.accounts import by_id
from service.post import ledger, letters, links
from service.seat import copies, take_back
from service.seat.waits import Wait, shown_waits, waits_of_all
from service.store import limits, queue
from service.store.models import (
    Account,
    EntryRow,
    LedgerStatus,
    Letter,
    LetterStatus,
    Link,
    Match,
    MatchStatus,
    Message,
    Notice,
    NoticeStatus,
    ProblemReport,
    Report,
    SeatRow,
    now,
)
from service.store.seats import seat_called, seats_of
from service.table import absences, commands, permissions, substitutes, votes

DURATION = re.compile(r"(-?)([0-9]{1,5})\s*(s|m|h|d)")
MOST_RUNNING = 500
"""Most games on the operators' page."""
BEING_SENT = sentence("That letter is being sent just now; look again in a moment.")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class GameStatus:
    match: Match
    seats: list[SeatRow]
    waits: list[Wait]
    troubled: set[str]
    """Seats with bouncing letters."""


def standing(session: Session, match: Match) -> GameStatus:
    waits = shown_waits(session, match)
    return GameStatus(match, seats_of(session, match), waits, ledger.troubled(session, match))


def running(session: Session) -> list[GameStatus]:
    found = select(Match).where(Match.status == MatchStatus.RUNNING, ~col(Match.practice))
    rows = session.exec(found.limit(MOST_RUNNING)).all()
    seats, waits = listings.seats_of_all(session, rows), waits_of_all(session, rows)
    troubled = ledger.troubled_of_all(session, rows)
    stands = [GameStatus(match, seats[match.id], waits[match.id], troubled[match.id]) for match in rows]
    return sorted(stands, key=lambda s: min((w.due_at.timestamp() for w in s.waits if w.due_at), default=float("inf")))


def duration(text: str) -> timedelta:
    """Parse `90m`, `12h`, `3d`, `-2h`. Raises NotUnderstood."""
    found = DURATION.fullmatch(text.strip().lower())
    if found is None or not int(found[2]):
        raise NotUnderstood(sentence("“%(text)s” isn’t a span of time; one looks like 90m, 12h or 3d.", text=text[:20]))
    span = timedelta(seconds=int(found[2]) * UNITS[found[3]])
    return -span if found[1] else span


def game(session: Session, id: str) -> Match:
    """Find a game by id or unique prefix. Raises NotFound; NotUnderstood for several."""
    exact = session.get(Match, id)
    if exact is not None:
        return exact
    found = (
        session.exec(select(Match).where(col(Match.id).startswith(id, autoescape=True)).limit(2)).all() if len(id) > 3 else []
    )
    if len(found) > 1:
        raise NotUnderstood(sentence("Several games begin with “%(id)s”; give more of the id.", id=id[:32]))
    if not found:
        raise NotFound(sentence("There is no game “%(id)s”.", id=id[:32]))
    return found[0]


# --- what changes a game ----------------------------------------------------------------------------------------------


def extend(session: Session, match: Match, seat: str, by: timedelta, actor: str = commands.HOST) -> None:
    """Move a deadline, to no less than ten minutes from now. A host can only give time, a seat's own player only take it."""
    row = seat_called(session, match, seat)
    if not any(w.seat == seat for w in shown_waits(session, match)):
        raise NotLegal(sentence("%(name)s is not asked anything just now; there is no deadline to move.", name=row.name))
    permissions.check_extend(session, match, actor, row, by)
    commands.command(session, match, actor, f"extend seat={seat} by={int(by.total_seconds())}")


def pause(session: Session, match: Match, until: datetime, actor: str = commands.HOST) -> None:
    permissions.check_pause(session, match, until, actor)
    commands.command(session, match, actor, f"pause until={until.replace(microsecond=0).isoformat()}")


def resume(session: Session, match: Match, actor: str = commands.HOST) -> None:
    """End a pause; a host only their own."""
    permissions.check_resume(absences.pause_of(session, match), actor)
    commands.command(session, match, actor, "resume")


def replace(session: Session, match: Match, seat: str, email: str = "", actor: str = commands.HOST) -> str:
    """Have a seat replaced, by invitation or from the open list: `looked for` at once by operators or if it is empty,
    `announced` by a host after a missed deadline. Raises Refused.
    """
    row = seat_called(session, match, seat)
    if row.bot:
        raise NotLegal(sentence("A bot's seat can't be given to somebody else."))
    email = substitutes.invitable(session, email) if email.strip() else ""
    if email and email == by_id(session, match.host_id).email:
        raise NotLegal(sentence("That is the host's own address; a seat that is looked for goes to somebody else."))
    if email:
        limits.one_at_a_time(session, match)
        limits.invitation(session, match.host_id, email)
    if row.account_id and actor == commands.HOST:
        permissions.check_absent(session, match, row, actor)
        commands.command(session, match, actor, f"announce what=replace seat={seat}", email=email)
        return "announced"
    commands.command(session, match, actor, f"seek seat={seat}", email=email)
    return "looked for"


def end(session: Session, match: Match, reason: str) -> None:
    """End a game without a winner, as operator; tables use `votes.propose_end`."""
    commands.command(session, match, commands.OPERATOR, f"end reason={quote(votes.read_reason(session, reason), safe='')}")


def recall(session: Session, match: Match, notice_id: str, actor: str = commands.HOST) -> None:
    """Recall an announcement. Raises NotFound; NotLegal for others'."""
    notice = session.get(Notice, notice_id)
    if notice is None or notice.match_id != match.id:
        raise NotFound(sentence("Nothing like that is announced in this game."))
    if notice.by != actor or notice.status != NoticeStatus.OPEN:
        raise NotLegal(sentence("Only those who made an announcement can take it back, while it is open."))
    commands.command(session, match, actor, f"recall what={notice.kind}", notice=notice.id)


def watch(session: Session, match: Match, on: bool, actor: str = commands.HOST) -> None:
    """Close a game to spectators, or renew the link; opening a running game takes a vote."""
    if match.status == MatchStatus.LOBBY:
        raise NotLegal(sentence("Before the start, that is said in the lobby."))
    if on and not match.spectators and actor != commands.OPERATOR:
        raise NotLegal(sentence("A game that has begun is opened to spectators by a vote of the table."))
    if match.status == MatchStatus.RUNNING and (on != match.spectators):
        commands.command(session, match, actor, f"watch on={'yes' if on else 'no'}")
    else:
        sharing.let_watch(session, match, on)


# --- what doesn't -----------------------------------------------------------------------------------------------------


def resend(session: Session, match: Match, seat: str) -> Letter:
    row = seat_called(session, match, seat)
    if row.account_id is None:
        raise NotLegal(sentence("Nobody sits there who could get a letter."))
    if match.take_back and match.status == MatchStatus.RUNNING:
        # A letter would end the time in which the player can take the last answer back. The log alone decides, which is public:
        # whether a letter is gathered or has left would tell that the player gets digests, or none.
        lately = (EntryRow.actor == seat, col(EntryRow.at) > of_log(now() - take_back.VISIT))
        if session.exec(select(EntryRow.n).where(EntryRow.match_id == match.id, *lately)).first() is not None:
            raise NotLegal(
                sentence("%(name)s moved within the last half hour; a letter can be sent again after that.", name=row.name)
            )
    return copies.resend(session, match, row, limits.BY_OTHERS)


def send_again(session: Session, letter_id: str) -> None:
    """Retry a stuck or bounced letter; for a sent one, send the seat's question. Raises NotFound, NotLegal."""
    letter = session.get(Letter, letter_id)
    if letter is None:
        raise NotFound(sentence("There is no letter “%(id)s”.", id=letter_id[:32]))
    match = session.get(Match, letter.match_id) if letter.match_id and letter.seat else None
    if match is not None and seat_called(session, match, letter.seat).account_id != letter.account_id:
        raise NotLegal(sentence("The seat that this letter is about is somebody else's now."))
    if letter.status == LetterStatus.SENDING:
        raise NotLegal(BEING_SENT)
    if letter.status in (LetterStatus.SENT, LetterStatus.DROPPED) or (letter.written_at is not None and not letter.html):
        if match is None:
            raise NotLegal(
                sentence(
                    "That letter has gone out, was dropped or is too old to be kept, and it isn't about a seat; "
                    "there is nothing to send again."
                )
            )
        resend(session, match, letter.seat)
        return
    # A worker may have claimed or sent it since, or somebody else pressed the button.
    unchanged = update(Letter).where(col(Letter.id) == letter.id, col(Letter.status) == letter.status)
    if not session.exec(unchanged.values(status=LetterStatus.QUEUED, attempts=0, next_try_at=now())).rowcount:
        raise NotLegal(BEING_SENT)
    ledger.note(session, letter.id, LedgerStatus.RESENT)
    queue.after_commit(session, queue.DELIVER)


def renew_links(session: Session, match: Match, seat: str) -> None:
    """Revoke and renew links, as operator; a running table is notified."""
    row = seat_called(session, match, seat)
    if match.status == MatchStatus.RUNNING:
        commands.command(session, match, commands.OPERATOR, f"links seat={seat}")
    else:
        letters.fresh_keys(session, match, row)


def renew_own_links(session: Session, match: Match, seat: str) -> None:
    letters.fresh_keys(session, match, seat_called(session, match, seat))


def revoke(session: Session, link_id: str) -> None:
    """Revoke a link by its id. Raises NotFound."""
    link = session.get(Link, link_id)
    if link is None:
        raise NotFound(sentence("There is no link “%(id)s”.", id=link_id[:32]))
    links.revoke(session, link)


# --- reports of talk --------------------------------------------------------------------------------------------------


def reports(session: Session) -> list[tuple[Report, Message, Match]]:
    found = (
        select(Report, Message, Match)
        .join(Message, col(Message.id) == Report.message_id)
        .join(Match, col(Match.id) == Report.match_id)
        .where(col(Report.done_at).is_(None))
    )
    return list(session.exec(found.order_by(col(Report.at)).limit(200)).all())


def deal_with(session: Session, report_id: str) -> None:
    """Close a report of a message or problem. Idempotent."""
    row = session.get(Report, report_id) or session.get(ProblemReport, report_id)
    if row is None:
        raise NotFound(sentence("There is no report “%(id)s”.", id=report_id[:32]))
    row.done_at = row.done_at or now()
    session.flush()


def bounced_accounts(session: Session) -> list[Account]:
    found = select(Account).where(col(Account.bounced_at).is_not(None)).order_by(col(Account.bounced_at).desc())
    return list(session.exec(found.limit(200)))
