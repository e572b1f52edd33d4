"""What is kept of one person: to be taken away as a file, and to be erased as far as the logs of others allow.

What a log of a game holds stays there, the name that its header and its events bear included: it is chained by hashes, and the
others' proof of how the game went. What a person wrote to others stays theirs, without the name.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Table
from sqlmodel import Session, SQLModel, col, delete, select, update

from engine.asks import NotLegal
from service.clock import deadlines
from service.common.messages import sentence
from service.games import handover, lobby
from service.people import accounts
from service.post import ledger, links
from service.store.database import settings_of
from service.store.models import Account, Letter, LetterEvent, LetterStatus, Match, MatchStatus, Message, SeatRow, now
from service.store.references import references as references
from service.store.sealing import Shut
from service.table import commands as table

NOBODY = "nobody@writ.invalid"
"""The account that a game's host passes to where nobody else is left."""
OF_THE_SERVICE = frozenset(
    (
        "accounts.calendar_mark",
        "browsers.secret",
        "matches.halt",
        "matches.seed",
        "matches.snapshot",
        "matches.share_mark",
        "matches.watch_mark",
        "letters.text",
        "letters.html",
        "letters.headers",
        "letters.facts",
    )
)
"""Columns that are no data of the person: secrets of the game and of the service, and letters' bodies, which were sent."""


# --- taking it away ---------------------------------------------------------------------------------------------------


def export(session: Session, account: Account) -> dict[str, Any]:
    """All that is kept of a person, as plain data: every row that is theirs, and what they wrote."""
    found: dict[str, Any] = {"made": now().isoformat(), "account": _row(account)}
    for owned, column in references():
        query = select(*owned.columns).where(owned.c[column] == account.id).order_by(*owned.primary_key.columns)
        rows = session.execute(query).mappings()
        found[owned.name] = [_plain(owned, dict(row)) for row in rows]
    ledgers: dict[str, list[dict[str, Any]]] = {letter["id"]: [] for letter in found["letters"]}
    lines = select(LetterEvent).join(Letter, col(Letter.id) == LetterEvent.letter_id).where(Letter.account_id == account.id)
    for line in session.exec(lines.order_by(col(LetterEvent.at), LetterEvent.id)):
        ledgers[line.letter_id].append(_row(line) | {"words": ledger.said(line.words)})
    for letter in found["letters"]:
        letter["ledger"] = ledgers[letter["id"]]
        letter["error"] = ledger.said(letter["error"])
    found["messages"] = [_row(message) for message in session.exec(_said(SeatRow.account_id == account.id))]
    return found


def _row(row: SQLModel) -> dict[str, Any]:
    owner: Table = row.__table__  # type: ignore[attr-defined]  # SQLModel does not declare it
    return _plain(owner, {c.name: getattr(row, c.name) for c in owner.columns})


def _plain(owner: Table, row: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in row.items() if f"{owner.name}.{name}" not in OF_THE_SERVICE}


def _value(value: Any) -> Any:
    if isinstance(value, Shut):
        return None
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def _seats(session: Session, account: Account) -> list[SeatRow]:
    found = select(SeatRow).where(SeatRow.account_id == account.id).order_by(SeatRow.match_id)
    return list(session.exec(found))


def _said(seats: Any) -> Any:
    """What the owners of now of some seats wrote: a seat may have changed hands, and each message bears its writer's name."""
    here = (col(Message.match_id) == SeatRow.match_id) & (col(Message.seat) == SeatRow.seat)
    theirs = here & (col(Message.name) == SeatRow.name)
    own = select(Message).join(SeatRow, theirs).where(seats)
    return own.order_by(col(Message.match_id), col(Message.at), Message.id)


# --- erasing ----------------------------------------------------------------------------------------------------------


def confirm(account: Account, typed: str) -> None:
    """Raises NotLegal unless the address was typed, as one does who means it."""
    if typed.strip().lower() != account.email:
        raise NotLegal(
            sentence("That is not the address of this account; type it out to erase the account. Nothing was changed.")
        )


