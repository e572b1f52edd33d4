"""Step 4b: purchases (chapters PUR, FTL)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy

from engine.core.asks import (
    Answer,
    Ask,
    Field,
    Fields,
    NotLegal,
    Number,
    Option,
    PickOne,
    PickSome,
    Rows,
    Seat,
    choices,
    illegal_if,
    of_row,
)
from engine.core.cloning import clone
from engine.core.procedure import Call, Done, Next, Procedure
from engine.core.visibility import Plan
from engine.fief.rules.court.consent import REFUSED, Consent, has_to_consent, hatless, make_cardinal
from engine.fief.rules.court.ransom import accepted, ask_captor, full_ransom, held, known_sum, ransom, tell_offer, who_captor
from engine.fief.rules.realm.control import arrive, in_turn_order, settled
from engine.fief.rules.realm.placing import Placing
from engine.fief.rules.realm.table import AFTER, Group, Lord, Person, Place, Table
from engine.fief.rules.realm.titles import cardinal_for_sale, give_fief, rank
from engine.fief.rules.war.captives import alone, capture
from engine.language.words import say

MAA, KNIGHT, MILL, STRONGHOLD, TITLE, HAT = "maa", "knight", "mill", "stronghold", "title", "cardinal"
PLACED = {MAA: "man_at_arms", KNIGHT: "knight", MILL: "mill", STRONGHOLD: "stronghold"}
"""Goods that need a place -> price key."""
LINES = 20


def recruits(table: Table, seat: Seat, among: Iterable[Place] = ()) -> list[Place]:
    """Villages open to new Troops (FF-PUR-4)."""
    with_lord, outside = set(), set()
    for p in table.free(seat):
        with_lord.add(p.at)
        if p.road:
            outside.add(p.at)
    found = []
    for place in among or table.villages:
        village = table.villages[place]
        open_ = place in with_lord or (village.walls and village.controller == seat)
        # Lords all inside can't receive Troops during a siege.
        if open_ and (place in outside or not table.besieged(place)):
            found.append(place)
    return found


def titles_open(table: Table, seat: Seat) -> list[str]:
    """Titles for sale: all villages his, one Stronghold, unclaimed (FF-FTL-1)."""
    return [fief for fief in whole_fiefs(table, seat) if strongholds(table, fief)]


def strongholds(table: Table, fief: str) -> list[Place]:
    return [v for v in table.lore.lands[fief].villages if table.villages[v].walls == "stronghold"]


def whole_fiefs(table: Table, seat: Seat) -> list[str]:
    """Fiefs wholly his, without a City; a Stronghold can be built in the same answer (FF-AMB-90)."""
    found, villages = [], table.villages
    for fief, land in table.lore.lands.items():
        for v in land.villages:
            if villages[v].controller != seat:
                break
        else:
            if not table.lord_of(fief) and table.city(fief) is None:
                found.append(fief)
    return found


def places_for(table: Table, seat: Seat) -> list[Place]:
    open_ = recruits(table, seat, [p.at for p in table.free(seat)])
    return [place for place, village in table.villages.items() if village.controller == seat or place in open_]


def wares(table: Table, seat: Seat) -> Iterator[str]:
    """Goods a player can pay for and use; lazy."""
    prices, purse = table.lore.prices, table.families[seat].deniers
    placed = [ware for ware, name in PLACED.items() if prices[name] <= purse]
    if placed and (table.controls(seat) or recruits(table, seat)):
        yield from placed
    whole = whole_fiefs(table, seat) if table.with_room(seat) else []
    if whole and any(table.lore.lands[fief].title_price <= purse for fief in whole):
        yield TITLE
    if prices["cardinal"] <= purse and hatless(table) and cardinal_for_sale(table):
        yield HAT


def price_of(table: Table, ware: str, place: Place) -> int:
    """Unit price (FF-PUR-2)."""
    prices = table.lore.prices
    if ware == TITLE:
        return table.land_of(place).title_price
    return prices["cardinal" if ware == HAT else PLACED[ware]]


def buy(table: Table, seat: Seat, line: Answer) -> Lord:
    """`judge`, then `carry_out`. Raises NotLegal."""
    judge(table, seat, line)
    return carry_out(table, seat, line)


def cost_of(table: Table, line: Answer, purse: int) -> int:
    """Cost of a line. Raises NotLegal if incomplete or above the purse."""
    ware, place, n = line.pick("what"), line.pick("at"), line.number("n") or 1
    illegal_if(ware != HAT and not place, "fief.where", what=ware)
    illegal_if(ware in (TITLE, HAT) and not line.pick("lord"), "fief.for_whom", what=ware)
    illegal_if(ware not in (MAA, KNIGHT) and n > 1, "fief.one_a_line", what=ware)
    cost = n * price_of(table, ware, place)
    illegal_if(cost > purse, "fief.too_dear", what=ware, n=cost, has=purse)
    return cost


def judge(table: Table, seat: Seat, line: Answer) -> None:
    """Check a line without changes. Raises NotLegal."""
    cost_of(table, line, table.families[seat].deniers)
    ware, place, lord, n = line.pick("what"), line.pick("at"), line.pick("lord"), line.number("n") or 1
    if ware in (MAA, KNIGHT):
        _judge_recruits(table, seat, ware, place, n)
    elif ware in (MILL, STRONGHOLD):
        _judge_building(table, seat, ware, place)
    elif ware == TITLE:
        check_title(table, seat, place, lord)
    else:
        illegal_if(not cardinal_for_sale(table), "fief.no_counters", what=HAT, n=0)
        illegal_if(lord not in hatless(table), "fief.no_bishop", lord=lord)


def _explain_lines(table: Table, seat: Seat, answer: Answer) -> None:
    wares = (*PLACED, TITLE, HAT)
    for n, line in enumerate(answer.each_row("items"), 1):
        place, lord = line.pick("at"), line.pick("lord")
        if not line.pick("what"):
            raise NotLegal(of_row("items", n, say("fief.no_ware")))
        if line.pick("what") not in wares or place not in ("", *table.villages) or lord not in ("", *table.lords):
            return
        try:
            judge(table, seat, line)
        except NotLegal as refusal:
            raise NotLegal(of_row("items", n, refusal.said)) from None


def carry_out(table: Table, seat: Seat, line: Answer) -> Lord:
    """Execute a checked line; returns the Lord if the Pope must consent."""
    ware, place, lord, n = line.pick("what"), line.pick("at"), line.pick("lord"), line.number("n") or 1
    if ware == HAT:
        if has_to_consent(table, seat) is not None:
            return lord
        make_cardinal(table, seat, lord, "sale")
        return ""
    cost = n * price_of(table, ware, place)
    if ware in (MAA, KNIGHT):
        _recruit(table, seat, ware, place, n)
    elif ware == MILL:
        table.villages[place].mills += 1
    elif ware == STRONGHOLD:
        table.villages[place].walls = "stronghold"
    else:
        _take_title(table, place, lord)
    table.pay(seat, cost)
    return ""


def _trial(table: Table, seat: Seat, answer: Answer) -> Table:
    trial, lines = copy(table), list(answer.each_row("items"))
    trial.families = {**table.families, seat: clone(table.families[seat])}
    trial.villages = {**table.villages}
    for place in {line.pick("at") for line in lines}:
        if place:
            trial.villages[place] = clone(table.villages[place])
    if any([line.pick("what") in (TITLE, HAT) for line in lines]):
        trial.lords = clone(table.lords)
    trial.silence()
    return trial


def _judge_recruits(table: Table, seat: Seat, ware: str, place: Place, n: int) -> None:
    village = table.villages[place]
    illegal_if(not recruits(table, seat, (place,)), "fief.no_recruits", village=place)
    most = table.limits["new_troops_per_village"]
    illegal_if(village.bought + n > most, "fief.too_many_recruits", village=place, most=most)
    left = table.stock(seat)[ware == KNIGHT]
    illegal_if(n > left, "fief.no_counters", what=ware, n=left)


def _recruit(table: Table, seat: Seat, ware: str, place: Place, n: int) -> None:
    village = table.villages[place]
    village.bought += n
    lords = table.free(seat, place)
    outside = next((p.road for p in lords if p.road), lords[0].road if lords else "")
    road = "" if village.controller == seat and not table.besieged(place) else outside
    exposed = (table.see_of(place),) if table.plagued(place) else ()
    table.put(seat, place, Group(road, *((n, 0) if ware == MAA else (0, n)), exposed=exposed))
    if table.ruled("FF-PUR-4") == "arrive":
        arrive(table, seat, place)


def _judge_building(table: Table, seat: Seat, ware: str, place: Place) -> None:
    village = table.villages[place]
    illegal_if(village.controller != seat, "fief.not_yours", village=place)
    if ware == MILL:
        if village.mills >= table.limits["mills_per_village"]:
            raise NotLegal(say("fief.mills_full", village=place, most=table.limits["mills_per_village"]))
        illegal_if(not table.mills_left(), "fief.no_counters", what=ware, n=0)
        return
    illegal_if(village.walls, "fief.walls_there", village=place)
    illegal_if(not table.walls_left(), "fief.no_counters", what=ware, n=0)


def buy_title(table: Table, seat: Seat, place: Place, lord: Lord) -> None:
    """FF-FTL-1, 2: turn the Stronghold into a City. Raises NotLegal."""
    check_title(table, seat, place, lord)
    _take_title(table, place, lord)


def _take_title(table: Table, place: Place, lord: Lord) -> None:
    table.villages[place].walls = "city"
    give_fief(table, table.land_of(place).id, table.lords[lord])


def check_title(table: Table, seat: Seat, place: Place, lord: Lord) -> None:
    fief = table.land_of(place).id
    illegal_if(fief not in titles_open(table, seat), "fief.title_shut", fief=fief)
    if table.villages[place].walls != "stronghold" or table.villages[place].controller != seat:
        raise NotLegal(say("fief.no_stronghold", village=place))
    illegal_if(lord not in [p.id for p in table.with_room(seat)], "fief.no_room", lord=lord)


def gifts(table: Table, seat: Seat) -> list[str]:
    """Possible gifts as `fief/lord/village`."""
    strong = [(fief, v) for fief in titles_open(table, seat) for v in strongholds(table, fief)]
    return [f"{fief}/{p.id}/{v}" for fief, v in strong for p in table.with_room(seat)]


def lone(table: Table, seat: Seat, seats: list[Seat]) -> list[Person]:
    """Lords without Troops next to the buyer's free Lords, outside Heavy Rain (FF-PUR-7)."""
    own = {p.at for p in table.free(seat)}
    places = {p.at for p in table.lords.values() if p.at in own and p.seat in seats}
    if not places:
        return []
    dry = sorted(place for place in places if not table.rainy(place))
    return [p for s in seats for place in dry for p in alone(table, s, place)]


