"""The pages of standing orders and of answers in advance; and that nobody else learns of them."""

from __future__ import annotations

import dataclasses
import re

import pytest
from sqlmodel import col, select

from engine.ortus import ORTUS
from engine.play import orders as engine_orders
from service.clock import pace as paces
from service.replay import history
from service.seat import orders
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, EntryRow, Match, SeatRow
from tests import kept
from tests.service.web.conftest import Visitor, begun
from workers import adjudicate, outages

DECK = {
    "f_cards__Land": 6, "f_cards__Vassal": 6, "f_cards__Castle": 4, "f_cards__Church": 4, "f_cards__Banner": 4,
}  # fmt: skip


@pytest.fixture
def game(anna: Visitor, bert: Visitor, settings: Settings) -> str:
    """The path of a game of Anna and Bert in which the first Turn is open."""

    def build() -> str:
        path = begun(anna, bert)
        for who in (anna, bert):
            page = who.page(f"{path}/table")
            key, serial = (re.findall(rf'name="{n}" value="([^"]+)"', page)[0] for n in ("key", "serial"))
            who.post(f"{path}/answer", {"key": key, "serial": serial, "kind": "deck", "option": "deck", **DECK})
        return path

    return kept.led(settings, [anna.client, bert.client], "decks built", build)


def seat(settings: Settings, letter: str) -> SeatRow:
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        found = session.get(SeatRow, (match.id, letter))
        assert found is not None
        return found


def on_turn(settings: Settings, anna: Visitor, bert: Visitor) -> tuple[Visitor, Visitor]:
    """Who has the Turn, and who waits."""
    with open_session(settings) as session:
        asked = next(a.seat for a in session.exec(select(AskRow)) if a.answered_at is None)
    return (anna, bert) if asked == "a" else (bert, anna)


def test_an_order_is_set_in_words_and_switched_off(game: str, anna: Visitor, settings: Settings) -> None:
    page = anna.page(f"{game}/orders")
    assert "You have set none yet." in page and "What I field when I am attacked" in page
    page = anna.post(f"{game}/orders", {"kind": "so_08", "option": "on", "f_as_attacker": "AW", "f_as_defender": "DW"}).text
    assert "The order is kept." in page
    assert "As Archbishop, when I attack: Attacker Wins; when I defend: Defender Wins; in battles of others: ask me." in page
    assert seat(settings, "a").orders == {"SO-08": "on as_attacker=AW as_defender=DW"}
    anna.post(f"{game}/orders", {"kind": "so_08", "option": "off"})
    assert seat(settings, "a").orders == {}


def folded(page: str) -> dict[str, str]:
    """The orders that are folded: title to the setting as a sentence, empty where none is set."""
    row = r'<summary><span class="order-title">(.*?)</span>(?: <span class="hint">(.*?)</span>)?</summary>'
    return dict(re.findall(row, page, re.S))


def sentences(page: str) -> dict[str, str]:
    """The orders that come first: their kinds, and the sentences as they stand."""
    found = {}
    for one in re.findall(r'<li class="(?:on|house|off)" data-order>.*?</li>', page, re.S):
        said = one.partition('<div class="says">')[2].partition("</div>")[0]
        said = re.sub(r"<option value=\"[^\"]*\"(?! selected)>.*?</option>", "", said)
        (kind,) = re.findall(r'<details class="order" id="(\w+)"', one)
        found[kind] = " ".join(re.sub(r"<[^>]+>", "", said).split())
    return found


