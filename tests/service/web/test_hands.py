"""The threads that make pages."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import pytest

from service.web.hands import Hands
from tests.aside import aside

T = TypeVar("T")


def in_loop(deed: Callable[[Hands], Awaitable[T]], most: int = 3) -> T:
    """What comes of a deed with so many threads at the most; they have ended when it is back."""
    hands = Hands(most)

    async def run() -> T:
        try:
            return await deed(hands)
        finally:
            hands.close()

    found = aside(run())
    assert not any(thread.is_alive() for thread in hands._all)
    return found


def who() -> str:
    time.sleep(0.01)
    return threading.current_thread().name


def test_whoever_rested_last_works_first_and_nobody_else_is_begun() -> None:
    async def deed(hands: Hands) -> tuple[set[str], list[str], set[str]]:
        one = {await hands.make(who) for _ in range(5)}
        crowd = list(await asyncio.gather(*(hands.make(who) for _ in range(20))))
        return one, crowd, {await hands.make(who) for _ in range(5)}

    first, crowd, again = in_loop(deed)
    assert len(first) == 1 and len(crowd) == 20 and len(set(crowd)) == 3 and len(again) == 1


def test_what_waits_for_a_thread_is_made_in_turn() -> None:
    made: list[int] = []

    async def deed(hands: Hands) -> None:
        await asyncio.gather(*(hands.make(partial(made.append, n)) for n in range(50)))

    in_loop(deed, most=1)
    assert made == list(range(50))


def test_what_breaks_is_raised_where_it_is_awaited_and_what_nobody_awaits_harms_nothing() -> None:
    def broken() -> None:
        raise ZeroDivisionError

    async def deed(hands: Hands) -> bool:
        with pytest.raises(ZeroDivisionError):
            await hands.make(broken)
        gone = asyncio.ensure_future(hands.make(who))
        gone.cancel()
        assert await hands.make(lambda: 7) == 7
        return True

    assert in_loop(deed)


def test_pages_that_are_begun_are_ended_before_the_process_goes() -> None:
    ended: list[bool] = []

    def slowly() -> None:
        time.sleep(0.3)
        ended.append(True)

    async def deed(hands: Hands) -> None:
        page = asyncio.ensure_future(hands.make(slowly))
        await asyncio.sleep(0.05)
        page.cancel()

    in_loop(deed)
    assert ended == [True]
