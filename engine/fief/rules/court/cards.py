"""Step 2a: discard and draw (chapter CRD)."""

from __future__ import annotations

from typing import Any

from engine.core.asks import Answer, Ask, Option, PickSome, Seat, choices
from engine.core.procedure import Next, Procedure, ended
from engine.fief.rules.realm.pieces import ASSASSINATION, CARDINAL, D_ARC, ESCAPE, JUSTICE, UPRISING, Card
from engine.fief.rules.realm.table import Table

FORTUNE, LORDS = "fortune", "lords"


def fortune_left(table: Table) -> bool:
    """Whether deck or pile holds a Fortune card, a public fact (FF-CRD-6)."""
    kinds = table.lore.kinds
    for cards in (table.fortune_deck, table.fortune_pile):
        for card in cards:
            if kinds[card].back == FORTUNE:
                return True
    return False


def room_for_lords(table: Table, seat: Seat) -> bool:
    """Whether a family has room beyond the Lords in hand (FF-LRD)."""
    held = sum(table.lore.kinds[card].kind == "lord" for card in table.families[seat].hand)
    return len(table.family(seat)) + held < table.limits["lords_in_family"]


def decks(table: Table) -> list[str]:
    return [FORTUNE] * fortune_left(table) + [LORDS] * bool(table.lords_deck or table.lords_pile)


def _rebuild(table: Table, deck: list[Card], pile: list[Card], name: str) -> None:
    """Shuffle the discard pile into an empty deck (FF-CRD-6)."""
    if not deck:
        deck.extend(sorted(pile))
        pile.clear()
        table.chance.shuffle(deck, name)
        table.tell("reshuffled", deck=name)


def draw_lord(table: Table) -> Card:
    _rebuild(table, table.lords_deck, table.lords_pile, "lords-deck")
    return table.lords_deck.pop()


def draw_fortune(table: Table) -> Card:
    """FF-CRD-5: Disasters go face down on the track; if full, they are shown and discarded."""
    while True:
        _rebuild(table, table.fortune_deck, table.fortune_pile, "fortune-deck")
        card = table.fortune_deck.pop()
        if table.lore.back(card) == FORTUNE:
            return card
        if len(table.track) < table.limits["disaster_track"]:
            table.track.append(card)
            table.tell("disaster_laid", space=len(table.track))
        else:
            table.fortune_pile.append(card)
            table.tell("disaster_discarded", card=card)


CARD_KINDS = frozenset((UPRISING, ASSASSINATION, JUSTICE, CARDINAL, D_ARC, ESCAPE))


class Draws(Procedure):
    """In turn order: discard, then draw up to two cards (FF-CRD-1)."""

    left: list[Seat] = []
    drawn: list[str] = []
    drawing: bool = False
    """He drew or declined: no opportunity cards until his turn ends (FF-CRD-3)."""

    def waits(self, table: Any, seat: Seat, kind: str) -> bool:
        """Cards wait, but not the current player's before his first draw (FF-CRD-3, FF-ASY-6); then exchanges wait too
        (FF-CRD-8).
        """
        if kind in CARD_KINDS:
            return seat != self.seat or self.drawing
        return kind == "exchange" and self.drawing

    def begin(self, table: Table) -> Next:
        self.left = table.in_order()
        return "discard"

    @property
    def seat(self) -> Seat:
        return self.left[0] if self.left else ""

    def who_discard(self, table: Table) -> list[Seat]:
        """D-DRW-1; who can draw discards in that question (FF-CRD-1)."""
        joined = table.ruled("FF-CRD-1") == "together" and bool(self._may(table))
        return [seat for seat in self.left[:1] if table.families[seat].hand and not joined]

    def ask_discard(self, table: Table, seat: Seat) -> Ask:
        options = (self._discards(table, seat), Option("none"))
        return Ask(seat, "discard", options, Answer("none"), "D-DRW-1", {"round": table.round})

    def take_discard(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            self._discard(table, seat, answer)
        return "draw" if self.seat else "done"

    @staticmethod
    def _discards(table: Table, seat: Seat) -> Option:
        hand = sorted(table.families[seat].hand)
        return Option("discard", (PickSome("cards", choices(hand), 1, len(hand)),))

    @staticmethod
    def _discard(table: Table, seat: Seat, answer: Answer) -> None:
        cards = answer.some("cards")
        for card in cards:
            table.spend(seat, card)
        if cards:
            table.tell("discarded", seat=seat, cards=cards)

    def _may(self, table: Table) -> list[str]:
        """Decks still allowed (FF-CRD-4)."""
        if not self.left or len(self.drawn) == 2 or table.room(self.left[0]) <= 0:
            return []
        return [deck for deck in decks(table) if deck == FORTUNE or LORDS not in self.drawn]

    def who_draw(self, table: Table) -> list[Seat]:
        return self.left[:1] if self._may(table) else []

    def ask_draw(self, table: Table, seat: Seat) -> Ask:
        """D-DRW-2, then D-DRW-3 after the first card; before it he may discard."""
        options = [*(Option(deck) for deck in self._may(table)), Option("none")]
        if table.ruled("FF-CRD-1") == "together" and not self.drawn and table.families[seat].hand:
            options.append(self._discards(table, seat))
        row = "D-DRW-3" if self.drawn else "D-DRW-2"
        top = table.lore.back(table.fortune_deck[-1]) if table.fortune_deck else "none"
        return Ask(seat, "draw", tuple(options), Answer("none"), row, {"drawn": list(self.drawn), "top": top})

    def take_draw(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        seat = self.seat
        deck = answers[seat].option if answers else "none"
        if deck == "discard":
            self._discard(table, seat, answers[seat])
            return "draw"
        if deck == "none":
            self.left.pop(0)
            self.drawn, self.drawing = [], False
            return "discard" if self.left else "done"
        self.drawing = True
        card = draw_lord(table) if deck == LORDS else draw_fortune(table)
        self.drawn.append(deck)
        table.families[seat].hand.append(card)
        table.tell("drawn", seat=seat, deck=deck, but=(seat,))
        table.tell("drawn_own", seat=seat, deck=deck, card=card, only=(seat,))
        return "draw"

    done = ended
