"""An Earl's Turn: free actions, one Action, closing draw (rules 7 and 8).

The table `WAYS` holds each step's availability, fields and effect.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.core.asks import About, Answer, Ask, Fields, NotLegal, Option, PickOne, PickSome, Seat, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure
from engine.language.words import Message, say
from engine.ortus.rules import roles
from engine.ortus.rules.combat import Battle, could_field, field_forces, force_fields, picked_cards, targets, vet_princes
from engine.ortus.rules.joust import Joust
from engine.ortus.rules.kingship import crown_check
from engine.ortus.rules.pieces import ANCHORS, FACES, MARKERS, PROPERTIES, Card, at, kind, parse
from engine.ortus.rules.politics import Politics, intrigue_aims, treachery_aims
from engine.ortus.rules.removal import remove
from engine.ortus.rules.table import Earl, Fief, Table, deck_shown, discard, draw_army, draw_card, lying


class Turn(Procedure):
    """An Earl's Turn: one Action, free steps, a draw (OR-TURN-2)."""

    seat: Seat = ""
    done: list[str] = []
    """Names of steps done by a standing order, without secret faces."""
    under_way: bool = False

    def begin(self, table: Table) -> Next:
        earl = table.earls[self.seat]
        table.active, table.action_used, table.lists = self.seat, False, None
        earl.turns += 1
        table.tell("turn", seat=self.seat)
        if earl.concede:
            remove(table, self.seat, "concession")
            return "after"
        return "turn"

    def who_turn(self, table: Table) -> list[Seat]:
        return [self.seat]

    def ask_turn(self, table: Table, seat: Seat) -> Ask:
        earl = table.earls[seat]
        options = []
        for way in ways(frozenset(map(kind, earl.hand)), table.action_used, bool(table.roles)):
            option = way.option(table, earl)
            if option is not None:
                options.append(option)
        used, deck = int(table.action_used), len(earl.deck)

        def about() -> About:
            return {"action_used": used, "deck": deck, "lies": lying(table)}

        return Ask(seat, "turn", tuple(options), Answer("end"), "D-10", about)

    def vet_turn(self, table: Table, seat: Seat, answer: Answer) -> None:
        vet = WAY[answer.option].vet
        if vet is not None:
            vet(table, table.earls[seat], answer)

    def verbs_turn(self, table: Table, seat: Seat) -> list[str]:
        return [way.id for way in WAYS if not way.of_role]

    def explain_turn(self, table: Table, seat: Seat, answer: Answer) -> None:
        way = WAY.get(answer.option)
        if way is None:
            return
        illegal_if(way.action and table.action_used, "ortus.action_used")
        card = answer.pick("card")
        illegal_if(way.id == "install" and card and not roles.may_install(table.earls[seat], card), "ortus.archbishop_installs")
        holder = table.cathedral_holder()
        if way.id == "place" and kind(card) == "Cathedral" and card in table.earls[seat].hand and holder is not None:
            raise NotLegal(say("ortus.cathedral_lies", holder=holder))
        illegal_if(way.id == "joust" and _too_early(table, table.earls[seat]), "ortus.joust_too_early")
        if not way.is_open(table, table.earls[seat]):
            raise NotLegal(_lack(table, table.earls[seat], way))

    def take_turn(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        answer = answers[self.seat]
        way = WAY[answer.option]
        self.under_way = True
        if way.action:
            table.action_used = True
        return way.do(table, table.earls[self.seat], answer)

    def after(self, table: Table) -> Next:
        """Check the crown; end if its Earl is out (OR-TURN-5, OR-KING-7)."""
        crowning = crown_check(table)
        if crowning is not None:
            return Call(crowning, "after")
        return "turn" if table.earls[self.seat].alive else Done()

    def close(self, table: Table) -> Next:
        """Closing draw, or removal (OR-TURN-4)."""
        if draw_card(table, table.earls[self.seat]):
            roles.close_turn(table, self.seat)
            return Done()
        remove(table, self.seat, "deck")
        return "after"


def _lack(table: Table, earl: Earl, way: Way) -> Message:
    if way.takes and way.takes.isdisjoint(map(kind, earl.hand)):
        return say("ortus.needs_bequeath" if way.id == "bequeath_church" else f"ortus.needs_{way.id}")
    match way.id:
        case "garrison" if earl.reserve:
            return say("ortus.no_slot")
        case "enter" if earl.role == "archbishop":
            return say("ortus.in_canterbury" if table.canterbury else "ortus.announced")
        case "place":
            return say("ortus.cathedral_lies", holder=table.cathedral_holder())
        case "recruit" if earl.holds("Land"):
            return say("ortus.army_gone")
        case "monastery" if table.canterbury == earl.seat or _has_abbot(earl, religious=True):
            return say("ortus.no_hand")
        case "bequeath" | "bequeath_church":
            return _no_bequest(table, earl, way)
        case "display":
            return say("ortus.king_reigns", king=table.king)
        case "treachery" | "intrigue":
            return say("ortus.no_aim")
        case "install":
            return say("ortus.archbishop_installs")
        case "attack" if earl.turns < 2:
            return say("ortus.first_turn")
        case _:
            return say(f"ortus.needs_{way.id}")


def _no_bequest(table: Table, earl: Earl, way: Way) -> Message:
    if way.id == "bequeath_church" and "Church" not in earl.assets:
        return say("ortus.needs_bequeath_church")
    if earl.prince_home() is None:
        return say("ortus.no_prince")
    if way.id == "bequeath_church":
        return say("ortus.not_blocked")
    return say("ortus.blocked_oneself" if not table.canterbury and table.cathedral_holder() == earl.seat else "ortus.blocked")


# --- steps ------------------------------------------------------------------------------------------------------------

Offered = Callable[[Table, Earl], Option | None]
Vetted = Callable[[Table, Earl, Answer], None]
Done_ = Callable[[Table, Earl, Answer], Next]


@dataclass(frozen=True, slots=True)
class Way:
    """A kind of step: availability (`option` None: not open), effect, checks.

    Without a needed card, the refusal is the catalogue's `needs_ID`.
    """

    id: str
    action: bool
    option: Offered
    do: Done_
    vet: Vetted | None = None
    takes: frozenset[str] = frozenset()
    """Kinds, one of which must be in Hand; `option` may rely on it."""
    of_role: bool = False

    def is_open(self, table: Table, earl: Earl) -> bool:
        """Whether it is available, a used Action aside."""
        return self in ways(frozenset(map(kind, earl.hand)), False, True) and self.option(table, earl) is not None


def _spend(table: Table, earl: Earl, what: str, answer: Answer) -> str:
    card = answer.pick("card") or earl.in_hand(what)
    assert card is not None
    earl.hand.remove(card)
    return card


def _fief(earl: Earl, id: str) -> Fief:
    return earl.held_fief(parse(id).number)


def _fiefs(earl: Earl) -> PickOne:
    return PickOne("fief", choices(f.id for f in earl.fiefs))


def _spending(id: str, what: str, barred: Callable[[Table, Earl], object] = lambda _table, _earl: False) -> Offered:
    """A card of a kind, with a field for its colour if needed; not open while `barred`."""
    return lambda table, earl: None if barred(table, earl) else Option(id, roles.which(earl, what))


def _naming(id: str, kinds: Container[str]) -> Offered:
    return lambda _table, earl: Option(id, lambda: (_card(c for c in earl.hand if kind(c) in kinds),))


def _in_fief(id: str, able: Callable[[Table, Earl, Card], bool]) -> Offered:
    def option(table: Table, earl: Earl) -> Option | None:
        for card in earl.hand:
            if able(table, earl, card):
                return Option(id, lambda: (_card(c for c in earl.hand if able(table, earl, c)), _fiefs(earl)))
        return None

    return option


# 7.1 free actions


def _tower_option(table: Table, earl: Earl) -> Option | None:
    if not earl.hand:
        return None
    return Option("tower", lambda: (PickSome("cards", choices(sorted(earl.hand)), 1, len(earl.hand)),))


def _tower(table: Table, earl: Earl, answer: Answer) -> Next:
    placed = answer.some("cards")
    for card in list(placed):
        earl.hand.remove(card)
        earl.towers.append(card)
    table.tell_two("towers", (earl.seat,), {"cards": list(placed)}, seat=earl.seat, count=len(placed))
    return "turn"


def garrison_slots(table: Table, earl: Earl) -> list[str]:
    """Empty slots: `royal`, `mercenary:1` ... (OR-FREE-2)."""
    slots = [at("mercenary", m.number) for m in earl.mercenaries if m.garrison is None]
    if table.king == earl.seat and len(table.royal) < table.n - 1:
        slots.append("royal")
    return slots


def _garrison_option(table: Table, earl: Earl) -> Option | None:
    if not earl.reserve:
        return None
    slots = garrison_slots(table, earl)
    if not slots:
        return None
    return Option("garrison", lambda: (PickOne("card", choices(sorted(set(earl.reserve)))), PickOne("slot", choices(slots))))


def _garrison(table: Table, earl: Earl, answer: Answer) -> Next:
    card, slot = answer.pick("card"), answer.pick("slot")
    earl.reserve.remove(card)
    if slot == "royal":
        table.royal.append(card)
    else:
        earl.held_mercenary(parse(slot).number).garrison = card
    table.tell("garrisoned", seat=earl.seat, card=card, slot=slot)
    return "turn"


# 16.3 Canterbury


def _enter_option(table: Table, earl: Earl) -> Option | None:
    if earl.role != "archbishop" or table.canterbury or table.entering:
        return None
    return Option("enter")


def _enter(table: Table, earl: Earl, answer: Answer) -> Next:
    table.entering = True
    table.tell("canterbury_announced", seat=earl.seat)
    return "turn"


def _leave(table: Table, earl: Earl, answer: Answer) -> Next:
    table.canterbury = ""
    table.tell("canterbury_left", seat=earl.seat)
    return "turn"


# 8.1 Castles and Properties


def _castle(table: Table, earl: Earl, answer: Answer) -> Next:
    card = answer.pick("card")
    earl.hand.remove(card)
    fief = earl.found(card)
    table.tell("castle", seat=earl.seat, card=card, fief=fief.number)
    return "turn"


def _may_place(table: Table, _earl: Earl, card: Card) -> bool:
    what = kind(card)
    return what in PROPERTIES and (what != "Cathedral" or table.cathedral_holder() is None)


def _card(cards: Iterable[Card]) -> PickOne:
    return PickOne("card", choices(sorted(set(cards))))


def _place(table: Table, earl: Earl, answer: Answer) -> Next:
    card, fief = answer.pick("card"), _fief(earl, answer.pick("fief"))
    earl.hand.remove(card)
    due = 0
    if kind(card) == "Land":
        due = 2 if fief.has("MarketTown") else 1
    fief.properties.append(card)
    table.tell("placed", seat=earl.seat, card=card, fief=fief.number)
    if due:
        draw_army(table, earl, due)
    return "turn"


# 8.2 Lords


def _may_install(_table: Table, earl: Earl, card: Card) -> bool:
    return kind(card) in FACES and roles.may_install(earl, card)


def _vet_install(table: Table, earl: Earl, answer: Answer) -> None:
    home = earl.prince_home()
    if kind(answer.pick("card")) == "Prince" and home is not None and home.id != answer.pick("fief"):
        raise NotLegal(say("ortus.second_prince", fief=home.number))


def _install(table: Table, earl: Earl, answer: Answer) -> Next:
    card, fief = answer.pick("card"), _fief(earl, answer.pick("fief"))
    earl.hand.remove(card)
    bumped = fief.lord
    if bumped is not None:
        discard(table, bumped)
    fief.lord = card
    table.tell("installed", seat=earl.seat, card=card, fief=fief.number, bumped=bumped)
    return "turn"


# 8.3 Mercenaries


def _mercenary(table: Table, earl: Earl, answer: Answer) -> Next:
    earl.hire(_spend(table, earl, "Mercenary", answer))
    table.tell("hired", seat=earl.seat)
    return "turn"


# 8.4 Recruit


def recruits(table: Table, earl: Earl) -> int:
    """Army Cards from a Recruit; 0 if illegal (OR-REC-1, 2)."""
    return most_recruits(earl.fiefs) if table.army.deck or table.army.discard else 0


def most_recruits(fiefs: Iterable[Fief]) -> int:
    """Army Cards without the limit of supply (OR-REC-2)."""
    best = 0
    for f in fiefs:
        if f.properties and f.has("Land"):
            best = max(best, 2 if f.has("MarketTown") else 1)
    return best


def _recruit(table: Table, earl: Earl, answer: Answer) -> Next:
    table.tell("recruited", seat=earl.seat)
    draw_army(table, earl, recruits(table, earl))
    return "turn"


# 8.5 Emissaries

CUBES = {"Vassal": 1, "Monk": 2}


def _emissary(table: Table, earl: Earl, answer: Answer) -> Next:
    card = answer.pick("card")
    earl.hand.remove(card)
    earl.emissaries.append(card)
    earl.cubes += CUBES[kind(card)]
    if not table.arrived and table.black < MARKERS:
        table.black += 1
    table.tell("emissary", seat=earl.seat, card=card, cubes=CUBES[kind(card)], black=table.black)
    return "turn"


# 8.6 Monastery


def _has_abbot(earl: Earl, religious: bool) -> bool:
    for f in earl.fiefs:
        if f.lord is not None and kind(f.lord) == "Monk" and (not religious or f.has("Church") or f.has("Cathedral")):
            return True
    return False


def _monastery_option(table: Table, earl: Earl) -> Option | None:
    # An Archbishop there now was there at the start: entry is at a Turn's end (OR-ROLE-22, 25).
    if table.canterbury != earl.seat and not _has_abbot(earl, religious=True):
        return None
    return _look(table, earl, "monastery")


def _look(table: Table, earl: Earl, option: str) -> Option | None:
    seen = [e.seat for e in table.others(earl.seat) if e.hand]
    return Option(option, lambda: (PickOne("target", choices(seen)),)) if seen else None


def _monastery_church_option(table: Table, earl: Earl) -> Option | None:
    """The Duke's Church instead of a religious Property (OR-ROLE-37)."""
    if "Church" not in earl.assets or _has_abbot(earl, religious=True) or not _has_abbot(earl, religious=False):
        return None
    return _look(table, earl, "monastery_church")


def _monastery_church(table: Table, earl: Earl, answer: Answer) -> Next:
    roles.spend(table, earl, "Church")
    return _monastery(table, earl, answer)


def _monastery(table: Table, earl: Earl, answer: Answer) -> Next:
    target = answer.pick("target")
    table.tell("monastery", seat=earl.seat, target=target, cards=sorted(table.earls[target].hand))
    return "turn"


# 8.7 Banquet


def _banquet(table: Table, earl: Earl, answer: Answer) -> Next:
    discard(table, _spend(table, earl, "Banquet", answer))
    table.tell("banquet", seat=earl.seat)
    for _ in range(2):
        if not draw_card(table, earl):
            remove(table, earl.seat, "deck")
            return "after"
    return "turn"


# 8.8 Banner: Bequeath


def bequeath_blocked(table: Table, earl: Earl) -> bool:
    """Whether a rival's Cathedral or Canterbury bars it (OR-BEQ-2, OR-ROLE-24)."""
    if table.canterbury:
        return roles.bequest_blocked(table, earl)
    holder = table.cathedral_holder()
    if holder == earl.seat and table.ruled("OR-AMB-31") == "free":
        return False
    return holder is not None and not earl.holds("Church")


def _cannot_bequeath(table: Table, earl: Earl) -> bool:
    return earl.prince_home() is None or bequeath_blocked(table, earl)


def _bequeath_church_option(table: Table, earl: Earl) -> Option | None:
    if "Church" not in earl.assets or earl.prince_home() is None or not bequeath_blocked(table, earl):
        return None
    return Option("bequeath_church")


def _bequeath_church(table: Table, earl: Earl, answer: Answer) -> Next:
    roles.spend(table, earl, "Church")
    return _bequeath(table, earl, answer)


def _bequeath(table: Table, earl: Earl, answer: Answer) -> Next:
    fief = earl.prince_home()
    assert fief is not None and fief.lord is not None
    discard(table, _spend(table, earl, "Banner", answer))
    discard(table, fief.lord)
    fief.lord = None
    # Sort: the shuffle must not depend on the old order.
    earl.deck = sorted([*earl.deck, *earl.discard])
    earl.discard = []
    table.chance.shuffle(earl.deck, f"earl-deck-{earl.seat}")
    if deck_shown(table, earl):
        table.tell("bequeathed", seat=earl.seat, fief=fief.number, deck=len(earl.deck))
    else:
        table.tell("bequeathed_closed", seat=earl.seat, fief=fief.number)
    return "turn"


# 8.9 Banner: the Kingship


def _display(table: Table, earl: Earl, answer: Answer) -> Next:
    earl.banners.append(_spend(table, earl, "Banner", answer))
    table.tell("displayed", seat=earl.seat, count=len(earl.banners))
    return "after"


# 8.10 Banner: Jousts


def _too_early(table: Table, earl: Earl) -> bool:
    """Ruling: no Jousts in an Earl's first Turn (OR-AMB-25)."""
    return earl.turns < 2 and table.ruled("OR-AMB-25") == "jousts"


def _joust(table: Table, earl: Earl, answer: Answer) -> Next:
    return Call(Joust(starter=earl.seat, banners=[_spend(table, earl, "Banner", answer)]), "after")


# 9 Politics


def _plot(what: str, aims: Callable[[Table, Seat], Iterator[str]]) -> Way:
    def option(table: Table, earl: Earl) -> Option | None:
        if next(aims(table, earl.seat), None) is None:
            return None
        return Option(what.lower(), lambda: (PickOne("aim", choices(aims(table, earl.seat))), *roles.which(earl, what)))

    def do(table: Table, earl: Earl, answer: Answer) -> Next:
        return Call(Politics.at(_spend(table, earl, what, answer), earl.seat, answer.pick("aim")), "after")

    return Way(what.lower(), True, option, do, takes=frozenset((what,)))


# 10 Attack


def _attack_option(table: Table, earl: Earl) -> Option | None:
    if earl.turns < 2 or not could_field(table, earl):
        return None

    def fields() -> Fields:
        found = [*targets(table.others(earl.seat)), *roles.canterbury_targets(table, earl.seat)]
        return (PickOne("target", choices(found)), *force_fields(table, earl))

    return Option("attack", fields)


def _vet_attack(table: Table, earl: Earl, answer: Answer) -> None:
    illegal_if(not picked_cards(answer), "ortus.attack_with_nothing")
    vet_princes(answer)


def _attack(table: Table, earl: Earl, answer: Answer) -> Next:
    battle = Battle.on(answer.pick("target"), earl.seat, earl.seat)
    battle.attacking = field_forces(table, earl, answer)
    return Call(battle, "after")


# end of the Turn


CONCEDE = Option("concede", (PickOne("sure", choices(["yes"])),), grave=True)
END = Option("end")


def _concede(table: Table, earl: Earl, answer: Answer) -> Next:
    remove(table, earl.seat, "concession")
    return "after"


BANNER = frozenset(("Banner",))
WAYS: tuple[Way, ...] = (
    Way("tower", False, _tower_option, _tower),
    Way("garrison", False, _garrison_option, _garrison),
    Way("enter", False, _enter_option, _enter, of_role=True),
    Way("leave", False, lambda table, earl: Option("leave") if table.canterbury == earl.seat else None, _leave, of_role=True),
    Way("castle", True, _naming("castle", ANCHORS), _castle, takes=ANCHORS),
    Way("place", True, _in_fief("place", _may_place), _place, takes=PROPERTIES),
    Way("install", True, _in_fief("install", _may_install), _install, _vet_install, takes=FACES),
    Way("mercenary", True, _spending("mercenary", "Mercenary"), _mercenary, takes=frozenset(("Mercenary",))),
    Way("recruit", True, lambda table, earl: Option("recruit") if recruits(table, earl) else None, _recruit),
    Way("emissary", True, _naming("emissary", CUBES), _emissary, takes=frozenset(CUBES)),
    Way("monastery", True, _monastery_option, _monastery),
    Way("monastery_church", True, _monastery_church_option, _monastery_church, of_role=True),
    Way("banquet", True, _spending("banquet", "Banquet"), _banquet, takes=frozenset(("Banquet",))),
    Way("bequeath", True, _spending("bequeath", "Banner", _cannot_bequeath), _bequeath, takes=BANNER),
    Way("bequeath_church", True, _bequeath_church_option, _bequeath_church, takes=BANNER, of_role=True),
    Way("display", True, _spending("display", "Banner", lambda table, _earl: table.king), _display, takes=BANNER),
    Way("joust", True, _spending("joust", "Banner", _too_early), _joust, takes=BANNER),
    _plot("Treachery", treachery_aims),
    _plot("Intrigue", intrigue_aims),
    Way("attack", True, _attack_option, _attack, _vet_attack),
    Way("end", False, lambda _table, _earl: END, lambda _table, _earl, _answer: "close"),
    Way("concede", False, lambda _table, _earl: CONCEDE, _concede),
)
WAY: dict[str, Way] = {way.id: way for way in WAYS}


@lru_cache(maxsize=4096)
def ways(kinds: frozenset[str], action_used: bool, with_roles: bool) -> tuple[Way, ...]:
    """Possible steps; cached, since few combinations occur."""
    return tuple(
        way
        for way in WAYS
        if not (way.action and action_used)
        and (with_roles or not way.of_role)
        and (not way.takes or not kinds.isdisjoint(way.takes))
    )
