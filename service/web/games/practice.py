"""Tables against bots: cards that offer them, and the button that opens one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, flash, redirect, request
from flask_limiter.util import get_remote_address

from engine.game import Game, Ready
from service.common.i18n import gettext
from service.people import accounts
from service.store import limits
from service.store.models import MatchStatus
from service.table import practice
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("practice", __name__)


@dataclass(frozen=True)
class BotTableCard:
    game: Game
    bots: int
    decks: Sequence[Ready]
    """The first is the default; [] if the game has no decks."""
    address: str
    """URL of the visitor's table; empty: none runs."""


def bot_tables() -> list[BotTableCard]:
    """A card for each game; [] if the visitor may not play against bots."""
    account = context.me() or context.guest()
    if not practice.allowed(context.settings(), account):
        return []
    running = practice.ongoing(context.db(), account) if account is not None else {}
    return [
        BotTableCard(
            game,
            practice.seats_for(game) - 1,
            practice.decks_for(game),
            f"/g/{running[game.name].id}/table" if game.name in running else "",
        )
        for game in practice.offered()
    ]


@bp.post("/g/<id:match_id>/end")
@once
def end(match_id: str) -> Page:
    match, _ = context.member_of(match_id)
    context.fields(request.form)
    if match.status == MatchStatus.RUNNING:  # pressed in two windows
        with context.changing(match.id) as (session, here):
            practice.end(session, here)
        flash(gettext("Your game against bots is over. You can begin another."), "good")
    return redirect("/games" if context.me() or context.guest() else "/", 303)


@bp.post("/g/<id:match_id>/quiet")
def quiet(match_id: str) -> Page:
    match, _ = context.member_of(match_id)
    given = context.fields(request.form, on=3)
    with context.changing(match.id) as (session, here):
        practice.quieten(session, here, given["on"] == "yes")
    return context.done(
        f"/g/{match.id}/table",
        gettext("The bots say nothing more.") if given["on"] == "yes" else gettext("The bots may speak again."),
    )


@bp.post("/try")
@limiter.limit("60 per hour", key_func=get_remote_address)
@once
def begin() -> Page:
    """Open a table against bots, or go on with it. An unknown visitor becomes a guest."""
    given = context.fields(request.form, game=40, deck=40)
    known = context.me() or context.guest()
    with context.writing() as session:
        if known is not None:
            account = accounts.by_id(session, known.id)
        else:
            account = practice.guest(session, limits.network_of(request.remote_addr))
            context.enter_as_guest(session, account)
        match = practice.begin(session, account, given["game"], given["deck"])
        address = f"/g/{match.id}/table"
    return redirect(address, 303)
