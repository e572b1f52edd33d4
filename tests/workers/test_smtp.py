"""SMTP: TLS and login, replies at every step, broken connections, several letters over one connection."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sqlmodel import col, select, update

from service.people import accounts
from service.post import ledger, letters, pacing, relay
from service.settings import Settings
from service.store import database as db
from service.store.models import Letter, MailHold, now
from tests.service.conftest import Players, Sink, on_sqlite
from tests.until import until
from workers.letters import delivery, smtp

pytestmark = on_sqlite
FROM = "writ@example.org"
HELLO = b"Subject: Hello\r\n\r\n.one dot\r\n"


@pytest.fixture
def post(settings: Settings, sent: list[tuple[str, ...]]) -> Callable[..., Letter]:
    """Queues a letter of the game lane, or at the door, to an address."""

    def write(address: str, door: bool = False) -> Letter:
        with db.transaction(settings) as session:
            if not door:
                return letters.test_letter(session, accounts.by_email(session, address))
            accounts.ask_sign_in(session, address)
            mine = select(Letter).where(Letter.to_address == address, Letter.kind == "sign_in")
            return session.exec(mine.order_by(col(Letter.id).desc()).limit(1)).one()

    return write


def fate(settings: Settings, letter: Letter) -> Letter:
    with db.open_session(settings) as session:
        return session.get_one(Letter, letter.id)


def told(settings: Settings, letter: Letter) -> list[str]:
    with db.open_session(settings) as session:
        return [line.status for line in ledger.lines(session, fate(settings, letter))]


def by(settings: Settings, url: str, **more: object) -> Settings:
    return settings.model_copy(update={"smtp_url": url, **more})


# --- TLS --------------------------------------------------------------------------------------------------------------


class Authority:
    """Makes certificates."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.key = folder, ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Authority of the test")])
        self.file = folder / "ca.pem"
        ca = self._builder(self.name, self.key, 30).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.file.write_bytes(ca.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, days: int) -> x509.CertificateBuilder:
        today = datetime.datetime.now(datetime.UTC)
        made = x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key.public_key())
        made = made.serial_number(x509.random_serial_number())
        return made.not_valid_before(today - datetime.timedelta(days=60)).not_valid_after(today + datetime.timedelta(days=days))

    def server(self, *names: str, days: int = 30) -> ssl.SSLContext:
        """What a server of these names, or addresses, speaks TLS with."""
        key, file = ec.generate_private_key(ec.SECP256R1()), self.folder / f"{'-'.join(names)}{days}.pem"
        alternative = [_as_name(name) for name in names]
        made = self._builder(x509.Name([]), key, days).add_extension(x509.SubjectAlternativeName(alternative), critical=True)
        plain = serialization.NoEncryption()
        file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
            + made.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(file)
        return context


def _as_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


class Server(Sink):
    """An SMTP server that notes over what its letters and logins came."""

    def __init__(self) -> None:
        super().__init__()
        self.encrypted: list[bool] = []
        self.logins: list[tuple[bytes, bool]] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.encrypted.append(session.ssl is not None or server.transport.get_extra_info("sslcontext") is not None)
        return await super().handle_DATA(server, session, envelope)

    def login(self, _server: Any, session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        self.logins.append((data.password, session.ssl is not None))
        return AuthResult(success=data.password == b"p@ss", handled=False)


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[Server, int]]]:
    """Starts servers."""
    running: list[Controller] = []

    def start(host: str = "127.0.0.1", **options: Any) -> tuple[Server, int]:
        kept = Server()
        with socket.socket() as free:
            free.bind((host, 0))
            port = free.getsockname()[1]
        if options.pop("auth", False):
            options |= {"authenticator": kept.login}
        server = Controller(kept, hostname=host, port=port, **options)
        server.start()
        running.append(server)
        return kept, port

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Authority:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    return authority


def test_starttls_is_used_where_it_is_offered(
    settings: Settings, post: Callable[..., Letter], serve: Callable[..., Any], trusted: Authority
) -> None:
    server, port = serve(tls_context=trusted.server("127.0.0.1"))
    letter = post("anna@example.org")
    delivery.deliver(by(settings, f"smtp://127.0.0.1:{port}"))
    assert fate(settings, letter).status == "sent" and server.encrypted == [True]


