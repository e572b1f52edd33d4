"""Committed randomness from one secret per match.

The server publishes its seed's SHA-256 before the match; every seat adds entropy. A draw's bytes are HMAC-SHA-256(secret,
"purpose/number/block"), so changing one rule doesn't shift other draws.
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
    """Published commitment to a seed: SHA-256 hex."""
    return hashlib.sha256(seed).hexdigest()


def entropy_of(word: str) -> str:
    """A player's entropy in the header: SHA-256 hex of UTF-8, as `printf %s "WORD" | sha256sum` prints it."""
    return hashlib.sha256(word.encode()).hexdigest()


def secret(seed: bytes, entropies: Iterable[str]) -> str:
    """The match's secret: SHA-256 hex of the server's seed and the seats' entropies in order."""
    whole = hashlib.sha256(seed)
    for entropy in entropies:
        whole.update(b"\x00" + entropy.encode())
    return whole.hexdigest()


class Chance(msgspec.Struct):
    """A match's random source; part of the state, never of a view."""

    secret: str
    drawn: dict[str, int] = {}

    def _words(self, purpose: str) -> Iterator[int]:
        n = self.drawn.get(purpose, 0) + 1
        self.drawn[purpose] = n
        return _words(self.secret, f"{purpose}/{n}")

    def shuffle(self, cards: list[T], purpose: str, last: int | None = None) -> None:
        """Shuffle in place (Fisher-Yates); with `last`, only that many cards from the end."""
        i = len(cards) - 1
        least = 0 if last is None else max(0, i - last)
        if i <= least:
            self._words(purpose)
            return
        # `_below`, inlined: a call for each card doubles the time.
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
        """Uniform integer from 0 to n - 1."""
        return _below(self._words(purpose), n)

    def sample(self, n: int, k: int, purpose: str) -> list[int]:
        """`k` different indices below `n`, ascending."""
        pool = list(range(n))
        words = self._words(purpose)
        for i in range(min(k, n)):
            j = i + _below(words, n - i)
            pool[i], pool[j] = pool[j], pool[i]
        return sorted(pool[:k])

    def die(self, sides: int, purpose: str) -> int:
        return 1 + self.below(sides, purpose)


GUESSES = 1 << 32
_MASK = (1 << 64) - 1


class Guess(Chance):
    """Fast uncommitted generator: Knuth's linear congruential, modulo 2^64, upper half. Ignores purposes; bias below 2^-25."""

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
    """Seed a `Guess`; consecutive seeds end up far apart."""
    return Guess("", {}, (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & _MASK)


_WORDS = struct.Struct(">8I").unpack


def keyed_hash(key: str, text: str) -> bytes:
    """HMAC-SHA-256 (RFC 2104)."""
    return hmac.digest(key.encode(), text.encode(), "sha256")


def _below(words: Iterator[int], n: int) -> int:
    """Unbiased number below n, by rejection sampling."""
    limit = 0x1_0000_0000 - 0x1_0000_0000 % n
    for word in words:
        if word < limit:
            return word % n
    raise AssertionError  # the stream is endless


def _words(key: str, label: str) -> Iterator[int]:
    block = 0
    while True:
        yield from _WORDS(keyed_hash(key, f"{label}/{block}"))
        block += 1
