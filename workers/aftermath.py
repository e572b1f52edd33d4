"""Consequences of a run, in one transaction: log, snapshot, cards, questions, letters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import bindparam, func, update
from sqlmodel import Session, col, select

from engine import match as matches
from engine.asks import Seat, write
from engine.offers import Proposal
from service.clock import deadlines, recipe
from service.games import cards
from service.people.accounts import by_id
from service.post import letters
from service.store import bulk
from service.store.database import settings_of
from service.store.models import (
    AskRow,
    EntryRow,
    EventRow,
    Letter,
    LetterStatus,
    Match,
    MatchStatus,
    SealedAnswer,
    SeatRow,
    Submission,
    now,
)
from service.table import parleys
from workers import clocks, sources
from workers.playing import Key, Playing, time_now


def write_all(session: Session, playing: Playing) -> None:
    row, live = playing.row, playing.live
    if live.outcome is not None:
        live.reveal(time_now())
    _write_log(session, playing)
    if live.game.parleys is not None:
        parleys.follow(session, row, live.game.parleys.of(live.state))
    write_snapshot(session, playing)
    if live.outcome is not None:
        row.status, row.finished_at, row.halted_at = MatchStatus.FINISHED, now(), None
        row.outcome = msgspec.to_builtins(live.outcome)
    session.add(row)
    for letter in playing.seats:
        playing.spend_orders(letter)
    for entry in live.entries:
        mover = playing.seats.get(entry.actor)
        if entry.via in deadlines.OWN_HAND and mover is not None and mover.account_id:
            mover.moved_n = entry.n  # after giving up a seat, news stay for the successor
    for seat in playing.seats.values():
        if live.outcome is None and seat.account_id:
            seat.card = cards.plain(cards.made(row, live.game, playing.known_to(seat.seat), seat.seat))
        elif seat.card:
            seat.card = {}
        session.add(seat)
    write_sealed(session, playing)
    opened = _write_asks(session, playing)
    _owe_letters(session, playing, opened)
    _write_together(session)


def _write_together(session: Session) -> None:
    """One bulk statement for each kind of row."""
    bulk.put(session, AskRow)
    bulk.change(session, SeatRow)
    bulk.change(session, Submission)
    bulk.change(session, Match)
    bulk.add(session, Letter)


def write_snapshot(session: Session, playing: Playing) -> None:
    row, live = playing.row, playing.live
    row.snapshot, row.snapshot_n = live.game.encode(live.state), live.before + len(live.entries)
    row.serial, row.head = live.state.serial, live.head
    session.add(row)


def write_sealed(session: Session, playing: Playing) -> None:
    """Synchronise the rows of answers hidden outside the log."""
    live, match_id = playing.live, playing.row.id
    wanted = [(seat, live.state.serial, live.ask_kind(), given) for seat, given in playing.sealed.items()]
    for step in live.state.parked:
        kind = live.state.stack[step.depth - 1].step
        wanted += [(seat, step.serial, kind, given) for seat, given in playing.parked.get(step.serial, {}).items()]
    wanted += [(o.seat, -o.number, o.kind, o.given) for o in playing.offers]
    rows = [(seat, serial, kind, write(given.answer), given) for seat, serial, kind, given in wanted if live.outcome is None]
    offered = [w[:4] for w in rows if w[1] <= matches.OFFER]
    in_order = True  # offers keep the order in which they were taken
    for row in playing.lying:
        # The same power may be used twice in the same words: a row each.
        known = next((w for w in rows if w[:4] == (row.seat, row.serial, row.kind, row.move)), None)
        if row.serial <= matches.OFFER:
            in_order = in_order and known is not None and known[:4] == offered.pop(0)
        if known is None or (not in_order and row.serial <= matches.OFFER):
            session.delete(row)
        else:
            rows.remove(known)
    for seat, serial, kind, move, given in rows:
        session.add(
            SealedAnswer(match_id=match_id, seat=seat, serial=serial, kind=kind, move=move, via=given.via, mark=given.mark)
        )


def _write_log(session: Session, playing: Playing) -> None:
    match_id = playing.row.id
    entries = [{"match_id": match_id, **msgspec.structs.asdict(e)} for e in playing.live.entries]
    bulk.add_values(session, EntryRow, entries)
    told = [(n, i, event) for n, events in playing.told for i, event in enumerate(events)]
    if playing.whispered:
        n = playing.live.before + len(playing.live.entries)
        known = session.exec(select(func.max(EventRow.i)).where(EventRow.match_id == match_id, EventRow.n == n)).one()
        first = max([-1 if known is None else known, *(i for m, i, _ in told if m == n)]) + 1
        told += [(n, first + i, event) for i, event in enumerate(playing.whispered)]
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
        for n, i, e in told
    ]
    bulk.add_values(session, EventRow, events)


def _write_asks(session: Session, playing: Playing) -> set[Key]:
    """Close answered questions and open new ones; returns those to notify."""
    row, live = playing.row, playing.live
    waiting = set(playing.waiting) if live.outcome is None else set()
    proposed = playing.proposed() if live.outcome is None else {}
    _close_asks(session, playing, waiting, proposed)
    opened = _write_offers(session, playing, proposed)
    told = {seat for seat, _ in opened}
    opened |= {key for key in playing.bared if key[0] in waiting and key[1] == live.state.serial}
    for letter in sorted(waiting):
        seat, key = playing.seats[letter], playing.key(letter)
        if key in playing.asks and key in playing.answered:
            opened.add(key)  # the same question again
        if key in playing.asks or not seat.account_id or seat.steward:
            continue
        known = playing.rows.get(key)
        if known is not None:
            # Reopened after an interruption, or when its hidden answer was returned.
            clocks.reopen(session, row, seat, known, playing.stops)
            playing.asks[key] = known
            # A proposal's notification shows this question too.
            if letter not in told:
                opened.add(key)
            continue
        ask = AskRow(match_id=row.id, seat=letter, serial=live.state.serial, kind=live.ask_kind())
        clocks.open_ask(session, row, seat, ask, live.game.turn_of(live.state, letter), playing.stops)
        given = playing.kept.get(key)
        if given is not None:
            ask.kept, ask.kept_via = write(given.answer), given.via
            if sources.closes_late(playing, letter) and ask.due_at is not None:
                clocks.keep_to_deadline(ask)
            else:
                clocks.keep_back(row, ask)
        else:
            opened.add(key)
        session.add(ask)
        playing.asks[key] = ask
    _write_sealed(session, playing)
    return opened


def _close_asks(session: Session, playing: Playing, waiting: set[Seat], proposed: Mapping[Key, Proposal]) -> None:
    """Close questions no longer asked and drop their letters; park interrupted ones."""
    row, live = playing.row, playing.live
    parked = {(seat, step.serial) for step in live.state.parked for seat in step.waiting}
    interrupt_answered(session, playing)
    closed: list[Key] = []
    for key, ask in playing.asks.items():
        seat = playing.seats[ask.seat]
        if ask.serial == live.state.serial and ask.seat in waiting:
            if ask.falls_at is None and ask.due_at is not None:
                clocks.unpark(session, row, seat, ask, playing.stops)
            continue
        if key in proposed and not seat.steward:
            continue
        if key in parked and live.outcome is None and ask.seat not in playing.parked.get(ask.serial, {}):
            clocks.park(session, ask)
            continue
        if ask.serial > 0:
            own_turn = bool(playing.turns.get(ask.seat))
            clocks.close_ask(session, row, seat, ask, playing.answered.get(key, ""), own_turn, playing.stops)
        else:
            clocks.close_offer(session, ask)
        closed.append(key)
    bulk.run(session, _dropping(), [{"match": row.id, "closed": seat, "number": serial} for seat, serial in closed])


def interrupt_answered(session: Session, playing: Playing) -> None:
    """Park or unpark the deadlines of hidden answers like the others', since the table sees both."""
    state = playing.live.state
    serials = {step.serial for step in state.parked} if playing.live.outcome is None else set()
    for key, ask in playing.rows.items():
        if key in playing.asks or ask.answered_at is None or not ask.recipe:
            continue
        if ask.serial in serials:
            clocks.park(session, ask)
        elif ask.serial == state.serial and recipe.of(ask).parked_at is not None:
            clocks.unpark(session, playing.row, playing.seats[ask.seat], ask, playing.stops)