def test_a_server_that_requires_starttls_and_login_gets_both_in_that_order(
    settings: Settings, post: Callable[..., Letter], serve: Callable[..., Any], trusted: Authority
) -> None:
    tls = trusted.server("localhost", "127.0.0.1")
    server, port = serve(tls_context=tls, require_starttls=True, auth=True, auth_required=True, auth_require_tls=True)
    letter = post("anna@example.org")
    delivery.deliver(by(settings, f"smtp://anna:p%40ss@localhost:{port}"))
    assert fate(settings, letter).status == "sent" and server.encrypted == [True] and server.logins == [(b"p@ss", True)]


def test_implicit_tls(settings: Settings, post: Callable[..., Letter], serve: Callable[..., Any], trusted: Authority) -> None:
    server, port = serve(ssl_context=trusted.server("127.0.0.1"))
    letter = post("anna@example.org")
    delivery.deliver(by(settings, f"smtps://127.0.0.1:{port}", smtp_starttls="required"))
    assert fate(settings, letter).status == "sent" and server.encrypted == [True]


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
@pytest.mark.parametrize("fault", ["nobody's", "another's", "expired"])
def test_a_bad_certificate_gets_neither_password_nor_letter(
    settings: Settings,
    post: Callable[..., Letter],
    serve: Callable[..., Any],
    authority: Authority,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    fault: str,
) -> None:
    if fault != "nobody's":
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    tls = authority.server("mail.example.org" if fault == "another's" else "127.0.0.1", days=-3 if fault == "expired" else 30)
    server, port = serve(**{"tls_context" if scheme == "smtp" else "ssl_context": tls}, auth=True, auth_require_tls=False)
    letter = post("anna@example.org")
    delivery.deliver(by(settings, f"{scheme}://anna:p%40ss@127.0.0.1:{port}"))
    assert fate(settings, letter).status == "queued" and "certificate" in fate(settings, letter).error.lower()
    assert server.got == [] and server.logins == []
    with db.open_session(by(settings, "smtp://x")) as session:
        assert relay.down_since(session) is not None


@pytest.mark.filterwarnings("ignore:Requiring AUTH:UserWarning")
@pytest.mark.parametrize(
    ("host", "more", "gets"),
    [
        # 127.0.0.2 stands for another machine.
        ("127.0.0.2", {}, False),
        ("127.0.0.2", {"smtp_insecure_login": True}, True),
        ("127.0.0.1", {}, True),
        ("127.0.0.1", {"smtp_starttls": "required"}, False),
    ],
)
def test_no_password_is_sent_in_clear_to_another_machine_unless_a_setting_allows_it(
    settings: Settings, post: Callable[..., Letter], serve: Callable[..., Any], host: str, more: dict[str, Any], gets: bool
) -> None:
    server, port = serve(host, auth=True, auth_require_tls=False)  # as one whose STARTTLS was stripped on the way
    letter = post("anna@example.org")
    delivery.deliver(by(settings, f"smtp://anna:p%40ss@{host}:{port}", **more))
    assert bool(server.logins) is bool(server.got) is gets
    found = fate(settings, letter)
    assert found.status == ("sent" if gets else "queued")
    assert gets or ledger.said(found.error).startswith("The mail server offers no TLS")


@pytest.mark.parametrize(("how", "encrypted"), [("never", False), ("offered", True)])
def test_starttls_may_be_left_out_on_purpose(
    settings: Settings,
    post: Callable[..., Letter],
    serve: Callable[..., Any],
    trusted: Authority,
    how: str,
    encrypted: bool,
) -> None:
    server, port = serve(tls_context=trusted.server("127.0.0.1"))
    post("anna@example.org")
    delivery.deliver(by(settings, f"smtp://127.0.0.1:{port}", smtp_starttls=how))
    assert server.encrypted == [encrypted]


@pytest.mark.filterwarnings("ignore:Requiring AUTH:UserWarning")
def test_a_wrong_password_is_an_outage_and_no_fault_of_the_letter(
    settings: Settings, post: Callable[..., Letter], serve: Callable[..., Any]
) -> None:
    server, port = serve(auth=True, auth_require_tls=False)
    letter = post("anna@example.org")
    here = by(settings, f"smtp://anna:wrong@127.0.0.1:{port}")
    delivery.deliver(here)
    assert fate(settings, letter).status == "queued" and fate(settings, letter).error.startswith("535")
    assert server.got == []
    with db.open_session(here) as session:
        assert relay.down_since(session) is not None


