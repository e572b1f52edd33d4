"""Weights of the `steady` bot; a point is about a Property's value."""

from __future__ import annotations

# --- cards ------------------------------------------------------------------------------------------------------------

HOLDING = {"Palace": 3.5, "Castle": 3.0, "Land": 1.6, "MarketTown": 1.3, "Church": 0.8, "Cathedral": 2.5}
LORD = {"Prince": 2.0, "Champion": 1.8, "Vassal": 1.4, "Monk": 0.6}
HAND_CARD = {"Prince": 3.0, "Champion": 1.5, "Vassal": 1.2, "Monk": 0.6}
"""Face Cards spent from the Hand."""
TROOP = 0.8
"""An Army Card; a Mercenary counts double."""
TOWER = 0.9
HIDDEN_CARD = 0.7
"""In another's Hand."""

# --- rivals -----------------------------------------------------------------------------------------------------------

RIVALRY = {2: 1.0, 3: 0.8, 4: 0.7, 5: 0.6, 6: 0.6}
"""Earls left -> value of a rival's loss relative to an own gain, which others share."""
REMOVAL = {2: 500.0, 3: 6.0, 4: 4.0, 5: 3.0, 6: 2.5}
"""Earls left -> value of one fewer."""
LEADER = (0.6, 1.8)
"""Multipliers for losses of the weakest and strongest rival."""

# --- hidden cards -----------------------------------------------------------------------------------------------------

FACE_ODDS = 0.38
"""P(a hidden Hand card can be fielded)."""
ALLIES_ODDS = 0.085
"""P(a hidden Hand card is Allies)."""
TROOP_SENDS = 4 / 3
"""Mean points of an unseen Army Card: two thirds Infantry."""

# --- the own deck -----------------------------------------------------------------------------------------------------

LOW = 6
"""Deck size to start preparing the Bequest."""
WEARY = (8, 0.5)
"""(cards in deck and pile, factor on attack costs) for small cycling decks."""
LAST = 2
"""Deck size at which to Bequeath at once."""

# --- values -----------------------------------------------------------------------------------------------------------

LANDS_WANTED = 3
LAND_WANTED = 1.0
"""Bonus of a Land below that number."""
UNBLOCKED = 6.0
CANTERBURY = 3.0
"""Loss of an Archbishop captured in Canterbury."""
LOYALTY = 1.5
PLOT_CARD = 0.6
"""Cost of playing Treachery or Intrigue now."""
STARVED = {0: 0.9, 1: 0.9, 2: 0.5, 3: 0.3, 4: 0.15}
"""Deck size -> P(an Earl is out if his Prince dies)."""
ALLIES = 1.8
SPARE_ALLIES = 1.0
"""First and further Allies; played against higher stakes."""
VASSAL = 1.5
"""Stake per Vassal committed."""
WORTH_A_LORD = 6.0
"""Least stake for Vassal Lords."""
CROWN = 3.0
LEVIED = 0.9
BANNER = 1.0
"""Beyond the one for the Bequest."""
VIKINGS = 18.0
"""Viking command for the rest of the game."""
JOUSTERS = 2
TILT = {"Champion": 0.6, "Vassal": 0.42, "Prince": 0.45}
"""P(win against one other)."""
CROWD = 0.7
"""Decay per further entrant."""

# --- building ---------------------------------------------------------------------------------------------------------

VITAL = 100.0
PRESSING = 12.0
RICH_PILE = 8
"""Discard pile size for an early Bequest."""
FIEF = (9.0, 4.0, 2.8, 1.6, 0.6)
"""Anchors held -> value of another."""
LAND = (3.0, 2.5, 2.1, 1.4, 0.8)
"""Lands held -> value of another."""
DOUBLED = 1.5
"""Factor for a Land with a Market Town."""
TOWN = 0.9
"""Per army fed now or soon."""
CHURCH = 1.0
CHURCH_NEEDED = 4.0
"""If another's Cathedral bars the Bequest."""
CATHEDRAL = 2.4
STARVES = 0.5
"""Per rival barred from the Bequest."""
INSTALL = {"Champion": 2.8, "Prince": 2.0, "Vassal": 2.4, "Monk": 0.7}
MERCENARY = 2.6
GARRISON = 0.6
RECRUIT = 1.3
SURPLUS = 0.2
"""An Army Card with and without a place."""
BANQUET = 2.6
HAND_KEPT = 4
"""Hand size above which cards become Towers, plus one under threat."""
KEEP = {"Monk": 0, "Banquet": 1, "Church": 2, "Cathedral": 3, "MarketTown": 3, "Land": 4, "Intrigue": 5, "Mercenary": 5}
KEEP |= {"Vassal": 6, "Castle": 6, "Palace": 6, "Treachery": 7, "Allies": 8, "Champion": 7, "Prince": 9, "Banner": 9}
"""Lower becomes a Tower first."""
NEVER_A_TOWER = 9
SPENDS = {"bequeath": "Banner", "display": "Banner", "joust": "Banner", "banquet": "Banquet", "mercenary": "Mercenary"}
SPENDS |= {"treachery": "Treachery", "intrigue": "Intrigue"}
"""Action -> Hand card it spends without naming it."""

# --- decks ------------------------------------------------------------------------------------------------------------

DECKS: dict[str, dict[str, int]] = {
    "assassin": {"Castle": 3, "Land": 3, "Cathedral": 1, "Church": 1, "Prince": 2, "Vassal": 3, "Champion": 3}
    | {"Treachery": 4, "Allies": 2, "Banner": 2},
    "raider": {"Castle": 3, "Land": 3, "MarketTown": 1, "Church": 1, "Prince": 2, "Champion": 5, "Vassal": 2}
    | {"Mercenary": 4, "Allies": 1, "Banner": 2},
    "courtier": {"Castle": 3, "Land": 2, "Church": 1, "Prince": 2, "Vassal": 3, "Champion": 3, "Monk": 2}
    | {"Intrigue": 2, "Treachery": 2, "Allies": 1, "Banner": 3},
}
"""Win about equally often."""
ROLE_DECKS = {"king": "sovereign", "archbishop": "primate", "duke": "magnate"}
WORTH_DOING = 0.3
ATTRITION = 0.5
"""Value of a probable kill relative to a certain loss."""
YIELDS = 0.8
"""P(an indefensible Fief is given up)."""
