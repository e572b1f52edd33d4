"""Position notation of Medieval Mastery: one zone a line, `key: value`; empty zones may be left out.

`C2: Fort a 3` is a territory's tile, holder and knights; `a: knights=6` a lord's castle. `Rage@4` is an artefact destroyed on
turn 4, `Ambush@3` a card discarded on turn 3 (default 0). Decks are listed top first; `?` and a number hide cards. A missing
deck has all cards that are nowhere else, unshuffled. `rulings: MM-AMB-24=attacker` overrides defaults of new games.

`stack` lists what is under way, the last on top: `stack: Campaign next`, `stack: Turn late seat=a`, and
`stack: Battle begin attacker=a defender=b slot=B1` with `dispute: B1 a 4`. Missing, it is the active lord's early window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import msgspec

from engine.core.asks import NotUnderstood, Seat, refuse_if
from engine.core.chance import Chance
from engine.language.words import say
from engine.mastery.face.possible import check, plain
from engine.mastery.face.view import MasteryState, Procedures, in_view, stack_for
from engine.mastery.rules.pieces import FOREVER, RULINGS, Card, Kind, lore_of
from engine.mastery.rules.setup import Campaign
from engine.mastery.rules.table import UP, Artefact, Discarded, Dispute, Land, Lord, Options, Table
from engine.mastery.rules.turn import Turn
from engine.text.notation import Lines, as_json, blamed, foot, head, hidden, put_together, split

FLAGS = Options.__struct_fields__[1:]
"""Boolean optional rules."""


def lines(state: MasteryState, seat: Seat | None, everything: bool) -> Iterator[str]:
    table = state.table
    yield from head("mastery", RULINGS, state)
    if table.lore:
        yield f"lore: {table.lore}"
    yield f"order: {' '.join(table.order)}"
    yield f"options: {_options(table.options)}"
    yield f"first: {table.first or '-'}"
    yield f"turn: {table.turn}"
    yield f"active: {table.active or '-'}"
    yield f"crown: {'used' if table.crown_used else 'unused'}"
    for lord in table.lords.values():
        yield from _lord_lines(table, lord, seat, everything)
    for slot, land in table.lands.items():
        yield f"{slot}: {land.tile}" + (f" {land.holder} {land.knights}" if land.holder else "")
    if table.dispute is not None:
        yield f"dispute: {table.dispute.slot} {table.dispute.attacker} {table.dispute.knights}"
    yield from foot(state, everything)
    if not everything:
        # The stack is public but for plans; who is asked is not.
        yield from (f"stack: {as_json(procedure)}" for procedure in stack_for(state, seat))


def _options(options: Options) -> str:
    on = [flag for flag in FLAGS if getattr(options, flag)]
    return " ".join([*([f"teams={options.teams}"] if options.teams else []), *on]) or "-"


def _lord_lines(table: Table, lord: Lord, reader: Seat | None, everything: bool) -> Iterator[str]:
    s = lord.seat
    yield f"{s}: knights={lord.knights}"
    yield f"{s}.castle: {lord.castle} {lord.slot}"
    yield f"{s}.artefacts: {', '.join(a.name if a.up else f'{a.name}@{a.down}' for a in lord.artefacts())}"
    yield f"{s}.hand: {hidden(sorted(lord.hand), everything or s == reader)}"
    yield f"{s}.deck: {hidden(lord.deck[::-1], everything)}"
    shown = lord.discard if everything or table.ruled("MM-AMB-47") == "open" else lord.discard[-1:]
    yield f"{s}.discard: {', '.join(f'{d.card}@{d.turn}' for d in shown)}"
    known = {k: n for k, n in sorted(lord.known.items())}
    if known:
        yield f"{s}.known: {', '.join(f'{k}@{n}' for k, n in known.items())}"


# --- reading ----------------------------------------------------------------------------------------------------------


def read(text: str) -> MasteryState:
    """Raises NotUnderstood with the line."""
    return blamed(lambda part: _Reader().read(part), text)


class _Reader:
    def __init__(self) -> None:
        self.lines = Lines("mastery", RULINGS, MasteryState)
        self.lore = ""
        self.made: Table | None = None

    def read(self, text: str) -> MasteryState:
        self.lines.read(text, self.line, ("lore",))
        return put_together(self.state)

    def line(self, key: str, value: str) -> None:
        if key == "lore":
            self.lore = value
            return
        table = self.table
        seat, _, zone = key.partition(".")
        if seat in table.lords:
            self._zone(table.lords[seat], zone, value)
        elif key in table.lands:
            self._land(table, key, value)
        else:
            read_one = self._keys().get(key)
            if read_one is None:
                raise NotUnderstood(say("mastery.notation_zone", zone=key[:30]))
            read_one(table, value)

    @property
    def table(self) -> Table:
        if self.made is None:
            seats, lore = self.lines.seats, lore_of(self.lore)
            refuse_if(len(seats) not in lore.maps, "mastery.notation_no_map", n=len(seats))
            table = Table(list(seats), {}, {}, lore=self.lore, seats=list(seats), chance=Chance(""))
            table.lands = {label: Land(plain(lore)) for label in table.map.territories()}
            for i, s in enumerate(seats):
                table.lords[s] = Lord(s, lore.castles[i], table.map.castles[i])
            table.first = table.active = seats[0]
            table.turn = 1
            self.made = table
        return self.made

    def _keys(self) -> dict[str, Callable[[Table, str], None]]:
        return {
            "order": lambda t, v: setattr(t, "order", v.split()),
            "options": self._options,
            "first": lambda t, v: setattr(t, "first", v),
            "turn": lambda t, v: setattr(t, "turn", int(v)),
            "active": lambda t, v: setattr(t, "active", "" if v == "-" else v),
            "crown": lambda t, v: setattr(t, "crown_used", v == "used"),
            "dispute": self._dispute,
        }

    def _zone(self, lord: Lord, zone: str, value: str) -> None:
        data = lore_of(self.lore)
        match zone:
            case "":
                lord.knights = int(value.removeprefix("knights="))
            case "castle":
                lord.castle, lord.slot = value.split()
            case "artefacts":
                lord.crown = lord.sceptre = lord.orb = Artefact("")
                for word in split(value):
                    name, _, down = word.partition("@")
                    refuse_if(name not in data.regalia, "mastery.notation_artefact", artefact=name[:30])
                    if getattr(lord, data.regalia[name].type).name:
                        raise NotUnderstood(say("mastery.impossible.second", artefact=name, type=data.regalia[name].type))
                    setattr(lord, data.regalia[name].type, Artefact(name, int(down) if down else UP))
            case "hand":
                lord.hand = [_card(data.cards, c) for c in split(value)]
            case "deck":
                lord.deck = [_card(data.cards, c) for c in split(value)][::-1]
            case "discard":
                pairs = [word.partition("@") for word in split(value)]
                lord.discard = [Discarded(_card(data.cards, c), int(turn) if turn else 0) for c, _, turn in pairs]
            case "known":
                lord.known = {s: int(n) for s, _, n in (word.partition("@") for word in split(value))}
            case _:
                raise NotUnderstood(say("mastery.notation_lords_zone", zone=zone[:30]))

    @staticmethod
    def _land(table: Table, slot: str, value: str) -> None:
        tile, *held = value.split()
        refuse_if(tile not in table.data.tiles, "mastery.notation_tile", tile=tile[:30])
        refuse_if(held and (len(held) != 2 or held[0] not in table.lords), "mastery.notation_land", text=value[:40])
        table.lands[slot] = Land(tile, held[0], int(held[1])) if held else Land(tile)

    @staticmethod
    def _options(table: Table, value: str) -> None:
        on: dict[str, bool | int] = {}
        for word in value.split():
            key, _, size = word.partition("=")
            if key == "teams":
                on["teams"] = int(size)
            elif key in FLAGS:
                on[key] = True
            elif word != "-":
                raise NotUnderstood(say("mastery.notation_option", option=word[:30], flags=list(FLAGS)))
        table.options = msgspec.convert(on, type=Options)

    @staticmethod
    def _dispute(table: Table, value: str) -> None:
        slot, attacker, count = value.split()
        table.dispute = Dispute(slot, attacker, int(count))

    def state(self) -> MasteryState:
        table = self.table
        self._artefacts(table)
        for seat, lord in table.lords.items():
            if f"{seat}.deck" not in self.lines.given:
                left = Counter(table.data.deck())
                left.subtract([*lord.hand, *in_view(MasteryState(table, self.lines.stack), lord)])
                lord.deck = [card for card, n in left.items() for _ in range(max(0, n))]
        state = self.lines.state(table, self._by_hand)
        check(state)
        return state

    def _by_hand(self) -> list[Procedures]:
        self.table.active = self.table.active or self.table.first
        return [Campaign(step="next"), Turn(seat=self.table.active, step="early")]

    def _artefacts(self, table: Table) -> None:
        """Missing artefacts: unused ones, destroyed for ever (turn `FOREVER`)."""
        taken = {a.name for lord in table.lords.values() for a in lord.artefacts()}
        for lord in table.lords.values():
            for kind in ("crown", "sceptre", "orb"):
                if not getattr(lord, kind).name:
                    name = next(r.id for r in table.data.regalia.values() if r.type == kind and r.id not in taken)
                    taken.add(name)
                    setattr(lord, kind, Artefact(name, FOREVER))


def _card(cards: Mapping[str, Kind], word: str) -> Card:
    refuse_if(word not in cards, "mastery.notation_card", card=word[:30], cards=list(cards))
    return word
