"""Counters and histograms of several processes, and what the docs, the dashboard and the alert rules say of them."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from sqlmodel import Session

from service.ops import metrics
from service.post import ledger
from service.settings import Settings
from service.store import broker, counters, shared_counters
from service.store.database import open_session, transaction
from service.store.models import Letter, new_id, now
from service.web import create_app
from tests.house import House, Sent
from tests.service.conftest import on_sqlite

ROOT = Path(__file__).parents[3]
DASHBOARD = ROOT / "deploy" / "monitoring" / "grafana.json"
RULES = ROOT / "deploy" / "monitoring" / "rules.yml"
NAME = re.compile(r"\bwrit_[a-z_]+")
OF_A_HISTOGRAM = ("_bucket", "_sum", "_count")
COUNTS = """
import os, sys
from pathlib import Path
from service.store import shared_counters
from service.settings import Settings

settings = Settings(data_folder=Path(sys.argv[1]))
shared_counters.share(settings)
from service.ops import metrics
from service.store import counters

for _ in range(3):
    child = os.fork()
    if not child:
        counters.DEFAULTS.inc()
        counters.refused("csrf")
        os._exit(0)
    os.waitpid(child, 0)
found = {one.name: one.value for metric in metrics.counted(settings) for one in metric.samples}
print(found["writ_defaults_total"], found["writ_answer_seconds_count"], metrics.refusals(settings)[0].n)
"""


def value(name: str, **labels: str) -> float:
    """What this process has counted."""
    return counters.REGISTRY.get_sample_value(name, labels) or 0.0


def figures(settings: Settings) -> str:
    with open_session(settings) as session:
        return metrics.figures(session).decode()


def served(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of all metrics, without the endings of a histogram's samples."""
    monkeypatch.setattr(broker, "lengths", lambda _settings, queues: dict.fromkeys(queues, 0))
    (settings.data_folder / "backup.json").write_text(json.dumps({"at": now().isoformat(), "path": "x", "entries": 1}))
    return {line.split(" ")[2] for line in figures(settings).splitlines() if line.startswith("# TYPE")}


def base(name: str) -> str:
    ending = next((end for end in OF_A_HISTOGRAM if name.endswith(end)), "")
    return name.removesuffix(ending)