# --- replies ----------------------------------------------------------------------------------------------------------

CLOSE = None


class Script:
    """An SMTP server that follows a script: `says(session, command)` is its reply, CLOSE, or empty for the usual one."""

    USUAL = {"EHLO": "250 hello", "DATA": "354 go on", "QUIT": "221 bye"}

    def __init__(self, says: Callable[[int, str], str | None]) -> None:
        self.says, self.heard, self.got = says, list[list[str]](), list[bytes]()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"smtp://127.0.0.1:{self.listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self.listening.accept()
            except OSError:
                return
            self.heard.append([])
            threading.Thread(target=self._serve, args=(line, len(self.heard) - 1), daemon=True).start()

    def _serve(self, line: socket.socket, session: int) -> None:
        with line, line.makefile("rb") as file, contextlib.suppress(OSError):
            if not self._reply(line, session, "CONNECT"):
                return
            for said in file:
                command = said.split(b":")[0].strip().decode().upper()
                command = command.split()[0] if command.startswith(("EHLO", "HELO")) else command
                reply = self._reply(line, session, command)
                if not reply:
                    return
                if command == "DATA" and reply.startswith("3"):
                    whole = b""
                    while not whole.endswith(b"\r\n.\r\n"):
                        whole += file.readline()
                    self.got.append(whole)
                    if not self._reply(line, session, "DOT"):
                        return

    def _reply(self, line: socket.socket, session: int, command: str) -> str:
        """Send the reply to a command, and return it; empty where the session ends."""
        self.heard[session].append(command)
        said = self.says(session, command)
        if said is CLOSE:
            return ""
        reply = said or self.USUAL.get(command, "250 fine" if command != "CONNECT" else "220 here")
        line.sendall(reply.encode() + b"\r\n")
        return "" if reply.startswith("421") else reply

    def close(self) -> None:
        self.listening.close()


@pytest.fixture
def script() -> Iterator[Callable[..., Script]]:
    made: list[Script] = []

    def make(says: Callable[[int, str], str | None]) -> Script:
        made.append(Script(says))
        return made[-1]

    yield make
    for one in made:
        one.close()


def always(command: str, reply: str | None) -> Callable[[int, str], str | None]:
    return lambda _session, heard: reply if heard == command else ""


def test_a_line_that_begins_with_a_dot_arrives_whole(settings: Settings, script: Callable[..., Script]) -> None:
    server = script(always("", ""))
    relay_ = smtp.Relay(by(settings, server.url))
    assert relay_.send(FROM, "anna@example.org", HELLO) == "250 fine"
    relay_.close()
    assert server.got == [b"Subject: Hello\r\n\r\n..one dot\r\n.\r\n"]


@pytest.mark.parametrize("command", ["CONNECT", "EHLO", "MAIL FROM", "RCPT TO", "DATA"])
@pytest.mark.parametrize("reply", [CLOSE, "421 4.3.2 closing", "Hello?"])
def test_what_fails_before_the_final_dot_is_deferred(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script], command: str, reply: str | None
) -> None:
    server = script(lambda _session, heard: reply if heard == command or (command, heard) == ("EHLO", "HELO") else "")
    letter = post("anna@example.org")
    delivery.deliver(by(settings, server.url))
    assert told(settings, letter) == ["queued", "deferred"] and server.got == []
    with db.open_session(by(settings, server.url)) as session:
        assert (relay.down_since(session) is not None) is (command in ("CONNECT", "EHLO", "MAIL FROM"))


@pytest.mark.parametrize("reply", [CLOSE, "What?"])
def test_a_letter_whose_acceptance_is_unknown_is_sent_once_more_and_never_a_third_time(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script], reply: str | None
) -> None:
    server = script(always("DOT", reply))
    letter = post("anna@example.org")
    here = by(settings, server.url)
    delivery.deliver(here)
    assert told(settings, letter) == ["queued", "unknown"] and fate(settings, letter).status == "queued"
    with time_machine.travel(now() + ledger.ONCE_MORE - datetime.timedelta(seconds=30)):
        delivery.deliver(here)
    assert len(server.got) == 1, "not at once"
    with time_machine.travel(now() + ledger.ONCE_MORE + datetime.timedelta(seconds=30)):
        delivery.deliver(here)
    assert fate(settings, letter).status == "unknown" and told(settings, letter) == ["queued", "unknown", "unknown"]
    with time_machine.travel(now() + datetime.timedelta(days=3)):
        delivery.deliver(here)
    first, second = server.got
    assert first == second, "both are the same message, so that mail programs can tell"


