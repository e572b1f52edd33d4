"""Change of e-mail address, its undo, and merging of accounts. Both addresses confirm: the old one against stolen sessions, the
new one against letters to strangers. The requester never learns whether the new address had an account.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, select, update

from engine.core.asks import NotLegal
from service.common.addresses import shown
from service.common.messages import Listed, sentence
from service.errors import LinkExpired, LinkForged, LinkRevoked
from service.people import accounts, registration
from service.post import ledger, letters, links
from service.store import limits, optouts
from service.store.database import settings_of
from service.store.models import (
    Account,
    AddressChange,
    Browser,
    Deck,
    Letter,
    LetterStatus,
    Link,
    Match,
    MatchStatus,
    SeatRow,
    SeatStatus,
    now,
)

OLD, NEW, UNDO = "old", "new", "undo"
OPEN_FOR = timedelta(days=2)
"""Time to confirm."""
UNDO_DAYS = 7
UNDO_FOR = timedelta(days=UNDO_DAYS)
"""Time to undo, from the old address."""


def ask(session: Session, account: Account, text: str) -> AddressChange:
    """Ask both addresses to confirm, instead of an earlier request. Raises Refused."""
    change = _begin(session, account, text)
    _write(session, account, "address_old", change, OLD, change.old_email)
    _write(session, account, "address_new", change, NEW, change.new_email)
    return change


def ask_for(session: Session, account: Account, text: str) -> AddressChange:
    """Operator's request for an account with a dead address: only the new one confirms. Raises Refused."""
    if account.bounced_at is None:
        raise NotLegal(
            sentence("Letters to %(email)s arrive: its owner changes it under “Your account”.", email=shown(account.email))
        )
    change = _begin(session, account, text)
    change.by_operator, change.old_confirmed_at = True, now()
    _write(session, account, "address_new", change, NEW, change.new_email)
    return change


def _begin(session: Session, account: Account, text: str) -> AddressChange:
    email = accounts.reachable(session, text)
    if email == account.email:
        raise NotLegal(sentence("That is your address already; write the new one."))
    registration.check_domain(session, email)
    limits.one_at_a_time(session, account)
    limits.address_change(session, account.id, email)
    withdraw(session, account)
    change = AddressChange(account_id=account.id, old_email=account.email, new_email=email)
    session.add(change)
    session.flush()
    return change


def withdraw(session: Session, account: Account) -> None:
    """End the unconfirmed change."""
    open_ = col(AddressChange.done_at).is_(None) & col(AddressChange.ended_at).is_(None)
    session.exec(update(AddressChange).where(col(AddressChange.account_id) == account.id, open_).values(ended_at=now()))


def _write(session: Session, account: Account, kind: str, change: AddressChange, side: str, to: str) -> None:
    link = links.address_url(settings_of(session), change.id, side)
    more = {"old": shown(change.old_email), "new": shown(change.new_email), "days": UNDO_DAYS}
    known = kind == "address_new" and accounts.owner_of(session, change.new_email) is not None
    letters.address_change(session, account, kind, to, link, merges=known, merged=change.merged, **more)


def pending(session: Session, account: Account) -> AddressChange | None:
    mine = (AddressChange.account_id == account.id, col(AddressChange.done_at).is_(None), col(AddressChange.ended_at).is_(None))
    fresh = col(AddressChange.created_at) > now() - OPEN_FOR
    return session.exec(select(AddressChange).where(*mine, fresh).order_by(col(AddressChange.created_at).desc())).first()


# --- from the letters -----------------------------------------------------------------------------------------------------


