"""Facts about the pools of TREC-8 that come with its runs: what was pooled, a shallower pool, groups left out."""

import csv
import lzma
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.leave_out import leave_out
from rankscale.studies.pooling import brought_by, pool
from reproduction.collections import TREC_8, collection
from reproduction.page import Cell, listing

DEPTH = 100
PRINTED_DIGITS = 4
DOUBLES = "score64"  # the order of trec_eval 10, which made these files
WHAT = (
    "With the runs of TREC-8 come files that others made of them: which of the 129 runs were pooled; the judgments of "
    "a pool of depth 10, and the MAP of each run with these (`trec_eval -J`); the MAP of each run once the documents "
    "that only its group brought are taken out of the judgments. They were made with trec_eval 10, which reads scores "
    "in double precision (`order='score64'`). `rankscale pool`, `rankscale robustness --sampling depth` and "
    "`rankscale leave-out` give such numbers for any runs."
)
GROUPS = (
    "MAP without the group is met where the judgments that stay are those that some run of another group ranks at 100 "
    "or above, equal scores in the order of the file. Some judged documents are then brought by nobody (equal scores "
    "are in another order than when the pool was made), and go too. Our own study takes out only what the group alone "
    "brought, in one order throughout, and so differs in the fourth decimal:"
)
OTHER_RULE = "Another order of equal scores, and documents that nobody brought are kept: see above."


def section(data: Path) -> str:
    """Each fact beside what we find."""
    facts = [*pooled(data), *depth_10(data), *groups(data)]
    return "\n\n".join(
        [
            "## Pools: facts that come with the runs, TREC-8",
            WHAT,
            listing(facts, "given"),
            GROUPS,
            listing(groups_as_studied(data), "given"),
        ]
    )


@cache
def derived(data: Path) -> dict[str, dict[str, str]]:
    """By run: its group, whether it was pooled, and its MAP without its group."""
    with (data / TREC_8 / "DERIVED_runs.tsv").open(encoding="utf-8", newline="") as lines:
        return {row["run"]: row for row in csv.DictReader(lines, delimiter="\t")}


def group_of(data: Path) -> dict[str, str]:
    """The group that made each run."""
    return {name: row["group"] for name, row in derived(data).items()}


def without_group(data: Path) -> dict[str, str]:
    """The given MAP of each run without its group."""
    return {name: row["leave_group_out_map"] for name, row in derived(data).items()}


def pooled(data: Path) -> Iterator[Cell]:
    """The documents that the pooled runs rank at 100 or above are the judged ones."""
    names = [name for name, row in derived(data).items() if row["judged_pool_run"] == "1"]
    made = pool(*collection(data, TREC_8), DEPTH, pooled=names)
    yield Cell("Pooled runs", "", "71", len(made.runs))
    yield Cell("Judged documents in the union of their first 100", "", "86830", made.qrels.judgments)
    yield Cell("Unjudged documents in it", "", "0", int(made.unjudged.sum()))


def depth_10(data: Path) -> Iterator[Cell]:
    """Tau between the given orders, and between those that we make of the same judgments."""
    official, shallow = given_means(data, "official-scores.map"), given_means(data, "depth10/depth10.map")
    qrels, runs = collection(data, TREC_8, DOUBLES)
    files = sorted((data / TREC_8 / "runs").iterdir())
    few = data / TREC_8 / "depth10" / "depth10.qrels.gz"
    with_all = by_run(rs.evaluate(qrels, runs, "AP"))
    with_few = by_run(rs.evaluate(few, files, "AP", judged_only=True, order=DOUBLES))
    yield Cell("Runs whose MAP is the official one", "to 4 decimals", "129", equal(with_all, official))
    yield Cell("Runs whose MAP at depth 10 is the given one", "to 4 decimals", "129", equal(with_few, shallow))
    tau, what = "0.918489790184312", "Tau between official MAP and MAP at depth 10"
    yield Cell(what, "of the given values", tau, _tau(_floats(official), _floats(shallow)))
    yield Cell(what, "of our values to 4 decimals", tau, _tau(with_all, with_few))


def groups(data: Path) -> Iterator[Cell]:
    """MAP of each run with the judgments that another group brought."""
    qrels, runs = collection(data, TREC_8, DOUBLES)
    of = group_of(data)
    files = sorted((data / TREC_8 / "runs").iterdir())
    filed = rs.read_runs(qrels, {path.name: first_documents(path) for path in files})
    brought = brought_by(qrels, filed, DEPTH)
    makers = np.array([of[path.name.removeprefix("input.").removesuffix(".xz")] for path in files])
    found: dict[str, float] = {}
    for group in sorted(set(of.values())):
        judged = qrels.keeping(brought[makers != group].any(axis=0))
        found |= by_run(rs.evaluate(judged, [run for run in runs if of[run.name] == group], "AP"))
    yield Cell("Runs whose MAP without their group is the given one", "to 4 decimals", "129", _equal(data, found))


def groups_as_studied(data: Path) -> Iterator[Cell]:
    """MAP of each run without what its group alone brought, as `leave_out` has it."""
    found = leave_out(*collection(data, TREC_8, DOUBLES), "AP", groups=group_of(data))
    ours = dict(zip(found.runs, found.without[0].tolist(), strict=True))
    what = "Runs whose MAP without their group is the given one"
    yield Cell(what, "to 4 decimals", "129", _equal(data, ours), OTHER_RULE)
    furthest = max(abs(value - float(without_group(data)[run])) for run, value in ours.items())
    yield Cell("Largest difference of a MAP without the group", "", "0.0000", furthest, OTHER_RULE)


def first_documents(path: Path) -> dict[str, dict[str, float]]:
    """The first 100 of each topic, by score; those with equal scores as they stand in the file."""
    by_topic: dict[str, list[tuple[float, str]]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, document, _, score, *_ = line.split()
            by_topic.setdefault(topic, []).append((float(score), document))
    ranked = {topic: sorted(rows, key=lambda row: -row[0])[:DEPTH] for topic, rows in by_topic.items()}
    return {
        topic: {document: float(DEPTH - place) for place, (_, document) in enumerate(rows)}
        for topic, rows in ranked.items()
    }


def given_means(data: Path, name: str) -> dict[str, str]:
    """MAP by run from a file of lines `run value`, as printed."""
    lines = (data / TREC_8 / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines)


def by_run(found: rs.Evaluation) -> dict[str, float]:
    """The mean of each run."""
    return dict(zip(found.runs, found.means().values[0].tolist(), strict=True))


def equal(ours: Mapping[str, float], given: Mapping[str, str]) -> int:
    """How many values are the same to 4 decimals."""
    return sum(f"{value:.{PRINTED_DIGITS}f}" == f"{float(given[name]):.4f}" for name, value in ours.items())


def _equal(data: Path, ours: Mapping[str, float]) -> int:
    return equal(ours, without_group(data))


def _tau(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return float(tau_b(_rounded(one, list(one)), _rounded(other, list(one))))


def _rounded(values: Mapping[str, float], names: list[str]) -> Floats:
    return np.round([values[name] for name in names], PRINTED_DIGITS)


def _floats(texts: Mapping[str, str]) -> dict[str, float]:
    return {name: float(text) for name, text in texts.items()}
