"""Assessors of one set of judgments: other packages, the two-file form, and what users meet."""

import random
from collections.abc import Mapping
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from irrCAC.raw import CAC

import rankscale as rs
from rankscale.errors import InputError, ParameterError
from rankscale.stats.agreement import coincidences, fleiss_kappa

NAMES = ("ann", "bob", "cy")
Lines = list[tuple[str, str, str, int]]  # topic, assessor, document, grade


def lines(seed: int, topics: int = 6, share: float = 0.8) -> Lines:
    """Grades 0 to 3 of three assessors who agree more or less; some judge less, and cy not all topics."""
    chance = random.Random(seed)
    made = []
    for topic in range(topics):
        for document in range(12):
            true = chance.choice([0, 0, 0, 1, 2, 3])
            for place, name in enumerate(NAMES):
                if chance.random() < share and not (name == "cy" and topic == 0):
                    shift = chance.choice([-1, 0, 1]) if chance.random() < 0.2 * (place + 1) else 0
                    made.append((f"t{topic}", name, f"d{document}", min(3, max(0, true + shift))))
    return made


def qrels_of(given: Lines, **options: Any) -> Any:
    return rs.read_qrels("".join(f"{t} {a} {d} {g}\n" for t, a, d, g in given).encode(), **options)


def of_one(given: Lines, name: str) -> dict[str, dict[str, int]]:
    made: dict[str, dict[str, int]] = {}
    for topic, assessor, document, grade in given:
        if assessor == name:
            made.setdefault(topic, {})[document] = grade
    return made


def wide(given: Lines) -> pd.DataFrame:
    """(document, assessor): grades, NaN where there is none."""
    frame = pd.DataFrame(given, columns=["topic", "assessor", "document", "grade"])
    return frame.pivot_table(index=["topic", "document"], columns="assessor", values="grade")


def runs(seed: int) -> Mapping[str, Any]:
    chance = random.Random(seed)
    return {
        f"run{number}": {f"t{t}": {f"d{d}": chance.random() for d in range(15)} for t in range(6)}
        for number in range(4)
    }


