"""Settings, read from environment variables (`WRIT_...`) only."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import secrets
from collections.abc import Callable, Sequence
from email.utils import parseaddr
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from engine.core.asks import NotUnderstood
from service.common import addresses, clubs, headers
from service.common.folder import make_private

SHORTEST_KEY = 32
LEAST_VARIETY = 8
"""Minimum of distinct characters: one letter written 32 times is no secret."""
MAKE_A_KEY = 'make one with: python -c "import secrets; print(secrets.token_hex(32))"'

PREFIX = "WRIT_"
FROM_FILES = ("secret_keys", "database_url", "smtp_url", "broker_url", "metrics_token")
"""Secrets, which `WRIT_…_FILE` can read from a file."""
OF_TESTS = re.compile(r"WRIT_(TEST|SOAK|BENCH|KEYBOARD)_\w+|WRIT_(REQUIRE_SERVICES|TELL_ANEW|CROWD)")
"""Variables of tests and benchmarks."""

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


EVERYBODY, OPERATORS = "everybody", "operators"

Pace = tuple[str, int, int]
"""Domain, number of letters, seconds."""
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
"""Below what these providers accept from a small sender."""


# --- validators -------------------------------------------------------------------------------------------------------


def _clean_address(text: str) -> str:
    with clubs.saying(f"“{text[:60]}” isn’t an e-mail address; one looks like alys@example.org, with commas between"):
        return addresses.clean(text)


def _split(value: object) -> object:
    return tuple(k.strip() for k in value.split(",") if k.strip()) if isinstance(value, str) else value


def _hard_to_guess(value: tuple[str, ...]) -> tuple[str, ...]:
    for n, key in enumerate(value, start=1):
        fault = weakness(key)
        if fault:
            raise ValueError(f"secret key no. {n} {fault}; {MAKE_A_KEY}")
    return value


def _a_group_or_addresses(value: tuple[str, ...]) -> tuple[str, ...]:
    if len(value) == 1 and value[0].lower() in (EVERYBODY, OPERATORS):
        return (value[0].lower(),)
    if not value:
        raise ValueError(f"the openers are {EVERYBODY}, {OPERATORS}, or e-mail addresses with commas between")
    return tuple(_clean_address(address) for address in value)


def _bare(value: str) -> str:
    parts = _split_url(value)
    if parts.scheme not in ("http", "https"):
        raise ValueError("the base URL starts with http:// or https://")
    if not parts.hostname or parts.username is not None or parts.query or parts.fragment or any(c.isspace() for c in value):
        raise ValueError("the base URL is a host and perhaps a port, such as https://writ.example.org")
    if parts.path.strip("/"):
        raise ValueError("the base URL has no path; give Writ a host name of its own, such as https://writ.example.org")
    return value.rstrip("/")


def _one_mailbox(value: str) -> str:
    if not headers.is_mailbox(value):
        raise ValueError("the sender is one address, or a name and one address, such as Writ <writ@example.org>")
    return value


def _a_database(value: str) -> str:
    if not value:
        return value
    try:
        kind = make_url(value).drivername
    except (ArgumentError, ValueError):
        kind = ""
    if kind not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise ValueError("the database URL is postgresql+psycopg://user:password@host/name, or empty for SQLite")
    return value


def _a_broker(value: str) -> str:
    if value and _split_url(value).scheme not in ("redis", "rediss", "redis+socket", "memory"):
        raise ValueError("the broker URL is redis://host:6379/0, or empty for the embedded broker")
    return value


def _a_mail_server(value: str) -> str:
    if value and (_split_url(value).scheme not in ("smtp", "smtps") or not _split_url(value).hostname):
        raise ValueError("the SMTP URL is smtp://user:password@host:587 or smtps://…, or empty for the mailbox page")
    return value


def _paces(value: object) -> object:
    return read_paces(value) if isinstance(value, str) else value


def _one_address(value: str) -> str:
    if value and not re.fullmatch(r"[A-Za-z0-9._-]{1,12}@[A-Za-z0-9.-]{1,190}", value):
        raise ValueError("the inbox is one plain address such as writ@example.org, with at most 12 characters before the @")
    return value


def _each(clean: Callable[[str], str]) -> AfterValidator:
    return AfterValidator(lambda values: tuple(map(clean, values)))


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Written with commas between."""


