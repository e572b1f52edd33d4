"""The state type of Fief."""

from __future__ import annotations

from engine.core.procedure import State
from engine.fief.rules.court.cards import Draws
from engine.fief.rules.court.consent import Consent
from engine.fief.rules.court.deaths import Deaths
from engine.fief.rules.court.disasters import Disasters, Plague
from engine.fief.rules.court.elections import Election
from engine.fief.rules.court.marriage import Courtship
from engine.fief.rules.court.ransom import Ransoms
from engine.fief.rules.opportunity import Assassination
from engine.fief.rules.playing import Plays
from engine.fief.rules.purchase import Purchases
from engine.fief.rules.realm.control import Settling
from engine.fief.rules.realm.placing import Placing
from engine.fief.rules.round import Checkpoint, Round
from engine.fief.rules.setup import FiefTable, SetUp
from engine.fief.rules.war.battle import Battle
from engine.fief.rules.war.cavalcade import Cavalcade
from engine.fief.rules.war.entry import Entry
from engine.fief.rules.war.movement import Movement
from engine.fief.rules.war.shield import Shield
from engine.fief.rules.war.siege import Battles, Pillage
from engine.fief.rules.war.uprising import Uprising

Procedures = (
    Assassination | Battle | Battles | Cavalcade | Checkpoint | Consent | Courtship | Deaths | Disasters | Draws | Election
    | Entry | Movement | Pillage | Placing | Plague | Plays | Purchases | Ransoms | Round | Settling | SetUp | Shield | Uprising
)  # fmt: skip
FiefState = State[FiefTable, Procedures]
