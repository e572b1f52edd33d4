"""Commands that import the games: log verification, simulated games, the demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from service.ops.click_groups import Serving

if TYPE_CHECKING:
    from engine.game import AnyState, Game
    from engine.tools.tempo import Spans
    from engine.ui.forms import FormField


def _first() -> str:
    from engine.games import GAMES

    return next(iter(GAMES))


GAME = click.option("--game", default=_first, show_default="the first that `writ games` lists")
VARIANT = click.option("--variant", default="", help="Optional rules, as an answer: `play rules=[mayhem]`; default: none.")
RULING = click.option(
    "--ruling", "rulings", multiple=True, metavar="ID=ALTERNATIVE", help="A house ruling; as often as needed. Default: none."
)
LONGEST_LINE = 2_000_000
"""Bytes; a header may hold a host's own file."""
MOST_LINES = 200_000
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)

# --- logs -------------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("file", type=EXISTING)
def verify(file: Path) -> None:
    """Verify a finished game's log or HTML file by replaying it: chain, seals, commitment, every move and shuffle, the
    result.
    """
    from engine.play import match as matches
    from engine.play import proof

    lines = list(_lines(file))
    page = bool(lines) and lines[0].lower().startswith(proof.START)
    verdict = proof.verify_file("".join(lines)) if page else matches.verify(lines)
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


# --- simulated games --------------------------------------------------------------------------------------------------


@click.command()
@GAME
@click.option("--seats", default=6, show_default=True, type=click.IntRange(2, 6))
@click.option("--games", default=100, show_default=True, type=click.IntRange(1))
@click.option("--seed", default="1", show_default=True)
@click.option("--bots", default="random", show_default=True, help="Names with commas between; they go round the table.")
@VARIANT
@RULING
def playout(game: str, seats: int, games: int, seed: str, bots: str, variant: str, rulings: tuple[str, ...]) -> None:
    """Play games between bots, without a database; prints one JSON line. Exit code 1 if any stalled or failed."""
    from engine.games import game_called
    from engine.tools import playout as playing

    names = _names(bots)
    tally = playing.run(game_called(game), seats, games, seed, names or ["random"], variant, _ruled(rulings))
    click.echo(json.dumps({"game": game, "seats": seats, "seed": seed, "bots": names, **asdict(tally)}))
    sys.exit(1 if tally.errors or tally.stalls else 0)


@click.command()
@GAME
@click.option("--seats", default="", help="Numbers with commas between, in turns; default: every number that the game takes.")
@click.option("--games", default=100, show_default=True, type=click.IntRange(1), help="At each number of seats.")
@click.option("--seed", default="1", show_default=True)
@click.option("--every", default=50, show_default=True, type=click.IntRange(1), help="Games before the next number of seats.")
def fuzz(game: str, seats: str, games: int, seed: str, every: int) -> None:
    """Look for faults: random games with random optional rules and rulings, powers and proposals included; checks all
    invariants in every position. Prints a JSON line for every turn at a number of seats, and one for all at the end.
    Exit code 1 if any game stalled or failed; each is named with its seed and its rules, and the run goes on."""
    from engine.games import game_called
    from engine.tools import fuzz as fuzzing

    found_game = game_called(game)
    turns = []
    for found in fuzzing.run(
        found_game, _seats(found_game.rules.seats[0], found_game.rules.seats[-1], seats), games, seed, every
    ):
        turns.append(found)
        click.echo(json.dumps({"game": game, "seed": seed, **asdict(found)}))
    total = fuzzing.together(turns)
    click.echo(json.dumps({"game": game, "seed": seed, **total}))
    sys.exit(1 if total["errors"] or total["stalls"] else 0)


def _seats(least: int, most: int, text: str) -> list[int]:
    words = _names(text)
    if not all(word.isdecimal() and least <= int(word) <= most for word in words):
        raise click.ClickException(
            f"“{text[:20]}” are no numbers of seats; this game is for {least} to {most}, so: {least},{most}."
        )
    return [int(word) for word in words] or list(range(least, most + 1))


@click.command()
@GAME
@click.option("--seats", default=6, show_default=True, type=click.IntRange(2, 6))
@click.option("--games", default=50, show_default=True, type=click.IntRange(1))
@click.option("--seed", default="1", show_default=True)
@click.option("--bots", default="", help="Names with commas between; they go round the table. Default: the most sensible.")
@click.option("--pace", "pace_", default="daily", show_default=True, help="A preset of the house.")
@VARIANT
@RULING
def tempo(game: str, seats: int, games: int, seed: str, bots: str, pace_: str, variant: str, rulings: tuple[str, ...]) -> None:
    """Measure how often a table waits and how many days a game takes, plain, with the preset of orders, and with answers in
    advance, too; prints one JSON line.
    """
    from engine.games import game_called
    from engine.tools import tempo as measuring

    found_game = game_called(game)
    names = _names(bots) or [found_game.bots.steward]
    found = measuring.run(found_game, seats, games, seed, names, variant, _spans(pace_), wanted=_ruled(rulings))
    facts = {"game": game, "seats": seats, "games": games, "seed": seed, "bots": names, "pace": pace_}
    click.echo(json.dumps({**facts, **found.as_dict()}))


