"""The turn page of Fief at positions of lively games: everything is drawn, nothing stands on it that a page can't say."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from jinja2 import StrictUndefined, Undefined
from sqlmodel import col, select, update

from engine.core import offers
from engine.core.asks import Answer
from engine.core.cloning import clone
from engine.core.procedure import begin
from engine.fief import FIEF
from engine.fief.face.narrate import lord
from engine.fief.rules.diplomacy import Annulment, Exchange, Terms
from engine.fief.rules.types import FiefState
from service.games import lobby
from service.log.sharing import let_watch
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, Match, SeatRow
from tests.fief.test_boards import EVERY, positions
from tests.service.web.conftest import Visitor

NAMES = {"a": "Alys", "b": "Baldwin", "c": "Cécile-Marie de Longueville", "d": "Drogo", "e": "Emma", "f": "Fulk"}


@dataclass
class Table:
    """Anna's page, on which any position can be laid out."""

    anna: Visitor
    settings: Settings
    games: dict[int, str]

    def game(self, n: int) -> str:
        """A running game of Anna and bots."""
        if n not in self.games:
            with transaction(self.settings) as session:
                host = session.exec(select(Account).where(Account.email == self.anna.email)).one()
                match = lobby.open_match(session, host, "The Wolves of Bourg", FIEF.name, n, "open")
                for _ in range(n - 1):
                    lobby.add_bot(session, match, host, "random")
                self.games[n] = match.id
        return self.games[n]

    def lay_out(self, seat: str, state: FiefState) -> str:
        """Let Anna sit at the seat and see the state; the path of her page."""
        id = self.game(len(state.table.seats))
        with transaction(self.settings) as session:
            host = session.exec(select(Account).where(Account.email == self.anna.email)).one()
            seats = update(SeatRow).where(col(SeatRow.match_id) == id)
            session.exec(seats.values(account_id=None))
            session.exec(seats.where(col(SeatRow.seat) == seat).values(account_id=host.id))
            for row in session.exec(select(SeatRow).where(SeatRow.match_id == id)):
                row.name = NAMES[row.seat]
            match = session.get_one(Match, id)
            match.snapshot, match.serial = FIEF.rules.encode(state), state.serial
            match.snapshot_n = 1000 + len(state.sealed)
            session.add(match)
        return f"/g/{id}/table"


@pytest.fixture
def table(anna: Visitor, settings: Settings) -> Table:
    return Table(anna, settings, {})


def at(seats: int, kind: str, **options: object) -> tuple[str, FiefState]:
    """A position in which somebody is asked something of a kind."""
    return next((seat, state) for found, seat, state in positions(seats, tuple(options.items())) if found == kind)


@pytest.mark.parametrize(("seats", "options"), [(3, {}), (6, {}), (5, EVERY)], ids=["three", "six", "every option"])
def test_every_kind_of_question_has_its_page(table: Table, seats: int, options: dict[str, object]) -> None:
    env = table.anna.client.application.jinja_env
    for kind, seat, state in positions(seats, tuple(options.items())):
        path = table.lay_out(seat, state)
        env.undefined = StrictUndefined
        try:
            page = table.anna.page(path)
        finally:
            env.undefined = Undefined
        for part in ("bar", "question", "hand", "board", "log"):
            assert f'data-part="{part}"' in page, kind
        assert 'data-game="fief"' in page and "fief.css" in page
        assert all(f'data-value="{id}"' in page for id in state.table.villages)
        assert "Undefined" not in page and ">None<" not in page
        assert "parts.svg" not in page, f"{kind}: what fief.svg and arms.svg hold is enough, and a first visit is light"


def ways_to(page: str) -> set[str]:
    """The villages that are links."""
    return set(re.findall(r'<a class="place f-village[^"]*" href="[^"]*" data-value="([^"]+)"', page))


