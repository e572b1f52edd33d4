"""Classifies SMTP replies (RFC 5321), delivery status notifications (RFC 3464, codes of RFC 3463 and 5248) and plain text
bounces: no such mailbox, a refusal of this letter, or a temporary failure. Words take precedence over codes, and the
diagnostic's code over the report's: servers say “User unknown” under a dozen codes.
"""

from __future__ import annotations

import re
from typing import Literal

Meaning = Literal["address", "letter", "later"]

ENHANCED = re.compile(r"(?<![0-9.])([245])\.([0-9]{1,3})\.([0-9]{1,3})(?![0-9.])")
BASIC = re.compile(r"(?<![0-9.\[])([245][0-9][0-9])(?![0-9.\]])")
LONGEST = 600
"""Characters scanned."""

NOBODY = frozenset(((1, 1), (1, 2), (1, 3), (1, 6), (1, 10), (1, 351)))
"""No such mailbox or host, invalid, moved; Microsoft's codes for unknown recipients."""
LATER = frozenset(((2, 2), (3, 1), (4, 1), (4, 2), (4, 3), (4, 5), (4, 7)))
"""Mailbox or disk full, connection or DNS failure, busy, too long queued."""
ADDRESSES = re.compile(
    r"<?[^\s<>@（）：；，。]{1,100}@[^\s<>@（）：；，。]{1,100}>?|https?://\S{1,300}|\[[0-9a-fA-F:.]{3,45}(?: [0-9]{1,3})?\]"
)
"""Addresses and URLs, removed before matching."""
QUOTED = re.compile(r"[45][0-9][0-9]-'([^']{1,500})")
"""IronPort quotes the other server: “5.1.0 - Unknown address error 550-'5.2.2 Mailbox full'”."""
LISTS = re.compile(r"spamhaus|spamcop|sorbs|dnsbl|barracudacentral|[/.]d?n?s?[rb]bl\b|/bl\?", re.I)
"""DNS block lists."""


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.I)


