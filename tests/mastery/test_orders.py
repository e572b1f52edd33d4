"""Standing orders (MM-STO): what they answer, from what their owner may know."""

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.core import procedure
from engine.core.asks import Answer, NotLegal, Refused, read, settled, write
from engine.core.chance import Chance
from engine.games import game_called
from engine.mastery.orders.settings import role
from engine.mastery.orders.words import ORDERS
from engine.mastery.rules.battle import fewest
from engine.mastery.rules.pieces import TEXT
from engine.mastery.rules.table import on_border
from engine.mastery.rules.turn import Turn
from engine.play import orders
from tests.mastery.scene import HAND, TWICE, Scene, battle
from tests.mastery.test_protocol import follow

GAME = game_called("mastery")


def answer(s: Scene, seat: str, **given: str) -> str:
    """What the orders answer, as text; `ask` where they leave it to their owner. `STO_1_orb` stands for `STO-1-orb`."""
    found = orders.answer(GAME, s.state, seat, {k.replace("_", "-"): v for k, v in given.items()}, Chance("x"))
    return "ask" if found is None else write(found)


def setting(s: Scene, seat: str, id: str, text: str) -> str:
    return orders.check(GAME, s.state, seat, id, read(text))


# --- STO-1 ------------------------------------------------------------------------------------------------------------


def window(text: str = "a.artefacts: Rage\nb.artefacts: Loyalty", seats: str = "a b c d") -> Scene:
    """A sceptre window: a attacks b at C1; c and d look on."""
    return battle(text=f"c.hand: Conflict2\nd.hand: Conflict2\n{text}", seats=seats, slot="C1")


def test_shipped_policy_asks_participants_and_those_aimed_at() -> None:  # MM-STO-1
    s = window()
    assert [answer(s, x) for x in "abcd"] == ["ask", "ask", "pass", "pass"]
    crown = Scene("a.artefacts: Corruption\na.hand: Conflict2\nb.artefacts: Rage\nb.hand: Conflict2\nc.hand: Ambush", "a b c")
    crown.play("a: crown artefact=Rage")
    assert [answer(crown, x) for x in "bc"] == ["ask", "pass"]
    look = Scene("a.artefacts: Prosperity\na.hand: Conflict2\nb.hand: Conflict2\nc.hand: Ambush", "a b c").play(
        "a: crown lord=c"
    )
    assert [answer(look, x) for x in "bc"] == ["pass", "ask"]
    shipped = {a.rule: write(a.default) for a in GAME.orders.asks(s.state, "a")}
    assert (shipped["STO-1-orb"], shipped["STO-12"]) == ("usual", "concerned")


def test_fear_is_decided_by_its_order_in_the_same_answer_as_the_fracture() -> None:  # MM-STO-4, MM-ASY-4
    s = window("a.artefacts: Fear\nb.artefacts: Vigour")
    assert s.ids("pass", "match", "a") == {"yes", "no"}
    assert answer(s, "a") == "ask", "the Fracture is asked about as a game begins, and Fear with it"
    assert answer(s, "a", STO_1_sceptre="pass") == "pass", "left open is wherever it helps"
    assert answer(s, "a", STO_1_sceptre="pass", STO_4="auto") == "pass"
    assert answer(s, "a", STO_1_sceptre="pass", STO_4="never") == "pass match=no"
    assert answer(s, "a", STO_1_sceptre="pass", STO_4="ask") == "ask"
    use = "rules rules=[(plan=use)] otherwise=pass"
    assert answer(s, "b", STO_1_sceptre=use, STO_4="never") == "plan first=Fear without_vigour=Fear match=no"
    assert answer(s, "c", STO_1_sceptre="pass", STO_4="ask") == "pass", "c has no part in it"
    alone = window("a.artefacts: Fear\nb.hand: Conflict2\nb.discard: Fracture@0")
    assert [answer(alone, "a", STO_4=how) for how in ("auto", "never", "ask")] == ["no", "no", "ask"], "four against three"


@pytest.mark.parametrize(
    ("rules", "c"),
    [
        ("rules=[(role=bystander,plan=use)] otherwise=pass", "plan first=Rage without_rage=Loyalty without_loyalty=Rage"),
        ("rules=[(role=attacker,plan=use)] otherwise=pass", "pass"),
        ("rules=[(artefact=Loyalty,plan=use)] otherwise=pass", "plan first=Loyalty without_rage=Loyalty"),
        ("rules=[(owner=lord:a,plan=use)] otherwise=pass", "plan first=Rage without_loyalty=Rage"),
        ("rules=[(points=p3,plan=use)] otherwise=pass", "plan first=Loyalty without_rage=Loyalty"),
        ("rules=[(points=p7,plan=use)] otherwise=ask", "ask"),
        ("rules=[(artefact=Rage,plan=pass),(plan=use)] otherwise=pass", "plan first=Loyalty without_rage=Loyalty"),
        ("rules=[(artefact=Rage,plan=ask),(plan=use)] otherwise=pass", "ask"),
        (
            "rules=[(artefact=Loyalty,plan=use),(artefact=Rage,plan=use)] otherwise=pass",
            "plan first=Loyalty without_rage=Loyalty without_loyalty=Rage",
        ),
    ],
)
def test_conditions_are_tried_in_order(rules: str, c: str) -> None:  # MM-STO-1
    s = window("a.artefacts: Rage\nb.artefacts: Loyalty\nB3: City b 1")
    assert s.points("b") == 4
    text = setting(s, "c", "STO-1-sceptre", "rules " + rules)
    assert answer(s, "c", **{"STO-1-sceptre": text}) == c


def test_whether_it_would_apply_now_can_be_tested() -> None:  # MM-STO-1
    rules = "rules rules=[(applies=yes,plan=use)] otherwise=pass"
    s = window("a.artefacts: Defiance\nb.artefacts: Loyalty")
    assert answer(s, "c", STO_1_sceptre=rules) == "plan first=Loyalty without_defiance=Loyalty", "a attacks: Defiance is idle"
    with pytest.raises(NotLegal) as refusal:
        setting(s, "c", "STO-1-sceptre", "rules rules=[(role=bystander)] otherwise=pass")
    assert str(refusal.value) == "Line 1: “plan” needs a choice. Open to you: ask, pass, use."
    assert answer(s, "c", STO_1_sceptre="ask") == "ask" and answer(s, "a", STO_1_sceptre="pass") == "pass"


# --- STO-2 to 5 -------------------------------------------------------------------------------------------------------

BEST = "[Conflict5,Conflict4,Conflict3,Conflict2,Ambush]"
WORST = "[Conflict2,Conflict3,Conflict4,Conflict5,Ambush]"
CONFLICT = f"on when=[attack,defend,defend_3] attack={BEST} defend={WORST} attack_3={BEST} defend_3={BEST}"


