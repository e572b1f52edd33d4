"""Exports of a game that somebody has changed and summed up anew: refused with a sentence, and nothing is taken in."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from sqlmodel import SQLModel, select

from engine.play import match as matches
from service import settings as settings_
from service.games import lobby
from service.ops import backup, exports
from service.ops.cli import main
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import (
    Absence,
    Account,
    Command,
    EntryRow,
    Match,
    Message,
    ReadMark,
    SeatRow,
    Submission,
    Thread,
    now,
)
from tests.service.conftest import Players, person
from workers import adjudicate

NASTY: tuple[Any, ...] = (None, "", "x", "\u202e", -1, 0, 2**40, 1.5, True, [], {}, ["a"], {"a": 1})


House = Callable[[Path], Settings]


@pytest.fixture
def house(empty_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """house(folder) -> the settings of an empty house there, those that commands load from now on."""

    def made(folder: Path) -> Settings:
        folder.mkdir(mode=0o700)
        shutil.copy(empty_sqlite, folder / "writ.db")
        (folder / "writ.db").chmod(0o600)  # what others may read is said first, in the output, too
        keys = ("a-key-for-tests-of-32-letters-and-more",)
        found = Settings(data_folder=folder, secret_keys=keys, sqlite_synchronous="NORMAL")
        monkeypatch.setattr(settings_, "load", lambda: found)
        return found

    return made


@pytest.fixture
def exported(tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a game that is under way."""
    monkeypatch.setattr(queue, "send", lambda *_args: None)
    found = house(tmp_path / "here")
    with transaction(found) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 2, "open")
        lobby.join(session, match, person(session, "Bert"))
    adjudicate.adjudicate(found, match.id)
    players, rng = Players(found, match.id), random.Random(3)
    for _ in range(3):
        for seat in players.asked():
            players.submit(seat, rng)
        players.adjudicate()
    exports.export(found, match.id, tmp_path / "game.zip")
    return tmp_path / "game.zip"


def parts_of(file: Path) -> dict[str, list[Any]]:
    """The parts of an export as plain data."""
    with zipfile.ZipFile(file) as packed:
        names = json.loads(packed.read("manifest.json"))["parts"]
        return {name: [json.loads(line) for line in packed.read(f"{name}.jsonl").splitlines()] for name in names}


def summed_up(file: Path, parts: dict[str, list[Any]], to: Path) -> Path:
    """The export with other parts, and a manifest that fits them."""
    with zipfile.ZipFile(file) as packed, zipfile.ZipFile(to, "w") as fresh:
        manifest = json.loads(packed.read("manifest.json"))
        for name, rows in parts.items():
            data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
            manifest["parts"][name] = {"rows": len(rows), "sha256": hashlib.sha256(data).hexdigest()}
            fresh.writestr(f"{name}.jsonl", data)
        fresh.writestr("manifest.json", json.dumps(manifest))
    return to


def taken_in(file: Path) -> tuple[int, str]:
    ran = CliRunner().invoke(main, ["host", "import", str(file)])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), repr(ran.exception)
    return ran.exit_code, ran.output


def nothing_there(found: Settings) -> bool:
    with open_session(found) as session:
        return not any(session.exec(select(kind)).first() for kind in (Match, SeatRow, EntryRow))


