"""Addresses read from stored serials, and back."""

from __future__ import annotations

import pytest

from engine.core import offers
from engine.text import address
from engine.text.address import Power, Proposal, Question


@pytest.mark.parametrize(
    ("serial", "found"),
    [
        (7, Question(7)),
        (0, Power("call")),
        (-3 * offers.CIRCLE, Proposal("", 3)),
        (-(2 * offers.CIRCLE + 0b101), Proposal("ac", 2)),
        (-5, Proposal("ac", 0)),
    ],
)
def test_a_serial_is_read_as_what_it_addresses_and_stored_as_it_was(serial: int, found: address.Address) -> None:
    assert address.read(serial, "call") == found and address.stored(found) == serial
    assert address.number(found) == max(0, -serial)


def test_a_proposal_names_the_circle_that_its_number_has_on_the_desk() -> None:
    for mask in range(offers.CIRCLE):
        found = address.proposal(4 * offers.CIRCLE + mask)
        assert (tuple(found.circle) or None, found.n) == (offers.circle_of(found.number, "abcdef"), 4)
