"""Pages for hosts, and the shell command that they install: what they name is there; settings reach it as in systemd."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import click
import pytest
import yaml

from service.ops.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs" / f"{name}.md" for name in ("containers", "debian", "installing")]
COMMAND = re.compile(r"(?:^ +|web |`|&& )writ ([a-z][a-z-]*)", re.MULTILINE)
ADMIN = ROOT / "deploy" / "writ-admin.sh"


@pytest.mark.parametrize("document", PAGES, ids=lambda file: file.stem)
def test_files_and_commands_that_a_page_names_are_there(document: Path) -> None:
    text = document.read_text("utf-8")
    files = set(re.findall(r"deploy/[\w./*-]*\w", text)) | set(
        re.findall(r"(?<![/\w])compose[\w.]*\.yaml|requirements\.txt", text)
    )
    assert files and not {name for name in files if not list(ROOT.glob(name))}
    commands = set(COMMAND.findall(text))
    assert commands and not {name for name in commands if main.get_command(click.Context(main), name) is None}


def test_the_page_lists_each_service_of_the_compose_file() -> None:
    text = (ROOT / "docs" / "containers.md").read_text("utf-8")
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(services)


def test_the_walk_has_twelve_steps() -> None:
    text = (ROOT / "docs" / "debian.md").read_text("utf-8")
    assert [int(n) for n in re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE)] == list(range(1, 13))
    assert "{$WRIT_BASE_URL:https://writ.example.org}" in (ROOT / "deploy" / "Caddyfile").read_text("utf-8"), (
        "which sed replaces"
    )


def test_the_walk_installs_all_units_and_an_upgrade_of_the_same_version() -> None:
    text = (ROOT / "docs" / "debian.md").read_text("utf-8")
    (copied,) = re.findall(r"cp (deploy/systemd/.*) /etc/systemd/system/", text)
    units = {file for pattern in copied.split() for file in ROOT.glob(pattern)}
    assert (
        units == {file for file in (ROOT / "deploy" / "systemd").iterdir() if file.suffix in (".service", ".target", ".timer")}
        and "writ-backup.timer" in text
    )
    assert all("--force-reinstall" in line for line in text.splitlines() if "install" in line and "dist/writ-" in line)


def test_the_shell_command_has_the_settings_of_the_services(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    stub = tmp_path / "bin" / "runuser"
    stub.write_text('#!/bin/sh\necho "$PWD"; echo "$WRIT_MAIL_FROM"; echo "$WRIT_DATA_FOLDER"; echo "$WRIT_INBOX"; echo "$@"\n')
    stub.chmod(0o755)
    settings = tmp_path / "env"
    settings.write_text("# comment\nWRIT_MAIL_FROM=Writ of $HOME <writ@example.org>\n\n#WRIT_INBOX=off\nlast=no setting")
    given = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "WRIT_ENV": str(settings), "WRIT_DATA_FOLDER": str(tmp_path)}
    done = subprocess.run([ADMIN, "host", "games"], env=given, capture_output=True, text=True, timeout=20, check=False)
    assert done.stdout.splitlines() == [
        str(tmp_path),
        "Writ of $HOME <writ@example.org>",
        str(tmp_path),
        "",
        "-u writ -- /opt/writ/bin/writ host games",
    ], done.stderr
