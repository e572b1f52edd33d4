"""How games end: the names of all endings, and which of them a finished game shows.

`ENDINGS` lists them; `shown` reads them off a final position, its events and its log. `tests/games/endings.toml` names a
fixture for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.core.asks import Seat, read
from engine.core.procedure import Outcome
from engine.core.views import Event
from engine.fief.rules import round as fief_round
from engine.fief.rules.realm.table import Table as FiefTable
from engine.fief.rules.realm.table import all_points
from engine.game import AnyState, Game
from engine.mastery.rules import reckoning
from engine.mastery.rules.table import Table as MasteryTable
from engine.ortus.rules.pieces import VIKINGS
from engine.play.match import TABLE, Entry

ANY = {
    "ended: the table votes": "`ended`, put in by the table",
    "ended: the host": "`ended`, put in by the host: in logs from before only tables and operators could",
    "ended: those who run the service": "`ended`, put in by the operator",
    "ended: nobody claims a guest's table": "`ended`, for the reason `unclaimed`",
    "ended: the only player": "`ended`, put in by the host for the reason `left`: a table against bots",
    "ended: nobody plays on against bots": "`ended`, put in by the operator for the reason `idle`",
    "abandoned: everybody stays away": "safe defaults alone, to the end",
    "abandoned: a steward plays on": "`kept`, and the seat's answers are a steward's to the end",
    "resigned: somebody else plays on": "`seek`, then `replace`",
}
"""Ending -> how it shows; in every game."""

ENDINGS = {
    "ortus": {
        "last: a siege": "OR-ELIM-1 a, OR-WIN-1",
        "last: the Vikings": "OR-VIK-14",
        "last: a ransom for Canterbury": "OR-ROLE-28",
        "last: a Joust": "OR-JOU-14",
        "last: Treachery": "OR-STR-7, OR-ELIM-1 a",
        "last: an empty deck at the end of a Turn": "OR-ELIM-1 b",
        "last: an empty deck at a Banquet": "OR-ELIM-1 b",
        "last: a concession": "OR-ELIM-1 c, OR-TURN-6",
        "last: the winner's deck is empty, too": "OR-WIN-1, OR-EX-86",
        "last_round: by points": "OR-HOUSE-1",
        "last_round: by Lords": "OR-HOUSE-1",
        "last_round: by Army Cards": "OR-HOUSE-1",
        "last_round: shared": "OR-HOUSE-1",
    },
    "mastery": {
        "points: alone": "MM-VIC-2",
        "points: in a Skirmish": "MM-OPT-11",
        "points: a team of two": "MM-OPT-3",
        "points: a team of three": "MM-OPT-3",
        "points: a team in a Skirmish": "MM-OPT-11",
        "points: left alone by an Arena roll": "MM-VIC-4",
        "points: after the tile's ability": "MM-AMB-41",
        "siege": "MM-OPT-8",
        "last_round: by points": "MM-AMB-56",
        "last_round: by knights": "MM-AMB-56",
        "last_round: shared": "MM-AMB-56",
        "last_round: a team": "MM-AMB-56",
        "last_round: shared by teams": "MM-AMB-56",
    },
    "fief": {
        "alone": "FF-VIC-1",
        "alone: married, at a table of three": "FF-VIC-2, FF-P3-2",
        "alone: before an alliance that has enough": "FF-VIC-4",
        "alone: of several, by points": "FF-VIC-5",
        "alone: of several, by the King": "FF-VIC-5",
        "alone: of several, by the Pope": "FF-VIC-5",
        "alone: of several, by the Queen Regent": "FF-VIC-5",
        "alone: of several, by Bishoprics": "FF-VIC-5",
        "alone: of several, by villages": "FF-VIC-5",
        "alone: shared": "FF-VIC-5",
        "allied": "FF-VIC-3",
        "allied: of several": "FF-VIC-5",
        "allied: shared": "FF-VIC-5",
        "rounds: a family": "FF-RND-2, D-SET-0",
        "rounds: an alliance": "FF-RND-2, D-SET-0",
        "rounds: shared": "FF-RND-2, D-SET-0",
    },
}
"""Game -> ending -> rules. Before the colon: the result's reason, `Outcome.how`."""

REMOVED = {"anchors", "deck", "concession"}
"""How an Earl is removed, `removed.how`. That nobody is left can't be: the game ends at one (OR-WIN-1). A ransom removes nobody
(OR-RAN-3). In the other two games nobody is eliminated (MM-TRN-9, FF-RND-2).
"""


@dataclass
class End:
    game: Game
    state: AnyState
    events: Sequence[Event]
    entries: Sequence[Entry] = ()
    """The log, if there is one."""

    @property
    def outcome(self) -> Outcome:
        found = self.state.table.outcome
        assert isinstance(found, Outcome)
        return found


def shown(end: End) -> set[str]:
    """Endings that a finished game shows."""
    how = end.outcome.how
    found = {*_of_tables(end.entries)}
    if how != "ended":
        found |= {f"{how}: {more}" if more else how for more in _OF[end.game.name](end)}
    return found


