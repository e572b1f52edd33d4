"""A match: a header and an append-only list of entries in a hash chain. State is never stored as truth; replay gives it.

An entry's hash covers the hash before it, what everybody may know of the entry, and seals (salted hashes) of its two
private parts: the move, and how it came. So a log that is redacted for one seat still proves its chain, and the seed,
revealed by the last entry, opens every seal. The file form is JSON Lines: the header, then one entry a line.
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
"""The kind of the last entry: it opens the seed and states the result."""
DEFAULT = "default"
"""The mark of an answer that the safe default gave."""
ORDER = "order"
"""How an answer comes that a standing order gave."""
OFFER = 0
"""The ask number of a power that is used. An answer to a proposal has the negative of the proposal's number."""
SHUT_OFFER = "offer"
"""The kind of an entry beside the questions that not all may know of. It is by nobody, and has no number: its seat, the
offer's kind and a proposal's number stand in the sealed move, `b concession queue`, `b trade#131 accept`; and where proposals
of its circle have come to nothing before, how many: `b propose+2 propose target=c`."""
TABLE = "table"
"""The kind of an entry that is no answer but changes the game around the board: a pause, a deadline moved, a seat that changes
hands. Its move is known to all. It leaves the position alone, but for `end`, which ends the game without a winner."""
END = "end"


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of the header: its letter, the name shown, the bot that plays it (if one), its own entropy (hex).

    `given` says whether its player gave the entropy (see `chance.entropy_of`) or the server drew it; older logs don't say.
    """

    seat: Seat
    name: str
    entropy: str
    bot: str = ""
    given: bool | msgspec.UnsetType = msgspec.UNSET


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is fixed before the first move. Fields that are added have a default, which is left out when it is written."""

    writ: int
    match: str
    game: str
    rules: int
    options: dict[str, Any]
    seats: list[SeatInfo]
    commitment: str
    created: str
    rulings: dict[str, str] = {}
    """All rulings that the match began with, and their values; those that are not named are as they were before them."""

    def hash(self) -> str:
        """SHA-256 of the canonical JSON: what the first entry's `prev` names."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    @property
    def names(self) -> dict[Seat, str]:
        return {s.seat: s.name for s in self.seats}


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One accepted answer.

    `ask` is the decision's kind and `serial` its number (0 for a power, negative for a proposal); `move` and `via` (page,
    reply, api, order, house, advance, bot, clock) are absent where the reader may not see them, their seals never are; `actor`
    is empty where others may not know that he did anything (a `SHUT_OFFER`); `mark` says aloud what the table may know
    of how it came: `default`, `steward`, or nothing.
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
    """A salted hash of an entry's private part. The salt comes from the match's secret, so nobody can guess short texts."""
    return hashlib.sha256(keyed_hash(secret_, f"seal/{n}/{part}") + text.encode()).hexdigest()


def entry_hash(e: Entry) -> str:
    """The hash of an entry's public face and seals, chained to the entry before."""
    face = [e.n, e.at, e.actor, e.ask, e.serial, e.mark, e.sealed_move, e.sealed_via, e.prev]
    return hashlib.sha256(_encode(face)).hexdigest()


