"""What the log is told of ransoms, Justice and exchanges: who, whose, how much, and who hears it."""

from __future__ import annotations

from engine import offers, procedure
from engine.asks import read
from engine.fief.captives import capture
from engine.fief.types import FiefState
from engine.games import game_called
from engine.match import check_offer, run_offer
from engine.views import Event

FIEF = game_called("fief")


def scene(text: str) -> FiefState:
    state: FiefState = FIEF.read_position(f"fief: 1\nseats: a b c\n{text}")
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
    assert [FIEF.view(state, reader)["proposals"] for reader in (None, "a", "c")] == [[shown]] * 3
