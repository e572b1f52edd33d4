"""The log: entries, seals, the chain, redaction, and that verifying finds every change."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, NotLegal, NotUnderstood, Refused
from engine.core.chance import secret
from engine.game import AnyState
from engine.games import GAMES
from engine.language.words import say
from engine.play.match import (
    Entry,
    Header,
    Match,
    SeatInfo,
    apply,
    check_offer,
    entry_hash,
    read_entry,
    read_header,
    redacted,
    replay,
    seal,
    shuffled_by,
    start,
    take_up,
    to_lines,
    verify,
)
from tests.contract.walk import AT, finished, fresh, header_for
from tests.toy_game import FAIR

ORTUS = GAMES["ortus"]


@lru_cache
def whole() -> tuple[str, ...]:
    """The lines of a finished match of two Earls."""
    match = finished(ORTUS, 2, 2)
    return tuple(to_lines(match.header, match.entries))


LENGTH = len("\n".join(whole()).encode())


def names_the_place(sentence: str, line: int) -> bool:
    """Whether the sentence names that line, or the one after it, which no longer follows; or says that the end is cut."""
    return any(f"Line {k}" in sentence for k in (line, line + 1)) or "log stops after entry" in sentence or "format" in sentence


# --- verifying finds every change -------------------------------------------------------------------------------------


def test_the_log_holds_as_it_was_written() -> None:
    verdict = verify(whole())
    assert verdict.holds and verdict.entries == len(whole()) - 1
    assert verdict.sentence.startswith(f"The log holds: {verdict.entries} entries in an unbroken chain")
    assert verify([line + "\n" for line in whole()]).holds


@settings(max_examples=300, deadline=None)
@given(st.integers(0, LENGTH - 1), st.integers(1, 255))
def test_every_flipped_byte_is_found_and_its_place_named(place: int, change: int) -> None:
    data = bytearray("\n".join(whole()).encode())
    line = data[:place].count(b"\n") + 1
    data[place] ^= change
    text = data.decode(errors="surrogateescape")
    assume(text.split("\n") != list(whole()))
    verdict = verify(text.split("\n"))
    assert not verdict.holds
    assert names_the_place(verdict.sentence, line), (line, verdict.sentence)


def test_every_changed_byte_of_the_reveal_is_found_and_its_place_named() -> None:
    lines = [line.encode() for line in whole()]
    for place in range(len(lines[-1])):
        for change in (1, 4, 16):
            last = bytearray(lines[-1])
            last[place] ^= change
            verdict = verify([*whole()[:-1], last.decode(errors="surrogateescape")])
            assert not verdict.holds and names_the_place(verdict.sentence, len(lines)), (place, change, verdict.sentence)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(whole()) - 1))
def test_every_dropped_line_is_found(i: int) -> None:
    lines = list(whole())
    del lines[i]
    verdict = verify(lines)
    assert not verdict.holds and names_the_place(verdict.sentence, i + 1)


def test_what_is_missing_is_told_by_its_number() -> None:
    lines = list(whole())
    del lines[3]
    assert "Line 4: entry 4 stands where entry 3 belongs; one is missing or out of order." in verify(lines).sentence


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(whole()) - 1), st.integers(0, len(whole()) - 1))
def test_every_exchange_of_two_lines_is_found(i: int, j: int) -> None:
    assume(i != j)
    lines = list(whole())
    lines[i], lines[j] = lines[j], lines[i]
    verdict = verify(lines)
    assert not verdict.holds and names_the_place(verdict.sentence, min(i, j) + 1)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(whole()) - 1), st.integers(0, len(whole())))
def test_every_line_that_stands_twice_is_found(i: int, to: int) -> None:
    lines = list(whole())
    lines.insert(to, whole()[i])
    verdict = verify(lines)
    assert not verdict.holds and "Line" in verdict.sentence


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(whole()) - 1))
def test_a_log_that_is_cut_short_is_found(end: int) -> None:
    verdict = verify(whole()[:end])
    assert not verdict.holds
    assert "empty" in verdict.sentence if end == 0 else "log stops after entry" in verdict.sentence


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=5))
def test_no_text_breaks_the_verifier(lines: list[str]) -> None:
    assert not verify(lines).holds
    assert not verify([whole()[0], *lines]).holds


def forged(change: dict[int, dict[str, object]], reencrypt: bool = True, **header: object) -> list[str]:
    """The lines of a match that a host with the seed has changed and chained anew."""
    lines = whole()
    head = msgspec.structs.replace(read_header(lines[0]), **header)
    match = finished(ORTUS, 2, 2)
    prev, out = head.hash(), [msgspec.json.encode(head).decode()]
    for i, line in enumerate(lines[1:], 2):
        e = msgspec.structs.replace(read_entry(i, line), prev=prev, **change.get(i - 1, {}))
        if reencrypt and e.move is not None and e.via is not None:
            sealed = {part: seal(match.secret, e.n, part, text) for part, text in (("move", e.move), ("via", e.via))}
            e = msgspec.structs.replace(e, sealed_move=sealed["move"], sealed_via=sealed["via"])
        e = msgspec.structs.replace(e, hash=entry_hash(e))
        prev = e.hash
        out.append(msgspec.json.encode(e).decode())
    return out


LAST = len(whole()) - 1
REVEALED = finished(ORTUS, 2, 2)


@pytest.mark.parametrize(
    ("change", "reencrypt", "words"),
    [
        ({3: {"move": "end"}}, False, "Line 4: the move of entry 3 was changed; its seal does not fit."),
        ({3: {"via": "clock"}}, False, "Line 4: the via of entry 3 was changed; its seal does not fit."),
        ({3: {"move": None}}, False, "Line 4: the move of entry 3 was changed; its seal does not fit."),
        ({3: {"move": "fly"}}, True, "Line 4: entry 3 isn't a legal move there."),
        ({3: {"move": "!"}}, True, "Line 4: entry 3 isn't a legal move there. “!” is not the name of an option."),
        ({3: {"actor": "z"}}, True, "Line 4: entry 3 isn't a legal move there. Entry 3 is by “z”, who has no seat."),
        ({3: {"serial": 99}}, True, "no. 99, which was not open then."),
        ({3: {"ask": "defend"}}, True, "answers “defend”"),
        ({3: {"ask": "concession", "serial": 0, "move": "withdraw"}}, True, "Line 4: entry 3 isn't a legal move there."),
        (
            {3: {"ask": "offer", "serial": 0, "move": "a concession withdraw"}},
            True,
            "Line 4: entry 3 isn't a legal move there.",
        ),
        ({3: {"ask": "offer", "serial": 0, "move": "z"}}, True, "Line 4: entry 3 isn't a legal move there. Entry 3 is by “z”"),
        ({3: {"ask": "reveal"}}, True, "Line 4: entry 3 reveals the seed, but moves follow it; a reveal ends the log."),
        ({LAST - 1: {"ask": "reveal"}}, True, f"Line {LAST}: entry {LAST - 1} reveals the seed, but moves follow it"),
        ({LAST: {"move": "reveal seed=xyz winners=[a] how=last"}}, True, "seed can't be read"),
        ({LAST: {"move": "reveal seed=00 winners=[a] how=last"}}, True, "does not fit the commitment"),
        (
            {LAST: {"move": f"reveal seed={REVEALED.seed.hex()} winners=[a,b] how=last"}},
            True,
            f"Line {LAST + 1}: the result in the reveal is not the one that the moves lead to.",
        ),
        ({LAST: {"move": None}}, False, "without the reveal"),
        ({LAST: {"ask": "turn"}}, True, "without the reveal"),
    ],
)
def test_a_host_who_forges_the_whole_chain_is_still_found_out(
    change: dict[int, dict[str, object]], reencrypt: bool, words: str
) -> None:
    verdict = verify(forged(change, reencrypt))
    assert not verdict.holds and words in verdict.sentence, verdict.sentence


def test_the_forger_can_rebuild_what_he_leaves_alone() -> None:
    assert verify(forged({})).holds


def test_headers_that_no_match_can_have_are_refused() -> None:
    assert "no game called" in verify(forged({}, game="chess")).sentence
    assert "no rules version 2" in verify(forged({}, rules=2)).sentence
    assert "This log is of format 3; this program reads format 2." in verify(forged({}, writ=3)).sentence
    assert "no option" in verify(forged({}, options={"x": 1})).sentence
    header = read_header(whole()[0])
    lines = list(whole())
    lines[0] = lines[0].replace(":", ": ", 1)
    assert verify(lines).sentence == "Line 1 is not as it was written; the header was changed."
    with pytest.raises(NotUnderstood, match="Line 1 is not a log's header"):
        read_header(header.hash())
    lines = list(whole())
    lines[4] = lines[4].replace(":", ": ", 1)
    assert verify(lines).sentence == "Line 5 is not as it was written; it was changed."


def changed(i: int, **change: object) -> list[str]:
    """The lines of the log with one entry changed, and nothing chained anew."""
    lines = list(whole())
    lines[i] = msgspec.json.encode(msgspec.structs.replace(read_entry(i + 1, lines[i]), **change)).decode()
    return lines


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "The file is empty; a log starts with a header line."),
        (whole()[:1], "The log stops after entry 0 without the reveal; it is cut, or the game is still running."),
        (whole()[:4], "The log stops after entry 3 without the reveal; it is cut, or the game is still running."),
        (["{}"], "Line 1 is not a log's header: Object missing required field `writ`."),
        ([whole()[0], "x"], "Line 2 is not an entry: JSON is malformed: invalid character (byte 0)."),
        (changed(3, n=9), "Line 4: entry 9 stands where entry 3 belongs; one is missing or out of order."),
        (changed(3, prev="00"), "Line 4: entry 3 does not follow from the line before; one of the two was changed."),
        (changed(3, hash="00"), "Line 4: entry 3 was changed; its hash does not fit."),
        (changed(3, at="noon"), "Line 4: entry 3 was changed; its hash does not fit."),
        (
            forged({LAST: {"move": "reveal seed=xyz winners=[a] how=last"}}),
            f"Line {LAST + 1}: the reveal's seed can't be read; it is hexadecimal.",
        ),
        (
            forged({LAST: {"move": "reveal seed=00 winners=[a] how=last"}}),
            f"Line {LAST + 1}: the revealed seed does not fit the commitment that the header made before the first move.",
        ),
        (forged({LAST: {"move": "!"}}), f"Line {LAST + 1}: the reveal of entry {LAST} can't be read; it was changed."),
        (
            forged({3: {"serial": 99}}),
            "Line 4: entry 3 isn't a legal move there. Entry 3 answers “turn” no. 99, which was not open then.",
        ),
        (forged({}, writ=3), "This log is of format 3; this program reads format 2."),
    ],
)
def test_what_is_wrong_with_a_log_is_told_in_one_sentence(lines: list[str], sentence: str) -> None:
    verdict = verify(lines)
    assert (verdict.holds, verdict.sentence, verdict.entries, verdict.winners) == (False, sentence, 0, ())


def test_a_log_that_holds_says_how_long_it_is_and_who_has_won() -> None:
    verdict, outcome = verify(whole()), REVEALED.outcome
    assert outcome is not None and (verdict.entries, verdict.winners) == (LAST, outcome.winners)
    winners = [REVEALED.header.names[seat] for seat in outcome.winners]
    shuffled = shuffled_by(REVEALED.header)
    assert verdict.said == say("log.holds", entries=LAST, winners=winners, shuffled=shuffled)


# --- playing ----------------------------------------------------------------------------------------------------------


def deck() -> Answer:
    return Answer("deck", {"cards": ["Vassal"] * 6 + ["Champion"] * 6 + ["Castle"] * 6 + ["Land"] * 6})


def mustered() -> Match:
    match = fresh(ORTUS, 3, 1)
    for seat in "abc":
        match.play(seat, deck(), AT, "page")
    return match


def test_an_entry_says_what_was_asked_and_chains_to_the_one_before() -> None:
    match = mustered()
    first, second = match.entries[:2]
    assert (first.n, first.actor, first.ask, first.serial, first.mark) == (1, "a", "deck", 1, "")
    assert first.prev == match.header.hash() and second.prev == first.hash and match.head == match.entries[-1].hash
    assert first.move == "deck cards=[Castle*6,Land*6,Vassal*6,Champion*6]"
    assert first.via == "page"


def test_like_answers_have_unlike_seals() -> None:
    one, two, three = mustered().entries
    assert one.move == two.move == three.move
    assert len({one.sealed_move, two.sealed_move, three.sealed_move, one.sealed_via, two.sealed_via, three.sealed_via}) == 6


def test_a_refused_answer_is_not_logged() -> None:
    match = mustered()
    before = ORTUS.rules.encode(match.state)
    for seat, answer in (("a", deck()), ("b", Answer("fly")), ("c", Answer("attack"))):
        with pytest.raises(Refused):
            match.play(seat, answer, AT, "page")
    assert len(match.entries) == 3 and ORTUS.rules.encode(match.state) == before


def test_the_default_mark_of_a_hidden_answer_is_not_said_aloud() -> None:  # OR-DEC-3
    match = fresh(ORTUS, 2, 1)
    match.play("a", deck(), AT, "clock", "default")
    match.play("b", deck(), AT, "clock", "steward")
    active = match.state.waiting[0]
    match.play(active, Answer("end"), AT, "clock", "default")
    assert [e.mark for e in match.entries] == ["", "steward", "default"]
    assert [e.via for e in match.entries] == ["clock"] * 3


def test_offers_are_checked_and_logged() -> None:
    match = mustered()
    with pytest.raises(NotLegal, match=r"“sword” is not open to you just now."):
        match.play_offer("b", "sword", Answer("queue"), AT, "page")
    with pytest.raises(NotLegal, match="You can: queue"):
        match.play_offer("b", "concession", Answer("withdraw"), AT, "page")
    events = match.play_offer("b", "concession", Answer("queue"), AT, "page")
    assert [(e.kind, e.only) for e in events] == [("queued", ("b",))]
    last = match.entries[-1]
    assert (last.actor, last.ask, last.serial, last.move) == ("", "offer", 0, "b concession queue")
    shown = {
        reader: read_entry(5, list(redacted(match.header, match.entries, match.state, len(match.entries), reader))[-1]).move
        for reader in ("a", "b", None)
    }
    assert shown == {"a": None, "b": "b concession queue", None: None}, "nobody else learns who it was (D-80)"
    again = replay(match.header, match.seed, match.entries)
    assert again.state == match.state and again.state.table.earls["b"].concede


def test_a_redacted_log_hides_answers_how_they_came_and_who_has_sealed() -> None:
    match = fresh(ORTUS, 3, 1)
    match.play("b", deck(), AT, "page")
    match.play("c", deck(), AT, "page")
    for reader in ("a", "b", None):
        assert len(list(redacted(match.header, match.entries, match.state, len(match.entries), reader))) == 1, (
            "nobody sees who has answered"
        )
    match.play("a", deck(), AT, "api")
    active = match.state.waiting[0]
    hand = match.state.table.earls[active].hand
    match.play(active, Answer("tower", {"cards": hand[:1]}), AT, "reply")
    match.play(active, Answer("end"), AT, "page")
    shown = {
        reader: [json.loads(line) for line in redacted(match.header, match.entries, match.state, len(match.entries), reader)][
            1:
        ]
        for reader in ("a", "b", "c", None)
    }
    for reader, entries in shown.items():
        by = [e["actor"] for e in entries]
        assert by == ["b", "c", "a", active, active]
        for e in entries:
            own = e["actor"] == reader
            assert (e["via"] is not None) == own
            assert (e["move"] is not None) == (own or e["move"] == "end")


def test_a_redacted_log_cannot_be_replayed() -> None:
    match = mustered()
    lines = list(redacted(match.header, match.entries, match.state, len(match.entries), None))
    entries = [read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    with pytest.raises(NotUnderstood, match=r"Entry 1 is redacted; only a whole log can be replayed."):
        replay(match.header, match.seed, entries)


def test_an_entry_for_another_ask_does_not_apply() -> None:
    match = mustered()
    late = msgspec.structs.replace(match.entries[0], n=4)
    with pytest.raises(NotLegal, match=r"Entry 4 answers “deck” no. 1, which was not open then."):
        apply(match, late)
    assert len(match.entries) == 3


def test_the_reveal_waits_for_the_end() -> None:
    with pytest.raises(NotLegal, match=r"The game is not over; the seed stays secret until it is."):
        mustered().reveal(AT)
    last = finished(ORTUS, 2, 2).entries[-1]
    assert (last.ask, last.actor, last.serial) == ("reveal", "host", 0)


def test_an_entry_about_the_table_is_said_aloud_and_leaves_the_position_alone() -> None:
    match = mustered()
    before, serial = ORTUS.rules.encode(match.state), match.state.serial
    match.record("host", Answer("pause", {"until": "noon"}), AT, "page")
    match.record("clock", Answer("resume"), "2026-02-02", "clock")
    assert ORTUS.rules.encode(match.state) == before and match.state.serial == serial
    first, second = match.entries[-2:]
    assert (first.n, first.at, first.actor, first.ask, first.serial) == (4, AT, "host", "table", 0)
    assert (first.mark, first.move, first.via) == ("", "pause until=noon", "page")
    assert (second.n, second.at, second.actor, second.mark) == (5, "2026-02-02", "clock", "") and second.prev == first.hash
    assert (second.move, second.via) == ("resume", "clock")
    for reader in ("a", None):
        lines = redacted(match.header, match.entries, match.state, len(match.entries), reader)
        shown = read_entry(5, lines[4])
        assert (shown.move, shown.via) == ("pause until=noon", "page"), "all may know it, and how it came"
    again = replay(match.header, match.seed, match.entries)
    assert again.state == match.state and again.entries == match.entries


def test_an_entry_about_the_table_can_end_the_match_and_is_then_the_last_but_the_reveal() -> None:
    match = mustered()
    match.record("host", Answer("end"), AT, "page")
    assert match.outcome is not None and (match.outcome.winners, match.outcome.how) == ((), "ended")
    assert match.state.stack == [] and match.state.waiting == [] and match.state.sealed == {}
    for words in (Answer("pause"), Answer("end")):
        with pytest.raises(NotLegal) as refusal:
            match.record("host", words, AT, "page")
        assert str(refusal.value) == str(say("match.over"))
    assert match.ask_kind() == "", "nothing is open any more"
    with pytest.raises(NotLegal, match="Entry 5 comes after the end of the game"):
        apply(match, msgspec.structs.replace(match.entries[-1], n=5))
    assert len(match.entries) == 4
    match.reveal("2026-02-02")
    last = match.entries[-1]
    assert (last.n, last.at, last.actor, last.ask, last.mark, last.via) == (5, "2026-02-02", "host", "reveal", "", "host")
    assert last.move == f"reveal seed={match.seed.hex()} winners=[] how=ended"
    assert verify(list(to_lines(match.header, match.entries))).holds


def test_a_power_that_others_may_not_know_of_has_no_mark() -> None:
    match = mustered()
    match.play_offer("b", "concession", Answer("queue"), AT, "clock", mark="steward")
    last = match.entries[-1]
    assert (last.mark, last.via, last.at, last.n) == ("", "clock", AT, 4)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy game is one of those that there are."""
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)


