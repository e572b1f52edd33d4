"""Bounces as mail servers write them: DSN fields spelt oddly, plain text of many servers, complaints, and what is none."""

from __future__ import annotations

import time

import pytest

from service.inbox import bounces, mime
from service.inbox.bounces import Report
from service.post import refusals

ADDRESS = "anna@example.org"
DEAD, LATER, LETTER = "address", "later", "letter"


def read(text: str, **fields: str) -> Report:
    head = {"From": "MAILER-DAEMON@mx.test", "Subject": "Undeliverable", "Content_Type": "text/plain; charset=utf-8", **fields}
    lines = "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in head.items())
    return bounces.read(mime.read(f"{lines}\n{text}".encode()), ADDRESS)


def dsn(fields: str, said: str = "Sorry.", kind: str = "message/delivery-status", **more: str) -> Report:
    inner = (
        f"--xx\nContent-Type: text/plain\n\n{said}\n\n--xx\nContent-Type: {kind}\n\nReporting-MTA: dns; mx.test\n\n{fields}\n\n"
    )
    original = "--xx\nContent-Type: message/rfc822\n\nSubject: x\n\n550 5.1.1 User unknown\n\n--xx--\n"
    return read(inner + original, Content_Type='multipart/report; boundary="xx"', **more)


ELSEWHERE: list[tuple[str, str]] = [
    # no such mailbox or domain
    ("554 delivery error: dd Not a valid recipient - atlas123.mail.test", DEAD),
    ("550 Addressee not local", DEAD),
    ("550 5.4.310 DNS domain example.org does not exist [Message=InfoDomainNonexistent]", DEAD),
    ("550 Account has been closed", DEAD),
    ("550 mailbox terminated", DEAD),
    ("550 anna@example.org is no longer with the company", DEAD),
    ("550 5.1.1 Odbiorca nie istnieje", DEAD),
    ("550 5.0.0 Destinatário inexistente", DEAD),
    # said of the sender, of policy or of a mailbox that may be opened again
    ("553 Relaying disallowed. Invalid Domain - example.org", LETTER),
    ("550 Requested action not taken: mailbox unavailable Reject due to policy restrictions", LETTER),
    ("550 Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record", LETTER),
    ("550 5.7.1 message from nonexistent domain rejected", LETTER),
    ("550 IP address not found in DNS", LETTER),
    ("550 Host not found: your reverse name", LETTER),
    ("550 Message was not accepted -- invalid mailbox. Local mailbox a@b.test is unavailable: account is disabled", LETTER),
    ("Amazon SES has suppressed sending to this address, for its history of bouncing as an invalid address.", LETTER),
    ("550 5.7.1 Konto gesperrt", LETTER),
    ("550 Postfach ist voll", LATER),
    ("552 casella piena", LATER),
    ("552 buzón lleno", LATER),
    ("550 收件人邮箱已满", LATER),
]


@pytest.mark.parametrize(("said", "meaning"), ELSEWHERE)
def test_what_other_servers_say_is_read(said: str, meaning: str) -> None:
    found = dsn(f"Final-Recipient: rfc822; {ADDRESS}\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; {said}")
    assert (found.outcome, found.meaning) == ("failed", meaning)


SENTENCES: list[tuple[str, str]] = [
    ("Die eingegebene E-Mail-Adresse konnte nicht gefunden werden. Überprüfen Sie die Adresse.", DEAD),
    ("L'adresse de messagerie que vous avez entrée est introuvable.", DEAD),
    ("No se encontró la dirección de correo electrónico que ha escrito.", DEAD),
    ("Impossibile trovare l'indirizzo di posta elettronica immesso.", DEAD),
    ("Het e-mailadres dat u hebt ingevoerd, kan niet worden gevonden.", DEAD),
    ("No MX or A records for nowhere.example", DEAD),
    ("退信原因：收件人邮件地址（anna@example.org）不存在，邮件无法送达。", DEAD),
    ("Das Postfach des Empfängers ist voll und kann zurzeit keine Nachrichten annehmen.", LATER),
    ("La boîte aux lettres du destinataire est pleine.", LATER),
    ("El buzón del destinatario está lleno y no puede aceptar mensajes.", LATER),
    ("L'adresse de l'expéditeur est introuvable.", LETTER),
]


