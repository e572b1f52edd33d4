"""Words for what the house itself has by names: colours, bots, the fates of letters."""

from __future__ import annotations

from service.common.messages import Phrase, sentence

COLOURS: dict[str, Phrase] = {
    "red": sentence("red"),
    "blue": sentence("blue"),
    "green": sentence("green"),
    "yellow": sentence("yellow"),
    "purple": sentence("purple"),
    "black": sentence("black"),
}

BOT_NAMES: dict[str, Phrase] = {
    "steady": sentence("steady"),
    "random": sentence("random"),
}
"""What bots are called."""
BOTS: dict[str, Phrase] = {
    "steady": sentence("Plays with sense and a plan."),
    "random": sentence("Does anything that the rules allow."),
}
"""What stands beside the name of one to help choosing."""
FATES: dict[str, Phrase] = {
    "queued": sentence("queued"),
    "gathered": sentence("gathered"),
    "sending": sentence("sending"),
    "sent": sentence("sent"),
    "deferred": sentence("deferred"),
    "bounced": sentence("bounced"),
    "rejected": sentence("rejected"),
    "failed": sentence("failed"),
    "unknown": sentence("acceptance unknown"),
    "autoresponded": sentence("answered by a machine"),
    "complained": sentence("reported as unwanted"),
    "reported": sentence("a report that could not be read"),
    "dropped": sentence("dropped"),
    "resent": sentence("resent"),
}
"""What became of a letter."""
