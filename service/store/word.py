"""The worker's word on an answer, told to the web process that waits as soon as it is committed, so that no page looks for it.

It goes through the broker, to the one process that the answer came in by, if it listens just then. It may be lost: a page that
waits for it waits a moment and no longer, and the row is the truth.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache

from redis import Redis
from redis import asyncio as aioredis
from redis.exceptions import RedisError
from sqlalchemy import event
from sqlmodel import Session

from service.settings import Settings
from service.store import broker
from service.store.database import settings_of
from service.store.models import Submission, SubmissionStatus

CHANNEL = "writ-word"
SILENCE = 5.0
"""Seconds for which a broker that couldn't be reached isn't told anything."""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
"""Seconds until one who listens turns to a broker again that is away."""
MOST_KEPT = 2000
"""Words that came before anybody waited for them: the worker may be quicker than the page."""
Word = tuple[str, str, str]
"""The mark of the ear that it is for, the submission's id, and its status."""
_silent_until: dict[str, float] = {}
"""By address."""


# --- telling ----------------------------------------------------------------------------------------------------------


def after_commit(session: Session, submissions: list[Submission]) -> None:
    """Tell what becomes of these in the session's transaction once it is committed; nothing of those that stay queued."""
    session.info["of"] = submissions


@event.listens_for(Session, "after_commit", insert=True)
def _tell(session: Session) -> None:
    """Before any task is sent, for a page waits for it."""
    if not session.info.get("of") or session.in_nested_transaction():
        return
    told, session.info["of"] = session.info["of"], []
    words = [(row.ear, row.id, str(row.status)) for row in told if row.ear and row.status != SubmissionStatus.QUEUED]
    tell(settings_of(session), words)


def tell(settings: Settings, words: Sequence[Word]) -> None:
    """Tell what became of submissions. Where there is no broker, nobody hears it."""
    address = broker.unix_url(settings)
    if not words or not address.startswith(("redis", "unix")) or time.monotonic() < _silent_until.get(address, 0):
        return
    try:
        server = _server(address)
        for ear, id, status in words:
            server.publish(channel_of(address, ear), f"{id} {status}")
    except (RedisError, OSError):
        _silent_until[address] = time.monotonic() + SILENCE  # and no line in the log: that the broker is away, the queue says


def channel_of(address: str, ear: str) -> str:
    """The channel of an ear of the house whose broker this is: houses that share a server of Redis have a database of it each,
    and channels go through all of them."""
    return f"{CHANNEL}-{_server(address).connection_pool.connection_kwargs.get('db', 0)}-{ear}"


@cache
def _server(address: str) -> Redis:
    return Redis.from_url(address, socket_connect_timeout=1, socket_timeout=1)


# --- hearing ----------------------------------------------------------------------------------------------------------


class Ear:
    """What one process hears: a single connection for all that wait, in its event loop; nobody holds a thread meanwhile."""

    def __init__(self, settings: Settings) -> None:
        self.address = broker.unix_url(settings)
        self.mark = secrets.token_hex(4)
        """What it is called by in the rows of answers that it waits for."""
        self.listening = False
        self._heard: OrderedDict[str, str] = OrderedDict()
        self._waiting: dict[str, set[asyncio.Future[str]]] = {}

    async def word(self, id: str, seconds: float) -> str:
        """What became of a submission; empty if it isn't told in time, or nobody is there to tell it."""
        if id in self._heard:
            return self._heard[id]
        if not self.listening:
            return ""
        # One for each who waits: the same form may have come twice.
        waits: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(id, set()).add(waits)
        try:
            return await asyncio.wait_for(waits, seconds)
        except TimeoutError:
            return ""
        finally:
            self._waiting.get(id, set()).discard(waits)
            if not self._waiting.get(id, True):
                del self._waiting[id]

    async def listen(self) -> None:
        """Listen until cancelled; when the broker is away, turn to it again after a growing pause."""
        if not self.address.startswith(("redis", "unix")):
            return
        pause = SHORTEST_PAUSE
        while True:
            try:
                async with aioredis.from_url(self.address, socket_connect_timeout=2) as server, server.pubsub() as told:
                    await told.subscribe(channel_of(self.address, self.mark))
                    async for message in told.listen():
                        if message["type"] == "subscribe":
                            self.listening, pause = True, SHORTEST_PAUSE
                        elif message["type"] == "message":
                            self._hear(message["data"])
            except (RedisError, OSError):
                pass
            finally:
                self.listening = False
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    def _hear(self, said: bytes) -> None:
        id, _, status = said.decode(errors="replace").partition(" ")
        self._heard[id] = status
        while len(self._heard) > MOST_KEPT:
            self._heard.popitem(last=False)
        for waits in self._waiting.pop(id, ()):
            if not waits.done():
                waits.set_result(status)
