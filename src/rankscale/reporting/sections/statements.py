"""Statements: which runs differ, each in a sentence with what supports it; folded, since the leaderboard shows them."""

from rankscale.answers.statement import Statement, on_interval_version
from rankscale.answers.statements import statements as statements_of
from rankscale.data.names import counted
from rankscale.data.notices import on_command_line
from rankscale.data.table import readable
from rankscale.reporting.parts import Conclusion, Paragraph, Part, Section
from rankscale.reporting.results import Results
from rankscale.stats.comparison_tables import sentence

MOST = 6  # statements


def statements(results: Results) -> Section:
    """Sentences about the leading runs with what supports them; a badge where the interval version says otherwise."""
    about = results.comparison
    chosen = chosen_statements(results)
    parts: list[Part] = [Paragraph(_overview(results, chosen), chosen[0].why)]
    parts += [Conclusion(one.sentence, one.lines(), differs=one.on_interval is False) for one in chosen]
    others = len(about.runs) - 1 - len(chosen)
    if others > 0:
        parts.append(Paragraph(_others(others, about.baseline, has_rankings=results.has_rankings)))
    folded = f"{counted(len(chosen), 'statement')} about the leading runs, with tests, medians and the interval version"
    return Section("statements", "Statements", parts, folded)


def _overview(results: Results, chosen: list[Statement]) -> str:
    """How many pairs differ, with one caution for all statements: they have the same measure and test."""
    verdict, text = chosen[0].verdict, sentence(results.comparison, _in_a_command)
    if verdict.meaningful:
        return text
    if results.comparison.verdict.meaningful and not results.comparison.is_ordinal:
        text += f" {verdict}."  # on the mean, which the sentence has for ordinal measures alone
    return f"{text} {on_interval_version(chosen)}"


def _in_a_command(option: str, value: str) -> str:
    """An option of `compare`, whose results these are."""
    return f"`rankscale compare {on_command_line(option, value)}`"


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
        return list(made[:MOST])
    ahead = [one for one in made[MOST - 1 :] if one.outcome.significant][:1]
    return [*made[: MOST - len(ahead)], *ahead]
