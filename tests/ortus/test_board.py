"""What boards and letters reckon out of what a seat sees: the same as the rules do at the table itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.core.asks import Answer, read
from engine.core.procedure import ask_of
from engine.language.words import NOBODY
from engine.ortus import ORTUS
from engine.ortus.face.board import Board, Rider
from engine.ortus.rules.pieces import SEND
from engine.ui.forms import describe
from service.post.rendering import TEMPLATES
from tests.ortus.scene import Scene

BOARD = """
a.F1: Palace (-) {}
b.F1: Palace (-) {}
c.F1: Palace (-) {}
a.hand: 2 Champion
b.hand: Banner
a.deck: 5 Intrigue
b.deck: 5 Intrigue
c.deck: 5 Intrigue
"""
ROLES = "roles: assigned\na.role: duke\nb.role: duke\nc.role: earl"


def scene(text: str = "") -> Scene:
    """The board with some lines replaced and others added."""
    lines = dict(line.split(":", 1) for line in f"{BOARD.strip()}\n{text}".strip().splitlines())
    return Scene("\n".join(f"{k}:{v}" for k, v in lines.items()))


def board(s: Scene, seat: str | None = "a", begun: Answer | None = None) -> Board:
    """What the seat is shown."""
    asked = seat is not None and seat in s.asked
    form = describe(ORTUS, ask_of(s.state, seat), NOBODY, s.state.serial) if asked and seat is not None else None
    found = ORTUS.face.board(ORTUS.rules.view(s.state, seat), form, begun)
    assert isinstance(found, Board)
    return found


@pytest.mark.parametrize(
    ("text", "target", "towers", "meets", "needs"),
    [
        ("b.F2: Castle (-) {}", "siege:b:F2", 0, 2, 2),  # OR-OBJ-4
        ("", "siege:b:F1", 0, 3, 3),  # OR-OBJ-4, OR-OBJ-5
        ("b.towers: 2 Land", "siege:b:F1", 2, 5, 5),  # OR-TOW-1
        ("b.F1: Palace (-) {Land, Church}\nb.towers: Land", "raid:b:F1", 1, 1, 2),  # OR-OBJ-3
        ("b.towers: Land", "raid:b:F1", 1, 1, 0),  # nothing can fall there
        ("b.towers: 2 Land", "tower:b", 2, 2, 1),  # OR-OBJ-2
        ("", "tower:b", 0, 0, 0),
        (f"{ROLES}\nb.towers: Land", "siege:b:F1", 2, 5, 5),  # OR-ROLE-32
        (f"{ROLES}\nb.towers: Land", "tower:b", 1, 2, 1),
        (ROLES, "tower:b", 0, 1, 0),  # OR-ROLE-32: it never falls
    ],
)
def test_what_stands_against_an_attack_is_what_all_can_see(text: str, target: str, towers: int, meets: int, needs: int) -> None:
    found = board(scene(text)).targets[target]
    assert (found.towers, found.meets, found.needs) == (towers, meets, needs)


@pytest.mark.parametrize("what", ["siege:b:F1", "siege:b:F2", "raid:b:F1", "tower:b"])
@pytest.mark.parametrize("text", ["", "b.towers: Land", f"{ROLES}\nb.towers: Land"])
def test_with_so_many_points_it_falls_and_with_one_fewer_it_stands(text: str, what: str) -> None:
    # OR-OBJ-1 to 5, OR-TOW-1, OR-ROLE-32: as it comes at the table, where nobody is fielded.
    text = f"{text}\nb.F1: Palace (-) {{Land}}\nb.F2: Castle (-) {{}}\nb.hand: \na.hand: 6 Vassal".strip()
    needs = board(scene(text)).targets[what].needs if what in board(scene(text)).targets else 0
    for n in {needs - 1, needs} - {-1, 0}:
        s = scene(text).play(f"a: attack target={what} hand=[{','.join(['Vassal/a'] * n)}]").until("turn", "spoils")
        # What falls may be forced (OR-DEC-5): the Properties or Towers that are gone say it.
        left = (len(s.earl("b").fiefs), sum(len(f.properties) for f in s.earl("b").fiefs), len(s.earl("b").towers))
        before = scene(text).earl("b")
        stood = (len(before.fiefs), sum(len(f.properties) for f in before.fiefs), len(before.towers))
        assert (left != stood) == (n == needs), (n, needs, left)


def test_as_many_cards_can_come_as_all_can_see() -> None:
    # OR-FLD-1 to 4: Lords, Mercenaries with their garrisons, Reserve as Lands feed it, the King's, and any Hand card.
    text = "b.F1: Palace (Monk) {2 Land}\nb.M1: Mercenary (Knight)\nb.M2: Mercenary (-)\nb.reserve: 3 Knight\nb.hand: 4 Land"
    assert board(scene(text)).targets["siege:b:F1"].most == 1 + 3 + 2 + 4
    assert board(scene(f"{text}\nking: b [Infantry]")).targets["siege:b:F1"].most == 1 + 3 + 2 + 4 + 2
    assert "siege:a:F1" not in board(scene(text)).targets, "one's own are no targets"
    assert "siege:a:F1" in board(scene(text), None).targets, "a spectator has none of his own"


@pytest.mark.parametrize("kind", ["siege", "raid", "tower"])
@pytest.mark.parametrize("text", ["a.towers: Land", f"{ROLES}\na.towers: Land", "a.towers: 2 Land"])
def test_so_many_defenders_hold_what_is_attacked_and_one_fewer_do_not(text: str, kind: str) -> None:
    # OR-OBJ-1 to 4: in a normal Battle, with cards that send nothing.
    text += "\na.F1: Palace (-) {Land}\nb.hand: 3 Champion\na.hand: 6 Monk\nbattle: NB\nstart: b\nactive: b"
    target = "tower:a" if kind == "tower" else f"{kind}:a:F1"
    start = scene(text).play(f"b: attack target={target} hand=[Champion/b,Champion/b,Champion/b]")
    ((said, needed),) = board(start).defences
    assert said == kind and needed > 1 and start.step == "defend"
    for n in (needed - 1, needed):
        s = scene(text).play(
            f"b: attack target={target} hand=[Champion/b,Champion/b,Champion/b]",
            f"a: field hand=[{','.join(['Monk/a'] * n)}]",
        )
        s.until("turn", "spoils")
        whole = len(s.earl("a").fiefs) == 1 and len(s.earl("a").towers) == len(start.earl("a").towers)
        whole = whole and bool(s.earl("a").fiefs and s.earl("a").fiefs[0].properties)
        assert whole == (n == needed), n


def test_a_permanent_tower_needs_no_defence() -> None:
    # OR-ROLE-33: it was said how many cards hold it, though nothing can fall.
    s = scene(f"{ROLES}\na.hand: Monk\nb.hand: Champion\nstart: b\nactive: b")
    assert board(s.play("b: attack target=tower:a hand=[Champion/b]")).defences == [("tower", 0)]


@pytest.mark.parametrize(
    ("churches", "cathedral", "decider"),
    [((0, 0, 0), "", ""), ((1, 2, 1), "", "b"), ((2, 2, 1), "", ""), ((3, 0, 1), "c", "c"), ((0, 0, 1), "", "c")],
)
def test_the_church_decides_by_the_cathedral_or_strictly_most_churches(
    churches: tuple[int, ...], cathedral: str, decider: str
) -> None:
    # OR-BAT-3, OR-AMB-77: as it is asked when the card comes.
    fiefs = "\n".join(
        f"{x}.F1: Palace (-) {{{', '.join([f'{n} Church'] * (n > 0) + ['Cathedral'] * (x == cathedral))}}}"
        for x, n in zip("abc", churches, strict=True)
    )
    s = scene(f"{fiefs}\nb.hand: Monk\nbattle: CD")
    s.play("a: attack target=siege:b:F1 hand=[Champion/a]", "b: field hand=[Monk/b]")
    assert (s.asked[0] if s.step == "church" else "") == decider


@pytest.mark.parametrize(("ruling", "counted"), [("OR-AMB-5=open", True), ("OR-AMB-5=closed", False), ("OR-AMB-6=last", False)])
def test_battle_cards_are_counted_where_anybody_may(ruling: str, counted: bool) -> None:
    # OR-AMB-5, OR-AMB-6
    s = scene(f"battle-discard: DW, NB, CD\nbattle: 14 NB, 3 AW, 2 DW, 2 CD\nrulings: {ruling}")
    pile = ORTUS.rules.view(s.state, "a")["battle"]
    assert bool(pile["deck"] and pile["saving"]) == counted
    assert not counted or (pile["deck"], pile["saving"]["DW"], pile["saving"]["CD"]) == (21, 2, 2)


def test_what_is_filled_in_counts_by_what_each_card_sends() -> None:
    # OR-CARD-1, OR-FLD-1 to 4
    text = "a.F1: Palace (Prince) {Land}\na.M1: Mercenary (Knight)\na.reserve: Infantry\nking: a [Knight]\na.hand: Monk"
    answer = "attack target=siege:b:F1 lords=[lord:F1] hand=[Monk/a] reserve=[Infantry]"
    answer += " others=[king,royal:Knight,mercenary:1,garrison:1]"
    s = scene(text)
    found = board(s, "a", read(answer))
    assert found.sent == ["Prince", "Monk", "Infantry", "King", "Knight", "Mercenary", "Knight"]
    assert (found.points, found.target, found.aimed) == (1 + 0 + 1 + 1 + 2 + 2 + 2, "siege:b:F1", "b")
    s.play(f"a: {answer}")
    assert sum(f["send"] for f in ORTUS.rules.view(s.state, None)["doing"][-1]["attackers"]) == found.points
    assert board(s, "a", read(answer)).points == 0, "nobody asks for it any more"


def test_the_most_that_an_attack_sends_is_sent_by_the_best_that_may_be_fielded() -> None:
    # OR-FLD-1 to 4: of the Reserve what Lands feed, and no second Prince.
    text = "a.F1: Palace (Prince) {Land}\na.reserve: 2 Infantry, Knight\na.M1: Mercenary (Infantry)"
    s = scene(f"{text}\na.hand: Prince, Champion, Land")
    form = describe(ORTUS, s.ask(), NOBODY, 0)
    attack = form.option("attack")
    assert attack is not None and board(s).most_sent(attack) == 1 + 2 + 2 + 2 + 1
    s.play("a: attack target=siege:b:F1 lords=[lord:F1] hand=[Champion/a] reserve=[Knight] others=[mercenary:1,garrison:1]")
    assert sum(f["send"] for f in ORTUS.rules.view(s.state, None)["doing"][-1]["attackers"]) == 8


@pytest.mark.parametrize(
    ("properties", "due"), [("Land", 1), ("2 Land", 1), ("Land, MarketTown", 2), ("2 Land, 2 MarketTown", 2), ("MarketTown", 0)]
)
def test_a_recruit_gives_two_beside_a_market_town(properties: str, due: int) -> None:
    s = scene(f"a.F1: Palace (-) {{{properties}}}\na.F2: Castle (-) {{}}")  # OR-REC-2, OR-EX-10
    assert board(s).recruits == due and board(s).lordless == [1, 2]
    if due:
        s.play("a: recruit")
        assert len(s.earl("a").reserve) == due
    few = f"a.F1: Palace (-) {{{properties}}}\narmy: Knight"  # OR-PROP-4: draw what there is
    assert board(scene(few)).recruits == min(due, 1)
    assert board(scene(f"{few}\nrulings: OR-AMB-5=closed")).recruits == due, "a closed deck is not counted"


def test_vassals_are_counted_as_far_as_one_knows_of_them() -> None:
    # OR-STR-4, OR-INFO-2: of another's Hand one sees its number alone.
    s = scene(
        "a.F1: Palace (Vassal) {}\na.F2: Castle (Monk) {}\na.hand: 2 Vassal, Land\nb.F1: Palace (Vassal) {}\nb.hand: 3 Vassal"
    )
    own, other = board(s).vassals("a", []), board(s).vassals("b", [])
    assert (own.lords, own.hand, own.own, board(s).own_vassals) == ([1], 2, True, 3)
    assert (other.lords, other.hand, other.own) == ([1], 3, False)
    assert board(s).vassals("a", ["lord:F1"]).lords == [], "he is committed"
    assert not board(s, None).vassals("a", []).own


@pytest.mark.parametrize(("ruling", "lords"), [("", [1, 2]), ("rulings: OR-AMB-47=no", [1])])
def test_who_is_to_be_assassinated_is_counted_where_he_may_fight(ruling: str, lords: list[int]) -> None:
    # OR-AMB-47, OR-STR-4
    text = f"a.hand: Treachery, Vassal\nb.F1: Palace (Vassal) {{}}\nb.F2: Castle (Vassal) {{}}\nb.hand: Allies\n{ruling}"
    s = scene(text).play("a: treachery aim=lord:b:F2")
    assert board(s).vassals("b", []).lords == lords and board(s).vassals("a", []).own
    s.play("b: allies")
    assert board(s).vassals("b", []).lords == lords


def test_a_king_commits_vassals_of_other_colours() -> None:
    # OR-ROLE-14, OR-STR-4
    king = "roles: assigned\na.role: king\nb.role: earl\nc.role: earl\n"
    s = scene(f"{king}a.F1: Palace (Vassal/b) {{}}\na.hand: Treachery, Vassal, Vassal/c\nb.hand: Allies, Land")
    s.play("a: treachery aim=hand:b", "b: allies")
    shown = board(s)
    assert shown.vassals("a", []).held == ["Vassal/a", "Vassal/c"]
    assert [shown.vassal("a", id) for id in ("lord:F1", "hand:Vassal/c")] == ["Vassal/b", "Vassal/c"]


def test_a_struggle_stands_for_its_politics_and_says_what_it_is_about() -> None:
    # OR-STR-1
    s = scene("a.hand: Treachery, Vassal\nb.F1: Palace (Vassal) {Land}\nb.hand: Allies")
    s.play("a: treachery aim=lord:b:F1")
    (politics,) = board(s).doing
    assert board(s).attempt(politics).fief == ORTUS.rules.view(s.state, None)["earls"][1]["fiefs"][0]
    s.play("b: allies")
    (struggle,) = board(s).doing
    found = board(s).attempt(struggle)
    assert (struggle["what"], found.kind, found.against) == ("struggle", "Treachery", "b") and found.fief is not None
    s.play("a: commit vassal=hand:Vassal/a")
    assert board(s).attempt(board(s).doing[0]).ours == ["hand:Vassal/a"]


def test_the_lists_show_who_entered_and_what_the_tilt_brought_until_the_turn_is_over() -> None:
    # OR-JOU-8 to 13
    text = "a.F2: Castle (Champion) {}\nb.F2: Castle (-) {}\nb.hand: Vassal\nc.F2: Castle (Monk) {}\na.hand: Banner"
    s = scene(text).play("a: joust", "b: tilt ante=F2 tilter=hand:Vassal/b", "c: ante ante=F2")
    yard = board(s).tiltyard(board(s).doing[0])
    assert yard.riders["b"] == Rider("Castle/b", "", True, []), "what tilts out of a Hand lies face down"
    assert (yard.last, yard.waits, yard.begun) == ("c", ["a"], False) and "a" not in yard.riders
    s.play("a: tilt ante=F2 tilter=lord:F2")
    for seat in (None, "b"):
        seen = board(s, seat)
        assert seen.resting and seen.doing == [{"what": "joust"}]
        yard = seen.tiltyard(seen.doing[0])
        assert yard.past and yard.winner in ("a", "b") and yard.riders["c"] == Rider("Castle/c", "", False, [])
        dealt = s.told("joust_hands")[0]["hands"]
        for one, rides in (("a", "Champion/a"), ("b", "Vassal/b")):
            found = yard.riders[one]
            assert (found.stake, found.rides, found.dealt[0]) == (f"Castle/{one}", rides, dealt[one])
    s.play("a: end")
    assert not board(s).doing, "it lies there no longer"


def test_what_tilted_out_of_a_hand_stays_unseen_where_a_joust_is_called_off() -> None:
    # OR-JOU-7
    s = scene("a.hand: Banner\nb.hand: Vassal").play("a: joust", "b: tilt ante=F1 tilter=hand:Vassal/b")
    s.play("c: stand_aside", "a: stand_aside")
    assert s.told("joust_cancelled") and "Vassal" not in str(board(s, "a").view["lists"])
    assert not board(s).tiltyard(board(s).doing[0]).winner


def test_like_properties_are_told_apart_as_answers_do() -> None:
    s = scene("a.F1: Palace (-) {2 Land, Church}")
    assert [id for id, _ in board(s).holdings(board(s).earls["a"]["fiefs"][0])] == ["F1.Land/a", "F1.Land/a+2", "F1.Church/a"]


KING = "roles: assigned\na.role: king\nb.role: duke\nc.role: earl\nking: a [Knight]"


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("banquet", "a.F1: Palace (Prince) {}\na.hand: Banner, Banquet"),
        ("banquet", f"{KING}\na.hand: Banquet/b"),  # OR-DEST-1, OR-ROLE-14
        ("bequeath", "a.F1: Palace (Prince) {}\na.hand: Banner, Banquet"),
        ("bequeath", f"{KING}\na.F1: Palace (Prince/b) {{}}\na.hand: Banner"),
        ("bequeath", f"{KING}\na.F1: Palace (Prince/b) {{}}\na.hand: Banner/c"),
    ],
)
def test_what_is_left_in_the_deck_then_is_what_is_left_when_it_is_played(option: str, text: str) -> None:
    # OR-BANQ-1, OR-BEQ-3, OR-BEQ-5: what a King was given isn't shuffled in.
    s = scene(f"{text}\na.discard: 3 Land")
    found, hand = board(s).after(option), len(s.earl("a").hand)
    assert found.spent in s.earl("a").hand and board(s).after("end").deck is None
    s.play(f"a: {option}")
    earl = s.earl("a")
    assert (found.deck, found.discard, hand - 1 + found.drawn) == (len(earl.deck), len(earl.discard), len(earl.hand))


def test_nothing_is_reckoned_for_who_only_looks_on() -> None:
    found = board(scene(), None)
    assert found.me is None and len(found.rivals) == 3 and found.after("banquet").deck is None
    assert (found.asks, found.sent, found.defences, found.placed, found.own_vassals) == ("", [], [], [], 0)


def test_the_numbers_on_drawn_cards_are_those_of_the_rules() -> None:
    # OR-CARD-1: a drawing of a card bears its number as the card does, also where no game is being shown.
    drawn = (Path(TEMPLATES) / "ortus/_drawn.html").read_text("utf-8")
    (table,) = re.findall(r"{% set sends = {(.*?)} %}", drawn)
    assert {kind: int(n) for kind, n in re.findall(r'"(\w+)": (\d)', table)} == SEND
