"""Chance: committed, keyed by purpose, and fair."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.chance import GUESSES, Chance, _below, commitment, entropy_of, guess, keyed_hash, secret

CRITICAL = {1: 10.83, 2: 13.82, 4: 18.47, 5: 20.52, 9: 27.88, 14: 36.12, 23: 49.73}
"""Chi-square values that chance passes once in a thousand tries, by degrees of freedom. The seeds are fixed, so it is no
matter of luck: a fair stream was found fair once, and stays so."""


def chi_square(counts: Counter[object], kinds: int, draws: int) -> float:
    expected = draws / kinds
    return sum((n - expected) ** 2 / expected for n in counts.values()) + (kinds - len(counts)) * expected


@pytest.mark.parametrize("key", ["", "k", "x" * 64, "x" * 65, "ü" * 40, secret(b"seed", ["1"])])
def test_a_draw_is_made_of_the_hmac_that_everybody_knows(key: str) -> None:
    assert keyed_hash(key, "deck/1/0") == hmac.digest(key.encode(), b"deck/1/0", "sha256")


@pytest.mark.parametrize("n", [2, 3, 5, 6, 10, 24])
def test_numbers_are_uniform(n: int) -> None:
    chance = Chance("uniform")
    counts: Counter[object] = Counter(chance.below(n, "n") for _ in range(6000))
    assert set(counts) == set(range(n))
    assert chi_square(counts, n, 6000) < CRITICAL[n - 1]


def test_shuffles_are_uniform() -> None:
    chance, counts = Chance("shuffles"), Counter[object]()
    for _ in range(6000):
        cards = [1, 2, 3, 4]
        chance.shuffle(cards, "deck")
        counts[tuple(cards)] += 1
    assert set(counts) == set(permutations([1, 2, 3, 4]))
    assert chi_square(counts, 24, 6000) < CRITICAL[23]


def test_samples_are_uniform() -> None:
    chance = Chance("samples")
    counts: Counter[object] = Counter(tuple(chance.sample(6, 2, "hand")) for _ in range(6000))
    assert len(counts) == 15
    assert chi_square(counts, 15, 6000) < CRITICAL[14]


def test_dice_are_uniform_from_one() -> None:
    chance = Chance("dice")
    counts: Counter[object] = Counter(chance.die(6, "die") for _ in range(6000))
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert chi_square(counts, 6, 6000) < CRITICAL[5]


@pytest.mark.parametrize(
    ("n", "limit"),
    [
        (1, 2**32),
        (2, 2**32),
        (3, 2**32 - 1),
        (5, 2**32 - 1),
        (6, 2**32 - 4),
        (7, 2**32 - 4),
        (10, 2**32 - 6),
        (2**31 + 1, 2**31 + 1),
    ],
)
def test_words_past_the_last_whole_multiple_are_thrown_away(n: int, limit: int) -> None:
    # Random streams meet one such word in a thousand million; without this the low numbers would come a little more often.
    assert limit % n == 0 and limit + n > 2**32
    assert _below(iter([limit - 1]), n) == n - 1 and _below(iter([0]), n) == 0
    thrown = range(limit, 2**32)
    assert _below(iter([*thrown[:6], *thrown[-1:], limit - 1]), n) == n - 1


def test_a_shuffle_throws_such_words_away_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def shuffled(*words: int) -> list[str]:
        monkeypatch.setattr("engine.core.chance._words", lambda _key, _label: iter(words))
        cards = list("abcdef")
        Chance("key").shuffle(cards, "deck", 2)
        return cards

    # Of six cards 2^32 - 4 is the first word that is thrown away, of five 2^32 - 1.
    assert shuffled(2**32 - 5, 2**32 - 2) == shuffled(5, 4) == list("abcdef")
    assert shuffled(2**32 - 4, 2**32 - 1, 2, 2**32 - 1, 0) == shuffled(2, 0) == list("ebfdac")


def words(key: str, label: str, blocks: int) -> list[int]:
    """The words of a draw by the book: HMAC-SHA-256 of the secret over `purpose/number/block`, four bytes each, high first."""
    whole = b"".join(hmac.new(key.encode(), f"{label}/{block}".encode(), "sha256").digest() for block in range(blocks))
    return [int.from_bytes(whole[i : i + 4], "big") for i in range(0, len(whole), 4)]


def test_draws_are_those_of_the_book() -> None:
    # Whoever has the seed makes them again with nothing but a hash and this: the words one after the other, block 0 first.
    chance, big = Chance("key"), 2**32
    assert [chance.below(big, "cube") for _ in range(3)] == [words("key", f"cube/{n}", 1)[0] for n in (1, 2, 3)]
    assert chance.die(6, "die") == 1 + words("key", "die/1", 1)[0] % 6
    cards, expected, source = list(range(20)), list(range(20)), iter(words("key", "deck/1", 3))
    chance.shuffle(cards, "deck")
    for i in range(19, 0, -1):
        j = next(source) % (i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert cards == expected
    pool, source = list(range(12)), iter(words("key", "hand/1", 2))
    for i in range(9):
        j = i + next(source) % (12 - i)
        pool[i], pool[j] = pool[j], pool[i]
    assert chance.sample(12, 9, "hand") == sorted(pool[:9])
    assert chance.drawn == {"cube": 3, "die": 1, "deck": 1, "hand": 1}


def test_a_word_of_a_player_is_hashed_as_it_is_written() -> None:
    assert entropy_of("sött") == hashlib.sha256("sött".encode()).hexdigest()
    whole = hashlib.sha256(b"seed" + b"\0aa" + b"\0bb").hexdigest()
    assert secret(b"seed", ["aa", "bb"]) == whole


def test_the_first_guesses_are_those_of_the_plain_generator() -> None:
    at = (3 * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) % 2**64
    source, found = guess(3), []
    for n in (10, 1000, 2**32):
        at = (at * 6364136223846793005 + 1442695040888963407) % 2**64
        found.append((at >> 32) * n >> 32)
    assert [source.below(n, "any") for n in (10, 1000, 2**32)] == found and source.drawn == {}


@given(st.integers(0, GUESSES - 1), st.integers(0, 40), st.one_of(st.none(), st.integers(0, 45)))
def test_a_guessed_shuffle_is_of_one_number_and_draws_the_last_few_alone(seed: int, n: int, last: int | None) -> None:
    cards, source, same = list(range(n)), guess(seed), guess(seed)
    source.shuffle(cards, "any", last)
    drawn = max(0, n - 1) if last is None else max(0, min(last, n - 1))
    expected = list(range(n))
    if drawn:
        stretched = hashlib.shake_128(same.below(2**32, "any").to_bytes(4, "big")).digest(4 * drawn)
        for i in range(drawn):
            top = n - 1 - i
            j = int.from_bytes(stretched[4 * i : 4 * i + 4], "big") * (top + 1) >> 32
            expected[top], expected[j] = expected[j], expected[top]
    assert cards == expected and source == same


def test_neighbouring_draws_are_independent() -> None:
    chance, pairs = Chance("pairs"), Counter[object]()
    last = chance.below(2, "coin")
    for _ in range(8000):
        coin = chance.below(2, "coin")
        pairs[last, coin] += 1
        last = coin
    assert chi_square(pairs, 4, 8000) < 16.27  # 3 degrees of freedom


def test_a_purpose_has_a_stream_of_its_own() -> None:
    alone, mixed = Chance("key"), Chance("key")
    expected = [alone.below(1000, "battle-deck") for _ in range(20)]
    found = []
    for i in range(20):
        mixed.shuffle(list(range(i)), "army-deck")
        mixed.die(6, "influence-cube")
        found.append(mixed.below(1000, "battle-deck"))
    assert found == expected
    assert mixed.drawn == {"army-deck": 20, "influence-cube": 20, "battle-deck": 20}


def test_a_draw_that_needs_more_words_does_not_shift_the_next() -> None:
    one, two = Chance("key"), Chance("key")
    one.shuffle(list(range(60)), "deck")
    two.shuffle(list(range(2)), "deck")
    assert one.below(10**6, "deck") == two.below(10**6, "deck")


def test_purposes_numbers_and_secrets_give_different_draws() -> None:
    big = 2**31
    assert len({Chance(s).below(big, p) for s in ("a", "b") for p in ("x", "y", "x/1", "x/11")}) == 8
    chance = Chance("a")
    assert len({chance.below(big, "x") for _ in range(50)}) == 50


def test_sampling_takes_what_there_is() -> None:
    assert Chance("s").sample(0, 2, "hand") == []
    assert Chance("s").sample(1, 2, "hand") == [0]
    assert Chance("s").sample(2, 2, "hand") == [0, 1]
    assert Chance("s").below(1, "one") == 0


@given(st.text(max_size=20), st.integers(1, 200), st.integers(0, 200))
def test_draws_keep_their_bounds_and_repeat(key: str, n: int, k: int) -> None:
    one, two = Chance(key), Chance(key)
    assert 0 <= one.below(n, "a") < n
    sample = one.sample(n, k, "b")
    assert sample == sorted(set(sample)) and len(sample) == min(n, k) and all(0 <= i < n for i in sample)
    cards = list(range(n))
    one.shuffle(cards, "c")
    assert sorted(cards) == list(range(n))
    again = list(range(n))
    two.below(n, "a")
    two.sample(n, k, "b")
    two.shuffle(again, "c")
    assert again == cards and one == two


def test_the_commitment_is_the_sha_256_of_the_seed() -> None:
    assert commitment(b"seed") == hashlib.sha256(b"seed").hexdigest()


def test_every_seat_changes_the_secret() -> None:
    base = secret(b"seed", ["aa", "bb"])
    assert base == secret(b"seed", ["aa", "bb"])
    assert len({base, secret(b"Seed", ["aa", "bb"]), secret(b"seed", ["ab", "bb"]), secret(b"seed", ["bb", "aa"])}) == 4
    assert secret(b"seed", ["aab", "b"]) != secret(b"seed", ["aa", "bb"])


@given(st.integers(0, GUESSES - 1), st.integers(1, 200), st.integers(0, 200))
def test_a_guess_keeps_its_bounds_and_repeats(seed: int, n: int, k: int) -> None:
    one, two = guess(seed), guess(seed)
    assert 0 <= one.below(n, "a") < n and 1 <= one.die(6, "d") <= 6
    sample = one.sample(n, k, "b")
    assert sample == sorted(set(sample)) and len(sample) == min(n, k) and all(0 <= i < n for i in sample)
    cards = list(range(n))
    one.shuffle(cards, "c", k)
    assert sorted(cards) == list(range(n))
    again = list(range(n))
    two.below(n, "x")
    two.die(6, "x")
    two.sample(n, k, "x")
    two.shuffle(again, "x", k)
    assert again == cards and one == two


def test_a_guess_is_fair() -> None:
    draws, source = 24_000, guess(7)
    orders: Counter[object] = Counter()
    for _ in range(draws):
        cards = [0, 1, 2, 3]
        source.shuffle(cards, "")
        orders[tuple(cards)] += 1
    assert chi_square(orders, 24, draws) < CRITICAL[23]
    assert chi_square(Counter(source.below(10, "") for _ in range(draws)), 10, draws) < CRITICAL[9]
    firsts: Counter[object] = Counter(guess(seed).below(6, "") for seed in range(draws))
    assert chi_square(firsts, 6, draws) < CRITICAL[5], "seeds side by side"
    assert chi_square(Counter(tuple(source.sample(5, 2, "")) for _ in range(draws)), 10, draws) < CRITICAL[9]


@given(st.text(max_size=20), st.integers(1, 60), st.integers(0, 60))
def test_a_shuffle_of_the_last_few_is_the_beginning_of_the_whole(key: str, n: int, last: int) -> None:
    few, whole = list(range(n)), list(range(n))
    Chance(key).shuffle(few, "deck", last)
    Chance(key).shuffle(whole, "deck")
    taken = min(last, n)
    assert few[n - taken :] == whole[n - taken :] and sorted(few) == sorted(whole)


def test_a_guess_of_the_last_few_leaves_the_first_where_they_were() -> None:
    for last in range(1, 8):
        pool = list(range(8))
        guess(5).shuffle(pool, "any", last)
        assert len(pool) == 8 and sorted(pool) == list(range(8))
    seen = {tuple(shuffled(number, 2, 2)) for number in range(40)}
    assert seen == {(0, 1), (1, 0)}, "the very last two are drawn too"


def shuffled(seed: int, n: int, last: int) -> list[int]:
    pool = list(range(n))
    guess(seed).shuffle(pool, "any", last)
    return pool
