"""What columns hold is read back as it was written."""

from __future__ import annotations

import json

import pytest
from alembic.script import ScriptDirectory

from service.settings import Settings
from service.store.database import ROOT, newest_migration, open_session, read_json


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


def test_the_newest_migration_is_the_one_that_alembic_would_go_to() -> None:
    scripts = ScriptDirectory(str(ROOT / "migrations"))
    assert newest_migration() == scripts.get_current_head()
