"""Bans of people by operators: all accounts of a mailbox, whatever their `+tag`. Each ends by itself.

A banned account is signed out, its links are revoked. Stewards keep its seats in running games; in lobbies seats are freed and
hosted games cancelled. An unban restores all but seats given away.
"""

from __future__ import annotations

import structlog
from sqlmodel import Session, col, select, update

from engine.core.asks import NotLegal, NotUnderstood
from service.clock import deadlines
from service.common import text_input
from service.common.messages import sentence
from service.games import inviting, lobby
from service.people import accounts, address_changes
from service.post import disclosure, letters
from service.seat import handover
from service.store import optouts
from service.store.database import settings_of
from service.store.models import Account, Letter, LetterStatus, Match, MatchStatus, SeatRow, now
from service.store.seats import by_match_id
from service.table import commands, substitutes

log = structlog.get_logger()

LONGEST_WHY = 300


def banned(session: Session) -> list[Account]:
    found = select(Account).where(col(Account.banned_at).is_not(None)).order_by(col(Account.banned_at).desc())
    return list(session.exec(found.limit(200)))


def ban(session: Session, account: Account, why: str) -> None:
    """Ban all accounts of a mailbox but operators'; only their owner reads `why`. Raises Refused."""
    why, operators = _reason(session, why), settings_of(session).operators
    if account.email in operators:
        raise NotLegal(sentence("That is an operator’s address; take it out of WRIT_OPERATORS first."))
    theirs = select(Account).where(optouts.of_mailbox(account.email), col(Account.email).not_in(operators))
    people = session.exec(theirs.order_by(Account.id)).all()
    lobby.lock_people(session, people)
    if account.banned_at is not None:
        raise NotLegal(sentence("That account is banned already."))
    for one in people:
        if one.banned_at is None:
            _ban(session, one, why)


def _ban(session: Session, account: Account, why: str) -> None:
    for match in session.exec(select(Match).where(Match.host_id == account.id, Match.status == MatchStatus.LOBBY)).all():
        lobby.cancel(session, match, account)
    for seat in session.exec(select(SeatRow).where(SeatRow.account_id == account.id)).all():
        _leave(session, by_match_id(session, seat.match_id), seat, account)
    for seat in session.exec(select(SeatRow).where(SeatRow.invited_email == account.email)).all():
        match = by_match_id(session, seat.match_id)
        inviting.decline(session, match, seat.seat)
        substitutes.decline(session, match, seat.seat)
    address_changes.withdraw(session, account)
    accounts.sign_out_everywhere(session, account)
    account.banned_at, account.banned_why = now(), why
    session.flush()
    its = (col(Letter.account_id) == account.id) | (col(Letter.to_address) == account.email)
    waiting = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED))
    session.exec(update(Letter).where(its, waiting).values(status=LetterStatus.DROPPED, facts={}))
    letters.ban(session, account)
    log.info("account banned", account=account.id)


def unban(session: Session, account: Account) -> None:
    """End a ban; stewards stay until the player returns. Raises NotLegal."""
    lobby.lock_people(session, [account])
    if account.banned_at is None:
        raise NotLegal(sentence("That account isn’t banned; there is nothing to end."))
    account.banned_at, account.banned_why = None, ""
    session.flush()
    letters.ban(session, account)
    log.info("account no longer banned", account=account.id)


def _reason(session: Session, text: str) -> str:
    why = text_input.in_a_line(text)
    if not why:
        raise NotUnderstood(sentence("A ban needs a reason, which the person reads; write one."))
    disclosure.check_text(session, why, LONGEST_WHY)
    return why


def _leave(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
    if match.status == MatchStatus.LOBBY:
        handover.empty(session, match, seat)
    elif match.status == MatchStatus.RUNNING:
        # The steward starts now; log and letters follow with the command.
        seat.steward = seat.steward or deadlines.steward(match)
        commands.command(session, match, commands.OPERATOR, f"keep seat={seat.seat}", account=account.id)
