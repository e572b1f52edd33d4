"""Phase 5: movement (chapter MOV)."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import msgspec

from engine.core.asks import Answer, Ask, Cell, Fields, NotLegal, Number, Option, PickOne, PickSome, Rows, Seat, choices, of_row
from engine.core.cloning import clone
from engine.core.procedure import Call, Done, Next, Procedure, yes_no
from engine.core.visibility import Plan
from engine.fief.rules.realm.control import arrive, in_turn_order, settle, settled
from engine.fief.rules.realm.pieces import PASSAGE, lore_of
from engine.fief.rules.realm.table import AFTER, Group, Lord, Person, Place, Table, total
from engine.fief.rules.war import cavalcade
from engine.fief.rules.war.captives import begin_captive, captive_moves, seize
from engine.fief.rules.war.entry import Entry
from engine.fief.rules.war.marching import Led, able, brought, inside, led, may_lead, moves_of, one_army, stand, together
from engine.language.words import say

ROWS = 12
STAY, BACK, RIDE, CHARGE, SLIP, STEAL, ASK = "stay", "back", "ride", "charge", "slip", "steal", "ask"
CONTINGENCIES = (ASK, STAY, BACK, RIDE, CHARGE, SLIP, STEAL)
"""Options if leave is refused; `charge` and `steal` ride or slip without asking (FF-MOV-14)."""


REFUSED_SLYLY = PickOne("refused", choices(CONTINGENCIES), optional=True)
REFUSED = PickOne("refused", choices(way for way in CONTINGENCIES if way not in (SLIP, STEAL)), optional=True)
GUEST = PickOne("guest", choices(("guest", "control")), optional=True)


@lru_cache(maxsize=4096)
def _aims(own: str, places: tuple[Place, ...]) -> tuple[PickOne, PickOne]:
    """Destination fields, cached by map and places."""
    roads = lore_of(own).roads
    near = dict.fromkeys(to for at in places for to in roads[at])
    next_to = dict.fromkeys(to for at in near for to in roads[at])
    return PickOne("to", choices({**near, **next_to})), PickOne("then", choices({**next_to, **near}), optional=True)


class Order(msgspec.Struct):
    lords: list[Lord]
    path: list[Place]
    maa: int = 0
    knights: int = 0
    captives: list[Lord] = []
    refused: str = ASK
    guest: str = ""
    under_way: bool = False
    """It has made a Move: nobody joins, and losses aren't replaced (FF-DIS-6)."""

    def limit(self, maa: int, knights: int) -> None:
        self.maa, self.knights = min(self.maa, maa), min(self.knights, knights)


def order_of(row: Answer) -> Order:
    path = [place for place in (row.pick("to"), row.pick("then"), row.pick("third")) if place]
    return Order(
        row.some("lords"), path, row.number("maa"), row.number("knights"), row.some("captives"), row.pick("refused") or ASK,
        row.pick("guest"),
    )  # fmt: skip


# --- what may move ----------------------------------------------------------------------------------------------------


def check_group(table: Table, seat: Seat, order: Order) -> list[Person]:
    """Lords that can set out together. Raises NotLegal."""
    if not order.lords:
        raise NotLegal(say("fief.no_leader"))
    lords = [table.lords[id] for id in order.lords if id in table.lords]
    if len(lords) < len(order.lords) or any([p.seat != seat or p.captor for p in lords]):
        raise NotLegal(say("fief.no_free_lord", lord=order.lords[0]))
    if apart := [p for p in lords[1:] if not together(table, lords[0], p.at, p.road)]:
        other = apart[0] if one_army(table) else lords[-1]
        raise NotLegal(say("fief.apart", lord=lords[0].id, other=other.id))
    for p in lords:
        if p.halted or p.moves >= moves_of(table, p, order.lords):
            raise NotLegal(say("fief.no_move_left", lord=p.id))
    maa, knights = total(able(table, seat, order.lords))
    if order.maa > maa or order.knights > knights:
        raise NotLegal(say("fief.no_such_troops", village=lords[0].at, maa=maa, knights=knights))
    for id in order.captives:
        _check_captive(table, seat, order, lords, id)
    return lords


