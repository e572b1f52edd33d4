"""Match log: a header and an append-only hash chain of entries; replay gives the state. Stored as JSON Lines.

An entry's hash covers the previous hash, its public part, and salted hashes of its move and source, so a redacted log still
proves its chain. The last entry reveals the seed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import msgspec

from engine.core import offers, procedure
from engine.core.asks import SEATS, Answer, NotLegal, NotUnderstood, Refused, Seat, check, illegal_if, read, refuse_if, write
from engine.core.chance import Chance, commitment, keyed_hash, secret
from engine.core.procedure import Outcome
from engine.core.views import UNHEARD, Event
from engine.game import AnyState, Game
from engine.games import game_called
from engine.language.words import Message, read_said, say
from engine.play import taking_back
from engine.text.notation import said

FORMAT = 1
WITH_TAKE_BACKS = 2
"""Format of the log of a match in which answers can be taken back."""
FORMATS = (FORMAT, WITH_TAKE_BACKS)
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
TAKE_BACK = "takeback"
"""Kind of a public entry by which a seat undoes its last answer: `back to=10` restores the position after entry 10."""


class SeatInfo(msgspec.Struct, frozen=True):
    """A seat in the header; `entropy` is hex. `given`: supplied by the player (`chance.entropy_of`); unset in older logs."""

    seat: Seat
    name: str
    entropy: str
    bot: str = ""
    given: bool | msgspec.UnsetType = msgspec.UNSET


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """Fixed before the first move. New fields need a default, which isn't serialised."""

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
        """SHA-256 of the canonical JSON: the first entry's `prev`."""
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
    """Salted hash, so that short texts can't be guessed."""
    return hashlib.sha256(keyed_hash(secret_, f"seal/{n}/{part}") + text.encode()).hexdigest()


def entry_hash(e: Entry) -> str:
    """Hash of public part, seals and predecessor."""
    face = [e.n, e.at, e.actor, e.ask, e.serial, e.mark, e.sealed_move, e.sealed_via, e.prev]
    return hashlib.sha256(_encode(face)).hexdigest()


