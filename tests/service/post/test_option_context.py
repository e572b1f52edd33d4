"""What stands under each option of a letter's question: true of the position, and written so that a reply can use it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from engine.core import procedure
from engine.core.asks import PickOne, PickSome, check, read
from engine.games import GAMES
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.table import Dispute, value
from engine.mastery.rules.table import points as mastery_points
from engine.ortus.rules.combat import force_fields
from engine.ortus.rules.pieces import SEND, kind
from engine.ui import heard
from engine.ui.forms import describe, example
from service.settings import Settings
from tests import shots
from tests.mastery.scene import Scene
from tests.mastery.scene import battle as fight
from tests.service.conftest import on_sqlite
from tests.tables import NAMES, Laid, complete, laid, moments, passing, questions, stems


def way(html: str, label: str) -> str:
    """The words of one option's cell."""
    return " ".join(re.sub("<[^>]+>", " ", html.partition(f">{label}<")[2].partition("</td>")[0]).split())


@pytest.mark.parametrize("game", complete())
def test_what_a_letter_gives_as_an_example_is_understood(game: str) -> None:
    """Of every kind of question of a recorded game: the example names the option's own fields and choices."""
    told = 0
    for found in questions(game, GAMES[game].rules.seats[-1]).values():
        ask = procedure.ask_of(found.state, found.seat)
        for option in describe(GAMES[game], ask, NAMES, 0).options:
            if text := example(option):
                told += 1
                answer = check(ask, read(text))
                assert answer.option == option.id and answer.values
                form = describe(GAMES[game], ask, NAMES, 0)
                said = heard.example(form, option)
                assert said == text or heard.understand(form, said).answer in (read(text), check(ask, read(form.default)))
    assert told >= 5


def test_an_example_shows_how_something_is_done_and_not_how_it_is_let_be() -> None:
    found = questions("mastery", 6)["fracture"]
    ask = procedure.ask_of(found.state, found.seat)
    (written,) = [text for o in describe(GAMES["mastery"], ask, NAMES, 0).options if (text := example(o))]
    assert written.startswith("plan first=") and "pass" not in written


@on_sqlite
def test_examples_stand_in_a_letter_that_can_be_answered_by_mail_alone(settings: Settings) -> None:
    found = laid("ortus", 6, "middle")
    assert "more than a number" not in shots.letter_of(settings, found)
    letter = shots.letter_of(settings.model_copy(update={"inbox": "writ@example.org"}), found)
    said = way(letter, "Attack")
    assert (
        re.search(r"a number, write: .*<code>\d: Siege of \w+’s Fief 2, [^<]*</code>", letter, re.S) and "target=" not in said
    )


def points(found: Laid) -> int:
    """What an Earl can send at the most, by the rules."""
    table, seat = found.state.table, found.seat
    earl, best = table.earls[seat], 0
    sends = {"king": 1} | {f"lord:F{f.number}": SEND[kind(f.lord)] for f in earl.fiefs if f.lord}
    sends |= {f"mercenary:{m.number}": 2 for m in earl.mercenaries}
    sends |= {f"garrison:{m.number}": SEND[m.garrison] for m in earl.mercenaries if m.garrison}
    for one in force_fields(table, earl):
        assert isinstance(one, PickSome)
        each = [
            sends[c.id] if c.id in sends else SEND[kind(c.id.removeprefix("royal:"))]
            for c in one.choices
            for _ in range(c.most)
        ]
        best += sum(sorted(each, reverse=True)[: one.most])
    return best


@on_sqlite
def test_an_attack_says_what_can_be_sent_and_what_towers_it_meets(settings: Settings) -> None:
    seen = []
    for stem in stems("ortus")[:8]:
        for part in (0.3, 0.5, 0.8):
            found = passing("ortus", stem, part)
            ask = procedure.ask_of(found.state, found.seat) if found.state.waiting else None
            if ask is None or ask.kind != "turn" or "attack" not in {o.id for o in ask.options}:
                continue
            letter = shots.letter_of(settings, found)
            told, table = way(letter, "Attack"), letter.partition("Earldom")[2]
            most = points(found)
            seen.append(most)
            assert f"up to {most} point{'s' if most != 1 else ''}" in told
            for earl in (one for one in found.state.table.others(found.seat) if one.fiefs):
                _, _, row = table.partition(f">{NAMES[earl.seat]}<")
                numbers = re.findall(r"<b><font[^>]*>(\d+|–)</font></b>", row.partition("</tr>")[0])
                assert numbers[3] == str(len(earl.towers)), "once, in the table below"
    assert len(seen) >= 5 and max(seen) >= 4, seen


@on_sqlite
def test_what_bears_on_a_verb_is_told_in_text_and_html_alike(settings: Settings) -> None:
    """A Reserve, a deck and a Vassal of the seat's own; the scores of a battle; an army in the field."""
    for game, kind_, words in (
        ("ortus", "turn", "left</span>"),
        ("mastery", "support", "13 to 13"),
        ("fief", "movement", "1/4 Blanche"),
    ):
        assert words in shots.letter_of(settings, questions(game, 6)[kind_]), game


BATTLES = ("conflict", "support", "discard", "fracture")
"""What is asked in a battle, be it of those who fight or of those who only hear of it."""


