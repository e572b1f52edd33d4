"""Export and import of one game, to move it to another instance. The file holds decrypted secrets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, select
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, SQLModel

from engine.core.asks import NotLegal, NotUnderstood, Refused
from engine.core.chance import secret
from engine.games import game_called
from engine.play import match as matches
from engine.play.match import Entry
from engine.text.notation import said
from service.clock import deadlines, pace, standstill
from service.common import addresses, text_input
from service.games.lobby import LONGEST_NAME
from service.log import packing
from service.ops import backup
from service.people.accounts import by_id
from service.post import letters
from service.settings import Settings
from service.store import queue
from service.store.database import engine_for, transaction
from service.store.models import GUEST, Match, MatchStatus, new_id, now
from service.store.seats import by_match_id, seats_of

TABLES = (
    "accounts",
    "matches",
    "seats",
    "left_seats",
    "entries",
    "sealed_answers",
    "events",
    "asks",
    "submissions",
    "reminders",
    "absences",
    "standstills",
    "votes",
    "ballots",
    "notices",
    "commands",
    "threads",
    "messages",
    "read_marks",
    "mutes",
    "move_notes",
    "reports",
    "problem_reports",
)
"""Parts in foreign-key order. Letters aren't exported; links are created again."""
REFERS = {"match_id": "matches", "vote_id": "votes", "thread_id": "threads", "message_id": "messages"}
"""Column -> the part that its rows are in."""
CLEARED: dict[str, dict[str, Any]] = {
    "matches": {"snapshot": None, "snapshot_n": 0},
    "accounts": {"calendar_key": "", "calendar_mark": ""},
}
"""Values that leave no instance, and are taken from no file: a cache, and a person's secret."""
LARGEST = 256 * 1024 * 1024
"""Unpacked bytes of a game's parts, which are read into memory."""


def _of_game(table: Table, match_id: str) -> Any:
    metadata = SQLModel.metadata.tables
    if table.name == "matches":
        return table.c.id == match_id
    if table.name == "accounts":
        seats, left_seats = metadata["seats"], metadata["left_seats"]
        host = select(metadata["matches"].c.host_id).where(metadata["matches"].c.id == match_id)
        sat = select(seats.c.account_id).where(seats.c.match_id == match_id)
        left = select(left_seats.c.account_id).where(left_seats.c.match_id == match_id)
        return table.c.id.in_(sat) | table.c.id.in_(host) | table.c.id.in_(left)
    if table.name == "ballots":
        return table.c.vote_id.in_(select(metadata["votes"].c.id).where(metadata["votes"].c.match_id == match_id))
    if table.name == "read_marks":
        return table.c.thread_id.in_(select(metadata["threads"].c.id).where(metadata["threads"].c.match_id == match_id))
    return table.c.match_id == match_id


def export(settings: Settings, match_id: str, file: Path) -> dict[str, int]:
    """Export a game from one snapshot; returns rows per part."""
    with backup.one_moment(settings) as connection:
        log = SQLModel.metadata.tables["packed_logs"]
        packed = connection.execute(select(log).where(log.c.match_id == match_id)).first()
        columns = {"entries": packing.ENTRIES, "events": packing.EVENTS}

        def lines(table: Table) -> Iterator[str]:
            if packed is not None and table.name in columns:
                for kept_row in packing.rows_of(getattr(packed, table.name), columns[table.name]):
                    yield backup.out(table, {"match_id": match_id, **kept_row})
                return
            rows = connection.execute(select(table).where(_of_game(table, match_id)).order_by(*table.primary_key.columns))
            for row in rows.mappings():
                yield backup.out(table, dict(row) | CLEARED.get(table.name, {}))

        parts = ((name, lines(SQLModel.metadata.tables[name])) for name in TABLES)
        return backup.write(settings, connection, file, backup.ONE_GAME, parts, _still_since(settings, connection))


def _still_since(settings: Settings, connection: Connection) -> datetime | None:
    beats = SQLModel.metadata.tables["beats"]
    found = {name: at for name, at in connection.execute(select(beats.c.name, beats.c.at))}
    outage = deadlines.ongoing(found.get(deadlines.BEAT), found.get(deadlines.MAIL), settings.down_seconds)
    return outage[0] if outage is not None else None


def import_(settings: Settings, file: Path) -> str:
    """Import a game in one transaction; returns its id.

    Its clocks stand still since the export, and players get fresh links. Raises NotUnderstood for a damaged file or invalid
    log, NotLegal if the game exists here.
    """
    archive = backup.Archive(file, backup.ONE_GAME)
    try:
        match = _take_in(settings, archive)
    except (Refused, OperationalError):
        raise
    except Exception as problem:  # the hashes are right but the content isn't: a forged file
        raise NotUnderstood(f"{file.name} can't be taken in; its parts don't fit together ({said(problem)}).") from None
    if match["status"] == "running":
        with transaction(settings) as session:  # fresh links: older ones lead to the other instance
            row = by_match_id(session, match["id"])
            for seat in seats_of(session, row):
                if seat.account_id is not None:
                    letters.fresh_link(session, row, seat, by_id(session, seat.account_id))
    queue.send(settings, queue.ADJUDICATE, match["id"])
    return str(match["id"])