# --- settings ---------------------------------------------------------------------------------------------------------


class Settings(BaseSettings):
    """Each field is `WRIT_` plus its name in capitals."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, hide_input_in_errors=True)

    base_url: Annotated[str, AfterValidator(_bare)] = "http://127.0.0.1:8080"
    """Public address, part of every link."""
    secret_keys: Annotated[Words, AfterValidator(_hard_to_guess)] = ()
    """Keys that sign links and cookies and encrypt secrets, comma-separated: the first is used, all are accepted.

    Default: a key drawn at the first start and stored in the data folder.
    """
    database_url: Annotated[str, AfterValidator(_a_database)] = ""
    """SQLAlchemy URL; default: SQLite in the data folder. PostgreSQL: `postgresql+psycopg://...`."""
    broker_url: Annotated[str, AfterValidator(_a_broker)] = ""
    """`redis://...`; default: an embedded Valkey."""
    smtp_url: Annotated[str, AfterValidator(_a_mail_server)] = ""
    """`smtp://user:password@host:587` or `smtps://...`; default: a Maildir in the data folder."""
    smtp_starttls: Literal["offered", "required", "never"] = "offered"
    """STARTTLS on `smtp://`. Certificates are verified by the system's authorities or SSL_CERT_FILE."""
    smtp_insecure_login: bool = False
    """Allow the password without TLS to another machine."""
    mail_pace: Annotated[tuple[Pace, ...], NoDecode, BeforeValidator(_paces)] = PACES
    """Rate limits by the recipient's domain: `gmail.com=60/min,outlook.com=600/h`."""
    mail_from: Annotated[str, AfterValidator(_one_mailbox)] = "Writ <writ@localhost>"
    inbox: Annotated[str, AfterValidator(_one_address)] = ""
    """Address for replies and bounces; its mail server must deliver `writ+…@` there too.

    Empty: no Reply-To, and bounces are known from SMTP replies alone.
    """
    inbox_port: int = Field(default=8025, ge=0, le=65535)
    """Port on which `writ inbox` receives mail from the mail server."""
    operators: Annotated[Words, _each(_clean_address)] = ()
    """Addresses of those who run the service and see /host."""
    registration: Literal["open", "invitation", "domains"] = "open"
    """Who may register, besides operators: everybody, invited addresses, or addresses of some domains."""
    registration_domains: Annotated[Words, _each(clubs.clean_domain)] = ()
    """Domains for `registration`: `club.example`, or `.club.example` with its subdomains."""
    openers: Annotated[Words, AfterValidator(_a_group_or_addresses)] = (EVERYBODY,)
    """Who may open games, besides operators: `everybody`, `operators`, or e-mail addresses."""
    letter_slots: int = Field(default=2, ge=2, le=32)
    """Letters that the workers of a data folder send concurrently; one slot is reserved for sign-in letters."""
    most_games: int = Field(default=0, ge=0, le=10_000)
    """Unfinished games that one account may host; 0: the limit of `service.games.lobby`."""
    guests: int = Field(default=50, ge=0, le=10_000)
    """Most concurrent tables against bots of visitors without an account, if registration is open; 0: none."""
    house_name: Annotated[str, AfterValidator(clubs.clean_name)] = ""
    """Shown on every page and in every letter."""
    house_imprint: Annotated[str, AfterValidator(clubs.clean_imprint)] = ""
    """Plain text, or a page's URL."""
    house_contact: Annotated[str, AfterValidator(clubs.clean_contact)] = ""
    """An e-mail address, or a page's URL."""
    metrics_token: str = ""
    """Bearer token (secret) for /metrics; without one only this machine may read them."""
    data_folder: Path = Path("data")
    """Holds the default database, Maildir, embedded broker and drawn key."""
    port: int = Field(default=8080, ge=0, le=65535)
    proxies: int = Field(default=0, ge=0, le=5)
    """Number of trusted reverse proxies (X-Forwarded-For entries)."""
    sqlite_synchronous: Literal["FULL", "NORMAL"] = "FULL"
    """NORMAL is faster, but may lose the last commits on a power failure."""
    link_days: int = Field(default=60, ge=1, le=400)
    """Days until a link in a letter expires."""
    keep_letters_days: int = Field(default=30, ge=1, le=3650)
    """Days until sent letters' bodies and expired links are deleted."""
    pack_days: int = Field(default=30, ge=1, le=3650)
    """Days until a finished game's log is compressed."""
    hold_seconds: int = Field(default=120, ge=0, le=600)
    """Delay of a letter about the next step of a visit."""
    sweep_seconds: float = Field(default=10.0, ge=0.2, le=60)
    """Interval of the sweep for due work."""
    down_seconds: int = Field(default=90, ge=1, le=3600)
    """Without a sweep for this long the service counts as down, and all clocks stop."""

    @model_validator(mode="before")
    @classmethod
    def _environment(cls, given: dict[str, object]) -> dict[str, object]:
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

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        if self.registration == "domains" and not self.registration_domains:
            raise ValueError("WRIT_REGISTRATION=domains needs WRIT_REGISTRATION_DOMAINS, such as club.example")
        if self.registration != "domains" and self.registration_domains:
            raise ValueError("WRIT_REGISTRATION_DOMAINS counts only with WRIT_REGISTRATION=domains; set both or neither")
        if self.openers == (OPERATORS,) and not self.operators:
            raise ValueError("WRIT_OPENERS=operators needs WRIT_OPERATORS: nobody could open a game")
        return self

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def local(self) -> bool:
        """Whether the base URL is a loopback address: a local trial."""
        return self.host in LOOPBACK

    @property
    def club(self) -> clubs.Club:
        return clubs.club(self.house_name, self.house_imprint, self.house_contact)

    def may_open(self, email: str) -> bool:
        return self.openers == (EVERYBODY,) or email in self.openers or email in self.operators

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, or the drawn one."""
        return self.secret_keys or (_drawn_key(self.data_folder.resolve()),)

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.data_folder.resolve() / 'writ.db'}"

    @property
    def maildir(self) -> Path:
        return self.data_folder / "mail"

    @property
    def mail_host(self) -> str:
        return self.mail_address.rpartition("@")[2]

    @property
    def mail_address(self) -> str:
        return parseaddr(self.mail_from)[1]


def read_paces(text: str) -> tuple[Pace, ...]:
    """Parse `WRIT_MAIL_PACE`; empty: no limits. Raises ValueError."""
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
    """Raise ValueError for unknown environment variables, naming the nearest known."""
    known = [*settings, *(f"{PREFIX}{name.upper()}_FILE" for name in FROM_FILES)]
    faults = []
    for name in names:
        if name in known or OF_TESTS.fullmatch(name):
            continue
        nearest = difflib.get_close_matches(name.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in known], n=1)
        right = f"did you mean {PREFIX}{nearest[0]}?" if nearest else "docs/settings.md lists all settings"
        faults.append(f"{name[:60]} is no setting: {right}")
    if faults:
        raise ValueError("; ".join(faults))


def _read_secret(variable: str, file: Path) -> str:
    try:
        value = file.read_text("utf-8").strip()
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is no text"
        raise ValueError(f"{variable} names {file}, which can't be read: {why}") from None
    if not value:
        raise ValueError(f"{variable} names {file}, which is empty")
    return value


def weakness(key: str) -> str:
    """Fault of a key, as the rest of a sentence; empty for none."""
    if len(key) < SHORTEST_KEY:
        return f"has {len(key)} characters, and {SHORTEST_KEY} are the least"
    if len(set(key)) < LEAST_VARIETY:
        return f"has no variety: at least {LEAST_VARIETY} different characters are wanted"
    return ""


def _split_url(value: str) -> SplitResult:
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError as fault:
        raise ValueError(f"“{value.rpartition('@')[2][:60]}” is no address of a server: {fault}") from None
    return parts


@cache
def _drawn_key(folder: Path) -> str:
    make_private(folder)
    file = folder / "secret-key"
    if not file.exists():
        # Hard-linked into place, so that no process reads half a key.
        aside = folder / f"secret-key.{secrets.token_hex(8)}"
        with open(aside, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as fresh:
            fresh.write(secrets.token_hex(32))
        with contextlib.suppress(FileExistsError):
            os.link(aside, file)
        aside.unlink()
    key = file.read_text().strip()
    if fault := weakness(key):
        raise NotUnderstood(f"The secret key in {file} {fault}. Put the right one back, or {MAKE_A_KEY}")
    return key


@cache
def load() -> Settings:
    """Load the settings once, and set the umask: new files are private."""
    os.umask(0o077)
    return Settings()
