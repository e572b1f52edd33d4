"""The processes of Writ: their commands, and all of them in one terminal, each kept running by itself."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sqlalchemy import make_url
from sqlmodel import col, select

from service.common.folder import make_private
from service.games import lobby
from service.ops import forks, preflight
from service.ops.children import CannotRun, Child, Family, Stopped, family
from service.ops.preflight import CannotStart
from service.people import accounts
from service.post import links
from service.settings import FROM_FILES, Settings, load
from service.store import broker, queue
from service.store.database import transaction
from service.store.models import Match, MatchStatus

PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
WEB_WORKERS = min(4, max(1, PROCESSORS // 2))
"""Half as many as there are processors: workers and database want the others. On two of them one web process does a fifth more
than two do, which take the processors' caches from each other; each takes 50 MB. `bench/pipeline.py --webs N` measures it."""
TASK_WORKERS = 2
LETTER_THREADS = queue.LETTER_THREADS
QUEUES = {queue.PLAY: "play", queue.LETTERS: "letters"}
"""The queues, and what their workers are called."""
PYTHON = [sys.executable, "-P"]
"""Without the current directory on the path: a folder in it may be called as one of ours."""
CELERY = [*PYTHON, "-m", "workers"]
VALKEY_NOISE = re.compile(rb"Memory overcommit must be enabled|signal-handler|ready to exit, bye bye")
"""What the embedded broker says that concerns nobody: it keeps nothing on disk, and needs no setting of the system's."""
GUEST = "you@writ.example"
"""The account of whoever starts Writ on their own machine for a look."""
READY_SECONDS = 60


def web(settings: Settings, host: str = "127.0.0.1") -> list[str]:
    """The command of a web process."""
    return [*PYTHON, "-m", "service.web.serve", host, str(settings.port)]


def process(
    settings: Settings, name: str, command: list[str], basis: bool = False, hushed: re.Pattern[bytes] | None = None
) -> Child:
    """A process of Writ. It stands in the data folder, so that nothing that lies where Writ is started is taken for ours."""
    make_private(settings.data_folder)
    return Child(name, command, environment(settings), str(settings.data_folder.resolve()), basis, hushed)


def webs(settings: Settings, host: str = "127.0.0.1", several: int = WEB_WORKERS) -> list[Child]:
    """The web processes."""
    return [process(settings, "web", web(settings, host)) for _ in range(several)]


def worker(queue_name: str, concurrency: int = TASK_WORKERS) -> list[str]:
    """The command of a worker for one of the queues. Letters wait for other machines, so that threads are enough for them.

    One that plays a game at a time does so itself; a process that only hands games on would take room and time of its own.
    """
    options = ["--queues", queue_name, "--concurrency", str(concurrency), "--loglevel", "WARNING"]
    if queue_name == queue.LETTERS:
        options += ["--pool", "threads"]
    elif concurrency == 1:
        options += ["--pool", "solo"]
    return [*CELERY, "worker", *options, "--hostname", f"{queue_name}@%h", "--without-gossip", "--without-mingle"]


def beat() -> list[str]:
    """The command of the beat process."""
    return [*CELERY, "beat", "--loglevel", "WARNING", "--pidfile="]


def workers(settings: Settings, queues: Sequence[str], concurrency: int) -> list[Child]:
    """A worker for each of the queues."""
    several = {queue.PLAY: concurrency, queue.LETTERS: LETTER_THREADS}
    return [process(settings, QUEUES[name], worker(name, several[name])) for name in queues]


def up(settings: Settings, say: Callable[[str], None], first_game: bool = True) -> int:
    """Run everything until it is told to stop; the exit code. Raises CannotStart."""
    with _alone(settings.data_folder):
        preflight.check_port(settings.port)
        forks.aside(preflight.migrate, settings)
        if settings.broker_url:
            preflight.check_broker(settings)
        with family() as running:
            try:
                with running.starting_up():
                    seat = _start_all(running, settings, first_game)
                threading.Thread(target=_announce, args=(settings, seat, say), daemon=True).start()
                running.keep()
            except CannotRun as reason:
                raise CannotStart(str(reason)) from None
            except Stopped:
                pass
            return 0


def _start_all(running: Family, settings: Settings, first_game: bool) -> str:
    """Start the broker and then all others; the link of `guest_seat`. Raises CannotStart, and Stopped when told to stop."""
    if not settings.broker_url:
        running.add(process(settings, "broker", broker.command(settings), basis=True, hushed=VALKEY_NOISE))
        if not running.wait_for(lambda: broker.answers(settings), READY_SECONDS):
            raise CannotStart("The embedded broker doesn’t start; its lines above say why.")
    seat = forks.aside(guest_seat, settings) if first_game else ""
    _share(settings)
    # Those that play are forked from this process as all are, and need none between them and it.
    players = [one for _ in range(TASK_WORKERS - 1) for one in workers(settings, [queue.PLAY], 1)]
    others = (*workers(settings, tuple(QUEUES), 1), process(settings, "beat", beat()))
    for child in (*webs(settings), *players, *others):
        running.add(forks.Forked(child.name, child.command, child.env, child.folder))
    return seat


def _share(settings: Settings) -> None:
    """Load what the children share, with the settings that they will find."""
    os.environ.update(environment(settings))
    load.cache_clear()
    forks.preload()


def environment(settings: Settings) -> dict[str, str]:
    """The environment of the child processes: this one's, with the settings as this process has them.

    Paths are whole in it, for the children stand in another folder.
    """
    given = {"WRIT_BASE_URL": settings.base_url, "WRIT_DATA_FOLDER": str(settings.data_folder.resolve())}
    given |= {"WRIT_PORT": str(settings.port), "PYTHONUNBUFFERED": "1"}
    files = {name: value for name in map(_file_variable, FROM_FILES) if (value := os.environ.get(name, ""))}
    given |= {name: str(Path(value).resolve()) for name, value in files.items()}
    whole = _whole(settings.database_url) if settings.database_url else ""
    in_file = _file_variable("database_url")
    if whole and (in_file not in files or whole != settings.database_url):
        given |= {"WRIT_DATABASE_URL": whole, in_file: ""}
    return {**os.environ, **given}


def _file_variable(setting: str) -> str:
    return f"WRIT_{setting.upper()}_FILE"


def _whole(database_url: str) -> str:
    """The address of a database, its path whole where it is a file."""
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return database_url
    return url.set(database=str(Path(str(url.database)).resolve())).render_as_string(hide_password=False)


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
        mine = select(Match).where(Match.host_id == account.id, Match.status == MatchStatus.RUNNING)
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
    if not settings.smtp_url and settings.local and not settings.proxies:
        say(f"  Letters are kept in the mailbox: {settings.base_url}/mailbox")
    elif not settings.smtp_url:
        say(f"  Letters are kept in {settings.maildir}; WRIT_SMTP_URL names the server that sends them.")
    if os.geteuid() == 0:
        say("  It runs as root here; where others reach it, let it run as a user of its own.")
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
