"""Gate for text that others read: refuses private links and reply addresses, and revokes valid ones.

Pages revoke in a separate transaction (`writing`), since a refusal rolls back. Replies by mail are cut before the token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

import structlog
from sqlmodel import Session, col, select

from engine.core.asks import NotUnderstood
from service.clock import calendar
from service.common import text_input, tokens
from service.common.messages import nsentence, sentence
from service.errors import BadLink, Disclosing
from service.post import letters, links
from service.settings import LOOPBACK, Settings
from service.store.database import settings_of, transaction
from service.store.encryption import mark
from service.store.models import Account, Letter, Link, Match, SeatRow

log = structlog.get_logger()

MOST_KEYS = 40
"""Calendar keys looked up per text."""
REFUSAL = sentence(
    "That text has a private link or address of Writ in it, with which anybody could act for its owner; take it out, please."
)
SEAT = sentence("A private link or reply address of yours stood in a text that others were about to read. It no longer works.")
PERSON = sentence(
    "A private link of yours (to sign in, to stop letters, or to your calendar) stood in a text that others were about to read."
    " It no longer works. If it was your calendar's, the page about letters shows its new address."
)


@contextmanager
def writing(settings: Settings) -> Iterator[Session]:
    """A transaction; on Disclosing, revokes the token in a separate one."""
    try:
        with transaction(settings) as session:
            yield session
    except Disclosing as refusal:
        revoke_all(settings, [refusal.text])
        raise


def revoke_all(settings: Settings, texts: Sequence[str]) -> None:
    if texts:
        with transaction(settings) as session:
            for text in texts:
                revoke(session, text)


def check(session: Session, text: str) -> None:
    """Raise Disclosing for a text with a private token."""
    if tokens.find(text) or _opaque(session, text) or _calendars(session, text):
        raise Disclosing(REFUSAL, text)


def check_text(session: Session, text: str, most: int) -> None:
    """Raise NotUnderstood for a long or unprintable text, Disclosing for one with a private token."""
    if len(text) > most:
        raise NotUnderstood(
            nsentence(
                "The text has %(num)s character; at most %(most)s fit.",
                "The text has %(num)s characters; at most %(most)s fit.",
                len(text),
                most=most,
            )
        )
    if text_input.unfit(text):
        raise NotUnderstood(sentence("The text has characters that can't be shown; use letters, digits and punctuation."))
    if text_input.piled(text):
        raise NotUnderstood(sentence("The text has more than three marks on one letter; leave some of them out."))
    check(session, text)


def cut(session: Session, text: str) -> str:
    """The lines above the first private token; revokes tokens in the rest."""
    kept, left_out = tokens.cut(text, lambda lines: _opaque(session, lines) or bool(_calendars(session, lines)))
    if left_out:
        revoke(session, left_out)
    return kept


def _opaque(session: Session, text: str) -> bool:
    """Whether a mail gateway has rewritten a link, with our host in a parameter."""
    host = urlsplit(settings_of(session).base_url).hostname or ""
    if not host or host in LOOPBACK or host not in text.lower():
        return False
    return re.search(rf"https?://[^\s/]+/[^\s]*[?&](?:domain|d|host)={re.escape(host)}(?![\w.-])", text, re.I) is not None


def _calendars(session: Session, text: str) -> list[Account]:
    keys = sorted(tokens.words_like_keys(text))[:MOST_KEYS]
    marks = [mark(key) for key in keys]
    return list(session.exec(select(Account).where(col(Account.calendar_mark).in_(marks)))) if marks else []


def revoke(session: Session, text: str) -> None:
    """Revoke tokens in a text, and send each owner a fresh link."""
    seats: dict[tuple[str, str], SeatRow] = {}
    people: dict[str, Account] = {}
    for account in _calendars(session, text):  # lock order: accounts before seats
        calendar.renew(session, account)
        people[account.id] = account
    for token in sorted(tokens.find(text), key=lambda token: (token.kind, token.value)):
        for owner in _revoked(session, token):
            if isinstance(owner, SeatRow):
                seats[owner.match_id, owner.seat] = owner
            else:
                people[owner.id] = owner
    for seat in seats.values():
        player = session.get(Account, seat.account_id)
        if player is not None:
            letters.fresh_link(session, session.get_one(Match, seat.match_id), seat, player, SEAT)
    for account in people.values():
        letters.sign_in(session, account, links.sign_in_link(session, account), PERSON)
    if seats or people:
        log.warning("private tokens revoked", seats=len(seats), people=len(people), why="about to be shown to others")


def _revoked(session: Session, token: tokens.Token) -> list[SeatRow | Account]:
    """Revoke a token; returns the owners of a valid one."""
    settings = settings_of(session)
    match token.kind:
        case "mail":
            return _of_letter(session, links.letter_in(settings, token.value))
        case "signed":
            named = links.named(settings, token.value)
            if isinstance(named, str):
                return _of_link(session, session.get(Link, named))
            return _of_leaving(session, token.value) if named is not None else []
    return []


def _of_letter(session: Session, letter_id: str) -> list[SeatRow | Account]:
    letter = session.get(Letter, letter_id) if letter_id else None
    seat = session.get(SeatRow, (letter.match_id, letter.seat)) if letter is not None and letter.match_id else None
    if letter is None or seat is None or letter.headers.get(letters.KEY) != f"{seat.seat}.{seat.key_generation}":
        return []
    links.renew_seat(session, seat)
    return [seat]


def _of_leaving(session: Session, token: str) -> list[SeatRow | Account]:
    try:
        seats = links.leaving(settings_of(session), session, token)
    except BadLink:
        return []
    for seat in seats:
        links.renew_seat(session, seat)
    return [*seats]


def _of_link(session: Session, link: Link | None) -> list[SeatRow | Account]:
    """Revoke one link; the owner's other links stay valid."""
    if link is None or link.used_at is not None:
        return []
    try:
        links.good(session, link, link.purpose)
    except BadLink:
        return []
    links.revoke(session, link)
    if link.purpose == links.SIGN_IN:
        account = session.get(Account, link.account_id)
        return [account] if account is not None else []
    seat = session.get(SeatRow, (link.match_id, link.seat))
    if seat is None:
        return []
    if link.purpose == links.INVITE:
        if seat.invited_email:
            letters.invite_again(session, session.get_one(Match, seat.match_id), seat)
        return []
    return [seat]
