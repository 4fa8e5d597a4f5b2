"""Verdicts, by the definition itself: a statement is meaningful if no permissible change of numbers changes its truth.

Values are whole numbers and so are transformed ones, and factors are powers of two: nothing is lost to rounding.
"""

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.data.judged import judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES
from rankscale.scales.question import feasible
from rankscale.stats.tests.base.test import Resampling, Test, all_pairs
from rankscale.stats.tests.register import known_tests, make_test
from rankscale.stats.verdicts import (
    GEOMETRIC_MEAN,
    MEAN,
    MEDIAN,
    SUM,
    Operation,
    verdict,
)

HIGHEST, TOPICS, ALPHA = 12, 9, 0.05
WINS = Operation("wins and losses", "ordinal", across_topics=False)
TRIALS = 150  # to see a statement hold
MOST_TRIALS = 3000  # to find a transformation that changes one

# A measure for each kind of scale that there is.
SCALES = {
    ("ordinal", False): "DCG@10",
    ("ordinal", True): "nDCG@10",
    ("interval", False): "P@10",
    ("interval", True): "R@10",
    ("ratio", False): "NumRelRet",
    ("ratio", True): "NumRel",
}
every_scale = pytest.mark.parametrize("text", SCALES.values())

Truth = tuple[Any, ...]
Statements = Callable[[Floats], Truth]


def one_map(draws: np.random.Generator, scale: str) -> Floats:
    """A permissible transformation, as the table of what 1, 2 ... HIGHEST become."""
    factor = 2.0 ** draws.integers(-2, 7)
    if scale == "ratio":
        return factor * np.arange(1, HIGHEST + 1)
    if scale == "interval":
        return factor * (np.arange(1, HIGHEST + 1) + draws.integers(0, 200))  # above 0, where a logarithm needs it
    return np.cumsum(2.0 ** draws.integers(0, draws.integers(1, 12), HIGHEST))


def transformed(values: Floats, draws: np.random.Generator, scale: str, *, by_topic: bool) -> Floats:
    """(topic, run): values changed as their scale permits, on each topic in its own way where each has its own."""
    places = values.astype(np.int64) - 1
    maps = [one_map(draws, scale) for _ in range(len(values) if by_topic else 1)]
    return np.array([maps[topic % len(maps)][row] for topic, row in enumerate(places)])


def matrix(draws: np.random.Generator) -> Floats:
    """(topic, run): three runs, of which the first is better by more or less."""
    topic = draws.integers(0, 6, (TOPICS, 1))
    noise = draws.integers(0, draws.integers(2, 5), (TOPICS, 3))
    return np.clip(1 + topic + noise + draws.integers(0, 4) * np.array([1, 0, 0]), 1, HIGHEST).astype(np.float64)


def signs(values: Floats) -> Truth:
    """Which of two runs has the higher number, for each pair."""
    return tuple(np.sign(values[:, None] - values[None, :])[np.triu_indices(len(values), 1)].tolist())


def log_sums(values: Floats) -> Truth:
    """Which geometric mean is higher; exactly, as products of whole numbers, over what factors of two add."""
    exact = [int(np.prod([int(4 * one) for one in run], dtype=object)) for run in values.T]
    return tuple(np.sign(float(one > other) - float(one < other)) for one, other in pairwise(exact))


OPERATIONS: dict[Operation, Statements] = {
    MEAN: lambda values: signs(values.sum(axis=0) / len(values)),
    SUM: lambda values: signs(values.sum(axis=0)),
    MEDIAN: lambda values: signs(np.median(values, axis=0)),
    GEOMETRIC_MEAN: log_sums,
    WINS: lambda values: tuple(signs(row) for row in values),
}


def outcome(test: Test) -> Statements:
    """Which pairs differ significantly, and which of the two is then better."""

    def truth(values: Floats) -> Truth:
        found = test.compare(values, all_pairs(values.shape[1]))
        significant = found.p < ALPHA
        return tuple(np.where(significant, np.sign(found.difference), 0).tolist())

    return truth


def asked() -> list[Any]:
    """Each operation and test, with what it says of values."""
    made: list[tuple[Operation | Test, Statements]] = list(OPERATIONS.items())
    for name in [name for name, kind in known_tests().items() if not kind.needs_baseline]:
        test = make_test(name)
        test = make_test(name, samples=199) if isinstance(test, Resampling) else test
        made.append((test, outcome(test)))
    return [pytest.param(operation, truth, id=operation.name) for operation, truth in made]


