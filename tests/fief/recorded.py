"""Golden records of cases: every event with its audience, every question, and what changed in the position.

`tests/fief/recorded/CASE.txt` has a line an event, so that a changed fact of any event shows in a comparison:

    > a: move moves=[(knights=2,to=charolles)]         a move; `given` begins a variant
    ! not legal: fief.no_road a=blaye b=sigy           the code and facts of a refusal
    moved seat=a lords=[] n=2 at=blaye to=charolles    an event and its facts; `(only a b)`, `(not a)` for its audience
    c asked side D-CAV-1: neutral {at=charolles}       a question, its default and facts; its fields when they are new
    a may parley D-DIP-1: open with=[b]                an offer that is open to a seat, when it is new
    ~ what=battle at=charolles ...                     what an onlooker is shown as under way, when it is new
    + blaye.a: 2 maa                                   a line of the position that is new or has changed
    - charolles.b                                      one that is gone
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

import msgspec

from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, Option, Refused
from engine.core.views import Event
from engine.fief import FIEF
from engine.fief.rules.types import FiefState
from engine.text.notation import as_json
from tests.shape import shape

FOLDER = Path(__file__).with_name("recorded")
"""One file a case."""
ANEW = os.environ.get("WRIT_TELL_ANEW") == "1"
"""Whether to record again before comparing."""
WORD = re.compile(r"(?!(?:true|false|null)$)[A-Za-z_][^\s=]*")
UNSHOWN = ("fief", "rulings", "lords_deck", "fortune_deck", "asked")
"""Keys of a position that are long, and follow from the case or from other keys."""
COMMON = ("exchange", "parley", "grant", "cede")
"""Offers that are open nearly always: recorded only for cases that name them."""


class Record:
    """The lines of one case, from its text; `watch` is what `engine.play.cases.run` calls."""

    def __init__(self, case: str) -> None:
        self.hidden = {kind for kind in COMMON if kind not in case}
        self.lines: list[str] = []
        self.given: dict[str, list[str]] = {}
        self.position: dict[str, list[str]] = {}
        self.shown: set[str] = set()

    def watch(self, line: str, state: FiefState, news: Sequence[Event], refusal: Refused | None) -> None:
        self.lines.append(f"> {line}")
        if refusal is not None:
            said = refusal.said
            reason = f"{said.code} {facts(said.facts)}".rstrip() if said.code else str(said)
            self.lines.append(f"! {refusal.kind}: {reason}")
        self.lines += map(event, news)
        for seat in state.waiting:
            self._ask(f"{seat} asked", procedure.ask_of(state, seat), again=True)
        for seat in state.table.seats:
            for ask in offers.powers(state, FIEF.rules.powers.open(state, seat)):
                if ask.kind not in self.hidden:
                    self._ask(f"{seat} may", ask)
            for _, ask in offers.proposals(state, seat):
                self._ask(f"{seat} may answer", ask)
        for doing in FIEF.rules.view(state, None)["doing"]:
            shown = f"~ {facts(doing)}"
            if shown not in self.shown:
                self.lines.append(shown)
                self.shown.add(shown)
        FIEF.rules.decode(FIEF.rules.encode(state))  # fails for a value of another type
        self._compare(line, state)

    def _ask(self, who: str, ask: Ask, again: bool = False) -> None:
        """A question's first line and its fields where they are new in this case; `again`: else who is asked, and what."""
        head, *rest = shape(ask).split("\n")
        whole = f"{who} {head}{f' {{{facts(ask.about)}}}' if ask.about else ''}"
        fresh = [line for line in rest if f"{ask.kind}{line}" not in self.shown]
        if fresh or whole not in self.shown:
            self.lines += [whole, *fresh]
        elif again:
            self.lines.append(f"{who} {ask.kind}")
        self.shown |= {whole, *(f"{ask.kind}{line}" for line in rest)}

    def _compare(self, line: str, state: FiefState) -> None:
        """What has changed in the position; of a variant's first one, what is new after the last variant's."""
        if line == "given":
            self.position = self.given or zones(FIEF.rules.notation.read(f"fief: 1\nseats: {' '.join(state.table.seats)}"))
        before, self.position = self.position, zones(state)
        for key, values in self.position.items():
            self.lines += [f"+ {key}: {value}" for value in values if value not in before.get(key, [])]
        self.lines += [f"- {key}" for key in before if key not in self.position]
        if line == "given":
            self.given = self.position


