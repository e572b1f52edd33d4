"""Celery's command for this project: `python -m workers worker …`, `python -m workers beat …`.

The two that are needed, each by itself: the command that has all of them reads a prompt with completion besides, which takes
5 MB of every process.
"""

from __future__ import annotations

import sys

from celery.bin.base import CLIContext
from celery.bin.beat import beat
from celery.bin.worker import worker

# Before Celery starts: it puts the current directory first on the path, where another `engine` may lie.
import workers.tasks  # so that the tasks are known
import workers.warm  # noqa: F401  (so that it hears of the start)
from workers.app import app

COMMANDS = {"worker": worker, "beat": beat}


def main(words: list[str]) -> None:
    """Run one of them until it is told to stop."""
    if not words or words[0] not in COMMANDS:
        sys.exit(f"There is no such command; there is: {', '.join(COMMANDS)}.")
    COMMANDS[words[0]].main(words[1:], "workers " + words[0], obj=CLIContext(app, no_color=True, workdir=None, quiet=True))


if __name__ == "__main__":
    main(sys.argv[1:])
