"""Interval as a measure: the values are those of scales, for rankings that are read here by Python alone."""

import gzip
import itertools
import lzma
import math
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import BoundsError, ParameterError, ScaleError
from rankscale.executors.processes import Processes
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.scales.interval import Interval
from rankscale.scales.on_scale import MOST_SCALES, SCALES

NAN = math.nan
GRADES = (0, 1, 2, 3)  # of the sample collection
OPENERS: dict[str, Any] = {".xz": lzma.open, ".gz": gzip.open}

Rankings = dict[str, list[float]]  # by topic: grades, best first, NaN for an unjudged document


def lines_of(path: str | Path) -> list[list[str]]:
    with OPENERS[Path(path).suffix](path, "rt") as file:
        return [line.split() for line in file]


def judgments_of(path: str | Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for topic, _, document, grade in lines_of(path):
        found[topic][document] = float(grade)
    return dict(found)


def rankings_of(run: str | Path, judgments: dict[str, dict[str, float]], depth: int, **options: bool) -> Rankings:
    """Grades down to a depth, ordered as trec_eval does: by 32-bit score, then by name, both descending."""
    scores: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for topic, _, document, _, score, *_ in lines_of(run):
        scores[topic].append((float(np.float32(score)), document))
    found = {}
    for topic, grades in judgments.items():
        documents = [document for _, document in sorted(scores.get(topic, []), reverse=True)]
        if options.get("judged_only"):
            documents = [document for document in documents if document in grades]
        found[topic] = [grades.get(document, NAN) for document in documents[:depth]]
    return found


@pytest.fixture(scope="module")
def sample() -> dict[str, dict[str, float]]:
    return judgments_of(QRELS)


SHARED = [
    *("P@10", "P(rel=2)@10", "R@10", "RR@10", "Success@5", "AP@12", "ERR@6", "INSQ@8"),
    *("DCG(base=2)@10", "DCG(gains='exp')@5", "DCG(base=2,gains=[0,1,5,10])@12", "nDCG@10"),
    *("RBP(p=0.8)@20", "RBP(p=0.3)@50", "gRBP(p=0.5)@8"),
]


@pytest.mark.parametrize("measure", SHARED)
def test_values_are_those_of_the_scale_on_graded_qrels(measure: str, sample: Any) -> None:
    found = rs.evaluate(QRELS, list(RUNS[:2]), [f"Interval({measure})", f"Interval({measure},form='rank')"])
    scale = rs.scale(measure, levels=GRADES)
    for place, run in enumerate(RUNS[:2]):
        rankings = rankings_of(run, sample, scale.depth)
        assert tuple(rankings) == found.topics
        ranks = scale.ranks(list(rankings.values()))
        assert found.values[1, place].tolist() == ranks
        assert found.values[0, place].tolist() == [(rank - 1) / (scale.size - 1) for rank in ranks]
        assert len(set(ranks)) > 1


@pytest.mark.parametrize("measure", ["P@30", "DCG(base=2)@30", "RBP(p=0.8)@30", "AP@20", "RR@1000"])
def test_values_are_those_of_the_scale_on_trec_8(measure: str, shared_data: Path) -> None:
    folder = shared_data / "trec8_adhoc"
    runs = sorted((folder / "runs").iterdir())[::50]
    judgments = judgments_of(folder / "trec8.qrels.gz")
    scale = rs.scale(measure)
    found = rs.evaluate(folder / "trec8.qrels.gz", runs, f"Interval({measure})")
    for place, run in enumerate(runs):
        rankings = rankings_of(run, judgments, scale.depth)
        expected = dict(zip(rankings, scale.normalised(list(rankings.values())).tolist(), strict=True))
        assert found.values[0, place].tolist() == [expected[topic] for topic in found.topics]


def unique_ranks(values: list[float]) -> list[int]:
    """How many distinct values do not exceed each; values are equal but for rounding, or far apart."""
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > 1e-9:
            distinct.append(value)
    return [sum(other <= value + 1e-10 for other in distinct) for value in values]


@pytest.mark.parametrize("measure", ["DCG(base=2)@4", "nDCG@4", "AP@4", "ERR@4", "RBP(p=0.8)@4", "P(rel=2)@4"])
def test_ranks_are_those_among_all_rankings_measured_by_the_measure_itself(measure: str) -> None:
    everything = [" ".join(map(str, ranking)) for ranking in itertools.product(GRADES, repeat=4)]
    table = judged(*everything, missed="1 2 3 3")
    object.__setattr__(table, "counts", np.broadcast_to(np.array([9, 8, 8, 8]), table.counts.shape))
    assert parse(f"Interval({measure},form='rank')").value(table).tolist() == unique_ranks(
        parse(measure).value(table).tolist()
    )


@pytest.mark.parametrize("measure", ["DCG(base=2)@5", "AP@6", "nDCG@5", "P@10", "RBP(p=0.5)@8"])
def test_feasible_rankings_are_those_of_the_topic(measure: str, sample: Any) -> None:
    written = f"Interval({measure},universe='feasible',form='rank')"
    found = rs.evaluate(QRELS, RUNS[0], [written, f"Interval({measure},form='rank')"])
    rankings = rankings_of(RUNS[0], sample, 10)
    for place, (topic, grades) in enumerate(sample.items()):
        counts = [list(grades.values()).count(grade) for grade in GRADES]
        scale = rs.scale(measure, GRADES, counts, "feasible")
        assert found.values[0, 0, place] == scale.rank(rankings[topic][: scale.depth]), topic
    assert (found.values[0] <= found.values[1]).all()


def test_topics_with_little_that_is_relevant_have_shorter_feasible_scales() -> None:
    qrels = {"1": {"a": 1, "z": 0}, "2": {"a": 1, "b": 1, "c": 1, "z": 0}}
    run = {topic: {"a": 3.0, "z": 2.0} for topic in qrels}
    every, feasible = (f"Interval(P@3,{asked}form='rank')" for asked in ("", "universe='feasible',"))
    found = rs.evaluate(qrels, run, [every, feasible, "Interval(P@3)", "Interval(P@3,universe='feasible')"])
    assert found.values[:, 0].tolist() == [[2, 2], [2, 2], [1 / 3, 1 / 3], [1, 1 / 3]]


@pytest.mark.parametrize("measure", ["DCG(base=2)@10", "AP@10"])
def test_judged_only(measure: str, sample: Any) -> None:
    scale = rs.scale(measure, GRADES)
    expected = scale.normalised(list(rankings_of(RUNS[0], sample, 10, judged_only=True).values())).tolist()
    as_they_are = scale.normalised(list(rankings_of(RUNS[0], sample, 10).values())).tolist()
    name, depth = measure.split("@")
    inner = f"{name.removesuffix(')')}{',' if '(' in name else '('}judged_only=True)@{depth}"
    asked = [f"Interval({measure},judged_only=True)", f"Interval({inner})"]
    assert parse(asked[0]) == parse(asked[1])
    for values in (
        rs.evaluate(QRELS, RUNS[0], asked[0]).values,
        rs.evaluate(QRELS, RUNS[0], asked[1]).values,
        rs.evaluate(QRELS, RUNS[0], f"Interval({measure})", judged_only=True).values,
    ):
        assert values[0, 0].tolist() == expected
    assert expected != as_they_are


def test_unjudged_documents_and_the_end_of_a_ranking_are_alike() -> None:
    value = parse("Interval(DCG(base=2)@6)").value
    filled, unjudged, short = value(judged("1 0 1 0 0 0", "1 - 1 - - -", "1 - 1"))
    assert filled == unjudged == short == rs.scale("DCG(base=2)@6").normalised([[1, 0, 1]])[0]
    assert value(judged("1 0 0 0 0 0 1 1"))[0] == value(judged("1"))[0]  # what is below the depth is not seen


def test_missing_topics_are_empty_rankings_where_asked() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = rs.evaluate(qrels, {"1": {"a": 1.0}}, ["Interval(RR@5)", "Interval(RR@5,form='rank')"])
    assert found.values[:, 0].tolist() == [[1.0, 0.0], [6.0, 1.0]]
    assert found.means().values[:, 0].tolist() == [0.5, 3.5]


def test_topics_without_a_scale_are_left_out_and_told() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 0}, "3": {"a": 1, "b": 1}}
    run = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    found = rs.evaluate(qrels, run, ["Interval(AP@2)", "Interval(DCG(base=2)@2)", "Interval(P@2,universe='feasible')"])
    # AP@2 takes the values 0, 1/4, 1/2, 1 of RB 2, or their doubles: (1, 0) is the third of four
    assert found.values[0, 0, [0, 2]].tolist() == [2 / 3, 1]
    assert np.isnan(found.values[:, 0, 1]).tolist() == [True, False, True]
    assert found.means().values[0, 0] == (2 / 3 + 1) / 2
    assert found.means().counted[:, 0].tolist() == [2, 3, 2]
    told = [warning for warning in found.warnings if "undefined" in warning]
    why = "(the measure has one value only, as where a topic has nothing relevant), which its means leave out"
    assert told == [
        f"Interval(AP@2) is undefined for 1 of 3 rankings {why}",
        f"Interval(P@2,universe='feasible') is undefined for 1 of 3 rankings {why}",
    ]


