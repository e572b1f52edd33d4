"""Fair: a small game with what the great ones need and Ortus Regni lacks, to prove the kernel by.

Two to four stall-keepers hold three hidden wares each. In every round all bid at once and in secret (`Number`, `PickOne`),
the best bid is settled by dice where it is tied, its winner shares out the stakes, coin by coin
(`Assign`) or keeper by keeper (`Rows`), all put their wares in an
order of their own (`Order`), and all give alms one by one as they come (`each`); who gives a single coin is asked for one more
(`Again`). At any time a keeper may call another to a game of dice, which interrupts what is under way (a power that pushes a
procedure); accuse another, of whom all the rest then judge (a `Chain`); and propose another to trade wares, which nobody else
learns of (a `Proposal`, an exchange; it may be amended and countered), to which a standing order may answer, as one may
accuse. After the rounds the team with more coins wins; a tie is a draw. The host may choose the number of rounds and poverty,
and bring wares of his own. What a game of dice is for is a ruling.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from engine.bots.random import answer_at_random
from engine.core import exchange, offers, rulings
from engine.core.asks import (
    Answer,
    Ask,
    Assign,
    Cell,
    Field,
    NotLegal,
    NotUnderstood,
    Number,
    Option,
    Order,
    PickOne,
    PickSome,
    Rows,
    Seat,
    Shared,
    Total,
    choices,
)
from engine.core.chance import Chance
from engine.core.exchange import Line
from engine.core.offers import Desk, Proposal
from engine.core.procedure import Again, Done, Next, Outcome, Procedure, State, copy_for, yes_no
from engine.core.reaction_chain import Chain
from engine.core.rulings import Ruled, Ruling
from engine.core.views import Event
from engine.game import Bots, Checks, Game, Orders, Powers, Rules, Sheet, Variants, View, Words
from engine.language.words import Catalogue, plain
from engine.text.labels import Labels
from engine.text.notation import Notation

RULINGS = {
    "T-05": Ruling("T-05", "What a game of dice is for", {"coin": "One coin", "double": "Two coins"}, "double", "coin"),
}
WARES = ("ale", "bread", "cloth", "dyes", "eels", "furs", "glass", "hides", "ink", "jars", "knives", "linen")
COINS, HAND, ROUNDS = 6, 3, 3


class Keeper(msgspec.Struct):
    """One seat's stall."""

    seat: Seat
    coins: int = COINS
    wares: list[str] = []
    """Hidden from the others, in the order that the keeper likes."""
    shown: list[str] = []
    called: bool = False
    """Whether he has called a game of dice this round."""
    accused: bool = False
    """Whether he has accused anybody this round."""
    proposed: bool = False
    """Whether he has proposed a trade this round: hidden from the others."""


class Trade(Proposal):
    """A ware for one that the other chooses, and some coins from the other; known to the two alone."""

    kind: ClassVar[str] = "trade"
    rule: ClassVar[str] = "T-07"
    ware: str
    coins: int = 0

    def about(self) -> Mapping[str, Cell]:
        return {"by": self.by, "ware": self.ware, "coins": self.coins}

    def ask(self, table: FairTable, seat: Seat) -> Ask:
        options = [Option("refuse")]
        if wares := table.keepers[seat].wares:
            options.insert(0, Option("accept", (PickOne("ware", choices(wares)),)))
            options.append(Option("counter", (PickOne("mine", choices(wares)), Number("coins", 0, 2))))
        return Ask(seat, self.kind, tuple(options), Answer("refuse"), self.rule, self.about())

    def vet(self, table: FairTable, seat: Seat, answer: Answer) -> None:
        if answer.option == "accept":
            exchange.judge(self._lines(seat, answer), table.holds)

    def take(self, table: FairTable, seat: Seat, answer: Answer) -> None:
        if answer.option == "counter":
            self._tell(table, "countered")
            offers.counter(table, self, seat, ware=answer.pick("mine"), coins=answer.number("coins"))
            return
        if answer.option == "accept":
            exchange.execute(self._lines(seat, answer), table.holds, table.hand)
        self._tell(table, "traded" if answer.option == "accept" else "refused")

    def lapse(self, table: FairTable, how: str) -> None:
        self._tell(table, how if how in ("withdrawn", "amended") else "lapsed")

    def terms(self, table: FairTable) -> Sequence[Field]:
        return (Number("coins", 0, 2),)

    def amended(self, table: FairTable, answer: Answer) -> Trade:
        if answer.number("coins") == self.coins:
            raise NotLegal(plain("It is put for as many coins already; amend it to another number."))
        return msgspec.structs.replace(self, number=0, coins=answer.number("coins"))

    def _lines(self, seat: Seat, answer: Answer) -> list[Line]:
        lines = [Line(self.by, seat, self.ware), Line(seat, self.by, answer.pick("ware"))]
        return lines + ([Line(seat, self.by, "coin", self.coins)] if self.coins else [])

    def _tell(self, table: FairTable, event: str) -> None:
        table.news.append(Event(event, {"by": self.by, "number": self.number}, tuple(self.only or ())))


