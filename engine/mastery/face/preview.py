"""Preview of an answer's certain effects, as text."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.asks import Answer, Seat
from engine.language.words import NOBODY, Names
from engine.mastery.face.forecast import Clash, clash, laid, passed, sinks, supported
from engine.mastery.face.narrate import WORDS
from engine.mastery.face.view import MasteryState
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.crowns import CrownUse
from engine.mastery.rules.fracture import PASS, Window
from engine.mastery.rules.pieces import FRACTURE
from engine.mastery.rules.table import Table, all_dice, points, room, value, wins_with
from engine.mastery.rules.turn import Turn
from engine.mastery.rules.unit import dice_after, redistributed, stands_still


def certain_effects(state: MasteryState, seat: Seat, answer: Answer, names: Names = NOBODY) -> str:
    table, at = state.table, state.stack[-1]
    said: Iterator[str] = iter(())
    if answer.option in ("discard", "keep") and at.step == "discard":
        said = _discarded(table, seat, answer)
    elif isinstance(at, Turn):
        said = _turn(table, at, seat, answer, names)
    elif isinstance(at, CrownUse):
        said = _crowned(table, at, seat, answer, names)
    elif isinstance(at, Window):
        said = _broken(table, at, seat, answer)
    elif isinstance(at, Battle):
        said = _fought(table, at, seat, answer, names)
    sentences = list(said)
    return WORDS.listed("sentences", sentences) if sentences else ""


def waives(state: MasteryState, seat: Seat, answer: Answer) -> bool:
    """Whether an answer gives up the turn's march (MM-DEC-3)."""
    at = state.stack[-1]
    if not isinstance(at, Turn) or at.step != "early":
        return False
    empty = answer.option == "march" and not answer.pick("target") and stands_still(state.table, seat, answer)
    return empty or answer.option == "end"


def _turn(table: Table, at: Turn, seat: Seat, answer: Answer, names: Names) -> Iterator[str]:
    """Nothing about a resource card is certain (MM-RES-1)."""
    match answer.option:
        case "march" | "tactical":
            slot = answer.pick("target")
            found = clash(table, seat, slot) if slot else None
            yield from _march(table, seat, answer, found, names)
            if found is None and at.ends_after(table, answer) and not _wins(table, seat, answer):
                yield from _over(table, at)
        case "call":
            fit = min(room(table, seat), table.data.constants["call_to_arms_knights"])
            lost = table.data.constants["call_to_arms_knights"] - fit
            yield WORDS.text("preview", "call", {"castle": table.lords[seat].knights + fit, "lost": lost})
        case "fracture":
            # Destroyed until its owner's next turn ends (MM-ART-2, MM-RST-1).
            facts = {"artefact": answer.pick("artefact"), "owner": table.owner(answer.pick("artefact"))}
            yield WORDS.text("preview", "down", facts, names)
        case "crown":
            crown = table.lords[seat].crown.name
            if WORDS.has("use", crown):
                yield WORDS.text("use", crown)
            yield WORDS.text("preview", "crown")
        case _:
            if at.step == "early":
                yield WORDS.text("preview", "no_march")
            yield from _over(table, at)


def _over(table: Table, at: Turn) -> Iterator[str]:
    restored = at.restorable(table)
    yield WORDS.text("preview", "end", {"n": len(restored), "artefacts": [a.name for a in restored]})


def _discarded(table: Table, seat: Seat, answer: Answer) -> Iterator[str]:
    left = len(table.lords[seat].hand) - (answer.option == "discard")
    if answer.option == "discard":
        yield WORDS.text("preview", "discard", {"card": answer.pick("card"), "left": left})
    else:
        yield WORDS.text("preview", "keep", {"left": left})


def _crowned(table: Table, at: CrownUse, seat: Seat, answer: Answer, names: Names) -> Iterator[str]:
    match answer.option:
        case "arrange":
            yield WORDS.text("preview", "arrange", {"cards": answer.some("cards")})
        case "leave" | "remove":
            facts = {"lord": at.lord, "card": table.lords[at.lord].deck[-1]}
            yield WORDS.text("preview", answer.option, facts, names)
        case "redistribute":
            new = redistributed(table, seat, answer)
            yield WORDS.text("preview", "redistribute", {"castle": new[table.lords[seat].slot]})
        case _:
            yield WORDS.text("preview", "stays")


