"""Parser for bounces, delivery status notifications (RFC 3464) and complaints (ARF, RFC 5965), in linear time.

Plain-text bounces (qmail, Exim, Sendmail, Exchange, Notes) are searched for SMTP replies, then for known sentences;
`service.post.refusals` classifies them. `flufl.bounce` named 129 of 159 dead addresses, but also 292 of 398 full mailboxes,
spam filters and the like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.inbox import machines, mime
from service.post import refusals
from service.post.ledger import Outcome

MOST_BLOCKS = 20
"""Recipients read in one report."""
LONGEST = 64 * 1024
"""Characters."""
DEEPEST = 3
"""Nesting."""
MOST_PARAGRAPHS = 200
LONGEST_HEADER = 300


@dataclass(frozen=True)
class Report:
    """A letter's fate by a message to its return path."""

    outcome: Outcome
    meaning: refusals.Meaning = "letter"
    """Of a failure: permanent for the address, about this letter, or temporary."""
    words: str = ""
    """The server's, or the subject of an unknown message."""
    spent: bool = False
    """Whether a server has retried for days already."""


def read(message: mime.Part, address: str = "") -> Report:
    """Parse a report. `address`: the letter's recipient, which takes precedence."""
    parts = list(_parts(message, 1))
    complaint = next((part for part in parts if part.kind == "message/feedback-report"), None)
    if complaint is not None:
        return _complaint(complaint)
    if any(part.kind == "message/disposition-notification" for part in parts):
        return Report("autoreply", words=message.get("subject")[:LONGEST_HEADER])
    text = _above_original(_text(parts))
    report = _reported(message, parts, text, address)
    if report.meaning == "address" and report.outcome == "failed" and _in_doubt(text):
        return Report("failed", "letter", report.words)
    return report


def _reported(message: mime.Part, parts: Sequence[mime.Part], text: str, address: str) -> Report:
    after_data = AFTER_DATA.search(text) is not None
    by_fields = _gravest([_of_block(block, after_data) for block in _blocks(parts, text, address)])
    if by_fields is not None and (by_fields.outcome != "failed" or refusals.classified(by_fields.words) is not None):
        return by_fields
    subject = message.get("subject")[:LONGEST_HEADER]
    if by_fields is None and is_autoreply(message):
        return Report("autoreply", words=subject)
    if by_fields is None and (COMPLAINT.search(subject) or '"notificationType":"Complaint"' in text):
        return Report("complaint", words=subject)
    by_text = _of_text(text, after_data)
    if by_fields is not None:
        return by_text if by_text is not None and by_text.outcome == "failed" else by_fields
    bounce = is_bounce(message) or SUBJECT.search(text[:2000]) is not None
    if by_text is not None and (bounce or by_text.meaning == "address"):
        return by_text
    if bounce and DELAYED.search(text):
        return Report("delayed", "later", subject)
    return Report("failed" if bounce and FAILED.search(f"{subject}\n{text}") else "unread", words=subject)


# --- what kind of message -----------------------------------------------------------------------------------------------

DAEMON = re.compile(r"mailer-?daemon|postmaster|mail delivery|mail\.delivery|daemon@|majordom|double-bounce", re.I)
SUBJECT = re.compile(
    r"undeliver|deliver\w* (?:failure|status|report|problem|error)|failure notice|returned mail|(?:mail|message) \w* ?fail"
    r"|fail\w* (?:to deliver|delivery|mail)|non.?deliver|not delivered|could not be delivered|returned to sender|mail error",
    re.I,
)
COMPLAINT = re.compile(r"complaint about message from", re.I)
"""For services that send no ARF."""
AFTER_DATA = re.compile(
    r"end of data|>>> ?DATA\b|in reply to DATA|SMTP command\s{1,4}DATA|final DATA|\bafter DATA\b|after I sent the message", re.I
)
DELAYED = re.compile(
    r"warning message only|not yet been delivered|has been delayed|is delayed|will be retried|temporary failure report"
    r"|will (?:continue|keep)(?: to)? try|still trying|delivery is delayed|could not be delivered for",
    re.I,
)
FAILED = re.compile(
    r"permanent|fail|undeliver|unable to deliver|not deliver|(?:could|can)(?: ?not|n.t) be (?:delivered|sent)"
    r"|did not reach|rejected",
    re.I,
)


