"""Every game: it plays to its end, the same way every time, and its log says it all."""

from __future__ import annotations

import json
import random
import re

import msgspec
import pytest

from engine.bots.random import answer_at_random, legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, Ask, NotLegal, Refused, check, read, read_ask, write
from engine.core.asks import stored as stored_ask
from engine.core.chance import Chance
from engine.game import Game, Trait, copy
from engine.language.words import addressed
from engine.play.match import (
    Match,
    apply,
    check_offer,
    read_entry,
    read_header,
    redacted,
    replay,
    run_offer,
    start,
    to_lines,
    verify,
)
from engine.ui.forms import Form, choices_of, describe, stored
from tests.contract.walk import (
    AT,
    LIMIT,
    NAMES,
    Sample,
    brings_cards,
    finished,
    form,
    fresh,
    header_for,
    readers,
    refused,
    standing,
    walk,
    walk_with,
)

WORD = re.compile(r"[A-Za-z0-9_:./#+-]{1,80}")


def sizes(game: Game) -> range:
    return game.rules.seats


def test_a_match_takes_the_same_course_every_time(game: Game) -> None:
    for n in sizes(game):
        one, two = finished(game, n, 1), finished(game, n, 1)
        assert list(to_lines(one.header, one.entries)) == list(to_lines(two.header, two.entries))
        assert one.state == two.state
        assert finished(game, n, 2).head != one.head


def test_the_state_is_what_replaying_the_log_gives_at_every_step(game: Game) -> None:
    for n in sizes(game):
        match, rng = fresh(game, n, 3), random.Random(3)
        shadow = start(match.header, match.seed)
        assert shadow.state == match.state
        for _ in walk(match, rng):
            apply(shadow, match.entries[-1], trusted=True)
            assert game.rules.encode(shadow.state) == game.rules.encode(match.state)
        again = replay(match.header, match.seed, match.entries)
        assert again.state == match.state


def test_the_events_of_a_replay_are_those_of_the_play(game: Game) -> None:
    match = fresh(game, game.rules.seats[-1], 4)
    told = [step.events for step in walk(match, random.Random(4))]
    again: list[object] = []
    replay(match.header, match.seed, match.entries, watch=lambda _entry, events: again.append(events))
    assert again == told
    assert start(match.header, match.seed).opening == match.opening


