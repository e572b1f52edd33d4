"""What an answer will surely do, in words, before it counts; and that it comes so."""

from __future__ import annotations

import json

import pytest

from engine.core import procedure
from engine.core.asks import Refused, read
from engine.fief.rules.court.ransom import full_ransom
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.forces import Side
from engine.fief.rules.war.movement import Movement
from engine.games import game_called

FIEF = game_called("fief")
NAMES = {"a": "Ann", "b": "Bob", "c": "Cy"}


def scene(text: str) -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


def ahead(state: FiefState, line: str, seat: str = "a") -> str:
    """What is said of a legal answer, which changes nothing."""
    before, answer = FIEF.rules.encode(state), procedure.vet(state, seat, read(line))
    said = FIEF.face.preview(state, seat, answer, NAMES)
    assert FIEF.rules.encode(state) == before
    return said


FIELD = "phase: 6a\nArthur: a blaye\nblaye.a: 4 maa\nblaye.b: 2 maa 1 knights\nCharles: b blaye\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("blaye: b\n", "At Blaye, before anybody else joins: you have strength 5 and 1 die, Bob strength 6 and 1 die."),
        (
            "blaye: b stronghold\n",
            "At Blaye, before anybody else joins: you have strength 5 and 0 dice, Bob strength 6 and 1 die. "
            "They are behind walls; your dice already count that.",
        ),
        (
            "options: fog_of_war\nblaye: b\n",
            "At Blaye, before anybody else joins: you have strength 5 and 1 die; the strength of Bob is unseen.",
        ),
    ],
)
def test_strength_and_dice_are_said_before_a_battle(text: str, words: str) -> None:  # FF-BAT-6, FF-BAT-7, FF-OPT-10
    assert ahead(scene(text + FIELD), "attack at=blaye against=[b]") == words


def test_candidacies_are_looked_ahead() -> None:  # FF-ELE-2, FF-KNG-3
    state = scene("phase: 1d\nArthur: a blaye fief=blaye\nCharles: a sigy fief=sigy\nHenri: b bourg fief=bourg\n")
    while procedure.ask_of(state, state.waiting[0]).kind != "stand":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    said = ahead(state, "stand lord=Arthur", state.waiting[0])
    assert said.startswith("Arthur stands for King and can't withdraw. Your FOR marker counts 2 votes"), said


def test_an_heir_is_looked_ahead_with_all_that_he_has_then_and_so_it_comes() -> None:  # FF-DTH-3
    state = scene(
        "phase: cp1\nArthur: a blaye fief=sigy\nCharles: a blaye\nHenri: b bourg\n"
        'stack: {"type":"Round","step":"income"}\n'
        'stack: {"type":"Deaths","step":"next_heir","fiefs":["blaye"],"families":{"blaye":"a"},"spouses":{}}\n'
    )
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").kind == "heir"
    said = {lord: ahead(state, f"give lord={lord}") for lord in ("Arthur", "Charles")}
    assert said["Charles"] == "Charles then has the Duchy of Blaye.", said
    assert said["Arthur"] == "Arthur then has the County of Sigy and the Duchy of Blaye.", said
    procedure.play(state, "a", read("give lord=Charles"))
    assert state.table.lords["Charles"].fiefs == ("blaye",) and state.table.lords["Arthur"].fiefs == ("sigy",)


def test_whom_the_plague_takes_is_said_village_by_village() -> None:  # FF-DIS-5
    state = scene(
        "phase: 2b\nHenri: a bourg\nblaye: a\nblaye.a: 4 maa 3 knights\nla_salle.a: 1 maa 1 knights\n"
        'stack: {"type":"Round","step":"play"}\nstack: {"type":"Plague","step":"plague","see":1}\n'
    )
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").kind == "plague"
    said = ahead(state, "lose blaye=2 la_salle=1")
    assert said == ("At La Salle 1 Knight of yours dies. At Blaye 1 Man-at-Arms and 2 Knights of yours die."), said
    procedure.play(state, "a", read("lose blaye=2 la_salle=1"))
    assert [state.table.troops("a", place) for place in ("blaye", "la_salle")] == [(3, 1), (1, 0)]