def _of_tables(entries: Sequence[Entry]) -> Iterator[str]:
    answers = [e for e in entries if e.serial > 0]
    if entries and answers and all(e.mark == "default" or e.via == "clock" for e in answers):
        yield "abandoned: everybody stays away"
    said = [(e.n, e.actor, read(e.move or "")) for e in entries if e.ask == TABLE]
    for n, actor, words in said:
        seat, later = words.pick("seat"), [e for e in answers if e.n > n]
        match words.option:
            case "end" if words.pick("reason") == "unclaimed":
                yield "ended: nobody claims a guest's table"
            case "end" if (actor, words.pick("reason")) == ("host", "left"):
                yield "ended: the only player"
            case "end" if (actor, words.pick("reason")) == ("operator", "idle"):
                yield "ended: nobody plays on against bots"
            case "end":
                yield {
                    "table": "ended: the table votes",
                    "host": "ended: the host",
                    "operator": "ended: those who run the service",
                }[actor]
            case "kept" if any(e.actor == seat for e in later) and all(e.mark == "steward" for e in later if e.actor == seat):
                yield "abandoned: a steward plays on"
            case "replace" if any(one.option == "seek" and one.pick("seat") == seat and m < n for m, _, one in said):
                yield "resigned: somebody else plays on"


# --- Ortus Regni ------------------------------------------------------------------------------------------------------

TAKEN = {
    "fell": ("seat", "a siege"),
    "canterbury_paid": ("seat", "a ransom for Canterbury"),
    "prize": ("loser", "a Joust"),
    "assassinated": ("seat", "Treachery"),
}
"""Event that takes an Anchor -> whose, and what it was."""


def _ortus(end: End) -> Iterator[str]:
    table, events = end.state.table, end.events
    if end.outcome.how == "last_round":
        standings = {e.facts["seat"]: [e.facts[k] for k in ("points", "lords", "army")] for e in events if e.kind == "reckoned"}
        yield _first(standings, end.outcome.winners, ("by points", "by Lords", "by Army Cards"))
        return
    at = max(i for i, e in enumerate(events) if e.kind == "removed")
    fallen, before = events[at].facts["seat"], events[:at]
    match events[at].facts["how"]:
        case "concession":
            yield "a concession"
        case "deck":
            last = next(e.kind for e in reversed(before) if e.kind in ("banquet", "turn"))
            yield "an empty deck at a Banquet" if last == "banquet" else "an empty deck at the end of a Turn"
        case "anchors":
            taken = next(e for e in reversed(before) if e.kind in TAKEN and e.facts[TAKEN[e.kind][0]] == fallen)
            by_vikings = taken.kind == "fell" and events[at].facts["to"] == VIKINGS
            yield "the Vikings" if by_vikings else TAKEN[taken.kind][1]
    if not table.earls[end.outcome.winners[0]].deck:
        yield "the winner's deck is empty, too"


def _first(standings: dict[Seat, list[int]], winners: Sequence[Seat], by: Sequence[str]) -> str:
    """What the winner was first by: the first count that the next one has not as many of."""
    if len(winners) > 1:
        return "shared"
    best = standings[winners[0]]
    others = [own for seat, own in standings.items() if seat not in winners]
    return by[max(next(i for i, own in enumerate(best) if own > other[i]) for other in others)]


# --- Medieval Mastery -------------------------------------------------------------------------------------------------


def _mastery(end: End) -> Iterator[str]:
    table: MasteryTable = end.state.table
    winners, options, kinds = end.outcome.winners, table.options, [e.kind for e in end.events]
    match end.outcome.how:
        case "siege":
            yield ""
        case "last_round":
            sides = reckoning.standings(table)
            first = {side[0]: [*standing] for side, standing in sides.items()}
            won = [side[0] for side in sides if set(side) <= set(winners)]
            reached = _first(first, won, ("by points", "by knights"))
            yield reached
            if options.teams:
                yield "shared by teams" if len(won) > 1 else "a team"
        case "points":
            size = {1: "alone", 2: "a team of two", 3: "a team of three"}[len(winners)]
            yield size
            if options.skirmish:
                yield "a team in a Skirmish" if options.teams else "in a Skirmish"
            turn = kinds[max(i for i, kind in enumerate(kinds) if kind in ("attacked", "advanced", "turn")) :]
            if "arena" in turn and "result" not in turn:
                yield "left alone by an Arena roll"
            if kinds[-2] != "conquered":
                yield "after the tile's ability"


# --- Fief -------------------------------------------------------------------------------------------------------------

MERITS = ("points", "the King", "the Pope", "the Queen Regent", "Fief titles", "Bishoprics", "villages")
"""Fief titles never set sides apart: points are titles, King and Pope."""


def merits(table: FiefTable, side: Sequence[Seat]) -> list[int]:
    """What sets sides apart, in the order of FF-VIC-5."""
    lords = [p for seat in side for p in table.family(seat)]
    return [
        sum(all_points(table)[seat] for seat in side),
        sum(p.king for p in lords),
        sum(p.pope for p in lords),
        sum(p.queen == "regent" for p in lords),
        sum(len(p.fiefs) for p in lords),
        sum(bool(p.bishop) for p in lords),
        sum(len(table.controlled(seat)) for seat in side),
    ]


def _fief(end: End) -> Iterator[str]:
    table: FiefTable = end.state.table
    winners, sides = end.outcome.winners, fief_round.sides(table)
    able = {n: [s for s in sides if len(s) == n and merits(table, s)[0] >= enough] for n, enough in ((1, 3), (2, 4))}
    won = [side for side in sides if set(side) <= set(winners)]
    match end.outcome.how:
        case "rounds":
            yield "shared" if len(won) > 1 else "an alliance" if len(won[0]) == 2 else "a family"
        case "alone":
            yield ""
            if table.spouses(winners[0]):
                yield "married, at a table of three"
            if able[2]:
                yield "before an alliance that has enough"
            if len(able[1]) > 1:
                reached = _first({s[0]: merits(table, s) for s in able[1]}, winners, MERITS)
                yield "shared" if reached == "shared" else f"of several, by {reached}"
        case "allied":
            yield ""
            if len(able[2]) > 1:
                yield "shared" if len(won) > 1 else "of several"


_OF = {"ortus": _ortus, "mastery": _mastery, "fief": _fief}