def test_mid_ranks_are_mean_ranks_among_all_rankings() -> None:
    rankings = list(itertools.product((0, 1), repeat=6))
    table = judged(*(" ".join(map(str, ranking)) for ranking in rankings))
    for measure in ("DCG(base=2)@6", "P@6", "RBP(p=0.5)@6"):
        values = np.round(parse(measure).value(table), 9)
        expected = [(np.sum(values < value) + 1 + np.sum(values <= value)) / 2 for value in values]
        assert parse(f"Interval({measure},form='mid')").value(table).tolist() == expected


@pytest.mark.parametrize("measure", ["DCG(base=2)@5", "RBP(p=0.8)@5", "RR@4", "P@3", "ERR@4"])
def test_bounds_are_those_of_the_worst_and_the_best_filling(measure: str) -> None:
    rankings = ["1 - 0 - 2", "- - -", "2 0", "0 1 2 0 1", "1 -"]
    scale, depth = rs.scale(measure, (0, 1, 2)), parse(measure).depth or 0
    lower, upper = parse(f"Interval({measure})").bounds(judged(*rankings))
    values = parse(f"Interval({measure})").value(judged(*rankings))
    for place, ranking in enumerate(rankings):
        grades = [NAN if grade == "-" else float(grade) for grade in ranking.split()][:depth]
        grades += [NAN] * (depth - len(grades))
        holes = [rank for rank, grade in enumerate(grades) if math.isnan(grade)]
        fillings = []
        for filling in itertools.product((0.0, 1.0, 2.0), repeat=len(holes)):
            whole = list(grades)
            for rank, grade in zip(holes, filling, strict=True):
                whole[rank] = grade
            fillings.append(whole)
        possible = scale.normalised(fillings)
        assert (lower[place], upper[place]) == (possible.min(), possible.max())
        assert lower[place] <= values[place] <= upper[place]


