"""What is made once and kept is made before a worker takes its first task, and before its processes are forked from it."""

from __future__ import annotations

import os

from celery.signals import celeryd_after_setup

from engine.games import GAMES
from service.common import i18n
from service.common.settled import settle
from service.games import lobby
from service.post import rendering
from service.store import queue
from workers.app import app

LATER = 5
"""By how much a letter comes after pages and moves where all want the processor: it gets a third of what they get. What is
answered before its letter is written needs none."""


def share() -> None:
    """All that workers need, in a process that they are forked from."""
    _for_play()
    _for_letters()
    app.finalize()


@celeryd_after_setup.connect  # type: ignore[untyped-decorator]  # Celery's
def _begin(sender: str, **_: object) -> None:
    """What the worker of that name needs: it begins with that of its queue."""
    if sender.startswith(f"{queue.LETTERS}@"):
        _for_letters()
        os.nice(LATER)
    else:
        _for_play()
    settle()


def _for_play() -> None:
    list(GAMES.values())


def _for_letters() -> None:
    rendering.compile_all()
    lobby.offered()
    i18n.read_catalogues()
