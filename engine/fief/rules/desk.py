"""The `Table` with typed proposals."""

from __future__ import annotations

import msgspec

from engine.core.offers import Desk
from engine.fief.rules.diplomacy import Annulment, Cession, Exchange
from engine.fief.rules.realm.relics import RelicGift
from engine.fief.rules.realm.table import Table

Bargains = Desk[Exchange | Cession | Annulment | RelicGift]


class FiefTable(Table):
    """Separate from `Table` to avoid circular imports."""

    proposals: Bargains = msgspec.field(default_factory=Desk)
