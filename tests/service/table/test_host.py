"""What a host does: deadlines, pauses, seats, ends; export and import, backup and restore, figures, logs without secrets."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import random
import shutil
import stat
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlmodel as sql
import structlog
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import URLSafeTimedSerializer
from sqlalchemy import func, select
from sqlmodel import SQLModel

from engine.core.asks import Refused
from engine.play.match import verify
from service.ops import backup, exports, logs, metrics
from service.post import links
from service.replay import replay_copy
from service.seat import copies
from service.settings import Settings
from service.store import broker
from service.store.database import engine_for, open_session, transaction
from service.store.models import AskRow, Letter, Link, Match, Message, Report, SeatRow
from service.store.seats import seat_called
from service.table import commands, host, substitutes, talk
from tests import kept
from tests.house import HOUR, START, Deed, House, Sent, do
from tests.service.conftest import Players, open_table, person
from workers import adjudicate


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3)


def test_a_host_sees_whom_a_game_waits_for_and_not_who_has_answered_in_secret(house: House, rng: random.Random) -> None:
    house.players.submit("b", rng)
    house.tick()
    with open_session(house.settings) as session:
        (stands,) = host.running(session)
    assert [w.seat for w in stands.waits] == ["a", "b", "c"] and not stands.troubled


def test_deadlines_are_moved_paused_and_let_go_on(house: House) -> None:
    do(house, lambda s, m: host.extend(s, m, "b", host.duration("12h")))
    assert {a.seat: a.due_at for a in house.asks()}["b"] == START + 36 * HOUR
    do(house, lambda s, m: host.pause(s, m, START + timedelta(days=2)))
    assert min(a.due_at for a in house.asks() if a.due_at) == START + timedelta(days=3)
    do(house, lambda s, m: host.resume(s, m))
    assert min(a.due_at for a in house.asks() if a.due_at) == START + timedelta(days=1)
    assert [e.actor for e in house.entries()] == ["host"] * 3


def test_a_seat_is_given_to_somebody_else_and_a_game_is_ended(house: House) -> None:
    do(house, lambda s, m: host.replace(s, m, "b", "gwen@example.org", commands.OPERATOR))
    assert house.seat("b").wanted == "invited"
    do(house, lambda s, m: host.end(s, m, "Snow has  closed the passes."))
    with open_session(house.settings) as session:
        match = house.players.match(session)
        assert match.status == "finished" and verify(replay_copy.download(session, match, None)).holds
    assert "The people who run this service ended the game: Snow has closed the passes." in house.history(None)
    assert {e.actor for e in house.entries() if e.ask == "table"} == {"operator"}
    told = [letter.text for letter in house.letters("notice", "c")]
    assert len(told) == 1 and "The people who run this service took Bert’s seat away." in told[0]
    assert "The people who run this service gave your seat" in house.letters("replaced", "b")[0].text


def test_links_are_called_back_and_sent_anew(house: House) -> None:
    before = house.seat("a").key_generation
    do(house, lambda s, m: host.renew_links(s, m, "a"))
    assert house.seat("a").key_generation == before + 1 and len(house.letters("fresh_link", "a")) == 1
    assert "The people who run this service called back Anna’s links." in house.history("b")
    assert "The people who run this service called back your links." in house.history("a")
    do(house, lambda s, m: host.renew_own_links(s, m, "a"))
    assert house.seat("a").key_generation == before + 2 and len(house.letters("fresh_link", "a")) == 2
    do(house, lambda s, m: host.resend(s, m, "a"))
    assert len(house.letters("turn", "a")) == 1


@pytest.mark.parametrize(
    ("deed", "sentence"),
    [
        (lambda s, m: host.extend(s, m, "z", HOUR), "no seat “z”; it has: a, b, c"),
        (lambda s, m: host.extend(s, m, "a", timedelta(days=31)), "by up to 30 days"),
        (lambda s, m: host.extend(s, m, "b", timedelta(days=-30)), "can give time, not take it"),
        (lambda s, m: host.extend(s, m, "a", timedelta(hours=-1)), "can give time, not take it"),
        (lambda s, m: host.extend(s, m, "b", timedelta(hours=1), "b"), "More time is the host's to give"),
        (lambda s, m: host.extend(s, m, "b", timedelta(hours=1), "c"), "made nearer by its own player"),
        (lambda s, m: host.extend(s, m, "b", timedelta(hours=-1), "c"), "made nearer by its own player"),
        (lambda s, m: host.replace(s, m, "b"), "Bert has not missed a deadline"),
        (lambda s, m: host.replace(s, m, "b", "anna@example.org"), "the host's own address"),
        (lambda s, m: host.recall(s, m, "nothing"), "Nothing like that is announced"),
        (lambda s, m: host.watch(s, m, True), "opened to spectators by a vote"),
        (lambda s, m: host.pause(s, m, START - HOUR), "A pause must end within 30 days"),
        (lambda s, m: host.pause(s, m, START + timedelta(days=31)), "A pause must end within 30 days"),
        (lambda s, m: host.resume(s, m), "doesn't pause"),
        (lambda s, m: host.end(s, m, "  "), "needs a reason"),
        (lambda s, m: host.end(s, m, "x" * 301), "needs a reason"),
        (lambda s, m: host.replace(s, m, "a", "nonsense"), "isn’t an e-mail address"),
        (lambda s, _m: host.revoke(s, "nothing"), "There is no link"),
        (lambda s, _m: host.deal_with(s, "nothing"), "There is no report"),
        (lambda s, _m: host.game(s, "nothing-like-it"), "There is no game"),
    ],
)
def test_what_a_host_can_not_do_is_refused_with_a_sentence(house: House, deed: Deed, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        do(house, deed)
    assert house.entries() == []


@pytest.mark.parametrize("text", ["", "soon", "12", "0h", "1.5h", "12 weeks", "-0d"])
def test_what_is_no_span_is_told_so(text: str) -> None:
    with pytest.raises(Refused, match="isn’t a span of time"):
        host.duration(text)


def test_spans_are_read_as_people_write_them() -> None:
    assert [host.duration(t) for t in ("90m", "12H", " 3 d ", "-2h")] == [
        timedelta(minutes=90),
        timedelta(hours=12),
        timedelta(days=3),
        timedelta(hours=-2),
    ]


def test_reports_are_listed_until_they_are_dealt_with(house: House) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        message = talk.say(session, match, "a", "", "Something rude.", "key-of-anna")
        talk.report(session, match, "b", message.id, "rude")
    with transaction(house.settings) as session:
        ((report, message, match),) = host.reports(session)
        assert (report.why, message.text, match.name) == ("rude", "Something rude.", "Harvest war")
        host.deal_with(session, report.id)
        assert host.reports(session) == []


# --- files ------------------------------------------------------------------------------------------------------------


def everything(settings: Settings, but: tuple[str, ...] = ()) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    with engine_for(settings).connect() as connection:
        for table in backup.tables():
            if table.name not in but:
                rows = connection.execute(select(table).order_by(*table.primary_key.columns))
                found[table.name] = [tuple(row) for row in rows]
    return found


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path, empty_sqlite: Path) -> Iterator[Settings]:
    """An empty house on the other kind of database."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copy(empty_sqlite, folder / "writ.db")
    url = request.getfixturevalue("another_postgres_url") if "sqlite" in settings.database else ""
    found = Settings(
        data_folder=folder,
        database_url=url,
        secret_keys=("another-key-for-tests-of-32-letters-and-more", "a-key-for-tests-of-32-letters-and-more"),
        base_url="http://else.test",
    )
    yield found
    engine_for(found).dispose()


