"""What a game imports, in one place, for games in packages of their own. Each name is explained where it is defined."""

from __future__ import annotations

from engine import offers
from engine.asks import (
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
from engine.chance import Chance
from engine.game import Book, Game, Trait, Variants
from engine.offers import Desk, Proposal
from engine.procedure import Again, Call, Done, Next, Outcome, Procedure, State, begin, play, yes_no
from engine.reaction_chain import Chain
from engine.table import BaseTable
from engine.views import Event
from engine.visibility import Counted, Hidden, Own, Plan, Seen
from engine.words import Catalogue, say

__all__ = [
    "Again",
    "Answer",
    "Ask",
    "Assign",
    "BaseTable",
    "Book",
    "Call",
    "Catalogue",
    "Chain",
    "Chance",
    "Counted",
    "Desk",
    "Done",
    "Event",
    "Game",
    "Hidden",
    "Next",
    "NotLegal",
    "NotUnderstood",
    "Number",
    "Option",
    "Order",
    "Outcome",
    "Own",
    "PickOne",
    "PickSome",
    "Plan",
    "Procedure",
    "Proposal",
    "Rows",
    "Seat",
    "Seen",
    "State",
    "Trait",
    "Variants",
    "begin",
    "choices",
    "offers",
    "play",
    "say",
    "yes_no",
]
