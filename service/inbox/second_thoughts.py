"""Parsing around an answer in a reply: greeting, signature, and second thoughts, which block it.

Hi,                      skipped
2                        the answer
Best, Anna               skipped
No, wait: not yet!       second thoughts: nothing is played
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.ui.forms import Form
from engine.ui.heard import understand

LOOKED_AT = 40


def _any_of(words: str) -> str:
    return "|".join(re.escape(word) for word in words.strip().replace("\n", "/").split("/"))


GREETINGS = """
hi/hello/hey/dear/good day/good morning/good evening/good afternoon/greetings/howdy/hallo/liebe
lieber/liebes/guten tag/guten morgen/guten abend/moin/servus/grüezi/grüß gott/sehr geehrte
sehr geehrter/sehr geehrtes/bonjour/bonsoir/salut/cher/chère/hola/buenas/buenos días/estimado
estimada/ciao/salve/buongiorno/caro/cara/hoi/beste/goedendag/dag/cześć/witam/dzień dobry/hej
hejsan/god dag/olá/prezado/prezada/привет/здравствуйте/добрый день
"""
GREETING = re.compile(rf"(?:{_any_of(GREETINGS)})(?:[ ,]+[\w.'’-]+){{0,3}}\s*[,.!:–-]*", re.I)
CLOSINGS = """
best/all the best/best wishes/kind regards/kindest regards/best regards/warm regards/regards/cheers
thanks/many thanks/thank you/thx/ty/yours/sincerely/love/greetings/take care/bye/see you/ciao
lg/mfg/vg/bg/liebe grüße/viele grüße/beste grüße/herzliche grüße/schöne grüße/grüße/gruß
viele liebe grüße/mit freundlichen grüßen/mit besten grüßen/mit lieben grüßen/danke/salutations
cordialement/bien à vous/bien à toi/amicalement/amitiés/merci/bises/à bientôt/saludos/un saludo
un abrazo/gracias/atentamente/grazie/saluti/cordiali saluti/un saluto/groet/groeten
met vriendelijke groet/vriendelijke groeten/mvg/bedankt/pozdrawiam/pozdrowienia/z poważaniem/mvh
hälsningar/vänliga hälsningar/med venlig hilsen/hilsen/vennlig hilsen/terveisin/tack/abraço/abraços
atenciosamente/obrigado/obrigada/с уважением/спасибо/good game/gg/xo/xx/have fun
"""
CLOSING = re.compile(rf"[*_]*(?:{_any_of(CLOSINGS)})(?:[\s,.!]+[\w.'’-]+){{0,4}}\s*[,.!:)–-]*", re.I)
"""Followed by a name or two."""
DOUBTS = """
wait/not yet/no,/nope/don't/dont/do not/second thought/second thoughts/ignore that/ignore this
ignore the/scratch that/forget that/forget it/cancel/actually/never mind/nevermind/correction
i meant/i mean/rather/instead/unless/but only/only if/not sure/unsure/changed my mind/hold on
stop/undo/oops/sorry/hmm/mistake/edit:/make that/make it/better not/change that/change it/changed it
disregard/ignore/take that back/take it back/wrong letter/wrong mail/wrong game/kidding/is better/better:
ignoriere/ignorieren/ignoriert/nehme das zurück/nehme es zurück/falscher brief/war ein scherz/ist besser/ignorez/oubliez
c'est mieux/ignora/ignorad/olvida/es mejor/è meglio/negeer/is beter
warte/moment/doch nicht/noch nicht/lieber/stattdessen/nein/halt
vergiss/korrektur/attends/attendez/plutôt/pas encore/non,/finalement/annule/espera/todavía no
mejor/aspetta/non ancora/anzi/wacht/toch niet/nog niet/czekaj/jeszcze nie/vänta/inte än/vent
ikke ennå/подожди/ещё нет/нет,
test/tests/testing/tested/teste/testen/testar/zur probe/essai/prueba/probando/prova/próba/teszt/zkouška/тест/проверка
"""
DOUBT = re.compile(rf"(?:^|\W)(?:{_any_of(DOUBTS)})(?:$|\W)", re.I)
ANSWERS = re.compile(
    r"(?:(?:or|and|option|number|nr|no|edit|ps)[.:,]?\s*)?[#(]?\d{1,2}[).]?[\s?!.]*|(?:no|non|nein|nej|nee|nie)[\s!.]*|or\b.{1,40}",
    re.I,
)
"""A line that alone would be an answer."""
NUMBER = r"(?<!\d\s)(?<![\w.,/:+-])(\d{1,2})(?!\w|[/:.,-]\d|%|\s\d)"
"""May be an option's; not part of a date, a time, a score or a telephone number."""
FIRST, LAST = re.compile(rf"\W*{NUMBER}"), re.compile(rf"{NUMBER}\W*$")
ASKS = re.compile(r"[?？](?!\w)")
ADDRESS = ("://", "www.", "@")
"""Parts of URLs and mail addresses: words in these say nothing."""

