"""Which topics are easy and which are hard, and for whom; and groups of topics.

Of groups, means of runs in each, and whether the order of runs depends on the group.
"""

from dataclasses import replace

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.names import counted
from rankscale.data.notices import render
from rankscale.data.table import readable
from rankscale.reporting.page_data import packed, values_data
from rankscale.reporting.parts import (
    Bullets,
    Canvas,
    PageCell,
    PageColumn,
    PagedTable,
    PageTable,
    Paragraph,
    ReportSection,
    name,
    number,
)
from rankscale.reporting.results import Results
from rankscale.stats.resampling.groups import MACRO, MICRO, NONE
from rankscale.studies.topic_groups import TopicGroups
from rankscale.studies.topic_groups.tables import interaction_sentence, marks

EXTREMES = 3  # topics named as hardest and as easiest
MAP_HEIGHT, LEAST_HEIGHT = 560, 120  # of the heat map
ROW = 16  # pixels of a run, where there is room
AXIS = 90  # pixels below for the names of topics and the key
HIGHEST, LOWEST = PageColumn("highest", "value of a run"), PageColumn("lowest", "value of a run")
NO_MARK = "\N{NO-BREAK SPACE}"  # keeps numbers aligned where others have a mark
SHADES = 6  # of cells by value, as the style of the page has them
NEAR = "\N{ALMOST EQUAL TO}"
READING = f"{NEAR} marks runs that cannot be told apart from the best one of a group, which is in bold, on its topics."
HOW = (
    "The stronger the colour of a cell, the higher its value. micro is the mean over topics that have a group, macro "
    "the mean of the means of groups."
)
INTERACTION = (
    PageColumn("measure", number=False),
    PageColumn("F", "mean squares of the interaction of runs and groups, over those of the error"),
    PageColumn("df", "degrees of freedom of the interaction and of the error", number=False),
    PageColumn("p", "of the interaction"),
    PageColumn(
        "pairs that differ", "over all groups: pairs of runs that differ significantly, of those tested", number=False
    ),
)


def topics(results: Results) -> ReportSection:
    """A heat map of all values, and one row for each topic, which the page fills from the values."""
    values = results.values(results.main)
    means = mean_of_defined(values)
    opens = "opens its ranking" if results.has_rankings else ""
    columns = [
        PageColumn("topic", number=False),
        *([PageColumn("relevant", "relevant documents known")] if results.has_rankings else []),
        PageColumn("mean", "over runs", sorted="ascending"),
        PageColumn("deviation", "standard deviation over runs: where it is high, the topic tells runs apart"),
        HIGHEST,
        PageColumn("run with highest", opens, number=False),
        LOWEST,
        PageColumn("run with lowest", opens, number=False),
    ]
    caption = f"{counted(len(means), 'topic')} by mean {results.main} over runs, the lowest first"
    table = PagedTable("topics-table", caption, columns, "Find a topic")
    height = min(MAP_HEIGHT, max(LEAST_HEIGHT, ROW * len(values))) + AXIS
    canvas = Canvas("topic-map", _title(results), f"{_title(results)}. {_extremes(results, means)}", height)
    data: dict[str, object] = {**values_data(results)}
    if results.has_rankings:
        lowest = results.rel if results.main.threshold is None else results.main.threshold
        data["relevant"] = packed(np.array(results.relevant(lowest)), "i4")
    return ReportSection("topics", "Topics", [Paragraph(_extremes(results, means)), canvas, table], data=data)


def _title(results: Results) -> str:
    runs, count = counted(len(results.evaluation.runs), "run"), counted(len(results.evaluation.topics), "topic")
    return f"{results.main} by run and topic: {runs}, the best first, and {count}, the easiest first"


def _extremes(results: Results, means: Floats) -> str:
    order = [place for place in np.argsort(means, kind="stable").tolist() if not np.isnan(means[place])]
    lowest, highest = (
        ", ".join(f"{readable(results.evaluation.topics[place])} ({means[place]:.3f})" for place in some)
        for some in (order[:EXTREMES], order[::-1][:EXTREMES])
    )
    return f"Lowest means of {results.main} over runs: topics {lowest}. Highest: {highest}."


def groups(results: Results) -> ReportSection | None:
    """Means by group as a heat table, the interaction for each measure, and warnings; None unless requested."""
    study = results.groups
    if study is None:
        return None
    warnings = [render(notice) for notice in study.group_notices]
    text = " ".join([study.sentences()[0], *_reading(study), HOW])
    care = [Bullets(warnings, "warnings")] if warnings else []
    tables = [_means(results, study), *([_interactions(study)] if any(study.interactions) else [])]
    return ReportSection("groups", "Groups of topics", [Paragraph(text), *care, *tables])


