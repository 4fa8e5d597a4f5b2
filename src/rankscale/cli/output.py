"""Where results go, and in which form."""

import os
import sys
from collections.abc import Iterable, Sequence

import click

BY_SUFFIX = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
}
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet", "latex", "markdown")
TABLE_DIGITS = 4


def shown_digits(digits: int | None) -> int:
    """Decimal places of a table for people."""
    return TABLE_DIGITS if digits is None else digits


def chosen_form(form: str | None, output: str | None, example: str, forms: Sequence[str]) -> str:
    """The form asked for, or that of the file's ending, one of `forms`; `example` is a file that could be written."""
    ending = os.path.splitext(output or "")[1].lower()
    if form is None and ending not in {"", ".txt", *BY_SUFFIX}:
        known = " ".join(suffix for suffix, written in BY_SUFFIX.items() if written in forms)
        raise click.UsageError(f"unknown ending {ending}; known are {known}, or say --format")
    form = form or BY_SUFFIX.get(ending, "table")
    if form not in forms:
        raise click.UsageError(f"{ending} files are not written here, only {', '.join(forms)}: say --format")
    if form == "parquet" and output in {None, "-"}:
        raise click.UsageError(f"Parquet goes to a file: name it with -o {example}")
    return form


def deliver(chunks: Iterable[bytes], output: str | None) -> None:
    """Write to a file, whole or not at all, or to standard output."""
    from rankscale.formats.write.files import write_chunks

    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.writelines(chunks)
        sys.stdout.buffer.flush()
    else:
        write_chunks(output, chunks)
