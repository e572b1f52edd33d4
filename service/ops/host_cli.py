"""`writ host ...`: operators' commands. Players are notified of every change to a game."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.ops.click_groups import Serving, Words

if TYPE_CHECKING:
    from sqlmodel import Session

OUT = click.Path(dir_okay=False, path_type=Path)
IN = click.Path(exists=True, dir_okay=False, path_type=Path)


class _House(Words):
    command_class = Serving

    def words_for(self, problem: Exception) -> str:
        from sqlalchemy.exc import DBAPIError, OperationalError

        from service.errors import CannotDecrypt
        from service.ops import preflight
        from service.ops.logs import mask

        if isinstance(problem, DBAPIError):
            words = mask(str(problem.orig).partition("\n")[0])
            advice = preflight.advice(words) if isinstance(problem, OperationalError) else ""
            return f"The database can't be used: {words}. {advice or 'Is it there, and did `writ migrate` run?'}"
        return str(problem) if isinstance(problem, CannotDecrypt) else super().words_for(problem)


def _reading() -> AbstractContextManager[Session]:
    from service.settings import load
    from service.store.database import open_session

    return open_session(load())


def _writing() -> AbstractContextManager[Session]:
    from service.post.disclosure import writing
    from service.settings import load

    return writing(load())


@click.group(name="host", cls=_House, elsewhere={"replay": "service.tools.replay_cli:replay"})
def main() -> None:
    """Look after games, letters and data."""


@main.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON line a game.")
def games(as_json: bool) -> None:
    """List the running games and the players they wait for."""
    from service.common.dates import shown, span
    from service.store.models import now
    from service.table import host

    with _reading() as session:
        found = host.running(session)
    if as_json:
        for s in found:
            waits = [{"seat": w.seat, "since": w.since.isoformat(), "due": w.due_at and w.due_at.isoformat()} for w in s.waits]
            seats = [{"seat": x.seat, "name": x.name, "missed": x.missed, "steward": x.steward} for x in s.seats]
            line: dict[str, object] = {"id": s.match.id, "name": s.match.name, "game": s.match.game, "status": s.match.status}
            line |= {"waits": waits, "seats": seats}
            click.echo(json.dumps(line | {"letters_come_back": sorted(s.troubled)}))
        return
    for s in found:
        click.echo(f"{s.match.id[:12]}  {s.match.name}")
        names = {x.seat: x.name for x in s.seats}
        for w in s.waits:
            due = f"due by {shown(w.due_at, 'UTC')}" if w.due_at else "no deadline"
            click.echo(f"  waits for {w.seat} {names[w.seat]}, for {span((now() - w.since).total_seconds())}; {due}")
        for x in s.seats:
            remarks = [f"missed {x.missed}"] if x.missed else []
            remarks += ["kept by a steward"] if x.steward else []
            remarks += ["letters come back"] if x.seat in s.troubled else []
            if remarks:
                click.echo(f"  {x.seat} {x.name}: {', '.join(remarks)}")
    if not found:
        click.echo("No game is running.")


@main.command()
@click.argument("game")
@click.argument("seat")
@click.option("--by", required=True, help="A span: 12h, 90m, 3d; -2h shortens.")
def extend(game: str, seat: str, by: str) -> None:
    """Move a deadline."""
    from service.table import host
    from service.table.commands import OPERATOR

    with _writing() as session:
        host.extend(session, host.game(session, game), seat, host.duration(by), OPERATOR)
    click.echo("The deadline moves as soon as a worker has taken it up.")


@main.command()
@click.argument("game")
@click.option("--for", "for_", help="A span: 12h, 3d.")
@click.option("--until", help="A moment: 2026-11-24T10:00:00+00:00.")
def pause(game: str, for_: str | None, until: str | None) -> None:
    """Let all clocks of a game stand still for a while."""
    from service.store.models import now
    from service.table import host
    from service.table.commands import OPERATOR, moment

    if bool(for_) == bool(until):
        raise click.ClickException("A pause has one end: give --for or --until.")
    with _writing() as session:
        end = moment(until) if until else now() + host.duration(for_ or "")
        host.pause(session, host.game(session, game), end, OPERATOR)
    click.echo("The game pauses.")


@main.command()
@click.argument("game")
def resume(game: str) -> None:
    """End a pause."""
    from service.table import host
    from service.table.commands import OPERATOR

    with _writing() as session:
        host.resume(session, host.game(session, game), OPERATOR)
    click.echo("The game goes on.")


@main.command()
@click.argument("game")
@click.argument("seat")
@click.option("--email", default="", help="Whom to invite; without it anybody may take the seat.")
def replace(game: str, seat: str, email: str) -> None:
    """Look for somebody else for a seat."""
    from service.table import host
    from service.table.commands import OPERATOR

    with _writing() as session:
        host.replace(session, host.game(session, game), seat, email, OPERATOR)
    click.echo("The seat is looked for; a steward keeps it until then.")


@main.command()
@click.argument("game")
@click.option("--reason", required=True, help="Everybody reads it.")
@click.option("--yes", is_flag=True, help="Don't ask.")
def end(game: str, reason: str, yes: bool) -> None:
    """End a game without a winner."""
    from service.table import host

    with _reading() as session:
        match = host.game(session, game)
    # Asked before the transaction, which would block the game's answers.
    if not yes:
        click.confirm(f"End “{match.name}” for good?", abort=True)
    with _writing() as session:
        host.end(session, host.game(session, match.id), reason)
    click.echo("The game is over as soon as a worker has taken it up.")


@main.command()
@click.argument("letter", default="")
@click.option("--game", default="")
@click.option("--seat", default="")
def resend(letter: str, game: str, seat: str) -> None:
    """Send a letter once more by its id, or a seat what it is asked."""
    from service.table import host

    if bool(letter) == bool(game and seat):
        raise click.ClickException("Name one letter by its id, or a seat with --game and --seat.")
    with _writing() as session:
        if letter:
            host.send_again(session, letter)
        else:
            host.resend(session, host.game(session, game), seat)
    click.echo("It is on its way again.")


@main.command()
@click.option("--link", default="", help="The id of one link.")
@click.option("--game", default="")
@click.option("--seat", default="")
def revoke(link: str, game: str, seat: str) -> None:
    """Revoke a link, or all links of a seat; its owner gets a new one."""
    from service.table import host

    if bool(link) == bool(game and seat):
        raise click.ClickException("Name one link with --link, or a seat with --game and --seat.")
    with _writing() as session:
        if link:
            host.revoke(session, link)
        else:
            host.renew_links(session, host.game(session, game), seat)
    click.echo("Called back.")


@main.command()
def letters() -> None:
    """Count the letters by state; list the oldest that are due or wait for a retry, with the reason, and dead addresses."""
    from service.common.dates import shown
    from service.post import ledger, outgoing
    from service.store import tallies
    from service.table import host

    with _reading() as session:
        if held := outgoing.held_since(session):
            click.echo(f"held since {shown(held, 'UTC')}; `writ host resume-mail` sends them")
        for status, n in sorted(tallies.by_status(session, "letters").items()):
            click.echo(f"{status}: {n}")
        oldest = ledger.oldest_unsent(session)
        click.echo(f"oldest unsent: {shown(oldest, 'UTC') if oldest else 'none'}")
        for letter in ledger.stuck(session):
            tried = f"attempts: {letter.attempts}, next at {shown(letter.next_try_at, 'UTC')}"
            click.echo(f"  {letter.id}  {letter.kind}, {tried}: {ledger.said(letter.error) or 'no reply yet'}")
        for account in host.bounced_accounts(session):
            click.echo(f"comes back: {account.email} ({account.bounce})")


@main.command("letter")
@click.argument("id")
def letter_(id: str) -> None:
    """Show one letter's delivery history."""
    from service.common.dates import shown
    from service.post import ledger
    from service.store.models import Letter, LetterStatus

    with _reading() as session:
        letter = session.get(Letter, id)
        if letter is None:
            raise click.ClickException(f"There is no letter “{id[:32]}”.")
        for line in ledger.lines(session, letter):
            click.echo(f"{shown(line.at, 'UTC')}  {line.status}  {line.words}".rstrip())
        if letter.status == LetterStatus.DROPPED and not letter.error:
            click.echo("dropped before it was sent: answered meanwhile, or its reader left the seat, opted out or is banned")


