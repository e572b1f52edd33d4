"""The mailbox page reads the Maildir as a mail reader would, and downloads are for members."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from email.message import EmailMessage
from mailbox import Maildir

import pytest

from service.settings import Settings
from service.web import create_app
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import open_game

New = Callable[[str], Visitor]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Writ as one tries it out on one's own machine."""
    return settings.model_copy(update={"base_url": "http://127.0.0.1:8080"})


def drop(settings: Settings, html: str, to: str = "anna@example.org", subject: str = "Hello", hour: int = 3) -> None:
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = "writ@localhost", to, subject
    letter["Date"] = f"Sat, 21 Nov 2026 {hour:02}:00:00 {'+' if hour % 2 else '-'}0000"
    letter.set_content(f"Read me.\n{settings.base_url}/t/abc.def\n")
    letter.add_alternative(html, subtype="html")
    Maildir(settings.maildir).add(letter)


def first(visitor: Visitor) -> str:
    found = re.search(r'href="(/mailbox/[^"?]+)"', visitor.page("/mailbox"))
    assert found is not None
    return found[1]


def test_letters_are_listed_and_opened_in_both_forms(visitor: New, settings: Settings) -> None:
    drop(settings, "<html><head></head><body><p>Read me</p></body></html>")
    drop(settings, "<html><body>x</body></html>", to="bert@example.org", subject="For Bert")
    anna = visitor("")
    assert "For Bert" in anna.page("/mailbox")
    assert "For Bert" not in anna.page("/mailbox?to=anna%40example.org").replace("bert@example.org", "")
    path = re.search(r'href="(/mailbox/[^"?]+)"', anna.page("/mailbox?to=anna%40example.org"))
    assert path is not None
    page = anna.page(path[1])
    assert "Read me." in page and 'href="/t/abc.def"' in page and "sandbox=" in page


def test_letters_stand_in_the_order_of_their_dates(visitor: New, settings: Settings) -> None:
    for hour in (5, 8, 6, 7):
        drop(settings, "<html></html>", subject=f"At {hour}", hour=hour)
    assert re.findall(r"At \d", visitor("").page("/mailbox")) == ["At 8", "At 7", "At 6", "At 5"]


def test_the_html_of_a_letter_is_let_do_nothing(visitor: New, settings: Settings) -> None:
    drop(settings, "<html><head></head><body><script>alert(1)</script><img src='https://evil.example/x.png'></body></html>")
    anna = visitor("")
    page = anna.page(first(anna))
    assert "<script>alert" not in page
    found = anna.get(first(anna) + "/html")
    policy = found.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "sandbox" in policy and "allow-scripts" not in policy
    assert "frame-ancestors 'self'" in policy and found.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "https:" not in policy


def test_broken_files_in_the_maildir_do_no_harm(visitor: New, settings: Settings) -> None:
    drop(settings, "<p>x</p>")
    (settings.maildir / "new" / "rubbish").write_bytes(b"\xff\x00\xfe" * 50)
    (settings.maildir / "new" / "header").write_bytes(b"Subject: =?utf-8?b?////?=\nDate: never\nTo: \n\n\xff")
    anna = visitor("")
    page = anna.page("/mailbox")
    for path in re.findall(r'href="(/mailbox/[^"?]+)"', page):
        assert anna.get(path).status_code == 200
        assert anna.get(path + "/html").status_code in (200, 404)


def test_with_a_mail_server_there_is_no_mailbox_page(settings: Settings) -> None:
    app = create_app(settings.model_copy(update={"smtp_url": "smtp://localhost"}))
    stranger = Visitor(app.test_client(), settings)
    assert stranger.get("/mailbox").status_code == 404
    assert 'href="/mailbox"' not in stranger.page("/")


def test_the_log_of_a_running_game_is_for_its_members(anna: Visitor, bert: Visitor, visitor: New) -> None:
    lobby = open_game(anna, seats=2)
    for early in (anna.get(lobby + "/log.jsonl"), anna.get(lobby + "/history")):
        assert early.status_code == 404 and "The game has not started" in early.text
    anna.post(lobby + "/bot", {"bot": "random", "how_many": "one"}, follow=False)
    found = anna.get(lobby + "/log.jsonl")
    assert found.status_code == 200 and found.mimetype == "application/jsonl"
    assert 'filename="writ-The-Long-Winter.jsonl"' in found.headers["Content-Disposition"]
    lines = [json.loads(line) for line in found.text.splitlines()]
    assert lines[0]["game"] == "ortus" and "seed" not in json.dumps(lines[0])
    assert bert.get(lobby + "/log.jsonl").status_code == 403
    assert visitor("").get(lobby + "/log.jsonl").location == "/sign-in"
