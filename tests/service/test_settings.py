"""Settings: what would fail late is refused at once, with a sentence that says what would be right."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.core.asks import NotUnderstood
from service.common import clubs
from service.ops import up
from service.settings import LEAST_VARIETY, SHORTEST_KEY, Settings, weakness
from tests.forked import Forked

LONG = "a-key-for-tests-of-32-letters-and-more"


@pytest.mark.parametrize("keys", ["k", "a-key-for-tests", "k" * 64, "ab" * 20, f"{LONG},short", f"short,{LONG}"])
def test_a_key_that_can_be_guessed_is_refused(keys: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRIT_SECRET_KEYS", keys)
    with pytest.raises(ValidationError, match="make one with: python -c") as refusal:
        Settings()
    assert "short" not in str(refusal.value) and LONG not in str(refusal.value), "keys are never repeated"


def test_keys_of_the_least_length_and_variety_are_accepted() -> None:
    varied = "".join(chr(ord("a") + i % LEAST_VARIETY) for i in range(SHORTEST_KEY))
    assert not weakness(varied) and weakness(varied[:-1])
    assert Settings(secret_keys=(varied, LONG)).keys == (varied, LONG)


def test_a_drawn_key_is_a_good_one_and_a_cut_one_is_refused(tmp_path: Path) -> None:
    assert not weakness(Settings(data_folder=tmp_path).keys[0])
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "secret-key").write_text("abc")
    with pytest.raises(NotUnderstood, match="has 3 characters, and 32 are the least"):
        _ = Settings(data_folder=cut).keys


WRONG = [
    ("SECRET_KEYS", "k", "secret key no. 1 has 1 characters"),
    ("BASE_URL", "writ.example.org", "starts with http"),
    ("BASE_URL", "https://", "a host and perhaps a port"),
    ("BASE_URL", "http://writ.example.org:eight", "is no address of a server"),
    ("BASE_URL", "http://writ.example.org/?a=b", "a host and perhaps a port"),
    ("BASE_URL", "http://anna:hunter2@writ.example.org", "a host and perhaps a port"),
    ("BASE_URL", "https://writ.example.org/games/", "has no path; give Writ a host name of its own"),
    ("BASE_URL", "https://example.org//writ", "has no path"),
    ("DATABASE_URL", "postgres", "the database URL is"),
    ("DATABASE_URL", "mysql://u:hunter2@host/writ", "the database URL is"),
    ("BROKER_URL", "amqp://u:hunter2@host", "the broker URL is"),
    ("SMTP_URL", "mail.example.org:587", "the SMTP URL is"),
    ("SMTP_URL", "smtp://u:hunter2@host:many", "is no address of a server"),
    ("MAIL_FROM", "Writ", "the sender is one address"),
    ("MAIL_FROM", "Writ <writ@example.org>\nBcc: all@example.org", "the sender is one address"),
    ("MAIL_PACE", "gmail.com", "is no pace; one looks like gmail.com=20/min"),
    ("MAIL_PACE", "gmail.com=20/min, outlook.com=ten/min", "is no pace"),
    ("MAIL_PACE", "gmail.com=0/min", "is no pace"),
    ("SMTP_STARTTLS", "yes", "'offered', 'required' or 'never'"),
    ("OPERATORS", "anna", "isn’t an e-mail address"),
    ("INBOX", "writ", "the inbox is one plain address"),
    ("PORT", "-1", "greater than or equal to 0"),
    ("PROXIES", "-1", "greater than or equal to 0"),
    ("LINK_DAYS", "-3", "greater than or equal to 1"),
    ("HOLD_SECONDS", "soon", "valid integer"),
    ("SWEEP_SECONDS", "-1", "greater than or equal to 0.2"),
    ("REGISTRATION", "closed", "'open', 'invitation' or 'domains'"),
    ("REGISTRATION", "domains", "WRIT_REGISTRATION=domains needs WRIT_REGISTRATION_DOMAINS"),
    ("REGISTRATION_DOMAINS", "club.example", "counts only with WRIT_REGISTRATION=domains"),
    ("REGISTRATION_DOMAINS", "anna@club.example", "is no domain; one looks like club.example"),
    ("REGISTRATION_DOMAINS", "*.club.example", "is no domain"),
    ("REGISTRATION_DOMAINS", "club.example,example", "“example” is no domain"),
    ("REGISTRATION_DOMAINS", "..club.example", "is no domain"),
    ("OPENERS", "nobody", "isn’t an e-mail address"),
    ("OPENERS", "everybody,anna@club.example", "isn’t an e-mail address"),
    ("OPENERS", ",", "the openers are everybody, operators, or e-mail addresses"),
    ("OPENERS", "operators", "WRIT_OPENERS=operators needs WRIT_OPERATORS"),
    ("MOST_GAMES", "-1", "greater than or equal to 0"),
    ("HOUSE_NAME", "x" * 61, "the house's name is plain text of at most 60 characters"),
    ("HOUSE_NAME", "Club\x07", "the house's name is plain text"),
    ("HOUSE_NAME", "Club \u202eesoR", "the house's name is plain text"),
    ("HOUSE_IMPRINT", "x" * 301, "the imprint is plain text of at most 300 characters"),
    ("HOUSE_IMPRINT", "javascript://club.example/%0aalert(1)", "or the address of a page"),
    ("HOUSE_IMPRINT", "http://club.example:eight", "or the address of a page"),
    ("HOUSE_CONTACT", "Anna", "the contact is an e-mail address"),
    ("HOUSE_CONTACT", "javascript:alert(1)", "the contact is an e-mail address"),
    ("HOUSE_CONTACT", "https://club.example/a b", "the contact is an e-mail address"),
]


@pytest.mark.parametrize(("name", "value", "sentence"), WRONG)
def test_what_would_fail_late_is_refused_at_once(name: str, value: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"WRIT_{name}", value)
    with pytest.raises(ValidationError) as refusal:
        Settings()
    assert sentence in str(refusal.value) and "hunter2" not in str(refusal.value)


def test_what_hosts_really_set_is_accepted() -> None:
    found = Settings(
        base_url="https://writ.example.org:8443/",
        database_url="postgresql+psycopg://writ:secret@db/writ",
        broker_url="rediss://:secret@broker:6380/1",
        smtp_url="smtp://me%40example.org:secret@mail.example.org:587",
        mail_from="“Writ” <writ@example.org>",
        operators=("Anna@Example.org",),
    )
    assert (found.base_url, found.operators) == ("https://writ.example.org:8443", ("anna@example.org",))


def test_settings_of_a_club_are_kept_as_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "REGISTRATION": "domains",
        "REGISTRATION_DOMAINS": "Club.example, .Bücher.example",
        "OPENERS": "Alys@bücher.example",
    }
    given |= {"OPERATORS": "Ole@bücher.example", "HOUSE_NAME": "  Club of\tthe Rose "}
    for name, value in given.items():
        monkeypatch.setenv(f"WRIT_{name}", value)
    found = Settings()
    assert found.registration_domains == ("club.example", ".xn--bcher-kva.example")
    assert (found.openers, found.operators) == (("alys@xn--bcher-kva.example",), ("ole@xn--bcher-kva.example",))
    assert found.club.name == "Club of the Rose"
    may = [found.may_open(email) for email in (*found.openers, *found.operators, "bert@club.example")]
    assert may == [True, True, False] and Settings(openers=("everybody",)).may_open("bert@club.example")


@pytest.mark.parametrize(
    ("email", "belongs"),
    [
        ("a@club.example", True),
        ("a@sub.club.example", False),
        ("a@myclub.example", False),
        ("a@deep.example", True),
        ("a@a.b.deep.example", True),
        ("a@notdeep.example", False),
        ("club.example@other.example", False),
    ],
)
def test_subdomains_count_only_behind_a_dot(email: str, belongs: bool) -> None:
    assert clubs.among(email, ("club.example", ".deep.example")) is belongs


@pytest.mark.parametrize(
    ("contact", "shown", "url"),
    [
        ("", "", ""),
        ("https://club.example/write", "https://club.example/write", "https://club.example/write"),
        ("Host@Bücher.example", "host@bücher.example", "mailto:host@xn--bcher-kva.example"),
        ("a%b?c@club.example", "a%b?c@club.example", "mailto:a%25b%3Fc@club.example"),
    ],
)
def test_the_contact_is_shown_and_linked(contact: str, shown: str, url: str) -> None:
    found = Settings(house_contact=contact).club
    assert (found.contact, found.contact_url) == (shown, url)


@pytest.mark.parametrize(
    ("text", "paces"),
    [
        ("", ()),
        ("Gmail.com=20/min, outlook.com=600/h,", (("gmail.com", 20, 60), ("outlook.com", 600, 3600))),
        ("a.example=1/s,b.example=9999/day", (("a.example", 1, 1), ("b.example", 9999, 86400))),
    ],
)
def test_the_pace_of_providers_is_a_table(text: str, paces: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ("gmail.com", 60, 60) in Settings().mail_pace
    monkeypatch.setenv("WRIT_MAIL_PACE", text)
    assert Settings().mail_pace == paces and hash(Settings())


@pytest.mark.parametrize("command", ["migrate", "web", "worker", "beat", "up", "inbox"])
def test_every_command_says_so_in_a_sentence(command: str, tmp_path: Path) -> None:
    done = Forked([command], {**os.environ, "WRIT_DATA_FOLDER": str(tmp_path), "WRIT_SECRET_KEYS": "hunter2"})
    said = done.communicate(timeout=60)[1].decode()
    assert done.returncode == 1
    assert said.startswith("Error: Settings can't be read. WRIT_SECRET_KEYS: secret key no. 1 has 7 characters")
    assert "Traceback" not in said and "hunter2" not in said


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("WRIT_BASE_ULR", "did you mean WRIT_BASE_URL?"),
        ("WRIT_SMPT_URL", "did you mean WRIT_SMTP_URL?"),
        ("WRIT_SMTPURL", "did you mean WRIT_SMTP_URL?"),
        ("WRIT_DATABASE_URI", "did you mean WRIT_DATABASE_URL?"),
        ("WRIT_SECRET_KEY", "did you mean WRIT_SECRET_KEYS?"),
        ("WRIT_SECRET_KEY_FILE", "did you mean WRIT_SECRET_KEYS_FILE?"),
        ("WRIT_OPERATOR", "did you mean WRIT_OPERATORS?"),
        ("writ_prot", "did you mean WRIT_PORT?"),
        ("WRIT_PORT_FILE", "did you mean"),
        ("WRIT_", "docs/settings.md lists all settings"),
        ("WRIT_QUEEN_OF_HEARTS", "docs/settings.md lists all settings"),
    ],
)
def test_a_misspelt_setting_is_refused_with_the_nearest_right_name(
    name: str, right: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "hunter2")
    with pytest.raises(ValidationError) as refusal:
        Settings()
    assert f"{name.upper()} is no setting: {right}" in str(refusal.value) and "hunter2" not in str(refusal.value)


def test_several_misspelt_settings_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRIT_BASE_ULR", "x")
    monkeypatch.setenv("WRIT_INBOXPORT", "x")
    with pytest.raises(ValidationError, match=r"WRIT_BASE_ULR is no setting.*; WRIT_INBOXPORT is no setting"):
        Settings()


def test_variables_of_tests_and_of_other_programs_are_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WRIT_TEST_POSTGRES", "WRIT_TEST_ANYTHING", "WRIT_REQUIRE_SERVICES", "WRITER_NAME", "WRIT"):
        monkeypatch.setenv(name, "x")
    assert Settings().port


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEYS", f"{LONG},{LONG}-two"),
        ("DATABASE_URL", "postgresql+psycopg://writ:hunter2@db/writ"),
        ("SMTP_URL", "smtps://me:hunter2@mail.example.org"),
        ("BROKER_URL", "redis://:hunter2@broker/0"),
        ("METRICS_TOKEN", "hunter2"),
    ],
)
def test_secrets_are_read_from_files(name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    monkeypatch.setenv(f"WRIT_{name}", value)
    wanted = getattr(Settings(), name.lower())
    assert wanted
    monkeypatch.setenv(f"WRIT_{name}", "")
    monkeypatch.setenv(f"WRIT_{name}_FILE", str(file))
    with pytest.raises(ValidationError, match=f"WRIT_{name}_FILE names .*secret, which can't be read: No such file"):
        Settings()
    file.write_text("  \n")
    with pytest.raises(ValidationError, match=f"WRIT_{name}_FILE names .*secret, which is empty"):
        Settings()
    file.write_bytes(b"\xff\xfe\x00hunter2")
    with pytest.raises(ValidationError, match="it is no text"):
        Settings()
    file.write_text(f"{value}\n")
    assert getattr(Settings(), name.lower()) == wanted
    monkeypatch.setenv(f"WRIT_{name}", value)
    with pytest.raises(ValidationError, match=f"WRIT_{name} and WRIT_{name}_FILE are both set") as refusal:
        Settings()
    assert "hunter2" not in str(refusal.value)


def test_a_wrong_value_in_a_file_is_refused_like_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "url").write_text("mysql://u:hunter2@host/writ")
    monkeypatch.setenv("WRIT_DATABASE_URL_FILE", str(tmp_path / "url"))
    with pytest.raises(ValidationError, match="the database URL is") as refusal:
        Settings()
    assert "hunter2" not in str(refusal.value)


def test_processes_that_are_started_find_the_files_of_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stand in the data folder, and what is secret stays out of their environment."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text(LONG)
    (tmp_path / "db").write_text("postgresql+psycopg://writ:hunter2@db/writ")
    monkeypatch.setenv("WRIT_SECRET_KEYS_FILE", "key")
    monkeypatch.setenv("WRIT_DATABASE_URL_FILE", "db")
    env = up.environment(Settings())
    assert env["WRIT_SECRET_KEYS_FILE"] == str(tmp_path / "key") and env["WRIT_DATABASE_URL_FILE"] == str(tmp_path / "db")
    assert "hunter2" not in str(env)
    (tmp_path / "db").write_text("sqlite:///mine.db")
    env = up.environment(Settings())
    assert env["WRIT_DATABASE_URL"] == f"sqlite:///{tmp_path}/mine.db" and not env["WRIT_DATABASE_URL_FILE"]


def test_commands_name_a_misspelt_setting(tmp_path: Path) -> None:
    done = Forked(["migrate"], {**os.environ, "WRIT_DATA_FOLDER": str(tmp_path), "WRIT_BASE_ULR": "hunter2"})
    said = done.communicate(timeout=60)[1].decode()
    wanted = "Error: Settings can't be read. WRIT_BASE_ULR is no setting: did you mean WRIT_BASE_URL?\n"
    assert (done.returncode, said) == (1, wanted)