def test_the_conflict_card_by_role_and_value() -> None:  # MM-STO-2
    s = battle()
    assert answer(s, "a", STO_2=CONFLICT) == "play card=Conflict5"
    assert answer(s, "b", STO_2=CONFLICT) == "play card=Conflict2"
    city = battle("City")
    assert answer(city, "b", STO_2=CONFLICT) == "play card=Conflict5"
    assert answer(city, "a", STO_2=CONFLICT) == "ask", "attacking for value 3 is left out"
    assert answer(city, "a") == "ask", "shipped: ask"


SUPPORTS = {"pass": "pass", "all": "support cards=[Support1,Support2]", "ask": "ask"}


@pytest.mark.parametrize(("policy", "said"), SUPPORTS.items())
def test_support_by_policy(policy: str, said: str) -> None:  # MM-STO-3
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2")
    assert answer(s, "b", STO_3=f"on attacker=ask defender={policy}") == said
    assert answer(s, "b") == "ask", "shipped: ask"
    assert answer(s, "b", STO_3=f"on attacker=all defender={policy} from=v2") == "ask", "a Forest is worth 1"
    level = battle().play("a: play card=Conflict2", "b: play card=Conflict5")
    assert answer(level, "a", STO_3=f"on attacker={policy} defender=ask") == said, "by role"


@pytest.mark.parametrize(
    ("own", "other", "attacking", "cards"),
    [
        (9, 11, True, ["Support1", "Support2"]),
        (9, 10, False, ["Support1"]),
        (9, 15, True, []),
        (12, 11, True, []),
        (9, 9, True, ["Support1"]),
        (9, 9, False, []),
        (7, 11, False, ["Support2", "Support2"]),
        (7, 12, False, ["Support1", "Support2", "Support2"]),
        (9, 10, True, ["Support2"]),
    ],
)
def test_just_enough_is_the_fewest_cards_then_the_smallest_sum(  # MM-STO-3
    own: int, other: int, attacking: bool, cards: list[str]
) -> None:
    s = battle().play("a: play card=Conflict2", "b: play card=Conflict5")
    fight = s.battle
    att, dfd = (own, other) if attacking else (other, own)
    fight.att.base, fight.att.conflict, fight.dfd.base, fight.dfd.conflict = att, 0, dfd, 0
    assert fewest(s.table, fight.lacks(attacking), ["Support1", "Support2", "Support2"]) == cards
    held = ["Support1", "Support2", "Support2"]
    s.lord("a").hand = held
    if attacking:
        said = f"support cards=[{','.join(cards)}]".replace("Support2,Support2", "Support2*2") if cards else "pass"
        assert answer(s, "a", STO_3="on attacker=min defender=ask") == said


def test_fear_and_vigour_by_order() -> None:  # MM-STO-4
    s = battle(send=2, there=5, text="a.artefacts: Fear").play("b: pass")
    assert answer(s, "a") == "yes", "shipped: wherever it helps"
    assert [answer(s, "a", STO_4=x) for x in ("auto", "never", "ask")] == ["yes", "no", "ask"]
    more = battle(send=5, there=2, text="a.artefacts: Fear").play("b: pass")
    assert answer(more, "a", STO_4="auto") == "no"


def test_discards_by_list_never_or_by_asking() -> None:  # MM-STO-5
    fury = Scene("a.artefacts: Fury\na.hand: Conflict2, Fracture, Ambush").play("a: crown")
    wish = "list cards=[(card=Support1),(card=Fracture),(card=Conflict2)]"
    assert answer(fury, "a", STO_5_crown=wish) == "discard card=Fracture"
    assert answer(fury, "a", STO_5_crown="none") == "keep" and answer(fury, "a") == "ask"
    assert answer(fury, "a", STO_5_crown="list cards=[(card=Conflict5)]") == "keep", "none of them is held"
    assert answer(fury, "a", STO_5_orb=wish, STO_5_tile=wish) == "ask", "a list for each"
    tile = Scene("a: knights=3\na.hand: Conflict2\nB1: Ruins").play("a: march target=B1 knights=1")
    assert answer(tile, "a", STO_5_tile="list cards=[(card=Conflict2)]") == "discard card=Conflict2"
    orb = (
        battle(text="a.artefacts: Preparation")
        .play("a: play card=Conflict5", "b: play card=Conflict2")
        .until("discard", "late")
    )
    assert answer(orb, "a", STO_5_orb="list cards=[(card=Ambush)]") == "discard card=Ambush"
    with pytest.raises(NotLegal) as refusal:
        setting(orb, "a", "STO-5-orb", "list")
    assert str(refusal.value) == "“cards” is empty; it takes from 1 to 4."


# --- STO-6, 7 ---------------------------------------------------------------------------------------------------------


def test_prosperity_by_order() -> None:  # MM-STO-6
    zones = "a.artefacts: Prosperity\na.hand: Conflict2\na.deck: Conflict5, Ambush\nb.deck: Conflict5, Ambush\nb.hand: "
    wish = "on own=[Conflict2] others=[Conflict5,Ambush]"
    other = Scene(zones).play("a: crown lord=b")
    assert answer(other, "a", STO_6=wish) == "remove" and answer(other, "a") == "ask"
    own = Scene(zones).play("a: crown lord=a")
    assert answer(own, "a", STO_6=wish) == "leave", "everything else is kept"
    assert answer(own, "a", STO_6="on own=[Conflict5] others=[Ambush]") == "remove", "by the list for the own deck"


def test_insight_by_order() -> None:  # MM-STO-7
    s = Scene("a.artefacts: Insight\na.hand: Conflict2\na.deck: Ambush, Conflict3, Support1, Conflict5\nb.hand: ").play(
        "a: crown"
    )
    assert answer(s, "a", STO_7="keep") == "arrange cards=[Ambush,Conflict3,Support1,Conflict5]"
    ask = next(a for a in GAME.orders.asks(s.state, "a") if a.rule == "STO-7")
    every = [c.id for c in ask.option("list").fields[0].choices]  # type: ignore[union-attr]  # it has them
    top = ["Conflict5", "Support1", *(c for c in every if c not in ("Conflict5", "Support1", "Ambush")), "Ambush"]
    assert answer(s, "a", STO_7=f"list top=[{','.join(top)}]") == "arrange cards=[Conflict5,Support1,Conflict3,Ambush]"
    assert answer(s, "a") == "ask"


# --- STO-8 ------------------------------------------------------------------------------------------------------------

MARCH = "deed=march,slot=B1,knights=k2"


