"""Setup (chapter SET)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.core.asks import Answer, Ask, NotUnderstood, Option, PickOne, Seat, choices, refuse_if
from engine.core.chance import Chance
from engine.core.offers import Desk
from engine.core.procedure import Next, Procedure, ended, yes_no
from engine.core.rulings import Ruled, begun
from engine.fief.rules.diplomacy import Annulment, Cession, Exchange
from engine.fief.rules.realm.control import arrive, settle
from engine.fief.rules.realm.pieces import RULINGS, data_hash, lore_of
from engine.fief.rules.realm.relics import RelicGift
from engine.fief.rules.realm.table import Family, Group, Options, Person, Place, Table, Village
from engine.language.words import say

LEAST, MOST = 3, 6
FLAGS = ("holy_relics", "fog_of_war", "open_diplomacy", "hidden_deniers", "discard_first_disasters", "simultaneous_ballots")
LONGEST = 60

Bargains = Desk[Exchange | Cession | Annulment | RelicGift]


class FiefTable(Table):
    """`Table` with typed proposals, whose modules import `Table`."""

    proposals: Bargains = msgspec.field(default_factory=Desk)


def options_of(options: Mapping[str, Any]) -> Options:
    """Parse options. Raises NotUnderstood for unknown ones."""
    known = {*FLAGS, "battle_die", "rounds", "own", "data"}
    if strange := options.keys() - known:
        raise NotUnderstood(say("fief.option", option=min(strange)[:40], known=sorted(known)))
    own = str(options.get("own", ""))
    lore = lore_of(own)
    refuse_if(options.get("data") not in (None, data_hash(own)), "fief.data_not_at_hand")
    die, rounds = options.get("battle_die", "found"), options.get("rounds", 0)
    refuse_if(die not in lore.dice, "fief.no_such_die", die=str(die)[:40], dice=list(lore.dice))
    refuse_if(not isinstance(rounds, int) or not 0 <= rounds <= LONGEST, "fief.rounds", most=LONGEST)
    return Options(**{flag: options.get(flag) is True for flag in FLAGS}, battle_die=str(die), rounds=rounds, own=own)


def empty_table(seats: Sequence[Seat], chance: Chance, options: Options) -> FiefTable:
    """FF-SET-2: families and villages without cards."""
    start, per = options.lore.start, options.lore.per_player
    markers = 0 if options.open_diplomacy else per["diplomacy"]
    families = {s: Family(s, start["deniers"], [], markers) for s in seats}
    return FiefTable(list(seats), chance, options, families, villages={id: Village(id) for id in options.lore.sites})


def fresh_table(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None) -> FiefTable:
    """FF-SET-1, 2, 6; random relics on principal villages (FF-OPT-1)."""
    refuse_if(not LEAST <= len(seats) <= MOST, "fief.seats", n=len(seats), least=LEAST, most=MOST)
    table = empty_table(seats, chance, options_of(options))
    lore = table.lore
    table.lords_deck, table.fortune_deck = sorted(lore.lords_deck()), sorted(lore.fortune_deck())
    table.rulings = begun(RULINGS, ruled)
    chance.shuffle(table.lords_deck, "lords-deck")
    chance.shuffle(table.fortune_deck, "fortune-deck")
    if table.options.holy_relics:
        relics = sorted(lore.relics)
        chance.shuffle(relics, "relics")
        for relic, see in zip(relics, lore.sees.values(), strict=True):
            table.villages[see.principal].relics += (relic,)
    return table


class SetUp(Procedure):
    """FF-SET-3 to 5: first Lords, then villages in turn order."""

    lords: dict[Seat, str] = {}

    def begin(self, table: Table) -> Next:
        return "purses"

    def who_purses(self, table: Table) -> list[Seat]:
        """D-SET-0: purses are hidden if all agree; asked concurrently."""
        return list(table.seats) if table.options.hidden_deniers else []

    def ask_purses(self, _table: Table, seat: Seat) -> Ask:
        return yes_no(seat, "purses", "D-SET-0")

    def take_purses(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if answers:
            agreed = all(answer.option == "yes" for answer in answers.values())
            table.options = msgspec.structs.replace(table.options, hidden_deniers=agreed)
            table.tell("purses", hidden=agreed, against=[s for s in table.seats if s in answers and answers[s].option != "yes"])
        return "lots"

    def lots(self, table: Table) -> Next:
        """Draw the first player and first Lords (FF-SET-1, 3)."""
        table.first = table.seats[table.chance.below(len(table.seats), "first-player")]
        table.tell("first_player", seat=table.first)
        for seat in table.in_order():
            while table.lore.kinds[table.lords_deck[-1]].kind == "opportunity":
                table.tell("special_back", seat=seat, card=table.lords_deck[-1])
                table.chance.shuffle(table.lords_deck, "lords-deck")
            self.lords[seat] = table.lords_deck.pop()
            table.tell("first_lord", seat=seat, lord=self.lords[seat])
        return "village"

    def who_village(self, table: Table) -> list[Seat]:
        return [s for s in table.in_order() if s in self.lords][:1]

    def ask_village(self, table: Table, seat: Seat) -> Ask:
        """D-SET-1: any village without a start; by default a principal one: Blaye, Tournus, St Gérôme, Bourg, Sigy."""
        free = [v.id for v in table.villages.values() if not v.controller]
        principal = sorted((see.principal for see in table.lore.sees.values()), key=table.see_of)
        by_house = next(v for v in (*principal, *free) if v in free)
        option = Option("found", (PickOne("at", choices(free)),))
        return Ask(seat, "village", (option,), Answer("found", {"at": by_house}), "D-SET-1", {"lord": self.lords[seat]})

    def take_village(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            self._found(table, seat, answer.pick("at"))
        return "village" if self.lords else "done"

    def _found(self, table: Table, seat: Seat, at: Place) -> None:
        start, lord = table.lore.start, self.lords.pop(seat)
        table.lords[lord] = Person(lord, seat, at, female=table.lore.people[lord].female)
        table.put(seat, at, Group(maa=start["men_at_arms"], knights=start["knights"]))
        table.villages[at].walls = "stronghold" if start["strongholds"] else ""
        table.tell("founded", seat=seat, village=at, lord=lord)
        arrive(table, seat, at)
        settle(table)

    done = ended
