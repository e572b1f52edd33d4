"""The same houses and tables as the tests of the service have."""

from __future__ import annotations

from tests.service.conftest import over, rng, sent, settings, sink, table

__all__ = ["over", "rng", "sent", "settings", "sink", "table"]
