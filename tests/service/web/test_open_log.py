"""A stranger's log: checked in a process of its own, shown for an hour, and refused with the sentence of `writ verify`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import pytest
from sqlmodel import select
from werkzeug.test import TestResponse

from engine.core.asks import read
from engine.games import GAMES
from engine.play import match as matches
from service.games import opened
from service.settings import Settings
from service.store import broker
from service.store.database import transaction
from service.store.models import Account
from service.web import create_app
from service.web.security import limiter
from tests.service.web.conftest import Visitor
from tests.tables import FOLDER, games, lay, recorded, whole

LOG = FOLDER / "ortus" / "2-earls-last-falls-by-deck.jsonl"
FIEF = FOLDER / "fief" / "3-seats-open-diplomacy.jsonl"


@pytest.fixture(autouse=True)
def kept_by(settings: Settings) -> Iterator[None]:
    """The embedded broker."""
    server = subprocess.Popen(broker.command(settings))
    while not broker.answers(settings):
        time.sleep(0.02)
    yield
    server.terminate()
    server.wait()


@pytest.fixture
def stranger(visitor: Callable[[str], Visitor]) -> Visitor:
    return visitor("")


def send(who: Visitor, data: bytes, follow: bool = False) -> TestResponse:
    return who.post("/open-log", {"log": (io.BytesIO(data), "any.jsonl")}, follow=follow)


def shown(who: Visitor, data: bytes) -> str:
    """The path of an opened log's replay."""
    sent = send(who, data)
    assert sent.status_code == 303, sent.text
    return str(sent.location).partition("?")[0]


def refusal(answer: TestResponse) -> str:
    assert answer.status_code == 422
    (said,) = re.findall(r'role="alert" id="fault"[^>]*>(.*?)</p>', answer.text, re.DOTALL)
    return str(said).replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&#34;", '"')


def count(settings: Settings) -> int:
    with broker.client(settings) as server:
        return len(server.keys(f"{broker.KEPT}{opened.PURPOSE}*"))


def chained(header: matches.Header, entries: Iterable[matches.Entry]) -> bytes:
    """A log with a sound chain, as anybody can forge one of a known seed."""
    prev, lines = header.hash(), [msgspec.json.encode(header)]
    for entry in entries:
        entry = msgspec.structs.replace(entry, prev=prev)
        entry = msgspec.structs.replace(entry, hash=matches.entry_hash(entry))
        prev = entry.hash
        lines.append(msgspec.json.encode(entry))
    return b"\n".join(lines) + b"\n"


def parts(file: Path) -> tuple[matches.Header, list[matches.Entry]]:
    lines = file.read_text("utf-8").splitlines()
    return matches.read_header(lines[0]), [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]


