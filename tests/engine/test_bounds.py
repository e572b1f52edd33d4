"""A host's own file: counts, lengths, depth and numbers are checked before any work on it, with one sentence each."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from engine.core.asks import NotUnderstood
from engine.fief import FIEF
from engine.fief.rules.realm import pieces
from engine.game import Game
from engine.mastery import MASTERY
from engine.mastery.rules.pieces import TEXT
from engine.text import bounds

BOARD, BOX, WHOLE = json.loads(pieces.MAP), json.loads(pieces.COMPONENTS), json.loads(TEXT)
SECONDS = 0.6
"""On a slow machine; the worst of these took 90 s."""


def people(n: int) -> dict[str, Any]:
    return {"lords": [{"name": f"L{i}", "sex": "m"} for i in range(n)]}


def with_part(key: str, part: dict[str, Any]) -> dict[str, Any]:
    return {**WHOLE, key: {**WHOLE[key], **part}}


LARGE = [
    (FIEF, people(6500), "“lords” in the file has 6500 entries; at most 100 fit."),
    (FIEF, {"villages": [{**BOARD["villages"][0], "id": f"v{i}"} for i in range(1500)]}, "“villages” in the file has 1500"),
    (FIEF, {"roads": [["bourg", "tournus"]] * 9000}, "“roads” in the file has 9000 entries; at most 400 fit."),
    (FIEF, {"fiefs": BOARD["fiefs"] * 80}, "“fiefs” in the file has 640 entries"),
    (FIEF, {"battle_die_presets": {f"d{i}": [1] * 6 for i in range(8000)}}, "“battle_die_presets” in the file has 8000"),
    (FIEF, {"start": {f"d{i}": 1 for i in range(15000)}}, "“start” in the file has 15000 entries"),
    (FIEF, {"lords": [*BOX["lords"], {"name": "L" * 150_000, "sex": "m"}]}, "has 150000 characters; at most 60 fit there."),
    (FIEF, {"note": "x" * 190_000}, "has 190000 characters; at most 2000 fit there."),
    (FIEF, {"villages": [{**v, "x": 10**9} for v in BOARD["villages"]]}, "“x” in the file has a number that is too large"),
    (MASTERY, {**WHOLE, "note": "x" * 150_000}, "has 150000 characters"),
    (MASTERY, with_part("maps", {"9": {"slots": WHOLE["maps"]["3"]["slots"] * 100}}), "“slots” in the file has"),
    (MASTERY, with_part("deck", {"cards": WHOLE["deck"]["cards"] * 300}), "“cards” in the file has"),
    (MASTERY, with_part("constants", {f"c{i}": 0 for i in range(9000)}), "“constants” in the file has"),
    (MASTERY, with_part("tiles", {"territories": WHOLE["tiles"]["territories"] * 60}), "“territories” in the file has"),
]


@pytest.mark.parametrize(("game", "file", "said"), LARGE, ids=[f"{game.name}-{n}" for n, (game, _, _) in enumerate(LARGE)])
def test_what_no_game_needs_is_refused_before_the_work(game: Game, file: dict[str, Any], said: str) -> None:
    refused_quickly(game, json.dumps(file, separators=(",", ":")), said)


def refused_quickly(game: Game, text: str, said: str) -> None:
    taken = []
    for _ in range(2):  # the better of two: other threads of this process count, too
        began = time.thread_time()
        with pytest.raises(NotUnderstood) as refusal:
            game.rules.variants.read(3, game.rules.variants.ask(3).default, text)
        taken.append(time.thread_time() - began)
        assert said in str(refusal.value)
    assert min(taken) < SECONDS


def test_a_key_that_comes_twice_among_many_is_found_in_one_pass() -> None:
    text = "{" + ",".join(f'"a{i}":1' for i in range(18_000)) + ',"a17999":1}'
    refused_quickly(MASTERY, text, "The file says 'a17999' twice in one object; once is right.")


def test_a_file_that_nests_deeply_is_refused() -> None:
    refused_quickly(FIEF, '{"note":' + "[" * 90_000 + "]" * 90_000 + "}", "The file can't be read: it is nested too deeply, or")
    refused_quickly(FIEF, '{"note":' + "[" * 40 + "]" * 40 + "}", "The file is nested too deeply; at most 20 levels fit.")


def test_what_is_shipped_is_within_the_bounds_and_so_is_a_full_house_of_lords() -> None:
    for shipped in (BOARD, BOX, WHOLE):
        assert bounds.read(json.dumps(shipped)) == shipped
    assert len(pieces.lore_of(json.dumps(people(bounds.MOST_ENTRIES))).people) == bounds.MOST_ENTRIES
    assert MASTERY.rules.variants.read(3, MASTERY.rules.variants.ask(3).default, TEXT)["own"]
