"""A player for `writ demo` and end-to-end tests: reads letters, follows links, fills in forms. Knows no rules."""

from __future__ import annotations

import email
import email.policy
import http.client
import http.cookiejar
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

from engine.core.offers import WITHDRAW

# --- letters ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mail:
    id: str
    to: str
    subject: str
    text: str

    def link(self, base: str, path: str) -> str:
        found = re.search(re.escape(base + path) + r"[A-Za-z0-9._~%-]+", self.text)
        return found[0] if found else ""


class Mailbox:
    """A Maildir, read-only: returns each letter once, oldest first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: set[str] = set()

    def fresh(self) -> list[Mail]:
        files = [f for sub in ("new", "cur") for f in self.folder.glob(f"{sub}/*") if f.name not in self.seen]
        found = []
        for file in sorted(files, key=lambda f: (f.stat().st_mtime_ns, f.name)):
            self.seen.add(file.name)
            found.append(_read(file))
        return found


def _read(file: Path) -> Mail:
    message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    body = message.get_body(("plain",))
    return Mail(message["Message-ID"], message["To"], message["Subject"], body.get_content() if body else "")


# --- pages ------------------------------------------------------------------------------------------------------------


@dataclass
class Control:
    kind: str
    name: str
    value: str = ""
    least: int = 0
    most: int = 1
    options: list[str] = field(default_factory=list)
    on: bool = False
    usual: str = ""
    """A number's default; empty if it has to be chosen."""
    group: int = 0
    """Number of the innermost fieldset around it; 0 for none."""


@dataclass
class Form:
    action: str
    controls: list[Control] = field(default_factory=list)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)
    """Name, value and text of each submit button that goes to `action`."""
    grave: bool = False
    """Whether its button warns of a permanent loss."""

    def hidden(self, name: str) -> str:
        return next((c.value for c in self.controls if c.kind == "hidden" and c.name == name), "")

    def has(self, name: str) -> bool:
        return any(c.name == name for c in self.controls) or any(b[0] == name for b in self.buttons)


@dataclass
class Page:
    url: str
    status: int
    html: str
    forms: list[Form] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    alerts: list[str] = field(default_factory=list)
    """Alerts, such as the sentence of a refusal."""
    legends: dict[int, str] = field(default_factory=dict)
    refreshes: bool = False

    def form(self, *names: str) -> Form:
        """The first form that has all these inputs or buttons. Raises Lost."""
        for form in self.forms:
            if all(form.has(name) for name in names):
                return form
        raise Lost(f"{self.url} has no form with {', '.join(names)}; it says: {self.words()[:300]}")

    def link(self, pattern: str) -> str:
        """The first link that matches. Raises Lost."""
        for link in self.links:
            if re.search(pattern, link):
                return urllib.parse.urljoin(self.url, link)
        raise Lost(f"{self.url} has no link like {pattern}; it says: {self.words()[:300]}")

    def words(self) -> str:
        return " ".join(re.sub(r"<[^>]+>", " ", self.html.partition("<main")[2]).split())


class Lost(Exception):
    """The robot doesn't find what it needs; the message says where and what."""


