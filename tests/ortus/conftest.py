"""Every refusal of these tests is worded as it is raised."""

from __future__ import annotations

from tests.worded import every_refusal_is_worded as every_refusal_is_worded