def find(session: Session, change_id: str, side: str) -> AddressChange:
    """The change of a link. Raises BadLink if it can't be confirmed or undone."""
    change = session.get(AddressChange, change_id, populate_existing=True)
    if change is None or side not in (OLD, NEW, UNDO):
        raise LinkForged(sentence("This link no longer works."))
    if change.ended_at is not None:
        raise LinkRevoked(sentence("This change of address was withdrawn, undone, or replaced by a later one."))
    account = session.get(Account, change.account_id)
    if account is not None:
        registration.check_ban(account)
    if side == UNDO:
        if change.done_at is None or change.merged or change.by_operator:
            raise LinkForged(sentence("This link no longer works."))
        if change.done_at < now() - UNDO_FOR:
            raise LinkExpired(sentence("The time in which this change could be undone is over; ask those who run the service."))
    elif change.done_at is None and change.created_at < now() - OPEN_FOR:
        raise LinkExpired(sentence("This change of address was not confirmed in time; ask for it again under “Your account”."))
    return change


def confirm(session: Session, change_id: str, side: str) -> AddressChange:
    """Confirm for one address; the second makes the change. Idempotent. Raises Refused."""
    change, account = _locked(session, change_id, side)
    if change.done_at is not None:
        return change
    if side == OLD:
        change.old_confirmed_at = change.old_confirmed_at or now()
    else:
        change.new_confirmed_at = change.new_confirmed_at or now()
    session.flush()
    if change.old_confirmed_at is not None and change.new_confirmed_at is not None:
        if account.email != change.old_email:
            raise LinkRevoked(sentence("The address of this account has changed since; ask for the change again."))
        registration.check_domain(session, change.new_email)
        change.merged = _move(session, account, change.new_email)
        change.done_at = now()
        session.flush()
        _write(session, account, "address_done", change, NEW, change.new_email)
        if not change.by_operator:
            _write(session, account, "address_undo", change, UNDO, change.old_email)
    return change


def refuse(session: Session, change_id: str, side: str) -> None:
    """Reject a change. Raises BadLink."""
    change, _ = _locked(session, change_id, side)
    if change.done_at is not None:
        raise LinkRevoked(sentence("This change of address is made already; the old address can undo it."))
    change.ended_at = now()
    session.flush()


def undo(session: Session, change_id: str) -> AddressChange:
    """Restore the old address, whatever it changed to since. Raises Refused."""
    change, account = _locked(session, change_id, UNDO)
    later = (col(AddressChange.account_id) == account.id, col(AddressChange.created_at) >= change.created_at)
    session.exec(update(AddressChange).where(*later, col(AddressChange.ended_at).is_(None)).values(ended_at=now()))
    _move(session, account, change.old_email)
    session.refresh(change)
    _write(session, account, "address_done", change, OLD, change.old_email)
    return change


def _locked(session: Session, change_id: str, side: str) -> tuple[AddressChange, Account]:
    """Lock games and account: concurrent clicks are serialised."""
    change = find(session, change_id, side)
    account = accounts.by_id(session, change.account_id)
    _hold_games(session, account, accounts.owner_of(session, change.old_email if side == UNDO else change.new_email))
    limits.one_at_a_time(session, account)
    accounts.reread(session, account)
    return find(session, change_id, side), account


def _hold_games(session: Session, *people: Account | None) -> None:
    ids = [person.id for person in people if person is not None]
    sat = select(SeatRow.match_id).where(col(SeatRow.account_id).in_(ids))
    theirs = select(Match.id).where(col(Match.id).in_(sat)).order_by(Match.id)
    session.exec(theirs.with_for_update(key_share=True)).all()


def claim(session: Session, account: Account, guest: Account) -> None:
    """Move a guest's tables to an account, and delete the guest."""
    _hold_games(session, guest)
    guest.name = ""  # the name of all guests is no name for an account
    _merge(session, account, guest)


# --- carrying it out --------------------------------------------------------------------------------------------------------


