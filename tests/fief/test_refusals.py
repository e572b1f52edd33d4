"""What can't be done is refused with a sentence: what is wrong, what would be right; and nothing has changed."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from engine.core import offers, procedure
from engine.core.asks import Answer, Refused, read
from engine.core.cloning import clone
from engine.fief import FIEF
from engine.fief.rules.realm.table import Table
from engine.fief.rules.types import FiefState
from engine.play.match import check_offer, run_offer


def scene(text: str, *answers: str) -> FiefState:
    """A position of three, run to its first ask, after these answers: seat and answer."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\nfirst: a\n{text}")
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
WALLS = "\n".join(
    f"{village}: c stronghold"
    for village in (
        "beaujeu", "la_salle", "charolles", "sennecy", "lepervier", "chateauneuf", "mazilles", "st_andromy", "tournus",
        "belleville", "pugnac", "st_medard",
    )
)  # fmt: skip
"""Every Stronghold of the box."""


@pytest.mark.parametrize(
    ("text", "answer", "said"),
    [
        (
            "phase: 5\nArthur: a blaye", "move moves=[(lords=[Arthur],to=bourg)]",
            "Line 1: No road leads from Blaye to Bourg; from Blaye they lead to La Salle and Charolles.",
        ),
        (
            "phase: 5\nArthur: a blaye", "move moves=[(lords=[Arthur],to=charolles,then=la_salle)]",
            "Line 1: No road leads from Charolles to La Salle.",
        ),
        (
            "phase: 5\nArthur: a blaye\nHenri: a bourg captor=b\nbourg.b: 1 maa", "move moves=[(lords=[Henri],to=villeneuve)]",
            "Line 1: Henri isn't a free Lord of yours.",
        ),
        (
            "phase: 5\nArthur: a blaye\nweather: heavy_rain 1", "move moves=[(lords=[Arthur],to=charolles)]",
            "Line 1: Heavy Rain bars every Move at Blaye.",
        ),
        (
            "phase: 5\nArthur: a blaye", "move moves=[(lords=[Arthur])]",
            "Line 1: Say where Arthur goes: from Blaye roads lead to La Salle and Charolles.",
        ),
        (
            "phase: 5\nArthur: a blaye",
            "move moves=[(lords=[Arthur],to=charolles),(lords=[Arthur],to=lepervier),(maa=1,to=blaye)]",
            "Line 3: Choose the Lord who leads this march.",
        ),
        (
            "phase: 5\nArthur: a blaye", "move moves=[]",
            "Nobody marches yet. Choose the Lord who leads, then where he goes.",
        ),
        (f"{SHOP}9", "buy", "You have chosen nothing yet. Choose what to buy and where it goes."),
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
            f"{COURT}\nQuentin: b bourg", "propose suits=[(lord=Arthur,other=Quentin)]",
            "A marriage is between a Lord and a Lady; choose one of each.",
        ),
        (
            f"{COURT}\nQuentin: b bourg", "propose suits=[(lord=Quentin,other=Jeanne)]",
            "Line 1: “lord” can't be “Quentin”. Open to you: Arthur, Guenievre.",
        ),
        (COURT, "propose suits=[(lord=Arthur,other=Nobody)]", "Line 1: “other” can't be “Nobody”. Open to you: Jeanne."),
        (f"{SHOP}20", "buy items=[(at=blaye)]", "Line 1: Choose what to buy."),
        (
            f"{SHOP}20\nOthon: a sigy king fief=sigy captor=b\nsigy: b\nsigy.b: 1 maa", "gift title=sigy/Arthur",
            "Othon is a captive and can't give a Fief title away.",
        ),
        (
            "phase: 4b\nCharles: a mazilles\nmazilles: a stronghold\nst_andromy: a\na.deniers: 30",
            "buy items=[(what=title,at=st_andromy,lord=Charles)]",
            "Line 1: St Andromy has no Stronghold of yours that could become the Fortified City.",
        ),
        (
            "phase: 6a\nArthur: a blaye\nblaye.a: 3 maa\nblaye: b stronghold engine=a/1\nHenri: b blaye\nblaye.b: 1 maa",
            "done hold=[blaye] lift=[blaye]", "The siege of Blaye can be held or lifted, not both.",
        ),
        (
            "phase: 6a\nArthur: a blaye\nblaye.a: 3 maa\nblaye.b: 1 maa\nHenri: a bourg\nbourg.a: 3 maa\nbourg.c: 1 maa",
            "attack at=blaye against=[c]", "C is not at Blaye.",
        ),
        (
            f"{SHOP}20\n{MILLS}\nst_paul: c mills=1", "buy items=[(what=mill,at=blaye)]",
            "Line 1: There is no counter left for a Mill: all are on the map, and one has to leave it first.",
        ),
        (
            f"phase: 4b\nArthur: a blaye\nblaye: a\na.deniers: 20\n{WALLS}", "buy items=[(what=stronghold,at=blaye)]",
            "Line 1: There is no counter left for a Stronghold: all are on the map, and one has to leave it first.",
        ),
        (
            f"{SHOP}20\nbourg: a\nbourg.a: 6 knights", "buy items=[(what=knight,at=blaye,n=3)]",
            "Line 1: Only 2 more of Knights can be placed until others leave the map.",
        ),
        (f"{SHOP}2", "buy items=[(what=mill,at=blaye)]", "Line 1: That costs 3 Deniers, and you have 2 Deniers."),
        (
            "phase: 4a\na.deniers: 6\nArthur: a bourg bishop=1 captor=b\nHenri: a bourg captor=b\nbourg.b: 1 maa",
            "less captive=Henri sum=2",
            "The full ransom of Henri is 2 Deniers; offer no more.",
        ),
        (
            "phase: 4b\nArthur: a mazilles\nHenri: a blaye captor=b\nOthon: a blaye captor=b bishop=5\nblaye: b\n"
            "blaye.b: 1 maa\na.deniers: 19",
            "ransom captive=Henri sum=4", "The full ransom of Henri is 2 Deniers; offer no more.",
        ),
        (f"{SHOP}20", "buy items=[(what=mill)]", "Line 1: Choose a village for a Mill."),
        (f"{SHOP}20", "buy items=[(what=mill,at=charolles)]", "Line 1: You don't control Charolles."),
        (
            f"{SHOP}20", "buy items=[(what=title,at=blaye,lord=Arthur)]",
            "Line 1: You can't buy the title of the Duchy of Blaye: it must be unclaimed, and you must control all its "
            "villages, one with a Stronghold.",
        ),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be(
    text: str, answer: str, said: str
) -> None:  # FF-MOV-1, FF-KNG-2, FF-MAR-1, FF-PUR-3, FF-RAN-3
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
    assert str(refused.value) == "Line 1: “what” can't be “title”. Open to you: maa."


def test_a_card_inside_a_chain_waits_until_the_chain_is_over() -> None:  # FF-ASY-7
    state = scene(
        "phase: 5\nArthur: a blaye\nOthon: b sigy king\nHenri: c bourg assassin\n"
        "a.hand: assassination, justice\nb.hand: secret_passage, taxes"
    )
    run_offer(FIEF, state, "a", "assassination", read("play lord=Othon sponsor=Arthur"))
    assert state.stack[-1].step == "shield"
    with pytest.raises(Refused, match="Something else comes first"):
        check_offer(FIEF, state, "a", "justice", read("play lord=Henri"))


def test_a_relic_for_a_lord_without_a_marker_is_refused_before_anything_is_played() -> None:  # FF-OPT-3
    state = scene("phase: 4b\nHenri: a tournus relic=grail\nOthon: a tournus\na.markers: 0\na.deniers: 5")
    state.table.options = msgspec.structs.replace(state.table.options, holy_relics=True)
    before = clone(state)
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "a", "give_relic", read("give relic=grail/Othon"))
    assert str(refused.value) == "That takes 1 Diplomacy marker of A, who has 0." and state == before


