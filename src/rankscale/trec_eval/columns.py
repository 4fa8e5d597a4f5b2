"""Column: one measure of the output, with its printed name and how its values are computed, printed and summarised."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankscale.data.arrays import Floats, NDArray
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import GEOMETRIC_FLOOR, added

Summary = Literal["mean", "sum", "geometric", "none", "number of topics", "relevant documents", "tag"]


@dataclass(frozen=True)
class Column:
    """What trec_eval prints under one name."""

    name: str
    values: Callable[[Judged], NDArray[Any]]  # for each ranking a number, or a text
    form: Literal["real", "count", "text"] = "real"
    summary: Summary = "mean"
    per_topic: bool = True  # some are printed for all topics only


class Totals:
    """Sums of the values of each column. They are added one by one, in their order: the last digit depends on it."""

    def __init__(self, columns: int) -> None:
        self.sums: list[float] = [0.0] * columns
        self.first_nan: list[float] = [math.nan] * columns  # of those values: whose sign C prints

    def add(self, columns: Sequence[Column], values: Sequence[NDArray[Any]]) -> None:
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

    def summarise(self, column: Column, total: float) -> float | str:
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
