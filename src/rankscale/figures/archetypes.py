"""The archetypes of rankings, by the course of their CRP: worked rankings, or examples from runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Unpack

from rankscale.data.arguments import Declaration, check_arguments
from rankscale.data.judged import judged
from rankscale.data.notices import Notice
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import Progress, RankingOptions, SameTopics, reading_of
from rankscale.figures.archetype_ratios import ORDER
from rankscale.figures.base.figure import Figure, Space, Spec, number
from rankscale.figures.base.labels import short_labels, width_of
from rankscale.figures.base.look import TEXT_WIDTH, Appearance, colour_at, hexadecimal, ink_on
from rankscale.figures.base.relative_positions import Course, checked_depth, course, read_ranking
from rankscale.figures.base.vega import by_kind, digits, heading, layer, mark_spec, plot
from rankscale.figures.crp import small_crp_plot
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, read_with_progress
from rankscale.studies.archetypes import archetypes

MOST = 0.9  # of all rankings: the archetypes that make up so many have the larger plots
INDEPENDENT = {"x": "independent", "y": "independent", "color": "independent"}
BETWEEN, HIGHEST = 4.8, 15.0  # heights of type between plots in a row, and that a plot has at most
LENGTH = 20  # of the worked rankings
FOUR_COLUMNS, TWO_COLUMNS = 42, 20  # how wide a figure must be for them, in font sizes
# Ten relevant documents, of grades 3 3 3 2 2 2 1 1 1 1 as in the example of the CRP paper; 0 where a ranking goes on.
# Grades retrieved, and grades missed. Typical B and A are the paper's rankings A and B.
WORKED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ideal": ("3 3 3 2 2 2 1 1 1 1", ""),
        "worst": ("0 0 0 0 0 0 0 0 0 0", "3 3 3 2 2 2 1 1 1 1"),
        "full scale": ("0 0 0 0 0 0 0 0 0 0 1 1 1 1 2 2 2 3 3 3", ""),
        "excellent A": ("3 2 1 2 3 1 3 2 1 1", ""),
        "excellent B": ("3 2 2 1 2 3 3 1 1 0", "1"),
        "ups and downs": ("3 2 2 1 3 1 3 2 0 0", "1 1"),
        "typical A": ("3 3 1 0 2 1 0 0 2 1 2 0 3 1", ""),
        "typical B": ("3 3 2 0 1 2 0 0 0 1 3", "2 1 1"),
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class ArchetypesFigure(Figure):
    """A small plot of CRP for each archetype, each on its own axes: archetypes differ in the course of CRP.

    The dotted line is the recall base, the diamond the balance point. Of rankings of runs, a bar above the plots shows
    the share of each archetype, from the least effort to the most, and those that most rankings are of have the larger
    plots.
    """

    name: ClassVar[str] = "archetypes"
    ratio: ClassVar[float] = 0.5

    rankings: Table  # archetype, run, topic, share, recall_base, turn_around_point, balance_point, last_CRP
    curves: Mapping[str, Table]  # by archetype: rank, CRP, where its line bends
    counted: int  # rankings classified; 0 where those drawn are worked examples
    notices: tuple[Notice, ...] = ()

    @property
    def title(self) -> str:
        """What the examples are."""
        if not self.counted:
            return "Archetypes of rankings, by the course of CRP"
        return f"Archetypes of {self.counted:,} rankings, by the course of CRP"

    @property
    def description(self) -> str:
        """The archetypes with their shares, recall bases and balance points."""
        return f"{self.title}. " + " ".join(_sentence(row) for row in self.rankings)

    def data(self) -> dict[str, Table]:
        """The rankings drawn, and the corners of their curves."""
        return {"rankings": self.rankings, **self.curves}

    def draw(self, space: Space) -> Spec:
        """Plots in four columns in a page, in two in a column of a page; with shares, the largest first."""
        look = space.look
        room = (look.width or TEXT_WIDTH) / look.font_size
        columns = 4 if room >= FOUR_COLUMNS else 2 if room >= TWO_COLUMNS else 1
        if not self.counted:
            return self._grid(list(self.rankings), columns, space, 0.75)
        common, rare = self._by_share()
        parts = [self._share_bar(space), self._grid(common, min(len(common), max(1, columns // 2)), space, 0.5)]
        parts += [self._grid(rare, columns, space, 0.65)] if rare else []
        return {"vconcat": parts, "spacing": 2.4 * look.font_size, "resolve": {"scale": INDEPENDENT}}

    def _by_share(self) -> tuple[list[dict[str, Cell]], list[dict[str, Cell]]]:
        """The archetypes that most rankings are of, and the others, both by their shares."""
        rows = sorted(self.rankings, key=lambda row: -number(row["share"]))
        covered, common = 0.0, 0
        while covered < MOST and common < len(rows):
            covered += number(rows[common]["share"])
            common += 1
        return rows[:common], rows[common:]

    def _grid(self, rows: list[dict[str, Cell]], most: int, space: Space, ratio: float) -> Spec:
        """Plots of one size in rows of at most so many."""
        size, count = space.look.font_size, len(rows)
        columns = min(count, most)
        width = (space.width - (most - 1) * BETWEEN * size) / most if self.counted else space.width / columns
        down = -(-len(self.rankings) // columns)
        natural = min(ratio * width, HIGHEST * size)
        height = natural if space.look.height is None else max(20.0, space.height / down)
        return {
            "columns": columns,
            "bounds": "flush",  # so that plots stand in line, whatever their labels; these have the room between plots
            "spacing": {"row": (5.2 if self.counted else 4) * size, "column": BETWEEN * size},
            "resolve": {"scale": INDEPENDENT},
            "concat": [
                self._plot(row, Space(space.look, width, height), (place % columns == 0, place >= count - columns))
                for place, row in enumerate(rows)
            ],
        }

    def _share_bar(self, space: Space) -> Spec:
        """One bar, a part of it for each archetype, named where it is wide enough."""
        look, size = space.look, space.look.font_size
        start = 0.0
        parts: list[dict[str, object]] = []
        for row in sorted(self.rankings, key=lambda row: ORDER.index(str(row["archetype"]))):
            share, words = number(row["share"]), f"{row['archetype']} {_percent(row['share'])}"
            part = {"archetype": row["archetype"], "share": share, "from": start, "to": start + share}
            wide = share * space.width > (width_of(words) + 1) * size
            parts.append({**part, "middle": start + share / 2, "words": words if wide else ""})
            start += share
        # From the second to the last of the sequence: the first is hardly seen.
        sequence = look.sequence[:-1] if look.dark else look.sequence[1:]
        colours = [hexadecimal(colour_at(sequence, place / (len(ORDER) - 1))) for place in range(len(ORDER))]
        x = {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False}, "axis": None}
        kinds = by_kind("archetype", ORDER, color=colours)
        inks = by_kind("archetype", ORDER, color=[ink_on(colour) for colour in colours])
        rect = mark_spec("rect", stroke=look.ground, strokeWidth=0.6, aria=False)
        tooltip = ["archetype", *digits("share", form=".2%")]
        text, named = mark_spec("text", baseline="middle", aria=False), [{"filter": "datum.words !== ''"}]
        layers = [
            layer(rect, x={**x, "field": "from"}, x2="to", **kinds, tooltip=tooltip),
            layer(text, None, named, x={**x, "field": "middle"}, text="words", **inks),
        ]
        return {**plot(layers, space.width, round(1.9 * size), parts), "resolve": {"scale": {"color": "independent"}}}

    def _plot(self, row: Mapping[str, Cell], space: Space, titles: tuple[bool, bool]) -> Spec:
        """One ranking; axes have titles at the edges of the gallery only."""
        name = str(row["archetype"])
        title = _heading(row, space.width + 2 * space.look.font_size, space.look)
        return {"title": title, **small_crp_plot(name, self.curves[name], row, space, titles)}


def archetypes_figure(
    qrels: QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    depth: int | None = None,
    rel: float = 1,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[RankingOptions],
) -> ArchetypesFigure:
    """Draw the archetypes of rankings by the course of their CRP.

    Without files, one worked ranking of each; else an example of each that occurs in the runs. Examples from runs are
    the rankings whose Twist is the median of their archetype; titles give the share of all rankings that are of that
    archetype. See `rankscale archetypes` for what the archetypes are.

    Parameters
    ----------
    qrels, runs, missing, progress, **options
        As in `evaluate`: judged_only, grades, negative, order, max_size, threads; not missing='skip'.
    depth : int, optional
        Cut every ranking at this rank first.
    rel : float
        Lowest relevant grade.

    Returns
    -------
    ArchetypesFigure
        A panel for each archetype.

    Raises
    ------
    ParameterError
        If one of qrels and runs is given without the other, or no topic has a relevant document.

    Notes
    -----
    Of two middle rankings the lower is the example, of equals the first.

    Command line
    ------------
        rankscale figure archetypes -o archetypes.pdf
        rankscale figure archetypes qrels.txt runs/*.gz -o archetypes.svg
        rankscale figure archetypes qrels.txt runs/*.gz --rel 2 --depth 100 -o archetypes.html
    """
    if (runs is None) != (qrels is None):
        raise ParameterError("give qrels and runs, or neither")
    if runs is None or qrels is None:
        return _gallery(
            [_example(name, course(judged(kept, missed=missed), LENGTH)) for name, (kept, missed) in WORKED.items()]
        )
    check_arguments(archetypes_figure, locals())
    reading = reading_of(options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    read = read_with_progress(judgments, runs, reading, progress)
    deep = checked_depth(depth)
    study = archetypes(judgments, read, depth=deep, rel=rel, missing=missing, **options)
    # Topics that a run misses count as empty rankings, and may be the example of the worst.
    by_name = dict(zip(study.evaluation.runs, (run.completed(len(judgments.topics)) for run in read), strict=True))
    if not study.counts.sum():
        raise ParameterError(f"no topic has a document of grade {rel:g} or more: there is no ranking to draw")
    examples = []
    for name, row in _medians(study.tables()["rankings"]).items():
        run, topic = str(row["run"]), str(row["topic"])
        ranking = read_ranking(judgments, by_name[run], topic, depth=depth, rel=rel, **options)
        made = course(ranking.judged, ranking.depth, rel)
        examples.append(_example(name, made, run, topic, study.share(name)))
    return _gallery(examples, int(study.counts.sum()), study.notices)


def _medians(rankings: Table) -> dict[str, dict[str, Cell]]:
    """The row of the example for each archetype that occurs, in the order of the gallery."""
    medians = {}
    for name in WORKED:
        in_order = sorted((row for row in rankings if row["archetype"] == name), key=lambda row: number(row["Twist"]))
        if in_order:
            middle = in_order[(len(in_order) - 1) // 2]["Twist"]
            medians[name] = next(row for row in in_order if row["Twist"] == middle)
    return medians


def _example(
    archetype: str, made: Course, run: str = "", topic: str = "", share: float | None = None
) -> tuple[dict[str, Cell], Table]:
    """A row of the rankings drawn, and the corners of its curve; worked rankings have no run, and are drawn whole."""
    row: dict[str, Cell] = {"archetype": archetype, "run": run, "topic": topic, "share": share, **made.facts()}
    return row, made.crp_corners(made.telling if run else made.length)


def _gallery(
    examples: Sequence[tuple[dict[str, Cell], Table]], counted: int = 0, notices: tuple[Notice, ...] = ()
) -> ArchetypesFigure:
    curves = {str(row["archetype"]): curve for row, curve in examples}
    return ArchetypesFigure(Table.from_rows([row for row, _ in examples]), curves, counted, notices)


def _heading(row: Mapping[str, Cell], width: float, look: Appearance) -> Spec:
    """The archetype with its share; under it, whose ranking it is."""
    share = "" if row["share"] is None else f", {_percent(row['share'])}"
    topic = f", topic {row['topic']}"
    run = short_labels([str(row["run"])], width / (0.9 * look.font_size) - width_of(topic))[str(row["run"])]
    whose = {"subtitle": f"{run}{topic}"} if row["run"] else {}
    under = {"subtitleFontSize": 0.9 * look.font_size, "subtitleColor": look.grey, "subtitlePadding": 1}
    return heading(f"{row['archetype']}{share}", look, width, 0.4, **whose, **under, frame="group")


def _sentence(row: Mapping[str, Cell]) -> str:
    name, balance = str(row["archetype"]), row["balance_point"]
    share, whose = row["share"], f"{row['run']}, topic {row['topic']}"
    shown = "" if share is None else f" ({_percent(share)} of the rankings; {whose})"
    back = "never comes back to 0" if balance is None else f"has its balance point at rank {balance}"
    start = f"{name[0].upper()}{name[1:]}{shown}: recall base {row['recall_base']}"
    return f"{start}, CRP {back} and ends with {row['last_CRP']}."


def _percent(share: Cell) -> str:
    """A share that is not 0 does not look like it.

    >>> _percent(0.3814), _percent(1 / 6450)
    ('38.1%', '0.02%')
    """
    return f"{number(share):.1%}" if number(share) >= 0.001 else f"{number(share):.2%}"


COMMAND = Declaration(
    archetypes_figure,
    source="optional runs",
    shared=("collections", "missing", "relevance", "grades", "judged_only", "cut", "reading"),
)
