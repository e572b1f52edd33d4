"""The Celery app of this process: `celery -A workers.app worker`, `celery -A workers.app beat`."""

from __future__ import annotations

from service import logs
from service.queue import SWEEP, celery_for
from service.settings import load

EVERY = load().sweep_seconds

logs.configure(postman=not load().smtp_url)
app = celery_for(load())
app.conf.beat_schedule = {"sweep": {"task": SWEEP, "schedule": EVERY, "options": {"expires": EVERY}}}
app.conf.beat_schedule_filename = str(load().data_folder / "beat")
app.conf.include = ["workers.tasks"]
app.conf.worker_redirect_stdouts = False  # what the tasks log is whole lines already
