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
from rankscale.figures.base.figure import Figure, Space, Spec, number, numbers
from rankscale.figures.base.labels import label_axis, short_labels, with_labels
from rankscale.figures.base.vega import by_kind, calculated, digits, layer, mark_spec, nominal, plot
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
BAR, NAME = 0.6, 1.3  # from one bar to the next, and from one name to the next, in heights of type
GAP = 0.9  # between the line and the bars, and between these and the names
ROW = 1.15  # heights of type from one run to the next
NAMES = 0.36  # of the width, for names


@dataclass(frozen=True, repr=False)
class CriticalDifferenceFigure(Figure):
    """Runs by mean rank or mean, the best to the right.

    A bar joins runs that stand side by side none of which differ. The best half of the runs is named at the right, the
    others at the left. More than 25 runs stand in rows, each with an interval: where one difference is significant for
    all pairs, half of it to both sides, so that runs differ whose intervals do not meet; else from the first to the
    last run that it does not differ from. Of more than 40 runs the best are drawn; all were compared.
    """

    name: ClassVar[str] = "critical-difference"

    comparison: Comparison
    compared: str  # what runs stand at: mean rank or mean
    falling: bool  # whether low is good
    runs: Table  # run, position, side, line (of its name, from 0), low, high (ends of its interval), kind
    groups: Table  # first, last (runs), left, right (positions), line
    differing: int  # pairs of the runs drawn
    difference: float | None  # that is significant, where it is one for all pairs
    notices: tuple[Notice, ...] = ()

    @property
    def title(self) -> str:
        """The measure, and how many runs do not differ from the best."""
        measure = self.comparison.measure
        (best, *_), others = self.runs.columns["run"], len(self.runs) - 1
        alike = [str(kind) for kind in self.runs.columns["kind"]].count(ALIKE) - 1
        if not self.differing:
            return f"{measure}: none of {self._drawn} differ"
        if not alike:
            return f"{measure}: {best} differs from all others"
        run, do = ("run", "does") if alike == 1 else ("runs", "do")
        of = f"all {others}" if alike == others else f"{alike} of {others}"
        return f"{measure}: {of} other {run} {do} not differ from {best}"

    @property
    def subtitle(self) -> str:
        """Which runs, what was compared, and how the drawing is read."""
        if not self.in_rows:
            read = "bars join groups in which no two differ"
        elif self.difference is None:
            read = "lines reach to the last runs that a run does not differ from"
        else:
            read = "runs differ if their intervals do not meet"
        return f"{self._drawn[0].upper()}{self._drawn[1:]} by {self.compared}; {read} ({self._test})"

    @property
    def _drawn(self) -> str:
        count, of_runs = len(self.runs), len(self.comparison.runs)
        return f"the {count} runs" if count == of_runs else f"the {self._first} {count} of {of_runs} runs"

    @property
    def _first(self) -> str:
        """What stands at the right."""
        return "highest" if self.comparison.measure.direction_note else "best"

    @property
    def _test(self) -> str:
        label, correction = self.comparison.test.label, self.comparison.correction
        return label if correction == "none" else f"{label}, {WHOSE[correction]} correction"

    @property
    def in_rows(self) -> bool:
        """Whether runs stand in rows, being too many for a line."""
        return len(self.runs) > ON_A_LINE

    @property
    def description(self) -> str:
        """The ends, and the groups."""
        rows, of = list(self.runs), self.comparison
        topics = of.results.topics.max(initial=0)
        first, last = (f"{row['run']}, {number(row['position']):.4f}" for row in (rows[0], rows[-1]))
        groups = [f"{row['first']} to {row['last']}" for row in self.groups]
        joined = f"Bars join {'; '.join(groups)}" if groups else "No bar joins any two of them"
        critical = "" if self.difference is None else f" The critical difference is {self.difference:.4f}."
        return (
            f"Critical-difference diagram of {of.measure} over {topics} topics, {self._test}, "
            f"alpha {of.alpha:g}: {self.compared} of {len(rows)} of {len(of.runs)} runs, {self._first} {first}, to "
            f"{last}. {joined}.{critical}"
        )

    def draw(self, space: Space) -> Spec:
        """The line above, bars under it, names below to both sides; rows where runs are too many for that."""
        title = f"{self.compared} of {self.comparison.measure} ({self._first} at the right)"
        return self._rows(title, space) if self.in_rows else _Line(self, space).plot(title)

    def _rows(self, title: str, space: Space) -> Spec:
        """A row for each run, with its interval; that of the first is shaded down the plot, to be compared with."""
        look, size = space.look, space.look.font_size
        names = [str(name) for name in self.runs.columns["run"]]
        low, high = min(numbers(self.runs, "low")), max(numbers(self.runs, "high"))
        edge = 0.02 * (high - low)
        x = {
            "type": "quantitative",
            "title": title,
            "scale": {
                "domain": [low - edge, high + edge],
                "nice": False,
                "zero": False,
                "reverse": self.falling,
            },
            "axis": {"grid": True, "tickCount": max(3, int(space.width / (9 * size)))},
        }
        kinds = list(dict.fromkeys(self.runs.columns["kind"]))
        height = space.height if space.look.height else round(ROW * size * len(names))
        taken = (14 if look.title else 8) * size if look.height else 0  # of a height requested, by title, axis and key
        letters = max(1.0, min(size, 0.85 * (height - taken) / len(names)))
        labels = short_labels(names, NAMES * space.width / letters)
        axis = {"domain": False, "ticks": False, "labelOverlap": False, "labelFontSize": letters, **label_axis(labels)}
        legend: dict[str, object] = {"orient": "bottom", "title": None, "direction": "horizontal", "labelLimit": 0}
        legend |= {"symbolOpacity": 1, "columns": 2 if space.width > 45 * size else 1, "symbolSize": 4 * size}
        styles = by_kind("kind", kinds, legend, color=[look.colours[0], look.grey], shape=["circle", "diamond"])
        tooltip = ["run", *digits("position", "low", "high"), "kind"]
        band = mark_spec("rect", color=look.colours[0], opacity=0.12, aria=False)
        line = mark_spec("rule", strokeWidth=0.12 * size, aria=False)
        dot = mark_spec("point", filled=True, size=3 * size, opacity=1)
        first = [{"filter": {"field": "run", "equal": names[0]}}]
        start = {**x, "field": "low"}
        layers = [
            layer(band, None, first, x=start, x2="high", y=None),
            layer(line, x=start, x2="high", color=styles["color"], tooltip=tooltip),
            layer(dot, x={**x, "field": "position"}, **styles, tooltip=tooltip),
        ]
        y = nominal("run", title=None, scale={"domain": list(names), "padding": 0.2}, axis=axis)
        return plot(layers, space.width, height, "runs", y=y)


