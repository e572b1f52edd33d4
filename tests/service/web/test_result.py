"""The page of a finished game: for every way in which a recorded game ends, and for those that nobody won."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from html import unescape

import pytest
from sqlmodel import select

from engine.core.asks import Answer, read
from engine.core.views import Event
from engine.games import GAMES
from engine.play import match as matches
from service.log import packing, results
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, SeatRow
from tests import recorded
from tests.service.web.conftest import Visitor
from tests.tables import FOLDER, Laid, Log, complete, laid, lay, whole

ENDINGS: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "endings.toml").read_text("utf-8"))
"""Game -> ending -> a game that ends like that."""
FIXTURES = sorted({(game, name) for game, named in ENDINGS.items() for name in named.values() if not name.endswith(".case")})


def ended(game: str, name: str) -> Laid:
    """The end of a fixture, with its log."""
    if name.endswith(".jsonl"):
        return whole(game, name.removesuffix(".jsonl"))
    lines = next(one for one in recorded.listed() if one.id == f"{game}/{name}").lines()
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    match = matches.start(matches.read_header(lines[0]), bytes.fromhex(read(entries[-1].move or "").pick("seed")))
    told = [
        (0, list(match.opening)),
        *((entry.n, events) for entry, events in matches.follow(match, entries[:-1], trusted=True)),
    ]
    seats = [info.seat for info in match.header.seats]
    return Laid(game, name, seats, match.state, "a", told, Log(match.header, match.seed, entries[:-1], told))


def laid_out(anna: Visitor, settings: Settings, game: str, stem: str, seat: str = "a", logged: bool = True) -> str:
    """The address of a recorded game's page, which Anna sees from a seat."""
    return put(anna, settings, replace(whole(game, stem), seat=seat), logged)


def put(anna: Visitor, settings: Settings, found: Laid, logged: bool = True) -> str:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        return lay(session, account, found, logged=logged).replace("table", "result")


def part(page: str, begin: str, end: str) -> str:
    """What stands between the first of one text and the next of another; "" without the first."""
    return page.partition(begin)[2].partition(end)[0]


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^<>]*>", "", html)).split())


def heading(page: str) -> str:
    return words(part(page, "<h1>", "</h1>"))


def lede(page: str) -> str:
    return words(part(page, '<p class="lede">', "</p>"))


def standings(page: str) -> list[str]:
    return re.findall(r'<li class="[^"]*"><span class="place">.*?</li>', page, re.DOTALL)


@pytest.mark.parametrize(("game", "name"), FIXTURES)
def test_every_ending_has_its_page(anna: Visitor, settings: Settings, game: str, name: str) -> None:
    found = ended(game, name)
    outcome = found.state.table.outcome
    page = anna.page(put(anna, settings, found))
    assert heading(page).endswith(" won") and (lede(page) or not outcome.winners)
    assert ("You came" in lede(page)) == bool(outcome.winners and "a" not in outcome.winners)
    rows, won = standings(page), len(outcome.winners)
    assert len(rows) == len(found.seats) and sum('<li class="won' in row for row in rows) == won
    places = [int(n) for n in re.findall(r'class="place">(\d)<', page)]
    assert places == sorted(places) and places[0] == 1 and places[:won] == [1] * won
    assert all('class="why"' in row for row in rows[:won]), "a winner's place has a reason"
    assert part(page, '<svg class="crowned"', "</svg>").count("#sh-") == min(3, won)
    assert page.count("<dt>") <= 6
    plot = part(page, '<svg class="plot"', "</svg>")
    assert sorted(re.findall(r'class="line of-(\w) tint', plot)) == found.seats
    table = part(page, '<details class="as-table">', "</details>")
    levels = [re.findall(r"<td>(\d+)</td>", row) for row in table.split("<tr>")[2:]]
    for i, seat in enumerate(re.findall(r'<th scope="col">(.*?)</th>', table)):
        assert f"{seat}: {', '.join(row[i] for row in levels)}." in part(plot, "<desc", "</desc>")
    story = part(page, '<section class="told"', "</section>")
    turns = [int(n) for n in re.findall(r'<a href="/g/\w+/replay\?n=(\d+)">', story)]
    assert turns == sorted(turns) and all(n <= found.told[-1][0] for n in turns) and len(turns) < 5
    assert re.findall(r'<sup aria-hidden="true">(\d)<', story) == re.findall(r'class="nth"[^>]*>(\d)<', plot)
    assert words(part(page, '<div class="acts">', "</form>")) == "Ask for a rematch", "the rematch is first"
    proof = part(page, '<p class="small soft proof">', "</p>")
    assert (
        re.findall(r'<a href="/g/\w+/([^"]*)">', proof) == ["history#shuffle", "result?luck=1#luck"] and proof.count("<a ") == 2
    )


