"""A game that is told: people as browsers and mailboxes, a script of what they do, and all that they come to read.

A script (`tests/told/*.game`) is text, one deed a line: who, what, and the rest in words as a shell splits them.

    anna signs-in                          a sign-in letter, its link, its button; `name=` where the account has none
    anna goes PATH                         open a page, as a browser does; {game} stands for the game's address
    anna sees PATH                         the same, and what stands there is told; with no path, the page that is open
    anna follows t                         the newest link like /t/… in a letter to her; what stands there is told
    anna presses "Button" field=value ...  a form of the open page, by the words on its button; the page that comes is told
    anna answers end                       an answer in its text form, put into the form of her turn page
    anna tries end                         the same where it is refused, or shown once more: the page that comes is told
    anna replies end                       an answer by mail, to the newest letter that takes replies
    all sees PATH                          the three players, one after the other
    visitor watches                        the page for spectators, by the address that anna's journal shows
    writ host games                        a command of the shell, and what it prints
    time 3h                                time goes by, with the beat going on

The game's own seed and what its players give to the shuffles are the same each time. What differs from run to run (ids,
tokens, hashes) is written as a placeholder, numbered within the letter or page. A line that was told of the same page
before, and of the same kind of letter to the same reader, is not told again: `…` stands for it.
"""

from __future__ import annotations

import difflib
import email
import email.policy
import importlib
import random
import re
import secrets
import shlex
import shutil
import sqlite3
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import click
import pytest
import time_machine
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from service import settings as settings_
from service.games import lobby
from service.inbox import machines
from service.settings import Settings
from tests.house import House
from tests.tags import Tags

STEP = timedelta(minutes=30)
"""So much time goes by between two sweeps."""
ROOT = Path(__file__).parents[1]

# --- what can be read of a page -----------------------------------------------------------------------------------------

INLINE = frozenset(
    ("a", "abbr", "b", "code", "em", "i", "mark", "small", "span", "strong", "sub", "sup", "time", "tspan", "label")
)
SILENT = frozenset(("script", "style"))
SAID = ("alt", "aria-label", "title", "placeholder")
"""Attributes that are words for a reader."""
MANY = 12
"""Choices of a list beyond which they are counted, and not told."""
LONE = frozenset(("input", "img", "br", "hr", "meta", "link"))


def house_in(folder: Path, empty: Path) -> Settings:
    """Settings of a house in a folder, with a copy of an empty SQLite database."""
    folder.chmod(0o700)
    shutil.copy(empty, folder / "writ.db")
    return Settings(
        data_folder=folder,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        base_url="http://writ.test",
        mail_from="Writ <writ@writ.test>",
        inbox="writ@writ.test",
        operators=("olga@example.org",),
        sqlite_synchronous="NORMAL",
        down_seconds=3600,
    )