MARKET = "phase: 4b\nCharles: a mazilles\nmazilles: a\nmazilles.a: 1 maa\nst_andromy.a: 1 maa\na.deniers: 30\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", "buy items=[(what=maa,at=mazilles,n=2)]", "That costs 2 Deniers and leaves you 28 Deniers."),
        (
            "mazilles: a stronghold\n",
            "buy items=[(what=title,at=mazilles,lord=Charles)]",
            "Charles then has the title of the Barony of Mazilles, and Mazilles becomes its Fortified City.",
        ),
        (
            "Henri: b sigy bishop=5\nEric: c bourg bishop=4 pope\n",
            "buy items=[(what=cardinal,lord=Henri)]",
            "The Pope is asked about the Cardinal's hat for Henri; if he consents, you pay 5 Deniers more.",
        ),
        (
            "Henri: a blaye captor=b\nblaye: b\nblaye.b: 1 maa\n",
            "ransom captive=Henri sum=1",
            "Bob may refuse; then you pay nothing.",
        ),
    ],
)
def test_a_purchase_says_what_it_costs_and_what_is_left(text: str, line: str, words: str) -> None:
    # FF-PUR-2, FF-FTL-2, FF-CAR-3, FF-RAN-4
    own = {row.partition(":")[0] for row in text.splitlines()}
    market = "".join(f"{row}\n" for row in MARKET.splitlines() if row.partition(":")[0] not in own)
    said = ahead(scene(market + text), line)
    assert words in said and "costs 0" not in said


def test_what_is_said_to_be_left_is_left() -> None:
    # FF-PUR-2
    state = scene(MARKET)
    line = "buy items=[(what=mill,at=mazilles,n=1),(what=knight,at=mazilles,n=1)]"
    said = ahead(state, line)
    procedure.play(state, "a", read(line))
    assert said.endswith(f"leaves you {state.table.families['a'].deniers} Deniers.")


def test_a_movement_says_where_all_will_stand() -> None:
    # FF-MOV-1, FF-MOV-2
    state = scene("phase: 5\nCharles: a bourg\nHenri: a bourg\nbourg.a: 3 maa 1 knights\n")
    line = "move moves=[(lords=[Charles],maa=2,to=villeneuve),(lords=[Henri],to=villeneuve),(lords=[Henri],to=bourg)]"
    assert ahead(state, line) == (
        "You then have Charles at Villeneuve, with 2 Men-at-Arms. "
        "You then have Henri at Bourg, with 1 Man-at-Arms and 1 Knight."
    )
    procedure.play(state, "a", read(line))
    assert state.table.troops("a", "villeneuve") == (2, 0) and state.table.lords["Henri"].at == "bourg"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "you have strength 3 and 1 die, Bob strength 4 and 1 die."),
        ("villeneuve: b stronghold\n", "They are behind walls; your dice already count that."),
        ("options: fog_of_war\n", "you have strength 3 and 1 die; the strength of Bob is unseen."),
    ],
)
def test_a_movement_says_what_a_battle_would_begin_with(
    text: str, words: str
) -> None:  # FF-BAT-2, FF-BAT-6, FF-BAT-7, FF-OPT-10
    state = scene(f"{text}phase: 5\nCharles: a bourg\nbourg.a: 3 maa\nvilleneuve.b: 1 maa 1 knights\n")
    said = ahead(state, "move moves=[(lords=[Charles],maa=2,to=villeneuve)]")
    own = int(said.partition("you have strength ")[2].split()[0])
    assert "If it comes to battle at Villeneuve, before anybody else joins: " in said
    assert said.endswith(words.replace("strength 3", f"strength {own}")), said
    procedure.play(state, "a", read("move moves=[(lords=[Charles],maa=2,to=villeneuve)]"))
    assert Side("villeneuve", ["a"]).strength(state.table) == own, "and so it comes"
    assert "comes to battle" not in ahead(scene("phase: 5\nCharles: a bourg\nbourg.a: 3 maa\n"), MARCHED)


