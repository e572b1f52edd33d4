"""Replay files in a real browser, opened from the file system: keys, verification, faults, both sizes and themes."""

from __future__ import annotations

import json
import random
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from flask import Flask
from playwright.sync_api import Browser, Page, expect

from engine.play import match as matches
from engine.play import proof
from service.replay.viewer import OPEN
from service.web import files
from service.web.replay import replay_file
from tests.engine.test_proof import VECTORS
from tests.replays import copied, read_log
from tests.service.web.axe import DARK, in_both_themes, violations
from tests.service.web.test_replay_file import pages  # noqa: F401  (fixture)

pytestmark = pytest.mark.browser
ONE_EACH = {
    "ortus": ("6-earls-last-falls-by-deck", OPEN),
    "mastery": ("2-lords-siege", "b"),
    "fief": ("3-seats-die-of-the-book", OPEN),
}
STATIC = files.FOLDER
Open = Callable[..., Page]
WITHOUT_CRYPTO = "Object.defineProperty(globalThis, 'crypto', {value: {}});"
WITHOUT_STREAMS = "delete globalThis.DecompressionStream;"
SLIDE = """(entries) => {
  const slider = document.querySelector("#to-entry"), boards = new Set(), headings = [];
  let lit = 0;
  for (const n of entries) {
    slider.value = n;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    headings.push(document.querySelector("#then").textContent);
    boards.add(document.querySelector(".board").innerHTML);
    lit += document.querySelectorAll(":is(.board, .hand) .lit").length;
  }
  return [boards.size, lit, headings];
}"""
"""Moves the slider to these entries; returns how many boards differ, how many parts are lit, and the headings.

After a key that Playwright presses, it waits until the page is painted.
"""


