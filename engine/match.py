"""Match log: a header and an append-only hash chain of entries; replay gives the state.

An entry's hash covers the previous hash, its public part, and salted hashes of its move and source, so that a redacted log
still proves its chain. The last entry reveals the seed, which verifies the rest. Stored as JSON Lines.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from engine import offers, procedure
from engine.asks import Answer, NotLegal, NotUnderstood, Refused, Seat, check, read, write
from engine.chance import Chance, commitment, keyed_hash, secret
from engine.game import AnyState, Game
from engine.games import game_called
from engine.position import said
from engine.procedure import Outcome
from engine.views import UNHEARD, Event
from engine.words import Plain, Said, read_said, say

FORMAT = 1
SEATS = "abcdef"
REVEAL = "reveal"
"""Kind of the last entry, with seed and result."""
DEFAULT = "default"
ORDER = "order"
"""`via` of a standing order's answer."""
OFFER = 0
"""Serial of a power; answers to proposals have the proposal's negative number."""
SHUT_OFFER = "offer"
"""Kind of a hidden power or answer to a proposal: no actor, no serial.

The sealed move holds seat, kind, proposal's number and skipped numbers: `b concession queue`, `b trade#131 accept`, `b
propose+2 propose target=c`.
"""
TABLE = "table"
"""Kind of a public entry that isn't an answer: pause, deadline, change of player. Only `end` (no winner) changes the position.
"""
END = "end"


class SeatInfo(msgspec.Struct, frozen=True):
    """A seat in the header; `entropy` is hex. `given`: supplied by the player (`chance.entropy_of`); unset in older logs."""

    seat: Seat
    name: str
    entropy: str
    bot: str = ""
    given: bool | msgspec.UnsetType = msgspec.UNSET


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """Fixed before the first move. New fields need a default, which is omitted when serialised."""

    writ: int
    match: str
    game: str
    rules: int
    options: dict[str, Any]
    seats: list[SeatInfo]
    commitment: str
    created: str
    rulings: dict[str, str] = {}
    """All rulings with their values; missing ones have the value from before they existed."""

    def hash(self) -> str:
        """SHA-256 of the canonical JSON, `prev` of the first entry."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    @property
    def names(self) -> dict[Seat, str]:
        return {s.seat: s.name for s in self.seats}


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One accepted answer.

    `serial`: the ask's number, 0 for a power, negative for a proposal. `move` and `via` (page, reply, api, order, house,
    advance, bot, clock) are absent if redacted; their seals never are. `actor` is empty for a `SHUT_OFFER`. `mark` is public:
    `default`, `steward` or "".
    """

    n: int
    at: str
    actor: str
    ask: str
    serial: int
    mark: str
    sealed_move: str
    sealed_via: str
    prev: str
    hash: str
    move: str | None = None
    via: str | None = None


_decode_entry = msgspec.json.Decoder(Entry).decode
_encode = msgspec.json.Encoder().encode


def seal(secret_: str, n: int, part: str, text: str) -> str:
    """Salted hash of a private part; short texts can't be guessed."""
    return hashlib.sha256(keyed_hash(secret_, f"seal/{n}/{part}") + text.encode()).hexdigest()


def entry_hash(e: Entry) -> str:
    """Hash of an entry's public part, seals and predecessor."""
    face = [e.n, e.at, e.actor, e.ask, e.serial, e.mark, e.sealed_move, e.sealed_via, e.prev]
    return hashlib.sha256(_encode(face)).hexdigest()