@dataclass
class Match:
    """A match being played or replayed: header, seed, entries, and the state that they lead to."""

    header: Header
    seed: bytes
    game: Game
    state: AnyState
    entries: list[Entry] = field(default_factory=list)
    opening: list[Event] = field(default_factory=list)
    """What happened before the first ask."""
    before: int = 0
    """Entries before those in `entries`, where the match was taken up from a snapshot."""
    head_before: str = ""
    """The hash of the last of them."""

    @property
    def secret(self) -> str:
        return secret(self.seed, (s.entropy for s in self.header.seats))

    @property
    def head(self) -> str:
        """The hash that the next entry will name."""
        return self.entries[-1].hash if self.entries else self.head_before or self.header.hash()

    @property
    def outcome(self) -> Outcome | None:
        outcome: Outcome | None = self.state.table.outcome
        return outcome

    def play(self, seat: Seat, answer: Answer, at: str, via: str, mark: str = "") -> list[Event]:
        """Check and play an answer to the seat's open ask, and append it. Raises Refused and changes nothing if illegal."""
        frame_ask = self.ask_kind()
        serial = self.state.serial
        answer = procedure.vet(self.state, seat, answer)
        move = write(answer)  # before it is played: what takes it may go on with its lists
        if mark == DEFAULT and self.game.audience(frame_ask, seat, answer) is not None:
            mark = ""  # the mark of a hidden answer would tell it (OR-DEC-3); `via` says it to its seat
        if via == ORDER:
            self.game.orders.gives(self.state, seat, answer)
        events = procedure.play(self.state, seat, answer, trusted=True)
        self._append(seat, frame_ask, serial, move, at, via, mark)
        return events

    def play_offer(
        self, seat: Seat, kind: str, answer: Answer, at: str, via: str, number: int = 0, mark: str = "", skipped: int = 0
    ) -> list[Event]:
        """Check and play the use of a power, or an answer to the proposal of that number, and append it. Raises Refused if it
        isn't open.

        `skipped`: how many proposals of its circle came to nothing before it, and are in no entry.
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
        """Append an entry about the table: `actor` is a seat, `host`, `clock` or `table`. Raises NotLegal after the end."""
        if self.outcome is not None:
            raise NotLegal(say("match.over"))
        _arrange(self.state, words)
        self._append(actor, TABLE, OFFER, write(words), at, via, "")

    def ask_kind(self) -> str:
        """The name of the open step: `turn`, `defend` ..."""
        return self.state.stack[-1].step if self.state.stack else ""

    def reveal(self, at: str) -> None:
        """Append the last entry of a finished match: seed and result. Raises NotLegal while it is running."""
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
    """What an entry about the table does to the position: nothing, or the end."""
    if words.option == END:
        state.table.outcome = Outcome((), "ended")
        state.stack, state.waiting, state.sealed = [], [], {}


def check_offer(
    game: Game, state: AnyState, seat: Seat, kind: str, answer: Answer, number: int = 0, ahead: bool = False
) -> Answer:
    """The answer in canonical form if the seat has such a power, or the proposal of that number before it. Raises Refused
    otherwise. `ahead`: even if it has to wait for a safe point."""
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
    """Use a power or answer a proposal in a position, checked before, and run on; what happened, as events."""
    depth = len(state.stack)
    if number:
        offers.take(state, seat, number, answer)
    else:
        game.take_offer(state, seat, kind, answer)
    procedure.disturbed(state, depth)
    return procedure.heard(state.table)


def audience(game: Game, seats: Sequence[Seat], seat: Seat, kind: str, answer: Answer, number: int) -> tuple[Seat, ...] | None:
    """Who may know at once that the seat gave this answer, and which; None: all."""
    if number:
        return offers.circle_of(number, seats)
    return game.audience(kind, seat, answer)


def start(header: Header, seed: bytes) -> Match:
    """A fresh match, run to its first ask. Raises NotUnderstood for an unknown game, rules version, option or ruling."""
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
    """A match taken up from a snapshot: its state after so many entries, the last of which has the hash `head`."""
    return Match(header, seed, game_called(header.game, header.rules), state, before=entries, head_before=head)


Watcher = Callable[[Entry, list[Event]], None]


def replay(header: Header, seed: bytes, entries: Iterable[Entry], trusted: bool = False, watch: Watcher | None = None) -> Match:
    """The match that the entries lead to. `trusted` skips legality checks. Raises Refused at the first bad entry."""
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


def apply(match: Match, entry: Entry, trusted: bool = False) -> list[Event]:
    """Play a stored entry again and append it as it is. Raises Refused if it doesn't fit the position."""
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
        seat, kind, number, text, skipped = _parts(entry)
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


def _parts(entry: Entry) -> tuple[Seat, str, int, str, int]:
    """Who answered, what kind of ask, the number of the proposal that it was (0: none), the answer's text, and how many
    proposals of its circle were skipped before it; of a whole entry."""
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
    """The log as JSON Lines, whole."""
    yield msgspec.json.encode(header).decode()
    for entry in entries:
        yield msgspec.json.encode(entry).decode()


