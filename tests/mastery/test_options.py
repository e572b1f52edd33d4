"""The optional rules: Allegiance, Castle Siege, Cut-Throat, Skirmish, Mayhem (MM-OPT, MM-DEC-17)."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from engine.core import procedure
from engine.core.asks import Answer, Refused
from engine.games import game_called
from engine.mastery import MASTERY
from engine.mastery.rules.pieces import TEXT
from engine.mastery.rules.setup import RULES, read_options
from engine.mastery.rules.table import Land, target, team
from engine.ui.forms import choices_of, describe
from tests.mastery.scene import HAND, Scene, battle, rolls, script

GAME = game_called("mastery")
SEATS = list("abcdef")


def test_which_sets_of_options_may_be_played() -> None:  # MM-OPT-1
    for n in range(2, 7):
        legal = set()
        for k in range(len(RULES) + 1):
            for rules in combinations(RULES, k):
                for teams in (0, 2, 3):
                    try:
                        read_options({"rules": list(rules), "allegiance": teams}, n)
                    except Refused:
                        continue
                    legal.add((rules, bool(teams)))
        assert len(legal) == (24 if n in (4, 6) else 16)


def test_a_game_tells_its_options() -> None:  # MM-OPT-1
    told = GAME.rules.variants.tell({"rules": ["castle_siege", "cut_throat", "skirmish", "mayhem"]})
    assert told == [
        "Castle Siege: the first to storm a castle wins at once; a castle defends as 8 knights.",
        "Cut-throat: knights on a territory that loses its supply are lost.",
        "Skirmish: 11 points win, and Homelands count nothing.",
        "Mayhem: six more knights at the start; the winner of a battle rolls for each knight, and a 1 kills it; "
        "if none is left, the other side wins instead.",
    ]
    assert GAME.rules.variants.tell({"allegiance": 2, "rules": ["skirmish"]}) == [
        "Allegiance, in teams of 2: 17 points of a team win, and allies may play support cards in each other’s battles."
    ]
    assert GAME.rules.variants.tell({}) == GAME.rules.variants.tell({"seating": "random"}) == []
    assert GAME.rules.variants.tell({"seating": "fixed"}) == ["The seats stand clockwise around the map as they are."]


def test_a_game_tells_by_which_file_it_is_played() -> None:  # MM-DAT-3, MM-MAP-7
    data = json.loads(TEXT)
    own = json.dumps(data | {"castles": data["castles"][::-1]})
    for mark, shown in (("0123456789abcdef", "0123456789ab"), ("", "")):
        said = [f"Played with the host’s own map or data file ({shown})."]
        assert GAME.rules.variants.tell({"own": own, "data": mark}) == said
    assert GAME.rules.variants.tell({"own": own}) == said, "games that are older than the mark"


# --- Allegiance -------------------------------------------------------------------------------------------------------

TEAMS = "options: teams=2\n"


@pytest.mark.parametrize(
    ("seats", "size", "teams"),
    [("a b c d", 2, ["ac", "bd"]), ("a b c d e f", 2, ["ad", "be", "cf"]), ("a b c d e f", 3, ["ace", "bdf"])],
)
def test_teams_sit_opposite_or_on_every_other_place(seats: str, size: int, teams: list[str]) -> None:  # MM-OPT-2
    s = Scene(f"options: teams={size}", seats)
    assert sorted({"".join(team(s.table, x)) for x in seats.split()}) == teams
    assert s.seen("a")["lords"][0]["team"] == list(teams[0])


@pytest.mark.parametrize(
    ("options", "seats", "points"),
    [
        ("-", "a b", 13),
        ("skirmish", "a b", 11),
        ("teams=2", "a b c d", 20),
        ("teams=2", "a b c d e f", 20),
        ("teams=3", "a b c d e f", 30),
        ("teams=2 skirmish", "a b c d", 17),
        ("teams=3 skirmish", "a b c d e f", 25),
    ],
)
def test_the_points_that_win(options: str, seats: str, points: int) -> None:  # MM-OPT-3, MM-OPT-11, MM-AMB-51
    assert target(Scene(f"options: {options}", seats).table) == points


CITIES = "C1: City a 1\nC2: City a 1\nB2: Fortress a 1\nD1: Fortress a 1\n"


def test_a_team_wins_together_and_nobody_alone() -> None:  # MM-OPT-3, MM-AMB-50
    s = Scene(TEAMS + "a: knights=3\na.hand: CallToArms\nE1: Forest\n" + CITIES, "a b c d").play("a: march target=E1 knights=1")
    assert s.points("a") == 13 and s.winners == [], "thirteen of one's own do not end it"
    more = CITIES + "E4: Battlefield c 1\nE5: Battlefield c 1\nD4: Forest c 1\n"
    s = Scene(TEAMS + "a: knights=3\nE1: Forest\n" + more, "a b c d").play("a: march target=E1 knights=1")
    assert s.winners == ["a", "c"] and s.points("a") + s.points("c") == 20
    assert "Lord A and Lord C won together with 20 points." in s.heard("b")


def test_allies_are_not_attacked_and_share_neither_supply_nor_hands() -> None:  # MM-OPT-4, MM-AMB-50
    s = Scene(
        TEAMS + "a: knights=3\na.hand: Fracture\nc.hand: Conflict5\nC1: Forest c 1\nc.artefacts: Rage\nD1: Forest a 1",
        "a b c d",
    )
    assert "C1" not in s.targets("a") and s.supplied("a") == set(), "C1 is c's, and D1 hangs on nothing else"
    assert s.refused("a: march target=C1 knights=1") == "C1 is held by an ally of yours; you can't march there."
    assert s.seen("a")["lords"][2]["hand"] == 1 and s.seen("a")["own"]["hand"] == ["Fracture"]
    s.play("a: fracture artefact=Rage")
    assert s.down("Rage") == 1, "even on an ally's"


def allied(a: str, b: str, tile: str = "Forest", c: str = HAND, d: str = HAND) -> Scene:
    """Lord a attacks b with 4 against 3; c helps a, d helps b."""
    s = battle(tile, text=f"{TEAMS}c.hand: {c}\nd.hand: {d}", seats="a b c d", slot="C1")
    return s.play(f"a: play card={a}", f"b: play card={b}")


def test_allies_may_support_clockwise_from_the_lower_score() -> None:  # MM-OPT-5, MM-DEC-17
    s = allied("Conflict3", "Conflict5")
    assert s.scores == (7, 8) and s.asked == ["a"] and s.ask().rule == "MM-DEC-16"
    s.play("a: pass", "b: pass")
    assert s.asked == ["c"] and (s.ask().rule, s.ask().default) == ("MM-DEC-17", Answer("pass"))
    assert s.ask().about["for"] == "a"
    s.play("c: support cards=[Support2]")
    assert s.scores == (9, 8)
    s.play("d: support cards=[Support1]")
    assert s.scores == (9, 9)
    s.play("a: support cards=[Support1]", "b: pass", "c: pass", "d: pass")
    assert s.asked == ["a"], "until all of them pass in succession"
    s.play("a: pass")
    assert s.told("result")[0]["margin"] == 1 and s.told("result")[0]["winner"] == "a"
    assert s.stamps("c") == [("Support2", 1)] and s.stamps("d") == [("Support1", 1)], "each to the own pile"
    assert allied("Conflict5", "Conflict2").asked == ["b"]
    assert allied("Conflict2", "Conflict3").asked == ["a"], "level"


def test_the_mountains_bar_allies_too() -> None:  # MM-AMB-50, MM-OPT-5
    s = allied("Conflict2", "Conflict3", "Mountains")
    assert s.told("no_support") == [{}] and s.step == "late" and s.told("support_passed") == []


# --- Castle Siege -----------------------------------------------------------------------------------------------------

SIEGE = "options: siege\nB1: Forest a 1\nD1: Forest a 1\n"
"""Lord a stands before b's castle E2."""


