"""What every command goes through: set-up before it runs, and messages in its own spelling."""

import re
from collections.abc import Callable
from functools import reduce, wraps
from inspect import cleandoc

import click

from rankscale.cli.terminal import with_options
from rankscale.errors import ParameterError

Option = Callable[[Callable[..., object]], Callable[..., object]]
EXAMPLES = re.compile(r"^Command line\n-+\n", re.MULTILINE)


class Command(click.Command):
    """A command of rankscale: checked and set up in one place, whatever it does."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; errors about parameters name its options."""
        inputs = [ctx.params.get("qrels"), ctx.params.get("run"), *(ctx.params.get("runs") or ())]
        inputs += [part for _, *files in ctx.params.get("collections") or () for part in files]
        if inputs.count("-") > 1:  # the second time it would seem empty
            raise click.UsageError("standard input can be read only once: give - for the qrels or for one run")
        if any(inputs):
            from rankscale import _core

            _core.keep_freed_memory()
        try:
            return super().invoke(ctx)
        except ParameterError as error:
            error.args = (with_options(str(error), self),)
            raise


def declared(name: str, *options: Option, about: str = "") -> Callable[[Callable[..., object]], Command]:
    """Make a function a command: its options in the order of help, its docstring as help, with examples below."""

    def make(function: Callable[..., object]) -> Command:
        shown = about or cleandoc(function.__doc__ or "")
        return click.command(name, cls=Command, help=EXAMPLES.sub("\b\nExamples:\n", shown))(
            together(*options)(function)
        )

    return make


def together(*options: Option) -> Option:
    """Several options as one."""
    return lambda command: reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


def bundled(name: str, make: Callable[..., object], *options: Option) -> Option:
    """Options whose values a command is given as one keyword `name`, made of them by a function or class."""
    fields = [field for field in make.__annotations__ if field != "return"]

    def bundle(function: Callable[..., object]) -> Callable[..., object]:
        @wraps(function)
        def call(**given: object) -> object:
            values = {field: given.pop(field) for field in fields}
            return function(**given, **{name: make(**values)})

        return together(*options)(call)

    return bundle