def erase(session: Session, account: Account) -> None:
    """Erase a person: account, letters, links, decks, notes and orders, and the name where no log holds it.

    Games that they host and that have not begun are called off; a running game looks for somebody to take their seat, which a
    steward keeps until then. Games that they host go to the next person at the table, else to an operator.
    """
    if account.email == NOBODY:
        raise NotLegal(sentence("That account stands for nobody; there is nothing in it to erase."))
    # Nobody plays on, sits down or writes to this person meanwhile.
    sat = select(SeatRow.match_id).where(SeatRow.account_id == account.id)
    theirs = select(Match.id).where(col(Match.id).in_(sat) | (Match.host_id == account.id)).order_by(Match.id)
    session.exec(theirs.with_for_update()).all()
    session.exec(select(Account.id).where(Account.id == account.id).with_for_update()).one()
    for match in session.exec(select(Match).where(Match.host_id == account.id, Match.status == MatchStatus.LOBBY)).all():
        lobby.cancel(session, match, account)
    for seat in _seats(session, account):
        _leave(session, lobby.by_match_id(session, seat.match_id), seat, account)
    for seat in session.exec(select(SeatRow).where(SeatRow.invited_email == account.email)).all():
        _withdraw(session, lobby.by_match_id(session, seat.match_id), seat)
    for match in session.exec(select(Match).where(Match.host_id == account.id)).all():
        match.host_id = _next_host(session, match, account).id
        session.add(match)
    session.flush()
    _forget_letters(session, account)
    for owned, column in references():
        change = owned.update().values({column: None}) if owned.c[column].nullable else owned.delete()
        session.execute(change.where(owned.c[column] == account.id))
    session.execute(delete(Account).where(col(Account.id) == account.id))
    session.expunge(account)


def _leave(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
    """Take a person out of a seat, and their name off it."""
    if match.status == MatchStatus.LOBBY:
        lobby.leave(session, match, account)
        return
    its = (SeatRow.match_id == seat.match_id) & (SeatRow.seat == seat.seat)
    former, said = f"Former player {seat.seat.upper()}", _said(its)
    for message in session.exec(said).all():
        message.name = former
        session.add(message)
    handover.part(session, match, seat)
    seat.name = former
    session.add(seat)
    if match.status == MatchStatus.RUNNING:
        # The steward at once, so that nobody waits; the log, the table and the search follow with the command.
        seat.steward, seat.wanted = deadlines.steward(match), "open"
        session.add(seat)
        table.command(session, match, seat.seat, f"seek seat={seat.seat}", email="", erased=True)


def _withdraw(session: Session, match: Match, seat: SeatRow) -> None:
    """Take back an invitation to an address that is to be forgotten."""
    if match.status == MatchStatus.LOBBY:
        handover.empty(session, match, seat)
        return
    seat.invited_email, seat.wanted = "", "open" if seat.wanted else ""
    session.add(seat)
    session.flush()
    links.renew_seat(session, seat)


def _next_host(session: Session, match: Match, account: Account) -> Account:
    for seat in lobby.seats_of(session, match):
        if seat.account_id and seat.account_id != account.id:
            return accounts.by_id(session, seat.account_id)
    operators = [email for email in settings_of(session).operators if email != account.email]
    return accounts.by_email(session, operators[0] if operators else NOBODY)


def _forget_letters(session: Session, account: Account) -> None:
    """Empty every letter to a person, its ledger too. The rows stay without the address: one of them may be on its way."""
    mine = (col(Letter.account_id) == account.id) | (col(Letter.to_address) == account.email)
    own = select(Letter.id).where(mine)
    session.exec(update(LetterEvent).where(col(LetterEvent.letter_id).in_(own)).values(words=""))
    waiting = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED))
    session.exec(update(Letter).where(mine, waiting).values(status=LetterStatus.DROPPED))
    empty = dict.fromkeys(("to_address", "subject", "text", "html", "error"), "")
    session.exec(update(Letter).where(mine).values(**empty, headers={}, facts={}, account_id=None))
