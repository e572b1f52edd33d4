"""Set-up, rounds, checks of the chosen optional rules (MM-SET, MM-OPT-1, MM-DAT-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.core.asks import NotUnderstood, Seat, illegal_if, refuse_if
from engine.core.chance import Chance
from engine.core.procedure import Call, Done, Next, Procedure
from engine.core.rulings import Ruled, begun
from engine.language.words import say
from engine.mastery.rules.cards import draw
from engine.mastery.rules.maps import check_map
from engine.mastery.rules.pieces import RULINGS, TYPES, data_hash, lore_of, shipped
from engine.mastery.rules.reckoning import last_round, reckon
from engine.mastery.rules.table import Artefact, Land, Lord, Options, Table
from engine.mastery.rules.turn import Turn

RULES = ("castle_siege", "cut_throat", "skirmish", "mayhem")
"""Boolean optional rules, in the order of `Options`."""
TEAMS = {4: (2,), 6: (2, 3)}
"""Seats -> sizes of teams (MM-OPT-2)."""
KNOWN = {"allegiance", "rules", "seating", "data", "own"}


def read_options(options: Mapping[str, Any], n: int) -> tuple[Options, str]:
    """Parse optional rules and data file. Raises NotUnderstood or NotLegal for unknown or incompatible ones (MM-OPT-1, 2)."""
    for key in options:
        refuse_if(key not in KNOWN, "mastery.no_option", key=str(key)[:30], known=sorted(KNOWN))
    teams = options.get("allegiance", 0)
    rules = options.get("rules", [])
    refuse_if(not isinstance(rules, list) or any(r not in RULES for r in rules), "mastery.optional_rules", rules=list(RULES))
    if teams:
        illegal_if(n not in TEAMS, "mastery.no_allegiance", n=n)
        illegal_if(teams not in TEAMS[n], "mastery.no_such_teams", n=n, size=str(teams)[:5], sizes=list(TEAMS[n]))
        illegal_if("castle_siege" in rules, "mastery.allegiance_and_siege")
    on = Options(int(teams), *(rule in rules for rule in RULES))
    return on, _data(options.get("own", ""), str(options.get("data", "")), n)


def _data(own: object, mark: str, n: int) -> str:
    """The host's, or a shipped one by hash; "" for the current one."""
    if not isinstance(own, str):
        raise NotUnderstood(say("mastery.data_no_text"))
    if not own:
        own = shipped(mark)
    elif mark and mark != data_hash(own):
        raise NotUnderstood(say("mastery.other_data"))
    if own:
        lore = lore_of(own)
        refuse_if(n not in lore.maps, "mastery.own_data_no_map", n=n)
        check_map(lore, lore.maps[n], n)
    return own


def fresh_table(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None) -> Table:
    """Draw a new table in the order of MM-RND-2; `Campaign` draws cards."""
    n = len(seats)
    on, own = read_options(options, n)
    lore = lore_of(own)
    order = list(seats)
    if options.get("seating", "random") == "random":
        chance.shuffle(order, "seats")
    table = Table(order, {}, {}, on, own, seats=list(seats), chance=chance, rulings=begun(RULINGS, ruled))
    land = table.map
    for label in land.territories():
        table.lands[label] = Land("")
    for worth in sorted(lore.per_value):
        tiles = sorted(t.type for t in lore.tiles.values() for _ in range(t.copies) if t.value == worth)
        chance.shuffle(tiles, f"tiles-{worth}")
        for label in land.territories():
            if land.slots[label].value == worth:
                table.lands[label].tile = tiles.pop()
    at = {seat: i for i, seat in enumerate(order)}
    table.lords = {s: Lord(s, lore.castles[at[s]], land.castles[at[s]], deck=lore.deck()) for s in seats}
    for kind in TYPES:
        names = sorted(a.id for a in lore.regalia.values() if a.type == kind)
        chance.shuffle(names, kind + "s")
        for seat in order:
            setattr(table.lords[seat], kind, Artefact(names.pop()))
    for seat in order:
        chance.shuffle(table.lords[seat].deck, f"deck-{seat}")
    return table


def start_knights(table: Table) -> None:
    """Place six each, evenly over castle and adjacent Homelands (MM-SET-7, MM-OPT-12).

    Mayhem's extra knights go to the castle, by ruling spread too (MM-AMB-55).
    """
    land, constants = table.map, table.data.constants
    for seat in table.order:
        lord = table.lords[seat]
        homes = []
        for label in sorted(land.near[lord.slot]):
            castles = sum(land.slots[x].kind == "castle" for x in land.near[label])
            if label in table.lands and table.tile(label).start_knights and castles == 1:
                homes.append(label)
        more = constants["mayhem_extra_start_knights"] if table.options.mayhem else 0
        spread = constants["start_knights"] + (more if table.ruled("MM-AMB-55") == "spread" else 0)
        share = spread // (len(homes) + 1)
        # With more places than knights all stay at home (MM-GEN-2).
        for label in homes if share or table.ruled("MM-GEN-2") == "held" else ():
            table.lands[label].holder, table.lands[label].knights = seat, share
        lord.knights = constants["start_knights"] + more - share * len(homes)


class Campaign(Procedure):
    def begin(self, table: Table) -> Next:
        start_knights(table)
        table.tell("seated", order=list(table.order))
        for seat in table.order:
            lord = table.lords[seat]
            table.tell("invested", seat=seat, castle=lord.castle, slot=lord.slot, artefacts=[a.name for a in lord.artefacts()])
        for seat in table.order:
            draw(table, seat, table.data.constants["hand_draw_to"])
        table.first = table.order[table.chance.below(len(table.order), "first-player")]
        table.tell("first", seat=table.first)
        return Call(Turn(seat=table.first), "next")

    def next(self, table: Table) -> Next:
        """Next seat clockwise (MM-SET-9), or the end after an agreed last round (MM-AMB-56)."""
        last, n = last_round(table), len(table.order)
        if last and table.turn == last * n:
            reckon(table)
            return Done()
        if last and table.turn == (last - 1) * n:
            table.tell("last_round")
        return Call(Turn(seat=table.clockwise(table.active)[1]), "next")
