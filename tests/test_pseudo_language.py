"""Games that are played in a language which is made up: whatever people read that stands in no catalogue shows, and is a fault.

Every piece of text of every catalogue, the service's and the games', stands in marks there. Two kinds of games are played:
those of `tests/told`, which see every kind of page and letter, and one of each game with answers drawn at random, of which
all pages of all seats are read again and again.
"""

from __future__ import annotations

import contextlib
import mailbox
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
import time_machine
from flask import template_rendered
from jinja2 import Template
from sqlmodel import select

from engine.bots.random import answer_at_random, legal_at_random
from engine.core.asks import Answer, Ask, Option, Refused, write
from engine.core.procedure import Automatic, ask_of, vet
from engine.game import AnyState
from engine.games import GAMES
from engine.language.i18n import made_up, speaking
from engine.ortus.rules.turn import Turn
from engine.text.labels import Labels
from service.common.i18n import gettext, ngettext, speaking_to
from service.common.messages import sentence
from service.games import lobby
from service.log import chronicle
from service.post import letters
from service.seat import seat_view
from service.seat.state import state_of
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Match, SeatRow
from service.web import create_app
from service.web.replay import replay_file
from tests.marked import CLOSE, LANGUAGE, OPEN, Findings, PseudoLocale, bare, mark, plain
from tests.replays import copied, read_log
from tests.tables import NAMES, complete, lay, questions, stems
from tests.telling import PEOPLE, Letter, Person, Telling, house_in
from tests.toy_game import FAIR, WARES

TEMPLATES = Path(__file__).parents[1] / "templates"
TOLD = sorted(Path(__file__).with_name("told").glob("*.game"))
MOVES = 20
"""Answers of a game at random; its pages are read after every tenth round."""
PAGES = ("table", "orders", "advance", "clock", "talk", "beside", "journal", "history", "notes", "letters")
ACCOUNT = ("/account", "/account/letters", "/account/rhythm", "/account/erase", "/games", "/games/open", "/games/new", "/decks")
TYPED = ("name", "text", "word", "reason", "why", "email")
"""Fields in which people write what they like."""
SEATS = dict(zip("abc", ("anna", "bert", "cleo"), strict=True))


class Marked(Telling):
    """Plays a script in the made-up language. To the script, all reads as in English; all that is read is looked through."""

    def __init__(self, *given: object, **more: object) -> None:
        super().__init__(*given, **more)  # type: ignore[arg-type]  # as it came
        self.kinds: set[str] = set()
        self.seats = dict(SEATS)
        self.rows: set[str] = set()
        self.findings = Findings({name.capitalize() for name in PEOPLE} | {"Harvest war", "The long border"})

    def _send(self, who: Person, method: str, path: str, data: dict[str, str] | None = None) -> None:
        self.findings.names |= {text for field, text in (data or {}).items() if field in TYPED and text}
        who.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = LANGUAGE
        super()._send(who, method, path, data)
        if "<html" in who.html:
            assert f'<html lang="{LANGUAGE}">' in who.html, who.path
        if who.html and "mailbox/" not in who.path:
            self.findings.page(f"{method} {who.path}", who.html)
        who.html = plain(who.html)

    def _answer(self, who: Person, text: str, told: bool) -> None:
        self._typed(who, text)
        super()._answer(who, text, told)

    def _reply(self, who: Person, text: str) -> None:
        self._typed(who, text)
        super()._reply(who, text)

    def _typed(self, who: Person, text: str) -> None:
        """An answer in its text form, and what a refusal may say of it: ids are the same in every language."""
        seat = next((seat for seat, name in self.seats.items() if name == who.name), "")
        self.findings.names |= {text, *text.split(), *self._options(seat)}

    def _options(self, seat: str, rows: bool = False) -> set[str]:
        """The ids of all options that a seat has now."""
        with open_session(self.settings) as session:
            page = seat_view.load(session, session.get_one(Match, self.game), seat)
        forms = [*([page.form] if page and page.form else []), *(page.offers if page else [])]
        options = [option for form in forms for option in form.options]
        return {option.id for option in options if not rows or any(field.type == "rows" for field in option.fields)}

    def _gather(self) -> None:
        self.rows = set()
        super()._gather()

    def _tell_letter(self, letter: Letter) -> None:
        self.findings.letters += 1
        self.kinds.add(letter.kind)
        assert letter.head["Content-Language"] == LANGUAGE
        where = f"letter {letter.kind}"
        if letter.kind in ("turn", "reminder"):  # it shows how rows are written in a reply
            # The same for all letters that have come together: of the position at which they are gathered.
            self.rows = self.rows or {id for seat in self.seats for id in self._options(seat, rows=True)}
            self.findings.names |= self.rows
        self.findings.text(f"{where}, subject", letter.subject)
        self.findings.text(f"{where}, text", letter.text)
        self.findings.page(f"{where}, page", letter.html)
        letter.text, letter.html, letter.subject = plain(letter.text), plain(letter.html), plain(letter.subject)

    def _tell_open(self, who: Person) -> None:
        """Nothing is kept: what was read was looked through when it came."""

    def _tell_page(self, where: str, lines: list[str]) -> None:
        """Nor of what is no page."""


