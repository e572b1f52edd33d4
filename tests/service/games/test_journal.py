"""The journal of a whole game: chapters, and no secret in them."""

from __future__ import annotations

from sqlmodel import col, select

from engine.games import game_called
from service.log.chronicle import Gist
from service.replay import history, journal
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


def test_a_chapter_s_gist_is_what_counts_most_in_it_for_its_game_and_all_may_know_it(over: Players, settings: Settings) -> None:
    with open_session(settings) as session:
        match = over.match(session)
        whole = journal.chapters(session, match)
        game = game_called(match.game)
        told = {c.heading: [s for p in c.paragraphs for s in p] for c in whole}
        assert all(not c.gist.words or c.gist.words in told[c.heading] for c in whole)
        won = session.exec(select(EventRow).where(col(EventRow.kind).in_(game.face.log.turning[:1]))).all()
        assert won and whole[-1].gist == Gist(told[whole[-1].heading][-1], 0), "the victory, whatever else happened"


def test_a_gist_takes_the_last_of_what_counts_most_and_nothing_else() -> None:
    gist, (first, second) = Gist(), game_called("ortus").face.log.turning[:2]
    gist.weigh(game_called("ortus"), "drew", "nothing of it")
    assert gist.words == ""
    for kind, words in ((second, "b"), (second, "c"), (first, "a"), (second, "d")):
        gist.weigh(game_called("ortus"), kind, words)
    assert gist.words == "a"


def test_the_history_has_the_chapters_and_gists_of_the_journal(over: Players, settings: Settings) -> None:
    with open_session(settings) as session:
        match = over.match(session)
        pages = range(1, history.page(session, match, "a").pages + 1)
        parts = [part for n in pages for part in history.page(session, match, "a", n).parts]
        told = {c.heading: c.gist.words for c in journal.chapters(session, match, reader="a")}
        assert {part.heading for part in parts if part.heading} == {heading for heading in told if heading}
        assert sum(len(part.lines) for part in parts) == sum(len(history.page(session, match, "a", n).lines) for n in pages)
        assert parts[-1].gist and parts[-1].gist == told[parts[-1].heading]
