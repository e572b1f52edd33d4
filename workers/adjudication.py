"""Adjudication: plays queued answers and writes all consequences in one transaction.

Idempotent: the queued rows are the truth, and a crash before the commit changes nothing.
"""

from __future__ import annotations

import time
from datetime import datetime

import structlog
from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engine import match as matches
from engine import procedure
from engine.asks import NotLegal, Refused, Seat, read
from engine.views import Event
from engine.words import Sentence
from service.clock import deadlines
from service.clock import pace as paces
from service.common.messages import as_data, as_text, sentence
from service.common.messages import read as stored_sentence
from service.games import submissions
from service.games.chronicle import PREFIX, about_table
from service.games.sealed import Given
from service.settings import Settings
from service.store import counters
from service.store.database import transaction
from service.store.models import Command, CommandStatus, Match, MatchStatus, Submission, SubmissionStatus, now
from workers import clocks, commands, faults, pending_notices, sources
from workers.aftermath import write_all, write_snapshot
from workers.loading import load, look_again
from workers.playing import UNATTENDED, Playing, time_now

log = structlog.get_logger()

# Cached: building a statement takes longer than running it. FOR NO KEY UPDATE: rows that reference the match can still be
# inserted; else a sender holding its letter and writing a link would deadlock with a run that drops the letter.
LOCKED = select(Match).where(Match.id == bindparam("match")).with_for_update(key_share=True)
WAITING = (
    select(Submission)
    .where(Submission.match_id == bindparam("match"))
    .where(col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD)))
    .order_by(col(Submission.order), Submission.id)
)


def adjudicate(settings: Settings, match_id: str) -> None:
    """Play queued answers, due defaults, then bots.

    Failing rules roll back and halt the game; infrastructure errors are raised.
    """
    while play_on(settings, match_id):
        pass


def play_on(settings: Settings, match_id: str) -> bool:
    """One transaction, with limited bot time; whether bots are still to play."""
    try:
        with counters.ADJUDICATION_SECONDS.time():
            return _go_on(settings, match_id)
    except faults.Fault as fault:
        faults.halt(settings, match_id, fault)
        return False


def _go_on(settings: Settings, match_id: str) -> bool:
    """The transaction. Raises Fault when the rules fail."""
    with transaction(settings) as session:
        row = session.execute(LOCKED, {"match": match_id}).scalar()
        if row is None:
            return False
        playing: Playing | None = None
        try:
            with faults.cpu_limit():
                if row.status != MatchStatus.RUNNING or row.header is None:
                    _close(session, row)
                    return False
                session.autoflush = False
                playing = load(session, row)
                wrote = _run(session, playing)
            if wrote:
                session.flush()
            return playing.unfinished
        except Exception as problem:
            if faults.is_operational(problem):
                raise
            entries = len(playing.live.entries) if playing is not None else 0
            step = playing.live.ask_kind() if playing is not None else ""
            raise faults.Fault(row.snapshot_n + entries, step) from problem


def _run(session: Session, playing: Playing) -> bool:
    changed = playing.fresh or playing.rebuilt
    changed = _play_commands(session, playing) or changed
    if playing.row.halted_at is None:
        changed = _play_answers(session, playing) or changed
    if changed or playing.bared:
        write_all(session, playing)
        return True
    return False


def _play_answers(session: Session, playing: Playing) -> bool:
    """Play bots and orders, submissions, defaults; whether there were any."""
    arrived = _on_their_way(session, playing)
    playing.arriving = {(submission.seat, submission.serial) for submission in arrived}
    changed = _play_unasked(session, playing)
    for submission in arrived:
        if playing.unfinished:
            break
        changed = _play_arriving(session, playing, submission) or changed
    if not playing.unfinished:
        changed = _play_overdue(session, playing) or changed
    for submission in playing.held if playing.live.outcome is not None else ():
        _done(submission, SubmissionStatus.STALE, submissions.NOTHING_ASKED[MatchStatus.FINISHED])
    return changed


def _play_arriving(session: Session, playing: Playing, submission: Submission) -> bool:
    """Play a submission, and automatic answers after it."""
    playing.arriving.discard((submission.seat, submission.serial))
    played = _play_submission(session, playing, submission)
    session.add(submission)
    return _play_unasked(session, playing) or played


def _on_their_way(session: Session, playing: Playing) -> list[Submission]:
    """New submissions; those waiting for a safe point go to `held`."""
    found = _queued(session, playing.row)
    playing.held = [submission for submission in found if submission.status == SubmissionStatus.HELD]
    return [submission for submission in found if submission.status == SubmissionStatus.QUEUED]


def _queued(session: Session, row: Match) -> list[Submission]:
    return list(session.execute(WAITING, {"match": row.id}).scalars())


