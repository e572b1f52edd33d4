"""Positions of recorded games laid out as tables that one can sit at: for tests in a browser, and for looking at (shots.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path

import msgspec
from sqlmodel import Session

from engine.core import procedure
from engine.core.asks import Seat, read
from engine.core.views import Event
from engine.game import AnyState, Trait
from engine.games import GAMES
from engine.play import match as matches
from service.store.models import Account, AskRow, EntryRow, EventRow, Match, MatchStatus, SeatRow, SeatStatus, new_id, now

FOLDER = Path(__file__).with_name("games")
COLOURS = dict(zip("abcdef", ("red", "blue", "green", "yellow", "purple", "black"), strict=True))
NAMES = dict(zip("abcdef", ("Alys", "Baldwin", "Cecily", "Drogo", "Emmeline of Winchester", "Fulk"), strict=True))
LONG = (
    "Æthelflæd of Mercia",
    "Baldwin Bras-de-Fer",
    "Cecily de Beauchamp",
    "Drogo the Younger",
    "Emmeline of Winchester",
    "Wolfeschlegelstein",
)
LONG_NAMES = dict(zip("abcdef", LONG, strict=True))
TITLES = {"start": 0.0, "middle": 0.55, "fight": 0.4, "end": 1.0}
"""Moments of a game, and how far into it they are looked for."""


@dataclass
class Log:
    """A recorded game's log up to a position, and all that was told on the way."""

    header: matches.Header
    seed: bytes
    entries: list[matches.Entry]
    told: list[tuple[int, list[Event]]]


@dataclass
class Laid:
    """A position of a recorded game, and what was told on the way to it."""

    game: str
    moment: str
    seats: list[Seat]
    state: AnyState
    seat: Seat
    """Who is asked."""
    told: list[tuple[int, list[Event]]] = field(default_factory=list)
    log: Log | None = None
    """The whole log up to it, where that was wanted."""

    @property
    def over(self) -> bool:
        return not self.state.waiting


def recorded(game: str, seats: int) -> Path | None:
    """A recorded game of so many seats: the plainest."""
    found = sorted((FOLDER / game).glob(f"{seats}-*.jsonl"), key=lambda f: (len(f.stem), f.stem))
    return found[-1] if game == "ortus" and found and "deck" in found[-1].stem else found[0] if found else None


def games() -> Iterator[str]:
    """The games of which there are recorded ones."""
    yield from (name for name in GAMES if (FOLDER / name).is_dir())


def complete() -> Iterator[str]:
    """Those of them that bring all that the service can show, by their own declaration."""
    yield from (name for name in games() if Trait.COMPLETE in GAMES[name].rules.checks.traits)


@cache
def laid(game: str, seats: int, moment: str) -> Laid:
    """The position of a recorded game at a moment: its start, its middle outside any fight, in a fight, or its end."""
    match, entries = _begun(game, seats)
    names = [s.seat for s in match.header.seats]
    told: list[tuple[int, list[Event]]] = [(0, list(match.opening))]
    following = matches.follow(match, entries[:-1], trusted=True)
    for at, entry in enumerate(entries[:-1]):
        if match.state.waiting and at >= TITLES[moment] * len(entries) and _is(match, moment):
            break
        told.append((entry.n, next(following)[1]))
    state = match.game.rules.decode(match.game.rules.encode(match.state))
    log = Log(match.header, match.seed, entries[: told[-1][0]], told)
    return Laid(game, moment, names, state, state.waiting[0] if state.waiting else names[0], told[1:][-60:], log)


@cache
def questions(game: str, seats: int) -> dict[str, Laid]:
    """Of every kind of question that a recorded game came to, the position with the most ways to answer."""
    match, entries = _begun(game, seats)
    names = [s.seat for s in match.header.seats]
    told: list[tuple[int, list[Event]]] = []
    found: dict[str, tuple[int, Laid]] = {}
    following = matches.follow(match, entries[:-1], trusted=True)
    for entry in entries[:-1]:
        for seat in match.state.waiting[:1]:
            ask = procedure.ask_of(match.state, seat)
            if len(ask.options) > found.get(ask.kind, (0, None))[0]:
                state = match.game.rules.decode(match.game.rules.encode(match.state))
                found[ask.kind] = (len(ask.options), Laid(game, ask.kind, names, state, seat, told[-60:]))
        told.append((entry.n, next(following)[1]))
    return {kind: at for kind, (_, at) in found.items()}


def moments(game: str, stem: str) -> Iterator[Laid]:
    """Every position of a recorded game in which somebody is asked, in order; each is good until the next is taken."""
    match, entries = _opened(FOLDER / game / f"{stem}.jsonl")
    names = [s.seat for s in match.header.seats]
    told: list[tuple[int, list[Event]]] = []
    following = matches.follow(match, entries[:-1], trusted=True)
    for entry in entries[:-1]:
        if match.state.waiting:
            yield Laid(game, stem, names, match.state, match.state.waiting[0], told)
        told.append((entry.n, next(following)[1]))


