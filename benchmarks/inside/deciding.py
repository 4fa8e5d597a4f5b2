"""Time what is done after measuring: `deciding.py WHAT QRELS RUN...`.

- `overlap`, `tau`: all pairs of runs without judgments, reading included.
- `diff`, `gate`: two runs of 7,000 topics, made up here, less the time of reading them.
- `fuse rankscale`, `fuse ranx`: ten runs by RRF, from text to a file; `fused ...`: without reading and writing.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale and ranx need not be installed where types are checked)

import json
import lzma
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rankscale as rs

TOPICS, DOCUMENTS, JUDGED, DEPTH = 7000, 200, 10, 100
FUSED = 10  # runs
MEASURES = ("nDCG@10", "P@10")
FORMS = {"overlap": ("overlap", "jaccard", "RBO"), "tau": ("tau", "tau_ap", "tau_union", "KTU")}


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def made_up(folder: Path) -> tuple[str, list[str]]:
    """Qrels and two runs in files."""
    draw, names = np.random.default_rng(0), [f"d{number}" for number in range(DOCUMENTS)]
    files = [folder / name for name in ("qrels.txt", "a.txt", "b.txt")]
    with files[0].open("w") as qrels, files[1].open("w") as one, files[2].open("w") as other:
        for topic in range(TOPICS):
            for place in draw.permutation(DOCUMENTS)[:JUDGED].tolist():
                qrels.write(f"{topic} 0 {names[place]} {draw.integers(0, 3)}\n")
            for run in (one, other):
                for rank, place in enumerate(draw.permutation(DOCUMENTS)[:DEPTH].tolist()):
                    run.write(f"{topic} Q0 {names[place]} {rank} {DEPTH - rank} {run.name[-5]}\n")
    return str(files[0]), [str(files[1]), str(files[2])]


def beyond_reading(what: str, folder: Path) -> tuple[float, float]:
    """Seconds of `diff` or `gate` from files, less those of reading them; `diff` needs all documents of rankings."""
    qrels, runs = made_up(folder)
    calls: dict[str, Callable[[], object]] = {
        "reading": lambda: rs.read_runs(rs.read_qrels(qrels), runs, keep_documents=what == "diff"),
        "diff": lambda: rs.diff(qrels, runs, MEASURES).text(),
        "gate": lambda: rs.gate(rs.evaluate(qrels, runs, MEASURES), 0.01).text(),
    }
    calls["reading"]()  # imports and first uses count for neither
    calls[what]()
    (wall, cpu), (less_wall, less_cpu) = timed(calls[what]), timed(calls["reading"])
    return max(wall - less_wall, 0.0), max(cpu - less_cpu, 0.0)


def as_text(runs: list[str], folder: Path) -> list[str]:
    """The first runs as plain text, which is what ranx reads."""
    made = []
    for number, run in enumerate(runs[:FUSED]):
        packed = Path(run).read_bytes()
        held = lzma.decompress(packed) if run.endswith(".xz") else packed
        made.append(folder / f"run{number}.txt")
        made[-1].write_bytes(held)
    return [str(path) for path in made]


def fused(what: str, tool: str, runs: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of RRF, from text to a file or (`fused`) from what was read before."""
    whole = what == "fuse"
    out = str(folder / "fused.trec")
    if tool == "rankscale":
        from rankscale.fusion.fuse import fused as fuse_lists
        from rankscale.fusion.methods import Method
        from rankscale.inputs.options import Reading
        from rankscale.inputs.rankings import read_lists

        lists, method = read_lists(runs, Reading()), Method.of("RRF")
        if whole:
            return timed(lambda: rs.fuse(runs, "RRF").write(out))
        return timed(lambda: fuse_lists(lists, method, depth=1000, scores="value"))
    import ranx

    read = [ranx.Run.from_file(run, kind="trec") for run in runs]
    ranx.fuse(read, method="rrf")  # which compiles
    if whole:
        return timed(
            lambda: ranx.fuse([ranx.Run.from_file(run, kind="trec") for run in runs], method="rrf").save(out, "trec")
        )
    return timed(lambda: ranx.fuse(read, method="rrf"))


def measured(what: str, files: list[str]) -> tuple[float, float]:
    """Wall and processor seconds of what is named."""
    name, _, tool = what.partition(" ")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in FORMS:
            return timed(lambda: rs.overlap(files[1:], coefficients=FORMS[name]))
        if name in {"diff", "gate"}:
            return beyond_reading(name, Path(folder))
        return fused(name, tool, as_text(files[1:], Path(folder)), Path(folder))


if __name__ == "__main__":
    wall, cpu = measured(sys.argv[1], sys.argv[2:])
    print(json.dumps({"wall": wall, "cpu": cpu}))
