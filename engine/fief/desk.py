"""The `Table` with typed proposals, as stored in states."""

from __future__ import annotations

import msgspec

from engine.fief.diplomacy import Annulment, Cession, Exchange
from engine.fief.relics import RelicGift
from engine.fief.table import Table
from engine.offers import Desk

Bargains = Desk[Exchange | Cession | Annulment | RelicGift]


class FiefTable(Table):
    """A table with deserialisable proposals; a separate type avoids circular imports."""

    proposals: Bargains = msgspec.field(default_factory=Desk)
