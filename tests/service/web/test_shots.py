"""The pictures of `make shots` can be made: of every page and letter that it is to show."""

from __future__ import annotations

import pytest

from engine.games import GAMES
from service.people import accounts
from service.replay import history
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match
from tests import shots
from tests.replays import moment
from tests.tables import NAMES, TITLES, complete, laid, lay, questions


@pytest.mark.parametrize("game", complete())
@pytest.mark.parametrize("moment", TITLES)
def test_a_letter_of_every_moment_can_be_shown(settings: Settings, game: str, moment: str) -> None:
    html = shots.letter(settings, game, moment)
    assert ("writ verify" in html) is (moment == "end")
    assert len(html) > 5000


def test_a_letter_counts_many_targets_by_whose_they_are(settings: Settings) -> None:
    html = shots.letter(settings, "ortus", "middle")
    attack = html.partition(">Attack<")[2].partition("</td>")[0]
    assert "Target: Drogo (2), Emmeline of Winchester (3), Alys (7)" in attack and "target=" not in attack


def test_what_gives_the_game_up_is_left_to_the_page(settings: Settings) -> None:
    html = shots.letter(settings, "ortus", "middle")
    ways = html.partition('class="ways"')[2].partition("</table>")[0]
    assert "option=end" in ways and "oncede" not in html


@pytest.mark.parametrize("moment", ["middle", "fight"])
def test_fiefs_of_a_letter_leave_no_hole(settings: Settings, moment: str) -> None:
    """Up to five stand in one row; six three by three, and not five and one."""
    html = shots.letter(settings, "ortus", moment)
    earls = html.partition('class="n earls"')[2].split('class="earl"')[1:]
    rows = [[n for row in earl.split("<tr") if (n := row.count(">Fief "))] for earl in earls]
    assert max(len(row) for row in rows) == 1 and max(n for row in rows for n in row) == 4


@pytest.mark.parametrize("kind", ["defend", "church", "allies"])
def test_a_letter_of_a_fight_shows_it_and_those_who_are_in_it(settings: Settings, kind: str) -> None:
    found = questions("ortus", 6)[kind]
    (fight,) = GAMES["ortus"].rules.view(found.state, found.seat)["doing"]
    within = {found.seat, fight["attacker"], fight.get("defender") or fight["target"]}
    letter = shots.written(settings, found)
    table = letter.text.partition("WHO IS IN IT")[2].partition("Your page has the whole table.")[0]
    assert {s for s, name in NAMES.items() if f"* {name}" in table} == within
    sides = letter.html.partition('class="n fight')[2].partition("Who is in it")[0]
    assert sides.count("Attacking") == sides.count("Defending") == 1 and sides.count("(you)") == (found.seat in fight.values())
    assert {"defend": "ATTACK ON THE TOWERS", "church": "SIEGE OF FIEF 1", "allies": "TREACHERY · "}[kind] in letter.text


@pytest.mark.parametrize("moment", ["start", "middle"])
def test_fiefs_of_a_letter_stand_below_their_earls_name_and_numbers(settings: Settings, moment: str) -> None:
    """Across the whole width, in cells of a table of their own: on a phone a column of them would be twice as high."""
    found = laid("ortus", 6, moment)
    html = shots.letter_of(settings, found).partition("The table in Round")[2]
    rows = html.split('class="earl"')[1:]
    out = [seat for seat, earl in found.state.table.earls.items() if not earl.alive and seat != found.seat]
    assert len(rows) == 6 - len(out)
    assert all(NAMES[seat] in html.partition("Out of the game:")[2].partition("</td>")[0] for seat in out)
    living = [row.partition("</table></td></tr>")[0] for row in rows if ">Fief " in row]
    assert living and all(row.index("</th>") < row.index(">Fief ") for row in living)
    assert all(row.partition(">Fief ")[0].count("<td><b>") == 4 for row in living)


def test_nobody_is_on_turn_in_a_game_that_is_over(settings: Settings) -> None:
    assert "on Turn" in shots.letter(settings, "ortus", "middle") and "on Turn" not in shots.letter(settings, "ortus", "end")


@pytest.mark.parametrize("game", complete())
def test_a_letter_is_headed_by_what_is_asked(settings: Settings, game: str) -> None:
    html = shots.letter(settings, game, "fight")
    heading = html.partition("<h1")[2].partition("</h1>")[0]
    assert "You are asked" not in heading
    asked = {"ortus": "Alys raids your Fief 1", "mastery": "You fight for Battlefield", "fief": "You attack Sigy"}
    assert asked[game] in heading


@pytest.mark.parametrize("game", complete())
def test_no_letter_weighs_25_kb(settings: Settings, game: str) -> None:
    """With most seats, at the position of a recorded game with the most ways to answer, of every kind of question."""
    settings = settings.model_copy(update={"base_url": "https://writ.example.org", "inbox": "writ@example.org"})
    asked = {kind: len(shots.letter_of(settings, found).encode()) for kind, found in questions(game, 6).items()}
    assert 17_000 < max(asked.values()) < 25_000, asked


def test_a_letters_standings_have_the_names_on_one_line(settings: Settings) -> None:
    """The cell of points took the whole width from the names."""
    html = shots.letter(settings, "ortus", "end")
    assert 'class="n" align="right"' not in html.partition(">Standings<")[2].partition("</table>")[0]
    assert "?to=result" in html and "?to=replay.html" in html


@pytest.mark.parametrize("game", complete())
def test_a_recorded_game_can_be_laid_with_its_log(settings: Settings, game: str) -> None:
    found = laid(game, GAMES[game].rules.seats[-1], "end")
    assert found.log is not None
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        match = session.get_one(Match, lay(session, account, found, logged=True).split("/")[2])
        last, view = len(found.log.entries), GAMES[game].rules.view(found.state, found.seat)
        assert moment(session, match, found.seat, last).view == view
        assert moment(session, match, found.seat, 0).view != view
        page = history.page(session, match, found.seat)
        assert page.pages > 1 and page.lines
        for number in range(1, page.pages + 1):
            # A line without a word is none: what a seat isn't told has no place there, nor an empty one.
            assert all(words and all(words) for _, words in history.page(session, match, found.seat, number).lines)
