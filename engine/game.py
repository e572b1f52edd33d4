"""The face of a game: the few functions through which kernel, service, bots and tests use it. The table is in `games`."""

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
from engine.asks import Answer, Ask, NotLegal, Option, Seat, check, read
from engine.bots.random import play_at_random
from engine.chance import Chance
from engine.digest import Digest
from engine.labels import Labels
from engine.notation import Notation, as_seen, whole
from engine.parleys import Parleys
from engine.procedure import AnyState as AnyState
from engine.rulings import Ruled, Rulings
from engine.views import Event
from engine.words import KERNEL, Catalogue, Line, Names, say

Audience = tuple[Seat, ...] | None
"""Some seats; None: everybody, spectators too."""
View = dict[str, Any]
"""What one seat (or a spectator) may know of a position: plain data, ready for a template or for JSON."""


@dataclass(frozen=True)
class Layout:
    """How the page of standing orders lays them out; a game has it in `lore/orderbook.toml`."""

    common: Sequence[str] = ()
    """Ids of those that come first."""
    sign: Mapping[str, str] = field(default_factory=dict)
    """id -> the drawing that stands by it, by its name in GAME.svg or parts.svg."""
    away: Mapping[str, str] = field(default_factory=dict)
    """What somebody sets who is away."""


def layout(package: str) -> Layout:
    """The layout in a package's `lore/orderbook.toml`."""
    return msgspec.convert(tomllib.loads(lore.text(package, "orderbook.toml")), Layout)


@dataclass(frozen=True)
class Book:
    """The standing orders of a game; `engine.orders` is their face to the rest. Orders are read already: id -> setting."""

    asks: Callable[[AnyState, Seat], list[Ask]] = lambda _state, _seat: []
    """Every order that the seat can set, as the Ask by which it is set; its `rule` is the order's id."""
    prefix: str = ""
    """What the kinds of the Asks begin with by which orders are set."""
    labels: Labels | None = None
    """How those Asks read."""
    words: Catalogue | None = None
    """The catalogue that says them as sentences (`engine.sentences`); without one their forms serve."""
    layout: Layout = Layout()
    """How their page lays them out."""
    about: Callable[[str], str] = lambda _id: ""
    """id of an order -> what it does, in a sentence."""
    renewed: Callable[[str, Answer], Answer] = lambda _id, setting: setting
    """id, a setting as it was ever written -> as it is written today."""
    vet: Callable[[str, Answer], None] = lambda _id, _setting: None
    """Refuse what the fields of a setting can't say."""
    answer: Callable[[AnyState, Seat, Mapping[str, Answer], bool], Answer | None] = lambda _state, _seat, _orders, _late: None
    """state *re-dealt for the seat*, seat, orders, at the deadline -> the answer to its open ask; None: it is to be asked."""
    haggle: Callable[[AnyState, Seat, Ask, Mapping[str, Answer], bool], Answer | None] = lambda _s, _seat, _a, _orders, _late: (
        None
    )
    """The same for a proposal that was put to the seat, given as its Ask."""
    use: Callable[[AnyState, Seat, Ask, Mapping[str, Answer]], Answer | None] | None = None
    """The same for a power of the seat's own: how it is to be used now, of itself; None leaves it alone. Looked at whenever the
    table has changed. Without it, no order uses a power."""
    gives: Callable[[AnyState, Seat, Answer], None] = lambda _state, _seat, _answer: None
    """state, seat, answer: an order gives this answer now, a legal one; the position notes what it has to know of that."""
    after: Callable[[AnyState, Seat, Sequence[str], Mapping[str, str]], dict[str, str]] = lambda _s, _seat, _a, orders: dict(
        orders
    )
    """state, seat, what it has answered of late as `kind:answer`, its orders as text -> those that go on."""
    last_day: Callable[[str, Answer], date | None] = lambda _id, _setting: None
    """id, setting -> the day with which it ends by its owner's calendar; None: with none. The game itself knows no clock: who
    has one leaves out what is over, see `engine.orders.of_day`."""
    preset: Mapping[str, str] = field(default_factory=dict)
    """What a sensible player would set."""
    brisk: Mapping[str, str] = field(default_factory=dict)
    """What he would set in its place to be waited for less: for whole turns given in advance."""
    preset_too: Callable[[AnyState], Mapping[str, str]] = lambda _state: {}
    """What he would set beside it in a match like this, by its optional rules."""
    coming: Callable[[AnyState, Seat], list[Ask]] = lambda _state, _seat: []
    """What may be asked of the seat while its own position stays as it is."""
    stance: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """A fingerprint of the seat's own position, made of what it knows."""


