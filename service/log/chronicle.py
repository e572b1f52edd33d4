"""Events in words: a game's own, and those around the board (votes, pauses, seats)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from engine.core.asks import Seat
from engine.core.views import Event
from engine.game import Game
from engine.language.i18n import language
from engine.language.words import Names, after, as_data
from engine.text.telling import merged
from service.common import memo
from service.common.dates import Moment
from service.common.i18n import gettext, mark, speaking_to
from service.common.messages import Fact, from_data

PREFIX = "table."
"""Prefix of event kinds around the board."""
TOOK_BACK = PREFIX + "took_back"
SAID = PREFIX + "said"
"""A bot's line: see `bot_talk`."""
MOMENTS = {"from", "until"}
"""Facts that are ISO 8601 date-times."""
SENTENCES = {
    "default": mark("%(who)s let the deadline pass, so the safe answer was played."),
    "default_you": mark("You let the deadline pass, so the safe answer was played."),
    "kept": mark("%(who)s missed deadlines. A steward plays until %(who)s comes back."),
    "kept_you": mark("You missed deadlines. A steward plays for you until you come back."),
    "kept_operator": mark("%(who)s can’t play at the moment. A steward plays for now."),
    "kept_operator_you": mark("A steward plays for you for now."),
    "back": mark("%(who)s took the seat back from the steward."),
    "back_you": mark("You took your seat back from the steward."),
    "back_stops": mark(
        "%(who)s took the seat back from the steward. What the table decided without that vote is off; it can vote again."
    ),
    "back_stops_you": mark(
        "You took your seat back from the steward. What the table decided without your vote is off; it can vote again."
    ),
    "here": mark("%(who)s is here and keeps the seat."),
    "here_you": mark("You are here and keep your seat."),
    "stays": mark("%(who)s has answered and keeps the seat."),
    "stays_you": mark("You have answered, so the seat stays yours."),
    "pause": mark("The table pauses until %(until)s."),
    "pause_operator": mark("The people who run this service paused the table until %(until)s."),
    "resume": mark("The pause is over."),
    "resume_operator": mark("The people who run this service ended the pause."),
    "pace": mark("The table plays at another pace: %(to)s."),
    "extend": mark("The host moved %(who)s’s deadline to %(until)s."),
    "extend_you": mark("The host moved your deadline to %(until)s."),
    "extend_operator": mark("The people who run this service moved %(who)s’s deadline to %(until)s."),
    "extend_operator_you": mark("The people who run this service moved your deadline to %(until)s."),
    "moved": mark("%(who)s’s deadline is now %(until)s."),
    "moved_you": mark("Your deadline is now %(until)s."),
    "outage_service": mark("This service was down from %(from)s until %(until)s. That time doesn’t count: deadlines moved."),
    "outage_mail": mark("No letter could leave from %(from)s until %(until)s. That time doesn’t count: deadlines moved."),
    "extend_own": mark("%(who)s moved the deadline closer, to %(until)s."),
    "extend_own_you": mark("You moved your deadline closer, to %(until)s."),
    "announce_replace": mark(
        "%(who)s missed the deadline, so the host is giving the seat to somebody else. %(who)s keeps it by coming back "
        "before %(until)s."
    ),
    "announce_replace_you": mark(
        "You missed the deadline, so the host is giving your seat to somebody else. You keep it by coming back before "
        "%(until)s."
    ),
    "announce_replace_table": mark(
        "The table voted to give %(who)s’s seat to somebody else. %(who)s keeps it by coming back before %(until)s."
    ),
    "announce_replace_table_you": mark(
        "The table voted to give your seat to somebody else. You keep it by coming back before %(until)s."
    ),
    "announce_end": mark("The table voted to end the game at %(until)s without a winner: %(why)s"),
    "announce_end_unheard": mark("The table voted to end the game at %(until)s without a winner."),
    "announce_watch": mark("The table voted to let spectators read along from %(until)s on."),
    "recall_replace": mark("%(who)s keeps the seat after all."),
    "recall_replace_you": mark("You keep your seat after all."),
    "recall_end": mark("The game goes on after all."),
    "recall_watch": mark("Spectators won’t read along after all."),
    "seek": mark("The table is looking for somebody to take %(who)s’s seat."),
    "seek_you": mark("The table is looking for somebody to take your seat."),
    "seek_own": mark("%(who)s gave up the seat. The table is looking for somebody to take it."),
    "seek_own_you": mark("You gave up your seat. The table is looking for somebody to take it."),
    "seek_operator": mark(
        "The people who run this service took %(who)s’s seat away. The table is looking for somebody to take it."
    ),
    "seek_operator_you": mark(
        "The people who run this service took your seat away. The table is looking for somebody to take it."
    ),
    "replace": mark("%(to)s took %(who)s’s seat."),
    "replace_you": mark("You took %(who)s’s seat."),
    "name": mark("%(who)s is called %(to)s from now on."),
    "name_you": mark("You are called %(to)s from now on."),
    "links": mark("The people who run this service called back %(who)s’s links."),
    "links_you": mark("The people who run this service called back your links."),
    "watch_on": mark("Spectators may read along from now on."),
    "watch_on_operator": mark("The people who run this service opened the game to spectators."),
    "watch_off": mark("Spectators can’t read along any more."),
    "away": mark("%(who)s is away from %(from)s until %(until)s."),
    "away_you": mark("You are away from %(from)s until %(until)s."),
    "home": mark("%(who)s is back."),
    "home_you": mark("You are back."),
    "returned": mark("Things changed while your hidden answer waited for the others, and it no longer fits: %(why)s"),
    "said": mark("%(who)s (a bot): “%(words)s”"),
    "took_back": mark("%(who)s took the last step back."),
    "took_back_you": mark("You took your last step back."),
    "undone": mark("A step was taken back, so something that you did unseen since no longer fits and is undone."),
    "held": mark("Something else came first, and after it your answer was no longer possible: %(why)s"),
    "ended": mark("The host ended the game: %(why)s"),
    "ended_table": mark("The table ended the game: %(why)s"),
    "ended_table_unheard": mark("The table ended the game."),
    "ended_alone": mark("The player ended the game against bots."),
    "ended_idle": mark("Nobody played on, so the game against bots has ended."),
    "ended_operator": mark("The people who run this service ended the game: %(why)s"),
}
"""Messages of events around the board. `who`, `by`: seats' names; `until`, `from`, `to`: date-times, names or sentences. A
suffix (`_own`, `_table`, `_operator`) names the actor; `_you` is for the reader it is about.
"""


