"""The turn page of Fief in a real browser: all parts in the first screen, both sizes, both themes; axe finds nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Page, expect
from sqlmodel import select

from engine.core import offers
from engine.core.asks import Refused, read
from engine.core.cloning import clone
from engine.core.procedure import ask_of, begin, vet
from engine.fief import FIEF
from engine.fief.rules.diplomacy import Exchange, Terms
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, SeatRow
from tests.service.web.axe import DARK, in_both_themes, violations
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_fief_pages import Table, at, table  # noqa: F401  (fixtures)
from tests.tables import Laid, laid, lay, questions, reached

pytestmark = pytest.mark.browser

Settle = Callable[..., str]


@pytest.fixture(autouse=True)
def practised(anna: Visitor, settings: Settings) -> None:
    """Anna reads no notes of a first game: they stand above the board and take its room."""
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        account.guides = {**account.guides, "fief": ""}
        session.add(account)


@pytest.fixture
def settled(anna: Visitor, settings: Settings) -> Settle:
    """settled(position, back=5, logged=False) -> the path of Anna's page there; her own last move lies so many entries back."""

    def laid_out(found: Laid, back: int = 5, logged: bool = False) -> str:
        with transaction(settings) as session:
            account = session.exec(select(Account).where(Account.email == anna.email)).one()
            path = lay(session, account, found, logged=logged)
            row = session.get_one(SeatRow, (path.split("/")[2], found.seat))
            row.moved_n = max(0, (found.told[-1][0] if found.told else 0) - back)
        return path

    return laid_out


def bottom(page: Page, part: str) -> float:
    box = page.locator(f"[data-part={part}]").first.bounding_box()
    assert box is not None and box["height"] > 0, part
    return box["y"] + box["height"]


@pytest.mark.parametrize(("seats", "kind"), [(6, "movement"), (6, "vote"), (6, "battle_next"), (3, "purchase")])
@DARK
def test_it_keeps_nobody_out(browse: Open, table: Table, seats: int, kind: str, dark: tuple[int, ...]) -> None:
    page = browse(table.lay_out(*at(seats, kind)))
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert (in_both_themes(page) if width in dark else violations(page)) == [], width


