"""Hidden answers and offers: accepted, but not logged while their presence would reveal something. Functions copy positions.

A failed proposal (refused, withdrawn or lapsed without effect) is folded into a count, logged with its circle's next entry: an
entry at its own time would reveal it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from engine.core import offers as proposals
from engine.core import procedure
from engine.core.asks import Answer, Ask, Refused, Seat, settled
from engine.core.cloning import clone
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.play import match as matches


class Given(Struct, frozen=True):
    """An answer; only its seat sees `via`, all see `mark`."""

    answer: Answer
    via: str
    mark: str = ""


class Taken(Struct, frozen=True):
    """A hidden accepted offer: a power, or the proposal of that number."""

    seat: Seat
    kind: str
    given: Given
    number: int = 0

    @property
    def skips(self) -> int:
        """Number of void proposals it stands for; 0 for an accepted offer."""
        return self.given.answer.number("count") if self.kind == SKIPPED else 0


SKIPPED = "(skipped)"
"""Kind of an entry that counts void proposals, so that their numbers stay used."""
Answers = Sequence[tuple[Seat, Given]]
Foreseen = tuple[AnyState, list[Event]]
"""A position, and the events before it."""


def skipping(seats: Sequence[Seat], count: int) -> Taken:
    return Taken(seats[0], SKIPPED, Given(Answer("skip", {"seats": list(seats), "count": count}), "clock"))


def run_offer(game: Game, state: AnyState, offer: Taken) -> list[Event]:
    if offer.skips:
        proposals.skip(state.table, offer.given.answer.some("seats"), offer.skips)
        return []
    return matches.run_offer(game, state, offer.seat, offer.kind, offer.given.answer, offer.number)


def run_offers(game: Game, state: AnyState, offers: Sequence[Taken]) -> tuple[AnyState, list[list[Event]]]:
    """Position after these offers, and each one's events."""
    told = list[list[Event]]()
    if not offers:
        return state, told
    state = clone(state)
    for offer in offers:
        told.append(run_offer(game, state, offer))
    return state, told


def with_offers(game: Game, state: AnyState, offers: Sequence[Taken]) -> AnyState:
    return run_offers(game, state, offers)[0]


def circle(game: Game, seats: Sequence[Seat], offer: Taken) -> set[Seat]:
    if offer.skips:
        return {*offer.given.answer.some("seats")}
    known = matches.audience(game, seats, offer.seat, offer.kind, offer.given.answer, offer.number)
    return {offer.seat, *(known if known is not None else seats)}


def linked(game: Game, state: AnyState, offers: Sequence[Taken], of: Iterable[Seat]) -> tuple[list[Taken], set[Seat]]:
    """Transitive closure of hidden offers known to some seats, and all seats that know one. If they end a logged proposal, its
    circle knows them too.
    """
    group, known = list[Taken | None](), {*of}
    rest: list[tuple[Taken | None, set[Seat]]] = [(offer, circle(game, state.table.seats, offer)) for offer in offers]
    if proposals.on(state.table):
        rest += [(None, who) for who in lapsed(state, with_offers(game, state, offers))]
    while found := [one for one in rest if one[1] & known]:
        group += [offer for offer, _ in found]
        known = known.union(*(who for _, who in found))
        rest = [one for one in rest if one not in found]
    return [offer for offer in offers if offer in group], known


def lapsed(before: AnyState, after: AnyState) -> list[set[Seat]]:
    """Circles of private proposals open before, not after."""
    left = {p.number for p in proposals.on(after.table)}
    return [{*p.only} for p in proposals.on(before.table) if p.only is not None and p.number not in left]


def known_to(game: Game, state: AnyState, offers: Sequence[Taken], seat: Seat) -> AnyState:
    """The position with the hidden offers known to the seat. Read-only: may be `state` itself."""
    return with_offers(game, state, linked(game, state, offers, (seat,))[0]) if offers else state


def fitting(game: Game, before: AnyState, after: AnyState, offers: Sequence[Taken]) -> tuple[list[Taken], list[Taken]]:
    """Split offers that followed `before` into those that are legal after `after`, an earlier position, and the others.

    Numbers of proposals stay used: a count stands in place of each that is gone, or a page that shows it would accept the terms
    of the next one.
    """
    kept, gone, used = list[Taken](), list[Taken](), [_counted(at) for at in _positions(game, before, offers)]
    kept += _unused(used[0], after)
    for offer, numbers in zip(offers, used[1:], strict=True):
        if if_legal(game, after, [*kept, offer]) is not None:
            kept.append(offer)
        else:
            gone.append(offer)
        kept += _unused(numbers, with_offers(game, after, kept))
    return kept, gone


