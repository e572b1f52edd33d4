"""Templates rendered for less say what Jinja's own would say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, Environment, StrictUndefined, UndefinedError, select_autoescape
from jinja2.filters import do_wordwrap
from markupsafe import Markup

from engine.boards import hexes_as_text
from service.ground.quick import Compiled, wrapped
from service.ground.words import for_templates


def rendered(text: str, kind: str = "html", /, **facts: Any) -> str:
    parts = {f"page.{kind}": text, "parts.html": '{% macro bold(x, n=1) %}<b class="{{ n }}">{{ x }}</b>{% endmacro %}'}
    environment = Environment(loader=DictLoader(parts), autoescape=select_autoescape(("html",)), undefined=StrictUndefined)
    for_templates(environment)
    return environment.get_template(f"page.{kind}").render(**facts)


NASTY = "<i>&\"'"
ESCAPED = "&lt;i&gt;&amp;&#34;&#39;"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{ x }}", ESCAPED),
        ("{{ x }}{{ n }}{{ none }}{{ markup }}", f"{ESCAPED}3None<b>"),
        ("{{ table.key }}{{ table['key'] }}", ESCAPED * 2),
        ("{% for k, v in table.items() %}{{ k }}={{ v }};{% endfor %}", f"key={ESCAPED};items=7;"),
        ("{{ table.get('key') }}{{ table.get('no', x) }}", ESCAPED * 2),
        ('{{ _("of %(who)s", who=x) }}', f"of {ESCAPED}"),
        ('{{ _("of %(who)s", who=markup) }}', "of <b>"),
        ('{{ _("a & b") }}{{ _("5 %%") }}', "a & b5 %"),
        ('{{ ngettext("%(num)s knight of %(who)s", "%(num)s knights of %(who)s", n, who=x) }}', f"3 knights of {ESCAPED}"),
        ('{{ said(x) }}{{ said("%(a)s", a=x) }}', f"{ESCAPED}None%(a)s{ESCAPED}"),
        ('{% from "parts.html" import bold %}{{ bold(x, n=2) }}', f'<b class="2">{ESCAPED}</b>'),
        (
            '{% from "parts.html" import bold with context %}{% for i in [1] %}{{ bold(x) }}{% endfor %}',
            f'<b class="1">{ESCAPED}</b>',
        ),
        ("{% set y %}{{ x }}{% endset %}{{ y }}{{ x ~ y }}", ESCAPED * 3),
        ("{{ [x, markup] | join('') }}", f"{ESCAPED}<b>"),
        (
            "{{ {'a': x, 'b': markup, 3: 'three', 'a': n}[key] }}{{ {'a': markup, 'b': x}['b'] }}{{ {3: x}[n] }}",
            "3" + ESCAPED * 2,
        ),
        ("{{ {'b': x}[key] | default('none') }}{{ {}['a'] | default('no') }}", "noneno"),
    ],
)
def test_what_is_put_out_is_escaped_once_and_nothing_else(text: str, told: str) -> None:
    def said(it: str, a: str | None = None) -> str:
        return f"{it}{a}"

    table = {"key": NASTY, "items": 7}
    assert rendered(text, x=NASTY, n=3, none=None, markup=Markup("<b>"), table=table, said=said, key="a") == told


def test_of_a_table_written_out_only_what_is_chosen_is_put_together() -> None:
    asked: list[str] = []

    def said(word: str) -> str:
        asked.append(word)
        return word

    assert rendered("{{ {'a': said('one'), 'b': said('two'), 'c': said('three')}[key] }}", key="b", said=said) == "two"
    assert asked == ["two"]


MACROS = """{% macro pair(a, b="-", c=none) %}{{ a }}/{{ b }}/{{ c }}{% endmacro %}
{% macro around(x) %}<b>{{ x }}{{ caller() }}</b>{% endmacro %}
{% macro handing(x) %}[{{ caller(x) }}]{% endmacro %}
{% macro many(a) %}{{ a }}{{ varargs | join(",") }}{% for k, v in kwargs.items() %}{{ k }}={{ v }}{% endfor %}{% endmacro %}"""


@pytest.mark.parametrize("kind", ["html", "txt"])
@pytest.mark.parametrize(
    "text",
    [
        "{{ pair(x) }}{{ pair(x, x) }}{{ pair(x, c=x) }}{{ pair(b=1, a=2) }}{{ pair() is string }}",
        "{{ pair(x, 1, 2) ~ x }}{{ x ~ 1 ~ markup }}{{ 1 ~ 2 }}{{ none ~ x }}{{ markup ~ x ~ [x] }}",
        "{% call around(x) %}{{ x }}{% call around(1) %}{{ pair(2) }}{% endcall %}{% endcall %}",
        "{% call(y) handing(x) %}{{ y }}{{ loop is defined }}{% endcall %}",
        "{{ many(1, 2, x, k=x) }}{{ many(1) }}",
        "{% set ns = namespace(at=x, seen=[]) %}{% for i in [1, 2] %}"
        "{% set ns.at = ns.at ~ i %}{% set ns.seen = ns.seen + [i] %}{% endfor %}"
        "{{ ns.at }}{{ ns.seen }}{{ ns.no is defined }}",
        "{{ table.deep.key }}{{ table['deep']['key'] }}{{ table[name].key }}"
        "{{ table[name][other] }}{{ table.deep['no'] is defined }}",
        "{{ rows[0].key }}{{ rows[1] is defined }}{{ rows[n][other] }}"
        "{{ name[0] }}{{ name.upper() }}{{ table[(1, 2)] is defined }}",
        "{% for r in rows %}{{ loop.index }}{{ r.key }}{{ loop.last }}"
        "{% else %}none{% endfor %}{{ rows | map(attribute='key') | join }}",
        "{{ table.get(name).key if table.get(name) else x }}{{ said(x) }}{{ dict(a=x).a }}{{ range(3) | list }}",
        "{{ pair(*[x, 2]) }}{{ pair(**{'a': x}) }}{{ said(**{'it': markup}) }}",
        "{% set y %}{{ pair(x) }}{% endset %}{{ y }}{{ y | length }}{{ caller is defined }}",
        "{{ rows | selectattr('key', 'equalto', x) | list | length }}"
        "{{ (rows | first).key }}{{ table.items | default('-') is callable }}",
    ],
)
def test_what_is_compiled_says_what_jinja_says(text: str, kind: str) -> None:
    def said(it: str) -> str:
        return f"<{it}>"

    facts = {
        **{"x": NASTY, "markup": Markup("<b>"), "none": None, "n": 0, "name": "deep", "other": "key", "said": said},
        **{"table": {"deep": {"key": NASTY}}, "rows": [{"key": NASTY}]},
    }
    imported = "{% from 'parts.html' import pair, around, handing, many %}"
    files = DictLoader({"parts.html": MACROS, f"page.{kind}": imported + text})
    stock, quick = (Environment(loader=files, autoescape=select_autoescape(("html",))) for _ in range(2))
    for_templates(quick)
    assert quick.get_template(f"page.{kind}").render(**facts) == stock.get_template(f"page.{kind}").render(**facts)


@pytest.mark.parametrize(
    "text", ["{{ pair(1, 2, 3, 4) }}", "{{ pair(1, d=2) }}", "{{ pair(1, a=2) }}", "{{ pair(1, caller=2) }}"]
)
def test_a_macro_that_is_given_what_it_does_not_take_fails_loudly(text: str) -> None:
    with pytest.raises(TypeError):
        rendered("{% macro pair(a, b=1, c=2) %}{{ a }}{% endmacro %}" + text)


def test_a_text_is_not_escaped() -> None:
    assert (
        rendered('{{ x }} {{ _("of %(who)s, 5 %%", who=x) }} {{ _("5 %%") }}', "txt", x=NASTY) == f"{NASTY} of {NASTY}, 5 % 5 %"
    )


def test_what_a_table_lacks_fails_loudly() -> None:
    with pytest.raises(UndefinedError):
        rendered("{{ table.no }}", table={})


@given(st.text(alphabet="ab- \n\t\u2014\r\x0b"), st.integers(1, 12))
def test_short_lines_are_left_as_wrapping_would_leave_them(text: str, width: int) -> None:
    environment = Environment()
    assert wrapped(environment, text, width, wrapstring="\n ") == do_wordwrap(
        environment, text, width, wrapstring="\n ", break_on_hyphens=False
    )


def test_a_map_of_hexes_as_letters_is_laid_out_by_rows_and_left_out_where_it_is_too_wide() -> None:
    places = [{"q": 1, "r": 0}, {"q": 0, "r": 0}, {"q": 0, "r": 1}]
    told = hexes_as_text(places, lambda s: f"{s['q']},{s['r']}\nabcdefghijkl\n-")
    assert told == ("0,0       1,0\nabcdefghi abcdefghi\n-         -\n\n     0,1\n     abcdefghi\n     -\n")
    assert hexes_as_text([*places, {"q": 9, "r": 0}], lambda _: "\n\n") == ""


def test_a_template_is_compiled_anew_when_its_text_is_another() -> None:
    known = Compiled()

    def said(text: str) -> str:
        return Environment(loader=DictLoader({"page": text}), bytecode_cache=known).get_template("page").render(x=1)

    assert [said(text) for text in ("{{ x }}", "{{ x }}!", "{{ x }}")] == ["1", "1!", "1"]
