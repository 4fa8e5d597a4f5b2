"""What the commands of studies share: which table is asked for, and how it is written."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from rankscale.cli import options
from rankscale.cli.output import TABLE_PLACES, chosen_form, deliver
from rankscale.cli.terminal import warn

if TYPE_CHECKING:
    from rankscale.studies.support.study import Study

FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet", "latex", "markdown")


def writing(*tables: str) -> Callable[[options.Command], options.Command]:
    """Options on what is written of a study, in which form, and where to; the first of its tables is the answer."""
    about = f"Write this table alone: {', '.join(tables)}. By default {tables[0]}, with all others in json."
    asked = click.option("--table", type=click.Choice(tables), help=about)
    return lambda command: asked(options.writing(*FORMS)(command))


def form_of(form: str | None, output: str | None, name: str) -> str:
    """The form asked for, or that of the file's ending; refused before any work if the study cannot be written so."""
    return chosen_form(form, output, f"{name}.parquet", FORMS)


def write(found: "Study", form: str, output: str | None, places: int | None, table: str | None) -> None:
    """Warn, and write the table asked for, or the answer."""
    from rankscale.formats.write import rows

    warn(found.warnings)
    if form == "parquet":
        rows.write_parquet(found.table(table), str(output))
    elif form in rows.TIDY:
        deliver(rows.tidy_text(found.table(table), form, places), output)
    elif form == "json":
        answer, *rest = found.tables()
        others = {} if table else {name: found.table(name) for name in rest}
        deliver([rows.json_document(found.table(table or answer), places, **others).encode()], output)
    elif form in {"latex", "markdown"}:
        shown = TABLE_PLACES if places is None else places
        write_table = rows.latex_table if form == "latex" else rows.markdown_table
        deliver([write_table(found.table(table), shown).encode("utf-8", "replace")], output)
    else:
        text = found.text(TABLE_PLACES if places is None else places, table)
        deliver([(text + "\n").encode("utf-8", "surrogateescape")], output)
