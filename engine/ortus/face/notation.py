"""Position notation of Ortus: one zone a line, `key: value`; empty zones may be left out.

Cards name no owner if it is the line's seat, else `Land/b`. `a.F2: Castle (Vassal) {Land, Church/c}` is Fief 2 of seat a with
Lord and Properties, `(-)` without Lord. With roles: `roles: picked`, `a.role: duke loyal`, `a.assets: Allies, Church`,
`canterbury: b` or `entering`, `a.legacy: 4`, `a.contested: king`. `?` and a number hide cards; decks list the top first.
`rulings: DEF-2=living` overrides the rulings of new games. `lists` is the Turn's public Joust.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from engine.core.asks import SEATS, NotUnderstood, Seat, refuse_if
from engine.core.chance import Chance
from engine.language.words import say
from engine.ortus.face.possible import check
from engine.ortus.face.view import OrtusState, Procedures
from engine.ortus.rules.pieces import (
    ANCHORS,
    KINDS,
    LORE,
    RULINGS,
    army_deck,
    card_of,
    cards,
    full_joust_deck,
    kind,
    owner,
    parse,
)
from engine.ortus.rules.roles import ROLES
from engine.ortus.rules.setup import Campaign, Muster
from engine.ortus.rules.table import Earl, Fief, Lists, Mercenary, Pile, Table, closed, deck_shown
from engine.ortus.rules.turn import Turn
from engine.text.notation import Lines, blamed, foot, head, hidden, put_together, split

PILES = (("army", "army"), ("viking-deck", "vikings"), ("battle", "battle"))


def lines(state: OrtusState, seat: Seat | None, everything: bool) -> Iterator[str]:
    table = state.table
    yield from head("ortus", RULINGS, state)
    yield f"start: {table.start or '-'}"
    yield f"round: {table.round}"
    yield f"active: {table.active or '-'}"
    yield f"action: {'used' if table.action_used else 'unused'}"
    for earl in table.earls.values():
        yield from _earl_lines(table, earl, everything or earl.seat == seat, everything)
    if table.king:
        yield f"king: {table.king} [{', '.join(sorted(table.royal))}]"
    if table.roles:
        yield f"roles: {table.roles}"
        yield f"canterbury: {table.canterbury or ('entering' if table.entering else '-')}"
    for name, attribute in PILES:
        pile: Pile = getattr(table, attribute)
        last, shut = attribute == "battle" and table.ruled("OR-AMB-6") == "last", attribute != "battle" and closed(table)
        if everything or not (closed(table) or last):
            yield f"{name}: {hidden(pile.deck[::-1], everything)}"
        shown = pile.discard if everything else pile.discard[-1:] if last else [] if shut else pile.discard
        if shown:
            yield f"{name}-discard: {_list(sorted(shown))}"
    if everything:
        yield f"joust: {_list(table.joust[::-1])}"
        yield f"out: {_list(sorted(table.out))}" if table.out else "out:"
    if table.lists is not None:
        yield f"lists: {msgspec.json.encode(table.lists).decode()}"
    yield f"vikings: {'arrived' if table.arrived else 'approaching'} black={table.black} white={int(table.white)}"
    yield f"force: {_list(sorted(table.force))}"
    yield from foot(state, everything)


def _earl_lines(table: Table, earl: Earl, own: bool, everything: bool) -> Iterator[str]:
    s = earl.seat
    flags = f"cubes={earl.cubes} turns={earl.turns} founded={earl.fiefs_founded} hired={earl.hired}"
    flags += f" drawn={earl.cubes_out}" if earl.cubes_out else ""
    yield f"{s}: {'in' if earl.alive else 'out'} {flags}" + (" concedes" if earl.concede and own else "")
    for f in earl.fiefs:
        properties = ", ".join(_short(p, s) for p in f.properties)
        yield f"{s}.F{f.number}: {_short(f.anchor, s)} ({_short(f.lord, s) if f.lord else '-'}) {{{properties}}}"
    for m in earl.mercenaries:
        yield f"{s}.M{m.number}: {_short(m.card, s)} ({m.garrison or '-'})"
    yield f"{s}.hand: {hidden([_short(c, s) for c in earl.hand], own)}"
    yield f"{s}.towers: {hidden([_short(c, s) for c in earl.towers], own)}"
    yield f"{s}.reserve: {hidden(earl.reserve, own)}"
    if own or deck_shown(table, earl):
        yield f"{s}.deck: {hidden([_short(c, s) for c in earl.deck][::-1], everything)}"
    if everything or not closed(table):
        yield f"{s}.discard: {_list(sorted(_short(c, s) for c in earl.discard))}"
    if earl.role:
        yield f"{s}.role: {earl.role}{' loyal' if earl.loyal else ''}"
        yield f"{s}.assets: {_list(earl.assets)}"
    if table.roles == "contested":
        yield f"{s}.legacy: {earl.legacy}"
        yield f"{s}.contested: {_list(earl.contested)}"
    for zone, pile in (("banners", earl.banners), ("emissaries", earl.emissaries)):
        if pile:
            yield f"{s}.{zone}: {_list([_short(c, s) for c in pile])}"


def _short(card: str, seat: Seat) -> str:
    return kind(card) if owner(card) == seat else card


def _list(items: list[str]) -> str:
    return ", ".join(items)


# --- reading ----------------------------------------------------------------------------------------------------------

_FLAGS = {"cubes": "cubes", "drawn": "cubes_out", "turns": "turns", "founded": "fiefs_founded", "hired": "hired"}
_FIEF = re.compile(r"(\S+)\s*\(([^)]*)\)\s*(?:\{([^}]*)\})?")
_TROOPS = frozenset(LORE["send"])


def read(text: str) -> OrtusState:
    """Parse a position. Omitted zones are empty; omitted table decks full and unshuffled. Raises NotUnderstood."""
    return blamed(lambda part: _Reader().read(part), text)


class _Reader:
    def __init__(self) -> None:
        self.lines = Lines("ortus", RULINGS, OrtusState)
        self.made: Table | None = None

    def read(self, text: str) -> OrtusState:
        self.lines.read(text, self.line)
        return put_together(self.state)

    @property
    def table(self) -> Table:
        if self.made is None:
            seats = self.lines.seats
            earls = {s: Earl(s, cubes=1, turns=1) for s in seats}
            self.made = Table(len(seats), earls, seats[0], seats=seats, chance=Chance(""))
        return self.made

    def line(self, key: str, value: str) -> None:
        seat, dot, zone = key.partition(".")
        if seat in self.table.earls:
            earl = self.table.earls[seat]
            if dot:
                self.zone(earl, zone, value)
            else:
                self.flags(earl, value)
            return
        read_one = self.keys().get(key)
        if read_one is None:
            raise NotUnderstood(say("ortus.notation.no_zone", zone=key[:30]))
        read_one(self.table, value)

    def keys(self) -> dict[str, Callable[[Table, str], None]]:
        return {
            "start": lambda t, v: setattr(t, "start", _one_of(v, "-", *t.seats).strip("-")),
            "round": lambda t, v: setattr(t, "round", int(v)),
            "active": lambda t, v: setattr(t, "active", _one_of(v, "-", *t.seats).strip("-")),
            "action": lambda t, v: setattr(t, "action_used", _one_of(v, "unused", "used") == "used"),
            "king": self.king,
            "roles": lambda t, v: setattr(t, "roles", v),
            "canterbury": self.canterbury,
            "army": lambda t, v: setattr(t.army, "deck", _troops(v)[::-1]),
            "army-discard": lambda t, v: setattr(t.army, "discard", _troops(v)),
            "viking-deck": lambda t, v: setattr(t.vikings, "deck", _troops(v)[::-1]),
            "viking-deck-discard": lambda t, v: setattr(t.vikings, "discard", _troops(v)),
            "battle": lambda t, v: setattr(t.battle, "deck", split(v)[::-1]),
            "battle-discard": lambda t, v: setattr(t.battle, "discard", split(v)),
            "joust": lambda t, v: setattr(t, "joust", split(v)[::-1]),
            "out": lambda t, v: setattr(t, "out", split(v)),
            "force": lambda t, v: setattr(t, "force", _troops(v)),
            "lists": self.lists,
            "vikings": self.vikings,
        }

    def zone(self, earl: Earl, zone: str, value: str) -> None:
        s = earl.seat
        if re.fullmatch(r"F\d+", zone):
            anchor, lord, properties = _parts(value, "no_fief")
            fief = Fief(int(zone[1:]), _card(anchor, s), None if lord in ("-", "–", "") else _card(lord, s))
            fief.properties = [_card(p, s) for p in split(properties or "")]
            earl.fiefs.append(fief)
            earl.fiefs_founded = max(earl.fiefs_founded, fief.number)
        elif re.fullmatch(r"M\d+", zone):
            card, held, properties = _parts(value, "no_mercenary")
            garrison = _troops(held)
            refuse_if(properties is not None or len(garrison) > 1, "ortus.notation.no_mercenary", text=value[:60])
            earl.mercenaries.append(Mercenary(int(zone[1:]), _card(card, s), garrison[0] if garrison else None))
            earl.hired = max(earl.hired, int(zone[1:]))
        elif zone == "reserve":
            earl.reserve = _troops(value)
        elif zone == "role":
            self.role(earl, value)
        elif zone in ("assets", "contested"):
            setattr(earl, zone, split(value))
        elif zone == "legacy":
            earl.legacy = int(value)
        elif zone == "deck":
            earl.deck = [_card(c, s) for c in split(value)][::-1]
        elif zone in ("hand", "towers", "discard", "banners", "emissaries"):
            setattr(earl, zone, [_card(c, s) for c in split(value)])
        else:
            raise NotUnderstood(say("ortus.notation.no_zone_of_earl", zone=zone[:30]))

    @staticmethod
    def flags(earl: Earl, value: str) -> None:
        words = value.split()
        earl.alive = _one_of(words[0], "in", "out") == "in"
        for word in words[1:]:
            key, _, number = word.partition("=")
            if key == "concedes":
                earl.concede = True
            else:
                setattr(earl, _FLAGS[key], int(number))

    @staticmethod
    def king(table: Table, value: str) -> None:
        seat, _, royal = value.partition(" ")
        table.king = seat
        table.royal = _troops(royal.strip(" []"))

    @staticmethod
    def lists(table: Table, value: str) -> None:
        found = table.lists = msgspec.json.decode(value, type=Lists)
        named = {found.starter, *found.stakes, *found.tilters, *(s for tilt in found.tilts for s in tilt)} | {
            found.winner or found.starter
        }
        refuse_if(not named <= {*table.seats}, "ortus.notation.no_word", text=value[:30], known=list(table.seats))
        for card in (c for tilt in found.tilts for dealt in tilt.values() for c in dealt):
            _one_of(card, *LORE["joust_deck"])
        for card in (*found.stakes.values(), *found.tilters.values()):
            if card:
                _card(card, found.starter)

    def role(self, earl: Earl, value: str) -> None:
        earl.role, _, loyal = value.partition(" ")
        earl.loyal = _one_of(loyal.strip(), "", "loyal") == "loyal"
        refuse_if(earl.role not in ROLES, "ortus.no_role", role=earl.role[:30], roles=list(ROLES))
        if not self.table.roles:
            self.table.roles = "assigned"

    @staticmethod
    def canterbury(table: Table, value: str) -> None:
        _one_of(value, "-", "entering", *table.earls)
        table.entering = value == "entering"
        table.canterbury = value if value in table.earls else ""

    @staticmethod
    def vikings(table: Table, value: str) -> None:
        state, *flags = value.split()
        table.arrived = _one_of(state, "approaching", "arrived") == "arrived"
        for flag in flags:
            key, _, number = flag.partition("=")
            if key == "black":
                table.black = int(number)
            elif key == "white":
                table.white = _one_of(number, "0", "1") == "1"
            else:
                raise NotUnderstood(say("ortus.notation.no_vikings", key=key[:20]))

    def state(self) -> OrtusState:
        table, given = self.table, self.lines.given
        for key, pile, whole in (
            ("army", table.army, army_deck(table.n)),
            ("viking-deck", table.vikings, cards(LORE["viking_deck"])),
            ("battle", table.battle, cards(LORE["battle_deck"])),
        ):
            if key not in given:
                pile.deck = whole
        if "joust" not in given:
            table.joust = full_joust_deck()
        state: OrtusState = self.lines.state(table, self.by_hand)
        check(state)
        return state

    def by_hand(self) -> list[Procedures]:
        table, given = self.table, self.lines.given
        refuse_if(not table.start, "ortus.notation.nobody_starts", seat=table.seats[0])
        if "round" not in given:
            table.round = 2
        for s, earl in table.earls.items():
            if s not in given and earl.turns < 2:
                earl.turns = 2 if table.round > 1 else 1
        table.active = table.active or table.start
        at = (table.seats.index(table.active) - table.seats.index(table.start)) % table.n + 1
        return [Muster(step="begin"), Campaign(step="next", at=at), Turn(seat=table.active, step="turn")]


def _one_of(word: str, *known: str) -> str:
    refuse_if(word not in known, "ortus.notation.no_word", text=word[:30], known=[k for k in known if k])
    return word


def _parts(value: str, code: str) -> tuple[str, str, str | None]:
    """Split `ANCHOR (LORD) {PROPERTIES}`. Raises NotUnderstood."""
    found = _FIEF.fullmatch(value)
    if not found:
        raise NotUnderstood(say(f"ortus.notation.{code}", text=value[:60]))
    return found[1], found[2], found[3]


def _card(word: str, seat: Seat) -> str:
    word = word.replace(" ", "")
    told = parse(word)
    if (told.kind not in KINDS and told.kind not in ANCHORS) or told.owner not in ("", *SEATS) or "+" in word:
        raise NotUnderstood(say("ortus.notation.no_card", card=(told.kind or word)[:30]))
    return card_of(told.kind, told.owner or seat)


def _troops(value: str) -> list[str]:
    short = {"I": "Infantry", "K": "Knight"}
    troops = [short.get(t, t) for t in split(value) if t not in ("-", "–")]
    for t in troops:
        refuse_if(t not in _TROOPS, "ortus.notation.no_troop", card=t[:30])
    return troops
