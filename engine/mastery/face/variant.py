"""Host's choice of rules, teams and seating (MM-DEC-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.core.asks import Answer, Ask, Choice, Option, PickOne, PickSome
from engine.mastery.face.narrate import WORDS
from engine.mastery.rules import ids
from engine.mastery.rules.maps import oddities, own_data
from engine.mastery.rules.pieces import data_hash, lore_of
from engine.mastery.rules.setup import RULES, TEAMS, read_options


def ask(n: int) -> Ask:
    fields: list[PickOne | PickSome] = [PickSome("rules", tuple(Choice(r) for r in RULES), 0, len(RULES))]
    if n in TEAMS:
        teams = tuple(Choice(ids.teams(size)) for size in TEAMS[n])
        fields.append(PickOne("allegiance", teams, optional=True))
    fields.append(PickOne("seating", (Choice("random"), Choice("fixed")), optional=True))
    default = Answer("play", {"seating": "random"})
    return Ask("", "variant", (Option("play", tuple(fields)),), default, "MM-DEC-1")


def read(n: int, answer: Answer, file: str) -> dict[str, Any]:
    """Parse the host's choice. Raises Refused for incompatible rules or an invalid file."""
    options: dict[str, Any] = {"seating": answer.pick("seating") or "random"}
    if rules := answer.some("rules"):
        options["rules"] = rules
    if teams := answer.pick("allegiance"):
        options["allegiance"] = ids.read_choice(teams).n
    if file.strip():
        options["own"] = own_data(file, n)
    options["data"] = data_hash(options.get("own", ""))
    read_options(options, n)
    return options


def write(n: int, options: Mapping[str, Any]) -> Answer:
    """Inverse of `read`, without the file."""
    values: dict[str, Any] = {"seating": options.get("seating", "random")}
    if options.get("rules"):
        values["rules"] = list(options["rules"])
    if options.get("allegiance"):
        values["allegiance"] = ids.teams(options["allegiance"])
    return Answer("play", values)


def tell(options: Mapping[str, Any]) -> list[str]:
    rules, size = options.get("rules", []), options.get("allegiance")
    victory, skirmish = lore_of(str(options.get("own", ""))).victory, "skirmish" in rules
    told = []
    if size:
        target = victory["allegiance_with_skirmish" if skirmish else "allegiance"][f"team_of_{size}"]
        told.append(WORDS.text("variant", "allegiance", {"size": size, "target": target}))
    alone = {"target": victory["skirmish"]["individual"]}
    told += [WORDS.text("variant", rule, alone) for rule in rules if rule != "skirmish" or not size]
    if options.get("seating") == "fixed":
        told.append(WORDS.text("variant", "fixed"))
    if options.get("own"):
        told.append(WORDS.text("variant", "own", {"mark": str(options.get("data", ""))[:12]}))
        told += [str(said) for said in oddities(str(options["own"]))]
    return told
