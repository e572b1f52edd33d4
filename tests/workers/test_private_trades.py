"""Private trades: bots, stewards, standing orders, kept answers and defaults answer from the position that their seat knows.

A trade that two seats have closed lies sealed outside the log, so the position of the log still lacks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from sqlmodel import col, select

from engine.core import offers as proposals
from engine.core.asks import Answer, Ask, Option, PickOne, Seat, choices, read
from engine.game import AnyState, Game, Powers
from engine.games import GAMES
from service.seat import advance, orders, seat_view, submissions
from service.seat.state import known_to
from service.store.database import open_session, transaction
from service.store.models import AskRow, HiddenAnswer, MatchStatus, SeatRow
from tests.house import House
from tests.service.conftest import on_sqlite
from tests.toy_game import FAIR
from tests.workers.test_clocks import set_pace
from tests.workers.test_offers_lived import give_order, house, keep, known, opened, propose, row, say, settle, wares

__all__ = ["house", "opened"]  # fixtures

SORT = ("a: pass", "b: pass", "c: pass")
"""Bids after which all put their wares in order."""


def halted(house: House) -> datetime | None:
    with open_session(house.settings) as session:
        return house.players.match(session).halted_at


def trade(house: House) -> tuple[str, str]:
    """Anna and Bert close a trade that Cleo doesn't learn of: the ware she gives, and his."""
    mine, his = propose(house), wares(house, "b")[0]
    say(house, "b", "trade", f"accept ware={his}", row(house).serial)
    assert mine in wares(house, "b") and his in wares(house, "a")
    with open_session(house.settings) as session:
        assert session.exec(select(HiddenAnswer).where(col(HiddenAnswer.serial) <= 0)).all(), "it lies sealed"
    return mine, his


def falls(house: House) -> datetime:
    with open_session(house.settings) as session:
        open_ = session.exec(select(AskRow).where(col(AskRow.answered_at).is_(None), col(AskRow.serial) > 0)).all()
        return max(ask.falls_at for ask in open_ if ask.falls_at)


@on_sqlite
def test_safe_defaults_end_a_round_after_a_private_trade(house: House) -> None:
    settle(house, *SORT)
    mine, his = trade(house)
    house.go_to(falls(house))
    assert halted(house) is None
    assert known(house, "a").stack[-1].step == "alms"
    assert mine in wares(house, "b") and his in wares(house, "a")


@on_sqlite
def test_a_steward_who_comes_after_a_private_trade_knows_of_it(house: House) -> None:
    settle(house, *SORT)
    trade(house)
    keep(house, "a")
    keep(house, "b")
    assert halted(house) is None
    settle_sort(house, "c")
    assert known(house, "c").stack[-1].step == "alms"


def settle_sort(house: House, seat: str) -> None:
    say(house, seat, "sort", f"sort order=[{','.join(wares(house, seat))}]")


def test_bots_round_a_private_trade_halt_nothing(opened: Callable[..., House]) -> None:
    house = opened(people=2, bots=1)
    set_pace(house, steward_after=20)  # or stewards would wait for their players
    trade(house)
    while house.asks():
        house.go_to(falls(house))
        assert halted(house) is None
    with open_session(house.settings) as session:
        assert house.players.match(session).status == MatchStatus.FINISHED


def ordered(kind: str) -> Game:
    """Fair with a standing order that answers the sealed questions of the round with all the wares of its seat."""

    def answer(state: AnyState, seat: Seat, set_: Mapping[str, Answer], late: bool) -> Answer | None:
        own = state.table.keepers[seat].wares
        if "T-10" not in set_ or state.stack[-1].step != kind:
            return None
        return Answer("sort", {"order": own[::-1]}) if kind == "sort" else Answer("bid", {"coins": 1, "ware": own[-1]})

    return replace(FAIR, orders=replace(FAIR.orders, answer=answer))


