"""Case files are read strictly: what says nothing, or was never needed, is told with its line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.core.asks import Answer, NotLegal, NotUnderstood, Refused, Seat
from engine.core.chance import Chance
from engine.games import GAMES, game_called
from engine.language.words import plain
from engine.play import cases
from engine.play.cases import Scripted, Variant
from tests.ortus.scene import Scene
from tests.toy_game import FAIR, FairState

HEAD = "case: X\nrules: OR-BAT-2\ngiven\n"
GIVEN = "seats: a b\na.F1: Palace (Champion) {Land}\na.reserve: K\nb.F1: Palace (-) {}\nb.F2: Castle (-) {Land}\n"
MOVES = "moves\na: attack target=siege:b:F2 lords=[lord:F1] reserve=[Knight]\nexpect\n"


def faults(text: str) -> str:
    try:
        return "; ".join(cases.run_text(text))
    except Refused as refusal:
        return str(refusal)


def test_what_is_right_holds() -> None:
    good = "gone: b.F2\nno event: crowned\nb.reserve:\nb.banners:\nlacks b.discard: Church\ncontains b.discard: Castle, Land\n"
    assert faults(HEAD + GIVEN + MOVES + good) == ""


@pytest.mark.parametrize(
    ("expectation", "fault"),
    [
        ("b.reserv:", "line 13: “b.reserv”: an Earl has no zone “reserv”."),
        ("b.reserv: I", "line 13: “b.reserv”: an Earl has no zone “reserv”."),
        ("reserve:", "line 13: “reserve”: there is no zone “reserve”."),
        ("g.hand:", "line 13: “g.hand”: there is no zone “g.hand”."),
        ("gone: b.F99", "line 13: there never was a b.F99"),
        ("no event: crownd", "line 13: there is no event “crownd”"),
        ("event: crownd", "line 13: nothing told “crownd”"),
        ("lacks b.discard: Churhc", "line 13: “b.discard”: there is no card “Churhc”."),
        ("lacks b.discrd: Church", "line 13: “b.discrd”: an Earl has no zone “discrd”."),
        ("count b.discrd: 0", "line 13: “b.discrd”: an Earl has no zone “discrd”."),
        ("contains b.discrd:", "line 13: “b.discrd”: an Earl has no zone “discrd”."),
        ("choices a tower.card:", "line 13: choices a tower.card: there is no field card."),
        ("wishes", "line 13: “wishes” is nothing to expect."),
    ],
)
def test_an_expectation_that_can_not_fail_is_a_fault(expectation: str, fault: str) -> None:
    assert fault in faults(HEAD + GIVEN + "a.hand: Land\n" + MOVES + expectation)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("chance joust-deck: JoustPrince", "line 9: “joust-deck” was not drawn so often"),
        ("chance battel-deck: AW", "line 9: “battel-deck” was not drawn so often"),
        ("order b SO-01: on", "line 9: nobody looked at the orders of b; write `by order` or `ordered`"),
        ("b.F1: Castle (-) {}", "line 9: “b.F1” is given twice."),
        ("b.F3: Castle (-) {Lnad}", "line 9: there is no card “Lnad”."),
        ("b.M1: Mercenary (Knihgt)", "line 9: there is no Army or Viking card “Knihgt”."),
        ("a.hand: 7 Land", "line 9: 8 times Land of a's set are there: a set has 6 of a type, and one Palace (OR-COMP-1)."),
        ("bhand: Land", "line 9: there is no zone “bhand”."),
        ("drop: b.hand", "line 9: there is no b.hand to drop."),
        ("so it goes", "line 9: “so it goes” isn't `key: value`."),
    ],
)
def test_what_is_given_for_nothing_is_a_fault(line: str, fault: str) -> None:
    assert fault in faults(HEAD + GIVEN + line + "\n" + MOVES)


def test_a_variant_may_leave_alone_what_it_has_of_the_one_before() -> None:
    drawn = "b.hand: Vassal\nbattle:\nbattle-discard: AW, NB\nchance battle-deck: NB\n"
    text = HEAD + GIVEN + drawn + MOVES.replace("expect\n", "b: field hand=[Vassal/b]\nexpect\nevent: battle_card\n")
    assert faults(text + "again\nexpect\nasked: a turn\n") == ""
    told = faults(text + "again\nchance battle-deck: DW\nexpect\nasked: a turn\n")
    assert told == "X (2): line 19: “battle-deck” was not drawn so often"


def test_draws_for_what_is_not_to_happen_may_be_left_if_none_was_made() -> None:
    given = GIVEN + "chance battle-deck: NB\n"
    assert faults(HEAD + given + MOVES + "no event: crowned") == ""
    assert faults(HEAD + given + MOVES) == "X: line 9: “battle-deck” was not drawn so often"
    assert "“battle-deck” was not drawn so often" in faults(HEAD + given + MOVES + "no event: attack"), "it has happened"
    drawn = "b.hand: Vassal\nbattle:\nbattle-discard: AW, NB\nchance battle-deck: NB\nchance battle-deck: NB\n"
    some = HEAD + GIVEN + drawn + MOVES.replace("expect\n", "b: field hand=[Vassal/b]\nexpect\nno event: crowned\n")
    assert "“battle-deck” was not drawn so often" in faults(some), "one of two"


def test_all_draws_for_a_purpose_count_and_those_of_a_variant_take_the_place_of_all_before() -> None:
    text = "case: X\ngiven\nchance die: 1\nchance die: 2\nchance top: AW, NB\nagain\nchance die: 3\nchance die: 4\nagain\n"
    first, second, third = cases.parse(text)[1]
    assert first.chance == {"die": [["1"], ["2"]], "top": [["AW", "NB"]]}
    assert second.chance == third.chance == {"die": [["3"], ["4"]], "top": [["AW", "NB"]]}
    assert (first.lines, second.lines) == ({"chance die": 4, "chance top": 5}, {"chance die": 8})


def test_what_stands_before_the_position_is_known_too() -> None:
    assert faults(HEAD.replace("rules", "ruels") + GIVEN + MOVES) == "line 2: “ruels” isn’t one of case, game, rules, shows."
    assert faults("case: Y\n" + HEAD + GIVEN + MOVES) == "line 2: “case” is there twice."


def test_nothing_lies_on_the_table_of_a_match_that_is_set_up_anew() -> None:
    told = faults(HEAD + "fresh: a b\nb.hand: Land\na.hand: Land\nexpect\nasked: a deck, b deck\n")
    assert told == "X: line 6: “a.hand” can't be given of a match that is set up anew."


def test_a_mercenary_may_be_garrisoned_in_short() -> None:
    text = "case: X\ngiven\nseats: a b\na.M1: Mercenary (K)\n"
    assert faults(text + "expect\na.M1: Mercenary (Knight)\n") == ""
    assert faults(text + "moves\na: concede sure=yes\nexpect\ngone: a.M1\ncontains army-discard: Knight\n") == ""


READ = HEAD + GIVEN + "a.hand: Land\nb.banners: Banner\n" + MOVES
ASKED = "There is no question for you right now. You get a letter when there is."


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("gone: b.F1", "b.F1 is still there: Palace (-) {}"),
        ("contains b.discard: 2 Land, Church", "b.discard lacks 1 Land, 1 Church; it is: Castle, Land"),
        ("contains b.discard: Land", ""),
        ("lacks b.discard: Land, Church", "b.discard has 1 Land"),
        ("begins b.discard: Land", "begins b.discard is ['Castle'], not ['Land']"),
        ("begins b.discard: Castle", ""),
        ("count b.discard: 3", "b.discard has 2 items, not 3: Castle, Land"),
        ("count b.discard: 2", ""),
        ("contains a.F1: Palace, Champion", ""),
        ("contains a.F1: Prince", "a.F1 lacks 1 Prince; it is: Palace (Champion) {Land}"),
        ("lacks a.F1: Prince, Church", ""),
        ("lacks a.F1: Land", "a.F1 has 1 Land"),
        ("begins a.F1: Palace, Champion", ""),
        ("count a.F1: 2", "a.F1 has 3 items, not 2: Palace (Champion) {Land}"),
        ("count a.banners: 0", ""),
        ("begins a.banners: Banner", "begins a.banners is [], not ['Banner']"),
        ("contains a.banners: Banner", "a.banners lacks 1 Banner; it is: "),
        ("a.F1: Palace (Champion) {Land}", ""),
        ("gone: stack", 'stack is still there: {"type":"Turn","step":"turn","came":"","seat":"a","done":[],"under_way":true}'),
        ("asked: b defend", "asked is ['a turn'], not ['b defend']"),
        ("asked: nobody", "asked is ['a turn'], not []"),
        ("asked: a turn", ""),
        ("ordered a: end", "ordered a is -, not end"),
        ("ordered a: -", ""),
        ("ordered b: -", ASKED),
        ("options a: end, tower", "options a is ['concede', 'end', 'tower'], not ['end', 'tower']"),
        ("options a: tower, end, concede", ""),
        ("choices a tower.cards: Church", "choices a tower.cards is ['Land/a'], not ['Church']"),
        ("choices a tower.cards: Land/a", ""),
        ("default a: concede sure=yes", "default a is ['end'], not ['concede sure=yes']"),
        ("default a: end", ""),
        ("open a: nothing", "open a is ['concession'], not []"),
        ("open b: concession", ""),
        ("open b: concession, levy", "open b is ['concession'], not ['concession', 'levy']"),
        ("event: crowned", "nothing told “crowned”"),
        ("no event: attack", "“attack” was told"),
        ("outcome: a", "outcome is [], not ['a']"),
        ("outcome:", ""),
        ("view a own.hand: Land", "view a own.hand is Land/a, not Land"),
        ("view b own.hand: -", ""),
        ("view - earls.a.reserve: 1", ""),
        ("view a nowhere: 1", "view a nowhere: there is no nowhere."),
        ("view a round.further: 1", "view a round.further: there is no further."),
        ("told b crowned: x", "b is not told “x”, but: []"),
        ("told b attack: Earl A laid siege to your Fief 2", ""),
        ("a.reserve: Infantry", "a.reserve is [['Knight']], not [['Infantry']]"),
        ("b.F1: Palace (-) {Land}", "b.F1 is [['Palace'], [], []], not [['Palace'], ['Land'], []]"),
        ("a.hand: 2 Land", "a.hand is [['Land']], not [['Land', 'Land']]"),
    ],
)
def test_each_expectation_holds_or_is_told_to_fail_in_a_sentence(line: str, fault: str) -> None:
    assert faults(READ + line) == (f"X: line 14: {fault}" if fault else "")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("default a", ""),
        ("default b", ASKED),
        ("default a b", "“default a b” can't be read; write: default SEAT"),
        ("by order a", "“by order a”: no order answers; a is asked"),
        ("by order b", ASKED),
        ("by order a b", "“by order a b” can't be read; write: by order SEAT"),
        ("refused a: end", "“a: end” should be refused, but was played"),
        ("refused a: attack target=siege:b:F1 | used this Turn's ACTION", ""),
        (
            "refused a: nonsense | x-ray",
            "“a: nonsense” is refused with other words: “nonsense” is not open to you here. You can: ",
        ),
        ("offer a deal: x", "“offer a deal: x” is refused: “deal” is not open to you just now."),
        ("offer a: x", "“offer a: x” is refused: “offer a” can't be read; write: offer SEAT KIND: ANSWER"),
        ("b: end", f"“b: end” is refused: {ASKED}"),
    ],
)
def test_each_move_is_played_or_its_refusal_told(line: str, fault: str) -> None:
    told = faults(READ.replace("expect\n", "") + line + "\n")
    assert told.startswith(f"X: line 13: {fault}") if fault else told == ""


def test_an_order_answers_where_a_move_says_so() -> None:
    text = HEAD + GIVEN + "a.deck: Land\norder a SO-14: on turns=[(turn=end)] close=once\n" + MOVES
    assert faults(text + "asked: a turn\nordered a: end\nmoves\nby order a\nexpect\nasked: b turn\n") == ""


def test_the_first_line_of_a_position_is_read_as_strictly_as_the_last() -> None:
    text = "case: X\ngiven\n{}seats: a b\n{}expect\nasked: a turn\n"
    assert faults(text.format("a.hnad: Land\n", "")) == "X: line 3: an Earl has no zone “hnad”."
    assert faults(text.format("", "a.hnad: Land\n")) == "X: line 4: an Earl has no zone “hnad”."


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "This is no case: it begins with `case: NAME` and has `given` and `expect`."),
        ("case: X\n", "This is no case: it begins with `case: NAME` and has `given` and `expect`."),
        ("rules: x\ngiven\n", "This is no case: it begins with `case: NAME` and has `given` and `expect`."),
        ("case: X\nexpect\n", "line 2: `expect` stands before any `given`."),
        ("nonsense\n", "line 1: “nonsense” isn't `key: value`."),
        ("case: X\ngiven\nno colon # here\n", "line 3: “no colon” isn't `key: value`."),
        ("case: X\ngiven\norder a: on\n", "“order a” can't be read; write: order SEAT ID: SETTING"),
        ("case: X\ngiven\nseats: a b\na.hand: 999999 Land\n", "X: line 4: “999999 Land” is too many; at most "),
        ("case: X\ngame: chess\ngiven\n", "X: There is no game called “chess”"),
    ],
)
def test_what_is_no_case_is_told_why(text: str, fault: str) -> None:
    assert faults(text).startswith(fault)


def test_faults_are_told_by_variant() -> None:
    text = READ + "asked: a turn\nagain\na.hand: Church\nexpect\na.hand: Church\nasked: nobody\nagain\nexpect\na.hand: Church\n"
    assert faults(text) == "X (2): line 19: asked is ['a turn'], not []"


def test_a_shuffle_puts_on_top_what_a_case_names_and_leaves_the_rest_as_it_lies() -> None:
    chance = Scripted("secret", {}, {"deck": [["Land", "Church/b"], ["Dragon"]]})
    cards = ["Land/a", "Monk/a", "Church/a", "Church/b", "Land/b"]
    chance.shuffle(cards, "deck")
    assert cards == ["Monk/a", "Church/a", "Land/b", "Church/b", "Land/a"], "the last is the first to be drawn"
    with pytest.raises(NotUnderstood, match=r"^chance deck: there is no Dragon to put on top\.$"):
        chance.shuffle(cards, "deck")


def test_numbers_are_what_is_drawn_below_or_the_positions_of_a_sample() -> None:
    chance = Scripted("secret", {}, {"die": [["4"], ["0"]], "hand": [["5", "1"]]})
    assert (chance.below(6, "die"), chance.die(6, "die"), chance.sample(9, 2, "hand")) == (4, 1, [1, 5])


def test_what_a_case_does_not_say_is_drawn_by_its_secret() -> None:
    chance, by_secret = Scripted("secret", {}, {"deck": [], "hand": [["1"]]}), Chance("secret")
    for last in (None, 3):
        cards, same = [*range(40)], [*range(40)]
        chance.shuffle(cards, "deck", last)
        by_secret.shuffle(same, "deck", last)
        assert cards == same != [*range(40)]
    assert chance.below(1000, "die") == by_secret.below(1000, "die")
    assert chance.sample(1000, 7, "men") == by_secret.sample(1000, 7, "men")


def remarked(text: str) -> list[str]:
    """What the remarks in a case say of its lines; none of a line that holds."""
    remarks = ((number, line.partition(" # ")[2]) for number, line in enumerate(text.splitlines(), 1))
    return [f"line {number}: {remark}" for number, remark in remarks if remark]


STALLS = """case: Stalls
game: fair
rules: T-01
shows: every line of a case that fails has its fault for a remark
given
fresh: a b c | rounds=2 rules=[poor]
rulings: T-05=coin
chance stock: ale, bread, cloth, dyes
chance tie: 5
chance tie: 5
chance tie: 2
chance tie: 1
chance dice: 5
chance dice: 0
chance dice: 3 # “dice” was not drawn so often
order b T-10: accept # nobody looked at the orders of b; write `by order` or `ordered`
order c T-11: accuse target=a # nobody looked at the orders of c; write `by order` or `ordered`
moves
a: bid coins=3
b: bid coins=3 ware=knives
default c
expect
asked: a share
asked: nobody # asked is ['a share'], not []
asked: a bid, c share # asked is ['a share'], not ['a bid', 'c share']
options a: split, share
options a: share # options a is ['share', 'split'], not ['share']
choices a share.to: b, a, c
choices a share.to: 3 b # choices a share.to is ['a', 'b', 'c'], not ['b', 'b', 'b']
choices a split.gifts: a # choices a split.gifts is [], not ['a']
choices a share.coins: coin1 # choices a share.coins: there is no field coins.
choices a share.to.me: a # choices a share.to.me: there is no field to.me.
choices a share to: a # “share to” is not open to you here. You can: share, split.
choices b share.to: a # There is no question for you right now. You get a letter when there is.
choices a sell.to: a # “sell” is not open to you here. You can: share, split.
default a: share
default a: share to={coin1>a} # default a is ['share'], not ['share to={coin1>a}']
default b: share # There is no question for you right now. You get a letter when there is.
open b: call, accuse, propose
open b: nothing # open b is ['accuse', 'call', 'propose'], not []
told a dealt_own: ['ale', 'bread', 'cloth']
told - dealt_own: ale # - is not told “ale”, but: []
told b dealt: ('seat', 'c')
told c dealt: ale # c is not told “ale”, but: ["dealt [('count', 3), ('seat', 'a')]", "dealt [('count', 3), ('seat', 'b')]"]
told - bids: 3
view - pot: 6
view a own.wares: ale, bread, cloth
view a own.wares: ale # view a own.wares is ale, bread, cloth, not ale
view - keepers.b.shown: knives
view - keepers.a.shown: -
view - own.wares: ale # view - own.wares: there is no own.
view - keepers.c.called: no
view - keepers.c.called: yes # view - keepers.c.called is no, not yes
view - keepers.d.called: yes # view - keepers.d.called: there is no d.
view - outcome: -
view c seat: c
event: bids
event: judged # nothing told “judged”
no event: judged # there is no event “judged”
outcome: a # outcome is [], not ['a']
ordered a: -
ordered a: share # ordered a is -, not share
ordered c: - # There is no question for you right now. You get a letter when there is.
moves
refused offer a propose: propose target=b ware=linen
refused a: share to={coin9>b} | Has nothing CALLED “coin9”
refused a: share to={coin9>b} | a tenth # “a: share to={coin9>b}” is refused with other words: “to” has nothing called “coin9”. Open to you: coin1, coin2, coin3, coin4.
refused b: sort
offer a call: accuse # “offer a call: accuse” is refused: “accuse” is not open to you here. You can: call.
offer a accuse#1: accuse target=c # “offer a accuse#1: accuse target=c” is refused: That proposal is no longer open: it was answered or withdrawn, or its time is over.
a: share to={coin1>b}
offer b propose: propose target=c ware=dyes coins=0
expect
open c: call, accuse, propose, trade
open b: call, accuse
moves
offer c trade: counter mine=jars coins=1
offer c trade: withdraw
offer a accuse: accuse target=c
b: guilty
expect
told b shared: ('gifts', ['b'])
told c proposed: ('by', 'b')
told a proposed: b # a is not told “b”, but: []
told b countered: c
view - keepers.c.coins: 2
asked: a sort, b sort, c sort
moves
offer b call: call target=c
c: yes
expect
view - keepers.b.coins: 2
view - keepers.c.coins: 1
"""  # noqa: E501  # a line of a case is a whole line


def test_every_line_of_a_case_holds_or_is_told_with_what_holds_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "fair", FAIR)
    assert sorted(cases.run_text(STALLS)) == sorted(f"Stalls: {fault}" for fault in remarked(STALLS))


def test_a_case_is_read_into_its_variants_line_by_line() -> None:
    head, variants = cases.parse(
        "case: X\n rules: R-1\nshows:  two: runs \n\ngiven\nseats: a b\nstack: one\nstack: two\nchance die: 1, 2 Land\n"
        "order a SO-1: on x=1\norder a SO-2: off\nmoves\na: end\ndefault b # he\nexpect\nasked: a\nmoves\nb: end\n"
        "again\ndrop: seats\nchance die: 3\norder a SO-1: off\nstack: three\nb.hand: K # one\nexpect\nasked: b\n"
    )
    assert head == {"case": "X", "rules": "R-1", "shows": "two: runs"}
    first, second = variants
    assert first == Variant(
        given={"seats": "a b", "stack": "one\ntwo"},
        orders={"a": {"SO-1": "on x=1", "SO-2": "off"}},
        chance={"die": [["1", "Land", "Land"]]},
        blocks=[("moves", [(13, "a: end"), (14, "default b")]), ("expect", [(16, "asked: a")]), ("moves", [(18, "b: end")])],
        lines={"seats": 6, "stack": 8, "chance die": 9, "order a SO-1": 10, "order a SO-2": 11},
        known={"seats": 6, "stack": 8, "chance die": 9, "order a SO-1": 10, "order a SO-2": 11},
    )
    assert second == Variant(
        given={"stack": "three", "b.hand": "K"},
        orders={"a": {"SO-1": "off", "SO-2": "off"}},
        chance={"die": [["3"]]},
        blocks=[("expect", [(26, "asked: b")])],
        lines={"chance die": 21, "order a SO-1": 22, "stack": 23, "b.hand": 24},
        known={"seats": 6, "stack": 23, "chance die": 21, "order a SO-1": 22, "order a SO-2": 11, "b.hand": 24},
    )


def test_a_position_may_stand_in_the_middle_of_one_thing_in_another() -> None:
    """Each line of the stack counts: a siege within a turn, whose end goes on with the turn."""
    scene = Scene("a.F1: Palace (Champion) {Land}\na.reserve: K\nb.F1: Palace (-) {}\nb.F2: Castle (Prince) {Land}\n", "a b")
    scene.play("a: attack target=siege:b:F2 lords=[lord:F1] reserve=[Knight]")
    given = game_called("ortus").rules.notation.whole(scene.state).partition("\n")[2]
    assert given.count("stack:") > 1
    assert faults(f"case: X\ngiven\n{given}expect\nasked: b defend\nmoves\ndefault b\nexpect\nasked: a turn\n") == ""


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("seats: a a\n", "X: line 3: “a a” aren't seats; they are different letters from a to f: `seats: a b c`."),
        ("a.hand: Land\nseats: a a\n", "X: line 4: “a a” aren't seats; they are different letters"),
        ("b.F1: Castle (Prince) {}\nb.hand: Land\nseats: a b\nb.F2: Castle (Prince) {}\n",
         "X: line 6: b has two Prince Lords, and an Earl has one at most (OR-LORD-3)."),
        ("seats: a b\nstack: {\"type\":\"Nope\"}\n", "X: line 4: ValidationError: Invalid value 'Nope' - at `$.type`"),
        ("fresh: a b | x=3\n", "X: “play” has no field “x”; it has: roles, seats, mix, legacy."),
        ("fresh: a b | a b\n", "X: “a” can't be read; "),
        ("fresh: a b | roles=drawn mix=[king,duke,duke]\n", "X: “mix” takes from 0 to 2, not 3."),
        ("seats: a b\norder a SO-99: off\n", "X: There is no standing order “SO-99” in this game."),
    ],
)  # fmt: skip
def test_what_can_not_be_given_is_told_with_its_own_line(given: str, fault: str) -> None:
    assert faults(f"case: X\ngiven\n{given}").startswith(fault)


def test_seats_are_three_where_nothing_is_said_of_them_and_a_game_may_fault_a_whole_position(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert faults("case: X\ngiven\na.hand: Land\nexpect\nseats: a b c\nc.hand:\n") == ""
    monkeypatch.setitem(GAMES, "fair", FAIR)
    text = "case: X\ngame: fair\ngiven\nfresh: a b\norder a T-11: accuse target=a\n"
    assert faults(text) == "X: “target” can't be “a”. Open to you: b."
    text = "case: X\ngame: fair\ngiven\nall: 3\n"
    assert faults(text) == "X: Line 1: a whole position of Fair starts with `fair: 1`."


LONG = "long" * 30


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"case: X\n{LONG}\n", f"line 2: “{LONG[:60]}” isn't `key: value`."),
        (f"case: X\n{LONG}: 1\n", f"line 2: “{LONG[:30]}” isn’t one of case, game, rules, shows."),
        (f"case: X\ngiven\n{LONG}\n", f"line 3: “{LONG[:60]}” isn't `key: value`."),
        (f"case: X\ngiven\n{LONG}: 1\n{LONG}: 1\n", f"line 4: “{LONG[:30]}” is given twice."),
        (f"case: X\ngiven\ndrop: {LONG}\n", f"line 3: there is no {LONG[:30]} to drop."),
        (f"case: X\ngiven\norder {LONG}: on\n", f"“{('order ' + LONG)[:60]}” can't be read; write: order SEAT ID: SETTING"),
        (f"case: X\ngiven\nseats: a b\nexpect\n{LONG}\n", f"X: line 5: “{LONG[:60]}” is nothing to expect."),
    ],
)
def test_a_long_line_is_quoted_as_far_as_it_helps(text: str, fault: str) -> None:
    assert faults(text) == fault


def test_each_seat_of_a_position_has_its_name() -> None:
    given = (
        "given\nseats: a b c d\na.F1: Palace (Champion) {Land}\na.reserve: K\nd.F1: Palace (-) {}\nd.F2: Castle (-) {Land}\n"
    )
    attack = "moves\na: attack target=siege:d:F2 lords=[lord:F1] reserve=[Knight]\nexpect\n"
    assert faults("case: X\n" + given + attack + "told b attack: Earl A laid siege to Earl D’s Fief 2\n") == ""


def test_a_refusal_that_changed_something_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoils(state: FairState, seat: Seat, kind: str, answer: Answer) -> None:
        state.table.pot += 1
        raise NotLegal(plain("Not while the abbot looks."))

    monkeypatch.setitem(GAMES, "fair", replace(FAIR, rules=replace(FAIR.rules, powers=replace(FAIR.rules.powers, vet=spoils))))
    text = "case: X\ngame: fair\ngiven\nfresh: a b\nmoves\n"
    changed = "X: line 6: “offer a call: call target=b” was refused, but changed something"
    assert faults(text + "refused offer a call: call target=b\n") == changed
    assert faults(text + "refused offer a call: call target=b | the ABBOT\n") == changed
    other = "X: line 6: “offer a call: call target=b” is refused with other words: Not while the abbot looks.; "
    assert faults(text + "refused offer a call: call target=b | the prior\n") == other + changed


def test_an_order_that_answers_by_name_is_noted_and_played(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = list[str]()
    book = replace(
        FAIR.orders,
        answer=lambda _state, _seat, orders, late: Answer("bid", {"coins": 2}) if "T-10" in orders and not late else None,
        gives=lambda _state, seat, answer: noted.append(f"{seat} {answer.option}"),
    )
    monkeypatch.setitem(GAMES, "fair", replace(FAIR, orders=book))
    text = "case: X\ngame: fair\ngiven\nfresh: a b\norder b T-10: accept\n"
    text += "expect\nordered b: bid   coins=2\nordered b: -\nmoves\nby order a\nby order b\na: pass\nexpect\n"
    assert faults(text + "asked: b share\nview - pot: 2\ntold - bids: {'b': 2}\n") == (
        "X: line 8: ordered b is bid coins=2, not -; X: line 10: “by order a”: no order answers; a is asked"
    )
    assert noted == ["b bid"]


def test_what_a_draw_or_an_order_was_needed_for_is_looked_at_again_in_each_variant() -> None:
    text = HEAD + GIVEN + "order b SO-01: on\nchance battle-deck: NB\nexpect\nasked: a turn\n"
    told = "line 10: “battle-deck” was not drawn so often"
    order = "line 9: nobody looked at the orders of b; write `by order` or `ordered`"
    assert faults(text) == f"X: {order}; X: {told}"
    assert faults(text + "again\nexpect\nasked: a turn\n") == f"X (1): {order}; X (1): {told}", "the second gives none itself"
