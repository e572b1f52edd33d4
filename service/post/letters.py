"""The one place where letters are made: rendered whole, text and HTML, and queued as rows in the caller's transaction.

Those about a running game are but owed there, and written as they are sent: many are never needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import css_inline
from sqlmodel import Session, select

from engine.forms import Form
from engine.game import listed
from engine.games import GAMES
from engine.words import ENGLISH, calling, language
from service.clock import pace
from service.clock.lasts import lasts
from service.common.dates import Day, Moment, shown
from service.common.i18n import languages, speaking_to
from service.common.messages import Phrase, as_data, as_text, nsentence, sentence
from service.post import links, waiting_for
from service.post.pixel_art import woven
from service.post.recent_events import Line
from service.post.rendering import render
from service.post.subjects import near, subject
from service.settings import Settings
from service.store import optouts, queue, rulings
from service.store.database import settings_of
from service.store.models import (
    Account,
    AskRow,
    LedgerStatus,
    Letter,
    LetterEvent,
    LetterStatus,
    Link,
    Match,
    SeatRow,
    SeatStatus,
    now,
)
from service.store.seats import called

ANSWERABLE = frozenset(("turn", "offer", "reminder", "started", "talk", "advance_dropped", "reply_refused"))
"""Letters that can be answered by replying to them, where replies reach Writ."""
ASK = "X-Writ-Ask"
"""Header that names the question which a letter asks: a reply answers that one or none."""
KEY = "X-Writ-Seat"
"""Header that names the seat and the generation of its keys: a reply to a letter from before they were renewed is dead."""
MESSAGES = "X-Writ-Messages"
"""Header that names the messages which a letter of talk holds."""
REPLY = "X-Writ-Reply"
"""Header that names the reply which a letter refuses, so that it is refused once."""
WROTE = "X-Writ-Wrote"
"""Header with the words of the reply which a letter refuses, so that a machine that says them again gets no other."""
THREAD = "X-Writ-Thread"
"""Header that names the conversation which a letter is out of, so that a reply finds it."""


@dataclass(frozen=True)
class Draft:
    """What a letter needs before it is rendered."""

    kind: str
    """Its template."""
    to_address: str
    subject: Phrase | str
    context: Mapping[str, Any]
    """What the template gets beside what all of them get."""
    account: Account | None = None
    match: Match | None = None
    seat: SeatRow | None = None
    digest: bool = False
    """Whether its one click ends the letters of all its games."""


def _queue(session: Session, draft: Draft) -> Letter:
    """Render a letter in its reader's language, and queue it."""
    letter = Letter(
        account_id=draft.account.id if draft.account is not None else None,
        to_address=draft.to_address,
        match_id=draft.match.id if draft.match is not None else None,
        seat=draft.seat.seat if draft.seat is not None else "",
        kind=draft.kind,
        subject="",
        text="",
        html="",
        message_id="",
    )
    account = draft.account or session.exec(select(Account).where(Account.email == draft.to_address)).first()
    # Who has no account yet is written to in the language of the game's host.
    host = session.get(Account, draft.match.host_id) if account is None and draft.match is not None else None
    fill(settings_of(session), letter, draft, account, host)
    if letter.kind in optouts.INVITATIONS and optouts.has(session, letter.to_address):
        letter.status, letter.error = LetterStatus.DROPPED, as_text(NOT_WISHED)  # they opted out since they were chosen
    if account is not None:
        _drop_for_banned(letter, account)
    return _post(session, letter, draft.account, draft.seat)


def fill(settings: Settings, letter: Letter, draft: Draft, account: Account | None, host: Account | None = None) -> None:
    """Put a letter into words: text and HTML alike, in its reader's language and zone; nothing is asked of the database."""
    headers = _headers(settings, letter, draft)
    leave = _way_out(settings, letter, draft)
    if leave:
        headers["List-Unsubscribe"] = f"<{leave}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    replies = bool(settings.inbox) and letter.kind in ANSWERABLE
    if replies and letter.account_id is not None:
        headers["Reply-To"] = links.mail_address(settings, "r", letter.id)
    whole = {
        "base_url": settings.base_url,
        "club": settings.club,
        "deadline": None,
        "late": False,
        **draft.context,
        "leave": leave,
        "replies": replies,
        "set_zone": _set_zone(settings, draft, account),
    }
    reader = account or host
    spoken = reader.language if reader is not None else language()
    spoken = spoken if spoken in languages() else ENGLISH
    headers["Content-Language"] = spoken
    own = called(draft.match, {}) if draft.match is not None else {}
    with speaking_to(spoken, account.zone if account is not None else "UTC"), calling(own):
        letter.subject = str(draft.subject)
        letter.text = render(letter.kind, "txt", whole)
        letter.html = css_inline.inline(render(letter.kind, "html", whole), keep_at_rules=True, minify_css=True)
    letter.message_id = f"<{letter.id}@{settings.mail_host}>"
    letter.headers, letter.facts, letter.written_at = headers, {}, now()


