"""`--collection NAME QRELS RUNS`: several collections in one command."""

import json
from pathlib import Path
from typing import Any

import pytest

from rankscale.data.arguments import register
from rankscale.sample import QRELS, RUNS

FOLDER = Path(RUNS[0]).parent
SPARSE, DENSE = (f"{FOLDER}/{pattern}" for pattern in ("bm25-*", "dense-*"))
BOTH = ("--collection", "sparse", QRELS, SPARSE, "--collection", "dense", QRELS, DENSE)
QUICK = {
    "correlate": ("-m", "P@5", "-m", "RR", "--samples", "20", "--seed", "3"),
    "robustness": ("-m", "AP", "--iterations", "2", "--seed", "3"),
    "discriminate": ("-m", "P@5", "-m", "RR", "--samples", "50", "--seed", "3"),
    "effort-gain": (),
    "archetypes": (),
    "intervals": ("-m", "RR@5"),
    "changes": ("-m", "RR@5", "-t", "sign"),
    "pool-orders": ("-m", "P@5", "-m", "RR"),
}


def test_the_commands_that_take_several_collections() -> None:
    assert {name for name, study in register("studies").items() if "collections" in study.shared} == set(QUICK)


@pytest.mark.parametrize("command", QUICK)
def test_rows_are_those_of_each_collection(rankscale: Any, command: str) -> None:
    form = (*QUICK[command], "--format", "jsonl")
    alone = {
        name: rankscale(command, QRELS, *sorted(FOLDER.glob(Path(pattern).name)), *form).rows
        for name, pattern in (("sparse", SPARSE), ("dense", DENSE))
    }
    both = rankscale(command, *BOTH, *form)
    assert both.rows == [{"collection": name, **row} for name, rows in alone.items() for row in rows]
    assert next(iter(both.rows[0])) == "collection"
    document = json.loads(rankscale(command, *BOTH, *QUICK[command], "--format", "json").out)
    assert document["rows"] == both.rows
    assert list(document["collections"]) == ["sparse", "dense"]


def test_warnings_and_errors_name_the_collection(rankscale: Any, tmp_path: Path) -> None:
    warned = rankscale("archetypes", *BOTH)
    assert warned.code == 0
    assert "warning: dense: 1 of 50 topics in " in warned.err
    none = tmp_path / "none"
    assert "rankscale: collection gone: " in rankscale("archetypes", "--collection", "gone", QRELS, f"{none}*").refused
    refused = rankscale("archetypes", *BOTH, "--collection", "gone", none, SPARSE).refused
    assert refused.endswith(f"rankscale: collection gone: {none}: there is no such file\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, SPARSE, *BOTH), "QRELS RUN... and --collection do not go together; give every collection as"),
        ((*BOTH, "a.gz", "b.gz"), "its runs as a folder or as a pattern in quotes ('runs/*.gz')"),
        ((), "Missing argument 'QRELS': give QRELS RUN..., or --collection NAME QRELS RUNS for each"),
        ((QRELS,), "Missing argument 'RUN...': give"),
        ((*BOTH, *BOTH), "--collection: sparse is there 2 times; give each collection a name of its own"),
        (("--collection", " ", QRELS, SPARSE), "--collection: one has no name; give each collection a name of its own"),
        (("--collection", "a", "-", SPARSE, "--collection", "b", "-", SPARSE), "standard input can be read only once"),
    ],
)
def test_misuse(rankscale: Any, arguments: tuple[object, ...], message: str) -> None:
    refused = " ".join(rankscale("archetypes", *arguments).refused.split())
    assert message in refused


def test_a_shell_that_expands_a_pattern_is_told_what_to_do(rankscale: Any) -> None:
    files = sorted(FOLDER.glob("bm25-*"))
    refused = " ".join(rankscale("archetypes", "--collection", "sparse", QRELS, *files).refused.split())
    assert "as a folder or as a pattern in quotes" in refused


def test_figures_of_several_collections(rankscale: Any, tmp_path: Path) -> None:
    path = tmp_path / "tau.tsv"
    drawn = rankscale("figure", "robustness", *BOTH, "-m", "AP", "--iterations", "2", "-o", path)
    assert drawn.code == 0
    assert drawn.err.startswith("warning: dense: 1 of 50 topics")
    head, *rows = [line.split("\t") for line in path.read_text().splitlines()]
    assert head[:3] == ["collection", "measure", "size"]
    assert [row[0] for row in rows] == ["sparse"] * 6 + ["dense"] * 6
    assert rankscale("figure", "archetypes", "-o", tmp_path / "worked.svg").code == 0
    assert "Missing argument" in rankscale("figure", "robustness", "-o", path).refused
