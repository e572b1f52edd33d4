"""The Celery app of this process: `python -m workers worker`, `python -m workers beat`."""

from __future__ import annotations

import warnings
from typing import Any

from celery.exceptions import CPendingDeprecationWarning
from celery.signals import worker_ready
from kombu.transport import redis
from redis.exceptions import ConnectionError as BrokerGone

from service.ops import logs
from service.settings import load
from service.store.queue import SWEEP, celery_for


class Channel(redis.Channel):
    """Kombu's channel, with the error that it owes us when its connection is gone.

    When the broker dies while messages are not acknowledged yet, Kombu gives them back, or acknowledges them, on a channel
    that has lost its connection, and stumbles over None: an AttributeError, which ends the worker. A lost connection it
    takes up again.
    """

    def _connparams(self, *args: Any, **kwargs: Any) -> Any:
        if self.connection is None or self.connection.client is None:
            raise BrokerGone("The connection to the broker is gone.")
        return super()._connparams(*args, **kwargs)  # type: ignore[no-untyped-call]  # kombu's


redis.Transport.Channel = Channel


@worker_ready.connect  # type: ignore[untyped-decorator]  # Celery's
def _quieten(**_: object) -> None:
    """No word at every lost connection about a default that we have set."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)


EVERY = load().sweep_seconds

logs.configure(postman=not load().smtp_url)
app = celery_for(load())
app.conf.beat_schedule = {"sweep": {"task": SWEEP, "schedule": EVERY, "options": {"expires": EVERY}}}
app.conf.beat_schedule_filename = str(load().data_folder / "beat")
app.conf.include = ["workers.tasks"]
app.conf.worker_redirect_stdouts = False  # what the tasks log is whole lines already
