"""Values of runs without the judgments that only they contributed.

Assessors judged what the runs of their time retrieved. A run of a later day brought nothing to that pool; how it would
fare is seen by taking out, for one pooled run at a time, the judgments of documents that only this run brought, and
measuring the runs again (Zobel, SIGIR 1998). Runs of one group resemble each other, so that groups are better left out
whole (Voorhees and Harman, TREC-8).
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np

from rankscale.data.arguments import Declaration, Positive, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, NDArray, frozen
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.data.run import Run
from rankscale.data.table import Table
from rankscale.errors import FormatError, ParameterError
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.content import content
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.pooling import brought_by, chosen_runs, in_some, only_one
from rankscale.studies.support.selection import Rejudging, compared, over_iterations, rejudging_request
from rankscale.studies.support.study import Study, in_turn, table_of_arrays


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOut(Study):
    """Result of `leave_out`, for the runs whose group contributed judgments to the pool.

    Attributes
    ----------
    evaluation : Evaluation
        Values of all runs with all judgments.
    pool_depth : int
        Depth of the pool.
    by_group : bool
        Whether groups of runs are left out, rather than single runs.
    pooled : tuple of str
        Names of the pooled runs.
    rel : float
        Lowest relevant grade.
    runs : tuple of str
        Names of the runs measured again.
    groups : tuple of str
        (run,): the group left out for each.
    lost : array of int
        (run,): judgments that only its group contributed.
    lost_relevant : array of int
        (run,): those of relevant documents among them.
    with_all : array of float
        (measure, run): means with all judgments.
    without : array of float
        (measure, run): means without the judgments of its group.
    place : array of float
        (measure, run): place among all runs, from 1; NaN if the measure has no direction.
    place_without : array of float
        (measure, run): place where all runs are judged without these judgments.
    tau : array of float
        (measure,): Kendall's tau-b between means with all judgments and without those of each run's group, over all
        runs.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    pool_depth: int
    by_group: bool
    pooled: tuple[str, ...]
    rel: float
    runs: tuple[str, ...]
    groups: tuple[str, ...]
    lost: Ints
    lost_relevant: Ints
    with_all: Floats
    without: Floats
    place: Floats
    place_without: Floats
    tau: Floats
    notices: tuple[Notice, ...]

    @property
    def difference(self) -> Floats:
        """(measure, run): by how much the value is higher without what the run's group brought."""
        return self.without - self.with_all

    def tables(self) -> Mapping[str, Table]:
        """Each run, and all of them in short."""
        return {"runs": self._of_runs(), "summary": self._summary()}

    def shown(self) -> tuple[str, ...]:
        """Names of both tables."""
        return tuple(self.tables())

    def _of_runs(self) -> Table:
        """One row for each measure and run."""
        group = {"group": self.groups} if self.by_group else {}
        lost = {"lost": self.lost.tolist(), "lost_relevant": self.lost_relevant.tolist()}
        values = {"with": self.with_all, "without": self.without, "difference": self.difference}
        places = {"place": _whole(self.place), "place_without": _whole(self.place_without)}
        measures = {"measure": tuple(map(str, self.evaluation.measures))}
        return table_of_arrays([measures, {"run": self.runs, **group, **lost}], {**values, **places})

    def _summary(self) -> Table:
        """For each measure means over runs, the largest, and tau."""
        size = np.abs(self.difference)
        with np.errstate(divide="ignore", invalid="ignore"):
            percent = np.where(self.with_all == 0, np.nan, 100 * size / np.abs(self.with_all))
        moved = np.abs(self.place_without - self.place)
        worst = [None if np.isnan(row).all() else self.runs[int(np.nanargmax(row))] for row in size]
        return Table(
            {
                "measure": [str(measure) for measure in self.evaluation.measures],
                "runs": [len(self.runs)] * len(size),
                "mean_difference": over_iterations(self.difference)[0].tolist(),
                "mean_size": over_iterations(size)[0].tolist(),
                "percent": over_iterations(percent)[0].tolist(),
                "largest": np.fmax.reduce(size, axis=-1).tolist(),
                "of_run": worst,
                "places_moved": over_iterations(moved)[0].tolist(),
                "most": _whole(np.fmax.reduce(moved, axis=-1)).tolist(),
                "tau": self.tau.tolist(),
            }
        )

    @property
    def settings(self) -> Mapping[str, object]:
        """The pool and what was left out of it."""
        return {
            "study": "leave-out",
            "pool-depth": self.pool_depth,
            "leaving": "groups" if self.by_group else "runs",
            "groups": self.groups if self.by_group else None,
            "pooled": self.pooled,
            "rel": f"{self.rel:g}",
        }

    def sentence(self) -> str:
        """How to read the tables."""
        brought = "only its group" if self.by_group else "only it"
        every = len(self.evaluation.runs)
        return (
            f"Each of {len(self.runs)} runs is measured with all judgments, and without those that {brought} brought "
            f"to the pool of {len(self.pooled)} runs at depth {self.pool_depth}; places are among {every} runs, all "
            "judged without them. Tau-b is between the values of runs with all "
            "judgments and their values without, each of its own; it can be 1 although a run changes its place."
        )