@dataclass
class Match:
    """A match in memory, with the entries since its snapshot."""

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

    @cached_property
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
        if mark == DEFAULT and self.game.rules.audience(frame_ask, seat, answer) is not None:
            mark = ""  # the mark would reveal a hidden answer (OR-DEC-3); its seat reads `via`
        if via == ORDER:
            self.game.orders.gives(self.state, seat, answer)
        events = procedure.play(self.state, seat, answer, trusted=True)
        self._append(seat, frame_ask, serial, move, at, via, mark)
        return events

    def play_offer(
        self, seat: Seat, kind: str, answer: Answer, at: str, via: str, number: int = 0, mark: str = "", skipped: int = 0
    ) -> list[Event]:
        """Validate, play and append a power (number 0) or an answer to a proposal. Raises Refused. `skipped`: unlogged failed
        proposals of its circle.
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
        illegal_if(self.outcome is not None, "match.over")
        _arrange(self.state, words)
        self._append(actor, TABLE, OFFER, write(words), at, via, "")

    def take_back(self, seat: Seat, to: int, state: AnyState, at: str, via: str) -> None:
        """Append a take-back; `state` is the position after entry `to`."""
        self.state = state
        self._append(seat, TAKE_BACK, OFFER, write(Answer("back", {"to": to})), at, via, "")

    def ask_kind(self) -> str:
        return self.state.stack[-1].step if self.state.stack else ""

    def reveal(self, at: str) -> None:
        """Append the last entry: seed and result. Raises NotLegal while the game runs."""
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
    """Validate and normalise a power or an answer to a proposal. Raises Refused. `ahead`: even before a safe point."""
    if number:
        return offers.checked(state, seat, number, answer, ahead)
    listed = game.rules.powers.open(state, seat)
    for ask in listed if ahead else offers.powers(state, listed):
        if ask.kind == kind:
            answer = check(ask, answer)
            game.rules.powers.vet(state, seat, kind, answer)
            return answer
    raise NotLegal(say("match.frozen" if procedure.waits(state, seat, kind) else "match.no_offer", kind=kind))


def legal_offer(game: Game, state: AnyState, seat: Seat, kind: str, answer: Answer, number: int = 0) -> Answer | None:
    """`check_offer`; None if it refuses."""
    try:
        return check_offer(game, state, seat, kind, answer, number)
    except Refused:
        return None


def run_offer(game: Game, state: AnyState, seat: Seat, kind: str, answer: Answer, number: int = 0) -> list[Event]:
    """Play a validated power or answer to a proposal."""
    depth = len(state.stack)
    if number:
        offers.take(state, seat, number, answer)
    else:
        game.rules.powers.use(state, seat, kind, answer)
    procedure.disturbed(state, depth)
    return procedure.heard(state.table)


def audience(game: Game, seats: Sequence[Seat], seat: Seat, kind: str, answer: Answer, number: int) -> tuple[Seat, ...] | None:
    """Seats that may see an answer at once; None: all."""
    if number:
        return offers.circle_of(number, seats)
    return game.rules.audience(kind, seat, answer)


def start(header: Header, seed: bytes, kind: type[Chance] = Chance) -> Match:
    """A new match at its first ask. Raises NotUnderstood for an unknown game, version, option or ruling."""
    game = game_called(header.game, header.rules)
    refuse_if(commitment(seed) != header.commitment, "match.wrong_seed")
    seats = [s.seat for s in header.seats]
    refuse_if(seats != list(SEATS[: len(seats)]), "match.wrong_seats")
    chance = kind(secret(seed, (s.entropy for s in header.seats)))
    state = game.rules.setup(seats, header.options, chance, header.rulings)
    opening = procedure.begin(state)
    return Match(header, seed, game, state, [], opening)


def take_up(header: Header, seed: bytes, state: AnyState, entries: int, head: str) -> Match:
    """Resume from a snapshot after `entries` entries, the last with hash `head`."""
    return Match(header, seed, game_called(header.game, header.rules), state, before=entries, head_before=head)


Watcher = Callable[[Entry, list[Event]], None]


def replay(header: Header, seed: bytes, entries: Iterable[Entry], trusted: bool = False, watch: Watcher | None = None) -> Match:
    """Replay entries. `trusted` skips validation. Raises Refused at the first bad entry."""
    match = start(header, seed)
    for entry, events in follow(match, entries, trusted, heard=watch is not None or not trusted):
        if watch is not None:
            watch(entry, events)
    return match


def follow(
    match: Match,
    entries: Iterable[Entry],
    trusted: bool = False,
    heard: bool = True,
    before_each: Callable[[Entry], None] | None = None,
) -> Iterator[tuple[Entry, list[Event]]]:
    """Apply and yield entries with their events (none unless `heard`). Take-backs restore the position.

    `before_each` is called before each entry. Raises Refused at the first bad one, ValueError for a trusted take-back to a
    position before the match's own.
    """
    entries, game, chance = [*entries], match.game, match.state.table.chance
    marked = {returns_to(e) for e in entries if e.ask == TAKE_BACK}
    n = match.before + len(match.entries)
    kept = {n: game.rules.encode(match.state)} if n in marked else {}
    steps: list[_Played] = []
    for entry in entries:
        if not heard:
            match.state.table.news = UNHEARD
        if before_each is not None:
            before_each(entry)
        events: list[Event] = []
        if entry.ask == TAKE_BACK:
            if not trusted:
                _vet_take_back(match, steps, entry)
            if returns_to(entry) not in kept:
                raise ValueError(f"entry {entry.n} returns to a position that isn't known")
            match.state = game.rules.decode(kept[returns_to(entry)])
            match.state.table.chance = chance  # nothing was drawn in what it undoes
            match.entries.append(entry)
        else:
            events = apply(match, entry, trusted)
            before = kept.get(entry.n - 1)
            if not trusted:
                steps.append(_Played(entry, events, before, game.rules.encode(match.state) if before is not None else None))
        if entry.n in marked:
            kept[entry.n] = game.rules.encode(match.state)
        yield entry, events
    match.state.table.news = []


class _Played(NamedTuple):
    """An entry in force, with the encoded positions around it if a take-back returns to the first."""

    entry: Entry
    events: list[Event]
    before: bytes | None
    after: bytes | None


def _vet_take_back(match: Match, steps: list[_Played], entry: Entry) -> None:
    """Remove the undone entry. Raises NotLegal unless it is the seat's last answer and undoable."""
    to, well_formed = returns_to(entry), (entry.serial, entry.mark) == (OFFER, "")
    last = steps.pop() if steps and match.header.writ >= WITH_TAKE_BACKS and well_formed else None
    if last is None or (last.entry.actor, last.entry.n - 1) != (entry.actor, to) or last.entry.ask == TABLE:
        raise NotLegal(say("match.entry_takes_back", n=entry.n))
    game, answer = match.game, last.entry
    assert last.before is not None and last.after is not None  # `to` is marked
    before, after, again = game.rules.decode(last.before), game.rules.decode(last.after), partial(play_again, game, answer)
    if answer.serial < OFFER or taking_back.why_final(game, before, after, entry.actor, last.events, again):
        raise NotLegal(say("match.entry_final", n=entry.n))


