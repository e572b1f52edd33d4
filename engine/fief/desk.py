"""The table with what players have put to each other on it: the one that states hold."""

from __future__ import annotations

import msgspec

from engine.fief.diplomacy import Annulment, Cession, Exchange
from engine.fief.relics import RelicGift
from engine.fief.table import Table
from engine.offers import Desk

Bargains = Desk[Exchange | Cession | Annulment | RelicGift]


class FiefTable(Table):
    """A table whose proposals can be read back, which the chapters that use them don't need to know."""

    proposals: Bargains = msgspec.field(default_factory=Desk)
