"""Positions of Fief as text, for case files.

    fief: 1
    seats: a b c d
    options: holy_relics rounds=10
    round: 3
    phase: 4b
    first: a
    blaye: a city mills=2 engine=b/2 relic=grail
    blaye.a: 3 maa, 1 knights
    blaye.b: 2 maa on charolles
    Charles: a blaye fief=blaye bishop=1/2 spouse=Jeanne
    Jeanne: b blaye captor=a
    a.deniers: 7
    a.hand: uprising, Henri
    weather: famine 2
    taxes: a Charles fief blaye

A village's line has its controller and pieces; `blaye.a` a player's Troops, `on` a road or `in` the open; a Lord's line his
family, place and titles. Defaults: unnamed cards are in their decks, a village belongs to its occupant, the phase just began.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.core.asks import NotUnderstood, Seat, refuse_if
from engine.core.chance import Chance
from engine.fief.face.possible import check
from engine.fief.face.view import in_the_open, uncovered
from engine.fief.rules import round as rounds
from engine.fief.rules.realm.pieces import RULINGS, Card
from engine.fief.rules.realm.table import Family, Group, Laid, Options, Person, Table, Tax, Village
from engine.fief.rules.setup import FLAGS, Bargains, FiefTable, empty_table, options_of
from engine.fief.rules.types import FiefState
from engine.language.words import say
from engine.text.notation import Lines, as_json, blamed, foot, head, put_together, split

PILES = ("lords_deck", "lords_pile", "fortune_deck", "fortune_pile", "track")
REST = ("gone", "fallen", "held", "prayed", "stirred", "banned", "grants", "bound", "buying", "parleys", "consents")
"""Fields written as JSON, with all secrets only."""
VALUES = {"on": "road", "captor": "captor", "cardinal": "cardinal", "queen": "queen", "spouse": "spouse", "taken": "taken"}
LISTS = {"fief": "fiefs", "relic": "relics", "exposed": "exposed", "with": "escort"}
"""Words `fief=blaye` of a Lord's line, and his fields."""
KINDS = {field.name: field.type for field in msgspec.structs.fields(Table)}
"""Types of the table's fields by their names."""
TITLES = ("pope", "king", "prince", "d_arc", "assassin", "excommunicated", "halted", "unbarred")


# --- writing ----------------------------------------------------------------------------------------------------------


def lines(state: FiefState, seat: Seat | None, everything: bool) -> Iterator[str]:
    table = state.table
    yield from head("fief", RULINGS, state)
    yield f"options: {_options(table.options)}".rstrip()
    if table.options.own:
        yield f"lore: {' '.join(table.options.own.split())}"
    yield f"round: {table.round}"
    yield f"phase: {table.phase}"
    yield f"first: {table.first or '-'}"
    yield from _villages(state, seat, everything)
    for p in table.lords.values():
        yield f"{p.id}: {' '.join(_lord(p))}"
    for family in table.families.values():
        yield from _family(table, family, seat, everything)
    for name in PILES:
        pile: list[Card] = getattr(table, name)
        yield f"{name}: {', '.join(pile) if everything else f'?{len(pile)}'}".rstrip()
    yield f"weather: {', '.join(f'{laid.card} {laid.see}' for laid in table.weather)}".rstrip()
    yield f"taxes: {', '.join(_tax(t) for t in table.taxes)}".rstrip()
    if everything:
        yield f"rest: {as_json({name: getattr(table, name) for name in REST})}"
        if table.proposals.open or table.proposals.counted:
            yield f"proposals: {as_json(table.proposals)}"
    yield from foot(state, everything)


def _options(options: Options) -> str:
    told = [flag for flag in FLAGS if getattr(options, flag)]
    if options.battle_die != "found":
        told.append(f"battle_die={options.battle_die}")
    return " ".join(told + ([f"rounds={options.rounds}"] if options.rounds else []))


def _villages(state: FiefState, seat: Seat | None, everything: bool) -> Iterator[str]:
    table, shown = state.table, in_the_open(state)
    for v in table.villages.values():
        words = [v.controller or "-", *([v.walls] if v.walls else []), *([f"mills={v.mills}"] if v.mills else [])]
        words += [f"engine={s}/{dice}/{v.sieged.get(s, 0)}" for s, dice in v.engines.items()]
        words += [f"guest={s}/{of}" for s, of in v.guests.items()] + [f"relic={relic}" for relic in v.relics]
        if v.order != tuple([s for s in table.seats if table.occupies(s, v.id)]):
            words.append(f"order={','.join(v.order) or '-'}")
        words += [f"bought={v.bought}"] if v.bought else []
        if words != ["-"]:
            yield f"{v.id}: {' '.join(words)}"
        for s, groups in v.troops.items():
            plain = everything or not table.options.fog_of_war or s == seat
            if groups:
                told = [_group(g, plain or uncovered(shown, v.id, s, g), everything) for g in groups]
                yield f"{v.id}.{s}: {', '.join(told)}"


