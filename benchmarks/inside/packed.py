"""Time reading one xz file with one thread and with several: `python -m benchmarks.inside.packed --rows 1e6 4e6`.

The run is packed by the program xz (`-3 -T0`, blocks of 12 MiB), once, into a temporary folder. Each reading
has a process of its own, and the best of --repeats counts.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

DEPTH = 1_000
PACK = ["xz", "-3", "-T0", "-c"]


def main() -> None:
    """Print a row for each packing and size."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.inside.packed", description=__doc__)
    options.add_argument("--rows", nargs="+", type=float, default=[1e6, 2e6, 4e6])
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repeats", type=int, default=3)
    requested = options.parse_args()
    print("    rows  packed MB  1 thread s  MB  threads  s  MB  ratio")
    with tempfile.TemporaryDirectory(prefix="rankscale-packed-") as folder:
        for rows in map(int, requested.rows):
            run, qrels = write(Path(folder), rows)
            packed = run.with_suffix(".xz")
            with run.open("rb") as text, packed.open("wb") as out:
                subprocess.run(PACK, stdin=text, stdout=out, check=True)
            one, several = (best(qrels, packed, threads, requested.repeats) for threads in (1, requested.threads))
            ratio = one["wall"] / several["wall"]
            print(
                f"{rows:9,} {packed.stat().st_size / 1e6:10.1f} {one['wall']:11.2f} {one['peak']:3.0f} "
                f"{requested.threads:8} {several['wall']:.2f} {several['peak']:.0f} {ratio:.2f}x"
            )


def write(folder: Path, rows: int) -> tuple[Path, Path]:
    """Return where the run and its qrels lie."""
    rng = Random(rows)  # no secrets
    run, qrels = folder / f"{rows}.txt", folder / f"{rows}.qrels"
    with run.open("w") as out, qrels.open("w") as judged:
        for topic in range(100_000, 100_000 + rows // DEPTH):
            score = 30.0
            for rank, document in enumerate(rng.sample(range(8_800_000), DEPTH), start=1):
                score = round(score - rng.random() / 50, 6)
                out.write(f"{topic} Q0 {document} {rank} {score!r} bm25\n")
                if rank % 125 == 1:
                    judged.write(f"{topic} 0 {document} {rank % 4}\n")
    return run, qrels


def best(qrels: Path, run: Path, threads: int, repeats: int) -> dict[str, float]:
    """Read in a process of its own, several times."""
    command = [sys.executable, __file__, "read", str(qrels), str(run), str(threads)]
    samples = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(repeats)]
    return min(samples, key=lambda sample: float(sample["wall"]))


def read(qrels_path: str, run: str, threads: str) -> None:
    """Print how long reading and judging takes, and the peak of memory."""
    import resource

    import rankscale as rs

    qrels = rs.read_qrels(qrels_path)
    start = time.perf_counter()
    rs.read_runs(qrels, [run], threads=int(threads))
    wall = time.perf_counter() - start
    print(json.dumps({"wall": wall, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        read(*sys.argv[2:])
    else:
        main()
