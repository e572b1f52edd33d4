"""Whose leave a relic takes (FF-OPT-2, FF-OPT-4)."""

from __future__ import annotations

import pytest

from engine.fief import FIEF
from engine.fief.rules.realm.relics import leave_of

HERE = "fief: 1\nseats: a b c\noptions: holy_relics\nphase: 4b\nOthon: b tournus on=pugnac bishop=2\n"


@pytest.mark.parametrize(
    ("text", "held", "leave"),
    [
        ("tournus: a\ntournus.a: 1 maa\n", None, "a"),
        ("tournus: a\nHenri: a tournus\n", None, "a"),
        ("tournus: a\n", None, ""),
        ("tournus: -\ntournus.a: 1 maa\n", None, ""),
        ("tournus: b\ntournus.b: 1 maa\n", None, ""),
        ("tournus: a\ntournus.a: 1 maa\ntournus.c: 1 knights on pugnac\n", "c", "c"),
        ("tournus: a\ntournus.a: 1 maa\nHenri: c tournus on=pugnac\n", "c", ""),
        ("tournus: a\ntournus.a: 1 maa\n", "", ""),
        ("tournus: b\ntournus.b: 1 maa\n", "b", ""),
    ],
    ids=[
        "the controller has Troops there",
        "the controller has a Lord there",
        "the controller isn't there",
        "nobody controls it",
        "it is one's own",
        "taken once: who holds it by Troops, and not the controller",
        "taken once: a Lord alone holds nothing",
        "taken once: held by nobody",
        "taken once: held by oneself",
    ],
)
def test_a_relic_is_taken_with_leave_where_an_opponent_holds_it(text: str, held: str | None, leave: str) -> None:
    # FF-OPT-2, FF-OPT-4
    table = FIEF.rules.notation.read(HERE + text).table
    if held is not None:
        table.held["grail"] = held
    assert leave_of(table, table.lords["Othon"], "grail") == leave
