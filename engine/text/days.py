"""Dates in answers; the engine has no clock."""

from __future__ import annotations

from datetime import date

from engine.core.asks import Answer, Choice, Number, PickOne

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
YEARS = (2026, 2060)
FIELDS = (Number("day", 1, 31), PickOne("month", tuple(Choice(month) for month in MONTHS)), Number("year", *YEARS))
"""Fields of an option that ends with a date; pages show a calendar, see `engine.ui.forms.is_dated`."""


def of(order: Answer) -> date | None:
    """The answer's date; None if there is none."""
    try:
        return date(order.number("year"), MONTHS.index(order.pick("month")) + 1, order.number("day"))
    except ValueError:
        return None
