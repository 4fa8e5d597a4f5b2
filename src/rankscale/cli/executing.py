"""Where the work of a command runs, and where its results are kept: --executor and --resume."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rankscale.cli.command import RESUMED, bundled

if TYPE_CHECKING:
    from rankscale.executors import Executor

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


def _executor(executor: str | None, resume: str | None) -> "Executor | None":
    """Where the work runs, with its results kept where --resume says; None for here and now."""
    if executor is None and resume is None:
        return None
    from rankscale.executors.named import executor_named

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
    given = {
        _flag(param): _in_words(context.params[param.name])
        for param in context.command.params
        if param.name in context.params
        and param.name not in NOT_OF_THE_JOB
        and context.get_parameter_source(param.name) is not ParameterSource.DEFAULT
    }
    return {"the command": str(context.info_name), **given}


def _flag(param: click.Parameter) -> str:
    return param.opts[-1] if isinstance(param, click.Option) else str(param.name).upper()


def _in_words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


executing = bundled(
    "executor",
    _executor,
    click.option("--executor", metavar="WHERE", show_default="inline", help=WHERE),
    click.option(
        "--resume", type=click.Path(file_okay=False), metavar="DIR", show_default="nothing is stored", help=RESUME
    ),
)
