"""What can't be done is refused with a sentence: what is wrong, what would be right; and nothing has changed."""

from __future__ import annotations

import msgspec
import pytest

from engine import offers, procedure
from engine.asks import Answer, Refused, read
from engine.cloning import clone
from engine.fief import FIEF
from engine.fief.types import FiefState
from engine.match import check_offer, run_offer


def scene(text: str, *answers: str) -> FiefState:
    """A position of three, run to its first ask, after these answers: seat and answer."""
    state: FiefState = FIEF.read_position(f"fief: 1\nseats: a b c\nfirst: a\n{text}")
    procedure.begin(state)
    for line in answers:
        seat, _, said = line.partition(" ")
        procedure.play(state, seat, procedure.vet(state, seat, read(said)))
    return state


CROWN = "phase: 1d\nArthur: a blaye fief=blaye captor=b\nblaye.b: 1 maa\nHenri: a bourg fief=bourg\nOthon: b sigy fief=sigy"
COURT = "phase: 1a\nArthur: a blaye\nGuenievre: a bourg\nJeanne: b bourg\nHenri: a tournus bishop=2"
SHOP = "phase: 4b\nArthur: a blaye\nblaye: a stronghold\ncharolles: b\na.deniers: "
MILLS = "\n".join(
    f"{village}: c mills=2" for village in ("bourg", "villeneuve", "sennecy", "sigy", "marcamps", "mazilles", "pugnac")
)


