"""Quote detection: finds the line of a reply in which the quoted letter, a header block or the signature begins.

The rules are structural, so that they hold in every language: an attribution is a line that ends with a colon and has a date or
an address in it, a header block is a run of `Word: value` lines, a rule is a line of dashes around words. The letter that is
answered is known, too: where its own lines begin, the reply ends, however they were wrapped again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from service.common.i18n import FACT, gettext, languages, mark, speaking_to

LONGEST_LINE = 400
"""Characters of a line that are looked at."""
LONGEST_ATTRIBUTION = 300
WRAPPED = 3
"""Lines over which an attribution may be wrapped."""
BLOCK = 3
"""`Word: value` lines that make a header block."""

ADDRESS = re.compile(r"[^\s@<>()\[\]]{1,100}@[^\s@<>()\[\]]{1,100}\.\w")
YEAR = r"(?<!\d)(?:19|20|25|14)\d\d(?!\d)"
CLOCK = r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)"
DAY = r"(?<![\d:.])\d{1,2}(?![\d:.]\d)"
DATE = re.compile(
    rf"(?<!\d)\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}(?!\d)|{YEAR}.*(?:{CLOCK}|{DAY})|(?:{CLOCK}|{DAY}).*{YEAR}"
    rf"|{CLOCK}.*\D{DAY}\D|(?:^|\D){DAY}\D.*{CLOCK}|\d\s*[年년].*\d\s*[月월]"
)
"""A date in any script: numbers with dots, strokes or dashes; a year and a day or a time; a day and a time."""
NAMED = re.compile(r"[^<>@]{0,60}<[^\s<>@]{1,100}@[^\s<>@]{1,100}>")
"""A name and an address alone on a line, which Notes puts above the date."""
COLON = re.compile(r"[:：][\s*_\u200e\u200f\u202c\u2069]*$")
SAID = re.compile(
    r"[* ]*(?:On|Am|Le|Il|El|Op|Em|Den|Dnia|W dniu|Dne)\s.*\s?(?:wrote|schrieb|a écrit|ha scritto|escribió|schreef|nadesłał"
    r"|napisał|escreveu|skrev|napsal)\b.*:",
    re.I,
)
"""Attributions without a date in numbers."""
OPENS = re.compile(r"[* ]*(?:On|Am|Le|Il|El|Op|Em|Den|Dnia|W dniu|Dne|Dňa|På|В|От|在|於)\s", re.I)
"""First words of an attribution: the line with them belongs to it."""
OUR_FOOT = re.compile(r"\W*writ, <?https?://", re.I)
OUR_NAME = re.compile(r"\W*writ\b(?:\W+\w+){0,4}\W*[:：]\W*", re.I)

RULE = re.compile(
    r"[-_=—–─*~]{4,}\s*[^-_=—–─*~\s].{0,200}?\s*[-_=—–─*~]{3,}|[-—–─]{2,3}\s*(?:[^\s\-—–─]\S*\s+[^\s\-—–─].{0,100}?|[^\x00-\x7f—–─]+)\s*[-—–─]{2,3}"
    r"|_{10,}|[-=—–─]{20,}"
)
SHORT_RULE = re.compile(r"[-_=—–─*]{3,}")
"""A rule where a header stands below it."""
LABEL = r"[^\W\d_][^:：<>@/,;!?\"“”=\[\]{}]{0,29}"
HEADER = re.compile(rf"[*_\s]*(?P<word>{LABEL})\s?[*_]*\s?[:：](?!//)[*_]*\s?(?P<value>.*)")
MOST_WORDS = 4
"""Words of a header's name: `Date de réception`."""
FROM = re.compile(r"[* ]*(?:From|Von|De|Da|Van|Od|Från|Fra|Lähettäjä|От|Kimden|Feladó|De la) ?[:：]", re.I)
NEXT = re.compile(
    r"[* ]*(?:Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Inviato|Data|A|Oggetto|Enviado|Fecha|Para|Asunto"
    r"|Verzonden|Aan|Onderwerp|Wysłano|Do|Temat|Skickat|Till|Ämne|Sendt|Til|Emne|Lähetetty|Aihe|Дата|Кому|Тема|Кога) ?[:：]",
    re.I,
)
PREFIXED = re.compile(r"(?:[|¦│»}]|&gt;|[A-Za-z]{1,4}>|:(?=\s|:))")
"""How some programs begin each line that they quote; one such line alone may be anything."""
SIGNATURE = re.compile(
    r"(?:Sent|Gesendet|Von mein\w*|Von Yahoo|Diese Nachricht wurde|Envoyé|Enviado|Inviato|Verzonden|Verstuurd|Skickat"
    r"|Sendt|Lähetetty|Wysłan[eo]|Odesláno|Отправлено)\b.{0,60}"
    r"(?:iPhone|iPad|Android|Samsung|Galaxy|Huawei|Outlook|Mail|Mobil|mobile|phone|telefon|téléphone|Yahoo|Windows|BlackBerry"
    r"|Proton|Mobiltelefon|gesendet|Tuta|Spark|Thunderbird|Airmail)\w*\W?.{0,60}"
    r"|.{0,30}\bOutlook\b.{0,20}\b(?:iOS|Android)\b.{0,60}|(?:iPhone|iPad)から送信|[发發]自我的.{1,30}|나의 .{1,30}에서 보냄"
    r"|Yahoo Mail: .{1,60}|(?:Virus-free|Virenfrei|Sans virus|Libre de virus|Senza virus)\b.{0,20}avast.{0,60}",
    re.I,
)
"""A line by which a phone or a mail program signs."""
MESSAGE = re.compile(r"\W*(?:original message|message d[ue]\b.{1,60})\W*", re.I)
"""A heading of a header block that has no colon."""


