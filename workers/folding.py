"""Folding of failed hidden proposals: only a count is kept; they never enter the log.

Entries at the end of a round would show others that something was proposed. So a refused, withdrawn or lapsed proposal without
effect becomes a count, logged with its circle's next entry.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine import match as matches
from engine import offers, procedure
from engine.asks import Refused, Seat
from engine.game import AnyState, Game, copy
from engine.views import Event
from service.games.sealed import Given, Taken, run_offer, skipping

Answers = Sequence[tuple[Seat, Given]]
Foreseen = tuple[AnyState, list[Event]]
"""A position, and the events before it."""


def foresee(game: Game, state: AnyState, group: Sequence[Taken], answers: Answers, checked: bool = False) -> Foreseen:
    """Play offers and answers on a copy. Raises Refused if `checked`."""
    state, events = copy(game, state), list[Event]()
    for offer in group:
        if checked and not offer.skips:
            matches.check_offer(game, state, offer.seat, offer.kind, offer.given.answer, offer.number)
        events += run_offer(game, state, offer)
    for seat, given in answers:
        events += procedure.play(state, seat, given.answer, trusted=not checked)
    return state, events


def folded(game: Game, state: AnyState, group: list[Taken], answers: Answers) -> tuple[list[Taken], list[Event]]:
    """The offers without failed proposals, and the events for their circles."""
    told = list[Event]()
    if not isinstance(getattr(state.table, "proposals", None), offers.Desk):
        return group, told
    if not any(offers.on(lying.table) for lying in _positions(game, state, group)):
        return group, told
    whole = foresee(game, state, group, answers)
    while found := _without_one(game, state, group, answers, whole):
        group, gone, whole = found
        told += gone
    return group, told


def _positions(game: Game, state: AnyState, group: Sequence[Taken]) -> list[AnyState]:
    """Positions before and after each offer."""
    found = [state]
    for offer in group:
        state = copy(game, state)
        run_offer(game, state, offer)
        found.append(state)
    return found


def _without_one(
    game: Game, state: AnyState, group: list[Taken], answers: Answers, whole: Foreseen
) -> tuple[list[Taken], list[Event], Foreseen] | None:
    """Replace one failed proposal and its answers by a count, if the result is the same; else None."""
    lying = [{p.number for p in offers.on(at.table)} for at in _positions(game, state, group)]
    alive = {p.number for p in offers.on(whole[0].table)}
    for i in range(len(group)):
        for number in lying[i + 1] - lying[i] - alive:
            circle = offers.circle_of(number, state.table.seats)
            if circle is None:
                continue
            rest = [offer for offer in group[i + 1 :] if offer.number != number]
            fewer = [*group[:i], skipping(circle, 1), *rest]
            try:
                tried = foresee(game, state, fewer, answers, checked=True)
            except Refused:
                continue
            gone = _missing(whole[1], tried[1])
            quiet = all(event.only is not None and {*event.only} <= {*circle} for event in gone)
            if quiet and not _missing(tried[1], whole[1]) and game.encode(tried[0]) == game.encode(whole[0]):
                return _counted_together(fewer), gone, tried
    return None


def _missing(of: Sequence[Event], among: Sequence[Event]) -> list[Event]:
    left, found = list(among), list[Event]()
    for event in of:
        if event in left:
            left.remove(event)
        else:
            found.append(event)
    return found


def _counted_together(group: Sequence[Taken]) -> list[Taken]:
    found = list[Taken]()
    for offer in group:
        seats = offer.given.answer.some("seats") if offer.skips else []
        last = found[-1] if found else None
        if last is not None and last.skips and last.given.answer.some("seats") == seats:
            found[-1] = skipping(seats, last.skips + offer.skips)
        else:
            found.append(offer)
    return found
