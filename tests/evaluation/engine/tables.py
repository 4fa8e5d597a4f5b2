"""The sample collection as rows of a table, for tests of engines."""

import lzma
from functools import cache
from pathlib import Path

import pyarrow as pa

from rankscale import sample

RUNS = tuple(sorted((sample.QRELS.parent / "runs").iterdir()))


@cache
def sample_rows(runs: int = 3) -> pa.Table:
    """Run, topic, document and score of some runs of the sample, as their files have them."""
    parts = [_rows(path) for path in RUNS[:runs]]
    return pa.concat_tables(parts)


def _rows(path: Path) -> pa.Table:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        fields = [line.split() for line in file]
    topics, documents, scores, tags = ([row[place] for row in fields] for place in (0, 2, 4, 5))
    return pa.table({"run": tags, "topic": topics, "document": documents, "score": [float(score) for score in scores]})