def _spans(name: str) -> Spans:
    """Durations of a preset; a reaction has half the hours of a turn."""
    from engine.tools.tempo import Spans
    from service.clock import pace

    if name not in pace.PRESETS:
        raise click.ClickException(f"There is no pace “{name[:20]}”; there is: {', '.join(pace.PRESETS)}.")
    chosen = pace.Pace(turn=pace.PRESETS[name] * pace.HOUR, reaction=pace.PRESETS[name] * pace.HOUR // 2)
    turn, reaction, grace, bank = (span / pace.HOUR for span in (chosen.turn, chosen.reaction, chosen.grace, chosen.bank))
    return Spans(turn, reaction, grace, bank, chosen.saved / 100)


def _ruled(pairs: tuple[str, ...]) -> dict[str, str]:
    from service.store.rulings import read_all

    return read_all(pairs)


def _names(bots: str) -> list[str]:
    return [name.strip() for name in bots.split(",") if name.strip()]


@click.command()
@click.argument("files", type=EXISTING, nargs=-1, required=True)
def case(files: tuple[Path, ...]) -> None:
    """Run case files (position, moves, expected result) and say which hold. Exit code 1 if any does not."""
    from engine.core.asks import Refused
    from engine.play import cases

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


@click.command()
@click.argument("file", type=EXISTING)
@click.option("--seat", help="Whose view to print; default: the first seat asked. `none` for a spectator's.")
@click.option("--entry", type=click.IntRange(0), help="Of a log: the position after this entry; default: after the last.")
def position(file: Path, seat: str | None, entry: int | None) -> None:
    """Print a position, its open asks, and one seat's view. FILE is a position as text, or a finished game's log."""
    from engine.play.proof import position_after
    from engine.text.notation import put_together, read_text

    with open(file, "rb") as opened:
        is_log = opened.read(1) == b"{"
    if is_log:
        lines = list(_lines(file))
        printed = put_together(lambda: list(_of_state(*position_after(lines, entry), seat)))
    elif entry is not None:
        raise click.ClickException("--entry goes with a log; this file is none.")
    else:
        printed = put_together(lambda: list(_of_position(read_text(file), seat)))
    click.echo("\n".join(printed))


def _of_position(text: str, seat: str | None) -> Iterator[str]:
    from engine.core import procedure
    from engine.games import game_of_position

    game = game_of_position(text)
    state = game.rules.notation.read(text)
    if not state.waiting and state.table.outcome is None:
        procedure.begin(state)
    yield from _of_state(game, state, seat)


def _of_state(game: Game, state: AnyState, seat: str | None) -> Iterator[str]:
    from engine.core import procedure
    from engine.core.asks import NotUnderstood, write
    from engine.ui.forms import describe

    seats: list[str] = state.table.seats
    names = {s: s.upper() for s in seats}
    reader = seat or (state.waiting[0] if state.waiting else seats[0])
    if reader != "none" and reader not in seats:
        raise NotUnderstood(f"There is no seat “{reader[:20]}” here; there is: {', '.join(seats)}, or none.")
    yield game.rules.notation.whole(state).rstrip("\n")
    for asked, ask in procedure.asks(state).items():
        form = describe(game, ask, names, state.serial)
        yield f"\n# asked of {asked}: {form.kind} ({form.rule}). {form.title}"
        for option in form.options:
            fields = "; ".join(_field(f) for f in option.fields)
            yield f"#   {option.id}: {option.label}" + (f" [{fields}]" if fields else "")
        yield f"#   by default: {write(ask.default)}"
    yield f"\n# as {'a spectator' if reader == 'none' else reader} sees it"
    yield game.rules.notation.seen(state, None if reader == "none" else reader).rstrip("\n")


def _field(field: FormField) -> str:
    from engine.ui.forms import AssignField, NumberField, RowsField, SomeField, choices_of

    if isinstance(field, RowsField):
        return f"{field.name} {field.least}-{field.most} rows: ({'; '.join(map(_field, field.fields))})"
    chosen = field.items if isinstance(field, AssignField) else choices_of(field)
    ids = ", ".join(c.id if c.most == 1 else f"{c.id}*{c.most}" for c in chosen)
    bounds = f" {field.least}-{field.most}" if isinstance(field, SomeField | NumberField) else ""
    to = " > " + ", ".join(c.id for c in field.targets) if isinstance(field, AssignField) and field.targets else ""
    return f"{field.name}{bounds}: {ids}{to}".rstrip(": ")


@click.command()
@click.argument("game")
@click.option("--seats", type=click.IntRange(2, 6), help="Default: a game for each number of seats that it takes.")
@click.option("--seed", default="1", show_default=True)
@click.option("--bots", default="", help="Names with commas between; they go round the table. Default: the most sensible.")
@click.option("--name", default="", help="What the files are called after their number of seats; default: how the game ends.")
@click.option("--folder", default="tests/games", show_default=True, type=click.Path(file_okay=False, path_type=Path))
@VARIANT
@RULING
def record(
    game: str, seats: int | None, seed: str, bots: str, name: str, folder: Path, variant: str, rulings: tuple[str, ...]
) -> None:
    """Record whole games between bots for tests/games. Files that are there stay as they are."""
    from engine.core.rulings import chosen
    from engine.games import game_called
    from engine.play import match as matches
    from engine.tools import recording

    found = game_called(game)
    names = _names(bots) or [found.bots.steward]
    for n in found.rules.seats if seats is None else [seats]:
        ruled = chosen(found.rules.rulings, _ruled(rulings))
        match = recording.play(found, recording.Plan(n, seed, names, variant, ruled))
        file = folder / found.name / recording.name_of(match, name)
        lines = recording.text(match)
        verdict = matches.verify(lines.splitlines())
        if not verdict.holds:
            raise click.ClickException(verdict.sentence)
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with file.open("x", encoding="utf-8", newline="\n") as written:
                written.write(lines)
        except FileExistsError:
            raise click.ClickException(f"{file} is there already, and stays: choose another --seed or --name.") from None
        click.echo(f"{file}: {verdict.sentence}")


@click.command()
@click.option("--check", "name", default="", metavar="NAME", help="Say what this game owes, and what it could add.")
def games(name: str) -> None:
    """List the games, and what keeps one from being offered. `--check`: exit code 1 if it owes anything."""
    from engine.games import GAMES
    from service.games import boards

    if name:
        sys.exit(_check(name))
    for game in GAMES.values():
        least, most, version = game.rules.seats[0], game.rules.seats[-1], game.rules.version
        click.echo(f"{game.name}: {game.title}, {least} to {most} players, rules version {version}")
        fault = boards.fault(game)
        if fault is not None:
            click.echo(f"  {fault}")
    for broken, why in GAMES.faults.items():
        click.echo(f"{broken}: can't be played. {why}")


def _check(name: str) -> int:
    from engine.games import GAMES, game_called
    from engine.tools import owed
    from service.games import boards

    if name in GAMES.faults:
        raise click.ClickException(f"{name} can't be played. {GAMES.faults[name]}")
    game = game_called(name)
    faults = owed.faults(game, listed=boards.template(game, "board.html").startswith("default/"))
    fault = boards.fault(game) if not faults else None
    owes = [*faults, *([str(fault)] if fault is not None else [])]
    click.echo(f"{name} owes:" if owes else f"{name} owes nothing.")
    for sentence in owes:
        click.echo(f"  {sentence}")
    _offer(owed.brings(game))
    return 1 if owes else 0


def _offer(brings: list[tuple[str, str]]) -> None:
    click.echo("\nNot needed, but it brings something:" if brings else "")
    for what, text in brings:
        click.echo(f"  {what:<12}  {text}")


@click.command("new-game")
@click.argument("name")
@click.option("--folder", default=".", show_default=True, type=click.Path(file_okay=False, path_type=Path), help="Where to.")
def new_game(name: str, folder: Path) -> None:
    """Write a small game that runs, to be changed into yours: docs/adding-a-game.md."""
    from engine.tools import owed, skeleton
    from service.tools import new_game as files

    written = files.write(name, folder)
    for file in written:
        click.echo(f"{file}: {len(file.read_text('utf-8').splitlines())} lines")
    click.echo("\nRegister it, check it, play it:")
    click.echo(f"  python -m pip install --no-deps --no-build-isolation --editable {folder / name}")
    click.echo(f"  writ games --check {name}")
    click.echo(f"  writ demo --game {name} --seats 3 --offers")
    _offer(owed.brings(skeleton.GAME))


# --- the whole of it ---------------------------------------------------------------------------------------------------


@click.command(cls=Serving)
@GAME
@click.option("--seats", default=6, show_default=True, type=click.IntRange(2, 6))
@click.option("--games", default=1, show_default=True, type=click.IntRange(1, 100))
@click.option("--seed", default="1", show_default=True, help="What the players' choices are drawn from.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep logs and letters in this folder.")
@click.option("--database", default="", help="Database address, empty at the start; default: SQLite in a folder of its own.")
@click.option("--broker", default="", help="Redis address; default: an embedded Valkey.")
@click.option("--smtp", is_flag=True, help="Deliver through an SMTP server (needs aiosmtpd) and not straight to a Maildir.")
@click.option("--offers", is_flag=True, help="Let the players use powers and make offers, too.")
@VARIANT
@RULING
def demo(game: str, seats: int, variant: str, rulings: tuple[str, ...], **options: Any) -> None:
    """Play whole games through letters and links alone, on a separate instance; then verify their logs."""
    from engine.core.asks import write
    from engine.core.rulings import chosen
    from engine.game import choice_of
    from engine.games import game_called
    from service.tools import demo as demonstration

    found = game_called(game)
    choice = choice_of(found, seats, variant, aimless=True)
    if variant or found.rules.variants.bounded:
        variant = write(choice)
    wanted = _ruled(rulings)
    chosen(found.rules.rulings, wanted)
    sys.exit(demonstration.run(game, seats, variant=variant, ruled=wanted, **options))
