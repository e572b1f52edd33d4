"""Host's choice of table options (FF-SET-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.core.asks import Answer, Ask, Number, Option, PickOne, PickSome, choices
from engine.fief.face.narrate import WORDS
from engine.fief.rules.realm.pieces import MOST_ROADS, data_hash, lore_of
from engine.fief.rules.setup import FLAGS, LONGEST
from engine.text import bounds


def ask(_seats: int) -> Ask:
    fields = (
        PickSome("rules", choices(FLAGS), 0, len(FLAGS)),
        PickOne("battle_die", choices(lore_of().dice)),
        Number("rounds", 0, LONGEST),
    )
    return Ask("", "variant", (Option("play", fields),), Answer("play", {"battle_die": "found", "rounds": 0}), "D-SET-0")


def read(_seats: int, answer: Answer, file: str) -> dict[str, Any]:
    """Raises NotUnderstood for an invalid file."""
    options: dict[str, Any] = {rule: True for rule in answer.some("rules")}
    if answer.pick("battle_die") not in ("", "found"):
        options["battle_die"] = answer.pick("battle_die")
    if answer.number("rounds"):
        options["rounds"] = answer.number("rounds")
    if file:
        bounds.read(file, {"roads": MOST_ROADS})
        lore_of(file)
        options["own"] = file
    return {**options, "data": data_hash(file)}


def write(_seats: int, options: Mapping[str, Any]) -> Answer:
    rules = [flag for flag in FLAGS if options.get(flag)]
    chosen: dict[str, Any] = {"battle_die": options.get("battle_die", "found"), "rounds": options.get("rounds", 0)}
    return Answer("play", {**({"rules": rules} if rules else {}), **chosen})


def tell(options: Mapping[str, Any]) -> list[str]:
    told = [WORDS.text("variant", flag) for flag in FLAGS if options.get(flag)]
    die = options.get("battle_die", "found")
    if die != "found":
        faces = lore_of(str(options.get("own", ""))).dice[die]
        told.append(WORDS.text("variant", "battle_die", {"faces": [str(face) for face in faces]}))
    if options.get("rounds"):
        told.append(WORDS.text("variant", "rounds", {"rounds": options["rounds"]}))
    if options.get("own"):
        told.append(WORDS.text("variant", "own", {"mark": data_hash(str(options["own"]))[:12]}))
    return told
