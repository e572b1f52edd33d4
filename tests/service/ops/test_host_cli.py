"""`writ host ...` from a shell."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.exc import OperationalError
from sqlmodel import select

from service import settings as settings_
from service.games import lobby
from service.ops.cli import main
from service.people import accounts
from service.post import ledger, links
from service.settings import Settings
from service.store import database, queue
from service.store.database import open_session, transaction
from service.store.models import EntryRow, Letter, LetterStatus, Link, Match, now
from service.store.seats import seat_called
from tests.replays import finished
from tests.service.conftest import as_sent, person
from workers import adjudicate, faults

NEW_KEY = "another-key-for-tests-of-32-letters-and-more"


@pytest.fixture
def house(tmp_path: Path, empty_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A house with one game that has begun; the game's id."""
    found = Settings(
        data_folder=tmp_path / "data", secret_keys=("a-key-for-tests-of-32-letters-and-more",), sqlite_synchronous="NORMAL"
    )
    monkeypatch.setattr(settings_, "load", lambda: found)
    monkeypatch.setattr(queue, "send", lambda *_args: None)
    found.data_folder.mkdir()
    shutil.copy(empty_sqlite, found.data_folder / "writ.db")
    with transaction(found) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 2, "open")
        lobby.join(session, match, person(session, "Bert"))
    adjudicate.adjudicate(found, match.id)
    return match.id


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["host", *args])


def took(*args: str) -> str:
    ran = run(*args)
    assert ran.exit_code == 0, ran.output
    adjudicate.adjudicate(settings_.load(), _the_game())
    return ran.output


def _the_game() -> str:
    with open_session(settings_.load()) as session:
        return session.exec(select(Match.id)).first() or ""


def test_games_are_listed_with_their_waits(house: str) -> None:
    found = json.loads(took("games", "--json"))
    assert [w["seat"] for w in found["waits"]] == ["a", "b"] and found["id"] == house
    listed = took("games")
    assert listed.startswith(f"{house[:12]}  Harvest war\n  waits for a Anna, for 0 min; due by ")
    assert "\n  waits for b Bert, for 0 min; due by " in listed


def test_an_account_is_banned_and_unbanned(house: str) -> None:
    assert "Banned." in took("ban", "bert@example.org", "--why", "Threats.")
    with open_session(settings_.load()) as session:
        bert = accounts.known(session, "bert@example.org")
        assert bert.banned_at is not None and bert.banned_why == "Threats."
    for args in (("ban", "bert@example.org", "--why", "Again."), ("ban", "nobody@example.org", "--why", "Who?")):
        refused = run(*args)
        assert refused.exit_code == 1 and refused.output.count("\n") == 1 and "Traceback" not in refused.output
    assert "The ban is over" in took("unban", "bert@example.org")
    assert run("unban", "bert@example.org").output == "Error: That account isn’t banned; there is nothing to end.\n"


def test_a_private_link_in_the_reason_of_a_ban_is_revoked(house: str) -> None:
    found = settings_.load()
    with transaction(found) as session:
        match = session.exec(select(Match)).one()
        link = links.turn_link(session, match, seat_called(session, match, "a"))
        shown = links.url(found, link)
    assert "private link" in run("ban", "bert@example.org", "--why", f"He posted {shown}").output
    with open_session(found) as session:
        assert session.get_one(Link, link.id).revoked_at is not None


def test_a_game_is_looked_after(house: str) -> None:
    took("extend", house[:10], "a", "--by", "12h")
    took("pause", house, "--for", "2d")
    took("resume", house)
    took("resend", "--game", house, "--seat", "a")
    took("revoke", "--game", house, "--seat", "a")
    took("replace", house, "b", "--email", "gwen@example.org")
    assert "queued" in took("letters")
    took("end", house, "--reason", "Snow.", "--yes")
    assert "No game is running." in took("games")
    with open_session(settings_.load()) as session:
        found = session.exec(select(Letter).where(Letter.kind == "notice", Letter.to_address == "anna@example.org")).all()
        told = [letter.text for letter in as_sent(settings_.load(), found)]
        done = session.exec(select(EntryRow.actor).where(EntryRow.ask == "table")).all()
    assert len(told) == 5 and all("The people who run this service did it" in text for text in told)
    assert set(done) == {"operator"} and len(done) == 6


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("extend", "{game}", "a", "--by", "soon"), "isn’t a span of time"),
        (("extend", "nothing", "a", "--by", "1h"), "There is no game"),
        (("pause", "{game}"), "A pause has one end"),
        (("pause", "{game}", "--until", "tomorrow"), "isn’t a moment"),
        (("revoke", "--link", "nothing"), "There is no link"),
        (("revoke",), "Name one link"),
        (("resend",), "Name one letter"),
        (("resend", "nothing"), "There is no letter"),
        (("backup", "{game}/all.zip"), "can't be written"),
        (("end", "{game}", "--reason", " ", "--yes"), "needs a reason"),
        (("letter", "nothing"), "There is no letter"),
        (("reports", "--done", "nothing"), "There is no report"),
    ],
)
def test_what_can_not_be_done_says_why(house: str, args: tuple[str, ...], sentence: str) -> None:
    ran = run(*(a.format(game=house) for a in args))
    assert ran.exit_code != 0 and sentence in ran.output and "Traceback" not in ran.output