def test_a_sign_in_letter_is_repeated_sooner(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    server = script(lambda session, command: CLOSE if (session, command) == (0, "DOT") else "")
    letter = post("anna@example.org", door=True)
    delivery.deliver(by(settings, server.url))
    with time_machine.travel(now() + ledger.ONCE_MORE_AWAITED + datetime.timedelta(seconds=1)):
        delivery.deliver(by(settings, server.url))
    assert told(settings, letter) == ["queued", "unknown", "sent"] and len(server.got) == 2


def test_a_game_letter_whose_acceptance_is_unknown_can_be_replied_to_and_is_not_repeated_when_it_is_answered(
    table: Players, script: Callable[..., Script], rng: Any
) -> None:
    server = script(always("DOT", CLOSE))
    here = by(table.settings, server.url, inbox="writ@writ.test")
    with db.transaction(table.settings) as session:
        started = select(Letter).where(Letter.kind == "started", Letter.seat == table.asked()[0])
        letter = session.exec(started).one()
    delivery.deliver(here)
    found = fate(table.settings, letter)
    assert letters.ASK in found.headers and letters.KEY in found.headers and found.text and found.status == "queued"


def test_a_server_that_sends_a_byte_now_and_then_is_cut_off(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "LETTER", 0.5)
    wait = threading.Event()

    def trickles(_session: int, command: str) -> str | None:
        if command == "RCPT TO":
            wait.wait(20)
        return ""

    server = script(trickles)
    letter = post("anna@example.org")
    delivery.deliver(by(settings, server.url))
    wait.set()
    assert told(settings, letter) == ["queued", "deferred"]


def test_a_connection_that_is_refused_a_recipient_serves_the_next_letter(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    refused = iter(["550 5.1.1 nobody here", "", ""])
    server = script(lambda _session, command: next(refused) if command == "RCPT TO" else "")
    first, second = post("anna@example.org"), post("bert@example.com")
    delivery.deliver(by(settings, server.url))
    assert [fate(settings, x).status for x in (first, second)] == ["bounced", "sent"]
    assert len(server.heard) == 1 and server.heard[0].count("RSET") == 1


@pytest.mark.parametrize("reply", [CLOSE, "500 what is that?"])
def test_a_server_that_knows_no_reset_is_connected_to_again(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script], reply: str | None
) -> None:
    refused = iter(["550 5.1.1 nobody here", "", ""])

    def says(_session: int, command: str) -> str | None:
        return next(refused) if command == "RCPT TO" else reply if command == "RSET" else ""

    server = script(says)
    first, second = post("anna@example.org"), post("bert@example.com")
    delivery.deliver(by(settings, server.url))
    assert [fate(settings, x).status for x in (first, second)] == ["bounced", "sent"] and len(server.heard) == 2


@pytest.mark.parametrize(
    "reply", ["421 4.7.0 too many messages in one session", "450 4.7.1 Too many mails this connection", CLOSE]
)
def test_where_a_session_has_carried_enough_the_next_letter_goes_over_a_new_one_at_once(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script], reply: str | None
) -> None:
    carried: dict[int, int] = {}

    def says(session: int, command: str) -> str | None:
        if command == "MAIL FROM":
            carried[session] = carried.get(session, 0) + 1
            return reply if carried[session] > 3 else ""
        return ""

    server = script(says)
    several = [post(f"player{n}@example.org") for n in range(8)]
    delivery.deliver(by(settings, server.url))
    assert [told(settings, x) for x in several] == [["queued", "sent"]] * 8
    assert len(server.heard) == 3 and len(server.got) == 8


