"""Diplomacy (chapter DIP) and other powers usable at any time except cards.

Exchanges, cessions and annulments are proposals (`engine.core.offers`); D-ANN, D-EXC, D-CTL, D-CAP-1 and D-SIE-2 are immediate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from engine.core import exchange, offers
from engine.core.asks import Answer, Ask, Cell, Field, Number, Option, PickOne, PickSome, Seat, choices, illegal_if, prefilled
from engine.core.exchange import Line
from engine.core.offers import Proposal
from engine.core.parleys import Parley
from engine.core.procedure import Procedure
from engine.fief.rules.court.consent import consenting_pope, hatless
from engine.fief.rules.court.deaths import end_ban, excommunicate
from engine.fief.rules.court.marriage import fit, refuse_unfit
from engine.fief.rules.court.ransom import full_ransom
from engine.fief.rules.purchase import buy_title, check_title, gifts
from engine.fief.rules.realm import control
from engine.fief.rules.realm.control import Settling, absent_lord
from engine.fief.rules.realm.placing import Placing, set_free
from engine.fief.rules.realm.table import Person, Table
from engine.fief.rules.realm.titles import annul, may_annul, wed
from engine.fief.rules.war.siege import sieges

A_MARKER = 3
"""Deniers per Diplomacy marker (FF-DIP-3)."""

PRIVATE = frozenset(("exchange", "cede"))
"""Powers secret to the `parties`."""
KINDS = PRIVATE | {
    "parley", "extend", "control", "release", "lift_siege", "excommunicate", "lift_ban", "annulment", "grant", "revoke",
}  # fmt: skip


# --- proposals ---------------------------------------------------------------------------------------------------------


class Terms(msgspec.Struct):
    deniers: int = 0
    cards: list[str] = []
    villages: list[str] = []
    passage: list[str] = []
    """Villages with passage granted this round."""
    captives: list[str] = []
    title: str = ""
    """As King, in his purchase turn: a title, in the form of `purchase.gifts` (FF-FTL-7)."""
    annul: str = ""
    consent: str = ""
    """As Pope: the Bishop who may become Cardinal this round (FF-CAR-3)."""
    ransom: int = 0
    """In Phase 4: Deniers for captives, free of markers (FF-RAN-3, 4)."""

    def empty(self) -> bool:
        return self == Terms()


PARTS = ("deniers", "cards", "villages", "passage", "captives", "annul", "title", "consent", "ransom")
"""Fields of `Terms`, as the facts of an ask list them."""
KEPT = ("to", "lord", "other", "spender")
"""Parts that an amendment keeps."""


class Exchange(Proposal):
    """D-DIP-3 and 4: secret until accepted, then executed atomically."""

    kind: ClassVar[str] = "exchange"
    rule: ClassVar[str] = "D-DIP-4"
    give: Terms
    want: Terms
    lord: str = ""
    """With a marriage (FF-MAR-3): the proposer's Lord, the other's Lord."""
    other: str = ""
    spender: Seat = ""
    """Who spends all markers in a marriage bargain (FF-MAR-6)."""

    def about(self) -> Mapping[str, Cell]:
        to = self.to[0] if self.to else ""
        told: dict[str, Cell] = {"by": self.by, "to": to, "lord": self.lord, "other": self.other}
        told["spent"] = {s: str(n) for s, n in _price(self, to).items() if s and n}
        for side, terms in (("give", self.give), ("want", self.want)):
            told |= {f"{side}_{name}": getattr(terms, name) for name in PARTS}
        return told

    def sides(self, seat: Seat) -> tuple[tuple[Seat, Seat, Terms], ...]:
        """(giver, taker, terms), where `seat` accepts."""
        return (self.by, seat, self.give), (seat, self.by, self.want)

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "accept":
            judge(table, self, seat)

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        if answer.option == "accept":
            return carry_out(table, self, seat)
        table.tell("exchange_refused", only=(self.by, seat), seat=seat, by=self.by)
        return None

    def lapse(self, table: Table, how: str) -> None:
        told = how if how in ("withdrawn", "amended") else "over"
        table.tell("exchange_lapsed", only=tuple(self.only or ()), by=self.by, how=told)

    def terms(self, table: Table) -> Sequence[Field]:
        """Amendable fields, without the parties and a public marriage."""
        return [f for f in _form(table, self.by).fields if f.name not in KEPT]

    def amended(self, table: Table, answer: Answer) -> Proposal:
        kept = {
            name: value for name, value in zip(KEPT, (self.to[0], self.lord, self.other, self.spender), strict=True) if value
        }
        whole = Answer("propose", {**answer.values, **kept})
        vet_exchange(table, self.by, whole)
        better = bargain_of(self.by, whole)
        illegal_if((better.give, better.want) == (self.give, self.want), "fief.amended_nothing")
        return better


class Cession(Proposal):
    """D-CTL-2: cede a village to an occupant (FF-CTL-4)."""

    kind: ClassVar[str] = "cession"
    rule: ClassVar[str] = "D-CTL-2"
    village: str

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "accept":
            check_cession(table, self.by, seat, self.village)

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        if answer.option == "accept":
            table.stirred += 1
            cede(table, self.by, seat, self.village)
            return Settling()
        table.tell("cession_refused", only=(self.by, seat), seat=seat, by=self.by, village=self.village)
        return None

    def lapse(self, table: Table, how: str) -> None:
        table.tell("cession_lapsed", only=tuple(self.only or ()), by=self.by, village=self.village)


class Annulment(Proposal):
    """D-ANN-2: a public request to annul a marriage (FF-MAR-11)."""

    kind: ClassVar[str] = "annulment"
    rule: ClassVar[str] = "D-ANN-2"
    lord: str

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "accept":
            check_annulment(table, seat, self.lord)

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        if answer.option == "accept":
            table.stirred += 1
            annul(table, table.lords[self.lord])
            return Settling()
        table.tell("annulment_refused", seat=seat, lord=self.lord)
        return None

    def lapse(self, table: Table, how: str) -> None:
        table.tell("annulment_lapsed", by=self.by, lord=self.lord, how="withdrawn" if how == "withdrawn" else "over")


# --- exchanges (FF-DIP-9) ---------------------------------------------------------------------------------------------


def markers(terms: Terms) -> int:
    """Diplomacy markers that receiving it costs (FF-DIP-5)."""
    return -(-terms.deniers // A_MARKER) + bool(terms.cards)


def _lines(bargain: Exchange, seat: Seat) -> Iterator[Line]:
    for giver, taker, terms in bargain.sides(seat):
        if terms.deniers + terms.ransom:
            yield Line(giver, taker, "deniers", terms.deniers + terms.ransom)
        for card in terms.cards:
            yield Line(giver, taker, card)


def _holds(table: Table, seat: Seat, what: str) -> int:
    family = table.families[seat]
    return family.deniers if what == "deniers" else family.hand.count(what)


def _spends(table: Table, bargain: Exchange, seat: Seat) -> dict[Seat, int]:
    """Seat -> markers spent; in a marriage bargain one seat may pay all."""
    if table.options.open_diplomacy:
        return {bargain.by: 0, seat: 0}
    return _price(bargain, seat)


def _price(bargain: Exchange, seat: Seat) -> dict[Seat, int]:
    spent = {bargain.by: markers(bargain.want), seat: markers(bargain.give)}
    if bargain.lord and bargain.spender:
        spent = {s: sum(spent.values()) if s == bargain.spender else 0 for s in spent}
    return spent


def judge(table: Table, bargain: Exchange, seat: Seat) -> None:
    """Raises NotLegal. The other's means come last: `seat` learns of them only if all else is right."""
    _judge_means(table, seat, bargain.want, seat)
    _judge_room(table, bargain, seat)
    _judge_markers(table, bargain, seat)
    for giver, taker, terms in bargain.sides(seat):
        _judge_terms(table, giver, taker, terms)
    _judge_ransom(table, bargain.by, bargain.give, bargain.want)
    _judge_ransom(table, seat, bargain.want, bargain.give)
    if bargain.lord:
        _judge_wedding(table, bargain, seat)
    _judge_means(table, bargain.by, bargain.give, seat)


