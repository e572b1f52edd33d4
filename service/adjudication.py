"""Adjudication: play what was submitted, and write everything that follows from it in one transaction.

Running it twice, or not at all for a while, changes nothing in the end: the queued rows are the truth. Whatever dies
before the commit leaves the match as it was.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec
import structlog
from sqlalchemy import func, insert
from sqlmodel import Session, col, select, update

from engine import match as matches
from engine import procedure
from engine.asks import Answer, Refused, read
from engine.asks import Seat as Letter_
from engine.chance import Chance
from engine.forms import Form, describe
from engine.games import game_called
from engine.views import Event
from service import letters
from service.accounts import by_id
from service.db import settings_of, transaction
from service.models import AskRow, EntryRow, EventRow, Letter, Match, Seat, Submission, ViewRow, now
from service.settings import Settings

log = structlog.get_logger()

BOTS_SECONDS = 2.0
"""How long bots play before what they did is committed and the lock is given back for a moment."""
MOST_NEWS = 120
"""Sentences of news that a page or letter shows; older ones are in the history."""


@dataclass
class Playing:
    """A match while it is being adjudicated: the engine's match, its rows, and what happened in this run."""

    row: Match
    seats: dict[Letter_, Seat]
    live: matches.Match
    told: list[tuple[int, list[Event]]] = field(default_factory=list)
    """Events by the number of their entry."""
    fresh: bool = False
    """Whether the match was opened in this run."""
    rebuilt: bool = False
    """Whether snapshot or views were gone, and are to be written again."""
    until: float = field(default_factory=lambda: time.monotonic() + BOTS_SECONDS)
    unfinished: bool = False
    """Whether bots are still to play: there was no time for all of them in this transaction."""
    visited: set[Letter_] = field(default_factory=set)
    """Seats whose own answer was played in this run: they are at their page."""

    @property
    def names(self) -> dict[Letter_, str]:
        return self.live.header.names


def adjudicate(settings: Settings, match_id: str) -> None:
    """Play all queued answers of a match, then its bots, and write what follows."""
    while _go_on(settings, match_id):
        pass


def _go_on(settings: Settings, match_id: str) -> bool:
    """One transaction of adjudication; whether bots are still to play."""
    with transaction(settings) as session:
        row = session.exec(select(Match).where(Match.id == match_id).with_for_update()).first()
        if row is None:
            return False
        if row.status != "running" or row.header is None:
            _close(session, row)
            return False
        playing = _load(session, row)
        changed = playing.fresh or playing.rebuilt
        changed = _play_prepared_and_bots(playing) or changed
        for submission in _queued(session, row):
            if playing.unfinished:
                break
            changed = _play_submission(playing, submission) or changed
            session.add(submission)
            changed = _play_prepared_and_bots(playing) or changed
        if changed:
            _write(session, playing)
        return playing.unfinished


def _queued(session: Session, row: Match) -> list[Submission]:
    found = select(Submission).where(Submission.match_id == row.id, Submission.status == "queued")
    return list(session.exec(found.order_by(col(Submission.order), Submission.id)))


def _close(session: Session, row: Match) -> None:
    """Answers that come after the end; and its views, should they have been dropped."""
    for submission in _queued(session, row):
        _done(submission, "stale", "The game is over; there is nothing to answer.")
        session.add(submission)
    if row.status == "finished":
        playing = _load(session, row)
        if playing.rebuilt:
            _write_snapshot(session, playing)
            _write_views(session, playing)


def _load(session: Session, row: Match) -> Playing:
    assert row.header is not None
    header = msgspec.json.decode(row.header, type=matches.Header)
    seats = {s.seat: s for s in session.exec(select(Seat).where(Seat.match_id == row.id))}
    if row.snapshot is not None:
        live = _from_snapshot(row, header)
        if live is not None:
            return Playing(row, seats, live, rebuilt=_views_missing(session, row, seats))
    entries = stored_entries(session, row.id)
    if not entries:
        live = matches.start(header, row.seed)
        # A snapshot that was dropped before the first entry: the opening is written already.
        opened = row.serial > 0
        return Playing(row, seats, live, [] if opened else [(0, live.opening)], fresh=not opened, rebuilt=opened)
    replayed = matches.replay(header, row.seed, entries, trusted=True)
    return Playing(row, seats, matches.take_up(header, row.seed, replayed.state, len(entries), replayed.head), rebuilt=True)


def _views_missing(session: Session, row: Match, seats: dict[Letter_, Seat]) -> bool:
    there = set(session.exec(select(ViewRow.seat).where(ViewRow.match_id == row.id)))
    return not there >= {s.seat for s in seats.values() if s.account_id} | {""}


def _from_snapshot(row: Match, header: matches.Header) -> matches.Match | None:
    assert row.snapshot is not None
    game = game_called(header.game, header.rules)
    try:
        state = game.decode(row.snapshot)
    except msgspec.MsgspecError:
        log.warning("snapshot dropped", match=row.id)
        return None
    return matches.take_up(header, row.seed, state, row.snapshot_n, row.head)


