"""Display names of bots, letter statuses and refusals."""

from __future__ import annotations

from engine.language.words import Message
from service.common.messages import sentence

BOT_NAMES: dict[str, Message] = {
    "steady": sentence("steady"),
    "random": sentence("random"),
}
BOTS: dict[str, Message] = {
    "steady": sentence("Plays with sense and a plan."),
    "random": sentence("Does anything that the rules allow."),
}
"""Descriptions of bots."""
FATES: dict[str, Message] = {
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
REFUSALS: dict[str, Message] = {
    "rate_limit": sentence("too many requests"),
    "quota": sentence("too many letters, votes or changes asked for"),
    "csrf": sentence("an old form, or one from another site"),
    "forged_link": sentence("a link with a bad signature"),
    "old_link": sentence("a link that has expired or was revoked"),
    "stale": sentence("an answer that came too late"),
    "not_allowed": sentence("not allowed"),
    "banned": sentence("a banned account"),
    "host_name": sentence("another host name"),
    "metrics": sentence("metrics without their token"),
}
"""Kinds of refused requests."""