def play_again(game: Game, entry: Entry, state: AnyState) -> list[Event]:
    """Replay a logged answer in another position. Raises Refused."""
    answer = read(entry.move or "")
    if entry.serial > OFFER:
        return procedure.play(state, entry.actor, answer)
    return run_offer(game, state, entry.actor, entry.ask, check_offer(game, state, entry.actor, entry.ask, answer))


def returns_to(entry: Entry) -> int:
    """The entry that a take-back returns to. Raises NotUnderstood."""
    return read(entry.move or "").number("to")


def standing(entries: Iterable[Entry]) -> list[Entry]:
    """Entries in force, without take-backs and what they undid."""
    found: list[Entry] = []
    for entry in entries:
        if entry.ask != TAKE_BACK:
            found.append(entry)
            continue
        to = returns_to(entry)
        while found and found[-1].n > to:
            found.pop()
    return found


def repeat(header: Header, seed: bytes, entries: Iterable[Entry], at: str) -> tuple[Match, list[tuple[int, list[Event]]]]:
    """Repeat another match's answers with the same seed, in new entries; returns events by entry."""
    match = start(header, seed)
    told = [(0, match.opening)]
    for entry in entries:
        events = apply(match, entry, trusted=True)
        match.entries.pop()
        match._append(entry.actor, entry.ask, entry.serial, entry.move or "", at, entry.via or "", entry.mark)
        told.append((len(match.entries), events))
    return match, told


def apply(match: Match, entry: Entry, trusted: bool = False) -> list[Event]:
    """Replay and append an entry. Raises Refused if it doesn't fit the position."""
    ask, move, state = entry.ask, entry.move, match.state
    events: list[Event] = []
    if ask == REVEAL:
        pass
    elif ask == TAKE_BACK:
        raise NotLegal(say("match.entry_takes_back", n=entry.n))  # not alone: see `follow`
    elif move is None:
        raise NotUnderstood(say("match.entry_redacted", n=entry.n))
    elif ask == TABLE:
        illegal_if(match.outcome is not None, "match.entry_after_end", n=entry.n)
        _arrange(state, read(move))
    elif entry.serial > OFFER:
        seat = entry.actor
        illegal_if(seat not in state.table.seats, "match.entry_of_nobody", n=entry.n, seat=seat[:20])
        answer = read(move)
        if entry.serial != state.serial or ask != match.ask_kind():
            raise NotLegal(say("match.entry_not_open", n=entry.n, kind=ask, serial=entry.serial))
        if not trusted:
            answer = procedure.vet(state, seat, answer)
        if entry.via == ORDER:
            match.game.orders.gives(state, seat, answer)
        events = procedure.play(state, seat, answer, trusted=True)
    else:
        events = _apply_offer(match, entry, trusted)
    match.entries.append(entry)
    return events


