"""The timer and the unit of the nightly backup: a command that exists, hardened like the other units."""

from __future__ import annotations

import re
from pathlib import Path

import click

from service.ops.host_cli import main

FOLDER = Path(__file__).resolve().parents[2] / "deploy" / "systemd"
UNIT = (FOLDER / "writ-backup.service").read_text("utf-8")
HARDENING = re.compile(r"^(?:Capability|NoNew|Lock|Private|Protect|Restrict[A-Z]|SystemCall|UMask|User|Group)\w*=.*", re.M)
"""Lines that all units share."""


def test_the_unit_runs_a_command_that_writ_has() -> None:
    program, group, command, *options = re.findall(r"^ExecStart=(.*)", UNIT, re.M)[0].split()
    assert (program, group) == ("/opt/writ/bin/writ", "host")
    found = main.get_command(click.Context(main), command)
    assert found is not None
    params = found.make_context(command, options).params
    kept_in = str(params["to"]).removeprefix("/var/lib/")
    assert params["keep"] >= 7 and f"StateDirectory=writ {kept_in}\n" in UNIT, "the unit may write there"


def test_the_unit_is_hardened_like_the_others() -> None:
    own = set(HARDENING.findall(UNIT))
    assert "ProtectSystem=strict" in own and "UMask=0077" in own
    for other in FOLDER.glob("writ-*.service"):
        assert set(HARDENING.findall(other.read_text("utf-8"))) == own, other.name


def test_the_timer_makes_up_for_a_missed_night() -> None:
    timer = (FOLDER / "writ-backup.timer").read_text("utf-8")
    assert "Persistent=true\n" in timer and "WantedBy=timers.target\n" in timer and "Type=oneshot\n" in UNIT
