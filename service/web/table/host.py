"""A host's page of a game, the operators' page, and endpoints for machines."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import MappingProxyType

from flask import Blueprint, abort, jsonify, make_response, render_template, request
from sqlmodel import Session

from engine.core.asks import NotUnderstood, Refused
from service.common.dates import shown, span
from service.common.i18n import gettext
from service.games import lessons, lobby
from service.ops import checks, dated_backups, metrics
from service.people import accounts
from service.post import ledger, outgoing, relay
from service.seat import halting
from service.store import counters, queue, tallies
from service.store.models import Account, Match, MatchStatus, now
from service.table import absences, bans, host, lateness, notices, powers, problems, votes
from service.web import context, words
from service.web.context import Page
from service.web.once import once
from service.web.security import at_this_machine, limiter

bp = Blueprint("host", __name__)
bp.before_request(context.among_people)


def _hosted(match_id: str) -> tuple[Match, Account]:
    me = context.need_account()
    match = lobby.by_match_id(context.db(), match_id)
    lobby.host_only(match, me)
    return match, me


@bp.get("/g/<id:match_id>/host")
def game(match_id: str) -> Page:
    match, me = _hosted(match_id)
    return _game(match, me)


def _game(match: Match, me: Account, fault: str = "", typed: Mapping[str, str] = MappingProxyType({})) -> Page:
    stands = host.standing(context.db(), match)
    names = {s.seat: s.name for s in stands.seats}
    late = lateness.let_pass(context.db(), match)
    announced = notices.open_notices(context.db(), match)
    body = render_template(
        "pages/host.html",
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
        fault=fault,
        typed=typed,
    )
    return (body, 422) if fault else body


def _extend(session: Session, match: Match, given: dict[str, str]) -> str:
    host.extend(session, match, given["seat"], host.duration(given["by"]))
    return gettext("The deadline moves; the table is told.")


def _resend(session: Session, match: Match, given: dict[str, str]) -> str:
    host.resend(session, match, given["seat"])
    return gettext("A copy is on its way.")


def _replace(session: Session, match: Match, given: dict[str, str]) -> str:
    if given["sure"] != "yes":
        raise NotUnderstood(gettext("Tick the box to give the seat to somebody else; nothing was changed."))
    if host.replace(session, match, given["seat"], given["email"]) == "announced":
        return gettext("It is announced; the table gets a letter.")
    return gettext("The seat is looked for; the table is told.")


def _recall(session: Session, match: Match, given: dict[str, str]) -> str:
    host.recall(session, match, given["notice"])
    return gettext("The announcement is taken back; the table is told.")


def _pause(session: Session, match: Match, given: dict[str, str]) -> str:
    host.pause(session, match, now() + timedelta(days=powers.read_days(given["days"])))
    return gettext("The table pauses.")


def _resume(session: Session, match: Match, _given: dict[str, str]) -> str:
    host.resume(session, match)
    return gettext("The pause is over.")


def _end(session: Session, match: Match, given: dict[str, str]) -> str:
    votes.propose_end(session, match, votes.BY_HOST, given["reason"])
    return gettext("The table is asked. Your own vote, if you sit there, is under “Clock and votes”.")


def _watch(session: Session, match: Match, _given: dict[str, str]) -> str:
    votes.propose_watching(session, match, votes.BY_HOST)
    return gettext("The table is asked. Your own vote, if you sit there, is under “Clock and votes”.")


def _close_replay(session: Session, match: Match, _given: dict[str, str]) -> str:
    votes.stop_sharing(session, match)
    return gettext("The replay is closed; its links no longer work.")


def _withdraw(session: Session, match: Match, given: dict[str, str]) -> str:
    votes.withdraw(session, match, given["vote"], votes.BY_HOST)
    return gettext("The proposal is taken back.")


BUTTONS: dict[str, Callable[[Session, Match, dict[str, str]], str]] = {
    "extend": _extend,
    "resend": _resend,
    "replace": _replace,
    "recall": _recall,
    "pause": _pause,
    "resume": _resume,
    "end": _end,
    "watch": _watch,
    "close": _close_replay,
    "withdraw": _withdraw,
}


@bp.post("/g/<id:match_id>/host")
@limiter.limit("60 per hour")
@once
def do(match_id: str) -> Page:
    """Execute one of the host's commands, or show the page with the fault."""
    match, me = _hosted(match_id)
    longest = {"do": 10, "seat": 2, "by": 20, "email": 400, "days": 10, "reason": 1000, "sure": 5, "vote": 32, "notice": 32}
    given = context.fields(request.form, ("reason", "email"), **longest)
    try:
        command = BUTTONS.get(given["do"])
        if command is None:
            raise NotUnderstood(gettext("Press one of the buttons of this page."))
        with context.writing() as session:
            said = command(session, lobby.by_match_id(session, match.id), given)
    except Refused as refusal:
        return _game(match, me, str(refusal), given)
    return context.done(f"/g/{match_id}/host", said)