@main.command()
@click.option("--done", default="", help="Mark the report of that id as dealt with.")
def reports(done: str) -> None:
    """List the messages and the problems that players have reported."""
    from service.table import host, problems

    with _writing() as session:
        if done:
            host.deal_with(session, done)
        for problem, match in problems.pending(session):
            click.echo(f"{problem.id}  {match.name}, entry {problem.n}, by {problem.name}: {problem.words!r}")
        for report, message, match in host.reports(session):
            click.echo(f"{report.id}  {match.name}  by {message.name}: {message.text!r}  ({report.why})")


@main.command()
@click.argument("id")
@click.option("--out", type=OUT, help="A file to write; default: print it.")
def report(id: str, out: Path | None) -> None:
    """Make a case file of a reported problem. It holds all hands: keep it to yourself while the game runs."""
    from service.table import problems

    with _reading() as session:
        text = problems.case(session, *problems.found(session, id))
    if out is None:
        click.echo(text, nl=False)
        return
    out.write_text(text, "utf-8")
    click.echo(f"{out}: `writ case` runs it.")


@main.command()
def halted() -> None:
    """List halted games, each with its trace. A trace may show hands: keep it to yourself."""
    from service.common.dates import shown
    from service.seat import halting
    from service.store.models import now

    with _reading() as session:
        found = halting.halted(session)
    for match in found:
        click.echo(f"{match.id}  {match.name} ({match.game}), since {shown(match.halted_at or now(), 'UTC')}")
        step = f" in the step {match.halt['step']}" if match.halt["step"] else ""
        click.echo(f"after entry {match.halt['entry']}{step}: {match.halt['problem']}\n{match.halt['trace']}")
    if not found:
        click.echo("No game is halted.")


