"""Upcasts old settings with numbered fields, `deed_1=call`, `plan_2=use`, to rows."""

from __future__ import annotations

from engine.asks import Answer
from engine.mastery import ids
from engine.numbered import gathered, numbers

ROWS = {
    ids.FRACTURES: ("rules", ("role", "applies", "aimed", "artefact", "owner", "points", "plan"), "plan"),
    ids.DISCARDS: ("cards", ("card",), "card"),
    ids.SCRIPT: ("steps", ("deed", "slot", "knights", "gather", "aim", "stops", "branch"), "deed"),
}
"""Order -> field of rows, a row's fields, the required one."""


def renewed(id: str, setting: Answer) -> Answer:
    """Convert a setting to the current format."""
    kind = ids.SCRIPT if id == ids.IN_FORCE else ids.read_order(id).kind
    if kind not in ROWS:
        return setting
    steps = numbers(setting, "deed")
    found = gathered(setting, *ROWS[kind])
    at = setting.number(ids.AT)
    if not (steps and at):
        return found
    # The next step's number skips empty steps.
    return Answer(found.option, {**found.values, ids.AT: 1 + sum(n < at for n in steps)})
