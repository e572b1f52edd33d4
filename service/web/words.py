"""Display names of bots and letter statuses."""

from __future__ import annotations

from service.common.messages import Phrase, sentence

BOT_NAMES: dict[str, Phrase] = {
    "steady": sentence("steady"),
    "random": sentence("random"),
}
BOTS: dict[str, Phrase] = {
    "steady": sentence("Plays with sense and a plan."),
    "random": sentence("Does anything that the rules allow."),
}
"""Descriptions of bots."""
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
"""Letter statuses."""
