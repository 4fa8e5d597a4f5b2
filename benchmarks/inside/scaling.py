"""The scaling law: time per row and peak memory of `evaluate_blocks` on generated data sets of growing size.

    python -m benchmarks.inside.scaling --rows 1e6 1e7 1e8 --folder /large/disk
    python -m benchmarks.inside.scaling --rows 1e8 --executor inline dask:1 dask:2 --values
    python -m benchmarks.inside.scaling --rows 1e7 --partition

Each size is generated partition by partition, measured with each executor in a process of its own (whose peak memory is
that of the evaluation alone), and deleted; small sizes are measured several times, and the best counts. Rows are those
of run and qrels together: each topic has 100 retrieved documents and 10 judged ones. Names, scores and grades follow
from the number of the topic, so that two machines measure the same rows.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rankscale.inputs.partitioned import MANIFEST, DataFile, DataSet, TopicPartition, part_name

RETRIEVED, JUDGED = 100, 10  # documents of a topic
PER_PARTITION = 1 << 20  # rows of a run in one file, at most
MEASURES = ("AP", "nDCG@10", "RR")
LONG_ENOUGH = 2.0  # seconds
PRIME, STEP, STRIDE = 2_147_483_647, 48_271, 1_103_515_245  # documents of a topic differ, since PRIME is prime


def names(prefix: str, numbers: np.ndarray) -> pa.Array:
    """Names such as d0012345678."""
    padded = pc.utf8_lpad(pc.cast(pa.array(numbers), pa.string()), width=10, padding="0")
    return pc.binary_join_element_wise(prefix, padded, "")


def topic_column(start: int, count: int, each: int) -> pa.Array:
    """The name of each topic as often as it has rows, as codes: what a file holds anyway."""
    codes = pa.array(np.repeat(np.arange(count, dtype=np.int32), each))
    return pa.DictionaryArray.from_arrays(codes, names("t", np.arange(start, start + count)))


def documents(start: int, count: int, each: int, offset: int) -> np.ndarray:
    """(row,): numbers of documents, all different in a topic; those of low places are shared by run and qrels."""
    topic = np.repeat(np.arange(start, start + count, dtype=np.int64), each)
    place = np.tile(np.arange(each, dtype=np.int64) + offset, count)
    return (topic * STEP + place * STRIDE) % PRIME


def run_part(start: int, count: int) -> pa.Table:
    """A run: scores fall with the rank, and documents come in an order of their own for each topic."""
    topic = np.repeat(np.arange(start, start + count, dtype=np.int64), RETRIEVED)
    place = np.tile(np.arange(RETRIEVED, dtype=np.int64), count)
    score = 50.0 - (place * 37 + topic * 11) % RETRIEVED / 4.0
    return pa.table(
        {
            "topic": topic_column(start, count, RETRIEVED),
            "document": names("d", documents(start, count, RETRIEVED, 0)),
            "score": score,
        }
    )


def qrels_part(start: int, count: int) -> pa.Table:
    """Judgments: half of the documents are in the run; grades 0 to 3."""
    topic = np.repeat(np.arange(start, start + count, dtype=np.int64), JUDGED)
    place = np.tile(np.arange(JUDGED, dtype=np.int64), count)
    return pa.table(
        {
            "topic": topic_column(start, count, JUDGED),
            "document": names("d", documents(start, count, JUDGED, RETRIEVED - JUDGED // 2)),
            "grade": ((topic * 31 + place * 17) % 4).astype(np.float64),
        }
    )


def generate(folder: str, rows: int) -> None:
    """A run and its qrels of so many rows, as data sets that are split by ranges of topics."""
    topics = max(1, rows // (RETRIEVED + JUDGED))
    per_file = PER_PARTITION // RETRIEVED
    starts = list(range(0, topics, per_file))
    split = TopicPartition("range", len(starts), tuple(f"t{start:010d}" for start in starts[1:]))
    for kind, make, each in (("run", run_part, RETRIEVED), ("qrels", qrels_part, JUDGED)):
        place, parts = os.path.join(folder, kind), []
        os.mkdir(place)
        for number, start in enumerate(starts):
            count = min(per_file, topics - start)
            table = make(start, count)
            table = table.set_column(0, "topic", pc.cast(table.column("topic"), pa.string()))
            settings = {"compression": "zstd", "use_dictionary": ["topic"], "row_group_size": 1 << 17}
            pq.write_table(table, os.path.join(place, part_name(number)), **settings)
            parts.append(DataFile(part_name(number), count * each, count))
        levels = (0.0, 1.0, 2.0, 3.0) if kind == "qrels" else ()
        about = DataSet(place, kind, split, tuple(parts), tuple(table.schema.names), levels, "generated")
        with open(os.path.join(place, MANIFEST), "w", encoding="utf-8") as file:
            json.dump(about.manifest(), file)


def scatter(folder: str, rows: int) -> None:
    """A run of so many rows in files of which each has some documents of every topic, in an order of its own."""
    topics = max(1, rows // RETRIEVED)
    place = os.path.join(folder, "scattered.parquet")
    os.mkdir(place)
    per_part = max(1, RETRIEVED * PER_PARTITION // max(rows, PER_PARTITION))  # documents of a topic in one file
    for start in range(0, RETRIEVED, per_part):
        each = min(per_part, RETRIEVED - start)
        order = np.random.default_rng(start).permutation(topics * each)
        table = pa.table(
            {
                "topic": pc.cast(topic_column(0, topics, each), pa.string()),
                "document": names("d", documents(0, topics, each, start)),
                "score": np.tile(np.arange(each, dtype=np.float64) + start, topics),
            }
        )
        pq.write_table(table.take(pa.array(order)), os.path.join(place, f"part-{start:05d}.parquet"))


def partition(folder: str) -> dict[str, float]:
    """Partition the scattered run of a folder, in this process."""
    import rankscale as rs

    wall, cpu = time.perf_counter(), time.process_time()
    made = rs.partition(os.path.join(folder, "scattered.parquet"), os.path.join(folder, "run"), partitions=256)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    taken = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "peak_mb": peak}
    return {"topics": made.topics, "rows": made.rows, **taken}


def measure(folder: str, executor: str, *, values: bool) -> dict[str, float | str]:
    """Evaluate the data sets of a folder in this process, or in others that it starts."""
    import rankscale as rs
    from rankscale.executors import executor_named

    chosen = executor_named(executor)
    qrels, run = (os.path.join(folder, kind) for kind in ("qrels", "run"))
    with tempfile.TemporaryDirectory(prefix="scaling-") as small:  # what is loaded or started once is not timed
        generate(small, 10_000)
        rs.evaluate_blocks(os.path.join(small, "qrels"), os.path.join(small, "run"), MEASURES, executor=chosen)
    where = os.path.join(folder, "values.parquet") if values else None
    taken: list[tuple[float, float]] = []
    while sum(wall for wall, _ in taken) < LONG_ENOUGH:
        wall, cpu = time.perf_counter(), time.process_time()
        made = rs.evaluate_blocks(qrels, run, MEASURES, values=where, executor=chosen)
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    if close := getattr(chosen, "close", None):
        close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall, cpu = min(taken)
    return {
        "topics": made.topics,
        "seconds": wall,
        "cpu": cpu + (used.ru_utime + used.ru_stime) / len(taken),
        "peak_mb": max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, used.ru_maxrss) / 1024,
        "digest": digest(where) if where else "",
        **made.means()["generated"],
    }


def digest(path: str) -> str:
    """The first digits of the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def main() -> None:
    """Print one line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", nargs="+", type=float, default=[1e6, 1e7])
    parser.add_argument("--folder", default=None, help="where data sets are generated; a temporary folder by default")
    parser.add_argument("--executor", nargs="+", default=["inline"], help="inline, processes:N, dask:N")
    parser.add_argument("--values", action="store_true", help="write values by topic, too, and show their digest")
    parser.add_argument("--partition", action="store_true", help="partition a scattered run instead of evaluating one")
    parser.add_argument("--measure", default=None, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        done = partition(given.measure) if given.partition else None
        print(json.dumps(done or measure(given.measure, given.executor[0], values=given.values)))
        return
    what = "partition, 256 files" if given.partition else f"evaluate_blocks, {', '.join(MEASURES)}"
    print(f"{what}; peak memory is of the largest process")
    heads = ("executor", "rows", "topics", "MB", "wall s", "ns/row", "cpu ns/row", "peak MB")
    print("{:>11} {:>13} {:>11} {:>7} {:>8} {:>7} {:>10} {:>8}  means".format(*heads))
    if given.folder:
        os.makedirs(given.folder, exist_ok=True)
    for rows in given.rows:
        with tempfile.TemporaryDirectory(prefix="scaling-", dir=given.folder) as folder:
            (scatter if given.partition else generate)(folder, int(rows))
            size = sum(os.path.getsize(os.path.join(at, name)) for at, _, files in os.walk(folder) for name in files)
            for executor in given.executor:
                command = [sys.executable, "-m", "benchmarks.inside.scaling", "--measure", folder]
                command += ["--executor", executor] + ["--values"] * given.values + ["--partition"] * given.partition
                done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                show(executor, done, size)


def show(executor: str, done: dict[str, Any], size: int) -> None:
    """Print a line."""
    count = done.get("rows", done["topics"] * (RETRIEVED + JUDGED))
    means = " ".join(f"{name}={done[name]:.4f}" for name in MEASURES if name in done)
    wall, cpu = (1e9 * done[name] / count for name in ("seconds", "cpu"))
    print(
        f"{executor:>11} {count:>13,} {done['topics']:>11,} {size / 1e6:>7.0f} {done['seconds']:>8.2f} {wall:>7.0f} "
        f"{cpu:>10.0f} {done['peak_mb']:>8.0f}  {means} {done.get('digest', '')}",
        flush=True,
    )


if __name__ == "__main__":
    main()
