"""Letters are written from what is gathered for many at once: each question of a seat is there, however many it has."""

from __future__ import annotations

import pytest

from service.games import writing
from service.people import accounts
from service.post import letters
from service.settings import Settings
from service.store.database import transaction
from service.store.models import AskRow, Match, SeatRow
from tests.tables import games, laid, lay, questions


def of_the_first_seat(game: str) -> str:
    """A kind of question that the first seat is asked in a recorded game of two or three."""
    least = 3 if game == "fief" else 2
    return next(kind for kind, found in questions(game, least).items() if found.seat == "a")


@pytest.mark.parametrize("game", games())
def test_the_first_seat_hears_of_its_question_though_something_is_put_to_it_as_well(settings: Settings, game: str) -> None:
    """The row of the match comes with each of the first seat's rows: the second must not make it forget the first."""
    found = questions(game, 3 if game == "fief" else 2)[of_the_first_seat(game)]
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        match = session.get_one(Match, lay(session, account, found).split("/")[2])
        session.add_all(AskRow(match_id=match.id, seat=found.seat, serial=-n, kind="exchange") for n in (1, 2))
        seat = session.get_one(SeatRow, (match.id, found.seat))
        owed = [
            letters.owe(session, kind, match, seat, account, serial=n)
            for kind, n in (("turn", match.serial), ("offer", -1), ("offer", -2))
        ]
        session.flush()
        assert [one.letter for one in writing.gather(session, owed)] == owed


def test_a_table_is_gathered_whole(settings: Settings) -> None:
    found = laid("fief", 6, "middle")
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        match = session.get_one(Match, lay(session, account, found).split("/")[2])
        seat = session.get_one(SeatRow, (match.id, found.seat))
        owed = letters.owe(session, "turn", match, seat, account, serial=match.serial)
        session.flush()
        (one,) = writing.gather(session, [owed])
        assert [row.seat for row in one.seats] == found.seats
