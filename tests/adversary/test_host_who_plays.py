"""Those who play try to get at others' seats: a host by every door, with a second account to sit down with; and somebody who
gave up a seat, for another.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlmodel import Session, col, select

from engine.core.asks import Refused
from service.errors import NotAllowed, Taken
from service.games import inviting, lobby
from service.ops import own_data
from service.people import accounts
from service.post import links
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, AskRow, Command, LeftSeat, Match, Notice, SeatRow
from service.table import commands, notices, substitutes, votes
from tests.house import START, House, Sent, invite
from tests.service.conftest import on_sqlite, person, sent, settings  # noqa: F401  (fixtures)
from tests.service.web.conftest import Visitor, app, at_once, visitor  # noqa: F401  (fixtures)
from workers import sweep

DAY = timedelta(days=1)


def seat(house: House, letter: str) -> tuple[str | None, str, str]:
    found = house.seat(letter)
    return found.account_id, found.wanted, found.name


WORDS = (
    "seek seat=b",
    "extend seat=b by=-2592000",
    "extend seat=b by=-1",
    "end reason=Mine",
    "watch on=yes",
    "links seat=b",
    "announce what=replace seat=b",
    "announce what=end reason=Mine",
    "announce what=watch",
    "recall what=replace seat=b",
    "stays seat=b",
    "here seat=b",
    "back seat=b",
    "away seat=b from=2026-11-25T00:00:00+00:00 until=2026-12-25T00:00:00+00:00",
    "replace seat=b",
    "pace turn=3600 reaction=3600",
)


@on_sqlite
@pytest.mark.parametrize("actor", ["host", "a", "c", "clock", "nobody"])
def test_no_command_that_a_host_or_his_second_seat_could_leave_touches_another_seat(
    settings: Settings,
    sent: Sent,
    clock: time_machine.Traveller,
    actor: str,
) -> None:
    house = House(settings, sent, clock, people=3)
    before, dues = seat(house, "b"), {a.seat: a.due_at for a in house.asks()}
    with transaction(settings) as session:
        sock = person(session, "Sock")
        match = house.players.match(session)
        for words in WORDS:
            facts = {"account": sock.id, "email": sock.email, "notice": "made-up", "by": "host", "voted": True}
            commands.command(session, match, actor, words, **facts)
    house.tick()
    house.go_to(START + 23 * timedelta(hours=1))
    with open_session(settings) as session:
        match = house.players.match(session)
        rows = session.exec(select(Command)).all()
        assert {row.status for row in rows} == {"refused"} and len(rows) == len(WORDS)
        assert match.status == "running" and not match.spectators and notices.open_notices(session, match) == []
    assert seat(house, "b") == before and {a.seat: a.due_at for a in house.asks()} == dues
    print(f"{len(WORDS)} commands by {actor}: none had any effect")


@on_sqlite
def test_who_gave_up_a_seat_takes_no_other_of_the_same_game_but_his_own(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, rng: random.Random
) -> None:
    """He knows its hand; Sock was there for a moment only, and nobody asked him anything."""
    house = House(settings, sent, clock, people=3)
    house.answer_all(rng)
    for actor, taker in (("b", ""), ("c", "Sock"), ("c", "")):
        house.command(actor, f"seek seat={actor}", email="")
        if taker:
            with transaction(settings) as session:
                substitutes.take(session, house.players.match(session), row_of(session, house, actor), person(session, taker))
            house.tick()
    with transaction(settings) as session:
        match, bert, sock = house.players.match(session), person(session, "Bert"), person(session, "Sock")
        again = accounts.by_email(session, "bert+again@example.org")
        for former, other in ((bert, "c"), (sock, "b"), (again, "c")):
            row = row_of(session, house, other)
            with pytest.raises(NotAllowed, match="another seat of this game"):
                substitutes.take(session, match, row, former)
            row.wanted = "invited"
            with pytest.raises(NotAllowed, match="another seat of this game"):
                substitutes.accept(session, links.invite_link(session, match, row), former)
            row.wanted = "open"
            commands.command(session, match, "host", f"replace seat={other}", account=former.id)
    house.tick()
    assert (house.seat("b").account_id, house.seat("c").account_id) == (None, None)
    with transaction(settings) as session:
        match, row = house.players.match(session), row_of(session, house, "b")
        for email, why in (("anna+2@example.org", "seat in this game already"), ("cleo+2@example.org", "another seat")):
            with pytest.raises((NotAllowed, Taken), match=why):
                substitutes.take(session, match, row, accounts.by_email(session, email))
        substitutes.take(session, match, row, person(session, "Bert"))
    house.tick()
    assert house.seat("b").name.startswith("Bert")


def test_a_new_account_of_an_erased_player_takes_no_second_seat(
    settings: Settings, sent: Sent, clock: time_machine.Traveller
) -> None:
    """Nor after the seat was given up first, with a `+tag`, or with a newer secret key."""
    house = House(settings, sent, clock, people=4)
    house.command("b", "seek seat=b", email="")
    house.command("d", "seek seat=d", email="")
    with transaction(settings) as session:
        for name in ("Bert", "Cleo"):
            own_data.erase(session, person(session, name))
    house.tick()
    with transaction(settings.model_copy(update={"secret_keys": ("a-newer-key", *settings.secret_keys)})) as session:
        match, rows = house.players.match(session), session.exec(select(LeftSeat).order_by(col(LeftSeat.seat))).all()
        assert [(row.seat, row.account_id is None, bool(row.mark)) for row in rows] == [
            ("b", True, True),
            ("c", True, True),
            ("d", False, False),
        ]
        assert "example" not in repr(rows) and len({row.mark for row in rows}) == 3
        for email, other in (("bert@example.org", "c"), ("bert+new@example.org", "d"), ("cleo@example.org", "b")):
            with pytest.raises(NotAllowed, match="another seat of this game"):
                substitutes.take(session, match, row_of(session, house, other), accounts.by_email(session, email))
    with transaction(settings) as session:
        bert = accounts.by_email(session, "bert@example.org")
        substitutes.take(session, house.players.match(session), row_of(session, house, "b"), bert)
    house.tick()
    assert house.seat("b").account_id
    house.command("operator", "end reason=snow")
    with open_session(settings) as session:
        assert not session.exec(select(LeftSeat)).all(), "nobody takes a seat of a finished game"


def row_of(session: Session, house: House, letter: str) -> SeatRow:
    return session.get_one(SeatRow, (house.players.match_id, letter))


def doors(session: Session, match: Match, row: SeatRow, sock: Account) -> list[Callable[[], object]]:
    """The ways to a seat that the service knows, tried for a second account of the host's."""
    host = person(session, "Anna")
    return [
        lambda: commands.command(session, match, "host", "seek seat=b", email=sock.email),
        lambda: votes.propose_substitute(session, match, "a", "b", sock.email),
        lambda: substitutes.take(session, match, row, sock),
        lambda: substitutes.accept(session, links.invite_link(session, match, row)),
        lambda: lobby.clear_seat(session, match, host, "b"),
        lambda: inviting.accept(session, links.invite_link(session, match, row)),
        lambda: invite(session, match, host, sock.email),
    ]