@dataclass
class Match:
    """A match in play: header, seed, entries and current state."""

    header: Header
    seed: bytes
    game: Game
    state: AnyState
    entries: list[Entry] = field(default_factory=list)
    opening: list[Event] = field(default_factory=list)
    """Events before the first ask."""
    before: int = 0
    """Number of entries before the snapshot."""
    head_before: str = ""
    """Hash of the last of them."""

    @property
    def secret(self) -> str:
        return secret(self.seed, (s.entropy for s in self.header.seats))

    @property
    def head(self) -> str:
        return self.entries[-1].hash if self.entries else self.head_before or self.header.hash()

    @property
    def outcome(self) -> Outcome | None:
        outcome: Outcome | None = self.state.table.outcome
        return outcome

    def play(self, seat: Seat, answer: Answer, at: str, via: str, mark: str = "") -> list[Event]:
        """Validate, play and append an answer. Raises Refused without changes."""
        frame_ask = self.ask_kind()
        serial = self.state.serial
        answer = procedure.vet(self.state, seat, answer)
        move = write(answer)  # serialised first: playing may change its lists
        if mark == DEFAULT and self.game.audience(frame_ask, seat, answer) is not None:
            mark = ""  # the mark would reveal a hidden answer (OR-DEC-3); its seat reads `via`
        if via == ORDER:
            self.game.orders.gives(self.state, seat, answer)
        events = procedure.play(self.state, seat, answer, trusted=True)
        self._append(seat, frame_ask, serial, move, at, via, mark)
        return events

    def play_offer(
        self, seat: Seat, kind: str, answer: Answer, at: str, via: str, number: int = 0, mark: str = "", skipped: int = 0
    ) -> list[Event]:
        """Validate, play and append a power (number 0) or an answer to a proposal. Raises Refused.

        `skipped`: unlogged failed proposals of its circle.
        """
        answer = check_offer(self.game, self.state, seat, kind, answer, number)
        move, circle = write(answer), audience(self.game, self.state.table.seats, seat, kind, answer, number)
        if skipped and circle is not None:
            offers.skip(self.state.table, circle, skipped)
        events = run_offer(self.game, self.state, seat, kind, answer, number)
        if circle is None:
            self._append(seat, kind, -number, move, at, via, mark)
        else:
            numbered = (f"{kind}#{number}" if number else kind) + (f"+{skipped}" if skipped else "")
            self._append("", SHUT_OFFER, OFFER, f"{seat} {numbered} {move}", at, via, "")
        return events

    def record(self, actor: str, words: Answer, at: str, via: str) -> None:
        """Append an entry about the table; `actor` is a seat, `host`, `clock` or `table`. Raises NotLegal after the end."""
        if self.outcome is not None:
            raise NotLegal(say("match.over"))
        _arrange(self.state, words)
        self._append(actor, TABLE, OFFER, write(words), at, via, "")

    def ask_kind(self) -> str:
        """The open step's name: `turn`, `defend` ..."""
        return self.state.stack[-1].step if self.state.stack else ""

    def reveal(self, at: str) -> None:
        """Append the last entry: seed and result. Raises NotLegal while the game is running."""
        outcome = self.outcome
        if outcome is None:
            raise NotLegal(say("match.not_over"))
        move = f"reveal seed={self.seed.hex()} winners=[{','.join(outcome.winners)}] how={outcome.how}"
        self._append("host", REVEAL, OFFER, move, at, "host", "")

    def _append(self, actor: str, ask: str, serial: int, move: str, at: str, via: str, mark: str) -> None:
        n = self.before + len(self.entries) + 1
        key = self.secret
        sealed_move, sealed_via = seal(key, n, "move", move), seal(key, n, "via", via)
        entry = Entry(n, at, actor, ask, serial, mark, sealed_move, sealed_via, self.head, "", move, via)
        self.entries.append(msgspec.structs.replace(entry, hash=entry_hash(entry)))


def _arrange(state: AnyState, words: Answer) -> None:
    if words.option == END:
        state.table.outcome = Outcome((), "ended")
        state.stack, state.waiting, state.sealed = [], [], {}


def check_offer(
    game: Game, state: AnyState, seat: Seat, kind: str, answer: Answer, number: int = 0, ahead: bool = False
) -> Answer:
    """Validate a power or an answer to a proposal and normalise it. Raises Refused.

    `ahead`: even if it has to wait for a safe point.
    """
    if number:
        return offers.checked(state, seat, number, answer, ahead)
    listed = game.offers(state, seat)
    for ask in listed if ahead else offers.powers(state, listed):
        if ask.kind == kind:
            answer = check(ask, answer)
            game.vet_offer(state, seat, kind, answer)
            return answer
    raise NotLegal(say("match.frozen" if procedure.waits(state, seat, kind) else "match.no_offer", kind=kind))


