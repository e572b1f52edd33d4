"""What the tests of the service are set up with, for the workers' too."""

from __future__ import annotations

from tests.service.conftest import over, rng, sent, settings, sink, table  # noqa: F401  (fixtures)
