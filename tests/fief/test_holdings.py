"""What a family can lose by an answer, gravest first."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core import procedure
from engine.core.asks import read
from engine.core.consequences import Cost, Looked, Loss, answering, cost
from engine.core.procedure import Outcome
from engine.fief import FIEF
from engine.fief.rules.types import FiefState
from engine.play.cases import Scripted


def scene(text: str) -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


COURT = (
    "phase: 4b\nBlanche: a blaye queen=regent\nOthon: a sigy pope cardinal=card fief=sigy\nHenri: a bourg bishop=5 captor=b\n"
    "Eric: b bourg king fief=bourg\nCharles: c la_salle prince fief=blaye fief=mazilles\n"
    "sigy: a stronghold\nblaye: a\nbourg: b city\nbourg.b: 1 maa\n"
)


def named(holdings: Mapping[str, Loss]) -> list[str]:
    """Each as `id: key facts`."""
    return [f"{id}: {' '.join([loss.key, *loss.facts.values()])}" for id, loss in holdings.items()]


def test_a_family_holds_its_game_offices_titles_lords_and_walls() -> None:
    state = scene(COURT)
    assert named(FIEF.face.holds(state, "a")) == [
        "game: game",
        "lord Blanche: lord Blanche",
        "queen Blanche: queen Blanche",
        "free Blanche: free Blanche",
        "lord Othon: lord Othon",
        "pope Othon: pope Othon",
        "cardinal Othon: cardinal Othon",
        "title sigy: title Othon sigy",
        "free Othon: free Othon",
        "lord Henri: lord Henri",
        "bishop Henri: bishop Henri",
        "walls sigy: walls sigy",
    ]
    assert named(FIEF.face.holds(state, "b")) == [
        "game: game",
        "lord Eric: lord Eric",
        "king Eric: king Eric",
        "title bourg: title Eric bourg",
        "free Eric: free Eric",
        "walls bourg: walls bourg",
    ]
    assert named(FIEF.face.holds(state, "c")) == [
        "game: game",
        "lord Charles: lord Charles",
        "prince Charles: prince Charles",
        "title blaye: title Charles blaye",
        "title mazilles: title Charles mazilles",
        "free Charles: free Charles",
    ]


def test_once_it_is_over_the_winners_alone_hold_the_game() -> None:
    state = scene(COURT)
    state.table.outcome = Outcome(("a", "b"), "allied")
    held = {seat: "game" in FIEF.face.holds(state, seat) for seat in "abc"}
    assert held == {"a": True, "b": True, "c": False}


def test_each_loss_has_a_sentence_for_certain_and_for_risked() -> None:
    state, words = scene(COURT), FIEF.words.catalogue
    for loss in [loss for seat in "abc" for loss in FIEF.face.holds(state, seat).values()]:
        assert words.text("loss", loss.key, loss.facts, {}) != words.text("risk", loss.key, loss.facts, {})


def test_who_surrenders_loses_his_freedom_for_certain_and_who_fights_on_may() -> None:  # FF-BAT-16
    state = scene("phase: 6a\nArthur: a blaye\nblaye.a: 3 maa\nHenri: b blaye\nblaye.b: 3 maa\n")
    state.table.chance = Scripted("costs", {}, {"battle/attack": [["0"]], "battle/defence": [["0"]]})
    procedure.play(state, "a", read("attack at=blaye against=[b]"))
    while procedure.ask_of(state, "a").kind != "battle_next":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    looked = Looked(FIEF.face.holds, FIEF.face.fights, FIEF.rules.redeal, FIEF.rules.view, FIEF.bots.players["steady"])
    captured = (Loss("free", {"lord": "Arthur"}, "lord Arthur"),)
    assert cost(looked, state, "a", answering("a", read("surrender"))) == Cost(certain=captured)
    assert cost(looked, state, "a", answering("a", read("continue"))) == Cost(risked=captured)


def test_who_may_die_takes_his_office_with_him_and_that_alone_is_said() -> None:
    state = scene("phase: 6a\nArthur: a blaye bishop=5\nblaye.a: 3 maa\nHenri: b blaye\nblaye.b: 3 maa\n")
    looked = Looked(FIEF.face.holds, FIEF.face.fights, FIEF.rules.redeal, FIEF.rules.view, FIEF.bots.players["steady"])

    def kill(world: FiefState) -> None:
        del world.table.lords["Arthur"]

    def unfrock(world: FiefState) -> None:
        world.table.lords["Arthur"].bishop = 0

    assert [loss.key for loss in cost(looked, state, "a", kill).certain] == ["lord"]
    assert [loss.key for loss in cost(looked, state, "a", unfrock).certain] == ["bishop"]
