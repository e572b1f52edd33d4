"""Settings of the standing orders (FF-SO-1 to 24), one Ask each. The first matching row wins."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from engine.core.asked import OFF, may, order_kind
from engine.core.asks import Answer, Ask, Field, Number, Option, Order, PickOne, PickSome, Rows, Seat, choices, illegal_if
from engine.fief.orders.losses import UNITS
from engine.fief.rules.purchase import HAT, KNIGHT, MAA, MILL, STRONGHOLD, TITLE
from engine.fief.rules.realm.table import Table
from engine.fief.rules.war.movement import CONTINGENCIES
from engine.text import days

RULES = 8
"""Most rows of an order."""
MOST_STRENGTH = 60
"""Above any army's strength."""
AHEAD = 6
"""Rounds ahead that an order may be limited to."""
PHASES = tuple(f"phase_{n}" for n in range(1, 8))
ANY, ALLY, OWN, BEST = "any", "ally", "own", "best"
OFFICES = ("bishop", "pope", "king")
TITLES = (BEST, "fief", "royal", "bishop", "cardinal", "pope")
"""Taxing titles in SO-15."""
EVENTS = (
    "always", "cp1", "cp2", "cp3", "crowned", "pope", "one_more", "winning", "captive", "marked", "taxed", "famine", "besieged",
)  # fmt: skip
"""Public trigger events (FF-SO-19)."""
PLAYS = ("uprising", "assassination", "justice", "cardinal", "d_arc", "escape", "excommunicate", "lift_ban", "control")
SETTLE, MARCH, FIGHT = "PRE-1", "PRE-2", "PRE-3"
"""Multi-part answers in advance: a ranked list, lists of orders (FF-ASY-2)."""
WARES = (MAA, KNIGHT, MILL, STRONGHOLD, TITLE, HAT)
ASK = Option("ask")

KEEP_KNIGHTS = Answer("on", {"keep": "knights"})
"""Initial SO-2."""
REACTIONS = {"FF-PIL-1": ("gain", "SO-18", Answer("gain")), "FF-ASY-9": ("concerned", "SO-20", Answer("able"))}
"""Ruling -> its value, and the order that is then the default."""


def shipped(table: Table) -> dict[str, Answer]:
    """Default orders, the same for every seat."""
    reactions = {id: order for ruling, (value, id, order) in REACTIONS.items() if table.ruled(ruling) == value}
    return {"SO-2": KEEP_KNIGHTS, **reactions}


def one(name: str, ids: Iterable[str]) -> PickOne:
    return PickOne(name, choices(ids))


def holds(order: Answer, table: Table) -> bool:
    """Whether an order applies in this round and phase."""
    round, phase, until = order.pick("round"), order.pick("phase"), order.pick("until")
    if (round and _number(round) != table.round) or (until and _number(until) < table.round):
        return False
    return not phase or _phase(table) == phase


def _number(round: str) -> int:
    return int(round.removeprefix("round_"))


def last_day(id: str, order: Answer) -> date | None:
    """Last day of the standing orders (FF-SO-24)."""
    return days.of(order) if id == "SO-24" and order.option == "date" else None


def over(order: Answer, table: Table) -> bool:
    """Whether an order's last round has passed."""
    round = order.pick("round") or order.pick("until")
    return bool(round) and _number(round) < table.round


def _phase(table: Table) -> str:
    """The phase; a checkpoint belongs to the previous one."""
    after = {"cp1": "2", "cp2": "5", "cp3": "6"}
    return f"phase_{after.get(table.phase, table.phase[:1])}"


