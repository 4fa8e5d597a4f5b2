"""Study: what the results of all studies have in common, that is named tables, a sentence and a provenance."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np

from rankscale import __version__
from rankscale.data.arrays import Bools, NDArray
from rankscale.data.notices import Notice, Noticed
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, RankscaleError, UnknownNameError
from rankscale.evaluation.options import Progress, one_or_all, signature
from rankscale.evaluation.result import Evaluation
from rankscale.executors import Executor, Inline
from rankscale.outputs.blocks import Printable
from rankscale.outputs.results import TabularResult
from rankscale.outputs.text import json_chunks
from rankscale.stats.tests.base.test import Pairs


class Study(Noticed, TabularResult, ABC):
    """The result of a study: several tables, of which the first is the answer and the others its details."""

    evaluation: Evaluation

    @abstractmethod
    def tables(self) -> Mapping[str, Table]:
        """Every table that the study has, by name."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, object]:
        """The options of the study, without runs, qrels and measures: `{"study": "robustness", "seed": 0, ...}`."""

    @property
    def origin(self) -> Mapping[str, object]:
        """Where the values come from: the provenance of the evaluation that the study is about."""
        return self.evaluation.provenance

    @property
    def signature(self) -> str:
        """All that the numbers depend on other than runs, qrels and measures, in one line."""
        settings = [f"{name}:{_plain(value)}" for name, value in self.settings.items() if value is not None]
        return "|".join([*settings, str(self.origin["signature"])])

    @property
    def provenance(self) -> dict[str, object]:
        """What is needed to reproduce the numbers."""
        return {**self.origin, "signature": self.signature, "settings": dict(self.settings)}

    def sentence(self) -> str:
        """What the answer says, or how to read it; empty if the table needs no comment."""
        return ""

    def over_all(self, studies: "Sequence[Study]") -> Mapping[str, Table]:
        """Rows about several collections together, by the table that they go below.

        `studies` are those of all collections, this one first. Most studies have no such rows.
        """
        del studies
        return {}

    def shown(self) -> tuple[str, ...]:
        """Names of the tables that `text` shows by default."""
        return tuple(self._tables)[:1]

    @property
    def chosen_table(self) -> str | None:
        """Name of the table that the options select, if they select one."""
        return None

    @cached_property
    def _tables(self) -> Mapping[str, Table]:
        return self.tables()

    def table(self, name: str | None = None) -> Table:
        """One table, the answer if none is named, with its provenance."""
        tables = self._tables
        chosen = next(iter(tables)) if name is None else name
        if chosen not in tables:
            raise UnknownNameError("table", chosen, tables, f"this study has {', '.join(tables)}")
        return replace(tables[chosen], provenance=self.provenance)

    def to_json(self, table: str | None = None, *, places: int | None = None) -> str:
        """One JSON document: provenance, the other tables unless one is named, and the rows of the answer."""
        answer, *rest = self._tables
        others = {} if table else {name: self.table(name) for name in rest}
        return "".join(json_chunks(self.table(table or answer), places, **others))

    def shown_tables(self) -> list[Table]:
        """The tables that `text` shows by default."""
        return [self.table(name) for name in self.shown()]

    def views(self, name: str | None = None) -> Sequence[Table]:
        """The table of this name, by default the answer, with all of its columns, which leave nothing to a title."""
        return [replace(self.table(name).in_full(), title="")]

    def blocks(self, name: str | None = None) -> Sequence[Printable]:
        """Tables for people, and the sentence that sums them up."""
        if name is not None:
            return self.views(name)
        return [*self.shown_tables(), *filter(None, [self.sentence()])]

    def __str__(self) -> str:
        return "\n\n".join([self.text(), *("warning: " + warning for warning in self.warnings)])

    __repr__ = __str__


ArrayOfCells = NDArray[Any] | Sequence[Any] | Cell


