"""A mail server for the soak run: `sink.py PORT MAILDIR`. It refuses one letter in twelve for now, as busy servers do."""

from __future__ import annotations

import asyncio
import mailbox
import random
import sys
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session


class Sink:
    """Puts every letter that it accepts into a Maildir, before it says so."""

    def __init__(self, folder: str) -> None:
        self.box = mailbox.Maildir(folder, create=True)
        self.rng = random.Random()

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        if self.rng.random() < 1 / 12:
            return "451 4.3.0 Too busy just now, try again later"
        self.box.add(envelope.content or b"")
        return "250 2.0.0 Kept"


async def main(port: int, folder: str) -> None:
    handler: Any = Sink(folder)
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(handler), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