MARCHED = "move moves=[(lords=[Charles],maa=2,to=villeneuve)]"


SHUT = "phase: 5\nCharles: a charolles\ncharolles: a stronghold engine=b/1 engine=c/1\ncharolles.a: 1 knights\n"
SHUT += "charolles.b: 1 maa on blaye\ncharolles.c: 1 maa on blaye\n"


@pytest.mark.parametrize(
    ("more", "row", "words"),
    [
        ("", "", "To go on from Charolles you need the leave of Bob and Cy. You then have Charles at L'Épervier"),
        ("a.hand: secret_passage\n", ",refused=steal", "You spend a Secret Passage at Charolles and need no leave there."),
        ("a.hand: secret_passage\n", ",refused=slip", "To go on from Charolles you need the leave of Bob and Cy."),
        ("", ",knights=1,refused=charge", "You fight a Cavalcade at Charolles against Bob and Cy; the dice decide"),
    ],
)
def test_a_movement_says_who_has_to_give_leave_and_where_dice_decide(more: str, row: str, words: str) -> None:
    # FF-MOV-7, FF-MOV-10, FF-MOV-14, FF-SEC-2
    own = {row.partition(":")[0] for row in more.splitlines()}
    shut = "".join(f"{row}\n" for row in SHUT.splitlines() if row.partition(":")[0] not in own)
    assert words in ahead(scene(shut + more), f"move moves=[(lords=[Charles],to=lepervier{row})]")


def test_leave_that_was_refused_this_round_is_not_asked_for_again() -> None:  # FF-MOV-7
    state, line = scene(SHUT), "move moves=[(lords=[Charles],to=lepervier)]"
    movement = state.stack[-1]
    assert isinstance(movement, Movement)
    movement.denied = [("c", "charolles"), ("b", "blaye")]
    assert ahead(state, line).startswith("Cy refused you leave to go on from Charolles this round, and won't be asked again. ")
    ((leg,),) = [row["legs"] for row in FIEF.face.forecast(state, "a", read(line))["rows"]]
    assert (leg["leave"], leg["refused"], leg["asked"]) == ([], ["c"], ["c"])


def test_what_cannot_be_marched_is_drawn_as_nothing_and_says_nothing() -> None:  # FF-MOV-1
    state, answer = scene(SHUT), read("move moves=[(lords=[Charles],to=sigy)]")
    assert FIEF.face.preview(state, "a", answer, NAMES) == "" and FIEF.face.forecast(state, "a", answer) == {}


def test_a_ballot_says_what_each_marker_counts() -> None:
    # FF-BIS-3, FF-ELE-3
    state = scene("phase: 1b\nArthur: a tournus\ntournus: a\nchateauneuf.a: 1 maa\nmazilles.a: 1 maa\nst_andromy.a: 1 maa\n")
    procedure.play(state, "a", read("stand lord=Arthur"))
    said = ahead(state, "vote for=Arthur decoy=Arthur")
    assert said == "Your FOR marker counts 5 votes for Arthur, as things stand. The decoy on Arthur counts nothing."
    assert ahead(state, "none") == "You vote for nobody."


def test_titles_say_who_has_what_then() -> None:
    # FF-FTL-6, FF-FTL-7
    state = scene(MARKET + "Henri: a mazilles fief=tournus fief=blaye\n")
    assert (
        ahead(state, "move_title fief=tournus lord=Charles")
        == "Charles then has the County of Tournus; Henri keeps the Duchy of Blaye."
    )


def test_where_a_plague_waits_nothing_is_said_of_what_comes_after() -> None:
    # FF-DIS-6
    state = scene("phase: 5\nweather: plague 2\nArthur: a lepervier\nlepervier.a: 2 maa\n")
    said = ahead(state, "move moves=[(lords=[Arthur],maa=2,to=chateauneuf)]")
    assert said == "At Châteauneuf the Plague strikes those who are new to it; the dice decide the rest."


