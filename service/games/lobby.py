"""A game's lobby: open, join, leave, add bots, start, cancel."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec
from sqlmodel import Session, col, select

from engine.core.asks import SEATS, NotUnderstood
from engine.game import Game, options_of
from engine.games import GAMES, game_called
from engine.play import match as matches
from service.clock import deadlines
from service.clock.pace import NO_CLOCK, Pace, check, stored
from service.common.dates import of_log
from service.common.messages import Listed, nsentence, sentence
from service.errors import Misread, NotAllowed, Taken
from service.games import boards, carried, muster, terms
from service.log import characters, names, sharing, shuffle
from service.people.accounts import by_id, clean_name, reread, shown_name
from service.post import disclosure, letters
from service.seat import guides, handover
from service.store import limits, queue, rulings
from service.store.database import settings_of
from service.store.models import Account, Match, MatchStatus, SeatRow, SeatStatus, now
from service.store.seats import seat_called, seat_of, seats_of

COLOURS = {
    "red": sentence("red"),
    "blue": sentence("blue"),
    "green": sentence("green"),
    "yellow": sentence("yellow"),
    "purple": sentence("purple"),
    "black": sentence("black"),
}
"""Colours in the order of seats."""
LONGEST_NAME = 60
GATHERS = timedelta(days=1)
"""How long until bots fill a table, if its host wishes it."""
AGAIN = timedelta(hours=1)
"""How long until the next attempt, if somebody leaves again."""
MOST_OPEN = 40
"""Default of `WRIT_MOST_GAMES`."""


TOO_LATE = {
    MatchStatus.RUNNING: sentence("The game has started; that can only be done before its start."),
    MatchStatus.FINISHED: sentence("The game is over; that can only be done before its start."),
    MatchStatus.CANCELLED: sentence("The game was called off; that can only be done before its start."),
}


def offered() -> list[Game]:
    """Games that can be shown."""
    return [game for game in GAMES.values() if boards.fault(game) is None]


def bots_of(game: Game) -> list[str]:
    """Bots, the best first."""
    return list(game.bots.players)[::-1]


def _own_seat(session: Session, match: Match, account: Account) -> SeatRow:
    """The account's seat. Raises NotAllowed."""
    seat = seat_of(session, match, account)
    if seat is None:
        raise NotAllowed(sentence("You have no seat in this game."))
    return seat


def need_opener(session: Session, account: Account) -> None:
    """Raise NotAllowed unless the account may open games."""
    if not settings_of(session).may_open(account.email):
        raise NotAllowed(sentence("In this house only some people open games; ask those who run it, or join an open table."))


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
    seat: str = SEATS[0],
    practice: bool = False,
    take_back: bool = True,
    mustered: str = muster.STRANGERS,
    filled: bool = False,
    quiet_bots: bool = False,
) -> Match:
    """Open a game with its host seated; `word`: for the shuffles, `ruled`: house rulings, `practice`: against bots alone,
    `take_back`: whether answers can be taken back, `mustered`: when players confirm before the start (`service.games.muster`),
    `filled`: whether bots fill seats after a day, `quiet_bots`: whether they never speak.

    Draws the seed. Raises NotUnderstood, or NotAllowed over the limit.
    """
    found = game_called(game)
    if (fault := boards.fault(found)) is not None:
        raise NotUnderstood(fault)
    if not found.rules.seats[0] <= seats <= found.rules.seats[-1]:
        raise Misread(
            nsentence(
                "%(game)s is for %(least)s to %(num)s player, not %(given)s.",
                "%(game)s is for %(least)s to %(num)s players, not %(given)s.",
                found.rules.seats[-1],
                game=found.title,
                least=found.rules.seats[0],
                given=seats,
            ),
            "seats",
        )
    if access not in ("invited", "open"):
        raise NotUnderstood(sentence("A game is by invitation or open to all; choose one of the two."))
    if mustered not in muster.WANTED:
        raise NotUnderstood(sentence("Say when everyone confirms before the start; choose one of the list."))
    disclosure.check(session, name)
    if not practice:
        need_opener(session, host)
    limits.one_at_a_time(session, host)
    most = settings_of(session).most_games or MOST_OPEN
    hosted = session.exec(
        select(Match.id).where(Match.host_id == host.id, col(Match.status).in_((MatchStatus.LOBBY, MatchStatus.RUNNING)))
    )
    if len(hosted.all()) >= most:
        raise NotAllowed(
            nsentence(
                "You host %(num)s unfinished game; finish it or call it off before you open another.",
                "You host %(num)s unfinished games; finish or call off one before you open another.",
                most,
            )
        )
    match = Match(
        name=clean_name(name, "name of the game", LONGEST_NAME),
        game=game,
        seats=seats,
        access=access,
        options=(dict(options) if options else options_of(found, seats, "")) | rulings.stored(game, ruled or {}),
        pace=stored(NO_CLOCK if practice else check(pace or Pace())),
        practice=practice,
        take_back=take_back,
        muster=muster.NEVER if practice else mustered,
        fill_at=now() + GATHERS if filled else None,
        quiet_bots=quiet_bots,
        host_id=host.id,
        seed=secrets.token_bytes(32),
    )
    session.add(match)
    session.flush()
    for letter, colour in zip(SEATS[:seats], COLOURS, strict=False):
        session.add(SeatRow(match_id=match.id, seat=letter, colour=colour))
    session.flush()
    _sit(session, match, seat_called(session, match, seat), host, word)
    return match


