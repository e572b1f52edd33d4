"""How sentences speak of people and bots: chosen on the account page, carried by the seats."""

from __future__ import annotations

import pytest
from sqlmodel import Session

from engine.core.asks import NotUnderstood
from service.games import lobby
from service.log.characters import BY_NAME, CHARACTERS, cast, introduced
from service.people import accounts
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match
from service.store.seats import called_of, seats_of
from tests.service.conftest import person


def test_bots_of_a_table_are_different_characters() -> None:
    assert len({one.name for one in CHARACTERS}) >= 12 and all(one.line for one in CHARACTERS)
    taken: list[str] = []
    table = Match(name="Harvest war", game="fief", host_id="h", seats=6, seed=b"")
    for _ in range(6):
        taken.append(cast(table, taken).name)
    assert len({*taken}) == 6 and cast(table, ()).name == taken[0], "the same for the same table"
    assert cast(Match(name="Against bots", game="fief", host_id="h", seats=6, seed=b"", practice=True), ()) is CHARACTERS[0]


def test_a_person_s_pronoun_goes_with_their_seats(settings: Settings) -> None:
    with transaction(settings) as session:
        anna = person(session, "anna")
        accounts.set_pronoun(session, anna, "she")
        match = lobby.open_match(session, anna, "Harvest war", "ortus", 3)
        bot = lobby.add_bot(session, match, anna)
        _check(session, match, {"a": "she", bot.seat: BY_NAME[bot.name].pronoun})
        assert introduced(bot)
        accounts.set_pronoun(session, anna, "he")
        session.expire_all()
        _check(session, match, {"a": "he", bot.seat: BY_NAME[bot.name].pronoun})
        with pytest.raises(NotUnderstood):
            accounts.set_pronoun(session, anna, "Lord")


def _check(session: Session, match: Match, pronouns: dict[str, str]) -> None:
    found = called_of(match, seats_of(session, match)).pronouns
    assert found == {seat: one for seat, one in pronouns.items() if one}
