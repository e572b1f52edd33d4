"""Standing orders of Medieval Mastery (MM-STO): answers by the owner's knowledge; None asks him (MM-ASY-3)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from engine.core.asked import Asked, By, by
from engine.core.asks import Answer, Ask, NotUnderstood, Seat, read, settled, write
from engine.core.procedure import ask_of
from engine.game import Orders, Sheet, layout
from engine.mastery.face.view import MasteryState
from engine.mastery.orders import battles, script, settings, words
from engine.mastery.rules import ids
from engine.mastery.rules.table import Table, held, room
from engine.mastery.rules.turn import Turn, due


def answer(state: MasteryState, seat: Seat, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """The orders' answer; `state` is redealt for the seat."""
    asked = Asked(state, ask_of(state, seat), {id: order for id, order in orders.items() if order.option != "off"})
    found = ANSWERS[asked.ask.kind](asked) if asked.ask.kind in ANSWERS else None
    return asked.ask.default if found is None and ids.AWAY in asked.orders else found


ANSWERS: Mapping[str, By[Table]] = {
    "fracture": battles.in_window,
    "match": battles.match,
    "conflict": by(ids.CONFLICT, battles.conflict),
    "support": battles.support,
    "discard": battles.discard,
    "verdict": by(ids.PROSPERITY, script.verdict),
    "arrange": by(ids.INSIGHT, script.arrange),
    "early": script.act,
    "late": script.act,
}
"""Ask kind -> its answer."""


def after(state: MasteryState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
    """Drop a script after its turn (STO-8), passing ahead with the next (STO-9)."""
    kept, table = dict(orders), state.table
    own = [(kind, read(text)) for kind, _, text in (given.partition(":") for given in answered) if kind in ("early", "late")]
    before, now = int(kept.pop(ids.BEGUN, "0")), table.turn if table.active == seat else 0
    if any(kind == "early" for kind, _ in own):  # every turn has such an answer; later ones may follow a new order
        kept.pop(ids.AHEAD, None)
    for _, given in own:
        _move_on(state, seat, given, kept)
    # Another lord's answer may have ended the turn.
    ended = any(given.option == "end" for _, given in own)
    over = ended or before not in (0, now) or (own and (not now or _begun_anew(state, own)))
    if over:
        _count_down(kept)
    if over or not now:
        kept.pop(ids.IN_FORCE, None)
    if now and not (ended and before in (0, now)) and not kept.keys().isdisjoint((ids.SCRIPT, ids.IN_FORCE, ids.AWAY)):
        kept[ids.BEGUN] = str(now)
    return kept


def _begun_anew(state: MasteryState, own: Sequence[tuple[str, Answer]]) -> bool:
    """Whether own answers ended a turn, though another has begun: bots may play all others' in between."""
    early = any(isinstance(p, Turn) and p.step == "early" for p in state.stack)
    return early and any(kind == "late" or given.option == "march" for kind, given in own)


def _move_on(state: MasteryState, seat: Seat, given: Answer, kept: dict[str, str]) -> None:
    text = kept.pop(ids.IN_FORCE, None) or kept.pop(ids.SCRIPT, None)
    if text is None:
        return
    try:
        further = script.forward(state.table, seat, read(text), given)
    except NotUnderstood:
        return
    if further is not None:
        kept[ids.IN_FORCE] = write(further)


def _count_down(kept: dict[str, str]) -> None:
    try:
        away = read(kept.get(ids.AWAY, ""))
    except NotUnderstood:
        return
    if away.option == "on":
        left = (ids.read_choice(away.pick("turns")).n or 1) - 1
        kept[ids.AWAY] = write(Answer("on", {"turns": ids.amount("turns", left)}))
        if not left:
            del kept[ids.AWAY]


def coming(state: MasteryState, seat: Seat) -> list[Ask]:
    table = state.table
    if table.outcome is not None or not table.active or table.active == seat:
        return []
    return [settled(Turn().ask_early(_begun(table, seat), seat))]


def _begun(table: Table, seat: Seat) -> Table:
    lord = table.lords[seat]
    turn = table.turn + table.clockwise(table.active).index(seat)
    placed = msgspec.structs.replace(lord, knights=lord.knights + min(due(table, turn), room(table, seat)))
    return msgspec.structs.replace(table, crown_used=False, turn=turn, lords={**table.lords, seat: placed})


def stance(state: MasteryState, seat: Seat) -> str:
    """Hash of the own position; a change voids answers in advance."""
    table, lord = state.table, state.table.lords[seat]
    placed = _placed(state) if table.active == seat else 0
    own = [
        sorted(lord.hand),
        lord.knights - placed,
        [(slot, table.lands[slot].knights) for slot in held(table, seat)],
        [a.up for a in lord.artefacts()],
    ]
    return hashlib.sha256(msgspec.json.encode(own)).hexdigest()[:16]


def _placed(state: MasteryState) -> int:
    counted = next((p.placed for p in state.stack if isinstance(p, Turn)), -1)
    return counted if counted >= 0 else state.table.data.constants["place_knights_per_turn"]


LAYOUT = layout("engine.mastery")
BOOK = Orders(
    asks=lambda state, seat: settings.asks(state.table, seat),
    sheet=Sheet(prefix="sto_", labels=words.LABELS, words=words.ORDERS, layout=LAYOUT),
    vet=settings.vet,
    last_day=settings.last_day,
    answer=answer,
    after=after,
    preset=LAYOUT.preset,
    coming=coming,
    stance=stance,
)
