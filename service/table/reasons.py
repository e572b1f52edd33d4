"""Free-text reasons that others read: of ends, reports, bans."""

from __future__ import annotations

from sqlmodel import Session

from engine.core.asks import NotUnderstood
from service.common import text_input
from service.common.messages import nsentence, sentence
from service.post import disclosure


def check_reason(session: Session, text: str, most: int) -> None:
    """Raise NotUnderstood for a long or unprintable reason, Disclosing for a private link."""
    if len(text) > most:
        raise NotUnderstood(
            nsentence(
                "The reason has %(num)s character; at most %(most)s fit.",
                "The reason has %(num)s characters; at most %(most)s fit.",
                len(text),
                most=most,
            )
        )
    if text_input.unfit(text):
        raise NotUnderstood(sentence("The reason has characters that can't be shown; use letters, digits and punctuation."))
    if text_input.piled(text):
        raise NotUnderstood(sentence("The reason has more than three marks on one letter; leave some of them out."))
    disclosure.check(session, text)