def ends(lines: Sequence[str], ours: Collection[str], letter: Sequence[str] = (), copied: bool = False) -> int | None:
    """The number of the line in which the writer's own words end; None where nothing is quoted.

    `ours`: addresses by which the quoted letter is known; `letter`: the lines of the letter that is answered; `copied`: the
    first of the writer's lines may be out of it, since an answer may be copied.
    """
    short = [line[:LONGEST_LINE] for line in lines]
    known = _Letter(letter)
    own = next((n for n, line in enumerate(lines) if line), 0) if copied else -1
    ending = next(
        (n for n in range(len(lines)) if _quotes(short, lines[n], n, ours) or (n != own and known.begins(short, n))), None
    )
    return _with_heading(short, ending) if ending is not None else None


def _with_heading(lines: Sequence[str], n: int) -> int:
    """With what stands above a header block or the quoted letter and belongs to it: `Begin forwarded message:`."""
    above = n - 1
    while above > 0 and not lines[above]:
        above -= 1
    if above < 0 or not lines[n : n + 1]:
        return n
    heads = HEADER.fullmatch(lines[n]) is not None or lines[n].startswith(">")
    titled = MESSAGE.fullmatch(lines[above]) or (COLON.search(lines[above]) and 1 < len(lines[above].split()) <= 5)
    return above if heads and titled else n


def answered_between(lines: Sequence[str], end: int) -> bool:
    """Whether its writer goes on below quoted lines: between two of them, or below all where what stands above only says so."""
    quoted = [n for n, line in enumerate(lines) if n >= end and line.startswith(">")]
    if not quoted:
        return False
    above = " ".join(line for line in lines[:end] if line)
    most = len(lines) if BELOW.search(above) and len(above) < SHORT else quoted[-1]
    short = [line[:LONGEST_LINE] for line in lines]
    for n in range(quoted[0] + 1, most):
        # A quoted line that was wrapped goes on without an empty line.
        begins = lines[n] and not lines[n].startswith(">") and not lines[n - 1]
        if begins and lines[n][0].isalnum() and not _quotes(short, lines[n], n, ()):
            return True
    return False


SHORT = 60
BELOW = re.compile(
    r"^(?:hi|hello|hey|dear|hallo|lieber?|bonjour|hola|ciao)\b[^.?]{0,30}$|\b(?:see|answers?|comments?|repl(?:y|ies)) (?:are )?"
    r"(?:below|inline|in ?line|between)|\b(?:below|inline)\W*$|siehe unten|s\. ?u\.|unten\W*$"
    r"|voir (?:ci-dessous|plus bas)|ver abajo|vedi sotto|zie onder",
    re.I,
)
"""Words above a quoted letter by which its reader is sent below."""


def _quotes(lines: Sequence[str], whole: str, n: int, ours: Collection[str]) -> bool:
    line = lines[n]
    if line.startswith(">") or line == "--" or any(address in whole for address in ours):
        return True
    if not line:
        return False
    return (
        _is_rule(lines, n)
        or _is_prefixed(lines, n)
        or SIGNATURE.fullmatch(line) is not None
        or _is_header_block(lines, n)
        or _is_attribution(lines, n)
        or (NAMED.fullmatch(line) is not None and any(DATE.search(below) for below in lines[n + 1 : n + 3]))
        or _is_ours(line)
    )


def _is_rule(lines: Sequence[str], n: int) -> bool:
    if RULE.fullmatch(lines[n]):
        return True
    return SHORT_RULE.fullmatch(lines[n]) is not None and any(_header(line) for line in lines[n + 1 : n + 3])


def _is_prefixed(lines: Sequence[str], n: int) -> bool:
    """Whether two lines or more begin alike, with a sign by which programs quote."""
    mark_ = PREFIXED.match(lines[n])
    return mark_ is not None and n + 1 < len(lines) and lines[n + 1].startswith(mark_[0])


# --- headers ----------------------------------------------------------------------------------------------------------


def _header(line: str) -> re.Match[str] | None:
    """A line `Word: value`, in any script."""
    found = HEADER.fullmatch(line)
    return found if found is not None and len(found["word"].split()) <= MOST_WORDS else None