RELIC = "phase: cp1\ntournus: b relic=grail\ntournus.b: 1 maa\nHenri: a tournus on=pugnac bishop=2\n"
LENT = "phase: cp1\nblaye: b\nblaye.b: 1 maa\nOthon: a blaye relic=grail\nHenri: b blaye on=charolles\n"
NO_RELIC = "The Holy Grail can't be had there now."


@pytest.mark.parametrize(
    ("text", "how", "change", "said"),
    [
        (RELIC, "take", lambda t: setattr(t.lords["Henri"], "captor", "b"), "Henri isn't a free Lord of yours."),
        (RELIC, "take", lambda t: t.lords.pop("Henri"), "Henri isn't a free Lord of yours."),
        (RELIC, "take", lambda t: setattr(t.villages["tournus"], "relics", ()), NO_RELIC),
        (LENT, "give", lambda t: setattr(t.lords["Othon"], "at", "bourg"), NO_RELIC),
        (LENT, "give", lambda t: setattr(t.lords["Othon"], "relics", ()), NO_RELIC),
    ],
    ids=["a captive", "a dead Lord", "no relic there", "the bearer is elsewhere", "nobody bears it"],
)
def test_a_relic_changes_hands_only_while_both_are_there(
    text: str, how: str, change: Callable[[Table], object], said: str
) -> None:  # FF-OPT-2, FF-OPT-3
    state = scene(text)
    state.table.options = msgspec.structs.replace(state.table.options, holy_relics=True)
    run_offer(FIEF, state, "a", f"{how}_relic", read(f"{how} relic=grail/Henri"))
    number, ask = offers.proposals(state, "b")[0]
    change(state.table)
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "b", ask.kind, read("accept"), number)
    assert str(refused.value) == said


