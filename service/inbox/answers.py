"""Parses a reply into an answer: its first line by words, number or notation, rows below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.core.asks import Ambiguous, Answer, NotUnderstood, Refused, read
from engine.ui.forms import Form, FormOption, RowsField
from engine.ui.heard import Heard, example, nearest, needed, row_example, understand
from service.common.headers import shown
from service.common.messages import Listed, nsentence, sentence
from service.inbox import replies, rows, second_thoughts

QUOTED = 80
"""Characters of a refused reply that are quoted."""
SHORTEST_BEGINNING = 3
"""Letters of an unambiguous option prefix."""


def parse(form: Form, lines: Sequence[str], names: Sequence[str] = ()) -> Answer:
    """Parse the first line, with rows below. Raises NotUnderstood if other text follows."""
    lines = second_thoughts.without_greeting(form, lines)
    first, below = rows.first_line(lines)
    if replies.STRUCK in second_thoughts.paragraph(lines):
        raise unknown(form, first)
    try:
        answer, left = _of_line(form, first, below, names)
    except Refused:
        # The client wrapped a copied line.
        whole = second_thoughts.paragraph(lines)
        heard = understand(form, whole, names) if whole != first else Heard()
        if heard.answer is None and "\n" in whole:  # perhaps between a number and what it counts
            heard = understand(form, whole.replace("\n", " "), names)
        if heard.answer is None or (heard.option is not None and rows.several(heard.option, whole)):
            raise
        answer, left = _whole(form, heard), lines[len(whole.split("\n")) :]
    more = second_thoughts.find(left, names, form)
    if more:
        whole = second_thoughts.paragraph(lines)
        if "\n" in whole and understand(form, whole, names).answer == answer:
            more = second_thoughts.find(lines[len(whole.split("\n")) :], names, form)
    if more:
        raise NotUnderstood(
            sentence(
                "After “%(answer)s” your reply goes on with “%(more)s”, so nothing was played. Reply with your answer alone.",
                answer=shown(first[:QUOTED]),
                more=shown(more[:QUOTED]),
            )
        )
    return answer


def _of_line(form: Form, line: str, below: Sequence[str], names: Sequence[str]) -> tuple[Answer, Sequence[str]]:
    """Parse an answer's line; returns the rest, too. Raises Ambiguous."""
    heard = understand(form, line, names) if "=" not in line else Heard()
    if heard.among:
        raise _ambiguous(line, [option.label for option in heard.among])
    if heard.number:
        most = len(form.options)
        raise NotUnderstood(
            sentence("There is no option %(given)s; the letter lists 1 to %(most)s.", given=heard.number, most=most)
        )
    if heard.answer is None or not heard.answer.values:
        heard = _in_notation(form, line, heard)
    if heard.option is not None:
        given, left = rows.with_rows(heard.answer or Answer(heard.option.id), heard.option, below)
        return _whole(form, Heard(given if given.values or heard.answer else None, heard.option)), left
    line = line.rstrip(" .!")
    try:
        answer = _completed(form, read(line))
    except NotUnderstood as refusal:
        raise _why(form, line, refusal) from refusal
    meant = form.option(answer.option)
    if meant is None:
        return answer, below
    if meant.grave:
        raise NotUnderstood(sentence("This can’t be undone, so we ask twice; please use the page."))
    # The rules refuse what isn't legal now, with the reason.
    return rows.with_rows(answer, meant, below)


def _in_notation(form: Form, line: str, heard: Heard) -> Heard:
    option = form.option(line.strip())
    if option is None:
        return heard
    free = all(isinstance(one, RowsField) and not one.least for one in needed(option))
    return Heard(Answer(option.id) if free else None, option)


def _whole(form: Form, heard: Heard) -> Answer:
    """The answer. Raises NotUnderstood if it is irreversible or incomplete."""
    option = heard.option
    assert option is not None
    if option.grave:
        raise NotUnderstood(
            sentence("“%(option)s” can’t be undone, so we ask twice; please use the page.", option=option.label)
        )
    if heard.answer is None:
        raise _incomplete(form, option)
    return heard.answer


def _why(form: Form, line: str, refusal: NotUnderstood) -> NotUnderstood:
    first = next(iter(line.split()), "")
    meant = form.option(_completed(form, Answer(first)).option) if len(first) >= SHORTEST_BEGINNING else None
    if meant is None:
        return _unclear(form, line) or unknown(form, line)
    return _incomplete(form, meant) if "=" not in line and meant.fields and not meant.grave else refusal


def _ambiguous(line: str, options: Sequence[str]) -> Ambiguous:
    return Ambiguous(
        sentence(
            "“%(text)s” could mean any of these: %(options)s. Write one of them whole.",
            text=shown(line[:QUOTED]),
            options=Listed([*options]),
        )
    )


def _incomplete(form: Form, option: FormOption) -> NotUnderstood:
    table = next((f for f in option.fields if isinstance(f, RowsField)), None)
    if (text := example(form, option)) and (table is None or table.most == 1):
        return NotUnderstood(
            sentence(
                "“%(option)s” needs more: %(fields)s. It is written like this: %(example)s",
                option=option.label,
                fields=Listed([f.label for f in option.fields]),
                example=text,
            )
        )
    if table is not None:
        return NotUnderstood(
            sentence(
                "“%(option)s” needs more: %(fields)s. Write %(id)s in the first line, then a line for each row, like this:"
                " %(pattern)s",
                option=option.label,
                fields=Listed([f.label for f in option.fields]),
                id=option.id,
                pattern=row_example(option, table),
            )
        )
    return NotUnderstood(
        sentence(
            "“%(option)s” needs more: %(fields)s. Write it as %(id)s field=value, or use the page.",
            option=option.label,
            fields=Listed([f.name for f in option.fields]),
            id=option.id,
        )
    )


def _unclear(form: Form, line: str) -> NotUnderstood | None:
    """For a line that begins with an option's number and goes on with words that aren't parsed."""
    number = re.match(r"\W*(\d{1,3})\b", line)
    if number is None or not 1 <= int(number[1]) <= len(form.options):
        return None
    option = form.options[int(number[1]) - 1]
    text = example(form, option) if option.fields else number[1]
    if option.grave:
        return None
    if not text:
        return _incomplete(form, option)
    return NotUnderstood(
        sentence(
            "We can read “%(option)s”, but not the words after the number. Reply like this: %(example)s",
            option=option.label,
            example=text,
        )
    )


def unknown(form: Form, line: str) -> NotUnderstood:
    near = Listed([f"“{number}. {option.label}”" for number, option in nearest(form, line)])
    return NotUnderstood(
        nsentence(
            "That names no option. Begin your reply with %(num)s or the name of the only one. Did you mean %(near)s?",
            "That names no option. Begin your reply with the number of one, 1 to %(num)s, or its name. Did you mean %(near)s?",
            len(form.options),
            near=near,
        )
    )


def _completed(form: Form, answer: Answer) -> Answer:
    """Complete a prefix of at least three letters; shorter ones might be stray words."""
    if form.option(answer.option) is not None:
        return answer
    said = answer.option.casefold()
    whole = [o.id for o in form.options if o.id.casefold() == said]
    begun = whole or [o.id for o in form.options if o.id.casefold().startswith(said)]
    if len(begun) > 1:
        raise _ambiguous(answer.option, begun)
    taken = begun and (whole or len(said) >= SHORTEST_BEGINNING)
    return Answer(begun[0], answer.values) if taken else answer
