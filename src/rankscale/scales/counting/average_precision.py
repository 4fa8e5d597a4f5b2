"""The image of average precision: sums of precisions at the relevant ranks; the recall base only scales them.

**Tables** of counts that take long to make are shipped with the package, made by tools/make_scale_tables.py. A table is
a file of numpy arrays: boundaries, ascending; how many distinct values lie below each; the number of the format; and a
SHA-256 of the numbers. It is checked when it is read, and one of its windows is counted again when it is used (see
`windows`).

**Floating-point sums** are false distinctions, needed to repeat published figures: precisions summed in floating point
differ in their last digits where exact sums are equal. Tables published for the interval scale of AP count such sums as
different values: 866 instead of 810 at depth 10.
"""

import hashlib
import os
import zipfile
import zlib
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from io import BytesIO

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ScaleError, Setting
from rankscale.scales.counting.halves import SumOfCounts, precisions_of_grades
from rankscale.scales.counting.image import Cost, Image, Progress, Provenance, Universe
from rankscale.scales.counting.windows import REMEDY, Checkpoints, WindowImage
from rankscale.scales.counting.windows import predicted as predicted_windows

FORMAT = 1
FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "shipped")
GAINS = (Fraction(0), Fraction(1))
NAME = "AP"
DEEPEST = 30  # 2^30 sums of 8 bytes
BLOCK = 1 << 16  # sums whose distinct ones are counted together
SECONDS_PER_SUM = 1e-7  # made, sorted and deduplicated


def path_of(depth: int) -> str:
    """Where the counts at a depth are, if they are shipped."""
    return os.path.join(FOLDER, f"{NAME}_{depth}.npz")


def shipped_table(depth: int) -> Checkpoints:
    """The counts at a depth, as shipped; refused if they are not what was written."""
    return read_table(path_of(depth), f"table {NAME}@{depth} v{FORMAT}")


