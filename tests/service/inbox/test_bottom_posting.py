"""Answers written below the quoted letter: read as that answer, or returned, never read as another."""

from __future__ import annotations

import functools
import html
import itertools
import textwrap
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import settings as run
from hypothesis import strategies as st

from engine.core.asks import Refused, write
from engine.ui.heard import example
from service.inbox import answers, mime, replies
from tests.service.inbox.test_friendly import ASKED, CORPUS, played

OURS = ("writ@writ.test", "games@writ.test")
NAMES = ("Anna of Ely", "Anna Ely")
ON = "On Tue, Nov 24, 2026 at 9:00 AM Writ <x@else.test> wrote:"


@functools.cache
def letter(name: str) -> str:
    """A letter that asks a question, long enough to be wrapped."""
    form = ASKED[name]
    listed = "\n".join(f"{n}. {option.label}" for n, option in enumerate(form.options, 1))
    foot = "You can answer this letter by replying to it.\n\n-- \nWrit, https://writ.test\nNo more letters: https://writ.test/leave/y"
    return f"Dear Anna of Ely,\n\n{form.title}\n\n{listed}\n\n{foot}"


def marked(text: str, mark: str = "> ", wide: int = 500) -> str:
    lines = [line for part in text.split("\n") for line in (textwrap.wrap(part, wide) or [""])]
    return "\n".join((mark + line).rstrip() for line in lines)


def plain(head: str, mark: str = "> ", more: str = "") -> Callable[[str, str, str], str]:
    return lambda quoted, said, foot: (
        f"Content-Type: text/plain; charset=utf-8{more}\n\n{head}{marked(quoted, mark)}\n\n{said}\n{foot}"
    )


def page(before: str, after: str) -> Callable[[str, str, str], str]:
    def made(quoted: str, said: str, foot: str) -> str:
        shown = ["<br>".join(html.escape(line) for line in text.split("\n")) for text in (quoted, said, foot)]
        return f"Content-Type: text/html; charset=utf-8\n\n{before}{shown[0]}{after}<div>{shown[1]}</div><div>{shown[2]}</div>"

    return made


def wrapped(quoted: str, said: str, foot: str) -> str:
    """By a program that puts no mark before the rest of a line."""
    lines = "\n".join("\n".join(textwrap.wrap(f"> {line}", 66)) or ">" for line in quoted.split("\n"))
    return f"\n{ON}\n{lines}\n\n{said}\n{foot}"


GMAIL = f"<div class='gmail_quote'><div dir=ltr class=gmail_attr>{html.escape(ON)}<br></div><blockquote class=gmail_quote>"
STYLES = {
    "attribution": plain(f"{ON}\n"),
    "attribution, blank line": plain(f"{ON}\n\n"),
    "attribution, wrapped": plain("On Tue, Nov 24, 2026 at 9:00 AM Writ\n<x@else.test> wrote:\n"),
    "German": plain("Am 24.11.26 um 09:00 schrieb Writ:\n"),
    "no attribution": plain(""),
    "no space after the mark": plain("", ">"),
    "quoted twice": plain(f"{ON}\n", "> > "),
    "a telephone": plain("Sent from my iPhone\n\n", "> "),
    "flowed": plain(f"{ON}\n", "> ", "; format=flowed"),
    "wrapped without marks": wrapped,
    "Gmail's page": page(GMAIL, "</blockquote></div>"),
    "Thunderbird's page": page(
        f"<div class='moz-cite-prefix'>{html.escape(ON)}<br></div><blockquote type='cite'>", "</blockquote>"
    ),
    "a page": page("<blockquote>", "</blockquote>"),
}
FOOTERS = {
    "none": "",
    "signature": "\n-- \nAnna of Ely\n3 High Street",
    "telephone": "\nSent from my telephone",
    "list": "\n_______________________________________________\nGames mailing list\nGames@else.test\n2",
    "disclaimer": "\nThis e-mail and any attachments are confidential. If you are not the addressee, do not read it.",
    "scanner": "\nThis email has been checked for viruses by Avast.",
}


def read(name: str, mail: str) -> str:
    """What a message plays; empty where it is returned."""
    form, text = ASKED[name], replies.words(mime.read(mail.encode()), OURS, letter(name), copied=True, names=NAMES)
    try:
        answer = answers.parse(form, text.splitlines(), NAMES[:1]) if text else None
    except Refused as refusal:
        assert str(refusal)
        return ""
    return write(answer) if answer is not None and form.option(answer.option) is not None else ""


above = functools.cache(played)


@pytest.mark.parametrize("style", STYLES)
def test_an_answer_below_the_quote_is_read_as_above_it_or_returned(style: str) -> None:
    understood, returned = 0, 0
    for (name, reply, _), footer in zip(CORPUS, itertools.cycle(FOOTERS.values()), strict=False):
        said = reply.replace("\\n", "\n").strip()
        found, wanted = read(name, STYLES[style](letter(name), said, footer)), above(name, reply)
        assert found in (wanted, ""), (reply, found)
        understood, returned = understood + bool(found), returned + (bool(wanted) and not found)
    assert understood >= 0.9 * (understood + returned)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("footer", FOOTERS)