@every_scale
@pytest.mark.parametrize(("operation", "truth"), asked())
def test_what_is_called_meaningful_never_changes_and_what_is_not_can(
    text: str, operation: Operation | Test, truth: Statements
) -> None:
    measure = parse(text)
    (scale, by_topic), said = (
        next(key for key, one in SCALES.items() if one == text),
        verdict(measure, operation, (0, 1)),
    )
    draws = np.random.default_rng(1)
    for _ in range(TRIALS if said.meaningful else MOST_TRIALS):
        values = matrix(draws)
        changed = truth(transformed(values, draws, scale, by_topic=by_topic)) != truth(values)
        if changed:
            break
    assert changed is not said.meaningful


@every_scale
def test_measures_stand_for_their_scales(text: str) -> None:
    measure = parse(text)
    assert SCALES[measure.scale_type((0, 1)), measure.uses_recall_base] == text


def test_matrices_have_something_to_lose() -> None:
    """Both significant and other pairs are among those that are tried, for every test."""
    draws = np.random.default_rng(1)
    matrices = [matrix(draws) for _ in range(TRIALS)]
    for name in [name for name, kind in known_tests().items() if not kind.needs_baseline]:
        test = make_test(name)
        truth = outcome(make_test(name, samples=199) if isinstance(test, Resampling) else test)
        found = np.array([truth(values) for values in matrices])
        assert 0.02 < np.count_nonzero(found) / found.size < 0.98, name


def test_the_middle_of_two_values_is_a_mean() -> None:
    first, second = np.array([1.0, 8.0]), np.array([4.0, 6.0])
    steps = {1.0: 1.0, 4.0: 2.0, 6.0: 3.0, 8.0: 20.0}
    assert np.median(first) < np.median(second)
    assert np.median([steps[value] for value in first]) > np.median([steps[value] for value in second])


def test_verdicts_on_what_only_an_interval_version_allows() -> None:
    said = verdict(parse("DCG@10"), MEAN, (0, 1))
    assert str(said) == said.text == "Caution: DCG@10 is an ordinal measure, so its mean assumes equal steps"
    assert said.why.startswith("meaningful only on the interval version: the mean asks for an interval scale")
    assert verdict(parse("Interval(DCG@10)"), MEAN, (0, 1)).meaningful
    assert "surrogate" in verdict(parse("nDCG@10"), MEAN, (0, 1)).why
    assert verdict(parse("Interval(nDCG@10)"), MEAN, (0, 1)).kind == "surrogate"
    assert verdict(parse("Interval(DCG@10,universe='feasible')"), MEAN, (0, 1)).kind == "surrogate"
    assert "AP@10" in verdict(parse("AP"), MEAN, (0, 1)).why


@pytest.mark.parametrize("text", ["SetP", "RelRel@5", "ESL", "Interval(DCG@5,form='mid')", "ASL@10", "RHL", "balance"])
def test_without_an_interval_version_a_mean_is_not_meaningful(text: str) -> None:
    said = verdict(parse(text), MEAN, (0, 1))
    assert said.kind == "not meaningful"
    assert said.why.endswith("has no interval version")


# Scales of measures, against the spacing of their values.

LEVELS: tuple[tuple[float, ...], ...] = ((0, 1), (0, 1, 2))
DOCUMENTS = ((20, 3), (2, 5), (0, 5), (20, 1), (20, 5))  # of a topic: not relevant, and of each other grade
DEPTHS = (5, 3, 8)
RATIO_SCALE = "gains are on a ratio scale"  # Ferrante, Ferro and Fuhr 2021, section IV-B
MORE_CAREFUL = {  # equal spacing was found, and yet no interval scale is claimed
    "SR": "of a ranking that ends at the depth the best order has the same gain: only values 0 and 1 are seen here",
    "sigma_plus": "counts of places over the length; equal as far as looked at, which is no proof",
    "IDCG": "one value for each topic, whatever is retrieved",
    "rho_w": "one value for each topic, whatever is retrieved",
}
NO_SCALE = {  # no values of all rankings: undefined or infinite for some of them
    **dict.fromkeys(("Accuracy", "ASL", "b_ratio_raw", "balance", "RankPower", "RHL"), "undefined for some rankings"),
    "infAP": "values differ by less than can be told from rounding",
    "Twist": "rankings are padded to twice the recall base",
    "RelRel": "it looks at scores",
}


def with_depth() -> list[str]:
    """Measures that take a depth, as they are written, without those that look at more than one grade of a document."""
    kinds = {name: find(name) for name in CLASSES if not find(name).by_assessor and not find(name).by_subtopic}
    return [name for name, kind in kinds.items() if kind.takes_depth and kind.at_parameter == "depth"]


