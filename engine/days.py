"""Days in answers: a day, a month by its name, a year. The engine knows no clock; it only reads what was said."""

from __future__ import annotations

from datetime import date

from engine.asks import Answer, Choice, Number, PickOne

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
YEARS = (2026, 2060)
FIELDS = (Number("day", 1, 31), PickOne("month", tuple(Choice(month) for month in MONTHS)), Number("year", *YEARS))
"""The fields of an option that ends with a day; a page shows them as a calendar, see `engine.forms.is_dated`."""


def of(order: Answer) -> date | None:
    """The day that such an answer says; None where the calendar has no such day."""
    try:
        return date(order.number("year"), MONTHS.index(order.pick("month")) + 1, order.number("day"))
    except ValueError:
        return None
