"""Take-backs of a seat: what its page offers, and the check of a submitted one.

`engine.play.taking_back` decides which answers are final; `workers.take_back` plays a take-back.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, bindparam
from sqlmodel import Session, col, func, select

from engine.core.asks import Answer, NotLegal, Seat
from engine.play import taking_back
from engine.play.match import OFFER, TAKE_BACK
from engine.play.taking_back import Step, Trail
from service.common.messages import nsentence, sentence
from service.errors import Stale
from service.post import letters
from service.store.models import Letter, LetterStatus, Match, MatchStatus, SeatRow, Submission, now

VISIT = timedelta(minutes=30)
"""After this time an answer belongs to an earlier visit."""
MOST_A_DAY = 60
"""Most take-backs of a seat per day: each stays in the log."""
FINAL = {
    taking_back.ROLLED: sentence("Your last answer can’t be taken back: dice were rolled, or cards shuffled."),
    taking_back.SHOWN: sentence("Your last answer can’t be taken back: something hidden was shown."),
    taking_back.DRAWN: sentence("Your last answer can’t be taken back: a card was drawn, or something hidden came out."),
    taking_back.ASKED: sentence("Your last answer can’t be taken back: others were asked."),
    taking_back.ACTED: sentence("Your last answer can’t be taken back: others have acted on it."),
}
"""Why the last answer can't be taken back."""
GONE = sentence("That answer can't be taken back any more: the game has moved on.")
LEFT = sentence("That answer can't be taken back any more: a letter about it has left.")
LATE = sentence("That answer can't be taken back any more: the time for it is over.")
WAITING = (LetterStatus.QUEUED, LetterStatus.GATHERED)
"""Letters that can still be dropped."""


@dataclass(frozen=True)
class Offered:
    step: str = ""
    """Id of the answer that can be taken back; "" for none."""
    seconds: int = 0
    """Seconds left at most."""
    why: str = ""
    """Reason if there is none where one would expect it."""


def trail_of(stored: dict[str, Any]) -> Trail:
    return msgspec.convert(stored, Trail)


def offered(session: Session, match: Match, own: SeatRow | None) -> Offered:
    """What the seat can take back; no query if there is nothing."""
    running = match.status == MatchStatus.RUNNING and match.halted_at is None
    if own is None or not own.trail or not match.take_back or not running:
        return Offered()
    trail = trail_of(own.trail)
    step, final = trail.last(match.snapshot_n), trail.final(match.snapshot_n)
    if step is None:
        return Offered(why=str(FINAL[final]) if final in FINAL else "")
    ends = _end(session, own, step)
    left = (ends - now()).total_seconds() if ends is not None else 0
    return Offered(step.id, int(left)) if left > 0 else Offered()


def over(session: Session, own: SeatRow, step: Step) -> Stale | None:
    """Why a step can no longer be taken back, or None. Locks the seat's letters, so that none is sent meanwhile."""
    if _deadline(step) <= now():
        return Stale(LATE)
    session.execute(_letters_since().with_for_update(), _of(own, step)).all()
    # Read again after locking: a digest may have been made of them meanwhile.
    found = session.execute(_letters_since(), _of(own, step)).all()
    return Stale(LEFT) if any(_has_left(letter) for letter in found) else None


def vet(session: Session, match: Match, seat: Seat, answer: Answer) -> Answer:
    """Check a take-back; the worker decides. Raises Stale, NotLegal over the daily limit."""
    own = session.get(SeatRow, (match.id, seat))
    found = offered(session, match, own)
    if not found.step or found.step != answer.pick("step"):
        raise Stale(GONE)
    its = (col(Submission.match_id) == match.id, col(Submission.seat) == seat, col(Submission.kind) == TAKE_BACK)
    if session.exec(select(func.count()).where(*its, within_a_day())).one() >= MOST_A_DAY:
        raise NotLegal(
            nsentence(
                "%(num)s answer taken back within a day is the most; this one stands.",
                "%(num)s answers taken back within a day are the most; this one stands.",
                MOST_A_DAY,
            )
        )
    return answer


def within_a_day() -> ColumnElement[bool]:
    """Condition on submissions. Those further ahead are of a clock that ran ahead."""
    moment, day = time.time_ns(), 24 * 3600 * 1_000_000_000
    return col(Submission.order).between(moment - day, moment + day)


def is_one(serial: int, kind: str) -> bool:
    return (serial, kind) == (OFFER, TAKE_BACK)


def _deadline(step: Step) -> datetime:
    ends = datetime.fromisoformat(step.at) + VISIT
    due = step.kept.get("due")
    return min(ends, datetime.fromisoformat(due)) if due else ends


@cache
def _letters_since() -> Any:
    """What tells whether one of the seat's letters, those gathered for a digest, or the owner's digests has left; nothing that
    has to be decrypted. Cached.
    """
    columns = (col(Letter.kind), col(Letter.digest_id), col(Letter.status), col(Letter.next_try_at))
    since = col(Letter.created_at) >= bindparam("since")
    here = (col(Letter.match_id) == bindparam("match")) & (col(Letter.seat) == bindparam("seat"))
    digest = (col(Letter.account_id) == bindparam("account")) & (col(Letter.kind) == "digest")
    gathered = col(Letter.status) == LetterStatus.GATHERED
    return select(*columns).where((here & (since | gathered)) | (digest & since)).order_by(Letter.id)


def _of(own: SeatRow, step: Step) -> dict[str, Any]:
    since = datetime.fromisoformat(step.at)
    return {"since": since, "match": own.match_id, "seat": own.seat, "account": own.account_id}


def _has_left(letter: Any) -> bool:
    """Whether a letter may have been sent that shows the position; digests are written when queued. Others are no hindrance: an
    opponent could have one sent at once, by talk or by asking for a vote.
    """
    if letter.kind == "digest" or letter.digest_id:
        return True
    return letter.kind in letters.BOARDS and letter.status not in (*WAITING, LetterStatus.DROPPED)


def _end(session: Session, own: SeatRow, step: Step) -> datetime | None:
    found = session.execute(_letters_since(), _of(own, step)).all()
    if any(_has_left(letter) for letter in found):
        return None
    boards = (letter for letter in found if letter.kind in letters.BOARDS)
    leaving: list[datetime] = [letter.next_try_at for letter in boards if letter.status == LetterStatus.QUEUED]
    return min([_deadline(step), *leaving])
