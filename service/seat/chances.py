"""Odds of fights that a seat's answers begin or decide; computed on demand, cached per position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.core import odds
from engine.core.asks import Answer, NotLegal, Refused, Value, write
from engine.core.odds import Odds, Stake
from engine.ui.forms import FormOption, OneField, RowsField, first_values, said
from service.common.memo import MemoCache
from service.seat import submissions
from service.seat.seat_view import SeatView
from service.seat.submissions import Vetted

KEPT = 200_000
"""Most characters of cached odds in a process; a fight takes 300."""
_kept = MemoCache[list[Odds]](KEPT)


@dataclass(frozen=True)
class Counted:
    label: str
    text: str
    fights: list[Odds]


def count(view: SeatView, vetted: Vetted) -> Counted:
    text = write(vetted.answer)
    label = said(view.form, vetted.answer) if view.form is not None else text
    key = f"{view.match.id} {view.seat} {view.n} {view.mark} {vetted.kind} {text}".encode()
    found = _kept.get(key)
    if found is None:
        rules = view.game.rules
        found = [odds.count(stake, view.seat, rules.redeal, rules.view) for stake in stakes(view, vetted)]
        _kept.keep(key, found, 300 * len(found))
    return Counted(label, text, found)


def stakes(view: SeatView, vetted: Vetted) -> Sequence[Stake]:
    counted = vetted.serial > 0 and f"{vetted.kind}/{vetted.answer.option}" in view.game.face.counts
    return view.game.face.stakes(vetted.state, view.seat, vetted.answer) if counted else ()


def at_stake(view: SeatView, option: FormOption) -> bool:
    """Whether an option may begin or decide a fight, with its first values and each of its choices."""
    form = view.form
    if form is None or f"{form.kind}/{option.id}" not in view.game.face.counts:
        return False
    if any(isinstance(field, RowsField) for field in option.fields):
        return True
    tried, refused = list(_tried(option)), 0
    for values in tried:
        try:
            if stakes(view, submissions.vet_for(view, form.serial, form.kind, Answer(option.id, values))):
                return True
        except Refused:
            refused += 1
    return refused == len(tried) and bool(option.fields)


def _tried(option: FormOption) -> Iterator[dict[str, Value]]:
    values = first_values(option)
    yield values
    for field in option.fields:
        if isinstance(field, OneField):
            yield from ({**values, field.name: choice.id} for choice in field.choices)


def offered(view: SeatView) -> bool:
    """Whether verbs without fields decide a fight: their odds need no input."""
    return view.form is not None and any(not option.fields and at_stake(view, option) for option in view.form.options)


def all_plain(view: SeatView) -> list[Counted]:
    """Odds of each verb without fields that begins or decides a fight."""
    form, found = view.form, []
    if form is None:
        return []
    for option in form.options:
        if option.fields or f"{form.kind}/{option.id}" not in view.game.face.counts:
            continue
        try:
            vetted = submissions.vet_for(view, form.serial, form.kind, Answer(option.id))
        except NotLegal:
            continue
        except Refused:  # the question has moved on
            return []
        found.append(count(view, vetted))
    return [one for one in found if one.fights]