def test_a_script_plays_a_turn_step_by_step() -> None:  # MM-STO-8
    s = Scene(
        "a: knights=3\na.hand: CallToArms, Fracture, Conflict2\nb.artefacts: Rage\nB2: Forest a 3\na.artefacts: Corruption"
    )
    wish = "on steps=[(deed=fracture,aim=Rage),(deed=call),(deed=march,slot=B1,knights=all,gather=yes),(deed=end)]"
    assert follow(s, "a", {"STO-8": setting(s, "a", "STO-8", wish)}) == ["fracture", "call", "march", "end"]
    assert (s.down("Rage"), s.knights("a"), s.land("B2"), s.land("B1")) == (1, 1, "Forest a 1", "Forest a 6"), "5 + 2 - 6"


@pytest.mark.parametrize(("branch", "deeds"), [("ask", []), ("skip", ["march", "end"]), ("end", ["end"])])
def test_where_a_step_is_illegal_the_branch_says_what_to_do(branch: str, deeds: list[str]) -> None:  # MM-STO-8
    s = Scene("a: knights=3\na.hand: Conflict2\nB1: Village")
    wish = f"on steps=[(deed=call,branch={branch}),({MARCH})]"
    assert follow(s, "a", {"STO-8": wish}) == deeds


CUT = "D2: Forest b 1"
SPENT = "a.hand: Conflict2\na.artefacts: Order\na.discard: Ambush@0, CallToArms@1"


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("a: knights=3", "deed=march,slot=D2,knights=k2"),
        ("a: knights=1", "deed=march,slot=B1,knights=k2"),
        ("a: knights=9", "deed=march,slot=B1,knights=k8"),
        ("a: knights=0", "deed=march,slot=B1,knights=all"),
        ("a: knights=9\nB1: Forest a 3", "deed=march,slot=B1,knights=all"),
        (SPENT, "deed=crown,aim=CallToArms"),
        (SPENT, "deed=crown,aim=Conflict5"),
        (SPENT, "deed=crown"),
        ("a.hand: Fracture\nb.artefacts: Rage@1, Greed", "deed=fracture,aim=Rage"),
        ("a.hand: Fracture\na.artefacts: Rage\nb.artefacts: Greed", "deed=fracture,aim=Rage"),
        ("a.artefacts: Corruption\nb.artefacts: Rage@1", "deed=crown,aim=Rage"),
        ("a.hand: TacticalAdvance\na: knights=3", "deed=tactical,slot=D2,knights=k2"),
    ],
)
def test_a_step_that_cannot_be_done_as_it_stands_takes_its_branch(text: str, step: str) -> None:  # MM-STO-8, MM-ASY-2
    def wish(branch: str) -> dict[str, str]:
        return {"STO-8": f"on steps=[({step}{branch}),(deed=end)]"}

    zones = f"turn: 1\n{text}\nE1: Forest b 1\nD2: Forest b 1"
    assert answer_with(Scene(zones), "a", wish(",branch=skip")) == "end"
    assert answer_with(Scene(zones), "a", wish(",branch=end")) == "end"
    assert answer_with(Scene(zones), "a", wish(",branch=ask")) == answer_with(Scene(zones), "a", wish("")) == "ask"


@pytest.mark.parametrize(
    ("gather", "march"),
    [
        ("", "march in_b1=5 in_b2=4 target=A3 knights=2"),
        (",gather=yes", "march in_b1=1 in_b2=1 target=A3 knights=6"),
        (",gather=keep_2", "march in_b1=2 in_b2=2 target=A3 knights=6"),
        (",gather=keep_3", "march in_b1=3 in_b2=3 target=A3 knights=5"),
        (",gather=needed", "march in_b1=1 in_b2=4 target=A3 knights=6"),
        (",gather=needed,knights=k4", "march in_b1=3 in_b2=4 target=A3 knights=4"),
        (",gather=needed,knights=k2", "march in_b1=5 in_b2=4 target=A3 knights=2"),
    ],
)
def test_a_march_gathers_as_its_step_says(gather: str, march: str) -> None:  # MM-STO-8
    # B1 holds more than B2; both are on the border.
    s = Scene("a: knights=2\nB1: Forest a 5\nB2: Forest a 4\nA3: Forest")
    wish = f"on steps=[(deed=march,slot=A3{gather})]"
    assert answer_with(s, "a", {"STO-8": setting(s, "a", "STO-8", wish)}) == march


def test_what_lies_behind_the_borders_is_gathered_first() -> None:  # MM-STO-8
    s = Scene("a: knights=1\nA1: Forest a 3\nA3: Forest a 3\nB1: Forest a 6\nB2: Forest a 6\nC1: Forest a 1")
    assert [slot for slot in ("A1", "A3", "B1", "B2") if not on_border(s.table, "a", slot)] == ["A1", "A3"]
    wish = {"STO-8": "on steps=[(deed=march,slot=D1,knights=k4,gather=needed)]"}
    found = orders.answer(GAME, s.state, "a", wish, Chance("x"))
    assert found is not None
    assert [found.number(f"in_{slot}") for slot in ("a1", "a3", "b1", "b2")] == [1, 2, 6, 6]


def test_all_that_can_go_is_what_the_dice_allow() -> None:  # MM-STO-8, MM-DIC-4
    s = Scene("a: knights=43\nB1: Cave a 1\nB2: Forest a 1\nA1: Forest")
    answer = answer_with(s, "a", {"STO-8": "on steps=[(deed=march,slot=A1)]"})
    assert answer.endswith("target=A1 knights=6"), "37 at home"
    tight = Scene("a: knights=48\nB1: Cave a 1\nB2: Forest a 1\nA1: Battlefield")
    assert answer_with(tight, "a", {"STO-8": "on steps=[(deed=march,slot=A1)]"}).endswith("target=A1 knights=6")


def test_stop_conditions_of_a_script() -> None:  # MM-STO-8
    crown = "a.artefacts: Fury\na.hand: Conflict2, CallToArms\nb.hand: Fracture\na: knights=3"
    s = Scene(crown)
    wish = {"STO-8": f"on steps=[(deed=crown),({MARCH},stops=[crown])]"}
    kept = answered(s, "a", wish)
    s.play("b: plan first=Fury")
    assert answer_with(s, "a", kept) == "ask", "the crown was negated"
    s = Scene(crown + "\nrulings: MM-AMB-10=window")
    kept = answered(s, "a", {"STO-8": f"on steps=[(deed=crown),({MARCH}),(deed=call,stops=[crown])]"})
    s.play("b: plan first=Fury")
    assert answer_with(s, "a", answered(s, "a", kept)) == "ask", "negated, though the march allows another use"
    s = Scene(crown)
    kept = answered(s, "a", wish)
    s.play("b: pass", "a: keep")
    assert answer_with(s, "a", kept) == "march target=B1 knights=2", "it was not"
    lost = battle_by_script("battle", send="k1", there=6)
    assert lost == "ask", "the battle was lost"
    assert battle_by_script("battle", send="k6", there=1) == "call", "it was won"
    assert battle_by_script("points", send="k6", there=1) == "ask", "own points have changed"
    assert battle_by_script("points", send="k1", there=6) == "call"
    assert ORDERS.text("choice", "stops_points") == "my points have changed since the first step"
    first = Scene("a: knights=2\nB1: Forest")
    assert answer_with(first, "a", {"STO-8": f"on steps=[({MARCH},stops=[points])]"}).startswith("march target=B1")
    assert battle_by_script("fracture", send="k6", there=1, fracture=True) == "ask", "a Fracture was played"
    assert battle_by_script("fracture", send="k6", there=1) == "call"


