"""All of Writ in one terminal: the embedded broker, web, worker and beat, started and stopped together."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from honcho.manager import Manager
from sqlmodel import col, select

from service import accounts, broker, links, lobby
from service.db import migrate, transaction
from service.folder import make_private
from service.models import Match
from service.settings import Settings

WEB_WORKERS = 2
TASK_WORKERS = 2
GUEST = "you@writ.example"
"""The account of whoever starts Writ on their own machine for a look."""
READY_SECONDS = 60


class CannotStart(Exception):
    """Why the service can't start here, as a sentence."""


def web(settings: Settings, host: str = "127.0.0.1", workers: int = WEB_WORKERS) -> list[str]:
    """The command of the web process."""
    options = ["--bind", f"{host}:{settings.port}", "--workers", str(workers), "--worker-class", "sync"]
    return [sys.executable, "-m", "gunicorn", *options, "--log-level", "warning", "service.web:create_app()"]


def worker(concurrency: int = TASK_WORKERS) -> list[str]:
    """The command of the worker process."""
    options = ["--concurrency", str(concurrency), "--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    return [sys.executable, "-m", "celery", "--quiet", "--app", "workers.app", "worker", *options]


def beat() -> list[str]:
    """The command of the beat process."""
    return [sys.executable, "-m", "celery", "--quiet", "--app", "workers.app", "beat", "--loglevel", "WARNING", "--pidfile="]


def up(settings: Settings, say: Callable[[str], None], first_game: bool = True) -> int:
    """Run everything until it is told to stop, or until one process ends; the exit code. Raises CannotStart."""
    with _alone(settings.data_folder):
        _check_port(settings.port)
        migrate(settings)
        server = None
        if not settings.broker_url:
            server = broker.embedded(settings)
            server.start()
        try:
            seat = guest_seat(settings) if first_game else ""
            manager = Manager()
            for name, command in (("web", web(settings)), ("worker", worker()), ("beat", beat())):
                manager.add_process(name, shlex.join(command), env=environment(settings))
            threading.Thread(target=_announce, args=(settings, seat, say), daemon=True).start()
            manager.loop()
            code = int(manager.returncode or 0)
            return 0 if code in (130, 143) else code or 1
        finally:
            if server is not None:
                server.stop()


def environment(settings: Settings) -> dict[str, str]:
    """The environment of the child processes: this one's, with the settings as this process has them."""
    given = {"WRIT_BASE_URL": settings.base_url, "WRIT_DATA_FOLDER": str(settings.data_folder.resolve())}
    return {**os.environ, **given, "WRIT_PORT": str(settings.port), "PYTHONUNBUFFERED": "1"}


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the data folder, so that two instances never share it."""
    make_private(folder)
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotStart(
                f"Writ is running on the data folder {folder} already; stop it, or set WRIT_DATA_FOLDER to another."
            ) from None
        yield


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise CannotStart(f"Port {port} is taken by another program; set WRIT_PORT to a free one.") from None


def guest_seat(settings: Settings) -> str:
    """A link to the seat of whoever starts Writ; empty when they have none. The first start opens a game for them."""
    with transaction(settings) as session:
        account = accounts.by_email(session, GUEST)
        if session.exec(select(Match.id).limit(1)).first() is None:
            accounts.rename(session, account, "Alys")
            game = lobby.offered()[0]
            match = lobby.open_match(session, account, "The first table", game.name, game.most)
            for _ in range(game.most - 1):
                lobby.add_bot(session, match, account, lobby.bots_of(game)[0])
    with transaction(settings) as session:
        mine = select(Match).where(Match.host_id == account.id, Match.status == "running")
        found = session.exec(mine.order_by(col(Match.created_at))).first()
        seat = lobby.seat_of(session, found, account) if found is not None else None
        if found is None or seat is None:
            return ""
        return links.url(settings, links.turn_link(session, found, seat))


def _announce(settings: Settings, seat: str, say: Callable[[str], None]) -> None:
    """Say where to go as soon as the pages answer."""
    if not answers(f"http://127.0.0.1:{settings.port}/healthz"):
        return
    say(f"\n  Writ is up at {settings.base_url}")
    if seat:
        say(f"  Your seat at the table: {seat}")
    if not settings.smtp_url:
        say(f"  Letters are kept in the mailbox: {settings.base_url}/mailbox")
    say("  Ctrl-C stops everything.\n")


def answers(url: str, seconds: float = READY_SECONDS) -> bool:
    """Whether the address answers with 200 before the time is up."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=2) as reply:
            if reply.status == 200:
                return True
        time.sleep(0.2)
    return False
