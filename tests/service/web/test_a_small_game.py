"""The small game of the docs, which brings no template: played on pages and told in letters, with a private offer."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from engine.game import Game
from engine.games import GAMES
from engine.tools.skeleton import RANKS
from service.games import lobby
from service.settings import Settings
from service.store.database import open_session
from service.store.models import Match, MatchStatus
from tests.followed import playable
from tests.service.web.conftest import Visitor, begun

HAND = re.compile(r"<dt>Hand</dt><dd>([^<]*)</dd>")


@pytest.fixture
def gambit(tmp_path: Path) -> Iterator[Game]:
    with playable(tmp_path) as game:
        yield game


def given(settings: Settings, kind: str, option: str, offer: int | None = None, **fields: str) -> dict[str, object]:
    """An answer's form; `offer`: to no question, but a power (0) or a proposal (< 0)."""
    with open_session(settings) as session:
        serial = session.exec(select(Match)).one().serial if offer is None else offer
    values = {f"f_{name}": value for name, value in fields.items()}
    return {"key": secrets.token_hex(16), "serial": str(serial), "kind": kind, "option": option, **values}


def hand(who: Visitor, path: str) -> list[str]:
    return str(HAND.findall(who.page(path + "/table"))[0]).split(", ")


def lay(who: Visitor, path: str, settings: Settings, card: str = "") -> None:
    card = card or hand(who, path)[0]
    assert who.post(path + "/answer", given(settings, "lay", "lay", card=card)).status_code == 200


def test_it_is_offered_and_told_of(gambit: Game, anna: Visitor) -> None:
    assert gambit in lobby.offered()
    assert "Gambit" in anna.page("/") and "A game for 2 to 4 players." in anna.page("/help/gambit")


def test_it_is_played_on_its_page_and_told_in_letters(gambit: Game, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = begun(anna, bert, game="gambit")
    page = anna.page(path + "/table")
    for shown in ("Which card do you lay?", "Anna (you)", "Cards in the deck", "<dd>16</dd>", "Points"):
        assert shown in page
    own, seen = (HAND.findall(shown) for shown in (page, bert.page(path + "/table")))
    assert len(own[0].split(", ")) == len(seen[0].split(", ")) == 4, "each sees his own hand first"
    assert own[1] == seen[1] == "4", "and of the other's, how many"
    # The deck has cards of equal rank, and a draw asks nobody.
    mine, his = next(
        (a, b) for a in map(RANKS.index, own[0].split(", ")) for b in map(RANKS.index, seen[0].split(", ")) if a != b
    )
    lay(anna, path, settings, RANKS[mine])
    assert "Anna laid" not in bert.page(path + "/table"), "hidden until all have laid"
    lay(bert, path, settings, RANKS[his])
    best, other = (anna, bert) if mine > his else (bert, anna)
    assert f"laid the {RANKS[mine]}." in bert.page(path + "/table") and "Whose cards do you look at?" in best.page(
        path + "/table"
    )
    assert best.post(path + "/answer", given(settings, "look", "look", to="b" if best is anna else "a")).status_code == 200
    assert " held " in best.page(path + "/table") and " held " not in other.page(path + "/table")
    turned = other.letters("turn")[-1]
    assert "Cards in the deck" in turned.text and "Cards in the deck" in turned.html


def test_an_offer_is_put_shown_from_both_sides_and_withdrawn(
    gambit: Game, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    path = begun(anna, bert, game="gambit")
    assert "<h3>Offer a swap?</h3>" in anna.page(path + "/table"), "the title of a lone power"
    card = hand(anna, path)[0]
    offer = given(settings, "offer", "offer", 0, to="b", card=card)
    asked = anna.post(path + "/preview", offer).text
    assert "You can withdraw it until it is answered." in asked
    assert anna.post(path + "/answer", offer).status_code == 200
    theirs, own = bert.page(path + "/table"), anna.page(path + "/table")
    assert f"<h3>Anna offers you the {card}. Swap?</h3>" in theirs and f"<h3>You offer Bert the {card}.</h3>" in own
    assert f"Anna offers you the {card}. Swap?" in bert.letters("offer")[0].text
    (serial,) = {found for found in re.findall(r'name="serial" value="(-\d+)"', own)}
    withdrawn = given(settings, "swap", "withdraw", int(serial))
    assert anna.post(path + "/answer", withdrawn).status_code == 200
    assert "Anna’s offer is over." in bert.page(path + "/table") and "Your offer is over." in anna.page(path + "/table")


def test_each_private_offer_is_a_line_of_the_log_with_its_own_arms(
    gambit: Game, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    path = begun(anna, bert, game="gambit")
    for who, other in ((bert, "a"), (anna, "b")):
        offer = given(settings, "offer", "offer", 0, to=other, card=hand(who, path)[0])
        assert who.post(path + "/answer", offer).status_code == 200
    log = bert.page(path + "/table").partition('<ol class="events"')[2].partition("</ol>")[0]
    assert re.findall(r"#sh-(\w)", log) == ["a", "b"] and len(re.findall("Bert offered|Anna offered|You offered", log)) == 2


def test_it_comes_to_its_end_and_an_open_offer_with_it(gambit: Game, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = begun(anna, bert, game="gambit")
    for round in range(4):
        if round == 3:
            assert anna.post(path + "/answer", given(settings, "offer", "offer", 0, to="b", card=hand(anna, path)[0]))
        lay(anna, path, settings)
        lay(bert, path, settings)
        for who, other in ((anna, "b"), (bert, "a")):
            if round < 3 and "Whose cards" in who.page(path + "/table"):
                who.post(path + "/answer", given(settings, "look", "look", to=other))
    with open_session(settings) as session:
        assert session.exec(select(Match)).one().status == MatchStatus.FINISHED
    for who in (anna, bert):
        page = who.page(path + "/table")
        assert "The game is over" in page and "Open at any time" not in page and "Offers to you" not in page
    over = bert.letters("over")[0]
    assert "Anna" in over.text and "Cards in the deck" in over.text and "Cards in the deck" in over.html
    assert gambit.name in GAMES
