"""`writ check`: what is right of the surroundings is said, what is wrong is named, and a test letter is sent on request."""

from __future__ import annotations

import http.server
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path

import dns.exception
import pytest
import time_machine
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from click.testing import CliRunner

from service import settings as service_settings
from service.ops import checks
from service.ops.cli import main
from service.settings import Settings
from service.store import broker, queue
from service.store import database as db
from service.tools.demo import free_port
from workers import check
from workers.letters import delivery

Zone = dict[str, list[str] | None]


def asked(zone: Zone) -> Callable[[str], list[str] | None]:
    """A name server: names that it lacks don't exist."""
    return lambda name: zone.get(name)


def sent_by(settings: Settings, zone: Zone) -> dict[str, str]:
    return {f.what: f"{f.state}: {f.words}" for f in checks.sender_domain(settings, asked(zone))}


def house(folder: Path, **more: object) -> Settings:
    given = {"smtp_url": "smtp://mail.example.org", "mail_from": "Writ <writ@mail.example.org>", "data_folder": folder}
    return Settings.model_validate(given | more)


GOOD: Zone = {
    "org": [],
    "mail.example.org": ["google-site-verification=x", "v=spf1 mx -all"],
    "_domainkey.mail.example.org": [],
    "_dmarc.example.org": ["v=DMARC1; p=none"],
}


def test_the_records_of_the_senders_domain_are_found(tmp_path: Path) -> None:
    found = sent_by(house(tmp_path), GOOD)
    assert found["SPF"] == "ok: mail.example.org: v=spf1 mx -all"
    assert found["DKIM"].startswith("unknown: mail.example.org may have keys"), "a selector can't be guessed"
    assert found["DMARC"] == "ok: _dmarc.example.org: v=DMARC1; p=none", "of the domain above"


@pytest.mark.parametrize(
    ("change", "what", "words"),
    [
        ({"mail.example.org": None}, "SPF", "wrong: mail.example.org does not exist"),
        ({"mail.example.org": []}, "SPF", "wrong: mail.example.org has no SPF record"),
        ({"mail.example.org": ["v=spf10 mx"]}, "SPF", "wrong: mail.example.org has no SPF record"),
        ({"mail.example.org": ["v=spf1 a", "V=SPF1 mx"]}, "SPF", "wrong: mail.example.org has 2 SPF records"),
        ({"_domainkey.mail.example.org": None}, "DKIM", "wrong: mail.example.org has no keys"),
        ({"_dmarc.example.org": None}, "DMARC", "wrong: mail.example.org has no DMARC record"),
        (
            {"_dmarc.example.org": ["v=DMARC1; p=none", "v=DMARC1; p=reject"]},
            "DMARC",
            "wrong: _dmarc.example.org has 2",
        ),
        ({"_dmarc.mail.example.org": ["v=DMARC1;p=reject"]}, "DMARC", "ok: _dmarc.mail.example.org"),
    ],
)
def test_what_is_missing_is_named(change: Zone, what: str, words: str, tmp_path: Path) -> None:
    assert sent_by(house(tmp_path), GOOD | change)[what].startswith(words)


def test_without_a_network_that_is_said(tmp_path: Path) -> None:
    def silent(_name: str) -> list[str] | None:
        raise dns.exception.Timeout

    found = list(checks.sender_domain(house(tmp_path), silent))
    assert [(f.what, f.state) for f in found] == [("DNS", "unknown")] and "no name server answers" in found[0].words
    assert sent_by(house(tmp_path), {})["DNS"].startswith("unknown: the name server here knows no public names")


@pytest.mark.parametrize("address", ["writ@localhost", "writ@writ.local", "writ@host.test"])
def test_a_sender_that_is_nowhere_is_refused_without_asking(address: str, tmp_path: Path) -> None:
    settings = house(tmp_path, mail_from=f"Writ <{address}>")
    assert sent_by(settings, GOOD)["sender"].startswith("wrong:")
    assert not sent_by(settings.model_copy(update={"smtp_url": ""}), GOOD), "nothing is sent"


