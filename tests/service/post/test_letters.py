"""Letters that stand on their own: whom they name, when, in whose time, and what they leave out."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from sqlmodel import col, select, update

from engine.core.asks import Answer, NotLegal, PickSome
from engine.games import game_called
from service.common.dates import Day
from service.post import letters as letters_of
from service.post.rendering import laid_out
from service.seat import advance, copies, handover, seat_view
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, LetterStatus, Match, SeatRow
from service.store.seats import names_of
from service.table import talk, votes
from tests.house import HOUR, START, House, Sent
from tests.service.conftest import as_sent, on_sqlite, open_table
from tests.service.post.test_ledger import wish
from workers.letters import digest


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock, people=3)


def say(house: House, seat: str, to: str, text: str) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), seat, to, text, f"key-{seat}-{len(text)}-{hash(to) % 1000}")
    house.tick()


def one(house: House, kind: str) -> Letter:
    with open_session(house.settings) as session:
        found = session.exec(select(Letter).where(Letter.kind == kind).order_by(col(Letter.created_at))).all()[-1]
    return as_sent(house.settings, [found])[0]


@on_sqlite
def test_every_letter_names_the_head_of_the_chain(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, rng: random.Random
) -> None:
    house = House(settings, sent, clock, bots=1)
    started = one(house, "started")
    # The bot's deck lies sealed outside the log.
    assert re.search(r"hash chain:\s[0-9a-f]{64}\n", started.text) and "hash chain:" in started.html
    house.answer_all(rng)
    turn = one(house, "turn")
    assert re.search(r"hash chain:\s[0-9a-f]{64}\n", turn.text)
    assert re.search(r"log [0-9a-f]{8} … [0-9a-f]{8}<", turn.html), "by its ends"


@on_sqlite
def test_a_letter_of_the_start_shows_no_empty_table(house: House) -> None:
    started = one(house, "started")
    assert "THE TABLE" not in started.text and "Hand:" not in started.text and "The table" not in started.html
    assert "Banner" in started.html and "Cards (24):" in started.text and "Cards (24):" in started.html
    assert "(up to 6 of each)" in started.html and "6 × " not in started.html, "each card at most so often, not so often each"
    assert "by reply: 1: 3 Castle, 3 Land, " in started.text, "a deck that can win, not the first cards that fill it"


def test_the_first_turn_s_letter_does_not_tell_the_set_up_again(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    table = open_table(settings, 3, game="mastery")
    table.adjudicate()
    assert all("Clockwise around the map" in letter.text for letter in table.letters("started"))
    while not table.letters("turn"):
        table.submit(table.asked()[0], rng)
        table.adjudicate()
    for part in (table.letters("turn")[0].text, table.letters("turn")[0].html):
        assert "placed 3 knights" in part and "Clockwise" not in part and "began." not in part


def test_a_game_that_the_host_ends_has_no_winner_in_its_letters(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    house.command("operator", "end reason=Snow")
    over = one(house, "over")
    assert "“Harvest war” has ended without a winner." in over.text and "won" not in over.text
    assert "The game has ended without a winner" in over.html and "Snow" in over.text


def test_talk_says_to_whom_it_goes_and_where_a_reply_would_go(house: House) -> None:
    say(house, "a", "bc", "Peace?")
    say(house, "a", "", "Peace to all!")
    private, public = sorted(house.letters("talk", "c"), key=lambda letter: "Peace?" not in letter.text)
    for form in (private.text, private.html):
        assert "A reply to this letter goes to Anna, Bert, and nobody else." in form
    assert "from Anna to Bert, Cleo and nobody else" in private.text and "“Harvest war”" in private.text
    for form in (public.text, public.html):
        assert "A reply to this letter goes to the whole table." in form


@on_sqlite
def test_a_digest_says_to_whom_each_word_went_and_a_deadline_that_has_passed(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    reader = one(house, "turn").seat
    first, second = (s for s in "abc" if s != reader)
    wish(house, reader, "digest")
    say(house, first, reader, "A word in your ear.")
    say(house, first, second + reader, "A word to both.")
    say(house, first, "", "A word to all.")
    names = {s: house.seat(s).name for s in "abc"}
    house.go_to(START + 24 * HOUR + timedelta(minutes=30))  # the deadline has passed, its grace has not
    made = one(house, "digest")
    both = ", ".join(names[s] for s in sorted(second + reader))
    for to in (f"to {names[reader]} and nobody else", f"to {both} and nobody else", "to the whole table"):
        assert f"{names[first]}, {to}, Tue 24 Nov 2026, 09:00 UTC:" in made.text
        assert to.replace(" and nobody", ", and nobody") in made.html
    assert made.subject == "Writ: 1 game waits for you" and "/account/letters" in made.text, (
        "it is late, and by no time any more"
    )


def test_a_digest_says_first_what_waits_and_until_when(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    reader = one(house, "turn").seat
    wish(house, reader, "digest")
    other = open_table(house.settings, 2, game="mastery")
    house.tick()
    with transaction(house.settings) as session:
        letters = session.exec(select(Letter).where(Letter.account_id == house.seat(reader).account_id)).all()
        parts = digest._parts(session, session.get_one(Account, house.seat(reader).account_id), letters)
        assert {part["match"]["id"] for part in parts} == {house.players.match_id, other.match_id}
        made = letters_of.digest(session, session.get_one(Account, house.seat(reader).account_id), parts, datetime.now(UTC))
    asking = [part for part in parts if part["form"] is not None]
    dues = [part["deadline"].at for part in asking]
    assert asking == parts[: len(asking)] and dues == sorted(dues) and asking
    with_number = f"{len(asking)} game{'s' if len(asking) > 1 else ''} wait{'' if len(asking) > 1 else 's'} for you"
    assert made.subject.startswith(f"Writ: {with_number} (by ")
    begins = made.text.partition("====")[0]
    assert with_number in begins and begins.count("\n  - ") == len(asking) and with_number in made.html
    assert made.html.count("A link only opens the page") == 1, "once, though several games ask"


def test_a_digest_of_many_games_has_lines_for_the_last_and_the_way_out_on_top(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letters_of, "IN_FULL", 1)
    house.answer_all(rng)
    reader = one(house, "turn").seat
    wish(house, reader, "digest")
    other = open_table(house.settings, 2, game="mastery")
    house.tick()
    with transaction(house.settings) as session:
        account = session.get_one(Account, house.seat(reader).account_id)
        gathered = session.exec(select(Letter).where(Letter.account_id == account.id)).all()
        parts = digest._parts(session, account, gathered)
        few, many = (letters_of.digest(session, account, games, datetime.now(UTC)) for games in (parts[:1], parts))
    last = parts[1]
    assert {part["match"]["id"] for part in parts} == {house.players.match_id, other.match_id}
    for said, board in ((many.text, "===="), (many.html, "<h2")):
        top, below = said.partition(board)[0], said.partition("Your other games")[2]
        assert "/account/letters" in top and "/leave/" in top
        assert last["match"]["name"] in below and last["link"] in below
    assert few.html.partition("<h2")[0].count("/leave/") == few.text.partition("====")[0].count("/leave/") == 0
    assert many.subject == letters_of._digested(parts, Day(datetime.now(UTC))).__str__()


@pytest.mark.parametrize(
    ("fault", "halts"),
    [(OSError("no room"), False), (ZeroDivisionError("of the rules"), True), (ZeroDivisionError("of a template"), True)],
)
def test_a_game_that_can_not_be_told_keeps_no_other_out_of_the_digest(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch, fault: Exception, halts: bool
) -> None:
    with transaction(house.settings) as session:
        session.exec(update(Account).values(letters="digest"))
    other = open_table(house.settings, 2, game="mastery")
    house.tick()
    house.answer_all(rng)
    real = seat_view.letter_context

    def fails(*_: object) -> str:
        raise fault

    def context(view: seat_view.SeatView, link: str, **more: Any) -> dict[str, Any]:
        made = real(view, link, **more)
        if view.match.id == other.match_id:
            return made | {"form": None, "waits_for": fails} if "template" in str(fault) else {"": fails()}
        return made

    def gathered() -> set[str | None]:
        with open_session(house.settings) as session:
            return set(session.exec(select(Letter.match_id).where(Letter.status == LetterStatus.GATHERED)))

    assert gathered() == {house.players.match_id, other.match_id}
    with monkeypatch.context() as patch:
        patch.setattr(seat_view, "letter_context", context)
        house.go_to(START + 22 * HOUR)
        house.tick()
        assert gathered() == {other.match_id}, "it is told later"
    with open_session(house.settings) as session:
        made = session.exec(select(Letter).where(Letter.kind == "digest")).all()
        assert made and all(letter.text.count("====") == 2 for letter in made)
        assert (other.match(session).halted_at is not None) is halts and house.players.match(session).halted_at is None
    house.tick()
    assert gathered() == ({other.match_id} if halts else set()), "a halted game is told once it goes on"
    with transaction(house.settings) as session:
        session.exec(update(Match).values(halted_at=None))
    house.tick()
    assert gathered() == set()


def test_a_text_part_is_laid_out_as_mail_is_read() -> None:
    long = "a word " * 20
    link = "See http://writ.test/" + 80 * "x"
    answer = "by reply: " + "march " + "target=A2 " * 12
    said = laid_out(f"{long}\n\n\n  - {long}\n{answer}\n{link}\n\n \n-- \nWrit")
    lines = said.split("\n")
    assert [line for line in lines if len(line) > 78] == [answer.rstrip(), link]
    assert "\n\n\n" not in said and "\n-- \n" in said, "mail programs know the small print by its line"
    assert lines[lines.index(next(x for x in lines if x.startswith("  - "))) + 1].startswith("    ")


def test_who_is_asked_to_vote_or_whether_he_is_there_reads_by_when_in_the_head(house: House) -> None:
    with transaction(house.settings) as session:
        votes.propose_pause(session, house.players.match(session), "a", "3")
    house.tick()
    vote = one(house, "vote")
    assert "answer by" in vote.html.partition('class="body"')[0] and " (by " in vote.subject


def test_a_copy_of_a_question_whose_deadline_has_passed_says_so(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = one(house, "turn")
    house.go_to(START + 24 * HOUR + timedelta(minutes=30))
    with transaction(house.settings) as session:
        seat = session.get_one(SeatRow, (house.players.match_id, letter.seat))
        owed = copies.resend(session, house.players.match(session), seat)
    (copy,) = as_sent(house.settings, [owed])
    assert "By Wed 25 Nov 2026, 09:00 UTC." in letter.text
    assert "It was due by Wed 25 Nov 2026, 09:00 UTC." in copy.text and "It was due by" in copy.html


def test_a_conversation_with_somebody_who_has_left_says_so(house: House) -> None:
    say(house, "a", "b", "Peace?")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        handover.part_threads(session, match, "b")
        (listed,) = [x for x in talk.threads(session, match, "a") if x.thread.members]
        with pytest.raises(NotLegal, match="Somebody in this conversation has left the game"):
            talk.say(session, match, "a", listed.thread.members, "Still there?", "key-of-anna-2")


def test_an_answer_in_advance_is_kept_in_words(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    waiting = next(s for s in "abc" if s != house.asks()[0].seat)
    with transaction(house.settings) as session:
        match, row = house.players.match(session), session.get_one(SeatRow, (house.players.match_id, waiting))
        (ask,) = advance.coming(session, match, waiting)
        tower = next(o for o in ask.options if o.id == "tower")
        field = tower.fields[0]
        assert isinstance(field, PickSome)
        card = field.choices[0].id
        advance.give(session, match, row, "turn", Answer("tower", {"cards": [card]}))
        shown = advance.in_words(game_called(match.game), names_of(session, match.id), row.advance[0])
    assert shown["title"] == "Your turn. What do you do?" and shown["words"].startswith("Place Towers: ")
    assert "=" not in shown["words"] and "/" not in shown["words"]


def test_a_letter_about_a_lost_seat_has_no_link_into_it(house: House) -> None:
    house.command("operator", "seek seat=b")
    (replaced,) = house.letters("replaced", "b")
    assert replaced.html.count("/games/open") == 1, "the link alone, and no bare address"
    assert "/leave/" not in replaced.text + replaced.html and "List-Unsubscribe" not in replaced.headers


# --- in the reader's own time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "start", "said_at", "due"),
    [
        # A day of 24 hours over the night in which the clocks go back, or forward: the hour on the wall moves.
        ("Europe/Vienna", datetime(2026, 10, 24, 10, tzinfo=UTC), "Sat 24 Oct 2026, 12:00 CEST", "Sun 25 Oct 2026, 11:00 CET"),
        ("Europe/Vienna", datetime(2027, 3, 27, 10, tzinfo=UTC), "Sat 27 Mar 2027, 11:00 CET", "Sun 28 Mar 2027, 12:00 CEST"),
        ("America/New_York", datetime(2027, 3, 13, 17, tzinfo=UTC), "Sat 13 Mar 2027, 12:00 EST", "Sun 14 Mar 2027, 13:00 EDT"),
        # The same nights where no clock changes, and in a zone whose name is but a number.
        ("Asia/Kolkata", datetime(2026, 10, 24, 10, tzinfo=UTC), "Sat 24 Oct 2026, 15:30 IST", "Sun 25 Oct 2026, 15:30 IST"),
        (
            "America/Sao_Paulo",
            datetime(2026, 10, 24, 12, tzinfo=UTC),
            "Sat 24 Oct 2026, 09:00 America/Sao_Paulo",
            "Sun 25 Oct 2026, 09:00 America/Sao_Paulo",
        ),
    ],
)
def test_talk_and_deadlines_are_told_in_the_readers_time_over_a_change_of_the_clocks(
    house: House, rng: random.Random, zone: str, start: datetime, said_at: str, due: str
) -> None:
    house.clock.move_to(start)
    with transaction(house.settings) as session:
        for account in session.exec(select(Account)):
            account.zone = zone
            session.add(account)
    say(house, "a", "", "Good harvest!")
    assert f"Anna, {said_at}" in house.letters("talk", "b")[0].text
    assert said_at in house.letters("talk", "b")[0].html
    house.answer_all(rng)
    letter = one(house, "turn")
    (ask,) = house.asks()
    assert ask.due_at == start + 24 * HOUR
    moment = f"{due} ({ask.due_at:%H:%M} UTC)"
    words = f"By {moment}."
    assert letter.text.count(moment) == 1 and words in letter.text, "once, below the question"
    head = letter.html.partition("answer by")[2].partition("</table>")[0]
    when, _, whose = re.sub(" 202[67]", "", due).rpartition(" ")
    assert when in head and f"{whose}, your time" in head and moment not in letter.html
    house.go_to(ask.due_at - HOUR)
    reminder = house.letters("reminder", letter.seat)[-1]
    assert words in reminder.text and "due in 1 h" in reminder.text


def test_quiet_hours_end_by_the_readers_own_clock_on_the_night_of_the_change(house: House, rng: random.Random) -> None:
    """A deadline that would fall in the night is put off to eight in the morning, of the new time."""
    house.clock.move_to(datetime(2026, 10, 24, 1, tzinfo=UTC))
    with transaction(house.settings) as session:
        for account in session.exec(select(Account)):
            account.zone, account.quiet_from, account.quiet_to = "Europe/Vienna", "22:00", "08:00"
            session.add(account)
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.due_at == datetime(2026, 10, 25, 7, tzinfo=UTC)
    assert "By Sun 25 Oct 2026, 08:00 CET (07:00 UTC)." in one(house, "turn").text


def test_a_letter_with_the_largest_board_weighs_less_than_25_kb(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    table = open_table(settings, 6, game="mastery")
    table.adjudicate()
    for _ in range(12):
        for seat in table.asked():
            table.submit(seat, rng)
        table.adjudicate()
    heaviest = max((len(letter.html.encode()) for letter in table.letters("turn")), default=0)
    assert 15_000 < heaviest < 25_000
