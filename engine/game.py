"""Game interface in five parts. `games` is the registry."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from functools import cached_property, partial
from typing import Any, Protocol

import msgspec

from engine.bots.random import play_at_random
from engine.core import visibility
from engine.core.asks import Answer, Ask, NotLegal, NotUnderstood, Option, Seat, check, read
from engine.core.chance import Chance
from engine.core.consequences import Holdings
from engine.core.figures import Figure
from engine.core.odds import Stake
from engine.core.parleys import Parleys
from engine.core.procedure import AnyState as AnyState
from engine.core.procedure import Procedure, Unfinished
from engine.core.rulings import Ruled, Rulings, begun
from engine.core.views import Event
from engine.language import lore
from engine.language.words import Catalogue, Message, Names, say
from engine.text import telling
from engine.text.digest import Digest
from engine.text.labels import Labels
from engine.text.lessons import Lessons
from engine.text.notation import Notation, of_table

Audience = tuple[Seat, ...] | None
"""Seats that may see something; None: everybody, spectators too."""
View = dict[str, Any]
"""JSON-compatible data that one seat or a spectator may see."""


@dataclass(frozen=True)
class Layout:
    """Layout of the orders page, from `lore/orderbook.toml`."""

    common: Sequence[str] = ()
    """Ids that are listed first."""
    sign: Mapping[str, str] = field(default_factory=dict)
    """id -> icon in GAME.svg or parts.svg."""
    away: Mapping[str, str] = field(default_factory=dict)
    """Preset for an absent player."""
    ask: Mapping[str, str] = field(default_factory=dict)
    """id -> setting that asks, for orders with a default of the house but without an option `ask`."""
    preset: Mapping[str, str] = field(default_factory=dict)
    brisk: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Settings for the members of `Orders`; the last for `preset_too`, by name."""


def layout(package: str) -> Layout:
    return lore.table(package, "orderbook.toml", Layout)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """How pages show the standing orders."""

    prefix: str = ""
    """Prefix of their asks' kinds."""
    labels: Labels | None = None
    words: Catalogue | None = None
    """Catalogue for sentences (`engine.ui.sentences`); None: plain forms."""
    layout: Layout = Layout()

    def about(self, id: str) -> str:
        """What an order does, in a sentence."""
        return self.words.text("about", id) if self.words is not None else ""


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Standing orders, parsed (id -> setting)."""

    asks: Callable[[AnyState, Seat], list[Ask]] = lambda _state, _seat: []
    sheet: Sheet = Sheet()
    vet: Callable[[str, Answer], None] = lambda _id, _setting: None
    """Raise NotLegal for settings that fields can't rule out."""
    answer: Callable[[AnyState, Seat, Mapping[str, Answer], bool], Answer | None] = lambda _state, _seat, _orders, _late: None
    """State *re-dealt for the seat*, seat, orders, whether at the deadline -> answer; None: ask."""
    answer_offer: Callable[[AnyState, Seat, Ask, Mapping[str, Answer], bool], Answer | None] = (
        lambda _s, _seat, _a, _orders, _late: None
    )
    """As `answer`, for a proposal to the seat."""
    use: Callable[[AnyState, Seat, Ask, Mapping[str, Answer]], Answer | None] | None = None
    """As `answer`, for a power of the seat; None: don't use it."""
    gives: Callable[[AnyState, Seat, Answer], None] = lambda _state, _seat, _answer: None
    """Record in the state that an order gives this legal answer."""
    after: Callable[[AnyState, Seat, Sequence[str], Mapping[str, str]], dict[str, str]] = lambda _s, _seat, _a, orders: dict(
        orders
    )
    """State, seat, its recent answers as `kind:answer`, orders as text -> orders that stay."""
    last_day: Callable[[str, Answer], date | None] = lambda _id, _setting: None
    """id, setting -> expiry date in the owner's time zone, or None; see `engine.play.orders.of_day`."""
    preset: Mapping[str, str] = field(default_factory=dict)
    """Recommended settings."""
    brisk: Mapping[str, str] = field(default_factory=dict)
    """Recommended settings for less waiting: turns given in advance."""
    preset_too: Callable[[AnyState], Mapping[str, str]] = lambda _state: {}
    """Further recommended settings by the match's optional rules."""
    coming: Callable[[AnyState, Seat], list[Ask]] = lambda _state, _seat: []
    """Asks that may follow while the seat's own position is unchanged."""
    stance: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """Hash of the seat's own position, from what it knows."""


