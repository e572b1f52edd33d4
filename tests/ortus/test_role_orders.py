"""The standing orders that belong to roles (SO-17 to SO-19, SO-02's asset), and what the steady bot does with a role."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.core.asks import Answer, Refused, read, write
from engine.core.chance import Chance
from engine.games import game_called
from engine.ortus.steady import steady
from engine.play import orders
from engine.tools import playout
from tests.ortus.scene import Scene
from tests.ortus.test_roles import CHURCH, COURT, DUKES, fresh, given

ORTUS = game_called("ortus")


def ordered(s: Scene, seat: str, late: bool = False, **settings: str) -> str:
    """What the orders answer to the seat's ask; empty where it is asked."""
    chosen = {id.replace("_", "-"): text for id, text in settings.items()}
    for id, text in chosen.items():
        orders.check(ORTUS, s.state, seat, id, read(text))
    found = orders.answer(ORTUS, s.state, seat, chosen, Chance("guess"), late)
    return write(found) if found is not None else ""


def known(s: Scene, seat: str) -> set[str]:
    return {ask.rule for ask in ORTUS.orders.asks(s.state, seat)}


def test_orders_of_roles_are_set_by_whom_they_concern() -> None:  # SO-17, SO-18, SO-19
    s = Scene(COURT.replace("king: a []\n", "").replace("king", "archbishop"))
    of_roles = {"SO-17", "SO-18", "SO-19"}
    assert [known(s, seat) & of_roles for seat in "abc"] == [{"SO-18"}, {"SO-19"}, set()]
    s = fresh("abc", {"roles": "picked"})
    assert all(known(s, seat) & of_roles == {"SO-17"} for seat in "abc")
    s.play(f"{s.asked[0]}: king")
    assert not known(s, s.table.start) & of_roles, "who has his role wishes for none"
    assert not known(fresh("abc", {}), "a") & of_roles


def test_role_wishes_take_the_first_that_is_free() -> None:  # SO-17, D-01
    s = fresh("abc", {"roles": "picked"})
    wish = "on role_order=[king,duke,archbishop,earl]"
    assert ordered(s, s.asked[0], SO_17=wish) == "king"
    s.play(f"{s.asked[0]}: king")
    assert ordered(s, s.asked[0], SO_17=wish) == "duke"
    s.play(f"{s.asked[0]}: duke")
    assert ORTUS.orders.after(s.state, s.table.start, ["role:king"], {"SO-17": wish, "SO-01": "on"}) == {"SO-01": "on"}


def test_a_deck_on_file_has_the_size_of_the_role() -> None:  # SO-21, OR-ROLE-4
    s = fresh("abc", given("abc", "king", "earl", "duke"))
    small = "on cards=[" + ",".join(["Castle"] * 6 + ["Land"] * 6 + ["Vassal"] * 6 + ["Allies"] * 4) + "]"
    assert ordered(s, "a", late=True, SO_21=small).startswith("deck cards=[")
    with pytest.raises(Refused, match="24"):
        ordered(s, "b", late=True, SO_21=small)


def test_the_clock_leaves_the_archbishop_where_he_wants_to_be() -> None:  # SO-18, D-70
    s = Scene(CHURCH)
    assert ordered(s, "a", SO_18="on canterbury=in") == "", "his own Turn is his until its deadline"
    assert ordered(s, "a", late=True, SO_18="on canterbury=in") == "enter"
    assert ordered(s, "a", late=True, SO_18="on canterbury=out") == ""
    s.play("a: enter")
    assert ordered(s, "a", late=True, SO_18="on canterbury=in") == ""
    s = Scene(CHURCH + "canterbury: a")
    assert ordered(s, "a", late=True, SO_18="on canterbury=out") == "leave"
    assert ordered(s, "a", late=True, SO_18="on") == ""
    s.play("a: end")
    assert s.table.canterbury == "a", "who ends his Turn himself decides himself"