def _set_zone(settings: Settings, draft: Draft, account: Account | None) -> str:
    """Where the reader of a game's letter sets the time zone; empty for who has, and in letters about no game."""
    wanted = account is not None and not account.zone_chosen and (draft.match is not None or draft.digest)
    return f"{settings.base_url}/account/rhythm" if wanted else ""


def _post(session: Session, letter: Letter, account: Account | None, seat: SeatRow | None) -> Letter:
    """Queue a letter: at once or as its reader has chosen."""
    _send_as_wished(letter, account, seat)
    session.add(letter)
    if letter.status == LetterStatus.DROPPED:
        session.add(LetterEvent(letter_id=letter.id, status=LedgerStatus.DROPPED, words=letter.error))
    if letter.status == LetterStatus.QUEUED and letter.next_try_at <= now():
        queue.after_commit(session, queue.DELIVER)
    return letter


def owe(
    session: Session,
    kind: str,
    match: Match,
    seat: SeatRow,
    account: Account,
    facts: Mapping[str, Any] | None = None,
    serial: int = 0,
    hold: int = 0,
    headers: Mapping[str, str] | None = None,
) -> Letter:
    """A letter about a game to the person of a seat, to be written when it is sent; see `service.games.writing`.

    With `serial` it is about that ask, `hold` is the seconds until it goes out. Facts are kept as data.
    """
    letter = Letter(
        account_id=account.id,
        to_address=account.email,
        match_id=match.id,
        seat=seat.seat,
        serial=serial,
        kind=kind,
        subject=subject_of(match),
        text="",
        html="",
        message_id="",
        headers=_known_by(kind, seat) | dict(headers or {}),
        facts={name: as_data(fact) for name, fact in (facts or {}).items()},
        next_try_at=now() + timedelta(seconds=hold),
    )
    letter.message_id = f"<{letter.id}@{settings_of(session).mail_host}>"
    _drop_for_banned(letter, account)
    return _post(session, letter, account, seat)


def _known_by(kind: str, seat: SeatRow) -> dict[str, str]:
    """By what a reply to a letter is known as that of the seat's owner; nothing for who leaves it."""
    return {} if kind == "replaced" else {KEY: f"{seat.seat}.{seat.key_generation}"}


def _own_seat(letter: Letter, draft: Draft) -> SeatRow | None:
    """The seat whose owner the letter is to; none for who leaves it, or has not taken it."""
    return draft.seat if letter.account_id is not None and letter.kind != "replaced" else None


def _way_out(settings: Settings, letter: Letter, draft: Draft) -> str:
    """The address that ends such letters with one click; empty where there is none."""
    if draft.digest and draft.account is not None:
        return links.leave_digest_url(settings, letter.id, draft.account)
    if draft.kind in optouts.INVITATIONS:
        return links.no_invitations_url(settings, letter.id)
    row = _own_seat(letter, draft)
    return links.leave_url(settings, row) if row is not None else ""


def _headers(settings: Settings, letter: Letter, draft: Draft) -> dict[str, str]:
    """The headers that tell mail programs what a letter belongs to."""
    host = settings.mail_host
    headers = {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "OOF, AutoReply", **letter.headers}
    if draft.match is not None:
        # One thread a game and reader: a root that no letter carries, named by all of them.
        headers["References"] = f"<{draft.match.id}.{letter.seat or 'x'}@{host}>"
        headers["In-Reply-To"] = headers["References"]
        headers["List-Id"] = f"<{draft.match.id}.{host}>"
    if settings.inbox:
        # Where mail services send complaints (RFC 9477); signed, so that it proves which letter a report is about.
        headers["CFBL-Address"] = f"{links.mail_address(settings, 'b', letter.id)}; report=arf"
    row = _own_seat(letter, draft)
    return headers | (_known_by(letter.kind, row) if row is not None else {})


