"""`python fuzz/make_seeds.py`: the inputs that fuzzing starts with, into fuzz/seeds; a few bytes each.

The first bytes of an input say how the rest is read: see `Setting::draw` in fuzz/src/draw.rs and the targets.
"""

import io
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

HERE = Path(__file__).parent / "seeds"
SETTINGS = (b"\0\x20\0", b"\1\x40\1", b"\3\xff\4", b"\x0b\x08\2")  # orders and depth, window, sizes of other things
RUN = b"1 Q0 a 1 2.5 tag\n1 Q0 b 2 1.5 tag\n2 Q0 \xc3\xa9 1 -1e-3 tag\n"
ODD_RUN = b"# words\n\n 1\tQ0  a 1 inf tag two\r\n1 Q0 b 2 0x1p3 tag\n1 Q0 a 3 .5 x"
QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n"
ASPECTS = b"1 1 a 1\n1 2 a 0.5\n1 2 b -1\n# no\n2 1 c 3"
PREFS = b"1 x l1 a 2\n1 x l1 b 1\n1 y l2 a 1\n"
TABLES = (
    b"qid,docid,score\n1,a,2.5\n1,b,1.5\n",
    b'topic\tdocument\trank\trun\n1\ta\t1\tr\n"1"\tb\t2\tr\n',
    b'query_id;doc_id;relevance;subtopic\n1;"a ""x"";\ny";1;s\n2;b;0;t\n',
    b"1 a 1\n1 b 2\n",
    b"1 a 1 2.5\n1 b 2 1.5\n",
    b"qid docid label\n1 a 1\n",
)
LINES = (
    b'{"qid": "1", "docid": "a", "score": 2.5}\n{"qid": "1", "docid": "b", "score": 1.5}\n',
    b'{"query_id": 1, "results": [["a", 2], ["b", 1]]}\n{"query_id": 2, "results": []}\n',
    b'{"qid": "\\u00e9", "hits": [{"docid": "a", "rank": 1}]}\n',
    b'{"qid": "1", "docid": "a", "rel": 1, "subtopic": null}\n{"qid": "1", "docid": "b", "rel": 0, "subtopic": 2}\n',
    b'{"qid": "1", "ranking": {"a": 2, "b": 1}, "run": "r"}\n{"qid": "1", "docs": ["a", "b"], "run": "s"}\n',
)
DOCUMENTS = (
    b'{"1": {"a": 2, "b": 1}, "2": {}}',
    b'{"run": {"1": {"a": 2}}, "other": {"1": ["a", "b"]}, "mteb_model_meta": {"x": [1]}}',
    b'[{"qid": 1, "docid": "a", "score": 1}, {"qid": 1, "docid": "b", "score": 0.5}]',
)
VALUES = (
    b"map\t1\t0.5\nmap\tall\t0.5\n",
    b"run\ttopic\tmeasure\tvalue\nr\t1\tAP\t0.5\n",
    b"topic,a,b\n1,0.5,0.25\n2,0.1,nan\n",
    b'{"run": "r", "topic": "1", "measure": "AP", "value": 0.5}\n',
    b'{"mteb_version": "1", "scores": {"test": [{"ndcg_at_10": 0.5}]}, "task_name": "t"}',
)
MEASURES = (b"nDCG(base=2)@10", b"RBP(p=2/3)", b"Interval(DCG(base=2)@30)", b"ndcg_cut.10", b"F(beta=2, rel=1)@5")


def write(target: str, inputs: list[bytes]) -> None:
    """Write the inputs of one target, numbered."""
    folder = HERE / target
    folder.mkdir(parents=True)
    for number, data in enumerate(inputs):
        (folder / f"{number:02}").write_bytes(data)


def files() -> list[bytes]:
    """A run as Parquet, Arrow and Feather."""
    table = pa.table({"qid": ["1", "1"], "docid": ["a", "b"], "score": [2.5, 1.5]})
    as_parquet, as_feather = io.BytesIO(), io.BytesIO()
    options = {"compression": "none", "write_statistics": False, "store_schema": False}
    pa.parquet.write_table(table, as_parquet, **options)
    pa.feather.write_feather(table, as_feather, compression="uncompressed")
    return [as_parquet.getvalue(), as_feather.getvalue()]


def main() -> None:
    """Write all seeds anew."""
    shutil.rmtree(HERE, ignore_errors=True)
    write("run", [s + bytes([d]) + text for s in SETTINGS[:2] for d in (0, 2) for text in (RUN, ODD_RUN)])
    write("pieces", [s + b"\x08\x10" + RUN + ODD_RUN + RUN.replace(b"1 Q0", b"9 Q0") for s in SETTINGS])
    write(
        "qrels",
        [b"\0\x20\0" + more + text for more, text in ((b"\0\0\1", QRELS), (b"\0\4\1", ASPECTS), (b"\0\0\0", PREFS))],
    )
    write("delimited", [b"\0\x40\0" + bytes([kind, 0, 0]) + text for kind in (0, 1) for text in TABLES])
    write("jsonl", [b"\0\x40\0" + bytes([kind, 0]) + text for kind in (0, 1) for text in LINES])
    write("json", [b"\0\x40\0" + bytes([kind, 0]) + text for kind in (0, 1) for text in DOCUMENTS])
    for packing in ("gz", "zst", "bz2", "xz", "lz4"):
        write(
            packing,
            [b"\0\x20\0" + bytes([members, damage, 26, 9, 0]) + RUN for members in (0, 1) for damage in (0, 4, 5, 6)],
        )
    write("arrow", [bytes([seed * step % 251 for step in range(1, 200)]) for seed in (1, 3, 7, 31)])
    write(
        "numbers",
        [
            b"\0" + text
            for text in (b"1.5 x", b"-12345678.12345678", b"1e-5", b"0x1.8p3", b"nan", b"0.1234567890123456")
        ],
    )
    write("measures", list(MEASURES))
    write("values", list(VALUES))
    write(
        "lists",
        [b"t1\n2\n", b"t<num> Number: 301", b"g1 easy\n2 hard\n", b"gtopic,group\n1,x\n", b"i1 a 0.7\n1 b 0.3\n"],
    )
    write("forms", [b"\0" + text for text in (RUN, *TABLES[:1], *LINES[:1], *files())] + [b"\xff" + QRELS])
    texts = [json.dumps({"_id": "a", "title": "t", "text": "words"}).encode() + b"\n", b"a\twords\nb\tmore\n"]
    write("texts", [kind + text for kind in (b"\0", b"\xff") for text in texts])


if __name__ == "__main__":
    main()
