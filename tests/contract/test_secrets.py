"""Every game: nobody learns what is not his to know, from views, asks, events, positions or downloads."""

from __future__ import annotations

import json
import random
import re

import pytest

from engine.bots.random import legal_at_random
from engine.core import offers, procedure
from engine.core.asks import Answer, read, write
from engine.core.chance import Chance
from engine.core.cloning import clone
from engine.game import AnyState, Game, Trait
from engine.play.match import Entry, Match, audience, read_entry, redacted
from engine.ui.forms import stored
from tests.contract.test_events import meant
from tests.contract.walk import Sample, Step, brings_cards, form, fresh, readers, standing, walk, walk_with
from tests.toy_game import FAIR


def hindrances(state: AnyState, reader: str) -> list[tuple[str, str]]:
    """What isn't open now, and why; of what is open none is among it."""
    ask = procedure.ask_of(state, reader)
    shut = procedure.shut(state, reader, ask)
    assert {one.id for one in shut}.isdisjoint(option.id for option in ask.options)
    return [(one.id, str(one.why)) for one in shut]


def check_redeal(game: Game, state: AnyState, chance: Chance) -> None:
    """What a reader sees and is asked must be the same in a position where all that he can't know is dealt anew."""
    for reader in readers(state):
        other = game.rules.redeal(state, reader, chance)
        told = f"{game.name}: {reader or 'a spectator'} can tell by what is shown what he can't know; show less"
        assert game.rules.view(other, reader) == game.rules.view(state, reader), told
        assert game.rules.notation.seen(other, reader) == game.rules.notation.seen(state, reader), told
        if reader is None:
            told = f"{game.name}: who ranks where tells what not all may know; rank by what the view of nobody shows"
            assert game.rules.ranking(other) == game.rules.ranking(state), told
        if reader is None:
            continue
        told = f"{game.name}: {reader} can tell from what he is asked what he can't know; ask by what he sees"
        assert (reader in other.waiting) == (reader in state.waiting), told
        if reader in state.waiting:
            assert form(game, other, reader) == form(game, state, reader), told
            told = f"{game.name}: {reader} can tell from what hinders a verb what he can't know; name a reason that he sees"
            assert hindrances(other, reader) == hindrances(state, reader), told
        assert standing(game, other, reader) == standing(game, state, reader), told


def test_a_seat_sees_the_same_when_all_it_cannot_know_is_dealt_anew(game: Game) -> None:
    chance = Chance("redeal")
    for n in game.rules.seats:
        sample = Sample(each=3, every=12)
        for number in (40, 41):
            match = fresh(game, n, number)
            check_redeal(game, match.state, chance)
            for step in walk(match, random.Random(number)):
                if sample.takes(match, step):
                    check_redeal(game, match.state, chance)


