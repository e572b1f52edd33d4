"""A pytest plugin for mutmut runs: binds procedures' steps in spite of mutmut's copies, and clears caches.

mutmut keeps every mutant of a method in the class, as `xǁBattleǁbegin__mutmut_7`, and wraps the method itself. The copies
are not steps, and how many arguments a step takes is read from the wrapped function. mutmut forks a child for each mutant
from a process that has run all tests: an `lru_cache` filled there would hide the mutants of what it calls.
"""

from __future__ import annotations

import sys
from inspect import unwrap
from types import FunctionType
from typing import Any, cast

from engine.core import procedure

COPY = "ǁ"
"""Stands in the name of every copy, and in no name of ours."""

_expect, _bind = procedure._expect, procedure._bind


def _expect_of_the_wrapped(cls: Any, name: str, method: FunctionType, arguments: int) -> None:
    if COPY not in name:
        _expect(cls, name, cast(FunctionType, unwrap(method)), arguments)


def _bind_without_copies(cls: type[procedure.Procedure]) -> dict[str, procedure.Step]:
    return {name: step for name, step in _bind(cls).items() if COPY not in name}


procedure._expect = _expect_of_the_wrapped
procedure._bind = _bind_without_copies


def pytest_sessionstart() -> None:
    """Clear every `lru_cache` of the engine's modules: mutmut starts a session in each child."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "engine":
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if clear is not None:
                    clear()