def _nothing_to_choose(_seats: int) -> Ask:
    return Ask("", "variant", (Option("play"),), Answer("play"))


@dataclass(frozen=True)
class Variants:
    """Optional rules; the host's choice is stored in the header."""

    ask: Callable[[int], Ask] = _nothing_to_choose
    """Seats -> the host's Ask, kind `variant`, option `play`."""
    read: Callable[[int, Answer, str], dict[str, Any]] = lambda _seats, _answer, _file: {}
    """Seats, checked answer, text of the host's data file ("": none) -> header options. Raises Refused."""
    write: Callable[[int, Mapping[str, Any]], Answer] = lambda _seats, _options: Answer("play")
    """Seats, header options -> the answer that chooses them, without the file."""
    tell: Callable[[Mapping[str, Any]], list[str]] = lambda _options: []
    """Header options -> a sentence each; [] for the base game."""
    file: str | Message = ""
    """What a host's data file may change; "" where none is allowed."""
    names: Callable[[Mapping[str, Any], Mapping[Seat, str]], dict[Seat, str]] = lambda _options, names: dict(names)
    """Header options, seat names -> names with the host's renamed things."""
    bounded: str = ""
    """Choice, as an answer's text, that bounds a match of players without aim; "" where it ends anyway."""


@dataclass(frozen=True)
class Rematch:
    options: Callable[[Mapping[str, Any], AnyState, Mapping[Seat, Seat]], dict[str, Any]] | None = None
    """Options of a rematch, final state, seat -> its player's seat there -> options with what carries over.

    Without seats: remove what was carried over. None: nothing carries over.
    """
    keeps: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """What a seat keeps for a rematch, in a word or two; usually ""."""


@dataclass(frozen=True)
class Ready:
    id: str
    name: str | Message
    words: str | Message
    cards: Mapping[str, int]


@dataclass(frozen=True)
class Build:
    kind: str
    """Kind of the ask that takes the deck."""
    option: str
    field: str
    groups: Sequence[tuple[str | Message, Sequence[str]]]
    """(heading, kinds of cards), in the rules' order."""
    names: Mapping[str, str]
    """kind -> label."""
    uses: Mapping[str, str]
    """kind -> short hint."""
    copies: int
    """Most cards of a kind."""
    size: int
    """Cards in a deck."""
    about: str | Message
    """Advice on building."""
    check: Callable[[Mapping[str, int]], None]
    """Raise NotLegal for an illegal deck, kind -> number."""
    ready: Sequence[Ready]
    others: Sequence[Build] = ()
    """Deck building for other sizes."""
    wanted: Callable[[Mapping[str, Any], Seat], int] | None = None
    """Header options, seat -> deck size; 0 while unknown. None: `size` for all."""

    def for_seat(self, options: Mapping[str, Any], seat: Seat) -> Build | None:
        """A seat's deck building; None while its size is unknown."""
        size = self.size if self.wanted is None else self.wanted(options, seat)
        return self.of_size(size) if size else None

    def of_size(self, size: int) -> Build:
        """A size's deck building; unknown sizes get the default."""
        return next((other for other in self.others if other.size == size), self)

    @property
    def all_ready(self) -> list[Ready]:
        """Ready-made decks of every size."""
        return [*self.ready, *(ready for other in self.others for ready in other.ready)]

    @property
    def kinds(self) -> list[str]:
        return [kind for _, kinds in self.groups for kind in kinds]

    def answer(self, cards: Mapping[str, int]) -> Answer:
        return Answer(self.option, {self.field: [kind for kind in self.kinds for _ in range(cards.get(kind, 0))]})


