"""SO-01 to SO-04: passing, Allies, Vassals per Struggle."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.asked import Asked
from engine.core.asks import Answer, Ask
from engine.ortus.rules.pieces import kind, parse
from engine.ortus.rules.politics import Politics, Struggle
from engine.ortus.rules.table import Table

CLASSES = (
    "palace_lord", "last_lord", "prince_lord", "lord", "hand", "mercenary_gone", "church", "properties", "armies",
    "mercenary_stolen",
)  # fmt: skip
"""Classes of threats (SO-02); the first match counts."""
ANY = "any"
MOST = 6
"""Most Vassals or Lords that a limit names."""
PASSIVE = frozenset(("allies", "commit", "counter", "defend"))


def threat(table: Table, facts: Mapping[str, object]) -> str:
    earl = table.earls[str(facts["target"])]
    aim, card = facts["aim"], facts["card"]
    if aim == "lord":
        fief = earl.fief(int(str(facts["number"])))
        if fief is not None and kind(fief.anchor) == "Palace":
            return "palace_lord"
        if len(earl.fiefs) == 1:
            return "last_lord"
        return "prince_lord" if fief is not None and fief.lord is not None and kind(fief.lord) == "Prince" else "lord"
    if aim == "mercenary":
        return "mercenary_gone" if card == "Treachery" else "mercenary_stolen"
    if aim == "properties":
        fief = earl.fief(int(str(facts["number"])))
        return "church" if fief is not None and fief.has("Cathedral") else "properties"
    return str(aim)


def passing(ask: Ask) -> Answer | None:
    """SO-01: the passive answer if it is the only one."""
    return ask.default if ask.kind in PASSIVE and len(ask.options) == 1 else None


def allies(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-02: call Allies by class of threat."""
    wish = order.pick(threat(asked.table, asked.frame(Politics).about()))
    if wish == "never":
        return Answer("decline")
    if wish == "always":
        # Asset or card, the preferred one first.
        able = ("asset", "allies") if order.pick("allies_first") == "asset" else ("allies", "asset")
        found = next(filter(asked.has, able), "")
        if found:
            return Answer(found)
    # None to call; only SO-01 may answer that automatically.
    return None


def commit(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-03, SO-04: one more Vassal while needed and within the first matching limit."""
    struggle = asked.frame(Struggle)
    fits = (ANY, threat(asked.table, struggle.about_attempt))
    limit = next((row for row in order.rows("limits") if row.pick("of") in fits), None)
    if limit is None:
        return None
    most = {"hand": limit.number("vassals"), "lord": limit.number("lords")}
    used = [parse(id).where for id in struggle.committed[asked.seat]]
    vassals = struggle.vassals(asked.table, asked.seat)
    able = {where: [id for id in vassals if parse(id).where == where] for where in ("hand", "lord")}
    first = ("hand", "lord") if order.pick("first") != "lords" else ("lord", "hand")
    for where in first:
        if able[where] and used.count(where) < most[where]:
            return Answer("commit", {"vassal": able[where][0]})
    return Answer("pass")
