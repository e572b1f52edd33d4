"""Orders on Church, Vikings, Jousts, Turns, levies, roles, decks (SO-08, 12 to 19, 21)."""

from __future__ import annotations

from collections import Counter

from engine.core.asked import Asked, by
from engine.core.asks import Answer, Ask, Option, PickOne, PickSome, Seat, Value
from engine.core.cloning import clone
from engine.core.procedure import ask_of, play
from engine.ortus.face.view import OrtusState
from engine.ortus.orders.settings import COUNTS
from engine.ortus.orders.spoils import among_like, wished
from engine.ortus.rules.combat import Battle
from engine.ortus.rules.orderings import GIVE_UP
from engine.ortus.rules.pieces import FACES, at, kind, lord_id, of_earl, parse, strength, wish
from engine.ortus.rules.table import Earl, Fief, Table, holdings, kind_of
from engine.ortus.rules.turn import Turn


def church(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-08: by the owner's side."""
    battle = asked.frame(Battle)
    side = {battle.attacker: "attacker", battle.defender: "defender"}.get(asked.seat, "neither")
    wish = order.pick(f"as_{side}")
    if parse(wish).where == "favour":
        favoured = parse(wish).seat
        return Answer("AW" if favoured == battle.attacker else "DW" if favoured == battle.defender else "NB")
    return Answer(wish) if wish else None


# --- the Vikings ------------------------------------------------------------------------------------------------------


def vikings(asked: Asked[Table], order: Answer) -> Answer:
    """SO-12: the first legal attack listed, else none."""
    for attack in order.rows("attacks"):
        target = _target(asked.table, asked.seat, attack.pick("aim"), attack.pick("earl") or "any", attack.pick("which"))
        if target is not None:
            return Answer("attack", {"target": target})
    return Answer("hold")


def _target(table: Table, seat: Seat, what: str, whom: str, which: str) -> str | None:
    earls = [e for e in table.others(seat) if whom in ("any", f"earl:{e.seat}")]
    if what == "tower":
        able = [e for e in earls if (e.walls if table.ruled("SO-12") == "duke" else e.towers)]  # a Duke always (OR-ROLE-34)
        best = max(able, key=lambda e: (len(e.towers), e.seat), default=None)
        return of_earl("tower", best.seat) if best is not None else None
    fiefs = [(e, f) for e in earls for f in e.fiefs if what == "siege" or f.properties]
    if which in ("palace", "castle"):
        fiefs = [(e, f) for e, f in fiefs if kind(f.anchor).lower() == which]
    if not fiefs:
        return None
    e, f = min(fiefs, key=lambda x: _rank(x[0], x[1], which))
    return of_earl(what, e.seat, f.number)


def _rank(earl: Earl, fief: Fief, which: str) -> tuple[int, str, int]:
    weight = -len(fief.properties) if which == "richest" else earl.walls + strength(fief.anchor) + len(earl.reserve)
    return weight, earl.seat, fief.number


# --- Jousts -----------------------------------------------------------------------------------------------------------


def joust(asked: Asked[Table], order: Answer) -> Answer | None:
    earl, banner, exempt = asked.table.earls[asked.seat], asked.has("opt_out"), asked.has("stand_aside")
    ante = _ante(asked.table, earl, order)
    anchor = not parse(ante).card
    wish = order.pick("opt_out")
    if not wish and not exempt and earl.hand:
        return None  # with or without a Banner: asking would reveal it (OR-INFO-8)
    if banner and (wish == "always" or (wish == "anchor" and anchor and not exempt)):
        # Standing aside is free and keeps the Banner (OR-JOU-2).
        return Answer("stand_aside" if exempt else "opt_out")
    staked = not (anchor and len(earl.fiefs) == 1) or order.pick("last_anchor") == "always"
    tilter = _tilter(earl, order) if staked and order.pick("tilt") == "list" else ""
    if tilter:
        return Answer("tilt", {"ante": ante, "tilter": tilter})
    return Answer("stand_aside") if exempt else Answer("ante", {"ante": ante})


def _ante(table: Table, earl: Earl, order: Answer) -> str:
    wish = order.some("ante_order") or list(GIVE_UP)

    def rank(holding: str) -> tuple[bool, int, tuple[bool | int, ...]]:
        # The last Anchor last, regardless of the list.
        last = not parse(holding).card and len(earl.fiefs) == 1
        return last, wished(wish, kind_of(earl, holding)), among_like(table, earl, holding)

    return min(holdings(earl), key=rank)


def _tilter(earl: Earl, order: Answer) -> str:
    for wanted in order.rows("tilters"):
        where, what = wish(wanted.pick("tilter"))
        if where == "hand":
            card = earl.in_hand(what)
            if card is not None:
                return at("hand", card)
        elif where == "lord":
            fief = next((f for f in earl.fiefs if f.lord is not None and kind(f.lord) == what), None)
            if fief is not None:
                return lord_id(fief.number)
    return ""


# --- the own Turn -----------------------------------------------------------------------------------------------------


def turn(asked: Asked[Table]) -> Answer | None:
    """Concede (SO-15), SO-14, then Canterbury (SO-18). A Turn under way is finished first."""
    if "SO-15" in asked.orders and not asked.frame(Turn).under_way:
        return Answer("concede", {"sure": "yes"})
    found = by("SO-14", _actions if asked.late else _closing)(asked)
    if found is None and not asked.late:
        return None
    return (by("SO-18", _canterbury)(asked) if found is None or found.option == "end" else None) or found


def _actions(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-14: all free actions, then the first legal Action (OR-DEC-13)."""
    state, table, ask, earl = asked.state, asked.table, asked.ask, asked.table.earls[asked.seat]
    listed = _turns(order)
    begun = [rows[n:] for rows in listed if _whole(rows) and (n := _played(rows, asked.frame(Turn).done))]
    whole = next((rows for rows in begun if _legal(state, earl.seat, rows)), None)
    if whole is None and begun and table.action_used:
        whole = begun[0]
    if whole is not None:
        return (_action(table, earl, ask, whole[0]) if whole else None) or Answer("end")
    for rows in listed:
        if _whole(rows) and (table.action_used or not _legal(state, earl.seat, rows)):
            continue
        found = _action(table, earl, ask, rows[0])
        if found is not None:
            return found
    return Answer("end") if table.action_used else None


def _turns(order: Answer) -> list[list[Answer]]:
    found: list[list[Answer]] = []
    for row in order.rows("turns"):
        if found and row.pick("with"):
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _whole(rows: list[Answer]) -> bool:
    return len(rows) > 1 or rows[0].pick("count") != ""


def _played(rows: list[Answer], done: list[str]) -> int:
    for n in range(min(len(rows), len(done)), 0, -1):
        if all(id in _options(row.pick("turn")) for row, id in zip(rows[:n], done[-n:], strict=True)):
            return n
    return 0


def _legal(state: OrtusState, seat: Seat, rows: list[Answer]) -> bool:
    if not rows:
        return True
    state, drawn = clone(state), False
    for row in rows:
        table = state.table
        if drawn and _options(row.pick("turn")) == ("garrison",):
            continue  # a drawn Army Card may fit
        found = _action(table, table.earls[seat], ask_of(state, seat), row)
        if found is None:
            return False
        if found.option == "end":
            return row is rows[-1]
        if found.option not in SURE:
            return True  # unpredictable from here
        play(state, seat, found, trusted=True)
        drawn = drawn or found.option in DRAWING
        if seat not in state.waiting or state.stack[-1].step != "turn":
            return True
    return True


DRAWING = ("place", "castle", "recruit")
"""Actions that draw Army Cards."""
SURE = (*DRAWING, "tower", "garrison", "install", "mercenary")
"""Actions with a predictable continuation."""


def gives(state: OrtusState, seat: Seat, answer: Answer) -> None:
    """Record actions done by orders; manual ones aren't rows."""
    frame = state.stack[-1]
    if isinstance(frame, Turn) and answer.option not in ("enter", "leave"):  # SO-18's, never in rows
        frame.done.append(answer.option)


def _closing(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-14: end the Turn after its Action, if set."""
    return Answer("end") if order.pick("close") and asked.table.action_used else None


FEAST = 3
"""Deck size that allows a Banquet and the closing draw (OR-BANQ-2)."""


def _action(table: Table, earl: Earl, ask: Ask, wish: Answer) -> Answer | None:
    action = wish.pick("turn")
    what, which = _named(action)
    if which == "last" and earl.deck:
        return None
    option = next((o for o in ask.options if o.id in _options(action)), None)
    if option is None or (what == "banquet" and len(earl.deck) < FEAST and table.ruled("SO-14") == "spared"):
        return None
    if what == "tower":
        cards = _towers(earl, which, wish.pick("count"))
        return Answer(what, {"cards": cards}) if cards else None
    values: dict[str, Value] = {}
    for field in option.fields:
        if isinstance(field, PickOne):
            able = [c.id for c in field.choices if not which or field.name != "card" or kind(c.id) == which]
            if field.name in ("target", "aim"):
                able = _aimed(table, able, which, wish)
            elif field.name == "fief":
                able = _own(earl, able, which, wish.pick("which"))
            elif field.name == "slot":
                meant = what if what == "royal" else wish.pick("mercenary")
                able = [slot for slot in able if meant in ("", slot)]
            if able:
                values[field.name] = able[0]
            elif not field.optional:
                return None
    if what == "attack":
        forces = _exactly(earl, option, wish.some("sent")) if wish.some("sent") else _sent(option, wish.pick("forces"))
        return Answer(what, {**values, **forces}) if forces else None
    return Answer(option.id, values)


def _towers(earl: Earl, which: str, count: str) -> list[str]:
    cards = [c for c in sorted(earl.hand) if kind(c) == which]
    n = COUNTS.index(count) + 1 if count else len(cards)
    return cards[:n] if n <= len(cards) else []


def _named(action: str) -> tuple[str, str]:
    return (action, "") if action in WHOLE else wish(action)


def _options(action: str) -> tuple[str, ...]:
    what, _ = _named(action)
    return OPENED.get(what, (what,))


WHOLE = frozenset(("monastery_church",))
"""Named exactly like their option."""
OPENED = {
    "bequeath": ("bequeath", "bequeath_church"),  # a Duke has the second only if the first is barred (OR-ROLE-37)
    "royal": ("garrison",),
}


def _own(earl: Earl, able: list[str], which: str, wanted: str) -> list[str]:
    fiefs = [f for f in earl.fiefs if f.id in able and _meant(f, wanted)]
    if wanted in ("weakest", "richest"):
        fiefs.sort(key=lambda f: _rank(earl, f, wanted))
    elif which == "Land":
        # Next to a Market Town a Land draws two.
        fiefs.sort(key=lambda f: not f.has("MarketTown"))
    elif which in FACES:
        fiefs.sort(key=lambda f: f.lord is not None)
    if which == "Prince" and (home := earl.prince_home()) is not None:
        fiefs = [f for f in fiefs if f is home]  # the only legal place (OR-LORD-3)
    return [f.id for f in fiefs]


def _meant(fief: Fief | None, wanted: str) -> bool:
    if wanted in ("", "weakest", "richest"):
        return True
    return fief is not None and wanted in (kind(fief.anchor).lower(), fief.id)


def _aimed(table: Table, able: list[str], which: str, wish: Answer) -> list[str]:
    whom, wanted = wish.pick("earl") or "any", wish.pick("which")
    found = []
    for id in able:
        told = parse(id)
        seat = told.seat or id
        if which not in ("", told.where) or whom not in ("any", f"earl:{seat}"):
            continue
        if told.where == "mercenary" and wish.pick("mercenary") not in ("", at("mercenary", told.number)):
            continue
        fief = table.earls[seat].fief(told.number) if told.where != "mercenary" else None
        if not _meant(fief, wanted):
            continue
        found.append((_worth(table.earls[seat], fief, told.where, told.number, wanted), id))
    return [id for _, id in sorted(found)]


def _worth(earl: Earl, fief: Fief | None, what: str, number: int, which: str) -> tuple[int, str, int]:
    if what == "mercenary":
        mercenary = earl.mercenary(number)
        return -(mercenary is not None and mercenary.garrison is not None), earl.seat, number
    if fief is None:
        return -len({"armies": earl.reserve, "tower": earl.towers}.get(what, earl.hand)), earl.seat, 0
    if what == "lord" and fief.lord is not None and kind(fief.lord) == "Prince":
        return 1, earl.seat, number  # his Fief would survive (OR-TRE-4)
    return _rank(earl, fief, which or ("weakest" if what in ("siege", "raid") else "richest"))


def _sent(option: Option, wish: str) -> dict[str, Value]:
    sent: dict[str, Value] = {}
    for field in option.fields:
        if isinstance(field, PickSome):
            by_id = field.name in ("lords", "others")
            ids = [c.id for c in field.choices for _ in range(c.most)]
            cards = [id for id in ids if (parse(id).where if by_id else field.name) in SENT[wish]]
            if field.name == "reserve":
                cards.sort(key=("Knight", "Infantry").index)
            if field.name == "hand":
                second = [c for c in cards if kind(c) == "Prince"][1:]
                cards = [c for c in cards if c not in second]
            if cards:
                sent[field.name] = cards[: field.most]
    return sent


def _exactly(earl: Earl, option: Option, wanted: list[str]) -> dict[str, Value] | None:
    left, sent = Counter(wanted), dict[str, Value]()
    for field in option.fields:
        if not isinstance(field, PickSome):
            continue
        cards: list[str] = []
        # Own colour first among equal Hand cards.
        for choice in sorted(field.choices, key=lambda c: field.name == "hand" and parse(c.id).owner != earl.seat):
            n = min(choice.most, left[_called(field.name, choice.id)])
            left[_called(field.name, choice.id)] -= n
            cards += [choice.id] * n
        if len(cards) > field.most:
            return None
        if cards:
            sent[field.name] = cards
    return None if any(left.values()) else sent


def _called(field: str, id: str) -> str:
    """Name of a card in orders: `hand:Champion`, `reserve:Knight`, `lord:F1`, `king`."""
    return id if field in ("lords", "others") else at(field, kind(id))


SENT = {
    "all_lords": frozenset(("lord", "king")),
    "lords_garrisons": frozenset(("lord", "king", "royal", "garrison")),
    "armies": frozenset(("royal", "garrison", "reserve")),
    "": frozenset(("lord", "king", "royal", "garrison", "mercenary", "reserve")),
    "everything": frozenset(("lord", "king", "royal", "garrison", "mercenary", "reserve", "hand")),
}


# --- roles ------------------------------------------------------------------------------------------------------------


def role(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-17: the first listed role, free or contestable with a set bid."""
    for wanted in order.some("role_order"):
        if asked.has(wanted):
            return Answer(wanted)
        contest = f"contest_{wanted}"
        if asked.has(contest):
            most = highest_bid(order, wanted)
            if most is None:
                return None
            if most:
                return Answer(contest)
    return None


def bid(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-17: the highest bid within the points left."""
    most = highest_bid(order, asked.fact("role"))
    return None if most is None else Answer("bid", {"points": min(most, int(asked.fact("left")))})


def highest_bid(order: Answer, role: str) -> int | None:
    given = order.pick(f"bid_{role}")
    return int(given.removeprefix("bid")) if given else None


def _canterbury(asked: Asked[Table], order: Answer) -> Answer | None:
    wish = {"in": "enter", "out": "leave"}.get(order.pick("canterbury"), "")
    return Answer(wish) if asked.has(wish) else None


def toll(asked: Asked[Table], order: Answer) -> Answer:
    """Payment of a captured Archbishop (SO-18)."""
    earl, field, wish = asked.table.earls[asked.seat], asked.ask.options[0].fields[0].name, order.some("toll_order")

    def rank(holding: str) -> tuple[int, tuple[bool | int, ...], int]:
        return wish.index(kind_of(earl, holding)), among_like(asked.table, earl, holding), parse(holding).number

    return Answer("pay", {field: min(asked.picks("pay", field), key=rank)})


def church_asset(asked: Asked[Table], order: Answer) -> Answer:
    """SO-19: spend it only if it changes the public count as wanted."""
    table, battle = asked.table, asked.frame(Battle)
    mine, theirs = int(asked.fact("churches")) + 1, [battle.churches(table, e.seat) for e in table.others(asked.seat)]
    most = max(theirs)
    decisive = mine == most + 1  # more decides without it
    match order.pick("church_when"):
        case "own":
            spend = decisive and asked.seat in (asked.fact("attacker"), asked.fact("defender"))
        case "decider":
            spend = decisive
        case "tie":
            # Two who lead alike are tied without it.
            spend = mine == most and (theirs.count(most) == 1 or table.ruled("SO-19") == "level")
        case _:
            spend = False
    return Answer("spend" if spend else "keep")


def levy(asked: Asked[Table], order: Answer) -> Answer:
    wish, able = order.pick("levy"), asked.picks("give", "card")
    return Answer("give", {"card": wish if wish in able else able[0]})


def deck(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-21: at the deadline."""
    return Answer("deck", {"cards": order.some("cards")}) if asked.late else None
