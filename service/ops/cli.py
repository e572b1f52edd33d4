"""The `writ` command: run the service, look after its database, verify logs, and use the bare engine from a shell."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from pydantic import ValidationError

from engine import match as matches
from engine import procedure
from engine.asks import NotUnderstood, Refused, write
from engine.forms import AssignField, FormField, NumberField, SomeField, choices_of, describe
from engine.game import options_of
from engine.games import GAMES, game_called, game_of_position
from engine.position import put_together, read_text
from service.ops import host_cli, logs

if TYPE_CHECKING:
    from service.ops.children import Child

FIRST = next(iter(GAMES))
VARIANT = click.option("--variant", default="", help="Optional rules, as an answer: `play rules=[mayhem]`; default: none.")
LONGEST_LINE = 2_000_000
"""Bytes; a header may hold a host's own file."""
MOST_LINES = 200_000
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


class Words(click.Group):
    """A group of commands in which a refusal ends with its sentence and not with a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except Refused as refusal:
            raise click.ClickException(str(refusal)) from None
        except ValidationError as error:
            faults = [f"WRIT_{'_'.join(map(str, e['loc'])).upper()}: {_words(e['msg'])}" for e in error.errors()]
            raise click.ClickException("Settings can't be read. " + "; ".join(faults)) from None


def _words(message: str) -> str:
    """What pydantic says, without the name of the exception."""
    return message.removeprefix("Value error, ")


@click.group(cls=Words)
def main() -> None:
    """Writ: slow games of medieval power, by letter."""
    logs.configure()


main.add_command(host_cli.main)

# --- the service ------------------------------------------------------------------------------------------------------


@main.command()
@click.option("--first-game/--no-first-game", default=True, help="Open a game against bots on the first start.")
def up(first_game: bool) -> None:
    """Set up the database and run web, workers and beat in this terminal; what ends is started again."""
    from service import settings
    from service.ops import supervise

    found = settings.load()
    if "WRIT_BASE_URL" not in os.environ:
        found = found.model_copy(update={"base_url": f"http://127.0.0.1:{found.port}"})
    try:
        sys.exit(supervise.up(found, click.echo, first_game))
    except supervise.CannotStart as reason:
        raise click.ClickException(str(reason)) from None


@main.command()
def migrate() -> None:
    """Bring the database to the newest version of its tables."""
    from service import settings
    from service.store import database as db

    db.migrate(settings.load())
    click.echo("The database is up to date.")


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the port is WRIT_PORT.")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1, 64))
def web(host: str, workers: int) -> None:
    """Run the web processes, and start them again when they end."""
    from service import settings
    from service.ops import supervise

    _keep(*supervise.webs(settings.load(), host, workers))


@main.command()
@click.option("--concurrency", default=2, show_default=True, type=click.IntRange(1, 64), help="Processes that play games.")
@click.option("--queues", default="play,letters", show_default=True, help="What to work on; each has processes of its own.")
def worker(concurrency: int, queues: str) -> None:
    """Run workers, one for each of the queues, and start again what ends."""
    from service import settings
    from service.ops import supervise

    names = {name: queue for queue, name in supervise.QUEUES.items()}
    chosen = list(dict.fromkeys(name.strip() for name in queues.split(",")))
    unknown = next((name for name in chosen if name not in names), None)
    if unknown is not None:
        raise click.ClickException(f"There is no queue “{unknown[:20]}”; there is: {', '.join(names)}.")
    _keep(*supervise.workers(settings.load(), [names[name] for name in chosen], concurrency))


@main.command()
def beat() -> None:
    """Run the beat process, and start it again when it ends; one is enough."""
    from service import settings
    from service.ops import supervise

    _keep(supervise.process(settings.load(), "beat", supervise.beat()))


@main.command("mail-in")
def mail_in() -> None:
    """Take one message from standard input: a bounce or a reply, piped here by the host's mail server.

    Exit code 0: taken, or dropped for good. 75: the mail server should keep it and try again, the database is away, say.
    """
    from service import settings
    from service.inbox import receiving as inbox

    try:
        click.echo(inbox.receive(settings.load(), sys.stdin.buffer.read(inbox.LARGEST + 1)))
    except Exception as problem:  # any other exit code would make the mail server send the message back
        click.echo(f"The message can't be taken just now ({type(problem).__name__}); try again later.", err=True)
        sys.exit(os.EX_TEMPFAIL)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the port is WRIT_INBOX_PORT.")
def inbox(host: str) -> None:
    """Run the process that takes bounces and replies by SMTP from the host's mail server."""
    import asyncio

    from aiosmtpd.smtp import SMTP

    from service import settings
    from service.inbox import receiving as taking

    found = settings.load()
    if not found.inbox:
        raise click.ClickException("WRIT_INBOX names the address at which mail reaches Writ; set it first.")

    handler = taking.Handler(found)

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(
            lambda: SMTP(handler, data_size_limit=taking.LARGEST, timeout=taking.PATIENCE), host, found.inbox_port
        )
        await server.serve_forever()

    try:
        asyncio.run(serve())
    except OSError as problem:
        raise click.ClickException(f"Port {found.inbox_port} of {host} can't be listened on: {problem.strerror}.") from None
    except KeyboardInterrupt:
        pass