DISCLAIMER = re.compile(
    r"\W*(?:confidentiality (?:notice|note)\b|(?:this|the) (?:e-?mail|message|communication|information)\b.{0,80}\b"
    r"(?:(?:is|are|be|contains?)\b.{0,40}\b(?:confidential|privileged)|intended (?:solely|only|recipient))"
    r"|diese (?:e-?mail|nachricht)\b.{0,80}\bvertraulich|(?:ce|cet) (?:e-?mail|message|courriel)\b.{0,80}\bconfidentiel"
    r"|este (?:mensaje|correo|e-?mail)\b.{0,80}\bconfidencia|quest[oa] (?:messaggio|e-?mail)\b.{0,80}\b(?:riservat|confidenz)"
    r"|(?:dit|deze) (?:bericht|e-?mail)\b.{0,80}\bvertrouwelijk)",
    re.I,
)
"""First line of a company's legal notice, below the signature: “do not read it, delete it”."""


WRAPPED = 4
"""Lines of a wrapped notice that are read."""
MOST_GREETINGS = 3
"""Lines: to look whether a greeting is an option takes milliseconds, and a reply can have 20,000."""


def without_greeting(form: Form, lines: Sequence[str]) -> Sequence[str]:
    said = [n for n, line in enumerate(lines) if line.strip()]
    for n in said[:-1][:MOST_GREETINGS]:
        text = lines[n].strip()
        if not GREETING.fullmatch(text) or DOUBT.search(text) or understand(form, text).option is not None:
            return lines[n:]
    return lines[said[min(len(said) - 1, MOST_GREETINGS)] :] if said else lines


def paragraph(lines: Sequence[str]) -> str:
    end = next((n for n, line in enumerate(lines) if not line.strip()), len(lines))
    return "\n".join(line.strip() for line in lines[:end])


def find(left: Sequence[str], names: Sequence[str], form: Form) -> str:
    """The first line that may take the answer back; "" for none. Before a blank line any line but a closing or name; after it
    only a doubt, a question, another answer, or an option's number at its beginning or end. A legal notice ends the reply.
    """
    close, signed = True, False
    for n, line in enumerate(line.strip() for line in left[:LOOKED_AT]):
        if not line:
            close = signed = False
            continue
        if not close and is_disclaimer(left, n):
            return ""
        signature = signed and len(line.split()) <= 3  # a name, a street
        close = close and not signature
        if closes(line, names):
            signed = True
        elif close or _doubts(form, line, names) or _is_numbered(form, line, signature):
            return line
    return ""


def _doubts(form: Form, line: str, names: Sequence[str]) -> bool:
    plain = " ".join(word for word in line.replace("’", "'").split() if not any(part in word for part in ADDRESS))
    found = any(pattern.search(plain) for pattern in (DOUBT, ASKS))
    return found or ANSWERS.fullmatch(line) is not None or _answers(form, line, names)


def _is_numbered(form: Form, line: str, signature: bool) -> bool:
    """Whether an option's number begins a line, or ends one that is no signature."""
    found = [FIRST.match(line), None if signature else LAST.search(line)]
    return any(hit is not None and 1 <= int(hit[1]) <= len(form.options) for hit in found)


def _answers(form: Form, line: str, names: Sequence[str]) -> bool:
    heard = understand(form, line, names)
    return heard.answer is not None or heard.option is not None


def is_disclaimer(lines: Sequence[str], n: int) -> bool:
    """Whether a legal notice begins in a line."""
    return DISCLAIMER.match(" ".join(paragraph(lines[n : n + WRAPPED]).split())) is not None


def closes(line: str, names: Sequence[str]) -> bool:
    """Whether a line is a closing phrase, one of the names, or only punctuation."""
    plain = line.strip(" -–—~*/_").casefold()
    known = {name.casefold() for name in names if name} | {name.split()[0].casefold() for name in names if name.split()}
    return (
        (CLOSING.fullmatch(line) is not None and not DOUBT.search(line)) or plain in known or not any(c.isalnum() for c in line)
    )