@pytest.fixture
def marked(
    tmp_path: Path,
    empty_sqlite: Path,
    clock: time_machine.Traveller,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Marked]:
    settings = house_in(tmp_path, empty_sqlite)
    app = create_app(settings)
    with made_up(LANGUAGE, PseudoLocale(mark)):
        # As in the test that keeps these games word by word: their seeds are the same.
        name = request.node.callspec.params["game"]
        yield Marked(app, settings, clock, monkeypatch, seed=f"{Path(name).stem} told")
    chronicle.SENTENCES_KEPT.clear()  # the toy's marked sentences are told in English, too


@pytest.mark.parametrize("game", map(str, TOLD), ids=[file.stem for file in TOLD])
def test_all_that_is_read_in_a_told_game_comes_from_catalogues(game: str, marked: Marked) -> None:
    marked.play(Path(game).read_text("utf-8").splitlines())
    assert marked.findings.letters > 40 and marked.findings.pages > 200
    assert not marked.findings.found, f"this stands in no catalogue:\n{marked.findings.told()}"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_all_that_is_read_in_a_game_at_random_comes_from_catalogues(game: str, marked: Marked) -> None:
    marked.play(BEGINNING.format(game=game).splitlines())
    rng = random.Random(f"{game} in marks")
    for n in range(MOVES):
        seats = _asked(marked)
        if not seats:
            break
        for seat in seats:
            _answer(marked, seat, rng)
        if n % 10 == 0:
            _read_all(marked)
    _read_all(marked)
    for page in ACCOUNT:
        marked.do(f"anna sees {page}")
    assert not marked.findings.found, f"this stands in no catalogue:\n{marked.findings.told()}"


BEGINNING = """visitor sees /
visitor sees /help
visitor sees /help/{game}
visitor sees /nowhere
visitor sees /sign-in
anna signs-in name=Anna
anna goes /games/new
anna presses "Open the game" "name=Harvest war" game={game} seats=3 access=open word=oak
anna presses "Let spectators read along"
bert signs-in name=Bert
bert goes {{game}}
bert presses "Join this game" word=fox
cleo signs-in name=Cleo
cleo goes {{game}}
cleo presses "Join this game" word=rain
anna sees {{game}}/journal
visitor watches
anna sees {{game}}/host"""


def _asked(marked: Marked, seats: Iterable[str] = SEATS) -> list[str]:
    """Those of the seats that have a question on their pages."""
    with open_session(marked.settings) as session:
        match = session.get_one(Match, marked.game)
        pages = [seat_view.load(session, match, seat) for seat in seats]
        return [page.seat for page in pages if page is not None and page.form is not None and page.pending is None]