CAPTIVE = "phase: 4a\nArthur: a blaye\nHenri: a bourg captor=b\nbourg.b: 1 maa\na.deniers: 9"
CONSENT = "phase: 5\nEric: a sigy pope bishop=5\nHenri: b tournus bishop=2\na.deniers: 5\nb.deniers: 5"
GIFT = (
    "phase: 4b\nOthon: a sigy king fief=sigy\nsigy: a\nHenri: b bourg\nblaye: b stronghold\nla_salle: b\nbeaujeu: b\n"
    "charolles: b\na.deniers: 5"
)
NO_GIFT = "Only a free King or Queen Regent gives titles, in his or her family's purchase turn."
CROWNED = (
    "phase: 5\nEric: b sigy pope bishop=5\nOthon: a sigy king fief=sigy spouse=Guenievre\n"
    "Guenievre: c bourg spouse=Othon queen=queen\nArthur: a blaye"
)


@pytest.mark.parametrize(
    ("text", "kind", "offer", "change", "said"),
    [
        (
            BARGAIN, "exchange", "propose to=b want_cards=[taxes]", lambda t: t.families["b"].hand.remove("taxes"),
            "Taxes is not in your hand; nothing was exchanged.",
        ),
        (
            CAPTIVE, "exchange", "propose to=b give_ransom=2 want_captives=[Henri]",
            lambda t: setattr(t.lords["Henri"], "seat", "c"),
            "A ransom is for your own Lords that come back, and at most their full sum: 2 Deniers.",
        ),
        (
            CONSENT, "exchange", "propose to=b give_consent=Henri", lambda t: setattr(t.lords["Eric"], "pope", False),
            "There is no free Pope of that family.",
        ),
        (
            CONSENT, "exchange", "propose to=b give_consent=Henri", lambda t: setattr(t.lords["Henri"], "cardinal", "card"),
            "Henri isn't a Bishop who could get a hat.",
        ),
        (
            GIFT, "exchange", "propose to=b give_title=blaye/Henri/blaye", lambda t: setattr(t.lords["Othon"], "captor", "c"),
            NO_GIFT,
        ),
        (GIFT, "exchange", "propose to=b give_title=blaye/Henri/blaye", lambda t: setattr(t, "buying", "b"), NO_GIFT),
        (
            CROWNED, "annulment", "ask lord=Othon", lambda t: setattr(t.lords["Arthur"], "prince", True),
            "The marriage of King and Queen can't be annulled while a Crown Prince is in play.",
        ),
        (
            CROWNED, "annulment", "ask lord=Othon", lambda t: setattr(t.lords["Othon"], "spouse", ""), "Othon is not married.",
        ),
        (
            CROWNED, "annulment", "ask lord=Othon", lambda t: setattr(t.lords["Eric"], "captor", "c"),
            "There is no free Pope of that family.",
        ),
    ],
)  # fmt: skip
def test_what_was_possible_when_it_was_proposed_is_refused_once_it_is_not(
    text: str, kind: str, offer: str, change: Callable[[Table], None], said: str
) -> None:  # FF-DIP-9, FF-RAN-4, FF-MAR-11
    state = scene(text)
    run_offer(FIEF, state, "a", kind, check_offer(FIEF, state, "a", kind, read(offer)))
    number, ask = offers.proposals(state, "b")[0]
    same = clone(state)
    check_offer(FIEF, same, "b", ask.kind, read("accept"), number)
    change(state.table)
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "b", ask.kind, read("accept"), number)
    assert str(refused.value) == said