SIEGE = (
    f"options: siege\na: knights=9\nb: knights=6\na.hand: {HAND}, CallToArms\nb.hand: {HAND}\nB1: Forest a 1\nD1: Forest a 1\n"
)
TOWARDS = "C1: Forest a 1\nE1: Marshlands"


def test_a_script_stops_at_a_siege_that_was_lost() -> None:  # MM-STO-8, MM-OPT-8
    s = Scene(SIEGE + TOWARDS)
    kept = answered(s, "a", {"STO-8": "on steps=[(deed=march,slot=E2,knights=k1),(deed=call,stops=[battle])]"})
    s.until("late")
    assert s.told("result")[0]["winner"] == "b" and answer_with(s, "a", kept) == "ask"


def test_no_battle_was_lost_where_there_was_none() -> None:  # MM-STO-8, MM-TER-7
    s = Scene(SIEGE + TOWARDS)
    kept = answered(s, "a", {"STO-8": "on steps=[(deed=march,slot=E1,knights=k1),(deed=call,stops=[battle])]"})
    assert s.step == "late" and s.land("E1") == "Marshlands", "the knight has sunk"
    assert answer_with(s, "a", kept) == "call"
    # in a turn that began before anybody noted how a battle ended, the place says it
    for frame in s.state.stack:
        if isinstance(frame, Turn):
            frame.fought = ""
    assert answer_with(s, "a", kept) == "ask"


@pytest.mark.parametrize(("dice", "then"), [("2-5", "ask"), ("5-2", "call")])
def test_a_battle_that_the_arena_ends_is_lost_where_it_brings_nothing(dice: str, then: str) -> None:  # MM-STO-8, MM-BAT-20
    text = f"a: knights=6\na.hand: {HAND}, CallToArms\nb.hand: {HAND}\nB1: Arena b 1"
    s = Scene(text, chance={"arena": [str(int(d) - 1) for d in dice.split("-")]})
    kept = answered(s, "a", {"STO-8": "on steps=[(deed=march,slot=B1,knights=k1),(deed=call,stops=[battle])]"})
    s.until("late")
    assert s.told("battle_stopped") and answer_with(s, "a", kept) == then


def test_an_answer_in_advance_holds_whatever_the_turn_begins_with() -> None:  # MM-ASY-3, MM-DIC-3, MM-AMB-11
    full = "".join(f"{slot}: Forest a 6\n" for slot in ("A1", "A3", "B1", "B2", "C1", "D1", "C3"))
    for text, seat, knights in (
        ("turn: 4\nactive: b\na: knights=6\n", "a", 9),
        (f"turn: 4\nactive: b\na: knights=18\n{full}", "a", 18),  # no die is left
        ("turn: 1\nactive: a\nb: knights=6\nrulings: MM-AMB-11=none\n", "b", 6),  # none on a first turn
    ):
        s = Scene(text)
        before, (coming,) = GAME.orders.stance(s.state, seat), GAME.orders.coming(s.state, seat)
        s.default()
        assert s.asked == [seat] and s.knights(seat) == knights
        assert GAME.orders.stance(s.state, seat) == before
        assert coming.options == settled(s.ask(seat)).options


def test_a_script_given_in_a_turn_does_not_play_the_next_one() -> None:  # MM-STO-8, MM-STO-11
    wish = {"STO-8": "on steps=[(deed=march,slot=B1),(deed=march,slot=B2)]", "STO-11": "on turns=t2"}
    s = Scene("rulings: MM-DEC-4=battle\na: knights=3\na.hand: CallToArms, TacticalAdvance")
    s.play("a: call")
    forward = GAME.orders.after(s.state, "a", ["early:call"], {"STO-8": "on steps=[(deed=call),(deed=march,slot=B1)]"})
    assert forward["STO-8+"].endswith("at=2 then=0"), "in the same turn it goes on"
    s.play("a: march target=B1 knights=1", "b: end")
    assert s.asked == ["a"] and s.table.turn == 3
    assert GAME.orders.after(s.state, "a", ["early:march target=B1 knights=1"], wish) == {"STO-11": "on turns=t1", "STO+": "3"}
    s.play("a: march target=B2 knights=1 then=more", "a: tactical target=A1 knights=1", "b: end")
    assert GAME.orders.after(s.state, "a", ["late:tactical target=A1 knights=1"], wish) == {
        "STO-11": "on turns=t1",
        "STO+": "5",
    }


def test_a_fracture_that_is_merely_discarded_stops_no_script() -> None:  # MM-STO-8
    s = Scene("turn: 1\na.hand: CallToArms\nb.discard: Fracture@1\nb.artefacts: Rage")
    stops = {"STO-8": "on steps=[(deed=call,stops=[fracture])]"}
    assert answer_with(s, "a", stops) == "call"
    s.table.rulings = {**s.table.rulings, "MM-STO-8": "discarded"}  # as it was before there was the ruling
    assert answer_with(s, "a", stops) == "ask"
    played = Scene("turn: 1\na.hand: CallToArms\nb.discard: Fracture@1\nb.artefacts: Rage@1")
    assert answer_with(played, "a", stops) == "ask"
    long_ago = Scene("turn: 1\na.hand: CallToArms\nb.discard: Fracture@0\nb.artefacts: Rage@0")
    assert answer_with(long_ago, "a", stops) == "call"


def test_a_script_goes_on_behind_the_march_that_it_made() -> None:  # MM-STO-8, MM-ASY-2
    steps = "(deed=march,slot=E1,branch=skip),(deed=march,slot=B1,knights=k2),(deed=call),(deed=end)"
    s = Scene(f"turn: 1\na: knights=3\na.hand: {HAND}, CallToArms\nB1: Forest\nE1: Forest b 1")
    kept = answered(s, "a", {"STO-8": f"on steps=[{steps}]"})
    assert s.table.lands["B1"].holder == "a", "the first march is out of reach"
    s.until("late")
    assert answer_with(s, "a", kept) == "call", "and the second isn't tried once more"


