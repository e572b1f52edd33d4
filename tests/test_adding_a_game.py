"""The page that tells how a game is added can be followed: what it makes is a game, and keeps the contract of every game."""

from __future__ import annotations

import inspect
import json
import random
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import MISSING, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from engine.core import offers
from engine.core.asks import Answer, Ask
from engine.core.chance import Chance
from engine.core.procedure import Unfinished
from engine.core.visibility import Own
from engine.game import DERIVED, AnyState, Bots, Checks, Face, Game, Log, Powers, Rules, Words
from engine.games import GAMES
from engine.play.match import run_offer
from engine.tools import skeleton
from engine.tools.owed import OPTIONAL, faults
from engine.ui.boards import board
from service.tools import new_game
from tests import followed
from tests.contract import test_before_the_start, test_events, test_languages, test_orders, test_play, test_purity, test_secrets
from tests.contract.walk import NAMES
from tests.scene import Scene
from tests.telling import command


def owed(module: ModuleType) -> list[Callable[..., None]]:
    """The contract's tests that take a game, without the long ones."""
    found = [f for name, f in vars(module).items() if name.startswith("test_")]
    found = [f for f in found if set(inspect.signature(f).parameters) in ({"game"}, {"game", "monkeypatch"})]
    return [f for f in found if not any(mark.name == "soak" for mark in getattr(f, "pytestmark", ()))]


MODULES = (test_before_the_start, test_events, test_languages, test_orders, test_play, test_purity, test_secrets)
CONTRACT = [f for module in MODULES for f in owed(module)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("followed")


@pytest.fixture(scope="module")
def game(folder: Path) -> Iterator[Game]:
    with followed.playable(folder) as found:
        yield found


def run(*words: str) -> tuple[int, str]:
    """A `writ` command's exit code and output."""
    done = CliRunner().invoke(command(), [*words])
    return done.exit_code, done.output


# --- the page, from an empty folder -----------------------------------------------------------------------------------


def test_a_new_game_is_written_and_its_own_tests_pass(tmp_path: Path) -> None:
    code, told = run("new-game", "gambit", "--folder", str(tmp_path))
    assert code == 0 and "writ games --check gambit" in told and "bots " in told
    files = {str(f.relative_to(tmp_path)) for f in tmp_path.rglob("*.*") if f.is_file()}
    game = {"gambit/gambit/__init__.py", "gambit/gambit/lore/words.en.toml"}
    assert files == {*game, "gambit/pyproject.toml", "gambit/tests/test_gambit.py"}
    assert followed.lines(tmp_path) < 160
    with followed.imported(tmp_path):
        own = runpy.run_path(str(tmp_path / "gambit/tests/test_gambit.py"))
        tests = [test for name, test in own.items() if name.startswith("test_")]
        for test in tests:
            test()
    assert len(tests) == 2


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Gambit", "is no name for a game"),
        ("class", "is no name for a game"),
        ("fief", "There is a game called “fief” already."),
        ("json", "is the name of an installed Python module"),
        ("gambit", "is there already"),
    ],
)
def test_a_name_that_can_t_be_used_is_refused(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "gambit").mkdir()
    code, told = run("new-game", name, "--folder", str(tmp_path))
    assert code == 1 and why in told


def test_a_change_owes_words_until_it_has_them(tmp_path: Path) -> None:
    new_game.write("gambit", tmp_path)
    followed.change(tmp_path, ".py")
    with followed.imported(tmp_path):
        code, told = run("games", "--check", "gambit")
    assert code == 1
    for entry in (
        "“looks” in the section “event”",
        "“looked” in",
        "“look” in the section “ask”",
        "“look” in the section “option”",
    ):
        assert entry in told
    followed.change(tmp_path, ".toml")
    with followed.imported(tmp_path):
        code, told = run("games", "--check", "gambit")
    assert code == 0 and told.startswith("gambit owes nothing.")


