"""Values as plain text: aligned tables for people, tsv, csv, json and jsonl for programs."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats
from rankscale.data.table import ValueTable

COLUMNS = ("run", "topic", "measure", "value")
SEPARATORS = {"tsv": "\t", "csv": ",", "jsonl": None}  # jsonl names its columns in each row


def tidy_text(table: ValueTable, form: str, *, per_topic: bool, places: int | None) -> Iterator[bytes]:
    """Rows of run, topic, measure, value and what stands beside it as tsv, csv or jsonl, one run at a time."""
    separator = SEPARATORS[form]
    if separator:
        yield (separator.join([*COLUMNS, *table.beside]) + "\n").encode()
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
            [
                (_raw(name), np.ascontiguousarray(by_topic[:, r]).ravel(), np.ascontiguousarray(means[:, r]))
                for name, (by_topic, means) in table.beside.items()
            ],
            places,
        )


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def json_document(table: ValueTable, *, per_topic: bool, places: int | None = None) -> str:
    """One document: provenance, then for each run its means, over how many topics, and values by topic."""
    import json

    names = [json.dumps(measure) for measure in table.measures]

    def values(of: Floats) -> str:
        return "{" + ", ".join(f"{n}: {json_number(v, places)}" for n, v in zip(names, of.tolist(), strict=True)) + "}"

    runs = []
    for r, run in enumerate(table.runs):
        counted = ", ".join(f"{n}: {count}" for n, count in zip(names, table.counted[:, r].tolist(), strict=True))
        parts = [
            f'"run": {json.dumps(run)}',
            f'"means": {values(table.means[:, r])}',
            *(f'"means_{name}": {values(means[:, r])}' for name, (_, means) in table.beside.items()),
            f'"topics_counted": {{{counted}}}',
        ]
        if per_topic:
            kept = np.flatnonzero(table.retrieved[r]).tolist()
            by_name = {"topics": table.values, **{f"topics_{n}": by_topic for n, (by_topic, _) in table.beside.items()}}
            for name, by_topic in by_name.items():
                topics = (f"  {json.dumps(table.topics[t])}: {values(by_topic[:, r, t])}" for t in kept)
                parts.append(f'"{name}": {{\n' + ",\n".join(topics) + "\n }")
        runs.append("{" + ",\n ".join(parts) + "}")
    head = json.dumps(table.provenance)[1:-1]
    return "{" + head + (", " if head else "") + '"runs": [\n' + ",\n".join(runs) + "\n]}\n"


def json_number(value: float, places: int | None) -> str:
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


def cells_of(table: ValueTable, run: int, topic: int | None, places: int) -> list[str]:
    """One row: the values of a run's topic, or its means; counts without places; bounds in brackets behind the value.

    What unjudged documents leave open stands in square brackets, what ties do in round ones.
    """
    value = table.means[:, run] if topic is None else table.values[:, run, topic]
    beside = {
        name: means[:, run] if topic is None else by_topic[:, run, topic]
        for name, (by_topic, means) in table.beside.items()
    }
    shown = []
    for m, whole in enumerate(table.whole or (False,) * len(table.measures)):
        text = cell(float(value[m]), 0 if whole else places)
        for lower, upper, opening, closing in (("lower", "upper", "[", "]"), ("ties_lower", "ties_upper", "(", ")")):
            if lower in beside and not math.isnan(beside[lower][m]):
                bounds = ", ".join(cell(float(beside[name][m]), places) for name in (lower, upper))
                text += f" {opening}{bounds}{closing}"
        shown.append(text)
    return shown


def means_of(table: ValueTable, run: int, places: int) -> tuple[int, list[str]]:
    """Over how many topics a run's means are, and the means.

    Where a measure is undefined for some topics its mean is over fewer, and says so in its own cell.
    """
    counted = table.counted[:, run].tolist()
    over = max(counted, default=0)
    shown = zip(cells_of(table, run, None, places), counted, strict=True)
    return over, [text + (f" ({count})" if count != over else "") for text, count in shown]


def means_table(table: ValueTable, *, places: int) -> str:
    """Runs down, measures across, and over how many topics each run's means are."""
    rows = [["run", "topics", *table.measures]]
    for r, run in enumerate(table.runs):
        over, cells = means_of(table, r, places)
        rows.append([run, str(over), *cells])
    return aligned(rows)


def topics_table(table: ValueTable, *, places: int) -> str:
    """One line for each run and topic, then one for the mean."""
    rows = [["run", "topic", *table.measures]]
    for r, run in enumerate(table.runs):
        rows += [
            [run, table.topics[t], *cells_of(table, r, t, places)] for t in np.flatnonzero(table.retrieved[r]).tolist()
        ]
        rows.append([run, "all", *means_of(table, r, places)[1]])
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
