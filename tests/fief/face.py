"""Golden record of what readers are shown: views, boards, forms, previews, sentences and drawn maps; and of what answers do.

`recorded/face.json.xz` holds positions of the cases, of recorded games and of made-up maps, with some answers to each, what is
shown of it and what each answer, legal or not, does; games under rulings and options at random, by what every answer did; the
made-up maps as they are drawn; and the log of each case with its digest.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import random
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from engine.bots.random import answer_at_random
from engine.core import offers, procedure, rulings
from engine.core.asks import Answer, Ask, Refused, Seat, check, read, write
from engine.core.views import Event
from engine.fief import FIEF, take_offer, vet_offer
from engine.fief.face import narrate
from engine.fief.face.board import Board
from engine.fief.face.chart import chart_of
from engine.fief.face.digest import DIGEST
from engine.fief.rules.realm.pieces import RANKS
from engine.fief.rules.setup import FLAGS
from engine.fief.rules.types import FiefState
from engine.play import cases
from engine.ui.forms import Form, describe, hindered
from tests.fief import wild
from tests.fief.recorded import ANEW, FOLDER, answers
from tests.tables import moments, stems

FILE = FOLDER / "face.json.xz"
CASES = Path(__file__).parents[1] / "cases" / "fief"
NAMES = dict(zip("abcdef", ("Ann", "Bob", "Cy", "Dora", "Eve", "Finn"), strict=True))
EVERY = 80
"""Of so many positions of a recorded game one is kept, whether it shows anything new or not."""
TRIES = 6
"""Answers at random to a question with fields."""
WALKS, STEPS, STRIDE = 24, 600, 10
"""Games under rulings at random, answers to each, and after how many of them the whole position is compared."""
NOTHING = "nothing"
"""What stands in a difference for a key that isn't there."""


class Position(msgspec.Struct):
    """A position, some answers to what is asked in it, and what is shown of it."""

    name: str
    text: str
    answers: list[tuple[Seat, str]]
    tried: list[tuple[Seat, str, str]] = []
    """Seat, what it answers ("" for its question, the kind of a power, or a proposal's number), and the answer."""
    face: dict[str, Any] = {}
    came: list[Any] = []
    """Of each answer and each that is tried: the refusal, or the events and what changed."""


class Map(msgspec.Struct):
    """A host's data file, and its chart."""

    own: str
    chart: dict[str, Any]


class Log(msgspec.Struct):
    """The events of a case by answer, and how they are told."""

    case: str
    answers: list[list[Event]]
    told: list[Any]


class Walk(msgspec.Struct):
    """A game of lively players under rulings and options at random, from its start, and what came of each answer."""

    name: str
    text: str
    answers: list[tuple[Seat, str, str]]
    came: list[Any] = []


class Record(msgspec.Struct):
    positions: list[Position]
    walks: list[Walk]
    maps: list[Map]
    orders: list[dict[str, str]]
    """Sets of standing orders, as text."""
    logs: list[Log]


@cache
def load() -> Record:
    """The record; made again first where that is asked for."""
    if ANEW:
        save()
    record = msgspec.json.decode(lzma.decompress(FILE.read_bytes()), type=Record)
    for position in record.positions:
        position.text = as_it_was(position.text)
    for walk in record.walks:
        walk.text = as_it_was(walk.text)
    return record


def as_it_was(text: str) -> str:
    """A recorded position, with the value from before of each ruling that is younger."""
    lines = [line.partition(": ") for line in text.split("\n")]
    ruled = dict(word.split("=") for key, _, value in lines if key == "rulings" for word in value.split())
    return "\n".join(
        f"rulings: {rulings.write(FIEF.rules.rulings, ruled)}" if key == "rulings" else key + colon + value
        for key, colon, value in lines
    )


def save() -> None:
    """Record everything again: gather positions from cases and games, and maps."""
    positions, given = [*gather()], [*orders()]
    parsed = settings(given)
    for position in positions:
        position.face, position.came = face(position, parsed), outcomes(position)
    record = Record(positions, [*walks(parsed)], [Map(own, plain(chart_of(own))) for own in maps()], given, [*logs()])
    FILE.write_bytes(lzma.compress(msgspec.json.encode(record)))


def settings(given: Sequence[Mapping[str, str]]) -> list[dict[str, Answer]]:
    """Sets of standing orders, read."""
    return [{id: read(text) for id, text in one.items()} for one in given]


