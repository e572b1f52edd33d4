"""Health of the mail relay (`WRIT_SMTP_URL`): since when it has accepted no letter.

All clocks stop in an outage, so no player may cause one: a failed connection, login or sender counts at once, refused
recipients only from a second domain on (the last two labels, since an owner can create any number of subdomains).
`relay_failures` holds the first failures since the last acceptance, which deletes them.

Anybody may have letters sent to two domains that refuse them. So the relay is then asked at once whether it takes a player's
address (`someone_seated`), and after a refusal again in a minute: if it does, nothing is wrong with it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from service.post.refusals import ENHANCED
from service.store import bulk
from service.store.database import settings_of
from service.store.models import GUEST, Account, Beat, Match, MatchStatus, RelayExtension, RelayFailure, SeatRow, now

FORGET = delete(RelayFailure)
"""Built once, for the cache of `bulk.run`."""
ITSELF = ""
"""Row for connection, login and sender."""
SMTPUTF8 = "smtputf8"
ENOUGH = 2
"""Domains needed before refusals count."""
OF_THE_RELAY = frozenset("357")
"""Subjects of enhanced codes (RFC 3463) about the relay: mail system, protocol, policy."""
BEAT = "recipient"
"""When the relay last refused a player's address that it was asked about."""
ASK_AGAIN = timedelta(minutes=1)
"""Relays lock out senders with many refused recipients."""


def accepted(session: Session) -> None:
    """Delete all failures; writes nothing without any."""
    bulk.run(session, FORGET, [{}])


def reached(session: Session) -> None:
    """Delete failures of connection, login and sender."""
    session.exec(delete(RelayFailure).where(col(RelayFailure.domain) == ITSELF))


def unreached(session: Session) -> bool:
    """Whether connection, login or sender failed last."""
    return bool(settings_of(session).smtp_url) and session.get(RelayFailure, ITSELF) is not None


def failed(session: Session, recipient_domain: str | None) -> None:
    """Record a failure; `recipient_domain`: None for connection, login or sender."""
    if recipient_domain is None:
        bulk.add_unless_there(session, RelayFailure(domain=ITSELF, at=now()))
        return
    domain = ".".join(recipient_domain.lower().rstrip(".").split(".")[-2:])
    others = select(func.count()).select_from(RelayFailure).where(col(RelayFailure.domain).not_in((ITSELF, domain)))
    if domain and session.exec(others).one() < ENOUGH:  # more rows change nothing
        bulk.add_unless_there(session, RelayFailure(domain=domain, at=now()))


def down_since(session: Session) -> datetime | None:
    if not settings_of(session).smtp_url:
        return None
    rows = {row.domain: row.at for row in session.exec(select(RelayFailure))}
    itself = rows.pop(ITSELF, None)
    refused = sorted(rows.values())[ENOUGH - 1 : ENOUGH]
    return min([*refused, *([itself] if itself is not None else [])], default=None)


def someone_seated(session: Session) -> str:
    """A random address among players of running games, without dead ones; "" for none, or too soon after a refusal."""
    last = session.get(Beat, BEAT)
    if last is not None and last.at > now() - ASK_AGAIN:
        return ""
    seated = select(Account.email).join(SeatRow, col(SeatRow.account_id) == Account.id)
    running = seated.join(Match, col(Match.id) == SeatRow.match_id).where(Match.status == MatchStatus.RUNNING)
    arrives = col(Account.bounced_at).is_(None), ~col(Account.email).startswith(GUEST)
    # At random: otherwise one player with a refusing server could hold up all clocks.
    return session.exec(running.where(*arrives).order_by(func.random()).limit(1)).first() or ""


def refused_again(session: Session) -> None:
    """Record that `someone_seated` was refused, too."""
    session.merge(Beat(name=BEAT, at=now()))


def offers_utf8(session: Session) -> bool:
    """Whether the last connection offered SMTPUTF8 (RFC 6531)."""
    return bool(settings_of(session).smtp_url) and session.get(RelayExtension, SMTPUTF8) is not None


def note_utf8(session: Session, offered: bool) -> None:
    known = session.get(RelayExtension, SMTPUTF8)
    if offered and known is None:
        bulk.add_unless_there(session, RelayExtension(name=SMTPUTF8))
    elif not offered and known is not None:
        session.delete(known)
        session.flush()


def blames_relay(code: int, words: str, meaning: str) -> bool:
    """Whether a refused recipient may be the relay's fault, by enhanced code; without one it may. Unknown addresses are no sign
    of an outage, in whatever words.
    """
    found = ENHANCED.match(words)
    return code >= 400 and meaning != "address" and (found is None or found[2] in OF_THE_RELAY)