def _check_captive(table: Table, seat: Seat, order: Order, lords: list[Person], id: Lord) -> None:
    """Raises NotLegal if a captive can't be led along."""
    captive = table.lords.get(id)
    here = captive is not None and captive.captor == seat and captive.at == lords[0].at
    if captive is None or not here or (one_army(table) and not together(table, lords[0], captive.at, captive.road)):
        raise NotLegal(say("fief.no_captive", lord=id))
    moves = captive_moves(table, captive)
    if moves and not {*captive.escort} & {*order.lords}:
        raise NotLegal(say("fief.relay", lord=id))
    if moves >= min(moves_of(table, p, order.lords) for p in lords):
        raise NotLegal(say("fief.no_move_left", lord=id))


def check_hop(table: Table, seat: Seat, order: Order, to: Place, dry: bool) -> None:
    """Raises NotLegal if a road is closed, leave aside. `dry`: a Secret Passage ignores rain."""
    at = table.lords[order.lords[0]].at
    check_road(table, at, to)
    if not dry and (table.rainy(at) or table.rainy(to)):
        raise NotLegal(say("fief.rain", village=at if table.rainy(at) else to))
    if leaves_troops(table, seat, order, at):
        raise NotLegal(say("fief.troops_left", village=at))


def check_road(table: Table, at: Place, to: Place) -> None:
    if to not in table.lore.roads[at]:
        raise NotLegal(say("fief.no_road", a=at, b=to))


def leaves_troops(table: Table, seat: Seat, order: Order, at: Place) -> bool:
    """FF-MOV-11: Troops brought this phase would stay without a Lord next to an opponent."""
    by_count = not one_army(table) or table.ruled("FF-MOV-11") == "number"
    if not (_parts_by_count if by_count else _parts)(table, seat, order, at):
        return False
    if any(p.id not in order.lords for p in table.free(seat, at)):
        return False
    return any(s != seat and table.occupies(s, at) for s in table.seats)


def _parts(table: Table, seat: Seat, order: Order, at: Place) -> bool:
    """Whether moved Troops stay behind while a Lord who brought them lives (FF-MOV-11)."""
    moved = [g for g in table.villages[at].troops.get(seat, ()) if g.moves and any(id in table.lords for id in g.escort)]
    if not moved:
        return False
    taken = {id(g): maa + knights for g, maa, knights in led(table, seat, order.lords, order.maa, order.knights)}
    return any(g.count > taken.get(id(g), 0) for g in moved)


def _parts_by_count(table: Table, seat: Seat, order: Order, at: Place) -> bool:
    maa, knights = total(brought(table, seat, at, order.lords))
    return maa + knights > order.maa + order.knights or (
        (maa > order.maa or knights > order.knights) and table.ruled("FF-MOV-11") != "number"
    )


# --- leave ------------------------------------------------------------------------------------------------------------


def leave_needed(table: Table, seat: Seat, order: Order) -> list[Seat]:
    """Seats still to give leave for the next road (FF-MOV-7, 9, 10)."""
    lords, to = [table.lords[id] for id in order.lords], order.path[0]
    lord = lords[0]
    if lord.road == to and (not one_army(table) or _stands_on(table, seat, order, to)):
        return []
    village = table.villages[lord.at]
    unbarred = all(p.unbarred for p in lords) and _troops_unbarred(table, seat, order)
    needed = []
    if village.controller not in ("", seat) and table.occupies(village.controller, lord.at) and not unbarred:
        needed.append(village.controller)
    if inside(table, seat, lord):
        needed += table.besiegers(lord.at)
    needed += [s for s in table.others(seat) if any(g.road == to and g.count for g in village.troops.get(s, ()))]
    return [s for s in table.others(seat) if s in needed and (s, seat, lord.at) not in table.grants]


