"""Tidy: results that leave as tables with one number in each row."""

from importlib import import_module
from typing import Any, ClassVar


class Tidy:
    """What evaluations and curves share; the module `writers` knows how their tables are written."""

    writers: ClassVar[str]

    def table(self) -> Any:  # noqa: ANN401  # each has its own
        """Names and values, as writers take them."""
        raise NotImplementedError(f"{type(self).__name__} must define table()")

    def to_frame(self) -> Any:  # noqa: ANN401  # neither library need be installed
        """A tidy data frame of polars, or of pandas where polars is not installed."""
        from rankscale.formats.write.frames import preferred

        return self.to_polars() if preferred() == "polars" else self.to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401  # polars need not be installed
        """A tidy polars data frame: run, topic, measure, the rank in curves, value, and bounds where there are some."""
        return import_module(self.writers).to_polars(self.table())

    def to_pandas(self) -> Any:  # noqa: ANN401  # pandas need not be installed
        """A tidy pandas data frame, with the columns of `to_polars`."""
        return import_module(self.writers).to_pandas(self.table())

    def to_arrow(self) -> Any:  # noqa: ANN401  # pyarrow need not be installed
        """A tidy Arrow table, provenance in its metadata."""
        return import_module(self.writers).to_arrow(self.table())

    def write_parquet(self, path: str) -> None:
        """A tidy Parquet file (zstd), provenance in its metadata."""
        import_module(self.writers).write_parquet(self.table(), path)
