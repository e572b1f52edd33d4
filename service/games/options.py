"""Optional rules and house rulings of a game in its lobby."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlmodel import Session

from engine.core.asks import SEATS, Answer, NotUnderstood
from engine.core.asks import check as checked
from engine.core.chance import Chance
from engine.games import game_called
from service.common import text_input
from service.common.messages import sentence
from service.errors import NotAllowed
from service.games import lobby, terms
from service.store import rulings
from service.store.models import Account, Match

LONGEST_FILE = 200_000
"""Bytes of a host's own file."""


def has_options(match: Match) -> bool:
    variants = game_called(match.game).rules.variants
    return bool(variants.file) or any(option.fields for option in variants.ask(match.seats).options)


def set_options(session: Session, match: Match, by: Account, answer: Answer, file_text: str = "") -> None:
    """Set all options, perhaps with the host's file. Raises Refused for unknown or contradictory ones."""
    match = lobby.locked(session, match, by)
    game = game_called(match.game)
    if not has_options(match):
        raise NotAllowed(sentence("%(game)s has no optional rules to choose.", game=game.title))
    if file_text and not game.rules.variants.file:
        raise NotUnderstood(sentence("%(game)s takes no file of the host's own.", game=game.title))
    check_file(file_text)
    read = game.rules.variants.read(match.seats, checked(game.rules.variants.ask(match.seats), answer), file_text)
    options: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(read))
    # Trial setup: refuse now what can't start.
    game.rules.setup(list(SEATS[: match.seats]), options, Chance(secrets.token_hex(16)))
    with terms.changing(session, match):
        match.options = options | rulings.stored(match.game, rulings.unusual(match))
        session.flush()
    lobby.start_when_full(session, match)


def check_file(file_text: str, most: int = LONGEST_FILE) -> None:
    """Raise NotUnderstood for a file that is too long or has unprintable characters."""
    if len(file_text.encode("utf-8", "replace")) > most:
        raise NotUnderstood(sentence("The file is too long; at most %(most)s KB fit.", most=most // 1000))
    if any((ord(c) < 32 and c not in "\n\r\t") or "\ud800" <= c <= "\udfff" for c in file_text):
        raise NotUnderstood(sentence("The file has characters that can't be shown; use plain text."))
    if text_input.piled(_unescaped(file_text)):
        raise NotUnderstood(sentence("The file has more than three marks on one letter; leave some of them out."))


def _unescaped(file_text: str) -> str:
    try:
        return json.dumps(json.loads(file_text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return file_text


def set_rulings(session: Session, match: Match, by: Account, wanted: Mapping[str, str]) -> None:
    """Set all rulings, by default the game's. Raises NotUnderstood, or NotAllowed after the start or unless `by` is host."""
    match = lobby.locked(session, match, by)
    ruled = rulings.stored(match.game, wanted)
    with terms.changing(session, match):
        match.options = rulings.plain(match.options) | ruled
        session.flush()
    lobby.start_when_full(session, match)


def told_rules(match: Match) -> list[str]:
    return [*rulings.told_options(match), *rulings.told(match)]
