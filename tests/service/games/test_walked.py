"""Every recorded game in the replay viewer at every entry: the data made from checkpoints is that of the game as played."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.play import match as matches
from service.people import accounts
from service.replay import checkpoints
from service.replay.viewer import OPEN
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Match
from tests.replays import moment
from tests.service.conftest import on_sqlite
from tests.tables import FOLDER, games, lay, stems, whole

SHOWN = 24
"""Every so many entries the page's own data is compared, too."""
GAMES = [(game, stem) for game in games() for stem in stems(game)]


def test_no_recorded_game_is_left_out() -> None:
    assert {*FOLDER.glob("*/*.jsonl")} == {Path(FOLDER, game, f"{stem}.jsonl") for game, stem in GAMES}


@on_sqlite
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("game", "stem"), GAMES, ids=lambda part: part)
def test_each_entry_shows_the_position_of_then_to_a_seat_to_spectators_and_to_all(
    settings: Settings, game: str, stem: str, every: int
) -> None:
    """The whole position is compared at each of these entries; of the views, which follow from it, one after another."""
    found = whole(game, stem)
    assert found.log is not None
    checkpoints.KEPT.clear()
    with transaction(settings) as session:
        id = lay(session, accounts.by_email(session, "alys@example.org"), found, logged=True).split("/")[2]
    readers = ["", *found.seats]
    played, before = matches.start(found.log.header, found.log.seed), None
    following = matches.follow(played, found.log.entries, trusted=True)
    encode, view, last = played.game.rules.encode, played.game.rules.view, len(found.log.entries)
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        for n in range(last + 1):
            if n:
                before = encode(played.state) if n % every == 0 else None
                next(following)
            if n % every:
                continue
            step, reader = checkpoints.step(session, match, n), readers[n % len(readers)] or None
            assert encode(step.state) == encode(played.state), n
            assert (step.before is not None and encode(step.before)) == (before is not None and before), n
            assert view(step.state, reader) == view(played.state, reader), (n, reader)
            if n % SHOWN == 0:
                shown = moment(session, match, OPEN, n)
                assert shown.hands == {seat: view(played.state, seat) for seat in found.seats}, n
