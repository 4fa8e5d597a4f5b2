"""Insets of an effort/gain plot: CRP above DCG of rankings of one gain and different effort (the Twist paper, Fig. 11).

Rankings of the same gain may ask very different effort of their reader, which CRP shows and DCG does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Unpack

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.table import Cell, Table
from rankscale.evaluation.options import RankingOptions, reading_of
from rankscale.figures.base.cells import number, table_of
from rankscale.figures.base.crp_parts import curves_layer
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.gains import IDEAL_DASH, discounted_gains
from rankscale.figures.base.labels import short_labels, width_of
from rankscale.figures.base.look import TEXT_WIDTH
from rankscale.figures.base.relative_positions import bends, course, read_ranking
from rankscale.figures.base.small_crp import corners, facts, small_crp_plot
from rankscale.figures.base.vega import heading, plot, quantitative
from rankscale.inputs.read import QrelsLike, RunsLike, iterate_runs, read_qrels
from rankscale.measures.base.measure import Measure
from rankscale.measures.dcg import DCG

MOST = 4
IN_A_ROW = 45.0  # heights of type that a figure is wide for all insets to stand in a row
BETWEEN = 4.0  # heights of type from one inset to the next
HIGHEST = 8.0  # heights of type of one of the two plots of an inset
CLEAR = (0.09, 0.03)  # of the range of gains, below and above a cut
WINDOW = 0.01  # of the range of gains: rankings within it have one gain
UPPER = (0.5, 0.95)  # quantiles between which that gain is looked for: low gains tell little
WHAT_IS_READ = {"depth", "judged_only"}  # of a ranking, which is drawn whole
CURVES = {"ideal_DCG": IDEAL_DASH, "DCG": (1, 0)}


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
) -> tuple[Table, dict[str, Table]]:
    """The rows with a number and what CRP is read by, and by dataset (`crp1`, `dcg1` ...) the corners of the curves."""
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
        kept = bends(made.telling, own, ideal)
        curves[f"crp{place}"] = corners(made, made.telling)
        curves[f"dcg{place}"] = Table(
            {
                "rank": [at + 1 for at in kept],
                "DCG": own[kept].tolist(),
                "ideal_DCG": ideal[kept].tolist(),
            }
        )
        numbered.append({"number": place, **row, **facts(made)})
    return table_of(numbered), curves


def inset_plots(insets: Table, curves: Mapping[str, Table], effort: str, space: Space) -> Spec:
    """All insets, CRP above DCG, side by side where they have room."""
    size, whole = space.look.font_size, space.look.width or max(space.width, TEXT_WIDTH)
    columns = min(len(insets), MOST if whole > IN_A_ROW * size else 2)
    width = (space.width - (columns - 1) * BETWEEN * size) / columns
    each = Space(space.look, width, min(0.6 * width, HIGHEST * size))
    rows = list(insets)
    plots: list[Spec] = []
    for start in range(0, len(rows), columns):
        here = rows[start : start + columns]
        plots += [_crp(row, curves, effort, each, first=place == 0) for place, row in enumerate(here)]
        titled = start + columns >= len(rows)
        plots += [_dcg(row, curves, each, titles=(place == 0, titled)) for place, row in enumerate(here)]
    return {
        "concat": plots,
        "columns": columns,
        "bounds": "flush",  # so that plots stand in line, whatever their labels; these have the room between plots
        "spacing": {"row": 4.8 * size, "column": BETWEEN * size},
        "resolve": {"scale": dict.fromkeys(("x", "y", "color", "strokeDash"), "independent")},
    }


def _crp(row: Mapping[str, Cell], curves: Mapping[str, Table], effort: str, space: Space, *, first: bool) -> Spec:
    """CRP of a ranking under a heading: its number and effort, whose it is."""
    look, size, name = space.look, space.look.font_size, f"crp{row['number']}"
    topic, run = f", {row['topic']}", str(row["run"])
    label = short_labels([run], space.width / (0.9 * size) + 2 - width_of(topic))[run]
    under = {"subtitle": f"{label}{topic}", "subtitleFontSize": 0.9 * size, "subtitleColor": look.grey}
    words = f"{row['number']}: {effort} {number(row['effort']):.2f}"
    title = heading(words, look, space.width + 2 * size, 0.4, frame="group", **under)
    sides = (space.width, space.height)
    return {"title": title, **small_crp_plot(name, curves[name], row, space, sides, (first, False))}


def _dcg(row: Mapping[str, Cell], curves: Mapping[str, Table], space: Space, titles: tuple[bool, bool]) -> Spec:
    """DCG of a ranking, and of the ideal one."""
    name = f"dcg{row['number']}"
    last = int(number(curves[name].columns["rank"][-1]))
    value = quantitative("value", title="DCG" if titles[0] else None, axis={"tickCount": 3, "grid": False})
    scale = {"domain": [1, last], "nice": False, "zero": False}
    axis = {"tickCount": 3, "grid": False, "tickMinStep": 1, "labelFlush": False}
    x = quantitative("rank", title="rank" if titles[1] else None, scale=scale, axis=axis)
    return plot([curves_layer(CURVES, space.look, value)], space.width, space.height, name, x=x)
