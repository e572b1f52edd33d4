"""A plugin of pytest for runs of mutmut: procedures bind their steps though mutmut has put its copies beside them.

mutmut keeps every mutant of a method in the class, as `xǁBattleǁbegin__mutmut_7`, and wraps the method itself. The copies are
no steps and stand among none, and how many arguments a step takes is said by what the wrapper wraps.
"""

from __future__ import annotations

from inspect import unwrap
from types import FunctionType
from typing import Any, cast

from engine import procedure

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
