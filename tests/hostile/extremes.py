"""Extreme input files of at most one megabyte together: each case is a name, its files, and the commands that read it.

`python -m tests.hostile.search` tries all of them; the worst are tests (`test_extremes.py`).
"""

import bz2
import gzip
import io
import json
import lzma
import random
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
def runs_of_one_topic() -> Files:
    return {"qrels": b"1 0 a 1\n1 0 b 0\n", "run": b"run,qid,docid,score\n" + lines(lambda n: f"{n},1,a,1", 580_000)}


@extreme
def a_long_name_among_many_runs() -> Files:
    name = "r" * 150_000
    run = b"run,qid,docid,score\n" + lines(lambda n: f"{name if n == 0 else n},{n % 5},a,1", 600_000)
    return {"qrels": lines(lambda n: f"{n} 0 a 1", 300_000), "run": run}


@extreme
def a_longer_name_among_runs() -> Files:
    name = "r" * 400_000
    run = b"run,qid,docid,score\n" + lines(lambda n: f"{name if n == 0 else n},1,a,1", 425_000)
    return {"qrels": b"1 0 a 1\n2 0 a 1\n", "run": run}


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


def letters(number: int) -> str:
    """A name of four letters, another for each number: names that count up pack tighter the shorter they are."""
    return "".join(LETTERS[number // len(LETTERS) ** place % len(LETTERS)] for place in (3, 2, 1, 0))


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def tight(row: Callable[[int], str], rows: int, filling: Callable[[int], str], size: int) -> bytes:
    """Rows that hardly take a byte each, behind others that do not pack: as many as the size of the file allows."""
    packed = lzma.compress("".join(f"{row(number)}\n" for number in range(rows)).encode())
    kinds = random.Random(7)
    taken = lines(lambda _: filling(kinds.getrandbits(60)), int(2.6 * (size - len(packed))))
    while len(first := lzma.compress(taken)) + len(packed) > size:
        taken = taken[: int(len(taken) * 0.98)].rpartition(b"\n")[0] + b"\n"
    return first + packed


def tight_pair(rows: int, qrels: Callable[[int], str], run: Callable[[int], str], size: int = 490_000) -> Files:
    """Such files of a size; the rows that do not pack are of one topic."""
    return {
        "qrels": tight(qrels, rows, lambda number: f"1 0 {number} 0", size),
        "run": tight(run, rows, lambda number: f"1 Q0 {number} 0 0 t", size),
    }


@extreme
def xz_of_topics() -> Files:
    return tight_pair(180_000, lambda n: f"{letters(n)} 0 a 1", lambda n: f"{letters(n)} Q0 a 0 1 t")


@extreme
def xz_of_qrels() -> Files:
    qrels = tight(lambda n: f"{letters(n)} 0 a 1", 430_000, lambda n: f"1 0 {n} 0", 980_000)
    return {"qrels": qrels, "run": b"aaaa Q0 a 0 1 t\n"}


@extreme
def xz_of_documents() -> Files:
    return tight_pair(350_000, lambda n: f"1 0 {letters(n)} 1", lambda n: f"1 Q0 {letters(n)} 0 0 t")


@extreme
def xz_of_scattered_topics() -> Files:
    turns = 88_000
    return tight_pair(
        4 * turns,
        lambda n: f"{letters(n % turns)} 0 {n // turns} 1",
        lambda n: f"{letters(n % turns)} Q0 {n // turns} 0 0 t",
    )


@extreme
def xz_of_subtopics() -> Files:
    return tight_pair(350_000, lambda n: f"1 {letters(n)} a 1", lambda n: f"1 Q0 {letters(n)} 0 0 t")


@extreme
def xz_of_topics_with_subtopics() -> Files:
    return tight_pair(
        350_000, lambda n: f"{letters(n // 2)} {n % 2} a 1", lambda n: f"{letters(n // 2)} Q0 {n % 2} 0 1 t"
    )


@extreme
def xz_of_grades() -> Files:
    return tight_pair(
        350_000, lambda n: f"{letters(n // 3)} 0 {n % 3} {n % 32_000}", lambda n: f"{letters(n // 3)} Q0 {n % 3} 0 1 t"
    )


@extreme
def xz_of_runs() -> Files:
    filling = lines(lambda n: f"0,1,{random.Random(n).getrandbits(60)},1", 800_000)
    rows = "".join(f"{letters(n)},{n % 9},a,1\n" for n in range(8_500))
    packed = lzma.compress(b"run,qid,docid,score\n" + filling) + lzma.compress(rows.encode())
    return {"qrels": lines(lambda n: f"{n} 0 a 1", 300_000), "run": packed}


@extreme
def xz_of_json_topics() -> Files:
    kinds = random.Random(7)
    filling = ",".join(f'"{kinds.getrandbits(60)}":1' for _ in range(45_000))
    topics = ",".join(f'"{letters(n)}":{{"a":1}}' for n in range(200_000))
    run = lzma.compress(f'{{"1":{{{filling}}},'.encode()) + lzma.compress(f"{topics}}}".encode())
    return {"qrels": tight(lambda n: f"{letters(n)} 0 a 1", 200_000, lambda n: f"1 0 {n} 0", 480_000), "run": run}


@extreme
def xz_of_free_rows() -> Files:
    """As many as any packed file may hold, of one topic."""
    return {
        "qrels": lzma.compress(b"".join(f"1 0 {letters(n)} 1\n".encode() for n in range(520_000))),
        "run": lzma.compress(b"".join(f"1 Q0 {letters(n)} 0 0 t\n".encode() for n in range(520_000))),
    }


@extreme
def xz_of_free_topics_with_long_names() -> Files:
    name = "n" * 90
    return {
        "qrels": lzma.compress(b"".join(f"{name}{letters(n)} 0 a 1\n".encode() for n in range(130_000))),
        "run": lzma.compress(b"".join(f"{name}{letters(n)} Q0 a 0 1 t\n".encode() for n in range(130_000))),
    }


@extreme
def xz_of_words() -> Files:
    return small(lzma.compress(b"a " * 8_000_000 + b"\n"))


@extreme
def xz_of_columns() -> Files:
    return small(lzma.compress(b"qid,docid,score" + b",c" * 4_000_000 + b"\n1,a,1" + b"," * 4_000_000 + b"\n"))


@extreme
def xz_of_empty_json_topics() -> Files:
    topics = ",".join(f'"{letters(n)}":{{}}' for n in range(1_200_000))
    return small(lzma.compress(f"{{{topics}}}".encode()))


@extreme
def bz2_of_nothing() -> Files:
    return small(bz2.compress(b"") * 70_000)


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


def numbers(rows: int, counting: list[str], other: str) -> bytes:
    """Whole numbers that count up, of which a thousand take some bytes, in a Parquet file; the others are all 1."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet as pq

    made, ones, counted = io.BytesIO(), np.ones(rows, dtype=np.int64), np.arange(rows)
    names = list(dict.fromkeys(["qid", "docid", other, *counting]))
    table = pa.table({name: counted if name in counting else ones for name in names})
    encodings = dict.fromkeys(counting, "DELTA_BINARY_PACKED")
    still = [name for name in names if name not in counting]
    pq.write_table(table, made, use_dictionary=still, column_encoding=encodings, compression="zstd")
    return made.getvalue()


@extreme
def parquet_of_counting_documents() -> Files:
    return small(numbers(50_000_000, ["docid"], "score"))


@extreme
def parquet_of_counting_topics() -> Files:
    return {"qrels": numbers(65_000, ["qid"], "grade"), "run": numbers(65_000, ["qid"], "score")}


@extreme
def parquet_of_as_many_documents_as_allowed() -> Files:
    return small(numbers(131_000, ["docid"], "score"))


@extreme
def parquet_of_counting_runs() -> Files:
    return {"qrels": b"1 0 1 1\n", "run": numbers(4_096, ["run"], "score")}


@extreme
def parquet_of_differences() -> Files:
    """One long name in each row: the file has it once, and then that nothing changes."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet as pq

    rows, made = 20_000, io.BytesIO()
    name = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100, dtype=np.int8)), ["x" * 900_000]).cast("string")
    with pq.ParquetWriter(
        made,
        pa.schema([("qid", pa.string()), ("docid", pa.string()), ("score", pa.float64())]),
        use_dictionary=["score"],
        compression="zstd",
        column_encoding={"qid": "DELTA_BYTE_ARRAY", "docid": "DELTA_BYTE_ARRAY"},
    ) as writer:
        for start in range(0, rows, 100):
            documents = [f"{number:06}" for number in range(start, start + 100)]
            writer.write_table(pa.table({"qid": name, "docid": documents, "score": np.ones(100)}), 100)
    return small(made.getvalue())