def test_an_order_that_ends_the_turn_leaves_the_archbishop_where_he_wants_to_be() -> None:  # SO-14, SO-18, D-70
    s = Scene(CHURCH).play("a: recruit")
    close, inside = "on turns=[(turn=recruit)] close=once", "on canterbury=in"
    assert ordered(s, "a", SO_14=close, SO_18=inside) == "enter"
    s.play("a: enter")
    assert ordered(s, "a", SO_14=close, SO_18=inside) == "end"


def test_a_turn_for_the_deadline_comes_before_canterbury() -> None:  # SO-14, SO-18
    s = Scene(CHURCH + "a.hand: Banquet")
    both = {"SO_14": "on turns=[(turn=banquet),(turn=end)]", "SO_18": "on canterbury=in"}
    assert ordered(s, "a", late=True, **both) == "banquet"
    s.play("a: banquet")
    assert ordered(s, "a", late=True, **both) == "enter"
    s.play("a: enter")
    assert ordered(s, "a", late=True, **both) == "end"


def test_a_captured_archbishop_pays_in_his_own_order() -> None:  # SO-18, D-71
    text = CHURCH.replace("a.F1: Palace (-) {Land}", "a.F1: Palace (-) {Land}\na.F2: Castle (-) {Church}\na.F3: Castle (-) {}")
    s = Scene(text + "canterbury: a\nactive: b")
    s.play("b: attack target=canterbury:a lords=[lord:F1]")
    wish = "on toll_order=[Castle,Land,Church,MarketTown,Cathedral,Palace]"
    assert ordered(s, "a", SO_18=wish) == "pay holding=F2"
    wish = "on toll_order=[Land,Castle,Church,MarketTown,Cathedral,Palace]"
    assert ordered(s, "a", SO_18=wish) == "pay holding=F1.Land/a"


@pytest.mark.parametrize(
    ("churches", "when", "answer"),
    [
        ("", "decider", "spend"),
        ("Church", "decider", "keep"),
        ("Church", "tie", "spend"),
        ("", "tie", "keep"),
        ("", "never", "keep"),
        ("2 Church", "tie", "keep"),
        ("own", "decider", "keep"),  # he decides without it
        ("", "own", "keep"),  # a Battle of others
    ],
)
def test_the_dukes_church_goes_by_the_count(churches: str, when: str, answer: str) -> None:  # SO-19, D-73
    text = DUKES.replace("b.F1: Palace (-) {}", f"b.F1: Palace (Vassal) {{{churches}}}")
    text = text.replace("c.assets: Allies, Church", "c.assets: Allies").replace(
        "c.F1: Palace (-) {}", "c.F1: Palace (Vassal) {}"
    )
    if churches == "own":
        text = text.replace("{own}", "{}").replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {Church}")
    s = Scene(text + "active: b\nbattle: CD")
    s.play("b: attack target=siege:c:F1 lords=[lord:F1]", "c: field lords=[lord:F1]")
    assert ordered(s, "a", SO_19=f"on church_when={when}") == answer


@pytest.mark.parametrize(("ruling", "answer"), [("made", "keep"), ("level", "spend")])
def test_the_dukes_church_makes_no_tie_where_there_is_one(ruling: str, answer: str) -> None:  # SO-19, OR-ROLE-39
    text = DUKES.replace("b.F1: Palace (-) {}", "b.F1: Palace (Vassal) {Church}").replace(
        "c.F1: Palace (-) {}", "c.F1: Palace (Vassal) {Church}"
    )
    text = text.replace("c.assets: Allies, Church", "c.assets: Allies")
    s = Scene(text + f"active: b\nbattle: CD\nrulings: SO-19={ruling}")
    s.play("b: attack target=siege:c:F1 lords=[lord:F1]", "c: field lords=[lord:F1]")
    assert ordered(s, "a", SO_19="on church_when=tie") == answer


