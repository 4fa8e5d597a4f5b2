"""What may be concluded: cautions, the gate, and statements with what supports them.

The few cautions that matter most are open, the others folded; so are the statements, since the leaderboard shows them.
The gate says whether candidates may take the place of the baseline.
"""

from dataclasses import replace

from rankscale.answers.statement import Statement, on_interval_version
from rankscale.answers.statements import statements as statements_of
from rankscale.data.names import counted, listed
from rankscale.data.notices import render
from rankscale.data.table import Table as StudyTable
from rankscale.data.table import readable
from rankscale.errors import on_command_line
from rankscale.reporting.measured import left_out
from rankscale.reporting.parts import (
    Badge,
    Bullets,
    Conclusion,
    Paragraph,
    ReportSection,
    SectionPart,
    own_warnings,
    page_table,
)
from rankscale.reporting.results import Results
from rankscale.stats.comparison_tables import sentence
from rankscale.studies.gate import Gate

MOST_STATEMENTS = 6  # statements
CAUTIONS_SHOWN = 3  # cautions; the others are folded
VERDICTS = ("fail", "inconclusive", "pass")
MOST_SENTENCES = 6  # beyond which they are folded
MOST_LOSSES = 100  # rows
GATE_COLUMNS = {
    "topics": "on which both have a value",
    "difference": "mean over topics; above 0 is in favour of the candidate",
    "margin": "how much worse the candidate may be",
    "lower": "one-sided bound of the difference, uncorrected",
    "upper": "one-sided bound of the difference, uncorrected",
    "p_NI": "small: not worse by more than the margin",
    "p_worse": "small: worse by more than the margin",
}
VERDICT_MEANS = {
    "pass": "The candidate is shown not to be worse than the baseline by more than the margin.",
    "fail": "The candidate is shown to be worse than the baseline by more than the margin.",
    "inconclusive": "Neither is shown: these topics cannot decide.",
}


def statements(results: Results) -> ReportSection:
    """Sentences about the leading runs with what supports them; a badge where the interval version says otherwise."""
    about = results.comparison
    chosen = chosen_statements(results)
    parts: list[SectionPart] = [Paragraph(_overview(results, chosen), chosen[0].why)]
    parts += [Conclusion(one.sentence, one.lines(), differs=one.on_interval is False) for one in chosen]
    others = len(about.runs) - 1 - len(chosen)
    if others > 0:
        parts.append(Paragraph(_others(others, about.baseline, has_rankings=results.has_rankings)))
    folded = f"{counted(len(chosen), 'statement')} about the leading runs, with tests, medians and the interval version"
    return ReportSection("statements", "Statements", parts, folded)


def _overview(results: Results, chosen: list[Statement]) -> str:
    """How many pairs differ, with one caution for all statements: they have the same measure and test."""
    verdict, text = chosen[0].verdict, sentence(results.comparison, _in_a_command)
    if verdict.meaningful:
        return text
    if results.comparison.verdict.meaningful and not results.comparison.is_ordinal:
        text += f" {verdict}."  # on the mean, which the sentence has for ordinal measures alone
    return f"{text} {on_interval_version(chosen)}"


def _in_a_command(keyword: str, value: str = "", option: str = "", python: str = "") -> str:
    """An option of `compare`, whose results these are."""
    return f"`rankscale compare {on_command_line(keyword, value, option, python)}`"


def _others(count: int, baseline: str | None, *, has_rankings: bool) -> str:
    """Where the runs are that no sentence is about; statements need rankings, rows of pairs do not."""
    all_of_them = "--statements" if has_rankings else "--values VALUES --pairs"
    if baseline is not None:
        return f"And {count} more: `rankscale compare {all_of_them} --baseline {readable(baseline)}` lists them all."
    others = f"{count:,} others the leaderboard counts the runs that they differ" if count > 1 else ""
    return (
        f"For the {others or 'other run the leaderboard counts the runs that it differs'} from; `rankscale compare "
        f"{all_of_them}` compares {'neighbours' if has_rankings else 'all pairs'}."
    )


def chosen_statements(results: Results) -> list[Statement]:
    """With a baseline each run against it; else the best run against the next ones, and the first it clearly beats."""
    made = statements_of(results.comparison, interval=results.interval, pairs="leader")
    if results.comparison.baseline is not None:
        return list(made[:MOST_STATEMENTS])
    ahead = [one for one in made[MOST_STATEMENTS - 1 :] if one.outcome.significant][:1]
    return [*made[: MOST_STATEMENTS - len(ahead)], *ahead]