def asks(table: Table, seat: Seat) -> list[Ask]:
    defaults = shipped(table)
    rounds = [f"round_{max(1, table.round) + n}" for n in range(AHEAD + 1)]
    limits = (may("round", rounds), may("phase", PHASES))

    def either(id: str, *options: Option) -> Ask:
        default = defaults.get(id)
        kind = order_kind(id if id.startswith("SO-") else f"SO-{id}")
        return Ask(seat, kind, (ASK if default else OFF, *options), default or Answer("off"), id)

    def order(id: str, *fields: Field) -> Ask:
        return either(id, Option("on", (*fields, *limits)))

    others = [s for s in table.seats if s != seat]
    people, villages, who = list(table.lore.people), list(table.villages), (ALLY, *others)
    taxed = [*table.lore.lands, *(see.principal for see in table.lore.sees.values())]
    say_so = one("say", ("yes", "no", "ask"))
    rest = one("otherwise", ("ask", "yes", "no"))

    def rules(*fields: PickOne) -> Rows:
        return Rows("rules", (*fields, say_so), 0, RULES)

    def listed(name: str, field: str, ids: Iterable[str], least: int = 0) -> Rows:
        return Rows(name, (one(field, ids),), least, RULES)

    house = one("otherwise", ("house", "ask"))
    return [
        order("SO-1", rules(may("who", who), may("at", villages)), rest),
        order(
            "SO-2", one("keep", ("knights", "maa", "order")), Order("units", choices(UNITS)),
            listed("die", "lord", people),
        ),
        order(
            "SO-3", Rows("rules", (may("at", villages), may("who", who), one("join", JOINS)), 0, RULES),
            one("otherwise", ("ask", "neutral")),
        ),
        order(
            "SO-4", Number("dice", 0, 4), Number("own", 0, MOST_STRENGTH), Number("foes", 0, MOST_STRENGTH),
            Number("rolls", 0, 20),
            one("then", ("stop", "besiege", "truce", "ask")), one("passage", ("never", "always", "no_dice")),
            one("ambush", ("never", "muster", "losing")), one("ambushed", ("continue", "end", "ask")),
            one("captors", ("self", "ask")),
        ),
        order(
            "SO-5", one("walls", ("stay", "out_if_stop", "out")), one("sally", ("never", "stronger", "twice")),
            Number("surrender", 0, MOST_STRENGTH), one("truce", ("no", "yes", "weaker")),
            may("ambush", ("never", "muster", "losing")),
        ),
        order("SO-6", Rows("rules", (one("lord", people), say_so), 0, RULES), rest),
        order("SO-7", one("bishop", CALMS), one("cardinal", CALMS), PickSome("for", choices(others), 0, len(others))),
        order(
            "SO-8",
            Rows(
                "ballots",
                (one("marker", ("for", "decoy")), may("office", OFFICES), one("candidate", (OWN, ALLY, *people))), 0, 12,
            ),
            one("otherwise", ("ask", "abstain")),
        ),
        order(
            "SO-9", Rows("stands", (may("office", OFFICES), one("candidate", (BEST, *people))), 0, 12),
            one("otherwise", ("ask", "never")),
        ),
        order("SO-10", rules(may("what", ("consent", "annul")), may("who", who)), rest),
        order("SO-11", listed("lords", "lord", people), house),
        order("SO-12", listed("places", "at", villages), house),
        either("SO-13", Option("always", limits), Option("never", limits)),
        order(
            "SO-14", one("first", DRAWS), one("second", DRAWS), one("black", ("draw", "stop")),
            Rows("discards", (one("card", _cards(table)), one("when", ("full", "always"))), 0, RULES),
        ),
        order(
            "SO-15", one("lords", ("yes", "no")), one("bonus", ("yes", "no")),
            Rows("taxes", (one("title", TITLES), may("on", taxed)), 0, RULES),
            Number("least", 0, 20),
        ),
        order(
            "SO-16",
            Rows("items", (one("what", WARES), may("at", villages), Number("n", 1, 4, 1), may("lord", people)), 0, 12),
            Number("keep", 0, 50), one("seize", ("all", "none")), one("gift", ("none", OWN, ALLY)),
        ),
        order("SO-17", one("held", ("turn", "hold", "lift")), one("start", ("no", "yes"))),
        either(
            "SO-18", Option("gain", limits), Option("never", limits),
            Option("list", (listed("places", "at", ("besieged", OWN, *villages), 1), *limits)),
        ),
        order(
            "SO-19",
            Rows(
                "triggers",
                (
                    one("if", EVENTS), may("who", who), one("play", PLAYS), may("lord", people), may("at", villages),
                    may("sponsor", people),
                ), 1, RULES,
            ),
        ),
        either("SO-20", Option("able", limits), Option("pass", limits), Option("concerned", limits)),
        order(
            "SO-21", Rows("offers", (may("lord", people), Number("sum", 0, 20)), 0, RULES),
            Rows("accept", (may("lord", people), Number("least", 0, 20)), 0, RULES), one("otherwise", ("ask", "no")),
        ),
        order("SO-22", rules(may("what", ("lord", "village", "title")), may("who", who)), rest),
        order(
            "SO-23", one("take", ("no", "yes")), one("use", ("no", "yes")), one("leave", ("ask", "yes", "no")),
            one("receive", ("ask", "yes", "no")), one("teeth", ("ask", OWN, "none")), one("pass_on", ("ask", "house")),
        ),
        either("SO-24", Option("on", (one("until", rounds),)), Option("date", days.FIELDS)),
        order(SETTLE, listed("places", "at", villages, 1)),
        order(MARCH, Rows("moves", _move(table, people), 1, 12), one("effort", ("whole", BEST))),
        order(
            FIGHT,
            Rows("fights", (one("at", villages), PickSome("against", choices(others), 1, len(others))), 0, RULES),
            PickSome("start", choices(villages), 0, 2), one("effort", ("whole", BEST)),
        ),
    ]  # fmt: skip


JOINS = ("ask", "neutral", "attack", "defend", "with", "against", "ally")
CALMS = ("never", "own", "listed")
DRAWS = ("none", "lords", "lords_room", "fortune")


def _cards(table: Table) -> list[str]:
    kinds = table.lore.kinds.values()
    return [*dict.fromkeys("lord" if k.kind == "lord" else k.id for k in kinds if k.back != "disaster")]


def _move(table: Table, people: list[str]) -> tuple[PickOne | PickSome | Number, ...]:
    per, villages = table.lore.per_player, list(table.villages)
    return (
        PickSome("lords", choices(people), 1, 4), Number("maa", 0, per["men_at_arms"]), Number("knights", 0, per["knights"]),
        one("to", villages), may("then", villages), may("third", villages),
        PickSome("captives", choices(people), 0, len(people)),
        may("refused", CONTINGENCIES), may("guest", ("guest", "control")),
    )  # fmt: skip


def vet(id: str, order: Answer) -> None:
    """Raises NotLegal with the correct form."""
    for n, row in enumerate(order.rows("rules") if id == "SO-3" else (), 1):
        illegal_if(row.pick("join") in ("with", "against") and not row.pick("who"), "fief.so_whom", n=n)
    illegal_if(id == "SO-24" and order.option == "date" and last_day(id, order) is None, "fief.so_no_day")
    for n, row in enumerate(order.rows("items") if id == "SO-16" else (), 1):
        illegal_if(row.pick("what") in WARES[:4] and not row.pick("at"), "fief.so_where", n=n)
