"""The page of a table's clock and votes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from flask import Blueprint, flash, request
from sqlmodel import Session

from engine.core.asks import NotLegal, NotUnderstood, Refused
from service.clock import pace
from service.common.dates import shown, span, weekday, zone_called
from service.common.i18n import gettext, listed
from service.log import muting
from service.people import accounts
from service.post import ledger
from service.seat import waits
from service.store import rulings
from service.store.models import Account, Match, MatchStatus, Notice, SeatRow, now
from service.table import absences, commands, host, lateness, notices, votes
from service.web import context
from service.web.answers import day_typed
from service.web.context import Page
from service.web.games import pace_form
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("clock", __name__)
bp.before_request(context.among_people)


@bp.get("/g/<id:match_id>/clock")
def clock(match_id: str) -> Page:
    return _show(*context.member_of(match_id))


def _own(session: Session, match: Match, seat: str) -> tuple[SeatRow, Account]:
    row = session.get_one(SeatRow, (match.id, seat))
    return row, accounts.by_id(session, row.account_id)


def _show(match: Match, seat: str, fault: str = "", typed: Mapping[str, str] = MappingProxyType({}), wrong: str = "") -> Page:
    session = context.db()
    seats = context.seats_in(match.id)
    mine = next(s for s in seats if s.seat == seat)
    account = accounts.by_id(session, mine.account_id)
    zone = account.zone
    names = {s.seat: s.name for s in seats}
    waited = {w.seat: w for w in waits.shown_waits(session, match, seat)}
    written = absences.of_match(session, match)
    away = absences.to_come(written)
    pause = next(iter(away.get("", ())), None) if match.status == MatchStatus.RUNNING else None
    late, troubled = lateness.let_pass(session, match), ledger.troubled(session, match)
    muted = muting.muted_by(session, match.id, seat)
    its_pace, announced = pace.of(match.pace), absences.announced(session, match, mine)
    return context.form_page(
        "pages/clock.html",
        fault,
        match=match,
        mine=mine,
        seats=seats,
        names=names,
        waits=waited,
        waits_for=waits.said(waited, names, seat),
        deserted=match.status == MatchStatus.RUNNING and waits.deserted(seats),
        away={s.seat: away.get(s.seat, []) for s in seats},
        pause=pause,
        pace=its_pace,
        pace_words=pace.words(its_pace),
        given=typed if typed.get("kind") == "pace" else pace_form.given(its_pace),
        typed=typed,
        votes=votes.open_votes(session, match, seats),
        rules=rulings.told_options(match),
        rulings=rulings.told(match),
        vote_words=lambda vote: votes.words(vote, names, votes.writer(session, match, vote.by_seat) in muted),
        late=late,
        absent=[s for s in lateness.among(seats, late, troubled) if s.seat != seat],
        notices=notices.open_notices(session, match) if match.status == MatchStatus.RUNNING else [],
        notice_words=lambda notice: _noticed(notice, names, muted),
        troubled=troubled,
        days_left=max(0, its_pace.absence_days - absences.used(written, mine.seat, zone, announced)),
        announced=announced,
        today=now().astimezone(zone_called(zone)).date().isoformat(),
        moment=lambda at: shown(at, zone),
        day=lambda at: weekday(at, zone),
        last=lambda end: weekday(end - timedelta(seconds=1), zone),
        begun=lambda absence: absence.starts_at <= now(),
        ago=lambda at: span((now() - at).total_seconds()),
        bank=span(mine.bank) if mine.bank else "",
        zone=zone,
        wrong=wrong,
    )


def _noticed(notice: Notice, names: dict[str, str], muted: set[str]) -> str:
    match notice.kind:
        case "end" if notice.facts.get("writer") in muted:
            return gettext("The game ends without a winner.")
        case "replace":
            return gettext("The seat of %(name)s goes to somebody else.", name=names[notice.seat])
        case "end":
            return gettext("The game ends without a winner: %(why)s", why=notice.facts["reason"])
        case _:
            return gettext("Spectators may read the journal, and see what all may see.")


def _refused(match: Match, seat: str, refusal: Refused) -> Page:
    """The page with the refused form filled in: `kind` of a vote, or the last part of the URL."""
    typed = {"kind": request.path.rpartition("/")[2], **request.form}
    return _show(match, seat, str(refusal), typed, context.wrong_field(refusal))


def _did(match: Match, sentence: str) -> Page:
    return context.done(f"/g/{match.id}/clock", sentence)


@bp.post("/g/<id:match_id>/away")
@limiter.limit("30 per hour")
@once
@context.form_of_member(_refused)
def away(match: Match, seat: str) -> Page:
    given = context.fields(request.form, first=40, last=40, everywhere=5)
    first, last = day_typed(given["first"]), day_typed(given["last"])
    with context.changing(match.id) as (session, here):
        row, account = _own(session, here, seat)
        absences.announce(session, here, row, account, first, last)
        elsewhere, refused = (
            absences.announce_everywhere(session, account, first, last, match.id) if given["everywhere"] else ([], [])
        )
    if refused:
        flash(gettext("Not in: %(games)s.", games="; ".join(refused)), "bad")
    if elsewhere:
        return _did(match, gettext("You are away then, here and in: %(games)s.", games=listed(elsewhere)))
    return _did(match, gettext("You are marked as away; the table knows."))


@bp.post("/g/<id:match_id>/home")
@once
@context.form_of_member(_refused)
def home(match: Match, seat: str) -> Page:
    context.fields(request.form)
    with context.changing(match.id) as (session, here):
        absences.withdraw(session, here, _own(session, here, seat)[0])
    return _did(match, gettext("Your absence has ended; your deadlines run again."))


@bp.post("/g/<id:match_id>/votes")
@limiter.limit("20 per hour")
@once
@context.form_of_member(_refused)
def propose(match: Match, seat: str) -> Page:
    given = context.fields(
        request.form, ("reason", "email"), kind=10, days=10, seat=2, email=400, reason=1000, **pace_form.FIELDS
    )
    with context.changing(match.id) as (session, here):
        match given["kind"]:
            case "pause":
                votes.propose_pause(session, here, seat, given["days"])
            case "pace":
                votes.propose_pace(session, here, seat, pace_form.read(given, pace.of(here.pace)))
            case "replace":
                votes.propose_substitute(session, here, seat, given["seat"], given["email"])
            case "end":
                votes.propose_end(session, here, seat, given["reason"])
            case "watch":
                votes.propose_watching(session, here, seat)
            case _:
                raise NotUnderstood(
                    gettext("A table votes on a pause, its pace, a substitute, spectators, or the end; choose one.")
                )
    return _did(match, gettext("The table is asked; your own vote is given."))


@bp.post("/g/<id:match_id>/votes/<id:vote_id>")
@once
@context.form_of_member(_refused)
def vote(match: Match, seat: str, vote_id: str) -> Page:
    choice = context.fields(request.form, choice=10)["choice"]
    if choice not in ("yes", "no", "withdraw"):
        raise NotUnderstood(gettext("A vote is yes or no; press one of the two buttons."))
    with context.changing(match.id) as (session, here):
        if choice == "withdraw":
            votes.withdraw(session, here, vote_id, seat)
        else:
            votes.cast(session, here, vote_id, seat, choice == "yes")
    return _did(match, gettext("The vote is given.") if choice != "withdraw" else gettext("The proposal is taken back."))


@bp.post("/g/<id:match_id>/here")
@once
@context.form_of_member(_refused)
def here(match: Match, seat: str) -> Page:
    """Confirm presence: the seat isn't replaced."""
    context.fields(request.form)
    with context.changing(match.id) as (session, found):
        if notices.about(session, found, seat) is None:
            raise NotLegal(gettext("The seat is yours and nobody else is to get it; there is nothing to stop."))
        commands.command(session, found, seat, f"here seat={seat}")
    return _did(match, gettext("The seat stays yours, and the table is told."))


