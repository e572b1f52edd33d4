"""A reply's own text, above the quoted letter or, if nothing is written there, below it (bottom-posting); from plain text or
HTML, in linear time.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from engine.core.asks import NotUnderstood
from service.common import text_input
from service.common.messages import sentence
from service.inbox import mime, quoting, second_thoughts

LONGEST = 64 * 1024
"""Characters."""
LONGEST_HTML = 256 * 1024
LONGEST_TAG = 400
"""Characters."""
ARMOUR = "-----BEGIN PGP SIGNED MESSAGE-----"
ENCRYPTED_ARMOUR = "-----BEGIN PGP MESSAGE-----"
PACKED = re.compile(r"multipart/encrypted|application/(?:pgp-encrypted|(?:x-)?pkcs7-mime|(?:vnd\.)?ms-tnef)")
PACKED_FILE = re.compile(r"smime\.p7m|winmail\.dat", re.I)
"""Encrypted, or signed so that only S/MIME programs can read it, or in Outlook's format (TNEF)."""
UNREADABLE = sentence(
    "Your reply is encrypted or packed (S/MIME, winmail.dat), so we can’t read it; please send it as plain text."
)


def words(message: mime.Part, ours: Collection[str], letter: str = "", copied: bool = False, names: Sequence[str] = ()) -> str:
    """The writer's text. `ours`, `letter`, `copied`: as in `quoting.ends`; `names`: the writer's. Raises NotUnderstood if too
    long, encrypted, or going on between quoted lines.
    """
    known = letter.splitlines()
    part = _body(message)
    # A readable part below it is a footer.
    if any(_is_packed(leaf) for leaf in itertools.takewhile(lambda leaf: leaf is not part, mime.leaves(message))):
        raise NotUnderstood(UNREADABLE)
    if part is None:
        return ""
    text = "\n\n".join(mime.text(one) for one in (part, *_continued(message, part)))
    if part.kind == "text/plain":
        flow = _flow(part.get("content-type"))
        return above(text, ours, letter=known, copied=copied, flow=flow) or below(text, ours, known, names, flow=flow)
    page, cut = text[:LONGEST_HTML], len(text) > LONGEST_HTML
    marked = plain(page, marked=True)
    own = "" if marked.lstrip().startswith(">") else above(plain(page), ours, cut=cut, letter=known, copied=copied)
    return own or below(marked, ours, known, names, cut)


def _body(message: mime.Part) -> mime.Part | None:
    """The first part with text, plain first. Mail servers append footers as further parts."""
    if message.kind == "multipart/alternative":
        parts = sorted(mime.leaves(message), key=lambda part: part.kind != "text/plain")
        return next((part for part in parts if _is_text(part)), None)
    if not message.parts:
        return message if _is_text(message) else None
    return next((found for part in message.parts if (found := _body(part)) is not None), None)


def _continued(message: mime.Part, part: mime.Part) -> Iterator[mime.Part]:
    """Plain parts that continue a plain text below an image or file, where Apple Mail splits it."""
    at = next((n for n, one in enumerate(message.parts) if one is part), None)
    if at is None:
        for inner in message.parts:
            yield from _continued(inner, part)
    elif part.kind == "text/plain" and message.kind != "multipart/alternative":
        below = itertools.dropwhile(lambda one: one.kind.startswith("text/"), message.parts[at + 1 :])
        yield from (one for one in below if one.kind == "text/plain" and _is_text(one))


def _is_packed(part: mime.Part) -> bool:
    names = (part.get(name)[: mime.LONGEST_TYPE] for name in ("content-type", "content-disposition"))
    return PACKED.fullmatch(part.kind) is not None or any(PACKED_FILE.search(name) for name in names)


def _is_text(part: mime.Part) -> bool:
    return part.kind in ("text/plain", "text/html") and not part.is_file and bool(mime.text(part).strip())