def leave_out(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = "AP",
    *,
    pool_depth: Positive = 100,
    groups: Mapping[str, str] | str | os.PathLike[str] | None = None,
    pooled: Iterable[str] | None = None,
    rel: float = 1,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> LeaveOut:
    """Measure runs without judgments that only they contributed.

    The judgments of documents that only this run, or only its group, brought to the pool are taken out, and the runs
    measured again: the values with and without, the difference, and the run's place before and after. Small differences
    say that the judgments are fair to new runs.

    Parameters
    ----------
    qrels, runs, measures, missing, progress, **options
        As in `evaluate`: judged_only, depth, grades, negative, order, max_size, threads, executor; not missing='skip'.
    pool_depth : int
        Depth of the pool that was judged.
    groups : path or mapping, default single runs
        File with `run group` on each line: leave out groups of runs.
    pooled : sequence of str, default all runs
        Names of the runs whose documents were pooled.
    rel : float
        Lowest relevant grade.

    Returns
    -------
    LeaveOut
        Values and places of each run with and without its own judgments.

    Raises
    ------
    ParameterError
        If `pool_depth` or `rel` is out of range, or `groups` lacks a run.

    Notes
    -----
    `groups` is a mapping from run to group, or a file.

    Examples
    --------
    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> result = leave_out(qrels, {"x": {"301": {"a": 2, "b": 1}}, "y": {"301": {"b": 2, "c": 1}}}, pool_depth=2)
    >>> print(result.table("runs").columns["with"], result.table("runs").columns["without"])
    [0.5, 0.25] [0.0, 0.0]

    Command line
    ------------
        rankscale leave-out qrels.txt runs/*.gz
        rankscale leave-out qrels.txt runs/*.gz -m AP -m P@10 --pool-depth 50 --table summary
        rankscale leave-out qrels.txt runs/*.gz -m AP --pool-depth 20 -o runs.tsv
    """
    check_arguments(leave_out, locals())
    ready = rejudging_request(qrels, runs, measures, top=None, missing=missing, **options)  # places are among all runs
    judging, every = ready.judging, ready.every
    names = [run.name for run in every]
    group_of = _groups(groups, names)
    in_pool = chosen_runs(every, pooled)
    left = _brought_by_groups(in_pool, judging, pool_depth, group_of)
    full = ready.values.means()
    work = partial(_without, judging)
    means, topics = zip(*in_turn(work, list(left.values()), options.get("executor"), progress), strict=True)
    without = dict(zip(left, means, strict=True))  # by group, (measure, run)
    again = [place for place, name in enumerate(names) if group_of[name] in left]
    groups_again = tuple(group_of[names[run]] for run in again)
    own = full.copy()
    own[:, again] = np.stack([without[group_of[names[run]]][:, run] for run in again], axis=1)
    low = np.array([measure.low_is_good for measure in judging.measures])
    directed = np.array([not measure.direction_note for measure in judging.measures])

    def places(means: Floats) -> Floats:
        return np.where(directed[:, None], _places(compared(means, judging.measures), low), np.nan)

    lost = np.stack([left[group] for group in groups_again])
    return LeaveOut(
        evaluation=ready.evaluation,
        pool_depth=pool_depth,
        by_group=groups is not None,
        pooled=tuple(run.name for run in in_pool),
        rel=rel,
        runs=tuple(names[run] for run in again),
        groups=groups_again,
        lost=frozen(np.count_nonzero(lost & judging.qrels.is_judged, axis=-1)),
        lost_relevant=frozen(np.count_nonzero(lost & judging.qrels.is_relevant(rel), axis=-1)),
        with_all=frozen(full[:, again]),
        without=frozen(own[:, again]),
        place=frozen(places(full)[:, again]),
        place_without=frozen(np.stack([places(without[group_of[names[run]]])[:, run] for run in again], axis=1)),
        tau=frozen(tau_b(compared(full, judging.measures), compared(own, judging.measures))),
        notices=(*ready.notices, *notes(_warnings(judging.measures, ready.values.topics - np.array(topics)))),
    )


def _without(judging: Rejudging, left_out: Bools) -> tuple[Floats, Ints]:
    """Without some judgments, (measure, run) means of all runs, and (measure,) the topics that they are over."""
    values = judging.values(~left_out)
    return values.means(), values.topics


def _warnings(measures: Sequence[Measure], lacking: Ints) -> Iterator[str]:
    """Warnings about topics, counted (group, measure), on which a measure became undefined."""
    for measure, by_group in zip(measures, lacking.T, strict=True):
        if by_group.any():
            number = f"{by_group.max()} topic{'s' * bool(by_group.max() > 1)}"
            yield f"{measure} becomes undefined on up to {number} without some judgments; values without leave them out"


def _brought_by_groups(
    pooled: Sequence[Run], judging: Rejudging, depth: int, group_of: Mapping[str, str]
) -> dict[str, Bools]:
    """For each group of the pool, (judgment,): which ones it alone brought."""
    brought = brought_by(judging.qrels, pooled, depth)
    names = list(dict.fromkeys(group_of[run.name] for run in pooled))
    of_group = np.array([names.index(group_of[run.name]) for run in pooled])
    by_group = np.stack([in_some(brought[of_group == group]) for group in range(len(names))])
    return dict(zip(names, only_one(by_group), strict=True))


def _places(means: Floats, low_is_good: Bools) -> Floats:
    """(measure, run): 1 and the number of runs that are better; NaN for a run without a mean."""
    goodness = means * np.where(low_is_good, -1.0, 1.0)[:, None]
    better = np.count_nonzero(goodness[:, None, :] > goodness[:, :, None], axis=-1)
    return np.where(np.isnan(means), np.nan, 1.0 + better)


def _groups(groups: Mapping[str, str] | str | os.PathLike[str] | None, names: Sequence[str]) -> Mapping[str, str]:
    """The group of each run: by itself where no groups are given."""
    if groups is None:
        return {name: name for name in names}
    known = groups if isinstance(groups, Mapping) else read_groups(groups)
    lacking = [name for name in names if name not in known]
    if lacking:
        raise ParameterError(
            f"{len(lacking)} of {len(names)} runs have no group ({listed(lacking)}); name one for each"
        )
    return known


def read_groups(path: str | os.PathLike[str]) -> dict[str, str]:
    """Which group made each run: `run group` on each line."""
    where, plain, _ = content(path)
    return dict(_run_and_group(where, plain.decode("utf-8", "surrogateescape").split("\n")))


def _run_and_group(path: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    seen: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 2:
            raise FormatError(f"{path}, line {number}: expected: run group\n    {line.strip()[:200]}")
        run, group = columns
        if seen.setdefault(run, group) != group:
            raise FormatError(f"{path}, line {number}: run {run} is of group {seen[run]} and of {group}; name one")
        yield run, group


def _whole(numbers: Floats) -> NDArray[np.object_]:
    """Whole numbers, None where they are undefined."""
    whole, defined = np.full(numbers.shape, None), ~np.isnan(numbers)
    whole[defined] = numbers[defined].astype(np.int64)
    return whole


COMMAND = Declaration(
    leave_out,
    source="runs",
    measures=("AP",),
    shared=("missing", "grading", "reading", "executing"),
    tables=("runs", "summary"),
)
