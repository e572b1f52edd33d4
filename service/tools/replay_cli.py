"""`writ host replay`: writes a finished game's replay file."""

from __future__ import annotations

from pathlib import Path

import click

from service.ops.click_groups import Serving

FORMS = (".html", ".txt", ".jsonl")


@click.command(cls=Serving)
@click.argument("game")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="A .html, .txt or .jsonl file.")
@click.option("--as", "seen_by", default="open", show_default=True, help="Whose view: a seat, `open` or `public`.")
@click.option("--for", "whom", type=click.Choice(("table", "strangers")), default="strangers", show_default=True)
@click.option("--names", type=click.Choice(("shown", "hidden")), default="shown", show_default=True)
@click.option("--rules", is_flag=True, help="Rule ids in a text.")
def replay(game: str, out: Path, seen_by: str, whom: str, names: str, rules: bool) -> None:
    """Write a finished game's replay file: one HTML page, a text, or the log. It holds all moves and the seed.

    For strangers without times, votes and ways of answering; for the table with the log as it is.
    """
    from service.replay import replay_copy
    from service.replay.viewer import Reader
    from service.settings import load
    from service.store.database import open_session
    from service.store.seats import seats_of
    from service.table import host
    from service.web import files, pages_alone
    from service.web.replay import replay_file
    from service.web.replay.replay import PUBLIC, labels

    if out.suffix not in FORMS:
        raise click.ClickException(f"{out} has to end in one of {', '.join(FORMS)}.")
    app = pages_alone()
    files.register(app)
    with open_session(load()) as session, app.app_context():
        match = host.game(session, game)
        rows = seats_of(session, match)
        if seen_by not in ("open", PUBLIC, *(row.seat for row in rows)):
            raise click.ClickException(f"“{seen_by}” is no seat of this table.")
        member = whom == "table" and names == "shown"
        reader = Reader("" if seen_by == PUBLIC else seen_by, member=member, nameless={} if names == "shown" else labels(rows))
        copy = replay_copy.take(session, match, rows, reader)
        if out.suffix == ".html":
            text = replay_file.html(copy, out.name)
        else:
            text = replay_file.text(copy, rules) if out.suffix == ".txt" else replay_file.log(copy)
    out.write_text(text, "utf-8", newline="\n")
    click.echo(f"{out}: {len(text.encode()) // 1000} kB." + ("" if out.suffix == ".txt" else " `writ verify` checks it."))
