"""Signed links: a token is a signed row id, unforgeable and revocable."""

from __future__ import annotations

import hmac
import re
from datetime import timedelta
from typing import Any

from itsdangerous import BadSignature, URLSafeSerializer
from sqlmodel import Session, col, select, update

from service.common.messages import sentence
from service.errors import BadLink, Banned, LinkExpired, LinkForged, LinkRevoked, LinkUsed
from service.settings import Settings
from service.store import models
from service.store.database import settings_of
from service.store.encryption import hashed
from service.store.models import Account, Letter, Link, Match, SeatRow

SIGN_IN, TURN, INVITE = "signin", "turn", "invite"
PATHS = {SIGN_IN: "/in/", TURN: "/t/", INVITE: "/i/"}
SIGN_IN_HOURS = 24


FOR_LINKS, FOR_LEAVING, FOR_ADDRESSES = "writ link", "writ leave", "writ address"
DIGEST, INVITATIONS = "digest", "invitations"
SHUT_OUT = sentence("This account can’t be used here at the moment.")
SAME_BROWSER = timedelta(minutes=10)
"""The browser that used a link may repeat it: a double click sends the old cookie twice."""


def _signed(key: str, salt: str, value: Any) -> str:
    return URLSafeSerializer(key, salt=salt).dumps(value)


def _unsigned(settings: Settings, salt: str, token: str) -> Any:
    """Payload of a token. Raises BadSignature unless it is spelled as we would issue it."""
    for key in settings.keys:
        try:
            value = URLSafeSerializer(key, salt=salt).loads(token)
        except BadSignature:
            continue
        if hmac.compare_digest(_signed(key, salt, value).encode(), token.encode()):
            return value
    raise BadSignature("signed with none of our keys, or spelt otherwise than by us")


def _payload(settings: Settings, salt: str, token: str) -> Any:
    """Payload of a token that must be ours. Raises LinkForged."""
    try:
        return _unsigned(settings, salt, token)
    except BadSignature:
        raise LinkForged(sentence("Part of this link is missing, or it isn’t ours. Open it from the letter again.")) from None


def named(settings: Settings, token: str) -> Any:
    """Payload of a valid token: a link's id, or a list for one-click URLs."""
    for salt in (FOR_LINKS, FOR_LEAVING):
        try:
            return _unsigned(settings, salt, token)
        except BadSignature:
            continue
    return None


def sign(settings: Settings, link: Link) -> str:
    return _signed(settings.keys[0], FOR_LINKS, link.id)


def url(settings: Settings, link: Link) -> str:
    return settings.base_url + PATHS[link.purpose] + sign(settings, link)


def verify(settings: Settings, session: Session, token: str, purpose: str, expired: bool = False) -> Link:
    """Verify a token; returns its link. `expired`: accept an expired one, to get a new one. Raises LinkForged, LinkExpired,
    LinkRevoked.
    """
    try:
        id = _unsigned(settings, FOR_LINKS, token)
    except BadSignature:
        raise LinkForged(
            sentence("Part of this link is missing, or it isn’t ours. Open it from the letter again, or ask for a new one.")
        ) from None
    if not isinstance(id, str):
        raise LinkForged(sentence("This link leads nowhere. Open it from the letter again, or ask for a new one."))
    link = session.get(Link, id)
    if link is None:
        # Deleted by `workers.retention`, or made after the backup that was restored.
        raise BadLink(sentence("This link no longer works. Sign in with your address, and your games are in your list."))
    return good(session, link, purpose, expired)


def good(session: Session, link: Link, purpose: str, expired: bool = False) -> Link:
    """Check a link. Raises as `verify` does, and Banned."""
    try:
        return _good(session, link, purpose, expired)
    except BadLink:
        # A ban renews all keys, so only invalid links need this query.
        account = session.get(Account, link.account_id) if link.account_id else None
        if account is not None and account.banned_at is not None:
            raise Banned(SHUT_OUT) from None
        raise


