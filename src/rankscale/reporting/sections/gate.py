"""The gate: whether candidates may take the place of the baseline."""

from dataclasses import replace

from rankscale.data.names import listed
from rankscale.data.table import Table as StudyTable
from rankscale.data.table import readable
from rankscale.reporting.parts import Badge, Bullets, Paragraph, Part, Section
from rankscale.reporting.results import Results
from rankscale.reporting.study_tables import own_warnings, page_table
from rankscale.studies.gate import Gate

ORDER = ("fail", "inconclusive", "pass")
MOST_SENTENCES = 6  # beyond which they are folded
MOST_LOSSES = 100  # rows
COLUMNS = {
    "topics": "on which both have a value",
    "difference": "mean over topics; above 0 is in favour of the candidate",
    "margin": "how much worse the candidate may be",
    "lower": "one-sided bound of the difference, uncorrected",
    "upper": "one-sided bound of the difference, uncorrected",
    "p_NI": "small: not worse by more than the margin",
    "p_worse": "small: worse by more than the margin",
}
MEANING = {
    "pass": "The candidate is shown not to be worse than the baseline by more than the margin.",
    "fail": "The candidate is shown to be worse than the baseline by more than the margin.",
    "inconclusive": "Neither is shown: these topics cannot decide.",
}


def gate(results: Results) -> Section | None:
    """The verdict, the table that decides it, sentences and the topics to blame; None unless requested."""
    study = results.studies.gate
    if study is None:
        return None
    decided, *blamed = study.views()
    how, *sentences = decided.notes
    folded = f"What each row says, in {len(sentences)} sentences" if len(sentences) > MOST_SENTENCES else ""
    parts: list[Part] = [
        Badge(study.verdict, readable(_verdicts(study))),
        Paragraph(" ".join(map(readable, [_meaning(study), *_undirected(results), how]))),
        page_table(
            "gate-table",
            _failed_first(decided),
            f"The gate against {study.baseline}, margin {study.rule.margin}",
            COLUMNS,
        ),
        Bullets([readable(one) for one in sentences], folded=folded),
        *own_warnings(results, study.notices),
        *(_losses(one) for one in blamed),
    ]
    return Section("gate", "Gate", parts)


def _verdicts(study: Gate) -> str:
    """Who is decided about; of several candidates, which have which verdict."""
    if len(study.candidates) == 1:
        return f"{study.candidates[0]} against {study.baseline}"
    by_verdict = {word: [one for one in study.candidates if study.verdict_of(one) == word] for word in ORDER}
    each = ", ".join(f"{word} {len(names):,} ({listed(names)})" for word, names in by_verdict.items() if names)
    return f"{len(study.candidates):,} candidates against {study.baseline}: {each}"


def _failed_first(table: StudyTable) -> StudyTable:
    """The rows that decide first: fail, inconclusive, pass; otherwise in the order that they have."""
    rows = sorted(table, key=lambda row: ORDER.index(str(row["verdict"])))
    return replace(table, columns={name: [row[name] for row in rows] for name in table.columns})


def _losses(table: StudyTable) -> Part:
    """The topics with the largest losses, of not too many rows."""
    first = {name: cells[:MOST_LOSSES] for name, cells in table.columns.items()}
    of = f", {MOST_LOSSES} of {len(table):,}" if len(table) > MOST_LOSSES else ""
    caption = f"Largest losses, where a row of the gate has not passed{of}"
    return page_table("gate-losses", replace(table, columns=first), caption)


def _meaning(study: Gate) -> str:
    """The verdict in a sentence; of several rows, which ones decide it."""
    if len(study.rows) == 1:
        return MEANING[study.verdict]
    return "A row that fails makes the gate fail, and it passes if all rows pass."


def _undirected(results: Results) -> list[str]:
    """Measures that are no part of the gate."""
    names = [str(measure) for measure in results.measures if measure.direction_note]
    return [f"Without a direction, and so no part of the gate: {', '.join(names)}."] if names else []