class SetUp(Protocol):
    def __call__(
        self, seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, rulings: Ruled | None = None, /
    ) -> AnyState: ...


OfferPolicy = Callable[[AnyState, Seat, Ask, Chance], Answer | None]
"""State *re-dealt for the seat*, seat, power or proposal, own chance -> answer; None: not now."""


class Trait(StrEnum):
    """Declared properties of a game, for tests and services."""

    ENDLESS = "endless"
    """No rule ends it while players only pass."""
    UNSEALED = "unsealed"
    """No simultaneous hidden answers."""
    UNHIDDEN = "unhidden"
    """No hidden information on the table."""
    COMPLETE = "complete"
    """It has all that the service can show: its own board and styles, headings, a story, how long it takes."""


@dataclass(frozen=True, kw_only=True)
class Checks:
    traits: frozenset[Trait] = frozenset()
    conserved: Callable[[AnyState], dict[str, int]] = lambda _state: {}
    """Invariant counts (such as cards of each set), compared after every move."""
    secrets: Callable[[AnyState, Seat], list[str]] = lambda _state, _seat: []
    """Strings that must not appear in other seats' texts."""


def _no_powers(_state: AnyState, _seat: Seat) -> list[Ask]:
    return []


def _use_none(_state: AnyState, _seat: Seat, kind: str, _answer: Answer) -> None:
    raise NotLegal(say("match.no_offer", kind=kind))


@dataclass(frozen=True)
class Powers:
    """A seat's optional actions (`engine.core.offers`)."""

    open: Callable[[AnyState, Seat], list[Ask]] = _no_powers
    """Powers open to a seat, one of a kind."""
    use: Callable[[AnyState, Seat, str, Answer], None] = _use_none
    """Use a power, checked before; may push a procedure."""
    vet: Callable[[AnyState, Seat, str, Answer], None] = lambda _state, _seat, _kind, _answer: None
    """Raise NotLegal for uses that fields can't rule out."""


DERIVED: Any = None
"""Default of functions that `__post_init__` derives from other members."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Pure, except on states they are given to change."""

    seats: range
    """Numbers of seats: `range(2, 5)` for 2 to 4."""
    state: Any
    """Type of states: `State[Table, Procedures]`."""
    deal: Callable[[list[Seat], Chance], AnyState] | None = None
    """Seats, chance -> initial state, for games without options; else give `setup`."""
    setup: SetUp = DERIVED
    """Seats, options, chance, rulings (None: defaults) -> initial state, for `procedure.begin`. Raises Refused for unknown
    options and rulings. Derived from `deal`.
    """
    version: int = 1
    """Newest log version that can be played. Rule changes are rulings; see `engine.core.rulings`."""
    rulings: Rulings = field(default_factory=dict)
    """Decisions where the rule book leaves a choice, and on changed rules."""
    variants: Variants = Variants()
    powers: Powers = Powers()

    turn_of: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """Id of the seat's turn that its ask belongs to, equal for all steps; "" for a reaction."""
    round_of: Callable[[AnyState], int] = lambda _state: 0
    """Round number, for games that count rounds."""
    score: Callable[[AnyState, Seat], tuple[int, int] | None] = lambda _state, _seat: None
    """Public points of a seat and points to win; None where none are counted."""
    held: Callable[[AnyState, Seat], tuple[str, int] | None] = lambda _state, _seat: None
    """Public standing of a seat, where there are no points: key of a word with a number, and the number."""
    ranking: Callable[[AnyState], Mapping[tuple[Seat, ...], tuple[int, ...]]] = lambda _state: {}
    """Sides still in the game (seats that win together) -> public ranking tuple, more is better; {} if unranked. See
    `engine.play.ranking`.
    """

    view: Callable[[AnyState, Seat | None], View] = DERIVED
    """What the seat may see (None: spectator); an allow-list. By default derived from field visibility."""
    redeal: Callable[[AnyState, Seat | None, Chance], AnyState] = DERIVED
    """Copy with the seat's hidden information redealt; derived likewise."""
    notation: Notation = DERIVED
    """Positions as text; derived likewise."""
    audience: Callable[[str, Seat, Answer], Audience] = lambda _kind, seat, _answer: (seat,)
    """Ask kind, seat, answer -> who sees the answer when it is played, the seat included; None: all.

    Others don't even see that a power was used. Proposals have their own audience.
    """
    shows: Mapping[str, str] = field(default_factory=dict)
    """Event kinds that reveal what views hide: to `all`, or to the seats in the fact of that name."""
    tells: Mapping[str, str] = field(default_factory=dict)
    """Kinds of hidden answers -> private event by which others learn of one: they may see that it was a default."""
    windows: frozenset[str] = frozenset()
    """Ask kinds put to everyone who could react. A quick answer may leak, so tables can keep them open until the deadline."""

    rematch: Rematch = Rematch()
    build: Build | None = None
    """Deck building, or None."""
    parleys: Parleys | None = None
    """Limits of private messages; None: unlimited."""
    checks: Checks = Checks()

    @property
    def offerless(self) -> bool:
        return self.powers.open is _no_powers

    def encode(self, state: AnyState) -> bytes:
        """Serialise to MessagePack, for snapshots and copies."""
        return msgspec.msgpack.encode(state)

    @cached_property
    def decode(self) -> Callable[[bytes], AnyState]:
        return msgspec.msgpack.Decoder(self.state).decode


