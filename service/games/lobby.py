"""A game before its start: opening, inviting, joining, leaving, filling with bots, starting, calling off."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import func
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from engine import match as matches
from engine.asks import Answer, NotLegal, NotUnderstood
from engine.asks import check as checked
from engine.chance import Chance
from engine.game import Game, options_of
from engine.games import GAMES, game_called
from service.clock.pace import Pace, check, stored
from service.errors import NotAllowed, NotFound, Taken
from service.games import boards, guides, handover, journal, names, shuffle
from service.ground.phrases import Listed, nsentence, sentence
from service.people.accounts import by_email, by_id, clean_email, clean_name, shown_name
from service.post import letters, links
from service.store import limits, queue, rulings
from service.store.models import Account, AskRow, Link, Match, MatchStatus, SeatRow, SeatStatus, now
from service.store.sealing import mark

COLOURS = {
    "red": sentence("red"),
    "blue": sentence("blue"),
    "green": sentence("green"),
    "yellow": sentence("yellow"),
    "purple": sentence("purple"),
    "black": sentence("black"),
}
"""The colours of the seats, in their order, and what they are called."""
LETTERS = "abcdef"
LONGEST_NAME = 60
LONGEST_FILE = 200_000
"""Bytes of a host's own file."""
MOST_AT_ONCE = 20
"""Addresses that are invited by one form."""
MOST_OPEN = 40
"""Unfinished games that one person may host at a time."""


TOO_LATE = {
    MatchStatus.RUNNING: sentence("The game has started; that can only be done before its start."),
    MatchStatus.FINISHED: sentence("The game is over; that can only be done before its start."),
    MatchStatus.CANCELLED: sentence("The game was called off; that can only be done before its start."),
}


@dataclass(frozen=True)
class Listing:
    """A match in somebody's list; `asked` when it waits for that person."""

    match: Match
    seats: list[SeatRow]
    asked: bool = False


# --- the games ---------------------------------------------------------------------------------------------------------


def offered() -> list[Game]:
    """The games that can be opened: those of the one table whose boards and words are whole."""
    return [game for game in GAMES.values() if boards.fault(game) is None]


def bots_of(game: Game) -> list[str]:
    """The bots of a game, the most sensible first."""
    return list(game.bots)[::-1]


# What a list of games doesn't show isn't read, and least of all unsealed.
PLACED = tuple(defer(getattr(Match, name)) for name in ("seed", "header", "halt", "watch_key", "share_key"))
LIGHT = (*PLACED, defer(Match.snapshot))  # type: ignore[arg-type]  # on the class it is the column, not bytes
LIGHT_SEAT = tuple(defer(getattr(SeatRow, name)) for name in ("prepared", "orders", "advance", "notes"))
MOST_LISTED = 200
"""Games of one person in a list."""
PAGE = 30
"""Games that are over, on one page of it."""


# --- looking ----------------------------------------------------------------------------------------------------------


def by_match_id(session: Session, id: str) -> Match:
    """The match of that id. Raises NotFound."""
    match = session.get(Match, id)
    if match is None:
        raise NotFound(sentence("There is no such game."))
    return match


def seats_of(session: Session, match: Match) -> list[SeatRow]:
    """The seats in clockwise order."""
    return list(session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)))


def seat_of(session: Session, match: Match, account: Account) -> SeatRow | None:
    """The seat of a person in the match."""
    return session.exec(select(SeatRow).where(SeatRow.match_id == match.id, SeatRow.account_id == account.id)).first()


def games_of(session: Session, account: Account) -> list[Listing]:
    """The games in which the person sits or is host, newest first."""
    return _listed(session, account, session.exec(_mine(account).limit(MOST_LISTED)).all())