def test_a_script_may_stop_where_a_place_is_no_longer_vacant() -> None:  # MM-STO-8
    wish = {"STO-8": f"on steps=[({MARCH},stops=[vacant],branch=ask)]"}
    assert answer_with(Scene("a: knights=3\nB1: Forest"), "a", wish) == "march target=B1 knights=2"
    taken = Scene("a: knights=3\nB1: Forest b 1")
    setting(taken, "a", "STO-8", wish["STO-8"])
    assert answer_with(taken, "a", wish) == "ask"
    assert answer_with(taken, "a", {"STO-8": f"on steps=[({MARCH},stops=[vacant],branch=end)]"}) == "end"
    assert answer_with(taken, "a", {"STO-8": f"on steps=[({MARCH})]"}) == "march target=B1 knights=2"


def answered(s: Scene, seat: str, wish: dict[str, str]) -> dict[str, str]:
    """Let the orders give one answer; the orders that go on."""
    found = orders.answer(GAME, s.state, seat, wish, Chance("x"))
    assert found is not None
    kind = s.step
    s.log += procedure.play(s.state, seat, found)
    return GAME.orders.after(s.state, seat, [f"{kind}:{write(found)}"], wish)


def answer_with(s: Scene, seat: str, wish: dict[str, str]) -> str:
    found = orders.answer(GAME, s.state, seat, wish, Chance("x"))
    return "ask" if found is None else write(found)


def battle_by_script(stop: str, send: str, there: int, fracture: bool = False) -> str:
    """What a script does after the battle of its first step: the second is a Call to Arms."""
    held = HAND + (", Fracture" if fracture else "")
    s = Scene(f"a: knights=6\na.hand: {HAND}, CallToArms\nb.hand: {held}\na.artefacts: Rage\nB1: Forest b {there}")
    kept = answered(s, "a", {"STO-8": f"on steps=[(deed=march,slot=B1,knights={send}),(deed=call,stops=[{stop}])]"})
    s.play("b: plan first=Rage" if fracture else "b: pass").until("late")
    return answer_with(s, "a", kept)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("on", "“steps” is empty; it takes from 1 to 4."),
        (
            "on steps=[(slot=B1)]",
            "Line 1: “deed” needs a choice. Open to you: call, tactical, march, crown, fracture, end.",
        ),
        ("on steps=[(deed=march)]", "Step 1 marches nowhere; choose where to."),
        ("on steps=[(deed=call),(deed=tactical)]", "Step 2 marches nowhere; choose where to."),
        ("on steps=[(deed=call),(deed=fracture)]", "Step 2 breaks nothing; choose which artefact."),
    ],
)
def test_a_script_that_says_too_little_is_refused(text: str, sentence: str) -> None:  # MM-STO-8
    with pytest.raises(NotLegal) as refusal:
        setting(Scene(""), "a", "STO-8", text)
    assert str(refusal.value) == sentence


# --- STO-9 to 11 ------------------------------------------------------------------------------------------------------


def test_passing_ahead_until_the_own_next_turn_or_a_named_artefact() -> None:  # MM-STO-9
    s = window()
    assert answer(s, "b", STO_9="on") == "pass" and answer(s, "b", STO_9="on", STO_1_sceptre="ask") == "pass"
    assert answer(s, "b", STO_9="on but=Rage", STO_1_sceptre="ask") == "ask", "Rage is in question"
    assert answer(s, "c", STO_9="on but=Rage") == "ask", "though nobody else's order would ask c"
    assert answer(s, "c", STO_9="on but=Rage", STO_1_sceptre="pass") == "ask" != answer(s, "c", STO_9="on but=Greed")
    assert answer(s, "b", STO_9="on but=Greed", STO_1_sceptre="ask") == "pass"
    crown = Scene("a.artefacts: Corruption\na.hand: Conflict2\nb.artefacts: Rage\nb.hand: Conflict2\nc.hand: Ambush", "a b c")
    crown.play("a: crown artefact=Rage")
    assert answer(crown, "c", STO_9="on but=Rage") == "ask", "what Corruption would destroy is involved"
    assert answer(crown, "c", STO_9="on but=Greed") == "pass"
    look = Scene("a.artefacts: Insight\na.hand: Conflict2\nb.hand: Conflict2", "a b").play("a: crown")
    assert answer(look, "b", STO_9="on") == "pass", "a crown without an aim involves no artefact that was left unnamed"
    assert answer(look, "b", STO_9="on but=Insight") == "ask"
    turn = Scene("a: knights=3")
    assert GAME.orders.after(turn.state, "a", ["fracture:pass"], {"STO-9": "on"}) == {"STO-9": "on"}
    assert GAME.orders.after(turn.state, "a", ["early:end"], {"STO-9": "on"}) == {}, "over with the own turn"
    late = Scene("a: knights=3").play("a: march target=B1 knights=1")
    assert GAME.orders.after(late.state, "a", ["late:end"], {"STO-9": "on"}) == {"STO-9": "on"}, "given in this very turn"


def test_support_for_named_allies() -> None:  # MM-STO-10
    s = battle(text=f"options: teams=2\nc.hand: {HAND}\nd.hand: {HAND}", seats="a b c d", slot="C1")
    s.play("a: play card=Conflict3", "b: play card=Conflict5", "a: pass", "b: pass")
    assert s.asked == ["c"] and s.scores == (7, 8)
    wish = setting(s, "c", "STO-10", "on allies=[lord:a] attacker=min defender=pass")
    assert answer(s, "c", STO_10=wish) == "support cards=[Support2]" and answer(s, "c") == "ask"
    assert answer(s, "c", STO_3="on attacker=all defender=all") == "ask", "that is for battles of one's own"
    s.play("c: pass")
    assert answer(s, "d", STO_10="on allies=[lord:b] attacker=min defender=all") == "support cards=[Support1,Support2]"
    assert "STO-10" not in {a.rule for a in GAME.orders.asks(Scene("").state, "a")}, "nobody has allies without teams"


def test_absence_answers_all_by_policy_or_default_without_waiting() -> None:  # MM-STO-11
    s = window()
    assert answer(s, "b", STO_11="on turns=t2") == "pass"
    use = "rules rules=[(plan=use)] otherwise=pass"
    assert answer(s, "b", STO_11="on turns=t2", STO_1_sceptre=use) == "plan first=Rage without_loyalty=Rage", "policy first"
    fought = battle()
    assert answer(fought, "b", STO_11="on turns=t2") == "play card=Conflict5"
    turn = Scene("a: knights=3")
    assert answer(turn, "a", STO_11="on turns=t2") == "end"
    left = GAME.orders.after(turn.state, "a", ["early:end"], {"STO-11": "on turns=t2"})
    assert left == {"STO-11": "on turns=t1"}
    assert GAME.orders.after(turn.state, "a", ["early:end"], left) == {}, "it ends by itself"
    assert GAME.orders.after(turn.state, "a", ["early:end"], {"STO-11": "on"}) == {}, "one turn where no number is said"