def test_an_end_is_asked_twice(house: str) -> None:
    ran = CliRunner().invoke(main, ["host", "end", house, "--reason", "Snow."], input="n\n")
    assert ran.exit_code != 0
    assert json.loads(took("games", "--json"))["id"] == house


def test_a_letter_that_came_back_is_tried_again_and_one_that_arrived_is_not(house: str) -> None:
    with transaction(settings_.load()) as session:
        back, gone = session.exec(select(Letter).where(Letter.kind == "started").order_by(Letter.seat)).all()
        back.status, gone.status = LetterStatus.BOUNCED, LetterStatus.SENT
        session.add_all((back, gone))
    took("resend", back.id)
    took("resend", gone.id)
    with open_session(settings_.load()) as session:
        assert [session.get_one(Letter, letter.id).status for letter in (back, gone)] == ["queued", "sent"]
        assert len(session.exec(select(Letter).where(Letter.seat == gone.seat, Letter.kind == "turn")).all()) == 1
    took("replace", house, "b")
    ran = run("resend", gone.id)
    assert ran.exit_code != 0 and "somebody else's now" in ran.output


def test_letters_that_are_stuck_are_listed_with_the_reason_and_a_dropped_one_says_so(house: str) -> None:
    with transaction(settings_.load()) as session:
        stuck, gone = session.exec(select(Letter).where(Letter.kind == "started").order_by(Letter.seat)).all()
        stuck.attempts = 1
        ledger.put_off(session, stuck, "451 try again later")
        gone.status = LetterStatus.DROPPED
        session.add(gone)
    listed = took("letters")
    assert re.search(rf"  {stuck.id}  started, attempts: 1, next at .+: 451 try again later\n", listed)
    assert gone.id not in listed
    assert "451 try again later" in took("letter", stuck.id)
    assert "dropped before it was sent" in took("letter", gone.id)


def test_a_database_that_is_not_there_yet_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Settings(data_folder=tmp_path / "bare", secret_keys=("a-key-for-tests-of-32-letters-and-more",))
    monkeypatch.setattr(settings_, "load", lambda: bare)
    for command in (("games",), ("letters",), ("backup", str(tmp_path / "all.zip"))):
        ran = run(*command)
        assert ran.exit_code == 1 and "writ migrate" in ran.output and "Traceback" not in ran.output


@pytest.mark.parametrize(
    ("words", "advice"), [("database is locked", "Another program holds it"), ("no such table: x", "migrate")]
)
def test_what_to_do_about_the_database_is_said(house: str, words: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_settings: Settings) -> None:
        raise OperationalError("", None, sqlite3.OperationalError(words))

    monkeypatch.setattr(database, "open_session", fails)
    said = run("games").output
    assert said.startswith(f"Error: The database can't be used: {words}.") and advice in said