def test_bounds_of_an_evaluation(sample: Any) -> None:
    found = rs.evaluate(QRELS, list(RUNS[:3]), ["Interval(RBP(p=0.8)@10)", "Interval(AP@10)"], bounds=True)
    assert found.lower is not None
    assert found.upper is not None
    assert (found.lower[0] == found.values[0]).all()  # unjudged is as good as not relevant
    assert (found.upper[0] >= found.values[0]).all()
    scale = rs.scale("RBP(p=0.8)@10", GRADES)
    best = [
        [3.0 if math.isnan(grade) else grade for grade in ranking + [NAN] * (10 - len(ranking))]
        for ranking in rankings_of(RUNS[0], sample, 10).values()
    ]
    assert found.upper[0, 0].tolist() == scale.normalised(best).tolist()
    assert np.isnan(found.lower[1]).all()
    assert any("Interval(AP@10) has no bounds: the recall base is used" in warning for warning in found.warnings)
    with pytest.raises(BoundsError, match="the recall base is used"):
        rs.evaluate(QRELS, RUNS[0], "Interval(nDCG@10)", bounds=True)


@pytest.mark.parametrize(
    "text",
    [
        "Interval(P@5)",
        "Interval(DCG(base=2)@10,form='rank')",
        "Interval(AP(rel=2)@10,form='mid',universe='feasible')",
        "Interval(RBP(p=0.8)@100,method='certified')",
        "Interval(AP@10,deduplicate='float',judged_only=True)",
        "Interval(DCG(base=2,gains={1:3,2:4.5})@10)",
    ],
)
def test_a_measure_is_a_value(text: str) -> None:
    measure = parse(text)
    assert isinstance(measure, Interval)
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)
    again = pickle.loads(pickle.dumps(measure))
    assert again == measure
    assert hash(again) == hash(measure) == hash(parse(text))
    for flag in ("uses_recall_base", "low_is_good", "bounded", "judged_only"):
        assert getattr(again, flag) == getattr(measure, flag)
    assert measure != parse("Interval(P@6)")


