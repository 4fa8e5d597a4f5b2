"""Another set of judgments: how far both agree, and which conclusions about the runs would change."""

from dataclasses import replace

from rankscale.data.table import Table as StudyTable
from rankscale.data.table import readable
from rankscale.figures.agree import agree_figure
from rankscale.reporting.parts import Bullets, Paragraph, Part, Section, drawing
from rankscale.reporting.results import Results
from rankscale.reporting.study_tables import own_warnings, page_table
from rankscale.studies.agree.two_sets import Agree

CHANGED = ("flipped", "lost", "gained")
MOST_PAIRS = 20  # of those that change, which are listed
OUTCOMES = {
    "kept": "significant under both",
    "flipped": "significant under both, with opposite signs",
    "lost": "significant under A only",
    "gained": "significant under B only",
}


def judges(results: Results) -> Section | None:
    """Coefficients, the figure of grades and runs, and what becomes of significant differences; None unless requested.

    A are the judgments of the report, B the others.
    """
    study = results.studies.agree
    if study is None:
        return None
    first, *sentences = map(readable, study.sentence().split("\n"))
    tables = [
        page_table(f"judges-{number}", _of_main(results, table), _caption(results, table), OUTCOMES)
        for number, table in enumerate(study.views(), start=1)
    ]
    parts: list[Part] = [
        Paragraph(first),
        Bullets(sentences),
        *own_warnings(results, study.notices),
        drawing("judges-figure", agree_figure(study), results.look),
        *tables,
        *_changed(results, study),
    ]
    return Section("judges", "Agreement of judges", parts)


def _caption(results: Results, table: StudyTable) -> str:
    return f"{table.title}, {results.main.summed_up} {results.main}" if "run" in table.columns else table.title


def _of_main(results: Results, table: StudyTable) -> StudyTable:
    """The rows of runs by the main measure alone; other tables as they are."""
    if "run" not in table.columns:
        return table
    kept = [place for place, measure in enumerate(table.columns["measure"]) if measure == str(results.main)]
    return replace(table.without("measure"), rows=kept)


def _changed(results: Results, study: Agree) -> list[Part]:
    """Pairs of runs whose difference is lost, gained or reversed by the main measure, the surest first."""
    rows = [row for row in study.table("outcomes") if row["measure"] == str(results.main) and row["outcome"] in CHANGED]
    if not rows:
        return [Paragraph(f"By {results.main}, no significant difference between runs is lost, gained or reversed.")]
    rows.sort(key=lambda row: (CHANGED.index(str(row["outcome"])), min(float(row["p_A"] or 0), float(row["p_B"] or 0))))
    kept = rows[:MOST_PAIRS]
    names = [name for name in kept[0] if name != "measure"]
    table = StudyTable({name: [row[name] for row in kept] for name in names})
    of = f", {len(kept)} of {len(rows):,}" if len(kept) < len(rows) else ""
    caption = f"Pairs of runs whose difference in {results.main} is reversed, lost or gained{of}"
    return [page_table("judges-changed", table, caption)]
