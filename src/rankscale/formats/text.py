"""Values as plain text: aligned tables for people, tsv, csv, json and jsonl for programs."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats, Ints
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


def json_document(table: ValueTable, *, per_topic: bool) -> str:
    """One document: provenance, then for each run its means, over how many topics, and values by topic."""
    import json

    runs = []
    for r, run in enumerate(table.runs):
        one: dict[str, object] = {
            "run": run,
            "means": dict(zip(table.measures, map(_number, table.means[:, r].tolist()), strict=True)),
            "topics_counted": dict(zip(table.measures, table.counted[:, r].tolist(), strict=True)),
        }
        if per_topic:
            one["topics"] = {
                table.topics[t]: dict(zip(table.measures, map(_number, table.values[:, r, t].tolist()), strict=True))
                for t in np.flatnonzero(table.retrieved[r]).tolist()
            }
        runs.append(one)
    return json.dumps({**table.provenance, "runs": runs}, indent=1) + "\n"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def cell(value: float, places: int) -> str:
    """A value as tables show it: whole counts without places, undefined as a dash."""
    if math.isnan(value):
        return "-"
    return f"{value:.{places}f}"


def means_table(measures: Sequence[str], runs: Sequence[str], means: Floats, counted: Ints, *, places: int) -> str:
    """Runs down, measures across, and over how many topics each run's means are."""
    # Where a measure is undefined for some topics its mean is over fewer, and says so in its own cell.
    over = counted.max(axis=0, initial=0).tolist()
    rows = [["run", "topics", *measures]]
    for r, run in enumerate(runs):
        cells = [
            cell(value, places) + (f" ({count})" if count != over[r] else "")
            for value, count in zip(means[:, r].tolist(), counted[:, r].tolist(), strict=True)
        ]
        rows.append([run, str(over[r]), *cells])
    return aligned(rows)


def topics_table(table: ValueTable, *, places: int) -> str:
    """One line for each run and topic, then one for the mean."""
    rows = [["run", "topic", *table.measures]]
    for r, run in enumerate(table.runs):
        rows += [
            [run, table.topics[t], *(cell(value, places) for value in table.values[:, r, t].tolist())]
            for t in np.flatnonzero(table.retrieved[r]).tolist()
        ]
        rows.append([run, "all", *(cell(value, places) for value in table.means[:, r].tolist())])
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
