"""Topic by topic: which topics are easy and which are hard, and where two runs differ; and groups of topics.

Of two runs that a reader chooses, and of candidates against the baseline, shown is where they lose and win, and what
changed in the rankings. Of groups, means of runs in each, and whether the order of runs depends on the group.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankscale.answers.why import TopicDifferences
from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.names import counted
from rankscale.data.notices import render
from rankscale.data.table import Table as StudyTable
from rankscale.data.table import readable
from rankscale.figures.diff import diff_figure
from rankscale.reporting import parts
from rankscale.reporting.page_data import packed, pairs_data, values_data
from rankscale.reporting.results import Results
from rankscale.stats.resampling.groups import MACRO, MICRO, NONE
from rankscale.studies.diff import Diff
from rankscale.studies.diff.pair import PLURALS, SUMMARY, RankChange, sentences
from rankscale.studies.topic_groups import TopicGroups
from rankscale.studies.topic_groups.tables import interaction_sentence, marks

UNJUDGED = 0.5  # where unjudged documents stand among relevant ones, from 1, and others, at 0
SUMMARY_COLUMNS = {
    "difference": "what the test compares, candidate less baseline",
    "ratio": "candidate over baseline, of geometric means",
    "lower": "end of the interval of the difference",
    "upper": "end of the interval of the difference",
    "interval_conclusion": "of the same test on the measure's interval version",
}
GROUP_COLUMNS = {
    "mean_difference": "mean over topics, candidate less baseline",
    "mean_ratio": "candidate over baseline, of geometric means",
}
EXTREMES = 3  # topics named as hardest and as easiest
MAP_HEIGHT, LEAST_HEIGHT = 560, 120  # of the heat map
ROW = 16  # pixels of a run, where there is room
AXIS = 90  # pixels below for the names of topics and the key
NO_MARK = "\N{NO-BREAK SPACE}"  # keeps numbers aligned where others have a mark
SHADES = 6  # of cells by value, as the style of the page has them
NEAR = "\N{ALMOST EQUAL TO}"
READING = f"{NEAR} marks runs that cannot be told apart from the best one of a group, which is in bold, on its topics."
HOW = (
    "The stronger the colour of a cell, the higher its value. micro is the mean over topics that have a group, macro "
    "the mean of the means of groups."
)
INTERACTION = (
    parts.text_column("measure"),
    parts.PageColumn("F", "mean squares of the interaction of runs and groups, over those of the error"),
    parts.text_column("df", "degrees of freedom of the interaction and of the error"),
    parts.PageColumn("p", "of the interaction"),
    parts.PageColumn(
        "pairs that differ", "over all groups: pairs of runs that differ significantly, of those tested", number=False
    ),
)


def topics(results: Results) -> parts.ReportSection:
    """A heat map of all values, and one row for each topic, which the page fills from the values."""
    values = results.values(results.main)
    means = mean_of_defined(values)
    opens = "opens its ranking" if results.has_rankings else ""
    columns = [
        parts.text_column("topic"),
        *([parts.PageColumn("relevant", "relevant documents known")] if results.has_rankings else []),
        parts.PageColumn("mean", "over runs", sorted="ascending"),
        parts.PageColumn("deviation", "standard deviation over runs: where it is high, the topic tells runs apart"),
        parts.PageColumn("highest", "value of a run"),
        parts.text_column("run with highest", opens),
        parts.PageColumn("lowest", "value of a run"),
        parts.text_column("run with lowest", opens),
    ]
    extremes, count = _extremes(results, means), counted(len(means), "topic")
    caption = f"{count} by mean {results.main} over runs, the lowest first"
    table = parts.PagedTable("topics-table", caption, columns, "Find a topic")
    runs, height = counted(len(values), "run"), min(MAP_HEIGHT, max(LEAST_HEIGHT, ROW * len(values))) + AXIS
    title = f"{results.main} by run and topic: {runs}, the best first, and {count}, the easiest first"
    canvas = parts.Canvas("topic-map", title, f"{title}. {extremes}", height)
    data: dict[str, object] = {**values_data(results)}
    if results.has_rankings:
        lowest = results.rel if results.main.threshold is None else results.main.threshold
        data["relevant"] = packed(np.array(results.relevant(lowest)), "i4")
    return parts.ReportSection("topics", "Topics", [parts.Paragraph(extremes), canvas, table], data=data)


def _extremes(results: Results, means: Floats) -> str:
    order = [place for place in np.argsort(means, kind="stable").tolist() if not np.isnan(means[place])]
    lowest, highest = (
        ", ".join(f"{readable(results.evaluation.topics[place])} ({means[place]:.3f})" for place in some)
        for some in (order[:EXTREMES], order[::-1][:EXTREMES])
    )
    return f"Lowest means of {results.main} over runs: topics {lowest}. Highest: {highest}."


def groups(results: Results) -> parts.ReportSection | None:
    """Means by group as a heat table, the interaction for each measure, and warnings; None unless requested."""
    study = results.groups
    if study is None:
        return None
    how = READING
    if study.baseline is not None:
        how = f"A star: it differs significantly from {readable(study.baseline)} on these topics."
    text = f"{study.sentences()[0]} {how} {HOW}"
    care = parts.warnings([render(notice) for notice in study.group_notices])
    tables = [_means(results, study), *([_interactions(study)] if any(study.interactions) else [])]
    return parts.ReportSection("groups", "Groups of topics", [parts.Paragraph(text), *care, *tables])


def _means(results: Results, study: TopicGroups) -> parts.PageTable:
    """One row for each run, one column for each group, micro and macro means last."""
    main, order = results.main, results.order.tolist()
    values = np.vstack([study.means[0], study.micro[0], study.macro[0]])
    columns = []
    for g, (group, size) in enumerate(zip(study.groups, study.members.sum(axis=1).tolist(), strict=True)):
        about = f"mean over {counted(size, 'topic')}"
        if group == NONE:
            about += " without a group, which are not tested and in no overall mean"
        elif np.isnan(study.p[0, g]).all():
            about += "; too few for the test"
        columns.append(parts.PageColumn(f"{readable(group)} ({size:,})", about))
    columns.append(parts.PageColumn(MICRO.strip("()"), "mean over topics that have a group"))
    columns.append(parts.PageColumn(MACRO.strip("()"), "mean of the means of groups"))
    cells = [_column(study, row, *of_row) for row, of_row in enumerate(zip(values, _shades(values), strict=True))]
    filled = [(parts.text_column("run"), list(map(parts.name, study.evaluation.runs)))]
    filled += zip(columns, cells, strict=True)
    in_order = [(column, [of_column[run] for run in order]) for column, of_column in filled]
    runs = counted(len(order), "run")
    caption = f"{main.summed_up.capitalize()} {main} of {runs} by group; numbers of topics in brackets"
    return parts.filled_table("groups-table", caption, in_order)


def _column(study: TopicGroups, row: int, values: Floats, shades: list[int]) -> list[parts.PageCell]:
    """The cells of a group, run by run, with stars or with marks of those near the best."""
    tested = row < study.difference.shape[1]
    signs = [mark or NO_MARK for mark in _marks(study, row)] if tested else [""] * len(values)
    measure = study.evaluation.measures[0]
    sign = 0.0 if measure.direction_note else -1.0 if measure.low_is_good else 1.0
    best = np.nanmax(sign * values, initial=-np.inf) if sign else np.nan
    made = []
    for value, sign_shown, shade in zip(values.tolist(), signs, shades, strict=True):
        cell = parts.number(value, best=bool(sign * value == best))
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


def _interactions(study: TopicGroups) -> parts.PageTable:
    """One row for each measure."""
    rows = []
    for m, measure in enumerate(study.measure_names):
        test = study.interactions[m]
        if test is None:
            continue
        tested = int(np.count_nonzero(~np.isnan(study.p[m])))
        row = [
            replace(parts.name(measure), tooltip=interaction_sentence(study, m)),
            parts.number(test.f, 3),
            parts.PageCell(f"{test.df[0]}, {test.df[1]}"),
            parts.number(test.p),
            parts.PageCell(f"{int(study.significant[m].sum()):,} of {tested:,}"),
        ]
        rows.append(row)
    return parts.PageTable("groups-interaction", "Do differences of runs depend on the group?", INTERACTION, rows)


def compare(results: Results) -> parts.ReportSection:
    """Lists to choose two runs from, by default the best two, and what the page draws of them."""
    topics = list(map(readable, results.evaluation.topics))
    part = parts.TwoRuns(str(results.main), topics, has_rankings=results.has_rankings)
    return parts.ReportSection("compare", "Two runs", [part], data={**values_data(results), **pairs_data(results)})


def diff(results: Results) -> parts.ReportSection | None:
    """For each candidate: the conclusion, a bar for each topic, tables of both ends; None unless requested."""
    studies = enumerate(results.studies.diffs, start=1)
    content = [part for number, study in studies for part in _parts(results, study, f"diff-{number}")]
    return parts.ReportSection("diff", "Differences by topic", content) if content else None


def _parts(results: Results, study: Diff, label: str) -> Iterator[parts.SectionPart]:
    main = study.by_measure[0]
    answer, *lines = map(readable, sentences(main, study.baseline, study.candidate))
    yield parts.Conclusion(answer.removesuffix("."), lines, differs=main.interval.holds is False)
    caption = f"{study.candidate} against {study.baseline}"
    yield parts.page_table(f"{label}-summary", _summary(study), caption, SUMMARY_COLUMNS)
    yield from parts.own_warnings(results, study.notices)
    if any(map(math.isfinite, main.difference.tolist())):
        yield parts.drawing(f"{label}-bars", diff_figure(study), results.look)
    for word, table in zip(main.words, _ends(study, main, label), strict=True):
        yield table if table.rows else parts.Paragraph(f"There are no {PLURALS[word]}.")
    if study.groups:
        yield parts.page_table(f"{label}-groups", study.table("groups"), "The same by group of topics", GROUP_COLUMNS)


def _summary(study: Diff) -> StudyTable:
    """Every measure: counts, the test, an effect size, and what the interval version says."""
    table = study.table("summary")
    made = next((one for one in study.comparisons if one is not None), None)
    effects = list(made.results.effects)[:1] if made is not None else []
    kept = [one for one in (*SUMMARY, *effects, "interval_conclusion") if one in table.columns]
    return replace(table, columns={one: table.columns[one] for one in kept})


def _ends(study: Diff, main: TopicDifferences, label: str) -> Iterator[parts.PageTable]:
    """The topics with the largest losses, and those with the largest wins; and which documents left and entered."""
    losses, _, wins = main.counts()
    orders = (main.order, losses, study.limits.worst), (main.wins_first, wins, study.limits.best)
    first, second = map(readable, (study.baseline, study.candidate))
    numbers = {
        parts.PageColumn("baseline", first): main.values[0],
        parts.PageColumn("candidate", second): main.values[1],
        parts.PageColumn("difference", f"{second} less {first}"): main.difference,
    }
    top, changes = f"the first {study.limits.top_k} ranks", dict(study.changes or ())
    about = "relevant (a grade above 0) first, with their ranks in both runs"
    moved = {
        "left": parts.text_column(f"left {top}", f"documents of the baseline; {about}"),
        "entered": parts.text_column(f"entered {top}", f"documents of the candidate; {about}"),
    }
    for word, (order, count, most) in zip(main.words, orders, strict=True):
        places = order[: min(count, most)]
        names = [study.evaluation.topics[place] for place in places.tolist()]
        filled = [(parts.text_column("topic"), list(map(parts.name, names)))]
        filled += [(column, list(map(parts.number, of[places].tolist()))) for column, of in numbers.items()]
        for kind, column in moved.items() if study.changes is not None else ():
            cells = [_documents([one for one in changes[topic] if one.kind == kind]) for topic in names]
            filled.append((column, cells))
        of = f", {len(places)} of {count:,}" if len(places) < count else ""
        caption = f"Largest {PLURALS[word]} of {study.candidate} by {main.measure}{of}"
        yield parts.filled_table(f"{label}-{PLURALS[word]}", readable(caption), filled)


def _documents(changes: Sequence[RankChange]) -> parts.PageCell:
    """How many documents left or entered, and their names: relevant ones, then unjudged ones; others are folded."""
    if not changes:
        return parts.PageCell("none", 0)
    relevant = sum(_weight(one) >= 1 for one in changes)
    unjudged = sum(one.grade is None for one in changes)
    named = sorted((one for one in changes if _weight(one)), key=lambda one: -_weight(one))
    others = [one for one in changes if not _weight(one)]
    return parts.PageCell(
        f"{len(changes)}: {relevant} relevant, {unjudged} unjudged",
        len(changes),
        style="documents",
        note="\n".join(map(_line, named)),
        more=(f"{len(others)} not relevant", [*map(_line, others)]) if others else None,
    )


def _weight(change: RankChange) -> float:
    """What documents are ordered by: the grade from 1, unjudged ones below that, 0 for those that are not relevant."""
    return UNJUDGED if change.grade is None else 1 + change.grade if change.grade > 0 else 0.0


def _line(change: RankChange) -> str:
    grade = "unjudged" if change.grade is None else f"grade {change.grade:g}"
    old, new = ("none" if rank is None else f"{rank:,}" for rank in (change.old_rank, change.new_rank))
    return f"{' '.join(readable(change.document).split())} ({grade}, rank {old} to {new})"