def run_offer(game: Game, state: AnyState, seat: Seat, kind: str, answer: Answer, number: int = 0) -> list[Event]:
    """Play a validated power or answer to a proposal; returns events."""
    depth = len(state.stack)
    if number:
        offers.take(state, seat, number, answer)
    else:
        game.take_offer(state, seat, kind, answer)
    procedure.disturbed(state, depth)
    return procedure.heard(state.table)


def audience(game: Game, seats: Sequence[Seat], seat: Seat, kind: str, answer: Answer, number: int) -> tuple[Seat, ...] | None:
    """Who may see an answer at once; None: all."""
    if number:
        return offers.circle_of(number, seats)
    return game.audience(kind, seat, answer)


def start(header: Header, seed: bytes) -> Match:
    """A new match at its first ask. Raises NotUnderstood for an unknown game, version, option or ruling."""
    game = game_called(header.game, header.rules)
    if commitment(seed) != header.commitment:
        raise NotUnderstood(say("match.wrong_seed"))
    seats = [s.seat for s in header.seats]
    if seats != list(SEATS[: len(seats)]):
        raise NotUnderstood(say("match.wrong_seats"))
    chance = Chance(secret(seed, (s.entropy for s in header.seats)))
    state = game.setup(seats, header.options, chance, header.rulings)
    opening = procedure.begin(state)
    return Match(header, seed, game, state, [], opening)


def take_up(header: Header, seed: bytes, state: AnyState, entries: int, head: str) -> Match:
    """Resume from a snapshot after `entries` entries; `head` is the last one's hash."""
    return Match(header, seed, game_called(header.game, header.rules), state, before=entries, head_before=head)


Watcher = Callable[[Entry, list[Event]], None]


def replay(header: Header, seed: bytes, entries: Iterable[Entry], trusted: bool = False, watch: Watcher | None = None) -> Match:
    """Replay entries. `trusted` skips validation. Raises Refused at the first bad entry."""
    match = start(header, seed)
    table = match.state.table
    if watch is None:
        table.news = UNHEARD
    for entry in entries:
        events = apply(match, entry, trusted)
        if watch is not None:
            watch(entry, events)
    table.news = []
    return match


def repeat(header: Header, seed: bytes, entries: Iterable[Entry], at: str) -> tuple[Match, list[tuple[int, list[Event]]]]:
    """A new match that repeats answers of another one with the same seed, with entries of its own; events by entry."""
    match = start(header, seed)
    told = [(0, match.opening)]
    for entry in entries:
        events = apply(match, entry, trusted=True)
        match.entries.pop()
        match._append(entry.actor, entry.ask, entry.serial, entry.move or "", at, entry.via or "", entry.mark)
        told.append((len(match.entries), events))
    return match, told


def apply(match: Match, entry: Entry, trusted: bool = False) -> list[Event]:
    """Replay and append one entry. Raises Refused if it doesn't fit the position."""
    ask, move, state = entry.ask, entry.move, match.state
    events: list[Event] = []
    if ask == REVEAL:
        pass
    elif move is None:
        raise NotUnderstood(say("match.entry_redacted", n=entry.n))
    elif ask == TABLE:
        if match.outcome is not None:
            raise NotLegal(say("match.entry_after_end", n=entry.n))
        _arrange(state, read(move))
    elif entry.serial > OFFER:
        seat = entry.actor
        if seat not in state.table.seats:
            raise NotLegal(say("match.entry_of_nobody", n=entry.n, seat=seat[:20]))
        answer = read(move)
        if entry.serial != state.serial or ask != match.ask_kind():
            raise NotLegal(say("match.entry_not_open", n=entry.n, kind=ask, serial=entry.serial))
        if not trusted:
            answer = procedure.vet(state, seat, answer)
        if entry.via == ORDER:
            match.game.orders.gives(state, seat, answer)
        events = procedure.play(state, seat, answer, trusted=True)
    else:
        seat, kind, number, text, skipped = parts(entry)
        if seat not in state.table.seats:
            raise NotLegal(say("match.entry_of_nobody", n=entry.n, seat=seat[:20]))
        answer = read(text)
        _skip(match, seat, kind, number, answer, skipped)
        if not trusted:
            answer = check_offer(match.game, state, seat, kind, answer, number)
        events = run_offer(match.game, state, seat, kind, answer, number)
    match.entries.append(entry)
    return events


