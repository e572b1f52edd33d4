"""What an answer will surely do, in words: nothing hidden, nothing random (for the turn page's preview)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.asks import Answer, Seat
from engine.mastery.narrate import WORDS
from engine.mastery.table import Table, all_dice, points, value
from engine.mastery.unit import dice_after, redistributed
from engine.mastery.view import MasteryState


def surely(state: MasteryState, seat: Seat, answer: Answer) -> str:
    """A sentence on what the answer will do beyond its own words; the empty string where that is hidden or random."""
    table, step = state.table, state.stack[-1].step
    if answer.option in ("march", "tactical") and step in ("early", "late"):
        return WORDS.listed("sentences", _march(table, seat, answer))
    if answer.option == "redistribute":
        new = redistributed(table, seat, answer)
        return WORDS.text("preview", "redistribute", {"castle": new[table.lords[seat].slot]})
    return ""


def _march(table: Table, seat: Seat, answer: Answer) -> Iterator[str]:
    new = redistributed(table, seat, answer)
    slot, count = answer.pick("target"), answer.number("knights")
    castle = table.lords[seat].slot
    after = {**new, castle: new[castle] - count, **({slot: count} if slot else {})}
    yield WORDS.text("preview", "castle", {"castle": after[castle]})
    yield WORDS.text("preview", "dice", {"used": dice_after(table, seat, after), "all": all_dice(table)})
    if slot:
        yield from _advance(table, seat, slot, count)


def _advance(table: Table, seat: Seat, slot: str, count: int) -> Iterator[str]:
    constants = table.data.constants
    if slot not in table.lands:
        yield WORDS.text("preview", "siege", {"count": count, "strength": constants["siege_castle_strength"]})
    elif table.lands[slot].holder:
        there = table.tile(slot).battle_start
        attack = count + ("ATTACKER_PLUS_1" in there) * constants["grasslands_bonus"]
        defence = table.lands[slot].knights + ("DEFENDER_PLUS_1" in there) * constants["fort_bonus"]
        yield WORDS.text("preview", "arena" if "ARENA_ROLL" in there else "battle", {"attack": attack, "defence": defence})
    else:
        yield WORDS.text("preview", "vacant", {"points": points(table, seat) + value(table, slot)})
        yield from (WORDS.text("phrase", "does", {"n": ability}) for ability in table.tile(slot).on_conquer)
