"""Decks: those of the house, those kept in the account, and the form that builds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request
from werkzeug.datastructures import MultiDict

from engine.asks import Refused
from engine.game import Build, Game
from service.games import decks
from service.ground.words import gettext
from service.store.models import Deck
from service.web import desk
from service.web.desk import Page

bp = Blueprint("decks", __name__)

LONGEST_NAME = 40


@dataclass(frozen=True)
class Shelf:
    """The decks of one game: those of the house, and the visitor's own."""

    game: Game
    build: Build
    saved: Sequence[Deck]


def read_counts(build: Build, given: Mapping[str, str]) -> tuple[dict[str, int], list[str]]:
    """The numbers of the deck form, and a sentence for every field that is no number."""
    counts: dict[str, int] = {}
    faults: list[str] = []
    for kind in build.kinds:
        text = given[kind] or "0"
        if text.isascii() and text.isdigit() and len(text) <= 3:
            counts[kind] = int(text)
        else:
            shown = {"name": build.names[kind], "text": text[:20], "most": build.copies}
            faults.append(gettext("%(name)s: “%(text)s” won’t do; take a whole number from 0 to %(most)s.", **shown))
    return {kind: n for kind, n in counts.items() if n}, faults


def deck_page(
    build: Build,
    *,
    title: str,
    action: str,
    back: str,
    button: str,
    cards: Mapping[str, int],
    name: str = "",
    named: bool = True,
    optional: bool = False,
    faults: list[str] | None = None,
    choose: bool = False,
    saved: Sequence[Deck] = (),
    hidden: Mapping[str, str] | None = None,
) -> Page:
    """The deck form, with what is wrong with it above; ready-made decks can be taken instead where one may `choose`."""
    page = render_template(
        "pages/deck.html",
        build=build,
        title=title,
        action=action,
        back=back,
        button=button,
        cards=cards,
        name=name,
        named=named,
        optional=optional,
        faults=faults or [],
        choose=choose,
        saved=saved,
        hidden=hidden or {},
    )
    return (page, 422) if faults else page


def deck_fields(build: Build, form: MultiDict[str, str], **more: int) -> dict[str, str]:
    """The fields of the deck form: a name, a number for every kind, and what else belongs there."""
    return desk.fields(form, name=400, **dict.fromkeys(build.kinds, 20), **more)


@bp.get("/decks")
def shelf() -> Page:
    """House decks, and the visitor's own, game by game."""
    me = desk.me()
    shelves = [
        Shelf(game, game.build, decks.of(desk.db(), me, game.name) if me else [])
        for game in decks.builders()
        if game.build is not None
    ]
    return render_template("pages/decks.html", shelves=shelves)


def _game(name: str) -> str:
    """The name of the game that a deck is built for: the first there is, where none is named."""
    found = [game.name for game in decks.builders() if name in ("", game.name)]
    if not found:
        abort(404, description=gettext("There is no game of that name whose players build decks."))
    return found[0]


@bp.get("/decks/new")
def blank() -> Page:
    """The empty form, or one filled with a house deck."""
    desk.need_account()
    given = desk.fields(request.args, **{"from": 40, "game": 40})
    game, start = _game(given["game"]), given["from"]
    build = decks.build_of(game)
    cards = next((ready.cards for ready in build.ready if ready.id == start), {})
    if start and not cards:
        abort(404, description=gettext("There is no house deck of that name."))
    return deck_page(build, **_new(game), cards=cards)


def _new(game: str) -> dict[str, Any]:
    """What the form for a new deck says and does."""
    return {
        "title": gettext("Build a deck"),
        "action": "/decks/new",
        "back": "/decks",
        "button": gettext("Keep this deck"),
        "hidden": {"game": game},
    }


def _change(deck: Deck) -> dict[str, Any]:
    """What the form for a kept deck says and does."""
    return {"title": deck.name, "action": f"/decks/{deck.id}", "back": "/decks", "button": gettext("Keep the changes")}


@bp.post("/decks/new")
def keep_new() -> Page:
    """Keep a new deck in the account."""
    desk.need_account()
    game = _game(request.form.get("game", ""))
    return _keep(game, None, deck_fields(decks.build_of(game), request.form, game=40))


@bp.get("/decks/<id:deck_id>")
def one(deck_id: str) -> Page:
    """The form with a deck of one's own."""
    deck = decks.kept(desk.db(), desk.need_account(), deck_id)
    return deck_page(decks.build_of(deck.game), **_change(deck), cards=deck.cards, name=deck.name)


@bp.post("/decks/<id:deck_id>")
def keep(deck_id: str) -> Page:
    """Keep a deck's changes."""
    deck = decks.kept(desk.db(), desk.need_account(), deck_id)
    return _keep(deck.game, deck, deck_fields(decks.build_of(deck.game), request.form))


def _keep(game: str, old: Deck | None, given: dict[str, str]) -> Page:
    build = decks.build_of(game)
    cards, faults = read_counts(build, given)
    form, old_id = (_change(old), old.id) if old else (_new(game), "")
    if not faults:
        try:
            with desk.writing() as session:
                kept = decks.save(session, desk.me_in(session), given["name"], cards, game)
                if old_id and kept.id != old_id:
                    decks.delete(session, desk.me_in(session), old_id)
        except Refused as refused:
            faults.append(str(refused))
    if faults:
        return deck_page(build, **form, cards=cards, name=given["name"][:LONGEST_NAME], faults=faults)
    flash(gettext("“%(name)s” is kept.", name=given["name"]), "good")
    return redirect("/decks", 303)


@bp.post("/decks/<id:deck_id>/delete")
def delete(deck_id: str) -> Page:
    """Throw a deck away. Games that it was chosen for keep their copy."""
    desk.need_account()
    desk.fields(request.form)
    with desk.writing() as session:
        decks.delete(session, desk.me_in(session), deck_id)
    flash(gettext("The deck is gone. Games that it was chosen for keep it."), "good")
    return redirect("/decks", 303)
