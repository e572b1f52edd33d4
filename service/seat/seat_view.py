"""View of a game by one seat, or a spectator: the only source of pages, letters and replies by mail. Built from the position
and the seat's hidden answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, Refused, Seat
from engine.game import AnyState, Game
from engine.games import game_called
from engine.language.words import calling
from engine.play import match as matches
from engine.ui import heard
from engine.ui.forms import Form, FormOption, describe, hindered, worded
from service.clock import pace
from service.common.i18n import speaking_to
from service.common.messages import sentence
from service.errors import Stale
from service.log import muting
from service.log.entries import EventRecord
from service.log.recent_events import News, newest, told_to
from service.people.accounts import reader_at
from service.seat import costs, waits
from service.seat.state import head_of, position, sealed_by, shown_n, state_of, with_own_offers
from service.store.models import (
    AskRow,
    HiddenAnswer,
    Match,
    MatchStatus,
    Notice,
    NoticeStatus,
    SeatRow,
    Submission,
    SubmissionStatus,
)
from service.store.seats import called, called_of, seats_of

ON_THEIR_WAY = (SubmissionStatus.QUEUED, SubmissionStatus.HELD)


@dataclass(frozen=True)
class Rows:
    """A seat's rows, read in one query; empty for a spectator."""

    asks: Mapping[int, AskRow] = field(default_factory=dict)
    """Clocks of the open question and of open proposals, by number."""
    sent: Sequence[Submission] = ()
    """Queued and held answers, oldest first."""
    sealed: Sequence[HiddenAnswer] = ()
    """Own hidden answers and everybody's offers, oldest first."""
    notice: Notice | None = None
    """The notice of the seat's replacement."""
    unread: int = 0
    """Number of messages."""
    elsewhere: int = 0
    """The player's other games that wait for them."""
    asked_before: bool = False
    """Whether a question of the open one's kind was asked before."""


@dataclass(frozen=True)
class SeatView:
    """What one seat, or a spectator, sees of a game now: view, question, offers, news."""

    match: Match
    game: Game
    seat: Seat
    """Empty for a spectator."""
    seats: Sequence[SeatRow]
    names: dict[Seat, str]
    colours: dict[Seat, str]
    view: dict[str, Any]
    """The game's own view of the position."""
    form: Form | None = None
    """The open question, unless answered."""
    offers: list[Form] = field(default_factory=list)
    """Powers, and withdrawing one's proposals: open at any time."""
    proposals: list[Form] = field(default_factory=list)
    """By others."""
    waits: set[str] = field(default_factory=set)
    """Kinds of these that wait for a safe point."""
    news: News = field(default_factory=News)
    waiting: list[Seat] = field(default_factory=list)
    """As everybody may know: while answers are hidden, all that were asked."""
    serial: int = 0
    """Number of the open question."""
    n: int = 0
    """Number of visible entries."""
    head: str = ""
    """Visible head of the hash chain."""
    mark: str = ""
    """Version tag for detecting visible changes."""
    rows: Rows = field(default_factory=Rows)
    """Partly empty in letters."""
    state: AnyState | None = None
    """The position that the seat knows; None for an old one."""

    @property
    def own(self) -> SeatRow | None:
        return next((row for row in self.seats if row.seat == self.seat), None)

    @property
    def steward(self) -> str:
        return self.own.steward if self.own is not None else ""

    @property
    def deserted(self) -> bool:
        """Whether stewards keep all players' seats, and wait for one of them."""
        return waits.deserted(self.seats)

    @property
    def ask(self) -> AskRow | None:
        return self.rows.asks.get(self.serial) if self.form is not None else None

    @property
    def pending(self) -> Submission | None:
        """An answer that the workers haven't taken up yet."""
        return next((row for row in self.rows.sent if row.status == SubmissionStatus.QUEUED), None)

    @property
    def held(self) -> dict[tuple[int, str], Submission]:
        """Answers waiting for a safe point, by number and kind."""
        return {(row.serial, row.kind): row for row in self.rows.sent if row.status == SubmissionStatus.HELD}

    @property
    def waits_for(self) -> str:
        return waits.said(self.waiting, self.names, self.seat or None)

    @property
    def final(self) -> bool:
        """False in a window that closes at its deadline and takes another answer until then."""
        late = self.form is not None and self.form.kind in self.game.rules.windows
        return not (late and pace.of(self.match.pace).windows == "deadline")

    def form_for(self, serial: int, kind: str) -> Form | None:
        shown = [*([self.form] if self.form else []), *self.proposals, *self.offers]
        return next((form for form in shown if (form.serial, form.kind) == (serial, kind)), None)

    def refusal(self, refused: Refused, form: Form | None = None) -> str:
        """A refusal's sentence, with labels of fields and choices."""
        words = called(self.match, {})
        refused = worded(form, refused, lambda id: self.game.words.word(id, words, self.seat)) if form is not None else refused
        with calling(self.names):
            return str(refused)

    def word(self, id: str, home: str = "") -> str:
        return self.game.words.word(id, self.names, home)

    def listed(self, ids: Sequence[str], home: str = "") -> str:
        return self.game.words.listed(ids, self.names, home)


