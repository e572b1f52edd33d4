"""Committed chance: one secret, and for every draw a stream of its own, keyed by what the draw is for.

The server's seed is drawn before the match and its SHA-256 is published; every seat adds entropy when it joins. A draw's
bytes are HMAC-SHA-256(secret, "purpose/number/block"), so a change in one chapter of the rules never shifts the chance of
another, and anybody who is shown the seed can make every draw again.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

T = TypeVar("T")


def commitment(seed: bytes) -> str:
    """What is published of a seed before the match: its SHA-256, in hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


def entropy_of(word: str) -> str:
    """What a player's own word for the shuffles becomes in the header: its SHA-256 as UTF-8, in hexadecimal.

    `printf %s "WORD" | sha256sum` makes the same, so that anybody can look up his own.
    """
    return hashlib.sha256(word.encode()).hexdigest()


def secret(seed: bytes, entropies: Iterable[str]) -> str:
    """The match's secret: SHA-256 over the server's seed and every seat's own entropy in seat order, in hexadecimal."""
    whole = hashlib.sha256(seed)
    for entropy in entropies:
        whole.update(b"\x00" + entropy.encode())
    return whole.hexdigest()


class Chance(msgspec.Struct):
    """The source of every random event of one match; part of the state, never of a view."""

    secret: str
    drawn: dict[str, int] = {}
    """How many draws each purpose has had."""

    def _words(self, purpose: str) -> Iterator[int]:
        n = self.drawn.get(purpose, 0) + 1
        self.drawn[purpose] = n
        return _words(self.secret, f"{purpose}/{n}")

    def shuffle(self, cards: list[T], purpose: str, last: int | None = None) -> None:
        """Shuffle `cards` in place (Fisher-Yates); where only so many of the `last` are to be taken, no more than those."""
        i = len(cards) - 1
        least = 0 if last is None else max(0, i - last)
        if i <= least:
            self._words(purpose)
            return
        # As `_below` draws, in one loop: decks are most of what is drawn, and a call for each card is half of the time.
        for word in self._words(purpose):
            n = i + 1
            if word >= 0x1_0000_0000 - 0x1_0000_0000 % n:
                continue
            j = word % n
            cards[i], cards[j] = cards[j], cards[i]
            i -= 1
            if i == least:
                return

    def below(self, n: int, purpose: str) -> int:
        """A uniform whole number from 0 to n - 1."""
        return _below(self._words(purpose), n)

    def sample(self, n: int, k: int, purpose: str) -> list[int]:
        """`k` different positions out of `n`, in ascending order."""
        pool = list(range(n))
        words = self._words(purpose)
        for i in range(min(k, n)):
            j = i + _below(words, n - i)
            pool[i], pool[j] = pool[j], pool[i]
        return sorted(pool[:k])

    def die(self, sides: int, purpose: str) -> int:
        """The roll of one die, from 1 to `sides`."""
        return 1 + self.below(sides, purpose)


GUESSES = 1 << 32
"""So many guesses there are: a seed is below it."""
_MASK = (1 << 64) - 1


class Guess(Chance):
    """Chance where nothing is committed: a plain seeded generator, for copies that players think with.

    It is Knuth's linear congruence modulo 2^64, of which the upper half is used; a shuffle stretches one number of it. What a
    draw is for is all one to it, and a bias of less than one in 2^25 too.
    """

    at: int = 0

    def shuffle(self, cards: list[T], purpose: str, last: int | None = None) -> None:
        size = len(cards)
        least = 0 if last is None else max(0, size - 1 - last)
        if size - 1 > least:
            seed = self.below(1 << 32, purpose).to_bytes(4, "big")
            count = size - 1 - least
            for word in struct.unpack(f">{count}I", hashlib.shake_128(seed).digest(4 * count)):
                j = word * size >> 32
                size -= 1
                cards[size], cards[j] = cards[j], cards[size]

    def below(self, n: int, purpose: str) -> int:  # noqa: ARG002 - as its base is called
        self.at = at = (self.at * 6364136223846793005 + 1442695040888963407) & _MASK
        return (at >> 32) * n >> 32

    def sample(self, n: int, k: int, purpose: str) -> list[int]:
        pool = list(range(n))
        self.shuffle(pool, purpose, k)
        return sorted(pool[max(0, n - k) :])


def guess(seed: int) -> Guess:
    """The generator of a seed; seeds side by side begin far from each other."""
    return Guess("", {}, (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & _MASK)


_WORDS = struct.Struct(">8I").unpack


def keyed_hash(key: str, text: str) -> bytes:
    """HMAC-SHA-256 of a text (RFC 2104)."""
    return hmac.digest(key.encode(), text.encode(), "sha256")


def _below(words: Iterator[int], n: int) -> int:
    """A number below n, without bias: words past the last whole multiple of n are thrown away."""
    limit = 0x1_0000_0000 - 0x1_0000_0000 % n
    for word in words:
        if word < limit:
            return word % n
    raise AssertionError  # there is no last word


def _words(key: str, label: str) -> Iterator[int]:
    """The 32-bit words of one draw; there is no last one."""
    block = 0
    while True:
        yield from _WORDS(keyed_hash(key, f"{label}/{block}"))
        block += 1