def locked(session: Session, match: Match, host: Account | None = None) -> Match:
    """Lock the match's row. Raises NotAllowed unless it is in the lobby, and hosted by `host`, if given."""
    found = session.get_one(Match, match.id, with_for_update={"key_share": True}, populate_existing=True)
    if found.status != MatchStatus.LOBBY:
        raise NotAllowed(TOO_LATE[found.status])
    if host is not None:
        host_only(found, host)
    return found


def lock_people(session: Session, people: Sequence[Account]) -> None:
    """Lock accounts, and games where they sit, are invited or host, against concurrent moves, joins and letters. Raises
    NotFound for an account that is erased meanwhile.
    """
    ids, emails = [one.id for one in people], [one.email for one in people]
    sat = select(SeatRow.match_id).where(col(SeatRow.account_id).in_(ids) | col(SeatRow.invited_email).in_(emails))
    theirs = select(Match.id).where(col(Match.id).in_(sat) | col(Match.host_id).in_(ids)).order_by(Match.id)
    accounts = select(Account.id).where(col(Account.id).in_(ids)).order_by(Account.id)
    session.exec(theirs.with_for_update(key_share=True)).all()
    session.exec(accounts.with_for_update(key_share=True)).all()
    letters.lock_seats_and_unsent(session, ids)
    session.exec(accounts.with_for_update()).all()  # nothing new refers to them
    session.exec(theirs.with_for_update(key_share=True)).all()  # also those taken before the accounts were locked
    for one in people:
        reread(session, one)


def host_only(match: Match, by: Account) -> None:
    """Raise NotAllowed unless `by` is the host."""
    if match.host_id != by.id:
        raise NotAllowed(sentence("Only the host of this game can do that."))


def _sit(session: Session, match: Match, seat: SeatRow, account: Account, word: str) -> None:
    handover.clean(seat)
    others = [s.name for s in seats_of(session, match) if s.seat != seat.seat]
    seat.account_id, seat.status = account.id, SeatStatus.TAKEN
    seat.name, seat.pronoun = names.distinct(shown_name(account, seat.seat), others, seat.seat), account.pronoun
    seat.entropy = shuffle.of_word(word)
    seat.present_at = now()
    seat.agreed = terms.digest(match)
    session.flush()


def take(
    session: Session, match: Match, seat: SeatRow | None, account: Account, word: str = "", seen: str = "", agreed: str = ""
) -> SeatRow:
    """Seat a person on a promised or the first free seat (None); starts a full game. `seen`: digest of the options shown;
    `agreed`: of those accepted unseen. Raises Taken; NotUnderstood if the options have changed.
    """
    match = locked(session, match)
    if seat_of(session, match, account) is not None:
        raise Taken(sentence("You have a seat in this game already."))
    terms.check(match, seen)
    seat = seat or free_seat(session, match)
    _sit(session, match, seat, account, word)
    seat.agreed = agreed or seat.agreed
    start_when_full(session, match)
    return seat


def free_seat(session: Session, match: Match) -> SeatRow:
    """The first free seat. Raises Taken."""
    for seat in seats_of(session, match):
        if seat.status == SeatStatus.EMPTY:
            return seat
    raise Taken(sentence("All seats of this game are taken or promised."))


