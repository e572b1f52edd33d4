"""How proposals live: reminders, pauses, answers in advance, orders, stewards, absences, seats that change hands, their end.

All of it is played on the toy game, through the workers, on both databases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as replace_
from datetime import timedelta
from typing import cast

import pytest
import time_machine
from sqlmodel import col, select

from engine.core.asks import Answer, Ask, NotLegal, read
from engine.core.chance import Chance
from engine.game import AnyState, OfferPolicy
from engine.games import GAMES
from engine.play import policy
from service.people import accounts
from service.seat import advance, orders, seat_view, submissions
from service.seat.seat_view import SeatView
from service.seat.state import known_to
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import AskRow, HiddenAnswer, Letter, LetterStatus, SeatRow, new_id
from service.table import substitutes
from tests.house import HOUR, START, House, Sent
from tests.service.conftest import on_sqlite
from tests.toy_game import FAIR
from tests.workers.test_clocks import set_pace
from tests.workers.test_outages import down
from workers import sweep

AT_HAND = timedelta(seconds=1)


@pytest.fixture
def opened(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., House]:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    think(monkeypatch, lambda *_: None)

    def open_(people: int = 3, bots: int = 0) -> House:
        return House(settings, sent, clock, people, bots, "fair", anew=bots > 0)

    return open_


def think(monkeypatch: pytest.MonkeyPatch, answer_offer: OfferPolicy) -> None:
    """Say how bots and stewards answer offers: with None, they answer safely and use no powers."""
    monkeypatch.setitem(cast("dict[str, OfferPolicy]", FAIR.bots.offer_policies), "random", answer_offer)


@pytest.fixture
def house(opened: Callable[..., House]) -> House:
    """A game of three, all of whom are asked for their bids."""
    return opened()


def known(house: House, seat: str) -> AnyState:
    with open_session(house.settings) as session:
        return known_to(session, house.players.match(session), seat)


def wares(house: House, seat: str) -> list[str]:
    found: list[str] = known(house, seat).table.keepers[seat].wares
    return found


def say(house: House, seat: str, kind: str, text: str, serial: int | None = None) -> None:
    """Answer the question, use a power (0), or answer a proposal (its negative number)."""
    with transaction(house.settings) as session:
        match = house.players.match(session)
        number = match.serial if serial is None else serial
        submissions.submit(session, match, seat, new_id(), number, kind, read(text))
    house.tick()


def propose(house: House, by: str = "a", to: str = "b", coins: int = 0) -> str:
    """The ware that is proposed."""
    ware = wares(house, by)[0]
    say(house, by, "propose", f"propose target={to} ware={ware} coins={coins}", 0)
    return ware


def rows(house: House) -> list[AskRow]:
    with open_session(house.settings) as session:
        return list(session.exec(select(AskRow).where(AskRow.serial < 0).order_by(AskRow.seat, col(AskRow.serial))))


def row(house: House) -> AskRow:
    (found,) = rows(house)
    return found


def page(house: House, seat: str) -> SeatView:
    with open_session(house.settings) as session:
        found = seat_view.load(session, house.players.match(session), seat)
    assert found is not None
    return found


def told(house: House, seat: str) -> list[str]:
    return [sentence.partition(" ")[0] for sentence in page(house, seat).news.sentences]


def settle(house: House, *bids: str) -> None:
    for bid in bids:
        seat, _, text = bid.partition(": ")
        say(house, seat, "bid", text)


# --- reminders ------------------------------------------------------------------------------------------------------------


def test_an_addressee_is_reminded_by_his_own_ladder_and_of_that_very_proposal(house: House) -> None:
    settle(house, "b: pass")
    propose(house)
    found = row(house)
    assert found.due_at == START + 12 * HOUR, "the time of a reaction"
    house.go_to(START + 6 * HOUR - AT_HAND)
    assert house.letters("reminder", "b") == []
    house.go_to(START + 6 * HOUR)
    (letter,) = house.letters("reminder", "b")
    assert letter.serial == found.serial and "Bert: trade?" in letter.text and "due in 6 h" in letter.text
    assert all(r.serial > 0 for seat in "ac" for r in house.letters("reminder", seat)), "of their own questions"
    say(house, "b", "trade", "refuse", found.serial)
    house.go_to(START + 11 * HOUR)
    assert [r.serial for r in house.letters("reminder", "b")] == [found.serial], "none after the answer"


def test_a_proposal_at_a_table_without_a_clock_stays_until_it_is_answered(house: House) -> None:
    set_pace(house, turn=0)
    propose(house)
    found = row(house)
    assert found.due_at is None and found.falls_at is None
    settle(house, "b: pass")
    assert len(house.letters("offer", "b")) == 1, "it isn't told again with each move"
    say(house, "b", "trade", "refuse", found.serial)
    assert not any(ask.serial < 0 for ask in house.asks())


def test_an_overdue_proposal_rests_while_a_chain_freezes_it_and_lapses_after_it(house: House) -> None:
    settle(house, "b: pass", "c: pass")
    propose(house)
    falls_at = row(house).falls_at
    assert falls_at is not None
    house.go_to(falls_at - HOUR)
    say(house, "b", "accuse", "accuse target=a", 0)
    house.go_to(falls_at + HOUR)
    assert row(house).frozen and not adjudicated(house), "there is nothing to play before the chain ends"
    say(house, "c", "judge", "innocent")
    assert row(house).answered_at is not None and "refused" in told(house, "a")


def test_an_orders_answer_that_is_due_rests_while_a_chain_freezes_the_proposal(house: House) -> None:
    set_pace(house, answers="decent")
    give_order(house, "b", "refuse")
    settle(house, "b: pass", "c: pass")
    propose(house)
    say(house, "b", "accuse", "accuse target=a", 0)
    due = row(house).kept_at
    assert due is not None
    house.go_to(due + AT_HAND)
    assert row(house).kept and not adjudicated(house)
    say(house, "c", "judge", "innocent")
    assert row(house).answered_at is not None


def adjudicated(house: House) -> bool:
    """Whether a sweep now has the game played."""
    house.sent.clear()
    sweep.sweep(house.settings)
    return (queue.ADJUDICATE, house.players.match_id) in house.sent


# --- answers that need nobody -----------------------------------------------------------------------------------------------


def give_order(house: House, seat: str, setting: str, id: str = "T-10") -> None:
    with transaction(house.settings) as session:
        at = session.get_one(SeatRow, (house.players.match_id, seat))
        orders.put_all(session, house.players.match(session), at, {id: read(setting)})


@pytest.mark.parametrize("option", ["accept", "refuse"])
def test_a_standing_order_answers_at_once_and_nobody_is_written_to(house: House, option: str) -> None:
    give_order(house, "b", option)
    his = wares(house, "b")[-1]
    mine = propose(house)
    assert (his in wares(house, "a"), mine in wares(house, "b")) == (option == "accept", option == "accept")
    assert house.letters("offer") == [] and not any(ask.serial < 0 for ask in house.asks())
    assert told(house, "a")[-1] == ("traded" if option == "accept" else "refused")


def test_after_a_decent_pause_the_order_answers_unless_its_owner_does_before(house: House) -> None:
    set_pace(house, answers="decent")
    give_order(house, "b", "refuse")
    propose(house)
    found = row(house)
    assert found.kept == "refuse" and found.kept_via == "order" and found.answered_at is None
    assert found.kept_at is not None and START + 12 * HOUR * 0.03 <= found.kept_at <= START + 12 * HOUR * 0.3
    assert house.letters("offer") == [] and [f.kind for f in page(house, "b").proposals] == ["trade"]
    house.go_to(found.kept_at - AT_HAND)
    assert row(house).answered_at is None and "refused" not in told(house, "a")
    house.go_to(found.kept_at)
    assert row(house).answered_at is not None and told(house, "a")[-1] == "refused"


@on_sqlite
def test_an_answer_by_hand_goes_before_the_order_that_waits_its_pause(house: House) -> None:
    set_pace(house, answers="decent")
    give_order(house, "b", "refuse")
    mine = propose(house)
    say(house, "b", "trade", f"accept ware={wares(house, 'b')[0]}", row(house).serial)
    assert mine in wares(house, "b")
    house.go_to(START + 5 * HOUR)
    assert told(house, "a").count("refused") == 0


def share(house: House) -> None:
    """Anna wins the round and is asked alone."""
    settle(house, "a: bid coins=2", "b: bid coins=1", "c: pass")


def give_advance(house: House, seat: str, text: str) -> None:
    with transaction(house.settings) as session:
        at = session.get_one(SeatRow, (house.players.match_id, seat))
        advance.give(session, house.players.match(session), at, "trade", read(text))


def test_an_answer_given_in_advance_answers_once(house: House) -> None:
    share(house)
    give_advance(house, "b", "refuse")
    propose(house)
    assert house.letters("offer") == [] and told(house, "a")[-1] == "refused"
    assert house.seat("b").advance == []


def test_an_answer_in_advance_that_no_longer_fits_is_dropped_with_a_letter_and_the_proposal_stands(house: House) -> None:
    share(house)
    his = wares(house, "b")[0]
    give_advance(house, "b", f"accept ware={his}")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        state = FAIR.rules.decode(match.snapshot or b"")
        state.table.keepers["b"].wares.remove(his)
        match.snapshot = FAIR.rules.encode(state)
        session.add(match)
    propose(house)
    assert len(house.letters("advance_dropped", "b")) == 1 and len(house.letters("offer", "b")) == 1
    assert row(house).answered_at is None


# --- seats that are kept, left, and given -------------------------------------------------------------------------------------


def keep(house: House, seat: str) -> None:
    """A steward keeps the seat."""
    with transaction(house.settings) as session:
        session.get_one(SeatRow, (house.players.match_id, seat)).steward = FAIR.bots.steward
    house.tick()


@on_sqlite
def test_a_steward_answers_what_is_put_to_the_seat_that_it_keeps(house: House) -> None:
    keep(house, "b")
    propose(house)
    assert rows(house) == [] and house.letters("offer") == []
    assert told(house, "a")[-1] in ("traded", "refused"), "at once, as a bot does"


@on_sqlite
def test_what_lay_before_a_seat_is_answered_by_the_steward_that_comes(house: House) -> None:
    propose(house)
    assert row(house).answered_at is None
    set_pace(house, steward_after=1)
    settle(house, "a: pass", "c: pass")
    with transaction(house.settings) as session:
        for ask in session.exec(select(AskRow).where(AskRow.serial < 0)):
            ask.falls_at = START + 72 * HOUR
        falls = max(ask.falls_at for ask in session.exec(select(AskRow)) if ask.falls_at and ask.serial > 0)
    house.go_to(falls)
    assert house.seat("b").steward == FAIR.bots.steward
    assert all(ask.answered_at is not None for ask in rows(house))


def test_a_steward_who_is_sent_home_leaves_the_proposals_to_the_player(house: House) -> None:
    keep(house, "b")
    house.command("b", "back seat=b")
    propose(house)
    assert row(house).seat == "b" and len(house.letters("offer", "b")) == 1


@on_sqlite
def test_a_proposal_waits_for_who_is_away(house: House) -> None:
    house.command("b", f"away seat=b from={START.isoformat()} until={(START + 48 * HOUR).isoformat()}")
    propose(house)
    assert row(house).due_at == START + 60 * HOUR, "his clock stands still, and so does its life"
    house.go_to(START + 50 * HOUR)
    assert row(house).answered_at is None
    house.command("b", f"away seat=b from={START.isoformat()} until={START.isoformat()}")


@on_sqlite
def test_an_absence_that_begins_while_a_proposal_stands_moves_its_end(house: House) -> None:
    propose(house)
    house.command("b", f"away seat=b from={START.isoformat()} until={(START + 24 * HOUR).isoformat()}")
    assert row(house).due_at == START + 36 * HOUR


@on_sqlite
def test_a_pause_of_the_table_stops_the_life_of_a_proposal(house: House) -> None:
    propose(house)
    house.command("operator", f"pause until={(START + 24 * HOUR).isoformat()}")
    assert row(house).due_at == START + 36 * HOUR


OPEN_UNTIL = "offer to you is now open until"


@on_sqlite
def test_a_moved_end_of_a_proposal_is_told_to_its_addressee_alone(house: House) -> None:
    settle(house, "b: pass")
    propose(house)
    house.command("table", f"pause until={(START + 24 * HOUR).isoformat()}")
    assert [len(house.letters("notice", seat)) for seat in "abc"] == [1, 1, 1], "a and c have a question"
    (letter,) = house.letters("notice", "b")
    text = " ".join(letter.text.split())
    assert "An offer to you is now open until Wed 25 Nov 2026, 21:00 UTC." in text and "Your deadline" not in text
    assert "An offer to you is now open until Wed 25 Nov 2026, 21:00 UTC." in letter.html
    for seat in "ac":
        (other,) = house.letters("notice", seat)
        assert OPEN_UNTIL not in other.text + other.html
    house.command("host", f"extend seat=c by={6 * 3600}")
    assert house.letters("notice", "b") == [letter], "an extension moves no proposal"
    house.command("operator", "resume")
    text = " ".join(house.letters("notice", "b")[-1].text.split())
    assert "An offer to you is now open until Tue 24 Nov 2026, 21:00 UTC." in text


@on_sqlite
def test_a_seat_with_a_question_and_a_proposal_gets_one_letter_with_both_deadlines(house: House) -> None:
    propose(house)
    house.command("table", f"pause until={(START + 24 * HOUR).isoformat()}")
    (letter,) = house.letters("notice", "b")
    assert "Your deadline is now" in letter.text and OPEN_UNTIL in letter.text


@on_sqlite
def test_a_moved_end_of_a_proposal_that_an_order_answers_is_not_told(house: House) -> None:
    set_pace(house, answers="decent")
    give_order(house, "b", "refuse")
    settle(house, "b: pass")
    propose(house)
    down(house, 5 * HOUR)
    house.command("table", f"pause until={(START + 24 * HOUR).isoformat()}")
    assert row(house).answered_at is None
    for kind in ("outage", "notice"):
        assert sorted(letter.seat for letter in house.letters(kind)) == ["a", "c"]


@on_sqlite
def test_an_outage_is_told_with_the_new_end_of_a_proposal(house: House) -> None:
    propose(house)
    settle(house, "c: pass")
    propose(house, "b", "c")
    down(house, 5 * HOUR)
    (both,) = house.letters("outage", "b")
    (offer,) = house.letters("outage", "c")
    assert "you can now answer until" in both.text and OPEN_UNTIL in both.text
    assert "you can now answer until" not in offer.text
    assert "an offer to you is now open until Wed 25 Nov 2026, 08:00 UTC." in " ".join(offer.text.split())
    (none,) = house.letters("outage", "a")
    assert OPEN_UNTIL not in none.text + none.html


def replace(house: House, seat: str) -> None:
    """The seat goes from whoever has it to Dora."""
    house.command("operator", f"seek seat={seat}")
    with transaction(house.settings) as session:
        dora = accounts.by_email(session, "dora@example.org")
        accounts.rename(session, dora, "Dora")
        substitutes.take(session, house.players.match(session), session.get_one(SeatRow, (house.players.match_id, seat)), dora)
    house.tick()


@on_sqlite
def test_who_takes_a_seat_over_answers_himself_and_not_by_the_orders_of_who_left(house: House) -> None:
    set_pace(house, answers="decent")
    give_order(house, "b", "accept")
    propose(house)
    assert row(house).kept
    replace(house, "b")
    assert row(house).answered_at is not None and told(house, "a")[-1] == "refused", "safely, while nobody sat there"
    mine = propose(house, "c")
    found = next(ask for ask in rows(house) if ask.answered_at is None)
    assert (found.seat, found.kept) == ("b", "")
    assert [letter.to_address for letter in house.letters("offer", "b")] == ["dora@example.org"]
    say(house, "b", "trade", f"accept ware={wares(house, 'b')[0]}", found.serial)
    assert mine in wares(house, "b")


def test_what_a_seat_has_proposed_stands_when_it_changes_hands_and_can_be_taken_back(house: House) -> None:
    propose(house)
    replace(house, "a")
    assert row(house).answered_at is None and [f.options[0].id for f in page(house, "a").offers if f.serial < 0] == ["withdraw"]
    say(house, "a", "trade", "withdraw", row(house).serial)
    assert row(house).answered_at is not None and page(house, "b").proposals == []


def test_while_nobody_has_the_seat_its_steward_answers(house: House) -> None:
    propose(house)
    house.command("operator", "seek seat=b")
    assert row(house).answered_at is not None and told(house, "a")[-1] in ("traded", "refused")


# --- the end of a life ------------------------------------------------------------------------------------------------------


@on_sqlite
def test_a_life_ends_at_its_deadline_and_grace_and_costs_neither_bank_nor_patience(house: House) -> None:
    settle(house, "b: pass")
    propose(house)
    found, before = row(house), house.seat("b")
    assert found.due_at == START + 12 * HOUR and found.falls_at is not None and found.falls_at >= START + 13 * HOUR
    house.go_to(found.falls_at - AT_HAND)
    assert row(house).answered_at is None
    house.go_to(found.falls_at)
    after = house.seat("b")
    assert row(house).answered_at is not None and told(house, "a")[-1] == "refused"
    assert (after.missed, after.bank) == (before.missed, before.bank) and after.steward == ""


@on_sqlite
def test_an_order_answers_at_the_end_of_a_life_where_it_was_set_in_the_meantime(house: House) -> None:
    mine = propose(house)
    his = wares(house, "b")[-1]
    give_order(house, "b", "accept")
    house.go_to(row(house).falls_at or START)
    assert mine in wares(house, "b") and his in wares(house, "a")


# --- what becomes of it, told to who proposed it ----------------------------------------------------------------------------


def outcomes(house: House) -> list[str]:
    return [letter.seat for letter in house.letters("outcome")]


def test_the_proposer_is_told_by_a_letter_when_his_proposal_is_answered(house: House) -> None:
    settle(house, "a: pass")
    propose(house)
    assert outcomes(house) == []
    say(house, "b", "trade", "refuse", row(house).serial)
    (letter,) = house.letters("outcome")
    assert (
        letter.seat == "a"
        and "HERE IS WHAT CAME OF YOUR MOVE" in letter.text
        and "refused" in letter.text
        and letter.serial == 0
    )
    assert "The table waits for " in letter.text and "The table waits for " in letter.html
    assert "Here is what came of your move" in letter.html and "trade?" not in letter.text, "nothing is asked"


@on_sqlite
@pytest.mark.parametrize("moved", [True, False])
def test_an_outcome_is_since_the_last_move_only_of_who_has_moved(house: House, moved: bool) -> None:
    settle(house, "a: pass")
    propose(house)
    with transaction(house.settings) as session:
        session.get_one(SeatRow, (house.players.match_id, "a")).moved_n = int(moved)
    say(house, "b", "trade", "refuse", row(house).serial)
    (letter,) = house.letters("outcome")
    assert ("You need do nothing. Since your last move:" in letter.text) is moved
    assert ("You need do nothing. What happened:" in letter.text) is not moved
    assert ("Since your last move" in letter.html) is moved


@on_sqlite
def test_the_proposer_is_told_when_the_clock_ends_its_life_but_not_what_he_withdrew(house: House) -> None:
    settle(house, "a: pass", "c: pass")
    propose(house)
    own = row(house)
    propose(house, "c", "b")
    say(house, "a", "trade", "withdraw", own.serial)
    assert outcomes(house) == []
    (left,) = [ask for ask in rows(house) if ask.answered_at is None]
    with transaction(house.settings) as session:
        for ask in session.exec(select(AskRow).where(AskRow.serial > 0)):
            ask.falls_at = START + 72 * HOUR  # the round goes on
    house.go_to(left.falls_at or START)
    assert "c" in outcomes(house) and "a" not in outcomes(house)


def test_several_outcomes_are_one_letter(house: House) -> None:
    settle(house, "a: pass")
    with transaction(house.settings) as session:
        session.get_one(SeatRow, (house.players.match_id, "a")).letters = "digest"
    propose(house)
    say(house, "b", "trade", "refuse", row(house).serial)
    propose_again(house)
    say(house, "c", "trade", "refuse", next(ask.serial for ask in rows(house) if ask.answered_at is None))
    with open_session(house.settings) as session:
        (gathered,) = session.exec(select(Letter).where(Letter.kind == "outcome")).all()
    assert gathered.status == LetterStatus.GATHERED


def propose_again(house: House) -> None:
    """Anna proposes once more, to Cleo, in a new round."""
    with transaction(house.settings) as session:
        match = house.players.match(session)
        state = FAIR.rules.decode(match.snapshot or b"")
        state.stack[0].round += 1
        state.table.keepers["a"].proposed = False
        match.snapshot = FAIR.rules.encode(state)
        session.add(match)
        for lying in session.exec(select(HiddenAnswer).where(HiddenAnswer.serial <= 0)):
            session.delete(lying)
    propose(house, "a", "c")


def test_who_wants_to_hear_when_asked_alone_gets_no_such_letter(house: House) -> None:
    settle(house, "a: pass")
    with transaction(house.settings) as session:
        session.get_one(SeatRow, (house.players.match_id, "a")).letters = "asked"
    propose(house)
    say(house, "b", "trade", "refuse", row(house).serial)
    with open_session(house.settings) as session:
        (unwanted,) = session.exec(select(Letter).where(Letter.kind == "outcome")).all()
    assert unwanted.status == LetterStatus.DROPPED


# --- bots and orders that use powers --------------------------------------------------------------------------------------


def to_anna(state: AnyState, seat: str, ask: Ask, _chance: Chance) -> Answer | None:
    """Proposes a trade to Anna whenever it may."""
    if ask.kind != "propose":
        return None
    return Answer("propose", {"target": "a", "ware": state.table.keepers[seat].wares[0], "coins": 0})


@on_sqlite
def test_a_bot_thinks_of_its_powers_again_when_the_table_has_changed_beneath_the_same_question(
    opened: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    def later(state: AnyState, seat: str, ask: Ask, chance: Chance) -> Answer | None:
        return to_anna(state, seat, ask, chance) if state.table.keepers["a"].accused else None

    think(monkeypatch, later)
    house = opened(people=1, bots=2)
    assert page(house, "a").proposals == []
    say(house, "a", "accuse", "accuse target=b", 0)
    assert [f.kind for f in page(house, "a").proposals] == ["trade", "trade"]


@on_sqlite
def test_bots_that_would_use_their_powers_for_ever_come_to_an_end(
    opened: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    used = FAIR.rules.powers.use

    def put(state: AnyState, seat: str, kind: str, answer: Answer) -> None:
        used(state, seat, kind, answer)
        state.table.keepers[seat].proposed = False

    think(monkeypatch, to_anna)
    monkeypatch.setitem(
        GAMES, FAIR.name, replace_(FAIR, rules=replace_(FAIR.rules, powers=replace_(FAIR.rules.powers, use=put)))
    )
    house = opened(people=1, bots=2)
    assert len(page(house, "a").proposals) == 2 * policy.MOST and house.players.asked() == ["a"]
    house.tick()
    assert len(page(house, "a").proposals) == 2 * policy.MOST, "those in the same words are kept apart"


def test_an_order_uses_a_power_when_what_it_waits_for_has_come(house: House) -> None:
    give_order(house, "c", "accuse target=a", "T-11")
    house.tick()
    assert "accused" not in told(house, "b"), "she has no more than he"
    settle(house, "a: pass", "b: bid coins=2", "c: bid coins=1")
    assert told(house, "b")[-1] == "accused"
    accused = house.entries()[-1]
    assert (accused.actor, accused.ask, accused.move, accused.via) == ("c", "accuse", "accuse target=a", "order")


def own(house: House, seat: str) -> int:
    """The number of what a seat has proposed."""
    return next(form.serial for form in page(house, seat).offers if form.serial < 0)


@on_sqlite
def test_who_amends_or_takes_back_without_end_is_stopped_for_the_day(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "MOST_TAKEN_BACK", 3)
    propose(house)
    for n in range(3):
        say(house, "a", "trade", f"amend coins={(n + 1) % 2}", own(house, "a"))
    for text in ("amend coins=0", "withdraw"):
        with pytest.raises(NotLegal, match="3 proposals taken back"):
            say(house, "a", "trade", text, own(house, "a"))
    assert len(house.letters("offer", "b")) <= 4
    propose(house, "c", "b")
    say(house, "c", "trade", "withdraw", own(house, "c"))
    say(house, "b", "trade", "refuse", own(house, "a"))


@on_sqlite
def test_proposals_taken_back_while_the_clock_ran_ahead_do_not_count_for_a_year(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "MOST_TAKEN_BACK", 1)
    down(house, timedelta())
    house.clock.move_to(START + timedelta(days=365))
    house.tick()
    propose(house)
    say(house, "a", "trade", "amend coins=1", own(house, "a"))
    with pytest.raises(NotLegal, match="1 proposal taken back"):
        say(house, "a", "trade", "withdraw", own(house, "a"))
    house.clock.move_to(START + timedelta(minutes=2))
    house.tick()
    say(house, "a", "trade", "withdraw", own(house, "a"))