def is_even(measure: Measure, levels: tuple[float, ...], documents: tuple[int, int]) -> bool | None:
    """Whether values are equally spaced; None where there are fewer than two."""
    counts = (documents[0], *[documents[1]] * (len(levels) - 1))
    found = rs.scale(measure, levels=levels, counts=counts).spacing
    return None if found is None else found.equal


@pytest.mark.parametrize(
    ("measure", "values"), [("P_IA@3", [k / 6 for k in range(7)]), ("StRecall@3", [0, 0.5, 1]), ("alpha_DCG@3", None)]
)
def test_interval_measures_of_subtopics_are_equally_spaced(measure: str, values: list[float] | None) -> None:
    """All rankings of three documents, each relevant to none, one, the other or both of two sub-topics."""
    served = {"none": (), "one": ("1",), "other": ("2",), "both": ("1", "2")}
    rows = [
        {"topic": "t", "subtopic": subtopic, "document": f"{kind}{number}", "grade": int(subtopic in of)}
        for kind, of in served.items()
        for number in range(3)
        for subtopic in ("1", "2")
    ]
    runs = {
        "-".join(kinds): {"t": {f"{kind}{place}": 3.0 - place for place, kind in enumerate(kinds)}}
        for kinds in product(served, repeat=3)
    }
    got = np.unique(rs.evaluate(rs.read_qrels(rows), runs, measure).values.round(12))
    assert parse(measure).scale_type((0, 1)) == ("ordinal" if values is None else "interval")
    if values is None:
        assert len({round(step, 9) for step in np.diff(got).tolist()}) > 1
    else:
        assert got == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in with_depth() if name not in NO_SCALE])
def test_interval_measures_and_no_others_are_equally_spaced(name: str) -> None:
    ordinal, found = True, []
    for levels, depth in product(LEVELS, DEPTHS):
        measure = parse(f"{find(name).example or name}@{depth}")
        ordinal = ordinal and measure.scale_type(levels) == "ordinal"
        here = []
        for documents in DOCUMENTS:
            try:
                here.append(is_even(measure, levels, documents))
            except ScaleError:  # undefined for some rankings with so few documents
                continue
        if measure.scale_type(levels) != "ordinal":
            assert False not in here
            assert True in here
        found += here
        if ordinal and False in found:
            return
    if ordinal:
        assert (False in found) is (name not in MORE_CAREFUL)


def shared_scales() -> list[str]:
    """Measures whose scale all rankings share, and parameters that decide about it."""
    kinds = [name for name in with_depth() if name not in NO_SCALE and not feasible(parse(shown(name, 3)), None)]
    return [
        *(name for name in kinds if not find(name).looks_ahead and name not in {"SR", "IDCG"}),
        *("RBP(p=0.5)", "RBP(p=0)", "RBP(p=0.3)", "RBP(p=0.5,otherwise=0.8)", "gRBP(p=1/3)", "gRBP(p=0.25)"),
        *("gRBP(p=0.5)", "RBP(p=1/3,gains={1:0.2,2:1,3:1})", "DCG(base=10)", "DCG(base=3)", "nDCG(base=4)"),
        *("DCG(discount='none')", "DCG(discount='rank')", "nDCG(gains='exp')", "RR(damping=1)", "RR(n=2)"),
        *("CG(gains='exp')", "CG(gains={1:1,2:3,3:4})", "CG(gains={1:1,2:9,3:10})", "gP(gains={1:0.1,2:0.9,3:1})"),
        *("CG(gains={0:-1,1:1,2:2,3:3})", "nCG(gains={1:2,2:3,3:4})"),
        *("gRBP(p=0.5,gains={1:0.25,2:0.75,3:1})", "gR(gains={1:0.5,2:0.6,3:1})", "ERR(gmax=1)", "BPM(T=2)"),
    ]


def shown(name: str, depth: int) -> str:
    return f"{find(name).example or name if name in CLASSES else name}@{depth}"