def test_a_replay_that_nobody_listens_to_comes_to_the_same_position(game: Game) -> None:
    match = finished(game, game.rules.seats[-1], 5)
    heard = replay(match.header, match.seed, match.entries, watch=lambda _entry, _events: None)
    for half in (match.entries[: len(match.entries) // 2], match.entries):
        unheard, shadow = replay(match.header, match.seed, half, trusted=True), start(match.header, match.seed)
        for entry in half:
            apply(shadow, entry, trusted=True)
        assert game.rules.encode(unheard.state) == game.rules.encode(shadow.state)
        assert type(unheard.state.table.news) is list, "whoever plays on from there is told again"
    assert heard.state == match.state == unheard.state


def test_random_matches_end_with_an_outcome(game: Game) -> None:
    for n in sizes(game):
        for number in range(12):
            match = finished(game, n, number)
            assert match.outcome is not None
            assert set(match.outcome.winners) <= set(match.state.table.seats)
            assert match.state.waiting == [] and match.state.sealed == {}
            with pytest.raises(NotLegal):
                procedure.ask_of(match.state, "a")
            for seat in match.state.table.seats:
                assert game.rules.powers.open(match.state, seat) == []


def test_matches_in_which_nobody_ever_answers_end_too(game: Game) -> None:
    for n in sizes(game):
        match = fresh(game, n, 5, aimless=False)
        for _ in range(500 if Trait.ENDLESS in game.rules.checks.traits else LIMIT):
            if not match.state.waiting:
                break
            seat = match.state.waiting[0]
            match.play(seat, procedure.ask_of(match.state, seat).default, AT, "clock", "default")
        endless = Trait.ENDLESS in game.rules.checks.traits
        assert (match.outcome is None) == endless, (
            f"{game.name} ends while nobody ever answers: take Trait.ENDLESS from its traits"
            if endless
            else f"{game.name} doesn't end while nobody ever answers: have defaults bring the end, or state Trait.ENDLESS"
        )


def test_bots_play_a_whole_match_by_what_their_seats_know(game: Game) -> None:
    for name in game.bots.players:
        for n in (game.rules.seats[0], game.rules.seats[-1]):
            match, base = fresh(game, n, 6), None
            for step in walk_with(match, name, random.Random(6)):
                if not brings_cards(game, step.ask.kind):
                    base = base or game.rules.checks.conserved(match.state)
                    assert game.rules.checks.conserved(match.state) == base
            assert match.outcome is not None
            match.reveal(AT)
            assert verify(to_lines(match.header, match.entries)).holds


def test_the_seats_are_limited_and_unknown_options_refused(game: Game) -> None:
    for n in (game.rules.seats[0] - 1, game.rules.seats[-1] + 1):
        with pytest.raises(Refused, match="for"):
            game.rules.setup(list("abcdefg"[:n]), {}, Chance("x"))
    with pytest.raises(Refused, match="no option"):
        game.rules.setup(list("abcdef"[: game.rules.seats[0]]), {"nonsense": 1}, Chance("x"))


# --- asks -------------------------------------------------------------------------------------------------------------


def test_every_open_ask_can_be_answered_and_its_default_is_legal(game: Game) -> None:
    for n in sizes(game):
        match = fresh(game, n, 7)
        for _ in walk(match, random.Random(7)):
            frame_step = match.ask_kind()
            for seat, ask in procedure.asks(match.state).items():
                assert ask.seat == seat and ask.kind == frame_step and ask.rule
                assert ask.options, ask
                assert len({o.id for o in ask.options}) == len(ask.options)
                assert procedure.vet(match.state, seat, ask.default)
                for option in ask.options:
                    assert WORD.fullmatch(option.id)
                    for f in option.fields:
                        ids = [c.id for name in ("choices", "items", "targets") for c in getattr(f, name, ())]
                        assert all(WORD.fullmatch(id) and not id.lstrip("-").isdigit() for id in ids), ids
                        bounds = getattr(f, "least", 0), getattr(f, "most", 0)
                        assert bounds[0] <= bounds[1]


def test_answers_survive_being_written_and_read(game: Game) -> None:
    for n in sizes(game):
        match, rng = fresh(game, n, 8), random.Random(8)
        for _ in walk(match, rng):
            for seat, ask in procedure.asks(match.state).items():
                answer = legal_at_random(match.state, seat, rng)
                canonical = check(ask, answer)
                assert read(write(canonical)) == canonical
                assert check(ask, read(write(answer))) == canonical
                assert check(ask, canonical) == canonical


def test_answers_that_are_refused_change_nothing(game: Game) -> None:
    rng = random.Random(9)
    match = fresh(game, game.rules.seats[0], 9)
    for _ in walk(match, rng):
        before = game.rules.encode(match.state), len(match.entries)
        for seat in match.state.table.seats:
            for answer in (Answer("nonsense"), Answer("end", {"nonsense": "x"}), Answer("pass", {"coins": "x"})):
                if seat not in match.state.waiting or refused(match.state, seat, answer):
                    with pytest.raises(Refused) as refusal:
                        match.play(seat, answer, AT, "page")
                    assert str(refusal.value).endswith(".")
            with pytest.raises(Refused):
                match.play_offer(seat, "nonsense", Answer("nonsense"), AT, "page")
        assert (game.rules.encode(match.state), len(match.entries)) == before


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.soak)])
def test_vetting_and_asking_change_nothing(game: Game, every: int) -> None:
    rng = random.Random(10)
    match, sample = fresh(game, game.rules.seats[-1], 10), Sample(each=3, every=every)
    for step in walk(match, rng):
        if not sample.takes(match, step):
            continue
        before = game.rules.encode(match.state)
        for seat in match.state.waiting:
            answer = answer_at_random(procedure.ask_of(match.state, seat), rng)
            refused(match.state, seat, answer)
            game.face.preview(match.state, seat, procedure.ask_of(match.state, seat).default, NAMES)
        for reader in readers(match.state):
            game.rules.view(match.state, reader)
            game.rules.notation.seen(match.state, reader)
        assert game.rules.encode(match.state) == before