def test_an_uprising_is_not_against_an_army_that_is_elsewhere() -> None:  # FF-UPR-5
    state = scene("phase: cp1\na.hand: uprising\ntournus.b: 1 maa\nmazilles.c: 1 maa\ntournus.c: 1 maa\nweather: famine 2")
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "a", "uprising", read("play at=mazilles cards=1 first=b"))
    assert str(refused.value) == "B is not at Mazilles."
    check_offer(FIEF, state, "a", "uprising", read("play at=mazilles cards=1 first=c"))


def test_a_marriage_of_one_lord_is_refused_before_it_is_proposed() -> None:  # FF-DIP-9
    state = scene("phase: 1a\nArthur: a blaye\nJeanne: b bourg")
    with pytest.raises(Refused) as refused:
        check_offer(FIEF, state, "a", "exchange", read("propose to=b lord=Arthur"))
    assert str(refused.value) == "A marriage needs your Lord and the other's; choose both or neither."


def test_who_has_a_marriage_is_not_proposed_to() -> None:  # FF-MAR-2
    married = "Philippe: b sigy spouse=Blanche\nBlanche: c sigy spouse=Philippe\nMireille: d marcamps"
    state = FIEF.rules.notation.read(f"fief: 1\nseats: a b c d\nfirst: a\n{COURT}\n{married}")
    procedure.begin(state)
    with pytest.raises(Refused) as refused:
        procedure.vet(state, "a", read("propose suits=[(lord=Arthur,other=Jeanne)]"))
    assert str(refused.value) == "B has a marriage already; a player has one at most."


def test_a_day_that_the_calendar_lacks_is_refused() -> None:  # FF-SO-24
    with pytest.raises(Refused) as refused:
        FIEF.orders.vet("SO-24", read("date month=feb day=30"))
    assert str(refused.value) == "The calendar has no such day."


def test_a_card_that_cant_be_played_now_keeps_its_verb_with_the_reason() -> None:  # FF-TAX-1, FF-FOR-3
    state = scene(
        "phase: 2c\nArthur: a blaye\nblaye: a\na.hand: taxes, good_weather\n"
        "weather: famine 1, famine 2, famine 3, good_weather 4, good_weather 5\n"
    )
    shut = {one.id: one.why.code for one in procedure.shut(state, "a", procedure.ask_of(state, "a"))}
    assert (shut["tax"], shut["weather"]) == ("fief.no_levy", "fief.no_see")


def test_no_march_is_offered_where_heavy_rain_bars_every_move() -> None:  # FF-DIS-3, FF-MOV-12, FF-SEC-3
    wet = "phase: 5\nArthur: a blaye\nHenri: a tournus\nweather: heavy_rain 1, heavy_rain 2\n"

    def offered(text: str) -> tuple[list[str], dict[str, str]]:
        state = scene(text)
        ask = procedure.ask_of(state, "a")
        return [o.id for o in ask.options], {one.id: one.why.code for one in procedure.shut(state, "a", ask)}

    assert offered(wet) == (["done"], {"move": "fief.rained_in"})
    assert offered(wet + "Othon: a bourg") == (["move", "done"], {}), "one of them is dry"
    assert offered(wet + "a.hand: secret_passage") == (["move", "done"], {})
