"""Stores the effects of a run, in one transaction: log, snapshot, cards, questions, letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import msgspec
import structlog
from sqlalchemy import bindparam, update
from sqlmodel import Session, col, select

from engine.core.asks import Seat, write
from engine.core.offers import Proposal
from engine.core.words import Message
from engine.play import match as matches
from engine.play.effects import Accepted, Asked, Closed, Dropped, Effect, Held, Kept, Logged, Owed, Rejected, Told
from engine.play.taking_back import ACTED, Trail
from engine.text import address
from engine.text.address import Key, Question
from service.clock import deadlines, recipe
from service.common.messages import as_text, sentence
from service.games import advance, bot_talk, cards, take_back
from service.games.entries import event_values, next_event
from service.people.accounts import by_id
from service.post import letters
from service.store import bulk, counters
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
    SubmissionStatus,
    now,
)
from service.table import parleys
from workers import clocks
from workers.load import Table, put_back

log = structlog.get_logger()

MOVED_ON = sentence("The position had moved on before this answer was taken up.")
CHANGED = (Logged, Told, Asked, Closed, Accepted, Dropped)
"""Effects after which the match's rows have to be written."""


# --- effect by effect -------------------------------------------------------------------------------------------------


def note(session: Session, table: Table, effects: Iterable[Effect]) -> None:
    """Collect effects for `write_all`; store those on submissions, kept answers and letters."""
    for effect in effects:
        table.changed = table.changed or isinstance(effect, CHANGED)
        match effect:
            case Logged(entry, events):
                table.told.append((entry.n, events))
                if entry.via == "clock" and entry.serial > matches.OFFER:
                    counters.after_commit(session, counters.DEFAULTS.inc)
            case Told(events, now=now_):
                (table.told[-1][1] if now_ and table.told else table.whispered).extend(events)
            case Asked(key):
                table.bared.add(key)
                table.answered.pop(key, None)
            case Closed(key, via):
                table.answered[key] = via
            case Kept(key, move, via):
                ask = table.asks[key]
                ask.kept, ask.kept_via, ask.kept_at = move, via, None
                if move:
                    clocks.keep_to_deadline(ask)
            case Owed():
                _owe(session, table, effect)
            case Dropped(seat, via, why):
                log.warning("policy refused", match=table.row.id, seat=seat, via=via, refusal=why.kind)
            case _:
                _decide(session, table, effect)


def _decide(session: Session, table: Table, effect: Accepted | Held | Rejected) -> None:
    submission = table.submissions[effect.id]
    question = submission.serial > matches.OFFER
    if submission.status == SubmissionStatus.HELD:  # sent earlier, so the player isn't at the page now
        table.settled.add(submission.seat)
    elif isinstance(effect, Accepted):
        table.visited.add(submission.seat)
    match effect:
        case Held():
            submission.status = SubmissionStatus.HELD
        case Rejected(why=None):
            counters.after_commit(session, lambda: counters.refused("stale"))
            done(submission, SubmissionStatus.STALE, MOVED_ON)
        case Rejected(why=why):
            assert why is not None
            done(submission, SubmissionStatus.REFUSED, why)
        case _:
            done(submission, SubmissionStatus.ACCEPTED, "")
            if question:  # proposals are secret
                counters.answered(session, submission.created_at)


def done(submission: Submission, status: SubmissionStatus, refusal: Message | str) -> None:
    submission.status, submission.refusal, submission.done_at = status, as_text(refusal), now()


def _owe(session: Session, table: Table, owed: Owed) -> None:
    seat = table.seats[owed.seat]
    if owed.letter == "kept":
        counters.after_commit(session, counters.STEWARDS.inc)
        letters.to_seat(session, "kept", table.row, seat, owed.facts)
    else:
        advance.dropped(session, table.row, seat, owed.facts["given"], owed.facts["why"])


# --- all at once ------------------------------------------------------------------------------------------------------


