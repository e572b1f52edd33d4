"""Health of the mail relay: since when it has accepted no letter to anybody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlmodel import select

from service.post import refusals, relay
from service.settings import Settings
from service.store import database as db
from service.store.models import RelayFailure
from tests.service.conftest import statements

START = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Relay:
    """What happens to letters minute by minute, and what is then read of the relay."""

    def __init__(self, settings: Settings, clock: time_machine.Traveller) -> None:
        self.settings, self.clock = settings.model_copy(update={"smtp_url": "smtp://mail.example.org"}), clock

    def wait(self, minutes: int = 1) -> None:
        self.clock.shift(minutes * MINUTE)

    def accepts(self) -> None:
        with db.transaction(self.settings) as session:
            relay.accepted(session)

    def fails(self, domain: str | None = None) -> None:
        with db.transaction(self.settings) as session:
            relay.failed(session, domain)

    @property
    def down(self) -> int | None:
        """The minute since which it is down."""
        with db.open_session(self.settings) as session:
            since = relay.down_since(session)
        return None if since is None else round((since - START) / MINUTE)


@pytest.fixture
def mail(settings: Settings) -> Iterator[Relay]:
    with time_machine.travel(START, tick=False) as clock:
        yield Relay(settings, clock)


def test_it_is_down_since_the_first_failure_after_the_last_acceptance_however_long_ago_that_was(mail: Relay) -> None:
    mail.accepts()
    assert mail.down is None
    mail.wait(600)  # nobody wrote
    mail.fails()
    mail.wait()
    mail.fails()
    assert mail.down == 600
    mail.accepts()
    assert mail.down is None
    mail.wait()
    mail.fails()
    assert mail.down == 602


def test_one_domain_that_refuses_its_recipients_stops_no_clock(mail: Relay) -> None:
    for name in ("mail.evil.example", "EVIL.example", "other.evil.example.", "evil.example"):
        mail.fails(name)
        mail.wait(60)
    assert mail.down is None


def test_recipients_of_two_domains_count_from_the_refusal_of_the_second(mail: Relay) -> None:
    mail.fails("evil.example")
    mail.wait(10_000)  # who refuses his own letters for a week has stopped nobody's clock in it
    mail.fails("example.org")
    mail.wait()
    mail.fails("third.example")
    mail.fails("evil.example")
    assert mail.down == 10_000
    mail.accepts()
    mail.fails("example.org")
    assert mail.down is None


def test_what_concerns_all_letters_counts_beside_refused_recipients(mail: Relay) -> None:
    mail.fails("a.example")
    mail.wait()
    mail.fails()
    assert mail.down == 1
    mail.wait()
    mail.fails("b.example")
    assert mail.down == 1
    with db.transaction(mail.settings) as session:
        relay.reached(session)  # connection, login and sender work again; all recipients are still refused
    assert mail.down == 2


def test_many_domains_leave_few_rows(mail: Relay) -> None:
    for n in range(50):
        mail.fails(f"evil{n}.example")
    mail.fails("")
    with db.open_session(mail.settings) as session:
        assert len(session.exec(select(RelayFailure)).all()) == relay.ENOUGH


def test_an_acceptance_is_one_statement_and_changes_no_row_while_all_is_well(mail: Relay) -> None:
    mail.accepts()
    with statements(mail.settings) as said:
        mail.accepts()
    assert [s.split()[0] for s in said if not s.startswith(("BEGIN", "PRAGMA"))] == ["DELETE"]


def test_the_maildir_never_counts_as_down(mail: Relay, settings: Settings) -> None:
    mail.fails()
    with db.open_session(settings) as session:
        assert relay.down_since(session) is None and not relay.unreached(session)
    assert mail.down == 0


@pytest.mark.parametrize(
    ("code", "words", "blames"),
    [
        (550, "5.1.1 no such mailbox", False),
        (450, "4.1.2 domain not found", False),
        (452, "4.2.2 mailbox full", False),
        (451, "4.4.1 no answer from host", False),
        (552, "5.6.0 odd content", False),
        (454, "4.7.0 relay access denied", True),
        (550, "5.7.1 relaying denied", True),
        (452, "4.3.1 insufficient system storage", True),
        (451, "4.5.3 too many recipients", True),
        (450, "try again later", True),
        (550, "Unrouteable address", False),
        (550, "User unknown", False),
        (550, "No such user here", False),
        (554, "5.7.1 relay access denied", True),
        (250, "2.1.5 fine", False),
    ],
)
def test_only_refusals_that_may_be_the_relays_fault_are_noted(code: int, words: str, blames: bool) -> None:
    assert relay.blames_relay(code, words, refusals.meaning(code, words, to_address=True)) is blames