def _broken(table: Table, at: Window, seat: Seat, answer: Answer) -> Iterator[str]:
    if seat in at.matching and answer.option in ("yes", "no"):
        own, other = at.matching[seat]
        yes = answer.option == "yes"
        yield WORDS.text("preview", "matched_yet" if yes else "matched", {"base": other if yes else own})
    elif answer.option == PASS:
        yield WORDS.text("preview", "passed_over")
    elif FRACTURE not in table.lords[seat].hand:
        yield WORDS.text("preview", "without_card")


def _fought(table: Table, at: Battle, seat: Seat, answer: Answer, names: Names) -> Iterator[str]:
    if at.step == "match":
        base = at.strength(table, seat if answer.option == "no" else at.side_against(table, seat).seat)
        yield WORDS.text("preview", "matched", {"base": base})
    elif at.step == "conflict":
        least, most = laid(table, at, seat, answer.pick("card"))
        rival = at.side_against(table, seat)
        facts = {"own": least, "most": most, "other": rival.score, "rival": rival.seat}
        yield WORDS.text("preview", "rolled" if most > least else "laid", facts, names)
    elif answer.option == "support":
        own, other = supported(table, at, seat, answer.some("cards"))
        yield WORDS.text("preview", "supported", {"own": own, "other": other})
    else:
        after = passed(table, at, seat)
        facts = {"own": at.att.score, "other": at.dfd.score, "turns": table.options.mayhem, **after}
        yield WORDS.text("preview", "goes_on" if after["next"] else "decided", facts, names)


def _march(table: Table, seat: Seat, answer: Answer, found: Clash | None, names: Names) -> Iterator[str]:
    new = redistributed(table, seat, answer)
    slot, count = answer.pick("target"), answer.number("knights")
    castle = table.lords[seat].slot
    after = {**new, castle: new[castle] - count, **({slot: count} if slot else {})}
    if not slot and stands_still(table, seat, answer):
        yield WORDS.text("preview", "nothing", {"option": answer.option})
        return
    yield WORDS.text("preview", "castle", {"castle": after[castle]})
    yield WORDS.text("preview", "dice", {"used": dice_after(table, seat, after), "all": all_dice(table)})
    if slot:
        if found is not None:
            yield from _battle(table, seat, slot, count, found, names)
        else:
            yield from _vacant(table, seat, answer, after)


def _wins(table: Table, seat: Seat, answer: Answer) -> bool:
    slot = answer.pick("target")
    return bool(slot) and not sinks(table, seat, slot, answer.number("knights")) and wins_with(table, seat, slot)


def _battle(table: Table, seat: Seat, slot: str, count: int, found: Clash, names: Names) -> Iterator[str]:
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
    lost = sinks(table, seat, slot, count)
    own = found.own - found.value if lost else found.own
    facts = {"own": own, "rival": found.rival, "value": found.value, "defender": found.defender}
    yield WORDS.text("preview", "won_game" if found.wins and not lost else "won", facts, names)
    if found.short:
        yield WORDS.text("preview", "lost")
        if found.orb:
            yield WORDS.text("preview", "brutal", {"artefact": found.orb})


def _vacant(table: Table, seat: Seat, answer: Answer, after: dict[str, int]) -> Iterator[str]:
    """Taking a vacant place; a win comes before abilities (MM-VIC-2)."""
    slot = answer.pick("target")
    if _wins(table, seat, answer):
        yield WORDS.text("preview", "wins", {"points": points(table, seat) + value(table, slot)})
        return
    if sinks(table, seat, slot, answer.number("knights")):
        yield WORDS.text("preview", "sinks", {"tile": table.lands[slot].tile, "points": points(table, seat)})
        return
    yield WORDS.text("preview", "vacant", {"points": points(table, seat) + value(table, slot)})
    castle = table.lords[seat].slot
    for ability in table.tile(slot).on_conquer:
        hand = len(table.lords[seat].hand) - (answer.option == "tactical")
        spared = ability == "LOSE_1_KNIGHT_HERE" and answer.number("knights") == 1
        if spared or (ability == "MAY_DISCARD_1" and not hand):
            continue
        full = dice_after(table, seat, {**after, castle: after[castle] + 1}) > all_dice(table)
        no_die = ability == "PLACE_1_KNIGHT_IN_CASTLE" and full
        yield WORDS.text("preview", "no_die") if no_die else WORDS.text("phrase", "does", {"n": ability})
