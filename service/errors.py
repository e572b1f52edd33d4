"""Refusals of the service itself; like the engine's, each carries a sentence for the person who gets it."""

from __future__ import annotations

from engine.asks import NotUnderstood, Refused
from engine.words import Sentence


class Misread(NotUnderstood):
    """What one field of a form holds can't be taken; `field` is its name, by which the page leads there."""

    def __init__(self, said: Sentence | str, field: str, /) -> None:
        super().__init__(said)
        self.field = field


class Disclosing(NotUnderstood):
    """A text that others would read has a private link or reply address in it; `text` is that text."""

    kind = "disclosing"

    def __init__(self, said: Sentence | str, text: str, /) -> None:
        super().__init__(said)
        self.text = text


class Stale(Refused):
    """The answer is to a question that is no longer open."""

    kind = "stale"


class NotFound(Refused):
    """There is no such thing, or it is not for this person."""

    kind = "not found"


class NotAllowed(Refused):
    """The thing exists, but this person may not do that with it."""

    kind = "not allowed"


class Taken(Refused):
    """Somebody was faster."""

    kind = "taken"


class BadLink(Refused):
    """A link that opens nothing."""

    kind = "bad link"


class LinkForged(BadLink):
    """The signature does not fit: cut off, mistyped, or made up."""


class LinkExpired(BadLink):
    """The link was good once."""


class LinkRevoked(BadLink):
    """The link was called back."""


class LinkUsed(BadLink):
    """The link was good for once, and that was."""


class Banned(BadLink):
    """A link of an account that those who run the service have banned."""

    kind = "banned"


class CannotUnseal(Exception):
    """Something in the database is sealed with a key that this service hasn't got. No refusal: nobody did anything wrong."""

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"What lies sealed in “{purpose}” was sealed with another secret key; "
            "put the key of then into WRIT_SECRET_KEYS again, behind the first, and run `writ host reseal`."
        )
