"""The replay viewer's data: at every entry what the seat's view was then, whatever way one comes there."""

from __future__ import annotations

import random
from copy import deepcopy

import pytest
from sqlmodel import Session, select

from engine.core import views
from engine.games import GAMES
from engine.play import match as matches
from service.log import packing
from service.people import accounts
from service.replay import checkpoints, viewer
from service.replay.viewer import OPEN, Reader
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Match, MatchStatus, PackedLog
from tests.replays import moment
from tests.service.conftest import on_sqlite
from tests.tables import Laid, games, lay, recorded, whole

pytestmark = pytest.mark.usefixtures("fresh_checkpoints")


@pytest.fixture
def fresh_checkpoints() -> None:
    checkpoints.KEPT.clear()


def laid(settings: Settings, game: str) -> tuple[Laid, str]:
    """A whole recorded game of most seats, stored, and its id."""
    file = recorded(game, GAMES[game].rules.seats[-1])
    assert file is not None
    found = whole(game, file.stem)
    with transaction(settings) as session:
        return found, lay(session, accounts.by_email(session, "alys@example.org"), found, logged=True).split("/")[2]


@on_sqlite
@pytest.mark.parametrize("game", games())
def test_a_recorded_game_shows_at_each_entry_what_the_seat_saw_then(settings: Settings, game: str) -> None:
    found, id = laid(settings, game)
    assert found.log is not None
    readers = [None, *found.seats]
    chosen = set(random.Random(game).sample(range(len(found.log.entries) + 1), 5)) | {0, len(found.log.entries)}
    seen: dict[tuple[int, str | None], object] = {}
    played = matches.start(found.log.header, found.log.seed)
    for n in range(len(found.log.entries) + 1):
        if n:
            matches.apply(played, found.log.entries[n - 1], trusted=True)
        if n in chosen:
            seen |= {(n, seat): deepcopy(played.game.rules.view(played.state, seat)) for seat in readers}
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        for n in [*sorted(chosen), *sorted(chosen, reverse=True)]:
            for seat in readers:
                shown = moment(session, match, seat or "", n)
                assert shown.view == seen[n, seat], (n, seat)
            open_ = moment(session, match, OPEN, n)
            assert open_.hands == {seat: seen[n, seat] for seat in found.seats}


@on_sqlite
def test_a_step_replays_no_more_than_the_entries_between_two_checkpoints(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, id = laid(settings, "fief")
    assert found.log is not None
    last, applied = len(found.log.entries), []
    apply = matches.apply

    def counted(match: matches.Match, entry: matches.Entry, trusted: bool = False) -> object:
        applied.append(entry.n)
        return apply(match, entry, trusted)

    monkeypatch.setattr(matches, "apply", counted)
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        checkpoints.step(session, match, last)
        assert len(applied) == last, "the first look replays the log"
        for n in (last, last // 2, 1, last // 3):
            applied.clear()
            checkpoints.step(session, match, n)
            assert applied == [*range(applied[0], n + 1)] and len(applied) <= checkpoints.EVERY


@on_sqlite
def test_a_checkpoint_of_another_log_is_not_used(settings: Settings) -> None:
    _, id = laid(settings, "mastery")
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        right = moment(session, match, "a", checkpoints.EVERY + 1).view
        checkpoints.KEPT.clear()
        checkpoints.KEPT.keep(f"{id} {checkpoints.EVERY}".encode(), ("another entry's hash", b"nothing"), 1)
        assert moment(session, match, "a", checkpoints.EVERY + 1).view == right


def test_a_packed_log_is_replayed_as_it_was(settings: Settings) -> None:
    _, id = laid(settings, "mastery")
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        before = [moment(session, match, seat, n) for seat in ("a", "", OPEN) for n in (0, 7, 40)]
        moves = viewer.own_moves(session, match, "a", 40, match.snapshot_n)
        assert moves[0] is not None and moves[1] is not None and moves[0] < 40 < moves[1]
    with transaction(settings) as session:
        assert packing.pack(session, id)
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        assert session.exec(select(PackedLog)).first() is not None
        assert [moment(session, match, seat, n) for seat in ("a", "", OPEN) for n in (0, 7, 40)] == before
        assert viewer.own_moves(session, match, "a", 40, match.snapshot_n) == moves


@on_sqlite
def test_marks_are_the_rounds_and_turning_points_up_to_an_entry(settings: Settings) -> None:
    _, id = laid(settings, "fief")

    def marks(session: Session, last: int) -> list[viewer.Mark]:
        match, reader = session.get_one(Match, id), Reader("a")
        return viewer.marks(session, match, reader, last, viewer.names_at(session, match, reader))

    with open_session(settings) as session:
        found = marks(session, 999_999)
        assert [mark.heading for mark in found if mark.heading][:2] == ["Round 1", "Round 2"]
        assert any(mark.words for mark in found)
        assert marks(session, found[3].n) == [mark for mark in found if mark.n <= found[3].n]


def test_a_spectator_and_the_nameless_are_told_of_no_votes_and_pauses() -> None:
    event = views.Event("table.pause", {"until": "2026-11-28T12:00:00+00:00"})
    assert Reader("a").sees(event) and Reader("").sees(event)
    assert not Reader("", member=False).sees(event) and not Reader("a", nameless={"a": "Seat A"}).sees(event)
    twin = views.Event("drawn", but=("b",))
    assert not Reader(OPEN).sees(twin) and Reader(OPEN).sees(views.Event("drawn", only=("b",))), "the fuller of two"


@on_sqlite
def test_a_running_game_ends_at_the_newest_visible_entry(settings: Settings) -> None:
    _, id = laid(settings, "mastery")
    with transaction(settings) as session:
        session.get_one(Match, id).status = MatchStatus.RUNNING
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        assert viewer.last_of(session, match) == match.snapshot_n
