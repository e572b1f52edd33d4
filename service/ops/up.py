"""The programs of Writ, and `writ up`, which runs them under a supervisor."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from sqlalchemy import make_url
from sqlmodel import col, select

from engine.games import GAMES
from service.common.folder import make_private
from service.games import boards, lobby
from service.ops import logs, preflight
from service.ops.preflight import CannotStart
from service.ops.supervise import SIGNALS, Child, command
from service.people import accounts
from service.post import links
from service.settings import FROM_FILES, Settings, load
from service.store import broker, queue, shared_counters
from service.store.database import transaction
from service.store.models import Match, MatchStatus
from service.store.seats import seat_of
from service.table import practice

PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
WEB_PROCESSES = min(4, max(1, PROCESSORS // 2))
"""Half the processors: workers and database need the others. On two processors one web process does a fifth more than two,
which compete for the CPU caches; each takes 120 MB. Measured by `bench/pipeline.py --webs N`.
"""
QUEUES = {"play": queue.PLAY, "letters": queue.LETTERS}
"""Queues by their names on the command line."""
PYTHON = [sys.executable, "-P"]
"""Without the current directory on the path, where a folder may have the name of one of our packages."""
CELERY = [*PYTHON, "-m", "workers"]
VALKEY_NOISE = "Memory overcommit must be enabled|signal-handler|ready to exit, bye bye"
"""Lines of the embedded broker that are dropped: it stores nothing on disk, and needs no system setting."""
CELERY_NOISE = "^$|worker: Warm shutdown"
"""Lines of Celery that are dropped."""
LOCAL = "127.0.0.1"
LOCAL_PLAYER = "you@writ.example"
"""Account of a person who tries Writ on their own machine."""
READY_SECONDS = 60


def web(settings: Settings, host: str = LOCAL) -> list[str]:
    return [*PYTHON, "-m", "service.web.serve", host, str(settings.port)]


def worker(settings: Settings, queues: Sequence[str], concurrency: int, beat: bool = False) -> list[str]:
    """Command of a Celery worker; `beat`: with beat as one of its threads. `concurrency`: processes reserved for play, see
    `workers.letters.delivery`.

    Play needs processes, not threads: a signal stops rules that never end (`workers.faults`), in main threads only. For letters
    alone threads suffice.
    """
    if queue.PLAY not in queues:
        pool, slots = "threads", settings.letter_slots
    elif queue.LETTERS in queues:
        pool, slots = "prefork", concurrency + settings.letter_slots
    else:
        pool, slots = "prefork" if concurrency > 1 else "solo", concurrency
    options = ["--queues", ",".join(queues), "--pool", pool, "--concurrency", str(slots), "--loglevel", "WARNING"]
    options += ["--hostname", f"{'+'.join(queues)}@%h", "--without-gossip", "--without-mingle"]
    return [*CELERY, "worker", *options, *(["--beat-thread"] if beat else [])]


def beat() -> list[str]:
    return [*CELERY, "beat", "--loglevel", "WARNING", "--pidfile="]


def run(settings: Settings, program: list[str]) -> NoReturn:
    """Replace this process (exec), in the data folder: Celery imports from its working directory first, where another `engine`
    may be.
    """
    shared_counters.share(settings)
    env = environment(settings)
    os.chdir(settings.data_folder)
    sys.stdout.flush()
    os.execve(program[0], program, env)


def up(settings: Settings, first_game: bool = True, host: str = LOCAL) -> NoReturn:
    """Check and migrate, then become the supervisor of all programs. Raises CannotStart."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for background jobs
    hold(settings.data_folder)
    preflight.check_port(settings.port, host)
    preflight.migrate(settings)
    if settings.broker_url:
        preflight.check_broker(settings)
    supervising = command(programs(settings, first_game, host))
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until the supervisor has its handlers
    run(settings, supervising)


def programs(settings: Settings, first_game: bool, host: str = LOCAL) -> list[Child]:
    """Child processes: broker, web, worker with beat, announcement of the URL."""
    own_broker = [] if settings.broker_url else [Child("broker", broker.command(settings), last=True, hushed=VALKEY_NOISE)]
    webs = [Child("web", web(settings, host)) for _ in range(WEB_PROCESSES)]
    announcing = [*PYTHON, "-m", "service.ops.up", host, *(["--first-game"] if first_game else [])]
    return [
        *own_broker,
        *webs,
        Child("worker", worker(settings, [queue.PLAY, queue.LETTERS], 1, beat=True), hushed=CELERY_NOISE),
        Child("announcement", announcing, once=True),
    ]


def environment(settings: Settings) -> dict[str, str]:
    """This process's environment and settings, with absolute paths: programs run in another folder."""
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
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return database_url
    return url.set(database=str(Path(str(url.database)).resolve())).render_as_string(hide_password=False)


def hold(folder: Path) -> int:
    """Lock the data folder while this process runs, against a second instance. The file descriptor survives `os.execve`. Raises
    CannotStart.
    """
    make_private(folder)
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise CannotStart(
            f"Writ is running on the data folder {folder} already; stop it, or set WRIT_DATA_FOLDER to another."
        ) from None
    os.set_inheritable(lock, True)
    return lock


def first_seat(settings: Settings) -> str:
    """Link to the local player's seat; the first start opens a game for it."""
    with transaction(settings) as session:
        account = accounts.by_email(session, LOCAL_PLAYER)
        if session.exec(select(Match.id).limit(1)).first() is None:
            accounts.rename(session, account, "Alys")
            game = next(game for game in GAMES.values() if boards.fault(game) is None)  # the others cost seconds of CPU here
            match = lobby.open_match(session, account, "The first table", game.name, game.rules.seats[-1])
            for _ in range(game.rules.seats[-1] - 1):
                lobby.add_bot(session, match, account, lobby.bots_of(game)[0])
    with transaction(settings) as session:
        mine = select(Match).where(Match.host_id == account.id, Match.status == MatchStatus.RUNNING)
        found = session.exec(mine.order_by(col(Match.created_at))).first()
        seat = seat_of(session, found, account) if found is not None else None
        if found is None or seat is None:
            return ""
        return links.url(settings, links.turn_link(session, found, seat))


def announce(settings: Settings, first_game: bool, say: Callable[[str], None], host: str = LOCAL) -> None:
    """Print the URL as soon as the pages answer."""
    host = {"0.0.0.0": LOCAL, "::": "::1"}.get(host, host)  # wildcard addresses can't be connected to
    if not answers(f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/healthz"):
        return
    seat = first_seat(settings) if first_game else ""
    say(f"\n  Writ is up at {settings.base_url}{': play against bots there' if practice.allowed(settings, None) else ''}")
    if seat:
        say(f"  A table of six by letter: {seat}")
    if not settings.smtp_url and settings.local and not settings.proxies:
        say(f"  Letters are kept in the mailbox: {settings.base_url}/mailbox")
    elif not settings.smtp_url:
        say(f"  Letters are kept in {settings.maildir}; WRIT_SMTP_URL names the server that sends them.")
    if os.geteuid() == 0:
        say("  It runs as root here; where others reach it, let it run as a user of its own.")
    say("  Ctrl-C stops everything.\n")


def answers(url: str, seconds: float = READY_SECONDS) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=2) as reply:
            if reply.status == 200:
                return True
        time.sleep(0.2)
    return False


if __name__ == "__main__":
    logs.configure()
    announce(load(), "--first-game" in sys.argv, print, sys.argv[1])
