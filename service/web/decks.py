"""Decks: the house decks, those kept in the account, and the form that builds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask_babel import gettext
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from engine.asks import Refused
from engine.ortus.pieces import KINDS
from service import decks
from service.models import Deck
from service.web import desk, words

bp = Blueprint("decks", __name__)

Page = str | Response | tuple[str, int]
LONGEST_NAME = 40


@dataclass(frozen=True)
class House:
    """A house deck with its words."""

    id: str
    name: str
    words: str
    cards: dict[str, int]


def house_decks() -> list[House]:
    """The ready-made decks, in the order of the lore file."""
    return [House(id, str(words.DECKS[id][0]), str(words.DECKS[id][1]), cards) for id, cards in decks.HOUSE_DECKS.items()]


def read_counts(given: Mapping[str, str]) -> tuple[dict[str, int], list[str]]:
    """The numbers of the deck form, and a sentence for every field that is no number."""
    counts: dict[str, int] = {}
    faults: list[str] = []
    for kind, name in words.kinds().items():
        text = given[kind] or "0"
        if text.isascii() and text.isdigit() and len(text) <= 3:
            counts[kind] = int(text)
        else:
            faults.append(gettext("%(name)s: “%(text)s” won’t do; take a whole number from 0 to 6.", name=name, text=text[:20]))
    return {kind: n for kind, n in counts.items() if n}, faults


def deck_page(
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
    house: Sequence[House] = (),
    saved: Sequence[Deck] = (),
    hidden: Mapping[str, str] | None = None,
) -> Page:
    """The deck form, with what is wrong with it above."""
    page = render_template(
        "pages/deck.html",
        title=title,
        action=action,
        back=back,
        button=button,
        cards=cards,
        name=name,
        named=named,
        optional=optional,
        faults=faults or [],
        house=house,
        saved=saved,
        hidden=hidden or {},
        groups=words.groups(),
        kinds=words.kinds(),
        uses=words.USES,
    )
    return (page, 422) if faults else page


def deck_fields(form: MultiDict[str, str], **more: int) -> dict[str, str]:
    """The fields of the deck form: a name, the fifteen numbers, and what else belongs there."""
    return desk.fields(form, name=400, **dict.fromkeys(KINDS, 20), **more)


@bp.get("/decks")
def shelf() -> Page:
    """House decks, and the visitor's own."""
    me = desk.me()
    saved = decks.of(desk.db(), me) if me else []
    return render_template("pages/decks.html", house=house_decks(), saved=saved, kinds=words.kinds())


@bp.get("/decks/new")
def blank() -> Page:
    """The empty form, or one filled with a house deck."""
    desk.need_account()
    start = desk.fields(request.args, **{"from": 40})["from"]
    if start and start not in decks.HOUSE_DECKS:
        abort(404, description=gettext("There is no house deck of that name."))
    return deck_page(
        title=gettext("Build a deck"),
        action="/decks/new",
        back="/decks",
        button=gettext("Keep this deck"),
        cards=decks.HOUSE_DECKS.get(start, {}),
    )


@bp.post("/decks/new")
def keep_new() -> Page:
    """Keep a new deck in the account."""
    return _keep(None)


@bp.get("/decks/<id:deck_id>")
def one(deck_id: str) -> Page:
    """The form with a deck of one's own."""
    deck = decks.kept(desk.db(), desk.need_account(), deck_id)
    return deck_page(
        title=deck.name,
        action=f"/decks/{deck.id}",
        back="/decks",
        button=gettext("Keep the changes"),
        cards=deck.cards,
        name=deck.name,
    )


@bp.post("/decks/<id:deck_id>")
def keep(deck_id: str) -> Page:
    """Keep a deck's changes."""
    return _keep(deck_id)


def _keep(deck_id: str | None) -> Page:
    me = desk.need_account()
    old = decks.kept(desk.db(), me, deck_id) if deck_id else None
    given = deck_fields(request.form)
    cards, faults = read_counts(given)
    if not faults:
        try:
            with desk.writing() as session:
                kept = decks.save(session, desk.me_in(session), given["name"], cards)
                if deck_id and kept.id != deck_id:
                    decks.delete(session, desk.me_in(session), deck_id)
        except Refused as refused:
            faults.append(str(refused))
    if faults:
        return deck_page(
            title=old.name if old else gettext("Build a deck"),
            action=f"/decks/{deck_id}" if deck_id else "/decks/new",
            back="/decks",
            button=gettext("Keep this deck"),
            cards=cards,
            name=given["name"][:LONGEST_NAME],
            faults=faults,
        )
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