def _move(session: Session, account: Account, email: str) -> bool:
    """Set an address and merge its account; returns whether there was one. Raises NotLegal."""
    other, before = accounts.owner_of(session, email), account.email
    merged = other is not None and other.id != account.id
    if optouts.is_banned(session, email):
        raise NotLegal(sentence("That address can’t be used here; choose another one."))
    if other is not None and merged:
        limits.one_at_a_time(session, other)
    letters.lock_seats_and_unsent(session, [account.id, *([other.id] if other is not None else [])])
    if other is not None and merged:
        _merge(session, account, other)
    links.renew_person(session, account)
    account.email, account.bounced_at, account.bounce = email, None, ""
    try:
        session.flush()
    except IntegrityError:
        raise NotLegal(sentence("That address has just been taken by another account; ask for the change again.")) from None
    waiting = (col(Letter.account_id) == account.id, col(Letter.to_address) == before)
    unsent = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED))
    session.exec(update(Letter).where(*waiting, unsent, col(Letter.kind) == "sign_in").values(status=LetterStatus.DROPPED))
    # Also those that a worker has: it may fail, and the next try writes a letter with a valid link.
    on_its_way = unsent | (col(Letter.status) == LetterStatus.SENDING)
    session.exec(update(Letter).where(*waiting, on_its_way).values(to_address=email))
    ledger.ask_again(session, account, before)
    _invite_again(session, before, email)
    return merged


def _invite_again(session: Session, before: str, email: str) -> None:
    promised = select(SeatRow).where(SeatRow.invited_email == before).with_for_update()
    for seat in session.exec(promised).all():
        match = session.get_one(Match, seat.match_id)
        seat.invited_email = email  # its keys are new already
        session.flush()
        in_lobby = match.status == MatchStatus.LOBBY and seat.status == SeatStatus.INVITED
        if in_lobby or (match.status == MatchStatus.RUNNING and seat.wanted == "invited"):
            letters.invite_again(session, match, seat)


def _merge(session: Session, keep: Account, gone: Account) -> None:
    """Merge two accounts. Raises NotLegal if both sit in one unfinished game."""
    session.exec(select(Account.id).where(Account.id == gone.id).with_for_update()).one()
    _hold_games(session, gone)  # also those taken before the account was locked
    both = _where_both_sit(session, keep, gone)
    playing = [match.name for match in both if match.status in (MatchStatus.LOBBY, MatchStatus.RUNNING)]
    if playing:
        raise NotLegal(
            sentence(
                "Both addresses have a seat at %(games)s, and a person has one seat in a game: finish it or give one up first.",
                games=Listed([f"“{name}”" for name in playing]),
            )
        )
    # In finished games one seat is kept, the other keeps only its name.
    over = col(SeatRow.match_id).in_([match.id for match in both])
    session.exec(update(SeatRow).where(over, col(SeatRow.account_id) == gone.id).values(account_id=None))
    _rename_decks(session, keep, gone)
    for table in (Browser, AddressChange):
        session.exec(delete(table).where(col(table.account_id) == gone.id))
    session.exec(
        update(Link).where(col(Link.account_id) == gone.id, col(Link.purpose) == links.SIGN_IN).values(revoked_at=now())
    )
    session.flush()
    for owned, column in accounts.references():
        session.execute(owned.update().where(owned.c[column] == gone.id).values({column: keep.id}))
    keep.name = keep.name or gone.name
    keep.guides = {**gone.guides, **keep.guides}
    keep.notes_read = {**gone.notes_read, **keep.notes_read}
    session.execute(delete(Account).where(col(Account.id) == gone.id))
    session.expunge(gone)
    session.flush()


def _where_both_sit(session: Session, one: Account, other: Account) -> list[Match]:
    his = select(SeatRow.match_id).where(SeatRow.account_id == one.id)
    found = select(Match).join(SeatRow, col(SeatRow.match_id) == Match.id)
    return list(session.exec(found.where(SeatRow.account_id == other.id, col(Match.id).in_(his)).order_by(Match.name)))


def _rename_decks(session: Session, keep: Account, gone: Account) -> None:
    taken = {(deck.game, deck.name) for deck in session.exec(select(Deck).where(Deck.account_id == keep.id))}
    for deck in session.exec(select(Deck).where(Deck.account_id == gone.id)).all():
        name, n = deck.name, 2
        while (deck.game, name) in taken:
            name, n = f"{deck.name[:34]} ({n})", n + 1
        deck.name = name
        taken.add((deck.game, name))
    session.flush()
