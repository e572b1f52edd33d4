"""Health of the mail relay (the SMTP server of `WRIT_SMTP_URL`): since when it has accepted no letter to anybody.

The clocks of all players count from that moment as an outage, so it must not depend on one player. The rows of
`relay_failures` are the first failures since the last acceptance; an acceptance deletes them. A quiet time without letters
therefore never counts: the outage begins with the first failure, not with the last acceptance.

- Connection, login and sender concern every letter: the first such failure begins the outage.
- A refused recipient may be the fault of the recipient's own server, which may be a player's. Refusals count from the moment at
  which a second domain is refused. Two names count as one domain where their last two labels are the same, since one owner
  can make any number of names below their own. `blames_relay` tells which refusals to note at all.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from service.post.refusals import ENHANCED
from service.store import bulk
from service.store.database import settings_of
from service.store.models import RelayExtension, RelayFailure, now

ITSELF = ""
"""Name of the row for connection, login and sender."""
SMTPUTF8 = "smtputf8"
ENOUGH = 2
"""How many domains have to refuse recipients before that counts."""
OF_THE_RELAY = frozenset("357")
"""Subjects of enhanced status codes (RFC 3463) that may be about the relay: mail system, protocol, policy. Others are about an
address, a mailbox, the way to a recipient's server, or a letter's content."""


def accepted(session: Session) -> None:
    """The relay has accepted a letter: it works. Writes nothing while no failure is on record."""
    bulk.run(session, _forgetting(), [{}])


def reached(session: Session) -> None:
    """The relay took connection, login and sender, whatever became of the letter: an outage of these is over."""
    session.exec(delete(RelayFailure).where(col(RelayFailure.domain) == ITSELF))


def unreached(session: Session) -> bool:
    """Whether the last connection, login or sender failed."""
    return bool(settings_of(session).smtp_url) and session.get(RelayFailure, ITSELF) is not None


def failed(session: Session, recipient_domain: str | None) -> None:
    """Note a failure of the relay: of a recipient of that domain, or None for connection, login or sender."""
    if recipient_domain is None:
        bulk.add_unless_there(session, RelayFailure(domain=ITSELF, at=now()))
        return
    domain = _owner(recipient_domain)
    others = select(func.count()).select_from(RelayFailure).where(col(RelayFailure.domain).not_in((ITSELF, domain)))
    if domain and session.exec(others).one() < ENOUGH:  # more tell nothing more
        bulk.add_unless_there(session, RelayFailure(domain=domain, at=now()))


def down_since(session: Session) -> datetime | None:
    """Since when the relay is down: it has accepted no letter since, and has failed. None where it works, or isn't set."""
    if not settings_of(session).smtp_url:
        return None
    rows = {row.domain: row.at for row in session.exec(select(RelayFailure))}
    itself = rows.pop(ITSELF, None)
    refused = sorted(rows.values())[ENOUGH - 1 : ENOUGH]
    return min([*refused, *([itself] if itself is not None else [])], default=None)


def offers_utf8(session: Session) -> bool:
    """Whether letters to addresses in UTF-8 can be sent: the relay offered SMTPUTF8 (RFC 6531) when it was last connected."""
    return bool(settings_of(session).smtp_url) and session.get(RelayExtension, SMTPUTF8) is not None


def note_utf8(session: Session, offered: bool) -> None:
    """Keep whether the relay offers SMTPUTF8."""
    known = session.get(RelayExtension, SMTPUTF8)
    if offered and known is None:
        bulk.add_unless_there(session, RelayExtension(name=SMTPUTF8))
    elif not offered and known is not None:
        session.delete(known)
        session.flush()


def blames_relay(code: int, words: str) -> bool:
    """Whether a recipient's refusal may be the relay's fault, by its enhanced status code; without one it may.

    A letter to an address that doesn't exist is no sign of an outage, however many there are.
    """
    found = ENHANCED.match(words)
    return code >= 400 and (found is None or found[2] in OF_THE_RELAY)


def _owner(domain: str) -> str:
    """What a domain counts as: its last two labels."""
    return ".".join(domain.lower().rstrip(".").split(".")[-2:])


@cache
def _forgetting() -> Any:
    return delete(RelayFailure)
