"""Celery's command for this project: `python -m workers worker …`, `python -m workers beat …`."""

from __future__ import annotations

import sys

# Before Celery starts: it puts the current directory first on the path, where another `engine` may lie.
import workers.tasks  # so that the tasks are known
import workers.warm  # noqa: F401  (so that it hears of the start)
from workers.app import app

app.start(sys.argv[1:])
