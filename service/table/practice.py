"""Tables against bots, playable at once and without an address; see `WRIT_GUESTS` in `service.settings`.

A practice table has one person, no clock and no talk, is never rated, and is played by the lowest-priority task. A visitor who
isn't signed in becomes a guest: an account without address, held by one browser. Signing in there claims its tables
(`service.people.changes.claim`); a day after the start `close_due` ends what nobody has claimed.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from sqlmodel import Session, col, func, select

from engine.asks import NotUnderstood, write
from engine.game import Game, Ready
from engine.games import game_called
from engine.words import language
from service.common.i18n import gettext
from service.common.messages import sentence
from service.errors import NotAllowed
from service.games import handover, lobby, packing
from service.post import links
from service.settings import Settings
from service.store import limits, queue
from service.store.database import open_session, settings_of, transaction
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
"""The person and two bots, where the game allows so few."""
BOTS = ("Drogo", "Emma", "Fulk", "Gerda", "Hugh")
KEPT = timedelta(days=1)
"""How long an unclaimed table lasts."""
IDLE = timedelta(seconds=10)
"""Without an entry for so long, the table's task may be lost."""
BATCH = 200
FULL = sentence("All tables for guests are taken just now; try again later, or sign in.")
NONE_HERE = sentence("Sign in first; in this house nobody plays without an account.")


# --- beginning --------------------------------------------------------------------------------------------------------


def seats_for(game: Game) -> int:
    return min(max(SEATS, game.least), game.most)


def offered() -> list[Game]:
    """Games, the shortest first, by simulated days with a day a turn."""
    return sorted(lobby.offered(), key=lambda game: game.days.get("24", {}).get(str(seats_for(game)), (math.inf,))[0])


def decks_for(game: Game) -> list[Ready]:
    """House decks to choose from, the one for a first game first; [] where none is built."""
    return list(game.build.ready) if game.build is not None else []


def allowed(settings: Settings, account: Account | None) -> bool:
    """Whether an account may have such tables; None: a visitor without one."""
    if account is not None and not account.is_guest:
        return True
    return settings.guests > 0 and settings.registration == "open"


def ongoing(session: Session, account: Account) -> dict[str, Match]:
    """The account's running tables against bots, by game."""
    mine = select(Match).where(Match.host_id == account.id, col(Match.practice), Match.status == MatchStatus.RUNNING)
    return {match.game: match for match in session.exec(mine.order_by(col(Match.started_at)))}


def guest(session: Session, network: str) -> Account:
    """Create a guest. Raises NotAllowed where the house takes no more, NotLegal over the limit of a network."""
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
    """The account's running table of a game, or a new one. `deck`: id of a house deck; "": the first. Raises Refused."""
    limits.one_at_a_time(session, account)
    known = ongoing(session, account).get(game)
    if known is not None:
        return known
    found = game_called(game)
    seats = seats_for(found)
    match = lobby.open_match(session, account, gettext("Against bots"), game, seats, practice=True)
    decks = decks_for(found)
    if decks and found.build is not None:
        chosen = next((one for one in decks if one.id == deck), None) if deck else decks[0]
        if chosen is None:
            raise NotUnderstood(sentence("There is no such deck; choose one of the list."))
        lobby.prepare(session, match, account, found.build.kind, write(found.build.answer(chosen.cards)))
    for name in BOTS[: seats - 1]:
        lobby.add_bot(session, match, account, name=name)
    return match


# --- keeping it going -------------------------------------------------------------------------------------------------


def wake(session: Session, match: Match) -> None:
    """Queue a table again where nothing has happened for a while: the sweep leaves it alone."""
    if match.status != MatchStatus.RUNNING or match.halted_at is not None:
        return
    entered = session.exec(select(func.max(EntryRow.at)).where(EntryRow.match_id == match.id)).one()
    sent = session.exec(select(func.max(Submission.created_at)).where(Submission.match_id == match.id)).one()
    at = [match.started_at, sent, datetime.fromisoformat(entered) if entered else None]
    if max(moment.replace(tzinfo=moment.tzinfo or UTC) for moment in at if moment is not None) < now() - IDLE:
        queue.send(settings_of(session), queue.PRACTISE, match.id)


# --- closing ----------------------------------------------------------------------------------------------------------


def close_due(settings: Settings) -> int:
    """End unclaimed tables a day after their start, then revoke their links and pack their logs; returns how many.

    A game is ended by a command, like any other: its log is complete, and the append-only triggers hold.
    """
    with open_session(settings) as session:
        unclaimed = (
            select(Match.id)
            .join(SeatRow, col(SeatRow.match_id) == Match.id)
            .where(col(Match.practice), col(Match.started_at) < now() - KEPT, col(Account.email).startswith(GUEST))
        )
        due = session.exec(unclaimed.join(Account, col(Account.id) == SeatRow.account_id).limit(BATCH)).all()
    for match_id in due:
        with transaction(settings) as session:
            _close(session, match_id)
    return len(due)


def _close(session: Session, match_id: str) -> None:
    # Locked: a claim moves the seat.
    match = session.exec(select(Match).where(Match.id == match_id).with_for_update(skip_locked=True)).first()
    seats = select(SeatRow, Account).join(Account, col(Account.id) == SeatRow.account_id)
    found = session.exec(seats.where(SeatRow.match_id == match_id, col(Account.email).startswith(GUEST))).first()
    if match is None or found is None:
        return
    seat, account = found
    if match.status == MatchStatus.RUNNING:
        ending = (Command.match_id == match.id, Command.status == CommandStatus.QUEUED)
        if session.exec(select(Command.id).where(*ending)).first() is None:
            commands.command(session, match, commands.OPERATOR, "end reason=unclaimed")
        else:
            queue.after_commit(session, queue.PRACTISE, match.id)
    elif packing.pack(session, match.id):
        handover.part(session, match, seat)
        if session.exec(select(SeatRow.seat).where(SeatRow.account_id == account.id)).first() is None:
            links.renew_person(session, account)
