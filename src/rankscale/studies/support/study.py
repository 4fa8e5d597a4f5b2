"""What all studies give: tables under names, words about them, and all that is needed to get the numbers again."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankscale.data.rows import Rows
from rankscale.errors import UnknownNameError


class Study(ABC):
    """A result of a study. The first of its tables is the answer; the others are what stands behind it."""

    warnings: tuple[str, ...]

    @abstractmethod
    def tables(self) -> Mapping[str, Rows]:
        """Every table that the study has, by name."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, object]:
        """What was asked for beside runs, qrels and measures: `{"study": "robustness", "seed": 0, ...}`."""

    @property
    @abstractmethod
    def origin(self) -> Mapping[str, object]:
        """Where the values come from: the provenance of the evaluation that the study is about."""

    @property
    def signature(self) -> str:
        """All that the numbers depend on beside runs, qrels and measures, in one line."""
        told = [f"{name}:{_plain(value)}" for name, value in self.settings.items() if value is not None]
        return "|".join([*told, str(self.origin["signature"])])

    @property
    def provenance(self) -> dict[str, object]:
        """All that is needed to get the numbers again."""
        return {**self.origin, "signature": self.signature, "settings": dict(self.settings)}

    def sentence(self) -> str:
        """What the answer says, or how it is to be read; nothing where the table speaks for itself."""
        return ""

    def shown(self) -> tuple[str, ...]:
        """Names of the tables that people are shown unless they ask for another."""
        return tuple(self.tables())[:1]

    def table(self, name: str | None = None) -> Rows:
        """One table, the answer if none is named, with its provenance."""
        tables = self.tables()
        asked = next(iter(tables)) if name is None else name
        if asked not in tables:
            raise UnknownNameError("table", asked, tables, f"this study has {', '.join(tables)}")
        return replace(tables[asked], provenance=self.provenance)

    def to_frame(self, table: str | None = None) -> Any:  # noqa: ANN401  # neither library need be installed
        """One table as a data frame of polars, or of pandas where polars is not installed."""
        from rankscale.formats.write import rows

        return rows.to_frame(self.table(table))

    def to_polars(self, table: str | None = None) -> Any:  # noqa: ANN401
        """One table as a polars data frame."""
        from rankscale.formats.write import rows

        return rows.to_polars(self.table(table))

    def to_pandas(self, table: str | None = None) -> Any:  # noqa: ANN401
        """One table as a pandas data frame."""
        from rankscale.formats.write import rows

        return rows.to_pandas(self.table(table))

    def to_arrow(self, table: str | None = None) -> Any:  # noqa: ANN401
        """One table as an Arrow table, provenance in its metadata."""
        from rankscale.formats.write import rows

        return rows.to_arrow(self.table(table))

    def write_parquet(self, path: str, table: str | None = None) -> None:
        """One table as a Parquet file (zstd), provenance in its metadata."""
        from rankscale.formats.write import rows

        rows.write_parquet(self.table(table), path)

    def text(self, places: int = 4, table: str | None = None) -> str:
        """Tables for people, and what they say."""
        from rankscale.formats.write import rows

        tables = self.tables()
        asked = [self.table(table)] if table else [tables[name] for name in self.shown()]
        sentence = self.sentence() if table is None else ""
        return "\n\n".join(part for part in [*(rows.people_table(one, places) for one in asked), sentence] if part)

    def __str__(self) -> str:
        return "\n\n".join([self.text(), *("warning: " + warning for warning in self.warnings)])

    __repr__ = __str__


def _plain(value: object) -> str:
    """A setting as one word of a signature.

    >>> _plain((90, 70)), _plain("rank sum")
    ('90,70', 'rank-sum')
    """
    parts = value if isinstance(value, tuple | list) else [value]
    return ",".join(str(part).replace(" ", "-") for part in parts)