@cache
def _dropping() -> Any:
    waiting_still = (col(Letter.status) == LetterStatus.QUEUED) | (col(Letter.status) == LetterStatus.GATHERED)
    its = (col(Letter.seat) == bindparam("closed"), col(Letter.serial) == bindparam("number"))
    dropping = update(Letter.__table__)  # type: ignore[attr-defined]  # SQLModel's types
    return dropping.where(col(Letter.match_id) == bindparam("match"), *its, waiting_still).values(status=LetterStatus.DROPPED)


def _write_offers(session: Session, playing: Playing, proposed: Mapping[Key, Proposal]) -> set[Key]:
    row, opened = playing.row, set[Key]()
    for key, proposal in proposed.items():
        seat = playing.seats[key[0]]
        if key in playing.asks or not seat.account_id or seat.steward:
            continue
        ask = session.get(AskRow, (row.id, *key)) or AskRow(match_id=row.id, seat=key[0], serial=key[1], kind=proposal.kind)
        ask.answered_at = None
        clocks.open_offer(session, row, seat, ask, proposal.timed, playing.stops)
        given = playing.kept.get(key)
        if given is not None:
            ask.kept, ask.kept_via = write(given.answer), given.via
            clocks.keep_back(row, ask)
        else:
            opened.add(key)
        playing.asks[key] = ask
    return opened