@bp.get("/host")
def service() -> Page:
    return _service(context.need_operator())


def _service(me: Account, fault: str = "", typed: Mapping[str, str] = MappingProxyType({})) -> Page:
    session = context.db()
    health = metrics.readiness(context.settings(), session)
    unsent = health.get("oldest_unsent_letter_seconds")
    body = render_template(
        "pages/operators.html",
        version=metrics.own_version(),
        halted=halting.halted(session),
        games=host.running(session),
        names=lambda stands: {s.seat: s.name for s in stands.seats},
        fates=words.FATES,
        said=ledger.said,
        counts=sorted(tallies.by_status(session, "letters").items()),
        oldest=now() - timedelta(seconds=unsent) if isinstance(unsent, int) and unsent else None,
        bounced=host.bounced_accounts(session),
        reports=host.reports(session),
        problems=problems.pending(session),
        banned=bans.banned(session),
        fault=fault,
        typed=typed,
        health=health,
        checked=checks.last(context.settings()),
        house=context.settings(),
        most_games=context.settings().most_games or lobby.MOST_OPEN,
        troubles=sorted(ledger.troubles(session, now() - timedelta(days=1)).items()),
        lessons=lessons.steps_done(session),
        backup=dated_backups.last(context.settings()),
        refusals=metrics.refusals(context.settings()),
        refused=words.REFUSALS,
        mail_down=relay.down_since(session),
        mail_held=outgoing.held_since(session),
        moment=lambda at: shown(at, me.zone),
        ago=lambda at: span((now() - at).total_seconds()),
    )
    return (body, 422) if fault else body


@bp.post("/host/ban")
@once
def ban() -> Page:
    me = context.need_operator()
    given = context.fields(request.form, ("why", "email"), email=400, why=1000, choice=10)
    try:
        with context.writing() as session:
            account = accounts.known(session, given["email"])
            if given["choice"] == "unban":
                bans.unban(session, account)
            else:
                bans.ban(session, account, given["why"])
    except Refused as refusal:
        return _service(me, str(refusal), given)
    return context.done(
        "/host", gettext("The ban is over.") if given["choice"] == "unban" else gettext("The account is banned.")
    )


@bp.post("/host/check")
@limiter.limit("30 per hour")
@once
def check() -> Page:
    """Queue the checks of `writ check`, which wait for DNS and the mail server."""
    context.need_operator()
    context.fields(request.form)
    queue.send(context.settings(), queue.CHECK)
    return context.done("/host", gettext("The checks are running. Load this page again in a few seconds."))


@bp.post("/host/halted/<id:match_id>")
@once
def retry(match_id: str) -> Page:
    context.need_operator()
    context.fields(request.form)
    with context.writing() as session:
        halting.retry(session, lobby.by_match_id(session, match_id))
    return context.done("/host", gettext("The game goes on; if it breaks again, it is listed here again."))


@bp.post("/host/reports/<id:report_id>")
def deal_with(report_id: str) -> Page:
    context.need_operator()
    context.fields(request.form)
    with context.writing() as session:
        host.deal_with(session, report_id)
    return context.done("/host", gettext("Dealt with."))


@bp.get("/readyz")
@limiter.exempt
def ready() -> Page:
    """Readiness of database, broker and beat: 200 or 503 with what is missing."""
    found = metrics.readiness(context.settings(), context.db())
    return jsonify(found), 200 if found["ready"] else 503


@bp.get("/metrics")
@limiter.exempt
def figures() -> Page:
    """Prometheus metrics, for holders of the token, or in a local trial without one."""
    token = context.settings().metrics_token
    if token:
        if not hmac.compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
            counters.refused("metrics")
            abort(401, description=gettext("The figures need their token."))
    elif not at_this_machine(context.settings()):
        abort(403, description=gettext("The figures are for those who have their token; WRIT_METRICS_TOKEN sets it."))
    answer = make_response(metrics.figures(context.db()))
    answer.content_type = metrics.CONTENT_TYPE
    return answer
