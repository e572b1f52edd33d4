"""Opened logs: finished games' logs uploaded by anybody, checked in a subprocess, kept in the broker for an hour."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
from sqlalchemy.orm import make_transient_to_detached
from sqlmodel import Session

from engine.core.asks import NotLegal, NotUnderstood
from engine.games import game_called
from engine.language.words import Message, read_said
from engine.play.check_log import Checked
from engine.play.match import Header
from service.common import text_input
from service.common.messages import sentence
from service.errors import NotFound
from service.games import lobby, options
from service.log import packing
from service.settings import Settings
from service.store import broker
from service.store.encryption import Cipher, mark
from service.store.models import Match, MatchStatus, PackedLog, SeatRow

LONGEST = 1_500_000
"""Most bytes of a log."""
MOST_ENTRIES = 3_000
LONGEST_TEXT = options.LONGEST_FILE + 50_000
"""Most bytes of a host's file in a header, into which a shipped file may be merged."""
CPU = 5
"""Seconds; recorded games take less than one."""
MEMORY = 256_000_000
"""Bytes of address space; recorded games take a sixth."""
PATIENCE = 30
"""Timeout of a check in seconds, including the wait for a busy machine."""
KEPT_SECONDS = 60 * 60
AT_ONCE = threading.BoundedSemaphore(2)
"""Concurrent checks in one process."""
COMMAND = (sys.executable, "-P", "-m", "engine.play.check_log")
ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "LD_LIBRARY_PATH")
"""Environment variables passed to the check: none of the settings."""
PURPOSE = "opened"
"""Purpose from which the key for encryption at rest is derived."""


class _Kept(msgspec.Struct):
    header: str
    seed: bytes
    winners: list[str]
    how: str
    entries: bytes
    """As in a packed log."""
    events: bytes


@dataclass(frozen=True)
class Opened:
    """A log as the rows that the viewer reads."""

    match: Match
    seats: list[SeatRow]
    packed: PackedLog


def check(data: bytes) -> Checked:
    """Verify a log. Raises NotUnderstood with the first fault or the limit exceeded, NotLegal while others are checked."""
    if not data:
        raise NotUnderstood(sentence("Choose the file of a log first."))
    if len(data) > LONGEST:
        raise NotUnderstood(sentence("The file is too long; at most %(most)s KB fit.", most=LONGEST // 1000))
    if not AT_ONCE.acquire(timeout=PATIENCE / 3):
        raise NotLegal(sentence("Other logs are being checked just now. Try again in a minute."))
    try:
        found = _run(data)
    finally:
        AT_ONCE.release()
    if not found.holds:
        raise NotUnderstood(_fault(found))
    _check_texts(msgspec.json.decode(found.header, type=Header))
    return found


def _run(data: bytes) -> Checked:
    wanted = (*COMMAND, str(CPU), str(MEMORY), str(MOST_ENTRIES))
    given = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    try:
        done = subprocess.run(wanted, input=data, capture_output=True, timeout=PATIENCE, env=given, check=False)
    except subprocess.TimeoutExpired:
        return Checked(limit="cpu")
    if done.returncode:
        return Checked(limit="cpu" if done.returncode == -signal.SIGXCPU else "memory")
    return msgspec.json.decode(done.stdout, type=Checked)


def _fault(found: Checked) -> Message | str:
    match found.limit:
        case "entries":
            return sentence("The log is too long; at most %(most)s entries fit.", most=MOST_ENTRIES)
        case "game":
            return sentence("Logs of that game can’t be opened here.")
        case "memory":
            return sentence("Checking this log takes more memory than any game’s log does; it isn’t opened.")
        case "cpu":
            return sentence("Checking this log takes longer than any game’s log does; it isn’t opened.")
    if found.line:
        return sentence("Line %(line)s isn’t UTF-8 text; it was changed.", line=found.line)
    why = str(read_said(found.said))
    if found.redacted:
        return sentence("%(why)s Moves are left out of this copy; download the log again when the game is over.", why=why)
    return why


def _check_texts(header: Header) -> None:
    for seat in header.seats:
        name = seat.name
        if not 0 < len(name) <= lobby.LONGEST_NAME or text_input.unfit(name) or text_input.piled(name):
            raise NotUnderstood(sentence("The name at seat %(letter)s can’t be shown; the log isn’t opened.", letter=seat.seat))
    for text in _texts(header.options):
        options.check_file(text, LONGEST_TEXT)


def _texts(options: object) -> Iterator[str]:
    """All strings, without recursion: the depth is untrusted."""
    left: list[object] = [options]
    while left:
        match left.pop():
            case str() as text:
                yield text
            case dict() as fields:
                left += [*fields.keys(), *fields.values()]
            case list() as items:
                left += items


def keep(settings: Settings, found: Checked) -> str:
    """Encrypt and store a log for an hour; returns its key. Raises NotLegal without a broker."""
    rows = packing.packed(found.entries), packing.packed(found.events)
    kept = _Kept(found.header, bytes.fromhex(found.seed), found.winners, found.how, *rows)
    key = secrets.token_urlsafe(24)
    encrypted = Cipher(settings.keys).encrypt(PURPOSE, msgspec.msgpack.encode(kept)).encode()
    if not broker.keep(settings, f"{PURPOSE} {mark(key)}", encrypted, KEPT_SECONDS):
        raise NotLegal(sentence("The log holds, but there is no room to keep it just now. Try again later."))
    return key


def load(settings: Settings, key: str) -> Opened:
    """An opened log by its key. Raises NotFound after the hour."""
    encrypted = broker.kept(settings, f"{PURPOSE} {mark(key)}")
    if encrypted is None:
        raise NotFound(sentence("No log is kept at this address. A log stays for an hour; open it again."))
    kept = msgspec.msgpack.decode(Cipher(settings.keys).decrypt(PURPOSE, encrypted.decode()), type=_Kept)
    header = msgspec.json.decode(kept.header, type=Header)
    id = mark(key)[:32]
    match = Match(
        id=id,
        name=game_called(header.game).title,
        game=header.game,
        options=header.options,
        host_id="",
        status=MatchStatus.FINISHED,
        seats=len(header.seats),
        seed=kept.seed,
        header=kept.header,
        snapshot_n=packing.count(kept.entries),
        serial=1,
        head=id,
        outcome={"winners": kept.winners, "how": kept.how},
    )
    seats = [
        SeatRow(match_id=id, seat=seat.seat, colour=colour, name=seat.name)
        for seat, colour in zip(header.seats, lobby.COLOURS, strict=False)
    ]
    return Opened(match, seats, PackedLog(match_id=id, entries=kept.entries, events=kept.events))


def put_in(session: Session, opened: Opened) -> None:
    """Add the log to a read session as if the database had it."""
    for row in (opened.match, opened.packed):
        make_transient_to_detached(row)
        session.add(row)
