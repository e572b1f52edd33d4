"""Proposals in a game, the whole way: put on the page, told in a letter, answered on the page, by reply and by the clock."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
import time_machine
from sqlmodel import col, select

from engine.game import AnyState
from service.clock.deadlines import BEAT
from service.inbox import receiving
from service.seat.state import known_to
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, Beat, EntryRow, HiddenAnswer, Match, now
from service.tools import robot
from tests.service.web.conftest import Visitor, begun
from tests.toy_game import FAIR
from workers.adjudicate import adjudicate

pytestmark = pytest.mark.usefixtures("toy")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0})


@pytest.fixture
def carl(visitor: Callable[[str], Visitor]) -> Visitor:
    return visitor("carl@example.org").sign_in("Carl")


@pytest.fixture
def fair(anna: Visitor, bert: Visitor, carl: Visitor) -> str:
    """The path of a game of three, all of whom are asked for their bids."""
    path = begun(anna, bert, game="fair", seats="3")
    assert carl.post(path + "/join").status_code == 200
    return path


def known(settings: Settings, seat: str) -> AnyState:
    with open_session(settings) as session:
        return known_to(session, session.exec(select(Match)).one(), seat)


def wares(settings: Settings, seat: str) -> list[str]:
    found: list[str] = known(settings, seat).table.keepers[seat].wares
    return found


def forms(who: Visitor, path: str, kind: str) -> list[dict[str, str]]:
    """The hidden fields of every form of that kind on the page of a seat."""
    page = robot.page_of("http://writ.test/x", 200, who.page(f"{path}/table").encode())
    hidden = [{c.name: c.value for c in f.controls if c.kind == "hidden"} for f in page.forms]
    return [h for h in hidden if h.get("kind") == kind]


def answer(who: Visitor, path: str, form: dict[str, str], **fields: str) -> None:
    given = {name: form[name] for name in ("key", "serial", "kind", "option")}
    assert who.post(f"{path}/answer", given | {f"f_{name}": v for name, v in fields.items()}).status_code == 200


def propose(settings: Settings, anna: Visitor, path: str, to: str = "b", coins: str = "0") -> str:
    (form,) = forms(anna, path, "propose")
    ware = wares(settings, "a")[0]
    answer(anna, path, form, target=to, ware=ware, coins=coins)
    return ware


def rows(settings: Settings) -> list[AskRow]:
    with open_session(settings) as session:
        return list(session.exec(select(AskRow).where(AskRow.serial < 0).order_by(AskRow.seat)))


def entries(settings: Settings) -> list[str]:
    with open_session(settings) as session:
        return [e.ask for e in session.exec(select(EntryRow).order_by(col(EntryRow.n)))]


def plain(page: str) -> str:
    """A page without what is new at every look."""
    return re.sub(r'(name="key"|csrf_token"|nonce=)[^>]*', "", page)


def replied(settings: Settings, to: str, text: str) -> str:
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = "bert@example.org", to, f"<{text.split()[0]}@reader>"
    made.set_content(text)
    # Nobody answers a letter in the moment in which it goes out.
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=1), tick=False):
        return receiving.receive(settings, made.as_bytes(), (to,), "bert@example.org")


def test_a_proposal_reaches_its_addressee_by_letter_and_page_and_nobody_else(
    fair: str, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:
    before = plain(carl.page(f"{fair}/table")), len(carl.letters()), plain(carl.page(f"{fair}/log.jsonl"))
    propose(settings, anna, fair)
    (row,) = rows(settings)
    assert (row.seat, row.kind, row.answered_at) == ("b", "trade", None) and row.due_at and row.falls_at and row.remind_at
    (letter,) = bert.letters("offer")
    assert "YOU HAVE AN OFFER" in letter.text and "Bert: trade?" in letter.text and "You have an offer" in letter.html
    page = bert.page(f"{fair}/table")
    assert "Offers to you" in page and "<h3>Bert: trade?</h3>" in page and "It stands until" in page
    assert {f["option"] for f in forms(bert, fair, "trade")} == {"accept", "refuse", "counter"}
    assert forms(bert, fair, "bid"), "his question is still there"
    assert [f["option"] for f in forms(anna, fair, "trade")] == ["withdraw", "amend"]
    assert (plain(carl.page(f"{fair}/table")), len(carl.letters()), plain(carl.page(f"{fair}/log.jsonl"))) == before
    assert entries(settings) == []


def test_a_trade_is_made_on_the_page_and_only_the_two_see_it(
    fair: str, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:
    before = plain(carl.page(f"{fair}/table"))
    mine = propose(settings, anna, fair)
    his = wares(settings, "b")[-1]
    accept = next(f for f in forms(bert, fair, "trade") if f["option"] == "accept")
    answer(bert, fair, accept, ware=his)
    assert his in wares(settings, "a") and mine in wares(settings, "b")
    assert all(row.answered_at for row in rows(settings)) and forms(bert, fair, "trade") == []
    assert plain(carl.page(f"{fair}/table")) == before and entries(settings) == []
    assert "traded" in anna.page(f"{fair}/table")
    with open_session(settings) as session:
        assert len(session.exec(select(HiddenAnswer)).all()) == 2


def test_an_answer_given_by_reply_is_to_the_very_proposal_that_the_letter_told(
    fair: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    propose(settings, anna, fair)
    (letter,) = bert.letters("offer")
    withdraw = forms(anna, fair, "trade")[0]
    assert replied(settings, letter.headers["Reply-To"], "accept") == "refused", "it needs a ware"
    answer(anna, fair, withdraw)
    assert replied(settings, letter.headers["Reply-To"], "refuse") == "refused"
    told = [" ".join(letter.text.split()) for letter in bert.letters("reply_refused")]
    assert len(told) == 2 and any("not asked that any more" in words for words in told)


def test_a_reply_takes_a_proposal(fair: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    mine = propose(settings, anna, fair)
    (letter,) = bert.letters("offer")
    his = wares(settings, "b")[0]
    assert replied(settings, letter.headers["Reply-To"], f"accept ware={his}\n\nBert") == "answered"
    assert mine in wares(settings, "b") and his in wares(settings, "a")


def test_a_life_ends_by_the_clock_with_the_safe_outcome_and_counts_as_no_missed_deadline(
    fair: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    propose(settings, anna, fair)
    before = wares(settings, "a")
    with transaction(settings) as session:
        session.merge(Beat(name=BEAT, at=now()))
        for ask in session.exec(select(AskRow).where(AskRow.serial < 0)):
            ask.due_at = ask.falls_at = now() - timedelta(seconds=5)
        id = session.exec(select(Match)).one().id
    adjudicate(settings, id)
    assert wares(settings, "a") == before and forms(bert, fair, "trade") == [] and "refused" in anna.page(f"{fair}/table")
    assert all(row.answered_at for row in rows(settings))


def test_a_sealed_bid_that_a_trade_made_impossible_comes_back_with_the_reason(
    fair: str, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:
    mine = propose(settings, anna, fair)
    bid = next(f for f in forms(anna, fair, "bid") if f["option"] == "bid")
    answer(anna, fair, bid, coins="1", ware=mine)
    assert not forms(anna, fair, "bid"), "it lies sealed"
    before = plain(carl.page(f"{fair}/table")), len(carl.letters())
    accept = next(f for f in forms(bert, fair, "trade") if f["option"] == "accept")
    answer(bert, fair, accept, ware=wares(settings, "b")[-1])
    assert forms(anna, fair, "bid") and "it no longer fits" in anna.page(f"{fair}/table")
    assert (plain(carl.page(f"{fair}/table")), len(carl.letters())) == before and entries(settings) == []


def test_a_chain_freezes_what_is_put_to_players_and_leaves_the_question_its_clock(
    fair: str, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:
    propose(settings, anna, fair)
    with open_session(settings) as session:
        due = {a.seat: a.due_at for a in session.exec(select(AskRow).where(AskRow.serial == 1))}
    asked = len(bert.letters("turn"))
    (accuse,) = forms(bert, fair, "accuse")
    answer(bert, fair, accuse, target="a")
    assert "What you send here waits until then" in bert.page(f"{fair}/table") and rows(settings)[0].answered_at is None
    guilty = next(f for f in forms(carl, fair, "judge") if f["option"] == "guilty")
    answer(carl, fair, guilty)
    assert forms(bert, fair, "bid") and forms(bert, fair, "trade") and len(bert.letters("turn")) == asked
    with open_session(settings) as session:
        again = session.exec(select(AskRow).where(AskRow.serial == 1)).all()
    # The clock stood still meanwhile.
    assert all(a.due_at and (before := due[a.seat]) and timedelta() <= a.due_at - before < timedelta(minutes=5) for a in again)
    assert all(a.answered_at is None and a.falls_at for a in again)


def test_what_was_refused_of_one_proposal_is_kept_in_its_form_alone(
    fair: str, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:
    """Two proposals of one kind lie before Bert: what he tried with one of them stays with that."""
    first = propose(settings, anna, fair)
    (form,) = forms(carl, fair, "propose")
    answer(carl, fair, form, target="b", ware=wares(settings, "c")[0], coins="2")
    one, two = (f for f in forms(bert, fair, "trade") if f["option"] == "accept")
    mine = wares(settings, "b")
    given = {name: one[name] for name in ("key", "serial", "kind", "option")}
    with transaction(settings) as session:  # Anna's ware is gone, and nobody has told the page
        match = session.exec(select(Match)).one()
        match.snapshot = emptied(match.snapshot or b"", first)
        session.add(match)
    page = bert.post(f"{fair}/answer", given | {"f_ware": mine[1]}).text
    assert "can&#39;t give" in page
    opened = re.findall(r'<details class="option" open>.*?name="serial" value="(-\d+)"', page, re.S)
    assert opened == [one["serial"]] and one["serial"] != two["serial"]


def emptied(snapshot: bytes, ware: str) -> bytes:
    state = FAIR.rules.decode(snapshot)
    if ware in state.table.keepers["a"].wares:
        state.table.keepers["a"].wares[0] = "dust"
    return FAIR.rules.encode(state)


def pressed(who: Visitor, path: str, kind: str) -> dict[str, str]:
    """Where a button without fields leads, by option: to be asked once more, or to be sent at once."""
    form = r'<form method="post" action="[^"]*/(\w+)" class="option plain-option"[^>]*>(.*?)</form>'
    found = re.findall(form, who.page(f"{path}/table"), re.S)
    inside = {way_form: dict(re.findall(r'name="(\w+)" value="([^"]*)"', way_form[1])) for way_form in found}
    return {hidden["option"]: way for (way, _), hidden in inside.items() if hidden["kind"] == kind}


def test_a_refusal_and_a_withdrawal_are_sent_at_once(fair: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    """They leave everything as it is, so nothing is asked before."""
    propose(settings, anna, fair)
    assert pressed(bert, fair, "trade") == {"refuse": "answer"} and pressed(anna, fair, "trade") == {"withdraw": "answer"}
    refuse = next(f for f in forms(bert, fair, "trade") if f["option"] == "refuse")
    given = {name: refuse[name] for name in ("key", "serial", "kind", "option")}
    assert bert.post(f"{fair}/answer", given).status_code == 200
    assert not forms(bert, fair, "trade")


# --- what is sent while something else has to be settled --------------------------------------------------------------------


@pytest.fixture
def judged(fair: str, anna: Visitor, bert: Visitor, settings: Settings) -> str:
    """The path of the game, in which Anna has proposed a trade to Bert, who has accused her: Carl is to judge."""
    propose(settings, anna, fair)
    (accuse,) = forms(bert, fair, "accuse")
    answer(bert, fair, accuse, target="a")
    return fair


def judge(carl: Visitor, path: str) -> None:
    answer(carl, path, next(f for f in forms(carl, path, "judge") if f["option"] == "innocent"))


def test_what_is_sent_during_a_chain_is_done_after_it_in_the_order_in_which_it_came(
    judged: str, anna: Visitor, bert: Visitor, carl: Visitor, settings: Settings
) -> None:
    before = plain(carl.page(f"{judged}/table")), entries(settings)
    mine, his = wares(settings, "a")[0], wares(settings, "b")[0]
    answer(bert, judged, next(f for f in forms(bert, judged, "trade") if f["option"] == "accept"), ware=his)
    answer(anna, judged, next(f for f in forms(anna, judged, "trade") if f["option"] == "withdraw"))
    assert (plain(carl.page(f"{judged}/table")), entries(settings)) == before, "nobody else sees that it was sent"
    assert "waits until what is under way is settled" in bert.page(f"{judged}/table")
    assert mine in wares(settings, "a")
    judge(carl, judged)
    assert mine in wares(settings, "b") and his in wares(settings, "a"), "he accepted before she withdrew"
    assert "Something else came first, and after it your answer was no longer possible: " in anna.page(f"{judged}/table")
    assert [letter.seat for letter in anna.letters("outcome")] == ["a"]
    assert [letter.seat for letter in bert.letters("outcome")] == ["b"]


def test_what_waits_can_be_taken_back_and_is_sent_once(judged: str, bert: Visitor, carl: Visitor, settings: Settings) -> None:
    refuse = next(f for f in forms(bert, judged, "trade") if f["option"] == "refuse")
    answer(bert, judged, refuse)
    again = bert.post(f"{judged}/answer", {**refuse, "key": "k" * 32})
    assert again.status_code == 409 and "on its way already" in again.text
    assert bert.post(f"{judged}/held", {"serial": refuse["serial"], "kind": "trade"}).status_code == 200
    assert forms(bert, judged, "trade"), "he may answer otherwise"
    judge(carl, judged)
    assert rows(settings)[0].answered_at is None


def test_what_can_be_taken_back_is_sent_at_one_press(judged: str, anna: Visitor, bert: Visitor) -> None:
    assert pressed(bert, judged, "trade") == {"refuse": "answer"} and pressed(anna, judged, "trade") == {"withdraw": "answer"}


def test_what_can_never_be_is_refused_at_once_though_it_would_have_to_wait(
    judged: str, bert: Visitor, settings: Settings
) -> None:
    accept = next(f for f in forms(bert, judged, "trade") if f["option"] == "accept")
    given = {name: accept[name] for name in ("key", "serial", "kind", "option")}
    assert bert.post(f"{judged}/answer", given | {"f_ware": "moon"}).status_code == 422