def _close(session: Session, row: Match) -> None:
    """Refuse submissions and commands after the end; rebuild a missing snapshot."""
    for command in commands.queued(session, row):
        commands.done(command, NotLegal(sentence("The game is over; nothing about it can be changed.")))
        session.add(command)
    for submission in _queued(session, row):
        _done(submission, SubmissionStatus.STALE, submissions.NOTHING_ASKED[MatchStatus.FINISHED])
        session.add(submission)
    if row.status == MatchStatus.FINISHED:
        playing = load(session, row)
        if playing.rebuilt:
            write_snapshot(session, playing)


# --- playing ----------------------------------------------------------------------------------------------------------


def _play_commands(session: Session, playing: Playing) -> bool:
    """Execute queued commands, each with a log entry; whether there were any."""
    if not playing.commanded:
        return False
    # Autoflush on: each command must see the previous one's changes.
    session.autoflush = True
    pending_notices.settle(session, playing.row)
    queued = commands.queued(session, playing.row)
    for command in queued:
        _play_command(session, playing, command)
    if queued:
        look_again(session, playing)
    session.autoflush = False
    return bool(queued)


def _play_command(session: Session, playing: Playing, command: Command) -> None:
    session.add(command)
    try:
        if playing.live.outcome is not None:
            raise NotLegal(sentence("The game is over; nothing about it can be changed."))
        events = commands.play(session, playing.row, playing.seats, playing.secret_so_far, command)
    except Refused as refusal:
        log.warning("command refused", match=playing.row.id, words=command.words.partition(" ")[0], refusal=refusal.kind)
        commands.done(command, refusal)
        return
    _record(playing, command.actor, command.words, *events)
    commands.done(command)
    words = read(command.words)
    if words.option == "seek":
        playing.part(words.pick("seat"))


def _record(playing: Playing, actor: str, words: str, *events: Event) -> None:
    """Append a table entry and its event to the log."""
    via = actor if actor in ("host", "clock", "table", "operator") else "page"
    playing.live.record(actor, read(words), time_now(), via)
    playing.told.append((playing.live.entries[-1].n, [*events]))


def _play_submission(session: Session, playing: Playing, submission: Submission) -> bool:
    """Play a submission; False if refused, with the reason stored."""
    live, seat = playing.live, submission.seat
    stale = submission.serial > matches.OFFER and (
        submission.serial != live.state.serial or seat not in playing.waiting or live.outcome is not None
    )
    if stale:
        counters.after_commit(session, lambda: counters.refused("stale"))
        moved_on = sentence("The position had moved on before this answer was taken up.")
        _done(submission, SubmissionStatus.STALE, moved_on)
        return False
    try:
        answer = read(submission.move)
        if _waits(playing, submission):
            # Stays out of the log, or others would see it.
            known = playing.known_to(seat)
            matches.check_offer(live.game, known, seat, submission.kind, answer, -submission.serial, ahead=True)
            submission.status = SubmissionStatus.HELD
            playing.held.append(submission)
            return False
        if submission.serial <= matches.OFFER:
            playing.take_offer(seat, submission.kind, Given(answer, submission.via), -submission.serial)
            playing.answered[seat, submission.serial] = submission.via
        elif not sources.keep_back(playing, seat, Given(answer, submission.via)):
            _play(session, playing, seat, Given(answer, submission.via))
    except Refused as refusal:
        _done(submission, SubmissionStatus.REFUSED, refusal.said)
        return False
    playing.visited.add(seat)
    _done(submission, SubmissionStatus.ACCEPTED, "")
    if submission.serial > matches.OFFER:  # that an offer was made is secret
        counters.answered(session, submission.created_at)
    return True


def _waits(playing: Playing, submission: Submission) -> bool:
    """Whether an offer must wait for a safe point."""
    return submission.serial <= matches.OFFER and procedure.waits(playing.live.state, submission.seat, submission.kind)


def _play_held(session: Session, playing: Playing) -> bool:
    """At a safe point, play the first held submission; False without one."""
    submission = next((s for s in playing.held if not _waits(playing, s)), None)
    if submission is None:
        return False
    playing.held.remove(submission)
    seat, there = submission.seat, submission.seat in playing.visited
    _play_submission(session, playing, submission)
    if not there:
        playing.visited.discard(seat)  # sent earlier, so the player isn't at the page now
    playing.settled.add(seat)
    if submission.status == SubmissionStatus.REFUSED:
        why = {"why": as_data(stored_sentence(submission.refusal))}
        told = playing.told[-1][1] if playing.told else playing.whispered
        told.append(Event(PREFIX + "held", why, (seat,)))
    return True


def _done(submission: Submission, status: SubmissionStatus, refusal: Sentence | str) -> None:
    submission.status, submission.refusal, submission.done_at = status, as_text(refusal), now()


def _play_unasked(session: Session, playing: Playing) -> bool:
    """Play answers of bots, stewards and orders; whether there were any."""
    live, played = playing.live, False
    while live.outcome is None:
        if _play_held(session, playing):
            played = True
            continue
        if time.monotonic() > playing.until and any(_kept_by_bot(playing, seat) for seat in playing.waiting):
            playing.unfinished = True
            return played
        for seat in playing.waiting:
            given = sources.unasked(session, playing, seat) if playing.key(seat) not in playing.arriving else None
            if given is not None:
                break
        else:
            if not _take_unasked(session, playing):
                return played
            played = True
            continue
        _play_given(session, playing, seat, given)
        played = True
    return played