def _judge_means(table: Table, giver: Seat, terms: Terms, told: Seat) -> None:
    """FF-DIP-9: the giver must have it already; only he gets details."""
    family, due = table.families[giver], terms.deniers + terms.ransom
    illegal_if(due > family.deniers and giver == told, "fief.purse_short", n=due, has=family.deniers)
    illegal_if(due > family.deniers, "fief.cant_pay", seat=giver, n=due)
    for card, n in Counter(terms.cards).items():
        lacks = n > family.hand.count(card)
        illegal_if(lacks and giver == told, "fief.card_not_held", card=card)
        illegal_if(lacks, "fief.cant_give", seat=giver, card=card)


def _judge_room(table: Table, bargain: Exchange, seat: Seat) -> None:
    """Hand limit after the exchange (FF-DIP-6), by ruling before it (FF-AMB-73)."""
    after = table.ruled("FF-AMB-73") == "after"
    for taker, got, given in ((seat, bargain.give, bargain.want), (bargain.by, bargain.want, bargain.give)):
        room = table.room(taker) + (len(given.cards) if after else 0)
        illegal_if(len(got.cards) > room, "fief.hand_full", seat=taker, n=room, most=table.limits["hand"])


def _judge_markers(table: Table, bargain: Exchange, seat: Seat) -> None:
    for spender, n in _spends(table, bargain, seat).items():
        has = table.families[spender].markers
        illegal_if(n > has, "fief.no_markers", seat=spender, n=n, has=has)


