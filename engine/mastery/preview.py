"""What an answer will surely do, in words: nothing hidden, nothing random (for the turn page's preview)."""

from __future__ import annotations

from engine.asks import Answer, Seat
from engine.mastery.narrate import WORDS, knights
from engine.mastery.narrate import points as in_points
from engine.mastery.table import Table, all_dice, points, value
from engine.mastery.unit import dice_after, redistributed
from engine.mastery.view import MasteryState
from engine.words import capital


def surely(state: MasteryState, seat: Seat, answer: Answer) -> str:
    """A sentence on what the answer will do beyond its own words; the empty string where that is hidden or random."""
    table, step = state.table, state.stack[-1].step
    if answer.option in ("march", "tactical") and step in ("early", "late"):
        return _march(table, seat, answer)
    if answer.option == "redistribute":
        new = redistributed(table, seat, answer)
        return WORDS["preview"]["redistribute"].format(castle=knights(new[table.lords[seat].slot]))
    return ""


def _march(table: Table, seat: Seat, answer: Answer) -> str:
    words = WORDS["preview"]
    new = redistributed(table, seat, answer)
    slot, count = answer.pick("target"), answer.number("knights")
    castle = table.lords[seat].slot
    left = new[castle] - count
    said = [words["castle"].format(castle=knights(left))]
    after = {**new, castle: left, **({slot: count} if slot else {})}
    said.append(words["dice"].format(used=dice_after(table, seat, after), all=all_dice(table)))
    if not slot:
        return " ".join(said)
    if slot not in table.lands:
        strength = table.data.constants["siege_castle_strength"]
        said.append(words["siege"].format(count=count, strength=strength))
    elif table.lands[slot].holder:
        there, defenders = table.tile(slot).battle_start, table.lands[slot].knights
        attack = count + ("ATTACKER_PLUS_1" in there) * table.data.constants["grasslands_bonus"]
        defence = defenders + ("DEFENDER_PLUS_1" in there) * table.data.constants["fort_bonus"]
        said.append(words["arena" if "ARENA_ROLL" in there else "battle"].format(attack=attack, defence=defence))
    else:
        gained = points(table, seat) + value(table, slot)
        said.append(words["vacant"].format(points=in_points(gained)))
        said += [capital(WORDS["ability"][ability]) + "." for ability in table.tile(slot).on_conquer]
    return " ".join(said)
