"""The same leader for the same data, whoever is asked: the demo, README, home page, report, workbench and figures."""

import json
import os
import re
from pathlib import Path

import pytest

import rankscale as rs
from rankscale.answers.standing import headline, standing
from rankscale.figures.critical_difference import critical_difference_figure
from rankscale.sample import QRELS, RUNS
from rankscale.workbench.app import VIEWS, Workbench
from rankscale.workbench.serve import open_bench
from rankscale.workbench.state import State

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compared() -> rs.Comparison:
    """All runs of the sample by the default measure and test."""
    return rs.compare(rs.evaluate(QRELS, list(RUNS), "nDCG@10"))


@pytest.fixture(scope="module")
def words(compared: rs.Comparison) -> str:
    return headline(compared, standing(compared))


def test_the_report_says_it(words: str) -> None:
    html = rs.report(QRELS, list(RUNS), sections="leaderboard").html()
    assert f'<p class="headline">{words}</p>' in html


def test_the_workbench_says_it(words: str) -> None:
    """With the p-values of its leaderboard corrected as `compare` corrects them."""
    workbench = Workbench(open_bench(str(QRELS), list(map(str, RUNS)), title=""))
    made = json.loads(workbench.json(VIEWS["overview"], State.of([("part", "tests")]), lambda _done, _of: None))["data"]
    assert (made["headline"], made["family"]) == (words, "276 pairs, Holm")


def test_the_demo_says_it(
    capsys: pytest.CaptureFixture[str], compared: rs.Comparison, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankscale.cli.program import cli

    monkeypatch.setattr("rankscale.cli.demo._page", lambda output: f"{output}\n")
    cli.main(["demo", "-o", os.devnull], standalone_mode=False)
    printed = capsys.readouterr().out
    assert f"{words.removesuffix('.')} (Student's paired t test, 276 pairs, Holm)." in printed
    board = re.findall(r"^(\S+) +50 +([\d.]+) ", printed, re.MULTILINE)
    means = zip(compared.runs, compared.means.tolist(), strict=True)
    assert board == [(run, f"{mean:.4f}") for run, mean in means]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_picture_of_the_home_page_says_it(page: str, compared: rs.Comparison) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert f"The best ten of {len(compared.runs)} runs by mean nDCG@10, led by {compared.runs[0]}" in text
    assert "critical-difference sample/qrels.txt.xz sample/runs -t student --best 10" in text


def test_the_figure_says_how_many_cannot_be_told_apart(compared: rs.Comparison, words: str) -> None:
    near = int((~compared.significant[compared.pairs.first == 0]).sum())
    drawn = critical_difference_figure(compared, best=10)
    assert f"{near} of 9 other runs do not differ from {compared.runs[0]}" in repr(drawn)
    assert words == f"{compared.runs[0]} leads by nDCG@10; {near} runs cannot be told apart from it."


def test_one_default_wherever_one_measure_decides() -> None:
    """nDCG@10 is the default, or the first of several, of every command that lists measures or puts runs in order."""
    from rankscale.cli import compare, demo, evaluate
    from rankscale.figures import critical_difference, topics
    from rankscale.reporting.report import DEFAULT_MEASURES
    from rankscale.studies import agree, discriminate, gate, overlap, robustness, topic_groups
    from rankscale.workbench.serve import MEASURES

    lists = [compare.DEFAULT_MEASURES, evaluate.DEFAULT_MEASURES, demo.MEASURES, DEFAULT_MEASURES, MEASURES]
    lists += [one.COMMAND.measures for one in (agree, discriminate, gate, overlap, robustness, topic_groups)]
    assert {one[0] for one in lists} == {"nDCG@10"}
    assert {one.COMMAND.measure for one in (critical_difference, topics)} == {"nDCG@10"}
