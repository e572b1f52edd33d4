"""API reference of the engine as Markdown, for the documentation site (`make docs`): python -m engine.tools.reference"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

import engine

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PAGE = "reference.md"
KERNEL = ("language", "core", "text", "ui", "play")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=markdown()))
    return files


def markdown() -> str:
    packages = [engine, *(importlib.import_module(f"engine.{name}") for name in KERNEL)]
    names = [
        f"{package.__name__}.{found.name}"
        for package in packages
        for found in pkgutil.iter_modules(package.__path__)
        if not found.ispkg
    ]
    modules = [importlib.import_module(name) for name in names]
    head = "# API of the engine\n\nPublic names of `engine`. The rules of the games are in packages of their own."
    return "\n\n".join([head, *(part for module in modules for part in _module(module))]) + "\n"


def _module(module: ModuleType) -> Iterator[str]:
    yield f"## `{module.__name__}`\n\n{inspect.getdoc(module) or ''}"
    for name, value in sorted(vars(module).items()):
        if name.startswith("_") or getattr(value, "__module__", "") != module.__name__:
            continue
        if inspect.isclass(value):
            yield f"### `{name}`\n\n{_doc(value)}"
            yield from (_function(f"{name}.{key}", one) for key, one in _methods(value))
        elif inspect.isfunction(value):
            yield _function(name, value)


def _methods(kind: type) -> Iterator[tuple[str, object]]:
    for key, value in vars(kind).items():
        function = getattr(value, "__func__", value)
        if not key.startswith("_") and inspect.isfunction(function) and function.__doc__:
            yield key, function


class Bare(str):
    def __repr__(self) -> str:
        return str(self)


def _function(name: str, function: object) -> str:
    assert inspect.isfunction(function)
    found = inspect.signature(function)
    bare = [one.replace(annotation=_bare(one.annotation)) for one in found.parameters.values()]
    shown = found.replace(parameters=bare, return_annotation=_bare(found.return_annotation))
    return f"#### `{name}`\n\n```python\n{name}{shown}\n```\n\n{_doc(function)}"


def _bare(annotation: object) -> object:
    return Bare(annotation) if isinstance(annotation, str) else annotation


def _doc(of: object) -> str:
    """A docstring, except the signature that dataclasses substitute."""
    text = inspect.cleandoc(getattr(of, "__doc__", None) or "")
    return "" if isinstance(of, type) and text.startswith(f"{of.__name__}(") else text


if __name__ == "__main__":
    print(markdown(), end="")
