"""Settings of the standing orders (rules 14.2), one Ask each. SO-17 is for picking roles, SO-18 for the Archbishop, SO-19 and
SO-02's asset for a Duke.
"""

from __future__ import annotations

from collections import Counter

from engine.core.asked import may, order_ask
from engine.core.asks import (
    Answer,
    Ask,
    Choice,
    Fields,
    NotLegal,
    Number,
    Option,
    Order,
    PickOne,
    PickSome,
    Rows,
    Seat,
    Shared,
    choices,
    illegal_if,
)
from engine.language.words import say
from engine.ortus.orders import defence
from engine.ortus.orders.politics import ANY, CLASSES, MOST
from engine.ortus.rules import roles
from engine.ortus.rules.orderings import GIVE_UP
from engine.ortus.rules.pieces import COPIES, DECK, KINDS, LORE, SIZES, at, check_deck, fief_id, lord_id, wish
from engine.ortus.rules.table import Earl, Table

PROPERTIES = GIVE_UP[:4]
HITS = ("king", "hand", "lord", "Infantry", "Knight", "garrison", "mercenary", "force")
LORDS = ("Prince", "Vassal", "Champion", "Monk")
PLACES = ("town", "lands", "new", "lowest")
ATTACKS, TURNS = 4, 6
TILTERS_NAMED = 3
AIMS = ("tower", "raid", "siege")
WHICH = ("palace", "castle", "weakest", "richest")
TILTERS = tuple(f"{where}_{what}" for what in ("Champion", "Prince", "Vassal", "Monk") for where in ("lord", "hand"))
WISHES = (
    *(f"place_{k}" for k in PROPERTIES), "castle", *(f"castle_{k}" for k in ("Castle", "Palace")),
    *(f"install_{k}" for k in LORDS), "mercenary", "recruit", "emissary", *(f"emissary_{k}" for k in ("Vassal", "Monk")),
    "monastery", "banquet", "bequeath", "bequeath_last", "display", "joust", "treachery_lord", "treachery_hand",
    "treachery_mercenary", "intrigue_properties", "intrigue_armies", "intrigue_mercenary", "attack_siege", "attack_raid",
    "attack_tower", *(f"{slot}_{k}" for slot in ("garrison", "royal") for k in ("Infantry", "Knight")),
    *(f"tower_{k}" for k in KINDS), "end",
)  # fmt: skip
"""Values for rows of SO-14. Garrisons and Towers cost no Action."""
OF_ROLES = ("attack_canterbury", "monastery_church")
SENT = ("all_lords", "lords_garrisons", "armies", "everything")
FREE = frozenset(("garrison", "royal", "tower"))
"""Need no Action."""
COUNTS = ("one", "two", "three", "four", "five")
"""Number of a kind to become Towers, if not all."""
AIMED = frozenset(("monastery", "treachery", "intrigue", "attack"))
IN_A_FIEF = frozenset(("place", "install", "treachery_lord", "intrigue_properties", "attack_siege", "attack_raid"))
"""In an own or a target's Fief."""
AT_MERCENARIES = frozenset(("garrison_Infantry", "garrison_Knight", "treachery_mercenary", "intrigue_mercenary"))
"""On an own or a target's Mercenary."""

SETTLED = "settled"
"""SO-22: small losses go by DEF-3 and DEF-4."""
SMALL = frozenset(("D-33", "D-46"))
"""Decisions that SO-22 settles: a King's levy, Towers that fall."""


TROOPS: dict[str, int] = LORE["army_per_earl"]


def _damage() -> Fields:
    return PickOne("damage", choices(("free", "rational", "own", "ask"))), Order("hit_order", choices(HITS))


def _ransom() -> Fields:
    saved = tuple(may(f"save_{k.lower()}", ("always", "never")) for k in LORDS)
    order = (Order("lords_order", choices(LORDS)), Order("pay_order", choices(GIVE_UP)))
    return (*saved, *order, PickSome("never_pay", choices(GIVE_UP), 0, 6))


def _seize() -> Fields:
    return (Order("seize_order", choices(reversed(GIVE_UP))), PickOne("seize_most", choices(("none", "one", "two"))))


def _attach(earl: Earl) -> Fields:
    return tuple(may(f"attach_{k.lower()}", (*PLACES, *(f.id for f in earl.fiefs))) for k in PROPERTIES)


def _own_mercenaries(earl: Earl) -> list[int]:
    return [*(m.number for m in earl.mercenaries), earl.hired + 1]