def test_a_registered_game_is_found_and_a_broken_one_is_named(tmp_path: Path) -> None:
    """In a process of its own: the registry reads entry points once."""
    new_game.write("gambit", tmp_path)
    info = tmp_path / "gambit" / "gambit.dist-info"
    info.mkdir()
    others = "fief = gambit:GAME\nlost = gambit.lost:GAME\nnone = gambit:deal\nortus = gambit:GAME\nother = gambit:GAME\n"
    (info / "entry_points.txt").write_text(f"[writ.games]\ngambit = gambit:GAME\n{others}", "utf-8")
    code = "from engine.games import GAMES; print(*GAMES, sep=','); print(*GAMES.faults.values(), sep='\\n')"
    path = f"{Path(__file__).parents[1]}:{tmp_path / 'gambit'}"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True)
    listed, *faults = done.stdout.splitlines()
    assert listed == "ortus,mastery,fief,gambit", done.stderr
    said = (
        "gambit:GAME is registered as “fief”",
        "gambit.lost:GAME can't be imported (ModuleNotFoundError",
        "gambit:deal is no Game, but function.",
        "gambit:GAME is registered as “ortus”",
        "gambit:GAME is registered as “other”",
    )
    assert len(faults) == len(said) and all(why.startswith(begins) for why, begins in zip(faults, said, strict=True)), faults


@pytest.mark.parametrize("owes", CONTRACT, ids=lambda f: f.__name__)
def test_it_keeps_the_contract(game: Game, owes: Callable[..., None], request: pytest.FixtureRequest) -> None:
    more = {name: request.getfixturevalue(name) for name in inspect.signature(owes).parameters if name != "game"}
    with test_languages.foreign_spoken() if owes.__module__ == test_languages.__name__ else nullcontext():
        owes(game, **more)


@pytest.mark.parametrize("seats", ["2", "3", "4"])
def test_random_games_come_to_an_end(game: Game, seats: str) -> None:
    code, told = run("playout", "--game", game.name, "--seats", seats, "--games", "20")
    tally = json.loads(told)
    assert code == 0 and (tally["games"], tally["stalls"], tally["errors"]) == (20, 0, 0), tally["faults"]


# --- what follows from who sees what ----------------------------------------------------------------------------------

GIVEN = """gambit: 1
seats: a b c
a.hand: Page, King
b.hand: Earl, Squire
c.hand: Baron, Knight
deck: Page, Earl, King
a.points: 1
b.points: 0
c.points: 0
stack: Round lay
"""


def test_a_view_shows_what_each_may_see(game: Game) -> None:
    state = Scene(game.rules.notation.read(GIVEN)).state
    points = {"a": 1, "b": 0, "c": 0}
    rest = {"game": "gambit", "deck": 3, "points": points, "doing": [], "outcome": None}
    assert game.rules.view(state, "a") == {**rest, "seat": "a", "hand": {"a": ["Page", "King"], "b": 2, "c": 2}}
    assert game.rules.view(state, None) == {**rest, "seat": None, "hand": {"a": 2, "b": 2, "c": 2}}


def test_a_position_is_read_and_written_with_what_each_may_see(game: Game) -> None:
    state = game.rules.notation.read(GIVEN)
    text = game.rules.notation.whole(state)
    assert set(GIVEN.splitlines()[:-1]) <= set(text.splitlines())
    assert game.rules.notation.read(text) == state
    seen = game.rules.notation.seen(state, "b").splitlines()
    assert {"a.hand: ?2", "b.hand: Earl, Squire", "a.points: 1", "deck: ?3"} <= set(seen)
    assert not any(line.startswith(("chance", "stack", "asked")) for line in seen)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("d.points: 3", "there is no seat “d”; there are: a, b, c"),
        ("a.gold: 3", "there is no zone “gold”; there are: hand, points"),
        ("gold: 3", "there is no zone “gold”; there are: deck"),
        ("b.points: many", "Line 11 can't be read"),
        ("gambit: 2", "notation version 2 is unknown"),
    ],
)
def test_a_position_that_can_t_be_read_says_where(game: Game, line: str, sentence: str) -> None:
    given = GIVEN.replace("b.points: 0\n", "") + "# here\n" if line.startswith("b.points") else GIVEN
    with pytest.raises(Exception, match=r"Line 1\d") as refused:
        game.rules.notation.read(given + line + "\n")
    assert sentence in str(refused.value)


def test_redealing_keeps_what_is_seen_and_deals_the_rest(game: Game) -> None:
    state, dealt = game.rules.notation.read(GIVEN), set[str]()
    for n in range(30):
        other = game.rules.redeal(state, "a", Chance(f"{n}"))
        assert game.rules.view(other, "a") == game.rules.view(state, "a")
        dealt.add(" ".join(other.table.hand["b"]))
        cards = [*other.table.deck, *(card for hand in other.table.hand.values() for card in hand)]
        assert sorted(cards) == sorted(["Page", "King", "Earl", "Squire", "Baron", "Knight", "Page", "Earl", "King"])
    assert len(dealt) > 10


