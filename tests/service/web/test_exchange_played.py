"""An exchange of Fief, the whole way: put, amended and withdrawn on the page, told in letters, answered by reply."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
import time_machine
from sqlmodel import select

from engine.core import procedure
from engine.core.asks import Answer, write
from engine.game import AnyState
from engine.play import match as matches
from service.inbox import receiving
from service.seat.state import known_to
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Match, Submission, SubmissionStatus
from service.tools import robot
from tests.service.web.conftest import Visitor, begun
from workers import adjudicate


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0})


@pytest.fixture
def carl(visitor: Callable[[str], Visitor]) -> Visitor:
    return visitor("carl@example.org").sign_in("Carl")


def known(settings: Settings, seat: str) -> AnyState:
    with open_session(settings) as session:
        return known_to(session, session.exec(select(Match)).one(), seat)


def forms(who: Visitor, path: str, kind: str) -> dict[str, dict[str, str]]:
    """The hidden fields of every form of that kind on the page of a seat, by option."""
    page = robot.page_of("http://writ.test/x", 200, who.page(f"{path}/table").encode())
    hidden = [{c.name: c.value for c in f.controls if c.kind == "hidden"} for f in page.forms]
    return {h["option"]: h for h in hidden if h.get("kind") == kind and "option" in h}


def post(who: Visitor, path: str, form: dict[str, str], **fields: str) -> str:
    given = {name: form[name] for name in ("key", "serial", "kind", "option")}
    return who.post(f"{path}/answer", given | {f"f_{name}": value for name, value in fields.items()}).text


def replied(settings: Settings, to: str, text: str, n: int) -> str:
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = "bert@example.org", to, f"<{n}@reader>"
    made.set_content(text)
    # Nobody answers a letter in the moment in which it goes out.
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=1), tick=False):
        return receiving.receive(settings, made.as_bytes(), (to,), "bert@example.org")


def purse(settings: Settings, seat: str) -> int:
    found: int = known(settings, "a").table.families[seat].deniers
    return found


@pytest.fixture
def court(anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings) -> str:
    """The path of a game of three who have settled, and are asked about marriages or what comes next."""
    path = begun(anna, bert, game="fief", seats="3")
    assert carl.post(path + "/join").status_code == 200
    for _ in range(3):
        state = known(settings, "a")
        seat = state.waiting[0]
        who = {"a": anna, "b": bert, "c": carl}[seat]
        at = procedure.ask_of(known(settings, seat), seat).default.pick("at")
        post(who, path, forms(who, path, "village")["found"], at=at)
    assert known(settings, "a").table.round == 1
    return path


def test_an_exchange_is_amended_on_the_page_and_only_what_was_seen_last_is_accepted(
    court: str, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:  # FF-DIP-9
    before = len(carl.letters())
    post(anna, court, forms(anna, court, "exchange")["propose"], to="b", give_deniers="2", want_deniers="1")
    (first,) = bert.letters("offer")
    assert "2 Deniers" in first.text and "1 Denier" in first.text
    mine = forms(anna, court, "exchange")
    assert {"withdraw", "amend"} <= mine.keys()
    post(anna, court, mine["amend"], give_deniers="4", want_deniers="1")
    (second,) = [letter for letter in bert.letters("offer") if letter.text != first.text]
    assert "4 Deniers" in second.text and "4 Deniers" in second.html and "4 Deniers" in bert.page(f"{court}/table")
    purses = purse(settings, "a"), purse(settings, "b")
    assert replied(settings, first.headers["Reply-To"], "accept", 1) == "refused", "that one is gone"
    assert (purse(settings, "a"), purse(settings, "b")) == purses
    assert replied(settings, second.headers["Reply-To"], "accept", 2) == "answered"
    assert (purse(settings, "a"), purse(settings, "b")) == (purses[0] - 3, purses[1] + 3)
    assert len(carl.letters()) == before, "what they agree on is told in his next letter"


def test_an_exchange_that_was_withdrawn_is_nobodys_to_accept(
    court: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:  # FF-DIP-9
    post(anna, court, forms(anna, court, "exchange")["propose"], to="b", give_deniers="2")
    (letter,) = bert.letters("offer")
    his = forms(bert, court, "exchange")["accept"]
    post(anna, court, forms(anna, court, "exchange")["withdraw"])
    assert "accept" not in forms(bert, court, "exchange") and "withdraw" not in forms(anna, court, "exchange")
    purses = purse(settings, "a"), purse(settings, "b")
    said = post(bert, court, his)
    assert "That proposal is no longer open: it was answered or withdrawn" in said
    assert replied(settings, letter.headers["Reply-To"], "accept", 1) == "refused"
    (told,) = bert.letters("reply_refused")
    assert "not asked that any more" in " ".join(told.text.split())
    assert (purse(settings, "a"), purse(settings, "b")) == purses


def test_an_exchange_with_oneself_is_refused_with_a_sentence_however_it_comes(
    court: str, anna: Visitor, settings: Settings
) -> None:
    before, match_id = known(settings, "a"), court.split("/")[2]
    said = post(anna, court, forms(anna, court, "exchange")["propose"], to="a", give_deniers="2")
    assert re.search(r"“To” can&#39;t be “(a|Anna)”\. Open to you: (Bert, Carl|Carl, Bert)\.", said)
    unvetted = write(Answer("propose", {"to": "a", "give_deniers": 2}))
    with transaction(settings) as session:
        session.add(
            Submission(
                id="k" * 32, match_id=match_id, seat="a", serial=matches.OFFER, kind="exchange", move=unvetted, via="page"
            )
        )
    adjudicate.adjudicate(settings, match_id)
    with open_session(settings) as session:
        kept = session.get_one(Submission, "k" * 32)
        assert kept.status == SubmissionStatus.REFUSED and kept.refusal and "a proposal of" not in kept.refusal
        assert session.get_one(Match, match_id).halted_at is None
    assert known(settings, "a").table.proposals == before.table.proposals
