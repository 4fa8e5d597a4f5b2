"""Numbers for JSON, which has no place for what is infinite or undefined: those are null."""

import math
from collections.abc import Iterable, Sequence

from rankscale.data.arrays import Floats


def finite(value: object) -> float | None:
    """A number in full precision, or None for one that is infinite or undefined.

    >>> finite(0.1), finite(float("nan")), finite(None)
    (0.1, None, None)
    """
    if value is None:
        return None
    number = float(value)  # type: ignore[arg-type]  # a number of Python or numpy
    return number if math.isfinite(number) else None


def listed(values: Floats | Sequence[float] | Iterable[float]) -> list[float | None]:
    """Some numbers."""
    return [finite(value) for value in values]
