"""What a step of one's own Turn will surely do, in words, before it is taken; and that it comes so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.core.asks import read
from engine.language.words import NOBODY
from engine.ortus import ORTUS
from engine.ortus.rules.pieces import SEND
from tests.ortus.test_decisions import scene


def ahead(text: str, line: str) -> str:
    """What is said of an answer of the first Earl's in that position, which it doesn't change."""
    s = scene(text)
    before = ORTUS.rules.encode(s.state)
    said = ORTUS.face.preview(s.state, "a", read(line), NOBODY)
    assert ORTUS.rules.encode(s.state) == before
    return said


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            "a.hand: Castle",
            "castle card=Castle/a",
            "your Fief 2, without a Lord or Property yet. A Siege destroys it with 2 points",
        ),
        (
            "a.F1: Palace (-) {MarketTown}\na.hand: Land",
            "place card=Land/a fief=F1",
            "You draw 2 Army Cards. Your Lands then let you field 2 ",
        ),
        (
            "a.F1: Palace (-) {2 Land}\na.hand: MarketTown",
            "place card=MarketTown/a fief=F1",
            "you can field 4 from your Reserve",
        ),
        ("a.hand: Cathedral", "place card=Cathedral/a fief=F1", "you hold the only Cathedral"),
        ("a.hand: Church", "place card=Church/a fief=F1", "It belongs to Fief 1, and counts"),
        ("a.hand: Champion", "install card=Champion/a fief=F1", "The Champion becomes Lord of Fief 1"),
        (
            "a.F1: Palace (Monk) {}\na.hand: Vassal",
            "install card=Vassal/a fief=F1",
            "The Monk who is Lord there now is discarded",
        ),
        ("a.hand: 3 Land", "tower cards=[Land/a,Land/a]", "You then have 2 Towers, and 1 card in your Hand."),
        (
            "a.hand: Mercenary",
            "mercenary",
            "It sends 2 points, needs no Land, and has room for one garrison card. You then have 1 Mercenary.",
        ),
        ("a.M1: Mercenary (-)\na.reserve: 2 Knight", "garrison card=Knight slot=mercenary:1", "Your Reserve then has 1 card."),
        (
            "a.F1: Palace (-) {MarketTown, 2 Land}\na.reserve: Knight",
            "recruit",
            "You draw 2 Army Cards. Your Reserve then has 3 cards, and your Lands let you field 4 in a battle.",
        ),
        (
            "a.hand: Monk",
            "emissary card=Monk/a",
            "You then have 3 cubes in the Bag, 2 of them new. The longship comes nearer: 1 of 8.",
        ),
        (
            "a.F1: Palace (Prince) {}\na.hand: Banner\na.discard: 2 Land",
            "bequeath",
            "He, the Banner and your discard pile are shuffled into your deck, which then has 9 cards.",
        ),
        ("a.hand: Banner", "display", "You then show 1 Banner; the most that another shows is 0."),
        ("a.hand: Banner\na.banners: Banner", "display", "you become King. All displayed"),
        ("a.hand: Banner\na.banners: Banner\nb.banners: Banner", "display", "With two or more, and two ahead"),
        ("a.hand: Banner", "joust", "Your Banner is spent, even if nobody enters."),
        (
            "a.hand: Treachery\nb.F1: Palace (Vassal) {Land}",
            "treachery aim=lord:b:F1",
            "Fief 1 is lost with him: Palace, Land.",
        ),
        ("a.hand: Treachery\nb.F1: Palace (Prince) {Land}", "treachery aim=lord:b:F1", "Fief 1 stands"),
        ("a.hand: Treachery\nb.hand: Land", "treachery aim=hand:b", "that Hand loses 2 cards drawn at random"),
        (
            "a.hand: Intrigue\nb.F1: Palace (-) {3 Land}",
            "intrigue aim=properties:b:F1",
            "2 of its 3 Properties come to Fiefs of yours.",
        ),
        ("a.hand: Intrigue\nb.reserve: Knight", "intrigue aim=armies:b", "you take an Army Card from that Reserve."),
        ("a.hand: Intrigue\nb.reserve: 3 Knight", "intrigue aim=armies:b", "you take 2 Army Cards from that Reserve."),
        ("a.hand: Intrigue\nb.M1: Mercenary (-)", "intrigue aim=mercenary:b:1", "that Mercenary is yours"),
        ("a.F1: Palace (Monk) {Church}\nb.hand: 3 Land", "monastery target=b", "as it is now: 3 cards."),
        ("", "end", "You draw a card; 4 are left in your deck."),
    ],
)
def test_a_step_says_what_follows_from_it(text: str, line: str, words: str) -> None:
    # D-11 to D-27: nothing of it is hidden, and only what is drawn is left to chance.
    assert words in ahead(text, line)


PREVIEWS = (Path(__file__).parent / "previews.txt").read_text("utf-8").strip().split("\n\n")
"""Positions, an answer to each, and below them all that is said of it."""


@pytest.mark.parametrize("block", PREVIEWS, ids=lambda block: block.partition("\n  ")[0].replace("\n", " / "))
def test_all_that_is_said_of_a_step(block: str) -> None:
    # D-11 to D-27, OR-OBJ-1 to 4, OR-REC-1, 2, OR-EMI-1, OR-KING-2, OR-TRE-4 to 6, OR-INT-4 to 6, OR-AMB-5
    text, _, said = block.partition("\n  ")
    position, _, line = f"\n{text}".rpartition("\n> ")
    assert ahead(position, line) == said


def test_what_is_said_of_a_recruit_is_what_comes() -> None:
    # OR-REC-1, 2: the count is cut to what the Army Deck has left.
    s = scene("a.F1: Palace (-) {MarketTown, Land}\narmy: Knight\narmy-discard:")
    assert "You draw an Army Card. Your Reserve then has 1 card" in ORTUS.face.preview(s.state, "a", read("recruit"), NOBODY)
    s.play("a: recruit")
    assert len(s.earl("a").reserve) == 1


@pytest.mark.parametrize(
    ("defence", "line", "spare"),
    [
        ("b.F1: Castle (-) {}\nb.towers: 2 Monk", "siege:b:F1", "up to 4 cards"),
        ("b.F1: Palace (-) {}\nb.towers: 4 Monk", "siege:b:F1", "a single card"),
        ("b.F1: Palace (-) {}\nb.towers: 5 Monk", "siege:b:F1", ""),
        ("b.F1: Palace (-) {}\nb.towers: 6 Monk", "siege:b:F1", ""),
        ("b.F1: Palace (-) {Land}\nb.towers: 5 Monk", "raid:b:F1", "up to 2 cards"),
        ("b.F1: Palace (-) {Land}\nb.towers: 6 Monk, 2 Castle", "raid:b:F1", ""),
        ("b.towers: Monk", "tower:b", "up to 7 cards"),
    ],
)
def test_an_attack_says_how_much_defence_it_can_take(defence: str, line: str, spare: str) -> None:
    # OR-OBJ-1 to 4: each card that is fielded absorbs a point, each Tower another, and the object needs its own.
    said = ahead(
        f"a.F1: Palace (Champion) {{}}\na.hand: 3 Champion\n{defence}",
        f"attack target={line} lords=[lord:F1] hand=[Champion/a*3]",
    )
    assert "You send 8 points" in said
    found = re.search(r"if the defender fields (a single card|up to \d+ cards)", said)
    assert (found[1] if found else "") == spare


def test_an_attack_names_the_battle_cards_that_may_come_where_they_can_be_counted() -> None:
    # OR-AMB-5, OR-AMB-6, OR-BAT-5: what was drawn lies open, so what is left is known, and the order of it isn't.
    text, line = (
        "a.F1: Palace (Champion) {}\na.hand: Champion\nb.F1: Castle (-) {}\nbattle-discard: 2 DW, CD\n"
        "battle: 15 NB, 3 AW, DW, 2 CD",
        "attack target=siege:b:F1 lords=[lord:F1] hand=[Champion/a]",
    )
    assert "“Defender Wins” is on 1 of the 21 Battle Cards left, “Church Decides” on 2." in ahead(text, line)
    for ruling in ("OR-AMB-5=closed", "OR-AMB-6=last"):
        assert "Battle Card" not in ahead(f"{text}\nrulings: {ruling}", line)


def test_a_defence_says_how_many_points_it_absorbs() -> None:
    # OR-OBJ-1 to 4, D-41: each card that is fielded absorbs a point, and none below 0 is left.
    s = scene(
        "a.F1: Palace (Champion) {}\nb.F1: Palace (Vassal) {Land}\nb.F2: Castle (Monk) {}\nb.reserve: Infantry\nbattle: NB"
    )
    s.play("a: attack target=siege:b:F2 lords=[lord:F1]")
    lines = (
        "stand_down",
        "field lords=[lord:F2]",
        "field lords=[lord:F1,lord:F2]",
        "field lords=[lord:F1,lord:F2] reserve=[Infantry]",
    )
    said = [ORTUS.face.preview(s.state, "b", read(line), NOBODY) for line in lines]
    assert said == [
        "No Battle Card is drawn, and Fief 2 falls.",
        "Your cards stop 1 of 2 points and let 1 through. Fief 2 stands, whatever the Battle Card says.",
        "Your cards stop 2 of 2 points and let 0 through. Fief 2 stands, whatever the Battle Card says.",
        "Your cards stop 2 of 2 points and let 0 through. Fief 2 stands, whatever the Battle Card says.",
    ]
    assert ORTUS.face.fate(s.state, "b", read("stand_down")) == ""


def test_by_the_other_ruling_a_defence_without_army_cards_hopes_for_no_battle_card() -> None:
    # OR-AMB-58: “unless the result is ‘Defender Wins’” was said where no card is drawn
    s = scene(
        "a.F1: Palace (Champion) {}\na.F2: Castle (Champion) {}\nb.F1: Palace (Vassal) {Land}\nb.F2: Castle (-) {}\n"
        "b.reserve: Infantry\nb.M1: Mercenary (Knight)\nrulings: OR-AMB-58=army"
    )
    s.play("a: attack target=siege:b:F2 lords=[lord:F1,lord:F2]")
    for field, said in (
        ("lords=[lord:F1]", "No Battle Card is drawn, and Fief 2 falls."),
        ("lords=[lord:F1] others=[mercenary:1]", "No Battle Card is drawn, and Fief 2 falls."),
        ("others=[garrison:1]", "Fief 2 falls, unless the result is “Defender Wins”."),
        ("reserve=[Infantry]", "Fief 2 falls, unless the result is “Defender Wins”."),
    ):
        assert ORTUS.face.preview(s.state, "b", read(f"field {field}"), NOBODY).endswith(f" through. {said}"), field


def test_where_no_battle_card_is_left_to_come_none_is_counted() -> None:
    # OR-AMB-5, OR-AMB-6, OR-BAT-5
    whole = "battle-discard: 15 NB, 3 AW, 3 DW, 3 CD\nbattle:"
    said = ahead(
        f"a.F1: Palace (Champion) {{}}\na.hand: Champion\nb.F1: Castle (-) {{}}\n{whole}",
        "attack target=siege:b:F1 lords=[lord:F1] hand=[Champion/a]",
    )
    assert said.endswith("unless the result is “Defender Wins”.")


@pytest.mark.parametrize("card", ["NB", "AW"])
@pytest.mark.parametrize(
    ("target", "field", "said", "left"),
    [
        ("siege:b:F2", "", "No Battle Card is drawn, and Fief 2 falls.", (1, 2, 1)),
        ("raid:b:F1", "", "you lose 2 Properties of Fief 1.", (2, 0, 1)),
        ("tower:b", "", "you lose 1 Tower.", (2, 2, 0)),
        ("siege:b:F2", "lords=[lord:F1]", "Fief 2 falls, unless", (1, 2, 1)),
        ("siege:b:F2", "lords=[lord:F1] reserve=[Infantry]", "Fief 2 stands, whatever", (2, 2, 1)),
        ("raid:b:F1", "lords=[lord:F1] reserve=[Infantry]", "You lose 1 Property of Fief 1, unless", (2, 1, 1)),
        ("raid:b:F1", "lords=[lord:F1] reserve=[2 Infantry]", "No Property of Fief 1 falls, whatever", (2, 2, 1)),
        ("tower:b", "lords=[lord:F1] reserve=[2 Infantry]", "You lose 1 Tower, unless", (2, 2, 0)),
    ],
)
def test_what_is_said_of_a_defence_comes_so(target: str, field: str, said: str, left: tuple[int, int, int], card: str) -> None:
    # OR-OBJ-1 to 4, OR-BAT-5: what is fielded absorbs a point a card, also where the attacker wins.
    s = scene(
        "a.F1: Palace (Champion) {}\na.hand: Champion\nb.F1: Palace (Vassal) {2 Land}\nb.F2: Castle (-) {}\nb.towers: Monk\n"
        f"b.reserve: 2 Infantry\nbattle: {card}"
    )
    s.play(f"a: attack target={target} lords=[lord:F1] hand=[Champion/a]")
    line = f"field {field}".replace("2 Infantry", "Infantry*2") if field else "stand_down"
    assert said in ORTUS.face.preview(s.state, "b", read(line), NOBODY)
    s.play(f"b: {line}")
    while s.step in ("attacker_hits", "ransom"):
        s.play("a: hit cards=[lord:F1]" if s.step == "attacker_hits" else "b: none")
    earl = s.earl("b")
    assert (len(earl.fiefs), len(earl.fiefs[0].properties), len(earl.towers)) == left


def test_an_attack_of_the_vikings_says_what_it_does_before_it_is_ordered() -> None:
    # OR-VIK-9, OR-OBJ-1 to 4: the whole force is sent, and what it meets is seen by all.
    s = scene(
        "a.F1: Palace (-) {}\nb.F1: Castle (-) {}\nb.towers: Monk\nactive: c\nc.deck: 3 Land\n"
        "vikings: arrived black=8 white=0\nforce: 3 VikingInfantry, VikingChieftain"
    )
    s.play("c: end")
    (seat,), points = s.asked, sum(SEND[card] for card in s.table.force)
    said = ORTUS.face.preview(s.state, seat, read("attack target=siege:b:F1"), NOBODY)
    assert said.startswith(f"You send {points} points, and 2 past 1 Tower bring it down.")
    assert f"It still falls if the defender fields up to {points - 3} cards" in said
    assert ORTUS.face.preview(s.state, seat, read("hold"), NOBODY) == "The Vikings attack nobody this Turn."


def test_what_is_settled_in_a_fight_is_said_before_it_is() -> None:
    # D-43, D-46, D-48, OR-RAN-4, 7, OR-SEI-3 to 5: nothing of it is hidden or left to chance.
    s = scene("a.F1: Palace (Vassal) {}\na.hand: Champion\nb.F1: Palace (-) {2 Land}\nb.F2: Castle (Monk) {}\nbattle: AW")

    def said(seat: str, line: str) -> str:
        return ORTUS.face.preview(s.state, seat, read(line), NOBODY)

    s.play("a: attack target=siege:b:F2 lords=[lord:F1] hand=[Champion/a]", "b: field lords=[lord:F2]")
    assert s.step == "ransom"
    ransom = said("b", "pay payments={lord:F2>F1.Land/b}")
    assert (
        ransom.startswith("The captor gets what you pay at once. A Castle or Palace goes alone")
        and "goes home, unless" in ransom
    )
    assert said("b", "none") == "You lose them after the Battle: Monk."
    s = scene("a.F1: Palace (Champion) {}\nb.F1: Palace (-) {}\nb.towers: 3 Land, 2 Monk")
    s.play("a: attack target=tower:b lords=[lord:F1]")
    assert said("b", "lose towers=[T1,T2]") == "They are shown and discarded. You then have 3 Towers."
    s = scene("b.role: duke\na.F1: Palace (Champion) {}\nb.F1: Palace (-) {}\nb.towers: 3 Land")
    s.play("a: attack target=tower:b lords=[lord:F1]")
    assert said("b", "lose towers=[T1,T2]").endswith("You then have 2 Towers."), "OR-ROLE-33: the permanent one stands"
    s = scene("a.F1: Palace (Vassal) {}\na.M1: Mercenary (-)\nb.F1: Palace (Monk) {}\nb.hand: Vassal\nbattle: NB")
    s.play("a: attack target=siege:b:F1 lords=[lord:F1] others=[mercenary:1]", "b: field hand=[Vassal/b]")
    assert "Lords and the King Card take no harm" in said("a", "hit cards=[lord:F1]")  # OR-DMG-3
    s.play("a: hit cards=[lord:F1]")
    assert s.earl("a").fiefs[0].lord == "Vassal/a"
    s = scene("a.F1: Palace (Vassal) {}\na.hand: 2 Champion\nb.F1: Palace (-) {}\nb.F2: Castle (-) {Land}")
    s.play("a: attack target=siege:b:F2 lords=[lord:F1] hand=[2 Champion/a]".replace("2 Champion/a", "Champion/a*2"))
    assert s.step == "spoils" and said("a", "take").endswith("What you leave is discarded.")


def test_what_a_pass_brings_is_said_before_it_is() -> None:
    # OR-STR-5, OR-TRE-2, OR-BAT-5, OR-JOU-2: it is seen by all.
    s = scene("a.hand: Treachery, 2 Vassal\nb.F1: Palace (Vassal) {}\nb.hand: Allies\nc.hand: Banner")

    def said(seat: str, line: str) -> str:
        return ORTUS.face.preview(s.state, seat, read(line), NOBODY)

    s.play("a: treachery aim=lord:b:F1")
    assert said("b", "decline") == "It succeeds at once." and "only if the attacker commits more Vassals" in said("b", "allies")
    s.play("b: allies")
    assert said("a", "pass") == "That ends the Struggle, 0 to 0: the attempt fails."
    s.play("a: commit vassal=hand:Vassal/a")
    assert said("b", "pass") == "That ends the Struggle, 1 to 0: the attempt succeeds."
    s.play("b: pass")
    assert s.told("struggle_over")[0]["won"] is True
    s = scene("a.F1: Palace (Champion) {Cathedral}\nb.F1: Palace (Vassal) {}\nbattle: CD")
    s.play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F1]")
    assert [said("a", way).partition(" is hit")[0] for way in ("AW", "DW")] == ["Only the defender", "Only the attacker"]
