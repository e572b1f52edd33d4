"""The Earl Deck that a player builds before the game (OR-COMP-2, 3), with the words that help choosing."""

from __future__ import annotations

from engine.game import Build, Ready
from engine.ortus.narrate import WORDS
from engine.ortus.pieces import COPIES, DECK, KINDS, LORE, check_deck
from engine.words import catalogue

DECKS = catalogue("engine.ortus", "lore/decks.en.toml")
USES = DECKS["use"]
KIND = WORDS["kind"]

BUILD = Build(
    kind="deck",
    option="deck",
    field="cards",
    groups=[(words, LORE[group]) for group, words in DECKS["group"].items()],
    names={kind: KIND[kind] for kind in KINDS},
    uses={kind: USES[kind] for kind in KINDS},
    copies=COPIES,
    size=DECK,
    about=DECKS["phrase"]["about"],
    check=check_deck,
    ready=[Ready(id, DECKS["name"][id], DECKS["words"][id], cards) for id, cards in LORE["house_decks"].items()],
)


def card_rows() -> list[dict[str, str]]:
    """Every card that a deck can hold, then the Army Cards: `kind`, `name`, the damage that it `sends`, its `use`."""
    sends = LORE["send"]
    rows = [(kind, str(sends.get(kind, "–")), USES[kind]) for kind in KINDS]
    rows += [(kind, str(sends[kind]), DECKS["phrase"]["army"]) for kind in LORE["army_per_earl"]]
    return [{"kind": kind, "name": KIND[kind], "sends": sent, "use": use} for kind, sent, use in rows]