@pytest.mark.parametrize(("said", "meaning"), SENTENCES)
def test_the_sentences_of_servers_in_other_languages_are_read(said: str, meaning: str) -> None:
    text = f"{ADDRESS}\n{said}\n"
    assert read(text, From="postmaster@example.org", Subject="Unzustellbar").meaning == meaning


def test_a_warning_of_a_delay_is_no_failure_whatever_reason_it_gives() -> None:
    text = f"Your message has not yet been delivered.\n\n  {ADDRESS}\n    Delay reason: 450 4.1.1 User unknown\n"
    assert read(text, Subject="Warning: message delayed 24 hours").outcome == "delayed"


# --- diagnostics ------------------------------------------------------------------------------------------------------

SAID: list[tuple[str, str, str]] = [
    # status, diagnostic, meaning
    ("5.1.1", "", DEAD),
    ("5.0.0", "smtp; 550 User unknown", DEAD),
    ("5.0.0", "smtp; 550 <anna@example.org>: User unknown in virtual mailbox table", DEAD),
    ("5.0.0", "smtp; 550 5.1.1 <anna@example.org>... no mailbox by that name", DEAD),
    ("5.2.1", "smtp; 550 5.2.1 <anna@example.org>... User Unknown", DEAD),
    ("5.5.0", "smtp; 550 Requested action not taken: mailbox unavailable (-12:34:-56)", DEAD),
    ("5.0.0", "smtp; 554 delivery error: dd This user doesn't have a example.org account (anna@example.org) [0]", DEAD),
    ("5.1.10", "smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", DEAD),
    ("5.1.351", "smtp;550 5.1.351 Remote server returned unknown recipient or mailbox unavailable", DEAD),
    ("5.4.1", "smtp; 550 5.4.1 [anna@example.org]: Recipient address rejected: Access denied [X.prod.outlook.com]", DEAD),
    ("5.1.6", "smtp; 550 5.1.6 recipient no longer on server: anna@example.org", DEAD),
    ("5.1.1", "SMTP; 551 not our customer", DEAD),
    ("5.0.0", "X-Notes; User anna (anna@example.org) not listed in Domino Directory", DEAD),
    ("5.4.4", "X-Postfix; Host or domain name not found. Name service error for name=example.org type=A: Host not found", DEAD),
    ("4.0.0", "smtp; DNS Error: DNS type 'mx' lookup of example.org responded with code NXDOMAIN", DEAD),
    ("5.1.10", "smtp; 556 5.1.10 Recipient address has null MX", DEAD),
    ("4.1.1", "smtp; 450 4.1.1 <anna@example.org>: Recipient address rejected: User unknown in virtual alias table", DEAD),
    # full, slow, away
    ("5.1.1", "smtp; 552 5.2.2 Over quota", LATER),
    (
        "5.0.0",
        "smtp; 5.1.0 - Unknown address error 550-'5.2.2 <anna@example.org>... Mailbox Full' (delivery attempts: 0)",
        LATER,
    ),
    ("5.0.0", "smtp; 552 sorry, that mailbox is over quota temporarily (#5.1.1)", LATER),
    ("5.2.1", "smtp; 550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents", LATER),
    ("5.0.0", "smtp; 450 Requested mail action not taken: mailbox unavailable", LATER),
    ("4.4.7", "", LATER),
    ("5.4.7", "smtp; 550 4.4.7 QUEUE.Expired; message expired", LATER),
    (
        "4.4.3",
        "X-Postfix; Host or domain name not found. Name service error for name=example.org: Host not found, try again",
        LATER,
    ),
    ("4.2.0", "smtp; 450 4.2.0 <anna@example.org>: Recipient address rejected: Greylisted", LATER),
    # the letter, the sender, the house's server
    ("5.1.1", "SMTP; 550 5.7.1 IP address blacklisted by recipient", LETTER),
    ("5.1.3", "SMTP; 553 http://www.spamhaus.org/query/bl?ip=192.0.2.222", LETTER),
    ("5.7.1", "smtp; 554 5.7.1 <spam@example.org>: Relay access denied", LETTER),
    ("5.7.26", "smtp; 550-5.7.26 Unauthenticated email is not accepted due to the domain's DMARC policy", LETTER),
    ("5.1.8", "smtp; 553 5.1.8 <writ@writ.test>... Domain of sender address writ@writ.test does not exist", LETTER),
    ("5.1.0", "smtp; 550 5.1.0 <writ@writ.test>: Sender address rejected: User unknown in virtual alias table", LETTER),
    ("5.2.3", "smtp; 552 5.2.3 Message length exceeds administrative limit", LETTER),
    ("5.3.4", "smtp; 552 message size exceeds mailbox quota", LETTER),
    ("5.2.1", "smtp; 550-5.2.1 The email account that you tried to reach is disabled", LETTER),
    ("5.7.13", "smtp; 525 5.7.13 User account disabled", LETTER),
    ("5.1.1", 'x-unix; procmail: Couldn\'t create "/var/spool/mail/anna" id: No such user', LETTER),
    ("5.7.1", "smtp; 550 5.7.1 RESOLVER.RST.AuthRequired; authentication required", LETTER),
    ("5.4.6", "smtp; 554 5.4.6 Too many hops", LETTER),
    ("5.1.1", "smtp; 550 5.1.1 RCP-P2 Refused due to recipient preferences", LETTER),
    ("5.0.0", "", LETTER),
    ("nonsense", "nonsense", LETTER),
]


