"""What may be said: which runs are ahead, whether they differ, and whether that means anything on the scale."""

from collections.abc import Iterator, Sequence

from rankscale.data.table import readable
from rankscale.reporting.cautions import cautions
from rankscale.reporting.findings import Findings
from rankscale.reporting.parts import Listed, Said, Section, StatementsPart, Words
from rankscale.reporting.statements import Statement, statements

MOST = 6  # statements


def summary(findings: Findings) -> Section:
    """Sentences first, then what to be careful about."""
    about = findings.comparison
    chosen = list(_chosen(findings))
    text = [_said(one) for one in chosen]
    others = len(about.runs) - 1 - len(chosen)
    more = [Words(_others(others, about.baseline))] if others > 0 else []
    message = cautions(findings)
    care = [Words("What to be careful about:"), Listed(message, "warnings")] if message else []
    above = [Words(about.sentence()), *map(Words, _on_means(findings, chosen))]
    return Section("summary", "What may be said", [*above, StatementsPart(text), *more, *care])


def _on_means(findings: Findings, text: Sequence[Statement]) -> list[str]:
    """The verdict on the mean, which stands beside each statement, where that on the test is another."""
    verdicts = {str(one.mean_verdict) for one in text if one.mean_verdict.kind != findings.comparison.verdict.kind}
    return [f"Of the {findings.main.summed_up}, beside each statement: {verdict}." for verdict in verdicts]


def _others(count: int, baseline: str | None) -> str:
    if baseline is not None:
        return f"And {count} more: `rankscale compare --statements --baseline {readable(baseline)}` makes them all."
    return (
        f"The leaderboard tells of the {count} others how many runs they differ from; `rankscale compare --statements` "
        "makes the statements of neighbours."
    )


def _chosen(findings: Findings) -> Iterator[Statement]:
    """With a baseline each run against it; else the best run against the next ones, and the first it clearly beats."""
    made = statements(findings.comparison, findings.interval, "leader")
    if findings.comparison.baseline is not None:
        yield from made[:MOST]
        return
    ahead = [one for one in made[MOST - 1 :] if one.outcome.significant][:1]
    yield from [*made[: MOST - len(ahead)], *ahead]


def _said(statement: Statement) -> Said:
    """What is said; the verdicts, which are the same for all, stand above."""
    verdicts = {str(statement.mean_verdict), str(statement.test_verdict)}
    lines = [line.strip() for line in str(statement).splitlines()[1:]]
    return Said(statement.sentence, statement.mean_verdict.kind, [line for line in lines if line not in verdicts])
