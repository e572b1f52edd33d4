"""Opportunity cards (chapters OPP, SEC, ASN, JUS, DAR, CAR)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from engine.core.asks import Answer, Ask, Number, Option, Order, PickOne, Seat, choices, illegal_if, prefilled
from engine.core.procedure import Call, Done, Next, Procedure, ended
from engine.fief.rules.court.cards import CARD_KINDS
from engine.fief.rules.court.consent import Consent, hatless
from engine.fief.rules.court.deaths import Deaths
from engine.fief.rules.realm.pieces import ASSASSINATION, CARDINAL, D_ARC, ESCAPE, JUSTICE, PASSAGE, UPRISING
from engine.fief.rules.realm.placing import Placing, set_free
from engine.fief.rules.realm.table import Lord, Table
from engine.fief.rules.war.shield import SHIELDED, Shield
from engine.fief.rules.war.uprising import Uprising, open_to

KINDS = CARD_KINDS
TURNS = ("first", "second", "third_army", "fourth_army", "fifth_army")
"""Fields for the attack order of an Uprising."""


def marked(table: Table) -> list[Lord]:
    """Lords that Justice can strike (FF-JUS-1)."""
    return [p.id for p in table.lords.values() if p.assassin and not p.immune]


def maidens(table: Table) -> list[Lord]:
    """Unmarried Ladies of any family (FF-DAR-1)."""
    return [p.id for p in table.lords.values() if p.female and not p.spouse and not p.d_arc]


def prisons(table: Table, seat: Seat) -> list[str]:
    """Prisons of a player's Lords, `village/captor` (FF-SEC-6)."""
    return list(dict.fromkeys(f"{p.at}/{p.captor}" for p in table.family(seat) if p.captor))


def powers(table: Table, seat: Seat) -> Iterator[Ask]:
    hand = Counter(table.families[seat].hand)

    def ask(kind: str, row: str, *fields: PickOne | Number | Order) -> Ask:
        return prefilled(seat, kind, row, Option("play", fields))

    places = open_to(table, seat) if hand[UPRISING] else []
    if places:
        fields: list[PickOne | Number | Order] = [PickOne("at", choices(places)), Number("cards", 1, hand[UPRISING])]
        if hand[PASSAGE]:
            fields.append(PickOne("passage", choices([PASSAGE]), optional=True))
        armed = [[s for s in table.seats if table.has_troops(s, place)] for place in places]
        there = [s for s in table.seats if any(s in armies for armies in armed)]
        most = max(len(armies) for armies in armed) if there else 0
        fields += [PickOne(name, choices(there), optional=True) for name in TURNS[: max(1, most - 1)] if there]
        yield ask(UPRISING, "D-UPR-1", *fields)
    others = [p.id for p in table.lords.values() if p.seat != seat]
    sponsors = [p.id for p in table.family(seat)]
    if hand[ASSASSINATION] and others and sponsors:
        yield ask(ASSASSINATION, "D-ASN-1", PickOne("lord", choices(others)), PickOne("sponsor", choices(sponsors)))
    if hand[JUSTICE] and marked(table):
        yield ask(JUSTICE, "D-JUS-1", PickOne("lord", choices(marked(table))))
    if hand[CARDINAL] and hatless(table):
        yield ask(CARDINAL, "D-CAR-1", PickOne("lord", choices(hatless(table))))
    if hand[D_ARC] and maidens(table) and table.who(D_ARC) is None:
        yield ask(D_ARC, "D-DAR-1", PickOne("lord", choices(maidens(table))))
    if hand[PASSAGE] and prisons(table, seat):
        yield ask(ESCAPE, "D-CAP-2", PickOne("from", choices(prisons(table, seat))))


def vet(table: Table, kind: str, answer: Answer) -> None:
    """Raises NotLegal for what fields can't express."""
    if kind != UPRISING:
        return
    named = _order(answer)
    for n, army in enumerate(named):
        illegal_if(not table.has_troops(army, answer.pick("at")), "fief.not_there", seat=army, village=answer.pick("at"))
        illegal_if(army in named[:n], "fief.attacked_twice", seat=army)


def _order(answer: Answer) -> list[Seat]:
    """Order in which armies fight an Uprising (FF-UPR-5)."""
    return [seat for name in TURNS if (seat := answer.pick(name))]


def use(table: Table, seat: Seat, kind: str, answer: Answer) -> Procedure:
    """Play a card; spent when announced (FF-OPP-5)."""
    lord = answer.pick("lord")
    match kind:
        case "uprising":
            n, passage = answer.number("cards"), bool(answer.pick("passage"))
            for card in [UPRISING] * n + [PASSAGE] * passage:
                table.spend(seat, card)
            return Uprising(at=answer.pick("at"), by=seat, cards=n, passage=passage, order=_order(answer))
        case "assassination":
            table.spend(seat, ASSASSINATION)
            return Assassination(by=seat, lord=lord, sponsor=answer.pick("sponsor"))
        case "justice":
            table.spend(seat, JUSTICE)
            table.tell("justice", seat=seat, lord=lord)
            return Deaths(dying=[lord], cause="justice")
        case "cardinal":
            return Consent(seat=seat, lord=lord, by="card")
        case "d_arc":
            table.families[seat].hand.remove(D_ARC)
            table.lords[lord].d_arc = True
            table.tell("d_arc", seat=seat, lord=lord)
            return Placing()
        case _:
            table.spend(seat, PASSAGE)
            place, _, captor = answer.pick("from").partition("/")
            freed = [p for p in table.family(seat) if p.captor == captor and p.at == place]
            table.tell("passage", seat=seat, use="escape", lords=[p.id for p in freed])
            for p in freed:
                set_free(table, p, "escape")
            return Placing(lords=[p.id for p in freed])


class Assassination(Procedure):
    """FF-ASN: mark the sponsor; 1 to 3 kills, without a Secret Passage."""

    freezes: ClassVar[bool] = True

    by: Seat = ""
    lord: Lord = ""
    sponsor: Lord = ""

    def begin(self, table: Table) -> Next:
        table.lords[self.sponsor].assassin = True
        target = table.lords[self.lord]
        table.tell("assassination", seat=self.by, lord=self.lord, of=target.seat, sponsor=self.sponsor)
        return Call(Shield(by=self.by, lord=self.lord, card=ASSASSINATION), "strike")

    def strike(self, table: Table) -> Next:
        if self.came == SHIELDED:
            return Done()
        roll = table.roll("assassination")
        table.tell("assassin_roll", lord=self.lord, roll=roll, dead=roll <= 3)
        if roll > 3:
            return Done()
        return Call(Deaths(dying=[self.lord], cause="assassination"), "done")

    done = ended
