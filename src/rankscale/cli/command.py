"""What every command goes through: set-up before it runs, and messages in its own spelling."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce, wraps
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rankscale.cli import values
from rankscale.cli.terminal import showing_progress, spelling, tell
from rankscale.errors import InputError, RankscaleError

if TYPE_CHECKING:
    from click.parser import _OptionParser as OptionParser

    from rankscale.executors import Executor


OptionNames = tuple[tuple[str, str], ...]  # a name for a run, and its file
OptionDecorator = Callable[[Callable[..., object]], Callable[..., object]]
QRELS = ("qrels", "qrels_a", "qrels_b")  # arguments that are qrels
MAX_MEMORY = (
    "Memory that the process may take; work that is predicted to need more is refused before it starts, and files that "
    "need more while they are read."
)
RESUMED = "rankscale.resumed"  # where a context has the executor that stores results
EXAMPLES = re.compile(r"^Command line\n-+\n", re.MULTILINE)
MAX_MEMORY_OPTION: OptionDecorator = click.option(
    "--max-memory",
    type=values.SIZE,
    help=MAX_MEMORY,
    show_default="half of what is free, for each piece of work",
)
# Options that a job may be given anew with when it is resumed.
OF_THE_OUTPUT = ("output", "written_as", "digits", "caption", "label", "cite", "table", "formulas")
NOT_OF_THE_JOB = {"executor", "resume", "threads", *OF_THE_OUTPUT}
WHERE = (
    "Where the work runs: inline (in this process), processes[:N] (N processes of this machine), dask[:N] (a new Dask "
    "cluster of N processes on this machine) or dask://HOST:PORT (a Dask cluster that is running). Without N, one "
    "process for each core."
)
RESUME = (
    "Store each result in folder DIR as soon as it is computed. If the job is interrupted, the same command with the "
    "same DIR computes only what is missing."
)


class RunsOrNames(click.Argument):
    """RUN..., which can be left out where --name gives the runs; checked when both are known."""


class Command(click.Command):
    """A command of rankscale: checked and set up in one place, whatever it does."""

    computes = True
    _help: str | None = None

    def _text(self) -> str | None:
        """The text of help: a docstring, without its margin and with examples as click leaves them, once it is read."""
        from inspect import cleandoc

        return None if self._help is None else EXAMPLES.sub("\b\nExamples:\n", cleandoc(self._help))

    def _keep(self, text: str | None) -> None:
        self._help = text

    help = property(_text, _keep)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; errors about parameters name its options."""
        names: OptionNames = ctx.params.pop("names", ())
        max_memory: int | None = ctx.params.pop("max_memory", None)
        runs = [ctx.params.get("run"), *(ctx.params.get("runs") or ())]
        lists = [ctx.params.get(name) for name in ("groups", "topics", "qrels_intents")]
        inputs = [*(ctx.params.get(name) for name in QRELS), *runs, *lists]
        inputs += [file for _, file in names if file not in runs]
        inputs += [part for _, *files in ctx.params.get("collections") or () for part in files]
        if inputs.count("-") > 1:  # the second time it would seem empty
            which = "one file alone" if "-" in lists else "the qrels or for one run"
            raise click.UsageError(f"standard input can be read only once: give - for {which}")
        if any(inputs):
            from rankscale import _core

            _core.keep_freed_memory()
        if max_memory is not None:
            from rankscale.data.resources import bound_address_space, set_max_memory

            ctx.call_on_close(lambda: set_max_memory(None))
            set_max_memory(max_memory)
            ctx.call_on_close(bound_address_space(max_memory))
        if names and not ctx.params.get("given_values"):  # with values, --name is refused as other options are
            _give_names(ctx, names)
        for param in self.params:
            if isinstance(param, RunsOrNames) and not ctx.params["runs"]:  # neither RUN nor --name gives one
                raise click.MissingParameter(ctx=ctx, param=param)
        self.give_forms(ctx)
        if self.computes:
            from rankscale.data.resources import set_listener

            set_listener(tell)
        try:
            with showing_progress(), _checking_stored(ctx):
                return super().invoke(ctx)
        except RankscaleError as error:
            error.args = (error.worded(spelling(self)),)
            raise

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """-h as well, also where the command is called by itself: click keeps what it was first asked for."""
        ctx.help_option_names = ["-h", "--help"]
        return super().get_help_option_names(ctx)

    def make_parser(self, ctx: click.Context) -> "OptionParser":
        """As click makes it, with short options looked up at once.

        Click takes -m for the start of a long option first, and compares it with the names of all of them: with 32
        measures that takes as long as measuring.
        """
        parser = super().make_parser(ctx)
        parser._long_opt = {**parser._short_opt, **parser._long_opt}  # noqa: SLF001
        return parser

    def give_forms(self, ctx: click.Context) -> None:
        """Give files what --form, --columns and other options say of them, where any does."""
        _give_forms(ctx)


