"""The operators' page, and the endpoints `/readyz` and `/metrics`."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from flask import Blueprint, abort, jsonify, make_response, request
from prometheus_client import CONTENT_TYPE_LATEST

from engine.core.asks import Refused
from service.common.dates import shown, span
from service.common.i18n import gettext
from service.games import lessons, lobby
from service.ops import checks, dated_backups, metrics
from service.people import accounts
from service.post import ledger, outgoing, relay
from service.seat import halting
from service.store import counters, queue, tallies
from service.store.models import now
from service.table import bans, host, problems
from service.web import context, words
from service.web.context import Page
from service.web.once import once
from service.web.security import at_this_machine, limiter

bp = Blueprint("operators", __name__)


@bp.get("/host")
def show(fault: str = "", typed: Mapping[str, str] = MappingProxyType({})) -> Page:
    me, session = context.need_operator(), context.db()
    health = metrics.readiness(context.settings(), session)
    unsent = health.get("oldest_unsent_letter_seconds")
    return context.form_page(
        "pages/operators.html",
        fault,
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


@bp.post("/host/ban")
@once
def ban() -> Page:
    context.need_operator()
    given = context.fields(request.form, ("why", "email"), email=400, why=1000, choice=10)
    try:
        with context.writing() as session:
            account = accounts.known(session, given["email"])
            if given["choice"] == "unban":
                bans.unban(session, account)
            else:
                bans.ban(session, account, given["why"])
    except Refused as refusal:
        return show(str(refusal), given)
    return context.done(
        "/host", gettext("The ban is over.") if given["choice"] == "unban" else gettext("The account is banned.")
    )


@bp.post("/host/check")
@limiter.limit("30 per hour")
@once
def check() -> Page:
    """Queue the checks of `writ check`."""
    context.need_operator()
    context.fields(request.form)
    queue.send(context.settings(), queue.CHECK)
    return context.done("/host", gettext("The checks are running. Load this page again in a few seconds."))


@bp.post("/host/halted/<id:match_id>")
@once
def retry(match_id: str) -> Page:
    context.need_operator()
    context.fields(request.form)
    with context.changing(match_id) as (session, match):
        halting.retry(session, match)
    return context.done("/host", gettext("The game goes on; if it breaks again, it is listed here again."))


@bp.post("/host/reports/<id:report_id>")
@bp.post("/problems/<id:report_id>")
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
    answer.content_type = CONTENT_TYPE_LATEST
    return answer
