"""Execution of commands under the match's lock: each changes the game and returns its event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import unquote

import structlog
from sqlmodel import Session, col, select

from engine.core.asks import Answer, NotLegal, NotUnderstood, Refused, Seat, read
from engine.core.views import Event
from engine.play.effects import Commanded
from engine.play.match import END
from service.clock import deadlines, pace, recipe
from service.clock.recipe import Stops
from service.common.messages import Listed, sentence
from service.log import muting, names, sharing
from service.log.chronicle import about_table
from service.people.accounts import by_id, shown_name
from service.post import letters
from service.seat import handover
from service.store import counters
from service.store.database import after_commit
from service.store.models import Absence, AskRow, Command, CommandStatus, Match, Notice, NoticeStatus, SeatRow, now
from service.table import absences, notices, substitutes
from service.table.commands import HOST, OPERATOR, TABLE, moment
from service.table.permissions import LEAST_LEFT, check_absent, check_extend, check_pace, check_pause, check_resume
from workers.load import Table

log = structlog.get_logger()

OVER = sentence("The game is over; nothing about it can be changed.")
NOT_BY = {
    HOST: sentence("That can't be done by the host alone."),
    TABLE: sentence("That can't be done by a vote."),
    OPERATOR: sentence("That can't be done by those who run the service."),
    "clock": sentence("That can't be done by the clock."),
}
NOT_BY_A_PLAYER = sentence("That can't be done by one player alone.")


def queued(session: Session, match: Match) -> list[Command]:
    """Queued commands, in order, without those executed in this run."""
    found = select(Command).where(Command.match_id == match.id, Command.status == CommandStatus.QUEUED)
    rows = session.exec(found.order_by(col(Command.created_at), Command.id))
    return [row for row in rows if row.status == CommandStatus.QUEUED]


@dataclass
class Job:
    session: Session
    match: Match
    seats: dict[Seat, SeatRow]
    sealed: bool
    """Whether answers are hidden: nobody may learn who has answered."""
    actor: str
    words: Answer
    facts: dict[str, object]
    moved: list[tuple[SeatRow, datetime]] = field(default_factory=list)
    """Other moved deadlines: seat and new time."""

    def seat(self) -> SeatRow:
        found = self.seats.get(self.words.pick("seat"))
        if found is None:
            raise NotLegal(sentence("This game has no seat “%(seat)s”.", seat=self.words.pick("seat")[:5]))
        return found

    def owned(self) -> SeatRow:
        """The seat, for its own player only. Raises NotLegal."""
        seat = self.seat()
        if self.actor != seat.seat or not seat.account_id:
            raise NotLegal(sentence("That is for the player of the seat alone."))
        return seat

    def need(self, *actors: str) -> None:
        """Raise NotLegal for other actors."""
        if self.actor not in actors:
            raise NotLegal(NOT_BY.get(self.actor, NOT_BY_A_PLAYER))


def play(session: Session, match: Match, seats: dict[Seat, SeatRow], sealed: bool, row: Command) -> list[Event]:
    """Execute a command; its own event is the last. Raises Refused."""
    if row.actor in seats and row.status != CommandStatus.QUEUED:
        raise NotLegal(sentence("The seat has changed hands since."))
    words = read(row.words)
    job = Job(session, match, seats, sealed, row.actor, words, row.facts)
    before = _due(session, match)
    event = HANDLERS[words.option](job)
    due = {key: until for key, until in _due(session, match).items() if key[0] != row.actor and before.get(key) != until}
    if row.actor in seats:
        # An own action proves presence.
        own = notices.about(session, match, row.actor)
        if own is not None:
            notices.close(session, own, NoticeStatus.STOPPED)
    if due or (row.actor == OPERATOR and words.option != END):
        notices.tell(session, match, event, due=due, by_operator=row.actor == OPERATOR)
    return [*(about_table("moved", seat=of.seat, who=of.name, until=until.isoformat()) for of, until in job.moved), event]


def _due(session: Session, match: Match) -> dict[tuple[Seat, int], datetime]:
    """Deadlines of open questions, and of proposals that no kept answer closes."""
    asked = [ask for ask in deadlines.questions(session, match) if ask.answered_at is None]
    told = [ask for ask in asked if ask.serial == match.serial or (ask.serial < 0 and not ask.kept)]
    return {(ask.seat, ask.serial): ask.due_at for ask in told if ask.due_at is not None}


def done(row: Command, refusal: Refused | None = None) -> None:
    row.status, row.done_at = CommandStatus.REFUSED if refusal else CommandStatus.DONE, now()


def carry_out(session: Session, table: Table, rows: Iterable[Command]) -> Iterator[Commanded]:
    """Execute commands; yields the input that logs each, to be played before the next."""
    for row in rows:
        try:
            if table.run.match.outcome is not None:
                raise NotLegal(OVER)
            events = play(session, table.row, table.seats, table.run.secret_so_far, row)
        except Refused as refusal:
            log.warning("command refused", match=row.match_id, words=row.words.partition(" ")[0], refusal=refusal.kind)
            done(row, refusal)
            continue
        words = read(row.words)
        via = row.actor if row.actor in (HOST, "clock", TABLE, OPERATOR) else "page"
        yield Commanded(row.actor, row.words, via, events, now(), words.pick("seat") if words.option == "seek" else "")
        done(row)


def refuse_all(session: Session, match: Match) -> None:
    for row in queued(session, match):
        done(row, NotLegal(OVER))


def _pause(job: Job) -> Event:
    job.need(HOST, TABLE, OPERATOR)
    until = moment(job.words.pick("until"))
    check_pause(job.session, job.match, until, job.actor)
    running = absences.pause_of(job.session, job.match)
    shorter = running is not None and running.ends_at > until
    _end_pause(job)
    job.session.add(Absence(match_id=job.match.id, starts_at=now(), ends_at=until, by=job.actor))
    if running is not None and shorter:
        _after_pause(job, running.starts_at, until)
    else:
        deadlines.again(job.session, job.match, job.seats.values())
    return about_table("pause", job.actor, until=until.isoformat())


def _resume(job: Job) -> Event:
    job.need(HOST, OPERATOR)
    running = absences.pause_of(job.session, job.match)
    check_resume(running, job.actor)
    assert running is not None
    _end_pause(job)
    _after_pause(job, running.starts_at, now())
    return about_table("resume", job.actor)


def _after_pause(job: Job, start: datetime, end: datetime) -> None:
    """Recompute deadlines after a pause that ended early, and note the questions with more time. With less than half a day
    left, players who relied on the pause get up to its length; pauses don't add up.
    """
    deadlines.again(job.session, job.match, job.seats.values())
    stops = deadlines.stops_of(job.session, job.match.id, stored=True)
    for ask in deadlines.questions(job.session, job.match, job.seats):
        if ask.recipe and _make_up(ask, stops, (end - start).total_seconds(), end):
            deadlines.reckon(job.session, job.match, job.seats[ask.seat], ask, stops)
            if ask.serial == job.match.serial and ask.due_at is not None:
                job.moved.append((job.seats[ask.seat], ask.due_at))
    job.session.flush()


def _end_pause(job: Job) -> None:
    running = select(Absence).where(Absence.match_id == job.match.id, Absence.seat == "", col(Absence.ends_at) > now())
    for row in job.session.exec(running).all():
        row.ends_at = now()
    job.session.flush()


def _pace(job: Job) -> Event:
    job.need(TABLE)
    stored = job.facts.get("pace")
    new = pace.check(pace.of(stored if isinstance(stored, dict) else {}))
    check_pace(job.match, job.seats.values(), new)
    job.match.pace = pace.stored(new)
    return about_table("pace", to=pace.told(new))


def _extend(job: Job) -> Event:
    seat, by = job.seat(), timedelta(seconds=job.words.number("by"))
    check_extend(job.session, job.match, job.actor, seat, by)
    until = _move(job, seat, by)
    return about_table("extend", _hand(job, seat), seat=seat.seat, who=seat.name, until=until.isoformat())


def _hand(job: Job, seat: SeatRow) -> str:
    return "own" if job.actor == seat.seat else job.actor


def _away(job: Job) -> Event:
    seat = job.owned()
    start, end = moment(job.words.pick("from")), moment(job.words.pick("until"))
    absences.record(job.session, job.match, seat, start, end)
    # Deadlines of hidden answers move, too, to reveal nothing.
    moved = deadlines.again(job.session, job.match, [seat])
    job.moved += [(seat, ask.due_at) for ask in moved if ask.serial == job.match.serial and ask.due_at is not None]
    if start == end:
        return about_table("home", seat=seat.seat, who=seat.name)
    return about_table("away", seat=seat.seat, who=seat.name, **{"from": start.isoformat(), "until": end.isoformat()})


def _back(job: Job) -> Event:
    seat = job.owned()
    if not seat.steward:
        raise NotLegal(sentence("The seat is yours already; no steward keeps it."))
    seat.steward, seat.missed = "", 0
    without = [n for n in notices.open_notices(job.session, job.match) if n.kind != notices.REPLACE]
    for notice in without:
        # The vote was without this player.
        notices.close(job.session, notice, NoticeStatus.STOPPED)
    return about_table("back", "stops" if without else "", seat=seat.seat, who=seat.name)


def _here(job: Job) -> Event:
    seat = job.owned()
    if notices.about(job.session, job.match, seat.seat) is None:
        raise NotLegal(sentence("The seat is yours, and nobody is to have it; there is nothing to stop."))
    return _back(job) if seat.steward else about_table("here", seat=seat.seat, who=seat.name)


def _keep(job: Job) -> Event:
    job.need(OPERATOR)
    seat = job.seat()
    if not seat.account_id or seat.account_id != job.facts.get("account"):
        raise NotLegal(sentence("The seat has changed hands since."))
    seat.steward = seat.steward or deadlines.steward(job.match)
    after_commit(job.session, counters.STEWARDS.inc)
    return about_table("kept", OPERATOR, seat=seat.seat, who=seat.name)


def _announce(job: Job) -> Event:
    kind, facts = job.words.pick("what"), {**job.facts}
    if kind not in notices.KINDS:
        raise NotUnderstood(
            sentence("“%(kind)s” isn't announced; that is for: %(kinds)s.", kind=kind[:20], kinds=Listed([*notices.KINDS]))
        )
    seat = job.seat() if kind == notices.REPLACE else None
    if seat is not None:
        job.need(HOST, TABLE)
        check_absent(job.session, job.match, seat, job.actor)
    else:
        job.need(TABLE)
    about = (kind, seat.seat if seat is not None else "")
    for other in notices.open_notices(job.session, job.match):
        if (other.kind, other.seat) == about:
            if job.actor == HOST or other.by != HOST:
                raise NotLegal(sentence("That is announced already; the page “Clock and votes” says when it takes effect."))
            # A vote supersedes the host's announcement.
            notices.close(job.session, other, NoticeStatus.RECALLED)
    if job.actor == HOST and notices.too_many(job.session, job.match):
        raise NotLegal(sentence("Enough has been announced at this table within a day; wait until tomorrow."))
    by = str(facts.pop("by", job.actor))
    notice = notices.announce(job.session, job.match, kind, seat, by, facts)
    told: dict[str, str] = {"until": notice.effect_at.isoformat()}
    if seat is not None:
        told |= {"seat": seat.seat, "who": seat.name}
    if kind == notices.END:
        told |= {"why": unquote(job.words.pick("reason"))} | _written(facts)
    event = about_table(f"announce_{kind}", job.actor, **told)
    notices.tell(job.session, job.match, event, notice)
    return event


def _recall(job: Job) -> Event:
    notice = job.session.get(Notice, str(job.facts.get("notice") or ""), populate_existing=True)
    if notice is None or notice.match_id != job.match.id or notice.status != NoticeStatus.OPEN:
        raise NotLegal(sentence("That isn't announced any more; there is nothing to take back."))
    if notice.by != job.actor:
        raise NotLegal(sentence("Only those who made an announcement can take it back."))
    notices.close(job.session, notice, NoticeStatus.RECALLED)
    facts = {"seat": notice.seat, "who": job.seats[notice.seat].name} if notice.seat else {}
    return about_table(f"recall_{notice.kind}", **facts)


def _stays(job: Job) -> Event:
    job.need("clock")
    seat, notice = job.seat(), notices.about(job.session, job.match, job.seat().seat)
    if notice is None:
        raise NotLegal(sentence("Nobody is to have that seat; there is nothing to stop."))
    notices.close(job.session, notice, NoticeStatus.STOPPED)
    return about_table("stays", seat=seat.seat, who=seat.name)


def _seek(job: Job) -> Event:
    seat, email = job.seat(), str(job.facts.get("email") or "")
    if seat.bot:
        raise NotLegal(sentence("A bot's seat can't be given to somebody else."))
    if seat.account_id:
        notice = notices.backing(job.session, job.match, job.facts, notices.REPLACE, seat.seat)
        if notice is None and job.actor not in (seat.seat, OPERATOR):
            raise NotLegal(sentence("A seat goes to somebody else when its player gives it up, or after an announcement."))
        if notice is not None:
            notices.close(job.session, notice, NoticeStatus.DONE)
        letters.to_seat(job.session, "replaced", job.match, seat, {"why": _hand(job, seat)})
    elif job.actor not in (HOST, TABLE, OPERATOR) and not job.facts.get("erased"):
        raise NotLegal(sentence("Nobody sits there; the host invites somebody."))
    who = _hand(job, seat) if seat.account_id or job.facts.get("erased") else ""
    # From now on the former owner's links, addresses and letters are invalid.
    handover.detach_player(job.session, job.match, seat)
    if not seat.steward:
        after_commit(job.session, counters.STEWARDS.inc)
    seat.wanted, seat.steward = "invited" if email else "open", deadlines.steward(job.match)
    job.session.flush()
    if email:
        substitutes.invite(job.session, job.match, seat, email)
    return about_table("seek", who, seat=seat.seat, who=seat.name)


def _replace(job: Job) -> Event:
    seat, account = job.seat(), by_id(job.session, str(job.facts.get("account") or ""))
    if not seat.wanted:
        raise NotLegal(sentence("The seat has been taken by somebody else."))
    substitutes.check(job.session, job.match, job.seats.values(), seat, account)
    before = seat.name
    handover.clean(seat)
    seat.account_id, seat.pronoun = account.id, account.pronoun
    seat.name = names.distinct(shown_name(account, seat.seat), names.borne(job.session, job.match), seat.seat)
    return about_table("replace", seat=seat.seat, who=before, to=seat.name)


def _name(job: Job) -> Event:
    seat = job.owned()
    account, before = by_id(job.session, str(seat.account_id)), seat.name
    if account.is_guest or not account.name or account.name == before:
        raise NotLegal(sentence("The seat has its player's name already."))
    seat.name = names.distinct(shown_name(account, seat.seat), names.borne(job.session, job.match), seat.seat)
    return about_table("name", seat=seat.seat, who=before, to=seat.name)


def _watch(job: Job) -> Event:
    on = job.words.pick("on") == "yes"
    job.need(HOST, TABLE, OPERATOR)
    if on and job.actor != OPERATOR:
        notice = notices.backing(job.session, job.match, job.facts, notices.WATCH)
        if notice is None:
            raise NotLegal(sentence("A game that runs is opened to spectators by a vote of the table."))
        notices.close(job.session, notice, NoticeStatus.DONE)
    sharing.let_watch(job.session, job.match, on)
    return about_table("watch_on" if on else "watch_off", job.actor)


def _links(job: Job) -> Event:
    job.need(OPERATOR)
    seat = job.seat()
    letters.fresh_keys(job.session, job.match, seat)
    return about_table("links", seat=seat.seat, who=seat.name)


def _written(facts: Mapping[str, object]) -> dict[str, str]:
    return {muting.WRITER: str(facts[muting.WRITER])} if facts.get(muting.WRITER) else {}


def _end(job: Job) -> Event:
    facts: Mapping[str, object] = {}
    if job.match.practice and job.actor in (HOST, OPERATOR):
        return about_table("ended_alone" if job.actor == HOST else "ended_idle")
    if job.actor != OPERATOR:
        notice = notices.backing(job.session, job.match, job.facts, notices.END)
        if notice is None:
            raise NotLegal(sentence("A game is ended by a vote of the table."))
        notices.close(job.session, notice, NoticeStatus.DONE)
        facts = notice.facts
    return about_table("ended", job.actor, why=unquote(job.words.pick("reason")), **_written(facts))


# --- deadlines that commands move -------------------------------------------------------------------------------------


def _make_up(ask: AskRow, stops: Stops, paused: float, at: datetime) -> bool:
    has, known = recipe.left(ask, stops, at), recipe.of(ask)
    wanted = int(max(0, min(paused, min(recipe.HALF_A_DAY, ask.allowed) - has)))
    more = wanted - known.from_pauses
    if more > 0:
        recipe.allow(ask, recipe.spent(ask, stops, at) + has + more)
        recipe.changed(ask, from_pauses=wanted)
    return more > 0


def _move(job: Job, seat: SeatRow, by: timedelta) -> datetime:
    """Move a deadline, to no nearer than LEAST_LEFT from now; returns it. Raises NotLegal if nothing is due. While answers are
    hidden, a seat that has answered is accepted, without effect.
    """
    session, match = job.session, job.match
    ask = session.get(AskRow, (match.id, seat.seat, match.serial))
    timed = ask is not None and ask.due_at is not None and (ask.answered_at is None or job.sealed)
    if ask is None or not timed or not deadlines.adopt(session, match, seat, ask):
        raise NotLegal(sentence("%(name)s is not asked anything just now; there is no deadline to move.", name=seat.name))
    stops = deadlines.stops_of(session, match.id, stored=True)
    deadlines.reckon(session, match, seat, ask, stops)
    assert ask.due_at is not None
    past, has = recipe.spent(ask, stops, now()), recipe.spent(ask, stops, ask.due_at)
    seconds = by.total_seconds()
    total = max((max(has, past) if seconds > 0 else has) + seconds, past + LEAST_LEFT.total_seconds())
    if job.actor == HOST:
        ask.given += int(max(0, total - max(has, past)))
    recipe.allow(ask, total)
    deadlines.reckon(session, match, seat, ask, stops)
    return ask.due_at


HANDLERS: dict[str, Callable[[Job], Event]] = {
    "pause": _pause,
    "resume": _resume,
    "pace": _pace,
    "extend": _extend,
    "away": _away,
    "back": _back,
    "here": _here,
    "announce": _announce,
    "recall": _recall,
    "stays": _stays,
    "seek": _seek,
    "replace": _replace,
    "name": _name,
    "watch": _watch,
    "links": _links,
    "keep": _keep,
    "end": _end,
}
