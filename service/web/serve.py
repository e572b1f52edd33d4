"""One web process, by Hypercorn: `python -m service.web.serve ADDRESS PORT`. Several share the port; the system deals out.

Hypercorn, because it cuts connections that send nothing or half a header. Gunicorn's workers give a thread to each of
those, or keep them for ever; Granian's WSGI gives a thread to a form that comes slowly, and has no time limit for it.
"""

from __future__ import annotations

import asyncio
import socket
import sys

from hypercorn.asyncio import serve
from hypercorn.config import Config

from service.web import front


def main(address: str, port: int) -> None:
    """Serve the pages until told to stop. Raises OSError when the port is another program's."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        door.bind((address, port))
        bound = door.detach()  # Hypercorn closes it
    config = Config()
    config.bind = [f"fd://{bound}"]
    config.loglevel = "WARNING"
    config.include_server_header = False
    config.keep_alive_timeout = 5.0
    config.read_timeout = 60
    config.graceful_timeout = 5.0
    asyncio.run(serve(front.app(), config, mode="asgi"))  # type: ignore[arg-type]  # its types name every scope; ours is a mapping


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