@pytest.fixture
def browse(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """browse(html, script) -> the file, opened without a network; nothing is fetched, and no console complains."""
    context, said = browser.new_context(offline=True), list[str]()

    def opened(page: str, script: str = "", size: tuple[int, int] = (1280, 800)) -> Page:
        file = tmp_path / f"{secrets.token_hex(4)}.html"
        file.write_text(page, "utf-8")
        found = context.new_page()
        found.set_viewport_size({"width": size[0], "height": size[1]})
        found.on("console", lambda message: said.append(message.text))
        found.on("pageerror", lambda problem: said.append(str(problem)))
        found.on("request", lambda asked: said.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None)
        if script:
            found.add_init_script(script)
        found.goto(file.as_uri())
        return found

    yield opened
    context.close()
    assert said == []


@pytest.fixture(scope="module")
def made(pages: Flask) -> Callable[[str], str]:
    """made(game) -> the file of a recorded game, drawn once."""
    kept: dict[str, str] = {}

    def found(game: str) -> str:
        if game not in kept:
            stem, seat = ONE_EACH[game]
            kept[game] = replay_file.html(copied(game, stem, seat), "replay.html")
        return kept[game]

    return found


def verdict(page: Page, good: bool) -> str:
    expect(page.locator(f".verdict.{'good' if good else 'bad'}")).to_have_text(
        "Verified" if good else "Not verified", timeout=30_000
    )
    return page.locator("#sum" if good else "#fault").text_content() or ""


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", ONE_EACH)
def test_a_file_opens_from_disk_steps_to_its_end_and_verifies_itself(
    browse: Open, made: Callable[[str], str], game: str, every: int
) -> None:
    page = browse(made(game))
    last = len(proof.read_file(made(game)).log) - 1
    assert f"{last} entries" in verdict(page, True)
    heading = page.locator("#then")
    expect(heading).to_have_text("The start")
    for n in range(1, 11):
        page.keyboard.press("ArrowRight")
        expect(heading).to_have_text(f"Entry {n} of {last}")
    looked_at = [*range(10, last, every), last - 1]
    boards, lit, headings = page.evaluate(SLIDE, looked_at)
    assert headings == [f"Entry {n} of {last}" for n in looked_at]
    assert boards > last / 20 and lit
    page.keyboard.press("ArrowRight")
    expect(heading).to_have_text(f"Entry {last} of {last}")
    expect(page.locator("[data-step=next]")).to_have_attribute("aria-disabled", "true")
    for key, said in (
        ("Home", "The start"),
        ("End", f"Entry {last} "),
        ("ArrowLeft", f"Entry {last - 1} "),
        ("Home", "The start"),
    ):
        page.keyboard.press(key)
        expect(heading).to_contain_text(said)
    page.locator("#speed").select_option("700")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    expect(page.locator("[data-run]")).to_have_text("Stop")
    expect(heading).to_contain_text("Entry 3 ", timeout=10_000)
    page.keyboard.press(" ")
    expect(page.locator("[data-run]")).to_have_text("Play")
    page.locator("#to-entry").focus()
    page.keyboard.press("End")  # the slider's own
    expect(heading).to_contain_text(f"Entry {last} ")
    page.get_by_text("Rounds and turning points").click()
    page.locator(".chapters .heading a").nth(1).click()
    expect(page.locator("#chapter")).to_have_text(f" · {page.locator('.chapters .heading a').nth(1).text_content()}")
    page.locator(".events a").nth(4).click()
    expect(page.locator(".events [aria-current]")).to_have_count(1)


@pytest.mark.parametrize("game", ONE_EACH)
@DARK
def test_axe_finds_nothing_and_nothing_overflows(
    browse: Open, made: Callable[[str], str], game: str, dark: tuple[int, ...]
) -> None:
    page = browse(made(game))
    verdict(page, True)
    page.evaluate(SLIDE, [30])
    page.evaluate("for (const fold of document.querySelectorAll('.question details')) fold.open = true")
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert (in_both_themes(page) if width in dark else violations(page)) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# Verified by one script whichever the game is.
@pytest.mark.parametrize("game", ["mastery", *(pytest.param(game, marks=pytest.mark.soak) for game in ("ortus", "fief"))])
def test_after_one_byte_is_changed_it_names_the_entry_that_writ_verify_names(
    browse: Open, made: Callable[[str], str], game: str
) -> None:
    whole = made(game)
    begin = whole.index('<pre id="writ-log"')
    lines = proof.read_file(whole).log
    places = (("move", "#"), ("via", "x"), ("at", "9"), ("actor", "g"), ("n", "7"), ("prev", "g"), ("move", "\\"))
    for n, (name, put) in zip(range(3, len(lines), 9), places, strict=False):
        at = whole.index(f"&#34;n&#34;:{n},&#34;", begin)
        at = whole.index(f"&#34;{name}&#34;:", at)
        at = at + len(f"&#34;{name}&#34;:") + (0 if name == "n" else len("&#34;"))
        if whole[at] in (put, "&"):
            continue
        changed = whole[:at] + put + whole[at + 1 :]
        found = proof.verify_file(changed)
        assert not found.holds
        page = browse(changed)
        told = verdict(page, False)
        place = re.compile(r"Line (\d+)")
        right, shown = place.match(found.sentence), place.match(told)
        assert right and shown and right[1] == shown[1], (n, name, put, found.sentence, told)
        page.close()
    draws = whole.index('<pre id="writ-draws"')
    at = whole.index("]", draws) - 1
    while not whole[at].isdigit():
        at -= 1
    changed = whole[:at] + str((int(whole[at]) + 1) % 10) + whole[at + 1 :]
    assert verdict(browse(changed), False) == proof.verify_file(changed).sentence
    # The header, of which every byte counts.
    at = whole.index("&#34;commitment&#34;:&#34;", begin) + len("&#34;commitment&#34;:&#34;")
    changed = whole[:at] + ("0" if whole[at] != "0" else "1") + whole[at + 1 :]
    assert verdict(browse(changed), False) == proof.verify_file(changed).sentence


def test_it_verifies_without_web_crypto_and_says_so_where_boards_cant_be_unpacked(
    browse: Open, made: Callable[[str], str]
) -> None:
    page = browse(made("mastery"), WITHOUT_CRYPTO)
    assert not page.evaluate("crypto.subtle")
    verdict(page, True)
    expect(page.locator("#no-boards")).to_be_hidden()
    page = browse(made("mastery"), WITHOUT_STREAMS)
    verdict(page, True)
    expect(page.locator("#no-boards")).to_contain_text("can’t unpack the boards")
    expect(page.locator("#steps")).to_be_hidden()
    assert page.locator(".events li").count() > 30 and page.locator(".board svg").count()


def test_without_scripts_it_shows_the_first_board_and_the_whole_log(
    browser: Browser, made: Callable[[str], str], tmp_path: Path
) -> None:
    file = tmp_path / "replay.html"
    file.write_text(made("mastery"), "utf-8")
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator("#no-script")).to_contain_text("Without JavaScript")
    expect(page.locator("#verdict")).to_contain_text("needs JavaScript")
    expect(page.locator(".events li").last).to_be_visible()
    assert page.locator(".board .hex").first.is_visible()
    context.close()