def _keep(*processes: Child) -> NoReturn:
    """Become a process that keeps these running; this one has read the whole of Writ, which takes room."""
    from service.ops import children

    os.execve(sys.executable, children.commanded(processes), processes[0].env)


@main.command()
@click.option("--game", default=FIRST, show_default=True)
@click.option("--seats", default=6, show_default=True, type=click.IntRange(2, 6))
@click.option("--games", default=1, show_default=True, type=click.IntRange(1, 100))
@click.option("--seed", default="1", show_default=True, help="What the players' choices are drawn from.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep logs and letters in this folder.")
@click.option("--database", default="", help="Database address, empty at the start; default: SQLite in a folder of its own.")
@click.option("--broker", default="", help="Redis address; default: an embedded Valkey.")
@click.option("--smtp", is_flag=True, help="Deliver through an SMTP server (needs aiosmtpd) and not straight to a Maildir.")
@VARIANT
def demo(
    game: str, seats: int, games: int, seed: str, keep: Path | None, database: str, broker: str, smtp: bool, variant: str
) -> None:
    """Play whole games through letters and links alone, on an instance of its own; then verify their logs."""
    from service.ops import demo as demonstration

    options_of(game_called(game), seats, variant)
    sys.exit(demonstration.run(game, seats, games, seed, keep, database, broker, smtp, variant))


# --- logs -------------------------------------------------------------------------------------------------------------


@main.command()
@click.argument("file", type=EXISTING)
def verify(file: Path) -> None:
    """Replay a finished game's log offline: chain, seals, commitment, every move and shuffle, the result."""
    verdict = matches.verify(list(_lines(file)))
    click.echo(verdict.sentence)
    sys.exit(0 if verdict.holds else 1)


def _lines(file: Path) -> Iterator[str]:
    try:
        with open(file, "rb") as log:
            for number, line in enumerate(iter(lambda: log.readline(LONGEST_LINE + 1), b""), 1):
                if len(line) > LONGEST_LINE or number > MOST_LINES:
                    raise click.ClickException(f"Line {number} is longer, or one more, than any log has; this is none.")
                yield line.decode()
    except UnicodeDecodeError:
        raise click.ClickException(f"Line {number} is not UTF-8 text; it was changed.") from None
    except OSError as problem:
        raise click.ClickException(f"{file} can't be read: {problem.strerror or problem}.") from None


# --- the bare engine --------------------------------------------------------------------------------------------------


@main.command()
@click.option("--game", default=FIRST, show_default=True)
@click.option("--seats", default=6, show_default=True, type=click.IntRange(2, 6))
@click.option("--games", default=100, show_default=True, type=click.IntRange(1))
@click.option("--seed", default="1", show_default=True)
@click.option("--bots", default="random", show_default=True, help="Names with commas between; they go round the table.")
@click.option("--checked", is_flag=True, help="Check every answer, those of trusted bots too.")
@VARIANT
def playout(game: str, seats: int, games: int, seed: str, bots: str, checked: bool, variant: str) -> None:
    """Play games between bots on the bare engine; prints one JSON line. Exit code 1 if any stalled or failed."""
    from engine import playout as playing

    names = [name.strip() for name in bots.split(",") if name.strip()]
    tally = playing.run(game_called(game), seats, games, seed, names or ["random"], checked, variant)
    click.echo(json.dumps({"game": game, "seats": seats, "seed": seed, "bots": names, **tally.as_dict()}))
    sys.exit(1 if tally.errors or tally.stalls else 0)


