"""The sentence that names the players a table waits for."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.asks import Seat
from service.common.i18n import gettext, together


def said(waiting: Collection[Seat], names: Mapping[Seat, str], reader: Seat | None) -> str:
    """The sentence, addressed to a reader (None: not seated); empty for nobody.

    `waiting`: as everybody may know, so that it doesn't reveal who has answered.
    """
    others = [names[seat] for seat in names if seat in waiting and seat != reader]
    if reader in waiting:
        if not others:
            return gettext("The table waits for you.")
        if len(others) > 1:
            return gettext("The table waits for you, %(names)s.", names=together(others))
        return gettext("The table waits for you and for %(names)s.", names=others[0])
    return gettext("The table waits for %(names)s.", names=together(others)) if others else ""
