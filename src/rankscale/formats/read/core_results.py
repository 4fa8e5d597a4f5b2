"""Runs and qrels from the results of the core: buffers become arrays, bytes become names."""

from typing import Any

import numpy as np

from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError
from rankscale.formats.read.reading import Reading


def name_of(raw: bytes) -> str:
    """A name as text; bytes that are not UTF-8 are kept as surrogates and come out again as they were."""
    return raw.decode("utf-8", "surrogateescape")


def qrels_of(given: dict[str, Any], source: str) -> Qrels:
    """Qrels as the core read them."""
    qrels = Qrels(
        index=given["index"],
        codes=np.frombuffer(given["codes"], dtype=np.int16),
        starts=np.frombuffer(given["starts"], dtype=np.int64),
        levels=np.frombuffer(given["levels"], dtype=np.float64),
        source=source,
        notices=_odd_fields(given),
    )
    if not qrels.index.topics:
        raise FormatError(f"{source}: expected judgments, found none")
    return qrels


def run_of(given: dict[str, Any], name: str, source: str, qrels: Qrels, reading: Reading) -> Run:
    """A run as the core judged it."""
    ints = {key: np.frombuffer(given[key], dtype=np.int32) for key in ("rank", "document", "first", "last")}
    length = np.frombuffer(given["length"], dtype=np.int32)
    return Run(
        name=name,
        rows=np.frombuffer(given["rows"], dtype=np.int32),
        length=length,
        starts=np.frombuffer(given["starts"], dtype=np.int64),
        **ints,
        qrels=qrels.fingerprint,
        order=reading.sorted_by,
        depth=reading.depth,
        source=source,
        last_tag=name_of(given["last_tag"]),
        unknown_topics=given["unknown_topics"],
        notices=_odd_fields(given),
        score=np.frombuffer(given["score"], dtype=np.float64) if reading.keep_scores else None,
        documents=_documents(given, length.tolist()) if reading.keep_documents else None,
    )


def _odd_fields(given: dict[str, Any]) -> tuple[Notice, ...]:
    count, first = given["odd"]
    return notes([f"{first}\n({count} such fields)"], "reader") if count else ()


def _documents(given: dict[str, Any], length: list[int]) -> tuple[tuple[str, ...], ...]:
    ends = np.frombuffer(given["name_ends"], dtype=np.uint64).tolist()
    text = given["names"]
    names = iter([name_of(text[start:end]) for start, end in zip([0, *ends], ends, strict=False)])
    return tuple(tuple(next(names) for _ in range(count)) for count in length)
