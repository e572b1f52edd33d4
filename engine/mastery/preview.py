"""What an answer will surely do, in words: nothing hidden, nothing random (for the turn page's preview)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.asks import Answer, Seat
from engine.mastery.battle import Battle
from engine.mastery.forecast import Clash, clash, supported
from engine.mastery.narrate import WORDS
from engine.mastery.table import Table, all_dice, points, target, team, value
from engine.mastery.unit import dice_after, redistributed
from engine.mastery.view import MasteryState
from engine.words import NOBODY, Names


def surely(state: MasteryState, seat: Seat, answer: Answer, names: Names = NOBODY) -> str:
    """A sentence on what the answer will do beyond its own words; the empty string where that is hidden or random."""
    table, step = state.table, state.stack[-1].step
    if answer.option in ("march", "tactical") and step in ("early", "late"):
        return WORDS.listed("sentences", _march(table, seat, answer, names))
    if answer.option == "redistribute":
        new = redistributed(table, seat, answer)
        return WORDS.text("preview", "redistribute", {"castle": new[table.lords[seat].slot]})
    fight = state.stack[-1]
    if isinstance(fight, Battle) and step == "support" and answer.option == "support":
        own, other = supported(table, fight, seat, answer.some("cards"))
        return WORDS.text("preview", "supported", {"own": own, "other": other})
    return ""


def _march(table: Table, seat: Seat, answer: Answer, names: Names) -> Iterator[str]:
    new = redistributed(table, seat, answer)
    slot, count = answer.pick("target"), answer.number("knights")
    castle = table.lords[seat].slot
    after = {**new, castle: new[castle] - count, **({slot: count} if slot else {})}
    if not slot and all(_now(table, seat, place) == n for place, n in new.items()):
        yield WORDS.text("preview", "nothing", {"deed": answer.option})
        return
    yield WORDS.text("preview", "castle", {"castle": after[castle]})
    yield WORDS.text("preview", "dice", {"used": dice_after(table, seat, after), "all": all_dice(table)})
    if slot:
        found = clash(table, seat, slot)
        if found is not None:
            yield from _battle(table, slot, count, found, names)
        else:
            yield from _vacant(table, seat, slot, count, after, answer.option == "tactical")


def _now(table: Table, seat: Seat, place: str) -> int:
    return table.lands[place].knights if place in table.lands else table.lords[seat].knights


def _battle(table: Table, slot: str, count: int, found: Clash, names: Names) -> Iterator[str]:
    """What it begins with, what may still change that, and what it is about."""
    attack, defence = found.scores(count)
    there = table.tile(slot).battle_start if slot in table.lands else ()
    begins = "siege" if slot not in table.lands else "arena" if "ARENA_ROLL" in there else "battle"
    yield WORDS.text("preview", begins, {"attack": attack, "defence": defence, "strength": found.knights})
    for name, plus in (*found.attack, *found.defence):
        if name in table.data.regalia:
            yield WORDS.text("preview", "sceptre", {"artefact": name, "plus": plus})
    for name in found.matching:
        yield WORDS.text("preview", "matching", {"artefact": name})
    if "NO_SUPPORT_CARDS" in there:
        yield WORDS.text("preview", "no_support")
    facts = {"own": found.own, "rival": found.rival, "value": found.value, "defender": found.defender}
    yield WORDS.text("preview", "won_game" if found.wins else "won", facts, names)
    if found.short:
        yield WORDS.text("preview", "lost")


def _vacant(table: Table, seat: Seat, slot: str, count: int, after: dict[str, int], tactical: bool) -> Iterator[str]:
    """What taking a vacant place does: if it wins, nothing of the place is applied any more (MM-VIC-2)."""
    side = team(table, seat)
    won = sum(points(table, s) for s in side) + value(table, slot) >= target(table)
    if won:
        yield WORDS.text("preview", "wins", {"points": points(table, seat) + value(table, slot)})
        return
    if count == 1 and "LOSE_1_KNIGHT_HERE" in table.tile(slot).on_conquer:
        yield WORDS.text("preview", "sinks", {"tile": table.lands[slot].tile, "points": points(table, seat)})
        return
    yield WORDS.text("preview", "vacant", {"points": points(table, seat) + value(table, slot)})
    castle = table.lords[seat].slot
    for ability in table.tile(slot).on_conquer:
        hand = len(table.lords[seat].hand) - tactical
        if ability == "MAY_DISCARD_1" and not hand:
            continue
        full = dice_after(table, seat, {**after, castle: after[castle] + 1}) > all_dice(table)
        no_die = ability == "PLACE_1_KNIGHT_IN_CASTLE" and full
        yield WORDS.text("preview", "no_die") if no_die else WORDS.text("phrase", "does", {"n": ability})