def _nothing_to_choose(_seats: int) -> Ask:
    return Ask("", "variant", (Option("play"),), Answer("play"))


@dataclass(frozen=True)
class Variants:
    """The optional rules of a game: how a host chooses them before the start, and what stands of them in the header."""

    ask: Callable[[int], Ask] = _nothing_to_choose
    """seats -> the choice as an Ask of the host's, kind `variant`, with the one option `play`. Its words are the game's."""
    read: Callable[[int, Answer, str], dict[str, Any]] = lambda _seats, _answer, _file: {}
    """seats, the checked answer, the text of a file of the host's own ('' for none) -> the header's options. Raises Refused."""
    write: Callable[[int, Mapping[str, Any]], Answer] = lambda _seats, _options: Answer("play")
    """seats, the header's options -> the answer that chooses them; a file is not in it."""
    tell: Callable[[Mapping[str, Any]], list[str]] = lambda _options: []
    """The header's options -> a sentence on each, for those who join; nothing for the base game."""
    file: str | Line = ""
    """What a host may bring in a file of his own, in words; the empty string where there is no such thing."""


@dataclass(frozen=True)
class Ready:
    """A list of cards that the house has put together, with its words."""

    id: str
    name: str | Line
    words: str | Line
    cards: Mapping[str, int]


@dataclass(frozen=True)
class Build:
    """A list of cards that a player may put together before the game and keep: a deck. Its words are the game's."""

    kind: str
    """The ask that it answers,"""
    option: str
    """with this option of it"""
    field: str
    """and the picks in this field."""
    groups: Sequence[tuple[str | Line, Sequence[str]]]
    """Heading, kinds of cards: all kinds, in the order of the rules."""
    names: Mapping[str, str]
    """kind -> what people call it."""
    uses: Mapping[str, str]
    """kind -> what it is for, in a few words that help choosing."""
    copies: int
    """At most so many cards of a kind."""
    size: int
    """Exactly so many cards in all."""
    about: str | Line
    """What makes a good list, in a sentence or two."""
    check: Callable[[Mapping[str, int]], None]
    """kind -> number: refuse what is no such list. Raises NotLegal."""
    ready: Sequence[Ready]
    """The lists of the house."""
    others: Sequence[Build] = ()
    """The same for lists of other sizes, where some seats bring such."""
    wanted: Callable[[Mapping[str, Any], Seat], int] | None = None
    """the header's options, seat -> the size of its list; 0 while that depends on what is yet to come. None: `size` for all."""

    def for_seat(self, options: Mapping[str, Any], seat: Seat) -> Build | None:
        """How the seat's list is built; None while nobody can know."""
        size = self.size if self.wanted is None else self.wanted(options, seat)
        return self.of_size(size) if size else None

    def of_size(self, size: int) -> Build:
        """How a list of that size is built; of any other size, the usual one."""
        return next((other for other in self.others if other.size == size), self)

    @property
    def all_ready(self) -> list[Ready]:
        """The lists of the house of every size."""
        return [*self.ready, *(ready for other in self.others for ready in other.ready)]

    @property
    def kinds(self) -> list[str]:
        """All kinds of cards, in the order of the rules."""
        return [kind for _, kinds in self.groups for kind in kinds]

    def answer(self, cards: Mapping[str, int]) -> Answer:
        """The answer that plays the list."""
        return Answer(self.option, {self.field: [kind for kind in self.kinds for _ in range(cards.get(kind, 0))]})


class SetUp(Protocol):
    """How a match is set up; see `Game.setup`."""

    def __call__(
        self, seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, rulings: Ruled | None = None, /
    ) -> AnyState: ...


Haggler = Callable[[AnyState, Seat, Ask, Chance], Answer | None]
"""state *re-dealt for the seat*, seat, a power or a proposal, own chance -> what it answers; None: it lets it stand for now."""


