"""The `steady` bot of Fief: completes Fiefs, marries, buys titles and Cardinals, guards Cities, fights at good odds, or at
worse ones to stop a winner. A function per ask kind yields candidates, before the safe default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.bots.thinking import Thought, think
from engine.core import procedure
from engine.core.asks import Answer, Ask, Row, Seat, picks
from engine.core.chance import Chance
from engine.core.cloning import clone
from engine.core.procedure import AnyState
from engine.fief.rules.court.cards import room_for_lords
from engine.fief.rules.court.consent import has_to_consent, hatless
from engine.fief.rules.court.elections import BISHOP, KING
from engine.fief.rules.court.ransom import full_ransom
from engine.fief.rules.playing import gain, most_mills
from engine.fief.rules.purchase import HAT, recruits, strongholds, titles_open, whole_fiefs
from engine.fief.rules.realm.pieces import AMBUSH, HARVEST, PASSAGE
from engine.fief.rules.realm.table import AFTER, Lord, Person, Place, Table, points, strength, total
from engine.fief.rules.realm.titles import cardinal_for_sale
from engine.fief.rules.round import ALLIED, score
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.forces import PENALTY, Side, behind_walls, dice_of, penalty
from engine.fief.rules.war.marching import able, moves_of
from engine.fief.rules.war.movement import Movement, leave_needed, order_of
from engine.fief.rules.war.siege import battlefields

ODDS = 1.3
RESERVE = 2
GARRISON, GUARD = 1, 3
"""Men-at-Arms left in a village; Troops wanted in an own City."""
DETOUR = 0.4
KEPT = ("uprising", "secret_passage", "taxes", "justice", "ambush", "assassination", "d_arc", "cardinal")
"""Cards to part with for a Lord: unlisted first, then in this order."""
LATE, LEAST_ODDS = 8, 0.8
"""Rounds after which risk grows, down to these odds."""
LAST_ODDS = 0.3
"""Odds accepted against a rival about to win."""


def steady(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    found, ask = think(THOUGHTS, state, seat, chance), procedure.ask_of(state, seat)
    ends = any(field.name == AFTER.name for field in ask.option(found.option).fields)
    return _ended(state, ask, found, chance) if ends else found


def _ended(state: AnyState, ask: Ask, answer: Answer, chance: Chance) -> Answer:
    """Adds the end of the turn if a trial copy leaves nothing more to do."""
    trial = clone(state)
    procedure.play(trial, ask.seat, answer)
    if ask.seat not in trial.waiting or procedure.ask_of(trial, ask.seat).kind != ask.kind:
        return answer
    more = think(THOUGHTS, trial, ask.seat, chance).option != "done"
    return answer if more else Answer(answer.option, {**answer.values, AFTER.name: "end"})


# --- rivals -----------------------------------------------------------------------------------------------------------


def leader(table: Table, seat: Seat) -> Seat:
    """The rival closest to winning; ties by villages."""
    ally = table.ally(seat)
    rivals = [s for s in table.others(seat) if s != ally]
    return max(rivals, key=lambda s: (score(table, s)[0], len(table.controlled(s))))


def missing(table: Table, seat: Seat) -> int:
    """Points still needed; at most 0 wins at the round's end."""
    own, goal = score(table, seat)
    return goal - own


def close_to_winning(table: Table, seat: Seat) -> bool:
    return missing(table, seat) <= 1


def odds(table: Table, seat: Seat, place: Place, foes: Iterable[Seat]) -> float:
    """Ratio of dice times strength; above 1 the seat is favoured."""
    own, other = Side(place, [seat]), Side(place, list(foes))
    if not other.has_troops(table):
        return 9.0  # Lords captured without a roll
    dice, theirs = own.dice(table, penalty(table, own) if behind_walls(table, other.seats, place) else 0), other.strength(table)
    return (dice * own.strength(table)) / max(1, dice_of(theirs) * theirs)


def own_cities(table: Table, seat: Seat) -> list[Place]:
    return [v.id for v in table.controlled(seat) if v.walls == "city"]


