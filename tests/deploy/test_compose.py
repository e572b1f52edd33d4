"""The Compose files: pinned images, health checks, read-only containers, secrets in files, an order of starting."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from service.ops.cli import main
from service.settings import FROM_FILES, PREFIX, Settings

ROOT = Path(__file__).resolve().parents[2]
WHOLE, SMALL, MAIL = ROOT / "compose.yaml", ROOT / "compose.small.yaml", ROOT / "deploy" / "compose.mail.yaml"
SCRIPT = ROOT / "deploy" / "make-secrets.sh"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
PINNED = re.compile(r"(?P<name>[a-z0-9_-]+(?:/[a-z0-9_-]+)?):[0-9]+\.[0-9]+[a-z0-9.-]*")
"""Name and version, without the host of a registry."""
SECRET = re.compile("password|secret|token|key|credential", re.IGNORECASE)
FILES = {f"{PREFIX}{name.upper()}_FILE" for name in FROM_FILES}
KNOWN = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | FILES | {"WRIT_UPSTREAM"}
"""Settings, and what the Caddyfile reads besides."""


def parsed(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return found


SERVICES = [
    pytest.param(file, name, service, id=f"{file.stem}-{name}")
    for file in (WHOLE, SMALL)
    for name, service in parsed(file)["services"].items()
]


@pytest.mark.parametrize(("file", "name", "service"), SERVICES)
def test_a_container_is_pinned_read_only_and_without_privileges(file: Path, name: str, service: dict[str, Any]) -> None:
    image = PINNED.fullmatch(service["image"])
    assert image, service["image"]
    assert service["image"] == f"writ:{VERSION}" or (image["name"] != "writ" and "build" not in service)
    assert service["read_only"] is True
    assert "no-new-privileges:true" in service["security_opt"]
    assert not {"privileged", "pid", "network_mode", "userns_mode"} & service.keys()
    if image["name"] == "writ":
        assert service["init"] is True, "as process 1 Writ would have to reap what its children leave"
        assert service["cap_drop"] == ["ALL"] and "cap_add" not in service
        assert "/tmp" in service["tmpfs"] and "user" not in service
        assert service["volumes"] == ["data:/data"]


@pytest.mark.parametrize(("file", "name", "service"), SERVICES)
def test_a_container_has_a_health_check_and_is_started_again(file: Path, name: str, service: dict[str, Any]) -> None:
    check = service["healthcheck"]
    if service["restart"] == "no":
        assert check == {"disable": True}, "what runs to its end isn't asked for its health"
        return
    assert service["restart"] == "unless-stopped"
    assert check["test"][0] == "CMD", "exec form: without a shell"
    assert set(check) == {"test", "interval", "timeout", "start_period", "retries"}


@pytest.mark.parametrize(("file", "name", "service"), SERVICES)
def test_a_container_waits_for_what_it_needs(file: Path, name: str, service: dict[str, Any]) -> None:
    others = parsed(file)["services"]
    for needed, how in service.get("depends_on", {}).items():
        match how["condition"]:
            case "service_healthy":
                assert "test" in others[needed]["healthcheck"]
            case "service_completed_successfully":
                assert others[needed]["restart"] == "no"
            case other:
                pytest.fail(f"{name} waits for {needed} to be {other}, which says nothing")


@pytest.mark.parametrize(("file", "name", "service"), SERVICES)
def test_no_secret_stands_in_the_environment(file: Path, name: str, service: dict[str, Any]) -> None:
    for variable, value in service.get("environment", {}).items():
        if variable.endswith("_FILE"):
            assert Path(value).parent == Path("/run/secrets") and Path(value).name in service["secrets"], variable
        else:
            assert not SECRET.search(variable) and "@" not in value, variable
        assert not variable.startswith(PREFIX) or variable in KNOWN, variable


@pytest.mark.parametrize(("file", "name", "service"), SERVICES)
def test_a_command_of_ours_is_one_that_writ_has(file: Path, name: str, service: dict[str, Any]) -> None:
    if not service["image"].startswith("writ:"):
        return
    command, *options = service["command"]
    found = main.get_command(click.Context(main), command)
    assert found is not None
    assert found.make_context(command, options), "click takes the options"


@pytest.mark.parametrize("file", [WHOLE, SMALL], ids=lambda file: file.stem)
def test_what_services_name_is_declared_and_used(file: Path) -> None:
    whole = parsed(file)
    services = whole["services"].values()
    for kind in ("networks", "secrets"):
        named = {one for service in services for one in service.get(kind, [])}
        assert named == set(whole.get(kind, {})), kind
    volumes = {volume.split(":")[0] for service in services for volume in service.get("volumes", [])}
    assert {volume for volume in volumes if not volume.startswith(".")} == set(whole["volumes"])
    for place in (volume for volume in volumes if volume.startswith(".")):
        assert (ROOT / place).is_file(), place


def test_only_the_proxy_is_reached_from_elsewhere() -> None:
    whole = parsed(WHOLE)
    assert whole["networks"]["inside"] == {"internal": True}
    for name, service in [*whole["services"].items(), *parsed(SMALL)["services"].items()]:
        ports = service.get("ports", [])
        assert name == "caddy" or all(port.startswith("127.0.0.1:") for port in ports), name
    assert whole["services"]["postgres"]["networks"] == whole["services"]["valkey"]["networks"] == ["inside"]
    assert whole["services"]["web"]["environment"]["WRIT_PROXIES"] == "1", "Caddy is the one proxy"


def test_the_three_processes_and_what_they_need_are_there() -> None:
    services = parsed(WHOLE)["services"]
    assert set(services) == {"web", "worker", "beat", "inbox", "migrate", "postgres", "valkey", "caddy"}
    assert [name for name, service in services.items() if service.get("profiles")] == ["inbox"]
    assert all("migrate" in services[name]["depends_on"] for name in ("web", "worker", "beat", "inbox"))


def test_the_mail_server_is_a_secret_of_the_small_one() -> None:
    extra = parsed(MAIL)
    assert set(extra["services"]) == set(parsed(SMALL)["services"])
    assert extra["services"]["writ"] == {
        "environment": {"WRIT_SMTP_URL_FILE": "/run/secrets/smtp_url"},
        "secrets": list(extra["secrets"]),
    }


def test_the_example_names_settings_alone_and_no_secrets() -> None:
    lines = (ROOT / "deploy" / "env.example").read_text("utf-8").splitlines()
    named = [line.removeprefix("#").partition("=")[0] for line in lines if re.match(r"#?[A-Z_]+=", line)]
    assert set(named) <= KNOWN and len(named) == len(set(named))
    secrets = {f"{name}_FILE" for name in named} & FILES
    assert secrets == {"WRIT_DATABASE_URL_FILE", "WRIT_BROKER_URL_FILE"}, "addresses without a password"
    assert not any(re.search("""[@'"]""", line) for line in lines if "_URL=" in line)
    assert not any(line.partition("=")[2][:1] in ("'", '"') for line in lines)


# --- make-secrets.sh --------------------------------------------------------------------------------------------------


def make_secrets(folder: Path, mail_server: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, folder / "secrets"], input=mail_server, capture_output=True, text=True, timeout=20, umask=0o077, check=False
    )