def _exactly(table: Table, earl: Earl) -> PickSome:
    lords = [lord_id(f.number) for f in earl.fiefs]
    own = [at(where, n) for n in _own_mercenaries(earl) for where in ("mercenary", "garrison")]
    found = [Choice(id) for id in ("king", *lords, *own)]
    found += [Choice(at("royal", troop), table.n - 1) for troop in TROOPS]
    found += [Choice(at("reserve", troop), n * table.n) for troop, n in TROOPS.items()]
    found += [Choice(at("hand", what), COPIES) for what in LORDS]
    return PickSome("sent", tuple(found), 0, sum(c.most for c in found))


def asks(table: Table, seat: Seat) -> list[Ask]:
    earl, rivals = table.earls[seat], [s for s in table.seats if s != seat]
    earls, favours = tuple(f"earl:{s}" for s in rivals), tuple(f"favour:{s}" for s in table.seats)
    rule = (
        may("what", (*defence.WHATS, "canterbury") if table.roles else defence.WHATS),
        may("who", ("any", "vikings", *earls)),
        may("where", defence.WHERES),
        may("when", defence.WHENS),
        PickOne("forces", choices(defence.FORCES)),
    )
    attack = (PickOne("aim", choices(AIMS)), may("earl", ("any", *earls)), may("which", WHICH))
    classes = choices((ANY, *CLASSES))
    limit = (PickOne("of", classes), Number("vassals", 0, MOST), Number("lords", 0, MOST))
    limits = Rows("limits", limit, 0, len(classes), shared=(Shared(("of",), classes),))
    struggle: Fields = (PickOne("first", choices(("hand", "lords"))), limits)
    church = tuple(may(f"as_{side}", ("NB", "AW", "DW", *favours)) for side in ("attacker", "defender", "neither"))
    tilt: Fields = (
        may("opt_out", ("always", "never", "anchor")),
        Order("ante_order", choices(GIVE_UP)),
        PickOne("tilt", choices(("never", "list"))),
        Rows("tilters", (PickOne("tilter", choices(TILTERS)),), 0, TILTERS_NAMED),
        PickOne("last_anchor", choices(("never", "always"))),
    )
    wishes = (*WISHES, *OF_ROLES) if table.roles else WISHES
    fiefs = tuple(fief_id(n) for n in sorted({f.number for e in table.earls.values() for f in e.fiefs}))
    numbers = {m.number for e in table.earls.values() for m in e.mercenaries} | {*_own_mercenaries(earl)}
    mercenaries = tuple(at("mercenary", n) for n in sorted(numbers))
    turn = (
        PickOne("turn", choices(wishes)),
        may("earl", ("any", *earls)),
        may("which", (*WHICH, *fiefs)),
        may("mercenary", mercenaries),
        may("count", COUNTS),
        may("forces", SENT),
        _exactly(table, earl),
        may("with", ("above",)),
    )
    losses: Fields = (
        Order("give_order", choices(GIVE_UP)),
        PickOne("towers", choices(("oldest", "newest"))),
        PickOne("armies", choices(("Infantry", "Knight"))),
    )
    plan: Fields = (*_damage(), *_ransom(), *_seize(), *_attach(earl))
    size = roles.sizes(earl.role)["deck"]
    deck = PickSome("cards", tuple(Choice(k, COPIES) for k in KINDS), size, size)
    allies = tuple(may(c, ("always", "never")) for c in CLASSES)
    if earl.role == "duke":
        allies = (*allies, may("allies_first", ("card", "asset")))
    return [
        order_ask(seat, "SO-01", Option("on")),
        order_ask(seat, "SO-02", Option("on", allies)),
        order_ask(seat, "SO-03", Option("on", struggle)),
        order_ask(seat, "SO-04", Option("on", struggle)),
        order_ask(seat, "SO-05", Option("on", (Rows("rules", rule, 1, defence.RULES),))),
        Ask(seat, "so_06", (Option("on", _damage()),), Answer("on", {"damage": "free"}), "SO-06"),
        order_ask(seat, "SO-07", Option("on", _ransom())),
        order_ask(seat, "SO-08", Option("on", church)),
        order_ask(seat, "SO-09", Option("on", losses)),
        order_ask(seat, "SO-10", Option("on", _seize())),
        order_ask(seat, "SO-11", Option("on", _attach(earl))),
        order_ask(seat, "SO-12", Option("hold"), Option("raid", (Rows("attacks", attack, 1, ATTACKS),))),
        order_ask(seat, "SO-13", Option("on", tilt)),
        order_ask(seat, "SO-14", Option("on", (Rows("turns", turn, 1, TURNS), may("close", ("once",))))),
        order_ask(seat, "SO-15", Option("on", (PickOne("sure", choices(["yes"])),), grave=True)),
        order_ask(seat, "SO-16", Option("on", (PickOne("levy", choices(("Infantry", "Knight"))),))),
        *_of_role(table, earl),
        order_ask(seat, "SO-20", Option("on", plan)),
        order_ask(seat, "SO-21", Option("on", (deck,))),
        Ask(seat, "so_22", (Option(SETTLED), Option("ask")), Answer(small(table)), "SO-22"),
    ]


