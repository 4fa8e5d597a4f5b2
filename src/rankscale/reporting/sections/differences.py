"""Two runs that a reader chooses, and candidates against the baseline, topic by topic.

Shown is where they lose and win, and what changed in the rankings.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankscale.answers.why import TopicDifferences
from rankscale.data.table import Table as StudyTable
from rankscale.data.table import readable
from rankscale.figures.diff import diff_figure
from rankscale.reporting.page_data import pairs_data, values_data
from rankscale.reporting.parts import (
    Conclusion,
    PageCell,
    PageColumn,
    PageTable,
    Paragraph,
    ReportSection,
    SectionPart,
    TwoRuns,
    drawing,
    name,
    number,
    own_warnings,
    page_table,
)
from rankscale.reporting.results import Results
from rankscale.studies.diff import Diff
from rankscale.studies.diff.pair import PLURALS, SUMMARY, RankChange, sentences

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


def compare(results: Results) -> ReportSection:
    """Lists to choose two runs from, by default the best two, and what the page draws of them."""
    part = TwoRuns(str(results.main), list(map(readable, results.evaluation.topics)), has_rankings=results.has_rankings)
    return ReportSection("compare", "Two runs", [part], data={**values_data(results), **pairs_data(results)})


def diff(results: Results) -> ReportSection | None:
    """For each candidate: the conclusion, a bar for each topic, tables of both ends; None unless requested."""
    studies = results.studies.diffs
    if not studies:
        return None
    parts = [part for number, study in enumerate(studies, start=1) for part in _parts(results, study, number)]
    return ReportSection("diff", "Differences by topic", parts)


def _parts(results: Results, study: Diff, number: int) -> Iterator[SectionPart]:
    main, label = study.by_measure[0], f"diff-{number}"
    answer, *lines = map(readable, sentences(main, study.baseline, study.candidate))
    yield Conclusion(answer.removesuffix("."), lines, differs=main.interval.holds is False)
    yield page_table(
        f"{label}-summary", _summary(study), f"{study.candidate} against {study.baseline}", SUMMARY_COLUMNS
    )
    yield from own_warnings(results, study.notices)
    if any(map(math.isfinite, main.difference.tolist())):
        yield drawing(f"{label}-bars", diff_figure(study), results.look)
    for word, table in zip(main.words, _ends(study, main, label), strict=True):
        if table.rows:
            yield table
        else:
            yield Paragraph(f"There are no {PLURALS[word]}.")
    if study.groups:
        yield page_table(f"{label}-groups", study.table("groups"), "The same by group of topics", GROUP_COLUMNS)


def _summary(study: Diff) -> StudyTable:
    """Every measure: counts, the test, an effect size, and what the interval version says."""
    table = study.table("summary")
    made = next((one for one in study.comparisons if one is not None), None)
    effects = list(made.results.effects)[:1] if made is not None else []
    kept = [one for one in (*SUMMARY, *effects, "interval_conclusion") if one in table.columns]
    return replace(table, columns={one: table.columns[one] for one in kept})


def _ends(study: Diff, main: TopicDifferences, label: str) -> Iterator[PageTable]:
    """The topics with the largest losses, and those with the largest wins."""
    losses, _, wins = main.counts()
    limits = study.limits
    orders = (main.order, losses, limits.worst), (main.wins_first, wins, limits.best)
    changes = dict(study.changes or ())
    for word, (order, count, most) in zip(main.words, orders, strict=True):
        places = order[: min(count, most)].tolist()
        rows = [_row(study, main, place, changes) for place in places]
        of = f", {len(places)} of {count:,}" if len(places) < count else ""
        caption = f"Largest {PLURALS[word]} of {study.candidate} by {main.measure}{of}"
        yield PageTable(f"{label}-{PLURALS[word]}", readable(caption), _columns(study), rows)


def _columns(study: Diff) -> list[PageColumn]:
    first, second = map(readable, (study.baseline, study.candidate))
    columns = [PageColumn("topic", number=False), PageColumn("baseline", first), PageColumn("candidate", second)]
    columns.append(PageColumn("difference", f"{second} less {first}"))
    if study.changes is None:
        return columns
    top = f"the first {study.limits.top_k} ranks"
    names = "relevant (a grade above 0) first, with their ranks in both runs"
    return [
        *columns,
        PageColumn(f"left {top}", f"documents of the baseline; {names}", number=False),
        PageColumn(f"entered {top}", f"documents of the candidate; {names}", number=False),
    ]


def _row(study: Diff, main: TopicDifferences, place: int, changes: dict[str, tuple[RankChange, ...]]) -> list[PageCell]:
    topic = study.evaluation.topics[place]
    first, second = main.values[:, place].tolist()
    cells = [name(topic), number(first), number(second), number(float(main.difference[place]))]
    if study.changes is None:
        return cells
    return [*cells, *(_documents([one for one in changes[topic] if one.kind == kind]) for kind in ("left", "entered"))]


def _documents(changes: Sequence[RankChange]) -> PageCell:
    """How many documents left or entered, and their names: relevant ones, then unjudged ones; others are folded."""
    if not changes:
        return PageCell("none", 0)
    relevant = sum(_weight(one) >= 1 for one in changes)
    unjudged = sum(one.grade is None for one in changes)
    named = sorted((one for one in changes if _weight(one)), key=lambda one: -_weight(one))
    others = [one for one in changes if not _weight(one)]
    return PageCell(
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
