"""E-mail address normalisation, with internationalised domains (IDNA) and UTF-8 local parts (RFC 6531).

The stored form is lower case with an ASCII domain (`xn--…`); `shown` decodes it.
"""

from __future__ import annotations

import re
from unicodedata import normalize

import idna

from service.common import headers, text_input

LONGEST, LONGEST_LOCAL = 254, 64
"""Bytes of an address and of its local part (RFC 5321)."""
LOCAL = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~.-]+")
DOMAIN = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*")
FORBIDDEN = re.compile(r"[\x00-\x20\x7f\"(),:;<>@\[\\\]]")
"""Not allowed in an unquoted local part."""


def clean(text: str) -> str:
    """Normalise an address; its local part may be in any script. Raises ValueError."""
    local, at, domain = normalize("NFC", text.strip()).lower().rpartition("@")
    email = f"{local}@{_ascii(domain)}"
    good = at and all(local.split(".")) and (LOCAL.fullmatch(local) or _in_unicode(local))
    if not good or headers.is_encoded(email) or len(local.encode()) > LONGEST_LOCAL or len(email.encode()) > LONGEST:
        raise ValueError("no e-mail address")
    return email


def clean_domain(text: str) -> str:
    """Normalise a domain. Raises ValueError."""
    return _ascii(normalize("NFC", text.strip()).lower())


def _ascii(domain: str) -> str:
    if not domain.isascii():
        try:
            domain = idna.encode(domain, uts46=True, std3_rules=True).decode()
        except idna.IDNAError as problem:
            raise ValueError("no domain") from problem
    if not DOMAIN.fullmatch(domain):
        raise ValueError("no domain")
    return domain


def _in_unicode(local: str) -> bool:
    fit = not (text_input.unfit(local) or text_input.piled(local) or text_input.in_a_line(local) != local)
    return not local.isascii() and fit and not FORBIDDEN.search(local) and headers.shown(local) == local and " " not in local


def mailbox(email: str) -> str:
    """An address without subaddress (`+tag`, RFC 5233), for limits: all of them reach one person."""
    local, at, domain = email.rpartition("@")
    return f"{local.partition('+')[0] or local}{at}{domain}"


def shown(email: str) -> str:
    """An address with its domain decoded, if reversible."""
    local, _, domain = email.rpartition("@")
    if "xn--" not in domain:
        return email
    try:
        read = f"{local}@{idna.decode(domain)}"
        return read if clean(read) == email else email
    except (idna.IDNAError, ValueError):
        return email
