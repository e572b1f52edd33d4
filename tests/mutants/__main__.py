"""`python -m tests.mutants`: the report of the last run of mutmut."""

from __future__ import annotations

from pathlib import Path

from tests.mutants.report import LIST, report, reviewed

print(report(Path("mutants"), reviewed(LIST.read_text("utf-8"))))