@pytest.mark.parametrize(("status", "diagnostic", "meaning"), SAID, ids=[f"{s} {d[:50]}" for s, d, _ in SAID])
def test_a_report_means_what_the_server_says_in_words_then_in_its_code_then_in_the_status(
    status: str, diagnostic: str, meaning: str
) -> None:
    found = dsn(f"Final-Recipient: rfc822; {ADDRESS}\nAction: failed\nStatus: {status}\nDiagnostic-Code: {diagnostic}")
    assert (found.outcome, found.meaning) == ("failed", meaning)


@pytest.mark.parametrize("action", ["failed", "failure", "FAILED", "failed (permanent)", "undeliverable", ""])
def test_an_action_is_read_however_it_is_spelt(action: str) -> None:
    line = f"Action: {action}\n" if action else ""
    found = dsn(f"Final-Recipient: rfc822; {ADDRESS}\n{line}Status: 5.1.1")
    assert (found.outcome, found.meaning) == ("failed", DEAD)


def test_expired_is_a_failure_that_says_nothing_of_the_address() -> None:
    found = dsn(f"Final-Recipient: rfc822; {ADDRESS}\nAction: expired\nStatus: 5.0.0")
    assert (found.outcome, found.meaning) == ("failed", LATER)


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ("Action: delayed\nStatus: 4.4.7", "delayed"),
        ("Action: deferred\nStatus: 4.0.0", "delayed"),
        ("Action: delivered\nStatus: 2.0.0", "delivered"),
        ("Action: relayed\nStatus: 2.1.9", "delivered"),
        ("Final-Recipient: rfc822; x@y.test\nStatus: 4.4.1", "delayed"),
    ],
)
def test_what_is_no_failure_is_none(fields: str, outcome: str) -> None:
    assert dsn(fields).outcome == outcome


@pytest.mark.parametrize("kind", ["message/delivery-status", "Message/Global-Delivery-Status", "text/plain", "text/plain; x=y"])
def test_the_fields_are_read_under_any_content_type(kind: str) -> None:
    found = dsn(
        f"Action: failed\nFinal-Recipient: rfc822; {ADDRESS}\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No", kind=kind
    )
    assert (found.outcome, found.meaning) == ("failed", DEAD)


def test_of_several_recipients_that_of_the_letter_counts() -> None:
    other = "Final-Recipient: rfc822; bert@example.org\nAction: failed\nStatus: 5.1.1\n\n"
    for name in ("Final-Recipient", "Original-Recipient", "X-Actual-Recipient"):
        found = dsn(f"{other}{name}: rfc822;<{ADDRESS.upper()}>\nAction: failed\nStatus: 5.2.2")
        assert (found.outcome, found.meaning) == ("failed", LATER)
    assert dsn(other + "Final-Recipient: rfc822; x@y.test\nAction: failed\nStatus: 5.2.2").meaning == DEAD, "forwarded"


