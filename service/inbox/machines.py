"""Detection of automatic mail, never answered (RFC 3834): out-of-office notes, receipts, reactions, lists, challenges."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from service.inbox import mime

AT_ONCE = timedelta(seconds=20)
"""Faster replies are not answered: nobody reads, answers and delivers within that."""
LONGEST_ALIKE = 400
"""Characters compared."""
SHORTEST_SAME = 15
"""Shorter texts repeat by chance: `Yes.`"""
ALIKE = 0.9
MOMENT = re.compile(
    r"\b\d{4}-\d{2}-\d{2}(?:t(?=\d))?|\b\d{1,2}([./-])\d{1,2}\1\d{4}\b|(?:\b|(?<=\dt))\d{1,2}:\d{2}(?::\d{2})?\b"
    r"|\b\d{1,2}(?:st|nd|rd|th|\.)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*,? \d{4}\b"
)
"""Dates and times of day, in lower case."""

FIELDS = (
    "x-mail-autoreply",
    "x-ms-exchange-inbox-rules-loop",
    "x-apple-action",
    "x-loop",
    "x-loop-detect",
    "x-fc-machinegenerated",
    "x-post-messageclass",
    "x-cron-env",
    "x-failed-recipients",
    "x-away-message",
    "x-ms-read-receipt",
    "x-amazon-auto-reply",
    "x-gmail-reaction",
    "x-boxbe-message-id",
    "x-challenge-response",
    "x-tmda-fingerprint",
    "x-spamarrest-noauth",
    "list-unsubscribe",
    "list-post",
    "list-help",
)
"""Headers that only automatic mail has, besides those of BEGINNINGS. People's mail has `Feedback-ID` (Fastmail, Zoho) and
`X-Auto-Response-Suppress` (Exchange, Cisco).
"""
BEGINNINGS = re.compile(
    r"x-(?:auto-?repl|auto-?respon(?!se-suppress)|autogen|vacation|otrs-|rt-|osticket|freshdesk|zendesk|zammad|kayako|jira"
    r"|mantis|help-?scout|beenthere|mailman|mailing-list|campaign|ext-loop)|rt-(?:ticket|originator)"
    r"|list-(?:id|owner|archive|subscribe)|mailing-list"
)
"""Prefixes of such headers: autoresponders, ticket systems, mailing lists."""
VALUES = {
    "precedence": re.compile(r"bulk|junk|list|auto.?reply", re.I),
    "return-path": re.compile(r"\s*<\s*>\s*"),
    "delivered-to": re.compile(r"\s*autoresponder\b.*", re.I),
    "preference": re.compile(r"auto.?reply", re.I),
    "x-precedence": re.compile(r"bulk|junk|list|auto.?reply", re.I),
    "x-ms-exchange-generated-message-source": re.compile(r".*(?:rules|antispam|journal|moderat).*", re.I),
    "from": re.compile(r"\s*(?:<\s*>|\"?(?:mailer-?daemon|postmaster)\"?)\s*", re.I),
    "content-class": re.compile(r"urn:content-classes:(?:mdn|dsn|calendarmessage|.*reaction).*", re.I),
    "x-delivery-agent": re.compile(r"TMDA.*", re.I),
    "x-mailer": re.compile(r".*(?:vacation|auto.?(?:reply|respon)).*", re.I),
    "user-agent": re.compile(r".*(?:vacation|auto.?(?:reply|respon)).*", re.I),
}
"""Values of common headers that only automatic mail has."""
SENDER = re.compile(
    r"(?:^|[<\s\"'])(?:mailer-?daemon|mail-?daemon|no[._-]?reply|do[._-]?not[._-]?reply|auto-?(?:reply|responder|response"
    r"|mailer|confirm)|listserv|majordomo)(?:[+.-][^@]*)?@|(?:^|[<\s\"'])[^\s<>@\"']{1,60}-bounces@",
    re.I,
)
MAYBE_SENDER = re.compile(
    r"(?:^|[<\s\"'])(?:postmaster|bounces?|vacation|notifications?|owner-[^\s@]{1,60})(?:[+.-][^@]*)?@"
    r"|(?:^|[<\s\"'])[^\s<>@\"']{1,60}-(?:request|owner)@",
    re.I,
)
"""Local parts that people have, too: `postmaster@` at an own domain, `land-owner@`."""
MAYBE = "perhaps by its sender"
KINDS = re.compile(
    r"multipart/report|text/calendar|application/ics|message/(?:delivery-status|disposition-notification|feedback-report|"
    r"global-delivery-status|global-disposition-notification|tracking-status)|text/vnd\.google\.email-reaction\+json|"
    r"application/(?:ms-tnef-receipt|vnd\.ms-reaction.*)",
    re.I,
)

SUBJECTS = tuple(
    """