def test_what_went_back_is_shown_to_its_seat_alone_and_what_was_answered_then_to_all(toy: None) -> None:
    match = fresh(FAIR, 3, 30)
    for seat in ("c", "a", "b"):
        match.play(seat, Answer("pass"), AT, "page")
    (first,) = (e for e in match.entries if e.actor == "a")
    entries = [*match.entries[:2], first, *match.entries[2:]]  # a answered twice
    for times, others in ((0, ["c", "a", "a", "b"]), (1, ["c", "", "a", "b"]), (2, ["c", "", "", "b"])):
        match.state.returned = [(first.serial, "a")] * times
        for reader in ("a", "b", None):
            lines = [
                read_entry(n, line) for n, line in enumerate(redacted(match.header, entries, match.state, 4, reader)[1:], 2)
            ]
            assert [e.actor if e.move is not None else "" for e in lines] == (["c", "a", "a", "b"] if reader == "a" else others)
            assert [e.via for e in lines] == ["page" if e.actor == reader else None for e in lines]


def proposal(match: Match, named: str) -> Entry:
    """The entry of a proposal of a's to b, behind the back of c."""
    ware = match.state.table.keepers["a"].wares[0]
    move = f"a {named} propose target=b ware={ware} coins=0"
    last = match.entries[-1].hash if match.entries else match.header.hash()
    return Entry(len(match.entries) + 1, AT, "", "offer", 0, "", "", "", last, "", move, "page")


