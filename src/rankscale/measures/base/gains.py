"""Gains of grades: lists, maps and schemes."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.structure import as_written, shortest

Number = Fraction | float
LARGEST_GAIN = 1e100  # sums over any ranking, and the squares of these, are numbers
Gains = Literal["exp", "linear"] | tuple[Number, ...] | tuple[tuple[Number, Number], ...] | None


def normal_form(gains: "Gains | Sequence[Number] | Mapping[float, float] | Mapping[Number, Number]") -> Gains:
    """Gains as a hashable value: None, 'exp', 'linear', a tuple for grades 0, 1, 2, ..., or pairs (grade, gain).

    A fraction with a short decimal form is that number, so that equal measures have one name.

    >>> normal_form({2: 9, 1: 3}), normal_form([0, Fraction(1, 3), Fraction(1, 2)])
    (((1, 3), (2, 9)), (0, Fraction(1, 3), 0.5))
    """
    if gains is None or (isinstance(gains, str) and gains in {"exp", "linear"}):
        return gains
    if isinstance(gains, Mapping):
        return _pairs(list(gains.items())) or None
    if isinstance(gains, str) or not isinstance(gains, Sequence) or not gains:
        raise _refused(gains)
    if all(isinstance(pair, Sequence) for pair in gains):
        return _pairs(list(gains))  # type: ignore[arg-type]  # what is no pair of numbers is refused there
    return tuple(_number(gain) for gain in gains)


def _pairs(pairs: list[tuple[Number, Number]]) -> tuple[tuple[Number, Number], ...]:
    if any(len(pair) != 2 for pair in pairs):
        raise _refused(pairs)
    ordered = sorted((_number(grade), _number(gain)) for grade, gain in pairs)
    if len({grade for grade, _ in ordered}) < len(ordered):
        raise ParameterError(f"gains name a grade twice: {pairs}")
    return tuple(ordered)


def _number(value: object) -> Number:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, Fraction):
        return shortest(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _refused(value)
    return value


def _refused(gains: object) -> ParameterError:
    return ParameterError(
        f"gains must be 'exp', 'linear', a list such as [0,1,10] or a map such as {{1:3}}, got {gains!r}"
    )


def gain_table(gains: Gains, levels: Floats, highest: float) -> Floats:
    """The gain of each level: the grade itself, negatives 0, unless `gains` says otherwise.

    'exp' is 2^grade - 1, 'linear' the grade over the highest one. A list must name every grade (and only whole grades
    can be looked up in it); a map changes the grades it names.

    >>> gain_table((0, 1, 10), np.array([0., 1., 2.]), highest=2)
    array([ 0.,  1., 10.])

    Raises
    ------
    ParameterError
        If a list lacks a grade, or a gain is beyond what sums and their squares have room for.
    """
    with np.errstate(over="ignore"):
        table = _gain_table(gains, levels, highest)
    beyond = np.flatnonzero(np.abs(table) > LARGEST_GAIN)
    if len(beyond) and gains != "linear":
        grade, gain = float(levels[beyond[0]]), float(table[beyond[0]])
        raise ParameterError(
            f"gains must be from {-LARGEST_GAIN:g} to {LARGEST_GAIN:g}, and grade {grade:g} gains {gain:g}; map the "
            "grades first (--grades, in Python grades=), or give other gains"
        )
    return table


def _gain_table(gains: Gains, levels: Floats, highest: float) -> Floats:
    if gains is None:
        return np.maximum(levels, 0.0)
    if gains == "linear":
        return np.maximum(levels, 0.0) / highest if highest > 0 else np.zeros(len(levels))
    if gains == "exp":
        return np.where(levels > 0, np.exp2(levels) - 1, 0.0)
    if gains and isinstance(gains[0], tuple):
        named = dict(gains)
        return np.array([float(named.get(level, max(level, 0.0))) for level in levels])
    return np.array([_listed(gains, level) for level in levels])  # type: ignore[arg-type]  # a tuple of numbers


def some_negative(gains: Gains) -> bool:
    """Whether a gain that was given is negative.

    >>> some_negative((-1, 1, 2)), some_negative(((0, -1),)), some_negative("exp")
    (True, True, False)
    """
    if gains is None or isinstance(gains, str):
        return False
    return min(gain[1] if isinstance(gain, tuple) else gain for gain in gains) < 0


def gains_within(measure: str, gains: Floats, levels: Floats, most: float = math.inf) -> Floats:
    """The gains of these levels as they are; an error where one is below 0 or above `most`."""
    refused = (gains < 0) | (gains > most)
    if refused.any():
        grade, gain = float(levels[refused][0]), float(gains[refused][0])
        wanted = "0 or more" if most == math.inf else f"from 0 to {most:g}"
        raise ParameterError(f"{measure}: gains must be {wanted}, and grade {grade:g} gains {gain:g}")
    return gains


def gain_fraction(measure: object, gains: Gains, level: float, highest: float) -> Fraction | None:
    """The exact gain of a level where its double does not show it; None where it does."""
    named = _named(gains, level)
    if isinstance(named, Fraction):
        return named
    if gains == "exp" and level != int(level):
        raise ScaleError(irrational(str(measure), level))
    if gains == "linear" and level > 0:
        return as_written(level) / as_written(highest)
    return None


def _named(gains: Gains, level: float) -> Number | None:
    """What a list or a map says of a level; None where it says nothing."""
    if not isinstance(gains, tuple):
        return None
    pairs = (item if isinstance(item, tuple) else (grade, item) for grade, item in enumerate(gains))
    return next((gain for grade, gain in pairs if grade == level), None)


def irrational(measure: str, level: float) -> str:
    """The message for a grade whose gain is no fraction."""
    return f"{measure}: the gain of grade {level:g} is an irrational number, and ranks are counted exactly"


def _listed(gains: tuple[Number, ...], level: float) -> float:
    if level < 0:
        return 0.0
    if not level.is_integer() or level >= len(gains):
        raise ParameterError(
            f"gains [{', '.join(map(str, gains))}] have no entry for grade {level:g}; list one gain for each of the "
            "grades 0, 1, 2, ..."
        )
    return float(gains[int(level)])
