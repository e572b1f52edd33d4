"""Turn: placing, early window, unit, late window, restoring (MM-TRN, MM-RST)."""

from __future__ import annotations

from engine.core.asks import About, Answer, Ask, NotLegal, Option, PickOne, Seat, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure
from engine.language.words import say
from engine.mastery.rules.cards import discard, spent
from engine.mastery.rules.crowns import CrownUse, crown_fields, explain_crown, reach, usable
from engine.mastery.rules.fracture import play_fracture
from engine.mastery.rules.pieces import CALL_TO_ARMS, FRACTURE, TACTICAL_ADVANCE, Card
from engine.mastery.rules.table import UP, Artefact, Discarded, Table, gain, points
from engine.mastery.rules.unit import Unit, explain_unit, unit_fields, vet_unit

UNITS = ("march", "tactical")
CALL, END = Option("call"), Option("end")
VERBS = ("march", "tactical", "call", "crown", "fracture", "end")
"""Options in display order."""


def due(table: Table, turn: int) -> int:
    """Knights placed, dice permitting (MM-TRN-3, MM-AMB-11)."""
    none = turn <= len(table.order) and table.ruled("MM-AMB-11") == "none"
    return 0 if none else table.data.constants["place_knights_per_turn"]


def others_artefacts(table: Table, seat: Seat) -> list[str]:
    """Face-up artefacts, clockwise (MM-FRA-2)."""
    return [a.name for s in table.clockwise(seat)[1:] for a in table.lords[s].artefacts() if a.up]


def ends_quietly(table: Table) -> bool:
    """Whether a march without a battle ends the turn unless its lord wants more (MM-DEC-4)."""
    return table.ruled("MM-DEC-4") == "battle"


THEN_END, THEN_MORE = (PickOne("then", choices(ways), optional=True) for ways in (("end",), ("end", "more")))
"""What follows a unit or the crown."""