def may_bar(table: Table, seat: Seat, place: str) -> bool:
    """Whether his leave could be needed: as controller or with Troops (FF-MOV-7, 10)."""
    return table.villages[place].controller == seat or table.has_troops(seat, place)


def _judge_terms(table: Table, giver: Seat, taker: Seat, terms: Terms) -> None:
    for village in terms.villages:
        check_cession(table, giver, taker, village)
    for village in terms.passage:
        illegal_if(not may_bar(table, giver, village), "fief.bars_nobody", seat=giver, village=village)
    for lord in terms.captives:
        illegal_if(lord not in table.lords or table.lords[lord].captor != giver, "fief.no_captive", lord=lord)
    if terms.title:
        royal, (_, lord, village) = table.royal(), terms.title.split("/")
        illegal_if(royal is None or not royal.free or not royal.seat == giver == table.buying, "fief.no_gift_now")
        check_title(table, taker, village, lord)
    if terms.consent:
        pope = consenting_pope(table)
        illegal_if(pope is None or pope.seat != giver, "fief.no_free_pope")
        illegal_if(terms.consent not in hatless(table), "fief.no_bishop", lord=terms.consent)
    if terms.annul:
        check_annulment(table, giver, terms.annul)
        couple = (table.lords[terms.annul], table.lords[table.lords[terms.annul].spouse])
        illegal_if(not any(p.seat in (giver, taker) for p in couple), "fief.not_his_marriage", lord=terms.annul)


def _judge_ransom(table: Table, payer: Seat, paid: Terms, got: Terms) -> None:
    """FF-RAN-3, 4: only for own Lords, in 4a or one's turn in 4b, up to the full sum."""
    if not paid.ransom:
        return
    illegal_if(table.phase != "4a" and table.buying != payer, "fief.no_ransom_now")
    lords = [table.lords[id] for id in got.captives if id in table.lords]
    most = sum(full_ransom(table, p) for p in lords)
    illegal_if(not lords or any(p.seat != payer for p in lords) or paid.ransom > most, "fief.ransom_for", n=most)


def _couple(table: Table, bargain: Exchange) -> tuple[Person, Person]:
    """Raises NotLegal if one has died since it was proposed."""
    illegal_if(not {bargain.lord, bargain.other} <= table.lords.keys(), "fief.no_wedding_now")
    return table.lords[bargain.lord], table.lords[bargain.other]


