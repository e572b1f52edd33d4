"""Benchmark: idle memory of `writ up`, all processes, shared pages counted once (PSS). Linux only.

    python bench/idle.py [--seconds 20]

Baseline: one process that has imported the same modules.
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

from bench.figures import figure, machine
from service.ops import leash, supervise
from service.tools.demo import free_port

ALONE = "import sys; from service.ops import forks; forks.preload(); print('read', flush=True); sys.stdin.read()"
READY = "/readyz"


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    own = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(found for child in own for found in family(int(child)))]


def memory(pid: int) -> float:
    """PSS in MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def alone(env: dict[str, str]) -> float:
    """MB of one process that has imported Writ."""
    command = [sys.executable, "-c", ALONE]
    with subprocess.Popen(command, cwd=sys.path[0], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one:
        assert one.stdout is not None and one.stdout.readline() == b"read\n"
        found = memory(one.pid)
        one.communicate()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20.0, help="How long it is left alone before it is measured.")
    given = parser.parse_args()
    machine()
    with tempfile.TemporaryDirectory(prefix="writ-bench-") as folder:
        port = free_port()
        env = {**os.environ, "WRIT_DATA_FOLDER": folder, "WRIT_PORT": str(port)}
        one = alone(env)
        command = [sys.executable, "-m", "service.ops.cli", "up"]
        with open(Path(folder) / "log", "wb") as log:
            up = leash.begin(command, cwd=sys.path[0], env=env, stdout=log, stderr=log)
        try:
            assert supervise.answers(f"http://127.0.0.1:{port}{READY}"), (Path(folder) / "log").read_text()
            time.sleep(given.seconds)
            each = [memory(pid) for pid in family(up.pid)]
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait()
    figure("idle", sum(each), "MB", processes=len(each), largest=round(max(each), 1), one_alone=round(one, 1))


if __name__ == "__main__":
    main()