@on_sqlite
def test_a_second_account_never_gets_the_hand_in_time(
    settings: Settings,
    sent: Sent,
    clock: time_machine.Traveller,
) -> None:
    house = House(settings, sent, clock, people=2)
    owner = house.seat("b").account_id
    tried = 0
    while datetime.now(UTC) < START + 23 * timedelta(hours=1):
        with transaction(settings) as session:
            match, sock = house.players.match(session), person(session, "Sock")
            row = session.get_one(SeatRow, (match.id, "b"))
            for deed in doors(session, match, row, sock):
                with contextlib.suppress(Refused):
                    deed()
                tried += 1
        house.clock.shift(timedelta(hours=2))
        house.tick()
        assert house.seat("b").account_id == owner and house.seat("b").name == "Bert"
    print(f"{tried} tries in 23 hours: the seat is its owner's")


@on_sqlite
def test_no_mix_of_pauses_resumptions_and_gifts_leaves_less_time_than_if_nothing_was_done(
    settings: Settings,
    sent: Sent,
    clock: time_machine.Traveller,
) -> None:
    house = House(settings, sent, clock, people=2)
    deeds = ("pause until={}", "resume", "extend seat=b by=60", "extend seat=b by=-86400", "resume")
    runs = 0
    for order in dict.fromkeys(itertools.permutations(deeds, 3)):  # one of the deeds is there twice
        for words in order:
            house.command("host", words.format((datetime.now(UTC) + timedelta(hours=1)).isoformat()))
            house.clock.shift(timedelta(seconds=20))
        with open_session(settings) as session:
            (ask,) = [a for a in session.exec(select(AskRow).where(AskRow.seat == "b")) if a.answered_at is None]
            assert ask.due_at is not None and ask.due_at >= START + DAY
        runs += 1
    print(f"{runs} runs of three deeds: no deadline came nearer than it was")


