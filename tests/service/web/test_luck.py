"""The result page says who was lucky in battle, to whoever asks."""

from __future__ import annotations

from sqlmodel import select

from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account
from tests.service.web.conftest import Visitor
from tests.tables import laid, lay


def test_luck_is_told_on_request_beside_the_proof_of_the_shuffles(anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        path = lay(session, account, laid("mastery", 4, "end"), logged=True).replace("/table", "/result")
    plain = anna.page(path)
    assert "the odds promised" not in plain and plain.count("?luck=1#luck") == 1
    told = anna.page(f"{path}?luck=1")
    assert "Luck in battle" in told and "the odds promised" in told
