"""Unit: redistribution, then an advance (MM-RED, MM-ADV), one indivisible order (MM-TRN-5)."""

from __future__ import annotations

import re

from engine.core.asks import Answer, Field, Fields, NotLegal, Number, PickOne, Seat, Value, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure
from engine.language.words import say
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.conquest import Conquest
from engine.mastery.rules.ids import knights_in
from engine.mastery.rules.table import (
    Dispute,
    Table,
    all_dice,
    capacity,
    cut_off,
    dice,
    held,
    in_dispute,
    lord_of_castle,
    need,
    supplied,
    targets,
    team,
)


def redistribution_fields(table: Table, seat: Seat) -> Fields:
    """A number per supplied territory; the castle takes the rest (MM-RED-2)."""
    return tuple(_numbers(table, seat, supplied(table, seat)))


def _numbers(table: Table, seat: Seat, within: set[str]) -> list[Field]:
    tiles, fields = table.data.tiles, list[Field]()
    for slot, land in table.lands.items():
        if land.holder == seat and slot in within:
            now = land.knights
            fields.append(Number(knights_in(slot), 1, max(tiles[land.tile].capacity, now), now))
    return fields


def unit_fields(table: Table, seat: Seat) -> Fields:
    within = supplied(table, seat)
    fields = _numbers(table, seat, within)
    aims = targets(table, seat, within)
    most = most_sent(table, seat, within, max([capacity(table, slot) for slot in aims], default=0))
    if most:
        fields.append(PickOne("target", choices(aims), optional=True))
        fields.append(Number("knights", 0, most))
    return tuple(fields)


