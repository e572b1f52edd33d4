"""Questions say what one has to know to answer them, in a letter too, where no board stands beside."""

from __future__ import annotations

import pytest

from engine.core import procedure
from engine.core.asks import read
from engine.core.views import Event
from engine.fief import FIEF
from engine.fief.rules.court.elections import BISHOP, to_be_elected
from engine.ui.forms import Form, OneField, SomeField, describe

NAMES = {"a": "Ann", "b": "Bob", "c": "Cy", "d": "Di"}


def asked(text: str, *answers: tuple[str, str], seat: str = "a") -> Form:
    """What the seat is asked in a position after these answers."""
    state = FIEF.rules.notation.read(f"fief: 1\nseats: a b c d\nfirst: a\n{text}")
    procedure.begin(state)
    for by, line in answers:
        procedure.play(state, by, procedure.vet(state, by, read(line)))
    return describe(FIEF, procedure.ask_of(state, seat), NAMES, 0)


COURT = "phase: 1a\nArthur: a blaye\nJeanne: b bourg\nIsabelle: c sigy\n"


def test_who_proposes_whom_is_asked() -> None:  # FF-MAR-3
    assert asked(COURT).title == "Do you propose a marriage?"
    one, other = ("b", "propose suits=[(lord=Jeanne,other=Arthur)]"), ("c", "propose suits=[(lord=Isabelle,other=Arthur)]")
    assert asked(COURT, one, other).title == ("Bob proposes Jeanne to Arthur; Cy proposes Isabelle to Arthur. Do you accept?")


def test_what_a_ransom_costs_is_asked() -> None:  # FF-RAN-1, FF-RAN-2
    held = "phase: 4a\na.deniers: 6\nArthur: a bourg bishop=1 captor=b\nHenri: a bourg captor=b\nbourg.b: 1 maa\n"
    assert "Arthur, 4 Deniers; Henri, 2 Deniers" in asked(held).title


def test_how_many_die_of_the_plague_is_asked() -> None:  # FF-DIS-5
    text = "phase: 2b\nblaye.a: 4 maa 3 knights\nHenri: b bourg\n"
    form = asked(
        f'{text}stack: {{"type":"Round","step":"play"}}\nstack: {{"type":"Plague","step":"plague","see":1}}\n',
    )
    assert [f.label for f in form.options[0].fields] == ["Knights among the 3 who die at Blaye"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("phase: 1d\nArthur: a blaye fief=blaye\n", "None of mine"),
        ("phase: 2a\nArthur: a blaye\na.hand: taxes, ambush, justice\n", "Keep all"),
        ("phase: 6b\nArthur: a blaye\nblaye: a mills=1\n", "Pillage nothing"),
    ],
)
def test_a_plain_no_is_said_in_the_words_of_its_question(text: str, said: str) -> None:
    labels = {option.id: option.label for option in asked(text).options}
    assert labels["none"] == said


def test_a_siege_names_who_holds_the_place() -> None:  # FF-SIE-1
    form = asked("phase: 6a\nblaye: b stronghold\nblaye.b: 1 maa\nblaye.a: 2 maa on charolles")
    (start,) = [f for o in form.options for f in o.fields if isinstance(f, SomeField) and f.name == "start"]
    assert [c.label for c in start.choices] == ["Blaye, held by Bob"]
    laid = Event("siege", {"seat": "a", "village": "blaye", "of": "b"})
    assert FIEF.words.tell(laid, NAMES, None) == "Ann laid siege to Bob’s Blaye."
    assert FIEF.words.tell(Event("siege", {"seat": "a", "village": "blaye"}), NAMES, None) == "Ann laid siege to Blaye."


def test_a_bishop_is_one_of_a_place_and_points_are_named_once() -> None:
    stood = Event("stands", {"seat": "a", "lord": "Henri", "office": "bishop", "see": 2})
    assert FIEF.words.tell(stood, NAMES, None) == "Ann’s Henri stood for Bishop of Tournus."
    ended = Event("round_end", {"n": 1, "points": {"a": 1, "b": 0}})
    assert FIEF.words.tell(ended, NAMES, None) == "The round ended. Victory points: Ann 1."


