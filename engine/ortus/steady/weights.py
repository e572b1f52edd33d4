"""What the `steady` bot holds things to be worth. One point is about a Property; all else is measured by it."""

from __future__ import annotations

# --- what lies on the table -------------------------------------------------------------------------------------------

HOLDING = {"Palace": 3.5, "Castle": 3.0, "Land": 1.6, "MarketTown": 1.3, "Church": 0.8, "Cathedral": 2.5}
LORD = {"Prince": 2.0, "Champion": 1.8, "Vassal": 1.4, "Monk": 0.6}
HAND_CARD = {"Prince": 3.0, "Champion": 1.5, "Vassal": 1.2, "Monk": 0.6}
"""What a Face Card is worth that is spent from the Hand."""
TROOP = 0.8
"""An Army Card, and a Mercenary twice as much."""
TOWER = 0.9
HIDDEN_CARD = 0.7
"""A card of another's Hand."""

# --- rivals -----------------------------------------------------------------------------------------------------------

RIVALRY = {2: 1.0, 3: 0.8, 4: 0.7, 5: 0.6, 6: 0.6}
"""Earls left -> what a rival's loss is worth beside an own gain: others have as much of it as oneself."""
REMOVAL = {2: 500.0, 3: 6.0, 4: 4.0, 5: 3.0, 6: 2.5}
"""Earls left -> what it is worth that there is one less."""
LEADER = (0.6, 1.8)
"""By how much less and more than the mean a loss of the weakest and of the strongest counts."""

# --- what others may hold ---------------------------------------------------------------------------------------------

FACE_ODDS = 0.38
"""How likely a hidden card of a Hand can be fielded."""
ALLIES_ODDS = 0.085
"""How likely a hidden card of a Hand is Allies."""
TROOP_SENDS = 4 / 3
"""Points that an unseen Army Card sends, of two thirds Infantry and one third Knights."""

# --- the own deck -----------------------------------------------------------------------------------------------------

LOW = 6
"""From so many cards of the deck on the Bequest is prepared."""
WEARY = (8, 0.5)
"""With so few cards in deck and pile, that go round and round, the cost of an attack counts by so much alone."""
LAST = 2
"""With so many it can't wait."""

# --- wishes -----------------------------------------------------------------------------------------------------------

LANDS_WANTED = 3
LAND_WANTED = 1.0
"""What a Land is worth on top as long as there are fewer than that."""
UNBLOCKED = 6.0
"""That a Cathedral falls which forbids the own Bequest."""
CANTERBURY = 3.0
"""What the Archbishop loses who is captured in Canterbury."""
LOYALTY = 1.5
"""The card that a loyal Earl gives a King whom he attacks."""
PLOT_CARD = 0.6
"""What it costs to play a Treachery or an Intrigue now and not later."""
STARVED = {0: 0.9, 1: 0.9, 2: 0.5, 3: 0.3, 4: 0.15}
"""Cards left in a deck -> how likely an Earl is out whose Prince falls now."""
ALLIES = 1.8
SPARE_ALLIES = 1.0
"""What Allies are worth, and another: they are played against what is worth more."""
VASSAL = 1.5
"""A Struggle is fought with one Vassal more for each time as much that is at stake."""
WORTH_A_LORD = 6.0
"""Vassal Lords go into a Struggle for no less."""
CROWN = 3.0
LEVIED = 0.9
"""The King Card with its slots, and each card that comes with it."""
BANNER = 1.0
"""One that isn't kept for the Bequest."""
VIKINGS = 18.0
"""What it is worth to command the Vikings for the rest of the game."""
JOUSTERS = 2
"""With fewer who must ante no Joust is begun."""
TILT = {"Champion": 0.6, "Vassal": 0.42, "Prince": 0.45}
"""How likely such a tilter wins against one other."""
CROWD = 0.7
"""How fast that falls with more who must ante: not all of them tilt."""

# --- building ---------------------------------------------------------------------------------------------------------

VITAL = 100.0
"""Without it one is out."""
PRESSING = 12.0
RICH_PILE = 8
"""With so many cards in the discard pile the Bequest doesn't wait for the last moment."""
FIEF = (9.0, 4.0, 2.8, 1.6, 0.6)
"""Anchors held -> what another is worth."""
LAND = (3.0, 2.5, 2.1, 1.4, 0.8)
"""Lands held -> what another is worth."""
DOUBLED = 1.5
"""What a Land is worth beside a Market Town, by as much."""
TOWN = 0.9
"""A Market Town, for each army that it feeds or will soon feed."""
CHURCH = 1.0
CHURCH_NEEDED = 4.0
"""While another's Cathedral forbids the Bequest."""
CATHEDRAL = 2.4
STARVES = 0.5
"""For each rival whom it forbids the Bequest."""
INSTALL = {"Champion": 2.8, "Prince": 2.0, "Vassal": 2.4, "Monk": 0.7}
MERCENARY = 2.6
GARRISON = 0.6
RECRUIT = 1.3
SURPLUS = 0.2
"""An Army Card that there is a place for, and one that there is none for."""
BANQUET = 2.6
HAND_KEPT = 4
"""Cards beyond so many become Towers, one more under threat."""
KEEP = {"Monk": 0, "Banquet": 1, "Church": 2, "Cathedral": 3, "MarketTown": 3, "Land": 4, "Intrigue": 5, "Mercenary": 5}
KEEP |= {"Vassal": 6, "Castle": 6, "Palace": 6, "Treachery": 7, "Allies": 8, "Champion": 7, "Prince": 9, "Banner": 9}
"""What becomes a Tower first."""
NEVER_A_TOWER = 9
SPENDS = {"bequeath": "Banner", "display": "Banner", "joust": "Banner", "banquet": "Banquet", "mercenary": "Mercenary"}
SPENDS |= {"treachery": "Treachery", "intrigue": "Intrigue"}
"""What an Action takes out of the Hand that doesn't name its card."""

# --- decks ------------------------------------------------------------------------------------------------------------

DECKS: dict[str, dict[str, int]] = {
    "assassin": {"Castle": 3, "Land": 3, "Cathedral": 1, "Church": 1, "Prince": 2, "Vassal": 3, "Champion": 3}
    | {"Treachery": 4, "Allies": 2, "Banner": 2},
    "raider": {"Castle": 3, "Land": 3, "MarketTown": 1, "Church": 1, "Prince": 2, "Champion": 5, "Vassal": 2}
    | {"Mercenary": 4, "Allies": 1, "Banner": 2},
    "courtier": {"Castle": 3, "Land": 2, "Church": 1, "Prince": 2, "Vassal": 3, "Champion": 3, "Monk": 2}
    | {"Intrigue": 2, "Treachery": 2, "Allies": 1, "Banner": 3},
}
"""They win about as often as one another."""
ROLE_DECKS = {"king": "sovereign", "archbishop": "primate", "duke": "magnate"}
"""Roles play the house decks that are made for them."""
WORTH_DOING = 0.3
"""What promises less is left undone."""
ATTRITION = 0.5
"""What a rival's army that is likely killed is worth beside one that is surely lost."""
YIELDS = 0.8
"""How likely a Fief is given up without a fight that can't be held."""