@pytest.mark.parametrize("trusted", [False, True])
def test_proposals_that_were_skipped_keep_the_numbers_of_those_after_them(toy: None, trusted: bool) -> None:
    for named, nth in (("propose", 1), ("propose+0", 1), ("propose+3", 4)):
        match = fresh(FAIR, 3, 30)
        entry = proposal(match, named)
        apply(match, entry, trusted)
        assert [p.number for p in match.state.table.proposals.open] == [nth * offers.CIRCLE + 0b011]
        assert match.entries == [entry]


def test_nothing_is_skipped_where_all_know_of_it_or_nothing_is_proposed(toy: None) -> None:
    match = fresh(FAIR, 3, 30)
    call = msgspec.structs.replace(proposal(match, ""), move="a call+1 call target=b")
    with pytest.raises(NotLegal, match=r"call"):
        apply(match, call)
    assert match.entries == [] and match.state.table.proposals.counted == {}
    apply(match, msgspec.structs.replace(call, move="a call call target=b"))
    match = mustered()
    entry = msgspec.structs.replace(proposal(fresh(FAIR, 3, 30), ""), n=4, move="b concession+1 queue")
    with pytest.raises(NotLegal, match=r"concession"):
        apply(match, entry)
    assert len(match.entries) == 3


def test_whose_words_were_shuffled_with_is_told_with_marks_of_them() -> None:
    header, _ = header_for(ORTUS, 3, 1)
    marks = [s.entropy + "0123456789abcdef" for s in header.seats]

    def told(*given: bool | msgspec.UnsetType) -> object:
        seats = [SeatInfo(s.seat, s.name, m, given=g) for s, m, g in zip(header.seats, marks, given, strict=True)]
        return shuffled_by(msgspec.structs.replace(header, seats=seats)).stored()

    def seat(i: int, mark: bool) -> dict[str, str]:
        found = {"name": header.seats[i].name, "seat": header.seats[i].seat}
        return found | ({"mark": marks[i][:12]} if mark else {})

    unset = msgspec.UNSET
    assert told(unset, unset, unset) == say("shuffled.not_told").stored()
    assert told(False, False, False) == told(unset, False, unset) == say("shuffled.drawn").stored()
    assert told(True, True, True) == say("shuffled.given", given=[seat(0, True), seat(1, True), seat(2, True)]).stored()
    both = say("shuffled.both", given=[seat(1, True)], drawn=[seat(0, False), seat(2, False)]).stored()
    assert told(False, True, False) == told(unset, True, False) == both