def redacted(header: Header, entries: list[Entry], state: AnyState, played: int, seat: Seat | None) -> list[str]:
    """The log of a running match as JSON Lines, with what the seat may know. It still proves its hash chain.

    `state` is the position after `played` entries. Answers to a step that is still sealed are left out whole, for who has
    answered is a secret too. Raises ValueError for a position that doesn't belong to the entries: what it says is still
    sealed would not be what is sealed there.
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
            by, kind, number, text, _ = _parts(e)
            circle = audience(game, state.table.seats, by, kind, read(text), number)
            own = by == seat
            shown = own or ((circle is None or seat in circle) and not went_back)
        yield msgspec.json.encode(
            msgspec.structs.replace(e, move=e.move if shown else None, via=e.via if own else None)
        ).decode()


class Verdict(msgspec.Struct, frozen=True):
    """What verifying a log found: whether it holds, and a sentence that says so or names the first fault."""

    holds: bool
    said: Said | Plain
    entries: int = 0
    winners: tuple[Seat, ...] = ()

    @property
    def sentence(self) -> str:
        """What was found, in the language spoken."""
        return str(self.said)


def verify(lines: Iterable[str]) -> Verdict:
    """Verify a whole log offline: file form, chain, seals, commitment, every move and shuffle, the result.

    Whoever has the seed can chain anything anew, so that even what the rules choke on is a finding and no error.
    """
    try:
        return _verify(list(lines))
    except Refused as refusal:
        return Verdict(False, read_said(refusal.said.stored()))
    except Exception as problem:
        return Verdict(False, say("log.not_played", problem=said(problem)))


def _verify(lines: list[str]) -> Verdict:
    """What is found in the lines of a log that holds. Raises Refused with the first fault."""
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
    """Raise NotLegal for the first entry that is out of order, or not chained to the one before it."""
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
    """What the last entry reveals, and the seed in it. Raises NotLegal where none or too many reveal; NotUnderstood."""
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
    """Raise NotLegal for the first entry whose move, or whose way here, is not what was sealed."""
    key = secret(seed, (s.entropy for s in header.seats))
    for e in entries:
        for part, text, sealed in (("move", e.move, e.sealed_move), ("via", e.via, e.sealed_via)):
            if text is None or seal(key, e.n, part, text) != sealed:
                raise NotLegal(say(f"log.wrong_seal_of_{part}", line=e.n + 1, n=e.n))


def _play_again(header: Header, entries: list[Entry], seed: bytes) -> Outcome | None:
    """How the game ends when all entries are played; None where it goes on. Raises NotLegal for the first illegal one."""
    match = start(header, seed)
    for e in entries:
        try:
            apply(match, e)
        except Refused as refusal:
            raise NotLegal(say("log.not_legal", line=e.n + 1, n=e.n, reason=refusal.said)) from None
    return match.outcome


def shuffled_by(header: Header) -> Said:
    """Whose words were shuffled with beside the server's seed, as a sentence."""
    told = [s for s in header.seats if s.given is not msgspec.UNSET]
    if not told:
        return say("shuffled.not_told")
    given = [{"name": s.name, "seat": s.seat, "mark": s.entropy[:12]} for s in told if s.given]
    drawn = [{"name": s.name, "seat": s.seat} for s in header.seats if s.given is not True]
    if not given:
        return say("shuffled.drawn")
    return say("shuffled.both", given=given, drawn=drawn) if drawn else say("shuffled.given", given=given)


def read_header(line: str) -> Header:
    """The header from its line. Raises NotUnderstood."""
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
    """An entry from its line. Raises NotUnderstood, naming the line."""
    try:
        entry = _decode_entry(line)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise NotUnderstood(say("log.no_entry", line=number, problem=str(error))) from None
    if _encode(entry).decode() != line.strip("\n"):
        raise NotUnderstood(say("log.entry_changed", line=number))
    return entry
