"""The house's name, imprint, contact and registration domains, validated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from service.common import addresses, headers, text_input

LONGEST_NAME, LONGEST_IMPRINT = 60, 300


@dataclass(frozen=True)
class Club:
    name: str = ""
    imprint: str = ""
    """Text or a page's URL."""
    contact: str = ""
    """Address or URL, for display."""
    contact_url: str = ""

    @property
    def imprint_url(self) -> str:
        """URL of the imprint; empty if it is text."""
        return self.imprint if is_url(self.imprint) else ""


def club(name: str, imprint: str, contact: str) -> Club:
    if not contact or is_url(contact):
        return Club(name, imprint, contact, contact)
    return Club(name, imprint, addresses.shown(contact), f"mailto:{quote(contact, safe='@')}")


def is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not any(c.isspace() for c in text)


@contextmanager
def saying(words: str) -> Iterator[None]:
    """Replace the words of a ValueError."""
    try:
        yield
    except ValueError:
        raise ValueError(words) from None


def _line(text: str, most: int) -> str:
    line = text_input.in_a_line(text)
    if len(line) > most or text_input.unfit(line) or text_input.piled(line) or headers.HIDDEN.search(line):
        raise ValueError("no line that can be shown")
    return line


def clean_name(text: str) -> str:
    """Normalise a house's name. Raises ValueError."""
    with saying(f"the house's name is plain text of at most {LONGEST_NAME} characters, such as Club of the Rose"):
        return _line(text, LONGEST_NAME)


def clean_imprint(text: str) -> str:
    """Validate text or URL. Raises ValueError."""
    with saying(
        f"the imprint is plain text of at most {LONGEST_IMPRINT} characters, or the address of a page such as "
        "https://club.example/imprint"
    ):
        line = _line(text, LONGEST_IMPRINT)
        if "://" in line and not is_url(line):
            raise ValueError("no URL")
        return line


def clean_contact(text: str) -> str:
    """Validate address or URL. Raises ValueError."""
    text = text.strip()
    if not text or (is_url(text) and len(text) <= LONGEST_IMPRINT and not text_input.unfit(text)):
        return text
    with saying(
        "the contact is an e-mail address such as host@club.example, or the address of a page such as https://club.example/"
    ):
        return addresses.clean(text)


def clean_domain(text: str) -> str:
    """Normalise a domain; a leading dot includes subdomains. Raises ValueError."""
    dot, bare = ("." if text.startswith(".") else ""), text.removeprefix(".")
    with saying(
        f"“{text[:60]}” is no domain; one looks like club.example, or .club.example for subdomains, too; commas between"
    ):
        found = addresses.clean_domain(bare)
        if "." not in found:
            raise ValueError("no domain")
        return dot + found


def among(email: str, domains: Iterable[str]) -> bool:
    own = email.rpartition("@")[2]
    return any(own == one.removeprefix(".") or (one.startswith(".") and own.endswith(one)) for one in domains)
