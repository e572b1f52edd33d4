"""A club's pages and letters: who is let in, who opens games, bans at /host, and the name of the house everywhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlmodel import col, select

from service.games import inviting
from service.people import accounts
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Match, SeatRow
from service.web import create_app
from tests.house import invite
from tests.service.web.conftest import Visitor, begun

CLUB: dict[str, Any] = {
    "house_name": "Club <of> the Rose",
    "house_imprint": "https://club.example/imprint?a=1&b=2",
    "house_contact": "host@club.example",
}


def visits(settings: Settings, email: str = "", **more: Any) -> Visitor:
    """A browser at a house with other settings, on the same database."""
    found = settings.model_copy(update=more)
    return Visitor(create_app(found).test_client(), found, email)


def shared_table(anna: Visitor) -> str:
    """The share link of a table that Anna has opened."""
    anna.post("/games/new", {"name": "Harvest war", "game": "ortus", "seats": "3", "access": "invited"})
    with transaction(anna.settings) as session:
        match = session.exec(select(Match)).one()
        inviting.share(session, match, accounts.by_id(session, match.host_id), True)
        return f"/s/{match.share_key}"


@pytest.mark.parametrize(
    "more", [{"registration": "invitation"}, {"registration": "domains", "registration_domains": ("club.example",)}]
)
def test_a_closed_house_says_the_same_to_known_and_unknown_addresses(anna: Visitor, settings: Settings, more: Any) -> None:
    said = []
    for email in ("anna@example.org", "gwen@example.org"):
        visitor = visits(settings, email, **more)
        answer = visitor.post("/sign-in", {"email": email})
        assert answer.status_code == 200
        said.append(re.sub(r'nonce-[^"]+', "", answer.text.replace(email, "ADDRESS")))
    assert said[0] == said[1] and "no letter comes to an address that may not sign in" in said[0]
    assert visits(settings, "gwen@example.org").letters() == [] and len(anna.letters("sign_in")) >= 1
    with open_session(settings) as session:
        assert accounts.owner_of(session, "gwen@example.org") is None
    assert "New here? You need an" in visits(settings, **more).page("/sign-in")


def test_the_page_of_a_share_link_lets_a_newcomer_in(anna: Visitor, settings: Settings) -> None:
    path = shared_table(anna)
    gwen = visits(settings, "gwen@example.org", registration="invitation")
    assert "sign in first" in gwen.page(path)
    gwen.post("/sign-in", {"email": gwen.email})
    assert gwen.letters() == [], "an address alone is no invitation"
    gwen.post(path, {"choice": "join"})
    gwen.sign_in("Gwen")
    gwen.post(path, {"choice": "join", "zone": "UTC"})
    with open_session(settings) as session:
        assert [seat.name for seat in session.exec(select(SeatRow).order_by(SeatRow.seat))][:2] == ["Anna", "Gwen"]


def test_an_invited_address_registers_with_its_seat_unless_the_domains_forbid_it(anna: Visitor, settings: Settings) -> None:
    for address in ("gwen@example.org", "hugh@example.org"):
        anna.post("/games/new", {"name": "Harvest war", "game": "ortus", "seats": "3", "access": "invited"})
        with transaction(settings) as session:
            match = session.exec(select(Match).order_by(col(Match.id).desc())).first()
            assert match is not None
            invite(session, match, accounts.by_id(session, match.host_id), address)
    gwen = visits(settings, "gwen@example.org", registration="invitation")
    assert gwen.post(gwen.link("invitation", "i"), {"choice": "accept", "name": "Gwen", "zone": "UTC"}).status_code == 200
    hugh = visits(settings, "hugh@example.org", registration="domains", registration_domains=("club.example",))
    for name in ("Hugh", ""):
        refused = hugh.post(hugh.link("invitation", "i"), {"choice": "accept", "name": name, "zone": "UTC" if name else ""})
        assert refused.status_code == 422 and "only addresses of club.example" in refused.text
    with open_session(settings) as session:
        assert accounts.owner_of(session, "gwen@example.org") and not accounts.owner_of(session, "hugh@example.org")


def test_who_may_not_open_games_sees_no_button_and_is_refused(anna: Visitor, settings: Settings) -> None:
    closed = settings.model_copy(update={"openers": ("ole@example.org",)})
    guest = Visitor(create_app(closed).test_client(), closed, anna.email).sign_in()
    for path in ("/games", "/games/open", "/"):
        assert "/games/new" not in guest.page(path)
    assert guest.get("/games/new").status_code == 403 and "only some people open games" in guest.get("/games/new").text
    form = {"name": "Harvest war", "game": "ortus", "seats": "3", "access": "open"}
    assert "only some people open games" in guest.post("/games/new", form).text
    ole = Visitor(create_app(closed).test_client(), closed, "ole@example.org").sign_in("Ole")
    assert "/games/new" in ole.page("/games") and ole.post("/games/new", form).status_code == 200
    with open_session(settings) as session:
        assert len(session.exec(select(Match)).all()) == 1


def test_an_operator_bans_and_unbans_and_links_of_the_banned_open_one_sentence(
    anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    game = begun(anna, bert)
    known = {"operators": ("ole@example.org",), **CLUB}
    turn = bert.link("turn", "t") if bert.letters("turn") else bert.link("started", "t")
    bert.post("/sign-in", {"email": bert.email})
    sign_in = bert.link("sign_in", "in")
    ole = visits(settings, "ole@example.org", **known).sign_in("Ole")
    refused = ole.post("/host/ban", {"email": bert.email, "why": "", "choice": "ban"})
    assert refused.status_code == 422 and "needs a reason" in refused.text and f'value="{bert.email}"' in refused.text
    assert "has an account here" in ole.post("/host/ban", {"email": "gwen@example.org", "why": "x", "choice": "ban"}).text
    assert anna.post("/host/ban", {"email": bert.email, "why": "x", "choice": "ban"}).status_code == 403
    page = ole.post("/host/ban", {"email": bert.email, "why": "Threats & worse.", "choice": "ban"}).text
    assert "The account is banned." in page and "Threats &amp; worse." in page and "End the ban" in page

    assert "/sign-in" in str(bert.get(f"{game}/table").location), "signed out"
    guest = visits(settings, bert.email, **known)
    for path in (turn, sign_in):
        answer = guest.get(path)
        assert answer.status_code == 403 and "This account can’t be used here at the moment." in answer.text
        assert 'href="mailto:host@club.example"' in answer.text and "Threats" not in answer.text
    history = anna.page(f"{game}/history")
    assert "Bert can’t play at the moment. A steward plays for now." in history and "Threats" not in history
    assert len(guest.letters("banned")) == 1 and "Threats & worse." in " ".join(guest.letters("banned")[0].text.split())

    assert "The ban is over." in ole.post("/host/ban", {"email": bert.email, "choice": "unban"}).text
    assert "isn’t banned" in ole.post("/host/ban", {"email": bert.email, "choice": "unban"}).text
    guest.sign_in()
    guest.page(f"{game}")


def test_name_imprint_and_contact_stand_on_every_page_and_in_every_letter(settings: Settings) -> None:
    gwen = visits(settings, "gwen@example.org", **CLUB)
    for path, status in (("/", 200), ("/sign-in", 200), ("/help", 200), ("/nothing-here", 404)):
        page = gwen.get(path)
        assert page.status_code == status
        assert page.text.count("Club &lt;of&gt; the Rose") >= 2 and "<of>" not in page.text
        assert 'href="https://club.example/imprint?a=1&amp;b=2"' in page.text and 'href="mailto:host@club.example"' in page.text
    gwen.post("/sign-in", {"email": gwen.email})
    (letter,) = gwen.letters("sign_in")
    assert "Club <of> the Rose" in letter.text and "Imprint: https://club.example/imprint?a=1&b=2" in letter.text
    assert "Contact: host@club.example" in letter.text and "Club &lt;of&gt; the Rose" in letter.html
    assert "<of>" not in letter.html and 'href="mailto:host@club.example"' in letter.html


def test_an_imprint_of_words_is_text_and_a_house_without_a_name_has_none(settings: Settings) -> None:
    gwen = visits(settings, "gwen@example.org", house_imprint="Club <Rose>, Vienna")
    assert (
        "Club &lt;Rose&gt;, Vienna" in gwen.page("/")
        and ">Contact<" not in gwen.page("/")
        and 'class="house"' not in gwen.page("/")
    )
    gwen.post("/sign-in", {"email": gwen.email})
    (letter,) = gwen.letters("sign_in")
    assert "Imprint: Club <Rose>, Vienna" in letter.text and "Club &lt;Rose&gt;, Vienna" in letter.html
    assert "Contact" not in letter.text + letter.html
    plain = visits(settings, "hugh@example.org")
    plain.post("/sign-in", {"email": plain.email})
    assert "Imprint" not in plain.letters()[0].text + plain.letters()[0].html + plain.page("/")
