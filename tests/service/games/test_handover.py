"""A seat that changes hands starts clean: every column, every row, in the lobby and in a running game."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine
from sqlmodel import Session, SQLModel, select

from service.clock import pace
from service.games import inviting, lobby
from service.post import links
from service.seat import handover, notes, seat_view
from service.settings import Settings
from service.store import models
from service.store.database import open_session, transaction
from service.store.models import (
    Absence,
    AskRow,
    Ballot,
    Command,
    Letter,
    Match,
    Mute,
    Notice,
    ReadMark,
    SeatRow,
    Submission,
    Vote,
    now,
)
from service.store.seats import by_match_id, seats_of
from service.table import substitutes, talk, votes
from tests.house import House, Sent, invite
from tests.service.conftest import person

MARK = "of the last owner"
"""What the last owner left everywhere."""
FILLED: dict[str, object] = {
    "bot": "",
    "invited_email": "",
    "prepared": {"deck": MARK},
    "orders": {"SO-01": MARK},
    "advance": [{"id": "x", "kind": "turn", "move": MARK, "title": MARK, "words": MARK, "stance": ""}],
    "trail": {"n": 1, "why": MARK},
    "letters": "none",
    "bank": 4711,
    "missed": 1,
    "steward": "",
    "turn_mark": "turn/7",
    "turn_left": 4711,
    "wanted": "",
    "favourite": True,
    "notes": MARK,
    "card": {"serial": -1, "question": MARK},
    "agreed": MARK,
    "present_at": datetime(2026, 11, 28, tzinfo=UTC),
}

ENDED = {
    "absences": "a person is away, not a seat; their days are taken out of nobody else's budget",
    "asks": "a question stays the seat's, an answer of the last owner's orders that was kept back doesn't",
    "ballots": "a vote that is open is the next owner's to give",
    "commands": "what the last owner commanded and nobody has played yet",
    "letters": "those that have not gone out yet",
    "links": "void by the seat's next generation of keys",
    "move_notes": "private ones; shared ones bear the name of who wrote them",
    "mutes": "whom the last owner didn't want to read, and who didn't want to read him",
    "notices": "that the seat goes to somebody else, and what only its last owner could take back",
    "read_marks": "how far the last owner has read",
    "sealed_answers": "offers that the last owner took and nobody else knows of; an answer to an open question is the seat's",
    "submissions": "answers of the last owner that nobody has played yet",
    "threads": "private conversations stay with those who shared them; see `part_threads`",
    "votes": "what the last owner proposed, and what is about him",
}
"""Tables with rows that end with the player, and why."""
KEPT = {
    "events": "the game's own history",
    "left_seats": "who was there and may take no other seat; nobody is shown it",
    "messages": "they bear the name of who wrote them, in conversations that stay with those who shared them",
    "problem_reports": "for host and operators",
    "reminders": "that a question's deadline was reminded of; they tell nothing of anybody",
    "reports": "for those who run the service alone",
}
"""Tables with rows that stay, and why."""


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3)


def test_every_column_of_a_seat_is_the_persons_or_the_seats() -> None:
    columns = {column.name for column in SQLModel.metadata.tables["seats"].columns}
    named = [*FILLED, "account_id", *handover.PERSONS_BEFORE, *handover.OF_SEATS]
    assert sorted(named) == sorted(columns), "say in service.seat.handover or above whose a new column is"
    assert set(FILLED) | {"account_id"} == set(handover.PERSONS)


def test_every_table_with_rows_of_a_seat_is_said_what_becomes_of() -> None:
    assert models.Account.__tablename__
    own = {"seats", "entries"}  # the seat itself, and the log
    for table in SQLModel.metadata.tables.values():
        of_a_seat = {"seat", "by_seat", "muted", "actor", "members"} & set(table.columns.keys())
        if of_a_seat and table.name not in own:
            assert (table.name in ENDED) != (table.name in KEPT), table.name
    with_seats = {t.name for t in SQLModel.metadata.tables.values()}
    assert {*ENDED, *KEPT} <= with_seats
    assert "only_seats" in SQLModel.metadata.tables["events"].columns and "events" in KEPT


def fill(session: Session, seat: SeatRow) -> None:
    for name, value in FILLED.items():
        if value:
            setattr(seat, name, value)
    session.add(seat)


def left(seat: SeatRow) -> list[str]:
    """The columns that still hold something of the last owner."""
    return [name for name, value in FILLED.items() if value and getattr(seat, name) == value]


def leave(session: Session, match: Match) -> None:
    lobby.leave(session, match, person(session, "Bert"))


def unseat(session: Session, match: Match) -> None:
    lobby.clear_seat(session, match, person(session, "Anna"), "b")


@pytest.mark.parametrize("part", [leave, unseat])
@pytest.mark.parametrize("comes", ["joins", "invited", "bot"])
def test_a_seat_that_is_left_in_the_lobby_keeps_nothing(
    settings: Settings, sent: Sent, part: Callable[[Session, Match], None], comes: str
) -> None:
    with transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Harvest war", "ortus", 3, "open")
        seat = lobby.join(session, match, person(session, "Bert"))
        fill(session, seat)
        key = seat.key_generation
        part(session, match)
        (empty,) = [s for s in seats_of(session, match) if s.seat == "b"]
        assert left(empty) == [] and (empty.name, empty.entropy, empty.status) == ("", "", "empty")
        if comes == "joins":
            fresh = lobby.join(session, match, person(session, "Cleo"))
        elif comes == "invited":
            invited = invite(session, match, host, "cleo@example.org")
            inviting.accept(session, links.invite_link(session, match, invited))
            fresh = session.get_one(SeatRow, (match.id, "b"))
        else:
            fresh = lobby.add_bot(session, match, host)
        assert fresh.seat == "b" and left(fresh) == [] and fresh.key_generation > key
        assert fresh.entropy == "", "a word for the shuffles is its giver's; who gives none gets one at the start"


def test_an_invitation_that_is_declined_or_withdrawn_leaves_nothing(settings: Settings, sent: Sent) -> None:
    with transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Harvest war", "ortus", 3, "open")
        for undo in (partial(inviting.decline, session, match, "b"), partial(lobby.clear_seat, session, match, host, "b")):
            seat = invite(session, match, host, "bert@example.org")
            fill(session, seat)
            undo()
            session.refresh(seat)
            assert left(seat) == [] and seat.status == "empty" and seat.invited_email == ""
        letters = session.exec(select(Letter).where(Letter.kind == "invitation")).all()
        assert [letter.status for letter in letters] == ["dropped", "dropped"], "a void invitation doesn't go out"


def test_a_seat_that_an_older_version_left_dirty_is_clean_for_who_sits_down(settings: Settings, sent: Sent) -> None:
    with transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 3, "open")
        fill(session, session.get_one(SeatRow, (match.id, "b")))
        assert left(lobby.join(session, match, person(session, "Bert"))) == []


def test_a_seat_that_changes_hands_in_a_running_game_keeps_nothing(house: House, rng: random.Random) -> None:
    settings, id = house.settings, house.players.match_id
    while [a.seat for a in house.asks()] != ["b"]:
        house.answer_all(rng)
    with transaction(settings) as session:
        match = house.players.match(session)
        seat = session.get_one(SeatRow, (id, "b"))
        talk.say(session, match, "a", "", "Hear, all.", "key-of-anna-1")
        private = talk.say(session, match, "a", "b", "For Bert alone.", "key-of-anna-2")
        talk.mark_read(session, talk.thread_of(session, match, ""), "b")
        talk.mute(session, match, "b", "c", True)
        token = links.turn_link(session, match, seat)
        fill(session, seat)
        ask = session.exec(select(AskRow).where(AskRow.seat == "b", AskRow.serial == match.serial)).one()
        ask.kept, ask.kept_via, ask.kept_at = MARK, "order", now() + timedelta(days=9)
        days = Absence(match_id=id, seat="b", starts_at=now() + timedelta(days=2), ends_at=now() + timedelta(days=4))
        mine = votes.propose_pause(session, match, "b", "3")
        other = votes.propose_end(session, match, "a", "Snow.")
        votes.cast(session, match, other.id, "b", False)
        notice = Notice(match_id=id, kind="end", by="b", facts={"reason": "x"}, effect_at=now() + timedelta(days=9))
        late = Command(match_id=id, actor="b", words="back seat=b", created_at=now() + timedelta(seconds=1))
        key, serial, kind = "key-of-bert-12345", ask.serial, ask.kind
        answer = Submission(id=key, match_id=id, seat="b", serial=serial, kind=kind, move=MARK, via="page")
        session.add_all((ask, days, notice, late, answer))
    house.command("operator", "seek seat=b", email="gwen@example.org")
    with transaction(settings) as session:
        link = session.exec(select(models.Link).where(models.Link.purpose == links.INVITE)).one()
        gwen, _ = substitutes.accept(session, link)
    house.tick()
    with open_session(settings) as session:
        match, seat = house.players.match(session), session.get_one(SeatRow, (id, "b"))
        assert seat.account_id == gwen.id and left(seat) == [] and seat.wanted == seat.steward == ""
        assert not session.exec(select(AskRow).where(AskRow.kept == MARK)).all()
        assert not session.exec(select(Absence)).all() and not session.exec(select(Mute)).all()
        assert not session.exec(select(ReadMark).where(ReadMark.seat == "b")).all()
        assert not session.exec(select(Ballot).where(Ballot.vote_id == other.id, Ballot.seat == "b")).all()
        assert session.get_one(Vote, mine.id).status == "withdrawn" and session.get_one(Notice, notice.id).by == ""
        assert session.get_one(Command, late.id).status == "refused"
        assert session.get_one(Submission, answer.id).status == "stale"
        assert token.generation < seat.key_generation
        waiting = session.exec(select(Letter).where(Letter.seat == "b", Letter.account_id != gwen.id)).all()
        assert {x.status for x in waiting if x.kind != "replaced"} <= {"sent", "dropped"}
        heard = [listed for listed in talk.threads(session, match, "b") if listed.last is not None]
        assert private.thread_id not in {listed.thread.id for listed in heard} and [x.unread for x in heard] == [1]
        page = seat_view.load(session, match, "b")
        assert page is not None and MARK not in repr(page.view) + repr(page.form) + repr(page.news) and page.pending is None
        letters = session.exec(select(Letter).where(Letter.account_id == gwen.id)).all()
        assert not any(MARK in x.text or "For Bert alone" in x.text for x in letters)


def test_a_vote_that_is_open_is_the_next_owners_to_give(house: House) -> None:
    with transaction(house.settings) as session:
        vote = votes.propose_pace(session, house.players.match(session), "a", pace.Pace(turn=7200, reaction=3600))
        votes.cast(session, house.players.match(session), vote.id, "b", True)
    house.command("b", "seek seat=b")
    with transaction(house.settings) as session:
        ((match, seat),) = substitutes.open_seats(session)
        substitutes.take(session, match, seat, person(session, "Hugo"))
    house.tick()
    with transaction(house.settings) as session:
        assert votes.cast(session, house.players.match(session), vote.id, "b", False).status == "failed"


def test_private_notes_go_with_the_player_and_shared_ones_stay(settings: Settings, sent: Sent) -> None:
    with transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 3, "open")
        seat = lobby.join(session, match, person(session, "Bert"))
        for text, shared in (("Mine.", False), ("Ours.", True)):
            notes.put(session, match, "b", 0, text, shared)
        handover.detach_player(session, match, seat)
        assert [note.text for note in session.exec(select(models.MoveNote))] == ["Ours."]


def test_what_a_form_writes_while_the_seat_changes_hands_goes_with_the_player(settings: Settings, sent: Sent) -> None:
    with transaction(settings) as session:
        match_id = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 3, "open").id
        lobby.join(session, by_match_id(session, match_id), person(session, "Bert"))

    def detach() -> None:
        with transaction(settings) as session:
            handover.detach_player(session, by_match_id(session, match_id), session.get_one(SeatRow, (match_id, "b")))

    leaving = threading.Thread(target=detach)
    with transaction(settings) as session:
        own = select(SeatRow.account_id).where(SeatRow.match_id == match_id, SeatRow.seat == "b")
        session.exec(own.with_for_update(read=True, key_share=True)).one()  # as `writing` does
        leaving.start()
        leaving.join(1)
        assert leaving.is_alive()
        session.get_one(SeatRow, (match_id, "b")).notes = MARK
        session.add(models.MoveNote(match_id=match_id, seat="b", n=0, name="Bert", text=MARK))
    leaving.join()
    with open_session(settings) as session:
        assert session.get_one(SeatRow, (match_id, "b")).notes == ""
        assert not session.exec(select(models.MoveNote)).all()