@pytest.mark.parametrize(
    ("text", "option", "words"),
    [
        ("Arthur: a blaye\na.deniers: 0\n", "buy", "The cheapest thing there is costs 1 Denier, and you have 0 Deniers."),
        ("blaye: b\na.deniers: 9\nArthur: a blaye captor=b\nblaye.b: 1 maa\n", "buy", "You have no village and no free Lord"),
        ("Arthur: a blaye fief=blaye\na.deniers: 9\n", "move_title", "None of your Lords has two Fief titles"),
        ("Arthur: a blaye fief=blaye fief=sigy\na.deniers: 9\n", "move_title", "No Lord of your family has room"),
        ("Arthur: a blaye\na.deniers: 9\nHenri: b sigy king\n", "gift", "Only a free King or Queen Regent gives"),
        ("blaye: b\nArthur: a blaye king captor=b\nblaye.b: 1 maa\na.deniers: 9\n", "gift", "Arthur is a captive"),
        ("Arthur: a blaye king\na.deniers: 9\n", "gift", "No unclaimed Fief title can be given"),
        ("Arthur: a blaye\na.deniers: 9\n", "ransom", "No Lord of yours is a captive"),
    ],
)
def test_what_can_not_be_done_in_a_purchase_says_why(text: str, option: str, words: str) -> None:
    # FF-PUR-2, FF-FTL-6, FF-FTL-7, FF-RAN-4
    state = scene("options: hidden_deniers\nphase: 4b\n" + text)
    while procedure.ask_of(state, state.waiting[0]).kind != "purchase":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    ask = procedure.ask_of(state, "a")
    why = {one.id: str(one.why) for one in procedure.shut(state, "a", ask)}
    assert words in why[option]
    assert {*why} | {o.id for o in ask.options} == {"buy", "move_title", "gift", "ransom", "done"}
    with pytest.raises(Refused) as refusal:
        procedure.vet(state, "a", read(option))
    assert str(refusal.value) == why[option]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("phase: 5\nCharles: a bourg\nbourg.a: 3 maa\nvilleneuve.b: 1 maa 1 knights\n", "maa=2,to=villeneuve"),
        ("options: fog_of_war\nphase: 5\nCharles: a bourg\nbourg.a: 3 maa\nvilleneuve.b: 1 maa\n", "maa=2,to=villeneuve"),
        (SHUT, "to=lepervier"),
        (SHUT, "knights=1,to=lepervier,refused=charge"),
        (SHUT + "a.hand: secret_passage\n", "to=lepervier,refused=steal"),
        ("phase: 5\nweather: plague 2\nCharles: a lepervier\nlepervier.a: 2 maa\n", "maa=2,to=chateauneuf"),
    ],
)
def test_what_is_drawn_of_a_movement_is_what_is_said_of_it(text: str, row: str) -> None:
    # FF-MOV-7, FF-MOV-14, FF-SEC-2, FF-DIS-6, FF-BAT-6, FF-OPT-10
    state, line = scene(text), f"move moves=[(lords=[Charles],{row})]"
    said, before = ahead(state, line), FIEF.rules.encode(state)
    drawn = FIEF.face.forecast(state, "a", procedure.vet(state, "a", read(line)))
    assert FIEF.rules.encode(state) == before and json.loads(json.dumps(drawn)) == drawn, "plain data, and nothing has moved"
    (march,) = drawn["rows"]
    (leg,) = march["legs"]
    for words, found in (
        ("you need the leave of", leg["leave"]),
        ("You fight a Cavalcade", leg["ride"]),
        ("You spend a Secret Passage", leg["passage"]),
        ("the Plague strikes", leg["plague"]),
        ("the dice decide the rest", drawn["open"]),
        ("comes to battle", drawn["battles"]),
    ):
        assert (words in said) == bool(found), (words, said, drawn)
    for seat in leg["leave"] + leg["ride"]:
        assert NAMES[seat] in said
    assert leg["asked"] == leg["leave"] + leg["refused"] and march["asks"] == bool(leg["asked"] or leg["ride"])
    for b in drawn["battles"]:
        assert f"you have strength {b['strength']} " in said and ("unseen" in said) == (b["foe"] is None)
    assert drawn["open"] or march["stay"] == sum(state.table.troops("a", march["at"])) or "maa=" in row


