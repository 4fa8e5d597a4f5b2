"""Which runs differ: runs on a line, those that do not differ joined by bars (Demsar, JMLR 7, 2006).

More runs than can be named around a line stand in rows, each with an interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration, OneOf, Positive, Seed, Share
from rankscale.data.arrays import Bools, Floats
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.critical_line import CriticalLine, interval_rows
from rankscale.figures.base.figure import Figure, Space, Spec, numbers
from rankscale.measures.base.measure import Measure
from rankscale.stats.compare import compare
from rankscale.stats.comparison import Comparison
from rankscale.stats.corrections import CORRECTIONS, WHOSE, critical_groups
from rankscale.stats.tests.base.test import complete

MOST_RUNS = 40  # that are drawn
ON_A_LINE = 25  # that can be named around one line; more stand in rows
ALIKE, DIFFERENT = "does not differ from the first", "differs from the first"
APART = 0.03  # of all positions, between two bars on one line
CLOSE = 1e-6  # of widths of intervals that are one width


@dataclass(frozen=True, repr=False)
class CriticalDifferenceFigure(Figure):
    """Runs by mean rank or mean, the best to the right.

    A bar joins runs that stand side by side none of which differ. The best half of the runs is named at the right, the
    others at the left. More than 25 runs stand in rows, each with an interval: where one difference is significant for
    all pairs, half of it to both sides, so that runs differ whose intervals do not meet; else from the first to the
    last run that it does not differ from. Of more than 40 runs the best are drawn; all were compared.
    """

    name: ClassVar[str] = "critical-difference"

    measure: str
    test: str  # in words
    alpha: float
    compared: str  # what runs stand at: mean rank or mean
    falling: bool  # whether low is good
    first: str  # what stands at the right: the best or, without a direction, the highest
    runs: Table  # run, position, side, line (of its name, from 0), low, high (ends of its interval), kind
    groups: Table  # first, last (runs), left, right (positions), line
    differing: int  # pairs of the runs drawn
    difference: float | None  # that is significant, where it is one for all pairs
    of_runs: int
    topics: int
    notices: tuple[Notice, ...] = ()

    @property
    def title(self) -> str:
        """The measure, and how many runs do not differ from the best."""
        (best, *_), others = self.runs.columns["run"], len(self.runs) - 1
        alike = [str(kind) for kind in self.runs.columns["kind"]].count(ALIKE) - 1
        if not self.differing:
            return f"{self.measure}: none of {self._drawn} differ"
        if not alike:
            return f"{self.measure}: {best} differs from all others"
        run, do = ("run", "does") if alike == 1 else ("runs", "do")
        of = f"all {others}" if alike == others else f"{alike} of {others}"
        return f"{self.measure}: {of} other {run} {do} not differ from {best}"

    @property
    def subtitle(self) -> str:
        """Which runs, what was compared, and how the drawing is read."""
        if not self.in_rows:
            read = "bars join groups in which no two differ"
        elif self.difference is None:
            read = "lines reach to the last runs that a run does not differ from"
        else:
            read = "runs differ if their intervals do not meet"
        return f"{self._drawn[0].upper()}{self._drawn[1:]} by {self.compared}; {read} ({self.test})"

    @property
    def _drawn(self) -> str:
        count = len(self.runs)
        return f"the {count} runs" if count == self.of_runs else f"the {self.first} {count} of {self.of_runs} runs"

    @property
    def in_rows(self) -> bool:
        """Whether runs stand in rows, being too many for a line."""
        return len(self.runs) > ON_A_LINE

    @property
    def description(self) -> str:
        """The ends, and the groups."""
        rows = list(self.runs)
        groups = [f"{row['first']} to {row['last']}" for row in self.groups]
        joined = f"Bars join {'; '.join(groups)}" if groups else "No bar joins any two of them"
        critical = "" if self.difference is None else f" The critical difference is {self.difference:.4f}."
        return (
            f"Critical-difference diagram of {self.measure} over {self.topics} topics, {self.test}, alpha "
            f"{self.alpha:g}: {self.compared} of {len(rows)} of {self.of_runs} runs, {self.first} {rows[0]['run']}, "
            f"{float(rows[0]['position'] or 0):.4f}, to {rows[-1]['run']}, {float(rows[-1]['position'] or 0):.4f}. "
            f"{joined}.{critical}"
        )

    def draw(self, space: Space) -> Spec:
        """The line above, bars under it, names below to both sides; rows where runs are too many for that."""
        if self.in_rows:
            return self._rows(space)
        title = f"{self.compared} of {self.measure} ({self.first} at the right)"
        line = CriticalLine(self.runs, self.groups, self.difference, self.falling, title)
        return line.plot(space)

    def _rows(self, space: Space) -> Spec:
        names = [str(name) for name in self.runs.columns["run"]]
        low, high = min(numbers(self.runs, "low")), max(numbers(self.runs, "high"))
        edge = 0.02 * (high - low)
        x = {
            "type": "quantitative",
            "title": f"{self.compared} of {self.measure} ({self.first} at the right)",
            "scale": {"domain": [low - edge, high + edge], "nice": False, "zero": False, "reverse": self.falling},
            "axis": {"grid": True, "tickCount": max(3, int(space.width / (9 * space.look.font_size)))},
        }
        kinds = list(dict.fromkeys(str(kind) for kind in self.runs.columns["kind"]))
        return interval_rows(names, kinds, x, names[0], space)


def critical_difference_figure(comparison: Comparison, best: int = MOST_RUNS) -> CriticalDifferenceFigure:
    """Draw which runs differ: bars join those that do not.

    Runs are on a line by mean rank or mean. The best is to the right. Runs stand at their mean ranks if that is what
    the test compares (Friedman's test with Tukey's HSD, which is Nemenyi's), else at their means. Two runs that do not
    differ while one between them does are not joined. More than 25 runs stand in rows: where one critical difference
    holds for all pairs, runs differ whose intervals do not meet; else lines reach to the last runs that a run does not
    differ from.

    Parameters
    ----------
    comparison : Comparison
        All pairs of runs under one test.
    best : int
        Draw at most the N best runs.

    Returns
    -------
    CriticalDifferenceFigure
        The diagram.

    Raises
    ------
    ParameterError
        If runs were compared with a baseline alone, or one of them has no finite mean.

    Command line
    ------------
        rankscale figure critical-difference qrels.txt runs/*.gz -o differences.svg
        rankscale figure critical-difference qrels.txt runs/*.gz -m nDCG@10 -o differences.pdf
        rankscale figure critical-difference qrels.txt runs/*.gz --test two-way --best 20 -o differences.svg
    """
    if comparison.baseline is not None:
        raise ParameterError(
            f"a bar joins runs that were compared with each other, not with {comparison.baseline} alone"
        )
    if not 2 <= best <= MOST_RUNS:
        raise ParameterError(f"between 2 and {MOST_RUNS} runs can be drawn, got {best}")
    ranks = comparison.test.compares == "mean rank"
    positions = _mean_ranks(comparison) if ranks else _means(comparison)
    if not np.isfinite(positions).all():
        lost = [run for run, at in zip(comparison.runs, positions.tolist(), strict=True) if not np.isfinite(at)]
        raise ParameterError(f"{comparison.measure} has no finite mean for {listed(lost)}: leave those runs out")
    falling = ranks or comparison.measure.low_is_good
    order = np.argsort(positions if falling else -positions, kind="stable")[:best]
    differ = np.zeros((len(comparison.runs),) * 2, dtype=bool)
    differ[comparison.pairs.first, comparison.pairs.second] = comparison.significant
    differ |= differ.T
    names = [comparison.runs[place] for place in order.tolist()]
    difference = _one_difference(comparison)
    low, high = _intervals(positions, differ, difference)
    among = differ[np.ix_(order, order)]
    intervals: dict[str, list[Cell]] = {"low": low[order].tolist(), "high": high[order].tolist()}
    kinds: dict[str, list[Cell]] = {"kind": [DIFFERENT if one else ALIKE for one in among[0].tolist()]}
    return CriticalDifferenceFigure(
        measure=str(comparison.measure),
        test=comparison.test.label
        + ("" if comparison.correction == "none" else f", {WHOSE[comparison.correction]} correction"),
        alpha=comparison.alpha,
        compared="mean rank" if ranks else "mean",
        falling=falling,
        first="highest" if comparison.measure.direction_note else "best",
        runs=Table({**_runs(names, positions[order]), **intervals, **kinds}),
        groups=_groups(names, positions[order], among),
        differing=int(among.sum()) // 2,
        difference=difference,
        of_runs=len(comparison.runs),
        topics=int(comparison.results.topics.max(initial=0)),
    )


def _means(comparison: Comparison) -> Floats:
    """Means over topics, geometric ones where the measure has those; also of measures whose topics are added up."""
    return mean_of_defined(comparison.values) if comparison.measure.summary == "sum" else comparison.means


def _mean_ranks(comparison: Comparison) -> Floats:
    """Of each run, 1 the best: within topics, or among all values if topics do not matter to the test."""
    from scipy.stats import rankdata

    kept = complete(comparison.values)
    signed = kept if comparison.measure.low_is_good else -kept
    ranks = rankdata(signed).reshape(kept.shape) if comparison.test.across_topics else rankdata(signed, axis=1)
    means: Floats = ranks.mean(axis=0)
    return means


def _intervals(positions: Floats, differ: Bools, difference: float | None) -> tuple[Floats, Floats]:
    """(run,) twice: half the critical difference to both sides, or the last runs that each does not differ from."""
    if difference is not None:
        return positions - difference / 2, positions + difference / 2
    alike = np.where(differ, np.nan, positions)  # (run, run): positions of those that the first does not differ from
    low: Floats = np.nanmin(alike, axis=1)
    high: Floats = np.nanmax(alike, axis=1)
    return low, high


def _runs(names: Sequence[str], positions: Floats) -> dict[str, list[Cell]]:
    """The best half to the right, so that leaders do not cross: the outermost run of each side has the first line."""
    right = (len(names) + 1) // 2
    lines = [*range(right), *range(len(names) - right - 1, -1, -1)]
    sides = ["right"] * right + ["left"] * (len(names) - right)
    return {"run": list(names), "position": positions.tolist(), "side": [*sides], "line": [*lines]}


def _groups(names: Sequence[str], positions: Floats, differ: Bools) -> Table:
    """Bars, each on the first line that has room for it."""
    groups = critical_groups(differ)
    gap = APART * abs(float(positions[-1] - positions[0]))
    ends: list[float] = []  # of each line, how far bars on it reach
    lines = []
    for group in groups:
        start, end = (abs(float(positions[run] - positions[0])) for run in (group[0], group[-1]))
        line = next((place for place, reached in enumerate(ends) if reached + gap < start), len(ends))
        ends[line : line + 1] = [end]
        lines.append(line)
    return Table(
        {
            "first": [names[group[0]] for group in groups],
            "last": [names[group[-1]] for group in groups],
            "left": [float(positions[group[0]]) for group in groups],
            "right": [float(positions[group[-1]]) for group in groups],
            "line": lines,
        }
    )


def _one_difference(comparison: Comparison) -> float | None:
    """The difference from which on two runs differ, for tests of all pairs with intervals of one width."""
    lower, upper = comparison.results.lower, comparison.results.upper
    if (
        not comparison.results.corrected
        or comparison.is_ratio  # one ratio for all pairs is no one distance between geometric means
        or lower is None
        or upper is None
        or abs(comparison.confidence - (1 - comparison.alpha)) > CLOSE
    ):
        return None
    widths = (upper - lower) / 2
    one = float(widths.mean())
    return one if np.isfinite(one) and np.ptp(widths) <= CLOSE * abs(one) else None


def critical_difference_of_runs(
    evaluated: Callable[[Sequence[Measure]], Evaluation],
    measures: Sequence[Measure],
    *,
    test: str = "friedman",
    correction: Annotated[str, OneOf(CORRECTIONS)] | None = None,
    alpha: Share = 0.05,
    samples: Positive | None = None,
    seed: Seed | None = None,
    best: Annotated[int, AtLeast(2, MOST_RUNS)] = MOST_RUNS,
) -> CriticalDifferenceFigure:
    """The diagram of runs that are still to be evaluated and compared.

    Parameters
    ----------
    measure : Measure
        Measure, such as AP, nDCG@10 or 'RBP(p=0.9)'.
    test : str
        Significance test, as in `rankscale compare`: friedman (mean ranks), student, 'signed rank', two-way ...
    correction : str, default holm; none for tests that correct by themselves
        Correction for multiple comparisons.
    alpha : float
        Significance level.
    samples : int, default 10000
        Resamples of tests by resampling.
    seed : int, default 0
        Random seed for resampling.
    """
    resampling = {name: value for name, value in (("samples", samples), ("seed", seed)) if value is not None}
    made = compare(evaluated(measures), test, correction, alpha=alpha, confidence=1 - alpha, **resampling)  # type: ignore[arg-type]
    return replace(critical_difference_figure(made, best), notices=made.notices)


COMMAND = Declaration(
    critical_difference_of_runs,
    python=critical_difference_figure,
    source="evaluation",
    measure="nDCG@10",
    flags={"test": "-t --test"},
    shared=("missing", "judging", "reading"),
)