def test_a_quote_with_nothing_but_a_footer_is_no_answer(style: str, footer: str) -> None:
    for name in ("ortus turn", "mastery support", "fief draw"):
        for said in ("", "Best,\nAnna", "Anna of Ely", "Anna\nHigh Street 3"):
            mail = STYLES[style](letter(name), said, FOOTERS[footer])
            assert replies.words(mime.read(mail.encode()), OURS, letter(name), copied=True, names=NAMES) == ""


@pytest.mark.parametrize("style", STYLES)
def test_the_examples_of_letters_are_understood_below_the_quote(style: str) -> None:
    for name, form in ASKED.items():
        for said in filter(None, (example(form, option) for option in form.options)):
            assert read(name, STYLES[style](letter(name), said, "")) == above(name, said) != ""


@run(max_examples=200, deadline=None)
@given(
    st.sampled_from(CORPUS), st.sampled_from(sorted(STYLES)), st.sampled_from(sorted(FOOTERS)), st.integers(60, 100), st.data()
)
def test_quotes_that_are_wrapped_cut_or_answered_between_play_no_other_answer(
    case: tuple[str, str, str], style: str, footer: str, wide: int, data: st.DataObject
) -> None:
    """Lines are taken out of the mail, broken, or put in."""
    name, reply, _ = case
    said, form = reply.replace("\\n", "\n").strip(), ASKED[name]
    head, _, body = STYLES[style](letter(name), said, FOOTERS[footer]).partition("\n\n")
    lines = [part for line in body.split("\n") for part in (textwrap.wrap(line, wide) or [""])]
    options = [f"{n}. {option.label}" for n, option in enumerate(form.options, 1)]
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(lines)))
        if data.draw(st.booleans()):
            lines[at:at] = [data.draw(st.sampled_from(["", ">", "> x", "x", "Anna", f"> {options[-1]}"]))]
        else:
            del lines[at : at + 1]
    mail = "\n".join(lines)
    found = read(name, f"{head}\n\n{mail}")
    if found and found != above(name, reply):
        # Another answer only where lines were taken out of the answer itself.
        own = "\n".join(line for line in lines if not line.startswith(">"))
        assert said not in own


@pytest.mark.parametrize(
    "mail",
    [
        f"{ON}\n> Dear Anna,\n\n1\n\n> 2. A Lords card\n\n3\n",
        f"{ON}\n> Dear Anna,\n\n1\n\n> 2. A Lords card\n",
        f"{ON}\n> 1. A Fortune card\n2. A Lords card\n> 3. Draw no more\n",
        f"{ON}\n>\n2\n> 3. Draw no more\n\n3\n",
        "> What do you draw? The back on top of the Fortune deck is black, a\n2\n",
        "From: Writ\nSent: Tuesday\nTo: Anna\nSubject: War\n\n> Dear Anna,\n\n2\n",
        "-----Original Message-----\nDear Anna,\n\n2\n",
        f"{ON}\nDear Anna of Ely,\n\n1. A Fortune card\n",
        "> 2. A Lords card\n\nAnna Ely\n",
        "> 2. A Lords card\n\n--\n3\n",
        "> x\n\nFrom: Bert <bert@else.test>\nTo: Anna\n\n2\n",
    ],
)
def test_without_a_clear_quote_or_an_own_word_the_mail_is_returned(mail: str) -> None:
    assert read("fief draw", f"\n{mail}") == ""


def test_a_short_quoted_line_needs_no_blank_line_below_it() -> None:
    assert read("fief draw", f"\n{ON}\n> 2. A Lords card\n2\n") == "lords"


def test_what_is_above_the_quote_precedes_what_is_below_it() -> None:
    assert read("fief draw", f"\n1\n\n{ON}\n> Dear Anna,\n\n2\n") == "fortune"
    page_ = "Content-Type: text/html\n\n<p>1</p><blockquote>Dear Anna</blockquote><p>2</p>"
    assert read("fief draw", page_) == "", "a page shows both as one text"


def test_talk_below_the_quote_is_said_without_footers() -> None:
    def said(below: str) -> str:
        return replies.words(mime.read(f"\n{ON}\n> Well met.\n> Peace?\n\n{below}\n".encode()), OURS, names=NAMES)

    assert said("Agreed, until spring.\n\nThen we shall see.") == "Agreed, until spring.\n\nThen we shall see."
    assert said("Agreed.\n\nPlease consider the environment before printing this e-mail.") == "Agreed."
    assert said("Agreed.\n\nSent from my castle") == "Agreed."
    assert said("You received this message because you are subscribed to a group.") == ""
    assert said("Get Knights for Bert!") == "Get Knights for Bert!"
    assert said("👍") == ""


def test_a_long_mail_below_the_quote_is_read_in_linear_time_or_returned() -> None:
    mail = f"\n{ON}\n> x\n\n" + "a\n\n" * 20_000
    assert len(replies.words(mime.read(mail.encode()), OURS, names=NAMES)) > 50_000
    assert replies.words(mime.read(mail.encode() + b"b" * 10_000), OURS, names=NAMES) == ""
