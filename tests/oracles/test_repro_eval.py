"""Runs of TREC-8 as originals and reproductions: repro_eval 0.5.0."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.stats.reproduction import delta_ri, effect_ratio, nrmse, paired, rmse, unpaired

pytestmark = pytest.mark.filterwarnings("ignore")  # repro_eval imports from where scipy no longer is
EXACT = 1e-12
Rankings = dict[str, dict[str, dict[str, float]]]
Scores = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def tool() -> Any:
    """The measures of repro_eval."""
    import warnings
    from importlib import import_module
    from types import SimpleNamespace

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("repro_eval", reason="it is among the development dependencies")
        parts = ("document_order", "effectiveness", "overall_effects", "statistics")
        return SimpleNamespace(**{part: import_module(f"repro_eval.measure.{part}") for part in parts})


def two(rankings: Rankings, depth: int = 1000) -> tuple[Scores, Scores]:
    """Two runs whose rankings are as long as each other, which KTU by name asks for."""
    first, second = list(rankings.values())[:2]
    short = {topic: min(len(first[topic]), len(second[topic]), depth) for topic in first}
    a, b = (
        {t: {d: float(-r) for r, d in zip(range(n), run[t], strict=False)} for t, n in short.items()}
        for run in (first, second)
    )
    return a, b


def test_ktu_by_name_and_rbo_to_a_depth(eight_rankings: Rankings, tool: Any) -> None:
    first, second = two(eight_rankings, depth=200)
    mine = rs.overlap({"a": first, "b": second}, coefficients=["KTU", "RBO"], union="docno", norm="depth", p=0.95)
    order = tool.document_order
    assert mine.pair("a", "b")["KTU(docno)"] == pytest.approx(order.KTU(deepcopy(first), deepcopy(second)), abs=EXACT)
    theirs = order.RBO(deepcopy(first), deepcopy(second), p=0.95, depth=1000, pbar=False, per_topic=False)
    assert mine.pair("a", "b")["RBO"] == pytest.approx(theirs, abs=EXACT)


def test_deviation_ktu_changes_when_documents_are_renamed(eight_rankings: Rankings, tool: Any) -> None:
    first, second = two(eight_rankings, depth=50)

    def renamed(run: Scores) -> Scores:
        return {topic: {document[::-1]: score for document, score in of.items()} for topic, of in run.items()}

    order = tool.document_order
    before = order.KTU(deepcopy(first), deepcopy(second))
    after = order.KTU(renamed(first), renamed(second))
    assert abs(before - after) > 0.01
    for union, same in (("first", True), ("docno", False)):
        values = [
            rs.overlap({"a": a, "b": b}, coefficients="KTU", union=union).pairs[0].means.item()  # type: ignore[arg-type]
            for a, b in ((first, second), (renamed(first), renamed(second)))
        ]
        assert (values[0] == pytest.approx(values[1], abs=EXACT)) == same


def test_deviation_rbo_of_equal_short_rankings_is_below_1(tool: Any) -> None:
    run = {"1": {f"d{n}": 5.0 - n for n in range(5)}}
    theirs = tool.document_order.RBO(deepcopy(run), deepcopy(run), p=0.95, depth=1000, pbar=False, per_topic=False)
    assert theirs == pytest.approx(0.476300, abs=5e-7)
    assert rs.overlap({"a": run, "b": run}, p=0.95, norm="depth").pair("a", "b")["RBO"] == pytest.approx(
        theirs, abs=EXACT
    )
    assert rs.overlap({"a": run, "b": run}, p=0.95).pair("a", "b")["RBO"] == pytest.approx(1)


def test_deviation_documents_are_taken_in_file_order(tool: Any) -> None:
    """Only neighbours with equal scores are sorted there; here rankings are in the order of scores."""
    sorted_run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    shuffled = {"1": {"c": 1.0, "a": 3.0, "b": 2.0}}
    assert tool.document_order.KTU(deepcopy(sorted_run), deepcopy(shuffled)) < 1
    assert rs.overlap({"a": sorted_run, "b": shuffled}).pair("a", "b")["KTU"] == 1


def of_tool(evaluation: rs.Evaluation, run: int) -> Scores:
    return {
        topic: {str(m): float(evaluation.values[place, run, t]) for place, m in enumerate(evaluation.measures)}
        for t, topic in enumerate(evaluation.topics)
    }


def test_values(eight_values: rs.Evaluation, tool: Any) -> None:
    runs = [of_tool(eight_values, run) for run in range(4)]
    effect = tool.effectiveness
    for place, measure in enumerate(map(str, eight_values.measures)):
        b, a, b_again, a_again = eight_values.values[place, :4]
        assert rmse(b, a) == pytest.approx(effect.RMSE(runs[0], runs[1])[measure], abs=EXACT)
        assert nrmse(b, a) == pytest.approx(effect.nRMSE(runs[0], runs[1])[measure], abs=EXACT)
        four = runs[1], runs[0], runs[3], runs[2]
        means = (float(one.mean()) for one in (b, a, b_again, a_again))
        ratio, change = effect_ratio(b, a, b_again, a_again), delta_ri(*means)
        assert ratio == pytest.approx(tool.overall_effects.ER(*four)[measure], rel=EXACT)
        assert change == pytest.approx(tool.overall_effects.DRI(*four)[measure], abs=EXACT)
        for mine, same_collection in ((paired(b, a).p, True), (unpaired(b, a).p, False)):
            theirs = tool.statistics.ttest(runs[0], runs[1], rpd=same_collection)[measure]
            assert mine == pytest.approx(theirs, rel=EXACT)


def test_overlap_has_the_errors_of_repro_eval(
    shared_data: Path, eight_files: list[Path], eight_values: rs.Evaluation
) -> None:
    qrels = shared_data / "trec8_adhoc" / "trec8.qrels.gz"
    result = rs.overlap(eight_files[:2], qrels, ["AP"], depth=10, coefficients="overlap", draws=10)
    x, y = eight_values.values[0, :2]
    assert result.values[0].rmse == pytest.approx(float(np.sqrt(np.mean((x - y) ** 2))), abs=EXACT)