@pytest.mark.parametrize("subtle", [True, False])
def test_the_script_agrees_with_the_vectors(browse: Open, subtle: bool) -> None:
    page = browse("<!doctype html><title>Vectors</title>", "" if subtle else WITHOUT_CRYPTO)
    found = page.evaluate(
        f"""async (vectors) => {{
          {(STATIC / "proof.js").read_text("utf-8")}
          const {{ hex, bytes, unhex }} = Proof;
          return {{
            sha256: await Promise.all(vectors.sha256.map(async ([text]) => hex(await Proof.sha256(bytes(text))))),
            plain: vectors.sha256.map(([text]) => hex(Proof.plain(bytes(text)))),
            hmac: await Promise.all(vectors.hmac.map(async ([key, text]) => hex(await Proof.hmac(key, text)))),
            secret: await Promise.all(vectors.secret.map(([seed, drawn]) => Proof.secret(unhex(seed), drawn))),
            draws: await Promise.all(vectors.draws.lines.map((line) => Proof.draw(vectors.draws.secret, JSON.parse(line)))),
            entries: await Promise.all(vectors.entries.map((line) => Proof.entryHash(JSON.parse(line)))),
            lines: vectors.entries.map((line) => JSON.stringify(JSON.parse(line))),
          }};
        }}""",
        VECTORS,
    )
    right = {name: [one[-1] for one in VECTORS[name]] for name in ("sha256", "hmac", "secret")}
    right["plain"], right["lines"] = right["sha256"], VECTORS["entries"]
    right["draws"] = [json.loads(line)[-1] for line in VECTORS["draws"]["lines"]]
    right["entries"] = [json.loads(line)["hash"] for line in VECTORS["entries"]]
    assert found == right


@pytest.mark.parametrize("game", ["mastery", "fief"])
def test_whichever_byte_is_changed_both_verifiers_name_the_same_line(browse: Open, game: str) -> None:
    stem = {"mastery": "2-lords-points", "fief": "3-seats-first-disasters-discarded"}[game]
    header, entries = read_log(game, stem)
    found = proof.prove(header, bytes.fromhex(matches.revealed_seed(entries)), entries)
    whole, rng = "\n".join(found.log).encode(), random.Random(5)
    logs, right = list[list[str]](), list[str]()
    while len(logs) < 120:
        at = rng.randrange(len(found.log[0]) if len(logs) % 3 else len(whole))
        byte = bytes([whole[at] ^ (1 << rng.randrange(8))])
        if byte not in b"\n\r\0" and whole[at : at + 1] != b"\n":
            logs.append((whole[:at] + byte + whole[at + 1 :]).decode("utf-8", "replace").split("\n"))
            right.append(matches.verify(logs[-1]).sentence)
    page = browse(f"<!doctype html><script>{(STATIC / 'proof.js').read_text('utf-8')}</script>")
    lines = page.evaluate(
        "async ([logs, draws]) => Promise.all(logs.map(async (log) => (await Proof.verify(log, draws, [1])).line))",
        [logs, found.draws],
    )
    assert [[f"Line {line}"] for line in lines] == [re.findall(r"^Line \d+", sentence) for sentence in right]
