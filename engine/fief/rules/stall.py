"""Goods and places for a purchase, from a seat's view and draft; mirrors the checks of `purchase`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from engine.core.asks import Row, Seat
from engine.fief.rules.purchase import HAT, KNIGHT, MAA, MILL, PLACED, STRONGHOLD, TITLE
from engine.fief.rules.realm.table import Lord, Place
from engine.game import View

WARES = (*PLACED, TITLE)


class Stall:
    """Goods left after the draft's complete rows (FF-PUR-1)."""

    def __init__(self, view: View, seat: Seat, rows: Sequence[Row]) -> None:
        self._view, self._seat = view, seat
        places = view["chart"]["villages"]
        self._rows = [row for row in rows if row.get("what") == HAT or (row.get("what") in WARES and row.get("at") in places)]

    @cached_property
    def left(self) -> int:
        purse = self._view["families"][self._seat].get("deniers") or 0
        return int(purse) - sum(self.price(str(row["what"]), str(row.get("at", ""))) * _n(row) for row in self._rows)

    def price(self, ware: str, place: Place) -> int:
        """Price of a ware; a title's depends on its Fief (FF-PUR-2)."""
        if ware == TITLE:
            return int(self._view["chart"]["lands"][self._view["chart"]["villages"][place]["fief"]]["price"])
        return int(self._view["options"]["prices"]["cardinal" if ware == HAT else PLACED[ware]])

    @cached_property
    def places(self) -> Mapping[str, list[Place]]:
        return {ware: [at for at in self._sites(ware) if self.price(ware, at) <= self.left] for ware in WARES}

    @cached_property
    def lords(self) -> Mapping[str, list[Lord]]:
        """Goods -> eligible Lords (FF-TTL-2, FF-CAR-2)."""
        people, most = self._view["lords"], self._view["options"]["most_titles"]
        bishops = [id for id, p in people.items() if p["bishop"] and not p["cardinal"]]
        none = self.price(HAT, "") > self.left or any(p["cardinal"] == "sale" for p in people.values())
        return {
            TITLE: [id for id, p in people.items() if p["seat"] == self._seat and len(p["fiefs"]) < most],
            HAT: [] if none else bishops,
        }

    @cached_property
    def titles(self) -> list[tuple[str, int]]:
        """Fiefs with a title for sale, and prices (FF-FTL-1)."""
        fiefs = dict.fromkeys(self._view["chart"]["villages"][at]["fief"] for at in self.places[TITLE])
        return [(fief, int(self._view["chart"]["lands"][fief]["price"])) for fief in fiefs]

    def takes(self, code: str, ware: str) -> bool:
        sorts = self.places if code in self._view["chart"]["villages"] else self.lords
        return any(code in those for kind, those in sorts.items() if ware in ("", kind))

    # --- places ---

    def _sites(self, ware: str) -> Iterator[Place]:
        match ware:
            case "maa" | "knight":
                yield from self._recruits(ware)
            case "mill":
                most, left = self._view["options"]["most_mills"], self._view["left"]["mills"] - self._count(MILL)
                own = [at for at in self._own if self._view["villages"][at]["mills"] + self._count(MILL, at) < most]
                yield from own if left > 0 else ()
            case "stronghold":
                left = self._view["left"]["walls"] - self._count(STRONGHOLD)
                yield from [at for at in self._own if not self._walls(at)] if left > 0 else ()
            case _:
                open_ = [fief for fief, land in self._view["chart"]["lands"].items() if self._is_open(fief, land)]
                yield from (
                    at for at in self._own if self._fief(at) in open_ and self._walls(at) == STRONGHOLD and self.lords[TITLE]
                )

    def _recruits(self, ware: str) -> Iterator[Place]:
        """Villages where one more Knight or Man-at-Arms can be recruited (FF-PUR-4)."""
        own = [p for p in self._view["lords"].values() if p["seat"] == self._seat and p["at"] and not p["captor"]]
        here, outside = {p["at"] for p in own}, {p["at"] for p in own if p["road"]}
        stock = self._view["families"][self._seat]["stock"][ware == KNIGHT] - self._count(ware)
        for at, village in self._view["villages"].items() if stock > 0 else ():
            bought = village["bought"] + self._count(MAA, at) + self._count(KNIGHT, at)
            open_ = at in here or (self._walls(at) and village["controller"] == self._seat)
            if open_ and (at in outside or not village["besieged"]) and bought < self._view["options"]["most_recruits"]:
                yield at

    @cached_property
    def _own(self) -> list[Place]:
        return [at for at, village in self._view["villages"].items() if village["controller"] == self._seat]

    def _is_open(self, fief: str, land: View) -> bool:
        inside = [at for at in self._view["villages"] if self._fief(at) == fief]
        held = any(fief in p["fiefs"] for p in self._view["lords"].values())
        taken = any(row["what"] == TITLE and self._fief(str(row["at"])) == fief for row in self._rows)
        walled = any(self._view["villages"][at]["walls"] == "city" for at in inside)
        return not (held or taken or walled) and all(at in self._own for at in inside)

    def _fief(self, place: Place) -> str:
        return str(self._view["chart"]["villages"][place]["fief"])

    def _walls(self, place: Place) -> str:
        if self._count(TITLE, place):
            return "city"
        return str(self._view["villages"][place]["walls"] or (STRONGHOLD if self._count(STRONGHOLD, place) else ""))

    def _count(self, ware: str, place: Place = "") -> int:
        return sum(_n(row) for row in self._rows if row["what"] == ware and place in ("", row.get("at")))


def _n(row: Row) -> int:
    held = row.get("n")
    return int(held) if isinstance(held, int) or (isinstance(held, str) and held.isdecimal() and held != "0") else 1