@on_sqlite
def test_a_standing_order_answers_with_what_its_seat_got_in_a_private_trade(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(house, *SORT)
    _, his = trade(house)
    monkeypatch.setitem(GAMES, FAIR.name, ordered("sort"))
    give_order(house, "a", "refuse")
    for seat in "bc":
        settle_sort(house, seat)
    house.go_to(falls(house))
    assert halted(house) is None
    assert wares(house, "a")[0] == his, "in the order's own order"


def test_an_answer_that_a_window_keeps_back_may_use_what_was_traded_in_private(house: House) -> None:
    set_pace(house, windows="deadline")
    _, his = trade(house)
    settle(house, "b: pass", "c: pass", f"a: bid coins=1 ware={his}")
    with open_session(house.settings) as session:
        kept = session.exec(select(AskRow).where(AskRow.seat == "a", col(AskRow.serial) > 0)).one()
        assert kept.kept, "it closes the window, and waits for its deadline"
    house.go_to(falls(house))
    assert halted(house) is None
    assert known(house, "a").table.keepers["a"].shown == [his]


def test_two_private_trades_on_which_two_bids_rest_enter_together(opened: Callable[..., House]) -> None:
    house = opened(people=4)
    _, his = trade(house)
    hers = wares(house, "c")[0]
    say(house, "c", "propose", f"propose target=d ware={hers} coins=0", 0)
    with open_session(house.settings) as session:
        number = next(n for n, _ in proposals.proposals(known_to(session, house.players.match(session), "d"), "d"))
    say(house, "d", "trade", f"accept ware={wares(house, 'd')[0]}", -number)
    settle(house, f"a: bid coins=1 ware={his}", "b: pass", "c: pass", f"d: bid coins=2 ware={hers}")
    assert halted(house) is None
    table = known(house, "a").table
    assert (table.keepers["a"].shown, table.keepers["d"].shown) == ([his], [hers])


def robber() -> Game:
    """Fair with an open power by which a keeper's last ware goes back, which one nobody learns."""

    def powers(state: AnyState, seat: Seat) -> list[Ask]:
        target = PickOne("target", choices(s for s in state.table.seats if s != seat))
        return [
            *FAIR.rules.powers.open(state, seat),
            Ask(seat, "rob", (Option("rob", (target,)),), Answer("rob", {"target": "a"})),
        ]

    def use(state: AnyState, seat: Seat, kind: str, answer: Answer) -> None:
        if kind == "rob":
            state.table.stock.insert(0, state.table.keepers[answer.pick("target")].wares.pop())
        else:
            FAIR.rules.powers.use(state, seat, kind, answer)

    def vet(state: AnyState, seat: Seat, kind: str, answer: Answer) -> None:
        if kind == "propose":
            FAIR.rules.powers.vet(state, seat, kind, answer)

    def audience(kind: str, seat: Seat, answer: Answer) -> Any:
        return None if kind == "rob" else FAIR.rules.audience(kind, seat, answer)

    return replace(
        FAIR,
        rules=replace(FAIR.rules, powers=replace(FAIR.rules.powers, open=powers, use=use, vet=vet), audience=audience),
    )


@on_sqlite
def test_an_open_power_takes_what_a_keeper_holds_after_a_private_trade(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, robber())
    mine, his = trade(house)
    last = wares(house, "b")[-1]
    assert last == mine, "what he got lies last"
    say(house, "c", "rob", "rob target=b", 0)
    assert halted(house) is None
    assert mine not in wares(house, "b") and his in wares(house, "a")
    house.go_to(falls(house))
    assert halted(house) is None


def giver() -> Game:
    """Fair with a power by which a keeper hands a ware over, which the two alone learn of; a hand can become empty by it."""

    def powers(state: AnyState, seat: Seat) -> list[Ask]:
        others, own = [s for s in state.table.seats if s != seat], state.table.keepers[seat].wares
        fields = (PickOne("target", choices(others)), PickOne("ware", choices(own)))
        gift = (
            [Ask(seat, "gift", (Option("gift", fields),), Answer("gift", {"target": others[0], "ware": own[-1]}))]
            if own
            else []
        )
        return [*FAIR.rules.powers.open(state, seat), *gift]

    def use(state: AnyState, seat: Seat, kind: str, answer: Answer) -> None:
        if kind != "gift":
            FAIR.rules.powers.use(state, seat, kind, answer)
            return
        state.table.keepers[seat].wares.remove(answer.pick("ware"))
        state.table.keepers[answer.pick("target")].wares.append(answer.pick("ware"))

    def vet(state: AnyState, seat: Seat, kind: str, answer: Answer) -> None:
        if kind == "propose":
            FAIR.rules.powers.vet(state, seat, kind, answer)

    def audience(kind: str, seat: Seat, answer: Answer) -> Any:
        return (seat, answer.pick("target")) if kind == "gift" else FAIR.rules.audience(kind, seat, answer)

    game = ordered("sort")
    return replace(game, rules=replace(game.rules, powers=Powers(powers, use, vet), audience=audience))


@on_sqlite
@pytest.mark.parametrize("bid", ["none", "hidden", "kept"])
def test_a_hand_that_an_order_and_a_bid_name_is_given_away_in_private(
    house: House, monkeypatch: pytest.MonkeyPatch, bid: str
) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, giver())
    set_pace(house, steward_after=20)  # or stewards would wait for their players
    give_order(house, "a", "refuse")
    own = wares(house, "a")
    if bid == "kept":
        set_pace(house, windows="deadline")
        settle(house, "b: pass", "c: pass")
    if bid != "none":
        settle(house, f"a: bid coins=1 ware={own[0]}")
    for ware in own:
        if ware in wares(house, "a"):
            say(house, "a", "gift", f"gift target=b ware={ware}", 0)
    while house.asks():
        house.go_to(falls(house))
        assert halted(house) is None
    with open_session(house.settings) as session:
        assert house.players.match(session).status == MatchStatus.FINISHED