def aim(table: Table, seat: Seat) -> list[str]:
    """Wanted Fiefs, nearest to completion first."""

    def lacks(fief: str) -> tuple[float, str]:
        land = table.lore.lands[fief]
        held = [table.villages[v].controller for v in land.villages]
        lacking = sum(0 if s == seat else 1 if not s else 2.5 for s in held)
        walls = 0 if any(table.villages[v].walls and table.villages[v].controller == seat for v in land.villages) else 2
        return lacking + walls + land.title_price / 8, fief

    return sorted((fief for fief in table.lore.lands if table.lord_of(fief) != seat), key=lacks)


# --- setup and step 1 -------------------------------------------------------------------------------------------------


def _purses(_state: FiefState, _ask: Ask, _chance: Chance) -> Iterator[Answer]:
    yield Answer("yes")


def _village(state: FiefState, ask: Ask, chance: Chance) -> Iterator[Answer]:
    table = state.table

    def worth(place: Place) -> tuple[float, int]:
        land = table.land_of(place)
        alone = not any(table.villages[v].controller for v in land.villages)
        near = sum(bool(table.villages[v].controller) for v in table.roads(place))
        return (5 - len(land.villages)) * alone - near + table.lore.sites[place].principal * 0.5, chance.below(100, "village")

    yield Answer("found", {"at": max(picks(ask, "found", "at"), key=worth)})


def _court(state: FiefState, ask: Ask, chance: Chance) -> Iterator[Answer]:
    table, seat = state.table, ask.seat
    alone = missing(table, seat)

    def left(other: Seat) -> int:
        """Points needed as allies; one less if the seat alone needs more than one."""
        return ALLIED - points(table, seat) - points(table, other) - (alone > 1)

    suits = {suit: table.lords[suit.partition("+")[0]].seat for suit in picks(ask, "accept", "suit")}
    welcome = [suit for suit, by in suits.items() if left(by) <= alone]
    if welcome:
        yield Answer("accept", {"suit": min(welcome, key=lambda suit: (left(suits[suit]), suit))})
    propose = next((o for o in ask.options if o.id == "propose"), None)
    if propose is not None and not suits and chance.below(3, "court"):
        own = sorted(table.family(seat), key=lambda p: (p.titles, p.id))
        others = [p for p in table.lords.values() if p.seat != seat and left(p.seat) <= alone]
        others.sort(key=lambda p: (left(p.seat), not p.king, p.id))
        for lord in own:
            for other in others:
                row: Row = {"lord": lord.id, "other": other.id}
                yield Answer("propose", {"suits": [row]})
    yield ask.default


