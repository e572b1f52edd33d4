"""Step 1a: marriages (chapter MAR); in a bargain: `engine.fief.rules.diplomacy`."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, ClassVar

import msgspec

from engine.core import offers
from engine.core.asks import Answer, Ask, Fields, NotLegal, Option, PickOne, Rows, Seat, Shared, choices, illegal_if
from engine.core.procedure import Again, Done, Next, Procedure
from engine.fief.rules.realm.table import Lord, Person, Table
from engine.fief.rules.realm.titles import wed
from engine.language.words import say

SUITS = 6
"""Most proposals per answer."""


def eligible(table: Table) -> list[Person]:
    """FF-MAR-1, 2: unmarried; a man without Church title, or a Lady but d'Arc; one marriage per player."""
    wed = {p.seat for p in table.lords.values() if p.spouse}
    free = [p for p in table.lords.values() if p.seat not in wed] if wed else table.lords.values()
    return [p for p in free if not (p.d_arc if p.female else p.bishop or p.cardinal or p.pope)]


def fit(table: Table, one: Person, other: Person) -> bool:
    able = eligible(table) if one.seat != other.seat and one.female != other.female else ()
    return one in able and other in able


def refuse_unfit(table: Table, one: Person, other: Person) -> None:
    """Raises NotLegal with the reason."""
    for p in (one, other):
        illegal_if(table.spouses(p.seat), "fief.has_marriage", seat=p.seat)
        illegal_if(p.d_arc, "fief.d_arc_never", lord=p.id)
        illegal_if(not p.female and p.churchman, "fief.churchman", lord=p.id)
    illegal_if(one.seat == other.seat, "fief.own_family", lord=one.id, other=other.id)
    illegal_if(one.female == other.female, "fief.man_and_lady")


def _matches(able: list[Person], taken: Set[tuple[Lord, Lord]], seat: Seat) -> dict[Lord, list[Lord]]:
    found: dict[Lord, list[Lord]] = {}
    for own in able:
        if own.seat == seat:
            others = [p.id for p in able if p.female != own.female and p.seat != seat and (own.id, p.id) not in taken]
            if others:
                found[own.id] = others
    return found


def _has_match(able: list[Person], taken: Set[tuple[Lord, Lord]], seat: Seat) -> bool:
    """Whether `_matches` finds any; faster."""
    for own in able:
        if own.seat == seat:
            for p in able:
                if p.female != own.female and p.seat != seat and (own.id, p.id) not in taken:
                    return True
    return False


class Suit(msgspec.Struct):
    lord: Lord
    other: Lord


