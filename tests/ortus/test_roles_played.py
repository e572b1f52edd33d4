"""Whole games with roles, at every number of seats and with every mix of them: what must hold at every step."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations_with_replacement

import msgspec
import pytest

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.chance import Chance
from engine.ortus import ORTUS
from engine.ortus.face.view import OrtusState
from engine.ortus.rules.roles import ROLES, UNIQUE, king_role
from engine.play.match import redacted, start, to_lines, verify
from engine.ui.forms import choices_of, describe
from tests.contract.walk import AT, header_for

NAMES = dict(zip("abcdef", ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay"), strict=True))


def mixes(n: int) -> list[tuple[str, ...]]:
    """Every mix of roles that `n` players can have (OR-ROLE-1)."""
    found = combinations_with_replacement(ROLES, n)
    return [mix for mix in found if all(mix.count(role) < 2 for role in UNIQUE)]


@pytest.mark.parametrize("n", range(2, 7))
def test_every_mix_plays_to_its_end(n: int) -> None:
    # OR-ROLE-1, OR-WIN-1
    for mix in mixes(n):
        rng = random.Random(f"{mix}")
        seats = list("abcdef"[:n])
        dealt = rng.sample(mix, n)
        state = ORTUS.rules.setup(seats, {"roles": "assigned", "seats": dict(zip(seats, dealt, strict=True))}, Chance(f"{mix}"))
        procedure.begin(state)
        cards: dict[str, int] = {}
        for moves in range(20_000):
            if not state.waiting:
                break
            seat = rng.choice(state.waiting)
            procedure.play(state, seat, legal_at_random(state, seat, rng))
            table = state.table
            if table.round and state.waiting and moves % 9 == 0:
                cards = cards or ORTUS.rules.checks.conserved(state)
                assert ORTUS.rules.checks.conserved(state) == cards
                _holds(state)
        assert state.table.outcome is not None


def _holds(state: OrtusState) -> None:
    """What is true of every position with roles."""
    table = state.table
    king = king_role(table)
    if king is not None:
        assert table.king == king.seat
    for earl in table.earls.values():
        assert not earl.loyal or (king is not None and earl.alive and earl.role in ("duke", "earl"))
        assert not earl.assets or (earl.role == "duke" and earl.alive)
        foreign = [c for c in (*earl.hand, *earl.towers) if not c.endswith(earl.seat)]
        assert not foreign or earl.role == "king"
        if earl.role == "archbishop":
            lords = {f.lord.partition("/")[0] for f in earl.fiefs if f.lord}
            assert lords <= {"Monk", "Prince"}
    assert table.canterbury == "" or table.earls[table.canterbury].role == "archbishop"
    assert table.canterbury == "" or table.earls[table.canterbury].alive


def test_nobody_learns_by_a_redeal_and_positions_are_read_back() -> None:
    # OR-ROLE-10, OR-INFO-9
    seen = Counter[str]()
    for number in range(6):
        rng = random.Random(number)
        state = ORTUS.rules.setup(
            list("abcd"), {"roles": "drawn", "mix": ["king", "archbishop", "duke"]}, Chance(f"deal-{number}")
        )
        seen.update(e.kind for e in procedure.begin(state))
        moves = 0
        while state.waiting:
            seat = rng.choice(state.waiting)
            seen.update(e.kind for e in procedure.play(state, seat, legal_at_random(state, seat, rng)))
            moves += 1
            if moves % 11 or not state.table.round or not state.waiting:
                continue
            cards = ORTUS.rules.checks.conserved(state)
            for reader in [*"abcd", None]:
                dealt = ORTUS.rules.redeal(state, reader, Chance(f"{moves}"))
                assert ORTUS.rules.view(dealt, reader) == ORTUS.rules.view(state, reader)
                assert ORTUS.rules.checks.conserved(dealt) == cards
            text = ORTUS.rules.notation.whole(state)
            assert ORTUS.rules.notation.whole(ORTUS.rules.notation.read(text)) == text
    assert {"loyalty", "loyalty_lost", "canterbury_entered", "canterbury_left", "asset_spent"} <= seen.keys()


def test_every_event_of_the_roles_has_its_sentence() -> None:
    told = Counter[str]()
    for number in range(6):
        rng = random.Random(number)
        state = ORTUS.rules.setup(list("abcdef"), {"roles": "picked"}, Chance(f"words {number}"))
        events = procedure.begin(state)
        while True:
            for event in events:
                for reader in [*"abcdef", None]:
                    if event.seen_by(reader):
                        told[event.kind] += bool(ORTUS.words.tell(event, NAMES, reader))
            if not state.waiting:
                break
            seat = rng.choice(state.waiting)
            events = procedure.play(state, seat, legal_at_random(state, seat, rng))
    assert {"role", "start_drawn", "mustered", "dealt_role", "loyalty_own"} <= told.keys()


def test_every_question_of_the_roles_is_put_into_words_and_logs_with_roles_verify() -> None:
    # D-01, D-70, D-71, D-73, OR-INFO-6
    asked = Counter[str]()
    for number in range(8):
        header, seed = header_for(ORTUS, 6, number)
        match = start(msgspec.structs.replace(header, options={"roles": "picked"}), seed)
        rng = random.Random(number)
        while match.state.waiting:
            seat = rng.choice(match.state.waiting)
            ask = procedure.ask_of(match.state, seat)
            if ask.kind not in asked or ask.kind in ("canterbury", "church_asset") or rng.random() < 0.05:
                for shown in (ask, *ORTUS.orders.asks(match.state, seat)):
                    form = describe(ORTUS, shown, NAMES, match.state.serial)
                    assert form.title and all(o.label and f.label for o in form.options for f in o.fields)
                    assert all(c.label for o in form.options for f in o.fields for c in choices_of(f))
                for reader in [*"abcdef", None]:
                    lines = list(redacted(match.header, match.entries, match.state, len(match.entries), reader))
                    assert 0 < len(lines) <= len(match.entries) + 1  # without what is sealed
            asked[ask.kind] += 1
            match.play(seat, legal_at_random(match.state, seat, rng), AT, "page")
        match.reveal(AT)
        assert verify(to_lines(match.header, match.entries)).holds
    assert {"role", "deck", "turn", "church_asset", "canterbury"} <= asked.keys(), asked
