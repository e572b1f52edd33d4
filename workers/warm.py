"""Warm-up of a worker before its pool is forked. Opens no connection: processes must not share one."""

from __future__ import annotations

import contextlib

from billiard.util import get_pdeathsig  # type: ignore[import-untyped]  # Celery's process pool has no types
from celery.signals import celeryd_after_setup
from jinja2 import TemplateError
from sqlalchemy.orm import configure_mappers

from engine.games import GAMES
from engine.language import i18n
from engine.language.i18n import Miswritten
from engine.language.words import Missing
from service import settings
from service.common import bytecode, garbage
from service.games import boards
from service.post import rendering
from service.store import queue


@celeryd_after_setup.connect  # type: ignore[untyped-decorator]  # Celery has no types
def warm_up(sender: str, **_: object) -> None:
    """Load what a worker needs, by its queues, with which its name begins."""
    list(GAMES.values())  # loads the games
    configure_mappers()
    with contextlib.suppress(OSError):
        get_pdeathsig()  # loads a C parser: each child sets this signal when it starts
    if queue.LETTERS in sender:
        bytecode.keep_compiled(rendering.environment(), settings.load().data_folder, bytecode.LETTERS)
        rendering.compile_all()
        for game in GAMES.values():
            with contextlib.suppress(TemplateError, Missing, Miswritten):  # web processes say so: it isn't offered
                boards.render_opening(game)
        i18n.read_catalogues()
    garbage.spare_what_is_loaded()
