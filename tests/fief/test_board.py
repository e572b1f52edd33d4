"""What boards and letters of Fief reckon before they draw: who stands where, how far groups go, markers, bargains, losses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest

from engine.core import procedure
from engine.core.asks import Row, Seat, read
from engine.fief.face.board import SORTS, Board, Marker, Taxed, Walker, slot
from engine.fief.rules.realm.pieces import KNOWN, lore_of
from engine.fief.rules.types import FiefState
from engine.games import game_called
from engine.ui.forms import describe

FIEF = game_called("fief")


def scene(text: str, seats: str = "a b c") -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: {seats}\n{text}")
    procedure.begin(state)
    return state


def board(state: FiefState, seat: Seat | None = "a", begun: str = "") -> Board:
    """The board of a seat, with the form that it is asked and what it has filled in."""
    asked = seat is not None and seat in state.waiting
    form = describe(FIEF, procedure.ask_of(state, seat), {}, state.serial) if asked and seat else None
    return Board(FIEF.rules.view(state, seat), form, read(begun) if begun else None)


def changed(state: FiefState, **view: Any) -> Board:
    """A board of a view that was changed, for what takes long to come to."""
    return Board({**FIEF.rules.view(state, "a"), **view}, None, None)


# --- what stands on the chart -----------------------------------------------------------------------------------------

FIELD = (
    "phase: 5\nblaye: b\nArthur: a blaye on=charolles\nblaye.a: 2 maa 1 knights on charolles\n"
    "Charles: b blaye\nblaye.b: 3 maa\nHenri: a blaye captor=b\n"
)


def test_armies_are_counted_by_family_the_controller_s_first() -> None:  # FF-CAP-1
    here = board(scene(FIELD)).standing.armies["blaye"]
    assert list(here) == ["b", "a"], "the controller first"
    own, other = here["a"], here["b"]
    assert (own.maa, own.knights, own.unseen, own.engine) == (2, 1, 0, None)
    assert (other.maa, other.knights, other.counters) == (3, 0, True)
    assert board(scene(FIELD)).fighters("blaye", ["a", "c"]) == own.lords
    assert [p["name"] for p in own.lords] == ["Arthur"] and not own.captives, "a captive stands with his captor"
    assert [p["name"] for p in other.lords] == ["Charles"] and [p["name"] for p in other.captives] == ["Henri"]
    assert board(scene(FIELD)).standing.armies["sigy"] == {}


def test_a_panel_avoids_the_battle_then_own_villages_then_those_of_others() -> None:
    castles = ("blaye", "mazilles", "sigy", "bourg")
    for own in castles:
        held = scene("phase: 4b\n" + "".join(f"{at}: {'a' if at == own else 'b'}\n" for at in castles))
        chart = board(held).standing.chart
        x, y = chart["villages"][own]["at"]
        corner = ("f-low " if y > 259 else "") + ("f-left" if x < 464 else "")
        assert board(held).corner(0.5) != corner.strip(), own
        assert board(scene("phase: 4b\n")).corner(0.5, own) != corner.strip(), "where the map begins"
    fought = {"doing": [{"what": "battle", "at": at} for at in ("sigy", "bourg", "mazilles")]}
    assert changed(scene("phase: 4b\nblaye: a\n"), **fought).corner(0.5) == "f-left"


def test_troops_whose_kind_is_not_seen_are_counted_apart() -> None:  # FF-OPT-10
    here = board(scene("options: fog_of_war\n" + FIELD)).standing.armies["blaye"]
    assert (here["b"].maa, here["b"].knights, here["b"].unseen) == (0, 0, 3)
    assert (here["a"].maa, here["a"].knights, here["a"].unseen) == (2, 1, 0)


def test_armies_for_which_there_is_no_room_stand_behind_the_last() -> None:
    spots = [(0.0, 0.0), (10.0, 20.0)]
    assert [slot(spots, n) for n in range(4)] == [(0.0, 0.0), (10.0, 20.0), (10.0, 20.0), (16.0, 44.0)]
    assert slot([*spots, (30.0, 40.0)], 3) == (36.0, 64.0)


def test_what_lies_at_a_bishopric_is_drawn_over_its_principal_village_and_a_disaster_over_all() -> None:  # FF-PLY-2
    standing = board(scene("phase: 5\nweather: famine 2, good_weather 2, good_weather 3\n")).standing
    assert standing.lie("tournus") == standing.lie("mazilles") == ["famine", "good_weather"]
    assert standing.over("tournus") == ["famine", "good_weather"] and standing.over("mazilles") == ["famine"]
    assert standing.over("st_gerome") == ["good_weather"] and standing.over("belleville") == standing.lie("blaye") == []


def test_taxes_lie_by_the_fief_or_the_bishopric_that_pays_them() -> None:  # FF-TAX-1, FF-TAX-2
    taxes = [["a", "Arthur", "fief", "sigy", []], ["b", "Charles", "bishop", "", [2]]]
    standing = changed(scene("phase: 5\n"), taxes=taxes).standing
    chart = standing.chart
    assert standing.markers == [
        Taxed("a", "sigy", [], chart["lands"]["sigy"]["label"]),
        Taxed("b", "", [2], chart["villages"]["tournus"]["at"]),
    ]
    assert [standing.taxed(v) for v in ("sigy", "mazilles", "blaye")] == [1, 1, 0]


def test_a_fief_s_title_is_found_with_its_lord() -> None:  # FF-GEN-9
    holders = board(scene("phase: 5\nArthur: a blaye fief=sigy\n")).standing.holders
    assert {fief: p["name"] for fief, p in holders.items()} == {"sigy": "Arthur"}


def test_what_is_kept_of_the_chart_and_the_families_is_known_by_all_that_it_is_made_of() -> None:
    told = board(scene(FIELD))
    assert told.standing.armies and told.court.families, "reckoned, but no part of that"
    for part in (told.standing, told.court):
        of = {f.name: getattr(part, f.name) for f in fields(part)}
        assert list(part.known) == [thing["mark"] if name == "chart" else thing for name, thing in of.items()]


# --- families ---------------------------------------------------------------------------------------------------------

MARRIED = (
    "phase: 5\nfirst: b\nArthur: a blaye fief=blaye spouse=Blanche\nBlanche: b sigy spouse=Arthur\nCharles: b sigy king\n"
    "a.deniers: 4\na.hand: Jeanne, uprising, taxes\nb.deniers: 7\n"
)


def test_allies_count_their_points_together() -> None:  # FF-VIC-3, FF-TTL-5
    told = board(scene(MARRIED, "a b c d"))
    a, b, c, _ = told.court.families
    assert (a.points, a.together, a.ally, b.points, b.together, b.ally) == (1, 2, "b", 1, 2, "a")
    assert (c.points, c.together, c.ally) == (0, 0, "")
    assert (a.mine, a.first, b.mine, b.first) == (True, False, False, True)
    assert a.wins > c.wins, "more are needed together"
    assert list(told.court.kin("a")) == ["Arthur", "Blanche"], "and whom they are married to"


def test_backs_of_cards_are_counted_by_their_deck_and_purses_where_they_are_seen() -> None:  # FF-INF-1
    for seat in ("a", "b", None):
        a, b, *_ = board(scene(MARRIED), seat).court.families
        assert (a.brown, a.grey, b.brown, b.grey, a.deniers, b.deniers) == (1, 2, 0, 0, 4, 7)
    a, b, *_ = board(scene("options: hidden_deniers\n" + MARRIED)).court.families
    assert (a.deniers, b.deniers) == (4, None)


def test_no_markers_are_shown_where_none_are_used() -> None:  # FF-OPT-11, FF-DIP-2
    usual, open_ = (board(scene(options + MARRIED)).court.families[0] for options in ("", "options: open_diplomacy\n"))
    assert (usual.markers, usual.most_markers, open_.markers) == (3, 3, None)


# --- movement ---------------------------------------------------------------------------------------------------------

LANDS = lore_of().roads
MARCH = "phase: 5\nArthur: a blaye\nblaye.a: 2 maa 1 knights\nCharles: a sigy\nHenri: b bourg\nbourg: b\n"


def reach(state: FiefState, *rows: str) -> list[str] | None:
    """Where the group that is written last can go, once so much is filled in."""
    return board(state, "a", f"move moves=[{','.join(rows)}]" if rows else "").reach


def test_a_group_goes_along_roads_as_long_as_it_has_moves() -> None:  # FF-MOV-2
    state = scene(MARCH)
    assert reach(state) == [] and reach(state, "(lords=[Arthur])") == list(LANDS["blaye"])
    assert reach(state, "(lords=[Arthur],to=la_salle)") == list(LANDS["la_salle"])
    assert reach(state, "(lords=[Arthur],to=la_salle,then=sennecy)") == [], "two Moves, and no more"
    assert reach(state, "(lords=[Arthur],to=la_salle)", "(lords=[Arthur])") == list(LANDS["la_salle"]), "on from where he came"
    assert reach(state, "(lords=[Arthur],to=la_salle)", "(lords=[Charles])") == list(LANDS["sigy"]), "the last row counts"
    assert reach(state, "(lords=[Henri])") == [], "another's Lord"


def test_a_stop_that_is_left_empty_is_no_move() -> None:  # FF-MOV-2
    told = board(scene(MARCH))
    row: Row = {"lords": ["Arthur"], "to": "la_salle"}
    begun, further = told.choices([{**row, "then": ""}])
    assert [begun, further] == told.choices([row])
    assert (begun["to"], begun["then"], begun["third"]) == (list(LANDS["blaye"]), list(LANDS["la_salle"]), [])
    assert told.choices([{**row, "to": ""}])[1] == further | {"lords": ["Arthur", "Charles"]}


def test_d_arc_takes_a_third_road_and_who_came_with_her_takes_it_too() -> None:  # FF-MOV-2, FF-MOV-4
    state = scene("phase: 5\nJeanne: a blaye d_arc\nArthur: a blaye\nCharles: a la_salle\n")
    told = board(state).march
    assert (told.lead, told.led, told.left) == (["Jeanne"], ["Arthur", "Charles"], {"Jeanne": 3, "Arthur": 2, "Charles": 2})
    two, on = "to=la_salle,then=sennecy", list(LANDS["sennecy"])
    assert reach(state, f"(lords=[Jeanne],{two})") == on
    assert reach(state, f"(lords=[Jeanne,Arthur],{two})") == on
    assert reach(state, f"(lords=[Arthur],{two})") == [], "not without her"
    assert (
        reach(state, "(lords=[Arthur],to=la_salle)", "(lords=[Jeanne],to=la_salle)", "(lords=[Jeanne,Arthur],to=sennecy)") == []
    )


def test_rain_shuts_roads_but_for_who_holds_a_secret_passage() -> None:  # FF-DIS-3, FF-SEC-3
    wet = MARCH + "Othon: a lepervier\nBlanche: a beaujeu\nweather: heavy_rain 1\n"
    state = scene(wet)
    assert board(state).march.shut == [v for v in LANDS if lore_of().sites[v].bishopric == 1]
    assert reach(state, "(lords=[Othon])") == [], "it rains where he stands, though not at Châteauneuf"
    assert reach(state, "(lords=[Blanche])") == ["st_ciers"], "and at La Salle"
    assert reach(state, "(lords=[Charles],to=st_ciers)") == ["beaujeu", "sigy", "marcamps"]
    assert reach(state, "(lords=[Charles],to=st_ciers,then=beaujeu)") == []
    slips = scene(wet + "a.hand: secret_passage\n")
    assert board(slips).march.shut == [] and reach(slips, "(lords=[Arthur])") == list(LANDS["blaye"])


def test_roads_bound_what_can_be_picked_only_while_moves_are_asked_for() -> None:
    told = board(scene(MARCH), "a", "move moves=[(lords=[Arthur])]")
    assert told.reaches("la_salle") and told.reaches("Arthur") and not told.reaches("sigy")
    bystander = board(scene(MARCH), "b")
    assert bystander.reach is None and bystander.reaches("sigy") and not bystander.march.left and not bystander.march.shut


def test_whom_a_lord_leads_is_told_by_the_ruling_and_by_the_walls_between_them() -> None:  # FF-MOV-3, FF-MOV-6
    text = (
        "seats: a b c d\nphase: 5\nblaye: b stronghold{engine}\nblaye.b: 1 maa\nblaye.c: 1 maa on la_salle\n"
        "Arthur: a blaye\nCharles: a blaye on=charolles\nblaye.a: 2 maa, 1 knights on charolles\n"
        "Henri: b bourg spouse=Jeanne\nJeanne: a sigy spouse=Henri\n"
    )
    free = board(scene(text.replace("{engine}", "")))
    assert [(w.id, w.maa, w.knights) for w in free.walkers[:2]] == [("Arthur", 2, 1), ("Charles", 2, 1)]
    assert free.march.one_army and free.march.walled == free.march.inside == []
    shut = board(scene(text.replace("{engine}", " engine=c/1")))
    assert [(w.id, w.maa, w.knights) for w in shut.walkers[:2]] == [("Arthur", 2, 0), ("Charles", 0, 1)]
    assert shut.march.walled == shut.march.inside == ["blaye"]
    before = board(scene("rulings: FF-MOV-3=road\n" + text.replace("{engine}", "")))
    assert [(w.id, w.maa, w.knights) for w in before.walkers[:2]] == [("Arthur", 2, 0), ("Charles", 0, 1)]
    assert not before.march.one_army


def test_who_can_march_is_told_with_those_whom_he_leads() -> None:  # FF-MOV-2, FF-MOV-6
    state = scene(
        "phase: 5\nblaye: b\nblaye.b: 1 maa\nArthur: a blaye on=charolles moves=2\nblaye.a: 2 maa 1 knights on charolles\n"
        "Charles: a blaye on=la_salle\nBlanche: a tournus\nweather: heavy_rain 2\nHenri: a blaye captor=b\n"
    )
    told = board(state)
    assert told.walkers == [
        Walker("Arthur", 2, 1, True, False),
        Walker("Charles", 2, 1, False, False),
        Walker("Blanche", 0, 0, False, True),
    ]
    assert told.leaders == ["Arthur", "Charles"] and told.march.held == ["blaye"]


def test_moves_are_counted_by_the_host_s_own_file() -> None:  # FF-MOV-2
    state = scene(MARCH)
    options = {**FIEF.rules.view(state, "a")["options"], "moves": 1}
    form = describe(FIEF, procedure.ask_of(state, "a"), {}, state.serial)
    told = Board({**FIEF.rules.view(state, "a"), "options": options}, form, read("move moves=[(lords=[Arthur],to=la_salle)]"))
    assert told.reach == [] and told.march.left["Arthur"] == 1


def test_moves_that_are_filled_in_are_drawn_one_by_one() -> None:
    row = "(lords=[Arthur],maa=2,knights=1,to=la_salle,then=sennecy)"
    told = board(scene(MARCH), "a", f"move moves=[(lords=[Charles],to=st_paul),{row}]")
    at = {id: v["at"] for id, v in told.standing.chart["villages"].items()}
    assert told.legs == [
        ("1", at["sigy"], at["st_paul"], 0),
        ("2", at["blaye"], at["la_salle"], 3),
        ("", at["la_salle"], at["sennecy"], 3),
    ]
    nonsense = board(scene(MARCH), "a", "move moves=[(lords=[Nobody],to=nowhere),(lords=[Arthur],to=nowhere,maa=many)]")
    assert nonsense.legs == [] and nonsense.reach == list(LANDS["blaye"])


# --- what is under way ------------------------------------------------------------------------------------------------


def test_a_halt_belongs_to_the_phase_before_it() -> None:  # FF-ASY-10
    numbers = {"setup": 0, "1a": 1, "cp1": 2, "2c": 2, "cp2": 5, "cp3": 6, "7": 7}
    assert {phase: changed(scene("phase: 5\n"), phase=phase).phase for phase in numbers} == numbers


def test_a_cavalcade_that_is_fought_is_shown_as_the_battle_that_it_is() -> None:  # FF-CAV-1
    ride, fight = {"what": "cavalcade", "at": "blaye"}, {"what": "battle", "at": "blaye"}
    turn, state = {"what": "turn", "seat": "b"}, scene("phase: 5\n")
    assert changed(state, doing=[turn, ride]).affairs == [(1, ride)] and not changed(state, doing=[ride]).fight
    told = changed(state, doing=[{**turn, "seat": "a"}, turn, ride, fight])
    assert told.affairs == [(2, fight)] and told.fight and told.lit == ["blaye", "blaye"]
    assert told.beside == [{"what": "turn", "seat": "b"}, ride], "no turn of one's own, and the battle has its own place"
    over = changed(state, doing=[fight], outcome={"winners": ["a"]})
    assert not over.fight and over.beside == [fight], "of a game that is over one wants the chart"


def test_an_assassin_strikes_where_his_victim_is() -> None:  # FF-ASN-1
    state = scene("phase: 2c\nArthur: a blaye\nHenri: b sigy\n")
    told = changed(state, doing=[{"what": "assassination", "by": "a", "lord": "Henri", "sponsor": "Arthur"}])
    assert told.lit == ["sigy"]
    assert not changed(state, doing=[{"what": "assassination", "by": "a", "lord": "Nobody", "sponsor": "Arthur"}]).lit


def test_the_chart_begins_at_a_lord_who_is_free() -> None:  # FF-CAP-1
    assert board(scene("phase: 5\nCharles: b blaye\nArthur: a blaye captor=b\nHenri: a sigy\n")).home == "sigy"
    assert board(scene("phase: 5\nCharles: b blaye\nArthur: a blaye captor=b\n"), None).home == ""


def test_markers_show_their_face_to_their_owner_alone() -> None:  # FF-INF-2, FF-ELE-3
    votes: dict[str, Any] = {"what": "election", "candidates": ["Arthur", "Charles"], "own": ["Charles", "Arthur"]}
    votes |= {"placed": {"a": ["Arthur", "Charles"], "b": ["Arthur", "Arthur"], "c": []}}
    told = board(scene("phase: 5\n"))
    hidden = [Marker("b", ""), Marker("b", "")]
    assert told.markers(votes) == {"Arthur": [Marker("a", "decoy"), *hidden], "Charles": [Marker("a", "for")]}
    both = votes | {"own": ["Arthur", "Arthur"], "placed": {"a": ["Arthur", "Arthur"]}}
    assert told.markers(both) == {"Arthur": [Marker("a", "for"), Marker("a", "decoy")], "Charles": []}
    watched = board(scene("phase: 5\n"), None).markers(votes | {"own": []})
    assert watched == {"Arthur": [Marker("a", ""), *hidden], "Charles": [Marker("a", "")]}


def proposal(by: Seat, to: Seat, **terms: object) -> dict[str, Any]:
    """An exchange as a view has it."""
    sides: Mapping[str, object] = {"deniers": 0, "cards": [], "villages": [], "passage": [], "captives": [], "title": ""}
    sides = {**sides, "ransom": 0, "consent": "", "annul": ""}
    about = {f"{side}_{name}": value for side in ("give", "want") for name, value in sides.items()}
    return {"kind": "exchange", "by": by, "about": {"to": to, "lord": "", "other": "", "spent": {}, **about, **terms}}


def test_bargains_are_laid_out_by_who_gives_what() -> None:  # FF-DIP-9
    state = scene("phase: 5\na.deniers: 4\nb.deniers: 7\n")
    own = proposal("a", "", give_deniers=2, want_villages=["blaye/b"])
    put = proposal("b", "a", give_title="sigy/Charles", want_passage=["bourg/a", "sigy/a"])
    mine, theirs = changed(state, proposals=[{"kind": "cession"}, own, put]).bargains
    give, want = mine.sides
    assert (give.seat, give.purse, give.deniers, give.empty) == ("a", 4, 2, False)
    assert (want.seat, want.purse, want.villages, want.empty) == ("", None, ["blaye"], False)
    give, want = theirs.sides
    assert (give.seat, give.title, give.deniers, want.seat, want.passage) == ("b", "sigy", 0, "a", ["bourg", "sigy"])
    assert (mine.opens, theirs.opens) == (False, True), "what another has put to one is open first"
    (alone,) = changed(state, proposals=[own]).bargains
    (empty,) = changed(state, proposals=[proposal("a", "b")]).bargains
    assert alone.opens and all(side.empty for side in empty.sides)


# --- what is asked, and the box ---------------------------------------------------------------------------------------


def test_wares_are_what_can_be_bought_now() -> None:  # FF-PUR-1
    state = scene("phase: 4b\nfirst: a\nArthur: a blaye\nblaye: a\na.deniers: 3\n")
    told = board(state)
    assert told.wares == {c.id for c in _whats(state)} and "maa" in told.wares and not board(state, "b").wares


def _whats(state: FiefState) -> list[Any]:
    buy = next(o for o in describe(FIEF, procedure.ask_of(state, "a"), {}, 0).options if o.id == "buy")
    rows = buy.fields[0]
    return next(cell.choices for cell in rows.fields if cell.name == "what")  # type: ignore[union-attr]  # it is one of rows


def test_cards_are_of_the_kind_that_their_rules_give_them() -> None:  # FF-CMP-4, FF-CMP-5
    deck = {sort: {c for c in SORTS if SORTS[c] == sort} for sort in set(SORTS.values())}
    assert deck["white"] == {"bountiful_harvest", "good_weather", "taxes"}
    assert deck["disaster"] == {"heavy_rain", "famine", "plague"} and deck["face"] == KNOWN["lords_deck_specials"]
    assert deck["opportunity"] == {"uprising", "secret_passage", "assassination", "justice", "ambush"}
    assert deck["lord"] == set(lore_of().people) and Board.sort("Somebody") == "lord"


def test_a_view_is_all_that_a_board_is_made_of() -> None:
    """It is plain data, so a board can't know more than is in it."""
    view = json.loads(json.dumps(FIEF.rules.view(scene(FIELD), "a")))
    assert Board(view, None, None).standing.armies == board(scene(FIELD)).standing.armies


