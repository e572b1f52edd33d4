"""Queues letters in the caller's transaction. Those about a running game are rendered when sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import css_inline
from sqlmodel import Session, col, select

from engine.games import GAMES
from engine.language.i18n import ENGLISH, language, languages
from engine.language.words import Message, as_data, calling
from service.clock import pace
from service.common.dates import Day, Moment, shown
from service.common.i18n import speaking_to
from service.common.messages import as_text, nsentence, sentence
from service.post import links
from service.post.rendering import pixel_art, render
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
    MatchStatus,
    SeatRow,
    SeatStatus,
    now,
)
from service.store.seats import called, seats_of

BOARDS = frozenset(("started", "turn", "offer", "outcome", "reminder", "over"))
"""Letters that show the board or news."""
ANSWERABLE = frozenset(("turn", "offer", "reminder", "started", "talk", "advance_dropped", "reply_refused"))
"""Can be answered by mail, if there is an inbox."""
ASK = "X-Writ-Ask"
"""The asked question; a reply answers that one or none."""
KEY = "X-Writ-Seat"
"""The seat and its key generation; replies with older keys are invalid."""
MESSAGES = "X-Writ-Messages"
"""Ids of messages in a letter of talk."""
REPLY = "X-Writ-Reply"
"""The refused reply, to refuse it once."""
WROTE = "X-Writ-Wrote"
"""The beginning of the refused text."""
WHOLE = "X-Writ-Whole"
"""A hash of the refused text, so that an autoresponder gets no second refusal."""
REVOKED = "X-Writ-Revoked"
"""The letter with the revoked reply address to which its owner wrote."""
THREAD = "X-Writ-Thread"
"""The conversation for replies."""


@dataclass(frozen=True)
class Draft:
    kind: str
    """Its template."""
    to_address: str
    subject: Message | str
    context: Mapping[str, Any]
    """In addition to the common variables."""
    account: Account | None = None
    match: Match | None = None
    seat: SeatRow | None = None
    digest: bool = False
    """Whether one-click unsubscribe covers all its games."""


def _unwritten(draft: Draft) -> Letter:
    return Letter(
        account_id=draft.account.id if draft.account is not None else None,
        to_address=draft.to_address,
        match_id=draft.match.id if draft.match is not None else None,
        seat=draft.seat.seat if draft.seat is not None else "",
        kind=draft.kind,
    )


def _queue(session: Session, draft: Draft) -> Letter:
    letter = _unwritten(draft)
    account = draft.account or session.exec(select(Account).where(Account.email == draft.to_address)).first()
    # Without an account: the host's language.
    host = session.get(Account, draft.match.host_id) if account is None and draft.match is not None else None
    fill(settings_of(session), letter, draft, account, host)
    if letter.kind in optouts.INVITATIONS and optouts.has(session, letter.to_address):
        letter.status, letter.error = LetterStatus.DROPPED, as_text(NOT_WISHED)  # opted out since being chosen
    if account is not None:
        _drop_for_banned(letter, account)
    return _post(session, letter, draft.account, draft.seat)


def fill(settings: Settings, letter: Letter, draft: Draft, account: Account | None, host: Account | None = None) -> None:
    """Render a letter in the reader's language and zone, without queries."""
    headers = _headers(settings, letter, draft)
    leave = _way_out(settings, letter, draft)
    if leave:
        headers["List-Unsubscribe"] = f"<{leave}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    zone_wanted = account is not None and not account.zone_chosen and (draft.match is not None or draft.digest)
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
        "set_zone": f"{settings.base_url}/account/rhythm" if zone_wanted else "",
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


def _post(session: Session, letter: Letter, account: Account | None, seat: SeatRow | None) -> Letter:
    """Store a letter, except to a guest, who has no address."""
    if account is not None and account.is_guest:
        return letter
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
    """Queue a letter that `service.games.writing` renders when it is sent. `serial`: its ask; `hold`: delay in seconds."""
    letter = Letter(
        account_id=account.id,
        to_address=account.email,
        match_id=match.id,
        seat=seat.seat,
        serial=serial,
        kind=kind,
        subject=subject_of(match),
        headers=_known_by(kind, seat) | dict(headers or {}),
        facts={name: as_data(fact) for name, fact in (facts or {}).items()},
        next_try_at=now() + timedelta(seconds=hold),
    )
    letter.message_id = f"<{letter.id}@{settings_of(session).mail_host}>"
    _drop_for_banned(letter, account)
    return _post(session, letter, account, seat)


def _known_by(kind: str, seat: SeatRow) -> dict[str, str]:
    return {} if kind == "replaced" else {KEY: f"{seat.seat}.{seat.key_generation}"}