def summary(results: Results) -> ReportSection:
    """The cautions that matter, then the others, folded."""
    about = [*_on_interval_version(results), *results.cautions]
    about += [] if results.has_rankings else [left_out()]
    if not about:
        return ReportSection("summary", "Cautions", [Paragraph("Nothing was found that calls for caution.")])
    minor = {render(notice) for notice in getattr(results.interval, "notices", ())}  # about the interval version alone
    first = [one for one in about if one not in minor][:CAUTIONS_SHOWN]
    others = [one for one in about if one not in first]
    parts: list[SectionPart] = [Bullets(first, "warnings")] if first else []
    if others:
        parts.append(Bullets(others, "warnings", counted(len(others), "more caution" if first else "minor caution")))
    return ReportSection("summary", "Cautions", parts)


def _on_interval_version(results: Results) -> list[str]:
    """A caution where the scale of the measure makes a difference to what is said of the leading runs."""
    chosen = chosen_statements(results)
    known = [one.on_interval for one in chosen if one.on_interval is not None]
    differing, opposite = known.count(False), sum(one.interval.reversed for one in chosen)
    if not differing:
        return []
    which = f"{differing} of {len(known)} statements about the leading runs differ{'s' * (differing == 1)}"
    reversed_ = f", {opposite} of them with means reversed" if opposite else ""
    return [f"on the interval version of {results.main} {which}{reversed_} (see Statements)"]


def gate(results: Results) -> ReportSection | None:
    """The verdict, the table that decides it, sentences and the topics to blame; None unless requested."""
    study = results.studies.gate
    if study is None:
        return None
    decided, *blamed = study.views()
    how, *sentences = decided.notes
    folded = f"What each row says, in {len(sentences)} sentences" if len(sentences) > MOST_SENTENCES else ""
    parts: list[SectionPart] = [
        Badge(study.verdict, readable(_verdicts(study))),
        Paragraph(" ".join(map(readable, [_meaning(study), *_undirected(results), how]))),
        page_table(
            "gate-table",
            _failed_first(decided),
            f"The gate against {study.baseline}, margin {study.rule.margin}",
            GATE_COLUMNS,
        ),
        Bullets([readable(one) for one in sentences], folded=folded),
        *own_warnings(results, study.notices),
        *(_losses(one) for one in blamed),
    ]
    return ReportSection("gate", "Gate", parts)


def _verdicts(study: Gate) -> str:
    """Who is decided about; of several candidates, which have which verdict."""
    if len(study.candidates) == 1:
        return f"{study.candidates[0]} against {study.baseline}"
    by_verdict = {word: [one for one in study.candidates if study.verdict_of(one) == word] for word in VERDICTS}
    each = ", ".join(f"{word} {len(names):,} ({listed(names)})" for word, names in by_verdict.items() if names)
    return f"{len(study.candidates):,} candidates against {study.baseline}: {each}"


def _failed_first(table: StudyTable) -> StudyTable:
    """The rows that decide first: fail, inconclusive, pass; otherwise in the order that they have."""
    rows = sorted(table, key=lambda row: VERDICTS.index(str(row["verdict"])))
    return replace(table, columns={name: [row[name] for row in rows] for name in table.columns})


def _losses(table: StudyTable) -> SectionPart:
    """The topics with the largest losses, of not too many rows."""
    first = {name: cells[:MOST_LOSSES] for name, cells in table.columns.items()}
    of = f", {MOST_LOSSES} of {len(table):,}" if len(table) > MOST_LOSSES else ""
    caption = f"Largest losses, where a row of the gate has not passed{of}"
    return page_table("gate-losses", replace(table, columns=first), caption)


def _meaning(study: Gate) -> str:
    """The verdict in a sentence; of several rows, which ones decide it."""
    if len(study.rows) == 1:
        return VERDICT_MEANS[study.verdict]
    return "A row that fails makes the gate fail, and it passes if all rows pass."


def _undirected(results: Results) -> list[str]:
    """Measures that are no part of the gate."""
    names = [str(measure) for measure in results.measures if measure.direction_note]
    return [f"Without a direction, and so no part of the gate: {', '.join(names)}."] if names else []
