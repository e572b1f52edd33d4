"""Skeleton: all lay a card at the same time, and the highest score. Two players may swap cards, in secret."""

from __future__ import annotations

from engine.kit import Answer, Ask, BaseTable, Catalogue, Chance, Counted, Desk, Done, Game, Next, Option, Outcome, Own
from engine.kit import PickOne, Powers, Procedure, Proposal, Rules, Seat, Seen, State, Words, choices, offers

RANKS = ("Page", "Squire", "Knight", "Baron", "Earl", "King")


class Table(BaseTable):
    hand: Own[dict[Seat, list[str]]]  # its owner sees it, the others how many
    deck: Counted[list[str]]  # nobody sees it, all how many
    points: Seen[dict[Seat, int]]  # all see it
    proposals: Desk[Swap]


class Swap(Proposal):  # the private offer: a card for one that the other chooses
    card: str

    def ask(self, table: Table, seat: Seat) -> Ask:
        accept = Option("accept", (PickOne("card", choices(table.hand[seat])),))
        return Ask(seat, self.kind, (accept, Option("refuse")), Answer("refuse"), "SKELETON-2", self.about())

    def stands(self, table: Table) -> bool:
        return self.card in table.hand[self.by]

    def reveals(self) -> dict[Seat, list[str]]:
        return {self.by: [self.card]}

    def take(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "accept":
            for card, giver, taker in ((self.card, self.by, seat), (answer.pick("card"), seat, self.by)):
                table.hand[giver].remove(card)
                table.hand[taker].append(card)
            offers.weed(table)  # others may be of cards that have changed hands
        table.tell("swapped" if answer.option == "accept" else "kept", only=(self.by, seat), seat=seat, by=self.by)

    def lapse(self, table: Table, how: str) -> None:
        table.tell("lapsed", only=(self.by, *self.to), by=self.by)


class Round(Procedure):
    def begin(self, table: Table) -> Next:
        return "lay"

    def who_lay(self, table: Table) -> list[Seat]:
        return table.seats  # all at once: answers are hidden until the last is in

    def ask_lay(self, table: Table, seat: Seat) -> Ask:
        lay = Option("lay", (PickOne("card", choices(table.hand[seat])),))
        return Ask(seat, "lay", (lay,), Answer("lay", {"card": table.hand[seat][0]}), "SKELETON-1")  # what the clock lays

    def take_lay(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        laid = {seat: answer.pick("card") for seat, answer in answers.items()}
        highest = max(laid.values(), key=RANKS.index)
        for seat, card in laid.items():
            table.hand[seat].remove(card)
            table.tell("laid", seat=seat, card=card)
            if card == highest:
                table.points[seat] += 1
                table.tell("scored", seat=seat)
        offers.weed(table)
        if table.hand[table.seats[0]]:
            return "lay"
        table.outcome = Outcome(tuple(s for s in table.seats if table.points[s] == max(table.points.values())), "points")
        return Done()


GameState = State[Table, Round]


def deal(seats: list[Seat], chance: Chance) -> GameState:
    deck = [*RANKS * 4]
    chance.shuffle(deck, "deck")
    hand = {seat: [deck.pop() for _ in range(4)] for seat in seats}
    return GameState(Table(hand, deck, dict.fromkeys(seats, 0), Desk(), seats=seats, chance=chance), [Round()])


def powers(state: GameState, seat: Seat) -> list[Ask]:
    table, hand = state.table, state.table.hand[seat]
    if table.outcome or not hand or any(p.by == seat for p in table.proposals.open):
        return []
    to, card = choices(s for s in table.seats if s != seat), choices(hand)
    offer = Option("offer", (PickOne("to", to), PickOne("card", card)))
    return [Ask(seat, "offer", (offer,), Answer("offer", {"to": to[0].id, "card": hand[0]}), "SKELETON-2")]


def use_power(state: GameState, seat: Seat, kind: str, answer: Answer) -> None:
    to, card = answer.pick("to"), answer.pick("card")
    offers.put(state.table, Swap(by=seat, to=[to], only=[seat, to], card=card))
    state.table.tell("offered", only=(seat, to), seat=seat, to=to, card=card)


GAME = Game(
    name="skeleton",
    title="Skeleton",
    rules=Rules(
        seats=range(2, 5),
        state=GameState,
        deal=deal,
        powers=Powers(powers, use_power),
        audience=lambda kind, seat, answer: (seat, answer.pick("to")) if kind == "offer" else None,
    ),
    words=Words(Catalogue(__name__)),
)