def test_losses_name_only_what_is_lost() -> None:
    for maa, knights, said in ((2, 0, "2 Men-at-Arms"), (0, 1, "1 Knight"), (1, 2, "1 Man-at-Arms and 2 Knights")):
        event = Event("losses", {"seat": "b", "village": "blaye", "maa": maa, "knights": knights})
        assert FIEF.words.tell(event, NAMES, None) == f"Bob lost {said} at Blaye."


def test_what_is_said_after_a_roll_is_opened_to_all_but_for_a_card_that_stays_in_its_hand() -> None:  # FF-BAT-14, FF-INF-2
    walls = "phase: 6a\nArthur: a blaye on=charolles\nblaye: b stronghold\nblaye.a: 6 maa on charolles\n"
    state = FIEF.rules.notation.read(
        f"fief: 1\nseats: a b c d\nfirst: a\n{walls}blaye.b: 9 maa\nblaye.c: 3 knights on la_salle\n"
        "a.hand: secret_passage\nc.hand: secret_passage\n"
    )
    procedure.begin(state)
    told: list[Event] = []
    first = [("a", "attack at=blaye against=[b]"), ("c", "attack"), ("a", "ready"), ("b", "ready"), ("c", "ready")]
    after = [("a", "continue card=secret_passage"), ("b", "truce terms=as_is"), ("c", "continue card=secret_passage")]
    for by, line in first:
        procedure.play(state, by, procedure.vet(state, by, read(line)))
    while state.stack[-1].step == "losses":
        by = state.waiting[0]
        procedure.play(state, by, procedure.ask_of(state, by).default)
    for by, line in after:
        answer = procedure.vet(state, by, read(line))
        assert FIEF.rules.audience(state.stack[-1].step, by, answer) == (by,)
        told += procedure.play(state, by, answer)
    assert state.table.families["a"].hand == [] and state.table.families["c"].hand == ["secret_passage"]
    sentences = [FIEF.words.tell(event, NAMES, None) for event in told if event.kind in ("wished", "passage")]
    assert sentences == [
        "Ann fought on; Bob offered a truce, all as it is; Cy fought on.",
        "Ann played a Secret Passage: the walls counted for nothing in this battle.",
    ]


def test_leave_to_pass_is_granted_somewhere_and_to_somebody() -> None:  # FF-MOV-7
    state = FIEF.rules.notation.read("fief: 1\nseats: a b c\nphase: 2c\nfirst: a\nArthur: a blaye\nblaye: a\nHenri: b sigy\n")
    procedure.begin(state)
    (grant,) = (describe(FIEF, ask, NAMES, 0) for ask in FIEF.rules.powers.open(state, "a") if ask.kind == "grant")
    assert grant.options[0].fields[0].label == "Where, and who may pass"


def test_a_bishopric_is_to_be_filled_where_all_is_controlled_and_there_is_no_bishop() -> None:  # FF-BIS-1
    table = FIEF.rules.notation.read("fief: 1\nseats: a b c\nOthon: a bourg bishop=1\n").table
    for see, place in table.lore.sees.items():
        assert not to_be_elected(table, BISHOP, see)
        for village in place.villages:
            table.villages[village].controller = "a"
        assert to_be_elected(table, BISHOP, see) == (see != 1)


def test_a_bishop_without_a_hat_may_stand_for_pope() -> None:  # FF-POP-1
    hats = "phase: 1c\nOthon: b tournus bishop=2 cardinal=card\nThierry: c bourg bishop=4 cardinal=sale\n"
    stand = asked(hats + "Henri: a blaye bishop=1\nArthur: a blaye").option("stand")
    assert stand is not None
    (lord,) = stand.fields
    assert isinstance(lord, OneField) and [c.id for c in lord.choices] == ["Henri"]