def _good(session: Session, link: Link, purpose: str, expired: bool) -> Link:
    if link.purpose != purpose:
        raise LinkForged(sentence("This link leads nowhere. Open it from the letter again, or ask for a new one."))
    if link.revoked_at is not None:
        raise LinkRevoked(sentence("This link was called back and no longer works. A newer letter has a newer link."))
    if link.match_id is not None and link.seat:
        seat = session.get(SeatRow, (link.match_id, link.seat))
        if seat is None or seat.key_generation != link.generation:
            if link.purpose == INVITE:
                raise LinkRevoked(sentence("This invitation no longer works: it was declined, or its host withdrew it."))
            raise LinkRevoked(sentence("The links of this seat were renewed since. A newer letter has the newer link."))
    if link.purpose == SIGN_IN:
        account = session.get(Account, link.account_id)
        if account is None or account.generation != link.generation:
            raise LinkRevoked(sentence("This account was signed out everywhere since. Ask for a new link."))
    if link.expires_at < models.now() and not expired:
        raise LinkExpired(sentence("This link has run out. Sign in with your address, and the game is in your list."))
    return link


def sign_in_link(session: Session, account: Account) -> Link:
    expires = models.now() + timedelta(hours=SIGN_IN_HOURS)
    return _add(session, Link(purpose=SIGN_IN, account_id=account.id, generation=account.generation, expires_at=expires))


def turn_link(session: Session, match: Match, seat: SeatRow) -> Link:
    return _add(session, seat_link(settings_of(session), TURN, match, seat))


def invite_link(session: Session, match: Match, seat: SeatRow) -> Link:
    return _add(session, seat_link(settings_of(session), INVITE, match, seat))


def seat_link(settings: Settings, purpose: str, match: Match, seat: SeatRow) -> Link:
    """A seat's link outside the session, for bulk inserts."""
    return Link(
        purpose=purpose,
        account_id=seat.account_id,
        match_id=match.id,
        seat=seat.seat,
        generation=seat.key_generation,
        expires_at=models.now() + timedelta(days=settings.link_days),
    )


def _add(session: Session, link: Link) -> Link:
    session.add(link)
    session.flush()
    return link


def shorten(session: Session) -> None:
    """Cut the validity of links made while the clock ran ahead."""
    days = settings_of(session).link_days
    for purpose, hours in ((SIGN_IN, SIGN_IN_HOURS), (TURN, 24 * days), (INVITE, 24 * days)):
        latest = models.now() + timedelta(hours=hours)
        late = col(Link.purpose) == purpose, col(Link.expires_at) > latest
        session.exec(update(Link).where(*late).values(expires_at=latest))


def form_secret(settings: Settings, link: Link) -> str:
    """CSRF secret of a browser that came by link, the same for all links of a person."""
    who = f"writ forms {link.account_id} {link.match_id if link.account_id is None else ''}"
    return hmac.digest(settings.keys[0].encode(), who.encode(), "sha256").hex()


# --- addresses without a row: valid as long as the seat's keys ---


def leave_url(settings: Settings, what: str, name: str, generation: int) -> str:
    """URL for one-click unsubscribe (RFC 8058): from a seat by its match and letter; `what` DIGEST, from all games in one, or
    INVITATIONS, by the letter's id.
    """
    return f"{settings.base_url}/leave/{_signed(settings.keys[0], FOR_LEAVING, [what, name, generation])}"


def opting_out(settings: Settings, session: Session, token: str) -> str | None:
    """Address that a token opts out of invitations ("" if its letter is gone). Raises LinkForged."""
    what, letter_id, _ = _payload(settings, FOR_LEAVING, token)
    if what != INVITATIONS:
        return None
    letter = session.get(Letter, letter_id)
    return letter.to_address if letter is not None else ""


def leaving(settings: Settings, session: Session, token: str) -> list[SeatRow]:
    """Seats of a one-click token. Raises LinkForged, or LinkRevoked if all were renewed."""
    what, name, generation = _payload(settings, FOR_LEAVING, token)
    seats: list[SeatRow] = []
    if what == DIGEST:
        seats = _of_digest(session, name, generation)
    else:
        seat = session.get(SeatRow, (what, name))
        if seat is not None and seat.key_generation == generation:
            seats = [seat]
    if not seats:
        raise LinkRevoked(sentence("This link no longer works: the links of this seat were renewed."))
    return seats


def _of_digest(session: Session, letter_id: str, generation: int) -> list[SeatRow]:
    letter = session.get(Letter, letter_id)
    account = session.get(Account, letter.account_id) if letter is not None and letter.account_id else None
    if account is None or account.generation != generation:
        return []
    held = select(Letter.match_id, Letter.seat).where(Letter.digest_id == letter_id).distinct()
    found = [session.get(SeatRow, (match_id, seat)) for match_id, seat in session.exec(held) if match_id]
    return [seat for seat in found if seat is not None and seat.account_id == account.id]


