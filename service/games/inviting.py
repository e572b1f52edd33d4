"""Invitations to a lobby: promised seats, and the table's share link."""

from __future__ import annotations

import re
import secrets

from sqlmodel import Session, select

from engine.core.asks import NotLegal, NotUnderstood
from service.common.messages import nsentence, sentence
from service.errors import NotAllowed, NotFound, Taken
from service.games import lobby
from service.people import registration
from service.people.accounts import by_id, by_invitation, reachable
from service.post import letters, links
from service.seat import handover
from service.store import limits
from service.store.encryption import mark
from service.store.models import Account, Link, Match, MatchStatus, SeatRow, SeatStatus
from service.store.seats import by_match_id, seat_called, seats_of

MOST_AT_ONCE = 20
"""Most addresses in one form."""


def hold(session: Session, match: Match, by: Account, email: str) -> SeatRow:
    """Promise a free seat; also to a seated player's address: a refusal would reveal it."""
    match = lobby.locked(session, match, by)
    email = reachable(session, email)
    registration.check_domain(session, email)
    if email == by.email:
        raise Taken(sentence("You have a seat in this game already."))
    # Seats promised by name don't count: the host could guess their addresses.
    if any(seat.invited_email == email and not seat.name for seat in seats_of(session, match)):
        raise Taken(sentence("%(email)s is invited already; use “Send again” next to the seat.", email=email))
    seat = lobby.free_seat(session, match)
    promise(session, seat, by, email)
    return seat


def promise(session: Session, seat: SeatRow, by: Account, email: str, name: str = "") -> None:
    """Promise a free seat; with `name` (a rematch) the host sees only that. Raises NotLegal over the limit."""
    limits.rematch(session, by.id, email) if name else limits.invitation(session, by.id, email)
    handover.clean(seat)
    seat.status, seat.invited_email, seat.name = SeatStatus.INVITED, email, name
    seat.key_generation += 1
    session.flush()


def write(session: Session, match: Match, seat: SeatRow, by: Account) -> None:
    """Queue the letter. Promise all seats first: each letter lists the others."""
    letters.invitation(session, match, seat, by, links.invite_link(session, match, seat))


def invite_all(session: Session, match: Match, by: Account, text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Invite addresses separated by white space, commas or semicolons. Returns the invited, and the refused with reasons.

    Raises NotUnderstood without any, NotAllowed unless `by` is the host.
    """
    lobby.host_only(match, by)
    wanted = list(dict.fromkeys(re.split(r"[\s,;]+", text.strip(" \t\r\n,;"))))
    if not wanted[0]:
        raise NotUnderstood(sentence("Enter at least one address, each on its own line."))
    if len(wanted) > MOST_AT_ONCE:
        raise NotUnderstood(
            nsentence(
                "These are %(num)s address; at most %(most)s are invited at once.",
                "These are %(num)s addresses; at most %(most)s are invited at once.",
                len(wanted),
                most=MOST_AT_ONCE,
            )
        )
    done: list[SeatRow] = []
    refused: list[tuple[str, str]] = []
    for email in wanted:
        try:
            with session.begin_nested():
                done.append(hold(session, match, by, email))
        except (NotUnderstood, NotLegal, Taken) as why:
            refused.append((email, str(why)))
    for seat in done:
        write(session, match, seat, by)
    return [seat.invited_email for seat in done], refused


def resend_invitation(session: Session, match: Match, by: Account, seat: str) -> None:
    """Raises Refused if nobody is invited to the seat."""
    match = lobby.locked(session, match, by)
    row = seat_called(session, match, seat)
    if row.status != SeatStatus.INVITED:
        raise NotAllowed(sentence("Nobody is invited to this seat."))
    limits.rematch(session, by.id, row.invited_email) if row.name else limits.invitation(session, by.id, row.invited_email)
    write(session, match, row, by)


def accept(
    session: Session, link: Link, word: str = "", account: Account | None = None, seen: str = ""
) -> tuple[Account, Match]:
    """Take an invited seat; the link proves the address. Idempotent. `word`: for the shuffles; `account`: by default the
    address's; `seen`: digest of the options shown.
    """
    match = by_match_id(session, link.match_id or "")
    seat = seat_called(session, match, link.seat)
    if seat.status == SeatStatus.TAKEN and seat.account_id:
        if account is not None and account.id != seat.account_id:
            raise Taken(sentence("This seat has been taken already."))
        return by_id(session, seat.account_id), match
    match = lobby.locked(session, match)
    seat = seat_called(session, match, link.seat)
    account = account or by_invitation(session, seat.invited_email)
    lobby.take(session, match, seat, account, word, seen)
    return account, match


def decline(session: Session, match: Match, seat: str) -> None:
    """Decline an invitation. Idempotent."""
    if match.status != MatchStatus.LOBBY:
        return
    match = lobby.locked(session, match)
    row = seat_called(session, match, seat)
    if row.status == SeatStatus.INVITED:
        who = row.name or row.invited_email
        handover.empty(session, match, row)
        letters.declined(session, match, by_id(session, match.host_id), who)


def share(session: Session, match: Match, by: Account, on: bool) -> None:
    """Renew or delete the share link."""
    match = lobby.locked(session, match, by)
    match.share_key = secrets.token_urlsafe(18) if on else ""
    match.share_mark = mark(match.share_key)
    session.flush()


def shared(session: Session, key: str) -> Match:
    """The table of a share link. Raises NotFound."""
    match = session.exec(select(Match).where(Match.share_mark == mark(key))).first() if key else None
    if match is None or match.status != MatchStatus.LOBBY:
        raise NotFound(
            sentence("This link no longer works: the game has begun or was called off, or its host withdrew the link.")
        )
    return match