def _stands_on(table: Table, seat: Seat, order: Order, road: Place) -> bool:
    """Whether the whole group, captives included, is on that road, so needs no leave (FF-MOV-7)."""
    roads = {table.lords[id].road for id in order.lords}
    roads.update([table.lords[id].road or road for id in order.captives])
    roads.update([g.road for g, _, _ in led(table, seat, order.lords, order.maa, order.knights, road)])
    return roads == {road}


def _troops_unbarred(table: Table, seat: Seat, order: Order) -> bool:
    """Whether Troops were here when control was ceded: they need no leave (FF-CTL-4)."""
    if one_army(table):
        return all([g.unbarred for g, _, _ in led(table, seat, order.lords, order.maa, order.knights, order.path[0])])
    lord = table.lords[order.lords[0]]
    here = [g for g in table.villages[lord.at].troops.get(seat, []) if g.road == lord.road and g.unbarred]
    return order.maa <= sum([g.maa for g in here]) and order.knights <= sum([g.knights for g in here])


# --- one Move ---------------------------------------------------------------------------------------------------------


def hop(table: Table, seat: Seat, order: Order, to: Place) -> None:
    """Execute a Move with leave given (FF-MOV-2 to 6), without settling control."""
    lords = [table.lords[id] for id in order.lords]
    at = lords[0].at
    groups = led(table, seat, order.lords, order.maa, order.knights, to)
    road_there = stand(table, seat, at, to, order.guest)
    d_arc = any(p.d_arc for p in lords)
    captives = [table.lords[id] for id in order.captives]
    for p in captives:
        begin_captive(table, p)
    for p in (*lords, *captives):
        p.escort = tuple([id for id in p.escort if id in order.lords] if p.moves else order.lords)
        p.at, p.road, p.moves, p.unbarred, p.taken = to, road_there, p.moves + 1, False, ""
        p.company = p.company and d_arc
    _lead(table, seat, order, at, groups, to, road_there)
    order.under_way = True
    arrive(table, seat, to)
    table.tell(
        "moved", seat=seat, lords=order.lords, n=order.maa + order.knights, captives=order.captives, at=at, to=to,
    )  # fmt: skip


def _lead(table: Table, seat: Seat, order: Order, at: Place, groups: Led, to: Place, road_there: str) -> None:
    for group, maa, knights in groups:
        taken = Group(road_there, maa, knights, group.exposed, group.moves + 1)
        taken.escort = tuple([id for id in group.escort if id in order.lords] if group.moves else sorted(order.lords))
        group.maa -= maa
        group.knights -= knights
        table.put(seat, to, taken)
    table.tidy(seat, at)


def _slips(order: Order, cards: int) -> bool:
    """Raises NotLegal without the card."""
    slips = order.refused in (SLIP, STEAL)
    if slips and not cards:
        raise NotLegal(say("fief.no_such_card", card=PASSAGE))
    return slips


