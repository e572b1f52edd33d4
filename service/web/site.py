"""Front page, rules in short, health."""

from __future__ import annotations

from flask import Blueprint, Response, abort, jsonify, render_template
from sqlalchemy.exc import SQLAlchemyError

from engine.rulings import house
from service.games import lobby
from service.ground.words import gettext
from service.store.database import answers
from service.web import desk
from service.web.security import limiter

bp = Blueprint("site", __name__)


@bp.get("/")
def home() -> str:
    """What Writ is, and the way in."""
    return render_template("pages/home.html", games=lobby.offered())


@bp.get("/help")
def rules() -> str:
    """How one plays by letter, and the way to the rules of every game."""
    return render_template("pages/help.html", games=lobby.offered())


@bp.get("/help/<id:name>")
def rules_of(name: str) -> str:
    """How a game goes, in our own words."""
    game = next((game for game in lobby.offered() if game.name == name), None)
    if game is None:
        abort(404, description=gettext("There is no game of that name."))
    return render_template("pages/help_game.html", game=game, rulings=house(game.rulings))


@bp.get("/healthz")
@limiter.exempt
def health() -> tuple[Response, int]:
    """Whether this process reaches its database: for load balancers."""
    try:
        answers(desk.db())
    except SQLAlchemyError:
        return jsonify(status="database unreachable"), 503
    return jsonify(status="ok"), 200
