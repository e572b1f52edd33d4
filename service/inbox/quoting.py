"""Quote detection: the line of a reply where the quoted letter, a header block or the signature begins.

Works in any language: attributions end with a colon and have a date or address; header blocks are `Word: value` lines. Lines of
the known original match even when re-wrapped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from engine.language.i18n import beginning, languages
from service.common.i18n import mark, speaking_to
from service.inbox.second_thoughts import is_disclaimer

LONGEST_LINE = 400
"""Characters of a line."""
LONGEST_ATTRIBUTION = 300
WRAPPED = 3
"""Lines of a wrapped attribution."""
BLOCK = 3
"""`Word: value` lines of a header block."""

ADDRESS = re.compile(r"[^\s@<>()\[\]]{1,100}@[^\s@<>()\[\]]{1,100}\.\w")
YEAR = r"(?<!\d)(?:19|20|25|14)\d\d(?!\d)"
CLOCK = r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)"
DAY = r"(?<![\d:.])\d{1,2}(?![\d:.]\d)"
DATE = re.compile(
    rf"(?<!\d)\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}(?!\d)|{YEAR}.*(?:{CLOCK}|{DAY})|(?:{CLOCK}|{DAY}).*{YEAR}"
    rf"|{CLOCK}.*\D{DAY}\D|(?:^|\D){DAY}\D.*{CLOCK}|\d\s*[年년].*\d\s*[月월]"
)
"""A date in any script: digits with separators; a year with a day or time; a day with a time."""
NAMED = re.compile(r"[^<>@]{0,60}<[^\s<>@]{1,100}@[^\s<>@]{1,100}>")
"""Name and address on a line, as in Notes."""
COLON = re.compile(r"[:：][\s*_\u200e\u200f\u202c\u2069]*$")
SAID = re.compile(
    r"[* ]*(?:On|Am|Le|Il|El|Op|Em|Den|Dnia|W dniu|Dne)\s.*\s?(?:wrote|schrieb|a écrit|ha scritto|escribió|schreef|nadesłał"
    r"|napisał|escreveu|skrev|napsal)\b.*:",
    re.I,
)
"""Attributions without a numeric date."""
OPENS = re.compile(r"[* ]*(?:On|Am|Le|Il|El|Op|Em|Den|Dnia|W dniu|Dne|Dňa|På|В|От|在|於)\s", re.I)
"""First words of an attribution."""
OUR_FOOT = re.compile(r"\W*writ, <?https?://", re.I)
OUR_NAME = re.compile(r"\W*writ\b(?:\W+\w+){0,4}\W*[:：]\W*", re.I)

RULE = re.compile(
    r"[-_=—–─*~]{4,}\s*[^-_=—–─*~\s].{0,200}?\s*[-_=—–─*~]{3,}|[-—–─]{2,3}\s*(?:[^\s\-—–─]\S*\s+[^\s\-—–─].{0,100}?|[^\x00-\x7f—–─]+)\s*[-—–─]{2,3}"
    r"|_{10,}|[-=—–─]{20,}"
)
SHORT_RULE = re.compile(r"[-_=—–─*]{3,}")
"""Counts above a header only."""
LABEL = r"[^\W\d_][^:：<>@/,;!?\"“”=\[\]{}]{0,29}"
HEADER = re.compile(rf"[*_\s]*(?P<word>{LABEL})\s?[*_]*\s?[:：](?!//)[*_]*\s?(?P<value>.*)")
MOST_WORDS = 4
"""Words of a header's name."""
FROM = re.compile(r"[* ]*(?:From|Von|De|Da|Van|Od|Från|Fra|Lähettäjä|От|Kimden|Feladó|De la) ?[:：]", re.I)
NEXT = re.compile(
    r"[* ]*(?:Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Inviato|Data|A|Oggetto|Enviado|Fecha|Para|Asunto"
    r"|Verzonden|Aan|Onderwerp|Wysłano|Do|Temat|Skickat|Till|Ämne|Sendt|Til|Emne|Lähetetty|Aihe|Дата|Кому|Тема|Кога) ?[:：]",
    re.I,
)
PREFIXED = re.compile(r"(?:[|¦│»}]|&gt;|[A-Za-z]{1,4}>|:(?=\s|:))")
"""Quote prefixes; a single line proves nothing."""
SIGNATURE = re.compile(
    r"(?:Sent|Gesendet|Von mein\w*|Von (?:Yahoo|Proton|FairEmail|AOL)|Mit \[?Proton|Diese Nachricht wurde|Envoyé|Enviado"
    r"|Inviato|Verzonden|Verstuurd|Skickat|Sendt|Lähetetty|Wysłan[eo]|Odesláno|Отправлено)\b.{0,60}"
    r"(?:iPhone|iPad|Android|Samsung|Galaxy|Huawei|Outlook|Mail|Mobil|mobile|phone|telefon|téléphone|Yahoo|Windows|BlackBerry"
    r"|Proton|Mobiltelefon|gesendet|Tuta|Spark|Thunderbird|Airmail|Apple Watch|Pixel|OnePlus|Xiaomi|eM Client"
    r"|Superhuman)\w*\W?.{0,60}"
    r"|.{0,30}\bOutlook\b.{0,20}\b(?:iOS|Android)\b.{0,60}|(?:iPhone|iPad|Galaxy|Yahoo).{0,20}から送信"
    r"|[发發]自我的.{1,30}|나의 .{1,30}에서 보냄"
    r"|(?:iPhone|iPad|Galaxy|Samsung|Yahoo).{0,40} gönderildi\W*|(?:iOS|Android) için Outlook.{0,80}"
    r"|Get (?:BlueMail|TypeApp) for \w+|Yahoo Mail: .{1,60}"
    r"|(?:Virus-free|Virenfrei|Sans virus|Libre de virus|Senza virus)\b.{0,20}avast.{0,60}",
    re.I,
)
"""Signatures of phones and mail clients."""
MESSAGE = re.compile(r"\W*(?:original message|message d[ue]\b.{1,60})\W*", re.I)
"""Title of a header block, without colon."""


