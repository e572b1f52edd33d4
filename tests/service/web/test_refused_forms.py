"""A form that is refused says why where the fault is: the field names the sentence and has the keyboard, and keeps what was
typed into it."""

from __future__ import annotations

import re

import pytest

from tests.service.web.conftest import Visitor, begun

FIELD = re.compile(r"<(?:input|textarea|fieldset|form)\b[^>]*>")
OPEN = {"name": "Harvest war", "game": "ortus", "seats": "2", "access": "open"}


def blamed(page: str) -> dict[str, str]:
    """The tags that name the reason of a refusal, by the name of the field (none: by an empty name)."""
    tags = [tag for tag in FIELD.findall(page) if re.search(r'aria-describedby="[^"]*\bfault', tag)]
    return {(re.search(r' name="([^"]*)"', tag) or ["", ""])[1]: tag for tag in tags}


def focused(page: str) -> str:
    """The one tag that has the keyboard."""
    (found,) = re.findall(r"<[^>]* autofocus[^>]*>", page)
    return str(found)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("name", {"name": "Harvest\0war"}),
        ("word", {"word": "a word\0"}),
        ("turn", {"preset": "own", "turn": "soon", "reaction": "1"}),
        ("reaction", {"preset": "own", "turn": "2", "reaction": "3"}),
        ("grace", {"grace": "9999"}),
        ("absence_days", {"absence_days": "many"}),
        ("steward_after", {"steward_after": "0"}),
    ],
)
def test_a_new_game_is_refused_at_the_field_that_is_wrong(anna: Visitor, field: str, given: dict[str, str]) -> None:
    found = anna.post("/games/new", OPEN | given)
    assert found.status_code == 422
    tags = blamed(found.text)
    assert set(tags) == {field} and 'aria-invalid="true"' in tags[field] and focused(found.text) == tags[field]
    assert 'id="fault"' in found.text and (field in ("absence_days",) or f'value="{given[field]}"' in tags[field])


def test_seats_that_a_game_has_not_are_said_of_all_their_buttons(anna: Visitor) -> None:
    found = anna.post("/games/new", OPEN | {"game": "fief"})
    assert found.status_code == 422 and "<fieldset" in blamed(found.text)[""] and 'id="fault"' in focused(found.text)


def test_a_deck_is_refused_at_the_number_or_the_name_that_is_wrong(anna: Visitor) -> None:
    page = anna.page("/decks/new")
    kinds = re.findall(r'id="deck-([^"]+)" name="\1"', page)
    found = anna.post(
        "/decks/new", {"game": "ortus", "name": "Odd", **dict.fromkeys(kinds, "1"), kinds[0]: "-1", kinds[1]: "x"}
    )
    tags = blamed(found.text)
    assert found.status_code == 422 and set(tags) == set(kinds[:2]) and focused(found.text) == tags[kinds[0]]
    found = anna.post("/decks/new", {"game": "ortus", "name": "Odd", **dict.fromkeys(kinds, "1")})
    assert found.status_code == 422 and blamed(found.text) == {} and 'id="fault"' in focused(found.text), "the deck as a whole"
    ready = anna.page("/decks/new?from=" + str(re.findall(r"/decks/new\?[^\"]*from=([a-z_-]+)", anna.page("/decks"))[0]))
    cards = dict(re.findall(r'name="([^"]+)" min="0" max="\d+" step="1" value="(\d+)"', ready))
    found = anna.post("/decks/new", {"game": "ortus", "name": "Odd\0", **cards})
    tags = blamed(found.text)
    assert found.status_code == 422 and set(tags) == {"name"} and focused(found.text) == tags["name"]


@pytest.mark.parametrize(
    ("path", "field", "given"),
    [
        ("votes", "days", {"kind": "pause", "days": "99"}),
        ("votes", "reason", {"kind": "end", "reason": "Snow\0."}),
        ("votes", "turn", {"kind": "pace", "preset": "own", "turn": "soon", "reaction": "1"}),
        ("nearer", "by", {"by": "soon"}),
        ("give-up", "sure", {}),
    ],
)
def test_what_is_asked_of_the_table_is_refused_in_its_own_form(
    anna: Visitor, bert: Visitor, path: str, field: str, given: dict[str, str]
) -> None:
    found = anna.post(f"{begun(anna, bert)}/{path}", given)
    assert found.status_code == 422
    tags = blamed(found.text)
    assert set(tags) == {field} and focused(found.text) == tags[field]
    before, _ = found.text.split('id="fault"')
    assert before.count("<details open>") and before.rfind("<details open>") > before.rfind("</details>")
    assert "\0" in given.get(field, "\0") or f'value="{given[field]}"' in tags[field]


def test_days_of_absence_are_refused_at_both_days(anna: Visitor, bert: Visitor) -> None:
    found = anna.post(f"{begun(anna, bert)}/away", {"first": "2031-02-03", "last": "2031-02-01"})
    tags = blamed(found.text)
    assert found.status_code == 422 and set(tags) == {"first", "last"} and focused(found.text) == tags["first"]
    assert 'value="2031-02-03"' in tags["first"]


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("by", {"do": "extend", "seat": "b", "by": "soon"}),
        ("days", {"do": "pause", "days": "0"}),
        ("reason", {"do": "end", "reason": "Snow\0."}),
    ],
)
def test_a_host_s_tool_is_refused_where_it_is(anna: Visitor, bert: Visitor, field: str, given: dict[str, str]) -> None:
    found = anna.post(f"{begun(anna, bert)}/host", given)
    tags = blamed(found.text)
    assert found.status_code == 422 and set(tags) == {field} and focused(found.text) == tags[field]


def test_what_belongs_to_no_form_of_the_page_is_said_above_all(anna: Visitor, bert: Visitor) -> None:
    game = begun(anna, bert)
    for path, given in (("host", {"do": "dance"}), ("host", {"do": "replace", "seat": "b"}), ("votes", {"kind": "dance"})):
        found = anna.post(f"{game}/{path}", given)
        assert found.status_code == 422 and blamed(found.text) == {} and 'id="fault"' in focused(found.text)
        assert found.text.index('id="fault"') < found.text.index("<form", found.text.index("<h1"))


@pytest.mark.usefixtures("toy")
def test_optional_rules_are_folded_until_something_is_wrong_or_begun(anna: Visitor) -> None:
    lobby = str(
        anna.post("/games/new", {"name": "Fair", "game": "fair", "seats": "3", "access": "open"}, follow=False).location
    )
    folded, unfolded = (
        "<details>\n        <summary>Choose optional rules",
        "<details open>\n        <summary>Choose optional rules",
    )
    assert folded in anna.page(lobby)
    found = anna.post(lobby + "/options", {"option": "play", "f_rounds": "99"})
    assert found.status_code == 422 and unfolded in found.text and 'id="options-fault"' in focused(found.text)
    found = anna.post(lobby + "/options/rows", {"option": "play", "f_rounds": "2"})
    assert unfolded in found.text
