"""A game, a clock that is moved by hand, and workers that do at once what the sweep sends."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import time_machine
from sqlmodel import Session, col, select

from engine.core.asks import Answer
from engine.ui.forms import SomeField
from service.clock import deadlines
from service.games import inviting
from service.replay import history
from service.seat import seat_view, submissions
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import Account, AskRow, Beat, EntryRow, Letter, Match, SeatRow, new_id
from service.table import commands
from tests import kept
from tests.conftest import START
from tests.service.conftest import Players, open_table
from workers import adjudicate, outages, sweep
from workers.letters import delivery

__all__ = ["HOUR", "START", "Deed", "House", "Sent", "do", "invite", "work"]

Sent = list[tuple[str, ...]]
Deed = Callable[[Session, Match], object]
"""What somebody does at a table."""
HOUR = timedelta(hours=1)


def work(settings: Settings, task: str, *args: str, countdown: float = 0.0) -> None:
    """Do what a worker does with a task, unless it is for later: letters that found no slot."""
    if countdown:
        return
    tasks: dict[str, Callable[..., None]] = {queue.ADJUDICATE: adjudicate.adjudicate, queue.DELIVER: delivery.deliver}
    tasks |= {queue.PRACTISE: adjudicate.adjudicate}
    tasks[task](settings, *args)


class House:
    """A game, a clock that is moved by hand, and workers that do at once what the sweep sends."""

    def __init__(
        self,
        settings: Settings,
        sent: Sent,
        clock: time_machine.Traveller,
        people: int = 2,
        bots: int = 0,
        game: str = "ortus",
        anew: bool = False,
    ) -> None:
        """`anew`: not as kept from another test, for something is otherwise in this one from the beginning."""
        self.settings, self.sent, self.clock = settings, sent, clock
        key = None if anew or sent else kept.key(settings, datetime.now(UTC), people, bots, game)
        found = kept.shared(key) if key is not None else None
        if found is not None:
            self.players = Players(settings, found.made)
            kept.put(found, settings)
            return
        self.players = open_table(settings, people, bots, game)
        self.tick()
        if key is not None:
            kept.share(key, settings, self.players.match_id)

    def tick(self) -> None:
        sweep.sweep(self.settings)
        self.work_off()

    def work_off(self) -> None:
        """Do what was sent to the workers, and what they send on."""
        for _ in range(20):
            tasks, self.sent[:] = list(self.sent), []
            if not tasks:
                return
            for task, *args in tasks:
                work(self.settings, task, *args)

    def pass_(self, span: timedelta, step: timedelta = timedelta(minutes=1)) -> None:
        """Let time go by, with the beat going on."""
        until = datetime.now(UTC) + span
        while datetime.now(UTC) < until:
            self.clock.shift(min(step, until - datetime.now(UTC)))
            self.tick()

    def go_to(self, moment: datetime) -> None:
        """Go to a moment with the beat going on, but not every minute of it."""
        with transaction(self.settings) as session:
            outages.wake(session)
        self.clock.move_to(moment - timedelta(seconds=60))
        with transaction(self.settings) as session:
            session.merge(Beat(name=deadlines.BEAT, at=datetime.now(UTC)))
        self.tick()
        self.clock.move_to(moment)
        self.tick()

    def asks(self) -> list[AskRow]:
        with open_session(self.settings) as session:
            return [a for a in session.exec(select(AskRow).order_by(col(AskRow.serial), AskRow.seat)) if a.answered_at is None]

    def entries(self) -> list[EntryRow]:
        with open_session(self.settings) as session:
            return list(session.exec(select(EntryRow).order_by(col(EntryRow.n))))

    def seat(self, letter: str) -> SeatRow:
        with open_session(self.settings) as session:
            found = session.get(SeatRow, (self.players.match_id, letter))
            assert found is not None
            return found

    def answer_all(self, rng: random.Random) -> None:
        for letter in self.players.asked():
            self.players.submit(letter, rng)
        self.tick()

    def submit(self, seat: str, ask: AskRow, answer: Callable[[dict[str, list[str]]], Answer]) -> None:
        """Answer an ask with what `answer` makes of the choices of its `tower` option."""
        with transaction(self.settings) as session:
            match = self.players.match(session)
            page = seat_view.load(session, match, seat)
            assert page is not None and page.form is not None
            fields = [f for o in page.form.options if o.id == "tower" for f in o.fields if isinstance(f, SomeField)]
            given = answer({f.name: [c.id for c in f.choices] for f in fields})
            submissions.submit(session, match, seat, new_id(), ask.serial, ask.kind, given)
        self.tick()

    def command(self, actor: str, words: str, **facts: object) -> None:
        with transaction(self.settings) as session:
            commands.command(session, self.players.match(session), actor, words, **facts)
        self.tick()

    def history(self, seat: str | None) -> list[str]:
        with open_session(self.settings) as session:
            page = history.page(session, self.players.match(session), seat)
            return [sentence for _, sentences in page.lines for sentence in sentences]

    def letters(self, kind: str, seat: str = "") -> list[Letter]:
        return [letter for letter in self.players.letters(kind) if not seat or letter.seat == seat]


def do(house: House, deed: Deed) -> None:
    """Do it at the table of a house, and all that follows."""
    with transaction(house.settings) as session:
        deed(session, house.players.match(session))
    house.tick()


def invite(session: Session, match: Match, by: Account, email: str) -> SeatRow:
    """Invite one address. Raises Refused, which `inviting.invite_all` collects."""
    seat = inviting.hold(session, match, by, email)
    inviting.write(session, match, seat, by)
    return seat
