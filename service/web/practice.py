"""Tables against bots: the cards that offer them, and the button that begins one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, redirect, request
from flask_limiter.util import get_remote_address

from engine.game import Game, Ready
from service.people import accounts
from service.store import limits
from service.table import practice
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("practice", __name__)


@dataclass(frozen=True)
class Card:
    """A game that can be played against bots."""

    game: Game
    bots: int
    decks: Sequence[Ready]
    """The first is played unless another is chosen; [] where the game has no decks."""
    address: str
    """Of the visitor's table; empty: none runs."""


def bot_tables() -> list[Card]:
    """A card for each game; [] where the visitor may not play so."""
    account = context.me() or context.guest()
    if not practice.allowed(context.settings(), account):
        return []
    running = practice.ongoing(context.db(), account) if account is not None else {}
    return [
        Card(
            game,
            practice.seats_for(game) - 1,
            practice.decks_for(game),
            f"/g/{running[game.name].id}/table" if game.name in running else "",
        )
        for game in practice.offered()
    ]


@bp.post("/try")
@limiter.limit("60 per hour", key_func=get_remote_address)
@once
def begin() -> Page:
    """Begin a table against bots, or go on with it; a visitor who isn't signed in becomes a guest."""
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