def ends(lines: Sequence[str], ours: Collection[str], letter: Sequence[str] = (), copied: bool = False) -> int | None:
    """Line number where the writer's own text ends; None without a quote. `ours`: addresses in the quoted letter; `letter`: its
    lines; `copied`: the first line may be a copy.
    """
    short = [line[:LONGEST_LINE] for line in lines]
    known = _Letter(letter)
    own = next((n for n, line in enumerate(lines) if line), 0) if copied else -1
    ending = next(
        (n for n in range(len(lines)) if _quotes(short, lines[n], n, ours) or (n != own and known.begins(short, n))), None
    )
    return _with_heading(short, ending) if ending is not None else None


def _with_heading(lines: Sequence[str], n: int) -> int:
    above = n - 1
    while above > 0 and not lines[above]:
        above -= 1
    if above < 0 or not lines[n : n + 1]:
        return n
    heads = HEADER.fullmatch(lines[n]) is not None or lines[n].startswith(">")
    titled = MESSAGE.fullmatch(lines[above]) or (COLON.search(lines[above]) and 1 < len(lines[above].split()) <= 5)
    return above if heads and titled else n


def answered_between(lines: Sequence[str], end: int) -> bool:
    """Whether somebody wrote between quoted lines instead of above them."""
    quoted = [n for n, line in enumerate(lines) if n >= end and line.startswith(">")]
    if not quoted:
        return False
    above = " ".join(line for line in lines[:end] if line)
    most = len(lines) if BELOW.search(above) and len(above) < SHORT else quoted[-1]
    short = [line[:LONGEST_LINE] for line in lines]
    for n in range(quoted[0] + 1, most):
        # A wrapped quoted line continues without a blank line.
        begins = lines[n] and not lines[n].startswith(">") and not lines[n - 1]
        if begins and lines[n][0].isalnum() and not _quotes(short, lines[n], n, ()):
            return True
    return False


