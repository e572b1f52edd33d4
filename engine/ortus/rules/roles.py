"""Roles (rules 16): King, Archbishop, Duke. Without roles `role` is empty and nothing here applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.core.asks import Fields, NotUnderstood, PickOne, Seat, choices, refuse_if
from engine.core.chance import Chance
from engine.core.procedure import AnyState
from engine.language.words import say
from engine.ortus.rules.pieces import LORE, Card, kind, of_earl
from engine.ortus.rules.table import Earl, Table, deck_shown

ROLES: tuple[str, ...] = tuple(LORE["roles"])
UNIQUE = frozenset(("king", "archbishop"))
"""At most one player each (OR-ROLE-1)."""
WAYS = ("picked", "contested", "assigned", "drawn")
"""Ways to give out roles (OR-ROLE-2, 3, 41)."""
CONTESTS = {f"contest_{role}": role for role in ROLES if role in UNIQUE}
"""Contest option -> role (OR-ROLE-42)."""
LEGACY: Mapping[str, int] = LORE["legacy"]
"""Legacy points: bounds, start, gain by rematch and win (OR-ROLE-41, 44)."""
ASSETS = ("Allies", "Church")
"""A Duke's one-time assets (OR-ROLE-36, 37)."""
KNOWN = ("roles", "seats", "mix", "legacy", "points")
"""Header options; `mix` is for drawn roles, `points` (by seat) for a rematch."""


def sizes(role: str) -> Mapping[str, Any]:
    """A role's `deck` size, first Hand (OR-ROLE-4) and `fallback` deck (DEF-7)."""
    found: Mapping[str, Any] = {"fallback": LORE["fallback_deck"], **LORE["roles"][role or "earl"]}
    return found


# --- giving out (16.1) ------------------------------------------------------------------------------------------------


def given_out(options: Mapping[str, Any], seats: Sequence[Seat], chance: Chance) -> tuple[str, dict[Seat, str]]:
    """(way, role by seat); no roles yet if picked. Raises NotUnderstood for unknown options and impossible roles."""
    for key in options:
        refuse_if(key not in KNOWN, "ortus.no_option", option=str(key)[:30])
    way = options.get("roles", "")
    refuse_if(way not in ("", *WAYS), "ortus.roles_way", ways=list(WAYS))
    refuse_if(way != "contested" and not {"legacy", "points"}.isdisjoint(options), "ortus.legacy_unused")
    if way == "assigned":
        named = options.get("seats", {})
        refuse_if(not isinstance(named, dict) or not set(named) <= set(seats), "ortus.roles_seats", seats=list(seats))
        roles = {s: str(named.get(s, "earl")) for s in seats}
        _check(roles.values(), len(seats))
        return way, roles
    if way == "drawn":
        mix = options.get("mix", [])
        refuse_if(not isinstance(mix, list) or not mix, "ortus.roles_mix")
        _check(mix, len(seats))
        dealt = sorted([*mix, *["earl"] * (len(seats) - len(mix))])
        chance.shuffle(dealt, "roles")
        return way, dict(zip(seats, dealt, strict=True))
    return way, {}


def _check(roles: Iterable[str], n: int) -> None:
    """Raises NotUnderstood for unknown, duplicate or too many roles (OR-ROLE-1)."""
    counts = Counter(str(role) for role in roles)
    for role, number in counts.items():
        refuse_if(role not in ROLES, "ortus.no_role", role=role[:30], roles=list(ROLES))
        refuse_if(role in UNIQUE and number > 1, "ortus.role_twice", role=role)
    refuse_if(counts.total() > n, "ortus.roles_many", n=n)


def opening_points(options: Mapping[str, Any], seats: Sequence[Seat]) -> dict[Seat, int]:
    """Legacy points (OR-ROLE-41, 44); 0 unless contested. Raises NotUnderstood for bad numbers and unknown seats."""
    if options.get("roles") != "contested":
        return dict.fromkeys(seats, 0)
    legacy, points = options.get("legacy", LEGACY["usual"]), options.get("points", {})
    refuse_if(not _is_number(legacy, LEGACY["least"]), "ortus.legacy", least=LEGACY["least"], most=LEGACY["most"])
    if not isinstance(points, dict) or not points.keys() <= {*seats} or not all(_is_number(n, 0) for n in points.values()):
        raise NotUnderstood(say("ortus.points", seats=list(seats), most=LEGACY["most"]))
    return {seat: points.get(seat, legacy) for seat in seats}


