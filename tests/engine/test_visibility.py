"""Who sees what, said beside each field: views, positions and re-dealing follow from it, however the things lie."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest

from engine.core.asks import Answer, NotUnderstood, Seat
from engine.core.chance import Chance
from engine.core.offers import Desk, Proposal
from engine.core.procedure import Done, Endless, Next, Outcome, Procedure, State, Unfinished, begin
from engine.core.views import Event
from engine.core.visibility import (
    COUNTED,
    HIDDEN,
    OWN,
    Counted,
    Hidden,
    Own,
    Seen,
    Sight,
    Zone,
    procedures,
    redeal,
    redealer,
    sights,
    view,
)
from engine.game import Game, Rules, Words
from engine.language.words import Catalogue, Missing
from engine.text.notation import of_table


class Stake(msgspec.Struct):
    place: Seen[str]
    card: Hidden[str] = ""


class Field(msgspec.Struct):
    knights: Seen[int] = 0
    trap: Hidden[str] = ""


class Player(msgspec.Struct):
    seat: Seat
    hand: Own[list[str]] = []
    army: Annotated[list[str], OWN.of("army")] = []
    stakes: list[Stake] = []


class Pact(Proposal):
    coins: int = 0


class Table(msgspec.Struct):
    seats: list[Seat]
    chance: Chance
    players: dict[Seat, Player]
    fields: dict[str, Field] = {}
    bids: Own[dict[Seat, int]] = {}
    deck: Counted[list[str]] = []
    under: Hidden[list[str]] = []
    open: Seen[bool] = False
    motto: Seen[str] = ""
    proposals: Desk[Pact] = msgspec.field(default_factory=Desk[Pact])
    outcome: Outcome | None = None
    news: list[Any] = []
    rulings: dict[str, str] = {}


class Duel(Procedure):
    place: Seen[str] = ""
    cards: Own[dict[Seat, str]] = {}
    note: str = ""

    def begin(self, table: Table) -> Next:
        return Done(table.seats[0])


Kind = State[Table, Duel]
SIGHTS = sights(Kind)
NOTATION = of_table("duel", SIGHTS, {})
WRITE, SEEN = NOTATION.whole, NOTATION.seen


def position() -> State[Table, Duel]:
    players = {
        "a": Player("a", ["c1", "c2"], ["K1"], [Stake("north", "c3")]),
        "b": Player("b", ["c4"], ["K2", "K3"]),
    }
    table = Table(["a", "b"], Chance("ab"), players, {"F1": Field(2, "c5")}, {"a": 3, "b": 5}, ["c6", "c7"], ["c8"], True)
    table.proposals.open.append(Pact(by="a", to=["b"], only=["a", "b"], number=67, coins=2))
    table.proposals.counted[3] = 1
    return Kind(table, [Duel(place="north", cards={"a": "c9", "b": "c10"}, note="secret")], 1, ["a"])


def test_each_sees_what_the_fields_say() -> None:
    seen = view("duel", SIGHTS, position(), "a")
    assert seen["game"] == "duel"
    assert seen["players"] == {
        "a": {"seat": "a", "hand": ["c1", "c2"], "army": ["K1"], "stakes": [{"place": "north"}]},
        "b": {"seat": "b", "hand": 1, "army": 2, "stakes": []},
    }
    assert (seen["fields"], seen["bids"], seen["deck"], seen["open"]) == ({"F1": {"knights": 2}}, {"a": 3}, 2, True)
    assert "under" not in seen and seen["doing"] == [{"what": "duel", "place": "north", "cards": {"a": "c9"}}]
    assert "bids" in view("duel", SIGHTS, position(), None) and view("duel", SIGHTS, position(), None)["bids"] == {}


def test_a_position_is_read_back_whole_and_tells_a_reader_no_more_than_his_view() -> None:
    state = position()
    again = NOTATION.read(WRITE(state))
    assert again == state and WRITE(again) == WRITE(state)
    for reader, unseen in (("a", ("c3", "c4", "c5", "c6", "c8", "K2", "5")), (None, ("c1", "c3", "c5", "c8", "K1", "b.bids"))):
        text = SEEN(state, reader)
        assert not [word for word in unseen if word in text.replace("F1", "")] and "secret" not in text and "67" not in text
    assert {"b.hand: ?1", "deck: ?2", "open: yes", "a.bids: 3"} <= set(SEEN(state, "a").splitlines())


def test_what_is_empty_or_not_so_is_written_and_read_back() -> None:
    state = position()
    for open_, motto, lines in ((False, "", {"open: no", "motto: -"}), (True, "yes", {"open: yes", "motto: yes"})):
        state.table.open, state.table.motto = open_, motto
        assert lines <= set(WRITE(state).splitlines()) and lines <= set(SEEN(state, None).splitlines())
        assert NOTATION.read(WRITE(state)) == state


def test_hidden_things_are_dealt_anew_from_their_own_pools() -> None:
    state, redeal = position(), redealer(SIGHTS)
    hands, armies = set[str](), set[str]()
    for n in range(40):
        other = redeal(state, "a", Chance(f"{n}"))
        assert view("duel", SIGHTS, other, "a") == view("duel", SIGHTS, state, "a")
        hands.add(*other.table.players["b"].hand)
        armies |= set(other.table.players["b"].army)
    assert "c4" in hands and hands >= {"c6", "c8"} and not hands & {"c1", "c2", "c9", "K2"} and armies == {"K2", "K3"}
    assert state == position()


def test_who_deals_anew_keeps_the_own_sealed_answer_and_asks_all_others_again() -> None:
    """Where nobody else is asked, there is no telling whether it was given: it is asked again, too."""
    state, redeal, sealed = position(), redealer(SIGHTS), Answer("bid", {"n": 2})
    state.waiting, state.sealed = [], {"a": sealed, "b": sealed}
    other = redeal(state, "a", Chance("sealed"))
    assert (other.waiting, other.sealed) == (["b"], {"a": sealed})
    state.sealed = {"a": sealed}
    alone = redeal(state, "a", Chance("sealed"))
    assert (alone.waiting, alone.sealed) == (["a"], {})


def test_a_game_has_what_it_leaves_out_from_its_table_and_its_words() -> None:
    state, words = position(), Catalogue("tests")
    duel = Game(
        name="duel",
        title="Duel",
        rules=Rules(seats=range(2, 3), state=Kind, setup=lambda *_: state),
        words=Words(words),
    )
    assert (
        duel.rules.view(state, "a") == view("duel", SIGHTS, state, "a") and duel.rules.decode(duel.rules.encode(state)) == state
    )
    assert (duel.rules.notation.whole(state), duel.rules.notation.seen(state, "b")) == (WRITE(state), SEEN(state, "b"))
    assert duel.rules.notation.read(WRITE(state)) == state
    assert duel.rules.redeal(state, "a", Chance("x")) == redealer(SIGHTS)(state, "a", Chance("x"))
    assert duel.words.word("c1", {}, "") == "c1" and duel.words.chapter(Event("opening", {"year": 1429})) == "The fair of 1429"
    with pytest.raises(Missing):
        duel.words.tell(Event("duelled", {}), {}, None)


class Truce(Procedure):
    def begin(self, table: Table) -> Next:
        return "begin" if table.seats else Done()


def test_the_procedures_of_a_game_are_told_by_its_states() -> None:
    assert procedures(Kind) == (Duel,) and procedures(State[Table, Duel | Truce]) == (Duel, Truce)


def test_what_never_asks_anybody_is_stopped_and_named() -> None:
    with pytest.raises(Endless, match=r"steps and nobody was asked; the last was Truce\.begin$"):
        begin(State[Table, Truce](position().table, [Truce()], 0, []))


def test_two_fields_of_one_name_are_refused() -> None:
    class Twice(Table):
        hand: Seen[int] = 0

    with pytest.raises(Unfinished, match="two fields are called hand"):
        of_table("duel", sights(State[Twice, Duel]), {})


def test_a_field_of_which_nobody_said_who_sees_it_is_refused() -> None:
    class Bare(Table):
        wares: int = 0

    told = r"^Bare\.wares: it doesn't say who sees it\. Write Seen\[…\], .* around its type; see engine/core/visibility\.py\.$"
    with pytest.raises(Unfinished, match=told):
        of_table("duel", sights(State[Bare, Duel]), {})


def test_what_is_hidden_has_to_be_pieces_that_can_be_dealt_anew() -> None:
    class Piles(Table):
        piles: Hidden[dict[Seat, list[str]]] = {}
        trap_of: Hidden[dict[Seat, int]] = {}
        last: Hidden[list[int] | None] = None

    redealer(sights(State[Piles, Duel]))

    class Odd(Table):
        odds: Hidden[dict[Seat, Stake]] = {}

    with pytest.raises(
        Unfinished, match=r"^odds: it is hidden, but .* are no pieces \(str or int\) that could be dealt anew\."
    ):
        redealer(sights(State[Odd, Duel]))


def test_a_zone_that_is_there_twice_or_not_at_all_is_named() -> None:
    with pytest.raises(NotUnderstood, match="“deck” is there twice; each zone has one line"):
        NOTATION.read("seats: a b\ndeck: c1\ndeck: c2")
    with pytest.raises(
        NotUnderstood, match="there is no zone “dcek”; there are: bids, deck, fields, motto, open, players, under"
    ):
        NOTATION.read("seats: a b\ndcek: c1")
    with pytest.raises(NotUnderstood, match="there is no zone “hnad”; there are: army, bids, hand"):
        NOTATION.read("seats: a b\na.hnad: c1")
    with pytest.raises(NotUnderstood, match="there is no seat “zed”; there are: a, b"):
        NOTATION.read("seats: a b\nzed.hand: c1")


def test_a_seat_without_a_line_has_what_a_seat_begins_with() -> None:
    table = NOTATION.read("seats: a b\na.hand: c2").table
    assert table.players["a"].hand == ["c2"] and table.players["b"] == Player("b") and table.bids == {}


class Post(msgspec.Struct):
    place: Seen[str]
    key: Own[str] = ""
    plan: str = ""


class Camp(msgspec.Struct):
    seats: list[Seat]
    chance: Chance
    tents: dict[Seat, Player] = {}
    posts: dict[str, Stake] = {}
    watches: list[Stake] = []
    chief: Stake | None = None
    purse: Annotated[dict[Seat, int], OWN.of("coins")] = {}
    tally: Hidden[dict[str, list[str]]] = {}
    seals: Annotated[dict[str, str], OWN.of("seals")] = {}
    badge: Hidden[str] = ""
    lucky: Hidden[str | None] = None
    spies: Counted[list[str]] = []
    outcome: Outcome | None = None
    news: list[Any] = []
    rulings: dict[str, str] = {}


class Raid(Procedure):
    step: str = "begin"
    goal: Seen[str] = ""
    posts: dict[str, Post] = {}
    second: Post | None = None
    word: Hidden[str] = ""
    done: bool = False

    def begin(self, table: Camp) -> Next:
        return Done(table.seats[0])


RAIDS = State[Camp, Raid]


class Straight(Chance):
    """Chance that leaves what it should shuffle as it lies, and keeps what it was for."""

    asked: list[str] = []

    def shuffle(self, cards: list[Any], purpose: str, last: int | None = None) -> None:
        assert last is None
        self.asked.append(f"{purpose}: {' '.join(map(str, cards))}")


def camp() -> State[Camp, Raid]:
    table = Camp(
        ["a", "b"],
        Chance("camp"),
        tents={"a": Player("a", ["c1"], ["K1"]), "b": Player("b", ["c2"], ["K2", "K3"], [Stake("east", "c3")])},
        posts={"mill": Stake("west", "c4"), "ford": Stake("south")},
        watches=[Stake("gate", "c5")],
        chief=Stake("hall", "c6"),
        purse={"a": 7, "b": 8},
        tally={"nuts": ["c7", "d1"], "figs": []},
        seals={"a": "s1", "mill": "s2"},
        badge="d2",
        spies=["d3"],
    )
    raid = Raid(goal="mill", posts={"a": Post("bank", "k1", "dig"), "b": Post("hill", "k2", "swim")}, word="d4")
    return RAIDS(table, [raid], 1, ["a"])


def test_what_a_game_is_made_of_is_read_from_its_fields() -> None:
    known = sights(RAIDS)
    place, seat = Zone("place", str, Sight("all"), {}), Zone("seat", str, Sight("all"), {})
    stake = {"place": place, "card": Zone("card", str, HIDDEN, {})}
    player = {
        "seat": seat,
        "hand": Zone("hand", list[str], OWN, {}),
        "army": Zone("army", list[str], Sight("owner", True, "army"), {}),
        "stakes": Zone("stakes", list[Stake], None, stake, "list", Stake),
    }
    post = {"place": place, "key": Zone("key", str, OWN, {})}
    assert known.kind is RAIDS and known.table == {
        "tents": Zone("tents", dict[Seat, Player], None, player, "seat", Player),
        "posts": Zone("posts", dict[str, Stake], None, stake, "key", Stake),
        "watches": Zone("watches", list[Stake], None, stake, "list", Stake),
        "chief": Zone("chief", Stake | None, None, stake, "", Stake),
        "purse": Zone("purse", dict[Seat, int], Sight("owner", True, "coins"), {}),
        "tally": Zone("tally", dict[str, list[str]], HIDDEN, {}),
        "seals": Zone("seals", dict[str, str], Sight("owner", True, "seals"), {}),
        "badge": Zone("badge", str, HIDDEN, {}),
        "lucky": Zone("lucky", str | None, HIDDEN, {}),
        "spies": Zone("spies", list[str], COUNTED, {}),
    }
    assert known.stack == {
        Raid: {
            "goal": Zone("goal", str, Sight("all"), {}),
            "posts": Zone("posts", dict[str, Post], None, post, "key", Post),
            "second": Zone("second", Post | None, None, post, "", Post),
            "word": Zone("word", str, HIDDEN, {}),
        }
    }


def test_a_view_shows_each_thing_to_those_who_see_it_however_it_lies() -> None:
    state = camp()
    state.table.outcome = Outcome(("b",), "points")
    shown = {
        "game": "camp",
        "seat": "a",
        "tents": {
            "a": {"seat": "a", "hand": ["c1"], "army": ["K1"], "stakes": []},
            "b": {"seat": "b", "hand": 1, "army": 2, "stakes": [{"place": "east"}]},
        },
        "posts": {"mill": {"place": "west"}, "ford": {"place": "south"}},
        "watches": [{"place": "gate"}],
        "chief": {"place": "hall"},
        "purse": {"a": 7},
        # What lies under names is nobody's own, though one of them be a seat's letter too: the seals, and a post's key.
        "seals": 2,
        "spies": 1,
        "doing": [
            {"what": "raid", "goal": "mill", "posts": {"a": {"place": "bank"}, "b": {"place": "hill"}}, "second": None},
        ],
        "outcome": {"winners": ("b",), "how": "points"},
    }
    assert view("camp", sights(RAIDS), state, "a") == shown
    state.table.outcome, state.table.chief, state.table.spies, state.stack = None, None, [], []
    assert view("camp", sights(RAIDS), state, "a") == {**shown, "chief": None, "spies": 0, "doing": [], "outcome": None}


def test_each_hidden_thing_is_dealt_anew_to_the_place_of_one_like_it_and_what_is_empty_stays_so() -> None:
    state, chance = camp(), Straight("straight")
    other = redeal(sights(RAIDS), state, "a", chance)
    assert chance.asked == ["redeal: c2 c3 c4 c5 c6 c7 d1 d2 d3 d4 k1 k2", "redeal: K2 K3", "redeal: 8", "redeal: s1 s2"]
    table, (raid,) = other.table, other.stack
    assert table.tents == {"a": Player("a", ["c1"], ["K1"]), "b": Player("b", ["k2"], ["K3", "K2"], [Stake("east", "k1")])}
    assert table.posts == {"mill": Stake("west", "d4"), "ford": Stake("south")}
    assert (table.watches, table.chief) == ([Stake("gate", "d3")], Stake("hall", "d2"))
    assert table.seals == {"a": "s2", "mill": "s1"}
    assert (table.purse, table.tally) == ({"a": 7, "b": 8}, {"nuts": ["d1", "c7"], "figs": []})
    assert (table.badge, table.lucky, table.spies) == ("c6", None, ["c5"])
    assert raid.posts == {"a": Post("bank", "c4", "dig"), "b": Post("hill", "c3", "swim")} and raid.word == "c2"
    assert (raid.goal, raid.second) == ("mill", None) and state == camp(), "and the position itself stays as it is"


def test_a_mapping_that_is_still_empty_is_no_piece_that_somebody_could_be_dealt() -> None:
    state = position()
    state.table.bids = {}
    for n in range(20):
        other = redealer(SIGHTS)(state, "a", Chance(f"{n}"))
        assert other.table.bids == {} and {} not in [*other.table.deck, *other.table.under, *other.table.players["b"].hand]


class Shop(msgspec.Struct):
    wares: int = 0


class Street(Table):
    shops: dict[Seat, Shop] = {}


def test_a_thing_in_a_struct_of_which_nobody_said_who_sees_it_is_refused_too() -> None:
    with pytest.raises(Unfinished, match=r"^Shop\.wares: it doesn't say who sees it"):
        sights(State[Street, Duel])


def test_a_game_whose_hidden_flags_are_no_pieces_is_told_to_bring_a_redeal_of_its_own() -> None:
    class Flags(Table):
        sly: Hidden[bool] = False

    class Vow(Procedure):
        sworn: Own[Stake | None] = None

        def begin(self, table: Table) -> Next:
            return Done(table.seats[0])

    own = r" are no pieces \(str or int\) that could be dealt anew\. Give the Game a redeal of its own\.$"
    with pytest.raises(Unfinished, match=r"^sly: it is hidden, but <class 'bool'>" + own):
        redealer(sights(State[Flags, Duel]))
    with pytest.raises(Unfinished, match=r"^sworn: it is hidden, but .*Stake \| None" + own):
        redealer(sights(State[Table, Duel | Vow]))
