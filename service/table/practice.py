"""Tables against bots, playable at once and without an address; see `WRIT_GUESTS`.

Such a table has one person, no clock and no talk, and is played by the lowest-priority task. A visitor who isn't signed in
becomes a guest: an account without address, tied to one browser; signing in there claims its tables.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from sqlalchemy import exists
from sqlmodel import Session, col, func, select

from engine.core.asks import NotUnderstood, write
from engine.game import Game, Ready
from engine.games import game_called
from engine.language.i18n import language
from service.common.dates import of_log
from service.common.i18n import gettext
from service.common.messages import sentence
from service.errors import NotAllowed
from service.games import lobby
from service.log import names, packing
from service.post import links
from service.seat import handover
from service.settings import Settings
from service.store import limits, queue
from service.store.database import each_alone, open_session, settings_of
from service.store.models import (
    GUEST,
    Account,
    Command,
    CommandStatus,
    EntryRow,
    Match,
    MatchStatus,
    SeatRow,
    Submission,
    new_id,
    now,
)
from service.table import commands

SEATS = 3
"""The person and two bots, if the game allows so few."""
KEPT = timedelta(days=1)
"""How long an unclaimed table lasts."""
UNPLAYED = timedelta(days=30)
"""How long an account's table lasts without a move."""
IDLE = timedelta(seconds=10)
"""Time without an entry after which the table's task may be lost."""
BATCH = 200
FULL = sentence("All tables for guests are taken just now; try again later, or sign in.")
NONE_HERE = sentence("Sign in first; in this house nobody plays without an account.")


# --- beginning --------------------------------------------------------------------------------------------------------


def seats_for(game: Game) -> int:
    return min(max(SEATS, game.rules.seats[0]), game.rules.seats[-1])


def offered() -> list[Game]:
    """Games, the shortest first, by simulated days with a day per turn."""
    return sorted(lobby.offered(), key=lambda game: game.face.days.get("24", {}).get(str(seats_for(game)), (math.inf,))[0])


def decks_for(game: Game) -> list[Ready]:
    """House decks, the one for a first game first; [] if the game has no decks."""
    return list(game.rules.build.ready) if game.rules.build is not None else []


def allowed(settings: Settings, account: Account | None) -> bool:
    if account is not None and not account.is_guest:
        return True
    return settings.guests > 0 and settings.registration == "open"


def ongoing(session: Session, account: Account) -> dict[str, Match]:
    mine = select(Match).where(Match.host_id == account.id, col(Match.practice), Match.status == MatchStatus.RUNNING)
    return {match.game: match for match in session.exec(mine.order_by(col(Match.started_at)))}


def guest(session: Session, network: str) -> Account:
    """Create a guest. Raises NotAllowed if the service takes no more, NotLegal over the limit of a network."""
    settings = settings_of(session)
    if not allowed(settings, None):
        raise NotAllowed(NONE_HERE)
    running = (col(Match.practice), Match.status == MatchStatus.RUNNING, col(Account.email).startswith(GUEST))
    taken = select(func.count()).select_from(Match).join(Account, col(Account.id) == Match.host_id).where(*running)
    if session.exec(taken).one() >= settings.guests:
        raise NotAllowed(FULL)
    limits.guest(session, network)
    account = Account(email=f"{GUEST}{new_id()}", name=gettext("Guest"), language=language())
    session.add(account)
    session.flush()
    return account


def begin(session: Session, account: Account, game: str, deck: str = "") -> Match:
    """The running table of a game, or a new one. `deck`: a house deck's id. Raises Refused."""
    limits.one_at_a_time(session, account)
    known = ongoing(session, account).get(game)
    if known is not None:
        return known
    found = game_called(game)
    seats = seats_for(found)
    match = lobby.open_match(session, account, gettext("Against bots"), game, seats, practice=True, quiet_bots=account.is_guest)
    decks = decks_for(found)
    if decks and found.rules.build is not None:
        chosen = next((one for one in decks if one.id == deck), None) if deck else decks[0]
        if chosen is None:
            raise NotUnderstood(sentence("There is no such deck; choose one of the list."))
        lobby.prepare(session, match, account, found.rules.build.kind, write(found.rules.build.answer(chosen.cards)))
    for _ in range(seats - 1):
        lobby.add_bot(session, match, account)
    return match


