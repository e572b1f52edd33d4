"""SMTP client: one relay connection per batch, with TLS, login, timeouts and errors by stage."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

from engine.language.words import Message
from service.common.messages import sentence
from service.settings import LOOPBACK, Settings

CONNECT, REPLY = 25, 30
"""Timeouts in seconds: connection with greeting, each reply."""
HANDSHAKE, LETTER = 30, 60
"""Total limits in seconds: TLS with login, one letter."""
LONGEST = 3 * CONNECT + HANDSHAKE + LETTER
"""Maximum duration of `Relay.send`; claims must outlast it, or a letter is sent twice."""
SOON = 5
"""Reconnect if a reused connection fails within these seconds."""
FAREWELL = 5
DOT = re.compile(rb"^\.", re.MULTILINE)
TOO_MANY = re.compile(r"too many\b.*\b(session|connection)", re.IGNORECASE | re.DOTALL)
NO_TLS = sentence("The mail server offers no TLS, so the password was not sent (WRIT_SMTP_INSECURE_LOGIN allows it).")
NO_UTF8 = "553 5.6.7 The mail server takes no addresses with such letters before the @ (it offers no SMTPUTF8)"
TLS_WANTED = sentence("The mail server offers no TLS, so nothing was sent (WRIT_SMTP_STARTTLS requires it).")

Stage = Literal["sender", "recipient", "content"]
"""MAIL FROM and before, which concern all letters; RCPT TO; DATA."""


class NotSent(Exception):
    """A letter that wasn't accepted, or perhaps wasn't."""

    def __init__(self, stage: Stage, code: int, words: Message | str, unknown: bool = False) -> None:
        super().__init__(str(words))
        self.stage, self.code, self.words = stage, code, words
        """Reply; code 0: none, the words are ours."""
        self.unknown = unknown
        """The connection broke between DATA and the reply."""

    @property
    def ends_session(self) -> bool:
        """Whether to reconnect: closed, or its quota is used up."""
        return not self.unknown and (self.code in (0, 421) or bool(TOO_MANY.search(str(self.words))))


def connect(url: str) -> smtplib.SMTP:
    """Open a connection, with TLS for `smtps:`, and read the greeting. Raises OSError, SMTPException."""
    parts = urlsplit(url)
    host = parts.hostname or "localhost"
    if parts.scheme == "smtps":
        return smtplib.SMTP_SSL(host, parts.port or 465, timeout=CONNECT, context=ssl.create_default_context())
    return smtplib.SMTP(host, parts.port or 25, timeout=CONNECT)


class Relay:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._server: smtplib.SMTP | None = None
        self._stage: Stage = "sender"
        self.utf8 = False
        """SMTPUTF8 (RFC 6531) is offered."""

    def send(self, sender: str, recipient: str, message: bytes) -> str:
        """Send a message; returns the reply. Retries once if a reused connection fails. Raises NotSent."""
        reused, began = self._server is not None, time.monotonic()
        try:
            return self._try(sender, recipient, message)
        except NotSent as problem:
            if not (reused and problem.ends_session and time.monotonic() - began < SOON):
                raise
        return self._try(sender, recipient, message)

    def probe(self, sender: str, recipient: str = "") -> None:
        """Connect, log in, MAIL FROM, and RCPT TO for a recipient, without a letter. Raises NotSent."""
        with self._session() as server:
            if recipient:
                self._address(server, sender, recipient)
            else:
                self._expect(*server.mail(sender))
            server.rset()

    def close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                if server.sock is not None:
                    server.sock.settimeout(FAREWELL)
                server.quit()
            server.close()

    def _try(self, sender: str, recipient: str, message: bytes) -> str:
        """Send envelope and message in single steps, to know where it fails."""
        with self._session() as server:
            self._address(server, sender, recipient)
            self._stage = "content"
            self._expect(*server.docmd("DATA"), wanted=3)
            # Without the final dot the server doesn't have the whole letter.
            server.send(DOT.sub(b"..", message) + b".\r\n")
            try:
                code, said = server.getreply()
            except (OSError, smtplib.SMTPException) as problem:
                raise NotSent("content", 0, _described(problem), unknown=True) from problem
            if not 200 <= code < 600:
                raise NotSent("content", code, _text(code, said), unknown=True)
            self._expect(code, said)
            return _text(code, said)

    def _address(self, server: smtplib.SMTP, sender: str, recipient: str) -> None:
        options = [] if recipient.isascii() else ["SMTPUTF8"]
        if options and not self.utf8:
            raise NotSent("recipient", 553, NO_UTF8)
        self._expect(*server.mail(sender, options))
        self._stage = "recipient"
        self._expect(*server.rcpt(recipient))

    def _expect(self, code: int, said: bytes, wanted: int = 2) -> None:
        if code // 100 != wanted:
            raise NotSent(self._stage, code, _text(code, said))

    @contextlib.contextmanager
    def _session(self) -> Iterator[smtplib.SMTP]:
        """The connection, for LETTER seconds. Converts network errors to NotSent; resets or closes the connection then."""
        self._stage = "sender"
        try:
            server = self._connected()
            with _limited(server, LETTER):
                yield server
        except NotSent as problem:
            if problem.code <= 0 or problem.unknown or problem.ends_session:
                self._drop()
            else:
                self._reset()
            raise
        except smtplib.SMTPResponseException as problem:
            self._drop()
            raise NotSent(self._stage, problem.smtp_code, _text(problem.smtp_code, problem.smtp_error)) from problem
        except (OSError, smtplib.SMTPException) as problem:
            self._drop()
            raise NotSent(self._stage, 0, _described(problem)) from problem

    def _reset(self) -> None:
        try:
            if self._server is not None and self._server.rset()[0] // 100 != 2:
                self._drop()
        except (OSError, smtplib.SMTPException):
            self._drop()

    def _drop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()

    def _connected(self) -> smtplib.SMTP:
        """The connection after TLS and login. Raises OSError, SMTPException, NotSent."""
        if self._server is None:
            server = connect(self.settings.smtp_url)
            try:
                with _limited(server, HANDSHAKE):
                    self._sign_in(server, urlsplit(self.settings.smtp_url))
            except BaseException:
                server.close()
                raise
            self._server = server
        return self._server

    def _sign_in(self, server: smtplib.SMTP, parts: SplitResult) -> None:
        """EHLO, STARTTLS, login; without TLS only if a setting allows it."""
        if server.sock is not None:
            server.sock.settimeout(REPLY)
        server.ehlo_or_helo_if_needed()
        secure = parts.scheme == "smtps"
        if not secure and self.settings.smtp_starttls != "never" and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
            server.ehlo_or_helo_if_needed()  # EHLO again after STARTTLS
            secure = True
        if not secure and self.settings.smtp_starttls == "required":
            raise NotSent("sender", 0, TLS_WANTED)
        if parts.username:
            if not (secure or parts.hostname in LOOPBACK or self.settings.smtp_insecure_login):
                raise NotSent("sender", 0, NO_TLS)
            server.login(unquote(parts.username), unquote(parts.password or ""))
        self.utf8 = server.has_extn("smtputf8")


@contextlib.contextmanager
def _limited(server: smtplib.SMTP, seconds: float) -> Iterator[None]:
    """Break the connection after `seconds`: a reply's timeout doesn't stop slow single bytes."""
    watch = threading.Timer(seconds, _cut, [server])
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _cut(server: smtplib.SMTP) -> None:
    if server.sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(server.sock, socket.SHUT_RDWR)  # below TLS; the reader gets EOF


def _text(code: int, said: bytes | str) -> str:
    return f"{code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"


def _described(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"
