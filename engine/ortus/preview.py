"""What an answer will surely do, in words: nothing hidden, nothing random (for the turn page's preview)."""

from __future__ import annotations

from engine.asks import Answer, Seat
from engine.chance import Chance
from engine.ortus.combat import Battle, field_forces, picked
from engine.ortus.ids import kind, parse
from engine.ortus.narrate import WORDS, card_name
from engine.ortus.pieces import strength
from engine.ortus.turn import recruits
from engine.ortus.view import OrtusState, redeal


def surely(state: OrtusState, seat: Seat, answer: Answer) -> str:
    """A sentence on what the answer will do beyond its own words; the empty string where that is hidden or random."""
    table, step = state.table, state.stack[-1].step
    earl = table.earls[seat]
    if step == "turn":
        match answer.option:
            case "attack":
                return _attack(state, seat, answer)
            case "place" if kind(answer.pick("card")) == "Land":
                fief = earl.fief(parse(answer.pick("fief")).number)
                return _say("recruits", count=2 if fief and fief.has("MarketTown") else 1)
            case "recruit":
                return _say("recruits", count=recruits(table, earl))
            case "banquet" | "end" if len(earl.deck) < (2 if answer.option == "banquet" else 1):
                return _say("too_few")
            case "banquet" if len(earl.deck) == 2:
                return _say("emptied")
            case "install":
                fief = earl.fief(parse(answer.pick("fief")).number)
                if fief is not None and fief.lord is not None:
                    return _say("bumped", lord=card_name(fief.lord, {}))
    if step == "defend" and answer.option == "field":
        battle = state.stack[-1]
        assert isinstance(battle, Battle)
        points, cards = battle.sent(battle.attacking), picked(answer)
        return _say("absorbed", absorbed=min(points, cards), points=points, left=max(0, points - cards))
    return ""


def _say(key: str, **facts: object) -> str:
    return WORDS.text("preview", key, facts)


def _attack(state: OrtusState, seat: Seat, answer: Answer) -> str:
    # Fielding changes the table, so it is done on a copy.
    table = redeal(state, seat, Chance("preview")).table
    battle = Battle.on(answer.pick("target"), seat, seat)
    points = battle.sent(field_forces(table, table.earls[seat], answer))
    defender = table.earls[battle.defender]
    towers, fief = defender.walls, defender.fief(battle.number)
    match battle.what:
        case "tower":
            return _say("tower", points=points, falling=min(points, len(defender.towers)), towers=towers)
        case "canterbury":
            return _say("canterbury", points=points)
        case "raid":
            falling = min(max(0, points - towers), len(fief.properties) if fief else 0)
            return _say("raid", points=points, towers=towers, falling=falling)
        case _:
            needed = strength(fief.anchor) if fief else 2
            key = "siege_falls" if points - towers >= needed else "siege_holds"
            return _say(key, points=points, towers=towers, needed=needed)