def test_the_header_names_its_seats() -> None:
    header, seed = header_for(ORTUS, 3, 1)
    assert header.names == {"a": "Ann", "b": "Bob", "c": "Cy"}
    assert start(header, seed).head == header.hash()
    assert msgspec.json.decode(msgspec.json.encode(header), type=Header) == header


def test_one_letter_in_a_face_changes_the_hash() -> None:
    e = mustered().entries[0]
    for change in ({"n": 2}, {"at": "x"}, {"actor": "b"}, {"ask": "x"}, {"serial": 2}, {"mark": "x"}, {"prev": "x"}):
        assert entry_hash(msgspec.structs.replace(e, **change)) != e.hash
    for private in ({"move": None}, {"via": None}):
        assert entry_hash(msgspec.structs.replace(e, **private)) == e.hash
    assert isinstance(e, Entry)


def test_an_entry_that_does_not_follow_is_named_by_its_number_and_its_line() -> None:
    lines = list(whole())
    third = read_entry(4, lines[3])
    lines[3] = msgspec.json.encode(msgspec.structs.replace(third, prev=third.hash)).decode()
    said = verify(lines).sentence
    assert said == "Line 4: entry 3 does not follow from the line before; one of the two was changed."


def test_a_reveal_that_can_not_be_read_is_named() -> None:
    lines = list(whole())
    bad = lines[-1].replace('"move":"reveal ', '"move":"reveal winners<[b] ')
    assert bad != lines[-1]
    verdict = verify([*lines[:-1], bad])
    assert not verdict.holds and names_the_place(verdict.sentence, len(lines))