def siege(
    send: int,
    text: str = "",
    inside: int = 0,
    a: str = HAND,
    options: str = "siege",
    chance: dict[str, list[str]] | None = None,
) -> Scene:
    zones = SIEGE.replace("siege", options) + f"a: knights={send}\nb: knights={inside}\na.hand: {a}\nb.hand: {HAND}\n{text}"
    return Scene(zones, "a b", chance).play(f"a: march target=E2 knights={send}")


def test_castles_are_targets_for_up_to_six_and_defend_as_eight() -> None:  # MM-OPT-6, MM-AMB-52
    s = Scene(SIEGE + "a: knights=9")
    form = describe(MASTERY, s.ask("a"), {"a": "Ann", "b": "Bob"}, 0)
    targets = choices_of(next(f for f in form.options[0].fields if f.name == "target"))
    assert {"Bob’s castle (E2)"} == {c.label for c in targets if c.id == "E2"}
    assert "E2" in s.targets("a") and "A2" not in s.targets("a")
    assert s.refused("a: march target=E2 knights=7") == "E2 takes 6 knights of yours at most; you send 7."
    assert "E2" not in Scene(SIEGE.replace("siege", "mayhem")).targets("a")
    assert "E2" not in Scene("options: siege\nB1: Forest a 1").targets("a"), "not in reach"
    for inside in (0, 1, 20):
        assert siege(6, inside=inside).scores == (6, 8)
    assert siege(6).told("attacked")[0]["defender"] == "b"