def test_who_is_away_until_a_date_is_so_to_the_end_of_that_day() -> None:  # MM-STO-11
    s = window()
    away = {"STO-11": "date day=3 month=dec year=2026", "STO-4": "auto"}
    assert answer(s, "b", STO_11=away["STO-11"]) == "pass"
    assert answer(Scene("a: knights=3"), "a", STO_11=away["STO-11"]) == "end"
    turn = Scene("a: knights=3")
    assert GAME.orders.after(turn.state, "a", ["early:end"], away)["STO-11"] == away["STO-11"], "turns don't end it"
    assert orders.of_day(GAME, away, date(2026, 12, 3)) == away
    assert orders.of_day(GAME, away, date(2026, 12, 4)) == {"STO-4": "auto"}
    with pytest.raises(NotLegal, match="no such day"):
        orders.check(GAME, turn.state, "a", "STO-11", read("date day=31 month=nov year=2026"))


def march_that_ends_a_turn(seats: str = "a b") -> Scene:
    """a has marched into a battle with the last deed of the turn; b is asked for a card."""
    s = Scene(f"a: knights=5\na.hand: {HAND}\nb.hand: {HAND}\nB1: Forest b 2", seats)
    return s.play("a: march target=B1 knights=4 then=end")


def test_a_turn_that_ends_in_the_battle_of_its_last_deed_counts_as_one_of_an_absence() -> None:  # MM-STO-11
    s = march_that_ends_a_turn()
    kept = GAME.orders.after(s.state, "a", ["early:march target=B1 knights=4 then=end"], {"STO-11": "on turns=t2"})
    assert kept["STO-11"] == "on turns=t2", "the turn goes on"
    s.play("a: play card=Conflict2", "b: play card=Conflict5")
    kept = GAME.orders.after(s.state, "a", ["conflict:play card=Conflict2"], kept)
    assert kept["STO-11"] == "on turns=t2"
    s.play("a: pass", "b: pass")
    assert s.asked == ["b"] and s.step == "early"
    kept = GAME.orders.after(s.state, "a", ["support:pass"], kept)
    assert kept == {"STO-11": "on turns=t1"}
    assert GAME.orders.after(s.state, "a", [], kept) == kept, "it is counted once"


def test_a_script_and_an_absence_end_with_their_turn_though_the_next_own_turn_has_begun() -> None:  # MM-STO-8, MM-STO-11
    s = march_that_ends_a_turn()
    wish = {"STO-8": "on steps=[(deed=march,slot=B1),(deed=call)]", "STO-11": "on turns=t2"}
    kept = GAME.orders.after(s.state, "a", ["early:march target=B1 knights=4 then=end"], wish)
    script = "on steps=[(deed=march,slot=B1),(deed=call)] at=2 then=0 was=B1"
    assert kept["STO-8+"] == script and "STO-8" not in kept, "it is at its second step, and knows points and place"
    s.play("a: play card=Conflict2", "b: play card=Conflict5", "a: pass", "b: pass", "b: end")
    assert s.asked == ["a"] and s.step == "early", "all else came at once"
    kept = GAME.orders.after(s.state, "a", ["support:pass"], kept)
    assert kept.keys() == {"STO-11", "STO+"} and kept["STO-11"] == "on turns=t1"
    assert GAME.orders.after(s.state, "a", ["early:end"], kept) == {}


def test_with_the_offered_orders_a_defence_needs_no_mail() -> None:  # MM-STO-1 to 7
    s = battle(text="a.artefacts: Rage, Brutality\nb.artefacts: Vigour, Cleansing", send=5, there=2)
    kept = orders.preset(GAME)
    asked = []
    while s.step != "late":
        seat = s.asked[0]
        found = orders.answer(GAME, s.state, seat, kept, Chance("x")) if seat == "b" else None
        asked += [s.step] if seat == "b" and found is None else []
        s.log += procedure.play(s.state, seat, found or s.ask(seat).default)
    assert asked == []
    assert isinstance(orders.answer(GAME, battle().state, "b", kept, Chance("x")), Answer)


@pytest.mark.parametrize(
    ("text", "aims", "played"),
    [
        ("a.artefacts: Order\na.discard: Ambush@0", ("Conflict5", "Ambush"), "crown card=Ambush"),
        ("a.artefacts: Corruption\nb.artefacts: Rage@1, Fury", ("Rage", "Fury"), "crown artefact=Fury"),
    ],
)
def test_a_script_goes_on_behind_the_crown_that_it_used(text: str, aims: tuple[str, str], played: str) -> None:  # MM-STO-8
    s = Scene(f"a: knights=3\na.hand: Conflict2\nb.hand: \n{text}")
    wish = {"STO-8": f"on steps=[(deed=crown,aim={aims[0]},branch=skip),(deed=crown,aim={aims[1]}),({MARCH})]"}
    assert answer_with(s, "a", wish) == played
    kept = answered(s, "a", wish)
    assert read(kept["STO-8+"]).number("at") == 3, "the first aim was none, and the second is done"


def test_a_script_aims_a_crown_at_the_deck_that_it_names() -> None:  # MM-STO-8, MM-CRN-6
    s = Scene("a: knights=3\na.artefacts: Prosperity\na.hand: Conflict2\nb.deck: Conflict5, Ambush\nb.hand: ")
    wish = setting(s, "a", "STO-8", "on steps=[(deed=crown,aim=lord:b)]")
    assert answer_with(s, "a", {"STO-8": wish}) == "crown lord=b"


def test_a_script_breaks_the_artefact_that_it_names() -> None:  # MM-STO-8
    s = Scene("a: knights=3\na.hand: Fracture\nb.artefacts: Rage, Greed")
    assert answer_with(s, "a", {"STO-8": "on steps=[(deed=fracture,aim=Rage)]"}) == "fracture artefact=Rage"


def test_an_order_that_is_off_answers_nothing() -> None:  # MM-STO-1
    s = window()
    assert answer(s, "b", STO_9="off") == "ask" and answer(s, "b", STO_9="on") == "pass"
    fury = Scene("a.artefacts: Fury\na.hand: Conflict2, Fracture, Ambush").play("a: crown")
    assert answer(fury, "a", STO_5_crown="off") == "ask" != answer(fury, "a", STO_5_crown="none")
    assert answer(Scene("a: knights=3"), "a", STO_8="off") == "ask"


