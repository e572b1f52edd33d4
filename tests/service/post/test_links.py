"""Signed links: what opens, and what is refused with which sentence."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from itsdangerous import URLSafeSerializer
from sqlmodel import Session

from service.errors import BadLink, LinkExpired, LinkForged, LinkRevoked
from service.games import lobby
from service.people import accounts
from service.post import links
from service.settings import Settings
from service.store import database as db
from service.store.models import Link, now
from service.store.seats import by_match_id, seats_of
from tests.service.conftest import on_sqlite, person

OLD, NEW = "an-old-key-for-tests-of-32-letters-and-more", "a-new-key-for-tests-of-32-letters-and-more"


def seat_link(session: Session) -> Link:
    match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 2)
    return links.turn_link(session, match, seats_of(session, match)[0])


@on_sqlite
def test_a_token_opens_its_link_as_often_as_one_likes(settings: Settings) -> None:
    with db.transaction(settings) as session:
        link = seat_link(session)
        token = links.sign(settings, link)
    for _ in range(2):
        with db.open_session(settings) as session:
            assert links.verify(settings, session, token, links.TURN).id == link.id


@on_sqlite
def test_a_cut_or_changed_token_is_forged(settings: Settings) -> None:
    with db.transaction(settings) as session:
        token = links.sign(settings, seat_link(session))
    with db.open_session(settings) as session:
        for broken in ("", "x", token[:-1], token[1:], token[: len(token) // 2], token + "A", token.swapcase(), "é" + token):
            with pytest.raises(LinkForged, match="Part of this link is missing"):
                links.verify(settings, session, broken, links.TURN)


@on_sqlite
def test_a_token_signed_with_a_strange_key_is_forged(settings: Settings) -> None:
    with db.transaction(settings) as session:
        link = seat_link(session)
        strange = settings.model_copy(update={"secret_keys": ("another-key-for-tests-of-32-letters-and-more",)})
        with pytest.raises(LinkForged):
            links.verify(settings, session, links.sign(strange, link), links.TURN)


def test_a_signed_token_of_no_link_leads_nowhere(settings: Settings) -> None:
    signer = URLSafeSerializer(list(settings.keys), salt="writ link")
    with db.open_session(settings) as session:
        for inside in (7, None, ["x"], {"id": 1}):
            with pytest.raises(LinkForged, match="leads nowhere"):
                links.verify(settings, session, str(signer.dumps(inside)), links.TURN)
        with pytest.raises(BadLink, match="no longer works"):  # ours, of a row that was thrown away
            links.verify(settings, session, str(signer.dumps("0" * 32)), links.TURN)


def test_a_link_opens_nothing_but_what_it_was_made_for(settings: Settings) -> None:
    with db.transaction(settings) as session:
        token = links.sign(settings, seat_link(session))
        for purpose in (links.SIGN_IN, links.INVITE):
            with pytest.raises(LinkForged):
                links.verify(settings, session, token, purpose)


@on_sqlite
def test_keys_rotate_the_first_signs_and_all_are_accepted(settings: Settings) -> None:
    old = settings.model_copy(update={"secret_keys": (OLD,)})
    both = settings.model_copy(update={"secret_keys": (NEW, OLD)})
    new = settings.model_copy(update={"secret_keys": (NEW,)})
    with db.transaction(settings) as session:
        link = seat_link(session)
        before, after = links.sign(old, link), links.sign(both, link)
        assert links.verify(both, session, before, links.TURN).id == link.id
        assert links.verify(new, session, after, links.TURN).id == link.id
        with pytest.raises(LinkForged):
            links.verify(new, session, before, links.TURN)


@on_sqlite
def test_a_link_runs_out(settings: Settings) -> None:
    with db.transaction(settings) as session:
        link = seat_link(session)
        token = links.sign(settings, link)
        last = now() + timedelta(days=settings.link_days)
        with time_machine.travel(last - timedelta(minutes=1), tick=False):
            assert links.verify(settings, session, token, links.TURN).id == link.id
        with time_machine.travel(last + timedelta(minutes=1), tick=False), pytest.raises(LinkExpired, match="run out"):
            links.verify(settings, session, token, links.TURN)


def test_a_sign_in_link_runs_out_after_a_day(settings: Settings) -> None:
    with db.transaction(settings) as session:
        token = links.sign(settings, links.sign_in_link(session, person(session, "Anna")))
        with time_machine.travel(now() + timedelta(hours=25), tick=False), pytest.raises(LinkExpired):
            links.verify(settings, session, token, links.SIGN_IN)


def test_a_link_that_was_called_back_stays_so(settings: Settings) -> None:
    with db.transaction(settings) as session:
        link = seat_link(session)
        token = links.sign(settings, link)
        links.revoke(session, link)
        first = link.revoked_at
        links.revoke(session, link)
        assert link.revoked_at == first
        with pytest.raises(LinkRevoked, match="called back"):
            links.verify(settings, session, token, links.TURN)


def test_renewing_a_seat_voids_all_its_links_and_no_other(settings: Settings) -> None:
    with db.transaction(settings) as session:
        link = seat_link(session)
        match = by_match_id(session, link.match_id or "")
        first, second = seats_of(session, match)
        other = links.turn_link(session, match, second)
        links.renew_seat(session, first)
        with pytest.raises(LinkRevoked, match="renewed"):
            links.verify(settings, session, links.sign(settings, link), links.TURN)
        assert links.verify(settings, session, links.sign(settings, other), links.TURN).id == other.id
        fresh = links.turn_link(session, match, first)
        assert links.verify(settings, session, links.sign(settings, fresh), links.TURN).id == fresh.id


def test_signing_out_everywhere_voids_sign_in_links(settings: Settings) -> None:
    with db.transaction(settings) as session:
        account = person(session, "Anna")
        token = links.sign(settings, links.sign_in_link(session, account))
        assert links.verify(settings, session, token, links.SIGN_IN).account_id == account.id
        accounts.sign_out_everywhere(session, account)
        with pytest.raises(LinkRevoked, match="signed out"):
            links.verify(settings, session, token, links.SIGN_IN)


@on_sqlite
def test_opening_changes_nothing(settings: Settings) -> None:
    with db.transaction(settings) as session:
        token = links.sign(settings, seat_link(session))
    with db.open_session(settings) as session:
        links.verify(settings, session, token, links.TURN)
        assert not session.dirty and not session.new
        with pytest.raises(BadLink):
            links.verify(settings, session, token + "x", links.TURN)
        assert not session.dirty and not session.new
