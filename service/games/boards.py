"""Whether a game can be shown: its templates, or the default ones in their place, and its words.

A game's own boards stand in `templates/GAME`: `board.html` for the page, `board.txt` and `board_letter.html` for letters,
`about.html` and `help.html` for its rules. What it doesn't bring is taken from `templates/default`. A letter that can't be
written holds a game up for good, so a game is not offered before one has been, on trial, of its opening position.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jinja2 import TemplateError, TemplateSyntaxError, meta

from engine import boards, procedure
from engine.chance import Chance
from engine.forms import describe
from engine.game import AnyState, Game, listed
from engine.telling import Catalogued
from engine.views import Event
from engine.visibility import procedures
from engine.words import Missing, Miswritten
from service.common.messages import Phrase, sentence
from service.post.rendering import TEMPLATES, environment

LETTERS = ("board.txt", "board_letter.html")
"""What letters show of a game."""

_found: dict[str, tuple[Game, Phrase | None]] = {}


def fault(game: Game) -> Phrase | None:
    """What is missing or broken, so that the game can't be shown; None for a whole one. Found once in a process."""
    known = _found.get(game.name)
    if known is None or known[0] is not game:
        known = _found[game.name] = (game, _fault(game))
    return known[1]


def template(game: Game, part: str) -> str:
    """The template of a part of its board: its own, or the default one."""
    return f"{game.name if (TEMPLATES / game.name / part).is_file() else 'default'}/{part}"


def _fault(game: Game) -> Phrase | None:
    try:
        for file in sorted((TEMPLATES / game.name).glob("*.*")):
            broken = _template_fault(game, file)
            if broken is not None:
                return broken
        for seats in {game.least, game.most}:
            state = game.setup("abcdef"[:seats], {}, Chance("trial"))
            _speak(game, state, procedure.begin(state))
            for reader in (None, *state.table.seats[:1]) if seats == game.least else ():
                _write(game, state, reader)
    except (Missing, Miswritten) as problem:
        return sentence("%(game)s can't be opened: it lacks words. %(problem)s", game=game.title, problem=str(problem))
    except TemplateError as problem:
        return _broken(game, "board", problem)
    return None


def _broken(game: Game, file: str, problem: TemplateError) -> Phrase:
    return sentence(
        "%(game)s can't be opened: its template %(file)s is broken (%(problem)s).",
        game=game.title,
        file=file,
        problem=f"{getattr(problem, 'name', None) or type(problem).__name__}: {problem.message or ''}"
        + (f", line {problem.lineno}" if isinstance(problem, TemplateSyntaxError) else ""),
    )


def _template_fault(game: Game, file: Path) -> Phrase | None:
    """What is wrong with a template's text, or with what it takes from others."""
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
    """Say what a game says at its opening. Raises Missing for what it has no words for."""
    names = {seat: seat.upper() for seat in state.table.seats}
    for event in opening:
        game.tell(event, names, None)
    for seat, ask in procedure.asks(state).items():
        describe(game, ask, names, state.serial)
        for offer in game.offers(state, seat):
            describe(game, offer, names, 0)
    missing = list(_without_words(game)) if isinstance(game.labels, Catalogued) else []
    if missing:
        raise Missing(f"{game.words} has no entry {', '.join(missing)}.")


def _without_words(game: Game) -> Iterator[str]:
    """Steps that ask, and have no title."""
    for kind in procedures(game.state):
        for step in kind.steps.values():
            if isinstance(step, procedure.Asking) and not game.words.has("ask", step.name):
                yield f"ask.{step.name}"


def _write(game: Game, state: AnyState, reader: str | None) -> None:
    """Show the position on all boards. Raises TemplateError, Missing."""
    names, view = {seat: seat.upper() for seat in state.table.seats}, game.view(state, reader)
    context = {
        "game": game.name,
        "view": view,
        "board": game.board(view, None, None),
        "names": names,
        "seat": reader,
        "word": lambda id, home="": game.word(id, names, home),
        "listed": lambda ids, home="": listed(game, ids, names, home),
    }
    for part in LETTERS:
        environment().get_template(template(game, part)).render(**context)
    if template(game, "board.html").startswith("default/"):
        boards.board(game, view, names)