@dataclass
class Form:
    """A form as a browser would send it: where it goes, its fields as they stand, its buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str, str, str]] = field(default_factory=list)
    """words, name, value, an action of its own"""


class Page(Tags):
    """The lines that people read on a page, and its forms."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.forms: list[Form] = []
        self._line = ""
        self._silent = 0
        self._form: Form | None = None
        self._button: tuple[str, str, str] | None = None
        self._begin = 0
        self._select: tuple[str, list[str], list[bool], list[str]] | None = None
        self._area = ""
        self.feed(html)
        self._break()

    def _break(self) -> None:
        words = " ".join(self._line.split())
        if words:
            self.lines.append(words)
        self._line = ""

    def _field(self, name: str, value: str) -> None:
        if self._form is not None and name:
            self._form.fields[name] = value

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in pairs}
        if tag not in INLINE and tag not in ("option", "input", "img"):
            self._break()
        if tag in SILENT:
            self._silent += 1
        if tag != "img":
            self._line += "".join(f" ⟨{given[name]}⟩ " for name in SAID if given.get(name))
        match tag:
            case "form":
                self._form = Form(given.get("action", ""))
                self.forms.append(self._form)
            case "img" if given.get("alt"):
                self._line += f" ⟨{given['alt']}⟩ "
            case "input":
                self._input(given)
            case "button":
                self._button = given.get("name", ""), given.get("value", ""), given.get("formaction", "")
                self._line += "["
            case "select":
                self._select = given.get("name", ""), [], [], []
            case "option" if self._select is not None:
                self._select[1].append("")
                self._select[2].append("selected" in given)
                self._select[3].append(given.get("value", ""))
            case "textarea":
                self._area = given.get("name", "")
                self._begin = len(self._line)

    def _input(self, given: dict[str, str]) -> None:
        kind, name, value = given.get("type", "text"), given.get("name", ""), given.get("value", "")
        if kind in ("checkbox", "radio"):
            self._line += " (x) " if "checked" in given else " ( ) "
            if "checked" in given:
                self._field(name, value)
            return
        self._field(name, value)
        if kind != "hidden":
            self._line += f" [{value}] "

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self._silent -= 1
        match tag:
            case "form":
                self._form = None
            case "button" if self._button is not None:
                words = " ".join(self._line.partition("[")[2].split())
                self._line += "]"
                if self._form is not None:
                    name, value, action = self._button
                    self._form.buttons.append((words, name, value, action))
                self._button = None
            case "select" if self._select is not None:
                self._end_of_select(*self._select)
                self._select = None
            case "textarea":
                self._field(self._area, self._line[self._begin :])
        if tag not in INLINE and tag not in ("option", "input", "img"):
            self._break()

    def _end_of_select(self, name: str, words: list[str], chosen: list[bool], values: list[str]) -> None:
        on = chosen.index(True) if True in chosen else 0
        told = [f"*{w.strip()}" if i == on else w.strip() for i, w in enumerate(words)]
        if len(told) > MANY:
            told = [*told[:2], f"*{words[on].strip()}", f"{len(told)} in all"]
        self._line += f" <{' | '.join(told)}> "
        if values:
            self._field(name, values[on])

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._select is not None:
            if self._select[1]:
                self._select[1][-1] += data
            return
        self._line += data


# --- what differs from run to run -----------------------------------------------------------------------------------------

CHANGING = re.compile(
    r"(?P<link>https?://[^\s/]+/(?:t|in|i|leave|watch|calendar)/)[A-Za-z0-9._~-]+"
    r"|(?P<mail>writ\+)[A-Za-z0-9._-]+(?=@)"
    r"|\b[0-9a-f]{12,64}\b"
    r"|\b[0-9a-f]{8} … [0-9a-f]{8}\b"
)


def steady(lines: Iterable[str]) -> list[str]:
    """Lines with placeholders for what is another each time, numbered in the order in which they come."""
    known: dict[str, int] = {}

    def name(found: re.Match[str]) -> str:
        n = known.setdefault(found[0], len(known) + 1)
        return f"{found['link'] or found['mail'] or ''}‹{n}›"

    return [CHANGING.sub(name, line.rstrip()) for line in lines]


def fresh(lines: list[str], before: Sequence[str]) -> list[str]:
    """The lines that are not as before, and `…` where such were left out."""
    told: list[str] = []
    for kind, first, last, begin, end in difflib.SequenceMatcher(None, before, lines, autojunk=False).get_opcodes():
        if kind == "equal":
            told += lines[begin:end] if end - begin == 1 else [f"… {end - begin}"]
        elif kind == "delete":
            told.append(f"… {last - first} gone")
        else:
            told += lines[begin:end]
    return told


# --- people -----------------------------------------------------------------------------------------------------------


@dataclass
class Letter:
    """A letter as its reader's program shows it."""

    to: str
    kind: str
    subject: str
    text: str
    html: str
    head: dict[str, str]


@dataclass
class Person:
    """A browser and a mailbox."""

    name: str
    client: FlaskClient
    path: str = ""
    """Of the page that is open."""
    html: str = ""
    status: int = 0

    @property
    def address(self) -> str:
        return f"{self.name}@example.org"


