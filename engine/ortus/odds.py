"""Odds of attacks, Jousts, Treachery and Intrigue, played on by `steady`."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import cast

from engine.core import odds, procedure
from engine.core.asks import Answer, Seat
from engine.core.consequences import Loss
from engine.core.odds import Fight, Stake, Trial
from engine.core.views import Event
from engine.ortus.face.preview import sent_by
from engine.ortus.face.view import OrtusState, redeal
from engine.ortus.rules.combat import Battle
from engine.ortus.rules.joust import Joust
from engine.ortus.rules.pieces import SEND, Card, kind, owner, parse
from engine.ortus.rules.politics import Politics, Struggle
from engine.ortus.rules.table import Earl, Table
from engine.ortus.rules.turn import Turn
from engine.ortus.rules.vikings import VikingTurn
from engine.ortus.steady import steady

BEGINS = ("attack", "joust", "treachery", "intrigue")
"""Options of a Turn that begin something that can fail."""
DECIDES = ("defend", "enter", "allies", "commit", "counter", "church", "church_asset")
"""Steps in which an answer decides how it ends."""

BEGUN = frozenset(("turn/attack", "turn/joust", "turn/treachery", "turn/intrigue", "vikings/attack"))
COUNTS = BEGUN | frozenset((
    "defend/field", "defend/stand_down", "enter/ante", "enter/tilt", "allies/decline", "allies/allies", "allies/asset",
    "commit/pass", "commit/commit", "counter/pass", "counter/commit", "church/NB", "church/AW", "church/DW",
    "church_asset/keep", "church_asset/spend",
))  # fmt: skip
DONE = frozenset((
    "fell", "canterbury_taken", "assassinated", "prince_slain", "hand_damaged", "mercenary_removed", "mercenary_stolen",
    "properties_stolen", "armies_stolen", "object_gone",
))  # fmt: skip
"""Events by which what was begun has succeeded; a Fief that is gone was paid to the attacker (OR-RAN-5)."""
FAILED = frozenset(("held", "canterbury_held", "tower_stands"))

KEPT = {
    "Castle": 32, "Palace": 32, "Land": 27, "MarketTown": 14, "Church": 14, "Cathedral": 3, "Prince": 57, "Vassal": 44,
    "Champion": 71, "Monk": 9, "Mercenary": 16, "Treachery": 39, "Intrigue": 8, "Allies": 57, "Banquet": 2, "Banner": 100,
}  # fmt: skip
"""Sampling weight of a card in another's Hand: what waits for its day is kept, the rest is played, buried, or in few decks.