FULL = _any(
    r"(?:mail ?(?:box|folder)|account|inbox|user)(?:'s)?[^.]{0,40} (?:is |was )?(?:over ?full|full|over)\b",
    r"mailbox[- ]full",
    r"quota",
    r"storage (?:limit|exceed)",
    r"exceeds? (?:allowed|storage|the local)|exceeded the local limit",
    r"(?:not enough|insufficient|out of) (?:disk|system|storage|space)",
    r"space not enough|disk full",
    r"postfach\b[^.;]{0,60}\bvoll\b|boîte\b[^.;]{0,60}\bpleine\b|buz[oó]n\b[^.;]{0,60}\bllen[oa]|casella\b[^.;]{0,60}\bpiena\b",
    r"postvak\b[^.;]{0,60}\bvol\b|skrzynka\b[^.;]{0,60}\b(?:pełna|przepełniona)|brevlåda\b[^.;]{0,60}\bfull|kutusu dolu",
    r"一杯|いっぱい|満杯|переполнен|已满|已滿|가득",
)
SOON = _any(
    r"try (?:again )?later|again later|please try later|not found,? try again",
    r"temporar|gr[ea]y ?list|throttl|deferred|at a rate|rate limit",
    r"too many (?:conn|recip|mess|mail|sess|conc)",
    r"(?:message|delivery|delivery time|envelope|time ?out|retry) (?:has )?(?:expired|exceeded)",
    r"was aborted after|retry time(?:out)?|queue too long|too long in (?:the )?queue|timed? ?out",
    r"connection (?:refused|reset|lost|closed|rate)|lost connection",
    r"reachable (?:at (?:this|the) time|within)",
)
"""Temporary, or days of retries without an answer."""
SENDER = _any(
    r"\bsenders?\b|mail[- ]from\b|\bfrom: (?:domain|header|address)|return[- ]path|purported responsible",
    r"client host|reverse dns|\brdns\b|\bptr\b|\bhelo\b|\behlo\b",
    r"black ?list|block ?list|\bspam|\bdmarc|\bdkim|\bspf\b|unauthenticated",
    r"recipient preferences|banned|reputation|virus|complaints",
    r"relay(?:ing)? (?:access )?(?:denied|not|prohibited|disallowed)|not (?:permitted|allowed) to relay",
    r"policy restriction|due to policy|suppress(?:ed|ion)",
    r"from (?:an? )?(?:unknown|invalid|non-?existent|unresolvable)|\bip address (?:is )?(?:not|un|invalid|has no|does)",
    r"\byour (?:reverse|host|ip|server|domain|helo)|invalid dns mx",
    r"expéditeur|absender|remitente|mittente|afzender|nadawc|avsändar|отправител|送信者|差出人|发件人|寄件者|보낸 사람",
)
"""About the sender or its letter."""
PERSON = r"(?:user|mailbox|account|recipient|address|alias|addressee|userid|name|person|subscriber)"
UNKNOWN = _any(
    PERSON + r"\w*(?: name)?[\])>]*[ :,]*(?:is |was |are |were )?(?:an? )?"
    r"(?:unknown|invalid|non-?exist|wrong or no longer|no longer (?:on|valid|exist|avail|in use|here|with))",
    PERSON + r"\w*(?: name)?[\])>]*[ :,]*(?:is |was |are |were )?"
    r"not[ -]?(?:be )?(?:found|known|exists?|recogni[sz]ed|listed|valid|here)",
    PERSON + r"\b[^.;]{0,80}\b(?:do|does|did)(?:n't| not|nt) exist",
    PERSON + r"\b[^.;]{0,80}\b(?:was|were|could|can)(?:n't| ?not) (?:be )?(?:found|recogni[sz]ed)",
    PERSON + r"\b[^.;]{0,80}\b(?:not listed in|not exist|no longer on server)",
    r"(?:unknown|invalid|illegal|non-?existent|undefined)(?: or (?:illegal|invalid|unknown))?(?: \w{1,15}){0,2} " + PERSON,
    r"no such (?:" + PERSON + r"|local|customer|e-?mail|mail ?drop)",
    r"no (?:mailbox|user|account|recipient|person|one) (?:here|by that|with that|found|for this|named|called|of)",
    r"no valid recipients|no mailbox\b|recip(?:ient)?not ?found",
    r"not (?:our|a) (?:customer|user|account|(?:local|known|valid|registered)(?: \w{1,10})? (?:user|mailbox|account))",
    r"not a valid recipient",
    r"addressee not local|no longer with (?:the|our|this) (?:company|organi[sz]ation|firm)",
    r"(?:account|mailbox|user) (?:has been |is |was |has )?(?:been )?(?:permanently )?(?:closed|terminated|deleted|removed)\b",
    r"n't have an? \S{1,100} account",
    r"(?:mailbox|recipient) (?:has |have )?moved",
    r"inactive (?:e-?mail )?(?:address|user)|(?:address|recipient) (?:is )?inactive",
    r"mailbox (?:un|not )available|bad destination mailbox|address rejected\.?$",
    r"unknown in (?:virtual|local|relay)|unable to find (?:user|recipient|mailbox)",
    r"destinataire invalide|(?:adresse|boîte)\b[^.;]{0,80}\b(?:n'existe pas|inconnue?)",
    r"(?:adresse|konto|postfach|empfänger)\b[^.;]{0,80}\b(?:existiert nicht|unbekannt)",
    r"(?:dirección|usuario|indirizzo|utente|gebruiker)\b[^.;]{0,80}\b(?:no existe|desconocid|non esiste|bestaat niet)",
    r"(?:пользовател\w{0,5}|ящик\w{0,5}|адрес\w{0,5})[^.]{0,30} не (?:найден|существует)",
    r"(?:adresse|empfänger|postfach)\b[^.;]{0,80}\bnicht gefunden",
    r"(?:adresse|destinataire|boîte)\b[^.;]{0,80}\bintrouvable",
    r"no se (?:ha )?(?:encontró|encontrado|pudo encontrar|encuentra)\b[^.;]{0,40}\b(?:dirección|destinatario|usuario|buzón)",
    r"impossibile trovare (?:l'indirizzo|il destinatario|l'utente)|indirizzo\b[^.;]{0,60}\bnon (?:è stato )?trovato",
    r"(?:e-?mail)?adres\b[^.;]{0,80}\bniet\b(?: worden)? gevonden",
    r"(?:endereço|destinat[áa]rio|usuário)\b[^.;]{0,80}\b(?:não (?:foi )?encontrado|inexistente|não existe)",
    r"(?:adres|odbiorca|użytkownik)\b[^.;]{0,60}\bnie (?:istnieje|znaleziono)|nie znaleziono (?:adresu|odbiorcy|użytkownika)",
    r"(?:收件人|邮箱|用户|帐号|账号)[^。；]{0,40}不存在|不存在[^。；]{0,10}(?:收件人|邮箱|用户)",
    r"(?:메일 ?주소|수신자|사용자)[^.]{0,20}(?:찾을 수 없|존재하지)",
    r"見つかりません|リストにありません|存在しません",
)
"""No such mailbox, or moved."""
BARE_UNKNOWN = _any(r"(?:user|mailbox)s? unknown", r"unknown (?:user|mailbox)", r"no such user")
"""Some mobile providers say this of filtered letters."""
NOWHERE = _any(
    r"(?:unknown|no such|illegal|invalid|bad) (?:host|domain|destination system)",
    r"(?:host|domain)(?:/domain)?(?: name)? (?:is )?(?:unknown|not found|does(?:n't| not) exist)|domain is not reachable",
    r"host or domain name not found|host \S{1,100} not found|find any host named|unrouteable (?:address|mail domain)",
    r"nxdomain|non-?existent domain|dns domain \S{1,100} does(?:n't| not) exist|no mx or a records",
    r"does(?:n't| not) accept mail|null mx|no smtp service",
)
"""No such domain, or without mail (RFC 7505)."""
SUSPENDED = _any(
    r"disabled|suspended|locked|frozen|discontinued|deactivated|not active|on hold|account (?:has )?expired",
    r"gesperrt|deaktiviert|désactivé|suspendue?\b|desactivad|suspendid|disattivat|geblokkeerd|zablokowan|заблокирован|отключ",
)
ONLY_SUSPENDED = _any(r"unavailable: account is (?:disabled|blocked|suspended)")
"""Mail.ru, after “invalid mailbox”."""
NOT_THIS = _any(
    r"polic|violat|block|listed|junk|unsolicited|\bube\b|content|denied|relay|refus|reject",
    r"not (?:allowed|authori[sz]ed|permitted|accepting)|permission|authenticat|restrict|verif|member",
    r"size|header|loop|hop|protocol error|quarantin|suspicious|attachment|may not exist",
)
"""Refusals without enhanced codes."""
TOO_BIG = _any(
    r"too (?:big|large)|(?:message|line)s? (?:is |are )?too long|message size|size (?:limit|exceeds?)",
    r"line limit|length exceeds|maximum \w{0,20} ?message size",
)
ACCESS_DENIED = _any(r"recipient address rejected[ :]{0,3}access denied")
"""Microsoft's unknown recipient, with 5.4.1."""