def test_flags_are_those_of_the_other_measure_and_stay_its_own() -> None:
    assert parse("Interval(AP@5)").uses_recall_base
    assert not parse("Interval(P@5)").uses_recall_base
    assert not Interval.uses_recall_base
    assert parse("Interval(AP(rel=2)@5)").threshold == 2
    assert parse("Interval(P@5)").scale == "interval"


def test_how_the_work_is_done_changes_no_bit() -> None:
    asked = ["Interval(DCG(base=2)@20)", "Interval(AP@10)", "Interval(RBP(p=0.8)@40)", "Interval(RR@5,form='mid')"]
    asked += ["Interval(AP@5,universe='feasible')", "P@5"]
    files = list(RUNS[:4])
    at_once = rs.evaluate(QRELS, files, asked)
    assert rs.evaluate(QRELS, files, asked, executor=Processes(2)) == at_once
    for threads in (1, 3):
        assert rs.evaluate(QRELS, files, asked, threads=threads) == at_once
    for place, file in enumerate(files):
        alone = rs.evaluate(QRELS, file, asked)
        assert alone.values[:, 0].tobytes() == np.ascontiguousarray(at_once.values[:, place]).tobytes()


def cautions(*measures: str, **options: Any) -> list[str]:
    found = rs.evaluate(QRELS, list(RUNS[:3]), list(measures), **options)
    return [warning for warning in found.warnings if warning.startswith("Interval")]


def test_what_the_numbers_rest_on_is_said() -> None:
    assert cautions("Interval(P@10)", "Interval(RR@10)", "AP@10") == []
    (surrogate,) = cautions("Interval(R@10)")
    assert surrogate.startswith("Interval(R@10): surrogate: ")
    (mid,) = cautions("Interval(P@10,form='mid')")
    assert mid.endswith("this is not an interval scale")
    certified, near_one = cautions("Interval(RBP(p=0.8)@200)")
    assert near_one.endswith("of the values are within 1e-13 of 1, where distinct ranks can fall into one double")
    assert certified == "Interval(RBP@200): values are certified to within 1e-05"
    floor = cautions("Interval(DCG(base=2)@200)")
    assert "of the values lie below 0.01" in floor[0]
    assert "certified to within 1e-05" in floor[1]
    assert "Schanuel" in floor[1]


def test_one_topic_that_decides_is_pointed_out() -> None:
    qrels = {str(topic): {f"d{rank}": 1 for rank in range(30)} for topic in range(8)}
    poor = {"d29": 1.0}
    rich = {f"d{rank}": 30.0 - rank for rank in range(30)}
    run = {topic: rich if topic == "3" else poor for topic in qrels}
    found = rs.evaluate(qrels, run, ["Interval(DCG(base=2)@30)", "Interval(DCG(base=2)@30,form='rank')"])
    (told,) = found.warnings
    assert told.startswith("Interval(DCG(base=2)@30): one topic decides the mean of a run")
    assert "that with the highest value has 100% of the sum or more" in told
    assert "88% of the values lie below 0.01" in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Interval(DCG(base=2))", r"different lengths .* as in Interval\(DCG\(base=2\)@10\)"),
        ("Interval(SetP)", r"name one length, as in Interval\(P@10\)"),
        ("Interval(Interval(P@5))", "on an interval scale already"),
        ("Interval(RelRel@5)", "looks at scores"),
        ("Interval(P@5,form='percent')", "form must be 'normalised', 'rank', 'log10', 'mid', 'min' or 'max', got"),
        (
            "Interval(P@5,method='guess')",
            "method must be 'auto', 'exact', 'certified' or 'estimated', got 'guess'",
        ),
        ("Interval(P@5,deduplicate='no')", "deduplicate must be 'exact' or 'float', got 'no'"),
        ("Interval(P@5)@3", "takes no depth"),
        ("Interval", "of is needed, as in"),
    ],
)
def test_what_has_no_scale_is_refused_when_it_is_made(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Interval(Twist@5)", "rankings of 5|a depth of"),
        ("Interval(P@5,method='certified')", "no certified method"),
        ("Interval(P@5,deduplicate='float')", "for AP only"),
        ("Interval(AP@60)", "Percentile"),
        ("Interval(Bpref@5,universe='all')", "universe='feasible'"),
        ("Interval(DCG(base=2)@100,form='rank')", r"certified to within 1e-05.*; use bracket\(\)"),
    ],
)
def test_what_cannot_be_counted_says_so(text: str, message: str) -> None:
    with pytest.raises(ScaleError, match=message):
        rs.evaluate(QRELS, RUNS[0], text)


