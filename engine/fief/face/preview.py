"""Preview of an answer's certain effects. Purchases and Moves run on a copy, assuming leave; dice end it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.core.asks import Answer, NotLegal, Seat
from engine.core.cloning import clone
from engine.fief.face.narrate import WORDS
from engine.fief.rules.court.deaths import Deaths
from engine.fief.rules.court.disasters import Plague
from engine.fief.rules.court.elections import Election, votes
from engine.fief.rules.court.ransom import full_ransom
from engine.fief.rules.purchase import HAT, TITLE, Purchases, buy, price_of
from engine.fief.rules.realm.control import settle
from engine.fief.rules.realm.pieces import PASSAGE
from engine.fief.rules.realm.table import Place, Table
from engine.fief.rules.types import FiefState
from engine.fief.rules.war import cavalcade
from engine.fief.rules.war.captives import seize
from engine.fief.rules.war.entry import Entry
from engine.fief.rules.war.forces import Side, behind_walls, penalty
from engine.fief.rules.war.movement import (
    ASK,
    CHARGE,
    SLIP,
    STEAL,
    Movement,
    Order,
    check_group,
    check_hop,
    hop,
    leave_needed,
    order_of,
)
from engine.fief.rules.war.siege import Battles, battlefields
from engine.game import View
from engine.language.words import NOBODY, Names


def certain_effects(state: FiefState, seat: Seat, answer: Answer, names: Names = NOBODY) -> str:
    """Certain effects as text (FF-PUR-2, FF-MOV-7, FF-ELE-2, 3, FF-DIS-5, FF-DTH-3, FF-BAT-6, 7)."""
    table, procedure = state.table, state.stack[-1]
    match procedure:
        case Purchases() if procedure.step == "purchase":
            said = _purchase(table, seat, answer)
        case Movement() if procedure.step == "movement" and answer.option == "move":
            said = _Walk(table, procedure, seat).told(answer)
        case Election() if procedure.step == "vote":
            said = _ballot(procedure, table, seat, answer)
        case Election() if procedure.step == "stand" and answer.option == "stand":
            n = votes(table, seat, procedure.office, procedure.see)
            facts = {"office": procedure.office, "see": procedure.see, "votes": n}
            said = [("candidate", {"lord": answer.pick("lord"), **facts})]
        case Deaths() if procedure.step == "heir":
            lord = table.lords[answer.pick("lord")]
            said = [("heir", {"lord": lord.id, "all": [*lord.fiefs, procedure.fiefs[0]]})]
        case Plague():
            said = _plague(procedure, table, seat, answer)
        case Battles() if answer.option == "attack":
            said = _clash(table, seat, answer.pick("at"), answer.some("against"))
        case _:
            return ""
    try:
        return " ".join(WORDS.text("preview", key, facts, names) for key, facts in said)
    except NotLegal:
        return ""


def forecast(state: FiefState, seat: Seat, answer: Answer) -> View:
    """Drawing data of drafted moves: `rows` and possible `battles`."""
    procedure = state.stack[-1]
    if not isinstance(procedure, Movement) or procedure.step != "movement" or answer.option != "move":
        return {}
    try:
        return _Walk(state.table, procedure, seat).drawn(answer)
    except NotLegal:
        return {}


def walked(table: Table, movement: Movement, seat: Seat, answer: Answer) -> tuple[Table, list[tuple[Place, Seat]]]:
    """(table after drafted moves, possible battles); no battles if dice come first. Raises NotLegal."""
    walk = _Walk(table, movement, seat)
    for _ in walk.told(answer):
        pass
    return walk.table, [] if walk.open else [*walk.fields()]


Said = Iterable[tuple[str, dict[str, object]]]


# --- purchases and titles ---------------------------------------------------------------------------------------------


def _purchase(table: Table, seat: Seat, answer: Answer) -> Said:
    match answer.option:
        case "buy":
            yield from _bought(table, seat, answer)
        case "move_title":
            fief, lord = answer.pick("fief"), table.lords[answer.pick("lord")]
            old = table.holder(fief)
            assert old is not None
            kept = [f for f in old.fiefs if f != fief]
            if lord is not old:
                yield "moved_title", {"old": old.id, "kept": kept, "lord": lord.id, "all": [*lord.fiefs, fief]}
        case "gift":
            yield "gift", {"seat": table.lords[answer.pick("title").partition("/")[2]].seat}
        case "ransom":
            lord, sum = table.lords[answer.pick("captive")], answer.number("sum")
            how = "ransom_full" if sum == full_ransom(table, lord) else "ransom_less"
            yield how, {"lord": lord.id, "seat": lord.captor, "left": table.families[seat].deniers - sum}


def _bought(table: Table, seat: Seat, answer: Answer) -> Said:
    trial = clone(table)
    asked = [buy(trial, seat, line) for line in answer.rows("items")]
    left = trial.families[seat].deniers
    if left < table.families[seat].deniers:
        yield "bought", {"cost": table.families[seat].deniers - left, "left": left}
    for line in answer.rows("items"):
        if line.pick("what") == TITLE:
            fief = table.land_of(line.pick("at")).id
            yield "title", {"fief": fief, "lord": line.pick("lord"), "village": line.pick("at")}
    for lord in filter(None, asked):
        yield "consent", {"lord": lord, "cost": price_of(table, HAT, "")}


# --- movement ---------------------------------------------------------------------------------------------------------


class _Walk:
    def __init__(self, table: Table, movement: Movement, seat: Seat) -> None:
        self.table, self.movement, self.seat = clone(table), movement, seat
        self.table.silence()
        self.went: list[str] = []
        self.open = False
        """Whether dice come next."""

    def told(self, answer: Answer) -> Said:
        for order in self._orders(answer):
            while order.path and not self.open:
                yield from self._hop(order)
        if not self.open:
            yield from self._stand()

    def drawn(self, answer: Answer) -> View:
        rows: list[View] = []
        for order in self._orders(answer):
            at = self.table.lords[order.lords[0]].at
            legs: list[View] = []
            rows.append({"lords": order.lords, "at": at, "knights": order.knights, "maa": order.maa, "legs": legs})
            while order.path:
                leg: View = {"at": legs[-1]["to"] if legs else at, "to": order.path[0], "asked": []}
                leg |= {"leave": [], "refused": [], "ride": [], "passage": False, "plague": False, "seized": False}
                legs.append(leg)
                if self.open:  # dice first
                    order.path = order.path[1:]
                    continue
                for key, facts in self._hop(order):
                    leg |= {LEG_KEYS[key]: facts.get("seats", True)}
                leg["asked"] = leg["leave"] + leg["refused"]
                order.path = [] if leg["ride"] else order.path
            rows[-1]["asks"] = any(leg["asked"] or leg["ride"] for leg in legs)
            rows[-1]["stay"] = sum(self.table.troops(self.seat, at))
        fields = () if self.open else self.fields()
        return {
            "rows": rows,
            "open": self.open,
            "battles": [sides_of(self.table, at, [self.seat], [foe]) for at, foe in fields],
        }

    def _orders(self, answer: Answer) -> Iterator[Order]:
        for order in map(order_of, answer.rows("moves")):
            if all(self.table.lords[id].free for id in order.lords):
                self.went += order.lords
                yield order

    def _hop(self, order: Order) -> Said:
        table, seat, to = self.table, self.seat, order.path[0]
        hand = table.families[seat].hand
        card = order.refused in (SLIP, STEAL) and PASSAGE in hand
        lords = check_group(table, seat, order)
        at = lords[0].at
        check_hop(table, seat, order, to, dry=card)
        needed = leave_needed(table, seat, order)
        if card and (table.rainy(at) or table.rainy(to) or (needed and order.refused == STEAL)):
            hand.remove(PASSAGE)
            order.refused = ASK
            yield "slip", {"village": at}
        elif order.refused == CHARGE and cavalcade.possible(table, seat, order.lords, to, needed):
            self.open = True
            yield "charge", {"village": at, "seats": needed}
            return
        else:
            yield from self._leave(at, needed)
        order.path = order.path[1:]
        hop(table, seat, order, to)
        if Entry(seat=seat, lords=[*order.lords, *order.captives], came=at, at=to).needed(table):
            self.open = True
            yield "plague", {"village": to}
        else:
            yield from self._seized(to)
            if not all(table.lords[id].free for id in order.lords):
                order.path = []
        settle(table)

    def _seized(self, to: Place) -> Said:
        """Lords captured at the end of a Move (house ruling FF-AMB-40)."""
        table = self.table
        free = [p for p in table.at(to) if p.free]
        seize(table, self.seat, to)
        for captor in dict.fromkeys(p.captor for p in free if p.captor):
            yield "seized", {"village": to, "lords": [p.id for p in free if p.captor == captor], "seat": captor}

    def _leave(self, at: Place, needed: list[Seat]) -> Said:
        """Leave to ask for, or refused this round (D-MOV-2)."""
        refused = [s for s in needed if (s, at) in self.movement.denied]
        if refused:
            yield "denied", {"seats": refused, "village": at}
        elif needed:
            yield "leave", {"seats": needed, "village": at}

    def _stand(self) -> Said:
        table, fields = self.table, [*self.fields()]
        for place in self._places():
            maa, knights = table.troops(self.seat, place)
            facts = {"village": place, "lords": [p.id for p in table.free(self.seat, place)], "all": f"{maa}+{knights}"}
            yield "stand", {**facts, "troops": maa + knights}
            for foe in [foe for at, foe in fields if at == place]:
                yield from _clash(table, self.seat, place, [foe], "coming")

    def _places(self) -> Iterable[Place]:
        return dict.fromkeys(self.table.lords[id].at for id in self.went)

    def fields(self) -> Iterator[tuple[Place, Seat]]:
        found = battlefields(self.table, self.seat)
        for place in self._places():
            yield from ((place, foe) for foe in found.get(place, ()) if foe != self.table.ally(self.seat))


LEG_KEYS = {"leave": "leave", "denied": "refused", "charge": "ride", "slip": "passage", "plague": "plague", "seized": "seized"}
"""Message key -> key of a leg's drawing data."""


