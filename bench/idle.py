"""Benchmark: idle memory of `writ up`, all processes, shared pages counted once (PSS). Linux only.

    python bench/idle.py [--seconds 20]

One line a process, and one for all of them.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from bench.figures import family, figure, machine
from service.ops import up
from service.tools.demo import free_port

READY = "/readyz"


def memory(pid: int) -> float:
    """PSS in MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def name(pid: int) -> str:
    """What the process runs: its program or module."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    found = words[words.index(b"-m") + 1] if b"-m" in words else words[0]
    return found.decode().partition(" ")[0].rpartition("/")[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20.0, help="How long it is left alone before it is measured.")
    given = parser.parse_args()
    machine()
    with tempfile.TemporaryDirectory(prefix="writ-bench-") as folder:
        port = free_port()
        env = {**os.environ, "WRIT_DATA_FOLDER": folder, "WRIT_PORT": str(port)}
        command = [sys.executable, "-m", "service.ops.cli", "up"]
        with open(Path(folder) / "log", "wb") as log:
            running = subprocess.Popen(command, cwd=sys.path[0], env=env, stdout=log, stderr=log)
        try:
            assert up.answers(f"http://127.0.0.1:{port}{READY}"), (Path(folder) / "log").read_text()
            time.sleep(given.seconds)
            each = [(name(pid), memory(pid)) for pid in sorted(family({running.pid}))]
        finally:
            running.send_signal(signal.SIGTERM)
            running.wait()
    for program, megabytes in each:
        figure(f"idle_{program}", megabytes, "MB")
    figure("idle", sum(megabytes for _, megabytes in each), "MB", processes=len(each))


if __name__ == "__main__":
    main()