class Turn(Procedure):
    seat: Seat = ""
    lying: Card = ""
    """The Tactical Advance in play; it is discarded after its effect (MM-GEN-4)."""
    back: str = ""
    """Step after the unit: a window, `restore` to end the turn, or `battle`: the late window only after a battle."""
    crowned: str = ""
    """Window in which the crown was used, where by ruling no card may follow (MM-AMB-5)."""
    placed: int = -1
    """Knights placed at its start; -1 where none were counted."""
    fought: str = ""
    """Result of its last battle: `won`, `lost`, `stopped`, `none`; "" in older positions."""

    def begin(self, table: Table) -> Next:
        """Place three knights in the castle (MM-TRN-3, 8), by ruling none on the first turn (MM-AMB-11)."""
        table.turn += 1
        table.active, table.crown_used = self.seat, False
        full, after = divmod(table.turn - 1, len(table.order))
        table.tell("turn", seat=self.seat, number=table.turn, round=full + 1, opens=not after)
        before, count = table.lords[self.seat].knights, due(table, table.turn)
        if count:
            gain(table, self.seat, count, "turn")
        self.placed, self.fought = table.lords[self.seat].knights - before, "none"
        return "early"

    # --- the early window, and the unit that ends it

    def who_early(self, table: Table) -> list[Seat]:
        return [self.seat]

    def ask_early(self, table: Table, seat: Seat) -> Ask:
        """MM-DEC-3, 5, 6, 11, 12: cards and crown in any order, then march or end."""
        castle, then = table.lords[seat].knights, THEN_MORE if ends_quietly(table) else THEN_END
        march = Option("march", lambda: (*unit_fields(table, seat), then), rest=castle)
        return self._ask(table, seat, "early", "MM-DEC-3", (march,))

    def vet_early(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option in UNITS:
            vet_unit(table, seat, answer)

    def verbs_early(self, table: Table, seat: Seat) -> tuple[str, ...]:
        return VERBS

    def explain_early(self, table: Table, seat: Seat, answer: Answer) -> None:
        illegal_if(answer.option in ("tactical", "call", "fracture") and self.crowned == self.step, "mastery.crown_before")
        match answer.option:
            case "march":
                explain_unit(table, seat, answer)
            case "tactical":
                illegal_if(TACTICAL_ADVANCE not in table.lords[seat].hand, "mastery.no_tactical_advance")
                explain_unit(table, seat, answer)
            case "call" if CALL_TO_ARMS not in table.lords[seat].hand:
                raise NotLegal(say("mastery.no_call_to_arms"))
            case "fracture" if FRACTURE not in table.lords[seat].hand:
                raise NotLegal(say("mastery.no_fracture"))
            case "crown":
                explain_crown(table, seat)

    def take_early(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        answer = answers[self.seat]
        if answer.option == "march":
            if table.ruled("MM-AMB-10") == "window":
                table.crown_used = False
            return self._march(table, answer, "marched")
        if answer.option == "end":
            return "restore"
        return self._act(table, answer, "early")

    def marched(self, table: Table) -> Next:
        self.fought = self.came or "none"
        if self.back == "battle":
            return "restore" if self.fought == "none" else "late"
        return self.back

    def _march(self, table: Table, answer: Answer, then: str) -> Next:
        usual = "battle" if ends_quietly(table) else "late"
        self.back = {"end": "restore", "more": "late"}.get(answer.pick("then"), usual)
        order = Answer("march", {k: v for k, v in answer.values.items() if k != "then"})
        return Call(Unit(seat=self.seat, order=order), then)

    def ends_after(self, table: Table, answer: Answer) -> bool:
        """Whether this march ends the turn without a battle (MM-DEC-4)."""
        last = answer.option == "march" or self.step == "late"
        return last and ends_quietly(table) and answer.pick("then") != "more"

    # --- the late window

    def who_late(self, table: Table) -> list[Seat]:
        """Skipped if nothing is left to do, publicly (MM-ASY-5)."""
        kinds = [CALL_TO_ARMS, TACTICAL_ADVANCE, FRACTURE]
        nothing = spent(table, table.lords[self.seat], kinds) or self.crowned == "late"
        if nothing and not usable(table, self.seat):
            return []
        return [self.seat]

    def ask_late(self, table: Table, seat: Seat) -> Ask:
        return self._ask(table, seat, "late", "MM-DEC-4", ())

    vet_late, verbs_late = vet_early, verbs_early

    def explain_late(self, table: Table, seat: Seat, answer: Answer) -> None:
        illegal_if(answer.option == "march", "mastery.marched")
        self.explain_early(table, seat, answer)

    def take_late(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        answer = answers.get(self.seat)
        if answer is None or answer.option == "end":
            return "restore"
        if answer.option == "tactical" and ends_quietly(table):
            self._lie(table)
            return self._march(table, answer, "carried_out")
        return self._act(table, answer, "restore" if answer.pick("then") else "late")

    # --- both windows (MM-TRN-4)

    def _ask(self, table: Table, seat: Seat, kind: str, rule: str, first: tuple[Option, ...]) -> Ask:
        hand = () if self.crowned == kind else table.lords[seat].hand
        options = list(first)
        late = kind == "late" and ends_quietly(table)
        if TACTICAL_ADVANCE in hand:
            on = (THEN_MORE,) if late else ()
            options.append(Option("tactical", lambda: (*unit_fields(table, seat), *on), rest=table.lords[seat].knights))
        if CALL_TO_ARMS in hand:
            options.append(CALL)
        if usable(table, seat):
            ended = (THEN_END,) if late else ()
            options.append(Option("crown", lambda: (*crown_fields(table, seat), *ended)))
        if FRACTURE in hand and others_artefacts(table, seat):
            options.append(Option("fracture", lambda: (PickOne("artefact", choices(others_artefacts(table, seat))),)))
        options.append(END)
        return Ask(seat, kind, tuple(options), Answer("end"), rule, lambda: self._about(table, seat))

    @staticmethod
    def _about(table: Table, seat: Seat) -> About:
        about = reach(table, seat) | {"crown": table.lords[seat].crown.name, "points": str(points(table, seat))}
        about["owners"] = {a.name: s for s in table.order for a in table.lords[s].artefacts()}
        return about

    def _act(self, table: Table, answer: Answer, back: str) -> Next:
        match answer.option:
            case "call":
                discard(table, self.seat, CALL_TO_ARMS)
                table.tell("played", seat=self.seat, card=CALL_TO_ARMS)
                gain(table, self.seat, table.data.constants["call_to_arms_knights"], "card")
                return back
            case "tactical":
                self._lie(table)
                self.back = back
                return Call(Unit(seat=self.seat, order=Answer("march", dict(answer.values))), "carried_out")
            case "fracture":
                play_fracture(table, self.seat, answer.pick("artefact"))
                return back
            case _:
                self.crowned = self.step if table.ruled("MM-AMB-5") == "fixed" else ""
                aims = {name: answer.pick(name) for name in ("artefact", "lord", "card")}
                return Call(CrownUse(seat=self.seat, **aims), back)

    def _lie(self, table: Table) -> None:
        table.lords[self.seat].hand.remove(TACTICAL_ADVANCE)
        self.lying = TACTICAL_ADVANCE
        table.tell("played", seat=self.seat, card=TACTICAL_ADVANCE)

    def carried_out(self, table: Table) -> Next:
        table.lords[self.seat].discard.append(Discarded(self.lying, table.turn))
        self.lying = ""
        return self.marched(table)

    # --- RESTORE

    def restore(self, table: Table) -> Next:
        """Restore artefacts destroyed on earlier turns (MM-RST-1)."""
        restored = self.restorable(table)
        for artefact in restored:
            artefact.down = UP
        if restored:
            table.tell("restored", seat=self.seat, artefacts=[a.name for a in restored])
        return Done()

    def restorable(self, table: Table) -> list[Artefact]:
        return [a for a in table.lords[self.seat].artefacts() if not a.up and a.down < table.turn]
