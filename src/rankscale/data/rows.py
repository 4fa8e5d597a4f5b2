"""Rows: what a study found, as columns of one length."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

Cell = str | int | float | None


@dataclass(frozen=True)
class Rows:
    """Named columns of text and numbers; None or NaN where there is nothing to say."""

    columns: Mapping[str, Sequence[Cell]]
    provenance: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns differ in length: {lengths}")

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Self:
        """Columns of these names from rows of cells.

        >>> Rows.of(("run", "value"), [("bm25", 0.5), ("ql", 0.4)]).columns
        {'run': ['bm25', 'ql'], 'value': [0.5, 0.4]}
        """
        listed = list(rows)
        return cls({name: [row[place] for row in listed] for place, name in enumerate(names)})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, cells, strict=True))
