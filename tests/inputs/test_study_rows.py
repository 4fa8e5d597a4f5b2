"""Rows of a study: every form holds the same, and nothing in them breaks a form."""

import csv
import io
import json
import math
from pathlib import Path

import pytest
from pyarrow import parquet

from rankscale.data.table import Cell, Table
from rankscale.outputs.frames import to_arrow, to_frame, to_pandas, to_polars, write_parquet
from rankscale.outputs.people import latex_table, markdown_table, people_table
from rankscale.outputs.text import json_chunks, tidy_text

# Rows of a study, written: the other way.

ODD_NAMES = ["plain", ", x", 'a"b', "tab\there", "new\nline", "cr\rx", "\x1b[31m", "é", "\udcff", "\\", "", " ", "1"]
NUMBERS: list[Cell] = [0.1 + 0.2, 1e-300, math.inf, -math.inf, math.nan, None, 3, 2**70, -(2**63), 0.0]


def json_document(rows: Table, places: int | None = None, **more: object) -> str:
    return "".join(json_chunks(rows, places, **more))


def text_of(rows: Table, form: str, places: int | None = None) -> str:
    return b"".join(tidy_text(rows, form, places)).decode("utf-8", "surrogateescape")


def test_columns_have_one_length() -> None:
    with pytest.raises(ValueError, match=r"columns differ in length: \{'a': 1, 'b': 2\}"):
        Table({"a": [1], "b": [1, 2]})


def test_rows_are_rows() -> None:
    rows = Table({"a": [1, 2], "b": ["x", None]})
    assert list(rows) == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert len(rows) == 2
    assert (len(Table({})), list(Table({}))) == (0, [])


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_go_through_jsonl_json_and_csv(name: str) -> None:
    rows = Table({"run": [name, "after"], "value": [0.5, 1.5]}, {"source": name})
    lines = text_of(rows, "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == list(rows)
    document = json.loads(json_document(rows))
    assert (document["rows"], document["source"]) == (list(rows), name)
    read = list(csv.reader(io.StringIO(text_of(rows, "csv"), newline="")))
    assert read == [["run", "value"], [name.replace("\x1b", r"\x1b"), "0.5"], ["after", "1.5"]]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_tsv_quotes_nothing_and_has_a_line_for_each_row(name: str) -> None:
    """As values and curves are written: what would end a cell or a line is a space, what is hidden is spelled out."""
    lines = text_of(Table({"run": [name, "after"], "value": [0.5, 1.5]}), "tsv").split("\n")
    plain = name.replace("\t", " ").replace("\n", " ").replace("\r", " ").replace("\x1b", r"\x1b")
    assert lines == ["run\tvalue", f"{plain}\t0.5", "after\t1.5", ""]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_control_character_reaches_a_terminal(name: str) -> None:
    lines = people_table(Table({name or "column": [name, "x"], "value": [1.0, 2.0]}), places=2).split("\n")
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)


def test_numbers_read_back_the_same() -> None:
    rows = Table({"place": list(range(len(NUMBERS))), "value": NUMBERS})
    for line, number in zip(text_of(rows, "jsonl").splitlines(), NUMBERS, strict=True):
        undefined = number is None or number != number  # noqa: PLR0124
        assert json.loads(line)["value"] == (None if undefined else number)
    assert "NaN" not in json_document(rows, None, other=rows)
    assert json.loads(json_document(rows, None, other=rows))["other"] == json.loads(json_document(rows))["rows"]
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        cells = [line.split(separator)[1] for line in text_of(rows, form).splitlines()[1:]]
        assert cells == [
            "0.30000000000000004",
            "1e-300",
            "inf",
            "-inf",
            "nan",
            "",
            "3",
            str(2**70),
            str(-(2**63)),
            "0.0",
        ]


def test_places_are_those_of_real_numbers() -> None:
    rows = Table({"n": [7], "x": [2 / 3], "u": [math.nan]})
    assert text_of(rows, "csv", 3) == "n,x,u\n7,0.667,nan\n"
    assert text_of(rows, "jsonl", 3) == '{"n": 7, "x": 0.667, "u": null}\n'
    assert '"x": 0.667' in json_document(rows, 3)
    assert json.loads(json_document(rows, 3, more=rows))["more"] == [{"n": 7, "x": 0.667, "u": None}]


