"""Votes: pause, pace, replacement of an absent player, end, spectators; after the end, sharing the replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from sqlmodel import Session, col, select

from engine.core.asks import NotLegal, NotUnderstood
from engine.language.words import Message
from service.clock import pace
from service.clock.standstill import VOTING
from service.common import text_input
from service.common.dates import Moment
from service.common.messages import nsentence, sentence
from service.errors import NotFound
from service.log import muting, sharing
from service.post import disclosure, letters
from service.settings import Settings
from service.store import limits
from service.store.database import each_alone, open_session
from service.store.models import Ballot, Match, MatchStatus, SeatRow, Vote, VoteStatus, now
from service.store.seats import names_of, seats_of
from service.table import commands, permissions, substitutes, talk

BY_HOST = ""
"""`by_seat` of a host's proposal; it carries no vote."""
SHARE = "share"
"""The one kind of vote on a finished game."""
NOT_OVER = sentence("The replay can be shared when the game is over.")
LONGEST_REASON = 300


@dataclass(frozen=True)
class Tally:
    vote: Vote
    yes: list[str]
    no: list[str]
    needed: int
    voters: list[str]


# --- who, and how many ------------------------------------------------------------------------------------------------


def voters(session: Session, match: Match, vote: Vote) -> list[str]:
    """Seats with a vote: players, except the one concerned and those kept by a steward; for SHARE all people."""
    found = select(SeatRow).where(SeatRow.match_id == match.id, col(SeatRow.account_id).is_not(None)).order_by(SeatRow.seat)
    return _voters(session.exec(found), vote)


def _voters(seats: Iterable[SeatRow], vote: Vote) -> list[str]:
    about = str(vote.facts.get("seat") or "")
    return [s.seat for s in seats if s.account_id and s.seat != about and (not s.steward or vote.kind == SHARE)]


def needed(vote: Vote, voters: int) -> int:
    """Ayes needed: all for a pace and for SHARE, else a majority; at least one."""
    return max(1, voters) if vote.kind in ("pace", SHARE) else voters // 2 + 1


def tally(session: Session, match: Match, vote: Vote) -> Tally:
    ballots = session.exec(select(Ballot).where(Ballot.vote_id == vote.id).order_by(Ballot.seat)).all()
    return _tally(vote, voters(session, match, vote), ballots)


def _tally(vote: Vote, may: list[str], ballots: Iterable[Ballot]) -> Tally:
    ballots = list(ballots)
    yes = [b.seat for b in ballots if b.yes and b.seat in may]
    no = [b.seat for b in ballots if not b.yes and b.seat in may]
    return Tally(vote, yes, no, needed(vote, len(may)), may)


def open_votes(session: Session, match: Match, seats: Iterable[SeatRow] | None = None) -> list[Tally]:
    """Open votes, oldest first; `seats`: the table's, if loaded."""
    if match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        return []
    found = select(Vote).where(Vote.match_id == match.id, Vote.status == VoteStatus.OPEN).order_by(col(Vote.opened_at), Vote.id)
    found = found.where((col(Vote.kind) == SHARE) == (match.status == MatchStatus.FINISHED))
    votes = session.exec(found).all()
    if not votes:
        return []
    if seats is None:
        seats = seats_of(session, match)
    people = list(seats)
    cast: dict[str, list[Ballot]] = {vote.id: [] for vote in votes}
    for ballot in session.exec(select(Ballot).where(col(Ballot.vote_id).in_(cast)).order_by(Ballot.seat)):
        cast[ballot.vote_id].append(ballot)
    return [_tally(vote, _voters(people, vote), cast[vote.id]) for vote in votes]


# --- proposing --------------------------------------------------------------------------------------------------------


def propose_pause(session: Session, match: Match, seat: str, days: str) -> Vote:
    """Propose a pause from the decision on."""
    return _open(session, match, seat, "pause", {"days": permissions.read_days(days)})