def test_everything_is_backed_up_and_restored(house: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "tables are in all.zip" in took("backup", str(tmp_path / "all.zip"))
    assert "“Harvest war” is in game.zip" in took("export", house, str(tmp_path / "game.zip"))
    assert run("import", str(tmp_path / "game.zip")).exit_code != 0  # it is here already
    other = Settings(
        data_folder=tmp_path / "other",
        secret_keys=(NEW_KEY,),
        sqlite_synchronous="NORMAL",
    )
    monkeypatch.setattr(settings_, "load", lambda: other)
    refused = run("restore", str(tmp_path / "all.zip"))
    assert refused.exit_code == 1 and "put that key into WRIT_SECRET_KEYS" in refused.output
    other = other.model_copy(update={"secret_keys": (NEW_KEY, "a-key-for-tests-of-32-letters-and-more")})
    assert "tables are back." in took("restore", str(tmp_path / "all.zip"))
    assert "values are encrypted with the first key now." in took("reencrypt")
    other = other.model_copy(update={"secret_keys": (NEW_KEY,)})
    assert json.loads(took("games", "--json"))["id"] == house


def test_a_dead_address_is_changed_once_the_new_one_agrees(house: str) -> None:
    assert "Letters to anna@example.org arrive" in run("address", "anna@example.org", "anna@new.example").output
    assert run("address", "gwen@example.org", "anna@new.example").exit_code == 1
    with transaction(settings_.load()) as session:
        account = accounts.known(session, "anna@example.org")
        account.bounced_at = now()
        session.add(account)
    assert "isn’t an e-mail address" in run("address", "anna@example.org", "nonsense").output
    assert "A letter is on its way to anna@new.example" in took("address", "anna@example.org", "anna@new.example")
    with open_session(settings_.load()) as session:
        assert accounts.known(session, "anna@example.org").bounced_at is not None, "not yet"
        assert session.exec(select(Letter).where(Letter.kind == "address_new")).one().to_address == "anna@new.example"


def test_a_person_is_erased_after_a_question(house: str) -> None:
    assert "Nobody with that address" in run("erase", "gwen@example.org").output
    asked = CliRunner().invoke(main, ["host", "erase", "anna@example.org"], input="n\n")
    assert asked.exit_code == 1 and "for good?" in asked.output
    assert "What logs of games hold of the name stays" in took("erase", "anna@example.org", "--yes")
    assert run("erase", "anna@example.org", "--yes").exit_code == 1


def test_a_halted_game_is_listed_and_tried_again(house: str) -> None:
    assert "No game is halted." in took("halted")
    assert run("retry", house).exit_code == 1 and "isn't halted" in run("retry", house).output
    try:
        raise LookupError("no such step")
    except LookupError as problem:
        fault = faults.Fault(7, "turn")
        fault.__cause__ = problem
    faults.halt(settings_.load(), house, fault)
    listed = run("halted").output
    assert house in listed and "after entry 7 in the step turn: LookupError" in listed and "no such step" in listed
    assert "goes on" in took("retry", house[:12])
    assert "No game is halted." in took("halted")


def test_a_halted_game_is_tried_again_in_a_trial(house: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults.halt(settings_.load(), house, faults.Fault(7, "turn"))
    file = tmp_path / "game.zip"
    assert run("export", house, str(file)).exit_code == 0
    trial = settings_.load().model_copy(update={"data_folder": tmp_path / "trial"})
    trial.data_folder.mkdir()
    monkeypatch.setattr(settings_, "load", lambda: trial)
    migrated = CliRunner().invoke(main, ["migrate"])
    assert migrated.exit_code == 0, migrated.output
    assert house in took("import", str(file))
    assert "after entry 7 in the step turn" in took("halted")
    took("retry", house)
    assert "No game is halted." in took("halted")


def test_a_finished_game_is_written_into_files_to_pass_on(house: str, tmp_path: Path) -> None:
    refused = run("replay", house, "--out", str(tmp_path / "x.html"))
    assert refused.exit_code == 1 and refused.output == "Error: There is a replay file when the game is over.\n"
    with transaction(settings_.load()) as session:
        path = finished(session, accounts.known(session, "anna@example.org"), "ortus", "3-earls-last-falls-by-concession")
    game = path.removeprefix("/g/")
    for name, more in (
        ("a.html", ()),
        ("b.html", ("--as", "b", "--names", "hidden")),
        ("c.jsonl", ()),
        ("d.jsonl", ("--for", "table")),
    ):
        ran = run("replay", game, "--out", str(tmp_path / name), *more)
        assert ran.exit_code == 0 and "`writ verify` checks it" in ran.output, ran.output
        verified = CliRunner().invoke(main, ["verify", str(tmp_path / name)])
        assert verified.exit_code == 0 and "won." in verified.output, verified.output
        assert (":00Z" in (tmp_path / name).read_text()) == (name == "d.jsonl")
    nowhere = run("replay", game, "--out", str(tmp_path / "nowhere" / "x.txt"))
    assert nowhere.exit_code == 1 and nowhere.output.endswith("x.txt can't be used: No such file or directory.\n")
    assert run("replay", game, "--out", str(tmp_path / "e.txt"), "--as", "public", "--rules").exit_code == 0
    assert re.search(r"\[D-\d+\]\n", (tmp_path / "e.txt").read_text())
    for args in (("--out", "x.pdf"), ("--out", "x.html", "--as", "z")):
        refused = run("replay", game, *args)
        assert refused.exit_code == 1 and refused.output.startswith("Error: ") and refused.output.count("\n") == 1
    assert "replay" in run("--help").output
