"""Differences of two runs as bars: the data drawn, the drawing and the command."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.diff import MOST_TOPICS, diff_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("diff")
PAIR = [str(path) for path in RUNS if path.name.split(".")[0] in {"bm25", "dense-base"}]


def values(first: list[float], second: list[float], measure: str = "P@10") -> rs.Diff:
    runs = {"old": first, "new": second}
    held = {run: {f"t{place}": one for place, one in enumerate(of)} for run, of in runs.items()}
    return rs.diff(rs.read_values(held, measure=measure), "old", "new")


def test_bars_are_differences_the_largest_loss_first() -> None:
    figure: Any = rs.figure("diff", rs.diff(QRELS, PAIR, "nDCG@10"))
    both = rs.evaluate(QRELS, PAIR, "nDCG@10")
    gaps = np.sort(both.values[0, 1] - both.values[0, 0])
    assert [row["difference"] for row in figure.bars] == pytest.approx(gaps.tolist(), abs=1e-12)
    assert figure.bars.columns["topic"][0] == both.topics[int(np.argmin(both.values[0, 1] - both.values[0, 0]))]
    signs = {"loss": gaps < 0, "tie": gaps == 0, "win": gaps > 0}
    assert {row["outcome"]: row["topics"] for row in figure.counts} == {
        name: np.count_nonzero(of) for name, of in signs.items()
    }
    assert f"mean {gaps.mean():+.4f}" in figure.description
    assert figure.title == "nDCG@10 of dense-base less bm25, topic by topic"


def test_where_low_is_good_the_highest_difference_is_the_largest_loss() -> None:
    figure = diff_figure(values([1, 5, 3, 2], [4, 2, 3, 3], "ESL(n=1)"))
    assert figure.bars.columns["topic"] == ["t0", "t3", "t2", "t1"]
    assert figure.bars.columns["outcome"] == ["loss", "loss", "tie", "win"]
    assert "(low is good)" in figure.title
    assert "2 losses, 1 tie, 1 win" in figure.description


def test_of_many_topics_some_are_drawn_with_both_ends() -> None:
    random = np.random.default_rng(0)
    first, second = random.random((2, 1000)).round(3)
    figure = diff_figure(values(first.tolist(), second.tolist()))
    drawn = figure.bars.columns["difference"]
    assert len(drawn) == MOST_TOPICS
    assert (drawn[0], drawn[-1]) == pytest.approx(((second - first).min(), (second - first).max()))
    assert "400 of 1,000 topics are drawn" in figure.description


def test_nothing_finite_is_refused() -> None:
    nothing = [float("nan")] * 3
    with pytest.raises(ParameterError, match="nothing to draw"):
        diff_figure(values([0.1, 0.2, 0.3], nothing))


def test_is_drawn_without_overlap(check_drawing: Any) -> None:
    check_drawing(diff_figure(rs.diff(QRELS, PAIR, "nDCG@10")))
    check_drawing(diff_figure(values([0.5, 0.25, 0.1], [0.5, 0.25, 0.1])))  # ties alone


def test_the_command_draws_two_runs(tmp_path: Path) -> None:
    output = tmp_path / "diff.tsv"
    runs = [str(path) for path in RUNS[:6]]
    chosen = ["--baseline", "bm25-bo1", "--candidate", "bm25-rm3"]
    outcome = CliRunner().invoke(command, [str(QRELS), *runs, *chosen, "-m", "AP", "-o", str(output)])
    assert outcome.exit_code == 0, outcome.output
    assert output.read_text().splitlines()[0] == "topic\tbaseline\tcandidate\tdifference\toutcome"
    refused = CliRunner().invoke(command, [str(QRELS), *runs, "-o", str(output)])
    assert "name two of them, one as baseline and the other as candidate" in str(refused.exception)
