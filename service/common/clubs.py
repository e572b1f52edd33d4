"""Name, imprint and contact of the house that runs the service, and the domains whose addresses may register: normalised and
validated for the settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from service.common import addresses, headers, text_input

LONGEST_NAME, LONGEST_IMPRINT = 60, 300


@dataclass(frozen=True)
class Club:
    """What pages and letters say of the house: texts, and where its links lead. What isn't set is empty."""

    name: str = ""
    imprint: str = ""
    """Text, or the address of a page."""
    contact: str = ""
    """An e-mail address as people read it, or the address of a page."""
    contact_url: str = ""

    @property
    def imprint_url(self) -> str:
        """The address of the imprint's page; empty where the imprint is text."""
        return self.imprint if is_url(self.imprint) else ""


def club(name: str, imprint: str, contact: str) -> Club:
    """The house by its settings, which were validated."""
    if not contact or is_url(contact):
        return Club(name, imprint, contact, contact)
    return Club(name, imprint, addresses.shown(contact), f"mailto:{quote(contact, safe='@')}")


def is_url(text: str) -> bool:
    """Whether a text is the address of a page, http or https."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not any(c.isspace() for c in text)


def _line(text: str, most: int) -> str:
    """A text of one line that can be shown. Raises ValueError."""
    line = text_input.in_a_line(text)
    if len(line) > most or text_input.unfit(line) or text_input.piled(line) or headers.HIDDEN.search(line):
        raise ValueError("no line that can be shown")
    return line


def clean_name(text: str) -> str:
    """The name of the house. Raises ValueError with a sentence."""
    try:
        return _line(text, LONGEST_NAME)
    except ValueError:
        raise ValueError(
            f"the house's name is plain text of at most {LONGEST_NAME} characters, such as Club of the Rose"
        ) from None


def clean_imprint(text: str) -> str:
    """The imprint: text, or the address of a page. Raises ValueError with a sentence."""
    try:
        line = _line(text, LONGEST_IMPRINT)
    except ValueError:
        line = "://"
    if "://" in line and not is_url(line):
        raise ValueError(
            f"the imprint is plain text of at most {LONGEST_IMPRINT} characters, or the address of a page such as "
            "https://club.example/imprint"
        )
    return line


def clean_contact(text: str) -> str:
    """The contact: an e-mail address, or the address of a page. Raises ValueError with a sentence."""
    text = text.strip()
    if not text or (is_url(text) and len(text) <= LONGEST_IMPRINT and not text_input.unfit(text)):
        return text
    try:
        return addresses.clean(text, utf8=True)
    except ValueError:
        raise ValueError(
            "the contact is an e-mail address such as host@club.example, or the address of a page such as https://club.example/"
        ) from None


def clean_domain(text: str) -> str:
    """A domain of a list, as addresses are kept; one with a dot before it means its subdomains, too. Raises ValueError with a
    sentence."""
    dot, bare = ("." if text.startswith(".") else ""), text.removeprefix(".")
    try:
        found = addresses.clean_domain(bare)
    except ValueError:
        found = ""
    if "." not in found:
        raise ValueError(
            f"“{text[:60]}” is no domain; one looks like club.example, or .club.example for subdomains, too; commas between"
        )
    return dot + found


def among(email: str, domains: Iterable[str]) -> bool:
    """Whether a clean address belongs to one of the domains."""
    own = email.rpartition("@")[2]
    return any(own == one.removeprefix(".") or (one.startswith(".") and own.endswith(one)) for one in domains)
