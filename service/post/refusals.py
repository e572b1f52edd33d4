"""What a mail server's refusal tells: something about the address, about this one letter, or only to try again later.

RFC 5321 has the basic codes, RFC 3463 and RFC 5248 the enhanced ones. Most refusals are about what a letter holds or where
it comes from; only those that say that there is no such mailbox are evidence against an address.
"""

from __future__ import annotations

import re
from typing import Literal

Meaning = Literal["address", "letter", "later"]

ENHANCED = re.compile(r"\s*([245])\.([0-9]{1,3})\.([0-9]{1,3})(?![0-9.])")
DIAGNOSTIC = re.compile(r"(?:[a-z0-9-]{1,20} ?;)?\s*([245][0-9][0-9])[ -]?(.*)", re.S | re.I)
NOBODY = frozenset(((1, 1), (1, 2), (1, 3), (1, 6), (1, 10), (2, 1), (4, 4)))
"""No such mailbox, no such host, no such form of address, moved away, takes no mail, switched off, no way there."""
FULL = (2, 2)
POLICY = re.compile(r"spam|polic|block|black ?list|listed|reputation|spf|dkim|dmarc|virus|content|junk|denied|relay", re.I)
"""Words by which servers without enhanced codes say that they don't want the letter, or don't want it from here."""


def meaning(code: int, words: str, to_address: bool = False) -> Meaning:
    """What a server's answer tells. `to_address`: it was given to the address, before the server had seen the letter."""
    if code < 500:
        return "later"
    enhanced = ENHANCED.match(words)
    if enhanced:
        return _by_status(int(enhanced[2]), int(enhanced[3]))
    if code == 552:
        return "later"
    return "address" if code in (550, 551) and to_address and not POLICY.search(words) else "letter"


def reported(status: str, diagnostic: str) -> Meaning:
    """What a report of failure tells (RFC 3464): its status, or the words of the server that it quotes."""
    found = ENHANCED.match(status)
    if found and found[1] == "4":
        return "later"
    if found and int(found[2]):
        return _by_status(int(found[2]), int(found[3]))
    quoted = DIAGNOSTIC.match(diagnostic)
    # By whom and when the code was given isn't known, so that one without an enhanced code is no evidence.
    return meaning(int(quoted[1]), quoted[2]) if quoted else "letter"


def _by_status(subject: int, detail: int) -> Meaning:
    if (subject, detail) == FULL:
        return "later"
    return "address" if (subject, detail) in NOBODY else "letter"
