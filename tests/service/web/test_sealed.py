"""Pages of a service that has lost a secret key: a sentence for whoever plays, and never a traceback."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlmodel import select

from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Match, SeatRow
from service.web import create_app
from tests.service.conftest import open_table
from tests.service.web.conftest import Visitor


@pytest.fixture
def keyless(settings: Settings) -> Flask:
    """The app with another key, after a game was played with the first."""
    players = open_table(settings)
    players.adjudicate()
    with transaction(settings) as session:
        for seat in session.exec(select(SeatRow)).all():
            seat.notes = "Beware."
            session.add(seat)
    return create_app(settings.model_copy(update={"secret_keys": ("another-key",)}))


def test_a_game_that_cannot_be_opened_says_so_and_the_rest_goes_on(keyless: Flask) -> None:
    settings = keyless.extensions["writ.settings"]
    anna = Visitor(keyless.test_client(), settings, "anna@example.org").sign_in("Anna")
    with open_session(settings) as session:
        (match,) = session.exec(select(Match)).all()
    assert "Harvest war" in anna.page("/games")
    for path in ("table", "notes", "orders"):
        found = anna.get(f"/g/{match.id}/{path}")
        assert found.status_code == 503, path
        assert "Nothing is lost" in found.text and "Traceback" not in found.text and "Beware" not in found.text
    exported = anna.get("/account/export").json
    assert exported is not None and exported["seats"][0]["notes"] is None
    anna.page("/account/letters")
