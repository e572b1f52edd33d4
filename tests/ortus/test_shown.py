"""What everybody is shown: what is under way, the cards of a deck, the roles of a match, the headings of its journal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.core.asks import NotLegal, NotUnderstood, read, write
from engine.core.chance import Chance
from engine.core.procedure import begin
from engine.core.views import Event
from engine.games import game_called
from engine.ortus.face import deck, narrate, notation, variant
from engine.ortus.face.view import view
from engine.ortus.rules.pieces import KINDS, LORE
from engine.ui.forms import RowsField, choices_of, describe
from tests.ortus.scene import Scene
from tests.ortus.test_joust import joust
from tests.shape import shape

ORTUS = game_called("ortus")
TABLE = (
    "a.F1: Palace (Prince) {2 Land}\na.F2: Castle (-) {}\na.hand: Vassal, Treachery, Banner\na.reserve: K, I\n"
    "b.F1: Palace (Prince) {Land}\nb.F2: Castle (Vassal) {}\nb.hand: Land, Vassal\n"
)


def doing(s: Scene, seat: str | None = None) -> list[dict[str, Any]]:
    """What is under way, as the seat or an onlooker is shown it."""
    found: list[dict[str, Any]] = view(s.state, seat)["doing"]
    return found


FULL = """
start: b
round: 5
action: used
king: a [Infantry, Knight]
roles: assigned
canterbury: c
a: in cubes=3 turns=5 founded=3 hired=2 drawn=1 concedes
a.F1: Palace (Prince) {Land, Church/b}
a.F3: Castle/c (-) {}
a.M1: Mercenary (Knight)
a.M2: Mercenary (-)
a.role: king
a.hand: Banner, Monk, Land/b
a.towers: Vassal
a.reserve: Knight, Infantry
a.deck: Land, Castle, Monk, Vassal
a.discard: Treachery, Intrigue
b: in cubes=1 turns=4 founded=1 hired=0
b.F1: Palace (-) {Land, Market Town, Cathedral}
b.role: duke loyal
b.assets: Allies
b.hand: Land, Allies
b.towers: 2 Monk
b.deck: 2 Land, Castle, Prince
b.emissaries: Monk, Vassal
c: in cubes=1 turns=4 founded=2 hired=0
c.F1: Palace (Monk) {Church}
c.role: archbishop
c.deck: Banner
army: Knight, Infantry, Knight
army-discard: Infantry
viking-deck: VikingInfantry
viking-deck-discard: VikingChieftain
battle: NB, AW, CD
battle-discard: DW, NB
joust: JoustPrince, NoLuck
out: Champion/b
vikings: arrived black=8 white=0
force: VikingInfantry, VikingChieftain
"""


def stays(name: str, said: str) -> None:
    """Whether all is shown as it was looked at and kept; `WRIT_TELL_ANEW=1` keeps it as it is now."""
    file = Path(__file__).parent / name
    if os.environ.get("WRIT_TELL_ANEW") == "1":
        file.write_text(said + "\n", "utf-8")
    assert said + "\n" == file.read_text("utf-8")


def as_text(text: str) -> str:
    """A position as it is written for the table, for a seat and for an onlooker."""
    state = Scene(text).state
    readers = (("all secrets", None, True), ("a", "a", False), ("b", "b", False), ("an onlooker", None, False))
    return "\n\n".join(f"# {name}\n" + "\n".join(notation.lines(state, seat, whole)) for name, seat, whole in readers)


def test_a_position_is_written_with_what_each_may_know() -> None:  # OR-INFO-1, 2, OR-AMB-5, OR-AMB-6
    rulings = ("", "rulings: OR-AMB-5=closed", "rulings: OR-AMB-6=last")
    plain = "a.F1: Palace (-) {}\na.hand: Land\n"
    texts = [*(f"{FULL}{ruling}" for ruling in rulings), plain]
    stays("position.txt", "\n\n\n".join(map(as_text, texts)))


def test_a_position_reads_back_to_what_was_written() -> None:  # OR-INFO-1
    written = "\n".join(notation.lines(Scene(FULL).state, None, True))
    assert "\n".join(notation.lines(ORTUS.rules.notation.read(written), None, True)) == written


def test_a_view_shows_what_each_may_know() -> None:  # OR-INFO-1, 2, OR-AMB-5, OR-AMB-6
    shown = []
    for ruling in ("", "rulings: OR-AMB-5=closed", "rulings: OR-AMB-6=last"):
        state = Scene(f"{FULL}{ruling}").state
        shown += [{"rulings": ruling, "seat": seat, "view": view(state, seat)} for seat in ("a", "b", None)]
    stays("view.json", msgspec.json.format(msgspec.json.encode(shown), indent=1).decode())


def order_words(text: str) -> Iterator[str]:
    """All that standing orders say in their forms, each line once."""
    s, said = Scene(text), set[str]()
    for seat in s.table.seats:
        for ask in ORTUS.orders.asks(s.state, seat):
            form = describe(ORTUS, ask, {"a": "Anna", "b": "Bert", "c": "Cleo"}, 0)
            lines = [f"{ask.rule} {form.title}", f"  {ORTUS.orders.sheet.about(ask.rule)}"]
            for option in form.options:
                lines.append(f"  {option.id}: {option.label}")
                for field in (x for f in option.fields for x in (f, *(f.fields if isinstance(f, RowsField) else ()))):
                    lines.append(f"    {field.name}: {field.label}")
                    lines += [f"      {c.id}: {c.label}" for c in (() if isinstance(field, RowsField) else choices_of(field))]
            fresh = [line for line in lines if f"{ask.rule}{line}" not in said]
            said |= {f"{ask.rule}{line}" for line in lines}
            yield from fresh


ASKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (FULL.replace("action: used", "action: unused").replace("active: b", "active: a") + "active: a\n", ()),
    (FULL.replace("action: used", "action: unused") + "b.M1: Mercenary (Infantry)\n", ()),
    (TABLE, ()),
    (TABLE, ("a: attack target=siege:b:F1 lords=[lord:F1] reserve=[Knight]",)),
    (TABLE + "b.towers: 2 Land, Monk\n", ("a: attack target=tower:b lords=[lord:F1] reserve=[Knight]",)),
    (TABLE + "battle: AW\n", ("a: attack target=siege:b:F1 lords=[lord:F1] reserve=[Knight]", "b: field lords=[lord:F2]")),
    (TABLE + "battle: CD\n", ("a: attack target=siege:b:F1 lords=[lord:F1] reserve=[Knight]", "b: field lords=[lord:F2]")),
    (TABLE + "battle: NB\n", ("a: attack target=siege:b:F2 lords=[lord:F1] reserve=[Knight]",)),
    (TABLE + "b.hand: Allies, Land\n", ("a: treachery aim=lord:b:F2",)),
    (TABLE, ("a: treachery aim=lord:b:F2", "b: decline")),
    (TABLE.replace("Treachery", "Intrigue"), ("a: intrigue aim=properties:b:F1", "b: decline")),
    (TABLE + "b.hand: Banner, Champion, Monk\n", ("a: joust",)),
    ("a.hand: Banner\na.banners: Banner\nb.reserve: I, K\nc.reserve: K, I\n", ("a: display",)),
)


def asked(s: Scene) -> Iterator[str]:
    """All that is said in the forms of what is asked now."""
    for seat in s.asked:
        ask = s.ask(seat)
        form = describe(ORTUS, ask, {"a": "Anna", "b": "Bert", "c": "Cleo"}, 0)
        yield f"{seat} {ask.rule} {form.title}"
        for option in form.options:
            yield f"  {option.id}: {option.label}"
            for field in option.fields:
                yield f"    {field.name}: {field.label}"
                yield from (f"      {c.id}: {c.label}" for c in choices_of(field))


def test_what_an_earl_is_asked_says_what_each_choice_is() -> None:  # OR-DEC-1, OR-CARD-2
    said = []
    for text, lines in ASKED:
        once = {line.partition(":")[0]: line for line in text.strip().splitlines()}  # the last line of a zone counts
        said.append("\n".join([*(f"> {line}" for line in lines), *asked(Scene("\n".join(once.values())).play(*lines))]))
    stays("asks.txt", "\n\n".join(said))


def test_what_standing_orders_say() -> None:  # SO-01 to SO-22
    stays("order_words.txt", "\n".join(order_words(FULL)))


# --- what is under way ------------------------------------------------------------------------------------------------


def test_a_battle_is_shown_as_it_stands() -> None:  # OR-INFO-1, OR-BAT-1
    s = Scene(TABLE + "battle: AW\n").play("a: attack target=siege:b:F1 lords=[lord:F1] hand=[Vassal/a] reserve=[Knight]")
    sent = [
        {"id": "lord:F1", "card": "Prince/a", "by": "lord", "home": 1, "send": 1},
        {"id": "hand:Vassal/a", "card": "Vassal/a", "by": "hand", "home": 0, "send": 1},
        {"id": "reserve:Knight", "card": "Knight", "by": "reserve", "home": 0, "send": 2},
    ]
    declared: dict[str, Any] = {"what": "battle", "attacker": "a", "actor": "a", "defender": "b", "kind": "siege", "fief": 1}
    nothing: dict[str, Any] = {"captured": [], "hit": [], "struck": [], "destroyed": [], "paid": []}
    assert doing(s) == [{**declared, "attackers": sent, "defenders": [], "card": None, "result": None, **nothing}]
    s.play("b: field lords=[lord:F1]")
    prince = {"id": "lord:F1", "card": "Prince/b", "by": "lord", "home": 1, "send": 1}
    drawn = {"card": "AW", "result": "AW", **nothing, "captured": [1]}
    assert doing(s) == [{**declared, "attackers": sent, "defenders": [prince], **drawn}]


def test_politics_and_a_struggle_are_shown_as_they_stand() -> None:  # OR-TRE-1, OR-POL-4
    s = Scene(TABLE).play("a: treachery aim=lord:b:F2")
    tried = {"what": "politics", "card": "Treachery/a", "attacker": "a", "target": "b", "aim": "lord", "number": 2}
    assert doing(s) == [{**tried, "allies": False, "taken": [], "barred": None}]
    s = Scene(TABLE).play("a: treachery aim=hand:b")
    assert doing(s) == [{**tried, "aim": "hand", "number": None, "allies": False, "taken": [], "barred": None}]


def test_a_joust_shows_who_tilts_once_it_has_begun() -> None:  # OR-JOU-1, OR-JOU-7, OR-INFO-1
    s = joust("c.F1: Palace (Monk) {Church/a}\nc.F2: Castle (-) {}")
    begun = {"what": "joust", "starter": "a", "entries": {}, "begun": False, "winner": None, "prizes": []}
    assert doing(s) == [begun]
    s.play("b: tilt ante=F1 tilter=hand:Champion/b", "c: ante ante=F1", "a: ante ante=F1.Land/a")
    assert s.step == "attach"
    entry = {"property": None, "lord": None, "hand": False, "card": None}
    entries = {
        "b": {**entry, "ante": "F1", "fief": 1},
        "c": {**entry, "ante": "F1", "fief": 1},
        "a": {**entry, "ante": "F1.Land/a", "fief": 1, "property": "Land/a"},
    }
    assert doing(s) == [{**begun, "entries": entries, "begun": True, "winner": "b", "prizes": ["Land/a"]}]


def test_a_crowning_names_who_becomes_king() -> None:  # OR-KING-2
    s = Scene("a.hand: Banner\na.banners: Banner\nb.reserve: I, K\nc.reserve: K, I").play("a: display")
    assert doing(s) == [{"what": "crowning", "king": "a"}]


# --- decks ------------------------------------------------------------------------------------------------------------


def test_a_deck_is_built_by_groups_of_all_its_kinds() -> None:  # OR-COMP-2, OR-COMP-3, OR-ROLE-4
    made = ((deck._build(24, "about"), 24), (deck._build(22, "about_role"), 22))  # as the module made them
    for build, size in ((deck.BUILD, 24), *((other, other.size) for other in deck.BUILD.others), *made):
        assert (build.kind, build.option, build.field, build.copies, build.size) == ("deck", "deck", "cards", 6, size)
        assert [str(name) for name, _ in build.groups] == ["Property", "Faces", "Politics"]
        assert [kind for _, kinds in build.groups for kind in kinds] == list(KINDS)
        assert [build.names[kind] for kind in KINDS] == [narrate.card_name(kind, {}) for kind in KINDS]
        assert all(build.uses[kind] for kind in KINDS) and len({build.uses[kind] for kind in KINDS}) == len(KINDS)
        assert all(sum(ready.cards.values()) == size and str(ready.name) and str(ready.words) for ready in build.ready)
        build.check({"Land": 6, "Castle": 6, "Vassal": 6, "Monk": size - 18})
        with pytest.raises(NotLegal):
            build.check({"Land": 6, "Castle": 6, "Vassal": 6, "Monk": size - 19})
    assert [other.size for other in deck.BUILD.others] == [22]
    about, about_role = str(deck.BUILD.about), str(deck.BUILD.others[0].about)
    assert about and about_role and about != about_role
    named = [ready.id for build in (deck.BUILD, *deck.BUILD.others) for ready in build.ready]
    assert named == list(LORE["house_decks"])


def test_the_size_of_a_deck_is_known_with_the_role() -> None:  # OR-ROLE-2, OR-ROLE-4
    wanted = deck.BUILD.wanted
    assert wanted is not None
    assert wanted({}, "a") == 24 and wanted({"roles": "picked"}, "a") == 0
    assigned = {"roles": "assigned", "seats": {"a": "king"}}
    assert (wanted(assigned, "a"), wanted(assigned, "b")) == (22, 24)


def test_every_card_says_what_it_sends() -> None:  # OR-COMP-2, OR-COMP-4, OR-BAT-2
    rows = [(row["kind"], row["sends"]) for row in deck.card_rows()]
    sends = {"Prince": "1", "Vassal": "1", "Champion": "2", "Monk": "0", "Mercenary": "2", "Infantry": "1", "Knight": "2"}
    assert rows == [(kind, sends.get(kind, "–")) for kind in (*KINDS, "Infantry", "Knight")]
    for row in deck.card_rows():
        assert (
            str(row["name"]) == narrate.card_name(str(row["kind"]), {})
            and str(row["use"])
            and set(row)
            == {
                "kind",
                "name",
                "sends",
                "use",
            }
        )


# --- roles ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "options", "told"),
    [
        ("play roles=none", {}, ""),
        ("play roles=picked", {"roles": "picked"}, "from the starting Earl on, each picks to be King, Archbishop, a Duke or"),
        (
            "play roles=assigned seats={a>king,b>duke}",
            {"roles": "assigned", "seats": {"a": "king", "b": "duke"}},
            "Roles: A is King; B is a Duke; everybody else is an Earl.",
        ),
        (
            "play roles=drawn mix=[king,duke*2]",
            {"roles": "drawn", "mix": ["king", "duke", "duke"]},
            "Roles are drawn by lot: a King, 2 Dukes; everybody else is an Earl.",
        ),
    ],
)
def test_a_host_s_choice_of_roles_stands_in_the_header(choice: str, options: dict[str, Any], told: str) -> None:
    # OR-ROLE-2, OR-ROLE-3
    assert variant.read(3, read(choice), "") == options
    assert write(variant.write(3, options)) == choice
    assert told in " ".join(variant.tell(options)) and bool(variant.tell(options)) == bool(told)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ("play roles=picked seats={a>king}", "Seats are given roles only where you assign them"),
        ("play roles=picked mix=[king]", "Seats are given roles only where you assign them"),
        ("play roles=assigned", "Name the role of one seat at least"),
        ("play roles=drawn", "Name the roles that are dealt by lot"),
    ],
)
def test_roles_that_go_with_another_way_are_refused(choice: str, sentence: str) -> None:  # OR-ROLE-2
    with pytest.raises(NotLegal, match=sentence):
        variant.read(3, read(choice), "")


def test_the_choice_of_roles_offers_one_king_and_one_archbishop() -> None:  # OR-ROLE-2, OR-ROLE-3
    ask = variant.ask(3)
    assert (ask.kind, ask.rule, ask.seat, write(ask.default)) == ("variant", "OR-ROLE-2", "", "play roles=none legacy=6")
    assert shape(ask).split("\n") == [
        "variant OR-ROLE-2: play roles=none legacy=6",
        "  play",
        "    roles=none|picked|contested|assigned|drawn",
        "    seats a|b|c -> king|archbishop|duke*3|earl*3?!",
        "    mix[0..3]=king|archbishop|duke*3",
        "    legacy 2..12 (6)",
    ]


def test_the_choice_of_roles_reads_as_what_it_gives() -> None:  # OR-ROLE-2, OR-ROLE-3
    form = describe(ORTUS, variant.ask(2), {"a": "Anna", "b": "Bert"}, 0)
    (option,) = form.options
    said = [form.title, option.label]
    for field in option.fields:
        said += [f"{field.name}: {field.label}", *(f"  {c.id}: {c.label}" for c in choices_of(field))]
    assert said == [
        "Roles",
        "Play this way",
        "roles: King, Archbishop and Dukes",
        "  none: No roles: all are Earls",
        "  picked: Each picks a role, from the starting Earl on",
        "  contested: Each picks a role; King and Archbishop can be won by bids",
        "  assigned: I assign them",
        "  drawn: They are drawn by lot",
        "seats: If they are assigned: who is what",
        "  a: Seat Anna",
        "  b: Seat Bert",
        "  king: King",
        "  archbishop: Archbishop",
        "  duke: Duke",
        "  earl: Earl",
        "mix: If they are drawn: which are dealt",
        "  king: King",
        "  archbishop: Archbishop",
        "  duke: Duke",
        "legacy: If they are contested: Legacy points for each player",
    ]


def test_a_match_is_for_two_to_six_earls() -> None:  # OR-SET-1
    for seats in ("a", "abcdefg"):
        with pytest.raises(NotUnderstood, match=f"Ortus Regni is for 2 to 6 Earls, not {len(seats)}"):
            ORTUS.rules.setup(list(seats), {}, Chance("x"))


def test_the_steps_of_a_turn_share_its_mark() -> None:  # D-10, OR-DEC-13
    s = Scene(TABLE + "a: in cubes=1 turns=7\n")
    assert (ORTUS.rules.turn_of(s.state, "a"), ORTUS.rules.turn_of(s.state, "b")) == ("turn 7", "")
    s.play("a: treachery aim=lord:b:F2")
    assert (ORTUS.rules.turn_of(s.state, "a"), ORTUS.rules.turn_of(s.state, "b")) == ("", "")
    state = ORTUS.rules.setup(["a", "b"], {}, Chance("x"))
    assert ORTUS.rules.turn_of(state, "a") == ""
    begin(state)
    assert ORTUS.rules.turn_of(state, "a") == "deck"
    state = ORTUS.rules.setup(["a", "b"], {"roles": "picked"}, Chance("x"))
    begin(state)
    assert {ORTUS.rules.turn_of(state, seat) for seat in state.waiting} == {"role"}


# --- what is whose ---------------------------------------------------------------------------------------------------


def test_cards_are_counted_wherever_they_lie() -> None:  # OR-COMP-1, OR-COMP-4, OR-DEST-3
    own = {"King Card": 1, "joust": 24}
    of_seats = {"set of a": 14, "set of b": 17, "set of c": 5}
    assert ORTUS.rules.checks.conserved(Scene(FULL).state) == {**own, **of_seats, "army": 9, "vikings": 4, "battle": 5}
    whole = {**own, "army": 38, "vikings": 24, "battle": 24, "set of a": 8, "set of b": 7}
    s = Scene(TABLE)
    assert ORTUS.rules.checks.conserved(s.state) == whole
    s.play("a: attack target=siege:b:F1 lords=[lord:F1] hand=[Vassal/a] reserve=[Knight]")
    assert ORTUS.rules.checks.conserved(s.state) == whole, "those that fight are there as well"
    s = Scene(TABLE).play("a: treachery aim=lord:b:F2")
    assert ORTUS.rules.checks.conserved(s.state) == whole
    s = joust()
    before = ORTUS.rules.checks.conserved(s.state)
    assert ORTUS.rules.checks.conserved(s.play("b: tilt ante=F1 tilter=hand:Champion/b").state) == before


def test_the_cards_that_one_alone_may_see() -> None:  # OR-INFO-2
    s = Scene(FULL)
    assert ORTUS.rules.checks.secrets(s.state, "a") == ["Banner/a", "Castle/a", "Land/a", "Land/b", "Monk/a", "Vassal/a"]
    assert ORTUS.rules.checks.secrets(s.state, "b") == ["Allies/b", "Castle/b", "Land/b", "Monk/b", "Prince/b"]
    assert ORTUS.rules.checks.secrets(s.state, "c") == ["Banner/c"]


@pytest.mark.parametrize(
    ("kind", "answer", "known"),
    [
        ("turn", "place card=Land/a fief=F1", True),
        ("turn", "tower cards=[Land/a]", False),
        # with further ones or without, so that their absence tells nothing
        ("commit", "commit vassal=hand:Vassal/a", False),
        ("counter", "commit vassal=hand:Vassal/a", False),
        ("commit", "commit vassal=hand:Vassal/a further=[lord:F1]", False),
        ("counter", "commit vassal=hand:Vassal/a further=[lord:F1]", False),
        ("counter", "pass", True),
        ("enter", "tilt ante=F1 tilter=lord:F1", True),
        ("enter", "tilt ante=F1 tilter=hand:Champion/b", False),
        ("enter", "ante ante=F1", True),
        ("deck", "deck cards=[Land]", False),
        ("concession", "queue", False),
        *((kind, "pass", True) for kind in ("role", "allies", "church", "church_asset", "canterbury", "ransom")),
        *((kind, "pass", True) for kind in ("attacker_hits", "defender_hits", "spoils", "vikings", "attach")),
        *((kind, "pass", True) for kind in ("give_properties", "defend", "levy")),
        ("give_armies", "give", False),
    ],
)
def test_who_knows_an_answer_as_soon_as_it_is_played(kind: str, answer: str, known: bool) -> None:  # OR-INFO-2, 3, 6
    assert ORTUS.rules.audience(kind, "a", read(answer)) == (None if known else ("a",))


def test_a_concession_is_queued_and_taken_back_at_any_time() -> None:  # D-80, OR-TURN-6
    s = Scene(TABLE)
    for option, grave, told in (("queue", True, "queued"), ("withdraw", False, "withdrawn")):
        (ask,) = ORTUS.rules.powers.open(s.state, "b")
        assert (ask.seat, ask.kind, ask.rule, write(ask.default)) == ("b", "concession", "D-80", option)
        assert [(o.id, o.grave) for o in ask.options] == [(option, grave)]
        ORTUS.rules.powers.use(s.state, "b", "concession", read(option))
        assert s.table.news.pop() == Event(told, {}, ("b",)) and s.earl("b").concede == (option == "queue")
    with pytest.raises(NotLegal, match="There is no standing offer “truce”"):
        ORTUS.rules.powers.use(s.state, "b", "truce", read("queue"))
    assert ORTUS.rules.powers.open(ORTUS.rules.setup(["a", "b"], {}, Chance("x")), "a") == []


# --- the journal ------------------------------------------------------------------------------------------------------


def test_a_round_is_a_chapter() -> None:  # OR-TURN-1
    assert narrate.chapter(Event("round", {"number": 3})) == "Round 3"
    assert narrate.chapter(Event("turn", {"seat": "a"})) == ""


NAMES = {"a": "Anna", "b": "Bert", "c": "Cleo"}


@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        (
            "monastery",
            {"seat": "a", "target": "b", "cards": ["Land/b", "Monk/a"]},
            "Anna’s monks saw Bert’s hand: a Land and Anna’s Monk.",
        ),
        ("prize", {"seat": "a", "loser": "b", "card": "Land/b"}, "Anna took a Land from Bert."),
        ("prize", {"seat": "a", "loser": "b", "card": "Land/c"}, "Anna took Cleo’s Land from Bert."),
        ("installed", {"seat": "a", "card": "Monk/a", "fief": 1, "bumped": None}, "Anna made a Monk the Lord of Fief 1."),
        (
            "installed",
            {"seat": "a", "card": "Prince/a", "fief": 1, "bumped": "Monk/a"},
            "Anna made a Prince the Lord of Fief 1 in place of a Monk.",
        ),
        (
            "installed",
            {"seat": "a", "card": "Prince/a", "fief": 1, "bumped": "Monk/b"},
            "Anna made a Prince the Lord of Fief 1 in place of Bert’s Monk.",
        ),
        ("raided", {"seat": "b", "fief": 2, "cards": []}, "Bert lost nothing in Fief 2."),
        (
            "raided",
            {"seat": "b", "fief": 2, "cards": ["Land/b", "Church/a"]},
            "Bert lost a Land and Anna’s Church in Fief 2.",
        ),
        ("towers_fell", {"seat": "b", "cards": []}, "None of Bert’s Towers fell."),
        ("towers_fell", {"seat": "b", "cards": ["Land/b", "Land/b"]}, "2 of Bert’s Towers fell: 2 Lands."),
        ("hand_damaged", {"seat": "b", "cards": []}, "Bert had no card in hand to lose."),
        ("hand_damaged", {"seat": "b", "cards": ["Monk/b"]}, "Bert lost a Monk from their hand."),
        ("garrisoned", {"seat": "a", "card": "Knight", "slot": "mercenary:2"}, "Anna garrisoned a Mercenary with a Knight."),
        ("garrisoned", {"seat": "a", "card": "Knight", "slot": "royal"}, "Anna garrisoned the Royal Army with a Knight."),
        ("tilters", {"seats": ["b", "c"], "cards": ["Champion/b", "Monk/c"]}, "The tilters: Bert (Champion), Cleo (Monk)."),
        (
            "joust_hands",
            {"hands": {"b": ["JoustPrince", "NoLuck"], "c": ["NoLuck", "NoLuck"]}},
            "The Joust cards: Bert (Prince, No Luck), Cleo (2 No Luck).",
        ),
        (
            "sudden_death",
            {"cards": {"b": "JoustPrince", "c": "NoLuck"}},
            "A tie. One card each: Bert (Prince), Cleo (No Luck).",
        ),
        ("vassal", {"seat": "b", "id": "lord:F2", "side": "defender"}, "Bert committed the Vassal Lord of Fief 2."),
        ("vassal", {"seat": "b", "id": "hand:Vassal/a", "side": "defender"}, "Bert committed Anna’s Vassal from their hand."),
        ("struggle_over", {"seat": "a", "target": "b", "won": True}, "Anna won the Struggle."),
        ("struggle_over", {"seat": "a", "target": "b", "won": False}, "Bert won the Struggle."),
        ("church_decided", {"seat": "c", "result": "AW"}, "Cleo decided for the Church: Attacker Wins."),
    ],
)
def test_what_happens_is_told_whole(kind: str, facts: dict[str, Any], said: str) -> None:
    # OR-INFO-1, OR-CARD-2: a card of another colour is called whose it is.
    assert ORTUS.words.tell(Event(kind, facts), NAMES, None) == said
