"""The pictures of `make shots` can be made: of every page and letter that it is to show."""

from __future__ import annotations

import pytest

from engine.games import GAMES
from service.games import history
from service.people import accounts
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
    """Four stand two by two, and not three and one."""
    html = shots.letter(settings, "ortus", moment)
    four = html.partition('class="n earls"')[2].partition(">Alys<")[2].partition('class="earl"')[0]
    rows = [row.count(">Fief ") for row in four.split("<tr")]
    assert [n for n in rows if n] == [2, 2]


@pytest.mark.parametrize("kind", ["defend", "church", "allies"])
def test_a_letter_of_a_fight_shows_it_and_those_who_are_in_it(settings: Settings, kind: str) -> None:
    found = questions("ortus", 6)[kind]
    (fight,) = GAMES["ortus"].view(found.state, found.seat)["doing"]
    within = {found.seat, fight["attacker"], fight.get("defender") or fight["target"]}
    letter = shots.written(settings, found)
    table = letter.text.partition("WHO IS IN IT")[2].partition("Your page has the whole table.")[0]
    assert {s for s, name in NAMES.items() if f"* {name}" in table} == within
    sides = letter.html.partition('class="n fight')[2].partition("Who is in it")[0]
    assert sides.count("Attacking") == sides.count("Defending") == 1 and sides.count("(you)") == (found.seat in fight.values())
    assert {"defend": "ATTACK ON THE TOWERS", "church": "SIEGE OF FIEF 1", "allies": "TREACHERY · "}[kind] in letter.text


@pytest.mark.parametrize("moment", ["start", "middle"])
def test_fiefs_of_a_letter_stand_in_their_earls_row(settings: Settings, moment: str) -> None:
    """Between the name and the four numbers, in cells of a table of their own."""
    html = shots.letter(settings, "ortus", moment).partition("The table in Round")[2]
    rows = html.split('class="earl"')[1:]
    assert len(rows) == 6
    living = [row.partition("</table></td></tr>")[0] for row in rows if ">Fief " in row]
    assert living and all(row.index("</th>") < row.index(">Fief ") for row in living)
    assert all(row.rpartition(">Fief ")[2].count("<td><b>") == 4 for row in living)


def test_nobody_is_on_turn_in_a_game_that_is_over(settings: Settings) -> None:
    assert "on Turn" in shots.letter(settings, "ortus", "middle") and "on Turn" not in shots.letter(settings, "ortus", "end")


@pytest.mark.parametrize("game", complete())
def test_a_letter_is_headed_by_what_is_asked(settings: Settings, game: str) -> None:
    html = shots.letter(settings, game, "fight")
    heading = html.partition("<h1")[2].partition("</h1>")[0]
    assert "You are asked" not in heading
    assert {"ortus": "Defend Fief 1", "mastery": "Fight for Battlefield", "fief": "Attack Sigy"}[game] in heading


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
    assert "?to=result" in html and "?to=history" in html and "?to=log.jsonl" in html


@pytest.mark.parametrize("game", complete())
def test_a_recorded_game_can_be_laid_with_its_log(settings: Settings, game: str) -> None:
    found = laid(game, GAMES[game].most, "end")
    assert found.log is not None
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        match = session.get_one(Match, lay(session, account, found, logged=True).split("/")[2])
        last, view = len(found.log.entries), GAMES[game].view(found.state, found.seat)
        assert moment(session, match, found.seat, last).view == view
        assert moment(session, match, found.seat, 0).view != view
        page = history.page(session, match, found.seat)
        assert page.pages > 1 and page.lines
        for number in range(1, page.pages + 1):
            # A line without a word is none: what a seat isn't told has no place there, nor an empty one.
            assert all(words and all(words) for _, words in history.page(session, match, found.seat, number).lines)
