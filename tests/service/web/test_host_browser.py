"""The host's page and that of those who run the service, in a real browser: on a phone and a desk, in both themes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlmodel import select

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import expect

from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, AskRow, Beat, Match, Message, SeatRow, now
from service.table import notices
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"operators": ("anna@example.org",)})


@pytest.fixture
def troubled(anna: Visitor, bert: Visitor, settings: Settings) -> str:
    """A game in which much has gone wrong; its path."""
    filled = {"name": "A war about a very long-winded inheritance", "game": "ortus", "seats": "3", "access": "open"}
    path = str(anna.post("/games/new", filled, follow=False).location)
    bert.post(path + "/join")
    anna.post(path + "/bot", {"bot": "steady", "how_many": "one"})
    bert.post(f"{path}/talk", {"text": "Something that nobody should have had to read.", "to_all": "yes", "key": "key-of-bert"})
    with transaction(settings) as session:
        message = session.exec(select(Message)).one()
        account = session.exec(select(Account).where(Account.email == bert.email)).one()
        account.bounced_at, account.bounce = now(), "550 5.1.1 no such mailbox as this one here, whoever may have told you so"
        seat = session.exec(select(SeatRow).where(SeatRow.account_id == account.id)).one()
        seat.steward, seat.missed = "steady", 2
        for ask in session.exec(select(AskRow)):
            ask.opened_at -= timedelta(hours=30)
            session.add(ask)
        session.merge(Beat(name="sweep", at=now()))
        session.add_all((account, seat))
    anna.post(f"{path}/report/{message.id}", {"thread": message.thread_id, "why": "rude"})
    anna.post(f"{path}/host", {"do": "pause", "days": "3"})
    anna.post(f"{path}/host", {"do": "end", "reason": "Half of us are at sea until the spring."})
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        notices.announce(session, match, "end", None, "host", {"reason": "Half of us are at sea until the spring."})
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_of_hosts_fit_and_keep_nobody_out(
    browse: Open,
    troubled: str,
    width: int,
) -> None:
    for path in (f"{troubled}/host", "/host"):
        page = browse(path, width=width)
        for summary in page.locator("main details > summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert in_both_themes(page) == []


def test_a_host_looks_after_a_game_without_scripts(browse: Open, troubled: str, settings: Settings) -> None:
    with transaction(settings) as session:  # the seat that is asked is not the host's own, whose deadline the host can't move
        seats = {seat.seat: seat for seat in session.exec(select(SeatRow))}
        mine, theirs = seats["a"].account_id, seats["b"].account_id
        seats["a"].account_id = seats["b"].account_id = None
        session.flush()
        seats["a"].account_id, seats["b"].account_id = theirs, mine
    page = browse(f"{troubled}/host", scripts=False)
    page.get_by_role("button", name="End the pause").click()
    expect(page.get_by_role("status")).to_contain_text("The pause is over.")
    page.get_by_label("Move the deadline later by").first.fill("90m")
    page.get_by_role("button", name="Move Anna").click()
    expect(page.get_by_role("status")).to_contain_text("The deadline moves; the table is told.")