@pytest.mark.parametrize(
    "said",
    ["host mx said: 550 : User unknown (in reply to end of DATA command)", ">>> DATA\n<<< 550 Unknown user anna@example.org"],
)
def test_user_unknown_after_the_letter_was_read_is_said_of_the_letter(said: str) -> None:
    fields = f"Final-Recipient: rfc822; {ADDRESS}\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 Unknown user"
    assert dsn(fields, said).meaning == LETTER
    assert dsn(fields, "host mx said: 550 (in reply to RCPT TO command)").meaning == DEAD
    assert dsn(fields.replace("550 Unknown", "550 5.1.1 Unknown"), said).meaning == DEAD


def test_a_mailbox_that_is_full_in_the_reports_own_words_is_not_dead() -> None:
    fields = f"Final-Recipient: rfc822; {ADDRESS}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown"
    assert dsn(fields, "Your message was rejected:\nNot enough disk space").meaning == LETTER
    assert dsn(fields, "The user(s) account is disabled.").meaning == LETTER


def test_a_report_within_a_forwarded_message_is_found() -> None:
    status = f"Final-Recipient: rfc822; {ADDRESS}\nAction: failed\nStatus: 5.1.1\n"
    inner = (
        f'Content-Type: multipart/report; boundary="in"\n\n--in\nContent-Type: message/delivery-status\n\n{status}\n--in--\n'
    )
    found = read(
        f"--xx\n\nSee below.\n\n--xx\nContent-Type: message/rfc822\n\n{inner}\n--xx--",
        Content_Type="multipart/mixed; boundary=xx",
    )
    assert (found.outcome, found.meaning) == ("failed", DEAD)


def test_a_report_that_is_cut_off_or_has_another_boundary_is_read() -> None:
    status = f"Final-Recipient: rfc822; {ADDRESS}\nAction: failed\nStatus: 5.1.1"
    cut = f"--xx\n\nSorry.\n\n--xx\nContent-Type: message/delivery-status\n\n{status}"
    assert read(cut, Content_Type="multipart/report; boundary=xx").meaning == DEAD
    assert read(cut, Content_Type="multipart/report; boundary=yy").meaning == DEAD
    assert read(cut, Content_Type="multipart/report").meaning == DEAD


# --- plain text ---------------------------------------------------------------------------------------------------------