def _judge_wedding(table: Table, bargain: Exchange, seat: Seat) -> None:
    one, other = _couple(table, bargain)
    illegal_if(table.phase != "1a" or one.seat != bargain.by or other.seat != seat, "fief.no_wedding_now")
    if not fit(table, one, other):
        refuse_unfit(table, one, other)


def carry_out(table: Table, bargain: Exchange, seat: Seat) -> Procedure:
    judge(table, bargain, seat)
    spent, sides = _spends(table, bargain, seat), bargain.sides(seat)
    for spender, n in spent.items():
        table.families[spender].markers -= n
    exchange.execute(_lines(bargain, seat), lambda s, what: _holds(table, s, what), lambda line: _hand(table, line))
    backs = {s: [table.lore.back(card) for card in terms.cards] for s, _, terms in sides}
    paid = {s: terms.deniers + terms.ransom for s, _, terms in sides}
    _count_ransoms(table, sides)
    table.tell("exchanged", seats=[bargain.by, seat], backs=backs, spent=spent, deniers=paid)
    cards = {s: terms.cards for s, _, terms in sides}
    if any(cards.values()):
        table.tell("exchanged_cards", only=(bargain.by, seat), cards=cards, seats=[bargain.by, seat])
    freed: list[str] = []
    if any(terms.villages or terms.captives or terms.title or terms.annul for terms in (bargain.give, bargain.want)):
        table.stirred += 1
    _give_titles(table, sides)  # first: the receiver may cede the village that the title needs
    for giver, taker, terms in sides:
        for village in terms.villages:
            cede(table, giver, taker, village)
        for village in terms.passage:
            table.grants.append((giver, taker, village))
            table.bound.append((giver, taker, village))
            table.tell("leave_given", seat=giver, to=taker, village=village)
        for lord in terms.captives:
            set_free(table, table.lords[lord], "exchange")
            freed.append(lord)
        if terms.consent:
            table.consents.append((giver, taker, terms.consent))
            table.tell("consent_promised", seat=giver, to=taker, lord=terms.consent)
        if terms.annul:
            annul(table, table.lords[terms.annul])
    if bargain.lord:
        wed(table, table.lords[bargain.lord], table.lords[bargain.other])
    return Placing(lords=freed) if freed else Settling()


def _count_ransoms(table: Table, sides: Iterable[tuple[Seat, Seat, Terms]]) -> None:
    """FF-AMB-42: out of the purse at the start of Phase 4."""
    if table.phase == "4a" and table.ruled("FF-RAN-2") == "paid":
        for giver, _, terms in sides:
            if terms.ransom:
                table.ransoms[giver] = table.ransoms.get(giver, 0) + terms.ransom


def _give_titles(table: Table, sides: Iterable[tuple[Seat, Seat, Terms]]) -> None:
    """FF-FTL-7: unclaimed Fief titles, to their takers."""
    for _, taker, terms in sides:
        if terms.title:
            fief, heir, city = terms.title.split("/")
            buy_title(table, taker, city, heir)
            table.tell("gift_taken", seat=taker, fief=fief, lord=heir, village=city)


def _hand(table: Table, line: Line) -> None:
    if line.what == "deniers":
        table.pay(line.giver, line.amount, line.taker)
    else:
        table.families[line.giver].hand.remove(line.what)
        table.families[line.taker].hand.append(line.what)