def write_all(session: Session, table: Table) -> None:
    row, run = table.row, table.run
    live = run.match
    bot_talk.speak(session, row, table.seats.values(), table.told, live.entries)
    _write_log(session, table)
    if live.game.rules.parleys is not None:
        parleys.follow(session, row, live.game.rules.parleys.of(live.state))
    write_snapshot(table)
    if live.outcome is not None:
        row.status, row.finished_at, row.halted_at = MatchStatus.FINISHED, now(), None
        row.outcome = msgspec.to_builtins(live.outcome)
    for seat in table.seats:
        run.spend_orders(seat)
    put_back(table)
    for entry in live.entries:
        mover = table.seats.get(entry.actor)
        if entry.via in deadlines.OWN_HAND and mover is not None and mover.account_id:
            mover.moved_n = entry.n  # after giving up a seat, news stays for the successor
    waiting = () if live.outcome is not None else live.state.waiting
    for at in table.seats.values():
        if at.seat in waiting and at.account_id:
            at.card = cards.plain(cards.made(row, live.game, run.known_to(at.seat), at.seat))
        elif at.card:
            at.card = {}
    _write_trails(table)
    write_sealed(session, table)
    opened = _write_asks(session, table)
    _owe_letters(session, table, opened)
    _write_together(session)


def _write_together(session: Session) -> None:
    bulk.put(session, AskRow)
    bulk.change(session, SeatRow)
    bulk.change(session, Submission)
    bulk.change(session, Match)
    bulk.add(session, Letter)


def write_snapshot(table: Table) -> None:
    row, live = table.row, table.run.match
    row.snapshot, row.snapshot_n = live.game.rules.encode(live.state), live.before + len(live.entries)
    row.serial, row.head = live.state.serial, live.head


def _write_trails(table: Table) -> None:
    run = table.run
    for seat, trail in run.trails.items():
        at = table.seats[seat]
        if run.match.outcome is not None:
            trail = Trail()
        elif trail.n < run.n and trail != take_back.trail_of(at.trail):
            trail = Trail(run.n, (), trail.why or ACTED)
        if at.trail != (stored := msgspec.to_builtins(trail)):
            at.trail = stored


def write_sealed(session: Session, table: Table) -> None:
    run, match_id = table.run, table.row.id
    state = run.match.state
    wanted = [(seat, state.serial, run.match.ask_kind(), given) for seat, given in run.hidden.items()]
    for step in state.parked:
        kind = state.stack[step.depth - 1].step
        wanted += [(seat, step.serial, kind, given) for seat, given in run.parked.get(step.serial, {}).items()]
    wanted += [(o.seat, -o.number, o.kind, o.given) for o in run.offers]
    rows = [(seat, serial, kind, write(given.answer), given) for seat, serial, kind, given in wanted if not run.match.outcome]
    offered = [w[:4] for w in rows if w[1] <= matches.OFFER]
    in_order = True  # offers keep the order of arrival
    for row in table.lying:
        # The same power may be used twice with the same text: one row each.
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


def _write_log(session: Session, table: Table) -> None:
    match_id, live = table.row.id, table.run.match
    entries = [{"match_id": match_id, **msgspec.structs.asdict(e)} for e in live.entries]
    bulk.add_values(session, EntryRow, entries)
    told = [(n, i, event) for n, events in table.told for i, event in enumerate(events)]
    if table.whispered:
        n = live.before + len(live.entries)
        first = max([next_event(session, match_id, n), *(i + 1 for m, i, _ in told if m == n)])
        told += [(n, first + i, event) for i, event in enumerate(table.whispered)]
    bulk.add_values(session, EventRow, [event_values(match_id, *one) for one in told])


# --- questions --------------------------------------------------------------------------------------------------------


