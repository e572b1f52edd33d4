"""Seats that are left to the clock with the preset: nothing is lost undefended that could have been defended.

Some seats of each game are nobody's: orders answer for them, at the deadline once more, and then the default does. The others
are bots; so that there is something to defend, bots also play the own turns of such seats in every other game of Ortus Regni,
and in all of Medieval Mastery, where nobody attacks who has nothing.

Ortus Regni: a game is lost undefended when the last Anchor goes to a Battle in which too few cards stood though enough could
have, to an assassination though Allies or a Vassal were left, to a Joust, or to an empty deck on a Turn on which Bequeathing
was legal. In Medieval Mastery nobody is eliminated: there it is a battle that is lost without a conflict card, or by a lack of
support that the hand could have given.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

from engine.core import procedure
from engine.core.asks import Answer, Seat, write
from engine.core.chance import Chance
from engine.game import AnyState, Game, options_of
from engine.games import game_called
from engine.mastery.rules.battle import Battle as Contest
from engine.mastery.rules.battle import conflict_cards, fewest, support_cards
from engine.ortus.orders.defence import able, cards_needed
from engine.ortus.rules.combat import Battle, could_field, picked_cards
from engine.ortus.rules.politics import Struggle
from engine.play import orders

GAMES = int(os.environ.get("WRIT_SOAK_GAMES", "200"))
MOST = 20_000
"""Answers of one game, at most; Medieval Mastery may go on for ever among seats that do little."""


class Watch:
    """What seats without players lose in one game."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.lost = Counter[str]()
        """How seats without players came to their ends, and what they lost otherwise."""
        self.held_back: dict[Seat, str] = {}
        """Seat -> what it could have done about the attack under way, and did not."""


def play(game: Game, seats: int, seed: str, bot: str, variant: str, watch: Watch, busy: bool) -> None:
    """Play a game whose every other seat is left to the clock; those `busy` play their own turns, and answer nothing else."""
    state = game.rules.setup("abcdef"[:seats], options_of(game, seats, variant), Chance(seed))
    told = procedure.begin(state)
    own, absent = Chance(f"{seed}/own"), {s for i, s in enumerate("abcdef"[:seats]) if i % 2 == 0}
    kept = {seat: orders.preset(game, state) for seat in absent}
    look = {"ortus": ortus, "mastery": mastery}[game.name]
    for _ in range(MOST):
        if state.table.outcome is not None or not absent & set(state.table.seats):
            return
        seat = state.waiting[0]
        if seat in absent and not (busy and game.rules.turn_of(state, seat)):
            answer = left_to_the_clock(game, state, seat, kept[seat], own)
            look(state, seat, answer, watch)
        else:
            watch.held_back.pop(seat, None)
            answer = procedure.vet(state, seat, game.bots.players[bot](game.rules.redeal(state, seat, own), seat, own))
        kind = state.stack[-1].step
        told = procedure.play(state, seat, answer)
        for event in told:
            if event.kind == "removed" and event.facts.get("how") and event.facts["seat"] in absent:
                how = event.facts["how"]
                watch.lost[how] += 1
                fault = watch.held_back.get(event.facts["seat"])
                if fault:
                    watch.faults.append(f"{seed}: {event.facts['seat']} is out ({how}): {fault}")
        if seat in absent:
            kept[seat] = game.orders.after(state, seat, [f"{kind}:{write(answer)}"], kept[seat])


def left_to_the_clock(game: Game, state: AnyState, seat: Seat, kept: orders.Orders, chance: Chance) -> Answer:
    """An order's answer, at the deadline once more, else the default."""
    for late in (False, True):
        found = orders.answer(game, state, seat, kept, chance, late)
        if found is not None:
            return found
    return procedure.ask_of(state, seat).default


def ortus(state: AnyState, seat: Seat, answer: Answer, watch: Watch) -> None:
    """Note what the seat could have done where it did less."""
    table, frame, ask = state.table, state.stack[-1], procedure.ask_of(state, seat)
    earl, fault = table.earls[seat], ""
    match ask.kind:
        case "defend" if isinstance(frame, Battle):
            needed, fielded = cards_needed(frame, earl), len(picked_cards(answer))
            if fielded < needed <= len(able(table, earl)):
                fault = f"{frame.what}: {needed} cards would have held it, {fielded} stood"
            elif not fielded and needed and frame.what == "siege" and could_field(table, earl):
                fault = "a Siege met nobody, where somebody could have stood"
        case "allies" if ask.about["aim"] == "lord" and answer.option == "decline" and len(earl.fiefs) == 1:
            fault = "Allies were left" if len(ask.options) > 1 else ""
        case "counter" if isinstance(frame, Struggle) and answer.option == "pass" and len(earl.fiefs) == 1:
            about = frame.about_attempt
            fault = "a Vassal was left" if len(ask.options) > 1 and about["aim"] == "lord" else ""
        case "turn" if answer.option == "end" and not earl.deck:
            fault = "Bequeathing was legal" if any(o.id.startswith("bequeath") for o in ask.options) else ""
        case "enter" if answer.pick("ante") == f"F{earl.fiefs[0].number}" and len(earl.fiefs) == 1:
            fault = "the last Anchor was staked"
        case "attacker_hits" | "defender_hits" | "ransom" | "spoils" | "church" | "church_asset":
            return  # of the same Battle
    watch.held_back[seat] = fault


def mastery(state: AnyState, seat: Seat, answer: Answer, watch: Watch) -> None:
    """Note a battle that was given up."""
    table, ask = state.table, procedure.ask_of(state, seat)
    battle: Any = next((p for p in reversed(state.stack) if isinstance(p, Contest)), None)
    if battle is None or battle.defender != seat:
        return
    if ask.kind == "conflict":
        watch.lost["defences"] += 1
        if answer.option == "none" and conflict_cards(table, seat):
            watch.faults.append(f"no conflict card for {battle.slot}")
    elif ask.kind == "support" and answer.option == "pass" and fewest(table, battle.lacks(False), support_cards(table, seat)):
        watch.faults.append(f"no support for {battle.slot}, and it would have been level")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "bot"), [("ortus", "steady"), ("ortus", "random"), ("mastery", "steady"), ("mastery", "random")]
)
def test_no_game_is_lost_undefended_that_could_have_been_defended(name: str, bot: str) -> None:
    watch, game = Watch(), game_called(name)
    for number in range(GAMES // 2):
        variant = "play roles=picked" if name == "ortus" and number % 4 == 3 else ""
        busy = name == "mastery" or number % 2 == 1
        play(game, 2 + number % (game.rules.seats[-1] - 1), f"undefended/{name}/{bot}/{number}", bot, variant, watch, busy)
    print(f"{name}, {bot}: {GAMES // 2} games, lost by those away: {dict(watch.lost)}")
    assert watch.lost and not watch.faults, watch.faults[:10]
