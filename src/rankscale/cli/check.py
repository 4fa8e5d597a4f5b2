"""`rankscale check`: are the files what they should be, before anything is computed."""

import textwrap
from typing import TYPE_CHECKING, Unpack

import click

from rankscale.cli import options
from rankscale.cli.command import declared
from rankscale.cli.terminal import printable, with_arguments

if TYPE_CHECKING:
    from rankscale.data.qrels import Qrels
    from rankscale.data.run import Run

SHOWN = 10


@declared(
    "check",
    options.files,
    options.reading,
)
def command(qrels: str, runs: tuple[str, ...], **reading: Unpack[options.Reading]) -> None:
    """Validate qrels and runs: read each file to its end, describe it, and list what is unusual.

    Exits with 0 if all is well, 1 if something is unusual, 2 if a file cannot be opened.

    Command line
    ------------
      rankscale check qrels.txt runs/*.gz
      rankscale check qrels.txt run.txt --order rank
      rankscale check qrels.txt run.txt --max-size 1G
    """
    from rankscale.errors import FormatError
    from rankscale.formats.read.inputs import read_qrels, run_sources

    ctx = click.get_current_context()
    problems = 0
    try:
        judgments = read_qrels(qrels, max_size=reading["max_size"])
    except FormatError as error:
        click.echo(f"{printable(with_arguments(str(error)))}\n\nthe qrels cannot be read: runs were not looked at")
        ctx.exit(1)
    problems += _describe(_about_qrels(judgments))
    for _, source in run_sources(list(runs)):
        problems += _describe(_about_run(source, judgments, reading))
    click.echo(
        "\nall is well" if problems == 0 else f"\n{problems} {'thing' if problems == 1 else 'things'} to look at"
    )
    ctx.exit(1 if problems else 0)


def _describe(description: tuple[str, list[str]]) -> int:
    facts, notes = description
    click.echo(printable(facts))
    for words in notes:
        click.echo(printable(textwrap.indent(words, "    ").replace("    ", "  ! ", 1)))
    return len(notes)


def _about_qrels(qrels: "Qrels") -> tuple[str, list[str]]:
    import numpy as np

    relevant = qrels.recall_base()
    grades = ", ".join(
        f"{level:g}: {count}"
        for level, count in zip(qrels.levels[:SHOWN], qrels.counts.sum(axis=0).tolist(), strict=False)
    )
    notes = list(qrels.warnings)
    if (relevant == 0).any():
        without = [qrels.topics[t] for t in np.flatnonzero(relevant == 0)[:SHOWN]]
        count = int((relevant == 0).sum())
        notes.append(f"topics without a document of grade 1 or more: {', '.join(without)} ({count} of {len(relevant)})")
    if (qrels.levels < 0).any():
        notes.append(
            "negative grades are read as unjudged; --negative 'not relevant' reads them as judged and not relevant"
        )
    between = (qrels.levels > 0) & (qrels.levels < 1)
    if between.any():
        notes.append("grades between 0 and 1 count as not relevant unless --rel is lower")
    return (
        f"{qrels.source}: {len(qrels.topics)} topics, {len(qrels.codes)} judgments (grade: number  {grades})",
        notes,
    )


def _about_run(source: str, qrels: "Qrels", reading: options.Reading) -> tuple[str, list[str]]:
    from rankscale.errors import FormatError
    from rankscale.formats.read.inputs import iterate_runs
    from rankscale.formats.read.reading import Reading

    try:
        (run,) = iterate_runs(qrels, [source], Reading(**reading))
    except FormatError as error:
        return f"{source}: cannot be read", [with_arguments(str(error))]
    missing = sorted(set(range(len(qrels.topics))) - set(run.rows.tolist()))
    notes = list(run.warnings)
    if missing:
        names = ", ".join(qrels.topics[t] for t in missing[:SHOWN])
        notes.append(f"missing topics of the qrels: {names} ({len(missing)} of {len(qrels.topics)})")
    if run.unknown_topics:
        notes.append(f"topics that are not in the qrels: {run.unknown_topics}")
    return f"{source}: {_facts(run, qrels)}", notes


def _facts(run: "Run", qrels: "Qrels") -> str:
    retrieved = int(run.length.sum())
    run = run.without(qrels.levels < 0, qrels)  # negative grades mean unjudged
    tied = int((run.first < run.last).sum())
    depth = f"depth {run.length.min()} to {run.length.max()}" if len(run.length) else "no topic of the qrels"
    judged = f"{100 * len(run.rank) / max(retrieved, 1):.1f}% of {retrieved} documents judged"
    ties = f"{100 * tied / max(len(run.rank), 1):.1f}% of those in ties"
    return f"run {run.name}, {len(run.rows)} topics, {depth}, {judged}, {ties}"
