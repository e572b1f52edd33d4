"""Titles (chapter TTL, FF-CAR-5, FF-QUE, FF-CPR)."""

from __future__ import annotations

from engine.core.asks import Seat
from engine.fief.rules.realm.pieces import CARDINAL, RANKS
from engine.fief.rules.realm.table import Person, Table, without


def rank(table: Table, fief: str) -> int:
    """A title's size, for comparison (FF-FTL-6)."""
    return RANKS[table.lore.lands[fief].rank]


def give_fief(table: Table, fief: str, lord: Person) -> None:
    old = table.holder(fief)
    if old is not None:
        old.fiefs = without(old.fiefs, fief)
    lord.fiefs += (fief,)


def make_bishop(table: Table, lord: Person, see: int) -> None:
    """FF-BIS-5: a Crown Prince loses that title."""
    lord.bishop, lord.bishop_since = see, table.round
    if lord.prince:
        lord.prince = False
        table.tell("prince_lost", lord=lord.id, seat=lord.seat)


def leave_church(table: Table, lord: Person) -> None:
    """Lose Bishop and Cardinal, discard the card (FF-CAR-5)."""
    lord.bishop = lord.bishop_since = 0
    if lord.cardinal == "card":
        table.lords_pile.append(CARDINAL)
    lord.cardinal = ""


def cardinal_for_sale(table: Table) -> bool:
    return not any(p.cardinal == "sale" for p in table.lords.values())


def crown(table: Table, lord: Person) -> None:
    """FF-KNG-5: a King; ends a Queen or Regent (FF-QUE-2, 3), makes his wife Queen (FF-MAR-5)."""
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


def wed(table: Table, one: Person, other: Person) -> None:
    """FF-MAR-4, 5: marry; a King's wife is Queen at once."""
    man, lady = (other, one) if one.female else (one, other)
    man.spouse, lady.spouse = lady.id, man.id
    table.tell("married", man=man.id, lady=lady.id, seats=[man.seat, lady.seat])
    if man.king:
        _wife_is_queen(table, man)


def part(table: Table, lord: Person) -> None:
    """End a marriage (FF-MAR-7); an annulled Queen loses her title (FF-MAR-11)."""
    other = table.lords[lord.spouse]
    lord.spouse = other.spouse = ""
    table.tell("parted", lords=[lord.id, other.id], seats=[lord.seat, other.seat])


def annul(table: Table, lord: Person) -> None:
    """Annul a marriage: the Queen loses her title and is no Regent (FF-AMB-9)."""
    other = table.lords[lord.spouse]
    for one, partner in ((lord, other), (other, lord)):
        if one.queen == "queen" and partner.king:
            one.queen = ""
            table.tell("queen_ends", lord=one.id, seat=one.seat)
    part(table, lord)


def may_annul(table: Table, lord: Person) -> bool:
    """FF-MAR-11: not King and Queen while there is a Crown Prince. `lord` is married."""
    royal = lord.king or table.lords[lord.spouse].king
    return not royal or table.who("prince") is None


def succeed(table: Table, dead: list[Person]) -> None:
    """Crown Prince, Queen Regent, or nobody (FF-DTH-2)."""
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
    """Default order of Lords: free, fewest titles, name (D-TTL-1)."""
    return sorted(table.with_room(seat), key=lambda p: (not p.free, len(p.fiefs), p.id))
