"""What is made once and kept is made before a worker takes its first task, and before its processes are forked from it."""

from __future__ import annotations

import gc

from celery.signals import celeryd_after_setup

from engine.games import GAMES
from service.games import lobby
from service.ground import words
from service.post import rendering
from service.store import queue
from workers.app import app


def share() -> None:
    """All that workers need, in a process that they are forked from."""
    _for_play()
    _for_letters()
    app.finalize()


@celeryd_after_setup.connect  # type: ignore[untyped-decorator]  # Celery's
def _begin(sender: str, **_: object) -> None:
    """What the worker of that name needs: it begins with that of its queue."""
    (_for_letters if sender.startswith(f"{queue.LETTERS}@") else _for_play)()
    # All this stays: it needn't be looked through for what nobody refers to any more.
    gc.collect()
    gc.freeze()


def _for_play() -> None:
    list(GAMES.values())


def _for_letters() -> None:
    rendering.compile_all()
    lobby.offered()
    words.read_catalogues()