@contextmanager
def _checking_stored(ctx: click.Context) -> Iterator[None]:
    """Errors of ours where stored results were used are errors of their folder, which anybody may have written."""
    try:
        yield
    except (RankscaleError, OSError, MemoryError, click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        resumed = ctx.meta.get(RESUMED)
        if resumed is None or not resumed.reused:
            raise
        found = f"{type(error).__name__}: {error}"
        raise InputError(
            f"{resumed.directory}: a stored result is not one of this job ({found}); remove the folder to start anew"
        ) from error


def _give_forms(ctx: click.Context) -> None:
    """Files with what --form, --columns and other options say of them, where any does."""
    if "runs" not in ctx.params and "run" not in ctx.params:
        return
    of_runs = {name: ctx.params.pop(name, None) for name in ("form", "columns", "duplicates", "document_from")}
    of_qrels = {name: ctx.params.pop(f"qrels_{name}", None) for name in ("form", "columns", "merge", "intents")}
    given = [value not in {None, "error"} for value in (*of_runs.values(), *of_qrels.values())]
    if not any(given) or ctx.params.get("given_values"):
        return
    from rankscale.inputs.options import columns_of
    from rankscale.inputs.read import QrelsFile, RunFile

    columns_of(of_runs["columns"])  # refused before any work
    columns_of(of_qrels["columns"])
    if ctx.params.get("collections"):
        raise click.UsageError("--form, --intents and the like go with QRELS RUN..., not with --collection")
    for name in QRELS if any(given[len(of_runs) :]) else ():
        if ctx.params.get(name):
            ctx.params[name] = QrelsFile(ctx.params[name], **of_qrels)
    if not any(given[: len(of_runs)]):
        return

    def formed(run: object) -> object:
        if isinstance(run, tuple):  # a name and its file
            return run[0], RunFile(run[1], **of_runs)
        return [formed(one) for one in run] if isinstance(run, list) else RunFile(run, **of_runs)

    if ctx.params.get("run"):
        ctx.params["run"] = formed(ctx.params["run"])
    ctx.params["runs"] = tuple(formed(run) for run in ctx.params.get("runs") or ())


def _give_names(ctx: click.Context, names: OptionNames) -> None:
    """Runs with the names of --name: those that are there as RUN, in their place, then the others."""
    if ctx.params.get("collections"):
        raise click.UsageError("--name and --collection do not go together: runs of collections have their tags")
    repeated = [name for name, _ in names if [one for one, _ in names].count(name) > 1]
    if repeated:
        raise click.UsageError(f"--name: {repeated[0]} is there twice; give each run a name of its own")
    if "run" in ctx.params:
        if [file for _, file in names] != [ctx.params["run"]]:
            raise click.UsageError(f"--name: this command takes one run; write --name NAME={ctx.params['run']}")
        ctx.params["run"] = list(names)
        return
    by_file = {file: name for name, file in names}
    given = list(ctx.params["runs"])
    others = [file for _, file in names if file not in given]
    ctx.params["runs"] = tuple((by_file.get(file), file) for file in [*given, *others])


def declared(
    name: str, *options: OptionDecorator, about: str = "", kind: type[Command] = Command, computes: bool = True
) -> Callable[[Callable[..., object]], Command]:
    """Make a function a command: its options in the order of help, its docstring as help, with examples below.

    All that compute take --max-memory.
    """
    shared = [MAX_MEMORY_OPTION] if computes else []

    def make(function: Callable[..., object]) -> Command:
        command = click.command(name, cls=kind, help=about or function.__doc__ or "")
        made = command(together(*options, *shared)(function))
        made.computes = computes
        return made

    return make


def together(*options: OptionDecorator) -> OptionDecorator:
    """Several options as one."""
    return lambda command: reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


def bundled(
    name: str, make: Callable[..., object], *options: OptionDecorator, others: Sequence[str] = ()
) -> OptionDecorator:
    """Options whose values a command is given as one keyword `name`, made of them by a function or class.

    `others` are names of options that are declared elsewhere among those of the command.
    """
    fields = [*(field for field in make.__annotations__ if field not in {"return", "how"}), *others]

    def bundle(function: Callable[..., object]) -> Callable[..., object]:
        @wraps(function)
        def call(**given: object) -> object:
            values = {field: given.pop(field) for field in fields}
            return function(**given, **{name: make(**values)})

        return together(*options)(call)

    return bundle


def _executor(executor: str | None, resume: str | None) -> "Executor | None":
    """Where the work runs, with its results kept where --resume says; None for here and now."""
    if executor is None and resume is None:
        return None
    from rankscale.executors import executor_named

    context = click.get_current_context()
    made = executor_named(executor or "inline")
    if close := getattr(made, "close", None):
        context.call_on_close(close)
    if resume is None:
        return made
    from rankscale.executors.checkpoints import Checkpointed

    kept = context.meta[RESUMED] = Checkpointed(made, resume, job=_job(context))
    return kept


def _job(context: click.Context) -> dict[str, str]:
    """The command and its options, as a message can name them."""
    job = {"the command": str(context.info_name)}
    for param in context.command.params:
        name = str(param.name)
        is_given = context.get_parameter_source(name) is not ParameterSource.DEFAULT
        if is_given and name in context.params and name not in NOT_OF_THE_JOB:
            flag, value = param.opts[-1] if isinstance(param, click.Option) else name.upper(), context.params[name]
            job[flag] = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return job


executing = bundled(
    "executor",
    _executor,
    click.option("--executor", metavar="WHERE", show_default="inline", help=WHERE),
    click.option(
        "--resume", type=click.Path(file_okay=False), metavar="DIR", show_default="nothing is stored", help=RESUME
    ),
)