def test_no_changed_export_ends_in_a_traceback_or_half_a_game(exported: Path, tmp_path: Path, house: House) -> None:
    rng, refused = random.Random(5), 0
    there = house(tmp_path / "there")
    for _ in range(60):
        parts = parts_of(exported)
        for _ in range(rng.randint(1, 2)):
            rows = parts[rng.choice(("matches", "seats", "entries", "accounts", "asks", "events", "matches"))]
            row = rng.choice(rows)
            match rng.randrange(5):
                case 0:
                    del row[rng.choice(list(row))]
                case 1:
                    row["stranger"] = 1
                case 2:
                    rows.append(dict(row))
                case 3:
                    rows[rows.index(row)] = rng.choice(NASTY)
                    break
                case _:
                    row[rng.choice([k for k in row if k not in ("name", "colour", "zone")])] = rng.choice(NASTY)
        code, said = taken_in(summed_up(exported, parts, tmp_path / "changed.zip"))
        if code == 0:  # what was changed is of no matter; make room for the next
            there = house(tmp_path / f"there-{rng.random()}")
            continue
        refused += 1
        assert code == 1 and said.startswith("Error: ") and nothing_there(there), said
    print(f"60 files, {refused} refused")
    assert refused > 30


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rulings": {"DEF-2": "nonsense"}}, "can't be “nonsense”"),
        ({"rules": 99}, "no rules version 99"),
        ({"options": {"x": 1}}, "no option"),
        ({"game": "chess"}, "no game called"),
    ],
)
def test_a_header_of_no_game_that_is_chained_anew_is_refused(
    change: dict[str, Any], words: str, exported: Path, tmp_path: Path, house: House
) -> None:
    there, parts = house(tmp_path / "there"), parts_of(exported)
    (match,) = parts["matches"]
    header = msgspec.structs.replace(matches.read_header(match["header"]), **change)
    match["header"], prev = msgspec.json.encode(header).decode(), header.hash()
    for row in parts["entries"]:
        entry = matches.Entry(**{name: row[name] for name in matches.Entry.__struct_fields__})
        entry = msgspec.structs.replace(entry, prev=prev)
        row["prev"], row["hash"] = prev, matches.entry_hash(entry)
        prev = row["hash"]
    match["head"] = prev
    code, said = taken_in(summed_up(exported, parts, tmp_path / "changed.zip"))
    assert code == 1 and words in said and nothing_there(there), said


def other_table(there: Settings) -> str:
    with transaction(there) as session:
        match = lobby.open_match(session, person(session, "Zoe"), "Peace", "ortus", 2, "open")
        lobby.join(session, match, person(session, "Yves"))
        session.add(Thread(match_id=match.id))
    adjudicate.adjudicate(there, match.id)
    return match.id


def test_no_row_of_a_file_is_put_into_another_game_of_the_house(exported: Path, tmp_path: Path, house: House) -> None:
    there = house(tmp_path / "there")
    other = other_table(there)
    with open_session(there) as session:
        thread = session.exec(select(Thread).where(Thread.match_id == other)).one().id
    (own,) = (row["id"] for row in parts_of(exported)["matches"])
    forged = {
        "commands": Command(match_id=other, actor="operator", words="end reason=War"),
        "submissions": Submission(id="f" * 32, match_id=other, seat="a", serial=1, kind="turn", move="end", via="page"),
        "absences": Absence(match_id=other, starts_at=now(), ends_at=now()),
        "threads": Thread(match_id=other, members="ab"),
        "messages": Message(thread_id=thread, match_id=own, seat="a", name="Zoe", text="I yield."),
        "read_marks": ReadMark(thread_id=thread, seat="a"),
    }
    for name, row in forged.items():
        parts = parts_of(exported)
        parts[name].append(json.loads(backup.out(SQLModel.metadata.tables[name], row.model_dump())))
        code, said = taken_in(summed_up(exported, parts, tmp_path / "changed.zip"))
        assert code == 1 and f"“{name}” has rows of another game" in said
    with open_session(there) as session:
        assert session.exec(select(Match)).one().id == other
    assert taken_in(exported)[0] == 0


CHANGES: dict[str, Callable[[dict[str, list[Any]]], object]] = {
    "of other seats": lambda parts: parts["seats"].pop(),
    "of another game": lambda parts: (
        [row.update(match_id="e" * 32) for rows in parts.values() for row in rows if "match_id" in row]
        and parts["matches"][0].update(id="e" * 32)
    ),
    "no header": lambda parts: parts["matches"][0].update(header=None),
    "no such bot": lambda parts: parts["seats"][0].update(steward="dragon"),
    "can't be shown": lambda parts: parts["seats"][0].update(name="Anna\u202e"),
    "valid address": lambda parts: parts["accounts"][0].update(email="ANNA@EXAMPLE.ORG"),
    "don't fit together": lambda parts: parts["matches"][0].update(pace={"turn": "long"}),
}


@pytest.mark.parametrize("words", CHANGES)
def test_seats_names_and_addresses_of_a_file_are_checked(words: str, exported: Path, tmp_path: Path, house: House) -> None:
    there, parts = house(tmp_path / "there"), parts_of(exported)
    CHANGES[words](parts)
    code, said = taken_in(summed_up(exported, parts, tmp_path / "changed.zip"))
    assert code == 1 and words in said and nothing_there(there), said