def test_a_castle_loses_nobody_by_defending_and_fear_meets_eight() -> None:  # MM-OPT-7, MM-AMB-52
    s = siege(6, inside=1).play("a: play card=Conflict3", "b: play card=Conflict4").until("late")
    assert s.told("result")[0]["scores"] == [9, 12] and s.told("retreated") == [{"seat": "a", "lost": 3, "retreat": 3}]
    assert s.knights("b") == 1 and s.knights("a") == 3
    s = siege(2, "a.artefacts: Fear").play("b: pass")
    assert s.ask("a").about["other"] == "8" and s.play("a: yes").scores == (8, 8)
    s = siege(6, "b.artefacts: Vigour").play("a: pass")
    assert s.step == "conflict" and s.told("matched") == [], "never useful there"


def test_who_storms_a_castle_wins_at_step_six() -> None:  # MM-OPT-8
    s = siege(6, "a.artefacts: Brutality", inside=1).play("a: play card=Conflict5", "b: play card=Conflict3")
    assert s.scores == (11, 11)
    s.play("a: support cards=[Support2]", "b: pass", "a: pass")
    assert s.winners == ["a"] and s.table.outcome is not None and s.table.outcome.how == "siege"
    assert s.kinds()[-2:] == ["stormed", "won"] and s.asked == [], "no orb window"
    assert s.told("stormed")[0].items() >= {"seat": s.winners[0], "slot": s.lord("b").slot, "defender": "b"}.items()
    assert "Lord A stormed a castle and won the game." in s.heard(None)
    lost = siege(4, "a.artefacts: Devotion").play("a: play card=Conflict2", "b: play card=Conflict2").until("late")
    assert [f["artefact"] for f in lost.told("orb")] == ["Devotion"], "steps 7 to 9 as usual for the attacker"
    assert lost.knights("a") == 1, "4 lost by 4; Devotion brings one"


def test_points_win_in_a_siege_too() -> None:  # MM-OPT-9
    zones = "options: siege\na: knights=2\nB1: City a 1\nB2: City a 1\nC1: Fortress a 1\nC3: Fortress a 1\nA1: Forest"
    assert Scene(zones).play("a: march target=A1 knights=1").winners == ["a"]


# --- Cut-Throat -------------------------------------------------------------------------------------------------------


def test_knights_without_supply_are_removed_when_the_battle_is_over() -> None:  # MM-OPT-10, MM-AMB-53
    zones = (
        f"b: knights=4\nactive: b\na.hand: {HAND}\nb.hand: {HAND}\nC2: Forest a 2\nC3: City a 1\nD4: City a 2\nC4: Forest b 1\n"
    )
    s = Scene("options: cut_throat\n" + zones, "a b c d").play("b: march target=C3 knights=4")
    assert s.land("D4") == "City a 2", "not inside the battle"
    s.play("b: play card=Conflict5", "a: play card=Conflict2").until("late")
    assert s.land("D4") == "City" and s.points("a") == 1 and s.knights("a") == 0, "no retreat from D4"
    assert s.told("cut_off") == [{"seat": "a", "slot": "D4", "tile": "City", "count": 2}]
    assert "Lord A lost 2 knights at D4, cut off from supply." in s.heard(None)
    base = Scene(zones, "a b c d").play("b: march target=C3 knights=4", "b: play card=Conflict5", "a: play card=Conflict2")
    assert base.until("late").land("D4") == "City a 2"


