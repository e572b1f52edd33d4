"""Game interface: the functions that kernel, service, bots and tests call. `games` is the registry."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, Protocol

import msgspec

from engine import lore, telling, visibility
from engine.asks import Answer, Ask, NotLegal, NotUnderstood, Option, Seat, check, read
from engine.bots.random import play_at_random
from engine.chance import Chance
from engine.digest import Digest
from engine.labels import Labels
from engine.notation import Notation, as_seen, whole
from engine.parleys import Parleys
from engine.procedure import AnyState as AnyState
from engine.procedure import Unfinished
from engine.rulings import Ruled, Rulings, begun
from engine.views import Event
from engine.words import KERNEL, Catalogue, Line, Names, say

Audience = tuple[Seat, ...] | None
"""Seats that may see something; None: everybody, spectators too."""
View = dict[str, Any]
"""JSON-compatible data that one seat or a spectator may see."""


@dataclass(frozen=True)
class Layout:
    common: Sequence[str] = ()
    """Ids that are listed first."""
    sign: Mapping[str, str] = field(default_factory=dict)
    """id -> icon in GAME.svg or parts.svg."""
    away: Mapping[str, str] = field(default_factory=dict)
    """Preset for an absent player."""


def layout(package: str) -> Layout:
    return msgspec.convert(tomllib.loads(lore.text(package, "orderbook.toml")), Layout)


@dataclass(frozen=True)
class Book:
    """Standing orders of a game, used through `engine.orders`. Orders are parsed: id -> setting."""

    asks: Callable[[AnyState, Seat], list[Ask]] = lambda _state, _seat: []
    prefix: str = ""
    """Prefix of those asks' kinds."""
    labels: Labels | None = None
    words: Catalogue | None = None
    """Catalogue for sentences (`engine.sentences`); None: plain forms."""
    layout: Layout = Layout()
    about: Callable[[str], str] = lambda _id: ""
    """id of an order -> what it does, in a sentence."""
    vet: Callable[[str, Answer], None] = lambda _id, _setting: None
    """Raise NotLegal for settings that fields can't rule out."""
    answer: Callable[[AnyState, Seat, Mapping[str, Answer], bool], Answer | None] = lambda _state, _seat, _orders, _late: None
    """State *re-dealt for the seat*, seat, orders, whether at the deadline -> answer; None: ask."""
    haggle: Callable[[AnyState, Seat, Ask, Mapping[str, Answer], bool], Answer | None] = lambda _s, _seat, _a, _orders, _late: (
        None
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
    """id, setting -> expiry date in the owner's time zone, or None; see `engine.orders.of_day`."""
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
    """Optional rules: the host's choice, stored in the header."""

    ask: Callable[[int], Ask] = _nothing_to_choose
    """Seats -> the host's Ask, kind `variant`, option `play`."""
    read: Callable[[int, Answer, str], dict[str, Any]] = lambda _seats, _answer, _file: {}
    """Seats, checked answer, text of the host's data file ("": none) -> header options. Raises Refused."""
    write: Callable[[int, Mapping[str, Any]], Answer] = lambda _seats, _options: Answer("play")
    """Seats, header options -> the answer that chooses them, without the file."""
    tell: Callable[[Mapping[str, Any]], list[str]] = lambda _options: []
    """Header options -> a sentence each; [] for the base game."""
    file: str | Line = ""
    """What a host's data file may change; "" where none is allowed."""


@dataclass(frozen=True)
class Ready:
    id: str
    name: str | Line
    words: str | Line
    cards: Mapping[str, int]


@dataclass(frozen=True)
class Build:
    """Deck building: a list of cards put together before the game."""

    kind: str
    """Kind of the ask that takes the deck."""
    option: str
    field: str
    groups: Sequence[tuple[str | Line, Sequence[str]]]
    """(heading, kinds of cards), in the rules' order."""
    names: Mapping[str, str]
    """kind -> label."""
    uses: Mapping[str, str]
    """kind -> short hint."""
    copies: int
    """Most cards of a kind."""
    size: int
    """Cards in a deck."""
    about: str | Line
    """Advice on building."""
    check: Callable[[Mapping[str, int]], None]
    """Raise NotLegal for an illegal deck, kind -> number."""
    ready: Sequence[Ready]
    others: Sequence[Build] = ()
    """Deck building for other sizes."""
    wanted: Callable[[Mapping[str, Any], Seat], int] | None = None
    """Header options, seat -> deck size; 0 while unknown. None: `size` for all."""

    def for_seat(self, options: Mapping[str, Any], seat: Seat) -> Build | None:
        """Deck building for a seat; None while its size is unknown."""
        size = self.size if self.wanted is None else self.wanted(options, seat)
        return self.of_size(size) if size else None

    def of_size(self, size: int) -> Build:
        """Deck building for a size; unknown sizes get the default."""
        return next((other for other in self.others if other.size == size), self)

    @property
    def all_ready(self) -> list[Ready]:
        """Ready-made decks of every size."""
        return [*self.ready, *(ready for other in self.others for ready in other.ready)]

    @property
    def kinds(self) -> list[str]:
        return [kind for _, kinds in self.groups for kind in kinds]

    def answer(self, cards: Mapping[str, int]) -> Answer:
        """Answer that submits a deck."""
        return Answer(self.option, {self.field: [kind for kind in self.kinds for _ in range(cards.get(kind, 0))]})


class SetUp(Protocol):
    def __call__(
        self, seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, rulings: Ruled | None = None, /
    ) -> AnyState: ...


Haggler = Callable[[AnyState, Seat, Ask, Chance], Answer | None]
"""State *re-dealt for the seat*, seat, power or proposal, own chance -> answer; None: not now."""


DERIVED: Any = None
"""Default of functions that `__post_init__` derives from the others."""


class Trait(StrEnum):
    """Declared properties of a game, for tests and services."""

    ENDLESS = "endless"
    """No rule ends it while players only pass."""
    UNSEALED = "unsealed"
    """No simultaneous hidden answers."""
    UNHIDDEN = "unhidden"
    """No hidden information on the table."""
    COMPLETE = "complete"
    """It brings all that the service can show: a board and styles of its own, headings, a story, how long it takes."""


def _no_offers(_state: AnyState, _seat: Seat) -> list[Ask]:
    return []


def _take_none(_state: AnyState, _seat: Seat, kind: str, _answer: Answer) -> None:
    raise NotLegal(say("match.no_offer", kind=kind))


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game's interface. Pure functions, except for states that they are given to change.

    Optional fields have defaults or are derived from the table's struct (`engine.visibility`, `engine.notation`) and the
    catalogue (`engine.telling`). Raises Unfinished where that fails.
    """

    name: str
    """Id in headers and URLs: `ortus`."""
    title: str
    """The publisher's title."""
    least: int
    most: int
    """Range of seats."""
    state: Any
    """Type of states: `State[Table, Procedures]`."""
    words: Catalogue
    """Catalogue of its words."""
    deal: Callable[[list[Seat], Chance], AnyState] | None = None
    """Seats, chance -> initial state, for games without options of their own; else give `setup`."""
    setup: SetUp = DERIVED
    """Seats, options, chance, rulings (None: defaults) -> initial state, for `procedure.begin`. Raises Refused for unknown
    options and rulings. Derived from `deal`.
    """

    rules: int = 1
    """Newest log version that can be played. Rule changes are rulings; see `engine.rulings`."""
    traits: frozenset[Trait] = frozenset()
    turn_of: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """Id of the seat's turn that its ask belongs to, equal for all steps; "" for a reaction."""
    round_of: Callable[[AnyState], int] = lambda _state: 0
    """Round number, for games that count rounds."""
    score: Callable[[AnyState, Seat], tuple[int, int] | None] = lambda _state, _seat: None
    """Public points of a seat and points to win; None where none are counted."""
    holding: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """Public standing in a word or two, where there are no points: `3 Fiefs`."""
    held: Callable[[AnyState, Seat], tuple[str, int] | None] = lambda _state, _seat: None
    """The same as data: words' key and number."""
    ranking: Callable[[AnyState], Mapping[tuple[Seat, ...], tuple[int, ...]]] = lambda _state: {}
    """Sides still in the game (seats that win together) -> public ranking tuple, more is better; {} if unranked. See
    `engine.ranking`.
    """
    offers: Callable[[AnyState, Seat], list[Ask]] = _no_offers
    """Powers of a seat: optional actions at any time, one of a kind. See `engine.offers`, also for proposals."""
    take_offer: Callable[[AnyState, Seat, str, Answer], None] = _take_none
    """Use a power, checked before; may push a procedure."""

    view: Callable[[AnyState, Seat | None], View] = DERIVED
    """What the seat may see (None: spectator); an allow-list, derived from field visibility."""
    redeal: Callable[[AnyState, Seat | None, Chance], AnyState] = DERIVED
    """Copy with the seat's hidden information redealt; derived likewise."""
    audience: Callable[[str, Seat, Answer], Audience] = lambda _kind, seat, _answer: (seat,)
    """Ask kind, seat, answer -> who sees the answer when it is played, the seat included; None: all.

    Others don't even see that a power was used. Proposals have their own audience.
    """
    shows: Mapping[str, str] = field(default_factory=dict)
    """Event kinds that reveal what views hide: to `all`, or to the seats in the fact of that name."""

    windows: frozenset[str] = frozenset()
    """Ask kinds put to everyone who could react. A quick answer may leak, so tables can keep them open until the deadline."""

    tell: Callable[[Event, Mapping[Seat, str], Seat | None], str] = DERIVED
    """Event, seat names, reader -> sentence, the same for all who may see it; "": not shown. Derived from words."""
    chapter: Callable[[Event], str] = DERIVED
    """Event -> heading of the journal chapter that it begins, or "". Derived from words."""
    labels: Labels = DERIVED
    """Labels of its asks. Derived from words."""

    word: Callable[[str, Mapping[Seat, str], Seat], str] = DERIVED
    """Card or piece id, names, seat that has it ("": none) -> label. Derived from words."""

    names: Callable[[Mapping[str, Any], Mapping[Seat, str]], dict[Seat, str]] = lambda _options, names: dict(names)
    """Header options, seat names -> names with the host's renamed things."""

    orders: Book = field(default_factory=Book)

    encode: Callable[[AnyState], bytes] = msgspec.msgpack.encode
    decode: Callable[[bytes], AnyState] = DERIVED
    """MessagePack encoding of states, for snapshots and copies."""
    position: Callable[[AnyState], str] = DERIVED
    """Position as text, with all secrets. Derived from the table, like the next two."""
    position_seen: Callable[[AnyState, Seat | None], str] = DERIVED
    """Position as text, redacted for the seat."""
    read_position: Callable[[str], AnyState] = DERIVED
    """Parse a position. Raises NotUnderstood with the line."""

    conserved: Callable[[AnyState], dict[str, int]] = lambda _state: {}
    """Invariant counts (cards of each set, say), compared after every move in tests."""
    preview: Callable[[AnyState, Seat, Answer, Names], str] = lambda _state, _seat, _answer, _names: ""
    """Certain effects of an answer, in words; "" where they are hidden or random."""
    forecast: Callable[[AnyState, Seat, Answer], View] = lambda _state, _seat, _answer: {}
    """The same as data for `GAME/ahead.html`; {} for none."""
    board: Callable[[View, Any, Answer | None], object] = lambda _view, _form, _begun: None
    """Template variable `board`, from the seat's view, its `forms.Form` and the partial answer only."""
    fate: Callable[[AnyState, Seat, Answer], str] = lambda _state, _seat, _answer: ""
    """Warning next to the question about a grave default; usually ""."""
    secrets: Callable[[AnyState, Seat], list[str]] = lambda _state, _seat: []
    """Strings that must not appear in other seats' texts, for contract tests."""
    bots: Mapping[str, Callable[[AnyState, Seat, Chance], Answer]] = field(default_factory=lambda: {"random": play_at_random})
    """Name -> bot: state *re-dealt for the seat*, seat, own chance -> answer. The last is the best, the `steward`."""
    vet_offer: Callable[[AnyState, Seat, str, Answer], None] = lambda _state, _seat, _kind, _answer: None
    """Raise NotLegal for uses of a power that fields can't rule out."""
    hagglers: Mapping[str, Haggler] = field(default_factory=dict)
    """Bot -> its answers to powers and proposals. Without one: no powers, default answers."""
    rulings: Rulings = field(default_factory=dict)
    """Decisions where the rule book leaves a choice, and on changed rules."""
    variants: Variants = Variants()
    rematch: Callable[[Mapping[str, Any], AnyState, Mapping[Seat, Seat]], dict[str, Any]] | None = None
    """Options of a rematch, final state, seat -> its player's seat there -> options with what carries over.

    Without seats: remove what was carried over. None: nothing carries over.
    """
    keeps: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """What a seat keeps for a rematch, in a word or two; usually ""."""
    bounded: str = ""
    """Variants, as an answer's text, that bound a match of players without aim; "" where it ends anyway."""
    list_words: Callable[[Iterable[str], Names, Seat], str] | None = None
    """Card or piece ids (a list, or counted), names, seat that has them -> list in words."""
    hostile: frozenset[str] = frozenset()
    """Event kinds of hostile acts, a measure of interaction."""
    dull: frozenset[str] = frozenset()
    """Event kinds of every turn, ranked last in summaries."""
    turning: Sequence[str] = ()
    """Event kinds that decide matches, most important first, for the match's story."""
    places: Callable[[Event], Iterable[str]] = lambda _event: ()
    """Event -> `data-place` codes of board places that its facts don't name."""
    switch: str = ""
    """A one-choice field with ids prefixed by kind, `siege:b:F1`: pages add tabs by kind (`templates/GAME/switch.html`)."""
    drawn: frozenset[str] = frozenset()
    """Event kinds that pages draw next to the sentence (`templates/GAME/told.html`)."""
    digest: Digest | None = None
    """Merges log lines of a page; None: one line an answer."""
    falls: str = ""
    """Event kind by which a seat is eliminated: facts `seat` and `how` (key of section `fell`). "": no elimination."""
    chapters: frozenset[str] = frozenset()
    """Event kinds that can begin a chapter; empty: any."""
    days: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    """Simulated length (`writ tempo`) by hours of a turn and by seats: median days with recommended orders, and without."""
    build: Build | None = None
    """Deck building, or None."""
    parleys: Parleys | None = None
    """Limits of private messages; None: unlimited."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Data for its own pages, such as tables of cards."""

    def __post_init__(self) -> None:
        """Derive missing functions."""
        self._derive("setup", self._plain_setup)
        self._derive("decode", lambda: msgspec.msgpack.Decoder(self.state).decode)
        self._derive("tell", lambda: telling.teller(self.words))
        self._derive("chapter", lambda: telling.chapters(self.words))
        self._derive("word", lambda: telling.by_id(self.words))
        self._derive("labels", lambda: telling.labels(self.words, self.word))
        if DERIVED in (self.view, self.redeal, self.position, self.position_seen, self.read_position):
            known = visibility.sights(self.state)
            notation = Notation(self.name, known, self.rulings)
            self._derive("view", lambda: partial(visibility.view, self.name, known))
            self._derive("redeal", lambda: visibility.redealer(known))
            self._derive("position", lambda: whole(notation.lines))
            self._derive("position_seen", lambda: as_seen(notation.lines))
            self._derive("read_position", lambda: notation.read)

    def _plain_setup(self) -> SetUp:
        """Set-up by `deal`: checks the number of seats, and refuses options."""
        deal = self.deal
        if deal is None:
            raise Unfinished(f"The Game “{self.name}” needs `deal`, or `setup`: how it begins.")

        def setup(
            seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, rulings: Ruled | None = None, /
        ) -> AnyState:
            if not self.least <= len(seats) <= self.most:
                raise NotUnderstood(say("games.seats", title=self.title, n=len(seats), least=self.least, most=self.most))
            if options:
                raise NotUnderstood(say("games.option", title=self.title, option=str(min(options))[:30]))
            state = deal(list(seats), chance)
            state.table.rulings = begun(self.rulings, rulings)
            return state

        return setup

    @property
    def guide(self) -> list[str]:
        """Tutorial notes of a first match, in order: section `guide` of its words."""
        return [self.words.text("guide", key) for key in self.words.keys("guide")]

    @property
    def offerless(self) -> bool:
        return self.offers is _no_offers

    def _derive(self, name: str, make: Callable[[], Any]) -> None:
        if getattr(self, name) is DERIVED:
            object.__setattr__(self, name, make())

    @property
    def steward(self) -> str:
        """The bot that replaces an absent player."""
        return list(self.bots)[-1]


def listed(game: Game, ids: Iterable[str], names: Names, home: Seat = "") -> str:
    """List cards or pieces (a list, or counted) in words."""
    if game.list_words is not None:
        return game.list_words(ids, names, home)
    return KERNEL.listed("comma", [game.word(id, names, home) for id in ids])


def labels_of(game: Game, ask: Ask) -> Labels:
    book = game.orders
    return book.labels if book.labels is not None and ask.kind.startswith(book.prefix) else game.labels


def choice_of(game: Game, seats: int, choice: str, aimless: bool = False) -> Answer:
    """Parse a choice of optional rules, `play rules=[mayhem]`; what is left out is as in the base game. Raises Refused.

    `aimless`: nobody may be playing to win, so bound the length by default.
    """
    ask = game.variants.ask(seats)
    given = [read(text) for text in (game.bounded if aimless else "", choice) if text]
    values = {name: value for answer in (ask.default, *given) for name, value in answer.values.items()}
    return check(ask, Answer(given[-1].option if given else ask.default.option, values))


def options_of(game: Game, seats: int, choice: str, aimless: bool = False) -> dict[str, Any]:
    """Header options of such a choice. Raises Refused."""
    return game.variants.read(seats, choice_of(game, seats, choice, aimless), "")


def copy(game: Game, state: AnyState) -> AnyState:
    return game.decode(game.encode(state))
