"""The recorded games of Medieval Mastery: one for each way to win, alone and in teams."""

from __future__ import annotations

import json
from pathlib import Path

FILES = sorted((Path(__file__).parents[1] / "games" / "mastery").glob("*.jsonl"))


def test_every_way_to_end_is_recorded() -> None:  # MM-VIC-2, MM-OPT-3, MM-OPT-8
    assert {f.stem.rpartition("-")[2] for f in FILES} == {"points", "siege"}
    winners = {f.stem: json.loads(f.read_text("utf-8").splitlines()[-1])["move"].split("winners=")[1] for f in FILES}
    sizes = {stem: won.partition("]")[0].count(",") + 1 for stem, won in winners.items()}
    assert set(sizes.values()) == {1, 2, 3}


def test_fear_is_decided_with_the_fractures_in_a_recorded_game() -> None:  # MM-ASY-4, MM-FRA-10
    lines = next(f for f in FILES if "fear-with-the-fractures" in f.stem).read_text("utf-8").splitlines()
    ruled = json.loads(lines[0])["rulings"]
    assert (ruled["MM-ASY-4"], ruled["MM-ASY-5"], ruled["MM-FRA-10"]) == ("together", "skipped", "standing")
    moves = [entry["move"] or "" for entry in map(json.loads, lines[1:]) if entry["ask"] == "fracture"]
    assert any("match=" in move for move in moves) and {"yes", "no"} & set(moves)


def test_between_them_they_ask_everything() -> None:
    asked = {json.loads(line).get("ask", "") for f in FILES for line in f.read_text("utf-8").splitlines()[1:]}
    kinds = {"early", "late", "fracture", "match", "conflict", "support", "discard", "arrange", "verdict", "redistribute"}
    assert kinds <= asked
