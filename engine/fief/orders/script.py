"""Multi-part answers in advance (FF-ASY-2). A partly illegal one is dropped and its owner asked, except with best effort."""

from __future__ import annotations

from engine.core.asked import by
from engine.core.asks import Answer, NotUnderstood, Row, read, write
from engine.fief.orders.asked import Asked, first
from engine.fief.orders.battles import done, sieged
from engine.fief.orders.settings import FIGHT, MARCH, SETTLE
from engine.fief.rules.war.movement import Movement
from engine.fief.rules.war.siege import Battles

IN_FORCE = f"{MARCH}+"
"""A scripted march under way."""


def village(at: Asked, order: Answer) -> Answer | None:
    """D-SET-1: first free village of the list."""
    return first(at, order, "places", "found", "at")


def movement(at: Asked) -> Answer | None:
    """D-MOV-1: the list, then end the turn."""
    if at.frame(Movement).lists:
        return Answer("done") if IN_FORCE in at.orders else None
    return by(MARCH, _march)(at)


def _march(at: Asked, order: Answer) -> Answer | None:
    rows = _rows(order, "moves")
    if order.pick("effort") == "whole":
        answer = Answer("move", {"moves": rows})
        return answer if at.legal(answer) else None
    able: list[Row] = []
    for row in rows:
        if at.legal(Answer("move", {"moves": [*able, row]})):
            able.append(row)
    return Answer("move", {"moves": able}) if able else Answer("done")


def _rows(order: Answer, name: str) -> list[Row]:
    value = order.values.get(name)
    return [dict(row) for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def battles(at: Asked) -> Answer | None:
    """D-BAT-1: the listed battles, then sieges; else what needs no fight."""
    order = at.orders.get(FIGHT)
    if order is None:
        return done(at)
    fights = [row for row in order.rows("fights") if row.pick("at") not in at.frame(Battles).fought]
    ways = [Answer("attack", {"at": row.pick("at"), "against": row.some("against")}) for row in fights]
    start = [place for place in order.some("start") if place in at.picks("done", "start")]
    if order.pick("effort") == "whole":
        besieged = {*start} == {*order.some("start")} or bool(fights)
        if not besieged or not all(at.legal(way) for way in ways):
            return None
    return next((way for way in ways if at.legal(way)), None) or sieged(at, start)


def after(answer: Answer, kind: str, kept: dict[str, str]) -> None:
    """Remove lists that were executed or replaced by hand."""
    if kind == "village":
        kept.pop(SETTLE, None)
    elif kind == "movement":
        text = kept.pop(MARCH, None)
        kept.pop(IN_FORCE, None)
        if text is not None and answer.option == "move" and _of(text, answer):
            kept[IN_FORCE] = write(Answer("on"))
    elif kind == "battles" and FIGHT in kept:
        listed = any(row.pick("at") == answer.pick("at") for row in setting(kept[FIGHT]).rows("fights"))
        if answer.option == "done" or not listed:
            kept.pop(FIGHT)


def _of(text: str, answer: Answer) -> bool:
    written = [_said(row) for row in _rows(setting(text), "moves")]
    return all(_said(row) in written for row in _rows(answer, "moves"))


def _said(row: Row) -> Row:
    return {name: value for name, value in row.items() if value}


def setting(text: str) -> Answer:
    """A parsed setting; an invalid one is off."""
    try:
        return read(text)
    except NotUnderstood:
        return Answer("off")
