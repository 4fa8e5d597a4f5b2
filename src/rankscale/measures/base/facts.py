"""Facts about a measure, in words, the same for the terminal and for the pages; and the works that measures are from.

`works.bib` beside this file lists the works: what the measures' References cite.
"""

import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, replace
from typing import NamedTuple, get_origin

from rankscale.errors import BoundsError, ParameterError
from rankscale.measures.base.measure import Measure, canonical_text
from rankscale.measures.base.parameters import about, kind_in_words, parameters, sections
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import NAMES
from rankscale.measures.base.trec_names import ENTRIES, TrecName

COMMON = {"depth", "judged_only"}  # what every measure takes
GRADES = (0, 1, 2, 3)  # that tell what a measure makes of graded relevance
TOPICS = {
    "mean": "are averaged",
    "sum": "are added up",
    "geometric": "are averaged geometrically, values below 1e-5 as 1e-5; geometric means need a ratio scale",
}
ACCENTS = {"ä": r"{\"a}", "ö": r"{\"o}", "ü": r"{\"u}", "é": r"{\'e}"}
ENTRY = re.compile(r"@(\w+)\{([^,]+),\n(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
OF_PROGRAM = (
    "Buckley's trec_eval 3, 3-pt_avg",
    "Buckley, experimental measure of trec_eval, 2008",
    "Buckley's trec_eval",
    "Buckley's trec_eval, relative_P",
    "Buckley's trec_eval, set_map",
    "documented in Buckley's trec_eval",
)


class ParameterFacts(NamedTuple):
    """A parameter in words."""

    name: str
    default: str | None  # None where it must be given
    kind: str
    limits: str
    meaning: str

    def __str__(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


def forms(measure: type[Measure]) -> list[str]:
    """How a measure is written.

    >>> from rankscale.measures.rbp import RBP
    >>> forms(RBP)
    ['RBP', 'RBP@k']
    """
    if measure.at_parameter != "depth":
        return [f"{measure.name}@{measure.at_parameter}"]
    bare = [] if measure.needs_depth else [measure.name]
    return [*bare, f"{measure.name}@k"] if measure.takes_depth else bare


def example(measure: type[Measure], depth: int | None = None) -> Measure:
    """A measure of this class with its defaults, and the least that has to be given.

    >>> from rankscale.measures.iprec import IPrec
    >>> print(example(IPrec))
    IPrec@0.5
    """
    if measure.at_parameter != "depth":
        made = parse(measure.example or f"{measure.name}@0.5")
    else:
        bare = parse(measure.example) if measure.example else None
        made = bare or measure(depth=10 if measure.needs_depth else None)
    return replace(made, depth=depth) if depth is not None and measure.takes_depth else made


def parameter_facts(measure: type[Measure]) -> list[ParameterFacts]:
    """The parameters of a measure that not every measure has."""
    return [
        ParameterFacts(
            name,
            None if parameter.default is MISSING else canonical_text(parameter.default),
            _kind(parameter),
            "" if about(parameter).choices else about(parameter).limits(whole=parameter.type in (int, int | None)),
            about(parameter).help,
        )
        for name, parameter in parameters(measure).items()
        if name not in COMMON
    ]


def _kind(parameter: "Field[object]") -> str:
    if parameter.name == "gains":
        return "a list, a map, 'exp' or 'linear'"
    choices = [canonical_text(choice) for choice in about(parameter).choices if choice is not None]
    if choices:
        return f"{', '.join(choices[:-1])} or {choices[-1]}" if len(choices) > 1 else choices[0]
    if get_origin(parameter.type) is tuple:
        return "a list of numbers"
    return kind_in_words(parameter.type).removesuffix(" or None")


def bounds(measure: type[Measure]) -> str:
    """Whether unjudged documents bound the value, and why not."""
    reason = _why_unbounded(example(measure))
    if not reason:
        return "from unjudged documents" + ", and from all that comes after the ranking" * measure.unbounded_depth
    if measure.takes_depth and not _why_unbounded(example(measure, 10)):
        return "from unjudged documents, with a depth; without one any rank could add as much as any other"
    return f"none: {reason}"


def _why_unbounded(measure: Measure) -> str:
    try:
        measure.refuse_bounds()
    except BoundsError as error:
        return error.reason
    return ""


def ties(measure: type[Measure]) -> str:
    """Which means and ranges over the orders of tied documents are exact, and which are those of seeded orders."""
    drawn = "over seeded orders, with its standard error"
    mean = f"mean {drawn} (over all where there are no more)"
    if example(measure).knows_tied_means:
        mean = "mean over all orders exact" + (f", but {measure.drawn_ties} {drawn}" if measure.drawn_ties else "")
    span = {
        "always": "range exact",
        "uncut": "range exact, but as seen in seeded orders where a depth parts a tie group",
        "never": "range as seen in seeded orders",
    }
    return f"{mean}; {span[measure.tie_order()]}"


def direction(measure: type[Measure]) -> str:
    """Which end is the good one; counts have none."""
    if measure.summary == "sum":
        return ""
    if measure.direction_note:
        return f"neither high nor low is good: {measure.direction_note}"
    return "low is good" if measure.low_is_good else "high is good"


def limits(measure: type[Measure]) -> str:
    """The least and the greatest value."""
    low, high = measure.limits
    return measure.limits_note or f"{low:g} to {high:g}"


def recall_base(measure: type[Measure]) -> str:
    """Whether values rest on the number of relevant documents."""
    if measure.uses_recall_base:
        return "is used: values of different topics rest on different numbers of relevant documents"
    return "is not used"


def scale(measure: Measure) -> str:
    """The scale of the values, and for what it holds: a depth, two grades or several.

    >>> from rankscale.measures.cg import CG
    >>> scale(CG())
    'interval, for a fixed depth; with grades 0, 1, 2, 3 only if gains are on a ratio scale'
    """
    recall_base = " and recall base" if measure.uses_recall_base else ""
    if measure.divided_by_length and not measure.takes_depth:
        return f"{measure.scale}, for a fixed length{recall_base}; ordinal over sets of different lengths"
    fixed = measure.at(10) if measure.takes_depth and measure.depth is None else measure
    two = _scale_with(fixed, (0, measure.threshold or 1)) or (measure.scale, "")
    several, condition = _scale_with(fixed, GRADES) or two
    text = f"{two[0]}, for a fixed depth{recall_base}"
    other = [*([several] if several != two[0] else []), *([f"only if {condition}"] if condition else [])]
    return f"{text}; with grades {', '.join(map(str, GRADES))} {' '.join(other)}" if other else text


def _scale_with(measure: Measure, grades: Sequence[float]) -> tuple[str, str] | None:
    """The scale with these grades, and the condition that it rests on; None where some grade has no gain."""
    try:
        return measure.scale_type(grades), measure.scale_condition(grades)
    except ParameterError:
        return None


def partial_order(measure: Measure) -> str:
    """Whether a ranking above another is never worse; empty for counts, which are no measure of quality."""
    if measure.summary == "sum":
        return ""
    try:
        respects = "respects" if measure.respects_order(GRADES) else "does not respect"
    except ParameterError:  # gains of other grades
        return ""
    return f"{respects} the partial order of rankings"


def other_spellings(measure: type[Measure]) -> list[str]:
    """Its aliases, and its names in other tools; any case of them is understood.

    >>> from rankscale.measures.precision import Rprec
    >>> other_spellings(Rprec)
    ['RPrec', 'r-precision']
    """
    return [*measure.aliases, *(theirs for theirs, ours in NAMES.items() if ours == measure.name)]


def trec_names(measure: type[Measure]) -> list[str]:
    """The names that trec_eval has for it."""
    return [printed(entry) for entry in ENTRIES if measure_of(entry) is measure]


def measure_of(entry: TrecName) -> type[Measure] | None:
    """The class that a name of trec_eval stands for."""
    text = entry.measure or entry.template.format(1)
    return type(parse(text)) if text else None


def printed(entry: TrecName) -> str:
    """A name of trec_eval with the place of its parameter."""
    return entry.name + {"ints": "_k", "floats": "_x"}.get(entry.parameters, "")


def facts(measure: type[Measure], given: Measure | None = None) -> Iterator[tuple[str, str]]:
    """Pairs of a label and a text, those that apply; `given` is the measure with its parameters."""
    one = given or example(measure)
    rows = (
        ("written", ", ".join(forms(measure))),
        ("as in", measure.example),
        ("also", ", ".join(other_spellings(measure))),
        ("trec_eval", ", ".join(trec_names(measure))),
        ("formula", one.in_formula()),
        ("user model", f"the user {one.its_user()}" if one.its_user() else ""),
        ("length", one.length_note()),
        ("parameters", ", ".join(str(each) for each in parameter_facts(measure) if each.name != measure.at_parameter)),
        ("limits", limits(measure)),
        ("direction", direction(measure)),
        ("undefined", f"where {measure.undefined}" if measure.undefined else ""),
        ("recall base", recall_base(measure)),
        ("bounds", bounds(measure)),
        ("ties", ties(measure)),
        ("scale", scale(one)),
        ("order", partial_order(one)),
        ("topics", TOPICS[measure.summary]),
        ("remark", one.remark()),
        ("paper", measure.paper),
    )
    return ((word, text) for word, text in rows if text)


def first_line(measure: type[Measure]) -> str:
    """The summary line of the docstring."""
    return (measure.__doc__ or "").strip().splitlines()[0]


def words(measure: type[Measure]) -> list[tuple[str, bool]]:
    """The docstring's paragraphs, each with whether it is an example."""
    paragraphs = re.split(r"\n\s*\n", sections(measure)[""].strip())
    return [(textwrap.dedent(paragraph), paragraph.lstrip().startswith(">>>")) for paragraph in paragraphs]


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


def _wrapped(line: str) -> str:
    return textwrap.fill(line, 116, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


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
# The work that a part of a section References cites; some have no entry here.
BY_CITATION = {work.cited: work for work in WORKS} | dict.fromkeys(OF_PROGRAM, PROGRAM)


def works_of(measure: Measure | type[Measure]) -> tuple[Work, ...]:
    """The works that a measure is from; of a measure made of another, those of the other too."""
    own = (BY_CITATION.get(words) for words in measure.paper.split("; "))
    parts = [] if isinstance(measure, type) else [part for part in vars(measure).values() if hasattr(part, "paper")]
    works = [*own, *(work for part in parts for work in works_of(part))]
    return tuple(dict.fromkeys(work for work in works if work is not None))


def bibliography(measures: Iterable[Measure | type[Measure]]) -> str:
    """BibTeX entries of the works that measures are from, each once, by key."""
    works = {work.key: work for measure in measures for work in works_of(measure)}
    return "\n\n".join(works[key].bibtex() for key in sorted(works)) + "\n"
