"""The lines of trec_eval, byte for byte."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscale.data.arrays import NDArray
from rankscale.trec_eval.columns import Collection, Column

REAL, COUNT, TEXT, TAG = "%6.4f", "%d", "'%s'", "%s"
NAN, MINUS_NAN = "\t   nan\n", "\t  -nan\n"


def topic_lines(
    columns: Sequence[Column], topics: Sequence[str], values: Sequence[NDArray[Any]], *, zscores: bool
) -> list[str]:
    """The lines of each topic, as one text."""
    shown = [
        (column, of_column.tolist()) for column, of_column in zip(columns, values, strict=True) if column.per_topic
    ]
    template = "".join(_line(column, "\0", zscores=zscores) for column, _ in shown)
    rows = zip(*(of_column for _, of_column in shown), strict=True)
    return [
        _as_printed(template.replace("\0", topic.replace("%", "%%")) % row, row, zscores=zscores)
        for topic, row in zip(topics, rows, strict=False)  # there are no rows where no column is shown
    ]


def summary_lines(
    columns: Sequence[Column], values: Sequence[NDArray[Any]], collection: Collection, *, zscores: bool
) -> list[str]:
    """The lines over all topics."""
    lines = []
    for column, of_column in zip(columns, values, strict=True):
        if column.summary != "none":
            summary = collection.summarise(column, of_column)
            of_all = _sign_of_first(of_column) if zscores and summary != summary else summary  # noqa: PLR0124  # NaN
            lines.append(_as_printed(_line(column, "all", zscores=zscores) % summary, (of_all,), zscores=zscores))
    return lines


def _line(column: Column, topic: str, *, zscores: bool) -> str:
    prefix = "Z" if zscores and column.form != "text" else ""
    name = f"{column.name:<22}".replace("%", "%%")
    return f"{prefix}{name}\t{topic}\t{_form(column, zscores=zscores)}\n"


def _form(column: Column, *, zscores: bool) -> str:
    if column.form == "text":
        return TAG if column.summary == "tag" else TEXT
    return COUNT if column.form == "count" and not zscores else REAL


def _sign_of_first(values: NDArray[Any]) -> float:
    """The first NaN of some values, whose sign the sum of all has."""
    return float(values[np.isnan(values)][0])


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