def _is_number(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= LEGACY["most"]


def rematch(options: Mapping[str, Any], last: AnyState, before: Mapping[Seat, Seat]) -> dict[str, Any]:
    """Options with Legacy points carried over (OR-ROLE-44).

    `before`: seat -> the player's previous seat, without newcomers.
    """
    fresh = {key: value for key, value in options.items() if key != "points"}
    if fresh.get("roles") != "contested" or last.table.roles != "contested" or not before:
        return fresh
    winners = last.table.outcome.winners if last.table.outcome is not None else ()
    points = {
        seat: min(LEGACY["most"], last.table.earls[was].legacy + LEGACY["again"] + LEGACY["won"] * (was in winners))
        for seat, was in before.items()
    }
    return fresh | {"points": points}


def take(earl: Earl, role: str) -> None:
    earl.role = role
    if role == "duke":
        earl.assets = list(ASSETS)


def free_roles(table: Table) -> list[str]:
    """Roles that can still be taken (OR-ROLE-2)."""
    taken = {e.role for e in table.earls.values()}
    return [role for role in ROLES if role not in UNIQUE or role not in taken]


def holder(table: Table, role: str) -> Earl | None:
    return next((e for e in table.earls.values() if e.role == role), None)


def unsettled(table: Table, earl: Earl) -> bool:
    """Whether he may still pick or lose a role (OR-ROLE-2, 42)."""
    if table.roles == "contested":
        return not table.round and any(not e.role for e in table.earls.values())
    return table.roles == "picked" and not earl.role


def contests(table: Table, earl: Earl) -> list[str]:
    """Roles he may contest (OR-ROLE-42, 43)."""
    if table.roles != "contested" or earl.legacy < 1:
        return []
    return [role for role in ROLES if role in UNIQUE and role not in earl.contested and holder(table, role) is not None]


def settle(table: Table, role: str, challenger: Earl, bids: Mapping[Seat, int]) -> None:
    """The higher bid wins and pays, ties keep the holder (OR-ROLE-42); neither may contest again."""
    held = holder(table, role)
    assert held is not None
    won = bids[challenger.seat] > bids[held.seat]
    winner, loser = (challenger, held) if won else (held, challenger)
    winner.legacy -= bids[winner.seat]
    challenger.contested.append(role)
    if won:
        held.role = ""
        held.contested.append(role)
        take(challenger, role)
    facts: dict[str, Any] = {"seat": winner.seat, "loser": loser.seat, "bid": bids[winner.seat], "under": bids[loser.seat]}
    table.tell("contest_won" if won else "contest_kept", role=role, left=winner.legacy, **facts)


def begin(table: Table) -> None:
    """Give the King's Card; Dukes and Earls are loyal (OR-ROLE-7, 9)."""
    king = king_role(table)
    if king is None:
        return
    table.king = king.seat
    for earl in table.earls.values():
        earl.loyal = earl.role in ("duke", "earl")


def king_role(table: Table) -> Earl | None:
    """King by role, not by Banners; None if out (OR-ROLE-13)."""
    king = holder(table, "king")
    return king if king is not None and king.alive else None


def leave(table: Table, earl: Earl) -> None:
    """End loyalty, Canterbury, assets (OR-ROLE-13, 29, 40)."""
    if earl.role == "king":
        for other in table.earls.values():
            other.loyal = False
    earl.loyal, earl.assets = False, []
    if earl.role == "archbishop":
        table.canterbury, table.entering = "", False


# --- the King (16.2) --------------------------------------------------------------------------------------------------


def hostile_act(table: Table, by: Seat, against: Seat) -> None:
    """Changes loyalty (OR-ROLE-5, 10 to 12)."""
    king = king_role(table)
    if king is None:
        return
    if by == king.seat and table.earls[against].loyal:
        table.earls[against].loyal = False
        table.tell("loyalty_lost", seat=against, king=king.seat)
    elif against == king.seat and table.earls[by].loyal:
        earl = table.earls[by]
        earl.loyal = False
        if not earl.deck:
            table.tell("loyalty_empty", seat=by, king=king.seat)
            return
        card = earl.deck.pop()
        king.hand.append(card)
        if deck_shown(table, earl):
            table.tell_two("loyalty", (king.seat,), {"card": card}, seat=by, king=king.seat, left=len(earl.deck))
        else:
            table.tell_two("loyalty_closed", (king.seat,), {"card": card}, seat=by, king=king.seat)


def which(earl: Earl, what: str) -> Fields:
    """Field for a card's colour; only a King holds two (OR-ROLE-14)."""
    if earl.role != "king":
        return ()
    cards = sorted({c for c in earl.hand if kind(c) == what})
    return (PickOne("card", choices(cards), optional=True),) if len(cards) > 1 else ()


# --- the Archbishop (16.3) --------------------------------------------------------------------------------------------


def may_install(earl: Earl, card: Card) -> bool:
    """An Archbishop installs only Monks and a Prince (OR-ROLE-16)."""
    return earl.role != "archbishop" or kind(card) in ("Monk", "Prince")


def is_immune(earl: Earl, lord: Card) -> bool:
    """Treachery can't target the Archbishop's Abbots (OR-ROLE-17)."""
    return earl.role == "archbishop" and kind(lord) == "Monk"


def canterbury_targets(table: Table, seat: Seat) -> list[str]:
    """Canterbury as a target, if another Earl holds it (OR-ROLE-26, 31)."""
    return [of_earl("canterbury", table.canterbury)] if table.canterbury not in ("", seat) else []


def close_turn(table: Table, seat: Seat) -> None:
    """Enter Canterbury if announced (OR-ROLE-22)."""
    if table.entering and table.earls[seat].role == "archbishop":
        table.canterbury, table.entering = seat, False
        table.tell("canterbury_entered", seat=seat)


def bequest_blocked(table: Table, earl: Earl) -> bool:
    """Whether Canterbury bars the Bequest; a Cathedral then counts as a Church (OR-ROLE-24)."""
    return table.canterbury != earl.seat and not earl.holds("Church") and not earl.holds("Cathedral")


# --- the Duke (16.4) --------------------------------------------------------------------------------------------------


def spend(table: Table, earl: Earl, asset: str) -> None:
    earl.assets.remove(asset)
    table.tell("asset_spent", seat=earl.seat, card=asset)
