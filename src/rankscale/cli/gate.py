"""`rankscale gate`: may the candidate take the place of the baseline? The exit code says so."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options
from rankscale.cli.command import Option, declared
from rankscale.cli.config import config
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import click_options, help_of, result
from rankscale.cli.streams import nobody_reads
from rankscale.cli.study import write
from rankscale.data.declared import register
from rankscale.data.notices import on_command_line

if TYPE_CHECKING:
    from rankscale.studies.gate import Gate

GATE = register("studies")["gate"]
MARGINS = ("margin", "upper_margin")  # each may be given twice, absolute and relative
others = replace(GATE, options={name: one for name, one in GATE.options.items() if name not in MARGINS})
_, measures, *own_options = click_options(others)


def margin(name: str) -> Option:
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
    made = replace(cast("Gate", result(GATE, given)), spelling=on_command_line)
    for path in json:
        made.write(path, "json")
    try:
        write(made, writing, table)
    except BrokenPipeError:  # the verdict stands, whoever stops reading
        nobody_reads(sys.stdout)
    click.get_current_context().exit(made.exit_code)
