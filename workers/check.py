"""`writ check`: runs all checks, and sends a test letter on request. The sweep runs them hourly."""

from __future__ import annotations

import contextlib
import smtplib
from collections.abc import Iterator
from email.message import EmailMessage
from email.utils import format_datetime, localtime, make_msgid, parseaddr
from urllib.parse import urlsplit

import click

from service.common import headers
from service.ops import checks
from service.ops.checks import Finding
from service.ops.logs import mask
from service.settings import Settings, load
from service.store import queue
from workers import retention
from workers.letters import delivery, smtp

MARKS = {"ok": "ok   ", "wrong": "WRONG", "unknown": "?    "}


def run(send_to: str) -> int:
    """Print the findings; exit code 1 if one is wrong."""
    wrong = False
    for finding in _findings(load(), send_to):
        click.echo(f"{MARKS[finding.state]} {finding.what}: {finding.words}")
        wrong = wrong or finding.state == "wrong"
    return int(wrong)


def _findings(settings: Settings, send_to: str) -> Iterator[Finding]:
    yield from checks.all_checks(settings)
    yield from mail_server(settings)
    if send_to:
        yield send_test_letter(settings, send_to)


def renew(settings: Settings) -> None:
    if retention.once_an_hour(settings, "check"):
        queue.send(settings, queue.CHECK)


def store(settings: Settings) -> None:
    """Run all checks and store the findings, if a slot for game letters is free."""
    with delivery.letter_slot(settings) as slot:
        if slot is not None and not delivery.is_last(settings, slot):
            checks.store(settings, _findings(settings, ""))


def mail_server(settings: Settings) -> Iterator[Finding]:
    """Check EHLO, TLS, login and sender."""
    if not settings.smtp_url:
        state: checks.State = "unknown" if settings.local else "wrong"
        yield Finding(
            "mail server", state, f"letters are kept in {settings.maildir}; WRIT_SMTP_URL names the server that sends them"
        )
        return
    offered = _offered(settings)
    if isinstance(offered, str):
        yield Finding("mail server", "wrong", f"{_name(settings)} can't be used: {mask(offered)}")
        return
    offers = " and ".join(offered) or "neither TLS nor login"
    yield Finding("mail server", "ok", f"{_name(settings)} answers EHLO and offers {offers}")
    try:
        with contextlib.closing(smtp.Relay(settings)) as relay:
            relay.probe(settings.mail_address)
    except smtp.NotSent as problem:
        yield Finding("mail server", "wrong", mask(str(problem.words)))
        return
    user = urlsplit(settings.smtp_url).username
    tls = "with TLS" if "TLS" in offered and settings.smtp_starttls != "never" else "without TLS"
    login = "signed in" if user else "without login"
    state = "ok" if tls == "with TLS" or settings.smtp_url.startswith("smtps:") else "unknown"
    yield Finding("mail server", state, f"it is reached {tls}, {login}, and accepts {settings.mail_address} as sender")


def _offered(settings: Settings) -> list[str] | str:
    secure = urlsplit(settings.smtp_url).scheme == "smtps"
    try:
        with contextlib.closing(smtp.connect(settings.smtp_url)) as server:
            code, said = server.ehlo()
            if code // 100 != 2:
                return f"it refuses EHLO: {code} {said.decode(errors='replace')}"
            found = ["TLS"] if secure or server.has_extn("starttls") else []
            return found + (["login"] if server.has_extn("auth") else [])
    except (OSError, smtplib.SMTPException) as problem:
        return f"{type(problem).__name__}: {problem}"


def _name(settings: Settings) -> str:
    parts = urlsplit(settings.smtp_url)
    return f"{parts.hostname}:{parts.port or (465 if parts.scheme == 'smtps' else 25)}"


def send_test_letter(settings: Settings, address: str) -> Finding:
    """Send a test letter by the relay, and report the result."""
    if not settings.smtp_url:
        return Finding("test letter", "wrong", "it is not sent: WRIT_SMTP_URL names no mail server")
    if not headers.is_mailbox(address):
        return Finding("test letter", "wrong", f"“{address[:60]}” is no e-mail address; one looks like alys@example.org")
    letter, recipient = EmailMessage(), parseaddr(address)[1]
    letter["To"] = recipient
    letter["From"], letter["Subject"] = settings.mail_from, "A test letter from Writ"
    letter["Date"], letter["Message-ID"] = format_datetime(localtime()), make_msgid(domain=settings.mail_host)
    letter.set_content(
        f"This letter was sent by `writ check` for {settings.base_url}.\n\n"
        "If you read it, letters reach you. Its header “Authentication-Results” says what your mail server\n"
        "thinks of SPF, DKIM and DMARC.\n"
    )
    made = letter.as_bytes(policy=letter.policy.clone(linesep="\r\n"))
    try:
        with contextlib.closing(smtp.Relay(settings)) as relay:
            reply = relay.send(settings.mail_address, recipient, made)
    except smtp.NotSent as problem:
        return Finding("test letter", "wrong", f"it is not sent: {mask(str(problem.words))}")
    return Finding("test letter", "ok", f"the mail server has taken it: {mask(reply)[:200]}")
