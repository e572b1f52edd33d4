"""Standing orders: a seat's private page."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import reduce
from typing import Literal

from flask import Blueprint, flash, redirect, render_template, request
from sqlmodel import Session
from werkzeug.datastructures import MultiDict

from engine.core.asks import Answer, NotUnderstood, Refused, read
from engine.game import Game
from engine.games import game_called
from engine.play import orders as engine_orders
from engine.ui.forms import Form, FormOption, OrderField, day_of, describe, is_dated, picked, worded
from engine.ui.forms import said as forms_said
from engine.ui.sentences import DATE, OPTION, OrderSentence, Piece, answered, sentence, warnings, words_of
from service.common.dates import day, span, weekday, zone_called
from service.common.i18n import gettext, listed
from service.seat import orders
from service.seat.state import known_to
from service.store import limits
from service.store.models import Match, MatchStatus, SeatRow, now
from service.store.seats import by_match_id, called, names_of
from service.web import answers, context
from service.web.context import Page
from service.web.files import symbol
from service.web.security import limiter
from service.web.table import seat_page

bp = Blueprint("orders", __name__)


def _own(session: Session, match: Match, seat: str) -> SeatRow:
    return session.get_one(SeatRow, (match.id, seat))


def own_locked(session: Session, match: Match, seat: str) -> tuple[Match, SeatRow]:
    """Lock the match, then load it and the own seat: workers write orders and answers in advance, too."""
    limits.one_at_a_time(session, match)
    return by_match_id(session, match.id), _own(session, match, seat)


def _forms(match: Match, seat: str, names: dict[str, str] | None = None) -> list[Form]:
    if match.status != MatchStatus.RUNNING or match.snapshot is None:
        return []
    game, state = game_called(match.game), known_to(context.db(), match, seat)
    names = names_of(context.db(), match.id) if names is None else names
    return [describe(game, ask, names, 0) for ask in game.orders.asks(state, seat)]


def of_kind(forms: Iterable[Form], kind: str) -> Form | None:
    return next((form for form in forms if form.kind == kind), None)


def _said(form: Form, set_: Answer) -> str:
    """A setting in words, without lists in default order."""
    option = form.option(set_.option)
    if option is None:
        return set_.option
    parts: list[tuple[list[str], str]] = []
    for field in option.fields:
        value = set_.values.get(field.name)
        usual = isinstance(field, OrderField) and value == [c.id for c in field.choices]
        words = "" if usual else picked(field, value)
        if words and parts and parts[-1][1] == words:
            parts[-1][0].append(field.label)
        elif words:
            parts.append(([field.label], words))
    said = _chained([gettext("%(label)s: %(choice)s", label=_listed(labels), choice=words) for labels, words in parts])
    if len(form.options) > 2 or not said:
        said = (
            gettext("%(label)s: %(choice)s", label=option.label, choice=said) if option.label and said else option.label or said
        )
    return said


def _listed(labels: list[str]) -> str:
    if len(labels) <= 4:
        return listed(labels)
    return gettext("%(some)s and %(n)s more", some=listed(labels[:2]), n=len(labels) - 2)


def _chained(parts: list[str]) -> str:
    return reduce(lambda before, last: gettext("%(before)s; %(last)s", before=before, last=last), parts) if parts else ""


@dataclass(frozen=True)
class Row:
    form: Form
    said: str
    """The setting as a sentence, or its form's words if the game has none."""
    on: bool
    house: bool
    """Whether the default does more than ask."""
    answer: Answer
    """Answer shown by its sentence and form."""
    sentence: OrderSentence | None = None
    """None without words, or if an option could eliminate its seat."""
    ended: str = ""
    """Its last day, if past."""


def _asks_everything(game: Game, forms: list[Form], settings: Mapping[str, Answer]) -> bool:
    """Whether these are the orders of `orders.asking`, without a query."""
    by_house = [form for form in forms if read(form.default).option != "off"]
    wanted = {form.rule: read(game.orders.sheet.layout.ask.get(form.rule, "ask")) for form in by_house}
    return settings.keys() == wanted.keys() and all(
        settings[id].option == asks.option
        and all(settings[id].values.get(name) == value for name, value in asks.values.items())
        for id, asks in wanted.items()
    )