YOU = "_you"
"""Suffix of a message to the reader, about the reader's seat."""
SENTENCES_KEPT = memo.MemoCache[str](8_000_000)


def about_table(kind: str, by: str = "", /, **facts: Fact) -> Event:
    """A public event around the board, by the message for `kind_by` if there is one. The fact `seat` is shown by its name."""
    kind = f"{kind}_{by}" if f"{kind}_{by}" in SENTENCES else kind
    assert kind in SENTENCES, kind
    return Event(PREFIX + kind, {name: as_data(fact) for name, fact in facts.items()})


def tell(game: Game, event: Event, names: Mapping[Seat, str], reader: Seat | None, zone: str = "UTC") -> str:
    """An event as a sentence, or empty."""
    if not event.kind.startswith(PREFIX):
        return game.words.tell(event, names, reader)
    reader, kind = reader or getattr(names, "reader", ""), event.kind.removeprefix(PREFIX)
    if reader and event.facts.get("seat") == reader and f"{kind}{YOU}" in SENTENCES:
        kind = f"{kind}{YOU}"
    facts: dict[str, Any] = {
        name: Moment(datetime.fromisoformat(value)) if name in MOMENTS else from_data(value)
        for name, value in event.facts.items()
    }
    if "seat" in facts:
        # Its name at that time, if stored.
        facts.setdefault("who", names.get(facts["seat"], facts["seat"]))
    with speaking_to(language(), zone):
        said = {name: fact.text(names) if hasattr(fact, "text") else fact for name, fact in facts.items()}
        return gettext(SENTENCES[kind], **said)


def is_around(kind: str) -> bool:
    """Whether an event gets no number, which would reveal hidden answers. A take-back is a step of the game."""
    return kind.startswith(PREFIX) and kind != TOOK_BACK


@dataclass
class Gist:
    """A chapter's key sentence: the highest-ranked kind in `Log.turning`."""

    words: str = ""
    rank: int = 1_000

    def weigh(self, game: Game, kind: str, sentence: str) -> None:
        if kind in game.face.log.turning and (rank := game.face.log.turning.index(kind)) <= self.rank:
            self.words, self.rank = sentence, rank


Teller = Callable[[Event, Seat], str]
"""Event, the seat that the previous sentence was about or "" -> sentence."""


def teller(game: Game, names: Names, zone: str) -> Teller:
    """`tell` with a cache, shared by readers with the same names, "you" and pronouns."""
    spoken = memo.speech(names)
    under = memo.written(game.name, spoken) if spoken is not None else b""

    def told(event: Event, before: Seat = "") -> str:
        called = after(names, before) if before else names
        key = memo.written(event.kind, event.facts, before) if under and not event.kind.startswith(PREFIX) else b""
        if not key:
            return tell(game, event, called, None, zone)
        found = SENTENCES_KEPT.get(under + key)
        if found is None:
            found = tell(game, event, called, None, zone)
            SENTENCES_KEPT.keep(under + key, found, len(found))
        return found

    return told


class Sentence(NamedTuple):
    event: Event
    """The event told; `Words.merge` may have made it from two."""
    words: str
    """With a pronoun instead of a name, if the previous sentence was about the same seat."""
    alone: str


def sentences(game: Game, events: Sequence[Event], tell: Teller, seats: Collection[Seat]) -> list[Sentence | None]:
    """Sentences of one answer, oldest first; None for an event not shown, or covered by another sentence."""
    found, before = list[Sentence | None](), None
    for event in merged(game.words.merge, events):
        alone = tell(event, "") if event is not None else ""
        if event is None or not alone:
            found.append(None)
            continue
        again = _again(before, event, seats) if event.kind not in game.face.log.turning else ""
        found.append(Sentence(event, tell(event, again) if again else alone, alone))
        before = event
    return found


def _again(before: Event | None, event: Event, seats: Collection[Seat]) -> Seat:
    seat = event.facts.get("seat")
    if before is None or not isinstance(seat, str) or before.facts.get("seat") != seat or before.kind.startswith(PREFIX):
        return ""
    facts = [fact if isinstance(fact, list | tuple | dict) else [fact] for fact in before.facts.values()]
    named = {one for fact in facts for one in fact if isinstance(one, str) and one in seats}
    return seat if named == {seat} else ""