@bp.post("/g/<id:match_id>/back")
@once
def back(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    context.fields(request.form)
    with context.writing() as session:
        if _own(session, match, seat)[0].steward:
            commands.command(session, match, seat, f"back seat={seat}")
    return context.done(f"/g/{match_id}/table", gettext("The seat is yours again."))


@bp.post("/g/<id:match_id>/give-up")
@limiter.limit("20 per hour")
@once
@context.form_of_member(_refused)
def give_up(match: Match, seat: str) -> Page:
    if context.fields(request.form, sure=5)["sure"] != "yes":
        raise NotUnderstood(gettext("Tick the box to give up your seat; nothing was changed."))
    with context.changing(match.id) as (session, here):
        commands.command(session, here, seat, f"seek seat={seat}")
    return context.done("/games/open", gettext("Your seat goes to somebody else. Thank you for having said so."))


@bp.post("/g/<id:match_id>/nearer")
@limiter.limit("20 per hour")
@once
@context.form_of_member(_refused)
def nearer(match: Match, seat: str) -> Page:
    by = host.duration(context.fields(request.form, by=20)["by"])
    with context.changing(match.id) as (session, here):
        host.extend(session, here, seat, -abs(by), seat)
    return _did(match, gettext("Your deadline is nearer now, and the table is told."))


@bp.post("/g/<id:match_id>/notices/<id:notice_id>")
@once
@context.form_of_member(_refused)
def recall(match: Match, seat: str, notice_id: str) -> Page:
    context.fields(request.form)
    with context.changing(match.id) as (session, here):
        host.recall(session, here, notice_id, seat)
    return _did(match, gettext("The announcement is taken back; the table is told."))


@bp.post("/g/<id:match_id>/letters/links")
@limiter.limit("6 per hour")
@once
def renew_links(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    context.fields(request.form)
    with context.changing(match.id) as (session, here):
        host.renew_own_links(session, here, seat)
    return context.done(
        f"/g/{match_id}/letters" if context.seat_in(match_id) else "/",
        gettext("All links to your seat are called back; a letter brings you a new one."),
    )
