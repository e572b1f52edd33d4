"""Every game: nobody learns what is not his to know, from views, asks, events, positions or downloads."""

from __future__ import annotations

import json
import random
import re

import pytest

from engine import procedure
from engine.asks import Answer, read, write
from engine.bots.random import legal_at_random
from engine.chance import Chance
from engine.forms import stored
from engine.game import AnyState, Game
from engine.match import Match, read_entry, redacted
from tests.contract.walk import Step, form, fresh, readers, walk, walk_with
from tests.toy_game import FAIR

SHOWN = {"ortus": {"monastery"}}
"""Kinds of events that show hidden things to all on purpose, though they stay hidden in the view (OR-INFO-5)."""


def check_redeal(game: Game, state: AnyState, chance: Chance) -> None:
    """What a reader sees and is asked must be the same in a position where all that he can't know is dealt anew."""
    for reader in readers(state):
        other = game.redeal(state, reader, chance)
        assert game.view(other, reader) == game.view(state, reader)
        assert game.position_seen(other, reader) == game.position_seen(state, reader)
        if reader is None:
            continue
        assert (reader in other.waiting) == (reader in state.waiting)
        if reader in state.waiting:
            assert form(game, other, reader) == form(game, state, reader)
        assert game.offers(other, reader) == game.offers(state, reader)


def test_a_seat_sees_the_same_when_all_it_cannot_know_is_dealt_anew(game: Game) -> None:
    chance = Chance("redeal")
    for n in range(game.least, game.most + 1):
        for number in range(40, 45):
            match = fresh(game, n, number)
            check_redeal(game, match.state, chance)
            for _ in walk(match, random.Random(number)):
                check_redeal(game, match.state, chance)


