"""The state type of Fief."""

from __future__ import annotations

from engine.core.procedure import State
from engine.fief.battle import Battle
from engine.fief.cards import Draws
from engine.fief.cavalcade import Cavalcade
from engine.fief.consent import Consent
from engine.fief.control import Settling
from engine.fief.deaths import Deaths
from engine.fief.desk import FiefTable
from engine.fief.disasters import Disasters, Plague
from engine.fief.elections import Election
from engine.fief.entry import Entry
from engine.fief.marriage import Courtship
from engine.fief.movement import Movement
from engine.fief.opportunity import Assassination
from engine.fief.placing import Placing
from engine.fief.playing import Plays
from engine.fief.purchase import Purchases
from engine.fief.ransom import Ransoms
from engine.fief.round import Checkpoint, Round
from engine.fief.setup import SetUp
from engine.fief.shield import Shield
from engine.fief.siege import Battles, Pillage
from engine.fief.uprising import Uprising

Procedures = (
    Assassination | Battle | Battles | Cavalcade | Checkpoint | Consent | Courtship | Deaths | Disasters | Draws | Election
    | Entry | Movement | Pillage | Placing | Plague | Plays | Purchases | Ransoms | Round | Settling | SetUp | Shield | Uprising
)  # fmt: skip
FiefState = State[FiefTable, Procedures]
