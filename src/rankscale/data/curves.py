"""CurveTable: curves with their names, as the writers of text and tables take them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ParameterError

Column = TypeVar("Column", bound=Any)


class Rows(NamedTuple):
    """Tidy rows of one run: names as places in their lists, then numbers."""

    run: Ints
    topic: Ints
    measure: Ints
    rank: Ints
    columns: dict[str, Floats]  # value, and what else is known of it


@dataclass(frozen=True, eq=False)
class CurveTable:
    """Curves by measure, run, topic and rank; the curves of measures may differ in length."""

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    ranks: tuple[Ints, ...]  # for each measure (rank,)
    columns: dict[str, tuple[Floats, ...]]  # value, lower ...: for each measure (run, topic, rank)
    retrieved: Bools  # (run, topic): whether the curve counts for the run
    counted: tuple[Ints, ...] | None = None  # of means, for each measure (run, topic, rank): over how many topics
    whole: tuple[bool, ...] = ()  # which measures count things
    provenance: dict[str, object] = field(default_factory=dict)

    def at(self, ranks: Sequence[int]) -> Self:
        """The same curves at some ranks alone."""
        wanted = np.unique(np.array(ranks, dtype=np.int64))
        for name, there in zip(self.measures, self.ranks, strict=True):
            beyond = np.setdiff1d(wanted, there)
            if len(beyond):
                raise ParameterError(
                    f"the curve of {name} ends at rank {there.max(initial=0)}, and rank {beyond[0]} is asked for; "
                    "ask for a greater depth, or for fewer ranks"
                )
        places = [np.searchsorted(there, wanted) for there in self.ranks]

        def cut(arrays: "tuple[Column, ...]") -> "tuple[Column, ...]":
            return tuple(array[..., place] for array, place in zip(arrays, places, strict=True))

        return replace(
            self,
            ranks=tuple(wanted for _ in self.ranks),
            columns={name: cut(arrays) for name, arrays in self.columns.items()},
            counted=None if self.counted is None else cut(self.counted),
        )

    def rows(self) -> Iterator[Rows]:
        """Tidy rows, run by run: topic by topic, measure by measure, rank by rank."""
        lengths = np.array([len(ranks) for ranks in self.ranks])
        width = int(lengths.sum())
        for r in range(len(self.runs)):
            kept = np.flatnonzero(self.retrieved[r])
            columns = {
                name: np.concatenate([array[r, kept] for array in arrays], axis=-1).ravel()
                for name, arrays in self.columns.items()
            }
            yield Rows(
                run=np.full(width * len(kept), r),
                topic=np.repeat(kept, width),
                measure=np.tile(np.repeat(np.arange(len(lengths)), lengths), len(kept)),
                rank=np.tile(np.concatenate(self.ranks), len(kept)),
                columns=columns,
            )