def load(
    session: Session,
    match: Match,
    seat: Seat,
    seats: Sequence[SeatRow] | None = None,
    rows: Rows | None = None,
    heads: bool = False,
) -> SeatView | None:
    """A seat's view (empty: a spectator's) in the current language and zone; None before the game opens. Its cost doesn't grow
    with the log. `seats`, `rows`: if already read; `heads`: with letters' headings.
    """
    state = position(session, match)
    if state is None:
        return None
    if seats is None:
        seats = seats_of(session, match)
    rows = rows or load_rows(session, match, seat)
    moved = next((row.moved_n for row in seats if row.seat == seat), 0)
    events = newest(session, match, seat, moved)
    return build(match, state, seat, seats, rows, events, moved, head_of(session, match, state), heads)


def load_for_owner(session: Session, match: Match, seat: Seat) -> SeatView | None:
    """The view with letters' headings, in the owner's language."""
    with speaking_to(*reader_at(session, match.id, seat)):
        return load(session, match, seat, heads=True)


def build(
    match: Match,
    state: AnyState,
    seat: Seat,
    seats: Sequence[SeatRow],
    rows: Rows,
    events: Sequence[EventRecord],
    moved: int,
    head: str,
    heads: bool,
) -> SeatView:
    """Build a view without queries. `events`: newest first; `moved`: entry of the seat's last move; `head`: visible chain head;
    `heads`: see `load`.
    """
    game, names = game_called(match.game), called_of(match, seats)
    own, whispered = with_own_offers(game, state, seat, rows.sealed)
    last = shown_n(match, state)
    mark = _mark(match, seat, rows, last)
    form: Form | None = None
    powers: list[Form] = []
    proposals: list[Form] = []
    if seat:
        ask = _asked(match, own, seat, rows.sealed)
        if ask is not None:
            form = describe(game, ask, names, state.serial, heads)
            told = costs.told(game, names, own, seat, ask.default, f"{match.id} {mark}")
            shut = hindered(game, ask, procedure.shut(own, seat, ask), names)
            form = msgspec.structs.replace(form, fate=" ".join(told.certain), risk=" ".join(told.risked), shut=shut)
        powers, proposals = _offered(game, own, seat, names, heads)
    return SeatView(
        match=match,
        game=game,
        seat=seat,
        seats=seats,
        names=names,
        colours={row.seat: row.colour for row in seats},
        view=game.rules.view(own, seat or None),
        form=form,
        offers=powers,
        proposals=proposals,
        waits={form.kind for form in [*powers, *proposals] if procedure.waits(own, seat, form.kind)},
        news=told_to(game, seat, names, events, whispered, moved, last),
        waiting=_waited(match, state, seats, seat if form is None else ""),
        serial=state.serial,
        n=last,
        head=head,
        mark=mark,
        rows=rows,
        state=own,
    )


def looking_back(
    match: Match, game: Game, seat: Seat, seats: Sequence[SeatRow], names: dict[Seat, str], view: dict[str, Any]
) -> SeatView:
    """The view of an old position, without actions or news."""
    colours = {row.seat: row.colour for row in seats}
    return SeatView(match, game, seat, seats, names, colours, view)


