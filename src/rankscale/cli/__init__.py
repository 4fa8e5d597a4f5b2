"""The command line: commands are imported when they run; studies and figures are declared in their own files."""

import gc
import os
import sys

import click

from rankscale.cli.lazy import LazyGroup, summaries
from rankscale.cli.streams import keep_places
from rankscale.errors import InputError, RankscaleError

COMMANDS = {
    "evaluate": ("rankscale.cli.evaluate", "Measure runs against qrels."),
    "curves": ("rankscale.cli.curves", "Measures at every rank."),
    "compare": ("rankscale.cli.compare", "Test which runs differ, and what that supports."),
    "scale": ("rankscale.cli.scale", "The interval scale of a measure."),
    **summaries(
        "studies",
        "rankscale.cli.study",
        agree="rankscale.cli.agree",
        diff="rankscale.cli.diff",
        gate="rankscale.cli.gate",
        overlap="rankscale.cli.overlap",
        pool="rankscale.cli.pool",
    ),
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


class Commands(LazyGroup):
    """All commands; the first one that runs also says how it ends where click has its own words for it."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. Click has its own words for these two ends; ours are those of the shell."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our output has seen enough (`| head`); the rest is not wanted.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            print("rankscale: stopped", file=sys.stderr)  # noqa: T201
            ctx.exit(130)


@click.command(
    cls=Commands,
    members=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="New here? Start with `rankscale demo`. Each command explains itself: `rankscale evaluate --help`.",
)
@click.version_option(package_name="rankscale", message="rankscale %(version)s")
def cli() -> None:
    """Measure rankings, and know which conclusions the numbers support.

    TREC runs and qrels in; values, tables and files out. Plain, gz, bz2, xz and zst files are read by content, `-` is
    standard input. Results go to standard output, everything else to standard error.
    """


def _words(error: Exception) -> str:
    """What went wrong; of an error of the system the file first, without its number."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: there is no such file"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror[0].lower()}{error.strerror[1:]}"
    if isinstance(error, MemoryError) and not isinstance(error, InputError):
        return f"not enough memory ({error or 'none is left'}); choose smaller depths, fewer runs, or a larger machine"
    return str(error)


def main() -> None:
    """Run a command; errors of input end with code 2 and one clear message."""
    keep_places()
    # Our arrays are small: threads of the linear algebra library would only cost start-up time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command makes few cycles and ends soon: looking for them while importing would take a tenth of its time.
    gc.set_threshold(100_000, 50, 50)
    try:
        cli.main(prog_name="rankscale", standalone_mode=True)
    except (RankscaleError, OSError, MemoryError) as error:
        from rankscale.cli.terminal import tell

        tell(f"rankscale: {_words(error)}")
        sys.exit(2)
    except KeyboardInterrupt:
        print("rankscale: stopped", file=sys.stderr)  # noqa: T201
        sys.exit(130)