def read_table(path: str, source: str) -> Checkpoints:
    """The counts in a file."""
    try:
        with open(path, "rb") as file:
            content = BytesIO(file.read())
        with np.load(content, allow_pickle=False) as arrays:
            boundaries, counts = (arrays[key].astype(np.int64, casting="safe") for key in ("boundaries", "counts"))
            version, checksum = int(arrays["format"]), bytes(arrays["checksum"])
    except (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ScaleError(f"{path}: {error}; {REMEDY}") from None
    fault = _fault(boundaries, counts, version, checksum)
    if fault:
        raise ScaleError(f"{path}: {fault}; {REMEDY}")
    return Checkpoints(boundaries, counts, source)


def _fault(boundaries: Ints, counts: Ints, version: int, checksum: bytes) -> str:
    if version != FORMAT:
        return f"written in format {version}, not {FORMAT}"
    if checksum != checksum_of(boundaries, counts):
        return "damaged (its checksum differs)"
    if boundaries.shape != counts.shape or len(counts) < 2 or counts[0] != 0:
        return "no counts from none to all"
    if not all((np.diff(numbers) > 0).all() for numbers in (boundaries, counts)):
        return "numbers do not ascend"
    return ""


def checksum_of(boundaries: Ints, counts: Ints) -> bytes:
    """The SHA-256 of the numbers of a table."""
    content = boundaries.astype("<i8").tobytes() + counts.astype("<i8").tobytes()
    return hashlib.sha256(content).digest()


def sum_of_precisions(depth: int) -> SumOfCounts:
    """Each relevant document adds n / rank where it is the n-th one; the state is the number of them so far.

    >>> sum_of_precisions(4).scale  # 1/1, 1/2, 1/3 and 1/4 are whole numbers of twelfths
    12
    """
    return replace(precisions_of_grades(GAINS, depth), name=NAME)


def average_precision(universe: Universe) -> WindowImage:
    """The image of the sum of precisions, from a shipped table if there is one.

    >>> average_precision(Universe(GAINS, 10)).size
    810
    """
    refuse_grades(universe)
    shipped = shipped_table(universe.depth) if _has_table(universe) else None
    return WindowImage(universe, sum_of_precisions(universe.depth), shipped)


def predicted(universe: Universe) -> Cost:
    """What counting will take."""
    refuse_grades(universe)
    return predicted_windows(universe, sum_of_precisions(universe.depth), shipped=_has_table(universe))


def refuse_grades(universe: Universe) -> None:
    """Documents are relevant or not."""
    if universe.gains != GAINS:
        raise ScaleError(f"AP counts documents as relevant or not: gains must be 0 and 1, got {universe.gains}")


def _has_table(universe: Universe) -> bool:
    return universe.limits is None and os.path.exists(path_of(universe.depth))


class FloatImage(Image):
    """The doubles that precisions at the relevant ranks, summed from the first to the last, can give.

    >>> from rankscale.scales.counting.average_precision import GAINS
    >>> FloatImage(Universe(GAINS, 10)).size
    866
    """

    def __init__(self, universe: Universe) -> None:
        refuse_grades(universe)
        if universe.limits is not None:
            raise ScaleError(
                "AP with ", Setting("deduplicate", "float"), " is taken over all rankings, as in published tables"
            )
        if universe.depth > DEEPEST:
            raise ScaleError(
                f"AP@{universe.depth} with ",
                Setting("deduplicate", "float"),
                f": all 2^{universe.depth} sums would have to be listed, and at most 2^{DEEPEST} are; use ",
                Setting("deduplicate", "exact"),
                f", or a depth of {DEEPEST} or less",
            )
        self.universe = universe
        words = "distinct floating-point sums: false distinctions, only to repeat published figures"
        self.provenance = Provenance("floats", words)

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """How many doubles there are."""
        return int(self._distinct[-1])

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002  # a search each
        """How many of the doubles do not exceed each ranking's own."""
        ends = np.searchsorted(self._sums, summed(rankings), side="right")
        return [self._distinct_before(int(end)) for end in ends]

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """How many rankings have a lower double, and how many the same."""
        own = summed(rankings)
        starts, ends = (np.searchsorted(self._sums, own, side=side) for side in ("left", "right"))
        return [(int(start), int(end - start)) for start, end in zip(starts, ends, strict=True)]

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` doubles."""
        few, many = (np.unique(side) for side in (self._sums[: BLOCK * count], self._sums[-BLOCK * count :]))
        return few[:count], many[-count:]

    @cached_property
    def _sums(self) -> Floats:
        """The sum of each ranking, ascending."""
        sums = _all_sums(self.universe.depth)
        sums.sort()
        return sums

    @cached_property
    def _distinct(self) -> Ints:
        """How many distinct sums lie before each block, and in all."""
        blocks = range(0, len(self._sums), BLOCK)
        return np.append(0, np.cumsum([np.count_nonzero(self._opens(start, start + BLOCK)) for start in blocks]))

    def _distinct_before(self, end: int) -> int:
        block = end // BLOCK
        return int(self._distinct[block]) + int(np.count_nonzero(self._opens(block * BLOCK, end)))

    def _opens(self, start: int, end: int) -> Bools:
        """Which of the sums from a place to another differ from the one before."""
        some = self._sums[max(start - 1, 0) : end]
        differs: Bools = some[1:] != some[:-1]
        return np.append(True, differs) if start == 0 and end else differs  # the first of all


def summed(rankings: Ints) -> Floats:
    """(ranking,): precisions at the relevant ranks, added one after the other."""
    precisions = rankings * np.cumsum(rankings, axis=1) / np.arange(1, rankings.shape[1] + 1)
    sums = np.zeros(len(rankings))
    for precision in precisions.T:
        sums += precision
    return sums


def cost_of_floats(universe: Universe) -> Cost:
    """The predicted cost of listing all sums."""
    return Cost(SECONDS_PER_SUM * 2.0**universe.depth, 1e-5, 9 << universe.depth)


def _all_sums(depth: int) -> Floats:
    """The sum of each ranking, made in place: at most depths they fill most of a machine's memory."""
    sums, relevant = np.zeros(1 << depth), np.zeros(1 << depth, dtype=np.uint8)
    for rank in range(1, depth + 1):
        half, precisions = 1 << (rank - 1), np.arange(1, rank + 1) / rank
        for start in range(0, half, BLOCK):
            some = slice(start, min(start + BLOCK, half))
            same = slice(some.start + half, some.stop + half)
            sums[same] = sums[some] + precisions[relevant[some]]
            relevant[same] = relevant[some] + np.uint8(1)
    return sums
