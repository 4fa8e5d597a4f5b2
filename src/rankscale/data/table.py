"""ValueTable: values with their names, as the writers of text and tables take them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints


def readable(name: str) -> str:
    """A name as UTF-8 can hold it: bytes that are no UTF-8 are replaced. For forms that cannot carry them."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@dataclass(frozen=True, eq=False)
class ValueTable:
    """Values by measure, run and topic, and the one number that sums up each run."""

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # (measure, run, topic); NaN where undefined or missing
    retrieved: Bools  # (run, topic): whether the value counts for this run
    means: Floats  # (measure, run)
    counted: Ints  # (measure, run): over how many topics each mean is
    whole: tuple[bool, ...] = ()  # which measures count things
    provenance: dict[str, object] = field(default_factory=dict)

    def rows(self, *, per_topic: bool) -> Iterator[tuple[str, str, str, float]]:
        """Tidy rows: run, topic (`all` for the mean), measure, value."""
        for r, run in enumerate(self.runs):
            if per_topic:
                for t in np.flatnonzero(self.retrieved[r]).tolist():
                    for m, measure in enumerate(self.measures):
                        yield run, self.topics[t], measure, float(self.values[m, r, t])
            for m, measure in enumerate(self.measures):
                yield run, "all", measure, float(self.means[m, r])

    def tidy(self) -> dict[str, list[str] | Floats]:
        """Columns run, topic, measure, value of all values by topic."""
        run, topic = np.nonzero(self.retrieved)
        width = len(self.measures)
        names = np.array([readable(name) for name in (*self.runs, *self.topics, *self.measures)], dtype=object)
        offsets = (0, len(self.runs), len(self.runs) + len(self.topics))
        columns = (np.repeat(run, width), np.repeat(topic, width), np.tile(np.arange(width), len(run)))
        texts = [names[offset + column].tolist() for offset, column in zip(offsets, columns, strict=True)]
        return dict(zip(("run", "topic", "measure"), texts, strict=True), value=self.values[:, run, topic].T.ravel())