def test_the_dukes_church_is_spent_in_a_battle_of_his_own() -> None:  # SO-19, D-73
    text = DUKES.replace("b.F1: Palace (-) {}", "b.F1: Palace (Vassal) {}").replace(
        "c.assets: Allies, Church", "c.assets: Allies"
    )
    s = Scene(text.replace("a.F1: Palace (-) {}", "a.F1: Palace (Monk) {}") + "active: b\nbattle: CD")
    s.play("b: attack target=siege:a:F1 lords=[lord:F1]", "a: field lords=[lord:F1]")
    assert s.step == "church_asset" and ordered(s, "a", SO_19="on church_when=own") == "spend"
    assert steady(s.state, "a", Chance("x")) == Answer("spend")


def test_the_steady_bot_keeps_a_dukes_church_where_it_decides_without() -> None:  # OR-ROLE-39, D-73
    text = DUKES.replace("b.F1: Palace (-) {}", "b.F1: Palace (Vassal) {}").replace(
        "a.F1: Palace (-) {}", "a.F1: Palace (Monk) {Church}"
    )
    s = Scene(text + "active: b\nbattle: CD")
    s.play("b: attack target=siege:a:F1 lords=[lord:F1]", "a: field lords=[lord:F1]")
    while s.asked != ["a"]:
        s.default()
    assert s.step == "church_asset" and steady(s.state, "a", Chance("x")) == Answer("keep")


def test_the_preset_of_a_game_with_roles_speaks_of_them_and_no_other_does() -> None:  # SO-17, SO-18, SO-19
    s = fresh("abc", {"roles": "picked"})
    preset = orders.preset(ORTUS, s.state)
    assert {"SO-17", "SO-18", "SO-19"} <= preset.keys()
    assert orders.preset(ORTUS, fresh("abc", {}).state) == orders.preset(ORTUS)
    assert orders.check(ORTUS, s.state, "a", "SO-17", read(preset["SO-17"])) == preset["SO-17"]
    taken = []
    while s.step == "role":
        taken.append(write(orders.answer(ORTUS, s.state, s.asked[0], preset, Chance("x")) or read("-")))
        s.play(f"{s.asked[0]}: {taken[-1]}")
    assert taken == ["king", "archbishop", "earl"], "a table of Dukes would sit behind its Towers"
    s = Scene(COURT.replace("king: a []\n", "").replace("king", "archbishop"))
    for seat, id in (("a", "SO-18"), ("b", "SO-19")):
        assert orders.check(ORTUS, s.state, seat, id, read(preset[id])) == preset[id]
        assert id in ORTUS.orders.after(s.state, seat, [], preset), "what is his stays"
    assert not {"SO-17", "SO-19"} & ORTUS.orders.after(s.state, "a", [], preset).keys()
    s = Scene(CHURCH + "canterbury: a")
    assert ordered(s, "a", late=True, SO_18=preset["SO-18"]) == "leave", "Towers don't help him there"


def test_who_would_pay_his_last_anchor_in_canterbury_gives_all_he_has() -> None:  # SO-05, OR-ROLE-28
    text = CHURCH.replace("{Land}", "{}") + "a.hand: Monk\ncanterbury: a\nactive: b"
    s = Scene(text.replace("b.F1: Palace (-)", "b.F1: Palace (Champion)"))
    s.play("b: attack target=canterbury:a lords=[lord:F1]")
    preset = {id.replace("-", "_"): text for id, text in orders.preset(ORTUS).items()}
    assert ordered(s, "a", False, **preset) == "field hand=[Monk/a]"
    richer = CHURCH.replace("b.F1: Palace (-)", "b.F1: Palace (Champion)") + "a.hand: Monk\ncanterbury: a\nactive: b"
    s = Scene(richer).play("b: attack target=canterbury:a lords=[lord:F1]")
    wish = "on rules=[(when=would_fall,forces=everything),(forces=none)]"
    assert ordered(s, "a", SO_05=wish) == "stand_down", "his Land pays"
    assert ordered(s, "a", SO_05=wish.replace("fall", "lose")) == "field hand=[Monk/a]"