def _answer(marked: Marked, seat: str, rng: random.Random) -> None:
    with open_session(marked.settings) as session:
        state = state_of(session.get_one(Match, marked.game))
    if _asked(marked, [seat]):
        answer = legal_at_random(state, seat, rng)
        marked.do(f"{marked.seats[seat]} tries {ask_of(state, seat).kind}: {write(answer)}")


def _read_all(marked: Marked) -> None:
    for name in SEATS.values():
        for page in PAGES:
            marked.do(f"{name} sees {{game}}/{page}")
    marked.do("anna sees {game}/host")
    marked.do("visitor watches")


# --- pages and letters that are seldom read ---------------------------------------------------------------------------------

BEFORE_A_GAME: list[tuple[str, str, dict[str, str] | None]] = [
    ("visitor", "/sign-in", {"email": "nobody"}),
    ("visitor", "/nowhere", None),
    ("visitor", "/open-log", None),
    ("visitor", "/help", None),
    ("visitor", "/help/ortus", None),
    ("visitor", "/help/nothing", None),
    ("visitor", "/learn/ortus", None),
    ("visitor", "/learn/ortus/1/2", None),
    ("visitor", "/learn/ortus/2/3", None),
    ("visitor", "/learn/ortus/4/1", None),
    ("visitor", "/learn/ortus/4/1/letter", None),
    ("visitor", "/learn/nothing", None),
    ("visitor", "/in/forged", None),
    ("visitor", "/watch/nothing", None),
    ("anna", "/sign-in", {"email": "anna@example.org", "more": "x"}),
    ("anna", "/account", {"name": ""}),
    ("anna", "/account", {"name": "Anna"}),
    ("anna", "/account/language", {"language": "tlh"}),
    ("anna", "/account/language", {"language": LANGUAGE}),
    ("anna", "/account/rhythm", {"zone": "Nowhere"}),
    ("anna", "/account/letters", {"mode": "each", "hour": "99"}),
    ("anna", "/account/letters", {"mode": "each", "hour": "7"}),
    ("anna", "/account/letters/test", {}),
    ("anna", "/account/calendar", {"choice": "renew"}),
    ("anna", "/account/erase", {"email": "wrong"}),
    ("anna", "/account/browsers", {"browser": "another"}),
    ("anna", "/mailbox", None),
    ("anna", "/host", None),
    ("olga", "/host", None),
    ("anna", "/decks/new?game=ortus", None),
    ("anna", "/decks/new?from=nothing", None),
    ("anna", "/decks/new", {"name": "Raiders", "game": "ortus", "Castle": "3", "Land": "many"}),
    ("anna", "/decks/new", {"name": "Raiders", "game": "ortus", "Castle": "3", "Land": "4"}),
    ("anna", "/decks", None),
    ("anna", "/games/new", {"name": "", "game": "ortus", "seats": "3", "access": "open"}),
    (
        "anna",
        "/games/new",
        {"name": "Harvest war", "game": "ortus", "seats": "3", "access": "invited", "preset": "own", "turn": "x"},
    ),
]
IN_A_LOBBY: list[tuple[str, str, dict[str, str] | None]] = [
    ("anna", "/invite", {"email": "bert@example.org"}),
    ("anna", "/invite", {"email": "bert@example.org"}),
    ("anna", "/resend", {"seat": "b"}),
    ("visitor", "", None),
    ("anna", "/confirm", None),
    ("anna", "/muster", None),
    ("cleo", "", None),
    ("cleo", "/table", None),
    ("anna", "/bot", {"bot": "steady"}),
    ("anna", "/clear", {"seat": "c"}),
    ("anna", "/colour", {"colour": "blue"}),
    ("anna", "/word", {"word": "x" * 201}),
    ("anna", "/word", {"word": "under the oak"}),
    ("anna", "/deck", None),
    ("anna", "/deck", {"Castle": "3"}),
    ("anna", "/deck", {"deck": "house:nothing"}),
    ("anna", "/watching", {"on": "yes"}),
    ("anna", "/options", {"option": ""}),
    ("anna", "/cancel", {}),
    ("anna", "/cancel", {"sure": "yes"}),
    ("bert", "", None),
]
AT_A_TABLE: list[tuple[str, str, dict[str, str] | None]] = [
    ("anna", "/orders/all", {"do": "preset"}),
    ("anna", "/orders", {"kind": "nothing", "option": "on"}),
    ("anna", "/advance/answer", {"kind": "nothing", "option": "on", "key": "", "serial": "0"}),
    ("anna", "/notes", {"text": "Bert has two Castles."}),
    ("anna", "/talk", {"text": "", "to_all": "yes"}),
    ("anna", "/talk", {"text": "To whom?"}),
    ("anna", "/talk", {"text": "", "to_all": "yes", "beside": "yes"}),
    ("anna", "/talk", {"text": "Peace?", "to_b": "yes", "key": "a" * 32}),
    ("anna", "/mute", {"seat": "b", "on": "yes"}),
    ("anna", "/mute", {"seat": "b"}),
    ("anna", "/answer", {"key": "b" * 32, "serial": "0", "kind": "concede", "answer": "concede"}),
    ("anna", "/answer", {"key": "b" * 32, "serial": "999", "kind": "deck", "answer": "deck"}),
    ("anna", "/answer", {"key": "b" * 32, "serial": "x", "kind": "deck", "answer": "deck"}),
    ("anna", "/away", {"first": "2026-11-20", "last": "2026-11-20"}),
    ("anna", "/away", {"first": "2026-12-20", "last": "2026-12-22", "everywhere": "yes"}),
    ("anna", "/clock", None),
    ("anna", "/home", {}),
    ("anna", "/home", {}),
    ("anna", "/nearer", {"by": "1h"}),
    ("anna", "/nearer", {"by": "soon"}),
    ("anna", "/here", {}),
    ("anna", "/give-up", {}),
    ("anna", "/votes", {"kind": "nothing"}),
    ("anna", "/votes", {"kind": "pace", "preset": "easy"}),
    ("anna", "/votes", {"kind": "pause", "days": "2"}),
    ("anna", "/votes", {"kind": "watch"}),
    ("anna", "/votes", {"kind": "end", "reason": "Winter has come."}),
    ("anna", "/clock", None),
    ("bert", "/clock", None),
    ("anna", "/letters", {"mode": "never"}),
    ("anna", "/letters", {"mode": "each"}),
    ("anna", "/letters/again", {}),
    ("anna", "/letters/links", {}),
    ("anna", "/spectators", {"on": "yes"}),
    ("anna", "/host", {"do": "nothing"}),
    ("anna", "/host", {"do": "extend", "seat": "b", "by": "6h"}),
    ("anna", "/host", {"do": "resend", "seat": "b"}),
    ("anna", "/host", {"do": "replace", "seat": "b", "email": ""}),
    ("anna", "/host", {"do": "replace", "seat": "b", "email": "", "sure": "yes"}),
    ("anna", "/host", {"do": "pause", "days": "0"}),
    ("anna", "/host", {"do": "pause", "days": "1"}),
    ("anna", "/replay?n=1", None),
    ("anna", "/replay?n=1&names=hidden&spoilers=off", None),
    ("anna", "/replay?n=x", None),
    ("anna", "/replay?as=b", None),
    ("anna", "/replay/notes?n=1", {"text": ""}),
    ("anna", "/replay/notes?n=1", {"text": "Bert has two Castles."}),
    ("anna", "/favourite", {"on": "1"}),
    ("anna", "/play-on", {"n": "1", "seat": "a"}),
    ("bert", "/wrong?n=1", None),
    ("bert", "/wrong", {"n": "1", "words": ""}),
    ("bert", "/wrong", {"n": "1", "words": "Bert has two Castles."}),
    ("bert", "/table", None),
    ("anna", "/host", {"do": "resume"}),
    ("anna", "/host", {"do": "end", "reason": "Winter has come."}),
    ("bert", "/host", None),
]
NEVER_SENT_HERE = {"digest", "over", "notice", "replaced", "reply_refused", "reminder", "turn"}
"""Letters that the told games bring."""
READ_ELSEWHERE = {"address_done", "address_new", "address_old", "address_undo", "banned", "filled", "muster", "outage"}
READ_ELSEWHERE |= {"terms", "unbanned"}
"""Letters whose own tests read them, in English."""
NEVER_SEEN_HERE = {
    f"pages/{name}.html" for name in ("on_its_way", "setting_up", "mailbox", "letter", "result", "replay_file", "replay_moment")
}
"""Pages between two blinks of the workers' eyes, which are at once here; the mailbox, which has a test of its own; and what is
there after the end: the result, which the told games bring, and the replay file, which has a test of its own."""


