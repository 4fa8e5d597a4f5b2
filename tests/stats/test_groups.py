"""Means by group of topics: the worked example, loops over topics, and groups in every form."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.errors import DuplicateError, FormatError, ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS

A = (0.7, 0.75, 0.3, 0.2, 0.4, 0.3, 0.5, 0.25)
B = (0.5, 0.6, 0.4, 0.3, 0.4, 0.45, 0.55, 0.4)
GROUPS = {str(topic): "x" if topic <= 2 else "y" for topic in range(1, 9)}


def example() -> rs.Evaluation:
    runs = {name: {str(t): value for t, value in enumerate(of, start=1)} for name, of in (("A", A), ("B", B))}
    return rs.read_values(runs, measure="P@20")


def test_the_worked_example() -> None:
    means = example().by_group(GROUPS)
    assert means.rows == ("x", "y", "(micro)", "(macro)")
    differences = [means["A", row, "P@20"] - means["B", row, "P@20"] for row in means.rows]
    assert differences == pytest.approx([0.175, -0.091667, -0.025, 0.041667], abs=5e-7)
    assert means.counted[0, :, 0].tolist() == [2, 6, 8, 8]
    assert means.warnings == ("P@20: A and B: means over topics and means of groups order them the other way round",)


@settings(max_examples=60)
@given(st.data())
def test_means_are_those_of_loops_over_topics(data: st.DataObject) -> None:
    topics, runs = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 3))
    numbers = st.one_of(st.none(), st.floats(0, 1))  # None: the run lacks the topic
    drawn = [[data.draw(numbers) for _ in range(topics)] for _ in range(runs)]
    names = [data.draw(st.sampled_from(["a", "b", "c", None])) for _ in range(topics)]
    drawn[0][0], names[0] = 0.5, "a"
    values = {f"r{r}": {str(t): v for t, v in enumerate(of) if v is not None} for r, of in enumerate(drawn)}
    values = {run: of for run, of in values.items() if of}
    means = rs.read_values(values, measure="P@5").by_group({str(t): name for t, name in enumerate(names)})
    for r, of in enumerate(drawn):
        if f"r{r}" not in values:
            continue
        by_group: dict[str, list[float]] = {}
        for value, name in zip(of, names, strict=True):
            if value is not None:
                by_group.setdefault(name or "(none)", []).append(value)
        grouped = {name: math.fsum(those) / len(those) for name, those in by_group.items() if name != "(none)"}
        everything = [value for name, those in by_group.items() if name != "(none)" for value in those]
        expected = {name: math.fsum(those) / len(those) for name, those in by_group.items()}
        if everything:
            expected |= {
                "(micro)": math.fsum(everything) / len(everything),
                "(macro)": math.fsum(grouped.values()) / len(grouped),
            }
        for row in means.rows:
            value = means[f"r{r}", row, "P@5"]
            assert value == pytest.approx(expected[row], rel=1e-12) if row in expected else math.isnan(value)
        spread = {name: float(np.std(those, ddof=1)) for name, those in by_group.items() if len(those) > 1}
        for row, deviation in zip(means.rows, means.deviations[0, :, means.runs.index(f"r{r}")], strict=True):
            if row in by_group:
                assert deviation == pytest.approx(spread[row]) if row in spread else math.isnan(deviation)


def test_simpsons_paradox_where_runs_have_different_topics() -> None:
    """A is better in both groups, B over all topics: most topics of A are in the group that is hard for both."""
    values = {"A": {"1": 0.9, "5": 0.3, "6": 0.3, "7": 0.3}, "B": {"1": 0.8, "2": 0.8, "3": 0.8, "5": 0.2}}
    groups = {topic: "easy" if topic in "123" else "hard" for topic in "123567"}
    warnings = rs.read_values(values, measure="P@10").by_group(groups).warnings
    assert warnings[0] == (
        "P@10: A and B: Simpson's paradox: every group has the difference the other way round than all topics"
    )
    assert "means over topics and means of groups" in warnings[1]


def test_differences_that_are_rounding_have_no_sign() -> None:
    """0.1 + 0.2 and 0.3 differ in their last bit, and by nothing."""
    values = {"A": {"1": 0.1, "2": 0.2, "3": 0.6}, "B": {"1": 0.3, "2": 0.0, "3": 0.6}}
    assert rs.read_values(values, measure="P@10").by_group({"1": "x", "2": "x", "3": "y"}).warnings == ()


def test_many_pairs_that_are_turned_are_counted() -> None:
    values = {f"r{r}": {"1": 0.5 + r / 10, "2": 0.9 - r / 20, "3": 0.9 - r / 20, "4": 0.9 - r / 20} for r in range(4)}
    (warning,) = rs.read_values(values, measure="P@10").by_group({"1": "x", "2": "y", "3": "y", "4": "y"}).warnings
    assert warning.startswith("P@10: r0 and r1; r0 and r2; r0 and r3; ... (6 of 6 pairs): means over topics")


def test_bounds_and_ranges_are_averaged_as_values_are() -> None:
    evaluation = rs.evaluate(QRELS, RUNS[:2], ["P@10", "AP"], bounds=True, ties="range")
    groups = {topic: "even" if int(topic) % 2 == 0 else "odd" for topic in evaluation.topics}
    means = evaluation.by_group(groups)
    even = [t for t, topic in enumerate(evaluation.topics) if groups[topic] == "even"]
    assert set(means.extra) == {"lower", "upper", "ties_lower", "ties_upper"}
    assert evaluation.upper is not None
    assert means.extra["upper"][0, means.rows.index("even")] == pytest.approx(
        evaluation.upper[0][:, even].mean(axis=1), rel=1e-12
    )
    macro = (means.extra["upper"][0, 0] + means.extra["upper"][0, 1]) / 2
    assert means.extra["upper"][0, 3] == pytest.approx(macro, rel=1e-12)
    assert np.isnan(means.extra["upper"][1]).all()  # AP has none
    assert "AP_ties_lower" in means.table("wide").columns


def test_the_error_of_a_macro_mean_is_that_of_a_mean_of_independent_means() -> None:
    evaluation = rs.evaluate(QRELS, [path for path in RUNS if "int8" in path.name], "Twist", ties="expected")
    groups = {topic: "a" if int(topic) < 120 else "b" for topic in evaluation.topics}
    errors = evaluation.by_group(groups).extra["ties_error"][0, :, 0]
    assert errors[0] > 0
    assert errors[3] == pytest.approx(math.sqrt(errors[0] ** 2 + errors[1] ** 2) / 2, rel=1e-12)


def frames() -> dict[str, Any]:
    import pandas as pd
    import polars as pl

    columns = {"qid": [int(topic) for topic in GROUPS], "kind": list(GROUPS.values())}
    return {"polars": pl.DataFrame(columns), "pandas": pd.DataFrame(columns), "mapping": GROUPS}


@pytest.mark.parametrize("kind", ["polars", "pandas", "mapping"])
def test_groups_of_frames_and_mappings(kind: str) -> None:
    assert example().by_group(frames()[kind]).text() == example().by_group(GROUPS).text()


def test_topics_without_a_group_in_a_table() -> None:
    import pandas as pd
    import polars as pl

    for nothing in (None, float("nan")):
        frame = pd.DataFrame({"topic": ["1", "2", "3"], "group": ["x", nothing, "y"]})
        assert example().by_group(frame).groups == ("x", "y", "(none)")
    frame = pl.DataFrame({"topic": ["1", "2"], "length": [3, None]})
    assert example().by_group(frame).groups == ("3", "(none)")
    assert example().by_group({"1": "x", "2": None}).groups == ("x", "(none)")


FILES = {
    "lines": ("groups.txt", "".join(f"{topic} {group}\n" for topic, group in GROUPS.items()), None),
    "lines with commas": ("commas.txt", "".join(f"{t}  {g}, {g}\n" for t, g in GROUPS.items()), None),
    "csv": ("t.csv", "qid,n,kind\n" + "".join(f"{t},3,{g}\n" for t, g in GROUPS.items()), "kind"),
    "tsv": ("t.tsv", "topic\tcategory\tn\n" + "".join(f"{t}\t{g}\t3\n" for t, g in GROUPS.items()), None),
    "jsonl": ("t.jsonl", "".join(json.dumps({"query_id": t, "kind": g}) + "\n" for t, g in GROUPS.items()), None),
    "jsonl with gaps": ("u.jsonl", '{"qid": 1, "kind": "x"}\n{"qid": 2, "kind": null}\n{"qid": 3}\n', "kind"),
}


@pytest.mark.parametrize("case", FILES)
def test_files_of_groups(case: str, tmp_path: Path) -> None:
    name, text, column = FILES[case]
    (tmp_path / name).write_text(text)
    made = example().by_group(tmp_path / name, column)
    assert made.groups == {"lines with commas": ("x, x", "y, y"), "jsonl with gaps": ("x", "(none)")}.get(
        case, ("x", "y")
    )


REFUSED: dict[str, tuple[Any, str | None, type[Exception], str]] = {
    "another type": (3, None, ParameterError, "groups must be a path, a mapping of topics to groups or a data frame"),
    "a column of a mapping": (GROUPS, "kind", ParameterError, "has no column 'kind'"),
    "no group": ({"1": None}, None, FormatError, "found none"),
    "our name": (
        {"1": "(none)"},
        None,
        ParameterError,
        "topics without a group are shown as; call the group otherwise",
    ),
    "micro": ({"1": "(micro)"}, None, ParameterError, "the mean over topics is shown as"),
    "macro": ({"1": "(macro)"}, None, ParameterError, "the mean of the means of groups is shown as"),
    "other topics": ({"q1": "x"}, None, ParameterError, "no topic of the evaluation has a group; it has 1, 2, 3, 4, 5"),
    "twice": (
        "topic,group\n1,x\n1,y\n",
        None,
        DuplicateError,
        "line 3: expected one group for each topic, found x and y",
    ),
    "no such column": ("topic,a\n1,x\n", "b", FormatError, "expected a column 'b', found topic, a"),
    "a column of lines": ("1 x\n", "b", FormatError, "that has the columns topic and b, found\n    1 x"),
    "which column": (
        "topic,a,b\n1,x,y\n",
        None,
        FormatError,
        "several columns could be the group.*name one: column=",
    ),
    "no header": ("1,x\n2,y\n", None, FormatError, "line 1: expected lines of a topic and its group"),
    "objects without topics": ('{"a": 1, "b": 2}\n', None, FormatError, "expected objects with a topic and its group"),
    "damaged JSON": ('{"topic": 1,\n', None, FormatError, "line 1: expected JSON"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_groups_that_are_refused(case: str, tmp_path: Path) -> None:
    source, column, kind, message = REFUSED[case]
    if isinstance(source, str):
        (tmp_path / "groups").write_text(source)
        source = tmp_path / "groups"
    with pytest.raises(kind, match=message):
        example().by_group(source, column)


def test_a_frame_without_topics_is_refused() -> None:
    import polars as pl

    with pytest.raises(FormatError, match="expected a data frame with a column of topics, found length"):
        example().by_group(pl.DataFrame({"length": [1]}))


def test_medians_and_unknown_names_are_refused() -> None:
    with pytest.raises(ParameterError, match="summed up by means, and the evaluation has summary='median'"):
        rs.evaluate(QRELS, RUNS[:1], "P@10", summary="median").by_group({"101": "x"})
    means = example().by_group(GROUPS)
    with pytest.raises(UnknownNameError, match="z"):
        means["A", "z", "P@20"]
    with pytest.raises(UnknownNameError, match="odd"):
        means.table("odd")


def test_values_with_groups_are_read_back(tmp_path: Path) -> None:
    """Also where a topic is called all, as rows of means are."""
    values = {run: {"all": value, "2": value / 2} for run, value in (("A", 0.5), ("B", 0.25))}
    evaluation = rs.read_values(values, measure="P@20")
    made = evaluation.by_group({"all": "x", "2": "y"})
    for ending in ("tsv", "csv", "jsonl", "json", "parquet"):
        path = tmp_path / f"values.{ending}"
        made.write(path, table="values")
        again = rs.read_values(path)
        assert again.to_dict() == evaluation.to_dict(), ending


def test_what_a_notebook_and_frames_show() -> None:
    means = example().by_group(GROUPS)
    assert "0.4500</" in means._repr_html_()
    assert "| (macro) | A | 8 |" in means._repr_markdown_()
    frame = means.to_polars()
    assert frame.columns == ["run", "topic", "measure", "value", "group", "topics", "sd"]
    assert frame.filter((frame["run"] == "A") & (frame["group"] == "(macro)"))["sd"].to_list() == [None]
    assert means.to_pandas()["value"].tolist() == frame["value"].to_list()
    assert means.to_polars("values")["group"].to_list() == ["x"] * 2 + ["y"] * 6 + ["x"] * 2 + ["y"] * 6
    assert means.to_polars("wide").columns == ["group", "run", "topics", "P@20"]


def test_counts_are_added_up() -> None:
    evaluation = rs.evaluate(QRELS, RUNS[:2], ["NumRelRet", "P@10"])
    means = evaluation.by_group({topic: "a" if int(topic) < 120 else "b" for topic in evaluation.topics})
    of = evaluation.by_topic(evaluation.runs[0], "NumRelRet")
    total = sum(value for topic, value in of.items() if int(topic) < 120)
    assert means[evaluation.runs[0], "a", "NumRelRet"] == total
    assert means[evaluation.runs[0], "(micro)", "NumRelRet"] == sum(of.values())
    assert means[evaluation.runs[0], "(macro)", "NumRelRet"] == sum(of.values()) / 2
    assert "For counts (NumRelRet) these are the total and the mean of the totals of groups" in means.text()