@pytest.mark.parametrize("seat", ["a", "b"])
def test_the_reader_is_called_you(anna: Visitor, settings: Settings, seat: str) -> None:
    page = anna.page(laid_out(anna, settings, "ortus", "6-earls-with-roles-last-falls-by-deck", seat))
    won = seat == "b"
    assert heading(page) == ("You won" if won else "Baldwin won")
    assert ("You went ahead only in Round 20, at the very end." in page) == won
    assert ("You led from Round 8 to Round 19, at best with 6 Fiefs." in page) == (not won)
    assert ("You came second." in lede(page)) == (not won)
    assert page.count(' fell">') == 5, "ruins in the picture of the last board"
    assert ('<dd class="whose">you' in page) == (not won), "who did most of something"


def stopped(game: str, event: Event) -> Laid:
    """A recorded game that is ended in its middle, which the event tells."""
    found = laid(game, GAMES[game].rules.seats[-1], "middle")
    assert found.log is not None
    log = found.log
    match = matches.replay(log.header, log.seed, log.entries, trusted=True)
    match.record("host", Answer("end"), log.entries[-1].at, "host")
    told = [*log.told, (match.entries[-1].n, [event])]
    return Laid(game, "end", found.seats, match.state, "a", told, Log(log.header, log.seed, match.entries, told))


@pytest.mark.parametrize("game", complete())
@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        ("table.ended_table", {"why": "Half of us are on the road."}, "The table ended the game: Half of us are on the road."),
        ("table.ended", {"why": "Nobody answers."}, "The host ended the game: Nobody answers."),
        ("table.ended_table_unheard", {}, "The table ended the game."),
    ],
)
def test_a_game_that_was_stopped_says_why_and_has_no_winner(
    anna: Visitor, settings: Settings, game: str, kind: str, facts: dict[str, str], said: str
) -> None:
    page = anna.page(put(anna, settings, stopped(game, Event(kind, facts))))
    assert heading(page) == "Nobody won" and said in lede(page) and "You came" not in lede(page)
    assert 'class="crowned"' not in page and '<li class="won' not in page
    assert 'class="line of-a' in page and "<dt>" in page
    assert words(part(page, '<section class="told"', "</section>").partition("<p>")[2]), "it is told how far it came"


def test_a_game_without_a_log_or_with_a_packed_one_has_its_page(anna: Visitor, settings: Settings) -> None:
    stem = "3-seats-alone"
    bare = anna.page(laid_out(anna, settings, "fief", stem, logged=False))
    assert 'class="plot"' not in bare and "<dt>" not in bare and len(standings(bare)) == 3 and lede(bare)
    path = laid_out(anna, settings, "fief", stem)
    before = anna.page(path)
    with transaction(settings) as session:
        assert packing.pack(session, path.split("/")[2])
    results.COURSES.clear()
    fresh = re.compile(r'name="(csrf_token|form_key)" value="[^"]*"')
    assert fresh.sub("", anna.page(path)) == fresh.sub("", before)


def test_a_name_cannot_write_into_the_plot(anna: Visitor, settings: Settings) -> None:
    path = laid_out(anna, settings, "mastery", "2-lords-points")
    with transaction(settings) as session:
        row = session.get_one(SeatRow, (path.split("/")[2], "b"))
        row.name = "<b>&\"'"
        session.add(row)
    page = anna.page(path)
    assert '<b>&"' not in page and "&lt;b&gt;&amp;" in part(page, '<svg class="plot"', "</svg>")


def test_strangers_see_no_result(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = laid_out(anna, settings, "mastery", "2-lords-points")
    assert bert.get(path).status_code == 403 and "Bob" not in bert.get(path).text
