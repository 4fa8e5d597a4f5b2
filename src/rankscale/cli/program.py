"""All commands: each is imported when it is called; studies and figures are declared in their own files."""

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any

import click

from rankscale import __version__
from rankscale.cli import stopped

Members = Mapping[str, tuple[str, str]]
PACKAGE = os.path.dirname(os.path.dirname(__file__))
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
    "trec_eval": ("rankscale.cli.program:trec_eval", "Replace trec_eval: its options, its output."),
    "completion": ("rankscale.cli.completion", "Print the shell's completion script."),
}


def summaries(folder: str, module: str) -> dict[str, tuple[str, str]]:
    """Of the studies or figures that are declared: the place in a module that makes each command, and its summary."""
    import json

    with open(os.path.join(PACKAGE, folder, "register.json"), encoding="utf-8") as file:
        return {name: (f"{module}:{name}", declared["summary"]) for name, declared in json.load(file).items()}


class LazyGroup(click.Group):
    """Lists commands without importing them: help is quick, and a command pays only for itself.

    `table` has, by name, the module that holds `command` (or makes it: module:name), and a summary. Entries of `known`
    are those that can be had without it. Other packages add commands through the entry points of the group `others`,
    which `maker` makes: they are looked for where a name is in neither, and for lists.
    """

    def __init__(
        self,
        *,
        table: Callable[[], Members],
        known: Members = MappingProxyType({}),
        others: str,
        maker: str,
        **settings: Any,  # noqa: ANN401  # what click gives a group that a function is made into
    ) -> None:
        super().__init__(**settings)
        self.table, self.known, self.others, self.maker = table, known, others, maker

    @cached_property
    def members(self) -> Members:
        """The commands of this package, by name."""
        return self.table()

    @property
    def listed(self) -> Members:
        """All commands, by name: after those of this package those that others add."""
        from rankscale.data.extensions import extensions

        added = {
            one.name: (f"{self.maker}:{one.name}", f"Added by {one.dist.name if one.dist else 'another package'}.")
            for one in extensions(self.others)
        }
        return {**self.members, **{name: one for name, one in added.items() if name not in self.members}}

    def _place(self, name: str) -> str | None:
        """Where a command is made; None where there is none of that name."""
        place = self.known.get(name) or self.members.get(name) or self.listed.get(name)
        return place[0] if place else None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order of use."""
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        where = self._place(cmd_name)
        if where is None:
            return None
        module, _, declared = where.partition(":")
        place = import_module(module)
        command: click.Command = place.command_of(declared) if declared else place.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest command named where there is none of that name."""
        if args and not args[0].startswith("-") and self._place(args[0]) is None:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.listed, n=1)
            hint = f"did you mean {near[0]}?" if near else f"`{ctx.command_path} --help` lists all of them"
            ctx.fail(f"unknown {self.kind} {args[0]!r}; {hint}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _refuse_repeated(ctx, command, rest)
        return name, command, rest

    kind = "command"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line each, from the table: nothing is imported."""
        with formatter.section(f"{self.kind.title()}s"):
            formatter.write_dl([(name, words) for name, (_, words) in self.listed.items()])


def _refuse_repeated(ctx: click.Context, command: click.Command, arguments: list[str]) -> None:
    """Refuse an option that is given twice and takes one value: click would keep the last without a word."""
    given = arguments[: arguments.index("--")] if "--" in arguments else arguments
    named = [part.partition("=")[0] if part.startswith("--") else part for part in given if part.startswith("-")]
    for option in command.params:
        if isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count):
            times = sum(named.count(spelling) for spelling in option.opts)
            if times > 1:
                lists = ": write a list with commas" if option.type.name == "LIST" else ""
                ctx.fail(f"{option.opts[-1]} is given {times} times, and takes one value here{lists}")


def commands() -> Members:
    """All commands by name, in the order of help; studies are declared in their own files."""
    return {**VERBS, **summaries("studies", "rankscale.cli.study"), **OTHERS}


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
    others="rankscale.studies",
    maker="rankscale.cli.study",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="New here? Start with `rankscale demo`. Each command explains itself: `rankscale evaluate --help`.",
)
@click.version_option(__version__, message="rankscale %(version)s")
def cli() -> None:
    """Measure rankings, and know which conclusions the numbers support.

    TREC runs and qrels in; values, tables and files out. Plain, gz, bz2, xz and zst files are read by content, `-` is
    standard input. Results go to standard output, everything else to standard error.
    """


@click.command("trec_eval", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def trec_eval(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Replace trec_eval: same options, same bytes out, same exit codes."""
    from rankscale.trec_eval import main

    ctx.exit(main(arguments))


def command_of(name: str) -> click.Command:
    """A command that is declared here."""
    return {"trec_eval": trec_eval}[name]
