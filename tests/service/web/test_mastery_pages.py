"""The boards of Medieval Mastery: page, letter and text, at every kind of step, for every number of seats."""

from __future__ import annotations

import random
import re
import secrets
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import pytest
from jinja2 import StrictUndefined, Undefined
from sqlmodel import col, select, update

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import Answer
from engine.core.chance import Chance
from engine.game import AnyState
from engine.games import GAMES
from engine.play.match import Match, start
from engine.ui.forms import Form, describe, stored
from service.games import lobby
from service.log.sharing import let_watch
from service.post.rendering import environment, render
from service.seat.seat_view import load
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, SeatRow
from service.store.models import Match as MatchRow
from tests.contract.walk import AT, NAMES, finished, header_for
from tests.mastery.scene import HAND, Scene
from tests.service.web.conftest import Visitor

GAME = GAMES["mastery"]
KINDS = {"early", "late", "fracture", "match", "conflict", "support", "discard", "arrange", "verdict", "redistribute"}
VARIANTS: dict[int, list[dict[str, Any]]] = {
    2: [{}, {"rules": ["castle_siege", "mayhem"]}],
    3: [{}, {"rules": ["cut_throat", "skirmish"]}],
    4: [{}, {"allegiance": 2, "rules": ["skirmish"]}],
    5: [{}],
    6: [{"allegiance": 3, "rules": ["mayhem", "cut_throat"]}, {}],
}


@dataclass(frozen=True)
class Position:
    """A state in which a seat is asked something of a kind."""

    n: int
    kind: str
    seat: str
    state: AnyState


def marching(state: AnyState, seat: str, rng: random.Random) -> Answer:
    """A random answer that marches when it can, and looks again after it."""
    for _ in range(6):
        answer = legal_at_random(state, seat, rng)
        if answer.option == "march" and answer.pick("target"):
            return Answer("march", {k: v for k, v in answer.values.items() if k != "then"})
    return answer


def holds(state: AnyState, seat: str) -> bool:
    return any(land.holder == seat for land in state.table.lands.values())


@cache
def positions(n: int) -> tuple[Position, ...]:
    """One position of every kind of step in games of `n` lords, well into the game where that can be had."""
    found: dict[str, Position] = {}
    for number in range(3, 40):
        header, seed = header_for(GAME, n, number)
        header.options.update(VARIANTS[n][number % len(VARIANTS[n])])
        if number % 2:  # every other game began when Fear and Vigour had a round of their own
            header.rulings["MM-ASY-4"] = "after"
        match: Match = start(header, seed)
        rng = random.Random(number)
        for at in range(140):
            if not match.state.waiting:
                break
            kind, seat = match.state.stack[-1].step, rng.choice(match.state.waiting)
            if at > 20 and kind not in found and (kind != "early" or holds(match.state, seat)):
                found[kind] = Position(n, kind, seat, GAME.rules.decode(GAME.rules.encode(match.state)))
            if set(found) >= KINDS:
                return tuple(found[k] for k in sorted(found))
            match.play(seat, marching(match.state, seat, rng), AT, "bot")
    raise AssertionError(f"{n} lords never come to {KINDS - set(found)}")


def form_of(state: AnyState, seat: str) -> dict[str, Any]:
    return stored(describe(GAME, procedure.ask_of(state, seat), NAMES, state.serial)) | {"fate": ""}


def boards(state: AnyState, seat: str) -> tuple[str, str]:
    """The board of a letter as text and as HTML."""
    view = GAME.rules.view(state, seat or None)
    context = {
        "view": view,
        "board": GAME.face.board(view, None, None),
        "names": NAMES,
        "seat": seat,
        "word": lambda id, home="": GAME.words.word(id, NAMES, home),
    }
    context["listed"] = lambda ids, home="": GAME.words.listed(ids, NAMES, home)
    text, html = (
        "".join(environment().get_template(f"mastery/{part}").render(**context) for part in parts)
        for parts in (("fight.txt", "board.txt"), ("fight_letter.html", "board_letter.html"))
    )
    return text, html


