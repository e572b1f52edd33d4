"""Titles: who may have which, taking and losing them (chapter TTL, FF-CAR-5, FF-QUE, FF-CPR)."""

from __future__ import annotations

from engine.asks import Seat
from engine.fief.pieces import CARDINAL, RANKS
from engine.fief.table import Person, Table, without


def rank(table: Table, fief: str) -> int:
    """How large a Fief's title is: Duchy before County before Barony (FF-FTL-6)."""
    return RANKS[table.lore.lands[fief].rank]


def give_fief(table: Table, fief: str, lord: Person) -> None:
    """The counter goes to a Lord's card, from wherever it was (FF-TTL-1)."""
    old = table.holder(fief)
    if old is not None:
        old.fiefs = without(old.fiefs, fief)
    lord.fiefs += (fief,)


def make_bishop(table: Table, lord: Person, see: int) -> None:
    """FF-BIS-5: a Crown Prince gives up his counter."""
    lord.bishop, lord.bishop_since = see, table.round
    if lord.prince:
        lord.prince = False
        table.tell("prince_lost", lord=lord.id, seat=lord.seat)


def leave_church(table: Table, lord: Person) -> None:
    """Bishop and Cardinal counters go back; the card of a hat to its pile (FF-CAR-5)."""
    lord.bishop = lord.bishop_since = 0
    if lord.cardinal == "card":
        table.lords_pile.append(CARDINAL)
    lord.cardinal = ""


def cardinal_for_sale(table: Table) -> bool:
    """Whether the counter that can be bought lies on the board."""
    return not any(p.cardinal == "sale" for p in table.lords.values())


def crown(table: Table, lord: Person) -> None:
    """FF-KNG-5: he is King; the title of a Queen or Regent ends (FF-QUE-2, 3), his wife becomes Queen (FF-MAR-5)."""
    regent = table.who("queen")
    if regent is not None:
        regent.queen = ""
        table.tell("queen_ends", lord=regent.id, seat=regent.seat)
    lord.king = True
    table.tell("king", lord=lord.id, seat=lord.seat)
    _wife_is_queen(table, lord)


def _wife_is_queen(table: Table, king: Person) -> None:
    if king.spouse:
        wife = table.lords[king.spouse]
        wife.queen = "queen"
        table.tell("queen", lord=wife.id, seat=wife.seat)


def wed(table: Table, man: Person, lady: Person) -> None:
    """FF-MAR-4, 5: both cards bear the other's colour; a King's wife is Queen at once."""
    man.spouse, lady.spouse = lady.id, man.id
    table.tell("married", man=man.id, lady=lady.id, seats=[man.seat, lady.seat])
    if man.king:
        _wife_is_queen(table, man)


def part(table: Table, lord: Person) -> None:
    """A marriage ends (FF-MAR-7); after an annulment the Queen is Queen no longer (FF-MAR-11)."""
    other = table.lords[lord.spouse]
    lord.spouse = other.spouse = ""
    table.tell("parted", lords=[lord.id, other.id], seats=[lord.seat, other.seat])


def annul(table: Table, lord: Person) -> None:
    """By the Pope: the Queen loses her title at once, and is no Regent (FF-AMB-9)."""
    other = table.lords[lord.spouse]
    for one, partner in ((lord, other), (other, lord)):
        if one.queen == "queen" and partner.king:
            one.queen = ""
            table.tell("queen_ends", lord=one.id, seat=one.seat)
    part(table, lord)


def may_annul(table: Table, lord: Person) -> bool:
    """FF-MAR-11: not that of King and Queen while a Crown Prince is in play."""
    if not lord.spouse:
        return False
    royal = lord.king or table.lords[lord.spouse].king
    return not royal or table.who("prince") is None


def succeed(table: Table, dead: list[Person]) -> None:
    """After the deaths of one event, taken together: Crown Prince, Queen Regent, or nobody (FF-DTH-2)."""
    if not any(p.king for p in dead):
        return
    queen, prince = table.who("queen"), table.who("prince")
    if prince is not None:
        prince.prince = False
        crown(table, prince)
    elif queen is not None:
        queen.queen = "regent"
        table.tell("regent", lord=queen.id, seat=queen.seat)


def by_house(table: Table, seat: Seat) -> list[Person]:
    """Lords of a player who can take a Fief title, as the clock chooses: free before captive, fewer Fief titles first, then
    by name (D-TTL-1)."""
    return sorted(table.with_room(seat), key=lambda p: (not p.free, len(p.fiefs), p.id))
