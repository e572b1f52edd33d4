"""The journal of a whole game: chapters, and no secret in them."""

from __future__ import annotations

from sqlmodel import col, select

from service.games import journal
from service.settings import Settings
from service.store.database import open_session
from service.store.models import EventRow
from tests.service.conftest import Players


def test_the_journal_of_a_game_has_a_chapter_a_round_and_no_secrets(over: Players, settings: Settings) -> None:
    with open_session(settings) as session:
        match = over.match(session)
        whole = journal.chapters(session, match)
        rounds = session.exec(select(EventRow).where(EventRow.kind == "round").order_by(col(EventRow.n), col(EventRow.i))).all()
        assert [c.heading for c in whole if c.heading] == [f"Round {r.facts['number']}" for r in rounds][: len(whole) - 1]
        text = journal.text(session, match)
        private = session.exec(select(EventRow).where(EventRow.kind == "card_drawn_own")).all()
        assert private and "You draw" not in text
        first, number, pages = journal.page(session, match, 1)
        assert number == 1 and len(first) <= journal.PAGE and pages == -(-len(whole) // journal.PAGE)
        assert journal.page(session, match)[1] == pages