def test_what_even_the_rules_choke_on_is_a_finding_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def choke(lines: list[str]) -> None:
        raise ValueError(f"{lines[0]}\nand more")

    monkeypatch.setattr("engine.play.match._verify", choke)
    verdict = verify(["no log"])
    assert (verdict.holds, verdict.sentence) == (
        False,
        "The log can't be played: no game can get there (ValueError: no log).",
    )


def test_a_power_that_all_see_is_logged_under_its_seat(toy: None) -> None:
    match = fresh(FAIR, 3, 30)
    match.play_offer("a", "call", Answer("call", {"target": "b"}), AT, "page")
    last = match.entries[-1]
    assert (last.actor, last.ask, last.serial, last.move) == ("a", "call", 0, "call target=b")
    assert (last.at, last.via, last.mark) == (AT, "page", "")


def test_a_proposal_and_what_is_answered_to_it_play_again(toy: None) -> None:
    match = fresh(FAIR, 3, 30)
    ware = match.state.table.keepers["a"].wares[0]
    match.play_offer("a", "propose", Answer("propose", {"target": "b", "ware": ware, "coins": 1}), AT, "page")
    (lying,) = match.state.table.proposals.open
    other = match.state.table.keepers["b"].wares[0]
    match.play_offer("b", "trade", Answer("accept", {"ware": other}), AT, "order", lying.number)
    last = match.entries[-1]
    assert (last.actor, last.ask, last.serial, last.at, last.via, last.mark) == ("", "offer", 0, AT, "order", "")
    assert last.move == f"b trade#{lying.number} accept ware={other}"
    again = replay(match.header, match.seed, match.entries)
    assert again.state == match.state and again.state.table.proposals.open == []


