"""Positions of a Movement Phase in which armies of all families stand in a few villages, on every road and behind every wall.

Whole games rarely bring two armies together; here nearly every order meets somebody, and is played through.
"""

from __future__ import annotations

import random

from engine.fief import FIEF
from engine.fief.rules.realm.pieces import lore_of
from engine.fief.rules.types import FiefState

PLACES = ("charolles", "lepervier", "blaye", "sennecy")
MEN = ("Arthur", "Baudoin", "Charles", "Eric", "Francois", "Gauvain", "Henri", "Othon")
LADIES = ("Alienor", "Blanche", "Mireille", "Jeanne")


def position(rng: random.Random, rulings: str = "") -> FiefState:
    """One of them, at random; the families are three or four, and two of four may be allied."""
    seats = rng.choice(("a b c", "a b c d")).split()
    lines = [f"seats: {' '.join(seats)}", "phase: 5", f"round: {rng.randint(2, 5)}", f"rulings: {rulings}"]
    if rng.random() < 0.2:
        lines.insert(1, f"options: {rng.choice(('fog_of_war', 'holy_relics'))}")
    if rng.random() < 0.4:
        lines.append(f"weather: {rng.choice(('plague', 'plague', 'heavy_rain', 'famine'))} {rng.choice((1, 2))}")
    held = {place: rng.choice(seats) for place in PLACES}
    there: dict[str, set[str]] = {place: {seat} for place, seat in held.items()}
    wed = len(seats) > 3 and rng.random() < 0.7
    for place, seat in held.items():
        lines.append(f"{place}.{seat}: {_force(rng)}")
    for place in PLACES:
        roads = lore_of().roads[place]
        for seat in seats:
            if held[place] == seat or rng.random() < 0.5:
                continue
            inside = wed and {held[place], seat} == {"a", "b"} and rng.random() < 0.5
            groups = [_force(rng) + ("" if inside else f" on {rng.choice((*roads, 'open'))}") for _ in range(rng.randint(1, 2))]
            lines.append(f"{place}.{seat}: {', '.join(groups)}")
            there.setdefault(place, set()).add(seat)
    lines += _villages(rng, held, there)
    lines += _lords(rng, seats, held, wed)
    lines += [f"{seat}.hand: secret_passage" for seat in seats if rng.random() < 0.15]
    return FIEF.rules.notation.read("fief: 1\n" + "\n".join(lines) + "\n")


def _force(rng: random.Random) -> str:
    """Troops of one group; few enough that nobody has more than the box."""
    return rng.choice(("1 maa", "1 knights", "1 maa 1 knights", "2 maa", "1 knights"))


def _villages(rng: random.Random, held: dict[str, str], there: dict[str, set[str]]) -> list[str]:
    lines = []
    for place, seat in held.items():
        walls = rng.choice(("", "", "stronghold", "stronghold"))
        foes = sorted(there[place] - {seat})
        engine = f" engine={rng.choice(foes)}/1" if walls and foes and rng.random() < 0.6 else ""
        order = ",".join([seat, *foes])
        lines.append(f"{place}: {seat} {walls}{engine} order={order}")
    return lines


def _lords(rng: random.Random, seats: list[str], held: dict[str, str], wed: bool) -> list[str]:
    lines, men, ladies = [], list(MEN), list(LADIES)
    rng.shuffle(men)
    rng.shuffle(ladies)
    for seat in seats:
        for n in range(2):
            id = ladies.pop() if n and ladies and rng.random() < 0.5 else men.pop()
            at = rng.choice(PLACES)
            road = "" if held[at] == seat else rng.choice((*lore_of().roads[at], "open"))
            captor = held[at] if n and held[at] != seat and rng.random() < 0.4 else ""
            words = [seat, at] + [f"on={road}"] * bool(road and not captor) + [f"captor={captor}"] * bool(captor)
            words += ["d_arc"] * (id == "Mireille")
            lines.append(f"{id}: {' '.join(words)}")
    if wed:
        lines += ["Thierry: a bourg spouse=Isabelle", "Isabelle: b bourg spouse=Thierry"]
    return lines
