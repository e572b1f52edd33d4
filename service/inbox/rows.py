"""Rows in a reply, one a line below the answer.

    march
    - group=F1 to=[Blaye, Charolles]
    - group=F2 knights=3

Rows begin with a dash, star or number; other lines continue a row, since mail clients wrap. A blank line ends the answer. With
several row fields, a `name:` line precedes each field's rows. Rows within the first line work too. In words, a single row may
stand in the first line, `1: F1, Blaye`, and further ones below it, `- F2, 3 knights`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.core.asks import Answer, NotUnderstood, Row, are_rows, of_row, read_row
from engine.ui.forms import FormOption, RowsField
from engine.ui.heard import row_in_words
from service.common.messages import Listed, sentence

MOST = 100
"""Most lines of a reply that are read."""
BEGINS = re.compile(r"(?:[-*•–]|[0-9]{1,3}[.)])\s+")
HEADING = re.compile(r"([a-z_][a-z0-9_]*)\s*:")


def first_line(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The answer's line, continued while a bracket is open, and the lines below."""
    line = lines[0].strip()
    for n, below in enumerate(lines[1:MOST], 1):
        if not _open(line) or not below.strip():
            return line, lines[n:]
        line = f"{line} {below.strip()}"
    return line, lines[MOST:]


def _open(line: str) -> bool:
    return any(line.count(begin) > line.count(end) for begin, end in ("[]", "()", "{}"))


def several(option: FormOption, text: str) -> bool:
    """Whether a text has rows on separate lines, which can't be read as one."""
    return any(isinstance(f, RowsField) for f in option.fields) and any(BEGINS.match(line) for line in text.splitlines()[1:])


def with_rows(answer: Answer, option: FormOption, below: Sequence[str]) -> tuple[Answer, Sequence[str]]:
    """Add rows to an answer; also returns the remaining lines. Raises NotUnderstood for an unreadable row or unknown field."""
    fields = [f for f in option.fields if isinstance(f, RowsField)]
    if not fields:
        return answer, below
    values = dict(answer.values)
    name = fields[0].name if len(fields) == 1 else ""
    rows, taken = _rows(below, {f.name for f in fields})
    for heading, line in rows:
        name = heading or name
        if not name:
            known = Listed([f"{f.name}:" for f in fields])
            raise NotUnderstood(
                sentence("To what do the rows belong? Before them goes a line with one of these: %(fields)s", fields=known)
            )
        before = values.get(name, [])
        given: list[Row] = [*before] if isinstance(before, list) and are_rows(before) else []
        try:
            row = read_row(line)
        except NotUnderstood as refusal:
            said = row_in_words(next(f for f in fields if f.name == name), line)
            if said is None:
                raise NotUnderstood(of_row(name, len(given) + 1, refusal.said)) from None
            row = said
        values[name] = [*given, row]
    return Answer(answer.option, values), below[taken:]


def _rows(lines: Sequence[str], names: set[str]) -> tuple[list[tuple[str, str]], int]:
    """The rows below an answer, with headings, and how many lines they take."""
    rows, heading, in_row = list[tuple[str, str]](), "", False
    for n, line in enumerate(line.strip() for line in lines[:MOST]):
        begun, found = BEGINS.match(line), HEADING.fullmatch(line)
        if found and found[1] in names:
            heading, in_row = found[1], False
        elif begun:
            rows.append((heading, line[begun.end() :]))
            in_row = True
        elif in_row and line and ("=" in line or _open(rows[-1][1])):
            rows[-1] = (heading, f"{rows[-1][1]} {line}")
        else:
            return rows, n
    return rows, min(len(lines), MOST)
