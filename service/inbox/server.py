"""SMTP server of `writ inbox` (aiosmtpd): which mail it accepts, and how much at once."""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor

import structlog
from aiosmtpd.smtp import SMTP, Envelope

from service.inbox.receiving import LARGEST, UNKNOWN, receive
from service.post import links
from service.settings import Settings

log = structlog.get_logger()

AT_ONCE = 4
"""Messages parsed concurrently."""
WAITING = 40
"""Queued messages; further ones get a 451."""
MOST_RECIPIENTS = 1
"""A message to two letters is two replies, each with its own outcome: mail servers send the rest in another transaction."""
PATIENCE = 60
"""Seconds until an idle connection is closed."""


class Handler:
    """Limits recipients and concurrent messages."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.threads = ThreadPoolExecutor(AT_ONCE, "inbox")
        self.waiting = 0

    async def handle_RCPT(
        self, _server: object, _session: object, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if links.letter_of(self.settings, address) is None:
            return "550 5.1.1 No such address here"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: object, _session: object, envelope: Envelope) -> str:
        if self.waiting >= WAITING:
            return "451 4.3.2 Too much at once; try again later"
        content = envelope.content or b""
        data = content if isinstance(content, bytes) else content.encode(errors="surrogateescape")
        work = functools.partial(receive, self.settings, data, tuple(envelope.rcpt_tos), envelope.mail_from or "")
        self.waiting += 1
        try:
            became = await asyncio.get_running_loop().run_in_executor(self.threads, work)
        except Exception as problem:  # for example no database, or a fault of the rules: the sender retries
            log.warning("mail put off", problem=type(problem).__name__)
            return "451 4.3.0 Try again later"
        finally:
            self.waiting -= 1
        # Nobody can be written to, but the sender's server tells the writer.
        return "550 5.1.1 That letter is not known here; answer on your page" if became == UNKNOWN else "250 2.0.0 Taken"


async def serve(settings: Settings, host: str) -> None:
    """Serve until cancelled. Raises OSError if the port can't be listened on."""
    handler = Handler(settings)

    def connected() -> SMTP:
        # Players' addresses may be in Unicode (RFC 6531); a server that doesn't offer that gets no mail from them.
        return SMTP(handler, data_size_limit=LARGEST, enable_SMTPUTF8=True, timeout=PATIENCE)

    server = await asyncio.get_running_loop().create_server(connected, host, settings.inbox_port)
    await server.serve_forever()
