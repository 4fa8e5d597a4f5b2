"""Margin: how much worse a candidate may be than its baseline, in values of the measure or as a share of the mean."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real

from rankscale.errors import ParameterError, Setting
from rankscale.measures.base.measure import Measure

EXPECTED = "a margin is a number above 0 such as 0.01, or a percentage of the baseline's mean such as 2%"
MarginLike = float | str | Sequence[float | str]


@dataclass(frozen=True)
class Margin:
    """An absolute margin, one that is relative to the mean of the baseline, or both, of which the larger is taken.

    >>> print(Margin.of([0.01, "2%"]), Margin.of("2%").value(0.4))
    0.01 or 2%, whichever is larger 0.008
    """

    absolute: float | None = None
    relative: float | None = None

    @classmethod
    def of(cls, given: MarginLike, name: str | Setting = "margin") -> "Margin":
        """Read a number, a text such as '0.01' or '2%', or one of each; `name` is that of the option in messages."""
        parts = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        if not parts:
            raise ParameterError(name, f": {EXPECTED}; got none")
        made: dict[str, float] = {}
        for part in parts:
            kind, number = _read(part, name)
            if kind in made:
                raise ParameterError(
                    name,
                    ": one absolute and one relative margin can be given, of which the larger is taken; got "
                    f"two {kind} ones",
                )
            made[kind] = number
        return cls(**made)

    def value(self, mean: float) -> float:
        """The margin in values of the measure, for a baseline with this mean: an estimate where it is relative.

        Raises
        ------
        ParameterError
            The margin is relative, and the mean is not above 0.
        """
        if self.relative is None:
            assert self.absolute is not None  # noqa: S101  # one of the two is there
            return self.absolute
        if not mean > 0:
            raise ParameterError(
                f"a relative margin is a share of the baseline's mean, which must lie above 0, and it is {mean:g}; "
                "give an absolute margin, such as 0.01"
            )
        return max(self.absolute or 0.0, self.relative * mean)

    def __str__(self) -> str:
        shown = [] if self.absolute is None else [f"{self.absolute:g}"]
        shown += [] if self.relative is None else [f"{100 * self.relative:g}%"]
        return " or ".join(shown) + (", whichever is larger" if len(shown) > 1 else "")


def limits(measure: Measure, margin: Margin) -> tuple[Margin, Margin]:
    """The margins below and above 0 that the averaged values of a measure are tested with.

    Of geometric means these are averages of logarithms, which may fall and rise as far as ratios from 1 - m to 1 + m.

    Raises
    ------
    ParameterError
        Means are geometric, and the margin is, or holds, an absolute one: logarithms have no unit of the measure.

    Examples
    --------
    >>> from rankscale.measures.base.parser import parse
    >>> print(*limits(parse("GMAP"), Margin.of("5%")))
    0.0512933 0.0487902
    """
    if not measure.compared_by_ratio:
        return margin, margin
    if margin.absolute is not None or margin.relative is None:
        raise ParameterError(
            f"{measure}: geometric means are compared by their ratio, so that a margin is a share of the baseline's: "
            f"give a relative margin, such as 5%, in place of {margin.absolute:g}"
        )
    return Margin(absolute=-math.log1p(-margin.relative)), Margin(absolute=math.log1p(margin.relative))


def shown_margin(measure: Measure, margin: Margin, mean: float) -> float:
    """The margin as a number: in values of the measure, for this mean of the baseline, or the share of a ratio."""
    return float(margin.relative or 0.0) if measure.compared_by_ratio else margin.value(mean)


def _read(part: object, name: str | Setting) -> tuple[str, float]:
    """Whether one margin is absolute or relative, and the number."""
    relative = isinstance(part, str) and part.strip().endswith("%")
    number = math.nan
    if isinstance(part, str):
        with suppress(ValueError):
            number = float(part.strip().removesuffix("%")) / (100 if relative else 1)
    elif isinstance(part, Real) and not isinstance(part, bool):
        number = float(part)
    if not (math.isfinite(number) and number > 0):
        raise ParameterError(name, f": {EXPECTED}; got {part!r}")
    if relative and number >= 1:
        raise ParameterError(name, f": a relative margin lies between 0% and 100% of the baseline's mean, got {part}")
    return "relative" if relative else "absolute", number
