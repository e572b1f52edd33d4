"""Orders on Lords, the Church and relics: passage (FF-SO-1), calming (FF-SO-7), ballots (FF-SO-8), candidacies (FF-SO-9), the
Pope (FF-SO-10), heirs (FF-SO-11), placing (FF-SO-12), the Crown Prince (FF-SO-13), guests and gifts (FF-SO-22), relics
(FF-SO-23).
"""

from __future__ import annotations

from engine.core.asks import Answer, Seat, Value
from engine.fief.orders.asked import REPLY, Asked, answered, default_if, first, said
from engine.fief.rules.court.elections import KING
from engine.fief.rules.realm.table import Person, Table


def leave(at: Asked, order: Answer) -> Answer | None:
    """D-MOV-2, after grants and before asking (FF-MOV-14)."""
    return answered(at, order, at.fact("seat"), at=at.fact("at"))


def heir(at: Asked, order: Answer) -> Answer | None:
    """D-TTL-1, D-TTL-2: the first eligible listed Lord, else the house default or ask."""
    return first(at, order, "lords", "give", "lord") or default_if("otherwise", "house")(at, order)


def place(at: Asked, order: Answer) -> Answer | None:
    """D-LRD-1 for a freed Lord."""
    return first(at, order, "places", "place", "at") or default_if("otherwise", "house")(at, order)


def prince(at: Asked, order: Answer) -> Answer:
    """Whether a new Lord becomes Crown Prince (D-PLY-2)."""
    return Answer("yes" if order.option == "always" else "no")


def gift(at: Asked, order: Answer) -> Answer | None:
    """D-PUR-3: by default accepted."""
    return {"yes": at.ask.default, "no": Answer("decline")}.get(said(at, order, at.fact("seat"), what="title"))


# --- the Church -------------------------------------------------------------------------------------------------------


def calm(at: Asked, order: Answer) -> Answer:
    """D-UPR-3: prefer alms as Cardinal, which risks no life."""
    controller = at.table.villages[at.fact("at")].controller
    for way in ("cardinal", "bishop"):
        whose = order.pick(way)
        fits = controller == at.seat or (whose == "listed" and controller in order.some("for"))
        if whose != "never" and fits and at.has(way):
            return Answer(way)
    return Answer("none")


def vote(at: Asked, order: Answer) -> Answer | None:
    """D-BIS-2, D-POP-2, D-KNG-2: each marker on its first listed candidate."""
    values: dict[str, Value] = {}
    for row in order.rows("ballots"):
        marker, candidate = row.pick("marker"), _candidate(at, row.pick("candidate"))
        if marker not in values and candidate and row.pick("office") in ("", at.fact("office")):
            values[marker] = candidate
    if values:
        return Answer("vote", values)
    return Answer("none") if order.pick("otherwise") == "abstain" else None


def _candidate(at: Asked, wanted: str) -> str:
    seat = {"own": at.seat, "ally": at.table.ally(at.seat) or "-"}.get(wanted, "")
    return next((id for id in at.picks("vote", "for") if wanted == id or at.table.lords[id].seat == seat), "")


def stand(at: Asked, order: Answer) -> Answer | None:
    """D-BIS-1, D-POP-1, D-KNG-1: the first listed Lord who may stand."""
    lords = at.picks("stand", "lord")
    for row in order.rows("stands"):
        if row.pick("office") not in ("", at.fact("office")):
            continue
        wanted = row.pick("candidate")
        if wanted == "best":
            return Answer("stand", {"lord": max((at.table.lords[id] for id in lords), key=lambda p: _merit(p, at)).id})
        if wanted in lords:
            return Answer("stand", {"lord": wanted})
    return Answer("none") if order.pick("otherwise") == "never" else None


def _merit(lord: Person, at: Asked) -> tuple[bool, int, str]:
    crown = at.fact("office") == KING
    return not lord.prince or crown, lord.titles if crown else -len(lord.fiefs), lord.id


# --- relics -----------------------------------------------------------------------------------------------------------


def use_relic(at: Asked, order: Answer) -> Answer | None:
    """D-REL-1 and 3: take relics; Eyes and Bone where own villages suffer most. Gives nothing away."""
    if order.pick("take" if at.ask.kind == "take_relic" else "use") != "yes":
        return None
    if at.ask.kind == "take_relic":
        return Answer("take", {"relic": at.picks("take", "relic")[0]})
    suffering = {place: _suffers(at.table, at.seat, place, at.ask.kind) for place in at.picks("pray", "at")}
    worst = max(suffering, key=lambda place: suffering[place])
    return Answer("pray", {"at": worst}) if suffering[worst] else None


def _suffers(table: Table, seat: Seat, place: str, kind: str) -> int:
    villages = table.lore.sees[table.see_of(place)].villages
    if kind == "eyes":
        return sum(table.occupies(seat, v) for v in villages)
    return sum(table.villages[v].mills for v in villages if table.villages[v].controller == seat)


def relic(at: Asked, order: Answer) -> Answer | None:
    """D-REL-2: leave to take; D-REL-5: an offered relic."""
    return REPLY.get(order.pick("leave" if at.fact("taking") == "1" else "receive"))


def teeth(at: Asked, order: Answer) -> Answer | None:
    """D-REL-4: own Lords only, or none."""
    return {"own": at.ask.default, "none": Answer("none")}.get(order.pick("teeth"))