def test_universes_have_names() -> None:
    with pytest.raises(ParameterError, match="must be 'all' or 'feasible', got"):
        rs.evaluate(QRELS, RUNS[0], "Interval(P@5,universe='some')")


def test_over_the_orders_of_tied_documents() -> None:
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}
    mean = rs.evaluate(qrels, run, "Interval(RR@3)", ties="expected")  # 1 in one order, 2/3 in the other
    assert mean.values[0, 0, 0] == pytest.approx(5 / 6, abs=1e-15)
    between = rs.evaluate(qrels, run, "Interval(RR@3)", ties="range")
    ends = [column.item() for column in between.extra_columns.values()]
    assert ends == [pytest.approx(2 / 3, abs=1e-15), 1]


@pytest.mark.parametrize("measure", ["DCG(base=2)@6", "AP@6", "RR@6", "RBP(p=0.8)@6"])
def test_a_curve_has_the_value_of_the_ranking_cut_at_each_entry(measure: str) -> None:
    rankings = ["1 0 - 1 1 0 1 1", "- 1", "0 0 1 1", "- - -"]
    table = judged(*rankings, missed="1 1 0")
    curve = parse(f"Interval({measure})").curve(table)
    scale = rs.scale(measure)
    for place, ranking in enumerate(rankings):
        grades = [NAN if grade == "-" else float(grade) for grade in ranking.split()]
        ranks = [rank for rank, grade in enumerate(grades, 1) if not math.isnan(grade)]
        expected = scale.normalised([grades[:rank][:6] for rank in ranks]).tolist() if ranks else []
        whole = scale.normalised([grades[:6]]).tolist()
        assert curve[place].tolist() == expected + whole * (curve.shape[1] - len(ranks))


def test_curves_of_an_evaluation_end_at_its_value() -> None:
    found = rs.curves(QRELS, RUNS[0], "Interval(DCG(base=2)@10)").to_pandas()
    last = found.groupby("topic", sort=False)["value"].last()
    values = rs.evaluate(QRELS, RUNS[0], "Interval(DCG(base=2)@10)")
    assert last.to_dict() == values.by_topic("bm25-bo1", "Interval(DCG(base=2)@10)")


def test_few_scales_are_kept() -> None:
    measure = parse("Interval(P@4,universe='feasible',form='rank')")
    assert isinstance(measure, Interval)
    for relevant in range(1, 2 * MOST_SCALES):
        assert SCALES.of(measure, (0.0, 1.0), 1.0, (1000, relevant)).size == min(relevant, 4) + 1
    assert len(SCALES.kept) == MOST_SCALES


def test_a_scale_that_is_full_forgets_and_counts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscale.scales.scale.MOST_KNOWN", 10)
    rankings = list(itertools.product((0, 1), repeat=6))
    scale, fresh = rs.scale("AP@6"), rs.scale("AP@6")
    expected = [fresh.rank(ranking) for ranking in rankings]
    assert scale.ranks(rankings[:8]) == expected[:8]
    assert scale.ranks(rankings[4:12]) == expected[4:12]
    assert scale.ranks(rankings) == expected
    assert len(scale._known) <= len(rankings)
    assert scale.ranks(rankings[:3]) == expected[:3]


