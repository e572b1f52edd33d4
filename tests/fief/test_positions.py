"""A position as text: what is written is read again to the same, and what can't be read is refused with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.asks import NotUnderstood
from engine.fief.face import notation
from engine.fief.rules.types import FiefState
from engine.games import game_called
from engine.text.notation import as_json
from tests.fief.recorded import stays

FIEF = game_called("fief")
HEAD = "fief: 1\nseats: a b c\n"


def scene(text: str) -> FiefState:
    state: FiefState = FIEF.rules.notation.read(HEAD + text)
    return state


def refused(text: str) -> str:
    with pytest.raises(NotUnderstood) as problem:
        scene(text)
    return str(problem.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("blaye: a tower", "“tower” can't be read here."),
        (f"blaye: a {'t' * 50}", f"“{'t' * 40}” can't be read here."),
        ("blaye: d", "there is no seat “d”; there are: a, b, c."),
        (f"blaye: {'d' * 30}", f"there is no seat “{'d' * 20}”; there are: a, b, c."),
        ("blaye.a: 3 archers", "“3” can't be read here."),
        ("blaye.a: 3", "“3” can't be read here."),
        ("blaye.a: two maa", "“two” can't be read here."),
        (f"blaye.a: {'t' * 50}", f"“{'t' * 40}” can't be read here."),
        ("blaye.d: 3 maa", "there is no seat “d”; there are: a, b, c."),
        ("Arthur: a ys", "“ys” can't be read here."),
        (f"Arthur: a {'y' * 50}", f"“{'y' * 40}” can't be read here."),
        ("Arthur: a blaye duke", "“duke” can't be read here."),
        ("Arthur: a blaye king=1", "“king=1” can't be read here."),
        ("Arthur: a blaye fief", "“fief” can't be read here."),
        (f"Arthur: a blaye {'k' * 50}", f"“{'k' * 40}” can't be read here."),
        ("a.purse: 3", "there is no zone “purse”; there are: deniers, hand, markers."),
        (f"a.{'p' * 40}: 3", f"there is no zone “{'p' * 30}”; there are: deniers, hand, markers."),
        ("d.deniers: 3", "there is no seat “d”; there are: a, b, c."),
        ("wether: plague 1", "there is no zone “wether”; there are: round, phase, first, "),
        (f"{'w' * 40}: 1", f"there is no zone “{'w' * 30}”; there are: round, phase, first, "),
        ("a.hand: justice, justice", "There are not so many cards “justice”."),
        ("a.hand: justice\nb.hand: justice", "There are not so many cards “justice”."),
        ("a.hand: plague, plague\nweather: plague 1", "There are not so many cards “plague”."),
        ("Arthur: a blaye\na.hand: Arthur", "There are not so many cards “Arthur”."),
        ("Arthur: a blaye d_arc\na.hand: d_arc", "There are not so many cards “d_arc”."),
        (
            "Henri: a blaye bishop=1 cardinal=card\na.hand: cardinal, cardinal, cardinal",
            "There are not so many cards “cardinal”.",
        ),
        ("a.hand: mercy", "“mercy” can't be read here."),
        (f"a.hand: {'m' * 50}", f"“{'m' * 40}” can't be read here."),
        ("phase: 9z", "No position stands at phase “9z”; there is: "),
        ("round: 2\noptions: fog_of_war", "Line 4: the lines `options` and `lore` must come before the others."),
        ("blaye: a\nlore: {}", "Line 4: the lines `options` and `lore` must come before the others."),
        (f"phase: {'9' * 20}", f"No position stands at phase “{'9' * 10}”; there is: "),
    ],
)
def test_what_can_not_be_read_is_refused(text: str, said: str) -> None:  # FF-CMP-4, FF-CMP-5, FF-RND-1
    assert said in refused(text)


WHOLE = (
    "options: fog_of_war hidden_deniers battle_die=book rounds=7\nround: 3\nphase: 4b\nfirst: b\n"
    "Arthur: a blaye fief=blaye\nHenri: b bourg bishop=4 cardinal=sale\nOthon: c sigy captor=a\nCharles: c tournus alone\n"
    "blaye: a stronghold mills=2 engine=b/2/1\nblaye.a: 2 maa 1 knights, 3 maa on charolles\nblaye.b: 1 maa on la_salle\n"
    "sigy: a\nsigy.a: 1 knights\na.deniers: 7\nb.deniers: 0\na.hand: justice, taxes\nb.markers: 1\n"
    "weather: heavy_rain 1, famine 5\ntaxes: a Arthur fief blaye\nfortune_pile: plague\n"
)


def test_a_position_is_read_as_it_says() -> None:  # FF-SET-7, FF-OPT-10
    table = scene(WHOLE).table
    assert (table.options.fog_of_war, table.options.hidden_deniers, table.options.open_diplomacy) == (True, True, False)
    assert (table.options.battle_die, table.options.rounds) == ("book", 7)
    assert (table.round, table.phase, table.first) == (3, "4b", "b")
    blaye = table.villages["blaye"]
    assert (blaye.controller, blaye.walls, blaye.mills, dict(blaye.engines)) == ("a", "stronghold", 2, {"b": 2})
    assert table.troops("a", "blaye") == (5, 1) and [g.road for g in blaye.troops["a"]] == ["", "charolles"]
    assert table.lords["Othon"].captor == "a" and table.lords["Henri"].cardinal == "sale"
    assert not table.lords["Charles"].company and table.lords["Arthur"].company
    assert [(laid.card, laid.see) for laid in table.weather] == [("heavy_rain", 1), ("famine", 5)]
    assert [(t.seat, t.lord, t.title, t.fief) for t in table.taxes] == [("a", "Arthur", "fief", "blaye")]
    assert table.families["a"].deniers == 7 and table.families["b"].deniers == 0 and table.families["b"].markers == 1
    assert table.families["c"].deniers == table.lore.start["deniers"]
    held = [*table.fortune_deck, *table.fortune_pile, "justice", "taxes", "heavy_rain", "famine"]
    assert sorted(held) == sorted(table.lore.fortune_deck())


def test_a_position_that_is_written_is_read_to_the_same() -> None:  # FF-SET-7
    state = scene(WHOLE)
    text = FIEF.rules.notation.whole(state)
    assert "options: " in text and "battle_die=book" in text and "rounds=7" in text
    assert FIEF.rules.notation.whole(FIEF.rules.notation.read(text)) == text


OPEN = (
    "options: holy_relics\nround: 2\nphase: cp1\nfirst: c\nbourg: b city guest=a/b\nbourg.b: 2 knights\n"
    "Arthur: a blaye king fief=blaye spouse=Jeanne relic=grail\nJeanne: b bourg queen=queen spouse=Arthur\n"
    "Othon: c sigy pope bishop=5 exposed=2\nHenri: c tournus assassin\nMireille: a villeneuve d_arc\n"
    "blaye: a mills=1 relic=holy_spear\nblaye.a: 1 maa\nblaye.c: 2 maa on charolles\nweather: plague 2, good_weather 3\n"
    "taxes: c Othon pope 5\na.hand: Eric, uprising\nc.hand: cardinal, ambush, justice\ntrack: famine\n"
)


def flat(shown: object, path: str = "") -> Iterator[str]:
    """A view as lines `path: value`, without its chart and without what is empty."""
    if isinstance(shown, dict):
        for name, value in shown.items():
            if path or name != "chart":
                yield from flat(value, f"{path}{name}.")
    elif shown not in (None, "", [], False, 0):
        yield f"{path[:-1]}: {as_json(shown)}"


@pytest.mark.parametrize(("name", "text"), [("hidden", WHOLE), ("open", OPEN)])
def test_each_reader_is_shown_a_position_as_recorded(name: str, text: str) -> None:  # FF-ASY-3, FF-OPT-10
    state, known, lines = scene(text), set[str](), list[str]()
    for reader in (None, "a", "b", "c"):
        written = notation.lines(state, reader, False)
        shown = [line for line in (*flat(FIEF.rules.view(state, reader)), *written) if line not in known]
        lines += [f"# {reader or 'an onlooker'}", *shown]
        known |= {*shown} if reader is None else set()
    changed = stays(Path(__file__).parent / "views" / f"{name}.txt", lines)
    assert not changed, "\n".join(changed)