def _form(table: Table, seat: Seat) -> Option:
    others = table.others(seat)
    hand = table.families[seat].hand
    own = [v.id for v in table.controlled(seat)]
    theirs = [v.id for s in others for v in table.controlled(s)]
    barred = [v for v in table.villages if may_bar(table, seat, v)]
    closed = [v for v in table.villages if any(may_bar(table, s, v) for s in others)]
    kinds = [k.id for k in table.lore.kinds.values() if k.back != "disaster"]
    held, lost = table.captives(seat), [p for p in table.family(seat) if p.captor]
    purse = 999 if table.options.hidden_deniers else max(table.families[s].deniers for s in others)
    fields: list[PickOne | PickSome | Number] = [
        PickOne("to", choices(others)),
        Number("give_deniers", 0, table.families[seat].deniers),
        Number("want_deniers", 0, purse),
    ]
    for name, ids, most in (
        ("give_cards", sorted(hand), len(hand)),
        ("want_cards", kinds, table.limits["hand"]),
        ("give_villages", own, len(own)),
        ("give_passage", barred, len(barred)),
        ("want_villages", theirs, len(theirs)),
        ("want_passage", closed, len(closed)),
        ("give_captives", [p.id for p in held], len(held)),
        ("want_captives", [p.id for p in lost], len(lost)),
    ):
        fields += [PickSome(name, choices(ids), 0, most)] if ids else []
    fields += [*_ransoms(table, seat, held, lost), *_of_the_pope(table, seat), *_gifts(table, seat)]
    if table.phase == "1a":
        brides = [p for p in table.family(seat) if any(fit(table, p, q) for q in table.lords.values())]
        grooms = [q.id for q in table.lords.values() if any(fit(table, p, q) for p in brides)]
        if grooms:
            fields += [
                PickOne("lord", choices(p.id for p in brides), optional=True), PickOne("other", choices(grooms), optional=True),
                PickOne("spender", choices(table.seats), optional=True),
            ]  # fmt: skip
    return Option("propose", tuple(fields))


def _ransoms(table: Table, seat: Seat, held: list[Person], lost: list[Person]) -> Iterator[Number]:
    """Free of markers (FF-RAN-3, 4)."""
    if lost and (table.phase == "4a" or table.buying == seat):
        yield Number("give_ransom", 0, min(table.families[seat].deniers, sum(full_ransom(table, p) for p in lost)))
    if due := sum(full_ransom(table, p) for p in held if table.phase == "4a" or table.buying == p.seat):
        yield Number("want_ransom", 0, due)


def _of_the_pope(table: Table, seat: Seat) -> Iterator[PickOne]:
    """A Pope's favours; a captive one annuls nothing (FF-POP-7)."""
    pope = consenting_pope(table)
    if pope is None:
        return
    side = "give" if pope.seat == seat else "want"
    if bishops := choices(hatless(table)):
        yield PickOne(f"{side}_consent", bishops, optional=True)
    if not pope.free:
        return
    if wedded := choices(p.id for p in table.lords.values() if p.spouse and may_annul(table, p)):
        yield PickOne(f"{side}_annul", wedded, optional=True)


def _gifts(table: Table, seat: Seat) -> Iterator[PickOne]:
    royal = table.royal()
    if royal is None or not royal.free or royal.seat != table.buying:
        return
    takers = table.others(seat) if royal.seat == seat else [seat]
    if given := [id for s in takers for id in gifts(table, s)]:
        yield PickOne("give_title" if royal.seat == seat else "want_title", choices(given), optional=True)


def bargain_of(seat: Seat, answer: Answer) -> Exchange:
    """Parse an exchange; it ends with the phase (FF-DIP-9)."""
    give, want = (_terms(answer, side) for side in ("give_", "want_"))
    to = answer.pick("to")
    return Exchange(
        by=seat, to=[to], only=[seat, to], until="phase", give=give, want=want, lord=answer.pick("lord"),
        other=answer.pick("other"), spender=answer.pick("spender"),
    )  # fmt: skip


def _terms(answer: Answer, side: str) -> Terms:
    return msgspec.convert({name[len(side) :]: v for name, v in answer.values.items() if name.startswith(side)}, Terms)


def vet_exchange(table: Table, seat: Seat, answer: Answer) -> None:
    """Raises NotLegal. The other's part is checked on acceptance."""
    bargain = bargain_of(seat, answer)
    illegal_if(bargain.give.empty() and bargain.want.empty() and not bargain.lord, "fief.empty_exchange")
    illegal_if(bool(bargain.lord) != bool(bargain.other), "fief.both_lords")
    illegal_if(bargain.spender and bargain.spender not in (seat, bargain.to[0]), "fief.spender", seat=bargain.spender)
    if bargain.lord:
        one, other = _couple(table, bargain)
        refuse_unfit(table, one, other)
        illegal_if(other.seat != bargain.to[0], "fief.not_his", lord=other.id, seat=bargain.to[0])
    to = bargain.to[0]
    _judge_means(table, seat, bargain.give, seat)
    _judge_room(table, bargain, to)
    _judge_markers(table, bargain, to)
    _judge_terms(table, seat, to, bargain.give)
    _judge_ransom(table, seat, bargain.give, bargain.want)


