"""The host's page, the page of those who run the service, and the end points for machines."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from service.ops import checks, metrics
from service.ops.checks import Finding
from service.post import outgoing
from service.settings import Settings
from service.store import broker, queue
from service.store.database import open_session, transaction
from service.store.models import AskRow, EntryRow, Match, SeatRow, now
from service.web import create_app, words
from tests.service.web.conftest import Visitor, begun
from workers import faults

SOURCES = Path(__file__).parents[3] / "service"


@pytest.fixture
def game(anna: Visitor, bert: Visitor) -> str:
    return begun(anna, bert)


def entries(settings: Settings) -> list[str]:
    with open_session(settings) as session:
        return [e.move for e in session.exec(select(EntryRow).order_by(col(EntryRow.n))) if e.ask == "table"]


def test_before_the_start_the_host_s_page_leads_to_the_lobby_and_to_no_table(anna: Visitor) -> None:
    form = {"name": "Harvest war", "game": "ortus", "seats": "3", "access": "open"}
    lobby = str(anna.post("/games/new", form, follow=False).location)
    page = anna.page(f"{lobby}/host")
    assert f'<a href="{lobby}">' in page and f"{lobby}/orders" not in page


def test_the_host_moves_a_deadline_and_everybody_is_told(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    with open_session(settings) as session:
        before = {a.seat: a.due_at for a in session.exec(select(AskRow)) if a.due_at}
    page = anna.post(f"{game}/host", {"do": "extend", "seat": "b", "by": "12h"}).text
    assert "The deadline moves; the table is told." in page
    with open_session(settings) as session:
        after = {a.seat: a.due_at for a in session.exec(select(AskRow)) if a.due_at}
    assert after["a"] == before["a"] and after["b"] > before["b"]
    assert "The host moved your deadline to " in bert.page(f"{game}/history")


def test_the_host_pauses_and_goes_on_and_the_table_ends(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    assert "The table pauses." in anna.post(f"{game}/host", {"do": "pause", "days": "3"}).text
    assert "The pause is over." in anna.post(f"{game}/host", {"do": "resume"}).text
    assert "The table is asked." in anna.post(f"{game}/host", {"do": "end", "reason": "Snow."}).text
    page = anna.page(f"{game}/host")
    assert "The table votes: The game ends without a winner: Snow." in page
    (vote,) = re.findall(r'name="vote" value="([^"]+)"', page)
    assert "The proposal is taken back." in anna.post(f"{game}/host", {"do": "withdraw", "vote": vote}).text
    anna.post(f"{game}/host", {"do": "end", "reason": "Snow."})
    (path,) = set(re.findall(r'action="(/g/[^"]+/votes/[^"]+)"', bert.page(f"{game}/clock")))
    assert "Asked by the host" in anna.page(f"{game}/clock")
    for who in (bert, anna):
        who.post(path, {"choice": "yes"})
    assert [move.partition(" ")[0] for move in entries(settings)] == ["pause", "resume", "announce"]
    assert "The game ends without a winner: Snow." in bert.page(f"{game}/clock")
    assert bert.letters("notice") and "Snow." in anna.letters("notice")[-1].text
    (notice,) = re.findall(r'name="notice" value="([^"]+)"', anna.page(f"{game}/host"))
    assert "is taken back" in anna.post(f"{game}/host", {"do": "recall", "notice": notice}).text
    assert "The game goes on after all." in bert.page(f"{game}/history")


def test_a_seat_gets_its_letter_again_and_its_links_are_its_owners(game: str, anna: Visitor, bert: Visitor) -> None:
    link = bert.link("started", "t")
    assert "A copy is on its way." in anna.post(f"{game}/host", {"do": "resend", "seat": "b"}).text
    assert anna.post(f"{game}/host", {"do": "links", "seat": "b"}).status_code == 422
    assert bert.get(link).status_code == 303
    assert "All links to your seat are called back" in bert.post(f"{game}/letters/links").text
    assert bert.get(link).status_code == 410 and bert.letters("fresh_link") and not anna.letters("fresh_link")


def test_a_seat_is_announced_after_a_missed_deadline_alone(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    assert "Look for a substitute" not in anna.page(f"{game}/host")
    refused = anna.post(f"{game}/host", {"do": "replace", "seat": "b", "sure": "yes"})
    assert refused.status_code == 422 and "Bert has not missed a deadline" in refused.text
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        seat = session.get_one(SeatRow, (match.id, "b"))
        seat.steward, seat.missed = "steady", 2
        session.add(seat)
    assert "Look for a substitute" in anna.page(f"{game}/host")
    assert anna.post(f"{game}/host", {"do": "replace", "seat": "b"}).status_code == 422  # the box isn't ticked
    given = {"do": "replace", "seat": "b", "sure": "yes", "email": "gwen@example.org"}
    assert "It is announced; the table gets a letter." in anna.post(f"{game}/host", given).text
    for page in (bert.page(f"{game}/table"), bert.page(f"{game}/clock")):
        assert "I am here" in page and "gwen@example.org" not in page
    assert "I am here" not in anna.page(f"{game}/table")
    assert anna.post(f"{game}/here").status_code == 422
    assert "The seat stays yours" in bert.post(f"{game}/here").text
    assert "I am here" not in bert.page(f"{game}/table")
    assert "Bert took the seat back from the steward." in anna.page(f"{game}/history")


def test_a_player_makes_the_own_deadline_nearer_or_gives_the_seat_up(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    page = bert.post(f"{game}/nearer", {"by": "2h"}).text
    assert "Your deadline is nearer now" in page
    assert "Bert moved the deadline closer, to " in anna.page(f"{game}/history")
    assert bert.post(f"{game}/nearer", {"by": "soon"}).status_code == 422
    assert bert.post(f"{game}/give-up").status_code == 422  # the box isn't ticked
    assert "goes to somebody else" in bert.post(f"{game}/give-up", {"sure": "yes"}).text
    assert bert.get(f"{game}/table").status_code == 403
    assert "Bert gave up the seat." in anna.page(f"{game}/history")
    assert [move.partition(" ")[0] for move in entries(settings)] == ["extend", "seek"]


def test_spectators_are_asked_of_the_table_from_the_hosts_page(game: str, anna: Visitor, bert: Visitor) -> None:
    assert "The table is asked." in anna.post(f"{game}/host", {"do": "watch"}).text
    assert "Spectators may read the journal" in bert.page(f"{game}/clock")
    assert "voting on that already" in bert.post(f"{game}/votes", {"kind": "watch"}).text


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"do": "extend", "seat": "b", "by": "a while"}, "isn’t a span of time"),
        ({"do": "extend", "seat": "z", "by": "12h"}, "no seat “z”"),
        ({"do": "pause", "days": "forever"}, "A pause has an end: give it 1 to 30 days."),
        ({"do": "pause", "days": "99"}, "A pause has an end: give it 1 to 30 days."),
        ({"do": "resume"}, "doesn&#39;t pause"),
        ({"do": "end", "reason": ""}, "An end needs a reason"),
        ({"do": "extend", "seat": "b", "by": "-30d"}, "can give time, not take it"),
        ({"do": "extend", "seat": "b", "by": "-1s"}, "can give time, not take it"),
        ({"do": "recall", "notice": "nothing"}, "Nothing like that is announced"),
        ({"do": "withdraw", "vote": "nothing"}, "no such vote"),
        ({"do": "replace", "seat": "b", "sure": "yes", "email": "gwen@example.org"}, "has not missed a deadline"),
        ({"do": "links", "seat": "b"}, "Press one of the buttons"),
        ({"do": "dance"}, "Press one of the buttons"),
    ],
)
def test_what_a_host_can_not_do_says_why(
    game: str, anna: Visitor, settings: Settings, form: dict[str, object], sentence: str
) -> None:
    page = anna.post(f"{game}/host", form)
    assert page.status_code == 422 and sentence in page.text and entries(settings) == []


def test_nobody_but_the_host_has_that_page(game: str, bert: Visitor, anna: Visitor, settings: Settings) -> None:
    assert bert.get(f"{game}/host").status_code == 403
    assert bert.post(f"{game}/host", {"do": "pause", "days": "3"}).status_code == 403
    assert "For the host" in anna.page(f"{game}/table") and "For the host" not in bert.page(f"{game}/table")
    assert entries(settings) == []


def test_a_host_without_a_seat_gets_the_log_that_spectators_may_see(game: str, anna: Visitor, settings: Settings) -> None:
    anna.post(f"{game}/give-up", {"sure": "yes"})
    page = anna.page(f"{game}/host")
    assert f'href="{game}/table"' not in page and f"{game}/log.jsonl" in page
    log = anna.get(f"{game}/log.jsonl")
    assert log.status_code == 200 and '"ask":"table"' in log.text and '"ask":"deck"' not in log.text


def test_each_answer_has_its_number(anna: Visitor) -> None:
    first, second = (anna.get("/games").headers["X-Request-Id"] for _ in range(2))
    assert len(first) == 12 and first != second


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(
        update={"operators": Settings.model_validate({"operators": "Anna@Example.org, x@y.z"}).operators}
    )


def test_those_who_run_the_service_see_games_letters_and_reports(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    assert 'href="/host"' in anna.page("/games") and 'href="/host"' not in bert.page("/games")
    bert.post(f"{game}/talk", {"text": "Something rude.", "to_all": "yes", "key": "key-of-bert"})
    with open_session(settings) as session:
        from service.store.models import Message

        message = session.exec(select(Message)).one()
    anna.post(f"{game}/report/{message.id}", {"thread": message.thread_id, "why": "rude"})
    page = anna.page("/host")
    assert "Harvest war" in page and "Something rude." in page and "sent:" in page
    with open_session(settings) as session:
        from service.store.models import Report

        report = session.exec(select(Report)).one()
    assert "Something rude." not in anna.post(f"/host/reports/{report.id}").text
    assert bert.get("/host").status_code == 403


def test_machines_read_readiness_and_figures(game: str, settings: Settings) -> None:
    client = create_app(settings.model_copy(update={"base_url": "http://127.0.0.1:8080"})).test_client()
    assert client.get("/readyz").status_code in (200, 503) and "database" in client.get("/readyz").get_json()
    found = client.get("/metrics")
    assert found.status_code == 200 and 'writ_games{status="running"} 1.0' in found.text
    assert client.get("/metrics", environ_base={"REMOTE_ADDR": "203.0.113.9"}).status_code == 403


def test_figures_behind_a_token_are_read_with_it_alone(settings: Settings) -> None:
    client = create_app(settings.model_copy(update={"metrics_token": "let-me-in"})).test_client()
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer no"}).status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer let-me-in"}).status_code == 200


def test_no_seat_is_seen_by_who_only_hosts(anna: Visitor, bert: Visitor, game: str, settings: Settings) -> None:
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        row = session.get(SeatRow, (match.id, "b"))
        assert row is not None
        row.orders, row.notes = {"SO-01": "on"}, "my secret notes"
        session.add(row)
    page = anna.page(f"{game}/host")
    assert "SO-01" not in page and "my secret notes" not in page and "bert@example.org" not in page


@pytest.mark.parametrize("practice", [False, True])
def test_those_who_run_the_service_see_halted_games_and_try_again(
    practice: bool, game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    fault = faults.Fault(3, "turn")
    fault.__cause__ = RuntimeError("the hand was Pr/b/1")
    match_id = game.removeprefix("/g/")
    faults.halt(settings, match_id, fault)
    for path in ("/table", "/clock"):
        found = bert.page(game + path)
        assert "on hold" in found and "Pr/b/1" not in found
    assert "has been on hold" in anna.page(game + "/host") and "Pr/b/1" not in anna.page(game + "/host"), "the host may play"
    page = anna.page("/host")
    assert "Halted games" in page and "Pr/b/1" in page and "RuntimeError" in page
    assert bert.post(f"/host/halted/{match_id}").status_code == 403
    with transaction(settings) as session:
        session.get_one(Match, match_id).practice = practice  # tables against bots break down, too
    assert "Halted games" not in anna.post(f"/host/halted/{match_id}").text
    assert "on hold" not in bert.page(game + "/table")


# --- what operators see of the house ----------------------------------------------------------------------------------


def test_operators_see_the_settings_in_force_and_that_nothing_is_known_yet(anna: Visitor) -> None:
    page = text_of(anna.page("/host"))
    assert "No result is known yet. A worker checks every hour." in page
    assert "Who can register everybody" in page and "Unfinished games of one host at most 40" in page
    assert "Imprint not set" in page and "Last backup no backup is known" in page
    assert "Not accepted within a day: none" in page and "Refused requests None." in page
    assert "Lesson First step All steps Step by step Take a land 0 0 0 · 0" in page


def test_operators_see_a_closed_club(settings: Settings) -> None:
    closed = {"registration": "domains", "registration_domains": ("club.example",), "openers": ("operators",), "most_games": 3}
    named = {"house_name": "Club of the Rose", "house_contact": "host@club.example"}
    changed = settings.model_copy(update=closed | named)
    operator = Visitor(create_app(changed).test_client(), changed, "anna@example.org").sign_in("Anna")
    page = text_of(operator.page("/host"))
    assert "Who can register addresses of club.example" in page and "Who can open games operators only" in page
    assert "at most 3" in page and "Name Club of the Rose" in page and "Contact host@club.example" in page


def test_operators_see_the_last_checks_and_have_them_run(anna: Visitor, bert: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, bytes] = {}
    monkeypatch.setattr(broker, "keep", lambda _settings, name, text, _seconds: kept.update({name: text}))
    monkeypatch.setattr(broker, "kept", lambda _settings, name: kept.get(name))
    asked: list[str] = []
    monkeypatch.setattr(queue, "send", lambda _settings, task, *_args: asked.append(task))
    assert "The checks are running." in anna.post("/host/check").text and asked == [queue.CHECK]
    assert bert.post("/host/check").status_code == 403
    findings = [Finding("database", "ok", "it answers"), Finding("SPF", "wrong", "writ.test has <no> record")]
    checks.store(anna.settings, findings)
    page = anna.page("/host")
    assert "Checked 0 min ago. Something is wrong: SPF" in text_of(page) and "writ.test has &lt;no&gt; record" in page
    checks.store(anna.settings, findings[:1])
    assert "Nothing is wrong." in text_of(anna.page("/host"))
    kept["checks"] = b'{"of":"another version"}'
    assert "No result is known yet." in text_of(anna.page("/host"))


def test_operators_see_the_age_of_the_last_backup(anna: Visitor) -> None:
    file = anna.settings.data_folder / "backup.json"
    at = (now() - timedelta(hours=5)).replace(tzinfo=None)
    file.write_text(json.dumps({"at": at.isoformat(), "path": "/backups/writ.zip", "entries": 12}))
    assert "Last backup 5 h ago: /backups/writ.zip" in text_of(anna.page("/host"))
    file.write_text('{"at": "yesterday"}')
    assert "Last backup no backup is known" in text_of(anna.page("/host"))


def test_operators_see_refusals_by_kind_and_nothing_that_was_sent(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [metrics.Refusal("forged_link", 7, now()), metrics.Refusal("csrf", 2, now() - timedelta(days=1))]
    monkeypatch.setattr(metrics, "refusals", lambda _settings: found)
    page = text_of(anna.page("/host"))
    assert "a link with a bad signature 7 " in page and "an old form, or one from another site 2 " in page
    kinds = set(re.findall(r'refused\("(\w+)"\)', "".join(file.read_text("utf-8") for file in SOURCES.rglob("*.py"))))
    assert kinds == set(words.REFUSALS)


def text_of(page: str) -> str:
    """The words of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_operators_read_that_mail_is_held_after_a_rehearsal(anna: Visitor) -> None:
    assert "Mail is held" not in anna.page("/host")
    with transaction(anna.settings) as session:
        outgoing.hold(session)
    assert "Mail is held since this house was restored" in anna.page("/host")
    with transaction(anna.settings) as session:
        outgoing.resume(session)
    assert "Mail is held" not in anna.page("/host")
