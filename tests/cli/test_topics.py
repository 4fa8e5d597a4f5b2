"""`--topics`: only the topics of a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError
from rankscale.sample import QRELS, RUNS

FILES = [str(QRELS), *(str(path) for path in RUNS[:3])]


TEXTS = [
    "101\n\n103 with words\n107\n",
    "topic,kind\n101,x\n103,x\n107,y\n",
    "101:first query\n103:second\n107:third\n",
    '{"qid": 101}\n{"qid": 103}\n{"qid": 107}\n',
    "<num> Number: 101\n<title> a\n<num> Number: 103\n<num> Number: 107\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_means_are_over_the_topics_of_the_file(text: str, tmp_path: Path, rankscale: Any) -> None:
    path = tmp_path / "topics.txt"
    path.write_text(text)
    outcome = rankscale("evaluate", *FILES, "-m", "AP", "--topics", str(path), "--format", "jsonl")
    evaluation = rs.evaluate(FILES[0], FILES[1:], "AP")
    places = [evaluation.topics.index(topic) for topic in ("101", "103", "107")]
    means = {row["run"]: row["value"] for row in outcome.rows}
    for run, values in zip(evaluation.runs, evaluation.values[0], strict=True):
        assert means[run] == pytest.approx(np.mean(values[places]), rel=1e-15)
    assert "3 topics" in rankscale("compare", *FILES, "-m", "AP", "--topics", str(path)).out


def test_topics_that_are_not_there(tmp_path: Path, rankscale: Any) -> None:
    path = tmp_path / "topics.txt"
    path.write_text("101\n999\n")
    outcome = rankscale("evaluate", *FILES, "-m", "AP", "--topics", str(path))
    assert "1 of 2 topics to keep are not in the evaluation (999)" in outcome.err
    path.write_text("999\n")
    assert "none of the topics to keep (999)" in rankscale("evaluate", *FILES, "--topics", str(path)).refused
    path.write_text("\n")
    assert "expected a topic in each line, found none" in rankscale("evaluate", *FILES, "--topics", str(path)).refused
    assert "--statements is about all topics" in rankscale("compare", *FILES, "--statements", "--topics", "x").refused


def test_bounds_go_with_their_topics() -> None:
    evaluation = rs.evaluate(FILES[0], FILES[1:], "P@10", bounds=True)
    kept = evaluation.of_topics(["103", "101"])
    assert kept.topics == ("101", "103")
    assert kept.lower is not None
    assert kept.lower.shape == kept.values.shape
    assert kept.signature.endswith("|topics:2-of-50")
    with pytest.raises(InputError, match="spell topics alike"):
        evaluation.of_topics([])