def _write_sealed(session: Session, playing: Playing) -> None:
    """Add rows for answers that orders gave at once: rows show who is waited for, and must not reveal orders."""
    row, live = playing.row, playing.live
    if live.outcome is not None or not live.state.waiting:
        return
    # All have the same time as those still asked.
    mark = live.game.turn_of(live.state, live.state.waiting[0])
    for letter in sorted({*live.state.sealed, *playing.sealed}):
        seat, serial = playing.seats[letter], live.state.serial
        known = (letter, serial) in playing.asks or (letter, serial) in playing.rows
        if known or not seat.account_id or seat.steward:
            continue
        ask = AskRow(match_id=row.id, seat=letter, serial=serial, kind=live.ask_kind())
        clocks.open_ask(session, row, seat, ask, mark, playing.stops)
        ask.answered_at, ask.remind_at = ask.opened_at, None
        if mark:
            seat.turn_left = 0  # an order saves no time
        session.add(ask)


def _owe_letters(session: Session, playing: Playing, opened: set[Key]) -> None:
    """Queue letters: newly asked, start, end."""
    row, live = playing.row, playing.live
    for letter, serial in opened if live.outcome is None else ():
        seat = playing.seats[letter]
        if serial < 0 and seat.account_id:
            letters.owe(session, "offer", row, seat, by_id(session, seat.account_id), serial=serial)
    if live.outcome is None:
        _owe_outcomes(session, playing, opened)
    for seat in playing.seats.values():
        if not seat.account_id or (live.outcome is None and not playing.fresh and playing.key(seat.seat) not in opened):
            continue
        account = by_id(session, seat.account_id)
        if live.outcome is not None:
            letters.owe(session, "over", row, seat, account)
        elif playing.fresh:
            letters.owe(session, "started", row, seat, account)
        else:
            # After an own answer the player is at the page, so the letter is delayed.
            hold = settings_of(session).hold_seconds if seat.seat in playing.visited else 0
            letters.owe(session, "turn", row, seat, account, serial=live.state.serial, hold=hold)


def _owe_outcomes(session: Session, playing: Playing, opened: set[Key]) -> None:
    """Queue letters on ended proposals and played submissions that were held; none to players at the page, or with another
    letter due.
    """
    ended = {key[0] for key in playing.made - playing.made_by() if key not in playing.answered}
    for letter in sorted(ended | playing.settled):
        seat = playing.seats[letter]
        if not seat.account_id or seat.steward or letter in playing.visited or playing.key(letter) in opened:
            continue
        waiting = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED))
        its = (Letter.match_id == playing.row.id, Letter.seat == letter, Letter.kind == "outcome", waiting)
        if session.exec(select(Letter.id).where(*its)).first() is None:
            account = by_id(session, seat.account_id)
            letters.owe(session, "outcome", playing.row, seat, account, hold=settings_of(session).hold_seconds)
