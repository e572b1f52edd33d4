"""Rulings: rules change, games don't. Running games keep what they began with; recorded ones replay for ever."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engine.bots.random import legal_at_random
from engine.core import procedure, rulings
from engine.core.asks import SEATS, NotUnderstood, Refused, read, write
from engine.core.chance import Chance
from engine.core.rulings import Ruling
from engine.game import Game
from engine.games import GAMES, game_called
from engine.language.words import Message, say
from engine.mastery import MASTERY
from engine.play import match as matches
from engine.play.match import Header, Match
from tests.contract.walk import AT, finished, fresh, header_for, walk
from tests.toy_game import FAIR

FOLDER = Path(__file__).parents[1] / "games"
FILES = sorted(file for file in FOLDER.glob("*/*.jsonl") if file.parent.name in GAMES)
SNAPSHOTS = sorted(FOLDER.glob("*/*.snapshot"))
RULED = [game for game in (*GAMES.values(), FAIR) if game.rules.rulings]


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)


@pytest.fixture(params=RULED, ids=[g.name for g in RULED])
def game(request: pytest.FixtureRequest) -> Game:
    found: Game = request.param
    return found


def turn_all(monkeypatch: pytest.MonkeyPatch, game: Game) -> None:
    """Change the default of every ruling of a game to another alternative, as a mend does."""
    assert isinstance(game.rules.rulings, dict)
    for id, ruling in list(game.rules.rulings.items()):
        other = next(value for value in ruling.alternatives if value != ruling.default)
        monkeypatch.setitem(game.rules.rulings, id, replace(ruling, default=other))


def add_one(monkeypatch: pytest.MonkeyPatch, game: Game) -> None:
    """Add a ruling, as the first mend of another rule does."""
    assert isinstance(game.rules.rulings, dict)
    mend = Ruling("NEW-1", "Something", {"old": "As it was", "new": "Mended"}, default="new", before="old")
    monkeypatch.setitem(game.rules.rulings, mend.id, mend)


def old(game: Game, n: int, number: int) -> tuple[Header, bytes]:
    """The header of a match from before there were rulings."""
    header, seed = header_for(game, n, number)
    return msgspec.structs.replace(header, rulings={}), seed


def play_on(match: Match, number: int) -> list[str]:
    """Play to the end, at random and by safe defaults; the default of every ask."""
    rng, defaults = random.Random(number), []
    while match.state.waiting:
        seat = match.state.waiting[0]
        defaults.append(write(procedure.ask_of(match.state, seat).default))
        answer = read(defaults[-1]) if rng.random() < 0.3 else legal_at_random(match.state, seat, rng)
        match.play(seat, answer, AT, "page")
    return defaults


# --- what rulings are -------------------------------------------------------------------------------------------------


def test_the_great_games_have_rulings() -> None:
    assert {game.name for game in RULED} >= {"ortus", "mastery", "fief"}


def test_every_ruling_is_whole(game: Game) -> None:
    for id, ruling in game.rules.rulings.items():
        assert ruling.id == id and ruling.about and len(ruling.alternatives) > 1
        assert {ruling.default, ruling.before} <= ruling.alternatives.keys()
        assert all(ruling.alternatives.values())
        assert "=" not in id and not any(c.isspace() for c in "".join((id, *ruling.alternatives)))


def test_rulings_are_read_from_the_lore_of_their_game(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {
        ("engine.toys.fair", "rulings.toml"): """
            [T-01]
            values = ["one", "two"]
            default = "two"
            before = "one"
            [T-02]
            values = ["yes", "no"]
            default = "yes"
            before = "yes"
            house = true
        """
    }
    monkeypatch.setattr("engine.core.rulings.lore.text", lambda *of: listed[of])
    found = rulings.load("engine.toys.fair")
    assert list(found) == ["T-01", "T-02"]
    words = {value: say(f"fair.ruling.T-01.{value}") for value in ("one", "two")}
    assert found["T-01"] == Ruling("T-01", say("fair.ruling.T-01"), words, "two", "one", False)
    words = {value: say(f"fair.ruling.T-02.{value}") for value in ("yes", "no")}
    assert found["T-02"] == Ruling("T-02", say("fair.ruling.T-02"), words, "yes", "yes", True)


def test_a_value_that_is_not_named_is_the_one_from_before(game: Game) -> None:
    seats = list(SEATS[: game.rules.seats[0]])
    new = game.rules.setup(seats, {}, Chance("x")).table
    running = game.rules.setup(seats, {}, Chance("x"), {}).table
    for id, ruling in game.rules.rulings.items():
        assert new.ruled(id) == ruling.default and running.ruled(id) == ruling.before
    with pytest.raises(KeyError):
        new.ruled("nonsense")


def test_rulings_as_text_are_read_back(game: Game) -> None:
    text = rulings.write(game.rules.rulings, rulings.defaults(game.rules.rulings))
    assert (
        rulings.read(game.rules.rulings, text) == rulings.read(game.rules.rulings, "") == rulings.defaults(game.rules.rulings)
    )
    id, ruling = next(iter(game.rules.rulings.items()))
    for value in ruling.alternatives:
        assert rulings.read(game.rules.rulings, f"{id}={value}")[id] == value
    for wrong in ("nonsense", f"{id}", f"{id}=?", f"{id}={ruling.default} {id}={ruling.default}", "nonsense=1", "="):
        with pytest.raises(NotUnderstood):
            rulings.read(game.rules.rulings, wrong)


# --- headers ----------------------------------------------------------------------------------------------------------


def test_a_header_from_before_there_were_rulings_is_written_and_hashed_as_it_was() -> None:
    header, _ = old(FAIR, 2, 1)
    line = msgspec.json.encode(header).decode()
    assert "rulings" not in line
    assert matches.read_header(line) == header
    with pytest.raises(NotUnderstood, match="not as it was written"):
        matches.read_header(line[:-1] + ',"rulings":{}}')


def test_a_new_header_lists_every_ruling_and_the_hash_covers_them(game: Game) -> None:
    header, seed = header_for(game, game.rules.seats[0], 1)
    assert (
        header.rulings == rulings.defaults(game.rules.rulings) and header.hash() != old(game, game.rules.seats[0], 1)[0].hash()
    )
    line = msgspec.json.encode(header).decode()
    assert matches.read_header(line) == header
    assert matches.start(header, seed).state.table.rulings == header.rulings


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"T-99": "coin"}, "There is no ruling “T-99”; there is: T-05. A newer program may know it."),
        ({"T-05": "three"}, "The ruling T-05 can't be “three”; it is one of: coin, double. A newer program may know more."),
    ],
)
def test_rulings_that_are_not_known_are_refused_with_a_sentence(named: dict[str, str], words: str) -> None:
    match = finished(FAIR, 2, 3)
    header = msgspec.structs.replace(match.header, rulings=named)
    with pytest.raises(NotUnderstood) as refusal:
        matches.start(header, match.seed)
    assert str(refusal.value) == words
    header, seed = header_for(MASTERY, 2, 1)
    header = msgspec.structs.replace(header, rulings={"DEF-2": "living"})
    with pytest.raises(NotUnderstood, match="There is no ruling"):
        matches.start(header, seed)


def test_a_program_plays_every_older_version_of_the_rules_and_no_newer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    match = finished(FAIR, 2, 3)
    monkeypatch.setitem(GAMES, "fair", replace(FAIR, rules=replace(FAIR.rules, version=3)))
    assert matches.verify(matches.to_lines(match.header, match.entries)).holds
    assert game_called("fair", 2).rules.version == 3
    for wrong in (4, 0, -1):
        with pytest.raises(NotUnderstood, match=f"no rules version {wrong} here; this program plays all up to 3"):
            game_called("fair", wrong)


# --- rules change, games don't ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_recorded_games_of_every_set_hold_whatever_the_defaults_become(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = GAMES[file.parent.name]
    turn_all(monkeypatch, played)
    add_one(monkeypatch, played)
    monkeypatch.setitem(GAMES, played.name, replace(played, rules=replace(played.rules, version=played.rules.version + 1)))
    verdict = matches.verify(file.read_text("utf-8").splitlines())
    assert verdict.holds, verdict.sentence


def test_sets_of_both_kinds_are_recorded() -> None:
    for game in (g for g in RULED if g is not FAIR):
        of = [matches.read_header(f.read_text("utf-8").splitlines()[0]) for f in FILES if f.parent.name == game.name]
        assert any(not h.rulings for h in of), "from before there were rulings"
        ruled = [h.rulings for h in of if h.rulings]
        for id, ruling in game.rules.rulings.items():
            assert {r.get(id, ruling.before) for r in ruled} & ruling.alternatives.keys()
        assert any(r != rulings.defaults(game.rules.rulings) for r in ruled), "and one that was begun by other rulings"


@pytest.mark.parametrize("named", [True, False], ids=["listed", "from-before"])
def test_a_running_game_is_played_to_its_end_by_the_rulings_that_it_began_with(
    game: Game, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        header, seed = header_for(game, game.rules.seats[0], number) if named else old(game, game.rules.seats[0], number)
        plain = matches.start(header, seed)
        defaults = play_on(plain, number)
        running = matches.start(header, seed)
        half = len(plain.entries) // 2
        for entry in plain.entries[:half]:
            matches.apply(running, entry)
        with monkeypatch.context() as patch:
            turn_all(patch, game)
            add_one(patch, game)
            # As after a restart: the state comes from its snapshot.
            state = game.rules.decode(game.rules.encode(running.state))
            running = matches.take_up(header, seed, state, half, running.head)
            for entry in plain.entries[half:]:
                answer = read(entry.move or "")
                assert write(procedure.ask_of(running.state, entry.actor).default) == defaults[entry.n - 1]
                running.play(entry.actor, answer, AT, "page")
            assert running.head == plain.head and running.outcome == plain.outcome
            running.reveal(AT)
            entries = [*plain.entries[:half], *running.entries]
            verdict = matches.verify(matches.to_lines(header, entries))
            assert verdict.holds, verdict.sentence


def test_a_game_that_took_on_other_rulings_would_come_out_otherwise() -> None:
    """What the two tests above show is not for nothing."""
    for game in (g for g in RULED if g is not FAIR):
        unlike = 0
        for file in (f for f in FILES if f.parent.name == game.name):
            lines = file.read_text("utf-8").splitlines()
            header = matches.read_header(lines[0])
            entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
            seed = bytes.fromhex(read(entries[-1].move or "").pick("seed"))
            other = {
                id: next(v for v in ruling.alternatives if v != header.rulings.get(id, ruling.before))
                for id, ruling in game.rules.rulings.items()
            }
            try:
                again = matches.replay(msgspec.structs.replace(header, rulings=other), seed, entries)
            except Refused:
                unlike += 1
                continue
            again.state.table.rulings = header.rulings
            unlike += again.state != matches.replay(header, seed, entries).state
        assert unlike, game.title


def test_games_by_house_rulings_at_random_keep_their_cards_and_their_logs_hold(game: Game) -> None:
    for number in range(3):
        header, seed = header_for(game, game.rules.seats[0] + number, number)
        header = msgspec.structs.replace(header, rulings=rulings.drawn(game.rules.rulings, random.Random(number)))
        match = matches.start(header, seed)
        rng, there = random.Random(number), None
        while match.state.waiting:
            seat = match.state.waiting[0]
            match.play(seat, legal_at_random(match.state, seat, rng), AT, "page")
            if len(match.entries) % 9 == 8 and match.state.table.outcome is None:
                counts = game.rules.checks.conserved(match.state)
                if game is GAMES.get("ortus") and match.state.table.round:
                    there = there or counts
                    assert counts == there
                dealt = game.rules.redeal(match.state, seat, Chance("z"))
                assert (
                    game.rules.view(dealt, seat) == game.rules.view(match.state, seat)
                    and game.rules.checks.conserved(dealt) == counts
                )
        match.reveal(AT)
        verdict = matches.verify(matches.to_lines(header, match.entries))
        assert verdict.holds, verdict.sentence


NOTED_SINCE = {"placed", "fought", "under_way"}
"""What a turn notes for standing orders since those snapshots were taken: in them nobody has."""


@pytest.mark.parametrize("file", SNAPSHOTS, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_a_snapshot_from_before_there_were_rulings_is_played_on(file: Path) -> None:
    name, n = file.stem.rsplit(".", 1)
    lines = file.with_name(f"{name}.jsonl").read_text("utf-8").splitlines()
    header = matches.read_header(lines[0])
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    seed = bytes.fromhex(read(entries[-1].move or "").pick("seed"))
    game = GAMES[header.game]
    state = game.rules.decode(file.read_bytes())
    assert state.table.rulings == {} and all(state.table.ruled(id) == r.before for id, r in game.rules.rulings.items())
    there = matches.replay(header, seed, entries[: int(n)]).state
    for frame in there.stack:
        if frame.step == "marched":  # a Unit came back to the window itself
            frame.step, frame.back = frame.back, ""
        for field in NOTED_SINCE & set(frame.__struct_fields__):
            setattr(frame, field, getattr(type(frame)(), field))
    assert state == there, "what the snapshot lacks means what it meant before"
    running = matches.take_up(header, seed, state, int(n), entries[int(n) - 1].hash)
    for entry in entries[int(n) :]:
        matches.apply(running, entry)
    assert running.outcome is not None and running.head == entries[-1].hash
    assert SNAPSHOTS and {f.parent.name for f in SNAPSHOTS} == {"ortus", "mastery"}


@pytest.mark.parametrize("game", [g for g in RULED if g is not FAIR], ids=lambda g: g.name)
def test_positions_state_their_rulings_and_the_defaults_where_they_say_nothing(game: Game) -> None:
    id, ruling = next(iter(game.rules.rulings.items()))
    for value in ruling.alternatives:
        state = game.rules.notation.read(f"{game.name}: 1\nseats: a b\nrulings: {id}={value}\n")
        assert state.table.ruled(id) == value
        assert f"{id}={value}" in game.rules.notation.whole(state) and f"{id}={value}" in game.rules.notation.seen(state, None)
    assert game.rules.notation.read(f"{game.name}: 1\nseats: a b\n").table.rulings == rulings.defaults(game.rules.rulings)
    with pytest.raises(NotUnderstood, match="Line 3: There is no ruling “X”"):
        game.rules.notation.read(f"{game.name}: 1\nseats: a b\nrulings: X=y\n")


def test_a_redealt_state_is_ruled_alike(game: Game) -> None:
    match = fresh(game, game.rules.seats[0], 5)
    for _ in walk(match, random.Random(5), stop=5):
        assert game.rules.redeal(match.state, "a", Chance("z")).table.rulings == match.state.table.rulings


def test_every_ruling_of_every_game_has_its_words() -> None:
    for game in GAMES.values():
        for ruling in game.rules.rulings.values():
            assert str(ruling.about) and all(str(words) for words in ruling.alternatives.values())


def test_what_a_host_has_chosen_otherwise_is_told_alone_and_in_the_order_of_the_rulings() -> None:
    known = GAMES["ortus"].rules.rulings
    first, second, *_ = rulings.house(known)
    other = {r.id: next(a for a in r.alternatives if a != r.default) for r in (second, first)}
    assert list(rulings.unlike(known, other).items()) == [(r.id, other[r.id]) for r in (first, second)]
    assert rulings.unlike(known, {first.id: first.default}) == rulings.unlike(known, {}) == {}


@pytest.mark.parametrize("text", ["MM-AMB-9", "MM-AMB-9=optional MM-AMB-9=optional"])
def test_what_is_no_ruling_or_stands_twice_is_refused_with_its_words(text: str) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        rulings.read(MASTERY.rules.rulings, text)
    assert text.split()[-1] in str(refusal.value)


LONG = "long" * 20
TWO = {
    "R-1": Ruling("R-1", "What a die is for", {"coin": "A coin", "two": "Two coins"}, "coin", "two", house=True),
    "R-2": Ruling("R-2", "Who begins", {"first": "The first", "last": "The last"}, "last", "first"),
}


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (lambda: rulings.begun(TWO, {LONG: "x"}), say("rule.none_such", id=LONG[:40], known=["R-1", "R-2"])),
        (lambda: rulings.begun(TWO, {"R-1": LONG}), say("rule.not_so", id="R-1", value=LONG[:40], values=["coin", "two"])),
        (lambda: rulings.chosen(TWO, {LONG: "x"}), say("rule.not_house", id=LONG[:40], known=["R-1"])),
        (lambda: rulings.chosen(TWO, {"R-2": "last"}), say("rule.not_house", id="R-2", known=["R-1"])),
        (lambda: rulings.read(TWO, "R-1=two " + LONG), say("rule.not_read", text=LONG[:40])),
        (lambda: rulings.read(TWO, "R-1=two R-1=coin"), say("rule.not_read", text="R-1=coin")),
        (lambda: rulings.read(TWO, "R-2=x=y"), say("rule.not_so", id="R-2", value="x=y", values=["first", "last"])),
    ],
)
def test_what_can_not_be_ruled_is_told_with_what_can(refused: Callable[[], object], told: Message) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        refused()
    assert refusal.value.said == told


def test_a_match_is_ruled_by_its_header_by_what_was_before_or_by_what_is_new() -> None:
    assert rulings.begun(TWO, None) == rulings.defaults(TWO) == rulings.chosen(TWO, {}) == {"R-1": "coin", "R-2": "last"}
    assert rulings.begun(TWO, {"R-2": "first"}) == {"R-2": "first"}
    assert rulings.chosen(TWO, {"R-1": "two"}) == {"R-1": "two", "R-2": "last"}
    assert [rulings.of(TWO, {"R-1": "coin"}, id) for id in TWO] == ["coin", "first"]
    assert rulings.write(TWO, {"R-1": "coin"}) == "R-1=coin R-2=first"
    assert rulings.read(TWO, " R-2=first ") == {"R-1": "coin", "R-2": "first"}
    assert rulings.unlike(TWO, {"R-1": "two", "R-2": "first"}) == {"R-1": "two"}
    assert rulings.unlike(TWO, {"R-1": "coin"}) == rulings.unlike(TWO, {}) == {}
    assert [ruling.id for ruling in rulings.house(TWO)] == ["R-1"]
    assert {rulings.drawn(TWO, random.Random(n))["R-1"] for n in range(9)} == {"coin", "two"}
    assert all(rulings.drawn(TWO, random.Random(n))["R-2"] == "last" for n in range(9))
