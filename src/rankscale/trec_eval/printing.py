"""The lines of trec_eval, byte for byte."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscale import _core
from rankscale.data.arrays import NDArray
from rankscale.trec_eval.columns import Collection, Column, Totals

REAL, COUNT, TEXT, TAG = "%6.4f", "%d", "'%s'", "%s"
NAN, MINUS_NAN = "\t   nan\n", "\t  -nan\n"


def topic_lines(
    columns: Sequence[Column], topics: Sequence[str], values: Sequence[NDArray[Any]], *, zscores: bool
) -> bytes:
    """The lines of some topics; `values` are (topic,) for each column."""
    shown = [(column, of_column) for column, of_column in zip(columns, values, strict=True) if column.per_topic]
    if zscores:
        return _in_bytes("".join(_formatted(shown, topics)))
    names = [_in_bytes(_name(column)) for column, _ in shown]
    by_topic = [
        list(map(_in_bytes, of_column)) if column.form == "text" else np.ascontiguousarray(of_column, dtype=float)
        for column, of_column in shown
    ]
    forms = [column.form for column, _ in shown]
    return _core.trec_eval_lines(list(zip(names, forms, by_topic, strict=True)), list(map(_in_bytes, topics)))


def _formatted(shown: Sequence[tuple[Column, NDArray[Any]]], topics: Sequence[str]) -> list[str]:
    """The same for -Z, whose values may be NaN with and without a minus sign."""
    template = "".join(_line(column, "\0", zscores=True) for column, _ in shown)
    rows = zip(*(of_column.tolist() for _, of_column in shown), strict=True)
    return [
        _as_printed(template.replace("\0", topic.replace("%", "%%")) % row, row, zscores=True)
        for topic, row in zip(topics, rows, strict=False)  # there are no rows where no column is shown
    ]


def summary_lines(columns: Sequence[Column], totals: Totals, collection: Collection, *, zscores: bool) -> bytes:
    """The lines over all topics."""
    lines = []
    for column, total, first_nan in zip(columns, totals.sums, totals.first_nan, strict=True):
        if column.summary != "none":
            summary = collection.summarise(column, total)
            of_all = first_nan if zscores and summary != summary else summary  # noqa: PLR0124  # NaN
            lines.append(_as_printed(_line(column, "all", zscores=zscores) % summary, (of_all,), zscores=zscores))
    return _in_bytes("".join(lines))


def _in_bytes(text: str) -> bytes:
    """Text as it was read, whatever its encoding was."""
    return text.encode("utf-8", "surrogateescape")


def _name(column: Column) -> str:
    return f"{column.name:<22}"


def _line(column: Column, topic: str, *, zscores: bool) -> str:
    prefix = "Z" if zscores and column.form != "text" else ""
    name = _name(column).replace("%", "%%")
    return f"{prefix}{name}\t{topic}\t{_form(column, zscores=zscores)}\n"


def _form(column: Column, *, zscores: bool) -> str:
    if column.form == "text":
        return TAG if column.summary == "tag" else TEXT
    return COUNT if column.form == "count" and not zscores else REAL


def _as_printed(text: str, values: Sequence[object], *, zscores: bool) -> str:
    """0/0 in C (on x86) is a NaN with a minus sign, which printf shows; one read from the file of -Z has none."""
    if NAN not in text:
        return text
    if not zscores:
        return text.replace(NAN, MINUS_NAN)
    signs = [math.copysign(1, value) for value in values if isinstance(value, float) and math.isnan(value)]
    parts = text.split(NAN)
    shown = [MINUS_NAN if sign < 0 else NAN for sign in signs]
    return "".join(f"{part}{nan}" for part, nan in zip(parts, [*shown, ""], strict=True))
