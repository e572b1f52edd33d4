"""Crowns: announcement, window to negate, effect (MM-CRN)."""

from __future__ import annotations

from engine.core.asks import Answer, Ask, Cell, Choice, Option, Order, PickOne, Seat, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure
from engine.mastery.rules.cards import pile, shuffle, take_top, turn_over
from engine.mastery.rules.conquest import discard_by_choice, may_discard
from engine.mastery.rules.fracture import Window, destroy
from engine.mastery.rules.pieces import Card
from engine.mastery.rules.table import Discarded, Lord, Table, held, supplied
from engine.mastery.rules.unit import explain_unit, redistributed, redistribution_fields, settle, vet_redistribution


def effect_of(table: Table, seat: Seat) -> str:
    return table.data.regalia[table.lords[seat].crown.name].effect


def old_discards(table: Table, seat: Seat) -> list[Card]:
    """Kinds that Order can reclaim, from an earlier turn (MM-AMB-33)."""
    return sorted({d.card for d in table.lords[seat].discard if is_old(table, d)})


def is_old(table: Table, discarded: Discarded) -> bool:
    """Whether discarded on an earlier turn, by ruling before the owner's last (MM-AMB-33)."""
    if table.ruled("MM-AMB-33") == "own":
        return not discarded.turn or discarded.turn <= table.turn - len(table.order)
    return discarded.turn < table.turn


def subjects(table: Table, seat: Seat) -> list[Seat]:
    """Targets of Corruption and Prosperity, by ruling oneself too (MM-AMB-49)."""
    order = table.clockwise(seat)
    return order[1:] if table.ruled("MM-AMB-49") == "others" else order


def usable(table: Table, seat: Seat) -> bool:
    """Whether the crown can be announced (MM-CRN-1, MM-DEC-6)."""
    if table.crown_used or not table.lords[seat].crown.up:
        return False
    if effect_of(table, seat) not in ("SHUFFLE_IN_1_OLD_DISCARD", "DESTROY_ANY_1_ARTEFACT"):
        return True
    (field,) = crown_fields(table, seat)
    return bool(field.choices)


def crown_fields(table: Table, seat: Seat) -> tuple[PickOne, ...]:
    """Fields for a crown's target: artefact, lord or card (MM-CRN-4, 5)."""
    match effect_of(table, seat):
        case "DESTROY_ANY_1_ARTEFACT":
            aims = [a.name for s in subjects(table, seat) for a in table.lords[s].artefacts() if a.up]
            return (PickOne("artefact", choices(aims)),)
        case "LOOK_TOP_1_KEEP_OR_DISCARD":
            return (PickOne("lord", choices(subjects(table, seat))),)
        case "SHUFFLE_IN_1_OLD_DISCARD":
            return (PickOne("card", choices(old_discards(table, seat))),)
        case _:
            return ()


