"""Games that don't stall: deadlines, reminders, defaults, stewards, time banks, pauses, and a service that was down."""

from __future__ import annotations

import random
import re
from datetime import timedelta

import pytest
import time_machine
from sqlalchemy.exc import OperationalError
from sqlmodel import select

from engine.core import procedure
from engine.core.asks import NotLegal, Refused, read
from engine.games import game_called
from engine.play import match as matches
from service.clock import pace as paces
from service.post import letters
from service.replay import replay_copy
from service.seat import advance, orders, submissions
from service.seat.state import state_of
from service.seat.waits import shown_waits
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, AskRow, Command, MatchStatus, Reminder, SeatRow, new_id, now
from tests.house import HOUR, START, House, Sent
from tests.service.conftest import on_sqlite
from workers import adjudicate, commands, sweep
from workers.letters import reminders


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock)


def set_pace(house: House, **changes: object) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        match.pace = {**paces.stored(paces.of(match.pace)), **changes}
        session.add(match)


def test_a_question_has_its_deadline_and_the_letter_names_it_in_the_readers_zone(house: House) -> None:
    asks = house.asks()
    assert [a.seat for a in asks] == ["a", "b"]  # both build their decks at once
    assert all(a.due_at == START + 24 * HOUR for a in asks)
    assert all(a.falls_at == START + 25 * HOUR for a in asks)  # an hour of grace
    assert "Wed 25 Nov 2026, 09:00 UTC" in house.letters("started", "a")[0].text


