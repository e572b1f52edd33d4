"""What follows from what was played, in one transaction: log, snapshot, what every seat may see, open questions, letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import func, insert
from sqlmodel import Session, col, select, update

from engine import match as matches
from engine import orders, procedure
from engine.asks import write
from engine.views import Event
from service.clock import deadlines
from service.games import seen
from service.games.chronicle import tell
from service.ground.moments import Moment
from service.people.accounts import by_id
from service.post import letters
from service.store.database import settings_of
from service.store.models import AskRow, EntryRow, EventRow, Letter, LetterStatus, MatchStatus, SealedAnswer, ViewRow, now
from workers import clocks, sources
from workers.playing import Key, Playing, time_now


def write_all(session: Session, playing: Playing) -> None:
    """Write everything that follows from this run."""
    row, live = playing.row, playing.live
    if live.outcome is not None:
        live.reveal(time_now())
    _write_log(session, playing)
    write_snapshot(session, playing)
    if live.outcome is not None:
        row.status, row.finished_at, row.halted_at = MatchStatus.FINISHED, now(), None
        row.outcome = msgspec.to_builtins(live.outcome)
    session.add(row)
    _spend_orders(playing)
    for seat in playing.seats.values():
        session.add(seat)
    write_sealed(session, playing)
    views = write_views(session, playing)
    opened = _write_asks(session, playing)
    _write_letters(session, playing, views, opened)
    session.flush()


def _spend_orders(playing: Playing) -> None:
    """Take away the orders that have had their day."""
    live = playing.live
    for row in playing.seats.values():
        if row.orders:
            own = [e for e in live.entries if e.actor == row.seat and e.move and e.ask != matches.TABLE]
            answered = [f"{e.ask}:{(e.move or '').partition(' ')[0]}" for e in own]
            row.orders = orders.after(live.game, live.state, row.seat, answered, row.orders)


def write_snapshot(session: Session, playing: Playing) -> None:
    row, live = playing.row, playing.live
    row.snapshot, row.snapshot_n = live.game.encode(live.state), live.before + len(live.entries)
    row.serial, row.head = live.state.serial, live.head
    session.add(row)


def write_sealed(session: Session, playing: Playing) -> None:
    """Keep what lies sealed outside the log, and nothing else."""
    live, match_id = playing.live, playing.row.id
    wanted = [(seat, live.state.serial, live.ask_kind(), given) for seat, given in playing.sealed.items()]
    for step in live.state.parked:
        kind = live.state.stack[step.depth - 1].step
        wanted += [(seat, step.serial, kind, given) for seat, given in playing.parked.get(step.serial, {}).items()]
    wanted += [(o.seat, -o.number, o.kind, o.given) for o in playing.offers]
    kept = {(w[0], w[1], w[2], write(w[3].answer)): w for w in (wanted if live.outcome is None else [])}
    for row in session.exec(select(SealedAnswer).where(SealedAnswer.match_id == match_id)).all():
        if kept.pop((row.seat, row.serial, row.kind, row.move), None) is None:
            session.delete(row)
    for (seat, serial, kind, move), (*_, given) in kept.items():
        session.add(
            SealedAnswer(match_id=match_id, seat=seat, serial=serial, kind=kind, move=move, via=given.via, mark=given.mark)
        )


def _write_log(session: Session, playing: Playing) -> None:
    match_id = playing.row.id
    entries = [{"match_id": match_id, **msgspec.structs.asdict(e)} for e in playing.live.entries]
    if entries:
        session.execute(insert(EntryRow), entries)
    events = [
        {
            "match_id": match_id,
            "n": n,
            "i": i,
            "kind": e.kind,
            "facts": e.facts,
            "only_seats": list(e.only) if e.only is not None else None,
            "but_seats": list(e.but),
        }
        for n, told in playing.told
        for i, e in enumerate(told)
    ]
    if events:
        session.execute(insert(EventRow), events)


def write_views(session: Session, playing: Playing) -> dict[str, ViewRow]:
    """Rewrite what every person's seat and a spectator may see."""
    row, live = playing.row, playing.live
    views: dict[str, ViewRow] = {}
    head = _head_to_show(playing)
    shown = row.snapshot_n - len(live.state.sealed)  # like the head: a count that grew would tell that somebody has answered
    people = [s.seat for s in playing.seats.values() if s.account_id]
    stored = {v.seat: v for v in session.exec(select(ViewRow).where(ViewRow.match_id == row.id))}
    for seat in [*people, ""]:
        form: dict[str, Any] | None = None
        offers: list[dict[str, Any]] = []
        known_state = playing.known_to(seat) if seat else live.state
        if seat:
            if seat in playing.waiting and live.outcome is None:
                ask = procedure.ask_of(live.state, seat)
                # What the safe default does, where that is grave: the end of its seat, say.
                fate = bool(live.game.preview(live.state, seat, ask.default))
                form = seen.kept_ask(ask, live.state.serial, fate)
            offers = [seen.kept_ask(o, matches.OFFER) for o in live.game.offers(known_state, seat)]
        known = stored.get(seat)
        view = known or ViewRow(match_id=row.id, seat=seat, view={})
        view.news = _news(session, playing, seat, known.news if known is not None else None)
        view.view, view.form, view.offers = live.game.view(known_state, seat or None), form, offers
        view.serial, view.n, view.head = live.state.serial, shown, head or view.head
        session.add(view)
        views[seat] = view
    return views


