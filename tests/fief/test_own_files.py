"""A host's own map and box: what can't be played with is refused with a sentence that says what would be right."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from engine.core.asks import NotUnderstood
from engine.fief import FIEF
from engine.fief.rules.realm import pieces
from engine.fief.rules.realm.pieces import lore_of
from engine.games import game_called

Change = Callable[[dict[str, Any]], object]
BOARD: dict[str, Any] = json.loads(pieces.MAP)
BOX: dict[str, Any] = json.loads(pieces.COMPONENTS)
NUMBER = "“{}” needs “{}”, a number from 0 to 100."


def land(id: str, /, **new: Any) -> Change:
    return lambda data: next(f for f in data["fiefs"] if f["id"] == id).update(new)


def see(number: int, /, **new: Any) -> Change:
    return lambda data: data["bishoprics"][number - 1].update(new)


def village(id: str, /, **new: Any) -> Change:
    return lambda data: next(v for v in data["villages"] if v["id"] == id).update(new)


def card(id: str, /, **new: Any) -> Change:
    return lambda data: next(c for c in data["fortune_disaster_deck"] + data["lords_deck_specials"] if c["id"] == id).update(
        new
    )


def block(name: str, /, **new: Any) -> Change:
    return lambda data: data[name].update(new)


def roads(*more: list[str], but: str = "") -> Change:
    def change(data: dict[str, Any]) -> None:
        data["roads"] = [road for road in data["roads"] if not but or but not in road] + list(more)

    return change


def person(n: int, /, **new: Any) -> Change:
    return lambda data: data["lords"][n].update(new)


def refused(text: str) -> str:
    assert game_called("fief"), "its words are known"
    with pytest.raises(NotUnderstood) as problem:
        lore_of(text)
    return str(problem.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "The file has to be one JSON object that names what it replaces."),
        ('"roads"', "The file has to be one JSON object that names what it replaces."),
        (json.dumps({"rods": []}), "The file has “rods”, which Fief doesn't know; it may have: "),
        (json.dumps({"z" * 50: 1, "y" * 50: 1}), f"The file has “{'y' * 40}”, which Fief doesn't know; it may have: "),
        ('{"roads":\n[,', "The file isn't JSON: Expecting value in line 2."),
        ('{"start": {"king": NaN}}', "The file has “NaN” where a number belongs; write a number with digits."),
        ('{"roads": [["bourg", 5]]}', "The file can't be read: "),
        ('{"fiefs": 5}', "The file can't be read: "),
    ],
)
def test_a_file_that_is_no_file_of_fief(text: str, said: str) -> None:  # FF-MAP-5
    told = refused(text)
    assert told.startswith(said)
    if "may have" in said:
        known = sorted({*BOARD, *BOX} - {"note"})
        assert all(key in told for key in known) and " note" not in told


def test_a_key_may_stand_twice_only_in_the_file_of_a_game_that_has_begun() -> None:  # FF-MAP-5
    text = '{"start": {"deniers": 1, "deniers": 7}}'
    with pytest.raises(NotUnderstood, match="says 'deniers' twice in one object; once is right"):
        FIEF.rules.variants.read(3, FIEF.rules.variants.ask(3).default, text)
    assert lore_of(text).start["deniers"] == 7


def test_a_file_may_begin_with_a_byte_order_mark() -> None:  # FF-MAP-5
    own = '\ufeff{"prices": {"mill": 5}}'
    assert lore_of(own).prices["mill"] == 5 and lore_of(own).prices["stronghold"] == lore_of().prices["stronghold"]
    assert pieces.data_hash(own) == pieces.data_hash('{"prices": {"mill": 5}}') != pieces.data_hash()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            village("bourg", id="Bourg"),
            "“Bourg” can't be the id of a village: each needs its own, of small letters and underscores.",
        ),
        (
            village("bourg", id="böurg"),
            "“böurg” can't be the id of a village: each needs its own, of small letters and underscores.",
        ),
        (
            village("bourg", id="le bourg"),
            "“le bourg” can't be the id of a village: each needs its own, of small letters and underscores.",
        ),
        (
            village("bourg", id="blaye"),
            "“blaye” can't be the id of a village: each needs its own, of small letters and underscores.",
        ),
        (
            village("bourg", id="B" * 50),
            f"“{'B' * 40}” can't be the id of a village: each needs its own, of small letters and underscores.",
        ),
        (land("bourg", rank="count"), "The Fief “bourg” needs a rank: "),
        (land("bourg", villages=["bourg"]), "The Fief “bourg” lists other villages than those that say they lie in it."),
        (village("bourg", fief="blaye"), "The Fief “blaye” lists other villages than those that say they lie in it."),
        (land("bourg", rank="barony"), "The Fief “bourg” has 4 villages, which is wrong for a barony."),
        (land("bourg", title_price=-1), "The title of “bourg” needs a price from 0 to 100."),
        (land("bourg", title_price=101), "The title of “bourg” needs a price from 0 to 100."),
        (lambda data: data["fiefs"].append(data["fiefs"][0]), "Two Fiefs have the same id."),
        (see(5, number=6), "There have to be five Bishoprics, numbered 1 to 5."),
        (see(2, villages=["tournus"]), "Bishopric 2 lists other villages than those that say they lie in it."),
        (see(2, principal="mazilles"), "Bishopric 2 needs exactly one principal village, the one that it names."),
        (village("mazilles", principal=True), "Bishopric 2 needs exactly one principal village, the one that it names."),
        (
            lambda data: data["villages"].append(
                {**data["villages"][0], "id": "ys", "fief": "sea", "bishopric": 1, "principal": False}
            ),
            "Bishopric 1 lists other villages than those that say they lie in it.",
        ),
        (
            lambda data: data["villages"].append(
                {**data["villages"][0], "id": "ys", "fief": "sea", "bishopric": 6, "principal": False}
            ),
            "The village “ys” lies in no Fief or no Bishopric of the file.",
        ),
        (roads(["bourg", "gotham"]), "The road from “bourg” to “gotham” has to join two villages of the map, once."),
        (roads(["gotham", "bourg"]), "The road from “gotham” to “bourg” has to join two villages of the map, once."),
        (roads(["bourg", "bourg"]), "The road from “bourg” to “bourg” has to join two villages of the map, once."),
        (roads(["villeneuve", "bourg"]), "The road from “villeneuve” to “bourg” has to join two villages of the map, once."),
        (roads(["x" * 50, "y" * 50]), f"The road from “{'x' * 40}” to “{'y' * 40}” has to join two villages of the map, once."),
        (roads(but="les_essarts"), "No road leads to “les_essarts”."),
        (card("plague", count=-1), "There can be 0 to 100 cards “plague”."),
        (card("cardinal", count=101), "There can be 0 to 100 cards “cardinal”."),
        (card("plague", back="fortune"), "The card “plague” has the wrong back."),
        (card("taxes", back="disaster"), "The card “taxes” has the wrong back."),
        (card("cardinal", back="fortune"), "The card “cardinal” has the wrong back."),
        (card("d_arc", back="fortune"), "The card “d_arc” has the wrong back."),
        (card("plague", id="pest"), "“fortune_disaster_deck” has to list exactly these: "),
        (person(1, name="Éric"), "“"),
        (person(0, sex="x"), "” can't be a Lord's name: each needs one of its own, and a sex, m or f."),
        (person(0, name="9" * 50), f"“{'9' * 40}” can't be a Lord's name: each needs one of its own, and a sex, m or f."),
        (person(0, name="9"), "“9” can't be a Lord's name: each needs one of its own, and a sex, m or f."),
        (lambda data: data.update(lords=data["lords"][:5]), "Six families need at least six Lords; there are 5."),
        (
            block("battle_die_presets", found=[1] * 5),
            "The battle die “found” needs six faces, each from 0 to 6; one die has to be called “found”.",
        ),
        (
            block("battle_die_presets", found=[1] * 5 + [7]),
            "The battle die “found” needs six faces, each from 0 to 6; one die has to be called “found”.",
        ),
        (
            block("battle_die_presets", found=[1] * 5 + [-1]),
            "The battle die “found” needs six faces, each from 0 to 6; one die has to be called “found”.",
        ),
        (
            block("battle_die_presets", **{"my die": [1] * 6}),
            "The battle die “my die” needs six faces, each from 0 to 6; one die has to be called “found”.",
        ),
        (block("battle_die_presets", **{"7" * 50: [1] * 6}), f"The battle die “{'7' * 40}” needs six faces"),
        (block("start", lords=2), "Every family starts with one Lord and an empty hand."),
        (block("start", hand=1), "Every family starts with one Lord and an empty hand."),
        *[
            (block(name, **{next(iter(BOX[name])): wrong}), NUMBER.format(name, next(iter(BOX[name]))))
            for name in ("per_player", "start", "shared", "prices", "limits")
            for wrong in (-1, 101)
        ],
    ],
)
def test_a_map_or_box_that_cannot_be_played_with(change: Change, said: str) -> None:  # FF-MAP-1, FF-MAP-2, FF-MAP-3, FF-MAP-5
    data = json.loads(json.dumps({**BOARD, **BOX}))
    change(data)
    assert said in refused(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"prices": 5}', "Expected `object`, got `int` - at `$.prices`."),
        ('{"villages": {"bourg": 1}}', "Expected `array`, got `object` - at `$.villages`."),
    ],
)
def test_a_part_of_another_shape_is_refused(text: str, said: str) -> None:  # FF-MAP-5
    assert refused(text) == f"The file can't be read: {said}"


@pytest.mark.parametrize("faces", [[0, 0, 0, 6, 6, 6], [3] * 6])
def test_a_die_of_the_host_s_own(faces: list[int]) -> None:  # FF-CMP-6, FF-MAP-5
    own = json.dumps({"battle_die_presets": {"mine": faces}})
    assert lore_of(own).dice == {**lore_of().dice, "mine": tuple(faces)}


@pytest.mark.parametrize("name", ["per_player", "shared", "prices", "limits"])
@pytest.mark.parametrize("n", [0, 100])
def test_numbers_at_their_bounds(name: str, n: int) -> None:  # FF-MAP-5
    key = next(iter(BOX[name]))
    assert lore_of(json.dumps({name: {key: n}})) is not None


def towns(n: int) -> str:
    """The shipped map with so many Baronies more, all by one road."""
    data = json.loads(json.dumps(BOARD))
    size = pieces.RANKS["barony"]
    ids = [f"v{k}" for k in range(n * size)]
    for k in range(n):
        own = ids[k * size : (k + 1) * size]
        data["fiefs"].append({**data["fiefs"][-1], "id": f"f{k}", "rank": "barony", "villages": own})
        data["villages"] += [
            {**data["villages"][0], "id": id, "fief": f"f{k}", "bishopric": 1, "principal": False} for id in own
        ]
    data["bishoprics"][0]["villages"] += ids
    data["roads"] += [list(road) for road in zip(["blaye", *ids], ids, strict=False)]
    return json.dumps(data)


def test_how_many_villages_a_map_has() -> None:  # FF-MAP-1
    assert len(lore_of(towns(18)).sites) == 60
    assert refused(towns(19)) == "A map has 6 to 60 villages, not 62."
