"""SpamAssassin's score of every kind of letter of every game, by its local rules, where it is installed."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from email.policy import default
from pathlib import Path

import pytest
from sqlmodel import Session

from engine.games import GAMES
from service.common.dates import Moment
from service.games import writing
from service.people import accounts
from service.post import letters, links
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, Letter, Match, Message, SeatRow, now
from tests.service.conftest import on_sqlite
from tests.shots import written
from tests.tables import Laid, complete, laid, lay, questions
from workers.letters import delivery

pytestmark = [
    on_sqlite,
    # No service that has to be there: who installs it has the check.
    pytest.mark.skipif(shutil.which("spamassassin") is None, reason="SpamAssassin is not installed"),
]
MOST = 1.0
BETWEEN = "From writ@example.org Thu Nov 26 12:00:00 2026"
SOON = {"until": Moment(now(), utc=True), "by": "Bert"}
FACTS: dict[str, dict[str, object]] = {
    "kept": {"missed": 2, "waits": False},
    "vote": {**SOON, "about": "pause", "what": "Pause for three days?"},
    "notice": {**SOON, "about": "replace", "what": "The seat of Bert goes to somebody else.", "mine": False},
    "replaced": {"why": "table"},
    "reply_refused": {"why": "There is no answer “9”.", "wrote": "9", "again": True},
    "advance_dropped": {"words": "Pass.", "why": "You can't pass here.", "title": "Your Turn"},
    "halted": {},
    "goes_on": {},
    "talk": {"members": [], "from_name": "Bert", "to": [], "others": []},
}
"""What letters of these kinds are written from."""


def other_letters(session: Session, match: Match, seat: SeatRow, account: Account) -> Iterator[Letter]:
    """Letters of every kind that doesn't put a question."""
    owed = [letters.to_seat(session, kind, match, seat, facts) for kind, facts in FACTS.items()]
    owed += [letters.owe(session, kind, match, seat, account) for kind in ("started", "outcome")]
    owed += [letters.owe(session, kind, match, seat, account, serial=match.serial) for kind in ("reminder", "offer")]
    session.flush()
    said = Message(match_id=match.id, thread_id="", seat="b", name="Bert", text="Shall we keep peace until spring?", at=now())
    for one in writing.gather(session, owed):
        one.messages = [said] if one.letter.kind == "talk" else []
        writing.write(session.info["settings"], one)
        yield one.letter
    seat.invited_email = account.email
    link = links.invite_link(session, match, seat)
    yield letters.invitation(session, match, seat, account, link)
    yield letters.substitute(session, match, seat, link)
    yield letters.cancelled(session, match, seat, account.email)
    yield letters.fresh_link(session, match, seat, account)
    yield letters.declined(session, match, account, "bert@example.net")
    yield letters.fault_report(session, match, "olga@example.net", 7, "ZeroDivisionError")
    yield letters.to_host(session, "halted", match, account)
    yield letters.sign_in(session, account, links.sign_in_link(session, account))
    yield letters.test_letter(session, account)


def letters_of(settings: Settings, game: str, every: int) -> Iterator[tuple[str, Letter]]:
    """Letters of a game by name: of every kind, and for every so many of the questions that a recorded game came to."""
    most = GAMES[game].rules.seats[-1]
    for moment in ("start", "fight", "middle", "end"):
        yield moment, written(settings, laid(game, most, moment))
    for kind, found in list(questions(game, most).items())[::every]:
        yield f"turn {kind}", written(settings, found)
    found = laid(game, most, "middle")
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        match = session.get_one(Match, lay(session, account, found).split("/")[2])
        seat = session.get_one(SeatRow, (match.id, found.seat))
        made = list(other_letters(session, match, seat, account))
        for letter in made:
            yield letter.kind, letter
        session.rollback()
    yield "digest", digest(settings, found)


def digest(settings: Settings, found: Laid) -> Letter:
    with transaction(settings) as session:
        account = accounts.by_email(session, "alys@example.org")
        match = session.get_one(Match, lay(session, account, found).split("/")[2])
        seat = session.get_one(SeatRow, (match.id, found.seat))
        owed = letters.owe(session, "turn", match, seat, account, serial=match.serial)
        session.flush()
        (one,) = writing.gather(session, [owed])
        part = writing._board(one, links.url(settings, one.link)) | {"talk": []}
        made = letters.digest(session, account, [part], now())
        session.flush()
        session.expunge(made)
        return made


@pytest.fixture
def house(settings: Settings) -> Settings:
    more = {"base_url": "https://writ.example.org", "mail_from": "Writ <writ@example.org>", "inbox": "writ@example.org"}
    return settings.model_copy(update=more)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", complete())
def test_no_letter_reads_like_spam(house: Settings, game: str, every: int, tmp_path: Path) -> None:
    prefs = tmp_path / "prefs"
    prefs.write_text("use_bayes 0\n")
    box, names = [], []
    for name, letter in letters_of(house, game, every):
        names.append(f"{name}: {letter.subject}")
        box.append(f"{BETWEEN}\n".encode() + delivery.message(house, letter).replace(b"\r\n", b"\n") + b"\n")
    command = ["spamassassin", "--local", f"--prefspath={prefs}", "--mbox"]
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    ran = subprocess.run(command, input=b"".join(box), capture_output=True, check=True, env=env)
    marked = [email.message_from_bytes(x, policy=default) for x in re.split(f"(?m)^{BETWEEN}\n".encode(), ran.stdout)[1:]]
    assert len(marked) == len(names) > 15
    found = {}
    for name, message in zip(names, marked, strict=True):
        status = " ".join(str(message["X-Spam-Status"]).split())
        score = re.search(r"score=(-?[0-9.]+)", status)
        assert score is not None, status
        found[name] = float(score[1]), re.sub(r".*tests=(.*?) autolearn.*", r"\1", status)
    print("\n".join(f"{score:5.1f}  {name}  {rules}" for name, (score, rules) in sorted(found.items(), key=lambda x: -x[1][0])))
    assert {name: told for name, told in found.items() if told[0] > MOST} == {}
