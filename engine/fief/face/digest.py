"""Log digest: merges several answers into one line (Moves, purchases, draws, an election, a battle); card plays stay apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.core.asks import Seat
from engine.core.views import Event
from engine.fief.face.narrate import WORDS, armies_told, merge, tell
from engine.language.words import Names, after
from engine.text.digest import Digest, flowing
from engine.text.telling import merged

MATTERS: Mapping[str, frozenset[str]] = {
    "moves": frozenset(("moved", "control", "plague_roll")),
    "plays": frozenset(("lord_played", "fortune_played", "taxed", "disaster_cancelled", "placed", "prince", "control")),
    "purchases": frozenset(("bought", "title_bought", "reinforced")),
    "draws": frozenset(("discarded", "drawn", "drawn_own", "disaster_laid")),
    "election": frozenset(("stands", "voted", "tally", "elected", "nobody_elected", "election", "king", "queen")),
}
"""Topic -> its events."""
FIRST: Mapping[str, tuple[str, ...]] = {
    "moves": ("moved",), "plays": ("lord_played", "fortune_played", "taxed"), "election": ("stands", "voted", "tally"),
}  # fmt: skip
"""Topic -> first events, if restricted."""
COMMON = frozenset(("draws", "election"))
"""Topics shared by several players; others belong to one player."""
FIGHTS: Mapping[str, tuple[frozenset[str], frozenset[str], frozenset[str]]] = {
    "battle": (
        frozenset(("battle", "cavalcade")),
        frozenset((
            "side", "mustered", "came_out", "ambush", "shielded", "passage", "wished", "battle_roll", "losses", "changed_side",
            "surrendered", "truce", "captured", "battle_over",
        )),
        frozenset(("battle_over",)),
    ),
    "uprising": (
        frozenset(("uprising",)),
        frozenset(("uprising_joined", "calming", "calmed", "uprising_roll", "losses", "uprising_over")),
        frozenset(("uprising_over",)),
    ),
    "assassination": (
        frozenset(("assassination",)), frozenset(("shielded", "assassin_roll")), frozenset(("shielded", "assassin_roll")),
    ),
}  # fmt: skip
"""Fight -> events that begin, continue, and end it."""
ROLLS = frozenset(("battle_roll", "uprising_roll", "assassin_roll"))
SHORT = {"won": "attackers_won", "lost": "defenders_won"}
"""Battle results without the place."""
GOES_ON = "continue"
"""The default wish, not worth a mention."""


def matter(events: Sequence[Event]) -> str:
    """Topic of an answer; '' for none."""
    kinds = [event.kind for event in events]
    for name, whole in MATTERS.items():
        if whole.issuperset(kinds) and kinds[0] in FIRST.get(name, kinds):
            return name
    return next((name for name, (begins, goes_on, _) in FIGHTS.items() if kinds[0] in begins | goes_on), "")


def joins(before: Sequence[Event], after: Sequence[Event]) -> bool:
    of = matter(before)
    if of in FIGHTS:
        return _fought_on(of, before, after)
    if not of or matter(after) != of:
        return False
    if of == "election":
        return not any(event.kind == "tally" for event in before)
    return of in COMMON or _whose(before) == _whose(after)


def said(events: Sequence[Event], names: Names) -> list[str]:
    topic = matter(events)
    if topic in FIGHTS:
        return [*_fight(topic, events, names)]
    if topic == "plays":
        return [*flowing(tell, merge, events, names)]
    told = {"moves": _moves, "purchases": _purchases, "draws": _draws, "election": _election}.get(topic)
    return [*told(events, names)] if told is not None else []


def whose(events: Sequence[Event]) -> Seat:
    """Who began a fight; '' for other topics."""
    fight = FIGHTS.get(matter(events))
    return _whose(events) if fight is not None and events[0].kind in fight[0] else ""


DIGEST = Digest(joins, said, whose, folds=1.7)


def _whose(events: Sequence[Event]) -> Seat:
    return str(events[0].facts["seat"])


def _text(key: str, facts: Mapping[str, Any], names: Names) -> str:
    return WORDS.text("digest", key, facts, names)


# --- Moves ------------------------------------------------------------------------------------------------------------


def _moves(events: Sequence[Event], names: Names) -> Iterator[str]:
    seat, ways = _whose(events), list[dict[str, Any]]()
    rolls = [event for event in events if event.kind == "plague_roll"]
    for facts in (event.facts for event in events if event.kind == "moved"):
        last = next((way for way in reversed(ways) if {*way["lords"]} & {*facts["lords"]}), None)
        same = last is not None and all(last[name] == facts[name] for name in ("lords", "n", "captives"))
        if last is not None and same and last["to"] == facts["at"]:
            last["over"].append(last["to"])
            last["to"] = facts["to"]
        else:
            ways.append({**facts, "over": []})
    routes, before = list[dict[str, Any]](), dict[str, Any]()
    for way in ways:
        onward = (before.get("lords"), before.get("to")) == (way["lords"], way["at"]) and not way["over"]
        back = len(way["over"]) == 1 and way["to"] == way["at"]
        way["way"] = "onward" if onward else "back" if back else "round" if way["over"] else "straight"
        way["troops"] = way["n"]
        way["with"] = (
            "both" if way["n"] and way["captives"] else "troops" if way["n"] else "captives" if way["captives"]
            else "none" if onward else ""
        )  # fmt: skip
        if onward:
            routes[-1]["legs"].append(way)
        else:
            routes.append({"legs": [way]})
        before = way
    yield _text("moves", {"seat": seat, "routes": routes}, names)
    yield from (tell(event, after(names, seat), None) for event in merged(merge, rolls) if event is not None)
    yield from _control(seat, events, names)


def _control(seat: Seat, events: Sequence[Event], names: Names) -> Iterator[str]:
    first, last = dict[str, Seat](), dict[str, Seat]()
    for facts in (event.facts for event in events if event.kind == "control"):
        first.setdefault(facts["village"], facts["old"])
        last[facts["village"]] = facts["seat"]
    changed = {place: (first[place], owner) for place, owner in last.items() if first[place] != owner}
    taken = [place for place, change in changed.items() if change == ("", seat)]
    left = [place for place, change in changed.items() if change == (seat, "")]
    if taken or left:
        key = "left_and_taken" if taken and left else "taken" if taken else "left"
        yield _text(key, {"seat": seat, "taken": taken, "left": left}, after(names, seat))
    for place, (old, owner) in changed.items():
        if place not in (*taken, *left):
            event = Event("control", {"village": place, "seat": owner, "old": old})
            yield tell(event, after(names, seat) if owner == seat else names, None)


# --- purchases and draws ----------------------------------------------------------------------------------------------


def _purchases(events: Sequence[Event], names: Names) -> Iterator[str]:
    bought: dict[str, dict[str, int]] = {}
    for facts in (event.facts for event in events if event.kind == "bought"):
        wares = bought.setdefault(facts["village"], {})
        wares[facts["what"]] = wares.get(facts["what"], 0) + facts["n"]
    lots = [{"village": place, "wares": [{"what": w, "n": n} for w, n in wares.items()]} for place, wares in bought.items()]
    for lot in lots:
        lot["where"] = "there" if lot["village"] else "unseen"
    if lots:
        each = "purchases_each" if all(len(lot["wares"]) == 1 for lot in lots) else "purchases"
        yield _text(each, {"seat": _whose(events), "lots": lots}, names)
    for event in events:
        if event.kind != "bought":
            yield tell(event, after(names, _whose(events)) if lots else names, None)


def _draws(events: Sequence[Event], names: Names) -> Iterator[str]:
    hands: dict[Seat, Counter[tuple[str, str]]] = {}
    same: dict[frozenset[tuple[tuple[str, str], int]], list[Seat]] = {}
    yield from (tell(event, names, None) for event in events if event.kind == "discarded")
    laid = sum(event.kind == "disaster_laid" for event in events)
    for event in events:
        if event.kind in ("drawn", "drawn_own"):
            drawn = (event.facts["deck"], "") if event.kind == "drawn" else ("", event.facts["card"])
            hands.setdefault(str(event.facts["seat"]), Counter())[drawn] += 1
    for seat, drawn_by in hands.items():
        same.setdefault(frozenset(drawn_by.items()), []).append(seat)
    if hands:
        told = [
            {"seats": seats, "cards": [{"deck": deck, "card": card, "n": n} for (deck, card), n in hands[seats[0]].items()]}
            for seats in same.values()
        ]
        yield _text("draws", {"hands": told}, names)
    if laid:
        yield _text("laid", {"n": laid}, names)


# --- elections --------------------------------------------------------------------------------------------------------


def _election(events: Sequence[Event], names: Names) -> Iterator[str]:
    tally = next((event for event in events if event.kind == "tally"), None)
    standing = [event.facts for event in events if event.kind == "stands"]
    votes = [event.facts for event in events if event.kind == "voted"]
    if tally is None:
        if standing:
            yield _text("stand", {**standing[0], "lords": standing, "n": len(standing)}, names)
        if votes:
            laid: dict[tuple[str, ...], list[Seat]] = {}
            for facts in votes:
                laid.setdefault(tuple(facts["on"]), []).append(str(facts["seat"]))
            told = [
                {"on": [*on], "seats": seats, "n": len(on) if len(seats) == 1 else 2 * len(on)} for on, seats in laid.items()
            ]
            yield _text("votes", {"votes": told}, names)
    else:
        crowned = [event for event in events if event.kind in ("elected", "nobody_elected", "king", "queen")]
        yield from (tell(event, names, None) for event in merged(merge, crowned) if event is not None)
        yield tell(tally, names, None)
    yield from (tell(event, names, None) for event in events if event.kind == "election")


# --- fights -----------------------------------------------------------------------------------------------------------


def _fought_on(fight: str, before: Sequence[Event], after: Sequence[Event]) -> bool:
    begins, goes_on, ends = FIGHTS[fight]
    if any(event.kind in ends for event in before) or after[0].kind in begins or after[0].kind not in goes_on:
        return False
    place, on = _place(before), _place(after)
    return not on or on == place


def _place(events: Sequence[Event]) -> str:
    first = next((e.facts for e in events if e.kind not in ("losses", "captured", "passage", "ambush")), events[0].facts)
    return str(first.get("village") or first.get("lord") or "")


def _fight(fight: str, events: Sequence[Event], names: Names) -> Iterator[str]:
    begun, wished, before = events[0].kind in FIGHTS[fight][0], "", ""
    if fight == "battle" and not begun and any(e.kind in ROLLS for e in events):
        place = next(str(e.facts["village"]) for e in events if e.kind in ROLLS)
        yield _text("goes_on", {"village": place}, names)
    cost: dict[Seat, list[int]] = {}
    for facts in (event.facts for event in events if event.kind == "losses"):
        maa, knights = cost.get(str(facts["seat"]), (0, 0))
        cost[str(facts["seat"])] = [maa + facts["maa"], knights + facts["knights"]]
    last = max((n for n, event in enumerate(events) if event.kind == "losses"), default=-1)
    taken = begun and any(event.kind == "control" and event.facts["seat"] == _whose(events) for event in events)
    for n, event in enumerate(merged(merge, events)):
        if event is None:
            continue
        if n == last:
            lost = [{"seat": seat, "lost": f"{maa}+{knights}", "n": "other"} for seat, (maa, knights) in cost.items()]
            lost[0]["n"] = "first"
            yield _text("cost", {"losses": lost}, names)
        elif event.kind == "wished":
            wants_on = all(way == GOES_ON for way, _ in event.facts["wishes"].values())
            said_last, wished = wished, "" if wants_on else tell(event, names, None)
            yield from (wished,) if wished != said_last and wished else ()
        elif event.kind == "mustered" and begun:
            yield _text("stand_there", {"armies": armies_told(event.facts["armies"])}, names)
        elif event.kind == "battle_over" and begun and event.facts["how"] in SHORT:
            if taken and event.facts["how"] == "won":
                continue
            yield _text(SHORT[event.facts["how"]], {}, names)
        elif event.kind not in ROLLS | {"losses"}:
            actor = str(event.facts.get("captor") or event.facts.get("seat") or "")
            yield tell(event, after(names, actor) if actor and actor == before else names, None)
            before = actor
            continue
        if event.kind not in ROLLS:
            before = ""