def load_asked(session: Session, match: Match, seat: Seat, seats: Sequence[SeatRow], serial: int) -> SeatView:
    """For checking an answer: only the form of the open question (`serial` > 0), or those of powers and proposals. Raises Stale
    before the game opens.
    """
    state = position(session, match)
    if state is None:
        raise Stale(sentence("The game is being set up; it opens in a moment."))
    game, names, rows = game_called(match.game), called_of(match, seats), load_answers(session, match, seat)
    own, last = with_own_offers(game, state, seat, rows.sealed)[0], shown_n(match, state)
    ask = _asked(match, own, seat, rows.sealed) if serial > matches.OFFER else None
    powers, proposals = _offered(game, own, seat, names) if serial <= matches.OFFER else ([], [])
    return SeatView(
        match=match,
        game=game,
        seat=seat,
        seats=seats,
        names=names,
        colours={},
        view={},
        form=describe(game, ask, names, own.serial) if ask is not None else None,
        offers=powers,
        proposals=proposals,
        serial=own.serial,
        n=last,
        mark=_mark(match, seat, rows, last),
        rows=rows,
        state=own,
    )


def _asked(match: Match, own: AnyState, seat: Seat, sealed: Sequence[HiddenAnswer]) -> Ask | None:
    given = any(row.serial == own.serial and row.seat == seat for row in sealed)
    if match.status != MatchStatus.RUNNING or seat not in own.waiting or given:
        return None
    return procedure.ask_of(own, seat)


def _offered(
    game: Game, own: AnyState, seat: Seat, names: dict[Seat, str], heads: bool = True
) -> tuple[list[Form], list[Form]]:
    """Powers and proposals, also waiting ones; none after the end."""
    if own.table.outcome is not None:
        return [], []
    powers = [describe(game, ask, names, matches.OFFER, heads) for ask in game.rules.powers.open(own, seat)]
    powers += [describe(game, ask, names, -number, heads) for number, ask in offers.own(own, seat, ahead=True)]
    return powers, [describe(game, ask, names, -number, heads) for number, ask in offers.proposals(own, seat, ahead=True)]


def _waited(match: Match, state: AnyState, seats: Sequence[SeatRow], answered: Seat) -> list[Seat]:
    """Seats waited for, without a reader who has `answered`; bots only if there are no others."""
    if match.status != MatchStatus.RUNNING:
        return []
    waiting = {*state.waiting, *state.sealed} - {answered}
    bots = {row.seat for row in seats if row.bot}
    return sorted(waiting - bots or waiting)


def load_mark(session: Session, match: Match, seat: Seat) -> str:
    """The view's version tag, without building the view."""
    n = shown_n(match, state_of(match)) if match.snapshot is not None else 0
    return _mark(match, seat, load_answers(session, match, seat), n)


def _mark(match: Match, seat: Seat, rows: Rows, n: int) -> str:
    own = [row.id for row in rows.sent] + [row.id for row in rows.sealed if row.seat == seat]
    told = " ".join([str(match.status), str(match.serial), str(n), *own])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _examples(view: SeatView) -> dict[str, Callable[..., str]]:
    """Template functions for examples of replies, with rows legal by the seat's knowledge. Cached: each reads all options and
    may vet hundreds of rows.
    """
    state, form = view.state, view.form
    filled, written = dict[str, Answer | None](), dict[str, str]()

    def fits(answer: Answer) -> bool:
        if state is None:
            return False
        try:
            procedure.vet(state, view.seat, answer)
        except Refused:
            return False
        return True

    def fill(option: FormOption) -> Answer | None:
        if option.id not in filled:
            filled[option.id] = heard.with_row(option, fits)
        return filled[option.id]

    def example(option: FormOption) -> str:
        if option.id not in written:
            written[option.id] = heard.example(form, option, fill) if form is not None else ""
        return written[option.id]

    return {"example": example, "row_example": lambda option, rows: heard.row_example(option, rows, fill)}


def letter_context(view: SeatView, link: str, **more: Any) -> dict[str, Any]:
    match, own = view.match, view.own
    assert own is not None, "letters go to seats"
    return {
        "to_name": own.name,
        "match": {"name": match.name, "id": match.id},
        "game": match.game,
        "game_title": view.game.title,
        "seat": view.seat,
        "view": view.view,
        "form": view.form,
        "board": view.game.face.board(view.view, view.form, None),
        "brief": view.news.brief,
        "lately": view.news.story,
        "since": view.news.rest,
        "moved": own.moved_n > 0,
        **_examples(view),
        "note": "",
        "head": view.head,
        "names": view.names,
        "waits_for": lambda: view.waits_for,
        "commitment": match.commitment,
        "entropy": own.entropy,
        "word": cache(view.word),
        "listed": view.listed,
        "link": link,
        **more,
    }


