"""Words about cards, decks, colours and bots for the pages: what stands beside a name to help choosing."""

from __future__ import annotations

from flask_babel import gettext, lazy_gettext
from flask_babel.speaklater import LazyString

from engine.ortus.narrate import WORDS
from engine.ortus.pieces import KINDS, LORE

USES: dict[str, LazyString] = {
    "Castle": lazy_gettext("Founds a new Fief. Falls to two points in a siege."),
    "Land": lazy_gettext("Brings an Army Card, feeds one in battle, and allows recruiting."),
    "MarketTown": lazy_gettext("Doubles what every Land in its Fief brings and feeds."),
    "Church": lazy_gettext("Makes a Monastery with an Abbot; keeps the right to bequeath."),
    "Cathedral": lazy_gettext("One at a time on the table: its holder is Archbishop."),
    "Prince": lazy_gettext("Lord or fighter, one at a time; seizes, and can bequeath."),
    "Vassal": lazy_gettext("Lord, fighter, emissary, and the weight in every struggle."),
    "Champion": lazy_gettext("Sends two in battle; counts as anything in a joust."),
    "Monk": lazy_gettext("Abbot, or an emissary worth two cubes with the Vikings."),
    "Mercenary": lazy_gettext("Sends two, needs no Land, and takes a garrison."),
    "Treachery": lazy_gettext("Kills a Lord, spoils a hand or removes a Mercenary."),
    "Intrigue": lazy_gettext("Steals Properties, Army Cards or a Mercenary."),
    "Allies": lazy_gettext("The only answer to Treachery and Intrigue."),
    "Banquet": lazy_gettext("Draw two cards."),
    "Banner": lazy_gettext("For the crown, for a joust, or to bequeath."),
}

DECKS: dict[str, tuple[LazyString, LazyString]] = {
    "steward": (
        lazy_gettext("The Steward"),
        lazy_gettext("A little of everything. Never at a loss, never far ahead; good for a first game."),
    ),
    "marshal": (
        lazy_gettext("The Marshal"),
        lazy_gettext("Lands, towns and hard men. Raises an army early and goes to take what others build."),
    ),
    "schemer": (
        lazy_gettext("The Schemer"),
        lazy_gettext("Daggers and whispers, with Vassals enough to win the struggles that they start."),
    ),
    "pilgrim": (
        lazy_gettext("The Pilgrim"),
        lazy_gettext("Churches, Monks and the Cathedral. Decides doubtful battles and outlives the others."),
    ),
    "pretender": (
        lazy_gettext("The Pretender"),
        lazy_gettext("Five Banners for the crown, and the Royal Army as the prize."),
    ),
    "northman": (
        lazy_gettext("The Northman"),
        lazy_gettext("Emissaries first: calls the Vikings in and means to steer them."),
    ),
}

COLOURS: dict[str, LazyString] = {
    "red": lazy_gettext("red"),
    "blue": lazy_gettext("blue"),
    "green": lazy_gettext("green"),
    "yellow": lazy_gettext("yellow"),
    "purple": lazy_gettext("purple"),
    "black": lazy_gettext("black"),
}

BOTS: dict[str, LazyString] = {
    "steady": lazy_gettext("Plays with sense and a plan."),
    "random": lazy_gettext("Does anything that the rules allow."),
}


def kinds() -> dict[str, str]:
    """The fifteen types of a deck, by name, in the order of the rules."""
    return {kind: WORDS["kind"].get(kind, kind) for kind in KINDS}


def groups() -> list[tuple[str, list[str]]]:
    """The three groups of five types (OR-COMP-3)."""
    return [
        (gettext("Property"), LORE["property_group"]),
        (gettext("Faces"), LORE["face_group"]),
        (gettext("Politics"), LORE["political_group"]),
    ]


def card_rows() -> list[tuple[str, str, str, str]]:
    """Kind, name, damage sent and use of every card that a deck can hold, then of the Army Cards."""
    sends = LORE["send"]
    rows = [(kind, name, str(sends.get(kind, "–")), str(USES[kind])) for kind, name in kinds().items()]
    army = gettext("Army Card: recruited, held in reserve, killed by one point.")
    return rows + [(kind, WORDS["kind"].get(kind, kind), str(sends[kind]), army) for kind in ("Infantry", "Knight")]
