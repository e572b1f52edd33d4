"""Logs, cases and positions that somebody has changed: a sentence and an exit code, never a traceback.

Logs are changed by somebody who knows the seed and the format: he chains and seals everything anew, so that the file is whole
and only its content is nonsense.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core import procedure
from engine.core.asks import Refused, read
from engine.core.chance import commitment, secret
from engine.games import GAMES, game_of_position
from engine.play import cases
from engine.play import match as matches
from engine.play.match import Entry, entry_hash, seal
from service.ops.cli import main
from tests.contract.walk import fresh, walk

TESTS = Path(__file__).parents[1]
LOGS = sorted(file for file in (TESTS / "games").glob("*/*.jsonl") if file.parent.name in GAMES)
CASES = sorted(file for game in GAMES for file in (TESTS / "cases" / game).glob("*.case"))
SHORT = sorted(LOGS, key=lambda f: f.stat().st_size)[:6]

Change = Callable[[dict[str, Any], list[dict[str, Any]]], object]
TEXTS = ("", "x", "a", "\u202e", "é" * 50)
NUMBERS = (-1, 0, 1, 7, 2**40, 2**62, 1.5, True)
NASTY: tuple[Any, ...] = (None, *TEXTS, *NUMBERS, [], ["a"], [[]], {}, {"a": 1}, {"": ""})


def pieces(file: Path) -> tuple[dict[str, Any], list[dict[str, Any]], bytes]:
    """Header and entries of a recorded log as plain data, and its seed."""
    header, *entries = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return header, entries, bytes.fromhex(read(entries[-1]["move"]).pick("seed"))


def chained(header: dict[str, Any], entries: Iterable[dict[str, Any]], seed: bytes) -> list[str]:
    """The lines of a log that is whole again: sealed and hashed anew, as far as the content allows it."""
    line = msgspec.json.encode(header).decode()
    try:
        canonical = msgspec.json.decode(line, type=matches.Header)
    except msgspec.MsgspecError:
        return [line, *(json.dumps(e) for e in entries)]
    key, prev, lines = secret(seed, [s.entropy for s in canonical.seats]), canonical.hash(), []
    for e in entries:
        try:
            entry = msgspec.convert(e, type=Entry)
        except msgspec.MsgspecError:
            lines.append(json.dumps(e))
            continue
        sealed = [seal(key, entry.n, part, text or "") for part, text in (("move", entry.move), ("via", entry.via))]
        entry = msgspec.structs.replace(entry, sealed_move=sealed[0], sealed_via=sealed[1], prev=prev)
        entry = msgspec.structs.replace(entry, hash=entry_hash(entry))
        prev = entry.hash
        lines.append(msgspec.json.encode(entry).decode())
    return [msgspec.json.encode(canonical).decode(), *lines]


def held(lines: list[str]) -> bool:
    """Whether a log verifies; that what is said of it can be written down is checked here."""
    verdict = matches.verify(lines)
    assert verdict.sentence.encode() and "\n" not in verdict.sentence and len(verdict.sentence) < 1200, verdict.sentence
    return verdict.holds


def put(inner: Any, rng: random.Random) -> None:
    """Something else in a random place of plain data."""
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = rng.choice(keys)
        if isinstance(inner[key], dict | list) and inner[key] and rng.random() < 0.7:
            inner = inner[key]
            continue
        inner[key] = rng.choice(NASTY)
        return


def changed(rng: random.Random, header: dict[str, Any], entries: list[dict[str, Any]]) -> str:
    """Change something of a log; what it was."""
    what = rng.choice(("header", "options", "seats", "rulings", "entry", "move", "swap", "drop", "twice", "kind", "rules"))
    if what in ("header", "options", "seats", "rulings", "rules"):
        change_header(rng, what, header)
    else:
        change_entries(rng, what, entries)
    for n, entry in enumerate(entries, 1):
        if what in ("drop", "twice"):
            entry["n"] = n
    return what


def change_header(rng: random.Random, what: str, header: dict[str, Any]) -> None:
    match what:
        case "header":
            put(header, rng)
        case "options":
            keys = ("own", "data", "rules", "allegiance", "seating", "x")
            header["options"] = {rng.choice(keys): rng.choice(NASTY) for _ in range(rng.randint(1, 3))}
        case "seats":
            letters = [rng.choice("abcdefgzA ") for _ in range(rng.randint(0, 8))]
            header["seats"] = [{"seat": s, "name": s, "entropy": s, "bot": ""} for s in letters]
        case "rulings":
            header["rulings"] = {rng.choice(("DEF-2", "MM-AMB-24", "")): rng.choice(("living", "fielded", "defender", "x"))}
        case _:
            header["rules"], header["game"] = rng.choice((0, 1, 2, -5, 2**60)), rng.choice(("ortus", "mastery", "fair", ""))


def change_entries(rng: random.Random, what: str, entries: list[dict[str, Any]]) -> None:
    e = rng.choice(entries[:-1])
    match what:
        case "entry":
            put(e, rng)
        case "move":
            words = [read_or_nothing(x["move"]) for x in rng.sample(entries, min(3, len(entries)))]
            words += ["end", "end x=1", "x" * 100, "play cards=[a*400]", "a b c", "é=é", "reveal seed=00"]
            e["move"] = rng.choice(words)
        case "swap":
            other = rng.choice(entries[:-1])
            e["move"], other["move"], e["actor"], other["actor"] = other["move"], e["move"], other["actor"], e["actor"]
        case "drop":
            entries.remove(e)
        case "twice":
            entries.insert(rng.randrange(len(entries)), dict(e))
        case _:
            e["ask"] = rng.choice(("table", "offer", "deck", "concession", "turn", "", "support"))
            e["serial"] = rng.choice((0, 1, e["serial"], 2**40))


def read_or_nothing(move: object) -> str:
    return move if isinstance(move, str) else ""


def mutate(file: Path, times: int, seed: str) -> dict[str, int]:
    """So many changed logs of one recorded game; how many of each kind still hold."""
    rng = random.Random(seed)
    counts: dict[str, int] = {}
    for _ in range(times):
        header, entries, key = pieces(file)
        what = changed(rng, header, entries)
        if rng.random() < 0.2:
            what = changed(rng, header, entries)
        counts[what] = counts.get(what, 0) + 1
        held(chained(header, entries, key))
    return counts


def test_a_log_that_is_chained_anew_without_a_change_holds() -> None:
    for file in LOGS:
        assert held(chained(*pieces(file))), file


@pytest.mark.parametrize("file", SHORT, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_a_log_changed_by_one_who_knows_the_seed_never_breaks_the_verifier(file: Path) -> None:
    print(file.stem, mutate(file, 25, file.stem))


@pytest.mark.soak
@pytest.mark.parametrize("file", LOGS, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_many_changed_logs_never_break_the_verifier(file: Path) -> None:
    print(file.stem, mutate(file, 1500, file.stem))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h, _e: h["seats"][0].update(seat="b"), "not a, b, c and so on"),
        (lambda h, _e: h.update(seats=h["seats"][::-1]), "not a, b, c and so on"),
        (lambda h, _e: h.update(seats=[]), "2 to 6"),
        (lambda h, _e: h.update(seats=[{**h["seats"][0], "seat": s} for s in "abcdefg"]), "not a, b, c and so on"),
        (lambda h, _e: h.update(rulings={"NEW-7": "x"}), "There is no ruling “NEW-7”"),
        (lambda h, _e: h.update(rules=2), "no rules version 2"),
        (lambda h, _e: h.update(options={"own": json.dumps(odd_map())}), "Territory"),
    ],
)
def test_headers_that_no_game_has_are_refused_with_the_reason(change: Change, words: str) -> None:
    header, entries, key = pieces(next(f for f in LOGS if f.stem == "2-lords-points"))
    change(header, entries)
    verdict = matches.verify(chained(header, entries, key))
    assert not verdict.holds and words in verdict.sentence, verdict.sentence


def odd_map() -> dict[str, Any]:
    """A data file whose map for two has a territory that no tile fits."""
    from engine.mastery.rules.pieces import TEXT

    whole: dict[str, Any] = json.loads(TEXT)
    next(s for s in whole["maps"]["2"]["slots"] if s["kind"] == "territory")["value"] = 9
    return whole


def test_a_seed_of_any_length_can_be_committed_to() -> None:
    header, entries, _ = pieces(SHORT[0])
    for seed in (b"", b"x", b"y" * 3000):
        header["commitment"] = commitment(seed)
        entries[-1]["move"] = f"reveal seed={seed.hex()} winners=[a] how=last"
        held(chained(header, entries, seed))


# --- positions and cases ----------------------------------------------------------------------------------------------


def looked_at(text: str) -> str:
    """What `writ position` says of a text; its refusal, or nothing."""
    result = run("position", text)
    assert result.exit_code in (0, 1, 2) and not isinstance(result.exception, Exception), (result.exception, text[:400])
    assert result.exit_code == 0 or result.output.startswith(("Error: ", "Usage: ")), result.output
    return result.output if result.exit_code else ""


def run(command: str, content: str | bytes) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        result = CliRunner().invoke(main, [command, str(file)])
    if isinstance(result.exception, SystemExit):
        result.exception = None
    return result


def positions() -> list[str]:
    """Whole positions of both games, with stacks and everything, in the middle of random matches."""
    found = []
    for name in ("ortus", "mastery"):
        for number in range(3):
            match = fresh(GAMES[name], 2 + number, number)
            for i, _ in enumerate(walk(match, random.Random(number), stop=90)):
                if i % 30 == 29:
                    found.append(GAMES[name].rules.notation.whole(match.state))
    return found


POSITIONS = positions()
WORDS = ("", "x", "-", "?3", "a", "z", "b", "{}", "[]", "null", '"\\ud800"', "é", "(", "{Land", "@", "a b c d e f", "used")
SHREDS = (*WORDS, "1", "-1", "99999999999999999999", "Land*9999999", "999999 Land", "out cubes=0")


def shredded(text: str, rng: random.Random) -> str:
    """A text with some of its lines and words changed."""
    lines = text.splitlines()
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(len(lines))
        key, colon, value = lines[i].partition(":")
        match rng.randrange(7):
            case 0:
                del lines[i]
                lines = lines or ["x"]
            case 1:
                lines[i] = f"{key}{colon} {rng.choice(SHREDS)}"
            case 2:
                words = value.split(" ")
                words[rng.randrange(len(words))] = rng.choice(SHREDS)
                lines[i] = key + colon + " ".join(words)
            case 3:
                lines.insert(rng.randrange(len(lines)), lines[i])
            case 4:
                lines[i] = f"{rng.choice(lines).partition(':')[0]}{colon}{value}"
            case 5:
                at = rng.randrange(len(lines[i]) + 1)
                lines[i] = lines[i][:at] + rng.choice(SHREDS) + lines[i][at + rng.randint(0, 3) :]
            case _:
                lines[i] = value.replace('"a"', '"z"').replace("F1", "F9").replace("B1", "Q9")
    return "\n".join(lines)


def shred(texts: list[str], times: int, seed: int, look: Callable[[str], str]) -> None:
    rng = random.Random(seed)
    refused = sum(bool(look(shredded(rng.choice(texts), rng))) for _ in range(times))
    print(f"{times} texts, {refused} refused")


def test_whole_positions_are_shown() -> None:
    for text in POSITIONS:
        assert looked_at(text) == ""


def test_no_changed_position_ends_in_a_traceback() -> None:
    shred(POSITIONS, 250, 8, looked_at)


@pytest.mark.soak
def test_no_position_of_many_ends_in_a_traceback() -> None:
    shred(POSITIONS, 8000, 88, looked_at)


def tried(text: str) -> str:
    """What `writ case` says of a text that fails or is none."""
    result = run("case", text)
    assert result.exit_code in (0, 1, 2) and not isinstance(result.exception, Exception), (result.exception, text)
    return result.output if result.exit_code else ""


def test_no_changed_case_ends_in_a_traceback() -> None:
    shred([f.read_text("utf-8") for f in CASES], 250, 9, tried)


@pytest.mark.soak
def test_no_case_of_many_ends_in_a_traceback() -> None:
    shred([f.read_text("utf-8") for f in CASES], 8000, 99, tried)


HEADS = ("ortus: 1\nseats: a b\n", "mastery: 1\nseats: a b\n", "", "case: x\ngiven\n seats: a b\n")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(HEADS), st.text(max_size=200))
def test_no_text_ends_in_a_traceback(head: str, text: str) -> None:
    looked_at(head + text)
    tried(head + text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ortus: 1\nseats: a a\n", "“a a” aren't seats"),
        ("mastery: 1\nseats: a z\n", "“a z” aren't seats"),
        ("ortus: 1\nseats:\n", "“” aren't seats"),
        ("ortus: 1\nseats: a b\nactive: z\n", "“z” isn't one of -, a, b"),
        ("ortus: 1\nseats: a b\na.hand: 9999999 Land\n", "at most 1000 like cards"),
        ('mastery: 1\nseats: a b\nstack: {"type":"Turn"}\nasked: 1 [] {}\n', "does not fit together"),
        ("mastery: 1\nseats: a b\nlore: {\na: knights=3\n", "isn't JSON"),
        ("mastery: 1\nseats: a b\nturn: many\n", "Line 3 can't be read"),
    ],
)
def test_a_position_that_no_game_comes_to_is_refused_with_a_sentence(text: str, words: str) -> None:
    assert words in looked_at(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("case: x\nagain\n  a: 1\n", "stands before any `given`"),
        ("case: x\ngiven\n  order a: x\n", "write: order SEAT ID: SETTING"),
        ("case: x\ngiven\n  seats: a b\nmoves\n  default \n", "x"),
        ("case: x\ngiven\n  seats: a b\nmoves\n  by order\n", "x"),
        ("case: x\ngiven\n  seats: a b\nmoves\n  offer a: queue\n", "write: offer SEAT KIND: ANSWER"),
        ("case: x\ngiven\n  seats: a b\nexpect\n  count a.hand: many\n", "parts don't fit together"),
        ("case: x\ngame: chess\ngiven\n  seats: a b\n", "no game called “chess”"),
        ("case: x\ngiven\n  fresh: a b\n  rulings: DEF-2=x\n", "can't be “x”"),
    ],
)
def test_a_case_that_is_none_is_refused_with_a_sentence(text: str, words: str) -> None:
    assert words in tried(text)


# --- files of every kind ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["verify", "position", "case"])
def test_files_of_every_kind_end_in_a_sentence(command: str, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(random.Random(1).randbytes(5000))
    long = tmp_path / "long"
    long.write_bytes(b"x" * 3_000_000)
    many = tmp_path / "many"
    many.write_bytes(b"{}\n" * 300_000)
    empty, zip_ = tmp_path / "empty", tmp_path / "zip"
    empty.write_bytes(b"")
    zip_.write_bytes(b"PK\x03\x04" + b"\0" * 100)
    surrogates = tmp_path / "surrogates"
    surrogates.write_bytes(b"ortus: 1\nseats: \xed\xa0\x80\n")
    paths = [binary, long, many, empty, zip_, surrogates, tmp_path, tmp_path / "missing", Path("/dev/zero")]
    for path in paths:
        result = CliRunner().invoke(main, [command, str(path)])
        assert result.exit_code in (1, 2), (path.name, result.output)
        assert isinstance(result.exception, SystemExit) and result.output.strip(), (path.name, result.exception)
        assert "Traceback" not in result.output


class Round(procedure.Procedure):
    """Rules that never come to an end."""

    def begin(self, _table: object) -> procedure.Next:
        return "begin"


def test_rules_that_run_on_without_a_question_are_stopped() -> None:
    state = game_of_position("ortus: 1\n").rules.notation.read("ortus: 1\nseats: a b\n")
    state.stack = [Round()]
    with pytest.raises(procedure.Endless, match="steps and nobody was asked"):
        procedure.begin(state)


def test_every_case_still_runs_from_the_shell() -> None:
    result = CliRunner().invoke(main, ["case", *map(str, CASES[::12])])
    assert result.exit_code == 0, result.output
    with pytest.raises(Refused):
        cases.run(TESTS / "missing.case")
