"""The deck for one game: prepared in the lobby, or submitted when asked."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from flask import Blueprint, redirect, request
from sqlmodel import Session

from engine.core.asks import NotLegal, NotUnderstood
from engine.game import Build
from engine.games import GAMES
from service.common.i18n import gettext
from service.games import decks
from service.seat import submissions
from service.store.models import Match, MatchStatus, SeatRow
from service.store.seats import by_match_id
from service.web import context
from service.web.context import Page
from service.web.games.decks import NOTHING, DeckForm, asked_for, deck_fields, deck_page, fitting, laid, read_counts
from service.web.games.lobby import done
from service.web.table import seat_page

bp = Blueprint("own_deck", __name__)


@bp.get("/g/<id:match_id>/deck")
def deck_form(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    build, serial = _deck_wanted(match, seat)
    if build is None:
        return redirect(f"/g/{match.id}", 303)
    return _deck_page(build, match, serial, laid(GAMES[match.game], context.db().get(SeatRow, (match.id, seat))))


def _deck_wanted(match: Match, seat: str) -> tuple[Build | None, int | None]:
    """Deck rules, and the open question's serial; None if no deck is asked for."""
    build = decks.build_of(match.game)
    if match.status == MatchStatus.LOBBY:
        return build.for_seat(match.options, seat), None
    view = seat_page.load(match, seat) if match.status == MatchStatus.RUNNING else None
    wanted = asked_for(view) if view is not None else None
    return (wanted, view.serial) if wanted is not None and view is not None else (None, None)


def _deck_page(
    build: Build,
    match: Match,
    serial: int | None,
    cards: Mapping[str, int],
    name: str = "",
    faults: Mapping[str, str] = NOTHING,
) -> Page:
    account = context.me()
    form = DeckForm(
        build=build,
        game=match.game,
        title=gettext("Your deck for “%(name)s”", name=match.name),
        action=f"/g/{match.id}/deck",
        back=f"/g/{match.id}",
        button=gettext("Play this deck"),
        named=account is not None,
        optional=True,
        saved=fitting(build, decks.of(context.db(), account, match.game)) if account else [],
        hidden={} if serial is None else {"key": secrets.token_hex(16), "serial": str(serial)},
    )
    return deck_page(form, cards, name, faults)


@bp.post("/g/<id:match_id>/deck")
def choose_deck(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    wanted, serial = _deck_wanted(match, seat)
    build = wanted or decks.build_of(match.game)
    cards: Mapping[str, int]
    faults: dict[str, str] = {}
    if "deck" in request.form:
        given = context.fields(request.form, deck=80, key=64, serial=12)
        cards = _ready_made(build, match, given["deck"])
    else:
        given = deck_fields(build, request.form, key=64, serial=12, sum=1)
        cards, faults = read_counts(build, given)
        if given["sum"]:
            return _deck_page(build, match, serial, cards, given["name"][:40], faults)
    if not faults:
        try:
            with context.writing() as session:
                _lay(session, build, match_id, seat, cards, given)
                if given.get("name"):
                    decks.save(session, context.me_in(session), given["name"], cards, match.game)
        except (NotUnderstood, NotLegal) as refused:
            faults[context.wrong_field(refused)] = str(refused)
    if faults:
        return _deck_page(build, match, serial, cards, given.get("name", "")[:40], faults)
    if match.status == MatchStatus.LOBBY:
        return done(match_id, gettext("Your deck is ready. Nobody else sees it."))
    submissions.wait(context.db(), given["key"])
    return redirect(f"/g/{match_id}/answer/{given['key']}", 303)


def _lay(session: Session, build: Build, match_id: str, seat: str, cards: Mapping[str, int], given: dict[str, str]) -> None:
    match = by_match_id(session, match_id)
    if match.status == MatchStatus.LOBBY:
        decks.for_seat(session, match, context.me_in(session), cards)
        return
    build.check(cards)
    serial = int(given["serial"]) if given["serial"].isascii() and given["serial"].isdigit() else -1
    submissions.submit(session, match, seat, given["key"], serial, build.kind, build.answer(cards))


def _ready_made(build: Build, match: Match, chosen: str) -> Mapping[str, int]:
    where, _, id = chosen.partition(":")
    house = next((ready.cards for ready in build.ready if ready.id == id), None)
    if where == "house" and house is not None:
        return house
    if where == "saved" and id:
        deck = decks.kept(context.db(), context.need_account(), id)
        if deck.game == match.game:
            return deck.cards
    return context.bad(gettext("There is no such deck; choose one of the list."))