def test_a_table_for_people_is_aligned() -> None:
    rows = Table(
        {
            "measure": ["P@10", "nDCG(base=2)@10"],
            "tau": [1.0, math.nan],
            "n": [1234567, None],
            "words": ["a", None],
            "tiny": [1e-9, -1e-9],
        }
    )
    assert people_table(rows, places=4).split("\n") == [
        "measure             tau          n  words      tiny",
        "P@10             1.0000  1,234,567  a       1.0e-09",
        "nDCG(base=2)@10       -          -  -      -1.0e-09",
    ]


def test_no_rows() -> None:
    rows = Table({"run": [], "value": []}, {"signature": "x"})
    assert text_of(rows, "csv") == "run,value\n"
    assert text_of(rows, "tsv") == "run\tvalue\n"
    assert text_of(rows, "jsonl") == ""
    assert json.loads(json_document(rows)) == {"signature": "x", "rows": []}
    assert people_table(rows, places=4) == "run  value"
    assert people_table(Table({}), places=4) == ""
    for frame in (to_polars(rows), to_pandas(rows), to_arrow(rows)):
        assert frame.shape == (0, 2)


def test_data_frames_hold_huge_numbers_as_text_and_undefined_ones_as_nothing(tmp_path: Path) -> None:
    largest = 2**63 - 1
    rows = Table(
        {
            "run": ["a", "\udcff"],
            "tau": [0.1 + 0.2, math.nan],
            "never": [math.nan, math.nan],
            "rank": [2**1000, 1],
            "mixed": [2**70, math.nan],
            "whole": [largest, -largest],
            "some": [largest, None],
            "real": [1, 0.5],
            "endless": [math.inf, -math.inf],
            "nothing": [None, None],
        },
        {"signature": "x"},
    )
    expected = {
        "run": ["a", "\ufffd"],
        "tau": [0.1 + 0.2, None],
        "never": [None, None],
        "rank": [str(2**1000), "1"],
        "mixed": [str(2**70), None],
        "whole": [largest, -largest],
        "some": [largest, None],
        "real": [1.0, 0.5],
        "endless": [math.inf, -math.inf],
        "nothing": [None, None],
    }
    kinds = ["String", "Float64", "Float64", "String", "String", "Int64", "Int64", "Float64", "Float64", "Null"]
    polars = to_polars(rows)
    assert polars.to_dict(as_series=False) == expected
    assert [str(kind) for kind in polars.dtypes] == kinds
    write_parquet(rows, str(tmp_path / "rows.parquet"))
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert table.to_pydict() == expected
    assert json.loads(table.schema.metadata[b"rankscale"]) == {"signature": "x"}
    assert [str(kind) for kind in table.schema.types][:6] == ["string", "double", "double", "string", "string", "int64"]
    pandas = to_pandas(rows)
    assert pandas["whole"].tolist() == [largest, -largest]
    assert pandas["some"][0] == largest
    assert pandas["some"].isna().tolist() == [False, True]
    assert pandas["never"].dtype == pandas["tau"].dtype == "float64"
    assert pandas["rank"].tolist() == expected["rank"]
    assert pandas["tau"].tolist()[0] == 0.1 + 0.2


def test_parquet_is_whole_or_not_there(tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    out.write_text("before")
    with pytest.raises(TypeError):
        write_parquet(Table({"a": [1]}, {"a": object()}), str(out))
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_tables_for_papers_escape_names_and_align_numbers() -> None:
    rows = Table.of(("run", "tau", "n"), [("a_b|$x", -0.25, 1200), ("plain", math.nan, None)])
    assert markdown_table(rows, 3).splitlines() == [
        "| run | tau | n |",
        "|:--|--:|--:|",
        r"| a\_b\|$x | -0.250 | 1,200 |",
        "| plain | - | - |",
    ]
    latex = latex_table(rows, 3)
    assert r"\begin{tabular}{lrr}" in latex
    assert r"a\_b\textbar{}\$x & $-0.250$ & 1,200 \\" in latex
    assert latex.count(r"\\") == 3


def test_a_frame_is_one_of_polars() -> None:
    assert to_frame(Table({"a": [1]})).equals(to_polars(Table({"a": [1]})))
