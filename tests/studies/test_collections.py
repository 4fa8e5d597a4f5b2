"""Studies of several collections: each made by itself, and all tables in one."""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.errors import InputError, ParameterError
from rankscale.inputs.read import run_sources
from rankscale.sample import QRELS, RUNS
from rankscale.studies.support.study import Study

SPARSE = [str(path) for path in RUNS if path.name.startswith("bm25")]
DENSE = [str(path) for path in RUNS if path.name.startswith("d")]
COLLECTIONS = {"sparse": (str(QRELS), SPARSE), "dense": (str(QRELS), DENSE)}


def evaluations(*measures: str) -> dict[str, Any]:
    return {name: rs.evaluate(*of, list(measures)) for name, of in COLLECTIONS.items()}


STUDIES: dict[str, Any] = {
    "archetypes": lambda: (rs.archetypes, COLLECTIONS, (), {}),
    "changes": lambda: (rs.changes, COLLECTIONS, (["RR@5", "P@5"], ["sign", "student"]), {}),
    "correlate": lambda: (rs.correlate, evaluations("P@5", "RR"), (), {"samples": 20, "seed": 3}),
    "discriminate": lambda: (rs.discriminate, evaluations("P@5", "RR"), (), {"samples": 50, "seed": 3}),
    "effort-gain": lambda: (rs.effort_gain, evaluations("AP", "Twist"), ("AP",), {}),
    "intervals": lambda: (rs.intervals, COLLECTIONS, ("RR@5",), {}),
    "pool-orders": lambda: (rs.pool_orders, COLLECTIONS, (["P@5", "RR"],), {"reference_depth": 50}),
    "robustness": lambda: (rs.robustness, COLLECTIONS, (["AP"],), {"iterations": 2, "seed": 3}),
}


@pytest.mark.parametrize("name", STUDIES)
def test_every_table_is_that_of_each_collection(name: str) -> None:
    study, collections, arguments, options = STUDIES[name]()
    made = rs.by_collection(study, collections, *arguments, **options)
    single = {
        one: study(*(of if isinstance(of, tuple) else (of,)), *arguments, **options) for one, of in collections.items()
    }
    assert list(made.tables()) == list(single["sparse"].tables())
    for table in made.tables():
        rows = [{"collection": one, **row} for one, of in single.items() for row in of.table(table)]
        below = single["sparse"].over_all(list(single.values()))
        rows += [{"collection": "all", **row} for row in below.get(table, ())]
        columns = made.table(table).columns
        assert next(iter(columns)) == "collection"
        written = [json.dumps({key: row.get(key) for key in columns}) for row in rows]
        assert [json.dumps(row) for row in made.table(table)] == written
    document = json.loads(made.to_json())
    assert [row["collection"] for row in document["rows"]] == made.table().columns["collection"]
    assert document["settings"]["collections"] == ["sparse", "dense"]
    assert list(document["collections"]) == ["sparse", "dense"]
    assert "|collections:sparse,dense|" in document["signature"]
    assert made.text().startswith("collection ")
    sentence = single["dense"].sentence()
    assert made.text().endswith(f"\ndense: {sentence}") or not sentence
    warnings = [f"{one}: {warning}" for one, of in single.items() for warning in of.warnings]
    assert list(made.warnings) == warnings


@dataclass(frozen=True, eq=False, repr=False)
class Counting(Study):
    """A study that counts, and adds up over collections."""

    count: int
    notices: tuple[Notice, ...] = ()

    def tables(self) -> dict[str, Table]:
        return {"counts": Table({"count": [self.count]}), "twice": Table({"count": [2 * self.count]})}

    def over_all(self, studies: Sequence[Study]) -> dict[str, Table]:
        return {"counts": Table({"count": [sum(one.count for one in studies if isinstance(one, Counting))]})}

    @property
    def settings(self) -> dict[str, object]:
        return {"study": "counting"}

    @property
    def origin(self) -> dict[str, object]:
        return {"signature": "v:1"}


