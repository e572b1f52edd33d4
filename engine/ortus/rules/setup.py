"""Setup and Rounds (rules 6, 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from engine.core.asks import Answer, Ask, Cell, Choice, Number, Option, PickSome, Seat
from engine.core.chance import Chance
from engine.core.procedure import Call, Done, Next, Procedure
from engine.core.rulings import Ruled, begun
from engine.ortus.rules import roles
from engine.ortus.rules.orderings import clockwise
from engine.ortus.rules.pieces import COPIES, KINDS, LORE, RULINGS, army_deck, card_of, cards, full_joust_deck
from engine.ortus.rules.reckoning import last_round, reckon
from engine.ortus.rules.table import Earl, Table
from engine.ortus.rules.turn import Turn
from engine.ortus.rules.vikings import VikingTurn


def fresh_table(
    seats: Sequence[Seat], chance: Chance, ruled: Ruled | None = None, options: Mapping[str, Any] | None = None
) -> Table:
    """A table with shuffled decks, markers (OR-SET-5, 6), roles. Raises NotUnderstood for unknown rulings or options."""
    earls = {s: Earl(s) for s in seats}
    table = Table(len(seats), earls, seats=list(seats), chance=chance, rulings=begun(RULINGS, ruled))
    for pile, name, start in (
        (table.army, "army-deck", army_deck(len(seats))),
        (table.vikings, "viking-deck", cards(LORE["viking_deck"])),
        (table.battle, "battle-deck", cards(LORE["battle_deck"])),
    ):
        pile.deck = sorted(start)
        chance.shuffle(pile.deck, name)
    table.joust = full_joust_deck()
    table.roles, given = roles.given_out(options or {}, seats, chance)
    for seat, role in given.items():
        roles.take(table.earls[seat], role)
    for seat, points in roles.opening_points(options or {}, seats).items():
        table.earls[seat].legacy = points
    return table


@lru_cache(maxsize=8)
def deck_of(size: int) -> Option:
    return Option("deck", (PickSome("cards", tuple(Choice(k, COPIES) for k in KINDS), size, size),))


class Muster(Procedure):
    """Secret decks, then a random starting Earl (OR-SET-2 to 9).

    With roles: start, roles, decks (OR-ROLE-2).
    """

    def begin(self, table: Table) -> Next:
        if not table.roles:
            return "deck"
        self._draw_start(table)
        table.tell("start_drawn", seat=table.start)
        for seat in clockwise(table.seats, table.start):
            if table.earls[seat].role:
                table.tell("role", seat=seat, role=table.earls[seat].role)
        return "role"

    @staticmethod
    def _draw_start(table: Table) -> None:
        table.start = table.seats[table.chance.below(table.n, "starting-earl")]

    def who_role(self, table: Table) -> list[Seat]:
        return [s for s in clockwise(table.seats, table.start) if not table.earls[s].role][:1]

    def ask_role(self, table: Table, seat: Seat) -> Ask:
        """D-01: in turn from the starting Earl."""
        contested = roles.contests(table, table.earls[seat])
        able = [*roles.free_roles(table), *(option for option, role in roles.CONTESTS.items() if role in contested)]
        return Ask(seat, "role", tuple(Option(one) for one in able), Answer("earl"), "D-01")

    def take_role(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            if answer.option in roles.CONTESTS:
                return Call(Contest(role=roles.CONTESTS[answer.option], challenger=seat), "role")
            roles.take(table.earls[seat], answer.option)
            table.tell("role", seat=seat, role=answer.option)
        if self.who_role(table):
            return "role"
        roles.begin(table)
        return "deck"

    def who_deck(self, table: Table) -> list[Seat]:
        return table.seats

    def ask_deck(self, table: Table, seat: Seat) -> Ask:
        role = table.earls[seat].role
        size, fallback = roles.sizes(role)["deck"], roles.sizes(role)["fallback"]
        default = Answer("deck", {"cards": cards({k: fallback[k] for k in KINDS if k in fallback})})
        return Ask(seat, "deck", (deck_of(size),), default, "D-02", {"size": size, "role": role} if role else {})

    def take_deck(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat in table.seats:
            earl = table.earls[seat]
            earl.deck = sorted(card_of(k, seat) for k in answers[seat].some("cards"))
            table.chance.shuffle(earl.deck, f"earl-deck-{seat}")
            earl.found(card_of("Palace", seat))
            earl.cubes = 1
        if table.roles:
            table.tell("mustered", seat=table.start)
        else:
            self._draw_start(table)
            table.tell("started", seat=table.start)
        for earl in table.earls.values():
            count = roles.sizes(earl.role)["hand"]
            earl.hand = [earl.deck.pop() for _ in range(count)]
            table.tell("dealt_own", only=(earl.seat,), seat=earl.seat, cards=sorted(earl.hand))
            if table.roles:
                table.tell("dealt_role", but=(earl.seat,), seat=earl.seat, count=count)
        if not table.roles:
            table.tell("dealt", but=tuple(table.seats), count=count)
        return Call(Campaign(), "begin")


class Contest(Procedure):
    """Hidden bids of Legacy points (OR-ROLE-42)."""

    role: str = ""
    challenger: Seat = ""

    def begin(self, table: Table) -> Next:
        table.tell("contest", seat=self.challenger, role=self.role, target=self._rivals(table)[1].seat)
        return "bid"

    def _rivals(self, table: Table) -> tuple[Earl, Earl]:
        held = roles.holder(table, self.role)
        assert held is not None
        return table.earls[self.challenger], held

    def who_bid(self, table: Table) -> list[Seat]:
        # Without points the bid is publicly 0.
        return [e.seat for e in self._rivals(table) if e.legacy]

    def ask_bid(self, table: Table, seat: Seat) -> Ask:
        challenger, held = self._rivals(table)
        left = table.earls[seat].legacy
        rival = held if seat == challenger.seat else challenger
        about: dict[str, Cell] = {"role": self.role, "rival": rival.seat, "left": left, "holder": held.seat}
        points = Number("points", 0, left)
        return Ask(seat, "bid", (Option("bid", (points,)),), Answer("bid", {"points": 0}), "D-03", about)

    def take_bid(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        bids = {e.seat: answers[e.seat].number("points") if e.seat in answers else 0 for e in self._rivals(table)}
        roles.settle(table, self.role, table.earls[self.challenger], bids)
        return Done()


class Campaign(Procedure):
    """Rounds of all Turns, then the Vikings' (OR-TURN-1)."""

    at: int = 0

    def begin(self, table: Table) -> Next:
        table.round += 1
        self.at = 0
        table.tell("round", number=table.round)
        if table.round == last_round(table):
            table.tell("last_round")
        return "next"

    def next(self, table: Table) -> Next:
        seats = table.seats
        first = seats.index(table.start)
        while self.at < len(seats):
            seat = seats[(first + self.at) % len(seats)]
            self.at += 1
            if table.earls[seat].alive:
                return Call(Turn(seat=seat), "next")
        return Call(VikingTurn(), "close")

    def close(self, table: Table) -> Next:
        """Next round, or the agreed end (OR-HOUSE-1)."""
        if table.round == last_round(table):
            reckon(table)
            return Done()
        return "begin"