def above(
    text: str,
    ours: Collection[str],
    cut: bool = False,
    letter: Sequence[str] = (),
    copied: bool = False,
    flow: str | None = None,
) -> str:
    """Text above the quote. `cut`: the input was truncated; `flow`: joiner of flowed lines, None for fixed text. Raises
    NotUnderstood as `words` does.
    """
    cut = cut or len(text) > LONGEST
    typed, lines = _lines(text[:LONGEST], flow)
    end = quoting.ends(lines, ours, letter, copied)
    if end is None and cut:
        raise NotUnderstood(
            sentence("The reply is longer than %(most)s KB; write less above the quoted letter.", most=LONGEST // 1024)
        )
    if end is not None and any(lines[:end]) and quoting.answered_between(lines, end):
        raise NotUnderstood(
            sentence("Words between or below quoted lines are not read; write all of your reply above the quoted letter.")
        )
    return _joined(typed, lines, slice(end), flow)


def below(
    text: str,
    ours: Collection[str],
    letter: Sequence[str] = (),
    names: Sequence[str] = (),
    cut: bool = False,
    flow: str | None = None,
) -> str:
    """Text below the quote, see `quoting.below`; "" in doubt, or if it begins with a closing or a name, as a signature does."""
    if cut or len(text) > LONGEST:
        return ""
    typed, lines = _lines(text, flow)
    found = quoting.below(lines, ours, letter)
    if found is None or second_thoughts.closes(lines[found[0]], names):
        return ""
    return _joined(typed, lines, slice(*found), flow)


def _lines(text: str, flow: str | None) -> tuple[list[str], list[str]]:
    """Lines as typed and stripped, without PGP armour. Raises NotUnderstood if encrypted."""
    text = text.replace("\x00", "").replace(GOES_ON, "")
    if flow is not None:
        text = re.sub(r" (?=\r?\n)", GOES_ON, text)
    typed = text_input.lines(text).split("\n")
    lines = [line.replace(GOES_ON, "").strip() for line in typed]
    if lines[0] == ENCRYPTED_ARMOUR:
        raise NotUnderstood(UNREADABLE)
    if lines[0] == ARMOUR:
        begin = lines.index("") + 1 if "" in lines else len(lines)
        typed, lines = ([line.removeprefix("- ") for line in found[begin:]] for found in (typed, lines))  # RFC 9580, 7.2
    return typed, lines


def _joined(typed: list[str], lines: list[str], own: slice, flow: str | None) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines[own] if flow is None else _unflowed(typed[own], flow))).strip()


def _flow(content_type: str) -> str | None:
    """Joiner for `format=flowed` (RFC 3676): "" with `delsp=yes`; None for fixed text."""
    if not re.search(r";\s*format\s*=\s*\"?flowed", content_type[: mime.LONGEST_TYPE], re.I):
        return None
    return "" if re.search(r";\s*delsp\s*=\s*\"?yes", content_type[: mime.LONGEST_TYPE], re.I) else " "


GOES_ON = "\ue000"
"""Marks the trailing space of a flowed line."""


def _unflowed(lines: Sequence[str], join: str) -> list[str]:
    found: list[str] = []
    goes_on = False
    for line in lines:
        plain = line.removeprefix(" ").replace(GOES_ON, "")
        if goes_on and plain.strip():
            found[-1] += join + plain
        else:
            found.append(plain)
        goes_on = line.endswith(GOES_ON) and bool(plain.strip())
    return [line.strip() for line in found]


# --- HTML -------------------------------------------------------------------------------------------------------------

