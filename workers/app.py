"""The Celery app of workers and beat; `workers.__main__` runs it."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from typing import Any

import click
from celery import bootsteps
from celery.beat import EmbeddedService
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
    """Silence a warning at every lost connection, about a default that we set."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)


class BeatThread(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery has no types
    """Beat as a thread of the worker: Celery's `--beat` forks a process, 40 of the 370 MB of an idle `writ up`."""

    def __init__(self, worker: Any, beat_thread: bool = False, **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = beat_thread

    def create(self, worker: Any) -> Any:
        return EmbeddedService(worker.app, thread=True)

    def start(self, _worker: Any) -> None:
        self.obj.start()
        threading.Thread(target=_stop_after, args=(self.obj,), daemon=True).start()

    def stop(self, _worker: Any) -> None:
        if self.obj.is_alive():
            self.obj.stop()

    terminate = stop


def _stop_after(beat: threading.Thread) -> None:
    """Stop the worker when its beat ends: nothing else restarts it."""
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
app.steps["worker"].add(BeatThread)
app.user_options["worker"].add(click.Option(["--beat-thread"], is_flag=True, help="Run beat as a thread of this worker."))