def test_redealing_leaves_a_card_where_a_proposal_has_shown_it(game: Game) -> None:
    state = Scene(game.rules.notation.read(GIVEN)).state
    run_offer(game, state, "b", "offer", Answer("offer", {"to": "a", "card": "Squire"}))
    to_a, to_c = ([game.rules.redeal(state, seat, Chance(f"{n}")).table for n in range(30)] for seat in "ac")
    assert all("Squire" in table.hand["b"] for table in to_a) and {len(table.proposals.open) for table in to_a} == {1}
    assert not all("Squire" in table.hand["b"] for table in to_c) and {len(table.proposals.open) for table in to_c} == {0}


def test_what_was_counted_of_proposals_is_in_the_position(game: Game) -> None:
    state = Scene(game.rules.notation.read(GIVEN)).state
    run_offer(game, state, "b", "offer", Answer("offer", {"to": "a", "card": "Squire"}))
    ((number, ask),) = offers.proposals(state, "a")
    run_offer(game, state, "a", ask.kind, Answer("refuse"), number)
    assert not state.table.proposals.open and game.rules.notation.read(game.rules.notation.whole(state)) == state


def test_an_offer_reads_from_both_sides(game: Game) -> None:
    state = Scene(game.rules.notation.read(GIVEN)).state
    run_offer(game, state, "b", "offer", Answer("offer", {"to": "a", "card": "Squire"}))
    ((_, to_a),), ((_, of_b),) = offers.proposals(state, "a"), offers.own(state, "b")
    assert game.words.labels.title(to_a, NAMES) == "Bob offers you the Squire. Swap?"
    assert game.words.labels.title(of_b, NAMES) == "You offer Ann the Squire."
    assert game.words.labels.option(of_b, "withdraw", NAMES) == "Withdraw it"


def test_a_board_is_made_of_what_a_view_holds(game: Game) -> None:
    state = game.rules.notation.read(GIVEN)
    shown = {part.title: part.lines for part in board(game, game.rules.view(state, "a"), {"a": "Ann", "b": "Bob", "c": "Cy"})}
    assert list(shown) == ["Ann (you)", "The table", "Bob", "Cy"]
    assert shown["Ann (you)"] == [("Hand", "Page, King"), ("Points", "1")]
    assert shown["Bob"] == [("Hand", "2"), ("Points", "0")] and shown["The table"] == [("Cards in the deck", "3")]


def test_a_field_that_doesn_t_say_who_sees_it_is_refused(game: Game) -> None:
    class Forgetful(game.rules.state.__args__[0]):  # type: ignore[misc,name-defined]  # a base found at run time
        secrets: list[str] = []

    with pytest.raises(Unfinished, match=r"Forgetful.secrets: it doesn't say who sees it"):
        replace(game, rules=replace(game.rules, state=type_of(game, Forgetful), view=DERIVED, redeal=DERIVED))


def test_what_is_hidden_and_no_piece_needs_a_redeal_of_the_game_s_own(game: Game) -> None:
    class Sworn(game.rules.state.__args__[0]):  # type: ignore[misc,name-defined]  # a base found at run time
        sworn: Own[dict[str, bool]] = {}

    with pytest.raises(Unfinished, match="no pieces"):
        replace(game, rules=replace(game.rules, state=type_of(game, Sworn), view=DERIVED, redeal=DERIVED))
    assert replace(game, rules=replace(game.rules, state=type_of(game, Sworn), view=DERIVED))


def type_of(game: Game, table: type) -> object:
    """The game's states, with another table."""
    return game.rules.state.__origin__[table, game.rules.state.__args__[1]]


def test_a_game_needs_to_say_how_it_begins(game: Game) -> None:
    with pytest.raises(Unfinished, match="needs `deal`, or `setup`"):
        replace(game, rules=replace(game.rules, deal=None, setup=DERIVED))


def test_a_set_up_of_hands_alone_refuses_what_it_doesn_t_know(game: Game) -> None:
    with pytest.raises(Exception, match=r"Gambit is for 2 to 4 players, not 5\."):
        game.rules.setup("abcde", {}, Chance("1"))
    with pytest.raises(Exception, match=r"Gambit has no option “gold”\."):
        game.rules.setup("ab", {"gold": 3}, Chance("1"))
    with pytest.raises(Exception, match="There is no ruling “G-1”"):
        game.rules.setup("ab", {}, Chance("1"), {"G-1": "yes"})