def test_once_a_purchase_has_its_village_or_lord_a_pick_begins_another() -> None:  # FF-PUR-1
    state = scene("phase: 4b\nHenri: a bourg bishop=5\nbourg: a\nmarcamps: a\na.deniers: 40\n")
    reached = {
        row: board(state, begun=f"buy items=[({row})]").reaches("marcamps")  # a Mill can be had there, and no Troops
        for row in ("what=maa", "what=mill", "what=maa,at=bourg", "what=cardinal", "what=cardinal,lord=Henri")
    }
    assert reached == {
        "what=maa": False, "what=mill": True, "what=maa,at=bourg": True,
        "what=cardinal": False, "what=cardinal,lord=Henri": True,
    }  # fmt: skip


def test_a_march_is_shown_the_shortest_ways_through_few_villages_of_others() -> None:  # FF-MOV-2, FF-MOV-7
    text, draft = "phase: 5\nMireille: a bourg d_arc\nbourg.a: 4 maa\n", "move moves=[(lords=[Mireille],maa=2)]"
    near = ["la_bussiere", "villeneuve", "st_vivien"]
    second = ["la_bussiere+st_andre", "villeneuve+charolles", "villeneuve+st_medard", "villeneuve+les_essarts"]
    third = ["charolles+blaye", "charolles+lepervier", "st_medard+st_andromy", "les_essarts+marcamps"]
    plain = board(scene(text), begun=draft)
    assert plain.drafted[0]["trail"] == [
        *near, *second, "st_vivien+st_paul", "la_bussiere+st_andre+st_gerome",
        *(f"villeneuve+{way}" for way in third), "st_vivien+st_paul+sigy",
    ]  # fmt: skip
    (march,) = plain.marches
    assert (march.left, march.reach["sigy"]) == (3, ["st_vivien", "st_paul", "sigy"])
    barred = board(scene(f"{text}la_bussiere: b\nla_bussiere.b: 1 maa\n"), begun=draft)
    assert "villeneuve+st_medard+st_gerome" in barred.drafted[0]["trail"]
    gone = board(scene(text), begun="move moves=[(lords=[Mireille],maa=2,to=st_vivien,then=st_paul,third=sigy)]")
    assert gone.marches[0].reach["sigy"] == ["st_vivien", "st_paul", "sigy"] and gone.drafted[1]["trail"] == []


