"""The service's refusals."""

from __future__ import annotations

from engine.core.asks import NotUnderstood, Refused
from engine.language.words import Message


class Misread(NotUnderstood):
    """Invalid form field; `field` is its name."""

    def __init__(self, said: Message | str, field: str, /) -> None:
        super().__init__(said)
        self.field = field


class Disclosing(NotUnderstood):
    """`text` has a private link or reply address, and others would read it."""

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
    kind = "bad link"


class LinkForged(BadLink):
    """Wrong signature: cut off, mistyped or forged."""


class LinkExpired(BadLink): ...


class LinkRevoked(BadLink): ...


class LinkUsed(BadLink): ...


class Banned(BadLink):
    kind = "banned"


class CannotDecrypt(Exception):
    """No key decrypts it; not a refusal."""

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"“{purpose}” is encrypted with another secret key; "
            "put that key into WRIT_SECRET_KEYS again, behind the first, and run `writ host reencrypt`."
        )
