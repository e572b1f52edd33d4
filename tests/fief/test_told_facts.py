"""What the log is told of ransoms, Justice and exchanges: who, whose, how much, and who hears it."""

from __future__ import annotations

import pytest

from engine.core import offers, procedure
from engine.core.asks import Refused, read
from engine.core.figures import Beat, Hit
from engine.core.views import Event
from engine.fief.face.figures import deniers_spent
from engine.fief.rules.court.elections import Election
from engine.fief.rules.realm.control import drop_relics
from engine.fief.rules.realm.table import Tax
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.battle import Battle
from engine.fief.rules.war.captives import capture
from engine.fief.rules.war.forces import Side
from engine.games import game_called
from engine.play.cases import Scripted
from engine.play.match import check_offer, run_offer

FIEF = game_called("fief")


def scene(text: str) -> FiefState:
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


def told(news: list[Event], kind: str) -> list[tuple[dict[str, object], object]]:
    return [(dict(e.facts), None if e.only is None else set(e.only)) for e in news if e.kind == kind]


def test_a_ransom_is_told_with_its_sum() -> None:  # FF-RAN-4
    state = scene("phase: 4b\nArthur: a mazilles\nHenri: a blaye captor=b\nblaye: b\nblaye.b: 1 maa\na.deniers: 9\n")
    news = procedure.play(state, "a", read("ransom captive=Henri sum=1"))
    news += procedure.play(state, "b", read("yes"))
    assert told(news, "ransomed") == [({"lord": "Henri", "seat": "a", "captor": "b", "sum": 1}, None)]


def test_cards_that_are_exchanged_are_told_to_the_two_alone() -> None:  # FF-DIP-9
    state = scene("phase: 5\nArthur: a blaye\nHenri: b bourg\na.hand: taxes, uprising\nb.hand: taxes\n")
    terms = read("propose to=b give_cards=[uprising]")
    run_offer(FIEF, state, "a", "exchange", check_offer(FIEF, state, "a", "exchange", terms))
    number, ask = offers.proposals(state, "b")[0]
    news = run_offer(FIEF, state, "b", ask.kind, check_offer(FIEF, state, "b", ask.kind, read("accept"), number), number)
    ((facts, only),) = told(news, "exchanged_cards")
    assert facts["seats"] == ["a", "b"] and only == {"a", "b"}


def test_justice_is_told_with_who_calls_for_it_and_on_whom() -> None:  # FF-JUS-1
    state = scene("phase: 5\nOthon: a sigy king fief=sigy\nHenri: c bourg assassin\na.hand: justice\n")
    news = run_offer(FIEF, state, "a", "justice", check_offer(FIEF, state, "a", "justice", read("play lord=Henri")))
    assert told(news, "justice") == [({"seat": "a", "lord": "Henri"}, None)]


def test_an_annulment_that_nobody_answers_is_told_to_be_over_and_one_taken_back_withdrawn() -> None:  # FF-MAR-11
    text = "Othon: b sigy pope bishop=5\nArthur: a blaye spouse=Guenievre\nGuenievre: c bourg spouse=Arthur\n"
    state = scene(f"phase: 5\n{text}")
    run_offer(FIEF, state, "a", "annulment", check_offer(FIEF, state, "a", "annulment", read("ask lord=Arthur")))
    (proposal,) = state.table.proposals.open
    for how, word in (("withdrawn", "withdrawn"), ("phase", "over")):
        state.table.news = []
        proposal.lapse(state.table, how)
        assert told(state.table.news, "annulment_lapsed") == [({"by": "a", "lord": "Arthur", "how": word}, None)]


def test_a_captive_stands_where_his_captor_s_counters_stand() -> None:  # FF-CAP-1
    text = "phase: 6a\nArthur: a blaye\nHenri: b blaye on=charolles\nblaye: a\n"
    for more, road in (("blaye.c: 1 maa on la_salle\n", "la_salle"), ("Othon: c blaye on=charolles\n", "charolles"), ("", "")):
        table = scene(text + more).table
        capture(table, table.lords["Henri"], "c")
        assert (table.lords["Henri"].captor, table.lords["Henri"].road) == ("c", road)


def test_a_proposal_is_shown_to_those_who_know_of_it() -> None:  # FF-DIP-9, FF-MAR-11
    state = scene("phase: 5\nOthon: b sigy pope bishop=5\nArthur: a blaye spouse=Guenievre\nGuenievre: c bourg spouse=Arthur\n")
    run_offer(FIEF, state, "a", "annulment", check_offer(FIEF, state, "a", "annulment", read("ask lord=Arthur")))
    shown = {"number": 64, "kind": "annulment", "by": "a", "to": ["b"], "about": {"by": "a", "lord": "Arthur"}}
    assert [FIEF.rules.view(state, reader)["proposals"] for reader in (None, "a", "c")] == [[shown]] * 3


