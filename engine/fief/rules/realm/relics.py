"""Holy Relics (chapter OPT). Grail and Spear count in `war.forces`, Teeth in `court.deaths`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import msgspec

from engine.core import offers
from engine.core.asks import Answer, Ask, Cell, NotLegal, Option, PickOne, Seat, choices, illegal_if, prefilled
from engine.core.offers import Proposal
from engine.core.procedure import Procedure
from engine.fief.rules.realm.pieces import BONE, EYES, FAMINE, RAIN
from engine.fief.rules.realm.table import Laid, Person, Table, without
from engine.language.words import say

KINDS = frozenset(("take_relic", "give_relic", "eyes", "bone"))
HANDED = frozenset(("take_relic", "give_relic"))
PRAYERS = {"eyes": (EYES, RAIN), "bone": (BONE, FAMINE)}
"""Power -> its relic, and the card that it moves or lifts."""


class RelicGift(Proposal):
    """D-REL-2 and 5: to another player's Lord in the village, or taken with leave (FF-OPT-2, 3)."""

    kind: ClassVar[str] = "relic"
    rule: ClassVar[str] = "D-REL-5"
    relic: str
    lord: str
    taking: bool = False
    """Whether it is taken from a village (D-REL-2) or given by its bearer (D-REL-5)."""

    def about(self) -> Mapping[str, Cell]:
        return {"by": self.by, "relic": self.relic, "lord": self.lord, "taking": int(self.taking)}

    def ask(self, table: Table, seat: Seat) -> Ask:
        return msgspec.structs.replace(super().ask(table, seat), rule="D-REL-2" if self.taking else "D-REL-5")

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "accept":
            check_hand_over(table, self.relic, self.lord, self.taking)
            illegal_if(table.ruled("FF-OPT-3") == "giver" and not self._due(table, seat), "fief.no_relic", relic=self.relic)

    def _due(self, table: Table, seat: Seat) -> bool:
        if self.taking:
            return leave_of(table, table.lords[self.lord], self.relic) in ("", seat)
        return any(self.relic in p.relics for p in table.free(self.by))

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        if answer.option == "accept":
            hand_over(table, self.relic, self.lord, self.taking)
            if table.ruled("FF-ASY-10") == "relics":
                table.stirred += 1
        else:
            table.tell("relic_refused", seat=seat, by=self.by, relic=self.relic)
        return None

    def lapse(self, table: Table, how: str) -> None:
        table.tell("relic_lapsed", by=self.by, relic=self.relic)


def takers(table: Table, seat: Seat) -> list[str]:
    """Possible takings as `relic/lord` (FF-OPT-2, 4)."""
    found = []
    for village in table.villages.values():
        for relic in village.relics:
            found += [f"{relic}/{p.id}" for p in table.free(seat, village.id) if may_take(table, p, relic)]
    return found


def may_take(table: Table, lord: Person, relic: str) -> bool:
    """First taking: the Bishopric's Bishop, a Cardinal or the Pope; later any Lord."""
    if relic in table.held:
        return True
    return lord.bishop == table.see_of(lord.at) or bool(lord.cardinal) or lord.pope


def leave_of(table: Table, lord: Person, relic: str) -> Seat:
    """Who must give leave: opponent who is controller and occupant, or holder by Troops; '' if none."""
    held = relic in table.held
    owner = table.held[relic] if held else table.villages[lord.at].controller
    stands = table.has_troops if held else table.occupies
    return owner if owner != lord.seat and stands(owner, lord.at) else ""


def check_hand_over(table: Table, relic: str, lord: str, taking: bool) -> None:
    """Raises NotLegal."""
    person = table.lords.get(lord)
    if person is None or not person.free:
        raise NotLegal(say("fief.no_free_lord", lord=lord))
    if taking:
        if relic not in table.villages[person.at].relics or not may_take(table, person, relic):
            raise NotLegal(say("fief.no_relic", relic=relic))
        return
    bearer = next((p for p in table.lords.values() if relic in p.relics), None)
    illegal_if(bearer is None or bearer.at != person.at, "fief.no_relic", relic=relic)
    if not table.options.open_diplomacy and not table.families[person.seat].markers:
        raise NotLegal(say("fief.no_markers", seat=person.seat, n=1, has=0))