def stored_entries(session: Session, match_id: str) -> list[matches.Entry]:
    """The log of a match, whole."""
    table = EntryRow.__table__  # type: ignore[attr-defined]
    columns = [table.c[name] for name in matches.Entry.__struct_fields__]
    rows = session.execute(select(*columns).where(table.c.match_id == match_id).order_by(table.c.n))
    return [matches.Entry(*r) for r in rows]


# --- playing ----------------------------------------------------------------------------------------------------------


def _play_submission(playing: Playing, submission: Submission) -> bool:
    """Play one answer; False when it was refused, with the reason kept for its sender."""
    live, seat = playing.live, submission.seat
    stale = submission.serial != matches.OFFER and (
        submission.serial != live.state.serial or seat not in live.state.waiting or live.outcome is not None
    )
    if stale:
        _done(submission, "stale", "The position had moved on before this answer was taken up.")
        return False
    try:
        answer = read(submission.move)
        if submission.serial == matches.OFFER:
            events = live.play_offer(seat, submission.kind, answer, _time(), submission.via)
        else:
            events = live.play(seat, answer, _time(), submission.via)
    except Refused as refusal:
        _done(submission, "refused", str(refusal))
        return False
    playing.told.append((live.entries[-1].n, events))
    playing.visited.add(seat)
    _done(submission, "accepted", "")
    return True


def _done(submission: Submission, status: str, refusal: str) -> None:
    submission.status, submission.refusal, submission.done_at = status, refusal, now()


def _time() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _play_prepared_and_bots(playing: Playing) -> bool:
    """Give the answers that need nobody: those kept since before the start, and the bots'. True if there were any."""
    live, played = playing.live, False
    while live.outcome is None:
        if time.monotonic() > playing.until and any(playing.seats[s].bot for s in live.state.waiting):
            playing.unfinished = True
            return played
        for seat in live.state.waiting:
            row = playing.seats[seat]
            source = _bot(playing, seat) if row.bot else _prepared(playing, row)
            if source is not None:
                break
        else:
            return played
        events = live.play(seat, source(), _time(), "bot" if row.bot else "order")
        playing.told.append((live.entries[-1].n, events))
        played = True
    return played


def _bot(playing: Playing, seat: Letter_) -> Callable[[], Answer]:
    game, state = playing.live.game, playing.live.state
    bot = game.bots[playing.seats[seat].bot]

    def answer() -> Answer:
        # The bot is handed a position in which everything that its seat can't know is dealt anew.
        seen = game.redeal(state, seat, Chance(secrets.token_hex(16)))
        try:
            return procedure.vet(state, seat, bot(seen, seat, Chance(secrets.token_hex(16))))
        except Refused as refusal:
            log.warning("bot refused", match=playing.row.id, seat=seat, refusal=str(refusal))
            return procedure.ask_of(state, seat).default

    return answer


def _prepared(playing: Playing, row: Seat) -> Callable[[], Answer] | None:
    kept = row.prepared.get(playing.live.ask_kind())
    if kept is None:
        return None
    row.prepared = {k: v for k, v in row.prepared.items() if v != kept}
    try:
        answer = procedure.vet(playing.live.state, row.seat, read(kept))
    except Refused as refusal:
        log.warning("kept answer dropped", match=playing.row.id, seat=row.seat, refusal=str(refusal))
        return None
    return lambda: answer


# --- writing ----------------------------------------------------------------------------------------------------------


def _write(session: Session, playing: Playing) -> None:
    row, live = playing.row, playing.live
    if live.outcome is not None:
        live.reveal(_time())
    _write_log(session, playing)
    _write_snapshot(session, playing)
    if live.outcome is not None:
        row.status, row.finished_at = "finished", now()
        row.outcome = msgspec.to_builtins(live.outcome)
    session.add(row)
    for seat in playing.seats.values():
        session.add(seat)
    views = _write_views(session, playing)
    opened = _write_asks(session, playing)
    _write_letters(session, playing, views, opened)
    session.flush()


def _write_snapshot(session: Session, playing: Playing) -> None:
    row, live = playing.row, playing.live
    row.snapshot, row.snapshot_n = live.game.encode(live.state), live.before + len(live.entries)
    row.serial, row.head = live.state.serial, live.head
    session.add(row)


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


