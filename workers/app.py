"""The Celery app of this process: `python -m workers worker`, `python -m workers beat`."""

from __future__ import annotations

import warnings

from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from celery.signals import worker_ready

from service.ops import logs
from service.settings import load
from service.store.queue import SWEEP, celery_for

# Six lines, twice, and about pickled tasks, which we don't take; `writ up` says in one that it runs as root.
warnings.filterwarnings("ignore", category=SecurityWarning, module=r"celery\.platforms")


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