DERIVED: Any = None
"""In the place of what is made for a game that doesn't bring it."""


class Trait(StrEnum):
    """What a game says of itself, for tests and services that would else have to know it by name."""

    ENDLESS = "endless"
    """It goes on for ever while nobody does anything: no rule ends it."""
    UNSEALED = "unsealed"
    """Nothing ever lies sealed: no two seats are asked at once, or each answer is taken as it comes."""
    UNHIDDEN = "unhidden"
    """Nothing on its table is hidden from anybody."""


def _no_offers(_state: AnyState, _seat: Seat) -> list[Ask]:
    return []


def _take_none(_state: AnyState, _seat: Seat, kind: str, _answer: Answer) -> None:
    raise NotLegal(say("match.no_offer", kind=kind))


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game as the rest of Writ sees it. All functions are pure, but for the states that they are given to change.

    A game brings what stands first; the rest has defaults, or is derived: from the struct of its table (`engine.visibility`,
    `engine.notation`) and from its catalogue (`engine.telling`). Raises Unfinished where that can't be done.
    """

    name: str
    """Short name in headers and addresses: `ortus`."""
    title: str
    """As its publisher writes it."""
    least: int
    most: int
    """Seats, from and to."""
    state: Any
    """What its states are: `State[Table, Procedures]`."""
    setup: SetUp
    """seats, options, chance, what is ruled in the match (None: as in new games) -> the state before its first step;
    `procedure.begin` runs it to the first ask. Raises Refused for options and rulings that don't exist."""
    words: Catalogue
    """Its words, in which its refusals are said."""

    rules: int = 1
    """The version of its logs: up to this one they are played. What changes in the rules is a ruling; see `engine.rulings`."""
    traits: frozenset[Trait] = frozenset()
    """What it says of itself."""
    turn_of: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """A mark of the seat's own turn that its open ask is a step of, one and the same for all its steps; '' for a reaction."""
    round_of: Callable[[AnyState], int] = lambda _state: 0
    """The number of the round, where rounds are more than a turn of everybody; how long a game takes is told in them."""
    score: Callable[[AnyState, Seat], tuple[int, int] | None] = lambda _state, _seat: None
    """The points of a seat as everybody knows them, and how many win; None where none are counted."""
    holding: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """What a seat has by which all see how it stands, in a word or two, where no points are counted: `3 Fiefs`."""
    held: Callable[[AnyState, Seat], tuple[str, int] | None] = lambda _state, _seat: None
    """The same as data: a key of the words' amounts, and how many."""
    ranking: Callable[[AnyState], Mapping[tuple[Seat, ...], tuple[int, ...]]] = lambda _state: {}
    """The sides that are still in it (a seat, or those who win together), each with what it is ranked by: more is better, and
    everybody knows it. None where the rules rank nobody before the end. `engine.ranking` tells places from it."""
    offers: Callable[[AnyState, Seat], list[Ask]] = _no_offers
    """The powers of a seat: what it may do at any time without holding anything up, one of a kind. See `engine.offers`, also
    for what others may propose to it."""
    take_offer: Callable[[AnyState, Seat, str, Answer], None] = _take_none
    """Use a power (by its kind), checked before. May push a procedure; the kernel runs on."""

    view: Callable[[AnyState, Seat | None], View] = DERIVED
    """What the seat may know; None for a spectator. Built up, never cut away. Derived from who sees which field."""
    redeal: Callable[[AnyState, Seat | None, Chance], AnyState] = DERIVED
    """A copy in which everything that the seat can't know is dealt anew. Derived from who sees which field."""
    audience: Callable[[str, Seat, Answer], Audience] = lambda _kind, seat, _answer: (seat,)
    """ask kind, seat, answer -> who knows the answer as soon as it is played, its seat among them; None: all. Of a power the
    others don't learn even that it was used. A proposal knows its own audience."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """Kinds of events that show on purpose what stays hidden in the view: to `all`, or to whom the fact of that name says."""

    windows: frozenset[str] = frozenset()
    """Kinds of asks that are put to all who might have something to say, whether they have or not: windows. Who answers one
    soon may betray by it that he has nothing, so a table may want them to close at their deadline alone."""

    tell: Callable[[Event, Mapping[Seat, str], Seat | None], str] = DERIVED
    """event, names of the seats, reader -> a sentence, the same for all who may know of it: what only one may know is an event
    of its own; the empty string for what needs no words. Derived from its words."""
    chapter: Callable[[Event], str] = DERIVED
    """event -> the heading of the journal's chapter that it begins; the empty string for most. Derived from its words."""
    labels: Labels = DERIVED
    """How its asks read. Derived from its words."""

    word: Callable[[str, Mapping[Seat, str], Seat], str] = DERIVED
    """id of a card or piece, names, the seat at whose place it lies ('' when that says nothing) -> what people call it.
    Derived from its words."""

    names: Callable[[Mapping[str, Any], Mapping[Seat, str]], dict[Seat, str]] = lambda _options, names: dict(names)
    """the header's options, names of the seats -> these names as its words want them: with what a host has brought that calls
    things otherwise."""

    orders: Book = field(default_factory=Book)
    """Its standing orders."""

    encode: Callable[[AnyState], bytes] = msgspec.msgpack.encode
    decode: Callable[[bytes], AnyState] = DERIVED
    """A state as MessagePack, and back: for snapshots and copies."""
    position: Callable[[AnyState], str] = DERIVED
    """The position as text, with all secrets. Derived from the table, like the two after it."""
    position_seen: Callable[[AnyState, Seat | None], str] = DERIVED
    """The position as text, with what the seat may know."""
    read_position: Callable[[str], AnyState] = DERIVED
    """A position from text. Raises NotUnderstood with the line that can't be read."""

    conserved: Callable[[AnyState], dict[str, int]] = lambda _state: {}
    """What never changes during a match (cards of each set, say): compared after every move in tests."""
    preview: Callable[[AnyState, Seat, Answer, Names], str] = lambda _state, _seat, _answer, _names: ""
    """What an answer will surely do, in words, by the names of seats; the empty string where it is hidden or random."""
    forecast: Callable[[AnyState, Seat, Answer], View] = lambda _state, _seat, _answer: {}
    """The same as plain data, for a game that draws it (`GAME/ahead.html`); empty where there is nothing to draw."""
    board: Callable[[View, Any, Answer | None], object] = lambda _view, _form, _begun: None
    """What its board and its letters show that has to be reckoned first, for their templates as `board`: from what a seat sees,
    the form that it is asked (a `forms.Form`), and the answer filled in. Told nothing else, it can't tell more."""
    fate: Callable[[AnyState, Seat, Answer], str] = lambda _state, _seat, _answer: ""
    """What is so grave in a safe answer that it is said beside the question, before anybody looks ahead; mostly empty."""
    secrets: Callable[[AnyState, Seat], list[str]] = lambda _state, _seat: []
    """Kinds of hidden things as words that may not show up in another seat's texts; for the contract tests."""
    bots: Mapping[str, Callable[[AnyState, Seat, Chance], Answer]] = field(default_factory=lambda: {"random": play_at_random})
    """name -> a player: state *re-dealt for the seat*, seat, own chance -> answer. It knows only what its seat may. The most
    sensible stands last: it is the `steward`."""
    vet_offer: Callable[[AnyState, Seat, str, Answer], None] = lambda _state, _seat, _kind, _answer: None
    """Refuse a use of a power that its fields can't refuse. Raises NotLegal."""
    hagglers: Mapping[str, Haggler] = field(default_factory=dict)
    """name of a bot -> what it says to something that stands open to it. Bots without one leave their powers alone and answer
    proposals with the safe default."""
    rulings: Rulings = field(default_factory=dict)
    """What it decides where the books leave a choice, and wherever a rule of it was mended."""
    variants: Variants = Variants()
    """Its optional rules."""
    rematch: Callable[[Mapping[str, Any], AnyState, Mapping[Seat, Seat]], dict[str, Any]] | None = None
    """options of a rematch, the position in which the game before ended, seat -> the seat that its player had there (newcomers
    are left out) -> the options with which it starts, with what carries over. Without seats: without what was carried over
    before. None: nothing ever carries over."""
    keeps: Callable[[AnyState, Seat], str] = lambda _state, _seat: ""
    """What a seat takes out of the game, in a word or two: what may carry over to a rematch; mostly empty."""
    bounded: str = ""
    """Those of them, as a choice in text, by which a match ends that nobody plays to win; '' where it ends anyhow."""
    list_words: Callable[[Iterable[str], Names, Seat], str] | None = None
    """ids of cards or pieces (as a list, or counted by id), names, the seat at whose place they lie -> a list in words."""
    hostile: frozenset[str] = frozenset()
    """Kinds of the events by which a player turns against another: how lively a game is, is measured by them."""
    dull: frozenset[str] = frozenset()
    """Kinds of the events that come with every turn: what else happened of late is told before them."""
    turning: Sequence[str] = ()
    """Kinds of the events on which a match turns, those first that count most: the story of one is told by them."""
    places: Callable[[Event], Iterable[str]] = lambda _event: ()
    """What an event is about that stands on the board and that its facts have no name of: codes as `data-place` bears them."""
    switch: str = ""
    """A field for one thing, told by how it begins which kind of thing it is, `siege:b:F1`: pages show a switch of these kinds
    over what there is of each (`templates/GAME/switch.html`)."""
    drawn: frozenset[str] = frozenset()
    """Kinds of events that pages draw, beside their sentence (`templates/GAME/told.html`)."""
    digest: Digest | None = None
    """What several answers make together, in one line of a page's log; None: each has a line of its own."""
    falls: str = ""
    """Kind of the events by which a seat is out of the game for good: `seat` says which, and `how` which words of the section
    `fell` say why. '' where nobody leaves before the end."""
    chapters: frozenset[str] = frozenset()
    """Kinds of the events that can begin a chapter of the journal; none: any may."""
    days: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    """What games of simulated people took (`writ tempo`), by hours of a turn and by seats: the median of their days with the
    orders that new players are offered, and without."""
    build: Build | None = None
    """The list of cards that a player may bring, where there is such a thing."""
    parleys: Parleys | None = None
    """How it bounds private talk; None: its players write to each other as they like."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What its own pages show beside their words (tables of cards, say): plain data made from its lore."""

    def __post_init__(self) -> None:
        """Make what the game doesn't bring."""
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

    @property
    def guide(self) -> list[str]:
        """The notes that guide through a first match, in their order: the section `guide` of its words; none where it lacks."""
        return [self.words.text("guide", key) for key in self.words.keys("guide")]

    @property
    def offerless(self) -> bool:
        """Whether nothing ever stands open beside its asks."""
        return self.offers is _no_offers

    def _derive(self, name: str, make: Callable[[], Any]) -> None:
        if getattr(self, name) is DERIVED:
            object.__setattr__(self, name, make())

    @property
    def steward(self) -> str:
        """The bot that keeps the seat of an absent player: the most sensible one."""
        return list(self.bots)[-1]


