"""Insets of the effort/gain plot: rankings of one gain, CRP above DCG, from the most effort to the least (Fig. 11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Unpack

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.table import Cell, Table
from rankscale.evaluation.options import RankingOptions, reading_of
from rankscale.figures import crp
from rankscale.figures.base.figure import Space, Spec, number
from rankscale.figures.base.labels import short_labels, width_of
from rankscale.figures.base.look import TEXT_WIDTH
from rankscale.figures.base.relative_positions import course, discounted_gains, line_corners, read_ranking
from rankscale.figures.base.vega import heading, plot, quantitative
from rankscale.inputs.read import QrelsLike, RunsLike, iterate_runs, read_qrels
from rankscale.measures.base.measure import Measure
from rankscale.measures.dcg import DCG

CLEAR = (0.09, 0.03)  # of the range of gains, below and above a cut
WINDOW = 0.01  # of the range of gains: rankings within it have one gain
UPPER = (0.5, 0.95)  # quantiles between which the gain of insets is looked for: low gains tell little
WHAT_IS_READ = {"depth", "judged_only"}  # of a ranking, which is drawn whole
MOST_INSETS = 4
IN_A_ROW = 45.0  # heights of type that a figure is wide for all insets to stand in a row
BETWEEN_INSETS = 4.0  # heights of type from one inset to the next
HIGHEST_INSET = 8.0  # heights of type of one of the two plots of an inset


@dataclass(frozen=True)
class Insets:
    """Rankings of nearly one gain, and their curves."""

    rankings: Table  # number, run, topic, effort, gain, quadrant, recall_base, balance_point ...
    curves: Mapping[str, Table]  # corners by dataset (`crp1`, `dcg1` ...): rank, CRP; or rank, DCG, ideal_DCG
    effort: str
    dcg: str  # the DCG of these curves, with its parameters

    def plot(self, space: Space) -> Spec:
        """All insets, CRP above DCG, side by side where they have room."""
        size, whole = space.look.font_size, space.look.width or max(space.width, TEXT_WIDTH)
        rows = list(self.rankings)
        columns = min(len(rows), MOST_INSETS if whole > IN_A_ROW * size else 2)
        width = (space.width - (columns - 1) * BETWEEN_INSETS * size) / columns
        each = Space(space.look, width, min(0.6 * width, HIGHEST_INSET * size))
        plots: list[Spec] = []
        for start in range(0, len(rows), columns):
            here = rows[start : start + columns]
            plots += [self._crp(row, each, first=row is here[0]) for row in here]
            below = "rank" if start + columns >= len(rows) else None
            plots += [self._dcg(row, each, below, self.dcg if row is here[0] else None) for row in here]
        return {
            "concat": plots,
            "columns": columns,
            "bounds": "flush",  # so that plots stand in line, whatever their labels; these have the room between plots
            "spacing": {"row": 4.8 * size, "column": BETWEEN_INSETS * size},
            "resolve": {"scale": dict.fromkeys(("x", "y", "color", "strokeDash"), "independent")},
        }

    def _crp(self, row: Mapping[str, Cell], space: Space, *, first: bool) -> Spec:
        """CRP of a ranking under a heading: its number and effort, whose it is."""
        look, size, name = space.look, space.look.font_size, f"crp{row['number']}"
        topic, run = f", {row['topic']}", str(row["run"])
        label = short_labels([run], space.width / (0.9 * size) + 2 - width_of(topic))[run]
        under = {"subtitle": f"{label}{topic}", "subtitleFontSize": 0.9 * size, "subtitleColor": look.grey}
        words = f"{row['number']}: {self.effort} {number(row['effort']):.2f}"
        title = heading(words, look, space.width + 2 * size, 0.4, frame="group", **under)
        return {"title": title, **crp.small_crp_plot(name, self.curves[name], row, space, (first, False))}

    def _dcg(self, row: Mapping[str, Cell], space: Space, across: str | None, up: str | None) -> Spec:
        """DCG of a ranking, and of the ideal one; with titles of axes where they have one."""
        name = f"dcg{row['number']}"
        last = int(number(self.curves[name].columns["rank"][-1]))
        value = quantitative("value", title=up, axis={"tickCount": 3, "grid": False})
        x = crp.few_ranks(last, across)
        return plot([crp.curves_layer(crp.DCG_CURVES, space.look, value)], space.width, space.height, name, x=x)


def of_one_gain(points: Table, count: int, cuts: Sequence[float] = ()) -> list[dict[str, Cell]]:
    """Rows of points (run, topic, effort, gain ...) of nearly one gain, from the most effort to the least.

    The gain is the one at which the efforts of the rankings chosen are furthest apart. Gains close to `cuts`, where
    shares of quadrants are written, are taken only where there are no others.
    """
    rows = list(points)
    effort, gain = (np.array([number(row[name]) for row in rows]) for name in ("effort", "gain"))
    reach = float(np.ptp(gain))
    middles = np.unique(np.quantile(gain, np.linspace(*UPPER, 91), method="nearest")).tolist()
    clear = [one for one in middles if not any(-CLEAR[0] * reach < one - cut < CLEAR[1] * reach for cut in cuts)]
    best: tuple[int, float, list[int]] = (0, -1.0, [])
    for middle in clear or middles:
        chosen = _spaced(effort, np.flatnonzero(np.abs(gain - middle) <= WINDOW / 2 * reach), count)
        nearest = float(np.diff(effort[chosen]).min(initial=1.0))
        best = max(best, (len(chosen), nearest, chosen), key=lambda one: one[:2])
    return [rows[place] for place in best[2]]


def _spaced(effort: Floats, places: Ints, count: int) -> list[int]:
    """Of these places, those whose efforts are nearest to equal steps from the lowest to the highest, ascending."""
    left = places.tolist()
    chosen: list[int] = []
    for value in np.linspace(effort[places].min(), effort[places].max(), min(count, len(left))).tolist():
        chosen.append(min(left, key=lambda one: abs(effort[one] - value)))
        left.remove(chosen[-1])
    return sorted(chosen, key=lambda one: effort[one])


def dcg_of(gain: Measure) -> DCG:
    """The DCG drawn beside a measure of gain: with its discount and gains where it has those, else with base 2.

    >>> from rankscale.measures.base.parser import parse
    >>> print(dcg_of(parse("nDCG(base=10,gains=[0,5,10])@20")), dcg_of(parse("AP")))
    DCG(gains=[0,5,10],base=10) DCG(base=2)
    """
    names = {one.name for one in fields(DCG)} - WHAT_IS_READ
    shared = {name: getattr(gain, name) for name in names if hasattr(gain, name)}
    return DCG(**shared) if "discount" in shared else DCG(base=2)


def read_insets(
    rows: Sequence[Mapping[str, Cell]],
    effort: Measure,
    gain: Measure,
    qrels: QrelsLike,
    runs: RunsLike,
    **options: Unpack[RankingOptions],
) -> Insets:
    """Insets of these rows of points: CRP, and the DCG that goes with a measure of gain."""
    reading = reading_of(options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    wanted = {row["run"] for row in rows}
    by_name = {run.name: run for run in iterate_runs(judgments, runs, reading) if run.name in wanted}
    rel, dcg = effort.threshold or 1, dcg_of(gain)
    numbered: list[Mapping[str, Cell]] = []
    curves: dict[str, Table] = {}
    for place, row in enumerate(rows, start=1):
        run = by_name[str(row["run"])].completed(len(judgments.topics))
        ranking = read_ranking(judgments, run, str(row["topic"]), depth=effort.depth, rel=rel, **options)
        made = course(ranking.judged, ranking.depth, rel)
        own, ideal = (np.cumsum(gains) for gains in discounted_gains(dcg, ranking.judged, made.telling))
        curves[f"crp{place}"] = made.crp_corners(made.telling)
        curves[f"dcg{place}"] = line_corners(made.telling, DCG=own, ideal_DCG=ideal)
        numbered.append({"number": place, **row, **made.facts()})
    return Insets(Table.from_rows(numbered), curves, str(effort), str(dcg))
