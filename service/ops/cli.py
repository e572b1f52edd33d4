"""The `writ` command line. Commands import what they need: imports are most of a short command's time."""

from __future__ import annotations

import importlib
import os
import sys

import click

from service.ops.click_groups import Serving, Words

ELSEWHERE = {
    **{
        name: f"service.tools.games_cli:{name}"
        for name in ("case", "demo", "fuzz", "games", "playout", "position", "record", "tempo", "verify")
    },
    "host": "service.ops.host_cli:main",
    "new-game": "service.tools.games_cli:new_game",
}
"""Lazily loaded commands, as `module:name`."""


@click.group(cls=Words, elsewhere=ELSEWHERE)
@click.version_option(package_name="writ", prog_name="writ")
def main() -> None:
    """Writ: slow games of medieval power, by letter."""


@main.command("up", cls=Serving)
@click.option("--first-game/--no-first-game", default=True, help="Open a game against bots on the first start.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the port is WRIT_PORT.")
def run_all(first_game: bool, host: str) -> None:
    """Set up the database and run web, worker and beat in this terminal; restarts what ends."""
    from service import settings
    from service.ops import up

    found = settings.load()
    if "WRIT_BASE_URL" not in os.environ:
        found = found.model_copy(update={"base_url": f"http://127.0.0.1:{found.port}"})
    up.up(found, first_game, host)


@main.command(cls=Serving)
def migrate() -> None:
    """Migrate the database to the newest version of its tables."""
    from service import settings
    from service.ops import preflight

    preflight.migrate(settings.load())
    click.echo("The database is up to date.")


@main.command(cls=Serving)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the port is WRIT_PORT.")
def web(host: str) -> None:
    """Run one web process; several share the port."""
    from service import settings
    from service.ops import preflight, up

    found = settings.load()
    preflight.check_port(found.port, host, shared=True)
    preflight.check(found, "The pages work; what players do is played as soon as it is there.")
    up.run(found, up.web(found, host))


@main.command(cls=Serving)
@click.option("--concurrency", default=2, show_default=True, type=click.IntRange(1, 64), help="Games played at a time.")
@click.option("--queues", default="play,letters", show_default=True, help="What to work on.")
def worker(concurrency: int, queues: str) -> None:
    """Run one Celery worker; letters never take all of its processes."""
    from service import settings
    from service.ops import preflight, up

    chosen = list(dict.fromkeys(name.strip() for name in queues.split(",")))
    unknown = next((name for name in chosen if name not in up.QUEUES), None)
    if unknown is not None:
        raise click.ClickException(f"There is no queue “{unknown[:20]}”; there is: {', '.join(up.QUEUES)}.")
    found = settings.load()
    preflight.check(found, "It is waited for.")
    up.run(found, up.worker(found, [up.QUEUES[name] for name in chosen], concurrency))


@main.command(cls=Serving)
def beat() -> None:
    """Run the beat process, which starts the sweep; one is enough."""
    from service import settings
    from service.ops import preflight, up

    found = settings.load()
    preflight.check(found, "It is waited for.")
    up.run(found, up.beat())


@main.command(cls=Serving)
@click.option("--send-to", default="", metavar="ADDRESS", help="Send a test letter there.")
def check(send_to: str) -> None:
    """Check database, broker, mail server, DNS, base URL and clock. Exit code 1 if something is wrong."""
    # By name: the service doesn't import the workers (import-linter).
    sys.exit(importlib.import_module("workers.check").run(send_to))


@main.command("mail-in", cls=Serving)
def mail_in() -> None:
    """Take one message from standard input: a bounce or a reply, piped here by the host's mail server.

    Exit code 0: taken, or dropped for good. 75: the mail server should keep it and retry. 65, 67: too large, or a reply to an
    unknown letter; the mail server should return it to its writer.
    """
    from service import settings
    from service.inbox import receiving as inbox

    data = sys.stdin.buffer.read(inbox.LARGEST + 1)
    if len(data) > inbox.LARGEST:
        while sys.stdin.buffer.read(inbox.LARGEST):  # a broken pipe would be tried again
            pass
        click.echo("The message is too large.", err=True)
        sys.exit(os.EX_DATAERR)
    try:
        became = inbox.receive(settings.load(), data)
        click.echo(became)
        if became == inbox.UNKNOWN:
            click.echo("That letter is not known here; answer on your page.", err=True)
            sys.exit(os.EX_NOUSER)
    except Exception as problem:  # any other exit code makes the mail server bounce the message
        click.echo(f"The message can't be taken just now ({type(problem).__name__}); try again later.", err=True)
        sys.exit(os.EX_TEMPFAIL)


@main.command(cls=Serving)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the port is WRIT_INBOX_PORT.")
def inbox(host: str) -> None:
    """Run the SMTP server that takes bounces and replies from the host's mail server."""
    import asyncio

    from service import settings
    from service.store import shared_counters

    found = settings.load()
    if not found.inbox:
        raise click.ClickException("WRIT_INBOX names the address at which mail reaches Writ; set it first.")
    shared_counters.share(found)

    from service.inbox import server  # after `share`: it imports prometheus_client

    try:
        asyncio.run(server.serve(found, host))
    except OSError as problem:
        raise click.ClickException(f"Port {found.inbox_port} of {host} can't be listened on: {problem.strerror}.") from None
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
