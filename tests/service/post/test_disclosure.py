"""Private links never reach others, through any field: the text is refused or cut, and what was valid is revoked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import quote

import pytest
import time_machine
from sqlmodel import Session, col, select

from engine.core.asks import Refused
from service.clock import calendar
from service.errors import BadLink, Disclosing, LinkRevoked, NotFound
from service.games import decks, lobby
from service.inbox import receiving as inbox
from service.people import accounts
from service.post import disclosure, links
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, Link, Match, Message, SeatRow
from service.table import host, talk, votes
from tests.house import House, Sent, invite
from tests.service.conftest import on_sqlite


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    changed = {"inbox": "writ@writ.test", "hold_seconds": 0, "base_url": "https://writ.test"}
    return House(settings.model_copy(update=changed), sent, clock)


def row(session: Session, house: House, seat: str = "b") -> SeatRow:
    found = session.get(SeatRow, (house.players.match_id, seat))
    assert found is not None
    return found


def owner(session: Session, house: House, seat: str = "b") -> Account:
    return session.get_one(Account, row(session, house, seat).account_id)


def seat_link(house: House) -> str:
    with transaction(house.settings) as session:
        return links.url(house.settings, links.turn_link(session, house.players.match(session), row(session, house)))


def sign_in_link(house: House) -> str:
    with transaction(house.settings) as session:
        return links.url(house.settings, links.sign_in_link(session, owner(session, house)))


def leave_link(house: House) -> str:
    with open_session(house.settings) as session:
        seat = row(session, house)
        return links.leave_url(house.settings, seat.match_id, seat.seat, seat.key_generation)


def reply_address(house: House) -> str:
    return links.mail_address(house.settings, "r", house.letters("started", "b")[0].id)


def calendar_key(house: House) -> str:
    with transaction(house.settings) as session:
        account = owner(session, house)
        calendar.renew(session, account)
        return account.calendar_key


def still_good(house: House, secret: str) -> bool:
    with open_session(house.settings) as session:
        token = secret.rpartition("/")[2]
        try:
            if "@" in secret:
                named = links.letter_of(house.settings, secret)
                assert named is not None
                letter = session.get_one(Letter, named[1])
                return letter.headers["X-Writ-Seat"] == f"b.{row(session, house).key_generation}"
            if "/leave/" in secret:
                return bool(links.leaving(house.settings, session, token))
            if "/" in secret:
                return bool(links.verify(house.settings, session, token, links.TURN if "/t/" in secret else links.SIGN_IN))
            return bool(calendar.feed(session, secret))
        except (BadLink, NotFound):
            return False


SECRETS: dict[str, tuple[Callable[[House], str], str]] = {
    "seat": (seat_link, "fresh_link"),
    "sign-in": (sign_in_link, "sign_in"),
    "leave": (leave_link, "fresh_link"),
    "reply": (reply_address, "fresh_link"),
    "calendar": (calendar_key, "sign_in"),
}


WHY = "others were about to read"


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def letters_to(house: House, kind: str) -> list[Letter]:
    with open_session(house.settings) as session:
        account = owner(session, house)
        return list(session.exec(select(Letter).where(Letter.kind == kind, Letter.account_id == account.id)))


@pytest.mark.parametrize(("make", "kind"), SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize("by", ["a", "b"])
def test_a_secret_on_a_page_is_refused_revoked_and_its_owner_told(
    house: House, make: Callable[[House], str], kind: str, by: str
) -> None:
    secret = make(house)
    assert still_good(house, secret)
    text = f"Look at this: {quote(secret, safe='') if kind == 'fresh_link' else secret}"
    with pytest.raises(Disclosing, match="private link or address"), disclosure.writing(house.settings) as session:
        talk.say(session, house.players.match(session), by, "", text, "a-key-of-a-form")
    assert not still_good(house, secret)
    (letter,) = letters_to(house, kind)
    assert WHY in unwrapped(letter.text) and WHY in letter.html
    with open_session(house.settings) as session:
        assert not session.exec(select(Message)).all()
        fresh = next(line for line in letter.text.splitlines() if "/t/" in line or "/in/" in line)
        assert links.verify(house.settings, session, fresh.rpartition("/")[2], links.TURN if "/t/" in fresh else links.SIGN_IN)
    if make is not calendar_key:  # a key that is no calendar's any more is a word like any other
        with pytest.raises(Disclosing), disclosure.writing(house.settings) as session:
            talk.say(session, house.players.match(session), by, "", text, "another-key")
    assert len(letters_to(house, kind)) == 1, "what is void is revoked once"


def say(session: Session, match: Match, secret: str) -> object:
    return talk.say(session, match, "a", "", f"x {secret}", "key-of-talk")


def whisper(session: Session, match: Match, secret: str) -> object:
    return talk.say(session, match, "a", "b", f"x {secret}", "key-of-whisper")


def report(session: Session, match: Match, secret: str) -> None:
    said = talk.say(session, match, "b", "", "Hello.", "key-of-hello")
    talk.report(session, match, "a", said.id, f"x {secret}")


def propose_end(session: Session, match: Match, secret: str) -> object:
    return votes.propose_end(session, match, "a", f"x {secret}")


def end(session: Session, match: Match, secret: str) -> None:
    host.end(session, match, f"x {secret}")


def rename(session: Session, match: Match, secret: str) -> None:
    accounts.rename(session, session.get_one(Account, match.host_id), secret)


def open_game(session: Session, match: Match, secret: str) -> object:
    return lobby.open_match(session, session.get_one(Account, match.host_id), secret, "ortus", 2)


def save_deck(session: Session, match: Match, secret: str) -> object:
    build = decks.build_of("ortus")
    return decks.save(session, session.get_one(Account, match.host_id), secret, build.ready[0].cards, "ortus")


@on_sqlite
@pytest.mark.parametrize("field", [say, whisper, report, propose_end, end, rename, open_game, save_deck])
def test_every_field_that_others_read_has_the_gate(house: House, field: Callable[[Session, Match, str], object]) -> None:
    for secret in (seat_link(house), calendar_key(house)):
        with pytest.raises(Refused) as refused, disclosure.writing(house.settings) as session:
            field(session, house.players.match(session), secret)
        assert isinstance(refused.value, Disclosing) and not still_good(house, secret)


@on_sqlite
def test_links_that_are_meant_for_others_pass(house: House) -> None:
    text = f"https://writ.test/s/{'aB3d' * 6} or https://writ.test/watch/{'aB3d' * 8}"
    with disclosure.writing(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", text, "key-of-public-links")


@on_sqlite
def test_a_link_that_only_a_gateway_can_read_is_refused_by_the_host_that_it_names(house: House) -> None:
    text = "https://protect-eu.mimecast.com/s/AbCdEfGhIjKl?domain=writ.test"
    with pytest.raises(Disclosing), disclosure.writing(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", text, "key-of-a-gateway")


@on_sqlite
def test_an_invitation_in_talk_is_revoked_and_written_again(house: House) -> None:
    with transaction(house.settings) as session:
        host_ = session.get_one(Account, house.players.match(session).host_id)
        match = lobby.open_match(session, host_, "Another game", "ortus", 2)
        invite(session, match, host_, "cleo@example.org")
        link = session.exec(select(Link).where(Link.purpose == links.INVITE).order_by(col(Link.id).desc())).first()
        assert link is not None
        url = links.url(house.settings, link)
    with pytest.raises(Disclosing), disclosure.writing(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", url, "key-of-invitation")
    with open_session(house.settings) as session:
        with pytest.raises(LinkRevoked):
            links.verify(house.settings, session, url.rpartition("/")[2], links.INVITE)
        sent = session.exec(select(Letter).where(Letter.kind == "invitation", Letter.to_address == "cleo@example.org")).all()
        assert len(sent) == 2


# --- by mail ----------------------------------------------------------------------------------------------------------


def talk_letter(house: House) -> Letter:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", "Well met, neighbours.", "key-of-anna")
    house.tick()
    (letter,) = house.letters("talk", "b")
    house.clock.shift(timedelta(minutes=5))
    return letter


def reply(house: House, letter: Letter, text: str, kind: str = "text/plain") -> str:
    head = f"Message-ID: <x@y>\nSubject: Re: x\nContent-Type: {kind}; charset=utf-8\n\n"
    return inbox.receive(house.settings, (head + text).encode(), (letter.headers["Reply-To"],), letter.to_address)


def messages(house: House) -> list[str]:
    with open_session(house.settings) as session:
        return [m.text for m in session.exec(select(Message).where(Message.seat == "b"))]


HEADS = {
    "Swedish": "Från: Writ\nSkickat: 2026-11-26 10:00\nTill: Bert <bert@example.org>\nÄmne: Harvest war: talk",
    "unknown words": "Zxcv: Writ\nQwer: 2026-11-26\nAsdf: Bert <bert@example.org>",
    "nothing at all": "",
    "an unknown attribution": "Writ rekte sekvante",
}


@on_sqlite
@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS.keys())
@pytest.mark.parametrize("forgotten", [False, True])
def test_a_letter_that_is_quoted_without_marks_is_never_published(house: House, head: str, forgotten: bool) -> None:
    letter = talk_letter(house)
    if forgotten:  # its words were emptied meanwhile
        with transaction(house.settings) as session:
            kept = session.get_one(Letter, letter.id)
            kept.text = kept.html = ""
            session.add(kept)
    assert reply(house, letter, f"Agreed!\n\n{head}\n\n{letter.text}") == "said"
    (said,) = messages(house)
    assert said.startswith("Agreed!")
    assert not any(secret in said for secret in ("/t/", "/leave/", "writ+", "@example.org"))
    if not forgotten and head != HEADS["an unknown attribution"]:
        assert said == "Agreed!"
    house.tick()
    for other in house.letters("talk", "a"):
        assert "bert@example.org" not in other.text and said in other.text


@on_sqlite
def test_a_link_in_a_reply_is_cut_with_all_below_it_and_revoked(house: House) -> None:
    letter, secret = talk_letter(house), seat_link(house)
    assert reply(house, letter, f"Agreed!\nMy page is\n{secret[:50]}\n{secret[50:]} see?\nUntil spring.") == "said"
    assert messages(house) == ["Agreed!\nMy page is"] and not still_good(house, secret)
    (told,) = house.letters("fresh_link", "b")
    assert WHY in unwrapped(told.text)


@on_sqlite
def test_a_reply_that_is_nothing_but_a_link_is_refused(house: House) -> None:
    letter, secret = talk_letter(house), seat_link(house)
    assert reply(house, letter, f"<p><a href='{secret}'>{secret}</a></p>", "text/html") == "refused"
    assert not messages(house) and not still_good(house, secret)
