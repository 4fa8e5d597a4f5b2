"""`rankscale report`: one page about some runs."""

import shlex
import sys
from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.output import deliver
from rankscale.cli.terminal import progress_bar, warn


@click.command("report")
@options.files
@options.measures
@click.option(
    "-o", "--output", default="report.html", show_default=True, metavar="FILE", help="Write the page here; - prints it."
)
@click.option("--title", default="", help="Of the page; by default how many runs there are, and on which judgments.")
@click.option("-t", "--test", default="student", show_default=True, help="As for `rankscale compare`.")
@click.option("--correction", type=click.Choice(["none", "bonferroni", "holm", "bh", "by"]), help="Holm by default.")
@click.option("--alpha", type=options.Share(), default=0.05, show_default=True, help="The level of significance.")
@click.option("--baseline", metavar="RUN", help="Compare each run with this one.")
@click.option("--inspect", multiple=True, metavar="RUN", help="A run whose rankings can be opened. Repeats.")
@click.option("--robustness", is_flag=True, help="Add what fewer judgments would change.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of what is drawn by chance.")
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True)
@click.option("--palette", type=click.Choice(["safe", "papers"]), default="safe", show_default=True)
@options.judging
@options.reading
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    output: str,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that report() takes as they are
) -> None:
    """One page about some runs, in a file that any browser opens without a network.

    What may be said in sentences with verdicts, a leaderboard with significance groups and bounds, topics, effort and
    gain, rankings to open, how far measures agree, warnings, and where the numbers come from. The first measure puts
    the runs in order.

    \b
    rankscale report qrels.txt runs/*.gz
    rankscale report qrels.txt runs/*.gz -m AP -m P@10 --baseline bm25 --robustness -o report.html
    """
    from rankscale import _core
    from rankscale.reporting.findings import DEFAULT_MEASURES
    from rankscale.reporting.report import report

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    told = shlex.join(["rankscale", *sys.argv[1:]])
    with progress_bar("reading and judging", len(runs)) as progress:
        made = report(
            qrels,
            list(runs),
            wanted,
            command=told,
            rel=1 if rel is None else rel,
            progress=progress,
            **settings,
        )
    warn(made.warnings)
    deliver([made.html().encode()], output)
    if output != "-":
        print(f"the report is in {output}", file=sys.stderr)  # noqa: T201
