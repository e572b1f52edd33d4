"""The pages on which a person takes away what is kept of them, and has it erased."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from sqlmodel import select

from service.ops import own_data
from service.people import accounts
from service.store.database import open_session, transaction
from service.store.models import Account, Match
from service.web import context
from tests.service.web.conftest import Visitor


def test_what_is_kept_comes_as_a_file(anna: Visitor) -> None:
    found = anna.get("/account/export")
    assert found.mimetype == "application/json" and "writ-account.json" in found.headers["Content-Disposition"]
    assert json.loads(found.text)["account"]["email"] == anna.email


def test_strangers_are_sent_to_sign_in(visitor: Callable[..., Visitor]) -> None:
    stranger = visitor()
    for path in ("/account/export", "/account/erase"):
        assert stranger.get(path).headers["Location"] == "/sign-in"
    assert stranger.post("/account/erase", {"email": "anna@example.org"}, follow=False).headers["Location"] == "/sign-in"


def test_an_account_is_erased_once_its_address_was_typed(anna: Visitor) -> None:
    anna.post("/games/new", {"game": "ortus", "name": "The Marches", "seats": "2", "access": "invited"})
    assert "/account/erase" in anna.page("/account")
    page = anna.page("/account/erase")
    assert "the name that you had then" in page and "<li>The Marches</li>" in page
    refused = anna.post("/account/erase", {"email": "bert@example.org"})
    assert refused.status_code == 422 and "Nothing was changed" in refused.text and 'aria-invalid="true"' in refused.text
    done = anna.post("/account/erase", {"email": anna.email})
    assert "Your account is erased" in done.text
    assert anna.get("/account").headers["Location"] == "/sign-in"
    with open_session(anna.settings) as session:
        assert not session.exec(select(Account).where(Account.email == anna.email)).all()
        assert {match.status for match in session.exec(select(Match))} <= {"cancelled"}


def test_who_has_nothing_but_an_account_is_told_that_it_is_erased(anna: Visitor) -> None:
    """Nothing else of the request holds the browser that is erased with the account."""
    done = anna.post("/account/erase", {"email": anna.email}, follow=False)
    assert (done.status_code, done.headers["Location"]) == (303, "/")
    assert "Your account is erased" in anna.page("/")


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/account/erase", {"email": "anna@example.org"}),
        ("/account", {"name": "Ann"}),
        ("/account/calendar", {"choice": "new"}),
    ],
)
def test_a_form_that_an_erasure_overtakes_changes_nothing_and_says_so(
    anna: Visitor, monkeypatch: pytest.MonkeyPatch, path: str, form: dict[str, str]
) -> None:
    """A double click on the button, or a form sent from another window."""
    ended = context._end_read_transaction

    def erased_meanwhile() -> None:
        with transaction(anna.settings) as session:
            account = session.exec(select(Account).where(Account.email == anna.email)).first()
            if account is not None:
                own_data.erase(session, accounts.by_id(session, account.id))
        ended()

    token = {"csrf_token": anna.token()}
    monkeypatch.setattr(context, "_end_read_transaction", erased_meanwhile)
    found = anna.client.post(path, data=form | token, base_url=anna.settings.base_url)
    assert found.status_code == 409 and "Things have changed since you saw that page." in found.text
    assert anna.get("/account").headers["Location"] == "/sign-in"


def test_opening_the_page_or_another_form_erases_nothing(anna: Visitor) -> None:
    anna.page("/account/erase")
    assert anna.client.post("/account/erase", data={"email": anna.email}, base_url=anna.settings.base_url).status_code == 400
    assert anna.get("/account").status_code == 200
