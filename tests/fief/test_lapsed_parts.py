"""Refusals of what was legal when it was proposed, of incomplete rows; and who is told what of purchases in the Fog of War."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.core import offers, procedure
from engine.core.asks import NotLegal, Refused, read
from engine.core.cloning import clone
from engine.fief.rules.playing import Plays
from engine.fief.rules.realm.table import Table
from engine.fief.rules.types import FiefState
from engine.games import game_called
from engine.language.words import say
from engine.play.match import check_offer, run_offer

FIEF = game_called("fief")


def scene(text: str) -> FiefState:
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


def let(what: str, id: str, **new: object) -> Callable[[Table], None]:
    """A change of the table meanwhile, to a Lord or a village."""

    def change(table: Table) -> None:
        for name, value in new.items():
            setattr(getattr(table, what)[id], name, value)

    return change


def gone(id: str) -> Callable[[Table], object]:
    return lambda table: table.lords.pop(id)


CAPTIVE = "Arthur: a blaye\nHenri: b blaye captor=a\nblaye.a: 1 maa\nCharles: b bourg\na.deniers: 5\nb.deniers: 9\n"
LAND = "phase: 5\nArthur: a blaye\nblaye: a\nblaye.a: 1 maa\nHenri: b blaye\nblaye.b: 1 maa\na.deniers: 5\nb.deniers: 5\n"
WED = (
    "phase: 5\nOthon: a sigy pope bishop=5\nArthur: b blaye spouse=Guenievre\nGuenievre: c bourg spouse=Arthur\nb.deniers: 5\n"
)


@pytest.mark.parametrize(
    ("text", "proposed", "change", "said"),
    [
        (LAND, "give_villages=[blaye]", let("villages", "blaye", controller="c"), "A doesn't control Blaye."),
        (
            LAND, "give_passage=[blaye]", let("villages", "blaye", controller="c", troops={}),
            "A neither controls Blaye nor has Troops there, and so bars nobody's way.",
        ),
        (
            f"phase: 4a\n{CAPTIVE}", "give_captives=[Henri]", let("lords", "Henri", captor=""),
            "Henri isn't a captive you can take along.",
        ),
        (f"phase: 4a\n{CAPTIVE}", "give_captives=[Henri]", gone("Henri"), "Henri isn't a captive you can take along."),
        (
            f"phase: 4a\n{CAPTIVE}", "give_captives=[Henri] want_ransom=2", lambda t: setattr(t, "phase", "5"),
            "A ransom is paid in step 4a, or in your own turn of step 4b; at any other time Deniers need a Diplomacy marker.",
        ),
        (
            WED, "give_annul=Arthur", let("lords", "Othon", captor="c"),
            "There is no free Pope of that family.",
        ),
        (WED, "give_annul=Arthur", let("lords", "Arthur", spouse=""), "Arthur is not married."),
        (WED, "give_annul=Arthur", gone("Arthur"), "Arthur is not married."),
        (
            WED, "give_annul=Arthur",
            let("lords", "Arthur", seat="c"),
            "Only the families of Arthur and of the spouse can ask the Pope for an annulment.",
        ),
    ],
)  # fmt: skip
def test_a_part_of_an_exchange_that_has_gone(
    text: str, proposed: str, change: Callable[[Table], object], said: str
) -> None:  # FF-DIP-9, FF-CTL-4, FF-RAN-4, FF-MAR-11, FF-MOV-7
    state = scene(text)
    order = read(f"propose to=b {proposed}")
    run_offer(FIEF, state, "a", "exchange", check_offer(FIEF, state, "a", "exchange", order))
    number, ask = offers.proposals(state, "b")[0]
    same = clone(state)
    check_offer(FIEF, same, "b", ask.kind, read("accept"), number)
    change(state.table)
    before = clone(state)
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "b", ask.kind, read("accept"), number)
    assert str(refused.value) == said and state == before


SHOP = "phase: 4b\nArthur: a blaye\nblaye: a stronghold mills=2\nHenri: a bourg bishop=4\na.deniers: 20\n"


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("what=mill", "Choose a village for a Mill."),
        ("what=maa,n=1", "Choose a village for Men-at-Arms."),
        ("what=title,at=blaye", "Choose a Lord for the Fief's title."),
        ("what=cardinal", "Choose a Lord for a Cardinal's hat."),
        ("what=cardinal,lord=Arthur", "Arthur isn't a Bishop who could get a hat."),
        ("what=mill,at=blaye,n=2", "Buy a Mill one at a time; only Troops come in numbers."),
        ("what=mill,at=blaye", "Blaye has 2 Mills already and can't have more."),
        ("what=stronghold,at=blaye", "Blaye has"),
    ],
)
def test_a_line_of_purchases_that_lacks_something(item: str, said: str) -> None:  # FF-PUR-1, FF-PUR-4, FF-CAR-3
    state = scene(SHOP)
    before = clone(state)
    with pytest.raises(Refused) as refused:
        procedure.vet(state, "a", read(f"buy items=[({item})]"))
    assert said in str(refused.value) and state == before


def test_in_the_fog_others_hear_how_many_troops_came_and_not_which_where() -> None:  # FF-OPT-10
    state = scene(
        "options: fog_of_war\nphase: 4b\nArthur: a blaye\nblaye: a stronghold\nHenri: a bourg\nbourg: a\na.deniers: 20\n"
    )
    items = "(what=maa,at=blaye,n=2),(what=knight,at=blaye,n=1),(what=knight,at=bourg,n=1),(what=mill,at=blaye)"
    news = procedure.play(state, "a", read(f"buy items=[{items}]"))
    told = [(e.kind, dict(e.facts), e.only, tuple(e.but)) for e in news if e.kind in ("bought", "reinforced")]

    def bought(what: str, n: int, village: str) -> dict[str, object]:
        return {"seat": "a", "what": what, "n": n, "village": village}

    assert told == [
        ("bought", bought("maa", 2, "blaye"), ("a",), ()),
        ("bought", bought("knight", 1, "blaye"), ("a",), ()),
        ("bought", bought("knight", 1, "bourg"), ("a",), ()),
        ("bought", bought("mill", 1, "blaye"), None, ()),
        ("bought", bought("knight", 2, ""), None, ("a",)),
        ("bought", bought("maa", 2, ""), None, ("a",)),
        ("reinforced", {"seat": "a", "n": 3, "village": "blaye"}, None, ("a",)),
        ("reinforced", {"seat": "a", "n": 1, "village": "bourg"}, None, ("a",)),
    ]


FIGHT = (
    "phase: 6a\nArthur: a blaye on=charolles\nHenri: b blaye\nblaye: b\nblaye.a: 3 maa on charolles\nblaye.b: 2 maa\n"
    "blaye.c: 1 maa on la_salle\n"
)


@pytest.mark.parametrize(
    ("text", "answer", "said"),
    [
        (
            "phase: 5\nArthur: a blaye\nblaye.a: 1 maa\nHenri: b bourg captor=a\nbourg.a: 1 maa",
            "move moves=[(lords=[Arthur],captives=[Henri],to=charolles)]", "Henri isn't a captive you can take along.",
        ),
        ("phase: 2c\nArthur: a blaye\na.hand: plague", "harvest on=blaye", "You don't hold Bountiful Harvest."),
    ],
)  # fmt: skip
def test_a_march_or_a_card_that_cannot_be(text: str, answer: str, said: str) -> None:  # FF-MOV-1, FF-MOV-15, FF-PLY-1
    state = scene(text)
    before = clone(state)
    with pytest.raises(Refused) as refused:
        procedure.vet(state, "a", read(answer))
    assert said in str(refused.value) and state == before


@pytest.mark.parametrize(
    ("hand", "answer", "said"),
    [
        ("ambush", "card=ambush", "Say which Lord the Ambush is for."),
        ("ambush", "lord=Arthur", "Only an Ambush is for a Lord; choose the card too."),
    ],
)
def test_a_card_in_a_battle_that_cannot_be(hand: str, answer: str, said: str) -> None:  # FF-BAT-3
    state = scene(f"{FIGHT}b.hand: {hand}\n")
    procedure.play(state, "a", read("attack at=blaye against=[b]"))
    procedure.play(state, "c", read("neutral"))
    ask = procedure.ask_of(state, "b")
    with pytest.raises(Refused) as refused:
        procedure.vet(state, "b", read(f"{ask.options[0].id} {answer}"))
    assert said in str(refused.value)


def test_a_wedding_whose_bride_has_gone_meanwhile_is_refused() -> None:  # FF-DIP-9, FF-MAR-3
    state = scene("phase: 1a\nQuentin: a blaye\nJeanne: b bourg\n")
    run_offer(FIEF, state, "a", "exchange", read("propose to=b lord=Quentin other=Jeanne"))
    number, ask = offers.proposals(state, "b")[0]
    del state.table.lords["Jeanne"]
    with pytest.raises(NotLegal) as refused:
        check_offer(FIEF, state, "b", ask.kind, read("accept"), number)
    assert refused.value.said == say("fief.no_wedding_now")


def test_a_turn_goes_on_if_the_card_that_was_to_end_it_is_gone() -> None:  # FF-PLY-1
    state = scene("phase: 2c\na.hand: Lambert, justice\nblaye: b\nblaye.b: 1 maa\n")
    procedure.play(state, "a", read("lord card=Lambert at=blaye after=end"))
    assert procedure.ask_of(state, "b").kind == "host"
    state.table.families["a"].hand.remove("Lambert")
    procedure.play(state, "b", read("yes"))
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").kind == "play"


def test_a_lord_whom_every_host_has_refused_cannot_be_played() -> None:  # FF-LRD-3
    state = scene("phase: 2c\na.hand: Lambert, justice\n")
    plays = state.stack[-1]
    assert isinstance(plays, Plays)
    plays.refused = list(state.table.villages)
    with pytest.raises(Refused, match=r"^There is no village where a new Lord could be placed\.$"):
        procedure.vet(state, "a", read("lord card=Lambert at=blaye"))
    with pytest.raises(Refused, match=r"^You don't hold Bountiful Harvest\.$"):
        procedure.vet(state, "a", read("harvest on=blaye"))


@pytest.mark.parametrize(("lord", "asked"), [("Henri", "prince"), ("Jeanne", "play")])
def test_no_lady_is_born_crown_prince(lord: str, asked: str) -> None:  # FF-CPR-1
    state = scene(
        "phase: 2c\nOthon: b sigy king fief=sigy spouse=Blanche\nBlanche: a bourg queen=queen spouse=Othon\nbourg: a\n"
        f"a.hand: {lord}, justice\n"
    )
    procedure.play(state, "a", read(f"lord card={lord} at=bourg"))
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").kind == asked
