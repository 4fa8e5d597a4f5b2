"""CRP and DCG of one ranking, over one axis of ranks, each with the bar of what every document adds."""

from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Unpack

import numpy as np

from rankscale.data.arguments import Declaration, check_arguments
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import RankingOptions
from rankscale.figures import crp
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.labels import KeySign, key
from rankscale.figures.base.relative_positions import KINDS, TopicCourse, discounted_gains, line_corners, read_ranking
from rankscale.figures.base.vega import by_kind, digits, layer, mark_spec, nominal, plot, quantitative
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse

MORE, EQUAL, LESS = "more than the ideal", "as the ideal", "less than the ideal"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CrpDcgFigure(crp.CrpFigure):
    """One ranking, looked at in two ways: where documents stand, and what they gain.

    The plots stand one above the other, so that one rank is one place in all of them. The bar under DCG is the gain of
    the document at each rank less the gain of the ideal ranking there, both discounted. A key says what the colours of
    both bars are.
    """

    name: ClassVar[str] = "crp-dcg"
    ratio: ClassVar[float] = 0.9

    measure: str  # DCG, with its parameters; ranks have the columns DCG, ideal_DCG, difference, kind
    equal: Table  # first, last: stretches of ranks that gain what the ideal ranking gains there
    gains: Table  # rank, DCG, ideal_DCG, where its lines bend

    @property
    def title(self) -> str:
        """The measure, the run and the topic."""
        return f"CRP and {self.measure} of {self.ranking.run}, topic {self.ranking.topic}"

    @property
    def description(self) -> str:
        """How both curves go."""
        own, ideal = (float(self.ranks.columns[name][-1] or 0) for name in ("DCG", "ideal_DCG"))
        kinds = list(self.ranks.columns["kind"])
        return (
            f"{self.title}. {self.course.sentence()} {self.measure} at rank {self.last} is {own:.4f}, that of the "
            f"ideal ranking {ideal:.4f}. At {kinds.count(LESS)} of these ranks the document gains less than that of "
            f"the ideal ranking, at {kinds.count(MORE)} more."
        )

    def draw(self, space: Space) -> Spec:
        """CRP, its bar, DCG, its bar."""
        bar = crp.bar_height(space)
        plot = max(40.0, (space.height - 2 * bar) / 2)
        look = space.look
        signs = [
            KeySign(f"{self.measure} of the ranking", look.ink, (1, 0)),
            KeySign("ideal ranking", look.grey, crp.IDEAL_DASH),
        ]
        square = {"shape": "square", "size": 6 * look.font_size}
        bars = [
            KeySign(f"{where}; gains {gains}", colour, **square)  # type: ignore[arg-type]
            for where, gains, colour in zip(KINDS, (LESS, EQUAL, MORE), crp.kind_colours(look), strict=True)
        ]
        return {
            "spacing": look.font_size,
            "resolve": {"scale": {"x": "shared", **dict.fromkeys(("y", "color", "strokeDash"), "independent")}},
            "vconcat": [
                *self.crp_parts(space, plot, axis=False),
                key(bars, space),
                key(signs, space),
                self._dcg_plot(space, plot),
                self._difference_bar(space, 1.2 * bar),
            ],
        }

    def _dcg_plot(self, space: Space, height: float) -> Spec:
        look = space.look
        ticks = max(3, round(height / (2.8 * look.font_size)))
        value = quantitative("value", title=self.measure, axis={"tickCount": ticks})
        layers = [
            *crp.guides(self.course.recall_base, look),
            crp.curves_layer(crp.DCG_CURVES, look, value),
        ]
        return plot(layers, space.width, height, "gains", x=crp.rank_axis(self.last, labels=False))

    def _difference_bar(self, space: Space, height: float) -> Spec:
        """Bars up where the document gains more than that of the ideal ranking, down where it gains less."""
        look = space.look
        line = mark_spec("rule", color=look.pale, strokeWidth=2.5, clip=True, aria=False)
        tooltip = [
            quantitative("rank"),
            nominal("document"),
            quantitative("grade"),
            *digits("difference"),
            nominal("kind"),
        ]
        bars = layer(
            mark_spec("rect", clip=True, aria=False),
            None,
            [{"filter": {"not": {"field": "kind", "equal": EQUAL}}}],
            y=quantitative("difference", title=["gain minus", "ideal gain"], axis={"tickCount": 3}),
            y2={"datum": 0},
            **by_kind("kind", [MORE, EQUAL, LESS], color=[look.early, look.pale, look.late]),
            tooltip=tooltip,
        )
        return plot(
            [bars, layer(line, "equal", crp.stretch("first", "last"), y={"datum": 0})],
            space.width,
            height,
            "ranks",
            crp.stretch("rank", "rank"),
            x=crp.rank_axis(self.last, "from"),
            x2="to",
        )


