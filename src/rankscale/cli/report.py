"""`rankscale report`: one page about some runs."""

import shlex
import sys
from typing import TYPE_CHECKING, Unpack

import click

from rankscale.cli import options, say
from rankscale.cli.command import declared
from rankscale.cli.figure import palette
from rankscale.cli.options import GroupsIn, groups_in
from rankscale.cli.output import deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.reporting.report import ReportOptions

MISSING = "topics that a run lacks have the value 0 (zero), or only topics that all runs have count (common)."
SECTIONS = (  # as in rankscale.reporting.report, which imports numpy
    "summary",
    "gate",
    "leaderboard",
    "compare",
    "diff",
    "topics",
    "groups",
    "effort",
    "archetypes",
    "rankings",
    "agreement",
    "overlap",
    "judges",
    "robustness",
    "statements",
    "provenance",
)


@declared(
    "report",
    options.files_or_values,
    options.values_in,
    options.measuring(options.measures(("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10"))),
    options.option(
        "-o --output", "Write to FILE (atomically); - prints the page.", default="report.html", metavar="FILE"
    ),
    options.option("--title", "Title of the page.", default="", shown="the collection's name"),
    options.option("-t --test", "Significance test, as in `compare`.", default="student", metavar="TEST"),
    options.correction,
    options.alpha,
    options.baseline,
    options.option(
        "--candidate",
        "Run to show the differences of, topic by topic, from the baseline (or else from the first other run).",
        shown="none; with --margin all other runs",
        metavar="RUN",
        multiple=True,
    ),
    options.option(
        "--margin",
        "Add a gate: how much worse a candidate may be, 0.01 in values or 2% of the baseline's mean.",
        shown="no gate",
        metavar="MARGIN",
        multiple=True,
    ),
    options.flag("--overlap", "Add how far each two runs rank the same documents."),
    options.option(
        "--agree",
        "Add how far other judgments agree with QRELS, and what they do to the runs.",
        click.Path(allow_dash=True),
        shown="none",
        metavar="QRELS",
    ),
    options.option(
        "--inspect",
        "Run that comes first where not all rankings and indicators fit into the page.",
        shown="the best runs",
        metavar="RUN",
        multiple=True,
    ),
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
    options.flag("--anonymous-paths", "Name files without their folders in warnings, too; the page never has folders."),
    options.flag("--robustness", "Add what fewer judgments would change."),
    groups_in,
    options.choice("--missing", ("zero", "common", "error"), f"With --values: {MISSING}", shown="error"),
    options.option("--seed", "Random seed for resampling and draws.", options.NATURAL, 0, metavar="N"),
    options.choice("--theme", ("auto", "light", "dark"), "Colours; auto: those of the reader's system.", "auto"),
    palette,
    options.judging,
    options.reading,
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    values_in: options.ValuesIn,
    groups_in: GroupsIn,
    measuring: options.Measuring,
    output: str,
    missing: str | None,
    **requested: "Unpack[ReportOptions]",
) -> None:
    """Write one page about some runs, in a file that any browser opens without a network.

    Who leads and how surely, cautions, a leaderboard with intervals, two runs to choose and compare down to their
    documents, topics, effort and gain, rankings to open, how far measures agree, statements with verdicts, and where
    the numbers come from; on request what `gate`, `diff`, `overlap` and `agree` say of the same runs. The first measure
    orders the runs. With --values the page is about values that were measured before, without what needs rankings.

    Command line
    ------------
      rankscale report qrels.txt runs/*.gz
      rankscale report qrels.txt runs/*.gz -m AP -m P@10 --baseline bm25 -o report.html
      rankscale report qrels.txt runs/*.gz -m nDCG@10 --robustness --theme dark -o dark.html
      rankscale report qrels.txt runs/*.gz -m nDCG@10 --effort 'Twist(rel=2)@100' --gain AP
      rankscale report qrels.txt runs/*.gz --sections leaderboard --anonymous-paths -o leaderboard.html
      rankscale report qrels.txt runs/*.gz -m AP --groups topics.csv --group-column length -o groups.html
      rankscale report qrels.txt runs/*.gz -m nDCG@10 --baseline bm25 --candidate manual --margin 0.01 -o decision.html
      rankscale report qrels.txt runs/*.gz -m nDCG@10 --overlap --agree other-qrels.txt -o judges.html
      rankscale report --values values.tsv -o values.html
    """
    from rankscale.reporting.measured import OF_RANKINGS, command_without_folders
    from rankscale.reporting.report import DEFAULT_MEASURES, report

    values_in.check_files(qrels, runs)
    groups_in.check({})
    if missing is not None and not values_in.given_values:
        raise click.UsageError("--missing is for values: in a report of rankings those that a run lacks count as empty")
    requested["command"] = shlex.join(["rankscale", *command_without_folders(sys.argv[1:])])
    requested["candidate"], requested["margin"] = requested["candidate"] or None, requested["margin"] or None
    requested["groups"], requested["group_column"] = groups_in.groups, groups_in.group_column
    if values_in.given_values:
        evaluation = values_in.read([qrels, *runs], measuring.texts)
        of_values = {name: value for name, value in requested.items() if name not in OF_RANKINGS}
        page = report(evaluation, **of_values)  # type: ignore[arg-type]
    else:
        relevance, wanted = measuring.relevance, measuring.measures(DEFAULT_MEASURES)
        requested["rel"] = 1 if relevance.rel is None else relevance.rel
        for name in ("effort", "gain"):
            if (text := requested[name]) is not None:
                requested[name] = options.one_measure(relevance, str(text), f"--{name}")
        with progress_bar() as requested["progress"]:
            page = report(qrels, list(runs), wanted, **requested)
    warn(page.notices)
    deliver([page.html().encode()], output)
    if output != "-":
        say(f"the report is in {output}")