def with_rules(**changed: Any) -> Game:
    """The skeleton with other rules."""
    return replace(skeleton.GAME, rules=replace(skeleton.GAME.rules, **changed))


FAULTY = (
    (
        with_rules(audience=lambda _kind, _seat, _answer: None),
        "only a, b know of the proposal swap, but more see the use of offer",
    ),
    (with_rules(deal=None, setup=lambda *_: 1 // 0), "ZeroDivisionError"),
    (with_rules(powers=Powers(lambda state, seat: [powers_of(state, seat)[0]], skeleton.use_power)), "IndexError"),
)


def powers_of(state: AnyState, seat: str) -> list[Ask]:
    return skeleton.powers(state, seat)


@pytest.mark.parametrize(("game", "fault"), FAULTY, ids=[fault for _, fault in FAULTY])
def test_what_a_game_does_wrong_is_among_what_it_owes(game: Game, fault: str) -> None:
    (found,) = faults(game)
    assert fault in found


def test_a_bare_number_is_no_id_of_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeleton, "RANKS", tuple("123456"))
    (found,) = faults(skeleton.GAME, listed=False)
    assert "a bare number is no id: call it c" in found


def test_an_offer_that_can_t_be_accepted_is_found_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeleton.Swap, "stands", lambda *_: True)
    (found,) = faults(skeleton.GAME)
    assert "skeleton/__init__.py, line" in found and "in take" in found


TELL, TAKE, ASK = skeleton.Table.tell, skeleton.Round.take_lay, skeleton.Round.ask_lay
DIFFERS = "the same seed and answers led to two different positions"


def told_to_all(table: Any, kind: str, only: Any = None, **facts: Any) -> None:
    TELL(table, kind, only=None if kind == "offered" else only, **facts)


def shuffled_without_chance(procedure: Any, table: Any, answers: dict[str, Answer]) -> Any:
    random.shuffle(table.deck)
    return TAKE(procedure, table, answers)


def scoring_question(procedure: Any, table: Any, seat: str) -> Ask:
    table.points[seat] += 1
    return ASK(procedure, table, seat)


def without_winner(procedure: Any, table: Any, answers: dict[str, Answer]) -> Any:
    then = TAKE(procedure, table, answers)
    table.outcome = None
    return then


@pytest.mark.parametrize(
    ("part", "changed", "fault"),
    [
        ("take", shuffled_without_chance, DIFFERS),
        ("ask", scoring_question, DIFFERS),
        ("take", without_winner, "the game has no end: set table.outcome"),
        ("take", lambda *_: "lie", "Round: there is no step “lie”."),
    ],
)
def test_a_broken_step_is_among_what_a_game_owes(
    monkeypatch: pytest.MonkeyPatch, part: str, changed: Callable[..., Any], fault: str
) -> None:
    step = msgspec.structs.replace(skeleton.Round.steps["lay"], **{part: changed})
    monkeypatch.setitem(skeleton.Round.steps, "lay", step)
    (found,) = faults(skeleton.GAME)
    assert fault in found


def test_an_event_that_more_see_than_the_proposal_is_among_what_a_game_owes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeleton.Table, "tell", told_to_all)
    (found,) = faults(skeleton.GAME)
    assert "but more are told of “offered”" in found


def members(part: Any, path: str = "") -> dict[str, Any]:
    """Members of a game's parts by path, `face.board`, with their fields."""
    found: dict[str, Any] = {}
    for field in fields(part):
        at, value = path + field.name, getattr(part, field.name)
        inner = members(value, f"{at}.") if isinstance(value, (Rules, Words, Face, Bots, Powers, Checks, Log)) else {at: field}
        found.update(inner)
    return found


def test_every_member_of_a_game_is_needed_derived_or_listed_with_what_it_brings() -> None:
    found = members(skeleton.GAME)
    needed = {path for path, f in found.items() if f.default is MISSING and f.default_factory is MISSING}
    derived = {path for path, f in found.items() if f.default is DERIVED}
    assert found.keys() == needed | derived | {"rules.deal"} | OPTIONAL.keys()
    assert len(needed) <= 12 and all(game.rules.setup for game in GAMES.values())
