"""The threads that make pages.

The standard library's pool wakes a second thread with each piece of work, which finds nothing to do, and gives the work to all
in turns. Here the thread that rested last works first, for what it needs is still at hand, and nobody else is woken.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any

Told = Callable[[], object]
Work = Callable[[], Told]
"""Makes something, and gives what tells of it."""


class Hands:
    """At most so many threads, each begun when it is needed first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._all: list[threading.Thread] = []
        self._resting: list[SimpleQueue[Work | None]] = []
        """What each of those waits for who have nothing to do, the one who rested last at the end."""
        self._waiting: deque[Work] = deque()
        self._closed = False

    def make(self, page: Callable[[], Any]) -> asyncio.Future[Any]:
        """Have something made by a thread as soon as one is free; what comes of it, in the loop that asks."""
        loop = asyncio.get_running_loop()
        made: asyncio.Future[Any] = loop.create_future()

        def work() -> Told:
            tell: Callable[[Any], None] = made.set_result
            try:
                found = page()
            except BaseException as problem:  # it is raised where the page is awaited
                tell, found = made.set_exception, problem
            return partial(loop.call_soon_threadsafe, _settle, made, tell, found)

        with self._lock:
            if self._resting:
                self._resting.pop().put(work)
            elif len(self._all) < self.most:
                thread = threading.Thread(target=self._serve, args=(work,), name=f"page_{len(self._all)}", daemon=True)
                self._all.append(thread)
                thread.start()
            else:
                self._waiting.append(work)
        return made

    def close(self) -> None:
        """Let all of them end what they are at, and wait until they have."""
        with self._lock:
            self._closed = True
            for bell in self._resting:
                bell.put(None)
        for thread in self._all:
            thread.join()

    def _serve(self, work: Work | None) -> None:
        """What a thread does all its life, from its first work on."""
        bell = SimpleQueue[Work | None]()
        while work is not None:
            tell = work()
            with self._lock:
                work = self._waiting.popleft() if self._waiting else None
                rests = work is None and not self._closed
                if rests:
                    self._resting.append(bell)  # before it is told, so that what is asked for next comes here
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                tell()
            del tell  # with all that was made
            if rests:
                work = bell.get()


def _settle(made: asyncio.Future[Any], tell: Callable[[Any], None], found: Any) -> None:
    if not made.done():  # it is awaited no more
        tell(found)
