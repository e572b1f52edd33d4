"""Ids of rules as tests, cases and comments name them."""

from __future__ import annotations

import re
from pathlib import Path


def listed(file: Path) -> list[str]:
    """The ids of a list, one a line; lines with `#` are remarks."""
    return [line for line in file.read_text("utf-8").split("\n") if line and line[0] != "#"]


def named(text: str, areas: str) -> set[str]:
    """The ids in a text whose areas fit the pattern; `OR-POL-1, 2 and 5` names three, `D-41 to 43` too."""
    found: set[str] = set()
    for area, first, more in re.findall(rf"\b({areas})-(\d+)((?:(?:, | and | to |…|–)\d+\b)*)", text):
        last = int(first)
        found.add(f"{area}-{first}")
        for joint, number in re.findall(r"(, | and | to |…|–)(\d+)", more):
            n = int(number)
            found |= {f"{area}-{k}" for k in (range(last, n + 1) if joint in (" to ", "…", "–") else (n,))}
            last = n
    return found


def missing(ids: list[str], files: list[Path], areas: str) -> list[str]:
    """The ids that no file names."""
    found = set[str]().union(*(named(p.read_text("utf-8"), areas) for p in files))
    return [id for id in ids if id not in found]