def _own_seat(letter: Letter, draft: Draft) -> SeatRow | None:
    """The reader's seat; None if they leave it or haven't taken it."""
    return draft.seat if letter.account_id is not None and letter.kind != "replaced" else None


def _way_out(settings: Settings, letter: Letter, draft: Draft) -> str:
    """One-click unsubscribe URL (RFC 8058), or empty."""
    if draft.digest and draft.account is not None:
        return links.leave_url(settings, links.DIGEST, letter.id, draft.account.generation)
    if draft.kind in optouts.INVITATIONS:
        return links.leave_url(settings, links.INVITATIONS, letter.id, 0)
    row = _own_seat(letter, draft)
    return links.leave_url(settings, row.match_id, row.seat, row.key_generation) if row is not None else ""


def _headers(settings: Settings, letter: Letter, draft: Draft) -> dict[str, str]:
    host = settings.mail_host
    headers = {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "OOF, AutoReply", **letter.headers}
    if draft.match is not None:
        # One thread per game and reader: a root that doesn't exist.
        headers["References"] = f"<{draft.match.id}.{letter.seat or 'x'}@{host}>"
        headers["In-Reply-To"] = headers["References"]
        headers["List-Id"] = f"<{draft.match.id}.{host}>"
    if settings.inbox:
        # For complaints (RFC 9477); signed, to prove which letter a report is about.
        headers["CFBL-Address"] = f"{links.mail_address(settings, 'b', letter.id)}; report=arf"
    row = _own_seat(letter, draft)
    return headers | (_known_by(letter.kind, row) if row is not None else {})


AWAITED = frozenset(("sign_in", "fresh_link", "address_old", "address_new"))
"""Awaited by a visitor at a page: never queued behind others."""
NEWS = frozenset(("talk", "outcome"))
"""Neither ask nor warn: not sent in mode “asked”."""
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
        "muster",
    )
)
"""Not gathered for a digest."""
PATIENT = frozenset(("talk", "digest"))
"""Retried daily while the address bounces."""
IN_FULL = 14
"""Games that a digest shows with question and news; each further one is a line."""
NOT_WISHED = sentence("not wished")
BANNED, UNBANNED = "banned", "unbanned"
IS_BANNED = sentence("the account is banned")
OWED = frozenset(("fresh_link", "replaced", "reply_refused", "notice", "terms", "muster"))
"""Sent even if a game's letters are off: replies to the reader, warnings of a loss."""


def may_get(account: Account, kind: str) -> bool:
    """Whether an account may get a letter: a banned one only the notice of its ban."""
    return account.banned_at is None or kind == BANNED


def _drop_for_banned(letter: Letter, account: Account) -> None:
    if not may_get(account, letter.kind):
        letter.status, letter.error = LetterStatus.DROPPED, as_text(IS_BANNED)


def _send_as_wished(letter: Letter, account: Account | None, seat: SeatRow | None) -> None:
    """Apply the delivery mode: send, gather, or drop."""
    if account is None or letter.status == LetterStatus.DROPPED:
        return
    if letter.match_id is not None and letter.kind not in OWED:
        mode = (seat.letters if seat is not None else "") or account.letters
        if mode == "none" or (mode == "asked" and letter.kind in NEWS):
            letter.status, letter.error = LetterStatus.DROPPED, as_text(NOT_WISHED)
        elif mode == "digest" and letter.kind not in URGENT:
            letter.status = LetterStatus.GATHERED
    if account.bounced_at is not None and letter.kind in PATIENT:
        # Once a day until a letter arrives.
        letter.next_try_at = max(letter.next_try_at, account.bounced_at + timedelta(days=1))


def lock_seats_and_unsent(session: Session, accounts: Iterable[str]) -> None:
    """Lock the seats and the unsent letters of accounts, before an account is deleted or gets a new address.

    These lock the account FOR UPDATE. A transaction that renews a seat's links, or has claimed a letter, still inserts rows
    that refer to the account: locking the account first would deadlock with it.
    """
    ids = list(accounts)
    seats = select(SeatRow.seat).where(col(SeatRow.account_id).in_(ids)).order_by(SeatRow.match_id, SeatRow.seat)
    session.exec(seats.with_for_update(key_share=True)).all()
    unsent = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.GATHERED, LetterStatus.SENDING))
    letters = select(Letter.id).where(col(Letter.account_id).in_(ids), unsent).order_by(Letter.id)
    session.exec(letters.with_for_update()).all()


def test_letter(session: Session, account: Account) -> Letter:
    context = {"to_name": account.name, "link": f"{settings_of(session).base_url}/account/letters"}
    subject = sentence("A letter from Writ, to see whether it arrives")
    return _queue(session, Draft("test", account.email, subject, context, account=account))


