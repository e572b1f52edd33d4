"""Uprisings (chapter UPR)."""

from __future__ import annotations

from typing import ClassVar

from engine.core.asks import Answer, Ask, Cell, Number, Option, PickOne, Seat, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure, ended
from engine.fief.rules.court.deaths import Deaths
from engine.fief.rules.realm.control import Settling
from engine.fief.rules.realm.pieces import PASSAGE, UPRISING
from engine.fief.rules.realm.table import Person, Place, Table, Tax
from engine.fief.rules.war.forces import PENALTY, sets

CALM = 4
"""Highest roll that stops a card (FF-UPR-9)."""
PRICE = 3


def open_to(table: Table, seat: Seat) -> list[Place]:
    """Villages that are starving, or taxed by another (FF-UPR-1, 2)."""
    return [v for v in table.villages if table.starving(v) or any(t.seat != seat for t in taxes_on(table, v))]


def taxes_on(table: Table, place: Place) -> list[Tax]:
    fief, see = table.land_of(place).id, table.see_of(place)
    return [tax for tax in table.taxes if tax.fief == fief or see in tax.sees]


def _lost(seat: Seat, answer: Answer) -> tuple[int, int]:
    return answer.number(f"maa_{seat}"), answer.number(f"knights_{seat}")


class Uprising(Procedure):
    """An Uprising: cards, calming, attack (FF-UPR-3)."""

    freezes: ClassVar[bool] = True

    at: Place = ""
    by: Seat = ""
    cards: int = 0
    passage: bool = False
    order: list[Seat] = []
    """Armies attacked, in the first player's order (FF-UPR-5)."""
    card: int = 0
    stopped: int = 0
    tried: list[str] = []
    hits: int = 0
    faces: list[int] = []
    walled: bool = False
    """Rolled without the wall penalty: hits never spill into walls."""
    seat: Seat = ""

    def begin(self, table: Table) -> Next:
        table.tell("uprising", seat=self.by, village=self.at, n=self.cards, passage=self.passage)
        return "join"

    # (b) others add cards

    def who_join(self, table: Table) -> list[Seat]:
        """D-UPR-2: others with a grey back, with hidden answers."""
        return [s for s in table.others(self.by) if table.grey(s)]

    def ask_join(self, table: Table, seat: Seat) -> Ask:
        hand = table.families[seat].hand
        fields: list[Number | PickOne] = []
        if UPRISING in hand and self.at in open_to(table, seat):
            fields.append(Number("cards", 0, hand.count(UPRISING)))
        if PASSAGE in hand and self._walls(table) and not self.passage:
            fields.append(PickOne("passage", choices([PASSAGE]), optional=True))
        options = [Option("join", tuple(fields))] if fields else []
        return Ask(seat, "join", (*options, Option("none")), Answer("none"), "D-UPR-2", {"at": self.at, "by": self.by})

    def take_join(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat in table.in_order():
            if seat not in answers or answers[seat].option != "join":
                continue
            n = answers[seat].number("cards")
            for _ in range(n):
                table.spend(seat, UPRISING)
            self.cards += n
            passage = bool(answers[seat].pick("passage")) and not self.passage
            if passage:
                table.spend(seat, PASSAGE)
                self.passage = True
            if n or passage:
                table.tell("uprising_joined", seat=seat, village=self.at, n=n, passage=passage)
        return "next_card"

    def next_card(self, table: Table) -> Next:
        while self.card < self.cards and not self._calmers(table):
            self.card += 1
            self.tried = []
        return "calm" if self.card < self.cards else "attack"

    def _walls(self, table: Table) -> int:
        return PENALTY.get(table.villages[self.at].walls, 0)

    # (c) calming

    def _calmers(self, table: Table) -> list[Person]:
        """The Bishop, then free Cardinals who can pay, in turn order (FF-UPR-9)."""
        see = table.see_of(self.at)
        bishop = [p for p in table.lords.values() if p.free and p.bishop == see]
        order = table.in_order()
        hats = sorted((p for p in table.lords.values() if p.free and p.cardinal), key=lambda p: (order.index(p.seat), p.id))
        hidden = table.options.hidden_deniers  # ask all, to hide who can pay (FF-ASY-3)
        able = [p for p in hats if p not in bishop and (hidden or table.families[p.seat].deniers >= PRICE)]
        return [p for p in bishop + able if p.id not in self.tried]

    def who_calm(self, table: Table) -> list[Seat]:
        return [p.seat for p in self._calmers(table)[:1]]

    def ask_calm(self, table: Table, seat: Seat) -> Ask:
        """D-UPR-3: a Cardinal in his own Bishopric has both ways."""
        calmer = self._calmers(table)[0]
        options = [Option("bishop")] if calmer.bishop == table.see_of(self.at) else []
        if calmer.cardinal and table.families[seat].deniers >= PRICE:
            options.append(Option("cardinal"))
        about: dict[str, Cell] = {"at": self.at, "lord": calmer.id, "card": self.card + 1, "cards": self.cards}
        return Ask(seat, "calm", (*options, Option("none")), Answer("none"), "D-UPR-3", about)

    def take_calm(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            calmer = self._calmers(table)[0]
            self.tried.append(calmer.id)
            if answer.option == "none":
                return "next_card"
            if answer.option == "cardinal":
                table.pay(seat, PRICE)
            roll = table.roll("calm")
            table.tell("calming", seat=seat, lord=calmer.id, way=answer.option, roll=roll, village=self.at)
            if roll <= CALM:
                self.cards -= 1
                self.tried = []
                table.tell("calmed", village=self.at, n=self.cards)
            elif answer.option == "bishop":
                return Call(Deaths(dying=[calmer.id], cause="stoning"), "next_card")
        return "next_card"

    # (d) the attack

    def _targets(self, table: Table) -> list[Seat]:
        there = [s for s in table.in_order() if table.has_troops(s, self.at)]
        return [s for s in self.order if s in there] + [s for s in there if s not in self.order]

    def _behind(self, table: Table, seat: Seat) -> bool:
        """The controller's Troops, or an ally's inside (FF-UPR-5)."""
        village = table.villages[self.at]
        if not village.walls or self.passage:
            return False
        within = any(g.road == "" and g.count for g in village.troops.get(seat, []))
        return seat == village.controller or (within and seat == table.ally(village.controller))

    def attack(self, table: Table) -> Next:
        if not self.cards:
            table.tell("uprising_over", village=self.at, how="calmed")
            return Done()
        targets = self._targets(table)
        if not targets:
            return "fall"
        self.walled = self._behind(table, targets[0])
        dice = max(0, self.cards - (self._walls(table) if self.walled else 0))
        self.faces = table.battle_dice(dice, "uprising")
        self.hits = sum(self.faces) + dice
        table.tell("uprising_roll", village=self.at, faces=self.faces, hits=self.hits)
        if not dice:
            table.tell("uprising_over", village=self.at, how="failed")
            return Done()
        return "next"

    def next(self, table: Table) -> Next:
        """Spill hits to the next army; into walls only with the penalty."""
        targets = self._targets(table)
        if not targets:
            return "fall"
        if not self.hits or (self._behind(table, targets[0]) and not self.walled):
            table.tell("uprising_over", village=self.at, how="held")
            return Call(Settling(), "done")
        self.seat = targets[0]
        return "uprising_losses"

    def who_uprising_losses(self, table: Table) -> list[Seat]:
        """D-UPR-4; in the Fog of War also without a choice."""
        maa, knights = table.troops(self.seat, self.at)
        choice = len(sets(maa, knights, self.hits)) > 1 or (table.options.fog_of_war and self.hits < maa + 3 * knights)
        return [self.seat] if choice else []

    def ask_uprising_losses(self, table: Table, seat: Seat) -> Ask:
        held = table.troops(seat, self.at)
        possible = sets(*held, self.hits)
        usual = {f"{kind}_{seat}": n for kind, n in zip(("maa", "knights"), possible[0], strict=True)}
        fields = tuple(Number(name, 0, most, usual[name]) for name, most in zip(usual, held, strict=True) if most)
        default = Answer("lose", {f.name: usual[f.name] for f in fields})
        about: dict[str, Cell] = {"hits": self.hits, "at": self.at, "sets": [f"{m}+{k}" for m, k in possible]}
        return Ask(seat, "uprising_losses", (Option("lose", fields),), default, "D-UPR-4", about)

    def vet_uprising_losses(self, table: Table, seat: Seat, answer: Answer) -> None:
        possible = sets(*table.troops(seat, self.at), self.hits)
        illegal_if(_lost(seat, answer) not in possible, "fief.losses", n=self.hits, sets=[f"{m}+{k}" for m, k in possible])

    def take_uprising_losses(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        maa, knights = sets(*table.troops(self.seat, self.at), self.hits)[0]
        for seat, answer in answers.items():
            maa, knights = _lost(seat, answer)
        table.lose(self.seat, self.at, maa, knights)
        table.tell("losses", seat=self.seat, village=self.at, maa=maa, knights=knights)
        self.hits = 0 if table.has_troops(self.seat, self.at) else self.hits - maa - 3 * knights
        return "next"

    def fall(self, table: Table) -> Next:
        """Lords die, Mills and Stronghold burn; a City stays (FF-UPR-7, 8)."""
        village = table.villages[self.at]
        burns = "_".join(["mills"] * bool(village.mills) + ["stronghold"] * (village.walls == "stronghold"))
        village.mills = 0
        if village.walls == "stronghold":
            village.walls = ""
        table.tell("uprising_over", village=self.at, how="fallen", burns=burns)
        return Call(Deaths(dying=[p.id for p in table.at(self.at)], cause="uprising"), "done")

    done = ended
