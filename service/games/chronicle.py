"""The story in words: a game's events, and those around the board (votes, pauses, seats)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.asks import Seat
from engine.game import Game
from engine.views import Event
from engine.words import language
from service.common import memo
from service.common.dates import Moment
from service.common.i18n import gettext, mark, speaking_to
from service.common.messages import Fact, as_data, from_data

PREFIX = "table."
"""Prefix of event kinds around the board."""
MOMENTS = {"from", "until"}
"""Facts that are moments, in the form of ISO 8601."""
SENTENCES = {
    "default": mark("%(who)s let the deadline pass; the safe answer was given by default."),
    "kept": mark("%(who)s let deadlines pass. A steward keeps the seat until %(who)s takes it back."),
    "kept_operator": mark("%(who)s can’t play at the moment. A steward keeps the seat."),
    "back": mark("%(who)s has taken the seat back from the steward."),
    "back_stops": mark(
        "%(who)s has taken the seat back from the steward. What the table announced without that vote doesn’t happen; it "
        "can vote again."
    ),
    "here": mark("%(who)s is here, and keeps the seat."),
    "stays": mark("%(who)s has answered since; the seat stays with %(who)s."),
    "pause": mark("The table pauses until %(until)s."),
    "pause_operator": mark("Those who run this service let the table pause until %(until)s."),
    "resume": mark("The pause is over."),
    "resume_operator": mark("Those who run this service ended the pause."),
    "pace": mark("The table plays at another pace: %(to)s."),
    "extend": mark("The host moved the deadline of %(who)s to %(until)s."),
    "extend_operator": mark("Those who run this service moved the deadline of %(who)s to %(until)s."),
    "moved": mark("The deadline of %(who)s is now %(until)s."),
    "outage_service": mark("This service was down from %(from)s until %(until)s. That time doesn’t count: deadlines moved."),
    "outage_mail": mark("No letter could leave from %(from)s until %(until)s. That time doesn’t count: deadlines moved."),
    "extend_own": mark("%(who)s made the own deadline nearer: it is at %(until)s."),
    "announce_replace": mark(
        "The host announces that the seat of %(who)s goes to somebody else, for its deadline passed without an answer. "
        "It stays with %(who)s, if %(who)s is there by %(until)s."
    ),
    "announce_replace_table": mark(
        "The table has voted that the seat of %(who)s goes to somebody else. It stays with %(who)s, if %(who)s is there "
        "by %(until)s."
    ),
    "announce_end": mark("The table has voted to end the game at %(until)s, and nobody wins: %(why)s"),
    "announce_end_unheard": mark("The table has voted to end the game at %(until)s, and nobody wins."),
    "announce_watch": mark("The table has voted to let spectators read along, from %(until)s on."),
    "recall_replace": mark("The seat of %(who)s is not to go to anybody else."),
    "recall_end": mark("The game is not to end; the announcement is taken back."),
    "recall_watch": mark("Spectators are not to read along; the announcement is taken back."),
    "seek": mark("The table looks for somebody to take the seat of %(who)s."),
    "seek_own": mark("%(who)s has given up the seat. The table looks for somebody to take it."),
    "seek_operator": mark("Those who run this service took the seat of %(who)s away. The table looks for somebody to take it."),
    "replace": mark("%(to)s has taken the seat of %(who)s."),
    "links": mark("Those who run this service called back the links of %(who)s."),
    "watch_on": mark("Spectators may read along from now on."),
    "watch_on_operator": mark("Those who run this service opened the game to spectators."),
    "watch_off": mark("No spectators may read along any more."),
    "away": mark("%(who)s is away from %(from)s until %(until)s."),
    "home": mark("%(who)s is at hand again."),
    "returned": mark(
        "Your answer lay sealed until the others’ were in. Things have changed meanwhile, and it no longer fits: %(why)s"
    ),
    "held": mark("What you had sent while something else had to be settled could not be done after it: %(why)s"),
    "ended": mark("The host ended the game: %(why)s"),
    "ended_table": mark("The table ended the game: %(why)s"),
    "ended_table_unheard": mark("The table ended the game."),
    "ended_operator": mark("Those who run this service ended the game: %(why)s"),
}
"""Messages of events around the board. `who`, `by`: seats' names; `until`, `from`, `to`: moments, names or sentences. A suffix
(`_own`, `_table`, `_operator`) names the actor."""


SENTENCES_KEPT = memo.MemoCache[str](8_000_000)


def about_table(kind: str, by: str = "", /, **facts: Fact) -> Event:
    """A public event around the board, with the message for `kind_by` if there is one.

    The fact `seat` is shown by its name.
    """
    kind = f"{kind}_{by}" if f"{kind}_{by}" in SENTENCES else kind
    assert kind in SENTENCES, kind
    return Event(PREFIX + kind, {name: as_data(fact) for name, fact in facts.items()})


def tell(game: Game, event: Event, names: Mapping[Seat, str], reader: Seat | None, zone: str = "UTC") -> str:
    """An event as a sentence; empty for an event without words."""
    if not event.kind.startswith(PREFIX):
        return game.tell(event, names, reader)
    facts = {name: _fact(name, value) for name, value in event.facts.items()}
    if "seat" in facts:
        # Its name at that time, if stored.
        facts.setdefault("who", names.get(facts["seat"], facts["seat"]))
    with speaking_to(language(), zone):
        said = {name: fact.text(names) if hasattr(fact, "text") else fact for name, fact in facts.items()}
        return gettext(SENTENCES[event.kind.removeprefix(PREFIX)], **said)


@dataclass
class Gist:
    """A chapter's key sentence: the highest-ranked kind in `Game.turning`."""

    words: str = ""
    rank: int = 1_000

    def weigh(self, game: Game, kind: str, sentence: str) -> None:
        if kind in game.turning and (rank := game.turning.index(kind)) <= self.rank:
            self.words, self.rank = sentence, rank


def teller(game: Game, names: Mapping[Seat, str], zone: str) -> Callable[[Event], str]:
    """`tell` with a cache: games' events read alike for all readers."""
    spoken = memo.speech(names)
    under = memo.written(game.name, spoken) if spoken is not None else b""

    def told(event: Event) -> str:
        key = memo.written(event.kind, event.facts) if under and not event.kind.startswith(PREFIX) else b""
        if not key:
            return tell(game, event, names, None, zone)
        found = SENTENCES_KEPT.get(under + key)
        if found is None:
            found = tell(game, event, names, None, zone)
            SENTENCES_KEPT.keep(under + key, found, len(found))
        return found

    return told


def _fact(name: str, value: Any) -> Any:
    if name in MOMENTS:
        return Moment(datetime.fromisoformat(value))
    return from_data(value)
