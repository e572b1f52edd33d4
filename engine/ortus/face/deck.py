"""Building an Earl Deck (OR-COMP-2, 3), with help texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from engine.core.asks import Seat
from engine.game import Build, Ready
from engine.language.words import Catalogue, Message
from engine.ortus.face.narrate import WORDS
from engine.ortus.rules.pieces import COPIES, DECK, KINDS, LORE, SIZES, check_deck
from engine.ortus.rules.roles import sizes

DECKS = Catalogue("engine.ortus", "decks")


def _build(size: int, about: str, **more: Any) -> Build:
    return Build(
        kind="deck",
        option="deck",
        field="cards",
        groups=[(DECKS.line("group", group), LORE[group]) for group in DECKS.keys("group")],
        names=WORDS.lines("kind", KINDS, {"n": 1}),
        uses=DECKS.lines("use", KINDS),
        copies=COPIES,
        size=size,
        about=DECKS.line("phrase", about),
        check=partial(check_deck, size=size),
        ready=[
            Ready(id, DECKS.line("name", id), DECKS.line("words", id), cards)
            for id, cards in LORE["house_decks"].items()
            if sum(cards.values()) == size
        ],
        **more,
    )


def wanted(options: Mapping[str, Any], seat: Seat) -> int:
    """Deck size; 0 while the role is unknown (OR-ROLE-2, 4)."""
    if not options.get("roles"):
        return DECK
    return int(sizes(options["seats"].get(seat, "earl"))["deck"]) if options["roles"] == "assigned" else 0


BUILD = _build(DECK, "about", others=[_build(size, "about_role") for size in SIZES if size != DECK], wanted=wanted)


def card_rows() -> list[dict[str, str | Message]]:
    sends, army = LORE["send"], LORE["army_per_earl"]
    uses = {kind: DECKS.line("use", kind) for kind in KINDS} | {kind: DECKS.line("phrase", "army") for kind in army}
    return [
        {"kind": kind, "name": WORDS.line("kind", kind, {"n": 1}), "sends": str(sends.get(kind, "–")), "use": use}
        for kind, use in uses.items()
    ]
