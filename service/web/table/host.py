"""A host's page of a game."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from flask import Blueprint, request
from sqlmodel import Session

from engine.core.asks import NotUnderstood, Refused
from service.common.dates import shown, span
from service.common.i18n import gettext
from service.games import lobby
from service.store.models import Account, Match, MatchStatus, now
from service.store.seats import by_match_id
from service.table import absences, host, lateness, notices, permissions, votes
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("host", __name__)
bp.before_request(context.among_people)


def _hosted(match_id: str) -> tuple[Match, Account]:
    me = context.need_account()
    match = by_match_id(context.db(), match_id)
    lobby.host_only(match, me)
    return match, me


@bp.get("/g/<id:match_id>/host")
def game(match_id: str, fault: str = "", typed: Mapping[str, str] = MappingProxyType({})) -> Page:
    match, me = _hosted(match_id)
    stands = host.standing(context.db(), match)
    names = {s.seat: s.name for s in stands.seats}
    late = lateness.let_pass(context.db(), match)
    announced = notices.open_notices(context.db(), match)
    return context.form_page(
        "pages/host.html",
        fault,
        match=match,
        stands=stands,
        late=late,
        overdue=late | lateness.kept(stands.seats),
        notices={n.seat: n for n in announced if n.kind == notices.REPLACE},
        whole=[n for n in announced if n.kind != notices.REPLACE],
        proposed=[t for t in votes.open_votes(context.db(), match, stands.seats) if t.vote.by_seat == votes.BY_HOST],
        vote_words=lambda vote: votes.words(vote, names),
        waits={w.seat: w for w in stands.waits},
        seated=any(s.account_id == me.id for s in stands.seats),
        pause=absences.pause_of(context.db(), match) if match.status == MatchStatus.RUNNING else None,
        moment=lambda at: shown(at, me.zone),
        ago=lambda at: span((now() - at).total_seconds()),
        typed=typed,
    )


def _execute(session: Session, match: Match, given: dict[str, str]) -> str:
    match given["do"]:
        case "extend":
            host.extend(session, match, given["seat"], host.duration(given["by"]))
            return gettext("The deadline moves; the table is told.")
        case "resend":
            host.resend(session, match, given["seat"])
            return gettext("A copy is on its way.")
        case "replace":
            return _replace(session, match, given)
        case "recall":
            host.recall(session, match, given["notice"])
            return gettext("The announcement is taken back; the table is told.")
        case "pause":
            host.pause(session, match, now() + timedelta(days=permissions.read_days(given["days"])))
            return gettext("The table pauses.")
        case "resume":
            host.resume(session, match)
            return gettext("The pause is over.")
        case "end":
            votes.propose_end(session, match, votes.BY_HOST, given["reason"])
            return gettext("The table is asked. Your own vote, if you sit there, is under “Clock and votes”.")
        case "watch":
            votes.propose_watching(session, match, votes.BY_HOST)
            return gettext("The table is asked. Your own vote, if you sit there, is under “Clock and votes”.")
        case "close":
            votes.stop_sharing(session, match)
            return gettext("The replay is closed; its links no longer work.")
        case "withdraw":
            votes.withdraw(session, match, given["vote"], votes.BY_HOST)
            return gettext("The proposal is taken back.")
    raise NotUnderstood(gettext("Press one of the buttons of this page."))


def _replace(session: Session, match: Match, given: dict[str, str]) -> str:
    if given["sure"] != "yes":
        raise NotUnderstood(gettext("Tick the box to give the seat to somebody else; nothing was changed."))
    if host.replace(session, match, given["seat"], given["email"]) == "announced":
        return gettext("It is announced; the table gets a letter.")
    return gettext("The seat is looked for; the table is told.")


@bp.post("/g/<id:match_id>/host")
@limiter.limit("60 per hour")
@once
def do(match_id: str) -> Page:
    match, _ = _hosted(match_id)
    longest = {"do": 10, "seat": 2, "by": 20, "email": 400, "days": 10, "reason": 1000, "sure": 5, "vote": 32, "notice": 32}
    given = context.fields(request.form, ("reason", "email"), **longest)
    try:
        with context.changing(match.id) as (session, here):
            said = _execute(session, here, given)
    except Refused as refusal:
        return game(match_id, str(refusal), given)
    return context.done(f"/g/{match_id}/host", said)
