"""The in-memory bytecode cache of templates."""

from __future__ import annotations

from typing import Any

import pytest
from jinja2 import DictLoader, Environment, StrictUndefined, select_autoescape
from markupsafe import Markup

from engine.ui.boards import hexes_as_text
from service.common.bytecode import MemoryBytecodeCache
from service.common.i18n import for_templates

NASTY = "<i>&\"'"
ESCAPED = "&lt;i&gt;&amp;&#34;&#39;"


def rendered(text: str, kind: str = "html", /, **facts: Any) -> str:
    environment = Environment(
        loader=DictLoader({f"page.{kind}": text}), autoescape=select_autoescape(("html",)), undefined=StrictUndefined
    )
    for_templates(environment)
    return environment.get_template(f"page.{kind}").render(**facts)


def test_a_template_is_compiled_again_when_its_source_changes() -> None:
    cache = MemoryBytecodeCache()

    def said(text: str) -> str:
        return Environment(loader=DictLoader({"page": text}), bytecode_cache=cache).get_template("page").render(x=1)

    assert [said(text) for text in ("{{ x }}", "{{ x }}!", "{{ x }}")] == ["1", "1!", "1"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{{ _("of %(who)s", who=x) }}', f"of {ESCAPED}"),
        ('{{ _("of %(who)s", who=markup) }}', "of <b>"),
        ('{{ _("a & b") }}{{ _("5 %%") }}', "a & b5 %"),
        ('{{ ngettext("%(num)s knight of %(who)s", "%(num)s knights of %(who)s", n, who=x) }}', f"3 knights of {ESCAPED}"),
        ("{% trans who=x %}of {{ who }}{% endtrans %}", f"of {ESCAPED}"),
    ],
)
def test_facts_in_messages_are_escaped_in_html(text: str, told: str) -> None:
    assert rendered(text, x=NASTY, n=3, markup=Markup("<b>")) == told


def test_facts_in_messages_stay_as_they_are_in_text() -> None:
    said = rendered('{{ x }} {{ _("of %(who)s, 5 %%", who=x) }} {{ _("5 %%") }}', "txt", x=NASTY)
    assert said == f"{NASTY} of {NASTY}, 5 % 5 %"


def test_a_map_of_hexes_as_letters_is_laid_out_by_rows_and_left_out_where_it_is_too_wide() -> None:
    places = [{"q": 1, "r": 0}, {"q": 0, "r": 0}, {"q": 0, "r": 1}]
    told = hexes_as_text(places, lambda s: f"{s['q']},{s['r']}\nabcdefghijkl\n-")
    assert told == ("0,0       1,0\nabcdefghi abcdefghi\n-         -\n\n     0,1\n     abcdefghi\n     -\n")
    assert hexes_as_text([*places, {"q": 9, "r": 0}], lambda _: "\n\n") == ""
