"""Where results go, and in which form."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import IO, TYPE_CHECKING, Self, cast

import click

from rankscale.cli.terminal import hide_progress, warn
from rankscale.outputs.files import BY_ENDING

if TYPE_CHECKING:
    from rankscale.data.table import Table
    from rankscale.measures.base.measure import Measure
    from rankscale.outputs.blocks import Printable
    from rankscale.outputs.results import TabularResult
    from rankscale.outputs.screen import Screen

BY_SUFFIX = {ending: form for ending, form in BY_ENDING.items() if form not in {"html", "table"}}
FORMS = ("table", *BY_SUFFIX.values())
TABLE_DIGITS = 4


@dataclass(frozen=True)
class Writing:
    """What the command line says about the output."""

    written_as: str | None
    digits: int | None
    output: str | None
    forms: tuple[str, ...]
    example: str  # a file that could be written
    caption: str | None = None  # of a table environment in LaTeX
    label: str | None = None
    cite: bool = False  # whether LaTeX cites the works that measures are from
    formulas: str = "escape"  # in tsv and csv: what a spreadsheet would carry out
    cited: Mapping[str, Sequence[str]] = field(default_factory=dict)  # keys of works by the names of measures

    @property
    def shown_digits(self) -> int:
        """Decimal places of a table for people."""
        return TABLE_DIGITS if self.digits is None else self.digits

    @property
    def by_suffix(self) -> dict[str, str]:
        """Forms by the endings of files."""
        return {**BY_SUFFIX, **({".html": "html"} if "html" in self.forms else {})}

    @cached_property
    def form(self) -> str:
        """The form requested, or that of the file's ending."""
        return self.check_form()

    def check_form(self) -> str:
        """The form; raise UsageError if the command does not write it, or it does not go with other options."""
        ending = os.path.splitext(self.output or "")[1].lower()
        if added := self._added_form(self.written_as or ending.removeprefix(".")):
            return added
        if self.written_as is None and ending not in {"", ".txt", *self.by_suffix}:
            known = " ".join(suffix for suffix, form in self.by_suffix.items() if form in self.forms)
            raise click.UsageError(f"unknown ending {ending}; known are {known}, or say --format")
        form = self.written_as or self.by_suffix.get(ending, "table")
        if form not in self.forms:
            raise click.UsageError(f"{ending} files are not written here, only {', '.join(self.forms)}: say --format")
        if form == "parquet" and self.output in {None, "-"}:
            raise click.UsageError(f"Parquet goes to a file: name it with -o {self.example}")
        self._check_latex(form)
        return form

    def _added_form(self, form: str) -> str | None:
        """The form, where another package writes it, and this command writes what programs read."""
        if form in {"", "txt", "tex", "md", "html", *FORMS} or "tsv" not in self.forms:
            return None
        from rankscale.data.extensions import FORMS as GROUP
        from rankscale.data.extensions import extensions

        return form if form in extensions(GROUP).names else None

    def _check_latex(self, form: str) -> None:
        """Refuse, before any work, what only LaTeX has, and captions that would break it."""
        given = {"--caption": self.caption, "--label": self.label, "--cite": self.cite or None}
        names = [name for name, value in given.items() if value is not None]
        if names and form != "latex":
            raise click.UsageError(f"{names[0]} goes with LaTeX: add --format latex, or -o FILE.tex")
        if names:
            from rankscale.outputs.people import in_environment

            in_environment("", self.caption, self.label)

    def citing(self, measures: "Sequence[Measure]") -> Self:
        """The same, with the works that each of these measures is from cited in LaTeX, if that is requested."""
        if not self.cite:
            return self
        from rankscale.measures.base.facts import works_of

        return replace(self, cited={str(measure): [work.key for work in works_of(measure)] for measure in measures})

    def deliver(self, chunks: Iterable[bytes]) -> None:
        """Write to the file, whole or not at all, or to standard output."""
        deliver(self._for_papers(chunks) if self.caption is not None or self.cite else chunks, self.output)

    def _for_papers(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """LaTeX with what is requested besides: citations, a caption, a label."""
        from rankscale.outputs.people import in_environment, with_citations

        plain = b"".join(chunks).decode("utf-8", "surrogateescape")
        text = with_citations(plain, self.cited)
        if self.cite and text == plain:
            warn(["--cite: no heading and no column called measure names a measure here whose paper is known"])
        yield in_environment(text, self.caption, self.label).encode("utf-8", "surrogateescape")

    @property
    def screen(self) -> "Screen":
        """The terminal that people read the output on, if it goes to one."""
        from rankscale.cli.terminal import screen_of_output
        from rankscale.outputs.screen import PLAIN

        others = "tsv" if "tsv" in self.forms else "json"
        return screen_of_output(f"--format {others}") if self.output in {None, "-"} else PLAIN

    def show(self, blocks: "Sequence[Printable]") -> None:
        """Write tables and prose for people, fitted to the terminal where they go to one, in signs that it has."""
        from rankscale.cli.terminal import encodable
        from rankscale.outputs.blocks import written

        text = written(blocks, self.shown_digits, self.screen) + "\n"
        shown = encodable(text) if self.output in {None, "-"} else text
        deliver([shown.encode("utf-8", "surrogateescape")], self.output, is_styled=True)

    def write_result(self, made: "TabularResult", table: str | None = None) -> None:
        """Write one table of a result, or what people read of it, in the form requested."""
        if self.form == "parquet":
            made.write(str(self.output), self.form, table=table)
        elif self.form == "table":
            self.show(made.blocks(table))
        else:
            self.deliver(made.chunks(self.form, table, self.digits, formulas=self.formulas))

    def write_table(
        self, table: "Callable[[], Table]", people: "Callable[[], Sequence[Printable]]", **document: object
    ) -> None:
        """Write the rows of a table, in JSON with `document` before them.

        `people` makes what is written in the forms for people: tables alone, but where the form is `table`.
        """
        from rankscale.data.table import Table
        from rankscale.outputs.frames import write_parquet
        from rankscale.outputs.results import added_form, view_text
        from rankscale.outputs.text import json_chunks, tidy_text

        if self.form == "parquet":
            write_parquet(table(), str(self.output))
        elif self.form == "json":
            self.deliver(chunk.encode() for chunk in json_chunks(table(), self.digits, **document))
        elif self.form in {"tsv", "csv", "jsonl"}:
            self.deliver(tidy_text(table(), self.form, self.digits, formulas=self.formulas))
        elif self.form == "table":
            self.show(people())
        elif self.form not in self.forms:
            self.deliver([added_form(self.form, table())])
        else:
            views = [block for block in people() if isinstance(block, Table)]
            self.deliver([view_text(views, self.form, self.shown_digits).encode("utf-8", "surrogateescape")])


def deliver(chunks: Iterable[bytes], output: str | None, *, is_styled: bool = False) -> None:
    """Write to a file, whole or not at all, or to standard output.

    A terminal is shown no control characters but our own (`is_styled`: names in the text are without them already).
    """
    from rankscale.outputs.files import write_chunks

    if output is None or output == "-":
        hide_progress()
        sys.stdout.flush()
        (sys.stdout.buffer if is_styled else output_bytes()).writelines(chunks)
        sys.stdout.buffer.flush()
    else:
        write_chunks(output, chunks)


def output_bytes() -> IO[bytes]:
    """Standard output for bytes; where it is a terminal, without what that would carry out."""
    return cast("IO[bytes]", Cleaned(sys.stdout.buffer)) if sys.stdout.isatty() else sys.stdout.buffer


class Cleaned:
    """An open file that is written to without control characters."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def writelines(self, chunks: Iterable[bytes]) -> None:
        """Write all chunks; a character may begin in one and end in the next."""
        from codecs import getincrementaldecoder

        from rankscale.outputs.names import on_terminal

        decoder = getincrementaldecoder("utf-8")("replace")
        for chunk in chunks:
            self._out.write(on_terminal(decoder.decode(chunk), kept="\n\t").encode())
        self._out.write(decoder.decode(b"", final=True).encode())

    def write(self, chunk: bytes) -> int:
        """Write one chunk."""
        self.writelines([chunk])
        return len(chunk)
