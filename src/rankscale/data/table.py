"""ValueTable: values with their names, as the writers of text and tables take them."""

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
    low_is_good: tuple[bool | None, ...] = ()  # None where neither end is good
    # What stands beside the values, such as `lower`: (measure, run, topic), and (measure, run) for all topics.
    beside: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)

    def best(self) -> Floats:
        """(measure,): the best mean of each measure; NaN where none is best."""
        directions = self.low_is_good or (False,) * len(self.measures)
        sign = np.array([np.nan if low is None else -1.0 if low else 1.0 for low in directions])
        found: Floats = sign * np.nanmax(self.means * sign[:, None], axis=1, initial=-np.inf)
        return np.where(np.isfinite(found), found, np.nan)

    def tidy(self) -> dict[str, list[str] | Floats]:
        """Columns run, topic, measure, value of all values by topic, and what stands beside them."""
        run, topic = np.nonzero(self.retrieved)
        width = len(self.measures)
        names = np.array([readable(name) for name in (*self.runs, *self.topics, *self.measures)], dtype=object)
        offsets = (0, len(self.runs), len(self.runs) + len(self.topics))
        columns = (np.repeat(run, width), np.repeat(topic, width), np.tile(np.arange(width), len(run)))
        texts = [names[offset + column].tolist() for offset, column in zip(offsets, columns, strict=True)]
        numbers = {"value": self.values, **{name: by_topic for name, (by_topic, _) in self.beside.items()}}
        columns_of = {name: by_topic[:, run, topic].T.ravel() for name, by_topic in numbers.items()}
        return dict(zip(("run", "topic", "measure"), texts, strict=True), **columns_of)