auto reply|auto-reply|autoreply|auto response|auto-response|autoresponse|auto answer|auto:|automatic reply|automatic response
automatic message|automatic answer|automated reply|automated response|automated message|auto generated|auto-generated
out of office|out of the office|out-of-office|ooo:|ooo -|o.o.o|i am away|i'm away|i am out of|i'm out of|i am on vacation
i'm on vacation|i am on leave|i'm on leave|away from|vacation message|vacation reply|vacation notice|vacation response
vacation auto|vacation:|on vacation|on leave|on holiday|on annual leave|on maternity leave|on parental leave|on sick leave
away message|away notice|away:|holiday message|holiday notice|holiday reply
abwesend|abwesenheit|automatische antwort|automatische rück|automatische nachricht|automatische e-mail|urlaub:|urlaubs|im urlaub
nicht im büro|nicht im haus|bin im urlaub|ich bin abwesend|ich bin nicht|ich bin im urlaub|eingangsbestätigung
réponse automatique|reponse automatique|réponse d'absence|message d'absence|message automatique|absence du|absence de|absence:
absent du|absente du|absent jusqu|en congé|je suis absent|je suis en|avis d'absence
respuesta autom|fuera de la oficina|fuera de oficina|mensaje autom|ausente|ausencia|de vacaciones
estoy de vacaciones|estoy fuera
risposta autom|fuori sede|fuori ufficio|assenza|messaggio automatico|assente|sono in ferie|in ferie
resposta autom|fora do escrit|fora de escrit|ausência|de férias|estou de férias|mensagem autom
automatisch antwoord|automatisch bericht|automatische reactie|afwezig|niet aanwezig|buiten kantoor|ik ben afwezig
autosvar|auto-svar|automatiskt svar|automatisk svar|frånvaro|frånvarande|fravær|ikke til stede|ikke på kontoret|på semester
automaattinen|poissa|lomalla|en ole paikalla|odpowiedź automatyczna|odpowiedz automatyczna|automatyczna odpowied|autoodpowied
nieobecno|poza biurem|jestem nieobecn|na urlopie|automatick|nepřítomn|mimo kancel|jsem mimo|automatikus|házon kívül|szabadságon
răspuns automat|raspuns automat|în concediu|automatski|automatsko|samodejni|odsoten|odsotn|van ureda|automaatvastus
automātisk|automatinis|otomatik|ofis dışı|izindeyim|yıllık izin
автоответ|автоматич|автоматск|отсутств|в отпуске|я в отпуске|вне офиса|поза офісом|відсутн|у відпустці
αυτόματη|εκτός γραφείου|απουσία
自动回复|自動回覆|自動回复|自动答复|自動答覆|自動返信|自動応答|自動回答
外出|不在|休假|出差|자동 회신|자동회신|자동 응답|자동응답|자동 답장|부재
ตอบกลับอัตโนมัติ|ไม่อยู่|trả lời tự động|vắng mặt|balasan otomatis|jawapan automatik
תשובה אוטומטית|מענה אוטומטי|מחוץ למשרד|الرد التلقائي|رد تلقائي|رد آلي|خارج المكتب|پاسخ خودکار|स्वचालित
read:|not read:|gelesen:|ungelesen|lu:|non lu:|leído:|leido:|letto:|lida:|lido:|läst:|læst:|lest:|gelezen:|luettu:|przeczytane:
przeczytano:|přečteno:|прочитано:|okundu:
已读|已讀|開封済み|읽음|read receipt|return receipt|lesebestätigung|empfangsbestätigung
accusé de|confirmation de lecture|conferma di lettura|confirmación de lectura
delivered:|delivery status|delivery receipt|delivery failure|delivery notification|undeliver|unzustellbar|mail delivery
returned mail|failure notice|relayed:
accepted:|declined:|tentative:|tentatively accepted|zugesagt:|abgelehnt:|mit vorbehalt|accepté:|refusé:|aceptado:|aceptada:
rechazado:|rechazada:|accettato:|rifiutato:
please confirm your|please verify your|confirm your message|confirm your e-mail to|verify your e-mail to|verify you are human
verification required|confirmation required|action required: verify|sender verification|sender confirmation|challenge:
message verification|your message requires|your message to|[spamarrest]|boxbe|re: spam filter
spam arrest|your message is being held|please confirm (conf#|mail delivery requires|quarantine
sender address verification|disposition notification|vacation re|ooo re|away until
away till|away for|i am currently out|i'm currently out|i am currently away|i will be out
thank you for your message|thank you for contacting|thank you for your e|thank you for your inquiry|thanks for your message
thanks for contacting|we have received|we received|we've received|your request has|your ticket|your message has been
[request received|request received|ticket received|[ticket#|this mailbox is|unmonitored
mailbox not monitored|no longer with|no longer works|my e-mail address has
my email address has|new e-mail address|new email address|change of e-mail|change of email
e-mail address change|email address change|neue e-mail-adresse|neue mailadresse|nouvelle adresse|nueva dirección de correo
ich bin derzeit|ich bin zurzeit|ich bin zur zeit|bin derzeit|bin in urlaub|bin bis|außer haus|wir haben ihre|ihre nachricht
ihre anfrage|vielen dank für ihre|danke für ihre|anfrage erhalten|nicht mehr im unternehmen
merci pour votre|merci de votre|nous avons bien reçu|votre message|votre demande|absent(e)|de retour le
gracias por su|gracias por contactar|hemos recibido|su mensaje|estaré fuera|estaré ausente
grazie per|abbiamo ricevuto|il suo messaggio|sono fuori|sono assente|jestem poza|dziękujemy za|jeg er ude|jeg er på|jag är på
jag är inte|ik ben niet|ik ben op|bedankt voor uw|нет на месте|меня нет|спасибо за ваше|я отсутству
leesbevestiging|läskvitto|kvittering|zugestellt:|übermittelt:|remis :|remis:|entregado:|consegnato:|bezorgd:|levererat:
доставлено:|invitation:|updated invitation|canceled:|cancelled:|einladung:|abgesagt:|annulé:|cancelado:
confirm your subscription|message rejected|post by non-member|moderation|auto-discard|nachricht wartet|request to mailing list
welcome to the|your mail to|mail delivery
""".strip()
    .replace("\n", "|")
    .casefold()
    .split("|")
)
"""Lower-case subject prefixes; people's replies begin with `Re:` or our subject."""
ANYWHERE = re.compile(
    r"^(?:\w{1,4}: ?)?[\[(]?(?:(?:ticket|case|request|incident|anfrage|vorgang|demande|caso|support)[\s:#-]{0,4}|#)"
    r"(?:id[\s:#]{0,3})?[a-z-]{0,6}\d{3,}[\d-]{0,20}[\])]"
    r"|^\W{0,3}(?:(?:new|your|support|ihre?|votre|su) ){0,3}(?:ticket|case|request|incident|anfrage)\b.{0,60}"
    r"\b(?:received|created|opened|registered|erhalten|eingegangen|erstellt|reçue?|recibid[oa])\b"
    r"|^(?!\w{1,5}:).{1,40} (?:is (?:currently )?(?:out of the office|on (?:vacation|leave|holiday)|away)"
    r"|ist (?:derzeit )?(?:abwesend|au(?:ß|ss)er haus))(?:\W*$| (?:until|till|from|since|bis|vom)\b)"
    r"|\((?:action required|verification)\)\W*$|\[spam ?arrest\]\W*$",
    re.I,
)
"""Subjects of ticket systems, absences and challenges."""
RE = r"(?:\w{1,5}(?:\[\d{1,3}\])?: ?){0,5}?"
"""Prefixes of a reply's subject: `Re:`, `AW:`, `Re[2]:`."""
REACTION = re.compile(
    r"\W*(?:(?!\b(?:I|we|he|she|they|ich|wir|er|sie|je|nous|il|elle|yo)\b)[^\n]){0,60}?\b"
    r"(?:reacted (?:to (?:your|a|this) (?:message|e-?mail)|to(?= [\"“])|via \w+)"
    r"|(?:liked|loved|laughed at|emphasi[sz]ed) (?:your|a) message"
    r"|hat (?:[^\n]{0,20}\bauf (?:deine|Ihre|eine) (?:Nachricht|E-?Mail)(?: mit)?|(?:über|via) \w+)\W{1,20}reagiert"
    r"|a réagi (?:à (?:votre|ton|un) (?:message|e-?mail)|(?:via|avec) \w+)"
    r"|(?:reaccionó|ha reaccionado) (?:a (?:tu|su|un) (?:mensaje|correo)|(?:a través de|con) \w+))"
    r"\b(?:\W*[\"“„«][^\"“”»]*[\"“”»])?\W*(?:https?://\S+\W*)?",
    re.I,
)
"""The whole text of a reaction, with the quoted message or the mail client's URL; a sentence that begins like it is none."""
LONGEST_REACTION = 1000
"""Characters."""
NOTES = re.compile(
    r"out of (?:the )?office|on (?:annual |parental )?(?:vacation|leave|holiday)"
    r"|\bi(?:'|’| a)m (?:currently )?(?:away|out|travell?ing)|automat(?:ic|ed|ically)\b.{0,12}(?:reply|response|message)"
    r"|auto-?reply|thank you for (?:contacting|your (?:message|e-?mail|request|inquiry))|we(?: have|'ve)? received your"
    r"|ticket (?:number|id|#)|request has been (?:received|created)|(?:do not|don't) reply to this|(?:verify|confirm) that you"
    r"|to (?:deliver|release) your (?:message|e-?mail)"
    r"|will (?:reply|respond|get back)|limited access to|nicht (?:im büro|im haus|erreichbar)|abwesen|im urlaub"
    r"|automatische antwort|en congé|absente?\b|en vacances|fuera de la oficina|de vacaciones|fuori ufficio|assente|in ferie"
    r"|afwezig|op vakantie|nieobecn|na urlopie|semester|frånvar|på ferie|отпуске|отсутств",
    re.I,
)
"""Phrases of absence notes; no proof alone, since players write them too."""

AROUND = re.compile(r"[\s<>,;:\"()]+")
"""What stands around addresses."""


def by_machine(message: mime.Part, reader: str = "", ours: Sequence[str] = ()) -> str:
    """The feature that shows automatic mail; MAYBE if a person may have written it; "" for none. `reader`: the answered
    letter's address, which proves nothing, whatever its name; nor do our own words in the subject, see `is_automatic`.
    """
    auto = message.get("auto-submitted").partition(";")[0].strip().lower()
    if auto not in ("", "no"):
        return "auto-submitted"
    field = next((name for name in message.fields if name in FIELDS or BEGINNINGS.match(name)), "")
    if field:
        return field
    for name, value in VALUES.items():
        if any(value.fullmatch(found[: mime.LONGEST_TYPE]) for found in message.fields.get(name, ())):
            return name
    senders = [found[: mime.LONGEST_TYPE] for name in ("from", "sender") for found in message.fields.get(name, ())]
    senders = [found for found in senders if not is_from(found, reader)]
    if any(SENDER.search(found) for found in senders):
        return "from"
    if any(KINDS.fullmatch(kind) for kind in _kinds(message)):
        return "content-type"
    if is_automatic(mime.words_of(message.get("subject")), ours):
        return "subject"
    return MAYBE if any(MAYBE_SENDER.search(found) for found in senders) else ""


def is_from(sender: str, reader: str) -> bool:
    return bool(reader) and reader.casefold() in AROUND.split(sender.casefold())


def is_automatic(subject: str, ours: Sequence[str] = ()) -> bool:
    """Detect automatic mail by its subject. `ours`: the answered letter's subject and the game's name, perhaps `[#101] Harvest
    war`.
    """
    plain = _without(_even(subject), *(_even(own) for own in ours)).lstrip("[(*<【-– ")
    return plain.startswith(SUBJECTS) or ANYWHERE.search(plain[:300]) is not None or is_reaction(plain)


def _even(subject: str) -> str:
    plain = subject.casefold().replace("’", "'").replace("i\u0307", "i")  # of a Turkish İ
    return re.sub(r"\s+:", ":", " ".join(plain.split()))


def _without(subject: str, whole: str = "", name: str = "") -> str:
    """A subject less that of the letter, or else the game's name after `Re:`. Words that a machine puts around them stay."""
    if whole and whole in subject:
        return subject.replace(whole, "", 1)
    found = re.match(rf"({RE}){re.escape(name)}(?!\w)", subject) if name else None
    return found[1] + subject[found.end() :] if found is not None else subject


def _kinds(part: mime.Part) -> Iterable[str]:
    """All content types; not of calendars that people attach."""
    if part.kind not in ("text/calendar", "application/ics") or not part.is_attached:
        yield part.kind
    for inner in part.parts:
        yield from _kinds(inner)


def is_reaction(text: str) -> bool:
    """Detect a mail client's text form of an emoji reaction."""
    return len(text) <= LONGEST_REACTION and REACTION.fullmatch(text) is not None


def is_note(text: str) -> bool:
    return NOTES.search(text[:2000]) is not None


def came_at_once(sent_at: datetime | None, at: datetime) -> bool:
    return sent_at is not None and at - sent_at < AT_ONCE


def evened(text: str) -> str:
    """A text for comparison: without case, layout, dates and times."""
    return " ".join(MOMENT.sub("", text.casefold()).split())


def same(one: str, other: str) -> bool:
    """Whether two texts are equal except for dates and times. Only notes of absence may differ in numbers: moves differ in
    nothing else.
    """
    a, b = evened(one), evened(other)
    return (a == b and len(a) >= SHORTEST_SAME) or same_note(one, other)


def same_note(one: str, other: str) -> bool:
    return is_note(one) and is_note(other) and alike(one, other)


def alike(one: str, other: str) -> bool:
    """Whether two texts differ in a few letters, such as a count."""
    a, b = (" ".join(text.casefold().split())[:LONGEST_ALIKE] for text in (one, other))
    return min(len(a), len(b)) >= SHORTEST_SAME and difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() >= ALIKE