def _skip(match: Match, seat: Seat, kind: str, number: int, answer: Answer, skipped: int) -> None:
    if skipped:
        state = match.state
        circle = audience(match.game, state.table.seats, seat, kind, answer, number)
        if circle is None or not hasattr(state.table, "proposals"):
            raise NotLegal(say("match.no_offer", kind=kind))
        offers.skip(state.table, circle, skipped)


def parts(entry: Entry) -> tuple[Seat, str, int, str, int]:
    """Parse an entry: seat, kind, proposal's number (0: none), answer's text, skipped numbers."""
    move = entry.move
    assert move is not None
    if entry.ask == SHUT_OFFER and entry.serial == OFFER:
        seat, _, rest = move.partition(" ")
        named, _, text = rest.partition(" ")
        named, _, skipped = named.partition("+")
        kind, _, number = named.partition("#")
        return seat, kind, _number(number), text, _number(skipped)
    return entry.actor, entry.ask, max(0, -entry.serial), move, 0


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


# --- the file form ----------------------------------------------------------------------------------------------------


def to_lines(header: Header, entries: Iterable[Entry]) -> Iterable[str]:
    """Serialise the log as JSON Lines."""
    yield msgspec.json.encode(header).decode()
    for entry in entries:
        yield msgspec.json.encode(entry).decode()


def redacted(header: Header, entries: list[Entry], state: AnyState, played: int, seat: Seat | None) -> list[str]:
    """Redact a running match's log for a seat, as JSON Lines with a valid hash chain.

    `state` is the position after `played` entries. Answers to a step that is still sealed are omitted, because even who has
    answered is secret. Raises ValueError if position and entries don't match.
    """
    if played != len(entries) or any(e.serial > max(state.serial, state.opened) for e in entries):
        raise ValueError(f"the position belongs to another log: it has played {played} entries, not {len(entries)}")
    return list(_redacted(header, entries, state, seat))


def _redacted(header: Header, entries: list[Entry], state: AnyState, seat: Seat | None) -> Iterable[str]:
    game = game_called(header.game, header.rules)
    yield msgspec.json.encode(header).decode()
    shut_steps = {step.serial for step in state.parked if step.sealed} | ({state.serial} if state.sealed else set())
    open_from = next((e.n for e in entries if e.serial in shut_steps), len(entries) + 1)
    returned = Counter(state.returned)
    for e in entries[: open_from - 1]:
        own = shown = e.ask == TABLE
        if not shown and e.ask != REVEAL and e.move is not None:
            went_back, returned[e.serial, e.actor] = returned[e.serial, e.actor] > 0, returned[e.serial, e.actor] - 1
            by, kind, number, text, _ = parts(e)
            circle = audience(game, state.table.seats, by, kind, read(text), number)
            own = by == seat
            shown = own or ((circle is None or seat in circle) and not went_back)
        yield msgspec.json.encode(
            msgspec.structs.replace(e, move=e.move if shown else None, via=e.via if own else None)
        ).decode()


class Verdict(msgspec.Struct, frozen=True):
    """Result of verifying a log, with the first fault."""

    holds: bool
    said: Said | Plain
    entries: int = 0
    winners: tuple[Seat, ...] = ()

    @property
    def sentence(self) -> str:
        return str(self.said)


def verify(lines: Iterable[str]) -> Verdict:
    """Verify a whole log offline: format, chain, seals, commitment, moves, shuffles, result.

    Anyone with the seed can forge a chain, so even crashes of the rules are findings.
    """
    try:
        return _verify(list(lines))
    except Refused as refusal:
        return Verdict(False, read_said(refusal.said.stored()))
    except Exception as problem:
        return Verdict(False, say("log.not_played", problem=said(problem)))


