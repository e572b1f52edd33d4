"""The `idle` bot of Ortus: simple heuristics, a yardstick for other bots. Hosts aren't offered it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.bots.thinking import Thought, offers, think
from engine.core.asks import Answer, Ask, Assign, Seat, picks
from engine.core.chance import Chance
from engine.game import AnyState, Game
from engine.ortus.rules.combat import Battle, hand_forces, lord_ids, other_force, other_ids
from engine.ortus.rules.pieces import LORE, SEND, at, cards, kind, parse, strength
from engine.ortus.rules.politics import Politics
from engine.ortus.rules.roles import may_install
from engine.ortus.rules.table import Earl, Fief, Table
from engine.ortus.steady import building, court, war

DECKS = ("steward", "pretender", "marshal")
ROLE_DECKS = {"king": ("sovereign",), "archbishop": ("primate",), "duke": ("magnate",)}
LOW_DECK = 5
"""Deck size at which to prepare the Bequest."""


def idle(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    return think(THOUGHTS, state, seat, chance)


# --- the deck ---------------------------------------------------------------------------------------------------------


def _deck(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    decks = ROLE_DECKS.get(state.table.earls[ask.seat].role, DECKS)
    name = decks[chance.below(len(decks), "house-deck")]
    return Answer("deck", {"cards": cards(LORE["house_decks"][name])})


def _role(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    return Answer(ask.options[chance.below(len(ask.options), "role")].id)


# --- the own Turn -----------------------------------------------------------------------------------------------------


def _turn(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    table: Table = state.table
    earl = table.earls[ask.seat]
    if offers(ask, "garrison"):
        return building.garrison(table, earl)
    if not table.action_used:
        for plan in PLANS:
            answer = plan(table, earl, ask)
            if answer is not None:
                return answer
    canterbury = _canterbury(table, earl, ask)
    if canterbury is not None:
        return canterbury
    surplus = _surplus(table, earl)
    if surplus and offers(ask, "tower"):
        return Answer("tower", {"cards": list(surplus)})
    return Answer("end")


def _canterbury(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    safe = any(f.properties for f in earl.fiefs) or _defence(table, earl) >= 3
    if safe and offers(ask, "enter"):
        return Answer("enter")
    return Answer("leave") if not safe and offers(ask, "leave") else None


def _surplus(table: Table, earl: Earl) -> list[str]:
    waste = [c for c in earl.hand if kind(c) == "Cathedral" and table.cathedral_holder() is not None]
    waste += [c for c in earl.hand if kind(c) == "Banquet" and len(earl.deck) < 6]
    rest = sorted((c for c in earl.hand if c not in waste), key=lambda c: KEEP.get(kind(c), 0))
    while len(rest) > 7:
        waste.append(rest.pop(0))
    return waste


KEEP = {"Monk": 0, "Cathedral": 1, "Church": 2, "Mercenary": 3, "MarketTown": 3, "Land": 4, "Intrigue": 4}
KEEP |= {"Treachery": 5, "Castle": 5, "Vassal": 6, "Champion": 7, "Allies": 8, "Prince": 9, "Banner": 9, "Banquet": 1}


def _bequeath(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    """Bequeath before the deck is empty, or with a much larger discard pile."""
    if offers(ask, "bequeath") and (len(earl.deck) <= 1 or (len(earl.deck) <= LOW_DECK and len(earl.discard) >= 8)):
        return Answer("bequeath")
    if offers(ask, "bequeath_church") and len(earl.deck) <= 1:
        return Answer("bequeath_church")
    return None


def _prepare_bequest(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    if len(earl.deck) <= LOW_DECK + 3:
        return _install_prince(table, earl, ask)
    return None


def _install_prince(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    prince = earl.in_hand("Prince")
    if prince is None or earl.prince_home() is not None:
        return None
    home = _home_for_lord(earl)
    return Answer("install", {"card": prince, "fief": home.id}) if home else None


def _home_for_lord(earl: Earl) -> Fief | None:
    empty = [f for f in earl.fiefs if f.lord is None]
    weak = [f for f in earl.fiefs if f.lord is not None and kind(f.lord) == "Monk"]
    return next(iter(empty or weak), None)


def _castle(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    anchors = picks(ask, "castle", "card")
    return Answer("castle", {"card": anchors[0]}) if anchors and len(earl.fiefs) < 4 else None


def _place(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    if not offers(ask, "place"):
        return None
    best = max(earl.fiefs, key=lambda f: (f.capacity(), f.has("MarketTown"), -f.number))
    for what in ("MarketTown", "Land", "Church", "Cathedral"):
        card = earl.in_hand(what)
        if card is None or (what == "MarketTown" and best.has(what)) or (what == "Land" and earl.holds("Land") >= 4):
            continue
        if what == "Cathedral" and table.cathedral_holder() is not None:
            continue
        if what == "Church" and earl.holds("Church"):
            continue
        return Answer("place", {"card": card, "fief": best.id})
    return None


def _lord(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    home = next((f for f in earl.fiefs if f.lord is None), None)
    if home is None:
        return None
    for what in ("Prince", "Vassal", "Champion", *(("Monk",) if earl.role == "archbishop" else ())):
        card = earl.in_hand(what)
        if card is not None and may_install(earl, card) and (what != "Prince" or earl.prince_home() is None):
            return Answer("install", {"card": card, "fief": home.id})
    return None


def _hire(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    return Answer("mercenary") if offers(ask, "mercenary") else None


def _recruit(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    return Answer("recruit") if offers(ask, "recruit") and len(earl.reserve) <= earl.capacity() + 1 else None


def _banquet(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    return Answer("banquet") if offers(ask, "banquet") and len(earl.deck) >= 10 and len(earl.hand) <= 4 else None


def _politics(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    """Treachery takes a whole Fief, but not from a Prince."""
    if offers(ask, "treachery"):
        best = max(picks(ask, "treachery", "aim"), key=lambda aim: _treachery_worth(table, aim))
        if _treachery_worth(table, best) >= 2:
            return Answer("treachery", {"aim": best})
    if offers(ask, "intrigue"):
        best = max(picks(ask, "intrigue", "aim"), key=lambda aim: _intrigue_worth(table, aim))
        if _intrigue_worth(table, best) >= 2:
            return Answer("intrigue", {"aim": best})
    return None


def _treachery_worth(table: Table, aim: str) -> float:
    told = parse(aim)
    victim = table.earls[told.seat]
    if told.where == "lord":
        fief = victim.fief(told.number)
        assert fief is not None and fief.lord is not None
        if kind(fief.lord) == "Prince":
            return 3 if len(victim.deck) <= LOW_DECK else 1.5
        return 12 if len(victim.fiefs) == 1 else 3 + len(fief.properties)
    return min(2, len(victim.hand)) if told.where == "hand" else 2


def _intrigue_worth(table: Table, aim: str) -> float:
    told = parse(aim)
    victim = table.earls[told.seat]
    if told.where == "properties":
        return 1.2 * min(2, len(victim.held_fief(told.number).properties))
    return min(2, len(victim.reserve)) if told.where == "armies" else 2.5


def _emissary(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    monk = earl.in_hand("Monk")
    return Answer("emissary", {"card": monk}) if monk else None


def _display(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    spare = sum(kind(c) == "Banner" for c in earl.hand) - 1
    return Answer("display") if offers(ask, "display") and spare + len(earl.banners) >= 2 and spare > 0 else None


# attacks


def _attack(table: Table, earl: Earl, ask: Ask) -> Answer | None:
    if not offers(ask, "attack"):
        return None
    forces, points = _striking_force(table, earl)
    best: tuple[float, str] | None = None
    for target in picks(ask, "attack", "target"):
        worth = _attack_worth(table, target, points)
        if worth > 0 and (best is None or worth > best[0]):
            best = (worth, target)
    if best is None or best[0] < 1.5:
        return None
    return Answer("attack", {"target": best[1], **forces})


def _striking_force(table: Table, earl: Earl) -> tuple[dict[str, str | int | list[str] | dict[str, str]], int]:
    lords = [i for i in lord_ids(earl) if _lord_kind(earl, i) != "Monk"]
    reserve = sorted(earl.reserve, key=lambda t: -SEND[t])[: earl.capacity()]
    others = other_ids(table, earl)
    points = sum(SEND[_lord_kind(earl, i)] for i in lords) + sum(SEND[t] for t in reserve)
    points += sum(other_force(earl, id).send for id in others)
    return {"lords": lords, "reserve": reserve, "others": others}, points


def _lord_kind(earl: Earl, id: str) -> str:
    fief = earl.fief(parse(id).number)
    assert fief is not None and fief.lord is not None
    return kind(fief.lord)


def _defence(table: Table, earl: Earl) -> float:
    seen = len(lord_ids(earl)) + len(other_ids(table, earl)) + min(len(earl.reserve), earl.capacity())
    return 0.8 * seen + 0.15 * len(earl.hand)


def _attack_worth(table: Table, target: str, points: int) -> float:
    told = parse(target)
    what, victim = told.where, table.earls[told.seat]
    left = points - _defence(table, victim) - (0 if what in ("tower", "canterbury") else victim.walls)
    if what == "tower":
        return 0.4 * min(max(0.0, left), len(victim.towers))
    if what == "canterbury":
        # A Holding of the Archbishop's choice, and his powers.
        return 3 if left >= 1 else 0
    fief = victim.held_fief(told.number)
    if what == "raid":
        return 1.1 * min(max(0.0, left), len(fief.properties))
    if left < strength(fief.anchor):
        return 0
    return 20 if len(victim.fiefs) == 1 else 3 + len(fief.properties)


Plan = Callable[[Table, Earl, Ask], Answer | None]
PLANS: tuple[Plan, ...] = (
    _bequeath,
    _prepare_bequest,
    _attack,
    _castle,
    _install_prince,
    _place,
    _lord,
    _hire,
    _politics,
    _display,
    _recruit,
    _banquet,
    _emissary,
)


# --- defence and Battles ----------------------------------------------------------------------------------------------


def _defend(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    battle: Battle = state.stack[-1]
    table: Table = state.table
    earl = table.earls[ask.seat]
    if not offers(ask, "field"):
        return Answer("stand_down")
    points, towers, last = battle.sent(battle.attacking), earl.walls, False
    if battle.what == "siege":
        fief = earl.held_fief(battle.number)
        need, last = points - towers - strength(fief.anchor) + 1, len(earl.fiefs) == 1
    else:
        need = points - (0 if battle.what in ("tower", "canterbury") else towers)
    if need <= 0:
        return Answer("stand_down")
    chosen = _enough(table, earl, need, with_hand=last or battle.what == "siege")
    count = sum(len(v) for v in chosen.values())
    if not count or (count < need and not last and battle.what == "siege"):
        return Answer("stand_down")
    return Answer("field", {k: list(v) for k, v in chosen.items() if v})


def _enough(table: Table, earl: Earl, need: int, with_hand: bool) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {"lords": [], "hand": [], "reserve": [], "others": []}
    pool = war.fieldable(table, earl)
    if with_hand:
        pool += [("hand", c) for c in hand_forces(earl) if kind(c) != "Prince"]
    for name, id in pool[:need]:
        chosen[name].append(id)
    return chosen


def _ransom(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    earl = state.table.earls[ask.seat]
    field = next((f for f in ask.option("pay").fields if isinstance(f, Assign)), None)
    if field is None:
        return Answer("none")
    coins = sorted((c.id for c in field.targets for _ in range(c.most) if parse(c.id).card), key=_coin)
    pairs: dict[str, str] = {}
    for lord in field.items:
        if coins and _lord_kind(earl, lord.id) in ("Prince", "Champion"):
            pairs[lord.id] = coins.pop(0)
    return Answer("pay", {"payments": dict(pairs)}) if pairs else Answer("none")


def _coin(id: str) -> int:
    order = ("Church", "Cathedral", "Land", "MarketTown")
    return order.index(parse(id).kind)


def _church(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    battle: Battle = state.stack[-1]
    return Answer("AW" if battle.attacker == ask.seat else "DW")


# --- politics ---------------------------------------------------------------------------------------------------------


def _allies(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    earl = state.table.earls[ask.seat]
    option = "allies" if offers(ask, "allies") else "asset"
    if not offers(ask, option):
        return Answer("decline")
    attempt: Politics = state.stack[-1]
    held = sum(kind(c) == "Allies" for c in earl.hand)
    return Answer(option) if attempt.aim in ("lord", "properties", "mercenary") or held > 1 else Answer("decline")


def _commit(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    if not offers(ask, "commit"):
        return Answer("pass")
    hand = [v for v in picks(ask, "commit", "vassal") if parse(v).where == "hand"]
    mine = ask.about.get("attackers" if ask.kind == "commit" else "defenders")
    return Answer("commit", {"vassal": hand[0]}) if hand and isinstance(mine, int) and mine < 2 else Answer("pass")


def _vikings(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    table: Table = state.table
    points = sum(SEND[c] for c in table.force)
    targets = [t for t in picks(ask, "attack", "target") if parse(t).seat != ask.seat]
    best = max(targets, key=lambda t: _attack_worth(table, t, points), default=None)
    if best is None or _attack_worth(table, best, points) <= 0:
        return Answer("hold")
    return Answer("attack", {"target": best})


def _enter(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    earl = state.table.earls[ask.seat]
    if offers(ask, "stand_aside"):
        return Answer("stand_aside")
    if offers(ask, "opt_out") and sum(kind(c) == "Banner" for c in earl.hand) > 1:
        return Answer("opt_out")
    ante = ask.default.pick("ante")
    if offers(ask, "tilt"):
        for what in ("Champion", "Vassal"):
            card = earl.in_hand(what)
            if card is not None:
                return Answer("tilt", {"ante": ante, "tilter": at("hand", card)})
    return Answer("ante", {"ante": ante})


THOUGHTS: dict[str, Thought] = {
    "role": _role,
    "bid": court.bid,
    "deck": _deck,
    "turn": _turn,
    "defend": _defend,
    "ransom": _ransom,
    "church_asset": war.church_asset,
    "church": _church,
    "allies": _allies,
    "commit": _commit,
    "counter": _commit,
    "vikings": _vikings,
    "levy": court.levy,
    "enter": _enter,
}
"""Ask kind -> function; others get the safe default."""


def measured(game: Game) -> Game:
    """Ortus with this bot; any other game as it is."""
    if game.name != "ortus":
        return game
    return replace(game, bots=replace(game.bots, players={"idle": idle, **game.bots.players}))