@dataclass(frozen=True)
class Words:
    """Words of a game. All but the catalogue can be derived: see `engine.text.telling`."""

    catalogue: Catalogue
    tell: Callable[[Event, Mapping[Seat, str], Seat | None], str] = DERIVED
    """Event, seat names, reader (None: of the names) -> sentence that calls the reader's seat "you"; "": not shown."""
    merge: Callable[[Event, Event], Event | None] = lambda _one, _then: None
    """Two successive events of an answer -> one event for both, of the weightier's kind; None: each has its sentence."""
    chapter: Callable[[Event], str] = DERIVED
    """Event -> heading of the journal chapter that it begins, or ""."""
    labels: Labels = DERIVED
    """Labels of its asks."""
    word: Callable[[str, Mapping[Seat, str], Seat], str] = DERIVED
    """Card or piece id, names, seat that has it ("": none) -> label."""
    listed: Callable[[Iterable[str], Names, Seat], str] = DERIVED
    """Card or piece ids (a list, or counted), names, seat that has them -> list in words."""

    def __post_init__(self) -> None:
        _derive(self, "tell", lambda: telling.teller(self.catalogue))
        _derive(self, "chapter", lambda: telling.chapters(self.catalogue))
        _derive(self, "word", lambda: telling.by_id(self.catalogue))
        _derive(self, "listed", lambda: telling.listed(self.word))
        _derive(self, "labels", lambda: telling.labels(self.catalogue, self.word))

    def note(self, kind: str, options: Collection[str], seats: int) -> str:
        """Tutorial note in a first match, from section `note`; "" for none. `options`: those open; `seats`: their number, a
        fact of the text.

        A key is a kind, or `KIND-OPTION`; the first that fits counts.
        """
        for key in self.catalogue.keys("note"):
            asked, _, option = key.partition("-")
            if asked == kind and (not option or option in options):
                return self.catalogue.text("note", key, {"seats": seats})
        return ""


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """Event kinds by how log, history and story show them, in `lore/log.toml`."""

    hostile: frozenset[str] = frozenset()
    """Hostile acts, a measure of interaction."""
    dull: frozenset[str] = frozenset()
    """Events of every turn, ranked last in summaries."""
    turning: Sequence[str] = ()
    """Events that decide matches, most important first, for the match's story."""
    great: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Event kind -> great moment of a seat (`won`, `out`, `crown`, `took`, `lost`) -> fact naming the seat or seats: bots may
    speak then, see `service.log.bot_talk`."""
    falls: str = ""
    """Event by which a seat is eliminated: facts `seat` and `how` (key of section `fell`). "": no elimination."""
    chapters: frozenset[str] = frozenset()
    """Events that can begin a chapter; empty: any."""
    drawn: frozenset[str] = frozenset()
    """Events that pages draw next to the sentence (`templates/GAME/told.html`)."""


@dataclass(frozen=True, kw_only=True)
class Log(Kinds):
    places: Callable[[Event], Iterable[str]] = lambda _event: ()
    """Event -> `data-place` codes of board places that its facts don't name."""
    digest: Digest | None = None
    """Merges log lines of a page; None: one line an answer."""