@on_sqlite
def test_the_default_is_played_when_the_deadline_has_fallen_and_not_before(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    before = len(house.entries())
    house.go_to(ask.falls_at - timedelta(seconds=1))
    assert len(house.entries()) == before
    house.go_to(ask.falls_at)
    late = [e for e in house.entries()[before:]]
    assert late and late[0].actor == ask.seat and late[0].mark == matches.DEFAULT and late[0].via == "clock"
    name = house.seat(ask.seat).name
    for reader in ("a", "b", None):
        who = "You" if reader == ask.seat else name
        assert f"{who} let the deadline pass, so the safe answer was played." in house.history(reader)
    assert house.seat(ask.seat).missed == 1
    again = len(house.entries())
    house.tick()
    assert len(house.entries()) == again  # never two defaults for one deadline


@on_sqlite
def test_a_hidden_default_is_told_to_its_seat_alone(house: House) -> None:  # OR-DEC-3
    house.go_to(START + 25 * HOUR)
    decks = [e for e in house.entries() if e.ask == "deck"]
    assert [e.actor for e in decks] == ["a", "b"] and all(e.mark == "" and e.via == "clock" for e in decks)
    assert "You let the deadline pass, so the safe answer was played." in house.history("a")
    told = " ".join([*house.history("b"), *house.history(None)])
    assert f"{house.seat('a').name} let the deadline pass" not in told
    assert house.history("b").count("You let the deadline pass, so the safe answer was played.") == 1, "its own"


@on_sqlite
def test_the_ladder_reminds_once_for_each_step_and_stops_with_the_answer(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    due = ask.due_at
    assert due == START + 24 * HOUR
    for moment, count in ((START + 12 * HOUR, 1), (due - 6 * HOUR, 2), (due - 1 * HOUR, 3)):
        house.go_to(moment - timedelta(seconds=1))
        assert len(house.letters("reminder")) == count - 1
        house.go_to(moment)
        house.tick()
        house.tick()
        assert len(house.letters("reminder")) == count
    assert "due in 1 h" in house.letters("reminder")[-1].text
    house.answer_all(rng)
    house.go_to(due + HOUR)
    assert len([r for r in house.letters("reminder") if r.serial == ask.serial]) == 3


@on_sqlite
def test_a_reminder_says_when_the_default_ends_the_earl(house: House, rng: random.Random) -> None:  # OR-DEC-12
    house.answer_all(rng)
    (ask,) = house.asks()
    with transaction(house.settings) as session:
        match = house.players.match(session)
        state = state_of(match)
        earl = state.table.earls[ask.seat]
        earl.discard, earl.deck = [*earl.discard, *earl.deck], []
        match.snapshot = game_called("ortus").rules.encode(state)
        session.add(match)
    house.go_to(START + 23 * HOUR)
    letter = house.letters("reminder")[-1]
    told = " ".join(letter.text.split())
    assert re.search(
        "If you don’t answer by [^:]+:[^:]+: Your deck has too few cards left: you will be out of the game", told
    ), told
    assert "you will be out of the game" in letter.html


def test_a_hundred_restarts_give_no_reminder_twice(house: House) -> None:
    (ask, *_) = house.asks()
    assert ask.due_at is not None
    house.go_to(ask.due_at - timedelta(hours=5))
    given = len([r for r in house.letters("reminder") if r.seat == ask.seat])
    assert given
    for _ in range(100):
        with transaction(house.settings) as session:  # as after an outage: the deadline is moved by what it took
            row = session.get_one(AskRow, (ask.match_id, ask.seat, ask.serial))
            assert row.due_at is not None
            row.due_at += timedelta(minutes=10)
            row.remind_at = now()
            session.add(row)
        house.clock.shift(timedelta(minutes=10))
        for _ in range(2):
            reminders.send_due(house.settings)
    assert len([r for r in house.letters("reminder") if r.seat == ask.seat]) == given


def test_a_deadline_that_was_moved_by_days_is_reminded_of_again(house: House) -> None:
    (ask, *_) = house.asks()
    assert ask.due_at is not None
    house.go_to(ask.due_at - timedelta(minutes=50))
    given = len([r for r in house.letters("reminder") if r.seat == ask.seat])
    with transaction(house.settings) as session:
        row = session.get_one(AskRow, (ask.match_id, ask.seat, ask.serial))
        assert row.due_at is not None
        row.due_at += timedelta(days=3)
        row.remind_at = row.due_at - timedelta(hours=1)
        session.add(row)
    house.clock.move_to(ask.due_at + timedelta(days=3) - timedelta(minutes=50))
    reminders.send_due(house.settings)
    assert len([r for r in house.letters("reminder") if r.seat == ask.seat]) == given + 1


def test_a_reminder_that_a_lost_connection_stopped_goes_out_with_the_next_sweep(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ask, *_) = house.asks()
    assert ask.due_at is not None

    def lose(*_: object, **__: object) -> None:
        raise OperationalError("INSERT", None, Exception("server closed the connection unexpectedly"))

    with monkeypatch.context() as lost:
        lost.setattr(letters, "owe", lose)
        house.go_to(ask.due_at - HOUR)
    house.tick()
    assert "due in 1 h" in house.letters("reminder", ask.seat)[-1].text


def test_steps_that_fell_due_together_are_one_reminder(house: House) -> None:
    house.go_to(START + 23 * HOUR + timedelta(minutes=30))
    assert sorted(letter.seat for letter in house.letters("reminder")) == ["a", "b"]
    with open_session(house.settings) as session:
        assert sorted((r.seat, r.step, r.sent) for r in session.exec(select(Reminder))) == [
            (seat, step, step == "1h") for seat in "ab" for step in ("1h", "6h", "half")
        ]


def test_after_two_deadlines_in_a_row_a_steward_keeps_the_seat_until_it_is_taken_back(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, rng: random.Random
) -> None:
    house = House(settings, sent, clock)
    house.answer_all(rng)
    while house.asks()[0].seat != "a":
        house.answer_all(rng)
    for _ in range(400):
        asks = {a.seat: a for a in house.asks()}
        if house.seat("a").steward:
            break
        if "b" in asks:
            house.players.submit("b", rng)
            house.tick()
        else:
            assert asks["a"].falls_at is not None
            house.go_to(asks["a"].falls_at)
    assert house.seat("a").steward == "steady" and house.seat("a").missed == 2
    assert len(house.letters("kept", "a")) == 1
    sentence = "Anna missed deadlines. A steward plays until Anna comes back."
    assert sentence in house.history("b") and sentence in house.history(None)
    assert "You missed deadlines. A steward plays for you until you come back." in house.history("a")
    assert [e.move for e in house.entries() if e.ask == matches.TABLE] == ["kept seat=a"]
    with open_session(house.settings) as session:
        finished = house.players.match(session).status == "finished"
    for _ in range(6):
        if not finished and "b" in house.players.asked():
            house.players.submit("b", rng)
            house.tick()
    steward = [e for e in house.entries() if e.mark == "steward"]
    assert steward and all(e.actor == "a" for e in steward)
    assert all(a.seat == "b" for a in house.asks())
    house.command("a", "back seat=a")
    assert house.seat("a").steward == "" and house.seat("a").missed == 0
    assert "Anna took the seat back from the steward." in house.history("b")


@on_sqlite
def test_stewards_wait_for_a_player_where_all_are_away(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    while house.asks():
        house.go_to(min(ask.falls_at for ask in house.asks() if ask.falls_at))
    assert house.seat("a").steward and house.seat("b").steward
    entries = len(house.entries())
    house.pass_(timedelta(days=3), timedelta(hours=6))
    with open_session(house.settings) as session:
        assert house.players.match(session).status == MatchStatus.RUNNING
    assert len(house.entries()) == entries and not any(e.mark == "steward" for e in house.entries()[-1:])
    first, last = sorted(house.letters("kept"), key=lambda letter: letter.created_at)
    assert "A steward plays for you until you are back" in first.text and "the stewards wait" not in first.text
    assert "The game waits until one of you is back" in last.text and "the stewards wait, and no clock runs" in last.text
    assert {first.seat, last.seat} == {"a", "b"}
    with open_session(house.settings) as session:
        assert not sweep.stranded(session), "that nobody is asked is as it should be"
    house.command("a", "back seat=a")
    assert [ask.seat for ask in house.asks()] == ["a"] and house.seat("b").steward
    for _ in range(6):
        if "a" in house.players.asked():
            house.players.submit("a", rng)
            house.tick()
    assert any(e.actor == "b" and e.mark == "steward" for e in house.entries()[entries:])


def test_time_saved_fills_the_bank_and_a_late_answer_draws_on_it(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    set_pace(house, saved=50)
    for _ in range(60):
        if all(house.seat(s).bank for s in "ab"):
            break
        house.pass_(timedelta(minutes=1))
        house.answer_all(rng)
    late = house.asks()[0]
    bank = house.seat(late.seat).bank
    assert bank and late.due_at is not None and late.falls_at is not None
    assert late.falls_at >= late.due_at + HOUR + timedelta(seconds=bank)
    house.go_to(late.due_at + HOUR + timedelta(seconds=bank // 2))
    if house.asks() and house.asks()[0].serial == late.serial:
        house.players.submit(late.seat, rng)
        house.tick()
    assert house.seat(late.seat).bank < bank and house.seat(late.seat).missed == 0


def test_what_fell_due_while_the_service_was_down_moves_by_the_outage_first(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    before = len(house.entries())
    house.clock.move_to(ask.falls_at + 5 * HOUR)
    adjudicate.adjudicate(house.settings, house.players.match_id)  # a worker that is faster than the sweep
    assert len(house.entries()) == before
    house.tick()
    assert len(house.entries()) == before
    (again,) = house.asks()
    assert again.due_at == START + 60 * HOUR, "36 hours of outage"
    assert again.falls_at is not None and again.falls_at > again.due_at
    house.go_to(again.falls_at)
    assert len(house.entries()) > before


def test_a_pause_moves_deadlines_still_to_come_and_ends_by_itself(house: House) -> None:
    until = START + timedelta(days=3)
    house.pass_(timedelta(minutes=2))
    house.command("table", f"pause until={until.isoformat()}")
    assert {a.due_at for a in house.asks()} == {START + timedelta(days=4) - timedelta(minutes=2)}
    assert house.history(None)[-1] == "The table pauses until Fri 27 Nov 2026, 09:00 UTC."
    with transaction(house.settings) as session:
        account = session.get(Account, house.seat("b").account_id)
        assert account is not None
        account.zone = "Asia/Kolkata"
        session.add(account)
    assert house.history("b")[-1] == "The table pauses until Fri 27 Nov 2026, 14:30 IST.", "in the zone of the reader"
    house.command("host", "resume")
    assert {a.due_at for a in house.asks()} != {START + timedelta(days=1)}, "what the table has voted is not the host's to end"
    house.command("operator", "resume")
    assert {a.due_at for a in house.asks()} == {START + timedelta(days=1)}


@on_sqlite
def test_the_host_moves_a_deadline_and_the_log_says_so(house: House) -> None:
    house.command("host", "extend seat=b by=7200")
    assert {a.seat: a.due_at for a in house.asks()} == {"a": START + 24 * HOUR, "b": START + 26 * HOUR}
    house.command("host", "extend seat=b by=-86400")
    assert {a.seat: a.due_at for a in house.asks()}["b"] == START + 26 * HOUR, "a host takes no time away"
    house.command("operator", "extend seat=b by=-86400")
    assert {a.seat: a.due_at for a in house.asks()}["b"] == START + 2 * HOUR
    house.command("b", "extend seat=b by=-86400")
    assert {a.seat: a.due_at for a in house.asks()}["b"] == START + timedelta(minutes=10)
    assert [(e.actor, e.ask) for e in house.entries()] == [("host", "table"), ("operator", "table"), ("b", "table")]


def test_moving_the_deadline_of_who_has_answered_in_secret_tells_nothing(house: House, rng: random.Random) -> None:
    house.players.submit("a", rng)
    house.tick()
    assert [a.seat for a in house.asks()] == ["b"]
    with open_session(house.settings) as session:
        assert [w.seat for w in shown_waits(session, house.players.match(session))] == ["a", "b"]
    house.command("operator", "extend seat=a by=7200")
    house.command("operator", "extend seat=b by=7200")
    told = house.history("b")[-2:]
    assert [t.partition(" moved ")[2] for t in told] == [
        "Anna’s deadline to Wed 25 Nov 2026, 11:00 UTC.",
        "your deadline to Wed 25 Nov 2026, 11:00 UTC.",
    ]


def test_the_host_ends_a_game_with_a_reason_and_its_log_verifies(house: House, rng: random.Random) -> None:
    for _ in range(5):
        house.answer_all(rng)
    house.command("operator", "end reason=half%20of%20us%20are%20at%20sea")
    with open_session(house.settings) as session:
        match = house.players.match(session)
        assert match.status == "finished" and match.outcome == {"winners": [], "how": "ended"}
        verdict = matches.verify(replay_copy.download(session, match, None))
        assert verdict.holds, verdict.sentence
        assert "nobody won" in verdict.sentence
    assert "The people who run this service ended the game: half of us are at sea" in house.history(None)
    assert len(house.letters("over")) == 2
    with pytest.raises(NotLegal, match="while the game is running"):
        house.command("host", "resume")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("dance", "A table can't “dance”"),
        ("pause", "isn’t a moment"),
        ("pause until=2020-01-01T00:00:00+00:00", "A pause must end within 30 days"),
        ("pause until=2027-11-24T00:00:00+00:00", "A pause must end within 30 days"),
        ("resume", "doesn't pause"),
        ("extend seat=q by=60", "no seat “q”"),
        ("extend seat=a by=0", "by up to 30 days"),
        ("back seat=a", "for the player of the seat alone"),
        ("replace seat=a", "no such account"),
    ],
)
def test_a_command_that_does_not_fit_changes_nothing(house: House, words: str, sentence: str) -> None:
    before = len(house.entries())
    try:
        house.command("host", words)
    except Refused as refusal:
        assert sentence in str(refusal)
    else:
        with transaction(house.settings) as session:
            rows = list(session.exec(select(Command)))
            assert [row.status for row in rows] == ["refused"]
            match = house.players.match(session)
            seats = {s.seat: s for s in session.exec(select(SeatRow))}
            with pytest.raises(Refused, match=sentence):
                commands.play(session, match, seats, False, rows[0])
    assert len(house.entries()) == before


@on_sqlite
def test_steps_of_one_turn_share_its_time(house: House, rng: random.Random) -> None:  # OR-DEC-13
    house.answer_all(rng)
    (ask,) = house.asks()
    house.pass_(timedelta(minutes=30))
    house.submit(ask.seat, ask, lambda form: read(f"tower cards=[{form['cards'][0]}]"))
    (step,) = house.asks()
    assert (step.seat, step.kind) == (ask.seat, "turn") and step.serial > ask.serial
    assert step.due_at == ask.due_at == START + 24 * HOUR
    house.pass_(timedelta(minutes=30))
    house.submit(ask.seat, step, lambda _: read("end"))
    (other,) = house.asks()
    assert other.seat != ask.seat and other.due_at == START + 25 * HOUR


def place(house: House, text: str) -> tuple[str, str]:
    """Put the game at a position in which `x` is the seat whose Turn it is, `y` the other; these two seats."""
    (ask,) = house.asks()
    x, y = ask.seat, "b" if ask.seat == "a" else "a"
    lines = re.sub(r"^([xy])\.", lambda m: f"{x if m[1] == 'x' else y}.", text, flags=re.M)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        game = game_called("ortus")
        was, state = state_of(match), game.rules.notation.read(f"ortus: 1\nseats: a b\nactive: {x}\nstart: {x}\n{lines}")
        procedure.begin(state)
        state.serial, state.table.chance = was.serial, was.table.chance
        match.snapshot = game.rules.encode(state)
        session.add(match)
    return x, y


def submit(house: House, seat: str, words: str) -> None:
    (ask,) = house.asks()
    with transaction(house.settings) as session:
        submissions.submit(session, house.players.match(session), seat, new_id(), ask.serial, ask.kind, read(words))
    house.tick()


@on_sqlite
def test_the_preset_defends_the_palace_when_the_clock_is_left_to_itself(house: House, rng: random.Random) -> None:  # SO-05
    house.answer_all(rng)
    a, b = place(
        house,
        "x.F1: Palace (Champion) {3 Land}\nx.reserve: 3 Knight\nx.deck: 3 Land, 6 MarketTown\n"
        "y.F1: Palace (Monk) {Land}\ny.hand: Vassal, Land\ny.reserve: Infantry\ny.deck: 3 Land, 6 MarketTown\nbattle: DW",
    )
    submit(house, a, f"attack target=siege:{b}:F1 lords=[lord:F1] reserve=[Knight*3]")
    (ask,) = house.asks()
    assert (ask.seat, ask.kind) == (b, "defend")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        orders.take_preset(session, match, session.get_one(SeatRow, (match.id, b)))
    before = len(house.entries())
    assert ask.falls_at is not None
    house.go_to(ask.falls_at)
    defence = house.entries()[before]
    assert (defence.actor, defence.via) == (b, "order")
    assert defence.move == f"field lords=[lord:F1] hand=[Vassal/{b}] reserve=[Infantry]"
    with open_session(house.settings) as session:
        table = state_of(house.players.match(session)).table
    assert table.earls[b].alive and table.earls[b].fiefs[0].anchor == f"Palace/{b}", "Defender Wins was drawn"


@on_sqlite
def test_a_fallback_turn_is_played_to_its_end_when_the_deadline_falls(house: House, rng: random.Random) -> None:  # SO-14
    house.answer_all(rng)
    a, _ = place(
        house, "x.F1: Palace (Prince) {}\nx.hand: Banner, 2 Church\nx.discard: 5 Land\ny.F1: Palace (-) {}\ny.deck: Land"
    )
    with transaction(house.settings) as session:
        match = house.players.match(session)
        row = session.get_one(SeatRow, (match.id, a))
        orders.put_all(session, match, row, {"SO-14": read("on turns=[(turn=tower_Church),(turn=bequeath_last)]")})
    (ask,) = house.asks()
    before = len(house.entries())
    assert ask.falls_at is not None
    house.go_to(ask.falls_at)
    own = [e for e in house.entries()[before:] if e.actor == a]
    assert [e.move for e in own] == [f"tower cards=[Church/{a}*2]", "bequeath", "end"]  # OR-DEC-13: no confirmation
    with open_session(house.settings) as session:
        table = state_of(house.players.match(session)).table
    assert table.earls[a].alive and len(table.earls[a].deck) == 6


@on_sqlite
def test_a_tower_of_his_own_hand_is_no_row_of_a_fallback_turn(house: House, rng: random.Random) -> None:  # SO-14, OR-DEC-13
    house.answer_all(rng)
    a, _ = place(house, "x.F1: Palace (-) {}\nx.hand: Castle, Church, Land\nx.deck: 3 Land\ny.F1: Palace (-) {}\ny.deck: Land")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        row = session.get_one(SeatRow, (match.id, a))
        wish = read("on turns=[(turn=tower_Church),(turn=place_Land,with=above)]")
        orders.put_all(session, match, row, {"SO-14": wish})
    submit(house, a, f"tower cards=[Castle/{a}]")
    ask = next(ask for ask in house.asks() if ask.seat == a)
    before = len(house.entries())
    assert ask.falls_at is not None
    house.go_to(ask.falls_at)
    own = [e.move for e in house.entries()[before:] if e.actor == a]
    assert own == [f"tower cards=[Church/{a}]", f"place card=Land/{a} fief=F1", "end"]


def test_a_whole_turn_given_in_advance_waits_for_nobody(house: House, rng: random.Random) -> None:  # SO-14
    house.answer_all(rng)
    a, b = place(house, "x.F1: Palace (-) {}\nx.hand: Land\nx.deck: 3 Land\ny.F1: Palace (-) {}\ny.hand: Land\ny.deck: 3 Land")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        row = session.get_one(SeatRow, (match.id, b))
        advance.give(session, match, row, "turn", read(f"place card=Land/{b} fief=F1"))
        orders.put_all(session, match, row, {"SO-14": read("on turns=[(turn=end)] close=once")})
    before = len(house.entries())
    submit(house, a, "end")
    own = [(e.move, e.via) for e in house.entries()[before:] if e.actor == b]
    assert own == [(f"place card=Land/{b} fief=F1", "advance"), ("end", "order")]
    assert b not in {ask.seat for ask in house.asks()}