# --- votes ------------------------------------------------------------------------------------------------------------


def _ballot(election: Election, table: Table, seat: Seat, answer: Answer) -> Said:
    """Ballot: the candidate and own votes, or none; the decoy (FF-BIS-3, FF-POP-2, FF-KNG-3)."""
    lord = answer.pick("for")
    if lord:
        yield "for", {"lord": lord, "votes": votes(table, seat, election.office, election.see)}
    else:
        yield "no_vote", {}
    if answer.pick("decoy"):
        yield "decoy", {"lord": answer.pick("decoy")}


# --- losses and battles -----------------------------------------------------------------------------------------------


def _plague(plague: Plague, table: Table, seat: Seat, answer: Answer) -> Said:
    """Adds the Men-at-Arms lost; the form asks for Knights only (FF-DIS-5)."""
    for place, (lost, _, _) in plague.hit(table, seat).items():
        knights = answer.number(place)
        yield "plague_takes", {"village": place, "lost": f"{lost - knights}+{knights}", "n": lost}


def _clash(table: Table, seat: Seat, at: Place, foes: list[Seat], when: str = "clash") -> Said:
    """Strength and dice before others join (FF-BAT-6, 7), without hidden Troops (FF-OPT-10).

    `when`: message key for a declared or possible battle.
    """
    sides = sides_of(table, at, [seat], foes)
    yield (f"{when}_unseen" if sides["foe"] is None else when), sides
    if sides["walls"]:
        yield "walls", {}


def sides_of(table: Table, at: Place, side: list[Seat], foes: list[Seat]) -> View:
    """Strength and dice of both sides; None if hidden."""
    own, other = Side(at, side), Side(at, foes)
    walls = behind_walls(table, foes, at)
    unseen = table.options.fog_of_war and other.has_troops(table)
    return {
        "village": at,
        "seats": foes,
        "strength": own.strength(table),
        "dice": own.dice(table, penalty(table, own) if walls else 0),
        "foe": None if unseen else other.strength(table),
        "against": None if unseen else other.dice(table),
        "walls": walls,
    }