@main.command()
@click.option("--game", default=FIRST, show_default=True)
@click.option("--seats", default=6, show_default=True, type=click.IntRange(2, 6))
@click.option("--games", default=50, show_default=True, type=click.IntRange(1))
@click.option("--seed", default="1", show_default=True)
@VARIANT
def tempo(game: str, seats: int, games: int, seed: str, variant: str) -> None:
    """Measure how often a table waits for somebody, without and with the preset of orders; prints one JSON line."""
    from engine import tempo as measuring

    found = measuring.run(game_called(game), seats, games, seed, variant=variant)
    click.echo(json.dumps({"game": game, "seats": seats, "games": games, "seed": seed, **found.as_dict()}))


@main.command()
@click.argument("files", type=EXISTING, nargs=-1, required=True)
def case(files: tuple[Path, ...]) -> None:
    """Run case files (position, moves, what is expected) and say which hold. Exit code 1 if any does not."""
    from engine import cases

    failed = 0
    for file in files:
        try:
            faults = cases.run(file)
        except Refused as refusal:
            faults = [str(refusal)]
        failed += bool(faults)
        click.echo(f"{'fails' if faults else 'holds'}  {file}")
        for fault in faults:
            click.echo(f"       {fault}")
    if len(files) > 1:
        click.echo(f"{len(files) - failed} of {len(files)} hold.")
    sys.exit(1 if failed else 0)


@main.command()
@click.argument("file", type=EXISTING)
@click.option("--seat", help="Whose view to print; default: the first seat asked. `none` for a spectator's.")
def position(file: Path, seat: str | None) -> None:
    """Print a position as text, its open asks, and one seat's view."""
    for line in put_together(lambda: list(_of_position(read_text(file), seat))):
        click.echo(line)


def _of_position(text: str, seat: str | None) -> Iterator[str]:
    game = game_of_position(text)
    state = game.read_position(text)
    if not state.waiting and state.table.outcome is None:
        procedure.begin(state)
    seats: list[str] = state.table.seats
    names = {s: s.upper() for s in seats}
    reader = seat or (state.waiting[0] if state.waiting else seats[0])
    if reader != "none" and reader not in seats:
        raise NotUnderstood(f"There is no seat “{reader[:20]}” here; there is: {', '.join(seats)}, or none.")
    yield game.position(state).rstrip("\n")
    for asked, ask in procedure.asks(state).items():
        form = describe(game, ask, names, state.serial)
        yield f"\n# asked of {asked}: {form.kind} ({form.rule}). {form.title}"
        for option in form.options:
            fields = "; ".join(_field(f) for f in option.fields)
            yield f"#   {option.id}: {option.label}" + (f" [{fields}]" if fields else "")
        yield f"#   by default: {write(ask.default)}"
    yield f"\n# as {'a spectator' if reader == 'none' else reader} sees it"
    yield game.position_seen(state, None if reader == "none" else reader).rstrip("\n")


def _field(field: FormField) -> str:
    chosen = field.items if isinstance(field, AssignField) else choices_of(field)
    ids = ", ".join(c.id if c.most == 1 else f"{c.id}*{c.most}" for c in chosen)
    bounds = f" {field.least}-{field.most}" if isinstance(field, SomeField | NumberField) else ""
    to = " > " + ", ".join(c.id for c in field.targets) if isinstance(field, AssignField) and field.targets else ""
    return f"{field.name}{bounds}: {ids}{to}".rstrip(": ")


@main.command()
def games() -> None:
    """List the games that can be played."""
    for game in GAMES.values():
        click.echo(f"{game.name}: {game.title}, {game.least} to {game.most} players, rules version {game.rules}")


if __name__ == "__main__":
    main()
