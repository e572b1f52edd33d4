"""Celery's commands for this project: `python -m workers worker …`, `python -m workers beat …`.

`celery --app workers.app` does the same, but imports prompt_toolkit for an interactive shell: 8 MB more in every process.
"""

from __future__ import annotations

import sys

import click
from celery.bin.base import CLIContext
from celery.bin.beat import beat
from celery.bin.worker import worker

from workers.app import app

worker.params.extend(app.user_options["worker"])
main = click.Group("workers", commands={"worker": worker, "beat": beat})

if __name__ == "__main__":
    main(sys.argv[1:], obj=CLIContext(app, no_color=True, workdir=None, quiet=True))
