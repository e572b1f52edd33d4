"""The board as it stood: what a seat is shown of an entry is what it was shown when that was the newest."""

from __future__ import annotations

import re
from typing import Any

from sqlmodel import select

from engine.games import game_called
from service.errors import NotFound
from service.games import history_board
from service.games.state import shown_n, state_of
from service.settings import Settings
from service.store.database import open_session
from service.store.models import Match
from tests.service.web.conftest import Visitor
from tests.service.web.test_orders import end_turn, game, on_turn  # noqa: F401  (fixture)
from tests.service.web.test_statements import counted


def views(settings: Settings) -> tuple[int, dict[str, Any]]:
    """The newest entry that may be known, and what each seat and a spectator see now."""
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        state = state_of(match)
        return shown_n(match, state), {s: game_called(match.game).view(state, s or None) for s in ("a", "b", "")}


def test_an_old_board_is_the_one_that_each_seat_saw_then(
    game: str,
    anna: Visitor,
    bert: Visitor,
    settings: Settings,
) -> None:
    known = dict([views(settings)])
    for _ in range(4):
        end_turn(on_turn(settings, anna, bert)[0], game)
        n, now = views(settings)
        known[n] = now
    assert len(known) == 5
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        for n, of_all in known.items():
            for seat, view in of_all.items():
                found = history_board.at(session, match, seat, n, "UTC")
                assert found.view == view and (found.n, found.last) == (n, max(known)), (n, seat)
        assert known[max(known)]["a"] != known[min(known)]["a"]
        try:
            history_board.at(session, match, "a", max(known) + 1, "UTC")
        except NotFound as problem:
            assert "no entry" in str(problem)
        else:
            raise AssertionError("a board of an entry that there isn't")
    n = sorted(known)[1]
    with counted(settings) as sent:
        page = anna.page(f"{game}/at/{n}")
    assert len(sent) <= 10, sent
    assert f"The board after entry {n} of {max(known)}" in page and 'name="option"' not in page
    assert re.findall(rf'rel="(\w+)" href="{game}/at/(\d+)"', page) == [("prev", str(n - 1)), ("next", str(n + 1))]
    assert f'href="{game}/at/{n}"' in anna.page(f"{game}/history") and f'href="{game}/at/' in anna.page(f"{game}/table")
    # Beside it stand the entries around it, each a way to the board after it; in the history each has its seat's arms.
    beside = [int(at) for at in re.findall(rf'<a class="then" href="{game}/at/(\d+)"', page)]
    assert beside == sorted(beside, reverse=True) and n not in beside and {n - 1, n + 1} & set(beside)
    assert max(beside) <= max(known) and page.count('aria-current="true"') == 1
    last = re.findall(rf'class="then" href="{game}/at/(\d+)"', anna.page(f"{game}/at/{max(known)}"))
    assert last and max(int(at) for at in last) < max(known)
    history = anna.page(f"{game}/history")
    assert history.count("#sh-") >= 4
    folded = re.findall(r'<details class="chapter"( open)?><summary><h2>(.+?)</h2>', history)
    assert (
        len(folded) > 2
        and folded[1] == ("", "Round 1")
        and [bool(open) for open, _ in folded] == [False] * (len(folded) - 1) + [True]
    )
    assert re.findall(r'<details class="chapter"( open)?>', anna.page(f"{game}/history?open=all")) == [" open"] * len(folded)
    assert anna.get(f"{game}/at/{max(known) + 1}").status_code == 404
    assert "The board at the start" in bert.page(f"{game}/at/0")
