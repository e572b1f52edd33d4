"""Replay files of finished games: one HTML file that needs no network, and a transcript. Needs an app context."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from datetime import date
from functools import cache
from html import unescape
from typing import Any

from flask import render_template
from markupsafe import Markup

from engine.core.asks import Seat
from engine.language.words import say
from engine.play import match as matches
from engine.play.proof import Proof
from service.common.dates import of_date
from service.common.i18n import gettext
from service.replay import replay_copy
from service.replay.replay_copy import Copy
from service.replay.viewer import OPEN, Frame
from service.seat.seat_view import looking_back
from service.web import files
from service.web.replay.replay import hands_of, of_board, own_ids, when

APART, SPRITES = "<!--apart-->", "<!--sprites-->"
"""Markers in rendered HTML; escaping keeps them out of words."""
DRAWN, SAID = ("told", "hand", "board"), ("heading", "played")
"""Parts of an entry: HTML, and plain text."""
SHEETS = ("writ.css", "turn.css", "replay-file.css")
SCRIPTS = ("proof.js", "replay-file.js")
WIDTH = 120
"""Line length of packed boards."""
SYMBOL = re.compile(r'href="/static/([a-z]+)\.svg\?v=[0-9a-f]+#([\w-]+)"')
"""Reference to a symbol in one of the server's drawings; text never contains such an unescaped quotation mark."""
ONE = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)
INNER = re.compile(r'(\bid="|\bhref="#|url\(#)([\w-]+)')
USED = re.compile(r'\bhref="#([\w-]+)"')
OUTSIDE = re.compile(r"<link\b[^>]*>|<script\b[^>]*></script>")
STATIC = re.compile(r"url\(([a-z-]+\.(?:svg|woff2))\?v=[0-9a-f]+\)")
FACTS = ("line", "n", "due", "problem", "format", "own")
"""Placeholders in their sentences."""
FAULTS = (
    *("no_header", "wrong_format", "header_changed", "no_entry", "entry_changed"),
    *("out_of_order", "broken_chain", "wrong_hash"),
    *("no_reveal", "early_reveal", "reveal_not_read", "seed_not_read", "wrong_commitment"),
    *("wrong_seal_of_move", "wrong_seal_of_via", "wrong_draw"),
)
"""Codes of `proof.js`; the sentences are those of `writ verify`."""


def text(copy: Copy, rules: bool) -> str:
    """Transcript; `rules`: with ids of the rules that asked."""
    begin, end = (of_date(date.fromisoformat(at[:10])) for at in (copy.header.created, copy.entries[-1].at))
    return render_template(
        "pages/replay.txt",
        copy=copy,
        reader=copy.reader,
        OPEN=OPEN,
        begin=begin,
        end=end,
        chapters=replay_copy.chapters(copy),
        rules=rules,
        winners=[copy.names[seat] for seat in (copy.match.outcome or {}).get("winners", ())],
        head=head(copy),
    )


def log(copy: Copy) -> str:
    return "".join(f"{line}\n" for line in matches.to_lines(copy.header, copy.entries))


def html(copy: Copy, file_name: str) -> str:
    """Render the HTML file; `file_name`: the name under which it is saved."""
    proof, boards = Proof([*matches.to_lines(copy.header, copy.entries)]), _Boards()
    first: dict[str, str] = {}
    for frame in replay_copy.frames(copy, proof):
        parts = boards.add(_parts(copy, frame), frame)
        first = first or parts
    style, script = _style(copy.game.name), "\n".join(_static(name) for name in SCRIPTS)
    drawn = render_template(
        "pages/replay_file.html",
        copy=copy,
        reader=copy.reader,
        OPEN=OPEN,
        page=looking_back(copy.match, copy.game, _seat(copy), copy.seats, dict(copy.names), {}),
        parts={name: Markup(part) for name, part in first.items()},
        marks=replay_copy.marks(copy),
        log=replay_copy.log_of(copy),
        head=head(copy),
        file_name=file_name,
        data=[*proof.parts(), ("words", json.dumps(_words(), ensure_ascii=False)), ("boards", boards.packed())],
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        sprites=Markup(SPRITES),
    )
    return boards.inlined(drawn).replace(SPRITES, boards.sprites(), 1)


