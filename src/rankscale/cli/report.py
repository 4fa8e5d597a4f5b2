"""`rankscale report`: one page about some runs."""

import shlex
import sys
from typing import TYPE_CHECKING, Unpack

import click

from rankscale.cli import options
from rankscale.cli.command import declared
from rankscale.cli.figure import look
from rankscale.cli.output import deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.reporting.report import ReportOptions

SECTIONS = (  # as in rankscale.reporting.report, which imports numpy
    "summary",
    "leaderboard",
    "topics",
    "effort",
    "archetypes",
    "rankings",
    "agreement",
    "robustness",
    "provenance",
)


@declared(
    "report",
    options.files,
    options.measuring(options.measures(("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10"))),
    options.option(
        "-o --output", "Write to FILE (atomically); - prints the page.", default="report.html", metavar="FILE"
    ),
    options.option("--title", "Title of the page.", default="", shown="the number of runs and their qrels"),
    options.option("-t --test", "Significance test, as for `rankscale compare`.", default="student"),
    options.correction,
    options.alpha,
    options.baseline,
    options.option("--inspect", "Run whose rankings can be opened.", shown="a few", metavar="RUN", multiple=True),
    options.option(
        "--effort",
        "Measure of effort in the effort/gain plot, from 0 (all of it) to 1 (none).",
        shown="the first Twist requested, or Twist",
        metavar="MEASURE",
    ),
    options.option(
        "--gain",
        "Measure of gain in the effort/gain plot.",
        shown="the first measure of gain requested",
        metavar="MEASURE",
    ),
    options.option(
        "--sections",
        "Section of the page: leaderboard alone makes a small page without figures.",
        click.Choice(SECTIONS),
        shown="all",
        multiple=True,
    ),
    options.flag("--anonymous-paths", "Name files without their folders on the page."),
    options.flag("--robustness", "Add what fewer judgments would change."),
    options.option("--seed", "Random seed for resampling.", options.NATURAL, 0),
    *look,
    options.judging,
    options.reading,
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measuring: options.Measuring,
    output: str,
    **requested: "Unpack[ReportOptions]",
) -> None:
    """Write one page about some runs, in a file that any browser opens without a network.

    Conclusions in sentences with verdicts, a leaderboard with significance groups and bounds, topics, effort and gain,
    rankings to open, how far measures agree, warnings, and where the numbers come from. The first measure orders the
    runs.

    Command line
    ------------
      rankscale report qrels.txt runs/*.gz
      rankscale report qrels.txt runs/*.gz -m AP -m P@10 --baseline bm25 -o report.html
      rankscale report qrels.txt runs/*.gz -m nDCG@10 --robustness --theme dark -o dark.html
      rankscale report qrels.txt runs/*.gz -m nDCG@10 --effort 'Twist(rel=2)@100' --gain AP
      rankscale report qrels.txt runs/*.gz --sections leaderboard --anonymous-paths -o leaderboard.html
    """
    from rankscale.reporting.anonymous import command_without_folders
    from rankscale.reporting.report import DEFAULT_MEASURES, report

    wanted = measuring.measures(DEFAULT_MEASURES)
    requested["rel"] = 1 if measuring.relevance.rel is None else measuring.relevance.rel
    if requested["effort"] is not None:
        requested["effort"] = measuring.relevance.measure(str(requested["effort"]), "--effort")
    if requested["gain"] is not None:
        requested["gain"] = measuring.relevance.measure(str(requested["gain"]), "--gain")
    words = command_without_folders(sys.argv[1:]) if requested["anonymous_paths"] else sys.argv[1:]
    requested["command"] = shlex.join(["rankscale", *words])
    with progress_bar() as requested["progress"]:
        page = report(qrels, list(runs), wanted, **requested)
    warn(page.notices)
    deliver([page.html().encode()], output)
    if output != "-":
        print(f"the report is in {output}", file=sys.stderr)  # noqa: T201