def test_where_a_row_that_is_drawn_leaves_troops_they_are_counted() -> None:  # FF-MOV-2
    state = scene("phase: 5\nCharles: a bourg\nbourg.a: 3 maa 1 knights\n")
    answer = procedure.vet(state, "a", read("move moves=[(lords=[Charles],maa=1,to=villeneuve,then=charolles)]"))
    (march,) = FIEF.face.forecast(state, "a", answer)["rows"]
    ways = [(leg["at"], leg["to"]) for leg in march["legs"]]
    assert (march["at"], ways, march["stay"]) == ("bourg", [("bourg", "villeneuve"), ("villeneuve", "charolles")], 3)


RANSOM = "phase: 4b\nArthur: a mazilles\nHenri: a blaye captor=b\nblaye: b\nblaye.b: 1 maa\na.deniers: 9\n"
CROWNED = (
    "phase: 4b\nArthur: a blaye fief=blaye king\nHenri: b st_paul\nst_paul: b stronghold\nst_paul.b: 1 maa\nles_essarts: b\n"
)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            RANSOM,
            "ransom captive=Henri sum={full}",
            "That is the full ransom: Henri is free at once. You keep {left}.",
        ),
        (
            RANSOM,
            "ransom captive=Henri sum=1",
            "Bob may refuse; then you pay nothing. If it is accepted, you keep 8 Deniers.",
        ),
        (CROWNED, "gift title=st_paul/Henri", "Bob may accept it, and then chooses the Fortified City."),
    ],
)
def test_a_ransom_and_a_gift_say_who_is_asked_and_what_is_left(text: str, line: str, words: str) -> None:
    # FF-RAN-4, FF-KNG-4
    state = scene(text)
    full = full_ransom(state.table, state.table.lords["Henri"])
    left = f"{9 - full} Denier{'s' * (9 - full != 1)}"
    assert ahead(state, line.format(full=full)) == words.format(left=left)


def test_who_is_captured_where_a_move_ends_is_said_and_drawn_and_so_it_comes() -> None:  # FF-AMB-40, FF-MOV-2
    state = scene("rulings: FF-AMB-40=presence\nphase: 5\nArthur: a blaye\nblaye.a: 2 maa\nHenri: b charolles\n")
    line = "move moves=[(lords=[Arthur],maa=2,to=charolles)]"
    assert "Ann captures Henri at once at Charolles." in ahead(state, line).replace("by you", "by Ann")
    drawn = FIEF.face.forecast(state, "a", procedure.vet(state, "a", read(line)))
    assert [leg["seized"] for leg in drawn["rows"][0]["legs"]] == [True]
    procedure.play(state, "a", read(line))
    assert state.table.lords["Henri"].captor == "a"


def test_no_battle_with_an_ally_is_drawn_ahead() -> None:  # FF-MAR-9, FF-BAT-2
    state: FiefState = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c d\nfirst: a\nphase: 5\nArthur: a blaye spouse=Jeanne\nJeanne: b charolles spouse=Arthur\n"
        "blaye.a: 2 maa\ncharolles: b\ncharolles.b: 1 maa\ncharolles.c: 1 maa on lepervier\n"
    )
    procedure.begin(state)
    answer = procedure.vet(state, "a", read("move moves=[(lords=[Arthur],maa=2,to=charolles)]"))
    assert "'c'" in str(FIEF.face.forecast(state, "a", answer)["battles"])
    assert "'b'" not in str(FIEF.face.forecast(state, "a", answer)["battles"])