@main.command()
@click.argument("game")
def retry(game: str) -> None:
    """Retry a halted game once its fault is fixed."""
    from service.seat import halting
    from service.table import host

    with _writing() as session:
        halting.retry(session, host.game(session, game))
    click.echo("The game goes on as soon as a worker has taken it up, and its table is told. Look at `writ host halted` then.")


@main.command("export")
@click.argument("game")
@click.argument("file", type=OUT)
def export_(game: str, file: Path) -> None:
    """Export one game, with all its secrets, to a file that only you can read."""
    from service.ops import exports
    from service.settings import load
    from service.table import host

    found = load()
    with _reading() as session:
        match = host.game(session, game)
    counts = exports.export(found, match.id, file)
    click.echo(f"“{match.name}” is in {file.name}: {counts['entries']} entries, {counts['seats']} seats.")


@main.command("import")
@click.argument("file", type=IN)
def import_(file: Path) -> None:
    """Import one game from a file."""
    from service.ops import exports
    from service.settings import load

    click.echo(f"The game is here, as {exports.import_(load(), file)}; the workers open it in a moment.")


@main.command("backup")
@click.argument("file", type=OUT, required=False)
@click.option("--to", type=click.Path(file_okay=False, path_type=Path), help="Write a dated file into this folder.")
@click.option("--keep", type=click.IntRange(1), help="With --to: delete all but the newest N dated files.")
@click.option("--verify", type=IN, help="Restore this file into a temporary database, and replay every game.")
def backup_(file: Path | None, to: Path | None, keep: int | None, verify: Path | None) -> None:
    """Back up everything to a file, from one snapshot, or verify a backup.

    The secret key is not in it; keep that elsewhere.
    """
    if sum(one is not None for one in (file, to, verify)) != 1:
        raise click.ClickException("Name a FILE, or a folder with --to, or a backup with --verify.")
    if keep is not None and to is None:
        raise click.ClickException("--keep goes with --to.")
    with _cleaning_up():
        if verify is not None:
            _verify(verify)
        else:
            _back_up(file, to, keep)


