"""Automatic answers: bots, stewards, kept answers, orders, the clock. The most specific source wins."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime

import structlog
from sqlmodel import Session

from engine import match as matches
from engine import offer_policy, offers, orders, procedure
from engine.asks import Ask, Refused, Seat, read, write
from engine.chance import Chance
from service.clock import pace as paces
from service.games import advance
from service.games.sealed import Given
from service.store.models import AskRow, SeatRow, now
from workers import clocks
from workers.playing import Playing

log = structlog.get_logger()


def unasked(session: Session, playing: Playing, seat: Seat) -> Given | None:
    """The seat's automatic answer; None if its player is to answer."""
    row = playing.seats[seat]
    if row.bot or row.steward:
        return _bot(playing, seat, row.bot or row.steward)
    key = playing.key(seat)
    if key in playing.asks:
        return _kept(playing, seat)
    if key in playing.tried or key in playing.kept:
        return None
    if _turn_of(playing, seat) in playing.fallen:
        # An order plays the rest of an overdue turn.
        return _order(playing, row, late=True) or default(playing, seat)
    prepared = _prepared(playing, row)
    if prepared is not None:
        return prepared
    found = _in_advance(session, playing, row) or _order(playing, row)
    if found is None:
        playing.tried.add(key)
        return None
    if paces.of(playing.row.pace).answers == "decent" or closes_late(playing, seat):
        playing.kept[key] = found
        return None
    return found


def closes_late(playing: Playing, seat: Seat) -> bool:
    """Whether the answer would close a window that closes at its deadline only."""
    live = playing.live
    late = paces.of(playing.row.pace).windows == "deadline"
    return late and live.ask_kind() in live.game.windows and playing.waiting == [seat]


def keep_back(playing: Playing, seat: Seat, given: Given) -> bool:
    """Keep such an answer until the deadline, replacing a kept one; False otherwise. Raises Refused."""
    ask = playing.asks.get(playing.key(seat))
    if not closes_late(playing, seat) or ask is None or ask.due_at is None or ask.due_at <= now():
        return False
    answer = procedure.vet(playing.known_to(seat), seat, given.answer)
    ask.kept, ask.kept_via = write(answer), given.via
    clocks.keep_to_deadline(ask)
    return True


def overdue(playing: Playing, seat: Seat, at: datetime) -> Given | None:
    """The answer at a deadline passed by `at`: kept, by order, or default; None if none passed."""
    ask = playing.asks.get(playing.key(seat))
    if ask is None or ask.falls_at is None or ask.falls_at > at:
        return None
    kept = _vetted(playing, seat, ask) if ask.kept else None
    if kept is not None:
        return kept
    given, turn = _order(playing, playing.seats[seat], late=True), _turn_of(playing, seat)
    if given is not None and turn is not None:
        playing.fallen.add(turn)
    return given or default(playing, seat)


def falls_due(playing: Playing, seat: Seat) -> bool:
    """Whether the question or its turn is overdue."""
    ask = playing.asks.get(playing.key(seat))
    over = ask is not None and ask.falls_at is not None and ask.falls_at <= now()
    return over or _turn_of(playing, seat) in playing.fallen


def _turn_of(playing: Playing, seat: Seat) -> tuple[Seat, str] | None:
    mark = playing.live.game.turn_of(playing.live.state, seat)
    return (seat, mark) if mark else None


def default(playing: Playing, seat: Seat) -> Given:
    """The safe default by the seat's knowledge."""
    return Given(procedure.ask_of(playing.known_to(seat), seat).default, "clock", matches.DEFAULT)


def put_by(playing: Playing, seat: Seat) -> None:
    """Drop a refused automatic answer; the player is asked."""
    key = playing.key(seat)
    ask = playing.asks.get(key)
    if ask is not None and ask.kept:
        ask.kept, ask.kept_at = "", None
        playing.bared.add(key)
    playing.tried.add(key)


def _bot(playing: Playing, seat: Seat, name: str) -> Given:
    game, state = playing.live.game, playing.known_to(seat)
    mark = "" if playing.seats[seat].bot else "steward"
    # The bot sees a position with all hidden information redealt.
    seen = game.redeal(state, seat, Chance(secrets.token_hex(16)))
    try:
        return Given(procedure.vet(state, seat, game.bots[name](seen, seat, Chance(secrets.token_hex(16)))), "bot", mark)
    except Refused as refusal:
        log.warning("bot refused", match=playing.row.id, seat=seat, refusal=refusal.kind)
        return Given(procedure.ask_of(state, seat).default, "bot", mark)


def unasked_offer(session: Session, playing: Playing, seat: Seat, number: int, ask: Ask) -> Given | None:
    """The automatic answer to a proposal, or None."""
    row, key = playing.seats[seat], (seat, -number)
    if row.bot or row.steward:
        # A refused one isn't repeated, since it would block other proposals.
        return _haggled(playing, seat, ask, number) if key not in playing.tried else None
    if key in playing.asks:
        known = playing.asks[key]
        ready = known.kept and known.kept_at is not None and known.kept_at <= now()
        return Given(read(known.kept), known.kept_via) if ready and key not in playing.tried else None
    if key in playing.tried or key in playing.kept:
        return None
    found = _in_advance(session, playing, row, (ask, number)) or _ordered(playing, row, ask, number)
    if found is None or paces.of(playing.row.pace).answers == "decent":
        playing.tried.add(key)
        if found is not None:
            playing.kept[key] = found
        return None
    return found


