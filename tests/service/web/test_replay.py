"""The board as it stood: what a seat is shown of an entry is what it was shown when that was the newest."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlmodel import select
from werkzeug.test import TestResponse

from engine.games import game_called
from service.errors import NotFound
from service.log import sharing
from service.seat import notes
from service.seat.state import shown_n, state_of
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Match, MatchStatus, MoveNote, Mute, SeatRow
from tests.replays import moment
from tests.service.web.conftest import Visitor
from tests.service.web.test_orders import end_turn, game, on_turn  # noqa: F401  (fixture)
from tests.service.web.test_replay_secrets import plain
from tests.service.web.test_statements import counted
from tests.tables import NAMES, lay, stems, whole


def views(settings: Settings) -> tuple[int, dict[str, Any]]:
    """The newest entry that may be known, and what each seat and a spectator see now."""
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        state = state_of(match)
        return shown_n(match, state), {s: game_called(match.game).rules.view(state, s or None) for s in ("a", "b", "")}


def test_an_old_board_is_the_one_that_each_seat_saw_then(
    game: str,
    anna: Visitor,
    bert: Visitor,
    settings: Settings,
) -> None:
    known = dict([views(settings)])
    for _ in range(4):
        end_turn(on_turn(settings, anna, bert)[0], game)
        n, now = views(settings)
        known[n] = now
    assert len(known) == 5
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        for n, of_all in known.items():
            for seat, view in of_all.items():
                found = moment(session, match, seat, n)
                assert found.view == view and (found.n, found.last) == (n, max(known)), (n, seat)
        assert known[max(known)]["a"] != known[min(known)]["a"]
        try:
            moment(session, match, "a", max(known) + 1)
        except NotFound as problem:
            assert "no entry" in str(problem)
        else:
            raise AssertionError("a board of an entry that there isn't")
    n = sorted(known)[1]
    with counted(settings) as sent:
        page = anna.page(f"{game}/replay?n={n}")
    assert len(sent) <= 10, sent
    assert f"Entry {n} of {max(known)}" in page and 'name="option"' not in page
    steps = re.findall(rf'href="{game}/replay\?n=(\d+)" data-step="([\w-]+)"', page)
    to = {way: int(n) for n, way in steps}
    assert to == to | {"first": 0, "prev": n - 1, "next": n + 1, "last": max(known)}
    assert f'href="{game}/replay?n={n}"' in anna.page(f"{game}/history") and f'href="{game}/replay?n=' in anna.page(
        f"{game}/table"
    )
    # Beside it stands the log, oldest first, each line a way to the board after it.
    beside = [int(at) for at in re.findall(rf'<a class="then" href="{game}/replay\?n=(\d+)"', page)]
    assert beside == sorted(beside) and n not in beside and {n - 1, n + 1} & set(beside)
    assert max(beside) <= max(known) and page.count('<li class="new" aria-current="true"') == 1
    last = re.findall(rf'class="then" href="{game}/replay\?n=(\d+)"', anna.page(f"{game}/replay"))
    assert last and max(int(at) for at in last) < max(known), "a running game opens at its newest entry"
    history = anna.page(f"{game}/history")
    assert history.count("#sh-") >= 4
    folded = re.findall(r'<details class="chapter"( open)?><summary><h2>(.+?)</h2>', history)
    assert (
        len(folded) > 2
        and folded[1] == ("", "Round 1")
        and [bool(open) for open, _ in folded] == [False] * (len(folded) - 1) + [True]
    )
    assert re.findall(r'<details class="chapter"( open)?>', anna.page(f"{game}/history?open=all")) == [" open"] * len(folded)
    assert anna.get(f"{game}/replay?n={max(known) + 1}").status_code == 404
    assert "The start</h2>" in bert.page(f"{game}/replay?n=0")


@pytest.fixture
def over(anna: Visitor, bert: Visitor, settings: Settings) -> str:
    """The address of a finished recorded game of Fief that Anna hosts at seat a and Bert plays at seat b."""
    with transaction(settings) as session:
        people = [session.exec(select(Account).where(Account.email == who.email)).one() for who in (anna, bert)]
        path = lay(session, people[0], whole("fief", "3-seats-open-diplomacy"), logged=True).removesuffix("/table")
        session.get_one(SeatRow, (path.split("/")[2], "b")).account_id = people[1].id
    return path


def run_on(settings: Settings, path: str) -> None:
    """Let the game be running still."""
    with transaction(settings) as session:
        session.get_one(Match, path.split("/")[2]).status = MatchStatus.RUNNING


def hand(page: str) -> list[str]:
    """The cards of the hand that a page of Fief shows."""
    return re.findall(r'data-value="([^"]+)"', page.partition('data-part="hand"')[2].partition("</section>")[0])


def test_a_finished_game_opens_at_its_start_and_shows_any_seat(over: str, anna: Visitor, bert: Visitor) -> None:
    assert "The start</h2>" in anna.page(f"{over}/replay")
    own, theirs = anna.page(f"{over}/replay?n=40"), anna.page(f"{over}/replay?n=40&as=b")
    assert "As you knew it then." in own and "As Baldwin knew it then." in theirs
    assert hand(theirs) == hand(bert.page(f"{over}/replay?n=40")) != hand(own)
    assert f'href="{over}/replay?n=41&amp;as=b"' in theirs, "the next step shows the same seat"
    public = anna.page(f"{over}/replay?n=40&as=public")
    assert "As spectators see it." in public and 'data-part="hand"' not in public
    opened = anna.page(f"{over}/replay?n=40&as=open")
    assert "All hands are open." in opened and opened.count('aria-label="The hand of') == 3
    ids = re.findall(r'\sid="([^"]+)"', opened)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("n=abc", 400, "is no entry of the log; write its number."),
        ("n=-1", 400, "is no entry of the log; write its number."),
        ("n=999999", 404, "There is no entry 999999"),
        ("as=z", 400, "“z” is no seat of this table."),
    ],
)
def test_a_wrong_address_gets_a_sentence(over: str, anna: Visitor, query: str, status: int, words: str) -> None:
    reply = anna.get(f"{over}/replay?{query}")
    assert reply.status_code == status and words in reply.text


def test_a_running_game_shows_no_other_view_and_nothing_to_strangers(
    over: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    run_on(settings, over)
    for view in ("b", "open", "public"):
        reply = anna.get(f"{over}/replay?n=40&as={view}")
        assert reply.status_code == 400 and "While the game runs you see it as your own seat does." in reply.text
    assert "Seen by" not in anna.page(f"{over}/replay?n=40&as=a")
    assert visitor("eve@example.org").get(f"{over}/replay?n=40").status_code == 303
    assert visitor("eve@example.org").sign_in("Eve").get(f"{over}/replay?n=40").status_code == 403


def test_hidden_names_stand_nowhere_on_the_page(over: str, anna: Visitor) -> None:
    assert "Baldwin" in anna.page(f"{over}/replay?n=60&as=open")
    hidden = anna.page(f"{over}/replay?n=60&as=open&names=hidden")
    assert not [name for name in (*NAMES.values(), "Anna", "Wessex by winter") if name in hidden]
    assert "Seat B" in hidden and f'href="{over}/replay?n=61&amp;as=open&amp;names=hidden"' in hidden


def test_without_spoilers_nothing_tells_of_what_comes_later(over: str, anna: Visitor) -> None:
    page = anna.page(f"{over}/replay?n=40&spoilers=off")
    assert "Entry 40</h2>" in page and 'max="40"' in page and 'data-step="last"' not in page and "/result" not in page
    to = {int(n) for n in re.findall(r"/replay\?n=(\d+)&amp;spoilers=off", page)}
    mine = re.findall(r'n=(\d+)&amp;spoilers=off" data-step="mine-next"', page)
    assert max(to - {int(n) for n in mine}) == 41
    assert "/result" in anna.page(f"{over}/replay?n=40")


def test_what_an_entry_changed_is_lit_on_the_board(over: str, anna: Visitor, settings: Settings) -> None:
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        n = next(n for n in range(30, 200) if moment(session, match, "a", n).changed & {"sigy", "bourg", "fort"})
        changed = moment(session, match, "a", n).changed
    board = anna.page(f"{over}/replay?n={n}").partition('data-part="board"')[2]
    tags = [tag for tag in re.findall(r"<[a-z][^<>]*>", board) if 'class="lit' in tag]
    assert tags and {re.findall(r'data-(?:value|place|seat)="([^"]+)"', tag)[0] for tag in tags} <= changed


def test_a_fragment_is_the_page_without_its_frame(over: str, anna: Visitor) -> None:
    whole_page, part = anna.page(f"{over}/replay?n=40"), anna.page(f"{over}/replay?n=40&part=1")
    assert "turn.css" not in part and "replay.js" not in part and "<title>" in part
    main = re.compile(r"<main.*</main>", re.S)
    assert plain(main.findall(part)[0]) == plain(main.findall(whole_page)[0])


def test_notes_at_a_move_are_private_or_shared(over: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    def write(who: Visitor, text: str, n: int = 40, **more: str) -> TestResponse:
        return who.post(f"{over}/replay/notes?n={n}", {"text": text, **more})

    assert "What a fool I was." in write(anna, "What a fool I was.").text
    assert "The turning point." in write(anna, "The turning point.", shared="1").text
    theirs = bert.page(f"{over}/replay?n=40")
    assert "The turning point." in theirs and "fool" not in theirs and f'href="{over}/replay?n=40">Entry 40<' in theirs
    assert "The turning point." not in bert.page(f"{over}/replay?n=41")
    assert "Entry 40</a>" not in bert.page(f"{over}/replay?n=39&spoilers=off")
    for text, words in ((" ", "The note is empty."), ("x" * 1001, "at most 1000 fit"), ("a\x01b", "can’t be shown")):
        refused = write(anna, text)
        assert refused.status_code == 422 and words in refused.text.replace("&#39;", "’").replace("can't", "can’t")
    assert write(anna, "x", n=999_998).status_code == 404
    with open_session(settings) as session:
        shared = session.exec(select(MoveNote).where(MoveNote.shared)).one()
    assert write(bert, "", delete=shared.id).status_code == 404, "another's note"
    with transaction(settings) as session:
        session.add(Mute(match_id=shared.match_id, seat="b", muted="a"))
    assert "The turning point." not in bert.page(f"{over}/replay?n=40")
    assert "The turning point." not in write(anna, "", delete=shared.id).text


def test_only_so_many_notes_fit(over: str, anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST", 1)
    anna.post(f"{over}/replay/notes?n=1", {"text": "One."})
    refused = anna.post(f"{over}/replay/notes?n=1", {"text": "Two."})
    assert refused.status_code == 422 and "delete one to write another" in refused.text


def test_a_favourite_stands_first_among_finished_games(over: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        lay(session, account, whole("mastery", stems("mastery")[0]), name="A later game", logged=True)
    later = anna.page("/games")
    assert later.index("A later game") < later.index("Wessex by winter")
    assert "first among your finished games" in anna.post(f"{over}/favourite", {"on": "1"}).text
    first = anna.page("/games").partition("Over</h2>")[2]
    assert first.index("Wessex by winter") < first.index("A later game") and "favourite" in first
    assert "favourite" not in bert.page("/games")
    anna.post(f"{over}/favourite", {})
    assert "favourite" not in anna.page("/games")
    run_on(settings, over)
    assert anna.post(f"{over}/favourite", {"on": "1"}).status_code == 400


def test_spectators_replay_the_public_view_without_what_members_read(
    over: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    anna.post(f"{over}/replay/notes?n=40", {"text": "A shared note.", "shared": "1"})
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        sharing.let_watch(session, match, True)
        key = match.watch_key
    watched = visitor("").page(f"/watch/{key}/replay?n=40&as=b")
    assert "As spectators see it." in watched and 'data-part="hand"' not in watched and "Seen by" not in watched
    for of_members in ("A shared note.", "/history", "/talk", "/wrong", " UTC"):
        assert of_members not in watched
    assert f"/watch/{key}/replay" in visitor("").page(f"/watch/{key}")
    assert visitor("").get("/watch/another-key/replay").status_code == 404


def test_before_the_start_there_is_nothing_to_look_back_at(anna: Visitor) -> None:
    path = str(
        anna.post("/games/new", {"name": "Soon", "game": "ortus", "seats": "2", "access": "open"}, follow=False).location
    )
    assert anna.get(f"{path}/replay").location == f"{path}/table"
    assert anna.get(f"{path}/wrong").status_code == 404