class _Parser(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.form: Form | None = None
        self.groups: list[int] = []
        self.select: Control | None = None
        self.reading: str = ""
        self.text = ""
        self.button: tuple[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        a = {k: v or "" for k, v in attrs}
        if tag == "form":
            self.form = Form(urllib.parse.urljoin(self.page.url, a.get("action", "")))
            self.page.forms.append(self.form)
        elif tag == "fieldset":
            self.groups.append(len(self.page.legends) + 1)
            self.page.legends[self.groups[-1]] = ""
        elif tag == "a" and "href" in a:
            self.page.links.append(a["href"])
        elif tag == "meta" and a.get("http-equiv", "").lower() == "refresh":
            self.page.refreshes = True
        elif tag == "legend" or a.get("role") == "alert":
            self.reading, self.text = tag, ""
        elif self.form is not None:
            self._control(tag, a)

    def _control(self, tag: str, a: dict[str, str]) -> None:
        assert self.form is not None
        group = self.groups[-1] if self.groups else 0
        if tag == "input" and a.get("name") and "form" not in a:  # belongs to another form
            made = Control(a.get("type", "text"), a["name"], a.get("value", ""), group=group, on="checked" in a)
            made.least, made.most, made.usual = int(a.get("min") or 0), int(a.get("max") or 1), a.get("data-usual", "")
            self.form.controls.append(made)
        elif tag == "select":
            self.select = Control("select", a.get("name", ""), group=group)
            self.form.controls.append(self.select)
        elif tag == "textarea":
            self.form.controls.append(Control("text", a.get("name", ""), group=group))
        elif tag == "option" and self.select is not None:
            self.select.options.append(a.get("value", ""))
            if "selected" in a or len(self.select.options) == 1:
                self.select.value = a.get("value", "")
        elif tag == "button" and a.get("type", "submit") == "submit" and "formaction" not in a:
            self.button = a.get("name", ""), a.get("value", "")
            if self.form is not None and "danger" in a.get("class", "").split():
                self.form.grave = True
            self.reading, self.text = tag, ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = None
        elif tag == "fieldset" and self.groups:
            self.groups.pop()
        elif tag == "select":
            self.select = None
        if tag != self.reading:
            return
        text, self.reading = " ".join(self.text.split()), ""
        if tag == "legend" and self.groups:
            self.page.legends[self.groups[-1]] = text
        elif tag == "button" and self.form is not None and self.button is not None:
            self.form.buttons.append((*self.button, text))
        elif tag not in ("legend", "button"):
            self.page.alerts.append(text)

    def handle_data(self, data: str) -> None:
        if self.reading:
            self.text += data


# --- the browser ------------------------------------------------------------------------------------------------------

TIMEOUT = 30
SETTLED = 0.7
"""How often a player without a plan keeps all optional numbers."""
PATIENCE = 60.0
"""Seconds for which a page may keep refreshing."""


class Browser:
    """HTTP client with cookies. `source`: the local IP address to connect from."""

    def __init__(self, base: str, source: str = "") -> None:
        self.base = base
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar), _From(source))
        self.requests = 0

    def get(self, url: str) -> Page:
        return self._fetch(urllib.request.Request(urllib.parse.urljoin(self.base, url)))

    def download(self, url: str) -> bytes:
        """Download a file. Raises Lost unless the status is 200."""
        with self.opener.open(urllib.parse.urljoin(self.base, url), timeout=TIMEOUT) as reply:
            if reply.status != 200:
                raise Lost(f"{url} answers {reply.status}.")
            return bytes(reply.read())

    def submit(self, page: Page, form: Form, filled: dict[str, str] | None = None, button: str = "") -> Page:
        """Submit a form with its defaults and `filled`, by the button of that value."""
        data = {c.name: c.value for c in form.controls if c.kind not in ("checkbox", "radio") or c.on}
        data |= filled or {}
        chosen = next((b for b in form.buttons if b[1] == button), None) if button else next(iter(form.buttons), None)
        if button and chosen is None:
            raise Lost(f"A form of {page.url} has no button “{button}”.")
        if chosen is not None and chosen[0]:
            data[chosen[0]] = chosen[1]
        return self.post(form.action, data, page.url)

    def post(self, url: str, data: dict[str, str], referrer: str = "") -> Page:
        body = urllib.parse.urlencode(data).encode()
        return self._fetch(urllib.request.Request(url, body, {"Referer": referrer} if referrer else {}))

    def settle(self, page: Page) -> Page:
        """Reload a page until it no longer refreshes itself. Raises Lost if that takes too long."""
        until = time.monotonic() + PATIENCE
        pause = 0.05
        while page.refreshes:
            if time.monotonic() > until:
                raise Lost(f"{page.url} still says after {PATIENCE:.0f} seconds: {page.words()[:200]}")
            time.sleep(pause)
            pause = min(pause * 1.5, 1.0)
            page = self.get(page.url)
        return page

    def _fetch(self, request: urllib.request.Request) -> Page:
        for _ in range(8):
            self.requests += 1
            try:
                with self.opener.open(request, timeout=TIMEOUT) as reply:
                    return page_of(reply.url, reply.status, reply.read())
            except urllib.error.HTTPError as error:
                if error.code == 429:
                    error.close()
                    time.sleep(min(float(error.headers.get("Retry-After") or 5), 70.0))
                    continue
                with error:
                    return page_of(error.url or request.full_url, error.code, error.read())
        raise Lost(f"{request.full_url} says again and again that it was asked for too often.")


class _From(urllib.request.HTTPHandler):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = (source, 0) if source else None

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(http.client.HTTPConnection, req, source_address=self.source)


def page_of(url: str, status: int, body: bytes) -> Page:
    page = Page(url, status, body.decode("utf-8", "replace"))
    _Parser(page).feed(page.html)
    return page


# --- answering --------------------------------------------------------------------------------------------------------

TRIES = 40
"""How often a refused answer is replaced by another one."""


def questions(page: Page) -> list[Form]:
    """Forms that answer the page's questions and proposals; those that warn of a permanent loss only if there is no other."""
    asked = [f for f in page.forms if f.hidden("serial") not in ("", "0") and f.hidden("option")]
    asked = [f for f in asked if not (f.hidden("serial").startswith("-") and f.hidden("option") == WITHDRAW)]
    return [f for f in asked if not f.grave] or asked


CELL = re.compile(r"f_([a-z_0-9]+?)__([0-9]+)__([a-z_].*)")
"""Name of an input in a row: field, row, cell."""


