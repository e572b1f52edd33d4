"""Jousts (rules 8.10)."""

from __future__ import annotations

import msgspec

from engine.core.asks import About, Answer, Ask, Fields, Option, PickOne, Seat, choices
from engine.core.procedure import Done, Next, Procedure
from engine.ortus.rules import roles
from engine.ortus.rules.orderings import ask_where, attach, clockwise, holding_to_give
from engine.ortus.rules.pieces import Card, at, full_joust_deck, kind, lord_id, parse
from engine.ortus.rules.removal import remove_if_landless
from engine.ortus.rules.table import Earl, Lists, Table, discard, discard_all, hand_over, holdings, lying, tell_lost

RANKS = {(3, 0): 9, (0, 3): 8, (2, 1): 7, (2, 0): 6, (1, 2): 5, (0, 2): 4, (1, 1): 3, (1, 0): 2, (0, 1): 1, (0, 0): 0}
"""(Princes, Vassals) -> rank of a Joust Hand (OR-JOU-9)."""
SUDDEN = {"NoLuck": 0, "JoustVassal": 1, "JoustPrince": 2}
"""Rank of single cards in sudden death (OR-JOU-10)."""


def rank(tilter: str, dealt: list[str]) -> int:
    """Rank with two Joust cards; a Champion counts as the better kind (OR-JOU-9)."""
    princes = dealt.count("JoustPrince") + (tilter == "Prince")
    vassals = dealt.count("JoustVassal") + (tilter == "Vassal")
    if tilter == "Champion":
        return max(RANKS[princes + 1, vassals], RANKS[princes, vassals + 1])
    return RANKS[princes, vassals]


class Entry(msgspec.Struct):
    ante: str = ""
    """Holding id; '' if opted out or aside."""
    lord: int = 0
    card: Card = ""
    """Tilting Hand card, face down until the Joust begins."""

    @property
    def tilts(self) -> bool:
        return bool(self.lord or self.card)


