"""Windows that a table closes at their deadline alone: not even how soon an answer came tells anything (MM-FRA-14)."""

from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime

import pytest
import time_machine
from sqlmodel import select

from engine.core import procedure
from engine.core.asks import NotUnderstood, read, write
from engine.games import game_called
from service.clock import pace as paces
from service.people import accounts
from service.post import links
from service.seat import seat_view, submissions
from service.seat.state import state_of
from service.seat.waits import shown_waits
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, Letter, LetterStatus, SeatRow, new_id, now
from service.store.seats import seats_of
from service.table import mine as mine_of
from tests.house import HOUR, House, Sent
from tests.service.conftest import on_sqlite, open_table
from tests.service.post.test_ledger import reply
from workers import adjudicate

GAME = game_called("mastery")
CROWN = """mastery: 1
seats: a b c
a.artefacts: Corruption, Fear, Greed
b.artefacts: Fury, Influence, Brutality
c.artefacts: Insight, Rage, Cleansing
a.hand: Conflict2, Conflict3
b.hand: Fracture, Conflict3
c.hand: Conflict2, Conflict3
"""
ASK = {"STO-1-crown": "ask"}


def window(house: House, orders: dict[str, dict[str, str]]) -> None:
    """Lay out a position in which a's crown is announced, aimed at b, and the window on it opens."""
    state = GAME.rules.notation.read(CROWN)
    procedure.begin(state)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        match.pace = {**paces.stored(paces.of(match.pace)), "windows": "deadline"}
        for seat in seats_of(session, match):
            seat.orders = orders.get(seat.seat, {})
            session.add(seat)
        state.serial = match.serial + 1
        match.snapshot = GAME.rules.encode(state)
        session.add(match)
    adjudicate.adjudicate(house.settings, house.players.match_id)
    answer(house, "a", "crown artefact=Influence")
    house.tick()


def answer(house: House, seat: str, text: str) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        state = state_of(match)
        kind = procedure.ask_of(state, seat).kind
        submissions.submit(session, match, seat, new_id(), state.serial, kind, read(text))
    house.tick()


def open_window(house: House) -> list[AskRow]:
    return [ask for ask in house.asks() if ask.kind == "fracture"]


def letter_of_window(house: House) -> Letter:
    """Open a window to b and c at a house that takes replies; b's letter about it."""
    house.settings = house.players.settings = house.settings.model_copy(update={"inbox": "writ@writ.test"})
    window(house, {"b": ASK, "c": ASK})
    (letter,) = [one for one in house.letters("turn", "b") if one.serial == open_window(house)[0].serial]
    return letter


@pytest.fixture
def three(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3, game="mastery")


def shown(house: House, seat: str) -> tuple[bool, str, bool, list[LetterStatus]]:
    """What a seat's page shows of its own answer, whether its list of games says that it is asked, and the letters it gets."""
    with open_session(house.settings) as session:
        match = house.players.match(session)
        page = seat_view.load(session, match, seat)
        assert page is not None and page.own is not None
        (mine,) = mine_of.page(session, accounts.by_id(session, page.own.account_id or ""))[0]
        letters = select(Letter).where(Letter.kind == "turn", Letter.seat == seat, Letter.serial == match.serial)
        statuses = [letter.status for letter in session.exec(letters)]
        return page.form is not None, page.ask.kept if page.ask is not None else "", mine.asked, statuses


@pytest.mark.parametrize(("first", "last"), ["bc", "cb"])
def test_nobody_learns_by_an_answer_of_their_own_whether_the_others_have_answered(three: House, first: str, last: str) -> None:
    window(three, {"b": ASK, "c": ASK})
    answer(three, first, "pass")
    found = shown(three, first)
    answer(three, last, "pass")
    assert shown(three, last) == shown(three, first) == found


def test_nobody_learns_by_an_answer_of_their_own_whether_anothers_order_has_answered(three: House) -> None:
    window(three, {"b": ASK, "c": {"STO-1-crown": "pass"}})
    answer(three, "b", "pass")
    by_order = shown(three, "b")
    window(three, {"b": ASK, "c": ASK})
    answer(three, "b", "pass")
    assert shown(three, "b") == by_order


