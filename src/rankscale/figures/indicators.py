"""Parallel coordinates of what CRP says of a run: one line for each topic, by its recall base."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.checking import check_arguments
from rankscale.data.declared import Declaration
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Missing, RankingOptions
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.keys import Sign, key
from rankscale.figures.base.look import DASHES, NAMED, SHAPES, Look
from rankscale.figures.base.relative_positions import checked_depth
from rankscale.figures.base.vega import gradient_legend, hover, layer, mark_spec, ordinal, plot, quantitative
from rankscale.formats.read.inputs import QrelsLike, RunsLike
from rankscale.measures.counts import NumRel
from rankscale.measures.crp_n import CRPN
from rankscale.measures.recovery import BRatio, Rho, RhoW
from rankscale.measures.turn_around import CRPMin

AXES = {  # as the data call them, and as they are written in the figure
    "R": "R / max R",
    "rho_w": "rho_w",
    "rho": "rho",
    "b_ratio": "b_ratio",
    "CRP_min": "CRP_min",
    "CRP_N": "CRP_N",
}


@dataclass(frozen=True, eq=False, repr=False)
class IndicatorsFigure(Figure):
    """The recall base and rho_w of each topic, and the four indicators of the run's ranking for it.

    Lines are light where the recall base is small and dark where it is large (the other way round on dark ground). At
    most seven topics are named: those requested, or the ones with the highest and the lowest rho.
    """

    name: ClassVar[str] = "indicators"
    ratio: ClassVar[float] = 0.5

    run: str
    depth: int
    topics: Table  # topic, R, R_share (of the largest R), rho_w, rho, b_ratio, CRP_min, CRP_N; the smallest R first
    lines: Table  # topic, R, axis, value: what is undefined is left out
    named: tuple[str, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def title(self) -> str:
        """The run, and how many topics."""
        return f"CRP indicators of {self.run}, {len(self.topics)} topics by recall base"

    @property
    def description(self) -> str:
        """Means of the indicators, and the topics that are named."""
        means = ", ".join(f"{name} {self._mean(name):.4f}" for name in list(AXES)[1:])
        bases = self.topics.columns["R"]
        rho = dict(zip(self.topics.columns["topic"], self.topics.columns["rho"], strict=True))
        named = ", ".join(f"{topic} ({float(rho[topic] or 0):.4f})" for topic in self.named)
        return (
            f"{self.title}: one line for each topic, with R from {bases[0]} to {bases[-1]}, rankings cut at rank "
            f"{self.depth}. Means are {means}. Named topics, with their rho: {named}."
        )

    def _mean(self, name: str) -> float:
        column = np.array(self.topics.columns[name], dtype=np.float64)
        return float(np.nanmean(column)) if not np.isnan(column).all() else float("nan")

    def draw(self, space: Space) -> Spec:
        """One line for each topic, coloured by the recall base; named ones over the others."""
        look = space.look
        values = [float(value or 0) for value in self.lines.columns["value"]]
        across = ordinal(
            "axis",
            scale={"domain": list(AXES.values()), "padding": 0.3},
            title=None,
            axis={
                "labelAngle": 0,
                "grid": True,
                "gridOpacity": 1,
                "labelPadding": 0.8 * look.font_size,
                "ticks": False,
            },
        )
        value = quantitative(
            "value",
            title="value",
            scale={"domain": [min(0.0, *values), max(1.0, *values)], "nice": False},
            axis={"grid": False},
        )
        tooltip = ["topic", "R", "axis", {**value, "format": ".4f"}]
        layers = [self._all(space), *(one for place in range(len(self.named)) for one in self._named(place, look))]
        drawn = plot(layers, space.width, space.height, "lines", x=across, y=value, detail="topic", tooltip=tooltip)
        signs = [
            Sign(f"topic {topic}", _colour(place, look), tuple(DASHES[place])) for place, topic in enumerate(self.named)
        ]
        return {"spacing": look.font_size, "vconcat": [*([key(signs, space)] if signs else []), drawn]}

    def _all(self, space: Space) -> Spec:
        look = space.look
        bases = [float(base or 0) for base in self.topics.columns["R"]]
        middle = float(round(math.sqrt(bases[0] * bases[-1])))
        ticks = {"values": sorted({bases[0], middle, bases[-1]}), "format": "d"}
        colour = quantitative(
            "R",
            scale={"type": "log", "domain": [bases[0], max(bases[-1], bases[0] + 1)], "range": look.sequence[1:]},
            legend=gradient_legend("recall base R", min(160.0, space.width / 2), 0.8 * look.font_size, **ticks),
        )
        thick = {"condition": {"param": "met", "empty": False, "value": 3}, "value": 1}
        lines = layer(mark_spec("line", strokeWidth=1, aria=False), color=colour, strokeWidth=thick)
        return {"params": [hover("met", "topic")], **lines}

    def _named(self, place: int, look: Look) -> list[Spec]:
        """The line of a topic that is distinguished, with a mark on each axis."""
        own, colour = [{"filter": {"field": "topic", "equal": self.named[place]}}], _colour(place, look)
        line = mark_spec("line", strokeWidth=2, color=colour, strokeDash=DASHES[place], aria=False)
        dots = mark_spec("point", filled=True, opacity=1, size=3 * look.font_size, color=colour, shape=SHAPES[place])
        return [layer(line, None, own), layer(dots, None, own)]


def indicators_figure(
    qrels: QrelsLike,
    run: RunsLike,
    *,
    named: Sequence[str] | None = None,
    depth: int | None = None,
    rel: float = 1,
    missing: Missing = "zero",
    **options: Unpack[RankingOptions],
) -> IndicatorsFigure:
    """Draw the indicators of a run's CRP, topic by topic.

    Parallel coordinates are the recall base and rho_w of each topic, and the four indicators. rho is RB over the
    balance point, b_ratio how much sooner than the full scale CRP balances, CRP_min how much less it falls, CRP_N how
    much lower it ends (above 1 where it ends below 0). rho_w is the rho of the full scale.

    Parameters
    ----------
    qrels : qrels
        Judgments: a file, a dict, a frame, or what `read_qrels` returns.
    run : run
        Rankings of one run: a file, a dict, a frame, or what `read_run` returns.
    named : sequence of str, default those with the highest and the lowest rho
        Topic whose line is named, at most seven.
    depth : int, default 1000
        Cut every ranking at this rank first.
    rel : float
        Lowest relevant grade.
    missing : {'zero', 'common', 'error'}
        Topics that a run lacks: an empty ranking, left out for all runs, or an error.
    **options
        Keywords on reading and judging, as `evaluate` explains them: judged_only, grades, negative, order, max_size,
        threads.

    Returns
    -------
    IndicatorsFigure
        A line for each topic.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Notes
    -----
    Topics without a recall base have no line. Where the highest and lowest rho are equal, CRP_min decides.

    Command line
    ------------
        rankscale figure indicators qrels.txt run.txt -o indicators.pdf
        rankscale figure indicators qrels.txt run.txt --topic 103 --topic 121 -o indicators.html
        rankscale figure indicators qrels.txt run.txt --rel 2 -o indicators.svg
    """
    check_arguments(indicators_figure, locals())
    deep = checked_depth(depth)
    requested = [NumRel(rel=rel), *(kind(rel=rel, depth=deep) for kind in (RhoW, Rho, BRatio, CRPMin, CRPN))]
    evaluation = evaluate(qrels, run, requested, missing=missing, **options)
    if len(evaluation.runs) != 1:
        raise ParameterError(f"indicators are drawn of one run, got {len(evaluation.runs)}")
    kept = np.flatnonzero(evaluation.retrieved[0] & (evaluation.values[0, 0] > 0))
    if not len(kept):
        raise ParameterError(f"{evaluation.runs[0]} has no topic with a document of grade {rel:g} or more")
    kept = kept[np.argsort(evaluation.values[0, 0, kept], kind="stable")]
    topics = [evaluation.topics[place] for place in kept.tolist()]
    values = evaluation.values[:, 0, kept]
    return IndicatorsFigure(
        run=evaluation.runs[0],
        depth=deep,
        topics=Table(
            {
                "topic": topics,
                "R": values[0].astype(int).tolist(),
                "R_share": (values[0] / values[0].max()).tolist(),
                **{name: values[place].tolist() for place, name in enumerate(AXES) if place},
            }
        ),
        lines=_corners(topics, values),
        named=_named(topics, values, named),
        notices=evaluation.notices,
    )


def _colour(place: int, look: Look) -> str:
    """The colour of a named topic; blue comes last, since the lines of all topics are blue."""
    return look.colours[(place + 1) % NAMED]


def _corners(topics: list[str], values: Floats) -> Table:
    """One row for each topic and axis."""
    shown = np.concatenate([values[:1] / values[0].max(), values[1:]])
    place, axis = np.nonzero(~np.isnan(shown.T))
    labels = list(AXES.values())
    return Table(
        {
            "topic": [topics[one] for one in place.tolist()],
            "R": values[0].astype(int)[place].tolist(),
            "axis": [labels[one] for one in axis.tolist()],
            "value": shown[axis, place].tolist(),
        }
    )


def _named(topics: list[str], values: Floats, named: Sequence[str] | None) -> tuple[str, ...]:
    """The topics requested, or the best and the worst."""
    if named is None:
        rho, lowest = values[list(AXES).index("rho")], values[list(AXES).index("CRP_min")]
        order = np.lexsort((lowest, rho))
        return tuple(dict.fromkeys(topics[place] for place in (int(order[-1]), int(order[0]))))
    requested = [named] if isinstance(named, str) else list(map(str, named))
    if len(requested) > NAMED:
        raise ParameterError(f"at most {NAMED} topics can be distinguished, got {len(requested)}")
    for topic in requested:
        if topic not in topics:
            raise UnknownNameError("topic", topic, topics, f"there are lines of {', '.join(topics[:5])} ...")
    return tuple(requested)


COMMAND = Declaration(
    indicators_figure,
    source="run",
    flags={"named": "--topic"},
    shared=("missing_of_runs", "relevance", "grades", "judged_only", "cut", "reading"),
)
