"""What studies keep of their runs and topics is predicted, and refused where it is more than may be used."""

import numpy as np
import pyarrow as pa
import pytest

import rankscale as rs
from rankscale import _core
from rankscale.errors import MemoryLimitError
from rankscale.stats.correlation.correlations import correlations_of_means

STUDIES = [
    "partial-order",
    "robustness",
    "report",
    "discriminate",
    "leave-out",
    "compare",
    "changes",
    "correlate",
    "figure",
]
TWO_RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}}
TWO_TOPICS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}


@pytest.mark.parametrize(
    ("study", "where", "refused"),
    [
        (lambda: rs.partial_order(TWO_TOPICS, TWO_RUNS), "data.resources", "partial-order with 2 runs and 2 topics"),
        (lambda: rs.robustness(TWO_TOPICS, TWO_RUNS, "P@1"), "data.resources", "robustness with 2 runs and 2 topics"),
        (lambda: rs.report(TWO_TOPICS, TWO_RUNS), "data.resources", "a report with 2 runs and 2 topics"),
        (lambda: rs.discriminate(_evaluated()), "data.resources", "discriminate with 2 runs and 2 topics"),
        (lambda: rs.leave_out(TWO_TOPICS, TWO_RUNS, pool_depth=1), "studies.pooling", "a pool of 2 runs"),
        (lambda: rs.compare(_evaluated()["P@1"]), "stats.comparison", "a test of 1 pairs of runs"),
        (lambda: rs.changes(TWO_TOPICS, TWO_RUNS, "P@2"), "data.resources", "changes with 2 runs and 2 topics"),
        (lambda: rs.correlate(_evaluated()), "stats.correlation.correlations", "the intervals of correlations"),
        (lambda: rs.figure("means", _evaluated()).svg(), "figures.base.renderer", "drawing a figure of"),
    ],
    ids=STUDIES,
)
def test_studies_say_what_they_need_before_they_start(study, where, refused, monkeypatch):
    def need(size: float, what: str, instead: str) -> None:
        assert size > 0
        if what.startswith(refused):
            raise MemoryLimitError(f"{what}; {instead}")

    monkeypatch.setattr(f"rankscale.{where}.need", need)
    with pytest.raises(MemoryLimitError, match=refused):
        study()


def _evaluated() -> rs.Evaluation:
    return rs.evaluate(TWO_TOPICS, TWO_RUNS, ["P@1", "P@2"])


def test_draws_of_topics_for_correlations_stay_small(monkeypatch):
    """Draws come a few at a time, and are the same draws."""
    values = np.random.default_rng(2).random((2, 5, 40))
    whole = correlations_of_means(values, samples=50)
    monkeypatch.setattr("rankscale.stats.correlation.correlations.AT_ONCE", 200)
    some = correlations_of_means(values, samples=50)
    np.testing.assert_array_equal(some.lower, whole.lower)
    np.testing.assert_array_equal(some.upper, whole.upper)


NAMES, ONES = ["d"] * 500_000, [1] * 500_000


def _rows():
    number = 0
    while True:
        yield (str(number), f"document {number}", 1)
        number += 1


@pytest.mark.parametrize(
    "read",
    [
        lambda: rs.read_qrels(_rows()),
        lambda: rs.read_qrels({str(topic): {f"d{document}": 1 for document in range(100)} for topic in range(5_000)}),
        lambda: rs.read_qrels(
            pa.table(
                {"topic": pa.array(range(500_000)).cast("str"), "document": ["d"] * 500_000, "grade": [1] * 500_000}
            )
        ),
    ],
    ids=["endless rows", "dictionary", "arrow"],
)
def test_tables_given_in_python_are_watched(read):
    *_, held, _, _ = _core.memory_state()
    rs.set_max_memory(held + (8 << 20))
    try:
        with pytest.raises(MemoryLimitError, match="the table given: reading it needs more memory than"):
            read()
    finally:
        rs.set_max_memory(None)