@dataclass(frozen=True, kw_only=True)
class Face:
    board: Callable[[View, Any, Answer | None], object] = lambda _view, _form, _begun: None
    """Template variable `board`, from the seat's view, its `forms.Form` and the partial answer only."""
    preview: Callable[[AnyState, Seat, Answer, Names], str] = lambda _state, _seat, _answer, _names: ""
    """Certain effects of an answer, in words; "" where they are hidden or random."""
    forecast: Callable[[AnyState, Seat, Answer], View] = lambda _state, _seat, _answer: {}
    """The same as data for `GAME/ahead.html`; {} for none."""
    stakes: Callable[[AnyState, Seat, Answer], Sequence[Stake]] = lambda _state, _seat, _answer: ()
    """Fights that an answer begins or decides, which `engine.core.odds` plays; () for none."""
    counts: frozenset[str] = frozenset()
    """`kind/option` of the answers that may have any."""
    begins: frozenset[str] = frozenset()
    """Those that begin a fight, for `engine.play.ending.luck`."""
    verdict: Callable[[Event, Seat], int | None] = lambda _event, _seat: None
    """Result of a fight for the seat that began it: 1, 0 or -1; None for events that decide none."""
    waives: Callable[[AnyState, Seat, Answer], bool] = lambda _state, _seat, _answer: False
    """Whether an answer gives up what the turn still allows (`preview` names it): pages ask for confirmation."""
    fate: Callable[[AnyState, Seat, Answer], str] = lambda _state, _seat, _answer: ""
    """Why an answer ends the game for its seat, now or later than `engine.core.consequences` looks; usually ""."""
    holds: Callable[[AnyState, Seat], Holdings] = lambda _state, _seat: {}
    """What a seat can lose for good, gravest first, by public facts: see `engine.core.consequences`."""
    perils: frozenset[str] = frozenset()
    """Kinds of asks in which it can lose some of that, or `kind/option`. Of powers and proposals all are looked at."""
    fights: tuple[type[Procedure], ...] = ()
    """Procedures in which chance decides what is lost."""
    log: Log = Log()
    figures: Sequence[Figure] = ()
    """Statistics of finished matches, most quotable first; see `engine.play.ending`."""
    reason: Callable[[AnyState, Seat, Names], str] = lambda _state, _seat, _names: ""
    """Final position, seat, names -> what its place in the standings rests on, in a few words; "" for nothing."""
    switch: str = ""
    """A one-choice field with ids prefixed by kind, `siege:b:F1`: pages add tabs by kind (`templates/GAME/switch.html`)."""
    last_picked: tuple[str, ...] = ()
    """Options that a pick on the board opens only if no other option takes it: a tapped Castle is no Tower."""
    days: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    """Simulated length (`writ tempo`) by hours of a turn and by seats: median days with recommended orders, and without."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Data for its own pages, such as tables of cards."""
    lessons: Lessons | None = None
    """Short lessons for newcomers: see docs/lessons.md."""


