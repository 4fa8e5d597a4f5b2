"""The command line: one file per command, imported when that command is asked for."""

import gc
import os
import sys
from importlib import import_module

import click

COMMANDS = {
    "evaluate": ("rankscale.cli.evaluate", "Measure runs against qrels."),
    "curves": ("rankscale.cli.curves", "Measures at every rank."),
    "compare": ("rankscale.cli.compare", "Which runs differ, and what may be said of it."),
    "scale": ("rankscale.cli.scale", "The interval scale of a measure."),
    "intervals": ("rankscale.cli.intervals", "Measures beside their interval versions."),
    "changes": ("rankscale.cli.changes", "What becomes of significant differences on interval scales."),
    "measures": ("rankscale.cli.measures", "List the measures, or explain one."),
    "check": ("rankscale.cli.check", "Validate files before anything else."),
    "demo": ("rankscale.cli.demo", "The main commands on the embedded sample collection."),
    "trec_eval": ("rankscale.cli.trec_eval", "Replace trec_eval: its options, its output."),
    "completion": ("rankscale.cli.completion", "Print the shell's completion script."),
}


class LazyGroup(click.Group):
    """Lists commands without importing them: help is quick, and a command pays only for itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest command named where there is none of that name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else "`rankscale --help` lists all of them"
            ctx.fail(f"unknown command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line each, from the table: nothing is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="New here? Start with `rankscale demo`. Each command explains itself: `rankscale evaluate --help`.",
)
@click.version_option(package_name="rankscale", message="rankscale %(version)s")
def cli() -> None:
    """Measure rankings, and know what may be said with the numbers.

    TREC runs and qrels in; values, tables and files out. Plain, gz, bz2, xz and zst files are read by content, `-` is
    standard input. Results go to standard output, everything else to standard error.
    """


def main() -> None:
    """Run a command; errors of input end with code 2 and one clear message."""
    # Our arrays are small: threads of the linear algebra library would only cost start-up time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command makes few cycles and ends soon: looking for them while importing would take a tenth of its time.
    gc.set_threshold(100_000, 50, 50)
    from rankscale.errors import RankscaleError

    try:
        cli.main(prog_name="rankscale", standalone_mode=True)
    except (RankscaleError, OSError) as error:
        from rankscale.cli.terminal import printable

        print(f"rankscale: {printable(str(error))}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
