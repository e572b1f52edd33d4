"""Export and erasure of one person's data (GDPR).

Game logs stay as they are, names included: other players rely on their hash chain. Messages stay, without the name.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Table
from sqlmodel import Session, SQLModel, col, delete, select, update

from engine.core.asks import NotLegal
from service.clock import deadlines
from service.common.messages import sentence
from service.games import lobby
from service.people import accounts
from service.post import ledger, links
from service.seat import handover
from service.store import bulk
from service.store.database import settings_of
from service.store.encryption import Undecryptable
from service.store.models import (
    Account,
    Letter,
    LetterEvent,
    LetterStatus,
    Match,
    MatchStatus,
    Message,
    MoveNote,
    ProblemReport,
    SeatRow,
    now,
)
from service.store.seats import by_match_id, seats_of
from service.table import commands, substitutes, votes

NOBODY = "nobody@writ.invalid"
"""Placeholder account for games that lose their last host."""
OF_THE_SERVICE = frozenset(
    (
        "accounts.calendar_mark",
        "browsers.secret",
        "matches.halt",
        "matches.seed",
        "matches.snapshot",
        "matches.share_mark",
        "matches.watch_mark",
        "matches.nameless_mark",
        "seats.trail",  # holds others' hidden offers
        "letters.text",
        "letters.html",
        "letters.headers",
        "letters.facts",
    )
)
"""Columns left out of exports: secrets of games and service, and bodies of letters, which were sent anyway."""

WRITTEN = (Message, MoveNote, ProblemReport)
"""What people write in a game, under their name at that time."""


# --- taking it away ---------------------------------------------------------------------------------------------------


def export(session: Session, account: Account) -> dict[str, Any]:
    found: dict[str, Any] = {"made": now().isoformat(), "account": _row(account)}
    for owned, column in accounts.references():
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
    for kind in WRITTEN:
        rows = session.exec(_said(SeatRow.account_id == account.id, kind))
        found[kind.__tablename__] = [_row(row) for row in rows]
    return found


def _row(row: SQLModel) -> dict[str, Any]:
    owner = bulk.table_of(type(row))
    return _plain(owner, {c.name: getattr(row, c.name) for c in owner.columns})


def _plain(owner: Table, row: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in row.items() if f"{owner.name}.{name}" not in OF_THE_SERVICE}


def _value(value: Any) -> Any:
    if isinstance(value, Undecryptable):
        return None
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def _said(seats: Any, kind: Any) -> Any:
    """What the present owners wrote, by name: seats may have changed hands."""
    theirs = (kind.match_id == SeatRow.match_id) & (kind.seat == SeatRow.seat) & (kind.name == SeatRow.name)
    return select(kind).join(SeatRow, theirs).where(seats).order_by(kind.match_id, kind.at, kind.id)


# --- erasing ----------------------------------------------------------------------------------------------------------


def confirm(account: Account, typed: str) -> None:
    if typed.strip().lower() != account.email:
        raise NotLegal(
            sentence("That is not the address of this account; type it out to erase the account. Nothing was changed.")
        )


def erase(session: Session, account: Account) -> None:
    """Erase an account with its letters, links, decks, notes and orders; names stay only in logs.

    Hosted games in the lobby are cancelled; others pass to a player, else to an operator. In a running game a steward keeps the
    seat and a substitute is sought.
    """
    if account.email == NOBODY:
        raise NotLegal(sentence("That account stands for nobody; there is nothing in it to erase."))
    lobby.lock_people(session, [account])
    for match in session.exec(select(Match).where(Match.host_id == account.id, Match.status == MatchStatus.LOBBY)).all():
        lobby.cancel(session, match, account)
    for seat in session.exec(select(SeatRow).where(SeatRow.account_id == account.id).order_by(SeatRow.match_id)).all():
        _leave(session, by_match_id(session, seat.match_id), seat, account)
    for seat in session.exec(select(SeatRow).where(SeatRow.invited_email == account.email)).all():
        _withdraw(session, by_match_id(session, seat.match_id), seat)
    for match in session.exec(select(Match).where(Match.host_id == account.id)).all():
        match.host_id = _next_host(session, match, account).id
    session.flush()
    _forget_letters(session, account)
    substitutes.forget(session, account)
    session.flush()
    for owned, column in accounts.references():
        change = owned.update().values({column: None}) if owned.c[column].nullable else owned.delete()
        session.execute(change.where(owned.c[column] == account.id))
    session.execute(delete(Account).where(col(Account.id) == account.id))
    session.expunge(account)


def _leave(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
    if match.status == MatchStatus.LOBBY:
        lobby.leave(session, match, account)
        return
    its = (SeatRow.match_id == seat.match_id) & (SeatRow.seat == seat.seat)
    former = f"Former player {seat.seat.upper()}"
    for row in [row for kind in WRITTEN for row in session.exec(_said(its, kind)).all()]:
        row.name = former
    handover.detach_player(session, match, seat)
    seat.name, seat.pronoun = former, ""
    if match.status == MatchStatus.RUNNING:
        # The steward starts now, so that nobody waits; the command writes log and letters later.
        seat.steward, seat.wanted = deadlines.steward(match), "open"
        commands.command(session, match, seat.seat, f"seek seat={seat.seat}", email="", erased=True)
    else:
        votes.settle_open(session, match)


def _withdraw(session: Session, match: Match, seat: SeatRow) -> None:
    if match.status == MatchStatus.LOBBY:
        handover.empty(session, match, seat)
        return
    seat.invited_email, seat.wanted = "", "open" if seat.wanted else ""
    session.flush()
    links.renew_seat(session, seat)


def _next_host(session: Session, match: Match, account: Account) -> Account:
    for seat in seats_of(session, match):
        if seat.account_id and seat.account_id != account.id:
            return accounts.by_id(session, seat.account_id)
    operators = [email for email in settings_of(session).operators if email != account.email]
    return accounts.by_email(session, operators[0] if operators else NOBODY)


def _forget_letters(session: Session, account: Account) -> None:
    """Empty a person's letters. Rows stay: one may be in delivery."""
    mine = (col(Letter.account_id) == account.id) | (col(Letter.to_address) == account.email)
    own = select(Letter.id).where(mine)
    session.exec(own.order_by(Letter.id).with_for_update()).all()  # what a worker writes just now is seen below
    session.exec(update(LetterEvent).where(col(LetterEvent.letter_id).in_(own)).values(words=""))
    waiting = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED, LetterStatus.SENDING))
    session.exec(update(Letter).where(mine, waiting).values(status=LetterStatus.DROPPED))
    empty = dict.fromkeys(("to_address", "subject", "text", "html", "error"), "")
    session.exec(update(Letter).where(mine).values(**empty, headers={}, facts={}, account_id=None))
