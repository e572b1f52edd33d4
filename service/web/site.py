"""Front page, rules, manifest, health."""

from __future__ import annotations

import json

from flask import Blueprint, Response, abort, jsonify, render_template
from sqlalchemy.exc import SQLAlchemyError

from engine.language.i18n import language
from service.common.i18n import gettext
from service.games import lobby
from service.store import rulings
from service.store.database import answers
from service.web import context
from service.web.files import asset
from service.web.security import limiter

bp = Blueprint("site", __name__)


@bp.get("/")
def home() -> str:
    return render_template("pages/home.html", games=lobby.offered())


@bp.get("/help")
def rules() -> str:
    return render_template("pages/help.html", games=lobby.offered())


@bp.get("/help/<id:name>")
def rules_of(name: str) -> str:
    game = next((game for game in lobby.offered() if game.name == name), None)
    if game is None:
        abort(404, description=gettext("There is no game of that name."))
    return render_template("pages/help_game.html", game=game, rulings=rulings.house(game))


@bp.get("/manifest.webmanifest")
def manifest() -> Response:
    seal, whole = asset("seal.svg"), asset("seal-whole.svg")
    known = {
        "name": gettext("Writ: games of power, by letter"),
        "short_name": "Writ",
        "lang": language(),
        "id": "/",
        "start_url": "/games",
        "scope": "/",
        "display": "standalone",
        "background_color": "#e9dab8",
        "theme_color": "#f8f0da",
        "icons": [
            {"src": seal, "type": "image/svg+xml", "sizes": "any", "purpose": "any"},
            {"src": whole, "type": "image/svg+xml", "sizes": "any", "purpose": "maskable"},
            {"src": asset("seal-192.png"), "type": "image/png", "sizes": "192x192", "purpose": "any"},
            {"src": asset("seal-512.png"), "type": "image/png", "sizes": "512x512", "purpose": "any"},
        ],
    }
    return Response(json.dumps(known, ensure_ascii=False), mimetype="application/manifest+json")


@bp.get("/healthz")
@limiter.exempt
def health() -> tuple[Response, int]:
    try:
        answers(context.db())
    except SQLAlchemyError:
        return jsonify(status="database unreachable"), 503
    return jsonify(status="ok"), 200