def digest(session: Session, account: Account, games: list[dict[str, Any]], until: datetime) -> Letter:
    """The daily digest, most urgent games first; each part has the variables of a single letter. Games beyond `IN_FULL` are
    lines.
    """
    return _queue(session, _digest_of(account, games, until))


def check_digest(settings: Settings, account: Account, games: list[dict[str, Any]], until: datetime) -> None:
    """Render a digest for nobody. Raises what rules and templates raise."""
    draft = _digest_of(account, games, until)
    fill(settings, _unwritten(draft), draft, account)


def _digest_of(account: Account, games: list[dict[str, Any]], until: datetime) -> Draft:
    day = Day(until)
    context = {
        "to_name": account.name,
        "games": games[:IN_FULL],
        "rest": games[IN_FULL:],
        "day": day,
        "moment": lambda at: shown(at, account.zone),
    }
    return Draft("digest", account.email, _digested(games, day), context, account=account, digest=True)


def _digested(games: list[dict[str, Any]], day: Day) -> Message:
    asking = [game for game in games if game["form"] is not None]
    if not asking:
        return sentence("Writ: your games on %(day)s", day=day)
    waits = nsentence("Writ: %(num)s game waits for you", "Writ: %(num)s games wait for you", len(asking))
    due = [game["deadline"].at for game in asking if game["deadline"] is not None and not game["late"]]
    if not due:
        return waits
    return sentence("%(waits)s (by %(when)s)", waits=waits, when=near(min(due)))


def clock_of(ask: AskRow | None) -> dict[str, Any]:
    due = ask.due_at if ask is not None else None
    told = {"deadline": Moment(due, utc=True), "soon": Moment(due, short=True)} if due else {"deadline": None, "soon": None}
    return {**told, "late": due is not None and due <= now()}


def subject_of(match: Match) -> str:
    return f"{match.name} · {GAMES[match.game].title}"


def about(account: Account | None, kind: str, match: Match, context: Mapping[str, Any]) -> Message | str:
    """Subject: kind and deadline, or one thread per game."""
    if account is not None and account.subjects == "thread":
        return subject_of(match)
    return subject(kind, match.name, GAMES[match.game].title, context)


def common(match: Match, to_name: str, link: str, **more: Any) -> dict[str, Any]:
    game = GAMES[match.game]
    of_game = {"game_title": game.title, "lessons": len(game.face.lessons.all) if game.face.lessons else 0}
    return {"to_name": to_name, "match": {"name": match.name, "id": match.id}, **of_game, "link": link, **more}


def played_by(match: Match) -> dict[str, Any]:
    """Variables of letters that list the options; rules are told in the reader's language when called."""
    return {
        "options": lambda: rulings.told_options(match),
        "rulings": lambda: rulings.told(match),
        "pace": pace.told(pace.of(match.pace)),
        "shared": match.shared,
        "spectators": match.spectators,
    }


def sign_in(session: Session, account: Account, link: Link, why: Message | None = None) -> Letter:
    """Sign-in letter; `why`: the reason, if it was not requested."""
    url = links.url(settings_of(session), link)
    context = {"to_name": account.name, "link": url, "hours": links.SIGN_IN_HOURS, "why": why}
    return _queue(session, Draft("sign_in", account.email, sentence("Sign in to Writ"), context, account=account))


def ban(session: Session, account: Account) -> Letter:
    kind = UNBANNED if account.banned_at is None else BANNED
    subject = sentence("You can play at Writ again") if kind == UNBANNED else sentence("Your account at Writ is closed for now")
    context = {"to_name": account.name, "why": account.banned_why}
    return _queue(session, Draft(kind, account.email, subject, context, account=account))


def address_change(session: Session, account: Account, kind: str, to_address: str, link: str, **more: Any) -> Letter:
    """Letter about a change of address; `kind`: the template, such as `address_old`."""
    subjects = {
        "address_old": sentence("Change your address at Writ?"),
        "address_new": sentence("Is this your address for Writ?"),
        "address_done": sentence("Your letters from Writ go here now"),
        "address_undo": sentence("Your address at Writ was changed"),
    }
    context = {"to_name": account.name, "link": link, **more}
    return _queue(session, Draft(kind, to_address, subjects[kind], context, account=account))