def test_without_scripts_the_chart_leads_where_the_group_that_is_written_last_can_go(table: Table) -> None:
    position = (
        "fief: 1\nseats: a b c\nphase: 5\nweather: heavy_rain 5\nCharles: a bourg\nHenri: a sigy\n"
        "bourg: a\nbourg.a: 3 maa\n{}Arthur: b villeneuve\n"
    )
    state = FIEF.rules.notation.read(position.format(""))
    begin(state)
    path = table.lay_out("a", state)
    assert ways_to(table.anna.get(path).text) == set()
    assert ways_to(table.anna.get(f"{path}?option=move&moves=Charles").text) == {"villeneuve", "la_bussiere", "st_vivien"}
    moved = table.anna.get(f"{path}?option=move&moves=Charles&moves=villeneuve").text
    assert ways_to(moved) == {"villeneuve", "bourg", "charolles", "les_essarts", "st_medard"}
    assert moved.index('class="f-army') < moved.index('class="f-veil"') < moved.index('class="plan-over"')
    rings = re.findall(r'<g class="f-far[^"]*">.*?<text[^>]*>(\d)</text>', moved)
    assert rings.count("1") == 3 and rings.count("2") == 4, "each village in reach has the number of roads on its ring"
    rain = f"{path}?option=move&moves=Henri"
    assert ways_to(table.anna.get(rain).text) == set(), "no road can be taken in the rain"
    state = FIEF.rules.notation.read(position.format("a.hand: secret_passage\n"))
    begin(state)
    assert table.lay_out("a", state) == path
    assert ways_to(table.anna.get(rain).text) == {"st_ciers", "st_paul"}, "but by a Secret Passage"