def _counted(state: AnyState) -> dict[int, int]:
    desk = getattr(state.table, "proposals", None)
    return {**desk.counted} if isinstance(desk, proposals.Desk) else {}


def _unused(numbers: Mapping[int, int], state: AnyState) -> list[Taken]:
    """A count for each circle that has used fewer numbers of proposals."""
    there, found = _counted(state), list[Taken]()
    for mask, n in numbers.items():
        circle = proposals.circle_of(mask, state.table.seats)
        if circle is not None and n > there.get(mask, 0):
            found.append(skipping(circle, n - there.get(mask, 0)))
    return found


# --- playing ahead ----------------------------------------------------------------------------------------------------


def foresee(game: Game, state: AnyState, group: Sequence[Taken], answers: Answers, checked: bool = False) -> Foreseen:
    """Play offers and answers on a copy. Raises Refused if `checked`."""
    state, events = clone(state), list[Event]()
    for offer in group:
        if checked and not offer.skips:
            matches.check_offer(game, state, offer.seat, offer.kind, offer.given.answer, offer.number)
        events += run_offer(game, state, offer)
    for seat, given in answers:
        events += procedure.play(state, seat, given.answer, trusted=not checked)
    return state, events


def joined(game: Game, state: AnyState, offers: Sequence[Taken], taken: Taken) -> tuple[list[Taken], set[Seat], Foreseen]:
    """(offers linked with a new one, seats that know one, position and events after it). A seat that loses a logged proposal by
    it counts as knowing it.
    """
    group, known = linked(game, state, offers, circle(game, state.table.seats, taken))
    while True:
        played = foresee(game, state, [*group, taken], [])
        wider = known.union(*lapsed(state, played[0]))
        if wider == known:
            return group, known, played
        group, known = linked(game, state, offers, wider)


def if_legal(game: Game, state: AnyState, group: Sequence[Taken], answers: Answers = ()) -> Foreseen | None:
    """`foresee`, checked; None if refused."""
    try:
        return foresee(game, state, group, answers, checked=True)
    except Refused:
        return None


def differs(game: Game, circle: Collection[Seat], one: Foreseen, other: Foreseen) -> bool:
    """Whether anyone outside the circle sees a difference."""
    (a, told_a), (b, told_b) = one, other
    if (a.serial, a.waiting, a.table.outcome) != (b.serial, b.waiting, b.table.outcome):
        return True
    for reader in [*(s for s in a.table.seats if s not in circle), None]:
        if [e for e in told_a if e.seen_by(reader)] != [e for e in told_b if e.seen_by(reader)]:
            return True
        if game.rules.view(a, reader) != game.rules.view(b, reader):
            return True
        if reader is not None and _open_to(game, a, reader) != _open_to(game, b, reader):
            return True
        if reader in a.waiting and settled(procedure.ask_of(a, reader)) != settled(procedure.ask_of(b, reader)):
            return True
    return False


def _open_to(game: Game, state: AnyState, seat: Seat) -> list[tuple[int, Ask]]:
    powers = proposals.powers(state, game.rules.powers.open(state, seat))
    return [*((0, ask) for ask in powers), *proposals.proposals(state, seat), *proposals.own(state, seat)]


def commutes(
    game: Game, state: AnyState, others: Sequence[Taken], mine: Sequence[Taken], circle_of_mine: Collection[Seat]
) -> bool:
    """Whether offers commute with other hidden ones, for all who know them; draws from one hidden deck don't."""
    if not others:
        return True
    seats = state.table.seats
    knowing = {seat for offer in others for seat in circle(game, seats, offer)}
    for first, last, told in ((others, mine, {*circle_of_mine}), (mine, others, knowing)):
        apart, after = if_legal(game, state, last), if_legal(game, state, [*first, *last])
        if apart is None or after is None or differs(game, {*seats} - told, apart, after):
            return False
    return True


