"""Tables of curves: tidy values by rank, and for people the values at a few ranks with the shape of each curve."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.sparklines import sparkline
from rankscale.data.table import Batch, Cell, Column, Names, Stream, Table
from rankscale.errors import ParameterError

if TYPE_CHECKING:
    from rankscale.evaluation.curves.result import Curves

SHOWN_RANKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)  # in tables, as far as curves go
IMPORTANT = ("run", "topic", "curve", "shape")  # columns
SHAPE_WIDTH = 12
TEXT_ROWS = 1 << 16  # rows that are made text at once


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
        counted = None if curves.counted is None else [of[..., p] for of, p in zip(curves.counted, places, strict=True)]
        for r, run in enumerate(curves.runs):
            topics = {}
            for t in np.flatnonzero(curves.retrieved[r]).tolist():
                of_topic = {m: {key: arrays[m][r, t] for key, arrays in columns.items()} for m in range(len(names))}
                if counted is not None:
                    of_topic = {m: {**vectors, "topics_counted": counted[m][r, t]} for m, vectors in of_topic.items()}
                topics[curves.topics[t]] = {names[m]: vectors for m, vectors in of_topic.items()}
            yield {"run": run, "topics": topics}

    listed = {name: (place + 1).tolist() for name, place in zip(names, places, strict=True)}
    text = dict.fromkeys(("run", "topic", "measure"), str)
    stream = Stream(
        {**text, "rank": int, **dict.fromkeys(columns, float)}, batches, text_batches, documents, {"ranks": listed}
    )
    return Table({}, curves.provenance, stream=stream)


def wanted_ranks(curves: "Curves", ranks: Sequence[int] | None) -> list[Ints]:
    """For each measure (rank,): where these ranks stand in its curve, all of them for None."""
    if ranks is None:
        return [np.arange(depth) for depth in curves.depths]
    wanted = np.unique(np.array(ranks, dtype=np.int64))
    for measure, depth in zip(curves.measures, curves.depths, strict=True):
        beyond = wanted[wanted > depth]
        if len(beyond):
            raise ParameterError(
                f"the curve of {measure} ends at rank {depth}, and rank {beyond[0]} is beyond it; "
                "use a greater depth, or fewer ranks"
            )
    return [wanted - 1 for _ in curves.depths]


def ranks_shown(depth: int) -> list[int]:
    """The ranks that a table has columns for unless others are requested; the last is always among them.

    >>> ranks_shown(30)
    [1, 2, 3, 5, 10, 20, 30]
    """
    return [*(rank for rank in SHOWN_RANKS if rank < depth), depth]


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
