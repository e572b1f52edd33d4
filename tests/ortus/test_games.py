"""The recorded games of Ortus Regni: one for each way in which a last rival can fall."""

from __future__ import annotations

import json
from pathlib import Path

FILES = sorted((Path(__file__).parents[1] / "games" / "ortus").glob("*.jsonl"))


def test_every_way_to_end_is_recorded() -> None:
    # OR-ELIM-1, OR-WIN-1
    assert {f.stem.rpartition("-")[2] for f in FILES} == {"anchors", "deck", "concession"}


def test_between_them_they_ask_nearly_everything() -> None:
    asked = {json.loads(line).get("ask", "") for f in FILES for line in f.read_text("utf-8").splitlines()[1:]}
    assert {"deck", "turn", "defend", "allies", "enter", "spoils", "vikings", "attacker_hits", "defender_hits"} <= asked