@pytest.mark.parametrize(
    "entry", [{"actor": "x" * 30}, {"ask": "offer", "actor": "", "serial": 0, "move": "x" * 30 + " call -"}]
)
def test_an_entry_of_a_seat_that_there_is_not_is_named_with_as_much_of_it_as_fits(entry: dict[str, object]) -> None:
    match = mustered()
    strange = msgspec.structs.replace(match.entries[0], n=4, **entry)
    with pytest.raises(NotLegal) as refusal:
        apply(match, strange)
    assert "Entry 4" in str(refusal.value) and str(refusal.value).count("x") == 20


def test_whoever_watches_a_match_that_plays_again_is_shown_each_entry_with_what_it_told() -> None:
    match = mustered()
    seen = list[tuple[int, list[str]]]()
    replay(
        match.header, match.seed, match.entries, watch=lambda entry, events: seen.append((entry.n, [e.kind for e in events]))
    )
    assert [n for n, _ in seen] == [1, 2, 3] and seen[-1][1], "the last deck begins the game"


def test_a_proposal_behind_three_that_came_to_nothing_is_the_fourth_of_its_circle(toy: None) -> None:
    match = fresh(FAIR, 3, 30)
    ware = match.state.table.keepers["a"].wares[0]
    answer = Answer("propose", {"target": "b", "ware": ware, "coins": 0})
    match.play_offer("a", "propose", answer, AT, "page", skipped=3)
    assert [p.number for p in match.state.table.proposals.open] == [4 * offers.CIRCLE + 0b011]
    assert (match.entries[-1].move or "").startswith("a propose+3 propose ")
    assert replay(match.header, match.seed, match.entries).state == match.state


def test_an_entry_about_the_table_tells_nothing_in_the_game() -> None:
    match, again = mustered(), mustered()
    match.record("host", Answer("pause"), AT, "host")
    assert apply(again, match.entries[-1]) == [] and again.state == mustered().state


def test_a_match_begins_as_its_header_says(toy: None) -> None:
    header, seed = header_for(FAIR, 3, 7)
    header = msgspec.structs.replace(header, options={"rounds": 2}, rulings={"T-05": "double"})
    match = start(header, seed)
    assert (match.header, match.seed, match.game, match.entries) == (header, seed, FAIR, [])
    assert (match.before, match.head_before, match.head) == (0, "", header.hash())
    table = match.state.table
    assert (table.seats, table.rounds, table.rulings) == (["a", "b", "c"], 2, {"T-05": "double"})
    assert table.chance.secret == secret(seed, [seat.entropy for seat in header.seats]) == match.secret
    dealt = [(e.kind, e.facts["seat"], e.seen_by(None)) for e in match.opening[:-1]]
    assert dealt == [(kind, seat, kind == "dealt") for seat in "abc" for kind in ("dealt", "dealt_own")]
    assert match.opening[-1].kind == "round" and match.ask_kind() == "bid" and match.outcome is None


