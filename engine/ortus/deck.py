"""The Earl Deck that a player builds before the game (OR-COMP-2, 3), with the words that help choosing."""

from __future__ import annotations

from engine.game import Build, Ready
from engine.ortus.narrate import WORDS
from engine.ortus.pieces import COPIES, DECK, KINDS, LORE, check_deck
from engine.words import Catalogue, Line

DECKS = Catalogue("engine.ortus", "decks")

BUILD = Build(
    kind="deck",
    option="deck",
    field="cards",
    groups=[(DECKS.line("group", group), LORE[group]) for group in DECKS.keys("group")],
    names=WORDS.lines("kind", KINDS, {"n": 1}),
    uses=DECKS.lines("use", KINDS),
    copies=COPIES,
    size=DECK,
    about=DECKS.line("phrase", "about"),
    check=check_deck,
    ready=[
        Ready(id, DECKS.line("name", id), DECKS.line("words", id), cards)
        for id, cards in LORE["house_decks"].items()
        if sum(cards.values()) == DECK
    ],
)


def card_rows() -> list[dict[str, str | Line]]:
    """Every card that a deck can hold, then the Army Cards: `kind`, `name`, the damage that it `sends`, its `use`."""
    sends, army = LORE["send"], LORE["army_per_earl"]
    uses = {kind: DECKS.line("use", kind) for kind in KINDS} | {kind: DECKS.line("phrase", "army") for kind in army}
    return [
        {"kind": kind, "name": WORDS.line("kind", kind, {"n": 1}), "sends": str(sends.get(kind, "–")), "use": use}
        for kind, use in uses.items()
    ]
