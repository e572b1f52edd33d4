"""Sealing at rest: what lies in the database, which keys open it, what happens without them, and how a key is changed."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import JSON, LargeBinary, String, TypeDecorator
from sqlmodel import SQLModel, col, select

from engine.core.chance import secret
from service.clock import calendar
from service.errors import CannotDecrypt, NotFound
from service.log import sharing
from service.ops import backup, reencryption
from service.replay import journal
from service.seat import notes
from service.seat.state import state_of
from service.settings import Settings
from service.store import database as db
from service.store import encryption
from service.store.encryption import Cipher, EncryptedBytes, EncryptedJSON, EncryptedText, Undecryptable
from service.store.models import Account, Letter, LetterStatus, Match, SeatRow, Submission, SubmissionStatus, now
from service.table import problems, talk
from tests import kept
from tests.service.conftest import Players, on_postgres, open_table
from workers import adjudicate, retention, sweep
from workers.letters import delivery, digest, reminders

OPEN = {
    "accounts": "id email name language zone created_at generation letters digest_hour ladder quiet_from quiet_to weekends_off "
    "bounced_at bounce calendar_mark subjects guides notes_read banned_at banned_why pronoun",
    "matches": "id name game options host_id status access seats header snapshot_n serial head outcome pace spectators "
    "watch_mark shared nameless_mark share_mark rematch_of halted_at created_at started_at finished_at practice take_back "
    "muster muster_until fill_at quiet_bots",
    "seats": "match_id seat account_id bot colour name entropy key_generation status invited_email letters bank missed steward "
    "turn_mark turn_left moved_n wanted agreed favourite present_at pronoun",
    "asks": "match_id seat serial kind opened_at answered_at allowed extended given recipe due_at falls_at remind_at "
    "kept_at kept_via frozen",
    "submissions": "id match_id seat serial kind via status order written_at created_at done_at",
    "sealed_answers": "id match_id seat serial kind via mark at",
    "letters": "id account_id to_address match_id seat serial kind subject message_id status digest_id attempts "
    "next_try_at created_at written_at sent_at error",
    "messages": "id thread_id match_id seat name via at",
    "move_notes": "id match_id seat name n shared at",
    "problem_reports": "id match_id seat name n at done_at",
    "commands": "id match_id actor words status created_at done_at",
}
"""Columns that lie open, of the tables that hold something sealed: a new one is put here, or sealed."""


@pytest.fixture
def full(settings: Settings, sent: list[tuple[str, ...]]) -> Players:
    """A game with something in most sealed columns."""
    id = kept.begin(settings, "most sealed columns", lambda: play(settings, random.Random(7)))
    return Players(settings.model_copy(update={"hold_seconds": 0}), id)


def play(settings: Settings, rng: random.Random) -> str:
    table = open_table(settings)
    table.adjudicate()
    table.settings = settings.model_copy(update={"hold_seconds": 0})
    for _ in range(6):
        for seat in table.asked():
            table.submit(seat, rng)
        table.adjudicate()
        delivery.deliver(settings)
    with db.transaction(settings) as session:
        match = table.match(session)
        talk.say(session, match, "a", "b", "Between you and me: Ünsinn.", "key-of-anna")
        sharing.let_watch(session, match, True)
        notes.put(session, match, "a", 1, "A good beginning.", shared=False)
        problems.report(session, match, "a", 1, "Bert's hand looks too full.")
        match.share_key = "a-key-to-be-shared"
        row = session.get(SeatRow, (match.id, "a"))
        assert row is not None
        row.notes, row.orders = "Beware of Bert.", {"SO-01": "on"}
        row.prepared, row.advance = {"none": "x"}, [{"id": "1", "kind": "none"}]
        session.add(row)
        calendar.renew(session, session.exec(select(Account).where(Account.name == "Anna")).one())
    return table.match_id


def stored(settings: Settings) -> dict[str, list[object]]:
    """Every sealed value that is not empty, as it lies in the database: by its purpose."""
    found: dict[str, list[object]] = {}
    with db.engine_for(settings).connect() as connection:
        for table in backup.tables():
            for name, purpose in encryption.purposes(table).items():
                column = encryption.as_stored(table).c[name]
                found[purpose] = [value for value in connection.execute(sa.select(column)).scalars() if value]
    return found


def opened(settings: Settings) -> dict[str, list[str]]:
    """The same values, open."""
    found = {}
    with db.engine_for(settings).connect() as connection:
        for table in backup.tables():
            for name, purpose in encryption.purposes(table).items():
                found[purpose] = sorted(map(repr, connection.execute(sa.select(table.c[name])).scalars()))
    return found


def keyed(settings: Settings, *keys: str) -> Settings:
    return settings.model_copy(update={"secret_keys": keys})


# --- values and columns -----------------------------------------------------------------------------------------------


@given(st.binary(max_size=3000), st.text(min_size=1), st.text(min_size=1))
def test_what_is_sealed_opens_with_its_key_and_for_its_purpose_alone(data: bytes, key: str, other: str) -> None:
    cipher = Cipher([key])
    sealed = cipher.encrypt("seats.notes", data)
    assert cipher.decrypt("seats.notes", sealed) == data and sealed.isascii()
    assert Cipher(["new", key]).decrypt("seats.notes", sealed) == data and Cipher(["new", key]).is_old("seats.notes", sealed)
    assert not cipher.is_old("seats.notes", sealed)
    with pytest.raises(CannotDecrypt):
        cipher.decrypt("letters.text", sealed)
    if other != key:
        with pytest.raises(CannotDecrypt, match="WRIT_SECRET_KEYS"):
            Cipher([other]).decrypt("seats.notes", sealed)


@given(st.binary(min_size=1, max_size=2000), st.integers(0, 10_000), st.integers(1, 255))
def test_a_changed_value_opens_to_nothing(data: bytes, at: int, by: int) -> None:
    cipher = Cipher(["k"])
    raw = bytearray(base64.urlsafe_b64decode(cipher.encrypt("x", data)))
    raw[at % len(raw)] ^= by
    with pytest.raises(CannotDecrypt):
        cipher.decrypt("x", base64.urlsafe_b64encode(raw).decode())


def test_every_column_is_sealed_or_known_to_lie_open() -> None:
    for table in backup.tables():
        sealed = encryption.purposes(table)
        assert all(purpose == f"{table.name}.{name}" for name, purpose in sealed.items())
        if sealed or table.name in OPEN:
            assert {c.name for c in table.columns} - set(sealed) == set(OPEN[table.name].split()), table.name
        for column in table.columns:
            impl: dict[type, type] = {EncryptedText: String, EncryptedJSON: JSON, EncryptedBytes: LargeBinary}
            kind = impl.get(type(column.type))
            assert kind is None or (isinstance(column.type, TypeDecorator) and isinstance(column.type.impl, kind))


def test_what_is_secret_lies_sealed(full: Players, settings: Settings) -> None:
    lying = stored(settings)
    missing = {purpose for purpose, values in lying.items() if not values}
    assert missing <= {
        "matches.halt",
        "sealed_answers.move",
        "asks.kept",
        "submissions.refusal",
        "commands.facts",
        "letters.facts",
    }
    cipher = Cipher(settings.keys)
    for purpose, values in lying.items():
        for value in values:
            assert isinstance(value, str | bytes)
            assert cipher.decrypt(purpose, encryption.word(value))


def test_a_copy_of_the_database_shows_no_link_no_seed_no_note(full: Players, settings: Settings, tmp_path: Path) -> None:
    with db.open_session(settings) as session:
        match = full.match(session)
        letter = full.letters("turn")[0]
        link = letter.text.partition("/t/")[2].split()[0]
        watch, feed = match.watch_key, session.exec(select(Account).where(Account.name == "Anna")).one().calendar_key
        seats = session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)).all()
        chance = secret(match.seed, (seat.entropy for seat in seats))
        assert chance.encode() in (match.snapshot or b"")
        needles = [b"Beware of Bert", b"Between you and me", link.encode(), watch.encode(), feed.encode(), chance.encode()]
        needles += [match.seed, base64.b64encode(match.seed), b"List-Unsubscribe"]
    assert link and watch and feed
    backup.back_up(settings, tmp_path / "copy.zip")
    whole = []
    with db.engine_for(settings).connect() as connection:
        for table in SQLModel.metadata.sorted_tables:
            for row in connection.exec_driver_sql(f"SELECT * FROM {table.name}"):
                whole += [value if isinstance(value, bytes) else str(value).encode() for value in row]
        if "sqlite" in settings.database:
            whole += [file.read_bytes() for file in tmp_path.glob("writ.db*")]
    archive = backup.Archive(tmp_path / "copy.zip")
    whole += [part for name in archive.manifest.parts for part in archive._raw(name)]
    for needle in needles:
        assert not any(needle in value for value in whole), needle


def test_nothing_is_sealed_where_nothing_is(table: Players, settings: Settings) -> None:
    with db.open_session(settings) as session:
        raw = session.connection().exec_driver_sql("SELECT notes, orders, advance, prepared FROM seats WHERE seat = 'a'").one()
        row = session.get(SeatRow, (table.match_id, "a"))
        assert row is not None and (row.notes, row.orders, row.advance, row.prepared) == ("", {}, [], {})
    assert [str(x) for x in raw] == ["", "{}", "[]", "{}"]


def test_private_addresses_are_found_by_their_marks(full: Players, settings: Settings) -> None:
    with db.transaction(settings) as session:
        anna = session.exec(select(Account).where(Account.name == "Anna")).one()
        match = full.match(session)
        assert b"VCALENDAR" in calendar.feed(session, anna.calendar_key)
        assert journal.watched(session, match.watch_key)[0].id == match.id
        for key in (anna.calendar_mark, match.watch_mark, ""):
            with pytest.raises(NotFound):
                calendar.feed(session, key)
            with pytest.raises(NotFound):
                journal.watched(session, key)
        calendar.close(session, anna)
        sharing.let_watch(session, match, False)
        assert anna.calendar_mark == match.watch_mark == ""


# --- another key ------------------------------------------------------------------------------------------------------


@pytest.fixture
def renewed(settings: Settings) -> Iterator[Settings]:
    """The same house with a new key before the old one."""
    found = keyed(settings, "a-new-key", *settings.keys)
    yield found
    db.engine_for(found).dispose()


def test_a_new_key_takes_over_and_the_old_one_goes(
    full: Players, settings: Settings, renewed: Settings, rng: random.Random
) -> None:
    before = opened(settings)
    assert opened(renewed) == before
    count = sum(map(len, stored(settings).values()))
    went = reencryption.reencrypt(renewed)
    assert (went.done, went.busy, went.undecryptable) == (count, 0, 0)
    assert reencryption.reencrypt(renewed).done == 0
    alone = keyed(settings, "a-new-key")
    assert opened(alone) == before
    moved = Players(alone, full.match_id)
    moved.finish(rng)
    db.engine_for(alone).dispose()
    with db.open_session(settings) as session:
        found = session.get(Match, full.match_id)
        assert found is not None and isinstance(found.seed, Undecryptable)


def test_it_goes_on_where_it_was_stopped(
    full: Players, settings: Settings, renewed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reencryption, "BATCH", 3)
    before, calls, whole = opened(settings), [0], reencryption._reencrypt

    def dies(*args: Any) -> None:
        calls[0] += 1
        if calls[0] == 4:
            raise KeyboardInterrupt
        whole(*args)

    with monkeypatch.context() as patch:
        patch.setattr(reencryption, "_reencrypt", dies)
        with pytest.raises(KeyboardInterrupt):
            reencryption.reencrypt(renewed)
    assert opened(renewed) == before
    assert 0 < reencryption.reencrypt(renewed).done < sum(map(len, stored(settings).values()))
    alone = keyed(settings, "a-new-key")
    assert opened(renewed) == opened(alone) == before
    db.engine_for(alone).dispose()


@on_postgres
def test_rows_in_use_are_left_alone_for_the_moment(
    full: Players, settings: Settings, renewed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reencryption, "PASSES", 1)
    with db.transaction(settings) as session:
        session.exec(select(Match).where(Match.id == full.match_id).with_for_update()).one()
        assert reencryption.reencrypt(renewed).busy == 1
    went = reencryption.reencrypt(renewed)
    assert (went.done, went.busy) == (4, 0)  # the seed, the snapshot, the spectators' address, the link to share


def test_without_the_key_a_game_and_a_letter_stop_with_a_sentence_and_nothing_else(
    full: Players, settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    other = keyed(settings, "another-key")
    with db.transaction(settings) as session:
        for letter in session.exec(select(Letter).where(Letter.kind == "turn")).all():
            letter.status = LetterStatus.GATHERED
    before = opened(settings)
    sweep.sweep(other)
    reminders.send_due(other)
    digest.send_due(other)
    with pytest.raises(CannotDecrypt, match=r"“matches\.seed” is encrypted with another secret key"):
        adjudicate.adjudicate(other, full.match_id)
    with db.open_session(other) as session:
        match, row = full.match(session), session.get(SeatRow, (full.match_id, "a"))
        assert match.name == "Harvest war" and row is not None and row.name == "Anna"
        for use in (lambda: state_of(match), lambda: str(row.notes), lambda: dict(row.orders), lambda: bool(row.notes)):
            with pytest.raises(CannotDecrypt):
                use()
    # What can't be read is not written over, either.
    with pytest.raises(Exception, match="is encrypted with another"), db.transaction(other) as session:  # noqa: PT012  (any of it may)
        first, second = session.get(SeatRow, (full.match_id, "a")), session.get(SeatRow, (full.match_id, "b"))
        assert first is not None and second is not None
        second.notes = first.notes
        session.add(second)
    assert opened(settings) == before
    # New games go on meanwhile.
    players = open_table(other)
    players.adjudicate()
    assert players.asked()
    db.engine_for(other).dispose()


def test_a_letter_that_cannot_be_opened_is_tried_again_and_nothing_else_stops(
    full: Players, settings: Settings, tmp_path: Path
) -> None:
    other = keyed(settings, "another-key")
    with db.transaction(settings) as session:
        letter = session.exec(select(Letter).where(Letter.kind == "started")).first()
        assert letter is not None
        letter.status, letter.next_try_at = LetterStatus.QUEUED, now()
        session.add(letter)
    delivery.deliver(other, letter.id)
    with db.open_session(other) as session:
        found = session.get(Letter, letter.id)
        assert found is not None and found.status == "queued" and "CannotDecrypt" in found.error
    db.engine_for(other).dispose()


def test_old_letters_are_thrown_away_with_or_without_their_key(full: Players, settings: Settings) -> None:
    other = keyed(settings, "another-key").model_copy(update={"keep_letters_days": 1})
    with db.transaction(settings) as session:
        for letter in session.exec(select(Letter)).all():
            letter.status, letter.created_at = LetterStatus.SENT, letter.created_at.replace(year=2020)
            letter.serial = 0
    assert retention.tidy(other) > 0
    assert not stored(settings)["letters.html"]
    db.engine_for(other).dispose()


def test_statements_seal_and_open_as_rows_do(table: Players, settings: Settings) -> None:
    answer = Submission(id="k" * 16, match_id=table.match_id, seat="a", serial=1, kind="x", move="a word", via="page")
    answer.status = SubmissionStatus.STALE
    with db.transaction(settings) as session:
        session.execute(
            sa.insert(Submission),
            [answer.model_dump()],
        )
        session.execute(sa.update(SeatRow).where(col(SeatRow.seat) == "a").values(advance=[{"id": "one"}]))
    assert stored(settings)["submissions.move"] != ["a word"]
    with db.open_session(settings) as session:
        assert session.exec(select(Submission.move)).all() == ["a word"]
        assert session.exec(select(SeatRow.advance).where(SeatRow.seat == "a")).one() == [{"id": "one"}]
