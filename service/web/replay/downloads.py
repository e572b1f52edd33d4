"""Downloads of a game: the log, and replay files of a finished one."""

from __future__ import annotations

import re

from flask import Blueprint, Response, request

from engine.language.i18n import language
from service.common import memo
from service.common.i18n import zone
from service.replay import replay_copy
from service.replay.replay_copy import Copy
from service.replay.viewer import OPEN, Reader
from service.store.models import Match
from service.web import context
from service.web.replay import replay, replay_file
from service.web.security import limiter

bp = Blueprint("downloads", __name__)

KEPT = memo.MemoCache[str](24_000_000)
"""HTML files by content: rendering one takes seconds of processor time."""


@bp.get("/g/<id:match_id>/log.jsonl")
def log(match_id: str) -> Response:
    """The log as JSON Lines: whole after the end, else as the seat (or a host without one) may know it. `for`, `names`: see
    `page`.
    """
    match, seat = _for(match_id)
    if request.args.get("for") == STRANGERS or request.args.get("names") == replay.HIDDEN:
        return context.attachment(replay_file.log(_copy(match, seat)), _name(match, "jsonl"), "application/jsonl")
    lines = replay_copy.download(context.db(), match, seat)
    return context.attachment("".join(line.rstrip("\n") + "\n" for line in lines), _name(match, "jsonl"), "application/jsonl")


@bp.get("/g/<id:match_id>/replay.html")
@limiter.limit("30 per hour")
def page(match_id: str) -> Response:
    """Replay file of a finished game, HTML. `as`, `names`: as in the viewer, by default all hands; `for=strangers`: without
    times and events about the table.
    """
    match, seat = _for(match_id)
    copy, name = _copy(match, seat), _name(match, "html")
    found = (copy.reader.seat, copy.reader.own, copy.reader.member, copy.reader.nameless, [*copy.told], [*copy.names.values()])
    key = memo.written(match.id, copy.header.hash(), replay_file.head(copy), *found, language(), zone(), name)
    drawn = KEPT.get(key) if key else None
    if drawn is None:
        drawn = replay_file.html(copy, name)
        if key:
            KEPT.keep(key, drawn, len(drawn))
    return context.attachment(drawn, name, "text/html")


@bp.get("/g/<id:match_id>/replay.txt")
@limiter.limit("60 per hour")
def transcript(match_id: str) -> Response:
    """Replay file as a transcript; `rules=on`: with rule ids."""
    match, seat = _for(match_id)
    text = replay_file.text(_copy(match, seat), request.args.get("rules") == "on")
    return context.attachment(text, _name(match, "txt"), "text/plain")


STRANGERS = "strangers"


def _for(match_id: str) -> tuple[Match, str | None]:
    """The match and the visitor's seat; None for a host without one."""
    match, me = context.db().get(Match, match_id), context.me()
    seat = context.seat_in(match_id)
    if match is None or seat is not None or me is None or match.host_id != me.id:
        return context.member_of(match_id)
    return match, seat


def _copy(match: Match, seat: str | None) -> Copy:
    replay_copy.must_be_over(match)
    rows = context.seats_in(match.id)
    hidden = request.args.get("names") == replay.HIDDEN
    strangers = hidden or request.args.get("for") == STRANGERS
    reader = Reader(
        replay.perspective(match, seat or "", OPEN, rows),
        "" if strangers else seat or "",
        "UTC" if strangers else context.zone_in(match.id, seat or ""),
        not strangers,
        replay.labels(rows) if hidden else {},
    )
    return replay_copy.take(context.db(), match, rows, reader)


def _name(match: Match, ending: str) -> str:
    told = match.game if request.args.get("names") == replay.HIDDEN else match.name
    return f"writ-{re.sub(r'[^A-Za-z0-9]+', '-', told).strip('-')[:40] or 'game'}.{ending}"
