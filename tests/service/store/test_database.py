"""What columns hold is read back as it was written."""

from __future__ import annotations

import json

import pytest

from service.settings import Settings
from service.store.database import open_session, read_json


@pytest.mark.parametrize(
    "kept", [{"said": "half of \ud83d"}, [1, 1.5, 1e300, 10**40, None, True, {"é": ["\0", ""]}], float("inf")]
)
def test_json_is_read_as_the_standard_library_reads_it(kept: object) -> None:
    assert read_json(json.dumps(kept)) == kept
    assert read_json(json.dumps(kept).encode()) == kept


def test_sessions_of_a_kind_share_what_they_are_opened_by(settings: Settings) -> None:
    for writes in (True, False):
        with open_session(settings, writes) as one, open_session(settings, writes) as other:
            assert one.get_bind() is other.get_bind()
