"""What is refused in tests of rules is said in words at once: a sentence that isn't there, or lacks a fact, fails the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.core.asks import Refused
from engine.language.words import Message

MADE_UP = ("ask.x", "fair.five")
"""Codes that tests make up, to which there are no words."""


@pytest.fixture(scope="package", autouse=True)
def every_refusal_is_worded() -> Iterator[None]:
    """Sentences are data until somebody reads them; here somebody does."""
    made = Refused.__init__

    def worded(self: Refused, said: Message | str, /) -> None:
        made(self, said)
        if isinstance(said, str) or said.code not in MADE_UP:
            assert str(self), "a refusal says why"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Refused, "__init__", worded)
        yield
