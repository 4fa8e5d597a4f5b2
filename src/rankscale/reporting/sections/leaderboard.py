"""The runs in order, as a picture: means with intervals, differences from the best, judged shares, values by topic.

Folded below are the means of all measures, with bounds, medians, the interval version, and counts of wins. The small
drawings within cells are mostly SVG. They hold numbers alone, no text of a file, and stretch to the width of their
cell: lines keep their thickness, and dots are lines without a length and with round ends, so that they stay round.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscale.answers.standing import Standing
from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.names import counted
from rankscale.data.table import readable
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.reporting import parts
from rankscale.reporting.results import Results
from rankscale.stats.tests.base.test import p_text

BRACKETS = (
    "Brackets hold the value if every unjudged document were not relevant, and if each were of the best grade, where "
    "the two differ; where documents below the depth matter to a measure (RR, ERR, RBP), they allow for those, too."
)
BOUNDS = "in brackets: bounds from unjudged documents and, for some measures, from documents below the depth"
MEDIANS = (
    "Below the mean of an ordinal measure is its lower median, which needs only the order of values; the upper one and "
    "the sign-test interval show when the pointer rests on it."
)
FOLDED = "All measures: means, bounds, medians, and how many runs each run beats"
WIDTH, HEIGHT = 200, 20
MARGIN = 6  # room for half a dot
MOST_STEPS = 40  # of a line over topics
NEARLY = 1e-9  # of a step: ticks at the ends of an axis belong to it
NARROWEST = 1e-300  # axis that has ticks


def leaderboard(results: Results) -> parts.ReportSection:
    """One row for each run, the best by the main measure first; below, folded, the means of all measures."""
    runs, of_main = results.comparison.runs, results.evaluation[results.main]
    shares = of_main.with_confidence(shown="both").sureness if of_main.summary == "mean" else {}
    sure = {name: values[0] for name, values in shares.items()}  # (run,) each: intervals over draws of topics
    filled = [
        _places(results, sure),
        (parts.text_column("run"), [replace(parts.name(run), run=readable(run)) for run in runs]),
        *_means(results, sure),
        _differences(results, results.standing),
        *_judged(results),
        _by_topic(results),
    ]
    caption = f"{len(runs)} runs by {results.main.summed_up} {results.main}"
    content = [
        parts.Filter("find-run", "Find a run", "runs"),
        parts.filled_table("runs", caption, filled),
        parts.Paragraph(_reading(results, sure)),
        all_measures(results),
    ]
    return parts.ReportSection("leaderboard", "Leaderboard", content)


def _reading(results: Results, sure: dict[str, Floats]) -> str:
    """How the picture is read."""
    where = results.standing
    dots = "Dots are means with 95% intervals over draws of topics, places with the places that 95% of these draws give"
    whom = f"the baseline {readable(where.reference)}" if where.is_baseline else "the best run"
    ends = f", with the {where.words}" if np.isfinite(where.lower).any() else ""
    return (
        f"{dots + '. ' if sure else ''}The difference is that to {whom}{ends}; a hollow dot is a run that "
        f"{results.comparison.test.label} cannot tell apart from it. A name chooses the run for the comparison below."
    )


def _places(results: Results, sure: dict[str, Floats]) -> parts.Filled:
    """Places, equal ones for equal means, with the places over draws of topics."""
    means = results.comparison.means.tolist()
    places = [means.index(mean) + 1 if mean == mean else row + 1 for row, mean in enumerate(means)]  # noqa: PLR0124
    cells = [parts.PageCell(str(place), place, style="number") for place in places]
    if "place_lower" in sure:
        names = ("place_lower", "place_upper", "place_expected", "share_first")
        draws = zip(*(sure[name][results.order].tolist() for name in names), strict=True)
        for row, (low, high, expected, first) in enumerate(draws):
            if low != high and not math.isnan(low):
                about = f"expected place {expected:.2f}, first in {first:.1%} of draws of topics"
                cells[row] = replace(cells[row], note=f"{low:g}\N{EN DASH}{high:g}", tooltip=about)
    column = parts.PageColumn("place", "with the places in 95% of 1,000 draws of topics", sorted="ascending")
    return column, cells


def _means(results: Results, sure: dict[str, Floats]) -> list[parts.Filled]:
    """The mean of the main measure as a dot with its interval, then as a number."""
    means = results.comparison.means.tolist()
    none = np.full(len(means), np.nan)
    low, high = (sure.get(name, none)[results.order].tolist() for name in ("mean_lower", "mean_upper"))
    axis = Axis.over(means, low, high)
    about = f"{results.main.summed_up} over topics"
    sense = results.main.direction_note or ("low is good" if results.main.low_is_good else "high is good")
    dots = []
    for mean, start, end in zip(means, low, high, strict=True):
        ends = "" if math.isnan(start) else f"95% interval {start:.{parts.PLACES}f} to {end:.{parts.PLACES}f}"
        picture = interval_picture(axis, mean, start, end)
        dots.append(parts.PageCell("", _key(mean), ends, "picture", picture=picture))
    best = results.evaluation[results.main].best_means()[0]
    numbers = [parts.number(mean, best=bool(mean == best)) for mean in means]
    head = parts.PageColumn(str(results.main), f"{about}; {sense}", picture=axis_picture(axis), style="picture")
    return [(head, dots), (parts.PageColumn(results.main.summed_up, f"{about} of {results.main}; {sense}"), numbers)]


def _key(value: float) -> float | str:
    """A sort key: undefined values come last."""
    return "" if math.isnan(value) else value


def _differences(results: Results, where: Standing) -> parts.Filled:
    """The difference to the best run, or to the baseline: a dot with its interval, and the number; or the ratio."""
    about = results.comparison
    sign = "" if about.is_ratio else "+"
    axis = Axis.over([about.no_gap], where.difference.tolist(), where.lower.tolist(), where.upper.tolist())
    cells, to = [], readable(where.reference)
    for place, run in enumerate(about.runs):
        value, low, high = (float(of[place]) for of in (where.difference, where.lower, where.upper))
        text, tooltip, drawn = "-", "", ""
        if run == where.reference:
            text, value = "baseline" if where.is_baseline else "best", about.no_gap
        elif not math.isnan(value):
            apart = bool(where.apart[place])
            verdict = "told apart" if apart else "not told apart" if where.tested[place] else "not tested"
            ends = f" [{low:{sign}.3f}, {high:{sign}.3f}]" if math.isfinite(low) and math.isfinite(high) else ""
            p = "" if math.isnan(where.p[place]) else f", {p_text(where.p[place], about.alpha, about.family)}"
            text, tooltip = f"{value:{sign}.3f}{ends}", f"{verdict} from {to}{p}"
            drawn = interval_picture(axis, value, low, high, zero=about.no_gap, apart=apart)
        cells.append(parts.PageCell(text, _key(value), tooltip, "picture difference", picture=drawn))
    head = f"{about.gap} to {to if where.is_baseline else 'the best'}"
    tooltip = f"in what {about.test.label} compares, with the {where.words}; hollow dots: not told apart"
    return parts.PageColumn(head, tooltip, picture=axis_picture(axis), style="picture"), cells


def _judged(results: Results) -> list[parts.Filled]:
    """Shares of judged documents, where there are rankings."""
    if not results.has_rankings:
        return []
    (share,) = results.judged.measures
    topics = counted(len(results.judged.topics), "topic")
    column = parts.PageColumn(str(share), f"share of the first ten documents that are judged, mean over {topics}")
    cells = []
    for rate in results.judged.of_runs(results.comparison.runs).means().values[0].tolist():
        shown = "-" if math.isnan(rate) else f"{rate:.1%}"
        cells.append(parts.PageCell(shown, _key(rate), style="number", picture=share_picture(rate)))
    return [(column, cells)]


def _by_topic(results: Results) -> parts.Filled:
    """A line over the topics, the same order for all runs: from the best topic by the mean over runs to the worst."""
    values = results.values(results.main)[results.order]  # the best run first
    means: Floats = mean_of_defined(values)
    order = np.argsort(means if results.main.low_is_good else -means, kind="stable")
    axis = Axis.over([0.0], values.ravel().tolist())
    about = "values by topic, from the easiest topic over all runs to the hardest"
    column = parts.PageColumn("by topic", about, style="picture")
    cells = []
    for of_run in values:
        known = of_run[np.isfinite(of_run)]
        spread = float(known.std()) if len(known) else ""
        cells.append(parts.PageCell("", spread, style="picture line", picture=line_picture(of_run[order], axis)))
    return column, cells


def all_measures(results: Results) -> parts.PageTable:
    """The folded table of means, one row for each run, and how it is read."""
    filled = [
        (parts.text_column("run"), [parts.name(run) for run in results.comparison.runs]),
        *(_bounded_means(results, results.evaluation, measure) for measure in results.measures),
        *_interval(results),
        *_wins(results),
    ]
    bounded = any("[" in cell.note for _, cells in filled for cell in cells)
    ordinal = any(_is_ordinal(results, measure) for measure in results.measures)
    explained = [*[BRACKETS] * bounded, *[MEDIANS] * ordinal]
    caption = " ".join([f"{len(results.comparison.runs)} runs by all measures.", *explained])
    return parts.filled_table("all-measures", caption, filled, FOLDED)


def _bounded_means(results: Results, evaluation: Evaluation, measure: Measure) -> parts.Filled:
    """Means of a measure, with their bounds where the measure has them, and medians where it is ordinal."""
    sense = measure.direction_note or ("low is good" if measure.low_is_good else "high is good")
    way = "ascending" if measure.low_is_good else "descending"
    first = way if measure == results.main else None
    of_measure = evaluation[measure]
    (means,), (best,) = of_measure.means().values, of_measure.best_means()
    cells = [parts.number(float(mean), best=bool(mean == best)) for mean in means]
    bounds = of_measure.extra_means()
    if "lower" in bounds and "upper" in bounds:
        ends = zip(bounds["lower"][0], bounds["upper"][0], strict=True)
        cells = [
            replace(cell, note=f"[{low:.4f}, {high:.4f}]", tooltip=BOUNDS) if f"{low:.4f}" != f"{high:.4f}" else cell
            for cell, (low, high) in zip(cells, ends, strict=True)
        ]
    if _is_ordinal(results, measure):
        for row, (note, tooltip) in enumerate(_medians(of_measure)):
            notes, tooltips = filter(None, (cells[row].note, note)), filter(None, (cells[row].tooltip, tooltip))
            cells[row] = replace(cells[row], note="\n".join(notes), tooltip="; ".join(tooltips))
    column = parts.PageColumn(str(measure), f"{measure.summed_up} over topics; {sense}", sorted=first)
    return column, [cells[row] for row in results.order]


def _is_ordinal(results: Results, measure: Measure) -> bool:
    return measure.scale_type(results.comparison.levels) == "ordinal"


def _medians(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """The lower median of each run by one measure; then both medians and the sign-test interval."""
    medians = evaluation.medians()
    numbers = (medians.lower, medians.upper, medians.interval_lower, medians.interval_upper, medians.coverage)
    for lower, upper, low, high, coverage in zip(*(row[0].tolist() for row in numbers), strict=True):
        ends = f"{lower:.4f} to {upper:.4f}" if upper != lower else f"{lower:.4f}"
        interval = f", sign-test interval {low:.4f} to {high:.4f} (coverage {coverage:.4f})" if low == low else ""  # noqa: PLR0124
        yield ("", "") if np.isnan(lower) else (f"median {lower:.4f}", f"median {ends}{interval}")


def _interval(results: Results) -> list[parts.Filled]:
    if not isinstance(results.interval, Evaluation):
        return []
    (means,), (version,) = results.interval.means().values, results.interval.measures
    column = parts.PageColumn(str(version), "the main measure on its interval scale: normalised ranks")
    return [(column, [parts.number(float(means[row])) for row in results.order])]


def _wins(results: Results) -> list[parts.Filled]:
    """How many runs each run beats and is beaten by; nothing where all are compared with a baseline alone."""
    about = results.comparison
    if about.baseline is not None:
        return []
    of = f"by {results.main}, {about.test.label}"
    better, worse = ("higher", "lower") if results.main.direction_note else ("better", "worse")
    ahead = (about.results.difference > 0) != about.measure.low_is_good
    pairs = np.where(ahead, (about.pairs.first, about.pairs.second), (about.pairs.second, about.pairs.first))
    wins, losses = (np.bincount(runs[about.significant], minlength=len(about.runs)).tolist() for runs in pairs)
    beats, beaten = (f"{better} than", f"{worse} than") if results.main.direction_note else ("beats", "beaten by")
    return [
        (parts.PageColumn(beats, f"runs that it is significantly {better} than, {of}"), list(map(parts.count, wins))),
        (parts.PageColumn(beaten, f"runs that are significantly {better}, {of}"), list(map(parts.count, losses))),
    ]


@dataclass(frozen=True)
class Axis:
    """A scale across a column of drawings, so that all of them can be compared."""

    low: float
    high: float

    @classmethod
    def over(cls, *values: Iterable[float]) -> "Axis":
        """The axis that has all of these values; those that are not finite are left out."""
        known = [value for some in values for value in some if math.isfinite(value)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        return cls(low, high) if high - low > NARROWEST else cls(low - 0.5, high + 0.5)

    def at(self, value: float) -> str:
        """Where a value stands, from the left."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"

    def ticks(self) -> list[float]:
        """Two to six round values within the axis.

        >>> Axis(-0.35, 0.45).ticks(), Axis(0.1, 0.83).ticks()
        ([-0.2, 0.0, 0.2, 0.4], [0.2, 0.4, 0.6, 0.8])
        """
        span = self.high - self.low
        power = 10.0 ** math.floor(math.log10(span))
        step = next(size * power for size in (0.2, 0.5, 1.0, 2.0, 5.0) if span / (size * power) <= 5)
        first, last = math.ceil(self.low / step - NEARLY), math.floor(self.high / step + NEARLY)
        return [round(place * step, 10) + 0.0 for place in range(first, last + 1)]