def _apply_offer(match: Match, entry: Entry, trusted: bool) -> list[Event]:
    seat, kind, number, text, skipped = parts(entry)
    illegal_if(seat not in match.state.table.seats, "match.entry_of_nobody", n=entry.n, seat=seat[:20])
    answer = read(text)
    _skip(match, seat, kind, number, answer, skipped)
    if not trusted:
        answer = check_offer(match.game, match.state, seat, kind, answer, number)
    return run_offer(match.game, match.state, seat, kind, answer, number)


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
    yield msgspec.json.encode(header).decode()
    for entry in entries:
        yield msgspec.json.encode(entry).decode()


def redacted(header: Header, entries: list[Entry], state: AnyState, played: int, seat: Seat | None) -> list[str]:
    """Redact a log for a seat, as JSON Lines with a valid hash chain. Answers to a step still sealed are left out: who has
    answered is secret. `state` is the position after `played` entries. Raises ValueError if they don't match.
    """
    if played != len(entries) or any(e.serial > max(state.serial, state.opened) for e in standing(entries)):
        raise ValueError(f"the position belongs to another log: it has played {played} entries, not {len(entries)}")
    game = game_called(header.game, header.rules)
    found = list[Entry]()
    shut_steps = {step.serial for step in state.parked if step.sealed} | ({state.serial} if state.sealed else set())
    counted = {e.n for e in standing(entries)}
    open_from = next((e.n for e in entries if e.serial in shut_steps and e.n in counted), len(entries) + 1)
    returned = Counter(state.returned)
    for e in entries[: open_from - 1]:
        own = shown = e.ask == TABLE
        if e.ask == TAKE_BACK:
            own, shown = e.actor == seat, True
        elif not shown and e.ask != REVEAL and e.move is not None:
            went_back = e.n in counted and returned[e.serial, e.actor] > 0
            returned[e.serial, e.actor] -= e.n in counted
            by, kind, number, text, _ = parts(e)
            circle = audience(game, state.table.seats, by, kind, read(text), number)
            own = by == seat
            shown = own or ((circle is None or seat in circle) and not went_back)
        found.append(msgspec.structs.replace(e, move=e.move if shown else None, via=e.via if own else None))
    return list(to_lines(header, found))


def for_strangers(
    header: Header, seed: bytes, entries: Iterable[Entry], names: Mapping[Seat, str]
) -> tuple[Header, list[Entry]]:
    """Anonymise a finished log, with a new hash chain: the old hashes would confirm a guessed time.

    Left out: the match's id, times finer than a day, how answers came, pauses, deadlines, changes of players. `names`: for the
    header.
    """
    seats = [msgspec.structs.replace(s, name=names[s.seat]) for s in header.seats]
    header = msgspec.structs.replace(header, match="", created=_day(header.created), seats=seats)
    key, prev, found = secret(seed, (s.entropy for s in header.seats)), header.hash(), list[Entry]()
    for e in entries:
        actor, move = e.actor, e.move or ""
        if e.ask == TABLE:
            actor, move = TABLE, END if read(move).option == END else TABLE
        sealed = (seal(key, e.n, "move", move), seal(key, e.n, "via", ""))
        bare = Entry(e.n, _day(e.at), actor, e.ask, e.serial, "", *sealed, prev, "", move, "")
        found.append(msgspec.structs.replace(bare, hash=entry_hash(bare)))
        prev = found[-1].hash
    return header, found


def _day(at: str) -> str:
    return at[:10]


class Verdict(msgspec.Struct, frozen=True):
    """Result of verifying a log: the first fault, if any."""

    holds: bool
    said: Message
    entries: int = 0
    winners: tuple[Seat, ...] = ()

    @property
    def sentence(self) -> str:
        return str(self.said)


def verify(lines: Iterable[str]) -> Verdict:
    """Verify a log offline: format, chain, seals, commitment, moves, shuffles, result.

    Anyone with the seed can forge a chain, so even crashes of the rules are findings. Raises MemoryError.
    """
    try:
        return _verify(list(lines))
    except Refused as refusal:
        return Verdict(False, read_said(refusal.said.stored()))
    except MemoryError:
        raise  # of the machine, not of the log
    except Exception as problem:
        return Verdict(False, say("log.not_played", problem=said(problem)))