def _group(group: Group, seen: bool, everything: bool) -> str:
    words = [f"{group.maa} maa"] * bool(group.maa) + [f"{group.knights} knights"] * bool(group.knights)
    if not seen:
        words = [f"{group.count} troops"]
    words += [f"on {group.road}"] if group.road else []
    words += [f"exposed {see}" for see in group.exposed]
    if everything:
        words += [f"from {group.home}"] if group.home else []
        words += [f"moves {group.moves}"] * bool(group.moves) + [f"with {id}" for id in group.escort]
        words += ["halted"] * group.halted + ["unbarred"] * group.unbarred
    return " ".join(words)


def _lord(p: Person) -> Iterator[str]:
    yield p.seat
    yield p.at
    yield from (f"{word}={getattr(p, name)}" for word, name in VALUES.items() if getattr(p, name))
    yield from (f"fief={fief}" for fief in p.fiefs)
    if p.bishop:
        yield f"bishop={p.bishop}/{p.bishop_since}"
    yield from (word for word in TITLES if getattr(p, word))
    yield from (f"relic={relic}" for relic in p.relics)
    yield from (f"exposed={see}" for see in p.exposed)
    yield from (f"moves={p.moves}",) if p.moves else ()
    yield from (f"with={id}" for id in p.escort)
    yield from () if p.company else ("alone",)


def _family(table: Table, family: Family, seat: Seat | None, everything: bool) -> Iterator[str]:
    own = everything or seat == family.seat
    if own or not table.options.hidden_deniers:
        yield f"{family.seat}.deniers: {family.deniers}"
    if own:
        yield f"{family.seat}.hand: {', '.join(family.hand)}".rstrip()
    else:
        backs = Counter(table.lore.back(card) for card in family.hand)
        yield f"{family.seat}.hand: {', '.join(f'?{n} {back}' for back, n in sorted(backs.items()))}".rstrip()
    yield f"{family.seat}.markers: {family.markers}"


def _tax(tax: Tax) -> str:
    lord = f"{tax.lord}/{tax.home}" if tax.home else tax.lord
    return " ".join([tax.seat, lord, tax.title, *([tax.fief] if tax.fief else [str(see) for see in tax.sees])])


# --- reading ----------------------------------------------------------------------------------------------------------


def read(text: str) -> FiefState:
    """Raises NotUnderstood with the offending line."""
    return blamed(lambda part: _Reader().read(part), text)