def most_sent(table: Table, seat: Seat, within: set[str], room: int) -> int:
    """Most knights after any redistribution, up to `room`: supplied territories keep one (MM-RED-2), within the dice
    (MM-ADV-4).
    """
    data, lord = table.data, table.lords[seat]
    pips, tiles = data.constants["pips_per_die"], data.tiles
    lands = [table.lands[slot] for slot in within]
    men = lord.knights + sum([land.knights for land in lands])
    freed = sum([-(-land.knights // pips) for land in lands]) - len(lands)
    free = all_dice(table) - need(table, seat) + dice(lord.knights, pips) + freed
    filled = sum([min(pips, max(tiles[land.tile].capacity, land.knights)) for land in lands])
    for count in range(min(room, men - len(lands)), 0, -1):
        # Whether the rest fits: territories' dice, then the castle.
        if dice(count, pips) + dice(max(0, men - count - filled), pips) <= free:
            return count
    return 0


def redistributed(table: Table, seat: Seat, answer: Answer) -> dict[str, int]:
    """Slot -> knights afterwards, castle included."""
    lord, values = table.lords[seat], answer.values
    new = {}
    castle = lord.knights
    for slot, land in table.lands.items() if values else ():
        if land.holder == seat:
            # Only supplied territories have a field (MM-RED-2).
            count = values.get(knights_in(slot))
            if count is not None:
                assert isinstance(count, int)
                new[slot] = count
                castle += land.knights - count
    new[lord.slot] = castle
    return new


def dice_after(table: Table, seat: Seat, new: dict[str, int]) -> int:
    pips = table.data.constants["pips_per_die"]
    used = need(table, seat)
    for slot, count in new.items():
        land = table.lands.get(slot)
        own = land.knights if land is not None and land.holder == seat else 0
        now = table.lords[seat].knights if slot == table.lords[seat].slot else own
        used += dice(count, pips) - dice(now, pips)
    return used


def vet_redistribution(table: Table, seat: Seat, answer: Answer) -> tuple[int, int]:
    """(castle's knights, dice) afterwards. Raises NotLegal for a wrong sum or too few dice (MM-RED-2, MM-DIC-4)."""
    data, values = table.data, answer.values
    tiles, pips = data.tiles, data.constants["pips_per_die"]
    castle, wanted, used = table.lords[seat].knights, 0, dice(in_dispute(table, seat), pips)
    for slot, land in table.lands.items():
        if land.holder == seat:
            count = values.get(knights_in(slot))
            if count is None:
                used += -(-land.knights // pips)
                continue
            assert isinstance(count, int)
            used += -(-count // pips)
            wanted += count
            castle += land.knights - count
            if count > tiles[land.tile].capacity:
                raise NotLegal(say("mastery.too_many_there", slot=slot, most=capacity(table, slot), n=count))
    used += dice(castle, pips)
    illegal_if(castle < 0, "mastery.too_few_knights", wanted=wanted, pool=castle + wanted, less=-castle)
    most = all_dice(table)
    illegal_if(used > most, "mastery.dice", used=used, all=most)
    return castle, used


def vet_unit(table: Table, seat: Seat, answer: Answer) -> None:
    """Raises NotLegal (MM-ADV-4)."""
    castle, used = vet_redistribution(table, seat, answer)
    slot, count = answer.pick("target"), answer.number("knights")
    if not slot:
        illegal_if(count, "mastery.no_target")
        illegal_if(table.ruled("MM-AMB-9") == "moved" and stands_still(table, seat, answer), "mastery.null_march")
        return
    illegal_if(not count, "mastery.no_knights", slot=slot)
    most = capacity(table, slot)
    illegal_if(count > most, "mastery.too_many_sent", slot=slot, most=most, n=count)
    illegal_if(count > castle, "mastery.too_few_in_castle", there=castle, n=count)
    pips = table.data.constants["pips_per_die"]
    used += dice(castle - count, pips) + dice(count, pips) - dice(castle, pips)
    most = all_dice(table)
    illegal_if(used > most, "mastery.dice_of_unit", used=used, all=most)


def stands_still(table: Table, seat: Seat, answer: Answer) -> bool:
    """Whether no knight moves; may be illegal by ruling (MM-AMB-9)."""
    return all(table.lands[slot].knights == n for slot, n in redistributed(table, seat, answer).items() if slot in table.lands)


def explain_unit(table: Table, seat: Seat, answer: Answer) -> None:
    """Raises NotLegal with the reason (MM-ADV-2, MM-SUP-3)."""
    _explain_numbers(table, seat, answer)
    slot, count = answer.pick("target"), as_number(answer.values.get("knights"))
    if not slot or slot in targets(table, seat):
        if slot:
            _explain_sent(table, seat, slot, count or 0, answer)
        return
    illegal_if(slot not in table.map.slots, "mastery.no_place", slot=slot[:10])
    illegal_if(table.map.lake(slot), "mastery.lake", slot=slot)
    illegal_if(slot == table.lords[seat].slot, "mastery.own_castle", slot=slot)
    illegal_if(slot not in table.lands and not table.options.siege, "mastery.castle", slot=slot)
    holder = table.lands[slot].holder if slot in table.lands else lord_of_castle(table, slot)
    illegal_if(holder == seat, "mastery.own_territory", slot=slot)
    illegal_if(holder in team(table, seat), "mastery.allied", slot=slot)
    beside = [x for x in table.map.near[slot] if x in table.lands and table.lands[x].holder == seat]
    if beside:
        raise NotLegal(say("mastery.no_supply", slot=beside[0], target=slot))
    raise NotLegal(say("mastery.out_of_reach", slot=slot, aims=targets(table, seat)))


def _explain_sent(table: Table, seat: Seat, slot: str, count: int, answer: Answer) -> None:
    """Raises NotLegal for numbers that can't be reached (MM-ADV-4)."""
    room = capacity(table, slot)
    illegal_if(count > room, "mastery.too_many_sent", slot=slot, most=room, n=count)
    castle = table.lords[seat].knights
    for own in supplied(table, seat):
        left = as_number(answer.values.get(knights_in(own)))
        castle += 0 if left is None else table.lands[own].knights - left
    illegal_if(count > castle, "mastery.too_few_in_castle", there=castle, n=count)
    if count > (most := most_sent(table, seat, supplied(table, seat), room)):
        raise NotLegal(say("mastery.too_few_dice", slot=slot, most=most, all=all_dice(table)))


def _explain_numbers(table: Table, seat: Seat, answer: Answer) -> None:
    within = supplied(table, seat)
    for slot in held(table, seat):
        count, most = as_number(answer.values.get(knights_in(slot))), capacity(table, slot)
        illegal_if(knights_in(slot) in answer.values and slot not in within, "mastery.cut_off", slot=slot)
        illegal_if(count is not None and count < 1, "mastery.left_empty", slot=slot, most=most)
        illegal_if(count is not None and count > most, "mastery.too_many_there", slot=slot, most=most, n=count)


def as_number(value: Value | None) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value):
        return int(value)
    return value if isinstance(value, int) else None


def settle(table: Table, seat: Seat, new: dict[str, int], why: str) -> bool:
    """Apply a redistribution; whether a knight moved."""
    lord = table.lords[seat]
    changed = {slot: n for slot, n in new.items() if slot in table.lands and table.lands[slot].knights != n}
    for slot, n in changed.items():
        table.lands[slot].knights = n
    lord.knights = new[lord.slot]
    if changed:
        table.tell("redistributed", seat=seat, changed=changed, castle=lord.knights, why=why)
    return bool(changed)


class Unit(Procedure):
    """MAIN, or a Tactical Advance; validated."""

    seat: Seat = ""
    order: Answer = Answer("march")

    def begin(self, table: Table) -> Next:
        changed = settle(table, self.seat, redistributed(table, self.seat, self.order), "unit")
        slot, count = self.order.pick("target"), self.order.number("knights")
        if not slot:
            if not changed:
                table.tell("stood_still", seat=self.seat)
            return Done()
        table.lords[self.seat].knights -= count
        table.dispute = Dispute(slot, self.seat, count)
        defender = table.lands[slot].holder if slot in table.lands else lord_of_castle(table, slot)
        if defender:
            tile = table.lands[slot].tile if slot in table.lands else ""
            table.tell("attacked", seat=self.seat, slot=slot, count=count, defender=defender, tile=tile)
            return Call(Battle(attacker=self.seat, defender=defender, slot=slot), "over")
        return "conquer"

    def conquer(self, table: Table) -> Next:
        """Advance into the place in dispute, and hold it (MM-ADV-5)."""
        dispute = table.dispute
        assert dispute is not None
        land = table.lands[dispute.slot]
        land.holder, land.knights, table.dispute = self.seat, dispute.knights, None
        table.tell("advanced", seat=self.seat, slot=dispute.slot, tile=land.tile, count=land.knights)
        return Call(Conquest(seat=self.seat, slot=dispute.slot), "settled")

    def settled(self, table: Table) -> Next:
        cut_off(table)
        return Done()

    def over(self, table: Table) -> Next:
        return Done(self.came)
