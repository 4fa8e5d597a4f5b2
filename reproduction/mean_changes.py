"""The averages of Ferrante, Ferro and Fuhr 2021, among them its "25% change", from its own Tables 5 and 6."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from rankscale.measures.base.parser import parse
from rankscale.stats.tests.register import PAPER, make_test
from rankscale.stats.verdicts import verdict
from rankscale.studies.changes import changes
from rankscale.studies.changes.mean_change import ChangeCell, MeanChange, Selection, mean_change, mean_changes
from reproduction.collections import TREC_8, collection
from reproduction.interval_tables import COLUMNS
from reproduction.other_published import SIGNIFICANCE, TRACKS
from reproduction.page import Cell, listing, plain
from reproduction.significance_tables import LENGTH, WITH_RECALL_BASE, WITHOUT_RECALL_BASE

BINARY = (0, 1)
NOT_INTERVAL = Selection(
    "not interval",
    "all but measures that are interval scales",
    lambda one: one.measure.topic_scales or one.measure.scale_type(BINARY) == "ordinal",
)
EVERY_TRACK = ("T08", *TRACKS)
WHAT = (
    'The paper\'s headline is "a 25% change in the decision about which systems are significantly different" '
    "(abstract), 25% ± 11% in section VIII-C, where it also has averages of S2NS and NS2S over Sig. How they were "
    "taken is not said. Of the numbers that its Tables 5 and 6 print for three collections, 11 measures and 8 tests "
    "they come out where cells that cannot change are left out: those of P and RBP(p=0.5), which are interval scales, "
    "and, of measures that do not use the recall base, those of the four tests that ask only for an ordinal scale. "
    "`rankscale changes --table summary` takes the same averages for any runs."
)
AROUND = 'The paper has "around"; other selections come no nearer.'
MISPRINT = (
    "With the shares that the paper prints beside the counts the last number is 44.14% instead of 44.13%: one of them "
    "is a misprint (AP, two-way ANOVA, T27: 73 of 913 are 8.00%, not 8.50%)."
)
OTHERS = (
    "The same with other selections, and for each collection. The half width is half of the 95% interval of the mean "
    "(1.96 standard errors), with cells taken as independent. Which collection, and whether one-way ANOVA of R and AP "
    "is among the cells (up to 558% there), matters more than it says."
)
OWN = (
    "Ours are those of `rankscale changes --df infinite --table summary` with the paper's eleven measures: they differ "
    "from those of T08 where values of AP were told apart as floating-point sums."
)


def section(data: Path) -> str:
    """Published averages beside those of the published cells, and of ours."""
    return "\n\n".join(
        [
            "## Interval scales: the headline of 25%, and the other averages",
            WHAT,
            listing(cells()),
            MISPRINT,
            OTHERS,
            plain(["", "cells", "mean change", "half width", "S2NS/Sig", "NS2S/Sig"], [*lines(), *own_lines(data)]),
            OWN,
        ]
    )


@cache
def published_changes() -> dict[str, list[ChangeCell]]:
    """By collection: every measure and test of Tables 5 and 6, as published."""
    made: dict[str, list[ChangeCell]] = {track: [] for track in EVERY_TRACK}
    of_trec_8 = {**WITHOUT_RECALL_BASE, **WITH_RECALL_BASE}
    for column, rows in of_trec_8.items():
        measure = parse(f"{COLUMNS[column]}@{LENGTH}")
        both = zip(PAPER, rows.strip().splitlines(), SIGNIFICANCE[column].strip().splitlines(), strict=True)
        for name, row, others in both:
            test, texts = make_test(name), [*row.split(), *others.split()]
            for track, start in zip(EVERY_TRACK, range(0, len(texts), 4), strict=True):
                significant, lost, gained = (int(text) for text in texts[start : start + 3])
                shares = lost / significant, gained / significant, (lost + gained) / significant
                made[track].append(ChangeCell(measure, test, verdict(measure, test, BINARY), *shares))
    return made


def cells() -> Iterator[Cell]:
    """Each average that the paper has."""
    everything = [cell for track in published_changes().values() for cell in track]
    means = mean_changes(everything)
    headline = means["can change"]
    what = f"Mean change, {headline.cells} cells of three collections"
    yield Cell(what, "", "25%", 100 * headline.change)
    yield Cell(what, "half width", "11%", 100 * headline.half_width)
    for name, lost, gained, shown in (
        ("spacing", "13%", "5%", "Measures without the recall base, tests of an interval scale"),
        ("recall base", "2%", "4%", "Measures with the recall base, tests of an ordinal scale"),
        ("recall base and spacing", "10%", "45%", "Measures with the recall base, tests of an interval scale"),
    ):
        yield Cell(shown, "S2NS/Sig", lost, 100 * means[name].lost, AROUND)
        yield Cell(shown, "NS2S/Sig", gained, 100 * means[name].gained, AROUND)


def lines() -> Iterator[list[str]]:
    """Averages by collection and selection, to two places."""
    by_track = published_changes()
    groups = {"three collections": [cell for track in by_track.values() for cell in track], **by_track}
    for group, of_group in groups.items():
        for name, mean in mean_changes(of_group).items():
            yield _line(f"{group}: {name}", mean)
        yield _line(f"{group}: all but P and RBP(p=0.5)", mean_change(of_group, NOT_INTERVAL))


def own_lines(data: Path) -> Iterator[list[str]]:
    """The averages of what we count on TREC-8."""
    measures = [f"{name}@{LENGTH}" for name in COLUMNS.values()]
    counted = changes(*collection(data, TREC_8), measures, df="infinite", form="rank")
    for name, mean in counted.averages().items():
        yield _line(f"T08, ours: {name}", mean)


def _line(shown: str, mean: MeanChange) -> list[str]:
    shares = (mean.change, mean.half_width, mean.lost, mean.gained)
    return [shown, str(mean.cells), *(f"{100 * share:.2f}%" for share in shares)]
