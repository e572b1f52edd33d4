"""The systemd units: one block of hardening, commands that exist, and no complaint of systemd's own check."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import click
import pytest

from service.ops.cli import main
from service.settings import FROM_FILES, PREFIX

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "systemd"
UNITS = ("web", "worker", "beat", "inbox")
HARDENED = {
    "CapabilityBoundingSet": "",
    "NoNewPrivileges": "yes",
    "PrivateDevices": "yes",
    "PrivateTmp": "yes",
    "ProtectHome": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectSystem": "strict",
    "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
    "RestrictNamespaces": "yes",
    "SystemCallFilter": "@system-service",
    "UMask": "0077",
    "User": "writ",
}
MOST_EXPOSED = "20"
"""`systemd-analyze security`, in tenths: 0 is shut, 100 is open."""

Unit = dict[str, list[str]]


def read(file: Path) -> Unit:
    """`Section.Key` and its values: a key may be there more than once."""
    found, section = defaultdict[str, list[str]](list), ""
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals and section, f"{file.name}: {line}"
            found[f"{section}.{name}"].append(value)
    return dict(found)


@pytest.fixture(params=UNITS)
def unit(request: pytest.FixtureRequest) -> Unit:
    return read(FOLDER / f"writ-{request.param}.service")


def test_the_units_are_those_that_are_tested() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.service")) == sorted(f"writ-{name}" for name in (*UNITS, "backup"))


def test_a_unit_is_hardened_and_started_again(unit: Unit) -> None:
    assert {name: unit[f"Service.{name}"] for name in HARDENED} == {name: [value] for name, value in HARDENED.items()}
    assert unit["Service.Restart"] == ["on-failure"]
    assert unit["Service.StateDirectory"] == ["writ"] and unit["Service.StateDirectoryMode"] == ["0700"]
    assert unit["Service.Environment"] == ["WRIT_DATA_FOLDER=/var/lib/writ"]
    assert unit["Service.EnvironmentFile"] == ["/etc/writ/env"], "and without it a unit doesn't start"
    assert unit["Service.KillMode"] == ["mixed"], "SIGTERM to all would end a game while it is played"
    assert unit["Install.WantedBy"] == unit["Unit.PartOf"] == ["writ.target"]


def test_all_units_share_the_block() -> None:
    own = {"Unit.Description", "Service.ExecStart", "Service.LimitNOFILE"}
    shared = [{key: value for key, value in read(FOLDER / f"writ-{name}.service").items() if key not in own} for name in UNITS]
    assert all(one == shared[0] for one in shared)


def test_a_command_is_one_that_writ_has(unit: Unit) -> None:
    program, command, *options = unit["Service.ExecStart"][0].split()
    assert program == "/opt/writ/bin/writ"
    found = main.get_command(click.Context(main), command)
    assert found is not None and found.make_context(command, options)


def test_credentials_are_settings_that_files_give() -> None:
    extra = read(FOLDER / "credentials.conf")
    loaded = [one.partition(":")[0] for one in extra["Service.LoadCredential"]]
    assert extra["Service.Environment"] == [f"{PREFIX}{name.upper()}_FILE=%d/{name}" for name in loaded]
    assert set(loaded) <= set(FROM_FILES)


@pytest.fixture
def analysed(tmp_path: Path) -> Path:
    """The units with a program that is there in place of /opt/writ/bin/writ."""
    for file in (*FOLDER.glob("*.service"), *FOLDER.glob("*.target")):
        text = file.read_text("utf-8")
        (tmp_path / file.name).write_text(text.replace("/opt/writ/bin/writ", sys.executable))
    drop_in = tmp_path / "writ-.service.d" / "credentials.conf"
    drop_in.parent.mkdir()
    shutil.copy(FOLDER / "credentials.conf", drop_in)
    return tmp_path


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze isn't on PATH")
def test_systemd_has_nothing_to_say_against_them(analysed: Path) -> None:
    units = sorted(str(file) for file in analysed.iterdir() if file.is_file())
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    worst = [f"--threshold={MOST_EXPOSED}", "--no-pager", *(unit for unit in units if unit.endswith(".service"))]
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", *worst], capture_output=True, text=True, timeout=60, check=False
    )
    if "unrecognized option" not in done.stderr:  # before systemd 250
        assert done.returncode == 0, re.findall("→.*", done.stdout)
