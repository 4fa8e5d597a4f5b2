"""Two sets of judgments by sub-topic: items are triples of topic, sub-topic and document."""

import random
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError
from rankscale.stats.agreement import cohen_kappa

Triple = tuple[str, str, str]
Graded = dict[Triple, int]
TOPICS = [str(topic) for topic in range(1, 7)]
MEASURES = ("alpha_nDCG@5", "StRecall@5", "IA(AP)", "D_nDCG@5", "AP", "nDCG@5", "Groups(AP)")


def judged(seed: int) -> Graded:
    """Grades of triples, -1 among them; not all triples are judged."""
    chance = random.Random(seed)
    return {
        (topic, f"s{subtopic}", f"d{document}"): chance.choice([-1, 0, 0, 1, 2, 3])
        for topic in TOPICS
        for subtopic in range(1, 4 + int(topic) % 2)
        for document in range(12)
        if chance.random() < 0.6
    }


def file_of(graded: Graded) -> bytes:
    lines = [f"{topic} {subtopic} {document} {grade}\n" for (topic, subtopic, document), grade in graded.items()]
    return "".join(lines).encode()


def runs() -> dict[str, Any]:
    chance = random.Random(9)
    return {
        name: {topic: {f"d{number}": chance.random() for number in range(15)} for topic in TOPICS} for name in "xyz"
    }


FIRST, SECOND = judged(1), judged(2)
SHARED = [one for one, grade in FIRST.items() if grade >= 0 and SECOND.get(one, -1) >= 0]


def test_items_are_triples_that_both_judge() -> None:
    overlap = rs.agree(file_of(FIRST), file_of(SECOND), draws=5).overlap
    every = [{one for one, grade in graded.items() if grade >= 0} for graded in (FIRST, SECOND)]
    assert overlap.by_subtopic
    assert overlap.both == len(every[0] & every[1]) == len(SHARED)
    assert (overlap.first_only, overlap.second_only) == (len(every[0] - every[1]), len(every[1] - every[0]))
    assert overlap.jaccard == len(every[0] & every[1]) / len(every[0] | every[1])


def test_coefficients_are_those_of_scikit_learn_and_krippendorff() -> None:
    metrics: Any = pytest.importorskip("sklearn.metrics")
    krippendorff: Any = pytest.importorskip("krippendorff")
    result = rs.agree(file_of(FIRST), file_of(SECOND), draws=5)
    pairs = np.array([(FIRST[one], SECOND[one]) for one in SHARED]).T
    assert np.array_equal(result.judges.matrix, metrics.confusion_matrix(*pairs))
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        expected = metrics.cohen_kappa_score(*pairs, weights=weights)
        assert result.judges[name].pooled == pytest.approx(expected, abs=1e-12)
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(reliability_data=pairs, level_of_measurement=level)
        assert result.judges[f"alpha_{level}"].pooled == pytest.approx(expected, abs=1e-12)
    for place, topic in enumerate(result.topics):
        own = np.array([(FIRST[one], SECOND[one]) for one in SHARED if one[0] == topic]).T
        expected = metrics.cohen_kappa_score(*own)
        assert result.judges["kappa"].by_topic[place] == pytest.approx(expected, abs=1e-12)


def test_all_items_of_a_topic_are_drawn_together() -> None:
    kappa = rs.agree(file_of(FIRST), file_of(SECOND), draws=40, seed=2).judges["kappa"]
    values = []
    for drawn in np.random.default_rng(2).integers(0, len(TOPICS), (40, len(TOPICS))):
        matrix = np.zeros((4, 4))
        for topic in drawn:
            for one in SHARED:
                if one[0] == TOPICS[topic]:
                    matrix[FIRST[one], SECOND[one]] += 1
        values.append(float(cohen_kappa(matrix, (0, 1, 2, 3))))
    assert (kappa.lower, kappa.upper) == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=1e-12)


def cut(graded: Graded) -> Graded:
    """The shared triples; the others of the file become unjudged, so that sub-topics stay listed."""
    return {one: grade if one in set(SHARED) else -1 for one, grade in graded.items()}


def fill() -> Graded:
    return {**SECOND, **{one: grade for one, grade in FIRST.items() if grade >= 0 or SECOND.get(one, -1) < 0}}