Fitted to the Hands in fights of 400 games between bots, other games than those by which `bench/odds.py` checks the odds.
"""


def verdict(event: Event, seat: Seat) -> int | None:
    kind, facts = event.kind, event.facts
    if kind in DONE:
        return 1
    if kind in FAILED or (kind == "struggle_over" and not facts["won"]):
        return -1
    if kind in ("raided", "towers_fell"):
        return 1 if facts["cards"] else -1
    if kind == "joust_won":
        return 1 if facts["seat"] == seat else -1
    return 0 if kind == "joust_cancelled" else None


def stakes(state: OrtusState, seat: Seat, answer: Answer) -> list[Stake]:
    """Fights an answer begins or decides; losses in cards."""
    at = state.stack[-1]
    begins = isinstance(at, Turn | VikingTurn) and answer.option in BEGINS
    if not begins and (at.step not in DECIDES or answer.option in ("opt_out", "stand_aside")):
        return []
    if isinstance(at, Battle) and seat not in (at.actor, at.defender):
        return []
    fight = _begun(state, seat, answer) if begins else _going_on(state, seat, answer)
    return [Stake(fight, state, partial(_played, seat=seat, answer=answer, begins=begins), partial(redeal, kept=KEPT))]


def _played(world: OrtusState, seat: Seat, answer: Answer, begins: bool) -> Trial:
    table = world.table
    before = owned(table.earls[seat])
    root: Battle | Joust | Politics
    if begins:
        root = cast(Battle | Joust | Politics, odds.called(world, seat, answer))
        stood = _standing(table, root)
        odds.alone(world, root)
    else:
        root = odds.cut(world, Politics if isinstance(world.stack[-1], Struggle) else type(world.stack[-1]))
        stood = _standing(table, root)
        procedure.play(world, seat, answer, trusted=True)
    odds.finish(world, steady)
    return Trial(_result(table, root, stood, seat), (before - owned(table.earls[seat])).total())


def _result(table: Table, root: Battle | Joust | Politics, stood: int, seat: Seat) -> int:
    if isinstance(root, Joust):
        return (1 if root.winner == seat else -1) if root.begun else 0
    if isinstance(root, Politics):
        done, by = root.came != "failure", root.attacker
    else:
        done, by = _standing(table, root) < stood, root.actor
        if root.what == "raid" and table.earls[root.defender].fief(root.number) is not None:
            done = bool(root.falling)  # not what was paid as ransom
    return 1 if done == (by == seat) else -1


def _standing(table: Table, root: Battle | Joust | Politics) -> int:
    if not isinstance(root, Battle):
        return 0
    earl = table.earls[root.defender]
    fief = earl.fief(root.number)
    match root.what:
        case "tower":
            return len(earl.towers)
        case "canterbury":
            return int(table.canterbury == earl.seat)
        case _:
            return int(fief is not None)


def owned(earl: Earl) -> Counter[Card]:
    """Cards without deck, discards, Banners and Emissaries."""
    found = Counter([*earl.hand, *earl.towers, *earl.reserve])
    for fief in earl.fiefs:
        found.update([fief.anchor, *fief.properties, *([fief.lord] if fief.lord else [])])
    for mercenary in earl.mercenaries:
        found.update([mercenary.card, *([mercenary.garrison] if mercenary.garrison else [])])
    return found


# --- the plain figures ------------------------------------------------------------------------------------------------


def _begun(state: OrtusState, seat: Seat, answer: Answer) -> Fight:
    table = state.table
    if answer.option == "attack":
        vikings = isinstance(state.stack[-1], VikingTurn)
        points = sum(SEND[card] for card in table.force) if vikings else sent_by(state, seat, answer)
        return _battle(table, Battle.on(answer.pick("target"), seat, seat), points, seat)
    if answer.option == "joust":
        return _joust(table, seat)
    return Fight(answer.pick("aim"), (seat,), (parse(answer.pick("aim")).seat,))


def _going_on(state: OrtusState, seat: Seat, answer: Answer) -> Fight:
    table, at = state.table, state.stack[-1]
    if isinstance(at, Battle):
        return _battle(table, at, at.sent(at.attacking), seat)
    if isinstance(at, Joust):
        return _joust(table, seat)
    assert isinstance(at, Politics | Struggle)
    target = at.defender if isinstance(at, Struggle) else at.target
    other = target if seat == at.attacker else at.attacker
    return Fight("", (seat,), (other,))


def _battle(table: Table, battle: Battle, points: int, seat: Seat) -> Fight:
    earl = table.earls[battle.defender]
    needs = battle.needs(earl)
    at = f"fief:{battle.defender}:F{battle.number}" if battle.number else ""
    if battle.actor == seat:
        return Fight(at, (seat,), (earl.seat,), points, needs)
    return Fight(at, (earl.seat,), (battle.attacker,), needs, points)


def _joust(table: Table, seat: Seat) -> Fight:
    others = tuple(e.seat for e in table.others(seat))
    return Fight("", (seat,), others, mutual=False)


# --- what can be lost -------------------------------------------------------------------------------------------------


FIGHTS = (Battle, Joust, Politics, Struggle)
PERILS = frozenset((
    "turn", "defend", "church", "church_asset", "ransom", "canterbury", "enter", "allies", "commit", "counter", "vikings",
))  # fmt: skip


def holds(state: OrtusState, seat: Seat) -> dict[str, Loss]:
    """Place in the game, crown, Canterbury, Fiefs with Lords, and cards still in the game."""
    table, found = state.table, dict[str, Loss]()
    earl = table.earls[seat]
    if earl.alive and (table.outcome is None or seat in table.outcome.winners):
        found["in"] = Loss("out", {"last": len(earl.fiefs) == 1})
    if not earl.alive:
        return found
    if table.king == seat:
        found["crown"] = Loss("crown")
    if table.canterbury == seat:
        found["canterbury"] = Loss("canterbury")
    for fief in earl.fiefs:
        found[f"fief {fief.number} {fief.anchor}"] = Loss("fief", {"fief": fief.number, "card": kind(fief.anchor)})
        if fief.lord is not None:
            found[f"lord {fief.number} {fief.lord}"] = Loss("lord", {"fief": fief.number, "card": kind(fief.lord)})
    if not sum(owner(card) == seat for card in table.out):
        found["cards"] = Loss("cards")
    return found
