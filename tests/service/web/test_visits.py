"""What came since the last visit is marked, for a browser that was here before."""

from __future__ import annotations

import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import col, select

from service.seat import seat_view, state
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, EntryRow, EventRow, Match, SeatRow, now
from service.web.table import visits
from tests.service.web.conftest import Visitor
from tests.tables import games, laid, lay


@pytest.fixture
def path(anna: Visitor, settings: Settings) -> str:
    """A running game at which some lines are new to Anna."""
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        return lay(session, account, laid(next(games()), 2, "middle"))


def happen(settings: Settings) -> int:
    """One thing more happens at the table; the number of its entry."""
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        match.snapshot_n += 1
        began = session.exec(select(EventRow).where(EventRow.kind == "round")).first()  # a line of its own
        assert began is not None
        session.add(EventRow(match_id=match.id, n=match.snapshot_n, i=0, kind="round", facts=began.facts, but_seats=[]))
        return match.snapshot_n


def marked(page: str) -> list[int]:
    """The entries whose lines are marked as new."""
    return [int(n) for n in re.findall(r'<li class="new".*?href="[^"]*/replay\?n=(\d+)"', page)]


def later(monkeypatch: pytest.MonkeyPatch, **by: int) -> None:
    monkeypatch.setattr(visits, "now", lambda: now() + timedelta(**by))


def test_what_came_since_the_last_visit_is_marked_until_the_visit_ends(
    anna: Visitor, path: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = anna.page(path)
    assert len(marked(first)) > 2 and "Since your last move" in first and "Your last visit" not in first
    n = happen(settings)
    assert len(marked(anna.page(path))) == len(marked(first)) + 1, "still on the same visit"
    later(monkeypatch, hours=3)
    assert marked(anna.page(path)) == [] and "What happened" in anna.page(path)
    n = happen(settings)
    for _ in range(2):
        page = anna.page(path)
        assert marked(page) == [n] and "Since your last visit" in page and "Your last visit, " in page
    later(monkeypatch, hours=6)
    assert marked(anna.page(path)) == []


def test_who_has_not_moved_yet_reads_nothing_of_a_last_move(anna: Visitor, path: str, settings: Settings) -> None:
    with transaction(settings) as session:
        for row in session.exec(select(SeatRow).where(col(SeatRow.account_id).is_not(None))):
            row.moved_n = 0
    page = anna.page(path)
    assert marked(page) and "What happened" in page and "our last move" not in page


def test_who_moved_since_has_seen_what_came_before(
    anna: Visitor, path: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna.page(path)
    later(monkeypatch, hours=3)
    anna.page(path)
    happen(settings)
    own, then = happen(settings), happen(settings)
    with transaction(settings) as session:
        for row in session.exec(select(SeatRow).where(col(SeatRow.account_id).is_not(None))):
            row.moved_n = own
    page = anna.page(path)
    assert marked(page) == [then] and "Since your last move" in page and "Your last visit" not in page


def test_neither_what_fetches_ahead_nor_another_browser_counts_as_a_visit(
    anna: Visitor, path: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna.page(path)
    later(monkeypatch, hours=3)
    n = happen(settings)
    anna.client.get(path, base_url=settings.base_url, headers={"Sec-Purpose": "prefetch;prerender"})
    later(monkeypatch, hours=6)
    assert marked(anna.page(path)) == [n]


def test_of_many_tables_those_of_late_are_remembered(anna: Visitor, path: str, settings: Settings) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        paths = [lay(session, account, laid(next(games()), 2, "middle"), f"Table {i}") for i in range(visits.MOST + 3)]
    for one in paths:
        anna.page(one)
    with anna.client.session_transaction(base_url=settings.base_url) as cookie:
        kept = list(cookie["visits"])
    assert [key.split()[0] for key in kept] == [one.split("/")[2] for one in paths[-visits.MOST :]]
    crumb = anna.client.get_cookie("writ", "writ.test")
    assert crumb is not None and len(crumb.value) < 3000


def played(settings: Settings, n: int, ago: timedelta) -> None:
    """The log has an entry of that number, from so long ago."""
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        private = {"move": "", "via": "page", "sealed_move": "", "sealed_via": ""}
        at = f"{now() - ago:%Y-%m-%dT%H:%M:%SZ}"
        session.add(
            EntryRow(match_id=match.id, n=n, at=at, actor="a", ask="turn", serial=n, mark="", prev="", hash="", **private)
        )


def days(page: str) -> dict[int, str]:
    """The day that a marked line bears, by its entry."""
    return {int(n): day for day, n in re.findall(r'<li class="new" data-day="([^"]*)".*?href="[^"]*/replay\?n=(\d+)"', page)}


def test_what_is_marked_bears_its_day_in_the_zone_of_its_reader(anna: Visitor, path: str, settings: Settings) -> None:
    assert days(anna.page(path)) == {}, "nothing is known of when it was"
    first, second, third = happen(settings), happen(settings), happen(settings)
    played(settings, first, timedelta(days=40))
    played(settings, second, timedelta(days=3))
    played(settings, third, timedelta(0))
    then, long_ago = now() - timedelta(days=3), now() - timedelta(days=40)
    expected = {first: f"{long_ago.day} {long_ago:%b}", second: f"{then:%a}", third: "today"}
    assert days(anna.page(path)) == expected
    with transaction(settings) as session:
        session.exec(select(Account).where(Account.email == anna.email)).one().zone = "Pacific/Kiritimati"
    east = then.astimezone(ZoneInfo("Pacific/Kiritimati"))
    assert days(anna.page(path))[second] == f"{east:%a}"


def test_no_day_is_told_of_an_entry_that_not_all_may_know_of(
    anna: Visitor, path: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = happen(settings)
    played(settings, n, timedelta(days=3))
    assert set(days(anna.page(path))) == {n}
    shown = state.shown_n
    monkeypatch.setattr(seat_view, "shown_n", lambda match, state: shown(match, state) - 1)
    page = anna.page(path)
    assert days(page) == {} and "data-day" not in page