def test_rows_about_all_collections_together() -> None:
    made = rs.by_collection(Counting, {"one": 1, "two": 2})
    counts = made.table("counts").columns
    assert (counts["collection"], counts["count"]) == (["one", "two", "all"], [1, 2, 3])
    assert made.table("twice").columns["collection"] == ["one", "two"]
    assert rs.by_collection(Counting, {"one": 1}).table("counts").columns["count"] == [1]


def test_tables_without_rows() -> None:
    """The evaluation of one collection has fewer tables to show, and one without rows."""

    @dataclass(frozen=True, eq=False, repr=False)
    class Few(Counting):
        def shown_tables(self) -> list[Table]:
            return [Table({"count": list(range(self.count))}), *([self.table("twice")] if self.count else [])]

    made = rs.by_collection(Few, {"none": 0, "two": 2})
    assert made.text().split() == ["collection", "count", "two", "0", "two", "1", "collection", "count", "two", "4"]


def test_one_study_of_several(tmp_path: Path) -> None:
    made = rs.by_collection(rs.robustness, {"one": COLLECTIONS["sparse"]}, "AP", iterations=1)
    assert made["one"].evaluation.runs == rs.robustness(*COLLECTIONS["sparse"], "AP", iterations=1).evaluation.runs
    with pytest.raises(ParameterError, match="there is no collection 'two'; there are one"):
        made["two"]
    made.write(tmp_path / "tau.parquet")
    assert made.to_polars()["collection"].to_list() == ["one"] * 5


def test_runs_can_be_a_folder(tmp_path: Path) -> None:
    for path in SPARSE[:2]:
        shutil.copy(path, tmp_path)
    (tmp_path / ".hidden").write_text("no run")
    (tmp_path / "inner").mkdir()
    expected = sorted(str(tmp_path / os.path.basename(path)) for path in SPARSE[:2])
    for folder in (str(tmp_path), tmp_path):
        assert [source for _, source in run_sources(folder)] == expected
    made = rs.by_collection(rs.archetypes, {"folder": (QRELS, str(tmp_path))})
    assert len(made["folder"].evaluation.runs) == 2
    assert [source for _, source in run_sources(SPARSE)] == SPARSE
    with pytest.raises(InputError, match=r"collection empty: .*inner: there is no file in this folder"):
        rs.by_collection(rs.archetypes, {"empty": (QRELS, tmp_path / "inner")})


def test_errors_name_the_collection(tmp_path: Path) -> None:
    good = COLLECTIONS["sparse"]
    with pytest.raises(ParameterError, match="collection alone: the order of runs is compared"):
        rs.by_collection(rs.robustness, {"whole": good, "alone": (QRELS, SPARSE[:1])}, "AP", iterations=1)
    with pytest.raises(FileNotFoundError, match=r"collection gone.*no\.qrels"):
        rs.by_collection(rs.archetypes, {"gone": (str(tmp_path / "no.qrels"), SPARSE)})
    with pytest.raises(FileNotFoundError, match=r"collection none: .*: no file matches"):
        rs.by_collection(rs.archetypes, {"none": (QRELS, str(tmp_path / "*.gz"))})
    bad = tmp_path / "bad.txt"
    bad.write_text("1 Q0 a 1\n")
    with pytest.raises(InputError, match=r"collection broken: .*bad\.txt"):
        rs.by_collection(rs.archetypes, {"broken": (QRELS, [str(bad)])})
    with pytest.raises(ParameterError, match="there are no collections"):
        rs.by_collection(rs.archetypes, {})


def test_mean_changes_over_the_cells_of_all_collections() -> None:
    made = rs.by_collection(rs.changes, COLLECTIONS, ["RR@5", "AP@5"], ["sign", "student"])
    rows: dict[Any, Any] = {(row["collection"], row["selection"]): row for row in made.table("summary")}
    for selection in ("can change", "all"):
        parts = [rows[collection, selection] for collection in COLLECTIONS]
        cells = sum(part["cells"] for part in parts)
        assert rows["all", selection]["cells"] == cells
        mean = sum(part["cells"] * part["change"] for part in parts) / cells
        assert rows["all", selection]["change"] == pytest.approx(mean, rel=1e-14)