# --- control (FF-CTL-4, 7) --------------------------------------------------------------------------------------------


def check_cession(table: Table, by: Seat, to: Seat, village: str) -> None:
    """Raises NotLegal."""
    illegal_if(table.villages[village].controller != by, "fief.not_controlled", seat=by, village=village)
    illegal_if(not table.occupies(to, village), "fief.not_there", seat=to, village=village)


def cede(table: Table, by: Seat, to: Seat, village: str) -> None:
    check_cession(table, by, to, village)
    control.cede(table, village, to)


def cessions(table: Table, seat: Seat) -> list[str]:
    """Possible cessions as `village/seat`."""
    return [f"{v.id}/{s}" for v in table.controlled(seat) for s in v.order if s != seat and table.occupies(s, v.id)]


def guests_of(table: Table, seat: Seat) -> list[str]:
    """Villages where a guest may take control: no counter of the title holder (D-CTL-3)."""
    return [v.id for v in table.villages.values() if seat in v.guests and absent_lord(table, v.id)]


# --- the Pope ---------------------------------------------------------------------------------------------------------


def check_annulment(table: Table, pope: Seat, lord: str) -> None:
    """Raises NotLegal if the Pope can't annul a Lord's marriage (FF-MAR-11)."""
    holder = table.who("pope")
    illegal_if(holder is None or holder.seat != pope or not holder.free, "fief.no_free_pope")
    illegal_if(lord not in table.lords or not table.lords[lord].spouse, "fief.not_married", lord=lord)
    illegal_if(not may_annul(table, table.lords[lord]), "fief.royal_marriage")


def bannable(table: Table, seat: Seat) -> list[str]:
    """Lords the Pope can excommunicate (FF-POP-5)."""
    pope = table.who("pope")
    if pope is None or pope.seat != seat or not pope.free or table.banned == table.round:
        return []
    if any(p.excommunicated for p in table.lords.values()):
        return []
    return [p.id for p in table.lords.values() if p is not pope]


# --- powers -----------------------------------------------------------------------------------------------------------


def powers(table: Table, seat: Seat) -> Iterator[Ask]:
    yield prefilled(seat, "exchange", "D-DIP-3", _form(table, seat))
    yield from _parleys(table, seat)
    yield from _picking(seat, "cede", "D-CTL-1", "cede", "village", cessions(table, seat))
    yield from _picking(seat, "control", "D-CTL-3", "take", "village", guests_of(table, seat))
    yield from _picking(seat, "release", "D-CAP-1", "release", "lord", [p.id for p in table.captives(seat)])
    yield from _picking(seat, "lift_siege", "D-SIE-2", "lift", "village", sieges(table, seat))
    yield from _church_powers(table, seat)
    own_villages = [v.id for v in table.villages.values() if table.occupies(seat, v.id) and may_bar(table, seat, v.id)]
    pairs = [f"{v}/{s}" for v in own_villages for s in table.others(seat) if (seat, s, v) not in table.grants]
    yield from _picking(seat, "grant", "D-MOV-2", "grant", "passage", pairs)
    free = [f"{v}/{s}" for by, s, v in table.grants if by == seat and (by, s, v) not in table.bound]
    yield from _picking(seat, "revoke", "D-MOV-2", "revoke", "passage", free)


def _picking(seat: Seat, kind: str, rule: str, option: str, field: str, ids: list[str]) -> Iterator[Ask]:
    if ids:
        yield prefilled(seat, kind, rule, Option(option, (PickOne(field, choices(ids)),)))


