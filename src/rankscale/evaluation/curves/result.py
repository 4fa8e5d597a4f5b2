"""Curves: measures at every rank, by run and topic; their tables, tidy ones and those that people read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from rankscale.data.arrays import Bools, ComparedByValue, Floats, Ints, frozen
from rankscale.data.names import place_of
from rankscale.data.notices import Notice, Noticed
from rankscale.data.table import Batch, Cell, Column, Names, Stream, Table, sparkline
from rankscale.errors import ParameterError
from rankscale.evaluation.curves.reach import Readings, over_ideal, ranks_shown, read_against, wanted_ranks
from rankscale.evaluation.options import BOUNDS, TIES, TIES_ERROR, Missing
from rankscale.evaluation.result import Evaluation, provenance_of, shared_fields
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse
from rankscale.outputs.pictures import Lines
from rankscale.outputs.results import Page, TabularResult, view_text

IMPORTANT = ("run", "topic", "curve", "shape")  # columns
SHAPE_WIDTH = 12
TEXT_ROWS = 1 << 16  # rows that are made text at once
HOLDER = "these curves have"  # before the names that there are
ALL = "all"  # the one topic that mean curves have
COLUMNS = ("values", *BOUNDS, *TIES, TIES_ERROR)
Vectors = tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class Curves(ComparedByValue, Noticed, TabularResult):
    """Measures at every rank, by run and topic, with what is needed to get them again.

    Each measure has an array of its own, since a measure with a depth, such as P@10, has a curve down to that depth.

    Attributes
    ----------
    measures, runs, topics
        Names, in the order of the values.
    values
        For each measure (run, topic, rank); NaN where undefined or missing.
    depths
        Where the curve of each measure ends.

    Examples
    --------
    >>> import rankscale as rs
    >>> runs = {"bm25": {"1": {"b": 2.0, "a": 1.0}}, "ql": {"1": {"a": 1.0}}}
    >>> curves = rs.curves({"1": {"a": 1, "b": 0}}, runs, "RR")
    >>> curves.by_topic("bm25")["1"].tolist()
    [0.0, 0.5]
    >>> curves.by_run("1")["ql"].tolist()
    [1.0, 1.0]
    >>> curves.at(2).means()["bm25", "RR@2"]
    0.5
    """

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Vectors  # for each measure (run, topic, rank), ranks from 1; NaN where undefined or missing
    retrieved: Bools  # (run, topic): whether the topic counts for the run
    length: Ints  # (run, topic): documents retrieved
    lower: Vectors | None = None  # bounds from unjudged documents
    upper: Vectors | None = None
    ties_lower: Vectors | None = None  # lowest and highest over the orders of tied documents
    ties_upper: Vectors | None = None
    ties_error: Vectors | None = None  # standard errors where orders of tied documents were drawn, 0 elsewhere
    counted: tuple[Ints, ...] | None = None  # of means: over how many topics, for each measure (run, 1, rank)
    ideal: str = ""  # which run is the ideal, if any
    levels: tuple[float, ...] = ()  # the grades of the collection, ascending
    signature: str = ""
    sources: tuple[str, ...] = ()  # of the qrels, then of each run
    notices: tuple[Notice, ...] = ()
    topics_rule: Missing = "zero"  # how topics that a run lacks are counted

    @property
    def depths(self) -> tuple[int, ...]:
        """Where the curve of each measure ends."""
        return tuple(array.shape[-1] for array in self.values)

    def by_topic(self, run: str, measure: AnyMeasure | None = None) -> dict[str, Floats]:
        """`{topic: curve}` of one run; entry 0 of a curve is rank 1.

        The measure need not be named where there is one only.
        """
        row = place_of(self.runs, run, "run", HOLDER)
        values = self.values[self._measure(measure)]
        return {self.topics[t]: values[row, t] for t in np.flatnonzero(self.retrieved[row]).tolist()}

    def by_run(self, topic: str, measure: AnyMeasure | None = None) -> dict[str, Floats]:
        """`{run: curve}` of one topic, for all runs that have it."""
        column = place_of(self.topics, topic, "topic", HOLDER)
        values = self.values[self._measure(measure)]
        return {self.runs[r]: values[r, column] for r in np.flatnonzero(self.retrieved[:, column]).tolist()}

    def __getitem__(self, measure: AnyMeasure) -> Self:
        """The same curves of one measure."""
        at = self._measure(measure)
        one: dict[str, Any] = {name: arrays[at : at + 1] for name, arrays in self._arrays.items()}
        counted = None if self.counted is None else self.counted[at : at + 1]
        return replace(self, measures=self.measures[at : at + 1], counted=counted, **one)

    def _measure(self, measure: AnyMeasure | None) -> int:
        names = [str(m) for m in self.measures]
        if measure is None and len(names) > 1:
            raise ParameterError(
                f"there are curves of {', '.join(names)}; name the measure, as in measure={names[0]!r}"
            )
        if measure is None:
            return 0
        bare = [name for name in names if name.rpartition("@")[0] == measure]  # P stands for the P@k that there is
        return place_of(names, bare[0] if len(bare) == 1 else str(parse(measure)), "measure", HOLDER)

    def mean(self, of: Literal["values", "ratio"] = "values") -> Self:
        """The mean curve of each run, as that of one topic called `all`; `counted` is the number of its topics.

        `of='values'` is the mean of the topics' curves, rank by rank; undefined values are left out. (Measures whose
        topics are not averaged, such as GMAP, are summed up in their own way.) `of='ratio'` is the mean curve of the
        run over the mean curve of the ideal on the same topics: the normalised curves in the figures of Järvelin and
        Kekäläinen 2002. It needs curves with `ideal=True`, and is not the mean of nDCG.
        """
        if of not in {"values", "ratio"}:
            raise ParameterError(f"the mean is that of 'values' or of their 'ratio' to the ideal, got {of!r}")
        if self.counted is not None:
            raise ParameterError("these curves are means already")
        columns: dict[str, Any] = self._ratios() if of == "ratio" else self._means()
        return replace(
            self,
            topics=(ALL,),
            retrieved=frozen(np.count_nonzero(self.retrieved, axis=-1, keepdims=True) > 0),
            length=frozen(np.where(self.retrieved, self.length, 0).max(axis=-1, initial=0, keepdims=True)),
            counted=tuple(frozen(self._defined(array).sum(axis=1, keepdims=True)) for array in self.values),
            signature=f"mean:{of}|{self.signature}",
            **columns,
        )

    def _means(self) -> dict[str, Vectors]:
        return {
            name: tuple(
                _mean(measure, array, self._defined(array), errors=name == TIES_ERROR)
                for measure, array in zip(self.measures, arrays, strict=True)
            )
            for name, arrays in self._arrays.items()
        }

    def _ratios(self) -> dict[str, Vectors | None]:
        if not self.ideal:
            raise ParameterError("the mean of ratios needs the ideal: curves(..., ideal=True)")
        row = self.runs.index(self.ideal)
        ratios = []
        for measure, array in zip(self.measures, self.values, strict=True):
            best = np.broadcast_to(array[row], array.shape)
            # The ideal is averaged over the topics of the run, so that both means are of one set.
            both = self._defined(array) & self._defined(array)[row]
            ratios.append(frozen(over_ideal(_mean(measure, array, both), _mean(measure, best, both))))
        return {**dict.fromkeys(COLUMNS), "values": tuple(ratios)}

    def _defined(self, array: Floats) -> Bools:
        """(run, topic, rank): where there is a value that counts."""
        return self.retrieved[..., None] & ~np.isnan(array)

    def at(self, rank: int) -> Evaluation:
        """The values at one rank: a value is a curve read at a depth."""
        if self.counted is not None:
            raise ParameterError("values are those of topics, and these curves are means; use the curves themselves")
        for measure, depth in zip(self.measures, self.depths, strict=True):
            if not 1 <= rank <= depth:
                raise ParameterError(f"the curve of {measure} has ranks 1 to {depth}, got {rank}")
        read = [measure.at(rank) if measure.takes_depth else measure for measure in self.measures]
        kept = [read.index(measure) for measure in dict.fromkeys(read)]
        # A measure that takes no depth is that of rankings which were cut.
        cut = "" if all(measure.takes_depth for measure in read) else f"depth:{rank}|"
        columns: dict[str, Any] = {
            name: frozen(np.stack([arrays[m][..., rank - 1] for m in kept])) for name, arrays in self._arrays.items()
        }
        about = {**shared_fields(self), "measures": tuple(read[m] for m in kept), "signature": cut + self.signature}
        return Evaluation(**about, topics=self.topics, retrieved=self.retrieved, **columns)

    def readings(self, to: str | None = None, ranks: Sequence[int] | None = None) -> Readings:
        """The curves read against another, as Järvelin and Kekäläinen 2002 read their figures.

        For each run and rank k: the first rank at which the run has what the reference has at rank k, or none; how far
        below the reference it is at rank k; whether that difference is marginal or essential; and the area above the
        normalised curve down to rank k.

        Parameters
        ----------
        to : str, optional
            Name of the run that the others are read against; by default the ideal, which needs `ideal=True`.
        ranks : sequence of int, optional
            The ranks k; by default those that tables show.

        Returns
        -------
        Readings
            A table with a row for each run, topic, measure and rank; of `mean()` curves, one for each run.

        Raises
        ------
        ParameterError
            If there is nothing to read curves against, a rank is beyond a curve, or a measure has no direction.
        UnknownNameError
            If there is no run of that name.
        """
        return read_against(self, to, ranks)

    @property
    def provenance(self) -> dict[str, object]:
        """All that is needed to get the curves again."""
        return provenance_of(self.signature, self.measures, self.sources, depths=list(self.depths))

    @property
    def columns(self) -> dict[str, Vectors]:
        """`value`, and bounds and tie ranges where they were requested: for each measure (run, topic, rank)."""
        return {"value" if name == "values" else name: arrays for name, arrays in self._arrays.items()}

    @property
    def _arrays(self) -> dict[str, Vectors]:
        """The same by the names of the fields."""
        return {name: arrays for name in COLUMNS if (arrays := getattr(self, name)) is not None}

    def table(self, name: str | None = None, *, ranks: Sequence[int] | None = None) -> Table:  # noqa: ARG002  # one table
        """Tidy rows of every rank, or of some: run, topic, measure, rank, value, and bounds where there are some."""
        return curve_table(self, ranks)

    def page(self) -> Page:
        """What a notebook shows: values at a few ranks, and the mean curves by the first measures."""
        means = self if self.counted is not None else self.mean()
        lines = [
            Lines(f"{measure} by rank", means.runs, [float(rank) for rank in range(1, depth + 1)], of[:, 0].tolist())
            for measure, depth, of in zip(means.measures[:2], means.depths, means.values, strict=False)
        ]
        heading = f"{len(self.runs)} runs over {len(self.topics)} topics"
        return replace(super().page(), heading=heading, pictures=lines)

    def views(self, name: str | None = None, *, ranks: Sequence[int] | None = None) -> list[Table]:  # noqa: ARG002
        """For each measure a table of means at a few ranks, or of topics where these are means already."""
        return curve_views(self if self.counted is not None else self.mean(), ranks)

    def latex_tables(self, places: int, table: str | None) -> str:  # noqa: ARG002  # one table
        """The tables of `views` without the shapes of curves, for which fonts of LaTeX have no letters."""
        return view_text(curve_views(self if self.counted is not None else self.mean(), shapes=False), "latex", places)

    def to_dict(self) -> dict[str, dict[str, dict[str, list[float]]]]:
        """`{run: {topic: {measure: [value at rank 1, ...]}}}`."""
        return {
            run: {
                self.topics[t]: {
                    str(measure): array[r, t].tolist()
                    for measure, array in zip(self.measures, self.values, strict=True)
                }
                for t in np.flatnonzero(self.retrieved[r]).tolist()
            }
            for r, run in enumerate(self.runs)
        }

    def __repr__(self) -> str:
        ranks = "/".join(map(str, dict.fromkeys(self.depths)))
        return (
            f"<Curves: {len(self.measures)} measures, {len(self.runs)} runs, {len(self.topics)} topics, {ranks} ranks>"
        )


def _mean(measure: Measure, array: Floats, counts: Bools, *, errors: bool = False) -> Floats:
    """(run, 1, rank): topics, or their errors, summed up as the measure does it, one run at a time to stay small."""
    summarise = measure.summarise_errors if errors else measure.summarise
    runs = [summarise(np.where(there, values, np.nan).T) for values, there in zip(array, counts, strict=True)]
    return frozen(np.array(runs).reshape(len(array), 1, array.shape[-1]))


def curve_table(curves: "Curves", ranks: Sequence[int] | None = None) -> Table:
    """Tidy: run, topic, measure, rank, value and bounds; at all ranks, or at some."""
    places = wanted_ranks(curves, ranks)
    names = [str(measure) for measure in curves.measures]
    columns = {
        key: [array[..., place] for array, place in zip(arrays, places, strict=True)]
        for key, arrays in curves.columns.items()
    }

    lengths = [len(place) for place in places]
    width = sum(lengths)

    def rows(run: int, kept: Ints) -> Batch:
        """Rows of some topics of a run: topic by topic, measure by measure, rank by rank."""
        return {
            "run": Names(curves.runs, np.full(width * len(kept), run)),
            "topic": Names(curves.topics, np.repeat(kept, width)),
            "measure": Names(names, np.tile(np.repeat(np.arange(len(names)), lengths), len(kept))),
            "rank": np.tile(np.concatenate([np.zeros(0, dtype=np.int64), *places]) + 1, len(kept))[: width * len(kept)],
            **{
                key: np.concatenate([array[run, kept] for array in arrays], axis=-1).ravel()
                for key, arrays in columns.items()
            },
        }

    def batches() -> Iterator[Batch]:
        return (rows(run, np.flatnonzero(curves.retrieved[run])) for run in range(len(curves.runs)))

    def text_batches() -> Iterator[Batch]:
        """The same, a few topics at a time: text takes much more memory than numbers."""
        size = max(1, TEXT_ROWS // max(width, 1))
        for run, there in enumerate(curves.retrieved):
            kept = np.flatnonzero(there)
            yield from (rows(run, kept[start : start + size]) for start in range(0, len(kept), size))

    def documents() -> Iterator[Mapping[str, object]]:
        shown: dict[str, list[Any]] = {**columns}
        if curves.counted is not None:
            shown["topics_counted"] = [of[..., place] for of, place in zip(curves.counted, places, strict=True)]
        for r, run in enumerate(curves.runs):
            topics = {
                curves.topics[t]: {
                    name: {key: arrays[m][r, t] for key, arrays in shown.items()} for m, name in enumerate(names)
                }
                for t in np.flatnonzero(curves.retrieved[r]).tolist()
            }
            yield {"run": run, "topics": topics}

    listed = {name: (place + 1).tolist() for name, place in zip(names, places, strict=True)}
    text = dict.fromkeys(("run", "topic", "measure"), str)
    stream = Stream(
        {**text, "rank": int, **dict.fromkeys(columns, float)}, batches, text_batches, documents, {"ranks": listed}
    )
    return Table({}, curves.provenance, stream=stream)


def curve_views(curves: "Curves", ranks: Sequence[int] | None = None, *, shapes: bool = True) -> list[Table]:
    """For each measure a table: runs (and topics) down, ranks across, and with `shapes` that of each curve as bars."""
    wanted_ranks(curves, ranks)  # refuses ranks beyond a curve's end
    return [_view(curves, m, ranks, shapes=shapes) for m in range(len(curves.measures))]


def _has_any(key: str, array: Floats) -> bool:
    defined = array[~np.isnan(array)]
    return bool(defined.any() if key == "ties_error" else defined.size)


def _view(curves: "Curves", m: int, ranks: Sequence[int] | None, *, shapes: bool) -> Table:
    wanted = ranks_shown(curves.depths[m]) if ranks is None else sorted(set(ranks))
    # A measure without bounds has no rows for them, and one whose means over ties are exact none for their errors.
    arrays = {key: of[m] for key, of in curves.columns.items() if key == "value" or _has_any(key, of[m])}
    every = np.stack(list(arrays.values()))
    finite = every[np.isfinite(every)]
    limits = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    # Whole numbers beyond 1, such as relative positions, need no decimals.
    steps = bool(finite.size and np.abs(finite).max() > 1 and (finite == np.rint(finite)).all())
    rows = [(r, t, key) for r, t in np.argwhere(curves.retrieved).tolist() for key in arrays]
    columns: dict[str, list[Cell]] = {"run": [curves.runs[r] for r, _, _ in rows]}
    over = None if curves.counted is None else [curves.counted[m][r, t] for r, t, _ in rows]
    if over is None:
        columns["topic"] = [curves.topics[t] for _, t, _ in rows]
    else:
        columns["topics"] = [int(counts.max(initial=0)) for counts in over]
    if len(arrays) > 1:
        columns["curve"] = [key for _, _, key in rows]
    view = [Column("run"), *(Column(name, align="right", plain=True) for name in list(columns)[1:])]
    digits = 0 if steps or curves.measures[m].summary == "sum" else None
    for rank in wanted:
        columns[str(rank)] = [float(arrays[key][r, t, rank - 1]) for r, t, key in rows]
        fewer = [f" ({n[rank - 1]})" if n[rank - 1] != n.max() else "" for n in over or []]
        view.append(Column(str(rank), align="right", plain=True, digits=digits, suffixes=fewer))
    if shapes:
        columns["shape"] = [shape(arrays[key][r, t], np.arange(1, curves.depths[m] + 1), *limits) for r, t, key in rows]
        view.append(Column("shape", align="right"))
    return Table(columns, curves.provenance, title=str(curves.measures[m]), view=view, important=IMPORTANT)


def shape(curve: Floats, ranks: Ints, low: float, high: float) -> str:
    """A curve as a row of bars between two limits, at ranks that grow by the same factor.

    >>> shape(np.array([0.0, 0.5, 1.0]), np.array([1, 2, 3]), 0, 1)
    '▁▅█'
    """
    first, last = float(ranks[0]), float(ranks[-1])
    wanted = np.geomspace(first, last, SHAPE_WIDTH) if len(ranks) > SHAPE_WIDTH else ranks
    places = np.minimum(np.searchsorted(ranks, np.round(wanted)), len(ranks) - 1)
    return sparkline(curve[places].tolist(), low, high)