def table_of_arrays(
    axes: Sequence[Mapping[str, Sequence[Cell]]], columns: Mapping[str, ArrayOfCells], chosen: Bools | None = None
) -> Table:
    """One row for each cell of arrays, or each chosen one: the names of its place on each axis, then its values.

    An axis may have several columns of names. Arrays of fewer axes are repeated, as numpy broadcasts them.

    >>> axes = [{"measure": ["AP", "RR"]}, {"run": ["x", "y"]}]
    >>> for row in table_of_arrays(axes, {"mean": np.eye(2), "topics": [50, 49]}):
    ...     print(*row.values())
    AP x 1.0 50
    AP y 0.0 49
    RR x 0.0 50
    RR y 1.0 49
    """
    shape = tuple(len(next(iter(names.values()))) for names in axes)
    places = np.nonzero(np.ones(shape, dtype=bool) if chosen is None else chosen)
    made: dict[str, list[Cell]] = {}
    for names, of_axis in zip(axes, places, strict=True):
        made |= {name: [cells[place] for place in of_axis.tolist()] for name, cells in names.items()}
    for name, cells in columns.items():
        made[name] = np.broadcast_to(np.asarray(cells), shape)[places].tolist()
    return Table(made)


def names_of_pairs(runs: Sequence[str], pairs: Pairs) -> Mapping[str, Sequence[Cell]]:
    """Columns of a table: the two runs of each pair."""
    both = {"run": pairs.first, "other": pairs.second}
    return {name: [runs[row] for row in rows.tolist()] for name, rows in both.items()}


def share_of(part: int, whole: int) -> float:
    """The share `part / whole`; NaN where the whole is 0."""
    return part / whole if whole else float("nan")


def origin_of_files(sources: Sequence[str], orders: Sequence[str]) -> Mapping[str, object]:
    """Where a study comes from that measures nothing: files, and how runs were put in order."""
    own = {"rankscale": __version__, "signature": signature({"order": one_or_all(orders)})}
    return {**own, "sources": list(sources)}


def _plain(value: object) -> str:
    """A setting as one word of a signature.

    >>> _plain((90, 70)), _plain("rank sum")
    ('90,70', 'rank-sum')
    """
    parts = value if isinstance(value, tuple | list) else [value]
    return ",".join(str(part).replace(" ", "-") for part in parts)


COLLECTION = "collection"  # the first column of tables
ALL = "all"  # what it says in rows about all collections together
Made = TypeVar("Made")
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False, repr=False)
class ByCollection(Study):
    """Result of `by_collection`: one study for each collection, read as one.

    Tables are those of the studies below each other, with the column `collection` first.

    Attributes
    ----------
    studies : dict of Study
        Result of each collection, by its name.
    notices : tuple of Notice
        What users should know about the results; `warnings` gives them as sentences that name the collection.
    """

    studies: Mapping[str, Study]
    notices: tuple[Notice, ...]

    def __getitem__(self, collection: str) -> Study:
        """The study of one collection."""
        if collection not in self.studies:
            raise ParameterError(f"there is no collection {collection!r}; there are {', '.join(self.studies)}")
        return self.studies[collection]

    @property
    def _first(self) -> Study:
        return next(iter(self.studies.values()))

    def tables(self) -> Mapping[str, Table]:
        """Every table that a study has, of all collections."""
        by_study = {name: study.tables() for name, study in self.studies.items()}
        if len(by_study) > 1:
            by_study[ALL] = self._first.over_all(list(self.studies.values()))
        names = dict.fromkeys(table for tables in by_study.values() for table in tables)
        return {
            table: below_each_other({name: tables[table] for name, tables in by_study.items() if table in tables})
            for table in names
        }

    def shown_tables(self) -> list[Table]:
        """The tables that each study shows, of all collections."""
        by_study = [study.shown_tables() for study in self.studies.values()]
        return [
            below_each_other(
                {name: table for name, table in zip(self.studies, tables, strict=True) if table is not None}
            )
            for tables in zip_longest(*by_study)
        ]

    @property
    def chosen_table(self) -> str | None:
        """Name of the table that the options select, if they select one."""
        return self._first.chosen_table

    @property
    def settings(self) -> Mapping[str, object]:
        """The options of the study, which all collections share, and the names of the collections."""
        return {**self._first.settings, "collections": tuple(self.studies)}

    @property
    def origin(self) -> Mapping[str, object]:
        """Where the values of each collection come from."""
        origins = {name: dict(study.origin) for name, study in self.studies.items()}
        signatures = one_or_all(origin["signature"] for origin in origins.values())
        return {"rankscale": __version__, "signature": signatures, "collections": origins}

    def sentence(self) -> str:
        """What each study says."""
        sentences = {name: study.sentence() for name, study in self.studies.items()}
        return "\n".join(f"{name}: {sentence}" for name, sentence in sentences.items() if sentence)