# --- keeping it going -------------------------------------------------------------------------------------------------


def wake(session: Session, match: Match) -> None:
    """Queue an idle table again: the sweep skips it."""
    if match.status != MatchStatus.RUNNING or match.halted_at is not None:
        return
    entered = session.exec(select(func.max(EntryRow.at)).where(EntryRow.match_id == match.id)).one()
    sent = session.exec(select(func.max(Submission.created_at)).where(Submission.match_id == match.id)).one()
    at = [match.started_at, sent, datetime.fromisoformat(entered) if entered else None]
    if max(moment.replace(tzinfo=moment.tzinfo or UTC) for moment in at if moment is not None) < now() - IDLE:
        queue.send(settings_of(session), queue.PRACTISE, match.id)


# --- closing ----------------------------------------------------------------------------------------------------------


def name_claimed(session: Session, account: Account) -> None:
    """Rename seats to the account's name: all guests have the same."""
    mine = select(Match, SeatRow).join(SeatRow, col(SeatRow.match_id) == Match.id).where(SeatRow.account_id == account.id)
    for match, seat in session.exec(mine.where(col(Match.practice), Match.status == MatchStatus.RUNNING)):
        if account.name and not account.is_guest and not names.is_name_of(seat.name, account.name):
            commands.command(session, match, seat.seat, f"name seat={seat.seat}")


def quieten(session: Session, match: Match, on: bool) -> None:
    """Quieten a table's bots, or not. Raises NotAllowed for games with people, which choose when they are opened."""
    if not match.practice:
        raise NotAllowed(sentence("Mute a bot under “Talk”; the others at this table may want to hear it."))
    limits.one_at_a_time(session, match)
    match.quiet_bots = on


def end(session: Session, match: Match) -> None:
    """End a table. Raises NotAllowed for games with people, NotLegal after the end."""
    if not match.practice:
        raise NotAllowed(sentence("A game with other people is ended by a vote of its table."))
    commands.command(session, match, commands.HOST, "end reason=left")


def close_due(settings: Settings) -> int:
    """End unclaimed tables a day after their start, then revoke their links and pack their logs; end accounts' tables that were
    not played for a month. Returns how many.

    Games are ended by a command, so that the log is complete and the append-only triggers hold.
    """
    with open_session(settings) as session:
        seated = select(Match.id).join(SeatRow, col(SeatRow.match_id) == Match.id)
        tables = seated.join(Account, col(Account.id) == SeatRow.account_id).where(col(Match.practice))
        guests = col(Account.email).startswith(GUEST)
        due = list(session.exec(tables.where(col(Match.started_at) < now() - KEPT, guests).limit(BATCH)))
        lately = exists().where(col(EntryRow.match_id) == Match.id, col(EntryRow.at) > of_log(now() - UNPLAYED))
        unplayed = (Match.status == MatchStatus.RUNNING, col(Match.started_at) < now() - UNPLAYED, ~guests, ~lately)
        due += session.exec(tables.where(*unplayed).limit(BATCH))
    each_alone(settings, due, _close, "table can't be closed")
    return len(due)


def _close(session: Session, match_id: str) -> None:
    # Locked: a claim moves the seat.
    match = session.exec(select(Match).where(Match.id == match_id).with_for_update(skip_locked=True)).first()
    seats = select(SeatRow, Account).join(Account, col(Account.id) == SeatRow.account_id)
    found = session.exec(seats.where(SeatRow.match_id == match_id)).first()
    if match is None or found is None:
        return
    seat, account = found
    if match.status == MatchStatus.RUNNING:
        ending = (Command.match_id == match.id, Command.status == CommandStatus.QUEUED)
        if session.exec(select(Command.id).where(*ending)).first() is None:
            reason = "unclaimed" if account.is_guest else "idle"
            commands.command(session, match, commands.OPERATOR, f"end reason={reason}")
        else:
            queue.after_commit(session, queue.PRACTISE, match.id)
    elif account.is_guest and packing.pack(session, match.id):
        handover.detach_player(session, match, seat)
        if session.exec(select(SeatRow.seat).where(SeatRow.account_id == account.id)).first() is None:
            links.renew_person(session, account)