class Courtship(Procedure):
    """D-MAR-1 and 2: concurrent proposals, in order of arrival (FF-MAR-3, FF-AMB-7).

    A seat is asked again after a proposal to it, or when all its own failed.
    """

    each: ClassVar[frozenset[str]] = frozenset({"court"})

    left: list[Seat] = []
    suits: list[Suit] = []
    declined: list[tuple[Lord, Lord]] = []

    def begin(self, table: Table) -> Next:
        self.left = table.in_order()
        return "court"

    def _matches(self, table: Table, seat: Seat) -> dict[Lord, list[Lord]]:
        return _matches(eligible(table), self._taken(), seat)

    def _taken(self) -> set[tuple[Lord, Lord]]:
        if not self.suits and not self.declined:
            return set()
        open_ = {(s.lord, s.other) for s in self.suits}
        declined = {*self.declined}
        return open_ | declined | {(b, a) for a, b in open_ - declined}

    def _heard(self, table: Table) -> list[Seat]:
        able, taken = eligible(table), self._taken()
        before = {table.lords[s.other].seat for s in self._standing(table)}
        return [s for s in self.left if s in before or _has_match(able, taken, s)]

    def _to(self, table: Table, seat: Seat) -> list[Suit]:
        return [s for s in self._standing(table) if table.lords[s.other].seat == seat]

    def _suits(self, table: Table, seat: Seat) -> Fields:
        matches = self._matches(table, seat)
        others = choices(dict.fromkeys([other for found in matches.values() for other in found]))
        row = (PickOne("lord", choices(matches)), PickOne("other", others))
        return (Rows("suits", row, 1, min(SUITS, len(others)), (), (Shared(("other",), others),)),)

    def who_court(self, table: Table) -> list[Seat]:
        """Seats still to answer, and those offered a marriage in public (FF-MAR-3)."""
        asked = {*self._heard(table), *(s for p in self._weddings(table) for s in p.to)}
        return [s for s in table.in_order() if s in asked]

    def ask_court(self, table: Table, seat: Seat) -> Ask:
        before = self._to(table, seat)
        over = self._over(table, seat, before)
        options = [Option(over)]
        suits = [f"{s.lord}+{s.other}" for s in before]
        if suits:
            options = [Option(what, (PickOne("suit", choices(suits)),)) for what in ("accept", "decline")] + options
        if _has_match(eligible(table), self._taken(), seat):
            options.insert(-1, Option("propose", lambda: self._suits(table, seat)))
        by = {f"{s.lord}+{s.other}": table.lords[s.lord].seat for s in before}
        return Ask(seat, "court", tuple(options), Answer(over), "D-MAR-1", {"suits": suits, "suitors": by})

    def vet_court(self, table: Table, seat: Seat, answer: Answer) -> None:
        matches = self._matches(table, seat) if answer.option == "propose" else {}
        for row in answer.rows("suits"):
            lord, other = row.pick("lord"), row.pick("other")
            if other not in matches.get(lord, ()):
                refuse_unfit(table, table.lords[lord], table.lords[other])
                raise NotLegal(say("fief.suit_made", lord=lord, other=other))

    def explain_court(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option in ("pass", "refuse") and answer.option != self._over(table, seat, self._to(table, seat)):
            raise NotLegal(say(f"fief.no_{answer.option}"))
        value = answer.values.get("suits")
        for row in value if isinstance(value, list) else ():
            pair = (table.lords.get(str(row.get(name))) for name in ("lord", "other")) if isinstance(row, dict) else ()
            known = [p for p in pair if p is not None]
            if len(known) == 2 and known[0].seat == seat:
                refuse_unfit(table, known[0], known[1])

    def take_court(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        again: set[Seat] = set()
        self.suits = self._standing(table)
        for seat, answer in answers.items():
            if seat in self.left:
                self.left.remove(seat)
            if answer.option == "propose":
                again |= self._propose(table, seat, answer)
            elif answer.option == "accept":
                lord, _, other = answer.pick("suit").partition("+")
                wed(table, table.lords[lord], table.lords[other])
                self.suits = self._standing(table)
            elif answer.option == "decline":
                lord, _, other = answer.pick("suit").partition("+")
                again |= {seat} | self._decline(table, [s for s in self.suits if (s.lord, s.other) == (lord, other)])
            else:
                again |= self._decline(table, [s for s in self.suits if table.lords[s.other].seat == seat])
                for wedding in self._weddings_of(table, seat):
                    offers.drop(table, wedding.number, "passed")
        if not answers:
            self.suits = []
            return Done()
        before = list(self.left)
        self.left = [s for s in table.in_order() if s in self.left or s in again]
        heard = self._heard(table)
        if heard != self.left:
            self.left = heard
            return "reopen"
        fresh = tuple(s for s in self.left if s not in before)
        return Again(fresh) if fresh else "court"

    def _over(self, table: Table, seat: Seat, before: list[Suit]) -> str:
        """Declines everything. Its id isn't passing: a pass sent before a proposal declines nothing (FF-MAR-3)."""
        if table.ruled("FF-MAR-3") == "declines" or not (before or self._weddings_of(table, seat)):
            return "pass"
        return "refuse"

    def _weddings(self, table: Table) -> list[Any]:
        return [
            p for p in table.proposals.open if p.kind == "exchange" and p.lord and p.to and self._fit(table, p.lord, p.other)
        ]

    def _weddings_of(self, table: Table, seat: Seat) -> list[Any]:
        return [p for p in self._weddings(table) if seat in p.to]

    @staticmethod
    def _fit(table: Table, lord: Lord, other: Lord) -> bool:
        return lord in table.lords and other in table.lords and fit(table, table.lords[lord], table.lords[other])

    def _standing(self, table: Table) -> list[Suit]:
        """Acceptable proposals; illegal ones lapse (FF-MAR-3)."""
        return [s for s in self.suits if self._fit(table, s.lord, s.other)]

    def reopen(self, table: Table) -> Next:
        """Ask again, since somebody asked can't marry any more."""
        return "court"

    def _propose(self, table: Table, seat: Seat, answer: Answer) -> set[Seat]:
        asked = set()
        for row in answer.rows("suits"):
            suit = Suit(row.pick("lord"), row.pick("other"))
            self.suits.append(suit)
            asked.add(table.lords[suit.other].seat)
            table.tell("proposed", seat=seat, lord=suit.lord, other=suit.other, to=table.lords[suit.other].seat)
        return asked

    def _decline(self, table: Table, suits: list[Suit]) -> set[Seat]:
        suitors = set()
        for suit in suits:
            self.suits.remove(suit)
            self.declined.append((suit.lord, suit.other))
            by = table.lords[suit.lord].seat
            suitors.add(by)
            table.tell("declined", seat=table.lords[suit.other].seat, lord=suit.lord, other=suit.other, by=by)
        waiting = {table.lords[s.lord].seat for s in self.suits}
        able, taken = eligible(table), self._taken()
        return {s for s in suitors if s not in waiting and _has_match(able, taken, s)}