def _verify(lines: list[str]) -> Verdict:
    refuse_if(not lines, "log.empty")
    header, entries = read_log(lines)
    _verify_chain(header, entries)
    revealed, seed = _read_reveal(entries)
    illegal_if(commitment(seed) != header.commitment, "log.wrong_commitment", line=len(lines))
    _verify_seals(header, entries, seed)
    outcome = _play_again(header, entries, seed)
    if outcome is None or list(outcome.winners) != revealed.some("winners") or outcome.how != revealed.pick("how"):
        raise NotLegal(say("log.wrong_result", line=len(lines)))
    winners = [header.names[s] for s in outcome.winners]
    holds = say("log.holds", entries=len(entries), winners=winners, shuffled=shuffled_by(header))
    return Verdict(True, holds, len(entries), outcome.winners)


def _verify_chain(header: Header, entries: list[Entry]) -> None:
    """Raises NotLegal at the first fault."""
    prev = header.hash()
    for i, e in enumerate(entries):
        illegal_if(e.n != i + 1, "log.out_of_order", line=i + 2, n=e.n, due=i + 1)
        illegal_if(e.prev != prev, "log.broken_chain", line=i + 2, n=e.n)
        illegal_if(e.hash != entry_hash(e), "log.wrong_hash", line=i + 2, n=e.n)
        prev = e.hash


def _read_reveal(entries: list[Entry]) -> tuple[Answer, bytes]:
    """Raises NotLegal, NotUnderstood."""
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


def revealed_seed(entries: Sequence[Entry]) -> str:
    """The last entry's seed, as hex. Raises Refused."""
    return _read_reveal([*entries])[1].hex()


def _verify_seals(header: Header, entries: list[Entry], seed: bytes) -> None:
    """Raises NotLegal at the first fault."""
    key = secret(seed, (s.entropy for s in header.seats))
    for e in entries:
        for part, text, sealed in (("move", e.move, e.sealed_move), ("via", e.via, e.sealed_via)):
            if text is None or seal(key, e.n, part, text) != sealed:
                raise NotLegal(say(f"log.wrong_seal_of_{part}", line=e.n + 1, n=e.n))


def _play_again(header: Header, entries: list[Entry], seed: bytes) -> Outcome | None:
    """Replay to the outcome. Raises NotLegal."""
    match, n = start(header, seed), 1
    try:
        for e, _ in follow(match, entries):
            n = e.n + 1
    except Refused as refusal:
        raise NotLegal(say("log.not_legal", line=n + 1, n=n, reason=refusal.said)) from None
    return match.outcome


def shuffled_by(header: Header) -> Message:
    """Sentence on the players who gave entropy."""
    told = [s for s in header.seats if s.given is not msgspec.UNSET]
    if not told:
        return say("shuffled.not_told")
    given = [{"name": s.name, "seat": s.seat, "mark": s.entropy[:12]} for s in told if s.given]
    drawn = [{"name": s.name, "seat": s.seat} for s in header.seats if s.given is not True]
    if not given:
        return say("shuffled.drawn")
    return say("shuffled.both", given=given, drawn=drawn) if drawn else say("shuffled.given", given=given)


def read_log(lines: Sequence[str]) -> tuple[Header, list[Entry]]:
    """Parse a log with a header. Raises NotUnderstood with the line."""
    return read_header(lines[0]), [read_entry(number, line) for number, line in enumerate(lines[1:], 2)]


def read_header(line: str) -> Header:
    """Parse a header. Raises NotUnderstood."""
    try:
        header = msgspec.json.decode(line, type=Header)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise NotUnderstood(say("log.no_header", problem=str(error))) from None
    refuse_if(header.writ not in FORMATS, "log.wrong_format", format=header.writ, own=max(FORMATS))
    refuse_if(msgspec.json.encode(header).decode() != line.strip("\n"), "log.header_changed")
    return header


def read_entry(number: int, line: str) -> Entry:
    """Parse an entry. Raises NotUnderstood with the line."""
    try:
        entry = _decode_entry(line)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise NotUnderstood(say("log.no_entry", line=number, problem=str(error))) from None
    refuse_if(_encode(entry).decode() != line.strip("\n"), "log.entry_changed", line=number)
    return entry
