"""The benchmark of pages lengthens its log, whichever seat is asked."""

from __future__ import annotations

from pathlib import Path

from bench import pages
from service.seat.state import state_of
from service.store.database import open_session, transaction
from service.store.seats import by_match_id, seats_of


def test_a_log_is_lengthened_while_the_host_is_asked(tmp_path: Path) -> None:
    settings = pages.settings_in(tmp_path)
    id = pages.set_up(settings, 3)
    with transaction(settings) as session:
        match = by_match_id(session, id)
        waiting = state_of(match).waiting[0]
        match.host_id = next(row.account_id for row in seats_of(session, match) if row.seat == waiting) or ""
        session.add(match)
    pages.lengthen(settings, id, 20)
    with open_session(settings) as session:
        assert by_match_id(session, id).snapshot_n >= 20
