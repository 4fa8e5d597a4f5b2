"""MarkedTable: means of runs by measure, each with a mark that says which others it differs from."""

from dataclasses import dataclass

from rankscale.data.arrays import Floats


@dataclass(frozen=True)
class MarkedTable:
    """Runs down, measures across."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: Floats  # (measure, run)
    marks: tuple[tuple[str, ...], ...]  # (measure, run): letters that runs share which do not differ, or a star
    best: tuple[frozenset[int], ...]  # (measure,): the runs with the best mean
    notes: tuple[str, ...]  # a sentence for each measure
