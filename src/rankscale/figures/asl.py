"""Achieved significance levels of all pairs of runs, a line for each measure (the Twist paper, Fig. 14)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.declared import Declaration
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec
from rankscale.figures.base.lines import told_apart
from rankscale.figures.base.vega import mark_spec, nominal, quantitative
from rankscale.studies.discriminate import ONE_OF_EACH_KIND, Discrimination

MOST_POINTS = 6000  # of all curves together
ZOOM = 3  # the levels drawn go from 0 to so many alphas: beyond, nobody would call runs different
ROW = 1.7  # of the table under the plot, in heights of type
LONGEST_NAME = 28  # letters of a measure in the table
SAMPLE = 3  # of a line in the table, in heights of type
NARROW = 36  # the same; in less width the table stands under the plot
NUMBER = 9  # letters of a column of numbers


@dataclass(frozen=True, repr=False)
class ASLFigure(Figure):
    """Levels by pair, each measure's pairs in its own order; the table under the plot says which line is whose.

    The further left a curve goes down, the more pairs the measure tells apart. Where pairs are many, of those with the
    same level the first and the last are drawn, which gives the same line; those far above alpha are left out.
    """

    name: ClassVar[str] = "asl"
    ratio: ClassVar[float] = 0.5

    curves: Table  # measure, place, ASL
    measures: Table  # measure, DP, delta, significant, pairs; the highest DP first
    order: tuple[str, ...]  # of the measures as they were requested: the same give the same colours
    test: str
    alpha: float
    pairs: int
    runs: int
    topics: int

    @property
    def title(self) -> str:
        """The test, and of what."""
        return f"Achieved significance levels of {self.pairs:,} pairs of runs, {self.test}"

    @property
    def description(self) -> str:
        """Discriminative power and delta of all measures."""
        message = "; ".join(
            f"{row['measure']} tells {_number(row['DP']):.2%} apart, delta {_number(row['delta']):.4f}"
            for row in self.measures
        )
        return (
            f"Curves of the levels that pairs of {self.runs} runs achieve over {self.topics} topics ({self.test}), the "
            f"highest first, a line for each measure. At {self.alpha:g}, of {self.pairs:,} pairs: {message}."
        )

    def data(self) -> dict[str, Table]:
        """The curves, and what they come to."""
        return {"curves": self.curves, "measures": self.measures}

    @property
    def _names(self) -> list[str]:
        return [str(name) for name in self.measures.columns["measure"]]

    def draw(self, space: Space) -> Spec:
        """The curves, and beside or, in a narrow figure, under them the table."""
        size = space.look.font_size
        beside = (space.look.width or space.width) >= NARROW * size
        high, wide = round(ROW * size * (len(self._names) + 1)), self._table_width(space)
        width = round(space.width - wide) if beside else space.width
        height = space.height if beside or not space.look.height else max(8 * size, space.height - high)
        return {
            "hconcat" if beside else "vconcat": [self._plot(space, width, round(height)), self._table(space, high)],
            "spacing": 2 * size if beside else size,
            "resolve": {"scale": {"x": "independent", "y": "independent"}},
            "params": [
                {
                    "name": "measure_chosen",
                    "select": {"type": "point", "fields": ["measure"], "toggle": "true"},
                    "views": ["lines", "names"],
                }
            ],
        }

    def _name_width(self, space: Space) -> float:
        letters = min(LONGEST_NAME, max(map(len, self._names)))
        return min((0.7 * letters + 0.5) * space.look.font_size, 0.35 * space.width)  # names are rich in capitals

    def _table_width(self, space: Space) -> float:
        return (SAMPLE + 2 * NUMBER * WIDTH_OF_LETTER) * space.look.font_size + self._name_width(space)

    def _chosen(self) -> Spec:
        """On a page, a click in the table leaves the other measures pale; another takes that back."""
        return {"opacity": {"condition": {"param": "measure_chosen", "value": 1}, "value": 0.12}}

    def _styles(self, space: Space) -> Spec:
        styles = told_apart("measure", self.order, space)
        return {channel: {**styles[channel], "legend": None} for channel in ("color", "strokeDash")}

    def _plot(self, space: Space, width: float, height: float) -> Spec:
        look, top = space.look, min(1.0, ZOOM * self.alpha)
        level = {"type": "quantitative", "title": "ASL", "scale": {"domain": [0, top], "nice": False}}
        place = quantitative(
            "place",
            title="pairs of runs, by ASL",
            scale={"domain": [0, self.pairs], "nice": False},
            axis={"grid": False, "tickMinStep": 1, "format": ",d", "labelOverlap": "greedy", "labelFlush": True},
        )
        alpha: Spec = {
            "data": {"values": [{"alpha": self.alpha, "words": f"alpha = {self.alpha:g}"}]},
            "encoding": {"y": {**level, "field": "alpha"}},
            "layer": [
                {"mark": mark_spec("rule", strokeDash=[3, 2], aria=False)},
                {
                    "mark": mark_spec("text", align="left", baseline="bottom", dx=3, dy=-1, aria=False),
                    "encoding": {"text": {"field": "words"}, "x": {"value": 0}, "color": {"value": look.grey}},
                },
            ],
        }
        curves: Spec = {
            "name": "lines",
            "data": {"name": "curves"},
            "mark": mark_spec("line", strokeWidth=1.3, clip=True, aria=False, point=self.pairs == 1),
            "encoding": {
                "x": place,
                "y": {**level, "field": "ASL"},
                **self._styles(space),
                **self._chosen(),
                "tooltip": {"field": "measure"},
            },
        }
        return {"width": width, "height": height, "layer": [alpha, curves]}

    def _table(self, space: Space, height: float) -> Spec:
        """Line, measure, discriminative power, delta."""
        size = space.look.font_size
        row = nominal("measure", axis=None)
        start, longest, number = SAMPLE * size, self._name_width(space), NUMBER * WIDTH_OF_LETTER * size
        ends = {"DP": start + longest + number, "delta": start + longest + 2 * number}
        heads = {"measure": (start, "left"), **{name: (end, "right") for name, end in ends.items()}}
        line = {"x": {"value": 0}, "x2": {"value": 2.4 * size}, **self._styles(space), **self._chosen()}
        text: Spec = mark_spec("text", baseline="middle")
        return {
            "data": {"name": "measures"},
            "width": self._table_width(space),
            "height": height,
            "encoding": {"y": {**row, "scale": {"domain": ["", *self._names], "padding": 0}}},
            "layer": [
                {"mark": mark_spec("rule", strokeWidth=1.6, aria=False), "encoding": line},
                {"name": "names", **_cells({**text, "align": "left", "limit": longest}, start, {"field": "measure"})},
                _cells({**text, "align": "right"}, ends["DP"], {**_quantity("DP"), "format": ".1%"}),
                _cells({**text, "align": "right"}, ends["delta"], {**_quantity("delta"), "format": ".4f"}),
                *(self._head({**text, "align": align}, x, words, space) for words, (x, align) in heads.items()),
            ],
        }

    def _head(self, mark: Spec, x: float, words: str, space: Space) -> Spec:
        mark = {**mark, "color": space.look.grey, "text": words, "aria": False}
        return {"data": {"values": [{"measure": ""}]}, "mark": mark, "encoding": {"x": {"value": x}}}


def asl_figure(study: Discrimination) -> ASLFigure:
    """Draw the achieved significance levels (ASL) of all pairs of runs.

    Levels fall from the highest, a line for each measure. The further left a line goes down, the more pairs the measure
    tells apart; discriminative power (DP) and the difference that is significant (delta) are in a table next to the
    lines.

    Parameters
    ----------
    study : Discrimination
        Result of `discriminate`.

    Returns
    -------
    ASLFigure
        The lines and the table.

    Notes
    -----
    Measures for which no pair could be tested have no line.

    Command line
    ------------
        rankscale figure asl qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75 -o asl.pdf
        rankscale figure asl qrels.txt runs/*.gz -t 'randomised tukey' -o asl.html
        rankscale figure asl qrels.txt runs/*.gz -m AP --alpha 0.01 -o asl.svg
    """
    known = [place for place, count in enumerate(study.pairs) if count]
    if not known:
        raise ParameterError("no pair of runs could be tested: there is no level to draw")
    order = sorted(known, key=lambda place: -study.power[place])
    names = [str(measure) for measure in study.evaluation.measures]
    most, top = MOST_POINTS // len(order), min(1.0, ZOOM * study.alpha)
    cells = [(names[place], *point) for place in order for point in _points(study.curves()[place], top, most)]
    message: dict[str, list[Any]] = {
        "DP": study.power.tolist(),
        "delta": study.delta.tolist(),
        "significant": np.count_nonzero(study.significant, axis=1).tolist(),
        "pairs": study.pairs,
    }
    return ASLFigure(
        curves=Table({name: [cell[at] for cell in cells] for at, name in enumerate(("measure", "place", "ASL"))}),
        measures=Table(
            {
                "measure": [names[place] for place in order],
                **{name: [column[place] for place in order] for name, column in message.items()},
            }
        ),
        order=tuple(names[place] for place in known),
        test=study.test.label,
        alpha=study.alpha,
        pairs=len(study.runs_compared),
        runs=len(study.evaluation.runs),
        topics=len(study.topics),
    )


def _points(curve: Floats, top: float, most: int) -> Iterator[tuple[int, float]]:
    """Place and level: from the last that is above the plot on, the first and the last pair of each level."""
    levels = curve[~np.isnan(curve)]
    first = max(0, int(np.count_nonzero(levels > top)) - 1)
    changes = np.flatnonzero(np.diff(levels[first:])) + first
    kept = np.unique([first, *changes, *(changes + 1), len(levels) - 1])
    if len(kept) > most:
        kept = kept[np.unique(np.linspace(0, len(kept) - 1, most).round().astype(int))]
    return ((int(place) + 1, float(levels[place])) for place in kept)


def _cells(mark: Spec, x: float, text: Spec) -> Spec:
    return {"mark": mark, "encoding": {"x": {"value": x}, "text": text}}


def _quantity(field: str) -> Spec:
    return quantitative(field)


def _number(cell: Cell) -> float:
    return math.nan if cell is None else float(cell)


COMMAND = Declaration(
    asl_figure,
    source="study",
    study="discriminate",
    study_options=("test", "alpha", "samples", "seed"),
    measures=ONE_OF_EACH_KIND,
    shared=("top", "missing", "judging", "reading"),
)
