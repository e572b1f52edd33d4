"""Answers in advance for a foreseen question; not in the log until played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session

from engine.core.asks import Answer, Ask, NotLegal, Seat, check, read, read_ask, stored, write
from engine.game import Game
from engine.games import game_called
from engine.language.words import Message
from engine.ui.forms import describe, said
from service.common.i18n import speaking_to
from service.common.messages import sentence
from service.people.accounts import reader_at
from service.post import letters
from service.seat.state import known_to
from service.store.models import Match, MatchStatus, SeatRow, new_id
from service.store.seats import names_of


def coming(session: Session, match: Match, seat: str) -> list[Ask]:
    """Questions that the seat may be asked next; none while it is asked one."""
    if match.status != MatchStatus.RUNNING or match.snapshot is None:
        return []
    state = known_to(session, match, seat)
    return game_called(match.game).orders.coming(state, seat) if seat not in state.waiting else []


def give(session: Session, match: Match, row: SeatRow, kind: str, answer: Answer) -> None:
    """Queue an answer, replacing one of the same kind. Raises Refused unless it is legal now."""
    game = game_called(match.game)
    ask = next((a for a in coming(session, match, row.seat) if a.kind == kind), None)
    if ask is None:
        raise NotLegal(sentence("That can't be answered in advance: you are asked it already, or nobody can foresee it."))
    checked = check(ask, answer)
    if ask.option(checked.option).grave:
        raise NotLegal(
            sentence("What can't be undone can't be answered in advance; answer when you are asked, or by a standing order.")
        )
    given = {
        "id": new_id(),
        "kind": kind,
        "move": write(checked),
        "ask": stored(ask),
        "stance": game.orders.stance(known_to(session, match, row.seat), row.seat),
    }
    row.advance = [*(a for a in row.advance if a["kind"] != kind), given]
    session.flush()


def drop(session: Session, row: SeatRow, id: str) -> None:
    """Remove a queued answer. Idempotent."""
    row.advance = [a for a in row.advance if a["id"] != id]
    session.flush()


def dropped(session: Session, match: Match, row: SeatRow, given: Mapping[str, Any], why: Message | None) -> None:
    """Notify the owner of a dropped answer; `why` None: the position has changed."""
    if row.account_id:
        names = names_of(session, match.id)
        with speaking_to(*reader_at(session, match.id, row.seat)):
            words = in_words(game_called(match.game), names, given)
        why = why or sentence("Your position is not what it was when you gave the answer.")
        letters.to_seat(session, "advance_dropped", match, row, {**words, "why": why})


def in_words(game: Game, names: Mapping[Seat, str], given: Mapping[str, Any]) -> dict[str, str]:
    form = describe(game, read_ask(given["ask"]), names, 0)
    return {"id": given["id"], "title": form.title, "words": said(form, read(given["move"]))}