def _stands(form: Form, settings: Mapping[str, Answer], preset: Mapping[str, Answer]) -> Answer:
    """The shown answer: as set, the house's default, or the preset."""
    default = read(form.default)
    return settings.get(form.rule) or (default if default.option != "off" else preset.get(form.rule) or default)


def _rows(
    game: Game, forms: list[Form], settings: Mapping[str, Answer], preset: Mapping[str, Answer]
) -> tuple[list[Row], list[Row]]:
    """The common orders, in the game's order, and the others."""
    words, common = game.orders.sheet.words, game.orders.sheet.layout.common
    first: dict[str, Row] = {}
    rest: list[Row] = []
    for form in forms:
        answer, on = _stands(form, settings, preset), form.rule in settings
        plain = sentence(words, form, answer) if words is not None else None
        said = plain.words if plain is not None else _said(form, answer)
        house = not on and read(form.default).option != "off"
        grave = any(option.grave for option in form.options)
        spare = sentence(words, form, answer, spare=True) if words is not None and not grave else None
        spare = spare if spare is not None and words_of(spare) else None
        if spare is not None and form.rule in common:
            first[form.rule] = Row(form, said, on, house, answer, spare)
        else:
            rest.append(Row(form, said if on or house else _said(form, read(form.default)), on, house, answer, spare))
    return [first[id] for id in common if id in first], rest


@bp.get("/g/<id:match_id>/orders")
@limiter.limit("60 per minute; 600 per hour")
def show(match_id: str) -> Page:
    return _show(*context.member_of(match_id))


def _show(
    match: Match,
    seat: str,
    fault: str = "",
    at: str = "",
    kept: Answer | None = None,
    tried: Mapping[str, str] | None = None,
    typed: Mapping[str, Answer] | None = None,
) -> Page:
    """Render; `at`: the order with an open form, filled with `kept`; `tried`: unsaved orders; `typed`: other orders' fields."""
    if context.is_before_start(match):
        return redirect(f"/g/{match.id}", 303)
    view = seat_page.load(match, seat)
    if view is None or view.own is None:
        return render_template("pages/setting_up.html", match=match), 202
    session, game, row, names, zone = context.db(), view.game, view.own, view.names, context.zone_in(match.id, seat)
    forms = _forms(match, seat, names)
    today = now().astimezone(zone_called(zone)).date()
    kept_now = row.orders if tried is None else tried
    settings = engine_orders.settings(engine_orders.of_day(game, kept_now, today))
    past = {id: order for id, order in engine_orders.settings(kept_now).items() if id not in settings}
    ready = orders.presets(match) if forms else {}
    preset = engine_orders.settings(ready.get("preset", {}))
    first, rest = _ended(game, past, _rows(game, forms, settings, {**preset, **past}))
    account = context.me()
    last = ("", dict[str, str]())
    # A link reveals nothing of its owner's other games.
    if forms and account is not None and account.id == row.account_id:
        last = orders.of_last_game(session, match, account.id)
    running = bool(forms)
    now_set = orders.fitting(session, match, row, row.orders) if running else {}
    words = game.orders.sheet.words
    body = seat_page.render(
        "pages/orders.html",
        view,
        forms=forms,
        first=first,
        rest=rest,
        about=game.orders.sheet.about,
        laid=_laid,
        sign=lambda id: symbol(match.game, game.orders.sheet.layout.sign.get(id, "")),
        settings=settings,
        ready={name: bool(now_set) and orders.fitting(session, match, row, found) == now_set for name, found in ready.items()},
        asked=_asks_everything(game, forms, settings),
        last=last[0],
        as_last=bool(now_set) and orders.fitting(session, match, row, last[1]) == now_set if last[0] else False,
        warnings=[w for id, answer in settings.items() for w in warnings(words, id, answer)] if words is not None else [],
        trial=_trial(match, row, names, tried) if running else None,
        unset=tried is not None,
        lately=orders.done_lately(session, match, row, names, zone) if running else [],
        weekday=lambda moment: weekday(datetime.fromisoformat(moment), zone),
        fault=fault,
        at=at if any(form.rule == at for form in forms) else "",
        at_form=kept,
        typed=typed or {},
        begun={way.partition(".")[0] for way in _begun(match, seat, request.form)} if typed else set(),
        read=read,
        is_dated=is_dated,
        day_of=lambda option, setting: day_of(option, setting.values),
        today=today.isoformat(),
    )
    return (body, 422) if fault else body