def _visit(marked: Marked, name: str, path: str, data: dict[str, str] | None) -> None:
    """Open a page, or send a form."""
    who = marked.people[name]
    if data is not None:
        marked._send(who, "GET", "/account")
        marked._send(who, "GET", who.path if "csrf_token" in who.html else "/sign-in")
        data = data | {"csrf_token": str(re.findall(r'name="csrf_token" value="([^"]+)"', who.html)[0])}
    marked._send(who, "GET" if data is None else "POST", path, data)
    marked._gather()


def _visit_all(marked: Marked, visits: list[tuple[str, str, dict[str, str] | None]], at: str = "") -> None:
    for name, path, data in visits:
        _visit(marked, name, at + path, data)


@pytest.mark.parametrize("game", ["ortus"])
def test_pages_and_letters_that_are_seldom_read_come_from_catalogues(
    game: str, marked: Marked, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: set[str] = set()
    # Names of fields, of a bot's seat, of a mishap and of a command, and what was typed amiss.
    marked.findings.names |= {"more", "serial", "do", "Gerda", "ZeroDivisionError", "writ host retry"}
    marked.findings.names |= {"many", "soon", "concede", "NOTHING"}
    marked.findings.names |= {"Alys", "Drogo", "Emma"}

    def note(_app: object, template: Template, **_more: object) -> None:
        rendered.add(str(template.name))

    with template_rendered.connected_to(note, marked.app):
        for name in ("anna", "bert", "cleo", "olga"):
            marked.do(f"{name} signs-in name={name.capitalize()}")
        marked.do("anna follows in")
        _visit_all(marked, BEFORE_A_GAME)
        _visit(marked, "anna", "/games/new", {"name": "Harvest war", "game": game, "seats": "3", "access": "invited"})
        _share(marked)
        _visit_all(marked, IN_A_LOBBY, f"/g/{marked.game}")
        (leave, *_) = re.findall(r"/leave/[A-Za-z0-9._~-]+", "".join(x.text for x in marked.post if x.to == "bert@example.org"))
        _visit(marked, "visitor", leave, None)
        marked.game = ""
        marked.play(line for line in BEGINNING.format(game=game).splitlines()[5:] if "signs-in" not in line)
        _visit_all(marked, AT_A_TABLE, f"/g/{marked.game}")
        (problem, *_) = re.findall(r"/problems/\w+", "".join(x.text for x in marked.post if x.to == "anna@example.org"))
        _visit(marked, "anna", problem, None)
        link = re.findall(r"/t/[A-Za-z0-9._~-]+", "".join(x.text for x in marked.post if x.to == "bert@example.org"))[-1]
        for path, form in ((link, None), ("/games", None), ("/games/sign-in", {}), ("/sign-out", {"where": "here"})):
            _visit(marked, "visitor", path, form)
        marked.do("bert follows t")
        marked.do("anna sees {game}/talk")
        _lose(marked)
        _halt(marked, monkeypatch)
        _propose(marked, monkeypatch)
        _end(marked)
    pages = {f"pages/{path.name}" for path in TEMPLATES.glob("pages/*.html") if not path.name.startswith("_")}
    assert pages - rendered <= NEVER_SEEN_HERE, "these pages were never opened"
    kinds = {path.stem for path in TEMPLATES.glob("letters/*.html") if not path.name.startswith("_")} - {"base"}
    assert kinds - marked.kinds <= NEVER_SENT_HERE | READ_ELSEWHERE, "these letters were never sent"
    assert not marked.findings.found, f"this stands in no catalogue:\n{marked.findings.told()}"


@pytest.mark.parametrize("game", complete())
def test_odds_come_from_catalogues(game: str, marked: Marked) -> None:
    marked.do("anna signs-in name=Anna")
    counts, rng, shown = GAMES[game].face.counts, random.Random(f"odds of {game}"), 0
    marked.findings.names |= {*NAMES.values(), "Wessex by winter"}
    for found in questions(game, GAMES[game].rules.seats[-1]).values():
        ask = ask_of(found.state, found.seat)
        given = [
            legal_of_option(found.state, ask, option, rng) for option in ask.options if f"{ask.kind}/{option.id}" in counts
        ]
        if not given:
            continue
        with transaction(marked.settings) as session:
            path = lay(session, session.exec(select(Account).where(Account.email == "anna@example.org")).one(), found)
        for answer in given:
            asked = {"serial": str(found.state.serial), "kind": ask.kind, "answer": write(answer)} if answer else {}
            _visit(marked, "anna", path.replace("/table", "/odds"), asked)
            shown += marked.people["anna"].html.count('class="odds"')
    assert shown, "no odds were shown"
    assert not marked.findings.found, f"this stands in no catalogue:\n{marked.findings.told()}"


def legal_of_option(state: AnyState, ask: Ask, option: Option, rng: random.Random) -> Answer | None:
    """A legal answer of that option; None if none is found at random."""
    for _ in range(50):
        with contextlib.suppress(Refused):
            return vet(state, ask.seat, answer_at_random(Ask(ask.seat, ask.kind, (option,), ask.default, ask.rule), rng))
    return None


def test_the_mailbox_comes_from_catalogues(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",))
    app, findings = create_app(settings.model_copy(update={"base_url": "http://localhost"})), Findings()
    box = mailbox.Maildir(settings.maildir, create=True)
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Date"] = "writ@localhost", "anna@example.org", "Tue, 24 Nov 2026 09:00:00 +0000"
    letter.set_content("http://localhost/games http://localhost/account")
    letter.add_alternative("<p>html</p>", subtype="html")
    box.add(letter)
    client = app.test_client()
    with made_up(LANGUAGE, PseudoLocale(mark)):
        for path in ("/mailbox", "/mailbox/nothing", "/mailbox/" + settings.maildir.glob("new/*").__next__().name):
            answer = client.get(path, base_url="http://localhost", headers={"Accept-Language": LANGUAGE})
            findings.page(path, answer.text)
    assert findings.pages == 3 and not findings.found, findings.told()


def _share(marked: Marked) -> None:
    """A table that gathers has a link for whoever gets it; who was invited declines."""
    _visit(marked, "anna", f"/g/{marked.game}/invite", {"email": "dora@example.org"})
    marked.do("dora follows i")
    _visit(marked, "dora", marked.people["dora"].path, {"choice": "decline"})
    _visit(marked, "anna", f"/g/{marked.game}/share", {"choice": "make"})
    with transaction(marked.settings) as session:
        key = session.get_one(Match, marked.game).share_key
    for name in ("visitor", "cleo"):
        _visit(marked, name, f"/s/{key}", None)
    _visit(marked, "anna", f"/g/{marked.game}/share", {"choice": "end"})


def _lose(marked: Marked) -> None:
    """Deadlines pass, a steward keeps the seats, and somebody is asked to take one of them."""
    marked.do("time 90h")
    for name in SEATS.values():
        for page in ("table", "clock", "letters", "history"):
            marked.do(f"{name} sees {{game}}/{page}")
    marked.do("anna sees {game}/host")
    with transaction(marked.settings) as session:
        match = session.get_one(Match, marked.game)
        seat = session.get_one(SeatRow, (match.id, "a"))
        why = sentence("Your position is not what it was when you gave the answer.")
        letters.to_seat(session, "advance_dropped", match, seat, {"title": "Anna", "words": "Bert", "why": why})
    marked.house.tick()
    marked._gather()
    marked.do("writ host replace GAME b --email dora@example.org")
    marked._gather()
    marked.do("bert sees {game}/table")
    marked.do("bert sees /")
    marked.do("anna sees {game}/clock")
    marked.do("dora follows i")
    _visit(marked, "dora", marked.people["dora"].path, {"choice": "accept", "name": "Dora"})
    marked.do("dora sees {game}/table")
    marked.do("writ host replace GAME c")
    marked.do("visitor sees /games/open")
    marked.do("bert sees {game}/seat/c")
    _visit(marked, "bert", marked.people["bert"].path, {"choice": "take"})
    marked.do("cleo follows t")
    marked.seats = {"a": "anna", "b": "dora", "c": "bert"}
    _visit(marked, "dora", f"/g/{marked.game}/talk", {"text": "What a mess.", "to_all": "yes", "key": "c" * 32})
    marked.do("anna sees {game}/talk")
    talk = re.search(r"/talk/[0-9a-f]{32}", marked.people["anna"].html)
    assert talk is not None
    marked.do(f"anna sees {{game}}{talk[0]}")
    report = re.search(r"/report/[\w-]+", marked.people["anna"].html)
    assert report is not None
    _visit(marked, "anna", f"/g/{marked.game}{report[0]}", {"why": "Rude.", "thread": talk[0].rpartition("/")[2]})
    marked.do("olga sees /host")


def _halt(marked: Marked, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules fail, and go on."""

    def fail(_turn: object, _table: object) -> str:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(Turn, "steps", {**Turn.steps, "begin": Automatic("begin", fail)})
        rng = random.Random("halt")
        for _ in range(12):
            for seat in _asked(marked):
                _answer(marked, seat, rng)
    for page in ("table", "clock", "host"):
        marked.do(f"anna sees {{game}}/{page}")
    marked.do("anna sees /games")
    marked.do("olga sees /host")
    _visit(marked, "olga", f"/host/halted/{marked.game}", {})
    assert {"halted", "fault", "goes_on"} <= marked.kinds


def _end(marked: Marked) -> None:
    """Links run out and are given up, letters come back, accounts are erased."""
    with transaction(marked.settings) as session:
        account = session.exec(select(Account).where(Account.email == "anna@example.org")).one()
        account.bounced_at, account.bounce = datetime.now(UTC), "550 5.1.1 <anna@example.org>"
        session.add(account)
    marked.findings.names.add("550 5.1.1 <anna@example.org>")
    for page in ("/account", "/account/letters", "/games"):
        marked.do(f"anna sees {page}")
    marked.do("olga sees /host")
    marked.do("dora sees {game}/clock")
    leave = re.findall(r"/leave/[A-Za-z0-9._~-]+", "".join(x.text for x in marked.post if x.to == "anna@example.org"))
    for name, path in (("visitor", leave[-1]), ("visitor", leave[0])):
        _visit(marked, name, path, None)
        marked._send(marked.people[name], "POST", path, {})
    marked.do("anna sees {game}/table")
    marked.do("time 1h")
    marked.house.clock.shift(timedelta(days=70))
    marked.do("visitor sees /")
    link = re.findall(r"/t/[A-Za-z0-9._~-]+", "".join(x.text for x in marked.post if x.to == "anna@example.org"))[-1]
    _visit(marked, "visitor", link, None)
    _visit(marked, "visitor", link, {})
    _visit(marked, "anna", "/account/erase", None)
    _visit(marked, "anna", "/account/erase", {"email": "anna@example.org"})
    _visit(marked, "anna", "/sign-out", {"where": "everywhere"})


def _propose(marked: Marked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proposals, which neither of the great games knows: the toy's own words stand in marks here."""

    def said(*words: object) -> str:
        return mark(" ".join(str(word) for word in words))

    labels = Labels(
        title=lambda ask, names: said(names.get(ask.seat, ""), ask.kind),
        option=lambda _ask, option, _names: said(option),
        field=lambda _ask, _option, field, _names: said(field),
        choice=lambda _ask, _option, _field, choice, names: said(names.get(choice, choice)),
    )
    toy = replace(
        FAIR,
        words=replace(FAIR.words, labels=labels, tell=lambda event, _names, _reader: said(event.kind, *event.facts.values())),
    )
    monkeypatch.setitem(GAMES, toy.name, toy)
    monkeypatch.setattr(lobby, "offered", lambda: [toy])
    marked.findings.names |= {toy.title, *WARES, "Wares of your own, a word each", *(name.upper() for name in SEATS.values())}
    before, marked.game, seats = marked.game, "", marked.seats
    marked.do("anna goes /games/new")
    marked.do('anna presses "Open the game" "name=Harvest war" game=fair seats=3 access=open')
    for name in ("bert", "cleo"):
        marked.do(f"{name} goes {{game}}")
        marked.do(f'{name} presses "Join this game"')
    marked.seats = dict(SEATS)
    with open_session(marked.settings) as session:
        wares = state_of(session.get_one(Match, marked.game)).table.keepers["a"].wares
    marked.do("anna tries bid: pass")
    marked.do(f"anna tries propose: propose target=b ware={wares[0]}")
    marked.do("bert sees {game}/table")
    marked.do("bert tries accuse: accuse target=a")
    marked.do("bert sees {game}/table")
    marked.do("bert tries trade: refuse")
    marked.do("bert sees {game}/table")
    marked.do("anna tries trade: withdraw")
    marked.do("cleo tries judge: innocent")
    marked.do("anna sees {game}/table")
    marked.do("time 1h")
    assert {"offer", "outcome"} <= marked.kinds
    marked.game, marked.seats = before, seats


# --- the language itself ----------------------------------------------------------------------------------------------


def test_the_marks_find_what_stands_outside_of_them() -> None:
    assert bare(f"{OPEN}It is {CLOSE}Anna{OPEN}'s turn{CLOSE}.", ["Anna"]) == ""
    assert bare(f"{OPEN}The seat of {CLOSE}Anna goes") == "Anna goes"
    assert bare("http://writ.test/g/0123 12:30 → – anna@example.org Writ") == ""
    with made_up(LANGUAGE, PseudoLocale(mark)), speaking_to(LANGUAGE, "UTC"):
        assert gettext("You are %(name)s.", name="Anna") == f"{OPEN}You are {CLOSE}Anna."
        assert ngettext("%(num)s seat", "%(num)s seats", 2) == f"2{OPEN} seats{CLOSE}"
    assert gettext("You are %(name)s.", name="Anna") == "You are Anna."


@pytest.mark.parametrize("game", ["ortus"])
def test_everybody_at_a_table_reads_their_own_language(game: str, marked: Marked) -> None:
    marked.play(BEGINNING.format(game=game).splitlines())
    with open_session(marked.settings) as session:
        assert set(session.exec(select(Account.language))) == {LANGUAGE}


def test_a_replay_file_comes_from_catalogues(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",))
    app, findings = create_app(settings), Findings()
    with app.test_request_context(), made_up(LANGUAGE, PseudoLocale(mark)), speaking(LANGUAGE):
        copy = copied("mastery", min(stems("mastery"), key=lambda stem: len(read_log("mastery", stem)[1])), "a")
        page = replay_file.html(copy, "replay.html")
    findings.names |= {*copy.names.values(), copy.title}
    findings.page("replay.html", page)
    assert not findings.found, findings.told()
