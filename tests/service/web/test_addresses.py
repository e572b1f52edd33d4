"""Changing one's e-mail address by letters, undoing it, merging two accounts, and invitations that reached another address."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from sqlmodel import col, select

from service.people import accounts, address_changes
from service.settings import Settings
from service.store import limits
from service.store.database import open_session, transaction
from service.store.models import Account, AddressChange, Letter, Link, Match, MatchStatus, SeatRow, now
from tests.service.web.conftest import Visitor, begun, signed_in

New = Callable[[str], Visitor]
NEW = "anna@new.example"


def link_in(settings: Settings, kind: str, to: str) -> str:
    with open_session(settings) as session:
        mine = select(Letter).where(Letter.kind == kind, Letter.to_address == to)
        letter = session.exec(mine.order_by(col(Letter.created_at).desc(), col(Letter.id).desc())).first()
    assert letter is not None, f"no {kind} to {to}"
    found = re.search(r"/account/address/[A-Za-z0-9._~-]+", letter.text)
    assert found is not None, letter.text
    return found[0]


def account(settings: Settings, email: str) -> Account | None:
    with open_session(settings) as session:
        return accounts.owner_of(session, email)


def ask(anna: Visitor, email: str = NEW) -> tuple[str, str]:
    """The links that went to the old and to the new address."""
    assert "on their way to both addresses" in anna.post("/account/address", {"email": email}).text
    return link_in(anna.settings, "address_old", anna.email), link_in(anna.settings, "address_new", email)


def change(anna: Visitor, visitor: New, email: str = NEW) -> None:
    for link in ask(anna, email):
        assert visitor("").post(link, {"choice": "confirm"}).status_code == 200


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_both_addresses_confirm_and_neither_alone(
    anna: Visitor, visitor: New, settings: Settings, order: tuple[int, int]
) -> None:
    before = account(settings, anna.email)
    found, other = ask(anna), visitor("")
    for link in found:
        assert other.get(link).status_code == 200
    first, second = found[order[0]], found[order[1]]
    assert "once the other address has agreed" in other.post(first, {"choice": "confirm"}).text
    assert "once the other address has agreed" in other.post(first, {"choice": "confirm"}).text, "twice is once"
    assert account(settings, NEW) is None
    assert "Sign in with it" in other.post(second, {"choice": "confirm"}).text
    after = account(settings, NEW)
    assert before is not None and after is not None and after.id == before.id and account(settings, anna.email) is None


def test_a_change_signs_out_everywhere_and_kills_what_was_sent_to_the_old_address(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    game = begun(anna, bert)
    turn = anna.link("started", "t")
    anna.post("/sign-in", {"email": anna.email})
    door = anna.link("sign_in", "in")
    change(anna, visitor)
    assert anna.get("/account").status_code == 303, "this browser is signed out"
    assert visitor("").get(door).status_code == 410 and visitor("").get(turn).status_code == 410
    fresh = signed_in(visitor(NEW), "Anna")
    assert "Harvest war" in fresh.page("/games") and fresh.page(game)


def test_the_old_address_refuses_and_nothing_changes(anna: Visitor, visitor: New, settings: Settings) -> None:
    old, new = ask(anna)
    assert "nothing has changed" in visitor("").post(old, {"choice": "refuse"}).text
    assert visitor("").post(new, {"choice": "confirm"}).status_code == 410
    assert account(settings, NEW) is None and "waits" not in anna.page("/account")


def test_the_old_address_undoes_a_change_for_some_days(anna: Visitor, visitor: New, settings: Settings) -> None:
    change(anna, visitor)
    undo = link_in(settings, "address_undo", anna.email)
    thief = signed_in(visitor(NEW), "Anna")
    assert visitor("").get(undo).status_code == 200 and account(settings, NEW) is not None, "looking changes nothing"
    assert visitor("").post(undo, {"choice": "undo"}).status_code == 200
    assert account(settings, NEW) is None and account(settings, anna.email) is not None
    assert thief.get("/account").status_code == 303, "signed out"
    assert visitor("").post(undo, {"choice": "undo"}).status_code == 410, "once"


def test_an_undo_counts_after_a_second_change(anna: Visitor, visitor: New, settings: Settings) -> None:
    change(anna, visitor)
    undo = link_in(settings, "address_undo", anna.email)
    thief = signed_in(visitor(NEW), "Anna")
    change(thief, visitor, "further@away.example")
    later = link_in(settings, "address_undo", NEW)
    assert visitor("").post(undo, {"choice": "undo"}).status_code == 200
    assert account(settings, anna.email) is not None and account(settings, "further@away.example") is None
    assert visitor("").post(later, {"choice": "undo"}).status_code == 410, "the thief's own undo is dead"


def test_an_undo_counts_for_some_days(anna: Visitor, visitor: New, settings: Settings) -> None:
    change(anna, visitor)
    undo = link_in(settings, "address_undo", anna.email)
    with time_machine.travel(now() + address_changes.UNDO_FOR + timedelta(minutes=1), tick=False):
        assert visitor("").get(undo).status_code == visitor("").post(undo, {"choice": "undo"}).status_code == 410
    with time_machine.travel(now() + address_changes.UNDO_FOR - timedelta(minutes=1), tick=False):
        assert visitor("").get(undo).status_code == 200


def test_a_change_that_is_asked_for_anew_or_late_is_dead(anna: Visitor, visitor: New, settings: Settings) -> None:
    old, new = ask(anna, "first@new.example")
    visitor("").post(old, {"choice": "confirm"})
    second = ask(anna, "second@new.example")
    assert visitor("").post(new, {"choice": "confirm"}).status_code == 410
    with time_machine.travel(now() + address_changes.OPEN_FOR + timedelta(minutes=1), tick=False):
        assert {visitor("").post(link, {"choice": "confirm"}).status_code for link in second} == {410}
    assert account(settings, anna.email) is not None
    assert "withdrawn" in anna.post("/account/address", {"choice": "withdraw"}).text


def test_answers_look_alike_whoever_has_the_new_address(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    pages = [anna.post("/account/address", {"email": email}).text for email in ("nobody@new.example", bert.email)]
    first, second = (
        " ".join(re.sub(r'nobody@new.example|bert@example.org|value="[^"]*"|nonce-\S+', "", page).split()) for page in pages
    )
    assert first == second


@pytest.mark.parametrize(
    ("email", "why"),
    [
        ("anna@example.org", "your address already"),
        ("nonsense", "isn’t an e-mail address"),
        ("", "There is no e-mail address yet"),
    ],
)
def test_what_can_not_be_a_new_address_is_refused(anna: Visitor, email: str, why: str) -> None:
    found = anna.post("/account/address", {"email": email})
    assert found.status_code == 422 and why in found.text


def test_changes_are_limited_by_account_and_address(anna: Visitor, bert: Visitor) -> None:
    for _ in range(limits.CHANGES_TO[0][0]):
        assert anna.post("/account/address", {"email": NEW}).status_code == 200
    assert bert.post("/account/address", {"email": NEW}).status_code == 422
    assert anna.post("/account/address", {"email": "other@new.example"}).status_code == 200
    assert anna.post("/account/address", {"email": "third@new.example"}).status_code == 422


def test_a_forged_or_foreign_link_does_nothing(anna: Visitor, visitor: New, settings: Settings) -> None:
    old, new = ask(anna)
    for link in (old[:-1] + ("A" if old[-1] != "A" else "B"), old.replace("/account/address/", "/in/"), "/account/address/x"):
        assert visitor("").post(link, {"choice": "confirm"}).status_code >= 400
    assert visitor("").post(new, {"choice": "undo"}).status_code == 400
    with open_session(settings) as session:
        (row,) = session.exec(select(AddressChange)).all()
        assert row.old_confirmed_at is None and row.new_confirmed_at is None


# --- merging --------------------------------------------------------------------------------------------------------------


def test_two_accounts_of_one_person_become_one(anna: Visitor, bert: Visitor, visitor: New, settings: Settings) -> None:
    second = signed_in(visitor("anna@second.example"), "Annie")
    game = begun(second, bert)
    before, gone = account(settings, anna.email), account(settings, second.email)
    change(anna, visitor, second.email)
    after = account(settings, second.email)
    assert before is not None and after is not None and gone is not None and (after.id, after.name) == (before.id, "Anna")
    fresh = signed_in(visitor(second.email), "Anna")
    assert "Harvest war" in fresh.page("/games") and fresh.page(game)
    with open_session(settings) as session:
        assert session.get(Account, gone.id) is None and account(settings, anna.email) is None
        assert {m.host_id for m in session.exec(select(Match))} == {before.id}
        undo = session.exec(select(Letter).where(Letter.kind == "address_undo")).one()
        assert "can't be undone" in undo.text and "/account/address/" not in undo.text, "nobody gets a second person's games"


def test_nobody_comes_to_sit_twice_in_a_game_by_merging(anna: Visitor, bert: Visitor, visitor: New, settings: Settings) -> None:
    begun(anna, bert)
    old, new = ask(anna, bert.email)
    visitor("").post(old, {"choice": "confirm"})
    refused = visitor("").post(new, {"choice": "confirm"})
    assert refused.status_code == 422 and "Both addresses have a seat at “Harvest war”" in refused.text
    first, second = account(settings, anna.email), account(settings, bert.email)
    assert first is not None and second is not None and first.id != second.id
    # Once the game is over one seat is theirs, and the other nobody's.
    with transaction(settings) as session:
        for match in session.exec(select(Match)):
            match.status = MatchStatus.FINISHED
            match.finished_at = now()
            session.add(match)
    assert visitor("").post(new, {"choice": "confirm"}).status_code == 200
    with open_session(settings) as session:
        assert sorted(str(seat.account_id) for seat in session.exec(select(SeatRow))) == sorted(["None", first.id])


def test_invitations_to_the_old_address_come_anew_to_the_new_one(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    lobby = str(
        bert.post("/games/new", {"name": "Fen", "game": "ortus", "seats": "2", "access": "invited"}, follow=False).location
    )
    bert.post(lobby + "/invite", {"email": anna.email})
    dead = anna.link("invitation", "i")
    change(anna, visitor)
    assert visitor("").get(dead).status_code == 410, "it would sign in whoever reads the old address"
    fresh = visitor(NEW)
    assert fresh.post(fresh.link("invitation", "i"), {"choice": "accept"}).status_code == 200
    assert "Fen" in fresh.page("/games")


# --- an invitation to a second address --------------------------------------------------------------------------------------


def test_an_invitation_to_a_second_address_is_accepted_as_the_account_that_one_has(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    lobby = str(
        bert.post("/games/new", {"name": "Fen", "game": "ortus", "seats": "2", "access": "invited"}, follow=False).location
    )
    bert.post(lobby + "/invite", {"email": "anna@second.example"})
    link = visitor("anna@second.example").link("invitation", "i")
    assert "Take it as Anna" in anna.post(link, {"choice": "open"}).text
    assert visitor("").post(link, {"choice": "mine"}, follow=False).location == "/sign-in"
    for _ in range(2):
        assert anna.post(link, {"choice": "mine"}).status_code == 200
    me = account(settings, anna.email)
    with open_session(settings) as session:
        assert me is not None and accounts.owner_of(session, "anna@second.example") is None
        assert me.id in [seat.account_id for seat in session.exec(select(SeatRow))]
        assert session.exec(select(Link).where(Link.purpose == "invite")).one().used_at is not None
    assert visitor("").get(link).status_code in (200, 409, 410) and "Anna" in anna.page("/account")
    assert bert.post(link, {"choice": "mine"}).status_code >= 400, "it is taken"


def test_nobody_takes_a_second_seat_by_an_invitation_to_a_second_address(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    lobby = str(
        bert.post("/games/new", {"name": "Fen", "game": "ortus", "seats": "3", "access": "open"}, follow=False).location
    )
    anna.post(lobby + "/join")
    bert.post(lobby + "/invite", {"email": "anna@second.example"})
    link = visitor("anna@second.example").link("invitation", "i")
    assert anna.post(link, {"choice": "mine"}).status_code >= 400
    me = account(settings, anna.email)
    with open_session(settings) as session:
        assert me is not None and [seat.account_id for seat in session.exec(select(SeatRow))].count(me.id) == 1