def test_matches_of_bots_keep_their_secrets_too(game: Game) -> None:
    chance = Chance("redeal")
    for bot in game.bots:
        match = fresh(game, (game.least + game.most) // 2, 31)
        for step in walk_with(match, bot, random.Random(31), stop=300):
            check_redeal(game, match.state, chance)
            if match.outcome is None:
                check_words(game, match, step)


def test_redealing_leaves_the_state_alone_and_keeps_what_is_conserved(game: Game) -> None:
    match, chance = fresh(game, game.most, 22), Chance("redeal")
    for _ in walk(match, random.Random(22)):
        before = game.encode(match.state)
        for reader in readers(match.state):
            other = game.redeal(match.state, reader, chance)
            if match.state.stack and match.state.stack[0].step != "deck" and not match.state.sealed:
                assert game.conserved(other) == game.conserved(match.state)
        assert game.encode(match.state) == before


def test_redealing_deals_something_else(game: Game) -> None:
    match, chance = fresh(game, game.most, 23), Chance("redeal")
    for _ in walk(match, random.Random(23), stop=12):
        pass
    hidden = {game.position(game.redeal(match.state, "a", chance)).partition("chance:")[0] for _ in range(5)}
    assert len(hidden) == 5


def test_a_redealt_state_plays_on(game: Game) -> None:
    rng, chance = random.Random(24), Chance("redeal")
    match = fresh(game, game.most, 24)
    for i, _ in enumerate(walk(match, rng)):
        if i % 10 or not match.state.waiting:
            continue
        other = game.redeal(match.state, match.state.waiting[0], chance)
        for _ in range(15):
            if other.waiting:
                seat = other.waiting[0]
                procedure.play(other, seat, legal_at_random(other, seat, rng))


def words(text: str) -> set[str]:
    """The words of a text that could be ids."""
    return set(re.findall(r"[A-Za-z0-9_/+.#-]+", text))


def check_words(game: Game, match: Match, step: Step) -> None:
    """No word for a hidden thing of one seat stands in anything that another reader gets."""
    state = match.state
    public = words(json.dumps(game.view(state, None)))
    for reader in readers(state):
        secret = {w for seat in state.table.seats if seat != reader for w in game.secrets(state, seat)} - public
        if not secret:
            continue
        seen = words(json.dumps(game.view(state, reader))) | words(game.position_seen(state, reader))
        if reader in state.waiting:
            seen |= words(json.dumps(stored(form(game, state, reader))))
        for event in step.events:
            if event.seen_by(reader) and event.kind not in SHOWN.get(game.name, ()):
                seen |= words(json.dumps(event.facts))
        if reader != step.seat:
            last = list(redacted(match.header, match.entries, state, len(match.entries), reader))[-1]
            seen |= words(last) if json.loads(last).get("n") == len(match.entries) else set()
        assert not secret & seen, (reader, secret & seen, write(step.answer))


def test_no_secret_of_one_seat_stands_in_what_another_gets(game: Game) -> None:
    for n in (game.least, game.most):
        for number in (25, 26, 27):
            match = fresh(game, n, number)
            for step in walk(match, random.Random(number)):
                if match.outcome is None:
                    check_words(game, match, step)


def test_a_download_shows_others_only_what_is_open(game: Game) -> None:
    match = fresh(game, game.most, 28)
    for i, step in enumerate(walk(match, random.Random(28), offers=0.1)):
        assert step is not None
        if i % 5 or match.outcome is not None:
            continue
        for reader in readers(match.state):
            lines = list(redacted(match.header, match.entries, match.state, len(match.entries), reader))
            entries = [read_entry(k, line) for k, line in enumerate(lines[1:], 2)]
            for shown, whole in zip(entries, match.entries, strict=False):
                assert (shown.sealed_move, shown.sealed_via) == (whole.sealed_move, whole.sealed_via)
                own = whole.actor or (whole.move or "")[:1]
                if own == reader:
                    assert (shown.move, shown.via) == (whole.move, whole.via)
                else:
                    assert shown.via is None, "how an answer came is its seat's affair"
                    if shown.move is not None:
                        assert whole.actor and whole.serial not in match.state.voided
                        assert game.open(whole.ask, read(shown.move))
            if match.state.sealed:
                assert all(e.serial != match.state.serial for e in entries), "who has answered a sealed step is secret"


def test_sealed_answers_change_nothing_that_others_see(game: Game) -> None:
    match, rng = fresh(game, game.most, 29), random.Random(29)
    sealed = 0
    while match.state.waiting:
        state = match.state
        before = {r: (game.view(state, r), game.position_seen(state, r)) for r in readers(state)}
        serial, seat = state.serial, rng.choice(state.waiting)
        events = match.play(seat, legal_at_random(state, seat, rng), "now", "page")
        if state.sealed and state.serial == serial:
            sealed += 1
            assert events == []
            assert {r: (game.view(state, r), game.position_seen(state, r)) for r in readers(state)} == before
    assert sealed


CALL = "call target=c"
"""An open offer: all may know of it."""


def test_a_sealed_answer_that_an_offer_interrupted_stays_shut_for_ever() -> None:
    match = fresh(FAIR, 3, 30)
    match.play("a", Answer("bid", {"coins": 4}), "now", "page")
    match.play_offer("b", "call", Answer("call", {"target": "c"}), "now", "page")
    assert match.ask_kind() == "dare" and match.state.waiting == ["c"]
    match.play("c", Answer("no"), "now", "page")
    assert match.state.waiting == ["a", "b", "c"], "the step is asked anew, of all"
    for seat in "abc":
        match.play(seat, Answer("pass"), "now", "page")
    for reader, moves in (("a", ["bid coins=4", CALL]), ("b", [None, CALL]), (None, [None, CALL])):
        lines = list(redacted(match.header, match.entries, match.state, len(match.entries), reader))
        assert [read_entry(i, line).move for i, line in enumerate(lines[1:3], 2)] == moves


@pytest.mark.soak
def test_many_matches_keep_their_secrets(game: Game) -> None:
    chance = Chance("soak")
    for n in range(game.least, game.most + 1):
        for number in range(200, 230):
            match = fresh(game, n, number)
            for step in walk(match, random.Random(number)):
                check_redeal(game, match.state, chance)
                check_words(game, match, step)
