"""Two runs topic by topic: a bar for each difference, from the largest loss of the candidate to its largest win."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.answers.why import TopicDifferences
from rankscale.data.arguments import Declaration
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number, numbers
from rankscale.figures.base.vega import by_kind, digits, layer, mark_spec, ordinal, plot, quantitative
from rankscale.figures.topics import BARE, thinned
from rankscale.studies.diff import Diff
from rankscale.studies.diff.pair import PLURALS, topics_in_words

MOST_TOPICS = 400  # beyond which only some are drawn, evenly spaced in their order
LINE = 1.3  # from one upright name of a topic to the next, in heights of type


@dataclass(frozen=True, repr=False)
class DiffFigure(Figure):
    """A bar for each topic, the largest loss of the candidate first; ties have none.

    Topics on which a value is undefined or a difference infinite are left out, and counted in the description. Names of
    topics are written where they have room; a page shows all of them when pointed at.
    """

    name: ClassVar[str] = "diff"
    ratio: ClassVar[float] = 0.42

    bars: Table  # topic, baseline, candidate, difference, outcome
    counts: Table  # outcome, topics: what is worse first, then ties
    study: Diff
    of_topics: int  # with a finite difference, drawn or not

    @property
    def title(self) -> str:
        """Which run is compared with which, and by what."""
        measure = self._about.measure
        low = " (low is good)" if measure.low_is_good else ""
        return f"{measure}{low} of {self.study.candidate} less {self.study.baseline}, topic by topic"

    @property
    def description(self) -> str:
        """Counts of losses and wins, the mean difference, and the topics at both ends."""
        counts = ", ".join(_counted(str(row["outcome"]), int(number(row["topics"]))) for row in self.counts)
        rows = list(self.bars)
        ends = [f"{row['topic']}, {number(row['difference']):+.4f}" for row in (rows[0], rows[-1])]
        some = f" {len(rows):,} of {self.of_topics:,} topics are drawn, evenly spaced." * (len(rows) < self.of_topics)
        left_out = len(self._about.order) - self.of_topics
        gone = f" Without a finite difference: {topics_in_words(left_out)}." * bool(left_out)
        runs, mean = f"{self.study.candidate} less {self.study.baseline}", self._about.mean_gap()
        return (
            f"Bars of differences in {self._about.measure}, {runs}: {counts}; mean {mean:+.4f}. First is topic "
            f"{ends[0]}; last, {ends[1]}.{some}{gone}"
        )

    @property
    def _about(self) -> TopicDifferences:
        return self.study.by_measure[0]

    def draw(self, space: Space) -> Spec:
        """Topics across, differences up and down from 0."""
        look, size = space.look, space.look.font_size
        names = [str(cell) for cell in self.bars.columns["topic"]]
        colours = dict(zip(self.counts.columns["outcome"], (look.colours[1], look.grey, look.colours[0]), strict=True))
        there = [outcome for outcome in colours if outcome in self.bars.columns["outcome"]]
        legend = {"orient": "bottom", "title": None, "direction": "horizontal", "symbolType": "square"}
        kinds = by_kind("outcome", there, legend, color=[colours[outcome] for outcome in there])
        tooltip = ["topic", "outcome", *digits("baseline", "candidate", "difference")]
        bars = layer(mark_spec("bar", aria=False), y="difference", **kinds, tooltip=tooltip)
        line = mark_spec("rule", color=look.ink, strokeWidth=0.7, aria=False)
        zero = layer(line, [{"difference": 0}], x=None, y="difference")
        domain = [min(0.0, *numbers(self.bars, "difference")), max(0.0, *numbers(self.bars, "difference"))]
        worst = "largest loss" if "loss" in colours else "lowest difference"
        return plot(
            [bars, zero],
            space.width,
            space.height,
            "bars",
            x=ordinal(
                "topic",
                title=f"topic, the {worst} first",
                scale={"domain": names, "paddingInner": 0.15 if len(names) <= MOST_TOPICS / 2 else 0},
                axis=self._axis(names, space.width, size),
            ),
            y=quantitative(
                "difference",
                title=f"difference in {self._about.measure}",
                scale={"domain": domain if domain[0] < domain[1] else [-1.0, 1.0]},
                axis={"tickCount": 6},
            ),
        )

    def _axis(self, names: Sequence[str], width: float, size: float) -> Spec:
        """Names side by side if all fit, else upright; as many as fit."""
        flat = width / len(names) > (max(map(len, names)) + 1) * WIDTH_OF_LETTER * size
        upright = {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle", "labelLimit": 10 * size}
        shown = list(names) if flat else thinned(names, width, LINE * size)
        some = {"values": shown} if len(shown) < len(names) else {}
        return {**BARE, **some, **({"labelAngle": 0} if flat else upright), "labelPadding": 0.4 * size}


def _counted(outcome: str, topics: int) -> str:
    """A number of losses, ties or wins; of topics with lower or higher values where neither is better."""
    several = outcome if outcome in {"lower", "higher"} else PLURALS.get(outcome, "ties")
    return f"{topics:,} {outcome if topics == 1 else several}"


def diff_figure(study: Diff) -> DiffFigure:
    """Draw the differences of two runs, topic by topic.

    Topics go across, the one with the largest loss of the candidate first. Of more topics than can be seen some are
    drawn, evenly spaced in this order.

    Parameters
    ----------
    study : Diff
        Result of `diff`; of several measures the first is drawn.

    Returns
    -------
    DiffFigure
        A bar for each topic.

    Raises
    ------
    ParameterError
        If no topic has a finite difference.

    Command line
    ------------
        rankscale figure diff qrels.txt run.txt other.txt -o diff.pdf
        rankscale figure diff qrels.txt runs/*.gz --baseline bm25 --candidate manual -m AP -o diff.svg --width 84mm
        rankscale figure diff qrels.txt run.txt other.txt -m nDCG@10 --missing common -o diff.html
    """
    about, topics = study.by_measure[0], study.evaluation.topics
    places = [place for place in about.order.tolist() if math.isfinite(about.difference[place])]
    if not places:
        raise ParameterError(f"{about.measure} has no finite difference on any topic: there is nothing to draw")
    spaced = np.linspace(0, len(places) - 1, min(len(places), MOST_TOPICS)).round().astype(np.int64)
    kept, outcomes = [places[place] for place in spaced.tolist()], about.outcomes()
    baseline, candidate = about.values[:, kept].tolist()
    bars = {
        "topic": [topics[place] for place in kept],
        "baseline": baseline,
        "candidate": candidate,
        "difference": about.difference[kept].tolist(),
        "outcome": [outcomes[place] for place in kept],
    }
    lower, higher = about.words
    counts = Table.of(("outcome", "topics"), list(zip((lower, "tie", higher), about.counts(), strict=True)))
    return DiffFigure(Table(bars), counts, study, of_topics=len(places))


COMMAND = Declaration(
    diff_figure,
    source="study",
    study="diff",
    study_options=("baseline", "candidate"),
    fixed={"interval": False, "top_k": 0},
    measure="nDCG@10",
    shared=("missing", "judging", "reading"),
)
