"""Church orders: calming (FF-SO-7), ballots (FF-SO-8), candidacies (FF-SO-9), the Pope (FF-SO-10)."""

from __future__ import annotations

from engine.core.asks import Answer, Value
from engine.fief.orders.asked import REPLY, Asked, answered, said
from engine.fief.rules.court.elections import KING
from engine.fief.rules.realm.table import Person


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


def consent(at: Asked, order: Answer) -> Answer | None:
    """D-CAR-2."""
    return answered(at, order, at.fact("seat"), what="consent")


def annulment(at: Asked, order: Answer) -> Answer | None:
    """D-ANN-2."""
    return REPLY.get(said(at, order, at.fact("by"), what="annul"))