def test_allies_by_the_card_or_the_asset() -> None:  # SO-02, OR-ROLE-36
    s = Scene(DUKES + "active: b\nb.hand: Treachery\na.hand: Allies, Land")
    s.play("b: treachery aim=hand:a")
    assert ordered(s, "a", SO_02="on hand=always") == "allies"
    assert ordered(s, "a", SO_02="on hand=always allies_first=asset") == "asset"
    assert ordered(s, "a", SO_02="on hand=never allies_first=asset") == "decline"
    s = Scene(DUKES + "active: b\nb.hand: Treachery\na.M1: Mercenary (-)")
    s.play("b: treachery aim=mercenary:a:1")
    assert ordered(s, "a", SO_02="on mercenary_gone=always") == "asset"


def test_just_enough_holds_canterbury_and_counts_the_permanent_tower() -> None:  # SO-05, OR-ROLE-27, OR-ROLE-32
    s = Scene(CHURCH.replace("{Land}", "{3 Land}") + "a.reserve: 3 I\na.towers: 5 Monk\ncanterbury: a\nactive: b")
    s.play("b: attack target=canterbury:a lords=[lord:F1]")
    wish = "on rules=[(what=canterbury,when=would_lose,forces=just_enough)]"
    assert ordered(s, "a", SO_05=wish) == "field reserve=[Infantry*2]"
    s = Scene(
        DUKES.replace("a.F1: Palace (-) {}", "a.F1: Castle (Vassal) {Land}")
        + "active: b\nb.hand: Champion, Vassal\na.reserve: I"
    )
    s.play("b: attack target=siege:a:F1 hand=[Champion/b,Vassal/b]")
    assert ordered(s, "a", SO_05="on rules=[(forces=just_enough)]") == "field lords=[lord:F1]"


def test_a_permanent_tower_alone_is_nothing_to_lose() -> None:  # SO-05, OR-ROLE-33
    text = DUKES.replace("a.F1: Palace (-) {}", "a.F1: Castle (Vassal) {}") + "active: b\nb.hand: Champion\n"
    for towers, answer in (("", "stand_down"), ("a.towers: Monk", "field lords=[lord:F1]")):
        s = Scene(text + towers).play("b: attack target=tower:a hand=[Champion/b]")
        assert ordered(s, "a", SO_05="on rules=[(when=would_lose,forces=all_lords),(forces=none)]") == answer


def test_the_new_fief_of_a_ransom_in_canterbury() -> None:  # SO-11, OR-ROLE-30
    text = CHURCH.replace(
        "a.F1: Palace (-) {Land}", "a.F1: Palace (Monk) {Land, Church}\na.F2: Castle (Monk) {}\na.F3: Castle (-) {}"
    )
    s = Scene(text + "b.F2: Castle (-) {}\ncanterbury: a\nactive: b\nbattle: AW")
    s.play("b: attack target=canterbury:a lords=[lord:F1]", "a: field lords=[lord:F1,lord:F2]")
    s.play("a: pay payments={lord:F1>F3,lord:F2>F1.Church/a}")
    assert s.table.canterbury == "a" and s.step == "spoils", "two cards stop two points"
    assert ordered(s, "b", SO_11="on attach_church=new") == "take attach={Church/a>F3}"


def test_nothing_is_fielded_for_a_tower_that_never_falls() -> None:  # SO-05, OR-ROLE-33
    text = DUKES.replace("a.F1: Palace (-) {}", "a.F1: Castle (Vassal) {Land}") + "active: b\nb.hand: Champion\n"
    for zones, answer in (
        ("a.reserve: I", "stand_down"),
        ("a.reserve:", "stand_down"),  # too few cards for its points hold it, too
        ("a.reserve: I\na.towers: Monk", "field lords=[lord:F1] reserve=[Infantry]"),
        ("a.reserve: I\nrulings: OR-ROLE-33=points", "field lords=[lord:F1] reserve=[Infantry]"),
    ):
        s = Scene(text + zones).play("b: attack target=tower:a hand=[Champion/b]")
        assert ordered(s, "a", SO_05="on rules=[(when=holdable,forces=just_enough)]") == answer