@contextmanager
def _cleaning_up() -> Iterator[None]:
    """Turn SIGTERM into KeyboardInterrupt, so that an unfinished file or a temporary database is deleted."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _back_up(file: Path | None, folder: Path | None, keep: int | None) -> None:
    from service.ops import backup, dated_backups
    from service.settings import load
    from service.store.models import now

    at = now()
    if file is not None:
        written = backup.back_up(load(), file)
        entries = written.entries
        words = f"{sum(written.rows.values())} rows of {len(written.rows)} tables are in {file.name}."
    elif folder is not None:
        made = dated_backups.back_up_to(load(), folder, keep)
        file, entries = made.file, made.entries
        words = f"{file}: {made.bytes} bytes; games: {made.games}; entries: {entries}; older deleted: {len(made.deleted)}"
    else:
        return
    try:
        dated_backups.record(load(), file, at, entries)
    except OSError as problem:  # the backup is complete
        click.echo(f"Warning: {dated_backups.FILE} can't be written: {problem.strerror or problem}.", err=True)
    click.echo(words)


def _verify(file: Path) -> None:
    from service.common.dates import shown
    from service.ops import rehearsal
    from service.settings import load

    found = rehearsal.verify(load(), file)
    games = ", ".join(f"{n} {status}" for status, n in sorted(found.games.items())) or "none"
    then = found.manifest.revision
    migrated = "" if then == found.head else f", migrated to {found.head}"
    click.echo(f"Made {shown(found.manifest.made, 'UTC')} with tables {then}; restored into {found.database}{migrated}.")
    click.echo(f"Games: {games}. Accounts: {found.accounts}. Letters: {found.letters}.")
    click.echo(f"{found.logs} logs with {found.entries} entries hold, {found.revealed} of them to seed and result.")


@main.command()
@click.argument("file", type=IN)
@click.option("--quiet", is_flag=True, help="Hold all letters until `writ host resume-mail`.")
def restore(file: Path, quiet: bool) -> None:
    """Restore a backup into an empty database; from either kind of database, and of this or an older version of Writ."""
    from service.common.folder import make_private
    from service.ops import backup, preflight
    from service.settings import load

    found = load()
    make_private(found.data_folder)
    preflight.check_database(found, migrated=False)
    with preflight.told(found):
        counts = backup.restore(found, file, quiet)
    click.echo(f"{sum(counts.values())} rows of {len(counts)} tables are back.")
    if backup.Archive(file).manifest.key not in map(backup.fingerprint, found.keys):
        click.echo("The first secret key of then is not among those of now: links in old letters and sign-ins are void.")
    if quiet:
        click.echo("No letter leaves, and all clocks stand still, until `writ host resume-mail`.")


@main.command("resume-mail")
def resume_mail() -> None:
    """Send letters again after `writ host restore --quiet`."""
    from service.post import outgoing

    with _writing() as session:
        if outgoing.held_since(session) is None:
            raise click.ClickException("Mail is not held.")
        waiting = outgoing.resume(session)
    click.echo(f"Letters leave again; {waiting} wait.")


@main.command()
def reencrypt() -> None:
    """Re-encrypt everything with the first secret key, so that older keys can be removed; the service may run."""
    from service.ops import reencryption
    from service.settings import load

    found = reencryption.reencrypt(load())
    click.echo(f"{found.done} values are encrypted with the first key now.")
    if found.busy:
        raise click.ClickException(f"{found.busy} rows were in use all the time; run this once more.")
    if found.undecryptable:
        raise click.ClickException(
            f"{found.undecryptable} values are encrypted with a key that is not in WRIT_SECRET_KEYS, and stay as they are; "
            "put that key behind the first, and run this once more."
        )


@main.command()
@click.argument("old")
@click.argument("new")
def address(old: str, new: str) -> None:
    """Change the address of a player with bouncing letters: NEW gets a letter and must agree. If NEW has an account, the two
    are merged.
    """
    from service.people import accounts, address_changes

    with _writing() as session:
        change = address_changes.ask_for(session, accounts.known(session, old), new)
    click.echo(f"A letter is on its way to {change.new_email}; its button makes the change.")


@main.command()
@click.argument("email")
@click.option("--why", required=True, help="The person reads it; nobody at a table does.")
def ban(email: str, why: str) -> None:
    """Ban an account: it is signed out, its links open nothing, stewards keep its seats."""
    from service.people import accounts
    from service.table import bans

    with _writing() as session:
        bans.ban(session, accounts.known(session, email), why)
    click.echo("Banned. A letter says so to its owner; stewards keep its seats.")


@main.command()
@click.argument("email")
def unban(email: str) -> None:
    """End the ban of an account."""
    from service.people import accounts
    from service.table import bans

    with _writing() as session:
        bans.unban(session, accounts.known(session, email))
    click.echo("The ban is over; a letter says so to its owner.")


@main.command()
@click.argument("email")
@click.option("--yes", is_flag=True, help="Don't ask.")
def erase(email: str, yes: bool) -> None:
    """Erase a person: account, letters, links, decks and notes; running games go on without them."""
    from service.ops import own_data
    from service.people import accounts

    with _reading() as session:
        account = accounts.known(session, email)
    if not yes:
        click.confirm(f"Erase {account.email} for good?", abort=True)
    with _writing() as session:
        own_data.erase(session, accounts.by_id(session, account.id))
    click.echo("Erased. What logs of games hold of the name stays in them.")