@pytest.mark.parametrize("seed", range(4))
def test_alpha_of_all_is_that_of_krippendorff(seed: int) -> None:
    given = lines(seed)
    result = rs.agree(qrels_of(given), draws=20)
    found = {one.name: one.pooled for one in result.together.coefficients}
    grades = wide(given).to_numpy().T
    for kind in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(reliability_data=grades, level_of_measurement=kind)
        assert found[f"alpha_{kind}"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_fleiss_kappa_is_that_of_irrcac(seed: int) -> None:
    given = lines(seed, share=0.95)
    result = rs.agree(qrels_of(given), draws=20)
    table = wide(given)
    counts = table.notna().sum(axis=1)
    most = result.together.grades
    assert (counts == most).sum() == counts[counts > 1].value_counts().max() == result.together.as_many
    assert most == len(NAMES)
    expected = CAC(table[counts == most].reset_index(drop=True).astype(int)).fleiss()["est"]["coefficient_value"]
    kappa = next(one for one in result.together.coefficients if one.name == "kappa_fleiss")
    assert kappa.pooled == pytest.approx(expected, abs=1e-5)  # which it rounds to


def test_fleiss_kappa_of_his_paper() -> None:
    """The example that textbooks print: 10 subjects, 14 raters, 5 categories, kappa 0.210."""
    table = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
             [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]  # fmt: skip
    grades = np.array([np.repeat(np.arange(5), row) for row in table], dtype=np.float64)
    assert fleiss_kappa(coincidences(grades, range(5))) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize("levels", [(), (0, 1, 2, 3, 4)])
def test_two_assessors_are_what_two_files_are(levels: tuple[int, ...]) -> None:
    given = lines(3, topics=4)
    result = rs.agree(qrels_of(given), draws="all", levels=levels)
    assert [(one.first, one.second) for one in result.pairs] == [("ann", "bob"), ("ann", "cy"), ("bob", "cy")]
    for one in result.pairs:
        other = rs.agree(of_one(given, one.first), of_one(given, one.second), draws="all", levels=levels)
        assert one.judges is not None
        assert one.overlap == other.overlap
        assert one.judges.matrix.tolist() == other.judges.matrix.tolist()
        for mine, theirs in zip(one.judges.coefficients, other.judges.coefficients, strict=True):
            numbers = [(each.pooled, each.lower, each.upper, each.mean) for each in (mine, theirs)]
            assert numbers[0] == pytest.approx(numbers[1], nan_ok=True, abs=1e-14)


@pytest.mark.parametrize("judgments", ["own", "common"])
@pytest.mark.parametrize("merge", ["max", "min"])
def test_runs_under_an_assessor_are_what_two_files_make_of_them(judgments: Any, merge: str) -> None:
    given, systems = lines(5), runs(1)
    qrels = qrels_of(given, merge=merge)
    result = rs.agree(qrels, runs=systems, measures=["AP", "nDCG@5"], judgments=judgments, draws=50)
    assert result.judged is not None
    for name in NAMES:
        alone = of_one(given, name)
        every = {topic: grades for topic, grades in qrels.to_dict().items() if topic in alone}
        other = rs.agree(every, alone, systems, ["AP", "nDCG@5"], judgments=judgments, draws=50)
        assert other.judged is not None
        for mine, theirs in zip(result.judged.by_assessor[name].by_measure, other.judged.by_measure, strict=True):
            assert mine.means.tolist() == theirs.means.tolist()
            assert mine.places.tolist() == theirs.places.tolist()
            assert {key: (one.value, one.lower, one.runs) for key, one in mine.orders.items()} == {
                key: (one.value, one.lower, one.runs) for key, one in theirs.orders.items()
            }
            assert mine.tests is not None
            assert theirs.tests is not None
            assert mine.tests.outcomes.tolist() == theirs.tests.outcomes.tolist()


def test_measures_of_assessors_are_the_mean_of_all_and_the_plain_one_of_each() -> None:
    given, systems = lines(5), runs(2)
    result = rs.agree(qrels_of(given), runs=systems, measures="Groups(AP)", draws=10)
    assert result.judged is not None
    for name in NAMES:
        (one,) = result.judged.by_assessor[name].by_measure
        plain = rs.evaluate(of_one(given, name), systems, "AP").means()
        assert one.means[1].tolist() == pytest.approx([plain[run, "AP"] for run in systems], abs=1e-14)
    under_all = rs.evaluate(qrels_of(given), systems, "Groups(AP)").means()
    assert dict(result.judged.evaluation.means()["run1"]) == dict(under_all["run1"])


def test_tables_and_words() -> None:
    result = rs.agree(qrels_of(lines(5)), runs=runs(1), measures=["AP"], draws=20)
    names = ["agreement", "assessors", "assessor_pairs", "topics", "runs", "orders", "pairs", "outcomes"]
    assert list(result.tables()) == names
    text = result.text()
    assert text.startswith("bytes names 3 assessors (ann, bob, cy); ")
    for words in ("Krippendorff's alpha, ordinal", "Pairs of assessors", "Orders of runs under each assessor alone"):
        assert words in text
    for name in names:
        assert len(result.table(name)) > 0
        assert result.to_json(name)
    rows = {row["assessor"]: row for row in result.table("assessors")}
    assert [rows[name]["topics"] for name in NAMES] == [6, 6, 5]
    assert rows["ann"]["judged"] == sum(len(grades) for grades in of_one(lines(5), "ann").values())


def test_negative_grades_are_no_judgments() -> None:
    given = [("1", "a", "x", 1), ("1", "b", "x", -1), ("1", "a", "y", 0), ("1", "b", "y", 0)]
    assert rs.agree(qrels_of(given)).pairs[0].overlap.both == 1
    assert rs.agree(qrels_of(given), negative="not relevant").pairs[0].overlap.both == 2


def test_one_grade_is_nothing_to_agree_on() -> None:
    result = rs.agree(qrels_of([("1", "a", "x", 1), ("1", "b", "x", 1), ("2", "a", "x", 1), ("2", "b", "x", 1)]))
    assert "so that agreement beyond chance is undefined" in result.sentence()
    assert result.warnings[-1] == "all items have one grade: alpha and kappa are undefined"


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (b"1 0 a 1\n1 0 b 0\n", r"found one; give the second judgments too: rankscale agree QRELS QRELS"),
        (b"1 ann a 1\n1 bob b 0\n", r"no document is judged by two of 2 assessors \(ann, bob\)"),
        ("".join(f"1 u{n} a 1\n" for n in range(101)).encode(), r"names 101 assessors .* are these sub-topics\?"),
    ],
)
def test_what_cannot_be_compared(qrels: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rs.agree(rs.read_qrels(qrels))


def test_preferences_and_filling_are_refused() -> None:
    prefs = rs.read_qrels(b"1 ann s a 1\n1 bob s a 0\n", form="prefs")
    with pytest.raises(InputError, match="expected qrels, found preferences"):
        rs.agree(prefs)
    with pytest.raises(ParameterError, match="judgments='fill' completes one set of judgments by another"):
        rs.agree(qrels_of(lines(1)), runs=runs(1), judgments="fill")


def test_an_assessor_whose_topics_no_run_has_is_left_out() -> None:
    given = lines(5) + [("only", name, "d1", 1) for name in ("dee", "ann")]
    result = rs.agree(qrels_of(given), runs=runs(1), measures="AP", draws=10, missing="common")
    assert result.judged is not None
    assert list(result.judged.by_assessor) == list(NAMES)
    assert "no run has a topic of dee, who is left out" in result.warnings
