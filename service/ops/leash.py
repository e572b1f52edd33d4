"""Processes that end with the one that began them, even when that one dies without a word.

On Linux the system sees to it. Elsewhere a small process stands between the two, and looks whether its parent is still the
same. It reads nothing of Writ's, so that it takes no room.
"""

from __future__ import annotations

import ctypes
import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

LOOK_SECONDS = 0.2
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def begin(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a command that is told to stop when this process dies; `options` are those of `subprocess.Popen`.

    Linux binds it to the thread that calls this, and not only to the process: call it from one that lasts, the main thread.
    """
    if _libc is not None:
        return subprocess.Popen(command, preexec_fn=functools.partial(bind, os.getpid()), **options)
    return subprocess.Popen([sys.executable, "-P", __file__, str(os.getpid()), *command], **options)


def bind(parent: int) -> None:
    """In a child, before it does anything: have it told to stop when its parent dies, or if that has happened already."""
    if _libc is None:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
        return
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def keep(parent: int, command: Sequence[str]) -> int:
    """Run the command, pass on what this process is told, and tell it to stop when the parent is gone; how it ended."""
    told: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _frame: told.append(number))
    child, orphaned = subprocess.Popen(command), False
    while child.poll() is None:
        if not orphaned and os.getppid() != parent:
            orphaned = True
            told.append(signal.SIGTERM)
        while told:
            child.send_signal(told.pop(0))
        time.sleep(LOOK_SECONDS)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


if __name__ == "__main__":
    sys.exit(keep(int(sys.argv[1]), sys.argv[2:]))
