"""What two agree on in secret, in two worlds: others see the same whether it was proposed or not."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import offers, procedure
from engine.core.asks import Seat, read
from engine.core.chance import commitment, guess
from engine.fief import FIEF
from engine.play import match as matches
from engine.play.hidden import Given
from engine.play.run import Run

SEED = bytes(range(32))
HOSTED = (
    "fief: 1\nseats: a b c d\nround: 3\nphase: 5\nfirst: d\nCharles: a blaye\nArthur: b blaye\nHenri: c bourg\nOthon: d sigy\n"
    "blaye: a stronghold\nblaye.a: 3 maa\nblaye.b: 2 maa\nbourg.c: 2 maa\nsigy.d: 1 maa\n"
)
"""a holds Blaye, where b has Troops too; d moves."""
PROPOSED = {"cede": "cede village=blaye/b", "exchange": "propose to=b give_deniers=1 want_passage=[blaye]"}
ANSWERED = {"cede": "cession", "exchange": "exchange"}


def world() -> Run:
    header = matches.Header(
        1, "m", "fief", FIEF.rules.version, {}, [matches.SeatInfo(s, s.upper(), s * 32) for s in "abcd"], commitment(SEED), ""
    )
    match = matches.start(header, SEED)
    match.state = FIEF.rules.notation.read(HOSTED)
    procedure.begin(match.state)
    return Run(match)


def seen(run: Run, seat: Seat | None) -> list[Any]:
    """Log, view and offers of a seat."""
    state = run.known_to(seat) if seat else run.match.state
    open_ = [FIEF.rules.powers.open(state, seat), offers.proposals(state, seat)] if seat else []
    return [[(e.actor, e.ask, e.at) for e in run.match.entries], run.match.head, FIEF.rules.view(state, seat), open_]


def move_on(run: Run) -> None:
    """Play defaults to the end of Phase 5."""
    while run.match.state.table.phase == "5":
        seat = run.waiting[0]
        run.play(seat, Given(procedure.ask_of(run.known_to(seat), seat).default, "page"))


@pytest.mark.parametrize("kind", PROPOSED)
@pytest.mark.parametrize("ending", ["refuse", "withdraw", "its phase ends"])
def test_others_see_nothing_of_a_secret_proposal_that_comes_to_nothing(kind: str, ending: str) -> None:
    """FF-INF-2, FF-CTL-4, FF-DIP-9."""
    proposed, without = world(), world()
    proposed.take_offer("a", kind, Given(read(PROPOSED[kind]), "page"))
    ((number, ask),) = offers.proposals(proposed.known_to("b"), "b")
    assert ask.kind == ANSWERED[kind]
    for reader in ("c", "d", None):
        assert seen(proposed, reader) == seen(without, reader)
    if ending != "its phase ends":
        seat = "b" if ending == "refuse" else "a"
        proposed.take_offer(seat, ANSWERED[kind], Given(read(ending), "page"), number)
    for run in (proposed, without):
        move_on(run)
    for reader in ("c", "d", None):
        assert seen(proposed, reader) == seen(without, reader)


@pytest.mark.parametrize("kind", PROPOSED)
def test_an_agreement_enters_the_log_with_its_effects(kind: str) -> None:  # FF-CTL-4, FF-DIP-9
    run = world()
    run.take_offer("a", kind, Given(read(PROPOSED[kind]), "page"))
    ((number, _),) = offers.proposals(run.known_to("b"), "b")
    run.take_offer("b", ANSWERED[kind], Given(read("accept"), "page"), number)
    assert [(e.actor, e.ask) for e in run.match.entries] == [("", matches.SHUT_OFFER)] * 2 and not run.offers
    ceded = run.match.state.table.villages["blaye"].controller == "b"
    assert (ceded, run.match.state.table.grants) == (kind == "cede", [("b", "a", "blaye")] * (kind == "exchange"))


@pytest.mark.parametrize(("phase", "answer"), [("4a", "less captive=Charles sum="), ("4b", "ransom captive=Charles sum=")])
def test_a_lower_ransom_is_known_to_its_captor_alone(phase: str, answer: str) -> None:  # FF-RAN-3
    shown = []
    for sum in (0, 1):
        state = FIEF.rules.notation.read(
            f"fief: 1\nseats: a b c\nfirst: a\nphase: {phase}\nCharles: a tournus captor=b\ntournus.b: 1 maa\na.deniers: 2\n"
        )
        procedure.begin(state)
        given = procedure.vet(state, "a", read(f"{answer}{sum}"))
        assert FIEF.rules.audience(state.stack[-1].step, "a", given) == ("a",)
        news = procedure.play(state, "a", given)
        assert [event.kind for event in news if event.seen_by("b")] == ["ransom_offered"]
        assert not any(event.seen_by(reader) for event in news for reader in ("c", None))
        dealt = {reader: FIEF.rules.redeal(state, reader, guess(1)) for reader in ("a", "b", "c", None)}
        assert [dealt[reader].stack[-1].sum for reader in ("a", "b", "c", None)] == [sum, sum, 0, 0]
        shown.append([FIEF.rules.encode(dealt[reader]) for reader in ("c", None)])
    assert shown[0] == shown[1]