PEOPLE = ("anna", "bert", "cleo", "dora", "olga", "visitor")


class Telling:
    """Plays a script on a service of its own, and gathers what is read."""

    def __init__(
        self,
        app: Flask,
        settings: Settings,
        clock: time_machine.Traveller,
        monkeypatch: pytest.MonkeyPatch,
        seed: str,
    ) -> None:
        self.app, self.settings, self.monkeypatch, self.seed = app, settings, monkeypatch, seed
        self.people = {name: Person(name, app.test_client()) for name in PEOPLE}
        self.game = ""
        self.post: list[Letter] = []
        self.letters: list[str] = []
        self.pages: list[str] = []
        self._opened: set[str] = set()
        self._seen: dict[str, list[str]] = {}
        self._read: dict[str, list[str]] = {}
        self._replies = 0
        self._watched = ""
        self.house = self._house(clock)
        self._calm()

    def _house(self, clock: time_machine.Traveller) -> House:
        """A house whose game is opened by its people, and whose workers are at once at what is sent to them."""
        house = House.__new__(House)
        house.settings, house.sent, house.clock = self.settings, [], clock
        busy: list[bool] = []

        def send(_settings: Settings, task: str, *args: str, **_later: float) -> None:
            house.sent.append((task, *args))
            if not busy:
                busy.append(True)
                house.work_off()
                busy.clear()

        self.monkeypatch.setattr("tests.house.queue.send", send)
        return house

    def _calm(self) -> None:
        """Nothing is limited in number, and a decent pause is as long each time."""
        for limiter in self.app.extensions.get("limiter", ()):
            self.monkeypatch.setattr(limiter, "enabled", False)
        # A script's clock stands still between a letter and the reply to it.
        self.monkeypatch.setattr(machines, "AT_ONCE", timedelta(0))
        self.monkeypatch.setattr(random.SystemRandom, "uniform", lambda _self, low, high: (low + high) / 2)
        self.monkeypatch.setattr(settings_, "load", lambda: self.settings)

    # --- the script ---------------------------------------------------------------------------------------------------

    def play(self, script: Iterable[str]) -> None:
        """Do what stands there, line by line."""
        for n, line in enumerate(script, 1):
            if line.strip() and not line.startswith("#"):
                try:
                    self.do(line.strip())
                except Exception as problem:
                    problem.add_note(f"line {n} of the script: {line.strip()}")
                    raise

    def do(self, line: str) -> None:
        """Do what one line says."""
        who, _, rest = line.partition(" ")
        deed, _, rest = rest.partition(" ") if who in (*self.people, "all") else (who, "", rest)
        for name in ("anna", "bert", "cleo") if who == "all" else (who,):
            self.heading = f"{name} {deed} {rest}".strip() if name in self.people else line
            self._do(name, deed, rest.replace("{game}", f"/g/{self.game}"))
            self._gather()

    def _do(self, name: str, deed: str, rest: str) -> None:
        match deed:
            case "time":
                self.house.pass_(span(rest), STEP)
            case "writ":
                self._tell_page("writ", self._shell(shlex.split(rest)))
            case "answers" | "tries":
                self._answer(self.people[name], rest, deed == "tries")
            case "replies":
                self._reply(self.people[name], rest)
            case _:
                getattr(self, "_" + deed.replace("-", "_"))(self.people[name], *shlex.split(rest))

    # --- browsers -----------------------------------------------------------------------------------------------------

    def _send(self, who: Person, method: str, path: str, data: dict[str, str] | None = None) -> None:
        answer = who.client.open(path, method=method, data=data, base_url=self.settings.base_url, follow_redirects=True)
        who.path, who.html, who.status = answer.request.path, answer.text, answer.status_code
        found = re.match(r"/g/([0-9a-f]{32})", who.path)
        if found and not self.game:
            self.game = found[1]

    def _goes(self, who: Person, path: str) -> None:
        self._send(who, "GET", path)
        assert who.status == 200, f"{path} answers {who.status}: {Page(who.html).lines[-12:]}"

    def _sees(self, who: Person, path: str = "") -> None:
        if path:
            self._send(who, "GET", path)
        self._tell_open(who)

    def _tell_open(self, who: Person) -> None:
        told = Page(who.html).lines if "<html" in who.html else who.html.splitlines()
        self._tell_page(f"{who.name} {steady([who.path])[0]}", [*([str(who.status)] if who.status != 200 else []), *told])

    def _presses(self, who: Person, words: str, *given: str) -> None:
        """A form of the open page. Several forms have such a button: the one that has all the fields, the first of them."""
        values = dict(pair.split("=", 1) for pair in given)
        forms = [(f, b) for f in Page(who.html).forms for b in f.buttons if b[0] == words]
        assert forms, f"no button “{words}”; there is: {[b[0] for f in Page(who.html).forms for b in f.buttons]}"
        form, (_, name, value, action) = next(
            (x for x in forms if all(x[0].fields.get(k) == v for k, v in values.items())), forms[0]
        )
        if self.game == "" and "word" in values:
            # The game's own seed is drawn by this, and nowhere else.
            with pytest.MonkeyPatch.context() as context:
                drawn = random.Random(self.seed)
                context.setattr(secrets, "token_bytes", lambda n=32: drawn.randbytes(n))
                context.setattr(lobby, "secrets", secrets)
                self._send(
                    who, "POST", action or form.action or who.path, form.fields | values | ({name: value} if name else {})
                )
        else:
            self._send(who, "POST", action or form.action or who.path, form.fields | values | ({name: value} if name else {}))
        self._tell_open(who)

    def _signs_in(self, who: Person, *given: str) -> None:
        self._goes(who, "/sign-in")
        form = next(f for f in Page(who.html).forms if "email" in f.fields)
        self._send(who, "POST", form.action or "/sign-in", form.fields | {"email": who.address})
        self._gather()
        self._follows(who, "in")
        self._presses(who, "Sign in", "zone=UTC", *given)  # as the browser fills it in

    def _watches(self, who: Person) -> None:
        """Whoever watches has the address that the host's journal shows."""
        address = next(re.finditer(r"/watch/[A-Za-z0-9_-]+", self.people["anna"].html), None)
        self._watched = address[0] if address else self._watched
        self._sees(who, self._watched)

    def _follows(self, who: Person, kind: str) -> None:
        base = re.escape(self.settings.base_url)
        links = [
            m[1] for x in self.post if x.to == who.address for m in re.finditer(rf"{base}(/{kind}/[A-Za-z0-9._~-]+)", x.text)
        ]
        self._send(who, "GET", links[-1])
        self._tell_open(who)

    def _answer(self, who: Person, text: str, told: bool) -> None:
        kind, _, text = text.rpartition(": ")
        self._send(who, "GET", f"/g/{self.game}/table")
        page = Page(who.html)
        forms = [f for f in page.forms if "serial" in f.fields and "kind" in f.fields]
        form = next((f for f in forms if (f.fields["kind"] == kind if kind else f.fields["serial"] != "0")), None)
        assert form is not None, f"{who.name} is not asked; the page says: {page.lines[-30:]}"
        fields = {k: form.fields[k] for k in ("csrf_token", "key", "serial", "kind")}
        self._send(who, "POST", f"/g/{self.game}/answer", fields | {"answer": text})
        if told:
            self._tell_open(who)
        else:
            assert who.status == 200, f"refused: {Page(who.html).lines}"

    # --- mail ---------------------------------------------------------------------------------------------------------

    def _reply(self, who: Person, text: str) -> None:
        letter = next(x for x in reversed(self.post) if x.to == who.address and x.head.get("Reply-To"))
        made = EmailMessage()
        self._replies += 1
        made["From"], made["To"], made["Message-ID"] = who.address, letter.head["Reply-To"], f"<reply-{self._replies}@reader>"
        made["Subject"] = f"Re: {letter.subject}"
        made.set_content(f"{text}\n\n> {letter.subject}\n")
        self._tell_page("mail-in", self._shell(["mail-in"], made.as_bytes()))

    def _gather(self) -> None:
        """Take new letters out of the mailbox; those of the same moment in an order of their own."""
        files = [f for sub in ("new", "cur") for f in self.settings.maildir.glob(f"{sub}/*") if f.name not in self._opened]
        found = []
        for file in files:
            self._opened.add(file.name)
            message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            text, html = message.get_body(("plain",)), message.get_body(("html",))
            assert text is not None and html is not None
            head = {name: str(value) for name, value in message.items()}
            found.append(
                Letter(
                    str(message["To"]),
                    self._kind(head["Message-ID"]),
                    str(message["Subject"]),
                    text.get_content(),
                    html.get_content(),
                    head,
                )
            )
        for letter in sorted(found, key=lambda x: (x.head["Date"], x.to, x.kind, x.text)):
            self.post.append(letter)
            self._tell_letter(letter)

    def _kind(self, message_id: str) -> str:
        with sqlite3.connect(self.settings.data_folder / "writ.db") as database:
            row = database.execute("SELECT kind FROM letters WHERE message_id = ?", (message_id,)).fetchone()
        database.close()
        return str(row[0]) if row else "?"

    # --- the shell ----------------------------------------------------------------------------------------------------

    def _shell(self, words: list[str], given: bytes = b"") -> list[str]:
        words = [self.game if w == "GAME" else w for w in words]
        done = CliRunner().invoke(command(), words, input=given, catch_exceptions=False)
        self.house.tick()
        return [*([] if done.exit_code == 0 else [f"exit code {done.exit_code}"]), *done.output.splitlines()]

    # --- what is told -------------------------------------------------------------------------------------------------

    def _tell_page(self, where: str, lines: list[str]) -> None:
        lines = steady(lines)
        person, _, path = where.partition(" ")
        before = [self._seen[key] for key in (where, path, person, "any") if key in self._seen]
        known = max(before, key=lambda known: len(set(known) & set(lines)), default=[])
        self.pages += ["", f"=== {steady([self.heading])[0]}", *fresh(lines, known)]
        self._seen[where] = self._seen[path] = self._seen[person] = self._seen["any"] = lines

    def _tell_letter(self, letter: Letter) -> None:
        text = steady(line for line in letter.text.splitlines() if line.strip())
        whole = _plain(" ".join(text))
        html = ["…" if _plain(line) in whole else line for line in steady(Page(letter.html).lines)]
        html = [line for i, line in enumerate(html) if line != "…" or i == 0 or html[i - 1] != "…"]
        key = f"{letter.kind} {letter.to}"
        known, known_html = self._read.get(key, self._read.get(letter.kind, [])), self._read.get(key + " html", [])
        self.letters += ["", f"=== {letter.kind} to {letter.to}: {letter.subject}", f"from {letter.head['From']}"]
        self.letters += [f"{k}: {steady([v])[0]}" for k, v in letter.head.items() if k in ("Date", "Reply-To")]
        self.letters += fresh(text, known)
        shown = fresh(html, known_html)
        self.letters += ["--- as a page", *shown]
        self._read[key] = self._read[letter.kind] = text
        self._read[key + " html"] = html


def _plain(words: str) -> str:
    """Words without what text has in place of boxes and bullets: by these the page of a letter repeats its text."""
    return " ".join(re.sub(r"[^\w‹›]+|\bx\b", " ", re.sub(r"(\d)x\b", r"\1", words)).split())


def command() -> click.Command:
    """The `writ` command, wherever it stands."""
    module, _, name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["writ"].partition(":")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, click.Command)
    return found


def span(words: str) -> timedelta:
    """`3h` or `2d`."""
    return timedelta(hours=int(words[:-1]) * {"h": 1, "d": 24}[words[-1]])
