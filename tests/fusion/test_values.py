"""Fusion against the worked values of the definitions, which an independent program computed."""

import numpy as np
import pytest

import rankscale as rs
from rankscale.fusion.methods import normalised
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import read_lists

X = {"1": {"a": 9, "b": 7, "c": 5, "d": 4}}
Y = {"1": {"b": 0.8, "e": 0.6, "a": 0.2}}
RUNS = {"X": X, "Y": Y}
FUSED = {
    "CombSUM": ((1, 1.6, 0.2, 0, 0.666667), "baecd"),
    "CombMNZ": ((2, 3.2, 0.2, 0, 0.666667), "baecd"),
    "CombANZ": ((0.5, 0.8, 0.2, 0, 0.666667), "beacd"),
    "CombMED": ((0.5, 0.8, 0.2, 0, 0.666667), "beacd"),
    "CombMAX": ((1, 1, 0.2, 0, 0.666667), "baecd"),
    "CombMIN": ((0, 0.6, 0.2, 0, 0.666667), "ebcda"),
    "WSum": ((0.3, 0.88, 0.06, 0, 0.466667), "beacd"),
    "RRF": ((0.032266, 0.032522, 0.015873, 0.015625, 0.016129), "baecd"),
    "ISR": ((2.222222, 2.5, 0.111111, 0.0625, 0.25), "baecd"),
    "logISR": ((0.770164, 0.866434, 0, 0, 0), "baedc"),
    "RBC": ((0.328, 0.36, 0.128, 0.1024, 0.16), "baecd"),
    "Borda": ((8, 9, 4.5, 3.5, 5), "baecd"),
    "Condorcet": ((3, 3.5, 1.5, 0.5, 1.5), "baecd"),
}
NORMS = {
    "min-max": ((1, 0.6, 0.2, 0, None), (0, 1, None, None, 0.666667)),
    "sum": ((0.555556, 0.333333, 0.111111, 0, None), None),
    "zmuv": ((1.432078, 0.390567, -0.650945, -1.171700, None), (-1.336306, 1.069045, None, None, 0.267261)),
    "borda": (None, (0.6, 1, 0.3, 0.3, 0.8)),
}


@pytest.mark.parametrize("method", FUSED)
def test_fused_values_and_their_order(method: str) -> None:
    values, order = FUSED[method]
    fused = rs.fuse(RUNS, method, weights=[0.3, 0.7] if method == "WSum" else None)
    assert "".join(fused.run["1"]) == order
    assert [fused.run["1"][document] for document in "abcde"] == pytest.approx(values, abs=5e-7)


@pytest.mark.parametrize("norm", NORMS)
def test_norms(norm: str) -> None:
    lists = read_lists(RUNS, Reading()).of("1")
    made = normalised(lists, norm).values[:, ::-1]  # documents descend
    for row, expected in zip(made, NORMS[norm], strict=True):
        if expected is not None:
            assert row == pytest.approx([np.nan if x is None else x for x in expected], abs=5e-7, nan_ok=True)


def test_comb_sum_after_zmuv() -> None:
    fused = rs.fuse(RUNS, "CombSUM", norm="zmuv").run["1"]
    expected = (0.095772, 1.459612, -0.650945, -1.171700, 0.267261)
    assert [fused[document] for document in "abcde"] == pytest.approx(expected, abs=5e-7)


def test_max_rank_and_none() -> None:
    lists = read_lists(RUNS, Reading()).of("1")
    by_hand = {
        "max": [[1, 7 / 9, 5 / 9, 4 / 9, np.nan], [0.25, 1, np.nan, np.nan, 0.75]],
        "rank": [[1, 0.75, 0.5, 0.25, np.nan], [1 / 3, 1, np.nan, np.nan, 2 / 3]],
        "none": [[9, 7, 5, 4, np.nan], [0.2, 0.8, np.nan, np.nan, 0.6]],
    }
    for norm, expected in by_hand.items():
        for row, one in zip(normalised(lists, norm).values[:, ::-1], expected, strict=True):
            assert row == pytest.approx(one, abs=1e-12, nan_ok=True)


def test_log_n_isr_by_hand() -> None:
    fused = rs.fuse(RUNS, "logNISR(sigma=0.5)").run["1"]
    assert fused["b"] == pytest.approx(np.log(2.5) * (1 / 4 + 1))
    assert fused["c"] == pytest.approx(np.log(1.5) / 9)


def test_a_document_that_all_lack_a_norm_for_counts_as_retrieved_with_borda() -> None:
    fused = rs.fuse(RUNS, "CombMNZ", norm="borda").run["1"]
    assert fused["c"] == pytest.approx(2 * (1 - 2 / 5 + 0.3))
    assert fused["e"] == pytest.approx(2 * (0.5 - 3 / 10 + 0.8))