def propose_pace(session: Session, match: Match, seat: str, new: pace.Pace) -> Vote:
    """Propose a pace. Raises NotUnderstood for an invalid one, NotLegal for the present one."""
    if pace.check(new) == pace.of(match.pace):
        raise NotLegal(sentence("That is the pace of this game already; change something in it."))
    permissions.check_pace(match, seats_of(session, match), new)
    return _open(session, match, seat, "pace", {"pace": pace.stored(new)})


def propose_substitute(session: Session, match: Match, seat: str, absent: str, email: str = "") -> Vote:
    """Propose to replace an absent player, by invitation or, without `email`, by anybody."""
    row = session.get(SeatRow, (match.id, absent))
    if absent == seat:
        raise NotLegal(sentence("That is your own seat; ask the host to look for somebody instead."))
    permissions.check_absent(session, match, row, commands.TABLE)
    email = substitutes.invitable(session, email) if email.strip() else ""
    vote = _open(session, match, seat, "replace", {"seat": absent, "email": email})
    proposer = session.get(SeatRow, (match.id, seat))
    if email and proposer is not None:
        limits.invitation(session, proposer.account_id or "", email)
    return vote


def propose_end(session: Session, match: Match, seat: str, reason: str) -> Vote:
    """Propose to end the game. Raises NotUnderstood without a readable reason."""
    reason = read_reason(session, reason)
    own = writer(session, match, seat)
    if own:
        talk.check_flood(session, match, own)
    return _open(session, match, seat, "end", {"reason": reason})


def read_reason(session: Session, text: str) -> str:
    """Normalise a reason. Raises NotUnderstood."""
    reason = " ".join(text_input.lines(text).split())
    if not reason or len(reason) > LONGEST_REASON:
        raise NotUnderstood(
            nsentence(
                "An end needs a reason, of at most %(num)s character: everybody reads it.",
                "An end needs a reason, of at most %(num)s characters: everybody reads it.",
                LONGEST_REASON,
            )
        )
    disclosure.check_text(session, reason, LONGEST_REASON)
    return reason


def propose_watching(session: Session, match: Match, seat: str) -> Vote:
    if match.spectators:
        raise NotLegal(sentence("Spectators may read along already."))
    return _open(session, match, seat, "watch", {})


def propose_sharing(session: Session, match: Match, seat: str) -> Vote:
    if sharing.is_open(match):
        raise NotLegal(sentence("The replay is shared already."))
    return _open(session, match, seat, SHARE, {})


def stop_sharing(session: Session, match: Match) -> None:
    """Close the addresses of a shared replay; any player or the host may. Idempotent. Raises NotLegal before the end:
    spectators use the same key.
    """
    locked = _locked(session, match.id)
    if locked.status != MatchStatus.FINISHED:
        raise NotLegal(NOT_OVER)
    if locked.shared:
        sharing.let_share(session, locked, False)


def _has_time(match: Match, kind: str) -> bool:
    return match.status == (MatchStatus.FINISHED if kind == SHARE else MatchStatus.RUNNING)


def _open(session: Session, match: Match, seat: str, kind: str, facts: dict[str, Any]) -> Vote:
    if not _has_time(match, kind):
        if kind == SHARE:
            raise NotLegal(NOT_OVER)
        raise NotLegal(sentence("Votes are for games that are running."))
    locked = _locked(session, match.id)
    for held in open_votes(session, locked):
        if held.vote.kind == kind and held.vote.facts.get("seat") == facts.get("seat"):
            raise NotLegal(sentence("The table is voting on that already; give your vote there."))
    limits.proposal(session, match, _person(session, match, seat))
    vote = Vote(match_id=match.id, kind=kind, facts=facts, by_seat=seat, closes_at=now() + VOTING)
    session.add(vote)
    session.flush()
    may = voters(session, match, vote)
    if seat != BY_HOST and seat not in may:
        raise NotLegal(sentence("Only the people at the table vote; take your seat back from the steward first."))
    if seat != BY_HOST:
        session.add(Ballot(vote_id=vote.id, seat=seat, yes=True))
        session.flush()
    _settle(session, locked, vote)
    if vote.status == VoteStatus.OPEN:
        for other in may:
            row = session.get(SeatRow, (match.id, other))
            if other != seat and row is not None:
                _write(session, match, row, vote)
    return vote