def test_a_match_that_its_header_does_not_fit_is_refused() -> None:
    header, seed = REVEALED.header, REVEALED.seed
    for change, told in (
        ({"seats": [*reversed(header.seats)]}, "The seats of the header are not a, b, c and so on, clockwise; it was changed."),
        ({"commitment": "00"}, "The seed does not fit the commitment in the header."),
        ({"rules": 2}, "Ortus Regni has no rules version 2 here; this program plays all up to 1. Take a newer one."),
        ({"rulings": {"x": "y"}}, "There is no ruling “x”; there is: "),
        ({"rulings": {"OR-AMB-5": "x"}}, "The ruling OR-AMB-5 can't be “x”; it is one of: open, closed. A newer program "),
    ):
        with pytest.raises(NotUnderstood) as refusal:
            start(msgspec.structs.replace(header, **change), seed)
        assert str(refusal.value).startswith(told)


def test_a_match_is_taken_up_from_a_snapshot_and_goes_on_with_the_same_chain(toy: None) -> None:
    match = fresh(FAIR, 2, 7)
    match.play("a", Answer("pass"), AT, "page")
    taken = take_up(match.header, match.seed, FAIR.rules.decode(FAIR.rules.encode(match.state)), 1, match.head)
    assert (taken.header, taken.seed, taken.game, taken.entries, taken.opening) == (match.header, match.seed, FAIR, [], [])
    for one in (match, taken):
        one.play("b", Answer("pass"), AT, "reply")
    assert taken.entries == match.entries[1:] and taken.head == match.head


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ask": "x"}, "Entry 4 answers “x” no. 1, which was not open then."),
        ({"serial": 9}, "Entry 4 answers “deck” no. 9, which was not open then."),
        ({"move": None}, "Entry 4 is redacted; only a whole log can be replayed."),
        ({"ask": "concession", "serial": 0}, "“deck” is not open to you here. You can: queue."),
        ({"serial": -77}, "That proposal is no longer open: it was answered or withdrawn, or its time is over."),
        (
            {"ask": "offer", "serial": 0, "move": "b concession#12 accept"},
            "That proposal is no longer open: it was answered or withdrawn, or its time is over.",
        ),
    ],
)
def test_an_entry_that_fits_nothing_is_refused_and_leaves_no_trace(change: dict[str, object], told: str) -> None:
    match = mustered()
    before = ORTUS.rules.encode(match.state)
    with pytest.raises(Refused) as refusal:
        apply(match, msgspec.structs.replace(match.entries[0], n=4, **change))
    assert str(refusal.value) == told and len(match.entries) == 3 and ORTUS.rules.encode(match.state) == before


def test_an_answer_to_a_proposal_may_come_after_others_that_came_to_nothing(toy: None) -> None:
    match = fresh(FAIR, 3, 30)
    apply(match, proposal(match, "propose"))
    ((number, _),) = offers.proposals(match.state, "b")
    ware = match.state.table.keepers["b"].wares[0]
    match.play_offer("b", "trade", Answer("counter", {"mine": ware, "coins": 1}), AT, "page", number, skipped=2)
    assert match.entries[-1].move == f"b trade#{number}+2 counter mine={ware} coins=1"
    assert [p.number for p in match.state.table.proposals.open] == [4 * offers.CIRCLE + 0b011]
    assert replay(match.header, match.seed, match.entries).state == match.state


def test_a_number_that_is_longer_than_any_proposal_has_is_none() -> None:
    match = mustered()
    entry = msgspec.structs.replace(match.entries[0], n=4, ask="offer", serial=0, actor="")
    for number in ("123456789", "000000012"):
        with pytest.raises(NotLegal, match="no longer open"):
            apply(match, msgspec.structs.replace(entry, move=f"b concession#{number} queue"))
    apply(match, msgspec.structs.replace(entry, move="b concession#1234567890 queue"))
    assert match.state.table.earls["b"].concede


def test_a_line_may_end_and_nothing_else_may_stand_around_it() -> None:
    header, entry = whole()[:2]
    assert read_header(header + "\n") == read_header(header) and read_entry(2, entry + "\n") == read_entry(2, entry)
    for around in (" {}", "{} ", "{}\t", "\r{}"):
        with pytest.raises(NotUnderstood, match=r"^Line 1 is not as it was written; the header was changed\.$"):
            read_header(around.format(header))
        with pytest.raises(NotUnderstood, match=r"^Line 2 is not as it was written; it was changed\.$"):
            read_entry(2, around.format(entry))


def test_what_is_sealed_is_left_out_with_all_after_it_until_the_last_has_answered(toy: None) -> None:
    match = fresh(FAIR, 3, 30)

    def shown(reader: str | None) -> list[tuple[int, str | None, str | None]]:
        header, *lines = redacted(match.header, match.entries, match.state, len(match.entries), reader)
        assert read_header(header) == match.header
        return [(e.n, e.move, e.via) for e in (read_entry(n, line) for n, line in enumerate(lines, 2))]

    match.play_offer("b", "accuse", Answer("accuse", {"target": "a"}), AT, "api")
    match.play("c", Answer("innocent"), AT, "page")
    told = [(1, "accuse target=a", None), (2, "innocent", None)]
    assert shown("a") == shown(None) == told and shown("b") == [(1, "accuse target=a", "api"), told[1]]
    match.play("c", Answer("pass"), AT, "page")
    match.play_offer("a", "call", Answer("call", {"target": "b"}), AT, "page")
    assert shown("a") == [*shown("c")[:1], told[1]] == told, "C's bid lies sealed beneath the game of dice, and nobody sees"
    match.play("b", Answer("no"), AT, "reply")
    assert shown("a") == told
    for seat in "ab":
        match.play(seat, Answer("pass"), AT, "page")
    assert shown("b") == [
        (1, "accuse target=a", "api"), (2, "innocent", None), (3, "pass", None), (4, "call target=b", None),
        (5, "no", "reply"), (6, "pass", None), (7, "pass", "page"),
    ]  # fmt: skip


