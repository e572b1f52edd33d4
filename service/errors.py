"""The service's refusals; each carries a sentence for its reader."""

from __future__ import annotations

from engine.core.asks import NotUnderstood, Refused
from engine.language.words import Message


class Misread(NotUnderstood):
    """Invalid form field; `field` is its name."""

    def __init__(self, said: Message | str, field: str, /) -> None:
        super().__init__(said)
        self.field = field


class Disclosing(NotUnderstood):
    """A private link or reply address in `text`, which others would read."""

    kind = "disclosing"

    def __init__(self, said: Message | str, text: str, /) -> None:
        super().__init__(said)
        self.text = text


class Stale(Refused):
    """The answered question is no longer open."""

    kind = "stale"


class NotFound(Refused):
    """Doesn't exist, or isn't visible to this person."""

    kind = "not found"


class NotAllowed(Refused):
    """Exists, but isn't allowed to this person."""

    kind = "not allowed"


class Taken(Refused):
    """Somebody else was faster."""

    kind = "taken"


class BadLink(Refused):
    """Invalid link."""

    kind = "bad link"


class LinkForged(BadLink):
    """Wrong signature: cut off, mistyped or forged."""


class LinkExpired(BadLink):
    """The link has expired."""


class LinkRevoked(BadLink):
    """The link was revoked."""


class LinkUsed(BadLink):
    """The one-time link was already used."""


class Banned(BadLink):
    """The link's account is banned."""

    kind = "banned"


class CannotDecrypt(Exception):
    """Decryption failed for lack of a key; not a refusal."""

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"“{purpose}” is encrypted with another secret key; "
            "put that key into WRIT_SECRET_KEYS again, behind the first, and run `writ host reencrypt`."
        )