def _take_in(settings: Settings, archive: backup.Archive) -> dict[str, Any]:
    if sum(part.file_size for part in archive.packed.infolist()) > LARGEST:
        raise NotUnderstood(f"{archive.name} is larger than any game; nothing was taken in.")
    with engine_for(settings).connect() as connection:
        backup.check_revision(archive, connection)
    parts = {name: list(archive.rows(SQLModel.metadata.tables[name])) for name in TABLES}
    if len(parts["matches"]) != 1:
        raise NotUnderstood(f"{archive.name} holds no game.")
    match = parts["matches"][0]
    _check_rows(parts)
    if match["header"] is not None:
        entries = [Entry(**{name: row[name] for name in Entry.__struct_fields__}) for row in parts["entries"]]
        check_log(match["header"], match["seed"], match["head"], entries)
    _check_people(match, parts)
    match |= CLEARED["matches"]
    with engine_for(settings).execution_options(writ_writes=True).begin() as connection:
        table = SQLModel.metadata.tables["matches"]
        if connection.execute(select(table.c.id).where(table.c.id == match["id"])).first() is not None:
            raise NotLegal("This game is here already; end it and leave it, or take it in elsewhere.")
        people = _people(connection, parts["accounts"])
        match["host_id"] = people[match["host_id"]]
        for seat in (*parts["seats"], *parts["left_seats"]):
            seat["account_id"] = people.get(seat["account_id"])
        for command in parts["commands"]:
            if command["facts"].get("account") in people:
                command["facts"]["account"] = people[command["facts"]["account"]]
        for name in TABLES[1:]:
            backup.insert(connection, SQLModel.metadata.tables[name], parts[name])
        if match["status"] == "running":
            since = archive.manifest.still_since or archive.manifest.made
            with Session(connection, info={"settings": settings}, join_transaction_mode="rollback_only") as session:
                standstill.stand_still(session, session.get_one(Match, match["id"]), (standstill.MOVE, since, now()))
                session.flush()
    return match


def _check_rows(parts: dict[str, list[dict[str, Any]]]) -> None:
    """Refuse rows of other games: a command in a forged file would be carried out at a table of this instance. Raises
    NotUnderstood.
    """
    for named, part in REFERS.items():
        ids = {row["id"] for row in parts[part]}
        for name in TABLES[2:]:
            if any(named in row and row[named] not in ids for row in parts[name]):
                raise NotUnderstood(f"The part “{name}” has rows of another game; the file was changed.")


def _check_people(match: dict[str, Any], parts: dict[str, list[dict[str, Any]]]) -> None:
    """Compare the seats with the log's, and check names and addresses as if typed. Raises NotUnderstood; ValueError for other
    invalid values.
    """
    pace.of(match["pace"])
    header = match["header"]
    if header is None:
        if parts["entries"] or match["status"] in (MatchStatus.RUNNING, MatchStatus.FINISHED):
            raise NotUnderstood("The game has begun, but its log has no header; the file was changed.")
    else:
        log = matches.read_header(header)
        if (log.match, log.game) != (match["id"], match["game"]) or {*log.names} != {row["seat"] for row in parts["seats"]}:
            raise NotUnderstood("The log is of another game, or of other seats; the file was changed.")
    bots = {"", *game_called(match["game"]).bots.players}
    for row in parts["seats"]:
        if row["bot"] not in bots or row["steward"] not in bots:
            raise NotUnderstood(f"There is no such bot as at seat {row['seat']}; the file was changed.")
    for row in (*parts["seats"], *parts["accounts"]):
        if len(row["name"]) > LONGEST_NAME or text_input.unfit(row["name"]) or text_input.piled(row["name"]):
            raise NotUnderstood("A name in the file can't be shown; the file was changed.")
    for email in (row["email"] for row in parts["accounts"]):
        if not email.startswith(GUEST) and addresses.clean(email) != email:
            raise NotUnderstood("An account in the file has no valid address; the file was changed.")


def _people(connection: Connection, rows: list[dict[str, Any]]) -> dict[str, str]:
    """Find or create accounts; returns old id -> new id."""
    table = SQLModel.metadata.tables["accounts"]
    found: dict[str, str] = {}
    for row in rows:
        known = connection.execute(select(table.c.id).where(table.c.email == row["email"])).scalar()
        if known is None:
            known = new_id()
            connection.execute(table.insert(), [{**row, **CLEARED["accounts"], "id": known}])
        found[row["id"]] = known
    return found


def check_log(header_line: str, seed: bytes, head: str, entries: list[Entry]) -> None:
    """Verify hash chain, seals and commitment, and replay. Raises Refused."""
    header = matches.read_header(header_line)
    prev, key = header.hash(), secret(seed, (s.entropy for s in header.seats))
    for entry in entries:
        if entry.prev != prev or matches.entry_hash(entry) != entry.hash:
            raise NotUnderstood(f"Entry {entry.n} of the log does not follow from the one before; the file was changed.")
        seals = tuple(matches.seal(key, entry.n, part, text or "") for part, text in (("move", entry.move), ("via", entry.via)))
        if seals != (entry.sealed_move, entry.sealed_via):
            raise NotUnderstood(f"Entry {entry.n} of the log is not what was sealed; the file was changed.")
        prev = entry.hash
    if matches.replay(header, seed, entries).head != head:
        raise NotUnderstood("The log is not the one that the game's head names; the file was changed.")