def is_report(message: mime.Part, reader: str = "") -> bool:
    """Whether mail to a reply address is a report: some servers bounce there. `reader`: of the answered letter; no daemon
    unless the return path is empty.
    """
    kinds = ("message/delivery-status", "message/global-delivery-status", "message/feedback-report")
    sender = message.get("from")[:LONGEST_HEADER]
    by_reader = machines.is_from(sender, reader) and message.get("return-path") != "<>"
    from_daemon = DAEMON.search(sender) is not None and not by_reader
    return (
        "x-failed-recipients" in message.fields
        or any(part.kind in kinds for part in mime.leaves(message))
        or (from_daemon and SUBJECT.search(message.get("subject")[:LONGEST_HEADER]) is not None)
    )


def is_bounce(message: mime.Part) -> bool:
    """Detect a report by type, sender or subject."""
    return (
        message.kind in ("multipart/report", "message/delivery-status")
        or "x-failed-recipients" in message.fields
        or message.get("return-path") == "<>"
        or _of_a_server(message)
    )


def _of_a_server(message: mime.Part) -> bool:
    senders = (message.get(name)[:LONGEST_HEADER] for name in ("from", "sender"))
    return (
        any(DAEMON.search(sender) for sender in senders) or SUBJECT.search(message.get("subject")[:LONGEST_HEADER]) is not None
    )


def is_autoreply(message: mime.Part) -> bool:
    """Detect an out-of-office note (RFC 3834)."""
    if message.kind == "multipart/report" or "x-failed-recipients" in message.fields or _of_a_server(message):
        return False
    marks = ("x-autoreply", "x-autorespond", "x-autoresponse", "x-apple-action")
    return (
        message.get("auto-submitted").lower().startswith("auto-replied")
        or any(mark in message.fields for mark in marks)
        or VACATION.search(message.get("subject")[:LONGEST_HEADER]) is not None
    )


VACATION = re.compile(
    r"out of (?:the )?office|auto(?:matic|matische)?[ -]?(?:reply|response|antwort)|vacation|abwesen|absence", re.I
)


def _complaint(part: mime.Part) -> Report:
    fields = mime.fields(mime.text(part).encode(errors="replace"))
    kind = next(iter(fields.get("feedback-type", ())), "abuse").lower()
    wanted = kind in ("abuse", "fraud", "virus", "opt-out", "opt-out-list", "other", "miscategorized")
    return Report("complaint" if wanted else "unread", words=f"Feedback-Type: {kind[:40]}")


# --- parts, text --------------------------------------------------------------------------------------------------------


def _parts(part: mime.Part, depth: int) -> Iterator[mime.Part]:
    for leaf in mime.leaves(part):
        yield leaf
        if leaf.kind.startswith("message/") and leaf.kind in ("message/rfc822", "message/global") and depth < DEEPEST:
            inner = mime.read(leaf.body)
            if inner.kind == "multipart/report":
                yield from _parts(inner, depth + 1)


TAG = re.compile(r"<[/a-zA-Z!][^<>]*>")


def _text(parts: Sequence[mime.Part]) -> str:
    found: list[str] = []
    for part in parts:
        if part.kind in ("message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global-headers"):
            break
        if part.kind.startswith(("text/", "multipart/")):  # a multipart without boundary is read raw
            text = mime.text(part)[:LONGEST]
            found.append(TAG.sub(" ", text) if part.kind == "text/html" else text)
    return "\n\n".join(found)[:LONGEST]


ORIGINAL = re.compile(
    r"[->|* ]*(?:-{2,}.{0,20})?(?:(?:this|below)[\w ]{0,25} is a copy of|included is a copy of|enclosed is a copy"
    r"|original message|the original message follows|message (?:headers?|text) follows?|the header of the original"
    r"|unsent message|returned message|returned mail follows|original mail info|received ?: ?(?:from|by|\()|return-path ?: ?<"
    r"|content-type: (?:message/rfc822|text/rfc822-headers))",
    re.I,
)


def _above_original(text: str) -> str:
    lines: list[str] = []
    for line in text.replace("\r", "").split("\n"):
        if lines and ORIGINAL.match(line[:200]):
            break
        lines.append(line[2:] if line.startswith("> ") else line)
    return "\n".join(lines)


# --- reports with fields (RFC 3464) ---------------------------------------------------------------------------------------


def _blocks(parts: Sequence[mime.Part], text: str, address: str) -> list[mime.Fields]:
    """Fields of the letter's own recipient, if named."""
    found: list[mime.Fields] = []
    for part in parts:
        if part.kind in ("message/delivery-status", "message/global-delivery-status"):
            found += _fields_in(mime.text(part))
    if not any("action" in block or "status" in block for block in found):
        found += _fields_in(text)
    found = [b for b in found if "action" in b or ("status" in b and "final-recipient" in b) or "diagnostic-code" in b][
        :MOST_BLOCKS
    ]
    own = [
        b for b in found if address and any(address.lower() in value.lower() for name in RECIPIENT for value in b.get(name, ()))
    ]
    return own or found