class Joust(Procedure):
    starter: Seat = ""
    banners: list[Card] = []
    entries: dict[Seat, Entry] = {}
    begun: bool = False
    tied: list[Seat] = []
    winner: Seat = ""
    prizes: list[Card] = []

    def held(self) -> list[Card]:
        """Cards in no other zone."""
        return [*self.banners, *self.prizes, *(e.card for e in self.entries.values() if e.card)]

    def begin(self, table: Table) -> Next:
        table.tell("joust", seat=self.starter)
        self.entries = {}
        return "enter"

    def order(self, table: Table) -> list[Seat]:
        seats = clockwise(table.seats, self.starter)
        return [s for s in (*seats[1:], seats[0]) if table.earls[s].alive]

    # entries (OR-JOU-1 to 5)

    def who_enter(self, table: Table) -> list[Seat]:
        """Seats in turn, or by ruling all at once, hidden (OR-JOU-1, OR-AMB-99)."""
        left = [s for s in self.order(table) if s not in self.entries]
        return left if table.ruled("OR-AMB-99") == "together" else left[:1]

    def ask_enter(self, table: Table, seat: Seat) -> Ask:
        """D-60: opt out, ante, ante and tilt, or stand aside."""
        earl = table.earls[seat]
        exempt = is_exempt(earl)
        options = [Option("stand_aside")] if exempt else []
        if earl.in_hand("Banner"):
            options.append(Option("opt_out", roles.which(earl, "Banner")))
        ante = PickOne("ante", choices(sorted(set(holdings(earl)))))
        options.append(Option("ante", (ante,)))

        def tilt() -> Fields:
            lords = [lord_id(f.number) for f in earl.fiefs if f.lord is not None]
            return (ante, PickOne("tilter", choices([*lords, *(at("hand", c) for c in sorted(set(earl.hand)))])))

        if earl.hand or any(f.lord is not None for f in earl.fiefs):
            options.append(Option("tilt", tilt))

        def about() -> About:
            return {"starter": self.starter, "exempt": int(exempt), "lies": lying(table)}

        default = Answer("stand_aside") if exempt else Answer("ante", {"ante": holding_to_give(earl)})
        return Ask(seat, "enter", tuple(options), default, "D-60", about)

    def take_enter(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat in self.order(table):
            if seat in answers:
                self._enter(table, table.earls[seat], answers[seat])
        return "enter" if self.who_enter(table) else "judge"

    def _enter(self, table: Table, earl: Earl, answer: Answer) -> None:
        entry = self.entries[earl.seat] = Entry()
        if answer.option == "stand_aside":
            table.tell("stood_aside", seat=earl.seat)
            return
        if answer.option == "opt_out":
            banner = answer.pick("card") or earl.in_hand("Banner")
            assert banner is not None
            earl.hand.remove(banner)
            self.banners.append(banner)
            table.tell("opted_out", seat=earl.seat)
            return
        entry.ante = answer.pick("ante")
        tilter, ante = parse(answer.pick("tilter")), parse(entry.ante)
        how = tilter.where or "nobody"
        if how == "lord":
            entry.lord = tilter.number
        elif how == "hand":
            entry.card = tilter.card
            earl.hand.remove(entry.card)
        fief = earl.held_fief(ante.number)
        home = earl.fief(entry.lord)
        lord = home.lord if how == "lord" and home is not None else None
        table.tell("anted", seat=earl.seat, card=ante.card or fief.anchor, fief=fief.number, tilts=how, lord=lord)

    # the tilt (OR-JOU-7 to 11)

    def judge(self, table: Table) -> Next:
        tilters = [s for s in self.order(table) if s in self.entries and self.entries[s].tilts]
        antes = sum(bool(e.ante) for e in self.entries.values())
        alone = len(tilters) == 1 and table.ruled("OR-AMB-93") == "cancelled"
        table.lists = Lists(self.starter, {seat: self._stake(table, seat) for seat in self.entries})
        if not tilters or alone or antes < 2:
            table.tell("joust_cancelled", seat=self.starter)
            for seat, entry in self.entries.items():
                if entry.card:
                    self._withdraw(table, seat, entry.card)
                    entry.card = ""
            return "finish"
        self.begun = True
        table.lists.tilters = {s: self._tilter(table, s) for s in tilters}
        table.tell("tilters", seats=tilters, cards=[self._tilter(table, s) for s in tilters])
        if len(tilters) == 1:
            self.winner = tilters[0]
            return "prize"
        self._shuffle(table)
        hands: dict[Seat, list[str]] = {s: [] for s in tilters}
        for _ in range(2):
            for s in tilters:
                hands[s].append(table.joust.pop())
        table.tell("joust_hands", hands=hands)
        table.lists.tilts.append({s: [*hand] for s, hand in hands.items()})
        ranks = {s: rank(kind(self._tilter(table, s)), hands[s]) for s in tilters}
        best = max(ranks.values())
        self.tied = [s for s in tilters if ranks[s] == best]
        return "sudden_death"

    @staticmethod
    def _withdraw(table: Table, seat: Seat, card: Card) -> None:
        """Return a cancelled Joust's Hand card, or discard it by ruling (OR-AMB-97)."""
        if table.ruled("OR-AMB-97") == "discarded":
            discard(table, card)
            table.tell("tilter_discarded", seat=seat, card=card)
        else:
            table.earls[seat].hand.append(card)

    def _stake(self, table: Table, seat: Seat) -> Card:
        ante = parse(self.entries[seat].ante)
        fief = table.earls[seat].fief(ante.number)
        return ante.card or (fief.anchor if fief is not None else "")

    def _tilter(self, table: Table, seat: Seat) -> Card:
        entry = self.entries[seat]
        fief = table.earls[seat].fief(entry.lord)
        return entry.card or (fief.lord if fief is not None else None) or ""

    @staticmethod
    def _shuffle(table: Table) -> None:
        table.joust = sorted(full_joust_deck())
        table.chance.shuffle(table.joust, "joust-deck")

    def sudden_death(self, table: Table) -> Next:
        """Deal one card per tied Earl until one is left (OR-JOU-10, 11)."""
        while len(self.tied) > 1:
            if len(table.joust) < len(self.tied):
                self._shuffle(table)
            dealt = {s: table.joust.pop() for s in self.tied}
            table.tell("sudden_death", cards=dealt)
            if table.lists is not None:
                table.lists.tilts.append({s: [card] for s, card in dealt.items()})
            best = max(SUDDEN[c] for c in dealt.values())
            self.tied = [s for s in self.tied if SUDDEN[dealt[s]] == best]
        self.winner = self.tied[0]
        return "prize"

    # the end (OR-JOU-12 to 14)

    def prize(self, table: Table) -> Next:
        table.tell("joust_won", seat=self.winner)
        if table.lists is not None:
            table.lists.winner = self.winner
        for seat, entry in self.entries.items():
            earl = table.earls[seat]
            if entry.card:
                discard(table, entry.card)
                entry.card = ""
            fief = earl.fief(entry.lord)
            if fief is not None and fief.lord is not None and seat != self.winner:
                discard(table, fief.lord)
                tell_lost(table, earl, [fief.lord])
                fief.lord = None
        winner = table.earls[self.winner]
        for seat, entry in self.entries.items():
            if not entry.ante or seat == self.winner:
                continue
            loser = table.earls[seat]
            fief = loser.held_fief(parse(entry.ante).number)
            card = parse(entry.ante).card
            if card:
                fief.properties.remove(card)
                self.prizes.append(card)
                table.tell("prize", seat=self.winner, loser=seat, card=card)
            else:
                table.tell("prize", seat=self.winner, loser=seat, card=fief.anchor)
                hand_over(table, loser, fief, winner)
        return "attach"

    def who_attach(self, table: Table) -> list[Seat]:
        return [self.winner] if self.prizes and len(table.earls[self.winner].fiefs) > 1 else []

    def ask_attach(self, table: Table, seat: Seat) -> Ask:
        return ask_where(table.earls[seat], self.prizes, "D-61", lambda: {"starter": self.starter, "lies": lying(table)})

    def take_attach(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        attach(table.earls[self.winner], self.prizes, answers)
        self.prizes = []
        return "finish"

    def finish(self, table: Table) -> Next:
        discard_all(table, self.banners)
        self.banners = []
        for seat in self.order(table):
            remove_if_landless(table, table.earls[seat], self.winner)
        return Done()


def is_exempt(earl: Earl) -> bool:
    """Whether he has one bare Anchor (OR-JOU-3)."""
    return len(earl.fiefs) == 1 and not earl.fiefs[0].properties
