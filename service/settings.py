"""The one settings object, read from the environment (`WRIT_...`) and nowhere else."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from service.folder import make_private, private_from_now_on


class Settings(BaseSettings):
    """Everything that a host can set. Each field is the environment variable `WRIT_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="WRIT_", frozen=True)

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
    hold_seconds: int = Field(default=120, ge=0, le=600)
    """How long a letter about the next step of a visit is held back, in seconds."""
    sweep_seconds: float = Field(default=10.0, ge=0.2, le=60)
    """How often the beat looks for what is due."""
    down_seconds: int = Field(default=90, ge=1, le=3600)
    """After so many seconds without a sweep the service counts as having been down: what fell due meanwhile gets its grace."""

    @field_validator("secret_keys", "operators", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(k.strip() for k in value.split(",") if k.strip()) if isinstance(value, str) else value

    @field_validator("operators")
    @classmethod
    def _as_addresses_are_kept(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(address.lower() for address in value)

    @field_validator("base_url")
    @classmethod
    def _bare(cls, value: str) -> str:
        if not value.startswith(("http://", "https://")):
            raise ValueError("the base URL starts with http:// or https://")
        return value.rstrip("/")

    @field_validator("inbox")
    @classmethod
    def _one_address(cls, value: str) -> str:
        if value and not re.fullmatch(r"[A-Za-z0-9._-]{1,12}@[A-Za-z0-9.-]{1,190}", value):
            raise ValueError("the inbox is one plain address such as writ@example.org, with at most 12 characters before the @")
        return value

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
        return self.mail_from.rpartition("@")[2].strip("> ") or "localhost"


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
    return file.read_text().strip()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@cache
def load() -> Settings:
    """The settings of this process. Whatever it writes from now on is for its owner alone."""
    private_from_now_on()
    return Settings()