COPY = (
    "\n--- Below this line is a copy of the message.\n\nReturn-Path: <x@y.test>\nSubject: x\n\nAction: failed\n"
    "550 5.1.1 User unknown\n"
)
TEXTS: list[tuple[str, str, str]] = [
    (
        "qmail, no mailbox",
        "Hi. This is the qmail-send program at mx.test.\nI'm afraid I wasn't able to deliver your message to the following"
        " addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<anna@example.org>:\n"
        "Sorry, no mailbox here by that name. (#5.1.1)\n",
        DEAD,
    ),
    (
        "qmail, another server",
        "Hi. This is the qmail-send program at mx.test.\n\n<anna@example.org>:\n192.0.2.1 does not like recipient.\n"
        "Remote host said: 550 <anna@example.org>: User unknown\nGiving up on 192.0.2.1.\n",
        DEAD,
    ),
    (
        "qmail, no host",
        "Hi. This is the qmail-send program.\n\n<a@b>:\nSorry, I couldn't find any host named b. (#5.1.2)\n",
        DEAD,
    ),
    (
        "qmail, full",
        "Hi. This is the qmail-send program.\n\n<a@b>:\nRemote host said: 450 4.2.2 <a@b>... Mailbox Full\nGiving up.\n"
        "I'm not going to try again; this message has been in the queue too long.\n",
        LATER,
    ),
    ("qmail, no connection", "Hi.\n\n<a@b>:\nSorry, I wasn't able to establish an SMTP connection. (#4.4.1)\n", LATER),
    (
        "Exim",
        "This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered"
        " to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n"
        "  anna@example.org\n    SMTP error from remote mail server after RCPT TO:<anna@example.org>:\n"
        "    host mx [192.0.2.1]: 550 5.1.1 unknown or illegal alias:\n    anna@example.org\n",
        DEAD,
    ),
    ("Exim, no route", "The following address(es) failed:\n\n  anna@example.org\n    Unrouteable address\n", DEAD),
    (
        "Exim, sender refused",
        "The following address(es) failed:\n\n  anna@example.org\n    SMTP error from remote mail server after MAIL FROM:"
        "<writ@writ.test>:\n    host mx [192.0.2.1]: 550 5.1.7 No such domain writ.test.\n",
        LETTER,
    ),
    (
        "Exim, given up",
        "The following address(es) failed:\n\n  anna@example.org\n    host mx [192.0.2.1]: 451 busy: retry timeout exceeded\n",
        LATER,
    ),
    (
        "Sendmail",
        "   ----- Transcript of session follows -----\n... while talking to mx.test.:\n>>> RCPT To:<anna@example.org>\n"
        "<<< 550 <anna@example.org>, User Unknown\n550 <anna@example.org>... User unknown\n",
        DEAD,
    ),
    (
        "Exchange",
        "Your message\n\n  Subject: x\n\ndid not reach the following recipient(s):\n\nanna@example.org on Thu, 29 Apr 2010\n"
        "    The recipient name is not recognized\n    MSEXCH:IMS:NNN:X 0 (000C05A6) Unknown Recipient\n",
        DEAD,
    ),
    ("Notes", "------- Failure Reasons  --------\n\nUser  not listed in public Name & Address Book\nanna@example.org\n", DEAD),
    ("IMail", "Unknown user: anna@example.org\n", DEAD),
    ("IMail, full", "User mailbox exceeds allowed size: anna@example.org\n", LATER),
    (
        "GMX",
        'failed:\n\n"anna@example.org":\nSMTP error after RCPT command:\nhost: mx\n5.1.1 <anna@example.org>... User Unknown\n',
        DEAD,
    ),
    (
        "Yahoo",
        "Sorry, we were unable to deliver your message to the following address.\n\n<anna@example.org>:\nThis account has been"
        " disabled or discontinued.\n",
        LETTER,
    ),
    (
        "Google Groups",
        "the group you tried to contact (x) may not exist, or you may not have permission to post messages to the group.\n",
        LETTER,
    ),
    ("Japanese", "次のあて先へのメッセージは送信できませんでした。\n送信先メールアドレスが見つかりませんでした。\n", DEAD),
    ("Japanese, full", "送信先のメールボックスが一杯のため、送信できませんでした。\n", LATER),
    ("French", "L'adresse de messagerie ci-dessus n'existe pas.\n", DEAD),
    ("nothing said", "Delivery to the following recipients failed.\n\n  anna@example.org\n", LETTER),
]


@pytest.mark.parametrize(("text", "meaning"), [(t, m) for _, t, m in TEXTS], ids=[name for name, _, _ in TEXTS])
def test_a_bounce_in_text_is_read_above_the_returned_letter(text: str, meaning: str) -> None:
    for end in ("", COPY):
        found = read(text + end)
        assert (found.outcome, found.meaning) == ("failed", meaning)


@pytest.mark.parametrize(
    "text",
    [
        "THIS IS A WARNING MESSAGE ONLY.\n\nDelivery to the following recipient has been delayed:\n\n  anna@example.org\n",
        "has not yet been delivered to one or more of its recipients after more than 24 hours\n\n451 4.7.1 Please try later\n",
        "could not be delivered for 4 hours. Delivery attempts will continue to be made.\n550 5.7.1 Blocked for now\n",
    ],
)
def test_a_warning_that_a_letter_is_late_is_a_delay(text: str) -> None:
    assert read(text).outcome == "delayed"


def test_an_answer_is_not_looked_for_in_the_returned_letter() -> None:
    assert read("Something went wrong." + COPY).meaning == LETTER


def test_lines_that_end_with_a_carriage_return_alone_are_lines() -> None:
    text = f"From: MAILER-DAEMON@x\rSubject: Undeliverable\r\r<{ADDRESS}>:\rSorry, no mailbox here by that name. (#5.1.1)\r"
    assert bounces.read(mime.read(text.encode())).meaning == DEAD


def test_a_report_in_html_or_base64_is_read() -> None:
    page = f"<html><body><p>Delivery failed</p><p>&lt;{ADDRESS}&gt;: 550 5.1.1 <b>User</b> unknown</p></body></html>"
    assert read(page, Content_Type="text/html").meaning == DEAD
    coded = "QWN0aW9uOiBmYWlsZWQKU3RhdHVzOiA1LjEuMQo="  # Action: failed, Status: 5.1.1
    found = read(
        f"--xx\nContent-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\n{coded}\n--xx--",
        Content_Type="multipart/report; boundary=xx",
    )
    assert (found.outcome, found.meaning) == ("failed", DEAD)


