"""Values by run and topic as a figure: the data drawn, the drawing and its command."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.topics import MOST_CELLS, MOST_TOPICS, thinned, topics_figure
from rankscale.sample import QRELS, RUNS

command = figure_command("topics")


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, RUNS, ["AP", "RR"])


def made_up(runs: int, topics: int, name: str = "run") -> Any:
    """Runs that find the one relevant document at ranks that go round."""
    qrels = {str(topic): {"a": 1} for topic in range(topics)}
    ranked = {
        rank: {f"x{place}": float(9 - place) for place in range(rank)} | {"a": float(9 - rank)} for rank in range(7)
    }
    given = {
        f"{name}{run}": {topic: ranked[(run + place) % 7] for place, topic in enumerate(qrels)} for run in range(runs)
    }
    return rs.evaluate(qrels, given, "RR")


def test_what_is_drawn_are_the_values(evaluation: Any) -> None:
    figure: Any = topics_figure(evaluation, "AP")
    cells = {(row["run"], row["topic"]): row["value"] for row in figure.data()["cells"]}
    assert len(cells) == 24 * 50
    for run in ("bm25", "manual"):
        for topic, value in evaluation.by_topic(run, "AP").items():
            assert cells[run, topic] == value
    assert cells["dense-zero", "137"] == 0  # missing topics count as 0 unless they are skipped
    skipped = topics_figure(rs.evaluate(QRELS, RUNS, "AP", missing="skip")).data()["cells"]
    (missed,) = [row["value"] for row in skipped if (row["run"], row["topic"]) == ("dense-zero", "137")]
    assert isinstance(missed, float)
    assert np.isnan(missed)


def test_the_description_is_of_all_topics_though_some_are_drawn() -> None:
    random = np.random.default_rng(3)
    qrels = {str(topic): {f"d{number}": int(random.random() < 0.4) for number in range(8)} for topic in range(300)}
    runs = {
        name: {topic: {f"d{number}": random.random() for number in range(8)} for topic in qrels} for name in ("a", "b")
    }
    evaluation = rs.evaluate(qrels, runs, ["P@5", "GMAP"])
    for measure, words in (("P@5", "mean"), ("GMAP", "geometric mean")):
        figure = topics_figure(evaluation, measure)
        assert len(figure.topics) < 300
        assert f"the best run by {words} is {figure.runs[0]}, {evaluation.means()[figure.runs[0], measure]:.4f}" in (
            figure.description
        )


def test_without_a_direction_nothing_is_best_or_easiest(evaluation: Any) -> None:
    figure = topics_figure(rs.evaluate(QRELS, RUNS[:3], "CRP"))
    words = figure.description + str(figure.spec()["encoding"])
    assert not [word for word in ("best", "easiest", "hardest") if word in words]
    assert "highest first" in words


def test_the_best_run_and_the_easiest_topic_stand_first(evaluation: Any) -> None:
    figure: Any = topics_figure(evaluation, "AP")
    means = evaluation.means()
    ends = [means[run, "AP"] for run in figure.runs]
    assert ends == sorted(ends, reverse=True)
    by_topic = dict(
        zip(evaluation.topics, np.nanmean(np.where(evaluation.retrieved, evaluation.values[0], np.nan), 0), strict=True)
    )
    values = [by_topic[topic] for topic in figure.topics]
    assert values == sorted(values, reverse=True)
    assert f"easiest topic by mean is {figure.topics[0]}, {values[0]:.4f}" in figure.description
    assert topics_figure(evaluation, "AP", order="name").topics == tuple(sorted(evaluation.topics, key=int))


def test_what_cannot_be_seen_is_left_out_and_told() -> None:
    figure: Any = topics_figure(made_up(70, 300))
    assert len(figure.topics) == MOST_TOPICS
    assert len(figure.runs) == MOST_CELLS // MOST_TOPICS
    assert figure.title == "RR by run and topic: the best 40 of 70 runs, 200 of 300 topics"
    assert len(figure.cells) == MOST_CELLS


def test_names_are_thinned_with_their_ends() -> None:
    names = [str(place) for place in range(129)]
    shown = thinned(names, room=300, each=9.2)
    assert (shown[0], shown[-1]) == ("0", "128")
    places = [int(name) for name in shown]
    assert all((b - a) * 300 / 129 >= 9.2 for a, b in pairwise(places))
    assert thinned(names[:5], room=300, each=9.2) == names[:5]


def test_what_is_asked_must_be_there(evaluation: Any) -> None:
    with pytest.raises(ParameterError, match="the evaluation has 2: name one"):
        topics_figure(evaluation)
    with pytest.raises(ParameterError, match="order of topics"):
        topics_figure(evaluation, "AP", order="hardness")


def test_is_drawn_without_overlap(evaluation: Any, check_drawing: Any) -> None:
    check_drawing(topics_figure(evaluation, "AP"))


@pytest.mark.parametrize(("runs", "topics"), [(129, 50), (1, 1)])
def test_many_and_few_are_drawn_without_overlap(runs: int, topics: int, check_drawing: Any) -> None:
    check_drawing(topics_figure(made_up(runs, topics, "<b>a run with a long name & more</b> ")))


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "topics.svg"
    files = [str(QRELS), *map(str, RUNS[:3])]
    made = CliRunner().invoke(command, [*files, "-o", str(output), "--topics-by", "name", "-m", "nDCG@10"])
    assert made.exit_code == 0, made.output
    assert "nDCG@10 by run and topic" in output.read_text()
    assert CliRunner().invoke(command, [*files, "-o", str(output), "--topics-by", "hardness"]).exit_code == 2


def test_infinite_values_are_crossed_out_and_leave_colours_alone() -> None:
    evaluation = rs.evaluate(QRELS, RUNS[:6], "balance")
    assert np.isinf(evaluation.values).any()
    figure: Any = topics_figure(evaluation)
    spec = figure.spec()
    domain = spec["layer"][0]["encoding"]["color"]["scale"]["domain"]
    assert domain == [0, evaluation.values[np.isfinite(evaluation.values)].max()]
    crossed = sum(cell["value"] is None for cell in spec["datasets"]["cells"])
    assert crossed == np.count_nonzero(~np.isfinite(np.where(evaluation.retrieved, evaluation.values[0], np.nan)))


def test_a_run_can_have_the_name_of_a_part_of_javascript() -> None:
    given = {name: {"1": {"a": 1.0}, "2": {"b": 1.0}} for name in ("constructor", "__proto__", "toString")}
    figure = topics_figure(rs.evaluate({"1": {"a": 1}, "2": {"a": 1}}, given, "RR"))
    assert all(name in figure.svg() for name in given)


def test_the_last_column_is_what_sums_up_topics() -> None:
    evaluation = rs.evaluate(QRELS, RUNS[:5], "GMAP")
    figure = topics_figure(evaluation)
    means = {row["run"]: row["value"] for row in figure.data()["means"]}
    assert means == {run: evaluation.means()[run, "GMAP"] for run in evaluation.runs}
    assert figure.summary == "geometric mean"
    assert "geometric mean" in figure.svg()
