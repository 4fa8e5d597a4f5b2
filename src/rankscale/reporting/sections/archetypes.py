"""Which kinds of rankings the runs give, by the course of their CRP, and what these are worth."""

from rankscale.figures.archetype_ratios import ORDER, archetype_ratios_figure
from rankscale.measures.families.relative_position import DEPTH
from rankscale.reporting.parts import Cell, Column, Paragraph, Section, Table, count, drawing, name, number
from rankscale.reporting.results import Results
from rankscale.studies.archetypes import Archetypes
from rankscale.studies.archetypes import archetypes as archetypes_of

WHAT = {
    "ideal": "all relevant documents first, in the order of grades",
    "excellent A": "back at 0 by rank RB, to stay; all relevant documents in the first RB ranks",
    "excellent B": "back at 0 by rank RB, to stay; some relevant documents missed or later",
    "ups and downs": "back at 0 by rank RB, and below it again",
    "typical A": "back at 0 after rank RB",
    "typical B": "never back at 0",
    "full scale": "the ideal reversed",
    "worst": "nothing relevant retrieved",
}
RATIOS = ("rho", "sigma", "Twist")
COLUMNS = (
    Column("archetype", number=False),
    Column(
        "CRP", "the course of CRP, which falls where documents stand too early; RB: relevant documents", number=False
    ),
    Column("rankings"),
    Column("share", "of all rankings"),
    *(Column(f"median {ratio}", "over the rankings of the archetype") for ratio in RATIOS),
)


def archetypes(results: Results) -> Section | None:
    """Shares of archetypes with medians of their ratios; None where no topic has a relevant document."""
    if not any(results.relevant(results.effort_rel)):
        return None
    depth = results.effort.depth or DEPTH
    study = archetypes_of(
        results.qrels, list(results.runs), depth=depth, rel=results.effort_rel, judged_only=results.judged_only
    )
    figure = drawing("archetype-ratios", archetype_ratios_figure(study), results.look)
    caption = f"Archetypes of {int(study.counts.sum()):,} rankings, cut at rank {depth:,}"
    table = Table("archetypes-table", caption, COLUMNS, list(_rows(study)))
    return Section("archetypes", "Archetypes of rankings", [Paragraph(_sentence(study)), table, figure])


def _rows(study: Archetypes) -> list[list[Cell]]:
    """The archetypes that occur, from the least effort to the most."""
    counts = {row["archetype"]: int(row["rankings"] or 0) for row in study.table()}
    medians = {(row["archetype"], row["ratio"]): row["median"] for row in study.table("ratios")}
    return [
        [
            name(kind),
            Cell(WHAT[kind], style="words"),
            count(counts[kind]),
            number(study.share(kind), 3),
            *(number(float(medians[kind, ratio] or 0)) for ratio in RATIOS),
        ]
        for kind in ORDER
        if counts[kind]
    ]


def _sentence(study: Archetypes) -> str:
    typical, lost = study.share("typical A"), study.share("typical B") + study.share("worst")
    return (
        f"Of the rankings {100 * typical:.0f} % come back from documents that stand too early only after rank RB, the "
        f"number of relevant documents (typical A), and {100 * lost:.0f} % never do (typical B and worst); "
        f"{100 * study.share('excellent'):.0f} % are excellent or have ups and downs. rho says how soon they recover, "
        "sigma how little documents are out of place, and Twist is the mean of both."
    )
