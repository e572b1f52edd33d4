"""The subject of a letter about a game: what it is and by when.

Nothing in it is a secret of the seat: subjects are shown on locked screens, and kept when a letter's words are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.ground.moments import Moment
from service.ground.phrases import Listed, Phrase, sentence

ASKED = sentence("you are asked")
YOUR_TURN = sentence("your turn")
TALK, PRIVATE = sentence("talk at the table"), sentence("a private letter")
WHAT: dict[str, Phrase] = {
    "reminder": sentence("a reminder"),
    "offer": sentence("something is put to you"),
    "started": sentence("it begins"),
    "outcome": sentence("what you had set going has come to its end"),
    "kept": sentence("a steward keeps your seat"),
    "halted": sentence("the game stands still"),
    "goes_on": sentence("the game goes on"),
    "advance_dropped": sentence("your answer in advance was dropped"),
    "reply_refused": sentence("your reply could not be taken"),
    "vote": sentence("the table is asked to vote"),
    "notice": sentence("an announcement"),
    "fresh_link": sentence("a new link to your page"),
    "replaced": sentence("your seat goes to somebody else"),
    "substitute": sentence("would you take over a seat?"),
    "cancelled": sentence("called off before it began"),
}
ARE_YOU_THERE, GIVEN_UP = sentence("are you there?"), sentence("you have given up your seat")


def subject(kind: str, name: str, title: str, context: Mapping[str, Any]) -> Phrase | str:
    """The subject of a letter of `kind` about the match `name` of the game `title`, by what its template gets."""
    if kind == "over":
        winners = context.get("winners") or []
        return sentence("%(match)s is over: %(names)s won", match=name, names=_together(winners)) if winners else ended(name)
    view: Mapping[str, Any] = context.get("view") or {}
    if kind == "turn":
        what = YOUR_TURN if view.get("active") == context.get("seat") else ASKED
    elif kind == "talk":
        return sentence("%(match)s: %(what)s", match=name, what=PRIVATE if context.get("members") else TALK)
    elif kind == "notice" and context.get("mine"):
        what = ARE_YOU_THERE
    elif kind == "replaced" and context.get("why") == "own":
        what = GIVEN_UP
    elif kind in WHAT:
        what = WHAT[kind]
    else:
        return f"{name} · {title}"
    if stage := _stage(view):
        what = sentence("%(what)s, %(stage)s", what=what, stage=stage)
    due = context.get("deadline") or context.get("until")
    if isinstance(due, Moment) and not context.get("late"):
        return sentence("%(match)s: %(what)s (by %(when)s)", match=name, what=what, when=Moment(due.at, short=True))
    return sentence("%(match)s: %(what)s", match=name, what=what)


def _together(names: Sequence[Any]) -> Any:
    *before, last = names
    return sentence("%(before)s and %(last)s", before=Listed([*before]), last=last) if before else last


def ended(name: str) -> Phrase:
    """Of a game that nobody has won."""
    return sentence("%(match)s is over", match=name)


def _stage(view: Mapping[str, Any]) -> Phrase | None:
    """How far the game has come, as its view counts it."""
    if isinstance(view.get("round"), int) and view["round"]:
        return sentence("round %(n)s", n=view["round"])
    if isinstance(view.get("turn"), int) and view["turn"]:
        return sentence("turn %(n)s", n=view["turn"])
    return None