def test_the_order_of_two_runs_can_turn() -> None:
    """Example 9 of the paper: A finds the first relevant document at ranks 1 and 4, B at rank 2 twice."""
    qrels = {topic: {"r": 1, "a": 0, "b": 0, "c": 0} for topic in ("1", "2")}
    first = {"1": {"r": 9.0}, "2": {"a": 9.0, "b": 8.0, "c": 7.0, "r": 6.0}}
    second = {topic: {"a": 9.0, "r": 8.0} for topic in qrels}
    found = rs.evaluate(qrels, {"A": first, "B": second}, ["RR@10", "Interval(RR@10,form='rank')"]).means().values
    assert found[0].tolist() == [0.625, 0.5]
    # phi = N + 2 - rank of the first relevant: the mean ranks are 2.5 and 2
    assert (10 + 2 - found[1]).tolist() == [2.5, 2.0]


def test_measures_that_share_a_scale_share_values_on_each_topic() -> None:
    shared = [("P@10", "R@10"), ("DCG(base=2)@10", "nDCG(base=2)@10"), ("RBP(p=0.5)@10", "RBP(p=0.3)@10")]
    shared += [("P@10", "DCG(base=10,gains=[0,1,1,1])@10")]
    for one, other in shared:
        values = rs.evaluate(QRELS, list(RUNS[:3]), [f"Interval({one})", f"Interval({other})"]).values
        np.testing.assert_array_equal(values[0], values[1], err_msg=f"{one} {other}")


def test_ranks_follow_values_on_each_topic() -> None:
    measures = ["DCG(base=2)@10", "AP@10", "nDCG@10", "ERR@6", "RBP(p=0.8)@30"]
    found = rs.evaluate(QRELS, list(RUNS), [*measures, *(f"Interval({measure})" for measure in measures)])
    for values, scaled in zip(found.values[:5], found.values[5:], strict=True):
        step = np.subtract.outer(values.T, values.T)[range(50), :, range(50)]
        by_rank = np.subtract.outer(scaled.T, scaled.T)[range(50), :, range(50)]
        assert (np.sign(np.where(np.abs(step) < 1e-12, 0, step)) == np.sign(by_rank)).all()


def test_what_is_worth_knowing_is_remarked() -> None:
    assert "surrogate" in parse("Interval(AP@10)").remark()
    assert "any p up to 1/2" in parse("Interval(RBP(p=0.3)@10)").remark()


def test_levels_decide_about_the_scale_and_grades_can_be_mapped(sample: Any) -> None:
    asked = "Interval(DCG(base=2,gains=[0,1,2,3])@5,form='rank')"
    graded, binary = (rs.evaluate(QRELS, RUNS[0], asked, grades=grades) for grades in (None, [0, 1, 1, 1]))
    scale = rs.scale("DCG(base=2)@5")
    rankings = [
        [grade if math.isnan(grade) else min(grade, 1.0) for grade in ranking]
        for ranking in rankings_of(RUNS[0], sample, 5).values()
    ]
    assert binary.values[0, 0].tolist() == scale.ranks(rankings)
    assert graded.values.max() > scale.size >= binary.values.max()


def test_negative_grades_are_unjudged_and_named_in_no_scale() -> None:
    qrels = {"1": {"a": 1, "b": -1, "c": 0}}
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    found = rs.evaluate(qrels, run, "Interval(P@2,form='rank')", judged_only=False).values[0, 0, 0]
    assert found == 2
    assert rs.evaluate(qrels, run, "Interval(RR@2)", judged_only=True).values[0, 0, 0] == 1


def test_gains_that_no_level_has_make_room_for_unjudged_documents() -> None:
    """All levels are worth something here; the scale has a place for what is worth nothing."""
    qrels = {"1": {"a": 1, "b": 2}}
    found = rs.evaluate(qrels, {"1": {"x": 2.0, "a": 1.0}}, "Interval(CG@2,form='rank')").values
    # sums of two of the gains 0, 1, 2 are 0, 1, 2, 3, 4
    assert found[0, 0, 0] == 2
