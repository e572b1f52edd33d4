"""The optional rules and house rulings of a game that gathers: what its host chooses, and what is told of it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlmodel import Session

from engine.asks import Answer, NotUnderstood
from engine.asks import check as checked
from engine.chance import Chance
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
    """Whether there are optional rules that the host can choose."""
    variants = game_called(match.game).variants
    return bool(variants.file) or any(option.fields for option in variants.ask(match.seats).options)


def set_options(session: Session, match: Match, by: Account, answer: Answer, file_text: str = "") -> None:
    """Choose the optional rules of the game: all of them at once, with the host's own file or without.

    Raises Refused for what is not on offer and for rules that don't go together.
    """
    match = lobby.locked(session, match)
    lobby.host_only(match, by)
    game = game_called(match.game)
    if not has_options(match):
        raise NotAllowed(sentence("%(game)s has no optional rules to choose.", game=game.title))
    if file_text and not game.variants.file:
        raise NotUnderstood(sentence("%(game)s takes no file of the host's own.", game=game.title))
    if len(file_text.encode("utf-8", "replace")) > LONGEST_FILE:
        raise NotUnderstood(sentence("The file is too long; at most %(most)s KB fit.", most=LONGEST_FILE // 1000))
    if any((ord(c) < 32 and c not in "\n\r\t") or "\ud800" <= c <= "\udfff" for c in file_text):
        raise NotUnderstood(sentence("The file has characters that cannot be written; a file of plain text is wanted."))
    read = game.variants.read(match.seats, checked(game.variants.ask(match.seats), answer), file_text)
    if text_input.piled(_unescaped(file_text)):
        raise NotUnderstood(sentence("The file has more than three marks on one letter; leave some of them out."))
    options: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(read))
    # Set up once for nothing, with chance that is thrown away: what can't be started is refused now.
    game.setup(list(lobby.LETTERS[: match.seats]), options, Chance(secrets.token_hex(16)))
    with terms.changing(session, match):
        match.options = options | rulings.stored(match.game, rulings.unusual(match))
        session.add(match)
        session.flush()
    lobby.start_when_full(session, match)


def _unescaped(file_text: str) -> str:
    """A file with the characters that JSON writes as escapes; one that is no JSON as it stands."""
    try:
        return json.dumps(json.loads(file_text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return file_text


def set_rulings(session: Session, match: Match, by: Account, wanted: Mapping[str, str]) -> None:
    """Choose the house rulings: all of them at once, and what is left out is as usual.

    Raises NotUnderstood for what there is not to choose, NotAllowed after the start and for others than the host.
    """
    match = lobby.locked(session, match)
    lobby.host_only(match, by)
    ruled = rulings.stored(match.game, wanted)
    with terms.changing(session, match):
        match.options = rulings.plain(match.options) | ruled
        session.add(match)
        session.flush()
    lobby.start_when_full(session, match)


def told_options(match: Match) -> list[str]:
    """The optional rules that were chosen, a sentence each; nothing for the base game."""
    return game_called(match.game).variants.tell(rulings.plain(match.options))


def told_rules(match: Match) -> list[str]:
    """The optional rules, and the house rulings that are not as usual, a sentence each; nothing for the plain game."""
    return [*told_options(match), *rulings.told(match)]
