"""Waiting for the worker's word on an answer without a thread: the page says what for, and the door waits."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

KEY = "writ.hold"
"""Where the door of the web process (`front`) leaves a `Hold` for the page, in the request's environment."""
MOMENT = 1.5
"""Seconds that a post waits for the worker's word before it answers with a page that looks again."""


@dataclass
class Hold:
    """What an answer is held back for; nothing while the id is empty."""

    id: str = ""
    """A submission."""
    then: str = ""
    """Where to go instead when it was accepted."""
    ear: str = ""
    """The mark of what hears the word in this process."""


def ear() -> str:
    """By whom the word on what this request brings can be heard; empty where no door is in front that could wait for it."""
    found = request.environ.get(KEY)
    return found.ear if isinstance(found, Hold) else ""


def hold(id: str, ear: str, then: str) -> bool:
    """Have the answer of this request held back until the submission's fate is known, for a moment; and sent to `then` if it
    was accepted. False where no door is in front that could, or another ear is told: the same form may come in twice."""
    found = request.environ.get(KEY)
    if not isinstance(found, Hold) or found.ear != ear:
        return False
    found.id, found.then = id, then
    return True
