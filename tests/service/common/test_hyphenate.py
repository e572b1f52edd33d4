"""Long words are hyphenated between syllables, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.common.i18n import LONG, SHY, hyphenated


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        ("Châteauneuf", "Châ-teau-neuf"),
        ("Belleville", "Bel-le-ville"),
        ("Villeneuve", "Vil-le-neuve"),
        ("Guenièvre", "Gue-nièvre"),
        ("Saint-Symphorien", "Saint-Sym-pho-rien"),
        ("L'Épervier", "L'Épervier"),
        ("St Ciers d'Abzac", "St Ciers d'Abzac"),
        ("La Bussière", "La Bussière"),
    ],
)
def test_names_of_the_map_are_parted_between_syllables(whole: str, shown: str) -> None:
    assert hyphenated(whole).replace(SHY, "-") == shown


def test_words_of_a_language_follow_its_patterns_and_those_without_any_the_maps() -> None:
    assert hyphenated("Stronghold", "en") == f"Strong{SHY}hold"
    assert hyphenated("Befestigung", "de") == f"Befes{SHY}ti{SHY}gung"
    assert hyphenated("Villeneuve", "qps") == hyphenated("Villeneuve")


@given(st.text())
def test_nothing_but_soft_hyphens_is_added_and_short_words_stay(text: str) -> None:
    found = hyphenated(text)
    assert found.replace(SHY, "") == text.replace(SHY, "")
    for word in found.split():
        pieces = word.split(SHY)
        assert len(pieces) == 1 or SHY in text or (len("".join(pieces)) >= LONG and min(len(pieces[0]), len(pieces[-1])) >= 3)
