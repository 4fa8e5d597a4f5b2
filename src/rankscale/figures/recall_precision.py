"""Precision by recall, a plot for each lowest relevant grade and a line for each run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.names import counted_topics, place_of
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Grid, Space, Spec, grid, number, numbers
from rankscale.figures.base.labels import line_legend, run_styles
from rankscale.figures.base.look import NAMED
from rankscale.figures.base.vega import digits, heading, layer, mark_spec, only, plot, quantitative
from rankscale.studies.recall_precision import RecallPrecision, as_written

LEAST_WIDTH = 14.0  # of a plot with its axis, in heights of type
MOST_COLUMNS = 4
MOST_PLOTS = 12


@dataclass(frozen=True, repr=False)
class RecallPrecisionFigure(Figure):
    """Interpolated precision by recall, mean over topics: a plot for each threshold, all with the same axes.

    More runs than can be distinguished are drawn behind the others, all alike.
    """

    name: ClassVar[str] = "recall-precision"

    curves: Table  # run, threshold, recall, precision, topics
    thresholds: Table  # threshold, topics with a relevant document, topics
    exactly: bool  # whether the threshold is the only relevant grade, rather than the lowest
    named: tuple[str, ...]  # runs that are distinguished
    over: str  # how many topics means are over

    @property
    def title(self) -> str:
        """What means are over, and the lowest relevant grade if there is one only."""
        (first, *others) = self.thresholds.columns["threshold"]
        alone = "" if others else f", relevant {self._grade(first)}"
        return f"Interpolated precision by recall{alone}, mean over {self.over}"

    @property
    def description(self) -> str:
        """Precision of the named runs, averaged over levels of recall."""
        runs = len(set(self.curves.columns["run"]))
        ends = "; ".join(
            f"relevant {self._grade(row['threshold'])}: {self._means(number(row['threshold']))}"
            for row in self.thresholds
        )
        which = "relevant grade" if self.exactly else "lowest relevant grade"
        return (
            f"{self.title}: lines of {runs} run{'s' * (runs != 1)}, a plot for each {which}. Mean over levels of "
            f"recall, {ends}."
        )

    def _grade(self, threshold: Cell) -> str:
        """Which documents are relevant, after the word relevant."""
        return f"at grade {threshold} alone" if self.exactly else f"from grade {threshold}"

    def _means(self, threshold: float) -> str:
        rows = [row for row in self.curves if row["threshold"] == threshold]
        values = {run: [number(row["precision"]) for row in rows if row["run"] == run] for run in self.named}
        return ", ".join(f"{run} {np.mean(precision):.4f}" for run, precision in values.items())

    def draw(self, space: Space) -> Spec:
        """As many plots side by side as have room, with one legend."""
        panels = grid(len(self.thresholds), space, LEAST_WIDTH, MOST_COLUMNS)
        plots = [self._plot(place, panels) for place in range(len(self.thresholds))]
        together = plots[0] if len(plots) == 1 else panels.spec(plots)
        return {"data": {"name": "curves"}, **together}

    def _plot(self, place: int, panels: Grid) -> Spec:
        space, width = panels.space, panels.width
        look = space.look
        threshold, having, topics = (list(column)[place] for column in self.thresholds.columns.values())
        some_lack = any(row["having"] != row["topics"] for row in self.thresholds)
        title = heading(
            f"grade {threshold} {'alone' if self.exactly else 'and higher'}",
            look,
            width,
            fontWeight="normal",
            below=f"in {having} of {topics} topics" if some_lack else "",
            colour=look.grey,
        )
        others = mark_spec("line", strokeWidth=0.6, color=look.faint)
        rest = [{"filter": {"not": {"field": "run", "oneOf": list(self.named)}}}]
        tooltip = ["run", quantitative("recall"), *digits("precision")]
        grey = layer(others, None, rest, detail="run", tooltip=tooltip)
        styles = run_styles(self.named, space, line_legend(self.named, space))
        line = mark_spec("line", strokeWidth=1.4, point=False)
        named = layer(line, None, [only("run", *self.named)], **styles)
        some_grey = set(self.curves.columns["run"]) - set(self.named)
        drawn = plot(
            [*([grey] if some_grey else []), named],
            width,
            panels.height((0.6 if panels.columns == 1 else 1.0) * width),
            None,
            [only("threshold", threshold)],
            x=self._across(width / look.font_size, titled=panels.lowest(place)),
            y=self._up(titled=panels.left(place)),
        )
        return {"title": title, **drawn} if len(self.thresholds) > 1 else drawn

    def _across(self, width: float, *, titled: bool) -> Spec:
        axis = {"tickCount": 5 if width > LEAST_WIDTH else 2, "format": "~f", "grid": False}
        scale = {"domain": [0, 1], "nice": False}
        return quantitative("recall", title="recall" if titled else None, scale=scale, axis=axis)

    def _up(self, *, titled: bool) -> Spec:
        top = max([0.0, *numbers(self.curves, "precision")])
        scale = {"domain": [0, top or 1.0], "nice": True}
        return quantitative("precision", title="precision" if titled else None, scale=scale)


def recall_precision_figure(study: RecallPrecision, runs: Sequence[str] | None = None) -> RecallPrecisionFigure:
    """Draw precision by recall at each grade.

    A plot for each lowest relevant grade, or for each grade alone, with a line for each run. Runs beyond those that can
    be told apart are grey.

    Parameters
    ----------
    study : RecallPrecision
        Result of `recall_precision`.
    runs : sequence of str, default the best
        Name of a run whose line is named.

    Returns
    -------
    RecallPrecisionFigure
        The lines.

    Raises
    ------
    ParameterError
        If there are more thresholds than plots have room.

    Notes
    -----
    The best are those with the highest precision, averaged over levels of recall, at the lowest threshold.

    Command line
    ------------
        rankscale figure recall-precision qrels.txt runs/*.gz -o precision.pdf
        rankscale figure recall-precision qrels.txt runs/*.gz --thresholds 1,3 -o precision.svg
        rankscale figure recall-precision qrels.txt runs/*.gz --exactly -o precision.svg
        rankscale figure recall-precision qrels.txt runs/*.gz -o precision.tsv
    """
    names = study.evaluation.runs
    if len(study.thresholds) > MOST_PLOTS:
        raise ParameterError(
            f"a figure has room for {MOST_PLOTS} plots, and there are {len(study.thresholds)} thresholds: name fewer"
        )
    best = np.argsort(-study.precision[0].mean(axis=-1), kind="stable")[:NAMED].tolist()
    requested = list(dict.fromkeys([runs] if isinstance(runs, str) else runs or ()))
    chosen = [place_of(names, run, "run", "there are") for run in requested] or best
    having, topics = study.relevant_topics.tolist(), len(study.evaluation.topics)
    limits = [(grade, there, topics) for grade, there in zip(map(as_written, study.thresholds), having, strict=True)]
    return RecallPrecisionFigure(
        curves=study.tables()["points"],
        thresholds=Table.of(("threshold", "having", "topics"), limits),
        exactly=study.exactly,
        named=tuple(names[place] for place in chosen),
        over=counted_topics(study.evaluation.means().counted),
    )


COMMAND = Declaration(
    recall_precision_figure,
    source="study",
    study="recall-precision",
    study_options=("thresholds", "exactly", "recalls"),
    flags={"runs": "--run"},
    shared=("missing_of_runs", "grades", "judged_only", "cut", "reading"),
)
