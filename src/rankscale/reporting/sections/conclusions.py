"""What may be concluded: cautions, the gate, and statements with what supports them; and what the numbers come from.

The few cautions that matter most are open, the others folded; so are the statements, since the leaderboard shows them.
The gate says whether candidates may take the place of the baseline. Versions, settings and files are all that is needed
to get the same numbers again.
"""

import hashlib
import os
import platform
from dataclasses import replace

import numpy as np

from rankscale import __version__
from rankscale.answers.statement import Statement, on_interval_version
from rankscale.answers.statements import statements as statements_of
from rankscale.data.names import counted, listed
from rankscale.data.notices import render
from rankscale.data.table import readable
from rankscale.errors import on_command_line
from rankscale.reporting import parts
from rankscale.reporting.measured import NEED_RANKINGS, value_files
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
SEVERAL_ROWS = "A row that fails makes the gate fail, and it passes if all rows pass."


def statements(results: Results) -> parts.ReportSection:
    """Sentences about the leading runs with what supports them; a badge where the interval version says otherwise."""
    about = results.comparison
    chosen = chosen_statements(results)
    caution, overview = chosen[0].verdict, sentence(about, _in_a_command)
    if not caution.meaningful:  # one caution for all statements: they have the same measure and test
        if about.verdict.meaningful and not about.is_ordinal:
            overview += f" {caution}."  # on the mean, which the sentence has for ordinal measures alone
        overview += f" {on_interval_version(chosen)}"
    content: list[parts.SectionPart] = [parts.Paragraph(overview, chosen[0].why)]
    content += [parts.Conclusion(one.sentence, one.lines(), differs=one.on_interval is False) for one in chosen]
    others = len(about.runs) - 1 - len(chosen)
    if others > 0:
        content.append(parts.Paragraph(_others(others, about.baseline, has_rankings=results.has_rankings)))
    folded = f"{counted(len(chosen), 'statement')} about the leading runs, with tests, medians and the interval version"
    return parts.ReportSection("statements", "Statements", content, folded)


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


def summary(results: Results) -> parts.ReportSection:
    """The cautions that matter, then the others, folded."""
    about = [*_on_interval_version(results), *results.cautions]
    if not results.has_rankings:
        *others, last = NEED_RANKINGS.values()
        about.append(
            "This page is made from values that were measured before, without rankings and judgments: there is nothing "
            f"on {', '.join(others)} and {last}, on tied scores, and on how much was judged. `rankscale report QRELS "
            "RUN...` has all of it."
        )
    if not about:
        nothing = parts.Paragraph("Nothing was found that calls for caution.")
        return parts.ReportSection("summary", "Cautions", [nothing])
    minor = {render(notice) for notice in getattr(results.interval, "notices", ())}  # about the interval version alone
    first = [one for one in about if one not in minor][:CAUTIONS_SHOWN]
    others = [one for one in about if one not in first]
    folded = counted(len(others), "more caution" if first else "minor caution")
    return parts.ReportSection("summary", "Cautions", [*parts.warnings(first), *parts.warnings(others, folded)])


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


def gate(results: Results) -> parts.ReportSection | None:
    """The verdict, the table that decides it, sentences and the topics to blame; None unless requested."""
    study = results.studies.gate
    if study is None:
        return None
    decided, *blamed = study.views()
    how, *sentences = decided.notes
    folded = f"What each row says, in {len(sentences)} sentences" if len(sentences) > MOST_SENTENCES else ""
    meaning = VERDICT_MEANS[study.verdict] if len(study.rows) == 1 else SEVERAL_ROWS
    undirected = ", ".join(str(measure) for measure in results.measures if measure.direction_note)
    left_out = [f"Without a direction, and so no part of the gate: {undirected}."] if undirected else []
    verdicts = [VERDICTS.index(str(verdict)) for verdict in decided.columns["verdict"]]
    failed_first = replace(decided, rows=sorted(range(len(decided)), key=verdicts.__getitem__))
    caption = f"The gate against {study.baseline}, margin {study.rule.margin}"
    content: list[parts.SectionPart] = [
        parts.Badge(study.verdict, readable(_verdicts(study))),
        parts.Paragraph(" ".join(map(readable, [meaning, *left_out, how]))),
        parts.page_table("gate-table", failed_first, caption, GATE_COLUMNS),
        parts.Bullets([readable(one) for one in sentences], folded=folded),
        *parts.own_warnings(results, study.notices),
    ]
    for table in blamed:
        of = f", {MOST_LOSSES} of {len(table):,}" if len(table) > MOST_LOSSES else ""
        first = replace(table, rows=range(min(MOST_LOSSES, len(table))))
        caption = f"Largest losses, where a row of the gate has not passed{of}"
        content.append(parts.page_table("gate-losses", first, caption))
    return parts.ReportSection("gate", "Gate", content)


def _verdicts(study: Gate) -> str:
    """Who is decided about; of several candidates, which have which verdict."""
    if len(study.candidates) == 1:
        return f"{study.candidates[0]} against {study.baseline}"
    by_verdict = {word: [one for one in study.candidates if study.verdict_of(one) == word] for word in VERDICTS}
    each = ", ".join(f"{word} {len(names):,} ({listed(names)})" for word, names in by_verdict.items() if names)
    return f"{len(study.candidates):,} candidates against {study.baseline}: {each}"


def provenance(results: Results) -> parts.ReportSection:
    """Versions, settings, and the files with their hashes."""
    about = results.comparison
    facts = [
        ("rankscale", __version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
        *([("command", readable(results.command))] if results.command else []),
        ("measures", ", ".join(map(str, results.measures))),
        ("signature", results.evaluation.signature),
        ("test", f"{about.test.label}, correction {about.correction}, alpha {about.alpha:g}"),
        ("seed", str(results.seed)),
        *(("values", readable(render(notice))) for notice in results.evaluation.notices if notice.kind == "read as"),
    ]
    sources = results.evaluation.sources if results.has_rankings else value_files(results.evaluation)
    sources += () if results.groups is None else (results.groups.groups_from,)
    sources += (results.studies.other_qrels,)
    files = [row for source in sources if (row := _file(source)) is not None]
    columns = [
        parts.text_column("file"),
        parts.PageColumn("bytes"),
        parts.text_column("SHA-256"),
    ]
    table = [parts.PageTable("files", f"{len(files)} files read", columns, files)] if files else []
    folded = f"Versions, settings and {counted(len(files), 'file')} with SHA-256"
    return parts.ReportSection("provenance", "Provenance", [parts.PageFacts(facts), *table], folded)


def _file(source: str) -> list[parts.PageCell] | None:
    """A file and its hash; None for what was read from elsewhere."""
    if not os.path.isfile(source):
        return None
    with open(source, "rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return [parts.name(os.path.basename(source)), parts.count(os.path.getsize(source)), parts.PageCell(digest)]
