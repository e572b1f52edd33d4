"""Host's choice of roles (OR-ROLE-2, 3, 41)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from engine.core.asks import SEATS, Answer, Ask, Assign, Choice, Number, Option, PickOne, PickSome, choices, illegal_if
from engine.ortus.face.narrate import WORDS
from engine.ortus.rules.roles import LEGACY, ROLES, UNIQUE, WAYS

NONE = "none"


def ask(n: int) -> Ask:
    seats = tuple(Choice(seat) for seat in SEATS[:n])
    able = tuple(Choice(role, 1 if role in UNIQUE else n) for role in ROLES)
    fields = (
        PickOne("roles", choices((NONE, *WAYS))),
        Assign("seats", seats, able, optional=True, distinct=True),
        PickSome("mix", tuple(role for role in able if role.id != "earl"), 0, n),
        Number("legacy", LEGACY["least"], LEGACY["most"], LEGACY["usual"]),
    )
    return Ask(
        "", "variant", (Option("play", fields),), Answer("play", {"roles": NONE, "legacy": LEGACY["usual"]}), "OR-ROLE-2"
    )


def read(_n: int, answer: Answer, _file: str) -> dict[str, Any]:
    """Parse the host's choice. Raises NotLegal for fields of another way."""
    way, seats, mix = answer.pick("roles"), answer.assigned("seats"), answer.some("mix")
    illegal_if((seats and way != "assigned") or (mix and way != "drawn"), "ortus.roles_unused")
    legacy = answer.number("legacy") or LEGACY["usual"]
    illegal_if(legacy != LEGACY["usual"] and way != "contested", "ortus.legacy_unused")
    match way:
        case "assigned":
            illegal_if(not seats, "ortus.roles_named")
            return {"roles": way, "seats": dict(seats)}
        case "drawn":
            illegal_if(not mix, "ortus.roles_mix")
            return {"roles": way, "mix": list(mix)}
        case "contested":
            return {"roles": way, "legacy": legacy}
        case "picked":
            return {"roles": way}
    return {}


def write(_n: int, options: Mapping[str, Any]) -> Answer:
    values: dict[str, Any] = {"roles": options.get("roles", NONE)}
    values |= {key: options[key] for key in ("seats", "mix", "legacy") if options.get(key)}
    return Answer("play", values)


def tell(options: Mapping[str, Any]) -> list[str]:
    way = options.get("roles", "")
    if not way:
        return []
    seats = [WORDS.text("variant", "seat", {"seat": s, "role": role}) for s, role in options.get("seats", {}).items()]
    mix = [WORDS.text("variant", "counted", {"role": role, "n": n}) for role, n in Counter(options.get("mix", [])).items()]
    legacy = options.get("legacy", LEGACY["usual"])
    told = [WORDS.text("variant", way, {"seats": seats, "roles": mix, "legacy": legacy})]
    if options.get("points"):
        points = [WORDS.text("variant", "points_of", {"seat": s, "n": n}) for s, n in options["points"].items()]
        told.append(WORDS.text("variant", "points", {"points": points}))
    return told