AT_THE_DOOR = frozenset(("sign_in", "fresh_link", "address_old", "address_new"))
"""Letters that somebody waits for in front of a page: they have a lane of their own, never behind other letters."""
NEWS = frozenset(("talk", "outcome"))
"""Letters that ask nothing and warn of nothing: those who want to hear only when they are asked don't get them."""
URGENT = frozenset(
    (
        "halted",
        "goes_on",
        "outage",
        "offer",
        "reminder",
        "kept",
        "advance_dropped",
        "fresh_link",
        "replaced",
        "reply_refused",
        "notice",
        "declined",
        "terms",
    )
)
"""Letters that don't wait for a digest."""
PATIENT = frozenset(("talk", "digest"))
"""Letters that are tried only once a day where letters come back; all others are tried as if they arrived."""
NOT_WISHED = sentence("not wished")
BANNED, UNBANNED = "banned", "unbanned"
"""Letters that tell a person of a ban, and of its end."""
IS_BANNED = sentence("the account is banned")
OWED = frozenset(("fresh_link", "replaced", "reply_refused", "notice", "terms"))
"""Letters that are sent even to those who want none of this game: answers to what they did, or about what would be taken
from them."""


def may_get(account: Account, kind: str) -> bool:
    """Whether letters of that kind go to an account: to a banned one only the letter that says that it is banned."""
    return account.banned_at is None or kind == BANNED


def _drop_for_banned(letter: Letter, account: Account) -> None:
    if not may_get(account, letter.kind):
        letter.status, letter.error = LetterStatus.DROPPED, as_text(IS_BANNED)


def _send_as_wished(letter: Letter, account: Account | None, seat: SeatRow | None) -> None:
    """Send at once, gather for the digest, or not at all, as the reader has chosen; talk slowly where letters come back."""
    if account is None or letter.status == LetterStatus.DROPPED:
        return
    if letter.match_id is not None and letter.kind not in OWED:
        mode = (seat.letters if seat is not None else "") or account.letters
        if mode == "none" or (mode == "asked" and letter.kind in NEWS):
            letter.status, letter.error = LetterStatus.DROPPED, as_text(NOT_WISHED)
        elif mode == "digest" and letter.kind not in URGENT:
            letter.status = LetterStatus.GATHERED
    if account.bounced_at is not None and letter.kind in PATIENT:
        # Once a day until one arrives again.
        letter.next_try_at = max(letter.next_try_at, account.bounced_at + timedelta(days=1))


def test_letter(session: Session, account: Account) -> Letter:
    """A letter that shows that letters arrive."""
    context = {"to_name": account.name, "link": f"{settings_of(session).base_url}/account/letters"}
    subject = sentence("A letter from Writ, to see whether it arrives")
    return _queue(session, Draft("test", account.email, subject, context, account=account))


def digest(session: Session, account: Account, games: list[dict[str, Any]], until: datetime) -> Letter:
    """All that the time until a moment brought, game by game; each part has what the templates of single letters get."""
    day = Day(until)
    context = {"to_name": account.name, "games": games, "day": day, "moment": lambda at: shown(at, account.zone)}
    return _queue(session, Draft("digest", account.email, _digested(games, day), context, account=account, digest=True))


def _digested(games: list[dict[str, Any]], day: Day) -> Phrase:
    """The subject of a digest: how many games wait, and until when the first of them does."""
    asking = [game for game in games if game["form"] is not None]
    if not asking:
        return sentence("Writ: your games on %(day)s", day=day)
    waits = nsentence("Writ: %(num)s game waits for you", "Writ: %(num)s games wait for you", len(asking))
    due = [game["deadline"].at for game in asking if game["deadline"] is not None and not game["late"]]
    if not due:
        return waits
    return sentence("%(waits)s (by %(when)s)", waits=waits, when=near(min(due)))


def clock_of(ask: AskRow | None) -> dict[str, Any]:
    """What a letter says of the deadline of a question that has been open for a while."""
    due = ask.due_at if ask is not None else None
    told = {"deadline": Moment(due, utc=True), "soon": Moment(due, short=True)} if due else {"deadline": None, "soon": None}
    return {**told, "late": due is not None and due <= now()}


