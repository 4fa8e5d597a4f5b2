"""All commands: each is imported when it runs; studies and figures are declared in their own files."""

import click

from rankscale import __version__
from rankscale.cli import stopped
from rankscale.cli.lazy import LazyGroup, Members, summaries

VERBS = {
    "evaluate": ("rankscale.cli.evaluate", "Measure runs against qrels."),
    "curves": ("rankscale.cli.curves", "Measures at every rank."),
    "compare": ("rankscale.cli.compare", "Test which runs differ, and what that supports."),
    "scale": ("rankscale.cli.scale", "The interval scale of a measure."),
}
OTHERS = {
    "fuse": ("rankscale.cli.fuse", "Fuse runs into one, with parameters given or tuned."),
    "figure": ("rankscale.cli.figure", "Draw figures for papers and pages."),
    "report": ("rankscale.cli.report", "One page about some runs: conclusions, tables, figures."),
    "serve": ("rankscale.cli.serve", "Open a workbench in the browser."),
    "measures": ("rankscale.cli.measures", "List the measures, or explain one."),
    "check": ("rankscale.cli.check", "Validate files before anything else."),
    "convert": ("rankscale.cli.convert", "Write a run or qrels in another form."),
    "demo": ("rankscale.cli.demo", "Run the main commands on the embedded sample collection."),
    "trec_eval": ("rankscale.cli.trec_eval", "Replace trec_eval: its options, its output."),
    "completion": ("rankscale.cli.completion", "Print the shell's completion script."),
}


def commands() -> Members:
    """All commands by name, in the order of help; studies are declared in their own files."""
    own = {name: f"rankscale.cli.{name}" for name in ("agree", "diff", "gate", "overlap", "pool")}
    return {**VERBS, **summaries("studies", "rankscale.cli.study", **own), **OTHERS}


class Commands(LazyGroup):
    """All commands; the first one that runs also says how it ends where click has its own words for it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options. `--help` and `--version` are printed here; click ends with 1 where nobody reads that."""
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError as error:
            ctx.exit(stopped(error))

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. Click has its own words for these two ends; ours are those of the shell."""
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, KeyboardInterrupt) as error:
            ctx.exit(stopped(error))


@click.command(
    cls=Commands,
    table=commands,
    known={**VERBS, **OTHERS},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="New here? Start with `rankscale demo`. Each command explains itself: `rankscale evaluate --help`.",
)
@click.version_option(__version__, message="rankscale %(version)s")
def cli() -> None:
    """Measure rankings, and know which conclusions the numbers support.

    TREC runs and qrels in; values, tables and files out. Plain, gz, bz2, xz and zst files are read by content, `-` is
    standard input. Results go to standard output, everything else to standard error.
    """