TAG = re.compile(r"/?([A-Za-z][A-Za-z0-9]{0,15})")
QUOTED = re.compile(
    r"gmail_quote|gmail_attr|yahoo_quoted|ymail|moz-cite-prefix|divRplyFwdMsg|appendonsend|stopSpelling|protonmail_quote"
    r"|tutanota_quote"
    r"|OutlookMessageHeader|OLK_SRC_BODY_SECTION|reference-message|zmail_extra|x_?moz_?cite|cite_?prefix"
    r"|border-top: ?solid #(?:E1E1E1|B5C4DF)",
    re.I,
)
"""Classes and ids of quotes, by mail client."""
UNREAD = {name: re.compile(f"</{name}", re.I) for name in ("style", "script", "title")}
VOID = frozenset(("", "br", "hr", "img", "input", "link", "meta", "wbr"))
"""Elements without an end tag; "" for comments."""
HIDDEN = re.compile(r"display\s*:\s*none", re.I)
STRIKES = re.compile(r"<(?:s|strike|del)\b|line-through", re.I)
STRUCK, STRIKE = "~~", "\ue001"
"""Marks around struck-out text, which takes words back; the second one while tags are read."""
QUOTE = "\ue002"
"""Marks a quote while tags are read."""
BREAKS = frozenset(("br", "hr", "p", "pre", "div", "li", "tr", "h1", "h2", "h3", "ul", "ol", "table", "blockquote"))
RULE = "\n" + "_" * 32 + "\n"
ENDLESS = re.compile(r"&#[xX]?[0-9A-Fa-f]{9,};?")


def plain(page: str, marked: bool = False) -> str:
    """Text of an HTML page up to the quote, struck-out words between `~~`, without hidden elements. Several quotes are marked
    by `>`: somebody may have written between them. `marked`: the whole page, each `blockquote` marked.
    """
    text = "".join(_read(page, marked)).replace(STRIKE * 2, "").replace(STRIKE, STRUCK)
    text = text.replace(QUOTE, "\n>\n" if marked or text.count(QUOTE) > 1 else "")
    text = re.sub(r"[ \t\f]+", " ", text)
    return html.unescape(ENDLESS.sub("\ufffd", text))


def _read(page: str, whole: bool) -> Iterator[str]:
    at, quotes, kept = 0, 0, 0
    hidden, struck = _Inside(HIDDEN), _Inside(STRIKES)
    for begin, end, name, opens in _tags(page):
        if not quotes and not hidden.depth:
            yield struck.marked(page[at:begin] if kept else _in_a_line(page[at:begin]))
        at = end
        for one in (hidden, struck):
            one.see(name, opens, page[begin : min(end, begin + LONGEST_TAG)])
        if opens and not whole and QUOTED.search(page, begin, min(end - 1, begin + LONGEST_TAG)):
            yield "\n>\n"
            return
        if name == "blockquote":
            if opens and not quotes and not hidden.depth:
                yield QUOTE
            quotes = quotes + 1 if opens else max(0, quotes - 1)
        if name == "pre":
            kept = kept + 1 if opens else max(0, kept - 1)
        if name in BREAKS and not quotes:
            yield "\n" if name != "hr" else RULE
    if not quotes and not hidden.depth:
        yield struck.marked(_in_a_line(page[at:]))


class _Inside:
    """Depth within an element whose start tag has a pattern; 0 outside."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern, self.name, self.depth = pattern, "", 0

    def see(self, name: str, opens: bool, tag: str) -> None:
        if self.depth:
            self.depth += (1 if opens else -1) if name == self.name else 0
        elif opens and name not in VOID and self.pattern.search(tag):
            self.name, self.depth = name, 1

    def marked(self, text: str) -> str:
        """The text between STRIKE marks, if inside."""
        return f"{STRIKE}{text}{STRIKE}" if self.depth and text.strip() else text


def _tags(page: str) -> Iterator[tuple[int, int, str, bool]]:
    """Start, end, name and direction of each tag. Comments, styles and unterminated parts have no name."""
    at = 0
    while (begin := page.find("<", at)) >= 0:
        if page.startswith("<!--", begin):
            end = page.find("-->", begin + 4)
            at = end + 3 if end >= 0 else len(page)
            yield begin, at, "", False
            continue
        tag = TAG.match(page, begin + 1)
        if tag is None and page[begin + 1 : begin + 2] not in ("!", "?", "/"):
            at = begin + 1
            continue
        close = page.find(">", begin)
        if close < 0:
            yield begin, len(page), "", False
            return
        at, name, opens = close + 1, tag[1].lower() if tag else "", page[begin + 1] != "/"
        yield begin, at, name, opens
        if opens and name in UNREAD:
            end_ = UNREAD[name].search(page, at)
            end = end_.start() if end_ else len(page)
            yield at, end, "", False
            at = end


def _in_a_line(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")