def test_cut_throat_comes_after_the_conquest_and_its_ability() -> None:  # MM-OPT-10
    zones = "options: cut_throat\na: knights=3\na.hand: CallToArms\nC1: Forest a 2\nC3: Forest a 1\nB1: Village\n"
    s = Scene(zones).play("a: march target=B1 knights=1")
    assert s.supplied("a") == {"B1", "C1", "C3"}, "B1 joins what hung on nothing, in time"
    assert s.told("cut_off") == []
    s = Scene(zones.replace("B1: Village", "A1: Village")).play("a: march target=A1 knights=1")
    assert [f["slot"] for f in s.told("cut_off")] == ["C1", "C3"]
    kinds = s.kinds()
    assert kinds.index("conquered") < kinds.index("gained") < kinds.index("cut_off")
    sunk = Scene(zones.replace("B1: Village", "B1: Marshlands")).play("a: march target=B1 knights=1")
    assert sunk.land("B1") == "Marshlands" and [f["slot"] for f in sunk.told("cut_off")] == ["C1", "C3"], "vacated at once"


def test_the_winners_check_comes_before_the_cut() -> None:  # MM-AMB-53
    zones = "options: cut_throat\na: knights=3\nD1: City a 1\nD2: City a 1\nE1: Fortress a 1\nE3: Fortress a 1\nA1: Forest"
    s = Scene(zones).play("a: march target=A1 knights=1")
    assert s.winners == ["a"] and "cut_off" not in s.kinds(), "thirteen points, twelve of them cut off"


# --- Skirmish ---------------------------------------------------------------------------------------------------------


def test_eleven_points_win_a_skirmish_and_homelands_are_worth_nothing() -> None:  # MM-OPT-11
    lands = "C1: City a 1\nB1: Fortress a 1\nB2: Fort a 1\nC3: Shrine a 1\nA3: Homelands a 1\nA1: Village"
    zones = "a: knights=2\na.hand: CallToArms\n" + lands
    s = Scene("options: skirmish\n" + zones)
    assert s.points("a") == 10
    assert next(m for m in s.seen(None)["map"] if m["slot"] == "A3")["value"] == 0
    assert s.play("a: march target=A1 knights=1").winners == ["a"]
    base = Scene(zones)
    assert base.points("a") == 11 and base.play("a: march target=A1 knights=1").winners == []
    home = Scene("options: skirmish\n" + zones.replace("Village", "Homelands")).play("a: march target=A1 knights=1")
    assert home.points("a") == 10 and home.winners == []


# --- Mayhem -----------------------------------------------------------------------------------------------------------


def test_six_more_knights_in_the_castle_at_the_start() -> None:  # MM-OPT-12, MM-AMB-55
    chance = {"tiles-1": ["Homelands Homelands Village Village"], "first-player": ["1"]}
    state = GAME.rules.setup(["a", "b"], {"rules": ["mayhem"], "seating": "fixed"}, script(chance))
    procedure.begin(state)
    assert [state.table.lords["a"].knights, state.table.lands["A1"].knights, state.table.lands["A3"].knights] == [8, 2, 2]
    assert state.table.lords["b"].knights == 12 + 3, "b has begun a turn"


def mayhem(
    send: int,
    there: int,
    dice: list[list[int]],
    a: str = "Conflict5",
    b: str = "Conflict2",
    text: str = "",
    tile: str = "Forest",
) -> Scene:
    chance = {"mayhem": rolls(*(d for row in dice for d in row))}
    s = battle(tile, send, there, "options: mayhem\n" + text, chance=chance)
    return s.play(f"a: play card={a}", f"b: play card={b}").until("late", "fracture")