def test_where_the_relay_fails_the_rest_of_a_batch_is_left_for_later_and_is_no_attempt(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    server = script(always("MAIL FROM", "451 4.3.0 too busy"))
    several = [post(f"player{n}@example.org") for n in range(5)]
    delivery.deliver(by(settings, server.url))
    found = [fate(settings, x) for x in several]
    assert [x.attempts for x in found] == [1, 0, 0, 0, 0] and {x.status for x in found} == {"queued"}
    assert sum(heard.count("MAIL FROM") for heard in server.heard) == 1
    assert all(x.next_try_at > now() for x in found)


def test_a_letter_that_is_too_big_is_rejected_for_good(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    for command, reply, status in (
        ("DOT", "552 message too big", "rejected"),
        ("DATA", "552 size limit", "rejected"),
        ("MAIL FROM", "552 5.3.4 message size exceeds the limit", "rejected"),
        ("DOT", "552 the quota of that mailbox is used up", "queued"),
        ("DOT", "552 5.2.2 over quota", "queued"),
        ("RCPT TO", "552 full", "queued"),
    ):
        server = script(always(command, reply))
        letter = post("anna@example.org")
        delivery.deliver(by(settings, server.url), letter.id)
        assert fate(settings, letter).status == status, reply
        with db.open_session(by(settings, server.url)) as session:
            assert relay.down_since(session) is None


def test_the_next_worker_sends_what_a_connection_that_broke_has_not(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    server = script(lambda session, command: CLOSE if (session, command) == (0, "RCPT TO") else "")
    first, second = post("anna@example.org"), post("bert@example.com")
    delivery.deliver(by(settings, server.url))
    assert told(settings, first) == ["queued", "deferred"] and told(settings, second) == ["queued", "sent"]


# --- pace -------------------------------------------------------------------------------------------------------------


def test_a_domain_that_says_421_waits_and_others_do_not(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    slow = ["421 4.7.0 slow down"]
    server = script(lambda _session, command: slow[0] if command == "RCPT TO" else "")
    here = by(settings, server.url)
    first = post("anna@slow.example")
    delivery.deliver(here)
    assert told(settings, first) == ["queued", "deferred"]
    with db.open_session(settings) as session:
        (hold,) = session.exec(select(MailHold)).all()
    assert hold.domain == "slow.example" and hold.times == 1
    slow[0] = ""
    waiting, other = post("bert@SLOW.example"), post("cleo@example.org")
    delivery.deliver(here)
    assert [told(settings, x)[-1] for x in (waiting, other)] == ["queued", "sent"]
    assert fate(settings, waiting).next_try_at == hold.until and fate(settings, waiting).attempts == 0
    door = post("dora@slow.example", door=True)
    delivery.deliver(here)
    assert told(settings, door)[-1] == "sent", "somebody waits for it"


def test_the_pause_grows_and_ends_with_a_letter_that_is_accepted(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    replies = iter(["421 4.7.0 slow down"] * 3)
    server = script(lambda _session, command: next(replies, "") if command == "RCPT TO" else "")
    here = by(settings, server.url)
    letter = post("anna@slow.example")
    with time_machine.travel(now() + datetime.timedelta(seconds=1), tick=False) as clock:
        for times in (1, 2, 3):
            delivery.deliver(here)
            with db.open_session(settings) as session:
                hold = session.exec(select(MailHold)).one()
            assert hold.times == times and hold.until == now() + datetime.timedelta(seconds=pacing.HOLDS[times - 1])
            clock.move_to(max(hold.until, fate(settings, letter).next_try_at) + datetime.timedelta(seconds=1))
        delivery.deliver(here)
        with db.open_session(settings) as session:
            assert session.exec(select(MailHold)).all() == []
    assert fate(settings, letter).status == "sent"


def test_what_players_wrote_pauses_no_domain(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    server = script(always("DOT", "421 4.7.0 this looks like spam"))
    for kind, held in (("talk", 0), ("test", 1)):
        letter = post("anna@example.org")
        with db.transaction(settings) as session:
            session.exec(update(Letter).where(col(Letter.id) == letter.id).values(kind=kind))
        delivery.deliver(by(settings, server.url), letter.id)
        with db.open_session(settings) as session:
            assert len(session.exec(select(MailHold)).all()) == held


def test_a_provider_gets_no_more_letters_than_its_pace(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script]
) -> None:
    server = script(always("", ""))
    here = by(settings, server.url, mail_pace=(("big.example", 2, 60),))
    with time_machine.travel(now() + datetime.timedelta(seconds=1), tick=False) as clock:
        paced = [post(f"player{n}@big.example") for n in range(12)]
        other, door = post("anna@example.org"), post("bert@big.example", door=True)
        clock.shift(1)
        delivery.deliver(here)
        assert sum(fate(settings, x).status == "sent" for x in paced) == 2
        assert [fate(settings, x).status for x in (other, door)] == ["sent", "sent"]
        minutes = 0
        while any(fate(settings, x).status != "sent" for x in paced):
            before = sum(fate(settings, x).status == "sent" for x in paced)
            for _ in range(6):
                clock.shift(10)
                delivery.deliver(here)
            minutes += 1
            assert sum(fate(settings, x).status == "sent" for x in paced) - before <= 2
    assert minutes <= 7 and all(fate(settings, x).attempts == 1 for x in paced)


def test_sign_in_letters_go_before_those_that_are_due_longer(
    settings: Settings, post: Callable[..., Letter], serve: Callable[..., Any]
) -> None:
    server, port = serve()
    for n in range(delivery.BATCH + 2):
        post(f"player{n}@example.org")
    post("bert@example.org", door=True)
    with time_machine.travel(now() + datetime.timedelta(seconds=1)):
        delivery.deliver(by(settings, f"smtp://127.0.0.1:{port}"))
    got = [envelope.rcpt_tos for envelope in server.got]
    assert got[0] == ["bert@example.org"] and len(got) == delivery.BATCH + 3


def test_a_server_that_hangs_on_game_letters_delays_no_sign_in_letter(
    settings: Settings, post: Callable[..., Letter], script: Callable[..., Script], monkeypatch: pytest.MonkeyPatch
) -> None:
    free, hanging = threading.Event(), threading.Semaphore(0)
    door: list[str] = []

    def hangs(_session: int, command: str) -> str | None:
        if command == "RCPT TO" and not door:
            hanging.release()
            free.wait(30)
        return ""

    server = script(hangs)
    here = by(settings, server.url)
    monkeypatch.setattr(delivery, "BATCH", 1)
    several = [post(f"player{n}@example.org") for n in range(8)]
    delivery._claiming.cache_clear()
    threads = [threading.Thread(target=delivery.deliver, args=(here,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert hanging.acquire(timeout=20)
    try:
        # The others return, for the slots of game letters are taken; one of them may hold the last slot until then.
        until(lambda: sum(thread.is_alive() for thread in threads) == 1, seconds=20)
        assert sum(fate(settings, x).status == "sending" for x in several) == here.letter_slots - 1 == 1
        door.append("open")
        letter = post("bert@example.org", door=True)
        delivery.deliver(here)
        assert fate(settings, letter).status == "sent" and sum(fate(settings, x).status == "sent" for x in several) == 0
    finally:
        free.set()
        for thread in threads:
            thread.join(30)
        delivery._claiming.cache_clear()
    assert {fate(settings, x).status for x in several} == {"sent"}


# --- addresses in UTF-8 (RFC 6531) ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("offered", [True, False])
@pytest.mark.usefixtures("sent")
def test_a_letter_to_a_utf8_address_goes_out_where_smtputf8_is_offered_and_is_rejected_where_not(
    settings: Settings, serve: Callable[..., Any], offered: bool
) -> None:
    server, port = serve(enable_SMTPUTF8=offered)
    found = by(settings, f"smtp://127.0.0.1:{port}")
    with db.transaction(found) as session:
        relay.note_utf8(session, True)
        both = (accounts.by_email(session, address) for address in ("anna@bücher.example", "jörg@bücher.example"))
        plain, letter = (letters.test_letter(session, account) for account in both)
    delivery.deliver(found)
    assert fate(settings, plain).status == "sent" and fate(settings, letter).status == ("sent" if offered else "rejected")
    with db.open_session(found) as session:
        assert relay.offers_utf8(session) == offered and relay.down_since(session) is None
    if offered:
        assert [envelope.rcpt_tos for envelope in server.got] == [[plain.to_address], [letter.to_address]]
        assert "To: jörg@xn--bcher-kva.example\r\n".encode() in server.got[-1].content
    else:
        assert "SMTPUTF8" in fate(settings, letter).error