def test_orders_stand_as_sentences_and_the_rest_is_folded(game: str, anna: Visitor) -> None:
    page = anna.page(f"{game}/orders")
    first, rest = sentences(page), folded(page)
    assert list(first) == ["so_05", "so_02", "so_06", "so_07", "so_14"] and len(rest) == 14
    small = rest.pop("Small losses: Towers that fall, a King’s levy")
    assert small.startswith("When Towers fall or a King levies a card: the oldest Towers, and Infantry first.")
    assert small.endswith("house default</em>")
    assert set(rest.values()) == {""} and "14 more <small>none is set" in page
    assert first["so_06"] == "Damage goes to cards that lose nothing by it, else ask me. house default"
    assert first["so_05"].endswith("Otherwise: ask me. off: you are asked")
    anna.post(f"{game}/orders/all", {"choice": "preset"})
    anna.post(f"{game}/orders", {"kind": "so_16", "option": "on", "f_levy": "Knight"})
    anna.post(f"{game}/orders", {"kind": "so_12", "option": "hold"})
    page = anna.page(f"{game}/orders")
    first, rest = sentences(page), folded(page)
    assert first["so_05"] == (
        "When I am attacked: If I can save everything: just enough. If I would lose the Fief: everything. "
        "If I would lose anything: all Lords. If I am attacked at all: nothing. Otherwise: ask me."
    )
    assert rest["When I command the Vikings"] == "When I command the Vikings: never attack."
    assert rest["What I give to a King&#39;s army"] == "To a King&#39;s army I give: Knight."
    begun_by_me = rest["Vassals in a Struggle that I have begun"]
    assert begun_by_me.startswith(
        "In a Struggle that I have begun, Vassals from the Hand go first. Against anything: at most 2"
    )
    assert rest["A battle plan for my next Attack"] == "" and "10 are set, the rest ask you" in page
    assert "“Just enough” shows others" in page and "“Pass at once” shows others" in page


def test_words_are_changed_tried_and_set_together(game: str, anna: Visitor, settings: Settings) -> None:
    changed = {
        "so_06.damage": "rational",  # its switch is off, and a word of it is changed
        "so_02.on": "1",  # as its words stand
        "so_05.rules.1.when": "would_fall",
        "so_05.rules.1.forces": "everything",
        "so_05.rules.2.forces": "",  # a rule less
    }
    page = anna.post(f"{game}/orders/words", {**changed, "choice": "try"}).text
    assert "and not set yet" in page and seat(settings, "a").orders == {}
    assert sentences(page)["so_06"] == "Damage goes to the cheapest first."
    page = anna.post(f"{game}/orders/words", {**changed, "choice": "set"}).text
    assert "Your orders are set." in page
    found = seat(settings, "a").orders
    assert found == {
        "SO-02": engine_orders.preset(ORTUS)["SO-02"],
        "SO-05": "on rules=[(when=would_fall,forces=everything),(when=would_lose,forces=all_lords),(forces=none)]",
        "SO-06": "on damage=rational hit_order=[king,hand,lord,Infantry,Knight,garrison,mercenary,force]",
    }
    anna.post(f"{game}/orders/words", {"so_02.on": "1", "so_02.hand": "", "so_05.on": "1", "choice": "set"})
    found = seat(settings, "a").orders
    assert set(found) == {"SO-02", "SO-05"} and "hand=" not in found["SO-02"]


def test_all_sentences_have_words_that_can_be_changed(game: str, anna: Visitor, settings: Settings) -> None:
    page = anna.page(f"{game}/orders")
    chips = page.partition('<div class="chips">')[2].partition('<div class="set-them">')[0]
    named = set(re.findall(r'form="orders" name="(\w+)\.\w', chips))
    assert {"so_08", "so_12", "so_16"} <= named and "so_15" not in named, "a word must not give the game up"
    anna.post(f"{game}/orders", {"kind": "so_16", "option": "on", "f_levy": "Knight"})
    anna.post(f"{game}/orders/words", {"so_08.as_attacker": "DW", "so_16.levy": "Infantry", "so_16.on": "1", "choice": "set"})
    found = seat(settings, "a").orders
    assert found["SO-16"] == "on levy=Infantry" and found["SO-08"].startswith("on as_attacker=DW") and len(found) == 2
    anna.post(f"{game}/orders/words", {"so_08.as_attacker": "DW", "so_16.on": "1", "so_16.levy": "Infantry", "choice": "set"})
    assert set(seat(settings, "a").orders) == {"SO-16"}, "its switch was put off"


