"""The replay viewer's data of a stored game, for tests."""

from __future__ import annotations

import msgspec
from sqlmodel import Session

from engine.core.asks import Seat
from engine.games import GAMES
from engine.play import match as matches
from engine.play.match import Entry, Header
from service.log.entries import EventRecord
from service.replay import viewer
from service.replay.replay_copy import Copy
from service.replay.viewer import Moment, Reader
from service.store.models import Account, EntryRow, Match, SeatRow, SeatStatus
from service.store.seats import called
from tests.tables import COLOURS, FOLDER, NAMES, lay, whole


def moment(session: Session, match: Match, seat: str, n: int, you: str = "") -> Moment:
    """The board after entry `n` as a seat, a spectator ("") or OPEN sees it. `you`: the visitor's seat, called "you"."""
    reader = Reader(seat)
    return viewer.at(
        session, match, reader, n, viewer.last_of(session, match), viewer.names_at(session, match, reader, you=you)
    )


def finished(session: Session, account: Account, game: str, stem: str, names: dict[Seat, str] = NAMES) -> str:
    """A recorded game whole, with its reveal, as a finished table of the account's; the path of its pages."""
    found = whole(game, stem)
    reveal = read_log(game, stem)[1][-1]
    path = lay(session, account, found, names=names, logged=True).removesuffix("/table")
    match = session.get_one(Match, path.removeprefix("/g/"))
    session.add(EntryRow(match_id=match.id, **msgspec.structs.asdict(reveal)))
    match.head, match.snapshot_n = reveal.hash, reveal.n
    session.flush()
    return path


def read_log(game: str, stem: str) -> tuple[Header, list[Entry]]:
    """Header and entries of a recorded game."""
    lines = (FOLDER / game / f"{stem}.jsonl").read_text("utf-8").splitlines()
    return matches.read_header(lines[0]), [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]


def copied(game: str, stem: str, seat: Seat) -> Copy:
    """A recorded game as it goes into a file, in a seat's view, without a database."""
    (header, entries), found = read_log(game, stem), whole(game, stem)
    assert found.log is not None
    seats = [SeatRow(match_id="m", seat=s, colour=COLOURS[s], name=NAMES[s], status=SeatStatus.TAKEN) for s in found.seats]
    match = Match(
        id="m", name="Wessex by winter", game=game, host_id="h", options=header.options, seats=len(seats), seed=found.log.seed
    )
    outcome = found.state.table.outcome
    match.outcome = {"winners": [*outcome.winners], "how": outcome.how}
    reader, names = Reader(seat), called(match, {row.seat: row.name for row in seats})
    rows = [
        EventRecord(n, event.kind, event.facts, None if event.only is None else [*event.only], [*event.but])
        for n, events in found.log.told
        for event in events
    ]
    told = [*viewer.said_of(GAMES[game], rows, reader, lambda _n: names)]
    return Copy(match, GAMES[game], match.name, seats, reader, header, found.log.seed, entries, told, lambda _n: names)
