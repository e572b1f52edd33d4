"""Stores the effects of a run, in one transaction: log, snapshot, cards, questions, letters."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import structlog
from sqlmodel import Session, col, delete, select

from engine.core.asks import Seat
from engine.language.words import Message
from engine.play import match as matches
from engine.play.effects import Accepted, Asked, Closed, Dropped, Effect, Held, Kept, Logged, Owed, Rejected, Told
from engine.play.taking_back import ACTED, Trail
from engine.text import address
from engine.text.address import Key, Question
from service.clock import deadlines
from service.common.messages import as_text, sentence
from service.games import cards
from service.log import bot_talk, entries
from service.post import letters
from service.seat import advance, state, take_back
from service.store import bulk, counters
from service.store.database import after_commit, settings_of
from service.store.models import (
    AskRow,
    LeftSeat,
    Letter,
    LetterStatus,
    Match,
    MatchStatus,
    SeatRow,
    Submission,
    SubmissionStatus,
    now,
)
from service.table import parleys
from workers import questions
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
                    after_commit(session, counters.DEFAULTS.inc)
            case Told(events, now=now_):
                (table.told[-1][1] if now_ and table.told else table.whispered).extend(events)
            case Asked(key):
                table.bared.add(key)
                table.answered.pop(key, None)
            case Closed(key, via):
                table.answered[key] = via
            case Kept(key, move, via):
                ask = table.rows[key]
                ask.kept, ask.kept_via, ask.kept_at = move, via, None
                if move:
                    deadlines.keep_to_deadline(ask)
                    questions.drop_letters(session, table.row.id, [key])
            case Owed("kept", seat, facts):
                table.recount = True
                after_commit(session, counters.STEWARDS.inc)
                letters.to_seat(session, "kept", table.row, table.seats[seat], facts)
            case Owed(_, seat, facts):
                advance.dropped(session, table.row, table.seats[seat], facts["given"], facts["why"])
            case Dropped(seat, via, why):
                log.warning("policy refused", match=table.row.id, seat=seat, via=via, refusal=why.kind)
            case _:
                _decide(session, table, effect)


def _decide(session: Session, table: Table, effect: Accepted | Held | Rejected) -> None:
    submission = table.submissions[effect.id]
    if submission.status == SubmissionStatus.HELD:  # sent earlier, so the player isn't at the page now
        table.settled.add(submission.seat)
    elif isinstance(effect, Accepted):
        table.visited.add(submission.seat)
    match effect:
        case Held():
            submission.status = SubmissionStatus.HELD
        case Rejected(why=None):
            after_commit(session, lambda: counters.refused("stale"))
            done(submission, SubmissionStatus.STALE, MOVED_ON)
        case Rejected(why=Message() as why):
            done(submission, SubmissionStatus.REFUSED, why)
        case _:
            done(submission, SubmissionStatus.ACCEPTED, "")
            if submission.serial > matches.OFFER:  # proposals are secret
                counters.answered(session, submission.created_at)


def done(submission: Submission, status: SubmissionStatus, refusal: Message | str) -> None:
    submission.status, submission.refusal, submission.done_at = status, as_text(refusal), now()


# --- all at once ------------------------------------------------------------------------------------------------------


def write_all(session: Session, table: Table) -> None:
    """Store a run; the caller commits."""
    row, run = table.row, table.run
    live = run.match
    bot_talk.speak(session, row, table.seats.values(), table.told, live.entries)
    entries.store(session, row.id, live.before, live.entries, table.told, table.whispered)
    if live.game.rules.parleys is not None:
        parleys.follow(session, row, live.game.rules.parleys.of(live.state))
    write_snapshot(table)
    if live.outcome is not None:
        row.status, row.finished_at, row.halted_at = MatchStatus.FINISHED, now(), None
        row.outcome = msgspec.to_builtins(live.outcome)
        session.exec(delete(LeftSeat).where(col(LeftSeat.match_id) == row.id))
    for seat in table.seats:
        run.spend_orders(seat)
    put_back(table)
    for entry in live.entries:
        mover = table.seats.get(entry.actor)
        if entry.via in deadlines.OWN_HAND and mover is not None and mover.account_id:
            mover.moved_n = entry.n  # after giving up a seat, news stays for the successor
    for at in table.seats.values():
        if at.seat in live.state.waiting and at.account_id:
            at.card = msgspec.to_builtins(cards.made(row, live.game, run.known_to(at.seat), at.seat))
        elif at.card:
            at.card = {}
    _write_trails(table)
    state.store_hidden(session, row.id, table.hidden_rows, run.hidden_answers())
    opened = questions.write(session, table)
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
        stored = take_back.trail_of(at.trail)
        if run.match.outcome is not None:
            trail = Trail()
        elif trail.n < run.n and trail != stored:
            trail = Trail(run.n, (), trail.why or ACTED)
        if trail != stored:  # not their builtins: those of a tuple are never those of the list read from JSON
            at.trail = msgspec.to_builtins(trail)


# --- letters ----------------------------------------------------------------------------------------------------------


def _owe_letters(session: Session, table: Table, opened: set[Key]) -> None:
    """Queue letters: newly asked, start, end."""
    run, over = table.run, table.run.match.outcome is not None
    for seat, to in opened:
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
        letters.owe(session, kind, table.row, at, table.accounts[at.account_id], serial=serial, hold=hold)


def _owe_outcomes(session: Session, table: Table, opened: set[Key]) -> None:
    """Queue letters on outcomes; none to players at the page, or with another letter due."""
    ended = {key[0] for key in table.before.proposed_by() - table.run.proposed_by() if key not in table.answered}
    for seat in sorted(ended | table.settled):
        if not table.attended(seat) or seat in table.visited or table.run.key(seat) in opened:
            continue
        waiting = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED))
        its = (Letter.match_id == table.row.id, Letter.seat == seat, Letter.kind == "outcome", waiting)
        if session.exec(select(Letter.id).where(*its)).first() is None:
            _owe_letter(session, table, "outcome", seat, hold=settings_of(session).hold_seconds)