def hand_over(table: Table, relic: str, lord: str, taking: bool) -> None:
    """Transfer a relic; giving costs a Diplomacy marker, in a family too (FF-OPT-3, FF-AMB-83)."""
    person = table.lords[lord]
    if taking:
        village = table.villages[person.at]
        village.relics = without(village.relics, relic)
        table.held[relic] = ""
    else:
        giver = next(p for p in table.lords.values() if relic in p.relics)
        giver.relics = without(giver.relics, relic)
        if not table.options.open_diplomacy:
            table.families[person.seat].markers -= 1
    person.relics += (relic,)
    table.tell("relic_taken" if taking else "relic_given", relic=relic, lord=lord, seat=person.seat)


def powers(table: Table, seat: Seat) -> Iterator[Ask]:
    """Take, give, and pray at the first checkpoint (D-REL-1, D-REL-3, D-REL-5)."""
    if not table.options.holy_relics:
        return
    asked = {(p.relic, p.lord) for p in table.proposals.open if isinstance(p, RelicGift)}
    if found := [id for id in takers(table, seat) if tuple(id.split("/")) not in asked]:
        yield prefilled(seat, "take_relic", "D-REL-1", Option("take", (PickOne("relic", choices(found)),)))
    gifts = [
        f"{relic}/{p.id}"
        for bearer in table.free(seat)
        for relic in bearer.relics
        for p in table.lords.values()
        if p is not bearer and p.at == bearer.at and p.free and (relic, p.id) not in asked
    ]
    if gifts:
        yield prefilled(seat, "give_relic", "D-REL-5", Option("give", (PickOne("relic", choices(gifts)),)))
    if table.phase == "cp1":
        yield from _prayers(table, seat)


def _prayers(table: Table, seat: Seat) -> Iterator[Ask]:
    """Eyes and Bone, once per card and round (FF-OPT-7, 8)."""
    for kind, (relic, card) in PRAYERS.items():
        bearer = next((p for p in table.free(seat) if relic in p.relics), None)
        places = [table.lore.sees[laid.see].principal for laid in table.weather if laid.card == card]
        places = [place for place in places if f"{kind}/{place}" not in table.prayed]
        if bearer is not None and places:
            yield prefilled(seat, kind, "D-REL-3", Option("pray", (PickOne("at", choices(places)),)))


def _transfer(table: Table, seat: Seat, kind: str, answer: Answer) -> tuple[str, str, bool, Seat]:
    """(relic, Lord, whether taken, who must agree)."""
    relic, _, lord = answer.pick("relic").partition("/")
    person = table.lords[lord]
    if kind == "take_relic":
        return relic, lord, True, leave_of(table, person, relic)
    return relic, lord, False, person.seat if person.seat != seat else ""


def vet(table: Table, seat: Seat, kind: str, answer: Answer) -> None:
    """Check a transfer without consent. Raises NotLegal."""
    if kind in HANDED:
        relic, lord, taking, to = _transfer(table, seat, kind, answer)
        if not to:
            check_hand_over(table, relic, lord, taking)


def use(table: Table, seat: Seat, kind: str, answer: Answer) -> None:
    if kind in HANDED:
        relic, lord, taking, to = _transfer(table, seat, kind, answer)
        if to:
            offers.put(table, RelicGift(by=seat, to=[to], until="phase", relic=relic, lord=lord, taking=taking))
            table.tell("relic_asked", seat=seat, to=to, relic=relic, lord=lord)
        else:
            hand_over(table, relic, lord, taking)
        return
    at, (relic, card) = answer.pick("at"), PRAYERS[kind]
    laid = next(laid for laid in table.weather if laid.card == card and laid.see == table.see_of(at))
    roll = table.roll(kind)
    table.tell("prayed", seat=seat, relic=relic, see=laid.see, roll=roll)
    table.prayed.append(f"{kind}/{at}")
    if kind == "bone":
        if roll >= 4:
            _lift(table, laid)
    elif roll not in (6, laid.see):
        if table.lies(RAIN, roll):
            _lift(table, laid)
        else:
            laid.see = roll
            table.prayed.append(f"{kind}/{table.lore.sees[roll].principal}")
            table.tell("rain_moved", see=roll)


def _lift(table: Table, laid: Laid) -> None:
    table.weather.remove(laid)
    table.discard(laid.card)
    table.tell("disaster_gone", card=laid.card, see=laid.see)