@pytest.mark.parametrize(
    ("judgments", "files"),
    [("own", (FIRST, SECOND)), ("common", (cut(FIRST), cut(SECOND))), ("fill", (FIRST, fill()))],
)
@pytest.mark.parametrize("merge", ["max", "min", "mean"])
def test_runs_are_measured_as_with_files_that_hold_the_triples(judgments: Any, files: Any, merge: str) -> None:
    first, second = (rs.read_qrels(file_of(one), merge=merge) for one in (FIRST, SECOND))
    made = rs.agree(first, second, runs(), MEASURES, judgments=judgments, draws=5).judged
    assert made is not None
    if judgments != "own" and merge != "max":  # a -1 that stands for no judgment would be the lowest grade
        files = [{one: grade for one, grade in graded.items() if grade >= 0} for graded in files]
        if judgments == "fill":
            files[0] = FIRST
    for evaluation, graded in zip(made.evaluations, files, strict=True):
        expected = rs.evaluate(rs.read_qrels(file_of(graded), merge=merge), runs(), MEASURES)
        np.testing.assert_allclose(evaluation.values, expected.values, rtol=0, atol=1e-12)


def test_probabilities_of_subtopics_are_kept() -> None:
    intents = {topic: {"s1": 0.6, "s2": 0.3, "s4": 0.1} for topic in TOPICS}
    first, second = (rs.read_qrels(file_of(graded), intents=intents) for graded in (FIRST, SECOND))
    for judgments, files in (
        ("own", (FIRST, SECOND)),
        ("common", (cut(FIRST), cut(SECOND))),
        ("fill", (FIRST, fill())),
    ):
        made = rs.agree(first, second, runs(), ["P_IA@5", "Coverage@5"], judgments=judgments, draws=5).judged  # type: ignore[call-overload]
        assert made is not None
        for evaluation, graded in zip(made.evaluations, files, strict=True):
            expected = rs.evaluate(rs.read_qrels(file_of(graded), intents=intents), runs(), ["P_IA@5", "Coverage@5"])
            np.testing.assert_allclose(evaluation.values, expected.values, rtol=0, atol=1e-12)


def test_the_result_says_that_items_are_triples() -> None:
    text = rs.agree(file_of(FIRST), file_of(SECOND), draws=5).text()
    assert f"of {len(SHARED)} items (triples of topic, sub-topic or assessor, and document) judged in both" in text
    assert "triples are judged in A only" in text


def test_one_set_without_subtopics_leaves_grades_of_documents() -> None:
    plain = {"1": {"d0": 1, "d1": 0, "d2": 2}, "2": {"d0": 0, "d3": 1}}
    result = rs.agree(file_of(FIRST), plain, draws=5)
    highest: dict[tuple[str, str], int] = {}
    for (topic, _, document), grade in FIRST.items():
        highest[topic, document] = max(grade, highest.get((topic, document), -1))
    shared = [
        (highest[t, d], grade) for t, of in plain.items() for d, grade in of.items() if highest.get((t, d), -1) >= 0
    ]
    assert not result.overlap.by_subtopic
    assert result.overlap.both == len(shared)
    assert result.judges["agreement"].pooled == sum(a == b for a, b in shared) / len(shared)
    (said,) = [text for text in result.warnings if "sub-topics" in text]
    assert said.endswith("does not: agreement is on one grade for each document, the highest of its grades")


def test_other_names_of_assessors_leave_grades_of_documents() -> None:
    first = b"1 anna a 1\n1 ben a 0\n1 anna b 0\n"
    second = b"1 cleo a 1\n1 dora a 0\n1 dora b 1\n"
    result = rs.agree(first, second)
    assert (result.overlap.both, result.overlap.by_subtopic) == (2, False)
    assert any(
        "(anna, ben)" in text and "(cleo, dora) name no sub-topic or assessor in common" in text
        for text in result.warnings
    )


def test_same_subtopics_without_a_common_document_is_an_error() -> None:
    with pytest.raises(InputError, match="for the same sub-topic or by the same assessor, on the topic that both have"):
        rs.agree(b"1 x a 1\n1 y b 0\n", b"1 x b 1\n1 y a 0\n")


def test_preferences_have_no_grades_to_agree_on() -> None:
    prefs = rs.read_qrels(b"1 anna s a 2\n1 anna s b 1\n", form="prefs")
    with pytest.raises(InputError, match="expected qrels, found preferences"):
        rs.agree(prefs, prefs)


def test_no_word_about_one_grade_where_no_measure_takes_one() -> None:
    assert not any("one grade" in text for text in rs.agree(file_of(FIRST), file_of(SECOND), draws=5).warnings)
    result = rs.agree(file_of(FIRST), file_of(SECOND), runs(), ["StRecall@5"], draws=5)
    assert not any("one grade" in text for text in result.warnings)
    result = rs.agree(file_of(FIRST), file_of(SECOND), runs(), ["AP"], draws=5)
    assert any("one grade" in text for text in result.warnings)


@pytest.mark.parametrize(("merge", "words"), [(None, "the highest"), ("min", "the lowest"), ("mean", "the mean")])
def test_the_rule_of_plain_measures_is_named(merge: str | None, words: str) -> None:
    assert rs.read_qrels(file_of(FIRST), merge=merge).warnings[0].endswith(f"one grade take {words}")
