"""Odds of the fights that a seat's answers begin or decide; computed on demand, cached per position."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core import odds
from engine.core.asks import Answer, NotLegal, Refused, write
from engine.core.odds import Odds
from engine.ui.forms import said
from service.common.memo import MemoCache
from service.seat import submissions
from service.seat.seat_view import SeatView
from service.seat.submissions import Vetted

KEPT = 200_000
"""Most characters of cached odds in a process; a fight takes 300."""
_kept = MemoCache[list[Odds]](KEPT)


@dataclass(frozen=True)
class Counted:
    """An answer and the odds of each fight that it begins or decides."""

    label: str
    text: str
    fights: list[Odds]


def count(view: SeatView, vetted: Vetted) -> Counted:
    """Odds of an answer, from what its seat knows."""
    serial, kind, answer, state = vetted
    text = write(answer)
    label = said(view.form, answer) if view.form is not None else text
    key = f"{view.match.id} {view.seat} {view.n} {view.mark} {kind} {text}".encode()
    found = _kept.get(key)
    if found is None:
        rules = view.game.rules
        stakes = view.game.face.stakes(state, view.seat, answer) if serial > 0 else ()
        found = [odds.count(stake, view.seat, rules.redeal, rules.view) for stake in stakes]
        _kept.keep(key, found, 300 * len(found))
    return Counted(label, text, found)


def offered(view: SeatView) -> bool:
    """Whether the question has verbs without fields, whose odds need no input."""
    return bool(_plain(view))


def _plain(view: SeatView) -> list[str]:
    form, counts = view.form, view.game.face.counts
    return [o.id for o in form.options if not o.fields and f"{form.kind}/{o.id}" in counts] if form is not None else []


def all_plain(view: SeatView) -> list[Counted]:
    """Odds of each verb without fields that begins or decides a fight."""
    found = []
    for option in _plain(view):
        assert view.form is not None
        try:
            vetted = submissions.vet_for(view, view.form.serial, view.form.kind, Answer(option))
        except NotLegal:
            continue
        except Refused:  # the question has moved on
            return []
        found.append(count(view, vetted))
    return [one for one in found if one.fights]