def test_whatever_is_sent_takes_the_rest_of_the_page_along(game: str, anna: Visitor, settings: Settings) -> None:
    own = {"own": "so_16.on", "own.so_16.on.f_levy": "Knight", "so_06.damage": "rational"}
    page = anna.post(f"{game}/orders", own).text
    assert "The order is kept." in page and set(seat(settings, "a").orders) == {"SO-06", "SO-16"}
    page = anna.post(f"{game}/orders", {**own, "own.so_16.on.f_levy": "Dragon", "so_12.option": "hold"}).text
    assert "can&#39;t be “Dragon”" in page and "and not set yet" in page, "what was changed stands there still"
    # Rows of one order, words of another, fields of a third: all stand there after any button.
    rows = {"own.so_05.on.f_rules__rows": "1", "so_06.damage": "free", "so_06.on": "1", "own.so_16.on.f_levy": "Infantry"}
    page = anna.post(f"{game}/orders/rows", {**rows, "own.so_05.on.rows": "add:rules"}).text
    assert sentences(page)["so_06"].startswith("Damage goes to cards that lose nothing")
    assert 'name="own.so_05.on.f_rules__2__forces"' in page
    assert re.search(r'name="own.so_16.on.f_levy" value="Infantry" required checked', page)
    page = anna.post(f"{game}/orders/words", {**rows, "own.so_05.on.f_rules__1__forces": "none", "choice": "try"}).text
    forces = page.partition('name="own.so_05.on.f_rules__1__forces"')[2].partition("</select>")[0]
    assert '<option value="none" selected>' in forces
    assert "damage=rational" in seat(settings, "a").orders["SO-06"], "and nothing was set by that"
    refused = anna.post(f"{game}/orders", {**own, "so_77.on": "1"})
    assert refused.status_code == 422 and "does not belong there" in refused.text


OPEN_ORDERS = r'<details class="order[^"]*" id="(\w+)" open>'


def test_what_was_typed_in_other_orders_stands_there_after_one_is_set(game: str, anna: Visitor, settings: Settings) -> None:
    one = {"own": "so_16.on", "own.so_16.on.f_levy": "Knight"}
    assert anna.post(f"{game}/orders", one, follow=False).status_code == 303, "a page that can be loaded again"
    typed = {"own.so_05.on.f_rules__rows": "1", "own.so_05.on.f_rules__1__forces": "none", "own.so_08.on.f_as_attacker": "AW"}
    for buttons, at in ((one, "orders"), ({"choice": "set"}, "orders/words")):
        page = anna.post(f"{game}/{at}", {**typed, **buttons}).text
        assert 'class="note good"' in page and set(re.findall(OPEN_ORDERS, page)) == {"so_05", "so_08"}, page
        forces = page.partition('name="own.so_05.on.f_rules__1__forces"')[2].partition("</select>")[0]
        assert '<option value="none" selected>' in forces
        attacker = page.partition('name="own.so_08.on.f_as_attacker"')[2].partition("</select>")[0]
        assert '<option value="AW" selected>' in attacker
        assert not {"SO-05", "SO-08"} & set(seat(settings, "a").orders), "and nothing of it is set"


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"so_06.damage": "dragons"}, "can&#39;t be “dragons”"),
        ({"so_77.on": "1"}, "a field “so_77.on” that does not belong there"),
        ({"choice": "dance"}, "Press one of the two buttons."),
    ],
)
def test_words_that_can_not_be_say_why_and_set_nothing(
    game: str, anna: Visitor, settings: Settings, form: dict[str, object], sentence: str
) -> None:
    page = anna.post(f"{game}/orders/words", {"so_02.on": "1", "choice": "set", **form})
    assert page.status_code == 422 and sentence in page.text and seat(settings, "a").orders == {}


