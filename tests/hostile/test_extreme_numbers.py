"""Extreme grades, depths, scores and values: a right number, NaN, a documented infinity, or an error of rankscale."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError, ParameterError, RankscaleError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES
from rankscale.stats.tests.register import known_tests
from tests.measures.test_laws import VARIANTS, registered

LARGE = 1e308
GRADES: Mapping[str, tuple[float, ...]] = {
    "large": (LARGE, LARGE / 2, 0, LARGE),
    "opposed": (LARGE, -LARGE, 0, 1),
    "powers": (2000, 1, 0, 60),
    "small": (5e-324, 1e-310, 0, 1),
    "negative": (-1, -LARGE, -5e-324, -3),
    "sixty": (60, 1, 0, 53),
}
SCORES: Mapping[str, tuple[float, ...]] = {
    "falling": (4, 3, 2, 1),
    "large": (LARGE, -LARGE, LARGE / 2, 0),
    "endless": (math.inf, 1, 0, -math.inf),
    "small": (5e-324, 0, -5e-324, 1e-310),
}
DEEPEST = 2**31 - 2
EXTREME_VALUES = {
    "large": [1e100, -1e100, 1e99, 0.0, 1e100, 3.0, 4.0],
    "small": [5e-324, 0.0, -5e-324, 1e-310, 1.0, 2.0, 3.0],
    "equal": [1e100] * 7,
    "tiny": [5e-324, 1e-323, 0.0, 0.0, 0.0, 5e-324, 1e-323],
    "endless": [math.inf, 1.0, 2.0, -math.inf, 0.0, 1.0, 2.0],
}
QRELS, RUNS = {"1": {"a": 1, "b": 0, "c": 2}}, {"x": {"1": {"b": 3.0, "a": 2.0, "d": 1.0}}}
VERBS: Mapping[str, Callable[..., Any]] = {
    "evaluate": rs.evaluate,
    "bounds": lambda *files: rs.evaluate(*files, bounds=True),
    "expected": lambda *files: rs.evaluate(*files, ties="expected"),
    "range": lambda *files: rs.evaluate(*files, ties="range"),
    "judged only": lambda *files: rs.evaluate(*files, judged_only=True),
    "curves": rs.curves,
}
every = [*dict.fromkeys([*registered(), *VARIANTS])]
documents = "abcd"


def qrels_of(grades: tuple[float, ...]) -> bytes:
    """Two topics, of which documents have these grades, by two sub-topics each."""
    rows = [
        f"{topic} {subtopic} {document} {grade!r}"
        for topic in (1, 2)
        for subtopic in (1, 2)
        for document, grade in zip(documents, grades[topic - 1 :] + grades[: topic - 1], strict=True)
    ]
    return "\n".join(rows).encode()


def run_of(scores: tuple[float, ...]) -> dict[str, dict[str, float]]:
    """Two topics with a document that nobody judged."""
    return {topic: {**dict(zip(documents, scores, strict=True)), "e": 2.0} for topic in ("1", "2")}


def outcome(verb: Callable[..., Any], *files: object) -> Any:
    """What a verb gives; None where it raises an error of rankscale."""
    try:
        return verb(*files)
    except RankscaleError:
        return None


def check_documented(result: Any) -> None:
    """Infinite values are in a notice, or the measure has no upper limit."""
    if isinstance(result, Evaluation) and np.isinf(result.values).any():
        assert any("infinite" in text for text in result.warnings), result.warnings


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("grades", GRADES)
def test_extreme_grades_and_scores(grades, verb):
    qrels = rs.read_qrels(qrels_of(GRADES[grades]))
    runs = {name: run_of(scores) for name, scores in SCORES.items()}
    for measure in every:
        check_documented(outcome(VERBS[verb], qrels, runs, [measure]))


def written_at(name: str, depth: int) -> str:
    return f"{find(name).example or name}@{depth}"


with_depth = pytest.mark.parametrize(
    "name", [name for name in CLASSES if find(name).takes_depth and find(name).at_parameter == "depth"]
)


@with_depth
def test_the_deepest_depth_is_as_any_below_the_end_of_the_ranking(name):
    def values(depth: int) -> Any:
        result = outcome(rs.evaluate, QRELS, RUNS, [written_at(name, depth)])
        return None if result is None else result.values.tolist()

    if values(1_000) == values(10_000):  # ranks below the end of the ranking add nothing, and divide nothing
        assert values(DEEPEST) in (None, values(1_000))
    for verb in ("bounds", "expected", "range"):
        outcome(VERBS[verb], QRELS, RUNS, [written_at(name, DEEPEST)])


@with_depth
@pytest.mark.parametrize("depth", [2**31 - 1, 2**31, 2**63, 10**30])
def test_depths_that_are_no_ranks_are_refused(name, depth):
    with pytest.raises(ParameterError, match=f"whole number from 1 to {DEEPEST}, got"):
        parse(written_at(name, depth))


def test_right_numbers_at_the_limits():
    # 2^60 - 1 is 2^60 as a double: all users stop at a document of the highest grade, and bounds are 1/1 and 1/2
    sixty: Any = rs.evaluate({"1": {"a": 60}}, {"x": {"1": {"u": 2.0, "a": 1.0}}}, ["ERR"], bounds=True)
    assert (sixty.lower[0, 0, 0], sixty.upper[0, 0, 0]) == (0.5, 1.0)  # the unjudged document not relevant, or best
    assert sixty.values[0, 0, 0] == 0.5
    with pytest.raises(ParameterError, match=r"grade 1e\+308 gains 1e\+308; map the grades first"):
        rs.evaluate({"1": {"a": LARGE}}, {"x": {"1": {"a": 1.0}}}, ["CG@2"])
    assert rs.evaluate({"1": {"a": LARGE}}, {"x": {"1": {"b": 2.0, "a": 1.0}}}, ["AP"]).values.tolist() == [[[0.5]]]


@pytest.mark.parametrize("weights", [(1.0, 1.0), (LARGE, LARGE), (5e-324, 5e-324), (LARGE, LARGE / 4)])
def test_probabilities_of_any_size_are_scaled_to_1(weights):
    qrels, run = b"1 s a 1\n1 t b 1\n", {"x": {"1": {"b": 2.0, "c": 1.5, "a": 1.0}}}
    intents = {"1": {"s": weights[0], "t": weights[1]}}
    found = rs.evaluate(rs.read_qrels(qrels, intents=intents), run, ["alpha_DCG@3"])
    share = weights[0] / LARGE / (weights[0] / LARGE + weights[1] / LARGE) if weights[0] == LARGE else 0.5
    divisor = 1 + 0.5 / math.log2(3) + 0.25 / 2
    assert found.values[0, 0, 0] == pytest.approx(((1 - share) + share / 2) / divisor, rel=1e-15)


def values_of(numbers: list[float]) -> Any:
    """Two runs whose values on five topics are some numbers, in two orders."""
    orders = {"x": numbers, "y": numbers[::-1]}
    return {run: {str(topic): {"M": value} for topic, value in enumerate(of)} for run, of in orders.items()}


def test_values_whose_squares_are_no_numbers_are_refused():
    for large in (1.5e308, -1e308, 1.1e100):
        with pytest.raises(InputError, match=r"expected a number from -1e\+100 to 1e\+100 as value of M, found"):
            rs.read_values(values_of([large, 1.0]))
    assert np.isinf(rs.read_values(values_of([math.inf, 1.0])).values).any()  # as measures without a limit have


@pytest.mark.parametrize("numbers", EXTREME_VALUES.values(), ids=EXTREME_VALUES)
def test_extreme_values_go_through_every_verb(numbers):
    evaluation = rs.read_values(values_of(numbers))
    means, defined = evaluation.means().values, [value for value in numbers if math.isfinite(value)]
    if len(defined) == len(numbers):
        assert means[0, 0] == pytest.approx(math.fsum(numbers) / len(numbers), rel=1e-15, abs=5e-324)
    groups = {str(topic): "ab"[topic % 2] for topic in range(len(numbers))}
    verbs: list[Callable[[], Any]] = [
        lambda: evaluation.with_confidence(draws=20).means(),
        lambda: rs.ranking_confidence(evaluation, draws=20),
        lambda: rs.diff(evaluation, baseline="x", candidate="y"),
        lambda: rs.correlate(evaluation),
        lambda: rs.topic_groups(evaluation, groups),
        *(partial(rs.compare, evaluation, test=test, samples=20) for test in known_tests()),
        *(partial(rs.compare, evaluation, test=test, samples=20, equivalence=0.1) for test in known_tests()),
        *(
            partial(rs.gate, evaluation, margin, baseline="x", candidate="y", test=test, samples=20)
            for test in ("student", "randomisation")
            for margin in (0.1, "5%")
        ),
    ]
    for verb in verbs:
        result = outcome(verb)
        if result is not None:
            assert str(result)


@pytest.mark.parametrize("unit", [1e308, 5e-324])
def test_judges_agree_alike_whatever_the_unit_of_grades(unit):
    first, second = [0, 1, 2, 1, 0, 2, 1], [0, 2, 2, 1, 1, 2, 0]

    def agreement(grades: list[float]) -> dict[str, float]:
        sets = [{"1": {f"d{place}": grades[grade] for place, grade in enumerate(of)}} for of in (first, second)]
        columns: Any = rs.agree(*sets).table("agreement").columns
        return dict(zip(columns["coefficient"], columns["pooled"], strict=True))

    plain = agreement([0, 1, 2])
    assert agreement([0, unit / 2, unit] if unit > 1 else [0, unit, 2 * unit]) == pytest.approx(plain, rel=1e-12)


def test_the_mean_difference_of_judges_is_a_number():
    sets = [{"1": {"a": LARGE, "b": LARGE, "c": 0.0}}, {"1": {"a": 0.0, "b": LARGE, "c": 0.0}}]
    assert rs.agree(*sets).judges.bias.mean == pytest.approx(-LARGE / 3, rel=1e-12)
