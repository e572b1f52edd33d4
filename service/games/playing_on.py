"""Play on: a table against bots from any entry of a finished game, with its seed."""

from __future__ import annotations

import msgspec
from sqlmodel import Session

from engine.core.asks import NotLegal, Seat
from engine.games import game_called
from engine.play import match as matches
from service.common.dates import of_log
from service.common.messages import sentence
from service.games import lobby
from service.log import characters
from service.log.entries import event_values, header_of, stored_entries
from service.replay import checkpoints, viewer
from service.store import queue
from service.store.models import Account, EntryRow, EventRow, Match, MatchStatus, SeatRow, now
from service.store.seats import seats_of


def play_on(session: Session, old: Match, account: Account, seat: Seat, n: int) -> Match:
    """Open a table from after entry `n`; in the middle of simultaneous answers, before the first of them.

    Raises NotLegal, NotFound, NotAllowed over the limit of hosted games.
    """
    if old.status != MatchStatus.FINISHED or old.header is None:
        raise NotLegal(sentence("You can play on from a game that is over."))
    n = min(n, viewer.last_of(session, old))
    while n and checkpoints.step(session, old, n).state.sealed:
        n -= 1
    if checkpoints.step(session, old, n).state.table.outcome is not None:
        raise NotLegal(sentence("The game was over at that entry. Choose an earlier one."))
    new = lobby.open_match(session, account, old.name, old.game, old.seats, options=old.options, seat=seat)
    header, rows = _header(session, old, new)
    played = matches.standing(stored_entries(session, old.id, 1, n)) if n else []
    answers = [e for e in played if e.ask != matches.TABLE]
    match, told = matches.repeat(header, old.seed, answers, header.created)
    new.seed, new.header = old.seed, msgspec.json.encode(header).decode()
    new.snapshot_n, new.head, new.serial = len(match.entries), match.head, match.state.serial
    new.status, new.started_at = MatchStatus.RUNNING, now()
    session.add_all([new, *rows])
    session.add_all(EntryRow(match_id=new.id, **msgspec.structs.asdict(entry)) for entry in match.entries)
    session.add_all(EventRow(**event_values(new.id, k, i, e)) for k, events in told for i, e in enumerate(events))
    session.flush()
    queue.after_commit(session, queue.ADJUDICATE, new.id)
    return new


def _header(session: Session, old: Match, new: Match) -> tuple[matches.Header, list[SeatRow]]:
    before = header_of(old)
    bot, rows, infos = lobby.bots_of(game_called(old.game))[0], seats_of(session, new), []
    for row, info in zip(rows, before.seats, strict=True):
        row.entropy = info.entropy
        if not row.account_id:
            others = [other.name for other in rows if other is not row]
            characters.seat_bot(new, row, bot, others)
        infos.append(matches.SeatInfo(row.seat, row.name, row.entropy, row.bot, info.given))
    format_ = matches.WITH_TAKE_BACKS if new.take_back else matches.FORMAT
    return msgspec.structs.replace(before, writ=format_, match=new.id, seats=infos, created=of_log(now())), rows