def invitation(session: Session, match: Match, seat: SeatRow, by: Account, link: Link) -> Letter:
    host = by.name or sentence("The host")
    people, game = _people(session, match, seat), GAMES[match.game]
    context = common(
        match,
        "",
        links.url(settings_of(session), link),
        from_name=host,
        game=match.game,
        seats=match.seats,
        people=people,
        lasts=pace.estimate(game, match.seats, pace.of(match.pace)),
        with_bots=any(place.state == "bot" for place in people),
        pixel_art=pixel_art(match.game),
        commitment=match.commitment,
        **played_by(match),
    )
    heading = sentence("%(host)s invites you to “%(match)s” (%(game)s)", host=host, match=match.name, game=game.title)
    return _queue(session, Draft("invitation", seat.invited_email, heading, context, match=match, seat=seat))


def declined(session: Session, match: Match, host: Account, who: str) -> Letter:
    """Letter to the host; `who`: the invited address or name."""
    context = common(match, host.name, f"{settings_of(session).base_url}/g/{match.id}", who=who)
    heading = sentence("%(match)s: an invitation was declined", match=match.name)
    return _queue(session, Draft("declined", host.email, heading, context, account=host, match=match))


@dataclass(frozen=True)
class Place:
    seat: str
    name: str
    state: str
    """host, sits, bot, you, invited or free."""


def _people(session: Session, match: Match, own: SeatRow) -> list[Place]:
    """Seats of an invitation; invited people aren't named."""
    found = []
    for row in seats_of(session, match):
        taken = row.status == SeatStatus.TAKEN
        state = "bot" if row.bot else "host" if row.account_id == match.host_id else "sits"
        state = state if taken else row.status
        found.append(Place(row.seat, row.name if taken else "", "you" if row.seat == own.seat else str(state)))
    return found


def substitute(session: Session, match: Match, seat: SeatRow, link: Link) -> Letter:
    context = common(match, "", links.url(settings_of(session), link), seats=match.seats, who=seat.name)
    heading = about(None, "substitute", match, context)
    return _queue(session, Draft("substitute", seat.invited_email, heading, context, match=match, seat=seat))


def invite_again(session: Session, match: Match, seat: SeatRow) -> None:
    """Queue another invitation, also to a substitute, with a new link."""
    link = links.invite_link(session, match, seat)
    if match.status == MatchStatus.LOBBY:
        invitation(session, match, seat, session.get_one(Account, match.host_id), link)
    else:
        substitute(session, match, seat, link)


def cancelled(session: Session, match: Match, seat: SeatRow, to_address: str, why: str = "") -> Letter:
    """Letter about a cancelled game; `why`: "muster" if nobody confirmed."""
    context = common(match, seat.name, settings_of(session).base_url, why=why)
    account = session.get(Account, seat.account_id) if seat.account_id else None
    heading = about(account, "cancelled", match, context)
    return _queue(session, Draft("cancelled", to_address, heading, context, account=account, match=match, seat=seat))


def fresh_link(session: Session, match: Match, seat: SeatRow, account: Account, why: Message | None = None) -> Letter:
    """Letter with a fresh link; `why`: the reason, if it was not requested."""
    context = common(match, seat.name, links.url(settings_of(session), links.turn_link(session, match, seat)), why=why)
    heading = about(account, "fresh_link", match, context)
    return _queue(session, Draft("fresh_link", account.email, heading, context, account=account, match=match, seat=seat))


def fresh_keys(session: Session, match: Match, seat: SeatRow) -> None:
    """Revoke a seat's links, and send its player a new one."""
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
    hold: int = 0,
    headers: Mapping[str, str] | None = None,
) -> Letter:
    """Queue a letter by the template `kind`, which gets `to_name`, `match`, `game_title`, `seat`, `moment` (formats in the
    reader's zone), `link` (turn page), and the context.
    """
    account = session.get_one(Account, seat.account_id)
    facts = {"to_name": seat.name, **(context or {})}
    return owe(session, kind, match, seat, account, facts, hold=hold, headers=headers)


def to_host(session: Session, kind: str, match: Match, host: Account) -> Letter:
    context = common(match, host.name, f"{settings_of(session).base_url}/g/{match.id}/host")
    return _queue(session, Draft(kind, host.email, about(host, kind, match, context), context, account=host, match=match))


def problem(session: Session, match: Match, to_address: str, report_id: str, entry: int) -> Letter:
    """Notify of a report, without its text, which may be secret."""
    context = common(match, "", f"{settings_of(session).base_url}/problems/{report_id}", entry=entry)
    subject = sentence("Writ: a player reports a problem (%(id)s)", id=match.id[:12])
    return _queue(session, Draft("problem", to_address, subject, context))


def fault_report(session: Session, match: Match, to_address: str, entry: int, problem: str) -> Letter:
    """Notify operators of a halted game, without details."""
    context = common(match, "", f"{settings_of(session).base_url}/host", entry=entry, problem=problem)
    return _queue(session, Draft("fault", to_address, sentence("Writ: a game was halted (%(id)s)", id=match.id[:12]), context))
