"""Front page, rules in short, health."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from service.web import desk, words
from service.web.security import limiter

bp = Blueprint("site", __name__)


@bp.get("/")
def home() -> str:
    """What Writ is, and the way in."""
    return render_template("pages/home.html")


@bp.get("/help")
def rules() -> str:
    """How a game goes, in our own words."""
    return render_template("pages/help.html", cards=words.card_rows())


@bp.get("/healthz")
@limiter.exempt
def health() -> tuple[Response, int]:
    """Whether this process reaches its database: for load balancers."""
    try:
        desk.db().execute(text("SELECT 1"))
    except SQLAlchemyError:
        return jsonify(status="database unreachable"), 503
    return jsonify(status="ok"), 200
