"""“Something is wrong here”: who is told of a report, who reads what of it, and the case file that is made of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner
from sqlmodel import select

from engine.play import cases
from service.errors import NotFound
from service.ops import host_cli
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, Match, MatchStatus, ProblemReport, SeatRow
from service.table import problems
from tests.service.web.conftest import Visitor
from tests.service.web.test_replay import over, run_on  # noqa: F401  (fixture)
from tests.tables import games, lay, stems, whole

OLGA = "olga@example.org"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"operators": (OLGA,), "base_url": "http://127.0.0.1:8080"})


def reported(who: Visitor, over: str, settings: Settings, words: str = "My Lord is in two places.") -> str:
    """The id of a report about entry 40."""
    assert "Thank you." in who.post(f"{over}/wrong", {"n": "40", "words": words}).text
    with open_session(settings) as session:
        return session.exec(select(ProblemReport)).one().id


def test_host_and_operators_get_a_letter_without_the_words(over: str, bert: Visitor, settings: Settings) -> None:
    assert f'href="{over}/wrong"' in bert.page(f"{over}/table") and f'href="{over}/wrong?n=40"' in bert.page(
        f"{over}/replay?n=40"
    )
    assert "About entry 40 of the log." in bert.page(f"{over}/wrong?n=40")
    id = reported(bert, over, settings)
    with open_session(settings) as session:
        letters = session.exec(select(Letter).where(Letter.kind == "problem")).all()
        assert {letter.to_address for letter in letters} == {"anna@example.org", OLGA}
        assert all(f"/problems/{id}" in letter.text and "two places" not in letter.text + letter.html for letter in letters)


def test_what_the_seat_saw_is_for_operators_who_do_not_sit_there(
    over: str, anna: Visitor, bert: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    run_on(settings, over)
    id = reported(bert, over, settings)
    olga, eve = visitor(OLGA).sign_in("Olga"), visitor("eve@example.org").sign_in("Eve")
    page = olga.page(f"/problems/{id}")
    assert "two places" in page and "b.hand" in page and f"writ host report {id}" in page
    assert f"/problems/{id}" in olga.page("/host")
    hosted = anna.page(f"/problems/{id}")
    assert "two places" in hosted and "b.hand" not in hosted and "Dealt with" not in hosted
    assert bert.get(f"/problems/{id}").status_code == eve.get(f"/problems/{id}").status_code == 403
    assert anna.post(f"/problems/{id}").status_code == 403
    with transaction(settings) as session:  # an operator who plays there reads no other hand
        row = session.get_one(SeatRow, (over.split("/")[2], "c"))
        row.account_id = session.exec(select(Account.id).where(Account.email == OLGA)).one()
    assert "b.hand" not in olga.page(f"/problems/{id}")
    with transaction(settings) as session:
        session.get_one(Match, over.split("/")[2]).status = MatchStatus.FINISHED
    assert "b.hand" in anna.page(f"/problems/{id}")
    assert "Dealt with." in olga.post(f"/problems/{id}").text and f"/problems/{id}" not in olga.page("/host")
    assert olga.get("/problems/nothing").status_code == 404


@pytest.mark.parametrize(
    ("n", "words", "sentence"),
    [
        ("40", " ", "Say in a few words what is wrong."),
        ("40", "x" * 2001, "at most 2000 fit"),
        ("x", "Wrong.", "is missing or broken"),
    ],
)
def test_an_unfit_report_is_refused_and_keeps_its_words(over: str, anna: Visitor, n: str, words: str, sentence: str) -> None:
    reply = anna.post(f"{over}/wrong", {"n": n, "words": words})
    assert reply.status_code == 422 and sentence in reply.text and words.strip() in reply.text


def test_an_entry_that_is_not_there_and_too_many_reports_are_refused(over: str, anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        match = session.get_one(Match, over.split("/")[2])
        for n in (999_999, -1):
            with pytest.raises(NotFound):
                problems.report(session, match, "a", n, "Wrong.")
    for _ in range(6):
        anna.post(f"{over}/wrong", {"n": "1", "words": "Wrong."})
    assert "enough of this game for a day" in anna.post(f"{over}/wrong", {"n": "1", "words": "Wrong."}).text


@pytest.mark.parametrize("game", games())
def test_a_report_becomes_a_case_that_holds(anna: Visitor, settings: Settings, game: str) -> None:
    found = whole(game, stems(game)[0])
    assert found.log is not None
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        match = session.get_one(Match, lay(session, account, found, logged=True).split("/")[2])
        for n in range(0, len(found.log.entries) + 1, max(1, len(found.log.entries) // 12)):
            row = ProblemReport(match_id=match.id, seat="a", name="Anna", n=n, words="It # fails:\ngiven", view="")
            text = problems.case(session, row, match)
            assert cases.run_text(text) == [], text
        match.status = MatchStatus.RUNNING
        running = problems.case(session, row, match)
        assert "chance:" in text and "chance:" not in running


def test_the_command_writes_a_case_and_lists_reports(
    over: str, bert: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = reported(bert, over, settings)
    monkeypatch.setattr("service.settings.load", lambda: settings)
    run = CliRunner()
    assert "entry 40" in run.invoke(host_cli.main, ["reports"]).output
    out = settings.data_folder / "found.case"
    assert "writ case" in run.invoke(host_cli.main, ["report", id, "--out", str(out)]).output
    assert run.invoke(host_cli.main, ["report", id]).output == out.read_text("utf-8")
    assert "There is no report" in run.invoke(host_cli.main, ["report", "nothing"]).output
    assert "entry 40" not in run.invoke(host_cli.main, ["reports", "--done", id]).output
