"""What an answer will surely do, in words: nothing hidden, nothing random (for the turn page's preview)."""

from __future__ import annotations

from engine.asks import Answer, Seat
from engine.chance import Chance
from engine.ortus.combat import Battle, field_forces
from engine.ortus.ids import kind, parse
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
                return f"Army Cards that you draw, as far as there are any: {2 if fief and fief.has('MarketTown') else 1}."
            case "recruit":
                return f"Army Cards that you draw, as far as there are any: {recruits(table, earl)}."
            case "banquet" | "end" if len(earl.deck) < (2 if answer.option == "banquet" else 1):
                return "Your Earl Deck can't give the cards that are due: you will be out of the game."
            case "banquet" if len(earl.deck) == 2:
                return "It empties your Earl Deck: you will be out of the game at the closing draw of this Turn."
            case "install":
                fief = earl.fief(parse(answer.pick("fief")).number)
                if fief is not None and fief.lord is not None:
                    return f"The {kind(fief.lord)} who is Lord there goes to the discard pile."
    if step == "defend" and answer.option == "field":
        battle = state.stack[-1]
        assert isinstance(battle, Battle)
        points, cards = battle.sent(battle.attacking), _count(answer)
        left = max(0, points - cards)
        return f"In a Normal Battle your cards absorb {min(points, cards)} of {points} points; the rest, {left}, go on."
    return ""


def _count(answer: Answer) -> int:
    return sum(len(answer.some(name)) for name in ("lords", "hand", "reserve", "others"))


def _attack(state: OrtusState, seat: Seat, answer: Answer) -> str:
    # Fielding changes the table, so it is done on a copy.
    table = redeal(state, seat, Chance("preview")).table
    battle = Battle.on(answer.pick("target"), seat, seat)
    points = battle.sent(field_forces(table, table.earls[seat], answer))
    defender = table.earls[battle.defender]
    towers = len(defender.towers)
    text = f"Points that you send: {points}."
    match battle.what:
        case "tower":
            return f"{text} Towers that fall if nobody defends: {min(points, towers)} of {towers}."
        case "raid":
            fief = defender.fief(battle.number)
            falling = min(max(0, points - towers), len(fief.properties) if fief else 0)
            return f"{text} Towers that absorb one each: {towers}. Properties that fall if nobody defends: {falling}."
        case _:
            fief = defender.fief(battle.number)
            needed = strength(fief.anchor) if fief else 2
            falls = "falls" if points - towers >= needed else "holds"
            absorbed = f"Towers that absorb one each: {towers}; the Anchor takes {needed} more."
            return f"{text} {absorbed} If nobody defends, the Fief {falls}."