def join(session: Session, match: Match, account: Account, word: str = "", share: str = "", seen: str = "") -> SeatRow:
    """Take a free seat of an open game, or of any game with its `share` key.

    `word`, `seen`: as in `open_match` and `take`. Raises Taken, NotAllowed without an invitation, NotUnderstood if the options
    have changed.
    """
    match = locked(session, match)
    invited = match.access == "open" or (share and secrets.compare_digest(share, match.share_key))
    if not invited and seat_of(session, match, account) is None:
        raise NotAllowed(sentence("This game is by invitation; ask its host for one."))
    return take(session, match, None, account, word, seen)


def leave(session: Session, match: Match, account: Account) -> None:
    """Leave before the start. Raises NotAllowed for the host."""
    match = locked(session, match)
    seat = _own_seat(session, match, account)
    if match.host_id == account.id:
        raise NotAllowed(sentence("You are the host; call the game off, or let others join."))
    handover.empty(session, match, seat)


def clear_seat(session: Session, match: Match, by: Account, seat: str) -> None:
    """As host, take back an invitation or a seat."""
    match = locked(session, match, by)
    row = seat_called(session, match, seat)
    if row.account_id == by.id:
        raise NotAllowed(sentence("That is your own seat."))
    handover.empty(session, match, row)


def add_bot(session: Session, match: Match, by: Account, bot: str | None = None) -> SeatRow:
    """Seat a bot (default: the best) as the table's next character. Raises Refused for an unknown one."""
    match = locked(session, match, by)
    bots = bots_of(GAMES[match.game])
    bot = bots[0] if bot is None else bot
    if bot not in bots:
        raise NotUnderstood(sentence("There is no bot “%(bot)s”; there is: %(bots)s.", bot=bot[:20], bots=Listed(sorted(bots))))
    seat = free_seat(session, match)
    _seat_bot(session, match, seat, bot)
    start_when_full(session, match)
    return seat


def _seat_bot(session: Session, match: Match, seat: SeatRow, bot: str) -> None:
    others = [s.name for s in seats_of(session, match) if s.seat != seat.seat]
    handover.clean(seat)
    characters.seat_bot(match, seat, bot, others)
    session.flush()


def set_colour(session: Session, match: Match, account: Account, colour: str) -> None:
    """Take a colour, swapping with an empty seat or bot. Raises Refused if a player has it."""
    match = locked(session, match)
    if colour not in COLOURS:
        raise NotUnderstood(
            sentence(
                "There is no colour “%(colour)s”; there is: %(colours)s.",
                colour=colour[:20],
                colours=Listed([*COLOURS.values()]),
            )
        )
    own = _own_seat(session, match, account)
    for seat in seats_of(session, match):
        if seat.colour == colour and seat.seat != own.seat:
            if seat.status == SeatStatus.TAKEN and not seat.bot:
                raise Taken(
                    sentence("%(name)s has %(colour)s already; choose another.", name=seat.name, colour=COLOURS[colour])
                )
            seat.colour = own.colour
    own.colour = colour
    session.flush()


def give_word(session: Session, match: Match, account: Account, word: str) -> None:
    """Set or clear a player's word for the shuffles."""
    match = locked(session, match)
    own = _own_seat(session, match, account)
    own.entropy = shuffle.of_word(word)
    session.flush()


def let_watch(session: Session, match: Match, by: Account, on: bool) -> None:
    """Decide whether spectators may read along; seated players must confirm it."""
    match = locked(session, match, by)
    with terms.changing(session, match):
        sharing.let_watch(session, match, on)
    start_when_full(session, match)


def let_share(session: Session, match: Match, by: Account, on: bool) -> None:
    """Decide whether the replay will be shared; seated players must confirm it."""
    match = locked(session, match, by)
    with terms.changing(session, match):
        sharing.let_share(session, match, on)
    start_when_full(session, match)


def agree(session: Session, match: Match, seat: str, seen: str) -> None:
    """Agree to the options of digest `seen`. Raises NotUnderstood if they have changed."""
    match = locked(session, match)
    row = seat_called(session, match, seat)
    terms.agree(session, match, row, seen)
    start_when_full(session, match)


def prepare(session: Session, match: Match, account: Account, kind: str, move: str) -> None:
    """Store a checked answer that is played when the seat is asked `kind`."""
    match = locked(session, match)
    own = _own_seat(session, match, account)
    own.prepared = {**own.prepared, kind: move}
    session.flush()


