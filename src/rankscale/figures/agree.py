"""Two judges in one picture: where their grades agree, where runs move, and which differences stay significant."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.table import Cell, Table
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number
from rankscale.figures.base.heat_map import ink_on_shades, shades
from rankscale.figures.base.slopes import Slopes
from rankscale.figures.base.vega import by_kind, heading, layer, mark_spec, nominal, plot, quantitative
from rankscale.studies.agree.runs import OUTCOMES, RunsByTwo
from rankscale.studies.agree.two_sets import Agree, grade_text

MOVES = ("rises", "falls", "keeps its place")  # from A to B
SIDES = ("A", "B")
OUTCOME_WORDS = {
    "kept": "both",
    "flipped": "reversed",
    "lost": "A only",
    "gained": "B only",
    "neither": "neither",
    "untested": "not tested",
}
NARROW = 45.0  # heights of type; in less width plots stand under each other
ROW = 1.25  # heights of type from one name to the next
MOST_LEVELS = 12  # of the matrix, up to which counts have room
SMALLEST_TYPE = 4.5  # points


@dataclass(frozen=True, repr=False)
class AgreeFigure(Figure):
    """The matrix of grades; with runs their order under both, and what becomes of significant differences."""

    name: ClassVar[str] = "agree"
    ratio: ClassVar[float] = 0.4

    matrix: Table  # grade_A, grade_B, items, share
    runs: Table  # run, side, order, place, mean, move
    outcomes: Table  # outcome, pairs
    levels: tuple[str, ...]
    study: Agree

    @property
    def title(self) -> str:
        """Which judgments are compared."""
        return f"A: {self.study.sources[0]}, B: {self.study.sources[1]}"

    @property
    def description(self) -> str:
        """Kappa, tau, and counts of pairs."""
        items = sum(int(number(cell)) for cell in self.matrix.columns["items"])
        same = sum(int(number(row["items"])) for row in self.matrix if row["grade_A"] == row["grade_B"])
        judges = "A ({}) and B ({})".format(*self.study.sources)
        agreed = f"{same:,} are the same, {self._kappa}"
        parts = [f"Heat map of the grades that {judges} gave {items:,} documents: {agreed}."]
        if effect := self._effect:
            falls = [row for row in self.runs if row["side"] == "B" and row["move"] == "falls"]
            runs = len(self.runs) // 2
            parts.append(f"Order of {runs} runs by {effect.measure} under both: {_tau(effect)}, {len(falls)} fall.")
            if effect.tests is not None:
                counts = ", ".join(f"{row['pairs']} {row['outcome']}" for row in self.outcomes)
                parts.append(f"Pairs of runs, {effect.tests.significant} significant under A: {counts}.")
        return " ".join(parts)

    @property
    def _kappa(self) -> str:
        return f"kappa {_text(self.study.judges['kappa'].pooled)}"

    @property
    def _effect(self) -> RunsByTwo | None:
        """What the two judgments do to runs by the first measure, if there are any."""
        return None if self.study.judged is None else self.study.judged.by_measure[0]

    def draw(self, space: Space) -> Spec:
        """Plots side by side or, in a narrow figure, under each other."""
        size, effect = space.look.font_size, self._effect
        under = (space.look.width or space.width) < NARROW * size
        parts = [1.0] if effect is None else [0.85, 1.25, *([0.65] if len(self.outcomes) else [])]
        widths = [space.width if under or effect is None else space.width * part / sum(parts) for part in parts]
        rows = len(self.runs) / 2
        natural = max(min(0.9 * widths[0], 22 * size), min(ROW * size * rows, 60 * size))
        height = space.height / (len(parts) if under else 1) if space.look.height else natural
        heat = min(height, 0.9 * widths[0]) if not space.look.height else height
        plots = [self._matrix(widths[0], heat, space)]
        if effect is not None:
            plots.append(self._slopes(effect, widths[1], height, space))
        if len(self.outcomes):
            plots.append(self._outcomes(widths[2], min(height, 14 * size), space))
        joined = {"vconcat" if under else "hconcat": plots, "spacing": 2 * size}
        return {**joined, "resolve": {"scale": dict.fromkeys(("color", "strokeDash", "x", "y"), "independent")}}

    def _matrix(self, width: float, height: float, space: Space) -> Spec:
        look, size = space.look, space.look.font_size
        scale = {"domain": list(self.levels), "padding": 0.03}
        axis: Spec = {"domain": False, "ticks": False, "labelAngle": 0}
        cell = min(width, height) / len(self.levels)
        longest = max(len(f"{int(number(one)):,}") for one in self.matrix.columns["items"])
        letters = min(size, 0.9 * width / len(self.levels) / (longest * WIDTH_OF_LETTER + 0.3))
        domain = [0.0, 1.0]
        numbered = len(self.levels) <= MOST_LEVELS and letters >= SMALLEST_TYPE and cell > size
        tooltip = [
            nominal("grade_A", title="grade by A"),
            nominal("grade_B", title="grade by B"),
            quantitative("items", format=","),
            quantitative("share", title="share of A's", format=".1%"),
        ]
        grounds = layer(mark_spec("rect", aria=False), color=shades("share", domain, look), tooltip=tooltip)
        text = layer(
            mark_spec("text", fontSize=round(letters, 2), baseline="middle", aria=False),
            text=quantitative("items", format=","),
            color=ink_on_shades("share", domain, look),
        )
        drawn = plot(
            [grounds, *([text] if numbered else [])],
            round(width),
            round(height),
            "matrix",
            x=nominal("grade_B", scale=scale, title="grade by B", axis={**axis, "orient": "bottom"}),
            y=nominal("grade_A", scale=scale, title="grade by A", axis=axis),
        )
        title = heading(f"Grades, {self._kappa}", look, width + 3 * size, 0.6, anchor="start")
        return {"title": title, **drawn, "resolve": {"scale": {"color": "independent"}}}

    def _slopes(self, effect: RunsByTwo, width: float, height: float, space: Space) -> Spec:
        places = [{str(row["run"]): number(row["order"]) for row in self.runs if row["side"] == side} for side in SIDES]
        tooltip = [nominal("run"), nominal("side"), quantitative("place"), quantitative("mean", format=".4f")]
        slopes = Slopes({side: side for side in SIDES}, places, MOVES, "move", tooltip)
        words = f"Order by {effect.measure}, {_tau(effect)}"
        title = heading(words, space.look, width + 3 * space.look.font_size, 0.6, anchor="middle")
        return {"title": title, **slopes.plot(Space(space.look, width, height))}

    def _outcomes(self, width: float, height: float, space: Space) -> Spec:
        look, size = space.look, space.look.font_size
        names = [str(row["outcome"]) for row in self.outcomes]
        most = max(number(cell) for cell in self.outcomes.columns["pairs"])
        words = json.dumps(OUTCOME_WORDS)
        axis = {"domain": False, "ticks": False, "labelExpr": f"({words})[datum.value]", "labelLimit": 0}
        y = nominal("outcome", title=None, scale={"domain": names, "padding": 0.25}, axis=axis)
        x = quantitative("pairs", title=None, scale={"domain": [0, max(1.0, 1.35 * most)], "nice": False}, axis=None)
        shades = {"kept": look.grey, "neither": look.faint, "untested": look.faint}
        shades |= {"lost": look.colours[1], "gained": look.colours[0], "flipped": look.ink}
        kinds = by_kind("outcome", names, color=[shades[name] for name in names])
        tooltip = [nominal("outcome"), quantitative("pairs")]
        bars = layer(mark_spec("bar", aria=False), x=x, y=y, **kinds, tooltip=tooltip)
        text = mark_spec("text", align="left", dx=0.4 * size, baseline="middle", color=look.ink)
        counts = layer(text, x=x, y=y, text=quantitative("pairs", format=","))
        title = heading("Pairs significant under", look, width + 3 * size, 0.6, anchor="start")
        return {"title": title, **plot([bars, counts], round(width), round(height), "outcomes")}


def agree_figure(study: Agree) -> AgreeFigure:
    """Draw how two judges grade, and what that does to runs.

    Three plots: documents by the grades of both judges, the order of runs by one measure under each judge, and how many
    pairs of runs differ significantly under both, under one only, or under neither.

    Parameters
    ----------
    study : Agree
        Result of `agree`; of several measures the first is drawn.

    Returns
    -------
    AgreeFigure
        One plot without runs, else three.

    Command line
    ------------
        rankscale figure agree qrels.txt other-qrels.txt runs/*.gz -m nDCG@10 -o agree.pdf
        rankscale figure agree qrels.txt other-qrels.txt runs/*.gz -m AP --judgments common -o agree.svg --width 84mm
        rankscale figure agree qrels.txt other-qrels.txt -o matrix.svg
    """
    judges = study.judges
    levels = tuple(map(grade_text, judges.levels.tolist()))
    totals = judges.matrix.sum(axis=1)
    cells = [
        (levels[a], levels[b], int(judges.matrix[a, b]), float(judges.matrix[a, b] / totals[a]) if totals[a] else 0.0)
        for a in range(len(levels))
        for b in range(len(levels))
    ]
    effect = None if study.judged is None else study.judged.by_measure[0]
    tests = None if effect is None else effect.tests
    counts = [] if tests is None else [(one, tests.count(one)) for one in OUTCOMES if one != "untested"]
    if tests is not None and tests.count("untested"):
        counts.append(("untested", tests.count("untested")))
    return AgreeFigure(
        matrix=Table.of(("grade_A", "grade_B", "items", "share"), cells),
        runs=_sides(effect, study.runs),
        outcomes=Table.of(("outcome", "pairs"), counts),
        levels=levels,
        study=study,
    )


def _sides(effect: RunsByTwo | None, runs: Sequence[str]) -> Table:
    """Each run under A and under B; those with the same mean stand in the order of their names."""
    names = ("run", "side", "order", "place", "mean", "move")
    if effect is None:
        return Table.of(names, [])
    shift = np.sign(effect.places[1] - effect.places[0]).tolist()
    moves = {-1: MOVES[0], 1: MOVES[1], 0: MOVES[2]}
    rows: list[tuple[Cell, ...]] = []
    for side, name in enumerate(SIDES):
        places, means = effect.places[side].tolist(), effect.means[side].tolist()
        order = sorted(range(len(runs)), key=lambda run: (places[run], runs[run]))
        rows += [
            (runs[run], name, at, places[run], means[run], moves[shift[run]]) for at, run in enumerate(order, start=1)
        ]
    return Table.of(names, rows)


def _tau(effect: RunsByTwo) -> str:
    return f"tau {_text(effect.orders['tau'].value)}"


def _text(coefficient: float) -> str:
    return "undefined" if math.isnan(coefficient) else f"{coefficient:.3f}"


COMMAND = Declaration(
    agree_figure,
    source="study",
    study="agree",
    study_options=("judgments", "test", "alpha", "correction", "samples", "seed"),
    fixed={"draws": "1"},
    measure="nDCG@10",
    shared=("missing", "judging", "reading"),
)