def _is_header_block(lines: Sequence[str], n: int) -> bool:
    """Three `Word: value` lines, two with an address or of the commonest names, or one that names somebody with his address."""
    head = _header(lines[n])
    if head is None:
        return False
    if ADDRESS.search(head["value"]) and re.search(r"[<\[(]", head["value"]):
        return True
    below = [line for line in lines[n + 1 : n + 4]]
    if FROM.match(lines[n]) and any(NEXT.match(line) for line in below):
        return True
    found = [head, *_headers_below(lines, n)]
    return len(found) >= BLOCK or (len(found) == BLOCK - 1 and any(ADDRESS.search(one["value"]) for one in found))


def _headers_below(lines: Sequence[str], n: int) -> Iterator[re.Match[str]]:
    """The header lines that go on with the block: a value may stand on the next line, and a blank line between."""
    gap = 0
    for line in lines[n + 1 : n + 4 * BLOCK]:
        head = _header(line)
        if head is not None:
            gap = 0
            yield head
        else:
            gap += 1
            if gap > 1:
                return


# --- attributions -----------------------------------------------------------------------------------------------------


def _is_attribution(lines: Sequence[str], n: int) -> bool:
    """Whether an attribution begins with that line: it, or it and those below, end with a colon and tell who wrote when."""
    whole = ""
    for k, line in enumerate(lines[n : n + WRAPPED]):
        if not line or (k and len(whole) > LONGEST_ATTRIBUTION):
            return False
        whole = f"{whole} {line}".strip()
        if COLON.search(line):
            return _tells_who_wrote(whole) and (k == 0 or _belongs(lines[n]))
    return False


def _tells_who_wrote(line: str) -> bool:
    if len(line) > LONGEST_ATTRIBUTION:
        return False
    return bool(ADDRESS.search(line) or DATE.search(line) or SAID.fullmatch(line) or OUR_NAME.fullmatch(line))


def _belongs(line: str) -> bool:
    """Whether a line is the beginning of a wrapped attribution, and not the writer's last words above it."""
    return bool(OPENS.match(line) or ADDRESS.search(line) or DATE.search(line)) and not line.endswith((".", "!", "?"))


# --- our own letters --------------------------------------------------------------------------------------------------

PHRASES = (
    mark("Answer in this conversation:"),
    mark("Answer on your private page:"),
    mark("A link only opens the page; nothing is played by it."),
    mark("A reply to this letter goes to the whole table."),
    mark("A reply to this letter goes to %(who)s, and nobody else."),
    mark("You can answer this letter by replying to it."),
    mark("No more letters of this game: %(leave)s"),
    mark("Your reply came, but it could not be taken as an answer:"),
    mark("If nothing comes, the safe answer is played: %(fate)s"),
    mark("SINCE YOUR LAST MOVE"),
)
"""What stands in our letters, and in no reply."""


@cache
def _phrases(spoken: tuple[str, ...]) -> tuple[str, ...]:
    """The beginnings of the phrases in these languages, as far as the first fact."""
    found = set()
    for language in spoken:
        with speaking_to(language, "UTC"):
            found |= {_squeezed(FACT.split(gettext(phrase))[0]) for phrase in PHRASES}
    return tuple(phrase for phrase in sorted(found) if len(phrase) >= SHORTEST)


SHORTEST = 8
"""Letters of a phrase by which it is known."""


def _squeezed(text: str) -> str:
    """The letters of a text alone, for what wraps, quotes and marks it otherwise."""
    return "".join(c for c in text.casefold() if c.isalnum())


def _is_ours(line: str) -> bool:
    said = _squeezed(line)
    return OUR_FOOT.match(line) is not None or (len(said) >= SHORTEST and said.startswith(_phrases(tuple(languages()))))


SHINGLE = 4
"""Words in a row by which lines of the letter are known."""
RUN = 14
"""Words of the letter in a row that nobody writes by himself; fewer are an option that was copied."""


class _Letter:
    """The words of the letter that is answered, in every run of some length."""

    def __init__(self, lines: Sequence[str]) -> None:
        words = [word for line in lines for word in _words(line)]
        self.shingles = {tuple(words[n : n + SHINGLE]) for n in range(len(words) - SHINGLE + 1)}
        self.greeting = next((_squeezed(line) for line in lines if line.strip()), "")

    def begins(self, lines: Sequence[str], n: int) -> bool:
        """Whether that line and those below it are the letter's, for longer than an option that was copied."""
        if not self.shingles or not lines[n]:
            return False
        if len(self.greeting) > 5 and _squeezed(lines[n]) == self.greeting:
            return True
        words = _words(lines[n])
        for line in lines[n + 1 : n + 12]:
            if len(words) >= RUN:
                break
            words += _words(line)
        run = words[:RUN]
        return len(run) == RUN and all(tuple(run[k : k + SHINGLE]) in self.shingles for k in range(RUN - SHINGLE + 1))


def _words(line: str) -> list[str]:
    return [word for part in line.casefold().split() if (word := "".join(c for c in part if c.isalnum()))]