def crp_dcg_figure(
    qrels: QrelsLike,
    run: RunsLike,
    topic: str,
    *,
    measure: str | Measure = "DCG(base=2)",
    last: crp.LastRank | None = None,
    depth: int | None = None,
    rel: float = 1,
    **options: Unpack[RankingOptions],
) -> CrpDcgFigure:
    """Draw CRP and DCG of one ranking, over one axis of ranks.

    CRP shows where documents stand, DCG what they gain. The bar under DCG is the gain of the document at each rank less
    that of the ideal ranking there, both discounted.

    Parameters
    ----------
    qrels, run, depth, rel, **options
        As for `crp_figure`.
    topic : str
        Topic whose ranking is drawn.
    measure : str or Measure
        Discount and gains, as in 'DCG(base=2,gains=[-1,1,2,3])'.
    last : int, default 2RB, or the last relevant document
        Draw down to this rank.

    Returns
    -------
    CrpDcgFigure
        The curves and the bars.

    Raises
    ------
    ParameterError
        If there is no CRP to draw, or gains do not add up in the measure, as they do in DCG.

    Notes
    -----
    Negative gains make what is not relevant cost something, as in Figure 2 of the CRP paper.

    Command line
    ------------
        rankscale figure crp-dcg qrels.txt run.txt --topic 101 -o both.pdf
        rankscale figure crp-dcg qrels.txt run.txt --topic 101 --last 30 -o both.svg
        rankscale figure crp-dcg qrels.txt run.txt --topic 101 -m 'DCG(base=2,gains=[-1,1,2,3])' -o both.html
    """
    topic = str(topic)  # numbers do, too
    check_arguments(crp_dcg_figure, locals())
    return crp_dcg_of(read_ranking(qrels, run, topic, depth=depth, rel=rel, **options), measure, last)


def crp_dcg_of(ranking: TopicCourse, measure: str | Measure = "DCG(base=2)", last: int | None = None) -> CrpDcgFigure:
    """The figure of a ranking that was read; parameters as for `crp_dcg_figure`."""
    of_crp = crp.figure_of(ranking, last)
    dcg = _dcg(measure)
    own, ideal = discounted_gains(dcg, ranking.judged, of_crp.last)
    apart = own - ideal
    kinds = [MORE if one > 0 else LESS if one < 0 else EQUAL for one in apart.tolist()]
    sums = {"DCG": np.cumsum(own), "ideal_DCG": np.cumsum(ideal)}
    columns = {**{name: column.tolist() for name, column in sums.items()}, "difference": apart.tolist(), "kind": kinds}
    stretches = [list(group) for kind, group in groupby(range(len(kinds)), key=kinds.__getitem__) if kind == EQUAL]
    equal = Table.of(("first", "last"), [(ranks[0] + 1, ranks[-1] + 1) for ranks in stretches])
    with_gains = {**vars(of_crp), "ranks": Table({**of_crp.ranks.columns, **columns})}
    gains = line_corners(of_crp.last, **sums)
    return CrpDcgFigure(**with_gains, measure=str(dcg), equal=equal, gains=gains)


def _dcg(measure: str | Measure) -> Additive:
    """The measure, where graded gains add up in it, as they do in DCG and CG."""
    parsed = parse(measure)
    sums = parsed.as_additive if parsed.graded else None
    if sums is None:
        raise ParameterError(f"CRP is drawn beside DCG, as in 'DCG(base=2)', got {parsed}")
    if sums.depth is not None:
        raise ParameterError(f"give the last rank that is drawn rather than a depth of the measure, got {parsed}")
    return sums


COMMAND = Declaration(crp_dcg_figure, source="run", measure="DCG(base=2)", shared=("judging", "reading"))
