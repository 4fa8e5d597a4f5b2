"""The output of trec_eval: its columns, their sums over topics, z-scores (-Z), and the lines, byte for byte."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats, NDArray
from rankscale.data.judged import Judged
from rankscale.inputs.files import read_whole
from rankscale.measures.base.measure import GEOMETRIC_FLOOR, added
from rankscale.trec_eval.options import ZSCORES, Quit, atof

ColumnSummary = Literal["mean", "sum", "geometric", "none", "number of topics", "relevant documents", "tag"]
NAN, MINUS_NAN = "\t   nan\n", "\t  -nan\n"
NO_ZSCORE = -1_000_000.0  # printed where the file has no mean for a topic and measure
ZSCORE_FIELDS = 4
Zscores = Mapping[tuple[str, str], tuple[float, float]]  # (topic, measure) -> mean and standard deviation


@dataclass(frozen=True)
class PrintedColumn:
    """What trec_eval prints under one name."""

    name: str
    values: Callable[[Judged], NDArray[Any]]  # for each ranking a number, or a text
    form: Literal["real", "count", "text"] = "real"
    summary: ColumnSummary = "mean"
    per_topic: bool = True  # some are printed for all topics only


class Totals:
    """Sums of the values of each column. They are added one by one, in their order: the last digit depends on it."""

    def __init__(self, columns: int) -> None:
        self.sums: list[float] = [0.0] * columns
        self.first_nan: list[float] = [math.nan] * columns  # of those values: whose sign C prints

    def add(self, columns: Sequence[PrintedColumn], values: Sequence[NDArray[Any]]) -> None:
        """Add the values of some topics, (topic,) for each column."""
        for place, (column, of_column) in enumerate(zip(columns, values, strict=True)):
            if column.form == "text" or not len(of_column):
                continue
            before = self.sums[place]
            self.sums[place] = float(added(np.concatenate([[before], of_column])))
            if math.isnan(self.sums[place]) and not math.isnan(before):
                self.first_nan[place] = float([*of_column[np.isnan(of_column)], math.nan][0])


@dataclass(frozen=True)
class Collection:
    """What a summary depends on besides the values: the number of topics, and the run's tag."""

    topics: int  # that means are taken over
    missing: int  # of these, topics without values
    relevant: int | None  # relevant documents of all topics under -c
    tag: str

    def summarise(self, column: PrintedColumn, total: float) -> float | str:
        """One number for all topics, from the sum over them."""
        match column.summary:
            case "tag":
                return self.tag
            case "number of topics":
                return self.topics
            case "relevant documents":
                return total if self.relevant is None else self.relevant
            case "sum":
                return total
            case "geometric":  # the values are logarithms
                return math.exp((total + self.missing * math.log(GEOMETRIC_FLOOR)) / self.topics)
            case _:
                return total / self.topics


def logarithm(values: Callable[[Judged], Floats]) -> Callable[[Judged], Floats]:
    """What a geometric mean adds up; each value is at least 0.00001."""
    return lambda judged: logarithms(values(judged))


def logarithms(values: Floats) -> Floats:
    """Logarithms of values, each of which counts as 0.00001 at least."""
    # math.log and numpy's may differ in the last digit; the former is the C library's
    return np.array([math.log(max(value, GEOMETRIC_FLOOR)) for value in values.tolist()])


def topic_lines(
    columns: Sequence[PrintedColumn], topics: Sequence[str], values: Sequence[NDArray[Any]], *, zscores: bool
) -> bytes:
    """The lines of some topics; `values` are (topic,) for each column."""
    shown = [(column, of_column) for column, of_column in zip(columns, values, strict=True) if column.per_topic]
    if zscores:
        return _in_bytes("".join(_formatted(shown, topics)))
    printed: list[tuple[bytes, str, list[bytes] | Floats]] = []
    for column, of_column in shown:
        is_text = column.form == "text"
        by_topic = list(map(_in_bytes, of_column)) if is_text else np.ascontiguousarray(of_column, dtype=float)
        printed.append((_in_bytes(_name(column)), column.form, by_topic))
    return _core.trec_eval_lines(printed, list(map(_in_bytes, topics)))


def _formatted(shown: Sequence[tuple[PrintedColumn, NDArray[Any]]], topics: Sequence[str]) -> list[str]:
    """The same for -Z, whose values may be NaN with and without a minus sign."""
    template = "".join(_line(column, "\0", zscores=True) for column, _ in shown)
    rows = zip(*(of_column.tolist() for _, of_column in shown), strict=True)
    return [
        _as_printed(template.replace("\0", topic.replace("%", "%%")) % row, row, zscores=True)
        for topic, row in zip(topics, rows, strict=False)  # there are no rows where no column is shown
    ]


def summary_lines(columns: Sequence[PrintedColumn], totals: Totals, collection: Collection, *, zscores: bool) -> bytes:
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


def _name(column: PrintedColumn) -> str:
    return f"{column.name:<22}"


def _line(column: PrintedColumn, topic: str, *, zscores: bool) -> str:
    """The line of a value as a template of C's printf."""
    name, prefix = _name(column).replace("%", "%%"), ""
    if column.form == "text":
        form = "%s" if column.summary == "tag" else "'%s'"
    elif zscores:
        prefix, form = "Z", "%6.4f"
    else:
        form = "%d" if column.form == "count" else "%6.4f"
    return f"{prefix}{name}\t{topic}\t{form}\n"


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


def read_zscores(path: str) -> Zscores:
    """The file of -Z: `topic measure mean standard-deviation` a line."""
    try:
        with open(path, "rb") as file:
            text = read_whole(file, path).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise Quit(ZSCORES, f"trec_eval: cannot read zscores file '{path}': {error.strerror}") from None
    if not text:
        raise Quit(ZSCORES, f"trec_eval: zscores file '{path}' is empty")
    zscores = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        fields = line.split()
        if len(fields) != ZSCORE_FIELDS:
            raise Quit(ZSCORES, f"trec_eval: {path}, line {number}: expected: topic measure mean stddev\n    {line}")
        topic, measure, mean, deviation = fields
        zscores[topic, measure] = (atof(mean), atof(deviation))
    return zscores


def standardised(values: Floats, topics: list[str], measure: str, zscores: Zscores) -> Floats:
    """The values of one measure as z-scores; NO_ZSCORE without a mean, or off a mean that no run deviated from.

    >>> standardised(np.array([0.5, 0.2]), ["a", "b"], "map", {("a", "map"): (0.25, 0.125)}).tolist()
    [2.0, -1000000.0]
    """
    expected = [zscores.get((topic, measure)) for topic in topics]
    return np.array([_zscore(value, known) for value, known in zip(values, expected, strict=True)])


def _zscore(value: float, mean_and_deviation: tuple[float, float] | None) -> float:
    if mean_and_deviation is None:
        return NO_ZSCORE
    if math.isnan(value):
        return -math.nan  # 0/0 in C, on x86, and whatever is computed from it
    mean, deviation = mean_and_deviation
    if deviation == 0:
        return 0.0 if value == mean else NO_ZSCORE
    return (value - mean) / deviation
