"""Playing on from a moment of a finished game: a table of its own, against bots, that stands where the old one stood."""

from __future__ import annotations

import pytest
from sqlmodel import select

from engine.play import match as matches
from service.games import playing_on
from service.log.entries import stored_entries
from service.seat.state import state_of
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Match, SeatRow
from tests.replays import moment
from tests.service.web.conftest import Visitor
from tests.service.web.test_replay import over, run_on  # noqa: F401  (fixture)
from tests.tables import games, lay, stems, whole


@pytest.mark.parametrize("game", games())
def test_the_new_table_stands_where_the_old_one_stood(anna: Visitor, settings: Settings, game: str) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        old = session.get_one(Match, lay(session, account, whole(game, stems(game)[0]), logged=True).split("/")[2])
        n = old.snapshot_n // 2
        new = playing_on.play_on(session, old, account, "b", n)
        entries = stored_entries(session, new.id)
        assert entries and all(entry.hash == matches.entry_hash(entry) for entry in entries)
        assert moment(session, new, "b", len(entries)).view == moment(session, old, "b", n).view
        id = new.id
    with open_session(settings) as session:
        played = session.get_one(Match, id)
        state = state_of(played)
        assert "b" in state.waiting or state.table.outcome is not None, "bots have played until the player is asked"
        rows = session.exec(select(SeatRow).where(SeatRow.match_id == id)).all()
        assert [row.seat for row in rows if not row.bot] == ["b"] and len(rows) == len(state.table.seats)


def test_it_is_offered_in_the_replay_and_only_when_the_game_is_over(over: str, anna: Visitor, settings: Settings) -> None:
    assert 'name="seat" value="c"' in anna.page(f"{over}/replay?n=40&as=c")
    begun = anna.post(f"{over}/play-on", {"n": "40", "seat": "c"})
    assert begun.status_code == 200 and "Bots have the other seats." in begun.text and begun.request.path != f"{over}/table"
    end = anna.post(f"{over}/play-on", {"n": "99999", "seat": "c"})
    assert "The game was over at that entry." in end.text
    run_on(settings, over)
    assert "You can play on from a game that is over." in anna.post(f"{over}/play-on", {"n": "40", "seat": "a"}).text