@on_sqlite
def test_each_metric_is_documented_and_no_other(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {name for name in served(settings, monkeypatch) if not name.endswith("_created")}
    listed = set(re.findall(r"^\| `(writ_[a-z_]+)", (ROOT / "docs" / "metrics.md").read_text("utf-8"), re.M))
    assert listed == names


@on_sqlite
@pytest.mark.parametrize("file", [DASHBOARD, RULES], ids=lambda file: file.name)
def test_each_metric_of_the_dashboard_and_the_rules_is_served(
    file: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = {base(name) for name in NAME.findall(file.read_text("utf-8"))}
    assert used
    assert used - served(settings, monkeypatch) == set()


def test_the_dashboard_is_one_that_grafana_imports() -> None:
    board = json.loads(DASHBOARD.read_text("utf-8"))
    assert board["schemaVersion"] >= 36 and board["id"] is None and board["uid"] == "writ-service"
    assert [one["type"] for one in board["templating"]["list"]] == ["datasource"]
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        if panel["type"] != "row":
            assert panel["datasource"]["uid"] == "${datasource}" and panel["targets"] and panel["description"]


def test_each_rule_has_an_expression_a_time_and_a_summary() -> None:
    rules = RULES.read_text("utf-8").split("- alert:")[1:]
    assert len(rules) >= 8
    for rule in rules:
        for word in ("expr:", "for:", "severity:", "summary:", "description:"):
            assert word in rule, rule
    assert "\t" not in RULES.read_text("utf-8")


def test_processes_count_together_and_counts_outlive_them(tmp_path: Path) -> None:
    old = tmp_path / "data" / "metrics" / "of_an_earlier_run"
    old.mkdir(parents=True)
    (old / "counter_1.db").write_bytes(b"not a file of counters")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("WRIT_", "PROMETHEUS_"))}
    found = subprocess.run(
        [sys.executable, "-c", COUNTS, str(tmp_path / "data")],
        env=env | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.splitlines()[-1] == "3.0 0.0 3"
    assert not old.exists()


def test_a_program_that_starts_while_another_runs_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(data_folder=tmp_path)
    monkeypatch.setenv(shared_counters.VARIABLE, "")
    shared_counters.share(settings)
    first = Path(os.environ[shared_counters.VARIABLE])
    (first / "counter_1.db").write_bytes(b"counts")
    (first / "counter_2.db").write_bytes(b"")
    shared_counters.share(settings)
    assert os.environ[shared_counters.VARIABLE] != str(first)
    assert list(shared_counters.files(settings)) == [str(first / "counter_1.db")], "without one that is just being made"


def test_on_a_full_disk_no_file_is_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(shared_counters.VARIABLE, "")
    monkeypatch.setattr(shared_counters, "LEAST_FREE", 2**62)
    shared_counters.share(Settings(data_folder=tmp_path))
    assert shared_counters.VARIABLE not in os.environ


@on_sqlite
def test_only_what_is_committed_is_counted(settings: Settings) -> None:
    def put_off(session: Session, fails: bool = False) -> None:
        letter = Letter(to_address="a@example.org", kind="test", subject="", text="", html="", message_id=new_id())
        session.add(letter)
        session.flush()
        ledger.put_off(session, letter, "450 later")
        if fails:
            raise RuntimeError

    before = value("writ_letter_outcomes_total", outcome="deferred")
    with pytest.raises(RuntimeError), transaction(settings) as session:
        put_off(session, fails=True)
    assert value("writ_letter_outcomes_total", outcome="deferred") == before
    with transaction(settings) as session:
        put_off(session)
        put_off(session)
    assert value("writ_letter_outcomes_total", outcome="deferred") == before + 2
    with open_session(settings) as session:
        assert ledger.troubles(session, now() - timedelta(days=1)) == {"deferred": 2}
        assert ledger.troubles(session, now() + timedelta(days=1)) == {}


@on_sqlite
def test_answers_defaults_stewards_and_letters_are_counted(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, rng: random.Random
) -> None:
    names = ("writ_answer_seconds_count", "writ_adjudication_seconds_count", "writ_defaults_total", "writ_stewards_total")
    before = {name: value(name) for name in names}
    letters = value("writ_letter_outcomes_total", outcome="sent")
    house = House(settings, sent, clock, anew=True)  # sends its letters in this process
    house.answer_all(rng)
    grown = {name: value(name) - before[name] for name in names}
    assert grown["writ_answer_seconds_count"] == 2 and grown["writ_adjudication_seconds_count"] >= 1
    assert value("writ_letter_outcomes_total", outcome="sent") > letters
    late = house.asks()[0]
    assert late.falls_at is not None
    house.go_to(late.falls_at)
    assert value("writ_defaults_total") - before["writ_defaults_total"] == house.seat(late.seat).missed == 1
    for _ in range(40):
        if house.seat(late.seat).steward:
            break
        house.go_to(min(ask.falls_at for ask in house.asks() if ask.falls_at is not None))
    seats = [house.seat(seat) for seat in "ab"]
    assert value("writ_stewards_total") - before["writ_stewards_total"] == sum(bool(seat.steward) for seat in seats) > 0


@on_sqlite
def test_requests_are_counted_by_endpoint_and_no_path_is_shown(settings: Settings) -> None:
    client = create_app(settings.model_copy(update={"base_url": "http://127.0.0.1:8080"})).test_client()
    before = value("writ_requests_total", route="site.health", status="200")
    forged = value("writ_refusals_total", kind="forged_link")
    assert client.get("/healthz").status_code == 200
    assert client.get("/t/IjAxOWFiY2RlZmdoaWprbG1ub3Ai.AbCdEfGhIjKlMnOpQrStUvWxYz0").status_code == 404
    assert client.open("/no-such-page", method="PROPFIND").status_code == 404
    assert value("writ_requests_total", route="site.health", status="200") == before + 1
    assert value("writ_refusals_total", kind="forged_link") == forged + 1
    text = client.get("/metrics").text
    assert 'route="none",status="404"' in text and 'method="other"' in text
    assert "IjAxOWFiY2RlZmdoaWprbG1ub3Ai" not in text and "no-such-page" not in text and "PROPFIND" not in text


@on_sqlite
def test_no_label_names_a_game_a_seat_or_a_person(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, rng: random.Random
) -> None:
    House(settings, sent, clock).answer_all(rng)
    labels = set(re.findall(r'(\w+)="', figures(settings)))
    known = {"database", "kind", "le", "method", "outcome", "python", "queue", "route", "state", "status", "version"}
    assert labels <= known
