"""What a march would begin with stands beside the question, and looking ahead says the same; so with support cards."""

from __future__ import annotations

import html
import re

from sqlmodel import select

from engine.games import GAMES
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account
from tests.service.web.conftest import Visitor
from tests.tables import Laid, lay, questions


def sat(anna: Visitor, settings: Settings, found: Laid) -> str:
    with transaction(settings) as session:
        return lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), found)


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_what_stands_beside_a_march_is_what_looking_ahead_says(anna: Visitor, settings: Settings) -> None:
    found = questions("mastery", 3)["early"]
    view = GAMES["mastery"].rules.view(found.state, found.seat)
    path = sat(anna, settings, found)
    page = anna.page(path)
    form = next(f for f in page.split("<form ") if 'name="option" value="march"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    numbers = dict(re.findall(r'name="(f_in_\w+)" min="\d+" max="\d+" value="(\d+)"', form))
    told = dict(re.findall(r'<template data-sums-of="(\w+)">(.*?)</template>', page, re.S))
    vacant = {slot: told.pop(slot) for slot in set(told) - set(view["own"]["clashes"])}
    assert told and set(told) == set(view["own"]["clashes"])
    assert vacant and all("Nobody holds it" in panel for panel in vacant.values())
    for slot, panel in vacant.items():
        asked = anna.post(path.replace("/table", "/preview"), {**hidden, **numbers, "f_target": slot, "f_knights": "2"}).text
        said = words(asked.partition('id="confirm"')[2].partition("</section>")[0])
        assert ("costs its conqueror 1 knight" in said) == ("send at least two" in panel), said
        (own,) = re.findall(r"you have (\d+)", words(panel))
        assert re.search(rf"\b(have|still have|then have) {own} point", said), said
    drawn = page.partition('data-plan="march tactical" data-path="@')[2].partition("/>")[0]
    plus = dict(pair.split("=") for pair in re.findall(r'data-plus="([^"]*)"', drawn)[0].split())
    for slot, panel in told.items():
        asked = anna.post(path.replace("/table", "/preview"), {**hidden, **numbers, "f_target": slot, "f_knights": "1"}).text
        said = words(asked.partition('id="confirm"')[2].partition("</section>")[0])
        meets = re.findall(r"mm-odds-sums.*?<td>(\d+)</td>", panel, re.S)[0]
        assert f" begins at {1 + int(plus.get(slot, 0))} to {meets}" in said, said
        own, rival = re.findall(r"you have (\d+) points?, \w+ (?:of Winchester )?(\d+)", words(panel))[0]
        assert f"you have {own} point" in said and f" {rival}. If you lose" in said


def test_a_support_step_says_who_leads_and_where_every_card_would_lead(anna: Visitor, settings: Settings) -> None:
    found = questions("mastery", 4)["support"]
    told = GAMES["mastery"].rules.view(found.state, found.seat)["own"]["support"]
    path = sat(anna, settings, found)
    page = anna.page(path)
    question = words(page.partition('data-part="question"')[2].partition("</section>")[0])
    assert re.search(r"You (lead|trail) \d+ to \d+ at ", question) and "If nobody adds more, " in question
    form = next(f for f in page.split("<form ") if 'name="option" value="support"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    assert told["then"]
    for card, then in told["then"].items():
        other = re.findall(rf": {then} to (\d+)", question)[0]
        asked = anna.post(path.replace("/table", "/preview"), {**hidden, f"f_cards__{card}": "1"}).text
        said = words(asked.partition('id="confirm"')[2].partition("</section>")[0])
        assert f"Then it stands {then} to {other}." in said
