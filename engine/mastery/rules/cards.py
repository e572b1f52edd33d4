"""Hands, decks and discard piles (MM-RES-2, MM-BAT-6, 7, MM-HID-12)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.asks import Seat
from engine.mastery.rules.pieces import AUTHORITY, FRACTURE, Card
from engine.mastery.rules.table import Discarded, Lord, Table


def pile(lord: Lord) -> list[Card]:
    return [d.card for d in lord.discard]


def shuffle(table: Table, lord: Lord) -> None:
    """Shuffle the deck; voids knowledge of it (MM-HID-12)."""
    lord.deck.sort()
    table.chance.shuffle(lord.deck, f"deck-{lord.seat}")
    lord.known = {}


def turn_over(table: Table, lord: Lord) -> None:
    """Shuffle the discard pile into an empty deck (MM-BAT-7)."""
    if lord.deck or not lord.discard:
        return
    lord.deck = pile(lord)
    lord.discard = []
    shuffle(table, lord)
    table.tell("reshuffled", seat=lord.seat, count=len(lord.deck))


def take_top(lord: Lord) -> Card:
    """Draw from a non-empty deck; updates who knows its top."""
    if lord.known:
        lord.known = {s: k - 1 for s, k in lord.known.items() if k > 1}
    return lord.deck.pop()


def draw(table: Table, seat: Seat, count: int) -> None:
    """Draw up to `count`, then play a drawn Authority (MM-RES-2)."""
    lord = table.lords[seat]
    drawn: list[Card] = []
    for _ in range(count):
        turn_over(table, lord)
        if not lord.deck:
            break
        drawn.append(take_top(lord))
    lord.hand += drawn
    if drawn:
        table.tell_two("drew", (seat,), {"cards": sorted(drawn)}, seat=seat, count=len(drawn))
    while AUTHORITY in lord.hand:
        # In no pile while it is applied, so not reshuffled (MM-AMB-28).
        lord.hand.remove(AUTHORITY)
        table.tell("authority", seat=seat, count=table.data.constants["authority_draw"])
        draw(table, seat, table.data.constants["authority_draw"])
        lord.discard.append(Discarded(AUTHORITY, table.turn))


def draw_to(table: Table, seat: Seat, size: int) -> None:
    """Draw up to a hand size (MM-BAT-6)."""
    draw(table, seat, max(0, size - len(table.lords[seat].hand)))


def discard(table: Table, seat: Seat, card: Card) -> None:
    lord = table.lords[seat]
    lord.hand.remove(card)
    lord.discard.append(Discarded(card, table.turn))


def discard_at_random(table: Table, seat: Seat) -> None:
    """Discard uniformly from the sorted hand (MM-SCP-9, MM-RND-4)."""
    hand = sorted(table.lords[seat].hand)
    if hand:
        card = hand[table.chance.below(len(hand), "random-discard")]
        discard(table, seat, card)
        table.tell("lost_card", seat=seat, card=card)


def spent(table: Table, lord: Lord, kinds: list[Card], in_play: Sequence[Card] = ()) -> bool:
    """Whether publicly he has none of these: no hand, or all copies face up (MM-ASY-5)."""
    if not lord.hand:
        return True
    shown, cards = [*pile(lord), *in_play], table.data.cards
    return all(shown.count(k) >= cards[k].copies for k in kinds)


def could_fracture(table: Table, seat: Seat) -> bool:
    """Whether he may have a Fracture, by public facts (MM-FRA-9, 15)."""
    lord = table.lords[seat]
    if not lord.hand:
        return False
    return not lord.discard or pile(lord).count(FRACTURE) < table.data.cards[FRACTURE].copies