def _verify(lines: list[str]) -> Verdict:
    if not lines:
        raise NotUnderstood(say("log.empty"))
    header = read_header(lines[0])
    entries = [read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    _verify_chain(header, entries)
    revealed, seed = _read_reveal(entries)
    if commitment(seed) != header.commitment:
        raise NotLegal(say("log.wrong_commitment", line=len(lines)))
    _verify_seals(header, entries, seed)
    outcome = _play_again(header, entries, seed)
    if outcome is None or list(outcome.winners) != revealed.some("winners") or outcome.how != revealed.pick("how"):
        raise NotLegal(say("log.wrong_result", line=len(lines)))
    winners = [header.names[s] for s in outcome.winners]
    holds = say("log.holds", entries=len(entries), winners=winners, shuffled=shuffled_by(header))
    return Verdict(True, holds, len(entries), outcome.winners)


def _verify_chain(header: Header, entries: list[Entry]) -> None:
    """Raise NotLegal for the first entry out of order or with a broken chain."""
    prev = header.hash()
    for i, e in enumerate(entries):
        if e.n != i + 1:
            raise NotLegal(say("log.out_of_order", line=i + 2, n=e.n, due=i + 1))
        if e.prev != prev:
            raise NotLegal(say("log.broken_chain", line=i + 2, n=e.n))
        if e.hash != entry_hash(e):
            raise NotLegal(say("log.wrong_hash", line=i + 2, n=e.n))
        prev = e.hash


def _read_reveal(entries: list[Entry]) -> tuple[Answer, bytes]:
    """Parse the last entry and its seed. Raises NotLegal, NotUnderstood."""
    if not entries or entries[-1].ask != REVEAL or entries[-1].move is None:
        raise NotLegal(say("log.no_reveal", n=len(entries)))
    early = next((e.n for e in entries[:-1] if e.ask == REVEAL), None)
    if early is not None:
        raise NotLegal(say("log.early_reveal", line=early + 1, n=early))
    line = len(entries) + 1
    try:
        revealed = read(entries[-1].move)
    except Refused:
        raise NotUnderstood(say("log.reveal_not_read", line=line, n=len(entries))) from None
    try:
        return revealed, bytes.fromhex(revealed.pick("seed"))
    except ValueError:
        raise NotUnderstood(say("log.seed_not_read", line=line)) from None


def _verify_seals(header: Header, entries: list[Entry], seed: bytes) -> None:
    """Raise NotLegal for the first entry that doesn't match its seals."""
    key = secret(seed, (s.entropy for s in header.seats))
    for e in entries:
        for part, text, sealed in (("move", e.move, e.sealed_move), ("via", e.via, e.sealed_via)):
            if text is None or seal(key, e.n, part, text) != sealed:
                raise NotLegal(say(f"log.wrong_seal_of_{part}", line=e.n + 1, n=e.n))


def _play_again(header: Header, entries: list[Entry], seed: bytes) -> Outcome | None:
    """Replay to the outcome. Raises NotLegal for the first illegal entry."""
    match = start(header, seed)
    for e in entries:
        try:
            apply(match, e)
        except Refused as refusal:
            raise NotLegal(say("log.not_legal", line=e.n + 1, n=e.n, reason=refusal.said)) from None
    return match.outcome


def shuffled_by(header: Header) -> Said:
    """Describe which players gave entropy."""
    told = [s for s in header.seats if s.given is not msgspec.UNSET]
    if not told:
        return say("shuffled.not_told")
    given = [{"name": s.name, "seat": s.seat, "mark": s.entropy[:12]} for s in told if s.given]
    drawn = [{"name": s.name, "seat": s.seat} for s in header.seats if s.given is not True]
    if not given:
        return say("shuffled.drawn")
    return say("shuffled.both", given=given, drawn=drawn) if drawn else say("shuffled.given", given=given)


def read_header(line: str) -> Header:
    """Parse a header. Raises NotUnderstood."""
    try:
        header = msgspec.json.decode(line, type=Header)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise NotUnderstood(say("log.no_header", problem=str(error))) from None
    if header.writ != FORMAT:
        raise NotUnderstood(say("log.wrong_format", format=header.writ, own=FORMAT))
    if msgspec.json.encode(header).decode() != line.strip("\n"):
        raise NotUnderstood(say("log.header_changed"))
    return header


def read_entry(number: int, line: str) -> Entry:
    """Parse an entry. Raises NotUnderstood with the line."""
    try:
        entry = _decode_entry(line)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise NotUnderstood(say("log.no_entry", line=number, problem=str(error))) from None
    if _encode(entry).decode() != line.strip("\n"):
        raise NotUnderstood(say("log.entry_changed", line=number))
    return entry