def _head_to_show(playing: Playing) -> str:
    """The chain's head, but not while answers are sealed: that it moved would tell that somebody has answered."""
    return playing.live.head if not playing.live.state.sealed else ""


def _news(session: Session, playing: Playing, seat: str, before: list[Any] | None) -> list[Any]:
    """What happened since the seat's player last moved with their own hand, that move's outcome included, for its row.

    `before` is the news so far; None where they are to be gathered from the events anew.
    """
    own = next((e.n for e in reversed(playing.live.entries) if e.actor == seat and seat and e.via in deadlines.OWN_HAND), 0)
    told = [event for n, events in playing.told for event in events if n >= own]
    told += playing.whispered
    if own:
        return _kept(playing, seat, [], told)
    if before is not None:
        return _kept(playing, seat, before, told)
    return _kept(playing, seat, [], _events_from(session, playing, _last_own(session, playing, seat)))


def _kept(playing: Playing, seat: str, before: list[Any], events: Iterable[Event]) -> list[Any]:
    """News for the row of a seat: those of before, and of the events those that the seat may see and that have words."""
    game, names, reader = playing.live.game, playing.names, seat or None
    fresh = [event for event in events if event.seen_by(reader) and tell(game, event, names, reader)]
    return seen.kept_news(before, fresh, names)


def _last_own(session: Session, playing: Playing, seat: str) -> int:
    own = select(func.max(EntryRow.n)).where(
        EntryRow.match_id == playing.row.id, EntryRow.actor == seat, col(EntryRow.via).in_(deadlines.OWN_HAND)
    )
    return session.exec(own).one() or 0


def _events_from(session: Session, playing: Playing, since: int) -> Iterable[Event]:
    found = select(EventRow).where(EventRow.match_id == playing.row.id, col(EventRow.n) >= since)
    newest = found.order_by(col(EventRow.n).desc(), col(EventRow.i).desc()).limit(3 * seen.MOST_NEWS)
    # The events of this run are flushed already, so they are among them.
    for e in reversed(session.exec(newest).all()):
        yield Event(e.kind, e.facts, tuple(e.only_seats) if e.only_seats is not None else None, tuple(e.but_seats))


def _write_asks(session: Session, playing: Playing) -> set[Key]:
    """Close the questions that are answered and open those that are new; the questions that a player is to be asked now.

    Letters about closed ones are dropped.
    """
    row, live = playing.row, playing.live
    waiting = set(playing.waiting) if live.outcome is None else set()
    proposed = playing.proposed() if live.outcome is None else {}
    parked = {(seat, step.serial) for step in live.state.parked for seat in step.waiting}
    for key, ask in playing.asks.items():
        seat = playing.seats[ask.seat]
        if ask.serial == live.state.serial and ask.seat in waiting:
            if ask.falls_at is None and ask.due_at is not None:
                clocks.unpark(session, row, seat, ask)
            continue
        if key in proposed and not seat.steward:
            continue
        if key in parked and live.outcome is None and ask.seat not in playing.parked.get(ask.serial, {}):
            clocks.park(session, ask)
            continue
        if ask.serial > 0:
            clocks.close_ask(session, row, seat, ask, playing.answered.get(key, ""), bool(playing.turns.get(ask.seat)))
        else:
            clocks.close_offer(session, ask)
        session.exec(
            update(Letter)
            .where(
                col(Letter.match_id) == row.id,
                col(Letter.seat) == ask.seat,
                col(Letter.serial) == ask.serial,
                col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED)),
            )
            .values(status=LetterStatus.DROPPED)
        )
    opened = _write_offers(session, playing, proposed)
    opened |= {key for key in playing.bared if key[0] in waiting and key[1] == live.state.serial}
    for letter in sorted(waiting):
        seat, key = playing.seats[letter], playing.key(letter)
        if key in playing.asks and key in playing.answered:
            opened.add(key)  # asked once more by the same question
        if key in playing.asks or not seat.account_id or seat.steward:
            continue
        again = key in playing.bared or live.state.opened
        known = session.get(AskRow, (row.id, letter, live.state.serial)) if again else None
        if known is not None:
            # Its sealed answer came back, or it is asked once more after an interruption.
            clocks.reopen(session, row, seat, known)
            playing.asks[key] = known
            continue
        ask = AskRow(match_id=row.id, seat=letter, serial=live.state.serial, kind=live.ask_kind())
        clocks.open_ask(session, row, seat, ask, live.game.turn_of(live.state, letter))
        given = playing.kept.get(key)
        if given is not None:
            ask.kept, ask.kept_via = write(given.answer), given.via
            late = sources.closes_late(playing, letter)
            ask.kept_at = ask.due_at if late and ask.due_at else now() + clocks.decent_pause(row)
        else:
            opened.add(key)
        session.add(ask)
        playing.asks[key] = ask
    _write_sealed(session, playing)
    return opened


