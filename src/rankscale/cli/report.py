"""`rankscale report`: one page about some runs."""

import shlex
import sys
from typing import Unpack

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.figure import look
from rankscale.cli.output import deliver
from rankscale.cli.terminal import progress_bar, warn


@declared(
    "report",
    options.files,
    options.measures(("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10")),
    click.option(
        "-o",
        "--output",
        default="report.html",
        show_default=True,
        metavar="FILE",
        help="Write to FILE (atomically); - prints the page.",
    ),
    click.option("--title", default="", show_default="the number of runs and their qrels", help="Title of the page."),
    click.option(
        "-t", "--test", default="student", show_default=True, help="Significance test, as for `rankscale compare`."
    ),
    options.correction,
    options.alpha,
    click.option("--baseline", metavar="RUN", show_default="all pairs", help="Run that all others are compared with."),
    click.option(
        "--inspect",
        multiple=True,
        metavar="RUN",
        show_default="a few",
        help="Run whose rankings can be opened. May be given several times.",
    ),
    click.option("--robustness", is_flag=True, help="Add what fewer judgments would change."),
    options.seed,
    *look,
    options.judging,
    options.reading,
    examples=(
        "rankscale report qrels.txt runs/*.gz",
        "rankscale report qrels.txt runs/*.gz -m AP -m P@10 --baseline bm25 -o report.html",
        "rankscale report qrels.txt runs/*.gz -m nDCG@10 --robustness --theme dark -o dark.html",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    output: str,
    title: str,
    test: str,
    correction: str | None,
    alpha: float,
    baseline: str | None,
    inspect: tuple[str, ...],
    robustness: bool,
    seed: int,
    theme: str,
    palette: str,
    rel: float | None,
    gains: values.Gains | None,
    depth: int | None,
    **judging: Unpack[options.Grading],
) -> None:
    """Write one page about some runs, in a file that any browser opens without a network.

    Conclusions in sentences with verdicts, a leaderboard with significance groups and bounds, topics, effort and gain,
    rankings to open, how far measures agree, warnings, and where the numbers come from. The first measure orders the
    runs.
    """
    from rankscale.reporting.report import DEFAULT_MEASURES, report

    wanted = options.measures_requested(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    with progress_bar() as progress:
        page = report(
            runs=list(runs),
            qrels=qrels,
            measures=wanted,
            command=shlex.join(["rankscale", *sys.argv[1:]]),
            title=title,
            test=test,
            correction=correction,
            alpha=alpha,
            baseline=baseline,
            inspect=inspect,
            robustness=robustness,
            seed=seed,
            theme=theme,
            palette=palette,
            rel=1 if rel is None else rel,
            progress=progress,
            depth=depth,
            **judging,
        )
    warn(page.notices)
    deliver([page.html().encode()], output)
    if output != "-":
        print(f"the report is in {output}", file=sys.stderr)  # noqa: T201
