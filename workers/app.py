"""The Celery app of this process: `celery -A workers.app worker`, `celery -A workers.app beat`."""

from __future__ import annotations

from service.queue import SWEEP, celery_for
from service.settings import load

SWEEP_SECONDS = 10.0

app = celery_for(load())
app.conf.beat_schedule = {"sweep": {"task": SWEEP, "schedule": SWEEP_SECONDS, "options": {"expires": SWEEP_SECONDS}}}
app.conf.beat_schedule_filename = str(load().data_folder / "beat")
app.conf.include = ["workers.tasks"]
app.conf.worker_redirect_stdouts = False  # what the tasks log is whole lines already
