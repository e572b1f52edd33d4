"""The web processes, by Hypercorn: `python -m service.serve ADDRESS:PORT PROCESSES`.

Hypercorn, because it cuts connections that send nothing or half a header. Gunicorn's workers give a thread to each of
those, or keep them for ever; Granian's WSGI gives a thread to a form that comes slowly, and has no time limit for it.
"""

from __future__ import annotations

import sys

from hypercorn.config import Config
from hypercorn.run import run

if __name__ != "__main__":
    # In Hypercorn's processes, before it puts the current directory first on their path, where another `engine` may lie.
    import service.web.front  # noqa: F401


def main(address: str, processes: int) -> int:
    """Serve the pages until told to stop; the exit code."""
    config = Config()
    config.application_path = "asgi:service.web.front:app()"
    config.bind = [address]
    config.workers = processes
    config.loglevel = "WARNING"
    config.include_server_header = False
    config.keep_alive_timeout = 5.0
    config.read_timeout = 60
    config.graceful_timeout = 5.0
    return run(config)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
