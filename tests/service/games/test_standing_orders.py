"""Standing orders of a seat: set, refused, switched off, tried on what was; they stay out of the log."""

from __future__ import annotations

import pytest
from sqlmodel import func, select

from engine.core import procedure
from engine.core.asks import Answer, Refused
from engine.ortus import ORTUS
from engine.play import orders as engine_orders
from service.seat import orders, submissions
from service.seat.state import state_of
from service.store.database import open_session, transaction
from service.store.models import EntryRow, SeatRow, new_id
from tests.service.conftest import Players, on_sqlite

FIELD = Answer("on", {"as_attacker": "AW", "as_defender": "DW"})


def row(table: Players, letter: str = "a") -> SeatRow:
    with open_session(table.settings) as session:
        found = session.get(SeatRow, (table.match_id, letter))
        assert found is not None
        return found


def put(table: Players, id: str, answer: Answer) -> None:
    wish = None if answer.option == "off" else answer
    with transaction(table.settings) as session:
        orders.put_all(session, table.match(session), session.get_one(SeatRow, (table.match_id, "a")), {id: wish})


@on_sqlite
def test_an_order_is_kept_for_its_seat_alone_and_off_takes_it_away(table: Players) -> None:
    put(table, "SO-08", FIELD)
    assert row(table).orders == {"SO-08": "on as_attacker=AW as_defender=DW"} and row(table, "b").orders == {}
    put(table, "SO-08", Answer("off"))
    assert row(table).orders == {}


@on_sqlite
@pytest.mark.parametrize(
    ("id", "answer"), [("SO-99", FIELD), ("SO-08", Answer("dance")), ("SO-08", Answer("on", {"as_attacker": "Dragon"}))]
)
def test_an_order_that_can_not_be_changes_nothing(table: Players, id: str, answer: Answer) -> None:
    put(table, "SO-08", FIELD)
    before = row(table).orders
    with pytest.raises(Refused):
        put(table, id, answer)
    assert row(table).orders == before


def test_the_preset_leaves_other_orders_and_all_go_at_once(table: Players) -> None:
    preset = engine_orders.preset(ORTUS)
    put(table, "SO-15", Answer("on", {"sure": "yes"}))
    with transaction(table.settings) as session:
        orders.take_preset(session, table.match(session), session.get_one(SeatRow, (table.match_id, "a")))
    assert row(table).orders == {"SO-15": "on sure=yes", **preset}
    with transaction(table.settings) as session:
        orders.clear(session, session.get_one(SeatRow, (table.match_id, "a")))
    assert row(table).orders == {}


def test_orders_answer_no_open_ask_and_write_no_entry(table: Players) -> None:
    def entries() -> int:
        with open_session(table.settings) as session:
            return session.exec(select(func.count()).where(EntryRow.match_id == table.match_id)).one()

    before, asked = entries(), table.asked()
    with transaction(table.settings) as session:
        orders.take_preset(session, table.match(session), session.get_one(SeatRow, (table.match_id, "a")))
    table.adjudicate()
    assert (entries(), table.asked()) == (before, asked)


def answer_safely(table: Players, seat: str) -> None:
    """Queue the safe answer, by which no game of two ends early."""
    with transaction(table.settings) as session:
        match = table.match(session)
        ask = procedure.ask_of(state_of(match), seat)
        submissions.submit(session, match, seat, new_id(), match.serial, ask.kind, ask.default)


def test_a_dry_run_without_orders_leaves_every_ask(table: Players) -> None:
    for _ in range(6):
        for seat in table.asked():
            answer_safely(table, seat)
        table.adjudicate()
    with open_session(table.settings) as session:
        found = orders.dry_run(session, table.match(session), session.get_one(SeatRow, (table.match_id, "a")))
    assert found.left == found.asked > 0
