"""AP over all judgments of the unjudged documents that a ranking holds, one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.judged import judged
from rankscale.errors import ParameterError
from rankscale.measures.ap import AP

PAPER = "1 0 0 1 0 0 0 0 0 0 - - - - - - - - - -"


def slow_ap(grades: list[int], missed: int, depth: int | None) -> float:
    """AP as it is defined: precision at each relevant rank, over all that is relevant."""
    last = len(grades) if depth is None else depth
    precisions = [sum(grades[:rank]) / rank for rank in range(1, min(last, len(grades)) + 1) if grades[rank - 1]]
    base = sum(grades) + missed
    return sum(precisions) / base if base else 0.0


def test_the_ranking_of_moffat_and_zobel() -> None:
    table = judged(PAPER)
    assert AP().value(table).tolist() == [0.75]
    lowest, highest = AP().if_judged(table, 1)
    assert highest.round(4).tolist() == [0.5909]  # (1 + 2/4 + 3/11) / 3, as the paper says
    assert lowest[0] == pytest.approx((1 + 2 / 4 + 3 / 20) / 3, abs=1e-15)
    fillings = ([1, 0, 0, 1, 0, 0, 0, 0, 0, 0, *turned] for turned in product((0, 1), repeat=10))
    values = [slow_ap(filled, 0, None) for filled in fillings]
    assert AP().if_judged(table)[0][0] == pytest.approx(min(values), abs=1e-14)
    assert AP().if_judged(table)[1].tolist() == [0.75] == [max(values)]
    assert [end.tolist() for end in AP().if_judged(table, 0)] == [[0.75], [0.75]]
    assert np.isnan(AP().if_judged(table, 11)).all()


@settings(max_examples=150, deadline=None)
@given(
    ranking=st.lists(st.sampled_from(["0", "1", "-", "-", "-1"]), max_size=9),
    missed=st.integers(0, 2),
    depth=st.none() | st.integers(1, 10),
)
def test_it_is_the_range_over_all_fillings(ranking: list[str], missed: int, depth: int | None) -> None:
    table = judged(" ".join(ranking), "1 -", missed="1 " * missed)
    # The grade -1 is that of a pooled document without a judgment: it is unjudged too.
    unjudged = [place for place, grade in enumerate(ranking) if grade in {"-", "-1"}]
    by_number: dict[int, list[float]] = {}
    for turned in product((0, 1), repeat=len(unjudged)):
        filled = [int(grade == "1") for grade in ranking]
        for place, relevant in zip(unjudged, turned, strict=True):
            filled[place] = relevant
        by_number.setdefault(sum(turned), []).append(slow_ap(filled, missed, depth))
    measure = AP(depth=depth)
    for number, values in by_number.items():
        lowest, highest = measure.if_judged(table, number)
        assert (lowest[0], highest[0]) == pytest.approx((min(values), max(values)), abs=1e-13)
    every = [value for values in by_number.values() for value in values]
    lowest, highest = measure.if_judged(table)
    assert (lowest[0], highest[0]) == pytest.approx((min(every), max(every)), abs=1e-13)


def test_judged_documents_alone_leave_nothing_open() -> None:
    lowest, highest = AP(judged_only=True).if_judged(judged("- 1 0 - 1"))
    assert lowest.tolist() == highest.tolist() == AP(judged_only=True).value(judged("- 1 0 - 1")).tolist()


def test_odd_rankings() -> None:
    lowest, highest = AP().if_judged(judged("", "- -", "0"))
    assert lowest.tolist() == [0.0, 0.0, 0.0]
    assert highest.tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(ParameterError, match="from 0, got -1"):
        AP().if_judged(judged("-"), -1)
