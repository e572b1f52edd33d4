"""Proofs: the vectors that the browser's verifier shares, copies for strangers, and files of which something was changed."""

from __future__ import annotations

import hashlib
import html
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.core import chance
from engine.core.asks import read
from engine.play import match as matches
from engine.play import proof
from engine.play.proof import Recorder
from tests.replays import read_log
from tests.tables import games, stems

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("proof_vectors.json").read_text("utf-8"))
"""Also read by tests/service/web/test_replay_file_browser.py."""
EVERY = [(game, stem) for game in games() for stem in stems(game) if game != "skeleton"]


def file_of(found: proof.Proof) -> str:
    return "".join(f'<pre id="writ-{id}" hidden>{html.escape(text)}</pre>' for id, text in found.parts())


def test_hashes_secrets_and_entries_are_those_of_the_vectors() -> None:
    assert all(hashlib.sha256(text.encode()).hexdigest() == found for text, found in VECTORS["sha256"])
    assert all(chance.keyed_hash(key, text).hex() == found for key, text, found in VECTORS["hmac"])
    assert all(chance.secret(bytes.fromhex(seed), drawn) == found for seed, drawn, found in VECTORS["secret"])
    for line in VECTORS["entries"]:
        entry = matches.read_entry(1, line)
        assert entry.hash == matches.entry_hash(entry)


def test_draws_are_those_of_the_vectors() -> None:
    recorder = Recorder(VECTORS["draws"]["secret"])
    for line in VECTORS["draws"]["lines"]:
        draw = msgspec.json.decode(line, type=proof.Draw)
        if draw.kind == "shuffle":
            recorder.shuffle([*draw.of], draw.purpose, draw.limit)
        elif draw.kind == "below":
            recorder.below(draw.of, draw.purpose)
        else:
            recorder.sample(draw.of, draw.limit or 0, draw.purpose)
    assert [msgspec.json.encode(draw).decode() for draw in recorder.take(1)] == VECTORS["draws"]["lines"]


@pytest.mark.parametrize(("game", "stem"), EVERY, ids=lambda part: part)
def test_every_recorded_game_is_proved_with_all_its_draws(game: str, stem: str) -> None:
    header, entries = read_log(game, stem)
    seed = bytes.fromhex(matches.revealed_seed(entries))
    found = proof.prove(header, seed, entries)
    drawn: dict[str, int] = {}
    for line in found.draws:
        _, _, purpose, nth, *_ = json.loads(line)
        drawn[purpose] = drawn.get(purpose, 0) + 1
        assert nth == drawn[purpose]
    last = matches.replay(header, seed, entries)
    assert drawn == last.state.table.chance.drawn
    assert found.positions[-1] == f"{len(entries)} {proof.position_hash(last.game, last.state)}" and len(found.positions) > 2
    assert proof.verify_file(file_of(found)).holds
    # And as it is passed on.
    names = {s.seat: f"Seat {s.seat}" for s in header.seats}
    bare, passed = matches.for_strangers(header, seed, entries, names)
    log = [*matches.to_lines(bare, passed)]
    assert matches.verify(log).holds and matches.replay(bare, seed, passed).state == last.state
    assert {(entry.via, entry.mark, len(entry.at)) for entry in passed} == {("", "", len("1429-07-17"))}
    assert not any(s.name in line for s in header.seats for line in log if len(s.name) > 3) and header.match not in log[0]


def test_what_was_changed_is_named() -> None:
    header, entries = read_log("mastery", "2-lords-points")
    found = proof.prove(header, bytes.fromhex(matches.revealed_seed(entries)), entries)

    def fault(part: str, at: int, old: str, new: str) -> str:
        parts = proof.Proof([*found.log], [*found.draws], [*found.positions])
        lines = getattr(parts, part)
        assert old in lines[at]
        lines[at] = lines[at].replace(old, new, 1)
        verdict = proof.verify_file(file_of(parts))
        assert not verdict.holds
        return verdict.sentence

    assert fault("log", 5, '"actor":"', '"actor":"x') == "Line 6: entry 5 was changed; its hash does not fit."
    assert fault("log", 7, '"move":"', '"move":"x') == "Line 8: the move of entry 7 was changed; its seal does not fit."
    n = json.loads(found.draws[-1])[0]
    assert fault("draws", -1, f"[{n}", f"[{n - 1}").startswith(f"Line {n + 1}: a draw of entry {n} ")
    n = int(found.positions[2].split()[0])
    assert fault("positions", 2, " ", " 0").startswith(f"Line {n + 1}: the position after entry {n} ")
    short = proof.Proof(found.log, found.draws[:-1], found.positions)
    assert "a draw of entry" in proof.verify_file(file_of(short)).sentence
    assert "isn't a replay file" in proof.verify_file("<!doctype html><p>Nothing</p>").sentence


def test_table_entries_lose_their_content_for_strangers() -> None:
    header, entries = read_log("ortus", "3-earls-last-falls-by-concession")
    seed = bytes.fromhex(matches.revealed_seed(entries))
    match = matches.replay(header, seed, entries[:10])
    match.record("host", read("pause until=2026-11-24"), "2026-11-21T09:08:07Z", "page")
    match.record("table", read("end"), "2026-11-21T09:08:08Z", "page")
    match.reveal("2026-11-21T09:08:09Z")
    bare, passed = matches.for_strangers(header, seed, match.entries, header.names)
    assert [(e.actor, e.move) for e in passed[-3:-1]] == [("table", "table"), ("table", "end")]
    assert matches.verify(matches.to_lines(bare, passed)).holds
    assert "09:08" not in "".join(matches.to_lines(bare, passed))