def _write(session: Session, match: Match, row: SeatRow, vote: Vote) -> None:
    names = names_of(session, match.id)
    by = names.get(vote.by_seat) or sentence("The host")
    unheard = writer(session, match, vote.by_seat) in muting.muted_by(session, match.id, row.seat)
    what = words(vote, names, unheard)
    context = {"by": by, "what": what, "about": vote.kind, "until": Moment(vote.closes_at)}
    letters.to_seat(session, "vote", match, row, context)


def _person(session: Session, match: Match, seat: str) -> str:
    """The account of a seat or host: they share a budget."""
    row = session.get(SeatRow, (match.id, seat)) if seat != BY_HOST else None
    return (row.account_id if row is not None else match.host_id) or ""


def writer(session: Session, match: Match, by: str) -> str:
    """The seat of a proposal's writer, for mutes; "" for a host without seat."""
    if by not in (BY_HOST, commands.HOST):
        return by
    own = select(SeatRow.seat).where(SeatRow.match_id == match.id, SeatRow.account_id == match.host_id)
    return session.exec(own).first() or ""


def words(vote: Vote, names: Mapping[str, str], unheard: bool = False) -> Message:
    """The proposal in words; `unheard`: without its reason, for readers who muted the writer."""
    match vote.kind:
        case "pause":
            return nsentence("The table pauses for one day.", "The table pauses for %(num)s days.", vote.facts["days"])
        case "pace":
            return sentence("The game goes on at another pace: %(pace)s.", pace=pace.told(pace.of(vote.facts["pace"])))
        case "end" if unheard:
            return sentence("The game ends without a winner.")
        case "end":
            return sentence("The game ends without a winner: %(why)s", why=vote.facts["reason"])
        case "watch":
            return sentence("Spectators may read the journal, and see what all may see.")
        case "share":
            return sentence("Anyone with the link may see the replay, with all hands and without talk, notes and times.")
        case _:
            who = names.get(vote.facts["seat"], vote.facts["seat"])
            if vote.facts["email"]:
                return sentence("The seat of %(name)s goes to somebody who is invited.", name=who)
            return sentence("%(name)s’s seat goes to the first who takes it from the open list.", name=who)


# --- voting -----------------------------------------------------------------------------------------------------------


def cast(session: Session, match: Match, vote_id: str, seat: str, yes: bool) -> Vote:
    """Vote. Raises NotLegal for a second vote or without a right to vote."""
    locked = _locked(session, match.id)
    vote = _vote(session, locked, vote_id)
    if vote.status != VoteStatus.OPEN or vote.closes_at <= now() or not _has_time(locked, vote.kind):
        raise NotLegal(sentence("That vote is over; its outcome stands in the history."))
    if session.get(Ballot, (vote.id, seat)) is not None:
        raise NotLegal(sentence("You have voted on that already; a vote is given once."))
    if seat not in voters(session, locked, vote):
        raise NotLegal(sentence("You have no vote on that."))
    limits.ballot(session, locked, _person(session, locked, seat))
    session.add(Ballot(vote_id=vote.id, seat=seat, yes=yes))
    session.flush()
    _settle(session, locked, vote)
    return vote


def withdraw(session: Session, match: Match, vote_id: str, seat: str) -> None:
    """Withdraw a proposal. Raises NotLegal for others' or decided ones."""
    vote = _vote(session, _locked(session, match.id), vote_id)
    if vote.by_seat != seat or vote.status != VoteStatus.OPEN:
        raise NotLegal(sentence("Only the player who proposed a vote can take it back, while it is open."))
    limits.withdrawal(session, match, _person(session, match, seat))
    _close(session, vote, VoteStatus.WITHDRAWN)


def close_due(settings: Settings) -> int:
    with open_session(settings) as session:
        due = select(Vote.match_id, Vote.id).where(Vote.status == VoteStatus.OPEN, col(Vote.closes_at) <= now())
        found = session.exec(due.order_by(Vote.match_id, Vote.id)).all()
    return each_alone(settings, found, _settle_late, "vote can't be settled")


