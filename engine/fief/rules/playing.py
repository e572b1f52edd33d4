"""Step 2c: Lords and Fortune cards (chapters PLY, LRD, FOR, TAX)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.asks import Answer, Ask, NotLegal, Option, PickOne, Seat, choices, illegal_if
from engine.core.procedure import Done, Next, Procedure, yes_no
from engine.fief.rules.income import income
from engine.fief.rules.realm.control import in_turn_order, settled
from engine.fief.rules.realm.pieces import FAMINE, HARVEST, RAIN, TAXES, WEATHER
from engine.fief.rules.realm.placing import hosted, put_lord, tier
from engine.fief.rules.realm.table import AFTER, Laid, Lord, Person, Place, Table, Tax
from engine.language.words import say

CANCELS = {HARVEST: FAMINE, WEATHER: RAIN}
"""Card -> Disaster it cancels (FF-FOR-1, 2)."""
BARRED = {HARVEST: RAIN, WEATHER: FAMINE}
"""Card -> Disaster that blocks it."""


def sees_for(table: Table, card: str) -> list[int]:
    """Bishoprics where Harvest or Good Weather is playable (FF-FOR-1 to 3)."""
    return [see for see in table.lore.sees if not table.lies(BARRED[card], see) and not table.lies(card, see)]


def most_mills(table: Table, seat: Seat, on: Iterable[Place]) -> Place:
    """Place with most own Mills in its Bishopric; '' for none."""
    mills = {
        place: sum(
            village.mills
            for v in table.lore.sees[table.see_of(place)].villages
            if (village := table.villages[v]).controller == seat
        )
        for place in on
    }
    best = max(mills, key=lambda place: mills[place], default="")
    return best if best and mills[best] else ""


def levies(table: Table, seat: Seat) -> list[str]:
    """Playable taxes as `lord/title/target` (FF-TAX-1 to 5)."""
    taxed = {tax.fief for tax in table.taxes}
    governed = {p.bishop for p in table.lords.values() if p.bishop}
    found = []
    for p in table.family(seat):
        found += [f"{p.id}/fief/{fief}" for fief in p.fiefs if fief not in taxed]
        if p.king or p.queen == "regent":
            lands = [f for f in table.lore.lands if not table.lord_of(f) and f not in taxed]
            found += [f"{p.id}/royal/{fief}" for fief in lands]
        if p.bishop:
            found.append(f"{p.id}/bishop/{table.lore.sees[p.bishop].principal}")
        if p.cardinal:
            found += [f"{p.id}/cardinal/{table.lore.sees[see].principal}" for see in sorted(governed)]
        if p.pope and governed:
            found.append(f"{p.id}/pope/all")
    return [id for id in found if not _levied(table, seat, id)]


def _levied(table: Table, seat: Seat, levy: str) -> bool:
    tax = read_levy(table, seat, levy)
    return not tax.fief and any((t.lord, t.title) == (tax.lord, tax.title) and {*tax.sees} <= {*t.sees} for t in table.taxes)


def read_levy(table: Table, seat: Seat, levy: str) -> Tax:
    lord, title, on = levy.split("/")
    if title in ("fief", "royal"):
        return Tax(seat, lord, title, fief=on)
    home = table.lords[lord].bishop if title != "bishop" and table.ruled("FF-TAX-5") == "played" else 0
    if title == "pope":
        return Tax(seat, lord, title, sees=sorted({p.bishop for p in table.lords.values() if p.bishop}), home=home)
    return Tax(seat, lord, title, sees=[table.see_of(on)], home=home)


class Plays(Procedure):
    """In turn order, one pass, any number of cards each (FF-PLY-1)."""

    left: list[Seat] = []
    lord: Lord = ""
    at: Place = ""
    refused: list[Place] = []
    ending: bool = False
    """Whether the turn ends after this card, if no host refuses it (FF-PLY-1)."""

    def waits(self, table: Table, seat: Seat, kind: str) -> bool:
        """A birth freezes all else until the choice is made (FF-ASY-7)."""
        return self.step == "prince" and table.ruled("FF-CPR-1") == "frozen"

    begin = in_turn_order

    def next(self, table: Table) -> Next:
        if self.ending:
            self._end()
        while self.left and not self._may_play(table, self.left[0]):
            self._end()
        return "play" if self.left else Done()

    def _end(self) -> None:
        self.left.pop(0)
        self.refused, self.ending = [], False

    def who_play(self, table: Table) -> list[Seat]:
        return [s for s in self.left[:1] if self._may_play(table, s)]

    def ask_play(self, table: Table, seat: Seat) -> Ask:
        hand = table.families[seat].hand
        options = []
        kinds = table.lore.kinds
        lords = [card for card in hand if kinds[card].kind == "lord"]
        if lords and len(table.family(seat)) < table.limits["lords_in_family"]:
            places = self._places(table, seat)
            if places:
                options.append(Option("lord", (PickOne("card", choices(sorted(lords))), PickOne("at", choices(places)), AFTER)))
        for card, option in ((HARVEST, "harvest"), (WEATHER, "weather")):
            on = [table.lore.sees[see].principal for see in sees_for(table, card)] if card in hand else []
            if on:
                options.append(Option(option, (PickOne("on", choices(on)), AFTER)))
        levied = levies(table, seat) if TAXES in hand else []
        if levied:
            options.append(Option("tax", (PickOne("levy", choices(levied)), AFTER)))
        return Ask(seat, "play", (*options, Option("done")), Answer("done"), "D-PLY-1", {"round": table.round})

    def verbs_play(self, table: Table, seat: Seat) -> tuple[str, ...]:
        return ("lord", "harvest", "weather", "tax", "done")

    def explain_play(self, table: Table, seat: Seat, answer: Answer) -> None:
        hand = table.families[seat].hand
        if answer.option == "lord" and len(table.family(seat)) >= table.limits["lords_in_family"]:
            raise NotLegal(say("fief.family_full", most=table.limits["lords_in_family"]))
        illegal_if(answer.option == "lord" and not self._places(table, seat), "fief.nowhere")
        card = {"harvest": HARVEST, "weather": WEATHER, "tax": TAXES}.get(answer.option, "")
        illegal_if(card and card not in hand, "fief.no_such_card", card=card)
        illegal_if(answer.option == "tax" and not levies(table, seat), "fief.no_levy")
        illegal_if(card in BARRED and not sees_for(table, card), "fief.no_see", card=card)
        if card in BARRED and answer.pick("on") in table.lore.sites:
            see = table.see_of(answer.pick("on"))
            illegal_if(table.lies(BARRED[card], see), "fief.card_barred", card=card, by=BARRED[card], see=see)
            illegal_if(table.lies(card, see), "fief.card_lies", card=card, see=see)

    def take_play(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            self.ending = answer.pick(AFTER.name) == "end"
            match answer.option:
                case "lord":
                    self.lord, self.at = answer.pick("card"), answer.pick("at")
                    return "host" if hosted(table, seat, tier(table, seat)[0], self.at) else "enter"
                case "harvest" | "weather":
                    _lay(table, seat, HARVEST if answer.option == "harvest" else WEATHER, table.see_of(answer.pick("on")))
                case "tax":
                    _levy(table, seat, answer.pick("levy"))
                case _:
                    self._end()
        return "next"

    def _may_play(self, table: Table, seat: Seat) -> bool:
        """Whether to ask, by public facts alone."""
        hand = table.families[seat].hand
        if not hand or table.ruled("FF-RND-3") == "asked" or table.grey(seat):
            return bool(hand)
        return len(table.family(seat)) < table.limits["lords_in_family"] and bool(self._places(table, seat))

    def _places(self, table: Table, seat: Seat) -> list[Place]:
        return [place for place in tier(table, seat)[1] if place not in self.refused]

    # host (tier 5)

    def who_host(self, table: Table) -> list[Seat]:
        """The host; nobody if village or card changed hands since."""
        controller = table.villages[self.at].controller
        return [controller] if self._can_enter(table) and controller not in ("", self.left[0]) else []

    def ask_host(self, table: Table, seat: Seat) -> Ask:
        return yes_no(seat, "host", "D-PLY-3", about={"lord": self.lord, "seat": self.left[0], "village": self.at})

    def take_host(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if self._can_enter(table):
            if all(answer.option == "yes" for answer in answers.values()):
                return "enter"
            table.tell("not_hosted", lord=self.lord, village=self.at, seat=table.villages[self.at].controller)
            self.refused.append(self.at)
        self.ending = False
        return "next"

    def _can_enter(self, table: Table) -> bool:
        seat = self.left[0]
        return self.lord in table.families[seat].hand and self.at in self._places(table, seat)

    def enter(self, table: Table) -> Next:
        seat = self.left[0]
        table.families[seat].hand.remove(self.lord)
        person = Person(self.lord, seat, self.at, female=table.lore.people[self.lord].female)
        table.lords[self.lord] = person
        table.tell("lord_played", seat=seat, lord=self.lord, village=self.at)
        put_lord(table, person, self.at)
        return settled(table, "prince")

    # a Crown Prince (FF-CPR-1)

    def who_prince(self, table: Table) -> list[Seat]:
        seat, queen = self.left[0], table.who("queen", "queen")
        if self.lord not in table.lords or table.lords[self.lord].female or queen is None:
            return []
        born = queen.seat == seat and queen.free and table.who("king") is not None and table.who("prince") is None
        return [seat] if born else []

    def ask_prince(self, table: Table, seat: Seat) -> Ask:
        return yes_no(seat, "prince", "D-PLY-2", "yes", {"lord": self.lord})

    def take_prince(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            if answer.option == "yes":
                table.lords[self.lord].prince = True
                table.tell("prince", lord=self.lord, seat=seat)
        return "next"


def gain(table: Table, seat: Seat, levy: str) -> int:
    """Extra income in Deniers from a tax; the table stays unchanged."""
    before = income(table)[seat]
    table.taxes.append(read_levy(table, seat, levy))
    after = income(table)[seat]
    table.taxes.pop()
    return after - before


def _lay(table: Table, seat: Seat, card: str, see: int) -> None:
    """FF-FOR-1, 2: discard it with the Disaster it cancels, else keep it."""
    table.tell("fortune_played", seat=seat, card=card, see=see)
    cancelled = next((laid for laid in table.weather if laid.card == CANCELS[card] and laid.see == see), None)
    if cancelled is not None:
        table.spend(seat, card)
        table.weather.remove(cancelled)
        table.discard(cancelled.card)
        table.tell("disaster_cancelled", seat=seat, card=cancelled.card, see=see)
    else:
        table.families[seat].hand.remove(card)
        table.weather.append(Laid(card, see))


def _levy(table: Table, seat: Seat, levy: str) -> None:
    """FF-PLY-2: discard the card; the marker stays until 3b."""
    tax = read_levy(table, seat, levy)
    table.spend(seat, TAXES)
    table.taxes.append(tax)
    table.tell("taxed", seat=seat, lord=tax.lord, title=tax.title, fief=tax.fief, sees=tax.sees)