def test_the_winner_rolls_for_every_knight_and_ones_kill() -> None:  # MM-OPT-13
    s = mayhem(4, 3, [[1, 6, 2, 1]])
    assert s.land("B1") == "Forest a 2" and s.told("mayhem") == [{"seat": "a", "rolls": [1, 6, 2, 1], "dead": 2}]
    assert s.told("result")[0]["margin"] == 4 and s.told("retreated") == [{"seat": "b", "lost": 3, "retreat": 0}]
    kinds = s.kinds()
    assert kinds.index("result") < kinds.index("mayhem") < kinds.index("retreated")
    s = mayhem(4, 3, [[2, 3, 4, 5]])
    assert s.land("B1") == "Forest a 4" and "Mayhem: Lord A rolled 2, 3, 4, 5 and lost nobody." in s.heard(None)
    dice = [1, 2, 3, 4, 5, 6, 6, 1]  # a die for each, be they more than one die shows
    s = mayhem(8, 1, [dice], text="B1: Battlefield b 1")
    assert s.told("mayhem") == [{"seat": "a", "rolls": dice, "dead": 2}] and s.land("B1") == "Battlefield a 6"
    window = mayhem(4, 3, [[2, 3, 4, 5]], text="a.artefacts: Greed")
    assert window.step == "fracture" and "mayhem" in window.kinds(), "before the orb window"


def test_a_winner_without_knights_becomes_the_loser() -> None:  # MM-OPT-14, MM-AMB-54
    s = mayhem(3, 4, [[1, 1, 1], [1, 4, 6, 2]], b="Conflict2", text="a.artefacts: Resurgence\nb.artefacts: Brutality")
    s.until("late")
    assert s.land("B1") == "Forest b 3" and s.told("reversed") == [{"winner": "b", "loser": "a"}]
    assert s.told("retreated") == [] and s.knights("a") == 0 and s.told("mayhem")[1]["dead"] == 1
    # MM-ORB-2: of the new loser none is left whom Brutality could take
    assert [f["artefact"] for f in s.told("orb")] == ["Resurgence", "Brutality"] and not s.told("killed"), "by the new result"
    won = mayhem(3, 2, [[1, 1], [6, 6, 1]], a="Conflict2", b="Conflict4")
    assert won.land("B1") == "Forest a 2" and "conquered" in won.kinds(), "a lost 5 to 6, and takes it"


def test_when_both_sides_die_the_place_is_vacant() -> None:  # MM-OPT-14, MM-AMB-54
    s = mayhem(3, 2, [[1, 1, 1], [1, 1]], text="a.artefacts: Resurgence\nb.artefacts: Brutality").until("late")
    assert s.land("B1") == "Forest" and s.told("vacated") == [{"slot": "B1", "tile": "Forest"}]
    assert "orb" not in s.kinds() and s.step == "late" and s.pile("a") == ["Conflict5"]


def test_how_the_options_touch() -> None:  # MM-OPT-15
    # Skirmish with Castle Siege: eleven points win, and so does a castle.
    s = siege(6, options="siege skirmish").play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    assert target(s.table) == 11 and s.winners == ["a"]
    # Cut-Throat never touches castles; it is evaluated after Mayhem and the whole battle.
    zones = "options: cut_throat mayhem\nC2: Forest a 1\n"
    s = Scene(f"a: knights=2\na.hand: {HAND}\nb.hand: {HAND}\nB1: Forest b 2\nb: knights=5\n" + zones.replace("C2", "C1"))
    s.play("a: march target=B1 knights=2", "a: play card=Conflict5", "b: play card=Conflict2").until("late")
    kinds = s.kinds()
    assert kinds.index("mayhem") < kinds.index("conquered") and s.knights("b") == 5
    # Mayhem does not roll when the Arena has ended a battle.
    s = battle("Arena", 4, 1, "options: mayhem", chance={"arena": rolls(5, 3)})
    assert "mayhem" not in s.kinds() and s.land("B1") == "Arena a 4"