def asked_by_link(house: House, seat: str) -> bool:
    with transaction(house.settings) as session:
        row = session.get_one(SeatRow, (house.players.match_id, seat))
        (found,) = mine_of.of_links(session, [links.turn_link(session, house.players.match(session), row)])
        return found.asked


def test_an_answer_that_is_kept_is_no_longer_wanted(three: House) -> None:
    window(three, {"b": ASK, "c": ASK})
    assert shown(three, "b")[2] and asked_by_link(three, "b"), "before it is given"
    answer(three, "b", "pass")
    assert shown(three, "b")[:3] == (True, "pass", False) and not asked_by_link(three, "b")


def test_answers_are_kept_until_the_deadline(three: House) -> None:
    window(three, {"b": ASK, "c": ASK})
    assert [ask.seat for ask in open_window(three)] == ["b", "c"]
    answer(three, "c", "pass")
    answer(three, "b", "pass")
    ask, other = open_window(three)
    assert (ask.seat, ask.kept, ask.kept_via, ask.kept_at) == ("b", "pass", "page", ask.due_at)
    assert (other.seat, other.kept, other.kept_via, other.kept_at) == ("c", "pass", "page", other.due_at)
    answer(three, "b", "plan first=Corruption")
    ask, _ = open_window(three)
    assert ask.kept == "plan first=Corruption", "it may be changed until then"
    assert three.letters("reminder") == []
    assert ask.due_at is not None
    three.go_to(ask.due_at - timedelta(seconds=1))
    assert open_window(three), "the window is still open"
    three.go_to(ask.due_at)
    assert open_window(three) == []
    assert any("Bert played Fracture and destroyed" in t and "Crown of Corruption" in t for t in three.history("c"))
    assert three.seat("b").missed == 0


@on_sqlite
def test_a_late_mail_does_not_replace_a_later_answer_of_the_page(three: House) -> None:
    letter = letter_of_window(three)
    three.clock.shift(HOUR)
    early = format_datetime(now())
    assert reply(three, letter, "plan first=Corruption", id="<0@reader>", Date=early) == "answered"
    answer(three, "b", "pass")
    three.clock.shift(HOUR)
    late = format_datetime(now())
    assert reply(three, letter, "plan first=Corruption", id="<0@reader>", Date=early) == "answered", "delivered twice"
    for n, headers in enumerate(({"Date": early}, {"Date": "Yesterday"}, {})):
        assert reply(three, letter, "plan first=Corruption", id=f"<{n + 1}@reader>", **headers) == "refused"
    assert open_window(three)[0].kept == "pass"
    refusal = three.letters("reply_refused", "b")[0]
    assert "so your later answer counts" in " ".join(refusal.text.split()) and "Reply once more" in refusal.text
    assert reply(three, refusal, "plan first=Corruption", id="<4@reader>") == "answered"
    assert open_window(three)[0].kept == "plan first=Corruption"
    assert reply(three, letter, "pass", id="<5@reader>", Date=late) == "refused", "written before the reply to the refusal"
    assert reply(three, letter, "pass", id="<6@reader>", Date=format_datetime(now())) == "answered"
    assert open_window(three)[0].kept == "pass"


@on_sqlite
def test_of_two_replies_the_one_written_last_counts_whichever_is_delivered_last(three: House) -> None:
    letter = letter_of_window(three)
    three.clock.shift(HOUR)
    early, late = (format_datetime(now() + timedelta(minutes=n)) for n in (0, 1))
    three.clock.shift(HOUR)
    assert reply(three, letter, "pass", id="<0@reader>", Date=late) == "answered"
    assert reply(three, letter, "plan first=Corruption", id="<1@reader>", Date=early) == "refused"
    assert open_window(three)[0].kept == "pass"
    assert "so your later answer counts" in " ".join(three.letters("reply_refused", "b")[0].text.split())
    ahead = format_datetime(now() + timedelta(days=400))
    assert reply(three, letter, "plan first=Corruption", id="<2@reader>", Date=ahead) == "answered"
    three.clock.shift(HOUR)
    assert reply(three, letter, "pass", id="<3@reader>", Date=format_datetime(now())) == "answered", "though a clock ran ahead"
    assert open_window(three)[0].kept == "pass"


