"""What is kept of one person: taken away as a file, and erased as far as the logs of others allow."""

from __future__ import annotations

import contextlib
import json
import random
import threading
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from engine.core.asks import Refused
from engine.play.match import verify
from service.clock import calendar
from service.errors import NotFound
from service.games import decks, listings, lobby
from service.ops import backup, own_data
from service.people import accounts, address_changes, browsers
from service.people.accounts import references
from service.post import ledger
from service.replay import replay_copy
from service.settings import Settings
from service.store import database as db
from service.store.models import (
    Account,
    Deck,
    LedgerStatus,
    LeftSeat,
    Letter,
    Link,
    Match,
    Message,
    SeatRow,
    SeatStatus,
    new_id,
)
from service.store.seats import by_match_id, seats_of
from service.table import commands as around
from service.table import talk
from tests import kept
from tests.house import invite
from tests.service.conftest import Players, on_sqlite, open_table, person
from workers import adjudicate
from workers.letters import delivery, smtp

WORDS = ("anna@example.org", "Beware of Bert.", "Annas eigenes Deck")
LOGGED = {"matches.header", "entries.move", "events.facts", "letters.text", "letters.html", "letters.facts"}
"""Where the name of a former player may still stand: in logs, in what is made of them, and in letters to the others."""


def anna(session: Session) -> Account:
    return accounts.known(session, "anna@example.org")


@pytest.fixture
def busy(settings: Settings, sent: list[tuple[str, ...]]) -> Players:
    """Anna hosts a running game, one that gathers, and one that is over; she keeps, writes and is invited."""
    return Players(settings, kept.begin(settings, "busy Anna", lambda: play(settings, random.Random(7))))


def play(settings: Settings, rng: random.Random) -> str:
    over = open_table(settings)
    over.adjudicate()
    with db.transaction(settings) as session:
        around.command(session, over.match(session), "operator", "end reason=Snow")
    over.adjudicate()
    players = open_table(settings, people=3)
    players.adjudicate()
    for _ in range(4):
        for seat in players.asked():
            players.submit(seat, rng)
        players.adjudicate()
    with db.transaction(settings) as session:
        me, bert = anna(session), person(session, "Bert")
        match = players.match(session)
        lobby.open_match(session, me, "Gathering", "ortus", 2, "open")
        others = lobby.open_match(session, bert, "Of Bert", "ortus", 3, "open")
        lobby.join(session, others, me)
        third = lobby.open_match(session, bert, "Of Bert, too", "ortus", 3, "invited")
        invite(session, third, bert, "anna@example.org")
        talk.say(session, match, "a", "b", "From me to you.", "key-of-anna")
        talk.say(session, match, "b", "a", "From Bert.", "key-of-bert")
        ready = decks.build_of("ortus").ready[0]
        decks.save(session, me, WORDS[2], ready.cards, "ortus")
        calendar.renew(session, me)
        accounts.ask_sign_in(session, me.email)
        address_changes.ask(session, me, "anna@new.example")
        browsers.enter(session, me, me.generation, "Mozilla/5.0 Firefox/140.0")
        session.add(LeftSeat(match_id=match.id, seat="c", account_id=me.id))
        row = session.get(SeatRow, (match.id, "a"))
        assert row is not None
        row.notes, row.orders = WORDS[1], {"SO-01": "on"}
        session.add(row)
        letter = session.exec(select(Letter).where(Letter.account_id == me.id)).first()
        assert letter is not None
        ledger.note(session, letter.id, LedgerStatus.DEFERRED, "450 <anna@example.org> try later")
    return players.match_id


def everywhere(settings: Settings) -> dict[str, str]:
    """All that stands in the database, open: by table and column."""
    found = {}
    with db.engine_for(settings).connect() as connection:
        for table in backup.tables():
            for column in table.columns:
                found[f"{table.name}.{column.name}"] = repr(connection.execute(sa.select(column)).scalars().all())
    return found


# --- taking it away ---------------------------------------------------------------------------------------------------


def test_everything_of_a_person_is_in_the_file(busy: Players, settings: Settings) -> None:
    with db.open_session(settings) as session:
        me = anna(session)
        found = json.loads(json.dumps(own_data.export(session, me)))
    assert set(found["account"]) == {c.name for c in SQLModel.metadata.tables["accounts"].columns} - {"calendar_mark"}
    assert found["account"]["email"] == "anna@example.org"
    # Every table that names an account is there, with every row of hers, whatever tables there will be.
    assert {table.name for table, _ in references()} <= set(found)
    with db.engine_for(settings).connect() as connection:
        for table, column in references():
            count = connection.execute(sa.select(sa.func.count()).where(table.c[column] == me.id)).scalar_one()
            assert len(found[table.name]) == count > 0, table.name
            assert set(found[table.name][0]) - {"ledger"} == {
                c.name for c in table.columns if f"{table.name}.{c.name}" not in own_data.OF_THE_SERVICE
            }
    assert WORDS[1] in {seat["notes"] for seat in found["seats"]} and {"SO-01": "on"} in [s["orders"] for s in found["seats"]]
    assert [m["text"] for m in found["messages"]] == ["From me to you."]
    assert any("450" in line["words"] for letter in found["letters"] for line in letter["ledger"])