def load_rows(session: Session, match: Match, seat: Seat) -> Rows:
    found = session.execute(_rows(), {"match": match.id, "seat": seat, "serial": match.serial}).all() if seat else []
    if not found:
        return Rows()
    *_, notice, unread, elsewhere, _ = found[0]
    before = any(row[-1] for row in found if row[2] is not None and row[2].serial == match.serial)
    asks = {row[2].serial: row[2] for row in found if row[2] is not None}
    return replace(
        _answers_in(found), asks=asks, notice=notice, unread=unread or 0, elsewhere=elsewhere or 0, asked_before=before
    )


def load_answers(session: Session, match: Match, seat: Seat) -> Rows:
    """A seat's answers, enough to check another one: a tenth of the time for all its rows."""
    return _answers_in(session.execute(_answers(), {"match": match.id, "seat": seat}).all() if seat else [])


def _answers_in(found: Sequence[Any]) -> Rows:
    sent = {row[0].id: row[0] for row in found if row[0] is not None}
    sealed = {row[1].id: row[1] for row in found if row[1] is not None}
    return Rows(sent=[*sent.values()], sealed=sorted(sealed.values(), key=lambda row: (row.at, row.id)))


# Cached: building the queries takes longer than running them.


@cache
def _answers() -> Any:
    return (
        sa.select(Submission, HiddenAnswer)
        .select_from(SeatRow)
        .outerjoin(Submission, _its(Submission) & col(Submission.status).in_(ON_THEIR_WAY))
        .outerjoin(HiddenAnswer, (col(HiddenAnswer.match_id) == SeatRow.match_id) & sealed_by(SeatRow.seat))
        .where(col(SeatRow.match_id) == bindparam("match"), col(SeatRow.seat) == bindparam("seat"))
        .order_by(col(Submission.order))
    )


@cache
def _rows() -> Any:
    match: Any = bindparam("match")
    seat: Any = bindparam("seat")
    clocks = (col(AskRow.serial) == bindparam("serial")) | ((col(AskRow.serial) < 0) & col(AskRow.answered_at).is_(None))
    counts = (muting.unread_number(match, seat), _elsewhere(match), asked_before())
    return (
        _answers()
        .add_columns(AskRow, Notice, *counts)
        .outerjoin(AskRow, _its(AskRow) & clocks)
        # Only notices of a replacement name a seat.
        .outerjoin(Notice, _its(Notice) & (col(Notice.status) == NoticeStatus.OPEN))
        .order_by(col(Notice.opened_at), col(Notice.id))
    )


def asked_before() -> Any:
    """EXISTS: an earlier question of the same kind to the same seat; correlated to AskRow."""
    earlier = aliased(AskRow)
    same = (col(earlier.match_id) == AskRow.match_id) & (col(earlier.seat) == AskRow.seat) & (col(earlier.kind) == AskRow.kind)
    return sa.exists().where(same, col(earlier.serial) < AskRow.serial).correlate(AskRow)


def _elsewhere(match: Any) -> Any:
    own, there = aliased(SeatRow), aliased(Match)
    asked, seat = aliased(AskRow), SeatRow
    found = sa.select(sa.func.count()).select_from(own)
    found = found.join(asked, (col(asked.match_id) == own.match_id) & (col(asked.seat) == own.seat))
    found = found.join(there, (col(there.id) == asked.match_id) & (col(there.serial) == asked.serial))
    open_ = (col(there.status) == MatchStatus.RUNNING) & col(there.halted_at).is_(None) & col(asked.answered_at).is_(None)
    open_ &= col(asked.kept_at).is_(None)
    mine = (col(own.account_id) == seat.account_id) & (col(own.match_id) != match)
    return found.where(mine, open_).correlate(seat).scalar_subquery()


def _its(row: type[AskRow] | type[Submission] | type[Notice]) -> Any:
    return (col(row.match_id) == SeatRow.match_id) & (col(row.seat) == SeatRow.seat)
