"""The one sentence that says whom a table waits for, for pages and letters."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.asks import Seat
from service.common.i18n import gettext, together


def said(waiting: Collection[Seat], names: Mapping[Seat, str], reader: Seat | None) -> str:
    """Whom a table waits for, said to a reader at it (None: to anybody); empty where it waits for nobody.

    `waiting`: the seats that are asked, as everybody may know them, so that it doesn't tell who has answered already.
    """
    others = [names[seat] for seat in names if seat in waiting and seat != reader]
    if reader in waiting:
        if not others:
            return gettext("The table waits for you.")
        if len(others) > 1:
            return gettext("The table waits for you, %(names)s.", names=together(others))
        return gettext("The table waits for you and for %(names)s.", names=others[0])
    return gettext("The table waits for %(names)s.", names=together(others)) if others else ""
