"""`writ demo`: plays whole games on a separate instance, by mailbox and browser alone."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from engine.core.asks import SEATS, read
from engine.core.rulings import Ruled
from engine.play.match import Verdict, verify
from service.tools.robot import Browser, Lost, Mail, Mailbox, Page, answer_all

NAMES = ("Anna", "Bertrand", "Clotilde", "Drogo", "Edith", "Fulk")
OFFERS = 0.3
"""Probability that a player uses a power before an answer."""
QUIET_SECONDS = 90.0
"""Without a letter or an answer for this long, the game has stalled."""
START_SECONDS = 60.0


@dataclass
class Player:
    name: str
    address: str
    browser: Browser


@dataclass
class Progress:
    answers: int = 0
    letters: int = 0
    waits: int = 0
    """How often the game waited until a letter was read."""


@dataclass
class Instance:
    """A running service, reached only through its URL and its mailbox."""

    base: str
    mailbox: Mailbox
    log: Path
    process: subprocess.Popen[bytes]
    backlog: list[Mail] = field(default_factory=list)

    def check(self) -> None:
        if self.process.poll() is not None:
            raise Lost(f"The service has stopped (exit code {self.process.returncode}).")

    def tail(self, lines: int = 30) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def letter(self, to: str, path: str, seconds: float = START_SECONDS) -> str:
        """The link below `path` in the oldest unread letter to `to` that has one. Raises Lost if none comes in time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.backlog += self.mailbox.fresh()
            for mail in self.backlog:
                link = mail.link(self.base, path) if to in mail.to else ""
                if link:
                    self.backlog.remove(mail)
                    return link
            self.check()
            time.sleep(0.05)
        raise Lost(f"No letter with a link {path}… came to {to} within {seconds:.0f} seconds.")

    def letters(self) -> list[Mail]:
        found, self.backlog = self.backlog + self.mailbox.fresh(), []
        return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def instance(folder: Path, database: str = "", broker: str = "", smtp: bool = False) -> Iterator[Instance]:
    """A new service in `folder`; `database`, `broker`: else embedded; `smtp`: letters by SMTP, not to the Maildir."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    # Without the host's settings, so that its data isn't touched.
    env = {k: v for k, v in os.environ.items() if not k.startswith("WRIT_")}
    env |= {"WRIT_BASE_URL": base, "WRIT_PORT": str(port), "WRIT_DATA_FOLDER": str(folder), "WRIT_HOLD_SECONDS": "3"}
    env |= {"WRIT_DATABASE_URL": database} if database else {}
    env |= {"WRIT_BROKER_URL": broker} if broker else {}
    log = folder / "service.log"
    with contextlib.ExitStack() as stack:
        mail = folder / "mail"
        if smtp:
            mail = folder / "delivered"
            env |= {"WRIT_SMTP_URL": stack.enter_context(_smtp_server(mail))}
        out = stack.enter_context(open(log, "wb"))
        command = [sys.executable, "-m", "service.ops.cli", "up", "--no-first-game"]
        process = subprocess.Popen(command, env=env, stdout=out, stderr=out, start_new_session=True)
        stack.callback(_stop, process)
        running = Instance(base, Mailbox(mail), log, process)
        _wait_until_up(running)
        yield running


def _wait_until_up(running: Instance) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        running.check()
        with contextlib.suppress(OSError):
            if Browser(running.base).get("/healthz").status == 200:
                return
        time.sleep(0.1)
    raise Lost(f"The service does not answer at {running.base} after {START_SECONDS:.0f} seconds.")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)  # the second one kills at once
        process.wait()


@contextlib.contextmanager
def _smtp_server(maildir: Path) -> Iterator[str]:
    from aiosmtpd.controller import Controller
    from aiosmtpd.handlers import Mailbox as IntoMaildir

    handler: Any = IntoMaildir(maildir)
    controller = Controller(handler, hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield f"smtp://127.0.0.1:{controller.port}"
    finally:
        controller.stop()


# --- the players ------------------------------------------------------------------------------------------------------


def players(base: str, seats: int) -> list[Player]:
    """Players with a browser and, if the machine has several, a source address for each."""
    return [Player(name, f"{name.lower()}@demo.example", Browser(base, _source(i))) for i, name in enumerate(NAMES[:seats], 2)]


def _source(i: int) -> str:
    address = f"127.0.0.{i}"
    try:
        with socket.socket() as probe:
            probe.bind((address, 0))
    except OSError:
        return ""
    return address


def sign_in(at: Instance, player: Player) -> None:
    page = player.browser.get("/sign-in")
    player.browser.submit(page, page.form("email"), {"email": player.address})
    page = player.browser.get(at.letter(player.address, "/in/"))
    player.browser.submit(page, page.form("choice"), {"name": player.name}, button="enter")


def gather(
    at: Instance, people: list[Player], game: str, title: str, rng: random.Random, variant: str = "", ruled: Ruled | None = None
) -> None:
    host = people[0]
    page = host.browser.get("/games/new")
    filled = {"name": title, "game": game, "seats": str(len(people)), "access": "invited"}
    filled |= {f"ruling:{id}": value for id, value in (ruled or {}).items()}
    lobby = _loaded(host.browser.submit(page, page.form("name", "seats"), filled))
    if variant:
        form = next(f for f in lobby.forms if f.action.endswith("/options"))
        lobby = _loaded(host.browser.submit(lobby, form, _ticked(variant)))
    for guest in people[1:]:
        _loaded(host.browser.submit(lobby, lobby.form("email"), {"email": guest.address}))
    _choose_deck(host, host.browser.get(lobby.url), rng)
    for guest in people[1:]:
        page = guest.browser.get(at.letter(guest.address, "/i/"))
        form = page.form("choice")
        page = _loaded(guest.browser.submit(page, form, {"name": guest.name} if form.has("name") else {}, button="accept"))
        if guest is not people[-1]:
            _choose_deck(guest, page, rng)


def _ticked(variant: str) -> dict[str, str]:
    filled: dict[str, str] = {}
    for name, value in read(variant).values.items():
        if isinstance(value, list):
            filled |= {f"f_{name}__{id}": str(n) for id, n in Counter(map(str, value)).items()}
        elif isinstance(value, dict):
            filled |= {f"f_{name}__{item}": str(target) for item, target in value.items()}
        else:
            filled[f"f_{name}"] = str(value)
    return filled


def _choose_deck(player: Player, lobby: Page, rng: random.Random) -> None:
    forms = [f for f in lobby.forms if f.action.endswith("/deck")]
    if forms and rng.random() < 0.5:
        select = next(c for c in forms[0].controls if c.name == "deck")
        _loaded(player.browser.submit(lobby, forms[0], {"deck": rng.choice(select.options)}))


def _loaded(page: Page) -> Page:
    if page.status >= 400:
        raise Lost(f"{page.url} answers {page.status}: {'; '.join(page.alerts) or page.words()[:300]}")
    return page


def play(at: Instance, people: list[Player], rng: random.Random, progress: Progress, offers: float = 0.0) -> dict[str, str]:
    """Answer letters until the game is over; returns the link in everybody's last letter, by address."""
    over: dict[str, str] = {}
    quiet_since = time.monotonic()
    while len(over) < len(people):
        letters = at.letters()
        if not letters:
            at.check()
            if time.monotonic() - quiet_since > QUIET_SECONDS:
                raise Lost(f"Nothing has happened for {QUIET_SECONDS:.0f} seconds, and no letter has come.")
            time.sleep(0.02)
            continue
        progress.letters += len(letters)
        quiet_since = time.monotonic()
        answered = progress.answers
        for mail in letters:
            player = next((p for p in people if p.address in mail.to), None)
            link = mail.link(at.base, "/t/")
            if player is None or not link:
                continue
            page = player.browser.get(link)
            for after in answer_all(player.browser, page, rng, offers):
                page, progress.answers = after, progress.answers + 1
                if progress.answers % 50 == 0:
                    click.echo(f"{progress.answers} answers, {progress.letters} letters")
            if 'id="over"' in page.html:
                over[player.address] = page.link(r"/log\.jsonl$")
        progress.waits += progress.answers > answered
    return over


