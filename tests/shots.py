"""Pictures of the table and of letters, for looking at: `make shots` writes them to `shots/`, which git ignores.

    python -m tests.shots [PART …]     only shots with all these parts in their names: `ortus middle 390 dark`

Every game, at its start, middle, in a fight and at its end, with most seats and with fewest; 1280 × 800 and 390 × 844; light
and dark; with most seats in the middle also without scripts. With most seats the letter that puts the question, or tells of
the end, too, at 640 and 375; its history, and how the board stood earlier.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from engine.games import GAMES
from service.games import writing
from service.people import accounts, browsers
from service.post import letters
from service.settings import Settings
from service.store.database import migrate, transaction
from service.store.models import Letter, Match, SeatRow
from service.web import create_app
from tests.conftest import BROWSERS
from tests.tables import TITLES, Laid, games, laid, lay

FOLDER = Path(__file__).parents[1] / "shots"
SIZES = {"1280": (1280, 800), "390": (390, 844)}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LETTERS = {"640": (640, 900), "375": (375, 812)}


@dataclass(frozen=True)
class Shot:
    """A page at one size, in one theme, with scripts or without."""

    name: str
    path: str
    width: int
    height: int
    scheme: Scheme
    scripts: bool = True


@contextmanager
def house() -> Iterator[tuple[Settings, str, dict[str, str]]]:
    """A service on a port of this machine, its address, and the cookie of somebody who is signed in."""
    folder = Path(tempfile.mkdtemp(prefix="writ-shots-"))
    settings = Settings(
        data_folder=folder,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        base_url="http://127.0.0.1",
        sqlite_synchronous="NORMAL",
    )
    migrate(settings)
    app = create_app(settings)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield settings, f"http://127.0.0.1:{server.port}", _signed_in(app, settings)
    finally:
        server.shutdown()
        thread.join()
        shutil.rmtree(folder)


def _signed_in(app: Flask, settings: Settings) -> dict[str, str]:
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        accounts.rename(session, account, "Alys")
        secret = browsers.enter(session, account, account.generation)
        kept = {"account": account.id, "browser": secret, "door": "door", "_permanent": True}
    signer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]  # Flask types the interface loosely
    return {"name": "writ", "value": signer.dumps(kept)}


def pages(settings: Settings, wanted: set[str]) -> Iterator[Shot]:
    """The pages whose names hold all the wanted parts; the games of others aren't laid out."""
    for game in games():
        for seats in (GAMES[game].rules.seats[-1], GAMES[game].rules.seats[0]):
            for moment in TITLES:
                full = moment == "middle" and seats == GAMES[game].rules.seats[-1]
                names = [(size, scheme, "") for size in SIZES for scheme in SCHEMES]
                names += [(size, SCHEMES[0], "-noscript") for size in SIZES if full]
                of = {f"{game}-{seats}-{moment}-{size}-{scheme}{more}": (size, scheme, more) for size, scheme, more in names}
                yield from _laid_out(
                    settings, laid(game, seats, moment), {name: ("table", *how) for name, how in of.items()}, wanted
                )
        yield from _looked_back(settings, game, wanted)


def _looked_back(settings: Settings, game: str, wanted: set[str]) -> Iterator[Shot]:
    """The history of a game with most seats, and the board as it stood in a fight, in its middle and at its start."""
    found, fight = laid(game, GAMES[game].rules.seats[-1], "end"), laid(game, GAMES[game].rules.seats[-1], "fight")
    assert found.log is not None and fight.log is not None
    last, fought = len(found.log.entries), len(fight.log.entries)
    views = {
        "history": "history",
        "then-fight": f"replay?n={fought}",
        "then-middle": f"replay?n={last // 2}",
        "then-start": "replay?n=0",
    }
    of = {
        f"{game}-{name}-{size}-{scheme}": (view, size, scheme, "")
        for name, view in views.items()
        for size in SIZES
        for scheme in SCHEMES
    }
    yield from _laid_out(settings, found, of, wanted, logged=True)


def _laid_out(
    settings: Settings, found: Laid, of: dict[str, tuple[str, str, Scheme, str]], wanted: set[str], logged: bool = False
) -> Iterator[Shot]:
    """The wanted shots of one position; `of` has by name which page, at which size, in which theme, and what is left out."""
    chosen = {name: how for name, how in of.items() if wanted <= set(name.split("-"))}
    if not chosen:
        return
    with transaction(settings) as session:
        path = lay(session, accounts.by_email(session, "alys@example.org"), found, logged=logged).removesuffix("table")
    for name, (page, size, scheme, less) in chosen.items():
        yield Shot(name, f"{path}{page}", *SIZES[size], scheme, not less)


def shoot(browser: Browser, address: str, cookie: dict[str, str], shot: Shot) -> None:
    """Write the picture of what is on the first screen; without scripts, of the whole page."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme=shot.scheme,
        java_script_enabled=shot.scripts,
        base_url=address,
    )
    context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": address}])
    page = context.new_page()
    page.goto(shot.path)
    page.evaluate("document.fonts.ready") if shot.scripts else page.wait_for_timeout(150)
    page.wait_for_timeout(150)
    page.screenshot(path=FOLDER / f"{shot.name}.png", full_page=not shot.scripts)
    context.close()


def letter(settings: Settings, game: str, moment: str) -> str:
    """The HTML part of the letter that puts the question of a moment with most seats, or tells of the end."""
    return letter_of(settings, laid(game, GAMES[game].rules.seats[-1], moment))


def letter_of(settings: Settings, found: Laid) -> str:
    """The HTML part of the letter about a position, written as it is sent."""
    return written(settings, found).html


def written(settings: Settings, found: Laid) -> Letter:
    """The letter about a position, written as it is sent."""
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        match = session.get_one(Match, lay(session, account, found).split("/")[2])
        seat = session.get_one(SeatRow, (match.id, found.seat))
        owed = letters.owe(session, "over" if found.over else "turn", match, seat, account, serial=match.serial)
        session.flush()
        (one,) = writing.gather(session, [owed])
        writing.write(settings, one)
        session.expunge(owed)
        return owed


def shoot_letters(browser: Browser, settings: Settings, wanted: set[str]) -> None:
    """Write the pictures of the letters whose names hold all the wanted parts."""
    for game in games():
        for moment in TITLES:
            for size, (width, height) in LETTERS.items():
                for scheme in SCHEMES:
                    name = f"{game}-letter-{moment}-{size}-{scheme}"
                    if not wanted <= set(name.split("-")):
                        continue
                    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page = context.new_page()
                    page.set_content(letter(settings, game, moment))
                    page.screenshot(path=FOLDER / f"{name}.png", full_page=True)
                    context.close()
                    print(f"shots/{name}.png")


def main(wanted: list[str]) -> None:
    """Write the pictures whose names hold all the wanted parts."""
    FOLDER.mkdir(exist_ok=True)
    chromium = os.environ.get("WRIT_TEST_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with house() as (settings, address, cookie), sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium, args=["--font-render-hinting=none"])
        for shot in pages(settings, set(wanted)):
            shoot(browser, address, cookie, shot)
            print(f"shots/{shot.name}.png")
        shoot_letters(browser, settings, set(wanted))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