def test_the_script_makes_the_files_that_compose_reads_and_they_are_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make_secrets(tmp_path, "smtp://u:hunter2@mail.example.org:587").returncode == 0
    declared = {Path(secret["file"]) for secret in parsed(WHOLE)["secrets"].values()}
    assert {tmp_path / file for file in declared} == set((tmp_path / "secrets").iterdir())
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    for file in declared:
        assert stat.S_IMODE((tmp_path / file).stat().st_mode) == 0o644, "Compose keeps the owner and the permissions"
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    for name, value in parsed(WHOLE)["services"]["web"]["environment"].items():
        monkeypatch.setenv(name, value.replace("/run/secrets", str(tmp_path / "secrets")))
    found = Settings()
    assert found.database_url.startswith("postgresql+psycopg://writ:") and found.database_url.endswith("@postgres/writ")
    assert (tmp_path / "secrets" / "postgres_password").read_text().strip() in found.database_url
    assert found.smtp_url == "smtp://u:hunter2@mail.example.org:587"
    assert found.keys and found.metrics_token not in found.keys


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    assert make_secrets(tmp_path, "smtps://mail.example.org\n").returncode == 0
    before = {file: file.read_text() for file in (tmp_path / "secrets").iterdir()}
    assert make_secrets(tmp_path, "").returncode == 0
    assert {file: file.read_text() for file in (tmp_path / "secrets").iterdir()} == before


def test_without_a_mail_server_it_fails_and_can_be_run_again(tmp_path: Path) -> None:
    assert make_secrets(tmp_path, "").returncode != 0
    assert not (tmp_path / "secrets" / "smtp_url").exists()
    assert make_secrets(tmp_path, "smtps://mail.example.org\n").returncode == 0