def test_without_scripts_a_purchase_is_stepped_village_by_village(table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 4b\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\na.deniers: 9\nArthur: b sigy\n"
    )
    begin(state)
    path = table.lay_out("a", state)
    page, value = table.anna.page(path), ""
    for value in ("more:items:what=maa,at=bourg", "more:items:what=maa,at=bourg", "add:items:what=mill,at=bourg"):
        form = next(f for f in page.split("<form ") if 'value="buy"' in f).partition("</form>")[0]
        assert f'name="rows" value="{value}"' in form
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
        page = table.anna.post(path.replace("/table", "/rows"), {**hidden, "rows": value}).text
    assert "4 Deniers left after this." in page and "costs 10, you have 4 left" in page
    form = next(f for f in page.split("<form ") if 'value="buy"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    rows = {name: value for name, value in hidden.items() if name.startswith("f_")}
    assert rows == {
        "f_items__rows": "2",
        "f_items__1__what": "maa",
        "f_items__1__at": "bourg",
        "f_items__1__n": "2",
        "f_items__2__what": "mill",
        "f_items__2__at": "bourg",
    }
    unknown = table.anna.post(path.replace("/table", "/rows"), {**hidden, "rows": "add:items:nothing=mill"})
    assert unknown.status_code == 400


def test_an_exchange_is_two_hands_and_says_what_is_signed(table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\nbourg.b: 1 maa\nArthur: b sigy\nsigy: b\n"
        "sigy.b: 3 maa\na.deniers: 9\na.hand: bountiful_harvest\nJeanne: a sigy captor=b\n"
    )
    begin(state)
    path = table.lay_out("a", state)
    form = next(f for f in table.anna.page(path).split("<form ") if 'value="propose"' in f).partition("</form>")[0]
    for name in ("give_cards__bountiful_harvest", "want_captives__Jeanne", "give_villages__bourg", "want_villages__sigy"):
        assert f'type="checkbox" name="f_{name}"' in form
    assert "All of it or nothing." in form and "Nothing is on the table yet." in form
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    terms = {"f_give_deniers": "6", "f_give_cards__bountiful_harvest": "1", "f_want_captives__Jeanne": "1"}
    said = table.anna.post(path.replace("/table", "/ahead"), {**hidden, **terms}).text
    assert "You give 6 Deniers and Bountiful Harvest for the freedom of Jeanne." in said
    assert 'class="over"' not in said, "nobody is chosen yet: that is no fault while one composes"


def test_a_march_without_a_leader_is_refused_in_words_of_the_game(table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\nArthur: b sigy\n"
    )
    begin(state)
    path = table.lay_out("a", state)
    form = next(f for f in table.anna.page(path).split("<form ") if 'value="move"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    refused = table.anna.post(path.replace("/table", "/answer"), {**hidden, "f_moves__1__to": "villeneuve"}).text
    assert ">Choose the Lord who leads this march.<" in refused and "Row 1" not in refused
    send = "add:moves:lords=Charles"
    assert f'value="{send}"' in form
    sent = table.anna.post(path.replace("/table", "/rows"), {**hidden, "rows": send}).text
    assert "leads from Bourg" in sent and 'name="f_moves__1__lords__Charles" value="1" checked' in sent


def test_a_family_has_beside_its_points_how_many_win_and_what_it_has_with_its_ally(table: Table) -> None:  # FF-VIC-1, FF-VIC-3
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c d\nphase: 5\nCharles: a bourg king spouse=Blanche\nBlanche: b tournus spouse=Charles\n"
        "Arthur: c sigy fief=sigy\nHenri: d blaye\n"
    )
    begin(state)
    page = table.anna.page(table.lay_out("a", state))
    found = {s: re.sub(r"<[^>]+>|\s+", " ", x.partition('class="f-score"')[2].partition("</p>")[0]) for s, x in families(page)}
    assert "of 3" in found["c"] and "of 3" in found["d"] and "together" not in found["c"]
    assert "of 4" in found["a"] and "together with Baldwin" in found["a"] and "of 4" in found["b"]


def families(page: str) -> list[tuple[str, str]]:
    """The families of the board, by seat."""
    return re.findall(r'<section class="f-family[^>]*data-seat="(\w)">(.*?)</section>', page, re.S)


def test_the_family_whose_turn_it_is_has_a_stub_on_its_row(table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\nArthur: b sigy\n"
    )
    begin(state)
    page = table.anna.page(table.lay_out("a", state))
    assert [seat for seat, row in families(page) if "f-turn" in row] == ["a"]


def test_those_who_watch_see_the_chart_and_no_hand(table: Table, settings: Settings) -> None:
    seat, state = at(6, "movement")
    table.lay_out(seat, state)
    with transaction(settings) as session:
        match = session.get_one(Match, table.game(6))
        let_watch(session, match, True)
        key = match.watch_key
    page = table.anna.page(f"/watch/{key}")
    assert 'class="f-chart"' in page and "f-hand" not in page and page.count('class="f-family') == 6


def test_an_offer_that_cannot_be_kept_is_refused_with_what_lacks_and_stands_first_where_nothing_is_asked(table: Table) -> None:
    asked, state = at(3, "movement")
    other, third = [s for s in state.table.seats if s != asked]
    state.table.families[other].deniers = 2
    number = offers.put(
        state.table, Exchange(want=Terms(deniers=99), give=Terms(), by=third, to=[other], only=[other, third], until="phase")
    )
    path = table.lay_out(other, state)
    page = table.anna.page(path)
    assert (
        page.index('id="proposals"')
        < page.index("Nothing to do here now")
        < page.index("Standing orders can answer the routine ones")
    )
    game = path.removesuffix("/table")
    form = {"serial": -number, "kind": "exchange", "option": "accept", "key": "0" * 32}
    assert "That takes 99 Deniers, and you have 2 Deniers" in table.anna.post(f"{game}/preview", form).text


def test_a_bargain_shows_every_part_of_it(table: Table) -> None:
    seat, state = at(6, "purchase")
    other = next(s for s in state.table.seats if s != seat)
    give, want = Terms(ransom=4, consent="Othon"), Terms(deniers=1)
    offers.put(state.table, Exchange(give=give, want=want, by=other, to=[seat], only=[other, seat], until="phase"))
    page = table.anna.page(table.lay_out(seat, state))
    assert "ransom: 4 Deniers" in page and "the Pope’s consent to Othon" in page


def test_bargains_lie_one_below_the_other_and_those_of_others_are_open(table: Table) -> None:  # FF-DIP-9
    seat, shared = at(6, "purchase")
    state = clone(shared)
    other = next(s for s in state.table.seats if s != seat)
    state.table.proposals.open = []
    for by, to in ((seat, other), (other, seat)):
        bargain = Exchange(give=Terms(deniers=1), want=Terms(), by=by, to=[to], only=[by, to], until="phase")
        offers.put(state.table, bargain)
    lying = table.anna.page(table.lay_out(seat, state)).split('<div class="f-bargains')[1]
    panels = lying.split('<details class="f-doing f-bargain"')[1:]
    assert [panel.startswith(" open>") for panel in panels] == [False, True]
    assert "Your offer to" in panels[0] and "offer to you" in panels[1].partition("</summary>")[0]


def test_an_offer_of_ones_own_is_amended_in_a_form_that_says_how_it_stands(table: Table) -> None:  # FF-DIP-9
    seat, state = at(6, "purchase")
    other = next(s for s in state.table.seats if s != seat)
    state.table.families[seat].deniers, state.table.families[other].deniers = 7, 9
    mine = Exchange(give=Terms(deniers=3), want=Terms(deniers=5), by=seat, to=[other], only=[other, seat], until="phase")
    number = offers.put(state.table, mine)
    page = table.anna.page(table.lay_out(seat, state))
    form = page.partition("Change it</span></summary>")[2].partition("</form>")[0]
    assert f'name="serial" value="{-number}"' in form and 'name="f_to"' not in form
    for name, stands in (("give", 3), ("want", 5)):
        field = next(part for part in form.split("<input") if f'name="f_{name}_deniers"' in part)
        assert f'value="{stands}"' in field
    answer = Answer("amend", {"give_deniers": 4, "want_deniers": 5})
    offers.take(state, seat, number, offers.checked(state, seat, number, answer))
    ((_, put),) = offers.proposals(state, other)
    assert (put.about["give_deniers"], put.about["want_deniers"]) == (4, 5)


def test_the_rules_can_be_read(anna: Visitor) -> None:
    page = anna.page("/help/fief")
    assert "How to read the chart" in page and "fief.css" in page and page.count("f-figure") > 15


def test_beside_a_log_of_few_lines_stands_what_a_round_brings(table: Table) -> None:
    state = FIEF.rules.notation.read("fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nArthur: b sigy\nHenri: c tournus\n")
    begin(state)
    page = table.anna.page(table.lay_out("a", state))
    assert page.index('data-part="log"') < page.index("How a round goes")
    assert page.count("ransoms, Troops, Mills, Strongholds, titles") == 1


def test_who_asks_for_an_annulment_is_shown_with_the_couple_to_all(table: Table) -> None:  # FF-MAR-11
    seat, shared = at(6, "purchase")
    state = clone(shared)
    one, other = [p for p in state.table.lords.values() if p.seat != seat][:2]
    one.spouse, other.spouse = other.id, one.id
    offers.put(state.table, Annulment(lord=one.id, by=one.seat, to=[seat], until="phase"))
    page = table.anna.page(table.lay_out(seat, state))
    sheet = page.partition("asks for an annulment</summary>")[2].partition("</details>")[0]
    assert f"<b>{lord(one.id)}</b>" in sheet and f"<b>{lord(other.id)}</b>" in sheet
    assert "no longer allies" in sheet
    three = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 4b\nCharles: a bourg spouse=Jeanne\nJeanne: b bourg spouse=Charles\nbourg: a\n"
    )
    begin(three)
    offers.put(three.table, Annulment(lord="Charles", by="b", to=["a"], until="phase"))
    page = table.anna.page(table.lay_out("a", three))
    assert (
        "asks for an annulment" in page
        and "allies" not in page.partition("asks for an annulment")[2].partition("</details>")[0]
    )