def test_the_vikings_may_be_ordered_against_a_duke_s_only_tower() -> None:  # SO-12, OR-ROLE-34, OR-VIK-9
    """The first legal attack on the list is used, though nothing can fall there."""
    sea = DUKES + "vikings: arrived black=8 white=0\nforce: 3 VikingInfantry\nactive: c\n"
    sea += "a: in cubes=0 turns=2 founded=1 hired=0\nc: in cubes=0 turns=2 founded=1 hired=0"
    listed = "raid attacks=[(aim=tower,earl=earl:a),(aim=siege,earl=earl:c)]"
    for ruling, answer in (("", "attack target=tower:a"), ("\nrulings: SO-12=towers", "attack target=siege:c:F1")):
        s = Scene(sea + ruling).play("c: end")
        assert ordered(s, "b", SO_12=listed) == answer and s.refused(f"b: {answer}") == ""
    s = Scene(sea + "\nc.towers: Land").play("c: end")
    assert ordered(s, "b", SO_12="raid attacks=[(aim=tower)]") == "attack target=tower:c", "rather where something falls"


# --- the steady bot ---------------------------------------------------------------------------------------------------


def test_it_plays_every_role_to_the_end_and_uses_what_it_has() -> None:
    told = Counter[str]()
    for number in range(4):
        chance = Chance(f"steady-{number}")
        s = fresh("abcdef", {"roles": "drawn", "mix": ["king", "archbishop", "duke", "duke"]}, f"court-{number}")
        for _ in range(4000):
            if not s.asked:
                break
            seat = s.asked[0]
            s.play(f"{seat}: {write(steady(ORTUS.rules.redeal(s.state, seat, chance), seat, chance))}")
        assert s.table.outcome is not None
        told.update(e.kind for e in s.log)
    assert {"canterbury_entered", "loyalty", "asset_spent"} <= told.keys(), told
    assert not {"refused"} & told.keys()


def test_it_submits_a_deck_of_its_role() -> None:
    s = fresh("abcd", given("abcd", "king", "archbishop", "duke", "earl"))
    for seat, size in zip("abcd", (22, 22, 22, 24), strict=True):
        assert len(steady(s.state, seat, Chance(seat)).some("cards")) == size


def test_playouts_of_any_bot_take_roles() -> None:
    for bots in (("steady",), ("random", "steady"), ("default",)):
        tally = playout.Tally()
        playout.play_one(ORTUS, 5, bots, "roles", tally, {"roles": "picked"})
        assert (tally.stalls, tally.errors) == (0, 0)


def test_orders_field_one_prince_of_a_king_who_holds_some_of_two_colours() -> None:  # SO-05, SO-14, OR-FLD-1, OR-ROLE-14
    text = "king: a []\na.role: king\na.hand: Prince/b, Prince/c, Monk\na.F1: Palace (-) {}\na.deck: 3 Land\n"
    text += "b.role: earl\nb.F1: Palace (Champion) {}\nc.role: earl\nc.F1: Palace (-) {}\n"
    everything = "on turns=[(turn=attack_siege,earl=earl:b,forces=everything)]"
    attack = ordered(Scene(text), "a", late=True, SO_14=everything)
    assert attack == "attack target=siege:b:F1 hand=[Monk/a,Prince/b] others=[king]"
    s = Scene(text + "active: b").play("b: attack target=siege:a:F1 lords=[lord:F1]")
    assert ordered(s, "a", SO_05="on rules=[(forces=everything)]") == "field hand=[Monk/a,Prince/b] others=[king]"