def _refused(match: Match, seat: str, refusal: Refused) -> Page:
    return _show(match, seat, fault=str(refusal))


def _ended(game: Game, past: Mapping[str, Answer], rows: tuple[list[Row], list[Row]]) -> tuple[list[Row], list[Row]]:
    for part in rows:
        for n, row in enumerate(part):
            order = past.get(row.form.rule)
            last = game.orders.last_day(row.form.rule, order) if order is not None else None
            if order is not None and last is not None:
                said = row.sentence.words if row.sentence is not None else _said(row.form, order)
                part[n] = dataclasses.replace(row, answer=order, said=said, ended=day(datetime.combine(last, time.min, UTC)))
    return rows


STOPS = ".,;:!?"
"""Punctuation that stays with the word before it."""


def _laid(pieces: list[Piece]) -> Iterator[tuple[Piece, str]]:
    """Pieces with trailing punctuation, which may not begin a line."""
    mark = ""
    for at, piece in enumerate(pieces):
        after = pieces[at + 1] if at + 1 < len(pieces) else ""
        if isinstance(piece, str):
            yield piece.removeprefix(mark), ""
            mark = ""
        else:
            mark = after[: len(after) - len(after.lstrip(STOPS))] if isinstance(after, str) else ""
            yield piece, mark


@dataclass(frozen=True)
class TriedLine:
    title: str
    seat: str
    """Seat shown: the one concerned, or the own."""
    how: str
    """same, other, asked."""
    ordered: str = ""
    given: str = ""
    times: int = 1
    """How often it would be asked."""


@dataclass(frozen=True)
class Trial:
    asked: int
    left: int
    waited: str
    left_waiting: str
    waits: Literal["never", "as long", "otherwise"]
    """Whether the waiting time would have changed."""
    answers: int
    """Number of answers tried."""
    lines: list[TriedLine]


def _trial(match: Match, row: SeatRow, names: dict[str, str], tried: Mapping[str, str] | None) -> Trial | None:
    run, game = orders.dry_run(context.db(), match, row, tried), game_called(match.game)
    if not run.tried:
        return None
    lines: list[TriedLine] = []
    for one in reversed(run.tried):
        form = describe(game, one.ask, names, 0)
        others = [v for v in form.about.values() if isinstance(v, str) and v in names and v != row.seat]
        how = "asked" if one.ordered is None else "same" if one.same else "other"
        about = others[0] if others else row.seat
        alike = next(
            (n for n, line in enumerate(lines) if (line.title, line.seat, line.how) == (form.title, about, "asked")), None
        )
        if one.ordered is not None:
            lines.append(TriedLine(form.title, about, how, forms_said(form, one.ordered), forms_said(form, one.given)))
        elif alike is None:
            lines.append(TriedLine(form.title, about, how))
        else:
            lines[alike] = dataclasses.replace(lines[alike], times=lines[alike].times + 1)
    waited, left = span(run.waited), span(run.left_waiting)
    waits: Literal["never", "as long", "otherwise"] = (
        "otherwise" if waited != left else "never" if waited == span(0) else "as long"
    )
    return Trial(run.asked, run.left, waited, left, waits, len(run.tried), lines)


OWN = "own"
"""Submit button of one order (`so_05.on`: order and option), with fields `own.so_05.on.…`. All orders share one form, so that
no typed value is lost.
"""


def _apart(data: MultiDict[str, str], way: str) -> tuple[MultiDict[str, str], MultiDict[str, str]]:
    """Split off the fields of one order's option; returns these and the rest."""
    kind, _, option = way.partition(".")
    own, words = MultiDict([("kind", kind), ("option", option)]), MultiDict[str, str]()
    lead = f"{OWN}.{way}."
    for name, value in data.items(multi=True):
        if name.startswith(lead):
            own.add(name.removeprefix(lead), value)
        elif name != OWN and not name.startswith(f"{OWN}."):
            words.add(name, value)
    return own, words


