"""Saved decks, and the deck of a seat. The game's `build` defines what a deck is."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session, col, select

from engine.core.asks import write
from engine.game import Build, Game
from engine.games import game_called
from service.common.messages import nsentence, sentence
from service.errors import NotAllowed, NotFound
from service.games import lobby
from service.people.accounts import clean_name
from service.post import disclosure
from service.store import limits
from service.store.models import Account, Deck, Match
from service.store.seats import seat_of

MOST_KEPT = 60


def builders() -> list[Game]:
    return [game for game in lobby.offered() if game.rules.build is not None]


def build_of(game: str) -> Build:
    """A game's rules for building decks. Raises NotFound."""
    found = game_called(game)
    if found.rules.build is None:
        raise NotFound(sentence("Nobody builds a deck for %(game)s.", game=found.title))
    return found.rules.build


def save(session: Session, account: Account, name: str, cards: Mapping[str, int], game: str) -> Deck:
    """Save a deck, replacing one of the same name. Raises Refused if it is invalid."""
    build = build_of(game)
    build.of_size(sum(cards.values())).check(cards)
    disclosure.check(session, name)
    name = clean_name(name, "name of the deck")
    limits.one_at_a_time(session, account)
    deck = session.exec(select(Deck).where(Deck.account_id == account.id, Deck.game == game, Deck.name == name)).first()
    if deck is None:
        if len(of(session, account, game)) >= MOST_KEPT:
            raise NotAllowed(
                nsentence(
                    "You keep %(num)s deck; delete it before you keep another.",
                    "You keep %(num)s decks; delete one before you keep another.",
                    MOST_KEPT,
                )
            )
        deck = Deck(account_id=account.id, game=game, name=name, cards={})
    deck.cards = {k: cards[k] for k in build.kinds if cards.get(k)}
    session.add(deck)
    session.flush()
    return deck


def of(session: Session, account: Account, game: str) -> list[Deck]:
    found = select(Deck).where(Deck.account_id == account.id, Deck.game == game)
    return list(session.exec(found.order_by(col(Deck.name))))


def kept(session: Session, account: Account, id: str) -> Deck:
    """A saved deck. Raises NotFound for others' decks."""
    deck = session.get(Deck, id)
    if deck is None or deck.account_id != account.id:
        raise NotFound(sentence("You keep no such deck."))
    return deck


def delete(session: Session, account: Account, id: str) -> None:
    session.delete(kept(session, account, id))
    session.flush()


def for_seat(session: Session, match: Match, account: Account, cards: Mapping[str, int]) -> None:
    """Set a seat's deck for the start. Raises Refused."""
    seat = seat_of(session, match, account)
    build = build_of(match.game).for_seat(match.options, seat.seat if seat is not None else "")
    if build is None:
        raise NotAllowed(sentence("What your deck must be is known when the game has begun; you are asked for it then."))
    build.check(cards)
    lobby.prepare(session, match, account, build.kind, write(build.answer(cards)))