# --- the mail server --------------------------------------------------------------------------------------------------


class Box:
    """Takes letters from whoever names the right password."""

    def __init__(self) -> None:
        self.letters: list[Envelope] = []

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        self.letters.append(envelope)
        return "250 taken, with thanks"

    def authenticator(self, _server: SMTP, _session: Session, _envelope: Envelope, _how: str, given: object) -> AuthResult:
        return AuthResult(success=getattr(given, "password", b"") == b"right", handled=False)


@contextmanager
def server() -> Iterator[tuple[Box, int]]:
    box, port = Box(), free_port()
    running = Controller(box, hostname="127.0.0.1", port=port, authenticator=box.authenticator, auth_require_tls=False)
    running.start()
    try:
        yield box, port
    finally:
        running.stop()


def mail(settings: Settings) -> list[str]:
    return [f"{f.state}: {f.words}" for f in check.mail_server(settings)]


def test_a_mail_server_is_asked_as_letters_would_be_sent(tmp_path: Path) -> None:
    with server() as (box, port):
        settings = house(tmp_path, smtp_url=f"smtp://anna:right@127.0.0.1:{port}")
        found = mail(settings)
        assert found[0] == f"ok: 127.0.0.1:{port} answers EHLO and offers login"
        assert found[1] == "unknown: it is reached without TLS, signed in, and accepts writ@mail.example.org as sender"
        wrong = mail(settings.model_copy(update={"smtp_url": f"smtp://anna:hunter2@127.0.0.1:{port}"}))
        assert wrong[1].startswith("wrong: ") and "hunter2" not in str(wrong)
        sent = check.send_test_letter(settings, "bert@example.org")
        assert (sent.state, sent.words) == ("ok", "the mail server has taken it: 250 taken, with thanks")
        letter = message_from_bytes(box.letters[0].original_content or b"")
        assert letter["To"] == "bert@example.org" and letter["From"] == "Writ <writ@mail.example.org>"
        assert letter["Date"] and letter["Message-ID"].endswith("@mail.example.org>")
        assert box.letters[0].rcpt_tos == ["bert@example.org"]
        for address in ("bert", "", "bert@", "a@example.org, b@example.org", "a@example.org\nBcc: b@example.org"):
            assert check.send_test_letter(settings, address).state == "wrong", address
        assert len(box.letters) == 1
    assert mail(settings)[0].startswith(f"wrong: 127.0.0.1:{port} can't be used: ConnectionRefusedError")
    assert check.send_test_letter(settings, "bert@example.org").words.startswith("it is not sent: ConnectionRefused")
    assert mail(settings.model_copy(update={"smtp_url": ""}))[0].startswith("unknown: letters are kept in")
    assert check.send_test_letter(settings.model_copy(update={"smtp_url": ""}), "b@example.org").state == "wrong"


# --- base URL, clock, and all of it -----------------------------------------------------------------------------------


@contextmanager
def site(status: int, body: object) -> Iterator[int]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: object) -> None:
            pass

    running = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield running.server_port
    finally:
        running.shutdown()
        running.server_close()


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (200, {"status": "ok"}, "ok: Writ answers at"),
        (503, {"status": "database unreachable"}, "wrong: Writ answers at"),
        (200, "hello", "wrong: something else answers at"),
        (404, [], "wrong: something else answers at"),
    ],
)
def test_whoever_answers_at_the_base_url_is_known(status: int, body: object, words: str, tmp_path: Path) -> None:
    with site(status, body) as port:
        found = list(checks.base_url(house(tmp_path, base_url=f"http://127.0.0.1:{port}")))
    assert f"{found[0].state}: {found[0].words}".startswith(words)


