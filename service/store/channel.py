"""Kombu's channel to Redis, as we need it: it bears a lost connection, and keeps its client."""

from __future__ import annotations

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as BrokerGone


class Channel(redis.Channel):
    """Kombu's channel, with the error that it owes us when its connection is gone, and with one client.

    When the broker dies while messages are not acknowledged yet, Kombu gives them back, or acknowledges them, on a channel
    that has lost its connection, and stumbles over None: an AttributeError, which ends the worker. A lost connection it
    takes up again.

    For each message that it sends, or acknowledges, it makes a client anew, which costs more than to send it; clients hold
    nothing but their pool of connections.
    """

    _kept: Any = None

    def _connparams(self, *args: Any, **kwargs: Any) -> Any:
        if self.connection is None or self.connection.client is None:
            raise BrokerGone("The connection to the broker is gone.")
        return super()._connparams(*args, **kwargs)  # type: ignore[no-untyped-call]  # kombu's

    def _create_client(self, asynchronous: bool = False) -> Any:
        if asynchronous:
            return super()._create_client(asynchronous)  # type: ignore[no-untyped-call]  # kombu's
        if self._kept is None or self._kept.connection_pool is not self.pool:
            self._kept = super()._create_client()  # type: ignore[no-untyped-call]  # kombu's
        return self._kept


def use() -> None:
    """Have all of this process's channels be of this kind."""
    redis.Transport.Channel = Channel
