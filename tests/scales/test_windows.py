"""Images by windows against plain enumeration in fractions, the vectors, and each other."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.errors import ScaleError
from rankscale.scales.counting import average_precision as ap
from rankscale.scales.counting import windows
from rankscale.scales.counting.average_precision import GAINS, FloatImage, average_precision
from rankscale.scales.counting.halves import ReciprocalRanks, number_of_rankings, weighted_sum
from rankscale.scales.counting.image import Image, Limits, Universe

Case = dict[str, Any]
Value = Callable[[Universe, tuple[int, ...]], Fraction]

RELEVANT = Limits((-1, 0), (3,))


def sum_of_precisions(_: Universe, ranking: tuple[int, ...]) -> Fraction:
    return sum(
        (Fraction(sum(ranking[:rank]), rank) for rank in range(1, len(ranking) + 1) if ranking[rank - 1]), Fraction(0)
    )


def reciprocal_rank_of_stop(universe: Universe, ranking: tuple[int, ...]) -> Fraction:
    value, left = Fraction(0), Fraction(1)
    for rank, place in enumerate(ranking, start=1):
        value += left * universe.gains[place] / rank
        left *= 1 - universe.gains[place]
    return value


def gain_over_rank(universe: Universe, ranking: tuple[int, ...]) -> Fraction:
    return sum((universe.gains[place] / rank for rank, place in enumerate(ranking, start=1)), Fraction(0))


def over_rank(universe: Universe) -> Image:
    weights = tuple(Fraction(1, rank) for rank in range(1, universe.depth + 1))
    return windows.WindowImage(universe, weighted_sum(universe.gains, weights))


def expected_reciprocal_rank(universe: Universe) -> windows.WindowImage:
    return windows.WindowImage(universe, ReciprocalRanks(universe.depth, universe.gains))


def stopping(highest: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(2**grade - 1, 2**highest) for grade in range(highest + 1))


def enumerated(universe: Universe, value: Value) -> dict[tuple[int, ...], Fraction]:
    """All rankings of a universe, one by one, and their values."""
    found = {}
    for ranking in itertools.product(range(len(universe.gains)), repeat=universe.depth):
        taken = Counter(universe.kinds[place] for place in ranking)
        most = universe.limits.most if universe.limits else ()
        if all(taken[kind] <= number for kind, number in enumerate(most)):
            found[ranking] = value(universe, ranking)
    return found


def assert_enumerated(image: Image, value: Value, every: int = 1) -> None:
    values = enumerated(image.universe, value)
    distinct = sorted(set(values.values()))
    ranks = {number: rank for rank, number in enumerate(distinct, start=1)}
    numbers = Counter(values.values())
    below = dict(zip(distinct, itertools.accumulate((numbers[number] for number in distinct), initial=0), strict=False))
    asked = list(values)[::every]
    rankings = np.array(asked)
    assert number_of_rankings(image.universe, image.universe.depth) == len(values)
    assert image.size == len(distinct)
    assert image.ranks(rankings) == [ranks[values[ranking]] for ranking in asked]
    assert image.among_rankings(rankings) == [(below[values[row]], numbers[values[row]]) for row in asked]
    assert image.values().tolist() == [float(number) for number in distinct]


GRADED = (
    (average_precision, sum_of_precisions, GAINS, range(1, 13)),
    (expected_reciprocal_rank, reciprocal_rank_of_stop, stopping(1), range(1, 13)),
    (expected_reciprocal_rank, reciprocal_rank_of_stop, stopping(3), range(1, 7)),
    (over_rank, gain_over_rank, GAINS, range(1, 13)),
    (over_rank, gain_over_rank, (Fraction(-1, 3), Fraction(0), Fraction(2)), range(1, 8)),
)


@pytest.mark.parametrize(
    ("make", "value", "gains", "depth"),
    [(make, value, gains, depth) for make, value, gains, depths in GRADED for depth in depths],
)
def test_all_rankings_agree_with_enumeration(make, value, gains, depth) -> None:
    assert_enumerated(make(Universe(gains, depth)), value, every=1 if depth < 10 else 7)


@pytest.mark.parametrize("most", [0, 1, 3, 5, 20])
@pytest.mark.parametrize(("make", "value"), [(average_precision, sum_of_precisions), (over_rank, gain_over_rank)])
def test_feasible_rankings_agree_with_enumeration(make, value, most) -> None:
    assert_enumerated(make(Universe(GAINS, 11, Limits((-1, 0), (most,)))), value)


@pytest.mark.parametrize("most", [(1, 0, 2), (2, 2, 2), (6, 1, 0)])
def test_feasible_grades_agree_with_enumeration(most) -> None:
    universe = Universe(stopping(3), 6, Limits((-1, 0, 1, 2), most))
    assert_enumerated(expected_reciprocal_rank(universe), reciprocal_rank_of_stop)


def test_kinds_can_be_shared_and_none_be_endless() -> None:
    universe = Universe(stopping(3), 6, Limits((0, 1, 1, 2), (4, 3, 1)))
    assert_enumerated(expected_reciprocal_rank(universe), reciprocal_rank_of_stop)


@cache
def in_one_window(depth: int, limits: Limits | None) -> windows.WindowImage:
    found = average_precision(Universe(GAINS, depth, limits))
    assert len(found.boundaries) <= 3
    return found


@pytest.mark.slow
@given(st.data())
def test_small_windows_give_the_same_ranks(data: st.DataObject) -> None:
    depth = data.draw(st.integers(8, 14))
    ranking = st.lists(st.integers(0, 1), min_size=depth, max_size=depth)
    rankings = np.array(data.draw(st.lists(ranking, min_size=1, max_size=8)))
    limits = data.draw(st.sampled_from([None, RELEVANT]))
    if limits and (rankings.sum(axis=1) > 3).any():
        return
    one, many = in_one_window(depth, limits), average_precision(Universe(GAINS, depth, limits))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "WINDOW", data.draw(st.integers(16, 46)))  # the least universe has 93 sums
        assert len(many.boundaries) > 2
        assert many.ranks(rankings) == one.ranks(rankings)
    assert many.size == one.size
    assert [end.tolist() for end in many.ends(7)] == [end.tolist() for end in one.ends(7)]


AT_18 = expected_reciprocal_rank(Universe(stopping(1), 18))


@given(st.lists(st.integers(0, 1), min_size=18, max_size=18))
def test_ranks_lie_between_values_and_rankings(ranking: list[int]) -> None:
    image = AT_18
    (below, same), (rank,) = image.among_rankings(np.array([ranking]))[0], image.ranks(np.array([ranking]))
    assert 1 <= rank <= below + 1
    assert same >= 1
    assert image.size - rank <= 2**18 - below - same


@pytest.fixture(scope="module")
def vectors(shared_data: Path) -> list[Case]:
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if case["measure"] in {"ap", "err"}]


LARGE = 1_000_000  # values; vectors of larger scales are slow


def image_of(case: Case) -> windows.WindowImage:
    if case["measure"] == "ap":
        return average_precision(Universe(GAINS, case["N"]))
    gains = tuple(Fraction(2 ** int(grade) - 1, 2 ** case["params"]["gmax"]) for grade in case["gains"])
    return expected_reciprocal_rank(Universe(gains, case["N"]))


@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_vectors(vectors: list[Case], large: bool) -> None:  # noqa: FBT001
    assert len(vectors) == 104
    chosen = [case for case in vectors if (case["n_distinct"] > LARGE) == large]
    assert chosen
    for _, group in itertools.groupby(sorted(chosen, key=_image_key), key=_image_key):
        cases = list(group)
        image = image_of(cases[0])
        rankings = np.array([case["run"] for case in cases])
        values = [Fraction(int(number), image.halves.recurrence.scale) for number in image.halves.of(rankings)]
        assert values == [Fraction(case["value"]) for case in cases]
        assert {image.size} == {case["n_distinct"] for case in cases}
        assert image.ranks(rankings) == [case["phi"] for case in cases]
        for case, (below, same) in zip(cases, image.among_rankings(rankings), strict=True):
            if "runs_less" in case:
                assert (below, same) == (case["runs_less"], case["runs_equal"])
                assert below + Fraction(same + 1, 2) == Fraction(case["midrank"])


def _image_key(case: Case) -> tuple[str, int, str, int]:
    return case["measure"], case["N"], str(case["params"]), len(case["gains"])


def test_published_sizes_of_feasible_ap() -> None:
    assert average_precision(Universe(GAINS, 40, Limits((-1, 0), (5,)))).size == 433_389  # INTERVALS, section 3


def test_ends_are_sums_of_precisions() -> None:
    first, last = average_precision(Universe(GAINS, 30)).ends(3)
    assert first.tolist() == [0.0, 1 / 30, 1 / 29]
    assert last[-1] == 30
    assert (np.diff(last) > 0).all()


def test_ends_are_found_where_ranks_would_take_hours() -> None:
    first, last = average_precision(Universe(GAINS, 40)).ends(4)
    assert first.tolist() == [0.0, 1 / 40, 1 / 39, 1 / 38]
    assert last[-2:].tolist() == [39.0, 40.0]


def test_no_rankings_have_no_ranks() -> None:
    image = average_precision(Universe(GAINS, 5))
    none = np.zeros((0, 5), dtype=np.int64)
    assert image.ranks(none) == []
    assert image.among_rankings(none) == []
    assert [len(end) for end in image.ends(0)] == [0, 0]


def test_depth_41_is_refused_with_what_to_ask_instead() -> None:
    with pytest.raises(ScaleError, match=r"AP@41: .* 60 bits.*Percentile"):
        average_precision(Universe(GAINS, 41))
    with pytest.raises(ScaleError, match=r"ERR@28: .* 60 bits"):
        expected_reciprocal_rank(Universe(stopping(1), 28))
    with pytest.raises(ScaleError, match="too many to count"):
        windows.predicted(Universe(GAINS, 60), weighted_sum(GAINS, (Fraction(1),) * 60))


def test_grades_are_refused_where_documents_are_relevant_or_not() -> None:
    with pytest.raises(ScaleError, match="gains must be 0 and 1"):
        average_precision(Universe((Fraction(0), Fraction(2)), 5))


def test_rankings_outside_the_universe_are_refused() -> None:
    image = average_precision(Universe(GAINS, 5, RELEVANT))
    with pytest.raises(ScaleError, match="where there are 3"):
        image.ranks(np.ones((1, 5), dtype=np.int64))


def test_ap_at_40_counts_rankings_without_ranks() -> None:
    rankings = np.array([[0] * 40, [0] * 39 + [1], [1] * 39 + [0], [1] * 40])
    image = average_precision(Universe(GAINS, 40))
    found = image.among_rankings(rankings)
    assert (found[0], found[1], found[3]) == ((0, 1), (1, 1), (2**40 - 1, 1))
    assert found[2] == (2**40 - 2, 1)


def test_costs_are_predicted() -> None:
    table, made = ap.predicted(Universe(GAINS, 30)), ap.predicted(Universe(GAINS, 29))
    assert table.setup < 1
    assert 10 < made.setup < 60
    assert windows.predicted(Universe(stopping(1), 20), ReciprocalRanks(20, stopping(1))).setup < 1
    assert 1 << 20 < table.memory < 1 << 28


def test_progress_is_told_while_counting() -> None:
    seen: list[tuple[int, int]] = []
    image = average_precision(Universe(GAINS, 21))
    image.ranks(np.eye(21, dtype=np.int64), lambda done, of: seen.append((done, of)))
    assert seen[-1][0] == seen[-1][1]
    assert all(done <= of for done, of in seen)


def left_to_right(ranking: tuple[int, ...]) -> float:
    total, found = 0.0, 0
    for rank, relevant in enumerate(ranking, start=1):
        found += relevant
        if relevant:
            total += found / rank
    return total


@pytest.mark.parametrize("block", [3, 1 << 16])
def test_float_sums_agree_with_enumeration(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ap, "BLOCK", block)
    image = FloatImage(Universe(GAINS, 10))
    rankings = list(enumerated(image.universe, sum_of_precisions))
    of_all = [left_to_right(ranking) for ranking in rankings]
    sums = sorted(set(of_all))
    assert image.ranks(np.array(rankings)) == [sums.index(one) + 1 for one in of_all]
    counted = [(sum(other < one for other in of_all), of_all.count(one)) for one in of_all[::7]]
    assert image.among_rankings(np.array(rankings[::7])) == counted
    assert image.size == len(sums)
    if block > len(of_all):
        assert image.values().tolist() == sums


def test_published_float_sizes() -> None:
    assert [FloatImage(Universe(GAINS, depth)).size for depth in (10, 20)] == [866, 736_541]  # REPRODUCE.md
    with pytest.raises(ScaleError, match=r"2\^31 sums"):
        FloatImage(Universe(GAINS, 31))
    with pytest.raises(ScaleError, match="over all rankings"):
        FloatImage(Universe(GAINS, 10, RELEVANT))
    assert "false distinctions" in str(FloatImage(Universe(GAINS, 5)).provenance)