class Movement(Procedure):
    """Movement in turn order, in one or more answers (FF-MOV-1, 14, 15)."""

    left: list[Seat] = []
    orders: Plan[list[Order]] = []
    """The first is under way."""
    refusers: list[Seat] = []
    asked: bool = False
    lists: int = 0
    denied: list[tuple[Seat, Place]] = []
    """Refusals to the current player by village; not asked again this round (D-MOV-2)."""
    ending: bool = False
    """Whether the turn ends after this list, if every order of it is carried out (FF-MOV-15)."""

    def known_orders(self, table: Table, reader: Seat | None) -> list[Order]:
        """Public part: Lords, leadable Troops, a requested road."""
        order = next(iter(self.orders), None)
        if order is None or self.step not in ("leave", "refused", "entered"):
            return []
        living = [id for id in order.lords if id in table.lords]  # a card may have killed some meanwhile
        lords = [table.lords[id] for id in living]
        here = [g for p in lords[:1] for g in table.villages[p.at].troops.get(self.seat, []) if g.road == p.road]
        able = [g for g in here if may_lead(table, g, living)]
        known = Order(order.lords, [], *total(able))
        if self.step == "entered" or not order.path or not lords:
            return [known]
        captives = [id for id in order.captives if id in table.lords]
        asked = leave_needed(table, self.seat, msgspec.structs.replace(order, lords=living, captives=captives))
        near = sorted(table.lore.roads[lords[0].at])
        seen = Order(living, [], known.maa, known.knights)
        might = [to for to in near if leave_needed(table, self.seat, msgspec.structs.replace(seen, path=[to])) == asked]
        known.path = order.path[:1] if reader in asked or not might else might[:1]
        return [known]

    begin = in_turn_order

    def next(self, table: Table) -> Next:
        return "movement" if self.left else "done"

    def _able(self, table: Table, seat: Seat) -> list[Person]:
        """Lords with a Move left, if only with d'Arc (FF-MOV-4)."""
        limits = table.limits
        moves, with_her = limits["moves"], limits["moves_d_arc"]
        free = [p for p in table.lords.values() if p.seat == seat and not p.captor and not p.halted and p.moves < with_her]
        leaders = [p for p in free if p.d_arc] if table.ruled("FF-MOV-4") == "led" else []
        return [
            p
            for p in free
            if p.d_arc or p.moves < moves or (p.company and any([together(table, q, p.at, p.road) for q in leaders]))
        ]

    def _rained_in(self, table: Table, seat: Seat) -> bool:
        """Whether Heavy Rain bars every Move, without a Secret Passage (FF-DIS-3, FF-SEC-3)."""
        return PASSAGE not in table.families[seat].hand and all([table.rainy(p.at) for p in self._able(table, seat)])

    def who_movement(self, table: Table) -> list[Seat]:
        return [s for s in self.left[:1] if self._able(table, s)]

    def ask_movement(self, table: Table, seat: Seat) -> Ask:
        """D-MOV-1, with D-MOV-4; without "move" if Heavy Rain bars it all."""
        move = () if self._rained_in(table, seat) else (Option("move", lambda: self._orders(table, seat)),)
        options = (*move, Option("done"))
        return Ask(seat, "movement", options, Answer("done"), "D-MOV-1", {"round": table.round})

    def vet_movement(self, table: Table, seat: Seat, answer: Answer) -> None:
        """Check each Move on a copy after earlier ones, assuming leave and no deaths."""
        if answer.option != "move":
            return
        orders, n = [], 0
        cards = table.families[seat].hand.count(PASSAGE)
        trial, before = table, None
        try:
            for n, row in enumerate(answer.each_row("moves"), 1):  # noqa: B007 - named by the except clause
                order = order_of(row)
                _slips(order, cards)
                for at, to in pairwise(order.path):
                    check_road(table, at, to)
                orders.append(order)
            for n, order in enumerate(orders, 1):  # noqa: B007 - named by the except clause
                dry = _slips(order, cards)
                for to in order.path:
                    if before is not None:
                        trial = clone(table) if trial is table else trial
                        hop(trial, seat, *before)
                        settle(trial)
                    at = check_group(trial, seat, order)[0].at
                    check_hop(trial, seat, order, to, dry)
                    before = order, to
                    if dry and table.ruled("FF-SEC-3") == "one" and (table.rainy(to) or table.rainy(at)):
                        dry, cards = False, cards - 1
        except NotLegal as refusal:
            raise NotLegal(of_row("moves", n, refusal.said)) from None

    def verbs_movement(self, table: Table, seat: Seat) -> list[str]:
        return ["move", "done"]

    def explain_movement(self, table: Table, seat: Seat, answer: Answer) -> None:
        """Explain Heavy Rain, a missing leader and each Lord's first row; later ones start elsewhere. Raises NotLegal."""
        rained_in = answer.option == "move" and self._rained_in(table, seat)
        if answer.option == "move" and not answer.rows("moves"):
            raise NotLegal(say("fief.rained_in" if rained_in else "fief.nobody_moves"))
        seen: set[Lord] = set()
        for n, row in enumerate(answer.each_row("moves"), 1):
            if not row.some("lords"):
                raise NotLegal(of_row("moves", n, say("fief.no_leader")))
            lords = [table.lords[id] for id in row.some("lords") if id in table.lords]
            if not lords or not seen.isdisjoint(row.some("lords")):
                continue
            seen.update(row.some("lords"))
            if held := [p for p in lords if p.seat != seat or p.captor]:
                raise NotLegal(of_row("moves", n, say("fief.no_free_lord", lord=held[0].id)))
            if not row.pick("to"):
                near = list(table.lore.roads[lords[0].at])
                raise NotLegal(of_row("moves", n, say("fief.where_to", lord=lords[0].id, village=lords[0].at, near=near)))
            way = [lords[0].at, *(row.pick(name) for name in ("to", "then", "third") if row.pick(name))]
            for at, to in pairwise(way):
                if to not in table.villages:
                    break
                if to not in table.lore.roads[at]:
                    near = list(table.lore.roads[at])
                    raise NotLegal(of_row("moves", n, say("fief.no_road_there", a=at, b=to, near=near)))
                if rained_in:
                    raise NotLegal(of_row("moves", n, say("fief.rain", village=at)))

    def take_movement(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        answer = next(iter(answers.values()), None)
        if answer is None or answer.option != "move":
            self._end(table)
            return "next"
        self.lists += 1
        self.ending = answer.pick(AFTER.name) == "end"
        self.orders = [order_of(row) for row in answer.rows("moves")]
        return "go"

    def _orders(self, table: Table, seat: Seat) -> Fields:
        able = self._able(table, seat)
        maa, knights = table.placed(seat)  # some join on the way
        captives = [p.id for p in table.captives(seat)]
        row: list[PickOne | PickSome | Number] = [
            PickSome("lords", choices([p.id for p in able]), 1, len(able)),
            Number("maa", 0, maa),
            Number("knights", 0, knights),
            *_aims(table.options.own, tuple([p.at for p in able])),
        ]
        if any([p.d_arc for p in able]):
            row.append(PickOne("third", choices(table.villages), optional=True))
        if captives:
            row.append(PickSome("captives", choices(captives), 0, len(captives)))
        row += [REFUSED_SLYLY if PASSAGE in table.families[seat].hand else REFUSED, GUEST]
        return (Rows("moves", tuple(row), 1, min(ROWS, 3 * len(able))), AFTER)

    def _end(self, table: Table) -> None:
        seat, self.lists, self.denied, self.ending = self.left.pop(0), 0, [], False
        rest(table, [seat])

    # --- carrying out ---

    @property
    def seat(self) -> Seat:
        return self.left[0]

    def _drop(self, why: str, table: Table) -> Next:
        order = self.orders.pop(0)
        self.asked, self.refusers = False, []
        if why:
            self.ending = False
            table.tell("order_dropped", seat=self.seat, lords=order.lords, only=(self.seat,))
        return "go"

    def go(self, table: Table) -> Next:
        if not self.orders:
            if self.ending:
                self._end(table)
            return "next"
        order = self.orders[0]
        if not order.path:
            return self._drop("", table)
        to = order.path[0]
        self._muster(table)
        try:
            lords = check_group(table, self.seat, order)
            wet = table.rainy(lords[0].at) or table.rainy(to)
            card = order.refused in (SLIP, STEAL) and PASSAGE in table.families[self.seat].hand
            check_hop(table, self.seat, order, to, dry=card)
        except NotLegal:
            return self._drop("impossible", table)
        needed = leave_needed(table, self.seat, order)
        if card and (wet or (needed and (order.refused == STEAL or self.refusers))):
            return self._slip(table)
        if not needed:
            return "hop"
        if order.refused == CHARGE and self._may_ride(table, needed):
            return self._ride(table)
        if not self.asked:
            at = lords[0].at
            self.refusers = [s for s in needed if (s, at) in self.denied]
            self.asked = bool(self.refusers)
        if not self.asked:
            return "leave"
        if order.refused == RIDE and self._may_ride(table, needed):
            return self._ride(table)
        if order.refused == BACK and self._turn_back(table, wet=table.ruled("FF-MOV-8") == "wet"):
            return "hop"
        return "refused" if order.refused == ASK else self._drop("refused", table)

    def _muster(self, table: Table) -> None:
        """Limit a moving group to its survivors (FF-DIS-6)."""
        order = self.orders[0]
        if order.under_way and one_army(table) and self._led(table):
            order.limit(*total(g for g in able(table, self.seat, order.lords) if g.moves))

    def _may_ride(self, table: Table, foes: list[Seat]) -> bool:
        order = self.orders[0]
        return cavalcade.possible(table, self.seat, order.lords, order.path[0], foes)

    def _came(self, table: Table) -> Place:
        lords = [table.lords[id] for id in self.orders[0].lords]
        roads = [p.road for p in sorted(lords, key=lambda p: not p.moves) if p.road in table.villages]
        return roads[0] if roads else ""

    def _retreat(self, table: Table, wet: bool = False) -> Order | None:
        """The Move back by their road: no Heavy Rain, no Troops left behind (FF-MOV-8, 11, 12). `wet`: ignore rain."""
        order, back = self.orders[0], self._came(table)
        at = table.lords[order.lords[0]].at
        if not back or (not wet and (table.rainy(back) or table.rainy(at))):
            return None
        if not one_army(table):
            return msgspec.structs.replace(order, path=[back])
        groups = [g for g in led(table, self.seat, order.lords, order.maa, order.knights, back) if g[0].road == back]
        some = Order(
            [id for id in order.lords if table.lords[id].road == back], [back], sum([g[1] for g in groups]),
            sum([g[2] for g in groups]), [id for id in order.captives if table.lords[id].road in ("", back)], order.refused,
            order.guest,
        )  # fmt: skip
        try:
            check_group(table, self.seat, some)
            check_hop(table, self.seat, some, back, dry=wet)
        except NotLegal:
            return None
        return some

    def _turn_back(self, table: Table, wet: bool = False) -> bool:
        retreat = self._retreat(table, wet)
        if retreat is not None:
            self.orders[0] = retreat
        return retreat is not None

    # leave (D-MOV-2)

    def who_leave(self, table: Table) -> list[Seat]:
        return leave_needed(table, self.seat, self.orders[0]) if self._led(table) else []

    def ask_leave(self, table: Table, seat: Seat) -> Ask:
        order = self.orders[0]
        at = table.lords[order.lords[0]].at
        return yes_no(seat, "leave", "D-MOV-2", about={"seat": self.seat, "lords": order.lords, "at": at, "to": order.path[0]})

    def take_leave(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if not self._led(table):
            return "go"
        at = table.lords[self.orders[0].lords[0]].at
        for seat, answer in answers.items():
            if answer.option == "yes":
                table.grants.append((seat, self.seat, at))
                table.tell("leave_given", seat=seat, to=self.seat, village=at)
            else:
                self.refusers.append(seat)
                self.denied.append((seat, at))
                table.tell("leave_refused", seat=seat, to=self.seat, village=at)
        self.asked = True
        return "go"

    def _led(self, table: Table) -> bool:
        """False if a card removed a Lord meanwhile."""
        return all(id in table.lords and table.lords[id].free for id in self.orders[0].lords)

    # refusal (D-MOV-3)

    def who_refused(self, table: Table) -> list[Seat]:
        """By public facts: a grey back may be a Secret Passage, a hidden counter a Knight."""
        if not self._led(table):
            return []
        return [self.seat] if len(self._ways(table)) > 1 or table.grey(self.seat) or table.options.fog_of_war else []

    def ask_refused(self, table: Table, seat: Seat) -> Ask:
        order, ways = self.orders[0], self._ways(table)
        at = table.lords[order.lords[0]].at
        about: dict[str, Cell] = {"by": self.refusers, "at": at, "to": order.path[0], "lords": order.lords}
        usual = STAY if ways[0] == BACK and self._splits(table) else ways[0]
        return Ask(seat, "refused", tuple(Option(way) for way in ways), Answer(usual), "D-MOV-3", about)

    def take_refused(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        way = answers[self.seat].option if answers else STAY
        self.ending = False
        if not self._led(table):
            return "go"
        if way == BACK and self._turn_back(table):
            return "hop"
        if way == RIDE:
            return self._ride(table)
        return self._slip(table) if way == SLIP else self._drop("", table)

    def _splits(self, table: Table) -> bool:
        """Whether going back splits the group; the default is then to stay (D-MOV-3)."""
        order, some = self.orders[0], self._retreat(table)
        lord = table.lords[order.lords[0]]
        if some is None or table.ruled("FF-MOV-14") != "whole":
            return False
        road = some.path[0] if one_army(table) else lord.road
        here = [g for g in table.villages[lord.at].troops.get(self.seat, []) if g.road == road]
        rest = max(sum(g.count for g in here), order.maa + order.knights) - some.maa - some.knights
        return rest > 0 or len(some.lords) < len(order.lords)

    def _ways(self, table: Table) -> list[str]:
        order = self.orders[0]
        ways = [BACK, STAY] if self._retreat(table) is not None else [STAY]
        if self._may_ride(table, leave_needed(table, self.seat, order)):
            ways.append(RIDE)
        if PASSAGE in table.families[self.seat].hand:
            ways.append(SLIP)
        return ways

    def _slip(self, table: Table) -> Next:
        """Secret Passage: one Move regardless of leave, siege and rain (FF-SEC-2 to 4)."""
        table.spend(self.seat, PASSAGE)
        table.tell("passage", seat=self.seat, use="move", lords=self.orders[0].lords)
        self.orders[0].refused = ASK
        return "hop"

    def hop(self, table: Table) -> Next:
        order = self.orders[0]
        to = order.path.pop(0)
        at = table.lords[order.lords[0]].at
        table.bound += [g for g in table.grants if g[1:] == (self.seat, at) and g not in table.bound]
        hop(table, self.seat, order, to)
        self.asked, self.refusers = False, []
        entry = Entry(seat=self.seat, lords=[*order.lords, *order.captives], came=at, at=to)
        if entry.needed(table):
            return Call(entry, "entered")
        seize(table, self.seat, to)
        return settled(table, "go")

    def entered(self, table: Table) -> Next:
        order = self.orders[0]
        order.lords = [id for id in order.lords if id in table.lords]
        order.captives = [id for id in order.captives if id in table.lords]
        if not order.lords:
            self.orders.pop(0)
            self.ending = False
            return "go"
        lord = table.lords[order.lords[0]]
        if not one_army(table):
            groups = table.villages[lord.at].troops.get(self.seat, [])
            order.limit(*total(g for g in groups if may_lead(table, g, order.lords)))
        return settled(table, "go") if seize(table, self.seat, lord.at) else "go"

    def _ride(self, table: Table) -> Next:
        order = self.orders[0]
        lord, to = table.lords[order.lords[0]], order.path[0]
        ride = cavalcade.Cavalcade(
            seat=self.seat, lords=order.lords, knights=order.knights, captives=order.captives, at=lord.at, to=to,
            foes=leave_needed(table, self.seat, order), sort=cavalcade.sort_of(table, self.seat, order.lords),
            guest=order.guest if table.ruled("FF-CAV-7") == "declared" else "",
        )  # fmt: skip
        self.orders.pop(0)
        self.asked, self.refusers, self.ending = False, [], False
        return Call(ride, "go")

    def done(self, table: Table) -> Next:
        rest(table, table.seats)
        table.grants, table.bound = [], []
        return Done()


def rest(table: Table, seats: list[Seat]) -> None:
    for p in table.lords.values():
        if (p.seat in seats or p.captor in seats) and (p.moves or p.escort or p.halted or not p.company):
            p.moves, p.halted, p.company, p.escort = 0, False, True, ()
    for place, village in table.villages.items():
        troops = village.troops
        if troops:
            for seat in seats:
                if seat in troops:
                    for group in troops[seat]:
                        if group.moves or group.halted or group.escort:
                            group.moves, group.halted, group.escort = 0, False, ()
                    table.tidy(seat, place)