# --- by the pages -----------------------------------------------------------------------------------------------------


@pytest.fixture
def web_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    from service.store.database import migrate

    found = Settings(
        data_folder=tmp_path_factory.mktemp("web"),
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        base_url="http://writ.test",
    )
    migrate(found)
    return found


@pytest.fixture
def people(web_settings: Settings, at_once: None) -> Callable[[str], Visitor]:
    from service.web import create_app

    made = create_app(web_settings)
    return lambda name: Visitor(made.test_client(), web_settings, f"{name.lower()}@example.org").sign_in(name)


def test_crafted_posts_of_a_playing_host_change_nothing_for_his_opponent(
    people: Callable[[str], Visitor], web_settings: Settings
) -> None:
    anna, bert = people("Anna"), people("Bert")
    game = str(anna.post("/games/new", {"name": "War", "game": "ortus", "seats": "2", "access": "open"}, follow=False).location)
    bert.post(game + "/join")
    link = bert.link("started", "t")
    with open_session(web_settings) as session:
        before = {a.seat: a.due_at for a in session.exec(select(AskRow))}
    forms: list[tuple[str, dict[str, object]]] = [
        ("host", {"do": "replace", "seat": "b", "sure": "yes", "email": "sock@example.org"}),
        ("host", {"do": "replace", "seat": "b", "sure": "yes"}),
        ("host", {"do": "extend", "seat": "b", "by": "-30d"}),
        ("host", {"do": "end", "reason": "Mine.", "sure": "yes"}),
        ("host", {"do": "links", "seat": "b"}),
        ("host", {"do": "watch"}),
        ("spectators", {"on": "yes"}),
        ("watching", {"on": "yes"}),
        ("clear", {"seat": "b"}),
        ("here", {}),
        ("give-up", {"sure": "yes", "seat": "b"}),
        ("nearer", {"by": "2h", "seat": "b"}),
        ("votes", {"kind": "replace", "seat": "b", "email": "sock@example.org"}),
        ("votes", {"kind": "end", "reason": "Mine."}),
        ("letters/links", {"seat": "b"}),
    ]
    for path, form in forms:
        assert anna.post(f"{game}/{path}", form, follow=False).status_code < 500, path
    with transaction(web_settings) as session:
        for notice in session.exec(select(Notice)):
            notice.opened_at, notice.effect_at = notice.opened_at - 30 * DAY, notice.effect_at - 30 * DAY
    sweep.sweep(web_settings)
    with open_session(web_settings) as session:
        match = session.exec(select(Match)).one()
        assert match.status == "running" and not match.spectators
        assert {a.seat: a.due_at for a in session.exec(select(AskRow))} == before
    assert "You are Bert" in bert.page(f"{game}/table") and bert.get(link).status_code == 303
    sock = people("Sock")
    assert sock.get(f"{game}/seat/b").status_code in (409, 422) and sock.post(f"{game}/seat/b").status_code in (409, 422)
    print(f"{len(forms)} crafted posts: none had any effect")