def test_a_freed_lord_needs_the_leave_of_his_host_and_goes_elsewhere_without_it() -> None:  # FF-RAN-5, FF-LRD-2
    state = scene(
        "phase: 4b\nfirst: a\nHenri: a blaye captor=b\nblaye: b\nblaye.b: 1 maa\nbourg: b\nbourg.b: 1 maa\nsigy: c\n"
        "sigy.c: 1 maa\na.deniers: 30\n"
    )
    procedure.play(state, "a", read("ransom captive=Henri sum=1"))
    procedure.play(state, "b", read("yes"))
    procedure.play(state, "a", read("place at=sigy"))
    ask = procedure.ask_of(state, "c")
    assert state.waiting == ["c"] and (ask.kind, ask.rule, ask.default.option) == ("host", "D-PLY-3", "no")
    assert ask.about == {"lord": "Henri", "seat": "a", "village": "sigy"}
    news = procedure.play(state, "c", read("no"))
    assert told(news, "not_hosted") == [({"lord": "Henri", "village": "sigy", "seat": "c"}, None)]
    with pytest.raises(Refused):
        procedure.vet(state, "a", read("place at=sigy"))
    procedure.play(state, "a", read("place at=bourg"))
    news = procedure.play(state, "b", read("yes"))
    assert told(news, "placed") == [({"lord": "Henri", "seat": "a", "village": "bourg", "freed": True}, None)]
    assert state.table.lords["Henri"].at == "bourg"


def test_a_place_in_the_standings_rests_on_titles_villages_and_an_ally() -> None:  # FF-VIC-1
    text = (
        "fief: 1\nseats: a b c d\nphase: 5\nOthon: a sigy king fief=sigy fief=bourg\nBlanche: a bourg queen=regent\n"
        "Eric: b blaye pope bishop=1 spouse=Jeanne\nJeanne: c bourg spouse=Eric\nblaye: b\nbourg: a\nsigy: a\n"
    )
    state, names = FIEF.rules.notation.read(text), {"a": "Ann", "b": "Bob", "c": "Cy", "d": "Dora"}
    assert [FIEF.face.reason(state, seat, names) for seat in "abcd"] == [
        "King Othon, the County of Sigy, the Duchy of Bourg, Queen Blanche, 7 villages",
        "Pope Éric, 1 village, allied with Cy",
        "No village, allied with Bob",
        "No village",
    ]


@pytest.mark.parametrize("offer", ["phase: 4b ransom", "phase: 4a less"])
def test_nobody_pays_for_a_lord_who_is_free_meanwhile(offer: str) -> None:  # FF-RAN-3, FF-RAN-4
    phase, _, option = offer.rpartition(" ")
    state = scene(f"{phase}\nfirst: a\nArthur: a mazilles\nHenri: a blaye captor=b\nblaye: b\nblaye.b: 1 maa\na.deniers: 9\n")
    procedure.play(state, "a", read(f"{option} captive=Henri sum=1"))
    state.table.lords["Henri"].captor = ""
    procedure.play(state, "b", read("yes"))
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").kind == "purchase"
    assert state.table.families["a"].deniers == 9


@pytest.mark.parametrize(("ruling", "outside"), [("kept", ["a"]), ("lost", ["a"]), ("inside", ["a", "b"])])
def test_who_comes_out_gives_up_his_walls(ruling: str, outside: list[str]) -> None:  # FF-BAT-5
    state = scene(
        f"rulings: FF-BAT-5={ruling}\nphase: 6a\nfirst: a\nArthur: a blaye on=charolles\nblaye.a: 7 maa on charolles\n"
        "Henri: b blaye\nblaye: b stronghold\nblaye.b: 3 maa\n"
    )
    state.table.chance = Scripted("walls", {}, {"battle/attack": [["0"]] * 2, "battle/defence": [["0"]]})
    procedure.play(state, "a", read("attack at=blaye against=[b]"))
    news = procedure.play(state, "b", read("out"))
    assert told(news, "came_out") == [({"seat": "b", "village": "blaye"}, None)]
    battle = state.stack[-1]
    assert isinstance(battle, Battle) and (battle.walls, battle.outside, len(battle.faces[0])) == (False, outside, 2)


