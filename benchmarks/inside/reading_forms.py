"""Time reading and judging one run in some form: `reading_forms.py FORM ROWS`.

The same rows are written in every form, once, into the current folder; writing is not timed. A thousand documents for
each topic, sixteen of them judged, ids of up to seven digits as MS MARCO's passages have them.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import rankscale as rs

DEPTH = 1_000
LINES = {
    "trec": "{0} Q0 {1} {2} {3!r} bm25\n",
    "csv": "{0},{1},{3!r}\n",
    "tsv": "{0}\t{1}\t{3!r}\n",
    "jsonl": '{{"query_id": "{0}", "doc_id": "{1}", "score": {3!r}}}\n',
}
HEADERS = {"csv": "query_id,doc_id,score\n", "tsv": "query_id\tdoc_id\tscore\n"}


def write(form: str, rows: int) -> tuple[Path, Path]:
    """Return where qrels and run lie, made if they are not there."""
    qrels, run = Path(f"forms-{rows}.qrels"), Path(f"forms-{rows}.{form}")
    if run.exists():
        return qrels, run
    rng = Random(rows)  # no secrets
    columns: dict[str, list[object]] = {"query_id": [], "doc_id": [], "score": []}
    with qrels.open("w") as judged, run.open("w") as out:
        out.write(HEADERS.get(form, ""))
        for topic in range(100_000, 100_000 + rows // DEPTH):
            score, documents = 30.0, rng.sample(range(8_800_000), DEPTH)
            for rank, document in enumerate(documents, start=1):
                score = round(score - rng.random() / 50, 6)
                if form in LINES:
                    out.write(LINES[form].format(topic, document, rank, score))
                else:
                    for name, value in zip(columns, (str(topic), str(document), score), strict=True):
                        columns[name].append(value)
            for document in (*rng.sample(documents, 8), *rng.sample(range(8_800_000, 9_000_000), 8)):
                judged.write(f"{topic} 0 {document} {rng.randrange(4)}\n")
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table(columns), run)
    return qrels, run


form, rows = sys.argv[1], int(sys.argv[2])
if "write" in sys.argv:
    write(form, rows)
    sys.exit()
subprocess.run([sys.executable, __file__, form, str(rows), "write"], check=True)  # whose memory does not count
qrels_path, run_path = write(form, rows)
qrels = rs.read_qrels(qrels_path)
rs.read_run(qrels, run_path, threads=1, depth=1)  # what is loaded at the first call
wall, cpu = time.perf_counter(), time.process_time()
rs.read_run(qrels, run_path, threads=1)
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