def axis_picture(axis: Axis) -> str:
    """The ticks of an axis with their numbers, for the head of a column: text, which does not stretch."""
    ticks = (f'<i style="left: {float(axis.at(tick)) / WIDTH:.1%}">{tick:g}</i>' for tick in axis.ticks())
    return f'<span class="axis" aria-hidden="true">{"".join(ticks)}</span>'


def interval_picture(
    axis: Axis, value: float, low: float, high: float, *, zero: float | None = None, apart: bool = True
) -> str:
    """A dot with its interval; hollow unless `apart`; with `zero` a line at that value: where two runs are alike."""
    shapes = []
    if zero is not None and axis.low <= zero <= axis.high:
        shapes.append(f'<path class="zero" d="M{axis.at(zero)} 0V{HEIGHT}"/>')
    if math.isfinite(low) and math.isfinite(high):
        shapes.append(f'<path class="whisker" d="M{axis.at(low)} 10H{axis.at(high)}"/>')
    if math.isfinite(value):
        shapes.append(f'<path class="dot" d="M{axis.at(value)} 10h0"/>')
        shapes += [] if apart else [f'<path class="hole" d="M{axis.at(value)} 10h0"/>']
    return _stretched("interval", shapes)


def share_picture(share: float) -> str:
    """A bar from 0 to 1."""
    if not math.isfinite(share):
        return ""
    shapes = [f'<path class="rail" d="M0 15H{WIDTH}"/>', f'<path class="bar" d="M0 15H{WIDTH * min(share, 1):.0f}"/>']
    return _stretched("share", shapes)


def line_picture(values: Sequence[float] | Floats, axis: Axis) -> str:
    """A line over topics in the order given, means of neighbours where they are many; undefined ones are left out."""
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known)]
    if not len(known):
        return ""
    steps = [float(one.mean()) for one in np.array_split(known, min(MOST_STEPS, len(known)))]
    across = WIDTH / max(1, len(steps) - 1)
    heights = (18 - 16 * (min(max(one, axis.low), axis.high) - axis.low) / (axis.high - axis.low) for one in steps)
    points = [f"{place * across:.0f} {height:.1f}" for place, height in enumerate(heights)]
    line = f"M{'L'.join(points)}" if len(points) > 1 else f"M0 {points[0].split()[1]}H{WIDTH}"
    return _stretched("line", [f'<path class="area" d="{line}V20H0Z"/>', f'<path d="{line}"/>'])


def _stretched(kind: str, shapes: Iterable[str]) -> str:
    drawn = "".join(shapes)
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return f'<svg class="{kind}" {box} aria-hidden="true">{drawn}</svg>'