def check_logs(people: list[Player], links: dict[str, str], folder: Path) -> tuple[Verdict, list[str]]:
    """Download and verify everybody's log. Raises Lost if two differ or it isn't valid."""
    logs = {player.address: player.browser.download(links[player.address]) for player in people}
    if len(set(logs.values())) != 1:
        raise Lost("The players were given different logs of the same finished game.")
    data = next(iter(logs.values()))
    (folder / "log.jsonl").write_bytes(data)
    lines = data.decode().split("\n")
    verdict = verify(lines[:-1] if not lines[-1] else lines)
    if not verdict.holds:
        raise Lost(f"The log does not hold. {verdict.sentence}")
    return verdict, lines


def run(
    game: str,
    seats: int,
    games: int,
    seed: str,
    keep: Path | None = None,
    database: str = "",
    broker: str = "",
    smtp: bool = False,
    variant: str = "",
    ruled: Ruled | None = None,
    offers: bool = False,
) -> int:
    """Play games one after the other on one instance; prints the results and returns the exit code."""
    folder = Path(tempfile.mkdtemp(prefix="writ-demo-")) if keep is None else keep
    folder.mkdir(parents=True, exist_ok=True)
    total, winners, entries = Progress(), [], 0
    began = time.monotonic()
    running: Instance | None = None
    try:
        with instance(folder, database, broker, smtp) as running:
            click.echo(f"An instance of its own is up at {running.base}.")
            people = players(running.base, seats)
            sign_in(running, people[0])
            for number in range(1, games + 1):
                rng = random.Random(f"{seed}/{number}")
                progress = Progress()
                gather(running, people, game, f"Demo {number}", rng, variant, ruled)
                links = play(running, people, rng, progress, OFFERS if offers else 0.0)
                kept = folder / f"game-{number}"
                kept.mkdir(exist_ok=True)
                verdict, _ = check_logs(people, links, kept)
                winner = " and ".join(people[SEATS.index(s)].name for s in verdict.winners) or "nobody"
                click.echo(
                    f"game {number}: {verdict.entries} entries, {progress.answers} answers, {progress.letters} letters, "
                    f"{progress.waits} waits, winner {winner}. {verdict.sentence}"
                )
                entries += verdict.entries
                total.waits += progress.waits
                winners.append(winner)
    except (Lost, OSError) as reason:
        if running is not None:
            click.echo(running.tail())
        click.echo(f"What there was is kept in {folder}.")
        click.echo(f"demo: failed: {reason}")
        return 1
    click.echo(f"{time.monotonic() - began:.1f} seconds.")
    if keep is None:
        shutil.rmtree(folder, ignore_errors=True)
    click.echo(f"demo: ok, {entries} entries, {total.waits} waits, winner {', '.join(winners)}")
    return 0
