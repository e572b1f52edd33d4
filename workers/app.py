"""The Celery app of the workers and of the beat; `workers.__main__` runs it."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from typing import Any

from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from celery.signals import worker_ready
from celery.worker import state

from service.ops import logs
from service.settings import load
from service.store.queue import SWEEP, celery_for

# Six lines, twice, about pickled tasks, which we don't accept; `writ up` says in one line that it runs as root.
warnings.filterwarnings("ignore", category=SecurityWarning, module=r"celery\.platforms")


@worker_ready.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _quieten(**_: object) -> None:
    """Silence a warning at every lost connection about a default that we have set."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)


@worker_ready.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _watch_beat(sender: Any, **_: object) -> None:
    """Stop the worker when its beat process ends: Celery doesn't restart beat."""
    if (beat := sender.controller.beat) is not None:
        threading.Thread(target=_stop_after, args=(beat,), daemon=True).start()


def _stop_after(beat: Any) -> None:
    beat.join()
    if state.should_stop is None and state.should_terminate is None:
        os.kill(os.getpid(), signal.SIGTERM)


EVERY = load().sweep_seconds

logs.configure(prints_letters=not load().smtp_url)
app = celery_for(load())
app.conf.beat_schedule = {"sweep": {"task": SWEEP, "schedule": EVERY, "options": {"expires": EVERY}}}
app.conf.beat_schedule_filename = str(load().data_folder / "beat")
app.conf.include = ["workers.tasks", "workers.warm"]
app.conf.worker_redirect_stdouts = False  # tasks log whole lines already
