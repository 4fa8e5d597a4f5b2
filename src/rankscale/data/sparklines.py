"""Sparklines: numbers as a row of blocks of different height."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

BLOCKS = "▁▂▃▄▅▆▇█"
USUAL = 20  # blocks of a sparkline where nothing else decides


def sparkline(values: Sequence[float], lowest: float, highest: float) -> str:
    """A block for each value, as high as it is between two limits; a space where a value is undefined or infinite.

    >>> sparkline([0.0, 0.5, float("nan"), 1.0], 0, 1)
    '▁▅ █'
    """
    span = highest - lowest if highest > lowest else 1.0
    return "".join(_block((value - lowest) / span) for value in values)


def _block(height: float) -> str:
    if not math.isfinite(height):
        return " "
    return BLOCKS[min(int(max(height, 0.0) * len(BLOCKS)), len(BLOCKS) - 1)]


@dataclass(frozen=True)
class Sparklines:
    """The sparklines of a column of a table, one for each row, all between the same limits.

    Attributes
    ----------
    rows : sequence of sequences of float
        The values of each row; all rows have as many.
    lowest, highest : float
        Limits of the lowest and of the highest block.
    """

    rows: Sequence[Sequence[float]]
    lowest: float
    highest: float

    @property
    def most(self) -> int:
        """Blocks of a sparkline with one block for each value."""
        return len(self.rows[0]) if self.rows else 0

    def text(self, blocks: int = USUAL) -> list[str]:
        """(row,): sparklines of at most so many blocks; where there are more values, a block is the mean of some."""
        return [sparkline(_means(row, min(blocks, self.most)), self.lowest, self.highest) for row in self.rows]


def _means(values: Sequence[float], count: int) -> list[float]:
    """Means of `count` stretches of values that are as equally long as they can be; undefined values are left out.

    >>> _means([1.0, 3.0, 5.0, float("nan")], 2)
    [2.0, 5.0]
    """
    ends = [round(len(values) * place / count) for place in range(count + 1)] if count else []
    parts = [[one for one in values[low:high] if math.isfinite(one)] for low, high in pairwise(ends)]
    return [sum(part) / len(part) if part else math.nan for part in parts]
