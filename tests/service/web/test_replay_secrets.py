"""The board as it stood says nothing that its seat didn't know at that entry, nor what it may not know now."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest
from sqlmodel import col, select

from engine.games import GAMES
from engine.language.words import addressed
from engine.play import match as matches
from service.log.chronicle import sentences, tell, teller
from service.log.entries import stored_entries
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, EntryRow, Match, MatchStatus
from tests.replays import moment
from tests.service.web.conftest import Visitor, begun
from tests.service.web.test_offers_played import answer, forms, propose
from tests.tables import NAMES, lay, whole


def plain(page: str) -> str:
    """A page without what is new at every look."""
    return re.sub(r'(name="key"|name="form_key"|csrf_token"|nonce=|<p class="hint">As you knew)[^>]*', "", page)


@pytest.fixture
def carl(visitor: Callable[[str], Visitor]) -> Visitor:
    return visitor("carl@example.org").sign_in("Carl")


def bid(who: Visitor, path: str) -> None:
    answer(who, path, next(f for f in forms(who, path, "bid") if f["option"] == "bid"), coins="1")


def test_amid_a_step_that_all_take_at_once_and_with_a_proposal_nothing_shows(
    toy: None, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:
    path = begun(anna, bert, game="fair", seats="3")
    carl.post(path + "/join")
    all_three = (anna, bert, carl)
    start = [plain(who.page(f"{path}/replay?n=0")) for who in all_three]
    propose(settings, anna, path)  # to Bert, and nobody else
    bid(anna, path)
    for who in all_three:
        assert who.get(f"{path}/replay?n=1").status_code == 404, "an answer that lies sealed is no entry"
    assert [plain(who.page(f"{path}/replay?n=0")) for who in all_three] == start
    accept = next(f for f in forms(bert, path, "trade") if f["option"] == "accept")
    with open_session(settings) as session:
        ware = re.findall(r'name="f_ware"[^>]*value="(\w+)"', bert.page(f"{path}/table"))
        assert session.exec(select(EntryRow)).all() == []
    answer(bert, path, accept, ware=ware[-1])
    assert [plain(who.page(f"{path}/replay?n=0")) for who in all_three] == start, "the two traded later than that"
    for who in (bert, carl):
        bid(who, path)
    with open_session(settings) as session:
        log = session.exec(select(EntryRow).order_by(col(EntryRow.n))).all()
    assert len(log) >= 3, "they are in the log now"
    for row in log:
        told = carl.page(f"{path}/replay?n={row.n}").partition('id="then"')[2].partition("</nav>")[0]
        assert "traded" not in told


@pytest.mark.parametrize("name", ["3-seats-open-diplomacy", "4-seats-fog-of-war"])
def test_no_seat_of_fief_reads_on_an_old_board_what_only_others_were_told(name: str, anna: Visitor, settings: Settings) -> None:
    laid = whole("fief", name)
    assert laid.log is not None
    told = {n: events for n, events in laid.log.told if n}
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        id = lay(session, account, laid, logged=True).split("/")[2]
        session.get_one(Match, id).status = MatchStatus.RUNNING  # nothing is revealed yet
    game, seats = GAMES["fief"], laid.seats
    secret = [n for n, events in told.items() if any(e.only is not None and len(e.only) < len(seats) for e in events)]
    at_once = [n for n, events in told.items() if not events]
    assert len(secret) > 3
    named: Mapping[str, str] = {s: NAMES[s] for s in seats}
    hidden = 0
    with open_session(settings) as session:
        match = session.get_one(Match, id)
        for n in [*secret[:: max(1, len(secret) // 4)][:4], *at_once[:2]]:
            then = matches.replay(laid.log.header, match.seed, stored_entries(session, id)[:n], trusted=True)
            for seat in (*seats[:2], ""):
                found = moment(session, match, seat, n, you=seat)
                # Of that position alone, dealt anew in all that the seat doesn't know: what it reads hangs on nothing else.
                assert found.view == game.rules.view(then.state, seat or None)
                read = [part.words for part in found.told]
                said = " ".join(read)
                for e in told[n]:
                    words = tell(game, e, dict(named), seat, "UTC")
                    if not e.seen_by(seat or None) and words and words not in said:
                        hidden += 1
                known = [e for e in told[n] if e.seen_by(seat or None)]
                heard = sentences(game, known, teller(game, addressed(named, seat), "UTC"), seats)
                own = [one.words for one in heard if one is not None]
                assert read == own
    assert hidden
