"""Names for games in packages of their own, in one import; each is documented where it is defined."""

from __future__ import annotations

from engine.core import offers
from engine.core.asks import (
    Answer,
    Ask,
    Assign,
    NotLegal,
    NotUnderstood,
    Number,
    Option,
    Order,
    PickOne,
    PickSome,
    Rows,
    Seat,
    choices,
)
from engine.core.chance import Chance
from engine.core.offers import Desk, Proposal
from engine.core.procedure import Again, BaseTable, Call, Done, Next, Outcome, Procedure, State, begin, play, yes_no
from engine.core.reaction_chain import Chain
from engine.core.views import Event
from engine.core.visibility import Counted, Hidden, Own, Plan, Seen
from engine.game import Bots, Checks, Face, Game, Log, Orders, Powers, Rematch, Rules, Sheet, Trait, Variants, Words
from engine.language.words import Catalogue, say

__all__ = [
    "Again",
    "Answer",
    "Ask",
    "Assign",
    "BaseTable",
    "Bots",
    "Call",
    "Catalogue",
    "Chain",
    "Chance",
    "Checks",
    "Counted",
    "Desk",
    "Done",
    "Event",
    "Face",
    "Game",
    "Hidden",
    "Log",
    "Next",
    "NotLegal",
    "NotUnderstood",
    "Number",
    "Option",
    "Order",
    "Orders",
    "Outcome",
    "Own",
    "PickOne",
    "PickSome",
    "Plan",
    "Powers",
    "Procedure",
    "Proposal",
    "Rematch",
    "Rows",
    "Rules",
    "Seat",
    "Seen",
    "Sheet",
    "State",
    "Trait",
    "Variants",
    "Words",
    "begin",
    "choices",
    "offers",
    "play",
    "say",
    "yes_no",
]
