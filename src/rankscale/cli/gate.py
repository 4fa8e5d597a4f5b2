"""`rankscale gate`: may the candidate take the place of the baseline? The exit code says so."""

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import click

from rankscale.cli import discard_if_closed, options
from rankscale.cli.command import OptionDecorator, declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import click_options, help_of, result
from rankscale.cli.study import write
from rankscale.cli.terminal import tell
from rankscale.data.arguments import register
from rankscale.errors import FormatError, UnknownNameError, on_command_line

PROJECT = "pyproject.toml"
NO_SETTINGS = {"config", "output", "json", "help"}
LONGEST, MOST_POINTS = 256 << 10, 500  # bytes of a file of settings, and points of a line of it
GATE = register("studies")["gate"]
MARGINS = ("margin", "upper_margin")  # each may be given twice, absolute and relative
others = replace(GATE, options={name: one for name, one in GATE.options.items() if name not in MARGINS})
_, measures, *own_options = click_options(others)


def config(command: str) -> OptionDecorator:
    """The option --config of a command, whose settings are in the table [tool.rankscale.COMMAND] of a file."""

    def read(context: click.Context, param: click.Parameter, path: str | None) -> None:
        del param
        given = path or (PROJECT if os.path.isfile(PROJECT) else None)
        if given is None or context.resilient_parsing:
            return
        settings = _settings(given, command, required=path is not None)
        context.default_map = {**(context.default_map or {}), **_by_parameter(settings, context.command, given)}
        if settings:  # before they are checked, so that a message about one of them says where it is from
            tell(f"settings of {given}: {', '.join(settings)}")

    return click.option(
        "--config",
        type=click.Path(),
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=read,
        show_default=f"{PROJECT} of this folder, if it has such a table",
        help=(
            f"TOML file with options by their long names, in the table [tool.rankscale.{command}] or, in a file "
            "without it, at the top. The command line overrides them."
        ),
    )


def _settings(path: str, command: str, *, required: bool) -> Mapping[str, object]:
    """The table of the command; the whole file where that was named and has no table for rankscale."""
    import tomllib

    with open(path, "rb") as file:
        text = file.read(LONGEST + 1)
    if not required and b"rankscale" not in text:  # settings of other tools
        return {}
    _check_size(path, text)
    try:
        content: dict[str, object] = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: expected TOML; {error}") from None
    table: object = content
    for name in ("tool", "rankscale", command):
        table = table.get(name) if isinstance(table, dict) else None
    if isinstance(table, dict):
        return table
    if table is None and not required:
        return {}
    if table is None and os.path.basename(path) != PROJECT:
        return content
    raise FormatError(f"{path}: expected a table [tool.rankscale.{command}], found none")


def _check_size(path: str, text: bytes) -> None:
    """Raise FormatError for a file that takes long to read: with the square of the parts of a key, `a.b.c = 1`."""
    if len(text) > LONGEST:
        raise FormatError(f"{path}: expected settings of at most {LONGEST >> 10} KB; name a smaller file with --config")
    for number, line in enumerate(text.split(b"\n"), start=1):
        if line.count(b".") > MOST_POINTS:
            raise FormatError(f"{path}, line {number}: expected at most {MOST_POINTS} points in a line; break the line")


def _by_parameter(settings: Mapping[str, object], command: click.Command, path: str) -> dict[str, object]:
    """Values by the names of the command's parameters; raise UnknownNameError for a name that no option has."""
    known = {
        flag.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden and option.name not in NO_SETTINGS
        for flag in option.opts
        if flag.startswith("--")
    }
    values: dict[str, object] = {}
    for name, value in settings.items():
        option = known.get(name.replace("_", "-"))
        if option is None:
            raise UnknownNameError(
                f"setting in {path}:", name, known, f"settings are the options of `rankscale {command.name} --help`"
            )
        values[str(option.name)] = _value(value, option, f"{path}: {name}")
    return values


def _value(value: object, option: click.Option, where: str) -> object:
    """A value as the command line would give it: texts, which the option checks itself."""
    if isinstance(value, list):
        parts = [_text(one, where) for one in value]
        return parts if option.multiple else ",".join(parts)
    return [_text(value, where)] if option.multiple else _text(value, where)


def _text(value: object, where: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise FormatError(
        f"{where}: expected a text, a number, true, false, or a list of them, found {type(value).__name__}"
    )


def margin(name: str) -> OptionDecorator:
    """An option that takes a margin, or an absolute and a relative one."""
    one = GATE.options[name]
    shown, flags = one.default_text, f"{one.flags[-1]} {name}"
    return options.option(flags, one.help, None, (), shown, metavar="MARGIN", multiple=True, required=one.required)


@declared(
    "gate",
    options.baseline_and_candidates,
    measures,
    margin("margin"),
    *own_options,
    margin("upper_margin"),
    config("gate"),
    options.option("--table", "Write this table alone.", click.Choice(GATE.tables), shown="gate; all in json"),
    options.option(
        "--json",
        "Write the verdict and all numbers to FILE as well, as JSON.",
        shown="none",
        metavar="FILE",
        multiple=True,
    ),
    options.writing((*FORMS, "html"), "gate.parquet"),
    about=help_of(GATE),
)
def command(writing: Writing, table: str | None, json: tuple[str, ...], **given: object) -> None:
    """Write the verdict, and end with the exit code that says it."""
    runs = cast("tuple[object, ...]", given["runs"])
    if given["qrels"] and len(runs) == 1 and not cast("options.ValuesIn", given["values_in"]).given_values:
        raise click.UsageError(f"Missing argument 'CANDIDATE...': name the runs to decide about after {runs[0]}")
    made = replace(result(GATE, given), spelling=on_command_line)
    for path in json:
        made.write(path, "json")
    try:
        write(made, writing, table)
    except BrokenPipeError:  # the verdict stands, whoever stops reading
        discard_if_closed(sys.stdout)
    click.get_current_context().exit(made.exit_code)