def meaning(code: int, words: str, to_address: bool = False) -> Meaning:
    """Classify an SMTP reply. `to_address`: the reply to RCPT, before the letter was seen."""
    if code < 500:
        return "later"
    found = classified(words, after_data=not to_address)
    if found is not None:
        return found
    if code == 552:  # mailbox full, or after DATA letter too big
        return "later" if to_address or ENHANCED.match(words) or "mailbox" in words.lower() else "letter"
    return "address" if code in (550, 551) and to_address and not NOT_THIS.search(_bare(words)) else "letter"


def reported(status: str, diagnostic: str, after_data: bool = False) -> Meaning:
    """Classify by Status and Diagnostic-Code. `after_data`: the content was refused."""
    by_server = ENHANCED.search(diagnostic[:LONGEST]) or BASIC.search(diagnostic[:LONGEST])
    own = ENHANCED.match(status.strip())
    if diagnostic.lower().startswith("x-unix"):
        return "later" if own and own[1] == "4" else "letter"  # a program of the mailbox's owner failed
    # A relay that reports “no such mailbox” has seen which command was refused.
    after_data = after_data and not (own and (int(own[2]), int(own[3])) in NOBODY)
    found = classified(diagnostic, after_data)
    if found is not None:
        if found == "address" and not by_server and status.startswith("4.") and "NXDOMAIN" not in diagnostic:
            return "later"
        return found
    if by_server and by_server[0].startswith("4"):
        return "later"
    # A code of unknown origin is no evidence.
    return classified(status, after_data) or "letter"


def classified(words: str, after_data: bool = False) -> Meaning | None:
    """Classify by words, then enhanced code; None if unknown. After DATA, some filters say “User unknown” of an accepted
    address.
    """
    words = words[:LONGEST]
    said = _bare(words)
    code = ENHANCED.search(said)
    subject = (int(code[2]), int(code[3])) if code else None
    by_words = "letter" if LISTS.search(words) else _by_words(said, subject)
    if by_words == "address" and subject not in NOBODY:
        if _is_temporary(code, said):
            return "later"
        if after_data and BARE_UNKNOWN.search(said):
            return "letter"
    if by_words is not None or code is None or subject is None:
        return by_words
    if code[1] == "4" or subject in LATER:
        return "later"
    if subject in NOBODY:
        return "address"
    return "letter" if subject[1] else None  # x.0 is “other”


def _is_temporary(code: re.Match[str] | None, said: str) -> bool:
    basic = BASIC.search(said)
    return code[1] == "4" if code else basic is not None and basic[1].startswith("4")


def _by_words(said: str, subject: tuple[int, int] | None) -> Meaning | None:
    if TOO_BIG.search(said):
        return "letter"
    if SENDER.search(said) or subject in ((1, 7), (1, 8)):
        return "letter"
    if FULL.search(said):
        return "later"
    if ONLY_SUSPENDED.search(said) or (SUSPENDED.search(said) and not UNKNOWN.search(said)):
        return "letter"
    if UNKNOWN.search(said) or NOWHERE.search(said):
        return "later" if SOON.search(said) else "address"
    if subject == (4, 1) and ACCESS_DENIED.search(said):
        return "address"
    if SOON.search(said):
        return "later"
    return "letter" if NOT_THIS.search(said) and subject not in NOBODY else None


def _bare(words: str) -> str:
    plain = " ".join(words.replace("\u2019", "'").split())
    quoted = QUOTED.search(plain)
    return " ".join(ADDRESSES.sub(" ", quoted[1] if quoted else plain).split())


def may_come_back(words: str) -> bool:
    """Whether a mailbox is full or disabled, not unknown."""
    return FULL.search(words[:LONGEST]) is not None or SUSPENDED.search(words[:LONGEST]) is not None
