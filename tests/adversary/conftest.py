"""The same houses and tables as the tests of the service have."""

from __future__ import annotations

from tests.service.conftest import empty_sqlite, rng, sent, settings, sink, table

__all__ = ["empty_sqlite", "rng", "sent", "settings", "sink", "table"]