# --- not bounces ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {"Auto_Submitted": "auto-replied (vacation)"},
        {"X_Autoreply": "yes"},
        {"X_Apple_Action": "VACATION"},
        {"Subject": "Out of office: Your turn"},
        {"Subject": "Automatische Antwort: Your turn"},
    ],
)
def test_an_out_of_office_note_is_none(fields: dict[str, str]) -> None:
    text = "This address is no longer in use; the mailbox does not exist from May on. 550 User unknown."
    assert read(text, **{"From": "Anna <anna@example.org>", "Subject": "Re: x", **fields}).outcome == "autoreply"


def test_what_nobody_understands_is_unread_with_its_subject() -> None:
    found = read("Hello there, how are you?", From="Anna <anna@example.org>", Subject="A question")
    assert (found.outcome, found.words) == ("unread", "A question")


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("abuse", "complaint"),
        ("opt-out", "complaint"),
        ("Fraud", "complaint"),
        ("not-spam", "unread"),
        ("auth-failure", "unread"),
    ],
)
def test_a_feedback_report_is_a_complaint_where_a_reader_complains(kind: str, outcome: str) -> None:
    part = f"--xx\n\nAn abuse report.\n\n--xx\nContent-Type: message/feedback-report\n\nFeedback-Type: {kind}\nVersion: 1\n\n"
    found = read(
        part + "--xx\nContent-Type: message/rfc822\n\nSubject: x\n\nx\n--xx--", Content_Type="multipart/report; boundary=xx"
    )
    assert found.outcome == outcome


def test_complaints_of_services_without_feedback_reports_are_complaints() -> None:
    assert read("x", From="staff@hotmail.com", Subject="complaint about message from 192.0.2.2").outcome == "complaint"
    assert (
        read('{"notificationType":"Complaint"}', From="no-reply@sns.test", Subject="AWS Notification Message").outcome
        == "complaint"
    )


# --- time -----------------------------------------------------------------------------------------------------------------

UNITS = [
    "\n",
    "\n\n",
    "a@b.c:\n",
    "550 ",
    "550 user",
    "deliver",
    "fail",
    "<a",
    "unknown ",
    "user ",
    " \n",
    "x y ",
    "(#5.1.1)\n\n",
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_bounce_takes_longer_than_its_size_allows(unit: str) -> None:
    body = unit * (900_000 // len(unit))
    for message in (
        f"From: MAILER-DAEMON@x\n\n{body}",
        f"From: x@y\nSubject: {body.replace(chr(10), ' ')}\n\nx",
        f"Content-Type: multipart/report; boundary=xx\n\n--xx\nContent-Type: message/delivery-status\n\nAction: failed\n{body}",
    ):
        part = mime.read(message.encode())
        began = time.thread_time()
        bounces.read(part, ADDRESS)
        assert time.thread_time() - began < 2


# --- what the mail server answers at once -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "words", "to_address", "meaning"),
    [
        (550, "5.1.1 No such Earl here", True, DEAD),
        (550, "User unknown", True, DEAD),
        (550, "No", True, DEAD),
        (550, "User unknown", False, LETTER),
        (550, "5.7.1 Rejected by policy", True, LETTER),
        (550, "5.2.1 Mailbox disabled", True, LETTER),
        (554, "Blocked", True, LETTER),
        (552, "5.2.2 Mailbox full", True, LATER),
        (552, "Mailbox full", True, LATER),
        (552, "Message too big", False, LETTER),
        (552, "5.3.4 Message size exceeds the limit", False, LETTER),
        (550, "5.4.1 Recipient address rejected: Access denied", True, DEAD),
        (451, "5.1.1 No such user", True, LATER),
        (450, "User unknown", True, LATER),
    ],
)
def test_an_smtp_reply_is_classified_by_the_same_table(code: int, words: str, to_address: bool, meaning: str) -> None:
    assert refusals.meaning(code, words, to_address) == meaning