def test_whether_to_match_is_by_order_where_nothing_else_is_asked_with_it() -> None:  # MM-STO-4, MM-ASY-4
    s = battle("Forest", 2, 5, "a.artefacts: Fear", a="Conflict2", b="Conflict2, Fracture", seats="a b c")
    assert s.step == "fracture" and "a" in s.asked
    assert [answer(s, "a", STO_4=how) for how in ("ask", "never")] == ["ask", "no"]
    assert answer(s, "a") == "yes", "what it does by itself"


def test_the_fewest_cards_are_those_of_the_smallest_sum_whatever_they_are_called() -> None:  # MM-STO-3, MM-DAT-4
    data = json.loads(TEXT)
    worth = {"SUPPORT_1": 2, "SUPPORT_2": 1}
    for card in data["deck"]["cards"]:
        card["value"] = worth.get(card["id"], card.get("value", 0)) if card["kind"] == "support" else card.get("value", 0)
    lore = f"lore: {json.dumps(data)}\n"
    s = battle("Forest", 4, 3, lore=lore).play("a: play card=Conflict2", "b: play card=Conflict3")
    assert s.scores == (6, 6) and s.step == "support"
    assert fewest(s.table, s.battle.lacks(True), ["Support1", "Support2"]) == ["Support2"], "it is worth 1 here"


def test_what_a_lord_is_in_a_battle() -> None:  # MM-GEN-1, MM-STO-10
    s = battle(text=f"options: teams=2\nc.hand: {HAND}\nd.hand: {HAND}", seats="a b c d", slot="C1")
    assert [role(s.table, s.battle, seat) for seat in "abcd"] == ["attacker", "defender", "ally", "ally"]
    three = battle(seats="a b c", slot="B1")
    assert role(three.table, three.battle, "c") == "bystander" == role(three.table, None, "a")


def test_an_order_to_support_with_all_passes_where_no_support_card_is_held() -> None:  # MM-STO-3
    bare = "Conflict2, Conflict3, Conflict4, Conflict5, Ambush, CallToArms, TacticalAdvance"
    s = battle(a=bare, b=bare).play("a: play card=Conflict5", "b: play card=Conflict2")
    assert s.step == "support" and {answer(s, seat, STO_3="on attacker=all defender=all") for seat in s.asked} == {"pass"}


def test_a_script_goes_on_while_its_lord_has_the_points_that_he_began_with() -> None:  # MM-STO-8
    s = Scene("a: knights=6\na.hand: CallToArms, Conflict2\nB1: City a 2\nA1: Forest")
    deeds = "(deed=call),(deed=march,slot=A1,knights=k2,stops=[points]),(deed=end,stops=[points])"
    assert s.points("a") == 3 and follow(s, "a", {"STO-8": f"on steps=[{deeds}]"}) == ["call", "march"]
    assert s.points("a") == 4 and s.asked == ["a"], "the march has changed them"


def test_whether_a_place_is_vacant_stops_those_who_go_there() -> None:  # MM-STO-8
    s = Scene("a: knights=6\na.hand: TacticalAdvance, CallToArms\nB1: Forest b 1")
    assert answer_with(s, "a", {"STO-8": "on steps=[(deed=tactical,slot=B1,stops=[vacant])]"}) == "ask"
    assert answer_with(s, "a", {"STO-8": "on steps=[(deed=tactical,slot=B1,knights=k2)]"}) == "tactical target=B1 knights=2"
    assert answer_with(s, "a", {"STO-8": "on steps=[(deed=call,slot=B1,stops=[vacant])]"}) == "call", "that goes nowhere"


def test_a_script_ends_a_turn_in_which_nothing_else_is_left() -> None:  # MM-STO-8, MM-TRN-4
    s = Scene("a: knights=6\na.hand: Conflict2\nA1: Forest").play("a: march target=A1 knights=2")
    assert [o.id for o in s.ask("a").options] == ["end"] and s.step == "late"
    assert answer_with(s, "a", {"STO-8": "on steps=[(deed=end)]"}) == "end"


def test_a_step_that_is_done_is_not_done_again() -> None:  # MM-STO-8
    s = Scene(f"{TWICE}a: knights=3\na.hand: CallToArms, CallToArms, Conflict2\nA1: Forest")
    wish = "on steps=[(deed=call),(deed=call),(deed=march,slot=A1),(deed=end)]"
    assert follow(s, "a", {"STO-8": setting(s, "a", "STO-8", wish)}) == ["call", "call", "march", "end"]


def test_a_march_gathers_for_what_the_place_takes_and_from_places_that_can_spare_some() -> None:  # MM-STO-8, MM-CAP-1
    cave = Scene("a: knights=2\nB1: Forest a 5\nB2: Forest a 4\nA3: Cave")
    wish = {"STO-8": "on steps=[(deed=march,slot=A3,gather=needed)]"}
    assert answer_with(cave, "a", wish) == "march in_b1=3 in_b2=4 target=A3 knights=4", "four, and not six"
    few = Scene("a: knights=2\nB1: Forest a 5\nB2: Forest a 2\nA3: Forest")
    wish = {"STO-8": "on steps=[(deed=march,slot=A3,gather=keep_3)]"}
    assert answer_with(few, "a", wish) == "march in_b1=3 in_b2=2 target=A3 knights=4", "two are fewer than three"


def test_a_tactical_advance_that_is_lost_may_stop_a_script() -> None:  # MM-STO-8
    held = HAND.replace("Conflict2, ", "")
    s = Scene(f"a: knights=6\na.hand: {held}, TacticalAdvance\nb.hand: {HAND}\nB1: Forest b 6")
    kept = answered(s, "a", {"STO-8": "on steps=[(deed=tactical,slot=B1,knights=k1),(deed=end,stops=[battle])]"})
    s.until("early")
    assert s.land("B1") == "Forest b 6" and answer_with(s, "a", kept) == "ask"


def test_a_step_that_goes_nowhere_is_no_march_that_could_be_lost() -> None:  # MM-STO-8
    s = Scene("a: knights=6\na.hand: CallToArms, Conflict2\nB1: Forest\nE1: Forest b 1")
    wish = "on steps=[(deed=march,slot=B1,knights=k2),(deed=call,slot=E1),(deed=end,stops=[battle])]"
    assert follow(s, "a", {"STO-8": setting(s, "a", "STO-8", wish)}) == ["march", "call", "end"]