def small(table: Table) -> str:
    """Whether Earls who set nothing are asked about small losses, by ruling; the same for every seat (SO-22)."""
    return SETTLED if table.ruled("SO-22") == "settled" else "ask"


def _of_role(table: Table, earl: Earl) -> list[Ask]:
    seat = earl.seat
    if roles.unsettled(table, earl):
        wishes: Fields = (Order("role_order", choices(roles.ROLES)),)
        if table.roles == "contested":
            wishes += tuple(may(f"bid_{role}", BIDS) for role in roles.CONTESTS.values())
        return [order_ask(seat, "SO-17", Option("on", wishes))]
    if earl.role == "archbishop":
        fields = (may("canterbury", ("in", "out")), Order("toll_order", choices(GIVE_UP)))
        return [order_ask(seat, "SO-18", Option("on", fields))]
    if earl.role == "duke":
        return [order_ask(seat, "SO-19", Option("on", (PickOne("church_when", choices(("never", "own", "decider", "tie"))),)))]
    return []


def vet(id: str, order: Answer) -> None:
    """Raises NotLegal with the correct form."""
    if order.option in ("off", "hold"):
        return
    match id:
        case "SO-13" if order.pick("tilt") == "list" and not order.rows("tilters"):
            raise NotLegal(say("ortus.order_names_no_tilter"))
        case "SO-12":
            for n, row in enumerate(order.rows("attacks"), 1):
                illegal_if(row.pick("aim") == "tower" and row.pick("which"), "ortus.order_in_no_fief", n=n)
        case "SO-14":
            for n, row in enumerate(order.rows("turns"), 1):
                _check_row(n, row)
            _check_turns(order.rows("turns"))
        case "SO-21":
            cards = order.some("cards")
            check_deck(Counter(cards), len(cards) if len(cards) in SIZES else DECK)


def _check_turns(rows: list[Answer]) -> None:
    illegal_if(rows[0].pick("with"), "ortus.order_joins_nothing")
    action = ended = False
    for n, row in enumerate(rows, 1):
        chosen = row.pick("turn")
        acts = chosen != "end" and wish(chosen)[0] not in FREE
        if not row.pick("with"):
            action = ended = False
        elif ended:
            raise NotLegal(say("ortus.order_after_end", n=n))
        elif action and acts:
            raise NotLegal(say("ortus.order_two_actions", n=n))
        action, ended = action or acts, chosen == "end"


def _check_row(n: int, row: Answer) -> None:
    chosen = row.pick("turn")
    what = wish(chosen)[0]
    illegal_if(row.pick("earl") and what not in AIMED, "ortus.order_aims_at_nobody", n=n)
    illegal_if(row.pick("which") and IN_A_FIEF.isdisjoint((chosen, what)), "ortus.order_in_no_fief", n=n)
    illegal_if(row.pick("mercenary") and chosen not in AT_MERCENARIES, "ortus.order_at_no_mercenary", n=n)
    illegal_if(row.pick("count") and what != "tower", "ortus.order_counts_nothing", n=n)
    illegal_if(row.pick("forces") and what != "attack", "ortus.order_fields_nothing", n=n)
    sent = row.some("sent")
    illegal_if(sent and what != "attack", "ortus.order_sends_nothing", n=n)
    illegal_if(sent and row.pick("forces"), "ortus.order_sends_twice", n=n)
    illegal_if(sent.count(at("hand", "Prince")) > 1, "ortus.order_two_princes", n=n)


BIDS = tuple(f"bid{n}" for n in range(roles.LEGACY["most"] + 1))
"""Highest bid in SO-17: `bid3` is 3 points."""
OF_ROLE = {"archbishop": "SO-18", "duke": "SO-19"}
FOREIGN = {role: {"SO-17", "SO-18", "SO-19"} - {OF_ROLE.get(role)} for role in roles.ROLES}
"""Role -> orders without meaning for it."""