@extreme
def parquet_of_one_page() -> Files:
    """One name of 300 MB, in a page of some kilobytes."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    made, table = io.BytesIO(), pa.table({"qid": ["1"], "docid": ["x" * (300 << 20)], "score": [1.0]})
    pq.write_table(table, made, compression="zstd", use_dictionary=False, write_statistics=False)
    return small(made.getvalue())


@extreme
def parquet_of_large_dictionaries() -> Files:
    """One in each row group, of which a row needs the last name."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    made = io.BytesIO()
    name = pa.DictionaryArray.from_arrays(pa.array([1], pa.int32()), pa.array(["x" * (15 << 20), "1"]))
    schema = pa.schema([("qid", name.type), ("docid", pa.int32()), ("score", pa.float64())])
    options = {"compression": "zstd", "write_statistics": False, "dictionary_pagesize_limit": 1 << 30}
    with pq.ParquetWriter(made, schema, store_schema=False, **options) as writer:
        for number in range(100):
            writer.write_table(pa.table([name, pa.array([number], pa.int32()), pa.array([1.0])], schema=schema))
    return small(made.getvalue())


@extreme
def arrow_of_a_dictionary_for_many_batches() -> Files:
    import pyarrow as pa

    made = io.BytesIO()
    names = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array([""] * 4_000_000))
    batch = pa.record_batch({"qid": ["1"], "docid": names, "score": [1.0]})
    with pa.ipc.new_file(made, batch.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        for _ in range(1_500):
            writer.write_batch(batch)
    return small(made.getvalue())


def arrow(columns: dict[str, object], compression: str = "zstd") -> bytes:
    """An Arrow file, which is small where its columns are all one value."""
    import pyarrow as pa

    made, table = io.BytesIO(), pa.table(columns)
    with pa.ipc.new_file(made, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=len(table))
    return made.getvalue()


@extreme
def arrow_of_one_long_name() -> Files:
    return small(arrow({"qid": ["1"], "docid": ["x" * (500 << 20)], "score": [1.0]}))


@extreme
def arrow_of_as_long_a_name_as_allowed() -> Files:
    return small(arrow({"qid": ["1"], "docid": ["x" * (15 << 20)], "score": [1.0]}))


@extreme
def arrow_of_one_name_for_all_rows() -> Files:
    import numpy as np
    import pyarrow as pa

    rows = 20_000
    name = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array(["x" * 900_000]))
    return small(arrow({"qid": ["1"] * rows, "docid": name, "score": np.ones(rows)}))


