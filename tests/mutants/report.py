"""What came of the mutants: killed, survived, equivalent by module, and every survivor with what was changed.

mutmut leaves its findings beside the mutated files in `mutants/`. A survivor that stands in `equivalent.txt` is told apart:
nothing that could be seen changes with it. An entry there is the function, the lines that went and those that came (as
`ast.unparse` prints them, so that neither layout nor comments matter), and the reason:

    engine.ortus.rules.kingship.crown_check
    - if table.king or table.outcome is not None:
    + if table.king:
    why: nobody is crowned once the game is over, for ...
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import groupby
from pathlib import Path

LIST = Path(__file__).parent / "equivalent.txt"
FOUND = {0: "survived", 33: "untested", 5: "untested", None: "not run"}
"""mutmut's exit codes. 33 and 5: no test comes by that function. All others: a test has failed, or came to no end."""
COLUMNS = ("killed", "equivalent", "survived", "untested", "not run")


@dataclass(frozen=True)
class Change:
    """One mutant by what it changes: a function, the lines that go, and those that come."""

    function: str
    gone: tuple[str, ...]
    come: tuple[str, ...]


@dataclass(frozen=True)
class Mutant:
    """One mutant by its name at mutmut, and what came of it."""

    name: str
    module: str
    result: str


def reviewed(text: str) -> dict[Change, str]:
    """The equivalent mutants of a list, with the reason of each. Raises ValueError for an entry without one."""
    found: dict[Change, str] = {}
    for block in text.strip().split("\n\n"):
        lines = [line for line in block.split("\n") if not line.startswith("#")]
        if not lines:
            continue
        function, *rest = lines
        gone = tuple(line[2:].strip() for line in rest if line.startswith("- "))
        come = tuple(line[2:].strip() for line in rest if line.startswith("+ "))
        why = " ".join(line.removeprefix("why:").strip() for line in rest if line[:2] not in ("- ", "+ "))
        if not why or not (gone or come):
            raise ValueError(f"{function}: an equivalent mutant has lines that change, and a reason.")
        found[Change(function, gone, come)] = why
    return found


def mutants(folder: Path) -> Iterator[Mutant]:
    """All mutants that mutmut has made in its folder."""
    for meta in sorted(folder.rglob("*.py.meta")):
        module = ".".join(meta.relative_to(folder).with_suffix("").with_suffix("").parts).removesuffix(".__init__")
        for name, code in json.loads(meta.read_text("utf-8"))["exit_code_by_key"].items():
            yield Mutant(name, module, FOUND.get(code, "killed"))


def function_of(name: str) -> str:
    """`engine.a.B.c` of the mutant `engine.a.xǁBǁc__mutmut_7`, `engine.a.c` of `engine.a.x_c__mutmut_7`."""
    module, _, mangled = name.rpartition(".")
    inner = mangled.rpartition("__mutmut_")[0]
    return f"{module}.{inner.removeprefix('x_') if inner.startswith('x_') else inner[2:].replace('ǁ', '.')}"


def functions(source: str) -> dict[str, list[str]]:
    """Arguments and lines of every function and method of a module, by its name, printed alike and without decorators."""
    found: dict[str, list[str]] = {}
    for node in ast.parse(source).body:
        inner = [(f"{node.name}.", n) for n in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for of, each in inner:
            if isinstance(each, ast.FunctionDef):
                each.decorator_list = []
                lines = [f"({ast.unparse(each.args)})", *ast.unparse(each).split("\n")[1:]]
                found[of + each.name] = [line.strip() for line in lines]
    return found


def change(name: str, made: dict[str, list[str]]) -> Change:
    """What a mutant changes, by the functions of its mutated module."""
    mangled = name.rpartition(".")[2]
    of = mangled.split("ǁ")[1] + "." if "ǁ" in mangled else ""
    old, new = made[f"{of}{mangled.rpartition('__mutmut_')[0]}__mutmut_orig"], made[of + mangled]
    lines = [line for line in unified_diff(old, new, n=0, lineterm="") if line[:3] not in ("---", "+++") and line[:1] in "+-"]
    gone, come = (tuple(line[1:] for line in lines if line[0] == sign) for sign in "-+")
    return Change(function_of(name), gone, come)


def report(folder: Path, known: dict[Change, str]) -> str:
    """The table by module, and the survivors that are not known as equivalent."""
    rows: dict[str, Counter[str]] = {}
    left: list[tuple[str, Change]] = []
    for module, group in groupby(mutants(folder), key=lambda m: m.module):
        row, made = Counter[str](), None
        for mutant in group:
            result = mutant.result
            if result == "survived":
                made = made or functions(_mutated(folder, module).read_text("utf-8"))
                changed = change(mutant.name, made)
                if changed in known:
                    result = "equivalent"
                else:
                    left.append((mutant.name, changed))
            row[result] += 1
        if row.total():
            rows[module] = row
    return "\n".join([*_table(rows), "", *_told(left)])


def _mutated(folder: Path, module: str) -> Path:
    path = folder.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _table(rows: dict[str, Counter[str]]) -> Iterator[str]:
    whole = sum(rows.values(), Counter[str]())
    width = max(map(len, [*rows, "module"]))
    yield f"{'module':{width}}" + "".join(f"{c:>12}" for c in COLUMNS)
    for module, row in [*rows.items(), ("all", whole)]:
        yield f"{module:{width}}" + "".join(f"{row[c]:>12}" for c in COLUMNS)
    judged = whole["killed"] + whole["survived"] + whole["untested"]
    if judged:
        yield f"{100 * whole['killed'] / judged:.1f} % of {judged} mutants that were run and are not equivalent are killed."


def _told(left: list[tuple[str, Change]]) -> Iterator[str]:
    for name, changed in left:
        yield f"{changed.function}    (mutmut show {name})"
        yield from (f"- {line}" for line in changed.gone)
        yield from (f"+ {line}" for line in changed.come)
        yield ""