def page_of_games(session: Session, account: Account, number: int = 1) -> tuple[list[Listing], int, int]:
    """The same without those that are over, but for a page of them; its number, and how many pages there are of those. With
    the positions of those that run, which the list shows something of."""
    over = col(Match.status).in_((MatchStatus.FINISHED, MatchStatus.CANCELLED))
    count = select(func.count()).select_from(_mine(account).where(over).with_only_columns(Match.id).order_by(None).subquery())
    pages = max(1, -(-session.exec(count).one() // PAGE))
    number = min(max(1, number), pages)
    going = session.exec(_mine(account, PLACED).where(~over).limit(MOST_LISTED)).all()
    past = session.exec(_mine(account).where(over).offset((number - 1) * PAGE).limit(PAGE)).all()
    return _listed(session, account, [*going, *past]), number, pages


def _mine(account: Account, unread: tuple[Any, ...] = LIGHT) -> Any:
    mine = select(SeatRow.match_id).where(SeatRow.account_id == account.id)
    found = select(Match).where((col(Match.id).in_(mine)) | (Match.host_id == account.id))
    return found.order_by(col(Match.created_at).desc()).options(*unread)


def _listed(session: Session, account: Account, matches: Sequence[Match]) -> list[Listing]:
    seats, asked = seats_of_all(session, matches), _asked(session, account)
    return [Listing(match, seats[match.id], match.id in asked) for match in matches]


def _asked(session: Session, account: Account) -> set[str]:
    """The running games in which a person is asked something."""
    open_ = (
        select(AskRow.match_id)
        .join(SeatRow, (col(SeatRow.match_id) == AskRow.match_id) & (col(SeatRow.seat) == AskRow.seat))
        .join(Match, (col(Match.id) == AskRow.match_id) & (col(Match.serial) == AskRow.serial))
        .where(SeatRow.account_id == account.id, Match.status == MatchStatus.RUNNING, col(AskRow.answered_at).is_(None))
    )
    return set(session.exec(open_))


def seats_of_all(session: Session, matches: Iterable[Match]) -> dict[str, list[SeatRow]]:
    """The seats of several matches, by match, in clockwise order."""
    found: dict[str, list[SeatRow]] = {match.id: [] for match in matches}
    rows = select(SeatRow).where(col(SeatRow.match_id).in_(found)).order_by(SeatRow.seat)
    for seat in session.exec(rows.options(*LIGHT_SEAT)) if found else ():
        found[seat.match_id].append(seat)
    return found


def open_games(session: Session) -> list[Listing]:
    """The games that anybody may join, newest first."""
    found = (
        select(Match).where(Match.status == MatchStatus.LOBBY, Match.access == "open").order_by(col(Match.created_at).desc())
    )
    matches = session.exec(found.options(*LIGHT).limit(100)).all()
    seats = seats_of_all(session, matches)
    return [Listing(match, seats[match.id]) for match in matches]


# --- before the start -------------------------------------------------------------------------------------------------


def open_match(
    session: Session,
    host: Account,
    name: str,
    game: str,
    seats: int,
    access: str = "invited",
    options: Mapping[str, Any] | None = None,
    pace: Pace | None = None,
    word: str = "",
    ruled: Mapping[str, str] | None = None,
    seat: str = LETTERS[0],
) -> Match:
    """A new game in which the host has a seat, the first; `word` is his own for the shuffles, `ruled` his house rulings.

    Its seed is drawn here, and nowhere again. Raises NotUnderstood for what doesn't fit, NotAllowed for too many."""
    found = game_called(game)
    if found not in offered():
        raise NotUnderstood(
            boards.fault(found)
            or sentence(
                "%(game)s can't be opened here; there is: %(games)s.",
                game=found.title,
                games=Listed([g.title for g in offered()]),
            )
        )
    if not found.least <= seats <= found.most:
        raise NotUnderstood(
            nsentence(
                "%(game)s is for %(least)s to %(num)s player, not %(given)s.",
                "%(game)s is for %(least)s to %(num)s players, not %(given)s.",
                found.most,
                game=found.title,
                least=found.least,
                given=seats,
            )
        )
    if access not in ("invited", "open"):
        raise NotUnderstood(sentence("A game is by invitation or open to all; choose one of the two."))
    limits.one_at_a_time(session, host)
    hosted = session.exec(
        select(Match.id).where(Match.host_id == host.id, col(Match.status).in_((MatchStatus.LOBBY, MatchStatus.RUNNING)))
    )
    if len(hosted.all()) >= MOST_OPEN:
        raise NotAllowed(
            nsentence(
                "You host %(num)s unfinished game; finish it or call it off before you open another.",
                "You host %(num)s unfinished games; finish or call off one before you open another.",
                MOST_OPEN,
            )
        )
    match = Match(
        name=clean_name(name, "name of the game", LONGEST_NAME),
        game=game,
        seats=seats,
        access=access,
        options=(dict(options) if options else options_of(found, seats, "")) | rulings.stored(game, ruled or {}),
        pace=stored(check(pace or Pace())),
        host_id=host.id,
        seed=secrets.token_bytes(32),
    )
    session.add(match)
    session.flush()
    for letter, colour in zip(LETTERS[:seats], COLOURS, strict=False):
        session.add(SeatRow(match_id=match.id, seat=letter, colour=colour))
    session.flush()
    _sit(session, match, _seat(session, match, seat), host, word)
    return match


def _locked(session: Session, match: Match) -> Match:
    """The match with its row locked, so that two people can't take one seat."""
    found = session.exec(
        select(Match).where(Match.id == match.id).with_for_update().execution_options(populate_existing=True)
    ).one()
    if found.status != MatchStatus.LOBBY:
        raise NotAllowed(TOO_LATE[found.status])
    return found


def _host_only(match: Match, by: Account) -> None:
    if match.host_id != by.id:
        raise NotAllowed(sentence("Only the host of this game can do that."))


def _sit(session: Session, match: Match, seat: SeatRow, account: Account, word: str) -> None:
    handover.clean(seat)
    others = [s.name for s in seats_of(session, match) if s.seat != seat.seat]
    seat.account_id, seat.status = account.id, SeatStatus.TAKEN
    seat.name = names.distinct(shown_name(account, seat.seat), others, seat.seat)
    seat.entropy = shuffle.of_word(word)
    session.add(seat)
    session.flush()


def take(session: Session, match: Match, seat: SeatRow, account: Account, word: str = "") -> None:
    """Let a person sit down on a seat that is free or promised to them, and begin if it was the last.

    Raises Taken for who sits there already.
    """
    match = _locked(session, match)
    if seat_of(session, match, account) is not None:
        raise Taken(sentence("You have a seat in this game already."))
    _sit(session, match, seat, account, word)
    start_when_full(session, match)


def _free(session: Session, match: Match) -> SeatRow:
    for seat in seats_of(session, match):
        if seat.status == SeatStatus.EMPTY:
            return seat
    raise Taken(sentence("All seats of this game are taken or promised."))


def invite(session: Session, match: Match, by: Account, email: str) -> SeatRow:
    """Promise a seat to an address and queue the invitation. Raises Refused for a bad or an already invited address.

    An address whose owner sits there is invited like any other: that it is theirs is not the host's to learn.
    """
    match = _locked(session, match)
    _host_only(match, by)
    email = clean_email(email)
    if email == by.email:
        raise Taken(sentence("You have a seat in this game already."))
    # To whom a seat is promised by name, nobody learns by guessing.
    if any(seat.invited_email == email and not seat.name for seat in seats_of(session, match)):
        raise Taken(sentence("%(email)s is invited already; “Send again” stands beside the seat.", email=email))
    seat = _free(session, match)
    promise(session, match, seat, by, email)
    return seat


def promise(session: Session, match: Match, seat: SeatRow, by: Account, email: str, name: str = "") -> None:
    """Promise a free seat to an address, and queue the invitation; with `name` its host knows the guest by that alone.

    Raises NotLegal where enough invitations went out.
    """
    limits.invitation(session, by.id, email)
    handover.clean(seat)
    seat.status, seat.invited_email, seat.name = SeatStatus.INVITED, email, name
    seat.key_generation += 1
    session.add(seat)
    session.flush()
    letters.invitation(session, match, seat, by, links.invite_link(session, match, seat))


def invite_all(session: Session, match: Match, by: Account, text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Invite several addresses, with commas, semicolons, spaces or line ends between; a seat each.

    Those that were invited, and those that were not, each with a sentence that says why. Raises NotUnderstood for none at all,
    NotAllowed for who isn't the host.
    """
    _host_only(match, by)
    wanted = list(dict.fromkeys(re.split(r"[\s,;]+", text.strip(" \t\r\n,;"))))
    if not wanted[0]:
        raise NotUnderstood(sentence("No address is there; write one or several, each on a line of its own."))
    if len(wanted) > MOST_AT_ONCE:
        raise NotUnderstood(
            nsentence(
                "These are %(num)s address; at most %(most)s are invited at once.",
                "These are %(num)s addresses; at most %(most)s are invited at once.",
                len(wanted),
                most=MOST_AT_ONCE,
            )
        )
    done: list[str] = []
    refused: list[tuple[str, str]] = []
    for email in wanted:
        try:
            with session.begin_nested():
                invite(session, match, by, email)
            done.append(email)
        except (NotUnderstood, NotLegal, Taken) as why:
            refused.append((email, str(why)))
    return done, refused


def resend_invitation(session: Session, match: Match, by: Account, seat_letter: str) -> None:
    """Queue the invitation once more. Raises Refused when nobody is invited to the seat."""
    match = _locked(session, match)
    _host_only(match, by)
    seat = _seat(session, match, seat_letter)
    if seat.status != SeatStatus.INVITED:
        raise NotAllowed(sentence("Nobody is invited to this seat."))
    limits.invitation(session, by.id, seat.invited_email)
    letters.invitation(session, match, seat, by, links.invite_link(session, match, seat))


def _seat(session: Session, match: Match, letter: str) -> SeatRow:
    seat = session.get(SeatRow, (match.id, letter), populate_existing=True)
    if seat is None:
        raise NotFound(sentence("This game has no seat “%(seat)s”.", seat=letter[:5]))
    return seat


def accept(session: Session, link: Link, word: str = "") -> tuple[Account, Match]:
    """Take the seat of an invitation, with a word for the shuffles; the link proves the address. Accepting twice is once."""
    match = by_match_id(session, link.match_id or "")
    seat = _seat(session, match, link.seat)
    if seat.status == SeatStatus.TAKEN and seat.account_id:
        return by_id(session, seat.account_id), match
    match = _locked(session, match)
    seat = _seat(session, match, link.seat)
    account = by_email(session, seat.invited_email)
    take(session, match, seat, account, word)
    return account, match


def decline(session: Session, link: Link) -> Match:
    """Turn an invitation down; the seat is free again. Declining twice is once."""
    match = by_match_id(session, link.match_id or "")
    if match.status != MatchStatus.LOBBY:
        return match
    match = _locked(session, match)
    seat = _seat(session, match, link.seat)
    if seat.status == SeatStatus.INVITED:
        who = seat.name or seat.invited_email
        handover.empty(session, match, seat)
        letters.declined(session, match, by_id(session, match.host_id), who)
    return match


def join(session: Session, match: Match, account: Account, word: str = "", share: str = "") -> SeatRow:
    """Take a free seat of an open game, or with the key of its `share` link of any, with a word for the shuffles.

    Raises Taken when somebody was faster, NotAllowed when the game is by invitation and the link isn't, or no longer, its own.
    """
    match = _locked(session, match)
    if seat_of(session, match, account) is not None:
        raise Taken(sentence("You have a seat in this game already."))
    if match.access != "open" and not (share and secrets.compare_digest(share, match.share_key)):
        raise NotAllowed(sentence("This game is by invitation; ask its host for one."))
    seat = _free(session, match)
    _sit(session, match, seat, account, word)
    start_when_full(session, match)
    return seat


def share(session: Session, match: Match, by: Account, on: bool) -> None:
    """Give the table a fresh address at which anybody who has it may join, or none; the old one opens nothing from then on."""
    match = _locked(session, match)
    _host_only(match, by)
    match.share_key = secrets.token_urlsafe(18) if on else ""
    match.share_mark = mark(match.share_key)
    session.add(match)
    session.flush()


def shared(session: Session, key: str) -> Match:
    """The table behind a share link. Raises NotFound, for one that was withdrawn as for one that never was."""
    match = session.exec(select(Match).where(Match.share_mark == mark(key))).first() if key else None
    if match is None or match.status != MatchStatus.LOBBY:
        raise NotFound(
            sentence("This link opens no table; it has begun or was called off, or its host has withdrawn the link.")
        )
    return match


def leave(session: Session, match: Match, account: Account) -> None:
    """Give a seat up before the start. The host can't: he calls the game off instead."""
    match = _locked(session, match)
    seat = seat_of(session, match, account)
    if seat is None:
        raise NotAllowed(sentence("You have no seat in this game."))
    if match.host_id == account.id:
        raise NotAllowed(sentence("You are the host; call the game off, or let others join."))
    handover.empty(session, match, seat)


def clear_seat(session: Session, match: Match, by: Account, letter: str) -> None:
    """The host takes back an invitation, a bot or a player's seat before the start."""
    match = _locked(session, match)
    _host_only(match, by)
    seat = _seat(session, match, letter)
    if seat.account_id == by.id:
        raise NotAllowed(sentence("That is your own seat."))
    handover.empty(session, match, seat)


def add_bot(session: Session, match: Match, by: Account, bot: str | None = None) -> SeatRow:
    """Give a free seat to a bot, the most sensible one where none is named. Raises Refused for one that the game hasn't got."""
    match = _locked(session, match)
    _host_only(match, by)
    bots = bots_of(GAMES[match.game])
    bot = bots[0] if bot is None else bot
    if bot not in bots:
        raise NotUnderstood(sentence("There is no bot “%(bot)s”; there is: %(bots)s.", bot=bot[:20], bots=Listed(sorted(bots))))
    seat = _free(session, match)
    others = [s.name for s in seats_of(session, match) if s.seat != seat.seat]
    handover.clean(seat)
    seat.status, seat.bot = SeatStatus.TAKEN, bot
    seat.name = names.distinct(f"{bot.capitalize()} {seat.seat.upper()}", others, seat.seat)
    session.add(seat)
    session.flush()
    start_when_full(session, match)
    return seat


def set_colour(session: Session, match: Match, account: Account, colour: str) -> None:
    """Take a colour that is free; an empty seat that had it takes the old one. Raises Refused if a player has it."""
    match = _locked(session, match)
    if colour not in COLOURS:
        raise NotUnderstood(
            sentence(
                "There is no colour “%(colour)s”; there is: %(colours)s.",
                colour=colour[:20],
                colours=Listed([*COLOURS.values()]),
            )
        )
    own = seat_of(session, match, account)
    if own is None:
        raise NotAllowed(sentence("You have no seat in this game."))
    for seat in seats_of(session, match):
        if seat.colour == colour and seat.seat != own.seat:
            if seat.status == SeatStatus.TAKEN and not seat.bot:
                raise Taken(
                    sentence("%(name)s has %(colour)s already; choose another.", name=seat.name, colour=COLOURS[colour])
                )
            seat.colour = own.colour
            session.add(seat)
    own.colour = colour
    session.add(own)
    session.flush()


def give_word(session: Session, match: Match, account: Account, word: str) -> None:
    """Give one's own word for the shuffles, another one, or none; until the start. It goes when the seat is left."""
    match = _locked(session, match)
    own = seat_of(session, match, account)
    if own is None:
        raise NotAllowed(sentence("You have no seat in this game."))
    own.entropy = shuffle.of_word(word)
    session.add(own)
    session.flush()


def has_options(match: Match) -> bool:
    """Whether there are optional rules that the host can choose."""
    variants = game_called(match.game).variants
    return bool(variants.file) or any(option.fields for option in variants.ask(match.seats).options)


def set_options(session: Session, match: Match, by: Account, answer: Answer, file_text: str = "") -> None:
    """Choose the optional rules of the game: all of them at once, with the host's own file or without.

    Raises Refused for what is not on offer and for rules that don't go together.
    """
    match = _locked(session, match)
    _host_only(match, by)
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
    options: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(read))
    # Set up once for nothing, with chance that is thrown away: what can't be started is refused now.
    game.setup(list(LETTERS[: match.seats]), options, Chance(secrets.token_hex(16)))
    match.options = options | rulings.stored(match.game, rulings.unusual(match))
    session.add(match)
    session.flush()


def set_rulings(session: Session, match: Match, by: Account, wanted: Mapping[str, str]) -> None:
    """Choose the house rulings: all of them at once, and what is left out is as usual.

    Raises NotUnderstood for what there is not to choose, NotAllowed after the start and for others than the host.
    """
    match = _locked(session, match)
    _host_only(match, by)
    match.options = rulings.plain(match.options) | rulings.stored(match.game, wanted)
    session.add(match)
    session.flush()


def told_options(match: Match) -> list[str]:
    """The optional rules that were chosen, a sentence each; nothing for the base game."""
    return game_called(match.game).variants.tell(rulings.plain(match.options))


def told_rules(match: Match) -> list[str]:
    """The optional rules, and the house rulings that are not as usual, a sentence each; nothing for the plain game."""
    return [*told_options(match), *rulings.told(match)]


def let_watch(session: Session, match: Match, by: Account, on: bool) -> None:
    """Say before the start whether spectators may read along: everybody in the lobby sees it, and reads it at the start."""
    match = _locked(session, match)
    _host_only(match, by)
    journal.let_watch(session, match, on)


def prepare(session: Session, match: Match, account: Account, kind: str, move: str) -> None:
    """Keep an answer for the start, secretly: it is played when the seat is asked `kind`. Checked by the caller."""
    match = _locked(session, match)
    own = seat_of(session, match, account)
    if own is None:
        raise NotAllowed(sentence("You have no seat in this game."))
    own.prepared = {**own.prepared, kind: move}
    session.add(own)
    session.flush()


def cancel(session: Session, match: Match, by: Account) -> None:
    """Call the game off; everybody with a seat or an invitation is told."""
    match = _locked(session, match)
    _host_only(match, by)
    match.status = MatchStatus.CANCELLED
    match.share_key = match.share_mark = ""
    session.add(match)
    for seat in seats_of(session, match):
        if seat.account_id and seat.account_id != by.id:
            letters.cancelled(session, match, seat, by_id(session, seat.account_id).email)
        elif seat.invited_email:
            letters.cancelled(session, match, seat, seat.invited_email)
    session.flush()


def start_when_full(session: Session, match: Match) -> bool:
    """Start the game if every seat is taken: fix the header, and let the workers run it to its first question."""
    seats = seats_of(session, match)
    if any(s.status != SeatStatus.TAKEN for s in seats):
        return False
    game = game_called(match.game)
    infos = []
    for seat in seats:
        given = bool(seat.entropy)
        seat.entropy = seat.entropy or secrets.token_hex(16)
        session.add(seat)
        infos.append(matches.SeatInfo(seat.seat, seat.name, seat.entropy, seat.bot, given))
    started = datetime.now(UTC)
    header = matches.Header(
        writ=matches.FORMAT,
        match=match.id,
        game=match.game,
        rules=game.rules,
        options=rulings.plain(match.options),
        seats=infos,
        commitment=match.commitment,
        created=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        rulings=rulings.chosen(match),
    )
    match.options = rulings.plain(match.options)
    match.header = msgspec.json.encode(header).decode()
    match.head = header.hash()
    match.status, match.started_at = MatchStatus.RUNNING, now()
    match.share_key = match.share_mark = ""
    session.add(match)
    session.flush()
    guides.begin(session, match, seats)
    queue.after_commit(session, queue.ADJUDICATE, match.id)
    return True
