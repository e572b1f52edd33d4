"""Answers given in advance: one a kind, never a grave one, taken back, and none while the seat is asked."""

from __future__ import annotations

import random

import pytest

from engine.core.asks import Answer, NotLegal
from service.seat import advance
from service.store.database import open_session, transaction
from service.store.models import SeatRow
from tests.service.conftest import Players, on_sqlite


def waiting(table: Players, rng: random.Random) -> str:
    """The seat that waits while the other has the first Turn."""
    for seat in table.asked():
        table.submit(seat, rng)
    table.adjudicate()
    return next(s for s in "ab" if s not in table.asked())


def give(table: Players, letter: str, kind: str, answer: Answer) -> None:
    with transaction(table.settings) as session:
        advance.give(session, table.match(session), session.get_one(SeatRow, (table.match_id, letter)), kind, answer)


def queued(table: Players, letter: str) -> list[tuple[str, str, str]]:
    with open_session(table.settings) as session:
        return [(a["id"], a["kind"], a["move"]) for a in session.get_one(SeatRow, (table.match_id, letter)).advance]


def test_one_answer_a_kind_is_queued_and_a_new_one_takes_its_place(table: Players, rng: random.Random) -> None:
    letter = waiting(table, rng)
    give(table, letter, "turn", Answer("end"))
    (first,) = queued(table, letter)
    give(table, letter, "turn", Answer("end"))
    (second,) = queued(table, letter)
    assert first[1:] == second[1:] == ("turn", "end") and first[0] != second[0]


def test_taking_back_twice_is_once(table: Players, rng: random.Random) -> None:
    letter = waiting(table, rng)
    give(table, letter, "turn", Answer("end"))
    ((id, _, _),) = queued(table, letter)
    for _ in range(2):
        with transaction(table.settings) as session:
            advance.drop(session, session.get_one(SeatRow, (table.match_id, letter)), id)
        assert queued(table, letter) == []


@on_sqlite
def test_who_is_asked_already_answers_nothing_in_advance(table: Players) -> None:
    with pytest.raises(NotLegal, match="can't be answered in advance"):
        give(table, "a", "turn", Answer("end"))
    assert queued(table, "a") == []


def test_what_can_not_be_had_back_is_not_given_in_advance(table: Players, rng: random.Random) -> None:
    letter = waiting(table, rng)
    with open_session(table.settings) as session:
        asks = advance.coming(session, table.match(session), letter)
    grave = [(a.kind, o.id) for a in asks for o in a.options if o.grave]
    assert grave
    for kind, option in grave:
        with pytest.raises(NotLegal):
            give(table, letter, kind, Answer(option))
    assert queued(table, letter) == []
