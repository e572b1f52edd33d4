"""The table options of a host: as answers, in the header of the game, and as those who join are told of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.core.asks import NotUnderstood, read, write
from engine.core.chance import Chance
from engine.fief.rules.realm.pieces import data_hash
from engine.games import game_called
from engine.language.words import Message, say

FIEF = game_called("fief")
OWN = json.dumps({"battle_die_presets": {"found": [0, 1, 1, 2, 2, 3], "bold": [0, 0, 0, 3, 3, 6]}})


@pytest.mark.parametrize(
    ("choice", "options", "told"),
    [
        ("play battle_die=found rounds=0", {}, []),
        (
            "play rules=[holy_relics,fog_of_war] battle_die=found rounds=0", {"holy_relics": True, "fog_of_war": True},
            [
                "Holy Relics: five relics lie on the principal villages.",
                "Fog of War: nobody sees what kinds the others' Troops are until they fight.",
            ],
        ),
        ("play battle_die=book rounds=0", {"battle_die": "book"}, ["The battle die has the faces 1, 1, 1, 2, 2, 3."]),
        ("play battle_die=found rounds=7", {"rounds": 7}, ["The game ends after round 7 at the latest."]),
    ],
)  # fmt: skip
def test_a_choice_of_the_host_s_is_kept_and_told(
    choice: str, options: dict[str, Any], told: list[str]
) -> None:  # FF-SET-7, FF-CMP-6
    variants = FIEF.rules.variants
    assert variants is not None
    assert variants.read(3, read(choice), "") == {**options, "data": data_hash()}
    assert write(variants.write(3, options)) == choice
    assert variants.tell(options) == told


def test_a_file_of_the_host_s_is_kept_with_its_mark() -> None:  # FF-SET-7, FF-MAP-5
    variants = FIEF.rules.variants
    assert variants is not None
    options = variants.read(3, read("play battle_die=bold rounds=2"), OWN)
    assert options == {"battle_die": "bold", "rounds": 2, "own": OWN, "data": data_hash(OWN)}
    assert variants.tell(options) == [
        "The battle die has the faces 0, 0, 0, 3, 3, 6.", "The game ends after round 2 at the latest.",
        f"Played with the host's own file ({data_hash(OWN)[:12]}).",
    ]  # fmt: skip
    with pytest.raises(NotUnderstood, match="No road leads"):
        variants.read(3, read("play"), json.dumps({"roads": []}))


def test_what_a_host_can_choose() -> None:  # FF-SET-7
    variants = FIEF.rules.variants
    assert variants is not None
    ask = variants.ask(3)
    assert (ask.seat, ask.kind, ask.rule) == ("", "variant", "D-SET-0")
    fields = {field.name: field for field in ask.options[0].fields}
    assert list(fields) == ["rules", "battle_die", "rounds"] and write(ask.default) == "play battle_die=found rounds=0"


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({"data": data_hash(OWN)}, say("fief.data_not_at_hand")),
        ({"own": OWN, "data": data_hash()}, say("fief.data_not_at_hand")),
        ({"rounds": 61}, say("fief.rounds", most=60)),
        ({"rounds": "7"}, say("fief.rounds", most=60)),
    ],
)
def test_a_header_that_can_not_be_played_is_refused(options: dict[str, Any], refusal: Message) -> None:  # FF-MAP-5, FF-SET-7
    with pytest.raises(NotUnderstood) as refused:
        FIEF.rules.setup("abc", options, Chance("x"))
    assert refused.value.said == refusal
    assert FIEF.rules.setup("abc", {"own": OWN, "data": data_hash(OWN), "rounds": 60}, Chance("x")).table.options.rounds == 60


@pytest.mark.parametrize("seats", ["ab", "abcdefg"])
def test_a_table_of_too_few_or_too_many_is_refused(seats: str) -> None:  # FF-SET-1
    with pytest.raises(NotUnderstood) as refused:
        FIEF.rules.setup(seats, {}, Chance("x"))
    assert refused.value.said == say("fief.seats", n=len(seats), least=3, most=6)