def test_matches_of_bots_keep_their_secrets_too(game: Game) -> None:
    chance = Chance("redeal")
    for bot in game.bots.players:
        match, sample = fresh(game, (game.rules.seats[0] + game.rules.seats[-1]) // 2, 31), Sample(each=4, every=10)
        for step in walk_with(match, bot, random.Random(31), stop=300):
            if sample.takes(match, step):
                check_redeal(game, match.state, chance)
                if match.outcome is None:
                    check_words(game, match, step)


def test_redealing_leaves_the_state_alone_and_keeps_what_is_conserved(game: Game) -> None:
    match, chance = fresh(game, game.rules.seats[-1], 22), Chance("redeal")
    for _ in walk(match, random.Random(22)):
        before = game.rules.encode(match.state)
        for reader in readers(match.state):
            other = game.rules.redeal(match.state, reader, chance)
            if not brings_cards(game, match.ask_kind()) and not match.state.sealed:
                assert game.rules.checks.conserved(other) == game.rules.checks.conserved(match.state)
        assert game.rules.encode(match.state) == before


def test_redealing_deals_something_else(game: Game) -> None:
    match, chance = fresh(game, game.rules.seats[-1], 23), Chance("redeal")
    for _ in walk(match, random.Random(23), stop=12):
        pass
    hidden = {game.rules.notation.whole(game.rules.redeal(match.state, "a", chance)).partition("chance:")[0] for _ in range(5)}
    if Trait.UNHIDDEN in game.rules.checks.traits:
        assert len(hidden) == 1, f"{game.name} hides something: take Trait.UNHIDDEN from its traits"
    else:
        assert len(hidden) > 1, f"{game.name}: re-dealing deals nothing anew; state Trait.UNHIDDEN if nothing is hidden"


def test_a_redealt_state_plays_on(game: Game) -> None:
    rng, chance = random.Random(24), Chance("redeal")
    match = fresh(game, game.rules.seats[-1], 24)
    for i, _ in enumerate(walk(match, rng)):
        if i % 10 or not match.state.waiting:
            continue
        other = game.rules.redeal(match.state, match.state.waiting[0], chance)
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
    public = words(json.dumps(game.rules.view(state, None)))
    for reader in readers(state):
        secret = {w for seat in state.table.seats if seat != reader for w in game.rules.checks.secrets(state, seat)} - public
        if not secret:
            continue
        seen = words(json.dumps(game.rules.view(state, reader))) | words(game.rules.notation.seen(state, reader))
        if reader in state.waiting:
            seen |= words(json.dumps(stored(form(game, state, reader))))
        for event in step.events:
            if event.seen_by(reader) and not meant(game, event, reader):
                seen |= words(json.dumps(event.facts))
        if reader != step.seat:
            last = list(redacted(match.header, match.entries, state, len(match.entries), reader))[-1]
            seen |= words(last) if json.loads(last).get("n") == len(match.entries) else set()
        assert not secret & seen, (reader, secret & seen, write(step.answer))


def test_no_secret_of_one_seat_stands_in_what_another_gets(game: Game) -> None:
    for n in (game.rules.seats[0], game.rules.seats[-1]):
        sample = Sample(each=6, every=8)
        for number in (25, 26):
            match = fresh(game, n, number)
            for step in walk(match, random.Random(number)):
                if sample.takes(match, step) and match.outcome is None:
                    check_words(game, match, step)


def test_a_download_shows_others_only_what_is_open(game: Game) -> None:
    match = fresh(game, game.rules.seats[-1], 28)
    for i, step in enumerate(walk(match, random.Random(28), taken=0.1)):
        assert step is not None
        if i % 13 or match.outcome is not None:
            continue
        for reader in readers(match.state):
            lines = list(redacted(match.header, match.entries, match.state, len(match.entries), reader))
            entries = [read_entry(k, line) for k, line in enumerate(lines[1:], 2)]
            for shown, whole in zip(entries, match.entries, strict=False):
                assert (shown.sealed_move, shown.sealed_via) == (whole.sealed_move, whole.sealed_via)
                own = whole.actor or (whole.move or "")[:1]
                assert own and whole.move is not None
                if own == reader:
                    assert (shown.move, shown.via) == (whole.move, whole.via)
                else:
                    assert shown.via is None, "how an answer came is its seat's affair"
                    if shown.move is not None:
                        assert (whole.serial, own) not in match.state.returned
                        kind, number, text = kind_of(whole)
                        circle = audience(game, match.state.table.seats, own, kind, read(text), number)
                        assert circle is None or reader in circle
            if match.state.sealed:
                assert all(e.serial != match.state.serial for e in entries), "who has answered a sealed step is secret"


def kind_of(entry: Entry) -> tuple[str, int, str]:
    """What a whole entry answers, a proposal's number, and the answer's text."""
    if entry.actor:
        return entry.ask, max(0, -entry.serial), entry.move or ""
    named, _, text = (entry.move or "")[2:].partition(" ")
    kind, _, number = named.partition("#")
    return kind, int(number or 0), text


def test_sealed_answers_change_nothing_that_others_see(game: Game) -> None:
    match, rng = fresh(game, game.rules.seats[-1], 29), random.Random(29)
    sealed = 0
    while match.state.waiting:
        state = match.state
        before = clone(state)
        serial, seat = state.serial, rng.choice(state.waiting)
        events = match.play(seat, legal_at_random(state, seat, rng), "now", "page")
        if state.sealed and state.serial == serial:
            sealed += 1
            assert events == []
            for reader in readers(state):
                assert game.rules.view(state, reader) == game.rules.view(before, reader)
                assert game.rules.notation.seen(state, reader) == game.rules.notation.seen(before, reader)
    assert bool(sealed) == (Trait.UNSEALED not in game.rules.checks.traits), (
        f"{game.name}: state Trait.UNSEALED if nothing is ever sealed"
    )


def shown(match: Match, reader: str | None) -> list[str | None]:
    """The moves of the log as a reader gets them."""
    lines = list(redacted(match.header, match.entries, match.state, len(match.entries), reader))
    return [read_entry(i, line).move for i, line in enumerate(lines[1:], 2)]


CALL = "call target=a"
"""An open power: all may know of it."""


def test_a_sealed_answer_that_went_back_stays_shut_for_ever() -> None:
    match = fresh(FAIR, 3, 30)
    match.play("a", Answer("bid", {"coins": 6}), "now", "page")
    match.play("c", Answer("bid", {"coins": 1}), "now", "page")
    match.play_offer("b", "call", read(CALL), "now", "page")
    assert match.ask_kind() == "dare" and match.state.waiting == ["a"]
    assert shown(match, "c") == [], "who has answered a sealed step is secret still"
    match.play("a", Answer("yes"), "now", "page")
    coins = match.state.table.keepers["a"].coins
    back = coins < 6
    assert match.state.waiting == (["a", "b"] if back else ["b"]) and match.state.serial == 1, "nobody else is asked anew"
    for seat in list(match.state.waiting):
        match.play(seat, Answer("pass"), "now", "page")
    for reader in ("a", "b", None):
        first, second = shown(match, reader)[:2]
        assert second == "bid coins=1"
        assert first == (None if back and reader != "a" else "bid coins=6")


def test_a_proposal_between_two_is_known_to_two() -> None:
    match = fresh(FAIR, 3, 31)
    mine, his = (match.state.table.keepers[s].wares[0] for s in "ab")
    match.play_offer("a", "propose", read(f"propose target=b ware={mine} coins=0"), "now", "page")
    ((number, ask),) = offers.proposals(match.state, "b")
    assert ask.about == {"by": "a", "ware": mine, "coins": 0} and offers.proposals(match.state, "c") == []
    events = match.play_offer("b", "trade", read(f"accept ware={his}"), "now", "page", number)
    assert [(e.kind, e.only) for e in events] == [("traded", ("a", "b"))]
    assert his in match.state.table.keepers["a"].wares and mine in match.state.table.keepers["b"].wares
    whole = [f"a propose propose target=b ware={mine} coins=0", f"b trade#{number} accept ware={his}"]
    assert shown(match, "a") == shown(match, "b") == whole
    assert shown(match, "c") == shown(match, None) == [None, None]
    assert {(e.actor, e.ask, e.serial) for e in match.entries} == {("", "offer", 0)}


@pytest.mark.soak
def test_many_matches_keep_their_secrets(game: Game) -> None:
    chance = Chance("soak")
    for n in game.rules.seats:
        for number in range(200, 230):
            match = fresh(game, n, number)
            for step in walk(match, random.Random(number)):
                check_redeal(game, match.state, chance)
                check_words(game, match, step)
