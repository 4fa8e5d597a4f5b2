"""The history of ratios: lines are added once, and say what was measured where."""

import json
from pathlib import Path

import pytest

from benchmarks import history

ROW = {"size": "M", "what": "pytrec_eval / rankscale", "theirs": 6.6, "ours": 0.6, "ratio": 11.0, "one_thread": 7.0}
ROW |= {"cpu": 9.87654, "target": ">= 20", "verdict": "missed", "best_of": "3/3"}
ALONE = {
    **ROW,
    "what": "peak MB",
    "ratio": None,
    "cpu": None,
    "theirs": None,
    "ours": 53.21,
    "target": "",
    "verdict": "",
}
RESULT = {
    "date": "2026-01-31T00:00:00Z",
    "machine": {"processor": "x", "cores": 2, "load_average": [0.1, 0.2, 0.3], "system": "Linux"},
    "versions": {"python": "3.11.7", "rankscale": "0.2.0"},
    "table": [ROW, ALONE, {**ROW, "ratio": None, "ours": None, "verdict": "not measured"}],
}


def test_rows_with_a_number_are_recorded_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, table = tmp_path / "results.json", tmp_path / "history.tsv"
    file.write_text(json.dumps(RESULT))
    assert history.main([str(file), "--history", str(table)]) == 0
    assert history.main([str(file), "--history", str(table)]) == 0
    assert [line.split(": ")[1].split()[0] for line in capsys.readouterr().out.splitlines()] == ["2", "0"]
    head, *lines = (line.split("\t") for line in table.read_text().splitlines())
    first, second = (dict(zip(head, line, strict=True)) for line in lines)
    assert (first["version"], first["load"], first["ratio"], first["cpu_ratio"], first["value"]) == (
        "0.2.0", "0.1", "11", "9.88", ""
    )  # fmt: skip
    assert (second["what"], second["ratio"], second["value"]) == ("peak MB", "", "53.2")


def test_another_table_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "history.tsv").write_text("something else\n")
    with pytest.raises(SystemExit, match="its first line should be"):
        history.record(RESULT, tmp_path / "history.tsv")
    assert (tmp_path / "history.tsv").read_text() == "something else\n"


def test_the_history_that_is_kept_can_be_read() -> None:
    head, *lines = history.HISTORY.read_text(encoding="utf-8").splitlines()
    assert head.split("\t") == list(history.COLUMNS)
    assert all(line.count("\t") == head.count("\t") for line in lines)
    assert lines