def address_url(settings: Settings, change_id: str, side: str) -> str:
    return f"{settings.base_url}/account/address/{_signed(settings.keys[0], FOR_ADDRESSES, [change_id, side])}"


def address_change(settings: Settings, token: str) -> tuple[str, str]:
    """Parse a token to (change id, side). Raises LinkForged."""
    change_id, side = _payload(settings, FOR_ADDRESSES, token)
    return str(change_id), str(side)


def mail_address(settings: Settings, what: str, letter_id: str) -> str:
    """Signed inbox address: `b` for bounces, `r` for replies."""
    local, _, domain = settings.inbox.partition("@")
    return f"{local}+{what}.{letter_id}.{_mac(settings.keys[0], what, letter_id)}@{domain}"


def letter_of(settings: Settings, address: str) -> tuple[str, str] | None:
    """Parse an inbox address to (purpose, letter id); None for a foreign or forged one."""
    found = MAIL.fullmatch(address.strip().strip("<>").lower())
    if found is None or not settings.inbox:
        return None
    local, _, domain = settings.inbox.lower().partition("@")
    what, letter_id, mac = found["what"], found["id"], found["mac"]
    if (found["local"], found["domain"]) != (local, domain):
        return None
    good = any(hmac.compare_digest(_mac(key, what, letter_id), mac) for key in settings.keys)
    return (what, letter_id) if good else None


def letter_in(settings: Settings, local: str) -> str:
    """Letter id in `r.ID.MAC` of a reply address; empty if invalid."""
    what, _, rest = local.partition(".")
    letter_id, _, mac = rest.partition(".")
    good = what == "r" and any(hmac.compare_digest(_mac(key, what, letter_id), mac) for key in settings.keys)
    return letter_id if good else ""


MAIL = re.compile(r"(?P<local>[^+@]+)\+(?P<what>[br])\.(?P<id>[0-9a-f]{32})\.(?P<mac>[0-9a-f]{16})@(?P<domain>[^@]+)")


def _mac(key: str, what: str, letter_id: str) -> str:
    return hmac.digest(key.encode(), f"writ mail {what} {letter_id}".encode(), "sha256").hex()[:16]


def use(session: Session, link: Link, browser_secret: str) -> None:
    """Use a one-time link, which the same `browser_secret` may repeat. Raises LinkUsed."""
    free = update(Link).where(col(Link.id) == link.id, col(Link.used_at).is_(None))
    if session.exec(free.values(used_at=models.now(), used_by=hashed(browser_secret))).rowcount:
        return
    found = session.get(Link, link.id, populate_existing=True)
    if found is None or not used_here(found, browser_secret):
        raise LinkUsed(USED)


def used_here(link: Link, browser_secret: str) -> bool:
    """Whether this browser used a one-time link just now."""
    at = link.used_at
    return at is not None and hmac.compare_digest(link.used_by, hashed(browser_secret)) and at > models.now() - SAME_BROWSER


def check_unused(link: Link, browser_secret: str) -> None:
    """Raise LinkUsed for a link used by another browser."""
    if link.used_at is not None and not used_here(link, browser_secret):
        raise LinkUsed(USED)


USED = sentence("This link has been used already; each works once. Ask for a new one.")


def revoke(session: Session, link: Link) -> None:
    link.revoked_at = link.revoked_at or models.now()
    session.flush()


def renew_seat(session: Session, seat: SeatRow) -> None:
    """Revoke a seat's links and reply addresses by the next generation of its keys."""
    session.exec(
        update(SeatRow)
        .where(col(SeatRow.match_id) == seat.match_id, col(SeatRow.seat) == seat.seat)
        .values(key_generation=SeatRow.key_generation + 1)
    )
    session.refresh(seat)


def renew_person(session: Session, account: Account) -> None:
    """Revoke everything sent to an account: links, reply and unsubscribe addresses."""
    # Lock order: the account before its seats, as in changes of an address, bans and pronouns.
    account.generation += 1
    session.flush()
    theirs = (col(SeatRow.account_id) == account.id) | (col(SeatRow.invited_email) == account.email)
    session.exec(update(SeatRow).where(theirs).values(key_generation=SeatRow.key_generation + 1))