def _take_unasked(session: Session, playing: Playing) -> bool:
    for (seat, serial), ask in playing.proposals().items():
        if (seat, serial) in playing.arriving:
            continue
        given = sources.unasked_offer(session, playing, seat, -serial, ask)
        if given is not None:
            return _take(playing, seat, serial, ask.kind, given)
    for seat, kind, given in sources.powers_unasked(playing):
        return _take(playing, seat, matches.OFFER, kind, given)
    return False


def _take(playing: Playing, seat: Seat, serial: int, kind: str, given: Given) -> bool:
    """Take an offer; False if it proves illegal."""
    try:
        playing.take_offer(seat, kind, given, -serial)
    except Refused as refusal:
        log.warning("offer not taken", match=playing.row.id, seat=seat, refusal=refusal.kind)
        playing.tried.add((seat, serial))
        return False
    playing.answered[seat, serial] = given.via
    return True


def _kept_by_bot(playing: Playing, seat: Seat) -> bool:
    return bool(playing.seats[seat].bot or playing.seats[seat].steward)


def _play_overdue(session: Session, playing: Playing) -> bool:
    """Play defaults of passed deadlines; whether there were any.

    The queue is read again first: answers in time precede defaults.
    """
    live, played = playing.live, False
    while live.outcome is None and not playing.unfinished:
        at = now()
        fallen = any(ask.falls_at is not None and ask.falls_at <= at for ask in playing.asks.values())
        if not fallen or not clocks.awake(session):
            return played
        if not _play_arrived(session, playing) and not _play_one_overdue(session, playing, at):
            return played
        _play_unasked(session, playing)
        played = True
    return played


def _play_arrived(session: Session, playing: Playing) -> bool:
    """Play what was committed since this run began; False for nothing."""
    queued = [command for command in commands.queued(session, playing.row) if command.status == CommandStatus.QUEUED]
    if queued:
        playing.commanded = True
        _play_commands(session, playing)
    waiting = session.execute(WAITING, {"match": playing.row.id}).scalars()
    # The database still shows rows that this run has played.
    arrived = [submission for submission in waiting if submission.status == SubmissionStatus.QUEUED]
    playing.arriving = {(submission.seat, submission.serial) for submission in arrived}
    for submission in arrived:
        _play_arriving(session, playing, submission)
    return bool(queued or arrived)


def _play_one_overdue(session: Session, playing: Playing, at: datetime) -> bool:
    for seat in playing.waiting:
        given = sources.overdue(playing, seat, at)
        if given is not None:
            _play_given(session, playing, seat, given)
            return True
    return _end_overdue(playing, at)


def _end_overdue(playing: Playing, at: datetime) -> bool:
    for (seat, serial), ask in playing.proposals().items():
        given = sources.overdue_offer(playing, seat, -serial, ask, at)
        if given is not None and _take(playing, seat, serial, ask.kind, given):
            return True
    return False


def _play_given(session: Session, playing: Playing, seat: Seat, given: Given) -> None:
    """Play a policy's answer. A refused one becomes the default, or a question to the player; a refused default is a rules
    fault.
    """
    try:
        _play(session, playing, seat, given)
    except Refused as refusal:
        log.warning("policy refused", match=playing.row.id, seat=seat, via=given.via, refusal=refusal.kind)
        sources.put_by(playing, seat)
        default = sources.default(playing, seat)
        if given.answer == default.answer and given.via in UNATTENDED:
            raise
        if given.via in UNATTENDED or sources.falls_due(playing, seat):
            via, mark = ("bot", given.mark) if given.via == "bot" else (default.via, default.mark)
            _play(session, playing, seat, Given(default.answer, via, mark))


def _play(session: Session, playing: Playing, seat: Seat, given: Given) -> None:
    """Raises Refused."""
    playing.play(seat, given)
    _note_missed(session, playing)


def _note_missed(session: Session, playing: Playing) -> None:
    """Tell of logged defaults; after too many, put a steward in. Not earlier: hidden answers mustn't be revealed."""
    entered, playing.entered = playing.entered, []
    for n, seat, given in entered:
        if given.via != "clock":
            continue
        counters.after_commit(session, counters.DEFAULTS.inc)
        row = playing.seats[seat]
        said = about_table("default", who=row.name)
        if playing.live.entries[n - playing.live.before - 1].mark != matches.DEFAULT:
            # A default with content is told to its seat only.
            said = Event(said.kind, said.facts, (seat,))
        events = next(told for m, told in playing.told if m == n)
        events.insert(0, said)
        row.missed += 1
        if row.missed >= paces.of(playing.row.pace).steward_after and row.account_id and playing.live.outcome is None:
            event = commands.keep(session, playing.row, row, deadlines.steward(playing.row))
            _record(playing, "clock", f"kept seat={seat}", event)