@on_sqlite
def test_the_file_of_one_person_holds_nothing_of_another(busy: Players, settings: Settings) -> None:
    with db.open_session(settings) as session:
        text = json.dumps(own_data.export(session, accounts.known(session, "bert@example.org")), ensure_ascii=False)
        match = busy.match(session)
        assert match.seed.hex() not in text
    assert not any(word in text for word in (*WORDS, "From me to you."))


# --- erasing ----------------------------------------------------------------------------------------------------------


def test_a_person_is_erased_wherever_no_log_holds_them(busy: Players, settings: Settings, rng: random.Random) -> None:
    with db.transaction(settings) as session:
        id = anna(session).id
        own_data.erase(session, anna(session))
    adjudicate.adjudicate(settings, busy.match_id)
    found = everywhere(settings)
    for word in (*WORDS, id):
        assert not {place for place, text in found.items() if word in text}, word
    assert {place for place, text in found.items() if "Anna" in text} <= LOGGED
    with db.open_session(settings) as session:
        with pytest.raises(NotFound):
            anna(session)
        rows = {match.name: match for match in session.exec(select(Match).where(Match.id != busy.match_id))}
        assert rows["Gathering"].status == "cancelled"
        assert session.exec(select(Match).where(Match.host_id == id)).first() is None
        seat = session.get(SeatRow, (busy.match_id, "a"))
        assert seat is not None and (seat.account_id, seat.wanted, bool(seat.steward)) == (None, "open", True)
        assert (seat.notes, seat.orders, seat.name) == ("", {}, "Former player A")
        said = {m.text: m.name for m in session.exec(select(Message))}
        assert said == {"From me to you.": "Former player A", "From Bert.": "Bert"}
        assert not session.exec(select(Link).where(Link.account_id == id)).all() and not session.exec(select(Deck)).all()
        free = session.exec(select(SeatRow).join(Match).where(col(Match.name).startswith("Of Bert"), SeatRow.seat == "b")).all()
        assert {(s.status, s.invited_email) for s in free} == {("empty", "")}
        assert busy.match(session).host_id == accounts.known(session, "bert@example.org").id
    # The game goes on without her, and its log holds.
    busy.finish(rng)
    with db.open_session(settings) as session:
        assert verify(replay_copy.download(session, busy.match(session), None)).holds
        for match in session.exec(select(Match).where(Match.status == "finished")).all():
            assert verify(replay_copy.download(session, match, None)).holds


def test_every_column_of_an_account_goes(busy: Players, settings: Settings) -> None:
    """A row for every table that names an account, whatever tables there will be: all go, or name nobody."""
    with db.transaction(settings) as session:
        id = anna(session).id
        own_data.erase(session, anna(session))
    with db.engine_for(settings).connect() as connection:
        assert {table.name for table, _ in references()} >= {"decks", "letters", "links", "matches", "seats"}
        for table, column in references():
            assert not connection.execute(sa.select(table).where(table.c[column] == id)).all(), table.name
        accounts_ = SQLModel.metadata.tables["accounts"]
        assert connection.execute(sa.select(accounts_).where(accounts_.c.id == id)).first() is None


def test_the_same_address_begins_anew(busy: Players, settings: Settings) -> None:
    with db.transaction(settings) as session:
        own_data.erase(session, anna(session))
        fresh = accounts.by_email(session, "anna@example.org")
        assert fresh.name == "" and listings.games_of(session, fresh) == []


def test_a_seat_is_taken_over_from_one_who_was_erased(busy: Players, settings: Settings) -> None:
    from service.table import substitutes

    with db.transaction(settings) as session:
        own_data.erase(session, anna(session))
    adjudicate.adjudicate(settings, busy.match_id)
    with db.transaction(settings) as session:
        seat = session.get(SeatRow, (busy.match_id, "a"))
        assert seat is not None
        substitutes.take(session, busy.match(session), seat, person(session, "Gwen"))
    adjudicate.adjudicate(settings, busy.match_id)
    with db.open_session(settings) as session:
        seat = session.get(SeatRow, (busy.match_id, "a"))
        assert seat is not None and seat.name == "Gwen" and not seat.steward
        assert not talk.threads(session, busy.match(session), "a")