def _stand(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    """Never stand against an ally's candidate, which would split votes."""
    table, office, ally = state.table, ask.about["office"], state.table.ally(ask.seat)
    if ally and any(table.lords[id].seat == ally for id in ask.listed("candidates") if id in table.lords):
        yield Answer("none")
    lords = [table.lords[id] for id in picks(ask, "stand", "lord")]
    best = max(lords, key=lambda p: (p.titles if office == KING else -len(p.fiefs), p.id))
    if office == BISHOP and best.prince:
        yield Answer("none")
    yield Answer("stand", {"lord": best.id})


def _vote(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    """Vote for its own, its ally's, or the weakest candidate, never for a winner."""
    table, seat = state.table, ask.seat
    ally = table.ally(seat)

    def worth(id: str) -> tuple[bool, bool, int]:
        owner = table.lords[id].seat
        return owner == seat, owner == ally, -score(table, owner)[0]

    best = max(picks(ask, "vote", "for"), key=worth)
    owner = table.lords[best].seat
    if owner not in (seat, ally) and close_to_winning(table, owner):
        yield Answer("none")
    yield Answer("vote", {"for": best})


# --- phase 2 ----------------------------------------------------------------------------------------------------------


def _discard(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    table, seat = state.table, ask.seat
    hand = table.families[seat].hand
    if len(hand) == table.limits["hand"]:
        spare = [c for c in hand if hand.count(c) > 1] or [c for c in hand if c == HARVEST]
        lords = [c for c in hand if table.lore.kinds[c].kind == "lord"]
        if not spare and not lords and len(table.free(seat)) < 2:
            spare = sorted(hand, key=lambda c: KEPT.index(c) if c in KEPT else -1)
        if spare:
            yield Answer("discard", {"cards": spare[:1]})


def _draw(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    if room_for_lords(state.table, ask.seat):
        yield Answer("lords")
    yield Answer("fortune")


def _play(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    table, seat = state.table, ask.seat
    for card in picks(ask, "lord", "card"):
        at = max(picks(ask, "lord", "at"), key=lambda place: (sum(table.troops(seat, place)), place))
        yield Answer("lord", {"card": card, "at": at})
    gains = {levy: gain(table, seat, levy) for levy in picks(ask, "tax", "levy")}
    if gains and max(gains.values()) >= 3:
        yield Answer("tax", {"levy": max(gains, key=lambda levy: gains[levy])})
    for option in ("harvest", "weather"):
        if on := most_mills(table, seat, picks(ask, option, "on")):
            yield Answer(option, {"on": on})
    yield Answer("done")


# --- phase 4 ----------------------------------------------------------------------------------------------------------


def _purchase(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    table, seat = state.table, ask.seat
    purse = table.families[seat].deniers
    for gift in picks(ask, "gift", "title"):
        if table.lords[gift.partition("/")[2]].seat == seat:
            yield Answer("gift", {"title": gift})
    for fief in titles_open(table, seat):
        for lord in table.with_room(seat):
            yield _buy([{"what": "title", "at": strongholds(table, fief)[0], "lord": lord.id}])
    for p in table.family(seat):
        if p.captor and full_ransom(table, p) <= purse and p.titles:
            yield Answer("ransom", {"captive": p.id, "sum": full_ransom(table, p)})
    yield from _build(table, seat, purse)
    yield Answer("done")


def _buy(rows: list[Row]) -> Answer:
    return Answer("buy", {"items": [{"n": 1, **row} for row in rows]})


def _build(table: Table, seat: Seat, purse: int) -> Iterator[Answer]:
    saved = 0
    for fief in sorted(whole_fiefs(table, seat), key=lambda fief: (table.lore.lands[fief].title_price, fief)):
        own = table.lore.lands[fief].villages
        if any(table.villages[v].walls for v in own):
            saved = table.lore.lands[fief].title_price
        elif purse >= table.lore.prices["stronghold"]:
            yield _buy([{"what": "stronghold", "at": max(own, key=lambda v: (sum(table.troops(seat, v)), v))}])
        else:
            return  # saving for walls
    spare = purse - saved - RESERVE
    bishops = _to_be_hatted(table, seat, hatless(table)) if cardinal_for_sale(table) else []
    if bishops and spare >= table.lore.prices["cardinal"] - RESERVE:
        yield _buy([{"what": HAT, "lord": bishops[0]}])
    for place in recruits(table, seat, own_cities(table, seat)):
        lacking = min(GUARD - sum(table.troops(seat, place)), table.stock(seat)[0], spare)
        if lacking > 0:
            yield _buy([{"what": "maa", "at": place, "n": lacking}])
    safe = [v.id for v in table.controlled(seat) if table.occupies(seat, v.id) and v.mills < 2 and not table.besieged(v.id)]
    if spare >= 3 and safe and table.round < 12:
        yield _buy([{"what": "mill", "at": safe[0]}])
    if spare > 0:
        for host in sorted(table.free(seat), key=lambda p: (-strength(table, seat, p.at), p.id)):
            yield from _levy(table, seat, host.at, spare)


def _levy(table: Table, seat: Seat, place: Place, spare: int) -> Iterator[Answer]:
    most = table.limits["new_troops_per_village"]
    knights = min(spare // 3, 2 if spare < 3 * most else most, table.stock(seat)[1])
    rows: list[Row] = [{"what": "knight", "at": place, "n": knights}] if knights else []
    men = min(spare - 3 * knights, most - knights, table.stock(seat)[0])
    rows += [{"what": "maa", "at": place, "n": men}] if men > 0 else []
    if rows:
        yield _buy(rows)


def _to_be_hatted(table: Table, seat: Seat, bishops: Iterable[Lord]) -> list[Lord]:
    """Own Bishops first, then the ally's; none if another's Pope must consent."""
    sides = [s for s in (seat, table.ally(seat)) if s] if has_to_consent(table, seat) is None else []
    return [id for s in sides for id in bishops if table.lords[id].seat == s]


def _ransom_answer(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    total, full = ask.about["sum"], ask.about["full"]
    assert isinstance(total, int) and isinstance(full, int)
    yield Answer("yes" if 2 * total >= full else "no")


# --- phase 5 ----------------------------------------------------------------------------------------------------------


def _movement(state: FiefState, ask: Ask, chance: Chance) -> Iterator[Answer]:
    table, seat = state.table, ask.seat
    won = missing(table, seat) <= 0
    for lord in sorted(table.free(seat), key=lambda p: (-strength(table, seat, p.at), p.id)):
        if won and lord.at in own_cities(table, seat):
            continue  # keep what already wins
        if lord.halted or lord.moves >= moves_of(table, lord, [lord.id]):
            continue
        found = _march(table, seat, lord, chance)
        if found is not None and not refused_already(state, seat, found):
            yield Answer("move", {"moves": [found]})
    yield Answer("done")


def refused_already(state: FiefState, seat: Seat, row: Row) -> bool:
    order, frame = order_of(Answer("move", {"moves": [row]}).rows("moves")[0]), state.stack[-1]
    at = state.table.lords[order.lords[0]].at
    denied = frame.denied if isinstance(frame, Movement) else []
    return any((s, at) in denied for s in leave_needed(state.table, seat, order))


def _march(table: Table, seat: Seat, lord: Person, chance: Chance) -> Row | None:
    """The best destination or a step towards one: no army waits forever."""
    fresh = [g for g in able(table, seat, [lord.id]) if not g.moves]
    groups = [g for g in fresh if g.road == lord.road] or fresh  # Troops on another road would need leave to go back
    maa, knights = total(groups)
    stay = _stay(table, seat, lord.at)
    maa, knights = max(0, maa - stay), knights - (knights > 0 and stay > maa)
    if stay > maa + knights and stay == GUARD and len(table.free(seat, lord.at)) == 1 and not sum(table.troops(seat, lord.at)):
        return None  # the City's only guard
    wanted = aim(table, seat)
    worth = {place: _worth(table, seat, place, maa, knights, wanted) for place in table.villages}
    moves = moves_of(table, lord, [lord.id]) - lord.moves
    goals: dict[tuple[Place, ...], float] = {(to,): worth[to] for to in table.roads(lord.at)}
    if moves > 1:
        through = [to for to in table.roads(lord.at) if _open(table, seat, to)]
        goals |= {(to, then): worth[then] - DETOUR for to in through for then in table.roads(to) if then != lord.at}
    best = max(goals, key=lambda path: (goals[path], chance.below(100, "march")))
    here = 1.0 if len(battlefields(table, seat).get(lord.at, [])) else 0.0
    path: Sequence[Place] = best
    if goals[best] <= here:
        if here or not maa + knights or table.besieged(lord.at):
            return None
        path = _towards(table, seat, lord.at, worth)[:moves]
        if not path:
            return None
    row: Row = {"lords": [lord.id], "maa": maa, "knights": knights, "to": path[0], "refused": "stay"}
    if len(path) > 1:
        row["then"] = path[1]
    if table.ally(seat) and table.villages[path[-1]].controller == table.ally(seat):
        row["guest"] = "guest"
    return row


def _stay(table: Table, seat: Seat, place: Place) -> int:
    if table.villages[place].controller != seat:
        return 0
    if table.villages[place].walls == "city":
        return GUARD
    return GARRISON if len(table.free(seat, place)) == 1 else 0


def _open(table: Table, seat: Seat, place: Place) -> bool:
    return not (table.rainy(place) or table.plagued(place) or any(s != seat for s in table.armies(place)))


def _towards(table: Table, seat: Seat, at: Place, worth: dict[Place, float]) -> list[Place]:
    came: dict[Place, Place] = {at: ""}
    ring = [at]
    while ring:
        found = max((to for to in ring if worth[to] > 0 and to != at), key=lambda to: worth[to], default=None)
        if found is not None:
            path = [found]
            while came[path[0]] != at:
                path.insert(0, came[path[0]])
            return path
        ring = [
            to
            for place in ring
            if place == at or _open(table, seat, place)
            for to in table.roads(place)
            if to not in came and came.setdefault(to, place)
        ]
    return []


def odds_wanted(table: Table, seat: Seat, last: bool = False) -> float:
    """Required odds: lower with a full army, in late rounds, and where a rival wins else (`last`)."""
    if last:
        return LAST_ODDS
    full = sum(table.stock(seat)) < 4
    return max(LEAST_ODDS, (1.0 if full else ODDS) - 0.02 * max(0, table.round - LATE))


def _winning(table: Table, seat: Seat, foes: Iterable[Seat], place: Place) -> bool:
    return table.villages[place].walls == "city" and any(
        missing(table, s) <= 0 and table.villages[place].controller == s for s in foes if s not in (seat, table.ally(seat))
    )


def _worth(table: Table, seat: Seat, to: Place, maa: int, knights: int, aims: Sequence[str]) -> float:
    village, land = table.villages[to], table.land_of(to)
    wanted = aims.index(land.id) if land.id in aims else 9
    value = max(0.0, 6 - 2 * wanted)
    holder = village.controller
    if table.rainy(to) or (table.plagued(to) and maa + knights > 2):
        return -1
    if holder == seat:
        return 0.5 if table.besieged(to) else 0.0
    if not holder:
        return value + 2
    if holder == table.ally(seat):
        return -0.5
    present = [s for s in table.armies(to) if s not in (seat, table.ally(seat))]
    last = _winning(table, seat, [holder], to)
    if not present:
        return value + (4 if village.walls == "city" else 2.5) + 4 * last
    own, theirs = maa + 3 * knights + 1, sum(strength(table, s, to) for s in present)
    walls = PENALTY.get(village.walls, 0)
    dice = max(0, dice_of(own) - walls)
    if dice * own < odds_wanted(table, seat, last) * max(1, dice_of(theirs) * theirs) or not maa + knights:
        return -1
    hunted = 2.0 if holder == leader(table, seat) and close_to_winning(table, holder) else 0.0
    return value + 1 + hunted + 4 * last + (2 if village.walls == "city" else 0)


def _leave(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    yield Answer("yes" if ask.about["seat"] == state.table.ally(ask.seat) else "no")


# --- phase 6 ----------------------------------------------------------------------------------------------------------


def _battles(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    table, seat = state.table, ask.seat
    ally = table.ally(seat)
    fields = {place: [s for s in foes if s != ally] for place, foes in battlefields(table, seat).items()}
    for place in sorted(picks(ask, "attack", "at"), key=lambda p: -odds(table, seat, p, fields.get(p, []))):
        foes = fields.get(place)
        if foes and odds(table, seat, place, foes) >= odds_wanted(table, seat, _winning(table, seat, foes, place)):
            yield Answer("attack", {"at": place, "against": foes})
    if places := [place for place in picks(ask, "done", "start") if table.villages[place].controller != ally]:
        yield Answer("done", {"start": places[: table.engines_left(seat)]})
    yield Answer("done")


def _side(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    ally = state.table.ally(ask.seat)
    if ally in ask.listed("defenders"):
        yield Answer("defend")
    elif ally in ask.listed("attackers"):
        yield Answer("attack")
    yield Answer("neutral")


def _battle_next(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    table, seat = state.table, ask.seat
    attacking = seat in ask.listed("attackers")
    foes = ask.listed("defenders" if attacking else "attackers")
    good = odds(table, seat, str(ask.about["at"]), foes) >= min(1.0, odds_wanted(table, seat))
    hand = table.families[seat].hand
    if AMBUSH in hand and (prey := picks(ask, "continue", "lord")):
        yield Answer("continue", {"card": AMBUSH, "lord": prey[0]})
    if not good:
        if attacking:
            yield Answer("stop")
        yield Answer("truce", {"terms": "as_is"})
    yield Answer("continue")


def _muster(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    if PASSAGE in picks(ask, "ready", "card"):
        yield Answer("ready", {"card": PASSAGE})
    yield Answer("ready")


def _pillage(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    besieged = [v for v in map(state.table.villages.get, picks(ask, "pillage", "mills")) if v and v.controller != ask.seat]
    if besieged:
        yield Answer("pillage", {"mills": [v.id for v in besieged for _ in range(v.mills)]})


def _calm(state: FiefState, ask: Ask, _chance: Chance) -> Iterator[Answer]:
    if state.table.villages[str(ask.about["at"])].controller == ask.seat:
        yield Answer("cardinal")
        yield Answer("bishop")
    yield Answer("none")


THOUGHTS: dict[str, Thought] = {
    "purses": _purses,
    "village": _village,
    "court": _court,
    "stand": _stand,
    "vote": _vote,
    "discard": _discard,
    "draw": _draw,
    "play": _play,
    "purchase": _purchase,
    "ransom_answer": _ransom_answer,
    "movement": _movement,
    "leave": _leave,
    "battles": _battles,
    "side": _side,
    "battle_next": _battle_next,
    "muster": _muster,
    "pillage": _pillage,
    "calm": _calm,
}


# --- powers and proposals ---------------------------------------------------------------------------------------------


def answer_offer(state: AnyState, seat: Seat, ask: Ask, chance: Chance) -> Answer | None:
    """Answer a proposal or use a power; None ignores it."""
    table: Table = state.table
    rival = leader(table, seat)
    match ask.kind:
        case "assassination" if close_to_winning(table, rival):
            prey = [p for s in (rival, table.ally(rival)) if s for p in table.family(s) if p.titles or p.spouse]
            sponsors = sorted(table.family(seat), key=lambda p: p.titles)
            if prey and sponsors:
                victim = max(prey, key=lambda p: (_harm(table, p), p.titles, p.id))
                return Answer("play", {"lord": victim.id, "sponsor": sponsors[0].id})
        case "justice":
            struck = [id for id in picks(ask, "play", "lord") if table.lords[id].seat not in (seat, table.ally(seat))]
            return Answer("play", {"lord": struck[0]}) if struck else None
        case "cardinal":
            own = _to_be_hatted(table, seat, picks(ask, "play", "lord"))
            return Answer("play", {"lord": own[0]}) if own else None
        case "d_arc":
            own = [id for id in picks(ask, "play", "lord") if table.lords[id].seat == seat and table.lords[id].free]
            return Answer("play", {"lord": own[0]}) if own else None
        case "escape":
            return Answer("play", {"from": picks(ask, "play", "from")[0]})
        case "uprising":
            return _rise(table, seat, ask, rival)
        case "take_relic":
            return Answer("take", {"relic": picks(ask, "take", "relic")[0]})
        case "cession":
            return Answer("accept")
    return None


def _harm(table: Table, p: Person) -> int:
    heirs = len(table.family(p.seat)) > 1 or p.spouse
    return (
        (p.king and table.who("prince") is None)
        + p.pope
        + (0 if heirs else len(p.fiefs))
        + 2 * bool(p.spouse and table.ally(p.seat))
    )


def _rise(table: Table, seat: Seat, ask: Ask, rival: Seat) -> Answer | None:
    cards = table.families[seat].hand.count("uprising")
    for place in picks(ask, "play", "at"):
        village = table.villages[place]
        if village.controller not in (rival,) or village.walls == "city":
            continue
        maa, knights = table.troops(rival, place)
        dice = max(0, cards - PENALTY.get(village.walls, 0))
        if 2 * dice > maa + 3 * knights or (not maa + knights and table.at(place)):
            return Answer("play", {"at": place, "cards": cards})
    return None
