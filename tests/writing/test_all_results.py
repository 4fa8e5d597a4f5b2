"""Every result has the same methods, and all of them work: tables, frames, forms of text, files, notebooks."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankscale as rs
from rankscale.errors import UnknownNameError
from rankscale.formats.write.results import BY_ENDING, TabularResult
from rankscale.studies.support.study import Study

TOPICS = [f"{number}" for number in range(1, 7)]
QRELS = {topic: {f"d{place}": (place + int(topic)) % 3 for place in range(8)} for topic in TOPICS}
OTHER = {
    topic: {name: min(2, grade + (name == "d3")) for name, grade in judged.items()} for topic, judged in QRELS.items()
}
HOSTILE = "a|b_<i>&%$"


def rankings(step: int) -> dict[str, dict[str, float]]:
    """A run whose scores depend on the topic and on `step`."""
    return {topic: {f"d{place}": (place * step + int(topic)) % 11 for place in range(9)} for topic in TOPICS}


RUNS = {HOSTILE: rankings(3), "plain": rankings(5), "third": rankings(7)}
PAIR = {name: RUNS[name] for name in (HOSTILE, "plain")}


@cache
def evaluation() -> rs.Evaluation:
    return rs.evaluate(QRELS, RUNS, ["P@3", "nDCG@5"])


DECISIONS: Mapping[str, Callable[[], Any]] = {
    "gate": lambda: rs.gate(evaluation(), 0.1),
    "diff": lambda: rs.diff(QRELS, PAIR, ["P@3", "nDCG@5"], groups={"1": "x", "2": "x", "3": HOSTILE}),
    "diff of values": lambda: rs.diff(evaluation(), HOSTILE, "plain"),
    "agree": lambda: rs.agree(QRELS, OTHER, RUNS, "P@3", draws=20),
    "agree without runs": lambda: rs.agree(QRELS, OTHER, draws=20),
    "overlap": lambda: rs.overlap(RUNS, draws=20),
    "overlap with judgments": lambda: rs.overlap(RUNS, QRELS, "P@3", draws=20),
    "tune_fusion": lambda: rs.tune_fusion(QRELS, RUNS, "P@3", "RRF", folds=2, draws=20),
    "fuse": lambda: rs.fuse(RUNS, name=HOSTILE),
}
OTHERS: Mapping[str, Callable[[], Any]] = {
    "evaluate": evaluation,
    "means": lambda: evaluation().means(),
    "compare": lambda: rs.compare(evaluation()["P@3"]),
    "curves": lambda: rs.curves(QRELS, RUNS, "P"),
    "topic_groups": lambda: rs.topic_groups(evaluation(), {topic: f"{int(topic) % 2}" for topic in TOPICS}),
    "correlate": lambda: rs.correlate(evaluation(), samples=0),
    "robustness": lambda: rs.robustness(QRELS, RUNS, "P@3"),
    "partial_order": lambda: rs.partial_order(QRELS, RUNS, depths=[3]),
}
METHODS = (
    *("table", "text", "to_frame", "to_polars", "to_pandas", "to_arrow", "to_json", "to_latex", "to_markdown", "write"),
    *("_repr_html_", "_repr_markdown_"),
)
ABOUT = ("provenance", "signature", "notices", "warnings")  # means are a view of an evaluation, which has these


@cache
def result(name: str) -> Any:
    return {**DECISIONS, **OTHERS}[name]()


def tables(made: Any) -> Iterator[str | None]:
    """Names of all tables where they have names; None is the first."""
    yield None
    if hasattr(made, "tables"):
        yield from made.tables()


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
def test_the_methods_are_there(name: str) -> None:
    made = result(name)
    assert isinstance(made, TabularResult)
    wanted = (*METHODS, *(ABOUT if name != "means" else ()))
    assert not [method for method in wanted if not hasattr(made, method)]
    assert str(made)
    assert repr(made)


@pytest.mark.parametrize("name", DECISIONS)
def test_results_of_decisions_have_named_tables_and_a_sentence(name: str) -> None:
    made = result(name)
    assert isinstance(made, Study) or name == "fuse"
    assert made.tables()
    assert made.sentence()
    assert dict(made.settings)
    assert made.signature
    assert made.provenance["rankscale"] == rs.__version__
    with pytest.raises(UnknownNameError, match="unknown table 'nonsense'"):
        made.table("nonsense")


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
def test_frames_have_the_rows_and_columns_of_tables(name: str) -> None:
    made = result(name)
    for table in tables(made):
        polars, pandas, arrow = made.to_polars(table), made.to_pandas(table), made.to_arrow(table)
        assert polars.columns == list(pandas.columns) == arrow.column_names == made.to_frame(table).columns
        assert len(polars) == len(pandas) == arrow.num_rows
        assert not [column for column in polars.columns if " " in column], "names can be typed after a dot"


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
def test_forms_of_text(name: str) -> None:
    made = result(name)
    for table in tables(made):
        assert isinstance(json.loads(made.to_json(table)), dict)
        assert made.to_latex(table=table).count("\\begin{tabular}") >= 1
        assert "|" in made.to_markdown(table=table)
        assert made.text(table=table)
    for page in (made._repr_html_(), made._repr_markdown_()):
        assert "<i>" not in page, "names are no markup"
    assert made.to_latex(places=1, caption="A caption").startswith("\\begin{table}")


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
@pytest.mark.parametrize("ending", BY_ENDING)
def test_files_of_every_form(name: str, ending: str, tmp_path: Path) -> None:
    made, path = result(name), tmp_path / f"result{ending}"
    made.write(path)
    if ending == ".parquet":
        assert len(pl.read_parquet(path)) == len(made.to_polars())
    elif ending == ".json":
        assert "signature" in json.loads(path.read_text())
    elif ending == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(lines) >= len(made.to_polars())
    elif ending == ".csv":
        rows = list(csv.reader(io.StringIO(path.read_text())))
        assert len({len(row) for row in rows}) == 1
    else:
        assert path.stat().st_size > 0
    form = BY_ENDING[ending]
    if name != "fuse" or form not in {"parquet", "tsv", "csv", "jsonl"}:
        made.write(tmp_path / "other", form, table=next(iter(made.tables())) if hasattr(made, "tables") else None)
        assert (tmp_path / "other").stat().st_size > 0