def _write_asks(session: Session, table: Table) -> set[Key]:
    """Close and open questions; returns those to notify."""
    row, run = table.row, table.run
    live, over = run.match, run.match.outcome is not None
    waiting = set() if over else set(run.waiting)
    proposed = {} if over else run.proposed()
    _close_asks(session, table, waiting, proposed)
    opened = _write_offers(session, table, proposed)
    told = {seat for seat, _ in opened}
    opened |= {key for key in table.bared if key[0] in waiting and key == run.key(key[0])}
    for seat in sorted(waiting):
        key = run.key(seat)
        if key in table.asks and key in table.answered:
            opened.add(key)  # the same question again
        if key in table.asks or not table.attended(seat):
            continue
        known = table.rows.get(key)
        if known is not None:
            # Reopened after an interruption, or when its hidden answer was returned.
            clocks.reopen(session, row, table.seats[seat], known, table.stops)
            table.asks[key] = known
            # A proposal's notification shows this question too.
            if seat not in told:
                opened.add(key)
            continue
        ask = table.asks[key] = _open_question(session, table, seat, live.game.rules.turn_of(live.state, seat))
        if not _answer_later(table, key, ask):
            opened.add(key)
    _write_answered(session, table)
    return opened


def _open_question(session: Session, table: Table, seat: Seat, turn_mark: str) -> AskRow:
    """Add the row of the open question, with its clock."""
    live = table.run.match
    ask = AskRow(match_id=table.row.id, seat=seat, serial=live.state.serial, kind=live.ask_kind())
    clocks.open_ask(session, table.row, table.seats[seat], ask, turn_mark, table.stops)
    session.add(ask)
    return ask


def _answer_later(table: Table, key: Key, ask: AskRow) -> bool:
    """Keep an order's later answer, so its player isn't notified; False for none."""
    given = table.run.later.get(key)
    if given is None:
        return False
    ask.kept, ask.kept_via = write(given.answer), given.via
    if isinstance(key[1], Question) and table.run.closes_late(key[0]) and ask.due_at is not None:
        clocks.keep_to_deadline(ask)
    else:
        clocks.keep_back(table.row, ask)
    return True


def _close_asks(session: Session, table: Table, waiting: set[Seat], proposed: Mapping[Key, Proposal]) -> None:
    """Close questions, drop their letters, and park interrupted ones."""
    row, run = table.row, table.run
    state, over = run.match.state, run.match.outcome is not None
    parked = {(seat, Question(step.serial)) for step in state.parked for seat in step.waiting}
    interrupt_answered(session, table)
    closed: list[Key] = []
    for key, ask in table.asks.items():
        at = table.seats[ask.seat]
        if key == run.key(ask.seat) and ask.seat in waiting:
            if ask.falls_at is None and ask.due_at is not None:
                clocks.unpark(session, row, at, ask, table.stops)
            continue
        if key in proposed and not at.steward:
            continue
        if key in parked and not over and ask.seat not in run.parked.get(ask.serial, {}):
            clocks.park(session, ask)
            continue
        if isinstance(key[1], Question):
            own_turn = bool(table.turns.get(ask.seat))
            clocks.close_ask(session, row, at, ask, table.answered.get(key, ""), own_turn, table.stops)
        else:
            clocks.close_offer(session, ask)
        closed.append(key)
    drop_letters(session, row.id, closed)


def drop_letters(session: Session, match_id: str, closed: Iterable[Key]) -> None:
    rows = [{"match": match_id, "closed": seat, "number": address.stored(to)} for seat, to in closed]
    bulk.run(session, _dropping(), rows)


def interrupt_answered(session: Session, table: Table) -> None:
    """Park or unpark the deadlines of hidden answers like the others', since the table sees both."""
    state = table.run.match.state
    serials = {step.serial for step in state.parked} if table.run.match.outcome is None else set()
    for key, ask in table.rows.items():
        if key in table.asks or ask.answered_at is None or not ask.recipe:
            continue
        if ask.serial in serials:
            clocks.park(session, ask)
        elif ask.serial == state.serial and recipe.of(ask).parked_at is not None:
            clocks.unpark(session, table.row, table.seats[ask.seat], ask, table.stops)


