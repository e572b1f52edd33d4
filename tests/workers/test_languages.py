"""A table whose players read different languages: everybody reads their own, and not a word of another's."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest
import time_machine
from sqlmodel import col, select

from engine.core.asks import Ambiguous, Answer, NotLegal, NotUnderstood
from engine.core.views import Event
from engine.language.i18n import made_up, speaking
from service.common.i18n import speaking_to
from service.common.messages import as_text, sentence
from service.inbox import answers, receiving
from service.log import recent_events
from service.log.chronicle import about_table
from service.log.recent_events import MOST_NEWS
from service.people.accounts import reader_at
from service.post import ledger, letters, links
from service.replay import history, journal
from service.seat import advance, seat_view
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, EventRow, LedgerStatus, Letter, SeatRow, Submission, SubmissionStatus
from service.table import absences, talk, votes
from tests.house import HOUR, House, Sent
from tests.marked import CLOSE, OPEN, WORD, Findings, PseudoLocale, mark
from tests.service.conftest import on_sqlite

MARKS = {"a": ("xa", OPEN, CLOSE), "b": ("xb", "⟪", "⟫")}
"""The language of each seat, and how its words are marked."""
NAMES = {"Anna", "Bert", "Harvest war", "Peace until spring", "It rains"}


def other(text: str) -> str:
    return f"⟪{text}⟫" if WORD.search(text) else text


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller, request: pytest.FixtureRequest) -> Iterator[House]:
    """A game whose first rows were written before anybody chose a language."""
    game = getattr(request, "param", "ortus")
    with made_up("xa", PseudoLocale(mark)), made_up("xb", PseudoLocale(other)):
        found = House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock, game=game)
        with transaction(found.settings) as session:
            for seat, (language, _, _) in MARKS.items():
                account = session.get_one(Account, found.seat(seat).account_id)
                account.language = language
                session.add(account)
        yield found


def fault(text: str, seat: str) -> str:
    """What somebody reads in no language of theirs; empty if nothing."""
    _, begin, end = MARKS[seat]
    foreign = next(marks for reader, marks in MARKS.items() if reader != seat)
    if foreign[1] in text or foreign[2] in text:
        return f"a word of another's language: {text}"
    found = Findings(set(NAMES))
    read = text.replace(begin, OPEN).replace(end, CLOSE)
    (found.page if "<html" in read else found.text)(seat, read)
    return found.told()


def pages(house: House, seat: str) -> list[str]:
    """What the pages of a seat say beside its board: the question, the offers, news, history, votes, answers in advance."""
    with open_session(house.settings) as session:
        match, row = house.players.match(session), house.seat(seat)
        with speaking_to(*reader_at(session, match.id, seat)):
            page = seat_view.load(session, match, seat)
            assert page is not None
            said = [*page.news.sentences, *(s for _, told in history.page(session, match, seat).lines for s in told)]
            for form in [*([page.form] if page.form else []), *page.offers]:
                said += [form.title, *(o.label for o in form.options), *(f.label for o in form.options for f in o.fields)]
            said += [str(votes.words(tally.vote, page.names)) for tally in votes.open_votes(session, match)]
            said += [
                a[key] for a in (advance.in_words(page.game, page.names, g) for g in row.advance) for key in ("title", "words")
            ]
            said += [journal.text(session, match).partition("\n\n")[2]]
            mine = select(Letter).where(Letter.account_id == row.account_id)
            said += [line.words for letter in session.exec(mine) for line in ledger.lines(session, letter)]
            return said


@pytest.mark.parametrize("house", ["ortus", "mastery"], indirect=True)
def test_neither_of_two_readers_reads_a_word_of_the_others_language(house: House, rng: random.Random) -> None:
    start = {letter.id for letter in all_letters(house)}
    for seat in "ab":
        assert [fault(text, seat) for text in pages(house, seat) if fault(text, seat)] == []
    for _ in range(6):
        house.answer_all(rng)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        talk.say(session, match, "a", "", "It rains", "key-of-anna")
        votes.propose_pause(session, match, "a", "3")
        votes.propose_end(session, match, "b", "Peace until spring")
        first = session.exec(select(Letter).where(Letter.seat == "a", Letter.kind == "started")).first()
        assert first is not None
        ledger.failed(session, first, sentence("in the mailbox"))
    house.pass_(HOUR / 10)
    for seat in "ab":
        ask = next(x for x in all_letters(house) if x.seat == seat and letters.ASK in x.headers)
        to = links.mail_address(house.settings, "r", ask.id)
        data = b"Message-ID: <nonsense@reader>\n\nIt rains\n"
        assert receiving.receive(house.settings, data, (to,), ask.to_address) == "refused"
    house.tick()
    written = [letter for letter in all_letters(house) if letter.id not in start]
    assert {letter.kind for letter in written} >= {"turn", "talk", "vote", "reply_refused"}
    assert {letter.seat for letter in written} == {"a", "b"}
    for letter in written:
        assert letter.headers["Content-Language"] == MARKS[letter.seat][0]
        for text in (letter.subject, letter.text, letter.html):
            assert fault(text, letter.seat) == "", letter.kind
    for seat in "ab":
        assert [fault(text, seat) for text in pages(house, seat) if fault(text, seat)] == []


def all_letters(house: House) -> list[Letter]:
    with open_session(house.settings) as session:
        return list(session.exec(select(Letter).order_by(col(Letter.created_at), Letter.id)))


@on_sqlite
def test_one_row_is_read_in_every_language(house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(4):
        house.answer_all(rng)
    with open_session(house.settings) as session:
        match = house.players.match(session)
        for seat in ("a", "b", ""):
            english = seat_view.load(session, match, seat, heads=True)
            with speaking("xa"):
                marked = seat_view.load(session, match, seat, heads=True)
            assert english is not None and marked is not None
            with monkeypatch.context() as patch:
                # A language without variants for "you" calls the reader by name.
                patch.setattr(recent_events, "addressed", lambda names, _reader: names)
                named = seat_view.load(session, match, seat, heads=True)
            assert named is not None and (named.news.sentences == english.news.sentences) == (not seat)
            assert [s.replace(OPEN, "").replace(CLOSE, "") for s in marked.news.sentences] == named.news.sentences
            assert all(OPEN in s for s in marked.news.sentences) and english.news.sentences
            for one, two in zip([marked.form, *marked.offers], [english.form, *english.offers], strict=True):
                assert (one is None) == (two is None)
                if one is not None and two is not None:
                    assert one.title.replace(OPEN, "").replace(CLOSE, "") == two.title and OPEN in one.title


def test_news_are_cut_to_the_newest_and_told_by_the_names_of_then(house: House) -> None:
    told = [about_table("here", who=f"no. {n}") for n in range(MOST_NEWS)]
    left = Event("table.default", {"seat": "b"})
    answers = [[*told, left], [about_table("replace", seat="b", who="Bert", to="Cleo")], [left]]
    with transaction(house.settings) as session:
        match = house.players.match(session)
        session.get_one(SeatRow, (match.id, "b")).name = "Cleo"
        for n, events in enumerate(answers, 1000):
            for i, event in enumerate(events):
                session.add(EventRow(match_id=match.id, n=n, i=i, kind=event.kind, facts=event.facts))
        session.flush()
        shown = seat_view.load(session, match, "a")
        assert shown is not None and len(shown.news.sentences) == MOST_NEWS
        assert shown.news.sentences[0].startswith("no. 3 ")
        assert [line.partition(" ")[0] for line in shown.news.sentences[-3:]] == ["Bert", "Cleo", "Cleo"]
        session.get_one(SeatRow, (match.id, "a")).moved_n = 1003
        session.flush()
        later = seat_view.load(session, match, "a")
        assert later is not None and later.news.sentences == [], "its player has moved since"


def test_a_refusal_is_kept_as_data_and_a_servers_words_as_words(house: House) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        refusal = Submission(
            id="0" * 20,
            match_id=match.id,
            seat="a",
            serial=1,
            kind="deck",
            move="keep",
            via="page",
            status=SubmissionStatus.REFUSED,
        )
        refusal.refusal = as_text(sentence("The position had moved on before this answer was taken up."))
        session.add(refusal)
        letter = session.exec(select(Letter.id)).first()
        assert letter is not None
        ledger.note(session, letter, LedgerStatus.DEFERRED, '{"message": "Sign in to Writ"}')
    with open_session(house.settings) as session, speaking("xa"):
        kept = session.get_one(Submission, "0" * 20).refusal
        assert ledger.said(kept) == mark("The position had moved on before this answer was taken up.")
        line = ledger.lines(session, session.get_one(Letter, letter))[-1]
        assert line.words == '{"message": "Sign in to Writ"}'


def test_an_absence_is_refused_in_the_language_of_who_asks(house: House) -> None:
    with open_session(house.settings) as session:
        match, row = house.players.match(session), house.seat("a")
        with speaking("xa"), pytest.raises(NotLegal) as refused:
            absences.withdraw(session, match, row)
        assert OPEN not in str(refused.value)
        with speaking("xa"):
            assert fault(str(refused.value), "a") == ""
        assert str(refused.value).startswith("You have no absence")


def test_an_option_may_be_written_by_its_beginning(house: House) -> None:
    with open_session(house.settings) as session:
        match = house.players.match(session)
        found = seat_view.load_for_owner(session, match, "a")
    form = found.form if found is not None else None
    assert form is not None
    (deck,) = form.options
    assert answers.parse(form, [f"{deck.id[:-1]} cards=[Land]"]) == Answer(deck.id, {"cards": ["Land"]})
    two = msgspec.structs.replace(form, options=[deck, msgspec.structs.replace(deck, id=f"{deck.id}s")])
    with pytest.raises(NotUnderstood, match="needs more"):
        answers.parse(two, [deck.id])
    assert answers.parse(two, ["nonsense"]).option == "nonsense"
    with pytest.raises(Ambiguous, match=f"“{deck.id[0]}” could mean any of these: {deck.id}, {deck.id}s"):
        answers.parse(two, [deck.id[0]])