RECIPIENT = ("final-recipient", "original-recipient", "x-actual-recipient")


def _fields_in(text: str) -> list[mime.Fields]:
    blocks = text[:LONGEST].encode(errors="replace").replace(b"\r", b"").split(b"\n\n", MOST_PARAGRAPHS)[:MOST_PARAGRAPHS]
    return [fields for block in blocks if (fields := mime.fields(block))]


def _of_block(block: mime.Fields, after_data: bool) -> Report:
    action, status, words = (next(iter(block.get(name, ())), "") for name in ("action", "status", "diagnostic-code"))
    words = _decoded(words)
    code = refusals.ENHANCED.search(status)
    outcome = _outcome(action.lower(), code[1] if code else "")
    if outcome != "failed":
        return Report(outcome, "later", words or status)
    meaning = refusals.reported(status, words, after_data)
    expired = action.lower().startswith("expire")
    if expired and meaning == "letter":
        meaning = "later"
    return Report("failed", meaning, words or status, expired or status.startswith("4."))


OF_STATUS: dict[str, Outcome] = {"5": "failed", "4": "delayed", "2": "delivered"}
"""By class of an enhanced status code (RFC 3463)."""


def _outcome(action: str, of_status: str) -> Outcome:
    if action.startswith(("fail", "expire", "undeliver", "bounce", "reject", "hard", "perm")):
        return "failed"
    if action.startswith(("delay", "defer", "warn", "temp", "soft")):
        return "delayed"
    if action.startswith(("deliver", "relay", "expand")):
        return "delivered"
    return OF_STATUS.get(of_status, "failed")


def _decoded(words: str) -> str:
    if "\x1b" not in words:
        return words
    return words.encode("ascii", "replace").decode("iso-2022-jp", "replace")


# --- reports in text --------------------------------------------------------------------------------------------------------

ANSWER = re.compile(r"(?<![\w.\[/@-])([45][0-9][0-9])(?=[ :;-])(?!-[0-9])")
SHORT = 150
PARAGRAPH = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*[<\"]?[^\s<>\"@]{1,64}@[^\s<>\"@:]{1,255}[>\"]?:)")
"""Splits at blank lines and before recipients."""
HASH = re.compile(r"#[45]\.[0-9]{1,3}\.[0-9]{1,3}")


def _paragraphs(text: str) -> list[str]:
    found = (" ".join(paragraph.split()) for paragraph in PARAGRAPH.split(text, MOST_PARAGRAPHS)[:MOST_PARAGRAPHS])
    return [paragraph for paragraph in found if paragraph]


def _of_text(text: str, after_data: bool) -> Report | None:
    """Classify by quoted SMTP replies, else by sentences."""
    paragraphs = _paragraphs(text)
    found = [report for paragraph in paragraphs for report in _answers(paragraph, after_data)]
    if not any(refusals.classified(report.words) for report in found):
        found = [report for paragraph in paragraphs if (report := _sentence(paragraph, after_data))] + found
    report = _gravest(found)
    temporary = report is not None and (report.meaning != "address" or report.words.startswith("4"))
    if report is not None and temporary and DELAYED.search(text):
        return Report("delayed", "later", report.words)
    return report


def _in_doubt(text: str) -> bool:
    own = (p for p in _paragraphs(text) if len(p) < SHORT and "@" not in p and not ANSWER.search(p))
    return any(refusals.may_come_back(paragraph) for paragraph in own)


def _answers(paragraph: str, after_data: bool) -> Iterator[Report]:
    starts = [hit.start() for hit in ANSWER.finditer(paragraph)][:MOST_BLOCKS]
    for begin, end in zip(starts, [*starts[1:], len(paragraph)], strict=False):
        words = paragraph[begin:end][: refusals.LONGEST]
        yield Report("failed", refusals.reported(words[:1] + ".0.0", words, after_data), words, words.startswith("4"))
    if not starts and HASH.search(paragraph):
        yield Report("failed", refusals.classified(paragraph, after_data) or "letter", paragraph)


def _sentence(paragraph: str, after_data: bool) -> Report | None:
    meaning = refusals.classified(paragraph, after_data)
    return Report("failed", meaning, paragraph[: refusals.LONGEST]) if meaning is not None else None


ORDER = {"address": 0, "later": 1, "letter": 2}


def _gravest(reports: Sequence[Report]) -> Report | None:
    outcomes = ("failed", "delayed", "delivered")
    ranked = sorted(reports, key=lambda r: (outcomes.index(r.outcome) if r.outcome in outcomes else 9, ORDER[r.meaning]))
    return ranked[0] if ranked else None
