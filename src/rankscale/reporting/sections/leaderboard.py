"""The runs in order, as a picture: means with intervals, differences from the best, judged shares, values by topic."""

import math
from collections.abc import Sequence

import numpy as np

from rankscale.answers.standing import Standing
from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.names import counted
from rankscale.data.table import readable
from rankscale.evaluation.result import Evaluation
from rankscale.reporting.page_data import ordered_values
from rankscale.reporting.parts import PLACES, Cell, Column, Filter, Paragraph, Section, Table, number
from rankscale.reporting.pictures import Axis, axis_picture, interval_picture, line_picture, share_picture
from rankscale.reporting.results import Results
from rankscale.reporting.sections.all_measures import all_measures
from rankscale.stats.tests.base.test import p_text

Filled = tuple[Column, list[Cell]]  # a column and its cells, the best run first


def leaderboard(results: Results) -> Section:
    """One row for each run, the best by the main measure first; below, folded, the means of all measures."""
    sure = sureness(results.evaluation[results.main])
    filled = [
        _places(results, sure),
        (Column("run", number=False), [_run(run) for run in results.comparison.runs]),
        *_means(results, sure),
        _differences(results, results.standing),
        *_judged(results),
        _by_topic(results),
    ]
    rows = list(zip(*(cells for _, cells in filled), strict=True))
    caption = f"{len(rows)} runs by {results.main.summed_up} {results.main}"
    table = Table("runs", caption, [column for column, _ in filled], rows)
    parts = [Filter("find-run", "Find a run", "runs"), table, Paragraph(_reading(results, sure))]
    return Section("leaderboard", "Leaderboard", [*parts, *all_measures(results)])


def _reading(results: Results, sure: dict[str, Floats]) -> str:
    """How the picture is read."""
    where = results.standing
    dots = "Dots are means with 95% intervals over draws of topics, places with the places that 95% of these draws give"
    whom = f"the baseline {readable(where.reference)}" if where.is_baseline else "the best run"
    has_ends = bool(np.isfinite(where.lower).any())
    ends = f", with the {where.words}" if has_ends else ""
    return (
        f"{dots + '. ' if sure else ''}The difference is that to {whom}{ends}; a hollow dot is a run that "
        f"{results.comparison.test.label} cannot tell apart from it. A name chooses the run for the comparison below."
    )


def sureness(of_measure: Evaluation) -> dict[str, Floats]:
    """(run,) by name: intervals of means and places over draws of topics; empty where no means are taken."""
    if of_measure.summary != "mean":
        return {}
    found = of_measure.with_confidence(shown="both").sureness
    return {name: values[0] for name, values in found.items()}


def _run(run: str) -> Cell:
    return Cell(readable(run), is_heading=True, run=readable(run))


def _places(results: Results, sure: dict[str, Floats]) -> Filled:
    """Places, equal ones for equal means, with the places over draws of topics."""
    means = results.comparison.means.tolist()
    places = [means.index(mean) + 1 if mean == mean else row + 1 for row, mean in enumerate(means)]  # noqa: PLR0124
    notes, tooltips = [""] * len(places), [""] * len(places)
    if "place_lower" in sure:
        names = ("place_lower", "place_upper", "place_expected", "share_first")
        for row, (low, high, expected, first) in enumerate(
            zip(*(sure[name][results.order].tolist() for name in names), strict=True)
        ):
            if low != high and not math.isnan(low):
                notes[row] = f"{low:g}\N{EN DASH}{high:g}"
                tooltips[row] = f"expected place {expected:.2f}, first in {first:.1%} of draws of topics"
    column = Column("place", "with the places in 95% of 1,000 draws of topics", sorted="ascending")
    cells = zip(places, notes, tooltips, strict=True)
    return column, [Cell(str(place), place, tip, "number", note=note) for place, note, tip in cells]


