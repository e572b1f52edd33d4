"""Jinja made quick: the same pages and letters, for less.

Jinja keeps ways open that our templates never go, and pays for them at every turn: keys of tables are tried as attributes
first, what is called is asked whether it wants the context, all that is put out becomes `Markup` before it is joined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import BuiltinMethodType, CodeType, FunctionType
from typing import Any

from jinja2 import BytecodeCache, Environment, nodes, pass_environment
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.filters import do_wordwrap
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

OF_TABLES = frozenset(dir(dict))
"""Names that mean a table's own methods, as in `names.items()`, whatever its keys are."""
HTML, SAY_HTML, SAY_TEXT = "quick html", "quick say html ", "quick say text "
"""Globals that templates can't name; what is compiled does. Behind the last two stands the name by which templates say it."""
DIRECT = frozenset((FunctionType, BuiltinMethodType, type(cache(str))))
"""Kinds of what is called as it is, unless it is marked to want the context."""
_marks = re.compile("[&<>'\"]").search

Say = Mapping[str, Callable[..., str]]
"""By the name that templates have for it: a message and its facts -> the message in the language spoken."""


def make_quick(environment: Environment, say_html: Say, say_text: Say) -> None:
    """Render the templates of an environment so; messages in them are said by these. To be called before any is compiled."""
    environment.code_generator_class = Generator
    environment.context_class = Calls
    environment.globals |= {HTML: as_html, **{SAY_HTML + name: say for name, say in say_html.items()}}
    environment.globals |= {SAY_TEXT + name: say for name, say in say_text.items()}
    environment.filters["wordwrap"] = wrapped
    slow = environment.getattr

    def found(thing: Any, name: str) -> Any:
        if type(thing) is dict and name in thing and name not in OF_TABLES:
            return thing[name]
        return slow(thing, name)

    environment.getattr = found  # type: ignore[method-assign, assignment]  # what is compiled looks it up here


def as_html(value: Any) -> Any:
    """A value as it is joined to HTML, escaped unless it is HTML itself."""
    kind = type(value)
    if kind is Markup:
        return value
    if kind is str:
        return escape(value) if _marks(value) else value
    return str(value) if kind is int else escape(value)


@pass_environment
def wrapped(
    environment: Environment,
    text: str,
    width: int = 79,
    break_long_words: bool = True,
    wrapstring: str | None = None,
    break_on_hyphens: bool = True,
) -> str:
    """Jinja's filter `wordwrap`, which takes a text to pieces whether it is long or not."""
    if len(text) <= width and text.splitlines() == [text] and not text[-1].isspace():
        return text
    return do_wordwrap(environment, text, width, break_long_words, wrapstring, break_on_hyphens)


class Compiled(BytecodeCache):
    """What templates compile to, for environments that are all alike: each is compiled once for them, as long as its text is
    the same. It lies in memory alone; what lies in a file, whoever can write there could have run."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give what is known of a template."""
        bucket.code = self._known.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what a template was compiled to."""
        if bucket.code is not None:
            self._known[bucket.key, bucket.checksum] = bucket.code


class Calls(Context):
    """A context that calls plain functions and macros without asking them first what they want."""

    def call(self, called: Any, /, *args: Any, **named: Any) -> Any:
        """What it says to these arguments."""
        kind = type(called)
        if kind is Macro:
            args = (self.eval_ctx, *args)
        elif kind not in DIRECT or hasattr(called, "jinja_pass_arg"):
            return super().call(called, *args, **named)
        if named:
            named.pop("_block_vars", None)
            named.pop("_loop_vars", None)
        return called(*args, **named)


class Generator(CodeGenerator):
    """Compiles what is put out, and messages, to calls of our own."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
            return
        self.write(f"environment.globals[{HTML!r}](")
        if finalize.src is not None:
            self.write(finalize.src)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        """A call; that of a message as it is said, without the context."""
        name = node.node.name if isinstance(node.node, nodes.Name) else ""
        say = (SAY_HTML if frame.eval_ctx.autoescape else SAY_TEXT) + name
        if say not in self.environment.globals or frame.eval_ctx.volatile or node.dyn_args or node.dyn_kwargs or forward_caller:
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write(f"environment.globals[{say!r}](")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        for fact in node.kwargs:
            self.visit(fact, frame)
            self.write(", ")
        self.write(")")