class _Line:
    """The line of a diagram in a space, with bars and names under it.

    Heights are in points under the line; closer together where less height is requested.
    """

    def __init__(self, figure: CriticalDifferenceFigure, space: Space) -> None:
        self.figure, self.space = figure, space
        size = space.look.font_size
        bars = 1 + max((int(line or 0) for line in figure.groups.columns["line"]), default=-1)
        names = 1 + max(int(line or 0) for line in figure.runs.columns["line"])
        under = 0 if figure.difference is None else 2.8 * size
        wanted = size * (GAP + BAR * bars + GAP + NAME * (names - 1) + 0.7) + under
        taken = (11 if space.look.title else 6) * size  # by title and axis, of a height that is requested
        available = space.height - taken if space.look.height else wanted
        shrink = min(1.0, available / wanted)
        self.height = round(wanted * shrink, 1)
        self.type_size = round(size * min(1.0, shrink * NAME / 1.2), 2)
        self.bars, self.bar = round(GAP * size * shrink, 2), round(BAR * size * shrink, 2)
        self.names = round(self.bars + self.bar * bars + GAP * size * shrink - 0.4 * self.bar, 2)
        self.name = round(NAME * size * shrink, 2)
        self.critical = round(self.height - 2 * size * shrink, 2)
        places = numbers(figure.runs, "position")
        low, high = min(places), max(places)
        # A little beyond the outermost runs, and wide enough for the critical difference.
        beyond = 0.04 * (high - low) or 0.05 * abs(high) or 0.5
        missing = max(0.0, (figure.difference or 0) * 1.2 - (high - low + 2 * beyond)) / 2
        self.ends = low - beyond - missing, high + beyond + missing
        domain: Spec = {"domain": [self.height, 0], "nice": False, "zero": False}
        self.y: Spec = {"type": "quantitative", "scale": domain, "axis": None}

    def plot(self, title: str) -> Spec:
        """The line above, bars under it, names below to both sides."""
        size, space = self.space.look.font_size, self.space
        ticks = max(3, int(space.width / (9 * size)))
        x = {
            "type": "quantitative",
            "scale": {"domain": list(self.ends), "nice": False, "reverse": self.figure.falling},
            "axis": {"orient": "top", "grid": False, "tickCount": ticks, "title": title},
        }
        layers = [*self._leaders(x), self._bars(x), *self._critical(x)]
        return plot(layers, space.width, space.height if space.look.height else self.height, "runs")

    def _leaders(self, x: Spec) -> list[Spec]:
        """From each run straight down, then aside to its name."""
        look, size, falling = self.space.look, self.space.look.font_size, self.figure.falling
        position, top, at = {**x, "field": "position"}, {**self.y, "field": "top"}, {**self.y, "field": "y"}
        low, high = self.ends
        line = calculated(y=f"{self.names} + {self.name} * datum.line", top="0")
        rule = mark_spec("rule", color=look.grey, strokeWidth=0.7, aria=False)
        dot = mark_spec("point", filled=True, size=2.5 * size, opacity=1, color=look.ink, aria=False)
        layers = [layer(rule, None, line, x=position, y=top, y2="y")]
        tooltip = ["run", *digits("position")]
        # Names have so much of the width on each side; what is longer is cut so that it still differs from others.
        room = min(22 * size, 0.27 * self.space.width) / self.type_size
        labels = with_labels("run", short_labels([str(name) for name in self.figure.runs.columns["run"]], room))
        for side, edge, sign in (
            ("left", high if falling else low, -1),
            ("right", low if falling else high, 1),
        ):
            on_side = [{"filter": {"field": "side", "equal": side}}, *line, *calculated(edge=f"{edge!r}"), *labels]
            text = mark_spec(
                "text",
                align="left" if side == "right" else "right",
                baseline="middle",
                dx=sign * 0.4 * size,
                fontSize=self.type_size,
                color=look.ink,
                aria=False,
            )
            layers += [
                layer(rule, None, on_side, y=at, x=position, x2="edge"),
                layer(text, None, on_side, y=at, x={**x, "field": "edge"}, text="label", tooltip=tooltip),
            ]
        return [*layers, layer(dot, None, line, x=position, y=top, tooltip=tooltip)]

    def _bars(self, x: Spec) -> Spec:
        line = calculated(y=f"{self.bars} + {self.bar} * datum.line")
        size, ink = self.space.look.font_size, self.space.look.ink
        thick = mark_spec("rule", strokeWidth=0.36 * size, color=ink, strokeCap="round", aria=False)
        left, at = {**x, "field": "left"}, {**self.y, "field": "y"}
        return layer(thick, "groups", line, x=left, x2="right", y=at, tooltip=["first", "last"])

    def _critical(self, x: Spec) -> list[Spec]:
        """How far apart two runs must stand to differ, as a length under the names."""
        difference, look = self.figure.difference, self.space.look
        if difference is None:
            return []
        (low, high), size, colour = self.ends, look.font_size, look.early
        start = (low + high - difference) / 2
        values = [{"from": start, "to": start + difference, "is": f"critical difference {difference:.3g}"}]
        rule = mark_spec("rule", color=colour, strokeWidth=1.4, aria=False)
        tick = mark_spec("tick", orient="vertical", color=colour, size=0.7 * size, aria=False)
        text = mark_spec("text", baseline="top", dy=0.5 * size, color=look.ink, aria=False)
        layers = [
            layer(rule, x={**x, "field": "from"}, x2="to"),
            *(layer(tick, x={**x, "field": end}) for end in ("from", "to")),
            layer(text, x={**x, "datum": (low + high) / 2}, text="is"),
        ]
        return [{"data": {"values": values}, "encoding": {"y": {**self.y, "datum": self.critical}}, "layer": layers}]


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
    kinds = [DIFFERENT if one else ALIKE for one in among[0].tolist()]
    intervals = {"low": low[order].tolist(), "high": high[order].tolist(), "kind": kinds}
    return CriticalDifferenceFigure(
        comparison=comparison,
        compared="mean rank" if ranks else "mean",
        falling=falling,
        runs=Table({**_runs(names, positions[order]), **intervals}),
        groups=_groups(names, positions[order], among),
        differing=int(among.sum()) // 2,
        difference=difference,
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
    return np.nanmin(alike, axis=1), np.nanmax(alike, axis=1)


def _runs(names: Sequence[str], positions: Floats) -> dict[str, list[Cell]]:
    """The best half to the right, so that leaders do not cross: the outermost run of each side has the first line."""
    right = (len(names) + 1) // 2
    left = len(names) - right
    lines = [*range(right), *reversed(range(left))]
    sides = ["right"] * right + ["left"] * left
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