def test_a_file_of_a_later_version_says_so_whatever_is_new_in_it(exported: Path, tmp_path: Path, house: House) -> None:
    there, parts = house(tmp_path / "there"), parts_of(exported)
    for row in parts["entries"]:
        row["hash"] = row.pop("sealed_move")
    later = summed_up(exported, parts, tmp_path / "changed.zip")
    with zipfile.ZipFile(later) as packed:
        kept = {name: packed.read(name) for name in packed.namelist()}
    kept["manifest.json"] = json.dumps(json.loads(kept["manifest.json"]) | {"revision": "9999"}).encode()
    with zipfile.ZipFile(later, "w") as fresh:
        for name, data in kept.items():
            fresh.writestr(name, data)
    code, said = taken_in(later)
    assert code == 1 and "is of version 9999" in said and nothing_there(there), said


def test_a_snapshot_and_a_calendar_key_in_a_file_are_not_believed(exported: Path, tmp_path: Path, house: House) -> None:
    """The log is checked, not the snapshot; a known key would open a person's calendar to the maker of the file."""
    there, parts = house(tmp_path / "there"), parts_of(exported)
    parts["matches"][0] |= {"snapshot": "AAAA", "snapshot_n": 3}
    for account in parts["accounts"]:
        account |= {"calendar_key": "k" * 32, "calendar_mark": account["email"]}
    assert taken_in(summed_up(exported, parts, tmp_path / "changed.zip"))[0] == 0
    with open_session(there) as session:
        match = session.exec(select(Match)).one()
        assert (match.snapshot, match.snapshot_n) == (None, 0)
        assert {(a.calendar_key, a.calendar_mark) for a in session.exec(select(Account))} == {("", "")}


def test_files_that_are_no_export_are_refused(exported: Path, tmp_path: Path, house: House) -> None:
    there = house(tmp_path / "there")
    data = exported.read_bytes()
    broken = tmp_path / "broken.zip"
    rng = random.Random(7)
    for content in (b"", b"PK", data[: len(data) // 2], rng.randbytes(4000), data + b"x" * 9):
        broken.write_bytes(content)
        code, said = taken_in(broken)
        assert code in (0, 1), said
    for _ in range(60):
        changed = bytearray(data)
        changed[rng.randrange(len(changed))] ^= rng.randint(1, 255)
        broken.write_bytes(changed)
        code, said = taken_in(broken)
        assert code in (0, 1), said
    assert taken_in(tmp_path)[0] == 2 and taken_in(tmp_path / "missing")[0] == 2
    assert there


@pytest.mark.parametrize(
    ("line", "lines", "words"),
    [(bytes(1024 * 1024), 100, "missing or damaged"), (b"{" + b" " * 1021 + b"}\n", 9 * 1024, "larger than any game")],
)
def test_a_file_that_unpacks_to_more_than_any_game_is_refused_before_it_fills_the_memory(
    line: bytes, lines: int, words: str, exported: Path, tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "LARGEST", 8 * 1024 * 1024 if lines > 100 else exports.LARGEST)
    there, bomb = house(tmp_path / "there"), tmp_path / "bomb.zip"
    with zipfile.ZipFile(exported) as packed, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as fresh:
        manifest, digest = json.loads(packed.read("manifest.json")), hashlib.sha256()
        for name in manifest["parts"]:
            if name != "messages":
                fresh.writestr(f"{name}.jsonl", packed.read(f"{name}.jsonl"))
        with fresh.open("messages.jsonl", "w") as part:
            for _ in range(lines):
                part.write(line)
                digest.update(line)
        rows = lines if line.endswith(b"\n") else 1
        manifest["parts"]["messages"] = {"rows": rows, "sha256": digest.hexdigest()}
        fresh.writestr("manifest.json", json.dumps(manifest))
    assert bomb.stat().st_size < 2_000_000
    tracemalloc.start()
    try:
        code, said = taken_in(bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert code == 1 and words in said and nothing_there(there), said
    assert peak < 90 * 1024 * 1024