@cache
def _dropping() -> Any:
    waiting_still = (col(Letter.status) == LetterStatus.QUEUED) | (col(Letter.status) == LetterStatus.GATHERED)
    its = (col(Letter.seat) == bindparam("closed"), col(Letter.serial) == bindparam("number"))
    dropping = update(Letter.__table__)  # type: ignore[attr-defined]  # SQLModel's types leave it out
    return dropping.where(col(Letter.match_id) == bindparam("match"), *its, waiting_still).values(status=LetterStatus.DROPPED)


def _write_offers(session: Session, table: Table, proposed: Mapping[Key, Proposal]) -> set[Key]:
    row, opened = table.row, set[Key]()
    for key, proposal in proposed.items():
        at, serial = table.seats[key[0]], address.stored(key[1])
        if key in table.asks or not table.attended(key[0]):
            continue
        ask = session.get(AskRow, (row.id, key[0], serial))
        ask = ask or AskRow(match_id=row.id, seat=key[0], serial=serial, kind=proposal.kind)
        ask.answered_at = None
        clocks.open_offer(session, row, at, ask, proposal.timed, table.stops)
        table.asks[key] = ask
        if not _answer_later(table, key, ask):
            opened.add(key)
    return opened


def _write_answered(session: Session, table: Table) -> None:
    """Add rows for answers by orders: rows show who is waited for, and must not reveal orders."""
    run, live = table.run, table.run.match
    if live.outcome is not None or not live.state.waiting:
        return
    # All have the same time as those still asked.
    mark = live.game.rules.turn_of(live.state, live.state.waiting[0])
    for seat in sorted({*live.state.sealed, *run.hidden}):
        key = run.key(seat)
        if key in table.asks or key in table.rows or not table.attended(seat):
            continue
        ask = _open_question(session, table, seat, mark)
        ask.answered_at, ask.remind_at = ask.opened_at, None
        if mark:
            table.seats[seat].turn_left = 0  # an order saves no time


# --- letters ----------------------------------------------------------------------------------------------------------


def _owe_letters(session: Session, table: Table, opened: set[Key]) -> None:
    """Queue letters: newly asked, start, end."""
    run, over = table.run, table.run.match.outcome is not None
    for seat, to in () if over else opened:
        if not isinstance(to, Question):
            _owe_letter(session, table, "offer", seat, serial=address.stored(to))
    if not over:
        _owe_outcomes(session, table, opened)
    for seat in table.seats:
        if over:
            _owe_letter(session, table, "over", seat)
        elif table.fresh:
            _owe_letter(session, table, "started", seat)
        elif run.key(seat) in opened:
            # After an own answer the player is at the page, so the letter is delayed.
            hold = settings_of(session).hold_seconds if seat in table.visited else 0
            _owe_letter(session, table, "turn", seat, serial=run.match.state.serial, hold=hold)


def _owe_letter(session: Session, table: Table, kind: str, seat: Seat, serial: int = 0, hold: int = 0) -> None:
    at = table.seats[seat]
    if at.account_id:
        letters.owe(session, kind, table.row, at, by_id(session, at.account_id), serial=serial, hold=hold)


def _owe_outcomes(session: Session, table: Table, opened: set[Key]) -> None:
    """Queue letters on outcomes; none to players at the page, or with another letter due."""
    ended = {key[0] for key in table.made - table.run.proposed_by() if key not in table.answered}
    for seat in sorted(ended | table.settled):
        if not table.attended(seat) or seat in table.visited or table.run.key(seat) in opened:
            continue
        waiting = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED))
        its = (Letter.match_id == table.row.id, Letter.seat == seat, Letter.kind == "outcome", waiting)
        if session.exec(select(Letter.id).where(*its)).first() is None:
            _owe_letter(session, table, "outcome", seat, hold=settings_of(session).hold_seconds)