@dataclass(frozen=True)
class Seen:
    """What a seat sees now, in the words of its reader."""

    view: dict[str, Any]
    form: Form | None
    offers: list[Form]
    """What it may do at any time: its powers, and taking back what it has proposed."""
    proposals: list[Form]
    """What others have put to it."""
    waits: set[str]
    """The kinds of these that wait for a safe point."""
    news: list[str]
    story: list[str]
    """The most telling of these."""
    brief: list[str]
    """A line an answer of these, without what comes with every turn where anything else is told."""
    log: list[Line]
    """The news and some of what was before, a line an answer, the newest first."""
    waiting: list[str]
    """The seats that the table waits for, as everybody may know it: while answers lie sealed, all who were asked."""
    serial: int
    n: int
    """The number of entries that it may know of."""
    head: str
    """The chain's head, as far as it may know it."""


def part(match: Match, seat: SeatRow, seen: Seen, link: str, names: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """What the template of a game's letter gets."""
    game = GAMES[match.game]
    return {
        "to_name": seat.name,
        "match": {"name": match.name, "id": match.id},
        "spectators": match.spectators,
        "game": match.game,
        "game_title": game.title,
        "seat": seat.seat,
        "view": seen.view,
        "form": seen.form,
        "board": game.board(seen.view, seen.form, None),
        "offers": seen.offers,
        "proposals": seen.proposals,
        "brief": seen.brief,
        "lately": seen.story,
        "head": seen.head,
        "names": names,
        "waits_for": lambda: waiting_for.said(seen.waiting, names, seat.seat),
        "commitment": match.commitment,
        "entropy": seat.entropy,
        "word": cache(lambda id, home="": game.word(id, names, home)),
        "listed": lambda ids, home="": listed(game, ids, names, home),
        "link": link,
        **more,
    }


def subject_of(match: Match) -> str:
    """The subject of what has not been put into words yet; see `service.post.subjects`."""
    return f"{match.name} · {GAMES[match.game].title}"


def about(account: Account | None, kind: str, match: Match, context: Mapping[str, Any]) -> Phrase | str:
    """The subject of a letter about a game, by what its template gets: what it is and by when, or one thread a game, as its
    reader has chosen."""
    if account is not None and account.subjects == "thread":
        return subject_of(match)
    return subject(kind, match.name, GAMES[match.game].title, context)


def sign_in(session: Session, account: Account, link: Link, why: Phrase | None = None) -> Letter:
    """The letter with a sign-in link; `why`: it comes unasked."""
    url = links.url(settings_of(session), link)
    context = {"to_name": account.name, "link": url, "hours": links.SIGN_IN_HOURS, "why": why}
    return _queue(session, Draft("sign_in", account.email, sentence("Sign in to Writ"), context, account=account))


def ban(session: Session, account: Account) -> Letter:
    """The letter about a ban of the account, with its reason, or about the end of one."""
    kind = UNBANNED if account.banned_at is None else BANNED
    subject = sentence("You can play at Writ again") if kind == UNBANNED else sentence("Your account at Writ is closed for now")
    context = {"to_name": account.name, "why": account.banned_why}
    return _queue(session, Draft(kind, account.email, subject, context, account=account))


def address_change(session: Session, account: Account, kind: str, to_address: str, link: str, **more: Any) -> Letter:
    """A letter about a change of an account's address, by its template, such as `address_old`."""
    subjects = {
        "address_old": sentence("Change your address at Writ?"),
        "address_new": sentence("Is this your address for Writ?"),
        "address_done": sentence("Your letters from Writ go here now"),
        "address_undo": sentence("Your address at Writ was changed"),
    }
    context = {"to_name": account.name, "link": link, **more}
    return _queue(session, Draft(kind, to_address, subjects[kind], context, account=account))


def invitation(session: Session, match: Match, seat: SeatRow, by: Account, link: Link) -> Letter:
    """An invitation to a seat."""
    host = by.name or sentence("The host")
    people = _people(session, match, seat)
    context = {
        "to_name": "",
        "from_name": host,
        "match": {"name": match.name, "id": match.id},
        "game": match.game,
        "game_title": GAMES[match.game].title,
        "seats": match.seats,
        "people": people,
        "lasts": lasts(GAMES[match.game], match.seats, pace.of(match.pace)),
        "with_bots": any(place.state == "bot" for place in people),
        "woven": woven(match.game),
        "pace": pace.told(pace.of(match.pace)),
        "spectators": match.spectators,
        "options": lambda: GAMES[match.game].variants.tell(rulings.plain(match.options)),
        "rulings": lambda: rulings.told(match),
        "commitment": match.commitment,
        "link": links.url(settings_of(session), link),
    }
    title = GAMES[match.game].title
    heading = sentence("%(host)s invites you to “%(match)s” (%(game)s)", host=host, match=match.name, game=title)
    return _queue(session, Draft("invitation", seat.invited_email, heading, context, match=match, seat=seat))


def declined(session: Session, match: Match, host: Account, who: str) -> Letter:
    """Somebody has declined an invitation: to the host, by the address or name that he invited."""
    context = {
        "to_name": host.name,
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "who": who,
        "link": f"{settings_of(session).base_url}/g/{match.id}",
    }
    heading = sentence("%(match)s: an invitation was declined", match=match.name)
    return _queue(session, Draft("declined", host.email, heading, context, account=host, match=match))


@dataclass(frozen=True)
class Place:
    """A seat as an invitation shows it."""

    seat: str
    name: str
    state: str
    """host, sits, bot, you, invited or free."""


def _people(session: Session, match: Match, own: SeatRow) -> list[Place]:
    """Who sits at a table that gathers, in the order of the seats; who is but invited isn't named."""
    found = []
    for row in session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)):
        taken = row.status == SeatStatus.TAKEN
        state = "bot" if row.bot else "host" if row.account_id == match.host_id else "sits"
        state = state if taken else row.status
        found.append(Place(row.seat, row.name if taken else "", "you" if row.seat == own.seat else str(state)))
    return found