def bearing(
    game: Game, state: AnyState, offers: Sequence[Taken], first: Sequence[Taken], then: Sequence[Taken], answers: Answers
) -> list[Taken]:
    """Offers to log first: others would see their effects after these offers and answers, or they don't commute. All if an
    answer depends on one.
    """
    if not offers:
        return []
    ripe, late = list[Taken](), [offer for offer in offers if offer not in first]
    base = if_legal(game, state, [*first, *then], answers)
    while late and base is not None:
        for seat in dict.fromkeys(offer.seat for offer in late):
            group, knowing = linked(game, state, late, (seat,))
            tried = if_legal(game, state, [*first, *ripe, *group, *then], answers)
            if tried is None or differs(game, knowing, base, tried) or not _as_well_later(game, base[0], group, tried[0]):
                ripe, base = [*ripe, *group], tried
                late = [offer for offer in late if offer not in group]
                break
        else:
            return [offer for offer in offers if offer in ripe]
    return [offer for offer in offers if offer not in first]


def _as_well_later(game: Game, state: AnyState, group: Sequence[Taken], sooner: AnyState) -> bool:
    later = if_legal(game, state, group)
    return later is not None and game.rules.encode(later[0]) == game.rules.encode(sooner)


# --- folding ----------------------------------------------------------------------------------------------------------


def fold(game: Game, state: AnyState, offers: Sequence[Taken], answers: Answers) -> tuple[list[Taken], list[Event]]:
    """Fold failed proposals; returns the other offers, and events for the folded ones' circles."""
    kept, told, left = list[Taken](), list[Event](), list(offers)
    while left:
        group, _ = linked(game, state, left, (left[0].seat,))
        left = [offer for offer in left if offer not in group]
        # Others' answers may depend on their own offers.
        fewer, events = _folded(game, with_offers(game, state, [*kept, *left]), group, answers)
        kept += fewer
        told += events
    return kept, told


def entering(
    game: Game, state: AnyState, offers: Sequence[Taken], answers: Answers
) -> tuple[list[Taken], list[Taken], list[Event]]:
    """(offers left by `fold`, those to log first, events of the folded ones)."""
    if not offers:
        return [], [], []
    offers, told = fold(game, state, offers, answers)
    return offers, bearing(game, state, offers, [], [], answers), told


def with_skips(game: Game, seats: Sequence[Seat], group: Sequence[Taken]) -> tuple[list[tuple[Taken, int]], list[Taken]]:
    """Offers to log, each with its circle's count of void proposals, and the other counts."""
    found, left = list[tuple[Taken, int]](), dict[tuple[Seat, ...], int]()
    for offer in group:
        knowing = tuple(s for s in seats if s in circle(game, seats, offer))
        if offer.skips:
            left[knowing] = left.get(knowing, 0) + offer.skips
        else:
            found.append((offer, left.pop(knowing, 0)))
    return found, [skipping(knowing, count) for knowing, count in left.items()]


def _folded(game: Game, state: AnyState, group: list[Taken], answers: Answers) -> tuple[list[Taken], list[Event]]:
    told = list[Event]()
    if not isinstance(getattr(state.table, "proposals", None), proposals.Desk):
        return group, told
    if not any(proposals.on(at.table) for at in _positions(game, state, group)):
        return group, told
    whole = foresee(game, state, group, answers)
    while found := _without_one(game, state, group, answers, whole):
        group, gone, whole = found
        told += gone
    return group, told


def _positions(game: Game, state: AnyState, group: Sequence[Taken]) -> list[AnyState]:
    found = [state]
    for offer in group:
        state = clone(state)
        run_offer(game, state, offer)
        found.append(state)
    return found


def _without_one(
    game: Game, state: AnyState, group: list[Taken], answers: Answers, whole: Foreseen
) -> tuple[list[Taken], list[Event], Foreseen] | None:
    """Replace one failed proposal and its answers by a count, if nothing else changes."""
    open_after = [{p.number for p in proposals.on(at.table)} for at in _positions(game, state, group)]
    alive = {p.number for p in proposals.on(whole[0].table)}
    for i in range(len(group)):
        for number in open_after[i + 1] - open_after[i] - alive:
            circle = proposals.circle_of(number, state.table.seats)
            if circle is None:
                continue
            rest = [offer for offer in group[i + 1 :] if offer.number != number]
            fewer = [*group[:i], skipping(circle, 1), *rest]
            tried = if_legal(game, state, fewer, answers)
            if tried is None:
                continue
            gone = _missing(whole[1], tried[1])
            quiet = all(event.only is not None and {*event.only} <= {*circle} for event in gone)
            if quiet and not _missing(tried[1], whole[1]) and game.rules.encode(tried[0]) == game.rules.encode(whole[0]):
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