def settle_open(session: Session, match: Match) -> None:
    """Settle open votes of a locked match after seats have lost players or got stewards; without voters, a vote stays open."""
    for stands in open_votes(session, match):
        if stands.voters:
            _settle(session, match, stands.vote)


def _settle_late(session: Session, key: tuple[str, str]) -> bool:
    match_id, vote_id = key
    # A locked match is left to the next sweep.
    free = select(Match).where(Match.id == match_id).with_for_update(key_share=True, skip_locked=True)
    match = session.exec(free).first()
    if match is None:
        return False
    vote = _vote(session, match, vote_id)
    if vote.status != VoteStatus.OPEN:
        return False
    _settle(session, match, vote)
    if vote.status == VoteStatus.OPEN:
        _close(session, vote, VoteStatus.FAILED)
    return True


def _locked(session: Session, match_id: str) -> Match:
    """Lock the match: no vote is decided twice."""
    return session.get_one(Match, match_id, with_for_update={"key_share": True}, populate_existing=True)


def _vote(session: Session, match: Match, vote_id: str) -> Vote:
    vote = session.get(Vote, vote_id, populate_existing=True)
    if vote is None or vote.match_id != match.id:
        raise NotFound(sentence("There is no such vote at this table."))
    return vote


def _settle(session: Session, match: Match, vote: Vote) -> None:
    """Close a vote once its result is certain, and queue its command. A pace refused for a steward waits for the player."""
    stands = tally(session, match, vote)
    if len(stands.yes) >= stands.needed:
        if vote.kind == "pace" and not _pace_allowed(session, match, vote):
            return
        _close(session, vote, VoteStatus.CARRIED)
        if _has_time(match, vote.kind):
            CARRIED[vote.kind](session, match, vote)
    elif len(stands.voters) - len(stands.no) < stands.needed:
        _close(session, vote, VoteStatus.FAILED)


def _pace_allowed(session: Session, match: Match, vote: Vote) -> bool:
    try:
        permissions.check_pace(match, seats_of(session, match), pace.of(vote.facts["pace"]))
    except NotLegal:
        return False
    return True


def _close(session: Session, vote: Vote, status: VoteStatus) -> None:
    vote.status, vote.done_at = status, now()
    session.flush()


def _pause(session: Session, match: Match, vote: Vote) -> None:
    until = (now() + timedelta(days=vote.facts["days"])).replace(microsecond=0)
    commands.command(session, match, commands.TABLE, f"pause until={until.isoformat()}")


def _pace(session: Session, match: Match, vote: Vote) -> None:
    new = pace.of(vote.facts["pace"])
    commands.command(session, match, commands.TABLE, f"pace turn={new.turn} reaction={new.reaction}", pace=vote.facts["pace"])


def _replace(session: Session, match: Match, vote: Vote) -> None:
    words, by = f"announce what=replace seat={vote.facts['seat']}", vote.by_seat
    commands.command(session, match, commands.TABLE, words, email=vote.facts["email"], voted=True, by=by)


def _end(session: Session, match: Match, vote: Vote) -> None:
    words = f"announce what=end reason={quote(vote.facts['reason'], safe='')}"
    told = {"reason": vote.facts["reason"], "writer": writer(session, match, vote.by_seat)}
    commands.command(session, match, commands.TABLE, words, **told, voted=True, by=vote.by_seat or commands.HOST)


def _watch(session: Session, match: Match, vote: Vote) -> None:
    commands.command(session, match, commands.TABLE, "announce what=watch", voted=True, by=vote.by_seat or commands.HOST)


def _share(session: Session, match: Match, _vote: Vote) -> None:
    sharing.let_share(session, match, True)


CARRIED: dict[str, Callable[[Session, Match, Vote], None]] = {
    "pause": _pause,
    "pace": _pace,
    "replace": _replace,
    "end": _end,
    "watch": _watch,
    SHARE: _share,
}