def test_forms_are_plain_data_with_words_for_everything(game: Game) -> None:
    for n in sizes(game):
        match = fresh(game, n, 11)
        for _ in walk(match, random.Random(11)):
            for seat in match.state.waiting:
                described = form(game, match.state, seat)
                assert msgspec.convert(json.loads(json.dumps(stored(described))), Form) == described
                kept = json.loads(json.dumps(stored_ask(procedure.ask_of(match.state, seat))))
                assert describe(game, read_ask(kept), NAMES, match.state.serial) == described
                assert described.title and described.serial == match.state.serial
                assert check(procedure.ask_of(match.state, seat), read(described.default))
                for option in described.options:
                    assert option.label
                    for f in option.fields:
                        assert f.label
                        for c in choices_of(f):
                            assert c.label


def test_offers_are_asks_that_can_be_taken(game: Game) -> None:
    match = fresh(game, game.rules.seats[-1], 12)
    taken = 0
    for step in walk(match, random.Random(12), taken=0.3):
        taken += bool(step.offer)
        for seat in match.state.table.seats:
            for ask, _ in standing(game, match.state, seat):
                assert ask.seat == seat and describe(game, ask, NAMES, 0).options
                assert check(ask, ask.default)
    assert bool(taken) == (not game.rules.offerless), f"{game.name} brings offers, but none was ever open in a match at random"


def test_every_offer_that_is_open_can_be_taken_and_the_game_goes_on(game: Game) -> None:
    match, rng, seen = fresh(game, game.rules.seats[-1], 21), random.Random(21), set[tuple[str, str]]()
    for _ in walk(match, rng, taken=0.2, stop=400):
        for seat in match.state.table.seats:
            for ask, number in standing(game, match.state, seat):
                for option in ask.options:
                    if (ask.kind, option.id) in seen and rng.random() > 0.1:
                        continue
                    other = copy(game, match.state)
                    one = Ask(seat, ask.kind, (option,), ask.default, ask.rule, ask.about)
                    try:
                        answer = check_offer(game, other, seat, ask.kind, answer_at_random(one, rng), number)
                    except NotLegal:
                        continue
                    seen.add((ask.kind, option.id))
                    run_offer(game, other, seat, ask.kind, answer, number)
                    assert other.waiting or other.table.outcome, f"{ask.kind} was taken, and nobody is asked any more"
    assert bool(seen) == (not game.rules.offerless)


def test_every_event_has_words_which_only_call_the_reader_you(game: Game) -> None:
    match = fresh(game, game.rules.seats[-1], 13)
    for step in walk(match, random.Random(13)):
        for event in step.events:
            for reader in readers(match.state):
                if event.seen_by(reader):
                    said = game.words.tell(event, NAMES, reader)
                    assert said == game.words.tell(event, addressed(NAMES, reader), None), event
                    own = reader is not None and re.search(rf"\b{NAMES[reader]}\b", said)
                    assert not own, f"{reader} is called by name: {said}"
                    if not re.search(r"\byou", said, re.I):
                        assert said == game.words.tell(event, NAMES, None), event


# --- what stays the same ----------------------------------------------------------------------------------------------


def test_what_is_conserved_never_changes(game: Game) -> None:
    for n in sizes(game):
        for number in range(3):
            match, base = fresh(game, n, number), None
            for step in walk(match, random.Random(number)):
                if brings_cards(game, step.ask.kind):
                    continue  # the decks that are chosen make the count
                if base is None:
                    base = game.rules.checks.conserved(match.state)
                assert game.rules.checks.conserved(match.state) == base, (step.seat, write(step.answer))


