"""Every word that a player may read comes from the catalogues: in a language that is made up, nothing English is left."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine import mastery
from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, NotUnderstood
from engine.core.chance import Chance
from engine.core.views import Event
from engine.games import game_called
from engine.language.i18n import made_up, speaking
from engine.mastery.face.narrate import WORDS, listed, word
from engine.mastery.orders.words import ORDERS, choice
from engine.mastery.rules.pieces import TEXT
from engine.ui.forms import describe, said, stored
from tests.marked import PseudoLocale
from tests.mastery.scene import Scene

GAME = game_called("mastery")
PLACES = re.compile(r"\b[A-Z][0-9]{1,2}\b")
"""Labels of slots stand on the map: they are called so in every language."""
NAMES = {"a": "1a", "b": "2b", "c": "3c", "d": "4d", "e": "5e", "f": "6f"}
OPTIONS = (
    {"rules": ["castle_siege", "mayhem"]},
    {"allegiance": 2, "rules": ["cut_throat", "skirmish"], "seating": "fixed"},
)


@contextmanager
def another_language() -> Iterator[None]:
    """A language whose letters are all strange."""
    with made_up("xx", PseudoLocale(lambda text: re.sub("[A-Za-z]", "ж", text))), speaking("xx"):
        yield


def english(text: str) -> list[str]:
    """The English words that stand in a text."""
    return re.findall(r"[A-Za-z]{2,}", PLACES.sub("", text))


def labels(form: object) -> Iterator[str]:
    """Every text of a form that is read."""
    if isinstance(form, dict):
        for key, value in form.items():
            if key in ("title", "label"):
                yield value
            elif key != "about":
                yield from labels(value)
    elif isinstance(form, list):
        for part in form:
            yield from labels(part)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_all_that_is_read_in_a_game_is_translated(options: dict[str, object]) -> None:
    rng, events = random.Random(6), list[Event]()
    state = GAME.rules.setup(list("abcd"), options, Chance("words"))
    with another_language():
        events += procedure.begin(state)
        for move in range(400):
            if not state.waiting:
                break
            seat = rng.choice(state.waiting)
            form = describe(GAME, procedure.ask_of(state, seat), NAMES, state.serial)
            answer = legal_at_random(state, seat, rng)
            texts = [*labels(stored(form)), said(form, answer), GAME.face.preview(state, seat, answer, NAMES)]
            if not move % 100:
                asks = GAME.orders.asks(state, seat)
                texts += [text for ask in asks for text in labels(stored(describe(GAME, ask, NAMES, 0)))]
                texts += [GAME.orders.sheet.about(ask.rule) for ask in asks]
            assert not any(map(english, texts)), [text for text in texts if english(text)]
            events += procedure.play(state, seat, answer)
        told = {event.kind: GAME.words.tell(event, NAMES, None) for event in events}
        assert len(told) > 30 and not any(map(english, told.values())), told
        assert not any(english(GAME.words.chapter(event)) for event in events)


def test_what_is_chosen_before_a_game_is_translated() -> None:
    with another_language():
        texts = [*labels(stored(describe(GAME, GAME.rules.variants.ask(6), NAMES, 0)))]
        texts += [sentence for options in OPTIONS for sentence in GAME.rules.variants.tell(options)]
        texts += [str(GAME.rules.variants.file), *(GAME.words.word(tile["id"], NAMES, "") for tile in GAME.face.facts["tiles"])]
        for ruling in GAME.rules.rulings.values():
            texts += [str(ruling.about), *map(str, ruling.alternatives.values())]
        assert not any(map(english, texts)), texts


@pytest.mark.parametrize(
    "wrong",
    [
        *("march target=B1 knights=9", "march target=B1", "march knights=1", "march target=A1 knights=1", "march target=Z9"),
        *("march target=C2 knights=1", "march in_b1=0", "march in_b1=99", "march target=D3 knights=1", "tactical", "call"),
        *("fracture artefact=Rage", "crown", "march target=E2 knights=1"),
    ],
)
def test_refusals_are_translated(wrong: str) -> None:
    s = Scene("a: knights=3\na.hand: Conflict2\na.artefacts: Fury\ncrown: used\nB1: Fort a 2")
    with another_language():
        assert not english(s.refused(f"a: {wrong}"))


def test_a_host_s_own_file_is_refused_in_the_language_of_the_host() -> None:
    file = json.loads(TEXT)
    for key in ("deck", "tiles", "castles"):
        with another_language(), pytest.raises(NotUnderstood) as refusal:
            GAME.rules.variants.read(2, Answer("play"), json.dumps({**file, key: []}))
        with another_language():
            assert str(refusal.value).startswith("ж")


def test_a_host_s_own_things_keep_their_names() -> None:
    with another_language():
        assert GAME.words.word("Dragonhoard", NAMES, "") == "Dragonhoard"
        assert english(listed(["Dragonhoard", "Dragonhoard", "Ambush"], NAMES, "")) == ["Dragonhoard"]


def test_like_cards_are_counted() -> None:
    assert listed(["Ambush", "Conflict2", "Ambush"], NAMES, "") == "2 Ambushes, Conflict 2"
    assert listed(["Dragonhoard", "Dragonhoard"], NAMES, "") == "2 Dragonhoard"
    assert listed(["ATTACKER_PLUS_1", "MAY_DISCARD_1"], NAMES, "") == "attacker +1; lets its conqueror discard a card"
    assert GAME.words.word("use:Rage", NAMES, "") == "Attacking: +1."


def test_numbers_agree_with_what_is_counted() -> None:
    s = Scene("a: knights=1\nB1: Fort b 3\nb.hand: Conflict2")
    assert s.refused("a: march target=B1 knights=2") == (
        "A march starts from the castle, which will have 1 knight; you send 2."
    )


def test_every_refusal_is_in_the_catalogue_and_none_is_there_for_nothing() -> None:
    folder = Path(mastery.__file__).parent
    source = "".join(file.read_text("utf-8") for file in sorted(folder.rglob("*.py")))
    codes = set(re.findall(r'"mastery\.([\w.]+)"', source))
    assert {code for code in codes if "." not in code} == set(WORDS.keys("refusal"))
    assert {code.removeprefix("oddity.") for code in codes if code.startswith("oddity.")} == set(WORDS.keys("oddity"))


def test_every_standing_order_has_its_words() -> None:
    ids = {ask.rule for ask in GAME.orders.asks(Scene("options: teams=2", "a b c d").state, "a")}
    assert ids == set(ORDERS.keys("title")) == set(ORDERS.keys("about"))


def test_no_english_stands_in_the_program() -> None:
    """Whatever is raised has a code, but for mistakes of the program."""
    folder = Path(mastery.__file__).parent
    for file in sorted(folder.rglob("*.py")):
        assert not re.search(r"(NotLegal|NotUnderstood|Ambiguous)\(\s*f?[\"']", file.read_text("utf-8")), file


def test_a_thing_that_is_none_is_called_nothing() -> None:
    assert word("", {}) == "nothing" and word("CallToArms", {}) == "Call to Arms"


def test_things_of_a_file_of_ones_own_are_called_by_their_names() -> None:  # MM-DAT-4
    own = TEXT.replace('"CROWN_FURY"', '"CROWN_STORM"')
    s = Scene("lore: " + json.dumps(json.loads(own)) + "\na: knights=3\na.artefacts: Storm\na.hand: \ncrown: used")
    assert s.refused("a: crown") == "You have used Storm this turn; a crown is used once in a turn."


def test_a_list_of_one_ability_is_told_by_its_words() -> None:  # MM-TER-5
    assert listed(["ARENA_ROLL"], {}) == "battles begin with a die for each side: the lower loses a knight, both do at a tie"
    assert listed(["Ambush"], {}) == "Ambush" and listed([], {}) == "nothing"


def test_choices_of_standing_orders_are_called_by_what_they_are() -> None:  # MM-STO-1, MM-STO-3, MM-STO-8
    said = {
        c: choice(field, c, {"b": "Bert"})
        for field, c in (
            ("knights", "k1"),
            ("knights", "k3"),
            ("points", "p12"),
            ("from", "v2"),
            ("owner", "lord:b"),
            ("aim", "Rage"),
        )
    }
    assert said == {
        **{"k1": "1 knight", "k3": "3 knights", "p12": "12 points or more", "v2": "value 2 or more"},
        **{"lord:b": "Bert", "Rage": "Sceptre of Rage"},
    }
