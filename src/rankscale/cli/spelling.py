"""Settings in messages, as the command spells them: `--method exact` where Python would say `method='exact'`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

from rankscale.errors import ParameterError

SETTING = re.compile(r"(?<![(,\w])(\w+)='(\w+)'")  # in a sentence; after a parenthesis or comma it is a measure's own


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


@contextmanager
def own_spelling() -> Iterator[None]:
    """Errors about parameters in the spelling of the command that runs."""
    try:
        yield
    except ParameterError as error:
        error.args = (as_options(str(error), click.get_current_context().command),)
        raise
