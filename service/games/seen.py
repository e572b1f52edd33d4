"""What a seat sees now, put into words for whoever reads it: question, offers and news of its row of `views`.

The row holds asks and events, which know nothing of a language. Older rows hold finished English, and are shown as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlmodel import Session

from engine.asks import Ask, Seat, read, read_ask, stored
from engine.forms import Form, describe, read_form
from engine.game import Game
from engine.games import game_called
from engine.views import Event
from service.games.chronicle import tell
from service.games.state import state_of
from service.ground.words import speaking_to, zone
from service.people.accounts import reader_at
from service.post.letters import Seen
from service.store.models import Match, ViewRow

MOST_NEWS = 120
"""Sentences of news that a page or letter shows; older ones are in the history."""

# --- for the row ------------------------------------------------------------------------------------------------------


def kept_ask(ask: Ask, serial: int, fate: bool = False) -> dict[str, Any]:
    """An ask for a row. `fate`: whether the game has something to say of what the safe answer does."""
    return stored(ask) | {"serial": serial} | ({"fate": True} if fate else {})


def kept_news(before: Iterable[Any], events: Iterable[Event], names: Mapping[Seat, str]) -> list[Any]:
    """News for a row: those of before, and events that have words for the seat, told of those who sit there by `names`."""
    runs = [*before]
    fresh = [[event.kind, event.facts] for event in events]
    if fresh and runs and not isinstance(runs[-1], str) and runs[-1]["names"] == names:
        runs[-1] = {"names": {**names}, "events": [*runs[-1]["events"], *fresh]}
    elif fresh:
        runs.append({"names": {**names}, "events": fresh})
    return _newest(runs)


def _newest(runs: list[Any]) -> list[Any]:
    left, found = MOST_NEWS, list[Any]()
    for run in reversed(runs):
        if left and isinstance(run, str):
            found.append(run)
            left -= 1
        elif left:
            found.append({**run, "events": run["events"][-left:]})
            left -= len(found[-1]["events"])
    return found[::-1]


# --- for a reader -----------------------------------------------------------------------------------------------------


def seen(match: Match, row: ViewRow, names: Mapping[Seat, str]) -> Seen:
    """The row in the language spoken, its moments in the zone spoken to; a spectator's in UTC."""
    game = game_called(match.game)
    return Seen(
        view=row.view,
        form=_question(game, match, row, names),
        offers=[_form(game, offer, names) for offer in row.offers],
        news=list(_news(game, row)),
        serial=row.serial,
        head=row.head,
    )


def for_owner(session: Session, match: Match, row: ViewRow, names: Mapping[Seat, str]) -> Seen:
    """The row in the words of who sits there, for a letter."""
    with speaking_to(*reader_at(session, match.id, row.seat)):
        return seen(match, row, names)


def _question(game: Game, match: Match, row: ViewRow, names: Mapping[Seat, str]) -> Form | None:
    if row.form is None:
        return None
    form = _form(game, row.form, names)
    if row.form.get("fate") is not True:
        return form
    # The position is looked into for those few questions alone; it may have been dropped, and comes back with the next run.
    fate = game.preview(state_of(match), row.seat, read(form.default)) if match.snapshot is not None else ""
    return msgspec.structs.replace(form, fate=fate)


def _form(game: Game, kept: Mapping[str, Any], names: Mapping[Seat, str]) -> Form:
    if "title" in kept:  # finished English
        return read_form(kept)
    return describe(game, read_ask(kept), names, kept["serial"])


def _news(game: Game, row: ViewRow) -> Iterable[str]:
    reader, where = row.seat or None, zone() if row.seat else "UTC"
    for run in row.news:
        if isinstance(run, str):  # finished English
            yield run
            continue
        for kind, facts in run["events"]:
            if words := tell(game, Event(kind, facts), run["names"], reader, where):
                yield words
