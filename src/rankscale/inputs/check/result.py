"""Check: what `check` returns, one row for each run of each file and one for each problem."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from rankscale import __version__
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import Spelling, UnknownNameError, Wording, worded
from rankscale.inputs.check.lines import MetadataFields
from rankscale.outputs.blocks import Printable
from rankscale.outputs.results import Page, TabularResult
from rankscale.outputs.text import json_chunks

GRADES_SHOWN = 10
FIELDS_SHOWN = 12  # of metadata
LONGEST = 80  # characters of such a field that are shown
TONES = {"ok": "good", "warning": "odd", "error": "bad"}  # of verdicts
METADATA = "ir_metadata"  # name of a column


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file (an error: it cannot be measured) or odd (a warning: it can, but look first)."""

    file: str
    level: Literal["error", "warning"]
    kind: str  # a few words, the same for all problems of the kind
    words: Wording  # where and what; options in it are spelled by whoever shows it
    run: str | None = None  # which run of the file; None where that is not known

    @property
    def text(self) -> str:
        """Where and what, options spelled as in Python."""
        return worded((self.words,))


def as_problems(
    file: str,
    texts: Iterable[tuple[str, Wording]],
    level: Literal["error", "warning"] = "warning",
    run: str | None = None,
) -> tuple[Problem, ...]:
    """A problem for each kind and text."""
    return tuple(Problem(file, level, kind, text, run) for kind, text in texts)


@dataclass(frozen=True)
class Submission:
    """What a run holds, in a file that may have several; None where that is not known."""

    file: str
    problems: tuple[Problem, ...]
    run: str | None = None  # its tag, or what else the file calls it
    topics: int | None = None
    documents: int | None = None
    shortest: int | None = None  # ranking, in documents
    longest: int | None = None
    judged: float | None = None  # Judged@10, as `evaluate` gives it over the topics of the qrels
    tied: float | None = None  # share of documents with the score of another; None where there are no scores
    form: str | None = None  # what the file was taken for: 'trec', 'csv', 'jsonl', ...
    is_one_of_several: bool = False  # runs of the file
    metadata: MetadataFields = ()  # what the file says in `ir_metadata` of how the run was made
    lines: int | None = None  # of a file that cannot be read, and whose lines were looked at

    @property
    def is_readable(self) -> bool:
        """Whether it can be measured."""
        return all(problem.level != "error" for problem in self.problems)

    @property
    def heading(self) -> str:
        """The file, and which of its runs where there are several."""
        return f"{self.file}, run {self.run}" if self.is_one_of_several else self.file

    @property
    def verdict(self) -> Literal["ok", "warning", "error"]:
        """The worst of its problems, in a word."""
        return "ok" if not self.problems else "warning" if self.is_readable else "error"

    @property
    def first_problem(self) -> str:
        """The kind of its first problem, and how many other kinds there are; errors come before warnings."""
        errors_first = sorted(self.problems, key=lambda problem: problem.level != "error")
        kinds = list(dict.fromkeys(problem.kind for problem in errors_first))
        return "none" if not kinds else kinds[0] if len(kinds) == 1 else f"{kinds[0]}, {len(kinds) - 1} more"

    @property
    def depths(self) -> str:
        """From the shortest to the longest ranking, in documents."""
        low, high = self.shortest, self.longest
        return "-" if low is None else f"{low}" if low == high else f"{low} to {high}"

    def count(self, level: str) -> int:
        """How many of its problems are errors, or warnings."""
        return sum(problem.level == level for problem in self.problems)


