"""Values as plain text: aligned tables for people, tsv, csv, json and jsonl for programs."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats
from rankscale.data.table import ValueTable

HEADERS = {"tsv": b"run\ttopic\tmeasure\tvalue\n", "csv": b"run,topic,measure,value\n", "jsonl": b""}


def tidy_text(table: ValueTable, form: str, *, per_topic: bool, places: int | None) -> Iterator[bytes]:
    """Rows of run, topic, measure, value as tsv, csv or jsonl, one run at a time."""
    yield HEADERS[form]
    topics = [_raw(topic) for topic in table.topics]
    measures = [_raw(measure) for measure in table.measures]
    nothing = np.zeros(len(topics), dtype=np.uint8)
    for r, run in enumerate(table.runs):
        yield _core.values_as_text(
            form,
            _raw(run),
            topics,
            measures,
            np.ascontiguousarray(table.values[:, r]).ravel(),
            table.retrieved[r].view(np.uint8) if per_topic else nothing,
            np.ascontiguousarray(table.means[:, r]),
            places,
        )


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def json_document(table: ValueTable, *, per_topic: bool, places: int | None = None) -> str:
    """One document: provenance, then for each run its means, over how many topics, and values by topic."""
    import json

    names = [json.dumps(measure) for measure in table.measures]

    def values(of: Floats) -> str:
        return "{" + ", ".join(f"{n}: {_json_number(v, places)}" for n, v in zip(names, of.tolist(), strict=True)) + "}"

    runs = []
    for r, run in enumerate(table.runs):
        counted = ", ".join(f"{n}: {count}" for n, count in zip(names, table.counted[:, r].tolist(), strict=True))
        parts = [
            f'"run": {json.dumps(run)}',
            f'"means": {values(table.means[:, r])}',
            f'"topics_counted": {{{counted}}}',
        ]
        if per_topic:
            kept = np.flatnonzero(table.retrieved[r]).tolist()
            topics = (f"  {json.dumps(table.topics[t])}: {values(table.values[:, r, t])}" for t in kept)
            parts.append('"topics": {\n' + ",\n".join(topics) + "\n }")
        runs.append("{" + ",\n ".join(parts) + "}")
    head = json.dumps(table.provenance)[1:-1]
    return "{" + head + (", " if head else "") + '"runs": [\n' + ",\n".join(runs) + "\n]}\n"


def _json_number(value: float, places: int | None) -> str:
    """As the jsonl form writes it: undefined is null, and 1e999 is what every reader takes for infinite."""
    if math.isnan(value):
        return "null"
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return repr(value) if places is None else f"{value:.{places}f}"


def cell(value: float, places: int) -> str:
    """A value as tables show it; undefined is a dash."""
    if math.isnan(value):
        return "-"
    return f"{value:.{places}f}"


def cells_of(table: ValueTable, values: Floats, places: int) -> list[str]:
    """The values of one row, counts without places."""
    shown = zip(values.tolist(), table.whole or (False,) * len(table.measures), strict=True)
    return [cell(value, 0 if whole else places) for value, whole in shown]


def means_table(table: ValueTable, *, places: int) -> str:
    """Runs down, measures across, and over how many topics each run's means are."""
    means, counted = table.means, table.counted
    # Where a measure is undefined for some topics its mean is over fewer, and says so in its own cell.
    over = counted.max(axis=0, initial=0).tolist()
    rows = [["run", "topics", *table.measures]]
    for r, run in enumerate(table.runs):
        cells = [
            text + (f" ({count})" if count != over[r] else "")
            for text, count in zip(cells_of(table, means[:, r], places), counted[:, r].tolist(), strict=True)
        ]
        rows.append([run, str(over[r]), *cells])
    return aligned(rows)


def topics_table(table: ValueTable, *, places: int) -> str:
    """One line for each run and topic, then one for the mean."""
    rows = [["run", "topic", *table.measures]]
    for r, run in enumerate(table.runs):
        rows += [
            [run, table.topics[t], *cells_of(table, table.values[:, r, t], places)]
            for t in np.flatnonzero(table.retrieved[r]).tolist()
        ]
        rows.append([run, "all", *cells_of(table, table.means[:, r], places)])
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Rows in columns of equal width: the first ones to the left, numbers to the right.

    >>> print(aligned([["run", "AP"], ["bm25", "0.25"]]))
    run     AP
    bm25  0.25
    """
    shown = [[_printable(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = (
        "  ".join(
            text.ljust(width) if place < text_columns else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in shown
    )
    return "\n".join(lines)


def _printable(text: str) -> str:
    """Names come from files that nobody checked: no control character of theirs reaches a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
