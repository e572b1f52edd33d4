"""Every game: the steps that its procedures name are there, and reading them shows each step's parts together."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from collections.abc import Iterator

import pytest

from engine.core import procedure as procedures
from engine.core.procedure import PARTS, Asking, Procedure
from engine.game import Game
from tests.contract.walk import fresh, walk

PROCEDURES = [p for p in Procedure.__subclasses__() if p.__module__.startswith(("engine.", "tests.toy_game"))]


def source(procedure: type[Procedure]) -> ast.ClassDef:
    found = ast.parse(textwrap.dedent(inspect.getsource(procedure))).body[0]
    assert isinstance(found, ast.ClassDef)
    return found


def words(node: ast.expr | None) -> Iterator[str]:
    """The names of steps that an expression for what is next can give, as far as they are written out there."""
    match node:
        case ast.Constant(value=str(name)):
            yield name
        case ast.IfExp(body=one, orelse=other):
            yield from words(one)
            yield from words(other)
        case ast.Call(func=ast.Name(id="Call"), args=[_, then, *_]):
            yield from words(then)
        case ast.Call(func=ast.Name(id="Call"), keywords=keywords):
            for keyword in keywords:
                if keyword.arg == "then":
                    yield from words(keyword.value)


def named(procedure: type[Procedure]) -> Iterator[str]:
    for method in source(procedure).body:
        if isinstance(method, ast.FunctionDef) and isinstance(method.returns, ast.Name) and method.returns.id == "Next":
            for node in ast.walk(method):
                if isinstance(node, ast.Return):
                    yield from words(node.value)


@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda p: f"{p.__module__}.{p.__name__}")
def test_every_step_that_is_named_is_there(procedure: type[Procedure]) -> None:
    assert set(named(procedure)) <= procedure.steps.keys()


def test_an_ask_is_called_like_its_step(game: Game) -> None:
    asked: set[str] = set()
    for n in (game.rules.seats[0], game.rules.seats[-1]):
        match = fresh(game, n, 90 + n)
        for _ in walk(match, random.Random(90 + n), stop=600):
            if match.state.waiting:
                step = procedures.open_step(match.state)
                asked.add(step.name)
                assert {ask.kind for ask in procedures.asks(match.state).values()} == {step.name}
    assert asked


def test_names_of_steps_are_found_in_the_source_at_all() -> None:
    assert sum(len(set(named(p))) for p in PROCEDURES) > 50


@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda p: f"{p.__module__}.{p.__name__}")
def test_the_parts_of_a_step_stand_together_and_in_order(procedure: type[Procedure]) -> None:
    methods = [m.name for m in source(procedure).body if isinstance(m, ast.FunctionDef)]
    for name, step in procedure.steps.items():
        if isinstance(step, Asking):
            parts = [
                f"{part}_{name}" for part in ("who", "ask", "vet", "verbs", "explain", "take") if f"{part}_{name}" in methods
            ]
            first = methods.index(parts[0])
            assert methods[first : first + len(parts)] == parts
            assert len(parts) == sum(f"{part}_{name}" in methods for part in PARTS)