def substitute(session: Session, match: Match, seat: SeatRow, link: Link) -> Letter:
    """An invitation to take over a seat of a running game."""
    context = {
        "to_name": "",
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "seats": match.seats,
        "who": seat.name,
        "link": links.url(settings_of(session), link),
    }
    heading = about(None, "substitute", match, context)
    return _queue(session, Draft("substitute", seat.invited_email, heading, context, match=match, seat=seat))


def cancelled(session: Session, match: Match, seat: SeatRow, to_address: str) -> Letter:
    """The game was called off before its start."""
    context = {
        "to_name": seat.name,
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "link": settings_of(session).base_url,
    }
    account = session.get(Account, seat.account_id) if seat.account_id else None
    heading = about(account, "cancelled", match, context)
    return _queue(session, Draft("cancelled", to_address, heading, context, account=account, match=match, seat=seat))


def fresh_link(session: Session, match: Match, seat: SeatRow, account: Account, why: Phrase | None = None) -> Letter:
    """A letter with a new link to a seat, to the seat's own address. `why`: the reason, where nobody asked for it."""
    context = {
        "why": why,
        "to_name": seat.name,
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "link": links.url(settings_of(session), links.turn_link(session, match, seat)),
    }
    heading = about(account, "fresh_link", match, context)
    return _queue(session, Draft("fresh_link", account.email, heading, context, account=account, match=match, seat=seat))


def fresh_keys(session: Session, match: Match, seat: SeatRow) -> None:
    """Make every link of a seat void, and send its owner, if it has one, a new one."""
    links.renew_seat(session, seat)
    account = session.get(Account, seat.account_id) if seat.account_id else None
    if account is not None:
        fresh_link(session, match, seat, account)


def to_seat(
    session: Session,
    kind: str,
    match: Match,
    seat: SeatRow,
    context: Mapping[str, Any] | None = None,
    serial: int = 0,
    hold: int = 0,
    headers: Mapping[str, str] | None = None,
) -> Letter:
    """A letter to the person of a seat about their game, by the template `kind`.

    With `serial` it is about that ask. The template gets `to_name`, `match`, `game_title`, `seat`, `moment` (a time in the
    reader's zone), `link` (to the turn page), and the context.
    """
    account = session.get(Account, seat.account_id)
    assert account is not None
    facts = {"to_name": seat.name, **(context or {})}
    return owe(session, kind, match, seat, account, facts, serial, hold, headers)


def to_host(session: Session, kind: str, match: Match, host: Account) -> Letter:
    """A letter about a game to its host, who has no seat in it."""
    context = {
        "to_name": host.name,
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "link": f"{settings_of(session).base_url}/g/{match.id}/host",
    }
    return _queue(session, Draft(kind, host.email, about(host, kind, match, context), context, account=host, match=match))


def fault_report(session: Session, match: Match, to_address: str, entry: int, problem: str) -> Letter:
    """The rules of a game failed: to those who run the service. What broke exactly stays in the house."""
    context = {
        "to_name": "",
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "entry": entry,
        "problem": problem,
        "link": f"{settings_of(session).base_url}/host",
    }
    return _queue(session, Draft("fault", to_address, sentence("Writ: a game was halted (%(id)s)", id=match.id[:12]), context))