def _reading(study: TopicGroups) -> list[str]:
    """What marks mean."""
    if study.baseline is not None:
        return [f"A star: it differs significantly from {readable(study.baseline)} on these topics."]
    return [READING]


def _means(results: Results, study: TopicGroups) -> PageTable:
    """One row for each run, one column for each group, micro and macro means last."""
    sizes = study.members.sum(axis=1).tolist()
    values = np.vstack([study.means[0], study.micro[0], study.macro[0]])
    order = results.order.tolist()
    columns = [PageColumn("run", number=False)]
    columns += [
        PageColumn(f"{readable(group)} ({size:,})", f"mean over {counted(size, 'topic')}{_untested(study, group, g)}")
        for g, (group, size) in enumerate(zip(study.groups, sizes, strict=True))
    ]
    columns += [PageColumn(MICRO.strip("()"), "mean over topics that have a group")]
    columns += [PageColumn(MACRO.strip("()"), "mean of the means of groups")]
    cells = [_column(study, row, of_row, _shades(values)[row]) for row, of_row in enumerate(values)]
    rows = [[name(study.evaluation.runs[run]), *(column[run] for column in cells)] for run in order]
    main = results.main
    caption = (
        f"{main.summed_up.capitalize()} {main} of {counted(len(rows), 'run')} by group; numbers of topics in brackets"
    )
    return PageTable("groups-table", caption, columns, rows)


def _untested(study: TopicGroups, group: str, g: int) -> str:
    if group == NONE:
        return " without a group, which are not tested and in no overall mean"
    return "; too few for the test" if np.isnan(study.p[0, g]).all() else ""


def _column(study: TopicGroups, row: int, values: Floats, shades: list[int]) -> list[PageCell]:
    """The cells of a group, run by run, with stars or with marks of those near the best."""
    tested = row < study.difference.shape[1]
    signs = [mark or NO_MARK for mark in _marks(study, row)] if tested else [""] * len(values)
    measure = study.evaluation.measures[0]
    sign = 0.0 if measure.direction_note else -1.0 if measure.low_is_good else 1.0
    best = np.nanmax(sign * values, initial=-np.inf) if sign else np.nan
    made = []
    for value, sign_shown, shade in zip(values.tolist(), signs, shades, strict=True):
        cell = number(value, best=bool(sign * value == best))
        made.append(replace(cell, style=f"{cell.style} heat heat{shade}", note=sign_shown))
    return made


def _marks(study: TopicGroups, group: int) -> list[str]:
    """For each run a star if it differs from the baseline or, without one, a sign if it is not told from the best."""
    if study.baseline is not None or np.isnan(study.p[0, group]).all():
        return marks(study, 0, group)
    means = study.means[0, group]
    best = int(np.nanargmin(means) if study.evaluation.measures[0].low_is_good else np.nanargmax(means))
    pairs = study.runs_compared
    near = np.zeros(len(means), dtype=bool)
    for others, of in ((pairs.first, pairs.second == best), (pairs.second, pairs.first == best)):
        near[others[of]] = ~study.significant[0, group][of] & ~np.isnan(study.p[0, group][of])
    return [NEAR if one else "" for one in near.tolist()]


def _shades(values: Floats) -> list[list[int]]:
    """(row, run): from 0 for the lowest to the number of shades for the highest value; 0 for undefined ones."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    if high <= low:
        return [[0] * values.shape[1]] * len(values)
    shares = np.clip(np.nan_to_num((values - low) / (high - low), nan=0.0, posinf=1.0, neginf=0.0), 0, 1)
    return [[round(SHADES * share) for share in row] for row in shares.tolist()]


def _interactions(study: TopicGroups) -> PageTable:
    """One row for each measure."""
    rows = []
    for m, measure in enumerate(study.measure_names):
        test = study.interactions[m]
        if test is None:
            continue
        tested = int(np.count_nonzero(~np.isnan(study.p[m])))
        rows.append(
            [
                PageCell(readable(measure), is_heading=True, tooltip=interaction_sentence(study, m)),
                number(test.f, 3),
                PageCell(f"{test.df[0]}, {test.df[1]}"),
                number(test.p),
                PageCell(f"{int(study.significant[m].sum()):,} of {tested:,}"),
            ]
        )
    return PageTable("groups-interaction", "Do differences of runs depend on the group?", INTERACTION, rows)
