"""Recovery, space ratio and Twist of each archetype, as distributions over rankings (the Twist paper, Figs. 4-6)."""

import json
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Grid, Space, Spec, grid, number
from rankscale.figures.base.vega import calculated, digits, heading, layer, mark_spec, only, plot, quantitative
from rankscale.studies.archetypes import Archetypes

ORDER = (  # from the least effort to the most, down the figure
    "ideal",
    "excellent A",
    "excellent B",
    "ups and downs",
    "typical A",
    "typical B",
    "full scale",
    "worst",
)
RATIOS = ("rho", "sigma", "Twist")
SPACES = ("sigma_plus", "sigma_minus")  # of which sigma is the harmonic mean
TITLES = {
    "rho": "rho (recovery)",
    "sigma": "sigma (space)",
    "Twist": "Twist",
    "sigma_plus": "sigma+ (forward)",
    "sigma_minus": "sigma- (backward)",
}
BINS = 50  # of a histogram, between 0 and 1
EDGES = np.linspace(0, 1, BINS + 1)
ROW = 3.4  # heights of type that an archetype takes
BARS, BOX = (0.06, 0.66), (0.74, 0.9)  # where bars and box stand within an archetype's room, from above
NARROWEST = 17  # heights of type, of a panel


@dataclass(frozen=True, eq=False, repr=False)
class ArchetypeRatiosFigure(Figure):
    """A panel for each ratio, and in it for each archetype that occurs a histogram with a box under it.

    A histogram has bars of 0.02, as high as their share of the archetype's rankings against that of its highest bar.
    The box goes from the first quartile to the third, with a line at the median; the thin line from the lowest value to
    the highest.
    """

    name: ClassVar[str] = "archetype-ratios"

    ratios: Table  # ratio, archetype, rankings, lowest, q1, median, q3, highest, mean
    bins: Table  # ratio, archetype, from, to, rankings, share (of the archetype's rankings), height
    rankings: int

    @property
    def title(self) -> str:
        """How many rankings."""
        return f"Recovery, space ratio and Twist by archetype, {self.rankings:,} rankings"

    @property
    def description(self) -> str:
        """Medians and ends of each archetype."""
        of = {name: [row for row in self.ratios if row["archetype"] == name] for name in self._archetypes}
        sentences = [
            f"{name} ({rows[0]['rankings']:,} ranking{'s' * (rows[0]['rankings'] != 1)}): "
            + ", ".join(
                f"{row['ratio']} median {number(row['median']):.4f} ({number(row['lowest']):.4f} to "
                f"{number(row['highest']):.4f})"
                for row in rows
            )
            for name, rows in of.items()
        ]
        return f"{self.title}. {'; '.join(sentences)}."

    @property
    def _archetypes(self) -> list[str]:
        return [str(name) for name in dict.fromkeys(self.ratios.columns["archetype"])]

    def draw(self, space: Space) -> Spec:
        """Panels in a row where they fit, archetypes down each."""
        ratios = list(dict.fromkeys(map(str, self.ratios.columns["ratio"])))
        panels = grid(len(ratios), space, NARROWEST)
        plots = [self._panel(ratio, place, panels) for place, ratio in enumerate(ratios)]
        return panels.spec(plots, 2, resolve={"scale": {"y": "independent", "x": "independent"}})

    def _panel(self, ratio: str, place: int, panels: Grid) -> Spec:
        look, names = panels.space.look, self._archetypes
        counts = {row["archetype"]: int(row["rankings"] or 0) for row in self.ratios}
        labels = [f"{name} ({counts[name]:,})" for name in names]
        down = quantitative(
            "top",
            title=None,
            scale={"domain": [0, len(names)], "reverse": True, "nice": False},
            axis={
                "values": [row + 0.5 for row in range(len(names))],
                "labelExpr": f"{json.dumps(labels)}[floor(datum.value)]",
                "labels": panels.left(place),
                "tickCount": len(names),  # without it Vega leaves every other label out
                "labelOverlap": False,
                "labelLimit": 16 * look.font_size,
                "ticks": False,
                "grid": False,
                "domain": False,
            },
        )
        across = {
            "type": "quantitative",
            "title": None,
            "scale": {"domain": [0, 1], "nice": False},
            "axis": {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f", "grid": True, "labelFlush": True},
        }
        bar = mark_spec("rect", color=look.colours[0], aria=False)
        bars = layer(
            bar,
            "bins",
            [only("ratio", ratio), *self._placed("datum.height")],
            x={**across, "field": "from"},
            x2="to",
            y=down,
            y2="bottom",
            tooltip=["archetype", *digits("from", "to", form=".2f"), "rankings", *digits("share", form=".1%")],
        )
        separators = [{"row": row} for row in range(1, len(names))]
        layers = [
            layer(mark_spec("rule", color=look.grey, strokeWidth=0.4, aria=False), separators, y=quantitative("row")),
            bars,
            *self._boxes(ratio, panels.space, across),
        ]
        title = heading(TITLES[ratio], look, panels.width, frame="group")
        return {"title": title, **plot(layers, panels.width, panels.height(ROW * look.font_size * len(names)))}

    def _boxes(self, ratio: str, space: Space, across: Spec) -> list[Spec]:
        look = space.look
        top, bottom = BOX
        own = [only("ratio", ratio), *self._placed(), *calculated(middle=f"datum.row + {(top + bottom) / 2}")]
        values = digits("lowest", "q1", "median", "q3", "highest", "mean")
        middle = quantitative("middle")
        whole = mark_spec("rule", color=look.ink, strokeWidth=0.8, aria=False)
        half = mark_spec("rect", color=look.grey, stroke=look.ink, strokeWidth=0.5, aria=False)
        median = mark_spec("rule", color=look.ink, strokeWidth=2, aria=False)
        box = {"y": quantitative("box_top"), "y2": "box_bottom"}
        return [
            layer(whole, "ratios", own, x={**across, "field": "lowest"}, x2="highest", y=middle),
            layer(half, "ratios", own, x={**across, "field": "q1"}, x2="q3", **box, tooltip=["archetype", *values]),
            layer(median, "ratios", own, x={**across, "field": "median"}, **box),
        ]

    def _placed(self, height: str = "0") -> list[Spec]:
        """Transforms that add where a row's bar and its box begin and end, from above."""
        (high, low), (top, bottom) = BARS, BOX
        return calculated(
            row=f"indexof({json.dumps(self._archetypes)}, datum.archetype)",
            top=f"datum.row + {low} - {low - high} * {height}",
            bottom=f"datum.row + {low}",
            box_top=f"datum.row + {top}",
            box_bottom=f"datum.row + {bottom}",
        )


def archetype_ratios_figure(study: Archetypes, *, spaces: bool = False) -> ArchetypeRatiosFigure:
    """Draw how recovery, space ratio and Twist spread over the rankings of each archetype.

    A panel for each ratio has a histogram and a box plot for each archetype that occurs. Lines are at the limits of
    effort: 0.25, 0.5 and 0.75. See `rankscale archetypes` for what the archetypes are.

    Parameters
    ----------
    study : Archetypes
        Result of `archetypes`.
    spaces : bool
        Add sigma_plus and sigma_minus, the forward and backward space ratios that sigma is the harmonic mean of.

    Returns
    -------
    ArchetypeRatiosFigure
        A panel for each ratio.

    Raises
    ------
    ParameterError
        If no topic has a relevant document.

    Notes
    -----
    Boxes go from the first quartile to the third with a line at the median, thin lines from the lowest value to the
    highest. Bars are 0.02 wide, and the highest bar of each histogram has the same height.

    Command line
    ------------
        rankscale figure archetype-ratios qrels.txt runs/*.gz -o ratios.pdf
        rankscale figure archetype-ratios qrels.txt runs/*.gz --spaces --rel 2 --depth 100 -o ratios.svg
        rankscale figure archetype-ratios qrels.txt runs/*.gz -o ratios.tsv
    """
    rankings = int(study.counts.sum())
    if not rankings:
        raise ParameterError(
            f"no topic has a document of grade {study.rel:g} or more: there is no ranking to draw; give a lower rel"
        )
    drawn = (*RATIOS, *(SPACES if spaces else ()))
    occurring = [name for name in ORDER if study.share(name)]
    by_name = {(row["ratio"], row["archetype"]): row for row in study.table("ratios")}
    bins: list[tuple[Cell, ...]] = []
    for ratio, name in product(drawn, occurring):
        counts = np.histogram(study.values_of(name, ratio), EDGES)[0]
        shares, heights = (counts / counts.sum()).tolist(), (counts / counts.max()).tolist()
        for place in np.flatnonzero(counts).tolist():
            ends = EDGES[place : place + 2].tolist()
            bins.append((ratio, name, *ends, int(counts[place]), shares[place], heights[place]))
    return ArchetypeRatiosFigure(
        ratios=Table.from_rows([by_name[both] for both in product(drawn, occurring)]),
        bins=Table.of(("ratio", "archetype", "from", "to", "rankings", "share", "height"), bins),
        rankings=rankings,
    )


COMMAND = Declaration(
    archetype_ratios_figure,
    source="study",
    study="archetypes",
    study_options=("depth",),
    shared=("collections", "missing", "relevance", "grades", "judged_only", "reading"),
)
