"""Front page, rules in short, health."""

from __future__ import annotations

from flask import Blueprint, render_template

from service.web import words

bp = Blueprint("site", __name__)


@bp.get("/")
def home() -> str:
    """What Writ is, and the way in."""
    return render_template("pages/home.html")


@bp.get("/help")
def rules() -> str:
    """How a game goes, in our own words."""
    return render_template("pages/help.html", cards=words.card_rows())
