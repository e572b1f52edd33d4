"""Small boards of *My games*: positions as their seats see them, drawn without words by `templates/GAME/small.svg`. Cached by
the position's version.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from flask import render_template
from markupsafe import Markup
from sqlmodel import Session

from engine.core import procedure
from engine.games import GAMES
from service.common import memo
from service.games import cards, listings
from service.post.rendering import TEMPLATES
from service.store.encryption import need, passing_over
from service.store.models import MatchStatus
from service.table.mine import Mine

log = structlog.get_logger()

MOST = 3
"""Boards on a page; the other games show their game's drawing."""
KEPT = memo.MemoCache[Markup](4_000_000)


def drawn(session: Session, games: Sequence[Mine]) -> dict[str, Markup]:
    """Boards of the first running games, by match id; one query for those not cached."""
    found: dict[str, Markup] = {}
    keys = {game.match.id: _key(game) for game in [game for game in games if _can(game)][:MOST]}
    lacking = [game for game in games if game.match.id in keys and KEPT.get(keys[game.match.id]) is None]
    with passing_over():
        snapshots = listings.positions_of(session, [game.match for game in lacking])
    for game in lacking:
        board = _draw(game, snapshots.get(game.match.id))
        if board is not None:
            KEPT.keep(keys[game.match.id], board, len(board))
            found[game.match.id] = board
    return found | {id: board for id, key in keys.items() if (board := KEPT.get(key)) is not None}


def _can(game: Mine) -> bool:
    name = game.match.game
    return game.match.status == MatchStatus.RUNNING and name in GAMES and (TEMPLATES / name / "small.svg").is_file()


def _key(game: Mine) -> bytes:
    match = game.match
    return memo.written(match.id, game.seat, game.asked, cards.mark(match), [(row.seat, row.colour) for row in game.seats])


def _draw(game: Mine, snapshot: bytes | None) -> Markup | None:
    """Draw a board; None if that fails: the list is still shown."""
    if snapshot is None:
        return None
    match, rules, face = game.match, GAMES[game.match.game].rules, GAMES[game.match.game].face
    with passing_over(match=match.id):
        try:
            need(snapshot)
            state = rules.decode(snapshot)
            view = rules.view(state, game.seat)
            about = procedure.ask_of(state, game.seat).about if game.asked and game.seat in state.waiting else {}
            return Markup(
                render_template(
                    f"{match.game}/small.svg",
                    view=view,
                    board=face.board(view, None, None),
                    seat=game.seat,
                    about=about,
                    colours={row.seat: row.colour for row in game.seats},
                )
            )
        except Exception as problem:  # faulty rules halt that game only
            log.error("small board can't be drawn", match=match.id, problem=type(problem).__name__)
    return None
