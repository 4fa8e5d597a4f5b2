"""How runs are read: the options that all readers share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Literal, TypedDict

from rankscale.data.arguments import Positive
from rankscale.data.extensions import FORMS as ADDED_FORMS
from rankscale.data.extensions import extensions
from rankscale.errors import ParameterError, Setting, echoed

Form = Literal["trec", "msmarco", "tsv", "csv", "jsonl", "json", "parquet", "arrow"]
QrelsForm = Literal["trec", "tsv", "csv", "jsonl", "json", "parquet", "arrow", "prefs"]
Duplicates = Literal["error", "best", "first"]
Columns = Mapping[str, str | int] | str | tuple[tuple[str, str], ...]  # the last once they are checked
FORMS = ("trec", "msmarco", "tsv", "csv", "jsonl", "json", "parquet", "arrow")
KNOWN_FORMS = (*FORMS, "prefs")  # the last of qrels alone
TEXT_FORMS = (*FORMS[:6], "prefs")
ROLES = ("topic", "document", "score", "rank", "grade", "run", "subtopic")  # of columns
ORDERS = ("score", "score64", "rank", "file")
DUPLICATES = ("error", "best", "first")
LARGEST = 2**31 - 1  # of ranks
MOST = {"threads": 1024, "max_size": 2**63 - 1, "depth": LARGEST}


class SourceOptions(TypedDict, total=False):
    """Keywords of every function that reads runs."""

    order: str | None  # 'score', 'score64', 'rank' or 'file'; None is 'score', or as a run was read before
    threads: Positive | None  # None: as many as there are cores
    max_size: Positive | None  # bytes that a file may unpack to


class ReadOptions(SourceOptions, total=False):
    """Keywords of `read_run` and `read_runs`."""

    depth: Positive | None
    keep_documents: bool
    keep_scores: bool
    form: Form | None
    columns: Columns | None
    duplicates: Duplicates
    document_from: str | None


@dataclass(frozen=True)
class Reading:
    """How files are read, checked; their content decides the form and columns that are not given."""

    order: str | None = None
    threads: int | None = None
    max_size: int | None = None
    depth: int | None = None  # where rankings are cut
    keep_documents: bool = False  # names of documents
    keep_scores: bool = False
    form: str | None = None
    columns: Columns | None = None
    duplicates: str = "error"
    document_from: str | None = None

    def __post_init__(self) -> None:
        for name in ("threads", "max_size", "depth"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), MOST[name]))
        check_choice("order", self.order, ORDERS)
        check_form(self.form)
        check_choice("duplicates", self.duplicates, DUPLICATES)
        object.__setattr__(self, "columns", columns_of(self.columns))
        if self.keep_scores and self.order in {"rank", "file"}:
            without = f"order={self.order!r} does not read scores, which are needed; use "
            raise ParameterError(without, Setting("order", "score"))

    @property
    def of_text(self) -> "Reading":
        """The same for files of text: forms of other files say nothing about them."""
        return self if self.form in {None, *TEXT_FORMS} else replace(self, form=None)

    def given(self, *names: str) -> list[str]:
        """Those of these options that differ from their defaults."""
        return [name for name in names if getattr(self, name) != getattr(Reading, name)]


def check_form(form: str | None) -> None:
    """Raise ParameterError unless a form is None, one of ours, or one that another package reads."""
    if form not in {None, *KNOWN_FORMS} and form not in extensions(ADDED_FORMS).names:
        check_choice("form", form, KNOWN_FORMS)


def check_choice(name: str, value: str | None, choices: tuple[str, ...]) -> None:
    """Raise ParameterError unless a value is None or one of some words."""
    if value is not None and value not in choices:
        raise ParameterError(f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, got {value!r}")


def columns_of(given: Columns | None) -> tuple[tuple[str, str], ...]:
    """Pairs of a role and the name or number of its column; raise ParameterError for what is none.

    >>> columns_of("topic=qid,document=pid,score=3")
    (('topic', 'qid'), ('document', 'pid'), ('score', '3'))
    >>> columns_of({"topics": "qid"})
    Traceback (most recent call last):
    rankscale.errors.ParameterError: columns: there is no 'topics', did you mean 'topic'?
    """
    if given is None:
        return ()
    pairs = tuple(_pairs(given))
    roles = [role for role, _ in pairs]
    for role, name in pairs:
        if role not in ROLES:
            from difflib import get_close_matches

            near = get_close_matches(role, ROLES, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ROLES)}"
            raise ParameterError(f"columns: there is no {role!r}, {hint}")
        if roles.count(role) > 1 or not name:
            raise ParameterError(f"columns: {role} needs one column, such as {role}=name or {role}=3")
    return pairs


def _pairs(given: Columns) -> Iterable[tuple[str, str]]:
    if isinstance(given, tuple):
        return given
    if isinstance(given, str):
        parts = [part.partition("=") for part in given.split(",") if part.strip()]
        return [(role.strip().lower(), name.strip()) for role, _, name in parts]
    if not isinstance(given, Mapping):
        forms = "a map such as {'topic': 'qid'} or a text such as 'topic=qid'"
        raise ParameterError(f"columns must be {forms}, got {given!r}")
    return [(str(role), str(name)) for role, name in given.items()]


def whole_number(name: str, value: int | None, most: int = LARGEST) -> int | None:
    """A whole number from 1 to `most`, or None; raise ParameterError for anything else.

    >>> whole_number("depth", 2.5)
    Traceback (most recent call last):
    rankscale.errors.ParameterError: depth must be a whole number from 1, got 2.5
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ParameterError(f"{name} must be a whole number from 1, got {echoed(value)}")
    if value > most:
        raise ParameterError(f"{name} must be a whole number from 1 to {most}, got {echoed(value)}")
    return int(value)