STALL = (
    "phase: 4b\nfirst: a\nHenri: a bourg bishop=5\nArthur: a sigy on=st_paul\nGauvain: a blaye\nEric: a belleville\n"
    "bourg: a stronghold\nmarcamps: a stronghold\nvilleneuve: a mills=1\nsigy: b stronghold engine=a/1\nsigy.b: 2 maa\n"
    "sigy.a: 4 maa 6 knights on st_paul\nblaye: b city\nblaye.b: 2 maa 1 knights\nblaye.a: 2 maa\ntournus: a stronghold\n"
    "belleville: a stronghold engine=b/1\nbelleville.b: 1 maa\npugnac: a\n"
)
"""a stands outside besieged Sigy, and Eric within Belleville, which b besieges; six of eight Knights are placed."""
TROOPS, MILLS = "blaye tournus bourg marcamps sigy", "tournus belleville pugnac villeneuve bourg marcamps"


@pytest.mark.parametrize(
    ("purse", "rows", "left", "maa", "knight", "mill", "stronghold", "title", "hats"),
    [
        (40, "what=knight,at=bourg,n=1", 37, TROOPS, TROOPS, MILLS, "pugnac villeneuve", "tournus belleville", "Henri"),
        (40, "what=knight,at=bourg,n=2", 34, TROOPS, "", MILLS, "pugnac villeneuve", "tournus belleville", "Henri"),
        (40, "what=maa,at=bourg,n=4", 36, *[TROOPS.replace(" bourg", "")] * 2, MILLS, "pugnac villeneuve", "tournus belleville",
         "Henri"),
        (40, "what=mill,at=marcamps", 37, TROOPS, TROOPS, MILLS, "pugnac villeneuve", "tournus belleville", "Henri"),
        (40, "what=mill,at=villeneuve", 37, TROOPS, TROOPS, MILLS.replace(" villeneuve", ""), "pugnac villeneuve",
         "tournus belleville", "Henri"),
        (13, "what=stronghold,at=villeneuve", 3, *[TROOPS.replace(" bourg", " villeneuve bourg")] * 2, MILLS, "", "", ""),
        (40, "what=title,at=tournus,lord=Henri", 34, TROOPS, TROOPS, MILLS, "pugnac villeneuve", "", "Henri"),
        (10, "what=cardinal,lord=Henri", 5, TROOPS, TROOPS, MILLS, "", "", "Henri"),
        (7, "what=cardinal,lord=Henri", 2, TROOPS, "", "", "", "", ""),
    ],
)  # fmt: skip
def test_what_is_drafted_leaves_fewer_goods(
    purse: int, rows: str, left: int, maa: str, knight: str, mill: str, stronghold: str, title: str, hats: str
) -> None:  # FF-PUR-1, FF-PUR-4, FF-FTL-1
    stall = board(scene(f"{STALL}a.deniers: {purse}\n"), begun=f"buy items=[({rows})]").stall
    assert stall is not None and stall.left == left
    assert [" ".join(places) for places in stall.places.values()] == [maa, knight, mill, stronghold, title]
    assert stall.lords == {"title": ["Henri", "Arthur", "Gauvain", "Eric"], "cardinal": hats.split()}
    assert stall.titles == ([("tournus", 6)] if title else [])


def test_a_fief_with_a_city_has_no_title_for_sale() -> None:  # FF-FTL-1
    text = f"{STALL.replace('tournus: a stronghold', 'tournus: a city')}a.deniers: 40\n"
    stall = board(scene(text), begun="buy items=[(what=maa,at=bourg,n=1)]").stall
    assert stall is not None and (stall.places["title"], stall.titles) == ([], [])