@pytest.mark.parametrize("game", [game for game in games() if game != "skeleton"])
def test_a_finished_game_is_shown_in_the_viewer_to_whoever_has_the_address(
    stranger: Visitor, visitor: Callable[[str], Visitor], settings: Settings, game: str
) -> None:
    file = recorded(game, GAMES[game].rules.seats[0])
    assert file is not None
    path = shown(stranger, file.read_bytes())
    assert re.fullmatch(r"/opened/[A-Za-z0-9_-]{32}/replay", path)
    assert "The log holds:" in stranger.page(f"{path}?as=open")
    header, entries = parts(file)
    another = visitor("")
    for n, seat in ((0, "a"), (1, "public"), (len(entries) // 2, "b"), (len(entries), "open")):
        reply = another.get(f"{path}?n={n}&as={seat}")
        assert reply.status_code == 200
        for name in header.names.values():
            assert name in reply.text
    opening = another.page(f"{path}?n=0&as=a")
    assert "The start</h2>" in opening and f'href="{path}?n=1&amp;as=a"' in opening
    assert reply.headers["X-Robots-Tag"] == "noindex, nofollow" and reply.headers["Referrer-Policy"] == "no-referrer"
    assert '<meta name="robots" content="noindex">' in reply.text
    assert another.get(f"{path}?n={len(entries) + 1}").status_code == 404
    assert not re.search(r"/g/|name=\"do\"|\d\d:\d\d", reply.text), "neither a table's pages nor times"


def test_a_stranger_sees_the_board_that_a_player_of_the_game_sees(stranger: Visitor, anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        own = lay(session, account, whole("fief", FIEF.stem), logged=True).removesuffix("/table")
    path = shown(stranger, FIEF.read_bytes())

    def drawn(who: Visitor, address: str) -> list[str]:
        page = who.page(f"{address}&names=hidden")
        return re.findall(r'<section class="(?:hand|board)".*?</section>', page, re.DOTALL)

    for n, seat in ((60, "b"), (150, "public")):
        found = drawn(stranger, f"{path}?n={n}&as={seat}")
        assert found == drawn(anna, f"{own}/replay?n={n}&as={seat}") and len(found) == 1 + (seat == "b")


def opened_seed(entries: list[matches.Entry]) -> bytes:
    return bytes.fromhex(read(entries[-1].move or "").pick("seed"))


def test_it_is_kept_for_an_hour_encrypted_and_then_nothing_is_left(stranger: Visitor, settings: Settings) -> None:
    path = shown(stranger, LOG.read_bytes())
    with broker.client(settings) as server:
        (name,) = server.keys(f"{broker.KEPT}*")
        assert 3590 < server.ttl(name) <= 3600
        value = server.get(name)
        key = path.split("/")[2]
        assert isinstance(value, bytes) and b"ortus" not in value and key.encode() not in bytes(name)
        server.delete(name)  # as its time to live does
    gone = stranger.get(path)
    assert gone.status_code == 404 and "A log stays for an hour" in gone.text


def forged(lines: list[str]) -> dict[str, list[str]]:
    def changed(n: int, **fields: object) -> list[str]:
        return [*lines[:n], json.dumps(json.loads(lines[n]) | fields, separators=(",", ":")), *lines[n + 1 :]]

    header, entries = parts(LOG)
    wrong = msgspec.structs.replace(entries[7], move="pass" if entries[7].move != "pass" else "yes")
    return {
        "a move changed": changed(5, move="pass"),
        "a time changed": changed(9, at="2020-01-01T00:00:00Z"),
        "a line left out": [*lines[:4], *lines[5:]],
        "two swapped": [*lines[:4], lines[5], lines[4], *lines[6:]],
        "another header": [lines[0].replace('"ortus"', '"mastery"'), *lines[1:]],
        "cut off": lines[:20],
        "a chain made again": chained(header, [*entries[:7], wrong, *entries[8:]]).decode().splitlines(),
        "no entry": [*lines[:6], "{}", *lines[7:]],
        "no JSON": ["hello", "world"],
        "only a header": lines[:1],
        "empty lines": [*lines[:6], "", *lines[6:]],
    }


@pytest.mark.parametrize("how", [*forged(LOG.read_text("utf-8").splitlines())])
def test_a_forged_or_broken_log_names_the_entry_that_writ_verify_names(stranger: Visitor, settings: Settings, how: str) -> None:
    lines = forged(LOG.read_text("utf-8").splitlines())[how]
    verdict = matches.verify(lines)
    assert not verdict.holds
    assert refusal(send(stranger, "\n".join(lines).encode() + b"\n")) == verdict.sentence
    assert count(settings) == 0


def test_a_running_games_log_is_refused_and_says_that_moves_are_left_out(stranger: Visitor, settings: Settings) -> None:
    header, entries = parts(FIEF)
    match = matches.replay(header, opened_seed(entries), entries[:80], trusted=True)
    whole = "\n".join(matches.to_lines(header, entries[:80])) + "\n"
    assert "is cut, or the game is still running." in refusal(send(stranger, whole.encode()))
    for seat in ("a", None):
        redacted = "\n".join(matches.redacted(header, match.entries, match.state, 80, seat)) + "\n"
        said = refusal(send(stranger, redacted.encode()))
        assert "is cut, or the game is still running." in said and "Moves are left out of this copy" in said
    ended = [msgspec.structs.replace(e, move=None) if e.n == 12 else e for e in entries]
    said = refusal(send(stranger, ("\n".join(matches.to_lines(header, ended)) + "\n").encode()))
    assert "entry 12 " in said and "Moves are left out" in said
    assert count(settings) == 0


def test_what_is_no_log_of_a_shipped_game_gets_a_sentence(stranger: Visitor) -> None:
    skeleton = (FOLDER / "skeleton" / "2-seats-points.jsonl").read_bytes()
    assert "Logs of that game can’t be opened here." in refusal(send(stranger, skeleton))
    assert "Line 3 isn’t UTF-8 text" in refusal(send(stranger, b"\n".join([*LOG.read_bytes().splitlines()[:2], b"\xff"])))
    assert "Choose the file of a log first." in refusal(send(stranger, b""))
    assert "Choose the file of a log first." in refusal(stranger.post("/open-log", {}))
    header, entries = parts(LOG)
    unknown = msgspec.structs.replace(header, rulings=header.rulings | {"OR-NEW-1": "so"})
    assert "OR-NEW-1" in refusal(send(stranger, chained(unknown, entries)))
    newer = msgspec.structs.replace(header, rules=99)
    assert "99" in refusal(send(stranger, chained(newer, entries)))


def test_the_size_the_entries_the_time_and_the_memory_of_a_check_are_limited(
    stranger: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "at most 1500 KB" in refusal(send(stranger, b"x" * (opened.LONGEST + 1)))
    assert send(stranger, b"x" * 2_000_000).status_code == 413
    with monkeypatch.context() as patch:
        patch.setattr(opened, "MOST_ENTRIES", len(LOG.read_bytes().splitlines()) - 1)
        assert send(stranger, LOG.read_bytes()).status_code == 303
        patch.setattr(opened, "MOST_ENTRIES", len(LOG.read_bytes().splitlines()) - 2)
        assert "at most 91 entries fit" in refusal(send(stranger, LOG.read_bytes()))
    with monkeypatch.context() as patch:
        patch.setattr(opened, "MEMORY", 20_000_000)
        assert "more memory" in refusal(send(stranger, LOG.read_bytes()))
    with monkeypatch.context() as patch:
        patch.setattr(opened, "CPU", 1)
        begins = "from engine.play.check_log import limit; import sys; limit(1, int(sys.argv[2]))\n"
        patch.setattr(opened, "COMMAND", (sys.executable, "-c", begins + "while True: pass"))
        start = time.monotonic()
        assert "takes longer than any game’s log" in refusal(send(stranger, LOG.read_bytes()))
        assert time.monotonic() - start < opened.PATIENCE, "the kernel ended it"
        patch.setattr(opened, "COMMAND", (sys.executable, "-c", begins + "bytearray(1_000_000_000)"))
        assert "more memory" in refusal(send(stranger, LOG.read_bytes()))
        patch.setattr(opened, "PATIENCE", 1)
        patch.setattr(opened, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
        assert "takes longer than any game’s log" in refusal(send(stranger, LOG.read_bytes()))
    assert count(settings) == 1


def test_a_check_knows_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRIT_SECRET_KEYS", "a-secret-of-the-house")
    monkeypatch.setattr(opened, "COMMAND", (sys.executable, "-c", "import os, sys; sys.exit('WRIT_SECRET_KEYS' in os.environ)"))
    with pytest.raises(msgspec.DecodeError):  # it ended well, and said nothing
        opened.check(b"x")


def test_names_are_text_and_never_markup(stranger: Visitor) -> None:
    header, entries = parts(FIEF)
    nasty = ["<script>alert(1)</script>", "“><img src=x onerror=alert(1)>", "%(name)s {{ 7*7 }} {seat}"]
    seats = [msgspec.structs.replace(s, name=n) for s, n in zip(header.seats, nasty, strict=True)]
    path = shown(stranger, chained(msgspec.structs.replace(header, seats=seats), entries))
    for query in ("", "?n=60&as=b", "?n=226&as=open", "?n=60&as=a&part=1"):
        page = stranger.page(path + query)
        assert "<script>alert" not in page and "<img src=x" not in page and ">49<" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "{{ 7*7 }}" in page
    hidden = stranger.page(f"{path}?n=60&as=b&names=hidden")
    assert "alert(1)" not in hidden and "Seat B" in hidden


@pytest.mark.parametrize("name", ["", "x" * 61, "Al\u202eys", "A\x00b", "Ann\u0301\u0301\u0301\u0301a", "one\ntwo\x1b"])
def test_a_name_that_cannot_be_shown_is_refused(stranger: Visitor, name: str) -> None:
    header, entries = parts(LOG)
    seats = [msgspec.structs.replace(header.seats[0], name=name), *header.seats[1:]]
    said = refusal(send(stranger, chained(msgspec.structs.replace(header, seats=seats), entries)))
    assert said == "The name at seat a can’t be shown; the log isn’t opened."


def test_a_hosts_own_map_in_a_header_is_checked_before_the_game_is_played(stranger: Visitor) -> None:
    header, entries = parts(FIEF)
    many = {"villages": [{"id": f"v{n}", "name": "x", "fief": "a", "bishopric": 1} for n in range(5_000)]}
    for own, why in (
        (json.dumps(many), "5000"),
        ('{"start":{"deniers":1e15}}', "deniers"),
        ("[" * 50_000, "nested too deeply"),
        ('{"note":"' + "x" * 300_000 + '"}', ""),
        ("{}\x07", "JSON"),
    ):
        options = {name: x for name, x in header.options.items() if name != "data"} | {"own": own}
        started = time.monotonic()
        said = refusal(send(stranger, chained(msgspec.structs.replace(header, options=options), entries)))
        assert said and why in said and time.monotonic() - started < 20
    deep = chained(header, entries).replace(b'"options":{', b'"options":{"x":' + b"[" * 5000 + b"]" * 5000 + b",", 1)
    assert refusal(send(stranger, deep))


def test_one_network_opens_so_many_an_hour(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "enabled", True)
    stranger = Visitor(create_app(settings).test_client(), settings)
    statuses = [send(stranger, b"").status_code for _ in range(22)]  # an upload, for which no process is begun
    assert statuses[:20] == [422] * 20 and statuses[20:] == [429, 429]


def test_without_a_broker_nothing_is_kept_and_the_page_says_so(
    stranger: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "keep", lambda *_: False)
    assert "there is no room to keep it just now" in refusal(send(stranger, LOG.read_bytes()))


def test_the_footer_and_the_help_lead_to_the_page(stranger: Visitor) -> None:
    assert 'href="/open-log"' in stranger.page("/")
    page = stranger.page("/open-log")
    assert 'enctype="multipart/form-data"' in page and '<input type="file" id="log" name="log" required' in page
