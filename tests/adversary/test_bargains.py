"""What two agree on in secret: nothing of it shows in what the others see, while it goes on or after it came to nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from sqlmodel import col, select

from engine.core.asks import read
from engine.games import GAMES
from service.clock import calendar
from service.games import listings
from service.ops import metrics, own_data
from service.people import accounts
from service.seat import submissions
from service.seat.state import known_to
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, Letter, SeatRow, new_id
from service.table import lateness
from tests.adversary.test_inference import seen_by
from tests.house import HOUR, House, Sent
from tests.toy_game import FAIR

OTHERS = ("c", "d", None)


@pytest.fixture
def opened(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], House]:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    return lambda: House(settings, sent, clock, people=4, game="fair")


def say(house: House, seat: str, kind: str, text: str, serial: int | None = None) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        number = match.serial if serial is None else serial
        submissions.submit(session, match, seat, new_id(), number, kind, read(text))
    house.tick()


def wares(house: House, seat: str) -> list[str]:
    with open_session(house.settings) as session:
        found: list[str] = known_to(session, house.players.match(session), seat).table.keepers[seat].wares
        return found


def put(house: House) -> int:
    """Anna proposes a trade to Bert; the number of his row."""
    say(house, "a", "propose", f"propose target=b ware={wares(house, 'a')[0]} coins=0", 0)
    with open_session(house.settings) as session:
        return session.exec(select(AskRow.serial).where(AskRow.serial < 0, col(AskRow.answered_at).is_(None))).one()


def told(house: House) -> dict[str, Any]:
    """All that reaches the others: pages, logs, letters, calendars, their data, lists of games, figures of the house."""
    id, found = house.players.match_id, dict[str, Any]()
    found["seen"] = {reader: seen_by(house.settings, id, reader) for reader in OTHERS}
    with transaction(house.settings) as session:
        match = house.players.match(session)
        for seat in "cd":
            account = accounts.by_id(session, session.get_one(SeatRow, (id, seat)).account_id or "")
            if not account.calendar_mark:
                calendar.renew(session, account)
            letters = session.exec(select(Letter).where(Letter.account_id == account.id).order_by(Letter.id)).all()
            found[f"letters {seat}"] = [(x.id, x.kind, x.status, x.created_at) for x in letters]
            found[f"data {seat}"] = {name: value for name, value in own_data.export(session, account).items() if name != "made"}
            found[f"games {seat}"] = [(x.match.id, x.match.serial, x.match.head) for x in listings.games_of(session, account)]
            found[f"calendar {seat}"] = re.sub(rb"DTSTAMP.*", b"", calendar.feed(session, account.calendar_key))
        found["late"] = (lateness.let_pass(session, match), lateness.absentees(session, match))
        figures = metrics.figures(session).decode()
        found["asked"] = re.findall(r"^writ_(?:open_asks|answer_seconds_count|defaults_total) [0-9.]+", figures, re.M)
    return found


def test_a_bargain_of_two_shows_in_nothing_that_reaches_the_others(opened: Callable[[], House]) -> None:
    house = opened()
    say(house, "c", "bid", "pass")
    before = told(house)
    number = put(house)
    assert told(house) == before, "it was proposed"
    house.pass_(timedelta(minutes=5))
    before = told(house)
    say(house, "b", "trade", f"accept ware={wares(house, 'b')[0]}", number)
    assert told(house) == before, "it was made"
    assert [letter.kind for letter in house.letters("outcome", "a")] == ["outcome"]


def test_what_is_left_alone_until_its_time_is_over_shows_in_nothing_either(opened: Callable[[], House]) -> None:
    house = opened()
    number = put(house)
    with transaction(house.settings) as session:
        for ask in session.exec(select(AskRow).where(AskRow.serial > 0)):
            ask.falls_at, ask.remind_at = ask.opened_at + 96 * HOUR, None
            due = session.get_one(AskRow, (ask.match_id, "b", number)).falls_at
    assert due is not None
    house.go_to(due - timedelta(minutes=2))
    before = told(house)
    house.go_to(due)
    assert told(house) == before
    with open_session(house.settings) as session:
        assert session.get_one(AskRow, (house.players.match_id, "b", number)).answered_at is not None


def test_a_round_ends_alike_whether_something_was_proposed_in_it_or_not(opened: Callable[[], House]) -> None:
    house = opened()
    put(house)
    for _ in range(30):
        with open_session(house.settings) as session:
            match = house.players.match(session)
            state = known_to(session, match, "a")
        if state.stack[0].round == 2:
            break
        asked = house.players.asked()
        for seat in asked:
            kind = state.stack[-1].step
            say(house, seat, kind, {"bid": "pass", "alms": "none"}.get(kind) or f"sort order=[{','.join(wares(house, seat))}]")
    assert state.stack[0].round == 2
    log = house.entries()
    assert [(e.actor, e.ask) for e in log] == [(s, kind) for kind in ("bid", "sort", "alms") for s in "abcd"]
    assert any("lapsed" in line for line in house.history("a")) and any("lapsed" in line for line in house.history("b"))
    assert not any("lapsed" in line or "proposed" in line for reader in OTHERS for line in house.history(reader))


def test_a_proposal_that_ends_with_an_answer_of_a_third_is_not_in_what_she_takes_away(opened: Callable[[], House]) -> None:
    """Cleo alone has coins for another round, so she may take back the answer that ended this one, and the proposal with it."""
    house = opened()
    for seat in "abd":
        say(house, seat, "bid", "bid coins=6")
    say(house, "c", "bid", "pass")
    (winner,) = house.players.asked()
    say(house, winner, "share", "split gifts=[(to=c,coins=18)]")
    for seat in "abcd":
        say(house, seat, "sort", f"sort order=[{','.join(wares(house, seat))}]")
    for seat in "abd":
        say(house, seat, "alms", "none")
    put(house)
    say(house, "c", "alms", "none")
    with open_session(house.settings) as session:
        cleo = session.get_one(SeatRow, (house.players.match_id, "c"))
        assert "propose target=b" in str(cleo.trail), "it is kept, to be restored with what it was before"
        data = own_data.export(session, accounts.by_id(session, cleo.account_id or ""))
    assert "propose" not in str(data)
