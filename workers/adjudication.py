"""Adjudication: play what was submitted, and write everything that follows from it in one transaction.

Running it twice, or not at all for a while, changes nothing in the end: the queued rows are the truth. Whatever dies
before the commit leaves the match as it was.
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
from service.store.database import transaction
from service.store.models import Command, CommandStatus, Match, MatchStatus, Submission, SubmissionStatus, now
from workers import clocks, commands, faults, pending_notices, sources
from workers.aftermath import write_all, write_snapshot
from workers.loading import load, look_again
from workers.playing import UNATTENDED, Playing, time_now

log = structlog.get_logger()

# Statements of every run, made once: to put one together takes longer than to send it.
# Without the key, so that what refers to the game is written meanwhile. Who sends a letter holds its row and writes a link: he
# would wait for a run that is to drop that letter, and the run for him.
LOCKED = select(Match).where(Match.id == bindparam("match")).with_for_update(key_share=True)
WAITING = (
    select(Submission)
    .where(Submission.match_id == bindparam("match"))
    .where(col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD)))
    .order_by(col(Submission.order), Submission.id)
)


def adjudicate(settings: Settings, match_id: str) -> None:
    """Play all that is queued for a match or has fallen due, then its bots, and write what follows.

    A game whose rules fail is halted, with nothing of the failed run written. What the machine fails with is raised.
    """
    while play_on(settings, match_id):
        pass


def play_on(settings: Settings, match_id: str) -> bool:
    """A slice of that, one transaction, and not longer under the lock than bots may think; whether they are still to play."""
    try:
        return _go_on(settings, match_id)
    except faults.Fault as fault:
        faults.halt(settings, match_id, fault)
        return False


def _go_on(settings: Settings, match_id: str) -> bool:
    """One transaction of adjudication; whether bots are still to play. Raises Fault when the game's rules fail."""
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
            if faults.of_the_house(problem):
                raise
            entries = len(playing.live.entries) if playing is not None else 0
            step = playing.live.ask_kind() if playing is not None else ""
            raise faults.Fault(row.snapshot_n + entries, step) from problem


def _run(session: Session, playing: Playing) -> bool:
    """Play what there is to play, and make ready what follows; whether that is to be written."""
    changed = playing.fresh or playing.rebuilt
    changed = _play_commands(session, playing) or changed
    if playing.row.halted_at is None:
        changed = _play_answers(session, playing) or changed
    if changed or playing.bared:
        write_all(session, playing)
        return True
    return False


def _play_answers(session: Session, playing: Playing) -> bool:
    """Play what bots and orders answer, what was submitted, and what has fallen due. True if there was anything."""
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
    """Play one answer of those that have come, and what needs nobody after it. True if there was anything."""
    playing.arriving.discard((submission.seat, submission.serial))
    played = _play_submission(session, playing, submission)
    session.add(submission)
    return _play_unasked(session, playing) or played


def _on_their_way(session: Session, playing: Playing) -> list[Submission]:
    """The answers that have come since the last run; those that wait for a safe point are put by."""
    found = _queued(session, playing.row)
    playing.held = [submission for submission in found if submission.status == SubmissionStatus.HELD]
    return [submission for submission in found if submission.status == SubmissionStatus.QUEUED]


def _queued(session: Session, row: Match) -> list[Submission]:
    return list(session.execute(WAITING, {"match": row.id}).scalars())


def _close(session: Session, row: Match) -> None:
    """Answers and commands that come after the end; and its snapshot, should it have been dropped."""
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
    """Play what was commanded about the table, each with its entry in the log. True if there was anything."""
    if not playing.commanded:
        return False
    # What commands do is looked up again by the next of them.
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
    """Put an entry about the table into the log, and tell it."""
    via = actor if actor in ("host", "clock", "table", "operator") else "page"
    playing.live.record(actor, read(words), time_now(), via)
    playing.told.append((playing.live.entries[-1].n, [*events]))


def _play_submission(session: Session, playing: Playing, submission: Submission) -> bool:
    """Play one answer; False when it was refused, with the reason kept for its sender."""
    live, seat = playing.live, submission.seat
    stale = submission.serial > matches.OFFER and (
        submission.serial != live.state.serial or seat not in playing.waiting or live.outcome is not None
    )
    if stale:
        moved_on = sentence("The position had moved on before this answer was taken up.")
        _done(submission, SubmissionStatus.STALE, moved_on)
        return False
    try:
        answer = read(submission.move)
        if _waits(playing, submission):
            # As others must not see that it was sent, it stays outside the log.
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
    return True


