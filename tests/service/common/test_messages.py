"""Sentences as data: kept in rows, read back, and put into words for who reads them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from engine.core.asks import NotLegal
from engine.language.i18n import languages, made_up, speaking
from engine.language.words import Message, plain, say
from service.common.dates import Day, Moment, Span, day, shown, shown_with_utc, span, stamp, weekday
from service.common.i18n import called, gettext, listed, ngettext, speaking_to
from service.common.messages import Listed, as_text, nsentence, read, sentence
from service.errors import NotAllowed
from tests.marked import LANGUAGE, PseudoLocale, mark

AT = datetime(2026, 11, 21, 17, 0, tzinfo=UTC)
WHOLE = sentence(
    "%(who)s waits since %(day)s until %(when)s, for %(span)s: %(why)s %(more)s",
    who=Listed(["Anna", "Bert"]),
    day=Day(AT),
    when=Moment(AT, utc=True),
    span=Span(30 * 3600),
    why=nsentence("%(num)s seat is free.", "%(num)s seats are free.", 2),
    more=plain("So it is."),
)
IN_VIENNA = (
    "Anna, Bert waits since 21 Nov 2026 until Sat 21 Nov 2026, 18:00 CET (17:00 UTC), for 1 day 6 h: "
    "2 seats are free. So it is."
)


@pytest.mark.parametrize(
    "said",
    [WHOLE, sentence("Nothing was changed."), say("games.no_such_game", name="chess", games=["ortus"]), plain("As it was.")],
    ids=["facts of all kinds", "no facts", "the engine's", "only words"],
)
def test_a_sentence_out_of_a_row_is_the_one_that_was_put_in(said: Message) -> None:
    assert read(json.loads(json.dumps(said.stored()))) == said
    assert read(as_text(said)) == said


def test_moments_are_put_into_words_for_their_reader() -> None:
    with speaking_to("en", "Europe/Vienna"):
        assert str(WHOLE) == IN_VIENNA
    with speaking_to("en", "Asia/Tokyo"):
        assert "Sun 22 Nov 2026, 02:00 JST (17:00 UTC)" in str(WHOLE) and "since 22 Nov" in str(WHOLE)


@pytest.mark.parametrize("old", ["You have no seat in this game.", "100% of {it}", "{not: data", "{}", "[1]", '"so"', ""])
def test_a_row_from_before_holds_a_sentence_that_reads_as_it_is(old: str) -> None:
    assert str(read(old)) == old


def test_a_refusal_speaks_the_language_of_who_reads_it() -> None:
    refusal = NotAllowed(sentence("You have no seat in “%(name)s”.", name="Harvest war"))
    assert str(refusal) == "You have no seat in “Harvest war”."
    with made_up(LANGUAGE, PseudoLocale(mark)), speaking(LANGUAGE):
        assert str(refusal) == "⟦You have no seat in “⟧Harvest war”."
        nested = NotLegal(sentence("Not so: %(why)s", why=refusal.said))
        assert str(nested) == "⟦Not so: ⟧⟦You have no seat in “⟧Harvest war”."
        assert str(read(as_text(nested.said))) == str(nested)
    assert str(read(as_text(NotLegal("As it was.").said))) == "As it was."


def test_plurals_lists_and_percent_signs() -> None:
    assert ngettext("%(num)s seat of %(all)s", "%(num)s seats of %(all)s", 1, all=3) == "1 seat of 3"
    assert str(nsentence("%(num)s seat", "%(num)s seats", 0)) == "0 seats"
    assert gettext("100%") == "100%" and gettext("%(n)s%%", n=5) == "5%"
    assert (listed([]), listed(["A"]), listed(["A", 2, "C"])) == ("", "A", "A, 2, C")


def test_moments_and_spans_in_english_read_as_ever() -> None:
    assert shown(AT, "UTC") == shown_with_utc(AT, "UTC") == "Sat 21 Nov 2026, 17:00 UTC"
    assert shown(AT, "America/Sao_Paulo") == "Sat 21 Nov 2026, 14:00 America/Sao_Paulo"
    assert (day(AT), weekday(AT, "Asia/Tokyo"), stamp(AT)) == ("21 Nov 2026", "Sun 22 Nov 2026", "21 Nov 2026, 17:00 UTC")
    assert [span(s) for s in (0, 20, 90, 7260, 86400, 108000)] == ["0 min", "20 s", "1 min", "2 h 1 min", "1 day", "1 day 6 h"]


def test_other_languages_have_their_own_names_of_days() -> None:
    with speaking("de"):
        assert shown(AT, "UTC").startswith("Sa. 21 Nov")


def test_a_language_is_there_as_long_as_its_catalogue() -> None:
    assert languages()[0] == "en" and LANGUAGE not in languages()
    with made_up(LANGUAGE, PseudoLocale(mark)):
        assert LANGUAGE in languages()
    assert (called("de"), called("pt-BR"), called(LANGUAGE)) == ("Deutsch", "português (Brasil)", LANGUAGE)