def _means(results: Results, sure: dict[str, Floats]) -> list[Filled]:
    """The mean of the main measure as a dot with its interval, then as a number."""
    means = results.comparison.means.tolist()
    none = np.full(len(means), np.nan)
    low, high = (sure[name][results.order] if name in sure else none for name in ("mean_lower", "mean_upper"))
    axis = Axis.over(means, low.tolist(), high.tolist())
    about = f"{results.main.summed_up} over topics"
    sense = results.main.direction_note or ("low is good" if results.main.low_is_good else "high is good")
    rows = list(zip(means, low.tolist(), high.tolist(), strict=True))
    dots = [
        Cell("", _key(mean), _interval_text(start, end), "picture", picture=interval_picture(axis, mean, start, end))
        for mean, start, end in rows
    ]
    best = results.evaluation[results.main].best_means()[0]
    numbers = [number(mean, best=bool(mean == best)) for mean in means]
    head = Column(str(results.main), f"{about}; {sense}", picture=axis_picture(axis), style="picture")
    return [(head, dots), (Column(results.main.summed_up, f"{about} of {results.main}; {sense}"), numbers)]


def _interval_text(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"95% interval {low:.{PLACES}f} to {high:.{PLACES}f}"


def _key(value: float) -> float | str:
    """A sort key: undefined values come last."""
    return "" if math.isnan(value) else value


def _differences(results: Results, where: Standing) -> Filled:
    """The difference to the best run, or to the baseline: a dot with its interval, and the number; or the ratio."""
    sign = "" if where.no_gap else "+"  # ratios have none
    axis = Axis.over([where.no_gap], where.difference.tolist(), where.lower.tolist(), where.upper.tolist())
    cells = []
    for place, run in enumerate(results.comparison.runs):
        value, low, high = (float(of[place]) for of in (where.difference, where.lower, where.upper))
        if run == where.reference:
            cells.append(Cell("baseline" if where.is_baseline else "best", where.no_gap, style="picture difference"))
            continue
        if math.isnan(value):
            cells.append(Cell("-", "", style="picture difference"))
            continue
        apart = bool(where.apart[place])
        verdict = "told apart" if apart else "not told apart" if where.tested[place] else "not tested"
        ends = f" [{low:{sign}.3f}, {high:{sign}.3f}]" if math.isfinite(low) and math.isfinite(high) else ""
        p = "" if math.isnan(where.p[place]) else f", {p_text(where.p[place], results.comparison.alpha, where.family)}"
        drawn = interval_picture(axis, value, low, high, zero=where.no_gap, apart=apart)
        text, about = f"{value:{sign}.3f}{ends}", f"{verdict} from {readable(where.reference)}{p}"
        cells.append(Cell(text, value, about, "picture difference", picture=drawn))
    to = readable(where.reference) if where.is_baseline else "the best"
    about = f"in what {results.comparison.test.label} compares, with the {where.words}; hollow dots: not told apart"
    return Column(f"{where.gap} to {to}", about, picture=axis_picture(axis), style="picture"), cells


def _spread(known: Floats) -> float | str:
    """A key to sort lines over topics by: the standard deviation of finite values."""
    return float(known.std()) if len(known) else ""


def _judged(results: Results) -> list[Filled]:
    """Shares of judged documents, where there are rankings."""
    if not results.has_rankings:
        return []
    (share,) = results.judged.measures
    topics = counted(len(results.judged.topics), "topic")
    column = Column(str(share), f"share of the first ten documents that are judged, mean over {topics}")
    rates = results.judged.of_runs(results.comparison.runs).means().values[0].tolist()
    return [(column, [Cell(_share(rate), _key(rate), style="number", picture=share_picture(rate)) for rate in rates])]


def _share(rate: float) -> str:
    return "-" if math.isnan(rate) else f"{rate:.1%}"


def _by_topic(results: Results) -> Filled:
    """A line over the topics, the same order for all runs: from the best topic by the mean over runs to the worst."""
    values = ordered_values(results, results.main)
    means: Floats = mean_of_defined(values)
    order = np.argsort(means if results.main.low_is_good else -means, kind="stable")
    axis = Axis.over([0.0], values.ravel().tolist())
    column = Column("by topic", "values by topic, from the easiest topic over all runs to the hardest", style="picture")
    drawn: Sequence[str] = [line_picture(of_run[order], axis) for of_run in values]
    spread = [_spread(of_run[np.isfinite(of_run)]) for of_run in values]
    return column, [Cell("", key, style="picture line", picture=one) for one, key in zip(drawn, spread, strict=True)]
