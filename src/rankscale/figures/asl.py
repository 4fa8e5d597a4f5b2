"""Achieved significance levels of all pairs of runs, a line for each measure (the Twist paper, Fig. 14)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.arrays import Floats
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number, numbers
from rankscale.figures.base.labels import line_styles, measure_labels
from rankscale.figures.base.vega import layer, mark_spec, nominal, plot, quantitative
from rankscale.studies.discriminate import ONE_OF_EACH_KIND, Discrimination

MOST_POINTS = 6000  # of all curves together
ZOOM = 3  # the levels drawn go from 0 to so many alphas: beyond, nobody would call runs different
ROW = 1.7  # of the table under the plot, in heights of type
LONGEST_NAME = 28  # letters of a measure in the table
SAMPLE = 3  # of a line in the table, in heights of type
NARROW = 36  # the same; in less width the table stands under the plot
FORMS = {"DP": ".1%", "delta": ".4f"}
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
    study: Discrimination  # DP and delta are at the first of its alphas

    @property
    def title(self) -> str:
        """The test, and of what."""
        return f"Achieved significance levels of {self._pairs:,} pairs of runs, {self.study.test.label}"

    @property
    def description(self) -> str:
        """Discriminative power and delta of all measures."""
        measures = "; ".join(
            f"{row['measure']} tells {number(row['DP']):.2%} apart"
            + (f", delta {number(row['delta']):.4f}" if self._has_delta else "")
            for row in self.measures
        )
        of, runs, topics = self.study, len(self.study.evaluation.runs), len(self.study.topics)
        return (
            f"Curves of the levels that pairs of {runs} runs achieve over {topics} topics ({of.test.label}), the "
            f"highest first, a line for each measure. At {of.alphas[0]:g}, of {self._pairs:,} pairs: {measures}."
        )

    @property
    def _pairs(self) -> int:
        return len(self.study.runs_compared)

    @property
    def _has_delta(self) -> bool:
        """Whether the test estimates the difference that is significant."""
        return bool(numbers(self.measures, "delta"))

    @property
    def _names(self) -> list[str]:
        return [str(name) for name in self.measures.columns["measure"]]

    def draw(self, space: Space) -> Spec:
        """The curves, and the table to the right of them or, in a narrow figure, below."""
        size = space.look.font_size
        in_a_row = (space.look.width or space.width) >= NARROW * size
        high, wide = round(ROW * size * (len(self._names) + 1)), self._table_width(space)
        width = round(space.width - wide) if in_a_row else space.width
        height = space.height if in_a_row or not space.look.height else max(8 * size, space.height - high)
        select = {"type": "point", "fields": ["measure"], "toggle": "true"}
        return {
            "hconcat" if in_a_row else "vconcat": [self._plot(space, width, round(height)), self._table(space, high)],
            "spacing": 2 * size if in_a_row else size,
            "resolve": {"scale": {"x": "independent", "y": "independent"}},
            "params": [{"name": "measure_chosen", "select": select, "views": ["lines", "names"]}],
        }

    def _name_width(self, space: Space) -> float:
        letters = min(LONGEST_NAME, max(map(len, self._names)))
        return min((0.7 * letters + 0.5) * space.look.font_size, 0.35 * space.width)  # names are rich in capitals

    def _table_width(self, space: Space) -> float:
        beside_names = SAMPLE + (1 + self._has_delta) * NUMBER * WIDTH_OF_LETTER
        return beside_names * space.look.font_size + self._name_width(space)

    def _styles(self, space: Space) -> Spec:
        """On a page, a click in the table leaves the other measures pale; another takes that back."""
        styles = line_styles("measure", self.order, space)
        plain = {channel: {**styles[channel], "legend": None} for channel in ("color", "strokeDash")}
        return {**plain, "opacity": {"condition": {"param": "measure_chosen", "value": 1}, "value": 0.12}}

    def _plot(self, space: Space, width: float, height: float) -> Spec:
        look, top = space.look, min(1.0, ZOOM * max(self.study.alphas))
        level = {"type": "quantitative", "title": "ASL", "scale": {"domain": [0, top], "nice": False}}
        place = quantitative(
            "place",
            title="pairs of runs, by ASL",
            scale={"domain": [0, self._pairs], "nice": False},
            axis={"grid": False, "tickMinStep": 1, "format": ",d", "labelOverlap": "greedy", "labelFlush": True},
        )
        words = mark_spec("text", align="left", baseline="bottom", dx=3, dy=-1, aria=False)
        alpha: Spec = {
            "data": {"values": [{"alpha": alpha, "words": f"alpha = {alpha:g}"} for alpha in self.study.alphas]},
            "encoding": {"y": {**level, "field": "alpha"}},
            "layer": [
                layer(mark_spec("rule", strokeDash=[3, 2], aria=False)),
                layer(words, text="words", x=0, color={"value": look.grey}),
            ],
        }
        curves = layer(
            mark_spec("line", strokeWidth=1.3, clip=True, aria=False, point=self._pairs == 1),
            "curves",
            x=place,
            y={**level, "field": "ASL"},
            **self._styles(space),
            tooltip="measure",
        )
        return plot([alpha, {"name": "lines", **curves}], width, height)

    def _table(self, space: Space, height: float) -> Spec:
        """Line, measure, discriminative power, delta."""
        size = space.look.font_size
        row = nominal("measure", axis=None, scale={"domain": ["", *self._names], "padding": 0})
        start, longest, column = SAMPLE * size, self._name_width(space), NUMBER * WIDTH_OF_LETTER * size
        shown = ("DP", "delta")[: 1 + self._has_delta]
        ends = {name: start + longest + place * column for place, name in enumerate(shown, start=1)}
        heads = {"measure": (start, "left"), **{name: (end, "right") for name, end in ends.items()}}
        sample = mark_spec("rule", strokeWidth=1.6, aria=False)
        left, right = (mark_spec("text", baseline="middle", align=align) for align in ("left", "right"))
        head, top = mark_spec("text", baseline="middle"), {"measure": ""}
        grey = {"color": space.look.grey, "aria": False}
        layers = [
            layer(sample, x=0, x2=2.4 * size, **self._styles(space)),
            {"name": "names", **layer({**left, "limit": longest}, x=start, text="measure")},
            *(layer(right, x=end, text=quantitative(name, format=FORMS[name])) for name, end in ends.items()),
            *(layer({**head, "align": side, "text": name, **grey}, [top], x=x) for name, (x, side) in heads.items()),
        ]
        return plot(layers, self._table_width(space), height, "measures", y=row)


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
    Measures for which no pair could be tested have no line. By tests other than 'bootstrap' and 'randomised tukey' the
    levels are p-values, and there is no delta. DP is at the first of several alphas, and each has a line.

    Command line
    ------------
        rankscale figure asl qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75 -o asl.pdf
        rankscale figure asl qrels.txt runs/*.gz -t 'randomised tukey' -o asl.html
        rankscale figure asl qrels.txt runs/*.gz -m AP --alpha 0.01 -o asl.svg
        rankscale figure asl qrels.txt runs/*.gz -m AP -m RR -t student --alpha 0.05,0.01 -o asl.svg
    """
    known = [place for place, count in enumerate(study.pairs) if count]
    if not known:
        raise ParameterError("no pair of runs could be tested: there is no level to draw")
    order = sorted(known, key=lambda place: -study.power[place])
    names = list(measure_labels(study.evaluation.measures).values())
    most, top = MOST_POINTS // len(order), min(1.0, ZOOM * max(study.alphas))
    cells = [(names[place], *point) for place in order for point in _points(study.curves()[place], top, most)]
    significant = np.count_nonzero(study.significant, axis=1)
    facts = [
        (names[m], float(study.power[m]), float(study.delta[m]), int(significant[m]), study.pairs[m]) for m in order
    ]
    return ASLFigure(
        curves=Table.of(("measure", "place", "ASL"), cells),
        measures=Table.of(("measure", "DP", "delta", "significant", "pairs"), facts),
        order=tuple(names[place] for place in known),
        study=study,
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


COMMAND = Declaration(
    asl_figure,
    source="study",
    study="discriminate",
    study_options=("test", "alpha", "samples", "seed"),
    measures=ONE_OF_EACH_KIND,
    shared=("collections", "top", "missing", "judging", "reading"),
)
