"""Documents that stand twice: trec_eval meets them when it computes their topic, after it has printed those above."""

from collections import Counter
from collections.abc import Iterator
from io import BytesIO

import numpy as np

from rankscale.inputs.content import unpacked
from rankscale.inputs.files import NamedBytes
from rankscale.trec_eval.c_numbers import atof
from rankscale.trec_eval.options import Options

QRELS_COLUMNS = 4


def repeated_in_run(source: str | NamedBytes, options: Options, *, ascending: bool) -> dict[str, str]:
    """Topics whose rankings, after the cut of -M, hold a document twice, with the first such document by name.

    Tied documents are in the order of their names, descending unless `ascending`.
    """
    rankings: dict[bytes, list[tuple[float, bytes]]] = {}
    for fields in filter(None, map(bytes.split, _lines(source, options))):
        score = atof(fields[4].decode("latin-1"))
        with np.errstate(over="ignore"):
            rankings.setdefault(fields[0], []).append(
                (float(np.float32(score)) if options.single else score, fields[2])
            )
    twice = {}
    for topic, ranking in rankings.items():
        by_name = sorted(ranking, key=lambda one: one[1], reverse=not ascending)
        cut = sorted(by_name, key=lambda one: -one[0])[: None if options.depth is None else max(options.depth, 0)]
        repeated = sorted(name for name, count in Counter(name for _, name in cut).items() if count > 1)
        if repeated:
            twice[_text(topic)] = _text(repeated[0])
    return twice


def qrels_without_repeats(path: str, options: Options) -> tuple[NamedBytes, set[str]]:
    """The lines of qrels that judge a document for the first time, and the topics of the others."""
    judged: set[tuple[bytes, bytes]] = set()
    kept, twice = [], set()
    for line in _lines(path, options):
        fields = line.split()
        if len(fields) == QRELS_COLUMNS:  # others are refused by the reader
            if (fields[0], fields[2]) in judged:
                twice.add(_text(fields[0]))
                continue
            judged.add((fields[0], fields[2]))
        kept.append(line)
    return NamedBytes(path, b"".join(kept)), twice


def _lines(source: str | NamedBytes, options: Options) -> Iterator[bytes]:
    """The lines of a file; version 10 skips comments."""
    packed = BytesIO(source.content) if isinstance(source, NamedBytes) else open(source, "rb")  # noqa: SIM115
    with unpacked(packed) as file:
        yield from (line for line in file if not (options.compat == 10 and line.startswith(b"#")))


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
