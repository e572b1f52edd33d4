"""Trigger orders for cards and powers (FF-SO-19), and windows (FF-SO-20).

Triggers depend on public events; only playing a card reveals that its owner holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.core.asks import Answer, Ask, PickOne, Seat, Value
from engine.fief.orders.asked import Asked
from engine.fief.rules.diplomacy import guests_of
from engine.fief.rules.realm.pieces import UPRISING
from engine.fief.rules.realm.relics import takers
from engine.fief.rules.realm.table import Person, Table
from engine.fief.rules.round import score
from engine.fief.rules.war.siege import battlefields, sieges
from engine.fief.rules.war.uprising import taxes_on

OPTIONS = {"excommunicate": "ban", "lift_ban": "lift", "control": "take"}
"""Power -> its option, if not `play`."""


def use(at: Asked, order: Answer) -> Answer | None:
    rules = [rule for rule in order.rows("triggers") if rule.pick("play") == at.ask.kind]
    return next((answer for rule in rules for answer in _played(at.table, at.seat, at.ask, rule)), None)


def _played(table: Table, seat: Seat, ask: Ask, rule: Answer) -> Iterator[Answer]:
    aimed = list(_concerned(table, seat, rule))
    option = OPTIONS.get(ask.kind, "play")
    fields = {f.name: [c.id for c in f.choices] for f in ask.option(option).fields if isinstance(f, PickOne)}
    if not aimed:
        return
    if ask.kind == UPRISING:
        for place in _places(table, fields["at"], rule, aimed):
            yield Answer(option, {"at": place, "cards": table.families[seat].hand.count(UPRISING)})
        return
    sponsors = [id for id in fields.get("sponsor", ()) if rule.pick("sponsor") in ("", id)]
    if "sponsor" in fields and not sponsors:
        return
    fixed: dict[str, Value] = {"sponsor": sponsors[0]} if sponsors else {}
    target = next((name for name in ("lord", "from", "village") if name in fields), "")
    for id in _targets(table, seat, ask.kind, rule, aimed, fields[target]) if target else ():
        yield Answer(option, {target: id, **fixed})
    if not target:
        yield Answer(option)


def _targets(table: Table, seat: Seat, kind: str, rule: Answer, aimed: Sequence[str], open_: Sequence[str]) -> Iterator[str]:
    lords = [table.lords[id] for id in open_ if id in table.lords]
    for lord in sorted(lords, key=lambda p: (p.id not in aimed, -p.titles, p.id)):
        if rule.pick("lord") == lord.id or (not rule.pick("lord") and _meant(lord, seat, kind, aimed)):
            yield lord.id
    if not lords:
        yield from (id for id in open_ if rule.pick("at") in ("", id.partition("/")[0]))


def _meant(lord: Person, seat: Seat, kind: str, aimed: Sequence[str]) -> bool:
    """Whether a Lord fits an unnamed aim: an affected opponent, or an own Lord for benefits."""
    if kind in ("cardinal", "d_arc"):
        return lord.seat == seat
    return lord.seat != seat and (lord.id in aimed or lord.seat in aimed)


def _places(table: Table, open_: Sequence[str], rule: Answer, aimed: Sequence[str]) -> Iterator[str]:
    """The named village, or affected players', weakest first."""
    if rule.pick("at"):
        yield from (place for place in open_ if place == rule.pick("at"))
        return
    theirs = [v for v in open_ if table.villages[v].controller in aimed]
    yield from sorted(theirs, key=lambda v: (sum(m + 3 * k for m, k in (table.troops(s, v) for s in table.seats)), v))


def _concerned(table: Table, seat: Seat, rule: Answer) -> Iterator[str]:
    """Affected players and Lords, once the event has happened."""
    who = rule.pick("who")
    named = table.ally(seat) if who == "ally" else who
    seats = [s for s in table.seats if s == named] if who else table.others(seat)
    lords = [p for p in table.lords.values() if p.seat in seats]
    match rule.pick("if"):
        case "always":
            yield from seats
        case "cp1" | "cp2" | "cp3" as moment:
            yield from seats if table.phase == moment else ()
        case "crowned" | "pope" | "marked" as what:
            yield from (p.id for p in lords if {"crowned": p.king, "pope": p.pope, "marked": p.assassin}[what])
        case "one_more" | "winning" as near:
            yield from (s for s in seats if close(table, s, 1 if near == "one_more" else 0))
        case "captive":
            yield from (p.captor for p in table.family(seat) if p.captor in seats)
        case "besieged":
            yield from (s for s in seats if any(table.besieged(v.id) for v in table.controlled(seat) if s in v.engines))
        case "taxed":
            yield from (s for s in seats if any(taxes_on(table, v.id) for v in table.controlled(s)))
        case "famine":
            yield from (s for s in seats if any(table.starving(v.id) for v in table.controlled(s)))


def close(table: Table, seat: Seat, lacking: int) -> bool:
    own, goal = score(table, seat)
    return own + lacking >= goal


# --- windows (SO-20) --------------------------------------------------------------------------------------------------


def window(at: Asked, order: Answer) -> Answer | None:
    """D-WIN-1: pass; ask if concerned, or able to act by public facts (FF-ASY-9)."""
    asks = order.option != "pass" and _at_stake(at.table, at.seat) and (order.option == "concerned" or _able(at.table, at.seat))
    return None if asks else Answer("pass")


def _able(table: Table, seat: Seat) -> bool:
    """Whether a Fortune back, relic or power lets him act."""
    lords = table.free(seat)
    return (
        table.grey(seat)
        or any(p.pope or p.relics for p in lords)
        or bool(takers(table, seat) or guests_of(table, seat) or sieges(table, seat))
    )


def _at_stake(table: Table, seat: Seat) -> bool:
    own = table.controlled(seat)
    match table.phase:
        case "cp1":
            relics = {relic for p in table.free(seat) for relic in p.relics}
            prayer = bool(relics) and any(table.lore.back(laid.card) == "disaster" for laid in table.weather)
            return prayer or any(table.starving(v.id) or any(t.seat != seat for t in taxes_on(table, v.id)) for v in own)
        case "cp2":
            foes = [s for s in table.others(seat) if s != table.ally(seat)]
            own_fields = any(s in foes for there in battlefields(table, seat).values() for s in there)
            return own_fields or any(seat in there for s in foes for there in battlefields(table, s).values())
        case _:
            return any(close(table, s, 0) for s in table.seats)


def join(at: Asked) -> Answer | None:
    """D-UPR-2: by a trigger (SO-19), else as a window (SO-20); `able` asks, since only seats with a Fortune back are asked."""
    trigger, order, village = at.orders.get("SO-19"), at.orders.get("SO-20"), at.fact("at")
    if trigger is not None and any(_rises(at, rule, village) for rule in trigger.rows("triggers")):
        return _joined(at)
    if order is None or order.option == "able" or (order.option == "concerned" and at.table.occupies(at.seat, village)):
        return None
    return Answer("none")


def _rises(at: Asked, rule: Answer, village: str) -> bool:
    aimed = [*_concerned(at.table, at.seat, rule)] if rule.pick("play") == UPRISING else []
    return (
        bool(aimed)
        and (rule.pick("at") or village) == village
        and (bool(rule.pick("at")) or at.table.villages[village].controller in aimed)
    )


def _joined(at: Asked) -> Answer:
    """All held Uprisings, never a Secret Passage."""
    hand = at.table.families[at.seat].hand
    cards = hand.count(UPRISING) if any(f.name == "cards" for o in at.ask.options for f in o.fields) else 0
    return Answer("join", {"cards": cards}) if cards else Answer("none")