@on_sqlite
@pytest.mark.parametrize("kind", BATTLES)
def test_a_letter_of_a_battle_shows_it_then_the_question_then_the_hand_and_no_lords_else(settings: Settings, kind: str) -> None:
    """In text as in HTML; map and lords stand in a letter outside of one."""
    fight, calm = shots.written(settings, battle(kind)), shots.written(settings, laid("mastery", 6, "middle"))
    for letter, marks in (
        (fight.text, ("THE BATTLE FOR", "Answer on your private page", "YOUR HAND")),
        (fight.html, (">The battle for", 'class="question"', ">Your hand ")),
    ):
        at = [letter.index(mark) for mark in marks]
        assert at == sorted(at), kind
    for part in ("PLACE BY PLACE", "THE LORDS, CLOCKWISE"):
        assert part in calm.text and part not in fight.text
    for part in ("The map in turn", "The lords, clockwise"):
        assert part in calm.html and part not in fight.html
    assert len(fight.text.splitlines()) < 80 and len(fight.html.encode()) < 18_000


def battle(kind: str) -> Laid:
    """A battle of six lords in which somebody is asked this: of a Fracture, who doesn't fight."""
    return next(at for at in asked_in_battle() if at.moment == kind)


@cache
def asked_in_battle() -> list[Laid]:
    found: dict[str, Laid] = {}
    for stem in stems("mastery"):
        if not stem.startswith("6-"):
            continue
        for at in moments("mastery", stem):
            fights = [p for p in at.state.stack if isinstance(p, Battle)]
            for seat in at.state.waiting if fights else ():
                kind = procedure.ask_of(at.state, seat).kind
                if kind not in found and (kind != "fracture" or seat not in (fights[-1].attacker, fights[-1].defender)):
                    state = GAMES["mastery"].rules.decode(GAMES["mastery"].rules.encode(at.state))
                    found[kind] = replace(at, moment=kind, state=state, seat=seat, told=at.told[-60:])
        if found.keys() >= {*BATTLES}:
            break
    return [*found.values()]


def test_a_letter_of_a_battle_says_how_it_ends_and_what_it_is_about(settings: Settings) -> None:
    """As the battle itself then goes if all pass: who keeps the place, who falls there, and the points (MM-BAT-15, MM-RET)."""
    found = battle("support")
    fight = next(p for p in found.state.stack if isinstance(p, Battle))
    winner, margin = fight.decision(found.state.table)
    loser = fight.attacker if winner == fight.defender else fight.defender
    falls = min(margin, fight.knights(found.state.table, loser))
    worth, points = value(found.state.table, fight.slot), mastery_points(found.state.table, fight.attacker)
    does, knights = "keep" if winner == fight.defender else "take", f"{falls} knight{'s' if falls != 1 else ''}"
    for seat in found.state.waiting:
        words = " ".join(shots.written(settings, replace(found, seat=seat)).text.split())
        holds = f"you {does}" if seat == winner else f"{NAMES[winner]} {does}s"
        assert f"If nobody adds more, {holds} the place." in words
        assert f"{'You then lose' if seat == loser else f'{NAMES[loser]} then loses'} {knights} there." in words
        wins = "you win" if seat == fight.attacker else f"{NAMES[fight.attacker]} wins"
        assert f"The place is worth {worth}. If {wins}, the points are {points + worth} to " in words


@on_sqlite
def test_a_letter_of_a_siege_tells_every_reader_who_would_storm_the_castle(settings: Settings) -> None:  # MM-OPT-8
    state = Scene("options: siege\na: knights=6\nD1: Forest a 1\nB2: Forest a 1\nB1: Forest a 1", "a b").state
    slot = state.table.lords["b"].slot
    state.table.dispute = Dispute(slot, "a", 4)
    state.stack.append(Battle(attacker="a", defender="b", slot=slot))
    procedure.advance(state)
    for seat in state.waiting:
        found = replace(laid("mastery", 2, "middle"), state=state, seat=seat)
        words = " ".join(shots.written(settings, found).text.split())
        wins = "you win" if seat == "a" else f"{NAMES['a']} wins"
        assert f"If {wins}, the castle is stormed and the game is won." in words and "you win the game" not in words


@on_sqlite
def test_a_letter_of_a_battle_names_the_orb_that_kills_one_more(settings: Settings) -> None:  # MM-ORB-2
    scene = fight(send=3, there=4, text="b.artefacts: Brutality").play("a: play card=Conflict3", "b: play card=Conflict4")
    found = replace(laid("mastery", 2, "middle"), state=scene.state, seat=scene.asked[0])
    words = " ".join(shots.written(settings, found).text.split())
    orb = "One of them falls to the Orb of Brutality, unless a Fracture breaks it."
    loses = "You then lose" if found.seat == "a" else f"{NAMES['a']} then loses"
    assert f"{loses} 3 knights there. {orb} The place is worth" in words


@on_sqlite
def test_many_artefacts_stand_by_the_lord_who_has_them(settings: Settings) -> None:
    """In text; the HTML part counts them, for its board lists them."""
    found = questions("mastery", 6)["early"]
    letter = shots.written(settings, found)
    fracture = next(o for o in procedure.ask_of(found.state, found.seat).options if o.id == "fracture")
    ids = {choice.id for field in fracture.fields if isinstance(field, PickOne) for choice in field.choices}
    assert len(ids) > 7
    for seat, lord in found.state.table.lords.items():
        own = [artefact.name for artefact in lord.artefacts() if artefact.name in ids]
        line = f"{NAMES[seat]}: " + ", ".join(GAMES["mastery"].words.word(name, NAMES, "") for name in own)
        assert not own or line in " ".join(letter.text.split()), line
    assert f": {len(ids)} to choose from" in letter.html