def event(of: Event) -> str:
    """An event in a line: its kind, its facts, and who hears it where that isn't everybody."""
    only = f" (only {' '.join(of.only)})" if of.only is not None else ""
    others = f" (not {' '.join(of.but)})" if of.but else ""
    return f"{of.kind} {facts(of.facts)}".rstrip() + only + others


def facts(of: Mapping[str, object]) -> str:
    """Facts as `name=value`: words as they are, all else as JSON."""
    return " ".join(
        f"{name}={value if isinstance(value, str) and WORD.fullmatch(value) else as_json(value)}" for name, value in of.items()
    )


def read_facts(text: str) -> dict[str, Any]:
    """Facts as `facts` writes them."""
    pairs = (pair.partition("=") for pair in re.split(r" (?=\w+=)", text) if pair)
    return {name: value if WORD.fullmatch(value) else msgspec.json.decode(value) for name, _, value in pairs}


def answers() -> dict[str, list[list[Event]]]:
    """Case -> its recorded events by answer, without their audiences."""
    found: dict[str, list[list[Event]]] = {}
    for file in sorted(FOLDER.glob("*.txt")):
        groups = found[file.stem] = list[list[Event]]()
        for line in file.read_text("utf-8").splitlines():
            told = re.fullmatch(r"(\w+)((?: \w+=.*?)?)(?: \((?:only|not) .*\))?", line)
            if line.startswith("> "):
                groups.append([])
            elif told:
                groups[-1].append(Event(told[1], read_facts(told[2].strip())))
    return found


def events() -> Iterator[Event]:
    """The recorded events of all cases, without their audiences."""
    return (event for groups in answers().values() for group in groups for event in group)


def questions() -> Iterator[tuple[Ask, str, str, str]]:
    """The recorded questions of all cases, each with an option, a field of it and a choice; "" where there is none."""
    for file in sorted(FOLDER.glob("*.txt")):
        ask, option = None, ""
        for line in file.read_text("utf-8").splitlines():
            head = re.fullmatch(r"(\w) (?:asked|may|may answer) (\w+) (D-\S+): .*?(?: \{(\w+=.*)\})?", line)
            if head:
                ask, option = Ask(head[1], head[2], (), Answer(""), head[3], read_facts(head[4] or "")), ""
                yield ask, "", "", ""
            elif ask is not None and line.startswith("    ") and option:
                for field, choices in re.findall(r"(\w+)(?:\[[^\]]*\])?(?:[=<]([^?>; )]+)| \d+\.\.)", line):
                    for choice in choices.split("|"):
                        yield ask, option, field, choice.partition("*")[0]
            elif ask is not None and line.startswith("  ") and not line.startswith("    "):
                option = line.split()[0]
                ask = msgspec.structs.replace(ask, options=(Option(option),))
                yield ask, option, "", ""
            else:
                ask = None


def zones(state: FiefState) -> dict[str, list[str]]:
    """The lines of a position by their keys, without those that repeat what stands elsewhere."""
    found: dict[str, list[str]] = {}
    for line in FIEF.rules.notation.whole(state).splitlines():
        key, _, value = line.partition(": ")
        if key == "stack":
            values = msgspec.json.decode(value)
            value = f"{values.pop('type')}.{values.pop('step')} {facts({k: v for k, v in values.items() if v})}"
        if key not in UNSHOWN:
            found.setdefault(key, []).append(value)
    return found


def stays(file: Path, lines: Sequence[str]) -> list[str]:
    """How the lines differ from those of the file; `WRIT_TELL_ANEW=1` records them there first."""
    if ANEW:
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(lines) + "\n", "utf-8")
    return list(unified_diff(file.read_text("utf-8").splitlines(), lines, "recorded", "now", lineterm="", n=2))