def _waits(playing: Playing, submission: Submission) -> bool:
    """Whether it stands beside the questions and has to wait for a safe point."""
    return submission.serial <= matches.OFFER and procedure.waits(playing.live.state, submission.seat, submission.kind)


def _play_held(session: Session, playing: Playing) -> bool:
    """At a safe point, play the first of what waited for it; False where there is nothing."""
    submission = next((s for s in playing.held if not _waits(playing, s)), None)
    if submission is None:
        return False
    playing.held.remove(submission)
    seat, there = submission.seat, submission.seat in playing.visited
    _play_submission(session, playing, submission)
    if not there:
        playing.visited.discard(seat)  # it was sent some time ago
    playing.settled.add(seat)
    if submission.status == SubmissionStatus.REFUSED:
        why = {"why": as_data(stored_sentence(submission.refusal))}
        told = playing.told[-1][1] if playing.told else playing.whispered
        told.append(Event(PREFIX + "held", why, (seat,)))
    return True


def _done(submission: Submission, status: SubmissionStatus, refusal: Sentence | str) -> None:
    submission.status, submission.refusal, submission.done_at = status, as_text(refusal), now()


def _play_unasked(session: Session, playing: Playing) -> bool:
    """Give the answers that need nobody: of bots, stewards, orders. True if there were any."""
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
    """Answer one proposal, or use one power, for a seat that needs nobody for it: by bot, order, or an answer in advance."""
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
    """Take an offer for its seat; False where it turns out that it can't be."""
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
    """Play what the deadlines that have fallen call for. True if any had.

    What came before a deadline is played before its default: the queue is read again once the deadline has fallen.
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
    """Play answers and commands that were committed since this run began; False where there are none."""
    queued = [command for command in commands.queued(session, playing.row) if command.status == CommandStatus.QUEUED]
    if queued:
        playing.commanded = True
        _play_commands(session, playing)
    waiting = session.execute(WAITING, {"match": playing.row.id}).scalars()
    # Rows that this run has played already still lie in the queue of the database.
    arrived = [submission for submission in waiting if submission.status == SubmissionStatus.QUEUED]
    playing.arriving = {(submission.seat, submission.serial) for submission in arrived}
    for submission in arrived:
        _play_arriving(session, playing, submission)
    return bool(queued or arrived)


def _play_one_overdue(session: Session, playing: Playing, at: datetime) -> bool:
    """Play one default, or end one proposal, for a deadline that had fallen by `at`."""
    for seat in playing.waiting:
        given = sources.overdue(playing, seat, at)
        if given is not None:
            _play_given(session, playing, seat, given)
            return True
    return _end_overdue(playing, at)


def _end_overdue(playing: Playing, at: datetime) -> bool:
    """End one proposal that had run out by `at`, with its safe outcome."""
    for (seat, serial), ask in playing.proposals().items():
        given = sources.overdue_offer(playing, seat, -serial, ask, at)
        if given is not None and _take(playing, seat, serial, ask.kind, given):
            return True
    return False


def _play_given(session: Session, playing: Playing, seat: Seat, given: Given) -> None:
    """Play an answer of a policy. One that is refused falls back to the safe default where nobody is to be asked, and else to
    asking; a default that is refused is a fault of the rules."""
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
    """Play an answer, and see to what has entered the log with it. Raises Refused if it isn't legal."""
    playing.play(seat, given)
    _note_missed(session, playing)


def _note_missed(session: Session, playing: Playing) -> None:
    """See to the safe defaults that have entered the log: tell them, and let a steward keep a seat that misses too many.

    Not before they are in the log: while answers lie sealed, nobody may learn who has given theirs.
    """
    entered, playing.entered = playing.entered, []
    for n, seat, given in entered:
        if given.via != "clock":
            continue
        row = playing.seats[seat]
        said = about_table("default", who=row.name)
        if playing.live.entries[n - playing.live.before - 1].mark != matches.DEFAULT:
            # Where a default tells its content, only its seat learns of it.
            said = Event(said.kind, said.facts, (seat,))
        events = next(told for m, told in playing.told if m == n)
        events.insert(0, said)
        row.missed += 1
        if row.missed >= paces.of(playing.row.pace).steward_after and row.account_id and playing.live.outcome is None:
            event = commands.keep(session, playing.row, row, deadlines.steward(playing.row))
            _record(playing, "clock", f"kept seat={seat}", event)
