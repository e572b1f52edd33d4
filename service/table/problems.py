"""Players' reports of problems. The host reads words and entry; the seat's view with its secrets is for operators who don't sit
there.
"""

from __future__ import annotations

import re

from sqlmodel import Session, col, select

from engine.core import procedure
from engine.core.asks import NotUnderstood, Seat
from engine.games import game_called
from engine.play import match as matches
from service.common.messages import sentence
from service.errors import NotFound
from service.log.entries import stored_entries
from service.post import disclosure, letters
from service.replay import checkpoints, viewer
from service.store import limits
from service.store.database import settings_of
from service.store.models import Account, Match, MatchStatus, ProblemReport, SeatRow

LONGEST = 2000


def report(session: Session, match: Match, seat: Seat, n: int, words: str) -> ProblemReport:
    """Report entry `n` to host and operators. Raises Refused."""
    words = words.replace("\r\n", "\n").strip()
    if not words:
        raise NotUnderstood(sentence("Say in a few words what is wrong."))
    disclosure.check_text(session, words, LONGEST)
    if not 0 <= n <= viewer.last_of(session, match):
        raise NotFound(sentence("There is no entry %(n)s in what you may know of the log.", n=n))
    limits.one_at_a_time(session, match)
    limits.problem(session, match, seat)
    view = game_called(match.game).rules.notation.seen(checkpoints.step(session, match, n).state, seat)
    name = session.get_one(SeatRow, (match.id, seat)).name
    made = ProblemReport(match_id=match.id, seat=seat, name=name, n=n, words=words, view=view)
    session.add(made)
    session.flush()
    host = session.get(Account, match.host_id)
    addresses = dict.fromkeys([*([host.email] if host is not None else []), *settings_of(session).operators])
    for address in addresses:
        letters.problem(session, match, address, made.id, n)
    return made


def found(session: Session, id: str) -> tuple[ProblemReport, Match]:
    """A report and its match. Raises NotFound."""
    row = session.get(ProblemReport, id)
    match = session.get(Match, row.match_id) if row is not None else None
    if row is None or match is None:
        raise NotFound(sentence("There is no report “%(id)s”.", id=id[:32]))
    return row, match


def pending(session: Session) -> list[tuple[ProblemReport, Match]]:
    query = select(ProblemReport, Match).join(Match, col(Match.id) == ProblemReport.match_id)
    return list(session.exec(query.where(col(ProblemReport.done_at).is_(None)).order_by(ProblemReport.id).limit(200)))


def case(session: Session, row: ProblemReport, match: Match) -> str:
    """A case file (`engine.play.cases`): the position before the entry, its move, who is asked then. It holds all hands, and
    after the end the seed, so that draws are those of the game.
    """
    game, step = game_called(match.game), checkpoints.step(session, match, row.n)
    before = step.before if step.before is not None else step.state
    given = game.rules.notation.whole(before).splitlines()[1:]
    if match.status != MatchStatus.FINISHED:
        given = [line for line in given if not line.startswith("chance:")]
    entry = next(iter(stored_entries(session, match.id, row.n, row.n)), None) if row.n else None
    words = re.sub(r"[\s#]+", " ", row.words).strip()
    move = _move(entry) if entry is not None else ""
    asked = [f"{seat} {ask.kind}" for seat, ask in procedure.asks(step.state).items()]
    sections = {"given": given, "moves": [move] if move else [], "expect": [f"asked: {', '.join(asked) or 'nobody'}"]}
    text = f"case: report-{row.id}\ngame: {match.game}\nshows: {words}\n"
    for title, lines in sections.items():
        text += "".join(f"{line}\n" for line in [title, *(f"  {line}" for line in lines)]) if lines else ""
    return text


def _move(entry: matches.Entry) -> str:
    if entry.ask in (matches.TABLE, matches.REVEAL) or entry.move is None:
        return ""
    if entry.serial > matches.OFFER:
        return f"{entry.actor}: {entry.move}"
    seat, kind, number, text, _ = matches.parts(entry)
    return f"offer {seat} {kind}{f'#{number}' if number else ''}: {text}"