def _sent(forms: Sequence[Form], data: MultiDict[str, str]) -> Iterator[tuple[Form, FormOption, str, MultiDict[str, str]]]:
    """Each option with fields in the form, by order and option, and these fields."""
    for form in forms:
        for option in form.options:
            way = f"{form.kind}.{option.id}"
            own, _ = _apart(data, way)
            if len(own) > 2:
                yield form, option, way, own


def _typed(forms: Sequence[Form], data: MultiDict[str, str]) -> dict[str, Answer]:
    """Fields by order and option, if they parse."""
    found = {}
    for _, option, way, own in _sent(forms, data):
        with suppress(NotUnderstood):
            found[way] = answers.standing(own, option)
    return found


def _begun(match: Match, seat: str, data: MultiDict[str, str]) -> dict[str, Answer]:
    """Fields that differ from the stored orders."""
    row = _own(context.db(), match, seat)
    settings = engine_orders.settings(row.orders)
    found = {}
    for form, option, way, own in _sent(_forms(match, seat), data):
        stands = settings.get(form.rule) or read(form.default)
        with suppress(NotUnderstood):
            typed = answers.typed(own, option, stands if stands.option == option.id else None)
            if typed is not None:
                found[way] = typed
    return found


def _done(match_id: str, seat: str, said: str, own: str = "") -> Page:
    """Redirect, or render if others than `own` have edited fields."""
    flash(said, "good")
    context.db().rollback()  # the seat's row is stale
    match = by_match_id(context.db(), match_id)
    begun = {way: answer for way, answer in _begun(match, seat, request.form).items() if way.partition(".")[0] != own}
    return _show(match, seat, typed=begun) if begun else redirect(f"/g/{match_id}/orders", 303)


