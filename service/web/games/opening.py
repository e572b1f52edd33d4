"""Opening a game."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, redirect, request

from engine.core.asks import Refused
from engine.games import GAMES
from service.clock.pace import Pace
from service.common.i18n import gettext
from service.errors import Misread
from service.games import lobby, muster
from service.store import rulings
from service.web import context
from service.web.context import Page
from service.web.games import pace_form
from service.web.games.options import split_rulings
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("opening", __name__)


@bp.get("/games/new")
def new() -> Page:
    lobby.need_opener(context.db(), context.need_account())
    named = request.args.get("game", "")
    first = next((game for game in lobby.offered() if game.name == named), lobby.offered()[0])
    given = {
        "name": "",
        "game": first.name,
        "seats": str(min(4, first.rules.seats[-1])),
        "access": "invited",
        "word": "",
        "take_back": "yes",
        "muster": muster.STRANGERS,
        "fill": "",
        "quiet": "",
    }
    given |= pace_form.given(Pace())
    return _opening_page(given)


def _opening_page(given: dict[str, str], fault: str = "", wrong: str = "", ruled: Mapping[str, str] | None = None) -> Page:
    games = lobby.offered()
    seats = range(min(game.rules.seats[0] for game in games), max(game.rules.seats[-1] for game in games) + 1)
    return context.form_page(
        "pages/new_game.html",
        fault,
        games=games,
        seats=seats,
        given=given,
        wrong=wrong,
        house=rulings.house,
        ruled=ruled or {},
        ruled_game=given["game"] if ruled and given["game"] in GAMES and _differs(given["game"], ruled) else "",
    )


def _differs(game: str, ruled: Mapping[str, str]) -> bool:
    return any(ruled.get(ruling.id, ruling.default) != ruling.default for ruling in rulings.house(GAMES[game]))


@bp.post("/games/new")
@limiter.limit("60 per hour")
@once
def open_game() -> Page:
    context.need_account()
    rest, ruled = split_rulings(request.form)
    given = context.fields(
        rest,
        ("name", "word"),
        name=400,
        game=40,
        seats=4,
        access=20,
        word=400,
        take_back=3,
        muster=10,
        fill=3,
        quiet=3,
        **pace_form.FIELDS,
    )
    try:
        if not (given["seats"].isascii() and given["seats"].isdigit()):
            raise Misread(gettext("The number of seats is missing; choose one of the list."), "seats")
        with context.writing() as session:
            host = context.me_in(session)
            pace = pace_form.read(given)
            seats = int(given["seats"])
            match = lobby.open_match(
                session,
                host,
                given["name"],
                given["game"],
                seats,
                given["access"],
                pace=pace,
                word=given["word"],
                ruled=rulings.of_form(given["game"], ruled),
                take_back=given["take_back"] != "no",
                mustered=given["muster"] or muster.STRANGERS,
                filled=given["fill"] == "yes",
                quiet_bots=given["quiet"] == "yes",
            )
    except Refused as refused:
        return _opening_page(given | {"name": given["name"][:60]}, str(refused), context.wrong_field(refused), ruled)
    return redirect(f"/g/{match.id}", 303)