def listed(game: Game, ids: Iterable[str], names: Names, home: Seat = "") -> str:
    """Cards or pieces as a list in words, like ones counted; counted ones (a mapping of numbers) too."""
    if game.list_words is not None:
        return game.list_words(ids, names, home)
    return KERNEL.listed("comma", [game.word(id, names, home) for id in ids])


def labels_of(game: Game, ask: Ask) -> Labels:
    """How an ask reads: one of the game, or one by which a standing order is set."""
    book = game.orders
    return book.labels if book.labels is not None and ask.kind.startswith(book.prefix) else game.labels


def choice_of(game: Game, seats: int, choice: str, aimless: bool = False) -> Answer:
    """A choice of optional rules as text, `play rules=[mayhem]`: what it leaves open is as in the base game. Raises Refused.

    `aimless`: of a match that nobody may be playing to win, which is bounded where the choice doesn't say otherwise.
    """
    ask = game.variants.ask(seats)
    given = [read(text) for text in (game.bounded if aimless else "", choice) if text]
    values = {name: value for answer in (ask.default, *given) for name, value in answer.values.items()}
    return check(ask, Answer(given[-1].option if given else ask.default.option, values))


def options_of(game: Game, seats: int, choice: str, aimless: bool = False) -> dict[str, Any]:
    """The header's options of such a choice; of the base game when it is empty. Raises Refused."""
    return game.variants.read(seats, choice_of(game, seats, choice, aimless), "")


def copy(game: Game, state: AnyState) -> AnyState:
    """An independent copy of a state."""
    return game.decode(game.encode(state))