@pytest.mark.parametrize(
    ("text", "answer", "said"),
    [
        (
            "phase: 5\nArthur: a blaye", "move moves=[(lords=[Arthur],to=bourg)]",
            "Row 1 of “moves”: No road leads from Blaye to Bourg; from Blaye they lead to La Salle and Charolles.",
        ),
        (
            "phase: 5\nArthur: a blaye", "move moves=[(lords=[Arthur],to=charolles,then=la_salle)]",
            "Row 1 of “moves”: No road leads from Charolles to La Salle.",
        ),
        (
            "phase: 5\nArthur: a blaye\nHenri: a bourg captor=b\nbourg.b: 1 maa", "move moves=[(lords=[Henri],to=villeneuve)]",
            "Row 1 of “moves”: Henri is no free Lord of yours.",
        ),
        (
            "phase: 5\nArthur: a blaye\nweather: heavy_rain 1", "move moves=[(lords=[Arthur],to=charolles)]",
            "Row 1 of “moves”: Heavy Rain bars every Move at Blaye.",
        ),
        (
            "phase: 5\nArthur: a blaye", "move moves=[(lords=[Arthur])]",
            "Row 1 of “moves”: Say where Arthur goes: from Blaye roads lead to La Salle and Charolles.",
        ),
        (
            "phase: 5\nArthur: a blaye", "move moves=[]",
            "Nobody sets out yet. Choose a Lord, then where he goes; whoever stays needs no row.",
        ),
        (f"{SHOP}9", "buy", "Nothing is on the list yet. Choose a thing, then where it goes or for whom it is, and buy."),
        (CROWN, "stand lord=Arthur", "Arthur is a captive: he neither stands nor votes until he is free."),
        (
            CROWN.replace("fief=bourg", "fief=bourg excommunicated") + "\nThierry: a marcamps fief=st_paul", "stand lord=Henri",
            "Henri is excommunicated, and neither stands nor votes until the Pope lifts it.",
        ),
        (
            f"{CROWN}\nQuentin: a bourg", "stand lord=Quentin",
            "Quentin can't stand: a King is a man of your own with a title, and none of the Church.",
        ),
        (
            COURT, "propose suits=[(lord=Arthur,other=Guenievre)]",
            "Arthur and Guenièvre are of one family; a marriage joins two players.",
        ),
        (COURT, "propose suits=[(lord=Henri,other=Jeanne)]", "Henri has a title of the Church and may not marry."),
        (
            f"{SHOP}20\n{MILLS}\nst_paul: c mills=1", "buy items=[(what=mill,at=blaye)]",
            "Row 1 of “items”: There is no counter left for a Mill: all are on the map, and one has to leave it first.",
        ),
        (
            f"{SHOP}20\nbourg: a\nbourg.a: 6 knights", "buy items=[(what=knight,at=blaye,n=3)]",
            "Row 1 of “items”: There is no counter left for so many: of Knights, 2 can be had until others leave the map.",
        ),
        (f"{SHOP}2", "buy items=[(what=mill,at=blaye)]", "Row 1 of “items”: That costs 3 Deniers, and 2 Deniers are left."),
        (f"{SHOP}20", "buy items=[(what=mill,at=charolles)]", "Row 1 of “items”: You don't control Charolles."),
        (
            f"{SHOP}20", "buy items=[(what=title,at=blaye,lord=Arthur)]",
            "Row 1 of “items”: The title of the Duchy of Blaye can't be had: it has to lie on the map, and you control all its "
            "villages, with a Stronghold.",
        ),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be(text: str, answer: str, said: str) -> None:  # FF-MOV-1, FF-KNG-2, FF-MAR-1, FF-PUR-3
    state = scene(text)
    before = clone(state)
    with pytest.raises(Refused) as refused:
        procedure.play(state, "a", procedure.vet(state, "a", read(answer)))
    assert str(refused.value) == said and state == before


BARGAIN = "phase: 5\nArthur: a blaye\na.deniers: 5\nHenri: b bourg\na.hand: taxes, uprising\nb.hand: taxes, ambush"


@pytest.mark.parametrize(
    ("offered", "seat", "left", "said"),
    [
        ("give_deniers=4", "a", 1, "A can't pay 4 Deniers any more; nothing was exchanged."),
        ("want_deniers=4", "b", 1, "That takes 4 Deniers, and you have 1 Denier; nothing was exchanged."),
        ("give_cards=[uprising]", "a", ["taxes"], "A can't give Uprising any more; nothing was exchanged."),
        (
            "give_cards=[uprising]",
            "b",
            ["taxes", "ambush", "justice"],
            "B has room for 0 cards only: a hand holds 3 cards, and what goes out of it makes room.",
        ),
    ],
)
def test_an_exchange_whose_part_has_become_impossible(
    offered: str, seat: str, left: int | list[str], said: str
) -> None:  # FF-DIP-9
    state = scene("phase: 5\nArthur: a blaye\na.deniers: 5\nHenri: b bourg\na.hand: taxes, uprising\nb.hand: taxes, ambush")
    run_offer(FIEF, state, "a", "exchange", check_offer(FIEF, state, "a", "exchange", read(f"propose to=b {offered}")))
    number, ask = offers.proposals(state, "b")[0]
    if isinstance(left, int):
        state.table.families[seat].deniers = left
    else:
        state.table.families[seat].hand = left
    before = clone(state)
    with pytest.raises(Refused) as refused:
        run_offer(FIEF, state, "b", ask.kind, check_offer(FIEF, state, "b", ask.kind, Answer("accept"), number), number)
    assert str(refused.value) == said and state.table.families == before.table.families


def test_what_the_other_can_give_is_told_only_where_nothing_else_stands_in_the_way() -> None:  # FF-DIP-9
    state = scene(BARGAIN)
    terms = read("propose to=b give_cards=[uprising] want_cards=[ambush]")
    run_offer(FIEF, state, "a", "exchange", check_offer(FIEF, state, "a", "exchange", terms))
    number, ask = offers.proposals(state, "b")[0]
    said = []
    for _ in range(2):
        state.table.families["b"].markers = 0
        with pytest.raises(Refused) as refused:
            check_offer(FIEF, state, "b", ask.kind, Answer("accept"), number)
        said.append(str(refused.value))
        state.table.families["a"].hand = ["taxes"]
    assert said[0] == said[1] and "marker" in said[0]


def test_who_proposes_more_than_he_has_is_told_what_he_has() -> None:  # FF-DIP-9, FF-RAN-3
    state = scene("phase: 4b\nArthur: a blaye\na.deniers: 5\nHenri: a bourg fief=sigy captor=b\nbourg.b: 1 maa")
    terms = read("propose to=b give_deniers=4 give_ransom=2 want_captives=[Henri]")
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "a", "exchange", terms)
    assert str(refused.value) == "That takes 6 Deniers, and you have 5 Deniers; nothing was exchanged."


def test_a_title_for_an_unknown_lord_is_refused_by_the_form() -> None:  # FF-PUR-1
    state = scene("phase: 4b\nArthur: a blaye\nblaye: a\nblaye.a: 1 maa\na.deniers: 1")
    with pytest.raises(Refused) as refused:
        procedure.play(state, "a", read("buy items=[(what=title,at=blaye,lord=Nobody)]"))
    assert str(refused.value) == "Row 1 of “items”: “what” can't be “title”. Open to you: maa."


def test_a_card_inside_a_chain_waits_until_the_chain_is_over() -> None:  # FF-ASY-7
    state = scene(
        "phase: 5\nArthur: a blaye\nOthon: b sigy king\nHenri: c bourg assassin\n"
        "a.hand: assassination, justice\nb.hand: secret_passage, taxes"
    )
    run_offer(FIEF, state, "a", "assassination", read("play lord=Othon sponsor=Arthur"))
    assert state.stack[-1].step == "shield"
    with pytest.raises(Refused, match="Something else has to be settled first"):
        check_offer(FIEF, state, "a", "justice", read("play lord=Henri"))


def test_a_relic_for_a_lord_without_a_marker_is_refused_before_anything_is_played() -> None:  # FF-OPT-3
    state = scene("phase: 4b\nHenri: a tournus relic=grail\nOthon: a tournus\na.markers: 0\na.deniers: 5")
    state.table.options = msgspec.structs.replace(state.table.options, holy_relics=True)
    before = clone(state)
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "a", "give_relic", read("give relic=grail/Othon"))
    assert str(refused.value) == "That takes 1 Diplomacy marker of A, who has 0." and state == before