def fill(page: Page, form: Form, rng: random.Random) -> dict[str, str]:
    """Random values for a form, within its bounds."""
    counts = {c.name.removeprefix("f_").removesuffix("__rows") for c in form.controls if c.name.endswith("__rows")}
    cells: dict[tuple[str, int], list[Control]] = {}
    plain: list[Control] = []
    for c in form.controls:
        found = CELL.fullmatch(c.name)
        if found and found[1] in counts:
            cells.setdefault((found[1], int(found[2])), []).append(c)
        else:
            plain.append(c)
    filled = _filled(page, plain, rng)
    for name in counts:
        filled |= _rows(page, {row: inner for (field, row), inner in cells.items() if field == name}, rng)
    return filled


def _rows(page: Page, rows: dict[int, list[Control]], rng: random.Random) -> dict[str, str]:
    wanted = rng.randint(0, len(rows))
    filled: dict[str, str] = {}
    for row, controls in rows.items():
        inner = [replace(c, name=f"f_{c.name.split('__', 2)[2]}") for c in controls]
        names = {short.name: c.name for short, c in zip(inner, controls, strict=True)}
        given = _filled(page, inner, rng) if row <= wanted else {}
        for c in controls:
            c.on = False
        blank = {c.name: "" for c in controls if c.kind != "checkbox"}
        filled |= blank | {names[short]: value for short, value in given.items()}
    return filled


def _filled(page: Page, controls: list[Control], rng: random.Random) -> dict[str, str]:
    filled: dict[str, str] = {}
    lists: dict[int, list[Control]] = {}
    orders: dict[str, list[Control]] = {}
    settled = any(c.usual for c in controls) and rng.random() < SETTLED
    for c in controls:
        if c.kind == "select" and re.search(r"__\d+$", c.name):
            orders.setdefault(c.name.rpartition("__")[0], []).append(c)
        elif c.kind == "select":
            choices = [v for v in c.options if v]
            filled[c.name] = rng.choice(choices) if choices else ""
        elif c.kind == "radio":
            filled.setdefault(c.name, rng.choice([x.value for x in controls if x.name == c.name]))
        elif c.kind in ("checkbox", "number") and "__" in c.name:
            lists.setdefault(c.group, []).append(c)
        elif c.kind == "number":
            filled[c.name] = c.usual if settled and c.usual else str(rng.randint(c.least, c.most))
    for group, members in lists.items():
        filled |= _picks(page.legends.get(group, ""), members, rng)
    for selects in orders.values():
        # In an empty row, each select is still unset.
        places = [select.value or select.options[n] for n, select in enumerate(selects, 1)]
        for select, value in zip(selects, rng.sample(places, len(places)), strict=True):
            filled[select.name] = value
    return filled


def _picks(legend: str, controls: list[Control], rng: random.Random) -> dict[str, str]:
    counts = {c.name: c.least if c.kind == "number" else 0 for c in controls}
    may = [c.name for c in controls for _ in range(c.most - counts[c.name])]
    least, most = _bounds(legend, len(may) + sum(counts.values()))
    n = rng.randint(least, max(least, most)) - sum(counts.values())
    for name in rng.sample(may, max(0, min(n, len(may)))):
        counts[name] += 1
    boxes = {c.name for c in controls if c.kind == "checkbox"}
    for c in controls:
        c.on = False  # the page may have ticked boxes for the safe answer
    return {name: str(n) for name, n in counts.items() if n or name not in boxes}


def _bounds(legend: str, all_: int) -> tuple[int, int]:
    numbers = [int(n) for n in re.findall(r"\d+", legend.rpartition("exactly")[2] if "exactly" in legend else legend)]
    if "exactly" in legend and numbers:
        return numbers[0], numbers[0]
    if re.search(r"\d+ to \d+$", legend):
        return numbers[-2], numbers[-1]
    if re.search(r"up to \d+$", legend):
        return 0, numbers[-1]
    return 0, all_


def powers(page: Page) -> list[Form]:
    """Forms of powers, without those that warn of a permanent loss."""
    return [f for f in page.forms if f.hidden("serial") == "0" and f.hidden("option") and not f.grave]


def answer_all(browser: Browser, page: Page, rng: random.Random, offers: float = 0.0) -> Iterator[Page]:
    """Answer a page's questions until it asks none; yields the page after each answer. `offers`: probability of using a power
    first.

    Raises Lost if a question refuses every answer, or a page keeps refreshing.
    """
    page, tries = browser.settle(page), 0
    while forms := questions(page):
        if offers and (beside := powers(page)) and rng.random() < offers:
            forms = beside
        form = rng.choice(forms)
        after = browser.settle(browser.submit(page, form, fill(page, form, rng)))
        sure = next((f for f in after.forms if f.has("answer") and f.has("serial")), None)
        if sure is not None and after.status == 200:  # a confirmation page
            after = browser.settle(browser.submit(after, sure))
        if after.status >= 500:
            raise Lost(f"{form.action} answers {after.status}.")
        page = after
        if after.status >= 400:
            tries += 1
            if tries > TRIES:
                raise Lost(f"{form.action} refuses every answer; the last time: {'; '.join(after.alerts)}")
            if after.status != 422:
                page = browser.settle(browser.get(re.sub(r"/(answer|preview)\b.*", "/table", after.url)))
            continue
        tries = 0
        yield page