def in_turn(
    work: Callable[[Part], Made], parts: Sequence[Part], executor: Executor | None, progress: Progress | None
) -> Iterator[Made]:
    """What `work` makes of each part, wherever the executor does it; progress counts the parts that are done."""
    for number, made in enumerate((executor or Inline()).map(work, parts), start=1):
        yield made
        if progress:
            progress(number, len(parts))


def by_collection(
    study: Callable[..., Study], collections: Mapping[str, object], /, *arguments: object, **options: object
) -> ByCollection:
    """Make the same study of several collections.

    Parameters
    ----------
    study : callable
        Function of a study: `robustness`, `correlate`, `changes` ...
    collections : dict
        From the name of each collection to what the study takes: `(qrels, runs)`, where runs may be a folder or a
        pattern, or an `Evaluation` for studies that take one.
    *arguments
        Further arguments of the study, such as its measures.
    **options
        Options of the study, the same for all collections, the seed among them.

    Returns
    -------
    ByCollection
        All results as one: tables with the column `collection` first. `rs.figure` draws a panel for each.

    Raises
    ------
    InputError
        If the study refuses a collection, or cannot read it; the message names the collection.

    Examples
    --------
    >>> import rankscale as rs
    >>> runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"b": 2, "a": 1}}}
    >>> old, new = ({"1": {"a": 1, "b": 0}}, runs), ({"1": {"a": 0, "b": 1, "c": 1}}, runs)
    >>> result = by_collection(rs.robustness, {"old": old, "new": new}, "AP", sampling="depth", sizes=[1])
    >>> print(result.text(table="tau"))
    collection  measure  size  judgments     tau  deviation  lowest
    old         AP          1          2  1.0000          -  1.0000
    new         AP          1          2  1.0000          -  1.0000
    >>> result["old"].all_judgments, list(result.studies)
    (2, ['old', 'new'])
    """

    def made(source: object) -> Study:
        parts = tuple(source) if isinstance(source, tuple | list) else (source,)
        return study(*parts, *arguments, **options)

    return together(each_collection(collections, made))


def each_collection(collections: Mapping[str, object], make: Callable[[object], Made]) -> dict[str, Made]:
    """What `make` makes of each collection, by name; errors name the collection."""
    if not collections:
        raise ParameterError("there are no collections: give one or more, such as {'TREC-8': (qrels, runs)}")
    made = {}
    for name, source in collections.items():
        with _naming(name):
            made[name] = make(source)
    return made


def together(studies: Mapping[str, Study]) -> ByCollection:
    """Studies of several collections, by name, as one."""
    notices = tuple(notice.within(name) for name, study in studies.items() for notice in study.notices)
    return ByCollection(dict(studies), notices)


def below_each_other(tables: Mapping[str, Table], column: str = COLLECTION) -> Table:
    """Named tables as one, with their names in the first column; empty cells where one lacks a column.

    >>> both = below_each_other({"old": Table({"AP": [0.5, 0.4]}), "new": Table({"AP": [0.3], "RR": [1.0]})})
    >>> for row in both:
    ...     print(row)
    {'collection': 'old', 'AP': 0.5, 'RR': None}
    {'collection': 'old', 'AP': 0.4, 'RR': None}
    {'collection': 'new', 'AP': 0.3, 'RR': 1.0}
    """
    columns: dict[str, list[Cell]] = {column: [name for name, table in tables.items() for _ in range(len(table))]}
    for name in dict.fromkeys(name for table in tables.values() for name in table.columns):
        columns[name] = [cell for table in tables.values() for cell in table.columns.get(name, [None] * len(table))]
    notes = tuple(dict.fromkeys(note for table in tables.values() for note in table.notes))
    return Table(columns, title=next(iter(tables.values())).title, notes=notes)


@contextmanager
def _naming(collection: str) -> Iterator[None]:
    """Errors from within say which collection they are about."""
    try:
        yield
    except RankscaleError as error:
        parts = (str(error),) if isinstance(error, UnknownNameError) else error.args
        error.args = (f"collection {collection}: ", *parts)
        raise
    except OSError as error:
        if error.filename is None:
            error.args = (f"collection {collection}: {error}",)
        else:
            error.strerror = f"{error.strerror} (collection {collection})"
        raise