def test_a_base_url_at_which_nobody_answers(tmp_path: Path) -> None:
    found = list(checks.base_url(house(tmp_path, base_url=f"http://127.0.0.1:{free_port()}")))
    assert found[0].state == "unknown" and "Connection refused" in found[0].words, "it may not have been started yet"
    found = list(checks.base_url(house(tmp_path, base_url="http://writ.invalid")))
    assert [f.state for f in found] == ["wrong", "wrong"] and "TLS" in found[0].words


def test_clocks_that_differ_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = house(tmp_path)
    assert [f.state for f in checks.clock(settings)] == ["unknown"]
    monkeypatch.setitem(checks.CLOCKS, "broker", lambda _: -90.4)
    monkeypatch.setitem(checks.CLOCKS, "database", lambda _: 0.2)
    found = list(checks.clock(settings))
    assert [(f.state, f.words) for f in found] == [
        ("wrong", "it differs from that of the broker by 90 seconds; let NTP set both")
    ]
    monkeypatch.setitem(checks.CLOCKS, "broker", lambda _: 1.0)
    assert [f.words for f in checks.clock(settings)] == ["it agrees with that of the database and the broker"]


def test_clocks_of_real_servers_agree(tmp_path: Path, migrated_postgres_url: str, redis_url: str) -> None:
    settings = house(tmp_path, database_url=migrated_postgres_url, broker_url=redis_url)
    assert [f.state for f in checks.clock(settings)] == ["ok"]


def test_the_command_says_all_and_ends_with_1_where_something_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redis_url: str
) -> None:
    for name, value in (("DATA_FOLDER", tmp_path), ("BROKER_URL", redis_url), ("PORT", free_port())):
        monkeypatch.setenv(f"WRIT_{name}", str(value))
    monkeypatch.setenv("WRIT_BASE_URL", f"http://127.0.0.1:{free_port()}")
    service_settings.load.cache_clear()
    try:
        done = CliRunner().invoke(main, ["check"])
        assert done.exit_code == 1 and "WRONG database: " in done.output and "run `writ migrate`" in done.output
        db.migrate(service_settings.load())
        done = CliRunner().invoke(main, ["check"])
        assert done.exit_code == 0, done.output
        assert "ok    database: " in done.output and "ok    broker: it answers" in done.output
        done = CliRunner().invoke(main, ["check", "--send-to", "anna@example.org"])
        assert done.exit_code == 1 and "WRONG test letter: it is not sent: WRIT_SMTP_URL names no mail server" in done.output
    finally:
        service_settings.load.cache_clear()


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(data_folder=tmp_path)
    assert next(checks.all_checks(settings)).state == "ok"
    full = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: full)
    found = next(checks.all_checks(settings))
    assert (found.what, found.state) == ("data folder", "wrong") and "is full, or takes no files" in found.words


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What the broker keeps."""
    found: dict[str, bytes] = {}
    monkeypatch.setattr(broker, "keep", lambda _settings, name, text, _seconds: found.update({name: text}))
    monkeypatch.setattr(broker, "kept", lambda _settings, name: found.get(name))
    return found


def test_a_worker_stores_what_the_checks_find(tmp_path: Path, kept: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "all_checks", lambda _settings: iter([checks.Finding("clock", "ok", "it agrees")]))
    settings = Settings(data_folder=tmp_path)
    assert checks.last(settings) is None
    with delivery.letter_slot(settings):
        check.store(settings)
        assert not kept, "the last slot stays free for sign-in letters"
    check.store(settings)
    found = checks.last(settings)
    assert found is not None and [(one.what, one.state) for one in found.findings] == [
        ("clock", "ok"),
        ("mail server", "unknown"),
    ]


def test_the_checks_are_queued_every_hour(
    empty_sqlite: Path, tmp_path: Path, sent: list[tuple[str, ...]], clock: time_machine.Traveller
) -> None:
    shutil.copy(empty_sqlite, tmp_path / "writ.db")
    settings = Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",))
    check.renew(settings)
    check.renew(settings)
    assert sent == [(queue.CHECK,)]
    clock.shift(timedelta(minutes=61))
    check.renew(settings)
    assert sent == [(queue.CHECK,)] * 2