@on_sqlite
def test_a_circle_of_four_private_gifts_on_which_all_bids_rest(
    opened: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, giver())
    house = opened(people=4)
    for by, to in ("ab", "bc", "cd", "da"):
        say(house, by, "gift", f"gift target={to} ware={wares(house, by)[0]}", 0)
    received = {seat: wares(house, seat)[-1] for seat in "abcd"}
    settle(house, *(f"{seat}: bid coins=1 ware={received[seat]}" for seat in "dbca"))
    assert halted(house) is None
    assert {seat: known(house, seat).table.keepers[seat].shown for seat in "abcd"} == {s: [w] for s, w in received.items()}


def test_orders_answers_in_advance_and_previews_are_checked_by_what_the_seat_knows(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[list[str]]()

    def preview(state: AnyState, seat: Seat, answer: Answer, names: Mapping[Seat, str]) -> str:
        seen.append(list(state.table.keepers[seat].wares))
        return ""

    def asks(state: AnyState, seat: Seat) -> list[Ask]:
        ware = PickOne("ware", choices(state.table.keepers[seat].wares))
        return [Ask(seat, "order_trade", (Option("off"), Option("give", (ware,))), Answer("off"), "T-10")]

    monkeypatch.setitem(
        GAMES, FAIR.name, replace(FAIR, face=replace(FAIR.face, preview=preview), orders=replace(FAIR.orders, asks=asks))
    )
    _, his = trade(house)
    settle(house, "b: pass")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        view = seat_view.load(session, match, "a")
        assert view is not None
        bid = submissions.vet_for(view, match.serial, "bid", read(f"bid coins=1 ware={his}"))
        submissions.preview(view, bid)
        assert his in seen[-1]
        orders.put_all(session, match, session.get_one(SeatRow, (match.id, "a")), {"T-10": read(f"give ware={his}")})
        (coming,) = advance.coming(session, match, "b") if "b" not in known(house, "b").waiting else [None]
        assert coming is None or coming.kind == "trade"