def _parts(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _options_in(value: str) -> dict[str, Any]:
    words = (word.partition("=") for word in value.split())
    return {name: True if not equals else int(said) if said.isdecimal() else said for name, equals, said in words}


class _Reader:
    def __init__(self) -> None:
        self.lines = Lines("fief", RULINGS, FiefState)
        self.options: dict[str, Any] = {}
        self.made: FiefTable | None = None
        self.ordered: set[str] = set()

    def read(self, text: str) -> FiefState:
        self.lines.read(text, self.line, ("lore",))
        return put_together(self.state)

    @property
    def table(self) -> FiefTable:
        """The table, created after the options are read."""
        if self.made is None:
            self.made = empty_table(self.lines.seats, Chance(""), options_of(self.options))
            self.made.first, self.made.round, self.made.phase = self.lines.seats[0], 1, "1a"
        return self.made

    def line(self, key: str, value: str) -> None:
        if key in ("options", "lore"):
            refuse_if(self.made is not None, "fief.notation_options_first")
            self.options |= {"own": value} if key == "lore" else _options_in(value)
            return
        table = self.table
        place, dot, seat = key.partition(".")
        if place in table.villages and dot:
            self._troops(table.villages[place], self._seat(seat), value)
        elif place in table.villages:
            self._village(table.villages[place], value)
        elif place in table.lore.people:
            self._lord(place, value)
        elif dot:
            self._family(table.families[self._seat(place)], seat, value)
        else:
            self._zone(table, key, value)

    def _seat(self, seat: str) -> Seat:
        refuse_if(seat not in self.lines.seats, "notation.no_seat", seat=seat[:20], seats=self.lines.seats)
        return seat

    def _village(self, village: Village, value: str) -> None:
        controller, *words = value.split()
        village.controller = "" if controller == "-" else self._seat(controller)
        for word in words:
            name, _, said = word.partition("=")
            match name:
                case "stronghold" | "city":
                    village.walls = name
                case "mills" | "bought":
                    setattr(village, name, int(said))
                case "engine":
                    seat, dice, *since = said.split("/")
                    village.engines[self._seat(seat)] = int(dice)
                    village.sieged[seat] = int(since[0]) if since else 0
                case "guest":
                    seat, _, of = said.partition("/")
                    village.guests[self._seat(seat)] = self._seat(of)
                case "relic":
                    village.relics += (said,)
                case "order":
                    village.order = tuple([self._seat(s) for s in said.split(",") if s != "-"])
                    self.ordered.add(village.id)
                case _:
                    raise NotUnderstood(say("fief.notation_word", word=word[:40]))

    def _troops(self, village: Village, seat: Seat, value: str) -> None:
        for part in _parts(value):
            group, words = Group(), part.split()
            while words:
                word = words.pop(0)
                match word:
                    case "halted" | "unbarred":
                        setattr(group, word, True)
                    case "on":
                        group.road = words.pop(0)
                    case "from":
                        group.home = words.pop(0)
                    case "with":
                        group.escort += (words.pop(0),)
                    case "exposed":
                        group.exposed += (int(words.pop(0)),)
                    case "moves":
                        group.moves = int(words.pop(0))
                    case _ if word.isdecimal() and words and words[0] in ("maa", "knights", "knight"):
                        setattr(group, "maa" if words.pop(0) == "maa" else "knights", int(word))
                    case _:
                        raise NotUnderstood(say("fief.notation_word", word=word[:40]))
            village.troops.setdefault(seat, []).append(group)

    def _lord(self, id: str, value: str) -> None:
        seat, at, *words = value.split()
        refuse_if(at not in self.table.villages, "fief.notation_word", word=at[:40])
        p = Person(id, self._seat(seat), at, female=self.table.lore.people[id].female)
        for word in words:
            name, equals, said = word.partition("=")
            match name:
                case _ if name in VALUES and equals:
                    setattr(p, VALUES[name], said)
                case _ if name in LISTS and equals:
                    setattr(p, LISTS[name], (*getattr(p, LISTS[name]), int(said) if name == "exposed" else said))
                case "moves" if equals:
                    p.moves = int(said)
                case "bishop" if equals:
                    see, _, since = said.partition("/")
                    p.bishop, p.bishop_since = int(see), int(since or 0)
                case _ if name in TITLES and not equals:
                    setattr(p, name, True)
                case "alone" if not equals:
                    p.company = False
                case _:
                    raise NotUnderstood(say("fief.notation_word", word=word[:40]))
        self.table.lords[id] = p

    def _family(self, family: Family, zone: str, value: str) -> None:
        match zone:
            case "deniers" | "markers":
                setattr(family, zone, int(value))
            case "hand":
                family.hand = split(value)
            case _:
                raise NotUnderstood(say("notation.no_zone", zone=zone[:30], zones=["deniers", "hand", "markers"]))

    def _zone(self, table: Table, key: str, value: str) -> None:
        match key:
            case "round":
                table.round = int(value)
            case "phase" | "first":
                setattr(table, key, "" if value == "-" else value)
            case "weather":
                for part in _parts(value):
                    card, _, see = part.partition(" ")
                    table.weather.append(Laid(card, int(see)))
            case "taxes":
                table.taxes += [self._tax(part.split()) for part in _parts(value)]
            case "rest":
                for name, held in msgspec.json.decode(value).items():
                    setattr(table, name, msgspec.convert(held, KINDS[name]))
            case "proposals":
                table.proposals = msgspec.json.decode(value, type=Bargains)
            case _ if key in PILES:
                setattr(table, key, split(value))
            case _:
                raise NotUnderstood(say("notation.no_zone", zone=key[:30], zones=["round", "phase", "first", *PILES]))

    def _tax(self, words: list[str]) -> Tax:
        seat, lord, title, *on = words
        if title in ("fief", "royal"):
            return Tax(self._seat(seat), lord, title, fief=on[0])
        lord, _, home = lord.partition("/")
        return Tax(self._seat(seat), lord, title, sees=[int(see) for see in on], home=int(home or 0))

    def state(self) -> FiefState:
        table = self.table
        for village in table.villages.values():
            if village.id not in self.ordered:
                village.order = tuple([s for s in table.seats if table.occupies(s, village.id)])
            if village.id not in self.lines.given:
                village.controller = (village.order or [table.lord_of(table.land_of(village.id).id)])[0]
        self._deal(table)
        check(table)
        state: FiefState = self.lines.state(table, self._by_hand)
        return state

    def _deal(self, table: Table) -> None:
        """Put unnamed cards into their decks; raises NotUnderstood for an unknown name."""
        named = Counter(table.cards())
        for deck, whole in (("lords_deck", table.lore.lords_deck()), ("fortune_deck", table.lore.fortune_deck())):
            left = Counter(whole)
            left.subtract({card: n for card, n in named.items() if card in left})
            if over := [card for card, n in left.items() if n < 0]:
                raise NotUnderstood(say("fief.notation_cards", card=over[0]))
            if deck not in self.lines.given:
                setattr(table, deck, sorted(left.elements()))
        if strange := [card for card in named if card not in table.lore.kinds]:
            raise NotUnderstood(say("fief.notation_word", word=strange[0][:40]))

    def _by_hand(self) -> list[Any]:
        phase = self.table.phase
        refuse_if(phase not in rounds.PHASES, "fief.notation_phase", phase=phase[:10], phases=list(rounds.PHASES))
        then, make = rounds.PHASES[phase]
        if phase == "1b":
            return [rounds.Round(step=then, see=1, filled=rounds.held_offices(self.table)), make()]
        return [rounds.Round(step=then), make()]