def test_a_policy_aims_at_no_artefact_of_its_own_lord() -> None:  # MM-STO-1, MM-AMB-39
    use = "rules rules=[(plan=use)] otherwise=pass"
    assert answer(window(), "a", STO_1_sceptre=use) == "plan first=Loyalty", "a is the first, so that nothing is broken before"
    assert answer(window(), "b", STO_1_sceptre=use) == "plan first=Rage without_loyalty=Rage"


def test_a_castle_under_siege_counts_as_the_dearest_place() -> None:  # MM-STO-2, MM-STO-3, MM-OPT-6
    chain = "B1: Forest a 1\nC1: Forest a 1\nD1: Forest a 1"
    s = Scene(f"options: siege\na: knights=9\nb: knights=9\n{chain}\na.hand: {HAND}\nb.hand: {HAND}")
    s.play("a: march target=E2 knights=6")
    assert s.step == "conflict" and s.battle.siege
    cheap = CONFLICT.replace("when=[attack,defend,defend_3]", "when=[attack,defend]")
    assert [answer(s, "b", STO_2=wish) for wish in (CONFLICT, cheap)] == ["play card=Conflict5", "ask"]
    s.play("a: play card=Conflict2", "b: play card=Conflict5", "a: pass")
    assert (
        s.asked == ["b"] and answer(s, "b", STO_3="on attacker=ask defender=all from=v3") == "support cards=[Support1,Support2]"
    )


def test_an_order_for_conflict_cards_says_none_where_none_is_held() -> None:  # MM-STO-2, MM-DEC-15
    bare = "Support1, Support2, CallToArms, TacticalAdvance, Fracture"
    s = battle(b=bare, text="b.deck: Authority")
    assert s.step == "conflict" and answer(s, "b", STO_2=CONFLICT) == "none"


def test_support_is_given_from_the_value_that_is_named() -> None:  # MM-STO-3
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2")
    said = {n: answer(s, "b", STO_3=f"on attacker=ask defender=all from=v{n}") for n in (1, 2)}
    assert said == {1: "support cards=[Support1,Support2]", 2: "ask"}, "a Forest is worth 1"
    for options, given in (("-", "support cards=[Support1,Support2]"), ("skirmish", "ask")):  # MM-OPT-11
        s = battle("Homelands", text=f"options: {options}").play("a: play card=Conflict5", "b: play card=Conflict2")
        assert answer(s, "b", STO_3="on attacker=ask defender=all from=v1") == given


def test_where_support_goes_one_card_at_a_time_the_best_goes_first() -> None:  # MM-STO-3, MM-AMB-26, MM-DAT-4
    data = json.loads(TEXT)
    for card in data["deck"]["cards"]:
        card["value"] = {"SUPPORT_1": 2, "SUPPORT_2": 1}.get(card["id"], card.get("value", 0))
    s = battle(lore=f"lore: {json.dumps(data)}\n", text="rulings: MM-AMB-26=one")
    s.play("a: play card=Conflict5", "b: play card=Conflict2")
    assert answer(s, "b", STO_3="on attacker=ask defender=all") == "support cards=[Support1]", "it is worth 2 here"


def test_in_older_games_fear_and_vigour_are_decided_in_a_round_of_their_own() -> None:  # MM-STO-4, MM-ASY-4
    s = battle(send=2, there=5, text="a.artefacts: Fear\nrulings: MM-ASY-4=after").play("b: pass")
    assert s.step == "match" and [answer(s, "a", STO_4=how) for how in ("auto", "never", "ask")] == ["yes", "no", "ask"]


def test_an_order_that_can_not_be_read_any_more_does_nothing() -> None:  # MM-STO-8, MM-STO-11
    s = Scene("a: knights=3\na.hand: CallToArms")
    assert answer(s, "a", STO_8="((", STO_11="on turns=") == "ask"
    assert GAME.orders.after(s.state, "a", ["early:end"], {"STO-8": "((", "STO-11": "(("}) == {"STO-11": "(("}


def test_a_script_may_march_to_the_castles_of_others_in_a_castle_siege() -> None:  # MM-STO-8, MM-OPT-6
    def refused(s: Scene, slot: str) -> bool:
        try:
            return not setting(s, "a", "STO-8", f"on steps=[(deed=march,slot={slot})]")
        except Refused:
            return True

    assert [refused(Scene("options: siege"), slot) for slot in ("E2", "A2", "B1")] == [False, True, False]
    assert [refused(Scene(""), slot) for slot in ("E2", "A2", "B1")] == [True, True, False]


def test_of_like_places_the_one_with_the_most_knights_is_gathered_first() -> None:  # MM-STO-8
    s = Scene("active: b\nb: knights=1\nD1: Forest b 6\nD2: Forest b 6\nE1: Forest b 2\nE3: Forest b 3\nC3: Forest b 1")
    wish = {"STO-8": "on steps=[(deed=march,slot=B2,knights=k4,gather=needed)]"}
    found = orders.answer(GAME, s.state, "b", wish, Chance("x"))
    assert found is not None
    assert [found.number(f"in_{slot}") for slot in ("e3", "e1", "d1", "d2")] == [1, 1, 6, 6], "both lie behind the others"


def test_one_knight_is_all_where_there_is_but_one() -> None:  # MM-STO-8
    assert answer_with(Scene("a: knights=1\nB1: Forest"), "a", {"STO-8": "on steps=[(deed=march,slot=B1)]"}) == (
        "march target=B1 knights=1"
    )


def test_support_is_for_those_allies_that_are_named_alone() -> None:  # MM-STO-10, MM-OPT-5
    text = "options: teams=3\n" + "".join(f"{seat}.hand: {HAND}\n" for seat in "cde")
    s = battle(text=text, seats="a b c d e f", slot="B2").play("a: play card=Conflict3", "b: play card=Conflict5")
    while s.asked != ["c"]:
        s.play(f"{s.asked[0]}: pass")
    both = "support cards=[Support1,Support2]"
    for named, said in (("lord:a", both), ("lord:e", "ask"), ("lord:a,lord:e", both)):
        wish = setting(s, "c", "STO-10", f"on allies=[{named}] attacker=all defender=pass")
        assert answer(s, "c", STO_10=wish) == said


def test_all_that_can_go_is_the_most_that_any_die_allows() -> None:  # MM-STO-8, MM-DIC-4, MM-DAT-4
    data = json.loads(TEXT)
    data["constants"]["pips_per_die"] = 7
    own = "".join(f"{slot}: Forest a 1\n" for slot in ("A1", "A3", "B2", "C1", "C3", "D1", "D2"))
    s = Scene(f"lore: {json.dumps(data)}\na: knights=21\na.hand: Conflict2\nB1: Battlefield\n{own}")
    assert s.need("a") == 10
    assert answer_with(s, "a", {"STO-8": "on steps=[(deed=march,slot=B1)]"}).endswith("target=B1 knights=7")
