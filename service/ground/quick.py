"""Jinja made quick: the same pages and letters, for less.

Jinja keeps ways open that our templates never go, and pays for them at every turn: keys of tables are tried as attributes
first, what is called is asked whether it wants the context and the variables of the loop around it (those no function of ours
is told), all that is put out becomes `Markup` before it is joined, and goes up word by word through all templates around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cache, cached_property, partial
from keyword import iskeyword
from types import BuiltinMethodType, CodeType, FunctionType, MethodType
from typing import Any

from jinja2 import BytecodeCache, Environment, Template, nodes, pass_environment
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame, MacroRef, optimizeconst
from jinja2.environment import TemplateModule
from jinja2.filters import do_wordwrap
from jinja2.runtime import Context, Macro, markup_join
from jinja2.utils import Namespace, missing
from markupsafe import Markup, escape

OF_TABLES = frozenset(dir(dict))
"""Names that mean a table's own methods, as in `names.items()`, whatever its keys are."""
SAY_HTML, SAY_TEXT = "quick say html ", "quick say text "
"""Globals that templates can't name; what is compiled does. Behind them stands the name by which templates say it."""
DIRECT = frozenset((FunctionType, MethodType, type, type(cache(str))))
"""Kinds of what is called as it is, unless it is marked to want the context."""
_marks = re.compile("[&<>'\"]").search

Say = Mapping[str, Callable[..., str]]
"""By the name that templates have for it: a message and its facts -> the message in the language spoken."""


def make_quick(environment: Environment, say_html: Say, say_text: Say) -> None:
    """Render the templates of an environment so; messages in them are said by these. To be called before any is compiled."""
    environment.code_generator_class = Generator
    environment.context_class = Calls
    environment.template_class = Whole
    environment.cache = {}  # all stay; Jinja's own counts which one was used last
    environment.globals |= {SAY_HTML + name: say for name, say in say_html.items()}
    environment.globals |= {SAY_TEXT + name: say for name, say in say_text.items()}
    # Those that could be waited for ask each time whether they are to be; with us none is.
    plain = {name: found.__wrapped__ for name, found in environment.filters.items() if hasattr(found, "jinja_async_variant")}
    environment.filters |= plain | {"wordwrap": wrapped}
    environment.globals["namespace"] = Notes
    slow = environment.getattr

    def found(thing: Any, name: str) -> Any:
        if type(thing) is dict and name not in OF_TABLES:
            return thing[name] if name in thing else environment.undefined(obj=thing, name=name)
        try:
            return getattr(thing, name)
        except AttributeError:
            return slow(thing, name)

    environment.getattr = found  # type: ignore[method-assign, assignment]  # what is compiled looks it up here


def as_html(value: Any) -> Any:
    """A value as it is joined to HTML, escaped unless it is HTML itself."""
    kind = type(value)
    if kind is Markup:
        return value
    if kind is str:
        return escape(value) if _marks(value) else value
    return str(value) if kind is int or kind is float else escape(value)


def joined(*parts: Any) -> str:
    """What `a ~ b` comes to in HTML: HTML itself as soon as one of them is."""
    is_html = False
    for part in parts:
        kind = type(part)
        if kind is Markup:
            is_html = True
        elif kind is not str and kind is not int:
            return markup_join(parts)
    if is_html:
        return _new(Markup, "".join(map(as_html, parts)))
    return "".join(map(str, parts))


_new = str.__new__
"""Makes `Markup` of what is known to be a text and HTML."""


@pass_environment
def wrapped(
    environment: Environment,
    text: str,
    width: int = 79,
    break_long_words: bool = True,
    wrapstring: str | None = None,
    break_on_hyphens: bool = False,
) -> str:
    """Jinja's filter `wordwrap`, which takes a text to pieces whether it is long or not, and a word at its hyphens: `OR-AMB-99`
    stays whole."""
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


class Notes(Namespace):
    """What `namespace()` makes: things that are written anew as a loop goes on. They are its attributes, as of any object."""

    __getattribute__ = object.__getattribute__

    def __init__(self, /, *args: Any, **named: Any) -> None:
        self.__dict__.update(*args, **named)

    def __setitem__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value


