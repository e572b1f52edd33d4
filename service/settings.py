"""The one settings object, read from the environment (`WRIT_...`) and nowhere else."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import secrets
from collections.abc import Sequence
from email.utils import parseaddr
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from engine.asks import NotUnderstood
from service.common import addresses, clubs, headers
from service.common.folder import make_private, private_from_now_on

SHORTEST_KEY = 32
LEAST_VARIETY = 8
"""Different characters that a key has at the least: one letter written 32 times is no secret."""
MAKE_A_KEY = 'make one with: python -c "import secrets; print(secrets.token_hex(32))"'

PREFIX = "WRIT_"
FROM_FILES = ("secret_keys", "database_url", "smtp_url", "broker_url", "metrics_token")
"""Settings that hold a secret: `WRIT_SMTP_URL_FILE` names a file that holds the value of `WRIT_SMTP_URL`."""
OF_TESTS = re.compile(r"WRIT_(TEST|SOAK|BENCH|KEYBOARD)_\w+|WRIT_(REQUIRE_SERVICES|TELL_ANEW|CROWD)")
"""Environment variables that tests and benchmarks read."""

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
"""What a machine calls itself."""


EVERYBODY, OPERATORS = "everybody", "operators"
"""Groups of people who may open games."""

Pace = tuple[str, int, int]
"""A domain, and so many letters in so many seconds."""
PACE = re.compile(r"(?P<domain>[a-z0-9-]+(?:\.[a-z0-9-]+)+)=(?P<most>[1-9][0-9]{0,3})/(?P<unit>s|min|h|day)")
UNITS = {"s": 1, "min": 60, "h": 3600, "day": 86400}
PACES: tuple[Pace, ...] = tuple(
    (domain, most, 60)
    for most, domains in (
        (60, ("gmail.com", "googlemail.com", "icloud.com")),
        (30, ("outlook.com", "hotmail.com", "live.com", "msn.com")),
        (30, ("gmx.de", "gmx.net", "web.de")),
        (20, ("yahoo.com", "aol.com", "t-online.de", "orange.fr", "free.fr")),
    )
    for domain in domains
)
"""Well below what these providers are known to take from a small sender."""


class Settings(BaseSettings):
    """Everything that a host can set. Each field is the environment variable `WRIT_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, hide_input_in_errors=True)

    base_url: str = "http://127.0.0.1:8080"
    """Where players reach the service; stands in every link."""
    secret_keys: Annotated[tuple[str, ...], NoDecode] = ()
    """Keys that sign links and cookies and seal secrets, separated by commas: the first signs and seals, all are accepted.

    When none is given, one is drawn at the first start and kept in the data folder.
    """
    database_url: str = ""
    """SQLAlchemy address; the default is SQLite in the data folder. PostgreSQL: `postgresql+psycopg://...`."""
    broker_url: str = ""
    """`redis://...`; the default is a Valkey of Writ's own, run as a child process."""
    smtp_url: str = ""
    """`smtp://user:password@host:587` or `smtps://...`; the default is a Maildir in the data folder."""
    smtp_starttls: Literal["offered", "required", "never"] = "offered"
    """STARTTLS on `smtp://`: where the server offers it, always, or never. Certificates are verified by the authorities of the
    system, or those in the file SSL_CERT_FILE."""
    smtp_insecure_login: bool = False
    """Whether the password may be sent without TLS to a server that isn't on this machine."""
    mail_pace: Annotated[tuple[Pace, ...], NoDecode] = PACES
    """Letters that a provider takes in so long, by the recipient's domain: `gmail.com=60/min,outlook.com=600/h`."""
    mail_from: str = "Writ <writ@localhost>"
    """The sender of every letter."""
    inbox: str = ""
    """Address at which replies and bounces reach Writ, `writ@example.org`; its mail server must deliver `writ+…@` there too.

    Empty: letters name no address for replies, and bounces are known from the SMTP server's answers alone.
    """
    inbox_port: int = Field(default=8025, ge=0, le=65535)
    """Port on which `writ inbox` takes mail from the host's mail server."""
    operators: Annotated[tuple[str, ...], NoDecode] = ()
    """E-mail addresses of those who run the service, separated by commas: they see the page /host."""
    registration: Literal["open", "invitation", "domains"] = "open"
    """Who may make an account: everybody, addresses that are invited to a table, or addresses of some domains.

    Operators always may. See `service.people.registration`.
    """
    registration_domains: Annotated[tuple[str, ...], NoDecode] = ()
    """Domains whose addresses may make an account, separated by commas: `club.example`, or `.club.example` with its
    subdomains."""
    openers: Annotated[tuple[str, ...], NoDecode] = (EVERYBODY,)
    """Who may open games: `everybody`, `operators`, or e-mail addresses, separated by commas. Operators always may."""
    most_games: int = Field(default=0, ge=0, le=10_000)
    """Unfinished games that one account may host at a time; 0: the usual limit, see `service.games.lobby`."""
    house_name: str = ""
    """Name of the club or house that runs the service; stands on every page and in every letter."""
    house_imprint: str = ""
    """Imprint of the house: plain text, or the address of a page."""
    house_contact: str = ""
    """Contact of the house: an e-mail address, or the address of a page."""
    metrics_token: str = ""
    """Bearer token for /metrics; without one only this machine may read them."""
    data_folder: Path = Path("data")
    """Where the default database, the Maildir, the embedded broker and a drawn secret key live."""
    port: int = Field(default=8080, ge=0, le=65535)
    """Port of the web process."""
    proxies: int = Field(default=0, ge=0, le=5)
    """How many proxies of the host's own stand in front; as many addresses are believed in what they forward."""
    sqlite_synchronous: Literal["FULL", "NORMAL"] = "FULL"
    """NORMAL is faster and may lose the last commits when the power fails."""
    link_days: int = Field(default=60, ge=1, le=400)
    """Days until a link in a letter expires."""
    keep_letters_days: int = Field(default=30, ge=1, le=3650)
    """Days until the bodies of letters that went out, and links that ran out, are thrown away."""
    pack_days: int = Field(default=30, ge=1, le=3650)
    """Days after the end of a game until its log is kept compressed."""
    hold_seconds: int = Field(default=120, ge=0, le=600)
    """How long a letter about the next step of a visit is held back, in seconds."""
    sweep_seconds: float = Field(default=10.0, ge=0.2, le=60)
    """How often the beat looks for what is due."""
    down_seconds: int = Field(default=90, ge=1, le=3600)
    """After so many seconds without a sweep the service counts as having been down: all clocks stood still meanwhile."""

    @model_validator(mode="before")
    @classmethod
    def _environment(cls, given: dict[str, object]) -> dict[str, object]:
        """Refuse misspelt variables, and read secrets from the files that `WRIT_…_FILE` name."""
        here = {name.upper(): value for name, value in os.environ.items() if name.upper().startswith(PREFIX)}
        refuse_unknown(sorted(here), [PREFIX + name.upper() for name in cls.model_fields])
        for name in FROM_FILES:
            variable = PREFIX + name.upper()
            file = here.get(f"{variable}_FILE", "")
            if file and here.get(variable):
                raise ValueError(f"{variable} and {variable}_FILE are both set; keep one of them")
            if file and not given.get(name):
                given = {**given, name: _read_secret(f"{variable}_FILE", Path(file))}
        return given

    @field_validator("secret_keys", "operators", "registration_domains", "openers", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(k.strip() for k in value.split(",") if k.strip()) if isinstance(value, str) else value

    @field_validator("secret_keys")
    @classmethod
    def _hard_to_guess(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for n, key in enumerate(value, start=1):
            fault = weakness(key)
            if fault:
                raise ValueError(f"secret key no. {n} {fault}; {MAKE_A_KEY}")
        return value

    @field_validator("operators")
    @classmethod
    def _as_addresses_are_kept(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_clean_address(address) for address in value)

    @field_validator("openers")
    @classmethod
    def _a_group_or_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(value) == 1 and value[0].lower() in (EVERYBODY, OPERATORS):
            return (value[0].lower(),)
        if not value:
            raise ValueError(f"the openers are {EVERYBODY}, {OPERATORS}, or e-mail addresses with commas between")
        return tuple(_clean_address(address) for address in value)

    @field_validator("registration_domains")
    @classmethod
    def _domains(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(clubs.clean_domain(domain) for domain in value)

    @field_validator("house_name")
    @classmethod
    def _name_of_the_house(cls, value: str) -> str:
        return clubs.clean_name(value)

    @field_validator("house_imprint")
    @classmethod
    def _imprint(cls, value: str) -> str:
        return clubs.clean_imprint(value)

    @field_validator("house_contact")
    @classmethod
    def _contact(cls, value: str) -> str:
        return clubs.clean_contact(value)

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        """Refuse settings that contradict each other: a list that nobody looks at, or one that lets nobody in."""
        if self.registration == "domains" and not self.registration_domains:
            raise ValueError("WRIT_REGISTRATION=domains needs WRIT_REGISTRATION_DOMAINS, such as club.example")
        if self.registration != "domains" and self.registration_domains:
            raise ValueError("WRIT_REGISTRATION_DOMAINS counts only with WRIT_REGISTRATION=domains; set both or neither")
        if self.openers == (OPERATORS,) and not self.operators:
            raise ValueError("WRIT_OPENERS=operators needs WRIT_OPERATORS: nobody could open a game")
        return self

    @field_validator("base_url")
    @classmethod
    def _bare(cls, value: str) -> str:
        parts = _split_url(value)
        if parts.scheme not in ("http", "https"):
            raise ValueError("the base URL starts with http:// or https://")
        if not parts.hostname or parts.username is not None or parts.query or parts.fragment or any(c.isspace() for c in value):
            raise ValueError("the base URL is a host and perhaps a port, such as https://writ.example.org")
        if parts.path.strip("/"):
            raise ValueError("the base URL has no path; give Writ a host name of its own, such as https://writ.example.org")
        return value.rstrip("/")

    @field_validator("mail_from")
    @classmethod
    def _one_mailbox(cls, value: str) -> str:
        if not headers.is_mailbox(value):
            raise ValueError("the sender is one address, or a name and one address, such as Writ <writ@example.org>")
        return value

    @field_validator("database_url")
    @classmethod
    def _a_database(cls, value: str) -> str:
        if not value:
            return value
        try:
            kind = make_url(value).drivername
        except (ArgumentError, ValueError):
            kind = ""
        if kind not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
            raise ValueError("the database URL is postgresql+psycopg://user:password@host/name, or empty for SQLite")
        return value

    @field_validator("broker_url")
    @classmethod
    def _a_broker(cls, value: str) -> str:
        if value and _split_url(value).scheme not in ("redis", "rediss", "redis+socket", "memory"):
            raise ValueError("the broker URL is redis://host:6379/0, or empty for the embedded broker")
        return value

    @field_validator("smtp_url")
    @classmethod
    def _a_mail_server(cls, value: str) -> str:
        if value and (_split_url(value).scheme not in ("smtp", "smtps") or not _split_url(value).hostname):
            raise ValueError("the SMTP URL is smtp://user:password@host:587 or smtps://…, or empty for the mailbox page")
        return value

    @field_validator("mail_pace", mode="before")
    @classmethod
    def _paces(cls, value: object) -> object:
        return read_paces(value) if isinstance(value, str) else value

    @field_validator("inbox")
    @classmethod
    def _one_address(cls, value: str) -> str:
        if value and not re.fullmatch(r"[A-Za-z0-9._-]{1,12}@[A-Za-z0-9.-]{1,190}", value):
            raise ValueError("the inbox is one plain address such as writ@example.org, with at most 12 characters before the @")
        return value

    @property
    def host(self) -> str:
        """The name of the host in the base URL, in small letters."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def local(self) -> bool:
        """Whether the base URL names this machine alone: the service is being tried out, and has no visitors."""
        return self.host in LOOPBACK

    @property
    def club(self) -> clubs.Club:
        """The house as pages and letters name it."""
        return clubs.club(self.house_name, self.house_imprint, self.house_contact)

    def may_open(self, email: str) -> bool:
        """Whether the account of a clean address may open games."""
        return self.openers == (EVERYBODY,) or email in self.openers or email in self.operators

    @property
    def keys(self) -> tuple[str, ...]:
        """The secret keys, or the one drawn for this data folder."""
        return self.secret_keys or (_drawn_key(self.data_folder.resolve()),)

    @property
    def database(self) -> str:
        """The database address, default filled in."""
        return self.database_url or f"sqlite:///{self.data_folder.resolve() / 'writ.db'}"

    @property
    def maildir(self) -> Path:
        """Where letters go without an SMTP server."""
        return self.data_folder / "mail"

    @property
    def mail_host(self) -> str:
        """The host name in Message-IDs."""
        return self.mail_address.rpartition("@")[2]

    @property
    def mail_address(self) -> str:
        """The sender's address without the name."""
        return parseaddr(self.mail_from)[1]


def read_paces(text: str) -> tuple[Pace, ...]:
    """Paces as they are written in `WRIT_MAIL_PACE`; empty: no limits. Raises ValueError."""
    found = []
    for part in (p.strip().lower() for p in text.split(",")):
        pace = PACE.fullmatch(part)
        if part and pace is None:
            raise ValueError(
                f"“{part[:60]}” is no pace; one looks like gmail.com=20/min (s, min, h or day), with commas between"
            )
        if pace is not None:
            found.append((pace["domain"], int(pace["most"]), UNITS[pace["unit"]]))
    return tuple(found)


def refuse_unknown(names: Sequence[str], settings: Sequence[str]) -> None:
    """Refuse environment variables that are no setting, each with the nearest right name. Raises ValueError."""
    known = [*settings, *(f"{PREFIX}{name.upper()}_FILE" for name in FROM_FILES)]
    faults = []
    for name in names:
        if name in known or OF_TESTS.fullmatch(name):
            continue
        nearest = difflib.get_close_matches(name.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in known], n=1)
        right = f"did you mean {PREFIX}{nearest[0]}?" if nearest else "the README lists all settings"
        faults.append(f"{name[:60]} is no setting: {right}")
    if faults:
        raise ValueError("; ".join(faults))


def _read_secret(variable: str, file: Path) -> str:
    """The value in a file, without white space around it. Raises ValueError where it can't be read, or is empty."""
    try:
        value = file.read_text("utf-8").strip()
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is no text"
        raise ValueError(f"{variable} names {file}, which can't be read: {why}") from None
    if not value:
        raise ValueError(f"{variable} names {file}, which is empty")
    return value


def weakness(key: str) -> str:
    """What is wrong with a secret key, to be read after its name; empty for one that is good."""
    if len(key) < SHORTEST_KEY:
        return f"has {len(key)} characters, and {SHORTEST_KEY} are the least"
    if len(set(key)) < LEAST_VARIETY:
        return f"has no variety: at least {LEAST_VARIETY} different characters are wanted"
    return ""


def _split_url(value: str) -> SplitResult:
    """The parts of an address. Raises ValueError with a sentence, for a port that is none, too."""
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError as fault:
        raise ValueError(f"“{value.rpartition('@')[2][:60]}” is no address of a server: {fault}") from None
    return parts


def _clean_address(text: str) -> str:
    """An address in the form in which accounts keep theirs. Raises ValueError with a sentence."""
    try:
        return addresses.clean(text, utf8=True)
    except ValueError:
        raise ValueError(f"“{text[:60]}” is no e-mail address; one looks like alys@example.org, with commas between") from None


@cache
def _drawn_key(folder: Path) -> str:
    make_private(folder)
    file = folder / "secret-key"
    if not file.exists():
        # Written aside and linked into place, so that another process never reads half a key.
        aside = folder / f"secret-key.{secrets.token_hex(8)}"
        with open(aside, "x", opener=_private) as fresh:
            fresh.write(secrets.token_hex(32))
        with contextlib.suppress(FileExistsError):
            os.link(aside, file)
        aside.unlink()
    key = file.read_text().strip()
    if fault := weakness(key):
        raise NotUnderstood(f"The secret key in {file} {fault}. Put the right one back, or {MAKE_A_KEY}")
    return key


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@cache
def load() -> Settings:
    """The settings of this process. Whatever it writes from now on is for its owner alone."""
    private_from_now_on()
    return Settings()
