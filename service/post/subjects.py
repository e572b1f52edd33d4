"""Subject of a letter about a game: kind and deadline. Never secret: subjects show on locked screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from engine.language.words import Message
from engine.ui.forms import Form
from service.common.dates import THIS_WEEK, Moment
from service.common.messages import Listed, sentence
from service.store.models import now

ASKED = sentence("a question for you")
YOUR_TURN = sentence("your turn")
TALK, PRIVATE = sentence("talk at the table"), sentence("a private letter")
ARE_YOU_THERE, GIVEN_UP = sentence("are you there?"), sentence("you gave up your seat")
WHAT: dict[str, Message] = {
    "offer": sentence("you have an offer"),
    "started": sentence("the game begins"),
    "outcome": sentence("what came of your move"),
    "kept": sentence("a steward keeps your seat"),
    "halted": sentence("the game is on hold"),
    "goes_on": sentence("the game goes on"),
    "outage": sentence("you have more time"),
    "advance_dropped": sentence("your answer in advance no longer fits"),
    "reply_refused": sentence("we couldn’t use your reply"),
    "vote": sentence("please vote"),
    "notice": sentence("an announcement"),
    "fresh_link": sentence("a new link to your page"),
    "replaced": sentence("your seat goes to somebody else"),
    "substitute": sentence("would you take over a seat?"),
    "terms": sentence("do you agree to the new options?"),
    "muster": ARE_YOU_THERE,
    "filled": sentence("bots have taken the free seats"),
    "cancelled": sentence("called off before it began"),
}
ANNOUNCED = {
    "replace": sentence("a seat is to go to somebody else"),
    "end": sentence("the game is to end"),
    "watch": sentence("spectators are to read along"),
    "extend": sentence("a deadline was moved"),
    "pause": sentence("the table pauses"),
    "resume": sentence("the pause is over"),
}
VOTED = {
    "pause": sentence("a vote on a pause"),
    "pace": sentence("a vote on another pace"),
    "end": sentence("a vote to end the game"),
    "watch": sentence("a vote on spectators"),
    "share": sentence("a vote on sharing the replay"),
}
ABOUT = {"notice": ANNOUNCED, "vote": VOTED}


def subject(kind: str, name: str, title: str, context: Mapping[str, Any]) -> Message | str:
    """A letter's subject; `name`: the match's, `title`: the game's."""
    if kind == "over":
        winners = context.get("winners") or []
        return sentence("%(match)s is over: %(names)s won", match=name, names=_together(winners)) if winners else ended(name)
    if kind == "talk":
        return sentence("%(match)s: %(what)s", match=name, what=PRIVATE if context.get("members") else TALK)
    what = _what(kind, context)
    if not what:
        return f"{name} · {title}"
    due = context.get("deadline") or context.get("until")
    if isinstance(due, Moment) and not context.get("late"):
        return sentence("%(match)s: %(what)s (by %(when)s)", match=name, what=what, when=near(due.at))
    return sentence("%(match)s: %(what)s", match=name, what=what)


def near(at: datetime) -> Moment:
    """A deadline, as the weekday alone if unambiguous."""
    return Moment(at, short=True, week=at - now() < THIS_WEEK)


def _what(kind: str, context: Mapping[str, Any]) -> Message | str:
    view: Mapping[str, Any] = context.get("view") or {}
    form = context.get("form")
    if kind in ("turn", "reminder"):
        own = bool(view) and view.get("active") == context.get("seat")
        public = isinstance(form, Form) and form.public
        what = public or _at_stage(YOUR_TURN if own else ASKED, view, own)
        return what if kind == "turn" else sentence("reminder: %(what)s", what=what)
    if kind == "notice" and context.get("mine"):
        return ARE_YOU_THERE
    if kind in ABOUT:
        return ABOUT[kind].get(context.get("about", ""), WHAT[kind])
    if kind == "replaced" and context.get("why") == "own":
        return GIVEN_UP
    return _at_stage(WHAT[kind], view) if kind in WHAT else ""


def _together(names: Sequence[Any]) -> Any:
    *before, last = names
    return sentence("%(before)s and %(last)s", before=Listed([*before]), last=last) if before else last


def ended(name: str) -> Message:
    return sentence("%(match)s is over", match=name)


def _at_stage(what: Message, view: Mapping[str, Any], own: bool = False) -> Message:
    if isinstance(view.get("round"), int) and view["round"]:
        return sentence("%(what)s, round %(n)s", what=what, n=view["round"])
    if isinstance(view.get("turn"), int) and view["turn"]:
        yours = sentence("turn %(n)s is yours", n=view["turn"])
        return yours if own else sentence("%(what)s, turn %(n)s", what=what, n=view["turn"])
    return what
