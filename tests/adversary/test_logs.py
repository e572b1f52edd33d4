"""Errors with secrets in them, provoked everywhere: nothing of that stands in what the processes write."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.ops import logs
from service.settings import Settings
from service.store import database as db
from service.store.models import Account, Match, Submission
from tests.service.conftest import Players, settings  # noqa: F401  (fixtures)

SECRETS = (
    "my-secret-note-about-Bert",
    "attack keep=hill with=army*7",
    "anna.secret@example.org",
    "IjAxYTIwMDM0YjA1ZTc2NTVhYWYxZDhiZmEwNmZkMzdkIg.sXKseD7VFPuVnHt01EFfnw_lWys",
)


class Written:
    """All that has been written: by `logging` through whatever handlers there are, by ours, and by hand."""

    def __init__(self, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
        self.caplog, self.capsys = caplog, capsys

    def __str__(self) -> str:
        out, err = self.capsys.readouterr()
        return self.caplog.text + out + err


@pytest.fixture
def written(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> Written:
    return Written(caplog, capsys)


def clean(said: str) -> None:
    for secret in (*SECRETS, "secret-note", "keep=hill", "anna.secret", "sXKseD7VFPuVnHt01EFfnw"):
        assert secret not in said, said


@pytest.fixture(autouse=True)
def configured() -> None:
    logs.configure()


def provoke(found: Settings) -> list[Exception]:
    """What the database says when secrets don't fit into it."""
    errors: list[Exception] = []

    def attempt(*rows: object, statement: str = "", **values: object) -> None:
        try:
            with db.transaction(found) as session:
                session.add_all(rows)
                session.flush()
                if statement:
                    session.execute(text(statement), values)
        except Exception as error:
            errors.append(error)

    note, move, address, token = SECRETS
    attempt(Account(email=address), Account(email=address))
    attempt(Account(email=address, name=None))  # type: ignore[arg-type]  # what the database is to refuse
    attempt(Submission(id=token[:60], match_id=note[:30], seat="a", serial=1, kind="turn", move=move, via="page", order=1))
    attempt(Match(name=note, game="ortus", host_id=token[:30], seats=2, seed=b"x", status=None))  # type: ignore[arg-type]  # likewise
    attempt(statement="UPDATE accounts SET nothing = :note WHERE email = :address", note=note, address=address)
    attempt(statement="SELECT CAST(:note AS integer) / 0, no_such_function(:move)", note=note, move=move)
    attempt(statement="INSERT INTO accounts (id, email) VALUES (:note, :address)", note=note, address=address)
    return errors


def test_what_a_database_complains_of_is_told_without_values(settings: Settings, written: Written) -> None:
    errors = provoke(settings)
    assert len(errors) >= 6 and sum(isinstance(e, DBAPIError) for e in errors) >= 5
    for error in errors:
        assert not isinstance(error, DBAPIError) or "hidden" in str(error) or not getattr(error, "params", None)
        logging.getLogger("somebody").error("It failed: %s, %r", error, error, exc_info=error)
        structlog.get_logger().error("failed", exc_info=error)
    said = str(written)
    assert said.count("\n") >= 12 and "test_logs.py" in said
    clean(said)


def test_what_any_error_quotes_is_left_out_and_its_place_told(written: Written) -> None:
    for number, secret in enumerate(SECRETS):
        try:
            try:
                dict[str, str]()[secret]
            except KeyError as first:
                raise ValueError(f"no such thing: {secret}", number) from first
        except ValueError as error:
            logging.getLogger("somebody").exception("Task raised %r", error)
            structlog.get_logger().exception("broken")
    said = str(written)
    assert said.count("ValueError") >= 8 and said.count("KeyError") >= 8 and "in test_what_any_error_quotes" in said
    clean(said)


def test_plain_errors_keep_their_words() -> None:
    try:
        getattr(None, "nothing")  # noqa: B009  (an attribute that mypy would miss)
    except AttributeError as error:
        assert logs.trace(error).endswith("AttributeError: 'NoneType' object has no attribute 'nothing'")
    assert "refused" in logs.trace(ConnectionRefusedError(111, "Connection refused"))
    assert "anna@" not in logs.trace(OSError("no mailbox for anna@example.org"))


def test_pages_that_break_log_no_form(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    written: Written,
) -> None:
    from service.people import accounts
    from service.web import create_app

    def broken(_session: object, email: str = "", *_args: object, **_named: object) -> None:
        raise ValueError(f"can't take {email} and {SECRETS[0]} and {SECRETS[1]}")

    for name in ("by_email", "ask_for_link", "sign_in_letter", "invite"):
        monkeypatch.setattr(accounts, name, broken, raising=False)
    for name in dir(accounts):
        if (
            callable(getattr(accounts, name))
            and getattr(getattr(accounts, name), "__module__", "") == "service.people.accounts"
        ):
            monkeypatch.setattr(accounts, name, broken)
    client = create_app(settings).test_client()
    client.application.config["WTF_CSRF_ENABLED"] = False
    found = client.post("/sign-in", data={"email": SECRETS[2]}, base_url=settings.base_url)
    assert found.status_code == 500
    said = str(written)
    assert "ValueError" in said
    clean(said)
    clean(found.text)


def test_tasks_that_break_log_no_more_than_ids(tmp_path: Path) -> None:
    """The real worker's own words about a task that raises, with arguments and an error that hold secrets."""
    code = f"""
import sys
from workers.app import app
import workers.tasks
@app.task(name="writ.broken")
def broken(*args, **kwargs):
    raise ValueError("can't play " + args[0])
from celery.app.trace import build_tracer
tracer = build_tracer("writ.broken", broken, app=app, eager=False)
for secret in {SECRETS!r}:
    tracer("an-id", (secret,), {{"note": secret}}, {{"id": "an-id", "args": (secret,), "argsrepr": repr(secret)}})
"""
    env = {"WRIT_DATA_FOLDER": str(tmp_path), "PATH": "/usr/bin:/bin", "WRIT_SMTP_URL": "smtp://127.0.0.1:1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("writ.broken") >= 4 and "ValueError" in done.stderr, done.stderr
    clean(done.stderr + done.stdout)
    assert all(json.loads(line) for line in done.stderr.splitlines())