@extreme
def arrow_of_views_of_one_name() -> Files:
    import numpy as np
    import pyarrow as pa

    rows = 20_000
    one = pa.array(["x" * 900_000]).cast(pa.string_view())
    views = pa.py_buffer(one.buffers()[1].to_pybytes() * rows)
    names = pa.Array.from_buffers(pa.string_view(), rows, [None, views, *one.buffers()[2:]])
    return small(arrow({"qid": ["1"] * rows, "docid": names, "score": np.ones(rows)}))


@extreme
def arrow_of_counting_topics() -> Files:
    import numpy as np

    def made(other: str) -> bytes:
        rows = 65_000
        ones = np.ones(rows, dtype=np.int8)
        return arrow({"qid": np.arange(rows, dtype=np.int32), "docid": ones, other: ones.astype(float)})

    return {"qrels": made("grade"), "run": made("score")}


@extreme
def folder_of_parquet_with_long_names() -> Files:
    part = parquet({"qid": ["1"], "docid": ["a" * 500_000], "score": [1.0]}, 4_000)
    return {**small(b""), **{f"run/part-{number}.parquet": part for number in range(5)}}


@extreme
def folder_of_arrow_with_long_names() -> Files:
    part = arrow({"qid": ["1"], "docid": ["x" * (50 << 20)], "score": [1.0]})
    return {**small(b""), **{f"run/part-{number}.arrow": part for number in range(9)}}


@extreme
def ranx_of_topics() -> Files:
    import cbor2
    import lz4.frame

    def made(number: float) -> bytes:
        kinds = random.Random(7)
        filling = {"1": {f"{kinds.getrandbits(60)}": number for _ in range(9_000)}}
        text = cbor2.dumps({**filling, **{letters(topic): {"a": number} for topic in range(190_000)}})
        return bytes(lz4.frame.compress(lz4.frame.compress(text, compression_level=16)))

    return {"qrels": made(1), "run": made(1.0)}


@extreme
def ranx_of_empty_lists() -> Files:
    """Each a byte in the file, and some 60 in memory."""
    import lz4.frame

    text = b"\xa1\x611\x9a" + (4_000_000).to_bytes(4) + b"\x80" * 4_000_000
    return small(lz4.frame.compress(lz4.frame.compress(text, compression_level=16)))


@extreme
def parquet_qrels() -> Files:
    return {"qrels": parquet({"qid": ["1"], "docid": ["a" * 200], "grade": [1]}, 5_000_000), "run": b"1 Q0 a 1 1 t\n"}


def written(name: str, folder: Path) -> Path:
    """Write the files of a case into a folder of its own."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    files = {file: content for file, content in EXTREMES[name]().items() if content}
    size = sum(map(len, files.values()))
    if size > MEGABYTE:
        raise ValueError(f"{name}: {size} bytes, of {MEGABYTE}")
    for file, content in files.items():
        (place / file).parent.mkdir(exist_ok=True)
        (place / file).write_bytes(content)
    return place


def cases() -> Iterator[tuple[str, str]]:
    """Names of all cases, and of the commands that are tried on each."""
    for name in EXTREMES:
        for command in COMMANDS:
            yield name, command
