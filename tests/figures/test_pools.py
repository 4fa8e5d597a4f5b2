"""Means with two pools as a figure: the data drawn, and the drawing."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Space, grid
from rankscale.figures.base.look import Appearance
from rankscale.figures.pools import LEAST_WIDTH, MOST_COLUMNS, pools_figure
from rankscale.sample import QRELS, RUNS
from rankscale.studies.pooling import pool

command = figure_command("pools")


@pytest.fixture(scope="module")
def figure() -> Any:
    return pools_figure(QRELS, RUNS, depths=(100, 5))


def test_points_are_the_means_with_each_pool(figure: Any) -> None:
    drawn = {(row["measure"], row["run"]): row for row in figure.data()["points"]}
    qrels = rs.read_qrels(QRELS)
    runs = rs.read_runs(qrels, RUNS)
    for depth, name in ((5, "shallow"), (100, "deep")):
        judged = rs.evaluate(pool(qrels, runs, depth).qrels, runs, ["AP", "RBP(p=0.95)"])
        for measure, means in zip(judged.measures, judged.means().values, strict=True):
            for run, mean in zip(judged.runs, means.tolist(), strict=True):
                assert drawn[str(measure), run][name] == pytest.approx(mean, abs=1e-12)


def test_tau_is_between_the_two_pools(figure: Any) -> None:
    from scipy.stats import kendalltau

    for row in figure.data()["measures"]:
        points = [one for one in figure.data()["points"] if one["measure"] == row["measure"]]
        means = np.round([[one[name] for one in points] for name in ("shallow", "deep")], 8)
        assert row["tau"] == pytest.approx(kendalltau(*means).statistic)
        assert f"tau {row['tau']:.4f}" in figure.description


def test_rbp_never_falls_with_more_judgments_and_ap_does(figure: Any) -> None:
    moves = {row["measure"]: (row["higher"], row["lower"]) for row in figure.data()["measures"]}
    assert moves.pop("AP") == (0, 24)
    assert all(lower == 0 for _, lower in moves.values())
    for row in figure.data()["points"]:
        assert row["goes"] == ("higher" if row["deep"] > row["shallow"] else "lower")


def test_trec_5_as_published(shared_data: Path) -> None:
    """Moffat and Zobel, section 5.3: tau .898 for AP, 1.000, .986, .891 for RBP with p = .5, .8, .95."""
    folder = shared_data / "trec5_adhoc"
    figure = pools_figure(folder / "T5-j.txt.gz", sorted((folder / "runs").iterdir()))
    assert figure.runs == 61
    assert figure.data()["measures"].columns["tau"] == pytest.approx([0.898, 1.0, 0.986, 0.891], abs=0.002)


def test_one_depth_is_refused() -> None:
    with pytest.raises(ParameterError, match="two depths of a pool are compared"):
        pools_figure(QRELS, RUNS[:2], ["AP"], depths=(10, 10))


def test_columns_are_filled_evenly() -> None:
    wide, narrow = Space(Appearance(), 413, 250), Space(Appearance(width=238), 198, 120)
    assert [grid(count, wide, LEAST_WIDTH, MOST_COLUMNS).columns for count in (1, 2, 3, 4, 5)] == [1, 2, 3, 2, 3]
    assert [grid(count, narrow, LEAST_WIDTH, MOST_COLUMNS).columns for count in (1, 2, 3, 4)] == [1, 2, 2, 2]


def test_is_drawn_without_overlap(figure: Any, check_drawing: Any) -> None:
    check_drawing(figure)


def test_one_plot_equal_means_and_long_names_too(check_drawing: Any) -> None:
    runs = {f"a run with {'a very ' * 9}long name {number}": {"1": {"a": 2, "b": 1}} for number in range(3)}
    long = "RBP(p=0.123456789, rel=2)@12345"
    check_drawing(pools_figure({"1": {"a": 2, "b": 1}}, runs, [long]))


def test_command(tmp_path: Path) -> None:
    arguments = [str(QRELS), *map(str, RUNS[:5]), "-m", "AP", "-m", "P@10"]
    made = tmp_path / "pools.svg"
    ended = CliRunner().invoke(command, [*arguments, "-o", str(made)])
    assert ended.exit_code == 0, ended.output
    assert "change with depth 100" in made.read_text()
    assert CliRunner().invoke(command, [*arguments, "-o", str(made), "--pool-depths", "ten"]).exit_code == 2


def test_large_type_does_not_overlap(figure: Any, text_boxes: Any) -> None:
    boxes = text_boxes(figure.svg(Appearance(font_size=14)))
    assert not [(a.text, b.text) for a, b in combinations(boxes, 2) if a.overlaps(b)]