def below(lines: Sequence[str], ours: Collection[str], letter: Sequence[str] = ()) -> tuple[int, int] | None:
    """Range of lines written below the quote (bottom-posting), by a reply with nothing above it. None in doubt: without a clear
    beginning and end of the quote, with words between quoted lines, or with a footer alone.
    """
    begin = _next(lines, 0)
    if begin < len(lines) and SIGNATURE.fullmatch(lines[begin][:LONGEST_LINE]):  # phones put it above the quote
        begin = _next(lines, begin + 1)
    begin = _after_attribution(lines, begin)
    quoted = _quoted(lines, letter)
    if not quoted or quoted[0] != begin or any(lines[n] for n in {*range(begin, quoted[-1])} - {*quoted}):
        return None
    begin = _next(lines, quoted[-1] + 1)
    if begin == len(lines) or (begin == quoted[-1] + 1 and _is_full(lines[begin - 1], lines[begin])):
        return None  # nothing, or perhaps the end of the last quoted line
    own = lines[begin:]
    end = ends(own, ours, letter, copied=True)
    end = next((n for n in range(len(own[:end])) if _is_footer(own, n)), end)
    return (begin, begin + len(own[:end])) if any(own[:end]) else None


def _quoted(lines: Sequence[str], letter: Sequence[str]) -> list[int]:
    """Lines with a mark, and rests of wrapped ones, which some programs leave without: they continue a line of the letter."""
    whole, run = [_squeezed(line) for line in letter], ""
    found: list[int] = []
    for n, line in enumerate(lines):
        if line.startswith(">"):
            run = _squeezed(line)
        elif line and found[-1:] == [n - 1] and _is_full(lines[n - 1], line) and any(run + _squeezed(line) in w for w in whole):
            run += _squeezed(line)
        else:
            continue
        found.append(n)
    return found


def _is_full(line: str, below: str) -> bool:
    """Whether a program may have wrapped a line there."""
    return len(f"{line} {below.split()[0]}") > NARROW


NARROW = 60
"""Columns at which no mail program wraps yet."""
FOOTER = re.compile(
    r"\W*(?:(?:Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Verstuurd|Skickat|Sendt|Wysłan[eo]) (?:from|via|with|using|vo[nm]"
    r"|mit|über|depuis|de|à partir|desde|da|dal|con|vanaf|met|från|fra|z)\b"
    r"|(?:Get|Download) \w+ for (?:iOS|Android|Mac|Windows|iPhone|iPad)"
    r"|(?:(?:This|The) (?:e-?mail|message) (?:has been|was|is) )?(?:scanned|checked|protected) (?:by|for|with)\b"
    r"|Virus.?(?:free|checked|scanned)|Virenfrei|Diese E-?Mail wurde|(?:please )?(?:consider|think of) the environment"
    r"|think before you print|you(?: are receiving|(?: have)? received|(?:.|’)re receiving) this (?:message|e-?mail)"
    r"|(?:to )?unsubscribe\b|(?:caution|warning|external)\b.{0,20}(?:e-?mail|sender|\]))",
    re.I,
)
"""Begins a paragraph that programs and servers append below everything."""


def _is_footer(lines: Sequence[str], n: int) -> bool:
    begins = bool(lines[n]) and (n == 0 or not lines[n - 1])
    return begins and (FOOTER.match(lines[n]) is not None or is_disclaimer(lines, n))


def _next(lines: Sequence[str], n: int) -> int:
    """The next line that isn't blank."""
    return next((k for k in range(n, len(lines)) if lines[k]), len(lines))


def _after_attribution(lines: Sequence[str], n: int) -> int:
    short = [line[:LONGEST_LINE] for line in lines[n : n + WRAPPED]]
    if not short or short[0].startswith(">") or not _is_attribution(short, 0):
        return n
    return _next(lines, n + 1 + next(k for k, line in enumerate(short) if COLON.search(line)))