def _write_views(session: Session, playing: Playing) -> dict[str, ViewRow]:
    """Rewrite what every person's seat and a spectator may see."""
    row, live = playing.row, playing.live
    views: dict[str, ViewRow] = {}
    head = _head_to_show(playing)
    shown = row.snapshot_n - len(live.state.sealed)  # like the head: a count that grew would tell that somebody has answered
    people = [s.seat for s in playing.seats.values() if s.account_id]
    stored = {v.seat: v for v in session.exec(select(ViewRow).where(ViewRow.match_id == row.id))}
    # What a seat did for itself alone shows on no other page: not even that the log is longer.
    quiet = bool(live.entries) and all(e.ask == matches.SHUT_OFFER for e in live.entries)
    for seat in [*people, ""]:
        if quiet and seat in stored and seat not in playing.visited:
            views[seat] = stored[seat]
            continue
        form: Form | None = None
        offers: list[Form] = []
        if seat:
            if seat in live.state.waiting and live.outcome is None:
                form = describe(live.game, procedure.ask_of(live.state, seat), playing.names, live.state.serial)
            offers = [describe(live.game, o, playing.names, matches.OFFER) for o in live.game.offers(live.state, seat)]
        known = stored.get(seat)
        view = known or ViewRow(match_id=row.id, seat=seat, view={})
        view.news = _news(session, playing, seat, known.news if known is not None else None)
        view.view, view.form, view.offers = live.game.view(live.state, seat or None), form, offers
        view.serial, view.n, view.head = live.state.serial, shown, head or view.head
        session.add(view)
        views[seat] = view
    return views


def _head_to_show(playing: Playing) -> str:
    """The chain's head, but not while answers are sealed: that it moved would tell that somebody has answered."""
    return playing.live.head if not playing.live.state.sealed else ""


def _news(session: Session, playing: Playing, seat: str, before: list[str] | None) -> list[str]:
    """What happened since the seat's own last move, that move's outcome included, as sentences.

    `before` is the news so far; None where they are to be gathered from the events anew.
    """
    own = next((e.n for e in reversed(playing.live.entries) if e.actor == seat and seat), 0)
    told = [event for n, events in playing.told for event in events if n >= own]
    if own:
        return _sentences(playing, seat, told)
    if before is not None:
        return [*before, *_sentences(playing, seat, told)][-MOST_NEWS:]
    return _sentences(playing, seat, _events_from(session, playing, _last_own(session, playing, seat)))


def _sentences(playing: Playing, seat: str, events: Iterable[Event]) -> list[str]:
    tell, names, reader = playing.live.game.tell, playing.names, seat or None
    return [words for event in events if event.seen_by(reader) and (words := tell(event, names, reader))][-MOST_NEWS:]


def _last_own(session: Session, playing: Playing, seat: str) -> int:
    own = select(func.max(EntryRow.n)).where(EntryRow.match_id == playing.row.id, EntryRow.actor == seat)
    return session.exec(own).one() or 0


def _events_from(session: Session, playing: Playing, since: int) -> Iterable[Event]:
    found = select(EventRow).where(EventRow.match_id == playing.row.id, col(EventRow.n) >= since)
    newest = found.order_by(col(EventRow.n).desc(), col(EventRow.i).desc()).limit(3 * MOST_NEWS)
    # The events of this run are flushed already, so they are among them.
    for e in reversed(session.exec(newest).all()):
        yield Event(e.kind, e.facts, tuple(e.only_seats) if e.only_seats is not None else None, tuple(e.but_seats))


def _write_asks(session: Session, playing: Playing) -> set[Letter_]:
    """Close the questions that are answered and open those that are new; the seats that are newly asked.

    Letters about closed ones are dropped.
    """
    row, live = playing.row, playing.live
    waiting = set(live.state.waiting) if live.outcome is None else set()
    open_asks = session.exec(select(AskRow).where(AskRow.match_id == row.id, col(AskRow.answered_at).is_(None))).all()
    for ask in open_asks:
        if ask.serial != live.state.serial or ask.seat not in waiting:
            ask.answered_at = now()
            session.add(ask)
            session.exec(
                update(Letter)
                .where(
                    col(Letter.match_id) == row.id,
                    col(Letter.seat) == ask.seat,
                    col(Letter.serial) == ask.serial,
                    col(Letter.status) == "queued",
                )
                .values(status="dropped")
            )
    opened: set[Letter_] = set()
    for seat in sorted(waiting):
        known = session.get(AskRow, (row.id, seat, live.state.serial))
        if known is None and playing.seats[seat].account_id:
            session.add(AskRow(match_id=row.id, seat=seat, serial=live.state.serial, kind=live.ask_kind()))
            opened.add(seat)
    return opened


def _write_letters(session: Session, playing: Playing, views: dict[str, ViewRow], opened: set[Letter_]) -> None:
    """Write to everybody who is newly asked, to all at the start, and to all at the end."""
    row, live = playing.row, playing.live
    settings = settings_of(session)
    for seat in playing.seats.values():
        if not seat.account_id:
            continue
        seen = views[seat.seat]
        if live.outcome is None and not playing.fresh and seat.seat not in opened:
            continue
        account = by_id(session, seat.account_id)
        if live.outcome is not None:
            winners = [playing.names[s] for s in live.outcome.winners]
            letters.of_the_game(session, "over", row, seat, account, seen, names=playing.names, winners=winners)
        elif playing.fresh:
            letters.of_the_game(session, "started", row, seat, account, seen, names=playing.names)
        else:
            # Who has just answered is at the page and sees the next step there; the letter waits for a while.
            hold = settings.hold_seconds if seat.seat in playing.visited else 0
            letters.of_the_game(session, "turn", row, seat, account, seen, names=playing.names, hold=hold)
