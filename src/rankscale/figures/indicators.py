"""Parallel coordinates of what CRP says of a run: one line for each topic, by its recall base."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, Unpack, cast

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.declared import Declaration
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Missing, RankingOptions, judging_of, reading_of
from rankscale.figures.base.cells import number
from rankscale.figures.base.chosen_ranking import chosen_ranking, tables_of_topics
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.keys import Sign, key
from rankscale.figures.base.look import DASHES, NAMED, SHAPES, TEXT_WIDTH, Look
from rankscale.figures.base.relative_positions import Rankings, checked_depth
from rankscale.figures.base.rendering import on_page
from rankscale.figures.base.vega import gradient_legend, hover, layer, mark_spec, ordinal, plot, quantitative
from rankscale.formats.read.inputs import QrelsLike, RunsLike, iterate_runs, read_qrels
from rankscale.formats.read.reading import check_keywords
from rankscale.measures.base.measure import Measure
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

LISTED = 6  # values beyond an axis that are written beside it
WIDE = 40  # heights of type that a figure is wide, for topics beside the values
BESIDE = 9  # heights of type that such a value may be wide
CLICKED = 9  # how wide a line is for those who click on it, in pixels


@dataclass(frozen=True, eq=False, repr=False)
class IndicatorsFigure(Figure):
    """The recall base and rho_w of each topic, and the four indicators of the run's ranking for it.

    Lines are light where the recall base is small and dark where it is large (the other way round on dark ground). At
    most seven topics are named: those requested, or the ones with the highest and the lowest rho. All axes go from 0 to
    1; CRP_N beyond that is drawn at the end of its axis, with an arrow and its value. On a page, a click on a line
    opens CRP and the bar of relative positions of that topic.
    """

    name: ClassVar[str] = "indicators"
    ratio: ClassVar[float] = 0.5

    run: str
    depth: int
    topics: Table  # topic, R, R_share (of the largest R), rho_w, rho, b_ratio, CRP_min, CRP_N; the smallest R first
    lines: Table  # topic, R, axis, value, drawn (the value, or the end of the axis that it is beyond)
    named: tuple[str, ...]
    rankings: Rankings  # which a page opens
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
        return {"spacing": space.look.font_size, "vconcat": self._parts(space)}

    def page_spec(self, look: Look, width: float | None = None) -> dict[str, object]:
        """With the ranking of the topic whose line is clicked, or which is chosen from a list, below."""
        spec = super().page_spec(look, width)
        across = round(width or self.interactive_width)
        space = Space(on_page(look), across, round(across * self.ratio))
        tables = tables_of_topics(self.rankings, [str(topic) for topic in self.topics.columns["topic"]])
        parts = [*self._parts(space, clickable=True), chosen_ranking("chosen", tables, space)]
        datasets = {**cast("Spec", spec["datasets"]), **{name: list(table) for name, table in tables.items()}}
        apart = {"scale": {"x": "independent", "y": "independent", "color": "independent"}}
        return {**spec, "datasets": datasets, "vconcat": parts, "resolve": apart}

    def _parts(self, space: Space, *, clickable: bool = False) -> list[Spec]:
        """The key, if some topics are named, and the plot; the line that is pointed at is thicker."""
        look = space.look
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
        down = quantitative(
            "drawn", title="value", scale={"domain": [0, 1], "nice": False}, axis={"grid": False, "tickCount": 5}
        )
        tooltip = ["topic", "R", "axis", quantitative("value", format=".4f")]
        pointed = hover("met", "topic")
        layers = [
            {**({} if clickable else {"params": [pointed]}), **self._all(space)},
            *(one for place in range(len(self.named)) for one in self._named(place, look)),
            *self._beyond(space),
            *([self._clicked(pointed)] if clickable else []),
        ]
        drawn = plot(layers, space.width, space.height, "lines", x=across, y=down, detail="topic", tooltip=tooltip)
        signs = [
            Sign(f"topic {topic}", _colour(place, look), tuple(DASHES[place])) for place, topic in enumerate(self.named)
        ]
        return [*([key(signs, space)] if signs else []), drawn]

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
        return layer(mark_spec("line", strokeWidth=1, aria=False), color=colour, strokeWidth=thick)

    def _clicked(self, pointed: Spec) -> Spec:
        """Lines that nobody sees, wide enough to click on; a list of topics does the same."""
        topics = [str(topic) for topic in self.topics.columns["topic"]]
        select = {"type": "point", "fields": ["topic"], "on": "click", "toggle": False, "clear": False}
        chosen = {
            "name": "chosen",
            "select": select,
            "value": [{"topic": (*self.named, *topics)[0]}],
            "bind": {"topic": {"input": "select", "options": topics, "name": "topic "}},
        }
        wide = mark_spec("line", strokeWidth=CLICKED, strokeOpacity=0, cursor="pointer", aria=False)
        return {"params": [pointed, chosen], **layer(wide)}

    def _beyond(self, space: Space) -> list[Spec]:
        """An arrow at the end of each axis that values are beyond, and these values beside it, the farthest first.

        In a narrow figure the values have no topics.
        """
        look, size = space.look, space.look.font_size
        wide = (look.width or max(space.width, TEXT_WIDTH)) >= WIDE * size
        layers: list[Spec] = []
        for row, rows in _beyond_ends(self.lines).items():
            axis, end = row
            shape, outward = ("triangle-up", -1) if end else ("triangle-down", 1)
            arrow = mark_spec("point", shape=shape, filled=True, opacity=1, color=look.ink, size=3 * size, aria=False)
            at = [{"axis": axis, "drawn": end}]
            layers.append(layer({**arrow, "yOffset": outward * 0.5 * size}, at, tooltip=None, detail=None))
            for place, text in enumerate(_listed(rows, topics=wide)):
                beside = mark_spec("text", align="left", baseline="middle", dx=0.8 * size, limit=BESIDE * size)
                beside = {**beside, "dy": outward * (0.5 - 1.15 * place) * size, "aria": False}
                layers.append(layer(beside, [{**at[0], "text": text}], text="text", tooltip=None, detail=None))
        return layers

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
    much lower it ends (above 1 where it ends below 0). rho_w is the rho of the full scale. All axes go from 0 to 1;
    what is beyond is drawn at the end, with an arrow and its value. As a page (.html), a click on a line opens that
    topic: its CRP and the bar of relative positions.

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
        Keywords on reading and judging: judged_only, grades, negative, order, max_size, threads.

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
    check_keywords(indicators_figure, options, RankingOptions)
    deep, reading, judging = checked_depth(depth), reading_of(options), judging_of(options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    read = list(iterate_runs(judgments, run, reading))
    if len(read) != 1:
        raise ParameterError(f"indicators are drawn of one run, got {len(read)}")
    evaluation = evaluate(judgments, read, measures_drawn(deep, rel), missing=missing, **asdict(judging))
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
        rankings=Rankings(read[0], judging.regraded(judgments), judging.judged_only, deep, rel),
        notices=evaluation.notices,
    )


def measures_drawn(depth: int, rel: float) -> list[Measure]:
    """The measures of the axes: R and those in `AXES`, in this order."""
    return [NumRel(rel=rel), *(kind(rel=rel, depth=depth) for kind in (RhoW, Rho, BRatio, CRPMin, CRPN))]


def _colour(place: int, look: Look) -> str:
    """The colour of a named topic; blue comes last, since the lines of all topics are blue."""
    return look.colours[(place + 1) % NAMED]


def _beyond_ends(lines: Table) -> dict[tuple[str, int], list[tuple[str, float]]]:
    """By axis and end of it (0 or 1), topics and values beyond that end, the farthest first."""
    beyond: dict[tuple[str, int], list[tuple[str, float]]] = {}
    for row in lines:
        value, end = number(row["value"]), number(row["drawn"])
        if value != end:
            beyond.setdefault((str(row["axis"]), int(end)), []).append((str(row["topic"]), value))
    return {place: sorted(rows, key=lambda one: -abs(one[1])) for place, rows in beyond.items()}


def _listed(rows: Sequence[tuple[str, float]], *, topics: bool = True) -> list[str]:
    """Values, with their topics if requested, as many as are listed beside an axis.

    >>> _listed([("103", 1.51237), ("7", 1.1)])
    ['1.5124 (103)', '1.1000 (7)']
    """
    texts = [f"{value:.4f} ({topic})" if topics else f"{value:.3f}" for topic, value in rows]
    return texts if len(texts) <= LISTED else [*texts[: LISTED - 1], f"and {len(texts) - LISTED + 1} more"]


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
            "drawn": np.clip(shown[axis, place], 0, 1).tolist(),
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