def _write_offers(session: Session, playing: Playing, proposed: Mapping[Key, str]) -> set[Key]:
    """Open the rows of what was put to people's seats; those of which they are to be told now."""
    row, opened = playing.row, set[Key]()
    for key, kind in proposed.items():
        seat = playing.seats[key[0]]
        if key in playing.asks or not seat.account_id or seat.steward:
            continue
        ask = session.get(AskRow, (row.id, *key)) or AskRow(match_id=row.id, seat=key[0], serial=key[1], kind=kind)
        ask.answered_at = None
        clocks.open_offer(session, row, seat, ask)
        given = playing.kept.get(key)
        if given is not None:
            ask.kept, ask.kept_via, ask.kept_at = write(given.answer), given.via, now() + clocks.decent_pause(row)
        else:
            opened.add(key)
        playing.asks[key] = ask
    return opened


def _write_sealed(session: Session, playing: Playing) -> None:
    """Give those whose answers were sealed at once, by an order, the row that they would have had if they had been asked.

    Whom the table waits for is read from these rows, and must not tell whose orders have answered.
    """
    row, live = playing.row, playing.live
    if live.outcome is not None or not live.state.waiting:
        return
    # All who are asked at once have the same time: that of those who are asked still.
    mark = live.game.turn_of(live.state, live.state.waiting[0])
    for letter in sorted({*live.state.sealed, *playing.sealed}):
        seat, serial = playing.seats[letter], live.state.serial
        known = (letter, serial) in playing.asks or session.get(AskRow, (row.id, letter, serial)) is not None
        if known or not seat.account_id or seat.steward:
            continue
        ask = AskRow(match_id=row.id, seat=letter, serial=serial, kind=live.ask_kind())
        clocks.open_ask(session, row, seat, ask, mark)
        ask.answered_at, ask.remind_at = ask.opened_at, None
        if mark:
            seat.turn_left = 0  # an order saves nobody time for later
        session.add(ask)


def _write_letters(session: Session, playing: Playing, views: dict[str, ViewRow], opened: set[Key]) -> None:
    """Write to everybody who is newly asked, to all at the start, and to all at the end."""
    row, live = playing.row, playing.live
    settings = settings_of(session)
    for seat in playing.seats.values():
        if not seat.account_id:
            continue
        view, key = views[seat.seat], playing.key(seat.seat)
        if live.outcome is None and not playing.fresh and key not in opened:
            continue
        account, shown = by_id(session, seat.account_id), seen.for_owner(session, row, view, playing.names)
        ask = playing.asks.get(key) if key in opened else None
        deadline = Moment(ask.due_at, utc=True) if ask is not None and ask.due_at is not None else None
        if live.outcome is not None:
            winners = [playing.names[s] for s in live.outcome.winners]
            how = live.outcome.how
            letters.of_the_game(session, "over", row, seat, account, shown, names=playing.names, winners=winners, how=how)
        elif playing.fresh:
            letters.of_the_game(session, "started", row, seat, account, shown, names=playing.names, deadline=deadline)
        else:
            # Who has just answered is at the page and sees the next step there; the letter waits for a while.
            hold = settings.hold_seconds if seat.seat in playing.visited else 0
            letters.of_the_game(session, "turn", row, seat, account, shown, names=playing.names, deadline=deadline, hold=hold)