class _Boards:
    """Deduplicated lines of boards, and the symbols used."""

    def __init__(self) -> None:
        self.pieces: dict[str, int] = {}
        self.moments: list[dict[str, Any]] = []
        self.symbols: set[tuple[str, str]] = set()

    def add(self, parts: dict[str, str], frame: Frame) -> dict[str, str]:
        """Add an entry; returns its parts with symbols of this file."""
        parts = {name: self.inlined(part) for name, part in parts.items()}
        moment: dict[str, Any] = {name: self._pieces(parts[name]) for name in DRAWN}
        self.moments.append(moment | {name: unescape(parts[name]) for name in SAID} | {"lit": sorted(frame.changed)})
        return parts

    def _pieces(self, part: str) -> list[int]:
        lines = (line.strip() for line in part.split("\n"))
        return [self.pieces.setdefault(line, len(self.pieces)) for line in lines if line]

    def inlined(self, drawn: str) -> str:
        """HTML with references to symbols of this file instead of the server's, and without scripts and style sheets."""
        return SYMBOL.sub(self._named, OUTSIDE.sub("", drawn))

    def _named(self, found: re.Match[str]) -> str:
        self.symbols.add((found[1], found[2]))
        return f'href="#{found[1]}-{found[2]}"'

    def packed(self) -> str:
        """JSON, gzipped, in base64."""
        plain = json.dumps({"pieces": [*self.pieces], "moments": self.moments}, ensure_ascii=False, separators=(",", ":"))
        packed = base64.b64encode(gzip.compress(plain.encode(), 9, mtime=0)).decode()
        return "\n".join(packed[at : at + WIDTH] for at in range(0, len(packed), WIDTH))

    def sprites(self) -> str:
        """The symbols used, also by other symbols."""
        drawn, wanted = dict[tuple[str, str], str](), sorted(self.symbols)
        while wanted:
            sprite, id = one = wanted.pop()
            if one not in drawn:
                drawn[one] = INNER.sub(rf"\g<1>{sprite}-\g<2>", _symbols(sprite).get(id, ""))
                wanted += [(sprite, inner) for inner in USED.findall(_symbols(sprite).get(id, ""))]
        return (
            '<svg class="drawings" width="0" height="0" aria-hidden="true" focusable="false">'
            + "".join(drawn.values())
            + "</svg>"
        )


def _parts(copy: Copy, frame: Frame) -> dict[str, str]:
    page = looking_back(copy.match, copy.game, _seat(copy), copy.seats, dict(frame.names), frame.view)
    drawn = render_template(
        "pages/replay_moment.html",
        **of_board(page, ""),
        hands=hands_of(page, frame.hands, ""),
        own_ids=own_ids,
        frame=frame,
        copy=copy,
        played=when(frame.at, copy.reader),
        apart=Markup(APART),
    )
    return {name: part.strip() for name, part in zip((*DRAWN, *SAID), drawn.split(APART), strict=True)}


def _seat(copy: Copy) -> Seat:
    return "" if copy.reader.seat == OPEN else copy.reader.seat


def head(copy: Copy) -> str:
    return copy.entries[-1].hash if copy.entries else copy.header.hash()


def _words() -> dict[str, Any]:
    """Sentences of `replay-file.js`."""
    return {
        "formats": [*matches.FORMATS],
        "checking": gettext("Verifying …"),
        "holds": gettext("Verified"),
        "fails": gettext("Not verified"),
        "sum": gettext("Verified: {entries} entries and {draws} draws.", entries="{entries}", draws="{draws}"),
        "faults": {code: str(say(f"log.{code}", **{name: f"{{{name}}}" for name in FACTS})) for code in FAULTS},
    }


def _policy(style: str, script: str) -> str:
    """A CSP that allows only this style sheet and this script."""
    allowed = "; ".join(f"{kind}-src 'sha256-{_sha256(part)}'" for kind, part in (("style", style), ("script", script)))
    return f"default-src 'none'; {allowed}; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"


def _sha256(part: str) -> str:
    return base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()


def _static(name: str) -> str:
    found = files.file(name)
    return found.content.decode() if found is not None else ""


@cache
def _style(game: str) -> str:
    """Style sheets with fonts and pictures inlined."""
    return STATIC.sub(_inside, "".join(map(_static, (*SHEETS, f"{game}.css"))))


def _inside(named: re.Match[str]) -> str:
    found = files.file(named[1])
    assert found is not None, named[1]
    return f"url(data:{found.kind};base64,{base64.b64encode(found.content).decode()})"


@cache
def _symbols(sprite: str) -> dict[str, str]:
    return {found[1]: found[0] for found in ONE.finditer(_static(f"{sprite}.svg"))}
