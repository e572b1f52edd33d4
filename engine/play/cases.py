"""Case files: text tests with a position, moves, and expectations. See docs/cases.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.core import offers, procedure, rulings
from engine.core.asks import Answer, NotUnderstood, Refused, Seat, check, read, write
from engine.core.chance import Chance, T
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.games import game_called
from engine.language.words import plain, read_said
from engine.play import orders
from engine.play.match import check_offer, run_offer
from engine.text.notation import read_text, said, split

SECTIONS = ("given", "again", "moves", "expect")
REPEATED = ("stack",)
"""Keys that may appear several times in a position."""
HEAD = ("case", "game", "rules", "shows")


class Scripted(Chance):
    """Chance with scripted draws; others come from its secret."""

    script: dict[str, list[list[str]]] = {}

    def _next(self, purpose: str) -> list[str] | None:
        left = self.script.get(purpose)
        return left.pop(0) if left else None

    def shuffle(self, cards: list[T], purpose: str, last: int | None = None) -> None:
        said = self._next(purpose)
        if said is None:
            super().shuffle(cards, purpose, last)
            return
        top: list[T] = []
        for word in said:
            found = next((c for c in cards if str(c) == word or str(c).partition("/")[0] == word), None)
            if found is None:
                raise NotUnderstood(plain(f"chance {purpose}: there is no {word} to put on top."))
            cards.remove(found)
            top.append(found)
        cards.extend(reversed(top))

    def below(self, n: int, purpose: str) -> int:
        said = self._next(purpose)
        return super().below(n, purpose) if said is None else int(said[0])

    def sample(self, n: int, k: int, purpose: str) -> list[int]:
        said = self._next(purpose)
        return super().sample(n, k, purpose) if said is None else sorted(int(w) for w in said)


Line = tuple[int, str]
"""A line of a case and its number."""


@dataclass
class Variant:
    given: dict[str, str] = field(default_factory=dict)
    orders: dict[Seat, dict[str, str]] = field(default_factory=dict)
    chance: dict[str, list[list[str]]] = field(default_factory=dict)
    blocks: list[tuple[str, list[Line]]] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    """Key -> line number, for keys that this variant gives itself."""
    known: dict[str, int] = field(default_factory=dict)
    """Key -> line number, including inherited keys."""


Watch = Callable[[str, AnyState, Sequence[Event], Refused | None], None]
"""Receives "given" or a line of `moves`, the position after it, the events that it logged, and an expected refusal."""


def _unwatched(_line: str, _state: AnyState, _news: Sequence[Event], _refusal: Refused | None) -> None:
    pass


def run(path: Path | str, watch: Watch = _unwatched) -> list[str]:
    """Run a case file; returns failures. Raises NotUnderstood if it isn't a case."""
    return run_text(read_text(Path(path)), watch=watch)


def run_text(text: str, watch: Watch = _unwatched) -> list[str]:
    faults: list[str] = []
    head, variants = parse(text)
    if "case" not in head or not variants:
        raise NotUnderstood(plain("This is no case: it begins with `case: NAME` and has `given` and `expect`."))
    for number, variant in enumerate(variants, 1):
        mark = f"{head['case']}" + (f" ({number})" if len(variants) > 1 else "")
        try:
            faults += [f"{mark}: {fault}" for fault in _run(variant, game_called(head.get("game", "ortus")), watch)]
        except Refused as refusal:
            faults.append(f"{mark}: {refusal}")
        except Exception as problem:  # a case's position may be one that no game reaches
            faults.append(f"{mark}: the case can't be played; its parts don't fit together ({said(problem)})")
    return faults


def parse(text: str) -> tuple[dict[str, str], list[Variant]]:
    head: dict[str, str] = {}
    variants: list[Variant] = []
    section = ""
    for number, line in _lines(text):
        if line in SECTIONS:
            section = line
            _begin(section, variants, number)
        elif section in ("given", "again"):
            _lay_down(variants[-1], number, line, anew=section == "again")
        elif section:
            variants[-1].blocks[-1][1].append((number, line))
        else:
            key, value = _pair(number, line)
            if key not in HEAD or key in head:
                raise _at(number, f"“{key[:30]}” {'is there twice' if key in head else 'isn’t one of ' + ', '.join(HEAD)}.")
            head[key] = value
    return head, variants


