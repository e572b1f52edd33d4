"""How a host chooses roles before the start (OR-ROLE-2, 3), and what stands of it in the header."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from engine.asks import Answer, Ask, Assign, Choice, NotLegal, Option, PickOne, PickSome, choices
from engine.ortus.narrate import WORDS
from engine.ortus.roles import ROLES, UNIQUE, WAYS
from engine.words import say

SEATS = "abcdef"
NONE = "none"


def ask(n: int) -> Ask:
    """The choice as a form."""
    seats = tuple(Choice(seat) for seat in SEATS[:n])
    able = tuple(Choice(role, 1 if role in UNIQUE else n) for role in ROLES)
    fields = (
        PickOne("roles", choices((NONE, *WAYS))),
        Assign("seats", seats, able, optional=True, distinct=True),
        PickSome("mix", tuple(role for role in able if role.id != "earl"), 0, n),
    )
    return Ask("", "variant", (Option("play", fields),), Answer("play", {"roles": NONE}), "OR-ROLE-2")


def read(_n: int, answer: Answer, _file: str) -> dict[str, Any]:
    """The header's options of a host's choice. Raises NotLegal for roles that go with another way than the one chosen."""
    way, seats, mix = answer.pick("roles"), answer.assigned("seats"), answer.some("mix")
    if (seats and way != "assigned") or (mix and way != "drawn"):
        raise NotLegal(say("ortus.roles_unused"))
    match way:
        case "assigned":
            if not seats:
                raise NotLegal(say("ortus.roles_named"))
            return {"roles": way, "seats": dict(seats)}
        case "drawn":
            if not mix:
                raise NotLegal(say("ortus.roles_mix"))
            return {"roles": way, "mix": list(mix)}
        case "picked":
            return {"roles": way}
    return {}


def write(_n: int, options: Mapping[str, Any]) -> Answer:
    """The choice that such options came from."""
    values: dict[str, Any] = {"roles": options.get("roles", NONE)}
    values |= {key: options[key] for key in ("seats", "mix") if options.get(key)}
    return Answer("play", values)


def tell(options: Mapping[str, Any]) -> list[str]:
    """A sentence on the roles, for those who join; nothing where there are none."""
    way = options.get("roles", "")
    if not way:
        return []
    seats = [WORDS.text("variant", "seat", {"seat": s, "role": role}) for s, role in options.get("seats", {}).items()]
    mix = [WORDS.text("variant", "counted", {"role": role, "n": n}) for role, n in Counter(options.get("mix", [])).items()]
    return [WORDS.text("variant", way, {"seats": seats, "roles": mix})]