SHORT = 60
BELOW = re.compile(
    r"^(?:hi|hello|hey|dear|hallo|lieber?|bonjour|hola|ciao)\b[^.?]{0,30}$|\b(?:see|answers?|comments?|repl(?:y|ies)) (?:are )?"
    r"(?:below|inline|in ?line|between)|\b(?:below|inline)\W*$|siehe unten|s\. ?u\.|unten\W*$"
    r"|voir (?:ci-dessous|plus bas)|ver abajo|vedi sotto|zie onder",
    re.I,
)
"""Words that point below."""


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
        or _is_heading(lines, n)
    )


def _is_rule(lines: Sequence[str], n: int) -> bool:
    if RULE.fullmatch(lines[n]):
        return True
    return SHORT_RULE.fullmatch(lines[n]) is not None and any(_header(line) for line in lines[n + 1 : n + 3])


def _is_prefixed(lines: Sequence[str], n: int) -> bool:
    mark_ = PREFIXED.match(lines[n])
    return mark_ is not None and n + 1 < len(lines) and lines[n + 1].startswith(mark_[0])


# --- headers ----------------------------------------------------------------------------------------------------------


def _header(line: str) -> re.Match[str] | None:
    found = HEADER.fullmatch(line)
    return found if found is not None and len(found["word"].split()) <= MOST_WORDS else None


def _is_header_block(lines: Sequence[str], n: int) -> bool:
    """Three `Word: value` lines, two with an address or common names, or one with name and address."""
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
    """Further header lines, with wrapped values and one blank line."""
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
    mark("We got your reply, but couldn’t use it as an answer:"),
    mark("If nothing comes, the safe answer is played: %(fate)s"),
    mark("SINCE YOUR LAST MOVE"),
)
"""Only in our letters."""
HEADINGS = (mark("WHAT HAPPENED"), mark("What happened"))
"""Headings of a list in our letters, which players may write, too: alone in a line above a list."""
ALL_OF_IT = mark("all of it")
"""Link next to such a heading."""
LISTED = re.compile(r"[-*•·◦‣–]\s")


@cache
def _headings(spoken: tuple[str, ...]) -> frozenset[str]:
    found = set()
    for language in spoken:
        with speaking_to(language, "UTC"):
            heads = [beginning(heading) for heading in HEADINGS]
            found |= {*heads, *(f"{head} {beginning(ALL_OF_IT)}" for head in heads)}
    return frozenset(found)


def _is_heading(lines: Sequence[str], n: int) -> bool:
    if lines[n].strip("* _#") not in _headings(tuple(languages())):
        return False
    below = next((lines[i] for i in range(n + 1, len(lines)) if lines[i]), "")
    return LISTED.match(below) is not None


@cache
def _phrases(spoken: tuple[str, ...]) -> tuple[str, ...]:
    found = set()
    for language in spoken:
        with speaking_to(language, "UTC"):
            found |= {_squeezed(beginning(phrase)) for phrase in PHRASES}
    return tuple(phrase for phrase in sorted(found) if len(phrase) >= SHORTEST)


SHORTEST = 8
"""Minimum letters of a phrase."""


def _squeezed(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _is_ours(line: str) -> bool:
    said = _squeezed(line)
    return OUR_FOOT.match(line) is not None or (len(said) >= SHORTEST and said.startswith(_phrases(tuple(languages()))))


SHINGLE = 4
"""Words in a shingle."""
RUN = 14
"""Words copied in a row that prove a quote; fewer may be a copied option."""


class _Letter:
    def __init__(self, lines: Sequence[str]) -> None:
        words = [word for line in lines for word in _words(line)]
        self.shingles = {tuple(words[n : n + SHINGLE]) for n in range(len(words) - SHINGLE + 1)}
        self.greeting = next((_squeezed(line) for line in lines if line.strip()), "")

    def begins(self, lines: Sequence[str], n: int) -> bool:
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