def test_nobody_votes_once_no_candidate_may_stand() -> None:  # FF-ELE-6
    state = scene("phase: 1d\nArthur: a blaye fief=blaye\nHenri: b bourg fief=bourg\n")
    procedure.play(state, "a", read("stand lord=Arthur"))
    while procedure.ask_of(state, state.waiting[0]).kind == "stand":
        procedure.play(state, state.waiting[0], read("none"))
    election = state.stack[-1]
    assert isinstance(election, Election) and election.who_vote(state.table) == ["a"]
    state.table.lords["Arthur"].excommunicated = True
    assert election.who_vote(state.table) == []
    del state.table.lords["Arthur"]
    assert election.who_vote(state.table) == []


def test_of_a_side_s_equals_who_declared_the_battle_chooses_first() -> None:  # FF-BAT-11
    text = "phase: 6a\nfirst: a\nArthur: a blaye\nHenri: b blaye\nblaye: a\nblaye.a: 2 maa\nblaye.b: 2 maa\nblaye.c: 1 maa\n"
    table, side = scene(text).table, Side("blaye", ["a", "b"])
    assert Battle(at="blaye", declarer="b")._strongest_first(table, side) == ["b", "a"]
    assert Battle(at="blaye", declarer="c")._strongest_first(table, side) == ["a", "b"]


@pytest.mark.parametrize(
    ("levy", "tax"),
    [
        ("Eric/bishop/sigy", Tax("a", "Eric", "bishop", sees=[5])),
        ("Eric/pope/all", Tax("a", "Eric", "pope", sees=[2, 5], home=5)),
        ("Arthur/fief/blaye", Tax("a", "Arthur", "fief", fief="blaye")),
    ],
)
def test_a_tax_is_laid_with_its_title_and_where_it_falls(levy: str, tax: Tax) -> None:  # FF-TAX-1
    lords = "Eric: a sigy pope bishop=5\nHenri: b tournus bishop=2\nArthur: a blaye fief=blaye\nblaye: a city\n"
    state = scene(f"phase: 2c\nfirst: a\na.hand: taxes\n{lords}")
    procedure.play(state, "a", read(f"tax levy={levy}"))
    assert state.table.taxes == [tax]


def test_relics_of_two_who_fall_are_both_waiting_for_a_bearer() -> None:  # FF-OPT-4
    table = scene("phase: 6a\nArthur: a blaye relic=grail\nHenri: b bourg relic=holy_spear\n").table
    drop_relics(table, table.lords["Arthur"], ["a", "c"])
    drop_relics(table, table.lords["Henri"])
    assert [(fallen.relic, fallen.at) for fallen in table.fallen] == [("grail", "blaye"), ("holy_spear", "bourg")]
    assert table.lords["Arthur"].relics == table.lords["Henri"].relics == ()


@pytest.mark.parametrize(("purse", "again"), [(1, False), (2, True), (3, True)])
def test_after_a_refusal_the_full_ransom_can_still_be_offered_by_who_has_it(purse: int, again: bool) -> None:  # FF-RAN-4
    state = scene(
        "rulings: FF-RAN-4=full\nphase: 4b\nfirst: a\nArthur: a mazilles\nHenri: a blaye captor=b\nblaye: b\n"
        f"blaye.b: 1 maa\na.deniers: {purse}\n"
    )
    procedure.play(state, "a", read("ransom captive=Henri sum=1"))
    procedure.play(state, "b", read("no"))
    assert again == ("ransom" in {option.id for option in procedure.ask_of(state, "a").options})


def test_what_pillage_brings_in_is_not_spent() -> None:  # FF-PIL-1
    state, count = scene("phase: 6b\nArthur: a blaye\na.deniers: 3\nb.deniers: 3\n"), deniers_spent()
    assert [*count(Beat(0, [], state, 0))] == []
    state.table.families["a"].deniers, state.table.families["b"].deniers = 5, 2
    pillaged = Event("pillaged", {"seat": "a", "villages": ["blaye", "blaye"]})
    assert [*count(Beat(1, [pillaged], state, 0))] == [Hit(("b",), 1)]


@pytest.mark.parametrize(
    ("troops", "back"),
    [
        ("blaye.a: 1 maa\nblaye.b: 1 maa", "roll"),
        ("blaye.b: 1 maa\nArthur: a blaye", "after"),
        ("blaye.a: 1 maa\nArthur: b blaye", "after"),
    ],
)
def test_a_battle_is_rolled_for_while_both_sides_have_troops(troops: str, back: str) -> None:  # FF-BAT-13
    table = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{troops}\n").table
    battle = Battle(at="blaye", declarer="a", attackers=["a"], defenders=["b"])
    assert (battle.take_muster(table, {}), battle.back) == ("ambush", back)
