"""Decks: lists of cards that players keep, and the deck for a seat."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session, col, select

from engine.asks import Answer, NotUnderstood, write
from engine.ortus.pieces import KINDS, LORE, check_deck
from service import lobby
from service.accounts import clean_name
from service.errors import NotAllowed, NotFound
from service.models import Account, Deck, Match

HOUSE_DECKS: dict[str, dict[str, int]] = LORE["house_decks"]
MOST_KEPT = 60


def save(session: Session, account: Account, name: str, cards: Mapping[str, int], game: str = "ortus") -> Deck:
    """Keep a deck under a name; the same name replaces. Raises Refused for a deck that isn't one."""
    check_deck(cards)
    name = clean_name(name, "name of the deck")
    session.exec(select(Account.id).where(Account.id == account.id).with_for_update())  # one save at a time for each person
    deck = session.exec(select(Deck).where(Deck.account_id == account.id, Deck.game == game, Deck.name == name)).first()
    if deck is None:
        if len(of(session, account, game)) >= MOST_KEPT:
            raise NotAllowed(f"You keep {MOST_KEPT} decks; delete one before you keep another.")
        deck = Deck(account_id=account.id, game=game, name=name, cards={})
    deck.cards = {k: cards[k] for k in KINDS if cards.get(k)}
    session.add(deck)
    session.flush()
    return deck


def of(session: Session, account: Account, game: str = "ortus") -> list[Deck]:
    """The decks that a person keeps, by name."""
    found = select(Deck).where(Deck.account_id == account.id, Deck.game == game)
    return list(session.exec(found.order_by(col(Deck.name))))


def kept(session: Session, account: Account, id: str) -> Deck:
    """One deck of the person's own. Raises NotFound."""
    deck = session.get(Deck, id)
    if deck is None or deck.account_id != account.id:
        raise NotFound("You keep no such deck.")
    return deck


def delete(session: Session, account: Account, id: str) -> None:
    """Throw a deck of one's own away."""
    session.delete(kept(session, account, id))
    session.flush()


def for_seat(session: Session, match: Match, account: Account, cards: Mapping[str, int]) -> None:
    """Keep a deck for one's seat: it is submitted at the start. Raises Refused for a deck that isn't one."""
    check_deck(cards)
    picks = [k for k in KINDS for _ in range(cards.get(k, 0))]
    lobby.prepare(session, match, account, "deck", write(Answer("deck", {"cards": list(picks)})))


def counted(text: Mapping[str, str]) -> dict[str, int]:
    """A form's fields as counts. Raises NotUnderstood for what is no number."""
    counts: dict[str, int] = {}
    for kind in KINDS:
        raw = text.get(kind, "").strip() or "0"
        if not (raw.isascii() and raw.isdigit()) or len(raw) > 3:
            raise NotUnderstood(f"{kind}: “{raw[:10]}” is no number; take 0 to 6.")
        counts[kind] = int(raw)
    return counts
