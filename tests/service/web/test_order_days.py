"""An order that ends with a day: one field of the calendar sets it, and when the day is past the page says so at once."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from sqlmodel import select

from engine.language.i18n import speaking
from service.common.dates import day_read
from service.seat import orders
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, Match, SeatRow, now
from tests.service.web.conftest import Visitor
from tests.tables import laid, lay


@pytest.fixture
def at(anna: Visitor, settings: Settings) -> str:
    """The page of orders of a running game."""
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        return lay(session, account, laid("fief", 3, "middle")).replace("/table", "/orders")


def own(settings: Settings, at: str) -> dict[str, str]:
    with transaction(settings) as session:
        return dict(session.exec(select(SeatRow.orders).where(SeatRow.match_id == at.split("/")[2], SeatRow.bot == "")).one())


def put(anna: Visitor, at: str, day: str) -> str:
    return anna.post(at, {"key": "", "serial": "0", "kind": "so_24", "option": "date", "f_date": day}).text


def test_a_day_is_set_in_one_field_and_written_as_before(anna: Visitor, at: str, settings: Settings) -> None:
    form = anna.page(at).partition('id="so_24"')[2].partition("</details>")[0]
    assert re.findall(r'type="date"[^>]* name="([^"]*)"', form) == ["so_24.date", "own.so_24.date.f_date"]
    assert not re.search(r'name="[^"]*(day|month|year)"', form)
    day = (now() + timedelta(days=40)).date()
    put(anna, at, day.isoformat())
    assert own(settings, at)["SO-24"] == f"date day={day.day} month={day.strftime('%b').lower()} year={day.year}"
    assert f'value="{day.isoformat()}"' in anna.page(at)
    # Typed, where a browser has no calendar; English counts months first.
    put(anna, at, day.strftime("%m/%d/%Y"))
    assert f"year={day.year}" in own(settings, at)["SO-24"]


def sent(anna: Visitor, at: str, *changes: str, choice: str = "set") -> str:
    """The page's words as they stand, but for these changes, `name=value` each; the page that comes."""
    page = anna.page(at)
    fields = dict(re.findall(r'<input type="date" class="w"[^>]* name="([^"]*)"[^>]* value="([^"]*)"', page))
    for name, choices in re.findall(r'<select class="w[^>]* name="([^"]*)"[^>]*>(.*?)</select>', page, re.DOTALL):
        fields[name] = "".join(re.findall(r'value="([^"]*)" selected', choices))
    fields |= {name: "1" for name in re.findall(r'role="switch"[^>]* name="([^"]*)"[^>]* checked', page)}
    fields |= dict(change.split("=") for change in changes)
    return anna.post(f"{at}/words", {**fields, "choice": choice}).text


def test_a_sentence_has_one_place_for_the_day(anna: Visitor, at: str, settings: Settings) -> None:
    day = (now() + timedelta(days=40)).date()
    sent(anna, at, "so_24.on=1", "so_24.option=date", f"so_24.date={day.isoformat()}")
    written = own(settings, at)
    assert written["SO-24"] == f"date day={day.day} month={day.strftime('%b').lower()} year={day.year}"
    page = anna.page(at)
    assert f"until the end of a day, {day.day} {day.strftime('%B')} {day.year}." in page
    sent(anna, at)
    assert own(settings, at) == written  # what nobody changes stays
    later = day + timedelta(days=40)
    sent(anna, at, f"so_24.date={later.strftime('%m/%d/%Y')}")
    assert own(settings, at)["SO-24"] == f"date day={later.day} month={later.strftime('%b').lower()} year={later.year}"
    # A round instead: the day that still stands in its field counts for nothing.
    sent(anna, at, "so_24.option=on")
    assert own(settings, at)["SO-24"].startswith("on until=round_")


def test_a_sentence_for_a_day_that_is_none_is_not_set(anna: Visitor, at: str, settings: Settings) -> None:
    for day in ("", "soon", "2026-02-31"):
        said = html.unescape(sent(anna, at, "so_24.on=1", "so_24.option=date", f"so_24.date={day}"))
        assert f"“{day}” isn’t a day; write it as 2026-12-24." in said
        assert "SO-24" not in own(settings, at)


@pytest.mark.parametrize(
    "day",
    ["", "tomorrow", "2026-13-40", "2026-13-01", "2026-11-31", "31", "1/2", "2026-12", "99999999999999", "1/2/99999999999999"],
)
def test_what_is_no_day_gets_a_sentence(anna: Visitor, at: str, settings: Settings, day: str) -> None:
    said = html.unescape(put(anna, at, day))
    assert f"“{day[:20]}” isn’t a day; write it as 2026-12-24." in said
    assert "SO-24" not in own(settings, at)


def test_days_are_read_as_the_language_writes_them() -> None:
    for language, text in (("en", "12/3/2026"), ("de", "3.12.2026"), ("fr", "03/12/2026"), ("de", "2026-12-03")):
        with speaking(language):
            assert day_read(text).isoformat() == "2026-12-03", (language, text)


def test_an_order_whose_day_is_past_is_over_on_the_page_before_the_table_moves(
    anna: Visitor, at: str, settings: Settings
) -> None:
    past = (now() - timedelta(days=3)).date()
    for since, over in ((past, True), ((now() + timedelta(days=3)).date(), False)):
        with transaction(settings) as session:
            row = session.exec(select(SeatRow).where(SeatRow.match_id == at.split("/")[2], SeatRow.bot == "")).one()
            row.orders = {"SO-24": f"date day={since.day} month={since.strftime('%b').lower()} year={since.year}"}
            session.add(row)
        page = anna.page(at)
        order = (
            page.partition('id="so_24"')[0].rpartition("<details")[2]
            + page.partition('id="so_24"')[2].partition("</details>")[0]
        )
        assert ("over since" in order) == over
        assert bool(re.search(r'name="so_24.on"[^>]*checked', order)) != over
        assert ("none is set" in page) == over
    with transaction(settings) as session:
        match = session.get_one(Match, at.split("/")[2])
        assert orders.presets(match)