def plain(value: object) -> Any:
    """The value as JSON gives it back."""
    return msgspec.json.decode(msgspec.json.encode(value))


def difference(recorded: object, now: object, path: str = "") -> str:
    """The first leaf in which two JSON values differ, with its path; "" for none."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        parts = [(key, recorded.get(key, NOTHING), now.get(key, NOTHING)) for key in recorded | now]
    elif isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        parts = [(str(n), *pair) for n, pair in enumerate(zip(recorded, now, strict=True))]
    else:
        return "" if recorded == now else f"{path}: recorded {json.dumps(recorded):.300}, now {json.dumps(now):.300}"
    return next((found for key, a, b in parts if (found := difference(a, b, f"{path}/{key}"))), "")


# --- what is shown ----------------------------------------------------------------------------------------------------


def face(position: Position, given: Sequence[Mapping[str, Answer]]) -> dict[str, Any]:
    """What a position shows to an onlooker and to those who are asked, and what is said of the answers ahead."""
    state: FiefState = FIEF.rules.notation.read(position.text)
    names = narrate.names_for({"own": state.table.options.own}, NAMES)
    found: dict[str, Any] = {
        "counts": FIEF.rules.checks.conserved(state),
        "ranking": {"+".join(side): rank for side, rank in FIEF.rules.ranking(state).items()},
        "seats": {s: [FIEF.rules.score(state, s), FIEF.rules.turn_of(state, s)] for s in state.table.seats},
    }
    for seat in (None, *(state.waiting or state.table.seats)[:2]):
        found[seat or "onlooker"] = _shown(state, seat, names)
    for seat in () if state.table.options.own else state.waiting[:2]:  # the orders name villages of the shipped map
        found[seat] |= {"ordered": [FIEF.orders.answer(state, seat, one, False) for one in given]}
    for seat, text in position.answers:
        found[f"{seat}: {text}"] = _ahead(state, seat, text, names)
    shown: dict[str, Any] = plain(found)
    return shown


def _shown(state: FiefState, seat: Seat | None, names: Mapping[Seat, str]) -> dict[str, Any]:
    view, form = FIEF.rules.view(state, seat), _form(state, seat, names)
    board = Board(view, form, None)
    standing, villages = board.standing, view["chart"]["villages"]
    shown: dict[str, Any] = {
        "view": {**view, "chart": [v["name"] for v in villages.values()]},
        "form": form,
        "board": _parts(board),
    }
    shown["places"] = {v: [standing.over(v), standing.taxed(v), board.reaches(v)] for v in villages}
    shown["markers"] = [board.markers(doing) for doing in view["doing"] if doing["what"] == "election"]
    shown["standing"], shown["court"] = _parts(standing), _parts(board.court)
    if seat:
        shown["kin"] = [*board.court.kin(seat)]
        shown["powers"] = [describe(FIEF, ask, names, 0) for ask in offers.powers(state, FIEF.rules.powers.open(state, seat))]
        shown["proposals"] = [describe(FIEF, ask, names, n) for n, ask in offers.proposals(state, seat)]
    if form is not None and seat:
        shown["shut"] = hindered(FIEF, ask := procedure.ask_of(state, seat), procedure.shut(state, seat, ask), names)
        shown["losses"] = board.losses if form.kind in ("losses", "uprising_losses") else None
    return shown


def _form(state: FiefState, seat: Seat | None, names: Mapping[Seat, str]) -> Form | None:
    return describe(FIEF, procedure.ask_of(state, seat), names, state.serial) if seat and seat in state.waiting else None


def _parts(of: object) -> dict[str, Any]:
    """What an object of the board reckons, by name."""
    kind, without = type(of), ("standing", "court", "losses", "stall", "known")
    names = [name for name in dir(kind) if name[0] != "_" and name not in without]
    found = {name: getattr(of, name) for name in names if isinstance(getattr(kind, name), property | cached_property)}
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in found.items()}


def _fits(board: Board) -> list[tuple[str, object]]:
    return [("at", board.stall.places), ("lord", board.stall.lords)] if board.stall else []


def _ahead(state: FiefState, seat: Seat, text: str, names: Mapping[Seat, str]) -> dict[str, Any]:
    answer, kind = procedure.vet(state, seat, read(text)), procedure.ask_of(state, seat).kind
    board = Board(FIEF.rules.view(state, seat), _form(state, seat, names), answer)
    return {
        "preview": FIEF.face.preview(state, seat, answer, names),
        "forecast": FIEF.face.forecast(state, seat, answer),
        "audience": FIEF.rules.audience(kind, seat, answer),
        "draft": [board.legs, board.reach, _fits(board), [place for place in state.table.villages if board.reaches(place)]],
    }


# --- what is done -----------------------------------------------------------------------------------------------------


def outcomes(position: Position) -> list[Any]:
    """What comes of each answer to a position, whether it is refused or played."""
    tried = [(seat, "", text) for seat, text in position.answers] + position.tried
    found = []
    for seat, what, text in tried:
        state: FiefState = FIEF.rules.notation.read(position.text)
        said = _done(state, seat, what, text)
        serial = state.serial
        while state.sealed and state.serial == serial:  # whoever is asked the same takes the default
            said += procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
        found.append([said, _changed(position.text, state)])
    return plain(found)  # type: ignore[no-any-return]


def walked(walk: Walk, given: Sequence[Mapping[str, Answer]]) -> list[Any]:
    """What comes of each answer of a walk, and every few answers how the position has changed, what standing orders say to it,
    and checksums of what is shown.
    """
    state, before = FIEF.rules.notation.read(walk.text), walk.text
    found: list[list[Any]] = []
    for n, (seat, what, text) in enumerate(walk.answers, 1):
        ahead: list[Any] = []
        if n % 3 == 0 and not what:
            ahead = [FIEF.orders.answer(state, seat, one, False) for one in given]
        if n % (3 * STRIDE) == 15 and not what:
            with contextlib.suppress(Refused):
                ahead.append(_checksums(plain(_ahead(state, seat, text, NAMES))))
        found.append([_done(state, seat, what, text), ahead])
        if n % STRIDE == 0:
            groups = [[event for event in done if isinstance(event, Event)] for done, *_ in found[-STRIDE:]]
            found[-1] += [_changed(before, state), zlib.crc32(msgspec.json.encode(told([one for one in groups if one])))]
            before = FIEF.rules.notation.whole(state)
        if n % (3 * STRIDE) == 0 and state.waiting:
            found[-1].append(_checksums(plain(_shown(state, state.waiting[0], NAMES))))
    return plain(found)  # type: ignore[no-any-return]


def _checksums(shown: Mapping[str, Any]) -> dict[str, int]:
    """Of each part that is shown, and of each part of it."""
    parts = {f"{name} {key}": one for name, part in shown.items() if isinstance(part, dict) for key, one in part.items()}
    parts |= {name: part for name, part in shown.items() if not isinstance(part, dict)}
    return {name: zlib.crc32(msgspec.json.encode(part)) for name, part in parts.items()}


def _done(state: FiefState, seat: Seat, what: str, text: str) -> list[Any]:
    """The events of an answer, or why it is refused."""
    answer, depth = read(text), len(state.stack)
    try:
        if not what:
            return [*procedure.play(state, seat, answer)]
        if what.isdecimal():
            offers.take(state, seat, int(what), offers.checked(state, seat, int(what), answer))
        else:
            answer = check(next(ask for ask in FIEF.rules.powers.open(state, seat) if ask.kind == what), answer)
            vet_offer(state, seat, what, answer)
            take_offer(state, seat, what, answer)
    except Refused as refusal:
        return [str(refusal)]
    procedure.disturbed(state, depth)
    return [*procedure.heard(state.table)]


def _changed(text: str, state: FiefState) -> list[list[str]]:
    """Lines of a position that have gone since, and those that have come."""
    before, after = text.split("\n"), FIEF.rules.notation.whole(state).split("\n")
    return [[*(Counter(before) - Counter(after))], [*(Counter(after) - Counter(before))]]


def _tries(state: FiefState, rng: random.Random) -> Iterator[tuple[Seat, str, str]]:
    """Answers at random, many of which are refused: to questions, powers and proposals."""
    for seat in state.waiting[:2]:
        ask = procedure.ask_of(state, seat)
        for _ in range(TRIES if any(option.fields for option in ask.options) else 1):
            yield seat, "", write(answer_at_random(ask, rng))
        if ask.kind == "movement" and any(not p.halted for p in state.table.free(seat)):
            for _ in range(TRIES):
                yield seat, "", write(wild.marching(state.table, seat, rng))
    for seat in state.table.seats[:3]:
        for ask in offers.powers(state, FIEF.rules.powers.open(state, seat)):
            for _ in range(2):
                yield seat, ask.kind, write(answer_at_random(ask, rng))
        for number, ask in [*offers.proposals(state, seat), *offers.own(state, seat)]:
            for option in ask.options:
                yield seat, str(number), write(answer_at_random(Ask(seat, ask.kind, (option,), ask.default), rng))


def walks(given: Sequence[Mapping[str, Answer]]) -> Iterator[Walk]:
    for n in range(WALKS):
        rng = random.Random(f"walk/{n}")
        options = {flag: rng.random() < 0.4 for flag in FLAGS}
        ruled = {id: rng.choice([*ruling.alternatives]) for id, ruling in FIEF.rules.rulings.items()}
        state = wild.ruled_by(ruled, 3 + n % 4, f"walk/{n}", **options)
        walk = Walk(f"walk {n}", FIEF.rules.notation.whole(state), [])
        while len(walk.answers) < STEPS and state.waiting:
            one = _step(state, rng)
            walk.answers.append(one)
            _done(state, *one)
        walk.came = walked(walk, given)
        yield walk


def walked_through() -> Iterator[tuple[str, FiefState]]:
    for walk in walks(()):
        state: FiefState = FIEF.rules.notation.read(walk.text)
        for n, one in enumerate(walk.answers):
            yield f"{walk.name} {n}", state
            _done(state, *one)


def _step(state: FiefState, rng: random.Random) -> tuple[Seat, str, str]:
    """An answer to a question, mostly; else the use of a power, or an answer to a proposal."""
    which, seat = rng.random(), rng.choice(state.waiting)
    if which < 0.4:
        lying = [(s, str(n), ask) for s in state.table.seats for n, ask in offers.proposals(state, s)]
        listed = [
            (s, ask.kind, ask) for s in state.table.seats for ask in offers.powers(state, FIEF.rules.powers.open(state, s))
        ]
        if chosen := lying if which > 0.15 else listed:
            of, what, ask = rng.choice(chosen)
            return of, what, write(answer_at_random(ask, rng))
    ask = procedure.ask_of(state, seat)
    return seat, "", write(answer_at_random(ask, rng) if which > 0.95 else wild.answer(state, ask, rng))


# --- what it is shown of ----------------------------------------------------------------------------------------------


def gather() -> Iterator[Position]:
    """Positions that show something new, and some besides."""
    known: set[str] = set()
    for name, state, move, every in _reached():
        marks = _marks(state)
        if every or not marks <= known:
            known |= marks
            rng = random.Random(name)
            asked = [(seat, procedure.ask_of(state, seat)) for seat in state.waiting[:2]]
            said = [(seat, write(ask.default)) for seat, ask in asked]
            said += [(seat, write(wild.answer(state, ask, rng))) for seat, ask in asked for _ in range(2)]
            answers = [*dict.fromkeys(move + said)]
            tried = [
                one for one in dict.fromkeys(_tries(state, rng)) if one not in {(seat, "", text) for seat, text in answers}
            ]
            yield Position(name, FIEF.rules.notation.whole(state), answers, tried)


def _reached() -> Iterator[tuple[str, FiefState, list[tuple[Seat, str]], bool]]:
    """Name, position, the answer that follows, and whether to keep it anyhow."""
    for file in sorted(CASES.glob("*.case")):
        steps = _steps(file)
        for n, (_, state) in enumerate(steps):
            seat, _, text = steps[n + 1][0].partition(": ") if n + 1 < len(steps) else ("", "", "")
            yield f"{file.stem} {n}", state, [(seat, text)] if seat in state.waiting else [], False
    for stem in stems("fief"):
        for n, at in enumerate(moments("fief", stem)):
            yield f"{stem} {n}", at.state, [], n % EVERY == EVERY // 2
    for name, state in walked_through():
        yield name, state, [], False
    for n, own in enumerate(maps()):
        state, rng = wild.fresh(3 + n, f"face/{n}", own=own), random.Random(n)
        for step in range(90):
            yield f"map {n} {step}", state, [], step % 45 == 44
            seat = rng.choice(state.waiting)
            procedure.play(state, seat, wild.answer(state, procedure.ask_of(state, seat), rng))


def _steps(file: Path) -> list[tuple[str, FiefState]]:
    """Each line of a case, and the position after it."""
    steps: list[tuple[str, FiefState]] = []

    def watch(line: str, state: FiefState, _news: Sequence[Event], _refusal: Refused | None) -> None:
        steps.append((line, FIEF.rules.decode(FIEF.rules.encode(state))))

    cases.run(file, watch)
    return steps


def _marks(state: FiefState) -> set[str]:
    """What may be new in a position: kinds of questions and their options, steps, offers, options of the host."""
    asks = [procedure.ask_of(state, seat) for seat in state.waiting]
    marks = {f"{ask.kind} {option.id} {bool(option.fields)}" for ask in asks for option in ask.options}
    marks |= {f"{ask.kind} {write(ask.default)[:9]}" for ask in asks} | {f"seats {len(state.table.seats)}"}
    marks |= {f"{type(frame).__name__} {frame.step}" for frame in state.stack}
    marks |= {f"{p.kind} {p.by in p.to}" for p in state.table.proposals.open}
    marks |= {ask.kind for seat in state.table.seats for ask in FIEF.rules.powers.open(state, seat)}
    marks |= {str(state.table.options).partition(" own")[0], state.table.phase}
    marks |= {f"{lord.cardinal} {lord.pope} {lord.king} {lord.queen} {lord.d_arc}" for lord in state.table.lords.values()}
    return marks | ({state.table.outcome.how} if state.table.outcome else set())


def orders() -> Iterator[dict[str, str]]:
    """The recommended orders, and some at random that hold in every round and phase."""
    yield dict(FIEF.orders.preset)
    state = wild.fresh(3, "orders")
    for n in range(9):
        rng, given = random.Random(f"orders/{n}"), dict[str, str]()
        for ask in FIEF.orders.asks(state, "a"):
            drawn = max((answer_at_random(ask, rng) for _ in range(9)), key=lambda answer: len(answer.values))
            lasting = {name: value for name, value in drawn.values.items() if name not in ("round", "phase")}
            answer = Answer(drawn.option, lasting)
            with contextlib.suppress(Refused):
                FIEF.orders.vet(ask.rule, answer)
                given[ask.rule] = write(answer)
        yield {id: text for id, text in given.items() if id != "SO-24"}


def maps() -> Iterator[str]:
    """Data files of made-up maps: few villages and many, short names and long, near each other and far apart."""
    for n, least in enumerate((6, 9, 13, 16, 22, 31, 34)):
        rng = random.Random(f"map/{n}")
        villages: list[dict[str, Any]] = []
        fiefs: list[dict[str, Any]] = []
        while len(villages) < least:
            rank = rng.choice(sorted(RANKS))
            own = [f"v{len(villages) + k}" for k in range(RANKS[rank])]
            colour = rng.choice(("red", "#12ab9F", "#c8432f", "#fff"))
            fief = {
                "id": f"f{len(fiefs)}",
                "name": _name(rng),
                "rank": rank,
                "title_price": rng.randint(2, 6),
                "colour": colour,
            }
            fiefs.append({**fief, "villages": own})
            for id in own:
                x, y = rng.randint(0, 40 + 60 * n), rng.randint(0, 40 + 20 * n)
                at = {"x": x, "y": y, "principal": len(villages) < 5}
                see = len(villages) + 1 if len(villages) < 5 else rng.randint(1, 5)
                villages.append({"id": id, "name": _name(rng), "fief": fief["id"], "bishopric": see, **at})
        ids = [v["id"] for v in villages]
        roads = {tuple(sorted(pair)) for pair in [*pairwise(ids), *(rng.sample(ids, 2) for _ in ids[::3])]}
        sees = [
            {"number": k, "name": _name(rng), "colour": "", "principal": ids[k - 1],
             "villages": [v["id"] for v in villages if v["bishopric"] == k]}
            for k in range(1, 6)
        ]  # fmt: skip
        yield json.dumps({"villages": villages, "roads": sorted(roads), "fiefs": fiefs, "bishoprics": sees})


def _name(rng: random.Random) -> str:
    return "".join(rng.choice("aeioulmnrst") for _ in range(rng.randint(2, 19))).title()


def logs() -> Iterator[Log]:
    for case, found in answers().items():
        groups = [events for events in found if events]
        yield Log(case, groups, told(groups))


def told(groups: Sequence[list[Event]]) -> list[Any]:
    """The sentences of a log, and what the digest makes of it."""
    merged: list[list[Event]] = []
    for events in groups:
        if merged and DIGEST.joins(merged[-1], events):
            merged[-1] = merged[-1] + events
        else:
            merged.append(events)
    said = [FIEF.words.chapter(event) + FIEF.words.tell(event, NAMES, None) for events in groups for event in events]
    whole: list[Any] = plain([said, [[DIGEST.whose(events), DIGEST.said(events, NAMES)] for events in merged]])
    return whole
