"""Games that are played in a language which is made up: whatever people read that stands in no catalogue shows, and is a fault.

Every piece of text of every catalogue, the service's and the games', stands in marks there. Two kinds of games are played:
those of `tests/told`, which see every kind of page and letter, and one of each game with answers drawn at random, of which
all pages of all seats are read again and again.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import time_machine
from jinja2 import FileSystemBytecodeCache
from sqlmodel import select

from engine.asks import write
from engine.bots.random import legal_at_random
from engine.games import GAMES
from engine.procedure import ask_of
from service.games import turns
from service.games.state import state_of
from service.ground.words import gettext, made_up, ngettext, speaking_to
from service.settings import Settings
from service.store.database import open_session
from service.store.models import Account, Match
from service.web import create_app
from tests.marked import CLOSE, LANGUAGE, OPEN, Findings, bare, mark, plain
from tests.telling import PEOPLE, Letter, Person, Telling

TOLD = sorted(Path(__file__).with_name("told").glob("*.game"))
MOVES = 30
"""Answers of a game at random; its pages are read after every fourth round."""
PAGES = ("table", "orders", "advance", "clock", "talk", "journal", "history", "notes", "letters")
ACCOUNT = ("/account", "/account/letters", "/account/rhythm", "/account/erase", "/games", "/games/open", "/games/new", "/decks")
TYPED = ("name", "text", "word", "reason", "why", "email")
"""Fields in which people write what they like."""
SEATS = dict(zip("abc", ("anna", "bert", "cleo"), strict=True))


class Marked(Telling):
    """Plays a script in the made-up language. To the script, all reads as in English; all that is read is looked through."""

    def __init__(self, *given: object, **more: object) -> None:
        super().__init__(*given, **more)  # type: ignore[arg-type]  # as it came
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
        seat = next((seat for seat, name in SEATS.items() if name == who.name), "")
        with open_session(self.settings) as session:
            page = turns.page(session, session.get_one(Match, self.game), seat)
        forms = [*([page.form] if page and page.form else []), *(page.offers if page else [])]
        self.findings.names |= {text, *text.split(), *(option.id for form in forms for option in form.options)}

    def _tell_letter(self, letter: Letter) -> None:
        self.findings.letters += 1
        assert letter.head["Content-Language"] == LANGUAGE
        where = f"letter {letter.kind}"
        self.findings.text(f"{where}, subject", letter.subject)
        self.findings.text(f"{where}, text", letter.text)
        self.findings.page(f"{where}, page", letter.html)
        letter.text, letter.html, letter.subject = plain(letter.text), plain(letter.html), plain(letter.subject)

    def _tell_page(self, where: str, lines: list[str]) -> None:
        """Nothing is kept: what was read was looked through."""


@pytest.fixture
def marked(
    tmp_path: Path,
    empty_sqlite: Path,
    compiled: FileSystemBytecodeCache,
    clock: time_machine.Traveller,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Marked]:
    tmp_path.chmod(0o700)
    shutil.copy(empty_sqlite, tmp_path / "writ.db")
    settings = Settings(
        data_folder=tmp_path,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        base_url="http://writ.test",
        mail_from="Writ <writ@writ.test>",
        inbox="writ@writ.test",
        operators=("olga@example.org",),
        sqlite_synchronous="NORMAL",
        down_seconds=3600,
    )
    app = create_app(settings)
    app.jinja_env.bytecode_cache = compiled
    with made_up(LANGUAGE, mark):
        # As in the test that keeps these games word by word: their seeds are the same.
        name = request.node.callspec.params["game"]
        yield Marked(app, settings, clock, monkeypatch, seed=f"{Path(name).stem} told")


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
        if n % 4 == 0:
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


def _asked(marked: Marked) -> list[str]:
    """The seats that have a question on their pages."""
    with open_session(marked.settings) as session:
        match = session.get_one(Match, marked.game)
        pages = [turns.page(session, match, seat) for seat in SEATS]
        return [page.seat for page in pages if page is not None and page.form is not None and page.pending is None]


def _answer(marked: Marked, seat: str, rng: random.Random) -> None:
    with open_session(marked.settings) as session:
        state = state_of(session.get_one(Match, marked.game))
    if seat in _asked(marked):
        answer = legal_at_random(state, seat, rng)
        marked.do(f"{SEATS[seat]} tries {ask_of(state, seat).kind}: {write(answer)}")


def _read_all(marked: Marked) -> None:
    for name in SEATS.values():
        for page in PAGES:
            marked.do(f"{name} sees {{game}}/{page}")
    marked.do("anna sees {game}/host")
    marked.do("visitor watches")


# --- the language itself ----------------------------------------------------------------------------------------------


def test_the_marks_find_what_stands_outside_of_them() -> None:
    assert bare(f"{OPEN}It is {CLOSE}Anna{OPEN}'s turn{CLOSE}.", ["Anna"]) == ""
    assert bare(f"{OPEN}The seat of {CLOSE}Anna goes") == "Anna goes"
    assert bare("http://writ.test/g/0123 12:30 → – anna@example.org Writ") == ""
    with made_up(LANGUAGE, mark), speaking_to(LANGUAGE, "UTC"):
        assert gettext("You are %(name)s.", name="Anna") == f"{OPEN}You are {CLOSE}Anna."
        assert ngettext("%(num)s seat", "%(num)s seats", 2) == f"2{OPEN} seats{CLOSE}"
    assert gettext("You are %(name)s.", name="Anna") == "You are Anna."


@pytest.mark.parametrize("game", ["ortus"])
def test_everybody_at_a_table_reads_their_own_language(game: str, marked: Marked) -> None:
    marked.play(BEGINNING.format(game=game).splitlines())
    with open_session(marked.settings) as session:
        assert set(session.exec(select(Account.language))) == {LANGUAGE}