@dataclass(frozen=True, kw_only=True)
class Bots:
    players: Mapping[str, Callable[[AnyState, Seat, Chance], Answer]] = field(
        default_factory=lambda: {"random": play_at_random}
    )
    """Name -> bot: state *re-dealt for the seat*, seat, own chance -> answer. The last is the best, the `steward`."""
    offer_policies: Mapping[str, OfferPolicy] = field(default_factory=dict)
    """Bot -> its answers to powers and proposals. Without one: no powers, default answers."""

    @property
    def steward(self) -> str:
        """The bot that replaces an absent player."""
        return list(self.players)[-1]


@dataclass(frozen=True, kw_only=True)
class Game:
    """Interface of a game.

    Members without a value have defaults or are derived from the table's struct (`engine.core.visibility`,
    `engine.text.notation`) and the catalogue (`engine.text.telling`). Raises Unfinished.
    """

    name: str
    """Id in headers and URLs: `ortus`."""
    title: str
    """The publisher's title."""
    rules: Rules
    words: Words
    face: Face = Face()
    orders: Orders = Orders()
    bots: Bots = Bots()

    def __post_init__(self) -> None:
        rules = replace(self.rules)
        _derive(rules, "setup", self._plain_setup)
        if DERIVED in (rules.view, rules.redeal, rules.notation):
            known = visibility.sights(rules.state)
            _derive(rules, "view", lambda: partial(visibility.view, self.name, known))
            _derive(rules, "redeal", lambda: visibility.redealer(known))
            notation = of_table(self.name, known, rules.rulings)
            _derive(rules, "notation", lambda: notation)
        object.__setattr__(self, "rules", rules)

    def _plain_setup(self) -> SetUp:
        """Set-up by `deal`; refuses options."""
        rules, deal = self.rules, self.rules.deal
        if deal is None:
            raise Unfinished(f"The Game “{self.name}” needs `deal`, or `setup`: how it begins.")

        def setup(
            seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, rulings: Ruled | None = None, /
        ) -> AnyState:
            if len(seats) not in rules.seats:
                least, most = rules.seats[0], rules.seats[-1]
                raise NotUnderstood(say("games.seats", title=self.title, n=len(seats), least=least, most=most))
            if options:
                raise NotUnderstood(say("games.option", title=self.title, option=str(min(options))[:30]))
            state = deal(list(seats), chance)
            state.table.rulings = begun(rules.rulings, rulings)
            return state

        return setup

    def holding(self, state: AnyState, seat: Seat) -> str:
        """Public standing in a word or two, `3 Fiefs`; "" if there are points."""
        found = self.rules.held(state, seat)
        return self.words.catalogue.amount(*found) if found is not None else ""


def _derive(part: Rules | Words, name: str, make: Callable[[], Any]) -> None:
    if getattr(part, name) is DERIVED:
        object.__setattr__(part, name, make())


def labels_of(game: Game, ask: Ask) -> Labels:
    sheet = game.orders.sheet
    return sheet.labels if sheet.labels is not None and ask.kind.startswith(sheet.prefix) else game.words.labels


def choice_of(game: Game, seats: int, choice: str, aimless: bool = False) -> Answer:
    """Parse optional rules, `play rules=[mayhem]`; by default the base game's. Raises Refused. `aimless`: players may not play
    to win, so bound the length by default.
    """
    ask = game.rules.variants.ask(seats)
    given = [read(text) for text in (game.rules.variants.bounded if aimless else "", choice) if text]
    values = {name: value for answer in (ask.default, *given) for name, value in answer.values.items()}
    return check(ask, Answer(given[-1].option if given else ask.default.option, values))


def options_of(game: Game, seats: int, choice: str, aimless: bool = False) -> dict[str, Any]:
    """Header options of such a choice. Raises Refused."""
    return game.rules.variants.read(seats, choice_of(game, seats, choice, aimless), "")


def copy(game: Game, state: AnyState) -> AnyState:
    return game.rules.decode(game.rules.encode(state))