@pytest.mark.parametrize(("inside", "dice", "left"), [(3, [1, 1, 1], 0), (3, [1, 5, 6], 2), (0, [], 0)])
def test_a_castles_defender_rolls_for_real_knights_and_is_never_reversed(  # MM-OPT-15, MM-AMB-52
    inside: int, dice: list[int], left: int
) -> None:
    s = siege(4, inside=inside, options="siege mayhem", chance={"mayhem": rolls(*dice)})
    s.play("a: play card=Conflict2", "b: play card=Conflict5").until("late")
    assert s.knights("b") == left and s.winners == [] and "reversed" not in s.kinds()
    assert [f["rolls"] for f in s.told("mayhem")] == ([dice] if dice else []), "no knights, no roll"
    assert s.told("held") == [{"seat": "b", "slot": "E2"}]


def test_an_attacker_of_a_castle_may_be_reversed_by_mayhem() -> None:  # MM-AMB-52, MM-OPT-8
    s = siege(6, inside=2, options="siege mayhem", chance={"mayhem": rolls(1, 1, 1, 1, 1, 1, 6, 1)})
    s.play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    assert s.winners == [] and s.told("reversed") == [{"winner": "b", "loser": "a"}]
    assert s.knights("b") == 1 and s.knights("a") == 0, "the new winner rolls for the two in the castle"
    empty = siege(3, "a.artefacts: Devotion", options="siege mayhem", chance={"mayhem": rolls(1, 1, 1)})
    empty.play("a: play card=Conflict5", "b: play card=Conflict2").until("support")
    empty.play("a: support cards=[Support1,Support2]", "b: pass", "a: pass")
    assert empty.told("result")[0]["winner"] == "a" and empty.told("reversed") == [{"winner": "b", "loser": "a"}]
    empty.until("late")
    assert empty.told("battle_stopped") == [] and [f["artefact"] for f in empty.told("orb")] == ["Devotion"]
    assert empty.told("held") == [{"seat": "b", "slot": "E2"}] and empty.winners == [], "an empty castle is held all the same"


def test_the_points_that_win_are_told_with_the_optional_rules() -> None:  # MM-OPT-2, MM-OPT-11, MM-DAT-4
    def told(**options: object) -> str:
        return " ".join(GAME.rules.variants.tell({"allegiance": 0, "rules": [], **options}))

    assert "20 points" in told(allegiance=2) and "17 points" in told(allegiance=2, rules=["skirmish"])
    assert "11 points" in told(rules=["skirmish"]) and told() == ""
    data = json.loads(TEXT)
    data["victory"]["skirmish"]["individual"] = 9
    assert "9 points" in told(rules=["skirmish"], own=json.dumps(data))


def test_a_battle_that_storms_a_castle_is_shown_as_over() -> None:  # MM-OPT-8, MM-BAT-19
    s = siege(6).play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    (shown,) = s.seen(None)["doing"]
    assert (shown["what"], shown["number"], shown["winner"]) == ("battle", 9, "a") and s.winners == ["a"]


def test_who_holds_a_castle_with_brutality_kills_one_of_the_attackers() -> None:  # MM-OPT-8, MM-ORB-2
    s = siege(6, "b.artefacts: Brutality", inside=1).play("a: play card=Conflict2", "b: play card=Conflict3")
    s.until("late")
    assert s.told("killed") == [{"seat": "a", "count": 1}] and s.knights("b") == 1
    assert s.told("retreated") == [{"seat": "a", "lost": 3, "retreat": 2}] and s.knights("a") == 2


def test_where_knights_are_cut_off_nobody_is_left() -> None:  # MM-OPT-10, MM-GEN-2
    s = Scene("options: cut_throat\na: knights=2\nA1: Forest\nD2: Forest a 3").play("a: march target=A1 knights=1")
    assert s.told("cut_off") == [{"seat": "a", "slot": "D2", "tile": "Forest", "count": 3}]
    assert s.table.lands["D2"] == Land("Forest", "", 0)


def test_nothing_is_under_way_any_more_in_a_territory_that_has_won() -> None:  # MM-VIC-3, MM-AMB-41
    s = Scene("a: knights=2\nB1: City a 1\nB2: City a 1\nC1: Fortress a 1\nC3: Fortress a 1\nA1: Forest")
    s.play("a: march target=A1 knights=1")
    assert s.winners == ["a"] and s.seen(None)["doing"] == [] and s.kinds()[-2:] == ["conquered", "won"]