def cancel(session: Session, match: Match, by: Account) -> None:
    match = locked(session, match, by)
    _call_off(session, match, "", by)


def _call_off(session: Session, match: Match, why: str, by: Account | None = None) -> None:
    match.status, match.muster_until, match.fill_at = MatchStatus.CANCELLED, None, None
    match.share_key = match.share_mark = ""
    for seat in seats_of(session, match):
        if seat.account_id and (by is None or seat.account_id != by.id):
            letters.cancelled(session, match, seat, by_id(session, seat.account_id).email, why)
        elif seat.invited_email:
            letters.cancelled(session, match, seat, seat.invited_email, why)
    session.flush()


def be_there(session: Session, match: Match, seat: str) -> None:
    """Confirm a player's presence, until the muster is closed. Idempotent."""
    match = locked(session, match)
    muster.confirm(session, seat_called(session, match, seat))
    start_when_full(session, match)


def close_muster(session: Session, match: Match) -> None:
    """After a muster's deadline, let bots take the seats of absent players, and start; at an open table anybody may take over.
    Hosting passes to a present player; without any, the game is cancelled.
    """
    match, seats = locked(session, match), seats_of(session, match)
    gone = muster.absent(match, seats)
    if not gone or match.muster_until is None or match.muster_until > now():
        return
    here = [seat for seat in seats if seat.account_id and seat not in gone]
    if not here:
        _call_off(session, match, "muster")
        return
    if match.host_id in {seat.account_id for seat in gone}:
        match.host_id = str(here[0].account_id)
    for seat in gone:
        letters.to_seat(session, "replaced", match, seat, {"why": "muster"})
        handover.empty(session, match, seat)
        others = [row.name for row in seats if row.seat != seat.seat]
        character = characters.cast(match, others)
        seat.name, seat.pronoun = names.distinct(character.name, others, seat.seat), character.pronoun
        seat.status = SeatStatus.TAKEN
        seat.steward, seat.wanted = deadlines.steward(match), "open" if match.access == "open" else ""
        session.flush()
    _start(session, match)


def fill(session: Session, match: Match) -> None:
    """Seat bots on free and promised seats once `fill_at` has passed; notifies the players."""
    match = locked(session, match)
    if match.fill_at is None or match.fill_at > now():
        return
    match.fill_at = now() + AGAIN  # somebody may leave before the start
    names_of_bots = []
    for seat in seats_of(session, match):
        if seat.status != SeatStatus.TAKEN:
            handover.empty(session, match, seat)
            _seat_bot(session, match, seat, bots_of(GAMES[match.game])[0])
            names_of_bots.append(seat.name)
    if not names_of_bots:
        return
    for seat in seats_of(session, match):
        if seat.account_id:
            letters.to_seat(session, "filled", match, seat, {"bots": Listed(names_of_bots)})
    start_when_full(session, match)


def start_when_full(session: Session, match: Match) -> bool:
    """Start a game once everybody agrees to the options and is present."""
    seats = seats_of(session, match)
    if any(s.status != SeatStatus.TAKEN for s in seats) or terms.unconfirmed(match, seats):
        match.muster_until = None
        return False
    if not muster.is_over(session, match, seats):
        return False
    _start(session, match)
    return True


def _start(session: Session, match: Match) -> None:
    seats = seats_of(session, match)
    game = game_called(match.game)
    infos = []
    for seat in seats:
        given = bool(seat.entropy)
        seat.entropy = seat.entropy or secrets.token_hex(16)
        infos.append(matches.SeatInfo(seat.seat, seat.name, seat.entropy, seat.bot, given))
    header = matches.Header(
        writ=matches.WITH_TAKE_BACKS if match.take_back else matches.FORMAT,
        match=match.id,
        game=match.game,
        rules=game.rules.version,
        options=(options := carried.options(session, match, seats)),
        seats=infos,
        commitment=match.commitment,
        created=of_log(now()),
        rulings=rulings.chosen(match),
    )
    match.options = options
    match.header = msgspec.json.encode(header).decode()
    match.head = header.hash()
    match.status, match.started_at = MatchStatus.RUNNING, now()
    match.muster_until = match.fill_at = None
    match.share_key = match.share_mark = ""
    session.flush()
    guides.begin(session, match, seats)
    queue.after_commit(session, queue.adjudication(match), match.id)