@on_sqlite
def test_of_two_replies_without_a_date_the_one_delivered_last_counts(three: House) -> None:
    letter = letter_of_window(three)
    three.clock.shift(HOUR)
    for n, words in enumerate(("plan first=Corruption", "pass")):
        assert reply(three, letter, words, id=f"<{n}@reader>") == "answered"
        assert open_window(three)[0].kept == words


def test_a_window_that_orders_alone_answer_closes_at_its_deadline_too(three: House) -> None:
    window(three, {"b": {"STO-1-crown": "pass"}, "c": {"STO-1-crown": "pass"}})
    ask, other = open_window(three)
    for one in (ask, other):
        assert one.kept == "pass" and one.kept_via == "order" and one.kept_at == one.due_at
    assert ask.due_at is not None
    three.go_to(ask.due_at)
    assert open_window(three) == []
    assert three.history(None)[-1] == "Anna destroyed Bert’s Sceptre of Influence."


@on_sqlite
def test_who_never_answers_closes_it_by_default(three: House) -> None:
    window(three, {"b": ASK, "c": ASK})
    answer(three, "c", "pass")
    ask, _ = open_window(three)
    assert ask.seat == "b" and ask.kept == "" and ask.falls_at is not None
    three.go_to(ask.falls_at + HOUR)
    assert open_window(three) == []


@on_sqlite
def test_windows_close_with_the_last_answer_where_the_table_does_not_mind(three: House) -> None:
    window(three, {"b": ASK, "c": ASK})
    with transaction(three.settings) as session:
        match = three.players.match(session)
        match.pace = {**match.pace, "windows": "answered"}
        session.add(match)
    answer(three, "c", "pass")
    answer(three, "b", "pass")
    assert open_window(three) == []


@on_sqlite
def test_an_illegal_answer_is_refused_and_nothing_is_kept(three: House) -> None:
    window(three, {"b": ASK, "c": ASK})
    answer(three, "c", "pass")
    with pytest.raises(Exception, match="nonsense"):
        answer(three, "b", "nonsense")
    ask, _ = open_window(three)
    assert ask.seat == "b" and ask.kept == ""


def test_a_pace_says_when_windows_close() -> None:
    with pytest.raises(NotUnderstood, match="Windows close when all have answered, or at their deadline"):
        paces.check(paces.Pace(windows="never"))
    assert "windows close at their deadline" in paces.words(paces.Pace(windows="deadline"))
    assert "windows" not in paces.words(paces.Pace())


def waited_for(house: House) -> list[tuple[str, bool]]:
    with transaction(house.settings) as session:
        waits = shown_waits(session, house.players.match(session))
        return [(wait.seat, wait.due_at is not None) for wait in waits]


def test_nobody_learns_whose_order_answers_a_window(three: House) -> None:  # MM-FRA-12, MM-HID-10
    window(three, {"b": ASK, "c": {"STO-1-crown": "pass"}})
    assert [ask.seat for ask in open_window(three) if not ask.kept] == ["b"], "c's order answers at the deadline"
    assert waited_for(three) == [("b", True), ("c", True)], "but the table sees both alike"
    assert three.letters("turn", "c") == [], "and c gets no letter about it"


@on_sqlite
def test_the_log_tells_of_no_answer_to_a_window_when_it_came(three: House) -> None:  # MM-FRA-12
    window(three, {"b": ASK, "c": {"STO-1-crown": "pass"}})
    three.clock.shift(HOUR)
    answer(three, "b", "pass")
    ask, _ = open_window(three)
    assert ask.due_at is not None
    three.go_to(ask.due_at)
    times = {entry.at for entry in three.entries() if entry.ask == "fracture"}
    assert len([e for e in three.entries() if e.ask == "fracture"]) == 2 and len(times) == 1


def test_nobody_learns_who_has_brought_a_deck(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> None:
    players = open_table(settings, 2)
    build = game_called("ortus").rules.build
    assert build is not None
    with transaction(settings) as session:
        seat = next(s for s in seats_of(session, players.match(session)) if s.seat == "a")
        seat.prepared = {build.kind: write(build.answer(build.ready[0].cards))}
        session.add(seat)
    players.adjudicate()
    assert players.asked() == ["b"], "a's deck was laid down before the start"
    with transaction(settings) as session:
        waits = shown_waits(session, players.match(session))
    assert [wait.seat for wait in waits] == ["a", "b"]
    assert len({wait.due_at for wait in waits}) == 1, "and both have the same time"