class Quick(Macro):
    """A macro. Templates know it by its class, and call it as one of HTML or of text, as they are themselves."""

    @property
    def place(self) -> tuple[str, str]:
        """The file of its template, and its name there."""
        return self._func.__code__.co_filename, self.name

    def html(self, *args: Any, **named: Any) -> Markup:
        """What it says, in a template of HTML."""
        return _new(Markup, self.text(*args, **named))

    def text(self, *args: Any, **named: Any) -> str:
        """The same in one of text."""
        if named or self.caller or self.catch_kwargs or self.catch_varargs:
            return self._said(args, named)
        room = self._argument_count - len(args)
        if not room:
            return self._func(*args)
        return self._func(*args, *((missing,) * room)) if room > 0 else self._said(args, named)

    def _said(self, args: tuple[Any, ...], named: dict[str, Any]) -> str:
        """The same, of arguments by their names; in the seldom case as Jinja finds out which is which."""
        given = [*args, *((missing,) * (self._argument_count - len(args)))]
        plain = not (self.catch_kwargs or self.catch_varargs or self.explicit_caller)
        if plain and len(args) <= self._argument_count and self.caller == ("caller" in named):
            for name, value in named.items():
                if name == "caller":
                    continue
                at = self._places.get(name, -1)
                if at < len(args):  # there is none of that name, or it is given twice
                    break
                given[at] = value
            else:
                return self._func(*given, named["caller"]) if self.caller else self._func(*given)
        return str(Macro.__call__(self, *args, **named))

    @cached_property
    def _places(self) -> dict[str, int]:
        """Which argument is which."""
        return {name: at for at, name in enumerate(self.arguments)}


class Whole(Template):
    """A template that hands what it puts out to those around it in one piece."""

    @classmethod
    def _from_namespace(
        cls, environment: Environment, namespace: MutableMapping[str, Any], globals: MutableMapping[str, Any]
    ) -> Template:
        made = super()._from_namespace(environment, namespace, globals)
        made.root_render_func = _whole(made.root_render_func)
        return made

    def _get_default_module(self, _ctx: Context | None = None) -> TemplateModule:
        """What it defines for those that import it without their context. Theirs may have globals that it hasn't; with us all
        have the same ones."""
        return super()._get_default_module()


def _whole(render: Callable[[Context], Iterator[str]]) -> Callable[[Context], Iterator[str]]:
    def whole(context: Context) -> Iterator[str]:
        yield "".join(render(context))

    return whole


class Calls(Context):
    """A context that calls plain functions without asking them first what they want."""

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: dict[str, Callable[[Context], Iterator[str]]],
        globals: MutableMapping[str, Any] | None = None,  # noqa: ARG002  # as Jinja calls it
    ) -> None:
        super().__init__(environment, parent, name, blocks)  # which of its names are globals, `Whole` doesn't ask

    def way_to(self, called: Any) -> Callable[..., Any]:
        """How to call something."""
        kind = type(called)
        if kind is BuiltinMethodType or (kind in DIRECT and not hasattr(called, "jinja_pass_arg")):
            found: Callable[..., Any] = called
            return found
        return partial(self.call, called)