@pytest.fixture
def busy(settings: Settings, sent: Sent) -> Players:
    """A game with something in most tables."""
    return Players(settings, kept.begin(settings, "busy table", lambda: play(settings, random.Random(7))))


def play(settings: Settings, rng: random.Random) -> str:
    table = open_table(settings)
    table.adjudicate()
    for _ in range(12):
        for seat in table.asked():
            table.submit(seat, rng)
        table.adjudicate()
    with transaction(settings) as session:
        match = table.match(session)
        message = talk.say(session, match, "a", "b", "A quiet word — ünïcode.", "key-of-anna")
        talk.report(session, match, "b", message.id, "why not")
        talk.mute(session, match, "b", "a", True)
        copies.resend(session, match, seat_called(session, match, "a"))
        row = session.get(SeatRow, (match.id, "a"))
        assert row is not None
        row.orders, row.notes = {"SO-01": "on"}, "mine"
        session.add(row)
    return table.match_id


def test_a_backup_of_one_database_is_restored_on_the_other(
    busy: Players, settings: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "backup.zip"
    counts = backup.back_up(settings, file).rows
    assert counts["entries"] and counts["letters"] and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert backup.restore(elsewhere, file) == counts
    assert everything(elsewhere) == everything(settings)
    with pytest.raises(Refused, match="not empty"):
        backup.restore(elsewhere, file)
    with engine_for(elsewhere).begin() as connection, pytest.raises(Exception, match="append-only"):
        connection.execute(SQLModel.metadata.tables["entries"].delete())


def test_a_damaged_backup_changes_nothing(busy: Players, settings: Settings, elsewhere: Settings, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    backup.back_up(settings, file)
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(bytes(data))
    with pytest.raises(Refused):
        backup.restore(elsewhere, file)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(Refused, match="no file of Writ's"):
        backup.restore(elsewhere, tmp_path / "text")
    with engine_for(elsewhere).connect() as connection:
        for table in backup.tables():
            assert connection.execute(select(func.count()).select_from(table)).scalar_one() == 0


def repacked(file: Path, parts: dict[str, bytes | None]) -> Path:
    """The file with other parts (None: without them), and a manifest that says so."""
    with zipfile.ZipFile(file) as packed:
        found = {name: packed.read(name) for name in packed.namelist()}
    manifest = json.loads(found.pop("manifest.json"))
    for name, data in parts.items():
        found.pop(f"{name}.jsonl"), manifest["parts"].pop(name)
        if data is not None:
            found[f"{name}.jsonl"] = data
            manifest["parts"][name] = {"rows": data.count(b"\n"), "sha256": hashlib.sha256(data).hexdigest()}
    with zipfile.ZipFile(file.with_name("other.zip"), "w") as packed:
        for name, data in {**found, "manifest.json": json.dumps(manifest).encode()}.items():
            packed.writestr(name, data)
    return file.with_name("other.zip")


def remade(file: Path, manifest: dict[str, object]) -> Path:
    """The file with another manifest."""
    with zipfile.ZipFile(file) as packed, zipfile.ZipFile(file.with_name("remade.zip"), "w") as other:
        for name in packed.namelist():
            other.writestr(name, json.dumps(manifest) if name == "manifest.json" else packed.read(name))
    return file.with_name("remade.zip")


def lines(file: Path, part: str) -> list[dict[str, object]]:
    with zipfile.ZipFile(file) as packed:
        return [json.loads(line) for line in packed.read(f"{part}.jsonl").splitlines()]


def joined(rows: list[dict[str, object]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_whatever_bit_of_a_backup_turns_over_it_is_refused_or_still_whole(
    busy: Players, settings: Settings, tmp_path: Path, rng: random.Random
) -> None:
    file = tmp_path / "backup.zip"
    backup.back_up(settings, file)
    data, refused = file.read_bytes(), 0
    for _ in range(300):
        broken = bytearray(data)
        broken[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(bytes(broken))
        try:
            backup.Archive(file)
        except Refused:
            refused += 1
    assert refused > 150


def test_a_backup_that_lacks_a_part_or_a_row_changes_nothing(
    busy: Players, settings: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "backup.zip"
    backup.back_up(settings, file)
    with pytest.raises(Refused, match=r"The part “letters” of .* is missing"):
        backup.restore(elsewhere, repacked(file, {"letters": None}))
    with zipfile.ZipFile(file) as packed:
        manifest = json.loads(packed.read("manifest.json"))
    for revision, sentence in (("0001", "restore it with commit"), ("9999", "a newer Writ made it")):
        with pytest.raises(Refused, match=sentence):
            backup.restore(elsewhere, remade(file, manifest | {"revision": revision}))
    with pytest.raises(Refused, match="don't fit together"):
        backup.restore(elsewhere, repacked(file, {"accounts": joined(lines(file, "accounts")[1:])}))
    assert not any(everything(elsewhere).values())


def test_where_nothing_can_be_written_a_sentence_says_so(busy: Players, settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="can't be written: No such file or directory"):
        backup.back_up(settings, tmp_path / "nowhere" / "backup.zip")


def test_a_database_without_tables_can_be_restored_into_and_not_backed_up(
    busy: Players, settings: Settings, tmp_path: Path
) -> None:
    counts = backup.back_up(settings, tmp_path / "backup.zip").rows
    bare = Settings(data_folder=tmp_path / "bare", secret_keys=("a-key-for-tests-of-32-letters-and-more",))
    with pytest.raises(Refused, match="writ migrate"):
        backup.back_up(bare, tmp_path / "other.zip")
    assert backup.restore(bare, tmp_path / "backup.zip") == counts and everything(bare) == everything(settings)
    engine_for(bare).dispose()


def test_a_game_moves_to_another_house_and_goes_on(
    busy: Players, settings: Settings, elsewhere: Settings, tmp_path: Path, rng: random.Random
) -> None:
    file = tmp_path / "game.zip"
    exports.export(settings, busy.match_id, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert exports.import_(elsewhere, file) == busy.match_id
    adjudicate.adjudicate(elsewhere, busy.match_id)
    moved = Players(elsewhere, busy.match_id)
    with open_session(elsewhere) as session, open_session(settings) as before:
        there, here = moved.match(session), busy.match(before)
        assert (there.head, there.serial, there.name) == (here.head, here.serial, here.name)
        assert [m.text for m in session.exec(sql.select(Message))] == ["A quiet word — ünïcode."]
        assert session.get_one(SeatRow, (busy.match_id, "a")).orders == {"SO-01": "on"}
        assert len(session.exec(sql.select(Report)).all()) == 1
    assert moved.asked() == busy.asked()
    moved.finish(rng)
    with open_session(elsewhere) as session:
        assert verify(replay_copy.download(session, moved.match(session), None)).holds
    assert {letter.seat for letter in moved.letters("fresh_link")} == {"a", "b"}
    with pytest.raises(Refused, match="here already"):
        exports.import_(elsewhere, file)


def test_the_clocks_of_a_game_stand_still_while_it_moves(house: House, elsewhere: Settings, tmp_path: Path) -> None:
    exports.export(house.settings, house.players.match_id, tmp_path / "game.zip")
    left = {ask.seat: ask.due_at - START for ask in house.asks() if ask.due_at}
    house.clock.shift(timedelta(days=9))
    exports.import_(elsewhere, tmp_path / "game.zip")
    adjudicate.adjudicate(elsewhere, house.players.match_id)
    with open_session(elsewhere) as session:
        found = session.exec(sql.select(AskRow)).all()
        assert {ask.seat: ask.due_at - datetime.now(UTC) for ask in found if ask.due_at} == left
        assert all(ask.answered_at is None for ask in found)


def test_who_gave_up_a_seat_takes_no_other_after_the_game_moved(house: House, elsewhere: Settings, tmp_path: Path) -> None:
    for seat in "bc":
        house.command(seat, f"seek seat={seat}", email="")
    file = tmp_path / "game.zip"
    assert exports.export(house.settings, house.players.match_id, file)["left_seats"] == 2
    exports.import_(elsewhere, file)
    with transaction(elsewhere) as session:
        match, bert = session.get_one(Match, house.players.match_id), person(session, "Bert")
        with pytest.raises(Refused, match="another seat of this game"):
            substitutes.take(session, match, seat_called(session, match, "c"), bert)
        substitutes.take(session, match, seat_called(session, match, "b"), bert)
        assert not session.exec(sql.select(Letter).where(Letter.kind == "replaced")).all(), "the old house has sent them"


def test_an_export_by_another_version_or_without_a_part_is_not_taken_in(
    house: House, elsewhere: Settings, tmp_path: Path
) -> None:
    exports.export(house.settings, house.players.match_id, tmp_path / "game.zip")
    bare = repacked(tmp_path / "game.zip", {"left_seats": None})
    with pytest.raises(Refused, match=r"The part “left_seats” of .* is missing"):
        exports.import_(elsewhere, bare)
    with zipfile.ZipFile(bare) as packed:
        manifest = json.loads(packed.read("manifest.json"))
    with pytest.raises(Refused, match="take it in with the program that made it"):
        exports.import_(elsewhere, remade(bare, manifest | {"revision": "0040"}))


def test_a_finished_game_moves_too(over: Players, settings: Settings, elsewhere: Settings, tmp_path: Path) -> None:
    file = tmp_path / "game.zip"
    exports.export(settings, over.match_id, file)
    exports.import_(elsewhere, file)
    adjudicate.adjudicate(elsewhere, over.match_id)
    with open_session(elsewhere) as session:
        assert verify(replay_copy.download(session, Players(elsewhere, over.match_id).match(session), None)).holds


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("actor", "z", "does not follow from the one before"),
        ("move", "end", "is not what was sealed"),
        ("via", "clock", "is not what was sealed"),
    ],
)
def test_a_game_whose_log_was_changed_is_not_taken_in(
    busy: Players, settings: Settings, elsewhere: Settings, tmp_path: Path, name: str, value: str, sentence: str
) -> None:
    file = tmp_path / "game.zip"
    exports.export(settings, busy.match_id, file)
    rows = lines(file, "entries")
    changed = next(row for row in reversed(rows) if row[name] != value)
    changed[name] = value
    with pytest.raises(Refused, match=sentence):
        exports.import_(elsewhere, repacked(file, {"entries": joined(rows)}))
    with open_session(elsewhere) as session:
        assert session.get(Match, busy.match_id) is None


# --- figures and logs -------------------------------------------------------------------------------------------------


def test_readiness_names_what_is_missing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "answers", lambda _settings: True)
    with open_session(house.settings) as session:
        assert metrics.readiness(house.settings, session)["ready"] is True
    house.clock.shift(timedelta(minutes=2))
    with open_session(house.settings) as session:
        found = metrics.readiness(house.settings, session)
    assert (found["ready"], found["database"], found["beat"]) == (False, True, False)
    monkeypatch.setattr(metrics, "newest_migration", lambda: "9999")
    with open_session(house.settings) as session:
        assert metrics.readiness(house.settings, session)["migrated"] is False


def test_without_tables_or_broker_nothing_is_ready(tmp_path: Path) -> None:
    bare = Settings(
        data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), broker_url="redis://127.0.0.1:1/0"
    )
    with open_session(bare) as session:
        found = metrics.readiness(bare, session)
    assert found == {"database": True, "migrated": False, "beat": False, "broker": False, "disk": False, "ready": False}
    engine_for(bare).dispose()


def test_the_figures_count_games_letters_and_waits(house: House) -> None:
    with open_session(house.settings) as session:
        text = metrics.figures(session).decode()
    assert 'writ_games{status="running"} 1.0' in text and "writ_open_asks 3.0" in text
    assert 'writ_letters{state="sent"} 3.0' in text and "writ_overdue_asks 0.0" in text


@given(st.emails(), st.text(st.sampled_from("abcXYZ019_-"), min_size=16, max_size=60), st.text(max_size=20))
def test_no_log_line_tells_an_address_or_a_token(address: str, token: str, words: str) -> None:
    event = {"event": "x", "about": f"{words} {address} /t/{token} redis://me:{token}@h/0"}
    line = json.dumps(logs.masked(None, "info", event), ensure_ascii=False)
    assert f"/t/{token}" not in line and f":{token}@" not in line and f" {address} " not in line


def test_the_line_that_stands_in_for_the_postman_is_left_alone() -> None:
    event = {"event": "letter", "link": "http://x/t/abcdefghijklmnop", "to": "a@b.c"}
    assert logs.masked_except_printed_letters(None, "info", event) == event
    assert logs.masked(None, "info", event) == {"event": "letter", "link": "http://x/t/…", "to": "…@…"}


SECRETS = ("anna@example.org", "abcdefghijklmnopqrst", "IjAxOWFiY2RlZmdoaWprbG1ub3Ai.AbCdEfGhIjKlMnOpQrStUvWxYz0")
nested = st.recursive(
    st.none() | st.integers() | st.sampled_from([f"to {SECRETS[0]}", f"/t/{SECRETS[1]}", SECRETS[2], f"x {SECRETS[2]} y"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5) | st.just(SECRETS[0]), inner) | st.tuples(inner),
    max_leaves=10,
)


@given(nested)
def test_no_secret_lies_too_deep_to_be_masked(value: object) -> None:
    line = repr(logs.masked(None, "info", {"event": "x", "about": value, "problem": ValueError(SECRETS[0])}))
    assert not any(secret in line for secret in SECRETS)


def test_what_signs_links_and_cookies_is_known_to_the_mask(settings: Settings) -> None:
    link = Link(purpose="turn", expires_at=START)
    token, cookie = links.sign(settings, link), URLSafeTimedSerializer("k").dumps({"account": link.id})
    assert logs.mask(f"got {token} and {cookie}.") == "got … and …."


def test_lines_of_libraries_are_masked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = logging.getLogRecordFactory()
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    try:
        logs.configure()
        said: list[str] = []
        handler = logging.Handler()
        handler.emit = lambda record: said.append(logging.Formatter().format(record))  # type: ignore[method-assign]  # shorter than a class
        library = logging.getLogger("some.library")
        library.addHandler(handler)
        try:
            raise ValueError(f"no mailbox for {SECRETS[0]}")
        except ValueError:
            library.exception("GET /t/%s failed for %s", SECRETS[1], SECRETS[0])
        library.warning("%d is no number", SECRETS[0])
        structlog.get_logger().info("hello", to=SECRETS[0])
        line = json.loads(written.getvalue().splitlines()[-1])
    finally:
        logging.setLogRecordFactory(before)
        structlog.reset_defaults()
        library.removeHandler(handler)
    assert "GET /t/… failed for …@…" in said[0] and "ValueError: …" in said[0]
    assert said[1].startswith("%d is no number")
    assert not any(secret in words for words in said for secret in SECRETS)
    assert (line["event"], line["to"], line["level"]) == ("hello", "…@…", "info")


def test_moments_in_files_keep_their_zone() -> None:
    table = SQLModel.metadata.tables["beats"]
    row = {"name": "x", "at": datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)}
    assert backup.read(table, backup.out(table, row)) == row