class CrownUse(Procedure):
    seat: Seat = ""
    artefact: str = ""
    """Corruption's target."""
    lord: Seat = ""
    """Prosperity's target."""
    card: Card = ""
    """Order's card."""

    def begin(self, table: Table) -> Next:
        crown = table.lords[self.seat].crown
        table.crown_used = True
        table.tell(
            "crown",
            seat=self.seat,
            artefact=crown.name,
            effect=effect_of(table, self.seat),
            target=self.artefact,
            owner=table.owner(self.artefact) if self.artefact else "",
            lord=self.lord,
            card=self.card,
        )
        aimed = table.owner(self.artefact) if self.artefact else self.lord
        return Call(Window(what="crown", start=self.seat, aims=[crown.name], aimed=aimed), "effect")

    def effect(self, table: Table) -> Next:
        """Apply the effect, unless the crown has been destroyed (MM-CRN-2)."""
        lord = table.lords[self.seat]
        if not lord.crown.up:
            table.tell("negated", seat=self.seat, artefact=lord.crown.name)
            return Done()
        match effect_of(table, self.seat):
            case "DESTROY_ANY_1_ARTEFACT":
                destroy(table, self.artefact)
                table.tell("corrupted", seat=self.seat, artefact=self.artefact, owner=table.owner(self.artefact))
                return Done()
            case "LOOK_TOP_4_REORDER":
                return self._look(table, lord)
            case "SHUFFLE_IN_1_OLD_DISCARD":
                return self._reclaim(table, lord)
            case "LOOK_TOP_1_KEEP_OR_DISCARD":
                return self._peek(table, table.lords[self.lord])
            case "EXTRA_REDISTRIBUTION":
                return "redistribute"
            case _:
                return "discard"

    # Fury

    def who_discard(self, table: Table) -> list[Seat]:
        return [self.seat] if table.lords[self.seat].hand else []

    def ask_discard(self, table: Table, seat: Seat) -> Ask:
        return may_discard(table, seat, "MM-DEC-10", {"why": "crown", "artefact": table.lords[seat].crown.name})

    def take_discard(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            discard_by_choice(table, seat, answer)
        return Done()

    # Insight

    def _look(self, table: Table, lord: Lord) -> Next:
        """The shuffled discard pile goes under a too short deck first (MM-CRN-7)."""
        count = table.data.constants["insight_look"]
        under = len(lord.deck) < count and bool(lord.discard)
        if under:
            below = sorted(pile(lord))
            lord.discard = []
            table.chance.shuffle(below, f"deck-{lord.seat}")
            lord.deck = below + lord.deck
        seen = min(count, len(lord.deck))
        # Others' knowledge of the top is void (MM-HID-12).
        lord.known = {lord.seat: max(seen, lord.known.get(lord.seat, 0))} if seen else {}
        table.tell_two("insight", (lord.seat,), {"cards": top(lord, seen)}, seat=lord.seat, count=seen, under=under)
        return "arrange"

    def who_arrange(self, table: Table) -> list[Seat]:
        """Skipped if nothing is to order, by public facts (MM-ASY-5)."""
        least = 2 if spares_questions(table) else 1
        return [self.seat] if len(table.lords[self.seat].deck) >= least else []

    def ask_arrange(self, table: Table, seat: Seat) -> Ask:
        """MM-DEC-8: order the top cards, first on top."""
        seen = top(table.lords[seat], min(table.data.constants["insight_look"], len(table.lords[seat].deck)))
        counted = {c: seen.count(c) for c in seen}
        field = Order("cards", tuple(Choice(c, n) for c, n in counted.items()))
        return Ask(seat, "arrange", (Option("arrange", (field,)),), Answer("arrange", {"cards": list(seen)}), "MM-DEC-8")

    def take_arrange(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            lord, cards = table.lords[seat], answer.some("cards")
            lord.deck[len(lord.deck) - len(cards) :] = reversed(cards)
            table.tell("arranged", seat=seat)
        return Done()

    # Order

    def _reclaim(self, table: Table, lord: Lord) -> Next:
        at = next(i for i, d in enumerate(lord.discard) if d.card == self.card and is_old(table, d))
        lord.deck.append(lord.discard.pop(at).card)
        shuffle(table, lord)
        table.tell("reclaimed", seat=self.seat, card=self.card)
        return Done()

    # Prosperity

    def _peek(self, table: Table, lord: Lord) -> Next:
        turn_over(table, lord)
        if not lord.deck:
            table.tell("nothing_there", seat=self.seat, lord=self.lord)
            return Done()
        lord.known[self.seat] = max(1, lord.known.get(self.seat, 0))
        table.tell_two("peeked", (self.seat,), {"card": lord.deck[-1]}, seat=self.seat, lord=self.lord)
        return "verdict"

    def who_verdict(self, table: Table) -> list[Seat]:
        return [self.seat]

    def ask_verdict(self, table: Table, seat: Seat) -> Ask:
        about = {"lord": self.lord, "card": table.lords[self.lord].deck[-1]}
        return Ask(seat, "verdict", (Option("leave"), Option("remove")), Answer("leave"), "MM-DEC-9", about)

    def take_verdict(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        lord = table.lords[self.lord]
        if answers[self.seat].option == "remove":
            card = take_top(lord)
            lord.discard.append(Discarded(card, table.turn))
            table.tell("removed", seat=self.seat, lord=self.lord, card=card)
        else:
            table.tell("left", seat=self.seat, lord=self.lord)
        return Done()

    # Vitality

    def who_redistribute(self, table: Table) -> list[Seat]:
        """Skipped if no territory can share (MM-ASY-5)."""
        return [self.seat] if supplied(table, self.seat) or not spares_questions(table) else []

    def ask_redistribute(self, table: Table, seat: Seat) -> Ask:
        """Redistribution by Vitality (MM-DEC-11, MM-CRN-10)."""
        castle = table.lords[seat].knights
        options = (Option("keep"), Option("redistribute", lambda: redistribution_fields(table, seat), rest=castle))
        return Ask(seat, "redistribute", options, Answer("keep"), "MM-DEC-11", lambda: reach(table, seat))

    def vet_redistribute(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "redistribute":
            vet_redistribution(table, seat, answer)

    def explain_redistribute(self, table: Table, seat: Seat, answer: Answer) -> None:
        explain_unit(table, seat, answer)

    def take_redistribute(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            if answer.option == "redistribute":
                settle(table, seat, redistributed(table, seat, answer), "crown")
        return Done()


def spares_questions(table: Table) -> bool:
    """Whether forced answers are skipped if all can see it (MM-ASY-5)."""
    return table.ruled("MM-ASY-5") == "skipped"


def top(lord: Lord, count: int) -> list[Card]:
    """A deck's top cards, topmost first."""
    return lord.deck[len(lord.deck) - count :][::-1]


def reach(table: Table, seat: Seat) -> dict[str, Cell]:
    """Facts for a redistribution: places with knights, `cut` if unsupplied."""
    within = supplied(table, seat)
    lands = {s: f"{table.lands[s].knights}{'' if s in within else ' cut'}" for s in held(table, seat)}
    tiles = {s: land.tile for s, land in table.lands.items()}
    castles = {lord.slot: s for s, lord in table.lords.items()}
    own = {"castle": str(table.lords[seat].knights), "slot": table.lords[seat].slot}
    return {**own, "lands": lands, "tiles": tiles, "castles": castles}


def explain_crown(table: Table, seat: Seat) -> None:
    """Raises NotLegal with the reason."""
    crown = table.lords[seat].crown
    used = "mastery.crown_used_now" if table.ruled("MM-AMB-10") == "window" else "mastery.crown_used"
    illegal_if(table.crown_used, used, crown=crown.name)
    illegal_if(not crown.up, "mastery.crown_down", crown=crown.name)
    illegal_if(not usable(table, seat), "mastery.crown_useless", crown=crown.name)
