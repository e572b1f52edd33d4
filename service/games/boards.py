"""Check that a game can be shown: its templates and words.

Boards are in `templates/GAME`: `board.html` for the page, `board.txt` and `board_letter.html` for letters, `about.html` and
`help.html` for rules; the default is `templates/default`. The opening position is rendered before a game is offered: a failing
letter would block the game for good.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jinja2 import TemplateError, TemplateSyntaxError, meta

from engine.core import offers, procedure
from engine.core.asks import SEATS
from engine.core.chance import Chance
from engine.core.views import Event
from engine.core.visibility import procedures
from engine.game import AnyState, Game
from engine.language.i18n import Miswritten
from engine.language.words import Message, Missing
from engine.text.telling import Catalogued
from engine.ui import boards
from engine.ui.forms import describe
from service.common.messages import sentence
from service.post.rendering import TEMPLATES, environment

LETTERS = ("board.txt", "board_letter.html")

_found: dict[str, tuple[Game, Message | None]] = {}


def fault(game: Game) -> Message | None:
    """Why a game can't be shown. Cached."""
    known = _found.get(game.name)
    if known is None or known[0] is not game:
        known = _found[game.name] = (game, _fault(game))
    return known[1]


def template(game: Game, part: str) -> str:
    return f"{game.name if (TEMPLATES / game.name / part).is_file() else 'default'}/{part}"


def _fault(game: Game) -> Message | None:
    try:
        for file in sorted((TEMPLATES / game.name).glob("*.*")):
            broken = _template_fault(game, file)
            if broken is not None:
                return broken
        render_opening(game)
    except (Missing, Miswritten) as problem:
        return sentence("%(game)s can't be opened: it lacks words. %(problem)s", game=game.title, problem=str(problem))
    except TemplateError as problem:
        return _broken(game, "board", problem)
    return None


def render_opening(game: Game) -> None:
    """Render all texts and boards of the opening position. Raises TemplateError, Missing, Miswritten."""
    for seats in {game.rules.seats[0], game.rules.seats[-1]}:
        state = game.rules.setup(SEATS[:seats], {}, Chance("trial"))
        _speak(game, state, procedure.begin(state))
        for reader in (None, *state.table.seats[:1]) if seats == game.rules.seats[0] else ():
            _write(game, state, reader)


def _broken(game: Game, file: str, problem: TemplateError) -> Message:
    return sentence(
        "%(game)s can't be opened: its template %(file)s is broken (%(problem)s).",
        game=game.title,
        file=file,
        problem=f"{getattr(problem, 'name', None) or type(problem).__name__}: {problem.message or ''}"
        + (f", line {problem.lineno}" if isinstance(problem, TemplateSyntaxError) else ""),
    )


def _template_fault(game: Game, file: Path) -> Message | None:
    if file.suffix not in (".html", ".txt"):
        return None
    name = f"templates/{game.name}/{file.name}"
    try:
        parsed = environment().parse(file.read_text("utf-8"), name)
    except TemplateSyntaxError as problem:
        return _broken(game, name, problem)
    for other in meta.find_referenced_templates(parsed):
        if other is not None and not (TEMPLATES / other).is_file():
            return sentence(
                "%(game)s can't be opened: its template %(file)s needs %(other)s, and there is none.",
                game=game.title,
                file=name,
                other=f"templates/{other}",
            )
    return None


def _speak(game: Game, state: AnyState, opening: list[Event]) -> None:
    """Render all texts of a position. Raises Missing."""
    names = {seat: seat.upper() for seat in state.table.seats}
    for event in opening:
        game.words.tell(event, names, None)
    for ask in procedure.asks(state).values():
        describe(game, ask, names, state.serial)
    for offer in (offer for seat in state.table.seats for offer in game.rules.powers.open(state, seat)):
        describe(game, offer, names, 0)
    missing = list(_without_words(game)) if isinstance(game.words.labels, Catalogued) else []
    if missing:
        raise Missing(f"{game.words.catalogue} has no entry {', '.join(missing)}.")


def _without_words(game: Game) -> Iterator[str]:
    for proposal in offers.kinds(game.rules.state):
        if not game.words.catalogue.has("ask", proposal):
            yield f"ask.{proposal}"
    for kind in procedures(game.rules.state):
        for step in kind.steps.values():
            if isinstance(step, procedure.Asking) and not game.words.catalogue.has("ask", step.name):
                yield f"ask.{step.name}"


def _write(game: Game, state: AnyState, reader: str | None) -> None:
    names, view = {seat: seat.upper() for seat in state.table.seats}, game.rules.view(state, reader)
    context = {
        "game": game.name,
        "view": view,
        "board": game.face.board(view, None, None),
        "names": names,
        "seat": reader,
        "word": lambda id, home="": game.words.word(id, names, home),
        "listed": lambda ids, home="": game.words.listed(ids, names, home),
    }
    for part in LETTERS:
        environment().get_template(template(game, part)).render(**context)
    if template(game, "board.html").startswith("default/"):
        boards.board(game, view, names)