def _at(number: int, words: str) -> NotUnderstood:
    return NotUnderstood(plain(f"line {number}: {words}"))


def _pair(number: int, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise _at(number, f"“{line[:60]}” isn't `key: value`.")
    return key.strip(), value.strip()


def _begin(section: str, variants: list[Variant], number: int) -> None:
    if section == "given":
        variants.append(Variant())
    elif not variants:
        raise _at(number, f"`{section}` stands before any `given`.")
    elif section == "again":
        variants.append(replace(deepcopy(variants[-1]), blocks=[], lines={}))
    else:
        variants[-1].blocks.append((section, []))


def _lay_down(variant: Variant, number: int, line: str, anew: bool) -> None:
    """Parse a `given` line. `anew`: the first draw for a purpose replaces inherited ones. Raises NotUnderstood."""
    key, value = _pair(number, line)
    if key == "drop":
        if variant.given.pop(value, None) is None:
            raise _at(number, f"there is no {value[:30]} to drop.")
        return
    first = key not in variant.lines
    if not first and not key.startswith("chance ") and key not in REPEATED:
        raise _at(number, f"“{key[:30]}” is given twice.")
    variant.lines[key] = variant.known[key] = number
    if key.startswith("chance "):
        purpose = key.removeprefix("chance ")
        if anew and first:
            variant.chance.pop(purpose, None)
        variant.chance.setdefault(purpose, []).append(_items(value))
    elif key.startswith("order "):
        _, seat, id = _words(key, "order SEAT ID: SETTING")
        variant.orders.setdefault(seat, {})[id] = value
    elif key in REPEATED and not first:
        variant.given[key] += f"\n{value}"
    else:
        variant.given[key] = value


def _words(line: str, form: str) -> list[str]:
    words = line.split()
    if len(words) != len(form.partition(":")[0].split()):
        raise NotUnderstood(plain(f"“{line[:60]}” can't be read; write: {form}"))
    return words


def _lines(text: str) -> Iterator[Line]:
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*", "", raw).strip()
        if line:
            yield number, line


@dataclass
class _Run:
    game: Game
    state: AnyState
    names: dict[Seat, str]
    orders: dict[Seat, dict[str, str]]
    log: list[Event]
    seen: set[str] = field(default_factory=set)
    consulted: set[Seat] = field(default_factory=set)
    """Seats with standing orders that were evaluated."""
    averted: bool = False
    """Whether an expected non-event held."""
    refusal: Refused | None = None
    """What a `refused` line met with."""


def _run(variant: Variant, game: Game, watch: Watch) -> list[str]:
    given = dict(variant.given)
    fresh, _, chosen = given.pop("fresh", "").partition("|")
    seats = (fresh or given.get("seats", "a b c")).split()
    chance = Scripted("case", {}, deepcopy(variant.chance))
    if fresh:
        ruled = rulings.read(game.rules.rulings, given.pop("rulings", ""))
        if given:
            raise _at(variant.known[min(given)], f"“{min(given)}” can't be given of a match that is set up anew.")
        state = game.rules.setup(seats, _options(game, len(seats), chosen), chance, ruled)
    else:
        given = {"seats": " ".join(seats), **given}
        lines = [(variant.known.get(key, 0), f"{key}: {one}") for key, value in given.items() for one in value.split("\n")]
        state = _position(game, lines)
        if "chance" in given:  # as the game that it was taken from
            chance.secret, chance.drawn = state.table.chance.secret, state.table.chance.drawn
        state.table.chance = chance
    names = {s: f"Earl {s.upper()}" for s in seats}
    # A position inside a shared step would ask all its seats again.
    running = _Run(game, state, names, {}, [] if state.waiting else procedure.begin(state))
    watch("given", state, running.log, None)
    for seat, settings in variant.orders.items():
        running.orders[seat] = {id: orders.check(game, state, seat, id, read(text)) for id, text in settings.items()}
    faults: list[str] = []
    for section, block in variant.blocks:
        for number, line in block:
            try:
                _zones(running)
                if section == "moves":
                    told = len(running.log)
                    found = _move(running, line)
                    watch(line, state, running.log[told:], running.refusal)
                    running.refusal = None
                else:
                    found = _expect(running, line)
            except Refused as refusal:
                found = [str(refusal)]
            faults += [f"line {number}: {fault}" for fault in found]
    return faults + _unused(running, variant, chance)


def _position(game: Game, lines: list[Line]) -> AnyState:
    _, seats = lines[0]
    for number, line in lines:
        key, _, value = line.partition(":")
        if fault := _of_zone(game, seats, key, value):
            raise _at(number, fault)
    try:
        return game.rules.notation.read(f"{game.name}: 1\n" + "\n".join(line for _, line in lines))
    except NotUnderstood as problem:
        said = problem.said
        if said.code != "position.line_breaks":
            raise
        number, _ = lines[int(said.facts["line"]) - 2]  # a position's first line names the game
        raise _at(number, str(read_said(said.facts["reason"]))) from None


def _of_zone(game: Game, seats: str, key: str, value: str) -> str:
    try:
        game.rules.notation.read(f"{game.name}: 1\n{seats}\n{key}: {value}")
    except NotUnderstood as problem:
        said = problem.said
        if said.code in ("position.line", "position.line_not_read"):
            return str(read_said(said.facts["reason"])) if "reason" in said.facts else str(said.facts["problem"])
    return ""


def _unused(r: _Run, variant: Variant, chance: Scripted) -> list[str]:
    faults = []
    for key, number in variant.lines.items():
        word, _, rest = key.partition(" ")
        left = chance.script.get(rest)
        if word == "chance" and left and not (r.averted and len(left) == len(variant.chance[rest])):
            faults.append(f"line {number}: “{rest}” was not drawn so often")
        elif word == "order" and rest and rest.split()[0] not in r.consulted:
            faults.append(f"line {number}: nobody looked at the orders of {rest.split()[0]}; write `by order` or `ordered`")
    return faults


def _options(game: Game, seats: int, chosen: str) -> dict[str, Any]:
    if not chosen.strip():
        return {}
    return game.rules.variants.read(seats, check(game.rules.variants.ask(seats), read(f"play {chosen}")), "")


# --- moves ------------------------------------------------------------------------------------------------------------


def _move(r: _Run, line: str) -> list[str]:
    if line.startswith("default "):
        seat = _words(line, "default SEAT")[1]
        r.log += procedure.play(r.state, seat, procedure.ask_of(r.state, seat).default)
        return []
    if line.startswith("by order "):
        seat = _words(line, "by order SEAT")[2]
        answer = _ordered(r, seat)
        if answer is None:
            return [f"“{line}”: no order answers; {seat} is asked"]
        r.game.orders.gives(r.state, seat, answer)
        r.log += procedure.play(r.state, seat, answer)
        return []
    if line.startswith("refused "):
        return _refused(r, line.removeprefix("refused "))
    try:
        r.log += _played(r, line)
    except Refused as refusal:
        return [f"“{line}” is refused: {refusal}"]
    return []


def _played(r: _Run, line: str) -> list[Event]:
    if line.startswith("offer "):
        return _offer(r, line)
    seat, _, text = line.partition(":")
    return procedure.play(r.state, seat.strip(), read(text))


def _offer(r: _Run, line: str) -> list[Event]:
    who, _, text = line.partition(":")
    _, seat, named = _words(who, "offer SEAT KIND: ANSWER")
    kind, _, number = named.partition("#")
    listed = [*offers.proposals(r.state, seat), *offers.own(r.state, seat)]
    open_ = [n for n, ask in listed if ask.kind == kind]
    if not number and len(open_) > 1:
        raise NotUnderstood(plain(f"“{line}”: several of that kind are open; write one of {[f'{kind}#{n}' for n in open_]}."))
    chosen = int(number) if number else open_[0] if open_ else 0
    answer = check_offer(r.game, r.state, seat, kind, read(text), chosen)
    return run_offer(r.game, r.state, seat, kind, answer, chosen)


def _refused(r: _Run, line: str) -> list[str]:
    line, _, part = (x.strip() for x in line.partition("|"))
    before = r.game.rules.encode(r.state)
    try:
        _played(r, line)
    except Refused as refusal:
        r.refusal = refusal
        faults = [] if part.lower() in str(refusal).lower() else [f"“{line}” is refused with other words: {refusal}"]
        return faults if r.game.rules.encode(r.state) == before else [*faults, f"“{line}” was refused, but changed something"]
    return [f"“{line}” should be refused, but was played"]


def _ordered(r: _Run, seat: Seat) -> Answer | None:
    procedure.ask_of(r.state, seat)
    r.consulted.add(seat)
    return orders.answer(r.game, r.state, seat, r.orders.get(seat, {}), Chance("guess"))


# --- expectations -----------------------------------------------------------------------------------------------------


def _expect(r: _Run, line: str) -> list[str]:
    key, colon, value = (part.strip() for part in line.partition(":"))
    if not colon:
        raise NotUnderstood(plain(f"“{line[:60]}” is nothing to expect."))
    word, _, rest = key.partition(" ")
    match word:
        case "gone" | "contains" | "lacks" | "begins" | "count":
            return _expect_of_zone(r, word, rest, value)
        case "asked" | "ordered" | "options" | "choices" | "default":
            return _expect_of_ask(r, word, rest, value)
        case "open":
            powers = offers.powers(r.state, r.game.rules.powers.open(r.state, rest))
            kinds = [ask.kind for ask in [*powers, *(ask for _, ask in offers.proposals(r.state, rest))]]
            return _same(key, sorted(kinds), sorted(x.strip() for x in value.split(",") if x.strip() != "nothing"))
        case "event":
            return [] if any(e.kind == value for e in r.log) else [f"nothing told “{value}”"]
        case "no" if rest == "event":
            if not r.game.words.catalogue.has("event", value):
                raise NotUnderstood(plain(f"there is no event “{value}”"))
            told = any(e.kind == value for e in r.log)
            r.averted |= not told
            return [f"“{value}” was told"] if told else []
        case "outcome":
            outcome = r.state.table.outcome
            return _same("outcome", list(outcome.winners) if outcome else [], value.split())
        case "view":
            return _same(key, _viewed(r, rest), value)
        case "told":
            return _told(r, rest, value)
    position = _zones(r)
    _check_zone(r, position, key)
    return _same(key, _normal(position.get(key, "")), _normal(value))


def _check_zone(r: _Run, position: dict[str, str], key: str, value: str = "") -> None:
    """Raises NotUnderstood for a zone that the position lacks, or an unreadable value."""
    seats = f"seats: {' '.join(r.state.table.seats)}"
    if value or key not in position | dict.fromkeys(r.seen):
        fault = _of_zone(r.game, seats, key, value or position.get(key, ""))
        if fault:
            raise NotUnderstood(plain(f"“{key}”: {fault}"))


def _expect_of_zone(r: _Run, word: str, zone: str, value: str) -> list[str]:
    position = _zones(r)
    lies = position.get(zone, "")
    if word == "gone":
        if value not in r.seen:
            raise NotUnderstood(plain(f"there never was a {value}"))
    else:
        _check_zone(r, position, zone, value if word == "lacks" and "{" not in lies else "")
    items = [item for part in _BRACKETS.split(lies) for item in _items(part)]
    match word:
        case "gone":
            return [f"{value} is still there: {position[value]}"] if value in position else []
        case "contains":
            lack = Counter(_items(value)) - Counter(items)
            return [f"{zone} lacks {_said(lack)}; it is: {lies}"] if lack else []
        case "lacks":
            have = Counter(_items(value)) & Counter(items)
            return [f"{zone} has {_said(have)}"] if have else []
        case "begins":
            wanted = _items(value)
            return _same(f"{word} {zone}", items[: len(wanted)], wanted)
    return [] if len(items) == int(value) else [f"{zone} has {len(items)} items, not {value}: {lies}"]


def _expect_of_ask(r: _Run, word: str, rest: str, value: str) -> list[str]:
    key = f"{word} {rest}"
    match word:
        case "asked":
            return _same("asked", _asked(r), sorted(x.strip() for x in value.split(",") if x.strip() != "nobody"))
        case "ordered":
            answer = _ordered(r, rest)
            return _same(key, write(answer) if answer is not None else "-", write(read(value)))
        case "options":
            options = sorted(o.id for o in procedure.ask_of(r.state, rest).options)
            return _same(key, options, sorted(x.strip() for x in value.split(",")))
        case "choices":
            return _same(key, _choices(r, rest), sorted(_items(value)))
    return _same(key, [write(procedure.ask_of(r.state, rest).default)], [write(read(value))])


def _asked(r: _Run) -> list[str]:
    step = r.state.stack[-1].step if r.state.stack else ""
    return sorted(f"{seat} {step}" for seat in r.state.waiting)


def _choices(r: _Run, where: str) -> list[str]:
    seat, _, path = where.partition(" ")
    option, _, name = path.partition(".")
    for f in procedure.ask_of(r.state, seat).option(option).fields:
        if f.name == name:
            found: Any = getattr(f, "choices", None) or getattr(f, "targets", ())
            return sorted(c.id for c in found for _ in range(c.most))
    raise NotUnderstood(plain(f"choices {where}: there is no field {name}."))


def _told(r: _Run, where: str, words: str) -> list[str]:
    reader, _, kind = where.partition(" ")
    seat = None if reader == "-" else reader
    told = [r.game.words.tell(e, r.names, seat) for e in r.log if e.kind == kind and e.seen_by(seat)]
    return [] if any(words in t for t in told) else [f"{reader} is not told “{words}”, but: {told}"]


def _viewed(r: _Run, where: str) -> str:
    reader, _, path = where.partition(" ")
    found: Any = r.game.rules.view(r.state, None if reader == "-" else reader)
    for word in path.split("."):
        entries = found if isinstance(found, list) else []
        inner = found if isinstance(found, dict) else {x[k]: x for x in entries for k in NAMES if k in x}
        if word not in inner:
            raise NotUnderstood(plain(f"view {where}: there is no {word}."))
        found = inner[word]
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, (list, dict)):
        found = ", ".join(str(x) for x in found)
    return "-" if found in (None, "") else str(found)


NAMES = ("seat", "slot", "name", "what")
"""Keys that identify a list entry in a view's path."""


def _zones(r: _Run) -> dict[str, str]:
    zones = dict(_pair(n, line) for n, line in enumerate(r.game.rules.notation.whole(r.state).splitlines(), 1))
    r.seen |= zones.keys()
    return zones


_BRACKETS = re.compile(r"[()\[\]{}]")
SHORT = {"I": "Infantry", "K": "Knight", "-": "", "–": ""}


def _items(value: str) -> list[str]:
    return [word for word in (SHORT.get(item, item) for item in split(value)) if word]


def _normal(value: str) -> list[list[str]]:
    return [sorted(_items(part)) for part in _BRACKETS.split(value) if part.strip(" -–") or part == ""]


def _same(what: str, found: Any, wanted: Any) -> list[str]:
    return [] if found == wanted else [f"{what} is {found}, not {wanted}"]


def _said(counted: Counter[str]) -> str:
    return ", ".join(f"{n} {word}" for word, n in counted.items())