@dataclass
class Desk:
    """Anna's page, on which any position can be laid out."""

    anna: Visitor
    settings: Settings
    games: dict[int, str]

    def game(self, n: int) -> str:
        """A running game of Anna and bots."""
        if n not in self.games:
            with transaction(self.settings) as session:
                host = session.exec(select(Account).where(Account.email == self.anna.email)).one()
                match = lobby.open_match(session, host, "The Long Winter", GAME.name, n, "open")
                for _ in range(n - 1):
                    lobby.add_bot(session, match, host, "random")
                self.games[n] = match.id
        return self.games[n]

    def lay_out(self, n: int, seat: str, state: AnyState) -> str:
        """Let Anna sit at the seat and see the state; the path of her page."""
        id = self.game(n)
        with transaction(self.settings) as session:
            host = session.exec(select(Account).where(Account.email == self.anna.email)).one()
            seats = update(SeatRow).where(col(SeatRow.match_id) == id)
            session.exec(seats.values(account_id=None))
            session.exec(seats.where(col(SeatRow.seat) == seat).values(account_id=host.id))
            for row in session.exec(select(SeatRow).where(SeatRow.match_id == id)):
                row.name = NAMES[row.seat]
            match = session.get_one(MatchRow, id)
            match.snapshot, match.serial = GAME.rules.encode(state), state.serial
            match.snapshot_n = 1000 + len(state.sealed)
            session.add(match)
        return f"/g/{id}/table"

    def page(self, n: int, seat: str, state: AnyState) -> str:
        """Anna's page of the state; a name that a template doesn't know is an error there."""
        path, env = self.lay_out(n, seat, state), self.anna.client.application.jinja_env
        env.undefined = StrictUndefined
        try:
            return self.anna.page(path)
        finally:
            env.undefined = Undefined


@pytest.fixture
def desk(anna: Visitor, settings: Settings) -> Desk:
    return Desk(anna, settings, {})


def plain(page: str) -> str:
    """A page without what is drawn anew each time it is shown."""
    page = re.sub(r'name="(csrf_token|key)" value="[^"]*"', "", page)
    return re.sub(r'<input type="hidden"[^>]*>', "", page)


@pytest.mark.parametrize("n", range(2, 7))
def test_every_kind_of_step_has_its_page(desk: Desk, n: int) -> None:
    for at in positions(n):
        page = desk.page(n, at.seat, at.state)
        form, view = form_of(at.state, at.seat), GAME.rules.view(at.state, at.seat)
        assert all(f">{o['label']}<" in page for o in form["options"]), at.kind
        table = page[page.index("The map as a table") : page.index("The map as text")]
        for slot in view["map"]:
            assert f'<th scope="row">{slot["slot"]}</th>' in table
            assert f'data-slot="{slot["slot"]}"' in page and f'data-value="{slot["slot"]}"' in page
        assert page.count("<title>") == len(view["map"]) + 1
        for artefact in (a for lord in view["lords"] for a in lord["artefacts"]):
            assert all(GAME.words.word(artefact[key], NAMES, "") in page for key in ("name", "use"))
        assert "Undefined" not in page and "None" not in page


def test_support_of_a_siege_decides_the_game(desk: Desk) -> None:  # MM-OPT-8
    s = Scene(f"options: siege\na: knights=6\nB1: Forest a 1\nB2: Forest a 1\nD1: Forest a 1\na.hand: {HAND}\nb.hand: {HAND}")
    s.play("a: march target=E2 knights=6", "a: play card=Conflict5", "b: play card=Conflict2")
    assert s.scores == (11, 10) and s.asked == ["b"]
    assert "storms the castle and wins the game." in desk.page(2, "b", s.state)
    s.play("b: pass")
    assert "If nobody adds more, you storm the castle and win the game." in desk.page(2, "a", s.state)


def test_a_march_says_what_a_defeat_costs(desk: Desk) -> None:  # MM-RET-1, MM-ORB-2
    text = "a: knights=6\nB1: City b 2\n"
    said = "one knight falls for each point you are short, at least one; the rest go home"
    assert f"{said}</dd>" in desk.page(2, "a", Scene(text).state)
    more = "; one more falls to the Orb of Brutality, unless a Fracture breaks it</dd>"
    assert said + more in desk.page(2, "a", Scene(f"{text}b.artefacts: Brutality").state)


@pytest.mark.parametrize("n", range(2, 7))
def test_nobody_reads_what_is_not_his(desk: Desk, n: int) -> None:
    chance = Chance("other")
    for at in positions(n):
        other = GAME.rules.redeal(at.state, at.seat, chance)
        assert boards(at.state, at.seat) == boards(other, at.seat)
        if at.kind in ("conflict", "fracture", "verdict"):
            assert plain(desk.page(n, at.seat, at.state)) == plain(desk.page(n, at.seat, other)), at.kind
        assert boards(at.state, "") == boards(GAME.rules.redeal(at.state, None, chance), ""), "a spectator"
        assert "YOUR HAND" not in boards(at.state, "")[0]


@pytest.mark.parametrize("n", range(2, 7))
def test_letters_can_be_answered_from(n: int) -> None:
    for at in positions(n):
        text, html = boards(at.state, at.seat)
        view = GAME.rules.view(at.state, at.seat)
        at_war = any(d["what"] == "battle" for d in view["doing"])
        assert ("PLACE BY PLACE" in text) != at_war, "a letter of a battle leaves the map to the page"
        assert max(map(len, text.splitlines())) <= 78
        places = "" if at_war else text[text.index("PLACE BY PLACE") : text.index("THE LORDS")]
        for slot in view["map"] if not at_war else ():
            assert re.search(f"^  {slot['slot']} ", places, re.M), (slot["slot"], places)
            assert slot["slot"] in html
        assert not re.search(r"<(img|script|link|svg)| style=", html)
        form = msgspec.convert(form_of(at.state, at.seat), Form)
        facts = {"form": form, "board": GAME.face.board(view, form, None), "link": "x", "deadline": None, "names": NAMES}
        facts |= {
            "game": GAME.name,
            "view": view,
            "seat": at.seat,
            "word": lambda id, home="": GAME.words.word(id, NAMES, home),
        }
        question = render("_question", "txt", facts)
        if at.kind == "early":
            assert "Knights in" in question


