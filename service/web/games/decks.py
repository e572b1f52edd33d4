"""Deck pages: house decks, saved decks, and the deck builder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from flask import Blueprint, abort, render_template, request
from werkzeug.datastructures import MultiDict

from engine.core.asks import Refused, read
from engine.game import Build, Game
from engine.language.words import Message
from engine.ui.forms import SomeField
from service.common.i18n import gettext
from service.games import decks
from service.seat.seat_view import SeatView
from service.store.models import Deck, SeatRow
from service.web import context, presets
from service.web.context import Page
from service.web.once import once

bp = Blueprint("decks", __name__)

LONGEST_NAME = 40
NOTHING: Mapping[str, str] = MappingProxyType({})


def read_counts(build: Build, given: Mapping[str, str]) -> tuple[dict[str, int], dict[str, str]]:
    """Parse the deck form to counts and faults, by kind."""
    counts: dict[str, int] = {}
    faults: dict[str, str] = {}
    for kind in build.kinds:
        text = given[kind] or "0"
        if text.isascii() and text.isdigit() and len(text) <= 3:
            counts[kind] = int(text)
        else:
            shown = {"name": build.names[kind], "text": text[:20], "most": build.copies}
            faults[kind] = gettext("%(name)s: “%(text)s” won’t do; take a whole number from 0 to %(most)s.", **shown)
    return {kind: n for kind, n in counts.items() if n}, faults


@dataclass(frozen=True, kw_only=True)
class DeckForm:
    build: Build
    game: str
    title: str
    action: str
    back: str
    button: str
    named: bool = True
    """Whether the deck can be named and saved."""
    optional: bool = False
    """Whether it is for one game: a house or saved deck can be chosen, and it needs no name."""
    saved: Sequence[Deck] = ()
    sizes: Sequence[Build] = ()
    """Builds of other allowed sizes."""
    hidden: Mapping[str, str] = field(default_factory=dict)


def deck_page(form: DeckForm, cards: Mapping[str, int], name: str = "", faults: Mapping[str, str] = NOTHING) -> Page:
    """Render the deck builder; `faults` by field (empty name: general) make it a 422."""
    page = render_template("pages/deck.html", form=form, cards=cards, name=name, faults=faults)
    return (page, 422) if faults else page


def deck_fields(build: Build, form: MultiDict[str, str], **more: int) -> dict[str, str]:
    return context.fields(form, ("name",), name=400, **dict.fromkeys(build.kinds, 20), **more)


def laid(game: Game, seat: SeatRow | None) -> dict[str, int]:
    kept = seat.prepared.get(game.rules.build.kind) if seat and game.rules.build else None
    return dict(Counter(read(kept).some(game.rules.build.field))) if kept and game.rules.build else {}


def fitting(build: Build | None, saved: Sequence[Deck]) -> list[Deck]:
    return [deck for deck in saved if build is not None and sum(deck.cards.values()) == build.size]


def asked_for(view: SeatView) -> Build | None:
    build, form = view.game.rules.build, view.form
    if build is None or form is None or form.kind != build.kind:
        return None
    fields = [f for option in form.options for f in option.fields if f.name == build.field and isinstance(f, SomeField)]
    return build.of_size(fields[0].least)


def ready_made(view: SeatView) -> list[tuple[str | Message, str]]:
    """House decks for a seat that is asked for one: (name, query string)."""
    build = asked_for(view)
    if build is None or view.form is None or view.pending:
        return []
    return [(deck.name, presets.address(view.form, build.answer(deck.cards))) for deck in build.ready]


@bp.get("/decks")
def shelf() -> Page:
    me = context.me()
    shelves = [
        (game, game.rules.build, decks.of(context.db(), me, game.name) if me else [])
        for game in decks.builders()
        if game.rules.build is not None
    ]
    return render_template("pages/decks.html", shelves=shelves)


def _game(name: str) -> str:
    """The named game; 404 if it has no decks."""
    found = [game.name for game in decks.builders() if name in ("", game.name)]
    if not found:
        abort(404, description=gettext("No game of that name uses decks."))
    return found[0]


@bp.get("/decks/new")
def blank() -> Page:
    context.need_account()
    given = context.fields(request.args, **{"from": 40, "game": 40})
    game, start = _game(given["game"]), given["from"]
    build = decks.build_of(game)
    cards = next((ready.cards for ready in build.all_ready if ready.id == start), {})
    if start and not cards:
        abort(404, description=gettext("There is no house deck of that name."))
    return deck_page(_new(game, build), cards)


def _new(game: str, build: Build) -> DeckForm:
    return DeckForm(
        build=build,
        game=game,
        title=gettext("Build a deck"),
        action="/decks/new",
        back="/decks",
        button=gettext("Keep this deck"),
        sizes=build.others,
        hidden={"game": game},
    )


def _change(deck: Deck, build: Build) -> DeckForm:
    button = gettext("Keep the changes")
    title, action = deck.name, f"/decks/{deck.id}"
    return DeckForm(build=build, game=deck.game, title=title, action=action, back="/decks", button=button, sizes=build.others)


@bp.post("/decks/new")
def keep_new() -> Page:
    context.need_account()
    game = _game(request.form.get("game", ""))
    return _keep(game, None, deck_fields(decks.build_of(game), request.form, game=40, sum=1))


@bp.get("/decks/<id:deck_id>")
def one(deck_id: str) -> Page:
    deck = decks.kept(context.db(), context.need_account(), deck_id)
    return deck_page(_change(deck, decks.build_of(deck.game)), deck.cards, deck.name)


@bp.post("/decks/<id:deck_id>")
def keep(deck_id: str) -> Page:
    deck = decks.kept(context.db(), context.need_account(), deck_id)
    return _keep(deck.game, deck, deck_fields(decks.build_of(deck.game), request.form, sum=1))


def _keep(game: str, old: Deck | None, given: dict[str, str]) -> Page:
    build = decks.build_of(game)
    cards, faults = read_counts(build, given)
    form, old_id = (_change(old, build), old.id) if old else (_new(game, build), "")
    if given["sum"]:  # only recount
        return deck_page(form, cards, given["name"][:LONGEST_NAME], faults)
    if not faults:
        try:
            with context.writing() as session:
                kept = decks.save(session, context.me_in(session), given["name"], cards, game)
                if old_id and kept.id != old_id:
                    decks.delete(session, context.me_in(session), old_id)
        except Refused as refused:
            faults[context.wrong_field(refused)] = str(refused)
    if faults:
        return deck_page(form, cards, given["name"][:LONGEST_NAME], faults)
    return context.done("/decks", gettext("“%(name)s” is kept.", name=given["name"]))


@bp.post("/decks/<id:deck_id>/delete")
@once
def delete(deck_id: str) -> Page:
    context.fields(request.form)
    with context.writing() as session:
        decks.delete(session, context.me_in(session), deck_id)
    return context.done("/decks", gettext("The deck is gone. Games that it was chosen for keep it."))