@dataclass(frozen=True, eq=False, repr=False)
class Check(TabularResult):
    """Result of `check`.

    Attributes
    ----------
    submissions : tuple of Submission
        What each run holds, and its problems; a file with several runs has one for each.
    qrels : Qrels, optional
        The judgments that runs were held against.
    about_qrels : tuple of Problem
        What is odd about the qrels.
    notices : tuple of Notice
        What files were taken for that are not in TREC's form, and documents that were left out as requested.
    intents : str
        What the file of probabilities of sub-topics holds, in a line; empty where there is none.
    about_intents : tuple of Problem
        What is wrong or odd about that file.
    """

    submissions: tuple[Submission, ...]
    qrels: Qrels | None = None
    about_qrels: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()
    intents: str = ""
    about_intents: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, those of the qrels first, then those of probabilities of sub-topics."""
        of_judgments = (*self.about_qrels, *self.about_intents)
        return (*of_judgments, *(problem for one in self.submissions for problem in one.problems))

    @property
    def is_well(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    @property
    def readable(self) -> tuple[str, ...]:
        """Files that can be measured, warnings or not."""
        return tuple(dict.fromkeys(one.file for one in self.submissions if one.is_readable))

    def only_problems(self) -> Self:
        """The same result with the runs alone that have problems."""
        return replace(self, submissions=tuple(one for one in self.submissions if one.problems))

    def spelled(self, spelling: Spelling) -> Self:
        """The same result with the options that problems name in the spelling of a surface."""

        def respelled(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
            return tuple(replace(one, words=worded((one.words,), spelling)) for one in problems)

        submissions = tuple(replace(one, problems=respelled(one.problems)) for one in self.submissions)
        about_qrels, about_intents = respelled(self.about_qrels), respelled(self.about_intents)
        return replace(self, submissions=submissions, about_qrels=about_qrels, about_intents=about_intents)

    def tables(self) -> Mapping[str, Table]:
        """One row for each run of each file, and one for each problem.

        There is a column of forms where some file is not in TREC's, and one of metadata where some file has any.
        """
        runs = self.submissions
        fields = ("file", "run", "topics", "documents", "shortest", "longest", "judged", "tied")
        columns: dict[str, list[Cell]] = {
            field.replace("judged", "judged_at_10"): [getattr(one, field) for one in runs] for field in fields
        }
        columns["errors"] = [one.count("error") for one in runs]
        columns["warnings"] = [one.count("warning") for one in runs]
        columns["problems"] = [", ".join(dict.fromkeys(problem.kind for problem in one.problems)) for one in runs]
        if any(one.form not in {None, "trec"} for one in runs):
            columns["form"] = [one.form for one in runs]
        if any(one.metadata for one in runs):
            texts = ("; ".join(f"{name}: {value}" for name, value in one.metadata) for one in runs)
            columns[METADATA] = [text or None for text in texts]
        names = [name for name in ("file", "run", "problems", "form", METADATA) if name in columns]
        problems = [(one.file, one.run, one.level, one.kind, one.text) for one in self.problems]
        files = Table(columns).with_columns(*(Column(name, align="left") for name in names))
        return {"files": files, "problems": Table.of(("file", "run", "level", "kind", "text"), problems)}

    def table(self, name: str | None = None) -> Table:
        """One table, 'files' unless another is named."""
        tables = self.tables()
        chosen = name or "files"
        if chosen not in tables:
            raise UnknownNameError("table", chosen, tables, f"a check has {', '.join(tables)}")
        sources = {"qrels": self.qrels.source} if self.qrels else {}
        return replace(tables[chosen], provenance={"rankscale": __version__, **sources})

    def to_json(self, table: str | None = None, *, places: int | None = None) -> str:
        """One JSON document: the problems, unless a table is named, then one row for each file."""
        others = {} if table else {"problems": self.table("problems")}
        return "".join(json_chunks(self.table(table), places, **others))

    def blocks(self, name: str | None = None) -> Sequence[Printable]:
        """The files as a table with a verdict each, every problem in full below it, and a last line that sums up."""
        if name is not None:
            return self.views(name)
        about = [_paragraph(_described(self.qrels), self.about_qrels)] if self.qrels else []
        about += [_paragraph(self.intents, self.about_intents)] if self.intents else []
        made = {one.file: _made(one) for one in self.submissions if one.metadata}
        listed = [_paragraph(one.heading, one.problems) for one in self.submissions if one.problems]
        return [*about, *([self._verdicts()] if self.submissions else []), *made.values(), *listed, self.sentence()]

    def _verdicts(self) -> Table:
        """The table for people: what each run holds in a few characters, a verdict and the first problem."""
        runs = self.submissions
        columns: dict[str, list[Cell]] = {
            "file": [one.file for one in runs],
            "run": _dashed([one.run for one in runs]),
            "lines": _dashed([one.lines if one.documents is None else one.documents for one in runs]),
            "topics": _dashed([one.topics for one in runs]),
            "depth": [one.depths for one in runs],
            "Judged@10": [_percent(one.judged) for one in runs],
            "tied": [_percent(one.tied) for one in runs],
            "verdict": [one.verdict for one in runs],
            "first problem": [one.first_problem for one in runs],
        }
        right = [Column(name, align="right") for name in ("lines", "topics", "depth", "Judged@10", "tied")]
        verdicts = Column("verdict", tones=[TONES[one.verdict] for one in runs])
        table = Table(columns, important=("verdict", "first problem", "lines", "topics"))
        return table.with_columns(*right, verdicts)

    def page(self) -> Page:
        """What a notebook shows: a verdict on all files, the table and every problem in full."""
        worst = next((word for word in ("error", "warning") if word in {one.level for one in self.problems}), "ok")
        return replace(super().page(), badge=(worst, TONES[worst]))

    def sentence(self) -> str:
        """How many things there are to look at."""
        count = len(self.problems)
        return "all is well" if count == 0 else f"{count} {'thing' if count == 1 else 'things'} to look at"

    def __repr__(self) -> str:
        files = {one.file for one in self.submissions}
        bad = {one.file for one in self.submissions if one.problems}
        return f"<Check of {len(files)} files: {len(bad)} with problems>"


def _dashed(cells: Sequence[Cell]) -> list[Cell]:
    return ["-" if cell is None else str(cell) for cell in cells]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def _paragraph(first: str, problems: tuple[Problem, ...]) -> str:
    """A line, and each problem below it after an exclamation mark."""
    marked = [textwrap.indent(one.text, "    ").replace("    ", "  ! ", 1) for one in problems]
    return "\n".join([first, *marked])


def _made(submission: Submission) -> str:
    """What the file says of how the run was made: a line for each of the first fields."""
    count = len(submission.metadata)
    fields = [f"    {name}: {_shortened(value)}" for name, value in submission.metadata[:FIELDS_SHOWN]]
    more = [f"    and {count - FIELDS_SHOWN} more"] if count > FIELDS_SHOWN else []
    what = "1 field" if count == 1 else f"{count} fields"
    return "\n".join([f"{submission.file} has {METADATA}, {what}:", *fields, *more])


def _shortened(value: str) -> str:
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}..."


def _described(qrels: Qrels) -> str:
    aspects, counts = qrels.aspects, qrels.level_counts
    what = f"{len(qrels.codes)} judgments"
    if aspects is not None:
        counts = np.bincount(aspects.code, minlength=len(qrels.levels))
        several = "1 sub-topic or assessor" if aspects.most == 1 else f"up to {aspects.most} sub-topics or assessors"
        what = f"{several} each, {len(aspects.code)} judgments of {len(qrels.codes)} documents"
    shown = zip(qrels.levels[:GRADES_SHOWN], counts.tolist(), strict=False)
    grades = ", ".join(f"{level:g}: {count}" for level, count in shown)
    return f"{qrels.source}: {len(qrels.topics)} topics, {what} (grade: number  {grades})"
