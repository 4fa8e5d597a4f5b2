"""What tuning tries and how: values of a method's parameter, folds of topics, fused rankings seen through the qrels.

Fused rankings are measured many times over without writing them first.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np

from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError, Setting
from rankscale.fusion.fuse import ranked
from rankscale.fusion.methods import Method
from rankscale.inputs.rankings import Lists, TopicLists
from rankscale.measures.base.structure import as_written

Point = float | tuple[float, ...]
TUNED = {"WSum": "weights", "RRF": "k", "RBC": "phi", "logNISR": "sigma"}  # the parameter of each method
USUAL = {"RRF": tuple(float(k) for k in range(10, 101, 10)), "RBC": tuple(tenth / 10 for tenth in range(1, 10))}
LARGEST = 10_000  # points of a grid


def grid_of(method: Method, runs: int, step: float = 0.1, points: Sequence[Point] | None = None) -> list[Method]:
    """The method with each value of its parameter, in the order in which they are tried."""
    parameter = TUNED.get(method.name)
    if parameter is None:
        raise ParameterError(f"{method.name} has no parameter to tune, as {', '.join(TUNED)} have")
    if points is None and method.name == "WSum":
        points = list(weight_grid(runs, step))
    if method.name == "WSum" and any(isinstance(point, int | float) for point in points or ()):
        raise ParameterError(
            Setting("grid"),
            " has values of k, phi or sigma, and WSum has weights: ",
            Setting("step", "STEP", python="step="),
            " sets the step between those tried; rs.tune_fusion also takes tuples of weights",
        )
    chosen = USUAL.get(method.name) if points is None else points
    if not chosen:
        raise ParameterError(
            f"{method.name}: name the values of {parameter} to try, as in ",
            Setting("grid", "0.01,0.1", python="grid=[0.01, 0.1]"),
        )
    if len(chosen) > LARGEST:
        raise ParameterError(f"the grid has {len(chosen):,} points, and {LARGEST:,} are the most: try fewer values")
    return [method.with_parameter(parameter, point) for point in chosen]


def weight_grid(runs: int, step: float = 0.1) -> Iterator[tuple[float, ...]]:
    """All weights that are multiples of a step and sum to 1, in lexicographic order; counted in whole numbers.

    >>> list(weight_grid(2, 0.5))
    [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)]
    >>> len(list(weight_grid(3))), len(list(weight_grid(4)))
    (66, 286)
    """
    parts = Fraction(1) / as_written(step) if 0 < step <= 1 else Fraction(0)
    if parts.denominator != 1 or parts == 0:
        raise ParameterError(f"step must go into 1 a whole number of times, as 0.1 and 0.25 do, got {step}")
    whole = int(parts)
    size = comb(whole + runs - 1, runs - 1)
    if size > LARGEST:
        raise ParameterError(
            f"there are {size:,} ways to give {runs} runs weights in steps of {step:g}, and {LARGEST:,} are the most: "
            "take a larger step or fewer runs"
        )
    for bars in combinations(range(whole + runs - 1), runs - 1):  # between units in a row: each run has those up to one
        edges = (-1, *bars, whole + runs - 1)
        yield tuple((edge - before - 1) / whole for before, edge in pairwise(edges))


def folds_of(topics: int, folds: int = 5, seed: int = 0) -> list[list[int]]:
    """Places of the topics of each fold: every folds-th place of one random permutation.

    >>> topics = sorted(str(number) for number in range(1, 11))
    >>> [[topics[place] for place in fold] for fold in folds_of(10)]
    [['4', '5'], ['6', '9'], ['2', '1'], ['7', '8'], ['3', '10']]
    """
    if not 2 <= folds <= topics:
        raise ParameterError(f"folds must be a whole number from 2 to the number of topics, {topics}, got {folds}")
    order = np.random.default_rng(seed).permutation(topics).tolist()
    return [order[fold::folds] for fold in range(folds)]


class JudgedLists:
    """The rankings of several runs, each document with its place in the qrels; topics are rows of the qrels."""

    def __init__(self, lists: Lists, qrels: Qrels) -> None:
        self.lists, self.qrels = lists, qrels
        self.topics: list[tuple[int, TopicLists, Ints]] = []  # row, rankings, (document,): place in the qrels or -1
        for row, topic in enumerate(qrels.topics):
            if topic in lists.by_topic:
                of, judged = lists.of(topic), qrels.index.documents(row)
                held = {name.decode("utf-8", "surrogateescape"): at for at, name in enumerate(judged)}
                self.topics.append((row, of, np.array([held.get(name, -1) for name in of.documents], dtype=np.int64)))

    def fused(self, methods: Sequence[Method], depth: int) -> list[Run]:
        """One run for each method; all fuse the same normalised scores or ranks."""
        parts: list[list[tuple[Ints, Ints, Floats, int]]] = [[] for _ in methods]
        for _, of, places in self.topics:
            prepared = methods[0].prepare(of)
            for part, method in zip(parts, methods, strict=True):
                values = method.values(of, prepared)
                part.append(_entries(ranked(values, depth), values, places))
        return [self._run(str(method), part, "score64") for method, part in zip(methods, parts, strict=True)]

    def inputs(self) -> list[Run]:
        """The runs that are fused, whole."""
        made = []
        for place, name in enumerate(self.lists.runs):
            part = []
            for _, of, places in self.topics:
                (row,) = np.flatnonzero(of.places == place)[:1] if place in of.places else (None,)
                rank = np.zeros(len(places), dtype=np.int64) if row is None else of.rank[row]
                order = np.argsort(rank, kind="stable")[np.count_nonzero(rank == 0) :]
                score = np.full(len(places), np.nan) if row is None else of.score[row]
                part.append(_entries(order, score, places))
            made.append(self._run(name, part, self.lists.orders[place]))
        return made

    def _run(self, name: str, part: Sequence[tuple[Ints, Ints, Floats, int]], order: str) -> Run:
        """A run of entries topic by topic; rankings without documents are those of topics that it lacks."""
        there = [(row, entries) for (row, _, _), entries in zip(self.topics, part, strict=True) if entries[3]]
        joined = [np.concatenate([np.zeros(0), *(entries[column] for _, entries in there)]) for column in range(3)]
        rank, document = (column.astype(np.int32) for column in joined[:2])
        starts = np.cumsum([0, *(len(entries[0]) for _, entries in there)])
        return Run(
            name=name,
            rows=frozen(np.array([row for row, _ in there], dtype=np.int32)),
            length=frozen(np.array([entries[3] for _, entries in there], dtype=np.int32)),
            starts=frozen(starts.astype(np.int64)),
            rank=frozen(rank),
            document=frozen(document),
            first=frozen(rank),
            last=frozen(rank),
            qrels=self.qrels.fingerprint,
            order=order,
            source=name,
            score=frozen(joined[2]),
        )


def _entries(order: Ints, values: Floats, places: Ints) -> tuple[Ints, Ints, Floats, int]:
    """Ranks, places in the qrels and scores of judged documents, and the length of the ranking."""
    judged = places[order] >= 0
    return np.flatnonzero(judged) + 1, places[order][judged], values[order][judged], len(order)