def test_states_positions_and_matches_survive_being_written_and_read(game: Game) -> None:
    for n in sizes(game):
        match = fresh(game, n, 14)
        for i, _ in enumerate(walk(match, random.Random(14))):
            assert copy(game, match.state) == match.state
            if i % 3:
                continue
            text = game.rules.notation.whole(match.state)
            assert game.rules.notation.whole(game.rules.notation.read(text)) == text
        lines = list(to_lines(match.header, match.entries))
        assert read_header(lines[0]) == match.header
        assert [read_entry(i, line) for i, line in enumerate(lines[1:], 2)] == match.entries


def test_a_position_that_was_read_plays_on_as_the_state_it_was_made_from(game: Game) -> None:
    match, rng = fresh(game, game.rules.seats[-1], 15), random.Random(15)
    for step, _ in enumerate(walk(match, rng)):
        if step % 7 or not match.state.waiting:
            continue
        read_back = game.rules.notation.read(game.rules.notation.whole(match.state))
        original = copy(game, match.state)
        for _ in range(3):
            if not original.waiting:
                break
            seat = original.waiting[0]
            answer = procedure.ask_of(original, seat).default
            assert procedure.ask_of(read_back, seat).default == answer
            assert procedure.play(read_back, seat, answer) == procedure.play(original, seat, answer)
            assert game.rules.view(read_back, seat) == game.rules.view(original, seat)


def test_a_finished_match_verifies_and_names_its_winners(game: Game) -> None:
    for n in sizes(game):
        match = finished(game, n, 16)
        verdict = verify(to_lines(match.header, match.entries))
        assert verdict.holds, verdict.sentence
        assert match.outcome is not None and verdict.winners == match.outcome.winners
        assert verdict.entries == len(match.entries)


def test_a_redacted_log_keeps_its_chain(game: Game) -> None:
    match = fresh(game, game.rules.seats[-1], 17)
    for step, _ in enumerate(walk(match, random.Random(17))):
        if step % 9 == 0:
            for reader in readers(match.state):
                _chain_holds(match, list(redacted(match.header, match.entries, match.state, len(match.entries), reader)))


def _chain_holds(match: Match, lines: list[str]) -> None:
    header = read_header(lines[0])
    prev = header.hash()
    assert header == match.header
    for i, line in enumerate(lines[1:]):
        e = read_entry(i + 2, line)
        assert (e.n, e.prev, e.hash) == (i + 1, prev, match.entries[i].hash)
        prev = e.hash


def test_a_log_does_not_verify_before_its_end(game: Game) -> None:
    match = fresh(game, game.rules.seats[0], 18)
    with pytest.raises(NotLegal, match="not over"):
        match.reveal(AT)
    for _ in walk(match, random.Random(18), stop=6):
        verdict = verify(to_lines(match.header, match.entries))
        assert not verdict.holds and "reveal" in verdict.sentence


def test_the_wrong_seed_starts_nothing(game: Game) -> None:
    header, _ = header_for(game, game.rules.seats[0], 19)
    with pytest.raises(Refused, match="commitment"):
        start(header, b"another")


@pytest.mark.soak
def test_many_random_matches_keep_every_promise(game: Game) -> None:
    for n in sizes(game):
        for number in range(100, 160):
            match, rng, base = fresh(game, n, number), random.Random(number), None
            shadow = start(match.header, match.seed)
            for step in walk(match, rng):
                apply(shadow, match.entries[-1])
                assert shadow.state == match.state
                text = game.rules.notation.whole(match.state)
                assert game.rules.notation.whole(game.rules.notation.read(text)) == text
                if not brings_cards(game, step.ask.kind):
                    base = base or game.rules.checks.conserved(match.state)
                    assert game.rules.checks.conserved(match.state) == base
                for seat, ask in procedure.asks(match.state).items():
                    assert refused(match.state, seat, ask.default) == ""
            match.reveal(AT)
            assert verify(to_lines(match.header, match.entries)).holds