def test_orders_come_ready_made_for_who_is_away_and_from_the_last_game(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    assert "As in " not in anna.page(f"{game}/orders")
    anna.post(f"{game}/orders/all", {"choice": "away"})
    assert seat(settings, "a").orders["SO-12"] == "hold"
    other = begun(anna, bert, name="Another war")
    assert "As in Harvest war" in anna.page(f"{other}/orders") and "As in" not in bert.page(f"{other}/orders")
    anna.post(f"{other}/orders/all", {"choice": "last"})
    with open_session(settings) as session:
        of_both = [r.orders for r in session.exec(select(SeatRow).where(SeatRow.seat == "a"))]
    assert of_both[0] == of_both[1] != {}
    assert bert.post(f"{other}/orders/all", {"choice": "last"}).status_code == 200
    with open_session(settings) as session:
        assert all(r.orders == {} for r in session.exec(select(SeatRow).where(SeatRow.seat == "b")))


def test_the_cards_of_an_attack_are_named_and_sent_to_the_clock_s_turn(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:  # SO-14, OR-DEC-13
    """By the form's fields or as one line of text: the same order, the same sentence, the same refusals."""
    row = {"f_turns__rows": "1", "f_turns__1__turn": "attack_siege"}
    named = {"f_turns__1__sent__lord:F1": "1", "f_turns__1__sent__hand:Champion": "2"}
    page = anna.post(f"{game}/orders", {"kind": "so_14", "option": "on", **row, **named}).text
    text = "on turns=[(turn=attack_siege,sent=[lord:F1,hand:Champion*2])]"
    assert "The order is kept." in page and seat(settings, "a").orders == {"SO-14": text}
    assert "with exactly the Lord of Fief 1" in sentences(page)["so_14"]
    both = anna.post(f"{game}/orders", {"kind": "so_14", "option": "on", **row, **named, "f_turns__1__forces": "armies"})
    assert both.status_code == 422 and "name the cards or use “I field”, but not both" in both.text
    strange = anna.post(f"{game}/orders", {"kind": "so_14", "answer": text.replace("F1", "F7")})
    assert strange.status_code == 422 and seat(settings, "a").orders == {"SO-14": text}
    anna.post(f"{game}/orders", {"kind": "so_14", "option": "off"})
    anna.post(f"{game}/orders", {"kind": "so_14", "answer": text})
    assert seat(settings, "a").orders == {"SO-14": text}


def test_the_buttons_of_rows_bring_the_same_page_and_change_nothing(game: str, anna: Visitor, settings: Settings) -> None:
    form = {"kind": "so_05", "option": "on", "f_rules__rows": "2", "f_rules__1__what": "raid", "f_rules__1__forces": "none"}
    page = anna.post(f"{game}/orders/rows", {**form, "rows": "add:rules"}).text
    assert re.findall(r'<details class="order[^"]*" id="(\w+)" open>', page) == ["so_05"]
    assert 'name="own.so_05.on.f_rules__3__forces"' in page and '<option value="raid" selected>' in page
    page = anna.post(f"{game}/orders/rows", {**form, "rows": "down:rules:1"}).text
    second = page.partition('name="own.so_05.on.f_rules__2__what"')[2].partition("</select>")[0]
    assert '<option value="raid" selected>' in second
    assert "open the page again" in anna.post(f"{game}/orders/rows", {**form, "rows": "add:dragons"}).text
    assert seat(settings, "a").orders == {}


def test_an_order_that_was_refused_stays_open_with_its_reason(game: str, anna: Visitor) -> None:
    page = anna.post(f"{game}/orders", {"kind": "so_05", "option": "on"}).text
    assert re.findall(r'<details class="order[^"]*" id="(\w+)" open>', page) == ["so_05"]


def test_the_preset_is_one_button_and_so_is_the_way_back(game: str, anna: Visitor, settings: Settings) -> None:
    anna.post(f"{game}/orders/all", {"choice": "preset"})
    assert seat(settings, "a").orders == engine_orders.preset(ORTUS)
    assert re.search(r"</b> <span>questions?( instead of \d+|, as before)\.", anna.page(f"{game}/orders"))
    page = anna.post(f"{game}/orders/all", {"choice": "off"}).text
    assert {id: order.partition(" hit_order")[0] for id, order in seat(settings, "a").orders.items()} == {
        "SO-06": "on damage=ask",
        "SO-22": "ask",
    }, "the house answers nothing either"
    assert 'value="off" class="card-of-orders" aria-pressed="true"' in page and "house default" not in page


@pytest.mark.parametrize(
    ("asked", "left", "waited", "would_wait", "said"),
    [
        (0, 0, 0, 0, "Your orders answered everything, and these would have, too."),
        (0, 1, 0, 0, "1 question instead of 0."),
        (3, 3, 0, 0, "3 questions, as before."),
        (3, 3, 7200, 7200, "3 questions, as before. The table would have waited as long for you: 2 h."),
        (3, 1, 7200, 0, "1 question instead of 3. The table would have waited 0 min for you instead of 2 h."),
    ],
)
def test_what_a_trial_of_orders_says_compares_only_what_differs(
    game: str, anna: Visitor, monkeypatch: pytest.MonkeyPatch, asked: int, left: int, waited: int, would_wait: int, said: str
) -> None:
    run = orders.dry_run
    monkeypatch.setattr(
        orders,
        "dry_run",
        lambda *given: dataclasses.replace(run(*given), asked=asked, left=left, waited=waited, left_waiting=would_wait),
    )
    shown = anna.page(f"{game}/orders").partition('<p class="sum">')[2].partition("</p>")[0]
    assert " ".join(re.sub("<[^>]+>", "", shown).split()) == said


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"kind": "so_99", "option": "on"}, "There is no standing order “SO-99”"),
        ({"kind": "so_07", "option": "on", "f_never_pay__Dragon": "1"}, "does not belong there"),
        ({"kind": "so_05", "option": "on"}, "“Rules” is empty; it takes"),
        (
            {"kind": "so_05", "option": "on", "f_rules__rows": "2", "f_rules__2__who": "any"},
            "Rules, no. 1: “I field” needs a choice",
        ),
        ({"kind": "so_15", "option": "on"}, "needs a choice"),
        ({"kind": "so_16", "option": "on", "f_levy": "Dragon"}, "can&#39;t be “Dragon”"),
    ],
)
def test_an_order_that_can_not_be_says_why_and_changes_nothing(
    game: str, anna: Visitor, settings: Settings, form: dict[str, object], sentence: str
) -> None:
    page = anna.post(f"{game}/orders", form)
    assert page.status_code == 422 and sentence in page.text
    assert seat(settings, "a").orders == {}