def test_a_position_and_entries_that_do_not_belong_together_are_no_log(toy: None) -> None:
    match = fresh(FAIR, 2, 30)
    early = fresh(FAIR, 2, 30)
    for seat in "ab":
        match.play(seat, Answer("pass"), AT, "page")
    match.play("a", procedure.ask_of(match.state, "a").default, AT, "page")
    with pytest.raises(ValueError, match=r"^the position belongs to another log: it has played 2 entries, not 3$"):
        redacted(match.header, match.entries, match.state, 2, "a")
    with pytest.raises(ValueError, match=r"^the position belongs to another log: it has played 3 entries, not 3$"):
        redacted(match.header, match.entries, early.state, 3, "a")
    early.state.opened = 2
    assert len(redacted(match.header, match.entries, early.state, 3, "a")) == 4, "a later step was open before"


def test_a_game_is_told_who_gave_which_answer_and_what_an_order_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, given = list[tuple[str, str, Answer]](), list[tuple[str, Answer]]()

    def audience(kind: str, seat: str, answer: Answer) -> None:
        asked.append((kind, seat, answer))

    book = replace(FAIR.orders, gives=lambda _state, seat, answer: given.append((seat, answer)))
    monkeypatch.setitem(GAMES, FAIR.name, replace(FAIR, rules=replace(FAIR.rules, audience=audience), orders=book))
    match = fresh(FAIR, 2, 30)
    for seat in "ab":
        match.play(seat, Answer("pass"), AT, "order", "default")
    assert given == [("a", Answer("pass")), ("b", Answer("pass"))]
    assert asked == [("bid", "a", Answer("pass")), ("bid", "b", Answer("pass"))]
    replay(match.header, match.seed, match.entries)
    assert given[2:] == given[:2]


def test_what_is_proposed_and_what_is_answered_to_it_is_shown_to_their_circle_alone(toy: None) -> None:
    match = fresh(FAIR, 3, 30)
    wares = {seat: keeper.wares[0] for seat, keeper in match.state.table.keepers.items()}
    match.play_offer("a", "propose", Answer("propose", {"target": "b", "ware": wares["a"], "coins": 1}), AT, "page")
    ((number, _),) = offers.proposals(match.state, "b")
    match.play_offer("b", "trade", Answer("accept", {"ware": wares["b"]}), AT, "page", number)
    moves = [entry.move for entry in match.entries]
    for reader in ("a", "b", "c", None):
        lines = redacted(match.header, match.entries, match.state, 2, reader)[1:]
        shown = [read_entry(n, line).move for n, line in enumerate(lines, 2)]
        assert shown == (moves if reader in ("a", "b") else [None, None])


def test_an_answer_is_checked_once_and_in_a_trusted_log_not_at_all(toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    checked, vet = list[str](), procedure.vet

    def counted(state: AnyState, seat: str, answer: Answer, ask: Ask | None = None) -> Answer:
        checked.append(seat)
        return vet(state, seat, answer, ask)

    monkeypatch.setattr(procedure, "vet", counted)
    match = fresh(FAIR, 2, 30)
    for seat in "ab":
        match.play(seat, Answer("pass"), AT, "page")
    assert checked == ["a", "b"]
    assert replay(match.header, match.seed, match.entries).state == match.state and checked == ["a", "b"] * 2
    assert replay(match.header, match.seed, match.entries, trusted=True).state == match.state and checked == ["a", "b"] * 2


def test_a_power_that_has_to_wait_is_told_from_one_that_a_seat_has_not(toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    state = fresh(FAIR, 2, 30).state
    monkeypatch.setattr(procedure, "waits", lambda _state, seat, kind: (seat, kind) == ("b", "sword"))
    for seat, kind, said in (("b", "sword", "frozen"), ("a", "sword", "no_offer"), ("b", "lance", "no_offer")):
        with pytest.raises(NotLegal) as refusal:
            check_offer(FAIR, state, seat, kind, Answer("draw"))
        assert str(refusal.value) == str(say(f"match.{said}", kind=kind))


def test_a_snapshot_of_rules_to_come_is_not_taken_up() -> None:
    header = msgspec.structs.replace(REVEALED.header, rules=2)
    with pytest.raises(NotUnderstood, match="no rules version 2"):
        take_up(header, REVEALED.seed, REVEALED.state, LAST, REVEALED.head)
