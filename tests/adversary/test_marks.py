"""Letters piled with combining marks (“Zalgo”), which cover what stands above and below: refused in all that others read."""

from __future__ import annotations

import pytest

from engine.core.asks import NotUnderstood
from service.games import lobby
from service.people import accounts
from service.store.database import transaction
from service.table import talk, votes
from tests.service.conftest import Players, person

PILED = "Ann" + "a\u0301\u0302\u0303\u0304\u0305"
NO = pytest.raises(NotUnderstood, match="three marks on one letter")


def test_nobody_s_name_or_words_cover_their_neighbours(table: Players) -> None:
    with transaction(table.settings) as session:
        match, anna = table.match(session), person(session, "Anna")
        with NO:
            accounts.rename(session, anna, PILED)
        with NO:
            lobby.open_match(session, anna, PILED, "ortus", 2, "open")
        with NO:
            talk.say(session, match, "a", "", f"Hello {PILED}", "key-of-anna-hello")
        with NO:
            votes.propose_end(session, match, "a", f"For {PILED}")
        assert anna.name == "Anna"
        talk.say(session, match, "b", "", "Xin chào, Việt Nam", "key-of-bert-hello")
