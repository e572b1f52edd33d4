"""Access without a seat: spectators, and readers of a shared replay. One secret URL key (`watch_key`) serves both; its hash
opens the replay without names.
"""

from __future__ import annotations

import base64
import hashlib
import secrets

from sqlmodel import Session, select

from service.common.messages import sentence
from service.errors import NotFound
from service.store.encryption import mark
from service.store.models import Match, MatchStatus


def rekey(session: Session, match: Match) -> None:
    """Renew the secret URLs, revoking old ones; delete them if nobody may read."""
    match.watch_key = secrets.token_urlsafe(24) if match.spectators or match.shared else ""
    match.watch_mark, match.nameless_mark = mark(match.watch_key), mark(nameless_key(match))
    session.flush()


def nameless_key(match: Match) -> str:
    """Key of the URL without names: a hash of `watch_key`; empty if not shared."""
    digest = hashlib.sha256(b"writ nameless " + match.watch_key.encode()).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode() if match.shared else ""


def let_share(session: Session, match: Match, on: bool) -> None:
    """Share a replay by new addresses, or close them. Callers check permission."""
    match.shared = on
    rekey(session, match)


def let_watch(session: Session, match: Match, on: bool) -> None:
    """Open a game to spectators, or close it. Callers check permission."""
    match.spectators = on
    rekey(session, match)


def opened_by(session: Session, key: str) -> tuple[Match, bool]:
    """The game, and whether its names are shown. Raises NotFound, also for a shared game that isn't over, unless it is open to
    spectators.
    """
    found = mark(key)
    either = (Match.watch_mark == found) | (Match.nameless_mark == found)
    match = session.exec(select(Match).where(either)).first() if key else None
    if match is not None and (is_open(match) or (match.spectators and match.watch_mark == found)):
        return match, match.watch_mark == found
    raise NotFound(sentence("No replay is shown at this address; it was closed, or the game isn’t over."))


def is_open(match: Match) -> bool:
    return match.shared and match.status == MatchStatus.FINISHED