@bp.post("/g/<id:match_id>/orders")
@limiter.limit("600 per hour")
def put(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    way = answers.once(request.form, OWN)
    data, words = _apart(request.form, way) if way else (request.form, MultiDict[str, str]())
    kind, given, changed = answers.once(data, "kind"), None, dict[str, Answer | None]()
    forms = _forms(match, seat)
    form = of_kind(forms, kind)
    id = form.rule if form is not None else kind.upper().replace("_", "-")
    try:
        changed = _changed(match, seat, words) if way else changed
        given = answers.parse(data, form)
        changed[id] = None if given.option == "off" else given
        with context.writing() as session:
            orders.put_all(session, *own_locked(session, match, seat), changed)
    except Refused as refusal:
        changed.pop(id, None)
        tried = _tried(match, seat, changed)
        return _show(
            match,
            seat,
            fault=in_words(match, seat, form, refusal),
            at=id,
            kept=answers.fitting(given, form),
            tried=tried,
            typed=_typed(forms, request.form),
        )
    return _done(match_id, seat, gettext("The order is kept. It counts for what you are asked from now on."), kind)


def in_words(match: Match, seat: str, form: Form | None, refusal: Refused) -> str:
    if form is None:
        return str(refusal)
    return str(worded(form, refusal, lambda id: game_called(match.game).words.word(id, called(match, {}), seat)))


def _tried(match: Match, seat: str, changed: Mapping[str, Answer | None]) -> dict[str, str] | None:
    """Unsaved orders; None if unchanged or invalid."""
    try:
        return orders.checked(context.db(), match, _own(context.db(), match, seat), changed) if changed else None
    except Refused:
        return None


@bp.post("/g/<id:match_id>/orders/words")
@limiter.limit("600 per hour")
@context.form_of_member(_refused)
def words(match: Match, seat: str) -> Page:
    """Set the orders by their sentences, or try them in a dry run."""
    choice = answers.once(request.form, "choice")
    changed = _changed(match, seat, request.form)
    if choice == "try":
        tried = orders.checked(context.db(), match, _own(context.db(), match, seat), changed)
        return _show(match, seat, tried=tried, typed=_typed(_forms(match, seat), request.form))
    if choice != "set":
        raise NotUnderstood(gettext("Press one of the two buttons."))
    with context.writing() as session:
        orders.put_all(session, *own_locked(session, match, seat), changed)
    return _done(match.id, seat, gettext("Your orders are set. They hold from the next question on."))


def _changed(match: Match, seat: str, data: MultiDict[str, str]) -> dict[str, Answer | None]:
    """Changed orders; None: off. A changed word switches on. Raises NotUnderstood."""
    game, row = game_called(match.game), _own(context.db(), match, seat)
    forms = _forms(match, seat)
    settings = engine_orders.settings(row.orders)
    preset = engine_orders.settings(orders.presets(match).get("preset", {})) if forms else {}
    first, rest = _rows(game, forms, settings, preset)
    sent = {
        name: answers.once(data, name)
        for name in data
        if name not in ("csrf_token", "choice") and not name.startswith(f"{OWN}.")
    }
    found: dict[str, Answer | None] = {}
    for one in [*first, *rest]:
        kind = one.form.kind
        if one.sentence is None:
            continue
        on = bool(sent.pop(f"{kind}.on", ""))
        shown = words_of(one.sentence)
        given = {name: sent.pop(f"{kind}.{name}") for name in shown if f"{kind}.{name}" in sent}
        if not on and not given and one in rest:
            continue  # an old page, without editable words
        given = _dated(one.form, shown, given)
        before = answered(one.form, one.answer, shown)
        now = answered(one.form, one.answer, {**shown, **given})
        if on == one.on and now == before:
            continue  # keeps what a sentence can't express
        if on or not one.on:
            found[one.form.rule] = now
        else:
            found[one.form.rule] = None
    if sent:
        raise NotUnderstood(gettext("The form has a field “%(name)s” that does not belong there.", name=min(sent)[:40]))
    return found


def _dated(form: Form, shown: Mapping[str, str], given: dict[str, str]) -> dict[str, str]:
    """Parse the date. Raises NotUnderstood if it is needed but invalid."""
    way = form.option(given.get(OPTION, shown.get(OPTION, "")))
    if DATE not in given or (way is not None and not is_dated(way)):
        return {name: value for name, value in given.items() if name != DATE}
    return {**given, DATE: answers.day_typed(given[DATE]).isoformat()}


@bp.post("/g/<id:match_id>/orders/rows")
@limiter.limit("600 per hour")
def rows(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    button = next((name for name in request.form if name.startswith(f"{OWN}.") and name.endswith(".rows")), "")
    way = button.removeprefix(f"{OWN}.").removesuffix(".rows")
    data, words = _apart(request.form, way) if way else (request.form, MultiDict[str, str]())
    kind = answers.once(data, "kind")
    forms = _forms(match, seat)
    form = of_kind(forms, kind)
    typed = _typed(forms, request.form)
    typed.pop(way, None)
    try:
        tried = _tried(match, seat, _changed(match, seat, words)) if way else None
        kept = answers.rearranged(data, form)
        return _show(match, seat, at=form.rule if form else "", kept=kept, tried=tried, typed=typed)
    except Refused as refusal:
        return _show(match, seat, fault=str(refusal), typed=typed)


@bp.post("/g/<id:match_id>/orders/all")
@context.form_of_member(_refused)
def all_at_once(match: Match, seat: str) -> Page:
    """Apply a preset, the last game's orders, or those that ask everything."""
    choice = context.fields(request.form, choice=10)["choice"]
    account = context.me()
    with context.writing() as session:
        here, row = own_locked(session, match, seat)
        if choice == "preset":
            orders.take_preset(session, here, row)
        elif choice == "off":
            orders.ask_all(session, here, row)
        elif choice == "away":
            orders.take(session, here, row, orders.presets(here).get("away", {}))
        elif choice == "last" and account is not None and account.id == row.account_id:
            orders.clear(session, row)
            orders.take(session, here, row, orders.of_last_game(session, here, account.id)[1])
        else:
            context.bad(gettext("Press one of the buttons."))
    return context.done(
        f"/g/{match.id}/orders", gettext("You are asked everything.") if choice == "off" else gettext("These orders are set.")
    )