def test_all_parts_stand_in_the_first_screen(browse: Open, table: Table) -> None:
    page = browse(table.lay_out(*at(6, "movement")), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert all(bottom(page, part) <= 800 for part in ("bar", "question", "board", "hand", "log"))
    families = page.locator(".f-family")
    assert families.count() == 6
    for n in range(6):
        box = families.nth(n).bounding_box()
        assert box is not None and box["y"] + box["height"] <= 801
    for width in (1280, 1024, 390):
        page.set_viewport_size({"width": width, "height": 800})
        for name in page.locator(".f-family h3").all():
            whole = name.evaluate("x => x.scrollWidth <= x.clientWidth && x.scrollHeight <= x.clientHeight + 3")
            assert whole, (width, name.inner_text())
    page.set_viewport_size({"width": 1280, "height": 800})
    for name in page.locator(".f-village").all():
        box = name.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 930


def test_a_village_is_chosen_on_the_chart(browse: Open, table: Table) -> None:
    seat, state = at(6, "movement")
    page = browse(table.lay_out(seat, state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    lord = page.locator(".f-lords [data-value].can").first
    code = lord.get_attribute("data-value") or ""
    lord.click()
    expect(page.locator(f'[data-part=question] [name$="__lords__{code}"]').first).to_be_checked()
    village = page.locator(".f-village.can").first
    to = village.get_attribute("data-value") or ""
    village.click(position={"x": 40, "y": 40})
    # A village two roads away is the second stop of the march.
    stops = page.locator('[data-part=question] :is([name$="__to"], [name$="__then"])')
    expect(stops.filter(has=page.locator(f'option[value="{to}"]:checked')).first).to_have_count(1)


def test_a_group_that_is_written_has_its_card_its_flag_and_the_battle_it_may_come_to(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nHenri: a bourg\nbourg: a\nbourg.a: 3 maa 1 knights\n"
        "villeneuve: b\nvilleneuve.b: 2 maa\nArthur: b villeneuve\ncharolles.c: 1 maa\ncharolles: c\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator('.f-lord[data-value="Charles"]').press("Enter")
    page.locator('.f-village[data-value="villeneuve"]').press("Enter")
    page.locator('.f-village[data-value="charolles"]').press("Enter")
    page.get_by_role("button", name="Men-at-Arms: one more").click()
    card = page.locator("[data-row]").first
    expect(card).to_contain_text("Charles leads from Bourg")
    expect(card).to_contain_text("leave is needed of Baldwin")
    expect(card).to_contain_text("2 Men-at-Arms and 1 Knight stay at Bourg.")
    expect(page.locator(".plan-flag")).to_have_count(1)
    expect(page.locator(".plan-flag use")).to_have_attribute("href", re.compile("#sh-b$"))
    flag = page.locator(".plan-flag").bounding_box()
    names = [name.bounding_box() for name in page.locator("[data-name]").all()]
    assert flag is not None and len(names) == 24
    hidden = [
        box
        for box in names
        if box is not None
        and abs(box["x"] + box["width"] / 2 - flag["x"] - flag["width"] / 2) < (box["width"] + flag["width"]) / 2 - 1
        and abs(box["y"] + box["height"] / 2 - flag["y"] - flag["height"] / 2) < (box["height"] + flag["height"]) / 2 - 1
    ]
    assert not hidden, "a short road has no room above it, so the flag hangs under it"
    expect(page.locator(".ahead .f-attack")).to_contain_text("Attack at Charolles")
    # What to do if leave is refused is asked where it is needed.
    expect(page.locator("[data-row] .f-if-refused")).to_be_visible()
    # What can't be played is said at once, and a card that was added says nothing of the one above.
    page.locator('[data-row] [name$="__maa"]').fill("9")
    expect(card.locator(".over")).to_contain_text("it must be from 0 to 3")
    page.get_by_role("button", name="of 3").click()
    expect(card).to_contain_text("1 Knight stays at Bourg.")
    expect(card.locator(".over")).to_be_hidden()
    page.locator('[data-stall] [data-value="Henri"]').press("Enter")
    expect(page.locator("[data-row]")).to_have_count(2)
    expect(page.locator("[data-row]").nth(1)).to_contain_text("Henri leads from Bourg")
    expect(page.locator("[data-row]").nth(1)).not_to_contain_text("leave is needed")
    # Back takes the last pick back, as Escape does.
    page.get_by_role("link", name=re.compile("^Back")).click()
    expect(page.locator('[name="f_moves__2__lords__Henri"]')).not_to_be_checked()


def glowing(page: Page, what: str) -> set[str]:
    expect(page.locator("[data-part=question] form[aria-busy]")).to_have_count(0)
    return {x.get_attribute("data-value") or "" for x in page.locator(f".{what}.can").all()}


def test_the_chart_lights_where_the_chosen_group_can_go_and_nothing_else(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nweather: heavy_rain 5\nCharles: a bourg\nHenri: a bourg\nBlanche: a tournus\n"
        "bourg: a\nbourg.a: 3 maa 1 knights\nArthur: b villeneuve\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert (glowing(page, "f-village"), glowing(page, "f-lord")) == (set(), {"Charles", "Henri", "Blanche"})
    page.locator('.f-lord[data-value="Charles"]').press("Enter")
    one, two = {"villeneuve", "la_bussiere", "st_vivien"}, {"charolles", "les_essarts", "st_medard", "st_andre"}
    assert glowing(page, "f-village") == one | two, "by one road or by two, but through no rain"
    assert glowing(page, "f-lord") == {"Henri"}, "who stands with him may go with him"
    page.locator('.f-village[data-value="mazilles"]').press("Enter")
    expect(page.locator("[data-step]")).to_contain_text("Mazilles: no road leads there")
    assert "mazilles" not in page.locator('[name="f_moves__1__to"]').input_value()
    page.locator('.f-village[data-value="villeneuve"]').press("Enter")
    assert glowing(page, "f-village") == (one | two | {"bourg"}) - {"villeneuve"}
    page.locator('.f-village[data-value="charolles"]').press("Enter")
    assert glowing(page, "f-village") == (one | two) - {"villeneuve", "charolles"}, "another way may be taken instead"
    page.locator('.f-village[data-value="st_andre"]').press("Enter")
    expect(page.locator('[name="f_moves__1__to"]')).to_have_value("la_bussiere")
    expect(page.locator('[name="f_moves__1__then"]')).to_have_value("st_andre")
    assert page.locator(".f-course .f-far").count() == 7 and page.locator(".f-veil").count() == 1
    # Another Lord begins a row of his own.
    page.locator('.f-lord[data-value="Blanche"]').press("Enter")
    expect(page.locator("[data-row]")).to_have_count(2)
    expect(page.locator('[name="f_moves__2__lords__Blanche"]')).to_be_checked()
    near = {"pugnac", "st_andromy"}
    assert glowing(page, "f-village") == near | {"mazilles", "st_medard", "st_gerome", "belleville"}
    # A first stop that is changed takes the second along, where no road leads there.
    page.get_by_role("button", name="Take march 2 back").click()
    page.locator('.f-village[data-value="st_vivien"]').press("Enter")
    expect(page.locator('[name="f_moves__1__to"]')).to_have_value("st_vivien")
    expect(page.locator('[name="f_moves__1__then"]')).to_have_value("")


def test_losses_are_stepped_and_it_is_said_whether_they_take_the_hits(browse: Open, table: Table) -> None:
    laid = questions("fief", 6)["losses"]
    page = browse(table.lay_out(laid.seat, laid.state), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator(".f-sets a").count() >= 2
    number = page.locator(".stepped input").first
    before = int(number.input_value())
    step = page.get_by_role("button", name=re.compile("one (more|fewer)$"))
    step.nth(0 if before else 1).click()
    expect(number).to_have_value(str(before - 1 if before else 1))
    expect(page.locator(".ahead .over")).to_contain_text("cost exactly one of these")
    page.locator(".f-sets a").first.click()
    expect(page.locator(".ahead .over")).to_have_count(0)
    box = page.locator(".f-sets").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 844, "a way to answer stands in the first screen"


@pytest.mark.parametrize(
    ("kind", "stack", "fault"),
    [
        (
            "uprising_losses",
            '{"type":"Uprising","step":"next","at":"blaye","by":"b","cards":1,"hits":3}',
            "cost exactly one of these",
        ),
        ("plague", '{"type":"Plague","step":"plague","see":1}', ""),
    ],
)
def test_what_people_and_plague_take_is_stepped_like_losses_of_a_battle(
    browse: Open, table: Table, kind: str, stack: str, fault: str
) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 2c\nweather: famine 1\nblaye: a\nblaye.a: 4 maa 3 knights\nArthur: a bourg\n"
        f'Henri: b sigy\nstack: {{"type":"Round","step":"play"}}\nstack: {stack}\n'
    )
    begin(state)
    assert state.stack[-1].step == kind
    page = browse(table.lay_out("a", state), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    form = page.locator(f"[data-part=question] form:has(> [name=kind][value={kind}])")
    stepped = form.locator(".stepped").last
    number = stepped.locator("input")
    before = int(number.input_value())
    stepped.get_by_role("button", name=re.compile("one more$")).click()
    expect(number).to_have_value(str(before + 1))
    if fault:
        expect(form.locator(".ahead .over")).to_contain_text(fault)
        page.locator(".f-sets a").last.click()
        expect(form.locator(".ahead .over")).to_have_count(0)
    else:
        expect(form.locator(".ahead")).to_contain_text("At Blaye 2 Men-at-Arms and 1 Knight of yours die.")


REACHES = (
    # Of each: the Lords' lines, what was played before, who is chosen, and how far that group goes.
    ("d'Arc and one who has been with her all the way", "Jeanne: a bourg d_arc\nHenri: a bourg", ("Jeanne", "Henri"), 3),
    (
        "who has made a Move without her is led no third",
        "Jeanne: a bourg d_arc\nHenri: a bourg moves=1 alone",
        ("Jeanne", "Henri"),
        1,
    ),
    ("d'Arc alone", "Jeanne: a bourg d_arc", ("Jeanne",), 3),
    ("as far as the one who can go least", "Charles: a bourg moves=1\nHenri: a bourg", ("Charles", "Henri"), 1),
    ("two Moves without d'Arc", "Charles: a bourg\nHenri: a bourg", ("Charles", "Henri"), 2),
)
WAY = ("villeneuve", "charolles", "lepervier")


@pytest.mark.parametrize(("lords", "group", "far"), [row[1:] for row in REACHES], ids=[row[0] for row in REACHES])
def test_a_group_is_lit_as_far_as_the_rules_let_it_go(
    browse: Open, table: Table, lords: str, group: tuple[str, ...], far: int
) -> None:
    state = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\nphase: 5\n{lords}\nbourg: a\nArthur: b st_paul\n")
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    for lord in group:
        page.locator(f'.f-lord[data-value="{lord}"]').press("Enter")
    names = ("to", "then", "third")
    for n, village in enumerate(WAY):
        legal = n < far
        assert (village in glowing(page, "f-village")) == legal, (n, village)
        way = ",".join(f"{name}={stop}" for name, stop in zip(names, WAY[: n + 1], strict=False))
        answer = read(f"move moves=[(lords=[{','.join(group)}],{way})]")
        with nullcontext() if legal else pytest.raises(Refused):
            vet(state, "a", answer)
        if not legal:
            break
        page.locator(f'.f-village[data-value="{village}"]').press("Enter")


def test_one_who_has_no_move_left_begins_no_row(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nHenri: a tournus moves=2\nBlanche: a tournus\nbourg: a\n"
        "Arthur: b st_paul\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator('.f-lord[data-value="Charles"]').press("Enter")
    page.locator('.f-village[data-value="villeneuve"]').press("Enter")
    assert glowing(page, "f-lord") == {"Blanche"}


@pytest.mark.parametrize(
    ("given", "together"),
    [
        ("villeneuve: b\n", {"Henri", "Blanche"}),
        ("rulings: FF-MOV-3=road\nvilleneuve: b\n", {"Blanche"}),
        ("villeneuve: b stronghold engine=c/1\nvilleneuve.c: 1 maa on charolles\n", {"Henri", "Blanche"}),
        ("villeneuve: c stronghold engine=b/1\nvilleneuve.b: 1 maa on charolles\nvilleneuve.c: 1 maa\n", {"Henri"}),
    ],
)
def test_who_stands_in_one_village_sets_out_together_unless_besieged_walls_are_between(
    browse: Open, table: Table, given: str, together: set[str]
) -> None:  # FF-MOV-3
    inside = "Blanche: a villeneuve\n" if "c stronghold" in given else "Blanche: a villeneuve on=bourg\n"
    state = FIEF.rules.notation.read(
        f"fief: 1\nseats: a b c\nphase: 5\n{given}Arthur: b villeneuve on=charolles\n"
        f"Charles: a villeneuve on=bourg\nHenri: a villeneuve on=st_medard\n{inside}"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert glowing(page, "f-lord") == {"Charles", "Henri", "Blanche"}
    page.locator('.f-lord[data-value="Charles"]').press("Enter")
    assert glowing(page, "f-lord") == together
    for other in ("Henri", "Blanche"):
        with nullcontext() if other in together else pytest.raises(Refused, match=other):
            vet(state, "a", read(f"move moves=[(lords=[Charles,{other}],to=les_essarts)]"))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_proposal_shows_the_two_joined_by_rings_and_a_pick_of_them_opens_the_answer(
    browse: Open, table: Table, width: int, height: int
) -> None:
    court = questions("fief", 6)["court"]
    suits = ask_of(court.state, court.seat).about["suits"]
    assert isinstance(suits, list)
    suit = suits[0]
    page = browse(table.lay_out(court.seat, court.state), width=width)
    page.set_viewport_size({"width": width, "height": height})
    couple = page.locator(f'.f-couple[data-value="{suit}"]')
    box = couple.bounding_box()
    assert box is not None and box["y"] + box["height"] <= bottom(page, "board") <= height
    expect(couple.locator(".f-bust")).to_have_count(2)
    expect(couple).to_contain_text("of your family")
    couple.press("Enter")
    expect(page.locator(f'[data-part=question] .option[open] [name="f_suit"][value="{suit}"]')).to_be_checked()


def test_two_hands_hold_out_an_exchange_on_a_phone_and_a_long_name_pushes_neither_out(browse: Open, table: Table) -> None:
    seat, shared = at(6, "purchase")
    state = clone(shared)
    other = next(s for s in state.table.seats if s != seat)
    state.table.proposals.open = []
    deal = Exchange(give=Terms(deniers=1), want=Terms(consent="Othon"), by=other, to=[seat], only=[other, seat], until="phase")
    offers.put(state.table, deal)
    page = browse(table.lay_out(seat, state), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.querySelector('.f-who').lastChild.textContent = ' Wolfeschlegelsteinhausenbergerdorffschen gives'")
    for n in range(2):
        hand = page.locator(".f-palm").nth(n).bounding_box()
        assert hand and hand["x"] >= -8 and hand["x"] + hand["width"] <= 398
    assert page.locator(".f-hands > div").evaluate_all("x => x.every((one) => one.getBoundingClientRect().right <= 390)")


def test_on_a_phone_a_battle_stays_in_view_while_a_truce_is_worded(browse: Open, table: Table) -> None:
    found = reached("fief", "5-seats-last-round", 425, "d")
    page = browse(table.lay_out(found.seat, found.state), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    for verb in ("truce", "surrender"):
        page.locator(f"#verb-{verb}").click()
        fight, button = (
            page.locator(".f-battle").bounding_box(),
            page.locator(".confirm button, .option[open] form .row > button:first-child").first.bounding_box(),
        )
        assert fight and button
        sheet = page.locator(".question").bounding_box()
        assert sheet and fight["y"] >= 48 and fight["y"] + fight["height"] <= sheet["y"], verb
        assert button["y"] >= sheet["y"] and button["y"] + button["height"] <= 844, verb
        page.wait_for_load_state()  # of its scripts
        page.keyboard.press("Escape")
        expect(page.locator(".confirm")).to_have_count(0)


def test_on_a_phone_both_ways_to_vote_are_in_view_and_looking_ahead_stays_beside_a_long_label(
    browse: Open, table: Table
) -> None:
    found = questions("fief", 6)["vote"]
    page = browse(table.lay_out(found.seat, found.state), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    verbs = [x.bounding_box() for x in page.locator(".question > .options > .option").all()]
    assert len(verbs) == 2 and all(box and box["y"] + box["height"] <= 844 for box in verbs)
    assert page.locator(".f-candidates .f-piece").count(), "who stands is on the board"
    strip, hand = page.locator(".f-round").bounding_box(), page.locator("[data-part=hand]").bounding_box()
    assert strip and hand and strip["y"] + strip["height"] <= hand["y"] + 1, "the phase strip is above the hand"
    page.locator(".question > .options > details.option > summary").first.click()
    confirm = page.locator(".question > .options > [open] form .row button.primary")
    confirm.evaluate("x => x.textContent = 'Place the markers on those whom I have chosen for it'")
    box, ahead = confirm.bounding_box(), page.locator(".question > .options > [open] form .row button.quiet").bounding_box()
    assert box and ahead
    assert ahead["y"] < box["y"] + box["height"] and ahead["x"] >= box["x"] + box["width"]


def test_a_purchase_is_put_together_by_village_and_isnt_lost_by_another_verb(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 4b\nCharles: a bourg\nbourg: a stronghold\nbourg.a: 3 maa 1 knights\n"
        "a.deniers: 9\nArthur: b villeneuve\nsigy: c\nHenri: a sigy\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator(".f-site").evaluate_all("all => all.map((x) => x.id)") == ["buy-bourg", "buy-sigy"]
    page.locator('.f-village[data-value="sigy"]').click(position={"x": 40, "y": 40})
    expect(page.locator("#buy-sigy")).to_have_attribute("open", "")
    page.locator('.f-village[data-value="bourg"]').click(position={"x": 40, "y": 40})
    expect(page.locator("#buy-bourg .f-ware.closed small").first).to_be_visible()
    page.get_by_role("button", name="Mill, Bourg: one more").click()
    expect(page.locator('[name="f_items__1__what"]')).to_have_value("mill")
    expect(page.locator(".f-purse")).to_contain_text("6 Deniers left after this.")
    page.get_by_role("button", name="Man-at-Arms, Bourg: one more").click()
    expect(page.locator('[name="f_items__2__n"]')).to_have_value("1")
    page.get_by_role("button", name="Man-at-Arms, Bourg: one more").press("Enter")
    expect(page.locator('[name="f_items__2__n"]')).to_have_value("2")
    expect(page.get_by_role("button", name="Man-at-Arms, Bourg: one more")).to_be_focused()
    expect(page.locator(".f-ware-there")).to_have_count(2)
    page.get_by_role("button", name="Mill, Bourg: one fewer").click()
    expect(page.locator('[name="f_items__1__what"]')).to_have_value("maa")
    page.locator("#verb-done").click()
    expect(page.locator(".confirm")).to_contain_text("Yes, do it")
    page.wait_for_load_state()  # of its scripts
    page.keyboard.press("Escape")
    expect(page.locator(".confirm")).to_have_count(0)


POWERS = (
    "fief: 1\nseats: a b c\nphase: 2c\nCharles: a bourg\nbourg: a\nArthur: b villeneuve\nvilleneuve: b\nvilleneuve.b: 2 maa\n"
    "Henri: c sigy\nsigy: c\nsigy.c: 1 maa\nweather: famine 5\na.hand: uprising, secret_passage\n"
)


def test_what_a_power_can_name_is_chosen_on_the_board(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(POWERS)
    begin(state)
    path = table.lay_out("a", state)
    page = browse(path, width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    lit = "[data-part=board] [data-value].can"
    houses = page.locator(".f-families .f-house")
    assert page.locator(lit).count() == 0 and houses.first.get_attribute("role") is None, "nothing is chosen yet"
    # A card of the hand opens what it can do at any time; then its places glow, and the families where they can be named.
    page.locator('[data-part=hand] [data-plays="uprising"]').press("Enter")
    form = page.locator('.at-any-time form:has([name=kind][value="uprising"])')
    expect(page.locator("[data-step-beside]")).to_have_text("Play an Uprising: chosen. Now: Where")
    famished = {"beaujeu", "sigy", "st_ciers", "st_paul"}
    assert glowing(page, "f-village") == famished and not glowing(page, "f-lord")
    page.locator('.f-village[data-value="sigy"]').press("Enter")
    expect(form.locator("[name=f_at]:checked")).to_have_value("sigy")
    expect(page.locator("[data-step-beside]")).to_contain_text("Sigy: chosen")
    page.locator('.f-families .f-house[data-value="c"]').click()
    expect(form.locator("[name=f_first]")).to_have_value("c")
    page.keyboard.press("Escape")
    expect(form.locator("[name=f_first]")).to_have_value("")
    # Of what names two things each is a pick of its own; what is opened last is what is chosen for.
    page.locator(".at-any-time summary", has_text="Grant passage").click()
    expect(page.locator(".f-village.can")).to_have_count(1)
    page.locator('.f-village.can[data-value="bourg"]').press("Enter")
    page.locator('.f-families .f-house[data-value="c"]').click()
    grant = page.locator('.at-any-time form:has([name=kind][value="grant"])')
    expect(grant.locator("[name=f_passage]:checked")).to_have_value("bourg/c")
    # What lies over the chart gives way to its heading while something below it may be chosen.
    struck = reached("fief", "3-seats-by-the-crown", 182, "c")
    page.goto(table.lay_out(struck.seat, struck.state))
    expect(page.locator(".f-assassination .f-strike")).to_be_visible()
    page.locator('[data-part=hand] [data-plays="uprising"]').press("Enter")
    expect(page.locator(".f-assassination .f-strike")).to_be_hidden()
    expect(page.locator(".f-assassination h3")).to_be_visible()
    # Without scripts the same are links that open what they fill in.
    path = table.lay_out("a", state)
    page = browse(path, width=1280, scripts=False)
    page.locator('[data-part=hand] [data-plays="uprising"]').click()
    expect(page.locator(".f-chart a[data-value]")).to_have_count(len(famished))
    page.locator('.f-chart a[data-value="sigy"]').click()
    page.locator('.f-families a[data-value="c"]').click()
    expect(page.locator("[name=f_at]:checked")).to_have_value("sigy")
    expect(page.locator("[name=f_first]")).to_have_value("c")
    page.goto(path + "?offer=grant#on-board")
    page.locator('.f-families a[data-value="c"]').click()
    expect(page.locator("[name=f_passage]:checked")).to_have_value("bourg/c")


def test_a_march_that_is_half_composed_isnt_lost_by_the_verb_below_it(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nHenri: a tournus\nbourg: a\nbourg.a: 3 maa\nArthur: b sigy\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator('.f-lord[data-value="Henri"]').press("Enter")
    page.locator('.f-village[data-value="pugnac"]').press("Enter")
    expect(page.locator(".stepper")).to_have_count(0)  # Nobody stands with him who could be sent.
    expect(page.locator('[name="f_moves__1__to"]')).to_have_value("pugnac")
    page.locator("#verb-done").click()
    expect(page.locator(".confirm")).to_contain_text("Yes, do it")
    page.locator(".confirm [data-back]").click()
    expect(page.locator('[name="f_moves__1__lords__Henri"]')).to_be_checked()
    expect(page.locator('[name="f_moves__1__to"]')).to_have_value("pugnac")


def test_ones_own_markers_lie_on_the_candidates_as_they_are_chosen(browse: Open, table: Table) -> None:
    found = questions("fief", 6)["vote"]
    page = browse(table.lay_out(found.seat, found.state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    candidates = page.locator(".f-candidates [data-value]")
    expect(page.locator(".f-ghost:visible")).to_have_count(0)
    candidates.nth(0).press("Enter")
    candidates.nth(1).press("Enter")
    expect(candidates.nth(0).locator(".f-ghost.for")).to_be_visible()
    expect(candidates.nth(1).locator(".f-ghost.decoy")).to_be_visible()
    expect(page.locator(".f-ghost:visible")).to_have_count(2)


def test_the_log_beside_a_short_question_fills_its_place_and_shows_dice_as_dice(browse: Open, settled: Settle) -> None:
    page = browse("about:blank", width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    for stem, n in (("3-seats-alone", 451), ("6-seats-allied-by-the-crown", 301)):
        page.goto(settled(reached("fief", stem, n)))
        events = page.locator(".events").bounding_box()
        last = page.locator(".events > li").last.bounding_box()
        assert events is not None and last is not None
        assert last["y"] + last["height"] >= 760, "older lines stand where there is room for them"
    page.goto(settled(reached("fief", "3-seats-alone", 451)))
    assert page.locator(".events .new .f-rolled .f-dice svg").count() == 11
    assert page.locator(".events .new li.told .visually-hidden").first.text_content() == (
        "Roll 2 at Châteauneuf: 3 hits by the attackers, 6 hits by the defenders."
    )


def test_the_ribbon_of_what_is_new_lies_over_no_name_but_its_own_foot(browse: Open, settled: Settle) -> None:
    page = browse("about:blank", width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    for moment in ("middle", "fight"):
        page.goto(settled(laid("fief", 6, moment), logged=True, back=60))
        marks = page.locator(".f-village > :is(.fresh-day, .fresh-mark)")
        assert marks.count() > 8
        assert page.locator(".f-village .fresh-day .fresh-day, .f-village > g > .fresh-day").count() == 0, "one a village"
        found = page.evaluate(
            """() => [...document.querySelectorAll('.f-village > .fresh-day')].flatMap((mark) => {
              const r = mark.getBoundingClientRect();
              return [...document.querySelectorAll('.f-fief, .f-name, .f-cloth')].filter((x) => {
                const q = x.getBoundingClientRect();
                const w = Math.min(r.right, q.right) - Math.max(r.left, q.left);
                const h = Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top);
                return w > 2 && h > 2 && !mark.parentElement.contains(x);
              }).map((x) => x.textContent);
            })"""
        )
        assert found == []


def test_on_a_phone_the_newest_line_is_read_whole_below_the_verbs(browse: Open, settled: Settle) -> None:
    page = browse("about:blank", width=390)
    for found in (laid("fief", 6, "middle"), laid("fief", 6, "fight"), reached("fief", "3-seats-alone", 451)):
        page.goto(settled(found))
        line = page.locator(".latest > span")
        assert line.evaluate("x => x.scrollHeight <= x.clientHeight + 1 && x.scrollWidth <= x.clientWidth + 1")
        box = page.locator(".latest").bounding_box()
        assert box is not None and box["y"] + box["height"] <= 844
    expect(page.locator(".at-stake")).to_have_text("Quentin may die.")  # his offices go with him and aren't listed


def test_of_families_those_alone_glow_whose_troops_stand_where_the_people_rise(browse: Open, table: Table) -> None:  # FF-UPR-5
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c d\nphase: 2c\nCharles: a bourg\nArthur: b sigy\nsigy: b\nsigy.b: 3 maa\nsigy.c: 1 maa\n"
        "st_paul: c\nst_paul.c: 2 maa\nblaye: d\nblaye.d: 2 maa\nweather: famine 5\na.hand: uprising\n"
    )
    begin(state)
    path = table.lay_out("a", state)
    page = browse(path, width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator('[data-part=hand] [data-plays="uprising"]').press("Enter")
    assert glowing(page, "f-house") == set(), "no family before a village"
    page.locator('.f-village[data-value="sigy"]').press("Enter")
    assert glowing(page, "f-house") == {"b", "c"}
    choices = page.locator('.at-any-time [name="f_first"] option').evaluate_all(
        "all => all.map((x) => x.value).filter(Boolean)"
    )
    assert choices == ["b", "c"], "whose Troops stand at no such village is no choice"
    page = browse(f"{path}?offer=uprising&option=play&at=st_paul", width=1280, scripts=False)
    assert page.locator(".f-families a.f-house").evaluate_all("all => all.map((x) => x.dataset.value)") == ["c"]


def test_a_village_of_an_exchange_is_passed_first_and_given_away_by_another_pick(
    browse: Open, table: Table
) -> None:  # FF-DIP-9
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\nbourg.b: 1 maa\nArthur: b sigy\nsigy: b\n"
        "sigy.b: 3 maa\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator(".at-any-time > summary").click()
    page.locator(".at-any-time summary", has_text="Offer an exchange").click()
    page.locator('.f-families .f-house[data-value="b"]').press("Enter")
    said = page.locator("[data-step-beside]")
    form = page.locator('.at-any-time form:has([name=kind][value="exchange"])').first
    for code, name, side in (("bourg", "Bourg", "give"), ("sigy", "Sigy", "want")):
        village = page.locator(f'.f-village[data-value="{code}"]')
        passage, control = (form.locator(f"[name=f_{side}_{what}__{code}]") for what in ("passage", "villages"))
        village.press("Enter")
        expect(said).to_contain_text(f"passage at {name}: chosen. Once more:")
        expect(passage).to_be_checked()
        expect(control).not_to_be_checked()
        village.press("Enter")
        expect(said).to_contain_text(f"control of {name}: chosen.")
        expect(passage).not_to_be_checked()
        expect(control).to_be_checked()
        village.press("Enter")
        expect(control).not_to_be_checked()


def test_what_is_offered_can_be_answered_by_something_else(browse: Open, table: Table) -> None:  # FF-DIP-9
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\nArthur: b sigy\nsigy: b\nsigy.b: 3 maa\n"
        "a.deniers: 5\nb.deniers: 5\n"
    )
    begin(state)
    give, want = Terms(deniers=2, passage=["sigy"]), Terms(deniers=3)
    offers.put(state.table, Exchange(give=give, want=want, by="b", to=["a"], only=["a", "b"], until="phase"))
    for scripts in (True, False):
        page = browse(table.lay_out("a", state), width=390, scripts=scripts)
        page.get_by_role("link", name="Offer something else instead").click()
        form = page.locator('.at-any-time form:has([name=kind][value="exchange"]):has([name=f_to])')
        expect(form.locator("[name=f_to]:checked")).to_have_value("b")
        expect(form.locator("[name=f_give_deniers]")).to_have_value("3")
        expect(form.locator("[name=f_want_deniers]")).to_have_value("2")
        expect(form.locator("[name=f_want_passage__sigy]")).to_be_checked()
        expect(form).to_be_in_viewport()
