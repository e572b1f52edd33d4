"""Settings as they were written before they had rows: `deed_1=call`, `plan_2=use`. They are read for ever."""

from __future__ import annotations

from engine.asks import Answer
from engine.mastery import ids
from engine.numbered import gathered, numbers

ROWS = {
    ids.FRACTURES: ("rules", ("role", "applies", "aimed", "artefact", "owner", "points", "plan"), "plan"),
    ids.DISCARDS: ("cards", ("card",), "card"),
    ids.SCRIPT: ("steps", ("deed", "slot", "knights", "gather", "aim", "stops", "branch"), "deed"),
}
"""Order -> its field of rows, the fields of a row, and the one without which a number said nothing."""


def renewed(id: str, setting: Answer) -> Answer:
    """A setting as it is written today, whenever it was written."""
    kind = ids.SCRIPT if id == ids.IN_FORCE else ids.read_order(id).kind
    if kind not in ROWS:
        return setting
    steps = numbers(setting, "deed")
    found = gathered(setting, *ROWS[kind])
    at = setting.number(ids.AT)
    if not (steps and at):
        return found
    # A script in force remembers its next step by number: of those that say anything, that is another one.
    return Answer(found.option, {**found.values, ids.AT: 1 + sum(n < at for n in steps)})