def test_who_uses_a_crown_is_called_you_there(desk: Desk) -> None:
    at = next(at for n in range(2, 7) for at in positions(n) if at.kind == "verdict")
    (crown,) = (d for d in GAME.rules.view(at.state, at.seat)["doing"] if d["what"] == "crown")
    assert crown["seat"] == at.seat
    for said in (desk.page(at.n, at.seat, at.state), *boards(at.state, at.seat)):
        assert "You use it." in said and (crown["lord"] != at.seat or "Its aim: you." in said)
    other = next(s for s in at.state.table.seats if s != at.seat)
    assert all(f"{NAMES[at.seat]} uses it." in said for said in boards(at.state, other))


def test_numbers_begin_at_what_is_usual(desk: Desk) -> None:
    at = next(p for p in positions(4) if p.kind == "redistribute")
    form, page = form_of(at.state, at.seat), desk.page(4, at.seat, at.state)
    fields = next(o for o in form["options"] if o["id"] == "redistribute")["fields"]
    for field in fields:
        assert re.search(rf'name="f_{field["name"]}" min="1" max="{field["most"]}" value="{field["usual"]}"', page)
    assert f"In your castle: {form['about']['castle']}." in page


def test_those_who_watch_see_the_same_map_and_no_hand(desk: Desk, settings: Settings) -> None:
    at = next(p for p in positions(3) if p.kind == "support")
    desk.lay_out(3, at.seat, at.state)
    with transaction(settings) as session:
        match = session.get(MatchRow, desk.game(3))
        assert match is not None
        let_watch(session, match, True)
        key = match.watch_key
    page = desk.anna.page(f"/watch/{key}")
    assert page.count("data-slot=") == 19 and "Your hand" not in page and "The battle for" in page


def test_the_end_has_its_boards() -> None:
    state = finished(GAME, 2, 5).state
    for seat in ("a", "b", ""):
        text, html = boards(state, seat)
        assert "PLACE BY PLACE" in text and "It is the turn of" not in text + html


@pytest.mark.parametrize(("kind", "part"), [("conflict", "fight_letter"), ("early", "board_letter")])
def test_names_and_files_of_others_stay_text(kind: str, part: str) -> None:
    at = next(p for p in positions(2) if p.kind == kind)
    names = {s: f"<u>{name}</u>" for s, name in NAMES.items()}
    view = GAME.rules.view(at.state, at.seat)
    context = {
        "view": view,
        "board": GAME.face.board(view, None, None),
        "names": names,
        "seat": at.seat,
        "word": lambda id, _home="": f"<i>{id}</i>",
    }
    context["listed"] = lambda ids, _home="": f"<i>{ids}</i>"
    html = environment().get_template(f"mastery/{part}.html").render(**context)
    assert "<u>" not in html and "<i>" not in html and "&lt;u&gt;" in html


def test_a_march_by_the_form(desk: Desk, settings: Settings) -> None:
    id = desk.game(2)
    here = f"/g/{id}"
    for _ in range(40):
        with open_session(settings) as session:
            seen = load(session, session.get_one(MatchRow, id), "a")
        assert seen is not None and seen.form is not None, "the turn comes long before anybody can win"
        form = stored(seen.form)
        sent = {"key": secrets.token_hex(16), "serial": form["serial"], "kind": form["kind"]}
        if form["kind"] == "early":
            break
        assert desk.anna.post(here + "/answer", {**sent, "answer": form["default"]}).status_code == 200
    march = next(o for o in form["options"] if o["id"] == "march")
    fields = {f"f_{f['name']}": f["usual"] for f in march["fields"] if f["type"] == "number"}
    aim = next(f for f in march["fields"] if f["name"] == "target")["choices"][0]
    given = {**sent, "option": "march", **fields, "f_target": aim["id"], "f_knights": 2}
    ahead = desk.anna.post(here + "/preview", given)
    assert 'id="confirm"' in ahead.text and "In your castle:" in ahead.text
    assert re.search(rf'name="answer" value="march [^"]*\btarget={aim["id"]} knights=2\b', ahead.text)
    back = rf'{here}/table\?option=march&amp;(?:[^"]*&amp;)?target={aim["id"]}&amp;'
    assert re.search(back, ahead.text), "the way back keeps it"
    done = desk.anna.post(here + "/answer", given | {"key": secrets.token_hex(16)})
    assert done.status_code == 200 and aim["id"] in done.text
