"""The time zone of an account: taken from the browser, shown, asked for, and no quiet hours in one that nobody chose."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from service.clock import arithmetic, pace, recipe
from service.people import accounts
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Match, SeatRow, now
from tests.service.web.conftest import Visitor, begun

New = Callable[..., Visitor]
HOUR = timedelta(hours=1)
WAR = {"name": "War", "game": "ortus", "seats": "3"}


def asked_in(visitor: Visitor) -> str:
    """The path of a sign-in letter's link."""
    visitor.post("/sign-in", {"email": visitor.email})
    return visitor.link("sign_in", "in")


def account(visitor: Visitor) -> Account:
    with open_session(visitor.settings) as session:
        return session.exec(select(Account).where(Account.email == visitor.email)).one()


def test_the_zone_is_taken_at_the_first_sign_in_and_shown_with_the_name(visitor: New) -> None:
    cleo = visitor("cleo@example.org")
    link = asked_in(cleo)
    page = cleo.page(link)
    assert re.search(r'<input[^>]* name="zone"[^>]* data-zone', page) and "zone.js" in page
    assert 'value="America/Los_Angeles"' in page, "it is chosen from a list without scripts, too"
    cleo.post(link, {"choice": "enter", "name": "Cleo", "zone": "America/Los_Angeles"})
    assert (account(cleo).zone, account(cleo).zone_chosen) == ("America/Los_Angeles", True)
    assert 'value="America/Los_Angeles"' in cleo.page("/account/rhythm")
    # A second sign-in, from a journey, doesn't ask and doesn't move it.
    link = asked_in(visitor("cleo@example.org"))
    away = visitor("cleo@example.org")
    assert 'name="zone"' not in away.page(link)
    away.post(link, {"choice": "enter", "zone": "Asia/Tokyo"})
    assert account(cleo).zone == "America/Los_Angeles"


def test_a_zone_that_is_none_is_refused_where_it_was_typed(visitor: New) -> None:
    cleo = visitor("cleo@example.org")
    link = asked_in(cleo)
    refused = cleo.post(link, {"choice": "enter", "name": "Cleo", "zone": "Middle Earth"})
    assert refused.status_code == 422 and "“Middle Earth” isn’t a time zone" in refused.text
    assert 'value="Middle Earth"' in refused.text and 'value="Cleo"' in refused.text
    assert not account(cleo).zone_chosen and account(cleo).name == ""
    # The link isn't used up by it, and without a zone one comes in as well.
    assert cleo.post(link, {"choice": "enter", "name": "Cleo", "zone": ""}).status_code == 200
    assert not account(cleo).zone_chosen


def test_it_is_asked_for_with_the_first_seat(anna: Visitor, visitor: New) -> None:
    lobby = str(anna.post("/games/new", WAR | {"access": "open"}, follow=False).location)
    cleo = visitor("cleo@example.org")
    anna.post(lobby + "/invite", {"email": cleo.email})
    link = cleo.link("invitation", "i")
    assert 'name="zone"' in cleo.page(link)
    refused = cleo.post(link, {"choice": "accept", "name": "Cleo", "zone": "Nowhere"})
    assert refused.status_code == 422 and 'value="Nowhere"' in refused.text
    cleo.post(link, {"choice": "accept", "name": "Cleo", "zone": "Europe/Vienna"})
    assert account(cleo).zone == "Europe/Vienna"


def test_it_is_asked_for_at_a_share_link_where_it_is_not_chosen(anna: Visitor, visitor: New) -> None:
    lobby = str(anna.post("/games/new", WAR | {"access": "invited"}, follow=False).location)
    anna.post(lobby + "/share", {"choice": "make"})
    found = re.search(r'value="http://writ.test(/s/[^"]+)"', anna.page(lobby))
    assert found is not None
    cleo = visitor("cleo@example.org")
    cleo.post(asked_in(cleo), {"choice": "enter", "name": "Cleo"})
    assert 'name="zone"' in cleo.page(found[1])
    cleo.post(found[1], {"choice": "join", "zone": "Europe/Vienna"})
    assert account(cleo).zone == "Europe/Vienna"
    assert 'name="zone"' not in anna.page(found[1]) or anna.get(found[1]).status_code == 303


@pytest.mark.parametrize("zone", ["", "America/Los_Angeles"])
def test_there_are_no_quiet_hours_in_a_zone_that_nobody_chose(
    anna: Visitor, bert: Visitor, settings: Settings, zone: str
) -> None:
    path = begun(anna, bert)
    with transaction(settings) as session:
        mine = accounts.by_email(session, anna.email)
        mine.zone = zone
        session.add(mine)
    with open_session(settings) as session:
        match = session.get_one(Match, path.split("/")[2])
        seat = session.exec(select(SeatRow).where(SeatRow.match_id == match.id, SeatRow.name == "Anna")).one()
        rest = arithmetic.Rest(recipe.rhythm_of(session.get(Account, seat.account_id), pace.Pace()))
    start = now().replace(hour=0, minute=30, second=0, microsecond=0)
    moments = [start + timedelta(hours=h) for h in range(24)]
    moved = [at for at in moments if arithmetic.due(at - HOUR, 3600, rest) != at]
    assert len(moved) == (10 if zone else 0)
    if zone:
        assert {at.astimezone(ZoneInfo(zone)).hour for at in moved} == {22, 23, *range(8)}


def test_letters_of_games_ask_for_the_zone_until_it_is_chosen(anna: Visitor, visitor: New) -> None:
    cleo = visitor("cleo@example.org")
    cleo.post(asked_in(cleo), {"choice": "enter", "name": "Cleo"})
    assert "set your zone" not in cleo.letters("sign_in")[-1].text
    path = begun(anna, cleo)
    letter = cleo.letters("started")[-1]
    assert "set your zone" in letter.text and "http://writ.test/account/rhythm" in letter.text
    assert re.search(r'UTC: <a [^>]*href="http://writ.test/account/rhythm"', letter.html)
    assert "set your zone" not in anna.letters("started")[-1].text
    page = cleo.page("/account/rhythm")
    assert "You haven’t set your time zone yet" in page
    fields = {"zone": "Europe/Vienna", "quiet_from": "22:00", "quiet_to": "08:00", "ladder": "half"}
    cleo.post("/account/rhythm", fields)
    assert "You haven’t set" not in cleo.page("/account/rhythm")
    cleo.post(f"{path}/letters/again")
    assert "set your zone" not in cleo.letters()[-1].text