class FairTable(msgspec.Struct):
    """The whole table."""

    seats: list[Seat]
    chance: Chance
    keepers: dict[Seat, Keeper]
    pot: int = 0
    bank: int = 0
    stock: list[str] = []
    outcome: Outcome | None = None
    news: list[Event] = []
    rounds: int = ROUNDS
    rulings: dict[str, str] = {}
    proposals: Desk[Trade] = msgspec.field(default_factory=Desk)

    def ruled(self, id: str) -> str:
        return rulings.of(RULINGS, self.rulings, id)

    def team(self, seat: Seat) -> int:
        return self.seats.index(seat) % 2

    def tell(self, event: str, /, **facts: Any) -> None:
        self.news.append(Event(event, facts))

    def holds(self, seat: Seat, what: str) -> int:
        return self.keepers[seat].coins if what == "coin" else self.keepers[seat].wares.count(what)

    def hand(self, line: Line) -> None:
        giver, taker = self.keepers[line.giver], self.keepers[line.taker]
        if line.what == "coin":
            giver.coins -= line.amount
            taker.coins += line.amount
        else:
            giver.wares.remove(line.what)
            taker.wares.append(line.what)


class Fair(Procedure):
    """The rounds."""

    each: ClassVar[frozenset[str]] = frozenset({"alms"})

    round: int = 0
    bids: dict[Seat, int] = {}
    winner: Seat = ""
    given: list[Seat] = []
    urged: list[Seat] = []
    """Those who gave a single coin and were asked once more."""

    def begin(self, table: FairTable) -> Next:
        for seat in table.seats:
            table.keepers[seat].wares = sorted(table.stock.pop() for _ in range(HAND))
            cards = list(table.keepers[seat].wares)
            table.news.append(Event("dealt", {"seat": seat, "count": HAND}, but=(seat,)))
            table.news.append(Event("dealt_own", {"seat": seat, "wares": cards}, only=(seat,)))
        return "next"

    def next(self, table: FairTable) -> Next:
        offers.end(table, f"round {self.round}")
        if self.round == table.rounds:
            return "close"
        self.round += 1
        for keeper in table.keepers.values():
            keeper.called = keeper.accused = keeper.proposed = False
        table.tell("round", number=self.round)
        return "bid"

    # all at once, sealed

    def who_bid(self, table: FairTable) -> list[Seat]:
        return [s for s in table.seats if table.keepers[s].coins]

    def ask_bid(self, table: FairTable, seat: Seat) -> Ask:
        keeper = table.keepers[seat]
        fields = (
            Number("coins", 1, keeper.coins),
            PickOne("ware", choices(keeper.wares), optional=True),
        )
        return Ask(seat, "bid", (Option("pass"), Option("bid", lambda: fields)), Answer("pass"), "T-01", {"round": self.round})

    def vet_bid(self, table: FairTable, seat: Seat, answer: Answer) -> None:
        if answer.option == "bid" and answer.number("coins") == 5 and not answer.pick("ware"):
            raise NotLegal(plain("A bid of five needs a ware shown with it; show one, or bid another sum."))

    def take_bid(self, table: FairTable, answers: dict[Seat, Answer]) -> Next:
        self.bids, self.winner, table.pot = {}, "", 0
        for seat, answer in answers.items():
            if answer.option == "bid":
                self.bids[seat] = answer.number("coins")
                ware = answer.pick("ware")
                if ware:
                    table.keepers[seat].wares.remove(ware)
                    table.keepers[seat].shown.append(ware)
        for seat, coins in self.bids.items():
            table.keepers[seat].coins -= coins
            table.pot += coins
        table.tell("bids", bids=dict(self.bids))
        return "settle"

    def settle(self, table: FairTable) -> Next:
        best = [s for s in self.bids if self.bids[s] == max(self.bids.values())]
        while len(best) > 1:
            rolls = {s: table.chance.die(6, "tie") for s in best}
            table.tell("rolled", rolls=rolls)
            best = [s for s in best if rolls[s] == max(rolls.values())]
        self.winner = best[0] if best else ""
        return "share" if self.winner else "sort"

    def who_share(self, table: FairTable) -> list[Seat]:
        return [self.winner]

    def ask_share(self, table: FairTable, seat: Seat) -> Ask:
        coins = tuple(choices(f"coin{i}" for i in range(1, min(table.pot, 4) + 1)))
        fields = (Assign("to", coins, choices(table.seats), optional=True),)
        keepers = choices(table.seats)
        gift = (PickOne("to", keepers), Number("coins", 1, table.pot))
        together = (Total("coins", table.pot),), (Shared(("to",), keepers),)
        gifts = Rows("gifts", gift, 1, len(keepers), *together)
        options = (Option("share", fields), Option("split", (gifts,)))
        return Ask(seat, "share", options, Answer("share"), "T-02", {"pot": table.pot})

    def take_share(self, table: FairTable, answers: dict[Seat, Answer]) -> Next:
        answer = answers[self.winner]
        gifts = [*answer.assigned("to").values()]
        gifts += [row.pick("to") for row in answer.rows("gifts") for _ in range(row.number("coins"))]
        for seat in gifts:
            table.keepers[seat].coins += 1
        table.keepers[self.winner].coins += table.pot - len(gifts)
        table.tell("shared", seat=self.winner, gifts=sorted(gifts))
        table.pot = 0
        return "sort"

    # all at once, each with an order of his own

    def who_sort(self, table: FairTable) -> list[Seat]:
        return [s for s in table.seats if len(table.keepers[s].wares) + len(table.keepers[s].shown) == HAND]

    def ask_sort(self, table: FairTable, seat: Seat) -> Ask:
        wares = table.keepers[seat].wares
        order = Order("order", choices(wares))
        return Ask(seat, "sort", (Option("sort", (order,)),), Answer("sort", {"order": list(wares)} if wares else {}), "T-03")

    def take_sort(self, table: FairTable, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            table.keepers[seat].wares = answer.some("order")
        self.given, self.urged = [], []
        return "alms"

    # one by one, as they come

    def who_alms(self, table: FairTable) -> list[Seat]:
        return [s for s in table.seats if s not in self.given]

    def ask_alms(self, table: FairTable, seat: Seat) -> Ask:
        keeper = table.keepers[seat]
        ids = [f"own{i}" for i in range(1, keeper.coins + 1)][:3]
        options = [Option("none"), Option("refuse", grave=True)]
        if ids:
            options.insert(1, Option("give", (PickSome("coins", choices(ids), 1, len(ids)),)))
        return Ask(seat, "alms", tuple(options), Answer("none"), "T-04", {"given": list(self.given)})

    def take_alms(self, table: FairTable, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            coins = len(answer.some("coins"))
            table.keepers[seat].coins -= coins
            table.bank += coins
            table.tell("alms", seat=seat, coins=coins)
            if coins == 1 and table.keepers[seat].coins and seat not in self.urged:
                self.urged.append(seat)
                return Again()
            self.given.append(seat)
            if answer.option == "refuse":
                return "next"  # a refusal shames the rest: nobody else is asked this round
        return "next" if len(self.given) == len(table.seats) else "alms"

    def close(self, table: FairTable) -> Next:
        purse = [sum(k.coins for s, k in table.keepers.items() if table.team(s) == t) for t in (0, 1)]
        best = [] if purse[0] == purse[1] else [s for s in table.seats if table.team(s) == (purse[1] > purse[0])]
        table.outcome = Outcome(tuple(best), "purse" if best else "draw")
        table.tell("closed", winners=best)
        return Done()


class Dice(Procedure):
    """One keeper calls another to a game of dice, in the middle of whatever is going on."""

    caller: Seat = ""
    called: Seat = ""

    def begin(self, table: FairTable) -> Next:
        table.tell("called", seat=self.caller, target=self.called)
        return "dare"

    def who_dare(self, table: FairTable) -> list[Seat]:
        return [self.called]

    def ask_dare(self, table: FairTable, seat: Seat) -> Ask:
        return yes_no(seat, "dare", "T-05")

    def take_dare(self, table: FairTable, answers: dict[Seat, Answer]) -> Next:
        if answers[self.called].option == "no":
            table.tell("dared", seat=self.called, dared=False)
            return Done("declined")
        rolls = [table.chance.die(6, "dice") for _ in range(2)]
        winner, loser = (self.caller, self.called) if rolls[0] > rolls[1] else (self.called, self.caller)
        stake = min(2 if table.ruled("T-05") == "double" else 1, table.keepers[loser].coins)
        table.keepers[loser].coins -= stake
        table.keepers[winner].coins += stake
        table.tell("dared", seat=self.called, dared=True, rolls=rolls)
        return Done("played")


class Jury(Chain):
    """One keeper accuses another; all the rest judge at once, and most of them decide whether it costs a coin."""

    kind: ClassVar[str] = "judge"
    accuser: Seat = ""
    accused: Seat = ""

    def _announce(self, table: FairTable) -> list[Seat]:
        table.tell("accused", seat=self.accuser, target=self.accused)
        return [s for s in table.seats if s not in (self.accuser, self.accused)]

    def _ask(self, table: FairTable, seat: Seat) -> Ask:
        options = (Option("guilty"), Option("innocent"))
        return Ask(seat, "judge", options, Answer("innocent"), "T-08", {"accused": self.accused})

    def _resolve(self, table: FairTable) -> Next:
        guilty = sum(answer.option == "guilty" for answer in self.said.values())
        fine = min(table.keepers[self.accused].coins, 1 if 2 * guilty > len(self.said) else 0)
        table.keepers[self.accused].coins -= fine
        table.bank += fine
        table.tell("judged", seat=self.accused, fine=fine)
        return Done("guilty" if fine else "innocent")


FairState = State[FairTable, Fair | Dice | Jury]


def setup(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None, /) -> FairState:
    if not 2 <= len(seats) <= 4:
        raise NotUnderstood(plain(f"Fair is for 2 to 4 keepers, not {len(seats)}."))
    unknown = options.keys() - {"rounds", "poor", "wares"}
    if unknown:
        raise NotUnderstood(plain(f"Fair has no option “{min(unknown)}”."))
    stock = list(options.get("wares", WARES))
    if len(stock) < HAND * len(seats):
        raise NotLegal(plain(f"{len(stock)} wares are too few for {len(seats)} keepers; bring {HAND * len(seats)} or more."))
    chance.shuffle(stock, "stock")
    keepers = {s: Keeper(s, coins=COINS // 2 if options.get("poor") else COINS) for s in seats}
    table = FairTable(list(seats), chance, keepers, stock=stock, rounds=options.get("rounds", ROUNDS))
    table.rulings = rulings.begun(RULINGS, ruled)
    return FairState(table, [Fair()])


def variant(seats: int) -> Ask:
    fields = (Number("rounds", 1, 5), PickSome("rules", choices(["poor"]), 0, 1))
    return Ask("", "variant", (Option("play", fields),), Answer("play", {"rounds": ROUNDS}))


def read_variant(seats: int, answer: Answer, file: str) -> dict[str, Any]:
    options: dict[str, Any] = {"rounds": answer.number("rounds")} if answer.number("rounds") != ROUNDS else {}
    if "poor" in answer.some("rules"):
        options["poor"] = True
    wares = file.split()
    if any(not ware.isalpha() or wares.count(ware) > 1 for ware in wares):
        raise NotUnderstood(plain("A file of wares is a list of different words."))
    return options | ({"wares": wares} if wares else {})


def write_variant(seats: int, options: Mapping[str, Any]) -> Answer:
    rules: dict[str, Any] = {"rules": ["poor"]} if options.get("poor") else {}
    return Answer("play", {"rounds": options.get("rounds", ROUNDS), **rules})


def tell_variant(options: Mapping[str, Any]) -> list[str]:
    told = [f"The fair lasts {options['rounds']} rounds."] if "rounds" in options else []
    told += ["Everybody begins poor."] if "poor" in options else []
    return told + ([f"{len(options['wares'])} wares of the host's own."] if "wares" in options else [])


def powers(state: FairState, seat: Seat) -> list[Ask]:
    table = state.table
    keeper = table.keepers[seat]
    if table.outcome is not None or any(isinstance(frame, Dice) for frame in state.stack):
        return []
    target = PickOne("target", choices(s for s in table.seats if s != seat))
    asks = []
    for kind, rule, used in (("call", "T-06", keeper.called), ("accuse", "T-08", keeper.accused)):
        if not used:
            asks.append(Ask(seat, kind, (Option(kind, (target,)),), Answer(kind, {"target": target.choices[0].id}), rule))
    if keeper.wares and not keeper.proposed:
        fields = (target, PickOne("ware", choices(keeper.wares)), Number("coins", 0, 2))
        default = Answer("propose", {"target": target.choices[0].id, "ware": keeper.wares[0], "coins": 0})
        asks.append(Ask(seat, "propose", (Option("propose", fields),), default, "T-07"))
    return asks


def vet_power(state: FairState, seat: Seat, kind: str, answer: Answer) -> None:
    if kind == "propose" and answer.number("coins") > state.table.keepers[answer.pick("target")].coins:
        raise NotLegal(plain("Nobody can be asked for more coins than he has; ask for fewer."))


def use_power(state: FairState, seat: Seat, kind: str, answer: Answer) -> None:
    table, target = state.table, answer.pick("target")
    keeper = table.keepers[seat]
    match kind:
        case "call":
            keeper.called = True
            state.stack.append(Dice(caller=seat, called=target))
        case "accuse":
            keeper.accused = True
            state.stack.append(Jury(accuser=seat, accused=target))
        case "propose":
            keeper.proposed = True
            only, round = [s for s in table.seats if s in (seat, target)], f"round {state.stack[0].round}"  # type: ignore[union-attr]  # a Round
            ware, coins = answer.pick("ware"), answer.number("coins")
            number = offers.put(table, Trade(by=seat, to=[target], only=only, until=round, ware=ware, coins=coins))
            table.news.append(Event("proposed", {"by": seat, "number": number}, tuple(only)))


def order_asks(state: FairState, seat: Seat) -> list[Ask]:
    """What is said to every trade, and whom to accuse when he grows rich."""
    trade = (Option("off"), Option("refuse"), Option("accept"))
    target = PickOne("target", choices(s for s in state.table.seats if s != seat))
    accuse = (Option("off"), Option("accuse", (target,)))
    return [
        Ask(seat, "order_trade", trade, Answer("off"), "T-10"),
        Ask(seat, "order_accuse", accuse, Answer("off"), "T-11"),
    ]


def obey(state: FairState, seat: Seat, ask: Ask, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    said, wares = orders.get("T-10"), state.table.keepers[seat].wares
    if ask.kind != "trade" or said is None:
        return None
    if said.option == "accept":
        return Answer("accept", {"ware": wares[-1]}) if wares else None
    return Answer("refuse")


def use_by_order(state: FairState, seat: Seat, ask: Ask, orders: Mapping[str, Answer]) -> Answer | None:
    """Accuses somebody as soon as he has more coins."""
    said, keepers = orders.get("T-11"), state.table.keepers
    if ask.kind != "accuse" or said is None or said.option == "off":
        return None
    target = said.pick("target")
    return Answer("accuse", {"target": target}) if keepers[target].coins > keepers[seat].coins else None


def coming(state: FairState, seat: Seat) -> list[Ask]:
    """Somebody may always propose a trade."""
    return [Trade(by="", to=[seat], ware="").ask(state.table, seat)]


def stance(state: FairState, seat: Seat) -> str:
    return ",".join(state.table.keepers[seat].wares)


def answer_offer(state: FairState, seat: Seat, ask: Ask, chance: Chance) -> Answer | None:
    """Trades now and then, and takes what is proposed as it falls out."""
    if ask.kind == "trade" or (ask.kind == "propose" and chance.below(4, "haggle") == 0):
        return answer_at_random(ask, random.Random(chance.below(1 << 30, "haggle")))
    return None


def view(state: FairState, seat: Seat | None) -> View:
    table = state.table
    seen: View = {
        "game": "fair",
        "seat": seat,
        "pot": table.pot,
        "bank": table.bank,
        "stock": len(table.stock),
        "keepers": [
            {"seat": k.seat, "coins": k.coins, "wares": len(k.wares), "shown": list(k.shown), "called": k.called}
            for k in table.keepers.values()
        ],
        "outcome": msgspec.to_builtins(table.outcome) if table.outcome else None,
    }
    if seat is not None:
        seen["own"] = {"wares": list(table.keepers[seat].wares)}
    return seen


def redeal(state: FairState, seat: Seat | None, chance: Chance) -> FairState:
    fresh = copy_for(state, seat, chance)
    table = fresh.table
    others = [k for s, k in table.keepers.items() if s != seat]
    # A ware that somebody has proposed to the seat is known to lie with him.
    known = {k.seat: [p.ware for p in table.proposals.open if p.by == k.seat and p.ware in k.wares] for k in others}
    hidden = Counter([*table.stock, *(w for k in others for w in k.wares)])
    pool = sorted((hidden - Counter(w for wares in known.values() for w in wares)).elements())
    chance.shuffle(pool, "redeal")
    for keeper in others:
        keeper.wares = known[keeper.seat] + [pool.pop() for _ in keeper.wares[len(known[keeper.seat]) :]]
        keeper.proposed = False
    table.stock = pool
    return fresh


def lines(state: FairState, seat: Seat | None, everything: bool) -> Iterator[str]:
    yield "fair: 1"
    yield (
        f"all: {msgspec.json.encode(state).decode()}"
        if everything
        else f"seen: {msgspec.json.encode(view(state, seat)).decode()}"
    )


def read_position(text: str) -> FairState:
    first, _, rest = text.partition("\n")
    if first != "fair: 1" or not rest.startswith("all: "):
        raise NotUnderstood(plain("Line 1: a whole position of Fair starts with `fair: 1`."))
    try:
        return msgspec.json.decode(rest.removeprefix("all: "), type=FairState)
    except msgspec.MsgspecError as problem:
        raise NotUnderstood(plain(f"Line 2 can't be read: {problem}.")) from None


def conserved(state: FairState) -> dict[str, int]:
    table = state.table
    return {
        "coins": sum(k.coins for k in table.keepers.values()) + table.pot + table.bank,
        "wares": len(table.stock) + sum(len(k.wares) + len(k.shown) for k in table.keepers.values()),
    }


def audience(kind: str, seat: Seat, answer: Answer) -> tuple[Seat, ...] | None:
    if kind == "propose":
        return (seat, answer.pick("target"))
    return (seat,) if kind == "sort" else None


def secrets(state: FairState, seat: Seat) -> list[str]:
    """His wares, but for those that he has told somebody of."""
    table = state.table
    return [w for w in table.keepers[seat].wares if not any(p.by == seat and p.ware == w for p in table.proposals.open)]


FAIR = Game(
    name="fair",
    title="Fair",
    rules=Rules(
        seats=range(2, 5),
        state=FairState,
        setup=setup,
        powers=Powers(powers, use_power, vet_power),
        view=view,
        redeal=redeal,
        audience=audience,
        windows=frozenset(("bid",)),
        notation=Notation(lines, read_position),
        checks=Checks(conserved=conserved, secrets=secrets),
        rulings=RULINGS,
        variants=Variants(variant, read_variant, write_variant, tell_variant, "Wares of your own, a word each"),
    ),
    words=Words(
        catalogue=Catalogue("tests"),
        tell=lambda event, names, reader: f"{event.kind} {sorted(event.facts.items())}",
        labels=Labels(
            title=lambda ask, names: f"{names.get(ask.seat, 'Host')}: {ask.kind}?",
            option=lambda ask, option, names: option.capitalize(),
            field=lambda ask, option, field, names: field.capitalize(),
            choice=lambda ask, option, field, choice, names: names.get(choice, choice),
        ),
    ),
    orders=Orders(
        asks=order_asks, sheet=Sheet(prefix="order_"), answer_offer=obey, use=use_by_order, coming=coming, stance=stance
    ),
    bots=Bots(offer_policies={"random": answer_offer}),
)
