"""Every question of a game as a player reads it, word by word: `read_aloud.txt` (MM-DEC)."""

from __future__ import annotations

import os
from pathlib import Path

from engine.core.asks import Ask
from engine.games import game_called
from engine.mastery.face.narrate import heading_of
from engine.ui.forms import OneField, describe
from tests.mastery.scene import HAND, NAMES, Scene, battle

GAME = game_called("mastery")
KEPT = Path(__file__).parent / "read_aloud.txt"
LOOK = "a.hand: Conflict2\nb.hand: Conflict2, Fracture\n"
FOUGHT = ("a: play card=Conflict5", "b: play card=Conflict2")


def questions() -> dict[str, Ask]:
    """A question of every kind, from both sides where it is put differently to them."""
    turn = "a: knights=6\na.hand: CallToArms, TacticalAdvance, Fracture\na.artefacts: Corruption\nb.artefacts: Rage, Greed\n"
    late = Scene("a: knights=6\na.hand: CallToArms\nB1: Forest\na.artefacts: Order\na.discard: Ambush@0").play("a: march")
    siege = "options: siege\na: knights=9\nB1: Fort a 1\nC1: Forest a 1\nD1: Forest a 1"
    fear = battle("Fort", 2, 5, "a.artefacts: Fear\nb.artefacts: Vigour\nc.hand: Fracture, Conflict2", seats="a b c")
    older = battle("Fort", 2, 5, "a.artefacts: Fear\nrulings: MM-ASY-4=after").play("b: pass")
    crown = Scene(f"{LOOK}a.artefacts: Corruption\nb.artefacts: Rage", "a b c").play("a: crown artefact=Rage")
    orbs = battle(text="a.artefacts: Greed\nb.artefacts: Devotion", a=f"{HAND}, Fracture", b=f"{HAND}, Fracture")
    orbs.play(*FOUGHT, "b: pass", "a: pass")
    bare = "Conflict2, Conflict3, Conflict4, Conflict5, Ambush, CallToArms, TacticalAdvance"
    team = battle(text=f"options: teams=2\nc.hand: {HAND}\nd.hand: {HAND}", seats="a b c d", slot="C1")
    team.play("a: play card=Conflict3", "b: play card=Conflict5", "a: pass", "b: pass")
    seen = "a.deck: Ambush, Conflict3, Support1, Conflict5\nb.deck: Ambush, Conflict3\nb.hand: Conflict2\na.hand: Conflict2\n"
    prosperity = Scene(f"{seen}a.artefacts: Prosperity")
    orb = battle(text="a.artefacts: Preparation").play(*FOUGHT).until("discard")
    return {
        "a turn begins": Scene(turn + "B1: Fort a 2\nC1: City b 2").ask(),
        "a turn begins with one point": Scene("B1: Village a 1").ask(),
        "a turn goes on after the march": late.ask(),
        "a castle may be stormed": Scene(siege).ask(),
        "a crown that looks at a deck may be used": prosperity.ask(),
        "sceptres clash, to the attacker": fear.ask("a"),
        "sceptres clash, to a bystander": fear.ask("c"),
        "Fear where it would not help": battle(
            "Fort", 5, 2, "a.artefacts: Fear\nb.artefacts: Loyalty", a=f"{HAND}, Fracture", b=f"{HAND}, Fracture"
        ).ask("a"),
        "Fear alone, in older games": older.ask("a"),
        "a crown is announced": crown.ask("b"),
        "orbs work": orbs.ask("a"),
        "a card for the battle, to the attacker": battle("Grasslands").ask("a"),
        "a card for the battle, to the defender": battle("Grasslands").ask("b"),
        "none to play": battle(b="Support1, Support2, CallToArms, TacticalAdvance, Fracture", text="b.deck: Authority").ask(
            "b"
        ),
        "support": battle().play(*FOUGHT).ask("b"),
        "support, without a card": battle(a=bare, b=bare).play(*FOUGHT).ask("b"),
        "support, to an ally": team.ask("c"),
        "Fury": Scene("a.artefacts: Fury\na.hand: 2 Conflict2, Ambush").play("a: crown").ask(),
        "Ruins": Scene("a: knights=3\na.hand: Conflict2\nB1: Ruins").play("a: march target=B1 knights=2").ask(),
        "Preparation": orb.ask(),
        "Vitality": Scene("a: knights=2\na.artefacts: Vitality\na.hand: Conflict2\nB1: Fort a 3").play("a: crown").ask(),
        "Insight": Scene(f"{seen}a.artefacts: Insight").play("a: crown", "b: pass").ask(),
        "Prosperity, another's": prosperity.play("a: crown lord=b", "b: pass").ask(),
        "Prosperity, one's own": Scene(f"{seen}a.artefacts: Prosperity").play("a: crown lord=a", "b: pass").ask(),
    }


def aloud(ask: Ask) -> str:
    """A form as it is read: its question, what it wants done, each option with its fields and their choices."""
    form = describe(GAME, ask, NAMES, 0)
    lines = [form.title, heading_of(ask, NAMES)]
    for option in form.options:
        lines.append(f"  {option.label}")
        for field in option.fields:
            shown = [choice.label for choice in getattr(field, "choices", ())]
            left_open = f" (left open: {field.open})" if isinstance(field, OneField) and field.open else ""
            lines.append(f"    {field.label}{left_open}" + (f": {' | '.join(shown)}" if shown else ""))
    return "\n".join(lines)


def test_every_question_reads_as_it_was_looked_at_and_kept() -> None:  # MM-DEC-3 to 20
    """`WRIT_TELL_ANEW=1` keeps it as it is now."""
    told = "\n".join(f"# {what}\n{aloud(ask)}\n" for what, ask in questions().items())
    if os.environ.get("WRIT_TELL_ANEW") == "1":
        KEPT.write_text(told, "utf-8")
    assert told == KEPT.read_text("utf-8")