def test_an_answer_in_advance_is_given_when_it_comes_to_it(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    active, other = on_turn(settings, anna, bert)
    page = active.page(f"{game}/advance")
    assert "Nothing can be foreseen just now" in page
    page = other.post(f"{game}/advance/answer", {"kind": "turn", "option": "end", "serial": "0", "key": ""}).text
    assert "Kept. It is sent if you are asked and nothing has changed for you." in page
    below = page.partition("Your turn. What do you do?</h3>")[2].partition("</form>")[0]
    assert 'class="note queued"' in below and "<strong>End the turn (draw a card)</strong>" in below, "below its question"
    assert page.count("End the turn (draw a card)</strong>") == 1 and "<code>" not in page
    page = active.page(f"{game}/table")
    key, serial = (re.findall(rf'name="{n}" value="([^"]+)"', page)[0] for n in ("key", "serial"))
    active.post(f"{game}/answer", {"key": key, "serial": serial, "kind": "turn", "option": "end"})
    with open_session(settings) as session:
        log = session.exec(select(EntryRow).order_by(col(EntryRow.n))).all()
    assert [(e.ask, e.move, e.via) for e in log][-2:] == [("turn", "end", "page"), ("turn", "end", "advance")]
    assert "Nothing can be foreseen" not in other.page(f"{game}/advance")
    assert on_turn(settings, anna, bert)[0] is active


def test_an_answer_that_no_longer_fits_is_dropped_with_a_letter(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    active, other = on_turn(settings, anna, bert)
    other.post(f"{game}/advance/answer", {"kind": "turn", "option": "end", "serial": "0", "key": ""})
    letter = "a" if other is anna else "b"
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        row = session.get(SeatRow, (match.id, letter))
        assert row is not None
        row.advance = [{**row.advance[0], "stance": "another"}]
        session.add(row)
    page = active.page(f"{game}/table")
    key, serial = (re.findall(rf'name="{n}" value="([^"]+)"', page)[0] for n in ("key", "serial"))
    active.post(f"{game}/answer", {"key": key, "serial": serial, "kind": "turn", "option": "end"})
    dropped = other.letters("advance_dropped")[-1].text
    assert "Your position is not what it was" in dropped and "  End the turn (draw a card)\n" in dropped
    assert "So you are asked now: Your turn. What do you do?" in dropped
    assert other.letters("turn") and seat(settings, letter).advance == []


def test_an_answer_in_advance_is_taken_back_and_refused_like_any(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    _, other = on_turn(settings, anna, bert)
    letter = "a" if other is anna else "b"
    assert (
        other.post(f"{game}/advance/answer", {"kind": "turn", "option": "dance", "serial": "0", "key": ""}).status_code == 422
    )
    assert other.post(f"{game}/advance/answer", {"kind": "defend", "option": "x", "serial": "0", "key": ""}).status_code == 422
    other.post(f"{game}/advance/answer", {"kind": "turn", "option": "end", "serial": "0", "key": ""})
    (queued,) = seat(settings, letter).advance
    other.post(f"{game}/advance/drop", {"id": queued["id"]})
    assert seat(settings, letter).advance == []


def test_nobody_else_learns_of_orders_or_answers_in_advance(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    active, other = on_turn(settings, anna, bert)

    def all_seen() -> list[str]:
        pages = [active.page(f"{game}/{p}") for p in ("table", "history", "clock", "log.jsonl")]
        # The clock says for how long each player is waited for: that moves on by itself.
        moving = r'(name="(csrf_token|key)" value="|nonce=")[^"]+|for \d+ (s|min)\b'
        return [re.sub(moving, "", p) for p in pages]

    before = all_seen()
    other.post(f"{game}/orders/all", {"choice": "preset"})
    other.post(f"{game}/orders", {"kind": "so_15", "option": "on", "f_sure": "yes"})
    other.post(f"{game}/advance/answer", {"kind": "turn", "option": "end", "serial": "0", "key": ""})
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
    adjudicate.adjudicate(settings, match.id)
    assert all_seen() == before


def test_an_order_answers_after_a_decent_pause_where_the_table_wants_one(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        match.pace = {**paces.stored(paces.of(match.pace)), "answers": "decent"}
        session.add(match)
    active, other = on_turn(settings, anna, bert)
    other.post(f"{game}/advance/answer", {"kind": "turn", "option": "end", "serial": "0", "key": ""})
    letters = len(other.letters("turn"))
    page = active.page(f"{game}/table")
    key, serial = (re.findall(rf'name="{n}" value="([^"]+)"', page)[0] for n in ("key", "serial"))
    active.post(f"{game}/answer", {"key": key, "serial": serial, "kind": "turn", "option": "end"})
    assert "An order of yours answers this in a while." in other.page(f"{game}/table")
    assert len(other.letters("turn")) == letters
    with transaction(settings) as session:
        ask = next(a for a in session.exec(select(AskRow)) if a.answered_at is None)
        assert ask.kept and ask.kept_at is not None and ask.kept_at > ask.opened_at
        ask.kept_at = ask.opened_at
        session.add(ask)
    adjudicate.adjudicate(settings, match.id)
    with open_session(settings) as session:
        assert [e.via for e in session.exec(select(EntryRow).order_by(col(EntryRow.n)))][-1] == "advance"


# --- the mark in the history (OR-DEC-6) -------------------------------------------------------------------------------


def spectators_marks(settings: Settings) -> list[str]:
    with open_session(settings) as session:
        return [mark.via for mark in history.page(session, session.exec(select(Match)).one(), None).marks.values()]


def test_how_an_answer_came_is_its_owners_to_know_until_the_end(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    active, other = on_turn(settings, anna, bert)
    other.post(f"{game}/advance/answer", {"kind": "turn", "option": "end", "serial": "0", "key": ""})
    end_turn(active, game)
    assert "as you answered in advance" in other.page(f"{game}/history")
    assert "in advance" not in active.page(f"{game}/history") and spectators_marks(settings) == []
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
    other.post(f"{game}/orders", {"kind": "so_14", "option": "on", "f_turns__rows": "1", "f_turns__1__turn": "end"})
    end_turn(active, game)
    late(settings)
    adjudicate.adjudicate(settings, match.id)
    page = other.page(f"{game}/history")
    assert "by your standing order" in page and "as you answered in advance" in page
    page = active.page(f"{game}/history")
    assert "standing order" not in page and "in advance" not in page and spectators_marks(settings) == []
    ahead = active.post(f"{game}/answer", concession(active, game)).text
    assert 'id="confirm"' in ahead and "Yes, do it" in ahead and "you will be out of the game" in ahead
    with open_session(settings) as session:
        assert session.exec(select(Match)).one().status == "running"
    active.post(f"{game}/answer", {**the_form(active, game), "answer": "concede sure=yes"})
    with open_session(settings) as session:
        assert session.exec(select(Match)).one().status == "finished"
    page = other.page(f"{game}/history")
    assert "by your standing order" in page and "as you answered in advance" in page
    page = active.page(f"{game}/history")
    assert "by standing order" in page and "answered in advance" in page and "your standing order" not in page
    assert spectators_marks(settings) == ["advance", "order"]


def the_form(who: Visitor, game: str) -> dict[str, object]:
    page = who.page(f"{game}/table")
    key, serial = (re.findall(rf'name="{n}" value="([^"]+)"', page)[0] for n in ("key", "serial"))
    return {"key": key, "serial": serial, "kind": "turn"}


def end_turn(who: Visitor, game: str) -> None:
    who.post(f"{game}/answer", {**the_form(who, game), "option": "end"})


def concession(who: Visitor, game: str) -> dict[str, object]:
    return {**the_form(who, game), "option": "concede", "f_sure": "yes"}


def late(settings: Settings) -> None:
    """Let the deadline of what is open pass."""
    with transaction(settings) as session:
        outages.wake(session)
        for ask in session.exec(select(AskRow)):
            if ask.answered_at is None:
                ask.falls_at = ask.opened_at
                session.add(ask)