@cache
def passing(game: str, stem: str, after: float) -> Laid:
    """The position that a recorded game, whichever it is, comes to after so much of it."""
    match, entries = _opened(FOLDER / game / f"{stem}.jsonl")
    names = [s.seat for s in match.header.seats]
    told: list[tuple[int, list[Event]]] = []
    following = matches.follow(match, entries[:-1], trusted=True)
    for at, entry in enumerate(entries[:-1]):
        if match.state.waiting and at >= after * len(entries):
            break
        told.append((entry.n, next(following)[1]))
    seat = match.state.waiting[0] if match.state.waiting else names[0]
    return Laid(game, stem, names, match.state, seat, told[-60:])


@cache
def reached(game: str, stem: str, n: int, seat: Seat = "") -> Laid:
    """The position that a recorded game comes to with entry `n`, seen by a seat: if none is said, the first that is asked."""
    match, entries = _opened(FOLDER / game / f"{stem}.jsonl")
    told = [(entry.n, events) for entry, events in matches.follow(match, entries[:n], trusted=True)]
    return Laid(game, stem, [s.seat for s in match.header.seats], match.state, seat or match.state.waiting[0], told[-60:])


@cache
def whole(game: str, stem: str) -> Laid:
    """A recorded game, whichever it is, as it stands at its end, with its log; the first seat looks at it."""
    match, entries = _opened(FOLDER / game / f"{stem}.jsonl")
    names = [s.seat for s in match.header.seats]
    told = [
        (0, list(match.opening)),
        *((entry.n, events) for entry, events in matches.follow(match, entries[:-1], trusted=True)),
    ]
    return Laid(game, stem, names, match.state, names[0], told[1:][-60:], Log(match.header, match.seed, entries[:-1], told))


def stems(game: str) -> list[str]:
    """Every recorded game of a game, by the stem of its file."""
    return sorted(file.stem for file in (FOLDER / game).glob("*.jsonl"))


def _begun(game: str, seats: int) -> tuple[matches.Match, list[matches.Entry]]:
    """A recorded game at its start, and its entries."""
    file = recorded(game, seats)
    assert file is not None, (game, seats)
    return _opened(file)


def _opened(file: Path) -> tuple[matches.Match, list[matches.Entry]]:
    """The recorded game of a file at its start, and its entries."""
    lines = file.read_text("utf-8").splitlines()
    header = matches.read_header(lines[0])
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    return matches.start(header, bytes.fromhex(read(entries[-1].move or "").pick("seed"))), entries


def _is(match: matches.Match, moment: str) -> bool:
    doing = match.game.rules.view(match.state, None)["doing"]
    if moment == "fight":
        return any(d["what"] == "battle" for d in doing)
    return moment != "end" and not any(d["what"] in ("battle", "muster") for d in doing)


def lay(
    session: Session,
    account: Account,
    found: Laid,
    name: str = "Wessex by winter",
    names: dict[Seat, str] = NAMES,
    logged: bool = False,
) -> str:
    """Let the account sit at the seat that is asked in the position; the path of its page. Where it is `logged`, the log lies
    there whole, so that its history and any old position can be looked at."""
    game = GAMES[found.game]
    state = found.state
    last = found.told[-1][0] if found.told else 0
    match = Match(
        id=new_id(),
        name=name,
        game=found.game,
        host_id=account.id,
        status=MatchStatus.FINISHED if found.over else MatchStatus.RUNNING,
        seats=len(found.seats),
        seed=b"seed",
        snapshot=game.rules.encode(state),
        snapshot_n=last + len(state.sealed),
        serial=state.serial,
        head="0123456789abcdef" * 4,
        started_at=now() - timedelta(days=20),
        finished_at=now() if found.over else None,
    )
    if found.over and state.table.outcome is not None:
        match.outcome = {"winners": list(state.table.outcome.winners), "how": state.table.outcome.how}
    session.add(match)
    session.flush()
    for seat in found.seats:
        own = seat == found.seat
        row = SeatRow(match_id=match.id, seat=seat, colour=COLOURS[seat], name=names[seat], status=SeatStatus.TAKEN)
        row.account_id, row.bot = (account.id, "") if own else (None, "steady")
        row.moved_n = max(0, last - 5) if own else 0
        session.add(row)
    log = found.log if logged else None
    if log is not None:
        match.header, match.seed = msgspec.json.encode(log.header).decode(), log.seed
        match.head = log.entries[-1].hash if log.entries else log.header.hash()
        session.add_all(EntryRow(match_id=match.id, **msgspec.structs.asdict(entry)) for entry in log.entries)
    for n, events in log.told if log is not None else found.told:
        for i, event in enumerate(events):
            only = list(event.only) if event.only is not None else None
            facts = dict(event.facts)
            session.add(
                EventRow(match_id=match.id, n=n, i=i, kind=event.kind, facts=facts, only_seats=only, but_seats=list(event.but))
            )
    if not found.over:
        due = now() + timedelta(hours=14, minutes=20)
        session.add(AskRow(match_id=match.id, seat=found.seat, serial=state.serial, kind=state.stack[-1].step, due_at=due))
    session.flush()
    return f"/g/{match.id}/table"
