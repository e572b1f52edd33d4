"""Letters: complete in text and in HTML, one thread a game, nothing from elsewhere."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.policy import default

import pytest

from engine.games import GAMES
from service.settings import Settings
from service.store.models import Letter
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import open_game
from tests.service.web.test_turn import answer, started, table  # noqa: F401  (fixtures)
from tests.shots import written
from tests.tables import complete, laid
from workers.letters import delivery


@pytest.fixture
def letters(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> dict[str, Letter]:
    """One letter of every kind that a game sends to Anna or Bert."""
    active = started(anna, bert, table, settings)
    other = bert if active is anna else anna
    active.post(table + "/answer", answer(settings, "turn", "end"))
    other.post(table + "/answer", answer(settings, "turn", "") | {"answer": "concede sure=yes"})
    second = open_game(anna, seats=3)
    anna.post(second + "/invite", {"email": "carl@example.org"})
    anna.post(second + "/cancel", {"sure": "yes"})
    carl = Visitor(anna.client, settings, "carl@example.org")
    found = {letter.kind: letter for who in (other, carl) for letter in who.letters()}
    assert set(found) == {"sign_in", "started", "turn", "over", "invitation", "cancelled"}
    return found


def test_every_letter_is_complete_both_ways(letters: dict[str, Letter], settings: Settings) -> None:
    for kind, letter in letters.items():
        text, html = letter.text, letter.html
        assert "{{" not in text + html and "None" not in text
        assert len(html.encode()) < 60_000, kind
        assert not re.search(r"<(img|script|link|iframe)", html)
        assert set(re.findall(r"https?://[^/\"\s<]+", html)) <= {settings.base_url}
        assert 'name="color-scheme"' in html and "prefers-color-scheme:dark" in html
        links = re.findall(r"^http\S+$", text, re.M)
        assert links, f"{kind} has its link on a line of its own"
        assert all(link in html for link in links)


@pytest.mark.parametrize("game", complete())
def test_a_letter_about_the_end_holds_standings_story_and_the_board_as_it_ended(settings: Settings, game: str) -> None:
    found = laid(game, GAMES[game].rules.seats[-1], "end")
    letter = written(settings, found)
    places = [letter.html.index(mark) for mark in ('class="story"', "?to=result", "?to=replay.html", "Standings")]
    assert "?to=replay.html" in letter.text
    assert places == sorted(places)
    assert len(letter.html.encode()) < 25_000
    if game == "mastery":
        assert GAMES[game].rules.view(found.state, None)["doing"], "it ends in a battle"
        assert 'class="map ' in letter.html and "The battle for" not in letter.html
        assert "THE MAP IN TURN" in letter.text and "THE BATTLE FOR" not in letter.text


def test_a_letter_of_a_battle_of_fief_shows_both_sides_and_leaves_the_chart_to_the_page(settings: Settings) -> None:
    fight, middle = (written(settings, laid("fief", GAMES["fief"].rules.seats[-1], moment)) for moment in ("fight", "middle"))
    assert 'class="fight ' in fight.html
    assert 'class="map chart"' in middle.html and 'class="map chart"' not in fight.html
    assert "THE CHART, FIEF BY FIEF" in middle.text and "THE CHART, FIEF BY FIEF" not in fight.text
    assert len(re.findall(r"Arthur \(at \w+", fight.text)) == 1, "so each Lord says where he is"


@pytest.mark.parametrize("moment", ["start", "middle", "fight", "end"])
@pytest.mark.parametrize("game", list(GAMES))
def test_no_line_of_a_text_part_is_wider_than_a_mail_program(settings: Settings, game: str, moment: str) -> None:
    text = written(settings, laid(game, GAMES[game].rules.seats[-1], moment)).text
    assert [line for line in text.splitlines() if len(line) > 78 and "://" not in line] == []
    assert "\n\n\n" not in text


def test_a_turn_letter_can_be_played_from(letters: dict[str, Letter]) -> None:
    text = letters["turn"].text
    for part in (
        "Your turn. What do you do?",
        "  - End the turn (draw a card)",
        "Hand:",
        "THE TABLE, ROUND",
        "Vikings:",
        "hash chain",
    ):
        assert part in text
    assert text.index("Your turn. What do you do?") < text.index("/t/") < text.index("THE TABLE")


def test_letters_of_a_game_make_one_thread(letters: dict[str, Letter], settings: Settings) -> None:
    game = [letters[k] for k in ("started", "turn", "over")]
    made = [message_from_bytes(delivery.message(settings, x), policy=default) for x in game]
    assert all(m["Subject"].startswith("The Long Winter") for m in made) and len({m["References"] for m in made}) == 1
    assert len({m["Message-ID"] for m in made}) == 3
    for m in made:
        assert m["Auto-Submitted"] == "auto-generated" and m["X-Auto-Response-Suppress"] == "OOF, AutoReply"
        assert [p.get_content_type() for p in m.iter_parts()] == ["text/plain", "text/html"]
