"""The delivery ledger: what became of every letter, in the mail servers' own words."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import exists, func
from sqlmodel import Session, col, select, update

from service import letters, limits, queue
from service.accounts import by_id
from service.models import Account, AskRow, Letter, LetterEvent, Match, Seat, ViewRow, now


def note(session: Session, letter_id: str, status: str, words: str = "") -> None:
    """Add a line to a letter's ledger."""
    session.add(LetterEvent(letter_id=letter_id, status=status, words=words[:500]))
    session.flush()


def lines(session: Session, letter: Letter) -> list[LetterEvent]:
    """A letter's ledger, oldest line first."""
    found = select(LetterEvent).where(LetterEvent.letter_id == letter.id)
    return list(session.exec(found.order_by(col(LetterEvent.at), LetterEvent.id)))


def bounced(session: Session, letter_id: str, words: str) -> None:
    """A letter came back for good: it is marked, and so is its reader's address, until letters arrive there again."""
    letter = session.get(Letter, letter_id)
    if letter is None or letter.status == "bounced":
        return
    letter.status, letter.bounced_at, letter.error = "bounced", now(), words[:500]
    session.add(letter)
    account = session.get(Account, letter.account_id) if letter.account_id else None
    if account is not None and account.email == letter.to_address:
        account.bounced_at, account.bounce = now(), words[:500]
        session.add(account)
    note(session, letter_id, "bounced", words)


def arrived(session: Session, letter: Letter) -> None:
    """A server has taken a letter to an address that was thought dead."""
    if letter.account_id:
        its = (col(Account.id) == letter.account_id, col(Account.email) == letter.to_address)
        session.exec(update(Account).where(*its).values(bounced_at=None, bounce=""))


def mended(session: Session, account: Account) -> Letter:
    """The player says that the address works again: letters are sent as before, a test letter first."""
    account.bounced_at, account.bounce = None, ""
    session.add(account)
    waiting = (col(Letter.account_id) == account.id, col(Letter.status) == "queued")
    session.exec(update(Letter).where(*waiting).values(next_try_at=now()))
    # What came back and is still asked goes out again.
    asked = (col(AskRow.match_id) == Letter.match_id, col(AskRow.seat) == Letter.seat, col(AskRow.serial) == Letter.serial)
    open_ = exists().where(*asked, col(AskRow.answered_at).is_(None))
    lost = (col(Letter.account_id) == account.id, col(Letter.status) == "bounced", col(Letter.kind).in_(("turn", "reminder")))
    session.exec(update(Letter).where(*lost, open_).values(status="queued", next_try_at=now(), attempts=0))
    return letters.test_letter(session, account)


def troubled(session: Session, match: Match) -> set[str]:
    """The seats of people to whom letters come back."""
    found = select(Seat.seat).join(Account, col(Account.id) == Seat.account_id)
    return set(session.exec(found.where(Seat.match_id == match.id, col(Account.bounced_at).is_not(None))))


def resend(session: Session, match: Match, seat: Seat) -> Letter:
    """A fresh copy of what the seat is asked, or, when it isn't, a letter with a fresh link. Raises NotLegal for a storm."""
    account = by_id(session, seat.account_id)
    limits.one_at_a_time(session, match)
    limits.copy(session, account)
    view = session.get(ViewRow, (match.id, seat.seat))
    if match.status == "running" and view is not None and view.form is not None:
        ask = session.get(AskRow, (match.id, seat.seat, view.serial))
        clock = letters.clock_of(ask, account)
        names = {s.seat: s.name for s in session.exec(select(Seat).where(Seat.match_id == match.id))}
        letter = letters.of_the_game(session, "turn", match, seat, account, view, names=names, **clock)
    else:
        letter = letters.fresh_link(session, match, seat, account)
    note(session, letter.id, "resent")
    if letter.status != "queued":
        # Whoever presses the button wants it now.
        letter.status = "queued"
        session.add(letter)
        queue.after_commit(session, queue.DELIVER, letter.id)
    return letter


def of_account(session: Session, account: Account, most: int = 30) -> list[Letter]:
    """The newest letters to a person."""
    found = select(Letter).where(Letter.account_id == account.id)
    return list(session.exec(found.order_by(col(Letter.created_at).desc()).limit(most)))


def counts(session: Session) -> dict[str, int]:
    """How many letters there are in each state."""
    rows = session.exec(select(Letter.status, func.count()).group_by(Letter.status))
    return {status: n for status, n in rows}


def oldest_unsent(session: Session) -> datetime | None:
    """When the oldest letter was made that ought to have gone out and has not."""
    due = select(func.min(Letter.created_at)).where(
        col(Letter.status).in_(("queued", "sending")), col(Letter.next_try_at) <= now()
    )
    return session.exec(due).one()
