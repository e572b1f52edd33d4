"""Log download for a table's players and host."""

from __future__ import annotations

import re

from flask import Blueprint, Response

from service.games import replays
from service.store.models import Match
from service.web import context

bp = Blueprint("downloads", __name__)


@bp.get("/g/<id:match_id>/log.jsonl")
def log(match_id: str) -> Response:
    """JSON Lines: whole after the end, else as the visitor's seat (or a host without one) may know it."""
    match, me = context.db().get(Match, match_id), context.me()
    seat = context.seat_in(match_id)
    if match is None or seat is not None or me is None or match.host_id != me.id:
        match, seat = context.member_of(match_id)
    lines = replays.download(context.db(), match, seat)
    response = Response("".join(line.rstrip("\n") + "\n" for line in lines), mimetype="application/jsonl")
    name = re.sub(r"[^A-Za-z0-9]+", "-", match.name).strip("-")[:40] or "game"
    response.headers["Content-Disposition"] = f'attachment; filename="writ-{name}.jsonl"'
    return response
