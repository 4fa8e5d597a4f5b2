"""The works that measures are from, as `works.bib` beside this file lists them: what their References cite."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankscale.measures.base.measure import Measure


@dataclass(frozen=True)
class Work:
    """One work: its key, how docstrings cite it, and the fields of its entry."""

    key: str
    cited: str  # the words of a section References, exactly
    kind: str  # article, book, ...
    fields: tuple[tuple[str, str], ...]

    def bibtex(self) -> str:
        r"""The entry, in ASCII: letters with accents are written with LaTeX's commands.

        >>> from rankscale.measures.base.register import find
        >>> print(works_of(find("RBP"))[0].bibtex())
        @article{moffat2008rank,
          author = {Moffat, Alistair and Zobel, Justin},
          title = {Rank-Biased Precision for Measurement of Retrieval Effectiveness},
          journal = {ACM Transactions on Information Systems},
          volume = {27},
          number = {1},
          year = {2008},
        }
        """
        lines = (f"  {name} = {{{''.join(ACCENTS.get(c, c) for c in value)}}}," for name, value in self.fields)
        return "\n".join([f"@{self.kind}{{{self.key},", *map(_wrapped, lines), "}"])


ACCENTS = {"ä": r"{\"a}", "ö": r"{\"o}", "ü": r"{\"u}", "é": r"{\'e}"}


def _wrapped(line: str) -> str:
    from textwrap import fill

    return fill(line, 116, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


ENTRY = re.compile(r"@(\w+)\{([^,]+),\n(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


def _read() -> Iterator[Work]:
    """The entries of `works.bib`, whose field `cited` is not printed; each field there is a line."""
    with open(os.path.join(os.path.dirname(__file__), "works.bib"), encoding="utf-8") as file:
        for kind, key, text in ENTRY.findall(file.read()):
            (_, cited), *fields = FIELD.findall(text)
            yield Work(key, cited, kind, tuple(fields))


WORKS = tuple(_read())
# Programs: one entry for trec_eval, whatever part of it a measure is from.
PROGRAM = Work(
    "buckley_trec_eval",
    "",
    "misc",
    (("author", "Buckley, Chris"), ("title", "trec{\\_}eval"), ("howpublished", "Computer program")),
)
OF_PROGRAM = (
    "Buckley's trec_eval 3, 3-pt_avg",
    "Buckley, experimental measure of trec_eval, 2008",
    "Buckley's trec_eval",
    "Buckley's trec_eval, relative_P",
    "Buckley's trec_eval, set_map",
    "documented in Buckley's trec_eval",
)
WITHOUT_ENTRY = ("Tomlinson", "norm of MATTERS, the authors' program, 2014")  # no publication
_BY_CITATION = {work.cited: work for work in WORKS} | dict.fromkeys(OF_PROGRAM, PROGRAM)


def by_citation(words: str) -> Work | None:
    """The work that a part of a section References cites; None where it has no entry here."""
    return _BY_CITATION.get(words)


def works_of(measure: "Measure | type[Measure]") -> tuple[Work, ...]:
    """The works that a measure is from; of a measure made of another, those of the other too."""
    own = (by_citation(words) for words in measure.paper.split("; "))
    parts = [] if isinstance(measure, type) else [part for part in vars(measure).values() if hasattr(part, "paper")]
    works = [*own, *(work for part in parts for work in works_of(part))]
    return tuple(dict.fromkeys(work for work in works if work is not None))


def bibliography(measures: "Iterable[Measure | type[Measure]]") -> str:
    """BibTeX entries of the works that measures are from, each once, by key."""
    works = {work.key: work for measure in measures for work in works_of(measure)}
    return "\n\n".join(works[key].bibtex() for key in sorted(works)) + "\n"