def _parleys(table: Table, seat: Seat) -> Iterator[Ask]:
    """Private talk costs a marker (FF-DIP-10); none with Open Diplomacy (FF-OPT-11)."""
    if table.options.open_diplomacy or not table.families[seat].markers:
        return
    others = choices(table.others(seat))
    yield prefilled(seat, "parley", "D-DIP-1", Option("open", (PickSome("with", others, 1, len(others)),)))
    own = ["+".join(p.seats) for p in table.parleys if p.open and seat in p.seats]
    yield from _picking(seat, "extend", "D-DIP-2", "extend", "circle", own)


def speak(table: Table, seat: Seat, circle: Sequence[Seat]) -> None:
    """Pay a marker for private talk (FF-DIP-10, 11)."""
    table.families[seat].markers -= 1
    seats = [s for s in table.seats if s in circle]
    known = next((p for p in table.parleys if p.seats == seats), None)
    if known is None:
        table.parleys.append(Parley(seats))
    else:
        known.terms, known.open = known.terms + 1, True


def _church_powers(table: Table, seat: Seat) -> Iterator[Ask]:
    yield from _picking(seat, "excommunicate", "D-EXC-1", "ban", "lord", bannable(table, seat))
    pope, ban = table.who("pope"), next((p for p in table.lords.values() if p.excommunicated), None)
    if pope is None or not pope.free:
        return
    if pope.seat == seat and ban is not None:
        yield prefilled(seat, "lift_ban", "D-EXC-2", Option("lift"), lord=ban.id)
    asked = {p.lord for p in table.proposals.open if isinstance(p, Annulment)}
    own = [p.id for p in table.family(seat) if p.spouse and may_annul(table, p) and p.id not in asked]
    yield from _picking(seat, "annulment", "D-ANN-1", "ask", "lord", own)


def parties(seat: Seat, kind: str, answer: Answer) -> tuple[Seat, Seat]:
    """Both seats of a secret power, whose log entry others don't see (FF-INF-5)."""
    return seat, answer.pick("to") if kind == "exchange" else answer.pick("village").partition("/")[2]


def use(table: Table, seat: Seat, kind: str, answer: Answer) -> Procedure | None:
    match kind:
        case "exchange":
            bargain = bargain_of(seat, answer)
            offers.put(table, bargain)
            if bargain.lord:
                table.tell("proposed", seat=seat, lord=bargain.lord, other=bargain.other, to=bargain.to[0])
        case "parley":
            speak(table, seat, [seat, *answer.some("with")])
            table.tell("parley", seat=seat, seats=answer.some("with"))
        case "extend":
            circle = answer.pick("circle").split("+")
            speak(table, seat, circle)
            table.tell("parley_extended", seat=seat, seats=circle)
        case "cede":
            village, _, to = answer.pick("village").partition("/")
            offers.put(table, Cession(by=seat, to=[to], only=[seat, to], until="phase", village=village))
        case "control":
            village = answer.pick("village")
            del table.villages[village].guests[seat]
            return Settling()
        case "release":
            lord = table.lords[answer.pick("lord")]
            set_free(table, lord, "release")
            return Placing(lords=[lord.id])
        case "lift_siege":
            control.end_siege(table, table.villages[answer.pick("village")], seat, lifted=True)
            return Settling()
        case _:
            return _church(table, seat, kind, answer)
    return None


def _church(table: Table, seat: Seat, kind: str, answer: Answer) -> Procedure | None:
    if kind == "excommunicate":
        excommunicate(table, table.lords[answer.pick("lord")])
        return Settling()
    if kind == "lift_ban":
        end_ban(table)
        return None
    if kind == "annulment":
        pope = table.who("pope")
        assert pope is not None
        lord = answer.pick("lord")
        table.tell("annulment_asked", seat=seat, lord=lord)
        if pope.seat == seat:
            annul(table, table.lords[lord])
            return Settling()
        offers.put(table, Annulment(by=seat, to=[pope.seat], until="phase", lord=lord))
        return None
    village, _, to = answer.pick("passage").partition("/")
    if kind == "revoke":
        table.grants.remove((seat, to, village))
    else:
        table.grants.append((seat, to, village))
    table.tell("leave_revoked" if kind == "revoke" else "leave_given", seat=seat, to=to, village=village)
    return None