class Purchases(Procedure):
    """Purchases in turn order, in one or more answers (FF-PUR-1)."""

    left: list[Seat] = []
    hats: list[Lord] = []
    fief: str = ""
    lord: Lord = ""
    sum: Plan[int] = 0
    offered: list[Lord] = []
    """Lords with a refused lower offer this turn: the full sum must still be accepted (FF-RAN-4)."""
    declined: list[str] = []
    bought: int = 0
    ending: bool = False
    """Whether the turn ends after this list, if no Pope refuses a hat (FF-PUR-1)."""

    known_sum, who_ransom_answer, ask_ransom_answer = known_sum, who_captor, ask_captor
    begin = in_turn_order

    def who_purchase(self, table: Table) -> list[Seat]:
        return self.left[:1]

    def ask_purchase(self, table: Table, seat: Seat) -> Ask:
        """D-PUR-1, with D-PUR-2, D-PUR-4 and D-RAN-1."""
        about = {"deniers": table.families[seat].deniers, "round": table.round}
        return Ask(seat, "purchase", (*self._options(table, seat), Option("done")), Answer("done"), "D-PUR-1", about)

    def vet_purchase(self, table: Table, seat: Seat, answer: Answer) -> None:
        """Check the total, then each line on a copy after the earlier ones."""
        if answer.option == "buy":
            trial, purse, n = table, table.families[seat].deniers, 0
            try:
                for n, line in enumerate(answer.each_row("items"), 1):  # noqa: B007 - named by the except clause
                    cost = cost_of(table, line, purse)
                    purse -= cost if line.pick("what") != HAT else 0  # paid after the Pope's consent
                last = n
                for n, line in enumerate(answer.each_row("items"), 1):
                    judge(trial, seat, line)
                    if n < last:
                        trial = _trial(table, seat, answer) if trial is table else trial
                        if carry_out(trial, seat, line):
                            raise NotLegal(say("fief.hat_last", lord=line.pick("lord")))
            except NotLegal as refusal:
                raise NotLegal(of_row("items", n, refusal.said)) from None
        elif answer.option == "ransom":
            full = full_ransom(table, table.lords[answer.pick("captive")])
            illegal_if(answer.number("sum") > full, "fief.over_ransom", lord=answer.pick("captive"), n=full)
            if answer.number("sum") < full and answer.pick("captive") in self.offered:
                raise NotLegal(say("fief.only_in_full", lord=answer.pick("captive"), n=full))

    def verbs_purchase(self, table: Table, seat: Seat) -> tuple[str, ...]:
        return ("buy", "move_title", "gift", "ransom", "done")

    def explain_purchase(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option in {option.id for option in self._options(table, seat)}:
            if answer.option == "buy":
                illegal_if(not answer.rows("items"), "fief.list_empty")
                _explain_lines(table, seat, answer)
            return
        match answer.option:
            case "buy":
                purse, cheapest = table.families[seat].deniers, min(table.lore.prices[name] for name in PLACED.values())
                code = "nothing_to_buy" if purse >= cheapest else "purse_empty"
                raise NotLegal(say(f"fief.{code}", n=cheapest, has=purse))
            case "move_title":
                two = any(len(p.fiefs) > 1 for p in table.family(seat))
                raise NotLegal(say("fief.no_room_for_title" if two else "fief.no_second_title"))
            case "gift":
                royal = table.royal()
                if royal is None or royal.seat != seat:
                    raise NotLegal(say("fief.gift_of_kings"))
                raise NotLegal(say("fief.no_title_to_give") if royal.free else say("fief.royal_captive", lord=royal.id))
            case "ransom":
                raise NotLegal(say("fief.ransoms_refused" if held(table, seat) else "fief.none_held"))

    def take_purchase(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            match answer.option:
                case "buy":
                    return self._buy(table, seat, answer)
                case "move_title":
                    give_fief(table, answer.pick("fief"), table.lords[answer.pick("lord")])
                    table.tell("title_moved", seat=seat, fief=answer.pick("fief"), lord=answer.pick("lord"))
                case "gift":
                    self.fief, _, self.lord = answer.pick("title").partition("/")
                    table.tell("gift_offered", seat=seat, fief=self.fief, lord=self.lord, to=table.lords[self.lord].seat)
                    return "gift"
                case "ransom":
                    return self._offer(table, answer)
                case _:
                    self._end(table)
        return "next"

    def _options(self, table: Table, seat: Seat) -> Iterator[Option]:
        if next(wares(table, seat), None) is not None:
            yield Option("buy", lambda: self._list(table, seat))
        yield from self._moves(table, seat)
        yield from self._gifts(table, seat)
        yield from self._ransoms(table, seat)

    def next(self, table: Table) -> Next:
        """Next player with an option; with hidden Deniers, everybody (FF-ASY-12)."""
        while self.left and not table.options.hidden_deniers and next(self._options(table, self.left[0]), None) is None:
            self._end(table)
        table.buying = self.left[0] if self.left else ""
        return "purchase" if self.left else Done()

    @staticmethod
    def _list(table: Table, seat: Seat) -> Fields:
        places, hats = places_for(table, seat), hatless(table)
        if hats and not cardinal_for_sale(table):
            hats = []
        lords = choices(dict.fromkeys([p.id for p in table.with_room(seat)] + hats))
        most, purse = table.limits["new_troops_per_village"], table.families[seat].deniers
        row: list[PickOne | Number] = [PickOne("what", choices(wares(table, seat)))]
        if places:
            row += [PickOne("at", choices(places), optional=True), Number("n", 1, most, 1)]
        if lords:
            row.append(PickOne("lord", lords, optional=True))
        ally = table.ally(seat)
        fields: list[Field] = [Rows("items", tuple(row), 1, min(LINES, max(1, purse)))]
        near = lone(table, seat, table.others(seat))
        others, allied = [p for p in near if p.seat != ally], [p for p in near if p.seat == ally]
        if others:
            fields.append(PickSome("spare", choices([p.id for p in others]), 0, len(others)))
        if allied:
            fields.append(PickSome("seize", choices([p.id for p in allied]), 0, len(allied)))
        return (*fields, AFTER)

    def _moves(self, table: Table, seat: Seat) -> Iterator[Option]:
        """FF-FTL-6: move a title within the family, unless it is its Lord's largest."""
        fiefs = []
        for p in table.lords.values():
            if len(p.fiefs) > 1 and p.seat == seat:
                fiefs += [f for f in p.fiefs if any(f != kept and rank(table, kept) >= rank(table, f) for kept in p.fiefs)]
        lords = [p.id for p in table.with_room(seat)] if fiefs else []
        if lords:
            yield Option("move_title", (PickOne("fief", choices(fiefs)), PickOne("lord", choices(lords))))

    def _gifts(self, table: Table, seat: Seat) -> Iterator[Option]:
        """FF-FTL-7: a free King or Regent gives unclaimed titles."""
        royal = table.royal()
        if royal is None or royal.seat != seat or not royal.free:
            return
        found = [f"{fief}/{p.id}" for s in table.in_order() for fief in titles_open(table, s) for p in table.with_room(s)]
        found = [gift for gift in found if gift not in self.declined]
        if found:
            yield Option("gift", (PickOne("title", choices(found)),))

    def _ransoms(self, table: Table, seat: Seat) -> Iterator[Option]:
        """Offers of a ransom (FF-RAN-4)."""
        purse = table.families[seat].deniers
        in_full = table.ruled("FF-RAN-4") == "full"
        lords = [p for p in held(table, seat) if p.id not in self.offered or (in_full and full_ransom(table, p) <= purse)]
        if lords:
            captives = PickOne("captive", choices(p.id for p in lords))
            yield Option("ransom", (captives, Number("sum", 0, min(purse, max(full_ransom(table, p) for p in lords)))))

    def _end(self, table: Table) -> None:
        self.left.pop(0)
        self.offered, self.declined, self.bought, self.ending = [], [], 0, False
        for village in table.villages.values():
            if village.bought:
                village.bought = 0

    def _buy(self, table: Table, seat: Seat, answer: Answer) -> Next:
        items = answer.rows("items")
        self.bought += 1
        self.ending, self.came = answer.pick(AFTER.name) == "end", ""
        for line in items:
            hat = carry_out(table, seat, line)
            self.hats += [hat] if hat else []
        self._tell(table, seat, items)
        spared = {*answer.some("spare")}
        ally = table.ally(seat)
        prey = lone(table, seat, [s for s in table.others(seat) if s != ally]) + lone(table, seat, [ally])
        recruited = {line.pick("at") for line in items if line.pick("what") in (MAA, KNIGHT)}  # FF-AMB-40
        for lord in prey:
            kept = lord.id in spared or (lord.seat == ally and lord.id not in answer.some("seize"))
            if not kept and table.has_troops(seat, lord.at) and lord.at in recruited:
                capture(table, lord, seat)
        return settled(table, "hat")

    @staticmethod
    def _tell(table: Table, seat: Seat, items: list[Answer]) -> None:
        """In the Fog of War, kinds and places separately (FF-OPT-10)."""
        kinds, places = Counter[str](), Counter[Place]()
        for line in items:
            ware, place, n = line.pick("what"), line.pick("at"), line.number("n") or 1
            if ware in (MAA, KNIGHT) and table.options.fog_of_war:
                kinds[ware] += n
                places[place] += n
                table.tell("bought", seat=seat, what=ware, n=n, village=place, only=(seat,))
            elif ware == TITLE:
                table.tell("title_bought", seat=seat, fief=table.land_of(place).id, lord=line.pick("lord"), village=place)
            elif ware != HAT:
                table.tell("bought", seat=seat, what=ware, n=n, village=place)
        for ware in sorted(kinds):
            table.tell("bought", seat=seat, what=ware, n=kinds[ware], village="", but=(seat,))
        for place in sorted(places):
            table.tell("reinforced", seat=seat, n=places[place], village=place, but=(seat,))

    @staticmethod
    def _on(table: Table) -> str:
        """The step after a purchase: check again for options (FF-RND-3)."""
        return "next" if table.ruled("FF-RND-3") == "skipped" else "purchase"

    def hat(self, table: Table) -> Next:
        if self.came == REFUSED:
            self.ending = False
        if not self.hats and self.ending:
            self._end(table)
            return "next"
        if not self.hats:
            return self._on(table)
        return Call(Consent(seat=self.left[0], lord=self.hats.pop(0), by="sale"), "hat")

    # the King's gift (D-PUR-3)

    def who_gift(self, table: Table) -> list[Seat]:
        return [table.lords[self.lord].seat] if self._can_give(table) else []

    def ask_gift(self, table: Table, seat: Seat) -> Ask:
        walls = sorted(strongholds(table, self.fief), key=lambda place: -sum(table.troops(seat, place)))
        options = (Option("accept", (PickOne("at", choices(walls)),)), Option("decline"))
        about = {"fief": self.fief, "lord": self.lord, "seat": self.left[0]}
        return Ask(seat, "gift", options, Answer("accept", {"at": walls[0]}), "D-PUR-3", about)

    def take_gift(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            if answer.option == "accept":
                buy_title(table, seat, answer.pick("at"), self.lord)
                table.tell("gift_taken", seat=seat, fief=self.fief, lord=self.lord, village=answer.pick("at"))
            else:
                self.declined.append(f"{self.fief}/{self.lord}")
                table.tell("gift_declined", seat=seat, fief=self.fief)
        return settled(table, self._on(table))

    def _can_give(self, table: Table) -> bool:
        royal, lord = table.royal(), table.lords.get(self.lord)
        if royal is None or not royal.free or royal.seat != self.left[0] or lord is None:
            return False
        return self.fief in titles_open(table, lord.seat) and lord in table.with_room(lord.seat)

    # ransom (FF-RAN-4)

    def _offer(self, table: Table, answer: Answer) -> Next:
        self.lord, self.sum = answer.pick("captive"), answer.number("sum")
        lord = table.lords[self.lord]
        if self.sum == full_ransom(table, lord):
            return self._pay(table)
        tell_offer(self, table)
        return "ransom_answer"

    def take_ransom_answer(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        return self._pay(table) if accepted(self, table, answers) else self._on(table)

    def _pay(self, table: Table) -> Next:
        ransom(table, table.lords[self.lord], self.sum)
        return Call(Placing(lords=[self.lord]), self._on(table))
