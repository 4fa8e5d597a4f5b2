"""What every command goes through: set-up before it runs, and messages in its own spelling."""

import re
from collections.abc import Callable
from inspect import cleandoc

import click

from rankscale.errors import ParameterError

SETTING = re.compile(r"(?<![(,\w])(\w+)='(\w+)'")  # in a sentence; after a parenthesis or comma it is a measure's own
Option = Callable[[Callable[..., object]], Callable[..., object]]


class Command(click.Command):
    """A command of rankscale: checked and set up in one place, whatever it does."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; errors about parameters name its options."""
        inputs = [ctx.params.get("qrels"), ctx.params.get("run"), *(ctx.params.get("runs") or ())]
        if inputs.count("-") > 1:  # the second time it would seem empty
            raise click.UsageError("standard input can be read only once: give - for the qrels or for one run")
        if any(inputs):
            from rankscale import _core

            _core.keep_freed_memory()
        try:
            return super().invoke(ctx)
        except ParameterError as error:
            error.args = (as_options(str(error), self),)
            raise


def declared(
    name: str, *options: Option, about: str = "", examples: tuple[str, ...] = ()
) -> Callable[[Callable[..., object]], Command]:
    """A function as a command: its options in the order of help, and its help with examples below."""

    def make(function: Callable[..., object]) -> Command:
        for option in reversed(options):
            function = option(function)
        shown = about or cleandoc(function.__doc__ or "")
        listed = "\n\n\b\nExamples:\n" + "\n".join(f"  {example}" for example in examples) if examples else ""
        return click.command(name, cls=Command, help=shown + listed)(function)

    return make


def as_options(text: str, command: click.Command) -> str:
    """The text with settings that are options of the command written as such; all others stay as they are.

    >>> method = click.Option(["--method"], type=click.Choice(["auto", "exact"]))
    >>> as_options("ask for method='exact', or method='odd'", click.Command("scale", params=[method]))
    "ask for --method exact, or method='odd'"
    """
    options = {
        (param.name, choice): f"{param.opts[-1]} {choice}"
        for param in command.params
        if isinstance(param.type, click.Choice)
        for choice in param.type.choices
    }
    return SETTING.sub(lambda found: options.get((found[1], found[2]), found[0]), text)
