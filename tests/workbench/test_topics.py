"""Topics: cells are values of `evaluate`, statistics are those of numpy, orders and filters do what they say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import ParameterError, RankscaleError
from rankscale.measures.base.parser import parse
from rankscale.workbench.bench import Bench
from rankscale.workbench.views import topics as view
from rankscale.workbench.views.topics import TopicStatistics, difficulty, difficulty_in_words, rest_correlation
from tests.workbench.made_up import asking, collection, opened, state
from tests.workbench.test_values import evaluated, random_state, same

Answer = Callable[[str, str], Any]


@pytest.fixture(scope="module")
def grouped() -> Bench:
    """40 topics in two groups, some in none, 5 of them without a relevant document."""
    return opened(40)


@pytest.fixture(scope="module")
def ask(grouped: Bench) -> Answer:
    return asking(grouped)


@pytest.mark.parametrize("seed", range(12))
def test_cells_are_the_values_of_evaluate(answer: Answer, seed: int) -> None:
    chosen = random_state(seed)
    if chosen["m"] == "ESL" and (chosen.get("judged") or chosen.get("depth")):
        return  # ties are not known of rankings that were cut
    order, by = ("difficulty", "name", "spread", "difference")[seed % 4], ("value", "median")[seed % 2]
    data = answer("topics", urlencode({**chosen, "order": order, "by": by, "rows": ("mean", "name")[seed % 3 == 0]}))[
        "data"
    ]
    evaluation = evaluated(chosen)
    values = np.where(evaluation.retrieved, evaluation.values[0], np.nan)
    rows = [evaluation.runs.index(run) for run in data["runs"]]
    places = [evaluation.topics.index(topic) for topic in data["topics"]]
    assert sorted(places) == np.flatnonzero(evaluation.retrieved.any(axis=0)).tolist()
    table = values[np.ix_(rows, places)]
    finite = np.where(np.isfinite(table), table, np.nan)
    median = np.array(
        [np.median(column[~np.isnan(column)]) if (~np.isnan(column)).any() else np.nan for column in finite.T]
    )
    for shown, row in zip(data["cells"], table - median if by == "median" else table, strict=True):
        same(shown, row)
    same(data["median"], median)
    same(data["a"], values[evaluation.runs.index(chosen["a"]), places])
    same(data["b"], values[evaluation.runs.index(chosen["b"]), places])
    same(data["means"], evaluation.of_runs(data["runs"]).means().values[0])
    assert data["columns"] == list(range(len(places) + 1))


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@5", "DCG@10", "ESL"])
def test_statistics_are_those_of_numpy(answer: Answer, measure: str) -> None:
    data = answer("topics", f"m={measure}")["data"]
    cells = np.array(data["cells"], dtype=float)
    for column, place in zip(cells.T, range(len(data["topics"])), strict=True):
        known = column[~np.isnan(column)]
        assert data["mean"][place] == pytest.approx(known.mean(), rel=1e-12)
        assert data["spread"][place] == pytest.approx(known.std(ddof=1), rel=1e-9, abs=1e-15)
        others = np.delete(cells, place, axis=1)
        there = ~np.isnan(column)
        expected = np.nan if np.ptp(known) == 0 else np.corrcoef(known, np.nanmean(others, axis=1)[there])[0, 1]
        shown = data["correlation"][place]
        assert (np.isnan(expected) and shown is None) or shown == pytest.approx(expected, rel=1e-9)


def test_difficulty_is_the_distance_from_the_best_value() -> None:
    means = np.array([0.25, 1.0])
    assert (difficulty(means, parse("AP")).tolist(), difficulty_in_words(parse("AP"))) == ([0.75, 0.0], "1 - mean")
    assert (difficulty(means, parse("DCG")).tolist(), difficulty_in_words(parse("DCG"))) == (
        [-0.25, -1.0],
        "minus mean",
    )
    assert (difficulty(means, parse("ESL")).tolist(), difficulty_in_words(parse("ESL"))) == ([0.25, 1.0], "mean")


def test_what_is_undefined_has_no_statistics() -> None:
    values = np.array([[0.1, np.nan, 0.5], [0.2, np.nan, 0.5], [0.3, np.inf, 0.5], [0.4, np.nan, np.nan]])
    made = TopicStatistics.of(values, parse("AP"))
    assert np.isnan(made.mean).tolist() == [False, True, False]
    assert np.isnan(made.spread).tolist() == [False, True, False]
    assert np.isnan(made.correlation).tolist() == [True, True, True]  # the third is the same for all runs
    assert np.isnan(rest_correlation(np.array([[0.1, 0.2], [0.3, 0.1]]))).all()  # of two runs nothing is said


def test_orders(ask: Answer) -> None:
    for order, key, sign in (("difficulty", "difficulty", 1), ("spread", "spread", -1)):
        values = [sign * value for value in ask("topics", f"order={order}")["data"][key] if value is not None]
        assert values == sorted(values)
    data = ask("topics", "order=difference&a=late&b=early")["data"]
    apart = [a - b for a, b in zip(data["a"], data["b"], strict=True) if a is not None]
    assert apart == sorted(apart)
    names = ask("topics", "order=name&rows=name")["data"]
    assert names["topics"] == [str(number) for number in range(1, 41)]
    assert names["runs"] == ["early", "late", "middling"]


def test_groups_and_search(ask: Answer, tmp_path: Path) -> None:
    qrels, runs, groups = collection(40)
    data = ask("topics", "m=AP&a=early&b=late")["data"]
    expected = rs.evaluate(qrels, runs, "AP").by_group(groups)
    assert data["by_group"]["rows"] == ["odd", "even", "(none)", "(micro)", "(macro)"] == list(expected.rows)
    for side, run in (("a", "early"), ("b", "late")):
        assert data["by_group"][side] == [expected[run, row, "AP"] for row in expected.rows]
    even = ask("topics", "group=even&order=name")["data"]
    assert even["topics"] == [topic for topic in qrels if groups.get(topic) == "even"]
    assert even["matching"] == len(even["topics"]) == 16
    assert ask("topics", "group=(none)&order=name")["data"]["topics"] == ["5", "10", "15", "20", "25", "30", "35", "40"]
    assert ask("topics", "search=3&order=name")["data"]["topics"] == [topic for topic in qrels if "3" in topic]
    assert ask("topics", "search=nothing")["data"]["topics"] == []
    assert ask("topics", "topics=3,13,4&only=1&search=3&order=name")["data"]["topics"] == ["3", "13"]
    assert ask("topics", "only=1")["data"]["matching"] == 40  # nothing is brushed
    queries = tmp_path / "queries.tsv"
    queries.write_text("7\tBlack bears\n8\tbrown bears\n", encoding="utf-8")
    with_words = asking(opened(40, queries=str(queries)))
    found = with_words("topics", "search=black+B&order=name")["data"]
    assert (found["topics"], found["queries"]) == (["7"], ["Black bears"])


def test_windows_and_columns_of_neighbouring_topics() -> None:
    qrels, runs, _ = collection(900)
    ask = asking(opened(900))
    data = ask("topics", "m=AP&order=name")["data"]
    assert len(data["topics"]) == 900
    assert len(data["cells"][0]) == len(data["columns"]) - 1 == 400
    evaluation = rs.evaluate(qrels, runs, "AP").of_runs(data["runs"])
    values = evaluation.values[0][:, [evaluation.topics.index(topic) for topic in data["topics"]]]
    for column in (0, 57, 399):
        start, end = data["columns"][column : column + 2]
        expected = np.nanmean(values[:, start:end], axis=1).tolist()
        assert [row[column] for row in data["cells"]] == pytest.approx(expected)
    window = ask("topics", "m=AP&order=name&start=200&window=30")["data"]
    assert window["topics"] == [str(number) for number in range(201, 231)]
    assert (window["matching"], window["start"], len(window["cells"][0])) == (900, 200, 30)
    same(window["cells"][1], values[1, 200:230])
    beyond = ask("topics", "m=AP&order=name&start=5000&window=30")["data"]
    assert beyond["topics"] == ["900"]


def test_table_figure_and_command(grouped: Bench) -> None:
    settled = grouped.settled(state("m=AP&group=even&topics=2,4,9&order=name"))
    table = view.table(grouped, settled)
    assert table.columns["topic"] == ["2", "4"]  # 9 is not in the group
    qrels, runs, _ = collection(40)
    values = rs.evaluate(qrels, runs, "AP")
    for run in runs:
        assert table.columns[f"value:{run}"] == [values.by_topic(run, "AP")[topic] for topic in ("2", "4")]
    assert view.figure(grouped, settled).data()["cells"].columns["topic"][:2] == ["2", "4"]
    assert view.command(grouped, settled) == "rankscale evaluate QRELS RUN... -m AP --per-topic"
    with pytest.raises(ParameterError, match="no topic matches"):
        view.figure(grouped, grouped.settled(state("m=AP&search=nothing")))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("order=mood", "order is one of difficulty, name, spread, difference, got 'mood'"),
        ("by=mean", "by is one of value, median"),
        ("group=nowhere", "unknown group 'nowhere'"),
        ("window=-1", "window is a whole number from 0 to"),
        ("start=1e3", "start is a whole number"),
        ("against=luck", "against is one of correlation, spread"),
    ],
)
def test_mistakes_are_answered_in_words(ask: Answer, query: str, words: str) -> None:
    with pytest.raises(RankscaleError, match=words):
        ask("topics", query)


def test_a_group_is_refused_where_there_are_none(answer: Answer) -> None:
    with pytest.raises(ParameterError, match="there are no groups of topics; give a file of them"):
        answer("topics", "group=short")
    assert answer("topics", "m=AP")["data"]["by_group"] is None