class Generator(CodeGenerator):
    """Compiles what is put out, looked up, called and said to Python that finds the usual case by itself."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        """A whole template."""
        self.asides, self.puts_out = 0, list[str]()
        says = [name for name in self.environment.globals if name.startswith((SAY_HTML, SAY_TEXT))]
        self.says = {name: f"say_{n}" for n, name in enumerate(says)}
        self.writeline("from service.ground.quick import Quick, as_html, joined")
        for name, short in self.says.items():
            self.writeline(f"{short} = environment.globals[{name!r}]")
        super().visit_Template(node, frame)

    def _said_by(self, node: nodes.Node, frame: Frame) -> str:
        """What says a message to templates of this kind, if that is what is called."""
        if not isinstance(node, nodes.Call) or not isinstance(node.node, nodes.Name) or not self._is_plain(node, frame):
            return ""
        return self.says.get((SAY_HTML if frame.eval_ctx.autoescape else SAY_TEXT) + node.node.name, "")

    def _is_plain(self, node: nodes.Call, frame: Frame) -> bool:
        return not (frame.eval_ctx.volatile or node.dyn_args or node.dyn_kwargs or any(iskeyword(k.key) for k in node.kwargs))

    def _aside(self) -> str:
        """A name for what is looked at twice."""
        self.asides += 1
        return f"aside_{self.asides}"

    def _is_quick(self, frame: Frame, finalize: Any) -> bool:
        return bool(frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is None)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if not self._is_quick(frame, finalize):
            super()._output_child_pre(node, frame, finalize)
        elif self._said_by(node, frame):
            self.write("(")
        else:
            aside = self._aside()
            self.write(f"({aside} if ({aside} := ")
            self.puts_out.append(aside)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if not self._is_quick(frame, finalize) or self._said_by(node, frame):
            super()._output_child_post(node, frame, finalize)
        else:
            self.write(f").__class__ is Markup else as_html({self.puts_out.pop()}))")

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        """`thing.name`: of a table, what lies there by that name."""
        if node.attr in OF_TABLES:
            super().visit_Getattr(node, frame)
            return
        thing, found = self._aside(), self._aside()
        self.write(f"({thing}[{node.attr!r}] if ({thing} := ")
        self.visit(node.node, frame)
        self.write(f").__class__ is dict and {node.attr!r} in {thing} else {found} if ")
        self.write(f"({found} := getattr({thing}, {node.attr!r}, missing)) is not missing else ")
        self.write(f"environment.getattr({thing}, {node.attr!r}))")

    @optimizeconst
    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        """`thing[key]`."""
        if (
            isinstance(node.node, nodes.Dict)
            and node.node.items
            and all(isinstance(item.key, nodes.Const) for item in node.node.items)
        ):
            self._choice(node.node, node.arg, frame)
            return
        if not isinstance(node.arg, nodes.Const | nodes.Name):
            super().visit_Getitem(node, frame)
            return
        thing = self._aside()
        self.write(f"({thing}[")
        self.visit(node.arg, frame)
        self.write(f"] if ({thing} := ")
        self.visit(node.node, frame)
        self.write(").__class__ is dict and ")
        self.visit(node.arg, frame)
        self.write(f" in {thing} else environment.getitem({thing}, ")
        self.visit(node.arg, frame)
        self.write("))")

    def _choice(self, table: nodes.Dict, key: nodes.Expr, frame: Frame) -> None:
        """`{"a": x, "b": y}[key]`: nothing but what is chosen is put together, be they sixteen messages."""
        chosen = self._aside()
        self.write("(")
        for n, item in enumerate(reversed(table.items)):  # of two with the same key the later one counts
            self.visit(item.value, frame)
            self.write(f" if {chosen} == " if n else f" if ({chosen} := ")
            if not n:
                self.visit(key, frame)
                self.write(") == ")
            self.visit(item.key, frame)
            self.write(" else ")
        self.write(f"environment.getitem({{}}, {chosen}))")

    @optimizeconst
    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        """`a ~ b`."""
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super().visit_Concat(node, frame)
            return
        self.write("joined(")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write(")")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        """A call; that of a message as it is said, without the context."""
        say = "" if forward_caller else self._said_by(node, frame)
        if not self._is_plain(node, frame):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        if say:
            self.write(f"{say}(")
        else:
            called = self._aside()
            self.write(f"({called}.{'html' if frame.eval_ctx.autoescape else 'text'} if ({called} := ")
            self.visit(node.node, frame)
            self.write(f").__class__ is Quick else context.way_to({called}))(")
        for argument in [*node.args, *node.kwargs]:
            self.visit(argument, frame)
            self.write(", ")
        self.write("caller=caller)" if forward_caller else ")")

    def macro_def(self, macro_ref: MacroRef, _frame: Frame) -> None:
        """A macro that was defined."""
        names = "".join(f"{argument.name!r}, " for argument in macro_ref.node.args)
        takes = f"{macro_ref.accesses_kwargs}, {macro_ref.accesses_varargs}, {macro_ref.accesses_caller}"
        name = getattr(macro_ref.node, "name", None)
        self.write(f"Quick(environment, macro, {name!r}, ({names}), {takes}, context.eval_ctx.autoescape)")