def overdue_offer(playing: Playing, seat: Seat, number: int, ask: Ask, at: datetime) -> Given | None:
    """The answer to a proposal that lapsed by `at`: kept, by order, or safe; None if it hasn't."""
    key = (seat, -number)
    row = playing.asks.get(key)
    if row is None or row.falls_at is None or row.falls_at > at or key in playing.late:
        return None
    if row.kept and key not in playing.tried:
        playing.tried.add(key)
        return Given(read(row.kept), row.kept_via)
    playing.late.add(key)
    return _ordered(playing, playing.seats[seat], ask, number, late=True) or Given(ask.default, "clock", matches.DEFAULT)


def powers_unasked(playing: Playing) -> Iterator[tuple[Seat, str, Given]]:
    """Powers that bots, stewards and orders use now: seat, kind, answer. Retried after changes of the table, but not for
    ever.
    """
    game = playing.live.game
    for row in playing.seats.values():
        bot = row.bot or row.steward
        by_order = not bot and game.orders.use is not None and playing.orders_of(row.seat)
        if not by_order and bot not in game.hagglers:
            continue
        thought = playing.thought.setdefault(playing.key(row.seat), [])
        if playing.mark in thought or len(thought) >= offer_policy.MOST:
            continue
        thought.append(playing.mark)
        known = playing.known_to(row.seat)
        for ask in offers.powers(known, game.offers(known, row.seat)):
            given = _used_by_order(playing, row, ask) if by_order else _haggled(playing, row.seat, ask, 0)
            if given is not None:
                yield row.seat, ask.kind, given


def _used_by_order(playing: Playing, row: SeatRow, ask: Ask) -> Given | None:
    known, chance = playing.known_to(row.seat), Chance(secrets.token_hex(16))
    found = orders.use(playing.live.game, known, row.seat, ask, playing.orders_of(row.seat), chance)
    return Given(found, "order") if found is not None else None


def _haggled(playing: Playing, seat: Seat, ask: Ask, number: int) -> Given | None:
    """A bot's answer to a proposal, or use of a power; None to pass."""
    game, row = playing.live.game, playing.seats[seat]
    known, chance = playing.known_to(seat), Chance(secrets.token_hex(16))
    answer = offer_policy.said(game, row.bot or row.steward, known, seat, ask, number, chance)
    return Given(answer, "bot", "" if row.bot else "steward") if answer is not None else None


def _ordered(playing: Playing, row: SeatRow, ask: Ask, number: int, late: bool = False) -> Given | None:
    game, state = playing.live.game, playing.known_to(row.seat)
    found = orders.haggle(game, state, row.seat, ask, number, playing.orders_of(row.seat), Chance(secrets.token_hex(16)), late)
    return Given(found, "order") if found is not None else None


def _kept(playing: Playing, seat: Seat) -> Given | None:
    """The kept answer, once its delay is over."""
    ask = playing.asks[playing.key(seat)]
    if not ask.kept or ask.kept_at is None or ask.kept_at > now():
        return None
    if closes_late(playing, seat) and ask.due_at is not None and ask.due_at > now():
        clocks.keep_to_deadline(ask)
        return None
    return _vetted(playing, seat, ask)


def _vetted(playing: Playing, seat: Seat, ask: AskRow) -> Given | None:
    """A kept answer if still legal; else it is dropped and the player asked."""
    try:
        answer = procedure.vet(playing.known_to(seat), seat, read(ask.kept))
    except Refused as refusal:
        log.warning("kept answer dropped", match=playing.row.id, seat=seat, refusal=refusal.kind)
        ask.kept, ask.kept_at = "", None
        playing.bared.add(playing.key(seat))
        return None
    return Given(answer, ask.kept_via)


def _prepared(playing: Playing, row: SeatRow) -> Given | None:
    """An answer from before the start."""
    kept = row.prepared.get(playing.live.ask_kind())
    if kept is None:
        return None
    row.prepared = {k: v for k, v in row.prepared.items() if v != kept}
    try:
        return Given(procedure.vet(playing.known_to(row.seat), row.seat, read(kept)), "advance")
    except Refused as refusal:
        log.warning("kept answer dropped", match=playing.row.id, seat=row.seat, refusal=refusal.kind)
        return None


def _in_advance(session: Session, playing: Playing, row: SeatRow, offer: tuple[Ask, int] | None = None) -> Given | None:
    if not row.advance:
        return None
    found = advance.take(session, playing.row, row, playing.live.game, playing.known_to(row.seat), offer)
    return Given(found, "advance") if found is not None else None


def _order(playing: Playing, row: SeatRow, late: bool = False) -> Given | None:
    game, known = playing.live.game, playing.known_to(row.seat)
    chance, set_ = secrets.token_hex(16), playing.orders_of(row.seat)
    try:
        found = orders.answer(game, known, row.seat, set_, Chance(chance), late)
        if found is None:
            return None
        house = orders.of_house(game, known, row.seat, set_, found, chance, late)
        return Given(procedure.vet(known, row.seat, found), "house" if house else "order")
    except Refused as refusal:
        # An illegal order counts as none.
        log.warning("order dropped", match=playing.row.id, seat=row.seat, refusal=refusal.kind)
        return None