@pytest.mark.parametrize("name", shared_scales())
@pytest.mark.parametrize("levels", [(0.0, 1.0), (0.0, 1.0, 2.0), (0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 3.0)])
def test_a_verdict_says_of_a_measure_what_its_scale_says(name: str, levels: tuple[float, ...]) -> None:
    for depth in (1, 2, 3, 5):
        measure = parse(shown(name, depth))
        try:
            spacing = rs.scale(measure, levels=levels, counts=(20, *[4] * (len(levels) - 1))).spacing
        except ParameterError:  # a grade that is too high for the measure, as for ERR(gmax=1)
            continue
        if spacing is None:
            continue
        of_mean = verdict(measure, MEAN, levels)
        assert (of_mean.kind in {"meaningful", "conditional", "surrogate"}) is spacing.equal, depth
        conditional = RATIO_SCALE in str(spacing)
        assert (f"only if {RATIO_SCALE}" in of_mean.text) is (RATIO_SCALE in of_mean.why) is conditional, depth
        assert conditional is (spacing.equal and several_gains(measure, levels)), depth


def several_gains(measure: Measure, levels: tuple[float, ...]) -> bool:
    """Whether single documents of these grades, or unjudged, gain more than two different values."""
    if measure.interval_of is not None or measure.scale != "ordinal":  # interval whatever gains are
        return False
    gains = measure.gain(np.array(levels), levels[-1])
    return len({*gains.tolist(), measure.unjudged_gain}) > 2


@pytest.mark.parametrize("test", ["student", "signed rank", "two-way", "bootstrap"])
@pytest.mark.parametrize("text", ["CG@10", "gP@10", "gRBP(p=0.25)@10", "DCG(base=10)@10", "CG(gains='linear')@5"])
def test_sums_of_gains_have_one_rule_for_their_scale(text: str, test: str) -> None:
    """Interval only if gains are on a ratio scale, where there are more than two: SCALE IV-B."""
    for operation in (MEAN, make_test(test)):
        graded = verdict(parse(text), operation, (0, 1, 2, 3))
        assert graded.kind == "conditional"
        assert str(graded) == f"Caution: {parse(text)} is an interval measure only if {RATIO_SCALE}"
        assert graded.why.startswith(f"meaningful only if {RATIO_SCALE}: ")
        assert not graded.meaningful
        assert verdict(parse(text), WINS, (0, 1, 2, 3)).meaningful


@pytest.mark.parametrize("text", ["gR@10", "nCG@10"])
def test_sums_of_gains_over_the_recall_base_have_the_same_condition(text: str) -> None:
    said = verdict(parse(text), MEAN, (0, 1, 2, 3))
    assert said.kind == "surrogate"
    assert said.text.endswith(f"and the mean mixes them; it is an interval scale only if {RATIO_SCALE}")
    assert RATIO_SCALE not in verdict(parse(text), MEAN, (0, 1)).text


def geometric() -> list[str]:
    """Measures whose summary over topics is a geometric mean."""
    return [name for name in CLASSES if find(name).summary == "geometric"]


def test_there_are_geometric_means() -> None:
    assert {"GMAP", "GMBpref"} <= set(geometric())


@pytest.mark.parametrize("name", geometric())
@pytest.mark.parametrize("test", ["student", "signed rank", "two-way", "randomisation", "sign", "friedman"])
def test_geometric_means_ask_for_a_ratio_scale(name: str, test: str) -> None:
    """SCALE IV-A: the geometric mean calls for a ratio scale. A test of means is then one of logarithms."""
    measure, operation = parse(name), make_test(test)
    caution = f"Caution: {name} is an ordinal measure, and a geometric mean needs a ratio scale"
    of_mean, of_test = verdict(measure, GEOMETRIC_MEAN, (0, 1)), verdict(measure, operation, (0, 1))
    assert (of_mean.kind, of_mean.text) == ("not meaningful", caution)
    if operation.asks == "ordinal":
        assert of_test.meaningful
    else:
        assert (of_test.kind, of_test.text) == ("not meaningful", caution)
        assert f"{operation.label} of geometric means asks for a ratio scale" in of_test.why


@pytest.mark.parametrize("name", NO_SCALE)
def test_measures_without_a_scale_claim_none(name: str) -> None:
    measure = parse(f"{name}@5")
    assert measure.scale_type((0, 1)) == "ordinal"
    with pytest.raises(ValueError):
        rs.scale(measure, counts=(20, 3)).spacing  # noqa: B018


def of_any_length(measure: Measure, relevant: int) -> Floats:
    """Distinct values of all rankings of up to four documents, judged or not."""
    found = []
    for length in range(5):
        for grades in product("01-", repeat=length):
            if grades.count("1") <= relevant:
                missed = " ".join(["1"] * (relevant - grades.count("1")) + ["0"] * (4 - grades.count("0")))
                found.append(measure.value(judged(" ".join(grades), missed=missed))[0])
    return np.unique(np.round(found, 12))


