"""Replays for strangers: only of finished games, only by everybody's word, and without what is the table's own."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlmodel import Session, select

from service.log import sharing
from service.log.entries import stored_entries
from service.seat import notes
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Letter, Match, MatchStatus, SeatRow, Vote, VoteStatus, now
from service.table import talk
from tests.service.web.conftest import Visitor, begun
from tests.service.web.test_replay import over, run_on  # noqa: F401  (fixture)
from tests.tables import NAMES

New = Callable[[str], Visitor]


def match_of(session: Session, path: str) -> Match:
    return session.get_one(Match, path.split("/")[2])


def shared(settings: Settings, path: str) -> tuple[str, str]:
    """Both addresses of a game that is shared now, with names and without."""
    with transaction(settings) as session:
        match = match_of(session, path)
        sharing.let_share(session, match, True)
        return f"/watch/{match.watch_key}/replay", f"/watch/{sharing.nameless_key(match)}/replay"


def ask(who: Visitor, path: str, do: str, settings: Settings) -> str:
    with open_session(settings) as session:
        vote = session.exec(select(Vote.id).where(Vote.status == VoteStatus.OPEN)).first() or ""
    return who.post(f"{path}/replay/share?n=40", {"do": do, "vote": vote}).text


def test_by_default_no_stranger_sees_a_finished_game(
    over: str,
    anna: Visitor,
    visitor: New,
    settings: Settings,
) -> None:
    page = anna.page(f"{over}/replay?n=40")
    assert "opens for the players of this table alone" in page and "/watch/" not in page
    with open_session(settings) as session:
        match = match_of(session, over)
        assert not match.shared and match.watch_key == "" and match.nameless_mark == ""
    assert visitor("").get(f"{over}/replay?n=40").status_code == 303
    assert visitor("").get("/watch/x/replay").status_code == 404


def test_all_who_sit_there_must_agree(
    over: str,
    anna: Visitor,
    bert: Visitor,
    visitor: New,
    settings: Settings,
) -> None:
    with transaction(settings) as session:  # who is kept by a steward has a word on the own name, too
        session.get_one(SeatRow, (over.split("/")[2], "b")).steward = "steady"
    assert "The others are asked." in ask(anna, over, "ask", settings)
    assert "1 of 2 have agreed" in anna.page(f"{over}/replay?n=40")
    letter = bert.letters("vote")[-1]
    assert "Anyone with the link may see the replay" in letter.text and "a vote on sharing the replay" in letter.subject
    assert "Anyone with the link may see the replay" in bert.page(f"{over}/clock"), "where the letter leads"
    with open_session(settings) as session:
        assert match_of(session, over).watch_key == ""
    answer = ask(bert, over, "yes", settings)
    assert "All have agreed: the replay is shared." in answer
    with_names, without = re.findall(r'readonly value="http://writ.test(/watch/[^"]+)"', answer)
    assert "n=40" in with_names and "as=b" in with_names
    eve = visitor("")
    assert "Entry 40 of" in eve.page(with_names.replace("&amp;", "&")) and "Entry 40 of" in eve.page(
        without.replace("&amp;", "&")
    )
    refused = anna.post(f"{over}/replay/share", {"do": "ask"})
    assert "The replay is shared already." in refused.text


def test_one_no_keeps_it_closed_and_a_proposal_can_be_withdrawn(
    over: str,
    anna: Visitor,
    bert: Visitor,
    settings: Settings,
) -> None:
    ask(anna, over, "ask", settings)
    assert "the replay stays the players’." in ask(bert, over, "no", settings)
    ask(anna, over, "ask", settings)
    assert "The proposal is taken back." in ask(anna, over, "withdraw", settings)
    assert "no such vote" in anna.post(f"{over}/replay/share", {"do": "yes", "vote": "x"}).text
    assert "Press one of the buttons" in anna.post(f"{over}/replay/share", {"do": "dance"}).text
    with open_session(settings) as session:
        assert not match_of(session, over).shared


def test_any_player_closes_it_and_the_old_addresses_stay_dead(
    over: str,
    anna: Visitor,
    bert: Visitor,
    visitor: New,
    settings: Settings,
) -> None:
    first = shared(settings, over)
    assert "its links no longer work" in ask(bert, over, "close", settings)
    eve = visitor("")
    assert [eve.get(path).status_code for path in first] == [404, 404]
    ask(anna, over, "ask", settings)
    ask(bert, over, "yes", settings)
    assert [eve.get(path).status_code for path in first] == [404, 404]
    assert anna.page(f"{over}/replay").count("/watch/") == 2
    assert eve.post(f"{over}/replay/share", {"do": "close"}, follow=False).status_code == 303, "to the sign-in"
    with open_session(settings) as session:
        assert match_of(session, over).shared


def test_a_running_games_replay_opens_for_no_stranger(
    over: str,
    anna: Visitor,
    visitor: New,
    settings: Settings,
) -> None:
    paths = shared(settings, over)
    run_on(settings, over)
    eve = visitor("")
    for path in paths:
        for query in ("", "?n=40", "?n=40&as=b", "?n=40&as=open&part=1"):
            assert eve.get(path + query).status_code == 404
        assert eve.get(path.removesuffix("/replay")).status_code == 404
    assert "/watch/" not in anna.page(f"{over}/replay?n=40")
    assert "when the game is over" in ask(anna, over, "ask", settings)
    with transaction(settings) as session:
        match = match_of(session, over)
        sharing.let_watch(session, match, True)
        key = match.watch_key
    for view in ("b", "open", "public"):
        page = eve.page(f"/watch/{key}/replay?n=40&as={view}")
        assert "As spectators see it." in page and 'data-part="hand"' not in page and "Seen by" not in page
    with open_session(settings) as session:
        assert eve.get(f"/watch/{sharing.nameless_key(match_of(session, over))}/replay").status_code == 404


def test_spectators_of_a_finished_game_see_the_public_view_alone(
    over: str,
    visitor: New,
    settings: Settings,
) -> None:
    with transaction(settings) as session:
        match = match_of(session, over)
        sharing.let_watch(session, match, True)
        key = match.watch_key
        assert match.nameless_mark == ""
    page = visitor("").page(f"/watch/{key}/replay?n=40&as=open")
    assert "As spectators see it." in page and "Seen by" not in page


SECRETS = (
    "Meet me at the bridge.",
    "A note for the table.",
    "A private note.",
    "The seat's notes.",
    "@example.org",
    "You broke your word!",
)


@pytest.fixture
def full(
    over: str,
    settings: Settings,
) -> str:
    """The finished game, with something of each kind that strangers must not read."""
    with transaction(settings) as session:
        match = match_of(session, over)
        talk.say(session, match, "a", "b", SECRETS[0], "k" * 32)
        notes.put(session, match, "a", 40, SECRETS[1], True)
        notes.put(session, match, "a", 40, SECRETS[2], False)
        session.get_one(SeatRow, (match.id, "a")).notes = SECRETS[3]
        session.add(
            Vote(
                match_id=match.id,
                kind="end",
                facts={"reason": SECRETS[5]},
                by_seat="a",
                status=VoteStatus.CARRIED,
                closes_at=now(),
            )
        )
    return over


def test_a_page_for_strangers_has_nothing_that_is_the_tables_own(
    full: str, anna: Visitor, visitor: New, settings: Settings
) -> None:
    member = anna.page(f"{full}/replay?n=40")
    assert SECRETS[1] in member and SECRETS[2] in member, "there to be found"
    with_names, without = shared(settings, full)
    with open_session(settings) as session:
        match = match_of(session, full)
        entries = stored_entries(session, match.id)
        people = [row.account_id for row in session.exec(select(SeatRow)) if row.account_id]
        own = [match.id, *people]
    ways = {entry.via for entry in entries} - {None, ""}
    times = {entry.at for entry in entries}
    eve = visitor("")
    for path in (with_names, without):
        for query in ("", "?n=40", "?n=40&as=a", "?n=41&as=b&part=1", "?n=200&as=open", "?n=200&spoilers=off"):
            reply = eve.get(path + query)
            page = reply.text
            assert reply.status_code == 200
            assert reply.headers["X-Robots-Tag"] == "noindex, nofollow" and reply.headers["Referrer-Policy"] == "no-referrer"
            assert not [secret for secret in (*SECRETS, *own, *times) if secret in page], query
            assert not re.search(r"\b\d{1,2}:\d{2}\b|\d{4}-\d\d-\d\dT", page), "no time finer than a day"
            assert not [way for way in ways if re.search(rf"\b{way}\b", re.sub(r"<[^>]*>", " ", page))], "how an answer came"
            for of_members in (
                "/g/",
                "/history",
                "/talk",
                "/wrong",
                "log.jsonl",
                "/play-on",
                "/favourite",
                "move-notes",
                "/share",
            ):
                assert of_members not in page, (query, of_members)
    for file in ("log.jsonl", "journal.txt", "journal", "history", "talk"):
        assert eve.get(
            f"{full}/{file}",
        ).status_code in (303, 404)
        assert eve.get(with_names.removesuffix("replay") + file).status_code == 404


def test_the_reader_of_a_link_without_names_cannot_have_them(
    full: str, anna: Visitor, visitor: New, settings: Settings
) -> None:
    with_names, without = shared(settings, full)
    key = with_names.split("/")[2]
    eve, names = visitor(""), [*NAMES.values(), "Anna", "Wessex by winter"]
    assert "Baldwin" in eve.page(f"{with_names}?n=60&as=open") and 'name="names"' in eve.page(with_names)
    for query in (
        "?n=60",
        "?n=60&as=b",
        "?n=60&as=open&names=",
        "?n=60&names=shown",
        "?n=60&as=a&names=hidden&part=1",
        "?n=225",
    ):
        page = eve.page(without + query)
        assert not [name for name in names if name in page], query
        assert "Seat B" in page and 'name="names"' not in page and key not in page
    assert eve.get(without.removesuffix("/replay")).status_code == 404
    hidden = eve.page(f"{with_names}?n=60&names=hidden")
    assert not [name for name in names if name in hidden] and "Seat B" in hidden
    assert f'href="{without}?n=60&amp;as=' not in hidden


def test_a_member_shares_the_moment_that_is_shown(full: str, anna: Visitor, settings: Settings) -> None:
    shared(settings, full)
    found = re.findall(
        r'readonly value="http://writ.test/watch/([^"/]+)/replay\?([^"]+)"',
        anna.page(f"{full}/replay?n=57&as=open&spoilers=off&names=hidden"),
    )
    assert len(found) == 2 and len({key for key, _ in found}) == 2
    for _, query in found:
        assert dict(pair.split("=") for pair in query.split("&amp;")) == {"n": "57", "as": "open", "spoilers": "off"}


# --- chosen before the start ------------------------------------------------------------------------------------------


def test_the_host_chooses_before_the_start_and_the_invitation_tells(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = str(
        anna.post("/games/new", {"name": "Open war", "game": "ortus", "seats": "3", "access": "invited"}, follow=False).location
    )
    told = "anyone with the link may see its replay"
    assert "for the players" in anna.page(path)
    assert "Those who sit here are asked" in anna.post(path + "/sharing", {"on": "yes"}).text
    anna.post(path + "/invite", {"email": bert.email})
    assert told in bert.letters("invitation")[-1].text.replace("\n", " ")
    assert told in bert.page(bert.link("invitation", "i"))
    assert bert.post(path + "/sharing", {"on": ""}).status_code == 403
    with open_session(settings) as session:
        match = match_of(session, path)
        assert match.shared and match.watch_key
        assert sharing.is_open(match) is False


def test_who_sits_there_already_confirms_that_it_is_shared(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    path = str(
        anna.post("/games/new", {"name": "Open war", "game": "ortus", "seats": "3", "access": "open"}, follow=False).location
    )
    bert.post(path + "/join")
    anna.post(path + "/sharing", {"on": "yes"})
    assert "anyone with the link may see its replay" in bert.letters("terms")[-1].text.replace("\n", " ")
    page = bert.page(path)
    assert "Confirm the options" in page and "anyone with the link may see its replay" in page
    anna.post(path + "/bot", {"bot": "steady", "how_many": "one"})
    with open_session(settings) as session:
        assert match_of(session, path).status == MatchStatus.LOBBY, "it waits for Bert"
    terms = re.findall(r'name="terms" value="([^"]+)"', bert.page(path))[0]
    bert.post(path + "/confirm", {"terms": terms})
    with open_session(settings) as session:
        match = match_of(session, path)
        assert match.status == MatchStatus.RUNNING and match.shared
        key = match.watch_key
    assert visitor("").get(f"/watch/{key}/replay").status_code == 404
    assert anna.post(path + "/sharing", {"on": ""}).status_code in (403, 409, 400)
    started = bert.letters("started")[-1].text.replace("\n", " ")
    assert "anyone with the link may see its replay" in started and key not in started


@pytest.mark.parametrize("running", [False, True])
def test_before_the_end_no_player_closes_what_is_agreed_or_the_spectators_address(
    running: bool, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    path = begun(anna, bert)
    with transaction(settings) as session:
        match = match_of(session, path)
        match.shared = match.spectators = True
        match.status = MatchStatus.RUNNING if running else MatchStatus.LOBBY
        sharing.rekey(session, match)
        key = match.watch_key
    bert.post(f"{path}/replay/share", {"do": "close"})
    anna.post(f"{path}/host", {"do": "close"})
    with open_session(settings) as session:
        match = match_of(session, path)
        assert match.shared and match.watch_key == key


def test_a_game_that_began_before_is_not_shared_and_a_rematch_neither(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = begun(anna, bert)
    with open_session(settings) as session:
        assert not match_of(session, path).shared
    with transaction(settings) as session:
        match = match_of(session, path)
        match.status = MatchStatus.FINISHED
        sharing.let_share(session, match, True)
    again = str(anna.post(path + "/rematch", follow=False).location)
    bert.post(path + "/rematch")
    with open_session(settings) as session:
        rematch = match_of(session, again)
        assert not rematch.shared and rematch.status == MatchStatus.RUNNING, "nobody has to confirm anything"
        assert session.exec(select(Letter).where(Letter.kind == "terms")).first() is None


def test_one_who_played_against_bots_shares_alone(over: str, anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        row = session.get_one(SeatRow, (over.split("/")[2], "b"))
        row.account_id, row.bot = None, "steady"
    assert "All have agreed: the replay is shared." in ask(anna, over, "ask", settings)


def test_a_substitute_is_told_before_taking_the_seat(anna: Visitor, bert: Visitor, visitor: New, settings: Settings) -> None:
    path = begun(anna, bert)
    told = "anyone with the link may see its replay"
    carla = visitor("carla@example.org").sign_in("Carla")
    for shared in (False, True):
        with transaction(settings) as session:
            match = match_of(session, path)
            match.shared = shared
            session.get_one(SeatRow, (match.id, "b")).wanted = "open"
        assert (told in carla.page(f"{path}/seat/b")) == shared


def test_the_host_closes_it_too_and_so_does_a_player_who_goes(
    over: str,
    anna: Visitor,
    bert: Visitor,
    visitor: New,
    settings: Settings,
) -> None:
    eve, first = visitor(""), shared(settings, over)[0]
    with transaction(settings) as session:
        session.get_one(SeatRow, (over.split("/")[2], "a")).account_id = None  # the host has no seat any more
    assert "Anyone with the link may see the replay." in anna.page(f"{over}/host")
    assert "no longer work" in anna.post(f"{over}/host", {"do": "close"}).text
    assert eve.get(first).status_code == 404
    second = shared(settings, over)[0]
    assert eve.get(second).status_code == 200
    bert.post("/account/erase", {"email": bert.email})
    with open_session(settings) as session:
        assert session.get_one(SeatRow, (over.split("/")[2], "b")).account_id is None
    assert eve.get(second).status_code == 404
