"""Warm-up of a worker: load games, letter templates and catalogues before its pool is forked, so that the processes share them.

It opens no connection: processes must not share one.
"""

from __future__ import annotations

import gc

from celery.signals import celeryd_after_setup

from engine.games import GAMES
from service.common import i18n
from service.games import lobby
from service.post import rendering
from service.store import queue


@celeryd_after_setup.connect  # type: ignore[untyped-decorator]  # Celery's
def warm_up(sender: str, **_: object) -> None:
    """Load what the worker of that name needs: it begins with its queues."""
    list(GAMES.values())  # each is read when it is first asked for
    if queue.LETTERS in sender:
        rendering.compile_all()
        lobby.offered()
        i18n.read_catalogues()
    gc.collect()
    gc.freeze()  # a collection in a child would write to every object, and so copy it