@pytest.mark.parametrize("name", [name for name in CLASSES if not find(name).needs_depth and name != "Interval"])
def test_without_a_depth_interval_measures_are_equally_spaced_over_all_lengths(name: str) -> None:
    if find(name).at_parameter != "depth":
        return
    measure = parse(find(name).example or name)
    if measure.scale_type((0, 1)) == "ordinal":
        return
    for relevant in (1, 3, 5):
        steps = np.diff(of_any_length(measure, relevant))
        assert not len(steps) or np.ptp(steps) < 1e-9


@pytest.mark.parametrize("text", ["SetP", "SetF", "SetRelP", "Judged", "gP"])
def test_shares_of_any_number_of_documents_are_not_equally_spaced(text: str) -> None:
    measure = parse(text)
    assert measure.scale_type((0, 1)) == "ordinal"
    assert np.ptp(np.diff(of_any_length(measure, 3))) > 0.01


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("RBP(p=0.5)@6", (0, 1)),
        ("RBP(p=0.8)@6", (0, 1)),
        ("RBP(p=0.3333333333333333,gains='linear')@4", (0, 1, 2)),
        ("RBP(p=0.25,gains='linear')@4", (0, 1, 2, 3)),
        ("RBP(p=0.25,gains={1:0.1,2:0.4,3:0.9})@4", (0, 1, 2, 3)),
        ("DCG(base=5)@5", (0, 1)),
        ("DCG(base=5)@6", (0, 1)),
        ("DCG(discount='none')@6", (0, 1)),
        ("nDCG(base=8)@5", (0, 1)),
        ("DCG(gains='exp')@4", (0, 0.5)),
        ("CG(gains={0:1,1:3},unjudged=1)@4", (0, 1)),
    ],
)
def test_parameters_decide_about_the_scale(text: str, levels: tuple[float, ...]) -> None:
    measure = parse(text)
    try:
        even = is_even(measure, levels, (20, 3))
    except ScaleError:  # gains that are no fractions
        even = False
    third = measure.p == 1 / 3 if hasattr(measure, "p") else False  # as a decimal it is no third, by a hair
    assert (measure.scale_type(levels) == "interval") == (bool(even) and not third)


def test_gains_of_unjudged_documents_count_too() -> None:
    three = parse("CG(gains={0:-1},unjudged=0)@4")  # -1, 0 and 1
    assert (three.scale_type((0, 1)), three.scale_condition((0, 1))) == ("interval", RATIO_SCALE)
    assert parse("CG(gains={0:-1,1:3},unjudged=0)@4").scale_type((0, 1)) == "ordinal"  # -1, 0 and 3
    two = parse("CG(gains={0:-1})@4")  # unjudged documents cost 1, too
    assert (two.scale_type((0, 1)), two.scale_condition((0, 1))) == ("interval", "")


def test_rankings_that_a_topic_allows_are_not_equally_spaced_by_rbp() -> None:
    """Of rankings with at most three relevant documents, some sums of powers of 1/2 are left out."""
    few = rs.scale("RBP(p=0.5)@6", counts=(20, 3), universe="feasible")
    values = sorted(
        sum(2.0 ** -(place + 1) for place in range(6) if bits >> place & 1)
        for bits in range(64)
        if bits.bit_count() <= 3
    )
    assert few.size == len(values)
    assert np.ptp(np.diff(values)) > 0
    assert few.spacing is not None
    assert not few.spacing.equal


def test_unknown_levels_are_asked_for() -> None:
    assert parse("DCG@10").scale_type(()) == "ordinal"  # for any levels
    assert parse("RBP(p=0.8)").scale_type(()) == "ordinal"
    for text in ("CG@10", "RBP(p=0.5)", "gP@10", "DCG(base=10)@10"):
        with pytest.raises(ParameterError, match="give them as levels"):
            parse(text).scale_type(())


def test_curves_read_at_a_rank_and_standardised_values_know_the_levels() -> None:
    qrels = {str(topic): {"a": 2, "b": 1, "c": 0} for topic in range(6)}
    runs = {name: {topic: {"a": score, "b": 1.5, "c": 1} for topic in qrels} for name, score in (("x", 2), ("y", 1.2))}
    read = rs.curves(qrels, runs, "CG", depth=3).at(2)
    assert read.levels == (0, 1, 2)
    assert rs.compare(read, "student").verdict.kind == "conditional"
    standardised = rs.standardise(read, "z")
    assert [one.scale_type(()) for one in standardised.measures] == ["interval"]
    assert rs.compare(standardised, "student").verdict.kind == "conditional"
    assert [one.scale_type(()) for one in rs.standardise(read, "normal").measures] == ["ordinal"]
