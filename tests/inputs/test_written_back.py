"""What is written is what our own readers read, in every form; a name that a form cannot hold is an error."""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.data.table import readable
from rankscale.errors import InputError
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import rankings_of
from rankscale.outputs.convert import RUN, qrels_layout

LETTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from(
    "\udc80\udcff\0 \t\n\r\x0b\x0c\x1c,;\"'#\ufeff\\{["
)
NAMES = st.text(LETTERS, max_size=6) | st.sampled_from(
    [
        *(
            "",
            " ",
            " a",
            "a ",
            "\ta",
            "a\r",
            "\r\n",
            "\0",
            "a\0",
            '"',
            '""',
            '"a"',
            "a,b",
            "a;b",
            "a\tb",
            "a\nb",
            "\ufeffa",
        ),
        *(
            "#a",
            "# a",
            "1e5",
            "1",
            "-1",
            "nan",
            "null",
            "=1+1",
            "{",
            '{"a":1}',
            "[",
            "[]",
            "PAR1",
            "ARROW1",
            "BZh9",
            "\x1f",
        ),
        *("topic", "document", "score", "rank", "qid", "run", "grade", "Q0", "query_id,doc_id,score", "a" * 500),
    ]
)
SCORES = st.floats(allow_nan=False) | st.sampled_from([1e300, 5e-324, -0.0, 1234567.25, 16777217.0, 0.1, float("inf")])
GRADES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0, -1.0, 1234567.25, 1e22, 0.5])
RUNS = st.dictionaries(NAMES, st.dictionaries(NAMES, SCORES, min_size=1, max_size=4), min_size=1, max_size=3)
JUDGMENTS = st.dictionaries(NAMES, st.dictionaries(NAMES, GRADES, min_size=1, max_size=4), min_size=1, max_size=3)
BLANKS = "\0 \t\n\r\x0b\x0c"


def is_unfit(form: str, name: str) -> bool:
    """Whether the guide says that a form cannot hold a name."""
    if form == "parquet":
        return not name or any("\udc80" <= letter <= "\udcff" for letter in name)
    if form in {"csv", "tsv"}:
        return not name or "\0" in name
    if form == "jsonl":
        return not name
    return not name or name.startswith(("#", "\ufeff")) or any(letter in BLANKS for letter in name)


def check_refusal(form: str, names: list[str], error: InputError) -> None:
    """The error names what the form cannot hold; of forms without a header, a file may not start with any line."""
    if "as the first line" in str(error):
        assert form in {"trec", "msmarco"}
    else:
        unfit = [name for name in names if is_unfit(form, name)]
        assert any((repr(readable(name)) if name else "empty name") in str(error) for name in unfit) or "" in unfit


def names_in(topics: Mapping[str, Mapping[str, float]]) -> list[str]:
    return [*topics, *(name for documents in topics.values() for name in documents)]


@pytest.mark.parametrize("form", RUN.forms)
@settings(max_examples=150, deadline=None)
@given(run=RUNS, tag=NAMES)
@example(run={"1": {" a": 2.0, "a": 1.0}}, tag="x")
@example(run={"1": {"": 2.0}}, tag="x")
@example(run={"1": {"a\0": 2.0}}, tag="x")
def test_a_run_comes_back(form: Any, run: dict[str, dict[str, float]], tag: str) -> None:
    whole = {one.topic: one for one in rankings_of({tag: run}, Reading()).each()}
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.txt")
        try:
            rs.write_run(run, path, form, name=tag, formulas="keep")
        except InputError as error:
            assert not list(Path(folder).iterdir())
            check_refusal(form, [*names_in(run), *([] if form == "msmarco" else [tag])], error)
            return
        back = rankings_of(str(path), Reading())
        again = {one.topic: one for one in back.each()}
    assert list(again) == list(whole)
    for topic, (_, documents, scores) in whole.items():
        assert list(again[topic].documents) == list(documents)
        if form != "msmarco":  # which holds ranks alone
            assert list(again[topic].scores) == list(scores)
    if form != "msmarco":
        assert back.name == tag


@pytest.mark.parametrize("form", qrels_layout(rs.read_qrels({"1": {"a": 1}})).forms)
@settings(max_examples=150, deadline=None)
@given(qrels=JUDGMENTS)
@example(qrels={"1": {" a": 1.0, "a": 0.0}})
@example(qrels={"0": {" 0 ": 0.0}})  # eight words, the fifth a number: as lines of TREC runs have
@example(qrels={"1": {"": 2.0}})
@example(qrels={"1": {"a\0": 2.0}})
@example(qrels={"1": {"a": 1e300}})
def test_qrels_come_back(form: Any, qrels: dict[str, dict[str, float]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "qrels.txt")
        try:
            rs.write_qrels(qrels, path, form, formulas="keep")
        except InputError as error:
            assert not list(Path(folder).iterdir())
            check_refusal(form, names_in(qrels), error)
            return
        assert rs.read_qrels(path).to_dict() == qrels


@settings(max_examples=60, deadline=None)
@given(rows=st.dictionaries(st.tuples(NAMES, NAMES, NAMES), GRADES, min_size=2, max_size=5))
@pytest.mark.parametrize("form", qrels_layout(rs.read_qrels({"1": {"a": 1}})).forms)
def test_qrels_of_sub_topics_come_back(form: Any, rows: dict[tuple[str, str, str], float]) -> None:
    given = [{"topic": t, "subtopic": s, "document": d, "grade": grade} for (t, s, d), grade in rows.items()]
    judged = rs.read_qrels(given)
    with TemporaryDirectory() as folder:
        path = Path(folder, "qrels.txt")
        try:
            rs.write_qrels(judged, path, form, formulas="keep")
        except InputError as error:
            assert not list(Path(folder).iterdir())
            check_refusal(form, [name for names in rows for name in names], error)
            return
        assert sorted(rs.read_qrels(path).judgments_by_aspect(), key=repr) == sorted(
            judged.judgments_by_aspect(), key=repr
        )


@pytest.mark.parametrize("form", [None, "trec", "csv"])
def test_convert_refuses_what_it_could_not_read_again(form: str | None, tmp_path: Path) -> None:
    """Names without letters, and with NUL, which Parquet and JSON can hold."""
    for name in ("", "a\0"):
        for source in (tmp_path / "run.parquet", tmp_path / "run.json"):
            if source.suffix == ".json":
                source.write_text(json.dumps({"1": {name: 2.0}}))
            else:
                columns = {"topic": ["1"], "document": [name], "score": [2.0]}
                parquet.write_table(pa.table(columns), source)
            words = ["convert", str(source), str(tmp_path / "out.csv"), *(["--to", form] if form else [])]
            ended = CliRunner().invoke(cli, words)
            assert isinstance(ended.exception, InputError), (name, source)
            assert not (tmp_path / "out.csv").exists()


def test_a_blank_before_a_name_is_kept_by_convert(tmp_path: Path) -> None:
    """With the first document relevant RR is 1, and so it is in every form."""
    (tmp_path / "run.json").write_text(json.dumps({"1": {" a": 2.0, "b": 1.0}}))
    qrels = {"1": {" a": 1}}
    for form in ("csv", "tsv", "jsonl", "parquet"):
        out = tmp_path / f"out.{form}"
        assert CliRunner().invoke(cli, ["convert", str(tmp_path / "run.json"), str(out)]).exit_code == 0
        assert rs.evaluate(qrels, str(out), "RR").values.item() == 1