@pytest.mark.parametrize("operator", ["", "ops@example.org"])
def test_a_game_without_other_people_passes_to_an_operator_or_to_nobody(
    settings: Settings, sent: list[tuple[str, ...]], operator: str
) -> None:
    settings = settings.model_copy(update={"operators": (operator,) if operator else ()})
    players = open_table(settings, people=1, bots=1)
    players.adjudicate()
    with db.transaction(settings) as session:
        own_data.erase(session, anna(session))
    players.adjudicate()
    with db.open_session(settings) as session:
        host = session.get(Account, players.match(session).host_id)
        assert host is not None and host.email == (operator or own_data.NOBODY)
    if not operator:
        with db.transaction(settings) as session, pytest.raises(Refused, match="stands for nobody"):
            own_data.erase(session, accounts.known(session, own_data.NOBODY))


@pytest.mark.parametrize("code", [250, 450, 550, 554, 0])
def test_a_letter_that_is_being_sent_when_its_reader_is_erased_leaves_nothing(
    table: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """What was written, and what the mail server says of it, names the reader."""

    def send(_mail: delivery.MailConnection, letter: Letter, _made: bytes) -> str:
        words = f"{code} <{letter.to_address}> {'is blocked' if code == 554 else 'it is'}"
        if code == 250:
            return words
        raise smtp.NotSent("recipient" if code else "content", code, words, unknown=not code)

    monkeypatch.setattr(delivery.MailConnection, "send", send)
    batch = delivery._claim(settings)
    assert {claimed.letter.to_address for claimed in batch.letters} >= {"anna@example.org"}
    with db.transaction(settings) as session:
        own_data.erase(session, anna(session))
    with contextlib.closing(delivery.MailConnection(settings)) as mail:
        delivery._deliver_batch(settings, mail, batch)
    delivery._give_back(settings, batch.letters, timedelta())
    with db.transaction(settings) as session:
        ids = [x.letter.id for x in batch.letters if x.account is not None and x.account.email == "anna@example.org"]
        for letter in session.exec(select(Letter).where(col(Letter.id).in_(ids))):
            assert ledger.reported(session, letter, "failed", "address", "550 anna@example.org") == ""
            assert (letter.to_address, letter.account_id, letter.status) == ("", None, "dropped")
            assert (letter.subject, letter.text, letter.html, letter.headers, letter.error) == ("", "", "", {}, "")
    found = everywhere(settings)
    assert ids and not {place for place, text in found.items() if "anna@example.org" in text}


def test_an_invited_person_who_is_erased_as_the_host_seats_a_bot_there_takes_nothing_from_it(
    settings: Settings, sent: list[tuple[str, ...]]
) -> None:
    with db.transaction(settings) as session:
        host, cleo = person(session, "Anna"), person(session, "Cleo").id
        match = lobby.open_match(session, host, "Harvest war", "ortus", 2, "open")
        invite(session, match, host, "cleo@example.org")

    def erase() -> None:
        with db.transaction(settings) as session:
            own_data.erase(session, accounts.by_id(session, cleo))

    with db.transaction(settings) as session:
        lobby.clear_seat(session, match, host, "b")
        lobby.add_bot(session, match, host)
        erasing = threading.Thread(target=erase)
        erasing.start()
        erasing.join(1)
    erasing.join()
    with db.open_session(settings) as session:
        seat = session.get_one(SeatRow, (match.id, "b"))
        assert seat.bot and seat.status == SeatStatus.TAKEN and seat.name


def test_a_game_that_begins_with_a_person_who_is_being_erased_is_not_halted(
    settings: Settings, sent: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.transaction(settings) as session:
        host, cleo = person(session, "Anna"), person(session, "Cleo").id
        match_id = lobby.open_match(session, host, "Harvest war", "ortus", 2, "open", mustered="never").id
    working = threading.Thread(target=adjudicate.adjudicate, args=(settings, match_id))
    leave = own_data._leave

    def leave_as_a_worker_begins(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
        leave(session, match, seat, account)
        working.start()
        working.join(1)

    def erase() -> None:
        with db.transaction(settings) as session:
            own_data.erase(session, accounts.by_id(session, cleo))

    monkeypatch.setattr(own_data, "_leave", leave_as_a_worker_begins)
    with db.transaction(settings) as session:
        lobby.join(session, by_match_id(session, match_id), accounts.by_id(session, cleo))
        erasing = threading.Thread(target=erase)  # its first look at the tables misses this one
        erasing.start()
        erasing.join(1)
    erasing.join()
    working.join()
    with db.open_session(settings) as session:
        match = by_match_id(session, match_id)
        assert match.halted_at is None and match.snapshot_n and seats_of(session, match)[1].steward


def test_the_address_is_to_be_typed(settings: Settings) -> None:
    account: Any = Account(id=new_id(), email="anna@example.org")
    own_data.confirm(account, " Anna@Example.org ")
    for typed in ("", "anna", "anna@example.or", "bert@example.org"):
        with pytest.raises(Refused, match="Nothing was changed"):
            own_data.confirm(account, typed)
