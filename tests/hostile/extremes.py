"""Extreme input files of at most one megabyte together: each case is a name, its files, and the commands that read it.

`python -m tests.hostile.search` tries all of them; the worst are tests (`test_extremes.py`).
"""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path

MEGABYTE = 1_000_000
Files = dict[str, bytes]
EXTREMES: dict[str, Callable[[], Files]] = {}
COMMANDS = {
    "evaluate": ["evaluate", "qrels", "run"],
    "per-topic": ["evaluate", "qrels", "run", "--per-topic", "--format", "tsv"],
    "curves": ["curves", "qrels", "run", "-m", "nDCG", "--format", "tsv"],
    "check": ["check", "run", "--qrels", "qrels"],
    "convert": ["convert", "run", "run.out"],
    "convert-qrels": ["convert", "qrels", "qrels.out", "--kind", "qrels"],
    "trec_eval": ["trec_eval", "-q", "-m", "all_trec", "qrels", "run"],
}


def extreme(make: Callable[[], Files]) -> Callable[[], Files]:
    """Register a case under the name of its function."""
    EXTREMES[make.__name__] = make
    return make


def lines(row: Callable[[int], str], size: int = MEGABYTE // 2) -> bytes:
    """Rows 0, 1, ... as text of about so many bytes."""
    made, length = [], 0
    for number in range(size):
        made.append(text := row(number).encode("utf-8", "surrogateescape") + b"\n")
        length += len(text)
        if length > size:
            break
    return b"".join(made[:-1])


def half(qrels: Callable[[int], str], run: Callable[[int], str]) -> Files:
    return {"qrels": lines(qrels), "run": lines(run)}


def small(run: bytes) -> Files:
    return {"qrels": lines(lambda n: f"1 0 {n} {n % 2}", 2_000), "run": run}


@extreme
def one_topic() -> Files:
    return half(lambda n: f"1 0 {n} {n % 2}", lambda n: f"1 Q0 {n} 0 {-n} t")


@extreme
def all_tied() -> Files:
    return half(lambda n: f"1 0 {n} {n % 2}", lambda n: f"1 Q0 {n} 0 0 t")


@extreme
def a_topic_for_each_line() -> Files:
    return half(lambda n: f"{n} 0 a 1", lambda n: f"{n} Q0 a 0 1 t")


@extreme
def a_deep_and_many_short_rankings() -> Files:
    return half(
        lambda n: f"1 0 {n} 1" if n < 30_000 else f"{n} 0 a 1",
        lambda n: f"1 Q0 {n} 0 {-n} t" if n < 20_000 else f"{n} Q0 a 0 1 t",
    )


@extreme
def a_grade_for_each_line() -> Files:
    return half(lambda n: f"1 0 {n} {min(n, 32_000)}", lambda n: f"1 Q0 {n} 0 {-n} t")


@extreme
def topics_times_grades() -> Files:
    return half(lambda n: f"{n // 3} 0 {n % 3} {min(n, 32_000)}", lambda n: f"{n // 3} Q0 {n % 3} 0 {-n} t")


@extreme
def real_grades() -> Files:
    return half(lambda n: f"{n // 9} 0 {n % 9} {min(n, 32_000) / 7:.4f}", lambda n: f"{n // 9} Q0 {n % 9} 0 {-n} t")


@extreme
def huge_grades() -> Files:
    return half(lambda n: f"{n // 9} 0 {n % 9} {n % 90}e300", lambda n: f"{n // 9} Q0 {n % 9} 0 {n}e300 t")


@extreme
def subtopics() -> Files:
    return half(lambda n: f"1 {n} {n} 1", lambda n: f"1 Q0 {n} 0 {-n} t")


@extreme
def subtopics_of_one_document() -> Files:
    return half(lambda n: f"1 {n} a 1", lambda n: f"1 Q0 {n} 0 {-n} t")


@extreme
def topics_times_subtopics() -> Files:
    return half(lambda n: f"{n % 300} {n // 300} a 1", lambda n: f"{n % 300} Q0 {n} 0 {-n} t")


@extreme
def scattered_topics() -> Files:
    return half(lambda n: f"{n % 3_000} 0 {n} 1", lambda n: f"{n % 3_000} Q0 {n} 0 {n % 7} t")


@extreme
def long_names() -> Files:
    return half(lambda n: f"{n} 0 {'d' * 50_000} 1", lambda n: f"{n} Q0 {'d' * 50_000} 0 1 {'t' * 50_000}")


@extreme
def one_line() -> Files:
    return {"qrels": b"1 0 a 1\n", "run": b"1 Q0 " + b"a" * 900_000 + b" 1 1 t\n"}


@extreme
def no_line_end() -> Files:
    return {"qrels": b"1 0 a 1\n", "run": b"x" * 990_000}


@extreme
def blanks() -> Files:
    return {"qrels": b"1 0 a 1\n", "run": b"1 Q0 a 1 1 t" + b" " * 900_000 + b"\n"}


@extreme
def empty_lines() -> Files:
    return {"qrels": b"\n" * 400_000 + b"1 0 a 1\n", "run": b"\n" * 500_000 + b"1 Q0 a 1 1 t\n"}


@extreme
def a_tag_for_each_line() -> Files:
    return half(lambda n: f"{n % 100} 0 {n} 1", lambda n: f"1 Q0 {n} 0 {-n} t{n}")


@extreme
def long_numbers() -> Files:
    digits = "9" * 5_000
    return half(lambda n: f"1 0 {n} {n}.{digits}", lambda n: f"1 Q0 {n} 0 0.{digits}e{n} t")


@extreme
def wrong_numbers() -> Files:
    return half(lambda n: f"1 0 {n} x", lambda n: f"1 Q0 {n} 0 nan t")


@extreme
def the_same_document() -> Files:
    return half(lambda _: "1 0 a 1", lambda _: "1 Q0 a 1 1 t")


@extreme
def control_characters() -> Files:
    return half(lambda n: f"{n}\x1b 0 \x07{n} 1", lambda n: f"{n}\x1b Q0 \x07{n} 0 1 \x00")


def runs_in_columns(runs: int, rows: int) -> bytes:
    return b"run,qid,docid,score\n" + lines(lambda n: f"{n % runs},{n // rows},a,1", MEGABYTE // 2 - 100)


@extreme
def a_run_for_each_row() -> Files:
    return {"qrels": lines(lambda n: f"{n} 0 a 1"), "run": runs_in_columns(MEGABYTE, 1)}


@extreme
def runs_times_topics() -> Files:
    return {"qrels": lines(lambda n: f"{n} 0 a 1"), "run": runs_in_columns(200, 200)}


@extreme
def many_columns() -> Files:
    header = ",".join(["qid", "docid", "score", *(f"c{n}" for n in range(60_000))])
    return small(f"{header}\n1,a,1{',' * 60_000}\n".encode())


@extreme
def quotes() -> Files:
    return small(b'qid,docid,score\n1,"' + b'""' * 450_000 + b'",1\n')


@extreme
def open_quote() -> Files:
    return small(b'qid,docid,score\n1,"' + b"a,1\n" * 200_000)


@extreme
def deep_json() -> Files:
    return small(b"[" * 500_000)


@extreme
def deep_objects() -> Files:
    return small(b'{"1":' * 150_000)


@extreme
def json_of_topics() -> Files:
    return small(json.dumps({str(topic): {"a": 1.0} for topic in range(40_000)}).encode())


@extreme
def json_of_one_topic() -> Files:
    return small(json.dumps({"1": {str(document): 1.0 for document in range(55_000)}}).encode())


@extreme
def json_lines_of_keys() -> Files:
    row = json.dumps({"qid": "1", "docid": "a", "score": 1.0, **{f"k{n}": n for n in range(50_000)}})
    return small(row.encode() + b"\n")


@extreme
def json_numbers() -> Files:
    return small(b'{"1": {"a": ' + b"9" * 900_000 + b"}}")


@extreme
def json_escapes() -> Files:
    return small(b'{"1": {"' + b"\\u0041" * 150_000 + b'": 1}}')


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda text: gzip.compress(text, 9),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def _bomb(name: str, pack: Callable[[bytes], bytes], kind: str) -> None:
    rows = {
        "same": lambda: b"1 Q0 a 1 1 t\n" * (250_000_000 // 13),
        "zeros": lambda: bytes(250_000_000),
        "lines": lambda: b"\n" * 250_000_000,
    }

    def make() -> Files:
        text = rows[kind]()
        packed = pack(text[:120_000_000] if name == "xz" else text)
        while len(packed) < 900_000:  # parts one after the other, up to the limit
            packed += packed[: len(packed)]
        return small(packed[:990_000])

    EXTREMES[f"{name}_of_{kind}"] = make


for packer, packed_by in PACKERS.items():
    for what in ("same", "zeros", "lines"):
        _bomb(packer, packed_by, what)


def dense(pack: Callable[[bytes], bytes], ratio: int) -> bytes:
    """Different rows that pack as tightly as is still allowed."""
    text = lines(lambda n: f"1 Q0 {n} 0 0 t", ratio * 900_000)
    return pack(text)[:990_000]


@extreme
def gzip_of_rows() -> Files:
    return small(dense(PACKERS["gzip"], 8))


@extreme
def xz_of_rows() -> Files:
    return small(dense(PACKERS["xz"], 60))


@extreme
def bz2_of_qrels() -> Files:
    text = lines(lambda n: f"{n} 0 a 1", 40_000_000)
    return {"qrels": bz2.compress(text)[:990_000], "run": b"1 Q0 a 1 1 t\n"}


def parquet(columns: dict[str, list[object]], rows: int) -> bytes:
    """Columns of one value each, which a dictionary and run lengths make small, repeated to so many rows."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet as pq

    made = io.BytesIO()
    zeros = pa.array(np.zeros(rows, dtype=np.int8))
    table = pa.table({name: pa.DictionaryArray.from_arrays(zeros, values) for name, values in columns.items()})
    pq.write_table(table, made, compression="zstd", store_schema=False)  # read as texts, not as a dictionary
    return made.getvalue()


@extreme
def parquet_of_one_value() -> Files:
    return small(parquet({"qid": ["1"], "docid": ["a" * 1_000], "score": [1.0]}, 3_000_000))


@extreme
def parquet_of_long_names() -> Files:
    return small(parquet({"qid": ["1"], "docid": ["a" * 500_000], "score": [1.0]}, 4_000))


@extreme
def parquet_qrels() -> Files:
    return {"qrels": parquet({"qid": ["1"], "docid": ["a" * 200], "grade": [1]}, 5_000_000), "run": b"1 Q0 a 1 1 t\n"}


def written(name: str, folder: Path) -> Path:
    """Write the files of a case into a folder of its own."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    files = EXTREMES[name]()
    size = sum(map(len, files.values()))
    if size > MEGABYTE:
        raise ValueError(f"{name}: {size} bytes, of {MEGABYTE}")
    for file, content in files.items():
        (place / file).write_bytes(content)
    return place


def cases() -> Iterator[tuple[str, str]]:
    """Names of all cases, and of the commands that are tried on each."""
    for name in EXTREMES:
        for command in COMMANDS:
            yield name, command
